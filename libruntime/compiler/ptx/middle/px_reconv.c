/* SPDX-License-Identifier: MIT */
/*
 * Reconvergence.
 *
 * The lanes of a divergent branch meet again at its immediate post-dominator J.  A token for J is
 * pushed before the lanes can separate, and lanes that take a later edge into J wait there (SYNC, BRK or
 * CONT with J's address; without a token the same instruction is a plain branch, so one too many
 * does no harm).
 *
 * Where the push goes: if J is outside of loops that contain the branch, lanes may need many
 * iterations to leave these loops, so the push is before the outermost such loop.  Otherwise it is right
 * before the branch.  All blocks of that loop are post-dominated by J, so the lanes of every pushed token
 * come to J (or they exit or yield, and then the device drops the token).  A loop with several entries has
 * no place before it: its push goes to the nearest block that dominates all entries.  A push for J is left
 * out where a token for J is already open on every way: nested branches with one meeting point share a token.
 */
#include <stdlib.h>
#include <string.h>
#include "compiler/ptx/middle/px_pass.h"

struct site {
	struct px_block *j;
	struct px_block *at;	/* branch block, or loop header */
	struct px_loop *loop;	/* push before this loop, or NULL: at the end of `at` */
	bool leaves;		/* j is outside a loop of the branch */
	bool kept;
};

struct rc {
	struct px_func *f;
	struct site *v;
	uint32_t n, cap;
	uint32_t *stamp;
	struct px_block **stack;
	bool entries;		/* were found */
	uint64_t budget;	/* steps left for walking regions; at 0, mark_all() chooses the edges */
	uint32_t lo, hi;	/* least dom_in, greatest dom_out of pushes for mark_all(); lo is UINT32_MAX: there is none */
};

/* Can the other side of the branch reach j at all?  (Sides that only exit cannot.) */
static bool worth_it(const struct px_block *b)
{
	const struct px_block *j = b->ipdom;
	unsigned k;

	for (k = 0; k < 2; k++)
		if (b->succ[k] == j && !b->succ[1 - k]->mark && b->mark)
			return false;
	return true;
}

static int by_dom_in(const void *pa, const void *pb)
{
	const struct px_block *const *a = pa, *const *b = pb;

	return (*a)->dom_in < (*b)->dom_in ? -1 : (*a)->dom_in > (*b)->dom_in;
}

static int by_dom_out(const void *pa, const void *pb)
{
	const struct px_block *const *a = pa, *const *b = pb;

	return (*a)->dom_out > (*b)->dom_out ? -1 : (*a)->dom_out < (*b)->dom_out;
}

/* The innermost loop of l and those around it that has no entry yet. */
static struct px_loop *without_entry(struct px_loop *l)
{
	while (l && l->seen) {
		if (l->up && l->up->seen)
			l->up = l->up->up;	/* a path once walked gets shorter */
		l = l->up;
	}
	return l;
}

/*
 * One end of the range of all entries of each loop. The blocks come in the order in which that is the first entry of a
 * loop, so each loop is set once.
 */
static void set_ends(struct px_func *f, struct px_block **list, bool first)
{
	struct px_loop *l, *top;
	uint32_t i, k;

	for (l = f->loops; l; l = l->next) {
		l->seen = false;
		l->up = l->parent;
	}
	for (i = 0; i < f->num_order; i++)
		for (k = 0; k < list[i]->preds.n; k++) {
			top = px_loop_without(list[i]->loop, list[i]->preds.v[k]);
			for (l = top ? without_entry(list[i]->loop) : NULL; l && l->in >= top->in; l = without_entry(l)) {
				l->seen = true;
				if (first)
					l->entry_in = list[i]->dom_in;
				else
					l->entry_out = list[i]->dom_out;
			}
		}
}

/* The range of the numbers of all entries of each loop in the dominator tree. */
static void find_entries(struct px_func *f)
{
	struct px_block **list = px_alloc(&f->px->arena, (f->num_order + 1) * sizeof(*list));

	memcpy(list, f->order, f->num_order * sizeof(*list));
	qsort(list, f->num_order, sizeof(*list), by_dom_in);
	set_ends(f, list, true);
	qsort(list, f->num_order, sizeof(*list), by_dom_out);
	set_ends(f, list, false);
}

/* The nearest block before an irreducible loop from which all lanes come to j, or NULL. */
static struct px_block *common_entry(struct rc *r, struct px_loop *l, const struct px_block *j)
{
	struct px_block *d = l->header->idom, *x;
	uint32_t steps = 0;

	if (!r->entries)
		find_entries(r->f);
	r->entries = true;
	if (l->entry)
		d = l->entry;
	while (d->dom_in > l->entry_in || d->dom_out < l->entry_out)
		d = d->idom;
	l->entry = d;	/* dominates all entries */
	for (x = d; x && x != j && steps < 1000; x = x->ipdom)
		steps++;
	return x == j && px_in_loop(d->loop, j) && !px_in_loop(l, d) ? d : NULL;
}

static void find_sites(struct rc *r)
{
	PX_FOR_BLOCKS(r->f, b) {
		struct site s = { .j = b->ipdom, .at = b };

		if (!b->divergent || !b->succ[1] || !b->ipdom || !worth_it(b))
			continue;
		s.loop = px_loop_without(b->loop, b->ipdom);
		s.leaves = s.loop != NULL;
		if (s.loop) {
			s.at = s.loop->irreducible ? common_entry(r, s.loop, s.j) : NULL;
			if (s.at)
				s.loop = NULL;
			else
				s.at = s.loop->header;
		}
		PX_PUSH(&r->f->px->arena, r->v, r->n, r->cap, s);
	}
}

static int by_place(const void *pa, const void *pb)
{
	const struct site *a = pa, *b = pb;

	if (a->j != b->j)
		return a->j->rpo > b->j->rpo ? -1 : 1;	/* outer tokens are pushed first */
	if (a->at != b->at)
		return a->at->dom_in < b->at->dom_in ? -1 : 1;
	return (a->loop == NULL) - (b->loop == NULL);	/* before the loop comes first */
}

static struct px_loop *place_loop(const struct site *s)
{
	return s->loop ? s->loop->parent : s->at->loop;
}

/* Is the token pushed at p still there whenever s is reached? */
static bool covers(const struct site *p, const struct site *s)
{
	struct px_loop *l = place_loop(s), *x, *out;

	if (p->j != s->j || !px_dominates(p->at, s->at))
		return false;
	if (p->at == s->at && p->loop == s->loop)
		return true;
	out = px_loop_without(l, s->j);
	if (out)
		l = out->parent;	/* the innermost loop with both */
	if (!l)
		return true;
	x = place_loop(p);
	return x && l->in <= x->in && x->in <= l->out;
}

static void drop_covered(struct rc *r)
{
	uint32_t i, k, tries;

	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_place);
	for (i = 0; i < r->n; i++) {
		r->v[i].kept = true;
		for (k = i, tries = 0; k-- > 0 && r->v[k].j == r->v[i].j && tries < 64; tries++)
			if (r->v[k].kept && covers(&r->v[k], &r->v[i])) {
				r->v[i].kept = false;
				break;
			}
	}
}

/*
 * Makes lanes wait on all edges into j, except edges from before all the pushes r->lo to r->hi. On some of these edges
 * there may be no token, which is safe.
 */
static void mark_all(struct rc *r, const struct px_block *j, uint8_t op)
{
	uint32_t i, k;

	for (i = 0; i < j->preds.n; i++) {
		struct px_block *x = j->preds.v[i];

		if (x->dom_in < r->lo && x->dom_out > r->hi)
			continue;
		for (k = 0; k < 2; k++)
			if (x->succ[k] == j)
				x->edge[k] = op;
	}
}

/* No steps are left: the edges of this push are chosen with those of the others to the same block. */
static void leave_to_all(struct rc *r, const struct site *s)
{
	r->lo = s->at->dom_in < r->lo ? s->at->dom_in : r->lo;
	r->hi = s->at->dom_out > r->hi ? s->at->dom_out : r->hi;
}

/* Makes lanes wait at j on every edge from the region that starts at s. */
static void mark_edges(struct rc *r, const struct site *s, uint32_t stamp, uint8_t op)
{
	uint32_t top = 0, k;

	if (!r->budget) {
		leave_to_all(r, s);
		return;
	}

	if (s->loop || r->stamp[s->at->rpo] != stamp) {
		r->stamp[s->at->rpo] = stamp;
		r->stack[top++] = s->at;
	}
	while (top) {
		struct px_block *x = r->stack[--top], *t;

		if (!--r->budget) {
			leave_to_all(r, s);
			return;
		}

		for (k = 0; k < 2; k++) {
			t = x->succ[k];
			if (!t)
				continue;
			if (t == s->j) {
				x->edge[k] = op;
			} else if (r->stamp[t->rpo] != stamp) {
				r->stamp[t->rpo] = stamp;
				r->stack[top++] = t;
			}
		}
	}
}

static struct px_insn *push_insn(struct px_func *f, uint8_t push, const struct site *s)
{
	struct px_insn *in = px_new_insn(f, push, PPU_T_NONE);

	in->target = s->j;
	return in;
}

/* Pushes on every edge into the loop; px_pass_preheaders() made blocks for these edges. */
static void push_before(struct rc *r, const struct site *s, uint8_t push)
{
	struct px_loop *l = s->loop;
	uint32_t i = l->irreducible ? 0 : l->header->rpo, k;

	for (; i < r->f->num_order; i++) {
		struct px_block *h = r->f->order[i];

		if (!px_in_loop(l, h))
			continue;
		for (k = 0; k < h->preds.n; k++)
			if (!px_in_loop(l, h->preds.v[k]))
				px_append(h->preds.v[k], push_insn(r->f, push, s));
		if (!l->irreducible)
			break;
	}
}

static void push_here(struct rc *r, const struct site *s, uint8_t push)
{
	struct px_insn *last = s->at->last;

	px_insert_before(s->at, last && last->op == IR_BR ? last : NULL, push_insn(r->f, push, s));
}

/* Three pushes do the same; their names tell a reader why: loop exits break, loop headers continue. */
static uint8_t push_op(const struct site *s)
{
	if (s->leaves)
		return PPU_OP_PBRK;
	if (s->j->loop && s->j->loop->header == s->j && px_in_loop(s->j->loop, s->at))
		return PPU_OP_PCNT;
	return PPU_OP_SSY;
}

void px_pass_reconv(struct px_func *f)
{
	struct rc r = { .f = f };
	uint8_t push = 0;
	uint32_t i, stamp = 0;

	r.budget = 100000 + 100ull * f->num_order;
	find_sites(&r);
	drop_covered(&r);
	r.stamp = px_alloc(&f->px->arena, (f->num_order + 1) * sizeof(*r.stamp));
	r.stack = px_alloc(&f->px->arena, (f->num_order + 1) * sizeof(*r.stack));
	for (i = 0; i < r.n; i++) {
		struct site *s = &r.v[i];

		if (!i || s->j != r.v[i - 1].j) {	/* all pushes for one meeting point have the same name */
			stamp++;
			push = push_op(s);
			r.lo = UINT32_MAX;
			r.hi = 0;
		}
		if (s->kept && s->loop)
			push_before(&r, s, push);
		else if (s->kept)
			push_here(&r, s, push);
		if (s->kept)
			mark_edges(&r, s, stamp, push + 1);	/* SSY SYNC PBRK BRK PCNT CONT */
		if (r.lo != UINT32_MAX && (i + 1 == r.n || r.v[i + 1].j != s->j))
			mark_all(&r, s->j, push + 1);
	}
}

_Static_assert(PPU_OP_SYNC == PPU_OP_SSY + 1 && PPU_OP_BRK == PPU_OP_PBRK + 1 &&
	       PPU_OP_CONT == PPU_OP_PCNT + 1, "a push and its disable are neighbours");

/* ---- preheaders ---- */

static void insert_block(struct px_func *f, struct px_block *after, struct px_block *b)
{
	b->next = after->next;
	after->next = b;
	if (f->last == after)
		f->last = b;
}

/* Puts the new block where it costs no jump inside the loop. */
static void place_preheader(struct px_func *f, struct px_loop *l, struct px_block *h,
			    struct px_block *pre)
{
	uint32_t k;

	for (k = 0; k < h->preds.n; k++) {
		struct px_block *p = h->preds.v[k];

		if (!px_in_loop(l, p) && p->next == h) {
			insert_block(f, p, pre);
			return;
		}
	}
	insert_block(f, f->last, pre);
}

/* Is h entered from outside of the loop? *plain: by one edge only, and nothing else leads there. */
static bool entered(const struct px_loop *l, const struct px_block *h, bool *plain)
{
	uint32_t outside = 0, k;

	*plain = true;
	for (k = 0; k < h->preds.n; k++)
		if (!px_in_loop(l, h->preds.v[k])) {
			outside++;
			*plain &= !h->preds.v[k]->succ[1];
		}
	*plain &= outside == 1;
	return outside;
}

static void preheader(struct px_func *f, struct px_loop *l, struct px_block *h)
{
	struct px_block *pre, *p;
	uint32_t k, e;

	pre = px_new_block(f, NULL);
	place_preheader(f, l, h, pre);
	for (k = 0; k < h->preds.n; k++) {
		p = h->preds.v[k];
		for (e = 0; e < 2; e++)
			if (!px_in_loop(l, p) && p->succ[e] == h)
				p->succ[e] = pre;
	}
	pre->succ[0] = h;
}

/*
 * Makes one block before every loop, so that a token for the loop's end can be pushed there.  Lanes that meet
 * at the loop's entry must meet before that block, so this pass runs before post-dominators are computed.
 */
void px_pass_preheaders(struct px_func *f)
{
	struct px_loop *l;
	bool changed = false, plain;
	uint32_t i;

	for (i = 0; i < f->num_order; i++) {
		struct px_block *h = f->order[i];

		/* inner loops first, so that an outer loop's preheader comes before the inner loop's */
		for (l = h->loop; l && entered(l, h, &plain); l = l->parent)
			if ((l->header == h || l->irreducible) && !plain) {
				preheader(f, l, h);
				changed = true;
				break;	/* edges changed: the outer loops' turn comes later */
			}
	}
	if (changed) {
		px_pass_cfg(f);
		px_pass_dom(f);
		px_pass_ssa(f);
		px_pass_loops(f);
	}
}
