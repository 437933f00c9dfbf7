/* SPDX-License-Identifier: MIT */
/*
 * The driver core (kmod/core) on plain memory: page tables, instance block, sizes and limits, channels and device-owned
 * queues, and what an error ends.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <core/channel.h>
#include <core/context.h>
#include <core/fault.h>
#include <core/pt.h>
#include "run_suite.h"

#define KB4	PPU_PAGE_SIZE
#define MB2	PPU_LARGE_SIZE
#define GB1	(1ull << 30)
#define VRAM	(16u << 20)

/* ---- a device: VRAM, and registers that remember ----------------------------------------------------- */

enum { MAX_WRITES = 64 };

static struct {
	uint8_t vram[VRAM] __attribute__((aligned(4096)));
	uint32_t reg[(PPU_BAR0_CHCFG + 16 * PPU_CHCFG_STRIDE) / 4];
	struct { uint32_t off, val; } wrote[MAX_WRITES];
	unsigned num_wrote, num_orders;
} d;

static u32 dev_rd(void *dev, u32 reg)
{
	return d.reg[reg / 4];
}

static void dev_wr(void *dev, u32 reg, u32 val)
{
	ck_assert_uint_lt(d.num_wrote, MAX_WRITES);
	d.wrote[d.num_wrote].off = reg;
	d.wrote[d.num_wrote++].val = val;
	d.reg[reg / 4] = val;
}

static u64 dev_mem_rd(void *dev, u64 addr)
{
	ck_assert_uint_lt(addr, VRAM);
	return *(uint64_t *)(d.vram + addr);
}

static void dev_mem_wr(void *dev, u64 addr, u64 val)
{
	ck_assert_uint_lt(addr, VRAM);
	*(uint64_t *)(d.vram + addr) = val;
}

static void dev_order(void *dev)
{
	d.num_orders++;
}

static const struct ppu_bus bus = {
	.rd = dev_rd, .wr = dev_wr, .mem_rd = dev_mem_rd, .mem_wr = dev_mem_wr, .mem_order = dev_order,
};

/* ---- an address space --------------------------------------------------------------------------------- */

struct table {
	struct ppu_pt pt;
	struct ppu_pt *child[PPU_PT_ENTRIES];
};

/* The tables that may be allocated; counts those that were. */
struct pool {
	unsigned leaves, dirs;
	unsigned took_leaves, took_dirs;
};

static struct ppu_pt_tree tree;
static uint64_t next_page;
static unsigned dropped;

static struct ppu_pt *new_table(bool dir)
{
	struct table *t = calloc(1, sizeof(*t));

	t->pt.addr = next_page;
	t->pt.child = dir ? t->child : NULL;
	next_page += KB4;
	memset(d.vram + t->pt.addr, 0, KB4);
	return &t->pt;
}

static struct ppu_pt *take(void *arg, unsigned level)
{
	struct pool *p = arg;

	if (level ? p->took_dirs == p->dirs : p->took_leaves == p->leaves)
		return NULL;
	++*(level ? &p->took_dirs : &p->took_leaves);
	return new_table(level);
}

static void drop(void *owner, struct ppu_pt *pt)
{
	ck_assert_uint_eq(pt->used, 0);
	dropped++;
	free(pt);
}

static const struct ppu_pt_ops ops = { .bus = &bus, .take = take, .drop = drop };

static void free_tree(struct ppu_pt *pt)
{
	for (unsigned i = 0; pt->child && i < PPU_PT_ENTRIES; i++)
		if (pt->child[i])
			free_tree(pt->child[i]);
	free(pt);
}

static void setup(void)
{
	memset(&d, 0, sizeof(d));
	next_page = 1 << 20;
	dropped = 0;
	tree = (struct ppu_pt_tree){ .root = new_table(true), .ops = &ops };
	tree.root->level = PPU_PT_TOP;
}

static void teardown(void)
{
	free_tree(tree.root);
}

/* Memory in pieces: piece i of `piece` bytes is at base + i * stride. */
struct pieces {
	uint64_t base, piece, stride;
};

static u64 piece_addr(const void *object, u64 offset, u64 *contig)
{
	const struct pieces *p = object;

	*contig = p->piece - offset % p->piece;
	return p->base + offset / p->piece * p->stride + offset % p->piece;
}

static struct ppu_backing backing(const struct pieces *p)
{
	return (struct ppu_backing){ .addr = piece_addr, .object = p };
}

static const struct pieces whole = { 0x40000000, 1ull << 40, 1ull << 40 };
static const struct pieces pages = { 0x40000000, KB4, 3 * KB4 };
static const struct pieces askew = { 0x40001000, 1ull << 40, 1ull << 40 };

#define PLENTY (struct pool){ 1000, 1000, 0, 0 }

/* p: NULL: no memory. */
static void map_flags(const struct pieces *p, uint64_t offset, uint64_t va, uint64_t size, uint64_t flags)
{
	struct ppu_backing mem = p ? backing(p) : ppu_pt_null;
	struct pool pool = PLENTY;

	ck_assert(ppu_pt_prepare(&tree, &pool, &mem, offset, va, size, false));
	ck_assert(ppu_pt_unmap(&tree, va, size));
	ck_assert(ppu_pt_map(&tree, &mem, offset, va, size, flags));
	ppu_pt_prune(&tree, va, size);
}

static void map(const struct pieces *p, uint64_t offset, uint64_t va, uint64_t size)
{
	map_flags(p, offset, va, size, 0);
}

static void unmap(uint64_t va, uint64_t size)
{
	struct pool pool = PLENTY;

	ck_assert(ppu_pt_prepare(&tree, &pool, NULL, 0, va, size, false));
	ck_assert(ppu_pt_unmap(&tree, va, size));
	ppu_pt_prune(&tree, va, size);
}

/* The leaf over va as it lies in memory, *level its level; 0: none. */
static uint64_t leaf(uint64_t va, unsigned *level)
{
	uint64_t at = tree.root->addr, pte = 0;

	for (int l = PPU_PT_TOP; l >= 0; l--) {
		pte = dev_mem_rd(NULL, at + (va >> PPU_PT_SHIFT(l)) % PPU_PT_ENTRIES * 8);
		*level = (unsigned)l;
		if (!(pte & PPU_PTE_VALID))
			return 0;
		if (!l || pte & PPU_PTE_LARGE)
			break;
		ck_assert_uint_eq(pte & PPU_PDE_RESERVED, 0);
		at = pte & PPU_PTE_ADDR;
	}
	return pte;
}

/* Physical address of va, ~0: not mapped. */
static uint64_t phys(uint64_t va)
{
	unsigned level;
	uint64_t pte = leaf(va, &level);

	return pte ? (pte & PPU_PTE_ADDR) + (va & ((1ull << PPU_PT_SHIFT(level)) - 1)) : ~0ull;
}

static unsigned level_of(uint64_t va)
{
	unsigned level;

	ck_assert_uint_ne(leaf(va, &level), 0);
	return level;
}

struct seen {
	struct ppu_pt_look look;
	struct ppu_pt_run run[16];
	unsigned n;
};

static void on_run(void *to, const struct ppu_pt_run *run)
{
	struct seen *s = to;

	ck_assert_uint_lt(s->n, 16);
	s->run[s->n++] = *run;
}

static struct seen look(void)
{
	static struct seen s;

	s = (struct seen){ .look = { .bus = &bus, .run = on_run, .to = &s } };
	ppu_pt_look(&s.look, tree.root->addr);
	return s;
}

static unsigned num_tables(void)
{
	struct seen s = look();

	return s.look.tables[0] + s.look.tables[1] + s.look.tables[2] + s.look.tables[3];
}

/* ---- page tables -------------------------------------------------------------------------------------- */

START_TEST(small_and_large)
{
	map(&whole, 0, GB1, 2 * MB2 + KB4);
	ck_assert_uint_eq(level_of(GB1), 1);
	ck_assert_uint_eq(level_of(GB1 + MB2), 1);
	ck_assert_uint_eq(level_of(GB1 + 2 * MB2), 0);
	ck_assert_uint_eq(phys(GB1 + MB2 + 12345), 0x40000000 + MB2 + 12345);
	ck_assert_uint_eq(phys(GB1 + 2 * MB2 + KB4), ~0ull);
	ck_assert_uint_eq(phys(GB1 - 1), ~0ull);
	/* not aligned in memory, or in pieces, or at an odd address: small */
	map(&askew, 0, 2 * GB1, MB2);
	ck_assert_uint_eq(level_of(2 * GB1), 0);
	map(&pages, 0, 3 * GB1, MB2);
	ck_assert_uint_eq(level_of(3 * GB1), 0);
	ck_assert_uint_eq(phys(3 * GB1 + 5 * KB4 + 7), 0x40000000 + 15 * KB4 + 7);
	map(&whole, KB4, 4 * GB1 + KB4, 2 * MB2);
	ck_assert_uint_eq(level_of(4 * GB1 + KB4), 0);
	ck_assert_uint_eq(level_of(4 * GB1 + MB2), 1);
	ck_assert_uint_eq(level_of(4 * GB1 + 2 * MB2), 0);
	ck_assert_uint_eq(phys(4 * GB1 + 2 * MB2), 0x40000000 + 2 * MB2);
}
END_TEST

START_TEST(flags)
{
	const uint64_t f = PPU_PTE_SYS | PPU_PTE_READONLY | PPU_PTE_NOEXEC | PPU_PTE_PRIV | PPU_PTE_UNCACHED;
	unsigned level;

	map_flags(&whole, 0, GB1, MB2 + KB4, f);
	ck_assert_uint_eq(leaf(GB1, &level), 0x40000000 | f | PPU_PTE_VALID | PPU_PTE_LARGE);
	ck_assert_uint_eq(leaf(GB1 + MB2, &level), (0x40000000 + MB2) | f | PPU_PTE_VALID);
	/* a cut keeps the flags */
	unmap(GB1 + KB4, KB4);
	ck_assert_uint_eq(leaf(GB1, &level), 0x40000000 | f | PPU_PTE_VALID);
	ck_assert_uint_eq(level, 0);
	ck_assert_uint_eq(leaf(GB1 + 2 * KB4, &level), (0x40000000 + 2 * KB4) | f | PPU_PTE_VALID);
}
END_TEST

/* Leaves without memory: large where they can be, all of address 0, also after a cut. */
START_TEST(null_leaves)
{
	unsigned level;

	map_flags(NULL, 0, GB1, 2 * MB2 + KB4, PPU_PTE_NULL);
	for (uint64_t at = 0; at < 2 * MB2; at += MB2) {
		ck_assert_uint_eq(leaf(GB1 + at, &level), PPU_PTE_NULL | PPU_PTE_VALID | PPU_PTE_LARGE);
		ck_assert_uint_eq(level, 1);
	}
	ck_assert_uint_eq(leaf(GB1 + 2 * MB2, &level), PPU_PTE_NULL | PPU_PTE_VALID);
	unmap(GB1 + KB4, KB4);
	ck_assert_uint_eq(phys(GB1 + KB4), ~0ull);
	for (uint64_t at = 2 * KB4; at < MB2; at += KB4)
		ck_assert_uint_eq(leaf(GB1 + at, &level), PPU_PTE_NULL | PPU_PTE_VALID);
	map(&whole, KB4, GB1 + 3 * KB4, KB4);
	ck_assert_uint_eq(phys(GB1 + 3 * KB4), 0x40000000 + KB4);
	ck_assert_uint_eq(leaf(GB1 + 4 * KB4, &level), PPU_PTE_NULL | PPU_PTE_VALID);
}
END_TEST

START_TEST(cuts)
{
	map(&whole, 0, GB1, 3 * MB2);
	unmap(GB1 + MB2 - KB4, MB2 + 2 * KB4);
	ck_assert_uint_eq(level_of(GB1), 0);
	ck_assert_uint_eq(level_of(GB1 + 2 * MB2 + KB4), 0);
	for (uint64_t off = 0; off < 3 * MB2; off += KB4) {
		bool gone = off >= MB2 - KB4 && off < 2 * MB2 + KB4;

		ck_assert_uint_eq(phys(GB1 + off), gone ? ~0ull : 0x40000000 + off);
	}
	/* a cut at the end of a slot needs no table, and none of the middle slot is left */
	ck_assert_uint_eq(num_tables(), 3 + 2);
	/* the leaves are in memory before the device can find them */
	ck_assert_uint_ge(d.num_orders, 2);
	/* where there is no large page, a cut makes no table */
	unmap(5 * GB1 + KB4, KB4);
	ck_assert_uint_eq(num_tables(), 3 + 2);
}
END_TEST

START_TEST(replaced)
{
	/* small over large, large over small, other memory over all of it */
	map(&whole, 0, GB1, 2 * MB2);
	map(&pages, 0, GB1 + MB2 / 2, MB2);
	ck_assert_uint_eq(phys(GB1 + MB2 / 2 - 1), 0x40000000 + MB2 / 2 - 1);
	ck_assert_uint_eq(phys(GB1 + MB2 / 2 + KB4), 0x40000000 + 3 * KB4);
	ck_assert_uint_eq(phys(GB1 + MB2 + MB2 / 2), 0x40000000 + MB2 + MB2 / 2);
	map(&whole, 4 * MB2, GB1, 2 * MB2);
	for (uint64_t off = 0; off < 2 * MB2; off += KB4)
		ck_assert_uint_eq(phys(GB1 + off), 0x40000000 + 4 * MB2 + off);
	unmap(GB1, 2 * MB2);
	ck_assert_uint_eq(num_tables(), 1);
	/* the slot is empty: it can be a large page again */
	map(&whole, 0, GB1, 2 * MB2);
	ck_assert_uint_eq(level_of(GB1), 1);
}
END_TEST

START_TEST(shared_tables)
{
	struct ppu_backing mem = backing(&pages);
	struct pool pool = PLENTY;

	map(&pages, 0, GB1, KB4);
	ck_assert_uint_eq(num_tables(), 4);
	ck_assert(ppu_pt_prepare(&tree, &pool, &mem, 0, GB1 + 9 * KB4, KB4, false));
	ck_assert_uint_eq(pool.took_leaves + pool.took_dirs, 0);
	ck_assert(ppu_pt_map(&tree, &mem, 0, GB1 + 9 * KB4, KB4, 0));
	ck_assert(ppu_pt_prepare(&tree, &pool, &mem, 0, GB1 + MB2, KB4, false));
	ck_assert_uint_eq(pool.took_leaves, 1);
	ck_assert_uint_eq(pool.took_dirs, 0);
	ck_assert(ppu_pt_map(&tree, &mem, 0, GB1 + MB2, KB4, 0));
	/* the mapping that is removed first leaves the table to the other one */
	unmap(GB1, KB4);
	ck_assert_uint_eq(dropped, 0);
	ck_assert_uint_ne(phys(GB1 + 9 * KB4), ~0ull);
	unmap(GB1 + 9 * KB4, KB4);
	ck_assert_uint_eq(dropped, 1);
	unmap(GB1 + MB2, KB4);
	ck_assert_uint_eq(dropped, 4);
	ck_assert_uint_eq(tree.root->used, 0);
}
END_TEST

static struct ppu_pt_need plan_map(const struct ppu_backing *mem, uint64_t at, uint64_t size)
{
	struct ppu_pt_need need = { 0 };
	struct ppu_pt_span span;

	ppu_pt_span_map(&span, mem, 0, at, size);
	ppu_pt_need_spans(&need, &span, 1);
	return need;
}

/* The plan is exactly the number of tables that an empty address space needs, and enough for any other one. */
START_TEST(plan)
{
	static const uint64_t at[] = { KB4, GB1, GB1 - KB4, GB1 + MB2 - KB4, (1ull << 39) - MB2, (1ull << 39) - KB4,
				       PPU_VA_USER_END - 4 * MB2 };
	static const uint64_t size[] = { KB4, 2 * KB4, MB2, MB2 + KB4, 3 * MB2, 4 * MB2 - KB4 };
	const struct pieces *const what[] = { &whole, &pages, &askew };

	for (unsigned a = 0; a < 7; a++) {
		for (unsigned s = 0; s < 6; s++) {
			for (unsigned w = 0; w < 3; w++) {
				struct ppu_backing mem = backing(what[w]);
				struct ppu_pt_need need = plan_map(&mem, at[a], size[s]);
				struct pool pool = { 0 };

				teardown();
				setup();
				pool = (struct pool){ need.leaves, need.dirs, 0, 0 };
				ck_assert(ppu_pt_prepare(&tree, &pool, &mem, 0, at[a], size[s], false));
				ck_assert_uint_eq(pool.took_leaves, need.leaves);
				ck_assert_uint_eq(pool.took_dirs, need.dirs);
				ck_assert(ppu_pt_map(&tree, &mem, 0, at[a], size[s], 0));
				/* again over what is there: nothing, or a table for what was large */
				pool = (struct pool){ need.leaves, need.dirs, 0, 0 };
				ck_assert(ppu_pt_prepare(&tree, &pool, &mem, 0, at[a], size[s], false));
				ck_assert_uint_eq(pool.took_leaves + pool.took_dirs, 0);
			}
		}
	}
}
END_TEST

START_TEST(plan_of_cuts)
{
	struct ppu_pt_need need = { 0 };
	struct pool pool;

	ppu_pt_need_cuts(&need);
	/* the worst: both ends in large pages of tables that share nothing */
	map(&whole, 0, GB1, MB2);
	map(&whole, 0, 1ull << 40, MB2);
	pool = (struct pool){ need.leaves, need.dirs, 0, 0 };
	ck_assert(ppu_pt_prepare(&tree, &pool, NULL, 0, GB1 + KB4, (1ull << 40) - GB1, false));
	ck_assert_uint_eq(pool.took_leaves, need.leaves);
	ck_assert(ppu_pt_unmap(&tree, GB1 + KB4, (1ull << 40) - GB1));
	/* by force, where there is nothing yet */
	teardown();
	setup();
	pool = (struct pool){ need.leaves, need.dirs, 0, 0 };
	ck_assert(ppu_pt_prepare(&tree, &pool, NULL, 0, GB1 + KB4, 1ull << 40, true));
	ck_assert_uint_eq(pool.took_leaves, need.leaves);
	ck_assert_uint_eq(pool.took_dirs, need.dirs);
	ppu_pt_prune(&tree, GB1 + KB4, 1ull << 40);
	ck_assert_uint_eq(dropped, need.leaves + need.dirs);
}
END_TEST

static int by_first(const void *a, const void *b)
{
	const struct ppu_pt_span *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* One of the changes of plan_together: what, where, how many bytes; what NULL: unmap. */
struct change {
	const struct pieces *what;
	uint64_t at, size;
};

/* Prepares changes as VM_BIND does, with exactly as many tables as planned; returns how many were left. */
static unsigned together(const struct change *c, unsigned n)
{
	struct ppu_pt_need need = { 0 };
	struct ppu_pt_span span[64];
	struct pool pool;
	unsigned spans = 0;

	ck_assert_uint_le(PPU_PT_MAX_SPANS * n, 64);
	for (unsigned i = 0; i < n; i++) {
		struct ppu_backing mem = backing(c[i].what ? c[i].what : &whole);

		if (c[i].what)
			ppu_pt_span_map(&span[spans++], &mem, 0, c[i].at, c[i].size);
		else
			spans += ppu_pt_span_cuts(span + spans, c[i].at, c[i].size);
	}
	qsort(span, spans, sizeof(span[0]), by_first);
	ppu_pt_need_spans(&need, span, spans);
	pool = (struct pool){ need.leaves, need.dirs, 0, 0 };
	for (unsigned i = 0; i < n; i++) {
		struct ppu_backing mem = backing(c[i].what ? c[i].what : &whole);

		ck_assert(ppu_pt_prepare(&tree, &pool, c[i].what ? &mem : NULL, 0, c[i].at, c[i].size, i > 0));
	}
	return need.leaves + need.dirs - pool.took_leaves - pool.took_dirs;
}

/* Changes that are prepared together share tables, and the plan knows. */
START_TEST(plan_together)
{
	const struct change same[] = {
		{ &pages, GB1, 3 * MB2 }, { &pages, GB1, 3 * MB2 }, { &pages, GB1 + KB4, MB2 }, { &pages, GB1, KB4 },
	};
	const struct change near[] = {
		{ &pages, GB1 + 8 * MB2, KB4 }, { &pages, GB1, KB4 }, { &pages, GB1 + 4 * MB2, KB4 },
		{ NULL, 2 * GB1 + KB4, KB4 }, { &pages, 2 * GB1, KB4 }, { &whole, 5 * GB1, 4 * MB2 },
	};
	const struct change across[] = {
		{ &pages, (1ull << 39) - KB4, 2 * KB4 }, { &pages, GB1 - KB4, 2 * KB4 },
		{ &pages, (1ull << 39) - KB4, 2 * KB4 }, { &pages, (1ull << 39) + GB1 - KB4, 2 * KB4 },
	};
	/* a range larger than memory is two cuts, and hides nothing of what others need */
	const struct change wide[] = {
		{ &pages, GB1, KB4 }, { NULL, KB4, 1ull << 46 }, { &pages, 1ull << 45, KB4 }, { NULL, KB4, 1ull << 46 },
	};
	struct change random[32];

	ck_assert_uint_eq(together(same, 4), 0);
	teardown();
	setup();
	ck_assert_uint_eq(together(near, 6), 0);
	teardown();
	setup();
	ck_assert_uint_eq(together(across, 4), 0);
	teardown();
	setup();
	ck_assert_uint_eq(together(wide, 4), 0);
	srand(6);
	for (unsigned round = 0; round < 300; round++) {
		static const struct pieces *const what[] = { &whole, &pages, &askew, NULL };
		unsigned n = 1 + rand() % 32;

		for (unsigned i = 0; i < n; i++)
			random[i] = (struct change){
				what[rand() % 4],
				((1ull << (30 + rand() % 2 * 9)) - 3 * MB2 + rand() % 2048 * KB4) & -KB4,
				(1 + rand() % 1500) * KB4,
			};
		teardown();
		setup();
		together(random, n);
	}
}
END_TEST

/* With fewer tables than needed, whatever their number, a walk sees no change. */
START_TEST(too_few)
{
	struct ppu_backing mem = backing(&pages);
	struct ppu_pt_need need = plan_map(&mem, GB1 + KB4, GB1);

	map(&whole, 0, GB1, MB2);
	for (unsigned n = 0; n < need.leaves; n += 37) {
		struct pool pool = { n, 1000, 0, 0 };

		ck_assert(!ppu_pt_prepare(&tree, &pool, &mem, 0, GB1 + KB4, GB1, false));
		ppu_pt_prune(&tree, GB1 + KB4, GB1);
		ck_assert_uint_eq(phys(GB1 + MB2 - 1), 0x40000000 + MB2 - 1);
		ck_assert_uint_eq(phys(GB1 + MB2), ~0ull);
		ck_assert_uint_le(num_tables(), 4);
	}
	for (unsigned n = 0; n < 2; n++) {
		struct pool pool = { 1000, n, 0, 0 };

		ck_assert(!ppu_pt_prepare(&tree, &pool, &mem, 0, 1ull << 40, KB4, false));
		ppu_pt_prune(&tree, 1ull << 40, KB4);
		ck_assert_uint_le(num_tables(), 4);
	}
}
END_TEST

/* Mistakes of a caller are reported. */
START_TEST(not_prepared)
{
	struct ppu_backing mem = backing(&pages);

	ck_assert(!ppu_pt_map(&tree, &mem, 0, GB1, KB4, 0));
	map(&whole, 0, GB1, MB2);
	ck_assert(!ppu_pt_map(&tree, &mem, 0, GB1, KB4, 0));
	ck_assert(!ppu_pt_unmap(&tree, GB1 + KB4, KB4));
	ck_assert(ppu_pt_unmap(&tree, 0, 0));
}
END_TEST

START_TEST(whole_space)
{
	map(&whole, 0, PPU_VA_USER_START, KB4);
	map(&whole, 0, PPU_VA_USER_END - KB4, KB4);
	map(&whole, 0, PPU_VA_KERNEL_END - MB2, MB2);
	ck_assert_uint_eq(look().n, 3);
	unmap(0, PPU_VA_KERNEL_END);
	ck_assert_uint_eq(look().n, 0);
	ck_assert_uint_eq(num_tables(), 1);
}
END_TEST

START_TEST(looking)
{
	struct seen s;

	map(&whole, 0, GB1, 2 * MB2);
	map(&pages, 0, GB1 + 2 * MB2, 3 * KB4);
	map_flags(&pages, 0, GB1 + 2 * MB2 + KB4, KB4, PPU_PTE_READONLY);
	map(&pages, 0, 1ull << 40, KB4);
	s = look();
	ck_assert_uint_eq(s.n, 5);
	ck_assert_uint_eq(s.run[0].va, GB1);
	ck_assert_uint_eq(s.run[0].size, 2 * MB2);
	ck_assert_uint_eq(s.run[0].level, 1);
	ck_assert_uint_eq(s.run[0].flags, PPU_PTE_VALID | PPU_PTE_LARGE);
	for (unsigned i = 1; i < 4; i++) {
		ck_assert_uint_eq(s.run[i].va, GB1 + 2 * MB2 + (i - 1) * KB4);
		ck_assert_uint_eq(s.run[i].size, KB4);
		ck_assert_uint_eq(s.run[i].flags, PPU_PTE_VALID | (i == 2 ? PPU_PTE_READONLY : 0));
	}
	ck_assert_uint_eq(s.run[4].va, 1ull << 40);
	ck_assert_uint_eq(s.look.tables[3], 1);
	ck_assert_uint_eq(s.look.tables[2], 2);
	ck_assert_uint_eq(s.look.tables[1], 2);
	ck_assert_uint_eq(s.look.tables[0], 2);
}
END_TEST

/* ---- contexts ------------------------------------------------------------------------------------------- */

START_TEST(inst_block)
{
	static struct ppu_inst_block blk, want;
	const struct ppu_inst inst = {
		.root = 0x123000, .context_id = 7, .max_depth = 24, .max_pending = 99, .prio_ceiling = 11,
		.local_per_thread = 512, .watchdog_ns = 5000000000, .local = { 0x1000, 0x2000 },
		.tokq = { 0x10000, 0x20000 }, .save = { 0x100000, 0x200000 }, .owner = 0x1234567890,
	};

	memset(&blk, 0xee, sizeof(blk));
	ppu_inst_fill(&blk, &inst);
	want = (struct ppu_inst_block){
		.magic = PPU_INST_MAGIC, .version = PPU_INST_VERSION, .pt_root = 0x123000, .context_id = 7,
		.max_depth = 24, .prio_ceiling = 11, .local_base = 0x1000, .local_size = 0x2000,
		.tokq_base = 0x10000, .tokq_size = 0x20000, .save_base = 0x100000, .save_size = 0x200000,
		.local_per_thread = 512, .max_pending = 99, .watchdog_ns = 5000000000, .owner = 0x1234567890,
	};
	ck_assert_mem_eq(&blk, &want, sizeof(blk));
}
END_TEST

START_TEST(sizes)
{
	const struct ppu_machine def = { 15, 64, 256, 262144 }, least = { 1, 1, 4, 4096 };
	struct ppu_area_sizes s;

	ppu_area_sizes(&s, &def, 1, 1024);
	ck_assert_uint_eq(s.local, 15ull * 64 * 32 * 1024);
	ck_assert_uint_eq(s.tokq, 15ull * 64 * 256 * 8);
	ck_assert_uint_eq(s.save, 5ull * (2 * 262144 + 1024 * 1024));
	/* one level costs one part more */
	ppu_area_sizes(&s, &def, 2, 1024);
	ck_assert_uint_eq(s.save, 6ull * (2 * 262144 + 1024 * 1024));
	/* whole pages */
	ppu_area_sizes(&s, &least, 1, 16);
	ck_assert_uint_eq(s.local, KB4);
	ck_assert_uint_eq(s.tokq, KB4);
	ck_assert_uint_eq(s.save % KB4, 0);
	/* the largest device that can be: nothing wraps */
	ppu_area_sizes(&s, &(struct ppu_machine){ 4096, 64, 4096, 0xfffff000 }, PPU_MAX_DEPTH, PPU_LOCAL_MAX);
	ck_assert_uint_eq(s.local, 4096ull * 64 * 32 * PPU_LOCAL_MAX);
	ck_assert_uint_eq(s.tokq, 4096ull * 64 * 4096 * 8);
	ck_assert_uint_eq(s.save, 68ull * (512 * 0xfffff000ull + 1024ull * PPU_LOCAL_MAX));
}
END_TEST

START_TEST(limits)
{
	ck_assert(!ppu_local_ok(0));
	ck_assert(ppu_local_ok(1));
	ck_assert(ppu_local_ok(512 << 10));
	ck_assert(!ppu_local_ok((512 << 10) + 1));
	ck_assert(!ppu_local_ok(1ull << 32 | 16));
	ck_assert_uint_eq(ppu_local_round(1), 16);
	ck_assert_uint_eq(ppu_local_round(16), 16);
	ck_assert_uint_eq(ppu_local_round(17), 32);
	ck_assert_uint_eq(ppu_local_round(PPU_LOCAL_MAX), PPU_LOCAL_MAX);
	ck_assert(!ppu_depth_ok(0));
	ck_assert(ppu_depth_ok(1));
	ck_assert(ppu_depth_ok(PPU_MAX_DEPTH));
	ck_assert(!ppu_depth_ok(PPU_MAX_DEPTH + 1));
	ck_assert(!ppu_depth_ok(1ull << 32 | 1));
	ck_assert_uint_eq(ppu_prio_ceiling(0, 12, 0), 11);
	ck_assert_uint_eq(ppu_prio_ceiling(3, 12, 0), 2);
	ck_assert_uint_eq(ppu_prio_ceiling(1, 12, 0), 0);
	ck_assert_uint_eq(ppu_prio_ceiling(0, 0, 0), 0);
	/* SP-6: the lowest are the last numbers. */
	ck_assert_uint_eq(ppu_prio_ceiling(0, 12, PPU_FEAT_PRIO_DOWN), 0);
	ck_assert_uint_eq(ppu_prio_ceiling(3, 12, PPU_FEAT_PRIO_DOWN), 9);
	ck_assert_uint_eq(ppu_prio_ceiling(1, 12, PPU_FEAT_PRIO_DOWN), 11);
	ck_assert_uint_eq(ppu_prio_ceiling(0, 0, PPU_FEAT_PRIO_DOWN), 0);
}
END_TEST

#define WROTE(n, o, v) do { \
	ck_assert_uint_gt(d.num_wrote, n); \
	ck_assert_uint_eq(d.wrote[n].off, o); \
	ck_assert_uint_eq(d.wrote[n].val, v); \
} while (0)

START_TEST(context_commands)
{
	d.reg[PPU_REG_CTX_STATUS / 4] = PPU_CTX_BUSY;
	ck_assert_uint_eq(ppu_context_cmd(&bus, NULL, 0x200003000, 0), PPU_CTX_BUSY);
	ck_assert_uint_eq(d.num_wrote, 2);
	WROTE(0, PPU_REG_CTX_INST_LO, 0x3000);
	WROTE(1, PPU_REG_CTX_INST_HI, 2);
	ppu_context_cmd(&bus, NULL, 0x3000, PPU_CTX_CMD_LOAD);
	ck_assert_uint_eq(d.num_wrote, 5);
	WROTE(4, PPU_REG_CTX_CMD, PPU_CTX_CMD_LOAD);
	ppu_context_invalidate(&bus, NULL, 0x200003000);
	WROTE(5, PPU_REG_TLB_INV_INST_LO, 0x3000);
	WROTE(6, PPU_REG_TLB_INV_INST_HI, 2);
	WROTE(7, PPU_REG_TLB_INV, 1);
}
END_TEST

/* ---- channels ------------------------------------------------------------------------------------------- */

static uint32_t chreg(uint32_t chid, uint32_t reg)
{
	return PPU_BAR0_CHCFG + chid * PPU_CHCFG_STRIDE + reg;
}

START_TEST(configure)
{
	const struct ppu_chan_config c = {
		.inst = 0x200003000, .ring_va = 0x800000001000, .entries = 13, .hw_class = PPU_CLASS_DEVQ,
		.priority = 5, .timeslice_ns = 777, .engine_mask = 3, .flags = PPU_CHF_AUTO_REFRESH, .get = 4,
		.shadow_va = 0x900000002000, .group = 6,
	};
	static const struct { uint32_t reg, val; } want[] = {
		{ PPU_REG_CH_INST_LO, 0x3000 }, { PPU_REG_CH_INST_LO + 4, 2 },
		{ PPU_REG_CH_RING_LO, 0x1000 }, { PPU_REG_CH_RING_LO + 4, 0x8000 },
		{ PPU_REG_CH_RING_ENTRIES, 13 }, { PPU_REG_CH_CLASS, PPU_CLASS_DEVQ },
		{ PPU_REG_CH_PRIORITY, 5 }, { PPU_REG_CH_TIMESLICE_NS, 777 },
		{ PPU_REG_CH_ENGINE_MASK, 3 }, { PPU_REG_CH_FLAGS, PPU_CHF_AUTO_REFRESH },
		{ PPU_REG_CH_GET, 4 }, { PPU_REG_CH_PUT, 4 },
		{ PPU_REG_CH_DEVQ_SHADOW_LO, 0x2000 }, { PPU_REG_CH_DEVQ_SHADOW_LO + 4, 0x9000 },
		{ PPU_REG_CH_GROUP, 6 },
	};

	ppu_chan_configure(&bus, NULL, 9, &c);
	ck_assert_uint_eq(d.num_wrote, sizeof(want) / sizeof(want[0]));
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_uint_eq(d.reg[chreg(9, want[i].reg) / 4], want[i].val);
}
END_TEST

#define Q_VA	0x800000100000ull
#define CHID	3u

/* After each step: its writes are there, and none of later steps; GP_PUT is written after the entry. */
static void devq(uint32_t count, uint32_t get, const struct pieces *where)
{
	struct ppu_devq_layout l = ppu_devq_layout(count);
	struct ppu_devq_setup q = {
		.bus = &bus, .chid = CHID, .count = count, .va = Q_VA, .layout = &l, .mem = backing(where),
	};
	uint64_t entry, start;
	u64 c;

#define AT(offset) dev_mem_rd(NULL, piece_addr(where, offset, &c))
	memset(&d, 0, sizeof(d));
	d.reg[chreg(CHID, PPU_REG_CH_GET) / 4] = d.reg[chreg(CHID, PPU_REG_CH_PUT) / 4] = get;
	entry = (uint64_t)get * PPU_DEVQ_ENTRY_BYTES;
	start = l.start;
	ck_assert_int_eq(ppu_devq_step(&q, 405), 0);
	ck_assert_uint_eq(AT(l.x) | AT(l.y) | AT(start), 0);
	ck_assert_int_eq(ppu_devq_step(&q, 406), 0);
	ck_assert_uint_eq((uint32_t)AT(start), PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, 5, PPU_SEM_OP_EQ));
	ck_assert_uint_eq(AT(start) >> 32 | AT(start + 8) << 32, Q_VA + l.x);
	ck_assert_uint_eq(AT(start + 8) >> 32 | AT(start + 16) << 32, PPU_DEVQ_FIRST_X);
	ck_assert_uint_eq(AT(entry) | AT(entry + 8), 0);
	ck_assert_int_eq(ppu_devq_step(&q, 408), 0);
	ck_assert_uint_eq(AT(entry), Q_VA + l.start);
	ck_assert_uint_eq(AT(entry + 8), 5);
	ck_assert_uint_eq(d.num_wrote, 0);
	ck_assert_uint_eq(d.num_orders, 0);
	ck_assert_int_eq(ppu_devq_step(&q, 410), 0);
	ck_assert_uint_eq(d.num_orders, 1);
	ck_assert_uint_eq(d.num_wrote, 1);
	WROTE(0, chreg(CHID, PPU_REG_CH_PUT), (get + count - 1) % count);
	ck_assert_uint_eq(AT(l.soft) | AT(l.shadow), 0);
	ck_assert_int_eq(ppu_devq_step(&q, 412), 0);
	ck_assert_uint_eq(AT(l.soft), get + 1);
	ck_assert_uint_eq(AT(l.shadow), (uint64_t)get + count - 1);
	ck_assert_uint_eq(d.num_wrote, 1);
	ck_assert_uint_eq(d.num_orders, 2);
}

START_TEST(devq_steps)
{
	static const uint32_t counts[] = { 3, 6, 8, 13, 1000 };
	static const struct pieces one = { 0x300000, 1 << 20, 1 << 20 }, many = { 0x300000, KB4, 2 * KB4 };

	ck_assert_uint_eq(ppu_devq_steps[0], 405);
	ck_assert_uint_eq(ppu_devq_steps[PPU_DEVQ_NUM_STEPS - 1], 412);
	for (unsigned i = 0; i < 5; i++) {
		for (uint32_t get = 0; get < counts[i]; get += counts[i] > 13 ? 333 : 1) {
			devq(counts[i], get, &one);
			devq(counts[i], get, &many);
		}
	}
}
END_TEST

START_TEST(devq_gone)
{
	static const struct pieces one = { 0x300000, 1 << 20, 1 << 20 };
	struct ppu_devq_layout l = ppu_devq_layout(8);
	struct ppu_devq_setup q = {
		.bus = &bus, .chid = CHID, .count = 8, .va = Q_VA, .layout = &l, .mem = backing(&one),
	};

	d.reg[chreg(CHID, PPU_REG_CH_GET) / 4] = ~0u;
	ck_assert_int_eq(ppu_devq_step(&q, 408), -ENODEV);
	ck_assert_int_eq(ppu_devq_step(&q, 407), -EINVAL);
	ppu_devq_refresh(&bus, NULL, CHID);
	WROTE(0, chreg(CHID, PPU_REG_CH_CMD), PPU_CH_CMD_REFRESH);
}
END_TEST

START_TEST(centre)
{
	const int32_t size = 16;

	for (int32_t tail = -1; tail < size; tail++) {
		for (int32_t head = tail + 1; head <= size; head++) {
			struct ppu_token_queue q = { 0x8000, size, head, tail };
			int32_t n = head - tail - 1;

			for (int32_t i = 0; i < n; i++)
				dev_mem_wr(NULL, 0x8000 + 8 * (uint64_t)(tail + 1 + i), 100 + (uint64_t)i);
			ck_assert(ppu_token_queue_centre(&bus, NULL, VRAM, &q) == (n < size));
			if (n == size)
				continue;
			ck_assert_int_eq(q.tail + 1, (size - n) / 2);
			ck_assert_int_eq(q.head, q.tail + 1 + n);
			for (uint64_t i = 0; i < (uint64_t)n; i++)
				ck_assert_uint_eq(dev_mem_rd(NULL, 0x8000 + 8 * ((uint64_t)(q.tail + 1) + i)), 100 + i);
		}
	}
}
END_TEST

START_TEST(centre_impossible)
{
	static const struct ppu_token_queue bad[] = {
		{ 0x8000, 16, 5, -2 }, { 0x8000, 16, 17, 3 }, { 0x8000, 16, 3, 3 }, { 0x8000, 16, 2, 3 },
		{ 0x8004, 16, 5, 3 }, { VRAM - 64, 16, 5, 3 }, { VRAM, 16, 5, 3 }, { ~7ull, 16, 5, 3 },
		{ 0x8000, 16, INT32_MAX, INT32_MIN }, { 0x8000, 16, INT32_MIN, INT32_MAX },
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ppu_token_queue q = bad[i];

		ck_assert(!ppu_token_queue_centre(&bus, NULL, VRAM, &q));
		ck_assert_mem_eq(&q, &bad[i], sizeof(q));
	}
}
END_TEST

/* ---- faults --------------------------------------------------------------------------------------------- */

START_TEST(who_dies)
{
	static const struct {
		uint32_t error;
		bool guilty, context;
		enum ppu_end end;
	} t[] = {
		{ PPU_ERR_NONE, false, false, PPU_END_NONE }, { PPU_ERR_NONE, true, false, PPU_END_NONE },
		{ PPU_ERR_PUT_RANGE, false, false, PPU_END_FAULTED },
		{ PPU_ERR_COPY_FAULT, false, false, PPU_END_FAULTED },
		{ PPU_ERR_LAUNCH_DEPTH, true, false, PPU_END_FAULTED },
		{ PPU_ERR_RUN_LIMIT, true, false, PPU_END_FAULTED },
		{ PPU_ERR_CTX_STOPPED, false, false, PPU_END_INNOCENT },
		{ PPU_ERR_CTX_STOPPED, true, false, PPU_END_INNOCENT },
		{ PPU_ERR_MMU_UNMAPPED, true, true, PPU_END_FAULTED },
		{ PPU_ERR_MMU_UNMAPPED, false, true, PPU_END_INNOCENT },
		{ PPU_ERR_TASK_QUEUE, true, true, PPU_END_FAULTED },
		{ PPU_ERR_TASK_QUEUE, false, true, PPU_END_INNOCENT },
		{ 1000, false, true, PPU_END_INNOCENT },	/* of a later device */
	};

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		ck_assert_int_eq(ppu_err_ends_context(t[i].error), t[i].context);
		ck_assert_int_eq(ppu_err_channel_end(t[i].error, t[i].guilty), t[i].end);
	}
	/* every code ends what its list states */
#define CH false
#define CTX true
#define NOTE false
#define E(name, code, scope, text) ck_assert_int_eq(ppu_err_ends_context(code), scope);
	PPU_ERRS(E)
#undef E
#undef NOTE
#undef CTX
#undef CH
	ck_assert_int_eq(ppu_err_owner_end(PPU_END_NONE), PPU_END_NONE);
	ck_assert_int_eq(ppu_err_owner_end(PPU_END_FAULTED), PPU_END_STOPPED);
	ck_assert_int_eq(ppu_err_owner_end(PPU_END_INNOCENT), PPU_END_STOPPED);
	ck_assert_int_eq(ppu_err_owner_end(PPU_END_STOPPED), PPU_END_NONE);
}
END_TEST

START_TEST(records)
{
	struct ppu_fault_rec rec;

	ck_assert(!ppu_fault_next(&bus, NULL, &rec));
	ck_assert_uint_eq(d.num_wrote, 0);
	/* the last place of the ring; the first comes behind it */
	d.reg[PPU_REG_FAULT_GET / 4] = PPU_FAULT_RING - 1;
	d.reg[PPU_REG_FAULT_DATA / 4] = 0x01010101;
	ck_assert(ppu_fault_next(&bus, NULL, &rec));
	WROTE(0, PPU_REG_FAULT_SEL, 0);
	WROTE(1, PPU_REG_FAULT_GET, 0);
	ck_assert_uint_eq(rec.cta[2], 0x01010101);
	ck_assert(!ppu_fault_next(&bus, NULL, &rec));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("driver_core");
	TCase *t = tcase_create("core");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, small_and_large);
	tcase_add_test(t, flags);
	tcase_add_test(t, null_leaves);
	tcase_add_test(t, cuts);
	tcase_add_test(t, replaced);
	tcase_add_test(t, shared_tables);
	tcase_add_test(t, plan);
	tcase_add_test(t, plan_of_cuts);
	tcase_add_test(t, plan_together);
	tcase_add_test(t, too_few);
	tcase_add_test(t, not_prepared);
	tcase_add_test(t, whole_space);
	tcase_add_test(t, looking);
	tcase_add_test(t, inst_block);
	tcase_add_test(t, sizes);
	tcase_add_test(t, limits);
	tcase_add_test(t, context_commands);
	tcase_add_test(t, configure);
	tcase_add_test(t, devq_steps);
	tcase_add_test(t, devq_gone);
	tcase_add_test(t, centre);
	tcase_add_test(t, centre_impossible);
	tcase_add_test(t, who_dies);
	tcase_add_test(t, records);
	suite_add_tcase(s, t);
	return run_suite(s);
}
