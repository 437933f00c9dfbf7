/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tags of a set-associative cache of the memory timing model: which lines it has, since when, and which of a set was
 * used least recently.  Contents are not kept: they are in memory.
 *
 * State: struct ppu_tags, its owner's.
 * Thread safety: the owner's.
 * Time: ->fill is in the owner's unit.
 */
#ifndef PPU_TAGS_H
#define PPU_TAGS_H

#include "core/core.h"

struct ppu_tag {
	uint64_t line;		/* number + 1; 0: none */
	uint64_t fill;		/* when it is there */
	uint64_t used;		/* the higher the later */
	uint64_t dirty;
};

struct ppu_tags {
	struct ppu_tag *v;
	uint32_t sets, ways;
	uint64_t clock;
};

int ppu_tags_create(struct ppu_tags *t, uint32_t sets, uint32_t ways);	/* 0 or -1, out of memory */
void ppu_tags_destroy(struct ppu_tags *t);
void ppu_tags_reset(struct ppu_tags *t);
/* The line's tag, which counts as used now.  NULL: the cache does not have the line. */
struct ppu_tag *ppu_tags_find(struct ppu_tags *t, uint64_t set, uint64_t line);
/* A tag for a line that the cache does not have; the least recently used one of the set leaves.  *old: what it was. */
struct ppu_tag *ppu_tags_add(struct ppu_tags *t, uint64_t set, uint64_t line, struct ppu_tag *old);
void ppu_tags_io(struct ppu_tags *t, struct ppu_io *io);

#endif
