// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: fences of the objects that an ioctl names (implicit synchronisation).
 *
 * All objects are locked from the moment when their fences are collected until the new fence is
 * attached.  So of two jobs that name the same objects, one waits for the other.
 */

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_uobj.h"
#include "fence/ppu_resv.h"
#include "fence/ppu_syncobj.h"

static int ppu_resv_find(struct ppu_resv *resv, struct ppu_device *ppu, struct drm_file *filp)
{
	const struct drm_ppu_submit_bo *arg = &resv->args[resv->num];

	if (PPU_CHECK(ppu, arg->flags & ~DRM_PPU_SUBMIT_BO_WRITE))
		return -EINVAL;
	resv->objs[resv->num] = drm_gem_object_lookup(filp, arg->handle);
	if (!resv->objs[resv->num])
		return -ENOENT;
	resv->num++;
	return 0;
}

/**
 * ppu_resv_get - look up all objects of an ioctl
 * @resv: zeroed; to be given to ppu_resv_fini(), also on error
 * @ppu: device
 * @filp: open file
 * @in: array of struct drm_ppu_submit_bo
 *
 * Return: 0 or a negative error.
 */
int ppu_resv_get(struct ppu_resv *resv, struct ppu_device *ppu, struct drm_file *filp,
		 const struct drm_ppu_array *in)
{
	struct drm_ppu_submit_bo *args;
	int ret = 0;

	if (!in->count)
		return 0;
	args = ppu_uobj_get_array(in, sizeof(*args), sizeof(*args), DRM_PPU_SUBMIT_MAX_BOS);
	if (IS_ERR(args))
		return PTR_ERR(args);
	resv->args = args;
	resv->objs = kvcalloc(in->count, sizeof(*resv->objs), GFP_KERNEL_ACCOUNT);
	if (!resv->objs)
		return -ENOMEM;
	while (resv->num < in->count && !ret)
		ret = ppu_resv_find(resv, ppu, filp);
	return ret;
}

/* Adds the fences of an object that a job has to wait for. */
static int ppu_resv_collect(struct drm_gem_object *obj, bool write, struct ppu_syncs *syncs)
{
	struct dma_fence **fences, **all;
	unsigned int n;
	int ret;

	ret = dma_resv_reserve_fences(obj->resv, 1);
	if (ret)
		return ret;
	ret = dma_resv_get_fences(obj->resv, dma_resv_usage_rw(write), &n, &fences);
	if (ret || !n)
		return ret;

	all = kvmalloc_array(syncs->num_waits + n, sizeof(*all), GFP_KERNEL_ACCOUNT);
	if (all) {
		memcpy(all, syncs->waits, syncs->num_waits * sizeof(*all));
		memcpy(all + syncs->num_waits, fences, n * sizeof(*all));
		kvfree(syncs->waits);
		syncs->waits = all;
		syncs->num_waits += n;
	} else {
		while (n--)
			dma_fence_put(fences[n]);
		ret = -ENOMEM;
	}
	kfree(fences);
	return ret;
}

/**
 * ppu_resv_lock - lock all objects, and collect the fences that the ioctl waits for
 * @resv: the objects
 * @syncs: gets the fences
 *
 * After that, and before ppu_resv_fini(), no user memory is copied.
 *
 * Return: 0 or a negative error; -EINVAL: two of the objects have one reservation.
 */
int ppu_resv_lock(struct ppu_resv *resv, struct ppu_syncs *syncs)
{
	u32 i;
	int ret;

	if (!resv->num)
		return 0;
	ret = drm_gem_lock_reservations(resv->objs, resv->num, &resv->ctx);
	if (ret)
		return ret == -EALREADY ? -EINVAL : ret;
	resv->locked = true;
	for (i = 0; i < resv->num && !ret; i++)
		ret = ppu_resv_collect(resv->objs[i],
				       resv->args[i].flags & DRM_PPU_SUBMIT_BO_WRITE, syncs);
	return ret;
}

/** ppu_resv_attach - give all objects, which are locked, the fence of the ioctl's work */
void ppu_resv_attach(struct ppu_resv *resv, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < resv->num; i++)
		dma_resv_add_fence(resv->objs[i]->resv, fence,
				   resv->args[i].flags & DRM_PPU_SUBMIT_BO_WRITE ?
				   DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
}

/** ppu_resv_fini - unlock and drop everything */
void ppu_resv_fini(struct ppu_resv *resv)
{
	if (resv->locked)
		drm_gem_unlock_reservations(resv->objs, resv->num, &resv->ctx);
	while (resv->num)
		drm_gem_object_put(resv->objs[--resv->num]);
	kvfree(resv->objs);
	kvfree(resv->args);
	memset(resv, 0, sizeof(*resv));
}
