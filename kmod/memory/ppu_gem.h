/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: buffer objects.
 */
#ifndef __PPU_GEM_H__
#define __PPU_GEM_H__

#include <linux/dma-mapping.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <drm/drm_gem_shmem_helper.h>

struct dma_buf_attachment;
struct drm_device;
struct drm_file;
struct page;
struct ppu_device;
struct ppu_file;
struct ppu_quota;
struct ppu_userptr;
struct sg_table;
struct vm_area_struct;
struct vm_fault;

/**
 * struct ppu_seg - a piece of a buffer object that is contiguous for the device
 */
struct ppu_seg {
	/** @offset: in the object. */
	u64 offset;
	/** @addr: device address. */
	u64 addr;
	/** @size: bytes. */
	u64 size;
};

/**
 * struct ppu_bo - buffer object
 */
struct ppu_bo {
	/**
	 * @base: GEM object.  Objects in system memory have their pages and sgt in the shmem part,
	 * which belongs to the shmem helper if they were imported.
	 */
	struct drm_gem_shmem_object base;
	/** @placement: DRM_PPU_PLACEMENT_*. */
	u32 placement;
	/** @flags: DRM_PPU_GEM_*. */
	u32 flags;
	/** @vm_uid: the only VM it may be bound in, 0: any. */
	u64 vm_uid;
	/** @imported: memory of another driver. */
	bool imported;
	/** @kernel: owned by the driver (rings): never bound by user space. */
	bool kernel;
	/** @readonly: the device must not write to it. */
	bool readonly;
	/** @userptr: pages of a process; NULL: pages of its own. */
	struct ppu_userptr *userptr;
	/** @revoked: CPU mappings give SIGBUS. */
	bool revoked;
	/** @quota: account that pays for it; NULL: imported. */
	struct ppu_quota *quota;
	/** @pins: who needs it where it is, if it can move; PPU_BO_AWAY: it is out, or moves. */
	atomic_t pins;
	/**
	 * @out: the device cannot reach it: it has no VRAM, or its pages are the kernel's; written
	 * under its dma_resv and ppu_evict.lock.
	 */
	bool out;
	/** @fixed: its owner's account counts it as VRAM that stays; under ppu_evict.lock. */
	bool fixed;
	/** @exported: it was exported, and stays; under drm_device.object_name_lock. */
	bool exported;
	/** @out_pages: what the CPU has mapped while it is out, or NULL; under its dma_resv. */
	struct page **out_pages;
	/**
	 * @dontneed: its contents may be dropped; written under its dma_resv and ppu_shrink.lock.
	 */
	bool dontneed;
	/** @dropped: they were, and its owner does not know it yet; under its dma_resv. */
	bool dropped;
	/**
	 * @out_link: in ppu_shrink.bos, while there are @out_pages, or in ppu_shrink.sys, while the
	 * device can reach it, or in ppu_shrink.dontneed; under ppu_shrink.lock.
	 */
	struct list_head out_link;
	/** @vram_link: in ppu_evict.bos; empty: cannot move. */
	struct list_head vram_link;
	/** @num_sems: semaphore objects that name it. */
	atomic_t num_sems;
	/** @segs: where it is. */
	struct ppu_seg *segs;
	/** @num_segs: entries of @segs. */
	unsigned int num_segs;
	/** @blocks: VRAM. */
	struct list_head blocks;
	/** @maps_lock: protects @maps. */
	spinlock_t maps_lock;
	/** @maps: struct ppu_mapping.bo_link, one of each VM. */
	struct list_head maps;
	/** @mapped_link: in ppu_device.mapped; not for imported objects or VRAM. */
	struct list_head mapped_link;
};

#define to_ppu_bo(o) container_of(to_drm_gem_shmem_obj(o), struct ppu_bo, base)
#define ppu_bo_gem(bo) (&(bo)->base.base)

struct ppu_bo *ppu_bo_alloc(u32 placement);
int ppu_bo_set_blocks(struct ppu_device *ppu, struct ppu_bo *bo);
int ppu_bo_map_dma(struct ppu_bo *bo, struct page **pages);
void ppu_bo_unmap_dma(struct ppu_bo *bo);
void ppu_bo_release(struct ppu_bo *bo);
struct drm_gem_object *ppu_gem_create_object(struct drm_device *drm, size_t size);
struct drm_gem_object *ppu_gem_import_sg(struct drm_device *drm,
					 struct dma_buf_attachment *attach, struct sg_table *sgt);
struct ppu_bo *ppu_bo_create(struct ppu_file *file, u64 size, u32 placement, u32 flags);
vm_fault_t ppu_fault_pages(struct vm_fault *vmf, struct page **pages);
int ppu_bo_mmap(struct ppu_bo *bo, struct vm_area_struct *vma, vm_flags_t flags);
void ppu_gem_unmap_all(struct ppu_device *ppu);
void *ppu_bo_map_page(struct ppu_bo *bo, u64 offset, bool *vmapped);
void ppu_bo_unmap_page(void *vaddr, bool vmapped);
struct ppu_bo *ppu_bo_lookup(struct drm_file *filp, u32 handle);
u64 ppu_bo_addr(const struct ppu_bo *bo, u64 offset, u64 *contig);
int ppu_gem_user_map(struct drm_gem_object *obj, struct drm_file *filp, u64 *offset);
void ppu_gem_user_unmap(struct drm_gem_object *obj, struct drm_file *filp);
void ppu_gem_user_unmap_all(struct ppu_device *ppu);
void ppu_bo_user_revoke(struct ppu_bo *bo, struct drm_file *filp);

static inline enum dma_data_direction ppu_bo_dma_dir(const struct ppu_bo *bo)
{
	return bo->readonly ? DMA_TO_DEVICE : DMA_BIDIRECTIONAL;
}

/*
 * One page of a process may be in several objects, or several times in one: nobody owns it for a
 * time, as the synchronisation of caches would demand.
 */
static inline unsigned long ppu_bo_dma_attrs(const struct ppu_bo *bo)
{
	return bo->userptr ? DMA_ATTR_SKIP_CPU_SYNC : 0;
}

static inline void ppu_bo_put(struct ppu_bo *bo)
{
	if (bo)
		drm_gem_object_put(ppu_bo_gem(bo));
}

static inline void ppu_bo_get(struct ppu_bo *bo)
{
	drm_gem_object_get(ppu_bo_gem(bo));
}

#endif
