// SPDX-License-Identifier: GPL-2.0-only
/* A driver states a date. */

#include <drm/drm_drv.h>

char *probe(struct drm_driver *driver);
char *probe(struct drm_driver *driver)
{
	return driver->date;
}
