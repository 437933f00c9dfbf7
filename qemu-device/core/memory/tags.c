/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tags of a cache.  See tags.h. */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/memory/tags.h"

int ppu_tags_create(struct ppu_tags *t, uint32_t sets, uint32_t ways)
{
	t->sets = sets;
	t->ways = ways;
	t->v = ppu_alloc((size_t)sets * ways, sizeof(*t->v));
	return t->v ? 0 : -1;
}

void ppu_tags_destroy(struct ppu_tags *t)
{
	ppu_free(t->v);
	t->v = NULL;
}

void ppu_tags_reset(struct ppu_tags *t)
{
	memset(t->v, 0, (size_t)t->sets * t->ways * sizeof(*t->v));
	t->clock = 0;
}

struct ppu_tag *ppu_tags_find(struct ppu_tags *t, uint64_t set, uint64_t line)
{
	struct ppu_tag *tag = &t->v[set % t->sets * t->ways];
	uint32_t i;

	for (i = 0; i < t->ways; i++)
		if (tag[i].line == line + 1) {
			tag[i].used = ++t->clock;
			return &tag[i];
		}
	return NULL;
}

struct ppu_tag *ppu_tags_add(struct ppu_tags *t, uint64_t set, uint64_t line, struct ppu_tag *old)
{
	struct ppu_tag *tag = &t->v[set % t->sets * t->ways], *oldest = tag;
	uint32_t i;

	for (i = 1; i < t->ways; i++)
		if (tag[i].used < oldest->used)
			oldest = &tag[i];
	if (old)
		*old = *oldest;
	*oldest = (struct ppu_tag){ .line = line + 1, .used = ++t->clock };
	return oldest;
}

/* Any tag is possible, and any time that is one. */
void ppu_tags_io(struct ppu_tags *t, struct ppu_io *io)
{
	size_t i, n = (size_t)t->sets * t->ways;

	ppu_io_u64(io, &t->clock);
	for (i = 0; i < n && !io->failed; i++) {
		ppu_io_u64(io, &t->v[i].line);
		ppu_io_u64(io, &t->v[i].fill);
		ppu_io_u64(io, &t->v[i].used);
		ppu_io_u64(io, &t->v[i].dirty);
		if (t->v[i].fill >> 62)
			ppu_io_fail(io, "a cache line comes at an impossible time");
	}
}
