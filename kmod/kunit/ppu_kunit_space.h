/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver, KUnit: an address space in plain memory, whose tables come from a pool of known size.
 */
#ifndef __PPU_KUNIT_SPACE_H__
#define __PPU_KUNIT_SPACE_H__

#include <kunit/test.h>
#include <linux/sizes.h>

#include "core/pt.h"

#define KU_4K		PPU_PAGE_SIZE
#define KU_2M		PPU_LARGE_SIZE
#define KU_1G		((u64)SZ_1G)
/* Tables that a space can have. */
#define KU_MAX_TABLES	128
#define KU_MEMORY	0x40000000ull
#define KU_UNMAPPED	(~0ull)

/** struct ku_pool - tables that may be taken, and how many were */
struct ku_pool {
	struct ku_space *space;
	struct ppu_pt_need left;
	struct ppu_pt_need took;
};

/** struct ku_space - page tables, and the memory they lie in */
struct ku_space {
	struct kunit *test;
	struct ppu_pt_tree tree;
	/** @vram: KU_MAX_TABLES pages; the first is the root. */
	u64 *vram;
	/** @table: what the driver knows of the page of the same number; NULL: free. */
	struct ppu_pt **table;
	u32 tables;
};

/** struct ku_pieces - memory: piece i of @piece bytes is at @base + i * @stride */
struct ku_pieces {
	u64 base;
	u64 piece;
	u64 stride;
};

/* In one piece; page by page; in one piece, but not aligned to 2 MiB. */
extern const struct ku_pieces ku_whole, ku_pages, ku_askew;

struct ku_space *ku_space_new(struct kunit *test);
struct ppu_backing ku_backing(const struct ku_pieces *pieces);
struct ku_pool ku_pool(struct ku_space *space, u32 leaves, u32 dirs);
void ku_map(struct ku_space *space, const struct ku_pieces *what, u64 offset, u64 va, u64 size);
void ku_unmap(struct ku_space *space, u64 va, u64 size);
u64 ku_leaf(struct ku_space *space, u64 va, unsigned int *level);
u64 ku_phys(struct ku_space *space, u64 va);

#endif
