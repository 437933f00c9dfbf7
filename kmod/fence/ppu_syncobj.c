// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: syncobjs named by an ioctl, to wait for and to signal.
 *
 * Everything that can fail happens in ppu_syncs_get(); ppu_syncs_attach() is
 * called when the work can no longer be refused.
 */

#include <linux/dma-fence-chain.h>
#include <linux/slab.h>

#include <drm/drm_syncobj.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_uobj.h"
#include "fence/ppu_syncobj.h"

/**
 * ppu_sync_check - is this a possible sync?
 * @ppu: device
 * @sync: from user space
 *
 * Return: 0 or -EINVAL.
 */
int ppu_sync_check(struct ppu_device *ppu, const struct drm_ppu_sync *sync)
{
	u32 type = sync->flags & DRM_PPU_SYNC_TYPE_MASK;
	/* What is signalled is not waited for. */
	u32 only = sync->flags & DRM_PPU_SYNC_SIGNAL ? DRM_PPU_SYNC_SIGNAL :
						       DRM_PPU_SYNC_WAIT_FOR_SUBMIT;

	if (PPU_CHECK(ppu, type > DRM_PPU_SYNC_TIMELINE) ||
	    PPU_CHECK(ppu, sync->flags & ~(DRM_PPU_SYNC_TYPE_MASK | only)) ||
	    PPU_CHECK(ppu, type != (sync->point ? DRM_PPU_SYNC_TIMELINE : DRM_PPU_SYNC_BINARY)))
		return -EINVAL;
	return 0;
}

/** ppu_signal_init - look up the syncobj that is to get a fence */
int ppu_signal_init(struct ppu_signal *sig, struct drm_file *filp,
		    const struct drm_ppu_sync *sync)
{
	sig->point = sync->point;
	sig->chain = NULL;
	sig->syncobj = drm_syncobj_find(filp, sync->handle);
	if (!sig->syncobj)
		return -ENOENT;
	if (!sync->point)
		return 0;
	sig->chain = dma_fence_chain_alloc();
	if (sig->chain)
		return 0;
	drm_syncobj_put(sig->syncobj);
	sig->syncobj = NULL;
	return -ENOMEM;
}

/** ppu_signal_attach - put the fence into the syncobj; once */
void ppu_signal_attach(struct ppu_signal *sig, struct dma_fence *fence)
{
	if (sig->chain)
		drm_syncobj_add_point(sig->syncobj, sig->chain, fence, sig->point);
	else
		drm_syncobj_replace_fence(sig->syncobj, fence);
	sig->chain = NULL;
}

/** ppu_signal_fini - drop what ppu_signal_init() took */
void ppu_signal_fini(struct ppu_signal *sig)
{
	dma_fence_chain_free(sig->chain);
	drm_syncobj_put(sig->syncobj);
}

/*
 * The fence to wait for.  One that is not there yet is waited for here, and not by the job: a fence
 * of ours, which others may wait for, must not depend on what a program will do.  That is why
 * nothing is locked here.
 */
static int ppu_syncs_find(struct drm_file *filp, const struct drm_ppu_sync *sync, bool nonblock,
			  struct dma_fence **fence)
{
	bool early = sync->flags & DRM_PPU_SYNC_WAIT_FOR_SUBMIT;
	int ret;

	ret = drm_syncobj_find_fence(filp, sync->handle, sync->point, early && !nonblock ?
				     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT : 0, fence);
	return ret == -EINVAL && early ? -EAGAIN : ret;
}

static int ppu_syncs_add(struct ppu_syncs *syncs, struct drm_file *filp,
			 const struct drm_ppu_sync *sync, bool nonblock)
{
	struct dma_fence *fence;
	int ret;

	if (sync->flags & DRM_PPU_SYNC_SIGNAL) {
		ret = ppu_signal_init(&syncs->signals[syncs->num_signals], filp, sync);
		if (!ret)
			syncs->num_signals++;
		return ret;
	}
	ret = ppu_syncs_find(filp, sync, nonblock, &fence);
	if (!ret)
		syncs->waits[syncs->num_waits++] = fence;
	return ret;
}

/**
 * ppu_syncs_get - look up all syncobjs of an ioctl
 * @syncs: zeroed; to be given to ppu_syncs_fini(), also on error
 * @ppu: device
 * @filp: open file
 * @in: array of struct drm_ppu_sync
 * @nonblock: do not wait for fences that are not there yet
 *
 * Holds no lock of the driver, since it may wait for user space.
 *
 * Return: 0 or a negative error.
 */
int ppu_syncs_get(struct ppu_syncs *syncs, struct ppu_device *ppu, struct drm_file *filp,
		  const struct drm_ppu_array *in, bool nonblock)
{
	struct drm_ppu_sync *args;
	u32 i;
	int ret = 0;

	if (!in->count)
		return 0;
	args = ppu_uobj_get_array(in, sizeof(*args), sizeof(*args), DRM_PPU_SUBMIT_MAX_SYNCS);
	if (IS_ERR(args))
		return PTR_ERR(args);
	syncs->signals = kvcalloc(in->count, sizeof(*syncs->signals), GFP_KERNEL_ACCOUNT);
	syncs->waits = kvcalloc(in->count, sizeof(*syncs->waits), GFP_KERNEL_ACCOUNT);
	if (!syncs->signals || !syncs->waits)
		ret = -ENOMEM;
	for (i = 0; i < in->count && !ret; i++) {
		ret = ppu_sync_check(ppu, &args[i]);
		if (!ret)
			ret = ppu_syncs_add(syncs, filp, &args[i], nonblock);
	}
	kvfree(args);
	return ret;
}

/** ppu_syncs_attach - put the out-fence into all syncobjs that want it */
void ppu_syncs_attach(struct ppu_syncs *syncs, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < syncs->num_signals; i++)
		ppu_signal_attach(&syncs->signals[i], fence);
}

/** ppu_syncs_fini - drop everything; fences that were taken over are NULL */
void ppu_syncs_fini(struct ppu_syncs *syncs)
{
	u32 i;

	for (i = 0; i < syncs->num_signals; i++)
		ppu_signal_fini(&syncs->signals[i]);
	for (i = 0; i < syncs->num_waits; i++)
		dma_fence_put(syncs->waits[i]);
	kvfree(syncs->signals);
	kvfree(syncs->waits);
	memset(syncs, 0, sizeof(*syncs));
}
