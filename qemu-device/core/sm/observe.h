/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam for who observes programs (hw/ppu_observe.h): what units call where something happens.
 *
 * Memory instructions, fences, and what waits for other lanes are replaced when a program is decoded, so a core that nobody observes does not even
 * ask. What is rarer (barriers, CTAs, tasks) asks with the inline functions here.
 *
 * State: core->observer; nothing of it is saved.
 * Thread safety: while there is an observer, the thread that drives the core runs all SMs.
 * Time: none; an observer changes none.
 */
#ifndef PPU_OBSERVE_H
#define PPU_OBSERVE_H

#include "core/sm/sm.h"

#define PPU_OBSERVED(core)	__builtin_expect((core)->observer != NULL, 0)

/* A program was decoded: its instructions that are seen go through ppu_h_seen(). */
void ppu_observe_program(const struct ppu_core *core, struct ppu_program *p);

void ppu_observe_cta_(const struct ppu_core *core, const struct ppu_cta *cta, bool end);
void ppu_observe_barrier_(const struct ppu_sm *sm, const struct ppu_cta *cta, unsigned n);
void ppu_observe_warp_(const struct ppu_sm *sm, const struct ppu_warp *w, uint32_t lanes);
void ppu_observe_stuck_(const struct ppu_sm *sm, const struct ppu_warp *w, unsigned error, unsigned lane);

static inline void ppu_observe_cta(const struct ppu_core *core, const struct ppu_cta *cta, bool end)
{
	if (PPU_OBSERVED(core))
		ppu_observe_cta_(core, cta, end);
}

/* Before the barrier forgets who has arrived. */
static inline void ppu_observe_barrier(const struct ppu_sm *sm, const struct ppu_cta *cta, unsigned n)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_barrier_(sm, cta, n);
}

static inline void ppu_observe_warp(const struct ppu_sm *sm, const struct ppu_warp *w, uint32_t lanes)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_warp_(sm, w, lanes);
}

/* Before the CTA faults. */
static inline void ppu_observe_stuck(const struct ppu_sm *sm, const struct ppu_warp *w, unsigned error, unsigned lane)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_stuck_(sm, w, error, lane);
}

#endif
