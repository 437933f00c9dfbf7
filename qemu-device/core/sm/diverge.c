/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The divergence unit: how the lanes of a warp part, wait, and meet again.
 *
 * A divergence operation follows SIMT-56..SIMT-62 (steps a to g): pushes go on; branches push a
 * token for the side that has to wait; everything else disables lanes with a reason, and when no
 * lane is left, tokens are popped until one has lanes that wait for it.  The queue itself is tokq.c.
 *
 * Handlers are called with the lanes that execute (active and guard, at least one) and leave w->pc
 * where the warp goes on.  A handler that returns PPU_SWITCH without having changed anything is
 * executed again when the warp is ready again.
 */
#include "core/exec/lane_bit.h"
#include "core/sm/diverge.h"
#include "core/sm/exec_warp.h"
#include "core/sm/observe.h"
#include "core/sm/warp.h"

/* ---- reasons ----------------------------------------------------------------------------------- */

PPU_SIMD_CLONES
static uint32_t equal_lanes(const uint32_t *v, uint32_t x)
{
	uint32_t lanes = 0;
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		lanes |= v[i] == x ? ppu_lane_bit[i] : 0;
	return lanes;
}

PPU_SIMD_CLONES
static void set_lanes(uint32_t *v, uint32_t lanes, uint32_t x)
{
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		v[i] = lanes & ppu_lane_bit[i] ? x : v[i];
}

uint32_t ppu_warp_waiting(const struct ppu_warp *w, uint32_t wait, uint32_t among)
{
	return among ? equal_lanes(w->wait, wait) & among : 0;
}

unsigned ppu_warp_reason(const struct ppu_warp *w, unsigned lane)
{
	if (!((w->lanes & ~w->active) >> lane & 1))
		return PPU_REASON_NONE;
	return PPU_WAIT_REASON(w->wait[lane]);
}

/* The active mask is the caller's business. */
static void set_wait(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes, unsigned reason,
		     uint32_t addr)
{
	unsigned i;

	set_lanes(w->wait, lanes, PPU_WAIT(reason, addr));
	if (sm->core->cfg.yield_every > 1)
		for (i = 0; i < PPU_LANES; i++)
			if (lanes >> i & 1)
				w->lane_ycount[i] = w->ycount;
}

/* ---- the queue ---------------------------------------------------------------------------------- */

/* The warp stops and the driver moves the tokens, with the property token-queue-driver. */
static enum ppu_step ask_driver(struct ppu_sm *sm, struct ppu_warp *w, enum ppu_tokq_side side,
				uint32_t n)
{
	struct ppu_effect *e = ppu_sm_effect(sm, PPU_FX_EXCEPTION, w->cta->task);

	if (!e)
		return ppu_sm_fault_pc(sm, w, PPU_ERR_TASK_MEMORY, PPU_FAULT_NO_LANE);
	e->arg[0] = w->slot;
	e->arg[1] = (uint32_t)w->q.head;
	e->arg[2] = (uint64_t)(int64_t)w->q.tail;
	e->arg[3] = side | (uint64_t)n << 1;
	ppu_sm_set_state(sm, w, PPU_WARP_EXCEPTION);
	return PPU_SWITCH;
}

/* Room for n pushes, or the exception that makes it (SIMT-52..SIMT-55). */
static enum ppu_step make_room(struct ppu_sm *sm, struct ppu_warp *w, enum ppu_tokq_side side,
			       uint32_t n)
{
	uint64_t old = ppu_tokq_head_tail(&w->q);

	w->q_dirty = true;
	switch (ppu_tokq_room(&w->q, side, n)) {
	case PPU_TOKQ_OK:
		w->retried = false;
		return PPU_GO;
	case PPU_TOKQ_FULL:
		return ppu_sm_fault_pc(sm, w, PPU_ERR_TOKQ_OVERFLOW, __builtin_ctz(w->active));
	case PPU_TOKQ_RANGE:
		break;
	}
	if (sm->core->cfg.tokq_driver && !w->retried)
		return ask_driver(sm, w, side, n);
	w->retried = false;
	ppu_tokq_recentre(&w->q, side, n);
	sm->ctr[PPU_CTR_RECENTRES]++;
	PPU_SM_TRACE(sm, w, DIV_RECENTRE, ppu_tokq_count(&w->q), old, ppu_tokq_head_tail(&w->q));
	return PPU_GO;
}

static void push_front(struct ppu_sm *sm, struct ppu_warp *w, unsigned type, uint32_t mask,
		       uint32_t addr)
{
	uint64_t token = ppu_tokq_push_front(&w->q, type, mask, addr);

	PPU_SM_TRACE(sm, w, DIV_PUSH, token, w->active, ppu_tokq_head_tail(&w->q));
}

/* A yield token for lanes at addr; merge is a property for YIELD, and always on for parked groups,
 * which could never meet otherwise. */
static enum ppu_step push_yield(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes,
				uint32_t addr, bool merge)
{
	uint64_t token;

	w->q_dirty = true;
	if (merge && ppu_tokq_merge(&w->q, lanes, addr, &token)) {
		w->retried = false;
		PPU_SM_TRACE(sm, w, DIV_MERGE, token, w->active, ppu_tokq_head_tail(&w->q));
		return PPU_GO;
	}
	if (make_room(sm, w, PPU_TOKQ_BACK, 1) != PPU_GO)
		return PPU_SWITCH;
	token = ppu_tokq_push_back(&w->q, lanes, addr);
	PPU_SM_TRACE(sm, w, DIV_YIELD_PUSH, token, w->active, ppu_tokq_head_tail(&w->q));
	return PPU_GO;
}

static enum ppu_step corrupt(struct ppu_sm *sm, struct ppu_warp *w, uint64_t token)
{
	return ppu_sm_fault(sm, w, PPU_ERR_TOKQ_CORRUPT, PPU_FAULT_NO_LANE, token, PPU_ACC_READ, 0);
}

/* Lanes associated with a token (SIMT-62, SIMT-63). */
static uint32_t associated(const struct ppu_warp *w, uint64_t token)
{
	return ppu_warp_waiting(w, PPU_WAIT(PPU_TOK_TYPE(token), PPU_TOK_ADDR(token)),
				PPU_TOK_MASK(token) & w->live & ~w->active);
}

/* Groups that meet go on with the highest count of YIELDs (A-SIMT-19). */
static void join_ycount(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes)
{
	unsigned i;

	if (sm->core->cfg.yield_every <= 1)
		return;
	w->ycount = 0;
	for (i = 0; i < PPU_LANES; i++)
		if ((lanes >> i & 1) && w->lane_ycount[i] > w->ycount)
			w->ycount = w->lane_ycount[i];
}

/* All lanes waited together and have been released: does what ppu_diverge_pop() would do.  False: nothing is done.  The token
 * lies in memory that programs may have written to. */
static bool pop_whole(struct ppu_sm *sm, struct ppu_warp *w)
{
	uint64_t token;

	if (w->parked || ppu_tokq_count(&w->q) != 1 || ppu_traces(sm->core, PPU_TR_DIV_POP) ||
	    !ppu_tokq_peek(&w->q, &token) || token != PPU_TOK_MAKE(PPU_REASON_YIELD, ~0u, w->pc))
		return false;
	w->q.head--;
	w->pop = false;
	w->active = ~0u;
	return true;
}

/* Steps f and g (SIMT-61, SIMT-62): no lane is active, find some. */
enum ppu_step ppu_diverge_pop(struct ppu_sm *sm, struct ppu_warp *w)
{
	uint64_t token;
	uint32_t lanes;

	if (w->whole) {
		w->whole = false;
		if (pop_whole(sm, w))
			return PPU_GO;
	}
	w->pop = true;
	for (;;) {
		if (w->live && !(w->live & ~w->parked)) {
			ppu_sm_set_state(sm, w, PPU_WARP_PARKED);
			ppu_sm_check_deadlock(sm, w->cta);
			return PPU_SWITCH;
		}
		if (!ppu_tokq_pop(&w->q, &token)) {
			if (w->live)	/* somebody has written to the queue */
				return corrupt(sm, w, 0);
			w->pop = false;
			ppu_sm_warp_done(sm, w);
			return PPU_SWITCH;
		}
		if (!ppu_tokq_token_ok(token, w->lanes, w->prog->n))
			return corrupt(sm, w, token);
		lanes = associated(w, token);
		if (lanes)
			break;
		PPU_SM_TRACE(sm, w, DIV_DISCARD, token, 0, ppu_tokq_head_tail(&w->q));
	}
	w->pop = false;
	w->active = lanes;
	w->parked &= ~lanes;
	w->pc = PPU_TOK_ADDR(token);
	join_ycount(sm, w, lanes);
	PPU_SM_TRACE(sm, w, DIV_POP, token, lanes, ppu_tokq_head_tail(&w->q));
	return PPU_GO;
}

/* Step e (SIMT-60): disable lanes; the others go on with the next instruction. */
static enum ppu_step disable(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes,
			     unsigned reason, uint32_t addr)
{
	set_wait(sm, w, lanes, reason, addr);
	w->active &= ~lanes;
	PPU_SM_TRACE(sm, w, DIV_DISABLE, reason, lanes, w->active);
	if (w->active) {
		w->pc++;
		return PPU_GO;
	}
	return ppu_diverge_pop(sm, w);
}

/* On a fallback, tokens nobody waits for leave the front, up to a yield token (SIMT-50). */
static enum ppu_step discard_stale(struct ppu_sm *sm, struct ppu_warp *w)
{
	uint64_t token;

	while (ppu_tokq_peek(&w->q, &token)) {
		if (!ppu_tokq_token_ok(token, w->lanes, w->prog->n))
			return corrupt(sm, w, token);
		if (PPU_TOK_TYPE(token) == PPU_REASON_YIELD || associated(w, token))
			break;
		ppu_tokq_pop(&w->q, &token);
		PPU_SM_TRACE(sm, w, DIV_DISCARD, token, 0, ppu_tokq_head_tail(&w->q));
	}
	return PPU_GO;
}

/*
 * All active lanes wait for the token on top of the queue: it is popped at once, so the lanes need not even note what they
 * wait for.  Does what disable() and ppu_diverge_pop() would do.  False: nothing is done.
 */
static bool meet(struct ppu_sm *sm, struct ppu_warp *w, uint32_t mask, unsigned type, uint32_t addr)
{
	uint64_t token;
	uint32_t all;

	if (mask != w->active || sm->core->cfg.yield_every > 1 || ppu_traces(sm->core, PPU_TR_DIV_POP) ||
	    !ppu_tokq_peek(&w->q, &token))
		return false;
	all = PPU_TOK_MASK(token);
	if ((token & ~PPU_TOK_TRACK_ALL) != PPU_TOK_MAKE(type, all, addr) || (mask & ~all) || (all & ~w->lanes) ||
	    addr >= w->prog->n)
		return false;
	w->active |= ppu_warp_waiting(w, PPU_WAIT(type, addr), all & w->live & ~mask);
	w->parked &= ~w->active;
	w->pc = addr;
	w->q.head--;
	return true;
}

/* ---- branches ------------------------------------------------------------------------------------- */

struct group {
	uint32_t lanes, addr;
};
#define MAX_GROUPS (PPU_LANES + 1)

static unsigned add_group(struct group *g, unsigned n, uint32_t lanes, uint32_t addr)
{
	unsigned i;

	if (!lanes)
		return n;
	for (i = 0; i < n; i++)
		if (g[i].addr == addr) {
			g[i].lanes |= lanes;
			return n;
		}
	g[n].lanes = lanes;
	g[n].addr = addr;
	return n + 1;
}

/* The active lanes go to n targets, g[0] first (SIMT-5, SIMT-18, SIMT-19). */
static enum ppu_step diverge(struct ppu_sm *sm, struct ppu_warp *w, const struct group *g, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (g[i].addr >= w->prog->n)
			return ppu_sm_fault(sm, w, PPU_ERR_BAD_PC, __builtin_ctz(g[i].lanes),
					    g[i].addr, PPU_ACC_EXEC, 0);
	if (n > 1) {
		if (make_room(sm, w, PPU_TOKQ_FRONT, n - 1) != PPU_GO)
			return PPU_SWITCH;
		for (i = n - 1; i; i--) {
			push_front(sm, w, PPU_REASON_DIV, g[i].lanes, g[i].addr);
			set_wait(sm, w, g[i].lanes, PPU_REASON_DIV, g[i].addr);
		}
		sm->ctr[PPU_CTR_DIVERGENT]++;
		PPU_SM_TRACE(sm, w, DIV_BRANCH, g[0].addr, w->active, g[0].lanes);
	}
	w->active = g[0].lanes;
	w->pc = g[0].addr;
	return PPU_GO;
}

/* Lanes `taken` go to target, the other active ones to the next instruction. */
static enum ppu_step branch(struct ppu_sm *sm, struct ppu_warp *w, uint32_t taken, uint32_t target)
{
	uint32_t not_taken = w->active & ~taken;
	struct group g[2];
	unsigned n = 0;

	if (sm->core->cfg.branch_first) {
		n = add_group(g, n, taken, target);
		n = add_group(g, n, not_taken, w->pc + 1);
	} else {
		n = add_group(g, n, not_taken, w->pc + 1);
		n = add_group(g, n, taken, target);
	}
	return diverge(sm, w, g, n);
}

/* Groups of lanes by the value in a register row, in order of their lowest lanes. */
static unsigned groups_of(const struct ppu_warp *w, uint32_t lanes, unsigned row, struct group *g)
{
	const uint32_t *r = w->v.row[row];
	unsigned n = 0;

	while (lanes) {
		uint32_t addr = r[__builtin_ctz(lanes)];

		g[n].lanes = equal_lanes(r, addr) & lanes;
		g[n].addr = addr;
		lanes &= ~g[n].lanes;
		n++;
	}
	return n;
}

/* Groups of an indirect branch, with the lanes that do not take it. */
static unsigned indirect_groups(const struct ppu_sm *sm, const struct ppu_warp *w, uint32_t taken,
				uint32_t not_taken, unsigned row, struct group *g)
{
	struct group t[PPU_LANES];
	unsigned n = 0, i, nt = groups_of(w, taken, row, t);

	if (!sm->core->cfg.branch_first)
		n = add_group(g, n, not_taken, w->pc + 1);
	for (i = 0; i < nt; i++)
		n = add_group(g, n, t[i].lanes, t[i].addr);
	if (sm->core->cfg.branch_first)
		n = add_group(g, n, not_taken, w->pc + 1);
	return n;
}

enum ppu_step ppu_h_bra(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	return branch(sm, w, mask, di->imm);
}

enum ppu_step ppu_h_brx(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	struct group g[MAX_GROUPS];

	return diverge(sm, w, g, indirect_groups(sm, w, mask, w->active & ~mask, di->a, g));
}

/* ---- push and disable instructions ------------------------------------------------------------------ */

/* SSY, PBRK, PCNT, PEXIT, PUSH: x is the type. */
enum ppu_step ppu_h_push(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	if (make_room(sm, w, PPU_TOKQ_FRONT, 1) != PPU_GO)
		return PPU_SWITCH;
	push_front(sm, w, di->x, mask, di->imm);
	w->pc++;
	return PPU_GO;
}

/* SYNC, BRK, CONT, LONGJMP, DISABLE: x is the reason. */
enum ppu_step ppu_h_disable(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	if (meet(sm, w, mask, di->x, di->imm))
		return PPU_GO;
	if (ppu_tokq_find(&w->q, di->x, di->imm, mask))
		return disable(sm, w, mask, di->x, di->imm);
	/* With lanes that do not take it, it is a conditional branch (SIMT-51): what they will
	 * need stays. */
	if (mask == w->active && discard_stale(sm, w) != PPU_GO)
		return PPU_SWITCH;
	PPU_SM_TRACE(sm, w, DIV_FALLBACK, di->imm, mask, 0);
	return branch(sm, w, mask, di->imm);
}

/* Lanes end for good (A-SIMT-10).  Those that wait for other lanes need these no more. */
static void end_lanes(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes)
{
	w->live &= ~lanes;
	ppu_warp_unpark(sm, w, w->parked & ~w->bar_wait);
	if (w->cta->busy_bars)
		ppu_bar_lanes_ended(sm, w);
}

enum ppu_step ppu_h_exit(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	uint32_t addr;

	/* the common end of a warp: nobody is left to note a reason for, or to wait for anything */
	if (mask == w->live && !ppu_tokq_count(&w->q) && !w->cta->busy_bars) {
		w->live = w->active = 0;
		PPU_SM_TRACE(sm, w, DIV_DISABLE, PPU_REASON_EXIT, mask, 0);
		ppu_sm_warp_done(sm, w);
		return PPU_SWITCH;
	}
	if (ppu_tokq_find_any(&w->q, PPU_REASON_EXIT, mask, &addr))
		return disable(sm, w, mask, PPU_REASON_EXIT, addr);
	end_lanes(sm, w, mask);
	if (mask == w->active && !w->live) {
		PPU_SM_TRACE(sm, w, DIV_DISABLE, PPU_REASON_EXIT, mask, 0);
		w->active = 0;
		if (ppu_tokq_count(&w->q))
			return ppu_diverge_pop(sm, w);
		ppu_sm_warp_done(sm, w);
		return PPU_SWITCH;
	}
	return disable(sm, w, mask, PPU_REASON_EXIT, 0);
}

/* Lanes `mask` call; those of group i to g[i].addr. */
static enum ppu_step call(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di,
			  uint32_t mask, const struct group *g, unsigned n)
{
	unsigned i;

	if (w->pc + 1 >= w->prog->n)
		return ppu_sm_fault_pc(sm, w, PPU_ERR_BAD_PC, __builtin_ctz(mask));
	for (i = 0; i < n; i++)
		if (g[i].addr >= w->prog->n)
			return ppu_sm_fault(sm, w, PPU_ERR_BAD_PC, __builtin_ctz(g[i].lanes),
					    g[i].addr, PPU_ACC_EXEC, 0);
	if (make_room(sm, w, PPU_TOKQ_FRONT, n) != PPU_GO)
		return PPU_SWITCH;
	push_front(sm, w, PPU_REASON_CALL, mask, w->pc + 1);
	set_lanes(w->v.row[di->d], mask, w->pc + 1);
	return diverge(sm, w, g, n);
}

enum ppu_step ppu_h_cal(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	struct group g[2];
	uint32_t not_taken = w->active & ~mask;
	unsigned n = 0;

	if (!sm->core->cfg.branch_first)
		n = add_group(g, n, not_taken, w->pc + 1);
	n = add_group(g, n, mask, di->imm);
	if (sm->core->cfg.branch_first)
		n = add_group(g, n, not_taken, w->pc + 1);
	return call(sm, w, di, mask, g, n);
}

enum ppu_step ppu_h_calx(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	struct group g[MAX_GROUPS];

	return call(sm, w, di, mask, g,
		    indirect_groups(sm, w, mask, w->active & ~mask, di->a, g));
}

/*
 * RET: lanes whose return index has a corresponding call token wait for it; the others go there on
 * their own, like an indirect branch (SIMT-64).
 */
enum ppu_step ppu_h_ret(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	struct group t[PPU_LANES], wait[PPU_LANES], g[MAX_GROUPS];
	unsigned nt = groups_of(w, mask, di->a, t), nw = 0, n = 0, i;
	uint32_t waiting = 0, not_taken = w->active & ~mask;

	if (nt == 1 && meet(sm, w, mask, PPU_REASON_CALL, t[0].addr))
		return PPU_GO;

	for (i = 0; i < nt; i++) {
		if (t[i].addr >= w->prog->n)
			return ppu_sm_fault(sm, w, PPU_ERR_BAD_PC, __builtin_ctz(t[i].lanes),
					    t[i].addr, PPU_ACC_EXEC, 0);
		if (ppu_tokq_find(&w->q, PPU_REASON_CALL, t[i].addr, t[i].lanes)) {
			wait[nw++] = t[i];
			waiting |= t[i].lanes;
		}
	}
	if (nw == 1 && waiting == mask)
		return disable(sm, w, mask, PPU_REASON_CALL, wait[0].addr);
	if (!sm->core->cfg.branch_first)
		n = add_group(g, n, not_taken, w->pc + 1);
	for (i = 0; i < nt; i++)
		if (!(t[i].lanes & waiting))
			n = add_group(g, n, t[i].lanes, t[i].addr);
	if (sm->core->cfg.branch_first)
		n = add_group(g, n, not_taken, w->pc + 1);
	if (waiting != mask) {
		if (!waiting && !not_taken && discard_stale(sm, w) != PPU_GO)
			return PPU_SWITCH;
		PPU_SM_TRACE(sm, w, DIV_FALLBACK, w->v.row[di->a][__builtin_ctz(mask & ~waiting)],
			     mask & ~waiting, 0);
	}
	if (n > 1 && make_room(sm, w, PPU_TOKQ_FRONT, n - 1) != PPU_GO)
		return PPU_SWITCH;
	for (i = 0; i < nw; i++) {
		set_wait(sm, w, wait[i].lanes, PPU_REASON_CALL, wait[i].addr);
		w->active &= ~wait[i].lanes;
		PPU_SM_TRACE(sm, w, DIV_DISABLE, PPU_REASON_CALL, wait[i].lanes, w->active);
	}
	return n ? diverge(sm, w, g, n) : ppu_diverge_pop(sm, w);
}

/* ---- YIELD ---------------------------------------------------------------------------------------- */

static uint32_t random16(struct ppu_warp *w)
{
	return (uint32_t)(ppu_mix64(w->rng += 0x9e3779b97f4a7c15ull) >> 48);
}

/* Does this YIELD switch, or is it a NOP (SIMT-46, SIMT-47)? */
static bool yield_switches(const struct ppu_config *cfg, struct ppu_warp *w)
{
	if (cfg->yield_suppress)
		return false;
	if (w->retried)		/* the choice was made before the exception */
		return true;
	if (cfg->yield_every > 1 && ++w->ycount < cfg->yield_every)
		return false;
	if (cfg->yield_random < 65536 && random16(w) >= cfg->yield_random)
		return false;
	w->ycount = 0;
	return true;
}

/*
 * A YIELD of all lanes that live, with an empty queue: the token that is pushed is popped at once.  What stays of it are
 * the entry in memory and the place of the queue.  False: nothing is done.
 */
static bool yield_alone(struct ppu_sm *sm, struct ppu_warp *w, uint32_t mask)
{
	const struct ppu_config *cfg = &sm->core->cfg;

	if (ppu_tokq_count(&w->q) || mask != w->live || cfg->yield_every > 1 || ppu_traces(sm->core, PPU_TR_DIV_POP) ||
	    ppu_tokq_room(&w->q, PPU_TOKQ_BACK, 1) != PPU_TOKQ_OK)
		return false;
	w->q_dirty = true;
	w->retried = false;
	ppu_tokq_push_back(&w->q, mask, w->pc + 1);
	w->q.head--;
	w->parked &= ~mask;
	w->pc++;
	++sm->ctr[PPU_CTR_YIELDS];
	return true;
}

enum ppu_step ppu_h_yield(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	if (!yield_switches(&sm->core->cfg, w)) {
		w->pc++;
		return PPU_GO;
	}
	if (w->pc + 1 >= w->prog->n)
		return ppu_sm_fault_pc(sm, w, PPU_ERR_BAD_PC, __builtin_ctz(mask));
	if (yield_alone(sm, w, mask))
		return PPU_GO;
	if (push_yield(sm, w, mask, w->pc + 1, sm->core->cfg.yield_merge) != PPU_GO)
		return PPU_SWITCH;
	sm->ctr[PPU_CTR_YIELDS]++;
	return disable(sm, w, mask, PPU_REASON_YIELD, w->pc + 1);
}

/* ---- waiting for others (A-SIMT-25) ------------------------------------------------------------------ */

enum ppu_step ppu_warp_prepare_park(struct ppu_sm *sm, struct ppu_warp *w)
{
	uint64_t token;

	/* A token that takes the lanes in needs no entry, and a full queue may have one (SIMT-40). No lanes yet: the
	 * token stays as it is. */
	if (ppu_tokq_merge(&w->q, 0, w->pc, &token))
		return PPU_GO;
	return make_room(sm, w, PPU_TOKQ_BACK, 1);
}

enum ppu_step ppu_warp_park(struct ppu_sm *sm, struct ppu_warp *w, uint32_t again, uint32_t wait)
{
	uint32_t back = again | wait;

	if (!back) {
		w->pc++;
		return PPU_GO;
	}
	if (push_yield(sm, w, back, w->pc, true) != PPU_GO)
		return PPU_SWITCH;	/* not reached: prepared */
	w->parked |= wait;
	return disable(sm, w, back, PPU_REASON_YIELD, w->pc);
}

enum ppu_step ppu_warp_park_all(struct ppu_sm *sm, struct ppu_warp *w)
{
	w->q_dirty = true;
	w->retried = false;
	ppu_tokq_push_back(&w->q, ~0u, w->pc);
	set_lanes(w->wait, ~0u, PPU_WAIT(PPU_REASON_YIELD, w->pc));
	w->parked = ~0u;
	w->active = 0;
	w->pop = w->whole = true;
	ppu_sm_set_state(sm, w, PPU_WARP_PARKED);
	ppu_sm_check_deadlock(sm, w->cta);
	return PPU_SWITCH;
}

void ppu_warp_unpark(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes)
{
	if (!(w->parked & lanes))
		return;
	w->parked &= ~lanes;
	if (w->state != PPU_WARP_PARKED)
		return;
	ppu_sm_set_state(sm, w, PPU_WARP_READY);
	ppu_observe_awake(sm, w);
}
