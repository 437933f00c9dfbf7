/* SPDX-License-Identifier: MIT */
/*
 * Limits of a context: what its kernels may use of local memory, nesting levels, pending launches,
 * printf's ring and malloc's heap.
 *
 * Local memory is allocated for every warp the device can hold, so a context has no more of it than its
 * kernels need: a little when a module is loaded and nothing runs, else at the launch.
 */
#include <errno.h>

#include <ppu.h>
#include <hw/ppu_mmu.h>
#include <ppu_image.h>
#include "api/context/limit.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/need.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/launch/cdp.h"
#include "api/launch/devcalls.h"
#include "api/launch/module.h"
#include "api/stream/chan.h"
#include "api/stream/prio.h"
#include "api/stream/stream.h"
#include "backend/backend.h"

#define STACK_DEFAULT	1024u	/* nobody knows how deep recursion goes: some room is better than a fault at once */
#define PENDING_DEFAULT	2048u
#define LOCAL_LEAST	16u
#define EXPECTED_MOST	256u	/* a loaded module's kernels are given up to this many bytes */

void rt_limits_init(struct ppuCtx_st *ctx, uint32_t *limits)
{
	ctx->stack = STACK_DEFAULT;
	limits[BE_VM_LOCAL] = LOCAL_LEAST;
	limits[BE_VM_DEPTH] = ctx->reserve = rt_prio_depth(&ctx->device->prop);
	limits[BE_VM_PENDING] = PENDING_DEFAULT;
}

/* ---- local memory --------------------------------------------------------------------------- */

uint32_t rt_local_of(const struct ppuCtx_st *ctx, const struct ppu_symbol *s)
{
	return s->recursive && s->local_bytes < ctx->stack ? ctx->stack : s->local_bytes;
}

/* The largest need of a module's kernels that is not above `most`. */
static uint32_t local_of_any(const struct ppuModule_st *m, uint32_t most)
{
	uint32_t bytes = 0, need;

	for (uint32_t i = 0; i < m->img->num_symbols; i++) {
		if (m->img->symbols[i].kind != PPU_SYM_KERNEL)
			continue;
		need = rt_local_of(m->ctx, &m->img->symbols[i]);
		if (need > bytes && need <= most)
			bytes = need;
	}
	return bytes;
}

static bool launches(const struct ppu_image *img)
{
	for (uint32_t i = 0; i < img->num_insns; i++)
		if (PPU_GET(&img->code[i], OP) == PPU_OP_TLAUNCH)
			return true;
	return false;
}

void rt_local_expect(struct ppuModule_st *m)
{
	struct ppuCtx_st *ctx = m->ctx;
	struct rt_need need;
	uint32_t bytes;

	/* kernels are launched through the queue, or by threads */
	ctx->can_nest |= launches(m->img);
	m->launches = m->kernels_va || launches(m->img);
	bytes = local_of_any(m, m->launches ? UINT32_MAX : EXPECTED_MOST);
	rt_everything(ctx, &need);
	/* If this fails, a launch tries again and reports the error. */
	if (bytes > ctx->be->vm_limit(ctx->vm, BE_VM_LOCAL) && rt_done(ctx, &need))
		ctx->be->vm_set_limit(ctx->vm, BE_VM_LOCAL, bytes);
}

/* Has the context its areas? They come with the first channel that launches. */
static bool has_areas(const struct ppuCtx_st *ctx)
{
	for (unsigned i = 0; i < ctx->num_chan; i++)
		if (ctx->chan[i]->cls == PPU_CLASS_COMPUTE)
			return true;
	return false;
}

ppuResult rt_local_missing(struct ppuCtx_st *ctx, uint32_t bytes)
{
	const ppuDeviceProp *prop = &ctx->device->prop;
	uint64_t need = PPU_LOCAL_AREA_BYTES(prop->sms, prop->warps_per_sm, bytes), avail, total;

	if (has_areas(ctx) || ctx->be->mem_info(ctx->device->dev, &avail, &total) || need <= avail)
		return PPU_SUCCESS;
	return rt_fail(PPU_ERROR_OUT_OF_DEVICE_MEMORY, "%u bytes of local memory (stack) per thread are %llu MiB for all "
		       "threads of the device, and %llu MiB are free: set a smaller limit, or give the device more memory",
		       bytes, (unsigned long long)(need >> 20), (unsigned long long)(avail >> 20));
}

/* Local memory could not be enlarged to so many bytes per thread. */
static ppuResult enlarge_error(struct ppuCtx_st *ctx, int rc, uint32_t bytes)
{
	const ppuDeviceProp *prop = &ctx->device->prop;

	if (rc != -ENOSPC)
		return rt_errno(rc, "setting the size of local memory");
	return rt_fail(PPU_ERROR_OUT_OF_DEVICE_MEMORY, "not enough device memory for %u bytes of local memory (stack) per thread: "
		       "these are %llu MiB for all threads of the device", bytes,
		       (unsigned long long)(PPU_LOCAL_AREA_BYTES(prop->sms, prop->warps_per_sm, bytes) >> 20));
}

ppuResult rt_local_raise(struct ppuCtx_st *ctx, uint32_t bytes)
{
	while (bytes > ctx->be->vm_limit(ctx->vm, BE_VM_LOCAL)) {
		ppuResult res = rt_wait_all(ctx);
		int rc;

		if (!res)
			res = rt_local_missing(ctx, bytes);	/* else smaller kernels would be refused later on */
		if (res)
			return res;
		rc = ctx->be->vm_set_limit(ctx->vm, BE_VM_LOCAL, bytes);
		if (rc && rc != -EBUSY)	/* busy: another thread was faster */
			return enlarge_error(ctx, rc, bytes);
	}
	return PPU_SUCCESS;
}

ppuResult rt_local_ensure(const struct ppuFunction_st *f)
{
	struct ppuCtx_st *ctx = f->mod->ctx;

	/* Nobody knows which kernels this one launches, so take the largest need of the module. */
	return rt_local_raise(ctx, f->mod->launches ? local_of_any(f->mod, UINT32_MAX) : rt_local_of(ctx, f->sym));
}

static ppuResult set_stack(struct ppuCtx_st *ctx, uint64_t value)
{
	uint32_t bytes = value < LOCAL_LEAST ? LOCAL_LEAST : ((uint32_t)value + 15) & ~15u;
	ppuResult res = rt_wait_all(ctx);

	if (!res)
		res = rt_local_missing(ctx, bytes);
	if (!res)
		res = enlarge_error(ctx, ctx->be->vm_set_limit(ctx->vm, BE_VM_LOCAL, bytes), bytes);
	if (!res)
		ctx->stack = bytes;
	return res;
}

static uint64_t get_stack(struct ppuCtx_st *ctx)
{
	uint32_t now = ctx->be->vm_limit(ctx->vm, BE_VM_LOCAL);

	return now > ctx->stack ? now : ctx->stack;
}

/* ---- nesting -------------------------------------------------------------------------------- */

/* Is it possible that the device priorities of this many levels are kept?  Stream priorities keep their meaning. */
static ppuResult check_reserve(struct ppuCtx_st *ctx, uint64_t levels)
{
	char why[RT_PRIO_REFUSAL];

	if (!rt_prio_depth_ok(&ctx->device->prop, levels, why))
		return rt_fail(PPU_ERROR_INVALID_VALUE, "%s", why);
	for (const struct ppuStream_st *s = ctx->streams; s && levels != ctx->reserve; s = s->next)
		if (s->assigned)
			return rt_fail(PPU_ERROR_BUSY, "the nesting depth decides what stream priorities mean: "
				       "set it before a stream gets one, or destroy those streams");
	return PPU_SUCCESS;
}

static void reserve(struct ppuCtx_st *ctx, uint32_t levels)
{
	ctx->reserve = levels;
	rt_prio_refresh(ctx);
}

/* Priorities of streams and work on the device were made for the present depth (SP-43). */
static ppuResult set_depth(struct ppuCtx_st *ctx, uint64_t value)
{
	uint64_t levels = ctx->reserve_chosen ? ctx->reserve_chosen : value;
	struct rt_need need;
	ppuResult res;

	if (!value || value > PPU_MAX_DEPTH)
		levels = value;
	res = check_reserve(ctx, levels);
	if (res)
		return res;
	if (value != ctx->be->vm_limit(ctx->vm, BE_VM_DEPTH)) {
		rt_everything(ctx, &need);
		if (!rt_done(ctx, &need) && ctx->be->poll)
			ctx->be->poll(ctx->device->dev);
		if (!rt_done(ctx, &need))
			return rt_fail(PPU_ERROR_BUSY, "the nesting depth cannot change while there is work in the "
				       "context: synchronise first");
		res = rt_errno(ctx->be->vm_set_limit(ctx->vm, BE_VM_DEPTH, (uint32_t)value),
			       "setting the nesting depth");
	}
	if (!res)
		reserve(ctx, (uint32_t)levels);
	return res;
}

static ppuResult set_reserve(struct ppuCtx_st *ctx, uint64_t value)
{
	uint64_t levels = value ? value : ctx->be->vm_limit(ctx->vm, BE_VM_DEPTH);
	ppuResult res = check_reserve(ctx, levels);

	if (res)
		return res;
	ctx->reserve_chosen = (uint32_t)value;
	reserve(ctx, (uint32_t)levels);
	return PPU_SUCCESS;
}

#define CUDA_DEPTH	24u	/* levels of kernels that CUDA has */

void rt_depth_expect(struct ppuCtx_st *ctx)
{
	uint32_t now = ctx->be->vm_limit(ctx->vm, BE_VM_DEPTH);

	if (ctx->depth_chosen || rt_prio_conf.depth || now >= CUDA_DEPTH || rt_wait_all(ctx))
		return;
	/* Each level costs device memory: where there is no room for all, there may be for some. */
	for (uint32_t depth = CUDA_DEPTH; depth > now; depth /= 2)
		if (!ctx->be->vm_set_limit(ctx->vm, BE_VM_DEPTH, depth))
			return;
}

static ppuResult set_pending(struct ppuCtx_st *ctx, uint64_t value)
{
	ppuResult res = rt_wait_all(ctx);

	return res ? res : rt_errno(ctx->be->vm_set_limit(ctx->vm, BE_VM_PENDING, (uint32_t)value),
				    "setting the number of pending launches");
}

/* ---- the calls ------------------------------------------------------------------------------ */

uint64_t rt_limit(struct ppuCtx_st *ctx, ppuLimit limit)
{
	uint64_t value = 0;

	switch (limit) {
	case PPU_LIMIT_LOCAL_BYTES:
		return get_stack(ctx);
	case PPU_LIMIT_NESTING_DEPTH:
		return ctx->be->vm_limit(ctx->vm, BE_VM_DEPTH);
	case PPU_LIMIT_NESTING_RESERVE:
		return ctx->reserve;
	case PPU_LIMIT_PENDING_LAUNCHES:
		return ctx->be->vm_limit(ctx->vm, BE_VM_PENDING);
	default:
		rt_devlib_get_limit(ctx, limit, &value);
		return value;
	}
}

static ppuResult set(struct ppuCtx_st *ctx, ppuLimit limit, uint64_t value)
{
	ppuResult res;

	switch (limit) {
	case PPU_LIMIT_LOCAL_BYTES:
		return set_stack(ctx, value);
	case PPU_LIMIT_NESTING_DEPTH:
		res = set_depth(ctx, value);
		ctx->depth_chosen |= !res;
		return res;
	case PPU_LIMIT_NESTING_RESERVE:
		return set_reserve(ctx, value);
	case PPU_LIMIT_PENDING_LAUNCHES:
		return set_pending(ctx, value);
	default:
		res = rt_wait_all(ctx);
		return res ? res : rt_devlib_set_limit(ctx, limit, value);
	}
}

ppuResult ppuCtxGetLimit(ppuLimit limit, uint64_t *value)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!value || limit >= PPU_LIMIT_COUNT)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		*value = rt_limit(ctx, limit);
		rt_leave(ctx);
	}
	rt_obj_put(&ctx->obj);
	return res;
}

ppuResult ppuCtxSetLimit(ppuLimit limit, uint64_t value)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (limit >= PPU_LIMIT_COUNT || value > UINT32_MAX - 15)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		res = set(ctx, limit, value);
		rt_leave(ctx);
	}
	if (!res)
		res = rt_cdp_limits(ctx);
	rt_obj_put(&ctx->obj);
	return res;
}
