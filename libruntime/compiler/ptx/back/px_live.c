/* SPDX-License-Identifier: MIT */
/*
 * Computes live ranges value by value, without bit sets over blocks. A value that is live in many blocks costs no step
 * for each of them: see px_region.h.
 */
#include <stdlib.h>
#include <string.h>
#include "compiler/ptx/back/px_live.h"

/* ---- values that must be neighbours ---- */

static bool fits_group(struct ra *ra, const px_val *v, unsigned n, unsigned w)
{
	uint32_t g = ra->vals[v[0]].group;
	unsigned k, j;

	for (k = 0; k < n; k++) {
		const struct px_value *x = px_value(ra->f, v[k]);

		if (!v[k] || x->fixed >= 0 || x->width != w || ra->vals[v[k]].group != g)
			return false;
		for (j = 0; j < k; j++)
			if (v[j] == v[k])
				return false;
		if (g && ra->vals[v[k]].offset != ra->vals[v[0]].offset + k * w)
			return false;
	}
	return true;
}

static void make_group(struct ra *ra, const px_val *v, unsigned n, unsigned w)
{
	struct ra_group g = { .n = (uint8_t)n, .span = (uint8_t)(n * w) };
	unsigned k;

	for (k = 0; k < n; k++) {
		g.v[k] = v[k];
		ra->vals[v[k]].group = ra->num_groups + 1;
		ra->vals[v[k]].offset = (uint8_t)(k * w);
	}
	PX_PUSH(&ra->f->px->arena, ra->groups, ra->num_groups, ra->cap_groups, g);
}

static void grow_vals(struct ra *ra, uint32_t *cap)
{
	if (ra->f->num_vals + 8 > *cap) {
		struct ra_val *v;
		uint32_t n = *cap;

		*cap = (ra->f->num_vals + 8) * 2;
		v = px_alloc(&ra->f->px->arena, *cap * sizeof(*v));
		if (n)
			memcpy(v, ra->vals, n * sizeof(*v));
		ra->vals = v;
	}
}

static struct px_insn *copy_insn(struct px_func *f, px_val d, px_val s, unsigned w)
{
	struct px_insn *c;

	if (w == 4) {
		c = px_new_insn(f, IR_PACK, PPU_T_NONE);
		c->m = c->x = 2;
		c->s[0] = px_sub(s, 0);
		c->s[1] = px_sub(s, 2);
	} else {
		c = px_new_insn(f, PPU_OP_MOV, w == 2 ? PPU_T_U64 : PPU_T_U32);
		c->s[1] = px_reg(s);
	}
	c->d = d;
	return c;
}

/* Replaces the values of one tuple with fresh ones, and copies between the old and the fresh values. */
static void copy_tuple(struct ra *ra, struct px_block *b, struct px_insn *in, px_val *v, unsigned n,
		       unsigned w, bool dest)
{
	struct px_insn *c, *after = in;
	unsigned k;

	for (k = 0; k < n; k++) {
		px_val t = px_new_val(ra->f, w, NULL);

		if (dest) {
			c = copy_insn(ra->f, v[k], t, w);
			c->guard = in->guard;
			if (v[k]) {
				px_insert_after(b, after, c);
				after = c;
			}
		} else {
			c = copy_insn(ra->f, t, v[k], w);
			if (!v[k]) {
				c->s[1] = px_imm(0);
				if (w == 2)
					c->op = PPU_OP_MOVI64, c->t = 0;
			}
			px_insert_before(b, in, c);
		}
		v[k] = t;
	}
}

void px_ra_tuples(struct ra *ra)
{
	uint32_t cap = 0;

	ra->num_groups = 0;
	grow_vals(ra, &cap);
	PX_FOR_BLOCKS(ra->f, b)
		PX_FOR_INSNS(b, in) {
			bool dest = in->op == PPU_OP_LD && in->nxd > 1;
			px_val *v = dest ? in->xd : in->xs;
			unsigned n = dest ? in->nxd : in->nxs, w = px_elem_width(in);

			if (!dest && (in->op != PPU_OP_ST || in->nxs < 2))
				continue;
			if (!fits_group(ra, v, n, w)) {
				copy_tuple(ra, b, in, v, n, w, dest);
				grow_vals(ra, &cap);
			}
			if (!ra->vals[v[0]].group)
				make_group(ra, v, n, w);
		}
	grow_vals(ra, &cap);
}

/* ---- occurrences ---- */

enum { OCC_USE, OCC_DEF, OCC_KILL };

struct occ {
	uint32_t block, pos;
	uint8_t kind;
};

struct live {
	struct ra *ra;
	struct px_func *f;
	struct px_block **by_id;
	uint32_t *first;	/* by value: index of its occurrences */
	struct occ *occ;
	uint32_t *in, *out, *kill;	/* by block: the last value that is live-in, live-out, killed there */
	uint32_t *kills, nkills;	/* the blocks that kill the value, in their order */
	uint32_t *work, nwork;
	uint32_t *touched, ntouched;
	struct ra_range *tmp;
	uint32_t ntmp, captmp;
};

static float depth_weight(const struct px_block *b)
{
	static const float w[] = { 1, 10, 100, 1000, 10000 };
	unsigned d = b->loop ? b->loop->depth : 0;

	return w[d < 5 ? d : 4];
}

static void number(struct live *lv)
{
	uint32_t pos = 0, id = 0;

	PX_FOR_BLOCKS(lv->f, b) {
		b->id = id++;
		b->start = pos;
		PX_FOR_INSNS(b, in) {
			in->pos = pos;
			if (in->op == PPU_OP_CAL || in->op == PPU_OP_CALX)
				PX_PUSH(&lv->f->px->arena, lv->ra->calls, lv->ra->num_calls,
					lv->ra->cap_calls, pos);
			pos += 2;
		}
		b->end = pos;
	}
	lv->f->num_blocks = id;
}

static void add_hint(struct ra *ra, px_val v, px_val other, int delta)
{
	struct ra_val *x = &ra->vals[v];

	if (x->num_hints < RA_HINTS)
		x->hint[x->num_hints++] = (struct ra_hint){ other, (int16_t)delta };
}

static void hints(struct ra *ra, struct px_insn *in)
{
	unsigned k, n = in->op == IR_PACK ? in->m : 1;

	if (in->op != PPU_OP_MOV && in->op != IR_PACK)
		return;
	for (k = 0; k < n; k++) {
		const struct px_opnd *s = &in->s[in->op == IR_PACK ? k : 1];
		int at = in->op == IR_PACK ? (int)(k * in->x) : 0;

		if (s->kind != PO_REG || !in->d)
			continue;
		add_hint(ra, in->d, s->v, s->sub - at);
		add_hint(ra, s->v, in->d, at - s->sub);
	}
}

/* Two sweeps: count, then fill. */
static void collect(struct live *lv)
{
	px_val *r[PX_MAX_REFS];
	struct px_func *f = lv->f;
	uint32_t *at, i, n;
	unsigned sweep;

	lv->first = px_alloc(&f->px->arena, (f->num_vals + 2) * sizeof(*lv->first));
	at = px_alloc(&f->px->arena, (f->num_vals + 2) * sizeof(*at));
	for (sweep = 0; sweep < 2; sweep++) {
		PX_FOR_BLOCKS(f, b)
			PX_FOR_INSNS(b, in) {
				n = px_reads(in, r);
				for (i = 0; i < n; i++) {
					if (!sweep)
						lv->first[*r[i] + 1]++;
					else
						lv->occ[at[*r[i]]++] = (struct occ){ b->id, in->pos, OCC_USE };
				}
				n = px_writes(in, r);
				for (i = 0; i < n; i++) {
					/* a guarded write keeps the old value in other lanes */
					bool keeps = in->guard.v && !px_value(f, *r[i])->scoped;

					if (!sweep) {
						lv->first[*r[i] + 1] += keeps ? 2 : 1;
						continue;
					}
					if (keeps)
						lv->occ[at[*r[i]]++] = (struct occ){ b->id, in->pos, OCC_USE };
					lv->occ[at[*r[i]]++] = (struct occ){ b->id, in->pos + 1,
						keeps ? OCC_DEF : OCC_KILL };
				}
				if (sweep)
					hints(lv->ra, in);
			}
		if (!sweep) {
			for (i = 0; i < f->num_vals; i++)
				lv->first[i + 1] += lv->first[i];
			memcpy(at, lv->first, f->num_vals * sizeof(*at));
			lv->occ = px_alloc(&f->px->arena, (lv->first[f->num_vals] + 1) * sizeof(*lv->occ));
		}
	}
}

static void add_range(struct live *lv, uint32_t start, uint32_t end)
{
	struct ra_range r = { start, end }, *last = lv->ntmp ? &lv->tmp[lv->ntmp - 1] : NULL;

	if (start >= end)
		return;
	if (last && last->start <= end && start <= last->end) {	/* less to sort */
		last->start = start < last->start ? start : last->start;
		last->end = end > last->end ? end : last->end;
		return;
	}
	PX_PUSH(&lv->f->px->arena, lv->tmp, lv->ntmp, lv->captmp, r);
}

/* Is a block that kills the value in the region? */
static bool killed_in(const struct live *lv, const struct px_region *r)
{
	uint32_t i, lo, hi;

	for (i = 0; i < r->n; i++) {
		lo = 0;		/* the first such block that is not before the part */
		hi = lv->nkills;
		while (lo < hi) {
			uint32_t mid = (lo + hi) / 2;

			if (lv->kills[mid] < r->part[i].from)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < lv->nkills && lv->kills[lo] < r->part[i].to)
			return true;
	}
	return false;
}

static bool passes(const struct live *lv, const struct px_region *r)
{
	return px_region_known(r) && !killed_in(lv, r);
}

/* The value is live in the whole region. */
static void live_through(struct live *lv, const struct px_region *r)
{
	uint32_t i;

	for (i = 0; i < r->n; i++)
		add_range(lv, lv->by_id[r->part[i].from]->start, lv->by_id[r->part[i].to - 1]->end);
}

static void set_in(struct live *lv, uint32_t b, px_val v)
{
	if (lv->in[b] == v)
		return;
	lv->in[b] = v;
	lv->work[lv->nwork++] = b;
}

/* v is live at the end of the block; true: for the first time, and also at its start. */
static bool set_out(struct live *lv, uint32_t b, px_val v)
{
	if (lv->out[b] == v)
		return false;
	lv->out[b] = v;
	if (lv->kill[b] == v)
		return false;
	lv->touched[lv->ntouched++] = b;	/* v may have no occurrences in b */
	if (lv->in[b] == v)
		return false;
	lv->in[b] = v;
	return true;
}

/* A value that is live in one place of a loop, and that no block of it kills, is live in all of it: the outermost such
 * loop around a block, or NULL. */
static const struct px_loop *loop_through(const struct live *lv, uint32_t b)
{
	const struct px_region *own = lv->ra->regions->own;
	const struct px_loop *l = lv->by_id[b]->loop;

	if (!l || !passes(lv, &own[l->header->id]))
		return NULL;
	while (l->parent) {
		if (l->jump && passes(lv, &own[l->jump->header->id]))
			l = l->jump;
		else if (passes(lv, &own[l->parent->header->id]))
			l = l->parent;
		else
			break;
	}
	return l;
}

/* From the start of a block to the end of a dominator, so far as no block between them kills v; false: not one step. */
static bool climb(struct live *lv, uint32_t *b, px_val v)
{
	const struct px_regions *r = lv->ra->regions;
	const struct px_loop *l = loop_through(lv, *b);

	if (l)
		*b = l->header->id;
	else if (!passes(lv, &r->own[*b]))
		return false;
	if (!l && lv->out[r->idom[*b]->id] != v && r->jump[*b] != r->idom[*b] && passes(lv, &r->far[*b])) {
		live_through(lv, &r->far[*b]);
		*b = r->jump[*b]->id;
	} else {
		live_through(lv, &r->own[*b]);
		*b = r->idom[*b]->id;
	}
	return true;
}

/* From the start of blocks to the ends of those before them, in steps as large as possible. */
static void propagate(struct live *lv, px_val v)
{
	uint32_t k, b;
	bool more;

	while (lv->nwork) {
		b = lv->work[--lv->nwork];
		more = true;
		while (more && climb(lv, &b, v))
			more = set_out(lv, b, v);
		for (k = 0; more && k < lv->by_id[b]->preds.n; k++)
			if (set_out(lv, lv->by_id[b]->preds.v[k]->id, v))
				lv->work[lv->nwork++] = lv->by_id[b]->preds.v[k]->id;
	}
}

/* Makes the ranges of v inside one block from the occurrences lo to hi - 1, last first. */
static void block_ranges(struct live *lv, px_val v, uint32_t lo, uint32_t hi)
{
	struct px_block *b = lv->by_id[lv->occ[lo].block];
	bool live = lv->out[b->id] == v;
	uint32_t end = b->end, i;

	for (i = hi; i-- > lo;) {
		const struct occ *o = &lv->occ[i];

		if (o->kind == OCC_USE) {
			if (!live)
				end = o->pos + 1;
			live = true;
		} else if (o->kind == OCC_KILL) {
			add_range(lv, o->pos, live ? end : o->pos + 1);
			live = false;
		} else if (!live) {
			add_range(lv, o->pos, o->pos + 1);
		}
	}
	if (live)
		add_range(lv, b->start, end);
}

static int by_start(const void *pa, const void *pb)
{
	const struct ra_range *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void finish_ranges(struct live *lv, px_val v)
{
	struct ra_val *x = &lv->ra->vals[v];
	uint32_t i, n = 0, sorted = 1;

	for (i = 1; i < lv->ntmp; i++)
		sorted &= lv->tmp[i - 1].start <= lv->tmp[i].start;
	if (!sorted)
		qsort(lv->tmp, lv->ntmp, sizeof(*lv->tmp), by_start);
	for (i = 0; i < lv->ntmp; i++) {
		if (n && lv->tmp[i].start <= lv->tmp[n - 1].end) {
			if (lv->tmp[i].end > lv->tmp[n - 1].end)
				lv->tmp[n - 1].end = lv->tmp[i].end;
		} else {
			lv->tmp[n++] = lv->tmp[i];
		}
	}
	x->n = n;
	x->r = px_alloc(&lv->f->px->arena, n * sizeof(*x->r));
	if (n)
		memcpy(x->r, lv->tmp, n * sizeof(*x->r));
}

static bool crosses_call(const struct ra *ra, const struct ra_val *x)
{
	uint32_t i, lo, hi;

	for (i = 0; i < x->n && ra->num_calls; i++) {
		lo = 0;		/* first call at or after the start */
		hi = ra->num_calls;
		while (lo < hi) {
			uint32_t mid = (lo + hi) / 2;

			if (ra->calls[mid] < x->r[i].start)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < ra->num_calls && x->r[i].end > ra->calls[lo] + 1)
			return true;
	}
	return false;
}

static void weigh(struct live *lv, px_val v)
{
	struct ra_val *x = &lv->ra->vals[v];
	uint32_t i, len = 1;
	float refs = 0;

	for (i = lv->first[v]; i < lv->first[v + 1]; i++)
		refs += depth_weight(lv->by_id[lv->occ[i].block]);
	for (i = 0; i < x->n; i++)
		len += x->r[i].end - x->r[i].start;
	x->weight = px_value(lv->f, v)->nospill ? 1e30f : refs / (float)len;
}

static void one_value(struct live *lv, px_val v)
{
	uint32_t lo = lv->first[v], end = lv->first[v + 1], hi, i;

	lv->nwork = lv->ntouched = lv->ntmp = lv->nkills = 0;
	for (i = lo; i < end; i++)
		if (lv->occ[i].kind == OCC_KILL && lv->kill[lv->occ[i].block] != v) {
			lv->kill[lv->occ[i].block] = v;
			lv->kills[lv->nkills++] = lv->occ[i].block;
		}
	for (lo = lv->first[v]; lo < end; lo = hi) {
		for (hi = lo; hi < end && lv->occ[hi].block == lv->occ[lo].block; hi++)
			;
		if (lv->occ[lo].kind == OCC_USE)
			set_in(lv, lv->occ[lo].block, v);
	}
	propagate(lv, v);
	for (lo = lv->first[v]; lo < end; lo = hi) {
		for (hi = lo; hi < end && lv->occ[hi].block == lv->occ[lo].block; hi++)
			;
		block_ranges(lv, v, lo, hi);
	}
	for (i = 0; i < lv->ntouched; i++) {	/* blocks through which v is live */
		uint32_t b = lv->touched[i];

		if (lv->in[b] == v && lv->out[b] == v)
			add_range(lv, lv->by_id[b]->start, lv->by_id[b]->end);
	}
	finish_ranges(lv, v);
	lv->ra->vals[v].crosses = crosses_call(lv->ra, &lv->ra->vals[v]);
	weigh(lv, v);
}

void px_ra_live(struct ra *ra)
{
	struct px_func *f = ra->f;
	struct px_arena *a = &f->px->arena;
	struct live lv = { .ra = ra, .f = f };
	uint32_t n, i;
	px_val v;

	ra->num_calls = 0;
	number(&lv);
	n = f->num_blocks;
	if (!ra->regions) {	/* spilling changes no edges */
		ra->regions = px_alloc(a, sizeof(*ra->regions));
		px_find_regions(f, ra->regions);
	}
	lv.by_id = px_alloc(a, (n + 1) * sizeof(*lv.by_id));
	PX_FOR_BLOCKS(f, b)
		lv.by_id[b->id] = b;
	lv.in = px_alloc(a, (n + 1) * sizeof(*lv.in));
	lv.out = px_alloc(a, (n + 1) * sizeof(*lv.out));
	lv.kill = px_alloc(a, (n + 1) * sizeof(*lv.kill));
	lv.work = px_alloc(a, (n + 1) * sizeof(*lv.work));
	lv.touched = px_alloc(a, (n + 1) * sizeof(*lv.touched));
	lv.kills = px_alloc(a, (n + 1) * sizeof(*lv.kills));
	for (i = 1; i < f->num_vals; i++) {
		ra->vals[i].num_hints = 0;
		ra->vals[i].spill = false;
	}
	collect(&lv);
	for (v = 1; v < f->num_vals; v++)
		if (v != f->sp)
			one_value(&lv, v);
}
