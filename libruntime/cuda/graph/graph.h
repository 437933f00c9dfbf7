/* SPDX-License-Identifier: MIT */
/*
 * Graphs: inside.  One lock, cu_graph_lock, guards the nodes of all graphs and all captures.  The functions below
 * are called with the lock held unless they say otherwise.  No call into libppu that may wait is made with the
 * lock held.
 */
#ifndef PPU_CUDA_GRAPH_INT_H
#define PPU_CUDA_GRAPH_INT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cuda/context/calls.h"
#include "cuda/context/object.h"
#include "cuda/graph/conditional.h"
#include "cuda/graph/work.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;
struct cu_held;

extern pthread_mutex_t cu_graph_lock;

/* A set of nodes, each with a reference. */
struct cu_nodes {
	struct CUgraphNode_st **node;
	size_t num;
};
CUresult cu_nodes_add(struct cu_nodes *set, struct CUgraphNode_st *node);	/* no effect if it is there already */
CUresult cu_nodes_merge(struct cu_nodes *set, const struct cu_nodes *more);
bool cu_nodes_have(const struct cu_nodes *set, const struct CUgraphNode_st *node);
void cu_nodes_remove(struct cu_nodes *set, const struct CUgraphNode_st *node);
void cu_nodes_clear(struct cu_nodes *set);

struct CUgraphNode_st {
	struct cu_obj obj;
	struct CUgraph_st *graph;	/* no reference; NULL: the node is in no graph any more */
	struct cu_op op;
	struct cu_nodes deps;		/* the nodes that this one waits for */
	unsigned long long id;		/* unique in the process */
	unsigned long long origin;	/* id of the node from which this one was cloned; 0: none */
	size_t place;			/* scratch of cu_graph_order() */
	struct CUctx_st *mem_ctx;	/* of a MEM_ALLOC node: the context of its memory, with a reference */
	unsigned long long mem_ctx_id;
	struct CUgraphNode_st *mem_next;	/* list of the MEM_ALLOC nodes */
};

struct CUgraph_st {
	struct cu_obj obj;
	struct cu_nodes nodes;		/* in the order in which they were added */
	bool is_child;			/* belongs to a node of another graph */
	struct cu_held *held;
	struct cu_conds conds;		/* the words of conditional handles that belong to the graph */
};

struct CUgraph_st *cu_graph_new(void);		/* not a handle yet; NULL: no memory */
/* Adds a node that does `op`, which becomes the node's own.  deps are nodes of the same graph. */
CUresult cu_graph_append(struct CUgraph_st *g, struct cu_op *op, const struct cu_nodes *deps,
			 struct CUgraphNode_st **node);
CUresult cu_graph_clone(struct CUgraph_st *g, struct CUgraph_st **clone);	/* a handle, without a reference */
/* Has the op a graph of its own, as GRAPH and CONDITIONAL have? */
bool cu_op_has_child(const struct cu_op *op);
/* Makes an op that runs a graph which nobody else uses; the op gets a reference of its own. */
void cu_graph_make_child(struct cu_op *op, struct CUgraph_st *child);
/* The same with an op like another one, whose graph this one is a copy of. */
void cu_graph_adopt(struct cu_op *op, const struct cu_op *like, struct CUgraph_st *child);
/* Withdraws the handle of the op's graph. */
void cu_graph_withdraw_child(const struct cu_op *op);
/* The nodes in order: each behind the nodes that it waits for, otherwise in the order in which they were added.
 * INVALID_VALUE: nodes wait for each other in a circle. */
CUresult cu_graph_order(const struct CUgraph_st *g, struct cu_nodes *order);
/* Withdraws the handles of a graph and of its nodes. */
void cu_graph_withdraw(struct CUgraph_st *g);
CUresult cu_graph_deps(const struct CUgraph_st *g, const CUgraphNode *handles, size_t num, struct cu_nodes *deps);
/* Bytes that nodes of graphs hold now, and held at most. */
void cu_graph_memory(uint64_t *now, uint64_t *most);
bool cu_graph_owns(CUdeviceptr ptr);		/* is ptr memory of a MEM_ALLOC node?  Takes the lock itself */

#pragma GCC visibility pop
#endif
