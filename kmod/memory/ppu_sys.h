/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: buffer objects in system memory.
 */
#ifndef __PPU_SYS_H__
#define __PPU_SYS_H__

#include <linux/types.h>

struct ppu_bo;
struct ppu_device;

struct ppu_bo *ppu_bo_create_sys(struct ppu_device *ppu, u64 size, u32 flags);
void ppu_sys_add(struct ppu_bo *bo);
void ppu_sys_out(struct ppu_bo *bo);
int ppu_sys_in(struct ppu_bo *bo);

#endif
