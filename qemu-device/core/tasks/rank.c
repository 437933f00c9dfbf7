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
 * Fairness: an owner of contexts who holds task slots for his slice while another one's task waits gets a
 * turn number, higher than all given before.  Tasks of an owner with a lower turn go before those of one with a
 * higher, whatever their priorities.  The contexts of one owner take turns in the same way.  When nobody has
 * waited for the length of a slice, all turns are 0 again, and priorities alone decide.
 *
 * Time that was held counts until the slice is used up, also over pauses: who pauses just before the end of a slice
 * goes on with what is left of it.  Who is new stands with the last one, and whoever goes for good leaves as if
 * the slice had been used up: nobody gets a fresh slice by coming again as somebody else.
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

/* An owner's turn among all owners, a context's among those of its owner. */
struct turn {
	uint64_t number;
	/* held: ns of the slice that are used, counted up to `since`.  Time before `from` does not count. */
	uint64_t held, since, from;
	bool holds, waits, counting;
	bool held_before;		/* at the end of the last pass */
};

struct ppu_rank_ctx {
	struct ppu_rank_ctx *next;
	struct ppu_ctx *ctx;
	struct turn turn;
	struct rank *rank[NUM_RANKS];
};

struct ppu_rank_owner {
	struct turn turn;
	uint32_t num_ctxs;		/* that have a struct ppu_rank_ctx */
	uint64_t kept;			/* until then nobody whose turn comes later gets a place */
	uint32_t waiting;		/* of its contexts, in ppu_rank_plan() */
	uint64_t walk;			/* the last walk() that came here */
};

struct ppu_ranks {
	struct ppu_rank_ctx *first, **tail;
	int64_t head_order, tail_order;
	uint64_t last_turn;
	uint64_t contended;		/* when somebody's slice was last counted */
	uint64_t walk;
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

/* Whoever comes next is not better off because this one went before the end of the slice. */
static void leave(struct ppu_core *core, const struct turn *t)
{
	if (t->held)
		core->ranks->last_turn++;
}

static void forget_owner(struct ppu_core *core, struct ppu_owner *o)
{
	leave(core, &o->rank->turn);
	ppu_free(o->rank);
	o->rank = NULL;
}

static bool have_owner(struct ppu_core *core, struct ppu_owner *o)
{
	if (o->rank)
		return true;
	o->rank = ppu_alloc(1, sizeof(*o->rank));
	if (o->rank)
		o->rank->turn.number = core->ranks->last_turn;
	return o->rank;
}

static bool have_rank(struct ppu_core *core, struct ppu_ctx *ctx, unsigned which)
{
	struct ppu_rank_ctx *c = ctx->rank;
	uint32_t n = core->cfg.device_priorities ? core->cfg.device_priorities : 1, i;
	struct rank *r;

	if (!c) {
		c = ppu_alloc(1, sizeof(*c));
		if (!c || !have_owner(core, ctx->owner)) {
			ppu_free(c);
			return false;
		}
		c->ctx = ctx;
		/* Behind the owner's others; the first one has nobody to stand behind. */
		c->turn.number = ctx->owner->rank->num_ctxs ? core->ranks->last_turn : 0;
		ctx->rank = c;
		ctx->owner->rank->num_ctxs++;
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

int ppu_rank_compare(const struct ppu_ctx *a, const struct ppu_ctx *b)
{
	const struct turn *x = &a->owner->rank->turn, *y = &b->owner->rank->turn;

	/* Also between owners with equal numbers: what follows, the level, must be asked of all or of none of them. */
	if (x->number == y->number) {
		x = &a->rank->turn;
		y = &b->rank->turn;
	}
	return (x->number > y->number) - (x->number < y->number);
}

bool ppu_rank_turns(const struct ppu_core *core)
{
	return core->ranks->last_turn;
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
	uint32_t da = distance(core, a->sm.priority, rr), db = distance(core, b->sm.priority, rr);
	int turn = ppu_rank_compare(a->sm.ctx, b->sm.ctx);

	return turn ? turn < 0 : da != db ? da < db : a->rank.order < b->rank.order;
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
	int turn = ppu_rank_compare(a->sm.ctx, b->sm.ctx);

	if (turn)
		return turn < 0;
	return !core->cfg.task_policy && ppu_rank_level(core, a->sm.priority) > ppu_rank_level(core, b->sm.priority);
}

/* ---- slices -------------------------------------------------------------------------------------------- */

/* A slice is two windows at least, so that the context that gets the SMs does run. */
static uint64_t slice(const struct ppu_core *core)
{
	uint64_t least = 2 * core->cfg.window_ns;

	return core->cfg.task_slice_ns > least ? core->cfg.task_slice_ns : least;
}

/*
 * Between two kernels of the owner whose turn it is the others do not come in: to save all their CTAs and to restore them
 * takes longer than such a pause.  The pause counts as a part of the slice.
 */
void ppu_rank_ended(struct ppu_core *core, struct ppu_ctx *ctx)
{
	if (core->ranks->last_turn)
		ctx->owner->rank->kept = core->now + slice(core) / 16;
}

bool ppu_rank_kept_out(const struct ppu_core *core, const struct ppu_ctx *ctx)
{
	for (const struct ppu_rank_ctx *c = core->ranks->first; c; c = c->next)
		if (c->ctx->owner->rank->kept > core->now && c->ctx->owner != ctx->owner &&
		    ppu_rank_compare(c->ctx, ctx) < 0)
			return true;
	return false;
}

/* Calls fn for the owner of each context, once. */
static void each_owner(struct ppu_core *core, void (*fn)(struct ppu_core *core, const struct ppu_rank_ctx *first))
{
	uint64_t walk = ++core->ranks->walk;

	for (const struct ppu_rank_ctx *c = core->ranks->first; c; c = c->next) {
		struct ppu_rank_owner *o = c->ctx->owner->rank;

		if (o->walk == walk)
			continue;
		o->walk = walk;
		fn(core, c);
	}
}

static void started(struct turn *t, uint64_t when)
{
	/* Whoever had CTAs on SMs goes on to hold them while the next one starts. */
	if (!t->held_before && t->from < when)
		t->from = when;
}

void ppu_rank_started(struct ppu_ctx *ctx, uint64_t when)
{
	started(&ctx->rank->turn, when);
	started(&ctx->owner->rank->turn, when);
}

/* Adds the time that SMs were held since the last call.  Is the slice over?  Then t goes behind all others. */
static bool count(struct ppu_core *core, struct turn *t, uint64_t *held)
{
	uint64_t start = t->since > t->from ? t->since : t->from;

	if (t->counting && core->now > start)
		t->held += core->now - start;
	t->since = core->now;
	if (!t->counting || t->held < slice(core))
		return false;
	t->number = ++core->ranks->last_turn;
	*held = t->held;
	t->held = 0;
	return true;
}

static void count_owner(struct ppu_core *core, const struct ppu_rank_ctx *c)
{
	struct turn *t = &c->ctx->owner->rank->turn;
	uint64_t held;

	if (t->counting)
		core->ranks->contended = core->now;
	if (count(core, t, &held))
		PPU_TRACE(core, SLICE_TASKS, PPU_TR_NO_UNIT, c->ctx->blk.context_id, held, t->number,
			  c->ctx->owner->id);
}

static void forget_turn(struct ppu_core *core, const struct ppu_rank_ctx *c)
{
	struct turn *t = &c->ctx->owner->rank->turn;

	t->number = t->held = 0;
}

static void forget_turns(struct ppu_core *core)
{
	each_owner(core, forget_turn);
	for (struct ppu_rank_ctx *c = core->ranks->first; c; c = c->next)
		c->turn.number = c->turn.held = 0;
	core->ranks->last_turn = 0;
}

void ppu_rank_count(struct ppu_core *core)
{
	uint64_t held;

	each_owner(core, count_owner);
	for (struct ppu_rank_ctx *c = core->ranks->first; c; c = c->next) {
		if (c->turn.counting)
			core->ranks->contended = core->now;
		count(core, &c->turn, &held);
	}
	if (core->now - core->ranks->contended >= slice(core))
		forget_turns(core);
}

void ppu_rank_holds(struct ppu_ctx *ctx, bool runs, bool short_of_room)
{
	ctx->rank->turn.holds |= runs;
	ctx->rank->turn.waits |= short_of_room;
}

static bool has_waiting(const struct ppu_rank_ctx *c)
{
	unsigned i;

	for (i = 0; i < NUM_RANKS; i++)
		if (c->rank[i] && c->rank[i]->n && !c->rank[i]->stalled)
			return true;
	return false;
}

/* others: does somebody wait among whom t has turns?  Returns when t's slice will be over. */
static uint64_t plan(struct ppu_core *core, struct turn *t, bool others)
{
	uint64_t start = core->now > t->from ? core->now : t->from;

	t->counting = core->cfg.task_slice_ns && t->holds && others;
	t->held_before = t->holds;
	t->holds = t->waits = false;
	return t->counting ? start + slice(core) - t->held : PPU_TIME_NEVER;
}

static void clear_waiting(struct ppu_core *core, const struct ppu_rank_ctx *c)
{
	c->ctx->owner->rank->waiting = 0;
}

void ppu_rank_plan(struct ppu_core *core)
{
	struct ppu_ranks *s = core->ranks;
	uint64_t next = PPU_TIME_NEVER, end, walk;
	uint32_t owners = 0;		/* that wait */
	struct ppu_rank_ctx *c;

	each_owner(core, clear_waiting);
	for (c = s->first; c; c = c->next) {
		struct ppu_rank_owner *o = c->ctx->owner->rank;

		c->turn.waits |= has_waiting(c);
		owners += c->turn.waits && !o->turn.waits;
		o->waiting += c->turn.waits;
		o->turn.waits |= c->turn.waits;
		o->turn.holds |= c->turn.holds;
	}
	walk = ++s->walk;
	for (c = s->first; c; c = c->next) {
		struct ppu_rank_owner *o = c->ctx->owner->rank;

		end = plan(core, &c->turn, o->waiting > c->turn.waits);
		next = end < next ? end : next;
		if (o->walk == walk)
			continue;
		o->walk = walk;
		o->turn.holds |= o->kept > core->now;
		if (o->kept > core->now && owners > o->turn.waits)
			next = o->kept < next ? o->kept : next;
		end = plan(core, &o->turn, owners > o->turn.waits);
		next = end < next ? end : next;
	}
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
	leave(core, &c->turn);
	ppu_free(c);
	ctx->rank = NULL;
	if (!--ctx->owner->rank->num_ctxs)
		forget_owner(core, ctx->owner);
	if (!core->ranks->first)
		core->ranks->last_turn = core->ranks->contended = 0;
}

void ppu_ranks_reset(struct ppu_core *core)
{
	struct ppu_ranks *s = core->ranks;

	ppu_event_cancel(core, &s->slice_ev);
	while (s->first)
		ppu_rank_forget_ctx(core, s->first->ctx);
	s->head_order = s->tail_order = 0;
	s->walk = 0;
	s->last_turn = s->contended = 0;
}

void ppu_ranks_destroy(struct ppu_core *core)
{
	if (!core->ranks)
		return;
	ppu_ranks_reset(core);
	ppu_free(core->ranks);
	core->ranks = NULL;
}

static void io_turn(struct ppu_core *core, struct ppu_io *io, struct turn *t)
{
	ppu_io_u64(io, &t->number);
	ppu_io_u64(io, &t->held);
	ppu_io_u64(io, &t->since);
	ppu_io_u64(io, &t->from);
	ppu_io_bool(io, &t->counting);
	if (io->version >= 14)
		ppu_io_bool(io, &t->held_before);
	if (io->loading && (t->number > core->ranks->last_turn || t->held >= slice(core) + core->cfg.window_ns ||
			    t->since > core->now || t->from >> 62))
		ppu_io_fail(io, "slots were held for an impossible time");
}

/* Version 13 had turns of contexts only, each its own owner. */
static void io_turns(struct ppu_core *core, struct ppu_io *io, struct ppu_rank_ctx *c)
{
	struct ppu_rank_owner *o = c->ctx->owner->rank;
	struct turn was = o->turn;

	io_turn(core, io, &o->turn);
	if (io->version < 14)
		return;
	ppu_io_u64(io, &o->kept);
	if (io->loading && o->kept > core->now + slice(core))
		ppu_io_fail(io, "an owner is waited for for too long");
	if (io->loading && o->num_ctxs > 1 && (was.number != o->turn.number || was.held != o->turn.held))
		ppu_io_fail(io, "an owner has two turns");
	io_turn(core, io, &c->turn);
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
	if (io->version >= 14 && n)
		ppu_io_u64(io, &s->contended);
	if (io->loading && (s->head_order > 0 || s->tail_order < 0 || s->head_order < -(1ll << 62) ||
			    s->tail_order > 1ll << 62 || s->last_turn >> 62 || s->contended > core->now))
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
		io_turns(core, io, c);
		if (!io->loading)
			c = c->next;
	}
	ppu_io_event(core, io, &s->slice_ev);
}
