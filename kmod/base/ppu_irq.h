/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: interrupts.
 */
#ifndef __PPU_IRQ_H__
#define __PPU_IRQ_H__

#include <linux/hrtimer.h>
#include <linux/types.h>

struct ppu_device;

/**
 * struct ppu_pace - how often an interrupt vector comes
 */
struct ppu_pace {
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @mask: causes of the vector, PPU_INTR_*. */
	u32 mask;
	/** @due: when the next would come if all so far had kept the rate, ktime in ns. */
	u64 due;
	/** @timer: lets held causes through again. */
	struct hrtimer timer;
	/** @total: interrupts. */
	u64 total;
	/** @held: times they were held back. */
	u64 held;
};

int ppu_irq_init(struct ppu_device *ppu);
void ppu_irq_fini(struct ppu_device *ppu);
void ppu_irq_enable(struct ppu_device *ppu);
void ppu_irq_disable(struct ppu_device *ppu);

#endif
