// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: objects that are shared with other drivers.
 *
 * The helpers of DRM do that for system objects.  VRAM has no struct page, and its importers would
 * have to access the BAR.  The driver could not keep them away while the device is reset, nor take
 * the memory back when the device goes.  So an object of VRAM becomes one of system memory, for
 * good, before another device may see it.  Until then its dma-buf serves other files of the same
 * device, where it is the object itself again, and mappings of the CPU, which go through the
 * object's own fault handler.  There is no vmap.
 */

#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/module.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_prime.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_prime.h"

/* Only other devices attach themselves: files of the same one get the object. */
static int ppu_prime_attach(struct dma_buf *dma_buf, struct dma_buf_attachment *attach)
{
	struct drm_gem_object *obj = dma_buf->priv;
	int ret = ppu_evict_share(to_ppu_bo(obj));

	if (ret) {
		drm_dbg_prime(obj->dev, "%s cannot import VRAM: %d\n", dev_name(attach->dev), ret);
		return ret;
	}
	return drm_gem_map_attach(dma_buf, attach);
}

static const struct dma_buf_ops ppu_prime_vram_ops = {
	.attach = ppu_prime_attach,
	.detach = drm_gem_map_detach,
	.map_dma_buf = drm_gem_map_dma_buf,
	.unmap_dma_buf = drm_gem_unmap_dma_buf,
	.release = drm_gem_dmabuf_release,
	.mmap = drm_gem_dmabuf_mmap,
};

/*
 * Other drivers reach pages at any time, and nobody says when: the object stays where it is from
 * now on.
 */
static int ppu_prime_pin(struct ppu_bo *bo)
{
	int ret = 0;

	lockdep_assert_held(&ppu_bo_gem(bo)->dev->object_name_lock);
	if (!bo->exported)
		ret = ppu_bo_fix(bo);
	bo->exported |= !ret;
	return ret;
}

static struct dma_buf *ppu_prime_export_vram(struct drm_gem_object *obj, int flags)
{
	struct dma_buf_export_info info = {
		.exp_name = "ppu",
		.owner = THIS_MODULE,
		.ops = &ppu_prime_vram_ops,
		.size = obj->size,
		.flags = flags,
		.priv = obj,
		.resv = obj->resv,
	};

	return drm_gem_dmabuf_export(obj->dev, &info);
}

/** ppu_bo_export - &drm_gem_object_funcs.export */
struct dma_buf *ppu_bo_export(struct drm_gem_object *obj, int flags)
{
	struct ppu_bo *bo = to_ppu_bo(obj);
	int ret;

	if (bo->vm_uid || bo->kernel || bo->userptr)
		return ERR_PTR(-EPERM);
	ret = ppu_prime_pin(bo);
	if (ret)
		return ERR_PTR(ret);
	if (bo->placement == DRM_PPU_PLACEMENT_VRAM)
		return ppu_prime_export_vram(obj, flags);
	return drm_gem_prime_export(obj, flags);
}

/**
 * ppu_gem_prime_import - &drm_driver.gem_prime_import
 * @drm: device
 * @dma_buf: what is imported
 *
 * Return: object with a reference, or ERR_PTR.
 */
struct drm_gem_object *ppu_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct drm_gem_object *obj = dma_buf->priv;

	if (dma_buf->ops != &ppu_prime_vram_ops || obj->dev != drm)
		return drm_gem_prime_import(drm, dma_buf);
	drm_gem_object_get(obj);
	return obj;
}
