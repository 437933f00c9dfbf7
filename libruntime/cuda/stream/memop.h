/* SPDX-License-Identifier: MIT */
/* Waiting for words and writing them. */
#ifndef PPU_CUDA_MEMOP_INT_H
#define PPU_CUDA_MEMOP_INT_H

#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct cu_op;
struct cu_stream_use;

#define CU_MEM_OPS_MOST	256u	/* operations of one batch */

CUresult cu_run_mem(const struct cu_op *op, const struct cu_stream_use *u);

#pragma GCC visibility pop
#endif
