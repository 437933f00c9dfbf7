/* SPDX-License-Identifier: MIT */
/* Launches: a TMD and its parameters in the job's own memory, LAUNCH, WFI. */
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_tmd.h>
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/limit.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/launch/coop.h"
#include "api/launch/function.h"
#include "api/launch/launch.h"
#include "api/launch/module.h"
#include "api/launch/queue.h"
#include "api/stream/chan.h"
#include "api/stream/event.h"
#include "api/stream/prio.h"
#include "api/stream/slot.h"
#include "api/stream/stream.h"
#include "backend/backend.h"
#include "check/check.h"
#include "compiler/devabi/devlib.h"
#include "prof/prof.h"

static ppuResult check(const struct ppuFunction_st *f, ppuDim3 grid, ppuDim3 block, size_t dynamic)
{
	const ppuDeviceProp *p = &f->mod->ctx->device->prop;
	const struct ppu_symbol *s = f->sym;
	uint64_t threads = (uint64_t)block.x * block.y * block.z;

	if (!grid.x || !grid.y || !grid.z || grid.x > p->max_grid[0] || grid.y > p->max_grid[1] ||
	    grid.z > p->max_grid[2])
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION, "grid %u,%u,%u is impossible: 1 to %u,%u,%u",
			       grid.x, grid.y, grid.z, p->max_grid[0], p->max_grid[1], p->max_grid[2]);
	if (!threads || block.x > p->max_block[0] || block.y > p->max_block[1] ||
	    block.z > p->max_block[2] || threads > p->max_threads_per_block)
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION,
			       "block %u,%u,%u is impossible: 1 to %u,%u,%u, in all up to %u threads",
			       block.x, block.y, block.z, p->max_block[0], p->max_block[1],
			       p->max_block[2], p->max_threads_per_block);
	if (s->reqntid[0] && (block.x != s->reqntid[0] || block.y != (s->reqntid[1] ? s->reqntid[1] : 1) ||
			      block.z != (s->reqntid[2] ? s->reqntid[2] : 1)))
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION, "kernel %s wants blocks of %u,%u,%u", s->name,
			       s->reqntid[0], s->reqntid[1] ? s->reqntid[1] : 1,
			       s->reqntid[2] ? s->reqntid[2] : 1);
	if (s->max_threads && threads > s->max_threads)
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION, "kernel %s allows %u threads a block", s->name,
			       s->max_threads);
	if (s->param_bytes > PPU_PARAM_FEW && !(p->features & PPU_FEAT_LARGE_PARAMS))
		return rt_fail(PPU_ERROR_NOT_SUPPORTED,
			       "kernel %s has %u bytes of parameters: more than %u need a device of version 1.5", s->name,
			       s->param_bytes, PPU_PARAM_FEW);
	if (dynamic > rt_max_dynamic(f->sym, p))
		return rt_fail(PPU_ERROR_INVALID_CONFIGURATION,
			       "kernel %s: %u + %llu bytes of shared memory, a block can have %u", s->name,
			       s->shared_bytes, (unsigned long long)dynamic, p->shared_per_block);
	if (threads > rt_max_threads(f->sym, p))
		return rt_fail(PPU_ERROR_LAUNCH_RESOURCES,
			       "kernel %s uses %u registers: a block can have %u threads, not %llu", s->name,
			       s->regs, rt_max_threads(f->sym, p), (unsigned long long)threads);
	return PPU_SUCCESS;
}

static void pack(const struct ppu_symbol *s, void **params, const void *packed, size_t bytes, uint8_t *to)
{
	memset(to, 0, s->param_bytes);
	if (packed) {
		memcpy(to, packed, bytes);
		return;
	}
	for (uint32_t i = 0; i < s->num_params; i++)
		memcpy(to + s->params[i].offset, params[i], s->params[i].size);
}

/* The queue a kernel gets, NULL: none. */
static struct rt_queue *queue_for(const struct ppuFunction_st *f, const struct ppuStream_st *st)
{
	return f->sym->flags & PPU_SYMF_QUEUE ? st->queue : NULL;
}

static unsigned parts_for(const struct ppuFunction_st *f, const struct ppuStream_st *st)
{
	const struct rt_queue *q = queue_for(f, st);

	return q ? rt_queue_parts(q) : 1;
}

/* While this function waits for room, others may launch, and give the stream another queue.  So what the
 * job depends on is read when it holds the lock and nobody else can come any more. */
static ppuResult begin(struct rt_job *job, const struct ppuFunction_st *f, struct ppuStream_st *st, bool cooperative)
{
	struct ppuCtx_st *ctx = st->ctx;
	struct rt_queue *q;
	ppuResult res;
	unsigned parts;

	do {
		parts = parts_for(f, st);
		res = rt_job_open_cut(job, st, PPU_CLASS_COMPUTE, PPU_TMD_SIZE + f->sym->param_bytes, parts);
		if (res)
			return res;
	} while (parts != parts_for(f, st));
	q = queue_for(f, st);
	if (q)
		rt_merge(ctx, &st->need, &q->last);
	if (cooperative)
		rt_merge(ctx, &st->need, &ctx->coop);
	rt_job_depend(job);
	return PPU_SUCCESS;
}

/* What a TMD says of the kernel and its shape.  Locked. */
static void describe(struct ppu_tmd *t, const struct ppuFunction_st *f, ppuDim3 grid, ppuDim3 block, size_t dynamic,
		     uint32_t cluster)
{
	const struct ppu_symbol *s = f->sym;
	struct ppuCtx_st *ctx = f->mod->ctx;

	memset(t, 0, sizeof(*t));
	t->magic = PPU_TMD_MAGIC;
	t->version = PPU_TMD_VERSION;
	t->size = PPU_TMD_SIZE;
	t->kind = PPU_TMD_GRID;
	t->regs_per_thread = (uint16_t)(s->regs ? s->regs : 1);
	/* Faults name this id, which tells which kernel they belong to. */
	t->id = (uint64_t)f->number << 32;
	t->code_va = f->mod->code_va;
	t->code_insns = f->mod->img->num_insns;
	t->entry_pc = (uint32_t)s->value;
	t->grid[0] = grid.x;
	t->grid[1] = grid.y;
	t->grid[2] = grid.z;
	t->block[0] = block.x;
	t->block[1] = block.y;
	t->block[2] = block.z;
	t->shared_bytes = s->shared_bytes + (uint32_t)dynamic;
	t->shared_dyn_bytes = (uint32_t)dynamic;
	/* Recursion may use all local memory that the context has per thread. */
	t->local_per_thread = s->recursive ? ctx->be->vm_limit(ctx->vm, BE_VM_LOCAL) : s->local_bytes;
	t->envreg[PPU_CDP_ENV_LOCAL] = ctx->be->vm_limit(ctx->vm, BE_VM_LOCAL);	/* for kernels it launches */
	t->num_barriers = s->barriers;
	t->cluster = cluster;
	t->param_bytes = s->param_bytes;
}

ppuResult rt_launch_describe(struct ppuFunction_st *f, ppuDim3 grid, ppuDim3 block, ppuDim3 cluster, size_t dynamic,
			     struct ppu_tmd *t)
{
	ppuResult res = check(f, grid, block, dynamic);
	uint32_t of_tmd = 0;

	if (!res)
		res = rt_cluster(f, grid, block, cluster, dynamic, &of_tmd);
	if (!res)
		res = rt_enter(f->mod->ctx);
	if (res)
		return res;
	res = rt_local_ensure(f);
	if (!res)
		describe(t, f, grid, block, dynamic, of_tmd);
	rt_leave(f->mod->ctx);
	return res;
}

static ppuResult launch(struct ppuFunction_st *f, ppuDim3 grid, ppuDim3 block, size_t dynamic,
			struct ppuStream_st *st, void **params, const void *packed, size_t bytes,
			const struct rt_slot *stamps, bool cooperative, uint32_t cluster)
{
	const struct ppu_symbol *s = f->sym;
	struct ppuCtx_st *ctx = st->ctx;
	struct rt_queue *q;
	struct ppu_tmd *t;
	struct rt_job job;
	ppuResult res;

	res = rt_local_ensure(f);
	if (!res && PPU_CLUSTER_CTAS(cluster) > 1 && !cooperative)
		res = rt_coop_room(f, PPU_CLUSTER_CTAS(cluster), block.x * block.y * block.z, dynamic);
	if (!res && cooperative)
		res = rt_coop_room(f, (uint64_t)grid.x * grid.y * grid.z, block.x * block.y * block.z, dynamic);
	if (!res)
		res = begin(&job, f, st, cooperative);
	if (res)
		return res;
	q = queue_for(f, st);
	t = (struct ppu_tmd *)job.data;
	job.kernel = f;
	describe(t, f, grid, block, dynamic, cluster);
	if (rt_prio_explicit(st)) {
		t->flags |= PPU_TMDF_PRIO_VALID;
		t->priority = (uint8_t)st->device_priority;
	}
	t->id |= ++ctx->launches;
	if (ctx->check)
		chk_launch(ctx->check, ctx->launches, (uint64_t)grid.x * grid.y * grid.z, block.x * block.y * block.z);
	if (ctx->check && chk_orders())
		chk_work_launch(ctx->check, t->id, job.chan->index, job.chan->seq + 1);
	if (ctx->prof)
		prof_launch(ctx->prof, ctx->launches, f->number, st->is_null ? NULL : st);
	if (s->param_bytes) {
		t->param_va = job.data_va + PPU_TMD_SIZE;
		pack(s, params, packed, bytes, job.data + PPU_TMD_SIZE);
	}
	if (cooperative)
		rt_coop_tmd(ctx, t);
	if (stamps)
		rt_emit_va(&job, PPU_CMD_HDR(PPU_CMD_TIMESTAMP, PPU_CMD_SIZE_TIMESTAMP, 0),
			   rt_slot_va(stamps[0]));
	if (q) {
		rt_queue_tmd(q, t);
		rt_queue_before(&job, q, (uint64_t)grid.x * grid.y * grid.z * (block.x * block.y * block.z));
		rt_queue_launch(&job, q, job.data_va);
	} else {
		rt_emit_va(&job, PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0), job.data_va);
		rt_emit(&job, PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0), NULL, 0);
	}
	if (stamps)
		rt_emit_va(&job, PPU_CMD_HDR(PPU_CMD_TIMESTAMP, PPU_CMD_SIZE_TIMESTAMP, 0),
			   rt_slot_va(stamps[1]));
	rt_job_end(&job);
	if (q)
		q->last = st->need;
	if (cooperative)
		ctx->coop = st->need;
	return PPU_SUCCESS;
}

static ppuResult launch_timed(struct ppuFunction_st *f, ppuDim3 grid, ppuDim3 block, size_t dynamic,
			      struct ppuStream_st *st, void **params, const void *packed, size_t bytes,
			      struct ppuEvent_st **ev, uint32_t cluster)
{
	struct rt_slot stamps[2];
	ppuResult res = rt_slot_alloc(st->ctx, &stamps[0]);

	if (res)
		return res;
	res = rt_slot_alloc(st->ctx, &stamps[1]);
	if (!res) {
		res = launch(f, grid, block, dynamic, st, params, packed, bytes, stamps, false, cluster);
		if (res)
			rt_slot_unused(stamps[1]);
	}
	if (res) {
		rt_slot_unused(stamps[0]);
		return res;
	}
	rt_event_mark(ev[0], st, stamps[0]);
	rt_event_mark(ev[1], st, stamps[1]);
	return PPU_SUCCESS;
}

static ppuResult launch_call(ppuFunction handle, ppuDim3 grid, ppuDim3 block, size_t dynamic_shared,
			     ppuStream stream, void **params, const void *packed, size_t packed_bytes,
			     struct ppuEvent_st **ev, bool cooperative, ppuDim3 cluster)
{
	struct ppuFunction_st *f = rt_obj_get(handle, RT_FUNCTION);
	struct ppuStream_st *s;
	uint32_t tmd = 0;
	ppuResult res;

	if (!f)
		return rt_fail(PPU_ERROR_INVALID_HANDLE, "%p is no function", (void *)handle);
	res = rt_stream(stream, &s);
	if (res) {
		rt_obj_put(&f->obj);
		return res;
	}
	if (s->ctx != f->mod->ctx || (ev && (ev[0]->ctx != s->ctx || ev[1]->ctx != s->ctx)))
		res = rt_fail(PPU_ERROR_INVALID_CONTEXT, "function, stream and events are of different contexts");
	else if ((params && packed) || packed_bytes > f->sym->param_bytes || (packed_bytes && !packed) ||
		 (f->sym->num_params && !params && !packed))
		res = rt_fail(PPU_ERROR_INVALID_VALUE, "kernel %s wants %u parameters, %u bytes", f->sym->name,
			      f->sym->num_params, f->sym->param_bytes);
	else
		res = check(f, grid, block, dynamic_shared);
	if (!res)
		res = rt_cluster(f, grid, block, cluster, dynamic_shared, &tmd);
	if (!res && cooperative)
		res = rt_coop_check(handle, s->ctx, grid, block, dynamic_shared, PPU_CLUSTER_CTAS(tmd));
	if (!res && cooperative)
		res = rt_coop_prepare(s->ctx);
	if (!res && f->sym->flags & PPU_SYMF_QUEUE)
		res = rt_queue_prepare(s);
	if (!res)
		res = rt_enter(s->ctx);
	if (!res) {
		if (ev)
			res = launch_timed(f, grid, block, dynamic_shared, s, params, packed, packed_bytes, ev, tmd);
		else
			res = launch(f, grid, block, dynamic_shared, s, params, packed, packed_bytes, NULL,
				     cooperative, tmd);
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	rt_obj_put(&f->obj);
	return res;
}

ppuResult ppuLaunchKernel(ppuFunction function, ppuDim3 grid, ppuDim3 block, size_t dynamic_shared,
			  ppuStream stream, void **params, const void *packed, size_t packed_bytes)
{
	return launch_call(function, grid, block, dynamic_shared, stream, params, packed, packed_bytes, NULL, false,
			   (ppuDim3){ 0, 0, 0 });
}

ppuResult ppuLaunchCooperativeKernel(ppuFunction function, ppuDim3 grid, ppuDim3 block, size_t dynamic_shared,
				     ppuStream stream, void **params, const void *packed, size_t packed_bytes)
{
	return launch_call(function, grid, block, dynamic_shared, stream, params, packed, packed_bytes, NULL, true,
			   (ppuDim3){ 0, 0, 0 });
}

ppuResult ppuLaunchClusterKernel(ppuFunction function, ppuDim3 grid, ppuDim3 block, ppuDim3 cluster, int cooperative,
				 size_t dynamic_shared, ppuStream stream, void **params, const void *packed,
				 size_t packed_bytes)
{
	return launch_call(function, grid, block, dynamic_shared, stream, params, packed, packed_bytes, NULL, cooperative, cluster);
}

ppuResult ppuLaunchKernelTimed(ppuFunction function, ppuDim3 grid, ppuDim3 block, size_t dynamic_shared,
			       ppuStream stream, void **params, const void *packed, size_t packed_bytes,
			       ppuEvent start, ppuEvent end)
{
	struct ppuEvent_st *ev[2];
	ppuResult res = rt_event(start, &ev[0]);

	if (res)
		return res;
	res = rt_event(end, &ev[1]);
	if (!res) {
		if (start == end || (ev[0]->flags | ev[1]->flags) & PPU_EVENT_DISABLE_TIMING)
			res = rt_fail(PPU_ERROR_INVALID_VALUE, "two different events with timing are needed");
		else
			res = launch_call(function, grid, block, dynamic_shared, stream, params, packed,
					  packed_bytes, ev, false, (ppuDim3){ 0, 0, 0 });
		rt_event_put(ev[1]);
	}
	rt_event_put(ev[0]);
	return res;
}
