/* SPDX-License-Identifier: MIT */
/* Memory pools. */
#ifndef PPU_CUDA_POOL_INT_H
#define PPU_CUDA_POOL_INT_H

#include <stdbool.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;

/* Frees what cuMemFree was given when it is of this kind; *was: it is. */
CUresult cu_pool_free(CUdeviceptr ptr, bool *was);
CUmemoryPool cu_pool_of(CUdeviceptr ptr);	/* NULL: of none */
void cu_pool_idle(const struct CUctx_st *ctx);	/* the context has nothing to do just now */

#pragma GCC visibility pop
#endif
