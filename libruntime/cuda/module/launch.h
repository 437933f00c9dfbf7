/* SPDX-License-Identifier: MIT */
/* Runs kernels. */
#ifndef PPU_CUDA_LAUNCH_INT_H
#define PPU_CUDA_LAUNCH_INT_H

#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct cu_op;
struct cu_stream_use;

CUresult cu_run_kernel(const struct cu_op *op, const struct cu_stream_use *u);

#pragma GCC visibility pop
#endif
