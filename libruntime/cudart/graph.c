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

static cudaError_t kernel_node(CUDA_KERNEL_NODE_PARAMS *out, const struct cudaKernelNodeParams *p)
{
	cudaError_t e;

	if (!p)
		return cudaErrorInvalidValue;
	*out = (CUDA_KERNEL_NODE_PARAMS){
		.gridDimX = p->gridDim.x, .gridDimY = p->gridDim.y, .gridDimZ = p->gridDim.z,
		.blockDimX = p->blockDim.x, .blockDimY = p->blockDim.y, .blockDimZ = p->blockDim.z,
		.sharedMemBytes = p->sharedMemBytes, .kernelParams = p->kernelParams, .extra = p->extra,
	};
	e = crt_function(p->func, &out->func);
	return e;
}

cudaError_t i_cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
				     size_t num_after, const struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS k;
	cudaError_t e = kernel_node(&k, params);

	return e ? e : CRT_CALL(cuGraphAddKernelNode_v2, node, graph, after, num_after, &k);
}

cudaError_t i_cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
				     size_t num_after, const struct cudaMemcpy3DParms *copy)
{
	unsigned long long id;
	CUDA_MEMCPY3D c;
	CUcontext ctx;
	cudaError_t e = crt_context(&ctx, &id);

	if (!e)
		e = crt_copy_3d(&c, copy);
	return e ? e : CRT_CALL(cuGraphAddMemcpyNode, node, graph, after, num_after, &c, ctx);
}

static struct cudaMemcpy3DParms flat(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	return (struct cudaMemcpy3DParms){
		.srcPtr = { (void *)(uintptr_t)src, bytes, bytes, 1 }, .dstPtr = { dst, bytes, bytes, 1 },
		.extent = { bytes, 1, 1 }, .kind = kind,
	};
}

cudaError_t i_cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
				       size_t num_after, void *dst, const void *src, size_t bytes,
				       enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c = flat(dst, src, bytes, kind);

	return i_cudaGraphAddMemcpyNode(node, graph, after, num_after, &c);
}

cudaError_t i_cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
				     size_t num_after, const struct cudaMemsetParams *params)
{
	CUDA_MEMSET_NODE_PARAMS m;
	unsigned long long id;
	CUcontext ctx;
	cudaError_t e = crt_context(&ctx, &id);

	if (e)
		return e;
	if (!params)
		return cudaErrorInvalidValue;
	m = (CUDA_MEMSET_NODE_PARAMS){ (uintptr_t)params->dst, params->pitch, params->value, params->elementSize,
				      params->width, params->height };
	return CRT_CALL(cuGraphAddMemsetNode, node, graph, after, num_after, &m, ctx);
}

cudaError_t i_cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
				   size_t num_after, const struct cudaHostNodeParams *params)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphAddHostNode, node, graph, after, num_after,
				CRT_SAME(const CUDA_HOST_NODE_PARAMS *, params));
}

cudaError_t i_cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
				    size_t num_after)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphAddEmptyNode, node, graph, after, num_after);
}

cudaError_t i_cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
					 size_t num_after, cudaGraph_t child)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuGraphAddChildGraphNode, node, graph, after, num_after, child);
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

cudaError_t i_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					       const struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS k;
	cudaError_t e = kernel_node(&k, params);

	return e ? e : CRT_CALL(cuGraphExecKernelNodeSetParams_v2, exec, node, &k);
}

cudaError_t i_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
						 const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms p = flat(dst, src, bytes, kind);
	unsigned long long id;
	CUDA_MEMCPY3D c;
	CUcontext ctx;
	cudaError_t e = crt_context(&ctx, &id);

	if (!e)
		e = crt_copy_3d(&c, &p);
	return e ? e : CRT_CALL(cuGraphExecMemcpyNodeSetParams, exec, node, &c, ctx);
}
