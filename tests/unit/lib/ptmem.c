/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include "ptmem.h"

struct table {
	struct ppu_pt pt;
	struct table *next;
	struct ppu_pt *child[PPU_PT_ENTRIES];
};

struct ptmem {
	struct ppu_pt_tree tree;
	uint64_t (*alloc)(void *opaque);
	void *opaque;
	struct table *tables;
};

static void die(const char *what)
{
	fprintf(stderr, "page tables: %s\n", what);
	abort();
}

static u32 no_rd(void *dev, u32 reg)
{
	die("there are no registers");
	return 0;
}

static void no_wr(void *dev, u32 reg, u32 val)
{
	die("there are no registers");
}

static u64 mem_rd(void *dev, u64 addr)
{
	return *(uint64_t *)((uint8_t *)dev + addr);
}

static void mem_wr(void *dev, u64 addr, u64 val)
{
	*(uint64_t *)((uint8_t *)dev + addr) = val;
}

static void mem_order(void *dev)
{
}

const struct ppu_bus ptmem_bus = {
	.rd = no_rd, .wr = no_wr, .mem_rd = mem_rd, .mem_wr = mem_wr, .mem_order = mem_order,
};

static struct ppu_pt *take(void *pool, unsigned level)
{
	struct ptmem *m = pool;
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		die("out of memory");
	t->pt.addr = m->alloc(m->opaque);
	t->pt.child = level ? t->child : NULL;
	t->next = m->tables;
	m->tables = t;
	return &t->pt;
}

static void drop(void *owner, struct ppu_pt *pt)
{
	die("a table is dropped");
}

static const struct ppu_pt_ops ops = { .bus = &ptmem_bus, .take = take, .drop = drop };

struct ptmem *ptmem_new(uint8_t *vram, uint64_t (*alloc)(void *opaque), void *opaque)
{
	struct ptmem *m = calloc(1, sizeof(*m));

	if (!m)
		die("out of memory");
	m->alloc = alloc;
	m->opaque = opaque;
	m->tree = (struct ppu_pt_tree){ .ops = &ops, .dev = vram, .owner = m };
	m->tree.root = take(m, PPU_PT_TOP);
	m->tree.root->level = PPU_PT_TOP;
	return m;
}

void ptmem_free(struct ptmem *m)
{
	while (m && m->tables) {
		struct table *t = m->tables;

		m->tables = t->next;
		free(t);
	}
	free(m);
}

uint64_t ptmem_root(const struct ptmem *m)
{
	return m->tree.root->addr;
}

static u64 small_addr(const void *phys, u64 offset, u64 *contig)
{
	*contig = PPU_PAGE_SIZE;
	return *(const uint64_t *)phys + offset;
}

static u64 large_addr(const void *phys, u64 offset, u64 *contig)
{
	*contig = PPU_VA_KERNEL_END;
	return *(const uint64_t *)phys + offset;
}

static struct ppu_backing backing(const uint64_t *phys, bool large)
{
	return (struct ppu_backing){ .addr = large ? large_addr : small_addr, .object = phys };
}

void ptmem_map(struct ptmem *m, uint64_t va, uint64_t phys, uint64_t size, uint64_t flags, bool large)
{
	struct ppu_backing mem = backing(&phys, large);

	if (!ppu_pt_prepare_map(&m->tree, m, &mem, 0, va, size) || !ppu_pt_map(&m->tree, &mem, 0, va, size, flags))
		die("not prepared");
}

void ptmem_make(struct ptmem *m, uint64_t va, unsigned level)
{
	uint64_t phys = 0, page = level ? PPU_LARGE_SIZE : PPU_PAGE_SIZE;
	struct ppu_backing mem = backing(&phys, level);

	if (!ppu_pt_prepare_map(&m->tree, m, &mem, 0, va & ~(page - 1), page))
		die("not prepared");
}
