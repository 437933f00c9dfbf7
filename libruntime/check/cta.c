/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "check/cta.h"

#define BUCKETS (sizeof(((struct chk_ctas *)0)->bucket) / sizeof(struct chk_cta *))

static unsigned number(const struct ppu_seen_cta *s)
{
	return (unsigned)((s->task.serial * 31 + s->index) % BUCKETS);
}

void *chk_cta_find(const struct chk_ctas *t, const struct ppu_seen_cta *s)
{
	struct chk_cta *c = t->bucket[number(s)];

	while (c && (c->serial != s->task.serial || c->index != s->index))
		c = c->next;
	return c;
}

void chk_cta_add(struct chk_ctas *t, struct chk_cta *c, const struct ppu_seen_cta *s)
{
	c->serial = s->task.serial;
	c->index = s->index;
	c->warps = s->warps;
	c->shared_bytes = s->task.shared_bytes;
	c->next = t->bucket[number(s)];
	t->bucket[number(s)] = c;
}

void *chk_cta_of(struct chk_ctas *t, const struct ppu_seen_cta *s, size_t bytes)
{
	struct chk_cta *c = chk_cta_find(t, s);

	if (c)
		return c;
	c = calloc(1, bytes);
	if (c)
		chk_cta_add(t, c, s);
	return c;
}

static void end(struct chk_ctas *t, struct chk_cta **p)
{
	struct chk_cta *c = *p;

	*p = c->next;
	if (t->drop)
		t->drop(c);
	else
		free(c);
}

void chk_cta_end(struct chk_ctas *t, const struct ppu_seen_cta *s)
{
	struct chk_cta *c = chk_cta_find(t, s), **p = &t->bucket[number(s)];

	while (c && *p != c)
		p = &(*p)->next;
	if (c)
		end(t, p);
}

void chk_cta_end_all(struct chk_ctas *t, const struct ppu_seen_task *task)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct chk_cta **p = &t->bucket[i]; *p; )
			if ((*p)->serial == task->serial)
				end(t, p);
			else
				p = &(*p)->next;
}
