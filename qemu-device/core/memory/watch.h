/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watch table: words that the CPU waits for.  An armed entry raises an interrupt when its condition
 * holds.
 *
 * State: struct ppu_watches, private to watch.c; saved as the end of sem.c's section.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_WATCH_H
#define PPU_WATCH_H

#include "core/core.h"

uint32_t ppu_watch_read(struct ppu_core *core, unsigned watch, unsigned reg);
void ppu_watch_write(struct ppu_core *core, unsigned watch, unsigned reg, uint32_t val);

PPU_UNIT(watches);	/* called by sem.c */

#endif
