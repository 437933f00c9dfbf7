/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SM: resident CTAs and warps, their resources, and the run loop.
 *
 * Time on an SM is a count of cycles since device time 0.  The SM issues one warp instruction at a
 * time, and an instruction takes as many cycles as the cost table says.  Ready warps take turns in
 * slot order; a turn lasts PPU_SM_QUANTUM cycles or until the warp has to wait.  Windows do not
 * show: turn and cycle go on where the last one stopped.
 */
#include <stdlib.h>
#include <string.h>
#include "core/sm/sm.h"

/* ---- time ---------------------------------------------------------------------------------------- */

uint64_t ppu_sm_cycle_at(const struct ppu_core *core, uint64_t ns)
{
	unsigned __int128 x = (unsigned __int128)ns * core->cfg.sm_clock_khz + 999999;

	return (uint64_t)(x / 1000000);
}

uint64_t ppu_sm_time(const struct ppu_sm *sm)
{
	uint64_t ns = (uint64_t)((unsigned __int128)sm->cycle * 1000000 / sm->core->cfg.sm_clock_khz);

	return ns < sm->t1 ? ns : sm->t1 - 1;
}

/* ---- effects ------------------------------------------------------------------------------------- */

struct ppu_effect *ppu_sm_effect(struct ppu_sm *sm, enum ppu_effect_kind kind, struct ppu_task *task)
{
	struct ppu_effects *fx = &sm->fx;
	struct ppu_effect *e;

	if (fx->n == fx->cap) {
		uint32_t cap = fx->cap ? 2 * fx->cap : 64;
		struct ppu_effect *v = realloc(fx->v, cap * sizeof(*v));

		if (!v)
			return NULL;
		fx->v = v;
		fx->cap = cap;
	}
	e = &fx->v[fx->n++];
	memset(e, 0, sizeof(*e));
	e->time = ppu_sm_time(sm);
	e->kind = kind;
	e->task = task;
	return e;
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

struct ppu_effects *ppu_sm_effects(struct ppu_core *core, unsigned id)
{
	struct ppu_sm *sm = &core->sms[id];
	unsigned i;

	/* Called between windows, by the one thread that drives the core. */
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

void ppu_sm_set_state(struct ppu_sm *sm, struct ppu_warp *w, enum ppu_warp_state state)
{
	uint64_t bit = 1ull << w->slot;

	sm->ready &= ~bit;
	sm->timed &= ~bit;
	if (state == PPU_WARP_READY)
		sm->ready |= bit;
	if (state == PPU_WARP_TIMED)
		sm->timed |= bit;
	w->state = state;
}

enum ppu_step ppu_sm_fault(struct ppu_sm *sm, struct ppu_warp *w, unsigned code, unsigned lane,
			   uint64_t va, unsigned access, unsigned level)
{
	struct ppu_cta *cta = w->cta;
	struct ppu_effect *e;
	unsigned i;

	if (!cta->faulted) {
		const struct ppu_task *t = cta->task;

		cta->faulted = true;
		e = ppu_sm_effect(sm, PPU_FX_FAULT, cta->task);
		if (e) {
			struct ppu_fault_rec *r = &e->rec;

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
	}
	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *o = &sm->warp[cta->warp[i]];

		if (o->state != PPU_WARP_DONE)
			ppu_sm_set_state(sm, o, PPU_WARP_HALTED);
	}
	return PPU_SWITCH;
}

void ppu_sm_check_deadlock(struct ppu_sm *sm, struct ppu_cta *cta)
{
	struct ppu_warp *parked = NULL;
	bool sync = false;
	unsigned i;

	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];

		if (w->state == PPU_WARP_PARKED)
			parked = parked ? parked : w;
		else if (w->state == PPU_WARP_SYNC)
			sync = true;
		else if (w->state != PPU_WARP_DONE)
			return;
	}
	if (sync) {
		struct ppu_effect *e = ppu_sm_effect(sm, PPU_FX_WAITS, cta->task);

		if (e)
			e->arg[0] = (uint64_t)(cta - sm->cta);
		return;
	}
	if (parked) {
		unsigned lane = __builtin_ctz(parked->parked);

		/* Where its lowest lane waits. */
		parked->pc = PPU_WAIT_ADDR(parked->wait[lane]);
		ppu_sm_fault_pc(sm, parked, PPU_ERR_DEADLOCK, lane);
	}
}

void ppu_sm_unseat(struct ppu_sm *sm, struct ppu_cta *cta)
{
	unsigned i;

	if (sm->sb)
		ppu_storebuf_settle(sm);
	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];

		ppu_sm_set_state(sm, w, PPU_WARP_FREE);
		w->cta = NULL;
	}
	sm->used_warps -= cta->num_warps;
	sm->used_regs -= cta->regs;
	sm->used_shared -= cta->shared_bytes;
	sm->used_ctas--;
	cta->task = NULL;
}

/* What a warp wrote through pointers of its own. */
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

	PPU_SM_TRACE(sm, w, WARP_DONE, 0, cta->index, 0);
	ppu_sm_set_state(sm, w, PPU_WARP_DONE);
	ppu_sm_report_warp(sm, w);
	if (++cta->done_warps < cta->num_warps) {
		ppu_sm_check_deadlock(sm, cta);
		return;
	}
	if (sm->sb)
		ppu_storebuf_drain(sm);
	e = ppu_sm_effect(sm, PPU_FX_CTA_DONE, cta->task);
	if (e) {
		e->arg[0] = cta->index;
		e->arg[1] = cta->warp[0];
		e->arg[2] = (uint64_t)(cta - sm->cta);
	}
	ppu_sm_unseat(sm, cta);
}

/* ---- resources --------------------------------------------------------------------------------------- */

struct need {
	uint32_t threads, warps, regs, shared;
};

static bool need_of(const struct ppu_config *cfg, const struct ppu_tmd *t, struct need *n)
{
	uint64_t threads = (uint64_t)t->block[0] * t->block[1];

	if (!threads || threads > PPU_MAX_THREADS_PER_CTA || !t->block[2])
		return false;
	threads *= t->block[2];
	if (threads > PPU_MAX_THREADS_PER_CTA || !t->regs_per_thread ||
	    t->regs_per_thread > PPU_NUM_REGS)
		return false;
	n->threads = (uint32_t)threads;
	n->warps = (n->threads + PPU_LANES - 1) / PPU_LANES;
	n->regs = n->warps * PPU_LANES * t->regs_per_thread;
	n->shared = t->shared_bytes;
	return n->warps <= cfg->warps_per_sm && n->regs <= cfg->regs_per_sm &&
	       n->shared <= cfg->shared_per_cta && n->shared <= cfg->shared_per_sm;
}

/* Do the areas of the instance block hold what SM code will touch? */
static bool areas_ok(const struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *t)
{
	const struct ppu_config *cfg = &core->cfg;
	const struct ppu_inst_block *b = &ctx->blk;
	uint64_t need;

	need = PPU_TOKQ_AREA_BYTES(core->num_sms, cfg->warps_per_sm, cfg->tokq_entries);
	if (b->tokq_size < need || b->tokq_base > cfg->vram || need > cfg->vram - b->tokq_base ||
	    b->tokq_base % 8)
		return false;
	if (!t->local_per_thread)
		return true;
	if (t->local_per_thread > b->local_per_thread || b->local_per_thread % 16)
		return false;
	need = PPU_LOCAL_AREA_BYTES(core->num_sms, cfg->warps_per_sm, b->local_per_thread);
	return b->local_size >= need && b->local_base <= cfg->vram &&
	       need <= cfg->vram - b->local_base && b->local_base % 16 == 0;
}

int ppu_sm_limits(struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *t)
{
	struct need n;

	if (!need_of(&core->cfg, t, &n))
		return PPU_ERR_TMD_LIMITS;
	return areas_ok(core, ctx, t) ? 0 : PPU_ERR_NO_TOKQ;
}

bool ppu_sm_can_start_without(struct ppu_core *core, unsigned id, const struct ppu_task *t, uint32_t without)
{
	const struct ppu_sm *sm = &core->sms[id];
	uint32_t ctas = sm->used_ctas, warps = sm->used_warps, regs = sm->used_regs, shared = sm->used_shared;
	struct need n;

	for (; without; without &= without - 1) {
		const struct ppu_cta *cta = &sm->cta[__builtin_ctz(without)];

		ctas--;
		warps -= cta->num_warps;
		regs -= cta->regs;
		shared -= cta->shared_bytes;
	}
	return need_of(&core->cfg, &t->launch, &n) && ctas < sm->num_ctas &&
	       warps + n.warps <= sm->num_warps && regs + n.regs <= core->cfg.regs_per_sm &&
	       shared + n.shared <= core->cfg.shared_per_sm;
}

bool ppu_sm_can_start(struct ppu_core *core, unsigned id, const struct ppu_task *t)
{
	return ppu_sm_can_start_without(core, id, t, 0);
}

static bool alloc_rows(struct ppu_warp *w, uint32_t nregs)
{
	uint32_t rows = PPU_ROWS(nregs);

	if (w->rows_cap < rows) {
		free(w->rows);
		w->rows = aligned_alloc(64, (size_t)rows * sizeof(w->v.row[0]));
		w->rows_cap = w->rows ? rows : 0;
		if (!w->rows)
			return false;
	}
	w->v.row = w->rows;
	memset(w->rows, 0, (size_t)rows * sizeof(w->v.row[0]));
	return true;
}

static bool alloc_shared(struct ppu_cta *cta, uint32_t bytes)
{
	uint32_t cap = (bytes + 15) & ~15u;

	if (cta->shared_cap < cap) {
		free(cta->shared);
		cta->shared = aligned_alloc(16, cap);
		cta->shared_cap = cta->shared ? cap : 0;
		if (!cta->shared)
			return false;
	}
	if (bytes)
		memset(cta->shared, 0, cap);
	cta->shared_bytes = bytes;
	return true;
}

/* Pointers into VRAM, from the instance block; false: the areas are not there. */
static bool map_warp(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_task *t)
{
	struct ppu_core *core = sm->core;
	const struct ppu_config *cfg = &core->cfg;
	uint64_t index = (uint64_t)sm->id * cfg->warps_per_sm + w->slot;
	const struct ppu_inst_block *b = &t->ctx->blk;

	w->q.ent = NULL;
	w->local = NULL;
	if (!areas_ok(core, t->ctx, &t->launch))
		return false;
	w->q.ent = (uint64_t *)(core->vram + b->tokq_base + index * cfg->tokq_entries * 8);
	if (t->launch.local_per_thread)
		w->local = core->vram + b->local_base + index * PPU_LANES * b->local_per_thread;
	return true;
}

uint32_t ppu_sm_lanes(const struct ppu_tmd *t, unsigned warp)
{
	uint32_t left = t->block[0] * t->block[1] * t->block[2] - warp * PPU_LANES;

	return left >= PPU_LANES ? ~0u : (1u << left) - 1;
}

/* What its threads see as parameters. */
static bool alloc_params(struct ppu_cta *cta, const struct ppu_task *t, const uint8_t *entry)
{
	uint32_t bytes = (t->launch.param_bytes + 15) & ~15u;

	cta->params = t->params;
	cta->param_bytes = bytes;
	if (t->launch.kind != PPU_TMD_QUEUE)
		return true;
	cta->param_bytes += t->launch.queue_entry_bytes;
	if (!cta->own_params)
		cta->own_params = aligned_alloc(16, PPU_PARAM_MAX + PPU_QUEUE_ENTRY_MAX);
	cta->params = cta->own_params;
	if (!cta->params)
		return false;
	memcpy(cta->params, t->params, bytes);
	if (entry)
		memcpy(cta->params + bytes, entry, t->launch.queue_entry_bytes);
	else
		memset(cta->params + bytes, 0, t->launch.queue_entry_bytes);
	return true;
}

static void set_id(struct ppu_cta *cta, const struct ppu_tmd *l, uint64_t index)
{
	cta->index = index;
	if (l->kind == PPU_TMD_QUEUE) {
		cta->id[0] = (uint32_t)index;
		cta->id[1] = cta->id[2] = 0;
		return;
	}
	cta->id[0] = (uint32_t)(index % l->grid[0]);
	cta->id[1] = (uint32_t)(index / l->grid[0] % l->grid[1]);
	cta->id[2] = (uint32_t)(index / l->grid[0] / l->grid[1]);
}

struct ppu_cta *ppu_sm_seat(struct ppu_sm *sm, struct ppu_task *t, uint64_t index, const uint8_t *entry,
			    bool *mapped)
{
	const struct ppu_tmd *l = &t->launch;
	struct ppu_cta *cta = NULL;
	unsigned i, slot = 0;
	struct need n;

	if (!ppu_sm_can_start(sm->core, sm->id, t) || !need_of(&sm->core->cfg, l, &n) || !t->prog)
		return NULL;
	for (i = 0; i < sm->num_ctas && !cta; i++)
		if (!sm->cta[i].task)
			cta = &sm->cta[i];
	*mapped = alloc_shared(cta, n.shared) && alloc_params(cta, t, entry);
	cta->task = t;
	set_id(cta, l, index);
	cta->num_warps = n.warps;
	cta->done_warps = 0;
	cta->faulted = false;
	cta->regs = n.regs;
	cta->local_bytes = l->local_per_thread;
	cta->children = 0;
	memset(cta->bar, 0, sizeof(cta->bar));
	sm->used_ctas++;
	sm->used_warps += n.warps;
	sm->used_regs += n.regs;
	sm->used_shared += n.shared;

	for (i = 0; i < n.warps; i++) {
		struct ppu_warp *w;

		while (sm->warp[slot].state != PPU_WARP_FREE)
			slot++;
		w = &sm->warp[slot++];
		cta->warp[i] = w->slot;
		w->cta = cta;
		w->index = i;
		w->prog = t->prog;
		*mapped = alloc_rows(w, t->prog->nregs) && *mapped;
		ppu_warp_start(sm, w, ppu_sm_lanes(l, i), l->entry_pc);
		*mapped = map_warp(sm, w, t) && *mapped;
		ppu_tokq_init(&w->q, w->q.ent, sm->core->cfg.tokq_entries);
		ppu_sm_set_state(sm, w, PPU_WARP_PARKED);	/* its slot is taken */
	}
	return cta;
}

int ppu_sm_start_cta(struct ppu_core *core, unsigned id, struct ppu_task *t, uint64_t index,
		     uint64_t start_time, const uint8_t *entry)
{
	struct ppu_sm *sm = &core->sms[id];
	bool ok;
	struct ppu_cta *cta = ppu_sm_seat(sm, t, index, entry, &ok);
	unsigned i, k;

	if (!cta)
		return -1;
	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];

		if (!ok)
			w->q.ent = NULL;	/* it faults when it runs */
		else if (t->prog->nregs > PPU_SP)
			for (k = 0; k < PPU_LANES; k++)
				w->v.row[PPU_SP][k] = cta->local_bytes;
		w->rng = core->cfg.seed ^ (PPU_TASK_ID(t) << 40 | index << 8 | i);
		w->ready_at = ppu_sm_cycle_at(core, start_time);
		ppu_sm_set_state(sm, w, PPU_WARP_TIMED);
	}
	PPU_TRACE(core, CTA_START, id, (uint32_t)index, PPU_TASK_ID(t), cta->warp[0], cta->num_warps);
	if (ppu_tracing(core))
		for (i = 0; i < cta->num_warps; i++) {
			const struct ppu_warp *w = &sm->warp[cta->warp[i]];

			PPU_TRACE(core, WARP_START, id, (uint32_t)w->slot << 24 | w->pc, w->lanes,
				  index, 0);
		}
	return (int)(cta - sm->cta);
}

/* ---- run --------------------------------------------------------------------------------------------------- */

/* Ready those whose time has come; the cycle at which the next one is due. */
static uint64_t wake_timed(struct ppu_sm *sm)
{
	uint64_t next = UINT64_MAX, m;

	for (m = sm->timed; m; m &= m - 1) {
		struct ppu_warp *w = &sm->warp[__builtin_ctzll(m)];

		if (w->ready_at <= sm->cycle)
			ppu_sm_set_state(sm, w, PPU_WARP_READY);
		else if (w->ready_at < next)
			next = w->ready_at;
	}
	return next;
}

static struct ppu_warp *next_warp(struct ppu_sm *sm)
{
	uint64_t after;

	if (sm->quantum && (sm->ready >> sm->turn & 1))
		return &sm->warp[sm->turn];
	after = sm->turn < 63 ? sm->ready & (~0ull << (sm->turn + 1)) : 0;
	sm->turn = (uint32_t)__builtin_ctzll(after ? after : sm->ready);
	sm->quantum = PPU_SM_QUANTUM;
	return &sm->warp[sm->turn];
}

static uint64_t cycles_ns(const struct ppu_core *core, uint64_t cycles)
{
	return (uint64_t)((unsigned __int128)cycles * 1000000 / core->cfg.sm_clock_khz);
}

/* No warp can run for that many cycles: why (counters). */
static void count_stall(struct ppu_sm *sm, uint64_t cycles)
{
	bool timed = true;
	unsigned i;

	if (!sm->used_warps)
		return;
	for (i = 0; i < sm->num_warps && timed; i++)
		timed = sm->warp[i].state == PPU_WARP_FREE || sm->warp[i].state == PPU_WARP_DONE ||
			sm->warp[i].state == PPU_WARP_TIMED;
	sm->ctr[timed ? PPU_CTR_STALL_TIMED_NS : PPU_CTR_STALL_OTHER_NS] += cycles_ns(sm->core, cycles);
}

void ppu_sm_run(struct ppu_core *core, unsigned id, uint64_t t0, uint64_t t1)
{
	struct ppu_sm *sm = &core->sms[id];
	uint64_t c0 = ppu_sm_cycle_at(core, t0), c1 = ppu_sm_cycle_at(core, t1), busy = 0;
	unsigned i;

	sm->t1 = t1;
	if (sm->xlat_gen != core->xlat_gen)
		ppu_lsu_flush(sm);
	if (sm->cycle < c0)
		sm->cycle = c0;
	while (sm->cycle < c1) {
		uint64_t next = sm->timed ? wake_timed(sm) : UINT64_MAX, start = sm->cycle, limit, used;
		struct ppu_warp *w;

		if (!sm->ready) {
			count_stall(sm, (next < c1 ? next : c1) - sm->cycle);
			if (next >= c1)
				break;
			sm->cycle = next;
			continue;
		}
		w = next_warp(sm);
		if (!w->q.ent) {
			ppu_sm_fault_pc(sm, w, w->retried ? PPU_ERR_TOKQ_OVERFLOW : PPU_ERR_NO_TOKQ,
					PPU_FAULT_NO_LANE);
			continue;
		}
		limit = sm->cycle + sm->quantum;
		ppu_warp_run(sm, w, limit < c1 ? limit : c1);
		used = sm->cycle - start;
		busy += used;
		sm->quantum = used < sm->quantum ? sm->quantum - (uint32_t)used : 0;
	}
	sm->ctr[PPU_CTR_SM_BUSY_NS] += cycles_ns(core, busy);
	if (sm->sb)
		ppu_storebuf_window(sm, t1);
	ppu_lsu_report_dirty(sm);
	for (i = 0; i < sm->num_warps; i++)
		if (sm->warp[i].q_dirty || sm->warp[i].local_dirty)
			ppu_sm_report_warp(sm, &sm->warp[i]);
}

uint64_t ppu_sm_next_time(struct ppu_core *core, unsigned id)
{
	const struct ppu_sm *sm = &core->sms[id];
	uint64_t next = UINT64_MAX, m;

	if (sm->ready)
		return core->now;
	for (m = sm->timed; m; m &= m - 1) {
		const struct ppu_warp *w = &sm->warp[__builtin_ctzll(m)];

		next = w->ready_at < next ? w->ready_at : next;
	}
	next = next == UINT64_MAX ? PPU_TIME_NEVER :
	       (uint64_t)((unsigned __int128)next * 1000000 / core->cfg.sm_clock_khz);
	if (sm->sb && ppu_storebuf_next(sm) < next)
		next = ppu_storebuf_next(sm);
	return next;
}

uint32_t ppu_sm_num_ctas(const struct ppu_core *core, unsigned id)
{
	return core->sms[id].used_ctas;
}

bool ppu_sm_busy(struct ppu_core *core, unsigned id)
{
	const struct ppu_sm *sm = &core->sms[id];

	return sm->ready || sm->timed || (sm->sb && ppu_storebuf_next(sm) != PPU_TIME_NEVER);
}

/* ---- from outside -------------------------------------------------------------------------------------------- */

void ppu_sm_abort_task(struct ppu_core *core, struct ppu_task *t)
{
	unsigned i, k;

	for (i = 0; i < core->num_sms; i++)
		for (k = 0; k < core->sms[i].num_ctas; k++)
			if (core->sms[i].cta[k].task == t)
				ppu_sm_unseat(&core->sms[i], &core->sms[i].cta[k]);
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

	if (warp >= sm->num_warps || !sm->warp[warp].cta)
		return -1;
	return (int)(sm->warp[warp].cta - sm->cta);
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

bool ppu_sm_task_runs(const struct ppu_core *core, const struct ppu_task *t)
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

	core->sms = calloc(core->num_sms, sizeof(*core->sms));
	if (!core->sms || ppu_icache_create(core))
		return -1;
	for (i = 0; i < core->num_sms; i++) {
		struct ppu_sm *sm = &core->sms[i];

		sm->core = core;
		sm->id = i;
		sm->simd = ppu_lsu_simd(ppu_exec_level());
		sm->num_warps = core->cfg.warps_per_sm;
		sm->num_ctas = core->cfg.ctas_per_sm;
		sm->warp = calloc(sm->num_warps, sizeof(*sm->warp));
		sm->cta = calloc(sm->num_ctas, sizeof(*sm->cta));
		if (!sm->warp || !sm->cta || ppu_storebuf_create(sm))
			return -1;
		for (k = 0; k < sm->num_warps; k++)
			sm->warp[k].slot = k;
	}
	if (ppu_caches_create(core))
		return -1;
	ppu_sms_reset(core);
	return 0;
}

void ppu_sms_destroy(struct ppu_core *core)
{
	unsigned i, k;

	for (i = 0; core->sms && i < core->num_sms; i++) {
		struct ppu_sm *sm = &core->sms[i];

		for (k = 0; sm->warp && k < sm->num_warps; k++)
			free(sm->warp[k].rows);
		for (k = 0; sm->cta && k < sm->num_ctas; k++) {
			free(sm->cta[k].shared);
			free(sm->cta[k].own_params);
		}
		free(sm->warp);
		free(sm->cta);
		free(sm->fx.v);
		ppu_storebuf_destroy(sm);
	}
	ppu_caches_destroy(core);
	free(core->sms);
	core->sms = NULL;
	ppu_icache_destroy(core);
}

/* Tasks are gone already: only what the SM itself holds. */
void ppu_sms_reset(struct ppu_core *core)
{
	unsigned i, k;

	for (i = 0; i < core->num_sms; i++) {
		struct ppu_sm *sm = &core->sms[i];

		for (k = 0; k < sm->num_ctas; k++)
			if (sm->cta[k].task)
				ppu_sm_unseat(sm, &sm->cta[k]);
		sm->ready = sm->timed = 0;
		sm->cycle = sm->quantum = 0;
		sm->turn = 63;		/* slot 0 begins */
		sm->fx.n = 0;
		memset(sm->ctr, 0, sizeof(sm->ctr));
		ppu_storebuf_reset(sm);
		ppu_lsu_flush(sm);
	}
	ppu_caches_reset(core);
	ppu_icache_reset(core);
}

/* ---- save and restore --------------------------------------------------------------------------------------------- */

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
	if (n)
		ppu_io_fail(io, "SM %u has effects that were not applied", sm->id);
}

bool ppu_sm_warp_possible(const struct ppu_warp *w, unsigned state, uint32_t lanes)
{
	const struct ppu_tokq *q = &w->q;

	return state > PPU_WARP_FREE && state <= PPU_WARP_HALTED && w->pc <= w->prog->n &&
	       !(w->live & ~lanes) && !(w->active & ~w->live) && !(w->parked & (~w->live | w->active)) &&
	       !((w->bar_wait | w->sync_wait | w->bar_rel) & ~lanes) &&
	       q->head >= 0 && (uint32_t)q->head <= q->size && q->tail >= -1 && q->tail < q->head &&
	       (w->active || w->pop || state == PPU_WARP_DONE || state == PPU_WARP_HALTED) &&
	       !(w->active && w->pop) && (state != PPU_WARP_PARKED || w->parked) &&
	       w->launch_d < PPU_ROWS(w->prog->nregs) && (state != PPU_WARP_LAUNCH || w->pending);
}

static void io_warp(struct ppu_io *io, struct ppu_sm *sm, struct ppu_cta *cta, unsigned i, uint32_t lanes)
{
	struct ppu_warp *w = &sm->warp[cta->warp[i]];
	const struct ppu_task *t = cta->task;
	uint32_t head, tail, n;
	uint8_t state = w->state;
	bool mapped = w->q.ent != NULL;

	if (io->loading) {
		if (w->state != PPU_WARP_FREE) {
			ppu_io_fail(io, "SM %u: warp slot %u is used twice", sm->id, w->slot);
			return;
		}
		w->cta = cta;
		w->index = i;
		w->prog = t->prog;
		if (!alloc_rows(w, t->prog->nregs)) {
			ppu_io_fail(io, "out of memory");
			return;
		}
		ppu_warp_start(sm, w, lanes, 0);
		map_warp(sm, w, t);
	}
	ppu_io_u8(io, &state);
	ppu_io_bool(io, &mapped);
	for (n = 0; n < w->prog->nregs; n++)
		io_u32s(io, w->v.row[n], PPU_LANES);
	io_u32s(io, w->v.pred, PPU_NUM_PREDS);
	ppu_io_u32(io, &w->pc);
	ppu_io_u32(io, &w->active);
	ppu_io_u32(io, &w->live);
	ppu_io_bool(io, &w->pop);
	ppu_io_bool(io, &w->retried);
	head = (uint32_t)w->q.head;
	tail = (uint32_t)w->q.tail;
	ppu_io_u32(io, &head);
	ppu_io_u32(io, &tail);
	ppu_io_u32(io, &w->parked);
	ppu_io_u32(io, &w->bar_wait);
	ppu_io_u32(io, &w->sync_wait);
	ppu_io_u32(io, &w->bar_rel);
	io_u32s(io, w->bar_val, PPU_LANES);
	io_u32s(io, w->wait, PPU_LANES);
	ppu_io_u32(io, &w->ycount);
	io_u32s(io, w->lane_ycount, PPU_LANES);
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
	struct need n;
	uint64_t va;
	unsigned i;

	ppu_io_task(core, io, &cta->task);
	if (io->failed)
		return;
	if (io->loading) {
		struct ppu_task *t = cta->task;

		/* The task unit may have fetched it already. */
		if (!t || !t->ctx || !need_of(&core->cfg, &t->launch, &n) ||
		    (!t->prog && ppu_icache_get(core, t->ctx, &t->launch, &t->prog, &va)) ||
		    sm->used_warps + n.warps > sm->num_warps ||
		    sm->used_regs + n.regs > core->cfg.regs_per_sm ||
		    sm->used_shared + n.shared > core->cfg.shared_per_sm) {
			cta->task = NULL;
			ppu_io_fail(io, "SM %u: a CTA of a task that cannot be there", sm->id);
			return;
		}
		cta->num_warps = n.warps;
		cta->regs = n.regs;
		cta->local_bytes = t->launch.local_per_thread;
		memset(cta->warp, 0, sizeof(cta->warp));
		if (!alloc_shared(cta, n.shared) || !alloc_params(cta, t, NULL)) {
			cta->task = NULL;
			ppu_io_fail(io, "out of memory");
			return;
		}
	} else {
		need_of(&core->cfg, &cta->task->launch, &n);
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
	for (i = 0; i < PPU_NUM_BARRIERS; i++) {
		struct ppu_barrier *b = &cta->bar[i];

		ppu_io_bool(io, &b->busy);
		ppu_io_u32(io, &b->count);
		io_u32s(io, b->arrived, PPU_MAX_CTA_WARPS);
		io_u32s(io, b->waiting, PPU_MAX_CTA_WARPS);
		io_u32s(io, b->value, PPU_MAX_CTA_WARPS);
	}
	for (i = 0; i < n.warps; i++) {
		ppu_io_u8(io, &cta->warp[i]);
		if (cta->warp[i] >= sm->num_warps)
			ppu_io_fail(io, "SM %u: no such warp slot", sm->id);
	}
	if (io->loading && !io->failed &&
	    !ppu_ctas_check(core, sm->id, (unsigned)(cta - sm->cta), cta->task, cta->index, cta->children))
		ppu_io_fail(io, "SM %u: a CTA is not where its record says", sm->id);
	if (cta->done_warps >= cta->num_warps || cta->index >= cta->task->next_cta)
		ppu_io_fail(io, "SM %u: a CTA has impossible counts", sm->id);
	if (io->loading) {
		if (io->failed) {
			cta->task = NULL;
			return;
		}
		sm->used_ctas++;
		sm->used_warps += n.warps;
		sm->used_regs += n.regs;
		sm->used_shared += n.shared;
	}
	for (i = 0; i < n.warps && !io->failed; i++)
		io_warp(io, sm, cta, i, ppu_sm_lanes(&cta->task->launch, i));
}

/* Every task has as many CTAs here as its record says: they end together. */
static void check_ctas(struct ppu_core *core, struct ppu_io *io)
{
	uint32_t *n = calloc(core->cfg.task_records, sizeof(*n)), i, k;
	const struct ppu_task *t;

	if (!n) {
		ppu_io_fail(io, "out of memory");
		return;
	}
	for (i = 0; i < core->num_sms; i++)
		for (k = 0; k < core->sms[i].num_ctas; k++)
			if ((t = core->sms[i].cta[k].task))
				n[t->index]++;
	for (i = 0; i < core->cfg.task_records; i++) {
		t = ppu_tmu_task(core, i);
		if (t && t->live_ctas != n[i])
			ppu_io_fail(io, "task %u has lost CTAs", i);
	}
	free(n);
}

/* Tasks come before us.  Tokens and local memory are in VRAM; programs are fetched again. */
void ppu_sms_io(struct ppu_core *core, struct ppu_io *io)
{
	unsigned i, k;

	ppu_caches_io(core, io);
	ppu_io_section(io, "SMS ");
	for (i = 0; i < core->num_sms && !io->failed; i++) {
		struct ppu_sm *sm = &core->sms[i];

		ppu_io_u64(io, &sm->cycle);
		ppu_io_u64(io, &sm->t1);
		ppu_io_u32(io, &sm->turn);
		ppu_io_u32(io, &sm->quantum);
		if (io->loading && (sm->turn >= 64 || sm->quantum > PPU_SM_QUANTUM))
			ppu_io_fail(io, "SM %u: impossible turn", i);
		for (k = 0; k < PPU_CTR_COUNT; k++)
			ppu_io_u64(io, &sm->ctr[k]);
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
