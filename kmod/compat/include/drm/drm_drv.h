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
#define PPU_COMPAT_DRM_DRIVER PPU_COMPAT_DATE PPU_COMPAT_PRIME_MMAP

#endif
