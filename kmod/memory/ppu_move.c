// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: objects that move between VRAM and pages that the kernel can swap.
 *
 * An object of VRAM that is out has a shmem file with its bytes, and no VRAM.  Nothing of the
 * device shows it then.  The CPU can reach it on either side: its mappings are taken away before an
 * object moves, and the fault handler waits for the object's dma_resv, which is held until the
 * object has arrived.
 *
 * The CPU copies, through BAR2.  No fence waits for a move.
 */

#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>

#include "base/ppu_device.h"
#include "base/ppu_gate.h"
#include "base/ppu_trace.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_move.h"
#include "memory/ppu_shrink.h"
#include "memory/ppu_sys.h"
#include "memory/ppu_vram.h"

/* 64-bit accesses: an emulated CPU takes longer for a byte than for eight. */
static void ppu_move_page_out(u64 *to, const void __iomem *from)
{
	unsigned int i;

	for (i = 0; i < PAGE_SIZE / sizeof(*to); i += 4) {
		to[i] = __raw_readq(from + i * 8);
		to[i + 1] = __raw_readq(from + i * 8 + 8);
		to[i + 2] = __raw_readq(from + i * 8 + 16);
		to[i + 3] = __raw_readq(from + i * 8 + 24);
	}
}

static void ppu_move_page_in(void __iomem *to, const u64 *from)
{
	unsigned int i;

	for (i = 0; i < PAGE_SIZE / sizeof(*from); i += 4) {
		__raw_writeq(from[i], to + i * 8);
		__raw_writeq(from[i + 1], to + i * 8 + 8);
		__raw_writeq(from[i + 2], to + i * 8 + 16);
		__raw_writeq(from[i + 3], to + i * 8 + 24);
	}
}

/* A reset in between is seen page by page: no section waits for memory, and none is long. */
static int ppu_move_page(struct ppu_bo *bo, struct address_space *mapping, u64 offset, bool out)
{
	struct ppu_device *ppu = to_ppu(ppu_bo_gem(bo)->dev);
	struct page *page = shmem_read_mapping_page(mapping, offset >> PAGE_SHIFT);
	void __iomem *vram;
	int idx, ret = 0;
	void *vaddr;

	if (IS_ERR(page))
		return -ENOMEM;
	if (ppu_try_enter(ppu, &idx)) {
		vram = ppu->vram_io + ppu_bo_addr(bo, offset, NULL);
		vaddr = kmap_local_page(page);
		if (out)
			ppu_move_page_out(vaddr, vram);
		else
			ppu_move_page_in(vram, vaddr);
		kunmap_local(vaddr);
		ppu_try_exit(ppu, idx);
	} else {
		ret = ppu_not_entered(ppu) == -ENODEV ? -ENODEV : -EAGAIN;
	}
	if (out && !ret)
		set_page_dirty(page);
	mark_page_accessed(page);
	put_page(page);
	cond_resched();
	return ret;
}

static int ppu_move_bytes(struct ppu_bo *bo, struct file *file, bool out)
{
	u64 size = ppu_bo_gem(bo)->size, offset;
	int ret = 0;

	for (offset = 0; offset < size && !ret; offset += PAGE_SIZE)
		ret = ppu_move_page(bo, file->f_mapping, offset, out);
	/* VRAM is write-combined. */
	wmb();
	return ret;
}

/**
 * ppu_move_unmap_cpu - take the CPU's mappings of an object away, those of its dma-buf, too
 * @bo: object; the fault handler makes new ones when its dma_resv is unlocked
 */
void ppu_move_unmap_cpu(struct ppu_bo *bo)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);

	dma_resv_assert_held(obj->resv);
	drm_vma_node_unmap(&obj->vma_node, obj->dev->anon_inode->i_mapping);
}

/* Frees the bytes now: the last reference to a file ends when its task returns to user space. */
static void ppu_move_drop_file(struct file *file)
{
	shmem_truncate_range(file_inode(file), 0, (loff_t)-1);
	fput(file);
}

/**
 * ppu_move_out - give up an object's VRAM
 * @bo: object that the caller has claimed, and that no page table shows
 *
 * When it fails the object is where it was, and still claimed.
 *
 * Return: 0, -ENOMEM, -EAGAIN: the device is being reset, -ENODEV: it is gone.
 */
int ppu_move_out(struct ppu_bo *bo)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	struct ppu_device *ppu = to_ppu(obj->dev);
	u64 start = ktime_get_ns();
	LIST_HEAD(blocks);
	struct file *file;
	bool drop;
	int ret;

	ppu_evict_assert_held(ppu);

	file = shmem_file_setup("ppu moved out", obj->size, PPU_SHMEM_NORESERVE);
	if (IS_ERR(file))
		return -ENOMEM;
	dma_resv_lock(obj->resv, NULL);
	ppu_move_unmap_cpu(bo);
	/* An empty file has zeroes. */
	drop = bo->dontneed;
	ret = drop ? 0 : ppu_move_bytes(bo, file, true);
	if (!ret) {
		bo->dropped |= drop;
		obj->filp = file;
		list_splice_init(&bo->blocks, &blocks);
		kvfree(bo->segs);
		bo->segs = NULL;
		bo->num_segs = 0;
		WRITE_ONCE(bo->out, true);
	}
	dma_resv_unlock(obj->resv);
	if (ret) {
		ppu_move_drop_file(file);
		return ret;
	}
	ppu_vram_free_list(ppu, &blocks);
	if (drop)
		ppu_shrink_count_dropped(bo);
	ppu_evict_count(ppu, obj->size, true, ktime_get_ns() - start);
	trace_ppu_move(obj->size, true, ktime_get_ns() - start);
	return 0;
}

/* Pages that the CPU has mapped may be dirty.  The shrinker knows them no longer. */
static void ppu_move_put_pages(struct ppu_bo *bo)
{
	if (bo->out_pages)
		drm_gem_put_pages(ppu_bo_gem(bo), bo->out_pages, true, true);
	bo->out_pages = NULL;
}

/** ppu_move_put_cpu_pages - the pages of an object that the CPU has mapped are not needed */
void ppu_move_put_cpu_pages(struct ppu_bo *bo)
{
	ppu_shrink_remove(bo);
	ppu_move_put_pages(bo);
}

/**
 * ppu_move_give_back - let the kernel have the pages of an object that is out
 * @bo: object; its dma_resv is locked
 *
 * Allocates nothing.
 */
void ppu_move_give_back(struct ppu_bo *bo)
{
	ppu_move_unmap_cpu(bo);
	ppu_move_put_pages(bo);
}

/**
 * ppu_move_drop - drop the contents of an object that is out
 * @bo: object without pages for the CPU; its dma_resv is locked
 *
 * Allocates nothing, and gives swap space back, too.
 */
void ppu_move_drop(struct ppu_bo *bo)
{
	dma_resv_assert_held(ppu_bo_gem(bo)->resv);

	shmem_truncate_range(file_inode(ppu_bo_gem(bo)->filp), 0, (loff_t)-1);
	bo->dropped = true;
	ppu_shrink_count_dropped(bo);
}

/* Pages that hold the object's bytes become those the device reaches.  Its dma_resv is locked. */
static int ppu_move_adopt_pages(struct ppu_bo *bo, struct file *file)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	unsigned int num_segs = bo->num_segs;
	struct ppu_seg *segs = bo->segs;
	int ret;

	obj->filp = file;
	ret = ppu_sys_get_pages(bo);
	if (ret)
		goto err;
	bo->segs = NULL;
	ret = ppu_bo_map_dma(bo, bo->base.pages);
	if (!ret) {
		kvfree(segs);
		return 0;
	}
	ppu_bo_unmap_dma(bo);
	ppu_sys_put_pages(bo);
	bo->segs = segs;
	bo->num_segs = num_segs;
err:
	obj->filp = NULL;
	return ret;
}

/**
 * ppu_move_share - move an object of VRAM to pages that other devices can reach, for good
 * @bo: object that the caller has claimed, and that no page table shows
 *
 * When it fails the object is where it was, and still claimed.
 *
 * Return: 0, -ENOMEM, -EAGAIN: the device is being reset, -ENODEV: it is gone.
 */
int ppu_move_share(struct ppu_bo *bo)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	struct ppu_device *ppu = to_ppu(obj->dev);
	u64 start = ktime_get_ns();
	LIST_HEAD(blocks);
	struct file *file;
	int ret;

	ppu_evict_assert_held(ppu);

	file = shmem_file_setup("ppu shared", obj->size, PPU_SHMEM_NORESERVE);
	if (IS_ERR(file))
		return -ENOMEM;
	mapping_set_gfp_mask(file->f_mapping, GFP_HIGHUSER | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	dma_resv_lock(obj->resv, NULL);
	ppu_move_unmap_cpu(bo);
	ret = ppu_move_bytes(bo, file, true);
	if (!ret)
		ret = ppu_move_adopt_pages(bo, file);
	if (!ret) {
		list_splice_init(&bo->blocks, &blocks);
		WRITE_ONCE(bo->placement, DRM_PPU_PLACEMENT_SYSTEM);
	}
	dma_resv_unlock(obj->resv);
	if (ret) {
		ppu_move_drop_file(file);
		return ret;
	}
	ppu_vram_free_list(ppu, &blocks);
	ppu_evict_count(ppu, obj->size, true, ktime_get_ns() - start);
	trace_ppu_move(obj->size, true, ktime_get_ns() - start);
	return 0;
}

/* Copies the bytes into the object's new VRAM.  The object's dma_resv is locked. */
static int ppu_move_fill(struct ppu_bo *bo, struct list_head *blocks)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	int ret;

	list_splice_init(blocks, &bo->blocks);
	ret = ppu_bo_set_blocks(to_ppu(obj->dev), bo);
	if (ret)
		goto err;
	ppu_move_unmap_cpu(bo);
	ppu_move_put_cpu_pages(bo);
	ret = ppu_move_bytes(bo, obj->filp, false);
	if (ret)
		goto err;
	return 0;

err:
	kvfree(bo->segs);
	bo->segs = NULL;
	bo->num_segs = 0;
	list_splice_init(&bo->blocks, blocks);
	return ret;
}

/**
 * ppu_move_in - bring an object back to VRAM
 * @bo: object of VRAM that is out; it stays claimed
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EAGAIN: the device is being reset, -ENODEV: it is gone.
 */
int ppu_move_in(struct ppu_bo *bo)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	struct ppu_device *ppu = to_ppu(obj->dev);
	u64 start = ktime_get_ns();
	LIST_HEAD(blocks);
	struct file *file;
	int ret;

	ppu_evict_assert_held(ppu);

	ret = ppu_vram_take_list(ppu, obj->size, &blocks);
	if (ret)
		return ret;
	dma_resv_lock(obj->resv, NULL);
	ret = ppu_move_fill(bo, &blocks);
	file = obj->filp;
	if (!ret) {
		obj->filp = NULL;
		WRITE_ONCE(bo->out, false);
	}
	dma_resv_unlock(obj->resv);
	if (ret) {
		ppu_vram_free_list(ppu, &blocks);
		return ret;
	}
	ppu_move_drop_file(file);
	ppu_evict_count(ppu, obj->size, false, ktime_get_ns() - start);
	trace_ppu_move(obj->size, false, ktime_get_ns() - start);
	return 0;
}

static unsigned long ppu_move_fetch_file(struct ppu_bo *bo, struct file *file, u64 size)
{
	struct drm_device *drm = ppu_bo_gem(bo)->dev;
	unsigned long pages = 0;
	struct page *page;
	u64 offset;

	for (offset = 0; offset < size; offset += PAGE_SIZE) {
		/* When somebody else has brought it back, its file is empty, and must stay so. */
		if (fatal_signal_pending(current) || drm_dev_is_unplugged(drm) ||
		    !READ_ONCE(bo->out))
			break;
		page = shmem_read_mapping_page(file->f_mapping, offset >> PAGE_SHIFT);
		if (IS_ERR(page))
			break;
		mark_page_accessed(page);
		put_page(page);
		pages++;
		cond_resched();
	}
	return pages;
}

/**
 * ppu_move_fetch - read the bytes of an object from swap, if it is out
 * @bo: the object
 *
 * For who will bring it back under ppu_evict.lock, and does not have it yet: others need not wait
 * for the disk.  If memory is so short that they go again, they are read under the lock.
 *
 * Return: pages that are there.
 */
unsigned long ppu_move_fetch(struct ppu_bo *bo)
{
	struct drm_gem_object *obj = ppu_bo_gem(bo);
	struct file *file = NULL;
	unsigned long pages;

	dma_resv_lock(obj->resv, NULL);
	if (bo->out && obj->filp)
		file = get_file(obj->filp);
	dma_resv_unlock(obj->resv);
	if (!file)
		return 0;
	pages = ppu_move_fetch_file(bo, file, obj->size);
	fput(file);
	return pages;
}

/**
 * ppu_move_cpu_pages - the pages of an object that is out, for the CPU to map
 * @bo: object; its dma_resv is locked
 *
 * They stay until the object moves or is freed, or the shrinker takes them.
 *
 * Return: array of pages, or ERR_PTR.
 */
struct page **ppu_move_cpu_pages(struct ppu_bo *bo)
{
	dma_resv_assert_held(ppu_bo_gem(bo)->resv);

	if (!bo->out_pages) {
		struct page **pages = drm_gem_get_pages(ppu_bo_gem(bo));

		if (IS_ERR(pages))
			return pages;
		bo->out_pages = pages;
		ppu_shrink_add(bo);
	}
	return bo->out_pages;
}

/** ppu_move_release - the object is freed, wherever it is */
void ppu_move_release(struct ppu_bo *bo)
{
	ppu_evict_remove(bo);
	ppu_move_put_cpu_pages(bo);
	ppu_vram_free_list(to_ppu(ppu_bo_gem(bo)->dev), &bo->blocks);
	if (bo->placement == DRM_PPU_PLACEMENT_SYSTEM) {
		ppu_bo_unmap_dma(bo);
		ppu_sys_put_pages(bo);
	}
}
