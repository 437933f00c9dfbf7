/* SPDX-License-Identifier: MIT */
/*
 * What nodes do.  A node of each kind can be added to a graph, looked at, changed, and changed in an executable
 * graph.  All calls that add or change a node make a struct cu_op first.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include <ppu.h>
#include "cuda/graph/node.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/exec.h"
#include "cuda/graph/graph.h"
#include "cuda/graph/updatable.h"
#include "cuda/graph/work.h"
#include "cuda/memory/pointer.h"
#include "cuda/module/cluster.h"
#include "cuda/module/function.h"
#include "cuda/stream/memop.h"
#include "cuda/stream/stream.h"

/* ---- parameters to work --------------------------------------------------------------------- */

static CUresult op_kernel(struct cu_op *op, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return p ? cu_op_kernel(op, p->func ? p->func : (CUfunction)p->kern,
				ppuDim(p->gridDimX, p->gridDimY, p->gridDimZ),
				ppuDim(p->blockDimX, p->blockDimY, p->blockDimZ), p->sharedMemBytes, false,
				p->kernelParams, p->extra) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult op_kernel_v1(struct cu_op *op, const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS v2 = { 0 };

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&v2, p, sizeof(*p));
	return op_kernel(op, &v2);
}

/* Kinds whose parameters are kept as they are. */
#define PLAIN(kind, TYPE, Type, member, check) \
static CUresult op_##kind(struct cu_op *op, const Type *p) \
{ \
	memset(op, 0, sizeof(*op)); \
	op->type = TYPE; \
	if (!p || !(check)) \
		return CUDA_ERROR_INVALID_VALUE; \
	op->member = *p; \
	return CUDA_SUCCESS; \
}
PLAIN(copy, CU_GRAPH_NODE_TYPE_MEMCPY, CUDA_MEMCPY3D, copy, p->WidthInBytes && p->Height && p->Depth)
PLAIN(fill, CU_GRAPH_NODE_TYPE_MEMSET, CUDA_MEMSET_NODE_PARAMS, fill,
      p->dst && p->width && p->height && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4))
PLAIN(host, CU_GRAPH_NODE_TYPE_HOST, CUDA_HOST_NODE_PARAMS, host, p->fn)

static CUresult op_mem(struct cu_op *op, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	return p && p->count && p->count <= CU_MEM_OPS_MOST && p->paramArray && !p->flags ? cu_op_mem(op, p->count, p->paramArray) :
	       CUDA_ERROR_INVALID_VALUE;
}

/* A child is a copy: later changes of the original do not matter. */
static CUresult op_child(struct cu_op *op, CUgraph graph)
{
	struct CUgraph_st *g, *child;
	CUresult r = cu_obj_find(graph, CU_GRAPH, &g);

	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_EMPTY;
	if (r)
		return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
	pthread_mutex_lock(&cu_graph_lock);
	r = cu_graph_clone(g, &child);
	if (!r)
		cu_graph_make_child(op, child);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	return r;
}

static CUresult op_alloc(struct cu_op *op, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	struct CUctx_st *c;
	void *mem;
	CUresult r;

	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_EMPTY;
	if (!p || !p->bytesize || p->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    p->poolProps.handleTypes || (p->accessDescCount && !p->accessDescs))
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_current(&c);
	if (r)
		return r;
	r = p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE || p->poolProps.location.id != c->device ?
	    CUDA_ERROR_INVALID_VALUE : cu_result(ppuMalloc(&mem, p->bytesize));
	if (!r) {
		p->dptr = (uintptr_t)mem;
		op->type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
		op->alloc = *p;
	}
	cu_obj_put(c);
	return r;
}

static CUresult op_free(struct cu_op *op, CUdeviceptr ptr)
{
	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_MEM_FREE;
	op->free = ptr;
	return cu_is_ours(ptr, NULL) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cu_node_op(struct cu_op *op, CUgraphNodeParams *p)
{
	CUDA_MEMSET_NODE_PARAMS fill;

	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_EMPTY;
	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return op_kernel(op, &p->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return p->memcpy.flags ? CUDA_ERROR_INVALID_VALUE : op_copy(op, &p->memcpy.copyParams);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		memcpy(&fill, &p->memset, sizeof(fill));
		return op_fill(op, &fill);
	case CU_GRAPH_NODE_TYPE_HOST:
		return op_host(op, &p->host);
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return op_child(op, p->graph.graph);
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return cu_op_event(op, p->type, p->eventWait.event);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return op_free(op, p->free.dptr);
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return op_mem(op, &p->memOp);
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
		return CUDA_ERROR_NOT_SUPPORTED;
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return cu_op_cond(op, &p->conditional);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* ---- adding, changing, looking --------------------------------------------------------------- */

/* Frees an op that did not become a node's. */
static void give_up(struct cu_op *op)
{
	pthread_mutex_lock(&cu_graph_lock);
	cu_graph_withdraw_child(op);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_op_clear(op);
}

/* r: the result of making the op.  The caller gives the op away, also when there is an error. */
static CUresult add(CUresult r, struct cu_op *op, CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num)
{
	struct cu_nodes set = { 0 };
	struct CUgraph_st *g;

	if (r)
		return r;
	r = node ? cu_obj_find(graph, CU_GRAPH, &g) : CUDA_ERROR_INVALID_VALUE;
	if (r) {
		give_up(op);
		return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
	}
	pthread_mutex_lock(&cu_graph_lock);
	r = cu_graph_deps(g, deps, num, &set);
	if (!r)
		r = cu_graph_append(g, op, &set, node);
	cu_nodes_clear(&set);
	pthread_mutex_unlock(&cu_graph_lock);
	give_up(op);
	cu_obj_put(g);
	return r;
}

static CUresult set(CUresult r, struct cu_op *op, CUgraphNode node)
{
	struct CUgraphNode_st *n;
	struct cu_op old;

	if (r)
		return r;
	r = cu_obj_find(node, CU_NODE, &n);
	if (r) {
		give_up(op);
		return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
	}
	pthread_mutex_lock(&cu_graph_lock);
	old = *op;
	if (n->op.type != op->type) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		old = n->op;
		if (op->type == CU_GRAPH_NODE_TYPE_KERNEL)
			cu_kernel_like(&op->kernel, &old.kernel);
		n->op = *op;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	op->type = CU_GRAPH_NODE_TYPE_EMPTY;
	give_up(&old);
	cu_obj_put(n);
	return r;
}

/* Programs cannot see the children of an executable graph, so a child is no handle there. */
static CUresult exec_set(CUresult r, struct cu_op *op, CUgraphExec exec, CUgraphNode node)
{
	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	cu_graph_withdraw_child(op);
	pthread_mutex_unlock(&cu_graph_lock);
	return cu_exec_set(exec, node, op);
}

/* Gets a node of this type, with a reference. */
static CUresult look(CUgraphNode node, CUgraphNodeType type, const void *out, struct CUgraphNode_st **n)
{
	CUresult r = out ? cu_obj_find(node, CU_NODE, n) : CUDA_ERROR_INVALID_VALUE;

	if (!r && (*n)->op.type != type) {
		cu_obj_put(*n);
		r = CUDA_ERROR_INVALID_VALUE;
	}
	return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
}

CUresult i_cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num, CUgraphNodeParams *p)
{
	struct cu_op op;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		return i_cuGraphAddMemAllocNode(node, graph, deps, num, &p->alloc);
	return add(cu_node_op(&op, p), &op, node, graph, deps, num);
}

CUresult i_cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, const CUgraphEdgeData *edges,
			     size_t num, CUgraphNodeParams *p)
{
	static const CUgraphEdgeData plain;

	for (size_t i = 0; edges && i < num; i++)
		if (memcmp(&edges[i], &plain, sizeof(plain)))
			return CUDA_ERROR_NOT_SUPPORTED;
	return i_cuGraphAddNode(node, graph, deps, num, p);
}

/* What a conditional node decides is in its bodies, which are graphs. */
static bool can_set(const CUgraphNodeParams *p)
{
	return p && p->type != CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

CUresult i_cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p)
{
	struct cu_op op;

	return can_set(p) ? set(cu_node_op(&op, p), &op, node) : CUDA_ERROR_INVALID_VALUE;
}

CUresult i_cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p)
{
	struct cu_op op;

	return can_set(p) ? exec_set(cu_node_op(&op, p), &op, exec, node) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- kernels -------------------------------------------------------------------------------- */

CUresult i_cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num,
				const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	struct cu_op op;

	return add(op_kernel_v1(&op, p), &op, node, graph, deps, num);
}

CUresult i_cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num,
				   const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct cu_op op;

	return add(op_kernel(&op, p), &op, node, graph, deps, num);
}

CUresult i_cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p)
{
	struct CUgraphNode_st *n;
	CUresult r = look(node, CU_GRAPH_NODE_TYPE_KERNEL, p, &n);

	if (r)
		return r;
	*p = (CUDA_KERNEL_NODE_PARAMS){
		.func = n->op.kernel.function,
		.gridDimX = n->op.kernel.grid.x, .gridDimY = n->op.kernel.grid.y, .gridDimZ = n->op.kernel.grid.z,
		.blockDimX = n->op.kernel.block.x, .blockDimY = n->op.kernel.block.y,
		.blockDimZ = n->op.kernel.block.z, .sharedMemBytes = n->op.kernel.shared_bytes,
		.kernelParams = n->op.kernel.params, .ctx = n->op.kernel.function->obj.ctx,
	};
	cu_obj_put(n);
	return CUDA_SUCCESS;
}

CUresult i_cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS v2;
	CUresult r = p ? i_cuGraphKernelNodeGetParams_v2(node, &v2) : CUDA_ERROR_INVALID_VALUE;

	if (!r)
		memcpy(p, &v2, sizeof(*p));
	return r;
}

CUresult i_cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	struct cu_op op;

	return set(op_kernel_v1(&op, p), &op, node);
}

CUresult i_cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct cu_op op;

	return set(op_kernel(&op, p), &op, node);
}

CUresult i_cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	struct cu_op op;

	return exec_set(op_kernel_v1(&op, p), &op, exec, node);
}

CUresult i_cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct cu_op op;

	return exec_set(op_kernel(&op, p), &op, exec, node);
}

static void get_updatable(const struct cu_kernel *k, CUlaunchAttributeValue *value)
{
	value->deviceUpdatableKernelNode.deviceUpdatable = k->updatable != NULL;
	value->deviceUpdatableKernelNode.devNode = (CUgraphDeviceNode)(uintptr_t)cu_updatable_node(k->updatable);
}

/* CUDA's rule: there is no way back. */
static CUresult set_updatable(struct cu_kernel *k, const CUlaunchAttributeValue *value)
{
	if (value->deviceUpdatableKernelNode.deviceUpdatable)
		return cu_updatable_make(k);
	return k->updatable ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult i_cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID attribute, CUlaunchAttributeValue *value)
{
	struct CUgraphNode_st *n;
	CUresult r = look(node, CU_GRAPH_NODE_TYPE_KERNEL, value, &n);

	if (r)
		return r;
	memset(value, 0, CU_ATTRIBUTE_LEAST);
	if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		value->cooperative = n->op.kernel.cooperative;
	else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		value->priority = n->op.kernel.priority;
	else if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
		cu_cluster_get(&n->op.kernel.cluster, value);
	else if (attribute == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
		get_updatable(&n->op.kernel, value);
	else if (attribute != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
		r = CUDA_ERROR_INVALID_VALUE;
	cu_obj_put(n);
	return r;
}

CUresult i_cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID attribute,
					 const CUlaunchAttributeValue *value)
{
	struct CUgraphNode_st *n;
	CUresult r = look(node, CU_GRAPH_NODE_TYPE_KERNEL, value, &n);

	if (r)
		return r;
	if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		n->op.kernel.cooperative = value->cooperative;
	else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		n->op.kernel.priority = value->priority;
	else if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
		r = cu_cluster_set(&n->op.kernel, value);
	else if (attribute == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
		r = set_updatable(&n->op.kernel, value);
	else if (attribute != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
		r = CUDA_ERROR_INVALID_VALUE;
	cu_obj_put(n);
	return r;
}

CUresult i_cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
	struct CUgraphNode_st *t, *f;
	CUresult r = look(to, CU_GRAPH_NODE_TYPE_KERNEL, to, &t);

	if (r)
		return r;
	r = look(from, CU_GRAPH_NODE_TYPE_KERNEL, from, &f);
	if (!r) {
		t->op.kernel.cooperative = f->op.kernel.cooperative;
		t->op.kernel.cluster = f->op.kernel.cluster;
		t->op.kernel.priority = f->op.kernel.priority;
		cu_obj_put(f);
	}
	cu_obj_put(t);
	return r;
}

/* ---- copies, fills, host functions, memory operations ---------------------------------------- */

/* Checks the context that a copy or fill names.  A launch then uses its stream's context. */
static CUresult check_ctx(CUcontext ctx)
{
	struct CUctx_st *c;
	CUresult r = ctx ? cu_obj_find(ctx, CU_CTX, &c) : CUDA_SUCCESS;

	if (ctx && !r)
		cu_obj_put(c);
	return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_CONTEXT : r;
}

#define LOOK(Name, TYPE, Type, member) \
CUresult i_cuGraph##Name##NodeGetParams(CUgraphNode node, Type *p) \
{ \
	struct CUgraphNode_st *n; \
	CUresult r = look(node, TYPE, p, &n); \
	if (r) \
		return r; \
	*p = n->op.member; \
	cu_obj_put(n); \
	return CUDA_SUCCESS; \
}
#define SET(Name, Type, make) \
CUresult i_cuGraph##Name##NodeSetParams(CUgraphNode node, const Type *p) \
{ \
	struct cu_op op; \
	return set(make(&op, p), &op, node); \
}
#define ADD(Name, Type, make) \
CUresult i_cuGraphAdd##Name##Node(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num, const Type *p) \
{ \
	struct cu_op op; \
	return add(make(&op, p), &op, node, graph, deps, num); \
} \
CUresult i_cuGraphExec##Name##NodeSetParams(CUgraphExec exec, CUgraphNode node, const Type *p) \
{ \
	struct cu_op op; \
	return exec_set(make(&op, p), &op, exec, node); \
}
#define ADD_CTX(Name, Type, make) \
CUresult i_cuGraphAdd##Name##Node(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num, \
				  const Type *p, CUcontext ctx) \
{ \
	struct cu_op op; \
	CUresult r = check_ctx(ctx); \
	return r ? r : add(make(&op, p), &op, node, graph, deps, num); \
} \
CUresult i_cuGraphExec##Name##NodeSetParams(CUgraphExec exec, CUgraphNode node, const Type *p, CUcontext ctx) \
{ \
	struct cu_op op; \
	CUresult r = check_ctx(ctx); \
	return r ? r : exec_set(make(&op, p), &op, exec, node); \
}
LOOK(Memcpy, CU_GRAPH_NODE_TYPE_MEMCPY, CUDA_MEMCPY3D, copy)
SET(Memcpy, CUDA_MEMCPY3D, op_copy)
ADD_CTX(Memcpy, CUDA_MEMCPY3D, op_copy)
LOOK(Memset, CU_GRAPH_NODE_TYPE_MEMSET, CUDA_MEMSET_NODE_PARAMS, fill)
SET(Memset, CUDA_MEMSET_NODE_PARAMS, op_fill)
ADD_CTX(Memset, CUDA_MEMSET_NODE_PARAMS, op_fill)
LOOK(Host, CU_GRAPH_NODE_TYPE_HOST, CUDA_HOST_NODE_PARAMS, host)
SET(Host, CUDA_HOST_NODE_PARAMS, op_host)
ADD(Host, CUDA_HOST_NODE_PARAMS, op_host)
SET(BatchMemOp, CUDA_BATCH_MEM_OP_NODE_PARAMS, op_mem)
ADD(BatchMemOp, CUDA_BATCH_MEM_OP_NODE_PARAMS, op_mem)

CUresult i_cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	struct CUgraphNode_st *n;
	CUresult r = look(node, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, p, &n);

	if (r)
		return r;
	*p = (CUDA_BATCH_MEM_OP_NODE_PARAMS){ .count = n->op.mem.count, .paramArray = n->op.mem.ops };
	cu_obj_put(n);
	return CUDA_SUCCESS;
}

/* ---- empty nodes, children, events ----------------------------------------------------------- */

CUresult i_cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num)
{
	struct cu_op op = { .type = CU_GRAPH_NODE_TYPE_EMPTY };

	return add(CUDA_SUCCESS, &op, node, graph, deps, num);
}

CUresult i_cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num, CUgraph child)
{
	struct cu_op op;

	return add(op_child(&op, child), &op, node, graph, deps, num);
}

CUresult i_cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
	struct CUgraphNode_st *n;
	CUresult r = look(node, CU_GRAPH_NODE_TYPE_GRAPH, graph, &n);

	if (r)
		return r;
	*graph = n->op.cond.child;
	cu_obj_put(n);
	return CUDA_SUCCESS;
}

CUresult i_cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
	struct cu_op op;

	return exec_set(op_child(&op, child), &op, exec, node);
}

#define EVENT(Name, TYPE) \
CUresult i_cuGraphAddEvent##Name##Node(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num, \
				       CUevent event) \
{ \
	struct cu_op op; \
	return add(cu_op_event(&op, TYPE, event), &op, node, graph, deps, num); \
} \
CUresult i_cuGraphEvent##Name##NodeGetEvent(CUgraphNode node, CUevent *event) \
{ \
	struct CUgraphNode_st *n; \
	CUresult r = look(node, TYPE, event, &n); \
	if (r) \
		return r; \
	*event = n->op.event; \
	cu_obj_put(n); \
	return CUDA_SUCCESS; \
} \
CUresult i_cuGraphEvent##Name##NodeSetEvent(CUgraphNode node, CUevent event) \
{ \
	struct cu_op op; \
	return set(cu_op_event(&op, TYPE, event), &op, node); \
} \
CUresult i_cuGraphExecEvent##Name##NodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) \
{ \
	struct cu_op op; \
	return exec_set(cu_op_event(&op, TYPE, event), &op, exec, node); \
}
EVENT(Record, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
EVENT(Wait, CU_GRAPH_NODE_TYPE_WAIT_EVENT)

/* ---- memory --------------------------------------------------------------------------------- */

CUresult i_cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num,
				  CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	struct cu_op op;
	CUresult r = op_alloc(&op, p);

	if (r)
		return r;
	r = add(r, &op, node, graph, deps, num);
	if (r)
		ppuFree((void *)(uintptr_t)p->dptr);
	return r;
}

LOOK(MemAlloc, CU_GRAPH_NODE_TYPE_MEM_ALLOC, CUDA_MEM_ALLOC_NODE_PARAMS, alloc)

CUresult i_cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t num, CUdeviceptr ptr)
{
	struct cu_op op;

	return add(op_free(&op, ptr), &op, node, graph, deps, num);
}

LOOK(MemFree, CU_GRAPH_NODE_TYPE_MEM_FREE, CUdeviceptr, free)
