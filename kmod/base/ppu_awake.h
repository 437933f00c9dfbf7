/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: who needs the device awake.
 *
 * Programs store to doorbell pages and to VRAM without the driver, and the device writes to memory
 * for them.  All of that needs VRAM: an object, or the page tables of a VM.  So the device is awake
 * while any VRAM is allocated (memory/ppu_vram.c), while there is a section of the gate that waits
 * (base/ppu_gate.c), and while it is reset (ppu_power.c).  Watches are not counted: nothing that is
 * watched changes then, and a device that wakes gets them again.
 */
#ifndef __PPU_AWAKE_H__
#define __PPU_AWAKE_H__

#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "base/ppu_device.h"

/* Wakes the device, and keeps it awake.  It may sleep.  Returns 0 or a negative error. */
static inline int ppu_awake_get(struct ppu_device *ppu)
{
	return pm_runtime_resume_and_get(&ppu->pci->dev);
}

/* Keeps the device awake, which it is. */
static inline void ppu_awake_keep(struct ppu_device *ppu)
{
	pm_runtime_get_noresume(&ppu->pci->dev);
}

/* In any context. */
static inline void ppu_awake_put(struct ppu_device *ppu)
{
	pm_runtime_mark_last_busy(&ppu->pci->dev);
	pm_runtime_put_autosuspend(&ppu->pci->dev);
}

#endif
