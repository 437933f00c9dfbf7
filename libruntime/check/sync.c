/* SPDX-License-Identifier: MIT */
/*
 * synccheck: threads that wait for each other in a way that the language forbids, although this machine goes on.
 *
 * Kept for each thread of a block: the last instruction at which it needed others, and which of its warp lived when it got
 * there.  It is looked at when these go on together: who is missing, who came by another instruction, whose value was read.
 * A deadlock is told by the device, with the place of each thread; who waits for whom follows from what is kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hw/ppu_fault.h>
#include <hw/ppu_isa.h>
#include "check/cta.h"
#include "check/sync.h"

#define LANES		PPU_OBSERVE_LANES
#define WARPS		PPU_OBSERVE_WARPS
#define BARRIERS	16

bool chk_sync_strict;

struct wait {
	uint32_t pc, kind;
	bool masked;
	uint32_t live;			/* of its warp, when it came */
	uint32_t number, count;		/* of a barrier */
	uint32_t members;
};

struct warp {
	uint32_t here;			/* lanes that have not gone on yet */
	uint32_t alike;			/* lanes that came with `all`; the others have their own */
	struct wait all, own[LANES];
	uint32_t from[LANES];		/* of a shuffle */
	bool met;			/* it has been at a barrier */
};

struct cta {
	struct chk_cta is;
	uint32_t kinds[BARRIERS];	/* by which the threads that are at a barrier came: 1 << kind */
	bool astray;			/* threads have met at a barrier that should not: what comes then is a consequence */
	struct warp warp[];
};

static const char *const names[] = {
	[PPU_SEEN_BAR] = "barrier", [PPU_SEEN_BAR_ARRIVE] = "barrier", [PPU_SEEN_BAR_RED] = "barrier",
	[PPU_SEEN_WARPSYNC] = "warp barrier", [PPU_SEEN_VOTE] = "vote", [PPU_SEEN_SHFL] = "shuffle",
	[PPU_SEEN_MATCH] = "match", [PPU_SEEN_REDUX] = "reduction",
};

static bool is_barrier(uint32_t kind)
{
	return kind <= PPU_SEEN_BAR_RED;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static struct chk_ctas ctas;

static struct cta *cta_of(const struct ppu_seen_cta *s)
{
	return chk_cta_of(&ctas, s, sizeof(struct cta) + s->warps * sizeof(struct warp));
}

void chk_sync_cta_end(const struct ppu_seen_cta *c)
{
	chk_cta_end(&ctas, c);
}

void chk_sync_task_end(const struct ppu_seen_task *t)
{
	chk_cta_end_all(&ctas, t);
}

/* The lanes of a warp that there are. */
static uint32_t exist(const struct ppu_seen_cta *s, uint32_t warp)
{
	uint32_t n = s->task.block[0] * s->task.block[1] * s->task.block[2] - warp * LANES;

	return n < LANES ? (1u << n) - 1 : ~0u;
}

static unsigned count(uint32_t lanes)
{
	return (unsigned)__builtin_popcount(lanes);
}

static const struct wait *wait_of_lane(const struct warp *w, uint32_t lane)
{
	return w->alike >> lane & 1 ? &w->all : &w->own[lane];
}

static const struct wait *wait_of(const struct cta *c, uint32_t thread)
{
	return wait_of_lane(&c->warp[thread / LANES], thread % LANES);
}

/* ---- what is told ------------------------------------------------------------------------------ */

static void tell(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes, struct chk_finding *f)
{
	struct chk_place place;

	chk_place_of(c, at, lanes, &place);
	f->place = &place;
	chk_report(f);
}

/* The place of a thread that waits, or waited. */
static struct ppu_seen_warp warp_at(const struct ppu_seen_cta *s, uint32_t warp, uint32_t pc)
{
	return (struct ppu_seen_warp){ .cta = s, .warp = warp, .pc = pc };
}

/* The same for both orders. */
static uint64_t pair(uint32_t one, uint32_t two)
{
	return one < two ? (uint64_t)one << 32 | two : (uint64_t)two << 32 | one;
}

static void tell_pair(struct chk_ctx *c, const struct ppu_seen_cta *s, uint32_t one, uint32_t two, const struct cta *cta,
		      struct chk_finding *f)
{
	const struct wait *t = wait_of(cta, one), *u = wait_of(cta, two);
	struct ppu_seen_warp a = warp_at(s, one / LANES, t->pc), b = warp_at(s, two / LANES, u->pc);
	struct chk_place other;

	chk_place_of(c, &b, 1u << two % LANES, &other);
	f->other = &other;
	f->same = pair(t->pc, u->pc);
	tell(c, &a, 1u << one % LANES, f);
}

/* ---- threads come ------------------------------------------------------------------------------ */

static void tell_without_self(struct chk_ctx *c, const struct ppu_seen_sync *s)
{
	struct chk_finding f = { .kind = CHK_MASK_WITHOUT_SELF };
	uint32_t lanes = 0, first;

	FOR_LANES(l, s->masked ? s->lanes : 0)
		lanes |= s->members[l] >> l & 1 ? 0 : 1u << l;
	if (!lanes)
		return;
	first = (uint32_t)__builtin_ctz(lanes);
	snprintf(f.what, sizeof(f.what), "%s with mask 0x%x, which does not name lane %u that executes it", names[s->kind],
		 s->members[first], first);
	tell(c, &s->at, lanes, &f);
}

/* What the mask leaves out need not come: whether it has ended by now says nothing. */
static const char *why_absent(const struct ppu_seen_warp *at, uint32_t lane, uint32_t lanes, const struct wait *t)
{
	return !(at->exist >> lane & 1) ? "does not exist" : lanes >> lane & 1 ? "is not in the mask" :
	       t->masked && !(t->members >> lane & 1) ? "does not take part" :
	       !(at->live >> lane & 1) ? "has ended" : "does something else";
}

/* Lanes that read the value of one that takes no part. */
static void look_at_sources(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes, const struct warp *w)
{
	const struct wait *t = wait_of_lane(w, (uint32_t)__builtin_ctz(lanes));	/* lanes with one mask */
	uint32_t given = t->masked ? lanes & t->members : lanes, bad = 0, first;
	struct chk_finding f = { .kind = CHK_SHUFFLE_SOURCE, .by_line = true };	/* loops are unrolled */

	FOR_LANES(l, given == ~0u ? 0 : lanes)
		bad |= given >> w->from[l] & 1 ? 0 : 1u << l;
	if (!bad)
		return;
	first = (uint32_t)__builtin_ctz(bad);
	snprintf(f.what, sizeof(f.what), "shuffle reads the value of lane %u, which %s", w->from[first],
		 why_absent(at, w->from[first], lanes, t));
	tell(c, at, bad, &f);
}

static void tell_mixed(struct chk_ctx *c, const struct ppu_seen_sync *s, struct cta *cta, uint32_t lane)
{
	const uint32_t red = 1u << PPU_SEEN_BAR_RED;
	struct chk_finding f = { .kind = CHK_BARRIER_MISMATCH };
	uint32_t n = s->number[lane], *kinds;

	if (n >= BARRIERS)
		return;
	kinds = &cta->kinds[n];
	*kinds |= 1u << s->kind;
	if (cta->astray || !(*kinds & red) || *kinds == red)
		return;
	cta->astray = true;
	snprintf(f.what, sizeof(f.what), "barrier %u is reached by a reduction, and by others that do not reduce", n);
	tell(c, &s->at, s->lanes, &f);
}

/* PTX has barriers of whole warps; larger than any block is another mistake. */
static void tell_count(struct chk_ctx *c, const struct ppu_seen_sync *s)
{
	struct chk_finding f = { .kind = CHK_BARRIER_MISMATCH };
	uint32_t lanes = 0, first;

	FOR_LANES(l, s->lanes)
		lanes |= s->count[l] % LANES && s->count[l] < WARPS * LANES ? 1u << l : 0;
	if (!lanes)
		return;
	first = (uint32_t)__builtin_ctz(lanes);
	snprintf(f.what, sizeof(f.what), "barrier %u of %u threads, which is no multiple of %u", s->number[first], s->count[first],
		 LANES);
	tell(c, &s->at, lanes, &f);
}

static struct wait wait_now(const struct ppu_seen_sync *s, uint32_t lane)
{
	struct wait w = { .pc = s->at.pc, .kind = s->kind, .masked = s->masked, .live = s->at.live };

	if (is_barrier(s->kind)) {
		w.number = s->number[lane];
		w.count = s->count[lane];
	} else if (s->masked) {
		w.members = s->members[lane];
	}
	return w;
}

static bool all_alike(const struct ppu_seen_sync *s)
{
	bool barrier = is_barrier(s->kind);
	const uint32_t *a = barrier ? s->number : s->members, *b = barrier ? s->count : s->members;
	uint32_t first = (uint32_t)__builtin_ctz(s->lanes), differ = 0;

	FOR_LANES(l, barrier || s->masked ? s->lanes : 0)
		differ |= (a[l] ^ a[first]) | (b[l] ^ b[first]);
	return !differ;
}

/* Lanes that come now; they come again if they are here already, at this instruction.  Returns those that do. */
static uint32_t note(struct warp *w, const struct ppu_seen_sync *s)
{
	uint32_t again = 0, first = (uint32_t)__builtin_ctz(s->lanes);
	struct wait now = wait_now(s, first);

	FOR_LANES(l, s->lanes & w->here) {
		const struct wait *t = wait_of_lane(w, l);

		if (t->pc != now.pc || t->kind != now.kind)
			continue;
		again |= 1u << l;
		w->own[l].live = t->live;
	}
	FOR_LANES(l, w->alike & w->here & ~s->lanes)
		w->own[l] = w->all;
	w->here |= s->lanes;
	if (!again && all_alike(s)) {
		w->alike = s->lanes;
		w->all = now;
		return 0;
	}
	w->alike = 0;
	FOR_LANES(l, s->lanes) {
		uint32_t live = again >> l & 1 ? w->own[l].live : s->at.live;

		w->own[l] = wait_now(s, l);
		w->own[l].live = live;
	}
	return again;
}

void chk_sync_reach(struct chk_ctx *c, const struct ppu_seen_sync *s)
{
	struct cta *cta = cta_of(s->at.cta);
	struct warp *w = cta ? &cta->warp[s->at.warp] : NULL;
	uint32_t again;

	if (!cta)
		return;
	again = note(w, s);
	w->met |= is_barrier(s->kind);
	if (is_barrier(s->kind)) {
		tell_count(c, s);
		tell_mixed(c, s, cta, (uint32_t)__builtin_ctz(s->lanes));
	} else if (s->lanes & ~again) {
		tell_without_self(c, s);
	}
	if (s->kind != PPU_SEEN_SHFL)
		return;
	memcpy(w->from, s->from, sizeof(w->from));
	if (!s->masked)
		look_at_sources(c, &s->at, s->lanes, w);
}

/* ---- lanes go on ------------------------------------------------------------------------------- */

/* Lanes that the mask names have ended, and so the others did not wait for them any more. */
static void look_at_members(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes, const struct wait *t)
{
	uint32_t gone = t->members & at->exist & ~lanes, awaited = gone & t->live;
	struct ppu_seen_warp where = *at;
	struct chk_finding f = { .kind = CHK_MASK_EXITED };

	if (!t->masked || !(awaited || (gone && chk_sync_strict)))
		return;
	where.pc = t->pc;
	if (awaited)
		snprintf(f.what, sizeof(f.what), "%s with mask 0x%x waited for lanes 0x%x, which ended without it",
			 names[t->kind], t->members, awaited);
	else
		snprintf(f.what, sizeof(f.what), "%s with mask 0x%x, whose lanes 0x%x had ended before", names[t->kind],
			 t->members, gone);
	tell(c, &where, lanes, &f);
}

void chk_sync_warp(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes)
{
	struct cta *cta = cta_of(at->cta);
	struct warp *w = cta ? &cta->warp[at->warp] : NULL;
	const struct wait *t;

	if (!cta)
		return;
	t = wait_of_lane(w, (uint32_t)__builtin_ctz(lanes));
	look_at_members(c, at, lanes, t);
	if (t->kind == PPU_SEEN_SHFL)
		look_at_sources(c, at, lanes, w);
	w->here &= ~lanes;
}

/* ---- barriers open ----------------------------------------------------------------------------- */

/*
 * Threads that a barrier needs, and that have not come: they have ended.  A whole warp may end without a barrier, as of Volta;
 * but one that has been at a barrier before has done a round less.
 */
static unsigned missing(const struct ppu_seen_barrier *b, const struct cta *cta, uint32_t needs, uint32_t *first)
{
	unsigned absent = 0, came = 0;

	for (uint32_t w = b->cta->warps; w--;) {
		uint32_t lanes = exist(b->cta, w) & ~b->arrived[w];

		/* Counted are the threads of a warp of which some come, and those that it does not have. */
		came += needs && b->arrived[w] ? count(b->arrived[w]) + LANES - count(exist(b->cta, w)) : 0;
		if (!lanes || (needs && !b->arrived[w]) || (!b->arrived[w] && !cta->warp[w].met && !chk_sync_strict))
			continue;
		absent += count(lanes);
		*first = w * LANES + (uint32_t)__builtin_ctz(lanes);
	}
	return needs && came >= needs ? 0 : absent;
}

static void tell_exited(struct chk_ctx *c, const struct ppu_seen_barrier *b, const struct cta *cta, uint32_t waits)
{
	struct chk_finding f = { .kind = CHK_BARRIER_EXITED };
	const struct wait *t = wait_of(cta, waits);
	struct ppu_seen_warp at = warp_at(b->cta, waits / LANES, t->pc);
	struct chk_place other;
	uint32_t gone = 0;
	unsigned n = missing(b, cta, t->count, &gone);
	struct ppu_seen_warp of_gone = warp_at(b->cta, gone / LANES, 0);

	if (!n)
		return;
	chk_place_of(c, &of_gone, 1u << gone % LANES, &other);
	snprintf(f.what, sizeof(f.what), "barrier %u opens without %u thread%s of the block, from (%u,%u,%u) on, which ended without "
		 "reaching it", b->number, n, n == 1 ? "" : "s", other.thread[0], other.thread[1], other.thread[2]);
	tell(c, &at, b->waiting[waits / LANES], &f);
}

/*
 * Threads that wait at one barrier by different instructions: of a warp, or of the block if all its threads shall meet.  The
 * hardware goes on, but somebody has missed a barrier, most likely.
 */
static void look_at_places(struct chk_ctx *c, const struct ppu_seen_barrier *b, struct cta *cta, uint32_t first)
{
	struct chk_finding f = { .kind = CHK_BARRIER_DIVERGENT, .other_does = "waits at the same barrier at another instruction" };
	const struct wait *t = wait_of(cta, first);

	for (uint32_t w = first / LANES; w < b->cta->warps; w++) {
		const struct warp *warp = &cta->warp[w];
		uint32_t lanes = b->waiting[w];

		if (!lanes)
			continue;
		if (t->count) {
			first = w * LANES + (uint32_t)__builtin_ctz(lanes);
			t = wait_of(cta, first);
		}
		if (!(lanes & ~warp->alike))	/* one stands for all */
			lanes &= -lanes;
		FOR_LANES(l, lanes) {
			if (wait_of_lane(warp, l)->pc == t->pc)
				continue;
			snprintf(f.what, sizeof(f.what), "barrier %u is reached by threads of a %s at different instructions",
				 b->number, w == first / LANES ? "warp" : "block");
			tell_pair(c, b->cta, first, w * LANES + l, cta, &f);
			cta->astray = true;
			return;
		}
	}
}

void chk_sync_barrier(struct chk_ctx *c, const struct ppu_seen_barrier *b)
{
	struct cta *cta = cta_of(b->cta);
	uint32_t first = 0;

	if (!cta || b->number >= BARRIERS)	/* the cluster's: nobody says where its threads wait */
		return;
	while (first < b->cta->warps && !b->waiting[first])
		first++;
	if (first < b->cta->warps && !cta->astray) {
		first = first * LANES + (uint32_t)__builtin_ctz(b->waiting[first]);
		tell_exited(c, b, cta, first);
		look_at_places(c, b, cta, first);
	}
	cta->kinds[b->number] = 0;
	for (uint32_t w = 0; w < b->cta->warps; w++)
		cta->warp[w].here &= ~b->waiting[w];
}

/* ---- nobody goes on ---------------------------------------------------------------------------- */

#define MOST_GROUPS	32

struct group {				/* threads that wait for the same thing at the same place */
	uint32_t lanes[WARPS], awaits[WARPS];
	uint32_t first;			/* thread */
};

struct knot {
	const struct ppu_seen_cta *cta;
	const uint32_t *live;
	const struct cta *its;
	struct group group[MOST_GROUPS];
	unsigned n;
};

/* Do these threads wait together? */
static bool together(const struct wait *a, const struct wait *b, bool same_warp, bool same_place)
{
	if (is_barrier(a->kind) != is_barrier(b->kind))
		return false;
	if (is_barrier(a->kind))
		return a->number == b->number && (!same_place || a->pc == b->pc);
	return same_warp && a->kind == b->kind && a->members == b->members &&
	       (a->pc == b->pc || (a->kind == PPU_SEEN_WARPSYNC && !same_place));
}

static void make_groups(struct knot *k)
{
	for (uint32_t t = 0; t < k->cta->warps * LANES; t++) {
		unsigned g = 0;

		if (!(k->live[t / LANES] >> t % LANES & 1))
			continue;
		while (g < k->n && !together(wait_of(k->its, k->group[g].first), wait_of(k->its, t),
					     k->group[g].first / LANES == t / LANES, true))
			g++;
		if (g == MOST_GROUPS)
			continue;
		if (g == k->n)
			k->group[k->n++].first = t;
		k->group[g].lanes[t / LANES] |= 1u << t % LANES;
	}
}

/* Threads that live, and have not come to where the group is. */
static void find_awaited(const struct knot *k, struct group *g)
{
	const struct wait *w = wait_of(k->its, g->first);

	for (uint32_t t = 0; t < k->cta->warps * LANES; t++) {
		bool same_warp = t / LANES == g->first / LANES;

		if (!(k->live[t / LANES] >> t % LANES & 1) || together(w, wait_of(k->its, t), same_warp, false) ||
		    (!is_barrier(w->kind) && !(same_warp && w->members >> t % LANES & 1)))
			continue;
		g->awaits[t / LANES] |= 1u << t % LANES;
	}
}

static unsigned threads_of(const uint32_t *lanes, uint32_t *first)
{
	unsigned n = 0;

	for (uint32_t w = WARPS; w--;)
		if (lanes[w]) {
			n += count(lanes[w]);
			*first = w * LANES + (uint32_t)__builtin_ctz(lanes[w]);
		}
	return n;
}

/* "thread (0,0,0) and 31 more" */
static void name_threads(const struct knot *k, const uint32_t *lanes, char *buf, size_t len)
{
	const uint32_t *b = k->cta->task.block;
	uint32_t t = 0;
	unsigned n = threads_of(lanes, &t);
	int at = snprintf(buf, len, "thread (%u,%u,%u)", t % b[0], t / b[0] % b[1], t / b[0] / b[1]);

	if (n > 1)
		snprintf(buf + at, len - (size_t)at, " and %u more", n - 1);
}

static void name_wait(struct chk_ctx *c, const struct knot *k, const struct group *g, char *buf, size_t len)
{
	const struct wait *w = wait_of(k->its, g->first);
	struct ppu_seen_warp at = warp_at(k->cta, g->first / LANES, w->pc);
	char who[64], whom[64] = "more threads, but there are none", where[512] = "", what[64];
	struct chk_place p;
	uint32_t first;

	name_threads(k, g->lanes, who, sizeof(who));
	if (threads_of(g->awaits, &first))
		name_threads(k, g->awaits, whom, sizeof(whom));
	chk_place_of(c, &at, 1u << g->first % LANES, &p);
	if (p.after_file)
		snprintf(where, sizeof(where), " after %s:%u", p.after_file, p.after_line);
	else if (p.file)
		snprintf(where, sizeof(where), ", %s:%u", p.file, p.line);
	if (!is_barrier(w->kind))
		snprintf(what, sizeof(what), "%s with mask 0x%x", names[w->kind], w->members);
	else if (w->count)
		snprintf(what, sizeof(what), "barrier %u of %u threads", w->number, w->count);
	else
		snprintf(what, sizeof(what), "barrier %u of all threads", w->number);
	snprintf(buf, len, "%s at %s%s, pc %u, for %s", who, what, where, w->pc, whom);
}

/* Of each group the one that it waits for, until one comes again: *from is the place in order[] where the circle begins. */
static unsigned follow(const struct knot *k, unsigned *order, unsigned *from)
{
	unsigned n = 0, g = 0, i;
	uint32_t first;

	for (;;) {
		for (i = 0; i < n && order[i] != g; i++)
			;
		*from = i;
		if (i < n)
			return n;
		order[n++] = g;
		if (!threads_of(k->group[g].awaits, &first))
			break;
		for (i = 0; i < k->n && !(k->group[i].lanes[first / LANES] >> first % LANES & 1); i++)
			;
		if (i == k->n)
			break;
		g = i;
	}
	*from = n - 1;			/* nobody can come */
	return n;
}

static void tell_deadlock(struct chk_ctx *c, const struct ppu_seen_stuck *s, const struct cta *cta)
{
	struct knot k = { .cta = s->at.cta, .live = s->live, .its = cta };
	char text[MOST_GROUPS][768];
	const char *line[MOST_GROUPS];
	struct chk_finding f = { .kind = CHK_DEADLOCK, .waits = line };
	unsigned order[MOST_GROUPS], from, n;
	const struct group *g;
	struct ppu_seen_warp at;
	uint32_t first = 0;

	make_groups(&k);
	for (unsigned i = 0; i < k.n; i++)
		find_awaited(&k, &k.group[i]);
	n = follow(&k, order, &from);
	for (; from < n; from++) {
		name_wait(c, &k, &k.group[order[from]], text[f.num_waits], sizeof(text[0]));
		line[f.num_waits] = text[f.num_waits];
		f.num_waits++;
	}
	g = &k.group[order[n - f.num_waits]];
	at = warp_at(k.cta, g->first / LANES, wait_of(cta, g->first)->pc);
	snprintf(f.what, sizeof(f.what), "no thread of the block can go on: %s",
		 threads_of(g->awaits, &first) ? "they wait for each other" : "they wait for threads that cannot come");
	tell(c, &at, g->lanes[g->first / LANES], &f);
}

/* A thread that waits at the barrier with another count; its own number: there is none. */
static uint32_t who_differs(const struct ppu_seen_stuck *s, const struct cta *cta, uint32_t t)
{
	const struct wait *me = wait_of(cta, t);

	for (uint32_t i = 0; i < s->at.cta->warps * LANES; i++) {
		const struct wait *w = wait_of(cta, i);

		if (cta->warp[i / LANES].here >> i % LANES & 1 && is_barrier(w->kind) && w->number == me->number &&
		    w->count != me->count)
			return i;
	}
	return t;
}

static void tell_bad_barrier(struct chk_ctx *c, const struct ppu_seen_stuck *s, const struct cta *cta)
{
	uint32_t t = s->at.warp * LANES + s->lane, other = who_differs(s, cta, t);
	const struct wait *w = wait_of(cta, t);
	struct chk_finding f = { .kind = CHK_BARRIER_MISMATCH };
	char does[64];
	int n = snprintf(f.what, sizeof(f.what), "barrier %u of ", w->number);

	n += snprintf(f.what + n, sizeof(f.what) - (size_t)n, w->count ? "%u threads" : "all threads", w->count);
	if (w->number >= BARRIERS || w->count > WARPS * LANES || other == t) {
		snprintf(f.what + n, sizeof(f.what) - (size_t)n, ": there is none");
		tell(c, &s->at, 1u << s->lane, &f);
		return;
	}
	snprintf(f.what + n, sizeof(f.what) - (size_t)n, ": others wait there for another number of threads");
	snprintf(does, sizeof(does), wait_of(cta, other)->count ? "waits at it for %u threads" :
		 "waits at it for all threads", wait_of(cta, other)->count);
	f.other_does = does;
	tell_pair(c, s->at.cta, t, other, cta, &f);
}

void chk_sync_stuck(struct chk_ctx *c, const struct ppu_seen_stuck *s)
{
	const struct cta *cta = cta_of(s->at.cta);

	if (cta && s->error == PPU_ERR_DEADLOCK)
		tell_deadlock(c, s, cta);
	else if (cta)
		tell_bad_barrier(c, s, cta);
}
