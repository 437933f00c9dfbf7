/* SPDX-License-Identifier: MIT */
/*
 * Graphs: inside.  One lock, cu_graph_lock, guards the nodes of all graphs and all captures; functions below
 * are called with it unless they say otherwise.  It is held during no call into libppu that may wait.
 */
#ifndef PPU_CUDA_GRAPH_INT_H
#define PPU_CUDA_GRAPH_INT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cuda/context/calls.h"
#include "cuda/context/object.h"
#include "cuda/graph/work.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;
struct cu_held;

extern pthread_mutex_t cu_graph_lock;

/* Nodes, each once and with a reference. */
struct cu_nodes {
	struct CUgraphNode_st **node;
	size_t num;
};
CUresult cu_nodes_add(struct cu_nodes *set, struct CUgraphNode_st *node);	/* already there: nothing */
CUresult cu_nodes_merge(struct cu_nodes *set, const struct cu_nodes *more);
bool cu_nodes_have(const struct cu_nodes *set, const struct CUgraphNode_st *node);
void cu_nodes_remove(struct cu_nodes *set, const struct CUgraphNode_st *node);
void cu_nodes_clear(struct cu_nodes *set);

struct CUgraphNode_st {
	struct cu_obj obj;
	struct CUgraph_st *graph;	/* no reference; NULL: it is in none any more */
	struct cu_op op;
	struct cu_nodes deps;		/* what it waits for */
	unsigned long long id;		/* unique in the process */
	unsigned long long origin;	/* id of the node that it was cloned from, 0: none */
	size_t place;			/* scratch of cu_graph_order() */
	struct CUctx_st *mem_ctx;	/* of a MEM_ALLOC node: where its memory is, with a reference */
	unsigned long long mem_ctx_id;
	struct CUgraphNode_st *mem_next;	/* list of those */
};

struct CUgraph_st {
	struct cu_obj obj;
	struct cu_nodes nodes;		/* in the order they came */
	bool is_child;			/* belongs to a node of another one */
	struct cu_held *held;
};

struct CUgraph_st *cu_graph_new(void);		/* not a handle yet; NULL: no memory */
/* A node that does `op`, which becomes the node's own.  deps are of the same graph. */
CUresult cu_graph_append(struct CUgraph_st *g, struct cu_op *op, const struct cu_nodes *deps,
			 struct CUgraphNode_st **node);
CUresult cu_graph_clone(struct CUgraph_st *g, struct CUgraph_st **clone);	/* a handle, without a reference */
/* The op is to run a graph that is nobody else's; takes a reference of its own. */
void cu_graph_make_child(struct cu_op *op, struct CUgraph_st *child);
/* The op's graph is no handle any more. */
void cu_graph_withdraw_child(const struct cu_op *op);
/* The nodes, each behind what it waits for, and ties in the order they came; INVALID_VALUE: a circle. */
CUresult cu_graph_order(const struct CUgraph_st *g, struct cu_nodes *order);
/* No handle leads to it or its nodes any more. */
void cu_graph_withdraw(struct CUgraph_st *g);
CUresult cu_graph_deps(const struct CUgraph_st *g, const CUgraphNode *handles, size_t num, struct cu_nodes *deps);
/* Bytes that nodes of graphs hold now, and held at most. */
void cu_graph_memory(uint64_t *now, uint64_t *most);
bool cu_graph_owns(CUdeviceptr ptr);		/* memory of a MEM_ALLOC node */

#pragma GCC visibility pop
#endif
