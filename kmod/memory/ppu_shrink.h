/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: pages of objects that are out are given back when memory is short.
 */
#ifndef __PPU_SHRINK_H__
#define __PPU_SHRINK_H__

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/shrinker.h>
#include <linux/types.h>

struct ppu_bo;
struct ppu_device;

/**
 * struct ppu_shrink - objects that are out, with pages that the CPU has mapped
 */
struct ppu_shrink {
	/** @shrinker: the kernel's. */
	struct shrinker *shrinker;
	/** @lock: protects the others; no memory is allocated under it. */
	struct mutex lock;
	/** @bos: struct ppu_bo.out_link; the oldest first. */
	struct list_head bos;
	/** @pages: of all of them. */
	unsigned long pages;
	/** @given_back: pages that the kernel got, since the driver came. */
	u64 given_back;
};

int ppu_shrink_init(struct ppu_device *ppu);
void ppu_shrink_add(struct ppu_bo *bo);
void ppu_shrink_remove(struct ppu_bo *bo);

#endif
