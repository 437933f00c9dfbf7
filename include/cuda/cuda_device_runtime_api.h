/* SPDX-License-Identifier: MIT */
/*
 * The Runtime API of kernels (Documentation/runtime/dynamic-parallelism.md), for CUDA C++ compiled by clang: its
 * functions, and the launches by threads, which ppu-nvcc writes as ppu_launch (libruntime/cudart/sdk/launches.awk).
 */
#ifndef PPU_CUDA_DEVICE_RUNTIME_API_H
#define PPU_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__

#if defined(__cplusplus) && defined(__clang__) && defined(__CUDA__)
#include "cuda_runtime_api.h"
#include "vector_types.h"

#define PPU_CDP_ extern "C" __attribute__((device))
#define PPU_CDP_INLINE_ static inline __attribute__((device, unused))

PPU_CDP_ cudaError_t cudaDeviceSynchronize(void);
PPU_CDP_ cudaError_t cudaGetLastError(void);
PPU_CDP_ cudaError_t cudaPeekAtLastError(void);
PPU_CDP_ const char *cudaGetErrorName(cudaError_t error);
PPU_CDP_ const char *cudaGetErrorString(cudaError_t error);

PPU_CDP_ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
PPU_CDP_ cudaError_t cudaStreamDestroy(cudaStream_t stream);
PPU_CDP_ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
PPU_CDP_ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
PPU_CDP_ cudaError_t cudaEventDestroy(cudaEvent_t event);
PPU_CDP_ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
PPU_CDP_ cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = 0, unsigned int flags = 0);

PPU_CDP_ cudaError_t cudaMalloc(void **ptr, size_t bytes);
PPU_CDP_ cudaError_t cudaFree(void *ptr);
PPU_CDP_ cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream = 0);
PPU_CDP_ cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
				       enum cudaMemcpyKind kind, cudaStream_t stream = 0);
PPU_CDP_ cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream = 0);
PPU_CDP_ cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream = 0);
PPU_CDP_ cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
				       cudaStream_t stream = 0);
PPU_CDP_ cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr dst, int value, struct cudaExtent extent,
				       cudaStream_t stream = 0);

PPU_CDP_ cudaError_t cudaGetDevice(int *device);
PPU_CDP_ cudaError_t cudaGetDeviceCount(int *count);
PPU_CDP_ cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
PPU_CDP_ cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
PPU_CDP_ cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
PPU_CDP_ cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
PPU_CDP_ cudaError_t cudaRuntimeGetVersion(int *version);

PPU_CDP_ void *cudaGetParameterBufferV2(const void *kernel, dim3 grid, dim3 block, unsigned int shared);
PPU_CDP_ cudaError_t cudaLaunchDeviceV2(void *buffer, cudaStream_t stream);

template <class T> PPU_CDP_INLINE_ cudaError_t cudaMalloc(T **ptr, size_t bytes)
{
	return ::cudaMalloc((void **)(void *)ptr, bytes);
}

/* clang lets device code name no kernel; the value of a variable at file scope may be one. */
template <class F, F *kernel> struct ppu_kernel {
	static __attribute__((device)) constexpr F *address = kernel;
};

template <class F, F *kernel> struct ppu_launch;

/* A launch: made of what stands between the brackets, called with the kernel's parameters. */
template <class... P, void (*kernel)(P...)> struct ppu_launch<void(P...), kernel> {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;

	__attribute__((device)) ppu_launch(dim3 g, dim3 b, size_t bytes = 0, cudaStream_t s = 0)
		: grid(g), block(b), shared(bytes), stream(s) { }

	template <class T> static __attribute__((device)) int put(char *buffer, size_t &at, const T &v)
	{
		at = (at + alignof(T) - 1) & ~(alignof(T) - 1);
		__builtin_memcpy(buffer + at, &v, sizeof(T));
		at += sizeof(T);
		return 0;
	}

	/* Errors are for cudaGetLastError(). */
	__attribute__((device)) void operator()(P... p) const
	{
		char *buffer = (char *)::cudaGetParameterBufferV2((const void *)ppu_kernel<void(P...), kernel>::address, grid,
								  block, (unsigned int)shared);
		size_t at = 0;

		if (!buffer)
			return;
		int in_order[] = { 0, put(buffer, at, p)... };
		(void)in_order;
		::cudaLaunchDeviceV2(buffer, stream);
	}
};

#undef PPU_CDP_
#undef PPU_CDP_INLINE_
#endif
#endif
