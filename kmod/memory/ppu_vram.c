// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: allocation of device memory.
 *
 * All memory that is handed out is zero: one client never sees another's data.
 */

#include <linux/log2.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include <hw/ppu_mmu.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_awake.h"
#include "base/ppu_device.h"
#include "base/ppu_quota_vram.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_vram.h"

static void ppu_vram_fini(struct drm_device *drm, void *data)
{
	struct ppu_vram *vram = data;

	gpu_buddy_fini(&vram->mm);
	mutex_destroy(&vram->lock);
}

/**
 * ppu_vram_init - set up the allocator
 * @ppu: device
 *
 * Return: 0 or a negative error.
 */
int ppu_vram_init(struct ppu_device *ppu)
{
	u64 size = round_down(ppu->vram_size, PPU_PAGE_SIZE);
	struct ppu_vram *vram = drmm_kzalloc(&ppu->drm, sizeof(*vram), GFP_KERNEL);
	int ret;

	if (!vram)
		return -ENOMEM;
	ret = gpu_buddy_init(&vram->mm, size, PPU_PAGE_SIZE);
	if (ret)
		return ret;
	mutex_init(&vram->lock);
	ppu->vram = vram;
	return drmm_add_action_or_reset(&ppu->drm, ppu_vram_fini, vram);
}

/** ppu_vram_avail - bytes not allocated */
u64 ppu_vram_avail(struct ppu_device *ppu)
{
	u64 avail;

	mutex_lock(&ppu->vram->lock);
	avail = ppu->vram->mm.avail;
	mutex_unlock(&ppu->vram->lock);
	return avail;
}

/**
 * ppu_vram_zero - clear a piece of VRAM
 * @ppu: device, entered
 * @addr: first byte
 * @size: bytes
 */
void ppu_vram_zero(struct ppu_device *ppu, u64 addr, u64 size)
{
	void __iomem *p = ppu->vram_io + addr;
	void __iomem *end = p + size;

	/*
	 * Whole pages by 64-bit stores: memset_io() may store bytes, which costs
	 * an emulated CPU eight times as much.
	 */
	while (p < end) {
		void __iomem *stop = p + min_t(u64, SZ_1M, end - p);

		for (; p < stop; p += 32) {
			__raw_writeq(0, p);
			__raw_writeq(0, p + 8);
			__raw_writeq(0, p + 16);
			__raw_writeq(0, p + 24);
		}
		cond_resched();
	}
}

/* Begins or ends to keep the device awake.  It is awake while anything is allocated. */
static void ppu_vram_note_use(struct ppu_device *ppu)
{
	struct ppu_vram *vram = ppu->vram;
	bool used = vram->mm.avail != vram->mm.size;

	lockdep_assert_held(&vram->lock);
	if (used == vram->used)
		return;
	vram->used = used;
	if (used)
		ppu_awake_keep(ppu);
	else
		ppu_awake_put(ppu);
}

/* Takes large pages where possible, small pieces where memory is fragmented. */
static int ppu_vram_alloc_locked(struct gpu_buddy *mm, u64 size, struct list_head *blocks)
{
	static const u64 page[] = { PPU_LARGE_SIZE, SZ_64K, PPU_PAGE_SIZE };
	unsigned int i;
	int ret = -ENOSPC;

	if (size > mm->avail)
		return -ENOSPC;
	for (i = 0; i < ARRAY_SIZE(page) && ret; i++) {
		u64 whole = round_down(size, page[i]);

		if (!whole)
			continue;
		ret = gpu_buddy_alloc_blocks(mm, 0, mm->size, whole, page[i], blocks, 0);
		if (!ret && size > whole)
			ret = gpu_buddy_alloc_blocks(mm, 0, mm->size, size - whole,
						     PPU_PAGE_SIZE, blocks, 0);
		if (ret) {
			gpu_buddy_free_list(mm, blocks, 0);
			INIT_LIST_HEAD(blocks);
		}
	}
	return ret;
}

/**
 * ppu_vram_take_list - allocate memory that the caller overwrites, not necessarily contiguous
 * @ppu: device
 * @size: bytes, multiple of the page size
 * @blocks: empty list, gets the struct gpu_buddy_block
 *
 * Nothing is moved out for it.
 *
 * Return: 0, -ENOSPC, -ENOMEM or -ENODEV.
 */
int ppu_vram_take_list(struct ppu_device *ppu, u64 size, struct list_head *blocks)
{
	int ret;

	if (ppu_awake_get(ppu))
		return -ENODEV;
	mutex_lock(&ppu->vram->lock);
	ret = ppu_vram_alloc_locked(&ppu->vram->mm, size, blocks);
	ppu_vram_note_use(ppu);
	mutex_unlock(&ppu->vram->lock);
	ppu_awake_put(ppu);
	return ret;
}

/**
 * ppu_vram_alloc_list - allocate zeroed memory, not necessarily contiguous
 * @ppu: device
 * @size: bytes, multiple of the page size
 * @blocks: empty list, gets the struct gpu_buddy_block
 *
 * Return: 0, -ENOSPC, -ENOMEM or -ENODEV.
 */
int ppu_vram_alloc_list(struct ppu_device *ppu, u64 size, struct list_head *blocks)
{
	int ended = ppu_evict_ended(ppu), idx, ret;
	struct gpu_buddy_block *block;

	do {
		ret = ppu_vram_take_list(ppu, size, blocks);
	} while (ret == -ENOSPC && !(ret = ppu_evict_room(ppu, size, &ended)));
	if (ret)
		return ret;
	if (!ppu_enter(ppu, &idx)) {
		ppu_vram_free_list(ppu, blocks);
		return -ENODEV;
	}
	list_for_each_entry(block, blocks, link)
		ppu_vram_zero(ppu, gpu_buddy_block_offset(block),
			      gpu_buddy_block_size(&ppu->vram->mm, block));
	ppu_exit(ppu, idx);
	return 0;
}

/**
 * ppu_vram_free_list - free what ppu_vram_alloc_list() gave
 * @ppu: device
 * @blocks: the list, empty afterwards
 */
void ppu_vram_free_list(struct ppu_device *ppu, struct list_head *blocks)
{
	mutex_lock(&ppu->vram->lock);
	gpu_buddy_free_list(&ppu->vram->mm, blocks, 0);
	ppu_vram_note_use(ppu);
	mutex_unlock(&ppu->vram->lock);
	INIT_LIST_HEAD(blocks);
}

static int ppu_vram_alloc_contig_locked(struct gpu_buddy *mm, struct ppu_vram_range *range)
{
	u64 whole = roundup_pow_of_two(range->size);
	int ret;

	if (whole > mm->size)
		return -ENOSPC;
	ret = gpu_buddy_alloc_blocks(mm, 0, mm->size, whole, whole, &range->blocks,
				     GPU_BUDDY_TOPDOWN_ALLOCATION);
	if (ret)
		return ret;

	range->addr = gpu_buddy_block_offset(list_first_entry(&range->blocks,
							      struct gpu_buddy_block, link));
	/* Trimming fails only for lack of host memory, and then the block stays whole. */
	if (whole != range->size)
		gpu_buddy_block_trim(mm, NULL, range->size, &range->blocks);
	return 0;
}

static int ppu_vram_alloc_contig(struct ppu_device *ppu, struct ppu_vram_range *range)
{
	int ended = ppu_evict_ended(ppu), ret;

	if (ppu_awake_get(ppu))
		return -ENODEV;
	do {
		mutex_lock(&ppu->vram->lock);
		ret = ppu_vram_alloc_contig_locked(&ppu->vram->mm, range);
		ppu_vram_note_use(ppu);
		mutex_unlock(&ppu->vram->lock);
	} while (ret == -ENOSPC && !(ret = ppu_evict_room(ppu, range->size, &ended)));
	ppu_awake_put(ppu);
	return ret;
}

/**
 * ppu_vram_alloc - allocate contiguous zeroed memory
 * @ppu: device
 * @quota: account that pays
 * @size: bytes, rounded up to pages
 * @range: what was allocated; size 0 means nothing
 *
 * Return: 0, -ENOSPC, -ENOMEM or -ENODEV.
 */
int ppu_vram_alloc(struct ppu_device *ppu, struct ppu_quota *quota, u64 size,
		   struct ppu_vram_range *range)
{
	int idx, ret;

	INIT_LIST_HEAD(&range->blocks);
	range->quota = quota;
	range->addr = 0;
	range->size = PAGE_ALIGN(size);
	if (!range->size)
		return 0;
	if (range->size < size || range->size > ppu->vram_size) {
		range->size = 0;
		return -ENOSPC;
	}

	ret = ppu_quota_charge_vram(quota, range->size, true);
	if (ret) {
		range->size = 0;
		return ret;
	}
	ret = ppu_vram_alloc_contig(ppu, range);
	if (ret)
		goto err_quota;
	if (!ppu_enter(ppu, &idx)) {
		ret = -ENODEV;
		goto err_free;
	}
	ppu_vram_zero(ppu, range->addr, range->size);
	ppu_exit(ppu, idx);
	return 0;

err_free:
	ppu_vram_free_list(ppu, &range->blocks);
err_quota:
	ppu_quota_release_vram(quota, range->size, true);
	range->size = 0;
	return ret;
}

/**
 * ppu_vram_free - free what ppu_vram_alloc() gave
 * @ppu: device
 * @range: the memory; may be empty
 */
void ppu_vram_free(struct ppu_device *ppu, struct ppu_vram_range *range)
{
	if (!range->size)
		return;
	ppu_vram_free_list(ppu, &range->blocks);
	ppu_quota_release_vram(range->quota, range->size, true);
	range->size = 0;
	range->addr = 0;
}
