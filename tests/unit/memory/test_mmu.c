/* SPDX-License-Identifier: MIT */
/* Address translation: walk, leaves, permissions, bad entries, both apertures, TLB, watched pages. */
#include <stdlib.h>
#include <string.h>
#include "core/memory/mem.h"
#include "core/memory/mmu.h"
#include "core/memory/refmap.h"
#include "bench.h"
#include "bench_main.h"

static struct ppu_ctx *ctx_of(struct bench_ctx *c)
{
	return ppu_ctx_find(c->b->core, c->inst);
}

static int tr(struct bench_ctx *c, uint64_t va, unsigned acc, unsigned flags, struct ppu_xlat *x)
{
	struct ppu_xlat y;
	int a = ppu_mmu_translate(c->b->core, ctx_of(c), va, acc, flags, x);
	int b = ppu_mmu_lookup(c->b->core, ctx_of(c), va, acc, flags, &y);

	/* The TLB gives the same result, on a miss and on a hit. */
	ck_assert_int_eq(a, b);
	if (!a) {
		ck_assert_ptr_eq(x->host, y.host);
		ck_assert_uint_eq(x->phys.addr, y.phys.addr);
		ck_assert_uint_eq(x->len, y.len);
		ck_assert_int_eq(ppu_mmu_lookup(c->b->core, ctx_of(c), va, acc, flags, &y), 0);
		ck_assert_ptr_eq(x->host, y.host);
		ck_assert_uint_eq(x->len, y.len);
		ck_assert_uint_eq(x->phys.addr, y.phys.addr);
		ck_assert_uint_eq(x->phys.sys, y.phys.sys);
	}
	return a;
}

START_TEST(leaves)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t small = bench_alloc(c, 8192, BENCH_VRAM), large = bench_alloc(c, 4 << 20, BENCH_LARGE);
	uint64_t sys = bench_alloc(c, 8192, BENCH_SCATTER);
	struct ppu_xlat x;

	ck_assert_int_eq(tr(c, small + 100, PPU_ACC_WRITE, 0, &x), 0);
	ck_assert_uint_eq(x.len, 3996);
	ck_assert_uint_eq(x.level, 0);
	ck_assert_ptr_eq(x.host, bench_ptr(c, small + 100));
	ck_assert_int_eq(tr(c, large + (2 << 20) + 5, PPU_ACC_EXEC, 0, &x), 0);
	ck_assert_uint_eq(x.len, (2 << 20) - 5);
	ck_assert_uint_eq(x.level, 1);
	ck_assert_ptr_eq(x.host, bench_ptr(c, large + (2 << 20) + 5));
	ck_assert_int_eq(tr(c, sys + 4097, PPU_ACC_ATOMIC, 0, &x), 0);
	ck_assert_uint_eq(x.phys.sys, 1);
	ck_assert_ptr_eq(x.host, bench_ptr(c, sys + 4097));
	/* A large page of system memory whose RAM comes in pieces. */
	b->ram_next = 2 << 20;
	bench_map(c, 0x4000000000ull, BENCH_RAM_BASE + (2 << 20), 2 << 20, PPU_PTE_SYS | PPU_PTE_LARGE);
	b->map_max = 8192;
	ppu_core_invalidate_maps(b->core);
	for (unsigned i = 0; i < 512; i++) {
		ck_assert_int_eq(ppu_mmu_lookup(b->core, ctx_of(c), 0x4000000000ull + i * 4096ull + 7,
						PPU_ACC_READ, 0, &x), 0);
		ck_assert_ptr_eq(x.host, b->ram + (2 << 20) + i * 4096 + 7);
		ck_assert_uint_le(x.len, 8192);
	}
	bench_free(b);
}
END_TEST

/* A large page of system memory of which a quarter lies elsewhere in the host, whatever is accessed first. */
START_TEST(a_quarter_elsewhere)
{
	enum { FROM = 512 << 10, TO = 1 << 20 };
	static uint8_t far[TO - FROM];

	for (unsigned order = 0; order < 4; order++) {
		struct bench *b = bench_new("vram=64M");
		struct bench_ctx *c = bench_ctx_new(b);

		b->ram_next = 2 << 20;
		bench_map(c, 0x4000000000ull, BENCH_RAM_BASE + (2 << 20), 2 << 20, PPU_PTE_SYS | PPU_PTE_LARGE);
		b->ram_far = far;
		b->ram_far_from = (2 << 20) + FROM;
		b->ram_far_to = (2 << 20) + TO;
		ppu_core_invalidate_maps(b->core);
		for (unsigned i = 0; i < 512; i++) {
			uint64_t off = (order & 1 ? 511 - i : i ^ (order & 2 ? 256 : 0)) * 4096ull;
			struct ppu_xlat x;

			ck_assert_int_eq(ppu_mmu_lookup(b->core, ctx_of(c), 0x4000000000ull + off, PPU_ACC_READ, 0, &x), 0);
			ck_assert_ptr_eq(x.host, off >= FROM && off < TO ? far + off - FROM : b->ram + (2 << 20) + off);
			ck_assert_uint_le(x.len, (off < FROM ? FROM : off < TO ? TO : 2 << 20) - off);
		}
		bench_free(b);
	}
}
END_TEST

START_TEST(permissions)
{
	static const struct { uint64_t flag; unsigned acc, err; } t[] = {
		{ PPU_PTE_READONLY, PPU_ACC_WRITE, PPU_ERR_MMU_READONLY },
		{ PPU_PTE_READONLY, PPU_ACC_ATOMIC, PPU_ERR_MMU_READONLY },
		{ PPU_PTE_READONLY, PPU_ACC_READ, 0 }, { PPU_PTE_READONLY, PPU_ACC_EXEC, 0 },
		{ PPU_PTE_NOEXEC, PPU_ACC_EXEC, PPU_ERR_MMU_NOEXEC },
		{ PPU_PTE_NOEXEC, PPU_ACC_WRITE, 0 }, { PPU_PTE_UNCACHED, PPU_ACC_WRITE, 0 },
		{ PPU_PTE_PRIV, PPU_ACC_READ, PPU_ERR_MMU_PRIV },
		{ PPU_PTE_PRIV, PPU_ACC_WRITE, PPU_ERR_MMU_PRIV },
	};
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct ppu_xlat x;

	for (unsigned large = 0; large < 2; large++) {
		for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
			uint64_t va = 0x200000000ull + (large * 100 + i) * PPU_LARGE_SIZE;

			bench_map(c, va, 16 << 20, 4096, t[i].flag | (large ? PPU_PTE_LARGE : 0));
			ck_assert_int_eq(tr(c, va, t[i].acc, 0, &x), t[i].err);
			if (t[i].flag == PPU_PTE_PRIV)
				ck_assert_int_eq(tr(c, va, t[i].acc, PPU_XL_PRIV, &x), 0);
			/* Once more in the other order: a TLB hit checks, too. */
			ck_assert_int_eq(tr(c, va, t[i].acc, 0, &x), t[i].err);
		}
	}
	bench_free(b);
}
END_TEST

/* A leaf without memory: for SMs and copy engines alone, in pieces of 4 KiB, and never kept in a TLB. */
START_TEST(null_pages)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct ppu_xlat x;

	for (unsigned large = 0; large < 2; large++) {
		uint64_t va = 0x200000000ull + large * PPU_LARGE_SIZE, f = PPU_PTE_NULL | (large ? PPU_PTE_LARGE : 0);
		uint64_t in = va + (large ? 7 * 4096 : 0) + 100, *pte = bench_pte(c, va, large);

		bench_map(c, va, 0, 4096, f);
		ck_assert_int_eq(tr(c, in, PPU_ACC_WRITE, PPU_XL_NULL, &x), 0);
		ck_assert_uint_eq(x.len, 3996);
		ck_assert(x.pte & PPU_PTE_NULL);
		memset(x.host, 0x5a, x.len);
		ck_assert_int_eq(tr(c, in, PPU_ACC_READ, PPU_XL_NULL, &x), 0);
		ck_assert_uint_eq(x.len, 3996);
		for (unsigned i = 0; i < x.len; i++)
			ck_assert_uint_eq(x.host[i], 0);
		ck_assert_int_eq(tr(c, in, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_UNMAPPED);
		ck_assert_int_eq(tr(c, in, PPU_ACC_EXEC, 0, &x), PPU_ERR_MMU_UNMAPPED);
		*pte |= PPU_PTE_READONLY;
		bench_invalidate(c);
		ck_assert_int_eq(tr(c, in, PPU_ACC_READ, PPU_XL_NULL, &x), 0);
		ck_assert_int_eq(tr(c, in, PPU_ACC_WRITE, PPU_XL_NULL, &x), PPU_ERR_MMU_READONLY);
		/* There is no address, in no memory. */
		*pte = f | PPU_PTE_VALID | PPU_PTE_SYS;
		ck_assert_int_eq(tr(c, in, PPU_ACC_READ, PPU_XL_NULL, &x), PPU_ERR_MMU_BAD_PTE);
		*pte = f | PPU_PTE_VALID | 4 << 20;
		ck_assert_int_eq(tr(c, in, PPU_ACC_READ, PPU_XL_NULL, &x), PPU_ERR_MMU_BAD_PTE);
	}
	bench_free(b);
}
END_TEST

START_TEST(bad_tables)
{
	struct bench *b = bench_new("vram=16M");
	struct bench_ctx *c = bench_ctx_new(b);
	const uint64_t va = 0x123456789000ull, vram = 16 << 20;
	struct ppu_xlat x;

	ck_assert_int_eq(tr(c, va, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_UNMAPPED);
	ck_assert_uint_eq(x.level, 3);
	ck_assert_int_eq(tr(c, 1ull << 48, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_UNMAPPED);
	ck_assert_int_eq(tr(c, ~0ull, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_UNMAPPED);
	ck_assert_int_eq(tr(c, PPU_VA_SHARED_BASE, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_UNMAPPED);
	for (unsigned level = 0; level < 4; level++) {
		uint64_t *pte = bench_pte(c, va, level), good;

		bench_map(c, va, 0, 4096, 0);
		bench_invalidate(c);
		ck_assert_int_eq(tr(c, va, PPU_ACC_READ, 0, &x), 0);
		good = *pte;
		for (unsigned bit = 0; bit < 64; bit++) {
			unsigned want = PPU_ERR_MMU_BAD_PTE;
			uint64_t v = good ^ (1ull << bit);

			if (bit == 0)
				want = PPU_ERR_MMU_UNMAPPED;
			else if (bit == 1)
				want = level || v ? PPU_ERR_SM_DMA : 0;	/* no RAM there */
			else if (bit == 7 && (!level || good & PPU_PTE_LARGE))
				want = PPU_ERR_MMU_UNMAPPED;	/* no memory, and this access needs some */
			else if (bit >= 2 && bit <= 6 && !level)
				want = bit == 5 ? PPU_ERR_MMU_PRIV : bit == 4 ? PPU_ERR_MMU_BAD_PTE : 0;
			else if (bit == 4 && level == 1)
				want = good & PPU_PTE_ADDR & (PPU_LARGE_SIZE - 1) ? PPU_ERR_MMU_BAD_PTE : 0;
			else if (bit >= 12 && bit < 24)
				continue;	/* another place in VRAM */
			*pte = v;
			bench_invalidate(c);
			ck_assert_msg(tr(c, va, PPU_ACC_READ, 0, &x) == (int)want,
				      "level %u bit %u", level, bit);
			if (want && want != PPU_ERR_MMU_PRIV && want != PPU_ERR_SM_DMA &&
			    (bit < 12 || bit > 51))
				ck_assert_uint_eq(x.level, level);
			*pte = good;
		}
	}
	/* Large pages: not aligned; reaching past VRAM. */
	*bench_pte(c, va, 1) = 4096 | PPU_PTE_VALID | PPU_PTE_LARGE;
	bench_invalidate(c);
	ck_assert_int_eq(tr(c, va, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_BAD_PTE);
	*bench_pte(c, va, 1) = vram | PPU_PTE_VALID | PPU_PTE_LARGE;
	bench_invalidate(c);
	ck_assert_int_eq(tr(c, va, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_BAD_PTE);
	/* DMA off. */
	uint64_t sys = bench_alloc(c, 4096, BENCH_SYS);

	ck_assert_int_eq(tr(c, sys, PPU_ACC_READ, 0, &x), 0);
	b->dma_off = true;
	ppu_core_invalidate_maps(b->core);
	ck_assert_int_eq(tr(c, sys, PPU_ACC_READ, 0, &x), PPU_ERR_SM_DMA);
	bench_free(b);
}
END_TEST

/* Page tables in system memory, also the root. */
START_TEST(tables_in_system_memory)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_make(b);
	uint64_t root = bench_ram(b, 4096), table[3], va = 0x7f0000001000ull, data = bench_vram(b, 4096);
	struct ppu_xlat x;

	c->blk->pt_root = root | 1;
	for (unsigned l = 3; l >= 1; l--) {
		uint64_t *at = (uint64_t *)(b->ram + ((l == 3 ? root : table[l]) - BENCH_RAM_BASE));

		table[l - 1] = bench_ram(b, 4096);
		at[(va >> PPU_PT_SHIFT(l)) % 512] = table[l - 1] | PPU_PTE_VALID | PPU_PTE_SYS;
	}
	((uint64_t *)(b->ram + (table[0] - BENCH_RAM_BASE)))[(va >> 12) % 512] = data | PPU_PTE_VALID;
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED);
	ck_assert_int_eq(tr(c, va + 8, PPU_ACC_WRITE, 0, &x), 0);
	ck_assert_ptr_eq(x.host, b->vram + data + 8);
	bench_free(b);
}
END_TEST

/* A translation is kept until TLB_INV (of its context, or of all); other contexts keep theirs. */
START_TEST(tlb)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b), *d = bench_ctx_new(b);
	uint64_t va = bench_alloc(c, 4096, BENCH_VRAM), p = bench_vram(b, 4096), misses;
	struct ppu_xlat x;

	ck_assert_int_eq(ppu_mmu_lookup(b->core, ctx_of(c), va, PPU_ACC_READ, 0, &x), 0);
	ck_assert_int_eq(ppu_mmu_lookup(b->core, ctx_of(d), va, PPU_ACC_READ, 0, &x),
			 PPU_ERR_MMU_UNMAPPED);
	misses = bench_ctr(b, PPU_CTR_TLB_MISSES);
	for (unsigned i = 0; i < 100; i++)
		ppu_mmu_lookup(b->core, ctx_of(c), va + i, PPU_ACC_READ, 0, &x);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TLB_MISSES), misses);
	bench_map(c, va, p, 4096, 0);
	bench_set(b, PPU_REG_TLB_INV, 2);
	ck_assert_int_eq(ppu_mmu_lookup(b->core, ctx_of(c), va, PPU_ACC_READ, 0, &x), 0);
	ck_assert_ptr_eq(x.host, b->vram + p);
	bench_unmap(c, va, 4096);
	ck_assert_int_eq(ppu_mmu_lookup(b->core, ctx_of(c), va, PPU_ACC_READ, 0, &x),
			 PPU_ERR_MMU_UNMAPPED);
	bench_set(b, PPU_REG_TLB_INV, 3);
	ck_assert_uint_eq(b->guest_errors, 1);
	bench_free(b);
}
END_TEST

START_TEST(watched_pages)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t va = bench_alloc(c, 4 << 20, BENCH_LARGE);
	struct ppu_phys p = { 0 };
	struct ppu_xlat x;
	uint32_t gen;
	bool sys;

	p.addr = bench_phys(c, va + 0x5000, &sys);
	ck_assert_int_eq(tr(c, va, PPU_ACC_WRITE, 0, &x), 0);
	ck_assert(!x.watched && x.level == 1);
	gen = b->core->xlat_gen;
	ppu_mem_watch(b->core, p);
	ck_assert_uint_ne(b->core->xlat_gen, gen);
	gen = b->core->xlat_gen;
	ppu_mem_watch(b->core, p);
	ck_assert_uint_eq(b->core->xlat_gen, gen);
	/* Each 4 KiB page inside the large page is now marked separately. */
	ck_assert_int_eq(tr(c, va + 0x4ff8, PPU_ACC_WRITE, 0, &x), 0);
	ck_assert(!x.watched && x.len == 8);
	ck_assert_int_eq(tr(c, va + 0x5000, PPU_ACC_WRITE, 0, &x), 0);
	ck_assert(x.watched && x.len == 4096);
	ck_assert_int_eq(tr(c, va + (2 << 20), PPU_ACC_WRITE, 0, &x), 0);
	ck_assert(!x.watched && x.len == 2 << 20);
	ck_assert(ppu_mem_watched_range(b->core, (struct ppu_phys){ 0, 0 }, 64 << 20));
	ck_assert(!ppu_mem_watched_range(b->core, (struct ppu_phys){ 0, 0 }, p.addr));
	ck_assert(ppu_mem_watched_range(b->core, (struct ppu_phys){ 0, 0 }, p.addr + 1));
	ck_assert(!ppu_mem_watched_range(b->core, (struct ppu_phys){ p.addr + 4096, 0 }, 32 << 20));
	ck_assert(!ppu_mem_watched_range(b->core, (struct ppu_phys){ 0, 1 }, 64 << 20));
	ppu_mem_unwatch(b->core, p);
	ppu_mem_unwatch(b->core, p);
	/* Many pages: the set does not grow without bound, and nothing is lost. */
	for (unsigned i = 0; i < 5000; i++) {
		struct ppu_phys q = { (uint64_t)i * 4096, i & 1 };

		ppu_mem_watch(b->core, q);
		ck_assert(ppu_mem_watched(b->core, q));
		if (i % 10)
			ppu_mem_unwatch(b->core, q);
	}
	for (unsigned i = 0; i < 5000; i += 10) {
		ck_assert(ppu_mem_watched(b->core, (struct ppu_phys){ (uint64_t)i * 4096, i & 1 }));
		ppu_mem_unwatch(b->core, (struct ppu_phys){ (uint64_t)i * 4096, i & 1 });
	}
	bench_free(b);
}
END_TEST

/*
 * The TLB holds entries of all contexts.  Two whose hashes agree meet in every slot: each address leads to the right
 * memory in each of the two contexts, however they alternate (WQ-71).
 */
START_TEST(tlb_keeps_contexts_apart)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b), *d;
	uint64_t inst = c->inst, at, misses;
	struct ppu_xlat x;

	/* The TLB's index is part of this hash: find an instance block with the same lower 16 bits. */
	for (;;) {
		at = (b->vram_next + 4095) & ~4095ull;
		if (at != inst && (ppu_hash64(at) & 0xfff) == (ppu_hash64(inst) & 0xfff))
			break;
		bench_vram(b, 4096);
	}
	d = bench_ctx_new(b);
	ck_assert_uint_eq(d->inst, at);
	for (unsigned large = 0; large < 2; large++) {
		uint64_t va = large ? 0x8000000000ull : 0x4000000000ull;
		uint64_t flags = large ? PPU_PTE_LARGE : 0, bytes = large ? 2 << 20 : 4096;
		uint64_t p = 32 << 20, q = 48 << 20;

		bench_map(c, va, p, bytes, flags);
		bench_map(d, va, q, bytes, flags);
		bench_map(d, va + bytes, q, bytes, flags | PPU_PTE_READONLY);
		bench_invalidate(c);
		bench_invalidate(d);
		for (unsigned i = 0; i < 4; i++) {
			ck_assert_int_eq(tr(c, va + 8, PPU_ACC_WRITE, 0, &x), 0);
			ck_assert_uint_eq(x.phys.addr, p + 8);
			ck_assert_int_eq(tr(d, va + 8, PPU_ACC_WRITE, 0, &x), 0);
			ck_assert_uint_eq(x.phys.addr, q + 8);
		}
		/* The second lookup is a hit. */
		misses = bench_ctr(b, PPU_CTR_TLB_MISSES);
		ck_assert_int_eq(ppu_mmu_lookup(b->core, ctx_of(d), va, PPU_ACC_READ, 0, &x), 0);
		ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TLB_MISSES), misses);
		ck_assert_int_eq(ppu_mmu_lookup(b->core, ctx_of(c), va, PPU_ACC_READ, 0, &x), 0);
		ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TLB_MISSES), misses + 1);
	}
	bench_free(b);
}
END_TEST

/*
 * The TLB's unit knows the way of its last walk.  It goes it only while the tables say the same: whatever becomes of a table
 * before the next page is looked up, the answer is that of a whole walk, without any invalidation between.
 */
START_TEST(the_way_of_the_last_walk)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b), *d = bench_ctx_new(b);
	uint64_t first = 0x40000000ull, page = bench_vram(b, 4096), moved[PPU_PT_LEVELS];
	unsigned fails = 0;

	for (unsigned i = 0; i < 4 * PPU_PT_ENTRIES; i++)
		bench_map(c, first + i * 4096ull, page, 4096, 0);
	/* Of each table a copy, which leads to the same pages, read-only in the case of the last one. */
	for (unsigned level = 0; level < PPU_PT_LEVELS; level++) {
		uint64_t *table = bench_pte(c, first, level) - (first >> PPU_PT_SHIFT(level)) % PPU_PT_ENTRIES, *copy;

		moved[level] = (bench_vram(b, 8192) + 4095) & ~4095ull;
		copy = (uint64_t *)(b->vram + moved[level]);
		for (unsigned k = 0; k < PPU_PT_ENTRIES; k++)
			copy[k] = table[k] | (!level && table[k] ? PPU_PTE_READONLY : 0);
	}
	for (unsigned i = 0; i < 4 * PPU_PT_ENTRIES; i++) {
		uint64_t va = first + i * 4096ull, *word = NULL, was = 0;
		unsigned level = (unsigned)rand() % PPU_PT_LEVELS, how = (unsigned)rand() % 8;
		struct ppu_xlat x = { 0 }, want = { 0 };
		int err;

		if (how < 4) {
			word = bench_pte(c, va, level);
			was = *word;
			*word = how == 0 ? 0 : how == 1 ? was ^ 1ull << rand() % 64 : how == 2 ? was | 1ull << 60 :
				level && i < PPU_PT_ENTRIES ? moved[level - 1] | PPU_PTE_VALID : was | PPU_PTE_READONLY;
		}
		if (how == 4)
			ppu_mmu_lookup(b->core, ctx_of(d), va, PPU_ACC_READ, 0, &x);
		err = ppu_mmu_lookup(b->core, ctx_of(c), va, PPU_ACC_WRITE, PPU_XL_NULL, &x);
		ck_assert_int_eq(err, ppu_mmu_translate(b->core, ctx_of(c), va, PPU_ACC_WRITE, PPU_XL_NULL, &want));
		ck_assert_uint_eq(x.level, want.level);
		if (!err) {
			ck_assert_ptr_eq(x.host, want.host);
			ck_assert_uint_eq(x.pte, want.pte);
			ck_assert_uint_eq(x.len, want.len);
			ck_assert_uint_eq(x.phys.addr, want.phys.addr);
			ck_assert_uint_eq(x.phys.sys, want.phys.sys);
		}
		fails += err != 0;
		if (word)
			*word = was;
	}
	ck_assert_uint_gt(fails, 100);
	bench_free(b);
}
END_TEST

/* Addresses beyond the reach of page tables are not mapped, even where truncated addresses would be. */
START_TEST(beyond_the_address_space)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t va = bench_alloc(c, 4096, BENCH_VRAM), page = bench_vram(b, 4096);
	struct ppu_xlat x;

	ck_assert_int_eq(tr(c, va, PPU_ACC_READ, 0, &x), 0);
	for (unsigned bit = PPU_VA_BITS; bit < 64; bit++)
		ck_assert_int_eq(tr(c, va | 1ull << bit, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_UNMAPPED);
	bench_map(c, PPU_VA_KERNEL_END - 4096, page, 4096, 0);
	bench_map(c, PPU_VA_KERNEL_END, page, 4096, 0);
	bench_map(c, PPU_VA_LOCAL_BASE, page, 4096, 0);
	bench_invalidate(c);
	ck_assert_int_eq(tr(c, PPU_VA_KERNEL_END - 1, PPU_ACC_READ, 0, &x), 0);
	ck_assert_int_eq(tr(c, PPU_VA_KERNEL_END, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_UNMAPPED);
	ck_assert_int_eq(tr(c, PPU_VA_LOCAL_BASE, PPU_ACC_READ, 0, &x), PPU_ERR_MMU_UNMAPPED);
	bench_free(b);
}
END_TEST

BENCH_MAIN("mmu", the_way_of_the_last_walk, null_pages, tlb_keeps_contexts_apart, beyond_the_address_space, leaves, a_quarter_elsewhere, permissions, bad_tables, tables_in_system_memory, tlb, watched_pages)
