/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs: a graph's work in one order that its dependencies allow.  A launch hands the work to the
 * stream piece by piece.  As with the vendor's library, two threads must not use one executable graph at a time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "cuda/graph/exec.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/devgraph.h"
#include "cuda/graph/graph.h"
#include "cuda/graph/updatable.h"
#include "cuda/graph/work.h"
#include "cuda/module/function.h"
#include "cuda/stream/stream.h"


struct step {
	struct cu_op op;
	struct CUgraphExec_st *child;	/* of a GRAPH op; of a CONDITIONAL one: each step is a body */
	unsigned long long node, origin;	/* ids */
	struct CUgraphNode_st *from;	/* for error reports only; no reference */
	bool enabled;
	size_t *deps, num_deps;		/* steps that this one waits for */
};

struct CUgraphExec_st {
	struct cu_obj obj;
	struct step *steps;
	size_t num;
	unsigned long long flags;
	struct cu_conds conds;		/* those of the graph when it was built: a launch reads them without the lock */
	struct CUgraph_st *source;	/* with a reference, which keeps its nodes' memory and its user objects */
	bool on_device;			/* kernels launch it, or change its nodes: */
	ppuGraph device;		/* NULL: not uploaded */
	struct CUctx_st *device_ctx;	/* with a reference */
	bool changed;			/* since the upload */
};

static void leave_nodes(const struct CUgraphExec_st *e)
{
	for (size_t i = 0; i < e->num; i++) {
		if (e->steps[i].child)
			leave_nodes(e->steps[i].child);
		else if (e->steps[i].op.type == CU_GRAPH_NODE_TYPE_KERNEL)
			cu_updatable_leave(e->steps[i].op.kernel.updatable);
	}
}

static void leave_device(struct CUgraphExec_st *e)
{
	ppuGraphDestroy(e->device);
	leave_nodes(e);
}

static void withdraw_from_device(struct CUgraphExec_st *e)
{
	if (e->device)
		leave_device(e);
	cu_obj_put(e->device_ctx);
	e->device = NULL;
	e->device_ctx = NULL;
}

static void exec_free(void *obj)
{
	struct CUgraphExec_st *e = obj;

	withdraw_from_device(e);
	for (size_t i = 0; i < e->num; i++) {
		cu_op_clear(&e->steps[i].op);
		cu_obj_put(e->steps[i].child);
		free(e->steps[i].deps);
	}
	free(e->steps);
	cu_conds_free(&e->conds);
	cu_obj_put(e->source);
}

/* ---- instantiation -------------------------------------------------------------------------- */

static CUresult build(struct CUgraph_st *g, struct CUgraphExec_st **exec);

/* Locked. */
static CUresult build_step(struct step *s, struct CUgraphNode_st *n)
{
	CUresult r = cu_op_copy_of(&s->op, &n->op);

	s->node = n->id;
	s->origin = n->origin;
	s->from = n;
	s->enabled = true;
	if (!r && cu_op_has_child(&n->op))
		r = build(n->op.cond.child, &s->child);
	if (r)
		return r;
	s->deps = malloc((n->deps.num ? n->deps.num : 1) * sizeof(*s->deps));
	if (!s->deps)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; i < n->deps.num; i++)
		s->deps[i] = n->deps.node[i]->place;
	s->num_deps = n->deps.num;
	return CUDA_SUCCESS;
}

/* Locked. */
static CUresult build(struct CUgraph_st *g, struct CUgraphExec_st **exec)
{
	struct CUgraphExec_st *e = cu_obj_new(CU_EXEC, sizeof(*e), NULL, exec_free);
	struct cu_nodes order = { 0 };
	CUresult r;

	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = cu_graph_order(g, &order);
	e->steps = calloc(order.num ? order.num : 1, sizeof(*e->steps));
	if (!r && !e->steps)
		r = CUDA_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; !r && i < order.num; i++)
		order.node[i]->place = i;	/* the place is now one in `order` */
	for (size_t i = 0; !r && i < order.num; i++) {
		e->steps[i].op.type = CU_GRAPH_NODE_TYPE_EMPTY;
		e->num++;
		r = build_step(&e->steps[i], order.node[i]);
	}
	cu_nodes_clear(&order);
	if (!r)
		r = cu_conds_copy(&e->conds, &g->conds);
	if (r) {
		cu_obj_put(e);
		return r;
	}
	cu_obj_ref(g);
	e->source = g;
	*exec = e;
	return CUDA_SUCCESS;
}

/* ---- graphs that kernels launch -------------------------------------------------------------- */

/* May kernels launch it?  *work: there is something to do. */
static bool for_device(const struct CUgraphExec_st *e, bool *work)
{
	bool ok = true;

	for (size_t i = 0; ok && i < e->num; i++) {
		ok = cu_devnode_allowed(&e->steps[i].op) && (!e->steps[i].child || for_device(e->steps[i].child, work));
		*work |= !e->steps[i].child && e->steps[i].op.type != CU_GRAPH_NODE_TYPE_EMPTY;
	}
	return ok;
}

static bool is_updatable(const struct step *s)
{
	return !s->child && s->op.type == CU_GRAPH_NODE_TYPE_KERNEL && s->op.kernel.updatable;
}

/* Kernels change nodes where the device has them, so the device launches these. */
static bool has_updatable(const struct CUgraphExec_st *e)
{
	bool any = false;

	for (size_t i = 0; !any && i < e->num; i++)
		any = e->steps[i].child ? has_updatable(e->steps[i].child) : is_updatable(&e->steps[i]);
	return any;
}

static CUresult collect(const struct CUgraphExec_st *e, struct cu_devnodes *list)
{
	CUresult r = CUDA_SUCCESS;

	for (size_t i = 0; !r && i < e->num; i++)
		if (e->steps[i].enabled || is_updatable(&e->steps[i]))
			r = e->steps[i].child ? collect(e->steps[i].child, list) :
			    cu_devnodes_add(list, &e->steps[i].op, !e->steps[i].enabled);
	return r;
}

/* Brings the graph to the device, if it is not there as it is now. */
static CUresult upload(struct CUgraphExec_st *e, const struct cu_stream_use *u)
{
	struct cu_devnodes list = { 0 };
	CUresult r = CUDA_SUCCESS;

	if (e->device && !e->changed && e->device_ctx == u->ctx)
		return CUDA_SUCCESS;
	withdraw_from_device(e);
	if (!cu_go_to(u->ctx, u->ctx->id))	/* the nodes that it has left may be of another */
		return CUDA_ERROR_INVALID_CONTEXT;
	r = collect(e, &list);
	/* All nodes may be switched off. */
	if (!r && list.num)
		r = cu_result(ppuGraphCreate(&e->device, e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH ? (uintptr_t)e : 0,
					     list.node, list.num));
	cu_devnodes_clear(&list);
	if (!r && e->device) {
		cu_obj_ref(u->ctx);
		e->device_ctx = u->ctx;
	}
	e->changed = false;
	return r;
}

static CUresult check_for_device(const struct CUgraphExec_st *e, unsigned long long flags)
{
	bool work = false;

	if (!e->on_device)
		return CUDA_SUCCESS;
	if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)
		return CUDA_ERROR_INVALID_VALUE;
	if (!for_device(e, &work))
		return CUDA_ERROR_NOT_SUPPORTED;
	return work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult upload_in(struct CUgraphExec_st *e, CUstream stream)
{
	struct cu_stream_use u;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	if (e->on_device)
		r = upload(e, &u);
	cu_stream_put(&u);
	return r;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags, CUstream stream)
{
	unsigned long long known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
				   CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
				   CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
	struct CUgraphExec_st *e;
	struct CUgraph_st *g;
	CUresult r = exec && !(flags & ~known) ? cu_obj_find(graph, CU_GRAPH, &g) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
	pthread_mutex_lock(&cu_graph_lock);
	r = build(g, &e);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	if (r)
		return r;
	e->flags = flags;
	e->on_device = flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH || has_updatable(e);
	r = check_for_device(e, flags);
	if (!r && flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
		r = upload_in(e, stream);
	if (r) {
		cu_obj_put(e);
		return r;
	}
	cu_obj_publish(e);
	*exec = e;
	return CUDA_SUCCESS;
}

CUresult i_cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	return instantiate(exec, graph, flags, 0);
}

CUresult i_cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log, size_t bytes)
{
	CUresult r = instantiate(exec, graph, 0, 0);

	if (node)
		*node = NULL;
	if (log && bytes)
		snprintf(log, bytes, "%s", r == CUDA_ERROR_INVALID_VALUE ? "the graph does not exist or has a circle" : "");
	return r;
}

CUresult i_cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log, size_t bytes)
{
	return i_cuGraphInstantiate_v2(exec, graph, node, log, bytes);
}

CUresult i_cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	CUresult r = p ? instantiate(exec, graph, p->flags, p->hUploadStream) : CUDA_ERROR_INVALID_VALUE;

	if (p) {
		p->hErrNode_out = NULL;
		p->result_out = !r ? CUDA_GRAPH_INSTANTIATE_SUCCESS :
				r == CUDA_ERROR_INVALID_VALUE ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE :
				r == CUDA_ERROR_NOT_SUPPORTED ? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED :
				CUDA_GRAPH_INSTANTIATE_ERROR;
	}
	return r;
}

static CUresult find(CUgraphExec exec, struct CUgraphExec_st **e)
{
	CUresult r = cu_obj_find(exec, CU_EXEC, e);

	return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
}

CUresult i_cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
	struct CUgraphExec_st *e;
	CUresult r = flags ? find(exec, &e) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	*flags = e->flags;
	cu_obj_put(e);
	return CUDA_SUCCESS;
}

CUresult i_cuGraphExecDestroy(CUgraphExec exec)
{
	CUresult r = cu_obj_destroy(exec, CU_EXEC);

	return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
}

/* ---- launch --------------------------------------------------------------------------------- */

static CUresult run(const struct CUgraphExec_st *e, const struct cu_stream_use *u);

/* Looks, runs the body, and while that is the question, looks again. */
static CUresult decide(const struct step *s, const struct cu_stream_use *u)
{
	uint32_t value;
	CUresult r;
	int body;

	do {
		r = cu_cond_value(&s->op, u, &value);
		body = r ? -1 : cu_cond_body(&s->op, value);
		if (body >= 0)
			r = run(s->child->steps[body].child, u);
	} while (!r && body >= 0 && s->op.cond.type == CU_GRAPH_COND_TYPE_WHILE);
	return r;
}

static CUresult run(const struct CUgraphExec_st *e, const struct cu_stream_use *u)
{
	CUresult r = cu_conds_start(&e->conds, u);

	for (size_t i = 0; !r && i < e->num; i++) {
		const struct step *s = &e->steps[i];

		if (!s->enabled)
			continue;
		r = s->op.type == CU_GRAPH_NODE_TYPE_CONDITIONAL ? decide(s, u) :
		    s->child ? run(s->child, u) : cu_op_run(&s->op, u);
	}
	return r;
}

/* Locked.  Makes a graph that does what the executable graph does. */
static CUresult to_graph(const struct CUgraphExec_st *e, struct CUgraph_st **graph)
{
	struct CUgraph_st *g = cu_graph_new(), *child;
	CUresult r = g ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	struct CUgraphNode_st *n;

	for (size_t i = 0; !r && i < e->num; i++) {
		const struct step *s = &e->steps[i];
		struct cu_op op = { .type = CU_GRAPH_NODE_TYPE_EMPTY };

		if (s->child) {
			r = to_graph(s->child, &child);
			if (!r)
				cu_graph_adopt(&op, &s->op, child);
		} else if (s->enabled) {
			r = s->op.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? CUDA_ERROR_NOT_SUPPORTED :
			    cu_op_copy_of(&op, &s->op);
		}
		if (!r)
			r = cu_graph_append(g, &op, NULL, &n);
		for (size_t k = 0; !r && k < s->num_deps; k++)
			r = cu_nodes_add(&n->deps, g->nodes.node[s->deps[k]]);
		cu_graph_withdraw_child(&op);	/* does nothing if the child is the node's now */
		cu_op_clear(&op);
	}
	if (!r)
		r = cu_conds_copy(&g->conds, &e->conds);
	if (!r) {
		cu_obj_publish(g);
		*graph = g;
	} else if (g) {
		cu_graph_withdraw(g);
		cu_obj_put(g);
	}
	return r;
}

/* A launch into a stream that is captured adds the graph to the capture as a child. */
static CUresult capture(const struct CUgraphExec_st *e, const struct cu_stream_use *u, bool *captured)
{
	struct CUgraph_st *child;
	struct cu_op op;
	CUresult r;

	pthread_mutex_lock(&cu_graph_lock);
	r = to_graph(e, &child);
	if (!r)
		cu_graph_make_child(&op, child);
	pthread_mutex_unlock(&cu_graph_lock);
	if (r)
		return r;
	r = cu_capture_op(u, &op, captured);
	if (r || !*captured) {
		pthread_mutex_lock(&cu_graph_lock);
		cu_graph_withdraw_child(&op);
		pthread_mutex_unlock(&cu_graph_lock);
	}
	cu_op_clear(&op);
	return r;
}

CUresult i_cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	struct CUgraphExec_st *e;
	struct cu_stream_use u;
	bool captured = false;
	CUresult r = find(exec, &e);

	if (r)
		return r;
	r = cu_stream_get(stream, &u);
	if (!r) {
		if (cu_capturing(&u))
			r = capture(e, &u, &captured);
		if (!r && !captured && e->on_device) {
			r = upload(e, &u);
			if (!r && e->device)
				r = cu_result(ppuGraphLaunch(e->device, u.ppu));
		} else if (!r && !captured) {
			r = run(e, &u);
		}
		cu_stream_put(&u);
	}
	cu_obj_put(e);
	return r;
}

/* Only what kernels launch needs to be on the device before a launch. */
CUresult i_cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	struct CUgraphExec_st *e;
	CUresult r = find(exec, &e);

	if (r)
		return r;
	r = upload_in(e, stream);
	cu_obj_put(e);
	return r;
}

/* ---- changes -------------------------------------------------------------------------------- */

/* The step of a node, also in children; NULL: there is none. */
static struct step *step_of(struct CUgraphExec_st *e, unsigned long long node)
{
	for (size_t i = 0; i < e->num; i++) {
		struct step *s = &e->steps[i], *inner = s->child ? step_of(s->child, node) : NULL;

		if (s->node == node || inner)
			return inner ? inner : s;
	}
	return NULL;
}

/* Gives a step another op of the same type; *op becomes the step's old one. */
static CUresult exchange(struct step *s, struct cu_op *op)
{
	struct CUgraphExec_st *child = NULL;
	struct cu_op old = s->op;
	CUresult r = CUDA_SUCCESS;

	if (s->op.type != op->type || op->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || op->type == CU_GRAPH_NODE_TYPE_CONDITIONAL ||
	    (op->type == CU_GRAPH_NODE_TYPE_KERNEL &&
	     op->kernel.function->obj.ctx != old.kernel.function->obj.ctx))
		return CUDA_ERROR_INVALID_VALUE;
	if (op->type == CU_GRAPH_NODE_TYPE_KERNEL)
		cu_kernel_like(&op->kernel, &old.kernel);
	if (op->type == CU_GRAPH_NODE_TYPE_GRAPH) {
		r = build(op->cond.child, &child);
		if (r)
			return r;
		cu_obj_put(s->child);
		s->child = child;
	}
	s->op = *op;
	*op = old;
	return CUDA_SUCCESS;
}

CUresult cu_exec_set(CUgraphExec exec, CUgraphNode node, struct cu_op *op)
{
	struct CUgraphExec_st *e;
	struct CUgraphNode_st *n;
	struct step *s;
	CUresult r = find(exec, &e);

	if (r) {
		cu_op_clear(op);
		return r;
	}
	n = cu_obj_get(node, CU_NODE);
	pthread_mutex_lock(&cu_graph_lock);
	s = n ? step_of(e, n->id) : NULL;
	r = s && (!e->on_device || cu_devnode_allowed(op)) ? exchange(s, op) : CUDA_ERROR_INVALID_VALUE;
	e->changed = true;
	pthread_mutex_unlock(&cu_graph_lock);
	cu_op_clear(op);
	cu_obj_put(n);
	cu_obj_put(e);
	return r;
}

static CUresult enabled(CUgraphExec exec, CUgraphNode node, unsigned int *get, const unsigned int *set)
{
	struct CUgraphExec_st *e;
	struct CUgraphNode_st *n;
	struct step *s;
	CUresult r = find(exec, &e);

	if (r)
		return r;
	n = cu_obj_get(node, CU_NODE);
	pthread_mutex_lock(&cu_graph_lock);
	s = n ? step_of(e, n->id) : NULL;
	if (!s || (s->op.type != CU_GRAPH_NODE_TYPE_KERNEL && s->op.type != CU_GRAPH_NODE_TYPE_MEMCPY &&
		   s->op.type != CU_GRAPH_NODE_TYPE_MEMSET)) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else if (get) {
		*get = s->enabled;
	} else {
		s->enabled = *set;
		e->changed = true;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(n);
	cu_obj_put(e);
	return r;
}

CUresult i_cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int value)
{
	return enabled(exec, node, NULL, &value);
}

CUresult i_cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *value)
{
	return value ? enabled(exec, node, value, NULL) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- update --------------------------------------------------------------------------------- */

/* Have two executable graphs the same shape?  The first difference goes to *info. */
static CUgraphExecUpdateResult compare(const struct CUgraphExec_st *a, const struct CUgraphExec_st *b,
				       CUgraphExecUpdateResultInfo *info)
{
	if (a->num != b->num)
		return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	for (size_t i = 0; i < a->num; i++) {
		const struct step *s = &a->steps[i], *t = &b->steps[i];
		CUgraphExecUpdateResult res = CU_GRAPH_EXEC_UPDATE_SUCCESS;

		if (s->op.type != t->op.type)
			res = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
		else if (s->num_deps != t->num_deps)
			res = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		for (size_t k = 0; !res && k < s->num_deps; k++)
			if (s->deps[k] != t->deps[k])
				res = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		if (!res && s->op.type == CU_GRAPH_NODE_TYPE_KERNEL &&
		    s->op.kernel.function->obj.ctx != t->op.kernel.function->obj.ctx)
			res = CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED;
		if (!res && s->op.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
			res = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
		if (!res && s->op.type == CU_GRAPH_NODE_TYPE_CONDITIONAL &&
		    (s->op.cond.word != t->op.cond.word || s->op.cond.type != t->op.cond.type))
			res = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
		if (!res && s->child)
			res = compare(s->child, t->child, info);
		if (res) {
			info->errorNode = info->errorNode ? info->errorNode : t->from;
			return res;
		}
	}
	return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

CUresult i_cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
	struct CUgraphExec_st *e, *fresh = NULL;
	struct CUgraph_st *g, *source = NULL;
	CUresult r = info ? find(exec, &e) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	*info = (CUgraphExecUpdateResultInfo){ .result = CU_GRAPH_EXEC_UPDATE_ERROR };
	g = cu_obj_get(graph, CU_GRAPH);
	pthread_mutex_lock(&cu_graph_lock);
	r = g ? build(g, &fresh) : CUDA_ERROR_INVALID_VALUE;
	if (!r) {
		info->result = compare(e, fresh, info);
		if (!info->result && check_for_device(fresh, e->flags))
			info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
		if (info->result)
			r = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	}
	if (!r) {
		struct step *steps = e->steps;
		struct cu_conds conds = e->conds;

		/* Steps that are switched off stay off. */
		for (size_t i = 0; i < e->num; i++)
			fresh->steps[i].enabled = steps[i].enabled;
		/* Steps keep the ids of the nodes by which the program knows them. */
		for (size_t i = 0; i < e->num; i++)
			fresh->steps[i].node = steps[i].node;
		e->steps = fresh->steps;
		e->changed = true;
		fresh->steps = steps;
		e->conds = fresh->conds;
		fresh->conds = conds;
		source = e->source;
		e->source = fresh->source;
		fresh->source = source;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(fresh);
	cu_obj_put(g);
	cu_obj_put(e);
	return r;
}

CUresult i_cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *node, CUgraphExecUpdateResult *result)
{
	CUgraphExecUpdateResultInfo info;
	CUresult r = result ? i_cuGraphExecUpdate_v2(exec, graph, &info) : CUDA_ERROR_INVALID_VALUE;

	if (result && (!r || r == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)) {
		*result = info.result;
		if (node)
			*node = info.errorNode;
	}
	return r;
}
