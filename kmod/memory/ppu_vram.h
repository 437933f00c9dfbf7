/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: allocator of device memory.
 */
#ifndef __PPU_VRAM_H__
#define __PPU_VRAM_H__

#include <linux/gpu_buddy.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct ppu_device;
struct ppu_quota;

/**
 * struct ppu_vram - allocator of device memory
 */
struct ppu_vram {
	/** @lock: protects @mm, @used. */
	struct mutex lock;
	/** @mm: the buddy allocator. */
	struct gpu_buddy mm;
	/** @used: something is allocated, and keeps the device awake. */
	bool used;
};

/**
 * struct ppu_vram_range - a contiguous piece of VRAM the driver owns
 */
struct ppu_vram_range {
	/** @quota: account that pays; NULL: nobody; outlives the range. */
	struct ppu_quota *quota;
	/** @blocks: of the buddy allocator. */
	struct list_head blocks;
	/** @addr: VRAM address. */
	u64 addr;
	/** @size: bytes. */
	u64 size;
};

int ppu_vram_init(struct ppu_device *ppu);
u64 ppu_vram_avail(struct ppu_device *ppu);
int ppu_vram_take_list(struct ppu_device *ppu, u64 size, struct list_head *blocks);
int ppu_vram_alloc_list(struct ppu_device *ppu, u64 size, struct list_head *blocks);
void ppu_vram_free_list(struct ppu_device *ppu, struct list_head *blocks);
int ppu_vram_alloc(struct ppu_device *ppu, struct ppu_quota *quota, u64 size,
		   struct ppu_vram_range *range);
void ppu_vram_free(struct ppu_device *ppu, struct ppu_vram_range *range);
void ppu_vram_zero(struct ppu_device *ppu, u64 addr, u64 size);

#endif
