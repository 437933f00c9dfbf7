/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runlists: channels that wait for an engine of a class, and which of them is next.
 *
 * Highest queue priority first (WQ-10).  In a priority, owners are served by the engine time they have
 * used, the least first: what counts is what the engine did for a process, not by how many contexts,
 * channels or in what pieces it asked (start-time fair queueing).  In the same way an owner's contexts share
 * what he gets.  In a context, and between those that have used the same amount, the channel that has waited
 * longest goes first (A-CP-9).
 *
 * Who comes back after a pause starts at the clock of those he waits among, which is the usage of the one
 * served there last.  So nobody can save up time or pay for time that nobody else wanted.
 *
 * The owners of a runlist, and an owner's contexts in it, are heaps, so that neither many channels nor many
 * contexts make a decision slow.  The same lists serve channels that wait for a free task record (class
 * PPU_RUN_POOL, where a record is the unit of use).
 */
#include <assert.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/host/hostsched.h"
#include "core/host/runlist.h"
#include "core/memory/ctx.h"
#include "core/tasks/tmu.h"

static_assert(PPU_NUM_PRIO <= 64, "a set of priorities has 64 bits");

/* ---- a heap -------------------------------------------------------------------------------------------- */

static bool before(const struct ppu_share *a, const struct ppu_share *b, unsigned prio)
{
	return a->used != b->used ? a->used < b->used : a->wait[prio].stamp < b->wait[prio].stamp;
}

static void put(struct ppu_heap *h, uint32_t i, struct ppu_share *s, unsigned prio)
{
	h->at[i] = s;
	s->wait[prio].place = i;
}

static void sift_up(struct ppu_heap *h, uint32_t i, unsigned prio)
{
	struct ppu_share *s = h->at[i];

	for (; i && before(s, h->at[(i - 1) / 2], prio); i = (i - 1) / 2)
		put(h, i, h->at[(i - 1) / 2], prio);
	put(h, i, s, prio);
}

static void sift_down(struct ppu_heap *h, uint32_t i, unsigned prio)
{
	struct ppu_share *s = h->at[i];

	for (uint32_t kid; (kid = 2 * i + 1) < h->n; i = kid) {
		if (kid + 1 < h->n && before(h->at[kid + 1], h->at[kid], prio))
			kid++;
		if (!before(h->at[kid], s, prio))
			break;
		put(h, i, h->at[kid], prio);
	}
	put(h, i, s, prio);
}

/* The key of one in the heap has changed. */
static void moved(struct ppu_heap *h, struct ppu_share *s, unsigned prio)
{
	sift_up(h, s->wait[prio].place, prio);
	sift_down(h, s->wait[prio].place, prio);
}

static void heap_add(struct ppu_heap *h, struct ppu_share *s, unsigned prio)
{
	h->at[h->n] = s;
	sift_up(h, h->n++, prio);
}

static void heap_del(struct ppu_heap *h, struct ppu_share *s, unsigned prio)
{
	uint32_t i = s->wait[prio].place;

	if (i == --h->n)
		return;
	put(h, i, h->at[h->n], prio);
	moved(h, h->at[i], prio);
}

/* ---- owners and their contexts ------------------------------------------------------------------------- */

static struct ppu_share *share(struct ppu_ctx *ctx, unsigned cls)
{
	return &ctx->host->share[cls];
}

static struct ppu_share *owner_share(struct ppu_ctx *ctx, unsigned cls)
{
	return &ctx->owner->host->share[cls];
}

static struct ppu_chlist *waiting(struct ppu_ctx *ctx, const struct ppu_runlist *r)
{
	return &ctx->host->waiting[r->cls][r->prio];
}

static struct ppu_heap *ctxs_of(struct ppu_ctx *ctx, const struct ppu_runlist *r)
{
	return &ctx->owner->host->ctxs[r->cls][r->prio];
}

/* The owner's contexts that wait here, or their order, have changed; n: how many there were before. */
static void owner_changed(struct ppu_core *core, struct ppu_runlist *r, struct ppu_ctx *ctx, uint32_t n)
{
	struct ppu_share *s = owner_share(ctx, r->cls);
	const struct ppu_heap *h = ctxs_of(ctx, r);

	if (!h->n) {
		heap_del(&r->owners, s, r->prio);
		if (!r->owners.n)
			core->host->occupied[r->cls] &= ~(1ull << r->prio);
		return;
	}
	s->wait[r->prio].stamp = h->at[0]->wait[r->prio].stamp;
	core->host->occupied[r->cls] |= 1ull << r->prio;
	if (n)
		moved(&r->owners, s, r->prio);
	else
		heap_add(&r->owners, s, r->prio);
}

static void enter(struct ppu_share *s, uint64_t clock)
{
	if (!s->present++ && s->used < clock)
		s->used = clock;
}

void ppu_runlist_enter(struct ppu_ctx *ctx, const struct ppu_runlist *r)
{
	enter(share(ctx, r->cls), ctx->owner->host->clock[r->cls]);
	enter(owner_share(ctx, r->cls), r->clock);
}

void ppu_runlist_present(struct ppu_ctx *ctx, unsigned cls)
{
	share(ctx, cls)->present++;
	owner_share(ctx, cls)->present++;
}

void ppu_runlist_exit(struct ppu_ctx *ctx, unsigned cls)
{
	share(ctx, cls)->present--;
	owner_share(ctx, cls)->present--;
}

void ppu_runlist_link(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	struct ppu_chlist *list = waiting(ch->ctx, r);
	struct ppu_share *s = share(ch->ctx, r->cls);
	struct ppu_heap *h = ctxs_of(ch->ctx, r);
	bool empty = list->first == PPU_NO_CH;
	uint32_t n = h->n;

	ppu_chlist_add(core, list, ch);
	if (list->first != ppu_chid(core, ch))
		return;
	s->wait[r->prio].stamp = ch->stamp;
	if (empty)
		heap_add(h, s, r->prio);
	else
		moved(h, s, r->prio);
	owner_changed(core, r, ch->ctx, n);
}

void ppu_runlist_add(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	ppu_runlist_enter(ch->ctx, r);
	ppu_runlist_link(core, r, ch);
}

void ppu_runlist_del(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	struct ppu_chlist *list = waiting(ch->ctx, r);
	struct ppu_share *s = share(ch->ctx, r->cls);
	struct ppu_heap *h = ctxs_of(ch->ctx, r);
	uint32_t n = h->n;

	ppu_chlist_del(core, list, ch);
	if (list->first == PPU_NO_CH) {
		heap_del(h, s, r->prio);
	} else {
		s->wait[r->prio].stamp = ppu_chan(core, list->first)->stamp;
		moved(h, s, r->prio);
	}
	owner_changed(core, r, ch->ctx, n);
	ppu_runlist_exit(ch->ctx, r->cls);
}

/* The first channel of a context that may use the engine (may have a task record), PPU_NO_CH: none. */
static uint32_t first_allowed(struct ppu_core *core, struct ppu_ctx *ctx,
			      const struct ppu_runlist *r, uint32_t mask)
{
	uint32_t i = waiting(ctx, r)->first;

	if (r->cls == PPU_RUN_POOL && !ppu_tmu_has_record(core, ctx))
		return PPU_NO_CH;
	while (i != PPU_NO_CH && ppu_chan(core, i)->engine_mask &&
	       !(ppu_chan(core, i)->engine_mask & mask))
		i = ppu_chan(core, i)->next;
	return i;
}

int ppu_runlist_compare(struct ppu_ctx *a, struct ppu_ctx *b, unsigned cls)
{
	const struct ppu_share *x = owner_share(a, cls), *y = owner_share(b, cls);

	if (x == y) {
		x = share(a, cls);
		y = share(b, cls);
	}
	return (x->used > y->used) - (x->used < y->used);
}

/* Of two channels of a runlist: does a go before b?  PPU_NO_CH goes behind everybody. */
static bool goes_first(struct ppu_core *core, const struct ppu_runlist *r, uint32_t a, uint32_t b)
{
	int order;

	if (a == PPU_NO_CH || b == PPU_NO_CH)
		return a != PPU_NO_CH;
	order = ppu_runlist_compare(ppu_chan(core, a)->ctx, ppu_chan(core, b)->ctx, r->cls);
	return order ? order < 0 : ppu_chan(core, a)->stamp < ppu_chan(core, b)->stamp;
}

static uint32_t best_of_owner(struct ppu_core *core, const struct ppu_owner *o, const struct ppu_runlist *r,
			      uint32_t mask)
{
	const struct ppu_heap *h = &o->host->ctxs[r->cls][r->prio];
	uint32_t best = PPU_NO_CH;

	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t ch = first_allowed(core, h->at[i]->of, r, mask);

		if (goes_first(core, r, ch, best))
			best = ch;
	}
	return best;
}

struct ppu_chan *ppu_runlist_best(struct ppu_core *core, struct ppu_runlist *r, uint32_t mask)
{
	const struct ppu_owner *o;
	struct ppu_ctx *ctx;
	uint32_t best;

	if (!r->owners.n)
		return NULL;
	o = r->owners.at[0]->of;
	ctx = o->host->ctxs[r->cls][r->prio].at[0]->of;
	best = first_allowed(core, ctx, r, mask);
	/* Engine masks are rare, and so is a context without a right to a record.  Look at all contexts only when the
	 * first channel of the next context may not use this engine. */
	if (best != waiting(ctx, r)->first) {
		best = PPU_NO_CH;
		for (uint32_t i = 0; i < r->owners.n; i++) {
			uint32_t ch = best_of_owner(core, r->owners.at[i]->of, r, mask);

			if (goes_first(core, r, ch, best))
				best = ch;
		}
	}
	return best == PPU_NO_CH ? NULL : ppu_chan(core, best);
}

static void serve(uint64_t *clock, const struct ppu_share *s)
{
	if (*clock < s->used)
		*clock = s->used;
}

void ppu_runlist_serve(struct ppu_ctx *ctx, struct ppu_runlist *r)
{
	serve(&ctx->owner->host->clock[r->cls], share(ctx, r->cls));
	serve(&r->clock, owner_share(ctx, r->cls));
}

void ppu_runlist_charge(struct ppu_core *core, struct ppu_ctx *ctx, unsigned cls, uint64_t use)
{
	if (!use)
		return;
	share(ctx, cls)->used += use;
	owner_share(ctx, cls)->used += use;
	for (uint64_t left = core->host->occupied[cls]; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctzll(left);
		struct ppu_runlist *r = &core->host->runlist[cls][prio];
		struct ppu_heap *h = ctxs_of(ctx, r);

		if (waiting(ctx, r)->first != PPU_NO_CH)
			moved(h, share(ctx, cls), prio);
		if (h->n)
			owner_changed(core, r, ctx, h->n);
	}
}

/* An owner stands in a heap only with a channel of his own, so a heap has never more owners than there are
 * channels. */
bool ppu_runlist_create(struct ppu_core *core)
{
	struct ppu_host *h = core->host;
	uint32_t n = core->cfg.channels;

	h->heaps = ppu_alloc((size_t)PPU_RUN_CLASSES * PPU_NUM_PRIO * n, sizeof(*h->heaps));
	if (!h->heaps)
		return false;
	for (unsigned i = 0; i < PPU_RUN_CLASSES * PPU_NUM_PRIO; i++)
		h->runlist[i / PPU_NUM_PRIO][i % PPU_NUM_PRIO].owners.at = h->heaps + (size_t)i * n;
	return true;
}

void ppu_runlist_reset(struct ppu_core *core)
{
	memset(core->host->occupied, 0, sizeof(core->host->occupied));
	for (unsigned cls = 0; cls < PPU_RUN_CLASSES; cls++)
		for (unsigned prio = 0; prio < PPU_NUM_PRIO; prio++) {
			struct ppu_runlist *r = &core->host->runlist[cls][prio];

			r->owners.n = 0;
			r->clock = 0;
			r->cls = (uint8_t)cls;
			r->prio = (uint8_t)prio;
		}
}

void ppu_runlist_destroy(struct ppu_core *core)
{
	ppu_free(core->host->heaps);
}
