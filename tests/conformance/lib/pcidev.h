/* SPDX-License-Identifier: MIT */
/* The PPU as a PCI function: its driver comes and goes, it is reset and removed. */
#ifndef PPU_CONFORMANCE_PCIDEV_H
#define PPU_CONFORMANCE_PCIDEV_H

#include "sysfile.h"

/* Writes "1" to a file of the function in sysfs: "reset", "remove". */
void pci_write(const char *file);
/* Such a file: its contents, to be freed, NULL: it cannot be read; and another value for it. */
char *pci_text(const char *file);
void pci_text_set(const char *file, const char *value);
/* Changes bits of a register in configuration space, behind the driver's back; returns what was there. */
uint16_t pci_config(unsigned offset, uint16_t clear, uint16_t set);
/* The same for the port above it. */
uint16_t pci_port_config(unsigned offset, uint16_t clear, uint16_t set);
/* Is there a render node?  Removed devices may have one, too, while somebody has it open. */
bool pci_have_node(void);
void pci_unbind(void);
void pci_bind(void);		/* returns when there is a render node */

#endif
