/* SPDX-License-Identifier: MIT */
/*
 * The functions of the CUDA Runtime API for C and C++; <cuda_runtime.h> adds what CUDA C++ needs.  The functions
 * are one list, cuda_runtime_calls.h.  With CUDA_API_PER_THREAD_DEFAULT_STREAM defined, the default stream means
 * each thread's own default stream.
 *
 * Every function returns a cudaError_t and may be called from any thread.  The last error of a thread is
 * remembered until cudaGetLastError; an error of a kernel stays until cudaDeviceReset.
 */
#ifndef PPU_CUDA_RUNTIME_API_H
#define PPU_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__	/* programs and their helper headers ask for this name */

#include "driver_types.h"
#include "cuda_runtime_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDART_PROTO_(symbol, ...) cudaError_t symbol(CUDART_PARAMS(__VA_ARGS__));
#define CUDART_PROTO_Z_(symbol, ...) CUDART_PROTO_(symbol, __VA_ARGS__) CUDART_PROTO_(symbol##_ptsz, __VA_ARGS__)
#define CUDART_PROTO_D_(symbol, ...) CUDART_PROTO_(symbol, __VA_ARGS__) CUDART_PROTO_(symbol##_ptds, __VA_ARGS__)
#define CUDART_PROTO_V_(symbol) cudaError_t symbol(void);
CUDART_CALLS(CUDART_PROTO_, CUDART_PROTO_Z_, CUDART_PROTO_D_, CUDART_PROTO_V_)
#undef CUDART_PROTO_
#undef CUDART_PROTO_Z_
#undef CUDART_PROTO_D_
#undef CUDART_PROTO_V_

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);

/* Functions that compilers call, for launches with <<<>>> and for what a program registers before main(). */
#if !defined(__CUDA__)
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
unsigned int __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared, void *stream);
#elif defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
/* clang's headers declare this function again.  Their launches go to the thread's own stream. */
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
	__asm__("__cudaPushCallConfiguration_ptsz");
#endif
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
			    uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
		       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
			      size_t bytes, int constant, int global);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim,
			   int normalized, int external);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim,
			   int external);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
			       cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
				    cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#ifndef PPU_CUDART_NO_NAMES
#include "cuda_runtime_names.h"
#endif

#endif
