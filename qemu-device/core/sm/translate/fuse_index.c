/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a fused segment need not compute.
 *
 * Most addresses are those of an element of an array whose start is a parameter: parameter + index * bytes.  Where a segment
 * sees all of that, its loads and stores look at the indices: vectors of 32 bits, of which those in a row have one address in
 * a general register.  Then often nobody needs the vectors of 64 bits, nor the parameter.
 *
 * The parameter may have been loaded long before, as in front of a loop.  Then its rows look as if all lanes had the same in
 * them (uniform.c); whether they have is looked at in front of the segment.
 *
 *   madw.u32 rd10, r10, 4, rd4      not needed, if only the load reads rd10; so r10 keeps the index
 *   ld.global.u32 r11, [rd10]       of the index in r10
 *
 * So: groups that may have an index are found.  Then, as if they all had one, the instructions that are needed.
 * Where one of these puts another value into the row before a load, the group has no index, and the rest is tried again.
 * Stores mostly come last, when the row has something else; for them the product serves as well, if it is still there.
 */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/warp.h"
#include "core/sm/translate/fuse.h"
#include "core/sm/translate/uniform.h"

#define BEFORE	(-1)	/* instead of an instruction of the list: a value is from before the segment */

struct list {
	const struct ppu_program *prog;
	struct ppu_fuse *f;
	struct ppu_live reads[PPU_FUSE_MAX], writes[PPU_FUSE_MAX];	/* writes: perhaps */
	bool needed[PPU_FUSE_MAX];
	int from[PPU_FUSE_GROUPS];	/* of groups that may have an index: the instruction that made it, */
	unsigned row[PPU_FUSE_GROUPS];	/* in this row, */
	int product[PPU_FUSE_GROUPS];	/* and the one that made the product */
};

static const struct ppu_dinsn *insn(const struct list *l, int i)
{
	return &l->prog->code[l->f->list[i]];
}

static void find_effects(struct list *l, int i)
{
	const struct ppu_dinsn *di = insn(l, i);

	ppu_flow_effects(l->prog, l->f->list[i], &l->reads[i], &l->writes[i]);
	if (di->always || l->f->group[i] == PPU_FUSE_WAY)
		return;
	for (unsigned row = di->d; row < di->d + 2u && row < l->prog->nregs; row++)
		l->writes[i].reg[row / 64] |= 1ull << row % 64;
	l->writes[i].pred |= 1ull << di->pd | 1ull << di->pe;
}

/* Where the value comes from that the row has in front of instruction i; perhaps, if it has a guard. */
static int source(const struct list *l, int i, unsigned row)
{
	if (row >= l->prog->nregs)
		return BEFORE;
	while (--i >= 0 && !ppu_live_reg(&l->writes[i], row))
		;
	return i;
}

/* The same for a pair of rows, both of which one instruction writes for certain, as its first ones; or BEFORE. */
static int source_of_pair(const struct list *l, int i, unsigned row)
{
	int from = source(l, i, row);

	if (from == BEFORE || source(l, i, row + 1) != from || insn(l, from)->d != row || !insn(l, from)->always)
		return BEFORE;
	return from;
}

/* ---- indices ---- */

/* Is instruction i, or BEFORE, a product of a word with so many bytes? */
static bool scales(const struct list *l, int i, unsigned op, unsigned bytes)
{
	const struct ppu_dinsn *di = i == BEFORE ? NULL : insn(l, i);

	return di && di->fn && di->op == op && di->bi && !di->ci && di->imm == bytes && !di->na && !di->nb && !di->aa;
}

/* The parts of the address that row g->row has in front of instruction i.  False: it has others. */
static bool split(const struct list *l, int i, const struct ppu_fuse_group *g, int *sum, int *product, unsigned *base)
{
	const struct ppu_dinsn *di;

	*sum = *product = source_of_pair(l, i, g->row);
	if (*sum == BEFORE)
		return false;
	di = insn(l, *sum);
	*base = di->c;
	if (scales(l, *sum, PPU_OP_MADW, g->bytes))
		return !di->nc;
	if (!di->fn || di->op != PPU_OP_ADD || (di->t != PPU_T_U64 && di->t != PPU_T_S64) || di->bi || di->sat || di->m ||
	    di->na || di->nb)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		*base = k ? di->b : di->a;
		*product = source_of_pair(l, *sum, k ? di->a : di->b);
		if (scales(l, *product, PPU_OP_MULW, g->bytes))
			return true;
	}
	return false;
}

/* Is the pair of rows, in front of instruction i, a parameter that ppu_select_fixed() makes sure of? */
static bool is_param(const struct list *l, int i, unsigned row, uint32_t *at)
{
	const struct ppu_fuse_group *g;

	i = source_of_pair(l, i, row);
	if (i == BEFORE || l->f->group[i] < 0)
		return false;
	g = &l->f->g[l->f->group[i]];
	*at = (uint32_t)insn(l, i)->imm64;
	return !g->write && g->space == PPU_SPACE_PARAM && g->bytes == 8 && ppu_fuse_fixed_early(g, l->prog->nregs);
}

/* Is it what the rows have had since before the segment, and perhaps the same for all lanes? */
static bool is_kept(const struct list *l, int i, unsigned row)
{
	return row + 1 < l->prog->nregs && source(l, i, row) == BEFORE && source(l, i, row + 1) == BEFORE &&
	       ppu_uniform_likely(l->prog, l->f->list[0], row);
}

/* The row has to be looked at in front of the segment.  False: there are too many. */
static bool look_at(struct ppu_fuse *f, unsigned row)
{
	unsigned i;

	for (i = 0; i < f->uniforms && f->uniform[i] != row; i++)
		;
	if (i == PPU_FUSE_UNIFORM)
		return false;
	f->uniform[i] = (uint16_t)row;
	f->uniforms += i == f->uniforms;
	return true;
}

/* The start of the group. */
static bool starts_in_rows(struct ppu_fuse *f, const struct ppu_fuse_group *g)
{
	return look_at(f, g->start) && look_at(f, g->start + 1);
}

static void find_index(struct list *l, int group)
{
	struct ppu_fuse_group *g = &l->f->g[group];
	int first = 0, sum, product;
	unsigned base, row;

	if (!PPU_SPACE_IS_64(g->space) || g->bytes < 4 || (g->write && g->bytes > 4))
		return;
	while (l->f->group[first] != group)
		first++;
	if (!split(l, first, g, &sum, &product, &base))
		return;
	if (is_kept(l, sum, base)) {
		g->in_rows = true;
		g->start = base;
		if (!starts_in_rows(l->f, g))
			return;
	} else if (!is_param(l, sum, base, &g->start)) {
		return;
	}
	row = insn(l, product)->a;
	if (row >= l->prog->nregs)
		return;
	l->from[group] = source(l, product, row);
	l->row[group] = row;
	l->product[group] = product;
	g->index = (uint16_t)row;
	g->sgn = insn(l, product)->t == PPU_T_S32;
	g->indexed = true;
}

#define ASSUMED	4	/* rows that one value may be taken apart by */

/* A value, by where it comes from: and what was added to it that is known now, or the same for all lanes. */
struct value {
	int from;
	unsigned row;
	int64_t more;
	unsigned assumed;		/* rows that have to be looked at for that */
	uint16_t assume[ASSUMED];
};

/* Has the row the same word in all lanes, in front of instruction i? */
static bool uniform(const struct list *l, int i, unsigned row, struct value *v)
{
	const struct ppu_fuse_group *g;
	const struct ppu_dinsn *di;

	i = source(l, i, row);
	if (i == BEFORE && row < l->prog->nregs && v->assumed < ASSUMED && ppu_uniform_likely(l->prog, l->f->list[0], row)) {
		v->assume[v->assumed++] = (uint16_t)row;
		return true;
	}
	if (i == BEFORE || !insn(l, i)->always)
		return row == PPU_ROW_ZERO(l->prog->nregs);
	di = insn(l, i);
	if (l->f->group[i] < 0)
		return !di->fn && di->handler == PPU_H_s2r && di->imm != PPU_SR_LANEID && di->imm != PPU_SR_TID_X &&
		       di->imm != PPU_SR_TID_Y && di->imm != PPU_SR_TID_Z;
	g = &l->f->g[l->f->group[i]];
	return !g->write && ppu_fuse_fixed_early(g, l->prog->nregs);
}

static bool same(struct value a, struct value b)
{
	return a.from == b.from && a.row == b.row;
}

/* What is left of an index without the sums that move all lanes alike; or, if `known`, without constants. */
static struct value root(const struct list *l, struct value v, bool known)
{
	for (;;) {
		const struct ppu_dinsn *di = v.from == BEFORE ? NULL : insn(l, v.from);
		unsigned row;

		if (!di || !di->fn || !di->always || (di->op != PPU_OP_ADD && di->op != PPU_OP_SUB) ||
		    (di->t != PPU_T_U32 && di->t != PPU_T_S32) || di->sat || di->m || di->na || di->nb)
			return v;
		if (di->bi || (!known && uniform(l, v.from, di->b, &v)))
			row = di->a;
		else if (!known && di->op == PPU_OP_ADD && uniform(l, v.from, di->a, &v))
			row = di->b;
		else
			return v;
		if (di->bi)
			v.more += di->op == PPU_OP_ADD ? (int32_t)di->imm : -(int64_t)(int32_t)di->imm;
		v.from = source(l, v.from, row);
		v.row = row;
	}
}

#define NEIGHBOURS	512	/* bytes: groups so near to each other are mostly in the same page */

/* Two groups with the same parameter, the indices without constants. */
static bool neighbours(const struct ppu_fuse_group *g, struct value a, const struct ppu_fuse_group *o, struct value b)
{
	int64_t away = (a.more - b.more) * g->bytes + (int64_t)(g->imm - o->imm);

	return same(a, b) && g->write == o->write && g->bytes == o->bytes && away < NEIGHBOURS && away > -NEIGHBOURS;
}

/* All rows that a value was taken apart by are looked at. */
static bool look_at_assumed(struct ppu_fuse *f, const struct value *v)
{
	for (unsigned i = 0; i < v->assumed; i++)
		if (!look_at(f, v->assume[i]))
			return false;
	return true;
}

/* May a group take the distances of lanes from another one? */
static bool may_follow(const struct ppu_fuse_group *g, const struct ppu_fuse_group *o)
{
	return g->bytes == o->bytes && g->bytes <= 8 && (g->loads == 1 || g->write) && o->loads == 1 && !o->write;
}

/* Groups whose lanes lie to each other as those of a group before, and which of them fetch ahead. */
static void find_like(struct list *l)
{
	struct ppu_fuse *f = l->f;
	struct value of[PPU_FUSE_GROUPS], near[PPU_FUSE_GROUPS];

	for (unsigned i = 0; i < f->groups; i++) {
		struct ppu_fuse_group *g = &f->g[i];

		g->like = g->page = (uint8_t)i;
		g->ahead = true;
		if (!g->indexed)
			continue;
		of[i] = root(l, (struct value){ .from = l->from[i], .row = l->row[i] }, false);
		near[i] = root(l, (struct value){ .from = l->from[i], .row = l->row[i] }, true);
		for (unsigned k = i; k-- > 0;) {
			struct ppu_fuse_group *o = &f->g[k];
			bool near_by = o->indexed && ppu_fuse_same_start(g, o) && neighbours(g, near[i], o, near[k]);

			if (!o->indexed)
				continue;
			/* Those of a loop's rounds go through the array by steps, each from where the one before was. */
			if (ppu_fuse_same_start(g, o) && (!g->in_rows || near_by))
				o->ahead = false;
			if (near_by)
				g->page = o->page;
			if (same(of[k], of[i]) && may_follow(g, o) && look_at_assumed(f, &of[k]) && look_at_assumed(f, &of[i]))
				g->like = (uint8_t)k;
		}
	}
}

/* The instruction that made what the group wants to find in its row. */
static int maker(const struct list *l, int group)
{
	return l->f->g[group].product ? l->product[group] : l->from[group];
}

/* Do all loads or stores of the group find the index where it was, or the product? */
static bool index_stays(const struct list *l, int group)
{
	const struct ppu_fuse *f = l->f;
	const struct ppu_fuse_group *g = &f->g[group];
	bool stays = true;

	for (int i = maker(l, group) + 1; i < (int)f->n; i++) {
		if (f->group[i] == group && !stays)
			return false;
		if (l->needed[i] && (ppu_live_reg(&l->writes[i], g->index) ||
				     (g->product && ppu_live_reg(&l->writes[i], g->index + 1u))))
			stays = false;
	}
	return true;
}

/* The group does without its index. */
static void give_up(struct list *l, int group)
{
	struct ppu_fuse_group *g = &l->f->g[group];

	if (g->write && !g->product && insn(l, l->product[group])->op == PPU_OP_MULW) {
		g->product = true;
		g->index = insn(l, l->product[group])->d;
	} else {
		g->indexed = g->product = false;
	}
}

/* ---- what is needed ---- */

/* The instructions that may have made the value of a row in front of instruction i. */
static void need_row(struct list *l, int i, unsigned row)
{
	do {
		i = source(l, i, row);
		if (i != BEFORE)
			l->needed[i] = true;
	} while (i != BEFORE && !insn(l, i)->always);
}

static void need_pred(struct list *l, int i, unsigned p)
{
	while (--i >= 0) {
		if (!(l->writes[i].pred >> p & 1))
			continue;
		l->needed[i] = true;
		if (insn(l, i)->always)
			return;
	}
}

static void need_all(struct list *l, int i, const struct ppu_live *of)
{
	for (unsigned k = 0; k < 4; k++)
		for (uint64_t m = of->reg[k]; m; m &= m - 1)
			need_row(l, i, 64 * k + (unsigned)__builtin_ctzll(m));
	for (uint64_t m = of->pred; m; m &= m - 1)
		need_pred(l, i, (unsigned)__builtin_ctzll(m));
}

/* Is there no more to instruction i than what it writes? */
static bool only_writes(const struct list *l, int i)
{
	const struct ppu_fuse *f = l->f;

	if (f->group[i] == PPU_FUSE_WAY)
		return false;
	/* A load may fault, unless its address is known to be right. */
	return f->group[i] < 0 || (!f->g[f->group[i]].write && ppu_fuse_fixed_early(&f->g[f->group[i]], l->prog->nregs));
}

static void find_needed(struct list *l)
{
	const struct ppu_fuse *f = l->f;
	struct ppu_live live;

	ppu_flow_live(l->prog, f->next, &live);
	memset(l->needed, 0, sizeof(l->needed));
	need_all(l, (int)f->n, &live);
	for (int i = (int)f->n; i-- > 0;) {
		const bool memory = f->group[i] >= 0;

		if (!only_writes(l, i))
			l->needed[i] = true;
		if (!l->needed[i])
			continue;
		if (memory && f->g[f->group[i]].indexed) {
			need_row(l, maker(l, f->group[i]) + 1, f->g[f->group[i]].index);
			if (f->g[f->group[i]].write)
				need_row(l, i, insn(l, i)->b);
		} else {
			need_all(l, i, &l->reads[i]);
		}
	}
}

/* Only of the groups that still have an index. */
static void look_at_starts(struct ppu_fuse *f)
{
	f->uniforms = 0;
	for (unsigned i = 0; i < f->groups; i++)
		if (f->g[i].indexed && f->g[i].in_rows)
			starts_in_rows(f, &f->g[i]);
}

void ppu_fuse_finish(const struct ppu_program *prog, struct ppu_fuse *f)
{
	struct list l = { .prog = prog, .f = f };
	bool again;

	for (int i = 0; i < (int)f->n; i++)
		find_effects(&l, i);
	for (int i = 0; i < (int)f->groups; i++)
		find_index(&l, i);
	do {
		again = false;
		find_needed(&l);
		for (int i = 0; i < (int)f->groups && !again; i++) {
			again = f->g[i].indexed && !index_stays(&l, i);
			if (again)
				give_up(&l, i);
		}
	} while (again);
	look_at_starts(f);
	find_like(&l);
	for (unsigned i = 0; i < f->n; i++)
		f->omit[i] = !l.needed[i];
}
#endif
