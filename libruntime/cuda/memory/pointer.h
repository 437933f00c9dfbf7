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

#pragma GCC visibility pop
#endif
