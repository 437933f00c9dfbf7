/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task management unit: accepts TMDs, keeps a record of each until it is complete, and holds the
 * waiting ones in the scheduler table, one list per device priority.
 *
 * Acceptance and scheduling are decoupled (HW-18): an accepted task stands in a queue for
 * cost_launch_ns, then joins its list; which task gets a slot is decided when wdu.c has one.
 * Depth, parent and priority of children come from the parent's record, never from memory that
 * threads can write (SP-2, SP-10, SP-12).
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/fault.h"
#include "core/memory/mmu.h"
#include "core/sm/mem/icache.h"
#include "core/sm/mem/storebuf.h"
#include "core/tasks/gpc.h"
#include "core/tasks/order.h"
#include "core/tasks/taskq.h"
#include "core/tasks/tmd.h"
#include "core/tasks/tmu_state.h"
#include "core/tasks/wdu.h"

struct ppu_task *ppu_tmu_task(struct ppu_core *core, uint32_t index)
{
	struct ppu_tmu *tm = core->tmu;

	return index < tm->top && tm->rec[index].t.state != PPU_TASK_FREE ? &tm->rec[index].t : NULL;
}

/* Finds the first record in use from number `from` on: first its word of 64 records, then the record. */
static struct ppu_task *next_used(struct ppu_core *core, uint32_t from)
{
	const struct ppu_tmu *tm = core->tmu;
	uint32_t words = (tm->top + 63) / 64;
	uint64_t mask;

	for (uint32_t i = from / 64; i < words; i++) {
		mask = tm->used[i] & (i == from / 64 ? ~0ull << from % 64 : ~0ull);
		if (mask)
			return &tm->rec[i * 64 + (uint32_t)__builtin_ctzll(mask)].t;
	}
	return NULL;
}

void ppu_tmu_show(struct ppu_core *core, uint32_t from, struct ppu_task_info *info)
{
	static const uint8_t shown[] = {
		[PPU_TASK_PENDING] = PPU_TASK_IS_PENDING, [PPU_TASK_ACTIVE] = PPU_TASK_IS_RUNNING,
		[PPU_TASK_EVICTED] = PPU_TASK_IS_EVICTED, [PPU_TASK_SUSPENDED] = PPU_TASK_IS_SUSPENDED,
		[PPU_TASK_CODE_DONE] = PPU_TASK_IS_CODE_DONE, [PPU_TASK_ABORTING] = 0,
	};
	const struct ppu_task *t = next_used(core, from);

	if (!t) {
		*info = (struct ppu_task_info){ .record = PPU_TASK_NONE };
		return;
	}
	*info = (struct ppu_task_info){
		.record = t->sm.index, .state = shown[t->state], .slot = t->slot < 0 ? PPU_TASK_NONE : (uint32_t)t->slot,
		.priority = t->sm.priority, .depth = t->sm.depth,
		.parent = t->parent < 0 ? PPU_TASK_NONE : (uint32_t)t->parent,
		.context = t->sm.ctx->blk.context_id, .channel = t->sm.root_chid, .id = t->sm.launch.id,
		.ctas = t->num_ctas, .ctas_done = t->done_ctas,
		.ctas_running = t->live_ctas, .ctas_saved = t->saved_ctas,
	};
}

int32_t *ppu_tmu_looks(struct ppu_core *core)
{
	return &core->tmu->looks;
}

/* ---- lists ---------------------------------------------------------------------------------- */

void ppu_tmu_list_insert(struct ppu_core *core, struct ppu_tmu_list *l, struct ppu_tmu_record *r, bool at_head)
{
	struct ppu_tmu_record *rec = core->tmu->rec;
	int32_t i = (int32_t)r->t.sm.index;

	r->prev = at_head ? -1 : l->tail;
	r->next = at_head ? l->head : -1;
	*(r->prev >= 0 ? &rec[r->prev].next : &l->head) = i;
	*(r->next >= 0 ? &rec[r->next].prev : &l->tail) = i;
}

static void list_remove(struct ppu_core *core, struct ppu_tmu_list *l, struct ppu_tmu_record *r)
{
	struct ppu_tmu_record *rec = core->tmu->rec;

	*(r->prev >= 0 ? &rec[r->prev].next : &l->head) = r->next;
	*(r->next >= 0 ? &rec[r->next].prev : &l->tail) = r->prev;
	r->prev = r->next = -1;
}

static void enlist(struct ppu_core *core, struct ppu_task *t, bool at_head)
{
	ppu_tmu_list_insert(core, &core->tmu->lists[t->sm.priority], ppu_tmu_record(core, t), at_head);
	ppu_tmu_record(core, t)->listed = true;
	ppu_rank_of(t);
	ppu_rank_add(core, t, at_head);
}

static void unlist(struct ppu_core *core, struct ppu_task *t)
{
	struct ppu_tmu_record *r = ppu_tmu_record(core, t);

	if (r->accepting)
		list_remove(core, &core->tmu->accepted, r);
	else if (r->listed) {
		list_remove(core, &core->tmu->lists[t->sm.priority], r);
		ppu_rank_remove(core, t);
	}
	r->accepting = r->listed = false;
}

/* ---- records -------------------------------------------------------------------------------- */

/*
 * Tasks may have no end.  So the last eighth of the records is for owners with few tasks: one that launches more and
 * more cannot keep the others out.
 */
bool ppu_tmu_has_record(const struct ppu_core *core, const struct ppu_ctx *ctx)
{
	uint32_t left = core->cfg.task_records - core->tmu->num_used, kept = core->cfg.task_records / 8;

	return left > kept || (left && ctx->owner->num_tasks < kept / 256 + 1);
}

/* Takes the lowest free record, so that record numbers depend only on which records are in use. */
static struct ppu_tmu_record *take_record(struct ppu_core *core, const struct ppu_ctx *ctx)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i, words = (core->cfg.task_records + 63) / 64;
	struct ppu_tmu_record *r;

	if (!ppu_tmu_has_record(core, ctx))
		return NULL;
	for (i = tm->hint; i < words && !~tm->used[i]; i++)
		core->task_steps++;
	tm->hint = i;
	if (i == words)
		return NULL;
	i = i * 64 + (uint32_t)__builtin_ctzll(~tm->used[i]);
	if (i >= core->cfg.task_records)
		return NULL;
	tm->used[i / 64] |= 1ull << i % 64;
	tm->num_used++;
	r = &tm->rec[i];
	if (i >= tm->top) {
		for (; tm->top <= i; tm->top++)
			tm->rec[tm->top].t.sm.gen = 1;
	}
	return r;
}

static void give_record(struct ppu_core *core, struct ppu_tmu_record *r)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i = r->t.sm.index, gen = r->t.sm.gen + 1;

	if (r->t.sm.prog)
		ppu_icache_put(core, r->t.sm.prog);
	ppu_taskq_free(core, &r->t);
	ppu_free(r->t.sm.params);
	memset(r, 0, sizeof(*r));
	r->t.sm.index = i;
	r->t.sm.gen = gen ? gen : 1;
	tm->used[i / 64] &= ~(1ull << i % 64);
	if (i / 64 < tm->hint)
		tm->hint = i / 64;
	tm->num_used--;
}

void ppu_tmu_stores_until(struct ppu_core *core, const struct ppu_task *t, uint64_t time)
{
	uint64_t *idle = &core->tmu->chan_idle[t->sm.root_chid];

	if (*idle < time)
		*idle = time;
}

/* The end of a task, complete or aborted: corrects everything that counts the task. */
static void release(struct ppu_core *core, struct ppu_task *t)
{
	struct ppu_tmu *tm = core->tmu;

	ppu_observe_task(core, &t->sm, true);
	ppu_order_drop(core, t);
	t->sm.ctx->num_tasks--;
	t->sm.ctx->owner->num_tasks--;
	t->sm.ctx->num_children -= t->sm.depth > 1;
	if (ppu_tmu_record(core, t)->running)
		ppu_task_time_change(core, t->sm.root_chid, false);
	if (!--tm->chan_tasks[t->sm.root_chid])
		ppu_tmu_stores_until(core, t, core->now + core->cfg.cost_wfi_drain_ns);
	give_record(core, ppu_tmu_record(core, t));
}

static void notify(struct ppu_core *core, unsigned chid)
{
	if (!core->tmu->chan_tasks[chid])
		ppu_host_tasks_changed(core, chid);
	ppu_host_pool_freed(core);
}

/* The priority that a launch from the CPU asks for.  False: it is above the ceiling. */
static bool cpu_priority(const struct ppu_core *core, const struct ppu_ctx *ctx,
			 const struct ppu_tmd *t, uint32_t *priority)
{
	*priority = ppu_rank_level(core, 0);	/* lowest, the default (SP-34, SP-35) */
	if (!core->cfg.device_priorities || !(t->flags & PPU_TMDF_PRIO_VALID))
		return true;
	*priority = t->priority;
	return t->priority < core->cfg.device_priorities &&
	       ppu_rank_level(core, t->priority) <= ppu_rank_level(core, ctx->blk.prio_ceiling);
}

/* One priority above the parent (SP-12), if there is a higher one under the context's ceiling. */
static uint32_t child_priority(const struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_task *parent)
{
	uint32_t level = ppu_rank_level(core, parent->sm.priority);

	return ppu_rank_level(core, level + (level < ppu_rank_level(core, ctx->blk.prio_ceiling)));
}

static int read_tmd(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t tmd_va, bool child, struct ppu_tmd *t)
{
	int err;

	if (tmd_va % PPU_TMD_ALIGN)
		return PPU_ERR_TMD_BAD;
	if (ppu_mmu_read(core, ctx, tmd_va, t, sizeof(*t), 0))
		return PPU_ERR_TMD_FAULT;
	err = ppu_tmd_check(core, ctx, t);
	return !err && !ppu_order_tmd_ok(t, child) ? PPU_ERR_TMD_BAD : err;
}

/* A launch by the CPU has its descriptor and its program already. */
static int take_tmd(struct ppu_core *core, struct ppu_task *t)
{
	t->sm.launch = core->tmu->launch.tmd;
	return core->tmu->launch.tmd_err;
}

static int take_program(struct ppu_core *core, struct ppu_task *t)
{
	t->sm.prog = core->tmu->launch.prog;
	core->tmu->launch.prog = NULL;
	return core->tmu->launch.code_err;
}

/* Fill a fresh record. 0 or PPU_ERR_*; on error the record is free again. */
static int accept(struct ppu_core *core, struct ppu_tmu_record *r, struct ppu_ctx *ctx, unsigned chid,
		  uint64_t tmd_va, const struct ppu_task *parent)
{
	struct ppu_tmu *tm = core->tmu;
	struct ppu_task *t = &r->t;
	uint32_t padded;
	uint64_t va;
	int err;

	t->sm.index = (uint32_t)(r - tm->rec);
	err = parent ? read_tmd(core, ctx, tmd_va, true, &t->sm.launch) : take_tmd(core, t);
	if (err)
		goto fail;
	if (parent) {
		t->sm.priority = child_priority(core, ctx, parent);
	} else if (!cpu_priority(core, ctx, &t->sm.launch, &t->sm.priority)) {
		err = PPU_ERR_TMD_PRIORITY;
		goto fail;
	}
	padded = (t->sm.launch.param_bytes + 15) & ~15u;
	t->sm.params = ppu_alloc(1, padded ? padded : 16);
	err = PPU_ERR_HOST_MEMORY;
	if (!t->sm.params)
		goto fail;
	err = PPU_ERR_TMD_FAULT;
	if (t->sm.launch.param_bytes &&
	    ppu_mmu_read(core, ctx, t->sm.launch.param_va, t->sm.params, t->sm.launch.param_bytes, 0))
		goto fail;
	t->sm.depth = parent ? parent->sm.depth + 1 : 1;
	err = PPU_ERR_TMD_LIMITS;
	if (!ppu_ctas_fits(core, ctx, &t->sm.launch, t->sm.depth))
		goto fail;
	err = PPU_ERR_HOST_MEMORY;
	if (!ppu_rank_prepare(core, ctx, t->sm.depth))
		goto fail;
	err = parent ? ppu_icache_get(core, ctx, &t->sm.launch, &t->sm.prog, &va) : take_program(core, t);
	if (err)
		goto fail;

	t->sm.ctx = ctx;
	t->tmd_va = tmd_va;
	t->sm.root_chid = chid;
	t->parent = parent ? (int32_t)parent->sm.index : -1;
	t->slot = -1;
	r->prev = r->next = -1;
	ppu_rank_init_task(t);
	ppu_ctas_init_task(t);
	t->num_ctas = t->avail_ctas = ppu_tmd_ctas(&t->sm.launch);
	if (t->sm.launch.kind == PPU_TMD_QUEUE && !ppu_taskq_create(t)) {
		err = PPU_ERR_HOST_MEMORY;
		goto fail;
	}
	t->state = PPU_TASK_PENDING;
	r->last_slot = PPU_TR_NO_UNIT;
	ctx->num_tasks++;
	ctx->owner->num_tasks++;
	ctx->num_children += parent != NULL;
	tm->chan_tasks[chid]++;

	/* The cost is the same for all tasks, so the queue is in order of time. */
	r->ready = core->now + core->cfg.cost_launch_ns;
	r->accepting = true;
	ppu_tmu_list_insert(core, &tm->accepted, r, false);
	if (!ppu_event_pending(&tm->accept_ev))
		ppu_event_schedule(core, &tm->accept_ev, r->ready);
	ppu_observe_task(core, &t->sm, false);
	PPU_TRACE(core, TASK_ACCEPT, chid, t->sm.priority, tmd_va, PPU_TASK_ID(t), t->sm.depth);
	if (parent && core->cfg.device_priorities && t->sm.priority == parent->sm.priority)
		PPU_TRACE(core, TASK_CEILING, chid, t->sm.priority, tmd_va, PPU_TASK_ID(t), t->sm.depth);
	return 0;
fail:
	give_record(core, r);
	return err;
}

void ppu_tmu_start(struct ppu_core *core, struct ppu_task *t, unsigned reason)
{
	if (t->queue) {		/* a queue task joins its list when there is an entry */
		t->state = PPU_TASK_SUSPENDED;
		ppu_taskq_accepted(core, t);
		return;
	}
	enlist(core, t, t->sm.launch.flags & PPU_TMDF_ADD_HEAD);
	PPU_TRACE(core, TASK_PEND, PPU_TR_NO_UNIT, reason, t->tmd_va, PPU_TASK_ID(t), 0);
}

/* Accepted tasks whose time has come join the scheduler table, or wait for their elder siblings. */
static void accept_event(struct ppu_core *core, void *arg)
{
	struct ppu_tmu *tm = core->tmu;
	struct ppu_tmu_record *r;

	while (tm->accepted.head >= 0) {
		r = &tm->rec[tm->accepted.head];
		if (r->ready > core->now) {
			ppu_event_schedule(core, &tm->accept_ev, r->ready);
			break;
		}
		unlist(core, &r->t);
		if (!ppu_order_hold(core, &r->t))
			ppu_tmu_start(core, &r->t, PPU_TRP_NEW);
	}
	ppu_wdu_kick(core);
}

static bool runs(const struct ppu_ctx *ctx)
{
	return ctx && !ctx->faulted && !ctx->stopped;
}

bool ppu_tmu_prepare(struct ppu_core *core, struct ppu_ctx *ctx, unsigned chid, uint64_t tmd_va)
{
	struct ppu_tmu_launch *l = &core->tmu->launch;

	if (!runs(ctx))
		return true;
	l->full = !ppu_tmu_has_record(core, ctx);
	if (l->full)
		return true;
	/*
	 * The descriptor is read once.  Somebody in the guest who writes it between the steps would else have the program
	 * begun anew for ever, at one device time, while all others wait.
	 */
	if (!ppu_icache_prepares(core, chid)) {
		ppu_icache_unprepare(core, ~0u);
		l->tmd_err = read_tmd(core, ctx, tmd_va, false, &l->tmd);
	}
	return l->tmd_err || ppu_icache_prepare(core, ctx, chid, &l->tmd, &l->prog, &l->code_err);
}

enum ppu_submit_result ppu_tmu_launch(struct ppu_core *core, struct ppu_ctx *ctx, unsigned chid, uint64_t tmd_va,
				      unsigned *err)
{
	struct ppu_tmu_launch *l = &core->tmu->launch;
	struct ppu_tmu_record *r;
	int e;

	if (!runs(ctx) || chid >= core->cfg.channels) {
		*err = PPU_ERR_CTX_STOPPED;
		return PPU_SUBMIT_ERROR;
	}
	r = l->full ? NULL : take_record(core, ctx);
	if (!r)
		return PPU_SUBMIT_FULL;
	e = accept(core, r, ctx, chid, tmd_va, NULL);
	if (l->prog)
		ppu_icache_put(core, l->prog);
	l->prog = NULL;
	if (e) {
		*err = (unsigned)e;
		return PPU_SUBMIT_ERROR;
	}
	return PPU_SUBMIT_OK;
}

static struct ppu_fault_rec task_record(struct ppu_core *core, const struct ppu_task *t, unsigned code, uint64_t va)
{
	return (struct ppu_fault_rec){
		.va = va, .task_id = t->sm.launch.id, .code = (uint16_t)code,
		.access = PPU_ACC_WRITE, .unit = PPU_UNIT_TASK,
		.unit_index = (uint16_t)ppu_tmu_record(core, t)->last_slot,
		.channel = (uint16_t)t->sm.root_chid, .pc = ~0u, .lane = PPU_FAULT_NO_LANE,
		.warp = 0xffff,
	};
}

/* The launching thread has its answer; the driver hears of the first launch of a context that was too deep (SP-37). */
static int too_deep(struct ppu_core *core, struct ppu_task *t, uint64_t tmd_va)
{
	struct ppu_fault_rec rec;

	if (!t->sm.ctx->too_deep) {
		t->sm.ctx->too_deep = true;
		rec = task_record(core, t, PPU_ERR_LAUNCH_DEPTH, tmd_va);
		rec.inst = t->sm.ctx->inst;
		rec.access = PPU_ACC_READ;
		ppu_fault_record(core, &rec);
	}
	return PPU_LAUNCH_DEPTH;
}

int ppu_tmu_launch_child(struct ppu_core *core, struct ppu_task *parent, uint64_t tmd_va, struct ppu_task **child)
{
	struct ppu_tmu_record *r;
	int err;

	*child = NULL;
	if (parent->sm.ctx->faulted || parent->sm.ctx->stopped)
		return PPU_LAUNCH_STOPPED;
	if (parent->sm.depth >= parent->sm.ctx->blk.max_depth)	/* before any side effect (SP-36) */
		return too_deep(core, parent, tmd_va);
	if (parent->sm.ctx->blk.max_pending && parent->sm.ctx->num_children >= parent->sm.ctx->blk.max_pending)
		return PPU_LAUNCH_PENDING;
	r = take_record(core, parent->sm.ctx);
	if (!r)
		return PPU_LAUNCH_POOL;
	err = accept(core, r, parent->sm.ctx, parent->sm.root_chid, tmd_va, parent);
	switch (err) {
	case 0:
		break;
	case PPU_ERR_TMD_FAULT:
	case PPU_ERR_TMD_BAD:
		return PPU_LAUNCH_TMD;
	case PPU_ERR_TMD_LIMITS:
	case PPU_ERR_NO_TOKQ:
		return PPU_LAUNCH_LIMITS;
	case PPU_ERR_HOST_MEMORY:		/* ends the context, and with it the parent */
		ppu_tmu_fault(core, parent, PPU_ERR_TASK_MEMORY, tmd_va);
		return PPU_LAUNCH_STOPPED;
	default:
		return PPU_LAUNCH_CODE;
	}
	parent->live_children++;
	core->ctr[PPU_CTR_CHILD_TASKS]++;
	*child = &r->t;
	return PPU_LAUNCH_OK;
}

/* ---- the scheduler table ---------------------------------------------------------------------- */

const struct ppu_task *ppu_tmu_listed(struct ppu_core *core, uint32_t priority, const struct ppu_task *after)
{
	int32_t i = -1;

	if (priority < core->tmu->num_lists)
		i = after ? ppu_tmu_record(core, after)->next : core->tmu->lists[priority].head;
	return i < 0 ? NULL : &core->tmu->rec[i].t;
}

bool ppu_tmu_paused(const struct ppu_core *core)
{
	return core->tmu->paused;
}

void ppu_tmu_pause(struct ppu_core *core, bool paused)
{
	core->tmu->paused = paused;
	ppu_wdu_kick(core);
}

struct ppu_task *ppu_tmu_next(struct ppu_core *core)
{
	return ppu_rank_first(core, core->tmu->rr);
}

void ppu_tmu_take(struct ppu_core *core, struct ppu_task *t, unsigned slot)
{
	bool resumed = ppu_tmu_record(core, t)->last_slot != PPU_TR_NO_UNIT;

	unlist(core, t);
	core->tmu->rr = (ppu_rank_level(core, t->sm.priority) + 1) % core->tmu->num_lists;
	t->state = PPU_TASK_ACTIVE;
	t->slot = (int32_t)slot;
	ppu_tmu_record(core, t)->sched_time = core->now;
	ppu_tmu_record(core, t)->last_slot = slot;
	if (resumed)
		PPU_TRACE(core, TASK_RESUME, slot, t->sm.priority, t->tmd_va, PPU_TASK_ID(t), t->sm.depth);
	else
		PPU_TRACE(core, TASK_SCHED, slot, t->sm.priority, t->tmd_va, PPU_TASK_ID(t), t->sm.depth);
}

void ppu_tmu_give_back(struct ppu_core *core, struct ppu_task *t)
{
	PPU_TRACE(core, TASK_EVICT, (unsigned)t->slot, t->sm.priority, t->tmd_va, PPU_TASK_ID(t), 0);
	core->ctr[PPU_CTR_EVICTIONS]++;
	t->slot = -1;
	if (ppu_task_has_work(t)) {
		t->state = PPU_TASK_EVICTED;
		enlist(core, t, true);		/* A-HW-7 */
	} else {
		t->state = PPU_TASK_SUSPENDED;
	}
}

void ppu_tmu_suspend(struct ppu_core *core, struct ppu_task *t, unsigned reason)
{
	PPU_TRACE(core, TASK_SUSPEND, (unsigned)t->slot, reason, t->tmd_va, PPU_TASK_ID(t), 0);
	t->slot = -1;
	t->state = PPU_TASK_SUSPENDED;
}

void ppu_tmu_can_go_on(struct ppu_core *core, struct ppu_task *t, unsigned reason)
{
	struct ppu_tmu_record *r = ppu_tmu_record(core, t);

	if (t->state == PPU_TASK_SUSPENDED) {
		PPU_TRACE(core, TASK_PEND, PPU_TR_NO_UNIT, reason, t->tmd_va, PPU_TASK_ID(t), 0);
		t->state = PPU_TASK_EVICTED;
		enlist(core, t, r->last_slot != PPU_TR_NO_UNIT || t->sm.launch.flags & PPU_TMDF_ADD_HEAD);
	} else if (r->listed && !ppu_rank_right(t)) {
		/* The task waited for room to start a CTA. Now it can go on without room, with a saved
		 * CTA. */
		unlist(core, t);
		enlist(core, t, true);
	}
	ppu_wdu_kick(core);
}

/* ---- completion ---------------------------------------------------------------------------------- */

void ppu_tmu_fault(struct ppu_core *core, struct ppu_task *t, unsigned code, uint64_t va)
{
	struct ppu_fault_rec rec = task_record(core, t, code, va);

	ppu_tmu_task_fault(core, t, &rec);
}

/* The task and all its children are done.  Then its parent may be complete too, and so on upwards. */
static void complete(struct ppu_core *core, struct ppu_task *t)
{
	unsigned chid = t->sm.root_chid;

	for (;;) {
		uint32_t gen = t->sm.gen;
		int32_t parent = t->parent;
		struct ppu_task *p;

		/* Who waits for the task itself, and not with a WFI, sees its stores. */
		if (parent >= 0 || t->sm.launch.done_va)
			ppu_storebuf_settle_all(core);
		/* While the completion store wakes waiters, the task has no slot and is in no list. */
		if (t->sm.launch.done_va) {
			uint64_t v = t->sm.launch.done_value;

			if (ppu_mmu_store(core, t->sm.ctx, t->sm.launch.done_va, &v, sizeof(v), 0,
					  PPU_TRW_TASK, ppu_tmu_record(core, t)->last_slot)) {
				/* the fault ends the context, and so this task */
				ppu_tmu_fault(core, t, PPU_ERR_TASK_DONE_FAULT, t->sm.launch.done_va);
				return;
			}
			if (t->state == PPU_TASK_FREE || t->sm.gen != gen)
				return;
		}
		PPU_TRACE(core, TASK_DONE, ppu_tmu_record(core, t)->last_slot, t->sm.priority, t->tmd_va,
			  PPU_TASK_ID(t), 0);
		core->ctr[PPU_CTR_TASKS]++;
		ppu_ctas_child_done(core, t);
		ppu_order_done(core, t);
		release(core, t);
		if (parent < 0)
			break;
		p = &core->tmu->rec[parent].t;
		if (--p->live_children || p->state != PPU_TASK_CODE_DONE) {
			if (p->state == PPU_TASK_CODE_DONE)
				ppu_order_tail(core, p);
			break;
		}
		t = p;
	}
	notify(core, chid);
	ppu_wdu_kick(core);
}

void ppu_tmu_code_done(struct ppu_core *core, struct ppu_task *t)
{
	t->state = PPU_TASK_CODE_DONE;
	if (!t->live_children) {
		complete(core, t);
		return;
	}
	PPU_TRACE(core, TASK_CODE_DONE, ppu_tmu_record(core, t)->last_slot, 0, t->tmd_va, PPU_TASK_ID(t), 0);
	ppu_order_tail(core, t);
}

void ppu_tmu_task_fault(struct ppu_core *core, struct ppu_task *task, struct ppu_fault_rec *rec)
{
	ppu_ctx_fault(core, task->sm.ctx, rec);
}

/* ---- channels ------------------------------------------------------------------------------------------ */

uint32_t ppu_tmu_channel_tasks(struct ppu_core *core, unsigned chid)
{
	return chid < core->cfg.channels ? core->tmu->chan_tasks[chid] : 0;
}

bool ppu_tmu_channel_idle(struct ppu_core *core, unsigned chid, uint64_t *when)
{
	struct ppu_tmu *tm = core->tmu;

	*when = PPU_TIME_NEVER;
	if (tm->chan_tasks[chid])
		return false;
	if (core->now >= tm->chan_idle[chid])
		return true;
	*when = tm->chan_idle[chid];
	return false;
}

static void abort_task(struct ppu_core *core, struct ppu_task *t, unsigned err)
{
	PPU_TRACE(core, TASK_ABORT, t->slot < 0 ? PPU_TR_NO_UNIT : (unsigned)t->slot, err, t->tmd_va,
		  PPU_TASK_ID(t), 0);
	unlist(core, t);
	t->state = PPU_TASK_ABORTING;
	ppu_watchdog_off(core, ppu_tmu_record(core, t));
	if (t->live_ctas)
		ppu_sm_abort_task(core, &t->sm);
	ppu_gpc_drop(core, t);
	ppu_wdu_drop(core, t);
	ppu_ctas_drop(core, t);
	t->live_ctas = 0;
	release(core, t);
}

/* A task and all it launched have one root channel and one context: families go together. */
void ppu_tmu_abort_channel(struct ppu_core *core, unsigned chid)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i;

	if (chid >= core->cfg.channels || !tm->chan_tasks[chid])
		return;
	for (i = 0; i < tm->top && tm->chan_tasks[chid]; i++)
		if (tm->rec[i].t.state != PPU_TASK_FREE && tm->rec[i].t.sm.root_chid == chid)
			abort_task(core, &tm->rec[i].t, PPU_ERR_CTX_STOPPED);
	notify(core, chid);
	ppu_wdu_kick(core);
}

void ppu_tmu_abort_ctx(struct ppu_core *core, struct ppu_ctx *ctx, unsigned err)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i, chid;

	if (!ctx->num_tasks)
		return;
	for (i = 0; i < tm->top && ctx->num_tasks; i++) {
		if (tm->rec[i].t.state == PPU_TASK_FREE || tm->rec[i].t.sm.ctx != ctx)
			continue;
		chid = tm->rec[i].t.sm.root_chid;
		abort_task(core, &tm->rec[i].t, err);
		if (!tm->chan_tasks[chid])
			ppu_host_tasks_changed(core, chid);
	}
	ppu_host_pool_freed(core);
	ppu_wdu_kick(core);
}

/* ---- unit ------------------------------------------------------------------------------------------------ */

int ppu_tmu_create(struct ppu_core *core)
{
	struct ppu_tmu *tm = core->tmu = ppu_alloc(1, sizeof(*tm));

	if (!tm)
		return -1;
	tm->looks = -1;
	tm->num_lists = core->cfg.device_priorities ? core->cfg.device_priorities : 1;
	tm->rec = ppu_alloc(core->cfg.task_records, sizeof(*tm->rec));
	tm->used = ppu_alloc((core->cfg.task_records + 63) / 64 + 1, sizeof(*tm->used));
	tm->lists = ppu_alloc(tm->num_lists, sizeof(*tm->lists));
	tm->chan_tasks = ppu_alloc(core->cfg.channels, sizeof(*tm->chan_tasks));
	tm->chan_idle = ppu_alloc(core->cfg.channels, sizeof(*tm->chan_idle));
	tm->chan_time = ppu_alloc(core->cfg.channels, sizeof(*tm->chan_time));
	if (!tm->rec || !tm->used || !tm->lists || !tm->chan_tasks || !tm->chan_idle || !tm->chan_time ||
	    !ppu_events_reserve(core, 2))
		return -1;
	ppu_event_init(&tm->accept_ev, PPU_EVP_TASK, accept_event, NULL);
	ppu_event_init(&tm->watchdog_ev, PPU_EVP_TASK, ppu_watchdog_event, NULL);
	ppu_tmu_reset(core);
	return 0;
}

static void clear(struct ppu_core *core)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i;

	ppu_taskq_forget_looks(core);
	for (i = 0; i < tm->top; i++) {
		if (tm->rec[i].t.sm.prog)
			ppu_icache_put(core, tm->rec[i].t.sm.prog);
		ppu_taskq_free(core, &tm->rec[i].t);
		ppu_free(tm->rec[i].t.sm.params);
		memset(&tm->rec[i], 0, sizeof(tm->rec[i]));
	}
}

void ppu_tmu_destroy(struct ppu_core *core)
{
	struct ppu_tmu *tm = core->tmu;

	if (!tm)
		return;
	if (tm->rec)
		clear(core);
	ppu_free(tm->rec);
	ppu_free(tm->used);
	ppu_free(tm->lists);
	ppu_free(tm->chan_tasks);
	ppu_free(tm->chan_idle);
	ppu_free(tm->chan_time);
	ppu_free(tm);
	core->tmu = NULL;
}

static void forget_counts(struct ppu_ctx *ctx)
{
	ctx->num_tasks = ctx->num_children = ctx->owner->num_tasks = 0;
}

/* SMs, gpc.c and wdu.c have forgotten the tasks before (order of PPU_UNITS). */
void ppu_tmu_reset(struct ppu_core *core)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i;

	ppu_event_cancel(core, &tm->accept_ev);
	ppu_event_cancel(core, &tm->watchdog_ev);
	for (i = 0; i < tm->top; i++)
		if (tm->rec[i].t.state != PPU_TASK_FREE)
			forget_counts(tm->rec[i].t.sm.ctx);
	clear(core);
	memset(tm->used, 0, (core->cfg.task_records + 63) / 64 * sizeof(*tm->used));
	tm->num_used = tm->top = tm->hint = tm->num_watched = 0;
	tm->accepted.head = tm->accepted.tail = tm->looks = -1;
	for (i = 0; i < tm->num_lists; i++)
		tm->lists[i].head = tm->lists[i].tail = -1;
	tm->rr = 0;
	tm->paused = false;
	memset(tm->chan_tasks, 0, core->cfg.channels * sizeof(*tm->chan_tasks));
	memset(tm->chan_idle, 0, core->cfg.channels * sizeof(*tm->chan_idle));
	memset(tm->chan_time, 0, core->cfg.channels * sizeof(*tm->chan_time));
}
