/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupt causes, the pending bitmaps, vectors.
 *
 * State: struct ppu_intr, private to intr.c.
 * Thread safety: the thread that drives the core only.
 * Time: none; a message goes out at core->now, unless inject.c holds it.
 */
#ifndef PPU_INTR_H
#define PPU_INTR_H

#include "core/core.h"

enum ppu_bitmap { PPU_BM_CHERR, PPU_BM_CHINTR, PPU_BM_RINGLOW, PPU_BM_PREEMPT, PPU_BM_WATCH, PPU_BM_COUNT };
void ppu_intr_raise(struct ppu_core *core, uint32_t bits);			/* PPU_INTR_* */
uint32_t ppu_intr_read(struct ppu_core *core, unsigned reg);		/* INTR_* and the bitmaps */
void ppu_intr_write(struct ppu_core *core, unsigned reg, uint32_t val);
/* Set bit n of a pending bitmap and raise its cause. */
void ppu_intr_bit(struct ppu_core *core, enum ppu_bitmap bm, unsigned n);
/* inject.c: the bit is no longer held */
void ppu_intr_bit_now(struct ppu_core *core, enum ppu_bitmap bm, unsigned n);
void ppu_intr_message(struct ppu_core *core, unsigned vector);			/* inject.c: send it now */

PPU_UNIT(intr);

#endif
