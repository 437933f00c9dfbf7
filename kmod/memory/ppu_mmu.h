/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: page tables.
 */
#ifndef __PPU_MMU_H__
#define __PPU_MMU_H__

#include <linux/list.h>
#include <linux/types.h>

#include "core/pt.h"
#include "memory/ppu_vram.h"

struct ppu_bo;
struct ppu_vm;

/**
 * struct ppu_pt_page - one page table and its page
 */
struct ppu_pt_page {
	/** @mem: the page. */
	struct ppu_vram_range mem;
	/** @link: in a list of struct ppu_pt_pool, or ppu_vm.pt_free. */
	struct list_head link;
	/** @pt: for the driver core. */
	struct ppu_pt pt;
	/** @child: of @pt, if the table is for a level above 0. */
	struct ppu_pt *child[];
};

/**
 * struct ppu_pt_pool - page tables that are in no address space
 */
struct ppu_pt_pool {
	/** @leaves: for level 0: struct ppu_pt_page.link. */
	struct list_head leaves;
	/** @dirs: for the levels above. */
	struct list_head dirs;
	/** @garbage: taken out of an address space. */
	struct list_head garbage;
};

int ppu_mmu_init(struct ppu_vm *vm);
void ppu_mmu_fini(struct ppu_vm *vm);
void ppu_pt_pool_init(struct ppu_pt_pool *pool);
int ppu_pt_pool_fill(struct ppu_vm *vm, struct ppu_pt_pool *pool, const struct ppu_pt_need *need);
void ppu_pt_pool_drain(struct ppu_vm *vm, struct ppu_pt_pool *pool);
struct ppu_backing ppu_mmu_backing(const struct ppu_bo *bo);
int ppu_mmu_prepare(struct ppu_vm *vm, struct ppu_pt_pool *pool, const struct ppu_backing *mem,
		    u64 bo_offset, u64 va, u64 size, bool force);
void ppu_mmu_map(struct ppu_vm *vm, const struct ppu_bo *bo, u64 bo_offset, u64 va, u64 size,
		 u64 pte_flags);
void ppu_mmu_unmap(struct ppu_vm *vm, u64 va, u64 size);
void ppu_mmu_prune(struct ppu_vm *vm, u64 va, u64 size);
void ppu_mmu_flush(struct ppu_vm *vm, struct ppu_pt_pool *pool);

#endif
