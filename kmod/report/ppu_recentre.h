/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: token queues that run over.
 */
#ifndef __PPU_RECENTRE_H__
#define __PPU_RECENTRE_H__

struct ppu_device;

void ppu_recentre(struct ppu_device *ppu);

#endif
