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

#include "base/ppu_device.h"

static inline u32 ppu_rd(struct ppu_device *ppu, u32 reg)
{
	return readl(ppu->regs + reg);
}

static inline void ppu_wr(struct ppu_device *ppu, u32 reg, u32 val)
{
	writel(val, ppu->regs + reg);
}

static inline u32 ppu_ch_off(int chid, u32 reg)
{
	return PPU_BAR0_CHCFG + chid * PPU_CHCFG_STRIDE + reg;
}

static inline u32 ppu_ch_rd(struct ppu_device *ppu, int chid, u32 reg)
{
	return ppu_rd(ppu, ppu_ch_off(chid, reg));
}

static inline void ppu_ch_wr(struct ppu_device *ppu, int chid, u32 reg, u32 val)
{
	ppu_wr(ppu, ppu_ch_off(chid, reg), val);
}

static inline void ppu_ch_wr64(struct ppu_device *ppu, int chid, u32 reg, u64 val)
{
	ppu_ch_wr(ppu, chid, reg, lower_32_bits(val));
	ppu_ch_wr(ppu, chid, reg + 4, upper_32_bits(val));
}

/* LO latches HI: one reader of a pair at a time. */
static inline u64 ppu_rd64_locked(struct ppu_device *ppu, u32 reg)
{
	u32 lo;

	lockdep_assert_held(&ppu->hw_lock);
	lo = ppu_rd(ppu, reg);
	return lo | (u64)ppu_rd(ppu, reg + 4) << 32;
}

static inline u64 ppu_rd64(struct ppu_device *ppu, u32 reg)
{
	unsigned long flags;
	u64 val;

	spin_lock_irqsave(&ppu->hw_lock, flags);
	val = ppu_rd64_locked(ppu, reg);
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	return val;
}

static inline void ppu_userd_wr(struct ppu_device *ppu, int chid, u32 reg, u32 val)
{
	ppu_wr(ppu, PPU_BAR0_USERD + chid * PPU_USERD_STRIDE + reg, val);
}

#endif
