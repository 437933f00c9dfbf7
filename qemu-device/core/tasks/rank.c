/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is next: the waiting tasks by context, and the contexts' turns.
 *
 * The scheduler table (tmu.c) has one list per device priority.  To choose, each context's waiting
 * tasks stand a second time in ranks: one rank for tasks with saved CTAs that can go on, and one per
 * nesting level for those that need room in the save area to start a CTA.  A rank of the second kind
 * is stalled while its level has no room: nothing in it is chosen then, and nothing looked at again.
 * So choosing costs the same however many tasks wait.
 *
 * Fairness: a context that holds task slots for its slice while another one's task waits gets a turn
 * number, higher than all given before.  Tasks of a context with a lower turn go before those of one
 * with a higher, whatever their priorities; when nobody waits any more all turns are 0 again, and
 * priorities alone decide.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/event.h"
#include "core/base/trace.h"
#include "core/tasks/task.h"
#include "core/tasks/tmu.h"
#include "core/tasks/wdu.h"

#define RESUME		0		/* rank; level d has rank d */
#define NUM_RANKS	(PPU_MAX_DEPTH + 1)
#define MAX_PRIO_WORDS	4

struct rank_list {
	int32_t head, tail;
};

struct rank {
	uint32_t n;
	bool stalled;
	uint64_t nonempty[MAX_PRIO_WORDS];	/* by priority */
	struct rank_list list[];
};

struct ppu_rank_ctx {
	struct ppu_rank_ctx *next;
	struct ppu_ctx *ctx;
	uint64_t turn;
	/* held: ns of the slice that are used, counted up to `since`.  Time before `from` does not count. */
	uint64_t held, since, from;
	bool holds, waits, counting;
	struct rank *rank[NUM_RANKS];
};

struct ppu_ranks {
	struct ppu_rank_ctx *first, **tail;
	int64_t head_order, tail_order;
	uint64_t last_turn;
	struct ppu_event slice_ev;
};

static struct rank *rank_of(const struct ppu_task *t)
{
	return t->sm.ctx->rank->rank[t->rank.rank];
}

void ppu_rank_init_task(struct ppu_task *t)
{
	t->rank.prev = t->rank.next = -1;
}

/* Saves or loads the rank and order of a task.  Its links are made when it is put into its rank. */
void ppu_rank_io_task(struct ppu_io *io, struct ppu_task *t)
{
	ppu_io_u32(io, &t->rank.rank);
	ppu_io_u64(io, (uint64_t *)&t->rank.order);
	if (io->loading)
		ppu_rank_init_task(t);
}

/* ---- lists ------------------------------------------------------------------------------------------ */

static bool have_rank(struct ppu_core *core, struct ppu_ctx *ctx, unsigned which)
{
	struct ppu_rank_ctx *c = ctx->rank;
	uint32_t n = core->cfg.device_priorities ? core->cfg.device_priorities : 1, i;
	struct rank *r;

	if (!c) {
		c = ctx->rank = ppu_alloc(1, sizeof(*c));
		if (!c)
			return false;
		c->ctx = ctx;
		*core->ranks->tail = c;
		core->ranks->tail = &c->next;
	}
	if (c->rank[which])
		return true;
	r = c->rank[which] = ppu_alloc(1, sizeof(*r) + n * sizeof(r->list[0]));
	for (i = 0; r && i < n; i++)
		r->list[i] = (struct rank_list){ -1, -1 };
	return r;
}

bool ppu_rank_prepare(struct ppu_core *core, struct ppu_ctx *ctx, uint32_t depth)
{
	return have_rank(core, ctx, RESUME) && have_rank(core, ctx, depth);
}

void ppu_rank_add(struct ppu_core *core, struct ppu_task *t, bool at_head)
{
	struct rank_list *l;
	struct rank *r;

	t->rank.order = at_head ? --core->ranks->head_order : ++core->ranks->tail_order;
	r = rank_of(t);
	l = &r->list[t->sm.priority];
	t->rank.prev = at_head ? -1 : l->tail;
	t->rank.next = at_head ? l->head : -1;
	*(t->rank.prev < 0 ? &l->head : &ppu_tmu_task(core, (uint32_t)t->rank.prev)->rank.next) = (int32_t)t->sm.index;
	*(t->rank.next < 0 ? &l->tail : &ppu_tmu_task(core, (uint32_t)t->rank.next)->rank.prev) = (int32_t)t->sm.index;
	r->nonempty[t->sm.priority / 64] |= 1ull << t->sm.priority % 64;
	r->stalled = false;		/* perhaps the new task fits */
	r->n++;
}

/* While the device's state is loaded: lists are in order. */
bool ppu_rank_load(struct ppu_core *core, struct ppu_task *t)
{
	int64_t order = t->rank.order, tail = core->ranks->tail_order;
	uint32_t rank = t->rank.rank;

	if ((rank != RESUME && rank != t->sm.depth) || order < core->ranks->head_order || order > tail)
		return false;
	ppu_rank_add(core, t, false);
	core->ranks->tail_order = tail;
	t->rank.order = order;
	return true;
}

void ppu_rank_remove(struct ppu_core *core, struct ppu_task *t)
{
	struct rank *r = rank_of(t);
	struct rank_list *l = &r->list[t->sm.priority];

	*(t->rank.prev < 0 ? &l->head : &ppu_tmu_task(core, (uint32_t)t->rank.prev)->rank.next) = t->rank.next;
	*(t->rank.next < 0 ? &l->tail : &ppu_tmu_task(core, (uint32_t)t->rank.next)->rank.prev) = t->rank.prev;
	t->rank.prev = t->rank.next = -1;
	if (l->head < 0)
		r->nonempty[t->sm.priority / 64] &= ~(1ull << t->sm.priority % 64);
	r->stalled = false;
	r->n--;
}

void ppu_rank_of(struct ppu_task *t)
{
	t->rank.rank = t->ready_ctas ? RESUME : t->sm.depth;
}

bool ppu_rank_right(const struct ppu_task *t)
{
	return t->rank.rank == (t->ready_ctas ? RESUME : t->sm.depth);
}

void ppu_rank_unstall(struct ppu_ctx *ctx, uint32_t depth)
{
	if (ctx->rank && ctx->rank->rank[depth])
		ctx->rank->rank[depth]->stalled = false;
}

/* ---- choosing ------------------------------------------------------------------------------------------ */

uint64_t ppu_rank_turn(const struct ppu_ctx *ctx)
{
	return ctx->rank ? ctx->rank->turn : 0;
}

/* How many places a priority list comes behind the first list.  The first is the highest one, or that of level rr
 * in round robin. */
static uint32_t distance(const struct ppu_core *core, uint32_t priority, uint32_t rr)
{
	uint32_t n = core->cfg.device_priorities ? core->cfg.device_priorities : 1;
	uint32_t level = ppu_rank_level(core, priority);

	return core->cfg.task_policy ? (level + n - rr) % n : n - 1 - level;
}

static struct ppu_task *first_of(struct ppu_core *core, const struct rank *r, uint32_t rr)
{
	uint32_t best = 0, w;
	bool any = false;

	for (w = 0; w < MAX_PRIO_WORDS; w++)
		for (uint64_t m = r->nonempty[w]; m; m &= m - 1) {
			uint32_t p = w * 64 + (uint32_t)__builtin_ctzll(m);

			core->task_steps++;
			if (!any || distance(core, p, rr) < distance(core, best, rr))
				best = p;
			any = true;
		}
	return any ? ppu_tmu_task(core, (uint32_t)r->list[best].head) : NULL;
}

static bool before(const struct ppu_core *core, const struct ppu_task *a, const struct ppu_task *b, uint32_t rr)
{
	uint64_t ta = ppu_rank_turn(a->sm.ctx), tb = ppu_rank_turn(b->sm.ctx);
	uint32_t da = distance(core, a->sm.priority, rr), db = distance(core, b->sm.priority, rr);

	return ta != tb ? ta < tb : da != db ? da < db : a->rank.order < b->rank.order;
}

struct ppu_task *ppu_rank_first(struct ppu_core *core, uint32_t rr)
{
	struct ppu_task *best = NULL, *t;
	struct ppu_rank_ctx *c;
	struct ppu_cta_gap gap;
	unsigned i;

	for (c = core->ranks->first; c; c = c->next)
		for (i = 0; i < NUM_RANKS; i++) {
			struct rank *r = c->rank[i];

			core->task_steps++;
			if (!r || !r->n || r->stalled)
				continue;
			t = first_of(core, r, rr);
			if (i != RESUME && !ppu_ctas_room(core, t, &gap)) {
				r->stalled = true;
				continue;
			}
			if (!best || before(core, t, best, rr))
				best = t;
		}
	return best;
}

bool ppu_rank_beats(const struct ppu_core *core, const struct ppu_task *a, const struct ppu_task *b)
{
	uint64_t ta = ppu_rank_turn(a->sm.ctx), tb = ppu_rank_turn(b->sm.ctx);

	if (ta != tb)
		return ta < tb;
	return !core->cfg.task_policy && ppu_rank_level(core, a->sm.priority) > ppu_rank_level(core, b->sm.priority);
}

/* ---- slices -------------------------------------------------------------------------------------------- */

/* A slice is two windows at least, so that the context that gets the SMs does run. */
static uint64_t slice(const struct ppu_core *core)
{
	uint64_t least = 2 * core->cfg.window_ns;

	return core->cfg.task_slice_ns > least ? core->cfg.task_slice_ns : least;
}

void ppu_rank_started(struct ppu_ctx *ctx, uint64_t when)
{
	if (ctx->rank->from < when)
		ctx->rank->from = when;
}

/* Adds the time that each context has held SMs since the last call.  A context whose slice is over goes
 * behind all others. */
void ppu_rank_count(struct ppu_core *core)
{
	struct ppu_rank_ctx *c;

	for (c = core->ranks->first; c; c = c->next) {
		uint64_t start = c->since > c->from ? c->since : c->from;

		if (c->counting && core->now > start)
			c->held += core->now - start;
		c->since = core->now;
		if (!c->counting || c->held < slice(core))
			continue;
		c->turn = ++core->ranks->last_turn;
		PPU_TRACE(core, SLICE_TASKS, PPU_TR_NO_UNIT, c->ctx->blk.context_id, c->held, c->turn, 0);
		c->held = 0;
	}
}

void ppu_rank_holds(struct ppu_ctx *ctx, bool runs, bool short_of_room)
{
	ctx->rank->holds |= runs;
	ctx->rank->waits |= short_of_room;
}

static bool has_waiting(const struct ppu_rank_ctx *c)
{
	unsigned i;

	for (i = 0; i < NUM_RANKS; i++)
		if (c->rank[i] && c->rank[i]->n && !c->rank[i]->stalled)
			return true;
	return false;
}

void ppu_rank_plan(struct ppu_core *core)
{
	struct ppu_ranks *s = core->ranks;
	uint64_t next = PPU_TIME_NEVER;
	struct ppu_rank_ctx *c;
	uint32_t waiting = 0;

	for (c = s->first; c; c = c->next) {
		c->waits |= has_waiting(c);
		waiting += c->waits;
	}
	for (c = s->first; c; c = c->next) {
		c->counting = core->cfg.task_slice_ns && c->holds && waiting > c->waits;
		if (!c->counting)
			c->held = 0;
		if (!waiting)
			c->turn = 0;
		if (c->counting) {
			uint64_t start = core->now > c->from ? core->now : c->from;
			uint64_t end = start + slice(core) - c->held;

			next = end < next ? end : next;
		}
		c->holds = c->waits = false;
	}
	if (!waiting)
		s->last_turn = 0;
	if (next == PPU_TIME_NEVER)
		ppu_event_cancel(core, &s->slice_ev);
	else
		ppu_event_schedule(core, &s->slice_ev, next);
}

/* ---- unit ------------------------------------------------------------------------------------------------ */

static void slice_event(struct ppu_core *core, void *arg)
{
	ppu_wdu_kick(core);
}

int ppu_ranks_create(struct ppu_core *core)
{
	core->ranks = ppu_alloc(1, sizeof(*core->ranks));
	if (!core->ranks)
		return -1;
	core->ranks->tail = &core->ranks->first;
	ppu_event_init(&core->ranks->slice_ev, PPU_EVP_TASK, slice_event, NULL);
	return ppu_events_reserve(core, 1) ? 0 : -1;
}

void ppu_rank_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx)
{
	struct ppu_rank_ctx **p = &core->ranks->first, *c = ctx->rank;
	unsigned i;

	if (!c)
		return;
	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	if (core->ranks->tail == &c->next)
		core->ranks->tail = p;
	for (i = 0; i < NUM_RANKS; i++)
		ppu_free(c->rank[i]);
	ppu_free(c);
	ctx->rank = NULL;
}

void ppu_ranks_reset(struct ppu_core *core)
{
	struct ppu_ranks *s = core->ranks;

	ppu_event_cancel(core, &s->slice_ev);
	while (s->first)
		ppu_rank_forget_ctx(core, s->first->ctx);
	s->head_order = s->tail_order = 0;
	s->last_turn = 0;
}

void ppu_ranks_destroy(struct ppu_core *core)
{
	if (!core->ranks)
		return;
	ppu_ranks_reset(core);
	ppu_free(core->ranks);
	core->ranks = NULL;
}

/* Ranks follow from the tasks (tmu.c).  Which of them are stalled is found out again. */
void ppu_ranks_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_ranks *s = core->ranks;
	uint32_t n = 0;
	struct ppu_rank_ctx *c;

	for (c = s->first; c; c = c->next)
		n++;
	ppu_io_u32(io, &n);
	ppu_io_u64(io, (uint64_t *)&s->head_order);
	ppu_io_u64(io, (uint64_t *)&s->tail_order);
	ppu_io_u64(io, &s->last_turn);
	if (io->loading && (s->head_order > 0 || s->tail_order < 0 || s->head_order < -(1ll << 62) ||
			    s->tail_order > 1ll << 62 || s->last_turn >> 62))
		ppu_io_fail(io, "impossible turns");
	for (c = s->first; n && !io->failed; n--) {
		struct ppu_ctx *ctx = io->loading ? NULL : c->ctx;

		ppu_io_ctx(core, io, &ctx);
		if (io->loading) {
			if (io->failed || !ctx || ctx->rank) {
				ppu_io_fail(io, "a context has two turns");
				return;
			}
			if (!have_rank(core, ctx, RESUME)) {
				ppu_io_fail(io, "out of memory");
				return;
			}
			c = ctx->rank;
		}
		ppu_io_u64(io, &c->turn);
		ppu_io_u64(io, &c->held);
		ppu_io_u64(io, &c->since);
		ppu_io_u64(io, &c->from);
		ppu_io_bool(io, &c->counting);
		if (io->loading && (c->turn > s->last_turn || c->held >= slice(core) + core->cfg.window_ns ||
				    c->since > core->now || c->from >> 62))
			ppu_io_fail(io, "a context has held slots for an impossible time");
		if (!io->loading)
			c = c->next;
	}
	ppu_io_event(core, io, &s->slice_ev);
}
