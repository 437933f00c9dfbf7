/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runlists: channels that wait for an engine of a class, and which of them is next.
 *
 * Highest queue priority first (WQ-10).  In a priority, contexts are served by the engine time they
 * have used, the least first: what counts is what the engine did for a process, not by how many
 * channels or in what pieces it asked (start-time fair queueing).  In a context, and between contexts that
 * have used the same amount, the channel that has waited longest goes first (A-CP-9).
 *
 * A context that comes back after a pause starts at the runlist's clock, which is the usage of the context
 * served there last.  So a context can neither save up time nor pay for time that nobody else wanted.
 *
 * The contexts of a runlist are a heap, so that neither many channels nor many contexts make a
 * decision slow.  The same lists serve channels that wait for a free task record (class PPU_RUN_POOL,
 * where a record is the unit of use).
 */
#include <assert.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/host/hostsched.h"
#include "core/host/runlist.h"
#include "core/memory/ctx.h"
#include "core/tasks/tmu.h"

static_assert(PPU_NUM_PRIO <= 64, "a set of priorities has 64 bits");

static struct ppu_share *share(struct ppu_ctx *ctx, unsigned cls)
{
	return &ctx->host->share[cls];
}

static struct ppu_runq *runq(struct ppu_ctx *ctx, const struct ppu_runlist *r)
{
	return &share(ctx, r->cls)->q[r->prio];
}

static bool before(struct ppu_core *core, const struct ppu_runlist *r, struct ppu_ctx *a,
		   struct ppu_ctx *b)
{
	uint64_t x = share(a, r->cls)->used, y = share(b, r->cls)->used;

	if (x != y)
		return x < y;
	return ppu_chan(core, runq(a, r)->list.first)->stamp <
	       ppu_chan(core, runq(b, r)->list.first)->stamp;
}

static void put(struct ppu_runlist *r, uint32_t i, struct ppu_ctx *ctx)
{
	r->heap[i] = ctx;
	runq(ctx, r)->place = i;
}

static void sift_up(struct ppu_core *core, struct ppu_runlist *r, uint32_t i)
{
	struct ppu_ctx *ctx = r->heap[i];

	for (; i && before(core, r, ctx, r->heap[(i - 1) / 2]); i = (i - 1) / 2)
		put(r, i, r->heap[(i - 1) / 2]);
	put(r, i, ctx);
}

static void sift_down(struct ppu_core *core, struct ppu_runlist *r, uint32_t i)
{
	struct ppu_ctx *ctx = r->heap[i];

	for (uint32_t kid; (kid = 2 * i + 1) < r->n; i = kid) {
		if (kid + 1 < r->n && before(core, r, r->heap[kid + 1], r->heap[kid]))
			kid++;
		if (!before(core, r, r->heap[kid], ctx))
			break;
		put(r, i, r->heap[kid]);
	}
	put(r, i, ctx);
}

/* The key of a context that is in the heap has changed. */
static void moved(struct ppu_core *core, struct ppu_runlist *r, struct ppu_ctx *ctx)
{
	sift_up(core, r, runq(ctx, r)->place);
	sift_down(core, r, runq(ctx, r)->place);
}

static void heap_add(struct ppu_core *core, struct ppu_runlist *r, struct ppu_ctx *ctx)
{
	core->host->occupied[r->cls] |= 1ull << r->prio;
	r->heap[r->n] = ctx;
	sift_up(core, r, r->n++);
}

static void heap_del(struct ppu_core *core, struct ppu_runlist *r, struct ppu_ctx *ctx)
{
	uint32_t i = runq(ctx, r)->place;

	if (!--r->n)
		core->host->occupied[r->cls] &= ~(1ull << r->prio);
	if (i == r->n)
		return;
	put(r, i, r->heap[r->n]);
	moved(core, r, r->heap[i]);
}

void ppu_runlist_enter(struct ppu_ctx *ctx, const struct ppu_runlist *r)
{
	struct ppu_share *s = share(ctx, r->cls);

	if (!s->present++ && s->used < r->clock)
		s->used = r->clock;
}

void ppu_runlist_exit(struct ppu_ctx *ctx, unsigned cls)
{
	share(ctx, cls)->present--;
}

void ppu_runlist_link(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	struct ppu_chlist *list = &runq(ch->ctx, r)->list;
	bool empty = list->first == PPU_NO_CH;

	ppu_chlist_add(core, list, ch);
	if (empty)
		heap_add(core, r, ch->ctx);
	else if (list->first == ppu_chid(core, ch))
		moved(core, r, ch->ctx);
}

void ppu_runlist_add(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	ppu_runlist_enter(ch->ctx, r);
	ppu_runlist_link(core, r, ch);
}

void ppu_runlist_del(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	struct ppu_chlist *list = &runq(ch->ctx, r)->list;

	/* Out of the heap first: its order looks at the head of the list. */
	if (list->first == list->tail) {
		heap_del(core, r, ch->ctx);
		ppu_chlist_del(core, list, ch);
	} else {
		ppu_chlist_del(core, list, ch);
		moved(core, r, ch->ctx);
	}
	ppu_runlist_exit(ch->ctx, r->cls);
}

/* The first channel of a context that may use the engine (may have a task record), PPU_NO_CH: none. */
static uint32_t first_allowed(struct ppu_core *core, struct ppu_ctx *ctx,
			      const struct ppu_runlist *r, uint32_t mask)
{
	uint32_t i = runq(ctx, r)->list.first;

	if (r->cls == PPU_RUN_POOL && !ppu_tmu_has_record(core, ctx))
		return PPU_NO_CH;
	while (i != PPU_NO_CH && ppu_chan(core, i)->engine_mask &&
	       !(ppu_chan(core, i)->engine_mask & mask))
		i = ppu_chan(core, i)->next;
	return i;
}

/* Of two channels of a runlist: does a go before b?  PPU_NO_CH goes behind everybody. */
static bool goes_first(struct ppu_core *core, const struct ppu_runlist *r, uint32_t a, uint32_t b)
{
	uint64_t x, y;

	if (a == PPU_NO_CH || b == PPU_NO_CH)
		return a != PPU_NO_CH;
	x = share(ppu_chan(core, a)->ctx, r->cls)->used;
	y = share(ppu_chan(core, b)->ctx, r->cls)->used;
	return x != y ? x < y : ppu_chan(core, a)->stamp < ppu_chan(core, b)->stamp;
}

struct ppu_chan *ppu_runlist_best(struct ppu_core *core, struct ppu_runlist *r, uint32_t mask)
{
	uint32_t best;

	if (!r->n)
		return NULL;
	best = first_allowed(core, r->heap[0], r, mask);
	/* Engine masks are rare, and so is a context without a right to a record.  Look at all contexts only when the
	 * first channel of the next context may not use this engine. */
	if (best != runq(r->heap[0], r)->list.first)
		for (uint32_t i = 1; i < r->n; i++) {
			uint32_t ch = first_allowed(core, r->heap[i], r, mask);

			if (goes_first(core, r, ch, best))
				best = ch;
		}
	return best == PPU_NO_CH ? NULL : ppu_chan(core, best);
}

void ppu_runlist_serve(struct ppu_ctx *ctx, struct ppu_runlist *r)
{
	if (r->clock < share(ctx, r->cls)->used)
		r->clock = share(ctx, r->cls)->used;
}

void ppu_runlist_charge(struct ppu_core *core, struct ppu_ctx *ctx, unsigned cls, uint64_t use)
{
	if (!use)
		return;
	share(ctx, cls)->used += use;
	for (uint64_t left = core->host->occupied[cls]; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctzll(left);

		if (share(ctx, cls)->q[prio].list.first != PPU_NO_CH)
			moved(core, &core->host->runlist[cls][prio], ctx);
	}
}

/* A context stands in a heap only with a channel of its own, so a heap has never more contexts than there are
 * channels. */
bool ppu_runlist_create(struct ppu_core *core)
{
	struct ppu_host *h = core->host;
	uint32_t n = core->cfg.channels;

	h->heaps = ppu_alloc((size_t)PPU_RUN_CLASSES * PPU_NUM_PRIO * n, sizeof(*h->heaps));
	if (!h->heaps)
		return false;
	for (unsigned i = 0; i < PPU_RUN_CLASSES * PPU_NUM_PRIO; i++)
		h->runlist[i / PPU_NUM_PRIO][i % PPU_NUM_PRIO].heap = h->heaps + (size_t)i * n;
	return true;
}

void ppu_runlist_reset(struct ppu_core *core)
{
	memset(core->host->occupied, 0, sizeof(core->host->occupied));
	for (unsigned cls = 0; cls < PPU_RUN_CLASSES; cls++)
		for (unsigned prio = 0; prio < PPU_NUM_PRIO; prio++) {
			struct ppu_runlist *r = &core->host->runlist[cls][prio];

			r->n = 0;
			r->clock = 0;
			r->cls = (uint8_t)cls;
			r->prio = (uint8_t)prio;
		}
}

void ppu_runlist_destroy(struct ppu_core *core)
{
	ppu_free(core->host->heaps);
}
