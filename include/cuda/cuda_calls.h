/* SPDX-License-Identifier: MIT */
/*
 * The list of all functions of the Driver API.  From this list come the prototypes in cuda.h, the exported functions
 * with their log (libruntime/cuda/context/calls.c), the symbols that cuGetProcAddress finds (proc.c), and the table in
 * Documentation/runtime/cuda.md.
 *
 *   C(symbol, base name, version of CUDA that brought it, (type, argument)...)
 *   P(symbol, its per-thread variant, base name, version, (type, argument)...)
 *   V(symbol, base name, version)      without arguments
 *
 * cuGetProcAddress("base", v) means the newest symbol of that base name with a version <= v.
 */
#ifndef PPU_CUDA_CALLS_H
#define PPU_CUDA_CALLS_H

#include "cuda_calls_memory.h"
#include "cuda_calls_texture.h"
#include "cuda_calls_tensor.h"
#include "cuda_calls_graph.h"
#include "cuda_calls_code.h"

/* "(int, a), (char *, b)" -> "int a, char * b" or "a, b" */
#define CU_CAT_(a, b) a##b
#define CU_CAT(a, b) CU_CAT_(a, b)
#define CU_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, n, ...) n
#define CU_COUNT(...) CU_COUNT_(__VA_ARGS__, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define CU_MAP1(m, a) m a
#define CU_MAP2(m, a, ...) m a, CU_MAP1(m, __VA_ARGS__)
#define CU_MAP3(m, a, ...) m a, CU_MAP2(m, __VA_ARGS__)
#define CU_MAP4(m, a, ...) m a, CU_MAP3(m, __VA_ARGS__)
#define CU_MAP5(m, a, ...) m a, CU_MAP4(m, __VA_ARGS__)
#define CU_MAP6(m, a, ...) m a, CU_MAP5(m, __VA_ARGS__)
#define CU_MAP7(m, a, ...) m a, CU_MAP6(m, __VA_ARGS__)
#define CU_MAP8(m, a, ...) m a, CU_MAP7(m, __VA_ARGS__)
#define CU_MAP9(m, a, ...) m a, CU_MAP8(m, __VA_ARGS__)
#define CU_MAP10(m, a, ...) m a, CU_MAP9(m, __VA_ARGS__)
#define CU_MAP11(m, a, ...) m a, CU_MAP10(m, __VA_ARGS__)
#define CU_MAP12(m, a, ...) m a, CU_MAP11(m, __VA_ARGS__)
#define CU_MAP13(m, a, ...) m a, CU_MAP12(m, __VA_ARGS__)
#define CU_MAP14(m, a, ...) m a, CU_MAP13(m, __VA_ARGS__)
#define CU_MAP15(m, a, ...) m a, CU_MAP14(m, __VA_ARGS__)
#define CU_MAP(m, ...) CU_CAT(CU_MAP, CU_COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define CU_PARAM_(type, name) type name
#define CU_NAME_(type, name) name
#define CU_PARAMS(...) CU_MAP(CU_PARAM_, __VA_ARGS__)
#define CU_NAMES(...) CU_MAP(CU_NAME_, __VA_ARGS__)

#define CU_CALLS(C, P, V) \
CU_CALLS_BASE(C, P, V) CU_CALLS_CODE(C, P, V) CU_CALLS_MEMORY(C, P, V) CU_CALLS_TEXTURE(C, P, V) \
CU_CALLS_TENSOR(C, P, V) CU_CALLS_GRAPH(C, P, V)

#define CU_CALLS_BASE(C, P, V) \
/* version, errors */ \
C(cuInit, cuInit, 2000, (unsigned int, flags)) \
C(cuDriverGetVersion, cuDriverGetVersion, 2020, (int *, version)) \
C(cuGetErrorName, cuGetErrorName, 6000, (CUresult, error), (const char **, text)) \
C(cuGetErrorString, cuGetErrorString, 6000, (CUresult, error), (const char **, text)) \
C(cuGetProcAddress, cuGetProcAddress, 11030, (const char *, symbol), (void **, function), (int, version), \
	(cuuint64_t, flags)) \
C(cuGetProcAddress_v2, cuGetProcAddress, 12000, (const char *, symbol), (void **, function), (int, version), \
	(cuuint64_t, flags), (CUdriverProcAddressQueryResult *, status)) \
C(cuGetExportTable, cuGetExportTable, 3000, (const void **, table), (const CUuuid *, id)) \
C(cuProfilerInitialize, cuProfilerInitialize, 4000, (const char *, config), (const char *, output), \
	(CUoutput_mode, mode)) \
V(cuProfilerStart, cuProfilerStart, 4000) \
V(cuProfilerStop, cuProfilerStop, 4000) \
/* devices */ \
C(cuDeviceGet, cuDeviceGet, 2000, (CUdevice *, device), (int, ordinal)) \
C(cuDeviceGetCount, cuDeviceGetCount, 2000, (int *, count)) \
C(cuDeviceGetName, cuDeviceGetName, 2000, (char *, name), (int, len), (CUdevice, device)) \
C(cuDeviceGetUuid, cuDeviceGetUuid, 9020, (CUuuid *, uuid), (CUdevice, device)) \
C(cuDeviceGetUuid_v2, cuDeviceGetUuid, 11040, (CUuuid *, uuid), (CUdevice, device)) \
C(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000, (int *, value), (CUdevice_attribute, attribute), \
	(CUdevice, device)) \
C(cuDeviceTotalMem_v2, cuDeviceTotalMem, 3020, (size_t *, bytes), (CUdevice, device)) \
C(cuDeviceComputeCapability, cuDeviceComputeCapability, 2000, (int *, major), (int *, minor), \
	(CUdevice, device)) \
C(cuDeviceGetProperties, cuDeviceGetProperties, 2000, (CUdevprop *, prop), (CUdevice, device)) \
C(cuDeviceGetTexture1DLinearMaxWidth, cuDeviceGetTexture1DLinearMaxWidth, 11010, (size_t *, width), \
	(CUarray_format, format), (unsigned int, channels), (CUdevice, device)) \
C(cuDeviceGetExecAffinitySupport, cuDeviceGetExecAffinitySupport, 11040, (int *, supported), \
	(CUexecAffinityType, type), (CUdevice, device)) \
C(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, (char *, id), (int, len), (CUdevice, device)) \
C(cuDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, 4010, (CUdevice *, device), (const char *, id)) \
C(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, (int *, can), (CUdevice, device), (CUdevice, peer)) \
C(cuDeviceGetP2PAttribute, cuDeviceGetP2PAttribute, 8000, (int *, value), (CUdevice_P2PAttribute, attribute), \
	(CUdevice, source), (CUdevice, destination)) \
C(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, (CUcontext *, ctx), (CUdevice, device)) \
C(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease, 11000, (CUdevice, device)) \
C(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset, 11000, (CUdevice, device)) \
C(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags, 11000, (CUdevice, device), (unsigned int, flags)) \
C(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000, (CUdevice, device), (unsigned int *, flags), \
	(int *, active)) \
/* contexts */ \
C(cuCtxCreate_v2, cuCtxCreate, 3020, (CUcontext *, ctx), (unsigned int, flags), (CUdevice, device)) \
C(cuCtxCreate_v3, cuCtxCreate, 11040, (CUcontext *, ctx), (CUexecAffinityParam *, affinity), \
	(int, num_affinity), (unsigned int, flags), (CUdevice, device)) \
C(cuCtxCreate_v4, cuCtxCreate, 12050, (CUcontext *, ctx), (CUctxCreateParams *, params), (unsigned int, flags), \
	(CUdevice, device)) \
C(cuCtxDestroy_v2, cuCtxDestroy, 4000, (CUcontext, ctx)) \
C(cuCtxPushCurrent_v2, cuCtxPushCurrent, 4000, (CUcontext, ctx)) \
C(cuCtxPopCurrent_v2, cuCtxPopCurrent, 4000, (CUcontext *, ctx)) \
C(cuCtxSetCurrent, cuCtxSetCurrent, 4000, (CUcontext, ctx)) \
C(cuCtxGetCurrent, cuCtxGetCurrent, 4000, (CUcontext *, ctx)) \
C(cuCtxGetDevice, cuCtxGetDevice, 2000, (CUdevice *, device)) \
C(cuCtxGetDevice_v2, cuCtxGetDevice, 13000, (CUdevice *, device), (CUcontext, ctx)) \
C(cuCtxAttach, cuCtxAttach, 2000, (CUcontext *, ctx), (unsigned int, flags)) \
C(cuCtxDetach, cuCtxDetach, 2000, (CUcontext, ctx)) \
C(cuCtxSetFlags, cuCtxSetFlags, 12010, (unsigned int, flags)) \
V(cuCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, 11000) \
C(cuCtxGetFlags, cuCtxGetFlags, 7000, (unsigned int *, flags)) \
C(cuCtxGetId, cuCtxGetId, 12000, (CUcontext, ctx), (unsigned long long *, id)) \
V(cuCtxSynchronize, cuCtxSynchronize, 2000) \
C(cuCtxSynchronize_v2, cuCtxSynchronize, 13000, (CUcontext, ctx)) \
C(cuCtxSetLimit, cuCtxSetLimit, 3010, (CUlimit, limit), (size_t, value)) \
C(cuCtxGetLimit, cuCtxGetLimit, 3010, (size_t *, value), (CUlimit, limit)) \
C(cuCtxGetCacheConfig, cuCtxGetCacheConfig, 3020, (CUfunc_cache *, config)) \
C(cuCtxSetCacheConfig, cuCtxSetCacheConfig, 3020, (CUfunc_cache, config)) \
C(cuCtxGetSharedMemConfig, cuCtxGetSharedMemConfig, 4020, (CUsharedconfig *, config)) \
C(cuCtxSetSharedMemConfig, cuCtxSetSharedMemConfig, 4020, (CUsharedconfig, config)) \
C(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, (CUcontext, ctx), (unsigned int *, version)) \
C(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050, (int *, least), (int *, greatest)) \
C(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, (CUcontext, peer), (unsigned int, flags)) \
C(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, (CUcontext, peer)) \
/* modules */ \
C(cuModuleLoad, cuModuleLoad, 2000, (CUmodule *, module), (const char *, path)) \
C(cuModuleLoadData, cuModuleLoadData, 2000, (CUmodule *, module), (const void *, image)) \
C(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, (CUmodule *, module), (const void *, image), \
	(unsigned int, num_options), (CUjit_option *, options), (void **, values)) \
C(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000, (CUmodule *, module), (const void *, image)) \
C(cuModuleUnload, cuModuleUnload, 2000, (CUmodule, module)) \
C(cuModuleGetLoadingMode, cuModuleGetLoadingMode, 11070, (CUmoduleLoadingMode *, mode)) \
C(cuModuleGetFunction, cuModuleGetFunction, 2000, (CUfunction *, function), (CUmodule, module), \
	(const char *, name)) \
C(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 12040, (unsigned int *, count), (CUmodule, module)) \
C(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 12040, (CUfunction *, functions), \
	(unsigned int, count), (CUmodule, module)) \
C(cuModuleGetGlobal_v2, cuModuleGetGlobal, 3020, (CUdeviceptr *, ptr), (size_t *, bytes), (CUmodule, module), \
	(const char *, name)) \
C(cuLinkCreate_v2, cuLinkCreate, 6050, (unsigned int, num_options), (CUjit_option *, options), \
	(void **, values), (CUlinkState *, state)) \
C(cuLinkAddData_v2, cuLinkAddData, 6050, (CUlinkState, state), (CUjitInputType, type), (void *, data), \
	(size_t, bytes), (const char *, name), (unsigned int, num_options), (CUjit_option *, options), \
	(void **, values)) \
C(cuLinkAddFile_v2, cuLinkAddFile, 6050, (CUlinkState, state), (CUjitInputType, type), (const char *, path), \
	(unsigned int, num_options), (CUjit_option *, options), (void **, values)) \
C(cuLinkComplete, cuLinkComplete, 5050, (CUlinkState, state), (void **, image), (size_t *, bytes)) \
C(cuLinkDestroy, cuLinkDestroy, 5050, (CUlinkState, state)) \
/* functions */ \
C(cuFuncGetAttribute, cuFuncGetAttribute, 2020, (int *, value), (CUfunction_attribute, attribute), \
	(CUfunction, function)) \
C(cuFuncSetAttribute, cuFuncSetAttribute, 9000, (CUfunction, function), (CUfunction_attribute, attribute), \
	(int, value)) \
C(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000, (CUfunction, function), (CUfunc_cache, config)) \
C(cuFuncSetSharedMemConfig, cuFuncSetSharedMemConfig, 4020, (CUfunction, function), (CUsharedconfig, config)) \
C(cuFuncGetModule, cuFuncGetModule, 11000, (CUmodule *, module), (CUfunction, function)) \
C(cuFuncGetName, cuFuncGetName, 12030, (const char **, name), (CUfunction, function)) \
C(cuFuncGetParamInfo, cuFuncGetParamInfo, 12040, (CUfunction, function), (size_t, index), (size_t *, offset), \
	(size_t *, bytes)) \
P(cuLaunchKernel, cuLaunchKernel_ptsz, cuLaunchKernel, 4000, (CUfunction, function), (unsigned int, grid_x), \
	(unsigned int, grid_y), (unsigned int, grid_z), (unsigned int, block_x), (unsigned int, block_y), \
	(unsigned int, block_z), (unsigned int, shared_bytes), (CUstream, stream), (void **, params), (void **, extra)) \
P(cuLaunchKernelEx, cuLaunchKernelEx_ptsz, cuLaunchKernelEx, 11060, (const CUlaunchConfig *, config), \
	(CUfunction, function), (void **, params), (void **, extra)) \
P(cuLaunchHostFunc, cuLaunchHostFunc_ptsz, cuLaunchHostFunc, 10000, (CUstream, stream), (CUhostFn, function), \
	(void *, data)) \
C(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, \
	(int *, blocks), (CUfunction, function), (int, block_size), (size_t, dynamic_shared)) \
C(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, \
	(int *, blocks), (CUfunction, function), (int, block_size), (size_t, dynamic_shared), (unsigned int, flags)) \
C(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 6050, (int *, min_grid), \
	(int *, block_size), (CUfunction, function), (CUoccupancyB2DSize, dynamic_of), (size_t, dynamic_shared), \
	(int, limit)) \
C(cuOccupancyMaxPotentialBlockSizeWithFlags, cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, (int *, min_grid), \
	(int *, block_size), (CUfunction, function), (CUoccupancyB2DSize, dynamic_of), (size_t, dynamic_shared), \
	(int, limit), (unsigned int, flags)) \
C(cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters, 11070, (int *, clusters), (CUfunction, function), \
	(const CUlaunchConfig *, config)) \
C(cuOccupancyMaxPotentialClusterSize, cuOccupancyMaxPotentialClusterSize, 11070, (int *, size), (CUfunction, function), \
	(const CUlaunchConfig *, config)) \
C(cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock, 10020, (size_t *, bytes), \
	(CUfunction, function), (int, blocks), (int, block_size)) \
/* memory */ \
C(cuMemGetInfo_v2, cuMemGetInfo, 3020, (size_t *, free_bytes), (size_t *, total)) \
C(cuMemAlloc_v2, cuMemAlloc, 3020, (CUdeviceptr *, ptr), (size_t, bytes)) \
C(cuMemAllocPitch_v2, cuMemAllocPitch, 3020, (CUdeviceptr *, ptr), (size_t *, pitch), (size_t, width), \
	(size_t, height), (unsigned int, element)) \
C(cuMemFree_v2, cuMemFree, 3020, (CUdeviceptr, ptr)) \
C(cuMemGetAddressRange_v2, cuMemGetAddressRange, 3020, (CUdeviceptr *, base), (size_t *, bytes), \
	(CUdeviceptr, ptr)) \
C(cuMemAllocHost_v2, cuMemAllocHost, 3020, (void **, ptr), (size_t, bytes)) \
C(cuMemFreeHost, cuMemFreeHost, 2000, (void *, ptr)) \
C(cuMemHostAlloc, cuMemHostAlloc, 2020, (void **, ptr), (size_t, bytes), (unsigned int, flags)) \
C(cuMemHostGetDevicePointer_v2, cuMemHostGetDevicePointer, 3020, (CUdeviceptr *, dptr), (void *, ptr), \
	(unsigned int, flags)) \
C(cuMemHostGetFlags, cuMemHostGetFlags, 2030, (unsigned int *, flags), (void *, ptr)) \
C(cuPointerGetAttribute, cuPointerGetAttribute, 4000, (void *, value), (CUpointer_attribute, attribute), \
	(CUdeviceptr, ptr)) \
C(cuPointerGetAttributes, cuPointerGetAttributes, 7000, (unsigned int, num), \
	(CUpointer_attribute *, attributes), (void **, values), (CUdeviceptr, ptr)) \
C(cuPointerSetAttribute, cuPointerSetAttribute, 6000, (const void *, value), (CUpointer_attribute, attribute), \
	(CUdeviceptr, ptr)) \
/* copies */ \
P(cuMemcpy, cuMemcpy_ptds, cuMemcpy, 4000, (CUdeviceptr, dst), (CUdeviceptr, src), (size_t, bytes)) \
P(cuMemcpyAsync, cuMemcpyAsync_ptsz, cuMemcpyAsync, 4000, (CUdeviceptr, dst), (CUdeviceptr, src), \
	(size_t, bytes), (CUstream, stream)) \
P(cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD, 3020, (CUdeviceptr, dst), (const void *, src), \
	(size_t, bytes)) \
P(cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH, 3020, (void *, dst), (CUdeviceptr, src), (size_t, bytes)) \
P(cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD, 3020, (CUdeviceptr, dst), (CUdeviceptr, src), \
	(size_t, bytes)) \
P(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync, 3020, (CUdeviceptr, dst), \
	(const void *, src), (size_t, bytes), (CUstream, stream)) \
P(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync, 3020, (void *, dst), (CUdeviceptr, src), \
	(size_t, bytes), (CUstream, stream)) \
P(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync, 3020, (CUdeviceptr, dst), \
	(CUdeviceptr, src), (size_t, bytes), (CUstream, stream)) \
P(cuMemcpyPeer, cuMemcpyPeer_ptds, cuMemcpyPeer, 4000, (CUdeviceptr, dst), (CUcontext, dst_ctx), \
	(CUdeviceptr, src), (CUcontext, src_ctx), (size_t, bytes)) \
P(cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync, 4000, (CUdeviceptr, dst), (CUcontext, dst_ctx), \
	(CUdeviceptr, src), (CUcontext, src_ctx), (size_t, bytes), (CUstream, stream)) \
P(cuMemcpy2D_v2, cuMemcpy2D_v2_ptds, cuMemcpy2D, 3020, (const CUDA_MEMCPY2D *, copy)) \
P(cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2DUnaligned, 3020, (const CUDA_MEMCPY2D *, copy)) \
P(cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync, 3020, (const CUDA_MEMCPY2D *, copy), \
	(CUstream, stream)) \
P(cuMemcpy3D_v2, cuMemcpy3D_v2_ptds, cuMemcpy3D, 3020, (const CUDA_MEMCPY3D *, copy)) \
P(cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync, 3020, (const CUDA_MEMCPY3D *, copy), \
	(CUstream, stream)) \
P(cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA, 3020, (CUarray, dst), (size_t, offset), \
	(const void *, src), (size_t, bytes)) \
P(cuMemcpyAtoH_v2, cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH, 3020, (void *, dst), (CUarray, src), (size_t, offset), \
	(size_t, bytes)) \
P(cuMemcpyDtoA_v2, cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA, 3020, (CUarray, dst), (size_t, offset), \
	(CUdeviceptr, src), (size_t, bytes)) \
P(cuMemcpyAtoD_v2, cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD, 3020, (CUdeviceptr, dst), (CUarray, src), \
	(size_t, offset), (size_t, bytes)) \
P(cuMemcpyAtoA_v2, cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA, 3020, (CUarray, dst), (size_t, dst_offset), \
	(CUarray, src), (size_t, src_offset), (size_t, bytes)) \
P(cuMemcpyHtoAAsync_v2, cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync, 3020, (CUarray, dst), (size_t, offset), \
	(const void *, src), (size_t, bytes), (CUstream, stream)) \
P(cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync, 3020, (void *, dst), (CUarray, src), \
	(size_t, offset), (size_t, bytes), (CUstream, stream)) \
P(cuMemsetD8_v2, cuMemsetD8_v2_ptds, cuMemsetD8, 3020, (CUdeviceptr, dst), (unsigned char, value), \
	(size_t, count)) \
P(cuMemsetD16_v2, cuMemsetD16_v2_ptds, cuMemsetD16, 3020, (CUdeviceptr, dst), (unsigned short, value), \
	(size_t, count)) \
P(cuMemsetD32_v2, cuMemsetD32_v2_ptds, cuMemsetD32, 3020, (CUdeviceptr, dst), (unsigned int, value), \
	(size_t, count)) \
P(cuMemsetD2D8_v2, cuMemsetD2D8_v2_ptds, cuMemsetD2D8, 3020, (CUdeviceptr, dst), (size_t, pitch), \
	(unsigned char, value), (size_t, width), (size_t, height)) \
P(cuMemsetD2D16_v2, cuMemsetD2D16_v2_ptds, cuMemsetD2D16, 3020, (CUdeviceptr, dst), (size_t, pitch), \
	(unsigned short, value), (size_t, width), (size_t, height)) \
P(cuMemsetD2D32_v2, cuMemsetD2D32_v2_ptds, cuMemsetD2D32, 3020, (CUdeviceptr, dst), (size_t, pitch), \
	(unsigned int, value), (size_t, width), (size_t, height)) \
P(cuMemsetD8Async, cuMemsetD8Async_ptsz, cuMemsetD8Async, 3020, (CUdeviceptr, dst), (unsigned char, value), \
	(size_t, count), (CUstream, stream)) \
P(cuMemsetD16Async, cuMemsetD16Async_ptsz, cuMemsetD16Async, 3020, (CUdeviceptr, dst), (unsigned short, value), \
	(size_t, count), (CUstream, stream)) \
P(cuMemsetD32Async, cuMemsetD32Async_ptsz, cuMemsetD32Async, 3020, (CUdeviceptr, dst), (unsigned int, value), \
	(size_t, count), (CUstream, stream)) \
P(cuMemsetD2D8Async, cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async, 3020, (CUdeviceptr, dst), (size_t, pitch), \
	(unsigned char, value), (size_t, width), (size_t, height), (CUstream, stream)) \
P(cuMemsetD2D16Async, cuMemsetD2D16Async_ptsz, cuMemsetD2D16Async, 3020, (CUdeviceptr, dst), (size_t, pitch), \
	(unsigned short, value), (size_t, width), (size_t, height), (CUstream, stream)) \
P(cuMemsetD2D32Async, cuMemsetD2D32Async_ptsz, cuMemsetD2D32Async, 3020, (CUdeviceptr, dst), (size_t, pitch), \
	(unsigned int, value), (size_t, width), (size_t, height), (CUstream, stream)) \
/* arrays */ \
C(cuArrayCreate_v2, cuArrayCreate, 3020, (CUarray *, array), (const CUDA_ARRAY_DESCRIPTOR *, desc)) \
C(cuArray3DCreate_v2, cuArray3DCreate, 3020, (CUarray *, array), (const CUDA_ARRAY3D_DESCRIPTOR *, desc)) \
C(cuArrayGetDescriptor_v2, cuArrayGetDescriptor, 3020, (CUDA_ARRAY_DESCRIPTOR *, desc), (CUarray, array)) \
C(cuArray3DGetDescriptor_v2, cuArray3DGetDescriptor, 3020, (CUDA_ARRAY3D_DESCRIPTOR *, desc), (CUarray, array)) \
C(cuArrayDestroy, cuArrayDestroy, 2000, (CUarray, array)) \
C(cuMipmappedArrayCreate, cuMipmappedArrayCreate, 5000, (CUmipmappedArray *, array), \
	(const CUDA_ARRAY3D_DESCRIPTOR *, desc), (unsigned int, levels)) \
C(cuMipmappedArrayGetLevel, cuMipmappedArrayGetLevel, 5000, (CUarray *, level), (CUmipmappedArray, array), \
	(unsigned int, number)) \
C(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, 5000, (CUmipmappedArray, array)) \
/* streams */ \
C(cuStreamCreate, cuStreamCreate, 2000, (CUstream *, stream), (unsigned int, flags)) \
C(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050, (CUstream *, stream), (unsigned int, flags), \
	(int, priority)) \
P(cuStreamGetPriority, cuStreamGetPriority_ptsz, cuStreamGetPriority, 5050, (CUstream, stream), \
	(int *, priority)) \
P(cuStreamGetFlags, cuStreamGetFlags_ptsz, cuStreamGetFlags, 5050, (CUstream, stream), (unsigned int *, flags)) \
P(cuStreamGetId, cuStreamGetId_ptsz, cuStreamGetId, 12000, (CUstream, stream), (unsigned long long *, id)) \
P(cuStreamGetCtx, cuStreamGetCtx_ptsz, cuStreamGetCtx, 9020, (CUstream, stream), (CUcontext *, ctx)) \
P(cuStreamGetCtx_v2, cuStreamGetCtx_v2_ptsz, cuStreamGetCtx, 12050, (CUstream, stream), (CUcontext *, ctx), \
	(void **, green)) \
P(cuStreamGetDevice, cuStreamGetDevice_ptsz, cuStreamGetDevice, 12080, (CUstream, stream), (CUdevice *, device)) \
P(cuStreamWaitEvent, cuStreamWaitEvent_ptsz, cuStreamWaitEvent, 3020, (CUstream, stream), (CUevent, event), \
	(unsigned int, flags)) \
P(cuStreamAddCallback, cuStreamAddCallback_ptsz, cuStreamAddCallback, 5000, (CUstream, stream), \
	(CUstreamCallback, callback), (void *, data), (unsigned int, flags)) \
P(cuStreamQuery, cuStreamQuery_ptsz, cuStreamQuery, 2000, (CUstream, stream)) \
P(cuStreamSynchronize, cuStreamSynchronize_ptsz, cuStreamSynchronize, 2000, (CUstream, stream)) \
C(cuStreamDestroy_v2, cuStreamDestroy, 4000, (CUstream, stream)) \
P(cuStreamCopyAttributes, cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes, 11000, (CUstream, to), \
	(CUstream, from)) \
P(cuStreamGetAttribute, cuStreamGetAttribute_ptsz, cuStreamGetAttribute, 11000, (CUstream, stream), \
	(CUlaunchAttributeID, attribute), (CUlaunchAttributeValue *, value)) \
P(cuStreamSetAttribute, cuStreamSetAttribute_ptsz, cuStreamSetAttribute, 11000, (CUstream, stream), \
	(CUlaunchAttributeID, attribute), (const CUlaunchAttributeValue *, value)) \
/* events */ \
C(cuEventCreate, cuEventCreate, 2000, (CUevent *, event), (unsigned int, flags)) \
P(cuEventRecord, cuEventRecord_ptsz, cuEventRecord, 2000, (CUevent, event), (CUstream, stream)) \
P(cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags, 11010, (CUevent, event), \
	(CUstream, stream), (unsigned int, flags)) \
C(cuEventQuery, cuEventQuery, 2000, (CUevent, event)) \
C(cuEventSynchronize, cuEventSynchronize, 2000, (CUevent, event)) \
C(cuEventDestroy_v2, cuEventDestroy, 4000, (CUevent, event)) \
C(cuEventElapsedTime, cuEventElapsedTime, 2000, (float *, milliseconds), (CUevent, start), (CUevent, end)) \
C(cuEventElapsedTime_v2, cuEventElapsedTime, 12080, (float *, milliseconds), (CUevent, start), (CUevent, end))

/* Older names of the same functions, for programs that ask for them. */
#define CU_ALIASES(A) \
A(cuDeviceTotalMem, cuDeviceTotalMem_v2) A(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2) \
A(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2) \
A(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2) A(cuCtxCreate, cuCtxCreate_v2) \
A(cuCtxDestroy, cuCtxDestroy_v2) A(cuCtxPushCurrent, cuCtxPushCurrent_v2) \
A(cuCtxPopCurrent, cuCtxPopCurrent_v2) A(cuModuleGetGlobal, cuModuleGetGlobal_v2) \
A(cuLinkCreate, cuLinkCreate_v2) A(cuLinkAddData, cuLinkAddData_v2) A(cuLinkAddFile, cuLinkAddFile_v2) \
A(cuMemGetInfo, cuMemGetInfo_v2) A(cuMemAlloc, cuMemAlloc_v2) A(cuMemAllocPitch, cuMemAllocPitch_v2) \
A(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2) A(cuMemFree, cuMemFree_v2) A(cuMemGetAddressRange, cuMemGetAddressRange_v2) \
A(cuMemAllocHost, cuMemAllocHost_v2) A(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2) \
A(cuMemcpyHtoD, cuMemcpyHtoD_v2) A(cuMemcpyDtoH, cuMemcpyDtoH_v2) A(cuMemcpyDtoD, cuMemcpyDtoD_v2) \
A(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2) A(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2) \
A(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2) A(cuMemcpy2D, cuMemcpy2D_v2) \
A(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2) A(cuMemcpy2DAsync, cuMemcpy2DAsync_v2) \
A(cuMemcpy3D, cuMemcpy3D_v2) A(cuMemcpy3DAsync, cuMemcpy3DAsync_v2) A(cuMemcpyHtoA, cuMemcpyHtoA_v2) \
A(cuMemcpyAtoH, cuMemcpyAtoH_v2) A(cuMemcpyDtoA, cuMemcpyDtoA_v2) A(cuMemcpyAtoD, cuMemcpyAtoD_v2) \
A(cuMemcpyAtoA, cuMemcpyAtoA_v2) A(cuMemcpyHtoAAsync, cuMemcpyHtoAAsync_v2) \
A(cuMemcpyAtoHAsync, cuMemcpyAtoHAsync_v2) A(cuMemsetD8, cuMemsetD8_v2) A(cuMemsetD16, cuMemsetD16_v2) \
A(cuMemsetD32, cuMemsetD32_v2) A(cuMemsetD2D8, cuMemsetD2D8_v2) A(cuMemsetD2D16, cuMemsetD2D16_v2) \
A(cuMemsetD2D32, cuMemsetD2D32_v2) A(cuArrayCreate, cuArrayCreate_v2) A(cuArray3DCreate, cuArray3DCreate_v2) \
A(cuArrayGetDescriptor, cuArrayGetDescriptor_v2) A(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2) \
A(cuMemHostRegister, cuMemHostRegister_v2) A(cuTexRefSetAddress, cuTexRefSetAddress_v2) \
A(cuTexRefSetAddress2D, cuTexRefSetAddress2D_v3) A(cuTexRefSetAddress2D_v2, cuTexRefSetAddress2D_v3) \
A(cuTexRefGetAddress, cuTexRefGetAddress_v2) A(cuStreamWaitValue32, cuStreamWaitValue32_v2) \
A(cuStreamWaitValue64, cuStreamWaitValue64_v2) A(cuStreamWriteValue32, cuStreamWriteValue32_v2) \
A(cuStreamWriteValue64, cuStreamWriteValue64_v2) A(cuStreamBatchMemOp, cuStreamBatchMemOp_v2) \
A(cuStreamWaitValue32_ptsz, cuStreamWaitValue32_v2_ptsz) A(cuStreamWaitValue64_ptsz, cuStreamWaitValue64_v2_ptsz) \
A(cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2_ptsz) \
A(cuStreamWriteValue64_ptsz, cuStreamWriteValue64_v2_ptsz) A(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2_ptsz) \
A(cuStreamDestroy, cuStreamDestroy_v2) A(cuEventDestroy, cuEventDestroy_v2)

/* Symbols that cuGetProcAddress finds also under another name, or in an earlier version than the list says. */
#define CU_PROCS(Q) \
Q(cuCtxDestroy, 2000, cuCtxDestroy_v2) Q(cuCtxPushCurrent, 2000, cuCtxPushCurrent_v2) \
Q(cuCtxPopCurrent, 2000, cuCtxPopCurrent_v2) Q(cuStreamDestroy, 2000, cuStreamDestroy_v2) \
Q(cuEventDestroy, 2000, cuEventDestroy_v2) Q(cuMemHostRegister, 4000, cuMemHostRegister_v2) \
Q(cuLinkCreate, 5050, cuLinkCreate_v2) Q(cuLinkAddData, 5050, cuLinkAddData_v2) \
Q(cuLinkAddFile, 5050, cuLinkAddFile_v2) Q(cuDevicePrimaryCtxRelease, 7000, cuDevicePrimaryCtxRelease_v2) \
Q(cuDevicePrimaryCtxReset, 7000, cuDevicePrimaryCtxReset_v2) \
Q(cuDevicePrimaryCtxSetFlags, 7000, cuDevicePrimaryCtxSetFlags_v2) \
Q(cuGraphInstantiate, 12000, cuGraphInstantiateWithFlags)
/* The same for functions that also have a per-thread variant, whose name ends in _ptsz. */
#define CU_PROCS_PT(Q) \
Q(cuStreamWaitValue32, 8000, cuStreamWaitValue32_v2) Q(cuStreamWriteValue32, 8000, cuStreamWriteValue32_v2) \
Q(cuStreamWaitValue64, 9000, cuStreamWaitValue64_v2) Q(cuStreamWriteValue64, 9000, cuStreamWriteValue64_v2) \
Q(cuStreamBatchMemOp, 8000, cuStreamBatchMemOp_v2)

#endif
