/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: fences that the driver itself signals.
 */
#ifndef __PPU_SW_FENCE_H__
#define __PPU_SW_FENCE_H__

#include <linux/types.h>

struct dma_fence;

struct dma_fence *ppu_sw_fence_create(const char *timeline, u64 context, u64 seqno);
void ppu_sw_fence_follow(struct dma_fence *fence, struct dma_fence *leader);
void ppu_sw_fence_signal(struct dma_fence *fence, int err);

#endif
