/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CTAs that have started and not ended: where each one is, on an SM or in the save area of its
 * context, how many of its children live, and which place in the save area is its own.
 *
 * The area is cut into levels (include/hw/ppu_save.h); inside a level images lie first fit, kept in a
 * list by address.  One task may have two thirds of its level, so that a task of higher priority that
 * comes later can start and evict it.
 *
 * Records are numbered; a child names its parent's CTA by number and generation, because a CTA may end
 * before its children.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/sm/smsave.h"
#include "core/tasks/task.h"
#include "core/tasks/tmu.h"

#define NONE (-1)

struct level {
	int32_t first;			/* images by address */
	uint32_t n;
	/* No gap of hint_bytes or more lies before image `hint` (NONE: before the first one). */
	int32_t hint;
	uint64_t hint_bytes;
};

struct ppu_cta_levels {
	struct level level[PPU_MAX_DEPTH];
};

struct ppu_ctas {
	struct ppu_cta_rec *rec;
	uint32_t cap, top;		/* records ever used: 0..top-1 */
	uint32_t free_hint;		/* no free record before this one */
	int32_t *at;			/* by SM and CTA slot */
};

static struct ppu_cta_rec *record(struct ppu_core *core, int32_t i)
{
	return i < 0 ? NULL : &core->ctas->rec[i];
}

static int32_t number(struct ppu_core *core, const struct ppu_cta_rec *r)
{
	return (int32_t)(r - core->ctas->rec);
}

struct ppu_cta_rec *ppu_ctas_at(struct ppu_core *core, unsigned sm, unsigned slot)
{
	return record(core, core->ctas->at[sm * core->cfg.ctas_per_sm + slot]);
}

static void set_at(struct ppu_core *core, const struct ppu_cta_rec *r, int32_t value)
{
	core->ctas->at[(uint32_t)r->sm * core->cfg.ctas_per_sm + (uint32_t)r->slot] = value;
}

/* ---- the save area -------------------------------------------------------------------------------- */

bool ppu_ctas_saveable(const struct ppu_core *core, const struct ppu_ctx *ctx)
{
	return core->cfg.preempt_level && ctx->blk.save_size;
}

/* Where a level's images may lie, offsets in VRAM. */
static void level_range(const struct ppu_ctx *ctx, uint32_t depth, uint64_t *from, uint64_t *to)
{
	uint64_t base = PPU_SAVE_ROUND(ctx->blk.save_base, PPU_SAVE_ALIGN);
	uint64_t end = ctx->blk.save_base + ctx->blk.save_size, part;

	part = end > base ? (end - base) / PPU_SAVE_PARTS(ctx->blk.max_depth) / PPU_SAVE_ALIGN * PPU_SAVE_ALIGN : 0;
	*from = depth == 1 ? base : base + (PPU_SAVE_FIRST_PARTS + depth - 2ull) * part;
	*to = *from + (depth == 1 ? PPU_SAVE_FIRST_PARTS : 1) * part;
}

bool ppu_ctas_fits(const struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *tmd,
		   uint32_t depth)
{
	uint64_t from, to;

	if (!ppu_ctas_saveable(core, ctx))
		return true;
	if (depth > ctx->blk.max_depth)
		return false;
	level_range(ctx, depth, &from, &to);
	return ppu_sm_image_bytes(core, tmd) * (uint64_t)PPU_CLUSTER_CTAS(tmd->cluster) <= to - from;
}

bool ppu_ctas_ctx_create(struct ppu_ctx *ctx)
{
	unsigned i;

	ctx->cta_levels = ppu_alloc(1, sizeof(*ctx->cta_levels));
	for (i = 0; ctx->cta_levels && i < PPU_MAX_DEPTH; i++)
		ctx->cta_levels->level[i] = (struct level){ .first = NONE, .hint = NONE };
	return ctx->cta_levels;
}

/* Finds a place for the images of another cluster of t.  False: there is no place. */
static bool find_gap(struct ppu_core *core, const struct ppu_task *t, struct ppu_cta_gap *gap)
{
	struct level *l = &t->sm.ctx->cta_levels->level[t->sm.depth - 1];
	uint64_t from, to, image = ppu_sm_image_bytes(core, &t->sm.launch), mine = t->next_cta - t->done_ctas;
	uint32_t ctas = PPU_CLUSTER_CTAS(t->sm.launch.cluster);
	uint64_t bytes = ctas * image;
	int32_t i, after = NONE;

	level_range(t->sm.ctx, t->sm.depth, &from, &to);
	if (mine && mine + ctas > PPU_SAVE_MOST_CTAS(to - from, image))
		return false;
	i = l->first;
	if (l->hint != NONE && bytes >= l->hint_bytes) {
		const struct ppu_cta_rec *r = &core->ctas->rec[l->hint];

		from = r->image + r->image_bytes;
		after = l->hint;
		i = r->image_next;
	}
	for (; i != NONE; i = core->ctas->rec[i].image_next) {
		const struct ppu_cta_rec *r = &core->ctas->rec[i];

		core->task_steps++;
		if (r->image - from >= bytes)
			break;
		from = r->image + r->image_bytes;
		after = i;
	}
	l->hint = after;
	l->hint_bytes = bytes;
	*gap = (struct ppu_cta_gap){ from, image, after };
	return to - from >= bytes;
}

bool ppu_ctas_room(struct ppu_core *core, const struct ppu_task *t, struct ppu_cta_gap *gap)
{
	*gap = (struct ppu_cta_gap){ 0 };
	return !ppu_ctas_saveable(core, t->sm.ctx) || find_gap(core, t, gap);
}

static void link_image(struct ppu_core *core, struct ppu_cta_rec *r, int32_t after)
{
	struct ppu_cta_rec *v = core->ctas->rec;
	struct level *l = &r->task->sm.ctx->cta_levels->level[r->task->sm.depth - 1];

	r->image_prev = after;
	r->image_next = after == NONE ? l->first : v[after].image_next;
	*(after == NONE ? &l->first : &v[after].image_next) = number(core, r);
	if (r->image_next != NONE)
		v[r->image_next].image_prev = number(core, r);
	l->n++;
}

static void unlink_image(struct ppu_core *core, struct ppu_cta_rec *r)
{
	struct ppu_cta_rec *v = core->ctas->rec;
	struct level *l;

	if (!r->image_bytes)
		return;
	l = &r->task->sm.ctx->cta_levels->level[r->task->sm.depth - 1];
	*(r->image_prev == NONE ? &l->first : &v[r->image_prev].image_next) = r->image_next;
	if (r->image_next != NONE)
		v[r->image_next].image_prev = r->image_prev;
	if (l->hint != NONE && r->image <= v[l->hint].image)
		l->hint = r->image_prev;
	l->n--;
	ppu_rank_unstall(r->task->sm.ctx, r->task->sm.depth);
}

/* ---- records ---------------------------------------------------------------------------------------- */

static bool grow(struct ppu_ctas *s)
{
	uint32_t cap = s->cap ? 2 * s->cap : 64, i;
	struct ppu_cta_rec *v = ppu_realloc(s->rec, cap * sizeof(*v));

	if (!v)
		return false;
	memset(v + s->cap, 0, (cap - s->cap) * sizeof(*v));
	for (i = s->cap; i < cap; i++)
		v[i].gen = 1;
	s->rec = v;
	s->cap = cap;
	return true;
}

static void link_task(struct ppu_core *core, struct ppu_cta_rec *r)
{
	struct ppu_task *t = r->task;

	r->prev = NONE;
	r->next = t->ctas.first;
	if (t->ctas.first != NONE)
		core->ctas->rec[t->ctas.first].prev = number(core, r);
	t->ctas.first = number(core, r);
}

void ppu_ctas_init_task(struct ppu_task *t)
{
	t->ctas.first = t->ctas.ready = t->ctas.ready_tail = NONE;
	t->ctas.parent_gen = 0;
}

void ppu_ctas_io_task(struct ppu_io *io, struct ppu_task *t)
{
	uint32_t parent_gen = t->ctas.parent_gen;

	ppu_io_u32(io, &t->ctas.parent);
	ppu_io_u32(io, &parent_gen);
	if (!io->loading)
		return;
	ppu_ctas_init_task(t);
	t->ctas.parent_gen = parent_gen;
}

uint64_t ppu_ctas_parent(const struct ppu_task *t)
{
	return (uint64_t)t->ctas.parent_gen << 32 | t->ctas.parent;
}

struct ppu_cta_rec *ppu_ctas_ready(struct ppu_core *core, const struct ppu_task *t)
{
	return record(core, t->ctas.ready);
}

struct ppu_cta_rec *ppu_ctas_start(struct ppu_core *core, struct ppu_task *t, struct ppu_cta_gap *gap)
{
	struct ppu_ctas *s = core->ctas;
	struct ppu_cta_rec *r;
	uint32_t i = s->free_hint;

	while (i < s->top && s->rec[i].task)
		i++;
	if (i == s->cap && !grow(s))
		return NULL;
	s->free_hint = i + 1;
	if (i >= s->top)
		s->top = i + 1;
	r = &s->rec[i];
	r->task = t;
	r->index = ppu_cluster_cta(&t->sm.launch, t->next_cta);
	r->children = 0;
	r->sm = r->slot = NONE;
	r->waiting = r->ready = false;
	r->ready_next = NONE;
	r->image = gap->addr;
	r->image_bytes = gap->bytes;
	link_task(core, r);
	if (gap->bytes) {
		link_image(core, r, gap->after);
		gap->addr += gap->bytes;
		gap->after = number(core, r);
	}
	return r;
}

void ppu_ctas_place(struct ppu_core *core, struct ppu_cta_rec *r, unsigned sm, unsigned slot)
{
	r->sm = (int32_t)sm;
	r->slot = (int32_t)slot;
	set_at(core, r, number(core, r));
}

void ppu_ctas_end(struct ppu_core *core, struct ppu_cta_rec *r)
{
	struct ppu_ctas *s = core->ctas;
	uint32_t i = (uint32_t)number(core, r), gen = r->gen + 1;

	if (r->sm != NONE)
		set_at(core, r, NONE);
	unlink_image(core, r);
	*(r->prev == NONE ? &r->task->ctas.first : &s->rec[r->prev].next) = r->next;
	if (r->next != NONE)
		s->rec[r->next].prev = r->prev;
	memset(r, 0, sizeof(*r));
	r->gen = gen ? gen : 1;
	if (i < s->free_hint)
		s->free_hint = i;
}

void ppu_ctas_drop(struct ppu_core *core, struct ppu_task *t)
{
	while (t->ctas.first != NONE)
		ppu_ctas_end(core, &core->ctas->rec[t->ctas.first]);
	t->ctas.ready = t->ctas.ready_tail = NONE;
	t->saved_ctas = t->ready_ctas = 0;
}

/* ---- saved ones --------------------------------------------------------------------------------------- */

static void push_ready(struct ppu_core *core, struct ppu_cta_rec *r)
{
	struct ppu_task *t = r->task;

	r->ready = true;
	r->ready_next = NONE;
	*(t->ctas.ready_tail == NONE ? &t->ctas.ready : &core->ctas->rec[t->ctas.ready_tail].ready_next) =
		number(core, r);
	t->ctas.ready_tail = number(core, r);
	t->ready_ctas++;
}

void ppu_ctas_pop_ready(struct ppu_core *core, struct ppu_task *t)
{
	struct ppu_cta_rec *r = &core->ctas->rec[t->ctas.ready];

	t->ctas.ready = r->ready_next;
	if (t->ctas.ready == NONE)
		t->ctas.ready_tail = NONE;
	r->ready = false;
	r->ready_next = NONE;
	t->ready_ctas--;
}

void ppu_ctas_saved(struct ppu_core *core, struct ppu_cta_rec *r, bool waiting)
{
	set_at(core, r, NONE);
	r->sm = r->slot = NONE;
	r->waiting = waiting;
	r->task->saved_ctas++;
	if (!waiting)
		push_ready(core, r);
}

/* ---- children ------------------------------------------------------------------------------------------- */

void ppu_ctas_adopt(struct ppu_core *core, struct ppu_cta_rec *r, struct ppu_task *child)
{
	child->ctas.parent = (uint32_t)number(core, r);
	child->ctas.parent_gen = r->gen;
	r->children++;
}

static struct ppu_cta_rec *parent_of(struct ppu_core *core, const struct ppu_task *child)
{
	struct ppu_cta_rec *r;

	if (!child->ctas.parent_gen || child->ctas.parent >= core->ctas->top)
		return NULL;
	r = &core->ctas->rec[child->ctas.parent];
	return r->task && r->gen == child->ctas.parent_gen ? r : NULL;
}

void ppu_ctas_child_done(struct ppu_core *core, const struct ppu_task *child)
{
	struct ppu_cta_rec *r = parent_of(core, child);

	if (!r)
		return;
	r->children--;
	if (r->sm != NONE) {
		ppu_sm_child_done(core, (unsigned)r->sm, (unsigned)r->slot, r->children);
	} else if (r->waiting && !r->children) {
		r->waiting = false;
		push_ready(core, r);
		ppu_tmu_can_go_on(core, r->task, PPU_TRP_CHILDREN);
	}
}

/* ---- unit ------------------------------------------------------------------------------------------------ */

int ppu_ctas_create(struct ppu_core *core)
{
	struct ppu_ctas *s = core->ctas = ppu_alloc(1, sizeof(*s));

	if (!s)
		return -1;
	s->at = ppu_alloc(1, core->num_sms * core->cfg.ctas_per_sm * sizeof(*s->at));
	if (!s->at)
		return -1;
	ppu_ctas_reset(core);
	return 0;
}

void ppu_ctas_destroy(struct ppu_core *core)
{
	if (!core->ctas)
		return;
	ppu_free(core->ctas->rec);
	ppu_free(core->ctas->at);
	ppu_free(core->ctas);
	core->ctas = NULL;
}

void ppu_ctas_forget_ctx(struct ppu_ctx *ctx)
{
	ppu_free(ctx->cta_levels);
	ctx->cta_levels = NULL;
}

/* A reset also removes all tasks and contexts, so no task needs its records any more. */
void ppu_ctas_reset(struct ppu_core *core)
{
	struct ppu_ctas *s = core->ctas;
	uint32_t i;

	ppu_free(s->rec);
	s->rec = NULL;
	s->cap = s->top = s->free_hint = 0;
	for (i = 0; i < core->num_sms * core->cfg.ctas_per_sm; i++)
		s->at[i] = NONE;
}

/* ---- save and restore of the device ------------------------------------------------------------------------ */

static void io_rec(struct ppu_core *core, struct ppu_io *io, struct ppu_cta_rec *r)
{
	uint32_t sm = (uint32_t)r->sm, slot = (uint32_t)r->slot;
	uint64_t from, to;
	int32_t after = NONE, i;
	struct ppu_task *t;

	ppu_io_task(core, io, &r->task);
	ppu_io_u64(io, &r->index);
	ppu_io_u32(io, &r->children);
	ppu_io_u32(io, &sm);
	ppu_io_u32(io, &slot);
	ppu_io_bool(io, &r->waiting);
	ppu_io_u64(io, &r->image);
	if (!io->loading || io->failed)
		return;
	t = r->task;
	r->sm = (int32_t)sm;
	r->slot = (int32_t)slot;
	r->ready_next = r->image_next = r->image_prev = NONE;
	if (!t || !ppu_ctas_check_index(&t->sm, r->index) || t->state == PPU_TASK_PENDING || t->state == PPU_TASK_CODE_DONE ||
	    (r->sm != NONE && (t->state != PPU_TASK_ACTIVE || r->waiting || sm >= core->num_sms ||
			       slot >= core->cfg.ctas_per_sm || ppu_ctas_at(core, sm, slot))) ||
	    (r->sm == NONE && (!ppu_ctas_saveable(core, t->sm.ctx) || (r->waiting && !r->children)))) {
		r->task = NULL;
		ppu_io_fail(io, "a started CTA is in an impossible place");
		return;
	}
	link_task(core, r);
	if (r->sm != NONE)
		set_at(core, r, number(core, r));
	if (!ppu_ctas_saveable(core, t->sm.ctx))
		return;
	r->image_bytes = ppu_sm_image_bytes(core, &t->sm.launch);
	level_range(t->sm.ctx, t->sm.depth, &from, &to);
	for (i = t->sm.ctx->cta_levels->level[t->sm.depth - 1].first;
	     i != NONE && core->ctas->rec[i].image < r->image; i = core->ctas->rec[i].image_next) {
		after = i;
		from = core->ctas->rec[i].image + core->ctas->rec[i].image_bytes;
	}
	if (i != NONE)
		to = core->ctas->rec[i].image;
	if (r->image % PPU_SAVE_ALIGN || r->image < from || r->image > to || to - r->image < r->image_bytes) {
		r->image_bytes = 0;
		ppu_io_fail(io, "the images of two CTAs overlap");
		return;
	}
	link_image(core, r, after);
}

/* Checks every number that a task keeps of its CTAs, and saves or loads its list of those that can go on,
 * in order. */
static void io_ready(struct ppu_core *core, struct ppu_io *io, struct ppu_task *t)
{
	uint32_t n = t->ready_ctas, k, i, live = 0, saved = 0, waiting = 0;
	int32_t at = t->ctas.ready;

	for (int32_t r = t->ctas.first; r != NONE; r = core->ctas->rec[r].next) {
		live += core->ctas->rec[r].sm != NONE;
		saved += core->ctas->rec[r].sm == NONE;
		waiting += core->ctas->rec[r].waiting;
	}
	ppu_io_u32(io, &n);
	if (io->loading && (live != t->live_ctas || saved != t->saved_ctas || n != saved - waiting ||
			    n != t->ready_ctas || (t->state == PPU_TASK_EVICTED && !ppu_rank_right(t))))
		ppu_io_fail(io, "task %u has lost CTAs", t->sm.index);
	if (io->loading)
		t->ready_ctas = 0;	/* counted again */
	for (k = 0; k < n && !io->failed; k++) {
		i = (uint32_t)at;
		if (!io->loading)
			at = core->ctas->rec[at].ready_next;
		ppu_io_u32(io, &i);
		if (!io->loading || io->failed)
			continue;
		if (i >= core->ctas->top || core->ctas->rec[i].task != t || core->ctas->rec[i].sm != NONE ||
		    core->ctas->rec[i].waiting || core->ctas->rec[i].ready) {
			ppu_io_fail(io, "a CTA of task %u cannot go on", t->sm.index);
			return;
		}
		push_ready(core, &core->ctas->rec[i]);
	}
}

static void check_children(struct ppu_core *core, struct ppu_io *io)
{
	uint32_t *n = ppu_alloc(core->ctas->top + 1, sizeof(*n)), i;

	if (!n) {
		ppu_io_fail(io, "out of memory");
		return;
	}
	for (i = 0; i < core->cfg.task_records; i++) {
		const struct ppu_task *t = ppu_tmu_task(core, i);
		const struct ppu_cta_rec *r = t ? parent_of(core, t) : NULL;

		if (!r)
			continue;
		n[r - core->ctas->rec]++;
		if (t->parent < 0 || (uint32_t)t->parent != r->task->sm.index)
			ppu_io_fail(io, "task %u was launched by a CTA of another task", i);
	}
	for (i = 0; i < core->ctas->top; i++)
		if (core->ctas->rec[i].task && core->ctas->rec[i].children != n[i])
			ppu_io_fail(io, "a CTA has the wrong number of children");
	ppu_free(n);
}

void ppu_ctas_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_ctas *s = core->ctas;
	uint32_t top = s->top, i;

	ppu_io_u32(io, &top);
	if (io->loading && top > (1u << 26))
		ppu_io_fail(io, "too many CTAs");
	for (i = 0; i < top && !io->failed; i++) {
		bool used = io->loading ? false : s->rec[i].task != NULL;

		if (io->loading && i == s->cap && !grow(s)) {
			ppu_io_fail(io, "out of memory");
			return;
		}
		if (io->loading)
			s->top = i + 1;
		ppu_io_u32(io, &s->rec[i].gen);
		ppu_io_bool(io, &used);
		if (used && !io->failed)
			io_rec(core, io, &s->rec[i]);
	}
	for (i = 0; i < core->cfg.task_records && !io->failed; i++) {
		struct ppu_task *t = ppu_tmu_task(core, i);

		if (t)
			io_ready(core, io, t);
	}
	if (io->loading && !io->failed)
		check_children(core, io);
}

bool ppu_ctas_check(struct ppu_core *core, unsigned sm, unsigned slot, const struct ppu_sm_task *t,
		    uint64_t index, uint32_t children)
{
	const struct ppu_cta_rec *r = ppu_ctas_at(core, sm, slot);

	return r && &r->task->sm == t && r->index == index && r->children == children;
}

bool ppu_ctas_check_index(const struct ppu_sm_task *t, uint64_t index)
{
	const struct ppu_task *task = ppu_task_of((struct ppu_sm_task *)t);

	return index < task->num_ctas && ppu_cluster_order(&t->launch, index) < task->next_cta;
}

/* Checks that each task has as many CTAs on the SMs as its record says: a task and its CTAs end together. */
void ppu_ctas_check_live(struct ppu_core *core, struct ppu_io *io, const uint32_t *n)
{
	for (uint32_t i = 0; i < core->cfg.task_records; i++) {
		const struct ppu_task *t = ppu_tmu_task(core, i);

		if (t && t->live_ctas != n[i])
			ppu_io_fail(io, "task %u has lost CTAs", i);
	}
}
