/* SPDX-License-Identifier: MIT */
/* What is known of kernels before they are launched: attributes, parameters, occupancy. */
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
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
	};
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
