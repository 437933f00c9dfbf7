/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam for who wants to know what each instruction did: warps run in a second copy of the issue loop (warp.c), which adds up,
 * for each instruction of the program.  The sums that handlers make in counters of the device are taken from these, so
 * they agree.
 */
#include <hw/ppu_observe.h>
#include "core/sm/observe.h"
#include "core/sm/warp.h"

static const uint16_t counter[PPU_SEEN_CTR_COUNT] = {
#define C(name) PPU_CTR_##name,
	PPU_SEEN_COUNTERS(C)
#undef C
};

/* Without the host's instruction for it, counting costs a call. */
static unsigned count_lanes(uint32_t lanes)
{
	return lanes == ~0u ? PPU_LANES : lanes ? (unsigned)__builtin_popcount(lanes) : 0;
}

void ppu_observe_issue(struct ppu_counting *c, const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t pc, uint32_t active,
		       uint32_t mask)
{
	struct ppu_seen_count *n = &c->count[pc];

	c->last = pc;
	n->warps++;
	n->threads += count_lanes(mask);
	n->off += count_lanes(active & ~mask);
	n->parted += mask && mask != active;
	n->away += count_lanes(w->live & ~active);
	n->cycles += di->cost;
	n->lanes |= mask;
	n->passed |= active & ~mask;
}

enum ppu_step ppu_observe_handle(const struct ppu_counting *c, struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di,
				 uint32_t mask)
{
	struct ppu_seen_count *n = &c->count[c->last];
	uint64_t before[PPU_SEEN_CTR_COUNT];
	enum ppu_step step;
	unsigned i;

	for (i = 0; i < PPU_SEEN_CTR_COUNT; i++)
		before[i] = sm->ctr[counter[i]];
	step = ppu_warp_handler(di->handler)(sm, w, di, mask);
	for (i = 0; i < PPU_SEEN_CTR_COUNT; i++)
		n->by[i] += sm->ctr[counter[i]] - before[i];
	return step;
}

static enum ppu_seen_stop stop_of(const struct ppu_warp *w)
{
	switch (w->state) {
	case PPU_WARP_TIMED:		return PPU_SEEN_TIME;
	case PPU_WARP_PARKED:		return PPU_SEEN_LANES;
	case PPU_WARP_LAUNCH:		return PPU_SEEN_REPLY;
	case PPU_WARP_SYNC:		return PPU_SEEN_CHILDREN;
	case PPU_WARP_EXCEPTION:	return PPU_SEEN_DRIVER;
	case PPU_WARP_HALTED:		return PPU_SEEN_FAULT;
	/* The end of its CTA has freed the warp. */
	case PPU_WARP_DONE: case PPU_WARP_FREE: return PPU_SEEN_ENDED;
	default:			return PPU_SEEN_TURN;
	}
}

void ppu_observe_turn(struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn, uint64_t end)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_counting c = { NULL, PPU_SEEN_NO_PC };
	struct ppu_seen_turn t = { .begin = sm->cycle, .due = w->ready_at };
	struct ppu_seen_cta cta;

	ppu_observe_place(sm, w, &cta, &t.at);
	c.count = o->turn_begin(o->arg, &t);
	ppu_warp_run_counted(sm, w, turn, end, &c);
	if (!c.count)
		return;
	t.end = sm->cycle;
	t.stop = stop_of(w);
	t.last = c.last;
	t.at.pc = w->pc;
	t.at.live = w->live;
	o->turn_end(o->arg, &t);
}

/* ---- who may issue ---------------------------------------------------------------------------------------- */

uint64_t ppu_observe_only(const struct ppu_sm *sm)
{
	const struct ppu_only *only = &sm->core->only;
	uint32_t m;

	for (m = sm->taken; m; m &= m - 1) {
		const struct ppu_cta *cta = &sm->cta[__builtin_ctz(m)];

		if (PPU_SM_TASK_ID(cta->task) != only->serial || cta->index != only->cta)
			continue;
		if (only->warp == PPU_ONLY_BLOCK)
			return cta->slots;
		return only->warp < cta->num_warps ? 1ull << cta->warp[only->warp] : 0;
	}
	return 0;
}

void ppu_core_only(struct ppu_core *core, const struct ppu_only *only)
{
	core->only_on = only != NULL;
	if (only)
		core->only = *only;
}

void ppu_observe_awake_(const struct ppu_sm *sm, const struct ppu_warp *w)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_seen_warp at;
	struct ppu_seen_cta s;

	if (!o->awake)
		return;
	ppu_observe_place(sm, w, &s, &at);
	o->awake(o->arg, &at, sm->cycle);
}
