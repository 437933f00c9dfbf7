/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of children: a task that threads launch may have to wait for its elder siblings.
 *
 * A TMD names an order (ppu_tmd.h): one of the launching CTA, one of the launching task by number, or
 * the tail of the launching task.  The youngest task of each order is in a hash table.  The next task of the
 * same order waits for the youngest one and takes its place in the table.  `after` names a second order: the
 * task also waits for the youngest task of that order, but does not join it.  So a task waits for at most two
 * others, both launched before it, and there are no cycles.  A task that waits is PENDING, is in no list, and
 * costs nothing.
 *
 * The tail of a task begins when all its CTAs are done and all its other children are complete.
 *
 * A task that is aborted takes its whole family with it (tmu.c), so no task is left that waits for it.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/tasks/order.h"
#include "core/tasks/task.h"
#include "core/tasks/tmu.h"

#define MAX_BUCKETS	65536u

enum { BY_ORDER, BY_AFTER, EDGES };

/* References are an index + 1, so that zeroed memory is an unused node. */
struct node {
	uint32_t bucket_next;		/* in the hash table */
	uint32_t first, last;		/* edges of the tasks that wait for this one, in order of launch */
	uint32_t next[EDGES];		/* links of its own edges in the lists of the tasks it waits for */
	uint32_t tail_first;		/* the first child of its tail, until this child may start */
	uint32_t tails;			/* how many things it waits for: tasks, the start of the tail */
	uint8_t waits;			/* how many tasks it waits for */
	bool youngest;			/* is the youngest of its order, so is in the table */
	bool held;			/* could join its list, but still waits for others */
};

struct ppu_orders {
	struct node *node;		/* by task record */
	uint32_t *bucket, mask;
	bool *seen;			/* loading: edges that stand in a list */
};

static struct node *node_of(struct ppu_core *core, const struct ppu_task *t)
{
	return &core->orders->node[t->sm.index];
}

static bool is_tail(const struct ppu_task *t)
{
	return t->sm.launch.order == PPU_ORDER_TAIL;
}

bool ppu_order_is_tail(const struct ppu_task *t)
{
	return is_tail(t);
}

bool ppu_order_tmd_ok(const struct ppu_tmd *t, bool child)
{
	return child ? t->after != PPU_ORDER_TAIL : !t->order && !t->after;
}

/* ---- the youngest of each order ----------------------------------------------------------------- */

static uint32_t *bucket_of(struct ppu_core *core, const struct ppu_task *t, uint64_t order)
{
	uint64_t h = order * 0x9e3779b97f4a7c15ull + (uint64_t)(uint32_t)t->parent * 0xc2b2ae3d27d4eb4full;

	if (order == PPU_ORDER_CTA)
		h += ppu_ctas_parent(t) * 0x165667b19e3779f9ull;
	return &core->orders->bucket[(h ^ h >> 29) >> 16 & core->orders->mask];
}

/* A sibling of t (or t itself) that is the youngest of an order. */
static uint32_t *find(struct ppu_core *core, const struct ppu_task *t, uint64_t order)
{
	uint32_t *at = bucket_of(core, t, order);

	for (; *at; at = &core->orders->node[*at - 1].bucket_next) {
		const struct ppu_task *o = ppu_tmu_task(core, *at - 1);

		core->task_steps++;
		if (o->sm.launch.order == order && o->parent == t->parent &&
		    (order != PPU_ORDER_CTA ||
		     ppu_ctas_parent(o) == ppu_ctas_parent(t)))
			return at;
	}
	return NULL;
}

static void forget(struct ppu_core *core, const struct ppu_task *t)
{
	struct node *n = node_of(core, t);
	uint32_t *at;

	if (!n->youngest)
		return;
	at = find(core, t, t->sm.launch.order);
	*at = n->bucket_next;
	n->bucket_next = 0;
	n->youngest = false;
}

static void remember(struct ppu_core *core, const struct ppu_task *t)
{
	uint32_t *at = bucket_of(core, t, t->sm.launch.order);
	struct node *n = node_of(core, t);

	n->bucket_next = *at;
	n->youngest = true;
	*at = t->sm.index + 1;
}

/* ---- waiting ---------------------------------------------------------------------------------------- */

static void add_edge(struct ppu_core *core, uint32_t on, uint32_t who, unsigned which)
{
	struct node *n = core->orders->node, *o = &n[on];
	uint32_t edge = who * EDGES + which + 1;

	if (o->last)
		n[(o->last - 1) / EDGES].next[(o->last - 1) % EDGES] = edge;
	else
		o->first = edge;
	o->last = edge;
}

static void wait_for(struct ppu_core *core, const struct ppu_task *t, uint32_t on, unsigned which)
{
	add_edge(core, on, t->sm.index, which);
	node_of(core, t)->waits++;
}

void ppu_order_enter(struct ppu_core *core, const struct ppu_task *t)
{
	const struct ppu_tmd *l = &t->sm.launch;
	struct node *parent;
	uint32_t *at;

	if (l->after) {
		at = find(core, t, l->after);
		if (at)
			wait_for(core, t, *at - 1, BY_AFTER);
	}
	if (!l->order)
		return;
	parent = &core->orders->node[t->parent];
	at = find(core, t, l->order);
	if (at) {
		uint32_t elder = *at - 1;

		forget(core, ppu_tmu_task(core, elder));
		wait_for(core, t, elder, BY_ORDER);
	} else if (is_tail(t)) {
		parent->tail_first = t->sm.index + 1;
		node_of(core, t)->waits++;
	}
	parent->tails += is_tail(t);
	remember(core, t);
}

bool ppu_order_hold(struct ppu_core *core, const struct ppu_task *t)
{
	struct node *n = node_of(core, t);

	n->held = n->waits;
	return n->held;
}

bool ppu_order_held(struct ppu_core *core, const struct ppu_task *t)
{
	return node_of(core, t)->held;
}

static void one_less(struct ppu_core *core, uint32_t index)
{
	struct node *n = &core->orders->node[index];

	if (--n->waits || !n->held)
		return;
	n->held = false;
	ppu_tmu_start(core, ppu_tmu_task(core, index), PPU_TRP_ORDER);
}

void ppu_order_done(struct ppu_core *core, const struct ppu_task *t)
{
	struct node *all = core->orders->node, *n = &all[t->sm.index];
	uint32_t edge = n->first, next;

	forget(core, t);
	if (is_tail(t) && t->parent >= 0)
		all[t->parent].tails--;
	n->first = n->last = 0;
	for (; edge; edge = next) {
		struct node *o = &all[(edge - 1) / EDGES];
		unsigned which = (edge - 1) % EDGES;

		next = o->next[which];
		o->next[which] = 0;
		one_less(core, (edge - 1) / EDGES);
	}
}

void ppu_order_tail(struct ppu_core *core, const struct ppu_task *parent)
{
	struct node *n = node_of(core, parent);
	uint32_t first = n->tail_first;

	if (!first || parent->live_children != n->tails)
		return;
	n->tail_first = 0;
	one_less(core, first - 1);
}

void ppu_order_drop(struct ppu_core *core, const struct ppu_task *t)
{
	forget(core, t);
	memset(node_of(core, t), 0, sizeof(struct node));
}

/* ---- unit ---------------------------------------------------------------------------------------------- */

int ppu_orders_create(struct ppu_core *core)
{
	struct ppu_orders *s = core->orders = ppu_alloc(1, sizeof(*s));
	uint32_t n = 1;

	if (!s)
		return -1;
	while (n < core->cfg.task_records && n < MAX_BUCKETS)
		n *= 2;
	s->mask = n - 1;
	s->node = ppu_alloc(core->cfg.task_records, sizeof(*s->node));
	s->bucket = ppu_alloc(n, sizeof(*s->bucket));
	return s->node && s->bucket ? 0 : -1;
}

void ppu_orders_destroy(struct ppu_core *core)
{
	if (core->orders) {
		ppu_free(core->orders->node);
		ppu_free(core->orders->bucket);
	}
	ppu_free(core->orders);
	core->orders = NULL;
}

void ppu_orders_reset(struct ppu_core *core)
{
	memset(core->orders->node, 0, core->cfg.task_records * sizeof(struct node));
	memset(core->orders->bucket, 0, ((size_t)core->orders->mask + 1) * sizeof(uint32_t));
}

/* ---- save and restore -------------------------------------------------------------------------------------- */

/* Who waits for t, in order. */
static void io_waiters(struct ppu_core *core, struct ppu_io *io, const struct ppu_task *t)
{
	struct node *all = core->orders->node;
	uint32_t edge = all[t->sm.index].first, n = 0, e;

	for (e = edge; e && !io->loading; e = all[(e - 1) / EDGES].next[(e - 1) % EDGES])
		n++;
	ppu_io_u32(io, &n);
	while (n-- && !io->failed) {
		const struct ppu_task *w;

		e = edge;
		if (!io->loading)
			edge = all[(e - 1) / EDGES].next[(e - 1) % EDGES];
		ppu_io_u32(io, &e);
		if (!io->loading || io->failed)
			continue;
		w = e && (e - 1) / EDGES < core->cfg.task_records ? ppu_tmu_task(core, (e - 1) / EDGES) : NULL;
		if (!w || w == t || w->parent < 0 || w->parent != t->parent || core->orders->seen[e - 1] ||
		    t->sm.launch.order != ((e - 1) % EDGES == BY_ORDER ? w->sm.launch.order : w->sm.launch.after)) {
			ppu_io_fail(io, "a task waits for one it cannot wait for");
			return;
		}
		core->orders->seen[e - 1] = true;
		add_edge(core, t->sm.index, w->sm.index, (e - 1) % EDGES);
	}
}

static void io_node(struct ppu_core *core, struct ppu_io *io, const struct ppu_task *t)
{
	struct node *n = node_of(core, t);
	const struct ppu_task *first;

	ppu_io_u8(io, &n->waits);
	ppu_io_bool(io, &n->held);
	ppu_io_u32(io, &n->tail_first);
	ppu_io_bool(io, &n->youngest);
	io_waiters(core, io, t);
	if (!io->loading || io->failed)
		return;
	first = n->tail_first ? ppu_tmu_task(core, n->tail_first - 1) : NULL;
	if ((n->youngest && (t->parent < 0 || !t->sm.launch.order || find(core, t, t->sm.launch.order))) ||
	    (n->held && (!n->waits || t->state != PPU_TASK_PENDING)) ||
	    (n->tail_first && (!first || first->parent != (int32_t)t->sm.index || !is_tail(first)))) {
		n->youngest = false;
		ppu_io_fail(io, "the order of task %u is not possible", t->sm.index);
		return;
	}
	if (n->youngest)
		remember(core, t);
}

/* Checks that what each node counts is there. */
static void check(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_orders *s = core->orders;
	uint32_t i;

	for (i = 0; i < core->cfg.task_records && !io->failed; i++) {
		const struct ppu_task *t = ppu_tmu_task(core, i), *p;

		if (!t)
			continue;
		if (!ppu_tmu_waits_well(core, t))
			ppu_io_fail(io, "task %u waits in no list", i);
		p = t->parent < 0 ? NULL : ppu_tmu_task(core, (uint32_t)t->parent);
		if (s->node[i].waits != s->seen[i * EDGES + BY_ORDER] + s->seen[i * EDGES + BY_AFTER] +
				       (p && s->node[p->sm.index].tail_first == i + 1))
			ppu_io_fail(io, "task %u waits for the wrong number of others", i);
		if (p && is_tail(t))
			s->node[p->sm.index].tails++;
	}
}

/* Called after the tasks are loaded, when their families are known to be right. */
void ppu_orders_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_orders *s = core->orders;
	uint32_t i;

	if (io->loading) {
		s->seen = ppu_alloc(core->cfg.task_records, EDGES * sizeof(*s->seen));
		if (!s->seen) {
			ppu_io_fail(io, "out of memory");
			return;
		}
	}
	for (i = 0; i < core->cfg.task_records && !io->failed; i++) {
		const struct ppu_task *t = ppu_tmu_task(core, i);

		if (t)
			io_node(core, io, t);
	}
	if (io->loading && !io->failed)
		check(core, io);
	ppu_free(s->seen);
	s->seen = NULL;
}
