/* SPDX-License-Identifier: MIT */
/* Linear scan over live ranges that may have holes. */
#include <stdlib.h>
#include <string.h>
#include "compiler/ptx/back/px_live.h"
#include "compiler/ptx/back/px_ra.h"
#include "compiler/ptx/ir/px_abi.h"
#include "compiler/ptx/middle/px_pass.h"

struct unit {
	uint32_t start;
	px_val v;		/* a value alone, or one of its group */
	uint32_t group;		/* number + 1 */
};

struct scan {
	struct ra *ra;
	struct px_func *f;
	bool pred;
	struct ra_reg *regs;
	unsigned num;		/* registers to choose from */
	/* the unit to be placed: a value or a group */
	px_val v[4];
	unsigned off[4];
	unsigned n, span;
	bool crosses;
	float weight;
	uint32_t now;
};

static bool allowed(const struct scan *s, unsigned reg)
{
	if (s->pred)
		return !s->crosses;
	if (reg == PPU_SP)
		return false;
	return !s->crosses || reg >= PX_ABI_FIRST_SAVED;
}

/* Compares the ranges of x with those of a register, from j on.  The first owner in the way, or 0. */
static px_val conflict(const struct ra_val *x, const struct ra_slot *j)
{
	uint32_t i;

	for (i = 0; i < x->n; i++) {
		while (j && j->end <= x->r[i].start)
			j = j->next;
		if (j && j->start < x->r[i].end)
			return j->owner;
	}
	return 0;
}

static void advance(struct ra_reg *r, uint32_t now)
{
	while (r->cursor && r->cursor->end <= now)
		r->cursor = r->cursor->next;
	while (r->curfix && r->curfix->end <= now)
		r->curfix = r->curfix->next;
}

/* 0: the register is free for x; else a value in the way (of fixed ranges: the fixed value). */
static px_val busy(struct scan *s, unsigned reg, const struct ra_val *x)
{
	struct ra_reg *r = &s->regs[reg];
	px_val o;

	advance(r, s->now);
	o = conflict(x, r->cursor);
	return o ? o : conflict(x, r->curfix);
}

static unsigned width(const struct scan *s, px_val v)
{
	return s->pred ? 1 : px_value(s->f, v)->width;
}

static bool fits(struct scan *s, unsigned base)
{
	unsigned k, w;

	if (base + s->span > s->num)
		return false;
	for (w = 0; w < s->span; w++)
		if (!allowed(s, base + w))
			return false;
	for (k = 0; k < s->n; k++)
		for (w = 0; w < width(s, s->v[k]); w++)
			if (busy(s, base + s->off[k] + w, &s->ra->vals[s->v[k]]))
				return false;
	return true;
}

/* Inserts the ranges of value v into the list of a register, from the cursor on: nothing of v lies before it. */
static void insert_ranges(struct scan *s, struct ra_reg *r, px_val v)
{
	struct ra_val *x = &s->ra->vals[v];
	struct ra_slot *next = r->cursor, *n;
	uint32_t i;

	for (i = 0; i < x->n; i++) {
		while (next && next->start <= x->r[i].start)
			next = next->next;
		n = px_alloc(&s->f->px->arena, sizeof(*n));
		*n = (struct ra_slot){ .next = next, .prev = next ? next->prev : r->last, .same = x->slots, .reg = r,
				       .start = x->r[i].start, .end = x->r[i].end, .owner = v };
		x->slots = n;
		if (n->prev)
			n->prev->next = n;
		else
			r->first = n;
		if (next)
			next->prev = n;
		else
			r->last = n;
		if (next == r->cursor)	/* before the cursor, or behind the last range */
			r->cursor = n;
	}
}

static void assign(struct scan *s, unsigned base)
{
	unsigned k, w;

	for (k = 0; k < s->n; k++) {
		px_value(s->f, s->v[k])->reg = (int16_t)(base + s->off[k]);
		s->ra->vals[s->v[k]].slots = NULL;
		for (w = 0; w < width(s, s->v[k]); w++)
			insert_ranges(s, &s->regs[base + s->off[k] + w], s->v[k]);
	}
}

static void unassign(struct scan *s, px_val v)
{
	struct ra_val *x = &s->ra->vals[v];
	struct ra_slot *i;

	for (i = x->slots; i; i = i->same) {
		if (i->prev)
			i->prev->next = i->next;
		else
			i->reg->first = i->next;
		if (i->next)
			i->next->prev = i->prev;
		else
			i->reg->last = i->prev;
		if (i->reg->cursor == i)
			i->reg->cursor = i->next;
	}
	px_value(s->f, v)->reg = -1;
	x->spill = true;
	s->ra->spilled = true;
}

static bool try_hints(struct scan *s)
{
	unsigned k, h;

	for (k = 0; k < s->n; k++) {
		struct ra_val *x = &s->ra->vals[s->v[k]];

		for (h = 0; h < x->num_hints; h++) {
			int reg = px_value(s->f, x->hint[h].other)->reg;

			if (reg < 0)
				continue;
			reg += x->hint[h].delta - (int)s->off[k];
			if (reg >= 0 && fits(s, (unsigned)reg)) {
				assign(s, (unsigned)reg);
				return true;
			}
		}
	}
	return false;
}

/* Values that must be spilled to place the unit somewhere, and their weight. */
struct victims {
	px_val v[64];
	unsigned n;
	float weight;
};

/* Adds the owners of a register's ranges that x overlaps; false: there are too many, or they weigh `most` or more. */
static bool add_victims(const struct scan *s, const struct ra_reg *r, const struct ra_val *x, struct victims *out,
			float most)
{
	struct ra_slot *j = r->cursor, *before;
	unsigned i;
	uint32_t q;

	for (q = 0; q < x->n; q++) {
		while (j && j->end <= x->r[q].start)
			j = j->next;
		for (; j && j->start < x->r[q].end; j = j->next) {
			for (i = 0; i < out->n && out->v[i] != j->owner; i++)
				;
			if (i < out->n)
				continue;
			if (out->n == PX_ARRAY_SIZE(out->v))
				return false;
			out->v[out->n++] = j->owner;
			out->weight += s->ra->vals[j->owner].weight;
			if (out->weight >= most)
				return false;
		}
		before = j ? j->prev : r->last;
		if (before)
			j = before;	/* may reach into the next range */
	}
	return true;
}

/* false: the unit cannot be placed at base, or not for less than `most`. */
static bool price(struct scan *s, unsigned base, struct victims *out, float most)
{
	unsigned k, w;

	out->n = 0;
	out->weight = 0;
	for (w = 0; w < s->span; w++)
		if (!allowed(s, base + w))
			return false;
	for (k = 0; k < s->n; k++)
		for (w = 0; w < width(s, s->v[k]); w++) {
			struct ra_reg *r = &s->regs[base + s->off[k] + w];
			const struct ra_val *x = &s->ra->vals[s->v[k]];

			if (conflict(x, r->curfix) || !add_victims(s, r, x, out, most))
				return false;
		}
	return true;
}

static void make_room(struct scan *s)
{
	struct victims here, best = { .weight = s->weight < 1e37f ? s->weight : 1e37f };
	unsigned base, at = s->num, k;

	for (base = 0; base + s->span <= s->num; base++)
		if (price(s, base, &here, best.weight) && here.weight < best.weight) {
			best = here;
			at = base;
		}
	if (at == s->num) {	/* the unit itself is the cheapest */
		for (k = 0; k < s->n; k++)
			s->ra->vals[s->v[k]].spill = true;
		s->ra->spilled = true;
		return;
	}
	for (k = 0; k < best.n; k++)
		unassign(s, best.v[k]);
	assign(s, at);
}

static void load_unit(struct scan *s, const struct unit *u)
{
	unsigned k;

	s->now = u->start;
	s->crosses = false;
	s->weight = 0;
	if (u->group) {
		struct ra_group *g = &s->ra->groups[u->group - 1];

		s->n = g->n;
		s->span = g->span;
		for (k = 0; k < g->n; k++) {
			s->v[k] = g->v[k];
			s->off[k] = s->ra->vals[g->v[k]].offset;
		}
	} else {
		s->n = 1;
		s->v[0] = u->v;
		s->off[0] = 0;
		s->span = width(s, u->v);
	}
	for (k = 0; k < s->n; k++) {
		s->crosses |= s->ra->vals[s->v[k]].crosses;
		s->weight += s->ra->vals[s->v[k]].weight;
	}
}

static void place(struct scan *s, const struct unit *u)
{
	unsigned base;

	load_unit(s, u);
	if (try_hints(s))
		return;
	for (base = 0; base + s->span <= s->num; base++)
		if (fits(s, base)) {
			assign(s, base);
			return;
		}
	make_room(s);
}

static int by_start(const void *pa, const void *pb)
{
	const struct unit *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->v < b->v ? -1 : a->v > b->v;
}

static int fix_by_start(const void *pa, const void *pb)
{
	const struct ra_slot *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Makes the list of the ABI's uses of a register from n ranges in any order. */
static void link_fixed(struct ra_reg *r, struct ra_slot *v, uint32_t n)
{
	uint32_t i;

	if (!n)
		return;
	qsort(v, n, sizeof(*v), fix_by_start);
	for (i = 0; i + 1 < n; i++)
		v[i].next = &v[i + 1];
	r->fix = r->curfix = v;
}

/* Enters the ranges of the ABI's registers. */
static void fixed_ranges(struct scan *s)
{
	struct {
		struct ra_slot *v;
		uint32_t n, cap;
	} list[PPU_NUM_REGS] = { 0 };
	struct px_func *f = s->f;
	unsigned r, w;
	uint32_t i, k;

	for (i = 1; i < f->num_vals; i++) {
		struct px_value *v = &f->vals[i];
		struct ra_val *x = &s->ra->vals[i];

		if (v->fixed < 0 || i == f->sp)
			continue;
		v->reg = v->fixed;
		for (w = 0; w < v->width; w++)
			for (k = 0; k < x->n; k++) {
				struct ra_slot n = { .start = x->r[k].start, .end = x->r[k].end, .owner = i };

				r = (unsigned)v->fixed + w;
				PX_PUSH(&f->px->arena, list[r].v, list[r].n, list[r].cap, n);
			}
	}
	for (r = 0; r < PPU_NUM_REGS; r++)
		link_fixed(&s->regs[r], list[r].v, list[r].n);
}

static void scan_class(struct ra *ra, bool pred)
{
	struct px_func *f = ra->f;
	struct scan s = { .ra = ra, .f = f, .pred = pred, .regs = pred ? ra->preds : ra->regs,
			  .num = pred ? PPU_NUM_PREDS : ra->max_regs };
	struct unit *u = px_alloc(&f->px->arena, (f->num_vals + 1) * sizeof(*u));
	uint8_t *seen = px_alloc(&f->px->arena, ra->num_groups + 1);
	uint32_t n = 0, i, k;

	memset(s.regs, 0, (pred ? PPU_NUM_PREDS : PPU_NUM_REGS) * sizeof(*s.regs));
	if (!pred)
		fixed_ranges(&s);
	for (i = 1; i < f->num_vals; i++) {
		struct px_value *v = &f->vals[i];
		struct ra_val *x = &ra->vals[i];
		struct unit one = { .v = i, .group = x->group };

		if (v->fixed >= 0 || (v->width == 0) != pred)
			continue;
		v->reg = -1;
		if (!x->n)
			continue;
		one.start = x->r[0].start;
		if (x->group) {
			struct ra_group *g = &ra->groups[x->group - 1];

			if (seen[x->group]++)
				continue;
			for (k = 0; k < g->n; k++)
				if (ra->vals[g->v[k]].n && ra->vals[g->v[k]].r[0].start < one.start)
					one.start = ra->vals[g->v[k]].r[0].start;
		}
		u[n++] = one;
	}
	qsort(u, n, sizeof(*u), by_start);
	for (i = 0; i < n; i++)
		place(&s, &u[i]);
}

/* Gives each value a register, or marks values to be spilled. */
static void scan(struct ra *ra)
{
	ra->spilled = false;
	scan_class(ra, true);
	if (!ra->spilled)	/* else the ranges change first: spilled predicates need registers */
		scan_class(ra, false);
}

/* ---- spill code ---- */

struct spiller {
	struct ra *ra;
	struct px_func *f;
	uint32_t *slot;		/* by value: slot + 1 */
	px_val *home;		/* by predicate: the register that holds it */
	struct px_insn **remat;	/* by value: the instruction that computes it again */
	uint32_t num;		/* values that existed before */
};

/* Is the value cheaper to compute again than to load?  Constants, addresses and parameters are. */
static bool can_remat(const struct px_insn *d)
{
	switch (d->op) {
	case PPU_OP_MOV:
	case PPU_OP_MOVI64:
		return d->s[1].kind == PO_IMM;
	case PPU_OP_S2R:
		return d->s[1].imm != PPU_SR_ACTIVEMASK && d->s[1].imm != PPU_SR_CLOCK &&
		       d->s[1].imm != PPU_SR_CLOCK_HI && d->s[1].imm != PPU_SR_CLOCK64 &&
		       d->s[1].imm != PPU_SR_GLOBALTIMER;
	case PPU_OP_LD:
		return d->m == PPU_SPACE_PARAM && d->nxd == 1 && d->s[0].kind == PO_NONE;
	default:
		return false;
	}
}

static struct px_insn *slot_access(struct spiller *sp, unsigned op, px_val v, px_val t)
{
	struct px_value *x = px_value(sp->f, v);
	struct px_insn *i = px_new_insn(sp->f, op, x->width == 1 ? PPU_T_U32 :
					x->width == 2 ? PPU_T_U64 : PPU_T_B128);
	px_val *list = px_alloc(&sp->f->px->arena, sizeof(*list));

	if (!sp->slot[v])
		sp->slot[v] = px_new_slot(sp->f, SLOT_LOCAL, x->width * 4u, x->width * 4u) + 1;
	sp->f->slots[sp->slot[v] - 1].used = true;
	i->m = PPU_SPACE_LOCAL;
	i->s[0] = px_reg(sp->f->sp);
	i->ref = REF_SLOT;
	i->sym = sp->slot[v] - 1;
	list[0] = t;
	if (op == PPU_OP_LD) {
		i->xd = list;
		i->nxd = 1;
	} else {
		i->xs = list;
		i->nxs = 1;
	}
	return i;
}

static px_val temp_like(struct spiller *sp, px_val v)
{
	px_val t = px_new_val(sp->f, px_value(sp->f, v)->width, px_value(sp->f, v)->name);

	px_value(sp->f, t)->nospill = true;
	return t;
}

static px_val home_of(struct spiller *sp, px_val p)
{
	if (!sp->home[p])
		sp->home[p] = px_new_val(sp->f, 1, px_value(sp->f, p)->name);
	return sp->home[p];
}

static struct px_insn *reload(struct spiller *sp, px_val v, px_val t)
{
	struct px_insn *i;

	if (!px_value(sp->f, v)->width) {
		i = px_new_insn(sp->f, PPU_OP_SETP, PPU_T_U32);
		i->m = PPU_CMP_NE;
		i->s[0] = px_reg(home_of(sp, v));
		i->s[1] = px_imm(0);
		i->pd = t;
		return i;
	}
	if (sp->remat[v]) {
		i = px_new_insn(sp->f, 0, 0);
		*i = *sp->remat[v];
		if (i->nxd) {
			i->xd = px_alloc(&sp->f->px->arena, sizeof(px_val));
			i->xd[0] = t;
		} else {
			i->d = t;
		}
		return i;
	}
	return slot_access(sp, PPU_OP_LD, v, t);
}

static struct px_insn *save(struct spiller *sp, px_val v, px_val t)
{
	struct px_insn *i;

	if (px_value(sp->f, v)->width)
		return slot_access(sp, PPU_OP_ST, v, t);
	i = px_new_insn(sp->f, PPU_OP_SEL, PPU_T_U32);	/* !t ? 0 : 1 */
	i->s[1] = px_imm(1);
	i->ps = (struct px_predref){ t, true };
	i->d = home_of(sp, v);
	return i;
}

static bool is_spilled(const struct spiller *sp, px_val v)
{
	return v < sp->num && sp->ra->vals[v].spill;
}

static void spill_insn(struct spiller *sp, struct px_block *b, struct px_insn *in)
{
	px_val *r[PX_MAX_REFS], done[8], tmp[8];
	unsigned n = px_reads(in, r), k, j, nd = 0;
	struct px_insn *after = in;

	for (k = 0; k < n; k++) {
		px_val v = *r[k], t;

		if (!is_spilled(sp, v))
			continue;
		for (j = 0; j < nd && done[j] != v; j++)
			;
		if (j < nd) {
			*r[k] = tmp[j];
			continue;
		}
		t = temp_like(sp, v);
		px_insert_before(b, in, reload(sp, v, t));
		*r[k] = t;
		if (nd < PX_ARRAY_SIZE(done)) {
			done[nd] = v;
			tmp[nd++] = t;
		}
	}
	n = px_writes(in, r);
	for (k = 0; k < n; k++) {
		px_val v = *r[k], t;
		struct px_insn *s;

		if (!is_spilled(sp, v) || sp->remat[v])
			continue;
		t = temp_like(sp, v);
		px_value(sp->f, t)->scoped = true;	/* saved under the guard of the definition */
		s = save(sp, v, t);
		s->guard = in->guard;
		px_insert_after(b, after, s);
		after = s;
		*r[k] = t;
	}
}

/* Inserts loads and stores for the values that are marked. */
static void spill(struct ra *ra)
{
	struct px_func *f = ra->f;
	struct spiller sp = { .ra = ra, .f = f, .num = f->num_vals };
	struct px_insn *in, *next;
	px_val v;

	sp.slot = px_alloc(&f->px->arena, f->num_vals * sizeof(*sp.slot));
	sp.home = px_alloc(&f->px->arena, f->num_vals * sizeof(*sp.home));
	sp.remat = px_alloc(&f->px->arena, f->num_vals * sizeof(*sp.remat));
	for (v = 1; v < f->num_vals; v++)
		if (ra->vals[v].spill && f->vals[v].width && f->vals[v].ssa && f->vals[v].def &&
		    can_remat(f->vals[v].def))
			sp.remat[v] = f->vals[v].def;
	PX_FOR_BLOCKS(f, b)
		for (in = b->first; in; in = next) {
			px_val *w[PX_MAX_REFS];

			next = in->next;
			if (px_writes(in, w) == 1 && *w[0] < sp.num && sp.remat[*w[0]] == in) {
				px_remove(b, in);
				continue;
			}
			spill_insn(&sp, b, in);
		}
}

bool px_pass_regalloc(struct px_func *f)
{
	struct ra *ra = px_alloc(&f->px->arena, sizeof(*ra));
	unsigned round;

	ra->f = f;
	ra->max_regs = f->max_regs;
	for (round = 0; round < 24; round++) {
		px_ra_tuples(ra);
		px_pass_ssa(f);		/* definitions, for rematerialisation */
		px_ra_live(ra);
		scan(ra);
		if (!ra->spilled)
			return true;
		spill(ra);
	}
	px_error(f->px, f->loc, "'%s' does not fit in %u registers; raise .maxnreg", f->name->s,
		 f->max_regs);
	return false;
}
