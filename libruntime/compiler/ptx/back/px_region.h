/* SPDX-License-Identifier: MIT */
/*
 * Which blocks lie between a block and its dominators, so that a value that is live in a large part of a function needs
 * no step for each block.
 *
 * The region of a block b: all blocks that can reach b without passing b's immediate dominator. If a value is live
 * where b begins, and no block of the region defines it, the value is live in the whole region and at the end of the
 * dominator.
 */
#ifndef PX_REGION_H
#define PX_REGION_H

#include "compiler/ptx/ir/px_ir.h"

#define PX_REGION_PARTS	4

/* Blocks, as at most PX_REGION_PARTS ranges [from, to) of their places in the layout (px_block.id). */
struct px_region {
	uint32_t n;		/* 0: empty, UINT32_MAX: not known */
	struct { uint32_t from, to; } part[PX_REGION_PARTS];
};

struct px_regions {
	struct px_block **idom;		/* by id; the entry's is NULL */
	struct px_region *own;		/* by id: between the block and idom */
	struct px_block **jump;		/* by id: a dominator farther away, or NULL */
	struct px_region *far;		/* by id: all blocks between, without both ends */
};

/* Needs dominators and ids in the order of the layout. */
void px_find_regions(struct px_func *f, struct px_regions *r);

static inline bool px_region_known(const struct px_region *r)
{
	return r->n != UINT32_MAX;
}

#endif
