// SPDX-License-Identifier: GPL-2.0-only
/* Drivers have the errors of their functions reported; later the kernel did that by itself. */

#include <linux/aer.h>

int probe(struct pci_dev *pci);
int probe(struct pci_dev *pci)
{
	return pci_enable_pcie_error_reporting(pci);
}
