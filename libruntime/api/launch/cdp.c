/* SPDX-License-Identifier: MIT */
/*
 * The host's half of launches by threads (libruntime/compiler/devlib/launch*.cu): a module whose kernels
 * launch kernels gets a description of its kernels.  All modules of a context share the buffers in which
 * launches are prepared.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_tmd.h>
#include "common/capability.h"
#include "api/launch/cdp.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/limit.h"
#include "api/context/wait.h"
#include "api/launch/function.h"
#include "api/launch/module.h"
#include "api/memory/copy.h"
#include "api/memory/mem.h"
#include "compiler/devabi/devlib.h"

#define NUM_BUFFERS	2048u	/* more launches at once are prepared in the heap of malloc */
#define BUFFER_ALIGN	PPU_TMD_ALIGN

/* cudaLimit */
enum { LIMIT_STACK, LIMIT_PRINTF, LIMIT_HEAP, LIMIT_DEPTH, LIMIT_PENDING, LIMIT_FETCH };

static void get_limits(struct ppuCtx_st *ctx, u64 *v)
{
	static const struct {
		unsigned cuda;
		ppuLimit limit;
	} list[] = {
		{ LIMIT_STACK, PPU_LIMIT_LOCAL_BYTES }, { LIMIT_PRINTF, PPU_LIMIT_PRINTF_BYTES },
		{ LIMIT_HEAP, PPU_LIMIT_HEAP_BYTES }, { LIMIT_DEPTH, PPU_LIMIT_NESTING_DEPTH },
		{ LIMIT_PENDING, PPU_LIMIT_PENDING_LAUNCHES },
	};

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		uint64_t value = rt_limit(ctx, list[i].limit);

		v[list[i].cuda] = value;
	}
}

/* cudaDeviceAttr: the attributes that say something about this device; the others are 0. */
static void get_attributes(const struct ppuCtx_st *ctx, struct ppu_cdp_ctx *c)
{
	const ppuDeviceProp *p = &ctx->device->prop;
	const struct {
		unsigned number;
		uint64_t value;
	} list[] = {
		{ 1, p->max_threads_per_block }, { 2, p->max_block[0] }, { 3, p->max_block[1] },
		{ 4, p->max_block[2] }, { 5, p->max_grid[0] }, { 6, p->max_grid[1] }, { 7, p->max_grid[2] },
		{ 8, p->shared_per_block }, { 9, 65536 }, { 10, p->warp_size }, { 11, 0x7fffffff },
		{ 12, p->regs_per_sm }, { 13, p->clock_khz }, { 16, p->sms },
		{ 31, 1 },		/* several kernels at once */
		{ 39, p->max_threads_per_sm }, { 41, 1 /* one address space */ }, { 75, (uint32_t)ppu_cuda_capability() / 10 }, { 76, (uint32_t)ppu_cuda_capability() % 10 },
		{ 81, p->shared_per_sm }, { 82, p->regs_per_sm }, { 97, p->shared_per_block },
		{ 106, p->ctas_per_sm },
	};

	c->attributes = sizeof(c->attribute) / sizeof(c->attribute[0]);
	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		c->attribute[list[i].number] = (int)(list[i].value > 0x7fffffff ? 0x7fffffff : list[i].value);
}

ppuResult rt_cdp_upload(struct ppuCtx_st *ctx, uint64_t va, const void *from, uint64_t bytes)
{
	struct rt_rect r = { va, (uintptr_t)from, bytes, bytes, bytes, 1 };

	return rt_copy(ctx->load_stream, &r, true);
}

ppuResult rt_cdp_allocate(struct ppuCtx_st *ctx, uint64_t bytes, uint64_t *va)
{
	ppuResult res = rt_enter(ctx);

	if (res)
		return res;
	res = rt_alloc(ctx, RT_HEAP_DATA, bytes, BUFFER_ALIGN, RT_MEMORY_MODULE, va);
	rt_leave(ctx);
	return res;
}

/* Called once for a context; under bind_lock. */
static ppuResult make_context(struct ppuCtx_st *ctx)
{
	const ppuDeviceProp *p = &ctx->device->prop;
	uint64_t room = (sizeof(struct ppu_cdp_ctx) + BUFFER_ALIGN - 1) & ~(uint64_t)(BUFFER_ALIGN - 1), va;
	struct ppu_cdp_ctx c = { .num_buffers = NUM_BUFFERS, .max_threads = p->max_threads_per_block };
	ppuResult res;

	if (ctx->cdp_va)
		return PPU_SUCCESS;
	res = rt_enter(ctx);
	if (res)
		return res;
	rt_depth_expect(ctx);
	rt_leave(ctx);
	res = rt_cdp_allocate(ctx, room + (uint64_t)NUM_BUFFERS * PPU_CDP_BUFFER, &va);
	if (res)
		return res;
	c.buffers = va + room;
	for (unsigned i = 0; i < 3; i++) {
		c.max_grid[i] = p->max_grid[i];
		c.max_block[i] = p->max_block[i];
	}
	get_attributes(ctx, &c);
	get_limits(ctx, c.limit);
	res = rt_cdp_upload(ctx, va, &c, sizeof(c));
	if (!res)
		ctx->cdp_va = va;
	return res;
}

ppuResult rt_cdp_limits(struct ppuCtx_st *ctx)
{
	u64 limit[sizeof(((struct ppu_cdp_ctx *)0)->limit) / sizeof(u64)] = { 0 };

	if (!ctx->cdp_va)
		return PPU_SUCCESS;
	get_limits(ctx, limit);
	return rt_cdp_upload(ctx, ctx->cdp_va + offsetof(struct ppu_cdp_ctx, limit), limit, sizeof(limit));
}

/* ---- kernels ---------------------------------------------------------------------------------- */

static int by_pc(const void *a, const void *b)
{
	const struct ppu_cdp_kernel *x = a, *y = b;

	return x->tmd.entry_pc < y->tmd.entry_pc ? -1 : x->tmd.entry_pc > y->tmd.entry_pc;
}

/* Locked. */
static ppuResult describe(struct ppuModule_st *m, const struct ppu_symbol *s, struct ppu_cdp_kernel *k)
{
	const ppuDeviceProp *p = &m->ctx->device->prop;
	uint32_t number;
	ppuResult res = rt_module_number(m, s, &number);

	if (res)
		return res;
	*k = (struct ppu_cdp_kernel){
		.tmd = {
			.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
			.kind = PPU_TMD_GRID, .regs_per_thread = (uint16_t)(s->regs ? s->regs : 1),
			.id = (uint64_t)number << 32,	/* tells which kernel faulted */
			.code_va = m->code_va, .code_insns = m->img->num_insns, .entry_pc = (uint32_t)s->value,
			.shared_bytes = s->shared_bytes, .local_per_thread = rt_local_of(m->ctx, s),
			.num_barriers = s->barriers, .param_bytes = s->param_bytes,
			.cluster = p->features & PPU_FEAT_CLUSTERS ? PPU_SYM_CLUSTER_DIMS(s->cluster) : 0,
		},
		.max_threads = rt_max_threads(s, p), .own_threads = s->max_threads, .recursive = s->recursive,
		.wanted = { s->reqntid[0], s->reqntid[1], s->reqntid[2] },
		.max_dynamic = rt_max_dynamic(s, p),
	};
	/* .reqntid x leaves y and z 1 */
	for (unsigned i = 1; i < 3 && k->wanted[0]; i++)
		if (!k->wanted[i])
			k->wanted[i] = 1;
	return PPU_SUCCESS;
}

static ppuResult describe_all(struct ppuModule_st *m, struct ppu_cdp_kernel *k, uint32_t *n)
{
	ppuResult res = rt_enter(m->ctx);

	if (res)
		return res;
	for (uint32_t i = 0; i < m->img->num_symbols && !res; i++)
		if (m->img->symbols[i].kind == PPU_SYM_KERNEL)
			res = describe(m, &m->img->symbols[i], &k[(*n)++]);
	rt_leave(m->ctx);
	if (*n)
		qsort(k, *n, sizeof(*k), by_pc);
	return res;
}

/* Writes the description of the module, and behind it those of its kernels. */
static ppuResult tell(struct ppuModule_st *m, struct ppu_cdp_kernel *k)
{
	struct ppu_cdp_module all = { .ctx = m->ctx->cdp_va };
	ppuResult res = describe_all(m, k, &all.num_kernels);

	if (!res)
		res = rt_cdp_allocate(m->ctx, BUFFER_ALIGN + all.num_kernels * sizeof(*k), &m->cdp_va);
	all.kernels = m->cdp_va + BUFFER_ALIGN;
	if (!res)
		res = rt_cdp_upload(m->ctx, m->cdp_va, &all, sizeof(all));
	if (!res)
		res = rt_cdp_upload(m->ctx, all.kernels, k, all.num_kernels * sizeof(*k));
	return res;
}

ppuResult rt_cdp_bind(struct ppuModule_st *m)
{
	struct ppu_cdp_kernel *k;
	ppuResult res;

	k = calloc((size_t)m->img->num_symbols + 1, sizeof(*k));
	if (!k)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	res = make_context(m->ctx);
	if (!res)
		res = tell(m, k);
	free(k);
	return res;
}
