// SPDX-License-Identifier: GPL-2.0-only
/* The compiler and the headers of this kernel: always there. */

#include <linux/module.h>
#include <drm/drm_drv.h>

int probe(struct drm_device *drm);
int probe(struct drm_device *drm)
{
	return drm_dev_is_unplugged(drm);
}
