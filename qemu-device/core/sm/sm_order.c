/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other orders of warps and CTAs. */
#include "core/sm/sm_order.h"
#include <hw/ppu_order.h>

/* ---- by chance ------------------------------------------------------------------------------------------- */

/* A number that depends on where the SM is, and no more. */
static uint32_t chance(const struct ppu_sm *sm, uint32_t what)
{
	return (uint32_t)(ppu_mix64(ppu_mix64(sm->cycle) ^ ppu_mix64((uint64_t)sm->core->cfg.schedule << 32 ^ sm->id << 8 ^ what)) >> 32);
}

static uint32_t any_warp(const struct ppu_sm *sm, uint64_t m)
{
	for (uint32_t n = chance(sm, 1) % (uint32_t)__builtin_popcountll(m); n; n--)
		m &= m - 1;
	return (uint32_t)__builtin_ctzll(m);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static uint64_t any_cta(uint32_t schedule, uint64_t index, uint64_t n)
{
	uint64_t step = ppu_mix64(schedule) % n, first = ppu_mix64((uint64_t)schedule << 32) % n;

	while (common_divisor(step, n) != 1)
		step++;
	return (uint64_t)(((unsigned __int128)index * step + first) % n);
}

/* ---- by number ------------------------------------------------------------------------------------------- */

/* A warp that waits in a loop for one behind it must not keep that one from running for ever: so now and then another has a turn. */
#define OTHERS_AFTER	64	/* turns */

static uint64_t grid_ctas(const struct ppu_tmd *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static uint32_t rank_of(const struct ppu_sm *sm, const struct ppu_warp *w)
{
	const struct ppu_tmd *l = &w->cta->task->launch;
	/* The CTAs of a queue come as its entries do, so all of the number is for warps. */
	uint64_t ctas = l->kind == PPU_TMD_QUEUE ? 0 : grid_ctas(l);

	return ppu_order_place((sm->core->cfg.order - 1) / ppu_order_count(ctas), w->index, w->cta->num_warps);
}

/* The warp that is first in the order goes behind all others at a cycle.  0: it is another one, or it never does. */
static uint64_t switch_at(const struct ppu_sm *sm, const struct ppu_warp *w)
{
	uint32_t after = sm->core->cfg.order_switch;

	return after && !w->cta->index && !rank_of(sm, w) ? w->cta->start + after : 0;
}

static bool is_behind(const struct ppu_sm *sm, const struct ppu_warp *w)
{
	uint64_t at = switch_at(sm, w);

	return at && sm->cycle >= at;
}

/* Of the task that came first the CTA that came first, and of this the warp that is first in the order, until it switches. */
static bool before(const struct ppu_sm *sm, const struct ppu_warp *a, const struct ppu_warp *b)
{
	uint64_t t = PPU_SM_TASK_ID(a->cta->task), u = PPU_SM_TASK_ID(b->cta->task);

	if (is_behind(sm, a) != is_behind(sm, b))
		return is_behind(sm, b);
	if (a->cta->task != b->cta->task)
		return t < u;
	if (a->cta != b->cta)
		return a->cta->index < b->cta->index;
	return rank_of(sm, a) < rank_of(sm, b);
}

static uint32_t first_warp(const struct ppu_sm *sm, uint64_t m)
{
	uint64_t turns = sm->cycle / PPU_SM_QUANTUM;
	uint32_t first = (uint32_t)__builtin_ctzll(m), skip;

	if (turns % OTHERS_AFTER == OTHERS_AFTER - 1) {
		for (skip = (uint32_t)(turns / OTHERS_AFTER % (uint64_t)__builtin_popcountll(m)); skip; skip--)
			m &= m - 1;
		return (uint32_t)__builtin_ctzll(m);
	}
	for (m &= m - 1; m; m &= m - 1)
		if (before(sm, &sm->warp[__builtin_ctzll(m)], &sm->warp[first]))
			first = (uint32_t)__builtin_ctzll(m);
	return first;
}

/* ---------------------------------------------------------------------------------------------------------- */

uint64_t ppu_order_cta(const struct ppu_config *cfg, const struct ppu_tmd *l, uint64_t index)
{
	uint64_t n = grid_ctas(l);

	if (PPU_CLUSTER_CTAS(l->cluster) > 1)
		return index;
	if (cfg->order)
		return ppu_order_at((cfg->order - 1) % ppu_order_count(n), index, n);
	return cfg->schedule ? any_cta(cfg->schedule, index, n) : index;
}

struct ppu_warp *ppu_order_warp(struct ppu_sm *sm, uint64_t ready)
{
	sm->turn = sm->core->cfg.order ? first_warp(sm, ready) : any_warp(sm, ready);
	sm->quantum = PPU_SM_QUANTUM;
	return &sm->warp[sm->turn];
}

uint64_t ppu_order_turn(const struct ppu_sm *sm, uint64_t c1)
{
	uint64_t end, at;
	uint32_t most;

	if (sm->core->cfg.order) {
		/* At most to the next multiple of a turn, where another may have its one. */
		end = (sm->cycle / PPU_SM_QUANTUM + 1) * PPU_SM_QUANTUM;
		at = switch_at(sm, &sm->warp[sm->turn]);
		end = at > sm->cycle && at < end ? at : end;
	} else {
		/* Soon, mostly. */
		most = chance(sm, 2) % 4 ? 32 : PPU_SM_QUANTUM;
		end = sm->cycle + 1 + chance(sm, 3) % most;
	}
	return end < c1 ? end : c1;
}
