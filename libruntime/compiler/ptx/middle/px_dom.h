/* SPDX-License-Identifier: MIT */
/* Dominators of any graph. */
#ifndef PX_DOM_H
#define PX_DOM_H

#include "compiler/ptx/ir/px_util.h"

/* A graph for px_idoms(): nodes 0..n-1; idom[root] = root, ~0 for nodes not reached. */
struct px_graph {
	uint32_t n;
	uint32_t *succ_at, *succ, *pred_at, *pred;
};
void px_make_graph(struct px_arena *a, struct px_graph *g, uint32_t n, const uint32_t (*edge)[2],
		   uint32_t count);
void px_idoms(struct px_arena *a, const struct px_graph *g, uint32_t root, uint32_t *idom);

#endif
