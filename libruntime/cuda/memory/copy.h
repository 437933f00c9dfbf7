/* SPDX-License-Identifier: MIT */
/* Runs copies and fills. */
#ifndef PPU_CUDA_COPY_INT_H
#define PPU_CUDA_COPY_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct cu_stream_use;

CUresult cu_run_copy(const CUDA_MEMCPY3D *copy, const struct cu_stream_use *u);
CUresult cu_run_fill(const CUDA_MEMSET_NODE_PARAMS *fill, const struct cu_stream_use *u);
/* Can a kernel make the copy, and the node that says it to libppu.  n->width 0: there is nothing to copy. */
bool cu_copy_by_kernel(const CUDA_MEMCPY3D *copy);
CUresult cu_copy_node(const CUDA_MEMCPY3D *copy, ppuGraphNode *n);

#pragma GCC visibility pop
#endif
