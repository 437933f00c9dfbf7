// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PPU driver core: page tables.
 */

#include "pt.h"

static unsigned int ppu_pt_index(u64 va, unsigned int level)
{
	return (va >> PPU_PT_SHIFT(level)) & (PPU_PT_ENTRIES - 1);
}

static bool ppu_pt_is_valid(const struct ppu_pt *pt, unsigned int i)
{
	return pt->valid[i / 64] >> (i % 64) & 1;
}

static void ppu_pt_set(struct ppu_pt_tree *tree, struct ppu_pt *pt, unsigned int i, u64 val)
{
	if (!ppu_pt_is_valid(pt, i)) {
		pt->valid[i / 64] |= 1ull << (i % 64);
		pt->used++;
	}
	tree->ops->bus->mem_wr(tree->dev, pt->addr + i * 8, val);
}

static void ppu_pt_clear(struct ppu_pt_tree *tree, struct ppu_pt *pt, unsigned int i)
{
	pt->valid[i / 64] &= ~(1ull << (i % 64));
	pt->used--;
	tree->ops->bus->mem_wr(tree->dev, pt->addr + i * 8, 0);
}

/* The first valid entry from @i on; @end: there is none below it. */
static unsigned int ppu_pt_next_valid(const struct ppu_pt *pt, unsigned int i, unsigned int end)
{
	while (i < end && !ppu_pt_is_valid(pt, i))
		i = pt->valid[i / 64] >> (i % 64) ? i + 1 : (i / 64 + 1) * 64;
	return i < end ? i : end;
}

/* The table of level 1 over @va; NULL: there is none. */
static struct ppu_pt *ppu_pt_dir(struct ppu_pt_tree *tree, u64 va)
{
	struct ppu_pt *pt = tree->root;

	while (pt && pt->level > 1)
		pt = pt->child[ppu_pt_index(va, pt->level)];
	return pt;
}

static void ppu_pt_pause(struct ppu_pt_tree *tree)
{
	if (tree->ops->pause)
		tree->ops->pause(tree->owner);
}

static struct ppu_pt *ppu_pt_take(struct ppu_pt_tree *tree, void *pool, unsigned int level)
{
	struct ppu_pt *pt = tree->ops->take(pool, level);

	if (pt)
		pt->level = level;
	return pt;
}

/* The table of level 1 over @va, put in if necessary; NULL: the pool has too few tables. */
static struct ppu_pt *ppu_pt_make_dir(struct ppu_pt_tree *tree, void *pool, u64 va)
{
	struct ppu_pt *pt = tree->root;

	while (pt->level > 1) {
		unsigned int i = ppu_pt_index(va, pt->level);

		if (!pt->child[i]) {
			struct ppu_pt *child = ppu_pt_take(tree, pool, pt->level - 1);

			if (!child)
				return NULL;
			pt->child[i] = child;
			ppu_pt_set(tree, pt, i, child->addr | PPU_PTE_VALID);
		}
		pt = pt->child[i];
	}
	return pt;
}

/* From the address of a leaf to that of the next one; leaves without memory have none. */
static u64 ppu_pt_step(u64 flags)
{
	return flags & PPU_PTE_NULL ? 0 : PPU_PAGE_SIZE;
}

/* Gives the slot over @va a table of 4 KiB leaves with the translations the slot had. */
static bool ppu_pt_make_leaves(struct ppu_pt_tree *tree, void *pool, struct ppu_pt *dir, u64 va)
{
	const struct ppu_bus *bus = tree->ops->bus;
	unsigned int i = ppu_pt_index(va, 1), j;
	struct ppu_pt *leaves;

	if (dir->child[i])
		return true;
	leaves = ppu_pt_take(tree, pool, 0);
	if (!leaves)
		return false;

	if (ppu_pt_is_valid(dir, i)) {
		u64 pte = bus->mem_rd(tree->dev, dir->addr + i * 8) & ~PPU_PTE_LARGE;
		u64 step = ppu_pt_step(pte);

		for (j = 0; j < PPU_PT_ENTRIES; j++)
			ppu_pt_set(tree, leaves, j, pte + j * step);
		/* The leaves must be in memory before the device can find them. */
		bus->mem_order(tree->dev);
	}
	dir->child[i] = leaves;
	ppu_pt_set(tree, dir, i, leaves->addr | PPU_PTE_VALID);
	return true;
}

static u64 ppu_pt_null_addr(const void *object, u64 offset, u64 *contig)
{
	*contig = ~0ull;
	return 0;
}

/** ppu_pt_null - no memory, of any size: for leaves with PPU_PTE_NULL */
const struct ppu_backing ppu_pt_null = { .addr = ppu_pt_null_addr };

/* Can [@va, @va + 2 MiB) be one leaf? */
static bool ppu_pt_fits_large(const struct ppu_backing *mem, u64 offset, u64 va, u64 size)
{
	u64 addr, contig;

	if (va & (PPU_LARGE_SIZE - 1) || size < PPU_LARGE_SIZE)
		return false;
	addr = mem->addr(mem->object, offset, &contig);
	return !(addr & (PPU_LARGE_SIZE - 1)) && contig >= PPU_LARGE_SIZE;
}

/* Bytes from @va to the end of its 2 MiB slot, at most @size. */
static u64 ppu_pt_slot_rest(u64 va, u64 size)
{
	u64 rest = PPU_LARGE_SIZE - (va & (PPU_LARGE_SIZE - 1));

	return size < rest ? size : rest;
}

static u64 ppu_pt_slot(u64 va)
{
	return va >> PPU_PT_SHIFT(1);
}

/**
 * ppu_pt_span_map - where a mapping may need tables, whatever the address space holds
 * @span: the result
 * @mem: what is mapped
 * @offset: first byte of @mem
 * @va: first address
 * @size: bytes, not 0
 */
void ppu_pt_span_map(struct ppu_pt_span *span, const struct ppu_backing *mem, u64 offset, u64 va,
		     u64 size)
{
	*span = (struct ppu_pt_span){
		.first = ppu_pt_slot(va), .last = ppu_pt_slot(va + size - 1),
	};
	while (size) {
		u64 n = ppu_pt_slot_rest(va, size);
		bool large = ppu_pt_fits_large(mem, offset, va, n);

		span->leaves += !large;
		span->pages += large ? 1 : n >> PPU_PAGE_SHIFT;
		va += n;
		offset += n;
		size -= n;
	}
}
EXPORT_SYMBOL_IF_KUNIT(ppu_pt_span_map);

/**
 * ppu_pt_span_cuts - where unmapping a range may need tables: at its two ends
 * @span: room for PPU_PT_MAX_SPANS
 * @va: first address
 * @size: bytes, not 0
 *
 * Return: number of spans.
 */
unsigned int ppu_pt_span_cuts(struct ppu_pt_span *span, u64 va, u64 size)
{
	const u64 at[PPU_PT_MAX_SPANS] = { va, va + size };
	unsigned int i, n = 0;

	for (i = 0; i < PPU_PT_MAX_SPANS; i++) {
		u64 slot = ppu_pt_slot(at[i]);

		if (at[i] & (PPU_LARGE_SIZE - 1))
			span[n++] = (struct ppu_pt_span){
				.first = slot, .last = slot, .leaves = 1,
			};
	}
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(ppu_pt_span_cuts);

/**
 * ppu_pt_need_spans - tables that changes which are prepared together may need
 * @need: is added to
 * @span: spans of all changes, sorted by ppu_pt_span.first
 * @n: their number
 *
 * Tables above level 0 are exact for an address space that is empty.  So are tables of level 0
 * where each slot that is in several spans needs one.
 */
void ppu_pt_need_spans(struct ppu_pt_need *need, const struct ppu_pt_span *span, u32 n)
{
	/* By level: the first entry of the level above that is not counted yet. */
	u64 next[PPU_PT_TOP] = { 0 };
	/* Spans that overlap: their slots, and what their leaves add up to. */
	u64 start = 0, end = 0, sum = 0;
	unsigned int level;
	u32 i;

	for (i = 0; i < n; i++) {
		for (level = 1; level < PPU_PT_TOP; level++) {
			unsigned int shift = PPU_PT_SHIFT(level + 1) - PPU_PT_SHIFT(1);
			u64 from = span[i].first >> shift, to = (span[i].last >> shift) + 1;

			if (from < next[level])
				from = next[level];
			if (from >= to)
				continue;
			need->dirs += to - from;
			next[level] = to;
		}
		if (span[i].first >= end) {
			need->leaves += sum < end - start ? sum : end - start;
			start = span[i].first;
			sum = 0;
		}
		sum += span[i].leaves;
		if (span[i].last >= end)
			end = span[i].last + 1;
	}
	need->leaves += sum < end - start ? sum : end - start;
}
EXPORT_SYMBOL_IF_KUNIT(ppu_pt_need_spans);

/** ppu_pt_need_cuts - tables that cutting at two addresses may need; @need is added to */
void ppu_pt_need_cuts(struct ppu_pt_need *need)
{
	need->leaves += 2;
	need->dirs += 2 * (PPU_PT_TOP - 1);
}
EXPORT_SYMBOL_IF_KUNIT(ppu_pt_need_cuts);

/**
 * ppu_pt_prepare_map - put in the tables a mapping needs
 * @tree: page tables
 * @pool: where tables come from
 * @mem: what will be mapped
 * @offset: first byte of @mem
 * @va: first address
 * @size: bytes
 *
 * Return: false if the pool had too few tables; ppu_pt_prune() takes out those already put in.
 */
bool ppu_pt_prepare_map(struct ppu_pt_tree *tree, void *pool, const struct ppu_backing *mem,
			u64 offset, u64 va, u64 size)
{
	while (size) {
		u64 n = ppu_pt_slot_rest(va, size);
		struct ppu_pt *dir = ppu_pt_make_dir(tree, pool, va);

		if (!dir)
			return false;
		if (!ppu_pt_fits_large(mem, offset, va, n) &&
		    !ppu_pt_make_leaves(tree, pool, dir, va))
			return false;
		ppu_pt_pause(tree);
		va += n;
		offset += n;
		size -= n;
	}
	return true;
}

/**
 * ppu_pt_prepare_cut - make it possible to change only one side of @va
 * @tree: page tables
 * @pool: where tables come from
 * @va: address
 * @force: also if there is no large leaf now, since there may be one later
 *
 * Return: false if the pool had too few tables.
 */
bool ppu_pt_prepare_cut(struct ppu_pt_tree *tree, void *pool, u64 va, bool force)
{
	unsigned int i = ppu_pt_index(va, 1);
	struct ppu_pt *dir;

	if (!(va & (PPU_LARGE_SIZE - 1)))
		return true;
	dir = force ? ppu_pt_make_dir(tree, pool, va) : ppu_pt_dir(tree, va);
	if (!dir)
		return !force;
	if (!force && !ppu_pt_is_valid(dir, i))
		return true;
	return ppu_pt_make_leaves(tree, pool, dir, va);
}

/**
 * ppu_pt_prepare - put in the tables that replacing a range needs
 * @tree: page tables
 * @pool: where tables come from
 * @mem: what will be mapped there; NULL: nothing
 * @offset: first byte of @mem
 * @va: first address
 * @size: bytes
 * @force: another change, prepared before this one, is not made yet
 *
 * Return: false if the pool had too few tables; ppu_pt_prune() takes out those already put in.
 */
bool ppu_pt_prepare(struct ppu_pt_tree *tree, void *pool, const struct ppu_backing *mem,
		    u64 offset, u64 va, u64 size, bool force)
{
	return ppu_pt_prepare_cut(tree, pool, va, force) &&
	       ppu_pt_prepare_cut(tree, pool, va + size, force) &&
	       (!mem || ppu_pt_prepare_map(tree, pool, mem, offset, va, size));
}
EXPORT_SYMBOL_IF_KUNIT(ppu_pt_prepare);

/* Writes the leaves of (part of) one slot. */
static void ppu_pt_map_leaves(struct ppu_pt_tree *tree, struct ppu_pt *leaves,
			      const struct ppu_backing *mem, u64 offset, u64 va, u64 size,
			      u64 flags)
{
	while (size) {
		u64 contig, addr = mem->addr(mem->object, offset, &contig);

		if (contig > size)
			contig = size;
		offset += contig;
		size -= contig;
		for (; contig; contig -= PPU_PAGE_SIZE) {
			ppu_pt_set(tree, leaves, ppu_pt_index(va, 0), addr | flags);
			addr += ppu_pt_step(flags);
			va += PPU_PAGE_SIZE;
		}
	}
}

/**
 * ppu_pt_map - write the entries of a prepared mapping
 * @tree: page tables
 * @mem: what is mapped
 * @offset: first byte of @mem
 * @va: first address
 * @size: bytes
 * @flags: PPU_PTE_* of the leaves besides VALID and LARGE
 *
 * Return: false if the mapping was not prepared: a mistake of the caller's.
 */
bool ppu_pt_map(struct ppu_pt_tree *tree, const struct ppu_backing *mem, u64 offset, u64 va,
		u64 size, u64 flags)
{
	flags |= PPU_PTE_VALID;
	while (size) {
		u64 n = ppu_pt_slot_rest(va, size), contig;
		struct ppu_pt *dir = ppu_pt_dir(tree, va);
		unsigned int i = ppu_pt_index(va, 1);

		if (!dir || (!dir->child[i] && n != PPU_LARGE_SIZE))
			return false;
		if (dir->child[i])
			ppu_pt_map_leaves(tree, dir->child[i], mem, offset, va, n, flags);
		else
			ppu_pt_set(tree, dir, i, mem->addr(mem->object, offset, &contig) |
				   flags | PPU_PTE_LARGE);
		ppu_pt_pause(tree);
		va += n;
		offset += n;
		size -= n;
	}
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(ppu_pt_map);

/* The entries of a table over @base that overlap [@first, @last]: from *@from to before *@end. */
static void ppu_pt_overlap(const struct ppu_pt *pt, u64 base, u64 first, u64 last,
			   unsigned int *from, unsigned int *end)
{
	unsigned int shift = PPU_PT_SHIFT(pt->level);

	*from = first > base ? (first - base) >> shift : 0;
	*end = PPU_PT_ENTRIES;
	if ((last - base) >> shift < PPU_PT_ENTRIES)
		*end = ((last - base) >> shift) + 1;
}

/* Visits only what is there: ranges may be as large as the address space. */
static bool ppu_pt_unmap_below(struct ppu_pt_tree *tree, struct ppu_pt *pt, u64 base, u64 first,
			       u64 last)
{
	u64 span = 1ull << PPU_PT_SHIFT(pt->level);
	unsigned int i, end;
	bool whole = true;

	ppu_pt_overlap(pt, base, first, last, &i, &end);
	for (i = ppu_pt_next_valid(pt, i, end); i < end; i = ppu_pt_next_valid(pt, i + 1, end)) {
		u64 at = base + i * span;

		if (pt->level && pt->child[i]) {
			whole &= ppu_pt_unmap_below(tree, pt->child[i], at, first, last);
			ppu_pt_pause(tree);
			continue;
		}
		/* Cuts have been prepared, so a leaf is never hit in part. */
		whole &= at >= first && at + span - 1 <= last;
		ppu_pt_clear(tree, pt, i);
	}
	return whole;
}

/**
 * ppu_pt_unmap - clear entries; cuts at both ends have been prepared
 * @tree: page tables
 * @va: first address
 * @size: bytes
 *
 * Return: false if more than the range was unmapped, since a cut was not prepared: a mistake of
 * the caller's.
 */
bool ppu_pt_unmap(struct ppu_pt_tree *tree, u64 va, u64 size)
{
	return !size || ppu_pt_unmap_below(tree, tree->root, 0, va, va + size - 1);
}
EXPORT_SYMBOL_IF_KUNIT(ppu_pt_unmap);

/* Unlinks empty tables below @pt that overlap [@first, @last]. */
static void ppu_pt_prune_below(struct ppu_pt_tree *tree, struct ppu_pt *pt, u64 base, u64 first,
			       u64 last)
{
	u64 span = 1ull << PPU_PT_SHIFT(pt->level);
	unsigned int i, end;

	ppu_pt_overlap(pt, base, first, last, &i, &end);
	for (i = ppu_pt_next_valid(pt, i, end); i < end; i = ppu_pt_next_valid(pt, i + 1, end)) {
		struct ppu_pt *child = pt->child[i];

		if (!child)
			continue;
		if (child->level)
			ppu_pt_prune_below(tree, child, base + i * span, first, last);
		ppu_pt_pause(tree);
		if (child->used)
			continue;
		pt->child[i] = NULL;
		ppu_pt_clear(tree, pt, i);
		tree->ops->drop(tree->owner, child);
	}
}

/**
 * ppu_pt_prune - take tables out that have no entries left
 * @tree: page tables
 * @va: first address that changed
 * @size: bytes
 */
void ppu_pt_prune(struct ppu_pt_tree *tree, u64 va, u64 size)
{
	if (size)
		ppu_pt_prune_below(tree, tree->root, 0, va, va + size - 1);
}
EXPORT_SYMBOL_IF_KUNIT(ppu_pt_prune);

static void ppu_pt_look_end(struct ppu_pt_look *look)
{
	if (look->now.size)
		look->run(look->to, &look->now);
	look->now.size = 0;
}

static void ppu_pt_look_leaf(struct ppu_pt_look *look, unsigned int level, u64 va, u64 pte)
{
	u64 flags = pte & ~PPU_PTE_ADDR;

	if (va != look->now.va + look->now.size || level != look->now.level ||
	    flags != look->now.flags)
		ppu_pt_look_end(look);
	if (!look->now.size)
		look->now = (struct ppu_pt_run){ .va = va, .level = level, .flags = flags };
	look->now.size += 1ull << PPU_PT_SHIFT(level);
}

static void ppu_pt_look_table(struct ppu_pt_look *look, unsigned int level, u64 va, u64 table)
{
	unsigned int i;

	look->tables[level]++;
	for (i = 0; i < PPU_PT_ENTRIES; i++) {
		u64 pte = look->bus->mem_rd(look->dev, table + i * 8);
		u64 at = va + ((u64)i << PPU_PT_SHIFT(level));

		if (!(pte & PPU_PTE_VALID))
			continue;
		if (!level || pte & PPU_PTE_LARGE)
			ppu_pt_look_leaf(look, level, at, pte);
		else
			ppu_pt_look_table(look, level - 1, at, pte & PPU_PTE_ADDR);
	}
}

/**
 * ppu_pt_look - go through page tables as they lie in memory
 * @look: how to look, and where the result goes; counters are 0
 * @root: address of the root; all tables are in VRAM
 */
void ppu_pt_look(struct ppu_pt_look *look, u64 root)
{
	ppu_pt_look_table(look, PPU_PT_TOP, 0, root);
	ppu_pt_look_end(look);
}
