/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PPU driver core: page tables.
 *
 * A change of an address space is made in two steps. ppu_pt_prepare() puts in every table that
 * the change may need; this step may fail, and the device notices nothing of it.  Then
 * ppu_pt_map() and ppu_pt_unmap() only write entries, and cannot fail. ppu_pt_prune() takes
 * tables out that have become empty; after that the caller makes the device forget the old
 * translations (ppu_context_invalidate()).
 *
 * A 2 MiB slot holds either one large leaf or a table of 4 KiB leaves.  A large leaf
 * is written only where there is no table; a slot that will need 4 KiB leaves gets
 * its table when the change is prepared.
 */
#ifndef __PPU_CORE_PT_H__
#define __PPU_CORE_PT_H__

#include <hw/ppu_mmu.h>

#include "driver.h"

#define PPU_PT_TOP	(PPU_PT_LEVELS - 1)

/**
 * struct ppu_pt - what the driver knows of one table, which is a page of VRAM
 *
 * The caller makes it: @addr, and @child if the table may stand above level 0; the rest is 0.
 */
struct ppu_pt {
	/** @addr: of the page, which reads as zero when the table is new. */
	u64 addr;
	/** @child: PPU_PT_ENTRIES tables below; NULL: none, or a large leaf. */
	struct ppu_pt **child;
	/** @level: 3 is the root's, 0 has the 4 KiB pages. */
	u32 level;
	/** @used: valid entries. */
	u32 used;
	/** @valid: a bit for each entry. */
	u64 valid[PPU_PT_ENTRIES / 64];
};

/** struct ppu_pt_ops - what page tables need from their owner */
struct ppu_pt_ops {
	const struct ppu_bus *bus;
	/** @take: a new table from @pool, with room for children if level > 0; NULL: none. */
	struct ppu_pt *(*take)(void *pool, unsigned int level);
	/** @drop: a table was unlinked; the device may use it until the TLB is invalidated. */
	void (*drop)(void *owner, struct ppu_pt *pt);
	/** @pause: called after each slot and each table of a long change; NULL: nothing to do. */
	void (*pause)(void *owner);
};

/** struct ppu_pt_tree - the page tables of an address space */
struct ppu_pt_tree {
	struct ppu_pt *root;
	const struct ppu_pt_ops *ops;
	/** @dev: for the bus. */
	void *dev;
	/** @owner: for ppu_pt_ops.drop. */
	void *owner;
};

/** struct ppu_pt_need - how many tables, of level 0 and above */
struct ppu_pt_need {
	u32 leaves;
	u32 dirs;
};

/**
 * struct ppu_pt_span - where a change may need tables: slots of 2 MiB, by number
 *
 * Several changes that are prepared together share tables, so their needs are not added up: their
 * spans are sorted by @first and given to ppu_pt_need_spans().
 */
struct ppu_pt_span {
	/** @first: number of the first slot. */
	u64 first;
	/** @last: number of the last slot. */
	u64 last;
	/** @leaves: how many of these slots need 4 KiB leaves. */
	u32 leaves;
	/** @pages: leaves that are written, large or small. */
	u64 pages;
};

extern const struct ppu_backing ppu_pt_null;

/* Most spans of one change. */
#define PPU_PT_MAX_SPANS	2

void ppu_pt_span_map(struct ppu_pt_span *span, const struct ppu_backing *mem, u64 offset, u64 va,
		     u64 size);
unsigned int ppu_pt_span_cuts(struct ppu_pt_span *span, u64 va, u64 size);
void ppu_pt_need_spans(struct ppu_pt_need *need, const struct ppu_pt_span *span, u32 n);
void ppu_pt_need_cuts(struct ppu_pt_need *need);
bool ppu_pt_prepare(struct ppu_pt_tree *tree, void *pool, const struct ppu_backing *mem,
		    u64 offset, u64 va, u64 size, bool force);
bool ppu_pt_prepare_cut(struct ppu_pt_tree *tree, void *pool, u64 va, bool force);
bool ppu_pt_prepare_map(struct ppu_pt_tree *tree, void *pool, const struct ppu_backing *mem,
			u64 offset, u64 va, u64 size);
bool ppu_pt_map(struct ppu_pt_tree *tree, const struct ppu_backing *mem, u64 offset, u64 va,
		u64 size, u64 flags);
bool ppu_pt_unmap(struct ppu_pt_tree *tree, u64 va, u64 size);
void ppu_pt_prune(struct ppu_pt_tree *tree, u64 va, u64 size);

/** struct ppu_pt_run - leaves that follow each other and are alike */
struct ppu_pt_run {
	u64 va;
	u64 size;
	/** @level: 0, or 1: large. */
	unsigned int level;
	/** @flags: of the leaves, without the address. */
	u64 flags;
};

/** struct ppu_pt_look - looks at tables as the device does */
struct ppu_pt_look {
	const struct ppu_bus *bus;
	void *dev;
	/** @run: called for each run of leaves, in order of addresses. */
	void (*run)(void *to, const struct ppu_pt_run *run);
	void *to;
	/** @tables: how many there are, by level. */
	u32 tables[PPU_PT_LEVELS];
	/** @now: the run so far. */
	struct ppu_pt_run now;
};

void ppu_pt_look(struct ppu_pt_look *look, u64 root);

#endif
