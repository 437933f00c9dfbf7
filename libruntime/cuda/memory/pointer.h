/* SPDX-License-Identifier: MIT */
/* What libppu and this library know about a pointer. */
#ifndef PPU_CUDA_POINTER_INT_H
#define PPU_CUDA_POINTER_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

/* Is ptr device memory or pinned memory of the current context?  Fills in attr, which may be NULL. */
bool cu_is_ours(CUdeviceptr ptr, ppuPointerAttributes *attr);

/* Is it memory of this context, which is libppu's current one, and not of a peer? */
struct CUctx_st;
bool cu_is_owned(CUdeviceptr ptr, const struct CUctx_st *ctx);
/* Is it memory of any context of the process?  That is what copies may name. */
bool cu_is_anyones(CUdeviceptr ptr);

#pragma GCC visibility pop
#endif
