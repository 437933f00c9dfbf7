/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: contents of VRAM while the machine sleeps.
 */
#ifndef __PPU_VRAM_SAVE_H__
#define __PPU_VRAM_SAVE_H__

struct ppu_device;
struct ppu_vram_save;

struct ppu_vram_save *ppu_vram_save(struct ppu_device *ppu);
int ppu_vram_restore(struct ppu_device *ppu, struct ppu_vram_save *save);
void ppu_vram_save_free(struct ppu_vram_save *save);

#endif
