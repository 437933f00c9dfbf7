/* SPDX-License-Identifier: MIT */
/*
 * The list of all functions of the Runtime API that return a cudaError_t.  From this list come the prototypes in
 * cuda_runtime_api.h, the exported functions with their log (libruntime/cudart/calls.c) and the table in
 * Documentation/runtime/cudart.md, which has a line for each of the comments between the functions.
 *
 *   C(symbol, (type, argument[, default in C++])...)
 *   Z(symbol, ...)     there is a symbol_ptsz, too, for which stream 0 is the thread's own stream
 *   D(symbol, ...)     there is a symbol_ptds, too, which works in the thread's own stream
 *   V(symbol)          without arguments
 */
#ifndef PPU_CUDA_RUNTIME_CALLS_H
#define PPU_CUDA_RUNTIME_CALLS_H

/* "(int, a), (char *, b, 0)" -> "int a, char * b = 0" or "a, b" */
#define CUDART_CAT_(a, b) a##b
#define CUDART_CAT(a, b) CUDART_CAT_(a, b)
#define CUDART_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, n, ...) n
#define CUDART_COUNT(...) CUDART_COUNT_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define CUDART_MAP1(m, a) m a
#define CUDART_MAP2(m, a, ...) m a, CUDART_MAP1(m, __VA_ARGS__)
#define CUDART_MAP3(m, a, ...) m a, CUDART_MAP2(m, __VA_ARGS__)
#define CUDART_MAP4(m, a, ...) m a, CUDART_MAP3(m, __VA_ARGS__)
#define CUDART_MAP5(m, a, ...) m a, CUDART_MAP4(m, __VA_ARGS__)
#define CUDART_MAP6(m, a, ...) m a, CUDART_MAP5(m, __VA_ARGS__)
#define CUDART_MAP7(m, a, ...) m a, CUDART_MAP6(m, __VA_ARGS__)
#define CUDART_MAP8(m, a, ...) m a, CUDART_MAP7(m, __VA_ARGS__)
#define CUDART_MAP9(m, a, ...) m a, CUDART_MAP8(m, __VA_ARGS__)
#define CUDART_MAP10(m, a, ...) m a, CUDART_MAP9(m, __VA_ARGS__)
#define CUDART_MAP11(m, a, ...) m a, CUDART_MAP10(m, __VA_ARGS__)
#define CUDART_MAP12(m, a, ...) m a, CUDART_MAP11(m, __VA_ARGS__)
#define CUDART_MAP(m, ...) CUDART_CAT(CUDART_MAP, CUDART_COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#ifdef __cplusplus
#define CUDART_PARAM3(type, name, value) type name = value
#else
#define CUDART_PARAM3(type, name, value) type name
#endif
#define CUDART_PARAM2(type, name) type name
#define CUDART_PARAM_(...) CUDART_CAT(CUDART_PARAM, CUDART_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define CUDART_NAME_(type, name, ...) name
#define CUDART_PARAMS(...) CUDART_MAP(CUDART_PARAM_, __VA_ARGS__)
#define CUDART_NAMES(...) CUDART_MAP(CUDART_NAME_, __VA_ARGS__)

#define CUDART_CALLS(C, Z, D, V) \
/* versions, entry points */ \
C(cudaDriverGetVersion, (int *, version)) \
C(cudaRuntimeGetVersion, (int *, version)) \
Z(cudaGetDriverEntryPoint, (const char *, symbol), (void **, function), (unsigned long long, flags), \
	(enum cudaDriverEntryPointQueryResult *, status, NULL)) \
Z(cudaGetDriverEntryPointByVersion, (const char *, symbol), (void **, function), (unsigned int, version), \
	(unsigned long long, flags), (enum cudaDriverEntryPointQueryResult *, status, NULL)) \
V(cudaProfilerStart) \
V(cudaProfilerStop) \
/* devices */ \
C(cudaGetDeviceCount, (int *, count)) \
C(cudaGetDeviceProperties, (struct cudaDeviceProp *, prop), (int, device)) \
C(cudaGetDeviceProperties_v2, (struct cudaDeviceProp *, prop), (int, device)) \
C(cudaDeviceGetAttribute, (int *, value), (enum cudaDeviceAttr, attribute), (int, device)) \
C(cudaDeviceGetP2PAttribute, (int *, value), (enum cudaDeviceP2PAttr, attribute), (int, source), \
	(int, destination)) \
C(cudaChooseDevice, (int *, device), (const struct cudaDeviceProp *, prop)) \
C(cudaSetDevice, (int, device)) \
C(cudaInitDevice, (int, device), (unsigned int, device_flags), (unsigned int, flags)) \
C(cudaGetDevice, (int *, device)) \
C(cudaSetValidDevices, (int *, devices), (int, count)) \
C(cudaSetDeviceFlags, (unsigned int, flags)) \
C(cudaGetDeviceFlags, (unsigned int *, flags)) \
V(cudaDeviceReset) \
V(cudaDeviceSynchronize) \
V(cudaThreadSynchronize) \
V(cudaThreadExit) \
C(cudaDeviceSetLimit, (enum cudaLimit, limit), (size_t, value)) \
C(cudaDeviceGetLimit, (size_t *, value), (enum cudaLimit, limit)) \
C(cudaDeviceGetCacheConfig, (enum cudaFuncCache *, config)) \
C(cudaDeviceSetCacheConfig, (enum cudaFuncCache, config)) \
C(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig *, config)) \
C(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig, config)) \
C(cudaDeviceGetStreamPriorityRange, (int *, least), (int *, greatest)) \
C(cudaDeviceGetByPCIBusId, (int *, device), (const char *, id)) \
C(cudaDeviceGetPCIBusId, (char *, id), (int, len), (int, device)) \
C(cudaDeviceCanAccessPeer, (int *, can), (int, device), (int, peer)) \
C(cudaDeviceEnablePeerAccess, (int, peer), (unsigned int, flags)) \
C(cudaDeviceDisablePeerAccess, (int, peer)) \
/* memory */ \
C(cudaMalloc, (void **, ptr), (size_t, bytes)) \
C(cudaMallocPitch, (void **, ptr), (size_t *, pitch), (size_t, width), (size_t, height)) \
C(cudaMalloc3D, (struct cudaPitchedPtr *, pitched), (struct cudaExtent, extent)) \
C(cudaIpcGetMemHandle, (cudaIpcMemHandle_t *, handle), (void *, ptr)) \
C(cudaIpcOpenMemHandle, (void **, ptr), (cudaIpcMemHandle_t, handle), (unsigned int, flags)) \
C(cudaIpcCloseMemHandle, (void *, ptr)) \
C(cudaMallocHost, (void **, ptr), (size_t, bytes)) \
C(cudaHostAlloc, (void **, ptr), (size_t, bytes), (unsigned int, flags)) \
C(cudaMallocManaged, (void **, ptr), (size_t, bytes), (unsigned int, flags, cudaMemAttachGlobal)) \
C(cudaFree, (void *, ptr)) \
C(cudaFreeHost, (void *, ptr)) \
C(cudaHostRegister, (void *, ptr), (size_t, bytes), (unsigned int, flags)) \
C(cudaHostUnregister, (void *, ptr)) \
C(cudaHostGetDevicePointer, (void **, device), (void *, host), (unsigned int, flags)) \
C(cudaHostGetFlags, (unsigned int *, flags), (void *, ptr)) \
C(cudaMemGetInfo, (size_t *, free), (size_t *, total)) \
C(cudaPointerGetAttributes, (struct cudaPointerAttributes *, attributes), (const void *, ptr)) \
C(cudaMemAdvise, (const void *, ptr), (size_t, bytes), (enum cudaMemoryAdvise, advice), (int, device)) \
Z(cudaMemPrefetchAsync, (const void *, ptr), (size_t, bytes), (int, device), (cudaStream_t, stream, 0)) \
C(cudaMemRangeGetAttribute, (void *, data), (size_t, data_bytes), (enum cudaMemRangeAttribute, attribute), \
	(const void *, ptr), (size_t, bytes)) \
C(cudaMemRangeGetAttributes, (void **, data), (size_t *, data_bytes), (enum cudaMemRangeAttribute *, attributes), \
	(size_t, count), (const void *, ptr), (size_t, bytes)) \
Z(cudaMallocAsync, (void **, ptr), (size_t, bytes), (cudaStream_t, stream)) \
Z(cudaFreeAsync, (void *, ptr), (cudaStream_t, stream)) \
Z(cudaMallocFromPoolAsync, (void **, ptr), (size_t, bytes), (cudaMemPool_t, pool), (cudaStream_t, stream)) \
C(cudaMemPoolCreate, (cudaMemPool_t *, pool), (const struct cudaMemPoolProps *, props)) \
C(cudaMemPoolDestroy, (cudaMemPool_t, pool)) \
C(cudaMemPoolTrimTo, (cudaMemPool_t, pool), (size_t, keep)) \
C(cudaMemPoolSetAttribute, (cudaMemPool_t, pool), (enum cudaMemPoolAttr, attribute), (void *, value)) \
C(cudaMemPoolGetAttribute, (cudaMemPool_t, pool), (enum cudaMemPoolAttr, attribute), (void *, value)) \
C(cudaMemPoolSetAccess, (cudaMemPool_t, pool), (const struct cudaMemAccessDesc *, list), (size_t, count)) \
C(cudaMemPoolGetAccess, (enum cudaMemAccessFlags *, flags), (cudaMemPool_t, pool), \
	(struct cudaMemLocation *, location)) \
C(cudaDeviceGetDefaultMemPool, (cudaMemPool_t *, pool), (int, device)) \
C(cudaDeviceGetMemPool, (cudaMemPool_t *, pool), (int, device)) \
C(cudaDeviceSetMemPool, (int, device), (cudaMemPool_t, pool)) \
C(cudaMemPoolExportToShareableHandle, (void *, out), (cudaMemPool_t, pool), (enum cudaMemAllocationHandleType, type), \
	(unsigned int, flags)) \
C(cudaMemPoolImportFromShareableHandle, (cudaMemPool_t *, pool), (void *, from), (enum cudaMemAllocationHandleType, type), \
	(unsigned int, flags)) \
C(cudaMemPoolExportPointer, (struct cudaMemPoolPtrExportData *, data), (void *, ptr)) \
C(cudaMemPoolImportPointer, (void **, ptr), (cudaMemPool_t, pool), (struct cudaMemPoolPtrExportData *, data)) \
/* copies */ \
D(cudaMemcpy, (void *, dst), (const void *, src), (size_t, bytes), (enum cudaMemcpyKind, kind)) \
Z(cudaMemcpyAsync, (void *, dst), (const void *, src), (size_t, bytes), (enum cudaMemcpyKind, kind), \
	(cudaStream_t, stream, 0)) \
C(cudaMemcpyPeer, (void *, dst), (int, dst_device), (const void *, src), (int, src_device), (size_t, bytes)) \
C(cudaMemcpyPeerAsync, (void *, dst), (int, dst_device), (const void *, src), (int, src_device), \
	(size_t, bytes), (cudaStream_t, stream, 0)) \
D(cudaMemcpyToSymbol, (const void *, symbol), (const void *, src), (size_t, bytes), (size_t, offset, 0), \
	(enum cudaMemcpyKind, kind, cudaMemcpyHostToDevice)) \
D(cudaMemcpyFromSymbol, (void *, dst), (const void *, symbol), (size_t, bytes), (size_t, offset, 0), \
	(enum cudaMemcpyKind, kind, cudaMemcpyDeviceToHost)) \
Z(cudaMemcpyToSymbolAsync, (const void *, symbol), (const void *, src), (size_t, bytes), (size_t, offset), \
	(enum cudaMemcpyKind, kind), (cudaStream_t, stream, 0)) \
Z(cudaMemcpyFromSymbolAsync, (void *, dst), (const void *, symbol), (size_t, bytes), (size_t, offset), \
	(enum cudaMemcpyKind, kind), (cudaStream_t, stream, 0)) \
C(cudaGetSymbolAddress, (void **, ptr), (const void *, symbol)) \
C(cudaGetSymbolSize, (size_t *, bytes), (const void *, symbol)) \
D(cudaMemcpy2D, (void *, dst), (size_t, dst_pitch), (const void *, src), (size_t, src_pitch), (size_t, width), \
	(size_t, height), (enum cudaMemcpyKind, kind)) \
Z(cudaMemcpy2DAsync, (void *, dst), (size_t, dst_pitch), (const void *, src), (size_t, src_pitch), \
	(size_t, width), (size_t, height), (enum cudaMemcpyKind, kind), (cudaStream_t, stream, 0)) \
D(cudaMemcpy3D, (const struct cudaMemcpy3DParms *, copy)) \
Z(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *, copy), (cudaStream_t, stream, 0)) \
D(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *, copy)) \
Z(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *, copy), (cudaStream_t, stream, 0)) \
D(cudaMemcpyToArray, (cudaArray_t, dst), (size_t, x), (size_t, y), (const void *, src), (size_t, bytes), \
	(enum cudaMemcpyKind, kind)) \
D(cudaMemcpyFromArray, (void *, dst), (cudaArray_const_t, src), (size_t, x), (size_t, y), (size_t, bytes), \
	(enum cudaMemcpyKind, kind)) \
Z(cudaMemcpyToArrayAsync, (cudaArray_t, dst), (size_t, x), (size_t, y), (const void *, src), (size_t, bytes), \
	(enum cudaMemcpyKind, kind), (cudaStream_t, stream, 0)) \
Z(cudaMemcpyFromArrayAsync, (void *, dst), (cudaArray_const_t, src), (size_t, x), (size_t, y), \
	(size_t, bytes), (enum cudaMemcpyKind, kind), (cudaStream_t, stream, 0)) \
D(cudaMemcpyArrayToArray, (cudaArray_t, dst), (size_t, dst_x), (size_t, dst_y), (cudaArray_const_t, src), \
	(size_t, src_x), (size_t, src_y), (size_t, bytes), (enum cudaMemcpyKind, kind, cudaMemcpyDeviceToDevice)) \
D(cudaMemcpy2DToArray, (cudaArray_t, dst), (size_t, x), (size_t, y), (const void *, src), (size_t, pitch), \
	(size_t, width), (size_t, height), (enum cudaMemcpyKind, kind)) \
D(cudaMemcpy2DFromArray, (void *, dst), (size_t, pitch), (cudaArray_const_t, src), (size_t, x), (size_t, y), \
	(size_t, width), (size_t, height), (enum cudaMemcpyKind, kind)) \
D(cudaMemcpy2DArrayToArray, (cudaArray_t, dst), (size_t, dst_x), (size_t, dst_y), (cudaArray_const_t, src), \
	(size_t, src_x), (size_t, src_y), (size_t, width), (size_t, height), \
	(enum cudaMemcpyKind, kind, cudaMemcpyDeviceToDevice)) \
Z(cudaMemcpy2DToArrayAsync, (cudaArray_t, dst), (size_t, x), (size_t, y), (const void *, src), \
	(size_t, pitch), (size_t, width), (size_t, height), (enum cudaMemcpyKind, kind), (cudaStream_t, stream, 0)) \
Z(cudaMemcpy2DFromArrayAsync, (void *, dst), (size_t, pitch), (cudaArray_const_t, src), (size_t, x), \
	(size_t, y), (size_t, width), (size_t, height), (enum cudaMemcpyKind, kind), (cudaStream_t, stream, 0)) \
D(cudaMemset, (void *, dst), (int, value), (size_t, bytes)) \
Z(cudaMemsetAsync, (void *, dst), (int, value), (size_t, bytes), (cudaStream_t, stream, 0)) \
D(cudaMemset2D, (void *, dst), (size_t, pitch), (int, value), (size_t, width), (size_t, height)) \
Z(cudaMemset2DAsync, (void *, dst), (size_t, pitch), (int, value), (size_t, width), (size_t, height), \
	(cudaStream_t, stream, 0)) \
D(cudaMemset3D, (struct cudaPitchedPtr, pitched), (int, value), (struct cudaExtent, extent)) \
Z(cudaMemset3DAsync, (struct cudaPitchedPtr, pitched), (int, value), (struct cudaExtent, extent), \
	(cudaStream_t, stream, 0)) \
/* arrays, textures, surfaces */ \
C(cudaMallocArray, (cudaArray_t *, array), (const struct cudaChannelFormatDesc *, desc), (size_t, width), \
	(size_t, height, 0), (unsigned int, flags, 0)) \
C(cudaMalloc3DArray, (cudaArray_t *, array), (const struct cudaChannelFormatDesc *, desc), \
	(struct cudaExtent, extent), (unsigned int, flags, 0)) \
C(cudaFreeArray, (cudaArray_t, array)) \
C(cudaMallocMipmappedArray, (cudaMipmappedArray_t *, array), (const struct cudaChannelFormatDesc *, desc), \
	(struct cudaExtent, extent), (unsigned int, levels), (unsigned int, flags, 0)) \
C(cudaGetMipmappedArrayLevel, (cudaArray_t *, level), (cudaMipmappedArray_const_t, array), (unsigned int, number)) \
C(cudaFreeMipmappedArray, (cudaMipmappedArray_t, array)) \
C(cudaArrayGetInfo, (struct cudaChannelFormatDesc *, desc), (struct cudaExtent *, extent), \
	(unsigned int *, flags), (cudaArray_t, array)) \
C(cudaGetChannelDesc, (struct cudaChannelFormatDesc *, desc), (cudaArray_const_t, array)) \
C(cudaCreateTextureObject, (cudaTextureObject_t *, texture), (const struct cudaResourceDesc *, resource), \
	(const struct cudaTextureDesc *, desc), (const struct cudaResourceViewDesc *, view)) \
C(cudaDestroyTextureObject, (cudaTextureObject_t, texture)) \
C(cudaGetTextureObjectResourceDesc, (struct cudaResourceDesc *, resource), (cudaTextureObject_t, texture)) \
C(cudaGetTextureObjectTextureDesc, (struct cudaTextureDesc *, desc), (cudaTextureObject_t, texture)) \
C(cudaCreateSurfaceObject, (cudaSurfaceObject_t *, surface), (const struct cudaResourceDesc *, resource)) \
C(cudaDestroySurfaceObject, (cudaSurfaceObject_t, surface)) \
C(cudaGetSurfaceObjectResourceDesc, (struct cudaResourceDesc *, resource), (cudaSurfaceObject_t, surface)) \
/* streams */ \
C(cudaStreamCreate, (cudaStream_t *, stream)) \
C(cudaStreamCreateWithFlags, (cudaStream_t *, stream), (unsigned int, flags)) \
C(cudaStreamCreateWithPriority, (cudaStream_t *, stream), (unsigned int, flags), (int, priority)) \
Z(cudaStreamGetPriority, (cudaStream_t, stream), (int *, priority)) \
Z(cudaStreamGetFlags, (cudaStream_t, stream), (unsigned int *, flags)) \
Z(cudaStreamGetId, (cudaStream_t, stream), (unsigned long long *, id)) \
Z(cudaStreamGetDevice, (cudaStream_t, stream), (int *, device)) \
C(cudaStreamDestroy, (cudaStream_t, stream)) \
Z(cudaStreamWaitEvent, (cudaStream_t, stream), (cudaEvent_t, event), (unsigned int, flags, 0)) \
Z(cudaStreamAddCallback, (cudaStream_t, stream), (cudaStreamCallback_t, callback), (void *, data), \
	(unsigned int, flags)) \
Z(cudaLaunchHostFunc, (cudaStream_t, stream), (cudaHostFn_t, fn), (void *, data)) \
Z(cudaStreamSynchronize, (cudaStream_t, stream)) \
Z(cudaStreamQuery, (cudaStream_t, stream)) \
Z(cudaStreamAttachMemAsync, (cudaStream_t, stream), (void *, ptr), (size_t, bytes, 0), \
	(unsigned int, flags, cudaMemAttachSingle)) \
Z(cudaStreamBeginCapture, (cudaStream_t, stream), (enum cudaStreamCaptureMode, mode)) \
Z(cudaStreamEndCapture, (cudaStream_t, stream), (cudaGraph_t *, graph)) \
Z(cudaStreamIsCapturing, (cudaStream_t, stream), (enum cudaStreamCaptureStatus *, status)) \
C(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode *, mode)) \
Z(cudaStreamGetCaptureInfo, (cudaStream_t, stream), (enum cudaStreamCaptureStatus *, status), \
	(unsigned long long *, id)) \
Z(cudaStreamGetCaptureInfo_v2, (cudaStream_t, stream), (enum cudaStreamCaptureStatus *, status), \
	(unsigned long long *, id, 0), (cudaGraph_t *, graph, 0), (const cudaGraphNode_t **, after, 0), \
	(size_t *, num_after, 0)) \
Z(cudaStreamGetCaptureInfo_v3, (cudaStream_t, stream), (enum cudaStreamCaptureStatus *, status), \
	(unsigned long long *, id, 0), (cudaGraph_t *, graph, 0), (const cudaGraphNode_t **, after, 0), \
	(const cudaGraphEdgeData **, edges, 0), (size_t *, num_after, 0)) \
Z(cudaStreamUpdateCaptureDependencies, (cudaStream_t, stream), (cudaGraphNode_t *, after), (size_t, num_after), \
	(unsigned int, flags, 0)) \
Z(cudaStreamUpdateCaptureDependencies_v2, (cudaStream_t, stream), (cudaGraphNode_t *, after), \
	(const cudaGraphEdgeData *, edges), (size_t, num_after), (unsigned int, flags, 0)) \
Z(cudaStreamBeginCaptureToGraph, (cudaStream_t, stream), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(const cudaGraphEdgeData *, edges), (size_t, num_after), (enum cudaStreamCaptureMode, mode)) \
Z(cudaStreamGetAttribute, (cudaStream_t, stream), (cudaLaunchAttributeID, attribute), \
	(cudaLaunchAttributeValue *, value)) \
Z(cudaStreamSetAttribute, (cudaStream_t, stream), (cudaLaunchAttributeID, attribute), \
	(const cudaLaunchAttributeValue *, value)) \
Z(cudaStreamCopyAttributes, (cudaStream_t, to), (cudaStream_t, from)) \
V(cudaCtxResetPersistingL2Cache) \
/* events */ \
C(cudaEventCreate, (cudaEvent_t *, event)) \
C(cudaEventCreateWithFlags, (cudaEvent_t *, event), (unsigned int, flags)) \
Z(cudaEventRecord, (cudaEvent_t, event), (cudaStream_t, stream, 0)) \
Z(cudaEventRecordWithFlags, (cudaEvent_t, event), (cudaStream_t, stream, 0), (unsigned int, flags, 0)) \
C(cudaEventQuery, (cudaEvent_t, event)) \
C(cudaEventSynchronize, (cudaEvent_t, event)) \
C(cudaEventDestroy, (cudaEvent_t, event)) \
C(cudaIpcGetEventHandle, (cudaIpcEventHandle_t *, handle), (cudaEvent_t, event)) \
C(cudaIpcOpenEventHandle, (cudaEvent_t *, event), (cudaIpcEventHandle_t, handle)) \
C(cudaEventElapsedTime, (float *, milliseconds), (cudaEvent_t, start), (cudaEvent_t, end)) \
/* kernels */ \
Z(cudaLaunchKernel, (const void *, function), (dim3, grid), (dim3, block), (void **, args), (size_t, shared), \
	(cudaStream_t, stream)) \
Z(cudaLaunchKernelExC, (const cudaLaunchConfig_t *, config), (const void *, function), (void **, args)) \
Z(cudaLaunchCooperativeKernel, (const void *, function), (dim3, grid), (dim3, block), (void **, args), \
	(size_t, shared, 0), (cudaStream_t, stream, 0)) \
C(cudaFuncGetAttributes, (struct cudaFuncAttributes *, attributes), (const void *, function)) \
C(cudaFuncSetAttribute, (const void *, function), (enum cudaFuncAttribute, attribute), (int, value)) \
C(cudaFuncSetCacheConfig, (const void *, function), (enum cudaFuncCache, config)) \
C(cudaFuncSetSharedMemConfig, (const void *, function), (enum cudaSharedMemConfig, config)) \
C(cudaFuncGetName, (const char **, name), (const void *, function)) \
C(cudaFuncGetParamInfo, (const void *, function), (size_t, index), (size_t *, offset), (size_t *, bytes)) \
C(cudaGetFuncBySymbol, (cudaFunction_t *, function), (const void *, symbol)) \
C(cudaGetKernel, (cudaKernel_t *, kernel), (const void *, function)) \
C(cudaSetDoubleForDevice, (double *, value)) \
C(cudaSetDoubleForHost, (double *, value)) \
C(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int *, blocks), (const void *, function), (int, block_size), \
	(size_t, shared)) \
C(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int *, blocks), (const void *, function), \
	(int, block_size), (size_t, shared), (unsigned int, flags)) \
C(cudaOccupancyMaxActiveClusters, (int *, count), (const void *, function), (const cudaLaunchConfig_t *, config)) \
C(cudaOccupancyMaxPotentialClusterSize, (int *, size), (const void *, function), (const cudaLaunchConfig_t *, config)) \
C(cudaOccupancyAvailableDynamicSMemPerBlock, (size_t *, bytes), (const void *, function), (int, blocks), \
	(int, block_size)) \
/* graphs */ \
C(cudaGraphCreate, (cudaGraph_t *, graph), (unsigned int, flags)) \
C(cudaGraphDestroy, (cudaGraph_t, graph)) \
C(cudaGraphClone, (cudaGraph_t *, clone), (cudaGraph_t, graph)) \
C(cudaGraphAddKernelNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (const struct cudaKernelNodeParams *, params)) \
C(cudaGraphAddMemcpyNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (const struct cudaMemcpy3DParms *, copy)) \
C(cudaGraphAddMemcpyNode1D, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (void *, dst), (const void *, src), (size_t, bytes), (enum cudaMemcpyKind, kind)) \
C(cudaGraphAddMemsetNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (const struct cudaMemsetParams *, params)) \
C(cudaGraphAddHostNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (const struct cudaHostNodeParams *, params)) \
C(cudaGraphAddEmptyNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after)) \
C(cudaGraphAddChildGraphNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), \
	(const cudaGraphNode_t *, after), (size_t, num_after), (cudaGraph_t, child)) \
C(cudaGraphAddDependencies, (cudaGraph_t, graph), (const cudaGraphNode_t *, from), \
	(const cudaGraphNode_t *, to), (size_t, count)) \
C(cudaGraphGetNodes, (cudaGraph_t, graph), (cudaGraphNode_t *, nodes), (size_t *, count)) \
C(cudaGraphInstantiate, (cudaGraphExec_t *, exec), (cudaGraph_t, graph), (unsigned long long, flags, 0)) \
C(cudaGraphInstantiateWithFlags, (cudaGraphExec_t *, exec), (cudaGraph_t, graph), \
	(unsigned long long, flags, 0)) \
Z(cudaGraphUpload, (cudaGraphExec_t, exec), (cudaStream_t, stream)) \
Z(cudaGraphLaunch, (cudaGraphExec_t, exec), (cudaStream_t, stream)) \
C(cudaGraphExecDestroy, (cudaGraphExec_t, exec)) \
C(cudaGraphExecUpdate, (cudaGraphExec_t, exec), (cudaGraph_t, graph), \
	(cudaGraphExecUpdateResultInfo *, info)) \
C(cudaGraphExecKernelNodeSetParams, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), \
	(const struct cudaKernelNodeParams *, params)) \
C(cudaGraphExecMemcpyNodeSetParams1D, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), (void *, dst), \
	(const void *, src), (size_t, bytes), (enum cudaMemcpyKind, kind)) \
C(cudaGraphDebugDotPrint, (cudaGraph_t, graph), (const char *, path), (unsigned int, flags)) \
Z(cudaGraphInstantiateWithParams, (cudaGraphExec_t *, exec), (cudaGraph_t, graph), \
	(cudaGraphInstantiateParams *, params)) \
C(cudaGraphExecGetFlags, (cudaGraphExec_t, exec), (unsigned long long *, flags)) \
C(cudaGraphConditionalHandleCreate, (cudaGraphConditionalHandle *, handle), (cudaGraph_t, graph), \
	(unsigned int, value, 0), (unsigned int, flags, 0)) \
C(cudaUserObjectCreate, (cudaUserObject_t *, object), (void *, ptr), (cudaHostFn_t, destroy), \
	(unsigned int, count), (unsigned int, flags)) \
C(cudaUserObjectRetain, (cudaUserObject_t, object), (unsigned int, count, 1)) \
C(cudaUserObjectRelease, (cudaUserObject_t, object), (unsigned int, count, 1)) \
C(cudaGraphRetainUserObject, (cudaGraph_t, graph), (cudaUserObject_t, object), (unsigned int, count, 1), \
	(unsigned int, flags, 0)) \
C(cudaGraphReleaseUserObject, (cudaGraph_t, graph), (cudaUserObject_t, object), (unsigned int, count, 1)) \
C(cudaDeviceGraphMemTrim, (int, device)) \
C(cudaDeviceGetGraphMemAttribute, (int, device), (enum cudaGraphMemAttributeType, attribute), (void *, value)) \
C(cudaDeviceSetGraphMemAttribute, (int, device), (enum cudaGraphMemAttributeType, attribute), (void *, value)) \
/* edges of graphs */ \
C(cudaGraphGetRootNodes, (cudaGraph_t, graph), (cudaGraphNode_t *, nodes), (size_t *, count)) \
C(cudaGraphGetEdges, (cudaGraph_t, graph), (cudaGraphNode_t *, from), (cudaGraphNode_t *, to), (size_t *, count)) \
C(cudaGraphGetEdges_v2, (cudaGraph_t, graph), (cudaGraphNode_t *, from), (cudaGraphNode_t *, to), \
	(cudaGraphEdgeData *, edges), (size_t *, count)) \
C(cudaGraphNodeGetDependencies, (cudaGraphNode_t, node), (cudaGraphNode_t *, nodes), (size_t *, count)) \
C(cudaGraphNodeGetDependencies_v2, (cudaGraphNode_t, node), (cudaGraphNode_t *, nodes), \
	(cudaGraphEdgeData *, edges), (size_t *, count)) \
C(cudaGraphNodeGetDependentNodes, (cudaGraphNode_t, node), (cudaGraphNode_t *, nodes), (size_t *, count)) \
C(cudaGraphNodeGetDependentNodes_v2, (cudaGraphNode_t, node), (cudaGraphNode_t *, nodes), \
	(cudaGraphEdgeData *, edges), (size_t *, count)) \
C(cudaGraphAddDependencies_v2, (cudaGraph_t, graph), (const cudaGraphNode_t *, from), \
	(const cudaGraphNode_t *, to), (const cudaGraphEdgeData *, edges), (size_t, count)) \
C(cudaGraphRemoveDependencies, (cudaGraph_t, graph), (const cudaGraphNode_t *, from), \
	(const cudaGraphNode_t *, to), (size_t, count)) \
C(cudaGraphRemoveDependencies_v2, (cudaGraph_t, graph), (const cudaGraphNode_t *, from), \
	(const cudaGraphNode_t *, to), (const cudaGraphEdgeData *, edges), (size_t, count)) \
/* nodes of graphs */ \
C(cudaGraphAddNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (struct cudaGraphNodeParams *, params)) \
C(cudaGraphAddNode_v2, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(const cudaGraphEdgeData *, edges), (size_t, num_after), (struct cudaGraphNodeParams *, params)) \
C(cudaGraphNodeSetParams, (cudaGraphNode_t, node), (struct cudaGraphNodeParams *, params)) \
C(cudaGraphExecNodeSetParams, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), (struct cudaGraphNodeParams *, params)) \
C(cudaGraphNodeGetType, (cudaGraphNode_t, node), (enum cudaGraphNodeType *, type)) \
C(cudaGraphNodeFindInClone, (cudaGraphNode_t *, node), (cudaGraphNode_t, original), (cudaGraph_t, clone)) \
C(cudaGraphDestroyNode, (cudaGraphNode_t, node)) \
C(cudaGraphNodeGetEnabled, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), (unsigned int *, enabled)) \
C(cudaGraphNodeSetEnabled, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), (unsigned int, enabled)) \
C(cudaGraphKernelNodeGetParams, (cudaGraphNode_t, node), (struct cudaKernelNodeParams *, params)) \
C(cudaGraphKernelNodeSetParams, (cudaGraphNode_t, node), (const struct cudaKernelNodeParams *, params)) \
C(cudaGraphKernelNodeGetAttribute, (cudaGraphNode_t, node), (cudaLaunchAttributeID, attribute), \
	(cudaLaunchAttributeValue *, value)) \
C(cudaGraphKernelNodeSetAttribute, (cudaGraphNode_t, node), (cudaLaunchAttributeID, attribute), \
	(const cudaLaunchAttributeValue *, value)) \
C(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t, to), (cudaGraphNode_t, from)) \
C(cudaGraphMemcpyNodeGetParams, (cudaGraphNode_t, node), (struct cudaMemcpy3DParms *, copy)) \
C(cudaGraphMemcpyNodeSetParams, (cudaGraphNode_t, node), (const struct cudaMemcpy3DParms *, copy)) \
C(cudaGraphMemcpyNodeSetParams1D, (cudaGraphNode_t, node), (void *, dst), (const void *, src), (size_t, bytes), \
	(enum cudaMemcpyKind, kind)) \
C(cudaGraphAddMemcpyNodeToSymbol, (cudaGraphNode_t *, node), (cudaGraph_t, graph), \
	(const cudaGraphNode_t *, after), (size_t, num_after), (const void *, symbol), (const void *, src), \
	(size_t, bytes), (size_t, offset), (enum cudaMemcpyKind, kind)) \
C(cudaGraphAddMemcpyNodeFromSymbol, (cudaGraphNode_t *, node), (cudaGraph_t, graph), \
	(const cudaGraphNode_t *, after), (size_t, num_after), (void *, dst), (const void *, symbol), \
	(size_t, bytes), (size_t, offset), (enum cudaMemcpyKind, kind)) \
C(cudaGraphMemcpyNodeSetParamsToSymbol, (cudaGraphNode_t, node), (const void *, symbol), (const void *, src), \
	(size_t, bytes), (size_t, offset), (enum cudaMemcpyKind, kind)) \
C(cudaGraphMemcpyNodeSetParamsFromSymbol, (cudaGraphNode_t, node), (void *, dst), (const void *, symbol), \
	(size_t, bytes), (size_t, offset), (enum cudaMemcpyKind, kind)) \
C(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t, node), (struct cudaMemsetParams *, params)) \
C(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t, node), (const struct cudaMemsetParams *, params)) \
C(cudaGraphHostNodeGetParams, (cudaGraphNode_t, node), (struct cudaHostNodeParams *, params)) \
C(cudaGraphHostNodeSetParams, (cudaGraphNode_t, node), (const struct cudaHostNodeParams *, params)) \
C(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t, node), (cudaGraph_t *, graph)) \
C(cudaGraphAddEventRecordNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (cudaEvent_t, event)) \
C(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t, node), (cudaEvent_t *, event)) \
C(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t, node), (cudaEvent_t, event)) \
C(cudaGraphAddEventWaitNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (cudaEvent_t, event)) \
C(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t, node), (cudaEvent_t *, event)) \
C(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t, node), (cudaEvent_t, event)) \
C(cudaGraphAddMemAllocNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (struct cudaMemAllocNodeParams *, params)) \
C(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t, node), (struct cudaMemAllocNodeParams *, params)) \
C(cudaGraphAddMemFreeNode, (cudaGraphNode_t *, node), (cudaGraph_t, graph), (const cudaGraphNode_t *, after), \
	(size_t, num_after), (void *, ptr)) \
C(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t, node), (void *, ptr)) \
/* nodes of executable graphs */ \
C(cudaGraphExecMemcpyNodeSetParams, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), \
	(const struct cudaMemcpy3DParms *, copy)) \
C(cudaGraphExecMemcpyNodeSetParamsToSymbol, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), \
	(const void *, symbol), (const void *, src), (size_t, bytes), (size_t, offset), (enum cudaMemcpyKind, kind)) \
C(cudaGraphExecMemcpyNodeSetParamsFromSymbol, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), (void *, dst), \
	(const void *, symbol), (size_t, bytes), (size_t, offset), (enum cudaMemcpyKind, kind)) \
C(cudaGraphExecMemsetNodeSetParams, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), \
	(const struct cudaMemsetParams *, params)) \
C(cudaGraphExecHostNodeSetParams, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), \
	(const struct cudaHostNodeParams *, params)) \
C(cudaGraphExecChildGraphNodeSetParams, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), (cudaGraph_t, child)) \
C(cudaGraphExecEventRecordNodeSetEvent, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), (cudaEvent_t, event)) \
C(cudaGraphExecEventWaitNodeSetEvent, (cudaGraphExec_t, exec), (cudaGraphNode_t, node), (cudaEvent_t, event))

#endif
