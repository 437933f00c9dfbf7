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
	bool level;			/* of a mipmapped array, with which it goes */
};

#define CU_ARRAY_LEVELS	32u
struct CUmipmappedArray_st {
	struct cu_obj obj;
	unsigned int num_levels;
	CUarray level[CU_ARRAY_LEVELS];		/* with a reference each */
};

/* Makes an array in the current context; a level comes with a second reference. */
CUresult cu_array_make(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d, bool level);

#pragma GCC visibility pop
#endif
