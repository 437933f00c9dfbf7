/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: fences that wait for others, and need not.
 */
#ifndef __PPU_JOIN_H__
#define __PPU_JOIN_H__

#include <linux/types.h>

struct dma_fence;

struct dma_fence *ppu_join_create(struct dma_fence **fences, u32 n);
void ppu_join_cancel(struct dma_fence *fence);

#endif
