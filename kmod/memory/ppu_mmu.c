// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: page tables.
 *
 * All tables are single pages of VRAM, written through BAR2; core/pt.h says how an
 * address space is changed in two steps.
 *
 * Fences may wait for a change, so nothing is allocated while the change is made, nor with the
 * VM's lock held.  Tables come from a pool that is filled before the change.  Tables that are taken
 * out go to the pool's garbage, which is freed after the change.
 */

#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include <hw/ppu_mmu.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "core/context.h"
#include "core/pt.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_mmu.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"

static struct ppu_pt_page *to_page(struct ppu_pt *pt)
{
	return container_of(pt, struct ppu_pt_page, pt);
}

static struct ppu_pt_page *ppu_pt_new(struct ppu_vm *vm, bool dir)
{
	struct ppu_pt_page *page;
	int ret;

	page = kzalloc(struct_size(page, child, dir ? PPU_PT_ENTRIES : 0), GFP_KERNEL_ACCOUNT);
	if (!page)
		return ERR_PTR(-ENOMEM);
	ret = ppu_vram_alloc(vm->ppu, vm->quota, PPU_PAGE_SIZE, &page->mem);
	if (ret) {
		kfree(page);
		return ERR_PTR(ret);
	}
	page->pt.addr = page->mem.addr;
	if (dir)
		page->pt.child = page->child;
	return page;
}

static void ppu_pt_free(struct ppu_vm *vm, struct ppu_pt_page *page)
{
	ppu_vram_free(vm->ppu, &page->mem);
	kfree(page);
}

/* Takes a table out of the pool; NULL: the pool is empty. */
static struct ppu_pt *ppu_pt_take(void *arg, unsigned int level)
{
	struct ppu_pt_pool *pool = arg;
	struct list_head *list = level ? &pool->dirs : &pool->leaves;
	struct ppu_pt_page *page = list_first_entry_or_null(list, struct ppu_pt_page, link);

	if (!page)
		return NULL;
	list_del(&page->link);
	return &page->pt;
}

static void ppu_pt_drop(void *owner, struct ppu_pt *pt)
{
	struct ppu_vm *vm = owner;

	list_add(&to_page(pt)->link, &vm->pt_free);
}

/* A change of a whole address space takes seconds; all that is held meanwhile are mutexes. */
static void ppu_pt_pause(void *owner)
{
	cond_resched();
}

static const struct ppu_pt_ops ppu_pt_ops = {
	.bus = &ppu_bus,
	.take = ppu_pt_take,
	.drop = ppu_pt_drop,
	.pause = ppu_pt_pause,
};

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
 * Return: 0 or a negative error, with the pool filled in part; -EINTR: the process is killed.
 */
int ppu_pt_pool_fill(struct ppu_vm *vm, struct ppu_pt_pool *pool, const struct ppu_pt_need *need)
{
	u32 i;

	for (i = 0; i < need->leaves + need->dirs; i++) {
		struct ppu_pt_page *page;

		if (fatal_signal_pending(current))
			return -EINTR;
		page = ppu_pt_new(vm, i >= need->leaves);
		if (IS_ERR(page))
			return PTR_ERR(page);
		list_add(&page->link, page->pt.child ? &pool->dirs : &pool->leaves);
		cond_resched();
	}
	return 0;
}

static void ppu_pt_free_list(struct ppu_vm *vm, struct list_head *list)
{
	struct ppu_pt_page *page, *next;

	list_for_each_entry_safe(page, next, list, link) {
		ppu_pt_free(vm, page);
		cond_resched();
	}
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

	if (pt->child)
		for (i = 0; i < PPU_PT_ENTRIES; i++)
			if (pt->child[i])
				ppu_pt_free_tree(vm, pt->child[i]);
	ppu_pt_free(vm, to_page(pt));
	cond_resched();
}

/** ppu_mmu_init - allocate the root table */
int ppu_mmu_init(struct ppu_vm *vm)
{
	struct ppu_pt_page *root = ppu_pt_new(vm, true);

	INIT_LIST_HEAD(&vm->pt_free);
	if (IS_ERR(root))
		return PTR_ERR(root);
	root->pt.level = PPU_PT_TOP;
	vm->pt = (struct ppu_pt_tree){
		.root = &root->pt,
		.ops = &ppu_pt_ops,
		.dev = vm->ppu,
		.owner = vm,
	};
	return 0;
}

/** ppu_mmu_fini - free all tables; the device has forgotten the context */
void ppu_mmu_fini(struct ppu_vm *vm)
{
	ppu_pt_free_list(vm, &vm->pt_free);
	if (vm->pt.root)
		ppu_pt_free_tree(vm, vm->pt.root);
	vm->pt.root = NULL;
}

static u64 ppu_mmu_bo_addr(const void *bo, u64 offset, u64 *contig)
{
	return ppu_bo_addr(bo, offset, contig);
}

/** ppu_mmu_backing - where an object is, for the driver core; NULL: no memory */
struct ppu_backing ppu_mmu_backing(const struct ppu_bo *bo)
{
	return !bo ? ppu_pt_null : (struct ppu_backing){ .addr = ppu_mmu_bo_addr, .object = bo };
}

/**
 * ppu_mmu_prepare - put in the tables that replacing a range needs
 * @vm: VM, locked
 * @pool: where the tables come from
 * @mem: what will be mapped there; NULL: nothing
 * @bo_offset: first byte of the object
 * @va: first address
 * @size: bytes
 * @force: another change, prepared before this one, is not made yet
 *
 * Return: 0, or -EAGAIN if the pool had too few tables. ppu_mmu_prune() takes out those that were
 * put in already.
 */
int ppu_mmu_prepare(struct ppu_vm *vm, struct ppu_pt_pool *pool, const struct ppu_backing *mem,
		    u64 bo_offset, u64 va, u64 size, bool force)
{
	lockdep_assert_held(&vm->lock);
	return ppu_pt_prepare(&vm->pt, pool, mem, bo_offset, va, size, force) ? 0 : -EAGAIN;
}

/**
 * ppu_mmu_map - write the entries of a prepared mapping
 * @vm: VM, locked
 * @bo: object; NULL: no memory
 * @bo_offset: first byte of the object
 * @va: first address
 * @size: bytes
 * @pte_flags: PPU_PTE_* for leaves
 */
void ppu_mmu_map(struct ppu_vm *vm, const struct ppu_bo *bo, u64 bo_offset, u64 va, u64 size,
		 u64 pte_flags)
{
	struct ppu_backing mem = ppu_mmu_backing(bo);
	int idx;

	lockdep_assert_held(&vm->lock);

	if (!ppu_try_enter(vm->ppu, &idx))
		return;
	if (!bo)
		pte_flags |= PPU_PTE_NULL;
	else if (bo->placement == DRM_PPU_PLACEMENT_SYSTEM)
		pte_flags |= PPU_PTE_SYS;
	drm_WARN_ON(&vm->ppu->drm,
		    !ppu_pt_map(&vm->pt, &mem, bo_offset, va, size, pte_flags));
	ppu_try_exit(vm->ppu, idx);
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
	drm_WARN_ON(&vm->ppu->drm, !ppu_pt_unmap(&vm->pt, va, size));
}

/**
 * ppu_mmu_prune - take tables out that have no entries left
 * @vm: VM, locked
 * @va: first address that changed
 * @size: bytes
 *
 * ppu_mmu_flush() moves these tables to a pool's garbage.
 */
void ppu_mmu_prune(struct ppu_vm *vm, u64 va, u64 size)
{
	lockdep_assert_held(&vm->lock);
	ppu_pt_prune(&vm->pt, va, size);
}

/**
 * ppu_mmu_flush - make the device forget translations that were changed
 * @vm: VM, locked
 * @pool: its garbage gets the tables that were taken out
 *
 * When this function has returned, the device uses the tables as they are now, and memory that
 * was unmapped may be freed.
 */
void ppu_mmu_flush(struct ppu_vm *vm, struct ppu_pt_pool *pool)
{
	struct ppu_device *ppu = vm->ppu;
	unsigned long flags;
	int idx;

	lockdep_assert_held(&vm->lock);

	if (ppu_try_enter(ppu, &idx)) {
		/* Tables are write-combined: drain them before the device looks. */
		wmb();
		spin_lock_irqsave(&ppu->hw_lock, flags);
		ppu_context_invalidate(&ppu_bus, ppu, vm->inst.addr);
		/* The write is posted; a read returns after the invalidation is done. */
		ppu_rd(ppu, PPU_REG_ID);
		spin_unlock_irqrestore(&ppu->hw_lock, flags);
		ppu_try_exit(ppu, idx);
	}

	list_splice_init(&vm->pt_free, &pool->garbage);
}
