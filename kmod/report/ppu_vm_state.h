/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: what user space asks about a VM.
 */
#ifndef __PPU_VM_STATE_H__
#define __PPU_VM_STATE_H__

struct drm_device;
struct drm_file;

int ppu_ioctl_vm_get_state(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
