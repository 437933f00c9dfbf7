/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: device coredumps.
 */
#ifndef __PPU_COREDUMP_H__
#define __PPU_COREDUMP_H__

struct ppu_channel;

void ppu_coredump_init(struct ppu_channel *chan);
void ppu_coredump_queue(struct ppu_channel *chan);
void ppu_coredump_now(struct ppu_channel *chan);

#endif
