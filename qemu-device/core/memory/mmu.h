/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address translation, and access through it.
 *
 * State: struct ppu_mmu, private to mmu.c: the TLB of host interface and copy engines.
 * Thread safety: ppu_mmu_translate(), ppu_mmu_read() and ppu_mmu_write(): any thread.  The others: the
 * thread that drives the core.
 * Time: none.
 */
#ifndef PPU_MMU_UNIT_H
#define PPU_MMU_UNIT_H

#include "core/memory/ctx.h"
#include "core/memory/mem.h"

struct ppu_xlat {
	uint8_t *host;		/* host pointer of va (not of the page) */
	struct ppu_phys phys;	/* of va */
	uint64_t len;		/* bytes from va to the end of the leaf page that host covers */
	uint64_t pte;		/* leaf flags */
	uint8_t level;		/* leaf level, or level where a fault was found */
	bool watched;		/* the 4 KiB page has waiters */
};
#define PPU_XL_PRIV	1	/* may use PPU_PTE_PRIV leaves (ring fetch only) */
/*
 * May use PPU_PTE_NULL leaves, of which x->pte tells.  They have no phys.  For reads, host is memory that is 0 for
 * ever; for the rest it is memory of the driving thread's that nobody reads.
 */
#define PPU_XL_NULL	2
/* acc: PPU_ACC_*.  0 or PPU_ERR_MMU_*, PPU_ERR_SM_DMA; fills x->level also on error. */
int ppu_mmu_translate(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		      unsigned flags, struct ppu_xlat *x);
/* The same through the TLB of host interface and copy engines. */
int ppu_mmu_lookup(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		   unsigned flags, struct ppu_xlat *x);
int ppu_mmu_read(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, void *buf, uint64_t len,
		 unsigned flags);
/* ppu_mmu_write() does not tell sem.c of the write.  For words that somebody may wait for, use
 * ppu_mmu_store(), which does. */
int ppu_mmu_write(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, const void *buf,
		  uint64_t len, unsigned flags);
int ppu_mmu_store(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, const void *buf,
		  uint64_t len, unsigned flags, unsigned writer, unsigned unit);

PPU_UNIT(mmu);

#endif
