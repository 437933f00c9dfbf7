/* SPDX-License-Identifier: MIT */
/* Backend `core`: objects in VRAM, in system memory and of the process, and the page tables that show them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"

/* ---- memory --------------------------------------------------------------------------------- */

int ppu_bc_vram_alloc(struct be_dev *dev, uint64_t size, uint64_t *addr)
{
	uint64_t align = size >= PPU_LARGE_SIZE ? PPU_LARGE_SIZE : PPU_PAGE_SIZE;

	if (ppu_range_alloc(&dev->vram_range, size, align, addr))
		return -ENOSPC;
	/* Fresh pages read as zero, whatever was in them before. */
	if (size >= PPU_LARGE_SIZE) {
		madvise(dev->vram + *addr, size, MADV_DONTNEED);
		/* One large page of the host for each large page of ours; a host that has none ignores it. */
		madvise(dev->vram + *addr, size / PPU_LARGE_SIZE * PPU_LARGE_SIZE, MADV_HUGEPAGE);
	} else {
		memset(dev->vram + *addr, 0, size);
	}
	ppu_core_vram_changed(dev->core);	/* code may have lain there, and be mapped still */
	return 0;
}

void ppu_bc_vram_free(struct be_dev *dev, uint64_t addr, uint64_t size)
{
	if (size)
		ppu_range_free(&dev->vram_range, addr, size);
}

int ppu_bc_bus_alloc(struct be_dev *dev, uint64_t size, uint64_t *off)
{
	uint64_t align = size >= PPU_LARGE_SIZE ? PPU_LARGE_SIZE : PPU_PAGE_SIZE;

	return ppu_range_alloc(&dev->bus_range, size, align, off);
}

void ppu_bc_bus_free(struct be_dev *dev, uint64_t off, uint64_t size)
{
	/* Give the pages back; they read as zero next time. */
	if (fallocate(dev->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off, (off_t)size))
		memset(dev->sys + off, 0, size);
	ppu_range_free(&dev->bus_range, off, size);
}

int ppu_bc_bo_alloc(struct be_vm *vm, uint64_t size, enum be_place place, struct be_bo **out)
{
	struct be_dev *dev = vm->dev;
	struct be_bo *bo;
	int rc;

	if (!size || size > BUS_SIZE)
		return size ? -ENOSPC : -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->dev = dev;
	bo->place = place;
	bo->users = 1;
	bo->size = ppu_bc_page_round(size);
	ppu_bc_lock(dev);
	rc = place == BE_VRAM ? ppu_bc_vram_alloc(dev, bo->size, &bo->addr) :
				ppu_bc_bus_alloc(dev, bo->size, &bo->addr);
	ppu_bc_unlock(dev);
	if (rc) {
		free(bo);
		return rc;
	}
	*out = bo;
	return 0;
}

int ppu_bc_bo_user(struct be_vm *vm, void *pages, uint64_t size, struct be_bo **out)
{
	struct be_bo *bo = calloc(1, sizeof(*bo));

	if (!bo)
		return -ENOMEM;
	bo->dev = vm->dev;
	bo->place = BE_SYSTEM;
	bo->size = size;
	bo->users = 1;
	bo->user = pages;
	ppu_bc_lock(vm->dev);
	bo->next_user = vm->dev->users;
	vm->dev->users = bo;
	ppu_bc_unlock(vm->dev);
	*out = bo;
	return 0;
}

static void forget_user(struct be_bo *bo)
{
	struct be_bo **p = &bo->dev->users;

	while (*p != bo)
		p = &(*p)->next_user;
	*p = bo->next_user;
	ppu_core_invalidate_maps(bo->dev->core);
}

void ppu_bc_bo_free(struct be_bo *bo)
{
	struct be_bo *origin = NULL;
	bool last;

	ppu_bc_lock(bo->dev);
	last = !--bo->users;
	if (last && bo->user) {
		forget_user(bo);
		origin = bo->origin;
	} else if (last && bo->place == BE_VRAM) {
		if (ppu_bc_bo_unshare(bo))
			ppu_bc_vram_free(bo->dev, bo->addr, bo->size);
	} else if (last) {
		ppu_bc_bus_free(bo->dev, bo->addr, bo->size);
	}
	ppu_bc_unlock(bo->dev);
	if (last && bo->mapped)
		munmap(bo->user, bo->size);
	if (last)
		free(bo);
	if (origin)
		ppu_bc_bo_free(origin);
}

/* Memory of another device of the process is memory of the process. */
int ppu_bc_bo_peer(struct be_vm *vm, struct be_bo *theirs, struct be_bo **out)
{
	struct be_dev *owner = theirs->dev;
	int rc;

	ppu_bc_lock_idle(owner);
	theirs->users++;
	ppu_bc_unlock(owner);
	if (owner == vm->dev) {
		*out = theirs;
		return 0;
	}
	rc = ppu_bc_bo_user(vm, theirs->user ? theirs->user : (theirs->place == BE_VRAM ? owner->vram : owner->sys) + theirs->addr,
			  theirs->size, out);
	if (rc)
		ppu_bc_bo_free(theirs);
	else
		(*out)->origin = theirs;
	return rc;
}

int ppu_bc_bo_map(struct be_bo *bo, void *at, void **ptr)
{
	void *p;

	if (bo->place == BE_VRAM)
		return -EOPNOTSUPP;
	p = mmap(at, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
		 bo->dev->memfd, (off_t)bo->addr);
	if (p == MAP_FAILED)
		return -errno;
	*ptr = p;
	return 0;
}

/* ---- page tables ---------------------------------------------------------------------------- */

struct core_pt {
	struct ppu_pt pt;
	struct ppu_pt *child[];
};

/* Where a change of the tables gets new tables, and the error if it got none. */
struct pool_pt {
	struct be_vm *vm;
	int err;
};

static struct ppu_pt *pt_take(void *arg, unsigned level)
{
	struct pool_pt *pool = arg;
	struct core_pt *t = calloc(1, sizeof(*t) + (level ? PPU_PT_ENTRIES : 0) * sizeof(t->child[0]));
	uint64_t addr;

	pool->err = t ? ppu_bc_vram_alloc(pool->vm->dev, PPU_PAGE_SIZE, &addr) : -ENOMEM;
	if (pool->err) {
		free(t);
		return NULL;
	}
	t->pt.addr = addr;
	t->pt.child = level ? t->child : NULL;
	return &t->pt;
}

/* The table can be freed at once: the device does not run before its TLB is invalidated. */
static void pt_drop(void *owner, struct ppu_pt *pt)
{
	ppu_bc_vram_free(((struct be_vm *)owner)->dev, pt->addr, PPU_PAGE_SIZE);
	free(pt);
}

static const struct ppu_pt_ops pt_ops = { .bus = &ppu_bc_bus, .take = pt_take, .drop = pt_drop };

int ppu_bc_pt_init(struct be_vm *vm)
{
	struct pool_pt pool = { .vm = vm };

	vm->pt = (struct ppu_pt_tree){ .ops = &pt_ops, .dev = vm->dev, .owner = vm };
	vm->pt.root = pt_take(&pool, PPU_PT_TOP);
	if (vm->pt.root)
		vm->pt.root->level = PPU_PT_TOP;
	return pool.err;
}

static void pt_free(struct be_vm *vm, struct ppu_pt *pt)
{
	for (int i = 0; pt->child && i < PPU_PT_ENTRIES; i++)
		if (pt->child[i])
			pt_free(vm, pt->child[i]);
	pt_drop(vm, pt);
}

void ppu_bc_pt_fini(struct be_vm *vm)
{
	if (vm->pt.root)
		pt_free(vm, vm->pt.root);
	vm->pt.root = NULL;
}

static u64 linear_addr(const void *base, u64 offset, u64 *contig)
{
	*contig = PPU_VA_KERNEL_END;
	return *(const uint64_t *)base + offset;
}

struct ppu_backing ppu_bc_backing(const uint64_t *addr)
{
	return (struct ppu_backing){ .addr = linear_addr, .object = addr };
}

int ppu_bc_map(struct be_vm *vm, uint64_t va, uint64_t size, uint64_t phys, uint64_t flags)
{
	struct ppu_backing mem = ppu_bc_backing(&phys);
	bool unmap = flags == PPU_BC_UNMAP;
	struct pool_pt pool = { .vm = vm };

	if (ppu_pt_prepare(&vm->pt, &pool, unmap ? NULL : &mem, 0, va, size, false)) {
		ppu_pt_unmap(&vm->pt, va, size);
		if (!unmap)
			ppu_pt_map(&vm->pt, &mem, 0, va, size, flags);
	}
	ppu_pt_prune(&vm->pt, va, size);
	ppu_context_invalidate(&ppu_bc_bus, vm->dev, vm->inst);
	return pool.err;
}

int ppu_bc_bind(struct be_vm *vm, struct be_bo *bo, uint64_t va, uint64_t size, unsigned flags)
{
	uint64_t phys = bo->user ? BUS_USER + (uintptr_t)bo->user :
			bo->place == BE_VRAM ? bo->addr : bo->addr + BUS_BASE;
	uint64_t pte = bo->place == BE_VRAM ? 0 : PPU_PTE_SYS;
	int rc;

	size = ppu_bc_page_round(size);
	if ((va | phys) & (PPU_PAGE_SIZE - 1) || !size || size > bo->size ||
	    va < PPU_VA_USER_START || va > PPU_VA_USER_END - size)
		return -EINVAL;
	if (flags & BE_BIND_READONLY)
		pte |= PPU_PTE_READONLY;
	if (flags & BE_BIND_NOEXEC)
		pte |= PPU_PTE_NOEXEC;
	ppu_bc_lock(vm->dev);
	rc = vm->faulted ? -EIO : ppu_bc_map(vm, va, size, phys, pte);
	ppu_bc_unlock(vm->dev);
	return rc;
}

int ppu_bc_unbind(struct be_vm *vm, uint64_t va, uint64_t size)
{
	int rc;

	size = ppu_bc_page_round(size);
	if (va & (PPU_PAGE_SIZE - 1) || !size || va < PPU_VA_USER_START || va > PPU_VA_USER_END - size)
		return -EINVAL;
	ppu_bc_lock(vm->dev);
	rc = ppu_bc_map(vm, va, size, 0, PPU_BC_UNMAP);
	ppu_bc_unlock(vm->dev);
	return rc;
}
