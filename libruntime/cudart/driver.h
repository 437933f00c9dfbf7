/* SPDX-License-Identifier: MIT */
/*
 * The Driver API below: its types and functions are those of include/cuda.
 *
 * The runtime must run over driver libraries that are older than itself, and these may lack functions that came to
 * CUDA late.  So such functions are declared again here, as weak: a missing function is NULL when the library is
 * loaded, and CRT_CALL() returns cudaErrorNotSupported in its place.  All others are called directly.
 */
#ifndef PPU_CUDART_DRIVER_H
#define PPU_CUDART_DRIVER_H

#define PPU_CUDA_NO_NAMES
#include <cuda.h>

#define CRT_WEAK(W) \
W(cuTexObjectCreate) W(cuTexObjectDestroy) W(cuTexObjectGetResourceDesc) W(cuTexObjectGetTextureDesc) \
W(cuSurfObjectCreate) W(cuSurfObjectDestroy) W(cuSurfObjectGetResourceDesc) W(cuMemAllocManaged) \
W(cuMemAdvise) W(cuMemPrefetchAsync) W(cuMemRangeGetAttribute) W(cuStreamAttachMemAsync) \
W(cuMemHostRegister_v2) W(cuMemHostUnregister) W(cuMemAllocAsync) W(cuMemFreeAsync) \
W(cuMemAllocFromPoolAsync) W(cuMemPoolCreate) W(cuMemPoolDestroy) W(cuMemPoolTrimTo) \
W(cuMemPoolSetAttribute) W(cuMemPoolGetAttribute) W(cuMemPoolSetAccess) W(cuMemPoolGetAccess) \
W(cuMemPoolExportToShareableHandle) W(cuMemPoolImportFromShareableHandle) W(cuMemPoolExportPointer) \
W(cuMemPoolImportPointer) W(cuDeviceGetDefaultMemPool) W(cuDeviceGetMemPool) W(cuDeviceSetMemPool) \
W(cuLaunchCooperativeKernel) \
W(cuStreamBeginCapture_v2) W(cuStreamIsCapturing) W(cuStreamEndCapture) \
W(cuThreadExchangeStreamCaptureMode) W(cuGraphCreate) W(cuGraphDestroy) W(cuGraphClone) \
W(cuGraphAddKernelNode_v2) W(cuGraphAddMemcpyNode) W(cuGraphAddMemsetNode) W(cuGraphAddHostNode) \
W(cuGraphAddEmptyNode) W(cuGraphAddChildGraphNode) W(cuGraphAddDependencies) W(cuGraphGetNodes) \
W(cuGraphInstantiateWithFlags) W(cuGraphUpload) W(cuGraphLaunch) W(cuGraphExecDestroy) \
W(cuGraphExecUpdate_v2) W(cuGraphExecKernelNodeSetParams_v2) W(cuGraphExecMemcpyNodeSetParams) \
W(cuGraphDebugDotPrint) W(cuStreamGetCaptureInfo_v2) W(cuStreamGetCaptureInfo_v3) \
W(cuStreamUpdateCaptureDependencies) W(cuStreamUpdateCaptureDependencies_v2) W(cuStreamBeginCaptureToGraph) \
W(cuStreamGetAttribute) W(cuStreamSetAttribute) W(cuStreamCopyAttributes) W(cuCtxResetPersistingL2Cache) \
W(cuMemRangeGetAttributes) W(cuGraphInstantiateWithParams) W(cuGraphExecGetFlags) W(cuUserObjectCreate) \
W(cuUserObjectRetain) W(cuUserObjectRelease) W(cuGraphRetainUserObject) W(cuGraphReleaseUserObject) \
W(cuDeviceGraphMemTrim) W(cuDeviceGetGraphMemAttribute) W(cuDeviceSetGraphMemAttribute) W(cuGraphGetRootNodes) \
W(cuGraphGetEdges) W(cuGraphGetEdges_v2) W(cuGraphNodeGetDependencies) W(cuGraphNodeGetDependencies_v2) \
W(cuGraphNodeGetDependentNodes) W(cuGraphNodeGetDependentNodes_v2) W(cuGraphAddDependencies_v2) \
W(cuGraphRemoveDependencies) W(cuGraphRemoveDependencies_v2) W(cuGraphAddNode) W(cuGraphAddNode_v2) \
W(cuGraphNodeSetParams) W(cuGraphExecNodeSetParams) W(cuGraphNodeGetType) W(cuGraphNodeFindInClone) \
W(cuGraphDestroyNode) W(cuGraphNodeGetEnabled) W(cuGraphNodeSetEnabled) W(cuGraphKernelNodeGetParams_v2) \
W(cuGraphKernelNodeSetParams_v2) W(cuGraphKernelNodeGetAttribute) W(cuGraphKernelNodeSetAttribute) \
W(cuGraphKernelNodeCopyAttributes) W(cuGraphMemcpyNodeGetParams) W(cuGraphMemcpyNodeSetParams) \
W(cuGraphMemsetNodeGetParams) W(cuGraphMemsetNodeSetParams) W(cuGraphHostNodeGetParams) \
W(cuGraphHostNodeSetParams) W(cuGraphChildGraphNodeGetGraph) W(cuGraphAddEventRecordNode) \
W(cuGraphEventRecordNodeGetEvent) W(cuGraphEventRecordNodeSetEvent) W(cuGraphAddEventWaitNode) \
W(cuGraphEventWaitNodeGetEvent) W(cuGraphEventWaitNodeSetEvent) W(cuGraphAddMemAllocNode) \
W(cuGraphMemAllocNodeGetParams) W(cuGraphAddMemFreeNode) W(cuGraphMemFreeNodeGetParams) \
W(cuGraphExecMemsetNodeSetParams) W(cuGraphExecHostNodeSetParams) W(cuGraphExecChildGraphNodeSetParams) \
W(cuOccupancyMaxActiveClusters) W(cuOccupancyMaxPotentialClusterSize) \
W(cuGraphExecEventRecordNodeSetEvent) W(cuGraphExecEventWaitNodeSetEvent) W(cuGraphConditionalHandleCreate)
#define W(function) extern __typeof__(function) function __attribute__((weak));
CRT_WEAK(W)
#undef W

/* Calls a weak function.  If it is missing: cudaErrorNotSupported. */
#define CRT_CALL(function, ...) (function ? crt_error(function(__VA_ARGS__)) : cudaErrorNotSupported)

/* Turns a pointer to a struct of the Runtime API into one to the Driver API's struct, which has the same layout. */
#define CRT_SAME(type, pointer) ({ \
	_Static_assert(sizeof(*(type)0) == sizeof(*(pointer)), "the layouts differ"); \
	(type)(pointer); \
})

#endif
