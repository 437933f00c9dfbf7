/* SPDX-License-Identifier: MIT */
/* Maps from names to numbers: hash tables with open addressing. */
#include <stdlib.h>
#include <string.h>
#include "compiler/asm/as_map.h"

static uint32_t hash(struct as_span k, uint32_t scope)
{
	uint32_t h = 2166136261u ^ scope * 2654435761u;
	size_t i;

	for (i = 0; i < k.n; i++)
		h = (h ^ (uint8_t)k.s[i]) * 16777619u;
	return h ^ h >> 15;
}

static struct as_map_entry *map_at(struct as_map *m, struct as_span k, uint32_t scope)
{
	uint32_t i;

	if (!m->cap)
		return NULL;
	for (i = hash(k, scope) & (m->cap - 1); m->v[i].used; i = (i + 1) & (m->cap - 1))
		if (m->v[i].scope == scope && m->v[i].key.n == k.n &&
		    !memcmp(m->v[i].key.s, k.s, k.n))
			break;
	return &m->v[i];
}

struct as_map_entry *as_map_get(struct as_map *m, struct as_span k, uint32_t scope)
{
	struct as_map_entry *e = map_at(m, k, scope);

	return e && e->used ? e : NULL;
}

void as_map_put(struct as *a, struct as_map *m, struct as_span k, uint32_t scope, uint32_t value)
{
	struct as_map_entry *e;

	if ((m->n + 1) * 2 > m->cap) {
		struct as_map bigger = { calloc(m->cap ? m->cap * 2 : 64, sizeof(*m->v)), m->n,
				      m->cap ? m->cap * 2 : 64 };
		uint32_t i;

		if (!bigger.v) {
			a->oom = 1;
			return;
		}
		for (i = 0; i < m->cap; i++)
			if (m->v[i].used)
				*map_at(&bigger, m->v[i].key, m->v[i].scope) = m->v[i];
		free(m->v);
		*m = bigger;
	}
	e = map_at(m, k, scope);
	if (!e->used)
		m->n++;
	e->key = k;
	e->scope = scope;
	e->value = value;
	e->used = 1;
}
