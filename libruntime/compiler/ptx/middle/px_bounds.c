/* SPDX-License-Identifier: MIT */
/*
 * Finds the loops that end by counting.
 *
 * A loop is bounded when every iteration comes to a test that may leave the loop, and the test compares a value
 * that moves by the same loop-invariant step (or shift, or factor) in every iteration with a value that does not
 * change in the loop.  Further exits do not matter.
 */
#include "compiler/ptx/middle/px_pass.h"

/* Definitions of every value, those of a value in the order of their loops' numbers. */
struct defs {
	uint32_t *first;
	struct { struct px_insn *in; struct px_block *block; } *v;
};

struct ctx {
	struct px_func *f;
	struct px_loop *l;
	const struct defs *defs;
	uint32_t in, out;	/* what dominates all ends of an iteration: dom_in at most, dom_out at least this */
};

static uint32_t loop_number(const struct px_block *b)
{
	return b->loop ? b->loop->in : 0;
}

/* Number of definitions of v inside the loop (at most 2 counted); *def the last one seen. */
static unsigned defs_inside(struct ctx *c, px_val v, struct px_insn **def, struct px_block **where)
{
	uint32_t lo = c->defs->first[v], end = c->defs->first[v + 1], hi = end;
	unsigned n = 0;

	while (lo < hi) {	/* the first one that is not in a loop before */
		uint32_t mid = (lo + hi) / 2;

		if (loop_number(c->defs->v[mid].block) < c->l->in)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < end && n < 2 && px_in_loop(c->l, c->defs->v[lo].block); lo++, n++) {
		*def = c->defs->v[lo].in;
		*where = c->defs->v[lo].block;
	}
	return n;
}

static void find_ends(struct ctx *c)
{
	const struct px_block *h = c->l->header, *p;
	uint32_t k;

	c->in = UINT32_MAX;
	c->out = 0;
	for (k = 0; k < h->preds.n; k++) {
		p = h->preds.v[k];
		if (!px_in_loop(c->l, p))
			continue;
		c->in = p->dom_in < c->in ? p->dom_in : c->in;
		c->out = p->dom_out > c->out ? p->dom_out : c->out;
	}
}

static bool every_iteration(const struct ctx *c, const struct px_block *b)
{
	return b->dom_in <= c->in && c->out <= b->dom_out;
}

static bool pure(const struct px_insn *in)
{
	return in->op < PPU_OP_LD && in->op != PPU_OP_S2R && !in->guard.v;
}

static bool invariant_val(struct ctx *c, px_val v, unsigned depth);

static bool invariant_reads(struct ctx *c, struct px_insn *in, unsigned depth)
{
	px_val *r[PX_MAX_REFS];
	unsigned n = px_reads(in, r), k;

	for (k = 0; k < n; k++)
		if (!invariant_val(c, *r[k], depth + 1))
			return false;
	return true;
}

/* Special registers that stay the same for a thread. */
static bool constant_sreg(const struct px_insn *in)
{
	switch (in->s[1].imm) {
	case PPU_SR_CLOCK: case PPU_SR_CLOCK_HI: case PPU_SR_CLOCK64: case PPU_SR_GLOBALTIMER:
	case PPU_SR_ACTIVEMASK: case PPU_SR_WARPID: case PPU_SR_SMID:
		return false;
	default:
		return true;
	}
}

static bool invariant_val(struct ctx *c, px_val v, unsigned depth)
{
	struct px_block *where;
	struct px_insn *d;

	if (v == c->f->sp)
		return true;
	if (px_value(c->f, v)->fixed >= 0)
		return false;
	if (!defs_inside(c, v, &d, &where))
		return true;
	if (!px_value(c->f, v)->ssa || depth > 6)
		return false;
	if (d->op == PPU_OP_S2R)
		return constant_sreg(d);
	if (d->op == PPU_OP_LD && (d->m == PPU_SPACE_PARAM || d->m == PPU_SPACE_CONST) &&
	    !(d->y & 7))
		return invariant_reads(c, d, depth);
	return pure(d) && invariant_reads(c, d, depth);
}

static bool invariant_opnd(struct ctx *c, const struct px_opnd *o)
{
	return o->kind != PO_REG || invariant_val(c, o->v, 0);
}

/* The update of an induction variable: v = v op step, every iteration. */
static bool is_step(struct ctx *c, struct px_insn *in, px_val v)
{
	bool a = in->s[0].kind == PO_REG && in->s[0].v == v;
	bool b = in->s[1].kind == PO_REG && in->s[1].v == v;
	const struct px_opnd *step = a ? &in->s[1] : &in->s[0];

	if (a == b || in->guard.v)
		return false;
	switch (in->op) {
	case PPU_OP_ADD:
		break;
	case PPU_OP_SUB:
	case PPU_OP_SHL:
	case PPU_OP_SHR:
	case PPU_OP_DIV:
		if (!a)
			return false;
		break;
	case PPU_OP_MUL:
		break;
	default:
		return false;
	}
	if (step->kind == PO_NONE || (step->kind == PO_IMM && !step->imm))
		return false;
	return invariant_opnd(c, step);
}

/* Does v move by a step in every iteration?  Looks through copies and constant offsets. */
static bool moves(struct ctx *c, px_val v, unsigned depth)
{
	struct px_block *where = NULL, *w2;
	struct px_insn *d = NULL, *d2;

	if (depth > 8 || px_value(c->f, v)->fixed >= 0 || defs_inside(c, v, &d, &where) != 1)
		return false;
	if (px_value(c->f, v)->defs > 1) {
		/* carried around the loop: v = step(v), directly or through one other value */
		if (!every_iteration(c, where) || d->guard.v)
			return false;
		if (is_step(c, d, v))
			return true;
		if (d->op == PPU_OP_MOV && d->s[1].kind == PO_REG && d->s[1].v != v &&
		    defs_inside(c, d->s[1].v, &d2, &w2) == 1 && is_step(c, d2, v))
			return true;
		return false;
	}
	if (d->guard.v)
		return false;
	switch (d->op) {
	case PPU_OP_MOV:
		return d->s[1].kind == PO_REG && moves(c, d->s[1].v, depth + 1);
	case PPU_OP_CVT:
		return d->t >= PPU_T_U16 && d->t <= PPU_T_S64 && d->u >= PPU_T_U16 &&
		       d->u <= PPU_T_S64 && d->s[0].kind == PO_REG && moves(c, d->s[0].v, depth + 1);
	case PPU_OP_ADD:
	case PPU_OP_SUB:
	case PPU_OP_MUL:
	case PPU_OP_MULW:
		if (d->s[0].kind == PO_REG && invariant_opnd(c, &d->s[1]))
			return moves(c, d->s[0].v, depth + 1);
		if (d->s[1].kind == PO_REG && invariant_opnd(c, &d->s[0]))
			return moves(c, d->s[1].v, depth + 1);
		return false;
	case PPU_OP_MAD:
	case PPU_OP_MADW:
		return d->s[0].kind == PO_REG && invariant_opnd(c, &d->s[1]) &&
		       invariant_opnd(c, &d->s[2]) && moves(c, d->s[0].v, depth + 1);
	case PPU_OP_SHL:
	case PPU_OP_SHR:
		return d->s[0].kind == PO_REG && invariant_opnd(c, &d->s[1]) &&
		       moves(c, d->s[0].v, depth + 1);
	default:
		return false;
	}
}

static bool counts(struct ctx *c, const struct px_opnd *a, const struct px_opnd *b)
{
	return a->kind == PO_REG && invariant_opnd(c, b) && moves(c, a->v, 0);
}

/*
 * Does the loop go on only while a comparison holds that must fail in the end?  stay: the loop goes on when predicate
 * p has this value.
 */
static bool test_counts(struct ctx *c, px_val p, bool stay, unsigned depth)
{
	struct px_insn *d;

	if (!p || depth > 8 || !px_value(c->f, p)->ssa)
		return false;
	d = px_value(c->f, p)->def;
	if (!px_in_loop(c->l, px_value(c->f, p)->def_block))
		return false;
	if (d->op == PPU_OP_SETP) {
		/* with AND, true means both parts are true; with OR, false means both are false */
		bool cmp = d->pd == p && (!d->ps.v || (d->x == PPU_BOOL_AND) == stay);

		if (cmp && d->x != PPU_BOOL_XOR &&
		    (counts(c, &d->s[0], &d->s[1]) || counts(c, &d->s[1], &d->s[0])))
			return true;
		return d->pd == p && d->ps.v && d->x != PPU_BOOL_XOR &&
		       (d->x == PPU_BOOL_AND) == stay &&
		       test_counts(c, d->ps.v, stay ^ d->ps.neg, depth + 1);
	}
	if (d->op == PPU_OP_PLOP) {
		if (d->m == PPU_PLOP_MOV)
			return test_counts(c, d->ps.v, stay ^ d->ps.neg, depth + 1);
		if ((d->m == PPU_PLOP_AND && stay) || (d->m == PPU_PLOP_OR && !stay))
			return test_counts(c, d->ps.v, stay ^ d->ps.neg, depth + 1) ||
			       test_counts(c, d->pq.v, stay ^ d->pq.neg, depth + 1);
	}
	return false;
}

static bool leaves(struct ctx *c, struct px_block *b)
{
	struct px_insn *t = b->last;
	bool in0 = px_in_loop(c->l, b->succ[0]), in1;

	if (!t || t->op != IR_BR)
		return false;
	in1 = px_in_loop(c->l, b->succ[1]);
	if (in0 == in1 || !every_iteration(c, b))
		return false;
	return test_counts(c, t->guard.v, in1 ^ t->guard.neg, 0);
}

/* Does an "@p exit" in the middle of a block end the loop by counting? */
static bool exits(struct ctx *c, struct px_block *b)
{
	PX_FOR_INSNS(b, in)
		if (in->op == PPU_OP_EXIT && in->guard.v && every_iteration(c, b) &&
		    test_counts(c, in->guard.v, in->guard.neg, 0))
			return true;
	return false;
}

/* The blocks in the order of their loops' numbers. */
static struct px_block **sort_blocks(struct px_func *f)
{
	uint32_t *at = px_alloc(&f->px->arena, (f->num_loops + 2) * sizeof(*at)), i;
	struct px_block **list = px_alloc(&f->px->arena, (f->num_blocks + 1) * sizeof(*list));

	PX_FOR_BLOCKS(f, b)
		at[loop_number(b) + 1]++;
	for (i = 0; i <= f->num_loops; i++)
		at[i + 1] += at[i];
	PX_FOR_BLOCKS(f, b)
		list[at[loop_number(b)]++] = b;
	return list;
}

static void collect(struct px_func *f, struct defs *d)
{
	struct px_block **list = sort_blocks(f);
	px_val *w[PX_MAX_REFS];
	uint32_t *at, i, k, n;
	unsigned sweep;

	d->first = px_alloc(&f->px->arena, (f->num_vals + 2) * sizeof(*d->first));
	at = px_alloc(&f->px->arena, (f->num_vals + 2) * sizeof(*at));
	for (sweep = 0; sweep < 2; sweep++) {
		for (k = 0; k < f->num_blocks; k++)
			PX_FOR_INSNS(list[k], in) {
				n = px_writes(in, w);
				for (i = 0; i < n; i++) {
					if (!sweep) {
						d->first[*w[i] + 1]++;
						continue;
					}
					d->v[at[*w[i]]].in = in;
					d->v[at[*w[i]]++].block = list[k];
				}
			}
		if (sweep)
			break;
		for (i = 0; i < f->num_vals; i++)
			d->first[i + 1] += d->first[i];
		for (i = 0; i < f->num_vals; i++)
			at[i] = d->first[i];
		d->v = px_alloc(&f->px->arena, (d->first[f->num_vals] + 1) * sizeof(*d->v));
	}
}

void px_pass_bounds(struct px_func *f)
{
	struct defs defs;
	struct px_loop *l;
	uint32_t i;

	collect(f, &defs);
	for (l = f->loops; l; l = l->next) {
		struct ctx c = { .f = f, .l = l, .defs = &defs };

		l->bounded = false;
		if (l->irreducible)
			continue;
		find_ends(&c);
		for (i = 0; i < l->blocks.n && !l->bounded; i++) {
			struct px_block *b = l->blocks.v[i];

			l->bounded = leaves(&c, b) || exits(&c, b);
		}
	}
}

/* ---- YIELD ---- */

/*
 * Leads all back edges of the loop through one block with the YIELD, so that groups of lanes that
 * separated can meet there.
 */
static void yield_on_back_edges(struct px_func *f, struct px_loop *l)
{
	struct px_block *h = l->header, *y, *last = NULL;
	struct px_insn *in;
	uint32_t i, k;

	for (i = 0; i < h->preds.n; i++)
		if (px_in_loop(l, h->preds.v[i]) && (!last || last->id < h->preds.v[i]->id))
			last = h->preds.v[i];
	if (!last)
		return;
	y = px_new_block(f, NULL);
	y->loop = l;
	y->succ[0] = h;
	for (i = 0; i < h->preds.n; i++) {
		struct px_block *p = h->preds.v[i];

		if (!px_in_loop(l, p))
			continue;
		for (k = 0; k < 2; k++)
			if (p->succ[k] == h)
				p->succ[k] = y;
	}
	y->next = last->next;
	last->next = y;
	if (f->last == last)
		f->last = y;
	in = px_new_insn(f, PPU_OP_YIELD, PPU_T_NONE);
	if (last->last) {
		in->line = last->last->line;
		in->file = last->last->file;
		in->col = last->last->col;
	}
	px_append(y, in);
}

void px_pass_yield(struct px_func *f)
{
	struct px_loop *l;
	bool changed = false;

	for (l = f->loops; l; l = l->next)
		if (!l->bounded) {
			yield_on_back_edges(f, l);
			changed = true;
		}
	if (changed) {
		px_pass_cfg(f);
		px_pass_dom(f);
		px_pass_ssa(f);
		px_pass_loops(f);
	}
}
