/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address translation: the page table walk, and the TLB that host interface and copy engines share
 * (each SM keeps its own).  Documentation/hw/mmu.md.
 */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/memory/mmu.h"
#include "core/memory/refmap.h"

#define TLB_ENTRIES 1024		/* per page size, direct mapped */
#define TLB_AHEAD 16			/* pages ahead of one that misses: a copy engine looks up as many, then moves them */

struct tlb_entry {
	struct ppu_ctx *ctx;
	uint64_t tag;			/* va >> page shift */
	uint32_t gen;
	uint8_t level;
	uint64_t pte, len;		/* len: bytes from the page's start that host covers */
	struct ppu_phys phys;		/* of the page's start */
	uint8_t *host;
};

/*
 * How the last walk that ended at a 4 KiB page got there.  While its words are what they were, a walk to another page of the
 * same 2 MiB reads them and comes to the same table.
 */
struct path {
	struct ppu_ctx *ctx;
	uint64_t tag, root;		/* tag: va >> PPU_LARGE_SHIFT */
	uint32_t gen;			/* host pointers are good while this is xlat_gen */
	const uint64_t *word[PPU_PT_LEVELS];	/* [0]: the leaf table's first; NULL: there is no path */
	uint64_t value[PPU_PT_LEVELS];
};

struct ppu_mmu {
	uint8_t zeroes[PPU_PAGE_SIZE];	/* what PPU_PTE_NULL reads as */
	uint8_t sink[PPU_PAGE_SIZE];	/* where copy engines put what is lost */
	_Alignas(64) struct tlb_entry small[TLB_ENTRIES], large[TLB_ENTRIES];	/* an entry is a line of the host */
	struct path path;
};

static int check_leaf(uint64_t pte, unsigned acc, unsigned flags)
{
	if ((pte & PPU_PTE_PRIV) && !(flags & PPU_XL_PRIV))
		return PPU_ERR_MMU_PRIV;
	if ((pte & PPU_PTE_READONLY) && (acc == PPU_ACC_WRITE || acc == PPU_ACC_ATOMIC))
		return PPU_ERR_MMU_READONLY;
	if ((pte & PPU_PTE_NOEXEC) && acc == PPU_ACC_EXEC)
		return PPU_ERR_MMU_NOEXEC;
	return 0;
}

static int missing(struct ppu_phys p)
{
	return p.sys ? PPU_ERR_SM_DMA : PPU_ERR_MMU_BAD_PTE;
}

/* Is a leaf what a leaf may be? */
static bool good_leaf(uint64_t pte, unsigned level)
{
	uint64_t addr = pte & PPU_PTE_ADDR;

	return !((pte & PPU_PTE_RESERVED) || (level == 0 && (pte & PPU_PTE_LARGE)) || addr % (1ull << PPU_PT_SHIFT(level)) ||
		 ((pte & PPU_PTE_NULL) && (addr || (pte & PPU_PTE_SYS))));
}

/* The walk has come to the leaf table's word `host` for va; the words above stand in the path. */
static void keep_path(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, struct ppu_phys slot, const uint64_t *host,
		      struct path *path)
{
	struct ppu_phys table = { slot.addr & ~(uint64_t)(PPU_PAGE_SIZE - 1), slot.sys };
	uint64_t len = PPU_PAGE_SIZE;
	const uint64_t *first = (const uint64_t *)ppu_mem_map(core, table, &len, false);

	path->word[0] = len == PPU_PAGE_SIZE && first + (slot.addr - table.addr) / 8 == host ? first : NULL;
	path->ctx = ctx;
	path->tag = va >> PPU_LARGE_SHIFT;
	path->root = ctx->blk.pt_root;
	path->gen = core->xlat_gen;
}

/* What walk() would find, if it would go by the path to a good leaf. */
static bool by_path(const struct ppu_core *core, const struct ppu_ctx *ctx, uint64_t va, struct ppu_xlat *x)
{
	const struct path *path = &core->mmu->path;
	uint64_t i = va >> PPU_PAGE_SHIFT, pte;

	if (!path->word[0] || path->tag != va >> PPU_LARGE_SHIFT || path->ctx != ctx || path->root != ctx->blk.pt_root ||
	    path->gen != core->xlat_gen)
		return false;
	for (int level = PPU_PT_LEVELS - 1; level > 0; level--)
		if (__atomic_load_n(path->word[level], __ATOMIC_RELAXED) != path->value[level])
			return false;
	pte = __atomic_load_n(path->word[0] + i % PPU_PT_ENTRIES, __ATOMIC_RELAXED);
	__builtin_prefetch(path->word[0] + (i + TLB_AHEAD) % PPU_PT_ENTRIES);
	if (!(pte & PPU_PTE_VALID) || !good_leaf(pte, 0))
		return false;
	x->level = 0;
	x->pte = pte;
	x->phys.addr = (pte & PPU_PTE_ADDR) + va % PPU_PAGE_SIZE;
	x->phys.sys = !!(pte & PPU_PTE_SYS);
	return true;
}

/* Fills everything but host, len, watched.  path: NULL, or what is to know the way. */
static int walk(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, struct ppu_xlat *x, struct path *path)
{
	struct ppu_phys table = { ctx->blk.pt_root & ~PPU_APERTURE_MASK,
				  ctx->blk.pt_root & PPU_APERTURE_MASK };
	int level = PPU_PT_LEVELS - 1;

	if (path)
		path->word[0] = NULL;
	x->level = (uint8_t)level;
	if (va >= PPU_VA_KERNEL_END)
		return PPU_ERR_MMU_UNMAPPED;
	for (;; level--) {
		struct ppu_phys slot = table;
		uint64_t pte, len = 8, *host;

		x->level = (uint8_t)level;
		slot.addr += (va >> PPU_PT_SHIFT(level)) % PPU_PT_ENTRIES * 8;
		host = (uint64_t *)ppu_mem_map(core, slot, &len, false);
		if (!host || len < 8)
			return missing(slot);
		pte = __atomic_load_n(host, __ATOMIC_RELAXED);
		if (!(pte & PPU_PTE_VALID))
			return PPU_ERR_MMU_UNMAPPED;
		table.addr = pte & PPU_PTE_ADDR;
		table.sys = !!(pte & PPU_PTE_SYS);
		if (level == 0 || (level == 1 && (pte & PPU_PTE_LARGE))) {
			uint64_t size = 1ull << PPU_PT_SHIFT(level);

			if (!good_leaf(pte, (unsigned)level))
				return PPU_ERR_MMU_BAD_PTE;
			if (path && !level)
				keep_path(core, ctx, va, slot, host, path);
			x->pte = pte;
			x->phys = table;
			x->phys.addr += va % size;
			return 0;
		}
		if (pte & PPU_PDE_RESERVED)
			return PPU_ERR_MMU_BAD_PTE;
		if (path) {
			path->word[level] = host;
			path->value[level] = pte;
		}
	}
}

/* A leaf without memory, 4 KiB of it. */
static int null_page(struct ppu_core *core, uint64_t va, unsigned acc, unsigned flags, struct ppu_xlat *x)
{
	uint64_t off = va % PPU_PAGE_SIZE;

	if (!(flags & PPU_XL_NULL))
		return PPU_ERR_MMU_UNMAPPED;
	x->host = (acc == PPU_ACC_READ ? core->mmu->zeroes : core->mmu->sink) + off;
	x->phys = (struct ppu_phys){ 0 };
	x->len = PPU_PAGE_SIZE - off;
	x->level = 0;
	x->watched = false;
	return 0;
}

/* x is what walk() has found. */
static int translate_leaf(struct ppu_core *core, uint64_t va, unsigned acc, unsigned flags, struct ppu_xlat *x)
{
	struct ppu_phys page;
	int err = check_leaf(x->pte, acc, flags);

	if (err)
		return err;
	if (x->pte & PPU_PTE_NULL)
		return null_page(core, va, acc, flags, x);
	x->len = (1ull << PPU_PT_SHIFT(x->level)) - va % (1ull << PPU_PT_SHIFT(x->level));
	x->watched = false;
	if (x->level) {
		/* In a large page that contains watched 4 KiB pages, each 4 KiB page is treated by itself. */
		page = (struct ppu_phys){ x->phys.addr & ~(PPU_LARGE_SIZE - 1), x->phys.sys };
		if (ppu_mem_watched_range(core, page, PPU_LARGE_SIZE)) {
			x->level = 0;
			x->len = PPU_PAGE_SIZE - va % PPU_PAGE_SIZE;
		}
	}
	if (!x->level)
		x->watched = ppu_mem_watched(core, x->phys);
	x->host = ppu_mem_map(core, x->phys, &x->len, !(x->pte & PPU_PTE_READONLY));
	return x->host ? 0 : missing(x->phys);
}

int ppu_mmu_translate(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		      unsigned flags, struct ppu_xlat *x)
{
	int err = walk(core, ctx, va, x, NULL);

	return err ? err : translate_leaf(core, va, acc, flags, x);
}

static bool hit(const struct tlb_entry *e, const struct ppu_core *core, const struct ppu_ctx *ctx,
		uint64_t tag)
{
	return e->ctx == ctx && e->tag == tag && e->gen == core->xlat_gen;
}

int ppu_mmu_lookup(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		   unsigned flags, struct ppu_xlat *x)
{
	uint64_t small = va >> PPU_PAGE_SHIFT, large = va >> PPU_LARGE_SHIFT;
	struct tlb_entry *e = &core->mmu->small[(small ^ ppu_hash64(ctx->inst)) % TLB_ENTRIES];
	uint64_t off;
	int err;

	if (!hit(e, core, ctx, small)) {
		e = &core->mmu->large[(large ^ ppu_hash64(ctx->inst)) % TLB_ENTRIES];
		if (!hit(e, core, ctx, large))
			e = NULL;
	}
	if (e) {
		off = va % (1ull << PPU_PT_SHIFT(e->level));
		if (off < e->len) {
			err = check_leaf(e->pte, acc, flags);
			x->level = e->level;
			x->pte = e->pte;
			/* Not the struct at once: the host waits long for a wide load of what was just written. */
			x->phys.addr = e->phys.addr + off;
			x->phys.sys = e->phys.sys;
			x->host = e->host + off;
			x->len = e->len - off;
			x->watched = e->level ? false : ppu_mem_watched(core, x->phys);
			return err;
		}
	}

	core->ctr[PPU_CTR_TLB_MISSES]++;
	/* What a huge copy moves puts the TLB out of the host's caches before its pages come by again. */
	__builtin_prefetch(&core->mmu->small[((small + TLB_AHEAD) ^ ppu_hash64(ctx->inst)) % TLB_ENTRIES], 1);
	err = by_path(core, ctx, va, x) ? 0 : walk(core, ctx, va, x, &core->mmu->path);
	if (!err)
		err = translate_leaf(core, va, acc, flags, x);
	if (err || (x->pte & PPU_PTE_NULL))
		return err;
	off = va % (1ull << PPU_PT_SHIFT(x->level));
	/* Keep the whole page in the TLB if the page's start is mapped in the same piece of host memory. */
	if (off) {
		struct ppu_phys start = { x->phys.addr - off, x->phys.sys };
		uint64_t len = off + x->len;
		uint8_t *host = ppu_mem_map(core, start, &len, !(x->pte & PPU_PTE_READONLY));

		if (host != x->host - off || len < off + x->len)
			return 0;
	}
	e = x->level ? &core->mmu->large[(large ^ ppu_hash64(ctx->inst)) % TLB_ENTRIES]
		     : &core->mmu->small[(small ^ ppu_hash64(ctx->inst)) % TLB_ENTRIES];
	e->ctx = ctx;
	e->tag = x->level ? large : small;
	e->gen = core->xlat_gen;
	e->level = x->level;
	e->pte = x->pte;
	e->len = off + x->len;
	e->phys.addr = x->phys.addr - off;
	e->phys.sys = x->phys.sys;
	e->host = x->host - off;
	return 0;
}

int ppu_mmu_read(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, void *buf, uint64_t len,
		 unsigned flags)
{
	uint8_t *b = buf;

	while (len) {
		struct ppu_xlat x;
		int err = ppu_mmu_translate(core, ctx, va, PPU_ACC_READ, flags, &x);
		uint64_t n;

		if (err)
			return err;
		n = x.len < len ? x.len : len;
		memcpy(b, x.host, n);
		b += n;
		va += n;
		len -= n;
	}
	return 0;
}

static int write(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, const void *buf,
		 uint64_t len, unsigned flags, int writer, unsigned unit)
{
	const uint8_t *b = buf;

	while (len) {
		struct ppu_xlat x;
		int err = ppu_mmu_translate(core, ctx, va, PPU_ACC_WRITE, flags, &x);
		uint64_t n;

		if (err)
			return err;
		n = x.len < len ? x.len : len;
		memcpy(x.host, b, n);
		ppu_mem_dirty(core, x.phys, n);
		if (writer >= 0)
			ppu_sem_written(core, x.phys, n, (unsigned)writer, unit);
		b += n;
		va += n;
		len -= n;
	}
	return 0;
}

int ppu_mmu_write(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, const void *buf,
		  uint64_t len, unsigned flags)
{
	return write(core, ctx, va, buf, len, flags, -1, 0);
}

int ppu_mmu_store(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, const void *buf,
		  uint64_t len, unsigned flags, unsigned writer, unsigned unit)
{
	return write(core, ctx, va, buf, len, flags, (int)writer, unit);
}

int ppu_mmu_create(struct ppu_core *core)
{
	core->mmu = ppu_alloc_lines(1, sizeof(*core->mmu));
	return core->mmu ? 0 : -1;
}

void ppu_mmu_destroy(struct ppu_core *core)
{
	ppu_free(core->mmu);
	core->mmu = NULL;
}

void ppu_mmu_reset(struct ppu_core *core)
{
	memset(core->mmu, 0, sizeof(*core->mmu));
}

/* A TLB is filled again as it is used. */
void ppu_mmu_io(struct ppu_core *core, struct ppu_io *io)
{
	(void)core;
	(void)io;
}
