/* SPDX-License-Identifier: MIT */
/*
 * Allocator of address ranges (VRAM, bus addresses, virtual addresses, parts of a large buffer):
 * free extents in address order, first fit.  Not thread safe.
 */
#ifndef PPU_RANGE_H
#define PPU_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct ppu_extent {
	uint64_t start, size;
};
struct ppu_range {
	struct ppu_extent *free;	/* in address order, never touching each other */
	size_t num, cap;
	size_t pieces;			/* allocated */
	uint64_t avail;			/* sum of the free extents */
};

int ppu_range_init(struct ppu_range *r, uint64_t start, uint64_t size);
void ppu_range_fini(struct ppu_range *r);
/* Lowest fitting place; align is a power of two.  0 or -ENOMEM. */
int ppu_range_alloc(struct ppu_range *r, uint64_t size, uint64_t align, uint64_t *start);
/* Gives back what one call allocated, as a whole. */
void ppu_range_free(struct ppu_range *r, uint64_t start, uint64_t size);

#pragma GCC visibility pop
#endif
