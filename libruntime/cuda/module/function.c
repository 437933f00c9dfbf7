/* SPDX-License-Identifier: MIT */
/* Functions and their attributes. */
#include <stdint.h>

#include <ppu.h>
#include "common/capability.h"
#include "cuda/module/cluster.h"
#include "cuda/module/function.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/module/library.h"

/* The handle of a library's kernel is accepted, too: it stands for the kernel's function in the current context. */
CUresult cu_function_get(CUfunction function, struct CUfunc_st **f)
{
	CUresult r = cu_obj_find(function, CU_FUNCTION, f);
	CUfunction of_kernel;

	if (r != CUDA_ERROR_INVALID_HANDLE)
		return r;
	r = cu_kernel_function(function, &of_kernel);
	return r ? r : cu_obj_find(of_kernel, CU_FUNCTION, f);
}

CUresult cu_function_attributes(CUfunction function, struct CUfunc_st **f, ppuFunctionAttributes *a)
{
	CUresult r = cu_function_get(function, f);

	if (r)
		return r;
	r = cu_result(ppuFunctionGetAttributes(a, (*f)->ppu));
	if (r)
		cu_obj_put(*f);
	return r;
}

int cu_function_max_dynamic(const struct CUfunc_st *f, const ppuFunctionAttributes *a)
{
	int room = a->shared_bytes < CU_SHARED_DEFAULT ? (int)(CU_SHARED_DEFAULT - a->shared_bytes) : 0;

	if (f->max_dynamic >= 0)
		return f->max_dynamic;
	return room < (int)a->max_dynamic_shared ? room : (int)a->max_dynamic_shared;
}

CUresult i_cuFuncGetAttribute(int *value, CUfunction_attribute what, CUfunction function)
{
	ppuFunctionAttributes a;
	struct CUfunc_st *f;
	CUresult r;

	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_function_attributes(function, &f, &a);
	if (r)
		return r;
	switch (what) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = (int)a.max_threads_per_block;
		break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = (int)a.shared_bytes;
		break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:	/* constants belong to modules here */
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*value = 0;
		break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value = (int)a.local_bytes;
		break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = (int)a.regs;
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = ppu_cuda_capability();
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = cu_function_max_dynamic(f, &a);
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = f->carveout;
		break;
	default:
		r = cu_cluster_function_get(value, what, f, &a);
	}
	cu_obj_put(f);
	return r;
}

CUresult i_cuFuncSetAttribute(CUfunction function, CUfunction_attribute what, int value)
{
	ppuFunctionAttributes a;
	struct CUfunc_st *f;
	CUresult r = cu_function_attributes(function, &f, &a);

	if (r)
		return r;
	if (what == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
		if (value < 0 || value > (int)a.max_dynamic_shared)
			r = CUDA_ERROR_INVALID_VALUE;
		else
			f->max_dynamic = value;
	} else if (what == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
		if (value < -1 || value > 100)
			r = CUDA_ERROR_INVALID_VALUE;
		else
			f->carveout = value;
	} else {
		r = cu_cluster_function_set(value, what, f, &a);
	}
	cu_obj_put(f);
	return r;
}

/* A PPU's shared memory is no part of a cache, so the setting is checked but has no effect. */
CUresult i_cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
	struct CUfunc_st *f;
	CUresult r = cu_function_get(function, &f);

	if (r)
		return r;
	cu_obj_put(f);
	return (int)config < 0 || config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult i_cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
	struct CUfunc_st *f;
	CUresult r = cu_function_get(function, &f);

	if (r)
		return r;
	cu_obj_put(f);
	return (int)config < 0 || config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE :
	       CUDA_SUCCESS;
}

CUresult i_cuFuncGetModule(CUmodule *module, CUfunction function)
{
	struct CUfunc_st *f;
	CUresult r;

	if (!module)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_function_get(function, &f);
	if (r)
		return r;
	*module = f->module;
	cu_obj_put(f);
	return CUDA_SUCCESS;
}

CUresult i_cuFuncGetName(const char **name, CUfunction function)
{
	struct CUfunc_st *f;
	CUresult r;

	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_function_get(function, &f);
	if (r)
		return r;
	*name = ppuFunctionGetName(f->ppu);
	cu_obj_put(f);
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult i_cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
	struct CUfunc_st *f;
	size_t unused;
	CUresult r;

	if (!offset || index > UINT32_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_function_get(function, &f);
	if (r)
		return r;
	r = cu_result(ppuFunctionGetParam(f->ppu, (uint32_t)index, offset, bytes ? bytes : &unused));
	cu_obj_put(f);
	return r;
}

/* Functions are always loaded: modules are compiled and placed when they are loaded. */
CUresult i_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	CUresult r = state ? i_cuFuncLoad(function) : CUDA_ERROR_INVALID_VALUE;

	if (!r)
		*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return r;
}

CUresult i_cuFuncLoad(CUfunction function)
{
	struct CUfunc_st *f;
	CUresult r = cu_function_get(function, &f);

	if (!r)
		cu_obj_put(f);
	return r;
}
