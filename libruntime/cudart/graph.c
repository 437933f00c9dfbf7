/* SPDX-License-Identifier: MIT */
/* Graphs and the capture of streams, as the Driver API has them. */
#include "cudart.h"

cudaError_t i_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuStreamIsCapturing, crt_stream(stream), (CUstreamCaptureStatus *)status);
}

cudaError_t i_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuStreamBeginCapture_v2, crt_stream(stream), (CUstreamCaptureMode)mode);
}

cudaError_t i_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuStreamEndCapture, crt_stream(stream), graph);
}

cudaError_t i_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	CUstreamCaptureMode m;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!mode)
		return cudaErrorInvalidValue;
	m = (CUstreamCaptureMode)*mode;
	e = CRT_CALL(cuThreadExchangeStreamCaptureMode, &m);
	if (!e)
		*mode = (enum cudaStreamCaptureMode)m;
	return e;
}

cudaError_t i_cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
					  cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *num_after)
{
	cuuint64_t number = 0;
	cudaError_t e = crt_enter();

	if (!e)
		e = CRT_CALL(cuStreamGetCaptureInfo_v2, crt_stream(stream), (CUstreamCaptureStatus *)status, &number, graph,
			     after, num_after);
	if (!e && id)
		*id = number;
	return e;
}

cudaError_t i_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
	return i_cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

cudaError_t i_cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
					  cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
					  size_t *num_after)
{
	cuuint64_t number = 0;
	cudaError_t e = crt_enter();

	if (!e)
		e = CRT_CALL(cuStreamGetCaptureInfo_v3, crt_stream(stream), (CUstreamCaptureStatus *)status, &number, graph,
			     after, (const CUgraphEdgeData **)edges, num_after);
	if (!e && id)
		*id = number;
	return e;
}

cudaError_t i_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after, size_t num_after,
						  unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuStreamUpdateCaptureDependencies, crt_stream(stream), after, num_after, flags);
}

cudaError_t i_cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *after,
						     const cudaGraphEdgeData *edges, size_t num_after, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuStreamUpdateCaptureDependencies_v2, crt_stream(stream), after,
				CRT_SAME(const CUgraphEdgeData *, edges), num_after, flags);
}

cudaError_t i_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
					    const cudaGraphEdgeData *edges, size_t num_after, enum cudaStreamCaptureMode mode)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuStreamBeginCaptureToGraph, crt_stream(stream), graph, after,
				CRT_SAME(const CUgraphEdgeData *, edges), num_after, (CUstreamCaptureMode)mode);
}

/* ---- making --------------------------------------------------------------------------------- */

cudaError_t i_cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphCreate, graph, flags);
}

cudaError_t i_cudaGraphDestroy(cudaGraph_t graph)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphDestroy, graph);
}

cudaError_t i_cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphClone, clone, graph);
}

cudaError_t i_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
				       size_t count)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphAddDependencies, graph, from, to, count);
}

cudaError_t i_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphGetNodes, graph, nodes, count);
}

cudaError_t i_cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphDebugDotPrint, graph, path, flags);
}

/* ---- edges ---------------------------------------------------------------------------------- */

CRT_FORWARD(cudaGraphGetRootNodes, cuGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count), graph, nodes, count)
CRT_FORWARD(cudaGraphGetEdges, cuGraphGetEdges, (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count),
	    graph, from, to, count)
CRT_FORWARD(cudaGraphGetEdges_v2, cuGraphGetEdges_v2,
	    (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count),
	    graph, from, to, CRT_SAME(CUgraphEdgeData *, edges), count)
CRT_FORWARD(cudaGraphNodeGetDependencies, cuGraphNodeGetDependencies, (cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count),
	    node, nodes, count)
CRT_FORWARD(cudaGraphNodeGetDependencies_v2, cuGraphNodeGetDependencies_v2,
	    (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count),
	    node, nodes, CRT_SAME(CUgraphEdgeData *, edges), count)
CRT_FORWARD(cudaGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes,
	    (cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count), node, nodes, count)
CRT_FORWARD(cudaGraphNodeGetDependentNodes_v2, cuGraphNodeGetDependentNodes_v2,
	    (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count),
	    node, nodes, CRT_SAME(CUgraphEdgeData *, edges), count)
CRT_FORWARD(cudaGraphAddDependencies_v2, cuGraphAddDependencies_v2,
	    (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count),
	    graph, from, to, CRT_SAME(const CUgraphEdgeData *, edges), count)
CRT_FORWARD(cudaGraphRemoveDependencies, cuGraphRemoveDependencies,
	    (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count), graph, from, to, count)
CRT_FORWARD(cudaGraphRemoveDependencies_v2, cuGraphRemoveDependencies_v2,
	    (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count),
	    graph, from, to, CRT_SAME(const CUgraphEdgeData *, edges), count)

/* ---- objects and memory of graphs ----------------------------------------------------------- */

cudaError_t i_cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value,
					       unsigned int flags)
{
	cuuint64_t h;
	cudaError_t e = CRT_CALL(cuGraphConditionalHandleCreate, handle ? &h : NULL, graph, NULL, value, flags);

	if (!e)
		*handle = h;
	return e;
}

CRT_FORWARD(cudaUserObjectCreate, cuUserObjectCreate,
	    (cudaUserObject_t *object, void *ptr, cudaHostFn_t destroy, unsigned int count, unsigned int flags),
	    object, ptr, destroy, count, flags)
CRT_FORWARD(cudaUserObjectRetain, cuUserObjectRetain, (cudaUserObject_t object, unsigned int count), object, count)
CRT_FORWARD(cudaUserObjectRelease, cuUserObjectRelease, (cudaUserObject_t object, unsigned int count), object, count)
CRT_FORWARD(cudaGraphRetainUserObject, cuGraphRetainUserObject,
	    (cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags), graph, object, count, flags)
CRT_FORWARD(cudaGraphReleaseUserObject, cuGraphReleaseUserObject, (cudaGraph_t graph, cudaUserObject_t object, unsigned int count),
	    graph, object, count)
CRT_FORWARD(cudaDeviceGraphMemTrim, cuDeviceGraphMemTrim, (int device), device)
CRT_FORWARD(cudaDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute,
	    (int device, enum cudaGraphMemAttributeType attribute, void *value), device, (CUgraphMem_attribute)attribute, value)
CRT_FORWARD(cudaDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute,
	    (int device, enum cudaGraphMemAttributeType attribute, void *value), device, (CUgraphMem_attribute)attribute, value)

/* ---- running -------------------------------------------------------------------------------- */

cudaError_t i_cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphInstantiateWithFlags, exec, graph, flags);
}

cudaError_t i_cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphUpload, exec, crt_stream(stream));
}

cudaError_t i_cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphLaunch, exec, crt_stream(stream));
}

cudaError_t i_cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphExecDestroy, exec);
}

cudaError_t i_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphExecUpdate_v2, exec, graph, CRT_SAME(CUgraphExecUpdateResultInfo *, info));
}

cudaError_t i_cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
	cudaStream_t stream;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!params)
		return cudaErrorInvalidValue;
	stream = params->uploadStream;
	params->uploadStream = crt_stream(stream);
	e = CRT_CALL(cuGraphInstantiateWithParams, exec, graph, CRT_SAME(CUDA_GRAPH_INSTANTIATE_PARAMS *, params));
	params->uploadStream = stream;
	return e;
}

cudaError_t i_cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
	cuuint64_t f;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!flags)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuGraphExecGetFlags, exec, &f);
	if (!e)
		*flags = f;
	return e;
}
