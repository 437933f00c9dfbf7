/* SPDX-License-Identifier: MIT */
/* Formats of texels. */
#ifndef PPU_CUDA_FORMAT_INT_H
#define PPU_CUDA_FORMAT_INT_H

#include <stddef.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

size_t cu_format_bytes(CUarray_format format);	/* of one component; 0: unknown */

#pragma GCC visibility pop
#endif
