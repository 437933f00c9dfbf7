/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Barriers; the handlers of votes, shuffles and special registers are in warp.h's list.
 *
 * State: struct ppu_barrier (sm.h).
 * Thread safety: the thread that runs the SM.
 * Time: none.
 */
#ifndef PPU_EXEC_WARP_H
#define PPU_EXEC_WARP_H

#include "core/sm/sm.h"

/* Lanes of w have ended: barriers that no longer wait for them open. */
void ppu_bar_lanes_ended(struct ppu_sm *sm, struct ppu_warp *w);

struct ppu_dinsn;
/* Source lane of each lane of a SHFL whose operands b and c are constants; returns the lanes whose source is in range. */
uint32_t ppu_shfl_sources(const struct ppu_dinsn *di, uint32_t *from);

struct ppu_seen_sync;
/* What the lanes `mask` are about to wait for, all but s->at. */
void ppu_warp_see_sync(const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask, struct ppu_seen_sync *s);

#endif
