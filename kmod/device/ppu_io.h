/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: registers of the device, in BAR0.
 */
#ifndef __PPU_IO_H__
#define __PPU_IO_H__

#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/io.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include <hw/ppu_regs.h>

#include "device/ppu_device.h"

static inline u32 ppu_rd(struct ppu_device *pdev, u32 reg)
{
	return readl(pdev->regs + reg);
}

static inline void ppu_wr(struct ppu_device *pdev, u32 reg, u32 val)
{
	writel(val, pdev->regs + reg);
}

static inline u32 ppu_ch_off(int chid, u32 reg)
{
	return PPU_BAR0_CHCFG + chid * PPU_CHCFG_STRIDE + reg;
}

static inline u32 ppu_ch_rd(struct ppu_device *pdev, int chid, u32 reg)
{
	return ppu_rd(pdev, ppu_ch_off(chid, reg));
}

static inline void ppu_ch_wr(struct ppu_device *pdev, int chid, u32 reg, u32 val)
{
	ppu_wr(pdev, ppu_ch_off(chid, reg), val);
}

static inline void ppu_ch_wr64(struct ppu_device *pdev, int chid, u32 reg, u64 val)
{
	ppu_ch_wr(pdev, chid, reg, lower_32_bits(val));
	ppu_ch_wr(pdev, chid, reg + 4, upper_32_bits(val));
}

/* LO latches HI: one reader of a pair at a time. */
static inline u64 ppu_rd64_locked(struct ppu_device *pdev, u32 reg)
{
	u32 lo;

	lockdep_assert_held(&pdev->hw_lock);
	lo = ppu_rd(pdev, reg);
	return lo | (u64)ppu_rd(pdev, reg + 4) << 32;
}

static inline u64 ppu_rd64(struct ppu_device *pdev, u32 reg)
{
	unsigned long flags;
	u64 val;

	spin_lock_irqsave(&pdev->hw_lock, flags);
	val = ppu_rd64_locked(pdev, reg);
	spin_unlock_irqrestore(&pdev->hw_lock, flags);
	return val;
}

static inline void ppu_userd_wr(struct ppu_device *pdev, int chid, u32 reg, u32 val)
{
	ppu_wr(pdev, PPU_BAR0_USERD + chid * PPU_USERD_STRIDE + reg, val);
}

#endif
