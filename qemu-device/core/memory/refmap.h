/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of 64-bit keys with a count each: open addressing, linear probing, deletion by moving the
 * rest of the cluster.  Keys are stored plus one, so ~0 is no key.
 *
 * Memory for the largest set is taken once, twice, because the table moves from one half to the other when it
 * grows.  Parts that were never used cost nothing on a host that gives memory when it is touched.
 */
#ifndef PPU_REFMAP_H
#define PPU_REFMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "core/base/alloc.h"

struct ppu_refmap {
	struct ppu_refmap_slot { uint64_t key; uint32_t ref; } *v, *spare;
	uint32_t n, cap;		/* cap: power of two or 0 */
};

/* For at most `most` keys.  False: out of memory. */
static inline bool ppu_refmap_create(struct ppu_refmap *m, uint32_t most)
{
	size_t cap = 64;

	while (cap < 2 * (size_t)most)
		cap *= 2;
	m->v = ppu_alloc(cap, sizeof(*m->v));
	m->spare = ppu_alloc(cap, sizeof(*m->v));
	return m->v && m->spare;
}

static inline void ppu_refmap_destroy(struct ppu_refmap *m)
{
	ppu_free(m->v);
	ppu_free(m->spare);
}

static inline uint32_t ppu_hash64(uint64_t k)
{
	return (uint32_t)((k * 0x9e3779b97f4a7c15ull) >> 32);
}

static inline struct ppu_refmap_slot *ppu_refmap_find(const struct ppu_refmap *m, uint64_t key)
{
	if (!m->n)
		return NULL;
	for (uint32_t i = ppu_hash64(key);; i++) {
		struct ppu_refmap_slot *s = &m->v[i & (m->cap - 1)];

		if (s->key == key + 1)
			return s;
		if (!s->key)
			return NULL;
	}
}

static inline struct ppu_refmap_slot *ppu_refmap_put(struct ppu_refmap *m, uint64_t key)
{
	uint32_t i = ppu_hash64(key);

	while (m->v[i & (m->cap - 1)].key)
		i++;
	m->v[i & (m->cap - 1)] = (struct ppu_refmap_slot){ .key = key + 1 };
	return &m->v[i & (m->cap - 1)];
}

static inline void ppu_refmap_grow(struct ppu_refmap *m)
{
	struct ppu_refmap_slot *old = m->v;
	uint32_t n = m->cap;

	m->cap = n ? 2 * n : 64;
	m->v = m->spare;
	m->spare = old;
	memset(m->v, 0, m->cap * sizeof(*m->v));
	for (uint32_t i = 0; i < n; i++)
		if (old[i].key)
			ppu_refmap_put(m, old[i].key - 1)->ref = old[i].ref;
}

static inline struct ppu_refmap_slot *ppu_refmap_add(struct ppu_refmap *m, uint64_t key)
{
	struct ppu_refmap_slot *s = ppu_refmap_find(m, key);

	if (s)
		return s;
	if ((m->n + 1) * 2 > m->cap)
		ppu_refmap_grow(m);
	m->n++;
	return ppu_refmap_put(m, key);
}

static inline void ppu_refmap_del(struct ppu_refmap *m, struct ppu_refmap_slot *s)
{
	uint32_t mask = m->cap - 1, hole = (uint32_t)(s - m->v);

	for (uint32_t i = (hole + 1) & mask; m->v[i].key; i = (i + 1) & mask) {
		uint32_t home = ppu_hash64(m->v[i].key - 1) & mask;

		/* Move the key in slot i unless its home lies cyclically in (hole, i]. */
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->v[hole] = m->v[i];
			hole = i;
		}
	}
	m->v[hole].key = 0;
	m->n--;
}

static inline void ppu_refmap_clear(struct ppu_refmap *m)
{
	m->n = m->cap = 0;
}

#endif
