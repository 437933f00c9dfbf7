/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <drm/drm_gem.h>

#ifndef PPU_COMPAT_DRM_GEM_H
#define PPU_COMPAT_DRM_GEM_H

#include <ppu_have.h>

#if defined(PPU_HAVE_GEM_VMAP)
/* nothing to do */
#elif defined(PPU_HAVE_GEM_VMAP_UNLOCKED)
#define drm_gem_vmap	drm_gem_vmap_unlocked
#define drm_gem_vunmap	drm_gem_vunmap_unlocked
#else
/* The object has a lock of its own for this. */
static inline int drm_gem_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	return obj->funcs->vmap(obj, map);
}

static inline void drm_gem_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	obj->funcs->vunmap(obj, map);
}
#endif

/* What DRM_GEM_FOPS of newer kernels has besides functions. */
#ifdef FOP_UNSIGNED_OFFSET
#define PPU_COMPAT_GEM_FOPS .fop_flags = FOP_UNSIGNED_OFFSET,
#else
#define PPU_COMPAT_GEM_FOPS
#endif

#endif
