/* SPDX-License-Identifier: MIT */
/*
 * Regions between blocks and their dominators: see px_region.h.
 *
 * Blocks are visited from the leaves of the dominator tree to its root, so that the regions of the blocks on the way
 * from a predecessor up to the dominator are there already. A forest with path compression, as for dominators, adds them
 * up. A block of a loop with several entries may come too early: its region stays unknown.
 */
#include <stdlib.h>
#include <string.h>
#include "compiler/ptx/back/px_region.h"

#define UNKNOWN	UINT32_MAX

struct finder {
	struct px_func *f;
	struct px_regions *r;
	uint32_t *up;			/* by id: the next block of the forest; itself: not visited yet */
	struct px_region *sum;		/* by id: the block and all regions from there to up[], without up[] */
	uint32_t *stack, *depth;
};

static void add_part(struct px_region *r, uint32_t from, uint32_t to)
{
	uint32_t i, n;

	if (!px_region_known(r))
		return;
	for (i = 0, n = 0; i < r->n; i++) {	/* swallow what touches the new part */
		if (r->part[i].to < from || r->part[i].from > to) {
			r->part[n++] = r->part[i];
			continue;
		}
		from = r->part[i].from < from ? r->part[i].from : from;
		to = r->part[i].to > to ? r->part[i].to : to;
	}
	r->n = n == PX_REGION_PARTS ? UNKNOWN : n + 1;
	if (n < PX_REGION_PARTS) {
		r->part[n].from = from;
		r->part[n].to = to;
	}
}

static void add_region(struct px_region *r, const struct px_region *x)
{
	uint32_t i;

	if (!px_region_known(x))
		r->n = UNKNOWN;
	else
		for (i = 0; i < x->n; i++)
			add_part(r, x->part[i].from, x->part[i].to);
}

/* The root above x; sum[x] is what lies below it. */
static uint32_t compress(struct finder *d, uint32_t x)
{
	uint32_t top = 0, root;

	while (d->up[x] != x) {
		d->stack[top++] = x;
		x = d->up[x];
	}
	root = x;
	while (top) {
		x = d->stack[--top];
		if (d->up[x] != root) {
			add_region(&d->sum[x], &d->sum[d->up[x]]);
			d->up[x] = root;
		}
	}
	return root;
}

static void visit(struct finder *d, struct px_block *b)
{
	struct px_region *r = &d->r->own[b->id];
	uint32_t k, root;

	r->n = 0;
	d->r->idom[b->id] = b->idom;
	for (k = 0; k < b->preds.n && px_region_known(r); k++) {
		uint32_t p = b->preds.v[k]->id;

		if (p == b->idom->id)
			continue;
		root = compress(d, p);
		if (root == b->id)
			add_part(r, root, root + 1);
		else if (root != b->idom->id)
			r->n = UNKNOWN;
		if (root != p)
			add_region(r, &d->sum[p]);
	}
	d->sum[b->id] = *r;
	add_part(&d->sum[b->id], b->id, b->id + 1);
	d->up[b->id] = b->idom->id;
}

/* Jumps up the tree whose lengths allow to search it in logarithmic time. */
static void find_jumps(struct finder *d, struct px_block *b)
{
	struct px_block *p = b->idom, *j = d->r->jump[p->id];
	struct px_region *far = &d->r->far[b->id];

	d->depth[b->id] = d->depth[p->id] + 1;
	*far = d->r->own[b->id];
	d->r->jump[b->id] = p;
	if (!j || !d->r->jump[j->id] ||
	    d->depth[p->id] - d->depth[j->id] != d->depth[j->id] - d->depth[d->r->jump[j->id]->id])
		return;
	add_part(far, p->id, p->id + 1);
	add_region(far, &d->r->far[p->id]);
	add_part(far, j->id, j->id + 1);
	add_region(far, &d->r->far[j->id]);
	d->r->jump[b->id] = d->r->jump[j->id];
}

static int by_out(const void *pa, const void *pb)
{
	const struct px_block *const *a = pa, *const *b = pb;

	return (*a)->dom_out < (*b)->dom_out ? -1 : (*a)->dom_out > (*b)->dom_out;
}

void px_find_regions(struct px_func *f, struct px_regions *r)
{
	struct px_arena *a = &f->px->arena;
	uint32_t n = f->num_order, i;
	struct finder d = { .f = f, .r = r };
	struct px_block **post = px_alloc(a, n * sizeof(*post));

	r->idom = px_alloc(a, n * sizeof(*r->idom));
	r->own = px_alloc(a, n * sizeof(*r->own));
	r->jump = px_alloc(a, n * sizeof(*r->jump));
	r->far = px_alloc(a, n * sizeof(*r->far));
	d.up = px_alloc(a, n * sizeof(*d.up));
	d.sum = px_alloc(a, n * sizeof(*d.sum));
	d.stack = px_alloc(a, n * sizeof(*d.stack));
	d.depth = px_alloc(a, n * sizeof(*d.depth));
	for (i = 0; i < n; i++) {
		d.up[i] = i;
		r->own[i].n = r->far[i].n = UNKNOWN;
		post[i] = f->order[i];
	}
	qsort(post, n, sizeof(*post), by_out);
	for (i = 0; i < n; i++)
		if (post[i] != f->entry)
			visit(&d, post[i]);
	for (i = 0; i < n; i++)		/* dominators come first in reverse postorder */
		if (f->order[i] != f->entry)
			find_jumps(&d, f->order[i]);
}
