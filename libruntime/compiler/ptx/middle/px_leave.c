/* SPDX-License-Identifier: MIT */
/*
 * The values that leave loops, in a tree of minima, so that all those that leave a given loop are found without a look
 * at any other: they are defined in loops with numbers in [in, out], and the outermost loop that they leave is not
 * deeper than this one.
 */
#include "compiler/ptx/middle/px_leave.h"

/* By value: the depth of the outermost loop that is left between definition and a use; 0: none. */
static uint32_t *find_depths(struct px_func *f)
{
	uint32_t *depth = px_alloc(&f->px->arena, (f->num_vals + 1) * sizeof(*depth));
	px_val *r[PX_MAX_REFS];
	unsigned n, k;

	PX_FOR_BLOCKS(f, b)
		PX_FOR_INSNS(b, in) {
			n = px_reads(in, r);
			for (k = 0; k < n; k++) {
				const struct px_value *v = px_value(f, *r[k]);
				const struct px_loop *l;

				if (!v->def_block || v->fixed >= 0)
					continue;
				l = px_loop_without(v->def_block->loop, b);
				if (l && (!depth[*r[k]] || l->depth < depth[*r[k]]))
					depth[*r[k]] = l->depth;
			}
		}
	return depth;
}

void px_leave_init(struct px_func *f, struct px_leave *t)
{
	struct px_arena *a = &f->px->arena;
	uint32_t *depth = find_depths(f), *at = px_alloc(a, (f->num_loops + 2) * sizeof(*at)), i;
	px_val v;

	for (v = 1; v < f->num_vals; v++)
		if (depth[v]) {
			at[px_value(f, v)->def_block->loop->in]++;
			t->n++;
		}
	for (i = 1; i <= f->num_loops; i++)	/* numbers begin at 1 */
		at[i] += at[i - 1];
	t->v = px_alloc(a, (t->n + 1) * sizeof(*t->v));
	t->in = px_alloc(a, (t->n + 1) * sizeof(*t->in));
	for (t->size = 1; t->size < t->n; t->size *= 2)
		;
	t->least = px_alloc(a, 2 * (size_t)t->size * sizeof(*t->least));
	for (i = 0; i < t->size; i++)
		t->least[t->size + i] = UINT32_MAX;
	for (v = f->num_vals; v-- > 1;)
		if (depth[v]) {
			i = --at[px_value(f, v)->def_block->loop->in];
			t->v[i] = v;
			t->in[i] = px_value(f, v)->def_block->loop->in;
			t->least[t->size + i] = depth[v];
		}
	for (i = t->size; i-- > 1;)
		t->least[i] = t->least[2 * i] < t->least[2 * i + 1] ? t->least[2 * i] : t->least[2 * i + 1];
}

/* The first place whose loop has at least this number. */
static uint32_t place_of(const struct px_leave *t, uint32_t number)
{
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (t->in[mid] < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void take_out(struct px_leave *t, uint32_t node)
{
	t->least[node] = UINT32_MAX;
	for (node /= 2; node; node /= 2)
		t->least[node] = t->least[2 * node] < t->least[2 * node + 1] ? t->least[2 * node] : t->least[2 * node + 1];
}

px_val px_leave_next(struct px_leave *t, const struct px_loop *l)
{
	uint32_t lo = place_of(t, l->in) + t->size, hi = place_of(t, l->out + 1) + t->size, node = 0;

	for (; lo < hi && !node; lo /= 2, hi /= 2) {	/* the nodes that make up the range */
		if (lo & 1 && t->least[lo++] <= l->depth)
			node = lo - 1;
		else if (hi & 1 && t->least[--hi] <= l->depth)
			node = hi;
	}
	if (!node)
		return 0;
	while (node < t->size)
		node = t->least[2 * node] <= l->depth ? 2 * node : 2 * node + 1;
	take_out(t, node);
	return t->v[node - t->size];
}
