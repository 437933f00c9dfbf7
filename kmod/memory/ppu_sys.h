/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: buffer objects in system memory.
 */
#ifndef __PPU_SYS_H__
#define __PPU_SYS_H__

#include <linux/mm_types.h>
#include <linux/types.h>

struct drm_gem_object;
struct ppu_bo;
struct ppu_device;
struct sg_table;
struct vm_fault;

struct ppu_bo *ppu_bo_create_sys(struct ppu_device *ppu, u64 size, u32 flags);
void ppu_sys_add(struct ppu_bo *bo);
void ppu_sys_out(struct ppu_bo *bo);
int ppu_sys_in(struct ppu_bo *bo);
int ppu_sys_get_pages(struct ppu_bo *bo);
pgprot_t ppu_sys_prot(struct ppu_bo *bo, pgprot_t prot);
vm_fault_t ppu_sys_fault(struct vm_fault *vmf);
void ppu_sys_put_pages(struct ppu_bo *bo);
struct sg_table *ppu_sys_get_sg_table(struct drm_gem_object *obj);

#endif
