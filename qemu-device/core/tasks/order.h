/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of children: who waits for whom before it may start.
 *
 * State: struct ppu_orders, private to order.c.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_ORDER_H
#define PPU_ORDER_H

#include "core/core.h"
#include <hw/ppu_tmd.h>

struct ppu_task;

bool ppu_order_tmd_ok(const struct ppu_tmd *t, bool child);
bool ppu_order_is_tail(const struct ppu_task *t);
/* A child whose parent and CTA are known finds out for whom it waits. */
void ppu_order_enter(struct ppu_core *core, const struct ppu_task *t);
/* Must t wait?  If so, ppu_tmu_start() is called for t as soon as t need not wait any longer. */
bool ppu_order_hold(struct ppu_core *core, const struct ppu_task *t);
bool ppu_order_held(struct ppu_core *core, const struct ppu_task *t);
/* t is complete (its parent's count of children is not changed yet). */
void ppu_order_done(struct ppu_core *core, const struct ppu_task *t);
/* The CTAs of parent are done: may its tail start? */
void ppu_order_tail(struct ppu_core *core, const struct ppu_task *parent);
/* t's record is given back. */
void ppu_order_drop(struct ppu_core *core, const struct ppu_task *t);

PPU_UNIT(orders);

#endif
