/* SPDX-License-Identifier: MIT */
/*
 * What differs between the runtimes of CUDA 11, 12 and 13.  Only this file is compiled once for each of the
 * three libraries, with its CUDART_MAJOR.
 *
 *   cudaGetDeviceProperties    11: the struct lacks the members that came in 12.  12: the same; _v2 fills the
 *                              whole struct.  13: some members are gone, and the struct has another size
 *   cudaFuncGetAttributes      11: the struct ends before the members about clusters
 *   cudaGraphInstantiate       11: has a node and a text, which describe an error, in place of flags
 *   cudaGraphExecUpdate        11: has the node and the result in place of a struct of both
 *   cudaMemAdvise, cudaMemPrefetchAsync    13: have a location in place of a device
 *   functions about edges      13: have data for each edge, as those whose names end in _v2 and _v3 in 12
 */
#include <stddef.h>
#include <string.h>
#include "cudart.h"

#pragma GCC visibility push(hidden)
size_t crt_func_attributes_bytes(void);
#pragma GCC visibility pop

cudaError_t i_cudaRuntimeGetVersion(int *version)
{
	if (!version)
		return cudaErrorInvalidValue;
	*version = CUDART_MAJOR == 11 ? 11080 : CUDART_MAJOR == 13 ? 13000 : CUDART_VERSION;
	return cudaSuccess;
}

size_t crt_func_attributes_bytes(void)
{
	return CUDART_MAJOR == 11 ? offsetof(struct cudaFuncAttributes, clusterDimMustBeSet) :
				    sizeof(struct cudaFuncAttributes);
}

#if CUDART_MAJOR < 13

cudaError_t i_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	struct cudaDeviceProp p;
	cudaError_t e;

	if (!prop)
		return cudaErrorInvalidValue;
	e = i_cudaGetDeviceProperties_v2(&p, device);
	if (!e)
		memcpy(prop, &p, offsetof(struct cudaDeviceProp, hostRegisterSupported));
	return e;
}

#else

/* The struct of CUDA 13. */
struct prop13 {
	char name[256];
	cudaUUID_t uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int multiProcessorCount, integrated, canMapHostMemory, maxTexture1D, maxTexture1DMipmap, maxTexture2D[2],
	    maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3],
	    maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2],
	    maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3],
	    maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
	    unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor,
	    streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
	    pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
	    canUseHostPointerForRegisteredMem, cooperativeLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
	    accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
	    timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
	unsigned int gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned int memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers,
	    deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
	unsigned int gpuPciDeviceID, gpuPciSubsystemID;
	int hostNumaMultinodeIpcSupported, reserved[56];
};
_Static_assert(sizeof(struct prop13) == 1008, "the struct that programs built for CUDA 13 have");

/* Copies the members from first to last, which the two structs have in the same order. */
#define PART(first, last) \
	_Static_assert(offsetof(struct prop13, last) - offsetof(struct prop13, first) == \
		       offsetof(struct cudaDeviceProp, last) - offsetof(struct cudaDeviceProp, first), \
		       "the same members"); \
	memcpy(&q->first, &p.first, \
	       offsetof(struct prop13, last) - offsetof(struct prop13, first) + sizeof(q->last))

cudaError_t i_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	struct prop13 *q = (struct prop13 *)prop;
	struct cudaDeviceProp p;
	cudaError_t e;

	if (!prop)
		return cudaErrorInvalidValue;
	e = i_cudaGetDeviceProperties_v2(&p, device);
	if (e)
		return e;
	memset(q, 0, sizeof(*q));
	PART(name, maxGridSize);
	PART(totalConstMem, texturePitchAlignment);
	q->multiProcessorCount = p.multiProcessorCount;
	PART(integrated, canMapHostMemory);
	PART(maxTexture1D, maxTexture1DMipmap);
	PART(maxTexture2D, maxSurfaceCubemapLayered);
	q->surfaceAlignment = p.surfaceAlignment;
	PART(concurrentKernels, unifiedAddressing);
	PART(memoryBusWidth, localL1CacheSupported);
	PART(sharedMemPerMultiprocessor, hostNativeAtomicSupported);
	PART(pageableMemoryAccess, cooperativeLaunch);
	PART(sharedMemPerBlockOptin, accessPolicyMaxWindowSize);
	PART(reservedSharedMemPerBlock, unifiedFunctionPointers);
	q->deviceNumaId = q->hostNumaId = -1;
	return cudaSuccess;
}

#endif

/* ---- graphs --------------------------------------------------------------------------------- */

cudaError_t i_cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	return i_cudaGraphInstantiateWithFlags(exec, graph, flags);
}

/* build.mk removes CUDA 12's functions of the names that follow from the library. */
#define EXPORT __attribute__((visibility("default")))

#if CUDART_MAJOR == 11
EXPORT cudaError_t instantiate11(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *log, size_t bytes)
	__asm__("cudaGraphInstantiate");
cudaError_t instantiate11(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *log, size_t bytes)
{
	if (node)
		*node = NULL;
	if (log && bytes)
		*log = 0;
	return crt_finish(i_cudaGraphInstantiateWithFlags(exec, graph, 0));
}

EXPORT cudaError_t update11(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
			    enum cudaGraphExecUpdateResult *result) __asm__("cudaGraphExecUpdate");
cudaError_t update11(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, enum cudaGraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo info;
	cudaError_t e;

	if (!result)
		return crt_finish(cudaErrorInvalidValue);
	memset(&info, 0, sizeof(info));
	e = i_cudaGraphExecUpdate(exec, graph, &info);
	*result = info.result;
	if (node)
		*node = info.errorNode;
	return crt_finish(e);
}
#endif

/* ---- managed memory ------------------------------------------------------------------------- */

#if CUDART_MAJOR == 13
#define CUDA13(name, symbol, ...) EXPORT cudaError_t name(__VA_ARGS__) __asm__(symbol); \
cudaError_t name(__VA_ARGS__)

static int device_at(struct cudaMemLocation at)
{
	if (at.type == cudaMemLocationTypeDevice)
		return at.id;
	return at.type > cudaMemLocationTypeDevice && at.type <= cudaMemLocationTypeHostNumaCurrent ? cudaCpuDeviceId :
												    cudaInvalidDeviceId;
}

CUDA13(advise13, "cudaMemAdvise", const void *ptr, size_t bytes, enum cudaMemoryAdvise advice,
       struct cudaMemLocation at)
{
	return crt_finish(i_cudaMemAdvise(ptr, bytes, advice, device_at(at)));
}

CUDA13(prefetch13, "cudaMemPrefetchAsync", const void *ptr, size_t bytes, struct cudaMemLocation at,
       unsigned int flags, cudaStream_t stream)
{
	return crt_finish(flags ? cudaErrorInvalidValue : i_cudaMemPrefetchAsync(ptr, bytes, device_at(at), stream));
}

CUDA13(prefetch13_ptsz, "cudaMemPrefetchAsync_ptsz", const void *ptr, size_t bytes, struct cudaMemLocation at,
       unsigned int flags, cudaStream_t stream)
{
	return CRT_OWN_STREAM(prefetch13(ptr, bytes, at, flags, stream));
}

CUDA13(depend13, "cudaGraphAddDependencies", cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
       const cudaGraphEdgeData *edges, size_t count)
{
	return crt_finish(i_cudaGraphAddDependencies_v2(graph, from, to, edges, count));
}

CUDA13(part13, "cudaGraphRemoveDependencies", cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
       const cudaGraphEdgeData *edges, size_t count)
{
	return crt_finish(i_cudaGraphRemoveDependencies_v2(graph, from, to, edges, count));
}

CUDA13(edges13, "cudaGraphGetEdges", cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
       size_t *count)
{
	return crt_finish(i_cudaGraphGetEdges_v2(graph, from, to, edges, count));
}

CUDA13(before13, "cudaGraphNodeGetDependencies", cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
       size_t *count)
{
	return crt_finish(i_cudaGraphNodeGetDependencies_v2(node, nodes, edges, count));
}

CUDA13(behind13, "cudaGraphNodeGetDependentNodes", cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
       size_t *count)
{
	return crt_finish(i_cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count));
}

CUDA13(node13, "cudaGraphAddNode", cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
       const cudaGraphEdgeData *edges, size_t num_after, struct cudaGraphNodeParams *params)
{
	return crt_finish(i_cudaGraphAddNode_v2(node, graph, after, edges, num_after, params));
}

#define CAPTURE13 cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, \
	const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *num_after

CUDA13(capture13, "cudaStreamGetCaptureInfo", CAPTURE13)
{
	return crt_finish(i_cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, edges, num_after));
}

CUDA13(capture13_ptsz, "cudaStreamGetCaptureInfo_ptsz", CAPTURE13)
{
	return CRT_OWN_STREAM(capture13(stream, status, id, graph, after, edges, num_after));
}

CUDA13(update13, "cudaStreamUpdateCaptureDependencies", cudaStream_t stream, cudaGraphNode_t *after,
       const cudaGraphEdgeData *edges, size_t num_after, unsigned int flags)
{
	return crt_finish(i_cudaStreamUpdateCaptureDependencies_v2(stream, after, edges, num_after, flags));
}

CUDA13(update13_ptsz, "cudaStreamUpdateCaptureDependencies_ptsz", cudaStream_t stream, cudaGraphNode_t *after,
       const cudaGraphEdgeData *edges, size_t num_after, unsigned int flags)
{
	return CRT_OWN_STREAM(update13(stream, after, edges, num_after, flags));
}
#endif
