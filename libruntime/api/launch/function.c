/* SPDX-License-Identifier: MIT */
/* What is known of kernels before they are launched: attributes, parameters, occupancy. */
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_tmd.h>
#include "api/launch/function.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/launch/module.h"
#include "backend/backend.h"

/* Most threads of a block, by registers and by the kernel's own limit. */
uint32_t rt_max_threads(const struct ppu_symbol *s, const ppuDeviceProp *p)
{
	uint32_t regs = s->regs ? s->regs : 1;
	uint32_t n = p->regs_per_sm / regs / p->warp_size * p->warp_size;

	if (n > p->max_threads_per_sm)
		n = p->max_threads_per_sm;
	if (n > p->max_threads_per_block)
		n = p->max_threads_per_block;
	if (s->max_threads && s->max_threads < n)
		n = s->max_threads;
	return n;
}

uint32_t rt_max_dynamic(const struct ppu_symbol *s, const ppuDeviceProp *p)
{
	uint32_t most = p->shared_per_block < p->shared_per_sm ? p->shared_per_block : p->shared_per_sm;

	return s->shared_bytes < most ? most - s->shared_bytes : 0;
}

ppuResult ppuFunctionGetAttributes(ppuFunctionAttributes *attr, ppuFunction handle)
{
	struct ppuFunction_st *f;
	const struct ppu_symbol *s;
	const ppuDeviceProp *p;

	if (!attr)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	f = rt_obj_get(handle, RT_FUNCTION);
	if (!f)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	s = f->sym;
	p = &f->mod->ctx->device->prop;
	*attr = (ppuFunctionAttributes){
		.regs = s->regs, .shared_bytes = s->shared_bytes, .local_bytes = s->local_bytes,
		.max_threads_per_block = rt_max_threads(f->sym, p), .max_dynamic_shared = rt_max_dynamic(f->sym, p),
		.barriers = s->barriers, .param_bytes = s->param_bytes, .num_params = s->num_params,
		.code_insns = s->num_insns, .recursive = s->recursive,
		.code_address = f->mod->code_va, .entry_pc = (uint32_t)s->value,
		.cluster_most = PPU_SYM_CLUSTER_MOST_OF(s->cluster), .cluster_explicit = !!(s->cluster & PPU_SYM_CLUSTER_EXPLICIT),
	};
	for (unsigned i = 0; PPU_SYM_CLUSTER_DIMS(s->cluster) && i < 3; i++)
		attr->cluster[i] = PPU_CLUSTER_DIM(PPU_SYM_CLUSTER_DIMS(s->cluster), i);
	rt_obj_put(&f->obj);
	return PPU_SUCCESS;
}

ppuResult ppuFunctionGetParam(ppuFunction handle, uint32_t index, size_t *offset, size_t *bytes)
{
	struct ppuFunction_st *f;
	ppuResult res = PPU_SUCCESS;

	f = rt_obj_get(handle, RT_FUNCTION);
	if (!f)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	if (index >= f->sym->num_params || !offset || !bytes) {
		res = rt_error(PPU_ERROR_INVALID_VALUE);
	} else {
		*offset = f->sym->params[index].offset;
		*bytes = f->sym->params[index].size;
	}
	rt_obj_put(&f->obj);
	return res;
}

const char *ppuFunctionGetName(ppuFunction handle)
{
	struct ppuFunction_st *f = rt_obj_get(handle, RT_FUNCTION);
	const char *name;

	if (!f) {
		rt_error(PPU_ERROR_INVALID_HANDLE);
		return NULL;
	}
	name = f->sym->name;
	rt_obj_put(&f->obj);
	return name;
}

ppuResult ppuOccupancyMaxActiveBlocks(int *blocks, ppuFunction handle, uint32_t block_threads,
				      size_t dynamic_shared)
{
	struct ppuFunction_st *f;
	const ppuDeviceProp *p;
	uint32_t warps, n = 0, by;
	uint64_t shared;

	if (!blocks || !block_threads)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	f = rt_obj_get(handle, RT_FUNCTION);
	if (!f)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	p = &f->mod->ctx->device->prop;
	/* Check first: the code below multiplies and divides by these numbers. */
	if (block_threads > rt_max_threads(f->sym, p) || dynamic_shared > rt_max_dynamic(f->sym, p))
		goto out;
	warps = (block_threads + p->warp_size - 1) / p->warp_size;
	n = p->ctas_per_sm;
	by = p->warps_per_sm / warps;
	n = by < n ? by : n;
	by = p->regs_per_sm / ((f->sym->regs ? f->sym->regs : 1) * warps * p->warp_size);
	n = by < n ? by : n;
	shared = f->sym->shared_bytes + (uint64_t)dynamic_shared;
	if (shared) {
		by = shared > p->shared_per_sm ? 0 : (uint32_t)(p->shared_per_sm / shared);
		n = by < n ? by : n;
	}
out:
	*blocks = (int)n;
	rt_obj_put(&f->obj);
	return PPU_SUCCESS;
}

/* An SM that is empty otherwise lends a cluster shared memory that it does not have (hw/tasks.md), but never more than one. */
static uint32_t clusters_per_sm(const struct ppu_symbol *s, const ppuDeviceProp *p, uint32_t threads, uint32_t ctas, size_t dynamic)
{
	uint32_t warps, n, by;
	uint64_t shared;

	if (!threads || threads > rt_max_threads(s, p) || dynamic > rt_max_dynamic(s, p) || !ctas || ctas > PPU_CLUSTER_MAX ||
	    (ctas > 1 && !(p->features & PPU_FEAT_CLUSTERS)))
		return 0;
	warps = (threads + p->warp_size - 1) / p->warp_size * ctas;
	n = p->ctas_per_sm / ctas;
	by = p->warps_per_sm / warps;
	n = by < n ? by : n;
	by = p->regs_per_sm / ((s->regs ? s->regs : 1) * warps * p->warp_size);
	n = by < n ? by : n;
	shared = (s->shared_bytes + (uint64_t)dynamic) * ctas;
	if (shared && n) {
		by = (uint32_t)(p->shared_per_sm / shared);
		n = !by ? 1 : by < n ? by : n;
	}
	return n;
}

ppuResult rt_cluster(const struct ppuFunction_st *f, ppuDim3 grid, ppuDim3 block, ppuDim3 cluster, size_t dynamic, uint32_t *tmd)
{
	const struct ppu_symbol *s = f->sym;
	uint32_t own = PPU_SYM_CLUSTER_DIMS(s->cluster), most = PPU_SYM_CLUSTER_MOST_OF(s->cluster);
	bool said = cluster.x || cluster.y || cluster.z;
	uint64_t ctas;

	*tmd = 0;
	if (!said && !own && s->cluster & PPU_SYM_CLUSTER_EXPLICIT)
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION, "kernel %s wants a cluster size with each launch", s->name);
	if (!said && !own)
		return PPU_SUCCESS;
	if (!said)
		cluster = ppuDim(PPU_CLUSTER_DIM(own, 0), PPU_CLUSTER_DIM(own, 1), PPU_CLUSTER_DIM(own, 2));
	ctas = (uint64_t)cluster.x * cluster.y;
	ctas = ctas > PPU_CLUSTER_MAX ? ctas : ctas * cluster.z;
	if (!ctas || ctas > PPU_CLUSTER_MAX || (most && ctas > most))
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION, "a cluster of %u,%u,%u is impossible: 1 to %u blocks in all",
			       cluster.x, cluster.y, cluster.z, most ? most : PPU_CLUSTER_MAX);
	*tmd = PPU_CLUSTER(cluster.x, cluster.y, cluster.z);
	if (own && own != *tmd)
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION, "kernel %s wants clusters of %u,%u,%u", s->name,
			       PPU_CLUSTER_DIM(own, 0), PPU_CLUSTER_DIM(own, 1), PPU_CLUSTER_DIM(own, 2));
	if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION, "grid %u,%u,%u is no multiple of the cluster %u,%u,%u", grid.x, grid.y,
			       grid.z, cluster.x, cluster.y, cluster.z);
	if (!(f->mod->ctx->device->prop.features & PPU_FEAT_CLUSTERS)) {
		*tmd = 0;
		return ctas == 1 ? PPU_SUCCESS : rt_fail(PPU_ERROR_NOT_SUPPORTED, "clusters need a device of version 1.7");
	}
	if (!clusters_per_sm(s, &f->mod->ctx->device->prop, block.x * block.y * block.z, (uint32_t)ctas, dynamic))
		return rt_fail(PPU_ERROR_LAUNCH_RESOURCES, "kernel %s: no SM holds a cluster of %u blocks of %u threads", s->name,
			       (uint32_t)ctas, block.x * block.y * block.z);
	return PPU_SUCCESS;
}

ppuResult ppuOccupancyMaxActiveClusters(int *clusters, ppuFunction handle, uint32_t block_threads, ppuDim3 cluster,
					size_t dynamic_shared)
{
	struct ppuFunction_st *f;
	uint64_t ctas = (uint64_t)cluster.x * cluster.y;

	ctas = ctas > PPU_CLUSTER_MAX ? ctas : ctas * cluster.z;
	if (!clusters || !block_threads || !ctas)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	f = rt_obj_get(handle, RT_FUNCTION);
	if (!f)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	*clusters = (int)(f->mod->ctx->device->prop.sms *
			  clusters_per_sm(f->sym, &f->mod->ctx->device->prop, block_threads,
					  ctas > PPU_CLUSTER_MAX ? 0 : (uint32_t)ctas, dynamic_shared));
	rt_obj_put(&f->obj);
	return PPU_SUCCESS;
}
