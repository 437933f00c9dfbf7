/* SPDX-License-Identifier: MIT */
/* The work of graphs' nodes. */
#ifndef PPU_CUDA_NODE_INT_H
#define PPU_CUDA_NODE_INT_H

#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct cu_op;

CUresult cu_node_op(struct cu_op *op, CUgraphNodeParams *params);	/* not locked */

#pragma GCC visibility pop
#endif
