/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Issue of one warp, and the instructions that have a handler instead of a pure function.
 *
 * State: struct ppu_warp (sm.h).
 * Thread safety: the thread that runs the SM.
 * Time: cycles.
 */
#ifndef PPU_WARP_H
#define PPU_WARP_H

#include <stddef.h>
#include <string.h>
#include "core/sm/sm.h"

/* Instructions without a pure function. */
#define PPU_HANDLERS(H) \
H(illegal) H(badpc) H(nop) H(bra) H(brx) H(push) H(disable) H(exit) H(cal) H(calx) H(ret) H(yield) \
H(trap) H(nanosleep) H(tlaunch) H(tsync) \
H(bar) H(clarrive) H(clwait) H(warpsync) H(vote) H(shfl) H(match) H(redux) H(s2r) \
H(ld) H(st) H(atom) H(membar) \
H(observed) H(timed) H(seen) H(step) H(ld_buf) H(st_buf) H(atom_buf) H(membar_buf) H(tlaunch_buf)
enum ppu_handler {
#define H(name) PPU_H_##name,
	PPU_HANDLERS(H)
#undef H
	PPU_H_COUNT
};

typedef enum ppu_step (*ppu_handler_fn)(struct ppu_sm *sm, struct ppu_warp *w,
					const struct ppu_dinsn *di, uint32_t mask);
#define H(name) enum ppu_step ppu_h_##name(struct ppu_sm *sm, struct ppu_warp *w, \
					   const struct ppu_dinsn *di, uint32_t mask);
PPU_HANDLERS(H)
#undef H

ppu_handler_fn ppu_warp_handler(unsigned handler);
/* The same, if they are not known to be there. */
void ppu_warp_make_tids(struct ppu_sm *sm, struct ppu_warp *w);
/* Finds or makes w->tid; good until a warp of a CTA with another block asks. */
static inline void ppu_warp_tids(struct ppu_sm *sm, struct ppu_warp *w)
{
	if (__builtin_expect(w->tid_made != sm->tids_made || !w->tid_made, 0))
		ppu_warp_make_tids(sm, w);
}
/* The warp stands at its first instruction with no state.  yields: YIELDs are counted. */
static inline void ppu_warp_start(struct ppu_warp *w, uint32_t lanes, uint32_t entry, bool yields)
{
	w->tid_made = 0;
	memset(w->v.pred, 0, sizeof(w->v.pred));
	w->v.pred[PPU_PT] = ~0u;
	w->lanes = w->live = w->active = lanes;
	w->pc = entry;
	w->pop = w->retried = w->q_dirty = w->local_dirty = w->whole = false;
	/* All from `parked` to `ycount`, at once. */
	memset(&w->parked, 0, offsetof(struct ppu_warp, rng) - offsetof(struct ppu_warp, parked));
	/* wait and bar_val are set before they count (ppu_flow_canon()). */
	if (w->ycounts)
		memset(w->lane_ycount, 0, sizeof(w->lane_ycount));
	w->ycounts = yields;
}
/* Run up to the first turn point whose cycle is not before `turn`, but no instruction at cycle `end` or later; or
 * until the warp cannot go on. */
void ppu_warp_run(struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn, uint64_t end);
/* The same, for who counts (observe.h). */
struct ppu_counting;
void ppu_warp_run_counted(struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn, uint64_t end, struct ppu_counting *see);
/* Is the warp between two blocks, so that its turn may be over? */
static inline bool ppu_warp_at_turn_point(const struct ppu_warp *w)
{
	return w->pop || w->prog->code[w->pc].turn;
}
static inline uint32_t ppu_warp_pred(const struct ppu_warp *w, unsigned p, unsigned negate)
{
	return w->v.pred[p] ^ -(uint32_t)negate;
}
static inline void ppu_warp_set_pred(struct ppu_warp *w, unsigned p, uint32_t mask, uint32_t value)
{
	if (p != PPU_PT)
		w->v.pred[p] = (w->v.pred[p] & ~mask) | (value & mask);
}

#endif
