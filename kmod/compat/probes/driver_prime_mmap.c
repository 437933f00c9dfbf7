// SPDX-License-Identifier: GPL-2.0-only
/* A driver says how an exported object is mapped; else it cannot be. */

#include <drm/drm_drv.h>

void *probe(struct drm_driver *driver);
void *probe(struct drm_driver *driver)
{
	return driver->gem_prime_mmap;
}
