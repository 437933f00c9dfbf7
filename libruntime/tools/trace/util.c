/* SPDX-License-Identifier: MIT */
/* Memory, and a map from 64-bit to 32-bit numbers: open addressing, at most half full. */
#include <stdlib.h>
#include "trace.h"

void *grow(void *p, size_t *cap, size_t need, size_t each)
{
	size_t n = *cap ? *cap : 16;

	if (need <= *cap)
		return p;
	while (n < need)
		n *= 2;
	p = realloc(p, n * each);
	if (!p) {
		fprintf(stderr, "ppu-trace: out of memory\n");
		exit(1);
	}
	*cap = n;
	return p;
}

struct slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

struct map {
	struct slot *slot;
	size_t size, used;	/* size: a power of two */
};

static struct slot *probe(const struct map *m, uint64_t key)
{
	/* Fibonacci hashing: the upper half of the product depends on all bits of the key. */
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & (m->size - 1);

	while (m->slot[i].used && m->slot[i].key != key)
		i = (i + 1) & (m->size - 1);
	return &m->slot[i];
}

static void resize(struct map *m, size_t size)
{
	struct slot *old = m->slot;
	size_t n = m->size;

	m->slot = calloc(size, sizeof(*m->slot));
	if (!m->slot) {
		fprintf(stderr, "ppu-trace: out of memory\n");
		exit(1);
	}
	m->size = size;
	for (size_t i = 0; i < n; i++)
		if (old[i].used)
			*probe(m, old[i].key) = old[i];
	free(old);
}

struct map *map_new(void)
{
	size_t cap = 0;
	struct map *m = grow(NULL, &cap, 1, sizeof(*m));

	*m = (struct map){ NULL, 0, 0 };
	resize(m, 64);
	return m;
}

void map_free(struct map *m)
{
	if (m)
		free(m->slot);
	free(m);
}

uint32_t *map_at(struct map *m, uint64_t key, bool add)
{
	struct slot *s = probe(m, key);

	if (s->used || !add)
		return s->used ? &s->value : NULL;
	if (2 * (m->used + 1) > m->size) {
		resize(m, 2 * m->size);
		s = probe(m, key);
	}
	m->used++;
	*s = (struct slot){ key, 0, true };
	return &s->value;
}
