// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: objects made of a process's own pages.
 *
 * The pages are pinned from the object's creation to its end, so the device may access them at any
 * time, as channels of user space do: no notifier has to stop the device before the process changes
 * its address space.  What is changed there later, the object does not show.
 *
 * Pages that a file system writes back are refused: the device writes without the file system's
 * knowledge.  Memory is looked at twice.  The mappings are looked at first, and give the errors;
 * but they may change before the pages are pinned.  So what was pinned in the end decides.
 */

#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_prime.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_quota.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_prime.h"
#include "memory/ppu_userptr.h"
#include "memory/ppu_vm.h"

/* Pages that are pinned before the process may be killed, and others may run. */
#define PPU_PIN_PAGES	2048
/* How often it is looked what a page is when others change that all the time. */
#define PPU_PIN_LOOKS	16

/**
 * struct ppu_userptr - pages of a process
 */
struct ppu_userptr {
	/** @mm: address space whose account has them. */
	struct mm_struct *mm;
	/** @pages: all of them. */
	struct page **pages;
	/** @num: how many there are. */
	unsigned long num;
	/** @pinned: how many of them are pinned. */
	unsigned long pinned;
	/** @paid: @num is counted in the address space's account. */
	bool paid;
};

/* Account */

static int ppu_userptr_pay(struct ppu_userptr *up)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	up->paid = true;
	if (atomic64_add_return(up->num, &up->mm->pinned_vm) > limit && !capable(CAP_IPC_LOCK))
		return -ENOMEM;
	return 0;
}

/* Mappings */

/* A file whose pages are memory, and are never written back while they are pinned. */
static bool ppu_userptr_file_ok(const struct vm_area_struct *vma)
{
	const struct inode *inode = file_inode(vma->vm_file);

	return is_vm_hugetlb_page((struct vm_area_struct *)vma) ||
	       (S_ISREG(inode->i_mode) && inode->i_sb->s_magic == TMPFS_MAGIC);
}

static int ppu_userptr_check_vma(const struct vm_area_struct *vma, bool readonly)
{
	if (!(vma->vm_flags & VM_READ) || vma->vm_flags & (VM_IO | VM_PFNMAP) ||
	    (!readonly && !(vma->vm_flags & VM_WRITE)))
		return -EFAULT;
	if (vma->vm_flags & VM_MAYSHARE && vma->vm_file && !ppu_userptr_file_ok(vma))
		return -EOPNOTSUPP;
	return 0;
}

/*
 * How the pages of a mapping are pinned.  A private page that is pinned for reading alone may be
 * shared with a file or another process, and is replaced when the process writes to it.  So even
 * then the process gets a page of its own first.
 */
static unsigned int ppu_userptr_gup_flags(const struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return FOLL_LONGTERM | FOLL_WRITE;
	if (vma->vm_flags & VM_MAYSHARE)
		return FOLL_LONGTERM;
	return FOLL_LONGTERM | FOLL_WRITE | FOLL_FORCE;
}

/* Looks at the mapping at @addr; *@end gets where it ends. */
static int ppu_userptr_look(unsigned long addr, bool readonly, unsigned long *end,
			    unsigned int *flags)
{
	struct vm_area_struct *vma;
	int ret;

	if (mmap_read_lock_killable(current->mm))
		return -EINTR;
	vma = find_vma(current->mm, addr);
	ret = vma && vma->vm_start <= addr ? ppu_userptr_check_vma(vma, readonly) : -EFAULT;
	if (!ret) {
		*end = vma->vm_end;
		*flags = ppu_userptr_gup_flags(vma);
	}
	mmap_read_unlock(current->mm);
	return ret;
}

/* Pages */

static bool ppu_userptr_page_ok(struct page *page)
{
	struct folio *folio = page_folio(page);

	return folio_test_anon(folio) || folio_test_swapbacked(folio) || folio_test_hugetlb(folio);
}

/* Pins the next @num pages; -EOPNOTSUPP: they are of another mapping than the one looked at. */
static int ppu_userptr_pin_some(struct ppu_userptr *up, unsigned long addr, unsigned int num,
				unsigned int flags)
{
	int i, ret = pin_user_pages_fast(addr, num, flags, up->pages + up->pinned);

	if (ret <= 0)
		return ret ? ret : -EFAULT;
	for (i = 0; i < ret; i++)
		if (!ppu_userptr_page_ok(up->pages[up->pinned + i])) {
			unpin_user_pages(up->pages + up->pinned, ret);
			return -EOPNOTSUPP;
		}
	up->pinned += ret;
	return 0;
}

static int ppu_userptr_pin(struct ppu_userptr *up, unsigned long addr, bool readonly)
{
	int ret = 0, looks = PPU_PIN_LOOKS;

	while (!ret && up->pinned < up->num) {
		unsigned long at = addr + (up->pinned << PAGE_SHIFT), end, num;
		unsigned int flags;

		if (fatal_signal_pending(current))
			return -EINTR;
		ret = ppu_userptr_look(at, readonly, &end, &flags);
		if (ret)
			return ret;
		num = min3((end - at) >> PAGE_SHIFT, up->num - up->pinned,
			   (unsigned long)PPU_PIN_PAGES);
		ret = ppu_userptr_pin_some(up, at, num, flags);
		/* Another thread has mapped something else there meanwhile: what is it? */
		if (ret == -EOPNOTSUPP && --looks)
			ret = 0;
		cond_resched();
	}
	return ret;
}

static void ppu_userptr_free(struct ppu_userptr *up, bool dirty)
{
	if (up->pages)
		unpin_user_pages_dirty_lock(up->pages, up->pinned, dirty);
	kvfree(up->pages);
	if (up->paid)
		atomic64_sub(up->num, &up->mm->pinned_vm);
	mmdrop(up->mm);
	kfree(up);
}

static struct ppu_userptr *ppu_userptr_create(unsigned long addr, u64 size, bool readonly)
{
	struct ppu_userptr *up = kzalloc(sizeof(*up), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!up)
		return ERR_PTR(-ENOMEM);
	up->mm = current->mm;
	mmgrab(up->mm);
	up->num = size >> PAGE_SHIFT;
	ret = ppu_userptr_pay(up);
	if (ret)
		goto err;
	ret = -ENOMEM;
	up->pages = kvmalloc_array(up->num, sizeof(*up->pages), GFP_KERNEL_ACCOUNT);
	if (!up->pages)
		goto err;
	ret = ppu_userptr_pin(up, addr, readonly);
	if (ret)
		goto err;
	return up;

err:
	ppu_userptr_free(up, false);
	return ERR_PTR(ret);
}

/* The object */

static void ppu_userptr_obj_free(struct drm_gem_object *obj)
{
	struct ppu_bo *bo = to_ppu_bo(obj);

	ppu_bo_unmap_dma(bo);
	ppu_userptr_free(bo->userptr, !bo->readonly);
	ppu_bo_release(bo);
	drm_gem_object_release(obj);
	kfree(bo);
}

static int ppu_userptr_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	return -EPERM;
}

static const struct drm_gem_object_funcs ppu_userptr_funcs = {
	.free = ppu_userptr_obj_free,
	.export = ppu_bo_export,
	.mmap = ppu_userptr_mmap,
};

/* Takes over @up. */
static struct ppu_bo *ppu_userptr_bo(struct ppu_device *ppu, struct ppu_userptr *up, u64 size,
				     bool readonly)
{
	struct ppu_bo *bo = ppu_bo_alloc(DRM_PPU_PLACEMENT_SYSTEM);
	int ret;

	if (!bo) {
		ppu_userptr_free(up, false);
		return ERR_PTR(-ENOMEM);
	}
	bo->userptr = up;
	bo->readonly = readonly;
	bo->flags = DRM_PPU_GEM_NO_MMAP;
	bo->base.pages = up->pages;
	ppu_bo_gem(bo)->funcs = &ppu_userptr_funcs;
	drm_gem_private_object_init(&ppu->drm, ppu_bo_gem(bo), size);

	ret = ppu_bo_map_dma(bo, up->pages);
	if (!ret)
		return bo;
	ppu_bo_put(bo);
	return ERR_PTR(ret);
}

static struct ppu_bo *ppu_userptr_bo_create(struct ppu_file *file,
					    const struct drm_ppu_gem_userptr *args)
{
	bool readonly = args->flags & DRM_PPU_GEM_USERPTR_READONLY;
	struct ppu_userptr *up;
	struct ppu_bo *bo;
	int ret;

	if (args->size > (u64)totalram_pages() << PAGE_SHIFT)
		return ERR_PTR(-ENOMEM);
	ret = ppu_quota_charge(file->quota, DRM_PPU_RES_SYSTEM, args->size);
	if (ret)
		return ERR_PTR(ret);
	up = ppu_userptr_create(args->addr, args->size, readonly);
	bo = IS_ERR(up) ? ERR_CAST(up) : ppu_userptr_bo(file->ppu, up, args->size, readonly);
	if (IS_ERR(bo)) {
		ppu_quota_release(file->quota, DRM_PPU_RES_SYSTEM, args->size);
		return bo;
	}
	bo->quota = ppu_quota_get(file->quota);
	return bo;
}

static int ppu_userptr_check(struct ppu_device *ppu, const struct drm_ppu_gem_userptr *args)
{
	if (PPU_CHECK(ppu, args->flags & ~DRM_PPU_GEM_USERPTR_READONLY) ||
	    PPU_CHECK(ppu, args->pad) ||
	    PPU_CHECK(ppu, !args->size) ||
	    PPU_CHECK(ppu, (args->addr | args->size) & (PAGE_SIZE - 1)))
		return -EINVAL;
	if (PPU_CHECK(ppu, args->addr >= TASK_SIZE_MAX) ||
	    PPU_CHECK(ppu, args->size > TASK_SIZE_MAX - args->addr))
		return -EFAULT;
	return 0;
}

int ppu_ioctl_gem_userptr(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_gem_userptr *args = data;
	struct ppu_vm *vm = NULL;
	struct ppu_bo *bo;
	int ret = ppu_userptr_check(to_ppu(drm), args);

	if (ret)
		return ret;
	if (args->vm_id) {
		vm = ppu_vm_lookup(filp->driver_priv, args->vm_id);
		if (!vm)
			return -ENOENT;
	}

	bo = ppu_userptr_bo_create(filp->driver_priv, args);
	if (IS_ERR(bo)) {
		ret = PTR_ERR(bo);
		goto out;
	}
	bo->vm_uid = vm ? vm->uid : 0;

	ret = drm_gem_handle_create(filp, ppu_bo_gem(bo), &args->handle);
	ppu_bo_put(bo);
out:
	ppu_vm_put(vm);
	return ret;
}
