/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: syncobjs named by an ioctl.
 */
#ifndef __PPU_SYNCOBJ_H__
#define __PPU_SYNCOBJ_H__

#include <linux/types.h>

struct dma_fence;
struct dma_fence_chain;
struct drm_file;
struct drm_ppu_array;
struct drm_ppu_sync;
struct drm_syncobj;
struct ppu_device;

/**
 * struct ppu_signal - a syncobj that gets a fence
 */
struct ppu_signal {
	/** @syncobj: the syncobj; holds a reference. */
	struct drm_syncobj *syncobj;
	/** @chain: node for a point of a timeline; NULL: binary, or used. */
	struct dma_fence_chain *chain;
	/** @point: of a timeline, 0: binary. */
	u64 point;
};

/**
 * struct ppu_syncs - the syncobjs of one ioctl
 */
struct ppu_syncs {
	/** @signals: that get the out-fence. */
	struct ppu_signal *signals;
	/** @num_signals: entries of @signals. */
	u32 num_signals;
	/** @waits: fences to wait for; NULL: taken over by somebody. */
	struct dma_fence **waits;
	/** @num_waits: entries of @waits. */
	u32 num_waits;
};

int ppu_sync_check(struct ppu_device *ppu, const struct drm_ppu_sync *sync);
int ppu_signal_init(struct ppu_signal *sig, struct drm_file *filp,
		    const struct drm_ppu_sync *sync);
void ppu_signal_attach(struct ppu_signal *sig, struct dma_fence *fence);
void ppu_signal_fini(struct ppu_signal *sig);
int ppu_syncs_get(struct ppu_syncs *syncs, struct ppu_device *ppu, struct drm_file *filp,
		  const struct drm_ppu_array *in, bool nonblock);
void ppu_syncs_attach(struct ppu_syncs *syncs, struct dma_fence *fence);
void ppu_syncs_fini(struct ppu_syncs *syncs);

#endif
