/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <drm/drm_drv.h>

#ifndef PPU_COMPAT_DRM_DRV_H
#define PPU_COMPAT_DRM_DRV_H

#include <ppu_have.h>

/* Fields of struct drm_driver that newer kernels do without: at the end of its initializer. */
#ifdef PPU_HAVE_DRIVER_DATE
#define PPU_COMPAT_DATE .date = "20260101",
#else
#define PPU_COMPAT_DATE
#endif
#ifdef PPU_HAVE_DRIVER_PRIME_MMAP
#include <drm/drm_prime.h>
#define PPU_COMPAT_PRIME_MMAP .gem_prime_mmap = drm_gem_prime_mmap,
#else
#define PPU_COMPAT_PRIME_MMAP
#endif
/* What user space hears of a device that was reset, or needs to be: before 6.15 nothing. */
#if defined(PPU_HAVE_WEDGED_EVENT_2)
#define drm_dev_wedged_event(drm, method, info) drm_dev_wedged_event(drm, method)
#elif !defined(PPU_HAVE_WEDGED_EVENT)
#include <linux/device.h>
#include <linux/kobject.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>

#define DRM_WEDGE_RECOVERY_NONE		BIT(0)
#define DRM_WEDGE_RECOVERY_REBIND	BIT(1)
#define DRM_WEDGE_RECOVERY_BUS_RESET	BIT(2)

/* The methods that this driver names: none, bus-reset, or that and rebind. */
static inline int drm_dev_wedged_event(struct drm_device *drm, unsigned long method, void *info)
{
	char *env[2] = { "WEDGED=rebind,bus-reset", NULL };

	if (method == DRM_WEDGE_RECOVERY_NONE)
		env[0] = "WEDGED=none";
	else if (method == DRM_WEDGE_RECOVERY_BUS_RESET)
		env[0] = "WEDGED=bus-reset";
	return kobject_uevent_env(&drm->primary->kdev->kobj, KOBJ_CHANGE, env);
}
#endif

#define PPU_COMPAT_DRM_DRIVER PPU_COMPAT_DATE PPU_COMPAT_PRIME_MMAP

#endif
