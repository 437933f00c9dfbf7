/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/aer.h>

#ifndef PPU_COMPAT_AER_H
#define PPU_COMPAT_AER_H

#include <ppu_have.h>

/* Functions without the capability give an error, which nobody needs to know. */
#ifdef PPU_HAVE_AER_BY_DRIVER
#define ppu_compat_report_errors(pci)	((void)pci_enable_pcie_error_reporting(pci))
#else
#define ppu_compat_report_errors(pci)	((void)(pci))
#endif

#endif
