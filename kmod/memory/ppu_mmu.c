// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: page tables.
 *
 * All tables are single pages of VRAM, written through BAR2.  A change of an
 * address space is made in two steps: ppu_mmu_prepare_*() put in every table
 * the change may need, which is invisible to the device and may fail; then
 * ppu_mmu_map() and ppu_mmu_unmap() only write entries, and cannot fail.
 *
 * Fences may wait for a change, so nothing is allocated while it is made, nor
 * with the VM's lock held: tables come from a pool that is filled before, and go
 * to its garbage, which is freed after.
 *
 * A 2 MiB slot holds either one large leaf or a table of 4 KiB leaves.  A large
 * leaf is written only where there is no table; a slot that will need 4 KiB
 * leaves gets its table when the change is prepared.
 */

#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include <hw/ppu_mmu.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_mmu.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"

#define PPU_PT_TOP	(PPU_PT_LEVELS - 1)

static unsigned int ppu_pt_index(u64 va, unsigned int level)
{
	return (va >> PPU_PT_SHIFT(level)) & (PPU_PT_ENTRIES - 1);
}

/* Does nothing when the device is gone: its memory is, too. */
static void ppu_pt_write(struct ppu_vm *vm, struct ppu_pt *pt, unsigned int i, u64 val)
{
	int idx;

	if (!drm_dev_enter(&vm->ppu->drm, &idx))
		return;
	writeq(val, vm->ppu->vram_io + pt->mem.addr + i * 8);
	drm_dev_exit(idx);
}

static u64 ppu_pt_read(struct ppu_vm *vm, struct ppu_pt *pt, unsigned int i)
{
	u64 val = 0;
	int idx;

	if (!drm_dev_enter(&vm->ppu->drm, &idx))
		return 0;
	val = readq(vm->ppu->vram_io + pt->mem.addr + i * 8);
	drm_dev_exit(idx);
	return val;
}

static void ppu_pt_set(struct ppu_vm *vm, struct ppu_pt *pt, unsigned int i, u64 val)
{
	if (!__test_and_set_bit(i, pt->valid))
		pt->used++;
	ppu_pt_write(vm, pt, i, val);
}

static void ppu_pt_clear(struct ppu_vm *vm, struct ppu_pt *pt, unsigned int i)
{
	if (!__test_and_clear_bit(i, pt->valid))
		return;
	pt->used--;
	ppu_pt_write(vm, pt, i, 0);
}

static struct ppu_pt *ppu_pt_new(struct ppu_vm *vm, unsigned int level)
{
	struct ppu_pt *pt;
	int ret;

	pt = kzalloc(struct_size(pt, child, level ? PPU_PT_ENTRIES : 0), GFP_KERNEL);
	if (!pt)
		return ERR_PTR(-ENOMEM);
	pt->level = level;
	ret = ppu_vram_alloc(vm->ppu, vm->quota, PPU_PAGE_SIZE, &pt->mem);
	if (ret) {
		kfree(pt);
		return ERR_PTR(ret);
	}
	return pt;
}

static void ppu_pt_free(struct ppu_vm *vm, struct ppu_pt *pt)
{
	ppu_vram_free(vm->ppu, &pt->mem);
	kfree(pt);
}

/* Takes a table out of the pool; ERR_PTR(-EAGAIN): it is empty. */
static struct ppu_pt *ppu_pt_alloc(struct ppu_pt_pool *pool, unsigned int level)
{
	struct list_head *list = level ? &pool->dirs : &pool->leaves;
	struct ppu_pt *pt = list_first_entry_or_null(list, struct ppu_pt, link);

	if (!pt)
		return ERR_PTR(-EAGAIN);
	list_del(&pt->link);
	pt->level = level;
	return pt;
}

/** ppu_pt_pool_init - make an empty pool */
void ppu_pt_pool_init(struct ppu_pt_pool *pool)
{
	INIT_LIST_HEAD(&pool->leaves);
	INIT_LIST_HEAD(&pool->dirs);
	INIT_LIST_HEAD(&pool->garbage);
}

/**
 * ppu_pt_pool_fill - add tables to a pool
 * @vm: VM, not locked
 * @pool: the pool
 * @need: how many
 *
 * Return: 0 or a negative error, with the pool filled in part.
 */
int ppu_pt_pool_fill(struct ppu_vm *vm, struct ppu_pt_pool *pool, const struct ppu_pt_need *need)
{
	u32 i;

	for (i = 0; i < need->leaves + need->dirs; i++) {
		struct ppu_pt *pt = ppu_pt_new(vm, i < need->leaves ? 0 : 1);

		if (IS_ERR(pt))
			return PTR_ERR(pt);
		list_add(&pt->link, pt->level ? &pool->dirs : &pool->leaves);
	}
	return 0;
}

static void ppu_pt_free_list(struct ppu_vm *vm, struct list_head *list)
{
	struct ppu_pt *pt, *next;

	list_for_each_entry_safe(pt, next, list, link)
		ppu_pt_free(vm, pt);
	INIT_LIST_HEAD(list);
}

/** ppu_pt_pool_drain - free what is in a pool; the VM is not locked */
void ppu_pt_pool_drain(struct ppu_vm *vm, struct ppu_pt_pool *pool)
{
	ppu_pt_free_list(vm, &pool->leaves);
	ppu_pt_free_list(vm, &pool->dirs);
	ppu_pt_free_list(vm, &pool->garbage);
}

static void ppu_pt_free_tree(struct ppu_vm *vm, struct ppu_pt *pt)
{
	unsigned int i;

	if (pt->level)
		for (i = 0; i < PPU_PT_ENTRIES; i++)
			if (pt->child[i])
				ppu_pt_free_tree(vm, pt->child[i]);
	ppu_pt_free(vm, pt);
}

/** ppu_mmu_init - allocate the root table */
int ppu_mmu_init(struct ppu_vm *vm)
{
	INIT_LIST_HEAD(&vm->pt_free);
	vm->root = ppu_pt_new(vm, PPU_PT_TOP);
	return PTR_ERR_OR_ZERO(vm->root);
}

/** ppu_mmu_fini - free all tables; the device has forgotten the context */
void ppu_mmu_fini(struct ppu_vm *vm)
{
	ppu_pt_free_list(vm, &vm->pt_free);
	if (!IS_ERR_OR_NULL(vm->root))
		ppu_pt_free_tree(vm, vm->root);
	vm->root = NULL;
}

/* The table of level 1 over @va; NULL: there is none. */
static struct ppu_pt *ppu_mmu_dir(struct ppu_vm *vm, u64 va)
{
	struct ppu_pt *pt = vm->root;

	while (pt && pt->level > 1)
		pt = pt->child[ppu_pt_index(va, pt->level)];
	return pt;
}

/* The table of level 1 over @va, put in if need be. */
static struct ppu_pt *ppu_mmu_make_dir(struct ppu_vm *vm, struct ppu_pt_pool *pool, u64 va)
{
	struct ppu_pt *pt = vm->root;

	while (pt->level > 1) {
		unsigned int i = ppu_pt_index(va, pt->level);

		if (!pt->child[i]) {
			struct ppu_pt *child = ppu_pt_alloc(pool, pt->level - 1);

			if (IS_ERR(child))
				return child;
			pt->child[i] = child;
			ppu_pt_set(vm, pt, i, child->mem.addr | PPU_PTE_VALID);
		}
		pt = pt->child[i];
	}
	return pt;
}

/* Gives the slot over @va a table of 4 KiB leaves that shows what the slot showed. */
static int ppu_mmu_make_leaves(struct ppu_vm *vm, struct ppu_pt_pool *pool, struct ppu_pt *dir,
			       u64 va)
{
	unsigned int i = ppu_pt_index(va, 1), j;
	struct ppu_pt *leaves;

	if (dir->child[i])
		return 0;
	leaves = ppu_pt_alloc(pool, 0);
	if (IS_ERR(leaves))
		return PTR_ERR(leaves);

	if (test_bit(i, dir->valid)) {
		u64 pte = ppu_pt_read(vm, dir, i) & ~PPU_PTE_LARGE;

		for (j = 0; j < PPU_PT_ENTRIES; j++)
			ppu_pt_set(vm, leaves, j, pte + j * PPU_PAGE_SIZE);
		/* The leaves are there before the device can find them. */
		wmb();
	}
	dir->child[i] = leaves;
	ppu_pt_set(vm, dir, i, leaves->mem.addr | PPU_PTE_VALID);
	return 0;
}

/* Can [@va, @va + 2 MiB) be one leaf? */
static bool ppu_mmu_fits_large(const struct ppu_bo *bo, u64 bo_offset, u64 va, u64 size)
{
	u64 addr, contig;

	if (!IS_ALIGNED(va, PPU_LARGE_SIZE) || size < PPU_LARGE_SIZE)
		return false;
	addr = ppu_bo_addr(bo, bo_offset, &contig);
	return IS_ALIGNED(addr, PPU_LARGE_SIZE) && contig >= PPU_LARGE_SIZE;
}

/* Bytes from @va to the end of its 2 MiB slot, at most @size. */
static u64 ppu_mmu_slot_rest(u64 va, u64 size)
{
	return min(size, PPU_LARGE_SIZE - (va & (PPU_LARGE_SIZE - 1)));
}

/**
 * ppu_mmu_need_map - tables a mapping may need, whatever is there now
 * @need: is added to
 * @bo: object
 * @bo_offset: first byte of the object
 * @va: first address
 * @size: bytes
 */
void ppu_mmu_need_map(struct ppu_pt_need *need, const struct ppu_bo *bo, u64 bo_offset, u64 va,
		      u64 size)
{
	unsigned int level;

	for (level = 1; level < PPU_PT_TOP; level++) {
		unsigned int shift = PPU_PT_SHIFT(level + 1);

		need->dirs += ((va + size - 1) >> shift) - (va >> shift) + 1;
	}
	while (size) {
		u64 n = ppu_mmu_slot_rest(va, size);

		need->leaves += !ppu_mmu_fits_large(bo, bo_offset, va, n);
		va += n;
		bo_offset += n;
		size -= n;
	}
}

/** ppu_mmu_need_cuts - tables that cutting at two addresses may need; @need is added to */
void ppu_mmu_need_cuts(struct ppu_pt_need *need)
{
	need->leaves += 2;
	need->dirs += 2 * (PPU_PT_TOP - 1);
}

/**
 * ppu_mmu_prepare_map - put in the tables a mapping needs
 * @vm: VM, locked
 * @pool: where they come from
 * @bo: object
 * @bo_offset: first byte of the object
 * @va: first address
 * @size: bytes
 *
 * Return: 0, or -EAGAIN if the pool had too few, with tables left that
 * ppu_mmu_prune() takes out.
 */
int ppu_mmu_prepare_map(struct ppu_vm *vm, struct ppu_pt_pool *pool, const struct ppu_bo *bo,
			u64 bo_offset, u64 va, u64 size)
{
	lockdep_assert_held(&vm->lock);

	while (size) {
		u64 n = ppu_mmu_slot_rest(va, size);
		struct ppu_pt *dir = ppu_mmu_make_dir(vm, pool, va);
		int ret;

		if (IS_ERR(dir))
			return PTR_ERR(dir);
		if (!ppu_mmu_fits_large(bo, bo_offset, va, n)) {
			ret = ppu_mmu_make_leaves(vm, pool, dir, va);
			if (ret)
				return ret;
		}
		va += n;
		bo_offset += n;
		size -= n;
	}
	return 0;
}

/**
 * ppu_mmu_prepare_cut - make it possible to change only one side of @va
 * @vm: VM, locked
 * @pool: where tables come from
 * @va: address
 * @force: also if there is no large leaf now, since there may be one by then
 *
 * Return: 0, or -EAGAIN if the pool had too few.
 */
int ppu_mmu_prepare_cut(struct ppu_vm *vm, struct ppu_pt_pool *pool, u64 va, bool force)
{
	struct ppu_pt *dir;
	unsigned int i = ppu_pt_index(va, 1);

	lockdep_assert_held(&vm->lock);

	if (IS_ALIGNED(va, PPU_LARGE_SIZE))
		return 0;
	dir = force ? ppu_mmu_make_dir(vm, pool, va) : ppu_mmu_dir(vm, va);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	if (!dir || dir->child[i])
		return 0;
	if (!force && !test_bit(i, dir->valid))
		return 0;
	return ppu_mmu_make_leaves(vm, pool, dir, va);
}

/* Writes the leaves of (part of) one slot. */
static void ppu_mmu_map_leaves(struct ppu_vm *vm, struct ppu_pt *leaves, const struct ppu_bo *bo,
			       u64 bo_offset, u64 va, u64 size, u64 flags)
{
	while (size) {
		u64 addr, contig;

		addr = ppu_bo_addr(bo, bo_offset, &contig);
		contig = min(contig, size);
		bo_offset += contig;
		size -= contig;
		for (; contig; contig -= PPU_PAGE_SIZE) {
			ppu_pt_set(vm, leaves, ppu_pt_index(va, 0), addr | flags);
			addr += PPU_PAGE_SIZE;
			va += PPU_PAGE_SIZE;
		}
	}
}

/**
 * ppu_mmu_map - write the entries of a prepared mapping
 * @vm: VM, locked
 * @bo: object
 * @bo_offset: first byte of the object
 * @va: first address
 * @size: bytes
 * @pte_flags: PPU_PTE_* for leaves
 */
void ppu_mmu_map(struct ppu_vm *vm, const struct ppu_bo *bo, u64 bo_offset, u64 va, u64 size,
		 u64 pte_flags)
{
	int idx;

	lockdep_assert_held(&vm->lock);

	if (!drm_dev_enter(&vm->ppu->drm, &idx))
		return;

	pte_flags |= PPU_PTE_VALID;
	if (bo->placement == DRM_PPU_PLACEMENT_SYSTEM)
		pte_flags |= PPU_PTE_SYS;

	while (size) {
		u64 n = ppu_mmu_slot_rest(va, size);
		struct ppu_pt *dir = ppu_mmu_dir(vm, va);
		unsigned int i = ppu_pt_index(va, 1);

		if (drm_WARN_ON(&vm->ppu->drm, !dir))
			break;
		if (dir->child[i])
			ppu_mmu_map_leaves(vm, dir->child[i], bo, bo_offset, va, n, pte_flags);
		else if (!drm_WARN_ON(&vm->ppu->drm, n != PPU_LARGE_SIZE))
			ppu_pt_set(vm, dir, i,
				   ppu_bo_addr(bo, bo_offset, NULL) | pte_flags | PPU_PTE_LARGE);
		va += n;
		bo_offset += n;
		size -= n;
	}

	drm_dev_exit(idx);
}

/* Only what is there is visited: ranges may be as large as the address space. */
static void ppu_pt_unmap(struct ppu_vm *vm, struct ppu_pt *pt, u64 base, u64 first, u64 last)
{
	u64 span = 1ull << PPU_PT_SHIFT(pt->level);
	unsigned int i = first > base ? (first - base) / span : 0;
	unsigned int end = min_t(u64, PPU_PT_ENTRIES - 1, (last - base) / span) + 1;

	for_each_set_bit_from(i, pt->valid, end) {
		u64 at = base + i * span;

		if (pt->level && pt->child[i]) {
			ppu_pt_unmap(vm, pt->child[i], at, first, last);
			continue;
		}
		/* Cuts are prepared: a leaf is never hit in part. */
		drm_WARN_ON(&vm->ppu->drm, at < first || at + span - 1 > last);
		ppu_pt_clear(vm, pt, i);
	}
}

/**
 * ppu_mmu_unmap - clear entries; cuts are prepared
 * @vm: VM, locked
 * @va: first address
 * @size: bytes
 */
void ppu_mmu_unmap(struct ppu_vm *vm, u64 va, u64 size)
{
	lockdep_assert_held(&vm->lock);
	if (size)
		ppu_pt_unmap(vm, vm->root, 0, va, va + size - 1);
}

/* Unlinks empty tables below @pt that overlap [@first, @last]. */
static void ppu_pt_prune(struct ppu_vm *vm, struct ppu_pt *pt, u64 base, u64 first, u64 last)
{
	u64 span = 1ull << PPU_PT_SHIFT(pt->level);
	unsigned int i = first > base ? (first - base) / span : 0;
	unsigned int end = min_t(u64, PPU_PT_ENTRIES - 1, (last - base) / span) + 1;

	for_each_set_bit_from(i, pt->valid, end) {
		struct ppu_pt *child = pt->child[i];

		if (!child)
			continue;
		if (child->level)
			ppu_pt_prune(vm, child, base + i * span, first, last);
		if (child->used)
			continue;
		pt->child[i] = NULL;
		ppu_pt_clear(vm, pt, i);
		list_add(&child->link, &vm->pt_free);
	}
}

/**
 * ppu_mmu_prune - take tables out that have no entries left
 * @vm: VM, locked
 * @va: first address that changed
 * @size: bytes
 *
 * ppu_mmu_flush() hands them out.
 */
void ppu_mmu_prune(struct ppu_vm *vm, u64 va, u64 size)
{
	lockdep_assert_held(&vm->lock);
	if (size)
		ppu_pt_prune(vm, vm->root, 0, va, va + size - 1);
}

/**
 * ppu_mmu_flush - make the device forget translations that were changed
 * @vm: VM, locked
 * @pool: its garbage gets the tables that were taken out
 *
 * When it returns the device uses the tables as they are now, and memory that
 * was unmapped may be freed.
 */
void ppu_mmu_flush(struct ppu_vm *vm, struct ppu_pt_pool *pool)
{
	struct ppu_device *ppu = vm->ppu;
	unsigned long flags;
	u64 inst = ppu_vm_inst(vm);
	int idx;

	lockdep_assert_held(&vm->lock);

	if (drm_dev_enter(&ppu->drm, &idx)) {
		/* Tables are write-combined: drain them before the device looks. */
		wmb();
		spin_lock_irqsave(&ppu->hw_lock, flags);
		ppu_wr(ppu, PPU_REG_TLB_INV_INST_LO, lower_32_bits(inst));
		ppu_wr(ppu, PPU_REG_TLB_INV_INST_HI, upper_32_bits(inst));
		ppu_wr(ppu, PPU_REG_TLB_INV, 1);
		/* The write is posted; the invalidation is done when it arrived. */
		ppu_rd(ppu, PPU_REG_ID);
		spin_unlock_irqrestore(&ppu->hw_lock, flags);
		drm_dev_exit(idx);
	}

	list_splice_init(&vm->pt_free, &pool->garbage);
}
