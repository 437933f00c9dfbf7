/* SPDX-License-Identifier: MIT */
/* Pinned host memory: the program's own that it registered, and allocations. */
#ifndef PPU_CUDA_HOSTMEM_INT_H
#define PPU_CUDA_HOSTMEM_INT_H

#include <stdbool.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;

bool cu_is_registered(const void *ptr, unsigned int *flags, CUdeviceptr *device);
void cu_host_forget(const struct CUctx_st *ctx);	/* the context ends, and what it allocated with it */

#pragma GCC visibility pop
#endif
