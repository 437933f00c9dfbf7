/* SPDX-License-Identifier: MIT */
/* Functions: kernels of a module in a context. */
#ifndef PPU_CUDA_FUNCTION_INT_H
#define PPU_CUDA_FUNCTION_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"
#include "cuda/context/object.h"

#pragma GCC visibility push(hidden)

struct CUmod_st;
struct cu_old_launch;

#define CU_SHARED_DEFAULT	49152	/* bytes of shared memory that a block can have without asking for more */

struct CUfunc_st {
	struct cu_obj obj;
	struct CUmod_st *module;	/* no reference: when the module is unloaded, this handle ends */
	ppuFunction ppu;
	int max_dynamic, carveout;	/* as set; -1: default */
	unsigned int cluster[3];	/* as set, for a kernel that does not say it; 0: none */
	int cluster_policy;
	bool non_portable;		/* clusters of more than 8 blocks, as set */
	struct cu_old_launch *old;	/* see oldlaunch.h; NULL: never launched that way */
};

/* The function of a handle, which may also be a library's kernel; with a reference. */
CUresult cu_function_get(CUfunction function, struct CUfunc_st **f);
CUresult cu_function_attributes(CUfunction function, struct CUfunc_st **f, ppuFunctionAttributes *a);
/* Bytes of dynamic shared memory that a launch may ask for, with the function's present attributes. */
int cu_function_max_dynamic(const struct CUfunc_st *f, const ppuFunctionAttributes *a);

#pragma GCC visibility pop
#endif
