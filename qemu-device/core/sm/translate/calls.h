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

typedef int (*ppu_call_fn)(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
			   uint64_t cycle, struct ppu_run *run);

/* The handler of any instruction. */
int ppu_call_handler(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		     uint64_t cycle, struct ppu_run *run);
/* What to call for an instruction without a pure function; nregs: registers of the program. */
void *ppu_call_of(const struct ppu_dinsn *di, uint32_t nregs);
/* Bytes of a lane, when loads from the same register as this one may share what they find out, else 0. */
unsigned ppu_call_shape(const struct ppu_dinsn *di);

#endif
