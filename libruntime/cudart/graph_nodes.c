/* SPDX-License-Identifier: MIT */
/* Nodes of graphs, and the same nodes in graphs that are ready to run. */
#include "graph_params.h"

/* The first parameters and arguments of each function that adds a node. */
#define NODE_PARAMS cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t num_after
#define NODE_ARGS node, graph, after, num_after

/* ---- any node ------------------------------------------------------------------------------- */

cudaError_t i_cudaGraphAddNode(NODE_PARAMS, struct cudaGraphNodeParams *params)
{
	return i_cudaGraphAddNode_v2(node, graph, after, NULL, num_after, params);
}

cudaError_t i_cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
				  const cudaGraphEdgeData *edges, size_t num_after, struct cudaGraphNodeParams *params)
{
	CUgraphNodeParams p;
	cudaError_t e = crt_node_params(&p, params);

	if (e)
		return e;
	if (edges)
		e = CRT_CALL(cuGraphAddNode_v2, node, graph, after, CRT_SAME(const CUgraphEdgeData *, edges), num_after, &p);
	else
		e = CRT_CALL(cuGraphAddNode, NODE_ARGS, &p);
	if (!e && params->type == cudaGraphNodeTypeMemAlloc)
		params->alloc.dptr = (void *)(uintptr_t)p.alloc.dptr;
	if (!e && params->type == cudaGraphNodeTypeConditional)
		params->conditional.phGraph_out = (cudaGraph_t *)p.conditional.phGraph_out;
	return e;
}

cudaError_t i_cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
	CUgraphNodeParams p;
	cudaError_t e = crt_node_params(&p, params);

	return e ? e : CRT_CALL(cuGraphNodeSetParams, node, &p);
}

cudaError_t i_cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
	CUgraphNodeParams p;
	cudaError_t e = crt_node_params(&p, params);

	return e ? e : CRT_CALL(cuGraphExecNodeSetParams, exec, node, &p);
}

cudaError_t i_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
	CUgraphNodeType t;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!type)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuGraphNodeGetType, node, &t);
	if (!e)
		*type = (enum cudaGraphNodeType)t;
	return e;
}

CRT_FORWARD(cudaGraphNodeFindInClone, cuGraphNodeFindInClone,
	    (cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone), node, original, clone)
CRT_FORWARD(cudaGraphDestroyNode, cuGraphDestroyNode, (cudaGraphNode_t node), node)
CRT_FORWARD(cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled,
	    (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled), exec, node, enabled)
CRT_FORWARD(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled,
	    (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled), exec, node, enabled)

/* ---- kernels -------------------------------------------------------------------------------- */

cudaError_t i_cudaGraphAddKernelNode(NODE_PARAMS, const struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS k;
	cudaError_t e = crt_kernel_params(&k, params);

	return e ? e : CRT_CALL(cuGraphAddKernelNode_v2, NODE_ARGS, &k);
}

cudaError_t i_cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS k;
	cudaError_t e = crt_kernel_params(&k, params);

	return e ? e : CRT_CALL(cuGraphKernelNodeSetParams_v2, node, &k);
}

cudaError_t i_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					       const struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS k;
	cudaError_t e = crt_kernel_params(&k, params);

	return e ? e : CRT_CALL(cuGraphExecKernelNodeSetParams_v2, exec, node, &k);
}

CRT_FORWARD(cudaGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute,
	    (cudaGraphNode_t node, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value),
	    node, (CUlaunchAttributeID)attribute, CRT_SAME(CUlaunchAttributeValue *, value))
CRT_FORWARD(cudaGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute,
	    (cudaGraphNode_t node, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value),
	    node, (CUlaunchAttributeID)attribute, CRT_SAME(const CUlaunchAttributeValue *, value))
CRT_FORWARD(cudaGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes, (cudaGraphNode_t to, cudaGraphNode_t from),
	    to, from)

/* ---- copies --------------------------------------------------------------------------------- */

/* A copy as the Driver API wants it, with the context that it belongs to. */
static cudaError_t copy_in_context(CUDA_MEMCPY3D *out, CUcontext *ctx, const struct cudaMemcpy3DParms *copy)
{
	unsigned long long id;
	cudaError_t e = crt_context(ctx, &id);

	return e ? e : crt_copy_3d(out, copy);
}

static cudaError_t add_copy(NODE_PARAMS, const struct cudaMemcpy3DParms *copy)
{
	CUDA_MEMCPY3D c;
	CUcontext ctx;
	cudaError_t e = copy_in_context(&c, &ctx, copy);

	return e ? e : CRT_CALL(cuGraphAddMemcpyNode, NODE_ARGS, &c, ctx);
}

static cudaError_t set_copy(cudaGraphNode_t node, const struct cudaMemcpy3DParms *copy)
{
	CUDA_MEMCPY3D c;
	CUcontext ctx;
	cudaError_t e = copy_in_context(&c, &ctx, copy);

	return e ? e : CRT_CALL(cuGraphMemcpyNodeSetParams, node, &c);
}

static cudaError_t set_exec_copy(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *copy)
{
	CUDA_MEMCPY3D c;
	CUcontext ctx;
	cudaError_t e = copy_in_context(&c, &ctx, copy);

	return e ? e : CRT_CALL(cuGraphExecMemcpyNodeSetParams, exec, node, &c, ctx);
}

cudaError_t i_cudaGraphAddMemcpyNode(NODE_PARAMS, const struct cudaMemcpy3DParms *copy)
{
	return copy ? add_copy(NODE_ARGS, copy) : cudaErrorInvalidValue;
}

cudaError_t i_cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *copy)
{
	return copy ? set_copy(node, copy) : cudaErrorInvalidValue;
}

cudaError_t i_cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *copy)
{
	return copy ? set_exec_copy(exec, node, copy) : cudaErrorInvalidValue;
}

/* Each way to make a copy from bytes in a row, to a variable, and from one. */

cudaError_t i_cudaGraphAddMemcpyNode1D(NODE_PARAMS, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c = crt_flat_copy(dst, src, bytes, kind);

	return add_copy(NODE_ARGS, &c);
}

cudaError_t i_cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
					     enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c = crt_flat_copy(dst, src, bytes, kind);

	return set_copy(node, &c);
}

cudaError_t i_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src,
						 size_t bytes, enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c = crt_flat_copy(dst, src, bytes, kind);

	return set_exec_copy(exec, node, &c);
}

cudaError_t i_cudaGraphAddMemcpyNodeToSymbol(NODE_PARAMS, const void *symbol, const void *src, size_t bytes, size_t offset,
					     enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c;
	cudaError_t e = crt_copy_to_symbol(&c, symbol, src, bytes, offset, kind);

	return e ? e : add_copy(NODE_ARGS, &c);
}

cudaError_t i_cudaGraphAddMemcpyNodeFromSymbol(NODE_PARAMS, void *dst, const void *symbol, size_t bytes, size_t offset,
					       enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c;
	cudaError_t e = crt_copy_from_symbol(&c, dst, symbol, bytes, offset, kind);

	return e ? e : add_copy(NODE_ARGS, &c);
}

cudaError_t i_cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src, size_t bytes,
						   size_t offset, enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c;
	cudaError_t e = crt_copy_to_symbol(&c, symbol, src, bytes, offset, kind);

	return e ? e : set_copy(node, &c);
}

cudaError_t i_cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t bytes,
						     size_t offset, enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c;
	cudaError_t e = crt_copy_from_symbol(&c, dst, symbol, bytes, offset, kind);

	return e ? e : set_copy(node, &c);
}

cudaError_t i_cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
						       const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c;
	cudaError_t e = crt_copy_to_symbol(&c, symbol, src, bytes, offset, kind);

	return e ? e : set_exec_copy(exec, node, &c);
}

cudaError_t i_cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
							 const void *symbol, size_t bytes, size_t offset,
							 enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms c;
	cudaError_t e = crt_copy_from_symbol(&c, dst, symbol, bytes, offset, kind);

	return e ? e : set_exec_copy(exec, node, &c);
}

/* ---- fills ---------------------------------------------------------------------------------- */

cudaError_t i_cudaGraphAddMemsetNode(NODE_PARAMS, const struct cudaMemsetParams *params)
{
	CUDA_MEMSET_NODE_PARAMS m;
	unsigned long long id;
	CUcontext ctx;
	cudaError_t e = crt_context(&ctx, &id);

	if (!e)
		e = crt_fill_params(&m, params);
	return e ? e : CRT_CALL(cuGraphAddMemsetNode, NODE_ARGS, &m, ctx);
}

cudaError_t i_cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
	CUDA_MEMSET_NODE_PARAMS m;
	cudaError_t e = crt_enter();

	if (!e)
		e = crt_fill_params(&m, params);
	return e ? e : CRT_CALL(cuGraphMemsetNodeSetParams, node, &m);
}

cudaError_t i_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					       const struct cudaMemsetParams *params)
{
	CUDA_MEMSET_NODE_PARAMS m;
	unsigned long long id;
	CUcontext ctx;
	cudaError_t e = crt_context(&ctx, &id);

	if (!e)
		e = crt_fill_params(&m, params);
	return e ? e : CRT_CALL(cuGraphExecMemsetNodeSetParams, exec, node, &m, ctx);
}

/* ---- host functions, empty nodes, graphs, events ---------------------------------------------- */

CRT_FORWARD(cudaGraphAddHostNode, cuGraphAddHostNode, (NODE_PARAMS, const struct cudaHostNodeParams *params),
	    NODE_ARGS, CRT_SAME(const CUDA_HOST_NODE_PARAMS *, params))
CRT_FORWARD(cudaGraphHostNodeGetParams, cuGraphHostNodeGetParams,
	    (cudaGraphNode_t node, struct cudaHostNodeParams *params), node, CRT_SAME(CUDA_HOST_NODE_PARAMS *, params))
CRT_FORWARD(cudaGraphHostNodeSetParams, cuGraphHostNodeSetParams,
	    (cudaGraphNode_t node, const struct cudaHostNodeParams *params),
	    node, CRT_SAME(const CUDA_HOST_NODE_PARAMS *, params))
CRT_FORWARD(cudaGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams,
	    (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *params),
	    exec, node, CRT_SAME(const CUDA_HOST_NODE_PARAMS *, params))
CRT_FORWARD(cudaGraphAddEmptyNode, cuGraphAddEmptyNode, (NODE_PARAMS), NODE_ARGS)
CRT_FORWARD(cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode, (NODE_PARAMS, cudaGraph_t child), NODE_ARGS, child)
CRT_FORWARD(cudaGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *graph),
	    node, graph)
CRT_FORWARD(cudaGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams,
	    (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child), exec, node, child)
CRT_FORWARD(cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode, (NODE_PARAMS, cudaEvent_t event), NODE_ARGS, event)
CRT_FORWARD(cudaGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
	    node, event)
CRT_FORWARD(cudaGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
	    node, event)
CRT_FORWARD(cudaGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent,
	    (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event), exec, node, event)
CRT_FORWARD(cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode, (NODE_PARAMS, cudaEvent_t event), NODE_ARGS, event)
CRT_FORWARD(cudaGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
	    node, event)
CRT_FORWARD(cudaGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
	    node, event)
CRT_FORWARD(cudaGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent,
	    (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event), exec, node, event)

/* ---- memory --------------------------------------------------------------------------------- */

CRT_FORWARD(cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode, (NODE_PARAMS, struct cudaMemAllocNodeParams *params),
	    NODE_ARGS, CRT_SAME(CUDA_MEM_ALLOC_NODE_PARAMS *, params))
CRT_FORWARD(cudaGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams,
	    (cudaGraphNode_t node, struct cudaMemAllocNodeParams *params),
	    node, CRT_SAME(CUDA_MEM_ALLOC_NODE_PARAMS *, params))
CRT_FORWARD(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode, (NODE_PARAMS, void *ptr), NODE_ARGS, (uintptr_t)ptr)
CRT_FORWARD(cudaGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void *ptr), node, ptr)
