/* SPDX-License-Identifier: MIT */
/* Runs copies and fills. */
#ifndef PPU_CUDA_COPY_INT_H
#define PPU_CUDA_COPY_INT_H

#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct cu_stream_use;

CUresult cu_run_copy(const CUDA_MEMCPY3D *copy, const struct cu_stream_use *u);
CUresult cu_run_fill(const CUDA_MEMSET_NODE_PARAMS *fill, const struct cu_stream_use *u);

#pragma GCC visibility pop
#endif
