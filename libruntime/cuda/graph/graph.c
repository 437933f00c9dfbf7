/* SPDX-License-Identifier: MIT */
/* Graphs: nodes, and the nodes that they wait for. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "cuda/graph/graph.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/object.h"
#include "cuda/graph/userobj.h"
#include "cuda/graph/work.h"
#include "cuda/module/function.h"

/* Recursive, because the last reference to a node or an event may be dropped while the lock is held. */
pthread_mutex_t cu_graph_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static unsigned long long last_id;
static uint64_t memory_now, memory_most;
static struct CUgraphNode_st *owners;		/* nodes that own memory */

/* ---- sets ----------------------------------------------------------------------------------- */

bool cu_nodes_have(const struct cu_nodes *set, const struct CUgraphNode_st *node)
{
	for (size_t i = 0; i < set->num; i++)
		if (set->node[i] == node)
			return true;
	return false;
}

/* The room is doubled when the number reaches a power of two. */
static CUresult push(struct cu_nodes *set, struct CUgraphNode_st *node)
{
	if (!(set->num & (set->num - 1))) {
		struct CUgraphNode_st **n = realloc(set->node, (set->num ? 2 * set->num : 1) * sizeof(*n));

		if (!n)
			return CUDA_ERROR_OUT_OF_MEMORY;
		set->node = n;
	}
	cu_obj_ref(node);
	set->node[set->num++] = node;
	return CUDA_SUCCESS;
}

CUresult cu_nodes_add(struct cu_nodes *set, struct CUgraphNode_st *node)
{
	return cu_nodes_have(set, node) ? CUDA_SUCCESS : push(set, node);
}

CUresult cu_nodes_merge(struct cu_nodes *set, const struct cu_nodes *more)
{
	CUresult r = CUDA_SUCCESS;

	for (size_t i = 0; !r && i < more->num; i++)
		r = cu_nodes_add(set, more->node[i]);
	return r;
}

/* The room stays as it is: push() looks at the number only, and resizes at the next power of two. */
void cu_nodes_remove(struct cu_nodes *set, const struct CUgraphNode_st *node)
{
	for (size_t i = 0; i < set->num; i++) {
		if (set->node[i] != node)
			continue;
		set->num--;
		memmove(&set->node[i], &set->node[i + 1], (set->num - i) * sizeof(*set->node));
		cu_obj_put((void *)node);
		return;
	}
}

void cu_nodes_clear(struct cu_nodes *set)
{
	while (set->num)
		cu_obj_put(set->node[--set->num]);
	free(set->node);
	set->node = NULL;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static void node_release(void *obj)
{
	struct CUgraphNode_st *n = obj;

	cu_nodes_clear(&n->deps);
	if (n->mem_ctx) {
		pthread_mutex_lock(&cu_graph_lock);
		for (struct CUgraphNode_st **p = &owners; *p; p = &(*p)->mem_next) {
			if (*p == n) {
				*p = n->mem_next;
				break;
			}
		}
		memory_now -= n->op.alloc.bytesize;
		pthread_mutex_unlock(&cu_graph_lock);
		cu_free_in(n->mem_ctx, n->mem_ctx_id, (void *)(uintptr_t)n->op.alloc.dptr);
		cu_obj_put(n->mem_ctx);
	}
	cu_op_clear(&n->op);
}

static void own_memory(struct CUgraphNode_st *n)
{
	if (cu_current(&n->mem_ctx))		/* the context in which the memory was just allocated */
		return;
	n->mem_ctx_id = n->mem_ctx->id;
	n->mem_next = owners;
	owners = n;
	memory_now += n->op.alloc.bytesize;
	if (memory_now > memory_most)
		memory_most = memory_now;
}

bool cu_graph_owns(CUdeviceptr ptr)
{
	struct CUgraphNode_st *n;

	pthread_mutex_lock(&cu_graph_lock);
	for (n = owners; n && n->op.alloc.dptr != ptr; n = n->mem_next)
		;
	pthread_mutex_unlock(&cu_graph_lock);
	return n;
}

void cu_graph_memory(uint64_t *now, uint64_t *most)
{
	*now = memory_now;
	*most = memory_most;
}

CUresult cu_graph_append(struct CUgraph_st *g, struct cu_op *op, const struct cu_nodes *deps,
			 struct CUgraphNode_st **node)
{
	struct CUgraphNode_st *n = cu_obj_new(CU_NODE, sizeof(*n), NULL, node_release);
	CUresult r = n ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

	if (!r && deps)
		r = cu_nodes_merge(&n->deps, deps);
	if (!r)
		r = push(&g->nodes, n);
	if (r) {
		if (n)
			n->op.type = CU_GRAPH_NODE_TYPE_EMPTY;
		cu_obj_put(n);
		return r;
	}
	n->graph = g;
	n->op = *op;
	op->type = CU_GRAPH_NODE_TYPE_EMPTY;	/* what it pointed to is the node's now */
	n->id = ++last_id;
	if (n->op.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		own_memory(n);
	cu_obj_publish(n);
	*node = n;
	return CUDA_SUCCESS;
}

/* ---- graphs --------------------------------------------------------------------------------- */

static void graph_release(void *obj)
{
	struct CUgraph_st *g = obj;

	cu_nodes_clear(&g->nodes);
	cu_held_free(g->held);
	cu_conds_free(&g->conds);
}

struct CUgraph_st *cu_graph_new(void)
{
	return cu_obj_new(CU_GRAPH, sizeof(struct CUgraph_st), NULL, graph_release);
}

void cu_graph_withdraw(struct CUgraph_st *g)
{
	for (size_t i = 0; i < g->nodes.num; i++) {
		struct CUgraphNode_st *n = g->nodes.node[i];

		cu_graph_withdraw_child(&n->op);
		n->graph = NULL;
		cu_obj_withdraw(n);
	}
	cu_obj_withdraw(g);
}

CUresult i_cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!graph || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*graph = cu_graph_new();
	if (!*graph)
		return CUDA_ERROR_OUT_OF_MEMORY;
	cu_obj_publish(*graph);
	return CUDA_SUCCESS;
}

/* In this part of the interface, a bad handle of a graph or node is an invalid value. */
static CUresult value_error(CUresult r)
{
	return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
}

CUresult i_cuGraphDestroy(CUgraph graph)
{
	struct CUgraph_st *g;
	CUresult r = value_error(cu_obj_find(graph, CU_GRAPH, &g));

	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	if (g->is_child)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		cu_graph_withdraw(g);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	return r;
}

bool cu_op_has_child(const struct cu_op *op)
{
	return op->type == CU_GRAPH_NODE_TYPE_GRAPH || op->type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

void cu_graph_make_child(struct cu_op *op, struct CUgraph_st *child)
{
	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_GRAPH;
	op->cond.child = child;
	child->is_child = true;
	cu_obj_ref(child);
}

void cu_graph_withdraw_child(const struct cu_op *op)
{
	if (cu_op_has_child(op))
		cu_graph_withdraw(op->cond.child);
}

void cu_graph_adopt(struct cu_op *op, const struct cu_op *like, struct CUgraph_st *child)
{
	cu_graph_make_child(op, child);
	if (like->type != CU_GRAPH_NODE_TYPE_CONDITIONAL)
		return;
	op->type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	op->cond.word = like->cond.word;
	op->cond.type = like->cond.type;
	op->cond.size = like->cond.size;
	cu_obj_ref(op->cond.word);
}

static CUresult clone_nodes(const struct CUgraph_st *g, struct CUgraph_st *to)
{
	CUresult r = CUDA_SUCCESS;

	for (size_t i = 0; !r && i < g->nodes.num; i++) {
		struct CUgraphNode_st *old = g->nodes.node[i], *n;
		struct CUgraph_st *child;
		struct cu_op op;

		old->place = i;
		/* The node's memory has one address, which a second owner could use at the same time. */
		if (old->op.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || old->op.type == CU_GRAPH_NODE_TYPE_MEM_FREE)
			return CUDA_ERROR_NOT_SUPPORTED;
		op.type = CU_GRAPH_NODE_TYPE_EMPTY;
		if (!cu_op_has_child(&old->op)) {
			r = cu_op_copy_of(&op, &old->op);
		} else {
			r = cu_graph_clone(old->op.cond.child, &child);
			if (!r)
				cu_graph_adopt(&op, &old->op, child);
		}
		if (!r)
			r = cu_graph_append(to, &op, NULL, &n);
		if (!r)
			n->origin = old->id;
		else
			cu_graph_withdraw_child(&op);
		cu_op_clear(&op);
	}
	for (size_t i = 0; !r && i < g->nodes.num; i++) {
		const struct cu_nodes *deps = &g->nodes.node[i]->deps;

		for (size_t k = 0; !r && k < deps->num; k++)
			r = cu_nodes_add(&to->nodes.node[i]->deps, to->nodes.node[deps->node[k]->place]);
	}
	return r;
}

CUresult cu_graph_clone(struct CUgraph_st *g, struct CUgraph_st **clone)
{
	struct CUgraph_st *c = cu_graph_new();
	CUresult r = c ? clone_nodes(g, c) : CUDA_ERROR_OUT_OF_MEMORY;

	if (!r)
		r = cu_held_copy(&c->held, g->held);
	if (!r)
		r = cu_conds_copy(&c->conds, &g->conds);
	if (!r) {
		cu_obj_publish(c);
		*clone = c;
	} else if (c) {
		cu_graph_withdraw(c);	/* its nodes are handles already */
		cu_obj_put(c);
	}
	return r;
}

CUresult i_cuGraphClone(CUgraph *clone, CUgraph graph)
{
	struct CUgraph_st *g;
	CUresult r = clone ? value_error(cu_obj_find(graph, CU_GRAPH, &g)) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	r = cu_graph_clone(g, clone);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	return r;
}

CUresult i_cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
	struct CUgraphNode_st *n;
	struct CUgraph_st *g;
	CUresult r = node ? value_error(cu_obj_find(original, CU_NODE, &n)) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	r = value_error(cu_obj_find(clone, CU_GRAPH, &g));
	if (r) {
		cu_obj_put(n);
		return r;
	}
	r = CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&cu_graph_lock);
	for (size_t i = 0; i < g->nodes.num; i++) {
		if (g->nodes.node[i]->origin == n->id) {
			*node = g->nodes.node[i];
			r = CUDA_SUCCESS;
		}
	}
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	cu_obj_put(n);
	return r;
}

CUresult cu_graph_order(const struct CUgraph_st *g, struct cu_nodes *order)
{
	size_t num = g->nodes.num, first = 0;
	bool *done = calloc(num ? num : 1, sizeof(*done));
	CUresult r = done ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

	for (size_t i = 0; i < num; i++)
		g->nodes.node[i]->place = i;
	/* Repeatedly takes the first node that does not wait for any node that is left. */
	while (!r && order->num < num) {
		size_t i = first, k;

		for (; i < num; i++) {
			const struct cu_nodes *deps = &g->nodes.node[i]->deps;

			for (k = 0; !done[i] && k < deps->num && done[deps->node[k]->place]; k++)
				;
			if (!done[i] && k == deps->num)
				break;
		}
		if (i == num) {
			r = CUDA_ERROR_INVALID_VALUE;
		} else {
			r = push(order, g->nodes.node[i]);
			done[i] = true;
			while (first < num && done[first])
				first++;
		}
	}
	free(done);
	return r;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* Gives out the nodes of `set` that `keep` accepts, at most *num; *num becomes how many were given out.  nodes NULL:
 * *num becomes how many there are. */
static CUresult give(const struct cu_nodes *set, bool (*keep)(const struct CUgraphNode_st *, const void *),
		     const void *arg, CUgraphNode *nodes, size_t *num)
{
	size_t n = 0;

	for (size_t i = 0; i < set->num; i++) {
		if (keep && !keep(set->node[i], arg))
			continue;
		if (nodes && n < *num)
			nodes[n] = set->node[i];
		n++;
	}
	/* Places that are not used become NULL. */
	for (size_t i = n; nodes && i < *num; i++)
		nodes[i] = NULL;
	if (!nodes || n < *num)
		*num = n;
	return CUDA_SUCCESS;
}

static bool is_root(const struct CUgraphNode_st *n, const void *arg)
{
	(void)arg;
	return !n->deps.num;
}

static bool waits_for(const struct CUgraphNode_st *n, const void *arg)
{
	return cu_nodes_have(&n->deps, arg);
}

static CUresult nodes_of(CUgraph graph, bool roots, CUgraphNode *nodes, size_t *num)
{
	struct CUgraph_st *g;
	CUresult r = num ? value_error(cu_obj_find(graph, CU_GRAPH, &g)) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	r = give(&g->nodes, roots ? is_root : NULL, NULL, nodes, num);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	return r;
}

CUresult i_cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *num)
{
	return nodes_of(graph, false, nodes, num);
}

CUresult i_cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *num)
{
	return nodes_of(graph, true, nodes, num);
}

static CUresult neighbours(CUgraphNode node, bool before, CUgraphNode *nodes, size_t *num)
{
	struct CUgraphNode_st *n;
	CUresult r = num ? value_error(cu_obj_find(node, CU_NODE, &n)) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	if (!n->graph)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		r = before ? give(&n->deps, NULL, NULL, nodes, num) : give(&n->graph->nodes, waits_for, n, nodes, num);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(n);
	return r;
}

/* All edges are of the default kind, whose data is zero. */
static void plain_edges(CUgraphEdgeData *edges, const size_t *num)
{
	if (edges)
		memset(edges, 0, *num * sizeof(*edges));
}

static CUresult only_plain(const CUgraphEdgeData *edges, size_t num)
{
	static const CUgraphEdgeData plain;

	for (size_t i = 0; edges && i < num; i++)
		if (memcmp(&edges[i], &plain, sizeof(plain)))
			return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}

CUresult i_cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *deps, size_t *num)
{
	return neighbours(node, true, deps, num);
}

CUresult i_cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *deps, CUgraphEdgeData *edges, size_t *num)
{
	CUresult r = neighbours(node, true, deps, num);

	if (!r)
		plain_edges(edges, num);
	return r;
}

CUresult i_cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *num)
{
	return neighbours(node, false, nodes, num);
}

CUresult i_cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *num)
{
	CUresult r = neighbours(node, false, nodes, num);

	if (!r)
		plain_edges(edges, num);
	return r;
}

CUresult i_cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *num)
{
	struct CUgraph_st *g;
	size_t n = 0;
	CUresult r = num && !from == !to ? value_error(cu_obj_find(graph, CU_GRAPH, &g)) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	for (size_t i = 0; i < g->nodes.num; i++) {
		const struct cu_nodes *deps = &g->nodes.node[i]->deps;

		for (size_t k = 0; k < deps->num; k++, n++) {
			if (from && n < *num) {
				from[n] = deps->node[k];
				to[n] = g->nodes.node[i];
			}
		}
	}
	pthread_mutex_unlock(&cu_graph_lock);
	for (size_t i = n; from && i < *num; i++)
		from[i] = to[i] = NULL;
	if (!from || n < *num)
		*num = n;
	cu_obj_put(g);
	return CUDA_SUCCESS;
}

CUresult i_cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *num)
{
	CUresult r = i_cuGraphGetEdges(graph, from, to, num);

	if (!r)
		plain_edges(edges, num);
	return r;
}

CUresult i_cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	struct CUgraphNode_st *n;
	CUresult r = type ? value_error(cu_obj_find(node, CU_NODE, &n)) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	*type = n->op.type;
	cu_obj_put(n);
	return CUDA_SUCCESS;
}

/* ---- changing ------------------------------------------------------------------------------- */

CUresult cu_graph_deps(const struct CUgraph_st *g, const CUgraphNode *handles, size_t num, struct cu_nodes *deps)
{
	CUresult r = num && !handles ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;

	for (size_t i = 0; !r && i < num; i++) {
		struct CUgraphNode_st *n = cu_obj_get(handles[i], CU_NODE);

		r = n && n->graph == g ? cu_nodes_add(deps, n) : CUDA_ERROR_INVALID_VALUE;
		cu_obj_put(n);
	}
	if (r)
		cu_nodes_clear(deps);
	return r;
}

/* Adds or removes an edge.  Adding an edge that exists, or removing one that does not, is an error. */
static CUresult change(struct CUgraph_st *g, CUgraphNode from, CUgraphNode to, bool add)
{
	struct CUgraphNode_st *f = cu_obj_get(from, CU_NODE), *t = cu_obj_get(to, CU_NODE);
	CUresult r = CUDA_SUCCESS;

	if (!f || !t || f == t || f->graph != g || t->graph != g || cu_nodes_have(&t->deps, f) == add)
		r = CUDA_ERROR_INVALID_VALUE;
	else if (add)
		r = cu_nodes_add(&t->deps, f);
	else
		cu_nodes_remove(&t->deps, f);
	cu_obj_put(f);
	cu_obj_put(t);
	return r;
}

static CUresult change_all(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t num, bool add)
{
	struct CUgraph_st *g;
	CUresult r = num && (!from || !to) ? CUDA_ERROR_INVALID_VALUE : value_error(cu_obj_find(graph, CU_GRAPH, &g));

	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	for (size_t i = 0; !r && i < num; i++)
		r = change(g, from[i], to[i], add);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	return r;
}

CUresult i_cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t num)
{
	return change_all(graph, from, to, num, true);
}

CUresult i_cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
				     const CUgraphEdgeData *edges, size_t num)
{
	CUresult r = only_plain(edges, num);

	return r ? r : change_all(graph, from, to, num, true);
}

CUresult i_cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t num)
{
	return change_all(graph, from, to, num, false);
}

CUresult i_cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
					const CUgraphEdgeData *edges, size_t num)
{
	CUresult r = only_plain(edges, num);

	return r ? r : change_all(graph, from, to, num, false);
}

CUresult i_cuGraphDestroyNode(CUgraphNode node)
{
	struct CUgraphNode_st *n;
	CUresult r = value_error(cu_obj_find(node, CU_NODE, &n));

	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	if (!n->graph) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else if (n->op.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || n->op.type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
		r = CUDA_ERROR_NOT_SUPPORTED;
	} else {
		for (size_t i = 0; i < n->graph->nodes.num; i++)
			cu_nodes_remove(&n->graph->nodes.node[i]->deps, n);
		cu_graph_withdraw_child(&n->op);
		cu_nodes_remove(&n->graph->nodes, n);
		n->graph = NULL;
		cu_obj_withdraw(n);
	}
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(n);
	return r;
}

/* ---- picture -------------------------------------------------------------------------------- */

static const char *const type_names[] = {
	"kernel", "memcpy", "memset", "host", "graph", "empty", "wait event", "record event", "signal", "wait",
	"alloc", "free", "memory operations", "conditional",
};

CUresult i_cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags)
{
	struct CUgraph_st *g;
	FILE *f;
	CUresult r = path ? value_error(cu_obj_find(graph, CU_GRAPH, &g)) : CUDA_ERROR_INVALID_VALUE;

	(void)flags;	/* ask for more details than are printed */
	if (r)
		return r;
	f = fopen(path, "we");
	if (!f) {
		cu_obj_put(g);
		return CUDA_ERROR_OPERATING_SYSTEM;
	}
	fprintf(f, "digraph graph_%p {\n", (void *)graph);
	pthread_mutex_lock(&cu_graph_lock);
	for (size_t i = 0; i < g->nodes.num; i++) {
		const struct CUgraphNode_st *n = g->nodes.node[i];

		fprintf(f, "  n%llu [label=\"%s %s\"];\n", n->id, type_names[n->op.type],
			n->op.type == CU_GRAPH_NODE_TYPE_KERNEL ? ppuFunctionGetName(n->op.kernel.function->ppu) : "");
		for (size_t k = 0; k < n->deps.num; k++)
			fprintf(f, "  n%llu -> n%llu;\n", n->deps.node[k]->id, n->id);
	}
	pthread_mutex_unlock(&cu_graph_lock);
	fprintf(f, "}\n");
	cu_obj_put(g);
	return fclose(f) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}

/* ---- memory --------------------------------------------------------------------------------- */

CUresult i_cuDeviceGraphMemTrim(CUdevice device)
{
	return cu_device(device, NULL);		/* nothing to do: all memory kept is some graph's */
}

CUresult i_cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
	uint64_t now, most;
	CUresult r = cu_device(device, NULL);

	if (r)
		return r;
	if (!value || (int)attribute < 0 || attribute > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&cu_graph_lock);
	cu_graph_memory(&now, &most);
	pthread_mutex_unlock(&cu_graph_lock);
	*(uint64_t *)value = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT ||
			     attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT ? now : most;
	return CUDA_SUCCESS;
}

/* Only the high marks can be set, and only to 0, which means the values of now. */
CUresult i_cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
	CUresult r = cu_device(device, NULL);

	if (r)
		return r;
	if (!value || *(uint64_t *)value || (attribute != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH &&
					     attribute != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&cu_graph_lock);
	memory_most = memory_now;
	pthread_mutex_unlock(&cu_graph_lock);
	return CUDA_SUCCESS;
}
