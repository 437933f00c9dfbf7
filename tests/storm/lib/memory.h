/* SPDX-License-Identifier: MIT */
/*
 * What the kernel holds, exactly enough to see that each of some hundred rounds leaves one object behind: objects of
 * each slab cache after all that is only cached was given back, per-CPU memory, vmalloc, and pages.
 */
#ifndef PPU_STORM_MEMORY_H
#define PPU_STORM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define MEMORY_KINDS	400

struct memory {
	unsigned kinds;
	struct {
		char name[48];
		long count, noise;	/* noise: it may be so many more without a leak */
	} kind[MEMORY_KINDS];
};

/* False: this kernel does not free at once (KASAN), and has kmemleak instead. */
bool memory_countable(void);
void memory_count(struct memory *m);
/* Has any kind grown as if each round left one? @what says which. */
bool memory_grew(const struct memory *before, const struct memory *now, unsigned long rounds, char *what, size_t size);

#endif
