/* SPDX-License-Identifier: MIT */
/*
 * Turns of warps: from the start of its block to its end, a warp issues, or waits for something.  What it waits for is told of
 * the instruction at which it stopped.
 */
#include <stdlib.h>
#include <hw/ppu_isa.h>

#include "check/cta.h"
#include "prof/state.h"

struct warp {
	uint64_t since;			/* it has not issued from this cycle on */
	uint64_t work;			/* cycles that it has issued since its last barrier */
	uint64_t awake;			/* of PPU_SEEN_LANES: and could have from this one on; 0: not yet */
	uint32_t pc;
	uint8_t stop;			/* enum ppu_seen_stop */
};

struct cta {
	struct chk_cta head;
	struct prof_launch *launch;
	uint64_t start;
	uint32_t left;			/* warps that have not ended */
	struct warp warp[PPU_OBSERVE_WARPS];
};

/* Warps that were stopped, by a fault or with their task: up to where they came. */
static void drop(struct chk_cta *head)
{
	struct cta *c = (struct cta *)head;

	for (uint32_t i = 0; i < c->head.warps && i < PPU_OBSERVE_WARPS; i++)
		if (c->warp[i].stop != PPU_SEEN_ENDED)
			c->launch->life += c->warp[i].since - c->start;
	free(c);
}

static struct chk_ctas ctas = { .drop = drop };

/* Whose turn it is. */
static struct {
	struct cta *cta;
	uint32_t warp;
	uint64_t begin;
} now;

/* ---- blocks ------------------------------------------------------------------------------------- */

void prof_cta_start(struct prof_launch *l, const struct ppu_seen_cta *s)
{
	struct cta *c = chk_cta_of(&ctas, s, sizeof(*c));
	struct prof_sm *sm = &l->sm[s->sm];

	l->blocks++;
	l->warps += s->warps;
	if (s->cycle < l->first)
		l->first = s->cycle;
	if (!sm->ctas++)
		sm->since = s->cycle;
	if (!c)
		return;
	c->launch = l;
	c->start = s->cycle;
	c->left = s->warps;
	for (uint32_t i = 0; i < s->warps && i < PPU_OBSERVE_WARPS; i++)
		c->warp[i] = (struct warp){ .since = s->cycle, .pc = l->kernel->entry, .stop = PPU_SEEN_TURN };
}

void prof_cta_end(struct prof_launch *l, const struct ppu_seen_cta *s)
{
	struct prof_sm *sm = &l->sm[s->sm];

	if (s->cycle > l->last)
		l->last = s->cycle;
	if (sm->ctas && !--sm->ctas)
		sm->active += s->cycle > sm->since ? s->cycle - sm->since : 0;
}

void prof_turns_end(const struct ppu_seen_task *t)
{
	chk_cta_end_all(&ctas, t);
}

/* ---- waits -------------------------------------------------------------------------------------- */

static unsigned op_at(const struct prof_launch *l, uint32_t pc)
{
	return PPU_GET(&l->kernel->mod->img->code[pc], OP);
}

/* What the warp waited for, and until when; after that it was not its turn. */
static enum prof_sum reason(const struct prof_launch *l, const struct warp *w, const struct ppu_seen_turn *t,
			    uint64_t *until)
{
	*until = t->begin;
	switch (w->stop) {
	case PPU_SEEN_TIME:
		*until = t->due;
		return op_at(l, w->pc) == PPU_OP_NANOSLEEP ? PROF_stall_sleep : PROF_stall_memory;
	case PPU_SEEN_LANES:
		*until = w->awake ? w->awake : t->begin;
		return op_at(l, w->pc) == PPU_OP_BAR || op_at(l, w->pc) == PPU_OP_CLWAIT ? PROF_stall_barrier : PROF_stall_lanes;
	case PPU_SEEN_REPLY:
		return PROF_stall_launch;
	case PPU_SEEN_CHILDREN:
		return PROF_stall_children;
	case PPU_SEEN_DRIVER:
		return PROF_stall_driver;
	default:
		return PROF_stall_turn;
	}
}

static struct warp *warp_of(const struct ppu_seen_warp *at, struct cta **cta)
{
	*cta = chk_cta_find(&ctas, at->cta);
	return *cta && at->warp < PPU_OBSERVE_WARPS ? &(*cta)->warp[at->warp] : NULL;
}

void prof_turn_begin(struct prof_launch *l, const struct ppu_seen_turn *t)
{
	struct cta *c;
	struct warp *w = warp_of(&t->at, &c);
	struct prof_insn *p;
	enum prof_sum why;
	uint64_t until;

	now.cta = NULL;
	if (!w || w->pc >= l->live->n)
		return;
	p = &l->live->insn[w->pc];
	why = reason(l, w, t, &until);
	if (until < w->since)
		until = w->since;
	if (until > t->begin)
		until = t->begin;
	if (t->begin > w->since) {
		p->sum[why] += until - w->since;
		p->sum[PROF_stall_turn] += t->begin - until;
	}
	w->since = t->begin;
	w->awake = 0;
	now.cta = c;
	now.warp = t->at.warp;
	now.begin = t->begin;
}

void prof_turn_end(struct prof_launch *l, const struct ppu_seen_turn *t)
{
	struct cta *c;
	struct warp *w = warp_of(&t->at, &c);

	l->issue += t->end - t->begin;
	now.cta = NULL;
	if (!w)
		return;
	w->work += t->end - now.begin;
	w->since = t->end;
	w->stop = (uint8_t)t->stop;
	if (t->last != PPU_SEEN_NO_PC)
		w->pc = t->last;
	if (t->stop != PPU_SEEN_ENDED)
		return;
	l->life += t->end - c->start;
	if (!--c->left)
		chk_cta_end(&ctas, t->at.cta);
}

/*
 * A barrier opens.  Warps of an SM have turns, so one waits though all have as much to do; what shows that they have not is how
 * much each has issued since its last barrier.  Told of where the first of them waits, or of nothing, if none does.
 */
void prof_turn_barrier(struct prof_launch *l, const struct ppu_seen_barrier *b)
{
	struct cta *c = chk_cta_find(&ctas, b->cta);
	uint64_t most = 0, sum = 0;
	uint32_t n = 0, pc = PPU_SEEN_NO_PC;

	if (!c)
		return;
	if (now.cta == c) {		/* the last to come */
		c->warp[now.warp].work += b->cycle - now.begin;
		now.begin = b->cycle;
	}
	for (uint32_t i = 0; i < c->head.warps && i < PPU_OBSERVE_WARPS; i++) {
		struct warp *w = &c->warp[i];

		if (!b->arrived[i])
			continue;
		n++;
		sum += w->work;
		most = w->work > most ? w->work : most;
		if (pc == PPU_SEEN_NO_PC && b->waiting[i] && w->stop == PPU_SEEN_LANES)
			pc = w->pc;
		w->work = 0;
	}
	if (pc < l->live->n) {
		l->live->insn[pc].sum[PROF_barrier_work] += n * most;
		l->live->insn[pc].sum[PROF_barrier_lack] += n * most - sum;
	}
}

void prof_turn_awake(const struct ppu_seen_warp *at, uint64_t cycle)
{
	struct cta *c;
	struct warp *w = warp_of(at, &c);

	if (w)
		w->awake = cycle;
}
