/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other orders of warps and CTAs than the device's own, for tools that look whether a program depends on it.
 *
 * x-schedule is the seed of an order by chance: any warp that is ready goes on, a turn may end at any instruction, and CTAs come
 * in another order.
 *
 * x-order - 1 is the number of an order: of two warps the one before in the order goes on whenever it can.  CTAs go to one SM as
 * long as it has room (wdu.c).  The number's lowest digit is the permutation of the grid's CTAs, the next one that of a CTA's
 * warps; both count from the device's own order, 0, and grids and blocks that are too large have no other.  x-order-switch is
 * the cycle, counted from the start of its CTA, at which the warp that is first in the order goes behind all others, whatever
 * it is doing.
 *
 * State: none.  All follows from the properties and from where the SM is, so nothing has to be saved.
 * Thread safety: the thread that runs the SM.
 * Time: none.
 */
#ifndef PPU_SM_ORDER_H
#define PPU_SM_ORDER_H

#include "core/sm/sm.h"

static inline bool ppu_order_other(const struct ppu_config *cfg)
{
	return cfg->schedule || cfg->order;
}

/* Which CTA of a grid comes as number `index`.  The CTAs of a cluster stay together. */
uint64_t ppu_order_cta(const struct ppu_config *cfg, const struct ppu_tmd *l, uint64_t index);
/* Which of these warps goes on; they are ready, and there is one. */
struct ppu_warp *ppu_order_warp(struct ppu_sm *sm, uint64_t ready);
/* Where its turn ends, not behind c1. */
uint64_t ppu_order_turn(const struct ppu_sm *sm, uint64_t c1);

#endif
