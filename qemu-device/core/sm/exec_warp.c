/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that look across lanes: barriers, votes, shuffles, matches, reductions; and special
 * registers.
 *
 * A barrier counts threads, not warps.  A group of lanes that cannot complete a barrier, or an
 * instruction with a member mask, waits in a yield token that leads back to the instruction
 * (A-SIMT-25).  What has been counted stays counted: a lane is in bar_wait (or sync_wait) from its
 * arrival until it is released, and in bar_rel from then until it has gone on.
 */
#include <string.h>
#include <hw/ppu_observe.h>
#include "core/sm/cluster/cluster.h"
#include "core/sm/diverge.h"
#include "core/sm/exec_warp.h"
#include "core/sm/observe.h"
#include "core/sm/warp.h"

#define FOR_LANES(i, mask) \
	for (uint32_t left_##i = (mask), i; left_##i && (i = (uint32_t)__builtin_ctz(left_##i), 1); left_##i &= left_##i - 1)

/* ---- CTA barriers --------------------------------------------------------------------------------- */

#define BAR_AND		(1u << 30)
#define BAR_OR		(1u << 31)

/* Without the host's instruction for it, counting costs a call; most sets are whole or empty. */
static unsigned count_lanes(uint32_t lanes)
{
	return lanes == ~0u ? PPU_LANES : lanes ? (unsigned)__builtin_popcount(lanes) : 0;
}

static void open_barrier(struct ppu_sm *sm, struct ppu_warp *w, struct ppu_cta *cta, unsigned n)
{
	struct ppu_barrier *b = &cta->bar[n];
	uint32_t count = 0, threads = 0, result;
	unsigned i;

	for (i = 0; i < cta->num_warps; i++) {
		threads += count_lanes(b->arrived[i]);
		count += count_lanes(b->value[i]);
	}
	result = count | (count == threads ? BAR_AND : 0) | (count ? BAR_OR : 0);
	PPU_SM_TRACE(sm, w, BAR_RELEASE, n, threads, 0);
	ppu_observe_barrier(sm, cta, n);
	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *o = &sm->warp[cta->warp[i]];
		uint32_t lanes = b->waiting[i];

		b->arrived[i] = b->waiting[i] = b->value[i] = 0;
		if (!lanes)
			continue;
		if (lanes == ~0u) {
			_Pragma("GCC unroll 8")
			for (unsigned l = 0; l < PPU_LANES; l++)
				o->bar_val[l] = result;
		} else {
			FOR_LANES(l, lanes)
				o->bar_val[l] = result;
		}
		o->bar_wait &= ~lanes;
		o->bar_rel |= lanes;
		ppu_warp_unpark(sm, o, lanes);
	}
	b->busy = b->odd = false;
	b->count = b->full = 0;
	cta->busy_bars &= ~(1u << n);
}

/* Have all threads arrived?  Lanes that have ended count as arrived, and so do the lanes that the last warp
 * of a CTA lacks. */
static bool barrier_complete(const struct ppu_sm *sm, const struct ppu_cta *cta,
			     const struct ppu_barrier *b)
{
	uint32_t sum = 0;
	unsigned i;

	for (i = 0; i < cta->num_warps; i++) {
		const struct ppu_warp *w = &sm->warp[cta->warp[i]];
		bool all = !(w->live & ~b->arrived[i]);

		if (!b->count && !all)
			return false;
		if (b->arrived[i])
			sum += all ? PPU_LANES : (unsigned)__builtin_popcount(b->arrived[i]);
	}
	return sum >= b->count;
}

void ppu_bar_lanes_ended(struct ppu_sm *sm, struct ppu_warp *w)
{
	uint32_t left;

	for (left = w->cta->busy_bars; left; left &= left - 1) {
		unsigned n = (unsigned)__builtin_ctz(left);

		if (n == PPU_CLUSTER_BARRIER)
			ppu_cluster_lanes_ended(sm, w);
		else if (w->cta->bar[n].busy && barrier_complete(sm, w->cta, &w->cta->bar[n]))
			open_barrier(sm, w, w->cta, n);
	}
}

static uint32_t bar_number(const struct ppu_warp *w, const struct ppu_dinsn *di, unsigned lane)
{
	return di->x & 1 ? di->imm >> 28 : w->v.row[di->a][lane];
}

static uint32_t bar_count(const struct ppu_warp *w, const struct ppu_dinsn *di, unsigned lane)
{
	return di->bi ? di->imm & 0xffff : w->v.row[di->b][lane];
}

/* The common barrier: all 32 lanes of a warp at a BAR.SYNC of all threads, nobody of the warp waits elsewhere, no
 * trace of it.  Does what ppu_h_bar() would do. */
static bool is_plain(const struct ppu_sm *sm, const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const struct ppu_barrier *b = &w->cta->bar[di->imm >> 28];
	const uint32_t classes = PPU_TRCLASS_DIVERGENCE | PPU_TRCLASS_BARRIERS;

	return mask == ~0u && w->live == ~0u && di->m == PPU_BAR_SYNC && (di->x & 1) &&
	       (di->bi ? !(di->imm & 0xffff) : di->b == PPU_ROW_ZERO(w->prog->nregs)) && !w->bar_wait &&
	       !(b->busy && (b->count || b->odd)) && !ppu_tokq_count(&w->q) && w->q.tail >= 0 &&
	       sm->core->cfg.yield_every <= 1 && !(ppu_tracing(sm->core) && (sm->core->cfg.trace_classes & classes));
}

static enum ppu_step plain_barrier(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di)
{
	struct ppu_cta *cta = w->cta;
	uint32_t n = di->imm >> 28;
	struct ppu_barrier *b = &cta->bar[n];

	b->busy = true;
	b->count = 0;
	cta->busy_bars |= 1u << n;
	b->arrived[w->index] = b->waiting[w->index] = ~0u;
	b->value[w->index] = ppu_warp_pred(w, di->ps, di->psn);
	b->full++;
	sm->ctr[PPU_CTR_BARRIERS]++;
	if (b->full + cta->done_warps == cta->num_warps) {
		open_barrier(sm, w, cta, n);
		w->bar_rel = 0;
		w->pc++;
		return PPU_GO;
	}
	w->bar_wait = ~0u;
	return ppu_warp_park_all(sm, w);
}

/* Not among the instructions of those that are right. */
static __attribute__((noinline, cold))
enum ppu_step bad_barrier(struct ppu_sm *sm, struct ppu_warp *w, unsigned lane, uint32_t n)
{
	ppu_observe_stuck(sm, w, PPU_ERR_BAD_BARRIER, lane);
	return ppu_sm_fault(sm, w, PPU_ERR_BAD_BARRIER, lane, n, PPU_ACC_EXEC, 0);
}

enum ppu_step ppu_h_bar(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	struct ppu_cta *cta = w->cta;
	uint32_t value = ppu_warp_pred(w, di->ps, di->psn), todo, done, again = 0, others;

	if (is_plain(sm, w, di, mask)) {
		if (!w->bar_rel)
			return plain_barrier(sm, w, di);
		if (w->bar_rel == ~0u) {
			w->bar_rel = 0;
			w->pc++;
			return PPU_GO;
		}
	}
	/* Count the lanes that have not been counted, one barrier number at a time. */
	for (todo = mask & ~(w->bar_wait | w->bar_rel); todo;) {
		unsigned lane = (unsigned)__builtin_ctz(todo);
		uint32_t n = bar_number(w, di, lane), lanes = todo, count;
		struct ppu_barrier *b;

		if (!(di->x & 1)) {
			lanes = 0;
			FOR_LANES(l, todo)
				if (bar_number(w, di, l) == n)
					lanes |= 1u << l;
		}
		todo &= ~lanes;
		count = bar_count(w, di, lane);
		if (n >= PPU_NUM_BARRIERS || count > PPU_MAX_THREADS_PER_CTA)
			return bad_barrier(sm, w, lane, n);
		b = &cta->bar[n];
		if (b->busy && b->count != count)
			return bad_barrier(sm, w, lane, n);
		b->busy = b->odd = true;
		cta->busy_bars |= 1u << n;
		b->count = count;
		b->arrived[w->index] |= lanes;
		b->value[w->index] |= lanes & value;
		if (di->m != PPU_BAR_ARRIVE) {
			b->waiting[w->index] |= lanes;
			w->bar_wait |= lanes;
			sm->ctr[PPU_CTR_BARRIERS]++;
		}
		PPU_SM_TRACE(sm, w, BAR_ARRIVE, n, lanes, count);
		if (barrier_complete(sm, cta, b))
			open_barrier(sm, w, cta, n);
	}
	if (di->m == PPU_BAR_ARRIVE) {
		w->pc++;
		return PPU_GO;
	}
	done = mask & w->bar_rel;
	/* Lanes of this warp that were released at this very instruction go on together with the active
	 * lanes: a warp leaves a barrier converged. */
	others = ppu_warp_waiting(w, PPU_WAIT(PPU_REASON_YIELD, w->pc), w->live & ~w->active) & w->bar_rel;
	if (done && others)
		again = done;
	if ((again | (mask & w->bar_wait)) && ppu_warp_prepare_park(sm, w) != PPU_GO)
		return PPU_SWITCH;
	if (!again)
		w->bar_rel &= ~done;
	if (!again && di->m != PPU_BAR_SYNC) {
		uint32_t and = 0, or = 0;

		FOR_LANES(l, done) {
			and |= w->bar_val[l] & BAR_AND ? 1u << l : 0;
			or |= w->bar_val[l] & BAR_OR ? 1u << l : 0;
			if (di->m == PPU_BAR_RED_POPC)
				w->v.row[di->d][l] = w->bar_val[l] & 0xffff;
		}
		if (di->m == PPU_BAR_RED_AND || di->m == PPU_BAR_RED_OR)
			ppu_warp_set_pred(w, di->pd, done, di->m == PPU_BAR_RED_AND ? and : or);
	}
	return ppu_warp_park(sm, w, again, mask & w->bar_wait);
}

/* ---- member masks ------------------------------------------------------------------------------------ */

static uint32_t member(const struct ppu_warp *w, const struct ppu_dinsn *di, const uint32_t *row,
		       uint32_t imm, unsigned lane)
{
	return row ? row[lane] : imm;
}

enum ppu_step ppu_h_warpsync(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const uint32_t *row = di->bi ? NULL : w->v.row[di->b];
	uint32_t todo, done, again = 0, others;

	for (todo = mask & ~w->bar_rel; todo;) {
		uint32_t members = member(w, di, row, di->imm, (unsigned)__builtin_ctz(todo));
		uint32_t lanes = 0, here = 0;

		FOR_LANES(l, todo)
			if (member(w, di, row, di->imm, l) == members)
				lanes |= 1u << l;
		todo &= ~lanes;
		w->sync_wait |= lanes;
		FOR_LANES(l, lanes)
			w->bar_val[l] = members;
		/* Lanes may wait for one another at different WARPSYNCs. */
		FOR_LANES(l, w->sync_wait)
			if (w->bar_val[l] == members)
				here |= 1u << l;
		if (members & w->live & ~here)
			continue;
		w->sync_wait &= ~here;
		w->bar_rel |= here;
		ppu_observe_warp(sm, w, here);
		ppu_warp_unpark(sm, w, here);
	}
	done = mask & w->bar_rel;
	others = ppu_warp_waiting(w, PPU_WAIT(PPU_REASON_YIELD, w->pc), w->live & ~w->active) & w->bar_rel;
	if (done && others)
		again = done;
	if ((again | (mask & w->sync_wait)) && ppu_warp_prepare_park(sm, w) != PPU_GO)
		return PPU_SWITCH;
	if (!again)
		w->bar_rel &= ~done;
	return ppu_warp_park(sm, w, again, mask & w->sync_wait);
}

/* Lanes of `among` that have the same member mask as the lowest lane of `among`; *rest: the other lanes. */
static uint32_t same_members(const struct ppu_warp *w, const struct ppu_dinsn *di,
			     const uint32_t *row, uint32_t imm, uint32_t among, uint32_t *rest)
{
	uint32_t members, lanes = 0;
	unsigned i;

	if (!row) {
		*rest = 0;
		return among;
	}
	members = row[__builtin_ctz(among)];
	for (i = 0; i < PPU_LANES; i++)
		lanes |= (uint32_t)(row[i] == members) << i;
	*rest = among & ~lanes;
	return among & lanes;
}

/* What a complete set of lanes does; `lanes` execute with member mask `members`. */
typedef void (*collective_fn)(struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes,
			      uint32_t members);

/*
 * Lanes with the same member mask do fn together once all live members are among them.  The others wait at
 * this instruction, at which the missing lanes will arrive.
 */
static enum ppu_step collective(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di,
				uint32_t mask, const uint32_t *row, uint32_t imm, collective_fn fn)
{
	uint32_t back = 0, wait = 0, todo, together;

	for (todo = mask; todo;) {
		uint32_t lanes = same_members(w, di, row, imm, todo, &todo);

		if (member(w, di, row, imm, (unsigned)__builtin_ctz(lanes)) & w->live & ~lanes)
			back |= lanes;
	}
	if (back && ppu_warp_prepare_park(sm, w) != PPU_GO)
		return PPU_SWITCH;
	for (todo = mask & ~back; todo;) {
		uint32_t lanes = same_members(w, di, row, imm, todo, &todo);

		ppu_observe_warp(sm, w, lanes);
		fn(w, di, lanes, member(w, di, row, imm, (unsigned)__builtin_ctz(lanes)));
	}
	if (!back) {
		w->pc++;
		return PPU_GO;
	}
	/* Is a set complete together with lanes that wait at this instruction already?  Then its lanes need
	 * not wait. */
	together = back | ppu_warp_waiting(w, PPU_WAIT(PPU_REASON_YIELD, w->pc), w->live & ~w->active);
	for (todo = back; todo;) {
		uint32_t rest, lanes, mine;
		unsigned first = (unsigned)__builtin_ctz(todo);

		mine = same_members(w, di, row, imm, todo, &todo);
		lanes = mine;
		for (rest = together & ~mine; rest;) {
			uint32_t set = same_members(w, di, row, imm, rest, &rest);

			if (member(w, di, row, imm, (unsigned)__builtin_ctz(set)) ==
			    member(w, di, row, imm, first))
				lanes |= set;
		}
		if (member(w, di, row, imm, first) & w->live & ~lanes)
			wait |= mine;
		else
			ppu_warp_unpark(sm, w, lanes);
	}
	return ppu_warp_park(sm, w, back & ~wait, wait);
}

static void do_vote(struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes, uint32_t members)
{
	uint32_t among = lanes & members, yes = ppu_warp_pred(w, di->ps, di->psn) & among, r;

	switch (di->m) {
	case PPU_VOTE_BALLOT:
		FOR_LANES(l, lanes)
			w->v.row[di->d][l] = yes;
		return;
	case PPU_VOTE_ALL:	r = yes == among; break;
	case PPU_VOTE_ANY:	r = yes != 0; break;
	default:		r = yes == among || !yes; break;
	}
	ppu_warp_set_pred(w, di->pd, lanes, r ? ~0u : 0);
}

enum ppu_step ppu_h_vote(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	if (di->x & 1) {
		do_vote(w, di, mask, mask);
		w->pc++;
		return PPU_GO;
	}
	return collective(sm, w, di, mask, w->v.row[di->a], 0, do_vote);
}

/* Source lane of every lane, and whether it lies in the lane's segment. */
static inline __attribute__((always_inline)) uint32_t shfl_sources(unsigned mode, const uint32_t *b, const uint32_t *c, uint32_t *from)
{
	uint32_t ok = 0, in, i;

	for (i = 0; i < PPU_LANES; i++) {
		uint32_t bv = b[i] & 31, seg = c[i] >> 8 & 31, clamp = c[i] & 31, j;
		uint32_t max = (i & seg) | (clamp & ~seg);

		j = mode == PPU_SHFL_UP ? i - bv : mode == PPU_SHFL_DOWN ? i + bv :
		    mode == PPU_SHFL_BFLY ? i ^ bv : (i & seg) | (bv & ~seg);
		in = mode == PPU_SHFL_UP ? (int32_t)j >= (int32_t)max : j <= max;
		from[i] = in ? j & 31 : i;
		ok |= in << i;
	}
	return ok;
}

uint32_t ppu_shfl_sources(const struct ppu_dinsn *di, uint32_t *from)
{
	uint32_t b[PPU_LANES], c[PPU_LANES], i;

	for (i = 0; i < PPU_LANES; i++) {
		b[i] = di->imm & 0xffff;
		c[i] = di->imm >> 16;
	}
	return shfl_sources(di->m, b, c, from);
}

/* A source lane that takes no part, because it does something else, has ended or is no member, gives 0. */
PPU_SIMD_CLONES
static void do_shfl(struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes, uint32_t members)
{
	uint32_t own[PPU_LANES], src[PPU_LANES], from[PPU_LANES], bi[PPU_LANES], ci[PPU_LANES], ok, i;
	const uint32_t given = lanes & members;
	const uint32_t *b = w->v.row[di->b], *c = w->v.row[di->c];
	uint32_t *d = w->v.row[di->d];

	if (di->bi) {
		for (i = 0; i < PPU_LANES; i++)
			bi[i] = di->imm & 0xffff;
		b = bi;
	}
	if (di->ci) {
		for (i = 0; i < PPU_LANES; i++)
			ci[i] = di->imm >> 16;
		c = ci;
	}
	switch (di->m) {	/* the mode as a constant: straight loops */
	case PPU_SHFL_UP:	ok = shfl_sources(PPU_SHFL_UP, b, c, from); break;
	case PPU_SHFL_DOWN:	ok = shfl_sources(PPU_SHFL_DOWN, b, c, from); break;
	case PPU_SHFL_BFLY:	ok = shfl_sources(PPU_SHFL_BFLY, b, c, from); break;
	default:		ok = shfl_sources(PPU_SHFL_IDX, b, c, from); break;
	}
	memcpy(own, w->v.row[di->a], sizeof(own));
	for (i = 0; i < PPU_LANES; i++)
		src[i] = given >> i & 1 ? own[i] : 0;
	for (i = 0; i < PPU_LANES; i++) {
		uint32_t v = ok >> i & 1 ? src[from[i]] : own[i];

		d[i] = lanes >> i & 1 ? v : d[i];
	}
	ppu_warp_set_pred(w, di->pd, lanes, ok);
}

enum ppu_step ppu_h_shfl(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	switch (di->x) {
	case 0:
		do_shfl(w, di, mask, mask);
		w->pc++;
		return PPU_GO;
	case 1:
		return collective(sm, w, di, mask, w->v.row[di->imm64], 0, do_shfl);
	default:
		return collective(sm, w, di, mask, NULL, ~0u, do_shfl);
	}
}

static void do_match(struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes, uint32_t members)
{
	bool is64 = di->t == PPU_T_U64;
	uint64_t v[PPU_LANES];
	uint32_t among = lanes & members, out[PPU_LANES], all = 1;

	FOR_LANES(l, lanes)
		v[l] = is64 ? ppu_pair_get(&w->v, di->a, l) : w->v.row[di->a][l];
	FOR_LANES(l, lanes) {
		out[l] = 0;
		FOR_LANES(k, among)
			if (v[k] == v[l])
				out[l] |= 1u << k;
		if (among >> l & 1)
			all &= out[l] == among;
	}
	FOR_LANES(l, lanes)
		w->v.row[di->d][l] = di->m == PPU_MATCH_ANY ? out[l] : all ? among : 0;
	if (di->m == PPU_MATCH_ALL)
		ppu_warp_set_pred(w, di->pd, lanes, all ? ~0u : 0);
}

enum ppu_step ppu_h_match(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	return collective(sm, w, di, mask, di->bi ? NULL : w->v.row[di->b], di->imm, do_match);
}

static void do_redux(struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes, uint32_t members)
{
	const uint32_t *a = w->v.row[di->a];
	uint32_t among = lanes & members, r;

	if (!among)
		among = lanes;
	r = a[__builtin_ctz(among)];
	FOR_LANES(l, among & (among - 1)) {
		uint32_t x = a[l];

		switch (di->u) {
		case PPU_ATOM_ADD: r += x; break;
		case PPU_ATOM_AND: r &= x; break;
		case PPU_ATOM_OR:  r |= x; break;
		case PPU_ATOM_XOR: r ^= x; break;
		case PPU_ATOM_MIN:
			if (di->t == PPU_T_S32 ? (int32_t)x < (int32_t)r : x < r)
				r = x;
			break;
		default:
			if (di->t == PPU_T_S32 ? (int32_t)x > (int32_t)r : x > r)
				r = x;
			break;
		}
	}
	FOR_LANES(l, lanes)
		w->v.row[di->d][l] = r;
}

enum ppu_step ppu_h_redux(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	return collective(sm, w, di, mask, di->bi ? NULL : w->v.row[di->b], di->imm, do_redux);
}

/* ---- for observers ------------------------------------------------------------------------------------- */

/* The members that each lane names; NULL: the instruction has no mask. */
static const uint32_t *member_row(const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t *imm)
{
	*imm = di->imm;
	switch (di->op) {
	case PPU_OP_VOTE:
		return w->v.row[di->a];
	case PPU_OP_SHFL:
		*imm = ~0u;
		return di->x == 1 ? w->v.row[di->imm64] : NULL;
	default:
		return di->bi ? NULL : w->v.row[di->b];
	}
}

static void see_shuffle(const struct ppu_warp *w, const struct ppu_dinsn *di, struct ppu_seen_sync *s)
{
	uint32_t b[PPU_LANES], c[PPU_LANES], i;

	for (i = 0; i < PPU_LANES; i++) {
		b[i] = di->bi ? di->imm & 0xffff : w->v.row[di->b][i];
		c[i] = di->ci ? di->imm >> 16 : w->v.row[di->c][i];
	}
	shfl_sources(di->m, b, c, s->from);
}

void ppu_warp_see_sync(const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask, struct ppu_seen_sync *s)
{
	const uint32_t *row;
	uint32_t imm, i;

	s->lanes = mask;
	s->masked = 0;
	switch (di->op) {
	case PPU_OP_BAR:
		s->kind = di->m == PPU_BAR_SYNC ? PPU_SEEN_BAR : di->m == PPU_BAR_ARRIVE ? PPU_SEEN_BAR_ARRIVE :
			  PPU_SEEN_BAR_RED;
		s->lanes &= ~(w->bar_wait | w->bar_rel);
		for (i = 0; i < PPU_LANES; i++) {
			s->number[i] = bar_number(w, di, i);
			s->count[i] = bar_count(w, di, i);
		}
		return;
	case PPU_OP_WARPSYNC:
		s->kind = PPU_SEEN_WARPSYNC;
		s->lanes &= ~(w->sync_wait | w->bar_rel);
		break;
	case PPU_OP_VOTE:
		s->kind = PPU_SEEN_VOTE;
		break;
	case PPU_OP_SHFL:
		s->kind = PPU_SEEN_SHFL;
		see_shuffle(w, di, s);
		break;
	case PPU_OP_MATCH:
		s->kind = PPU_SEEN_MATCH;
		break;
	default:
		s->kind = PPU_SEEN_REDUX;
	}
	if ((di->op == PPU_OP_VOTE && di->x & 1) || (di->op == PPU_OP_SHFL && !di->x))
		return;
	s->masked = 1;
	row = member_row(w, di, &imm);
	for (i = 0; i < PPU_LANES; i++)
		s->members[i] = row ? row[i] : imm;
}

/* ---- special registers --------------------------------------------------------------------------------- */

PPU_SIMD_CLONES
static void blend_row(uint32_t *d, const uint32_t *s, uint32_t mask)
{
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		d[i] = mask & 1u << i ? s[i] : d[i];
}

PPU_SIMD_CLONES
static void blend_value(uint32_t *d, uint32_t v, uint32_t mask)
{
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		d[i] = mask & 1u << i ? v : d[i];
}

static void make_tids(struct ppu_tids *t, const uint32_t *block, uint32_t index)
{
	uint32_t (*tid)[PPU_LANES] = t->tid[index], first = index * PPU_LANES, y, i, x[3];

	t->made |= 1u << index;
	y = first / block[0];
	x[0] = first - y * block[0];
	x[1] = y % block[1];
	x[2] = y / block[1];
	for (i = 0; i < PPU_LANES; i++) {
		tid[0][i] = x[0];
		tid[1][i] = x[1];
		tid[2][i] = x[2];
		if (++x[0] < block[0])
			continue;
		x[0] = 0;
		if (++x[1] < block[1])
			continue;
		x[1] = 0;
		x[2]++;
	}
}

void ppu_warp_make_tids(struct ppu_sm *sm, struct ppu_warp *w)
{
	struct ppu_tids *t = &sm->tids[PPU_TIDS_INDEX(w->cta->block)];

	if (t->block != w->cta->block || !sm->tids_made) {
		t->made = 0;
		t->block = w->cta->block;
		sm->tids_made++;
	}
	if (!(t->made >> w->index & 1))
		make_tids(t, w->cta->task->launch.block, w->index);
	w->tid = (const uint32_t (*)[PPU_LANES])t->tid[w->index];
	w->tid_made = sm->tids_made;
}

/* Number 3 * what + direction, in the order of the registers. */
static uint32_t cluster_sreg(const struct ppu_cta *cta, unsigned number)
{
	const struct ppu_tmd *t = &cta->task->launch;
	unsigned i = number % 3;
	uint32_t dim = PPU_CLUSTER_DIM(t->cluster, i);

	switch (number / 3) {
	case 0:		return cta->id[i] % dim;
	case 1:		return dim;
	case 2:		return cta->id[i] / dim;
	default:	return t->grid[i] / dim;
	}
}

/* By its id: in another order than the device's own (sm_order.h) its number in the launch is another one. */
static uint64_t ctaid_linear(const struct ppu_cta *cta)
{
	const struct ppu_tmd *l = &cta->task->launch;

	if (l->kind == PPU_TMD_QUEUE)
		return cta->index;
	return cta->id[0] + l->grid[0] * (cta->id[1] + (uint64_t)l->grid[1] * cta->id[2]);
}

enum ppu_step ppu_h_s2r(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const struct ppu_cta *cta = w->cta;
	const struct ppu_sm_task *task = cta->task;
	const struct ppu_tmd *t = &task->launch;
	uint32_t *d = w->v.row[di->d], row[PPU_LANES], i;
	bool by_lane = true, pair = false;
	uint64_t v = 0;

#define LANES(expr) do { for (i = 0; i < PPU_LANES; i++) row[i] = (expr); } while (0)
	switch (di->imm) {
	case PPU_SR_TID_X: case PPU_SR_TID_Y: case PPU_SR_TID_Z:
		ppu_warp_tids(sm, w);
		memcpy(row, w->tid[di->imm - PPU_SR_TID_X], sizeof(row));
		break;
	case PPU_SR_LANEID:	LANES(i); break;
	case PPU_SR_LANEMASK_EQ: LANES(1u << i); break;
	case PPU_SR_LANEMASK_LE: LANES((2u << i) - 1); break;
	case PPU_SR_LANEMASK_LT: LANES((1u << i) - 1); break;
	case PPU_SR_LANEMASK_GE: LANES(~0u << i); break;
	case PPU_SR_LANEMASK_GT: LANES(~1u << i); break;
	default:
		by_lane = false;
	}
#undef LANES
	switch (di->imm) {
	case PPU_SR_NTID_X:	v = t->block[0]; break;
	case PPU_SR_NTID_Y:	v = t->block[1]; break;
	case PPU_SR_NTID_Z:	v = t->block[2]; break;
	case PPU_SR_CTAID_X:	v = cta->id[0]; break;
	case PPU_SR_CTAID_Y:	v = cta->id[1]; break;
	case PPU_SR_CTAID_Z:	v = cta->id[2]; break;
	case PPU_SR_NCTAID_X:	v = t->grid[0]; break;
	case PPU_SR_NCTAID_Y:	v = t->grid[1]; break;
	case PPU_SR_NCTAID_Z:	v = t->grid[2]; break;
	case PPU_SR_WARPID:	v = w->index; break;
	case PPU_SR_NWARPID:	v = cta->num_warps; break;
	case PPU_SR_SMID:	v = sm->id; break;
	case PPU_SR_NSMID:	v = sm->core->num_sms; break;
	case PPU_SR_GRIDID:	v = PPU_SM_TASK_ID(task); pair = true; break;
	case PPU_SR_CLOCK:	v = sm->cycle; break;
	case PPU_SR_CLOCK_HI:	v = sm->cycle >> 32; break;
	case PPU_SR_CLOCK64:	v = sm->cycle; pair = true; break;
	case PPU_SR_GLOBALTIMER: v = ppu_sm_time(sm); pair = true; break;
	case PPU_SR_ACTIVEMASK:	v = mask; break;
	case PPU_SR_DEPTH:	v = task->depth; break;
	case PPU_SR_TMDID:	v = t->id; pair = true; break;
	case PPU_SR_DYN_SMEM:	v = t->shared_dyn_bytes; break;
	case PPU_SR_TOTAL_SMEM:	v = t->shared_bytes; break;
	case PPU_SR_LOCAL_SIZE:	v = cta->local_bytes; break;
	case PPU_SR_PRIORITY:	v = task->priority; break;
	case PPU_SR_QUEUE_INDEX: v = cta->index; pair = true; break;
	case PPU_SR_ENVREG0: case PPU_SR_ENVREG1: case PPU_SR_ENVREG2: case PPU_SR_ENVREG3:
		v = t->envreg[di->imm - PPU_SR_ENVREG0];
		pair = true;
		break;
	case PPU_SR_CTAID_LINEAR: v = ctaid_linear(cta); break;
	case PPU_SR_CLUSTER_CTAID_X: case PPU_SR_CLUSTER_CTAID_Y: case PPU_SR_CLUSTER_CTAID_Z:
	case PPU_SR_CLUSTER_NCTAID_X: case PPU_SR_CLUSTER_NCTAID_Y: case PPU_SR_CLUSTER_NCTAID_Z:
	case PPU_SR_CLUSTERID_X: case PPU_SR_CLUSTERID_Y: case PPU_SR_CLUSTERID_Z:
	case PPU_SR_NCLUSTERID_X: case PPU_SR_NCLUSTERID_Y: case PPU_SR_NCLUSTERID_Z:
		v = cluster_sreg(cta, di->imm - PPU_SR_CLUSTER_CTAID_X);
		break;
	case PPU_SR_CLUSTER_CTARANK:	v = cta->rank; break;
	case PPU_SR_CLUSTER_NCTARANK:	v = cta->cluster_ctas; break;
	case PPU_SR_IS_EXPLICIT_CLUSTER: v = t->cluster != 0; break;
	case PPU_SR_CONTEXT:	v = task->ctx->blk.context_id; break;
	case PPU_SR_MAX_DEPTH:	v = task->ctx->blk.max_depth; break;
	}
	if (by_lane)
		blend_row(d, row, mask);
	else
		blend_value(d, (uint32_t)v, mask);
	if (pair)
		blend_value(w->v.row[di->d + 1], (uint32_t)(v >> 32), mask);
	w->pc++;
	return PPU_GO;
}
