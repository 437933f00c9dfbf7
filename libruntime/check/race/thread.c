/* SPDX-License-Identifier: MIT */
/*
 * What threads of a block know of each other and of other blocks: from barriers, from lanes that wait for each other, and
 * from words (word.c).
 *
 * A barrier makes one table of clocks for all threads that it lets go, which they share until they learn more.  What
 * lanes of a warp tell each other is kept in 32 clocks of each lane.
 */
#include <stdlib.h>
#include <string.h>

#include "check/race/inner.h"
#include "check/race/race.h"

static void raise_to(uint32_t *clock, uint32_t to)
{
	if (*clock < to)
		*clock = to;
}

/* In this form compilers find vectors. */
static void raise_lanes(uint32_t *clock, const uint32_t *to)
{
	for (unsigned l = 0; l < PPU_OBSERVE_LANES; l++)
		clock[l] = clock[l] > to[l] ? clock[l] : to[l];
}

/* What thread t knows of its warp, and what it did itself. */
static void add_warp(const struct rc_cta *c, struct rc_table *to, uint32_t t, const struct rc_known *k)
{
	uint32_t first = t & ~(PPU_OBSERVE_LANES - 1u);

	if (first + PPU_OBSERVE_LANES <= c->threads)
		raise_lanes(&to->clock[first], k->warp);
	for (uint32_t l = 0; first + PPU_OBSERVE_LANES > c->threads && first + l < c->threads; l++)
		raise_to(&to->clock[first + l], k->warp[l]);
	raise_to(&to->clock[t], k->clock);
}

static void learn_table(const struct rc_cta *c, struct rc_known *k, struct rc_table *t)
{
	struct rc_table *n;

	if (!t || rc_table_has(k->base, t))
		return;
	if (rc_table_has(t, k->base)) {
		rc_table_drop(k->base);
		k->base = rc_table_share(t);
		return;
	}
	n = rc_table_new(c->threads);
	if (!n)
		return;
	rc_table_add(n, k->base);
	rc_table_add(n, t);
	rc_table_drop(k->base);
	k->base = n;
}

/* One thread of its block. */
static void learn_thread(const struct rc_cta *c, struct rc_known *k, uint32_t me, uint32_t thread, uint32_t clock)
{
	struct rc_table *n;

	if (thread == me || (k->base && k->base->clock[thread] >= clock))
		return;
	if ((me ^ thread) < PPU_OBSERVE_LANES) {
		raise_to(&k->warp[thread % PPU_OBSERVE_LANES], clock);
		return;
	}
	n = rc_table_new(c->threads);
	if (!n)
		return;
	rc_table_add(n, k->base);
	n->clock[thread] = clock;
	rc_table_drop(k->base);
	k->base = n;
}

void rc_learn(struct rc_cta *c, uint32_t t, struct rc_set *told)
{
	struct rc_known *k = &c->thread[t].now;
	const struct rc_entry *e;

	if (!told || told == k->far)
		return;
	e = rc_set_find(told, c->number);
	if (e) {
		learn_table(c, k, e->all);
		learn_thread(c, k, t, e->thread, e->clock);
	}
	k->far = rc_set_join(k->far, told);
}

static bool knows_warp(const struct rc_known *k)
{
	uint32_t any = 0;

	for (unsigned l = 0; l < PPU_OBSERVE_LANES; l++)
		any |= k->warp[l];
	return any;
}

struct rc_set *rc_told(const struct rc_cta *c, uint32_t t, const struct rc_known *k)
{
	struct rc_table *all;

	if (!knows_warp(k)) {
		all = rc_table_share(k->base);
	} else {
		all = rc_table_new(c->threads);
		if (!all)
			return NULL;
		rc_table_add(all, k->base);
		add_warp(c, all, t, k);
	}
	return rc_set_put(rc_set_share(k->far), c->number, rc_entry_new(all, c->threads, t, k->clock));
}

bool rc_is_behind(const struct rc_cta *c, uint32_t t, const struct rc_seen *s)
{
	const struct rc_known *k = &c->thread[t].now;
	const struct rc_entry *e;

	if (!s->clock || rc_is_old(c->ctx, s))
		return true;
	if (s->cta == c->number) {
		if (s->thread == t || (k->base && k->base->clock[s->thread] >= s->clock))
			return true;
		return (t ^ s->thread) < PPU_OBSERVE_LANES && k->warp[s->thread % PPU_OBSERVE_LANES] >= s->clock;
	}
	if (rc_task_behind(c->ctx, c->task, s))
		return true;
	e = rc_set_find(k->far, s->cta);
	return e && rc_entry_clock(e, s->thread) >= s->clock;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static void known_drop(struct rc_known *k)
{
	rc_table_drop(k->base);
	rc_set_drop(k->far);
}

static void end(struct chk_cta *is)
{
	struct rc_cta *c = (struct rc_cta *)is;
	struct rc_set *last = NULL;

	for (uint32_t i = 0; i < c->threads; i++) {
		struct rc_thread *th = &c->thread[i];

		if (c->task && th->now.far != last)
			rc_task_leaves(c->ctx, c->task, last = th->now.far);
		known_drop(&th->now);
		for (unsigned k = 0; th->fence && k < RC_FENCES; k++)
			known_drop(&th->fence[k]);
		free(th->fence);
		rc_set_drop(th->waits);
		rc_set_drop(th->waits_far);
		rc_set_drop(th->would);
	}
	rc_words_of(c);
	for (uint32_t i = 0; c->bytes && i < c->words; i++)
		free(c->bytes[i]);
	free(c->cell);
	free(c->bytes);
	free(c);
}

static struct chk_ctas ctas = { .drop = end };

/* In its grid: not the order in which blocks came. */
static uint64_t place_of(const struct ppu_seen_cta *s)
{
	return s->id[0] + s->task.grid[0] * (s->id[1] + (uint64_t)s->task.grid[1] * s->id[2]);
}

static struct rc_cta *cta_new(struct chk_ctx *ctx, const struct ppu_seen_cta *s)
{
	const uint32_t *b = s->task.block;
	uint32_t n = b[0] * b[1] * b[2];
	struct rc_cta *c = calloc(1, sizeof(*c) + n * sizeof(c->thread[0]));

	if (!c)
		return NULL;
	c->ctx = ctx;
	c->threads = n;
	c->words = s->task.shared_bytes / 4 + 1;
	c->cell = calloc(c->words, sizeof(*c->cell));
	c->bytes = calloc(c->words, sizeof(struct rc_cell *));
	c->task = rc_task_of(ctx, &s->task);
	if (c->task)
		rc_task_begins(ctx, c->task);
	c->number = c->task ? rc_block_new(ctx, c->task, place_of(s)) : 0;
	if (!c->cell || !c->bytes || !c->number) {
		c->task = NULL;
		end(&c->is);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		c->thread[i].now.clock = 1;
		c->thread[i].now.far = rc_set_share(c->task->far);
	}
	chk_cta_add(&ctas, &c->is, s);
	return c;
}

struct rc_cta *rc_cta_of(struct chk_ctx *ctx, const struct ppu_seen_cta *s)
{
	struct rc_cta *c = chk_cta_find(&ctas, s);

	return c ? c : cta_new(ctx, s);
}

void chk_race_task_start(struct chk_ctx *ctx, const struct ppu_seen_task *t)
{
	rc_task_start(ctx, t);
}

void chk_race_cta_end(const struct ppu_seen_cta *s)
{
	chk_cta_end(&ctas, s);
}

/* The blocks first: they have the task. */
void chk_race_task_end(struct chk_ctx *ctx, const struct ppu_seen_task *t)
{
	chk_cta_end_all(&ctas, t);
	rc_task_end(ctx, t);
}

void chk_race_free(struct chk_ctx *ctx)
{
	for (unsigned i = 0; i < sizeof(ctas.bucket) / sizeof(ctas.bucket[0]); i++) {
		for (struct chk_cta **p = &ctas.bucket[i]; *p; ) {
			struct chk_cta *c = *p;

			if (((struct rc_cta *)c)->ctx != ctx) {
				p = &c->next;
				continue;
			}
			*p = c->next;
			end(c);
		}
	}
	rc_words_free(ctx);
	rc_host_free(ctx);
	rc_order_free(ctx);
	rc_pages_free(ctx);
	rc_pairs_free(ctx);
}

/* ---- who waits for whom ------------------------------------------------------------------------ */

static void learn_what_waits(struct rc_cta *c, uint32_t t, struct rc_set **waits)
{
	if (!*waits)
		return;
	rc_learn(c, t, *waits);
	rc_set_drop(*waits);
	*waits = NULL;
}

/* strict: what it has read strongly before counts from here on, if the scope names those who told it. */
static void settle(struct rc_cta *c, uint32_t t, bool own_block_only)
{
	struct rc_thread *th = &c->thread[t];

	learn_what_waits(c, t, &th->waits);
	if (!own_block_only)
		learn_what_waits(c, t, &th->waits_far);
	else if (th->waits_far)
		th->would = rc_set_join(th->would, th->waits_far);
}

void chk_race_barrier(struct chk_ctx *ctx, const struct ppu_seen_barrier *b)
{
	struct rc_cta *c = rc_cta_of(ctx, b->cta);
	struct rc_table *t = c ? rc_table_new(c->threads) : NULL, *last = NULL;
	struct rc_set *far = NULL;

	if (!t)
		return;
	for (uint32_t w = 0; w < b->cta->warps; w++) {
		FOR_LANES(l, b->arrived[w]) {
			uint32_t me = w * PPU_OBSERVE_LANES + l;
			struct rc_known *k = &c->thread[me].now;

			settle(c, me, false);
			if (k->base != last)	/* most have the same one */
				rc_table_add(t, k->base);
			last = k->base;
			far = rc_set_join(far, k->far);
			add_warp(c, t, me, k);
		}
	}
	for (uint32_t w = 0; w < b->cta->warps; w++) {
		FOR_LANES(l, b->arrived[w])
			c->thread[w * PPU_OBSERVE_LANES + l].now.clock++;
		FOR_LANES(l, b->waiting[w]) {
			struct rc_known *k = &c->thread[w * PPU_OBSERVE_LANES + l].now;

			rc_table_drop(k->base);
			k->base = rc_table_share(t);
			rc_set_drop(k->far);
			k->far = rc_set_share(far);
		}
	}
	rc_table_drop(t);
	rc_set_drop(far);
}

static void share_tables(const struct rc_cta *c, struct rc_thread *th, uint32_t lanes)
{
	struct rc_table *all = rc_table_new(c->threads);

	if (!all)
		return;
	FOR_LANES(l, lanes)
		rc_table_add(all, th[l].now.base);
	FOR_LANES(l, lanes) {
		rc_table_drop(th[l].now.base);
		th[l].now.base = rc_table_share(all);
	}
	rc_table_drop(all);
}

void chk_race_warp(struct chk_ctx *ctx, const struct ppu_seen_warp *at, uint32_t lanes)
{
	struct rc_cta *c = rc_cta_of(ctx, at->cta);
	struct rc_thread *th = c ? &c->thread[at->warp * PPU_OBSERVE_LANES] : NULL;
	uint32_t all[PPU_OBSERVE_LANES] = { 0 };
	struct rc_table *base = NULL;
	struct rc_set *far = NULL;
	bool same = true, any = false;

	if (!c)
		return;
	FOR_LANES(l, lanes) {
		settle(c, at->warp * PPU_OBSERVE_LANES + l, false);
		raise_lanes(all, th[l].now.warp);
		raise_to(&all[l], th[l].now.clock);
		same &= !any || base == th[l].now.base;
		base = th[l].now.base;
		far = rc_set_join(far, th[l].now.far);
		any = true;
	}
	if (!same)
		share_tables(c, th, lanes);
	FOR_LANES(l, lanes) {
		memcpy(th[l].now.warp, all, sizeof(all));
		th[l].now.clock++;
		rc_set_drop(th[l].now.far);
		th[l].now.far = rc_set_share(far);
	}
	rc_set_drop(far);
}

static void note(struct rc_known *at, const struct rc_known *now)
{
	known_drop(at);
	*at = *now;
	rc_table_share(at->base);
	rc_set_share(at->far);
}

void chk_race_fence(struct chk_ctx *ctx, const struct ppu_seen_warp *at, uint32_t lanes, uint32_t scope)
{
	struct rc_cta *c = rc_cta_of(ctx, at->cta);

	if (!c)
		return;
	FOR_LANES(l, lanes) {
		uint32_t t = at->warp * PPU_OBSERVE_LANES + l;
		struct rc_thread *th = &c->thread[t];

		settle(c, t, scope == PPU_SCOPE_CTA);
		if (!th->fence)
			th->fence = calloc(RC_FENCES, sizeof(*th->fence));
		if (!th->fence)
			continue;
		note(&th->fence[RC_CTA_FENCE], &th->now);
		if (scope != PPU_SCOPE_CTA)
			note(&th->fence[RC_GPU_FENCE], &th->now);
		th->now.clock++;
	}
}
