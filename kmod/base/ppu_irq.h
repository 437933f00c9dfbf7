/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: interrupts.
 */
#ifndef __PPU_IRQ_H__
#define __PPU_IRQ_H__

#include <linux/hrtimer.h>
#include <linux/types.h>

struct ppu_channel;
struct ppu_device;

/**
 * struct ppu_irq_handlers - what the units do about an interrupt, by cause
 *
 * Causes are cleared before the call: whatever happens meanwhile interrupts again.
 */
struct ppu_irq_handlers {
	/** @error: fault records, or stopped channels; in a thread. */
	void (*error)(struct ppu_device *ppu);
	/** @channel: an INTR command, or a job's end; with ppu_device.chan_lock held. */
	void (*channel)(struct ppu_channel *chan);
	/** @ring_low: a device-owned queue; with ppu_device.chan_lock held. */
	void (*ring_low)(struct ppu_channel *chan);
	/** @watch: entries of the watch table matched. */
	void (*watch)(struct ppu_device *ppu);
	/** @sm: SM exceptions wait; in a thread. */
	void (*sm)(struct ppu_device *ppu);
};

/**
 * struct ppu_pace - how often an interrupt vector comes
 */
struct ppu_pace {
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @mask: causes of the vector, PPU_INTR_*. */
	u32 mask;
	/** @due: when the next one would come if all had kept the rate, ktime in ns. */
	u64 due;
	/** @timer: lets held causes through again. */
	struct hrtimer timer;
	/** @total: interrupts. */
	u64 total;
	/** @held: how often interrupts were held back. */
	u64 held;
};

int ppu_irq_init(struct ppu_device *ppu, const struct ppu_irq_handlers *handlers);
void ppu_irq_fini(struct ppu_device *ppu);
void ppu_irq_stop(struct ppu_device *ppu);
void ppu_irq_last_watches(struct ppu_device *ppu);
void ppu_irq_restart(struct ppu_device *ppu);

#endif
