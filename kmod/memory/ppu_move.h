/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: objects that move between VRAM and pages that the kernel can swap.
 */
#ifndef __PPU_MOVE_H__
#define __PPU_MOVE_H__

#include <linux/atomic.h>

#include <uapi/drm/ppu_drm.h>

#include "memory/ppu_gem.h"

struct address_space;
struct page;

/* Value of ppu_bo.pins: the object is out, or on its way.  Else it counts users of its place. */
#define PPU_BO_AWAY	(-1)

int ppu_move_out(struct ppu_bo *bo);
int ppu_move_in(struct ppu_bo *bo);
unsigned long ppu_move_fetch(struct ppu_bo *bo);
struct page **ppu_move_cpu_pages(struct ppu_bo *bo);
void ppu_move_unmap_cpu(struct ppu_bo *bo);
void ppu_move_put_cpu_pages(struct ppu_bo *bo);
void ppu_move_give_back(struct ppu_bo *bo);
void ppu_move_drop(struct ppu_bo *bo);
int ppu_move_share(struct ppu_bo *bo);
void ppu_move_release(struct ppu_bo *bo);

/** ppu_bo_moves - may the object be anywhere else than where it was made? */
static inline bool ppu_bo_moves(const struct ppu_bo *bo)
{
	return !bo->kernel && !bo->imported && !bo->userptr;
}

/** ppu_bo_claim - keep anybody from pinning the object; false: it is pinned, or away */
static inline bool ppu_bo_claim(struct ppu_bo *bo)
{
	return atomic_cmpxchg(&bo->pins, 0, PPU_BO_AWAY) == 0;
}

/** ppu_bo_unclaim - undo ppu_bo_claim(): the object has not moved, or is back */
static inline void ppu_bo_unclaim(struct ppu_bo *bo)
{
	atomic_set_release(&bo->pins, 0);
}

/** ppu_bo_unpin - undo ppu_bo_pin(); in any context */
static inline void ppu_bo_unpin(struct ppu_bo *bo)
{
	if (ppu_bo_moves(bo))
		atomic_dec(&bo->pins);
}

#endif
