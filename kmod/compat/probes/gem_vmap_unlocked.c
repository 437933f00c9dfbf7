// SPDX-License-Identifier: GPL-2.0-only
/* What drm_gem_vmap() was called before. */

#include <drm/drm_gem.h>

int probe(struct drm_gem_object *obj, struct iosys_map *map);
int probe(struct drm_gem_object *obj, struct iosys_map *map)
{
	return drm_gem_vmap_unlocked(obj, map);
}
