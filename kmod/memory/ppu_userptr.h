/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: objects made of a process's own pages.
 */
#ifndef __PPU_USERPTR_H__
#define __PPU_USERPTR_H__

struct drm_device;
struct drm_file;

int ppu_ioctl_gem_userptr(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
