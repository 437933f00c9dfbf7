/* SPDX-License-Identifier: MIT */
/*
 * The Runtime API of kernels (Documentation/runtime/dynamic-parallelism.md), for CUDA C++ compiled by clang: its
 * functions, and the launches by threads, which ppu-nvcc writes as ppu_launch (libruntime/cudart/sdk/launches.awk), over
 * ppu_launch.h.
 */
#ifndef PPU_CUDA_DEVICE_RUNTIME_API_H
#define PPU_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__

#if defined(__cplusplus) && defined(__clang__) && defined(__CUDA__)
#include "cuda_runtime_api.h"
#include "ppu_launch.h"
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

/* Graphs, and the streams that stand for the ways to launch them. */
#define cudaStreamGraphTailLaunch		((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget		((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling	((cudaStream_t)0x0300000000000000)
PPU_CDP_ cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
PPU_CDP_ cudaGraphExec_t cudaGetCurrentGraphExec(void);
PPU_CDP_ cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node, size_t offset, const void *value, size_t size);
PPU_CDP_ cudaError_t cudaGraphKernelNodeSetEnabled(cudaGraphDeviceNode_t node, bool enable);
PPU_CDP_ cudaError_t cudaGraphKernelNodeSetGridDim(cudaGraphDeviceNode_t node, dim3 grid);
PPU_CDP_ cudaError_t cudaGraphKernelNodeUpdatesApply(const struct cudaGraphKernelNodeUpdate *updates, size_t num);

template <class T>
PPU_CDP_INLINE_ cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node, size_t offset, const T &value)
{
	return ::cudaGraphKernelNodeSetParam(node, offset, &value, sizeof(T));
}

template <class T> PPU_CDP_INLINE_ cudaError_t cudaMalloc(T **ptr, size_t bytes)
{
	return ::cudaMalloc((void **)(void *)ptr, bytes);
}

/* A launch: made of what stands between the brackets, called with the kernel's parameters.  Errors: cudaGetLastError(). */
template <class F, F *kernel> struct ppu_launch;
template <class... P, void (*kernel)(P...)> struct ppu_launch<void(P...), kernel> {
	ppuDim grid, block;
	unsigned int shared;
	ppuDeviceStream stream;

	__attribute__((device)) ppu_launch(dim3 g, dim3 b, size_t bytes = 0, cudaStream_t s = 0)
		: grid(g), block(b), shared((unsigned int)bytes), stream((ppuDeviceStream)s) { }

	__attribute__((device)) void operator()(P... args) const
	{
		ppu_launcher<void (*)(P...), kernel>::launch(grid, block, shared, stream, args...);
	}
};

#undef PPU_CDP_
#undef PPU_CDP_INLINE_
#endif
#endif
