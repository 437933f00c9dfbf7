/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SM: the states of its warps, the run loop, and what the units above ask for.
 *
 * Time on an SM is a count of cycles since device time 0.  The SM issues one warp instruction at a
 * time, and an instruction takes as many cycles as the cost table says.  Ready warps take turns in slot order;
 * a turn lasts PPU_SM_QUANTUM cycles and up to the next turn point (flow.h), or until the warp has to wait.  A
 * program does not notice windows: turn and cycle go on where the last window stopped, at any instruction.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/sm/cluster/cluster.h"
#include "core/sm/jobs.h"
#include "core/sm/mem/cache.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/storebuf.h"
#include "core/sm/mem/timing.h"
#include "core/sm/observe.h"
#include "core/sm/seat.h"
#include "core/sm/sm_order.h"
#include "core/sm/translate/translate.h"
#include "core/sm/warp.h"

/* ---- time ---------------------------------------------------------------------------------------- */

/* Products of 128 bits are divided by a function of the compiler's library: only where they are needed. */
#define FITS	(UINT64_MAX >> 24)	/* times 1,000,000 or a clock in kHz (of at most 10 GHz) */

uint64_t ppu_sm_cycle_at(const struct ppu_core *core, uint64_t ns)
{
	uint64_t khz = core->cfg.sm_clock_khz;

	if (ns <= FITS)
		return ns * khz / 1000000 + (ns * khz % 1000000 != 0);
	return (uint64_t)(((unsigned __int128)ns * khz + 999999) / 1000000);
}

uint64_t ppu_sm_cycles_ns(const struct ppu_core *core, uint64_t cycles)
{
	if (cycles <= FITS)
		return cycles * 1000000 / core->cfg.sm_clock_khz;
	return (uint64_t)((unsigned __int128)cycles * 1000000 / core->cfg.sm_clock_khz);
}

uint64_t ppu_sm_time(const struct ppu_sm *sm)
{
	uint64_t ns = ppu_sm_cycles_ns(sm->core, sm->cycle);

	return ns < sm->t1 ? ns : sm->t1 - 1;
}

/* ---- effects ------------------------------------------------------------------------------------- */

#define FX_CAP	64		/* effects that the list holds at first, besides those kept for CTAs */

static bool grow(struct ppu_effects *fx, uint32_t cap)
{
	struct ppu_effect *v = ppu_realloc(fx->v, cap * sizeof(*v));

	if (!v)
		return false;
	fx->v = v;
	fx->cap = cap;
	return true;
}

static struct ppu_effect *add(struct ppu_sm *sm, enum ppu_effect_kind kind, struct ppu_sm_task *task)
{
	struct ppu_effects *fx = &sm->fx;
	struct ppu_effect *e = &fx->v[fx->n++];

	memset(e, 0, sizeof(*e));
	e->time = ppu_sm_time(sm);
	e->kind = kind;
	e->task = task;
	return e;
}

struct ppu_effect *ppu_sm_effect(struct ppu_sm *sm, enum ppu_effect_kind kind, struct ppu_sm_task *task)
{
	struct ppu_effects *fx = &sm->fx;

	if (fx->n + sm->num_ctas >= fx->cap && !grow(fx, 2 * fx->cap))
		return NULL;
	return add(sm, kind, task);
}

struct ppu_effect *ppu_sm_last_effect(struct ppu_sm *sm, enum ppu_effect_kind kind, struct ppu_sm_task *task)
{
	struct ppu_effects *fx = &sm->fx;

	if (fx->n + sm->num_ctas >= fx->cap)
		grow(fx, 2 * fx->cap);		/* else the entry that is kept for this CTA */
	assert(fx->n < fx->cap);
	return add(sm, kind, task);
}

void ppu_sm_emit(struct ppu_sm *sm, const struct ppu_warp *w, unsigned event, uint64_t b, uint64_t c,
		 uint64_t d)
{
	struct ppu_effect *e = ppu_sm_effect(sm, PPU_FX_TRACE, w->cta->task);

	if (!e)
		return;
	e->trace.time = e->time;
	e->trace.event = event;
	e->trace.unit = sm->id;
	e->trace.a = (uint32_t)w->slot << 24 | w->pc;
	e->trace.b = b;
	e->trace.c = c;
	e->trace.d = d;
}

/* What the end of a window reads of an SM, and what CTAs that start then write. */
static void fetch_ahead(const struct ppu_sm *sm)
{
	uint32_t m = ~sm->taken & (uint32_t)((1ull << sm->num_ctas) - 1), n;

	ppu_fetch_lines(sm->fx.v, (sm->fx.n < 16 ? sm->fx.n : 16) * sizeof(*sm->fx.v));
	for (n = 0; m && n < 8; m &= m - 1, n++)
		ppu_fetch_lines(&sm->cta[__builtin_ctz(m)], offsetof(struct ppu_cta, bar));
}

struct ppu_effects *ppu_sm_effects(struct ppu_core *core, unsigned id)
{
	struct ppu_sm *sm = &core->sms[id];
	unsigned i;

	/* Called between windows, by the one thread that drives the core. */
	if (core->shares)
		fetch_ahead(sm);
	ppu_translate_window(sm);
	if (core->caches)
		ppu_cache_apply(core, id);
	i = id / core->cfg.sms_per_gpc % PPU_GPC_COUNTERS;
	core->ctr[PPU_CTR_GPC0_INSNS + i] += sm->ctr[PPU_CTR_WARP_INSNS];
	core->ctr[PPU_CTR_GPC0_MEMORY + i] += sm->ctr[PPU_CTR_PARTITION_READS] + sm->ctr[PPU_CTR_PARTITION_WRITES];
	for (i = 0; i < PPU_CTR_COUNT; i++) {
		core->ctr[i] += sm->ctr[i];
		sm->ctr[i] = 0;
	}
	return &sm->fx;
}

/* ---- states ---------------------------------------------------------------------------------------- */

enum ppu_step ppu_sm_fault(struct ppu_sm *sm, struct ppu_warp *w, unsigned code, unsigned lane,
			   uint64_t va, unsigned access, unsigned level)
{
	struct ppu_cta *cta = w->cta;
	struct ppu_fault_rec *r = NULL;
	struct ppu_effect *e;
	unsigned i;

	if (!cta->faulted) {
		const struct ppu_sm_task *t = cta->task;

		cta->faulted = true;
		e = ppu_sm_last_effect(sm, PPU_FX_FAULT, cta->task);
		r = &e->rec;
		r->time_ns = e->time;
		r->va = va;
		r->inst = t->ctx->inst;
		r->task_id = t->launch.id;
		r->code = code;
		r->access = access;
		r->unit = PPU_UNIT_SM;
		r->unit_index = sm->id;
		r->channel = t->root_chid;
		r->pc = w->pc;
		r->lane = lane;
		r->level = level;
		r->warp = w->slot;
		memcpy(r->cta, cta->id, sizeof(r->cta));
	}
	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *o = &sm->warp[cta->warp[i]];

		if (o->state != PPU_WARP_DONE)
			ppu_sm_set_state(sm, o, PPU_WARP_HALTED);
	}
	if (r)
		ppu_observe_fault(sm, w, r);
	return PPU_SWITCH;
}

void ppu_sm_check_deadlock(struct ppu_sm *sm, struct ppu_cta *cta)
{
	struct ppu_warp *parked = NULL;
	bool sync = false;
	unsigned i;

	if ((sm->ready | sm->timed) & cta->slots)
		return;
	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];

		if (w->state == PPU_WARP_PARKED)
			parked = parked ? parked : w;
		else if (w->state == PPU_WARP_SYNC)
			sync = true;
		else if (w->state != PPU_WARP_DONE)
			return;
	}
	if (sync && cta->cluster_ctas > 1)
		return;			/* does not leave the SM alone */
	if (sync) {
		struct ppu_effect *e = ppu_sm_last_effect(sm, PPU_FX_WAITS, cta->task);

		e->arg[0] = (uint64_t)(cta - sm->cta);
		return;
	}
	if (parked && !ppu_cluster_may_open(sm, cta)) {
		unsigned lane = __builtin_ctz(parked->parked);

		/* The fault names the instruction at which the lowest lane waits. */
		parked->pc = PPU_WAIT_ADDR(parked->wait[lane]);
		ppu_observe_stuck(sm, parked, PPU_ERR_DEADLOCK, lane);
		ppu_sm_fault_pc(sm, parked, PPU_ERR_DEADLOCK, lane);
	}
}

/* Tells memory what a warp wrote through pointers of its own: its token queue and its local memory. */
void ppu_sm_report_warp(struct ppu_sm *sm, struct ppu_warp *w)
{
	const struct ppu_config *cfg = &sm->core->cfg;
	const struct ppu_inst_block *blk;
	uint64_t index = (uint64_t)sm->id * cfg->warps_per_sm + w->slot;
	struct ppu_phys p = { 0, 0 };

	if (!w->cta)
		return;
	blk = &w->cta->task->ctx->blk;
	if (w->q_dirty) {
		p.addr = blk->tokq_base + index * cfg->tokq_entries * 8;
		ppu_mem_dirty(sm->core, p, (uint64_t)cfg->tokq_entries * 8);
	}
	if (w->local_dirty) {
		p.addr = blk->local_base + index * PPU_LANES * blk->local_per_thread;
		ppu_mem_dirty(sm->core, p, (uint64_t)PPU_LANES * blk->local_per_thread);
	}
	w->q_dirty = w->local_dirty = false;
}

void ppu_sm_warp_done(struct ppu_sm *sm, struct ppu_warp *w)
{
	struct ppu_cta *cta = w->cta;
	struct ppu_effect *e;
	uint32_t others;

	PPU_SM_TRACE(sm, w, WARP_DONE, 0, cta->index, 0);
	if (w->state == PPU_WARP_READY) {	/* as ppu_sm_set_state(), of a warp that runs */
		sm->ready &= ~(1ull << w->slot);
		sm->done |= 1ull << w->slot;
		w->state = PPU_WARP_DONE;
	} else {
		ppu_sm_set_state(sm, w, PPU_WARP_DONE);
	}
	if (w->q_dirty || w->local_dirty)
		ppu_sm_report_warp(sm, w);
	if (++cta->done_warps < cta->num_warps) {
		if (!((sm->ready | sm->timed) & cta->slots))
			ppu_sm_check_deadlock(sm, cta);
		return;
	}
	ppu_observe_cta(sm, cta, true);
	e = ppu_sm_last_effect(sm, PPU_FX_CTA_DONE, cta->task);
	e->arg[0] = cta->index;
	e->arg[1] = cta->warp[0];
	e->arg[2] = (uint64_t)(cta - sm->cta);
	e->arg[3] = sm->sb ? ppu_storebuf_last(sm) : 0;
	others = cta->peers & ~(1u << (cta - sm->cta));
	ppu_sm_unseat(sm, cta);
	if (others)
		ppu_cluster_cta_ended(sm, others);
}

int ppu_sm_start_cta(struct ppu_core *core, unsigned id, struct ppu_sm_task *t, uint64_t index,
		     uint64_t start_time, const uint8_t *entry)
{
	struct ppu_sm *sm = &core->sms[id];
	int err;
	struct ppu_cta *cta = ppu_sm_seat(sm, t, index, entry, &err);
	uint64_t start = ppu_sm_cycle_at(core, start_time);
	unsigned i;

	if (!cta)
		return -err;
	if (core->timing && !index)
		ppu_timing_task_begins(core);
	if (!sm->timed || start < sm->next_timed)
		sm->next_timed = start;
	sm->timed |= cta->slots;
	sm->starting |= 1u << (cta - sm->cta);
	cta->start = start;
	ppu_observe_cta(sm, cta, false);
	PPU_TRACE(core, CTA_START, id, (uint32_t)index, PPU_SM_TASK_ID(t), cta->warp[0], cta->num_warps);
	if (ppu_traces(core, PPU_TR_WARP_START))
		for (i = 0; i < cta->num_warps; i++)
			PPU_TRACE(core, WARP_START, id, (uint32_t)cta->warp[i] << 24 | t->launch.entry_pc,
				  ppu_sm_lanes(&t->launch, i), index, 0);
	return (int)(cta - sm->cta);
}

/* ---- run --------------------------------------------------------------------------------------------------- */

static void find_next_timed(struct ppu_sm *sm)
{
	uint64_t next = UINT64_MAX, m;

	ppu_seat_warps(sm);
	for (m = sm->timed; m; m &= m - 1) {
		uint64_t at = sm->warp[__builtin_ctzll(m)].ready_at;

		next = at < next ? at : next;
	}
	sm->next_timed = next;
}

/* The CTAs that start now: *woken gets their warps, *timed loses those of all CTAs that start.  Returns when the next
 * one does. */
static uint64_t start_ctas(struct ppu_sm *sm, uint64_t *woken, uint64_t *timed)
{
	uint64_t next = UINT64_MAX;
	uint32_t m;

	for (m = sm->starting; m; m &= m - 1) {
		const struct ppu_cta *cta = &sm->cta[__builtin_ctz(m)];

		*timed &= ~cta->slots;
		if (cta->start > sm->cycle) {
			next = cta->start < next ? cta->start : next;
			continue;
		}
		*woken |= cta->slots & sm->timed;
		sm->starting &= ~(m & -m);
	}
	return next;
}

/* Readies the warps whose time has come.  Returns the cycle at which the next warp is due. */
static uint64_t wake_timed(struct ppu_sm *sm)
{
	uint64_t next = UINT64_MAX, woken = 0, timed = sm->timed, m;

	if (sm->next_timed > sm->cycle)
		return sm->next_timed;
	if (sm->starting)
		next = start_ctas(sm, &woken, &timed);
	for (m = timed; m; m &= m - 1) {
		uint64_t at = sm->warp[__builtin_ctzll(m)].ready_at;

		if (at <= sm->cycle)
			woken |= m & -m;
		else if (at < next)
			next = at;
	}
	for (m = woken; m; m &= m - 1)
		sm->warp[__builtin_ctzll(m)].state = PPU_WARP_READY;
	sm->timed &= ~woken;
	sm->ready |= woken;
	sm->next_timed = next;
	return next;
}

static inline struct ppu_warp *next_warp(struct ppu_sm *sm, uint64_t ready)
{
	uint64_t after;

	if (__builtin_expect(ppu_order_other(&sm->core->cfg), 0))
		return ppu_order_warp(sm, ready);
	/* A window may have ended behind the end of a turn, and before the turn point. */
	if ((ready >> sm->turn & 1) && (sm->quantum || !ppu_warp_at_turn_point(&sm->warp[sm->turn])))
		return &sm->warp[sm->turn];
	after = sm->turn < 63 ? ready & (~0ull << (sm->turn + 1)) : 0;
	sm->turn = (uint32_t)__builtin_ctzll(after ? after : ready);
	sm->quantum = PPU_SM_QUANTUM;
	return &sm->warp[sm->turn];
}

/*
 * The turn of a warp, or what is left of it.  Warps mostly begin and end their turns in host code: this is tried here,
 * without the interpreter around it, whose frame is as large as the rest of a short turn.
 */
static inline __attribute__((always_inline)) void run_turn(struct ppu_sm *sm, struct ppu_warp *w, uint64_t end)
{
#ifdef PPU_TRANSLATE
	enum ppu_step step;

	if (w->prog->region && !w->pop && ppu_region_run(sm, w, sm->began + sm->quantum, end, true, &step)) {
		if (step != PPU_GO)
			return;
		w = &sm->warp[sm->turn];	/* perhaps another one by now */
		if (sm->cycle >= sm->began + sm->quantum && w->prog->code[w->pc].turn)
			return;			/* the turn is over, as it mostly is */
	}
#endif
	ppu_warp_run(sm, w, sm->began + sm->quantum, end);
}

/* What ran of a turn has ended. */
static inline void turn_ran(struct ppu_sm *sm)
{
	uint64_t used = sm->cycle - sm->began;

	sm->busy += used;
	sm->quantum = used < sm->quantum ? sm->quantum - (uint32_t)used : 0;
	sm->began = sm->cycle;
}

#ifdef PPU_TRANSLATE
struct ppu_warp *ppu_sm_next_turn(struct ppu_sm *sm, struct ppu_run *run, const struct ppu_program *prog)
{
	uint64_t end = run->end + PPU_TURN_CYCLES - 1;
	struct ppu_warp *w;
	uint32_t at;

	if (!run->on || sm->cycle >= end || !sm->ready || (sm->timed && sm->next_timed <= sm->cycle))
		return NULL;
	turn_ran(sm);
	w = next_warp(sm, sm->ready);
	if (w->prog != prog || w->pop || !w->q.ent)
		return NULL;
	at = ppu_region_at(prog->region, sm, w, end);
	if (!at)
		return NULL;
	ppu_region_enter(prog->region, sm, w, sm->cycle + sm->quantum, run);
	run->target = prog->region->code + at;
	return w;
}
#endif

/* No warp can run for `cycles` cycles: count the reason. */
static void count_stall(struct ppu_sm *sm, uint64_t cycles)
{
	bool timed = !(sm->used & ~(sm->timed | sm->done));

	if (!sm->used_warps)
		return;
	sm->ctr[timed ? PPU_CTR_STALL_TIMED_NS : PPU_CTR_STALL_OTHER_NS] += ppu_sm_cycles_ns(sm->core, cycles);
}

/* Sets up what is new since the last window. */
static void begin_window(struct ppu_sm *sm, uint64_t t0, uint64_t t1)
{
	uint64_t c0 = ppu_sm_cycle_at(sm->core, t0);

	sm->t1 = t1;
	sm->busy = 0;
	ppu_seat_warps(sm);
	if (sm->xlat_gen != sm->core->xlat_gen)
		ppu_lsu_flush(sm);
	if (sm->cycle < c0)
		sm->cycle = c0;
}

/* observed, which is known where this is compiled: some warps may have to stand still. */
static inline __attribute__((always_inline)) void run_warps(struct ppu_sm *sm, uint64_t c1, bool whole, bool observed)
{
	while (sm->cycle < c1) {
		uint64_t next = sm->timed ? wake_timed(sm) : UINT64_MAX, end = c1;
		uint64_t ready = observed ? sm->ready & ppu_observe_may(sm) : sm->ready;
		struct ppu_warp *w;

		if (!ready) {
			if (next < c1 || whole)
				count_stall(sm, (next < c1 ? next : c1) - sm->cycle);
			if (next >= c1)
				break;
			sm->cycle = next;
			continue;
		}
		w = next_warp(sm, ready);
		if (!w->q.ent) {
			ppu_sm_fault_pc(sm, w, w->retried ? PPU_ERR_TOKQ_OVERFLOW : PPU_ERR_NO_TOKQ,
					PPU_FAULT_NO_LANE);
			continue;
		}
		sm->began = sm->cycle;
		if (__builtin_expect(ppu_order_other(&sm->core->cfg), 0))
			end = ppu_order_turn(sm, c1);
		run_turn(sm, w, end);
		turn_ran(sm);
	}
}

/* Runs up to a cycle.  Where no warp can run then, it is for who goes on from there to count all of the stall. */
static void run_to(struct ppu_sm *sm, uint64_t c1, bool whole)
{
	if (PPU_OBSERVED(sm->core))
		run_warps(sm, c1, whole, true);
	else
		run_warps(sm, c1, whole, false);
}

void ppu_sm_run_first(struct ppu_core *core, unsigned id, uint64_t t0, uint64_t cut, uint64_t t1)
{
	struct ppu_sm *sm = &core->sms[id];

	begin_window(sm, t0, t1);
	run_to(sm, ppu_sm_cycle_at(core, cut), false);
}

void ppu_sm_run_rest(struct ppu_core *core, unsigned id, uint64_t t1)
{
	struct ppu_sm *sm = &core->sms[id];
	uint64_t m;

	run_to(sm, ppu_sm_cycle_at(core, t1), true);
	ppu_seat_count(sm);
	sm->ctr[PPU_CTR_SM_BUSY_NS] += ppu_sm_cycles_ns(core, sm->busy);
	if (sm->sb)
		ppu_storebuf_window(sm, t1);
	ppu_lsu_report_dirty(sm);
	for (m = sm->used & ~sm->done; m; m &= m - 1) {
		struct ppu_warp *w = &sm->warp[__builtin_ctzll(m)];

		if (w->q_dirty || w->local_dirty)
			ppu_sm_report_warp(sm, w);
	}
}

void ppu_sm_run(struct ppu_core *core, unsigned id, uint64_t t0, uint64_t t1)
{
	begin_window(&core->sms[id], t0, t1);
	ppu_sm_run_rest(core, id, t1);
}

void ppu_sms_run(struct ppu_core *core, const uint32_t *id, uint32_t n, uint64_t t0, uint64_t t1)
{
	if (core->timing)
		ppu_timing_run(core, id, n, t0, t1);
	else
		ppu_sms_round(core, id, n, t0, t1);
}

uint64_t ppu_sm_next_time(struct ppu_core *core, unsigned id)
{
	struct ppu_sm *sm = &core->sms[id];
	uint64_t next;

	if (!core->resident[id].ctas && !core->cfg.store_delay_ns && !core->cfg.store_reorder)
		return PPU_TIME_NEVER;
	if (sm->ready)
		return core->now;
	if (sm->timed && !sm->next_timed)
		find_next_timed(sm);
	next = sm->timed ? ppu_sm_cycles_ns(core, sm->next_timed) : PPU_TIME_NEVER;
	if (sm->sb && ppu_storebuf_next(sm) < next)
		next = ppu_storebuf_next(sm);
	return next;
}

bool ppu_sm_busy(struct ppu_core *core, unsigned id)
{
	const struct ppu_sm *sm = &core->sms[id];

	return sm->ready || sm->timed || (sm->sb && ppu_storebuf_next(sm) != PPU_TIME_NEVER);
}

/* ---- from outside -------------------------------------------------------------------------------------------- */

void ppu_sm_abort_task(struct ppu_core *core, struct ppu_sm_task *t)
{
	unsigned i, k;

	for (i = 0; i < core->num_sms; i++)
		for (k = 0; k < core->sms[i].num_ctas; k++)
			if (core->sms[i].cta[k].task == t) {
				if (core->sms[i].sb)
					ppu_storebuf_settle(&core->sms[i]);
				ppu_sm_unseat(&core->sms[i], &core->sms[i].cta[k]);
				ppu_seat_count(&core->sms[i]);
			}
}

static struct ppu_warp *warp_in_state(struct ppu_core *core, unsigned sm, unsigned warp,
				      enum ppu_warp_state state)
{
	if (sm >= core->num_sms || warp >= core->sms[sm].num_warps ||
	    core->sms[sm].warp[warp].state != state)
		return NULL;
	return &core->sms[sm].warp[warp];
}

void ppu_sm_launch_reply(struct ppu_core *core, unsigned sm, unsigned warp, unsigned lane,
			 uint32_t error, bool awaited)
{
	struct ppu_warp *w = warp_in_state(core, sm, warp, PPU_WARP_LAUNCH);

	if (!w || lane >= PPU_LANES || !(w->pending >> lane & 1))
		return;
	w->v.row[w->launch_d][lane] = error;
	w->cta->children += awaited;
	w->pending &= ~(1u << lane);
	if (!w->pending) {
		ppu_sm_set_state(&core->sms[sm], w, PPU_WARP_READY);
		ppu_gpc_wake(core);
	}
}

void ppu_sm_exception_done(struct ppu_core *core, unsigned sm, unsigned warp, uint32_t head,
			   int32_t tail, bool kill)
{
	struct ppu_warp *w = warp_in_state(core, sm, warp, PPU_WARP_EXCEPTION);
	uint64_t old;

	if (!w)
		return;
	old = ppu_tokq_head_tail(&w->q);
	w->retried = true;
	if (kill || !ppu_tokq_place(&w->q, head, tail)) {
		/* The warp faults when it runs next. */
		w->q.ent = NULL;
	} else {
		core->ctr[PPU_CTR_RECENTRES]++;
		PPU_TRACE(core, DIV_RECENTRE, sm, (uint32_t)w->slot << 24 | w->pc,
			  ppu_tokq_count(&w->q), old, ppu_tokq_head_tail(&w->q));
	}
	ppu_sm_set_state(&core->sms[sm], w, PPU_WARP_READY);
	ppu_gpc_wake(core);
}

int ppu_sm_warp_cta(const struct ppu_core *core, unsigned id, unsigned warp)
{
	const struct ppu_sm *sm = &core->sms[id];
	uint32_t m;

	/* The warp need not be set up yet. */
	for (m = warp < 64 ? sm->taken : 0; m; m &= m - 1)
		if (sm->cta[__builtin_ctz(m)].slots >> warp & 1)
			return __builtin_ctz(m);
	return -1;
}

bool ppu_sm_cta_waits(const struct ppu_core *core, unsigned id, unsigned slot)
{
	const struct ppu_sm *sm = &core->sms[id];
	const struct ppu_cta *cta = &sm->cta[slot];
	bool sync = false;
	unsigned i;

	for (i = 0; i < cta->num_warps; i++)
		switch (sm->warp[cta->warp[i]].state) {
		case PPU_WARP_SYNC:
			sync = true;
			break;
		case PPU_WARP_PARKED: case PPU_WARP_DONE:
			break;
		default:
			return false;
		}
	return sync && cta->task && !cta->faulted && cta->children;
}

void ppu_sm_child_done(struct ppu_core *core, unsigned id, unsigned slot, uint32_t left)
{
	struct ppu_sm *sm = &core->sms[id];
	struct ppu_cta *cta = &sm->cta[slot];
	unsigned i;

	cta->children = left;
	if (left)
		return;
	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];

		if (w->state == PPU_WARP_SYNC)
			ppu_sm_set_state(sm, w, PPU_WARP_READY);
	}
	ppu_gpc_wake(core);
}

bool ppu_sm_task_runs(const struct ppu_core *core, const struct ppu_sm_task *t)
{
	unsigned i, k, n;

	for (i = 0; i < core->num_sms; i++)
		for (k = 0; k < core->sms[i].num_ctas; k++) {
			const struct ppu_cta *cta = &core->sms[i].cta[k];

			for (n = 0; cta->task == t && n < cta->num_warps; n++)
				if ((core->sms[i].ready | core->sms[i].timed) >> cta->warp[n] & 1)
					return true;
		}
	return false;
}

/* ---- unit ------------------------------------------------------------------------------------------------------ */

int ppu_sms_create(struct ppu_core *core)
{
	unsigned i, k;

	core->sms = ppu_alloc_lines(core->num_sms, sizeof(*core->sms));
	core->resident = ppu_alloc_lines(core->num_sms, sizeof(*core->resident));
	if (!core->sms || !core->resident || ppu_icache_create(core))
		return -1;
	for (i = 0; i < core->num_sms; i++) {
		struct ppu_sm *sm = &core->sms[i];

		sm->core = core;
		sm->id = i;
		sm->simd = ppu_lsu_simd(ppu_exec_level());
		sm->num_warps = core->cfg.warps_per_sm;
		sm->num_ctas = core->cfg.ctas_per_sm;
		sm->warp = ppu_alloc_lines(sm->num_warps, sizeof(*sm->warp));
		sm->cta = ppu_alloc(sm->num_ctas, sizeof(*sm->cta));
		if (!sm->warp || !sm->cta || !grow(&sm->fx, FX_CAP + sm->num_ctas) || ppu_storebuf_create(sm))
			return -1;
		for (k = 0; k < sm->num_warps; k++)
			sm->warp[k].slot = k;
	}
	if (ppu_caches_create(core) || ppu_memsys_create(core) || ppu_timing_create(core) || ppu_jobs_create(core))
		return -1;
	if (ppu_translate_create(core))
		return -1;
	ppu_sms_reset(core);
	return 0;
}

void ppu_sms_destroy(struct ppu_core *core)
{
	unsigned i, k;

	ppu_translate_stop(core);
	for (i = 0; core->sms && i < core->num_sms; i++) {
		struct ppu_sm *sm = &core->sms[i];

		for (k = 0; sm->warp && k < sm->num_warps; k++)
			ppu_free(sm->warp[k].rows);
		for (k = 0; sm->cta && k < sm->num_ctas; k++) {
			ppu_free(sm->cta[k].shared);
			ppu_free(sm->cta[k].own_params);
		}
		ppu_free(sm->warp);
		ppu_free(sm->cta);
		ppu_free(sm->fx.v);
		ppu_storebuf_destroy(sm);
	}
	ppu_caches_destroy(core);
	ppu_timing_destroy(core);
	ppu_jobs_destroy(core);
	ppu_memsys_destroy(core);
	ppu_free(core->sms);
	core->sms = NULL;
	ppu_free(core->resident);
	core->resident = NULL;
	ppu_icache_destroy(core);
	ppu_translate_destroy(core);
}

/* The tasks are gone already: reset only what the SM itself holds. */
void ppu_sms_reset(struct ppu_core *core)
{
	unsigned i, k;

	for (i = 0; i < core->num_sms; i++) {
		struct ppu_sm *sm = &core->sms[i];

		for (k = 0; k < sm->num_ctas; k++)
			if (sm->cta[k].task)
				ppu_sm_unseat(sm, &sm->cta[k]);
		sm->taken = sm->starting = sm->fresh = 0;
		core->resident[i].ctas = 0;
		sm->ready = sm->timed = sm->done = sm->used = sm->next_timed = 0;
		sm->cycle = sm->t1 = sm->quantum = 0;
		sm->turn = 63;		/* slot 0 begins */
		sm->fx.n = 0;
		memset(sm->ctr, 0, sizeof(sm->ctr));
		sm->host_entered = sm->host_insns = 0;
		ppu_storebuf_reset(sm);
		ppu_lsu_flush(sm);
	}
	ppu_caches_reset(core);
	ppu_memsys_reset(core);
	ppu_timing_reset(core);
	ppu_translate_reset(core);
	ppu_icache_reset(core);
}
