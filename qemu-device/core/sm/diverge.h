/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The divergence unit: how lanes part, wait and meet again; also the handlers bra, brx, push, disable, exit,
 * cal, calx, ret, yield (warp.h).
 *
 * State: parts of struct ppu_warp (sm.h); tokens are in VRAM (tokq.h).
 * Thread safety: the thread that runs the SM.
 * Time: none.
 */
#ifndef PPU_DIVERGE_H
#define PPU_DIVERGE_H

#include "core/sm/sm.h"

/* No lane is active (w->pop): pop tokens until lanes can go on.  PPU_SWITCH: no lane is left, or none can
 * go on. */
enum ppu_step ppu_diverge_pop(struct ppu_sm *sm, struct ppu_warp *w);
/* Lanes `wait` of the active group cannot complete the current instruction (A-SIMT-25).  Lanes `again`
 * could complete it, but shall execute it together with others that wait at it.  Both go into a yield token
 * that leads back to this instruction; the other lanes of the group go on with the next instruction. */
enum ppu_step ppu_warp_prepare_park(struct ppu_sm *sm, struct ppu_warp *w);	/* makes room for the token */
enum ppu_step ppu_warp_park(struct ppu_sm *sm, struct ppu_warp *w, uint32_t again, uint32_t wait);
/* The same for all 32 lanes, when the queue is empty, with room at its back, and neither YIELDs nor a trace are
 * counted. */
enum ppu_step ppu_warp_park_all(struct ppu_sm *sm, struct ppu_warp *w);
/* Something has changed that parked lanes may have waited for. */
void ppu_warp_unpark(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes);
/* Lanes among `among` that are disabled for this reason and address. */
uint32_t ppu_warp_waiting(const struct ppu_warp *w, uint32_t wait, uint32_t among);
/* Reason of a lane for debuggers: PPU_REASON_NONE when it is active or does not exist. */
unsigned ppu_warp_reason(const struct ppu_warp *w, unsigned lane);

#endif
