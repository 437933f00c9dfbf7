// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver, KUnit: an address space in plain memory.
 */

#include <linux/slab.h>

#include "kunit/ppu_kunit_space.h"

const struct ku_pieces ku_whole = { KU_MEMORY, 1ull << 40, 1ull << 40 };
const struct ku_pieces ku_pages = { KU_MEMORY, KU_4K, 3 * KU_4K };
const struct ku_pieces ku_askew = { KU_MEMORY + KU_4K, 1ull << 40, 1ull << 40 };

static u64 ku_mem_rd(void *dev, u64 addr)
{
	struct ku_space *space = dev;

	return space->vram[addr / sizeof(u64)];
}

static void ku_mem_wr(void *dev, u64 addr, u64 val)
{
	struct ku_space *space = dev;

	space->vram[addr / sizeof(u64)] = val;
}

static void ku_mem_order(void *dev)
{
}

static const struct ppu_bus ku_bus = {
	.mem_rd = ku_mem_rd, .mem_wr = ku_mem_wr, .mem_order = ku_mem_order,
};

static struct ppu_pt *ku_new_table(struct ku_space *space, unsigned int level)
{
	struct ppu_pt *pt;
	u32 i;

	for (i = 0; space->table[i]; i++)
		KUNIT_ASSERT_LT(space->test, i + 1, (u32)KU_MAX_TABLES);
	pt = kunit_kzalloc(space->test, sizeof(*pt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(space->test, pt);
	if (level) {
		pt->child = kunit_kcalloc(space->test, PPU_PT_ENTRIES, sizeof(*pt->child),
					  GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(space->test, pt->child);
	}
	pt->addr = i * KU_4K;
	memset(space->vram + pt->addr / sizeof(u64), 0, KU_4K);
	space->table[i] = pt;
	space->tables++;
	return pt;
}

static struct ppu_pt *ku_take(void *arg, unsigned int level)
{
	struct ku_pool *pool = arg;
	u32 *left = level ? &pool->left.dirs : &pool->left.leaves;

	if (!*left)
		return NULL;
	--*left;
	++*(level ? &pool->took.dirs : &pool->took.leaves);
	return ku_new_table(pool->space, level);
}

static void ku_drop(void *owner, struct ppu_pt *pt)
{
	struct ku_space *space = owner;

	KUNIT_EXPECT_EQ(space->test, pt->used, 0u);
	space->table[pt->addr / KU_4K] = NULL;
	space->tables--;
	if (pt->child)
		kunit_kfree(space->test, pt->child);
	kunit_kfree(space->test, pt);
}

static const struct ppu_pt_ops ku_pt_ops = {
	.bus = &ku_bus, .take = ku_take, .drop = ku_drop,
};

/** ku_space_new - an empty address space, which ends with the test */
struct ku_space *ku_space_new(struct kunit *test)
{
	struct ku_space *space = kunit_kzalloc(test, sizeof(*space), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, space);
	space->test = test;
	space->vram = kunit_kzalloc(test, KU_MAX_TABLES * KU_4K, GFP_KERNEL);
	space->table = kunit_kcalloc(test, KU_MAX_TABLES, sizeof(*space->table), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, space->vram);
	KUNIT_ASSERT_NOT_NULL(test, space->table);
	space->tree = (struct ppu_pt_tree){ .ops = &ku_pt_ops, .dev = space, .owner = space };
	space->tree.root = ku_new_table(space, PPU_PT_TOP);
	space->tree.root->level = PPU_PT_TOP;
	return space;
}

static u64 ku_piece_addr(const void *object, u64 offset, u64 *contig)
{
	const struct ku_pieces *p = object;
	u64 in = offset & (p->piece - 1);

	*contig = p->piece - in;
	return p->base + (offset >> ilog2(p->piece)) * p->stride + in;
}

/** ku_backing - these pieces as the memory of an object */
struct ppu_backing ku_backing(const struct ku_pieces *pieces)
{
	return (struct ppu_backing){ .addr = ku_piece_addr, .object = pieces };
}

/** ku_pool - a pool of this many tables */
struct ku_pool ku_pool(struct ku_space *space, u32 leaves, u32 dirs)
{
	return (struct ku_pool){ .space = space, .left = { .leaves = leaves, .dirs = dirs } };
}

/** ku_map - replace what is mapped at @va */
void ku_map(struct ku_space *space, const struct ku_pieces *what, u64 offset, u64 va, u64 size)
{
	struct ku_pool pool = ku_pool(space, KU_MAX_TABLES, KU_MAX_TABLES);
	struct ppu_backing mem = ku_backing(what);
	struct ppu_pt_tree *tree = &space->tree;

	KUNIT_EXPECT_TRUE(space->test, ppu_pt_prepare(tree, &pool, &mem, offset, va, size, false));
	KUNIT_EXPECT_TRUE(space->test, ppu_pt_unmap(tree, va, size));
	KUNIT_EXPECT_TRUE(space->test, ppu_pt_map(tree, &mem, offset, va, size, 0));
	ppu_pt_prune(tree, va, size);
}

/** ku_unmap - take out what is mapped at @va */
void ku_unmap(struct ku_space *space, u64 va, u64 size)
{
	struct ku_pool pool = ku_pool(space, KU_MAX_TABLES, KU_MAX_TABLES);
	struct ppu_pt_tree *tree = &space->tree;

	KUNIT_EXPECT_TRUE(space->test, ppu_pt_prepare(tree, &pool, NULL, 0, va, size, false));
	KUNIT_EXPECT_TRUE(space->test, ppu_pt_unmap(tree, va, size));
	ppu_pt_prune(tree, va, size);
}

/** ku_leaf - the leaf over @va as it lies in memory, 0: none; *@level: where the walk ended */
u64 ku_leaf(struct ku_space *space, u64 va, unsigned int *level)
{
	u64 at = space->tree.root->addr, pte;
	int l;

	for (l = PPU_PT_TOP; ; l--) {
		*level = l;
		pte = ku_mem_rd(space, at + ((va >> PPU_PT_SHIFT(l)) & (PPU_PT_ENTRIES - 1)) * 8);
		if (!(pte & PPU_PTE_VALID))
			return 0;
		if (!l || pte & PPU_PTE_LARGE)
			return pte;
		at = pte & PPU_PTE_ADDR;
	}
}

/** ku_phys - where @va leads, KU_UNMAPPED: nowhere */
u64 ku_phys(struct ku_space *space, u64 va)
{
	unsigned int level;
	u64 pte = ku_leaf(space, va, &level);

	if (!pte)
		return KU_UNMAPPED;
	return (pte & PPU_PTE_ADDR) + (va & ((1ull << PPU_PT_SHIFT(level)) - 1));
}
