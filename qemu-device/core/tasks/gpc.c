/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The window driver.  Device time of the SMs goes in windows of window_ns, at multiples of it.  At
 * end of a window in which an SM has something to do, each such SM is run up to that time, in order or as
 * jobs of the workers.  Then the effects of the SMs are applied in the order (time, SM, order on that SM), so
 * that the result does not depend on the number of workers.
 *
 * With window_halvings a window is shorter where something waits for its end: window_ns, cut in half so many times,
 * while SMs get work or have effects, and twice the one before after a window in which nothing happened.  Where a
 * window ends is known before any SM has run in it, from the state of the device alone.
 *
 * No window is run while every SM sleeps; nothing is scheduled while none has work.
 */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/event.h"
#include "core/base/trace.h"
#include "core/sm/mem/icache.h"
#include "core/tasks/gpc.h"
#include "core/tasks/order.h"
#include "core/tasks/smexc.h"
#include "core/tasks/task.h"
#include "core/tasks/tmu.h"
#include "core/tasks/wdu.h"

struct cursor {			/* the next effect of an SM to apply */
	uint64_t time;
	uint32_t sm, index;
};

struct ppu_gpcs {
	struct ppu_event window_ev;	/* end of the next window to run */
	uint64_t t0, t1;		/* of the window that runs */
	uint64_t len;			/* of windows now, ns: window_ns, or cut in half up to window_halvings times */
	uint64_t ran_to;		/* the end of the last window that ran: the next begins there or later */
	bool mattered;			/* the window that runs has effects for which it should not have been longer */
	uint32_t *busy, num_busy;	/* SMs of this window */
	struct ppu_effects **fx;	/* by SM: the effects of those SMs */
	struct cursor *cursor;		/* a heap, while they are applied: the first one on top */
	uint32_t num_cursors;
	/* Warps that wait for the driver (token queue exceptions), by SM and warp slot. */
	struct ppu_task **exc;
	uint32_t num_exc;
};

static uint64_t shortest(const struct ppu_core *core)
{
	return core->cfg.window_ns >> core->cfg.window_halvings;
}

/* The first multiple of len after t. */
static uint64_t window_end(uint64_t t, uint64_t len)
{
	return (t / len + 1) * len;
}

void ppu_gpc_wake(struct ppu_core *core)
{
	struct ppu_gpcs *g = core->gpcs;
	uint64_t end;

	g->len = shortest(core);
	end = window_end(core->now, g->len);
	if (!ppu_event_pending(&g->window_ev) || g->window_ev.when > end)
		ppu_event_schedule(core, &g->window_ev, end);
}

static bool before(const struct cursor *a, const struct cursor *b)
{
	return a->time != b->time ? a->time < b->time : a->sm < b->sm;
}

/* c goes into the heap in place of the cursor i. */
static void sift_down(struct ppu_gpcs *g, uint32_t i, struct cursor c)
{
	for (uint32_t kid; (kid = 2 * i + 1) < g->num_cursors; i = kid) {
		if (kid + 1 < g->num_cursors && before(&g->cursor[kid + 1], &g->cursor[kid]))
			kid++;
		if (!before(&g->cursor[kid], &c))
			break;
		g->cursor[i] = g->cursor[kid];
	}
	g->cursor[i] = c;
}

static void emit(struct ppu_core *core, unsigned event, uint64_t time, unsigned unit, uint32_t a,
		 uint64_t b, uint64_t c)
{
	struct ppu_trace_rec rec = { .time = time, .event = (uint16_t)event, .unit = (uint16_t)unit,
				     .a = a, .b = b, .c = c };

	if (ppu_traces(core, event))
		core->ports.trace(core->ports.opaque, &rec);
}

static void launch(struct ppu_core *core, const struct ppu_effect *e, unsigned sm)
{
	struct ppu_task *child;
	uint64_t parent = PPU_SM_TASK_ID(e->task);
	unsigned err = ppu_tmu_launch_child(core, ppu_task_of(e->task), e->arg[0], &child);

	/* A tail waits for its parent task, so its parent does not wait for it. */
	bool awaited = child && !ppu_order_is_tail(child);

	if (awaited)
		ppu_ctas_adopt(core, ppu_ctas_at(core, sm, (unsigned)ppu_sm_warp_cta(core, sm, (unsigned)e->arg[1])),
			       child);
	if (child)
		ppu_order_enter(core, child);
	PPU_TRACE(core, CHILD_LAUNCH, sm, err, e->arg[0], parent, child ? PPU_TASK_ID(child) : 0);
	ppu_sm_launch_reply(core, sm, (unsigned)e->arg[1], (unsigned)e->arg[2], err, awaited);
}

static void exception(struct ppu_core *core, const struct ppu_effect *e, unsigned sm)
{
	struct ppu_gpcs *g = core->gpcs;
	struct ppu_task *t = ppu_task_of(e->task);
	unsigned warp = (unsigned)e->arg[0];
	uint64_t index = (uint64_t)sm * core->cfg.warps_per_sm + warp;
	struct ppu_smexc x = {
		.inst = e->task->ctx->inst,
		.tokq = e->task->ctx->blk.tokq_base + index * core->cfg.tokq_entries * 8,
		.sm = sm, .warp = warp, .cause = PPU_SMEXC_RECENTRE,
		.head = (uint32_t)e->arg[1], .tail = (int32_t)(uint32_t)e->arg[2],
	};

	g->num_exc += !g->exc[index];
	g->exc[index] = t;
	ppu_smexc_post(core, &x);
	/* Time in which no warp of the task can run belongs to the driver: the watchdog does not count it. */
	ppu_tmu_running(core, t, ppu_sm_task_runs(core, e->task));
}

static void apply(struct ppu_core *core, unsigned sm, struct ppu_effect *e)
{
	/* Earlier effects may have ended the task.  Then its record is free, or holds a task that was just
	 * accepted.  Such a task does not become active before the next event. */
	struct ppu_task *t = e->task ? ppu_task_of(e->task) : NULL;
	bool alive = t && t->state == PPU_TASK_ACTIVE;

	core->gpcs->mattered |= e->kind != PPU_FX_TRACE;	/* a trace changes nothing */
	switch (e->kind) {
	case PPU_FX_STORE:	/* the store is in memory even if the task has ended */
		ppu_sem_written(core, e->phys, e->len, PPU_TRW_SM, sm);
		break;
	case PPU_FX_TRACE:
		if (ppu_tracing(core))
			core->ports.trace(core->ports.opaque, &e->trace);
		break;
	case PPU_FX_CTA_DONE:
		if (!alive)
			break;
		if (ppu_sm_stored(core, sm) > core->now)
			ppu_tmu_stores_until(core, t, ppu_sm_stored(core, sm));
		emit(core, PPU_TR_CTA_DONE, e->time, sm, (uint32_t)e->arg[0], PPU_TASK_ID(t),
		     e->arg[1]);
		if (e->arg[3])	/* an SM's stores are seen at the end of a window, of the longest one at the latest */
			ppu_tmu_stores_until(core, t, window_end(e->arg[3], core->cfg.window_ns));
		ppu_wdu_cta_done(core, t, sm, (unsigned)e->arg[2]);
		break;
	case PPU_FX_WAITS:
		if (alive)
			ppu_wdu_cta_waits(core, t, sm, (unsigned)e->arg[0]);
		break;
	case PPU_FX_FAULT:
		if (alive)
			ppu_tmu_task_fault(core, t, &e->rec);
		break;
	case PPU_FX_LAUNCH:
		if (alive)
			launch(core, e, sm);
		break;
	case PPU_FX_EXCEPTION:
		if (alive)
			exception(core, e, sm);
		break;
	}
}

/* Begins to apply: the SMs with effects, in a heap.  Each SM's list is in order already. */
static void collect(struct ppu_core *core)
{
	struct ppu_gpcs *g = core->gpcs;
	uint32_t i, sm;

	g->num_cursors = 0;
	for (i = 0; i < g->num_busy; i++) {
		sm = g->busy[i];
		g->fx[sm] = ppu_sm_effects(core, sm);
		if (g->fx[sm]->n)
			g->cursor[g->num_cursors++] = (struct cursor){ g->fx[sm]->v[0].time, sm, 0 };
	}
	for (i = g->num_cursors / 2; i-- > 0;)
		sift_down(g, i, g->cursor[i]);
}

static void apply_all(struct ppu_core *core)
{
	struct ppu_gpcs *g = core->gpcs;
	bool lost = false;
	uint32_t i;

	collect(core);
	while (g->num_cursors) {
		struct cursor c = g->cursor[0];
		struct ppu_effects *fx = g->fx[c.sm];

		apply(core, c.sm, &fx->v[c.index]);
		if (++c.index < fx->n)
			c.time = fx->v[c.index].time;
		else
			c = g->cursor[--g->num_cursors];
		if (g->num_cursors)
			sift_down(g, 0, c);
	}
	for (i = 0; i < g->num_busy; i++) {
		lost |= g->fx[g->busy[i]]->lost_stores;
		g->fx[g->busy[i]]->n = 0;
		g->fx[g->busy[i]]->lost_stores = false;
	}
	if (lost)
		ppu_sem_kick(core, NULL, PPU_TR_NO_UNIT);
}

/* SMs that slept may begin as early as the window of full length that t1 ends or lies in, but nothing runs twice. */
static uint64_t window_begin(const struct ppu_core *core, uint64_t t1)
{
	uint64_t t0 = (t1 - 1) / core->cfg.window_ns * core->cfg.window_ns;

	return t0 > core->gpcs->ran_to ? t0 : core->gpcs->ran_to;
}

static void window(struct ppu_core *core, void *arg)
{
	struct ppu_gpcs *g = core->gpcs;
	uint64_t next = PPU_TIME_NEVER;
	uint32_t i;

	g->t1 = core->now;
	g->t0 = window_begin(core, g->t1);
	g->num_busy = 0;
	for (i = 0; i < core->num_sms; i++)
		if (ppu_sm_next_time(core, i) <= g->t1)
			g->busy[g->num_busy++] = i;
	ppu_sms_run(core, g->busy, g->num_busy, g->t0, g->t1);
	g->ran_to = g->t1;
	g->mattered = false;
	ppu_icache_window(core, true);
	apply_all(core);
	ppu_icache_window(core, false);
	if (g->mattered)
		g->len = shortest(core);
	else if (g->len < core->cfg.window_ns)
		g->len *= 2;

	for (i = 0; i < core->num_sms; i++) {
		uint64_t t = ppu_sm_next_time(core, i);

		next = t < next ? t : next;
	}
	if (next == PPU_TIME_NEVER)
		return;
	next = window_end(next > core->now ? next : core->now, g->len);
	if (!ppu_event_pending(&g->window_ev) || g->window_ev.when > next)
		ppu_event_schedule(core, &g->window_ev, next);
}

void ppu_gpc_exception_done(struct ppu_core *core, unsigned sm, unsigned warp)
{
	struct ppu_gpcs *g = core->gpcs;
	struct ppu_task **exc = &g->exc[(size_t)sm * core->cfg.warps_per_sm + warp], *t = *exc;

	if (!t)
		return;
	g->num_exc--;
	*exc = NULL;
	ppu_tmu_running(core, t, true);
	ppu_wdu_kick(core);		/* the CTA can be saved now */
}

bool ppu_gpc_has_exceptions(const struct ppu_core *core, const struct ppu_task *t)
{
	const struct ppu_gpcs *g = core->gpcs;
	uint32_t i, n = core->num_sms * core->cfg.warps_per_sm;

	for (i = 0; g->num_exc && i < n; i++)
		if (g->exc[i] == t)
			return true;
	return false;
}

void ppu_gpc_withdraw(struct ppu_core *core, unsigned sm, unsigned slot)
{
	struct ppu_gpcs *g = core->gpcs;
	uint32_t w, per = core->cfg.warps_per_sm;

	for (w = 0; g->num_exc && w < per; w++)
		if (g->exc[sm * per + w] && ppu_sm_warp_cta(core, sm, w) == (int)slot) {
			g->exc[sm * per + w] = NULL;
			g->num_exc--;
			ppu_smexc_cancel(core, sm, w);
		}
}

void ppu_gpc_drop(struct ppu_core *core, struct ppu_task *t)
{
	struct ppu_gpcs *g = core->gpcs;
	uint32_t sm, w, per = core->cfg.warps_per_sm;

	for (sm = 0; g->num_exc && sm < core->num_sms; sm++)
		for (w = 0; w < per; w++)
			if (g->exc[sm * per + w] == t) {
				g->exc[sm * per + w] = NULL;
				g->num_exc--;
				ppu_smexc_cancel(core, sm, w);
			}
}

/* ---- unit ---------------------------------------------------------------------------------------- */

int ppu_gpcs_create(struct ppu_core *core)
{
	struct ppu_gpcs *g = core->gpcs = ppu_alloc(1, sizeof(*g));

	if (!g)
		return -1;
	g->busy = ppu_alloc(core->num_sms, sizeof(*g->busy));
	g->fx = ppu_alloc(core->num_sms, sizeof(*g->fx));
	g->cursor = ppu_alloc(core->num_sms, sizeof(*g->cursor));
	g->exc = ppu_alloc((size_t)core->num_sms * core->cfg.warps_per_sm, sizeof(*g->exc));
	if (!g->busy || !g->fx || !g->exc || !g->cursor || !ppu_events_reserve(core, 1))
		return -1;
	ppu_event_init(&g->window_ev, PPU_EVP_SM_APPLY, window, NULL);
	g->len = shortest(core);
	return 0;
}

void ppu_gpcs_destroy(struct ppu_core *core)
{
	if (!core->gpcs)
		return;
	ppu_free(core->gpcs->busy);
	ppu_free(core->gpcs->fx);
	ppu_free(core->gpcs->exc);
	ppu_free(core->gpcs->cursor);
	ppu_free(core->gpcs);
	core->gpcs = NULL;
}

void ppu_gpcs_reset(struct ppu_core *core)
{
	struct ppu_gpcs *g = core->gpcs;

	ppu_event_cancel(core, &g->window_ev);
	memset(g->exc, 0, (size_t)core->num_sms * core->cfg.warps_per_sm * sizeof(*g->exc));
	g->num_exc = g->num_cursors = g->num_busy = 0;
	g->len = shortest(core);
	g->ran_to = 0;
}

/* Before version 15 all windows had the same length. */
static void io_windows(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_gpcs *g = core->gpcs;
	uint64_t least = shortest(core);

	ppu_io_event(core, io, &g->window_ev);
	if (io->version >= 15) {
		ppu_io_u64(io, &g->len);
		ppu_io_u64(io, &g->ran_to);
	} else {
		g->len = core->cfg.window_ns;
		g->ran_to = 0;
	}
	if (!io->loading || io->failed)
		return;
	if (ppu_event_pending(&g->window_ev) && (g->window_ev.when % least || g->window_ev.when == 0))
		ppu_io_fail(io, "an SM window ends at an impossible time");
	if (g->len < least || g->len > core->cfg.window_ns || g->len % least || g->len / least & (g->len / least - 1) ||
	    g->ran_to > core->now || g->ran_to % least)
		ppu_io_fail(io, "SM windows have an impossible length");
}

void ppu_gpcs_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_gpcs *g = core->gpcs;
	uint32_t i, n = core->num_sms * core->cfg.warps_per_sm, count = g->num_exc, index = 0;

	io_windows(core, io);
	ppu_io_u32(io, &count);
	if (count > n)
		ppu_io_fail(io, "too many warps wait for the driver");
	for (i = 0; count && !io->failed; count--) {
		struct ppu_task *t = NULL;

		if (!io->loading) {
			while (!g->exc[i])
				i++;
			index = i;
			t = g->exc[i++];
		}
		ppu_io_u32(io, &index);
		ppu_io_task(core, io, &t);
		if (!io->loading || io->failed)
			continue;
		if (index >= n || !t || g->exc[index]) {
			ppu_io_fail(io, "a warp that waits for the driver does not exist");
			return;
		}
		g->exc[index] = t;
		g->num_exc++;
	}
}
