/* SPDX-License-Identifier: MIT */
/* Cooperative kernels. */
#ifndef PPU_API_COOP_H
#define PPU_API_COOP_H

#include <ppu.h>
#include <hw/ppu_tmd.h>

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuFunction_st;

/* Unlocked: rt_coop_check(): does the grid fit? rt_coop_prepare(): makes the barrier if there is none yet.
 * Locked: rt_coop_tmd() tells the kernel where the barrier is. */
ppuResult rt_coop_check(ppuFunction function, const struct ppuCtx_st *ctx, ppuDim3 grid, ppuDim3 block, size_t dynamic,
			uint32_t cluster);
ppuResult rt_coop_prepare(struct ppuCtx_st *ctx);
/* Locked; may wait for all work.  Makes the save area large enough for the images of so many blocks at once. */
ppuResult rt_coop_room(const struct ppuFunction_st *f, uint64_t blocks, uint32_t block_threads, size_t dynamic);
void rt_coop_tmd(const struct ppuCtx_st *ctx, struct ppu_tmd *t);

#pragma GCC visibility pop
#endif
