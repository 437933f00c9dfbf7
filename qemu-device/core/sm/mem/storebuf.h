/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store path with a buffer: stores reach memory later, and perhaps in another order (store-delay-ns,
 * store-reorder).
 *
 * State: struct ppu_storebuf of each SM, storebuf.c's.
 * Thread safety: the thread that runs the SM; settle: the one that drives the core.
 * Time: ns of device time.
 */
#ifndef PPU_STOREBUF_H
#define PPU_STOREBUF_H

#include "core/sm/sm.h"

/* All functions but create and destroy need sm->sb. */
int ppu_storebuf_create(struct ppu_sm *sm);
void ppu_storebuf_destroy(struct ppu_sm *sm);
void ppu_storebuf_reset(struct ppu_sm *sm);
void ppu_storebuf_io(struct ppu_sm *sm, struct ppu_io *io);
/* The handler that replaces this one when there is a store buffer. */
uint8_t ppu_storebuf_handler(uint8_t handler);
/* Write all entries to memory. drain: called by the SM itself in a window; settle: from outside, between
 * windows. */
void ppu_storebuf_drain(struct ppu_sm *sm);
void ppu_storebuf_settle(struct ppu_sm *sm);
/* End of a window: writes the entries whose time has come. next: the time at which the first entry is due. */
void ppu_storebuf_window(struct ppu_sm *sm, uint64_t t1);
uint64_t ppu_storebuf_next(const struct ppu_sm *sm);
/* The time at which the last entry is due; 0: there is none. */
uint64_t ppu_storebuf_last(const struct ppu_sm *sm);
/* The buffers of all SMs: before translations or memory go away. */
void ppu_storebuf_settle_all(struct ppu_core *core);

#endif
