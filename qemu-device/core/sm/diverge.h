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

/* No lane is active (w->pop): find some.  PPU_SWITCH: there are none, or none that can go on. */
enum ppu_step ppu_diverge_pop(struct ppu_sm *sm, struct ppu_warp *w);
/* Lanes `wait` of the active group cannot complete the current instruction (A-SIMT-25); lanes
 * `again` could, but shall execute it together with others that wait at it.  Both go into a yield
 * token of this instruction; what is left of the group goes on behind it. */
enum ppu_step ppu_warp_prepare_park(struct ppu_sm *sm, struct ppu_warp *w);	/* room for its token */
enum ppu_step ppu_warp_park(struct ppu_sm *sm, struct ppu_warp *w, uint32_t again, uint32_t wait);
/* Something changed for parked lanes. */
void ppu_warp_unpark(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes);
/* Lanes among `among` that are disabled for this reason and address. */
uint32_t ppu_warp_waiting(const struct ppu_warp *w, uint32_t wait, uint32_t among);
/* Reason of a lane for debuggers: PPU_REASON_NONE when it is active or does not exist. */
unsigned ppu_warp_reason(const struct ppu_warp *w, unsigned lane);

#endif
