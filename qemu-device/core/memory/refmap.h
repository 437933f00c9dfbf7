/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of 64-bit keys with a count each: open addressing, linear probing, deletion by moving the
 * rest of the cluster.  Keys are stored plus one, so ~0 is no key.
 */
#ifndef PPU_REFMAP_H
#define PPU_REFMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "core/base/alloc.h"

struct ppu_refmap {
	struct ppu_refmap_slot { uint64_t key; uint32_t ref; } *v;
	uint32_t n, cap;		/* cap: power of two or 0 */
};

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

static inline struct ppu_refmap_slot *ppu_refmap_add(struct ppu_refmap *m, uint64_t key)
{
	struct ppu_refmap_slot *s = ppu_refmap_find(m, key);
	uint32_t i;

	if (s)
		return s;
	if ((m->n + 1) * 2 > m->cap) {
		struct ppu_refmap big = { .cap = m->cap ? m->cap * 2 : 64 };

		big.v = ppu_alloc(big.cap, sizeof(*big.v));
		if (!big.v)
			abort();
		for (i = 0; i < m->cap; i++)
			if (m->v[i].key)
				ppu_refmap_add(&big, m->v[i].key - 1)->ref = m->v[i].ref;
		ppu_free(m->v);
		*m = big;
	}
	for (i = ppu_hash64(key); m->v[i & (m->cap - 1)].key; i++)
		;
	s = &m->v[i & (m->cap - 1)];
	s->key = key + 1;
	s->ref = 0;
	m->n++;
	return s;
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
	ppu_free(m->v);
	m->v = NULL;
	m->n = m->cap = 0;
}

#endif
