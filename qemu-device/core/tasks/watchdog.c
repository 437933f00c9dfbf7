/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The watchdog: how long a task may have CTAs on SMs that can run, after which it faults. */
#include "core/tasks/tmu_state.h"

/* With the last watched record the event goes too, so that no event is scheduled when nothing is watched. */
void ppu_watchdog_off(struct ppu_core *core, struct ppu_tmu_record *r)
{
	if (r->watched && !--core->tmu->num_watched)
		ppu_event_cancel(core, &core->tmu->watchdog_ev);
	r->watched = false;
}

void ppu_tmu_running(struct ppu_core *core, struct ppu_task *t, bool running)
{
	struct ppu_tmu_record *r = ppu_tmu_record(core, t);
	struct ppu_event *ev = &core->tmu->watchdog_ev;
	uint64_t limit = t->sm.ctx->blk.watchdog_ns, left, when;

	if (running == r->running)
		return;
	r->running = running;
	ppu_task_time_change(core, t->sm.root_chid, running);
	if (!running) {
		r->run_ns += core->now - r->run_since;
		ppu_watchdog_off(core, r);
		return;
	}
	r->run_since = core->now;
	left = r->run_ns < limit ? limit - r->run_ns : 0;
	if (!limit || left > PPU_LONGEST_WATCH)
		return;
	r->watched = true;
	core->tmu->num_watched++;
	when = core->now + left;
	if (!ppu_event_pending(ev) || when < ev->when)
		ppu_event_schedule(core, ev, when);
}

void ppu_watchdog_event(struct ppu_core *core, void *arg)
{
	struct ppu_tmu *tm = core->tmu;
	uint64_t next = PPU_TIME_NEVER;
	uint32_t i;

	for (i = 0; i < tm->top; i++) {
		struct ppu_tmu_record *r = &tm->rec[i];
		struct ppu_task *t = &r->t;
		uint64_t used, limit;

		if (t->state == PPU_TASK_FREE || !r->running)
			continue;
		limit = t->sm.ctx->blk.watchdog_ns;
		used = r->run_ns + (core->now - r->run_since);
		if (!limit)
			continue;
		if (used >= limit)
			ppu_tmu_fault(core, t, PPU_ERR_WATCHDOG, 0);	/* ends tasks, maybe many */
		else if (limit - used <= PPU_LONGEST_WATCH && core->now + (limit - used) < next)
			next = core->now + (limit - used);
	}
	/* `next` may belong to a task whose context has ended in this loop.  Then the event comes too
	 * early, and only looks again. */
	if (next != PPU_TIME_NEVER && tm->num_watched)
		ppu_event_schedule(core, &tm->watchdog_ev, next);
}

void ppu_watchdog_load(struct ppu_core *core, struct ppu_tmu_record *r)
{
	uint64_t limit = r->t.sm.ctx->blk.watchdog_ns;

	r->watched = r->running && limit && (r->run_ns >= limit || limit - r->run_ns <= PPU_LONGEST_WATCH);
	core->tmu->num_watched += r->watched;
}
