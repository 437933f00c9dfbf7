/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Save and restore of the SMs.  Tokens and local memory are in VRAM; programs are fetched again. */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/sm/cluster/cluster.h"
#include "core/sm/mem/cache.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/storebuf.h"
#include "core/sm/mem/timing.h"
#include "core/sm/seat.h"
#include "core/sm/warp.h"

static void io_u32s(struct ppu_io *io, uint32_t *v, unsigned n)
{
	while (n--)
		ppu_io_u32(io, v++);
}

/* Effects live from the run of a window to its end, which are one event: there are none now. */
static void io_effects(struct ppu_io *io, struct ppu_sm *sm)
{
	uint32_t n = sm->fx.n;

	ppu_io_u32(io, &n);
	if (n && !io->any_time)
		ppu_io_fail(io, "SM %u has effects that were not applied", sm->id);
}

bool ppu_sm_warp_possible(const struct ppu_warp *w, unsigned state, uint32_t lanes)
{
	const struct ppu_tokq *q = &w->q;

	if ((w->cl_arrived | w->cl_passed) & ~lanes || w->cl_arrived & w->cl_passed)
		return false;
	return state > PPU_WARP_FREE && state <= PPU_WARP_HALTED && w->pc <= w->prog->n &&
	       !(w->live & ~lanes) && !(w->active & ~w->live) && !(w->parked & (~w->live | w->active)) &&
	       !((w->bar_wait | w->sync_wait | w->bar_rel) & ~lanes) &&
	       q->head >= 0 && (uint32_t)q->head <= q->size && q->tail >= -1 && q->tail < q->head &&
	       (w->active || w->pop || state == PPU_WARP_DONE || state == PPU_WARP_HALTED) &&
	       !(w->active && w->pop) && (state != PPU_WARP_PARKED || w->parked) &&
	       w->launch_d < PPU_ROWS(w->prog->nregs) && (state != PPU_WARP_LAUNCH || w->pending);
}

static void io_lanes(struct ppu_io *io, uint32_t *v, uint32_t keep)
{
	unsigned i;

	for (i = 0; i < PPU_LANES; i++) {
		uint32_t x = keep >> i & 1 ? v[i] : 0;

		ppu_io_u32(io, io->loading ? &v[i] : &x);
	}
}

/* What no thread can notice is saved as 0. */
static void io_registers(struct ppu_io *io, struct ppu_warp *w, const struct ppu_canon *keep)
{
	unsigned n;

	for (n = 0; n < w->prog->nregs; n++)
		io_lanes(io, w->v.row[n], keep->reg[n]);
	for (n = 0; n < PPU_NUM_PREDS; n++) {
		uint32_t x = w->v.pred[n] & keep->pred[n];

		ppu_io_u32(io, io->loading ? &w->v.pred[n] : &x);
	}
}

/* In a warp's state: the masks of its cluster's barrier follow, which are not both empty.  Since version 16. */
#define IO_WARP_CLUSTER 0x80u

static void io_warp(struct ppu_io *io, struct ppu_sm *sm, struct ppu_cta *cta, unsigned i, uint32_t lanes)
{
	struct ppu_warp *w = &sm->warp[cta->warp[i]];
	const struct ppu_sm_task *t = cta->task;
	uint32_t head, tail;
	uint8_t state = (uint8_t)(w->state | (w->cl_arrived | w->cl_passed ? IO_WARP_CLUSTER : 0));
	bool mapped = w->q.ent != NULL;
	struct ppu_canon keep = { 0 };

	if (io->loading) {
		if (w->state != PPU_WARP_FREE) {
			ppu_io_fail(io, "SM %u: warp slot %u is used twice", sm->id, w->slot);
			return;
		}
		w->cta = cta;
		w->index = i;
		w->prog = t->prog;
		if (!ppu_seat_rows(sm, w, t->prog->nregs)) {
			ppu_io_fail(io, "out of memory");
			return;
		}
		ppu_warp_start(w, lanes, 0, sm->core->cfg.yield_every > 1);
		ppu_seat_map(sm, w, t);
	} else {
		ppu_flow_canon(w, &keep);
		if (io->exact)
			memset(&keep, 0xff, sizeof(keep));
	}
	ppu_io_u8(io, &state);
	ppu_io_bool(io, &mapped);
	io_registers(io, w, &keep);
	ppu_io_u32(io, &w->pc);
	ppu_io_u32(io, &w->active);
	ppu_io_u32(io, &w->live);
	ppu_io_bool(io, &w->pop);
	w->whole = false;		/* as good as unknown */
	ppu_io_bool(io, &w->retried);
	head = (uint32_t)w->q.head;
	tail = (uint32_t)w->q.tail;
	ppu_io_u32(io, &head);
	ppu_io_u32(io, &tail);
	ppu_io_u32(io, &w->parked);
	ppu_io_u32(io, &w->bar_wait);
	ppu_io_u32(io, &w->sync_wait);
	ppu_io_u32(io, &w->bar_rel);
	if (state & IO_WARP_CLUSTER && io->version >= 16) {
		ppu_io_u32(io, &w->cl_arrived);
		ppu_io_u32(io, &w->cl_passed);
		state &= (uint8_t)~IO_WARP_CLUSTER;
	}
	io_lanes(io, w->bar_val, keep.bar_val);
	io_lanes(io, w->wait, keep.wait);
	ppu_io_u32(io, &w->ycount);
	io_u32s(io, w->lane_ycount, PPU_LANES);
	w->ycounts |= io->loading;
	ppu_io_u64(io, &w->rng);
	ppu_io_u64(io, &w->ready_at);
	ppu_io_u32(io, &w->pending);
	ppu_io_u16(io, &w->launch_d);
	if (!io->loading || io->failed)
		return;

	w->q.size = sm->core->cfg.tokq_entries;
	w->q.head = (int32_t)head;
	w->q.tail = (int32_t)tail;
	if (!mapped)
		w->q.ent = NULL;
	if (!ppu_sm_warp_possible(w, state, lanes)) {
		ppu_io_fail(io, "SM %u: warp %u has an impossible state", sm->id, w->slot);
		return;
	}
	ppu_sm_set_state(sm, w, state);
}

static void io_cta(struct ppu_core *core, struct ppu_io *io, struct ppu_sm *sm, struct ppu_cta *cta)
{
	struct ppu_seat_need n;
	uint64_t va;
	unsigned i;

	ppu_io_sm_task(core, io, &cta->task);
	if (io->failed)
		return;
	if (io->loading) {
		struct ppu_sm_task *t = cta->task;

		/* The task unit may have fetched the program already. */
		if (!t || !t->ctx || !ppu_seat_need(&core->cfg, &t->launch, &n) ||
		    (!t->prog && ppu_icache_get(core, t->ctx, &t->launch, &t->prog, &va)) ||
		    sm->used_warps + n.warps > sm->num_warps ||
		    sm->used_regs + n.regs > core->cfg.regs_per_sm ||
		    (PPU_CLUSTER_CTAS(t->launch.cluster) == 1 && sm->used_shared + n.shared > core->cfg.shared_per_sm)) {
			cta->task = NULL;
			ppu_io_fail(io, "SM %u: a CTA of a task that cannot be there", sm->id);
			return;
		}
		cta->num_warps = n.warps;
		cta->regs = n.regs;
		cta->local_bytes = t->launch.local_per_thread;
		memset(cta->warp, 0, sizeof(cta->warp));
		cta->slots = 0;
		if (!ppu_seat_shared(cta, n.shared) || !ppu_seat_params(cta, t, NULL)) {
			cta->task = NULL;
			ppu_io_fail(io, "out of memory");
			return;
		}
	} else {
		ppu_seat_need(&core->cfg, &cta->task->launch, &n);
	}
	ppu_io_u64(io, &cta->index);
	io_u32s(io, cta->id, 3);
	ppu_io_u32(io, &cta->done_warps);
	ppu_io_bool(io, &cta->faulted);
	ppu_io_u32(io, &cta->children);
	ppu_io_bytes(io, cta->shared, cta->shared_bytes);
	if (cta->params == cta->own_params)
		ppu_io_bytes(io, cta->params + cta->param_bytes - cta->task->launch.queue_entry_bytes,
			     cta->task->launch.queue_entry_bytes);
	if (io->loading) {
		memset(cta->bar, 0, sizeof(cta->bar));
		cta->busy_bars = PPU_ALL_BARRIERS;
	}
	for (i = 0; i < PPU_NUM_BARRIERS; i++) {
		struct ppu_barrier *b = &cta->bar[i];

		ppu_io_bool(io, &b->busy);
		b->odd |= io->loading && b->busy;
		ppu_io_u32(io, &b->count);
		io_u32s(io, b->arrived, PPU_MAX_CTA_WARPS);
		io_u32s(io, b->waiting, PPU_MAX_CTA_WARPS);
		io_u32s(io, b->value, PPU_MAX_CTA_WARPS);
	}
	for (i = 0; i < n.warps; i++) {
		ppu_io_u8(io, &cta->warp[i]);
		if (cta->warp[i] >= sm->num_warps)
			ppu_io_fail(io, "SM %u: no such warp slot", sm->id);
		else
			cta->slots |= 1ull << cta->warp[i];
	}
	if (io->loading && !io->failed &&
	    !ppu_ctas_check(core, sm->id, (unsigned)(cta - sm->cta), cta->task, cta->index, cta->children))
		ppu_io_fail(io, "SM %u: a CTA is not where its record says", sm->id);
	if (cta->done_warps >= cta->num_warps || !ppu_ctas_check_index(cta->task, cta->index))
		ppu_io_fail(io, "SM %u: a CTA has impossible counts", sm->id);
	if (io->loading) {
		if (io->failed) {
			cta->task = NULL;
			return;
		}
		sm->taken |= 1u << (cta - sm->cta);
		ppu_cluster_join(sm, cta);
		core->resident[sm->id].ctas++;
		sm->used_warps += n.warps;
		sm->used_regs += n.regs;
		sm->used_shared += n.shared;
	}
	for (i = 0; i < n.warps && !io->failed; i++)
		io_warp(io, sm, cta, i, ppu_sm_lanes(&cta->task->launch, i));
}

/* Checks that every task has as many CTAs here as its record says: a task and its CTAs end together. */
static void check_ctas(struct ppu_core *core, struct ppu_io *io)
{
	uint32_t *n = ppu_alloc(core->cfg.task_records, sizeof(*n)), i, k;
	const struct ppu_sm_task *t;

	if (!n) {
		ppu_io_fail(io, "out of memory");
		return;
	}
	for (i = 0; i < core->num_sms; i++)
		for (k = 0; k < core->sms[i].num_ctas; k++)
			if ((t = core->sms[i].cta[k].task))
				n[t->index]++;
	ppu_ctas_check_live(core, io, n);
	ppu_free(n);
}

/* Tasks are loaded before the SMs.  Tokens and local memory are in VRAM; programs are fetched again. */
void ppu_sms_io(struct ppu_core *core, struct ppu_io *io)
{
	unsigned i, k;

	ppu_caches_io(core, io);
	ppu_memsys_io(core, io);
	ppu_timing_io(core, io);
	ppu_io_section(io, "SMS ");
	for (i = 0; i < core->num_sms && !io->failed; i++) {
		struct ppu_sm *sm = &core->sms[i];

		ppu_io_u64(io, &sm->cycle);
		ppu_io_u64(io, &sm->t1);
		ppu_io_u32(io, &sm->turn);
		ppu_io_u32(io, &sm->quantum);
		if (io->loading && (sm->turn >= 64 || sm->quantum > PPU_SM_QUANTUM))
			ppu_io_fail(io, "SM %u: impossible turn", i);
		if (!io->loading)
			ppu_seat_warps(sm);
		for (k = 0; k < PPU_CTR_COUNT; k++) {
			uint64_t misses_of_nobody = 0;	/* TLBs are not saved, so who went back has missed more */

			ppu_io_u64(io, io->any_time && k == PPU_CTR_TLB_MISSES ? &misses_of_nobody : &sm->ctr[k]);
		}
		for (k = 0; k < sm->num_ctas && !io->failed; k++) {
			bool used = sm->cta[k].task != NULL;

			ppu_io_bool(io, &used);
			if (used && !io->failed)
				io_cta(core, io, sm, &sm->cta[k]);
		}
		io_effects(io, sm);
		if (sm->sb)
			ppu_storebuf_io(sm, io);
		if (io->loading)
			ppu_lsu_flush(sm);
	}
	if (io->loading && !io->failed)
		check_ctas(core, io);
}
