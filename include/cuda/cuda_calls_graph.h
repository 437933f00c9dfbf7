/* SPDX-License-Identifier: MIT */
/* More of the list in cuda_calls.h: graphs and capture. */
#ifndef PPU_CUDA_CALLS_GRAPH_H
#define PPU_CUDA_CALLS_GRAPH_H

/* The first arguments of each function that adds a node. */
#define CU_NODE_ARGS_ (CUgraphNode *, node), (CUgraph, graph), (const CUgraphNode *, deps), (size_t, num)

#define CU_CALLS_GRAPH(C, P, V) \
/* capture */ \
P(cuStreamBeginCapture, cuStreamBeginCapture_ptsz, cuStreamBeginCapture, 10000, (CUstream, stream)) \
P(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture, 10010, (CUstream, stream), \
	(CUstreamCaptureMode, mode)) \
P(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph, 12030, \
	(CUstream, stream), (CUgraph, graph), (const CUgraphNode *, deps), (const CUgraphEdgeData *, edges), \
	(size_t, num), (CUstreamCaptureMode, mode)) \
P(cuStreamEndCapture, cuStreamEndCapture_ptsz, cuStreamEndCapture, 10000, (CUstream, stream), (CUgraph *, graph)) \
P(cuStreamIsCapturing, cuStreamIsCapturing_ptsz, cuStreamIsCapturing, 10000, (CUstream, stream), \
	(CUstreamCaptureStatus *, status)) \
P(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo, 10010, (CUstream, stream), \
	(CUstreamCaptureStatus *, status), (cuuint64_t *, id)) \
P(cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo, 11030, (CUstream, stream), \
	(CUstreamCaptureStatus *, status), (cuuint64_t *, id), (CUgraph *, graph), (const CUgraphNode **, deps), \
	(size_t *, num)) \
P(cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo, 12030, (CUstream, stream), \
	(CUstreamCaptureStatus *, status), (cuuint64_t *, id), (CUgraph *, graph), (const CUgraphNode **, deps), \
	(const CUgraphEdgeData **, edges), (size_t *, num)) \
P(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies, \
	11030, (CUstream, stream), (CUgraphNode *, deps), (size_t, num), (unsigned int, flags)) \
C(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010, (CUstreamCaptureMode *, mode)) \
/* graphs */ \
C(cuGraphCreate, cuGraphCreate, 10000, (CUgraph *, graph), (unsigned int, flags)) \
C(cuGraphDestroy, cuGraphDestroy, 10000, (CUgraph, graph)) \
C(cuGraphClone, cuGraphClone, 10000, (CUgraph *, clone), (CUgraph, graph)) \
C(cuGraphNodeFindInClone, cuGraphNodeFindInClone, 10000, (CUgraphNode *, node), (CUgraphNode, original), \
	(CUgraph, clone)) \
C(cuGraphGetNodes, cuGraphGetNodes, 10000, (CUgraph, graph), (CUgraphNode *, nodes), (size_t *, num)) \
C(cuGraphGetRootNodes, cuGraphGetRootNodes, 10000, (CUgraph, graph), (CUgraphNode *, nodes), (size_t *, num)) \
C(cuGraphGetEdges, cuGraphGetEdges, 10000, (CUgraph, graph), (CUgraphNode *, from), (CUgraphNode *, to), \
	(size_t *, num)) \
C(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000, (CUgraphNode, node), (CUgraphNode *, deps), \
	(size_t *, num)) \
C(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes, 10000, (CUgraphNode, node), (CUgraphNode *, nodes), \
	(size_t *, num)) \
C(cuGraphAddDependencies, cuGraphAddDependencies, 10000, (CUgraph, graph), (const CUgraphNode *, from), \
	(const CUgraphNode *, to), (size_t, num)) \
C(cuGraphRemoveDependencies, cuGraphRemoveDependencies, 10000, (CUgraph, graph), (const CUgraphNode *, from), \
	(const CUgraphNode *, to), (size_t, num)) \
C(cuGraphDestroyNode, cuGraphDestroyNode, 10000, (CUgraphNode, node)) \
C(cuGraphNodeGetType, cuGraphNodeGetType, 10000, (CUgraphNode, node), (CUgraphNodeType *, type)) \
C(cuGraphDebugDotPrint, cuGraphDebugDotPrint, 11030, (CUgraph, graph), (const char *, path), (unsigned int, flags)) \
C(cuGraphGetEdges_v2, cuGraphGetEdges, 12030, (CUgraph, graph), (CUgraphNode *, from), (CUgraphNode *, to), \
	(CUgraphEdgeData *, edges), (size_t *, num)) \
C(cuGraphNodeGetDependencies_v2, cuGraphNodeGetDependencies, 12030, (CUgraphNode, node), (CUgraphNode *, deps), \
	(CUgraphEdgeData *, edges), (size_t *, num)) \
C(cuGraphNodeGetDependentNodes_v2, cuGraphNodeGetDependentNodes, 12030, (CUgraphNode, node), \
	(CUgraphNode *, nodes), (CUgraphEdgeData *, edges), (size_t *, num)) \
C(cuGraphAddDependencies_v2, cuGraphAddDependencies, 12030, (CUgraph, graph), (const CUgraphNode *, from), \
	(const CUgraphNode *, to), (const CUgraphEdgeData *, edges), (size_t, num)) \
C(cuGraphRemoveDependencies_v2, cuGraphRemoveDependencies, 12030, (CUgraph, graph), (const CUgraphNode *, from), \
	(const CUgraphNode *, to), (const CUgraphEdgeData *, edges), (size_t, num)) \
P(cuStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies_v2_ptsz, \
	cuStreamUpdateCaptureDependencies, 12030, (CUstream, stream), (CUgraphNode *, deps), \
	(const CUgraphEdgeData *, edges), (size_t, num), (unsigned int, flags)) \
/* nodes */ \
C(cuGraphAddNode_v2, cuGraphAddNode, 12030, (CUgraphNode *, node), (CUgraph, graph), (const CUgraphNode *, deps), \
	(const CUgraphEdgeData *, edges), (size_t, num), (CUgraphNodeParams *, params)) \
C(cuGraphAddNode, cuGraphAddNode, 12020, CU_NODE_ARGS_, (CUgraphNodeParams *, params)) \
C(cuGraphNodeSetParams, cuGraphNodeSetParams, 12020, (CUgraphNode, node), (CUgraphNodeParams *, params)) \
C(cuGraphAddKernelNode, cuGraphAddKernelNode, 10000, CU_NODE_ARGS_, (const CUDA_KERNEL_NODE_PARAMS_v1 *, params)) \
C(cuGraphAddKernelNode_v2, cuGraphAddKernelNode, 12000, CU_NODE_ARGS_, (const CUDA_KERNEL_NODE_PARAMS *, params)) \
C(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams, 10000, (CUgraphNode, node), \
	(CUDA_KERNEL_NODE_PARAMS_v1 *, params)) \
C(cuGraphKernelNodeGetParams_v2, cuGraphKernelNodeGetParams, 12000, (CUgraphNode, node), \
	(CUDA_KERNEL_NODE_PARAMS *, params)) \
C(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams, 10000, (CUgraphNode, node), \
	(const CUDA_KERNEL_NODE_PARAMS_v1 *, params)) \
C(cuGraphKernelNodeSetParams_v2, cuGraphKernelNodeSetParams, 12000, (CUgraphNode, node), \
	(const CUDA_KERNEL_NODE_PARAMS *, params)) \
C(cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute, 11000, (CUgraphNode, node), \
	(CUlaunchAttributeID, attribute), (CUlaunchAttributeValue *, value)) \
C(cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute, 11000, (CUgraphNode, node), \
	(CUlaunchAttributeID, attribute), (const CUlaunchAttributeValue *, value)) \
C(cuGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes, 11000, (CUgraphNode, to), (CUgraphNode, from)) \
C(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000, CU_NODE_ARGS_, (const CUDA_MEMCPY3D *, params), \
	(CUcontext, ctx)) \
C(cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams, 10000, (CUgraphNode, node), (CUDA_MEMCPY3D *, params)) \
C(cuGraphMemcpyNodeSetParams, cuGraphMemcpyNodeSetParams, 10000, (CUgraphNode, node), \
	(const CUDA_MEMCPY3D *, params)) \
C(cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000, CU_NODE_ARGS_, (const CUDA_MEMSET_NODE_PARAMS *, params), \
	(CUcontext, ctx)) \
C(cuGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams, 10000, (CUgraphNode, node), \
	(CUDA_MEMSET_NODE_PARAMS *, params)) \
C(cuGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams, 10000, (CUgraphNode, node), \
	(const CUDA_MEMSET_NODE_PARAMS *, params)) \
C(cuGraphAddHostNode, cuGraphAddHostNode, 10000, CU_NODE_ARGS_, (const CUDA_HOST_NODE_PARAMS *, params)) \
C(cuGraphHostNodeGetParams, cuGraphHostNodeGetParams, 10000, (CUgraphNode, node), \
	(CUDA_HOST_NODE_PARAMS *, params)) \
C(cuGraphHostNodeSetParams, cuGraphHostNodeSetParams, 10000, (CUgraphNode, node), \
	(const CUDA_HOST_NODE_PARAMS *, params)) \
C(cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000, CU_NODE_ARGS_) \
C(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, 10000, CU_NODE_ARGS_, (CUgraph, child)) \
C(cuGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, 10000, (CUgraphNode, node), (CUgraph *, graph)) \
C(cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, 11010, CU_NODE_ARGS_, (CUevent, event)) \
C(cuGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, 11010, (CUgraphNode, node), (CUevent *, event)) \
C(cuGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent, 11010, (CUgraphNode, node), (CUevent, event)) \
C(cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, 11010, CU_NODE_ARGS_, (CUevent, event)) \
C(cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, 11010, (CUgraphNode, node), (CUevent *, event)) \
C(cuGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, 11010, (CUgraphNode, node), (CUevent, event)) \
C(cuGraphAddBatchMemOpNode, cuGraphAddBatchMemOpNode, 11070, CU_NODE_ARGS_, \
	(const CUDA_BATCH_MEM_OP_NODE_PARAMS *, params)) \
C(cuGraphBatchMemOpNodeGetParams, cuGraphBatchMemOpNodeGetParams, 11070, (CUgraphNode, node), \
	(CUDA_BATCH_MEM_OP_NODE_PARAMS *, params)) \
C(cuGraphBatchMemOpNodeSetParams, cuGraphBatchMemOpNodeSetParams, 11070, (CUgraphNode, node), \
	(const CUDA_BATCH_MEM_OP_NODE_PARAMS *, params)) \
C(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode, 11040, CU_NODE_ARGS_, (CUDA_MEM_ALLOC_NODE_PARAMS *, params)) \
C(cuGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams, 11040, (CUgraphNode, node), \
	(CUDA_MEM_ALLOC_NODE_PARAMS *, params)) \
C(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040, CU_NODE_ARGS_, (CUdeviceptr, ptr)) \
C(cuGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams, 11040, (CUgraphNode, node), (CUdeviceptr *, ptr)) \
C(cuDeviceGraphMemTrim, cuDeviceGraphMemTrim, 11040, (CUdevice, device)) \
C(cuDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute, 11040, (CUdevice, device), \
	(CUgraphMem_attribute, attribute), (void *, value)) \
C(cuDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute, 11040, (CUdevice, device), \
	(CUgraphMem_attribute, attribute), (void *, value)) \
/* executable graphs */ \
C(cuGraphInstantiate, cuGraphInstantiate, 10000, (CUgraphExec *, exec), (CUgraph, graph), (CUgraphNode *, node), \
	(char *, log), (size_t, log_bytes)) \
C(cuGraphInstantiate_v2, cuGraphInstantiate, 11000, (CUgraphExec *, exec), (CUgraph, graph), \
	(CUgraphNode *, node), (char *, log), (size_t, log_bytes)) \
C(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040, (CUgraphExec *, exec), (CUgraph, graph), \
	(unsigned long long, flags)) \
P(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams, 12000, \
	(CUgraphExec *, exec), (CUgraph, graph), (CUDA_GRAPH_INSTANTIATE_PARAMS *, params)) \
C(cuGraphExecGetFlags, cuGraphExecGetFlags, 12000, (CUgraphExec, exec), (cuuint64_t *, flags)) \
C(cuGraphExecDestroy, cuGraphExecDestroy, 10000, (CUgraphExec, exec)) \
P(cuGraphLaunch, cuGraphLaunch_ptsz, cuGraphLaunch, 10000, (CUgraphExec, exec), (CUstream, stream)) \
P(cuGraphUpload, cuGraphUpload_ptsz, cuGraphUpload, 11010, (CUgraphExec, exec), (CUstream, stream)) \
C(cuGraphExecUpdate, cuGraphExecUpdate, 10020, (CUgraphExec, exec), (CUgraph, graph), (CUgraphNode *, node), \
	(CUgraphExecUpdateResult *, result)) \
C(cuGraphExecUpdate_v2, cuGraphExecUpdate, 12000, (CUgraphExec, exec), (CUgraph, graph), \
	(CUgraphExecUpdateResultInfo *, info)) \
C(cuGraphExecNodeSetParams, cuGraphExecNodeSetParams, 12020, (CUgraphExec, exec), (CUgraphNode, node), \
	(CUgraphNodeParams *, params)) \
C(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams, 10010, (CUgraphExec, exec), \
	(CUgraphNode, node), (const CUDA_KERNEL_NODE_PARAMS_v1 *, params)) \
C(cuGraphExecKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams, 12000, (CUgraphExec, exec), \
	(CUgraphNode, node), (const CUDA_KERNEL_NODE_PARAMS *, params)) \
C(cuGraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, 10020, (CUgraphExec, exec), \
	(CUgraphNode, node), (const CUDA_MEMCPY3D *, params), (CUcontext, ctx)) \
C(cuGraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams, 10020, (CUgraphExec, exec), \
	(CUgraphNode, node), (const CUDA_MEMSET_NODE_PARAMS *, params), (CUcontext, ctx)) \
C(cuGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams, 10020, (CUgraphExec, exec), (CUgraphNode, node), \
	(const CUDA_HOST_NODE_PARAMS *, params)) \
C(cuGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams, 11010, (CUgraphExec, exec), \
	(CUgraphNode, node), (CUgraph, child)) \
C(cuGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, 11010, (CUgraphExec, exec), \
	(CUgraphNode, node), (CUevent, event)) \
C(cuGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, 11010, (CUgraphExec, exec), \
	(CUgraphNode, node), (CUevent, event)) \
C(cuGraphExecBatchMemOpNodeSetParams, cuGraphExecBatchMemOpNodeSetParams, 11070, (CUgraphExec, exec), \
	(CUgraphNode, node), (const CUDA_BATCH_MEM_OP_NODE_PARAMS *, params)) \
C(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, 11060, (CUgraphExec, exec), (CUgraphNode, node), \
	(unsigned int, enabled)) \
C(cuGraphNodeGetEnabled, cuGraphNodeGetEnabled, 11060, (CUgraphExec, exec), (CUgraphNode, node), \
	(unsigned int *, enabled)) \
/* what a graph keeps alive */ \
C(cuGraphConditionalHandleCreate, cuGraphConditionalHandleCreate, 12030, (CUgraphConditionalHandle *, handle), \
	(CUgraph, graph), (CUcontext, ctx), (unsigned int, value), (unsigned int, flags)) \
C(cuUserObjectCreate, cuUserObjectCreate, 11030, (CUuserObject *, object), (void *, ptr), (CUhostFn, destroy), \
	(unsigned int, count), (unsigned int, flags)) \
C(cuUserObjectRetain, cuUserObjectRetain, 11030, (CUuserObject, object), (unsigned int, count)) \
C(cuUserObjectRelease, cuUserObjectRelease, 11030, (CUuserObject, object), (unsigned int, count)) \
C(cuGraphRetainUserObject, cuGraphRetainUserObject, 11030, (CUgraph, graph), (CUuserObject, object), \
	(unsigned int, count), (unsigned int, flags)) \
C(cuGraphReleaseUserObject, cuGraphReleaseUserObject, 11030, (CUgraph, graph), (CUuserObject, object), \
	(unsigned int, count))

#endif
