/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: fences of the objects that an ioctl names (implicit synchronisation).
 */
#ifndef __PPU_RESV_H__
#define __PPU_RESV_H__

#include <linux/types.h>
#include <linux/ww_mutex.h>

struct dma_fence;
struct drm_file;
struct drm_gem_object;
struct drm_ppu_array;
struct drm_ppu_submit_bo;
struct ppu_device;
struct ppu_syncs;

/**
 * struct ppu_resv - the objects of one ioctl
 */
struct ppu_resv {
	/** @args: what user space said of each of them. */
	struct drm_ppu_submit_bo *args;
	/** @objs: with a reference. */
	struct drm_gem_object **objs;
	/** @num: entries of @args and @objs. */
	u32 num;
	/** @ctx: while they are locked. */
	struct ww_acquire_ctx ctx;
	/** @locked: all of them are. */
	bool locked;
};

int ppu_resv_get(struct ppu_resv *resv, struct ppu_device *ppu, struct drm_file *filp,
		 const struct drm_ppu_array *in);
int ppu_resv_lock(struct ppu_resv *resv, struct ppu_syncs *syncs);
void ppu_resv_attach(struct ppu_resv *resv, struct dma_fence *fence);
void ppu_resv_fini(struct ppu_resv *resv);

#endif
