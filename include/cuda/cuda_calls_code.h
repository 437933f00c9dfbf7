/* SPDX-License-Identifier: MIT */
/* More of the list in cuda_calls.h: libraries and kernels without a context, cooperative launches, and launches as
 * they were before CUDA 4. */
#ifndef PPU_CUDA_CALLS_CODE_H
#define PPU_CUDA_CALLS_CODE_H

#define CU_CALLS_CODE(C, P, V) \
C(cuLibraryLoadData, cuLibraryLoadData, 12000, (CUlibrary *, library), (const void *, code), \
	(CUjit_option *, jit_options), (void **, jit_values), (unsigned int, num_jit), \
	(CUlibraryOption *, options), (void **, values), (unsigned int, num)) \
C(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000, (CUlibrary *, library), (const char *, path), \
	(CUjit_option *, jit_options), (void **, jit_values), (unsigned int, num_jit), \
	(CUlibraryOption *, options), (void **, values), (unsigned int, num)) \
C(cuLibraryUnload, cuLibraryUnload, 12000, (CUlibrary, library)) \
C(cuLibraryGetKernel, cuLibraryGetKernel, 12000, (CUkernel *, kernel), (CUlibrary, library), (const char *, name)) \
C(cuLibraryGetKernelCount, cuLibraryGetKernelCount, 12040, (unsigned int *, count), (CUlibrary, library)) \
C(cuLibraryEnumerateKernels, cuLibraryEnumerateKernels, 12040, (CUkernel *, kernels), (unsigned int, num), \
	(CUlibrary, library)) \
C(cuLibraryGetModule, cuLibraryGetModule, 12000, (CUmodule *, module), (CUlibrary, library)) \
C(cuLibraryGetGlobal, cuLibraryGetGlobal, 12000, (CUdeviceptr *, ptr), (size_t *, bytes), (CUlibrary, library), \
	(const char *, name)) \
C(cuLibraryGetManaged, cuLibraryGetManaged, 12000, (CUdeviceptr *, ptr), (size_t *, bytes), (CUlibrary, library), \
	(const char *, name)) \
C(cuKernelGetFunction, cuKernelGetFunction, 12000, (CUfunction *, function), (CUkernel, kernel)) \
C(cuKernelGetLibrary, cuKernelGetLibrary, 12050, (CUlibrary *, library), (CUkernel, kernel)) \
C(cuKernelGetAttribute, cuKernelGetAttribute, 12000, (int *, value), (CUfunction_attribute, attribute), \
	(CUkernel, kernel), (CUdevice, device)) \
C(cuKernelSetAttribute, cuKernelSetAttribute, 12000, (CUfunction_attribute, attribute), (int, value), \
	(CUkernel, kernel), (CUdevice, device)) \
C(cuKernelSetCacheConfig, cuKernelSetCacheConfig, 12000, (CUkernel, kernel), (CUfunc_cache, config), \
	(CUdevice, device)) \
C(cuKernelGetName, cuKernelGetName, 12030, (const char **, name), (CUkernel, kernel)) \
C(cuKernelGetParamInfo, cuKernelGetParamInfo, 12040, (CUkernel, kernel), (size_t, index), (size_t *, offset), \
	(size_t *, bytes)) \
C(cuFuncIsLoaded, cuFuncIsLoaded, 12040, (CUfunctionLoadingState *, state), (CUfunction, function)) \
C(cuFuncLoad, cuFuncLoad, 12040, (CUfunction, function)) \
P(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel, 9000, \
	(CUfunction, function), (unsigned int, grid_x), (unsigned int, grid_y), (unsigned int, grid_z), \
	(unsigned int, block_x), (unsigned int, block_y), (unsigned int, block_z), (unsigned int, shared_bytes), \
	(CUstream, stream), (void **, params)) \
/* before CUDA 4 */ \
C(cuFuncSetBlockShape, cuFuncSetBlockShape, 2000, (CUfunction, function), (int, x), (int, y), (int, z)) \
C(cuFuncSetSharedSize, cuFuncSetSharedSize, 2000, (CUfunction, function), (unsigned int, bytes)) \
C(cuParamSetSize, cuParamSetSize, 2000, (CUfunction, function), (unsigned int, bytes)) \
C(cuParamSeti, cuParamSeti, 2000, (CUfunction, function), (int, offset), (unsigned int, value)) \
C(cuParamSetf, cuParamSetf, 2000, (CUfunction, function), (int, offset), (float, value)) \
C(cuParamSetv, cuParamSetv, 2000, (CUfunction, function), (int, offset), (void *, ptr), (unsigned int, bytes)) \
C(cuParamSetTexRef, cuParamSetTexRef, 2000, (CUfunction, function), (int, unit), (CUtexref, ref)) \
C(cuLaunch, cuLaunch, 2000, (CUfunction, function)) \
C(cuLaunchGrid, cuLaunchGrid, 2000, (CUfunction, function), (int, width), (int, height)) \
C(cuLaunchGridAsync, cuLaunchGridAsync, 2000, (CUfunction, function), (int, width), (int, height), \
	(CUstream, stream))

#endif
