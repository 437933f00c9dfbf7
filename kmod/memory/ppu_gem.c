// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: buffer objects.
 *
 * System objects are in ppu_sys.c.  VRAM objects are pieces of BAR2, or shmem while they are moved
 * out (ppu_move.c).  CPU mappings are made page by page by the fault handlers, so that they can be
 * revoked.
 */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_prime.h>
#include <drm/drm_print.h>
#include <drm/drm_vma_manager.h>

#include <hw/ppu_mmu.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_quota.h"
#include "base/ppu_quota_vram.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_move.h"
#include "memory/ppu_prime.h"
#include "memory/ppu_sys.h"
#include "memory/ppu_vram.h"

/* Pages one CPU fault maps at most. */
#define PPU_FAULT_AROUND	512

/* Finds the part of @vma around the faulting page that one fault maps. */
static void ppu_fault_range(struct vm_fault *vmf, unsigned long *first, unsigned long *end)
{
	struct vm_area_struct *vma = vmf->vma;
	unsigned long page = (vmf->address - vma->vm_start) >> PAGE_SHIFT;

	*first = round_down(page, PPU_FAULT_AROUND);
	*end = min(*first + PPU_FAULT_AROUND, vma_pages(vma));
}

/*
 * Maps the faulting page, then its neighbours.  A neighbour that cannot be mapped is left to its
 * own fault.  A mapping of which a part was unmapped need not begin with page 0 of the object.
 */
static vm_fault_t ppu_fault_insert(struct vm_fault *vmf, unsigned long (*pfn)(void *, u64),
				   void *arg, pgprot_t prot)
{
	struct vm_area_struct *vma = vmf->vma;
	unsigned long this = (vmf->address - vma->vm_start) >> PAGE_SHIFT;
	struct drm_gem_object *obj = vma->vm_private_data;
	u64 first = vma->vm_pgoff - drm_vma_node_start(&obj->vma_node);
	unsigned long i, end;
	vm_fault_t ret;

	if (first > obj->size >> PAGE_SHIFT ||
	    vma_pages(vma) > (obj->size >> PAGE_SHIFT) - first)
		return VM_FAULT_SIGBUS;
	ret = vmf_insert_pfn_prot(vma, vmf->address, pfn(arg, first + this), prot);
	if (ret != VM_FAULT_NOPAGE)
		return ret;

	ppu_fault_range(vmf, &i, &end);
	for (; i < end; i++)
		if (i != this &&
		    vmf_insert_pfn_prot(vma, vma->vm_start + (i << PAGE_SHIFT),
					pfn(arg, first + i), prot) != VM_FAULT_NOPAGE)
			break;
	return ret;
}

static unsigned long ppu_page_pfn(void *arg, u64 page)
{
	struct page **pages = arg;

	return page_to_pfn(pages[page]);
}

/**
 * ppu_fault_pages - map the faulting page of an object in memory of the system, and its neighbours
 * @vmf: fault in a mapping of the object, whose dma_resv is locked
 * @pages: all of the object, or ERR_PTR
 *
 * They are mapped with the caching that the kernel's own mapping of them has.  That of the vma is
 * another one if the object was VRAM when it was mapped: x86 ignores it, others do not.
 *
 * Return: what a fault handler returns.
 */
vm_fault_t ppu_fault_pages(struct vm_fault *vmf, struct page **pages)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;

	if (IS_ERR(pages))
		return vmf_error(PTR_ERR(pages));
	return ppu_fault_insert(vmf, ppu_page_pfn, pages,
				ppu_sys_prot(to_ppu_bo(obj), vm_get_page_prot(vmf->vma->vm_flags)));
}

/**
 * ppu_bo_mmap - begin a mapping for the CPU, of which the fault handler maps the pages
 * @bo: object
 * @vma: the mapping
 * @flags: VM_*, besides what all have
 *
 * Return: 0, -EPERM, -ENODEV or -EINVAL.
 */
int ppu_bo_mmap(struct ppu_bo *bo, struct vm_area_struct *vma, vm_flags_t flags)
{
	if (bo->flags & DRM_PPU_GEM_NO_MMAP)
		return -EPERM;
	if (bo->revoked)
		return -ENODEV;
	if ((vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE)
		return -EINVAL;

	vm_flags_set(vma, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | flags);
	if (bo->kernel)
		vm_flags_set(vma, VM_DONTCOPY);
	return 0;
}

/* Objects of all kinds */

static int ppu_bo_charge(struct ppu_quota *quota, u32 placement, u64 size)
{
	if (placement == DRM_PPU_PLACEMENT_VRAM)
		return ppu_quota_charge_vram(quota, size, false);
	return ppu_quota_charge(quota, DRM_PPU_RES_SYSTEM, size);
}

static void ppu_bo_uncharge(struct ppu_quota *quota, u32 placement, u64 size, bool fixed)
{
	if (placement == DRM_PPU_PLACEMENT_VRAM)
		ppu_quota_release_vram(quota, size, fixed);
	else
		ppu_quota_release(quota, DRM_PPU_RES_SYSTEM, size);
}

/* Gives the memory back to the owner's account. */
static void ppu_bo_unpay(struct ppu_bo *bo)
{
	ppu_bo_uncharge(bo->quota, bo->placement, ppu_bo_gem(bo)->size, bo->fixed);
	ppu_quota_put(bo->quota);
}

/** ppu_bo_release - free what objects of all kinds have; nobody uses it any more */
void ppu_bo_release(struct ppu_bo *bo)
{
	drm_WARN_ON(ppu_bo_gem(bo)->dev, !list_empty(&bo->maps));
	drm_WARN_ON(ppu_bo_gem(bo)->dev, atomic_read(&bo->num_sems));
	kvfree(bo->segs);
	ppu_bo_unpay(bo);
}

/** ppu_bo_alloc - a new object, of which DRM does not know yet; NULL: no memory */
struct ppu_bo *ppu_bo_alloc(u32 placement)
{
	struct ppu_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return NULL;
	bo->placement = placement;
	INIT_LIST_HEAD(&bo->blocks);
	INIT_LIST_HEAD(&bo->maps);
	INIT_LIST_HEAD(&bo->mapped_link);
	INIT_LIST_HEAD(&bo->vram_link);
	INIT_LIST_HEAD(&bo->out_link);
	spin_lock_init(&bo->maps_lock);
	return bo;
}

/* Memory of other drivers */

static void ppu_import_free(struct drm_gem_object *obj)
{
	struct ppu_bo *bo = to_ppu_bo(obj);

	ppu_bo_release(bo);
	drm_gem_shmem_free(&bo->base);
}

static const struct drm_gem_object_funcs ppu_import_funcs = {
	.free = ppu_import_free,
	.export = ppu_bo_export,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

/**
 * ppu_gem_create_object - &drm_driver.gem_create_object: for the shmem helper, which imports
 * @drm: device
 * @size: bytes
 *
 * Return: the object, without pages, or ERR_PTR.
 */
struct drm_gem_object *ppu_gem_create_object(struct drm_device *drm, size_t size)
{
	struct ppu_bo *bo = ppu_bo_alloc(DRM_PPU_PLACEMENT_SYSTEM);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	ppu_bo_gem(bo)->funcs = &ppu_import_funcs;
	return ppu_bo_gem(bo);
}

/*
 * Lists where the pages of @sgt are, adjacent ones joined.  They must be at least @size bytes.
 * Returns an array of *@num for kvfree(), or ERR_PTR.
 */
static struct ppu_seg *ppu_sg_segs(struct sg_table *sgt, u64 size, unsigned int *num)
{
	struct scatterlist *sg;
	struct ppu_seg *segs;
	unsigned int n = 0, i;
	u64 offset = 0;

	segs = kvcalloc(sgt->nents, sizeof(*segs), GFP_KERNEL_ACCOUNT);
	if (!segs)
		return ERR_PTR(-ENOMEM);

	for_each_sgtable_dma_sg(sgt, sg, i) {
		u64 addr = sg_dma_address(sg);
		u64 len = sg_dma_len(sg);
		struct ppu_seg *prev = n ? &segs[n - 1] : NULL;

		if (!IS_ALIGNED(addr | len, PPU_PAGE_SIZE))
			goto err;
		if (prev && prev->addr + prev->size == addr)
			prev->size += len;
		else
			segs[n++] = (struct ppu_seg){ offset, addr, len };
		offset += len;
	}
	if (offset < size)
		goto err;
	*num = n;
	return segs;

err:
	kvfree(segs);
	return ERR_PTR(-EINVAL);
}

/**
 * ppu_gem_import_sg - &drm_driver.gem_prime_import_sg_table
 * @drm: device
 * @attach: attachment of the foreign buffer
 * @sgt: its pages
 *
 * Return: an object in system memory, or ERR_PTR.
 */
struct drm_gem_object *ppu_gem_import_sg(struct drm_device *drm,
					 struct dma_buf_attachment *attach, struct sg_table *sgt)
{
	struct drm_gem_object *obj;
	struct ppu_seg *segs;
	unsigned int num;
	struct ppu_bo *bo;

	/* First of all, since an object to which nothing is attached yet cannot be put. */
	segs = ppu_sg_segs(sgt, PAGE_ALIGN(attach->dmabuf->size), &num);
	if (IS_ERR(segs))
		return ERR_CAST(segs);
	obj = drm_gem_shmem_prime_import_sg_table(drm, attach, sgt);
	if (IS_ERR(obj)) {
		kvfree(segs);
		return obj;
	}

	bo = to_ppu_bo(obj);
	bo->imported = true;
	bo->segs = segs;
	bo->num_segs = num;
	return obj;
}

/* Mappings for DMA */

/* mapped_lock is held. */
static void ppu_bo_drop_sgt(struct ppu_bo *bo)
{
	struct drm_gem_shmem_object *shmem = &bo->base;

	if (!shmem->sgt)
		return;
	dma_unmap_sgtable(ppu_bo_gem(bo)->dev->dev, shmem->sgt, ppu_bo_dma_dir(bo),
			  ppu_bo_dma_attrs(bo));
	sg_free_table(shmem->sgt);
	kfree(shmem->sgt);
	shmem->sgt = NULL;
}

/**
 * ppu_bo_unmap_dma - the device does not reach an object any more; it may never have reached it
 * @bo: the object
 *
 * Allocates nothing.  ppu_gem_unmap_all() has unmapped it, or cannot any more.
 */
void ppu_bo_unmap_dma(struct ppu_bo *bo)
{
	struct ppu_device *ppu = to_ppu(ppu_bo_gem(bo)->dev);

	mutex_lock(&ppu->mapped_lock);
	list_del_init(&bo->mapped_link);
	ppu_bo_drop_sgt(bo);
	mutex_unlock(&ppu->mapped_lock);
	kvfree(bo->segs);
	bo->segs = NULL;
	bo->num_segs = 0;
}

/**
 * ppu_bo_map_dma - let the device reach an object
 * @bo: the object
 * @pages: all of it
 *
 * After an error, too, ppu_bo_unmap_dma() is to be called.
 *
 * Return: 0 or a negative error.
 */
int ppu_bo_map_dma(struct ppu_bo *bo, struct page **pages)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	struct sg_table *sgt = drm_prime_pages_to_sg(obj->dev, pages, obj->size >> PAGE_SHIFT);
	struct ppu_device *ppu = to_ppu(obj->dev);
	int idx, ret = -ENODEV;
	struct ppu_seg *segs;

	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	/* An object mapped later would be missed by ppu_gem_unmap_all(). */
	if (drm_dev_enter(&ppu->drm, &idx)) {
		ret = dma_map_sgtable(ppu->drm.dev, sgt, ppu_bo_dma_dir(bo),
				      ppu_bo_dma_attrs(bo));
		if (!ret) {
			mutex_lock(&ppu->mapped_lock);
			bo->base.sgt = sgt;
			list_add(&bo->mapped_link, &ppu->mapped);
			mutex_unlock(&ppu->mapped_lock);
			segs = ppu_sg_segs(sgt, obj->size, &bo->num_segs);
		}
		drm_dev_exit(idx);
	}
	if (ret) {
		sg_free_table(sgt);
		kfree(sgt);
		return ret;
	}
	if (IS_ERR(segs))
		return PTR_ERR(segs);
	bo->segs = segs;
	return 0;
}

/**
 * ppu_gem_unmap_all - the driver leaves the device: unmap everything for DMA
 * @ppu: device, unplugged and quiet
 *
 * Objects live on in files that are open, as memory for the CPU alone.
 */
void ppu_gem_unmap_all(struct ppu_device *ppu)
{
	struct ppu_bo *bo;

	mutex_lock(&ppu->mapped_lock);
	list_for_each_entry(bo, &ppu->mapped, mapped_link)
		ppu_bo_drop_sgt(bo);
	mutex_unlock(&ppu->mapped_lock);
}

/* VRAM objects */

struct ppu_vram_pfn_arg {
	struct ppu_device *ppu;
	struct ppu_bo *bo;
};

static unsigned long ppu_vram_pfn(void *arg, u64 page)
{
	struct ppu_vram_pfn_arg *a = arg;

	return (a->ppu->vram_phys + ppu_bo_addr(a->bo, page << PAGE_SHIFT, NULL)) >> PAGE_SHIFT;
}

/* The object's pages may have to be read from swap: the device is not entered. */
static vm_fault_t ppu_out_fault(struct vm_fault *vmf, struct ppu_bo *bo)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	/* If it has come back, the CPU tries again. */
	vm_fault_t ret = VM_FAULT_NOPAGE;

	dma_resv_lock(obj->resv, NULL);
	if (bo->out)
		ret = ppu_fault_pages(vmf, ppu_move_cpu_pages(bo));
	dma_resv_unlock(obj->resv);
	return ret;
}

static vm_fault_t ppu_vram_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	struct ppu_vram_pfn_arg arg = { to_ppu(obj->dev), to_ppu_bo(obj) };
	vm_fault_t ret = VM_FAULT_SIGBUS;
	bool out;
	int idx;

	/* It was VRAM when it was mapped, and does not become so again. */
	if (READ_ONCE(arg.bo->placement) == DRM_PPU_PLACEMENT_SYSTEM)
		return ppu_sys_fault(vmf);

	if (!ppu_enter(arg.ppu, &idx))
		return VM_FAULT_SIGBUS;
	dma_resv_lock(obj->resv, NULL);
	out = arg.bo->out;
	if (arg.bo->placement == DRM_PPU_PLACEMENT_SYSTEM)
		ret = VM_FAULT_NOPAGE;
	else if (!arg.bo->revoked && !out)
		ret = ppu_fault_insert(vmf, ppu_vram_pfn, &arg, vmf->vma->vm_page_prot);
	dma_resv_unlock(obj->resv);
	ppu_exit(arg.ppu, idx);
	return out ? ppu_out_fault(vmf, arg.bo) : ret;
}

static const struct vm_operations_struct ppu_vram_vm_ops = {
	.fault = ppu_vram_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

static int ppu_vram_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	int ret = ppu_bo_mmap(to_ppu_bo(obj), vma, VM_IO);

	if (!ret)
		vma->vm_page_prot = pgprot_writecombine(vm_get_page_prot(vma->vm_flags));
	return ret;
}

static void ppu_vram_obj_free(struct drm_gem_object *obj)
{
	struct ppu_bo *bo = to_ppu_bo(obj);

	ppu_move_release(bo);
	ppu_bo_release(bo);
	drm_gem_object_release(obj);
	kfree(bo);
}

static const struct drm_gem_object_funcs ppu_vram_funcs = {
	.free = ppu_vram_obj_free,
	.export = ppu_bo_export,
	.get_sg_table = ppu_sys_get_sg_table,
	.mmap = ppu_vram_mmap,
	.vm_ops = &ppu_vram_vm_ops,
};

static int ppu_cmp_seg(const void *a, const void *b)
{
	const struct ppu_seg *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/** ppu_bo_set_blocks - put the blocks in address order, so that neighbours join to large pages */
int ppu_bo_set_blocks(struct ppu_device *ppu, struct ppu_bo *bo)
{
	struct gpu_buddy_block *block;
	unsigned int n = 0, i, out = 0;
	u64 offset = 0;

	list_for_each_entry(block, &bo->blocks, link)
		n++;
	bo->segs = kvcalloc(n, sizeof(*bo->segs), GFP_KERNEL_ACCOUNT);
	if (!bo->segs)
		return -ENOMEM;

	n = 0;
	list_for_each_entry(block, &bo->blocks, link) {
		bo->segs[n].addr = gpu_buddy_block_offset(block);
		bo->segs[n++].size = gpu_buddy_block_size(&ppu->vram->mm, block);
	}
	/* In allocation order, 2 MiB boundaries would fall into the middle of large pages. */
	sort(bo->segs, n, sizeof(*bo->segs), ppu_cmp_seg, NULL);

	for (i = 0; i < n; i++) {
		struct ppu_seg seg = bo->segs[i];
		struct ppu_seg *prev = out ? &bo->segs[out - 1] : NULL;

		seg.offset = offset;
		offset += seg.size;
		if (prev && prev->addr + prev->size == seg.addr)
			prev->size += seg.size;
		else
			bo->segs[out++] = seg;
	}
	bo->num_segs = out;
	return 0;
}

static struct ppu_bo *ppu_bo_create_vram(struct ppu_device *ppu, u64 size)
{
	struct ppu_bo *bo;
	int ret;

	if (size > ppu->vram_size)
		return ERR_PTR(-ENOSPC);

	bo = ppu_bo_alloc(DRM_PPU_PLACEMENT_VRAM);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	ppu_bo_gem(bo)->funcs = &ppu_vram_funcs;
	drm_gem_private_object_init(&ppu->drm, ppu_bo_gem(bo), size);

	ret = ppu_vram_alloc_list(ppu, size, &bo->blocks);
	if (ret)
		goto err;
	ret = ppu_bo_set_blocks(ppu, bo);
	if (ret)
		goto err;
	ret = drm_gem_create_mmap_offset(ppu_bo_gem(bo));
	if (ret)
		goto err;
	return bo;

err:
	ppu_bo_put(bo);
	return ERR_PTR(ret);
}

/**
 * ppu_bo_create - create a buffer object
 * @file: open file; its process pays
 * @size: bytes, not 0
 * @placement: DRM_PPU_PLACEMENT_*
 * @flags: DRM_PPU_GEM_*
 *
 * Return: object with one reference, or ERR_PTR.
 */
struct ppu_bo *ppu_bo_create(struct ppu_file *file, u64 size, u32 placement, u32 flags)
{
	struct ppu_device *ppu = file->ppu;
	struct ppu_bo *bo;
	int ret;

	if (!size || size > BIT_ULL(PPU_VA_BITS - 1))
		return ERR_PTR(-EINVAL);
	size = PAGE_ALIGN(size);
	if (placement == DRM_PPU_PLACEMENT_SYSTEM && size > (u64)totalram_pages() << PAGE_SHIFT)
		return ERR_PTR(-ENOMEM);
	ret = ppu_bo_charge(file->quota, placement, size);
	if (ret)
		return ERR_PTR(ret);

	if (placement == DRM_PPU_PLACEMENT_VRAM)
		bo = ppu_bo_create_vram(ppu, size);
	else
		bo = ppu_bo_create_sys(ppu, size, flags);
	if (IS_ERR(bo)) {
		ppu_bo_uncharge(file->quota, placement, size, false);
		return bo;
	}
	bo->flags = flags;
	bo->quota = ppu_quota_get(file->quota);
	return bo;
}

/**
 * ppu_bo_lookup - find the buffer object of a handle
 * @filp: open file
 * @handle: GEM handle
 *
 * Return: object with a reference, or NULL.
 */
struct ppu_bo *ppu_bo_lookup(struct drm_file *filp, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(filp, handle);

	return obj ? to_ppu_bo(obj) : NULL;
}

/**
 * ppu_bo_addr - device address of a byte of an object
 * @bo: the object
 * @offset: which byte
 * @contig: gets the number of bytes that follow without a gap; may be NULL
 *
 * Return: VRAM address, or DMA address for a system object.
 */
u64 ppu_bo_addr(const struct ppu_bo *bo, u64 offset, u64 *contig)
{
	unsigned int lo = 0, hi = bo->num_segs;
	const struct ppu_seg *seg;

	while (hi - lo > 1) {
		unsigned int mid = (lo + hi) / 2;

		if (bo->segs[mid].offset <= offset)
			lo = mid;
		else
			hi = mid;
	}
	seg = &bo->segs[lo];
	if (contig)
		*contig = seg->offset + seg->size - offset;
	return seg->addr + (offset - seg->offset);
}

/**
 * ppu_bo_map_page - give the driver a view of (part of) a page of an object
 * @bo: system object of our own
 * @offset: first byte
 * @vmapped: tells ppu_bo_unmap_page() what to do
 *
 * The view has the caching of the user's mappings.
 *
 * Return: address of the byte; what follows in its page can be used, too.
 * NULL: no memory.
 */
void *ppu_bo_map_page(struct ppu_bo *bo, u64 offset, bool *vmapped)
{
	struct page *page = bo->base.pages[offset >> PAGE_SHIFT];
	void *vaddr;

	*vmapped = bo->base.map_wc || PageHighMem(page);
	if (*vmapped)
		vaddr = vmap(&page, 1, VM_MAP, bo->base.map_wc ?
			     pgprot_writecombine(PAGE_KERNEL) : PAGE_KERNEL);
	else
		vaddr = page_address(page);
	return vaddr ? vaddr + offset_in_page(offset) : NULL;
}

/** ppu_bo_unmap_page - undo ppu_bo_map_page() */
void ppu_bo_unmap_page(void *vaddr, bool vmapped)
{
	if (vmapped)
		vunmap((void *)((unsigned long)vaddr & PAGE_MASK));
}

/* Objects in the mmap space that have no handle */

/**
 * ppu_gem_user_map - let one open file mmap an object that has no handle
 * @obj: the object
 * @filp: open file
 * @offset: gets the mmap offset
 *
 * Return: 0 or a negative error.
 */
int ppu_gem_user_map(struct drm_gem_object *obj, struct drm_file *filp, u64 *offset)
{
	int ret = drm_vma_node_allow(&obj->vma_node, filp);

	if (!ret)
		*offset = drm_vma_node_offset_addr(&obj->vma_node);
	return ret;
}

/**
 * ppu_gem_user_unmap - take all mappings of an object away
 * @obj: the object, whose fault handler makes no new mappings
 * @filp: open file that was allowed to map it
 */
void ppu_gem_user_unmap(struct drm_gem_object *obj, struct drm_file *filp)
{
	drm_vma_node_revoke(&obj->vma_node, filp);
	drm_vma_node_unmap(&obj->vma_node, obj->dev->anon_inode->i_mapping);
}

/**
 * ppu_gem_user_unmap_all - take away the mappings of all objects, until they are touched again
 * @ppu: device
 *
 * Mappings of system memory come back at once, those of VRAM and registers when the gate is open.
 */
void ppu_gem_user_unmap_all(struct ppu_device *ppu)
{
	unmap_mapping_range(ppu->drm.anon_inode->i_mapping, 0, 0, 1);
}

/**
 * ppu_bo_user_revoke - take the mappings of ppu_gem_user_map() away
 * @bo: the object
 * @filp: open file
 */
void ppu_bo_user_revoke(struct ppu_bo *bo, struct drm_file *filp)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);

	dma_resv_lock(obj->resv, NULL);
	bo->revoked = true;
	dma_resv_unlock(obj->resv);
	ppu_gem_user_unmap(obj, filp);
}
