/* SPDX-License-Identifier: MIT */
/*
 * Dominators (Lengauer and Tarjan, with path compression), in nearly linear time on any graph.  On the
 * reversed graph the same code finds post-dominators.
 */
#include <string.h>
#include "compiler/ptx/middle/px_dom.h"

struct lt {
	const struct px_graph *g;
	uint32_t *num;		/* node -> preorder number + 1, 0: not reached */
	uint32_t *node;		/* number -> node */
	uint32_t *parent, *semi, *anc, *label, *idom, *bucket, *next;	/* by number */
	uint32_t *stack, *at;
	uint32_t count;
};
#define NIL	UINT32_MAX

static void preorder(struct lt *t, uint32_t root)
{
	const struct px_graph *g = t->g;
	uint32_t top = 0;

	t->num[root] = ++t->count;
	t->node[0] = root;
	t->parent[0] = 0;
	t->stack[top] = root;
	t->at[top++] = g->succ_at[root];
	while (top) {
		uint32_t v = t->stack[top - 1], w;

		if (t->at[top - 1] == g->succ_at[v + 1]) {
			top--;
			continue;
		}
		w = g->succ[t->at[top - 1]++];
		if (t->num[w])
			continue;
		t->node[t->count] = w;
		t->parent[t->count] = t->num[v] - 1;
		t->num[w] = ++t->count;
		t->stack[top] = w;
		t->at[top++] = g->succ_at[w];
	}
}

static void compress(struct lt *t, uint32_t v)
{
	uint32_t top = 0;

	while (t->anc[t->anc[v]] != NIL) {
		t->stack[top++] = v;
		v = t->anc[v];
	}
	while (top) {
		v = t->stack[--top];
		if (t->semi[t->label[t->anc[v]]] < t->semi[t->label[v]])
			t->label[v] = t->label[t->anc[v]];
		t->anc[v] = t->anc[t->anc[v]];
	}
}

static uint32_t eval(struct lt *t, uint32_t v)
{
	if (t->anc[v] == NIL)
		return v;
	compress(t, v);
	return t->label[v];
}

static void step(struct lt *t, uint32_t w)
{
	const struct px_graph *g = t->g;
	uint32_t node = t->node[w], i, v, u;

	for (i = g->pred_at[node]; i < g->pred_at[node + 1]; i++) {
		if (!t->num[g->pred[i]])
			continue;
		u = eval(t, t->num[g->pred[i]] - 1);
		if (t->semi[u] < t->semi[w])
			t->semi[w] = t->semi[u];
	}
	t->next[w] = t->bucket[t->semi[w]];
	t->bucket[t->semi[w]] = w;
	t->anc[w] = t->parent[w];
	for (v = t->bucket[t->parent[w]]; v != NIL; v = i) {
		i = t->next[v];
		u = eval(t, v);
		t->idom[v] = t->semi[u] < t->semi[v] ? u : t->parent[w];
	}
	t->bucket[t->parent[w]] = NIL;
}

void px_idoms(struct px_arena *a, const struct px_graph *g, uint32_t root, uint32_t *idom)
{
	struct lt t = { .g = g };
	uint32_t n = g->n + 1, i, **arrays[] = { &t.num, &t.node, &t.parent, &t.semi, &t.anc, &t.label,
		&t.idom, &t.bucket, &t.next, &t.stack, &t.at };

	for (i = 0; i < PX_ARRAY_SIZE(arrays); i++)
		*arrays[i] = px_alloc(a, n * sizeof(uint32_t));
	preorder(&t, root);
	for (i = 0; i < t.count; i++) {
		t.semi[i] = t.label[i] = i;
		t.anc[i] = t.bucket[i] = NIL;
	}
	for (i = t.count; i-- > 1;)
		step(&t, i);
	for (i = 1; i < t.count; i++)
		if (t.idom[i] != t.semi[i])
			t.idom[i] = t.idom[t.idom[i]];
	for (i = 0; i < g->n; i++)
		idom[i] = NIL;
	for (i = 1; i < t.count; i++)
		idom[t.node[i]] = t.node[t.idom[i]];
	idom[root] = root;
}

/* Makes both adjacency lists from edges (from, to) in any order. */
void px_make_graph(struct px_arena *a, struct px_graph *g, uint32_t n, const uint32_t (*edge)[2],
		   uint32_t count)
{
	uint32_t i, *s, *p;

	g->n = n;
	g->succ_at = px_alloc(a, (n + 2) * sizeof(uint32_t));
	g->pred_at = px_alloc(a, (n + 2) * sizeof(uint32_t));
	g->succ = px_alloc(a, (count + 1) * sizeof(uint32_t));
	g->pred = px_alloc(a, (count + 1) * sizeof(uint32_t));
	s = px_alloc(a, (n + 2) * sizeof(uint32_t));
	p = px_alloc(a, (n + 2) * sizeof(uint32_t));
	for (i = 0; i < count; i++) {
		g->succ_at[edge[i][0] + 1]++;
		g->pred_at[edge[i][1] + 1]++;
	}
	for (i = 0; i < n; i++) {
		g->succ_at[i + 1] += g->succ_at[i];
		g->pred_at[i + 1] += g->pred_at[i];
	}
	memcpy(s, g->succ_at, (n + 1) * sizeof(*s));
	memcpy(p, g->pred_at, (n + 1) * sizeof(*p));
	for (i = 0; i < count; i++) {
		g->succ[s[edge[i][0]]++] = edge[i][1];
		g->pred[p[edge[i][1]]++] = edge[i][0];
	}
}
