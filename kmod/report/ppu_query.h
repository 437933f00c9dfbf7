/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: what user space asks about the device.
 */
#ifndef __PPU_QUERY_H__
#define __PPU_QUERY_H__

struct drm_device;
struct drm_file;

int ppu_ioctl_get_param(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_query(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
