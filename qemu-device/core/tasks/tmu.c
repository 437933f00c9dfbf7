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
#include <stdlib.h>
#include <string.h>
#include "core/tasks/task.h"

struct record {
	struct ppu_task t;
	uint64_t ready;			/* leaves the acceptance queue */
	uint64_t run_ns, run_since;	/* on SMs; since: while running */
	uint32_t last_slot;
	bool accepting;			/* in the acceptance queue */
	bool listed;
	bool running;			/* has CTAs on SMs that can run */
	bool watched;			/* runs, with a limit */
};

#define NO_SLOT		0xffffu		/* as in traces */
#define LONGEST_WATCH (1ull << 62)	/* later than this is never */

struct list {
	int32_t head, tail;
};

struct ppu_tmu {
	struct record *rec;
	uint64_t *used;			/* bitmap of records */
	uint32_t num_used, top;		/* records ever used: 0..top-1 */
	uint32_t hint;			/* no word of `used` before this one has a free bit */
	struct list accepted;
	int32_t looks;			/* taskq.c: queues that may have changed */
	struct list *lists;		/* scheduler table, index = device priority */
	uint32_t num_lists;
	uint32_t rr;			/* round robin: list to look at first */
	bool paused;
	uint32_t *chan_tasks;
	uint64_t *chan_idle;		/* when a channel's last task ended, + drain */
	struct ppu_event accept_ev, watchdog_ev;
	uint32_t num_watched;		/* records with `watched`: the event is there for them */
};

static struct record *record_of(struct ppu_core *core, const struct ppu_task *t)
{
	return &core->tmu->rec[t->index];
}

struct ppu_task *ppu_tmu_task(struct ppu_core *core, uint32_t index)
{
	struct ppu_tmu *tm = core->tmu;

	return index < tm->top && tm->rec[index].t.state != PPU_TASK_FREE ? &tm->rec[index].t : NULL;
}

/* First words of 64 records, then the record. */
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
		.record = t->index, .state = shown[t->state], .slot = t->slot < 0 ? PPU_TASK_NONE : (uint32_t)t->slot,
		.priority = t->priority, .depth = t->depth,
		.parent = t->parent < 0 ? PPU_TASK_NONE : (uint32_t)t->parent,
		.context = t->ctx->blk.context_id, .channel = t->root_chid, .id = t->launch.id,
		.ctas = t->num_ctas, .ctas_done = t->done_ctas,
		.ctas_running = t->live_ctas, .ctas_saved = t->saved_ctas,
	};
}

int32_t *ppu_tmu_looks(struct ppu_core *core)
{
	return &core->tmu->looks;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void list_insert(struct ppu_core *core, struct list *l, struct ppu_task *t, bool at_head)
{
	struct record *rec = core->tmu->rec;

	t->list_prev = at_head ? -1 : l->tail;
	t->list_next = at_head ? l->head : -1;
	if (t->list_prev >= 0)
		rec[t->list_prev].t.list_next = (int32_t)t->index;
	else
		l->head = (int32_t)t->index;
	if (t->list_next >= 0)
		rec[t->list_next].t.list_prev = (int32_t)t->index;
	else
		l->tail = (int32_t)t->index;
}

static void list_remove(struct ppu_core *core, struct list *l, struct ppu_task *t)
{
	struct record *rec = core->tmu->rec;

	if (t->list_prev >= 0)
		rec[t->list_prev].t.list_next = t->list_next;
	else
		l->head = t->list_next;
	if (t->list_next >= 0)
		rec[t->list_next].t.list_prev = t->list_prev;
	else
		l->tail = t->list_prev;
	t->list_prev = t->list_next = -1;
}

static void enlist(struct ppu_core *core, struct ppu_task *t, bool at_head)
{
	list_insert(core, &core->tmu->lists[t->priority], t, at_head);
	record_of(core, t)->listed = true;
	ppu_rank_of(t);
	ppu_rank_add(core, t, at_head);
}

static void unlist(struct ppu_core *core, struct ppu_task *t)
{
	struct record *r = record_of(core, t);

	if (r->accepting)
		list_remove(core, &core->tmu->accepted, t);
	else if (r->listed) {
		list_remove(core, &core->tmu->lists[t->priority], t);
		ppu_rank_remove(core, t);
	}
	r->accepting = r->listed = false;
}

/* ---- records -------------------------------------------------------------------------------- */

/* The lowest free one, so that numbers depend on nothing but which are in use. */
static struct record *take_record(struct ppu_core *core)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i, words = (core->cfg.task_records + 63) / 64;
	struct record *r;

	if (tm->num_used >= core->cfg.task_records)
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
			tm->rec[tm->top].t.gen = 1;
	}
	return r;
}

static void give_record(struct ppu_core *core, struct record *r)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i = r->t.index, gen = r->t.gen + 1;

	if (r->t.prog)
		ppu_icache_put(core, r->t.prog);
	ppu_taskq_free(core, &r->t);
	free(r->t.params);
	memset(r, 0, sizeof(*r));
	r->t.index = i;
	r->t.gen = gen ? gen : 1;
	tm->used[i / 64] &= ~(1ull << i % 64);
	if (i / 64 < tm->hint)
		tm->hint = i / 64;
	tm->num_used--;
}

/* The end of a task, complete or aborted: everything that counts it. */
static void release(struct ppu_core *core, struct ppu_task *t)
{
	struct ppu_tmu *tm = core->tmu;

	ppu_order_drop(core, t);
	t->ctx->num_tasks--;
	t->ctx->num_children -= t->depth > 1;
	if (!--tm->chan_tasks[t->root_chid])
		tm->chan_idle[t->root_chid] = core->now + core->cfg.cost_wfi_drain_ns;
	give_record(core, record_of(core, t));
}

static void notify(struct ppu_core *core, unsigned chid)
{
	if (!core->tmu->chan_tasks[chid])
		ppu_host_tasks_changed(core, chid);
	ppu_host_pool_freed(core);
}

/* ---- TMDs ----------------------------------------------------------------------------------- */

/* What can be wrong with a TMD whoever launches it; fixes what the device does not look at. */
static int check_tmd(struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *t)
{
	uint64_t threads;
	unsigned i;

	if (t->magic != PPU_TMD_MAGIC || t->version != PPU_TMD_VERSION || t->size != PPU_TMD_SIZE ||
	    t->flags & ~PPU_TMDF_ALL || t->reserved0 || t->const_va)
		return PPU_ERR_TMD_BAD;
	for (i = 0; i < sizeof(t->reserved) / sizeof(t->reserved[0]); i++)
		if (t->reserved[i])
			return PPU_ERR_TMD_BAD;
	if (!ppu_taskq_tmd_ok(t))
		return PPU_ERR_TMD_BAD;
	if (t->code_va % PPU_INSN_BYTES || !t->code_insns || t->code_insns > PPU_PC_MAX + 1u ||
	    t->entry_pc >= t->code_insns || t->done_va % 8 ||
	    t->shared_dyn_bytes > t->shared_bytes)
		return PPU_ERR_TMD_BAD;
	for (i = 0; i < 3; i++)
		if (!t->grid[i] || !t->block[i])
			return PPU_ERR_TMD_BAD;
	if (t->grid[0] > INT32_MAX || t->grid[1] > 65535 || t->grid[2] > 65535 ||
	    t->block[0] > PPU_MAX_THREADS_PER_CTA || t->block[1] > PPU_MAX_THREADS_PER_CTA)
		return PPU_ERR_TMD_LIMITS;
	threads = (uint64_t)t->block[0] * t->block[1] * t->block[2];
	if (threads > PPU_MAX_THREADS_PER_CTA || !t->regs_per_thread ||
	    t->regs_per_thread > PPU_NUM_REGS || t->num_barriers > 16 ||
	    t->param_bytes > PPU_PARAM_MAX || t->local_per_thread > ctx->blk.local_per_thread)
		return PPU_ERR_TMD_LIMITS;
	return ppu_sm_limits(core, ctx, t);
}

/* Priority a launch from the CPU asks for; false: above the ceiling. */
static bool cpu_priority(const struct ppu_core *core, const struct ppu_ctx *ctx,
			 const struct ppu_tmd *t, uint32_t *priority)
{
	*priority = 0;			/* lowest, the default (SP-34, SP-35) */
	if (!core->cfg.device_priorities || !(t->flags & PPU_TMDF_PRIO_VALID))
		return true;
	*priority = t->priority;
	return t->priority < core->cfg.device_priorities && t->priority <= ctx->blk.prio_ceiling;
}

static uint64_t grid_ctas(const struct ppu_tmd *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* Fill a fresh record from memory. 0 or PPU_ERR_*; on error the record is free again. */
static int accept(struct ppu_core *core, struct record *r, struct ppu_ctx *ctx, unsigned chid,
		  uint64_t tmd_va, const struct ppu_task *parent)
{
	struct ppu_tmu *tm = core->tmu;
	struct ppu_task *t = &r->t;
	uint32_t padded, top;
	uint64_t va;
	int err;

	t->index = (uint32_t)(r - tm->rec);
	err = PPU_ERR_TMD_BAD;
	if (tmd_va % PPU_TMD_ALIGN)
		goto fail;
	err = PPU_ERR_TMD_FAULT;
	if (ppu_mmu_read(core, ctx, tmd_va, &t->launch, sizeof(t->launch), 0))
		goto fail;
	err = check_tmd(core, ctx, &t->launch);
	if (!err && !ppu_order_tmd_ok(&t->launch, parent))
		err = PPU_ERR_TMD_BAD;
	if (err)
		goto fail;
	if (parent) {
		/* One above the parent (SP-12), as far as there is one above. */
		top = core->cfg.device_priorities ? core->cfg.device_priorities - 1 : 0;
		if (top > ctx->blk.prio_ceiling)
			top = ctx->blk.prio_ceiling;
		t->priority = parent->priority < top ? parent->priority + 1 : parent->priority;
	} else if (!cpu_priority(core, ctx, &t->launch, &t->priority)) {
		err = PPU_ERR_TMD_PRIORITY;
		goto fail;
	}
	padded = (t->launch.param_bytes + 15) & ~15u;
	t->params = calloc(1, padded ? padded : 16);
	err = PPU_ERR_TMD_LIMITS;
	if (!t->params)
		goto fail;
	err = PPU_ERR_TMD_FAULT;
	if (t->launch.param_bytes &&
	    ppu_mmu_read(core, ctx, t->launch.param_va, t->params, t->launch.param_bytes, 0))
		goto fail;
	t->depth = parent ? parent->depth + 1 : 1;
	err = PPU_ERR_TMD_LIMITS;
	if (!ppu_ctas_fits(core, ctx, &t->launch, t->depth) || !ppu_rank_prepare(core, ctx, t->depth))
		goto fail;
	err = ppu_icache_get(core, ctx, &t->launch, &t->prog, &va);
	if (err)
		goto fail;

	t->ctx = ctx;
	t->tmd_va = tmd_va;
	t->root_chid = chid;
	t->parent = parent ? (int32_t)parent->index : -1;
	t->slot = -1;
	t->list_prev = t->list_next = t->rank_prev = t->rank_next = -1;
	ppu_ctas_init_task(t);
	t->num_ctas = t->avail_ctas = grid_ctas(&t->launch);
	if (t->launch.kind == PPU_TMD_QUEUE && !ppu_taskq_create(t)) {
		err = PPU_ERR_TMD_LIMITS;
		goto fail;
	}
	t->state = PPU_TASK_PENDING;
	r->last_slot = NO_SLOT;
	ctx->num_tasks++;
	ctx->num_children += parent != NULL;
	tm->chan_tasks[chid]++;

	/* The cost is the same for all, so the queue is in order of time. */
	r->ready = core->now + core->cfg.cost_launch_ns;
	r->accepting = true;
	list_insert(core, &tm->accepted, t, false);
	if (!ppu_event_pending(&tm->accept_ev))
		ppu_event_schedule(core, &tm->accept_ev, r->ready);
	PPU_TRACE(core, TASK_ACCEPT, chid, t->priority, tmd_va, PPU_TASK_ID(t), t->depth);
	return 0;
fail:
	give_record(core, r);
	return err;
}

void ppu_tmu_start(struct ppu_core *core, struct ppu_task *t, unsigned reason)
{
	if (t->queue) {		/* it comes into its list when there is an entry */
		t->state = PPU_TASK_SUSPENDED;
		ppu_taskq_accepted(core, t);
		return;
	}
	enlist(core, t, t->launch.flags & PPU_TMDF_ADD_HEAD);
	PPU_TRACE(core, TASK_PEND, NO_SLOT, reason, t->tmd_va, PPU_TASK_ID(t), 0);
}

/* Accepted tasks whose time has come join the scheduler table, or wait for their elder siblings. */
static void accept_event(struct ppu_core *core, void *arg)
{
	struct ppu_tmu *tm = core->tmu;
	struct record *r;

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

enum ppu_submit_result ppu_tmu_launch(struct ppu_core *core, unsigned chid, uint64_t tmd_va,
				      unsigned *err)
{
	struct ppu_ctx *ctx = ppu_chan_ctx(core, chid);
	struct record *r;
	int e;

	if (!ctx || ctx->faulted || ctx->stopped || chid >= core->cfg.channels) {
		*err = PPU_ERR_CTX_STOPPED;
		return PPU_SUBMIT_ERROR;
	}
	r = take_record(core);
	if (!r)
		return PPU_SUBMIT_FULL;
	e = accept(core, r, ctx, chid, tmd_va, NULL);
	if (e) {
		*err = (unsigned)e;
		return PPU_SUBMIT_ERROR;
	}
	return PPU_SUBMIT_OK;
}

unsigned ppu_tmu_launch_child(struct ppu_core *core, struct ppu_task *parent, uint64_t tmd_va,
			      struct ppu_task **child)
{
	struct record *r;
	int err;

	*child = NULL;
	if (parent->ctx->faulted || parent->ctx->stopped)
		return PPU_LAUNCH_STOPPED;
	if (parent->depth >= parent->ctx->blk.max_depth)	/* before any side effect (SP-36) */
		return PPU_LAUNCH_DEPTH;
	if (parent->ctx->blk.max_pending && parent->ctx->num_children >= parent->ctx->blk.max_pending)
		return PPU_LAUNCH_PENDING;
	r = take_record(core);
	if (!r)
		return PPU_LAUNCH_POOL;
	err = accept(core, r, parent->ctx, parent->root_chid, tmd_va, parent);
	switch (err) {
	case 0:
		break;
	case PPU_ERR_TMD_FAULT:
	case PPU_ERR_TMD_BAD:
		return PPU_LAUNCH_TMD;
	case PPU_ERR_TMD_LIMITS:
	case PPU_ERR_NO_TOKQ:
		return PPU_LAUNCH_LIMITS;
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
		i = after ? after->list_next : core->tmu->lists[priority].head;
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
	bool resumed = record_of(core, t)->last_slot != NO_SLOT;

	unlist(core, t);
	core->tmu->rr = (t->priority + 1) % core->tmu->num_lists;
	t->state = PPU_TASK_ACTIVE;
	t->slot = (int32_t)slot;
	t->sched_time = core->now;
	record_of(core, t)->last_slot = slot;
	if (resumed)
		PPU_TRACE(core, TASK_RESUME, slot, t->priority, t->tmd_va, PPU_TASK_ID(t), t->depth);
	else
		PPU_TRACE(core, TASK_SCHED, slot, t->priority, t->tmd_va, PPU_TASK_ID(t), t->depth);
}

void ppu_tmu_give_back(struct ppu_core *core, struct ppu_task *t)
{
	PPU_TRACE(core, TASK_EVICT, (unsigned)t->slot, t->priority, t->tmd_va, PPU_TASK_ID(t), 0);
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
	struct record *r = record_of(core, t);

	if (t->state == PPU_TASK_SUSPENDED) {
		PPU_TRACE(core, TASK_PEND, NO_SLOT, reason, t->tmd_va, PPU_TASK_ID(t), 0);
		t->state = PPU_TASK_EVICTED;
		enlist(core, t, r->last_slot != NO_SLOT || t->launch.flags & PPU_TMDF_ADD_HEAD);
	} else if (r->listed && !ppu_rank_right(t)) {
		/* It waited for room to start a CTA, and can now go on without. */
		unlist(core, t);
		enlist(core, t, true);
	}
	ppu_wdu_kick(core);
}

/* ---- completion ---------------------------------------------------------------------------------- */

void ppu_tmu_fault(struct ppu_core *core, struct ppu_task *t, unsigned code, uint64_t va)
{
	struct ppu_fault_rec rec = {
		.va = va, .task_id = t->launch.id, .code = (uint16_t)code,
		.access = PPU_ACC_WRITE, .unit = PPU_UNIT_TASK,
		.unit_index = (uint16_t)record_of(core, t)->last_slot,
		.channel = (uint16_t)t->root_chid, .pc = ~0u, .lane = PPU_FAULT_NO_LANE,
		.warp = 0xffff,
	};

	ppu_tmu_task_fault(core, t, &rec);
}

/* The task and all its children are done; then perhaps its parent is, and so on up. */
static void complete(struct ppu_core *core, struct ppu_task *t)
{
	unsigned chid = t->root_chid;

	for (;;) {
		uint32_t gen = t->gen;
		int32_t parent = t->parent;
		struct ppu_task *p;

		/* While its stores wake others it is a task without slot and list. */
		if (t->launch.done_va) {
			uint64_t v = t->launch.done_value;

			if (ppu_mmu_store(core, t->ctx, t->launch.done_va, &v, sizeof(v), 0,
					  PPU_TRW_TASK, record_of(core, t)->last_slot)) {
				/* takes this task with it */
				ppu_tmu_fault(core, t, PPU_ERR_TASK_DONE_FAULT, t->launch.done_va);
				return;
			}
			if (t->state == PPU_TASK_FREE || t->gen != gen)
				return;
		}
		PPU_TRACE(core, TASK_DONE, record_of(core, t)->last_slot, t->priority, t->tmd_va,
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
	PPU_TRACE(core, TASK_CODE_DONE, record_of(core, t)->last_slot, 0, t->tmd_va, PPU_TASK_ID(t), 0);
	ppu_order_tail(core, t);
}

void ppu_tmu_task_fault(struct ppu_core *core, struct ppu_task *task, struct ppu_fault_rec *rec)
{
	ppu_ctx_fault(core, task->ctx, rec);
}

/* ---- watchdog --------------------------------------------------------------------------------------- */

/* The last one takes the event with it: nothing is scheduled for nobody. */
static void unwatch(struct ppu_core *core, struct record *r)
{
	if (r->watched && !--core->tmu->num_watched)
		ppu_event_cancel(core, &core->tmu->watchdog_ev);
	r->watched = false;
}

void ppu_tmu_running(struct ppu_core *core, struct ppu_task *t, bool running)
{
	struct record *r = record_of(core, t);
	struct ppu_event *ev = &core->tmu->watchdog_ev;
	uint64_t limit = t->ctx->blk.watchdog_ns, left, when;

	if (running == r->running)
		return;
	r->running = running;
	if (!running) {
		r->run_ns += core->now - r->run_since;
		unwatch(core, r);
		return;
	}
	r->run_since = core->now;
	left = r->run_ns < limit ? limit - r->run_ns : 0;
	if (!limit || left > LONGEST_WATCH)
		return;
	r->watched = true;
	core->tmu->num_watched++;
	when = core->now + left;
	if (!ppu_event_pending(ev) || when < ev->when)
		ppu_event_schedule(core, ev, when);
}

static void watchdog_event(struct ppu_core *core, void *arg)
{
	struct ppu_tmu *tm = core->tmu;
	uint64_t next = PPU_TIME_NEVER;
	uint32_t i;

	for (i = 0; i < tm->top; i++) {
		struct record *r = &tm->rec[i];
		struct ppu_task *t = &r->t;
		uint64_t used, limit;

		if (t->state == PPU_TASK_FREE || !r->running)
			continue;
		limit = t->ctx->blk.watchdog_ns;
		used = r->run_ns + (core->now - r->run_since);
		if (!limit)
			continue;
		if (used >= limit)
			ppu_tmu_fault(core, t, PPU_ERR_WATCHDOG, 0);	/* ends tasks, maybe many */
		else if (limit - used <= LONGEST_WATCH && core->now + (limit - used) < next)
			next = core->now + (limit - used);
	}
	/* It may stand too early when that task's context has just ended: then it looks again. */
	if (next != PPU_TIME_NEVER && tm->num_watched)
		ppu_event_schedule(core, &tm->watchdog_ev, next);
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
	PPU_TRACE(core, TASK_ABORT, t->slot < 0 ? 0xffff : (unsigned)t->slot, err, t->tmd_va,
		  PPU_TASK_ID(t), 0);
	unlist(core, t);
	t->state = PPU_TASK_ABORTING;
	unwatch(core, record_of(core, t));
	if (t->live_ctas)
		ppu_sm_abort_task(core, t);
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
		if (tm->rec[i].t.state != PPU_TASK_FREE && tm->rec[i].t.root_chid == chid)
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
		if (tm->rec[i].t.state == PPU_TASK_FREE || tm->rec[i].t.ctx != ctx)
			continue;
		chid = tm->rec[i].t.root_chid;
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
	struct ppu_tmu *tm = core->tmu = calloc(1, sizeof(*tm));

	if (!tm)
		return -1;
	tm->looks = -1;
	tm->num_lists = core->cfg.device_priorities ? core->cfg.device_priorities : 1;
	tm->rec = calloc(core->cfg.task_records, sizeof(*tm->rec));
	tm->used = calloc((core->cfg.task_records + 63) / 64 + 1, sizeof(*tm->used));
	tm->lists = calloc(tm->num_lists, sizeof(*tm->lists));
	tm->chan_tasks = calloc(core->cfg.channels, sizeof(*tm->chan_tasks));
	tm->chan_idle = calloc(core->cfg.channels, sizeof(*tm->chan_idle));
	if (!tm->rec || !tm->used || !tm->lists || !tm->chan_tasks || !tm->chan_idle)
		return -1;
	ppu_event_init(&tm->accept_ev, PPU_EVP_TASK, accept_event, NULL);
	ppu_event_init(&tm->watchdog_ev, PPU_EVP_TASK, watchdog_event, NULL);
	ppu_tmu_reset(core);
	return 0;
}

static void clear(struct ppu_core *core)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t i;

	ppu_taskq_forget_looks(core);
	for (i = 0; i < tm->top; i++) {
		if (tm->rec[i].t.prog)
			ppu_icache_put(core, tm->rec[i].t.prog);
		ppu_taskq_free(core, &tm->rec[i].t);
		free(tm->rec[i].t.params);
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
	free(tm->rec);
	free(tm->used);
	free(tm->lists);
	free(tm->chan_tasks);
	free(tm->chan_idle);
	free(tm);
	core->tmu = NULL;
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
			tm->rec[i].t.ctx->num_tasks = tm->rec[i].t.ctx->num_children = 0;
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
}

/* ---- save and restore ---------------------------------------------------------------------------------------- */

static void io_record(struct ppu_core *core, struct ppu_io *io, struct record *r)
{
	struct ppu_task *t = &r->t;
	uint8_t state = (uint8_t)t->state;
	uint32_t parent = (uint32_t)t->parent, cta_gen = t->parent_cta_gen, padded;
	uint64_t va;

	ppu_io_u8(io, &state);
	ppu_io_ctx(core, io, &t->ctx);
	ppu_io_bytes(io, &t->launch, sizeof(t->launch));
	ppu_io_u64(io, &t->tmd_va);
	ppu_io_u32(io, &t->root_chid);
	ppu_io_u32(io, &t->depth);
	ppu_io_u32(io, &t->priority);
	ppu_io_u32(io, &parent);
	ppu_io_u32(io, &t->live_children);
	ppu_io_u64(io, &t->next_cta);
	ppu_io_u64(io, &t->done_ctas);
	ppu_io_u32(io, &t->live_ctas);
	ppu_io_u32(io, &t->saved_ctas);
	ppu_io_u32(io, &t->ready_ctas);
	ppu_io_u32(io, &t->parent_cta);
	ppu_io_u32(io, &cta_gen);
	ppu_io_u32(io, &t->rank);
	ppu_io_u64(io, (uint64_t *)&t->order);
	ppu_io_u64(io, &t->sched_time);
	ppu_io_u64(io, &r->ready);
	ppu_io_u64(io, &r->run_ns);
	ppu_io_u64(io, &r->run_since);
	ppu_io_u32(io, &r->last_slot);
	ppu_io_bool(io, &r->running);
	if (io->loading && !io->failed) {
		t->state = PPU_TASK_FREE;
		t->parent = (int32_t)parent;
		t->slot = t->list_prev = t->list_next = t->rank_prev = t->rank_next = -1;
		ppu_ctas_init_task(t);
		t->parent_cta_gen = cta_gen;
		t->num_ctas = 1;
		if (!t->ctx || t->root_chid >= core->cfg.channels || check_tmd(core, t->ctx, &t->launch) ||
		    !ppu_order_tmd_ok(&t->launch, t->depth > 1) ||
		    state <= PPU_TASK_FREE || state >= PPU_TASK_ABORTING || !t->depth ||
		    t->depth > PPU_MAX_DEPTH || t->priority >= core->tmu->num_lists ||
		    r->run_since > core->now || t->sched_time > core->now) {
			ppu_io_fail(io, "task %u is not possible", t->index);
			return;
		}
		t->num_ctas = t->avail_ctas = grid_ctas(&t->launch);
	}
	if (t->launch.kind == PPU_TMD_QUEUE && !io->failed)
		ppu_taskq_io(core, io, t);
	if (io->loading && !io->failed) {
		if (t->next_cta > t->avail_ctas || t->done_ctas > t->next_cta ||
		    t->next_cta - t->done_ctas != (uint64_t)t->live_ctas + t->saved_ctas ||
		    (t->live_ctas && state != PPU_TASK_ACTIVE) || t->ready_ctas > t->saved_ctas ||
		    (r->running && !t->live_ctas) || (t->saved_ctas && state == PPU_TASK_PENDING) ||
		    (state == PPU_TASK_CODE_DONE) != (t->done_ctas == t->num_ctas)) {
			ppu_io_fail(io, "task %u has impossible counts", t->index);
			return;
		}
			padded = (t->launch.param_bytes + 15) & ~15u;
		t->params = calloc(1, padded ? padded : 16);
		if (!t->params || !ppu_rank_prepare(core, t->ctx, t->depth)) {
			ppu_io_fail(io, "out of memory");
			return;
		}
	}
	ppu_io_bytes(io, t->params, t->launch.param_bytes);
	if (!io->loading || io->failed)
		return;
	/* Programs are fetched again: memory holds them as it did. */
	if (ppu_icache_get(core, t->ctx, &t->launch, &t->prog, &va)) {
		t->prog = NULL;
		ppu_io_fail(io, "the program of task %u cannot be fetched", t->index);
		return;
	}
	t->state = (enum ppu_task_state)state;
	r->watched = r->running && t->ctx->blk.watchdog_ns &&
		     (r->run_ns >= t->ctx->blk.watchdog_ns ||
		      t->ctx->blk.watchdog_ns - r->run_ns <= LONGEST_WATCH);
	core->tmu->num_watched += r->watched;
	t->ctx->num_tasks++;
	t->ctx->num_children += t->depth > 1;
	core->tmu->chan_tasks[t->root_chid]++;
}

static void io_list(struct ppu_core *core, struct ppu_io *io, struct list *l, bool accepted)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t n = 0, i;
	int32_t at;

	if (!io->loading)
		for (at = l->head; at >= 0; at = tm->rec[at].t.list_next)
			n++;
	ppu_io_u32(io, &n);
	if (io->loading && n > tm->num_used)
		ppu_io_fail(io, "a list of tasks is too long");
	at = l->head;
	for (i = 0; i < n && !io->failed; i++) {
		struct ppu_task *t = io->loading ? NULL : &tm->rec[at].t;
		struct record *r;

		if (!io->loading)
			at = t->list_next;
		ppu_io_task(core, io, &t);
		if (!io->loading || io->failed)
			continue;
		r = t ? record_of(core, t) : NULL;
		if (!r || r->listed || r->accepting ||
		    (t->state != PPU_TASK_PENDING && (accepted || t->state != PPU_TASK_EVICTED)) ||
		    (!accepted && l != &tm->lists[t->priority])) {
			ppu_io_fail(io, "a task stands in a list it cannot be in");
			return;
		}
		if (!accepted && !ppu_rank_load(core, t)) {
			ppu_io_fail(io, "task %u waits in an impossible rank", t->index);
			return;
		}
		list_insert(core, l, t, false);
		r->listed = !accepted;
		r->accepting = accepted;
	}
}

bool ppu_tmu_waits_well(struct ppu_core *core, const struct ppu_task *t)
{
	const struct record *r = record_of(core, t);

	return (t->state == PPU_TASK_PENDING || t->state == PPU_TASK_EVICTED) ==
	       (r->listed || r->accepting || ppu_order_held(core, t));
}

void ppu_tmu_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t top = tm->top, i, rr = tm->rr;

	ppu_io_bool(io, &tm->paused);
	ppu_io_u32(io, &rr);
	ppu_io_u32(io, &top);
	if (io->loading && (top > core->cfg.task_records || rr >= tm->num_lists))
		ppu_io_fail(io, "too many task records");
	if (io->failed)
		return;
	tm->rr = rr;
	for (i = 0; i < top && !io->failed; i++) {
		struct record *r = &tm->rec[i];
		bool used = r->t.state != PPU_TASK_FREE;

		if (io->loading) {
			tm->top = i + 1;
			r->t.index = i;
		}
		ppu_io_u32(io, &r->t.gen);
		ppu_io_bool(io, &used);
		if (!used || io->failed)
			continue;
		io_record(core, io, r);
		if (io->loading && r->t.state != PPU_TASK_FREE) {
			tm->used[i / 64] |= 1ull << i % 64;
			tm->num_used++;
		}
	}
	for (i = 0; i < core->cfg.channels; i++)
		ppu_io_u64(io, &tm->chan_idle[i]);
	io_list(core, io, &tm->accepted, true);
	for (i = 0; i < tm->num_lists; i++)
		io_list(core, io, &tm->lists[i], false);
	ppu_taskq_io_looks(core, io);
	ppu_io_event(core, io, &tm->accept_ev);
	ppu_io_event(core, io, &tm->watchdog_ev);
	if (!io->loading || io->failed)
		return;

	/* Families: parents exist, are one level up, and count their children right. */
	{
		uint32_t *kids = calloc((size_t)tm->top + 1, sizeof(*kids));

		if (!kids) {
			ppu_io_fail(io, "out of memory");
			return;
		}
		for (i = 0; i < tm->top && !io->failed; i++) {
			const struct ppu_task *t = &tm->rec[i].t, *p;

			if (t->state == PPU_TASK_FREE)
				continue;
			if (t->parent < 0) {
				if (t->parent != -1 || t->depth != 1)
					ppu_io_fail(io, "task %u has no parent", i);
				continue;
			}
			p = ppu_tmu_task(core, (uint32_t)t->parent);
			if (!p || p->depth + 1 != t->depth || p->ctx != t->ctx ||
			    p->root_chid != t->root_chid)
				ppu_io_fail(io, "task %u has the wrong parent", i);
			else
				kids[p->index]++;
		}
		for (i = 0; i < tm->top && !io->failed; i++)
			if (tm->rec[i].t.state != PPU_TASK_FREE &&
			    (kids[i] != tm->rec[i].t.live_children ||
			     (tm->rec[i].t.state == PPU_TASK_CODE_DONE && !kids[i])))
				ppu_io_fail(io, "task %u has the wrong number of children", i);
		free(kids);
	}
}
