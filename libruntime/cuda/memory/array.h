/* SPDX-License-Identifier: MIT */
/* Arrays. */
#ifndef PPU_CUDA_ARRAY_INT_H
#define PPU_CUDA_ARRAY_INT_H

#include <stddef.h>
#include "cuda/context/calls.h"
#include "cuda/context/object.h"

#pragma GCC visibility push(hidden)

struct CUarray_st {
	struct cu_obj obj;
	CUDA_ARRAY3D_DESCRIPTOR desc;
	void *mem;
	size_t pitch, element, width, height, depth;	/* bytes of an element; height and depth at least 1 */
};

#pragma GCC visibility pop
#endif
