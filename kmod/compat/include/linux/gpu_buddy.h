/* SPDX-License-Identifier: GPL-2.0-only */
#include <ppu_have.h>

#ifdef PPU_HAVE_GPU_BUDDY
#include_next <linux/gpu_buddy.h>
#elif !defined(PPU_COMPAT_GPU_BUDDY_H)
#define PPU_COMPAT_GPU_BUDDY_H

#include <drm/drm_buddy.h>

#define gpu_buddy		drm_buddy
#define gpu_buddy_block		drm_buddy_block
#define gpu_buddy_init		drm_buddy_init
#define gpu_buddy_fini		drm_buddy_fini
#define gpu_buddy_alloc_blocks	drm_buddy_alloc_blocks
#define gpu_buddy_block_offset	drm_buddy_block_offset
#define gpu_buddy_block_size	drm_buddy_block_size
#define GPU_BUDDY_TOPDOWN_ALLOCATION DRM_BUDDY_TOPDOWN_ALLOCATION

static inline void gpu_buddy_free_list(struct drm_buddy *mm, struct list_head *blocks,
				       unsigned int flags)
{
#ifdef PPU_HAVE_BUDDY_FREE_FLAGS
	drm_buddy_free_list(mm, blocks, flags);
#else
	drm_buddy_free_list(mm, blocks);
#endif
}

static inline int gpu_buddy_block_trim(struct drm_buddy *mm, u64 *start, u64 size,
				       struct list_head *blocks)
{
#ifdef PPU_HAVE_BUDDY_TRIM_START
	return drm_buddy_block_trim(mm, start, size, blocks);
#else
	return drm_buddy_block_trim(mm, size, blocks);
#endif
}

#endif
