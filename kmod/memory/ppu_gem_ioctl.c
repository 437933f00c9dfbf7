// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: ioctls about buffer objects.
 */

#include <linux/workqueue.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_gem_ioctl.h"
#include "memory/ppu_shrink.h"
#include "memory/ppu_sys.h"
#include "memory/ppu_vm.h"

/* Memory that a bind has unmapped is there for whom its out-fence has told so. */
static struct ppu_bo *ppu_gem_create(struct ppu_file *file, const struct drm_ppu_gem_create *args)
{
	struct ppu_bo *bo = ppu_bo_create(file, args->size, args->placement, args->flags);

	if (bo != ERR_PTR(-ENOSPC))
		return bo;
	flush_workqueue(file->ppu->bind_free_wq);
	return ppu_bo_create(file, args->size, args->placement, args->flags);
}

int ppu_ioctl_gem_create(struct drm_device *drm, void *data, struct drm_file *filp)
{
	const u32 known = DRM_PPU_GEM_NO_MMAP | DRM_PPU_GEM_CPU_WC;
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_gem_create *args = data;
	struct ppu_vm *vm = NULL;
	struct ppu_bo *bo;
	int ret;

	if (PPU_CHECK(ppu, args->flags & ~known) ||
	    PPU_CHECK(ppu, args->placement > DRM_PPU_PLACEMENT_VRAM))
		return -EINVAL;

	if (args->vm_id) {
		vm = ppu_vm_lookup(filp->driver_priv, args->vm_id);
		if (!vm)
			return -ENOENT;
	}

	bo = ppu_gem_create(filp->driver_priv, args);
	if (IS_ERR(bo)) {
		ret = PTR_ERR(bo);
		goto out;
	}
	bo->vm_uid = vm ? vm->uid : 0;
	if (args->placement == DRM_PPU_PLACEMENT_VRAM)
		ppu_evict_add(bo);
	else
		ppu_sys_add(bo);

	ret = drm_gem_handle_create(filp, ppu_bo_gem(bo), &args->handle);
	if (!ret)
		args->size = ppu_bo_gem(bo)->size;
	ppu_bo_put(bo);
out:
	ppu_vm_put(vm);
	return ret;
}

int ppu_ioctl_gem_mmap_offset(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_gem_mmap_offset *args = data;
	struct ppu_bo *bo;
	int ret = 0;

	if (PPU_CHECK(ppu, args->flags))
		return -EINVAL;
	bo = ppu_bo_lookup(filp, args->handle);
	if (!bo)
		return -ENOENT;

	if (PPU_CHECK(ppu, bo->flags & DRM_PPU_GEM_NO_MMAP))
		ret = -EPERM;
	else
		args->offset = drm_vma_node_offset_addr(&ppu_bo_gem(bo)->vma_node);
	ppu_bo_put(bo);
	return ret;
}

int ppu_ioctl_gem_info(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_gem_info *args = data;
	struct ppu_bo *bo = ppu_bo_lookup(filp, args->handle);

	if (!bo)
		return -ENOENT;
	args->placement = bo->placement;
	args->size = ppu_bo_gem(bo)->size;
	args->flags = bo->imported ? 0 : bo->flags;
	args->extra = bo->imported ? DRM_PPU_GEM_INFO_IMPORTED : 0;
	if (bo->userptr)
		args->extra |= DRM_PPU_GEM_INFO_USERPTR;
	if (bo->readonly)
		args->extra |= DRM_PPU_GEM_INFO_READONLY;
	if (atomic_read(&bo->num_sems))
		args->extra |= DRM_PPU_GEM_INFO_HAS_SEMS;
	ppu_bo_put(bo);
	return 0;
}

int ppu_ioctl_gem_madvise(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_gem_madvise *args = data;
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_bo *bo;
	int ret;

	if (PPU_CHECK(ppu, args->madv > DRM_PPU_MADV_DONTNEED) || PPU_CHECK(ppu, args->pad))
		return -EINVAL;
	bo = ppu_bo_lookup(filp, args->handle);
	if (!bo)
		return -ENOENT;

	/* Whoever drops the contents has the lock until they are gone. */
	ret = dma_resv_lock_interruptible(ppu_bo_gem(bo)->resv, NULL);
	if (!ret) {
		args->retained = !bo->dropped;
		ppu_shrink_advise(bo, args->madv == DRM_PPU_MADV_DONTNEED);
		dma_resv_unlock(ppu_bo_gem(bo)->resv);
	}
	ppu_bo_put(bo);
	return ret;
}
