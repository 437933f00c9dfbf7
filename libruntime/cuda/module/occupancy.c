/* SPDX-License-Identifier: MIT */
/* Occupancy: how many blocks fit on an SM. */
#include <stdint.h>

#include <ppu.h>
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/module/function.h"

CUresult i_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int block_size,
								size_t dynamic_shared, unsigned int flags)
{
	struct CUfunc_st *f;
	CUresult r;

	if (!blocks || block_size <= 0 || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_function_get(function, &f);
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

/* The block size that gives an SM the most threads; of several such sizes, the largest. */
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
	r = cu_function_attributes(function, &f, &a);
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
	size_t share, most;
	int fit;
	CUresult r;

	if (!bytes || blocks <= 0 || block_size <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_function_attributes(function, &f, &a);
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
		most = (size_t)cu_function_max_dynamic(f, &a);
		*bytes = share < most ? share : most;
	}
	cu_obj_put(f);
	return r;
}
