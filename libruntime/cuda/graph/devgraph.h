/* SPDX-License-Identifier: MIT */
/* Graphs that kernels launch. */
#ifndef PPU_CUDA_DEVGRAPH_INT_H
#define PPU_CUDA_DEVGRAPH_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct cu_op;

/* The nodes of such a graph, in the order in which they run. */
struct cu_devnodes {
	ppuGraphNode *node;
	size_t num;
};

/* Can a kernel launch a graph with this node?  Of ops with a child: is that allowed? */
bool cu_devnode_allowed(const struct cu_op *op);
/* The op's arguments stay its own.  off: only of kernels that kernels change. */
CUresult cu_devnodes_add(struct cu_devnodes *list, const struct cu_op *op, bool off);
void cu_devnodes_clear(struct cu_devnodes *list);

#pragma GCC visibility pop
#endif
