/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host scheduler: which channel the host interface serves next, and who gets an engine.
 * Documentation/hw/channels.md has the rules in prose.
 *
 * Ready queues hold channels with commands that need no engine: work that arrived at an idle channel,
 * a waiter that woke, a run that was cut at run-limit.  They are served whatever the engines do
 * (CP-18): highest queue priority first (WQ-10), then owners in turn, then an owner's contexts in turn, then
 * oldest first, so that no process can keep the host from another by having many channels or contexts.
 *
 * Runlists (runlist.c), one per engine class, hold channels that wait for an engine, or whose engine
 * command is done and whose following commands wait for their turn.  A channel holds an engine for a time
 * slice.  When the command of an engine is done, the channel that holds the engine goes on, except in two
 * cases: a channel of higher queue priority waits; or the slice of the holder is over, and a channel waits
 * whose owner (of one owner: context) has not used more of the engines than that of the holder.  In both cases the holder goes
 * behind the others (A-CP-9).  A holder that blocks or has no more work gives the engine back at once.  A
 * context pays for the time its channels hold an engine and for the time an engine is kept free for it.
 *
 * Before an engine command is dispatched every ready channel of its context is served (bounded), and
 * the gates before it are checked again (CP-33).
 */
#include <hw/ppu_regs.h>
#include "core/base/trace.h"
#include "core/host/group.h"
#include "core/host/hostif.h"
#include "core/host/hostsched.h"
#include "core/host/runlist.h"
#include "core/memory/ctx.h"
#include "core/sm/mem/icache.h"
#include "core/tasks/tmu.h"

#define MAX_DECISIONS 64		/* decisions in one event: each may read PPU_MAX_GATES words */

/* ---- lists of channels ---------------------------------------------------------------------------- */

/* Keeps the list in order of stamp.  A new stamp is the highest, so a new channel goes to the tail. */
void ppu_chlist_add(struct ppu_core *core, struct ppu_chlist *l, struct ppu_chan *ch)
{
	uint32_t chid = ppu_chid(core, ch), after = l->tail;

	while (after != PPU_NO_CH && ppu_chan(core, after)->stamp > ch->stamp)
		after = ppu_chan(core, after)->prev;
	ch->prev = after;
	ch->next = after == PPU_NO_CH ? l->first : ppu_chan(core, after)->next;
	*(after == PPU_NO_CH ? &l->first : &ppu_chan(core, after)->next) = chid;
	*(ch->next == PPU_NO_CH ? &l->tail : &ppu_chan(core, ch->next)->prev) = chid;
}

void ppu_chlist_del(struct ppu_core *core, struct ppu_chlist *l, struct ppu_chan *ch)
{
	*(ch->prev == PPU_NO_CH ? &l->first : &ppu_chan(core, ch->prev)->next) = ch->next;
	*(ch->next == PPU_NO_CH ? &l->tail : &ppu_chan(core, ch->next)->prev) = ch->prev;
	ch->prev = ch->next = PPU_NO_CH;
}

static void turn_begin(struct ppu_turns *l, struct ppu_turn *t, void *of)
{
	if (t->active)
		return;
	*t = (struct ppu_turn){ .of = of, .active = true, .prev = l->tail };
	*(t->prev ? &t->prev->next : &l->first) = t;
	l->tail = t;
}

static void turn_end(struct ppu_turns *l, struct ppu_turn *t)
{
	if (!t->active)
		return;
	*(t->prev ? &t->prev->next : &l->first) = t->next;
	*(t->next ? &t->next->prev : &l->tail) = t->prev;
	*t = (struct ppu_turn){ .of = t->of };
}

/* Goes behind the others, if it has a turn. */
static void turn_over(struct ppu_turns *l, struct ppu_turn *t)
{
	if (!t->active)
		return;
	turn_end(l, t);
	turn_begin(l, t, t->of);
}

void ppu_sched_activate(struct ppu_core *core, struct ppu_ctx *ctx, unsigned prio)
{
	struct ppu_host_owner *o = ctx->owner->host;

	turn_begin(&o->q[prio].ctxs, &ctx->host->q[prio].turn, ctx);
	turn_begin(&core->host->active[prio], &o->q[prio].turn, ctx->owner);
}

static void ctx_deactivate(struct ppu_core *core, struct ppu_ctx *ctx, unsigned prio)
{
	struct ppu_host_owner *o = ctx->owner->host;

	turn_end(&o->q[prio].ctxs, &ctx->host->q[prio].turn);
	if (!o->q[prio].ctxs.first)
		turn_end(&core->host->active[prio], &o->q[prio].turn);
}

static void leave(struct ppu_core *core, struct ppu_chan *ch)
{
	switch (ch->where) {
	case CH_IN_READY:
		ppu_chlist_del(core, &ppu_host_queue_of(ch)->list, ch);
		ch->ctx->host->num_ready--;
		if (ppu_host_queue_of(ch)->list.first == PPU_NO_CH)
			ctx_deactivate(core, ch->ctx, ch->priority);
		break;
	case CH_IN_RUNLIST:
		ppu_runlist_del(core, ppu_host_runlist_of(core, ch), ch);
		break;
	case CH_IN_POOL:
		ppu_runlist_del(core, ppu_host_pool(core), ch);
		break;
	}
	ch->where = CH_NOWHERE;
}

static void join(struct ppu_core *core, struct ppu_chan *ch, enum ppu_ch_where where)
{
	leave(core, ch);
	ch->stamp = core->host->stamp++;
	ch->where = (uint8_t)where;
	switch (where) {
	case CH_IN_READY:
		ppu_chlist_add(core, &ppu_host_queue_of(ch)->list, ch);
		ch->ctx->host->num_ready++;
		ppu_sched_activate(core, ch->ctx, ch->priority);
		break;
	case CH_IN_RUNLIST:
		ppu_runlist_add(core, ppu_host_runlist_of(core, ch), ch);
		break;
	case CH_IN_POOL:
		ppu_runlist_add(core, ppu_host_pool(core), ch);
		break;
	default:
		break;
	}
}

/* ---- host side ---------------------------------------------------------------------------------------- */

/* The host may have work: schedule its event for the moment when the host is free. */
void ppu_sched_kick(struct ppu_core *core)
{
	struct ppu_host *h = core->host;

	if (!h->paused && !ppu_event_pending(&h->event))
		ppu_event_schedule(core, &h->event, h->free_at > core->now ? h->free_at : core->now);
}

void ppu_sched_ready(struct ppu_core *core, struct ppu_chan *ch)
{
	ppu_event_cancel(core, &ch->wfi_event);
	ppu_chan_set_state(core, ch, CH_READY);
	if (ch->paused) {
		leave(core, ch);
		return;
	}
	join(core, ch, CH_IN_READY);
	ppu_sched_kick(core);
}

struct ppu_chan *ppu_sched_pick(struct ppu_core *core)
{
	struct ppu_host *h = core->host;

	for (unsigned prio = PPU_NUM_PRIO; prio-- > 0;) {
		struct ppu_host_owner *o;
		struct ppu_owner *owner;
		struct ppu_chan *ch;
		struct ppu_ctx *ctx;

		if (!h->active[prio].first)
			continue;
		owner = h->active[prio].first->of;
		o = owner->host;
		ctx = o->q[prio].ctxs.first->of;
		ch = ppu_chan(core, ctx->host->q[prio].list.first);
		leave(core, ch);
		turn_over(&o->q[prio].ctxs, &ctx->host->q[prio].turn);
		turn_over(&h->active[prio], &o->q[prio].turn);
		return ch;
	}
	return NULL;
}

void ppu_sched_wake(struct ppu_core *core, struct ppu_waiter *w, uint64_t word)
{
	struct ppu_chan *ch = ppu_chan(core, w->id);

	ppu_sem_unwait(core, &ch->waiter);
	if (ch->state == CH_SEM)
		ppu_sched_ready(core, ch);
}

bool ppu_host_in_run(const struct ppu_core *core)
{
	return core->host->run != PPU_NO_CH;
}

void ppu_host_pause(struct ppu_core *core, bool paused)
{
	core->host->paused = paused;
	if (paused)
		ppu_icache_unprepare(core, ~0u);
	if (!paused)
		ppu_sched_kick(core);
}

void ppu_host_tasks_changed(struct ppu_core *core, unsigned chid)
{
	struct ppu_chan *ch;

	if (chid >= core->cfg.channels)
		return;
	ch = ppu_chan(core, chid);
	if (ch->state == CH_WFI)
		ppu_sched_ready(core, ch);
}

/* A free task record wakes one channel only.  That channel wakes the next one when it has taken its record. */
void ppu_sched_pool_next(struct ppu_core *core)
{
	struct ppu_chan *ch = ppu_runlist_best(core, ppu_host_pool(core), ~0u);

	if (!ch)
		return;
	ppu_runlist_serve(ch->ctx, ppu_host_pool(core));
	ppu_runlist_charge(core, ch->ctx, PPU_RUN_POOL, 1);
	ppu_sched_ready(core, ch);
}

void ppu_host_pool_freed(struct ppu_core *core)
{
	ppu_sched_pool_next(core);
}

void ppu_sched_run_ended(struct ppu_core *core, struct ppu_ctx *ctx)
{
	struct ppu_host *h = core->host;

	for (unsigned i = 0; i < h->num_engines; i++)
		/* Of its owner: an engine must not be idle for others the longer, the more contexts he has. */
		if (h->engines[i].drain_ctx && h->engines[i].drain_ctx->owner == ctx->owner)
			h->engines[i].drain_runs++;
}

/* ---- engines --------------------------------------------------------------------------------------------- */

/* The bit of engine e in a mask.  CH_ENGINE_MASK selects copy engines only, so every mask allows the front
 * end. */
static uint32_t mask_of(unsigned e)
{
	return e ? 1u << (e - 1) : ~0u;
}

static bool allowed(const struct ppu_core *core, const struct ppu_chan *ch, unsigned e)
{
	return core->host->engines[e].cls == ch->run_class &&
	       (!ch->engine_mask || (ch->engine_mask & mask_of(e)));
}

/* Charges the holder of an engine for the time since it was charged last. */
static void settle(struct ppu_core *core, struct ppu_engine *eng, const struct ppu_chan *ch)
{
	ppu_runlist_charge(core, ch->ctx, eng->cls, core->now - eng->since);
	eng->since = core->now;
}

void ppu_sched_release(struct ppu_core *core, struct ppu_chan *ch)
{
	struct ppu_engine *eng;

	if (ch->engine < 0)
		return;
	eng = &core->host->engines[ch->engine];
	settle(core, eng, ch);
	ppu_runlist_exit(ch->ctx, eng->cls);
	if (!ppu_group_keep(core, eng, ch, mask_of((unsigned)ch->engine))) {
		eng->expired = false;
		ppu_event_cancel(core, &eng->slice_event);
	}
	ch->engine = -1;
	eng->holder = PPU_NO_CH;
	eng->busy = false;
	ppu_event_cancel(core, &eng->done_event);
	ppu_sched_kick(core);
}

void ppu_sched_remove(struct ppu_core *core, struct ppu_chan *ch)
{
	leave(core, ch);
	ppu_sched_release(core, ch);
	/* Its code may be another when it comes back. */
	ppu_icache_unprepare(core, ppu_chid(core, ch));
}

static void start_slice(struct ppu_core *core, struct ppu_chan *ch)
{
	struct ppu_engine *eng = &core->host->engines[ch->engine];
	uint64_t slice = ch->timeslice ? ch->timeslice : core->cfg.timeslice_ns;

	ch->slices++;
	eng->expired = false;
	ppu_runlist_serve(ch->ctx, ppu_host_runlist_of(core, ch));
	ppu_event_schedule(core, &eng->slice_event, core->now + slice);
	PPU_TRACE(core, SLICE_START, ppu_chid(core, ch), eng->cls, slice, 0, 0);
}

static void hold(struct ppu_core *core, struct ppu_chan *ch, unsigned e)
{
	struct ppu_engine *eng = &core->host->engines[e];

	ppu_runlist_enter(ch->ctx, ppu_host_runlist_of(core, ch));
	leave(core, ch);
	ch->engine = (int32_t)e;
	eng->holder = ppu_chid(core, ch);
	eng->since = core->now;
	if (eng->group_ctx) {
		ch->slices++;
		ppu_runlist_serve(ch->ctx, ppu_host_runlist_of(core, ch));
		ppu_group_pass(core, eng, ch);
	} else {
		start_slice(core, ch);
	}
}

void ppu_sched_slice_over(struct ppu_core *core, void *arg)
{
	struct ppu_engine *eng = arg;

	if (eng->group_ctx) {
		PPU_TRACE(core, SLICE_EXPIRE, eng->group_from, eng->cls, 0, 0, 0);
		ppu_group_end(core, eng);
	} else {
		const struct ppu_chan *ch = ppu_chan(core, eng->holder);

		eng->expired = true;
		PPU_TRACE(core, SLICE_EXPIRE, eng->holder, eng->cls, 0, 0, 0);
		if (ch->group)
			ppu_group_behind(core, ch->ctx, ch->group, eng->cls);
	}
	ppu_sched_kick(core);
}

/* The best channel of the runlist for engine e, of at least priority `min`; NULL: none. */
static struct ppu_chan *best(struct ppu_core *core, unsigned e, unsigned min)
{
	struct ppu_host *h = core->host;

	uint64_t left = min < PPU_NUM_PRIO ? h->occupied[h->engines[e].cls] >> min << min : 0;

	while (left) {
		unsigned prio = 63 - (unsigned)__builtin_clzll(left);
		struct ppu_runlist *r = &h->runlist[h->engines[e].cls][prio];
		struct ppu_chan *ch = ppu_runlist_best(core, r, mask_of(e));

		if (ch)
			return ch;
		left &= ~(1ull << prio);
	}
	return NULL;
}

/* Who gets engine e, which nobody holds; NULL: nobody wants it. */
static struct ppu_chan *next_holder(struct ppu_core *core, unsigned e)
{
	struct ppu_engine *eng = &core->host->engines[e];
	struct ppu_chan *ch = best(core, e, 0), *member;

	if (!eng->group_ctx)
		return ch;
	member = ppu_group_waiting(core, eng->group_ctx, eng->group, eng->cls, mask_of(e));
	if (member && member->priority >= ch->priority)
		return member;
	ppu_group_end(core, eng);
	return best(core, e, 0);
}

/* Must the holder of engine e, between two commands, give the engine to another channel? */
static bool must_yield(struct ppu_core *core, unsigned e, const struct ppu_chan *ch)
{
	const struct ppu_engine *eng = &core->host->engines[e];
	const struct ppu_chan *other;

	if (best(core, e, ch->priority + 1))
		return true;
	if (!eng->expired)
		return false;
	other = best(core, e, ch->priority);
	return other && ppu_runlist_compare(other->ctx, ch->ctx, eng->cls) <= 0;
}

/* The channel's next command, which is latched, needs an engine. */
void ppu_sched_reached_engine(struct ppu_core *core, struct ppu_chan *ch)
{
	struct ppu_host *h = core->host;
	bool free = false;

	if (ch->engine >= 0 && h->engines[ch->engine].cls != ch->op_class)
		ppu_sched_release(core, ch);
	ch->run_class = ch->op_class;
	ppu_chan_set_state(core, ch, CH_ENGINE);
	if (ch->engine >= 0 || ch->paused)
		return;
	join(core, ch, CH_IN_RUNLIST);
	for (unsigned e = 0; e < h->num_engines && !free; e++)
		free = h->engines[e].holder == PPU_NO_CH && allowed(core, ch, e);
	if (!free)
		ppu_hostif_block(core, ch, PPU_TRB_ENGINE, 0, 0);
}

/* Checks the gates again (CP-33).  False: the channel is blocked at a gate, or faulted. */
static bool gates_open(struct ppu_core *core, struct ppu_chan *ch)
{
	if (core->cfg.gate_literal)
		return true;
	for (uint32_t i = 0; i < ch->num_gates; i++) {
		const struct ppu_gate *g = &ch->gates[i];
		struct ppu_phys p;
		uint64_t word;
		int err = ppu_hostif_sem_read(core, ch, g->va, g->is32, 0, &word, &p);

		if (err) {
			ppu_chan_error(core, ppu_chid(core, ch), (unsigned)err, g->va);
			return false;
		}
		if (ppu_sem_compare(g->op, word, g->value, g->is32))
			continue;
		ch->waiter.ctx = ch->ctx;
		ch->waiter.op = g->op;
		ch->waiter.is32 = g->is32;
		ch->waiter.value = g->value;
		/* ppu_sem_wait() looks at the word.  This may have woken the waiters of the word, this
		 * channel among them. */
		if (!ppu_sem_wait(core, &ch->waiter, p, g->va) || !ch->waiter.word)
			continue;
		ppu_hostif_block(core, ch, PPU_TRB_GATE, g->va, g->value);
		ppu_sched_remove(core, ch);
		ppu_chan_set_state(core, ch, CH_SEM);
		/* This channel may have been woken to take the free task record: wake the next one that
		 * waits for a record. */
		ppu_sched_pool_next(core);
		return false;
	}
	return true;
}

/* The context that an engine was kept free for pays for that time.  The bound of its drain is not changed. */
static void settle_drain(struct ppu_core *core, struct ppu_engine *eng)
{
	if (eng->drain_ctx && eng->holder == PPU_NO_CH)
		ppu_runlist_charge(core, eng->drain_ctx, eng->cls, core->now - eng->drain_since);
	eng->drain_since = core->now;
}

static void end_drain(struct ppu_core *core, struct ppu_engine *eng)
{
	settle_drain(core, eng);
	eng->drain_ctx = NULL;
	eng->drain_runs = 0;
}

void ppu_sched_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx)
{
	struct ppu_host *h = core->host;

	/* The owner may have other contexts, for which he goes on. */
	for (unsigned i = 0; i < h->num_engines; i++)
		if (h->engines[i].drain_ctx == ctx)
			end_drain(core, &h->engines[i]);
}

/* Must ready channels of the context of the candidate ch be served first? */
static bool drain(struct ppu_core *core, struct ppu_engine *eng, const struct ppu_chan *ch)
{
	if (eng->drain_ctx != ch->ctx) {
		end_drain(core, eng);
		eng->drain_ctx = ch->ctx;
	}
	return ch->ctx->host->num_ready && eng->drain_runs < ch->ctx->host->num_channels * PPU_NUM_PRIO;
}

static void dispatch(struct ppu_core *core, struct ppu_chan *ch)
{
	struct ppu_engine *eng = &core->host->engines[ch->engine];
	unsigned chid = ppu_chid(core, ch), err = PPU_ERR_TMD_BAD;

	if (ch->op_class == PPU_CLASS_COMPUTE) {
		switch (ppu_tmu_launch(core, ch->ctx, chid, ch->tmd_va, &err)) {
		case PPU_SUBMIT_OK:
			break;
		case PPU_SUBMIT_FULL:
			ppu_hostif_block(core, ch, PPU_TRB_TASKS, 0, 0);
			ppu_sched_release(core, ch);
			ppu_chan_set_state(core, ch, CH_POOL);
			join(core, ch, CH_IN_POOL);
			return;
		case PPU_SUBMIT_ERROR:
			ppu_chan_error(core, chid, err, ch->tmd_va);
			return;
		}
		/* A task that faults at once may have stopped the channel. */
		if (!ch->enabled)
			return;
	}
	ppu_hostif_unblock(core, ch);
	core->ctr[PPU_CTR_HOST_CMDS]++;
	ch->op_start = core->now;
	eng->busy = true;
	ppu_chan_set_state(core, ch, CH_BUSY);
	if (ch->op_class == PPU_CLASS_COMPUTE) {
		PPU_TRACE(core, CMD, chid, ch->get, PPU_CMD_LAUNCH, ch->tmd_va, 0);
		ppu_event_schedule(core, &eng->done_event,
				   core->now + core->cfg.cost_cmd_ns + core->cfg.cost_launch_ns);
		ppu_sched_pool_next(core);
	} else {
		PPU_TRACE(core, CMD, chid, ch->get, ch->copy.op, ch->copy.src, ch->copy.dst);
		ch->copy.id = ch->copies++;
		ppu_ce_start(core, (unsigned)ch->engine - 1, ch->ctx, &ch->copy);
	}
}

/* The engine's command is done. */
static void done(struct ppu_core *core, struct ppu_chan *ch)
{
	struct ppu_engine *eng = &core->host->engines[ch->engine];

	eng->busy = false;
	ch->runtime += core->now - ch->op_start;
	ch->num_gates = 0;
	ch->op_class = 0;
	ppu_sched_kick(core);
	if (!ppu_hostif_command_done(core, ch, ch->op_words)) {
		if (!ch->enabled)
			return;
		ppu_sched_release(core, ch);
		ppu_chan_set_state(core, ch, CH_IDLE);
		return;
	}
	ppu_chan_set_state(core, ch, CH_TURN);
	if (ch->paused)
		ppu_sched_release(core, ch);
}

void ppu_sched_launch_done(struct ppu_core *core, void *arg)
{
	struct ppu_engine *eng = arg;

	done(core, ppu_chan(core, eng->holder));
}

void ppu_host_copy_done(struct ppu_core *core, unsigned chid)
{
	done(core, ppu_chan(core, chid));
}

uint32_t ppu_host_owner(const struct ppu_core *core, unsigned engine)
{
	const struct ppu_engine *eng = &core->host->engines[engine + 1];

	return eng->busy ? eng->holder : PPU_NO_CH;
}

enum decision { DECIDED, NOTHING_MORE, NOT_READY };

/* One decision for engine e. */
static enum decision decide(struct ppu_core *core, unsigned e)
{
	struct ppu_engine *eng = &core->host->engines[e];
	struct ppu_chan *ch;
	bool fresh = eng->holder == PPU_NO_CH;

	if (eng->busy)
		return NOTHING_MORE;
	if (!fresh) {
		ch = ppu_chan(core, eng->holder);
		if (ch->state == CH_READY) {
			/* The holder executes commands that need no engine.  So it loses the engine once
			 * its slice is over and another channel waits. */
			settle(core, eng, ch);
			if (!eng->expired || !best(core, e, 0))
				return NOTHING_MORE;
			ch->preempts++;
			ppu_sched_release(core, ch);
			return DECIDED;
		}
		/* The state is CH_TURN or CH_ENGINE: a holder in any other state has given its engine
		 * back. */
		settle(core, eng, ch);
		if (must_yield(core, e, ch)) {
			ch->preempts++;
			/* Join before the release: a context that is never absent from the runlist keeps
			 * the account of what it has used. */
			join(core, ch, CH_IN_RUNLIST);
			ppu_sched_release(core, ch);
			ppu_hostif_block(core, ch, PPU_TRB_ENGINE, 0, 0);
			return DECIDED;
		}
		if (eng->expired)
			start_slice(core, ch);
	} else {
		ch = next_holder(core, e);
		if (!ch) {
			end_drain(core, eng);
			return NOTHING_MORE;
		}
	}
	if (ch->state == CH_TURN) {
		if (fresh)
			hold(core, ch, e);
		ppu_hostif_unblock(core, ch);
		ppu_sched_ready(core, ch);
		return NOTHING_MORE;
	}
	if (drain(core, eng, ch))
		return NOTHING_MORE;
	if (!gates_open(core, ch)) {
		settle_drain(core, eng);
		return DECIDED;
	}
	if (ch->op_class == PPU_CLASS_COMPUTE && !ppu_tmu_prepare(core, ch->ctx, ppu_chid(core, ch), ch->tmd_va))
		return NOT_READY;
	end_drain(core, eng);
	if (fresh)
		hold(core, ch, e);
	dispatch(core, ch);
	return DECIDED;
}

static enum ppu_sched_passed decide_all(struct ppu_core *core)
{
	unsigned left = MAX_DECISIONS;

	for (unsigned e = 0; e < core->host->num_engines; e++) {
		enum decision d;

		while ((d = decide(core, e)) == DECIDED)
			if (!--left)
				return PPU_SCHED_LATER;
		if (d == NOT_READY)
			return PPU_SCHED_AGAIN;
	}
	return PPU_SCHED_DONE;
}

/* Decides for all engines. */
enum ppu_sched_passed ppu_sched_pass(struct ppu_core *core)
{
	enum ppu_sched_passed passed = decide_all(core);

	/* Commands of others come first: time passes, and they may write code. */
	if (passed != PPU_SCHED_AGAIN)
		ppu_icache_unprepare(core, ~0u);
	return passed;
}

void ppu_sched_resume(struct ppu_core *core, struct ppu_chan *ch)
{
	switch (ch->state) {
	case CH_READY:
	case CH_POOL:
		/* A run that the pause has not ended yet goes on by itself. */
		if (core->host->run != ppu_chid(core, ch))
			ppu_sched_ready(core, ch);
		break;
	case CH_ENGINE:
	case CH_TURN:
		join(core, ch, CH_IN_RUNLIST);
		ppu_sched_kick(core);
		break;
	}
}
