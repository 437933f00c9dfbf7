/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults on purpose; each function is called only when its property asks for it.
 *
 * State: struct ppu_inject, private to inject.c.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_INJECT_H
#define PPU_INJECT_H

#include "core/base/intr.h"

/* A message is due.  True: the caller must not send it now, because it is lost or late. */
bool ppu_inject_message(struct ppu_core *core, unsigned vector);
void ppu_inject_sent(struct ppu_core *core, unsigned vector);
/* The driver has cleared the last cause of a vector. */
void ppu_inject_cleared(struct ppu_core *core, unsigned vector);
void ppu_inject_hold(struct ppu_core *core, enum ppu_bitmap bm, unsigned n);
void ppu_inject_read(struct ppu_core *core, enum ppu_bitmap bm, unsigned word);	/* after the read */
/* ppu_inject_copy(): how many ns longer the copy that starts on this engine takes.
 * ppu_inject_dma(): does the copy, which has now reached system memory, fail? */
uint64_t ppu_inject_copy(struct ppu_core *core, unsigned engine);
bool ppu_inject_dma(struct ppu_core *core, unsigned engine);
/* An enabled channel is told to stop.  True: it does not. */
bool ppu_inject_stop(struct ppu_core *core, unsigned chid);

PPU_UNIT(inject);

#endif
