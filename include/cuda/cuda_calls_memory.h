/* SPDX-License-Identifier: MIT */
/* More of the list in cuda_calls.h: registered, managed and pooled memory, virtual memory management, memory
 * operations of streams. */
#ifndef PPU_CUDA_CALLS_MEMORY_H
#define PPU_CUDA_CALLS_MEMORY_H

#define CU_CALLS_MEMORY(C, P, V) \
C(cuMemHostRegister_v2, cuMemHostRegister, 6050, (void *, ptr), (size_t, bytes), (unsigned int, flags)) \
C(cuMemHostUnregister, cuMemHostUnregister, 4000, (void *, ptr)) \
/* managed */ \
C(cuMemAllocManaged, cuMemAllocManaged, 6000, (CUdeviceptr *, ptr), (size_t, bytes), (unsigned int, flags)) \
P(cuStreamAttachMemAsync, cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync, 6000, (CUstream, stream), \
	(CUdeviceptr, ptr), (size_t, bytes), (unsigned int, flags)) \
C(cuMemAdvise, cuMemAdvise, 8000, (CUdeviceptr, ptr), (size_t, bytes), (CUmem_advise, advice), (CUdevice, device)) \
C(cuMemAdvise_v2, cuMemAdvise, 12020, (CUdeviceptr, ptr), (size_t, bytes), (CUmem_advise, advice), \
	(CUmemLocation, location)) \
P(cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync, 8000, (CUdeviceptr, ptr), (size_t, bytes), \
	(CUdevice, device), (CUstream, stream)) \
P(cuMemPrefetchAsync_v2, cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync, 12020, (CUdeviceptr, ptr), \
	(size_t, bytes), (CUmemLocation, location), (unsigned int, flags), (CUstream, stream)) \
C(cuMemRangeGetAttribute, cuMemRangeGetAttribute, 8000, (void *, value), (size_t, value_bytes), \
	(CUmem_range_attribute, attribute), (CUdeviceptr, ptr), (size_t, bytes)) \
C(cuMemRangeGetAttributes, cuMemRangeGetAttributes, 8000, (void **, values), (size_t *, value_bytes), \
	(CUmem_range_attribute *, attributes), (size_t, num), (CUdeviceptr, ptr), (size_t, bytes)) \
/* pools */ \
P(cuMemAllocAsync, cuMemAllocAsync_ptsz, cuMemAllocAsync, 11020, (CUdeviceptr *, ptr), (size_t, bytes), \
	(CUstream, stream)) \
P(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync, 11020, (CUdeviceptr *, ptr), \
	(size_t, bytes), (CUmemoryPool, pool), (CUstream, stream)) \
P(cuMemFreeAsync, cuMemFreeAsync_ptsz, cuMemFreeAsync, 11020, (CUdeviceptr, ptr), (CUstream, stream)) \
C(cuMemPoolCreate, cuMemPoolCreate, 11020, (CUmemoryPool *, pool), (const CUmemPoolProps *, props)) \
C(cuMemPoolDestroy, cuMemPoolDestroy, 11020, (CUmemoryPool, pool)) \
C(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, (CUmemoryPool, pool), (size_t, keep)) \
C(cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020, (CUmemoryPool, pool), (CUmemPool_attribute, attribute), \
	(void *, value)) \
C(cuMemPoolGetAttribute, cuMemPoolGetAttribute, 11020, (CUmemoryPool, pool), (CUmemPool_attribute, attribute), \
	(void *, value)) \
C(cuMemPoolSetAccess, cuMemPoolSetAccess, 11020, (CUmemoryPool, pool), (const CUmemAccessDesc *, access), \
	(size_t, count)) \
C(cuMemPoolGetAccess, cuMemPoolGetAccess, 11020, (CUmemAccess_flags *, flags), (CUmemoryPool, pool), \
	(CUmemLocation *, location)) \
C(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020, (CUmemoryPool *, pool), (CUdevice, device)) \
C(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, (CUmemoryPool *, pool), (CUdevice, device)) \
C(cuDeviceSetMemPool, cuDeviceSetMemPool, 11020, (CUdevice, device), (CUmemoryPool, pool)) \
C(cuMemGetDefaultMemPool, cuMemGetDefaultMemPool, 13000, (CUmemoryPool *, pool), (CUmemLocation *, location), \
	(CUmemAllocationType, type)) \
C(cuMemGetMemPool, cuMemGetMemPool, 13000, (CUmemoryPool *, pool), (CUmemLocation *, location), \
	(CUmemAllocationType, type)) \
C(cuMemSetMemPool, cuMemSetMemPool, 13000, (CUmemLocation *, location), (CUmemAllocationType, type), \
	(CUmemoryPool, pool)) \
/* virtual memory management */ \
C(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020, (size_t *, bytes), \
	(const CUmemAllocationProp *, prop), (CUmemAllocationGranularity_flags, option)) \
C(cuMemAddressReserve, cuMemAddressReserve, 10020, (CUdeviceptr *, ptr), (size_t, bytes), (size_t, alignment), \
	(CUdeviceptr, wanted), (unsigned long long, flags)) \
C(cuMemAddressFree, cuMemAddressFree, 10020, (CUdeviceptr, ptr), (size_t, bytes)) \
C(cuMemCreate, cuMemCreate, 10020, (CUmemGenericAllocationHandle *, handle), (size_t, bytes), \
	(const CUmemAllocationProp *, prop), (unsigned long long, flags)) \
C(cuMemRelease, cuMemRelease, 10020, (CUmemGenericAllocationHandle, handle)) \
C(cuMemMap, cuMemMap, 10020, (CUdeviceptr, ptr), (size_t, bytes), (size_t, offset), \
	(CUmemGenericAllocationHandle, handle), (unsigned long long, flags)) \
C(cuMemUnmap, cuMemUnmap, 10020, (CUdeviceptr, ptr), (size_t, bytes)) \
C(cuMemSetAccess, cuMemSetAccess, 10020, (CUdeviceptr, ptr), (size_t, bytes), (const CUmemAccessDesc *, access), \
	(size_t, count)) \
C(cuMemGetAccess, cuMemGetAccess, 10020, (unsigned long long *, flags), (const CUmemLocation *, location), \
	(CUdeviceptr, ptr)) \
C(cuMemGetAllocationPropertiesFromHandle, cuMemGetAllocationPropertiesFromHandle, 10020, \
	(CUmemAllocationProp *, prop), (CUmemGenericAllocationHandle, handle)) \
C(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000, (CUmemGenericAllocationHandle *, handle), \
	(void *, ptr)) \
/* other processes */ \
C(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010, (CUipcMemHandle *, handle), (CUdeviceptr, ptr)) \
C(cuIpcOpenMemHandle_v2, cuIpcOpenMemHandle, 11000, (CUdeviceptr *, ptr), (CUipcMemHandle, handle), (unsigned int, flags)) \
C(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010, (CUdeviceptr, ptr)) \
C(cuIpcGetEventHandle, cuIpcGetEventHandle, 4010, (CUipcEventHandle *, handle), (CUevent, event)) \
C(cuIpcOpenEventHandle, cuIpcOpenEventHandle, 4010, (CUevent *, event), (CUipcEventHandle, handle)) \
C(cuMemExportToShareableHandle, cuMemExportToShareableHandle, 10020, (void *, out), \
	(CUmemGenericAllocationHandle, handle), (CUmemAllocationHandleType, type), (unsigned long long, flags)) \
C(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle, 10020, (CUmemGenericAllocationHandle *, handle), \
	(void *, from), (CUmemAllocationHandleType, type)) \
C(cuMemPoolExportToShareableHandle, cuMemPoolExportToShareableHandle, 11020, (void *, out), (CUmemoryPool, pool), \
	(CUmemAllocationHandleType, type), (unsigned long long, flags)) \
C(cuMemPoolImportFromShareableHandle, cuMemPoolImportFromShareableHandle, 11020, (CUmemoryPool *, pool), (void *, from), \
	(CUmemAllocationHandleType, type), (unsigned long long, flags)) \
C(cuMemPoolExportPointer, cuMemPoolExportPointer, 11020, (CUmemPoolPtrExportData *, data), (CUdeviceptr, ptr)) \
C(cuMemPoolImportPointer, cuMemPoolImportPointer, 11020, (CUdeviceptr *, ptr), (CUmemoryPool, pool), \
	(CUmemPoolPtrExportData *, data)) \
/* memory operations of streams */ \
P(cuStreamWaitValue32_v2, cuStreamWaitValue32_v2_ptsz, cuStreamWaitValue32, 11070, (CUstream, stream), \
	(CUdeviceptr, ptr), (cuuint32_t, value), (unsigned int, flags)) \
P(cuStreamWaitValue64_v2, cuStreamWaitValue64_v2_ptsz, cuStreamWaitValue64, 11070, (CUstream, stream), \
	(CUdeviceptr, ptr), (cuuint64_t, value), (unsigned int, flags)) \
P(cuStreamWriteValue32_v2, cuStreamWriteValue32_v2_ptsz, cuStreamWriteValue32, 11070, (CUstream, stream), \
	(CUdeviceptr, ptr), (cuuint32_t, value), (unsigned int, flags)) \
P(cuStreamWriteValue64_v2, cuStreamWriteValue64_v2_ptsz, cuStreamWriteValue64, 11070, (CUstream, stream), \
	(CUdeviceptr, ptr), (cuuint64_t, value), (unsigned int, flags)) \
P(cuStreamBatchMemOp_v2, cuStreamBatchMemOp_v2_ptsz, cuStreamBatchMemOp, 11070, (CUstream, stream), \
	(unsigned int, count), (CUstreamBatchMemOpParams *, ops), (unsigned int, flags)) \
P(cuMemcpy3DPeer, cuMemcpy3DPeer_ptds, cuMemcpy3DPeer, 4000, (const CUDA_MEMCPY3D_PEER *, copy)) \
P(cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DPeerAsync, 4000, (const CUDA_MEMCPY3D_PEER *, copy), \
	(CUstream, stream))

#endif
