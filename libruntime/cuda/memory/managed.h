/* SPDX-License-Identifier: MIT */
/* Managed memory. */
#ifndef PPU_CUDA_MANAGED_INT_H
#define PPU_CUDA_MANAGED_INT_H

#include <stdbool.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;

/* Frees ptr if it is managed memory, then *was is true.  ctx is the current context; memory of another one is refused. */
CUresult cu_managed_free(const struct CUctx_st *ctx, CUdeviceptr ptr, bool *was);
bool cu_is_managed(CUdeviceptr ptr);
void cu_managed_forget(const struct CUctx_st *ctx);	/* the context ends, and its memory with it */

#pragma GCC visibility pop
#endif
