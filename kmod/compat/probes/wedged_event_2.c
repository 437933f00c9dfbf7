// SPDX-License-Identifier: GPL-2.0-only
/* drm_dev_wedged_event(), without the task. */

#include <drm/drm_drv.h>

int probe(struct drm_device *drm);
int probe(struct drm_device *drm)
{
	return drm_dev_wedged_event(drm, DRM_WEDGE_RECOVERY_NONE);
}
