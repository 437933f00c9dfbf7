/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What host code calls: handlers of instructions, and short ways for loads and stores.  A short way either does all
 * of the instruction, or nothing and calls the handler; so every result, counter and fault is the handler's.
 *
 * State: none.
 * Thread safety: the thread that runs the SM.
 * Time: cycle is the count of host code, which lies site->cycles before the instruction.
 */
#ifndef PPU_CALLS_H
#define PPU_CALLS_H

#include "core/sm/translate/region.h"

struct ppu_used;
struct ppu_place;

typedef int (*ppu_call_fn)(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
			   uint64_t cycle, struct ppu_run *run);

/* The handler of any instruction. */
int ppu_call_handler(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		     uint64_t cycle, struct ppu_run *run);
/* What to call for an instruction without a pure function; nregs: registers of the program. */
void *ppu_call_of(const struct ppu_dinsn *di, uint32_t nregs);
/* The same for a load or store of so many words in local memory (calls_local.c).  NULL: the handler. */
ppu_call_fn ppu_call_local(const struct ppu_dinsn *di, unsigned words);
/*
 * A page that the TLB does not have, for a load of a fused segment that has used other pages before.  NULL: the segment
 * must fail.  ppu_calls_unfill() then makes the TLB what it was before the segment.
 */
uint8_t *ppu_calls_fill(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
			const struct ppu_used *used);
/* The same for a store.  A page that is there may not be written in host code. */
uint8_t *ppu_calls_fill_written(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
				const struct ppu_used *used);
/* Both for pages that are found without a walk (mem/trail.h).  NULL: nothing is done.  They use no vector registers. */
uint8_t *ppu_calls_fill_known(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
			      const struct ppu_used *used);
uint8_t *ppu_calls_fill_known_written(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
				      const struct ppu_used *used);
/* The pages of all active lanes' stores become dirty; places: of 8 lanes each, four for each group; groups: bits. */
void ppu_calls_dirty(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_place *places, uint32_t groups);
void ppu_calls_unfill(struct ppu_sm *sm, struct ppu_run *run);
/* Bytes of a lane, when loads from the same register as this one may share what they find out, else 0. */
unsigned ppu_call_shape(const struct ppu_dinsn *di);

#endif
