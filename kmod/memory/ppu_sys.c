// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: buffer objects in system memory.
 *
 * Their pages are those of a shmem file.  While the device can reach an object, they are pinned and
 * mapped for DMA.  When memory is short, the shrinker takes the pages of an object that no VM on
 * the device shows: then the object is out, as one of VRAM may be (ppu_move.c), and the kernel can
 * swap them.  It comes back when a VM needs it that shows it.
 *
 * It is not the shmem helper of DRM, which counts mappings of the CPU as users of the pages: here
 * they are taken away, and the fault handler gets the pages again.
 */

#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <asm/set_memory.h>

#include <drm/drm_gem.h>
#include <drm/drm_prime.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_move.h"
#include "memory/ppu_prime.h"
#include "memory/ppu_shrink.h"
#include "memory/ppu_sys.h"

static unsigned long ppu_sys_num_pages(struct ppu_bo *bo)
{
	return ppu_bo_gem(bo)->size >> PAGE_SHIFT;
}

/* Mappings of the CPU */

/**
 * ppu_sys_fault - &vm_operations_struct.fault
 * @vmf: fault in a mapping of an object that is in system memory
 *
 * The pages may have to be read from swap: the device is not entered, nor does it get them.
 *
 * Return: what a fault handler returns.
 */
vm_fault_t ppu_sys_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	struct ppu_bo *bo = to_ppu_bo(obj);
	vm_fault_t ret = VM_FAULT_SIGBUS;

	dma_resv_lock(obj->resv, NULL);
	if (!bo->revoked)
		ret = ppu_fault_pages(vmf, bo->out ? ppu_move_cpu_pages(bo) : bo->base.pages);
	dma_resv_unlock(obj->resv);
	return ret;
}

static const struct vm_operations_struct ppu_sys_vm_ops = {
	.fault = ppu_sys_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

/** ppu_sys_prot - how the CPU maps the pages of an object, that of user space and the kernel's */
pgprot_t ppu_sys_prot(struct ppu_bo *bo, pgprot_t prot)
{
	return bo->base.map_wc ? pgprot_writecombine(prot) : prot;
}

static int ppu_sys_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct ppu_bo *bo = to_ppu_bo(obj);
	int ret = ppu_bo_mmap(bo, vma, 0);

	if (!ret)
		vma->vm_page_prot = ppu_sys_prot(bo, vm_get_page_prot(vma->vm_flags));
	return ret;
}

/* For other drivers: an object that was exported stays. */

/** ppu_sys_get_sg_table - &drm_gem_object_funcs.get_sg_table, also of what was VRAM once */
struct sg_table *ppu_sys_get_sg_table(struct drm_gem_object *obj)
{
	struct ppu_bo *bo = to_ppu_bo(obj);

	return drm_prime_pages_to_sg(obj->dev, bo->base.pages, ppu_sys_num_pages(bo));
}

static int ppu_sys_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct ppu_bo *bo = to_ppu_bo(obj);
	void *vaddr = vmap(bo->base.pages, ppu_sys_num_pages(bo), VM_MAP,
			   ppu_sys_prot(bo, PAGE_KERNEL));

	if (!vaddr)
		return -ENOMEM;
	iosys_map_set_vaddr(map, vaddr);
	return 0;
}

static void ppu_sys_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	vunmap(map->vaddr);
}

/* Pages */

/**
 * ppu_sys_get_pages - get the pages of an object's shmem file, and keep them
 * @bo: object that has none
 *
 * Pages that user space sees without the cache must not have lines in it: so sees the kernel.
 *
 * Return: 0 or a negative error.
 */
int ppu_sys_get_pages(struct ppu_bo *bo)
{
	struct page **pages = drm_gem_get_pages(ppu_bo_gem(bo));

	if (IS_ERR(pages))
		return PTR_ERR(pages);
	if (bo->base.map_wc)
		set_pages_array_wc(pages, ppu_sys_num_pages(bo));
	bo->base.pages = pages;
	return 0;
}

/** ppu_sys_put_pages - undo ppu_sys_get_pages(), if that was called */
void ppu_sys_put_pages(struct ppu_bo *bo)
{
	if (!bo->base.pages)
		return;
	if (bo->base.map_wc)
		set_pages_array_wb(bo->base.pages, ppu_sys_num_pages(bo));
	drm_gem_put_pages(ppu_bo_gem(bo), bo->base.pages, true, true);
	bo->base.pages = NULL;
}

/* The object */

static void ppu_sys_free(struct drm_gem_object *obj)
{
	struct ppu_bo *bo = to_ppu_bo(obj);

	ppu_move_put_cpu_pages(bo);
	ppu_bo_unmap_dma(bo);
	ppu_sys_put_pages(bo);
	ppu_bo_release(bo);
	drm_gem_object_release(obj);
	kfree(bo);
}

static const struct drm_gem_object_funcs ppu_sys_funcs = {
	.free = ppu_sys_free,
	.export = ppu_bo_export,
	.get_sg_table = ppu_sys_get_sg_table,
	.vmap = ppu_sys_vmap,
	.vunmap = ppu_sys_vunmap,
	.mmap = ppu_sys_mmap,
	.vm_ops = &ppu_sys_vm_ops,
};

/* Gets memory.  shmem returns ENOSPC also when it got none for an inode. */
static int ppu_sys_init(struct ppu_device *ppu, struct ppu_bo *bo, u64 size)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	int ret = drm_gem_object_init(&ppu->drm, obj, size);

	if (!ret)
		ret = drm_gem_create_mmap_offset(obj);
	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	/* Pages that are pinned for long would be in the way of those who move pages. */
	mapping_set_gfp_mask(obj->filp->f_mapping, GFP_HIGHUSER | __GFP_RETRY_MAYFAIL |
			     __GFP_NOWARN);
	ret = ppu_sys_get_pages(bo);
	return ret ?: ppu_bo_map_dma(bo, bo->base.pages);
}

/**
 * ppu_bo_create_sys - a new object in system memory
 * @ppu: device
 * @size: bytes, whole pages
 * @flags: DRM_PPU_GEM_*
 *
 * It stays where it is until ppu_sys_add().
 *
 * Return: the object, or ERR_PTR.
 */
struct ppu_bo *ppu_bo_create_sys(struct ppu_device *ppu, u64 size, u32 flags)
{
	struct ppu_bo *bo = ppu_bo_alloc(DRM_PPU_PLACEMENT_SYSTEM);
	int ret;

	if (!bo)
		return ERR_PTR(-ENOMEM);
	ppu_bo_gem(bo)->funcs = &ppu_sys_funcs;
	bo->base.map_wc = flags & DRM_PPU_GEM_CPU_WC;
	ret = ppu_sys_init(ppu, bo, size);
	if (!ret)
		return bo;
	ppu_bo_put(bo);
	return ERR_PTR(ret);
}

/* Out and in */

/**
 * ppu_sys_add - the shrinker may have the pages of an object
 * @bo: object of user space, on the device
 *
 * Not if the CPU writes around its caches: whoever gives such pages back changes page tables of the
 * kernel, which is nothing for a moment when memory is short.
 */
void ppu_sys_add(struct ppu_bo *bo)
{
	if (!bo->base.map_wc)
		ppu_shrink_add_sys(bo);
}

/**
 * ppu_sys_out - let the kernel have an object's pages
 * @bo: object that the caller has claimed, and that no page table shows; its dma_resv is locked
 *
 * Allocates nothing.
 */
void ppu_sys_out(struct ppu_bo *bo)
{
	ppu_evict_assert_held(to_ppu(ppu_bo_gem(bo)->dev));

	ppu_move_unmap_cpu(bo);
	ppu_bo_unmap_dma(bo);
	WRITE_ONCE(bo->out, true);
	ppu_sys_put_pages(bo);
}

/* The pages that the CPU has mapped meanwhile are the object's, and stay mapped. */
static int ppu_sys_take_pages(struct ppu_bo *bo)
{
	if (!bo->out_pages)
		return ppu_sys_get_pages(bo);
	ppu_shrink_remove(bo);
	bo->base.pages = bo->out_pages;
	bo->out_pages = NULL;
	return 0;
}

/**
 * ppu_sys_in - let the device have the pages of an object that is out
 * @bo: the object; it stays claimed
 *
 * Return: 0 or a negative error: -ENODEV: the device is gone.
 */
int ppu_sys_in(struct ppu_bo *bo)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	int ret;

	ppu_evict_assert_held(to_ppu(obj->dev));

	dma_resv_lock(obj->resv, NULL);
	ret = ppu_sys_take_pages(bo);
	if (ret)
		goto out;
	ret = ppu_bo_map_dma(bo, bo->base.pages);
	if (ret) {
		ppu_move_unmap_cpu(bo);
		ppu_bo_unmap_dma(bo);
		ppu_sys_put_pages(bo);
		goto out;
	}
	WRITE_ONCE(bo->out, false);
	ppu_shrink_count_in(bo);
out:
	dma_resv_unlock(obj->resv);
	return ret;
}
