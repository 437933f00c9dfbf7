/* SPDX-License-Identifier: MIT */
/* Nodes that decide, when the graph runs, which of their bodies run, and how often. */
#ifndef PPU_CUDA_CONDITIONAL_INT_H
#define PPU_CUDA_CONDITIONAL_INT_H

#include <stdbool.h>
#include <stdint.h>
#include "cuda/context/calls.h"
#include "cuda/graph/work.h"

#pragma GCC visibility push(hidden)

struct cu_cond;
struct cu_stream_use;

/* The words that belong to a graph, each with a reference. */
struct cu_conds {
	struct cu_cond **cond;
	size_t num;
};
CUresult cu_conds_copy(struct cu_conds *to, const struct cu_conds *from);
void cu_conds_free(struct cu_conds *c);
/* A launch begins: gives those words their default that are to have it. */
CUresult cu_conds_start(const struct cu_conds *c, const struct cu_stream_use *u);

/* Makes an op with empty bodies, whose handles go to the caller.  Not locked. */
CUresult cu_op_cond(struct cu_op *op, CUDA_CONDITIONAL_NODE_PARAMS *p);
void cu_cond_clear(struct cu_op *op);	/* all but `child` */
/* The word as kernels left it, after a wait for the stream. */
CUresult cu_cond_value(const struct cu_op *op, const struct cu_stream_use *u, uint32_t *value);
/* Which body runs with this value; -1: none. */
int cu_cond_body(const struct cu_op *op, uint32_t value);

#pragma GCC visibility pop
#endif
