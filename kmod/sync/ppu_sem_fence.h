/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: semaphores written for fences, fences signalled for semaphores.
 */
#ifndef __PPU_SEM_FENCE_H__
#define __PPU_SEM_FENCE_H__

struct drm_device;
struct drm_file;
struct ppu_channel;
struct ppu_device;
struct ppu_file;
struct ppu_sem;

void ppu_sem_fence_fail(struct ppu_device *ppu, const struct ppu_channel *chan, int err);
void ppu_sem_fence_cancel(struct ppu_file *file, const struct ppu_sem *sem);
int ppu_ioctl_sem_import_fence(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_export_fence(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
