/* SPDX-License-Identifier: MIT */
/* Clusters of blocks: launch attributes, attributes of functions, occupancy. */
#include <ppu.h>
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/module/cluster.h"

#define PORTABLE	8	/* blocks that every device with clusters can have in one */
#define MOST		16	/* with the function's consent */

static unsigned int most_of(const struct CUfunc_st *f)
{
	return f->non_portable ? MOST : PORTABLE;
}

CUresult cu_cluster_set(struct cu_kernel *k, const CUlaunchAttributeValue *value)
{
	const ppuDim3 c = { value->clusterDim.x, value->clusterDim.y, value->clusterDim.z }, g = k->grid, b = k->block;
	ppuFunctionAttributes a;
	unsigned int most = most_of(k->function);
	CUresult r;
	int n;

	if (!c.x || !c.y || !c.z)
		return CUDA_ERROR_INVALID_VALUE;
	if (c.x > most || c.y > most || c.z > most || c.x * c.y * c.z > most)
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	r = cu_result(ppuFunctionGetAttributes(&a, k->function->ppu));
	if (r)
		return r;
	if ((a.cluster[0] && (a.cluster[0] != c.x || a.cluster[1] != c.y || a.cluster[2] != c.z)) ||
	    (a.cluster_most && c.x * c.y * c.z > a.cluster_most))
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	if (g.x % c.x || g.y % c.y || g.z % c.z)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_result(ppuOccupancyMaxActiveClusters(&n, k->function->ppu, b.x * b.y * b.z, c, k->shared_bytes));
	if (!r && !n)
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	if (!r)
		k->cluster = c;
	return r;
}

void cu_cluster_get(const ppuDim3 *cluster, CUlaunchAttributeValue *value)
{
	value->clusterDim.x = cluster->x ? cluster->x : 1;
	value->clusterDim.y = cluster->y ? cluster->y : 1;
	value->clusterDim.z = cluster->z ? cluster->z : 1;
}

CUresult cu_cluster_function_get(int *value, CUfunction_attribute what, const struct CUfunc_st *f, const ppuFunctionAttributes *a)
{
	switch (what) {
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
		*value = a->cluster_explicit && !a->cluster[0];
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		what -= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
		*value = (int)(a->cluster[0] ? a->cluster[what] : f->cluster[what]);
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*value = f->non_portable;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*value = f->cluster_policy;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cu_cluster_function_set(int value, CUfunction_attribute what, struct CUfunc_st *f, const ppuFunctionAttributes *a)
{
	switch (what) {
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		if (a->cluster[0])
			return CUDA_ERROR_NOT_PERMITTED;	/* the kernel says it */
		if (value < 0 || value > MOST)
			return CUDA_ERROR_INVALID_VALUE;
		f->cluster[what - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = (unsigned int)value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		f->non_portable = value != 0;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:	/* advice: a cluster is on one SM */
		if (value < 0 || value > 2)
			return CUDA_ERROR_INVALID_VALUE;
		f->cluster_policy = value;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* The cluster that a launch with this configuration would have. */
static CUresult cluster_of(const CUlaunchConfig *config, const struct CUfunc_st *f, ppuDim3 *c)
{
	ppuFunctionAttributes a;
	CUresult r = cu_result(ppuFunctionGetAttributes(&a, f->ppu));

	if (r)
		return r;
	*c = a.cluster[0] ? ppuDim(a.cluster[0], a.cluster[1], a.cluster[2]) : f->cluster[0] ?
	     ppuDim(f->cluster[0], f->cluster[1], f->cluster[2]) : ppuDim(1, 1, 1);
	for (unsigned int i = 0; i < config->numAttrs; i++)
		if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			*c = ppuDim(config->attrs[i].value.clusterDim.x, config->attrs[i].value.clusterDim.y,
				    config->attrs[i].value.clusterDim.z);
	return CUDA_SUCCESS;
}

static bool config_ok(const CUlaunchConfig *config)
{
	return config && (!config->numAttrs || config->attrs) && config->blockDimX && config->blockDimY && config->blockDimZ;
}

static CUresult fit(int *clusters, const struct CUfunc_st *f, const CUlaunchConfig *config, ppuDim3 c)
{
	uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY;

	threads = threads > 1024 ? threads : threads * config->blockDimZ;
	if (threads > 1024) {
		*clusters = 0;
		return CUDA_SUCCESS;
	}
	return cu_result(ppuOccupancyMaxActiveClusters(clusters, f->ppu, (uint32_t)threads, c, config->sharedMemBytes));
}

CUresult i_cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
	struct CUfunc_st *f;
	ppuDim3 c;
	CUresult r;

	if (!clusters || !config_ok(config))
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_function_get(function, &f);
	if (r)
		return r;
	r = cluster_of(config, f, &c);
	if (!r && (!c.x || !c.y || !c.z))
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r && (c.x > most_of(f) || c.y > most_of(f) || c.z > most_of(f) || c.x * c.y * c.z > most_of(f)))
		r = CUDA_ERROR_INVALID_CLUSTER_SIZE;
	if (!r)
		r = fit(clusters, f, config, c);
	cu_obj_put(f);
	return r;
}

CUresult i_cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config)
{
	struct CUfunc_st *f;
	int clusters = 0;
	CUresult r;

	if (!size || !config_ok(config))
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_function_get(function, &f);
	if (r)
		return r;
	for (*size = (int)most_of(f); *size > 0; *size /= 2) {
		r = fit(&clusters, f, config, ppuDim((unsigned int)*size, 1, 1));
		if (r || clusters)
			break;
	}
	cu_obj_put(f);
	return r;
}
