/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: the device is reset, sleeps, or has an error.
 */
#ifndef __PPU_POWER_H__
#define __PPU_POWER_H__

#include <linux/pci.h>
#include <linux/pm.h>

struct ppu_device;

void ppu_power_init(struct ppu_device *ppu);
void ppu_power_start(struct ppu_device *ppu);
void ppu_power_remove(struct ppu_device *ppu);

extern const struct pci_error_handlers ppu_err_handlers;
extern const struct dev_pm_ops ppu_pm_ops;

#endif
