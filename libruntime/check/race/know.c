/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "check/race/know.h"

#define FAN	16u
#define SHIFT	4u

/* ---- tables ------------------------------------------------------------------------------------ */

struct rc_table *rc_table_new(uint32_t n)
{
	struct rc_table *t = calloc(1, sizeof(*t) + n * sizeof(t->clock[0]));

	if (t) {
		t->refs = 1;
		t->n = n;
	}
	return t;
}

struct rc_table *rc_table_share(struct rc_table *t)
{
	if (t)
		t->refs++;
	return t;
}

void rc_table_drop(struct rc_table *t)
{
	if (t && !--t->refs)
		free(t);
}

void rc_table_add(struct rc_table *to, const struct rc_table *from)
{
	for (uint32_t i = 0; from && i < to->n; i++)
		if (to->clock[i] < from->clock[i])
			to->clock[i] = from->clock[i];
}

bool rc_table_has(const struct rc_table *a, const struct rc_table *b)
{
	if (a == b || !b)
		return true;
	for (uint32_t i = 0; i < b->n; i++)
		if (b->clock[i] > (a ? a->clock[i] : 0))
			return false;
	return true;
}

/* ---- entries ----------------------------------------------------------------------------------- */

struct rc_entry *rc_entry_new(struct rc_table *all, uint32_t threads, uint32_t thread, uint32_t clock)
{
	struct rc_entry *e = malloc(sizeof(*e));

	if (e)
		*e = (struct rc_entry){ .refs = 1, .thread = thread, .clock = clock, .threads = threads, .all = all };
	else
		rc_table_drop(all);
	return e;
}

static void entry_drop(struct rc_entry *e)
{
	if (e && !--e->refs) {
		rc_table_drop(e->all);
		free(e);
	}
}

uint32_t rc_entry_clock(const struct rc_entry *e, uint32_t thread)
{
	uint32_t clock = e->all ? e->all->clock[thread] : 0;

	return e->thread == thread && e->clock > clock ? e->clock : clock;
}

static bool entry_has(const struct rc_entry *a, const struct rc_entry *b)
{
	if (rc_entry_clock(a, b->thread) < b->clock)
		return false;
	if (rc_table_has(a->all, b->all))
		return true;
	for (uint32_t i = 0; i < b->all->n; i++)
		if (rc_entry_clock(a, i) < b->all->clock[i])
			return false;
	return true;
}

/* Takes a. */
static struct rc_entry *entry_join(struct rc_entry *a, struct rc_entry *b)
{
	struct rc_entry *j = a;
	struct rc_table *t;

	if (entry_has(a, b))
		return a;
	if (entry_has(b, a)) {
		b->refs++;
		entry_drop(a);
		return b;
	}
	t = rc_table_new(a->threads);
	if (!t)
		return a;
	rc_table_add(t, a->all);
	rc_table_add(t, b->all);
	if (t->clock[b->thread] < b->clock)
		t->clock[b->thread] = b->clock;
	j = rc_entry_new(t, a->threads, a->thread, a->clock);
	if (!j)
		return a;
	entry_drop(a);
	return j;
}

/* ---- sets -------------------------------------------------------------------------------------- */

struct rc_set *rc_set_share(struct rc_set *s)
{
	if (s)
		s->refs++;
	return s;
}

static void any_drop(uint32_t height, void *slot)
{
	if (height)
		rc_set_drop(slot);
	else
		entry_drop(slot);
}

static void slot_drop(const struct rc_set *of, unsigned i)
{
	any_drop(of->height, of->slot[i]);
}

void rc_set_drop(struct rc_set *s)
{
	if (!s || --s->refs)
		return;
	for (unsigned i = 0; i < FAN; i++)
		slot_drop(s, i);
	free(s);
}

static struct rc_set *node_new(uint32_t height)
{
	struct rc_set *s = calloc(1, sizeof(*s));

	if (s) {
		s->refs = 1;
		s->height = height;
	}
	return s;
}

static bool is_outside(const struct rc_set *s, uint32_t cta)
{
	unsigned bits = SHIFT * (s->height + 1);

	return bits < 32 && cta >> bits;
}

const struct rc_entry *rc_set_find(const struct rc_set *s, uint32_t cta)
{
	if (!s || is_outside(s, cta))
		return NULL;
	for (; s && s->height; s = s->slot[cta >> SHIFT * s->height & (FAN - 1)])
		;
	return s ? s->slot[cta & (FAN - 1)] : NULL;
}

/* One of its own, to be changed.  Takes s; NULL: no memory, and s is as it was. */
static struct rc_set *own(struct rc_set *s)
{
	struct rc_set *n;

	if (s->refs == 1)
		return s;
	n = malloc(sizeof(*n));
	if (!n)
		return NULL;
	*n = *s;
	n->refs = 1;
	for (unsigned i = 0; i < FAN; i++)
		if (n->slot[i])
			++*(uint32_t *)n->slot[i];	/* of both kinds the first member */
	s->refs--;
	return n;
}

/* As high as needed.  Takes s. */
static struct rc_set *lift(struct rc_set *s, uint32_t height)
{
	while (s->height < height) {
		struct rc_set *up = node_new(s->height + 1);

		if (!up)
			return s;
		up->slot[0] = s;
		s = up;
	}
	return s;
}

static uint32_t height_of(uint32_t cta)
{
	uint32_t h = 0;

	while (cta >>= SHIFT)
		h++;
	return h;
}

struct rc_set *rc_set_put(struct rc_set *s, uint32_t cta, struct rc_entry *e)
{
	struct rc_set *top, **at;

	if (!e)
		return s;
	if (!s)
		s = node_new(height_of(cta));
	top = s ? lift(s, height_of(cta)) : NULL;
	for (at = &top; top; at = (struct rc_set **)&(*at)->slot[cta >> SHIFT * (*at)->height & (FAN - 1)]) {
		struct rc_set *n = *at ? own(*at) : NULL;

		if (!n)
			break;
		*at = n;
		if (!n->height) {
			entry_drop(n->slot[cta & (FAN - 1)]);
			n->slot[cta & (FAN - 1)] = e;
			return top;
		}
		if (!n->slot[cta >> SHIFT * n->height & (FAN - 1)])
			n->slot[cta >> SHIFT * n->height & (FAN - 1)] = node_new(n->height - 1);
	}
	entry_drop(e);
	return top;
}

static struct rc_set *join_node(struct rc_set *s, struct rc_set *from);

/* Takes the slot of s, which may be NULL. */
static void *join_slot(uint32_t height, void *s, void *from)
{
	if (!s) {
		++*(uint32_t *)from;
		return from;
	}
	return height ? (void *)join_node(s, from) : (void *)entry_join(s, from);
}

/* Of the same height. */
static struct rc_set *join_node(struct rc_set *s, struct rc_set *from)
{
	for (unsigned i = 0; s != from && i < FAN; i++) {
		void *was = s->slot[i], *is;
		struct rc_set *mine;

		if (!from->slot[i] || was == from->slot[i])
			continue;
		if (s->refs == 1) {
			s->slot[i] = join_slot(s->height, was, from->slot[i]);
			continue;
		}
		if (was)
			++*(uint32_t *)was;
		is = join_slot(s->height, was, from->slot[i]);
		mine = is == was ? NULL : own(s);
		if (mine) {
			s = mine;
			slot_drop(s, i);
			s->slot[i] = is;
		} else {
			any_drop(s->height, is);
		}
	}
	return s;
}

struct rc_set *rc_set_join(struct rc_set *s, struct rc_set *from)
{
	struct rc_set *high;

	if (!from || s == from)
		return s;
	if (!s)
		return rc_set_share(from);
	if (s->height >= from->height) {
		high = lift(rc_set_share(from), s->height);
	} else {
		s = lift(s, from->height);
		high = rc_set_share(from);
	}
	if (s->height == high->height)
		s = join_node(s, high);
	rc_set_drop(high);
	return s;
}
