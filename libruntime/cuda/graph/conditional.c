/* SPDX-License-Identifier: MIT */
/*
 * Conditional nodes.  A handle is the address of a word in device memory, which cudaGraphSetConditional() stores to.
 * The bodies of a node are the children of a graph of its own, so all that is done with children is done with bodies.
 *
 * Who launches the graph looks at the word, and so waits for what comes before the node.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "cuda/graph/conditional.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/graph.h"
#include "cuda/stream/stream.h"

#define MOST_BODIES	65536u

struct cu_cond {
	struct cu_obj obj;		/* no handle; counts references */
	struct cu_cond *next;		/* list of all */
	void *word;
	uint32_t value;			/* at the begin of a launch, if... */
	bool assign;
	bool used;			/* by a node: there is one for each handle */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of the list, and of `used` */
static struct cu_cond *all;

static void release(void *obj)
{
	struct cu_cond *c = obj, **p;

	pthread_mutex_lock(&lock);
	for (p = &all; *p && *p != c; p = &(*p)->next)
		;
	if (*p)
		*p = c->next;
	pthread_mutex_unlock(&lock);
	cu_free_in(c->obj.ctx, c->obj.ctx_id, c->word);
}

CUresult cu_conds_copy(struct cu_conds *to, const struct cu_conds *from)
{
	*to = (struct cu_conds){ 0 };
	if (!from->num)
		return CUDA_SUCCESS;
	to->cond = malloc(from->num * sizeof(*to->cond));
	if (!to->cond)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (; to->num < from->num; to->num++) {
		to->cond[to->num] = from->cond[to->num];
		cu_obj_ref(to->cond[to->num]);
	}
	return CUDA_SUCCESS;
}

void cu_conds_free(struct cu_conds *c)
{
	for (size_t i = 0; i < c->num; i++)
		cu_obj_put(c->cond[i]);
	free(c->cond);
	*c = (struct cu_conds){ 0 };
}

CUresult cu_conds_start(const struct cu_conds *c, const struct cu_stream_use *u)
{
	CUresult r = CUDA_SUCCESS;

	for (size_t i = 0; !r && i < c->num; i++)
		if (c->cond[i]->assign)
			r = cu_result(ppuMemsetAsync(c->cond[i]->word, c->cond[i]->value, 4, 1, u->ppu));
	return r;
}

static CUresult keep(struct CUgraph_st *g, struct cu_cond *c)
{
	struct cu_cond **list;
	CUresult r = CUDA_SUCCESS;

	pthread_mutex_lock(&cu_graph_lock);
	list = realloc(g->conds.cond, (g->conds.num + 1) * sizeof(*list));
	if (list) {
		g->conds.cond = list;
		list[g->conds.num++] = c;
	} else {
		r = CUDA_ERROR_OUT_OF_MEMORY;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return r;
}

static CUresult make(struct cu_cond **out, struct CUctx_st *c, uint32_t value, bool assign)
{
	struct cu_cond *cond = cu_obj_new(CU_COND, sizeof(*cond), c, NULL);
	CUresult r = cond ? cu_result(ppuMalloc(&cond->word, 8)) : CUDA_ERROR_OUT_OF_MEMORY;

	if (!r) {
		cond->obj.release = release;
		r = cu_result(ppuMemset(cond->word, value, 4, 1));
	}
	if (r) {
		cu_obj_put(cond);
		return r;
	}
	cond->value = value;
	cond->assign = assign;
	pthread_mutex_lock(&lock);
	cond->next = all;
	all = cond;
	pthread_mutex_unlock(&lock);
	*out = cond;
	return CUDA_SUCCESS;
}

CUresult i_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext ctx,
					  unsigned int value, unsigned int flags)
{
	struct cu_cond *cond;
	struct CUgraph_st *g;
	struct CUctx_st *c;
	CUresult r = handle && !(flags & ~CU_GRAPH_COND_ASSIGN_DEFAULT) ? cu_obj_find(graph, CU_GRAPH, &g) :
									   CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
	r = cu_current(&c);
	if (!r) {
		if (ctx && ctx != (CUcontext)c)
			r = CUDA_ERROR_NOT_SUPPORTED;
		if (!r)
			r = make(&cond, c, value, flags & CU_GRAPH_COND_ASSIGN_DEFAULT);
		cu_obj_put(c);
	}
	if (!r) {
		r = keep(g, cond);
		if (r)
			cu_obj_put(cond);
		else
			*handle = (uintptr_t)cond->word;
	}
	cu_obj_put(g);
	return r;
}

/* ---- nodes ---------------------------------------------------------------------------------------- */

/* The word of a handle, for the one node that may have it; with a reference. */
static CUresult take(CUgraphConditionalHandle handle, struct cu_cond **cond)
{
	struct cu_cond *c;

	pthread_mutex_lock(&lock);
	for (c = all; c && (uintptr_t)c->word != handle; c = c->next)
		;
	if (c && c->used)
		c = NULL;
	if (c) {
		c->used = true;
		cu_obj_ref(c);
	}
	pthread_mutex_unlock(&lock);
	*cond = c;
	return c ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void give_back(struct cu_cond *c)
{
	pthread_mutex_lock(&lock);
	c->used = false;
	pthread_mutex_unlock(&lock);
}

static bool size_ok(const CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	switch (p->type) {
	case CU_GRAPH_COND_TYPE_IF:
		return p->size == 1 || p->size == 2;	/* the second is what else runs */
	case CU_GRAPH_COND_TYPE_WHILE:
		return p->size == 1;
	case CU_GRAPH_COND_TYPE_SWITCH:
		return p->size && p->size <= MOST_BODIES;
	default:
		return false;
	}
}

/* Locked.  A graph whose nodes are the bodies. */
static CUresult make_bodies(struct cu_op *op, unsigned int num, CUgraph *bodies)
{
	struct CUgraph_st *g = cu_graph_new(), *body;
	CUresult r = g ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	struct CUgraphNode_st *n;
	struct cu_op child;

	for (unsigned int i = 0; !r && i < num; i++) {
		body = cu_graph_new();
		if (!body) {
			r = CUDA_ERROR_OUT_OF_MEMORY;
			break;
		}
		cu_obj_publish(body);
		cu_graph_make_child(&child, body);
		r = cu_graph_append(g, &child, NULL, &n);
		if (!r)
			bodies[i] = body;
		cu_graph_withdraw_child(&child);	/* does nothing if the body is the node's now */
		cu_op_clear(&child);
	}
	if (r) {
		if (g)
			cu_graph_withdraw(g);
		cu_obj_put(g);
		return r;
	}
	cu_obj_publish(g);
	cu_graph_make_child(op, g);
	return CUDA_SUCCESS;
}

CUresult cu_op_cond(struct cu_op *op, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	CUgraph *bodies = NULL;
	struct cu_cond *cond;
	CUresult r = size_ok(p) ? take(p->handle, &cond) : CUDA_ERROR_INVALID_VALUE;

	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_EMPTY;
	if (r)
		return r;
	bodies = calloc(p->size, sizeof(*bodies));
	r = bodies ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	if (!r) {
		pthread_mutex_lock(&cu_graph_lock);
		r = make_bodies(op, p->size, bodies);
		pthread_mutex_unlock(&cu_graph_lock);
	}
	if (r) {
		give_back(cond);
		cu_obj_put(cond);
		free(bodies);
		return r;
	}
	op->type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	op->cond.word = cond;
	op->cond.type = p->type;
	op->cond.size = p->size;
	op->cond.bodies = bodies;
	p->phGraph_out = bodies;
	return CUDA_SUCCESS;
}

void cu_cond_clear(struct cu_op *op)
{
	if (op->cond.bodies)	/* the node's own op, not a copy: the handle is free for another node */
		give_back(op->cond.word);
	free(op->cond.bodies);
	cu_obj_put(op->cond.word);
}

CUresult cu_cond_value(const struct cu_op *op, const struct cu_stream_use *u, uint32_t *value)
{
	ppuResult res = ppuStreamSynchronize(u->ppu);

	return cu_result(res ? res : ppuMemcpy(value, op->cond.word->word, sizeof(*value)));
}

int cu_cond_body(const struct cu_op *op, uint32_t value)
{
	if (op->cond.type == CU_GRAPH_COND_TYPE_SWITCH)
		return value < op->cond.size ? (int)value : -1;
	return value ? 0 : op->cond.size == 2 ? 1 : -1;
}
