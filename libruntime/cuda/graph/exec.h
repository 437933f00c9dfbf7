/* SPDX-License-Identifier: MIT */
/* Executable graphs. */
#ifndef PPU_CUDA_EXEC_INT_H
#define PPU_CUDA_EXEC_INT_H

#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct cu_op;

/* Not locked.  Sets what the node does in the executable graph from its next launch on; takes ownership of the op. */
CUresult cu_exec_set(CUgraphExec exec, CUgraphNode node, struct cu_op *op);

#pragma GCC visibility pop
#endif
