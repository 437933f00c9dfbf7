/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room on an SM: what a CTA needs, whether it is there, and its seat: slots, registers, shared memory,
 * parameters, and its places in the areas of the instance block.
 */
#include <stddef.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/sm/cluster/cluster.h"
#include "core/sm/seat.h"
#include "core/sm/sm_order.h"
#include "core/sm/translate/translate.h"
#include "core/sm/warp.h"

bool ppu_seat_need(const struct ppu_config *cfg, const struct ppu_tmd *t, struct ppu_seat_need *n)
{
	uint64_t threads = (uint64_t)t->block[0] * t->block[1];
	uint32_t ctas;

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
	ctas = PPU_CLUSTER_CTAS(t->cluster);
	return ctas <= cfg->ctas_per_sm && n->warps * ctas <= cfg->warps_per_sm && n->regs * ctas <= cfg->regs_per_sm &&
	       (!cfg->shared_per_cta || n->shared <= cfg->shared_per_cta) && n->shared <= cfg->shared_per_sm;
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
	struct ppu_seat_need n;

	if (!ppu_seat_need(&core->cfg, t, &n))
		return PPU_ERR_TMD_LIMITS;
	return areas_ok(core, ctx, t) ? 0 : PPU_ERR_NO_TOKQ;
}

/*
 * Is there room for `want` CTAs with the need n each when the CTAs in the slots `without` are gone?  On an SM that is empty
 * otherwise a cluster may have more shared memory than the SM has: each CTA as much as a CTA may have.  lent: whoever chose
 * the SM has looked at the cluster as a whole.
 */
static bool has_room(const struct ppu_sm *sm, const struct ppu_seat_need *n, uint32_t want, uint32_t without, bool lent)
{
	uint32_t ctas = sm->core->resident[sm->id].ctas, warps = sm->used_warps, regs = sm->used_regs, shared = sm->used_shared;
	const struct ppu_config *cfg = &sm->core->cfg;

	for (; without; without &= without - 1) {
		const struct ppu_cta *cta = &sm->cta[__builtin_ctz(without)];

		ctas--;
		warps -= cta->num_warps;
		regs -= cta->regs;
		shared -= cta->shared_bytes;
	}
	return ctas + want <= sm->num_ctas && warps + want * n->warps <= sm->num_warps &&
	       regs + want * n->regs <= cfg->regs_per_sm &&
	       (lent || shared + want * n->shared <= cfg->shared_per_sm || (want > 1 && !ctas));
}

bool ppu_sm_can_start_without(struct ppu_core *core, unsigned id, const struct ppu_sm_task *t, uint32_t without)
{
	struct ppu_seat_need n;

	return ppu_seat_need(&core->cfg, &t->launch, &n) &&
	       has_room(&core->sms[id], &n, PPU_CLUSTER_CTAS(t->launch.cluster), without, false);
}

bool ppu_sm_can_start(struct ppu_core *core, unsigned id, const struct ppu_sm_task *t)
{
	return ppu_sm_can_start_without(core, id, t, 0);
}

/* The old memory goes first: nobody needs its contents. */
static bool have_rows(struct ppu_sm *sm, struct ppu_warp *w, uint32_t rows)
{
	if (w->rows_cap >= rows)
		return true;
	ppu_free(w->rows);
	w->v.row = w->rows = ppu_alloc_aligned(64, (size_t)rows * sizeof(w->v.row[0]));
	w->rows_cap = w->rows ? rows : 0;
	w->zero_row = 0;
	if (!w->rows)
		sm->rows_slots = 0;
	return w->rows;
}

bool ppu_seat_rows(struct ppu_sm *sm, struct ppu_warp *w, uint32_t nregs)
{
	uint32_t rows = PPU_ROWS(nregs);

	if (!have_rows(sm, w, rows))
		return false;
	w->v.row = w->rows;
	if (w->zero_row != PPU_ROW_ZERO(nregs))
		memset(w->v.row[PPU_ROW_ZERO(nregs)], 0, (rows - nregs) * sizeof(w->v.row[0]));
	w->zero_row = PPU_ROW_ZERO(nregs);
	return true;
}

/* In vectors: of memset() for so few bytes the compiler makes a string instruction, which takes long to start. */
static inline void clear_row(uint32_t *row)
{
	typedef uint64_t vector __attribute__((vector_size(16)));
	unsigned i;

	for (i = 0; i < PPU_LANES / 4; i++)
		((vector *)row)[i] = (vector){ 0 };
}

/* Registers start as 0: those that can be read before they are written.  What else lies in the rows of a slot, of a
 * warp before, no thread can see. */
static void clear_rows(struct ppu_warp *w, const uint64_t *reads)
{
	unsigned i;
	uint64_t m;

	for (i = 0; i < 4; i++)
		for (m = reads[i]; m; m &= m - 1)
			clear_row(w->v.row[64 * i + (unsigned)__builtin_ctzll(m)]);
}

static bool have_shared(struct ppu_cta *cta, uint32_t bytes)
{
	uint32_t cap = (bytes + 63) & ~63u;	/* no line shared with another SM's */

	if (cta->shared_cap >= cap)
		return true;
	ppu_free(cta->shared);
	cta->shared = ppu_alloc_aligned(64, cap);
	cta->shared_cap = cta->shared ? cap : 0;
	return cta->shared;
}

bool ppu_seat_shared(struct ppu_cta *cta, uint32_t bytes)
{
	if (!have_shared(cta, bytes))
		return false;
	if (bytes)
		memset(cta->shared, 0, (bytes + 15) & ~15u);
	cta->shared_bytes = bytes;
	return true;
}

static struct ppu_areas find_areas(const struct ppu_sm *sm, const struct ppu_sm_task *t)
{
	struct ppu_core *core = sm->core;
	const struct ppu_config *cfg = &core->cfg;
	const struct ppu_inst_block *b = &t->ctx->blk;
	uint64_t first = (uint64_t)sm->id * cfg->warps_per_sm;
	struct ppu_areas a = { .queue_entries = cfg->tokq_entries, .local_bytes = (uint64_t)PPU_LANES * b->local_per_thread };

	if (!areas_ok(core, t->ctx, &t->launch))
		return a;
	a.queue = (uint64_t *)(core->vram + b->tokq_base + first * cfg->tokq_entries * 8);
	if (t->launch.local_per_thread)
		a.local = core->vram + b->local_base + first * a.local_bytes;
	return a;
}

static inline void map_warp(struct ppu_warp *w, const struct ppu_areas *a)
{
	w->q.ent = a->queue ? a->queue + (size_t)w->slot * a->queue_entries : NULL;
	w->local = a->local ? a->local + w->slot * a->local_bytes : NULL;
}

void ppu_seat_map(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_sm_task *t)
{
	struct ppu_areas a = find_areas(sm, t);

	map_warp(w, &a);
}

uint32_t ppu_sm_lanes(const struct ppu_tmd *t, unsigned warp)
{
	uint32_t left = t->block[0] * t->block[1] * t->block[2] - warp * PPU_LANES;

	return left >= PPU_LANES ? ~0u : (1u << left) - 1;
}

static bool have_own_params(struct ppu_cta *cta)
{
	if (!cta->own_params)
		cta->own_params = ppu_alloc_aligned(16, PPU_PARAM_ROOM + PPU_QUEUE_ENTRY_MAX);
	return cta->own_params;
}

/* Sets up what the threads of a CTA see as parameters, and of their block. */
bool ppu_seat_params(struct ppu_cta *cta, const struct ppu_sm_task *t, const uint8_t *entry)
{
	uint32_t bytes = (t->launch.param_bytes + 15) & ~15u;

	cta->block = PPU_TIDS_KEY(t->launch.block);
	cta->params = t->params;
	cta->param_bytes = bytes;
	if (t->launch.kind != PPU_TMD_QUEUE)
		return true;
	cta->param_bytes += t->launch.queue_entry_bytes;
	if (!have_own_params(cta))
		return false;
	cta->params = cta->own_params;
	memcpy(cta->params, t->params, bytes);
	if (entry)
		memcpy(cta->params + bytes, entry, t->launch.queue_entry_bytes);
	else
		memset(cta->params + bytes, 0, t->launch.queue_entry_bytes);
	return true;
}

static void set_id(struct ppu_cta *cta, const struct ppu_config *cfg, const struct ppu_tmd *l, uint64_t index)
{
	cta->index = index;
	if (l->kind == PPU_TMD_QUEUE) {
		cta->id[0] = (uint32_t)index;
		cta->id[1] = cta->id[2] = 0;
		return;
	}
	if (__builtin_expect(ppu_order_other(cfg), 0))
		index = ppu_order_cta(cfg, l, index);
	cta->id[0] = (uint32_t)(index % l->grid[0]);
	cta->id[1] = (uint32_t)(index / l->grid[0] % l->grid[1]);
	cta->id[2] = (uint32_t)(index / l->grid[0] / l->grid[1]);
}

/* The next `warps` slots that are free.  There are as many. */
static uint64_t free_slots(const struct ppu_sm *sm, uint32_t warps)
{
	uint64_t left = ~sm->used, run = ~0ull >> (64 - warps);

	run <<= __builtin_ctzll(left);
	if ((left & run) == run && __builtin_popcountll(run) == (int)warps)
		return run;
	while (warps--)
		left &= left - 1;
	return ~sm->used & ~left;
}

/* Registers for these slots. */
static bool have_warps(struct ppu_sm *sm, uint64_t slots, uint32_t rows)
{
	uint64_t m;
	unsigned i;

	if (rows <= sm->rows_cap && !(slots & ~sm->rows_slots))
		return true;
	for (m = slots; m; m &= m - 1)
		if (!have_rows(sm, &sm->warp[__builtin_ctzll(m)], rows))
			return false;
	sm->rows_cap = rows;
	for (i = 0, sm->rows_slots = 0; i < sm->num_warps; i++)
		sm->rows_slots |= (uint64_t)(sm->warp[i].rows_cap >= rows) << i;
	return true;
}

/* Takes what a CTA needs of host memory, for its slot and its warp slots.  Slots keep it, so a later CTA finds it
 * there. */
static bool have_memory(struct ppu_sm *sm, struct ppu_cta *cta, const struct ppu_sm_task *t,
			const struct ppu_seat_need *n, uint64_t slots)
{
	return have_shared(cta, n->shared) && (t->launch.kind != PPU_TMD_QUEUE || have_own_params(cta)) &&
	       have_warps(sm, slots, PPU_ROWS(t->prog->nregs));
}

/* Takes these warp slots for the warps of a CTA. */
static void take_slots(struct ppu_sm *sm, struct ppu_cta *cta, uint64_t slots)
{
	uint64_t left = slots;
	uint32_t i;

	for (i = 0; left; i++, left &= left - 1)
		cta->warp[i] = (uint8_t)__builtin_ctzll(left);
	cta->slots = slots;
	sm->used |= slots;
}

/* R1 is the size of the local memory: warps of a CTA that comes out of an image have theirs from there. */
static void give_sp(const struct ppu_cta *cta, struct ppu_warp *w)
{
	unsigned k;

	for (k = 0; k < PPU_LANES; k++)
		w->v.row[PPU_SP][k] = cta->local_bytes;
}

#define VECTOR	16				/* bytes */
#define FIRST	offsetof(struct ppu_warp, pc)	/* behind the addresses of rows */
#define SECOND	((FIRST + VECTOR - 1) / VECTOR * VECTOR)	/* up to here it is one word, from here on vectors */
_Static_assert(SECOND - FIRST == 8 && PPU_WARP_OWN % VECTOR == 0 && SECOND % VECTOR == 0, "copied as vectors");

/*
 * w becomes what a warp of this kind is when it begins.  Whole vectors, of which no part was written just now: the host would
 * wait until that part had left its store buffer.
 */
static inline __attribute__((always_inline)) void copy_warp(struct ppu_warp *w, const uint8_t *from)
{
	typedef uint64_t vector __attribute__((vector_size(VECTOR), may_alias));
	typedef uint64_t word __attribute__((may_alias));
	unsigned i;

#pragma GCC unroll 4
	for (i = 0; i < sizeof(w->v.pred) / VECTOR; i++)
		((vector *)w->v.pred)[i] = ((const vector *)from)[i];
	*(word *)((uint8_t *)w + FIRST) = *(const word *)(from + FIRST);
#pragma GCC unroll 16
	for (i = SECOND / VECTOR; i < PPU_WARP_OWN / VECTOR; i++)
		((vector *)w)[i] = ((const vector *)from)[i];
}

/* What warps that begin at `entry` have in common, in sm->begins. */
static const uint8_t *warps_that_begin(struct ppu_sm *sm, const struct ppu_program *prog, uint32_t entry)
{
	const struct ppu_config *cfg = &sm->core->cfg;
	struct ppu_warp w;

	if (sm->begins_prog == prog && sm->begins_entry == entry)
		return sm->begins;
	memset(&w, 0, sizeof(w));
	w.prog = prog;
	ppu_warp_start(&w, ~0u, entry, cfg->yield_every > 1);
	ppu_tokq_init(&w.q, NULL, cfg->tokq_entries);
	memcpy(sm->begins, &w, PPU_WARP_OWN);
	sm->begins_prog = prog;
	sm->begins_entry = entry;
	return sm->begins;
}

/*
 * Sets up the warps of a CTA in the slots that it has.  What is the same for all of them is copied: a kernel that ends soon
 * spends more time here than in its instructions.
 */
static void set_up(struct ppu_sm *sm, struct ppu_cta *cta)
{
	const struct ppu_tmd *l = &cta->task->launch;
	struct ppu_program *prog = cta->task->prog;
	const struct ppu_areas areas = cta->areas;
	const uint8_t *begins = warps_that_begin(sm, prog, l->entry_pc);
	bool starts = sm->starting >> (cta - sm->cta) & 1;
	bool sp = starts && areas.queue && prog->nregs > PPU_SP && cta->reads[PPU_SP / 64] >> PPU_SP % 64 & 1;
	bool clear = cta->reads[0] | cta->reads[1] | cta->reads[2] | cta->reads[3];
	uint64_t rng = PPU_SM_TASK_ID(cta->task) << 40 | cta->index << 8, seed = sm->core->cfg.seed, start = cta->start;
	const uint32_t nregs = prog->nregs, n = cta->num_warps, all = ~0u >> (PPU_MAX_CTA_WARPS - n), last = ppu_sm_lanes(l, n - 1);
	/* Narrower blocks have several rows in a warp, and the next warp is a good guess. */
	const uint32_t ahead = l->block[0] >= PPU_LANES ? PPU_LAST_WARPS - 1 : 0;
	const struct ppu_tids *tids = &sm->tids[PPU_TIDS_INDEX(cta->block)];
	uint64_t tid_made = tids->block == cta->block && (tids->made & all) == all ? sm->tids_made : 0;
	const uint8_t state = starts ? PPU_WARP_TIMED : PPU_WARP_PARKED;	/* in any case the slot is taken */
	uint32_t i;

	for (i = 0; i < n; i++)
		ppu_fetch_lines(&sm->warp[cta->warp[i]], offsetof(struct ppu_warp, wait));
	for (i = 0; i < n; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];

		if (__builtin_expect(w->ycounts, 0))
			memset(w->lane_ycount, 0, sizeof(w->lane_ycount));
		copy_warp(w, begins);
		if (__builtin_expect(w->zero_row != PPU_ROW_ZERO(nregs) || w->v.row != w->rows, 0))
			ppu_seat_rows(sm, w, nregs);
		w->cta = cta;
		w->index = (uint8_t)i;
		w->ahead = (uint8_t)((i & ahead) * sizeof(uint64_t));
		w->state = state;
		map_warp(w, &areas);
		w->tid = (const uint32_t (*)[PPU_LANES])tids->tid[i];
		w->tid_made = tid_made;
		/* A warp that comes out of an image gets both from there. */
		w->rng = seed ^ (rng | i);
		w->ready_at = start;
		if (clear)
			clear_rows(w, cta->reads);
		if (sp)
			give_sp(cta, w);
	}
	if (last != ~0u) {
		struct ppu_warp *w = &sm->warp[cta->warp[n - 1]];

		w->lanes = w->live = w->active = last;
	}
}

void ppu_seat_warps(struct ppu_sm *sm)
{
	uint32_t m;

	for (m = sm->fresh; m; m &= m - 1)
		ppu_fetch_lines(&sm->cta[__builtin_ctz(m)], offsetof(struct ppu_cta, bar));
	for (; sm->fresh; sm->fresh &= sm->fresh - 1) {
		struct ppu_cta *cta = &sm->cta[__builtin_ctz(sm->fresh)];

		ppu_seat_shared(cta, cta->shared_bytes);
		if (cta->busy_bars)
			memset(cta->bar, 0, sizeof(cta->bar));
		cta->busy_bars = 0;
		set_up(sm, cta);
	}
}

void ppu_seat_count(struct ppu_sm *sm)
{
	sm->core->resident[sm->id].ctas = (uint32_t)__builtin_popcount(sm->taken);
}

struct ppu_cta *ppu_sm_seat(struct ppu_sm *sm, struct ppu_sm_task *t, uint64_t index, const uint8_t *entry, int *err)
{
	const struct ppu_tmd *l = &t->launch;
	struct ppu_cta *cta;
	struct ppu_seat_need n;
	uint64_t slots;

	*err = PPU_ERR_TMD_LIMITS;
	if (!ppu_seat_need(&sm->core->cfg, l, &n) || !has_room(sm, &n, 1, 0, PPU_CLUSTER_CTAS(l->cluster) > 1) || !t->prog)
		return NULL;
	cta = &sm->cta[__builtin_ctz(~sm->taken)];
	slots = free_slots(sm, n.warps);
	*err = PPU_ERR_TASK_MEMORY;
	if (!have_memory(sm, cta, t, &n, slots))	/* before anything is taken */
		return NULL;
	*err = 0;
	cta->shared_bytes = n.shared;
	ppu_seat_params(cta, t, entry);
	cta->task = t;
	set_id(cta, &sm->core->cfg, l, index);
	cta->num_warps = n.warps;
	cta->done_warps = 0;
	cta->faulted = false;
	cta->regs = n.regs;
	cta->local_bytes = l->local_per_thread;
	cta->children = 0;
	cta->areas = find_areas(sm, t);
	memcpy(cta->reads, ppu_flow_first(t->prog, l->entry_pc)->reg, sizeof(cta->reads));
	sm->taken |= 1u << (cta - sm->cta);
	ppu_cluster_join(sm, cta);
	sm->fresh |= 1u << (cta - sm->cta);
	ppu_seat_count(sm);
	sm->used_warps += n.warps;
	sm->used_regs += n.regs;
	sm->used_shared += n.shared;

	ppu_translate_seat(sm->core, t->prog, l->entry_pc, n.warps);
	take_slots(sm, cta, slots);
	return cta;
}

void ppu_sm_unseat(struct ppu_sm *sm, struct ppu_cta *cta)
{
	unsigned i;

	for (i = 0; i < cta->num_warps; i++) {
		struct ppu_warp *w = &sm->warp[cta->warp[i]];

		w->state = PPU_WARP_FREE;
		w->cta = NULL;
	}
	ppu_cluster_leave(sm, cta);
	if (sm->timed & cta->slots)
		sm->next_timed = 0;
	sm->ready &= ~cta->slots;
	sm->timed &= ~cta->slots;
	sm->done &= ~cta->slots;
	sm->used &= ~cta->slots;
	sm->used_warps -= cta->num_warps;
	sm->used_regs -= cta->regs;
	sm->used_shared -= cta->shared_bytes;
	sm->taken &= ~(1u << (cta - sm->cta));
	sm->starting &= ~(1u << (cta - sm->cta));
	sm->fresh &= ~(1u << (cta - sm->cta));
	cta->task = NULL;
}
