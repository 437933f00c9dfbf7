/* SPDX-License-Identifier: MIT */
/* What is known of a pointer. */
#ifndef PPU_CUDA_POINTER_INT_H
#define PPU_CUDA_POINTER_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

/* Device or pinned memory of the current context. */
bool cu_is_ours(CUdeviceptr ptr, ppuPointerAttributes *attr);

#pragma GCC visibility pop
#endif
