/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: events that signal an eventfd.
 */
#ifndef __PPU_EVENTFD_H__
#define __PPU_EVENTFD_H__

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct ppu_device;
struct ppu_file;

void ppu_eventfd_notify(struct ppu_device *ppu, u32 type, const void *object);
void ppu_eventfd_drop_object(struct ppu_file *file, const void *object);
void ppu_eventfd_close_all(struct ppu_file *file);
int ppu_ioctl_event_register(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_event_unregister(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
