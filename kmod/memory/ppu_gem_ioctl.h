/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: ioctls about buffer objects.
 */
#ifndef __PPU_GEM_IOCTL_H__
#define __PPU_GEM_IOCTL_H__

struct drm_device;
struct drm_file;

int ppu_ioctl_gem_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_gem_mmap_offset(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_gem_info(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_gem_madvise(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
