/* SPDX-License-Identifier: MIT */
/* Memory pools. */
#ifndef PPU_CUDA_POOL_INT_H
#define PPU_CUDA_POOL_INT_H

#include <stdbool.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;

/* Frees ptr if it is memory of a pool, then *was is true.  ctx is the current context; memory of another one is refused. */
CUresult cu_pool_free(const struct CUctx_st *ctx, CUdeviceptr ptr, bool *was);
CUmemoryPool cu_pool_of(CUdeviceptr ptr);	/* NULL: ptr is in no pool */
void cu_pool_idle(const struct CUctx_st *ctx);	/* the context has no work: free blocks may go */
void cu_pool_forget(const struct CUctx_st *ctx);	/* the context ends, and its memory with it */

#pragma GCC visibility pop
#endif
