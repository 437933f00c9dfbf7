/* SPDX-License-Identifier: MIT */
/* Launches as they were before CUDA 4.0: block, shared memory and arguments are set in the function first. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <hw/ppu_tmd.h>
#include "cuda/module/oldlaunch.h"
#include "cuda/context/object.h"
#include "cuda/graph/work.h"
#include "cuda/module/function.h"

struct cu_old_launch {
	unsigned int block[3], shared_bytes;
	size_t param_bytes;
	uint8_t params[PPU_PARAM_MAX];
};

void cu_old_launch_free(struct cu_old_launch *old)
{
	free(old);
}

/* Gets the function, with a reference, and makes its settings if it has none. */
static CUresult get(CUfunction function, struct CUfunc_st **f)
{
	CUresult r = cu_function_get(function, f);

	if (r || (*f)->old)
		return r;
	(*f)->old = calloc(1, sizeof(*(*f)->old));
	if (!(*f)->old) {
		cu_obj_put(*f);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	for (int i = 0; i < 3; i++)
		(*f)->old->block[i] = 1;
	return CUDA_SUCCESS;
}

CUresult i_cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
	struct CUfunc_st *f;
	CUresult r = x > 0 && y > 0 && z > 0 ? get(function, &f) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	f->old->block[0] = (unsigned int)x;
	f->old->block[1] = (unsigned int)y;
	f->old->block[2] = (unsigned int)z;
	cu_obj_put(f);
	return CUDA_SUCCESS;
}

CUresult i_cuFuncSetSharedSize(CUfunction function, unsigned int bytes)
{
	struct CUfunc_st *f;
	CUresult r = get(function, &f);

	if (r)
		return r;
	f->old->shared_bytes = bytes;
	cu_obj_put(f);
	return CUDA_SUCCESS;
}

CUresult i_cuParamSetSize(CUfunction function, unsigned int bytes)
{
	struct CUfunc_st *f;
	CUresult r = bytes <= PPU_PARAM_MAX ? get(function, &f) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	f->old->param_bytes = bytes;
	cu_obj_put(f);
	return CUDA_SUCCESS;
}

CUresult i_cuParamSetv(CUfunction function, int offset, void *ptr, unsigned int bytes)
{
	struct CUfunc_st *f;
	CUresult r = ptr && offset >= 0 && offset <= PPU_PARAM_MAX && bytes <= PPU_PARAM_MAX - (unsigned int)offset ?
		     get(function, &f) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	memcpy(f->old->params + offset, ptr, bytes);
	cu_obj_put(f);
	return CUDA_SUCCESS;
}

CUresult i_cuParamSeti(CUfunction function, int offset, unsigned int value)
{
	return i_cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult i_cuParamSetf(CUfunction function, int offset, float value)
{
	return i_cuParamSetv(function, offset, &value, sizeof(value));
}

/* Checks only: texture references belong to modules, so it does not matter which function uses one. */
CUresult i_cuParamSetTexRef(CUfunction function, int unit, CUtexref ref)
{
	struct cu_obj *t;
	struct CUfunc_st *f;
	CUresult r = unit == -1 ? get(function, &f) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	cu_obj_put(f);
	r = cu_obj_find(ref, CU_TEXREF, &t);
	if (!r)
		cu_obj_put(t);
	return r;
}

CUresult i_cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
	struct CUfunc_st *f;
	struct cu_op op;
	void *extra[5];
	CUresult r = width > 0 && height > 0 ? get(function, &f) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	extra[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
	extra[1] = f->old->params;
	extra[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
	extra[3] = &f->old->param_bytes;
	extra[4] = CU_LAUNCH_PARAM_END;
	r = cu_op_kernel(&op, function, ppuDim((unsigned int)width, (unsigned int)height, 1),
			 ppuDim(f->old->block[0], f->old->block[1], f->old->block[2]), f->old->shared_bytes, false, NULL,
			 extra);
	if (!r)
		r = cu_op_submit(&op, stream, false);
	cu_op_clear(&op);
	cu_obj_put(f);
	return r;
}

CUresult i_cuLaunchGrid(CUfunction function, int width, int height)
{
	return i_cuLaunchGridAsync(function, width, height, 0);
}

CUresult i_cuLaunch(CUfunction function)
{
	return i_cuLaunchGridAsync(function, 1, 1, 0);
}
