/* SPDX-License-Identifier: MIT */
/* Functions: attributes, occupancy, launches. */
#include "cu.h"

/* With a reference. */
static CUresult get(CUfunction function, struct CUfunc_st **f)
{
	CUresult r = cu_ready();

	if (r)
		return r;
	*f = cu_obj_get(function, CU_FUNCTION);
	return *f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult attributes(CUfunction function, struct CUfunc_st **f, ppuFunctionAttributes *a)
{
	CUresult r = get(function, f);

	if (r)
		return r;
	r = cu_result(ppuFunctionGetAttributes(a, (*f)->ppu));
	if (r)
		cu_obj_put(*f);
	return r;
}

/* Bytes of dynamic shared memory that a launch may ask for as things are. */
static int max_dynamic(const struct CUfunc_st *f, const ppuFunctionAttributes *a)
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
	r = attributes(function, &f, &a);
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
		*value = 75;
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = max_dynamic(f, &a);
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = f->carveout;
		break;
	default:
		r = CUDA_ERROR_INVALID_VALUE;
	}
	cu_obj_put(f);
	return r;
}

CUresult i_cuFuncSetAttribute(CUfunction function, CUfunction_attribute what, int value)
{
	ppuFunctionAttributes a;
	struct CUfunc_st *f;
	CUresult r = attributes(function, &f, &a);

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
		r = CUDA_ERROR_INVALID_VALUE;
	}
	cu_obj_put(f);
	return r;
}

/* Caches and shared memory are apart in a PPU: checked, and without effect. */
CUresult i_cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
	struct CUfunc_st *f;
	CUresult r = get(function, &f);

	if (r)
		return r;
	cu_obj_put(f);
	return (int)config < 0 || config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult i_cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
	struct CUfunc_st *f;
	CUresult r = get(function, &f);

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
	r = get(function, &f);
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
	r = get(function, &f);
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
	r = get(function, &f);
	if (r)
		return r;
	r = cu_result(ppuFunctionGetParam(f->ppu, (uint32_t)index, offset, bytes ? bytes : &unused));
	cu_obj_put(f);
	return r;
}

/* ---- launches ------------------------------------------------------------------------------- */

/* The other form of arguments: pairs of a tag and a value, an end. */
static CUresult parse_extra(void **extra, const void **buffer, size_t *bytes)
{
	*buffer = NULL;
	*bytes = 0;
	while (*extra != CU_LAUNCH_PARAM_END) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			*buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
			*bytes = *(const size_t *)extra[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
		extra += 2;
	}
	return *buffer || !*bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult launch(struct CUfunc_st *f, ppuDim3 grid, ppuDim3 block, unsigned int shared_bytes, CUstream stream,
		       void **params, void **extra)
{
	struct cu_stream_use u;
	ppuFunctionAttributes a;
	const void *buffer = NULL;
	size_t bytes = 0;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	r = f->obj.ctx != u.ctx ? CUDA_ERROR_INVALID_HANDLE : cu_result(ppuFunctionGetAttributes(&a, f->ppu));
	if (!r && params && extra)
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r && extra)
		r = parse_extra(extra, &buffer, &bytes);
	if (!r && a.num_params && !params && !buffer)
		r = CUDA_ERROR_INVALID_VALUE;
	/* Programs round the buffer up: what is behind the parameters is not read. */
	if (!r && buffer && bytes < a.param_bytes)
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r && shared_bytes > (unsigned int)max_dynamic(f, &a))
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r)
		r = cu_result(ppuLaunchKernel(f->ppu, grid, block, shared_bytes, u.ppu, a.num_params ? params : NULL,
					      a.num_params ? buffer : NULL, a.num_params && buffer ? a.param_bytes : 0));
	cu_stream_put(&u);
	return r;
}

CUresult i_cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
			  unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
			  CUstream stream, void **params, void **extra)
{
	struct CUfunc_st *f;
	CUresult r = get(function, &f);

	if (r)
		return r;
	r = launch(f, ppuDim(grid_x, grid_y, grid_z), ppuDim(block_x, block_y, block_z), shared_bytes, stream, params,
		   extra);
	cu_obj_put(f);
	return r;
}

/* Attributes that ask for what a PPU has not are refused; those that only advise are passed over. */
CUresult i_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttribute *a = &config->attrs[i];

		if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && a->value.cooperative)
			return CUDA_ERROR_NOT_SUPPORTED;
		if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
		    (a->value.clusterDim.x > 1 || a->value.clusterDim.y > 1 || a->value.clusterDim.z > 1))
			return CUDA_ERROR_NOT_SUPPORTED;
	}
	return i_cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
				config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream, params,
				extra);
}

/* ---- occupancy ------------------------------------------------------------------------------ */

CUresult i_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int block_size,
								size_t dynamic_shared, unsigned int flags)
{
	struct CUfunc_st *f;
	CUresult r;

	if (!blocks || block_size <= 0 || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	r = get(function, &f);
	if (r)
		return r;
	r = cu_result(ppuOccupancyMaxActiveBlocks(blocks, f->ppu, (uint32_t)block_size, dynamic_shared));
	cu_obj_put(f);
	return r;
}

CUresult i_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size,
						       size_t dynamic_shared)
{
	return i_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, dynamic_shared, 0);
}

/* The block size that keeps most threads on an SM; the largest of the best. */
CUresult i_cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, CUfunction function,
						     CUoccupancyB2DSize dynamic_of, size_t dynamic_shared, int limit,
						     unsigned int flags)
{
	int best = 0, best_threads = 0, best_blocks = 0, blocks;
	ppuFunctionAttributes a;
	ppuDeviceProp p;
	struct CUfunc_st *f;
	CUresult r;

	if (!min_grid || !block_size || limit < 0 || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	r = attributes(function, &f, &a);
	if (r)
		return r;
	r = cu_device(f->obj.ctx->device, &p);
	if (!limit || limit > (int)a.max_threads_per_block)
		limit = (int)a.max_threads_per_block;
	for (int n = limit; !r && n > 0; n = (n - 1) / (int)p.warp_size * (int)p.warp_size) {
		size_t dynamic = dynamic_of ? dynamic_of(n) : dynamic_shared;

		r = cu_result(ppuOccupancyMaxActiveBlocks(&blocks, f->ppu, (uint32_t)n, dynamic));
		if (!r && blocks * n > best_threads) {
			best = n;
			best_blocks = blocks;
			best_threads = blocks * n;
		}
	}
	cu_obj_put(f);
	if (r)
		return r;
	*block_size = best;
	*min_grid = best_blocks * (int)p.sms;
	return CUDA_SUCCESS;
}

CUresult i_cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, CUfunction function,
					    CUoccupancyB2DSize dynamic_of, size_t dynamic_shared, int limit)
{
	return i_cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, function, dynamic_of, dynamic_shared,
							   limit, 0);
}

CUresult i_cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int block_size)
{
	ppuFunctionAttributes a;
	struct CUfunc_st *f;
	ppuDeviceProp p;
	size_t share;
	int fit;
	CUresult r;

	if (!bytes || blocks <= 0 || block_size <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	r = attributes(function, &f, &a);
	if (r)
		return r;
	r = cu_device(f->obj.ctx->device, &p);
	if (!r)
		r = cu_result(ppuOccupancyMaxActiveBlocks(&fit, f->ppu, (uint32_t)block_size, 0));
	if (!r && fit < blocks)
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r) {
		share = p.shared_per_sm / (uint32_t)blocks;
		share = share > a.shared_bytes ? share - a.shared_bytes : 0;
		*bytes = share < a.max_dynamic_shared ? share : a.max_dynamic_shared;
	}
	cu_obj_put(f);
	return r;
}
