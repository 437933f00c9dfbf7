/* SPDX-License-Identifier: MIT */
/* Modules without a context. */
#ifndef PPU_CUDA_LIBRARY_INT_H
#define PPU_CUDA_LIBRARY_INT_H

#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

/* The function of a library's kernel in the current context; INVALID_HANDLE: `kernel` is no kernel. */
CUresult cu_kernel_function(const void *kernel, CUfunction *function);

#pragma GCC visibility pop
#endif
