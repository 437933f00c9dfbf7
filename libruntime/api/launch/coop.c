/* SPDX-License-Identifier: MIT */
/*
 * Cooperative kernels: all of their blocks are on the SMs at once.  It is checked that the blocks fit.
 * Cooperative kernels of a context run one after another: two that each had half of the SMs would wait for
 * each other for ever.
 */
#include <inttypes.h>

#include <ppu.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_save.h>
#include <hw/ppu_tmd.h>
#include "api/launch/coop.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/limit.h"
#include "api/context/wait.h"
#include "api/memory/copy.h"
#include "api/memory/mem.h"
#include "api/launch/module.h"
#include "backend/backend.h"

/* What kernels find at the address: a size, and the barrier that their blocks count in. */
struct workspace {
	uint32_t bytes, barrier;
};

ppuResult rt_coop_check(ppuFunction function, const struct ppuCtx_st *ctx, ppuDim3 grid, ppuDim3 block, size_t dynamic,
			uint32_t cluster)
{
	uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z, room;
	int per_sm;
	ppuResult res = ppuOccupancyMaxActiveBlocks(&per_sm, function, block.x * block.y * block.z, dynamic);

	if (res)
		return res;
	room = (uint64_t)(per_sm / (int)cluster * (int)cluster) * ctx->device->prop.sms;
	return blocks <= room ? PPU_SUCCESS :
	       rt_fail(PPU_ERROR_LAUNCH_RESOURCES, "a cooperative grid of %" PRIu64 " blocks: the device holds %" PRIu64
		       " of them at once", blocks, room);
}

/*
 * A block begins only when its image has a place in the save area, and one that never begins would be waited for without an
 * end.  The area grows with the size of local memory (PPU_SAVE_PART_BYTES), so this is what is made larger.
 */
ppuResult rt_coop_room(const struct ppuFunction_st *f, uint64_t blocks, uint32_t block_threads, size_t dynamic)
{
	struct ppuCtx_st *ctx = f->mod->ctx;
	const ppuDeviceProp *p = &ctx->device->prop;
	uint32_t warps = (block_threads + p->warp_size - 1) / p->warp_size;
	uint64_t sm = PPU_SAVE_SM_BYTES(p->warps_per_sm, p->ctas_per_sm, p->regs_per_sm, p->shared_per_sm,
					p->token_queue_entries);
	uint64_t local = ctx->be->vm_limit(ctx->vm, BE_VM_LOCAL), next;

	for (;; local = next < PPU_LOCAL_MAX ? next : PPU_LOCAL_MAX) {
		uint64_t image = PPU_SAVE_CTA_BYTES(warps, f->sym->regs ? f->sym->regs : 1, f->sym->shared_bytes + dynamic,
						    f->sym->recursive ? local : f->sym->local_bytes, p->token_queue_entries);
		uint64_t room = PPU_SAVE_FIRST_PARTS * PPU_SAVE_PART_BYTES(p->sms, sm, local);

		if (PPU_SAVE_MOST_CTAS(room, image) >= blocks)
			return rt_local_raise(ctx, (uint32_t)local);
		if (local >= PPU_LOCAL_MAX)
			break;
		next = local + local / 4 + 16;
	}
	return rt_fail(PPU_ERROR_LAUNCH_RESOURCES, "a cooperative grid of %" PRIu64 " blocks: there is no room to save the state of "
		       "so many at once", blocks);
}

/* The barrier returns to its first value by itself, so one barrier is enough for all kernels. */
ppuResult rt_coop_prepare(struct ppuCtx_st *ctx)
{
	static const struct workspace w = { .bytes = sizeof(w) };
	struct rt_rect r = { 0, (uintptr_t)&w, sizeof(w), sizeof(w), sizeof(w), 1 };
	uint64_t va;
	ppuResult res;

	if (__atomic_load_n(&ctx->coop_va, __ATOMIC_ACQUIRE))
		return PPU_SUCCESS;
	res = rt_enter(ctx);
	if (res)
		return res;
	res = rt_alloc(ctx, RT_HEAP_DATA, sizeof(w), 0, RT_MEMORY_MODULE, &va);
	rt_leave(ctx);
	if (res)
		return res;
	r.dst = va;
	res = rt_copy(ctx->load_stream, &r, true);
	/* When two threads come here at once, the value of the later one stays; either will do. */
	if (!res)
		__atomic_store_n(&ctx->coop_va, va, __ATOMIC_RELEASE);
	return res;
}

void rt_coop_tmd(const struct ppuCtx_st *ctx, struct ppu_tmd *t)
{
	t->envreg[2] = (uint32_t)ctx->coop_va;
	t->envreg[1] = ctx->coop_va >> 32;
}
