/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room on an SM, and CTAs in it (also ppu_sm_limits(), ppu_sm_can_start(): sms.h).
 *
 * State: struct ppu_sm, struct ppu_cta, struct ppu_warp (sm.h).
 * Thread safety: the thread that drives the core; unseat, warps: also the one that runs the SM.
 * Time: none.
 */
#ifndef PPU_SEAT_H
#define PPU_SEAT_H

#include "core/sm/sm.h"

struct ppu_seat_need {
	uint32_t threads, warps, regs, shared;
};

/* What a CTA of t needs.  False: no SM of this machine has that much. */
bool ppu_seat_need(const struct ppu_config *cfg, const struct ppu_tmd *t, struct ppu_seat_need *n);
/* Registers of a warp, shared memory and parameters of a CTA (entry: of a queue task, or NULL).  False: out of
 * memory. */
bool ppu_seat_rows(struct ppu_sm *sm, struct ppu_warp *w, uint32_t nregs);
bool ppu_seat_shared(struct ppu_cta *cta, uint32_t bytes);
bool ppu_seat_params(struct ppu_cta *cta, const struct ppu_sm_task *t, const uint8_t *entry);
/* Pointers into VRAM, from the instance block.  When its areas are not there, w gets no queue, and faults when it
 * runs. */
void ppu_seat_map(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_sm_task *t);
uint32_t ppu_sm_lanes(const struct ppu_tmd *t, unsigned warp);	/* lanes of a warp of its CTAs */
/*
 * Takes slots and resources for a CTA of t.  NULL: nothing was taken; *err is PPU_ERR_TMD_LIMITS (there is no room), or
 * PPU_ERR_TASK_MEMORY.  Its warps, shared memory and barriers hold nothing until ppu_seat_warps(); the warps' state is
 * PPU_WARP_FREE so long.
 */
struct ppu_cta *ppu_sm_seat(struct ppu_sm *sm, struct ppu_sm_task *t, uint64_t index, const uint8_t *entry, int *err);
/*
 * Sets up CTAs that are new: their warps stand at their first instruction.  Called before anybody looks at warps, mostly
 * by the worker that is about to run the SM: what this writes is needed by its CPU, and the thread that drives the core
 * would do it for all SMs while the workers wait.
 */
void ppu_seat_warps(struct ppu_sm *sm);
void ppu_sm_unseat(struct ppu_sm *sm, struct ppu_cta *cta);
/* core->resident[] of this SM, after CTAs were taken or left. An SM that runs does this once: the line of memory is that
 * of all SMs. */
void ppu_seat_count(struct ppu_sm *sm);

#endif
