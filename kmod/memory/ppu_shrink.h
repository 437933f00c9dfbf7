/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: pages of objects are given back when memory is short.
 */
#ifndef __PPU_SHRINK_H__
#define __PPU_SHRINK_H__

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/shrinker.h>
#include <linux/types.h>

struct drm_printer;
struct ppu_bo;
struct ppu_device;

/**
 * struct ppu_shrink - objects that have pages which the kernel could get
 */
struct ppu_shrink {
	/** @shrinker: the kernel's. */
	struct shrinker *shrinker;
	/** @lock: protects the others; no memory is allocated under it. */
	struct mutex lock;
	/** @bos: that are out, with pages for the CPU: ppu_bo.out_link; next to look at first. */
	struct list_head bos;
	/** @pages: of all of @bos. */
	unsigned long pages;
	/** @given_back: pages that the kernel got, since the driver came. */
	u64 given_back;
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @dontneed: with pages, or swapped, whose contents may be dropped, of both kinds. */
	struct list_head dontneed;
	/** @dontneed_pages: of all of @dontneed. */
	unsigned long dontneed_pages;
	/** @dropped: pages of contents that were dropped, those of VRAM included. */
	atomic64_t dropped;
	/** @sys: system objects that the device can reach: ppu_bo.out_link; likewise. */
	struct list_head sys;
	/** @sys_pages: of all of @sys. */
	unsigned long sys_pages;
	/** @sys_out: pages that the kernel got of system objects, since the driver came. */
	u64 sys_out;
	/** @sys_in: pages that system objects got again since then. */
	u64 sys_in;
	/** @passes: how often the kernel wanted pages. */
	u64 passes;
	/** @looks: objects that were looked at then. */
	u64 looks;
};

int ppu_shrink_init(struct ppu_device *ppu);
void ppu_shrink_add(struct ppu_bo *bo);
void ppu_shrink_add_sys(struct ppu_bo *bo);
void ppu_shrink_count_in(struct ppu_bo *bo);
void ppu_shrink_remove(struct ppu_bo *bo);
void ppu_shrink_advise(struct ppu_bo *bo, bool dontneed);
void ppu_shrink_count_dropped(struct ppu_bo *bo);
void ppu_shrink_mark_sys(struct ppu_device *ppu);
void ppu_shrink_print(struct drm_printer *p, struct ppu_device *ppu);

#endif
