/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: engine time of channels and of files.
 */
#ifndef __PPU_RUNTIME_H__
#define __PPU_RUNTIME_H__

#include <linux/types.h>

struct ppu_channel;
struct ppu_device;
struct ppu_file;

u64 ppu_runtime(struct ppu_channel *chan);
void ppu_runtime_begin(struct ppu_channel *chan);
void ppu_runtime_end(struct ppu_channel *chan);
void ppu_runtime_lost(struct ppu_device *ppu);
u64 ppu_runtime_file(struct ppu_file *file, u32 type);

#endif
