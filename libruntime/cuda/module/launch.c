/* SPDX-License-Identifier: MIT */
/* Launches. */
#include <ppu.h>
#include "cuda/module/cluster.h"
#include "cuda/module/launch.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/work.h"
#include "cuda/module/function.h"
#include "cuda/stream/stream.h"

CUresult cu_run_kernel(const struct cu_op *op, const struct cu_stream_use *u)
{
	struct CUfunc_st *f = op->kernel.function;
	const void *args = op->kernel.params[0] ? op->kernel.args : NULL;
	size_t bytes = args ? op->kernel.arg_bytes : 0;
	ppuResult res;

	if (f->obj.ctx != u->ctx || !cu_obj_alive(f))
		return CUDA_ERROR_INVALID_HANDLE;
	if (op->kernel.cluster.x)
		res = ppuLaunchClusterKernel(f->ppu, op->kernel.grid, op->kernel.block, op->kernel.cluster, op->kernel.cooperative,
					     op->kernel.shared_bytes, u->ppu, NULL, args, bytes);
	else if (!op->kernel.cooperative)
		res = ppuLaunchKernel(f->ppu, op->kernel.grid, op->kernel.block, op->kernel.shared_bytes, u->ppu, NULL, args, bytes);
	else
		res = ppuLaunchCooperativeKernel(f->ppu, op->kernel.grid, op->kernel.block, op->kernel.shared_bytes, u->ppu,
						 NULL, args, bytes);
	if (op->kernel.cooperative && res == PPU_ERROR_LAUNCH_RESOURCES) {
		cu_result(res);
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	}
	return cu_result(res);
}

static CUresult launch(CUfunction function, ppuDim3 grid, ppuDim3 block, unsigned int shared_bytes, bool cooperative,
		       const CUlaunchAttributeValue *cluster, CUstream stream, void **params, void **extra)
{
	CUlaunchAttributeValue own;
	struct cu_op op;
	CUresult r = cu_op_kernel(&op, function, grid, block, shared_bytes, cooperative, params, extra);

	if (r)
		return r;
	if (!cluster && op.kernel.function->cluster[0]) {
		own.clusterDim.x = op.kernel.function->cluster[0];
		own.clusterDim.y = op.kernel.function->cluster[1];
		own.clusterDim.z = op.kernel.function->cluster[2];
		cluster = &own;
	}
	if (cluster)
		r = cu_cluster_set(&op.kernel, cluster);
	if (!r)
		r = cu_op_submit(&op, stream, false);
	cu_op_clear(&op);
	return r;
}

CUresult i_cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
			  unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
			  CUstream stream, void **params, void **extra)
{
	return launch(function, ppuDim(grid_x, grid_y, grid_z), ppuDim(block_x, block_y, block_z), shared_bytes, false,
		      NULL, stream, params, extra);
}

CUresult i_cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
				     unsigned int block_x, unsigned int block_y, unsigned int block_z,
				     unsigned int shared_bytes, CUstream stream, void **params)
{
	return launch(function, ppuDim(grid_x, grid_y, grid_z), ppuDim(block_x, block_y, block_z), shared_bytes, true,
		      NULL, stream, params, NULL);
}

/* Refuses attributes that a PPU cannot provide, and ignores those that only advise. */
static CUresult check_attribute(const CUlaunchAttribute *a, bool *cooperative, const CUlaunchAttributeValue **cluster)
{
	switch (a->id) {
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		*cooperative = a->value.cooperative;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		*cluster = &a->value;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
	case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
	case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
		return CUDA_ERROR_NOT_SUPPORTED;
	default:
		return (int)a->id < 0 || a->id >= CU_LAUNCH_ATTRIBUTE_MAX ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	}
}

CUresult i_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
	const CUlaunchAttributeValue *cluster = NULL;
	bool cooperative = false;
	CUresult r = !config || (config->numAttrs && !config->attrs) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;

	for (unsigned int i = 0; !r && i < config->numAttrs; i++)
		r = check_attribute(&config->attrs[i], &cooperative, &cluster);
	return r ? r : launch(function, ppuDim(config->gridDimX, config->gridDimY, config->gridDimZ),
			      ppuDim(config->blockDimX, config->blockDimY, config->blockDimZ), config->sharedMemBytes,
			      cooperative, cluster, config->hStream, params, extra);
}
