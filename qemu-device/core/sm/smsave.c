/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CTAs into and out of the save area (include/hw/ppu_save.h): everything that the threads of a CTA could
 * notice, at an instruction boundary.  Called between windows, when no instruction is half done.  What no thread
 * can notice is saved as 0 (flow.h), so that an image does not tell how the CTA was executed.
 *
 * A CTA may come back to another SM and other warp slots.  All SMs count cycles from device time 0, so that a
 * sleeping warp wakes at the same time as without the save.
 *
 * What is read back is copied once and checked before it is used, because others can write the save area.
 */
#include <stddef.h>
#include <string.h>
#include "core/sm/mem/storebuf.h"
#include "core/sm/seat.h"
#include "core/sm/smsave.h"

_Static_assert(PPU_SAVE_BARRIERS == PPU_NUM_BARRIERS && PPU_SAVE_LANES == PPU_LANES &&
	       PPU_SAVE_MAX_THREADS == PPU_MAX_THREADS_PER_CTA, "the layout fits the SM");
_Static_assert(sizeof(struct ppu_save_cluster) * PPU_MAX_CTA_WARPS <= sizeof(((struct ppu_save_cta *)0)->entry),
	       "a grid has no queue entry there");
_Static_assert(sizeof(struct ppu_save_cta) % 8 == 0 && sizeof(struct ppu_save_warp) % 16 == 0,
	       "no holes");

static uint32_t warps_of(const struct ppu_tmd *t)
{
	return (t->block[0] * t->block[1] * t->block[2] + PPU_LANES - 1) / PPU_LANES;
}

uint32_t ppu_sm_save_bytes(const struct ppu_core *core)
{
	const struct ppu_config *cfg = &core->cfg;

	return (uint32_t)PPU_SAVE_SM_BYTES(cfg->warps_per_sm, cfg->ctas_per_sm, cfg->regs_per_sm,
					   cfg->shared_per_sm, cfg->tokq_entries);
}

uint64_t ppu_sm_image_bytes(const struct ppu_core *core, const struct ppu_tmd *t)
{
	return PPU_SAVE_CTA_BYTES(warps_of(t), t->regs_per_thread, t->shared_bytes, t->local_per_thread,
				  core->cfg.tokq_entries);
}

/* ---- out ---------------------------------------------------------------------------------------- */

static void put(uint8_t **p, const void *v, size_t n)
{
	if (n)
		memcpy(*p, v, n);
	*p += n;
}

static int saved_state(const struct ppu_warp *w)
{
	switch (w->state) {
	case PPU_WARP_EXCEPTION:	/* the push is tried again; then the device itself moves the tokens */
	case PPU_WARP_READY:	return PPU_SAVE_W_READY;
	case PPU_WARP_TIMED:	return PPU_SAVE_W_TIMED;
	case PPU_WARP_PARKED:	return PPU_SAVE_W_PARKED;
	case PPU_WARP_SYNC:	return PPU_SAVE_W_SYNC;
	case PPU_WARP_DONE:	return PPU_SAVE_W_DONE;
	default:		return -1;	/* waits for an answer, or has faulted */
	}
}

bool ppu_sm_can_save(const struct ppu_core *core, unsigned id, unsigned slot)
{
	struct ppu_sm *sm = &core->sms[id];
	const struct ppu_cta *cta = &sm->cta[slot];
	unsigned i;

	ppu_seat_warps(sm);
	for (i = 0; i < cta->num_warps; i++)
		if (saved_state(&sm->warp[cta->warp[i]]) < 0)
			return false;
	return cta->task && !cta->faulted;
}

static void put_rows(uint8_t **p, const uint32_t (*row)[PPU_LANES], const uint32_t *keep, unsigned n)
{
	unsigned i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < PPU_LANES; k++) {
			uint32_t v = keep[i] >> k & 1 ? row[i][k] : 0;

			put(p, &v, sizeof(v));
		}
}

static void put_warp(const struct ppu_sm *sm, const struct ppu_warp *w, uint8_t **p)
{
	uint32_t tokq = sm->core->cfg.tokq_entries, local = w->cta->local_bytes;
	struct ppu_save_warp s = {
		.state = (uint32_t)saved_state(w),
		.flags = (w->pop ? PPU_SAVE_WF_POP : 0) | (w->q.ent ? 0 : PPU_SAVE_WF_NO_QUEUE) |
			 (w->retried || w->state == PPU_WARP_EXCEPTION ? PPU_SAVE_WF_RETRIED : 0),
		.pc = w->pc, .active = w->active, .live = w->live, .parked = w->parked,
		.bar_wait = w->bar_wait, .sync_wait = w->sync_wait, .bar_rel = w->bar_rel,
		.ycount = w->ycount, .head = (uint32_t)w->q.head, .tail = (uint32_t)w->q.tail,
		.rng = w->rng, .ready_at = w->ready_at,
	};
	struct ppu_canon keep;
	unsigned i;

	ppu_flow_canon(w, &keep);
	for (i = 0; i < PPU_NUM_PREDS + 1; i++)
		s.pred[i] = w->v.pred[i] & keep.pred[i];
	for (i = 0; i < PPU_LANES; i++) {
		s.bar_val[i] = keep.bar_val >> i & 1 ? w->bar_val[i] : 0;
		s.wait[i] = keep.wait >> i & 1 ? w->wait[i] : 0;
	}
	memcpy(s.lane_ycount, w->lane_ycount, sizeof(s.lane_ycount));
	put(p, &s, sizeof(s));
	put_rows(p, w->v.row, keep.reg, w->prog->nregs);
	if (w->q.ent)
		memcpy(*p + 8 * (w->q.tail + 1), w->q.ent + w->q.tail + 1, 8ull * ppu_tokq_count(&w->q));
	*p += 8ull * tokq;
	if (w->local)
		memcpy(*p, w->local, (size_t)local * PPU_LANES);
	*p += (size_t)local * PPU_LANES;
}

static void put_barriers(const struct ppu_cta *cta, uint8_t **p)
{
	unsigned i, k;

	for (i = 0; i < PPU_NUM_BARRIERS; i++) {
		struct ppu_save_bar b = { cta->bar[i].busy, cta->bar[i].count };

		put(p, &b, sizeof(b));
	}
	for (i = 0; i < PPU_NUM_BARRIERS; i++)
		for (k = 0; k < cta->num_warps; k++) {
			uint32_t lanes[3] = { cta->bar[i].arrived[k], cta->bar[i].waiting[k],
					      cta->bar[i].value[k] };

			put(p, lanes, sizeof(lanes));
		}
}

static void put_cluster(const struct ppu_sm *sm, const struct ppu_cta *cta, uint8_t *to)
{
	unsigned i;

	for (i = 0; i < cta->num_warps; i++) {
		const struct ppu_warp *w = &sm->warp[cta->warp[i]];
		struct ppu_save_cluster c = { w->cl_arrived, w->cl_passed };

		put(&to, &c, sizeof(c));
	}
}

void ppu_sm_save_cta(struct ppu_core *core, unsigned id, unsigned slot, uint64_t addr, unsigned reason)
{
	struct ppu_sm *sm = &core->sms[id];
	struct ppu_cta *cta = &sm->cta[slot];
	const struct ppu_sm_task *t = cta->task;
	uint64_t bytes = ppu_sm_image_bytes(core, &t->launch);
	uint8_t *p = core->vram + addr;
	struct ppu_save_cta h = {
		.magic = PPU_SAVE_MAGIC, .version = PPU_SAVE_VERSION, .warps = (uint16_t)cta->num_warps,
		.task = PPU_SM_TASK_ID(t), .index = cta->index, .bytes = bytes, .regs = t->prog->nregs,
		.shared_bytes = cta->shared_bytes, .local_per_thread = cta->local_bytes,
		.tokq_entries = core->cfg.tokq_entries,
	};
	unsigned i;

	ppu_seat_warps(sm);
	/* Stores of the SM that still wait belong into memory, not into the image. */
	if (sm->sb)
		ppu_storebuf_settle(sm);
	if (cta->params == cta->own_params) {
		h.entry_bytes = t->launch.queue_entry_bytes;
		memcpy(h.entry, cta->params + cta->param_bytes - h.entry_bytes, h.entry_bytes);
	}
	if (t->launch.kind != PPU_TMD_QUEUE)
		put_cluster(sm, cta, h.entry);
	put(&p, &h, sizeof(h));
	put_barriers(cta, &p);
	put(&p, cta->shared, cta->shared_bytes);
	p += -cta->shared_bytes & 15;
	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];

		ppu_sm_report_warp(sm, w);
		put_warp(sm, w, &p);
	}
	ppu_mem_dirty(core, (struct ppu_phys){ addr, 0 }, bytes);
	PPU_TRACE(core, CTA_SAVE, id, (uint32_t)cta->index, PPU_SM_TASK_ID(t), cta->warp[0], reason);
	ppu_sm_unseat(sm, cta);
	ppu_seat_count(sm);
}

/* ---- back in ------------------------------------------------------------------------------------ */

static void get(const uint8_t **p, void *v, size_t n)
{
	if (n)
		memcpy(v, *p, n);
	*p += n;
}

/* Is it the image of this CTA? */
static bool header_ok(const struct ppu_core *core, const struct ppu_save_cta *h, const struct ppu_sm_task *t,
		      uint64_t index)
{
	const struct ppu_tmd *l = &t->launch;
	uint32_t entry = l->kind == PPU_TMD_QUEUE ? l->queue_entry_bytes : 0;

	return h->magic == PPU_SAVE_MAGIC && h->version == PPU_SAVE_VERSION && h->warps == warps_of(l) &&
	       h->task == PPU_SM_TASK_ID(t) && h->index == index &&
	       h->bytes == ppu_sm_image_bytes(core, l) && h->regs == t->prog->nregs &&
	       h->shared_bytes == l->shared_bytes && h->local_per_thread == l->local_per_thread &&
	       h->tokq_entries == core->cfg.tokq_entries && h->entry_bytes == entry && !h->reserved &&
	       !h->reserved2;
}

static bool get_barriers(struct ppu_cta *cta, const struct ppu_tmd *l, const uint8_t **p)
{
	bool ok = true;
	unsigned i, k;

	cta->busy_bars = PPU_ALL_BARRIERS;
	for (i = 0; i < PPU_NUM_BARRIERS; i++) {
		struct ppu_save_bar b;

		get(p, &b, sizeof(b));
		ok &= b.busy <= 1 && b.count <= PPU_MAX_THREADS_PER_CTA;
		cta->bar[i].busy = cta->bar[i].odd = b.busy;
		cta->bar[i].count = b.count;
	}
	for (i = 0; i < PPU_NUM_BARRIERS; i++)
		for (k = 0; k < cta->num_warps; k++) {
			struct ppu_barrier *b = &cta->bar[i];
			uint32_t lanes[3];

			get(p, lanes, sizeof(lanes));
			ok &= !(lanes[0] & ~ppu_sm_lanes(l, k)) && !((lanes[1] | lanes[2]) & ~lanes[0]) &&
			      (b->busy || !lanes[0]);
			b->arrived[k] = lanes[0];
			b->waiting[k] = lanes[1];
			b->value[k] = lanes[2];
		}
	return ok;
}

/* The state in which the warp goes on.  The warp wakes at `start` at the earliest. */
static unsigned next_state(struct ppu_warp *w, unsigned saved, uint64_t start)
{
	switch (saved) {
	case PPU_SAVE_W_READY:
		w->ready_at = start;
		return PPU_WARP_TIMED;
	case PPU_SAVE_W_TIMED:
		if (w->ready_at < start)
			w->ready_at = start;
		return PPU_WARP_TIMED;
	case PPU_SAVE_W_PARKED:
		return PPU_WARP_PARKED;
	case PPU_SAVE_W_SYNC:
		if (w->cta->children)
			return PPU_WARP_SYNC;
		w->ready_at = start;
		return PPU_WARP_TIMED;
	case PPU_SAVE_W_DONE:
		return PPU_WARP_DONE;
	}
	return PPU_WARP_FREE;
}

#define SLEEP_MAX	(1ull << 40)	/* cycles; nothing the device wrote lies further ahead */

static void get_cluster(struct ppu_sm *sm, const struct ppu_cta *cta, const uint8_t *from)
{
	unsigned i;

	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];
		struct ppu_save_cluster c;

		get(&from, &c, sizeof(c));
		w->cl_arrived = c.arrived;
		w->cl_passed = c.passed;
	}
}

static bool get_warp(struct ppu_sm *sm, struct ppu_warp *w, uint64_t start, const uint8_t **p)
{
	uint32_t tokq = sm->core->cfg.tokq_entries, local = w->cta->local_bytes;
	struct ppu_save_warp s;
	unsigned state, i;

	get(p, &s, sizeof(s));
	w->pop = s.flags & PPU_SAVE_WF_POP;
	w->retried = s.flags & PPU_SAVE_WF_RETRIED;
	w->pc = s.pc;
	w->active = s.active;
	w->live = s.live;
	w->parked = s.parked;
	w->bar_wait = s.bar_wait;
	w->sync_wait = s.sync_wait;
	w->bar_rel = s.bar_rel;
	w->ycount = s.ycount;
	w->q.head = (int32_t)s.head;
	w->q.tail = (int32_t)s.tail;
	w->rng = s.rng;
	w->ready_at = s.ready_at;
	memcpy(w->v.pred, s.pred, sizeof(s.pred));
	memcpy(w->bar_val, s.bar_val, sizeof(s.bar_val));
	memcpy(w->wait, s.wait, sizeof(s.wait));
	memcpy(w->lane_ycount, s.lane_ycount, sizeof(s.lane_ycount));
	w->ycounts = true;
	state = next_state(w, s.state, start);
	if (s.flags & ~PPU_SAVE_WF_ALL || s.pred[PPU_PT] != ~0u || !ppu_sm_warp_possible(w, state, w->lanes) ||
	    (state == PPU_WARP_DONE && (s.live || s.active)) ||
	    (state == PPU_WARP_TIMED && w->ready_at > start + SLEEP_MAX))
		return false;
	for (i = 0; i < PPU_LANES; i++)
		if (PPU_WAIT_ADDR(s.wait[i]) > w->prog->n)
			return false;
	get(p, w->v.row, (size_t)w->prog->nregs * sizeof(w->v.row[0]));
	memcpy(w->q.ent + w->q.tail + 1, *p + 8 * (w->q.tail + 1), 8ull * ppu_tokq_count(&w->q));
	*p += 8ull * tokq;
	if (w->local)
		memcpy(w->local, *p, (size_t)local * PPU_LANES);
	*p += (size_t)local * PPU_LANES;
	w->q_dirty = true;
	w->local_dirty = w->local != NULL;
	ppu_sm_report_warp(sm, w);
	if (s.flags & PPU_SAVE_WF_NO_QUEUE)
		w->q.ent = NULL;
	w->cta->done_warps += state == PPU_WARP_DONE;
	ppu_sm_set_state(sm, w, state);
	return true;
}

int ppu_sm_restore_cta(struct ppu_core *core, unsigned id, struct ppu_sm_task *t, uint64_t index,
		       uint32_t children, uint64_t addr, uint64_t start_time)
{
	const uint8_t *p = core->vram + addr;
	uint64_t start = ppu_sm_cycle_at(core, start_time);
	struct ppu_sm *sm = &core->sms[id];
	struct ppu_save_cta h;
	struct ppu_cta *cta;
	bool ok, runs = false;
	unsigned i;
	int err;

	get(&p, &h, sizeof(h));
	if (!header_ok(core, &h, t, index))
		return -PPU_ERR_SAVE_CORRUPT;
	cta = ppu_sm_seat(sm, t, index, h.entry, &err);
	if (!cta)
		return -err;
	ppu_seat_warps(sm);
	cta->children = children;
	ok = sm->warp[cta->warp[0]].q.ent && get_barriers(cta, &t->launch, &p);
	if (ok)
		get(&p, cta->shared, cta->shared_bytes);
	p += -cta->shared_bytes & 15;
	if (t->launch.kind != PPU_TMD_QUEUE)
		get_cluster(sm, cta, h.entry);
	for (i = 0; i < cta->num_warps && ok; i++) {
		ok = get_warp(sm, &sm->warp[cta->warp[i]], start, &p);
		runs |= sm->warp[cta->warp[i]].state == PPU_WARP_TIMED;
	}
	/* No CTA is saved in which no warp can go on, but with others of its cluster. */
	if (!ok || !(runs || cta->cluster_ctas > 1)) {
		ppu_sm_unseat(sm, cta);
		ppu_seat_count(sm);
		return -PPU_ERR_SAVE_CORRUPT;
	}
	PPU_TRACE(core, CTA_RESTORE, id, (uint32_t)index, PPU_SM_TASK_ID(t), cta->warp[0], cta->num_warps);
	return (int)(cta - sm->cta);
}
