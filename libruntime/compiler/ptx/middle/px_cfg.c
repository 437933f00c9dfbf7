/* SPDX-License-Identifier: MIT */
/* Control flow graph: edges, order, dominators, post-dominators, loops. */
#include <string.h>
#include "compiler/ptx/middle/px_dom.h"
#include "compiler/ptx/middle/px_pass.h"

static struct px_block *resolve(struct px_block *b)
{
	while (b && b->alias)
		b = b->alias;
	return b;
}

static void tidy_end(struct px_func *f, struct px_block *b)
{
	struct px_insn *t = b->last;
	unsigned i;

	for (i = 0; i < 2; i++)
		b->succ[i] = resolve(b->succ[i]);
	if (t && t->op == IR_BR && b->succ[0] == b->succ[1]) {
		px_remove(b, t);
		b->succ[1] = NULL;
	}
	if (t && px_is_terminator(t) && t->op != IR_BR)
		b->succ[0] = b->succ[1] = NULL;
	else if (!b->succ[0])	/* only at the end of unreachable code */
		px_append(b, px_new_insn(f, PPU_OP_EXIT, PPU_T_NONE));
}

/* Depth first without recursion; fills order[] from the end (reverse postorder). */
static void number_blocks(struct px_func *f)
{
	struct px_block **stack = px_alloc(&f->px->arena, (f->num_blocks + 1) * sizeof(*stack));
	uint8_t *next = px_alloc(&f->px->arena, f->num_blocks + 1);
	uint32_t top = 0, at = f->num_blocks;

	f->order = px_alloc(&f->px->arena, (f->num_blocks + 1) * sizeof(*f->order));
	stack[top++] = f->entry;
	f->entry->reachable = true;
	while (top) {
		struct px_block *b = stack[top - 1], *s;

		if (next[top - 1] == 2) {
			f->order[--at] = b;
			top--;
			continue;
		}
		s = b->succ[1 - next[top - 1]++];	/* so that succ[0] comes first in the order */
		if (s && !s->reachable) {
			s->reachable = true;
			next[top] = 0;
			stack[top++] = s;
		}
	}
	f->num_order = f->num_blocks - at;
	memmove(f->order, f->order + at, f->num_order * sizeof(*f->order));
}

static void drop_unreachable(struct px_func *f)
{
	struct px_block **link = &f->entry;
	uint32_t n = 0;

	f->last = NULL;
	while (*link) {
		struct px_block *b = *link;

		if (!b->reachable) {
			*link = b->next;
			continue;
		}
		b->id = n++;
		f->last = b;
		link = &b->next;
	}
	f->num_blocks = n;
}

void px_pass_cfg(struct px_func *f)
{
	uint32_t n = 0, i, k;

	PX_FOR_BLOCKS(f, b) {
		b->reachable = false;
		b->id = n++;
		b->preds.n = 0;
		tidy_end(f, b);
	}
	f->num_blocks = n;
	number_blocks(f);
	drop_unreachable(f);
	for (i = 0; i < f->num_order; i++) {
		struct px_block *b = f->order[i];

		b->rpo = i;
		for (k = 0; k < 2; k++)
			if (b->succ[k])
				PX_PUSH(&f->px->arena, b->succ[k]->preds.v, b->succ[k]->preds.n,
					b->succ[k]->preds.cap, b);
	}
}

/* ---- kernels: exits in place ---- */

static bool only_exits(const struct px_block *b)
{
	return b->first && b->first == b->last && b->first->op == PPU_OP_EXIT && !b->first->guard.v;
}

static void exit_here(struct px_func *f, struct px_block *b, struct px_predref guard)
{
	struct px_insn *e = px_new_insn(f, PPU_OP_EXIT, PPU_T_NONE);

	e->guard = guard;
	if (b->last) {
		e->line = b->last->line;
		e->file = b->last->file;
		e->col = b->last->col;
	}
	px_append(b, e);
}

/* Replaces a block's jump to an exit by EXIT itself; true: the end of the block changed. */
static bool fold_exit(struct px_func *f, struct px_block *b, bool late)
{
	struct px_insn *t = b->last;
	struct px_predref g;

	if (t && t->op == IR_BR) {
		unsigned side = only_exits(b->succ[1]) ? 1 : only_exits(b->succ[0]) ? 0 : 2;

		if (side == 2 || (!late && b->succ[1]->id <= b->id && b->succ[0] == b->next))
			return false;	/* falling out of a loop costs nothing */
		if (late && !b->divergent)
			return false;
		g = t->guard;
		g.neg ^= side == 0;
		b->divergent = false;
		px_remove(b, t);
		exit_here(f, b, g);
		b->succ[0] = b->succ[1 - side];
		b->succ[1] = NULL;
		return true;
	}
	/* a jump over other code becomes EXIT; falling into the exit costs nothing */
	if (!late && (!t || !px_is_terminator(t)) && b->succ[0] && only_exits(b->succ[0]) &&
	    b->next != b->succ[0]) {
		exit_here(f, b, (struct px_predref){ 0 });
		b->succ[0] = NULL;
		return true;
	}
	return false;
}

void px_pass_exits(struct px_func *f)
{
	bool changed = false;

	PX_FOR_BLOCKS(f, b)
		while (fold_exit(f, b, false))
			changed = true;
	if (changed)
		px_pass_cfg(f);
}

/* Guarded EXITs for divergent branches to an exit, which then need no meeting point. */
void px_pass_exits_late(struct px_func *f)
{
	bool changed = false;

	PX_FOR_BLOCKS(f, b)
		if (f->kernel && fold_exit(f, b, true))
			changed = true;
	if (!changed)
		return;
	px_pass_cfg(f);
	px_pass_dom(f);
	px_pass_ssa(f);
	px_pass_loops(f);
	px_pass_pdom(f);
}

/* ---- dominators ---- */

/* Numbers the nodes in a walk over the dominator tree: makes lists of children, then walks with a stack. */
static void number_tree(struct px_func *f)
{
	uint32_t n = f->num_order, i, clock = 0, top = 0;
	uint32_t *child = px_alloc(&f->px->arena, (n + 1) * sizeof(*child));
	uint32_t *sibling = px_alloc(&f->px->arena, (n + 1) * sizeof(*sibling));
	uint32_t *stack = px_alloc(&f->px->arena, (n + 1) * sizeof(*stack));

	for (i = n; i-- > 1;) {
		uint32_t p = f->order[i]->idom->rpo;

		sibling[i] = child[p];
		child[p] = i;
	}
	stack[top++] = 0;
	f->order[0]->dom_in = clock++;
	while (top) {
		uint32_t b = stack[top - 1], c = child[b];

		if (!c) {
			f->order[b]->dom_out = clock++;
			top--;
			continue;
		}
		child[b] = sibling[c];
		f->order[c]->dom_in = clock++;
		stack[top++] = c;
	}
}

void px_pass_dom(struct px_func *f)
{
	struct px_arena *a = &f->px->arena;
	uint32_t (*edge)[2] = px_alloc(a, (2 * f->num_order + 1) * sizeof(*edge)), n = 0, i, k;
	uint32_t *idom = px_alloc(a, (f->num_order + 1) * sizeof(*idom));
	struct px_graph g;

	for (i = 0; i < f->num_order; i++)
		for (k = 0; k < 2; k++)
			if (f->order[i]->succ[k]) {
				edge[n][0] = i;
				edge[n++][1] = f->order[i]->succ[k]->rpo;
			}
	px_make_graph(a, &g, f->num_order, (const uint32_t (*)[2])edge, n);
	px_idoms(a, &g, 0, idom);
	for (i = 0; i < f->num_order; i++)
		f->order[i]->idom = f->order[idom[i]];
	number_tree(f);
}

/* ---- loops (Havlak) ---- */

struct havlak {
	struct px_func *f;
	uint32_t *pre, *last;		/* by rpo number: preorder number, last descendant */
	struct px_block **by_pre;
	uint32_t *uf;			/* union-find over preorder numbers */
	uint32_t *header;		/* preorder number of the header of the loop around, or NONE */
	uint8_t *type;			/* 1 reducible, 2 irreducible header */
	uint32_t *in_body;		/* stamp */
};
#define NONE	UINT32_MAX

static uint32_t find(struct havlak *h, uint32_t x)
{
	while (h->uf[x] != x) {
		h->uf[x] = h->uf[h->uf[x]];
		x = h->uf[x];
	}
	return x;
}

static void preorder(struct havlak *h)
{
	struct px_func *f = h->f;
	uint32_t n = f->num_order, top = 0, clock = 0;
	struct px_block **stack = px_alloc(&f->px->arena, (n + 1) * sizeof(*stack));
	uint8_t *next = px_alloc(&f->px->arena, n + 1);

	memset(h->pre, 0xff, n * sizeof(*h->pre));
	stack[top++] = f->entry;
	h->by_pre[clock] = f->entry;
	h->pre[f->entry->rpo] = clock++;
	while (top) {
		struct px_block *b = stack[top - 1], *s;

		if (next[top - 1] == 2) {
			h->last[h->pre[b->rpo]] = clock - 1;
			top--;
			continue;
		}
		s = b->succ[1 - next[top - 1]++];
		if (s && h->pre[s->rpo] == NONE) {
			h->by_pre[clock] = s;
			h->pre[s->rpo] = clock++;
			next[top] = 0;
			stack[top++] = s;
		}
	}
}

static bool is_ancestor(const struct havlak *h, uint32_t a, uint32_t d)
{
	return a <= d && d <= h->last[a];
}

/* Puts the loop of header w into work[]: everything from which a back edge to w can be reached. */
static uint32_t loop_body(struct havlak *h, uint32_t w, uint32_t *work)
{
	struct px_block *b = h->by_pre[w];
	uint32_t n = 0, i, k;

	for (k = 0; k < b->preds.n; k++) {
		uint32_t v = h->pre[b->preds.v[k]->rpo];

		if (!is_ancestor(h, w, v))
			continue;
		h->type[w] |= 1;
		v = find(h, v);
		if (v != w && h->in_body[v] != w + 1) {
			h->in_body[v] = w + 1;
			work[n++] = v;
		}
	}
	for (i = 0; i < n; i++) {
		struct px_block *x = h->by_pre[work[i]];

		for (k = 0; k < x->preds.n; k++) {
			uint32_t v = h->pre[x->preds.v[k]->rpo];

			if (is_ancestor(h, work[i], v))
				continue;	/* back edge of an inner loop */
			v = find(h, v);
			if (!is_ancestor(h, w, v)) {
				h->type[w] = 2;
			} else if (v != w && h->in_body[v] != w + 1) {
				h->in_body[v] = w + 1;
				work[n++] = v;
			}
		}
	}
	return n;
}

static void find_headers(struct havlak *h)
{
	uint32_t n = h->f->num_order, w, i, count;
	uint32_t *work = px_alloc(&h->f->px->arena, (n + 1) * sizeof(*work));

	for (w = n; w-- > 0;) {
		count = loop_body(h, w, work);
		for (i = 0; i < count; i++) {
			h->header[work[i]] = w;
			h->uf[work[i]] = w;
		}
	}
}

/* An edge into a loop must go to its header; else the loop has several entries. */
static void check_entries(struct px_func *f)
{
	struct px_loop *l;
	uint32_t i, k;

	for (i = 0; i < f->num_order; i++) {
		struct px_block *b = f->order[i];

		for (k = 0; k < b->preds.n; k++)
			for (l = b->loop; l && !px_in_loop(l, b->preds.v[k]); l = l->parent)
				if (l->header != b)
					l->irreducible = true;
	}
}

/* Sets l->jump; the loops around l have theirs. A search that jumps where it may takes logarithmic time. */
static void set_jump(struct px_loop *l)
{
	struct px_loop *p = l->parent, *j = p ? p->jump : NULL;

	l->jump = j && j->jump && p->depth - j->depth == j->depth - j->jump->depth ? j->jump : p;
}

/* Numbers the loop tree in preorder.  In list, outer loops come before their inner ones. */
static void number_loops(struct px_func *f, struct px_loop **list, uint32_t n)
{
	uint32_t i, next = 1, *at;

	for (i = n; i-- > 0;) {
		list[i]->size++;
		if (list[i]->parent)
			list[i]->parent->size += list[i]->size;
	}
	for (i = 0; i < n; i++) {
		set_jump(list[i]);
		at = list[i]->parent ? &list[i]->parent->next_in : &next;
		list[i]->in = *at;
		*at += list[i]->size;
		list[i]->out = list[i]->in + list[i]->size - 1;
		list[i]->next_in = list[i]->in + 1;
	}
}

void px_pass_loops(struct px_func *f)
{
	uint32_t n = f->num_order, i;
	struct px_arena *a = &f->px->arena;
	struct havlak h = { .f = f };
	struct px_loop **of, **list;

	h.pre = px_alloc(a, (n + 1) * sizeof(*h.pre));
	h.last = px_alloc(a, (n + 1) * sizeof(*h.last));
	h.by_pre = px_alloc(a, (n + 1) * sizeof(*h.by_pre));
	h.uf = px_alloc(a, (n + 1) * sizeof(*h.uf));
	h.header = px_alloc(a, (n + 1) * sizeof(*h.header));
	h.type = px_alloc(a, n + 1);
	h.in_body = px_alloc(a, (n + 1) * sizeof(*h.in_body));
	of = px_alloc(a, (n + 1) * sizeof(*of));
	list = px_alloc(a, (n + 1) * sizeof(*list));
	for (i = 0; i < n; i++) {
		h.uf[i] = i;
		h.header[i] = NONE;
	}
	preorder(&h);
	find_headers(&h);
	f->loops = NULL;
	f->num_loops = 0;
	for (i = 0; i < n; i++) {	/* outer headers come first in preorder */
		struct px_block *b = h.by_pre[i];
		struct px_loop *outer = h.header[i] == NONE ? NULL : of[h.header[i]];

		b->loop = outer;
		if (!h.type[i])
			continue;
		of[i] = px_alloc(a, sizeof(**of));
		of[i]->parent = outer;
		of[i]->header = b;
		of[i]->depth = outer ? outer->depth + 1 : 1;
		of[i]->irreducible = h.type[i] == 2;
		list[f->num_loops++] = of[i];
		of[i]->next = f->loops;
		f->loops = of[i];
		b->loop = of[i];
	}
	number_loops(f, list, f->num_loops);
	check_entries(f);
	for (i = 0; i < n; i++) {
		struct px_loop *l = f->order[i]->loop;

		if (l)	/* innermost only; parents are walked when needed */
			PX_PUSH(a, l->blocks.v, l->blocks.n, l->blocks.cap, f->order[i]);
	}
}

/* ---- post-dominators ---- */

/*
 * The graph is reversed and rooted at a virtual exit.  A side of a branch that can only leave (an early EXIT, a
 * trap) must not hide where the other lanes meet.  So in blocks that reach the main exit, successors that do not
 * reach it are left out.  One block of each endless loop is connected to the root.
 */
struct pdom {
	struct px_func *f;
	uint8_t *main;		/* by rpo: reaches the main exit */
	uint8_t *root;		/* connected to the virtual exit */
};

static void reach_back(struct px_func *f, uint8_t *mark, uint32_t from, uint32_t *stack)
{
	uint32_t top = 0, k;

	if (mark[from])
		return;
	mark[from] = 1;
	stack[top++] = from;
	while (top) {
		struct px_block *b = f->order[stack[--top]];

		for (k = 0; k < b->preds.n; k++)
			if (!mark[b->preds.v[k]->rpo]) {
				mark[b->preds.v[k]->rpo] = 1;
				stack[top++] = b->preds.v[k]->rpo;
			}
	}
}

static void find_roots(struct pdom *p)
{
	struct px_func *f = p->f;
	struct px_arena *a = &f->px->arena;
	uint32_t n = f->num_order, i;
	uint32_t *stack = px_alloc(a, (n + 1) * sizeof(*stack));
	uint8_t *any = px_alloc(a, n + 1);
	struct px_block *main = NULL;

	p->main = px_alloc(a, n + 1);
	p->root = px_alloc(a, n + 1);
	PX_FOR_BLOCKS(f, b)
		if (!b->succ[0]) {
			main = b;	/* the last one in the layout */
			p->root[b->rpo] = 1;
			reach_back(f, any, b->rpo, stack);
		}
	for (i = n; i-- > 0;)	/* endless loops */
		if (!any[i]) {
			p->root[i] = 1;
			reach_back(f, any, i, stack);
		}
	if (main)
		reach_back(f, p->main, main->rpo, stack);
}

void px_pass_pdom(struct px_func *f)
{
	struct px_arena *a = &f->px->arena;
	uint32_t n = f->num_order, i, k, count = 0;
	uint32_t (*edge)[2] = px_alloc(a, (3 * n + 1) * sizeof(*edge));
	uint32_t *ip = px_alloc(a, (n + 2) * sizeof(*ip));
	struct pdom p = { .f = f };
	struct px_graph g;

	find_roots(&p);
	for (i = 0; i < n; i++) {	/* reversed; node n is the virtual exit */
		struct px_block *b = f->order[i], *s;

		for (k = 0; k < 2; k++) {
			s = b->succ[k];
			if (!s || (p.main[i] && !p.main[s->rpo]))
				continue;
			edge[count][0] = s->rpo;
			edge[count++][1] = i;
		}
		if (p.root[i]) {
			edge[count][0] = n;
			edge[count++][1] = i;
		}
	}
	px_make_graph(a, &g, n + 1, (const uint32_t (*)[2])edge, count);
	px_idoms(a, &g, n, ip);
	for (i = 0; i < n; i++) {
		f->order[i]->ipdom = ip[i] < n ? f->order[ip[i]] : NULL;
		f->order[i]->mark = p.main[i];	/* for px_pass_reconv() */
	}
}
