// SPDX-License-Identifier: GPL-2.0-only
/* drm_gem_vmap() is for drivers, and locks the object by itself. */

#include <drm/drm_gem.h>

int probe(struct drm_gem_object *obj, struct iosys_map *map);
int probe(struct drm_gem_object *obj, struct iosys_map *map)
{
	return drm_gem_vmap(obj, map);
}
