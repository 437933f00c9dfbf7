/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Runtime API for CUDA C++ and C++: cuda_runtime_api.h, and functions that take the type of a pointer,
 * a variable or a kernel from their arguments.
 *
 * clang includes this file before each CUDA source, together with headers of its own that bring the device's
 * functions (Documentation/runtime/cudart.md); a source may include it, too.
 */
#ifndef PPU_CUDA_RUNTIME_H
#define PPU_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__	/* programs and their helper headers ask for this name */

#ifdef __cplusplus
#include <utility>
#endif
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>	/* with nvcc, these come with this header */
#include "host_defines.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#include "channel_descriptor.h"

#define CUDART_INLINE_ static inline __attribute__((unused))

CUDART_INLINE_ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
	struct cudaExtent e = { width, height, depth };

	return e;
}

CUDART_INLINE_ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	struct cudaPos p = { x, y, z };

	return p;
}

CUDART_INLINE_ struct cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize, size_t ysize)
{
	struct cudaPitchedPtr p = { ptr, pitch, xsize, ysize };

	return p;
}

#ifdef __cplusplus

/* ---- pointers of any type ------------------------------------------------------------------- */

template <class T> CUDART_INLINE_ cudaError_t cudaMalloc(T **ptr, size_t bytes)
{
	return ::cudaMalloc((void **)(void *)ptr, bytes);
}

template <class T> CUDART_INLINE_ cudaError_t cudaMallocHost(T **ptr, size_t bytes, unsigned int flags = 0)
{
	return ::cudaHostAlloc((void **)(void *)ptr, bytes, flags);
}

template <class T> CUDART_INLINE_ cudaError_t cudaHostAlloc(T **ptr, size_t bytes, unsigned int flags)
{
	return ::cudaHostAlloc((void **)(void *)ptr, bytes, flags);
}

template <class T> CUDART_INLINE_ cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
	return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaMallocManaged(T **ptr, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)(void *)ptr, bytes, flags);
}

template <class T> CUDART_INLINE_ cudaError_t cudaMallocPitch(T **ptr, size_t *pitch, size_t width, size_t height)
{
	return ::cudaMallocPitch((void **)(void *)ptr, pitch, width, height);
}

template <class T> CUDART_INLINE_ cudaError_t cudaMallocAsync(T **ptr, size_t bytes, cudaStream_t stream)
{
	return ::cudaMallocAsync((void **)(void *)ptr, bytes, stream);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaMallocFromPoolAsync(T **ptr, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)ptr, bytes, pool, stream);
}
template <class T>
CUDART_INLINE_ cudaError_t cudaMallocAsync(T **ptr, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)ptr, bytes, pool, stream);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *ptr, size_t bytes = 0,
						    unsigned int flags = cudaMemAttachSingle)
{
	return ::cudaStreamAttachMemAsync(stream, (void *)ptr, bytes, flags);
}

CUDART_INLINE_ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
	return ::cudaEventCreateWithFlags(event, flags);
}

/* ---- variables by name ---------------------------------------------------------------------- */

template <class T> CUDART_INLINE_ cudaError_t cudaGetSymbolAddress(void **ptr, const T &symbol)
{
	return ::cudaGetSymbolAddress(ptr, (const void *)&symbol);
}

template <class T> CUDART_INLINE_ cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
	return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t bytes, size_t offset = 0,
					      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&symbol, src, bytes, offset, kind);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t bytes, size_t offset = 0,
						   cudaMemcpyKind kind = cudaMemcpyHostToDevice,
						   cudaStream_t stream = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, bytes, offset, kind, stream);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t bytes, size_t offset = 0,
						cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, bytes, offset, kind);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t bytes, size_t offset = 0,
						     cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
						     cudaStream_t stream = 0)
{
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, bytes, offset, kind, stream);
}

/* ---- nodes that copy variables ---------------------------------------------------------------- */

template <class T>
CUDART_INLINE_ cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
							  const cudaGraphNode_t *after, size_t num_after, const T &symbol,
							  const void *src, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, after, num_after, (const void *)&symbol, src, bytes, offset, kind);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
							    const cudaGraphNode_t *after, size_t num_after, void *dst,
							    const T &symbol, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, num_after, dst, (const void *)&symbol, bytes, offset,
						  kind);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src,
								size_t bytes, size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, bytes, offset, kind);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T &symbol,
								  size_t bytes, size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, bytes, offset, kind);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
								    const T &symbol, const void *src, size_t bytes,
								    size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, src, bytes, offset, kind);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
								      const T &symbol, size_t bytes, size_t offset,
								      cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst, (const void *)&symbol, bytes, offset, kind);
}

/* As CUDA 11 had it: the node and the text say nothing here. */
CUDART_INLINE_ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *log,
						size_t log_bytes)
{
	if (node)
		*node = 0;
	if (log && log_bytes)
		*log = 0;
	return ::cudaGraphInstantiate(exec, graph, 0);
}

CUDART_INLINE_ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
					       cudaGraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo info = { cudaGraphExecUpdateError, 0, 0 };
	cudaError_t e = ::cudaGraphExecUpdate(exec, graph, &info);

	if (node)
		*node = info.errorNode;
	if (result)
		*result = info.result;
	return e;
}

/* ---- as sources for CUDA 13 call them --------------------------------------------------------- */

static inline int cudart_device_at_(cudaMemLocation at)
{
	if (at.type == cudaMemLocationTypeDevice)
		return at.id;
	return at.type > cudaMemLocationTypeDevice && at.type <= cudaMemLocationTypeHostNumaCurrent ? cudaCpuDeviceId :
												    cudaInvalidDeviceId;
}

CUDART_INLINE_ cudaError_t cudaMemAdvise(const void *ptr, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation at)
{
	return ::cudaMemAdvise(ptr, bytes, advice, cudart_device_at_(at));
}

CUDART_INLINE_ cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t bytes, cudaMemLocation at, unsigned int flags,
						cudaStream_t stream = 0)
{
	return flags ? cudaErrorInvalidValue : ::cudaMemPrefetchAsync(ptr, bytes, cudart_device_at_(at), stream);
}

CUDART_INLINE_ cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
					     cudaGraphEdgeData *edges, size_t *count)
{
	return ::cudaGraphGetEdges_v2(graph, from, to, edges, count);
}

CUDART_INLINE_ cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
							cudaGraphEdgeData *edges, size_t *count)
{
	return ::cudaGraphNodeGetDependencies_v2(node, nodes, edges, count);
}

CUDART_INLINE_ cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
							  cudaGraphEdgeData *edges, size_t *count)
{
	return ::cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
}

CUDART_INLINE_ cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
						    const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
{
	return ::cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}

CUDART_INLINE_ cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
						       const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
{
	return ::cudaGraphRemoveDependencies_v2(graph, from, to, edges, count);
}

CUDART_INLINE_ cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
					    const cudaGraphEdgeData *edges, size_t num_after, cudaGraphNodeParams *params)
{
	return ::cudaGraphAddNode_v2(node, graph, after, edges, num_after, params);
}

CUDART_INLINE_ cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
						    unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after,
						    const cudaGraphEdgeData **edges, size_t *num_after)
{
	return ::cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, edges, num_after);
}

CUDART_INLINE_ cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after,
							       const cudaGraphEdgeData *edges, size_t num_after,
							       unsigned int flags)
{
	return ::cudaStreamUpdateCaptureDependencies_v2(stream, after, edges, num_after, flags);
}

/* Not for a literal 0, which is the number of nodes of CUDA 12's. */
template <class E>
CUDART_INLINE_ cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after, E *edges,
							       size_t num_after)
{
	return ::cudaStreamUpdateCaptureDependencies_v2(stream, after, edges, num_after, 0);
}

/* ---- kernels by name ------------------------------------------------------------------------ */

template <class T>
CUDART_INLINE_ cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **args, size_t shared = 0,
					    cudaStream_t stream = 0)
{
	return ::cudaLaunchKernel((const void *)function, grid, block, args, shared, stream);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **args,
						       size_t shared = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, args, shared, stream);
}

#if __cplusplus >= 201103L
/* Each argument is first converted to the type of the kernel's parameter. */
template <class... P, class... A>
CUDART_INLINE_ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...args)
{
	return [&](P... converted) {
		void *list[] = { (void *)&converted..., nullptr };

		return ::cudaLaunchKernelExC(config, (const void *)kernel, list);
	}(static_cast<A &&>(args)...);
}
#endif

template <class T> CUDART_INLINE_ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function)
{
	return ::cudaFuncGetAttributes(attributes, (const void *)function);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
	return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}

template <class T> CUDART_INLINE_ cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config)
{
	return ::cudaFuncSetCacheConfig((const void *)function, config);
}

template <class T> CUDART_INLINE_ cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config)
{
	return ::cudaFuncSetSharedMemConfig((const void *)function, config);
}

template <class T> CUDART_INLINE_ cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, T *function)
{
	return ::cudaGetFuncBySymbol(out, (const void *)function);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block_size,
									 size_t shared)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_size, shared);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function,
										  int block_size, size_t shared,
										  unsigned int flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, block_size,
									shared, flags);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaOccupancyMaxActiveClusters(int *count, T *function, const cudaLaunchConfig_t *config)
{
	return ::cudaOccupancyMaxActiveClusters(count, (const void *)function, config);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *function, const cudaLaunchConfig_t *config)
{
	return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)function, config);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T function, int blocks,
								     int block_size)
{
	return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)function, blocks, block_size);
}

/* The block size that gives an SM the most threads, if a block of n threads has shared(n) bytes of shared memory. */
template <class F, class T>
CUDART_INLINE_ cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid, int *block_size, T function, F shared,
							int limit = 0, unsigned int flags = 0)
{
	cudaFuncAttributes a;
	int device, sms, warp, best = 0, best_blocks = 0, blocks;
	cudaError_t e;

	if (!min_grid || !block_size)
		return cudaErrorInvalidValue;
	e = ::cudaFuncGetAttributes(&a, (const void *)function);
	if (!e)
		e = ::cudaGetDevice(&device);
	if (!e)
		e = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
	if (!e)
		e = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
	if (e)
		return e;
	if (limit <= 0 || limit > a.maxThreadsPerBlock)
		limit = a.maxThreadsPerBlock;
	for (int n = limit; n > 0; n = (n - 1) / warp * warp) {
		e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)function, n,
									     shared(n), flags);
		if (e)
			return e;
		if (blocks * n > best_blocks * best) {
			best = n;
			best_blocks = blocks;
		}
	}
	*block_size = best;
	*min_grid = best_blocks * sms;
	return cudaSuccess;
}

template <class F, class T>
CUDART_INLINE_ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block_size, T function,
									  F shared, int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, block_size, function, shared, limit);
}

struct cudartSameShared_ {
	size_t bytes;
	size_t operator()(int) const { return bytes; }
};

template <class T>
CUDART_INLINE_ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, T function,
								       size_t shared = 0, int limit = 0,
								       unsigned int flags = 0)
{
	cudartSameShared_ same = { shared };

	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, block_size, function, same, limit,
								       flags);
}

template <class T>
CUDART_INLINE_ cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, T function,
							      size_t shared = 0, int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, function, shared, limit);
}

#endif /* __cplusplus */

#ifdef __CUDA__
/* clang moves loads of shared memory over its own barrier.  This barrier tells clang that memory changes, and its line is that
 * of the call. */
static __inline__ __attribute__((device, always_inline, nodebug, unused)) void ppu_syncthreads(void)
{
	__asm__ __volatile__("bar.sync 0;" ::: "memory");
}
#define __syncthreads() ppu_syncthreads()

/* In kernels of a graph: what the graph's node with this handle decides by. */
extern "C" __attribute__((device)) void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
#endif
#include "cuda_device_runtime_api.h"

#endif
