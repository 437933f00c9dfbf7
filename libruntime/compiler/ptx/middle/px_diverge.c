/* SPDX-License-Identifier: MIT */
/*
 * Finds the branches that may send the lanes of a warp different ways.
 *
 * A value is divergent when its definition reads a divergent value or something that differs by
 * lane, when it is written on only one side of a divergent branch, or when it is defined in a loop
 * that lanes leave at different times and used after that loop.  A mistake here costs convergence, but no
 * result is wrong: every branch handles divergence by itself.
 */
#include "compiler/ptx/middle/px_pass.h"

struct dv {
	struct px_func *f;
	uint32_t *stamp;	/* by block */
	uint32_t now;
	uint8_t *done;		/* by block: was walked, and its values are marked */
	struct px_block **stack;
	bool changed;
};

static void mark(struct dv *d, px_val v)
{
	if (v && !px_value(d->f, v)->divergent) {
		px_value(d->f, v)->divergent = true;
		d->changed = true;
	}
}

static bool divergent_sreg(int64_t sr)
{
	switch (sr) {
	case PPU_SR_TID_X: case PPU_SR_TID_Y: case PPU_SR_TID_Z: case PPU_SR_LANEID:
	case PPU_SR_LANEMASK_EQ: case PPU_SR_LANEMASK_LE: case PPU_SR_LANEMASK_LT:
	case PPU_SR_LANEMASK_GE: case PPU_SR_LANEMASK_GT:
		return true;
	default:
		return false;
	}
}

static bool source(const struct px_func *f, const struct px_insn *in)
{
	switch (in->op) {
	case PPU_OP_S2R:
		return divergent_sreg(in->s[1].imm);
	case PPU_OP_ATOM:
	case PPU_OP_CAL:
	case PPU_OP_CALX:
	case PPU_OP_TLAUNCH:
	case PPU_OP_MATCH:
		return true;
	case PPU_OP_SHFL:
		return true;
	case PPU_OP_LD:
		return in->m == PPU_SPACE_LOCAL || in->m == PPU_SPACE_GENERIC;
	default:
		return false;
	}
}

/* Do all lanes get the same answer, as from votes and barriers? */
static bool same_for_all(const struct px_insn *in)
{
	return in->op == PPU_OP_VOTE || in->op == PPU_OP_REDUX ||
	       (in->op == PPU_OP_BAR && in->m >= PPU_BAR_RED_POPC);
}

static void spread_data(struct dv *d)
{
	px_val *r[PX_MAX_REFS];
	unsigned n, k;
	uint32_t i;
	bool div;

	for (i = 0; i < d->f->num_order; i++)
		PX_FOR_INSNS(d->f->order[i], in) {
			div = source(d->f, in);
			n = px_reads(in, r);
			for (k = 0; k < n && !div && !same_for_all(in); k++)
				div = px_value(d->f, *r[k])->divergent;
			if (!div && in->guard.v)
				div = px_value(d->f, in->guard.v)->divergent;
			if (!div)
				continue;
			n = px_writes(in, r);
			for (k = 0; k < n; k++)
				mark(d, *r[k]);
		}
}

/* Marks the values that a block in the region of a divergent branch writes, and that are also written elsewhere. */
static void mark_block(struct dv *d, struct px_block *b)
{
	px_val *w[PX_MAX_REFS];
	unsigned n, k;

	PX_FOR_INSNS(b, in) {
		n = px_writes(in, w);
		for (k = 0; k < n; k++)
			if (px_value(d->f, *w[k])->defs > 1 && px_value(d->f, *w[k])->fixed < 0)
				mark(d, *w[k]);
	}
}

/*
 * Walks the blocks from the branch at b to its post-dominator.  When one side leaves a loop, the lanes that
 * stay are still together, so only the side outside of the loop is walked.
 */
static void spread_region(struct dv *d, struct px_block *b)
{
	struct px_block *j = b->ipdom, *s;
	uint32_t top = 0, k;
	bool one_leaves = b->loop && px_in_loop(b->loop, b->succ[0]) != px_in_loop(b->loop, b->succ[1]);

	if (d->done[b->rpo])	/* b lies in the region of another branch, which was walked */
		return;
	d->now++;
	d->stamp[b->rpo] = d->now;
	for (k = 0; k < 2; k++) {
		s = b->succ[k];
		if (!s || s == j || d->stamp[s->rpo] == d->now || (one_leaves && px_in_loop(b->loop, s)))
			continue;
		d->stamp[s->rpo] = d->now;
		d->stack[top++] = s;
	}
	while (top) {
		struct px_block *x = d->stack[--top];

		if (!d->done[x->rpo])
			mark_block(d, x);
		d->done[x->rpo] = 1;
		for (k = 0; k < 2; k++) {
			s = x->succ[k];
			if (!s || s == j || d->stamp[s->rpo] == d->now ||
			    (b->loop && s == b->loop->header))
				continue;
			d->stamp[s->rpo] = d->now;
			d->stack[top++] = s;
		}
	}
}

/* The outermost loop around b that the branch at b may leave for good. */
static struct px_loop *left_loop(const struct px_block *b)
{
	struct px_loop *l = b->loop;

	if (!l || (b->ipdom && px_in_loop(l, b->ipdom)))
		return NULL;
	while (l->parent && !(b->ipdom && px_in_loop(l->parent, b->ipdom)))
		l = l->parent;
	return l;
}

/* Marks the values of a loop with a divergent exit that are used outside of it. */
static void spread_exits(struct dv *d)
{
	px_val *r[PX_MAX_REFS];
	struct px_loop *l;
	unsigned n, k;

	PX_FOR_BLOCKS(d->f, b)
		PX_FOR_INSNS(b, in) {
			n = px_reads(in, r);
			for (k = 0; k < n; k++) {
				struct px_value *v = px_value(d->f, *r[k]);

				if (v->divergent || !v->def_block || v->fixed >= 0)
					continue;
				for (l = v->def_block->loop; l; l = l->parent)
					if (l->divergent_exit && !px_in_loop(l, b)) {
						mark(d, *r[k]);
						break;
					}
			}
		}
}

void px_pass_diverge(struct px_func *f)
{
	struct dv d = { .f = f };
	struct px_loop *l;
	uint32_t i;

	d.stamp = px_alloc(&f->px->arena, (f->num_order + 1) * sizeof(*d.stamp));
	d.stack = px_alloc(&f->px->arena, (f->num_order + 1) * sizeof(*d.stack));
	d.done = px_alloc(&f->px->arena, f->num_order + 1);
	for (i = 0; i < f->num_vals; i++)
		f->vals[i].divergent = f->vals[i].fixed >= 0 && i != f->sp;
	for (i = 0; i < f->num_order; i++)
		f->order[i]->divergent = false;
	do {
		d.changed = false;
		spread_data(&d);
		PX_FOR_BLOCKS(f, b) {
			if (b->divergent || !b->last || b->last->op != IR_BR ||
			    !px_value(f, b->last->guard.v)->divergent)
				continue;
			b->divergent = true;
			d.changed = true;
			spread_region(&d, b);
			l = left_loop(b);
			for (; l; l = NULL)
				l->divergent_exit = true;
		}
		spread_exits(&d);
	} while (d.changed);
}
