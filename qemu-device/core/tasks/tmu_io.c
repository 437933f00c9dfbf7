/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Save and restore of the task management unit: records, lists, families. */
#include "core/base/alloc.h"
#include "core/sm/mem/icache.h"
#include "core/tasks/order.h"
#include "core/tasks/taskq.h"
#include "core/tasks/tmd.h"
#include "core/tasks/tmu_state.h"

void ppu_io_task(struct ppu_core *core, struct ppu_io *io, struct ppu_task **t)
{
	uint32_t i = *t ? (*t)->sm.index : UINT32_MAX;

	ppu_io_u32(io, &i);
	if (!io->loading)
		return;
	*t = NULL;
	if (i == UINT32_MAX || io->failed)
		return;
	*t = ppu_tmu_task(core, i);
	if (!*t)
		ppu_io_fail(io, "task %u does not exist", i);
}

void ppu_io_sm_task(struct ppu_core *core, struct ppu_io *io, struct ppu_sm_task **s)
{
	struct ppu_task *t = *s ? ppu_task_of(*s) : NULL;

	ppu_io_task(core, io, &t);
	*s = t ? &t->sm : NULL;
}

static void io_record(struct ppu_core *core, struct ppu_io *io, struct ppu_tmu_record *r)
{
	struct ppu_task *t = &r->t;
	uint8_t state = (uint8_t)t->state;
	uint32_t parent = (uint32_t)t->parent, padded;
	uint64_t va;
	int err;

	ppu_io_u8(io, &state);
	ppu_io_ctx(core, io, &t->sm.ctx);
	ppu_io_bytes(io, &t->sm.launch, sizeof(t->sm.launch));
	ppu_io_u64(io, &t->tmd_va);
	ppu_io_u32(io, &t->sm.root_chid);
	ppu_io_u32(io, &t->sm.depth);
	ppu_io_u32(io, &t->sm.priority);
	ppu_io_u32(io, &parent);
	ppu_io_u32(io, &t->live_children);
	ppu_io_u64(io, &t->next_cta);
	ppu_io_u64(io, &t->done_ctas);
	ppu_io_u32(io, &t->live_ctas);
	ppu_io_u32(io, &t->saved_ctas);
	ppu_io_u32(io, &t->ready_ctas);
	ppu_ctas_io_task(io, t);
	ppu_rank_io_task(io, t);
	ppu_io_u64(io, &r->sched_time);
	ppu_io_u64(io, &r->ready);
	ppu_io_u64(io, &r->run_ns);
	ppu_io_u64(io, &r->run_since);
	ppu_io_u32(io, &r->last_slot);
	ppu_io_bool(io, &r->running);
	if (io->loading && !io->failed) {
		t->state = PPU_TASK_FREE;
		t->parent = (int32_t)parent;
		t->slot = r->prev = r->next = -1;
		t->num_ctas = 1;
		if (!t->sm.ctx || t->sm.root_chid >= core->cfg.channels || ppu_tmd_check(core, t->sm.ctx, &t->sm.launch) ||
		    !ppu_order_tmd_ok(&t->sm.launch, t->sm.depth > 1) ||
		    state <= PPU_TASK_FREE || state >= PPU_TASK_ABORTING || !t->sm.depth ||
		    t->sm.depth > PPU_MAX_DEPTH || t->sm.priority >= core->tmu->num_lists ||
		    r->run_since > core->now || r->sched_time > core->now) {
			ppu_io_fail(io, "task %u is not possible", t->sm.index);
			return;
		}
		t->num_ctas = t->avail_ctas = ppu_tmd_ctas(&t->sm.launch);
	}
	if (t->sm.launch.kind == PPU_TMD_QUEUE && !io->failed)
		ppu_taskq_io(core, io, t);
	if (io->loading && !io->failed) {
		if (t->next_cta > t->avail_ctas || t->done_ctas > t->next_cta ||
		    t->next_cta - t->done_ctas != (uint64_t)t->live_ctas + t->saved_ctas ||
		    (t->live_ctas && state != PPU_TASK_ACTIVE) || t->ready_ctas > t->saved_ctas ||
		    (r->running && !t->live_ctas) || (t->saved_ctas && state == PPU_TASK_PENDING) ||
		    (state == PPU_TASK_CODE_DONE) != (t->done_ctas == t->num_ctas)) {
			ppu_io_fail(io, "task %u has impossible counts", t->sm.index);
			return;
		}
		padded = (t->sm.launch.param_bytes + 15) & ~15u;
		t->sm.params = ppu_alloc(1, padded ? padded : 16);
		if (!t->sm.params || !ppu_rank_prepare(core, t->sm.ctx, t->sm.depth)) {
			ppu_io_fail(io, "out of memory");
			return;
		}
	}
	if (io->failed)
		return;
	ppu_io_bytes(io, t->sm.params, t->sm.launch.param_bytes);
	if (!io->loading || io->failed)
		return;
	/* Programs are not in the saved state.  They are fetched again, from memory that has not changed. */
	err = ppu_icache_get(core, t->sm.ctx, &t->sm.launch, &t->sm.prog, &va);
	if (err) {
		t->sm.prog = NULL;
		if (err == PPU_ERR_HOST_MEMORY)
			ppu_io_fail(io, "out of memory");
		else
			ppu_io_fail(io, "the program of task %u cannot be fetched", t->sm.index);
		return;
	}
	t->state = (enum ppu_task_state)state;
	ppu_watchdog_load(core, r);
	t->sm.ctx->num_tasks++;
	t->sm.ctx->owner->num_tasks++;
	t->sm.ctx->num_children += t->sm.depth > 1;
	core->tmu->chan_tasks[t->sm.root_chid]++;
	core->tmu->chan_time[t->sm.root_chid].running += r->running;
}

static void io_list(struct ppu_core *core, struct ppu_io *io, struct ppu_tmu_list *l, bool accepted)
{
	struct ppu_tmu *tm = core->tmu;
	uint32_t n = 0, i;
	int32_t at;

	if (!io->loading)
		for (at = l->head; at >= 0; at = tm->rec[at].next)
			n++;
	ppu_io_u32(io, &n);
	if (io->loading && n > tm->num_used)
		ppu_io_fail(io, "a list of tasks is too long");
	at = l->head;
	for (i = 0; i < n && !io->failed; i++) {
		struct ppu_task *t = io->loading ? NULL : &tm->rec[at].t;
		struct ppu_tmu_record *r;

		if (!io->loading)
			at = ppu_tmu_record(core, t)->next;
		ppu_io_task(core, io, &t);
		if (!io->loading || io->failed)
			continue;
		r = t ? ppu_tmu_record(core, t) : NULL;
		if (!r || r->listed || r->accepting ||
		    (t->state != PPU_TASK_PENDING && (accepted || t->state != PPU_TASK_EVICTED)) ||
		    (!accepted && l != &tm->lists[t->sm.priority])) {
			ppu_io_fail(io, "a task stands in a list it cannot be in");
			return;
		}
		if (!accepted && !ppu_rank_load(core, t)) {
			ppu_io_fail(io, "task %u waits in an impossible rank", t->sm.index);
			return;
		}
		ppu_tmu_list_insert(core, l, r, false);
		r->listed = !accepted;
		r->accepting = accepted;
	}
}

bool ppu_tmu_waits_well(struct ppu_core *core, const struct ppu_task *t)
{
	const struct ppu_tmu_record *r = ppu_tmu_record(core, t);

	return (t->state == PPU_TASK_PENDING || t->state == PPU_TASK_EVICTED) ==
	       (r->listed || r->accepting || ppu_order_held(core, t));
}

/* Parents exist, are one level up, and count their children right. */
static void check_families(struct ppu_core *core, struct ppu_io *io)
{
	const struct ppu_tmu *tm = core->tmu;
	uint32_t *kids = ppu_alloc((size_t)tm->top + 1, sizeof(*kids)), i;

	if (!kids) {
		ppu_io_fail(io, "out of memory");
		return;
	}
	for (i = 0; i < tm->top && !io->failed; i++) {
		const struct ppu_task *t = &tm->rec[i].t, *p;

		if (t->state == PPU_TASK_FREE)
			continue;
		if (t->parent < 0) {
			if (t->parent != -1 || t->sm.depth != 1)
				ppu_io_fail(io, "task %u has no parent", i);
			continue;
		}
		p = ppu_tmu_task(core, (uint32_t)t->parent);
		if (!p || p->sm.depth + 1 != t->sm.depth || p->sm.ctx != t->sm.ctx ||
		    p->sm.root_chid != t->sm.root_chid)
			ppu_io_fail(io, "task %u has the wrong parent", i);
		else
			kids[p->sm.index]++;
	}
	for (i = 0; i < tm->top && !io->failed; i++)
		if (tm->rec[i].t.state != PPU_TASK_FREE &&
		    (kids[i] != tm->rec[i].t.live_children ||
		     (tm->rec[i].t.state == PPU_TASK_CODE_DONE && !kids[i])))
			ppu_io_fail(io, "task %u has the wrong number of children", i);
	ppu_free(kids);
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
		struct ppu_tmu_record *r = &tm->rec[i];
		bool used = r->t.state != PPU_TASK_FREE;

		if (io->loading) {
			tm->top = i + 1;
			r->t.sm.index = i;
		}
		ppu_io_u32(io, &r->t.sm.gen);
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
	ppu_task_time_io(core, io);
	io_list(core, io, &tm->accepted, true);
	for (i = 0; i < tm->num_lists; i++)
		io_list(core, io, &tm->lists[i], false);
	ppu_taskq_io_looks(core, io);
	ppu_io_event(core, io, &tm->accept_ev);
	ppu_io_event(core, io, &tm->watchdog_ev);
	if (!io->loading || io->failed)
		return;
	check_families(core, io);
}
