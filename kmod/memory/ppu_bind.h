/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: VM_BIND.
 */
#ifndef __PPU_BIND_H__
#define __PPU_BIND_H__

struct drm_device;
struct drm_file;
struct ppu_vm;

void ppu_bind_init(struct ppu_vm *vm);
void ppu_bind_fini(struct ppu_vm *vm);
void ppu_bind_close(struct ppu_vm *vm);
int ppu_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
