/* SPDX-License-Identifier: MIT */
/* Memory of the program's own that it registered. */
#ifndef PPU_CUDA_HOSTMEM_INT_H
#define PPU_CUDA_HOSTMEM_INT_H

#include <stdbool.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

bool cu_is_registered(const void *ptr, unsigned int *flags, CUdeviceptr *device);

#pragma GCC visibility pop
#endif
