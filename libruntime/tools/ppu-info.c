/* SPDX-License-Identifier: MIT */
/* ppu-info: lists the PPUs of the machine: their PCI side, and what driver and device report. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pci/pci.h>
#include <ppu.h>
#include <hw/ppu_regs.h>
#include "tool.h"

static void quiet(char *fmt, ...)
{
}

static const char *human(uint64_t v, char *buf, size_t n)
{
	static const char units[] = " KMGT";
	unsigned u = 0;

	while (v >= 1024 && v % 1024 == 0 && u < 4) {
		v /= 1024;
		u++;
	}
	snprintf(buf, n, "%" PRIu64 " %.1s%sB", v, u ? &units[u] : "", u ? "i" : "");
	return buf;
}

static void pci_device(struct pci_dev *d)
{
	static const char *const bar_use[] = { "registers and doorbells", "", "VRAM", "", "MSI-X", "" };
	char buf[32];

	printf("PCI %04x:%02x:%02x.%d  %04x:%04x rev %d, class %04x", d->domain, d->bus, d->dev, d->func,
	       d->vendor_id, d->device_id, pci_read_byte(d, PCI_REVISION_ID), d->device_class);
#ifdef PCI_FILL_DRIVER
	{
		const char *drv = pci_get_string_property(d, PCI_FILL_DRIVER);

		printf(", driver %s", drv ? drv : "none");
	}
#endif
	printf("\n");
	for (int i = 0; i < 6; i++) {
		if (!d->base_addr[i] && !d->size[i])
			continue;
		printf("  BAR%d  %-12s at 0x%" PRIx64 "%s%s  %s\n", i, human(d->size[i], buf, sizeof(buf)),
		       (uint64_t)(d->base_addr[i] & PCI_ADDR_MEM_MASK),
		       d->flags[i] & PCI_BASE_ADDRESS_MEM_TYPE_64 ? ", 64 bit" : "",
		       d->flags[i] & PCI_BASE_ADDRESS_MEM_PREFETCH ? ", prefetchable" : "", bar_use[i]);
	}
	for (struct pci_cap *c = d->first_cap; c; c = c->next) {
		if (c->type != PCI_CAP_NORMAL)
			continue;
		printf("  capability 0x%02x at 0x%02x", c->id, c->addr);
		if (c->id == PCI_CAP_ID_MSIX) {
			u16 ctl = pci_read_word(d, c->addr + 2);

			printf("  MSI-X, %d vectors%s", (ctl & 0x7ff) + 1,
			       ctl & 0x8000 ? ", enabled" : "");
		} else if (c->id == PCI_CAP_ID_EXP) {
			u32 cap = pci_read_long(d, c->addr + PCI_EXP_DEVCAP);

			printf("  PCI Express%s", cap & PCI_EXP_DEVCAP_FLRESET ? ", function level reset" : "");
		} else if (c->id == PCI_CAP_ID_PM) {
			printf("  power management");
		}
		printf("\n");
	}
}

static int pci_side(void)
{
	struct pci_access *acc = pci_alloc();
	int found = 0;

	acc->warning = quiet;
	acc->debug = quiet;
	if (access("/sys/bus/pci", R_OK) && access("/proc/bus/pci", R_OK)) {
		printf("PCI  there is no PCI bus to look at\n");
		pci_cleanup(acc);
		return 0;
	}
	pci_init(acc);
	pci_scan_bus(acc);
	for (struct pci_dev *d = acc->devices; d; d = d->next) {
		pci_fill_info(d, PCI_FILL_IDENT | PCI_FILL_BASES | PCI_FILL_SIZES | PCI_FILL_CLASS |
			      PCI_FILL_CAPS
#ifdef PCI_FILL_DRIVER
			      | PCI_FILL_DRIVER
#endif
			      );
		if (d->vendor_id != PPU_PCI_VENDOR_ID || d->device_id != PPU_PCI_DEVICE_ID)
			continue;
		pci_device(d);
		found++;
	}
	if (!found)
		printf("PCI  no device %04x:%04x\n", PPU_PCI_VENDOR_ID, PPU_PCI_DEVICE_ID);
	pci_cleanup(acc);
	return found;
}

int main(int argc, char **argv)
{
	int n = 0;
	ppuResult res;

	if (argc > 1 && !strcmp(argv[1], "--version"))
		return tool_version("ppu-info");
	if (argc > 1) {
		bool asked = !strcmp(argv[1], "--help");

		fputs("usage: ppu-info\n"
		      "Say what PPUs there are: the PCI side, and what driver and device report.\n"
		      "  --help, --version\n"
		      "PPU_BACKEND=core|drm chooses the backend.\n"
		      "Exit status: 0 done, 1 a device that does not answer, 2 usage.\n", asked ? stdout : stderr);
		return asked ? 0 : 2;
	}
	pci_side();
	res = ppuDeviceGetCount(&n);
	if (res) {
		fprintf(stderr, "ppu-info: %s: %s\n", ppuGetErrorName(res), ppuGetLastErrorDetail());
		return 1;
	}
	for (int i = 0; i < n; i++) {
		ppuDeviceProp p;
		size_t avail, total;
		char a[32], b[32];
		uint64_t t;

		res = ppuDeviceGetProperties(&p, i);
		if (res) {
			fprintf(stderr, "ppu-info: %s\n", ppuGetErrorString(res));
			return 1;
		}
		printf("device %d  %s, backend %s, %s\n", i, p.name, p.backend, p.location);
		printf("  hardware          version %u.%u, features 0x%x\n", p.hw_version >> 16,
		       p.hw_version & 0xffff, p.features);
		printf("  processing        %u GPCs, %u SMs, %u warps of %u threads and %u blocks per SM, %u kHz\n",
		       p.gpcs, p.sms, p.warps_per_sm, p.warp_size, p.ctas_per_sm, p.clock_khz);
		printf("  units of an SM    %u cores, %u double precision, %u special function, %u load/store\n",
		       p.cores_per_sm, p.dp_units_per_sm, p.sfus_per_sm, p.lsus_per_sm);
		printf("  registers         %u per SM\n", p.regs_per_sm);
		printf("  shared memory     %s per SM, %s per block\n", human(p.shared_per_sm, a, sizeof(a)),
		       human(p.shared_per_block, b, sizeof(b)));
		printf("  divergence        %u tokens per warp\n", p.token_queue_entries);
		printf("  engines           compute, %u copy engines\n", p.copy_engines);
		printf("  channels          %u, rings up to %u entries, time slice %" PRIu64 " us\n", p.channels,
		       p.ring_max, p.timeslice_ns / 1000);
		printf("  tasks             %u slots, %u device priorities%s, stream priorities %d..%d\n",
		       p.task_slots, p.device_priorities,
		       p.features & PPU_FEAT_PRIO_DOWN ? " (0 is the highest)" : "",
		       p.stream_priority_least, p.stream_priority_greatest);
		if (ppuDeviceGetMemInfo(i, &avail, &total) == PPU_SUCCESS)
			printf("  VRAM              %s, %s free\n", human(total, a, sizeof(a)),
			       human(avail, b, sizeof(b)));
		printf("  addresses         %u bits\n", p.va_bits);
		if (ppuDeviceGetTime(i, &t) == PPU_SUCCESS)
			printf("  device time       %" PRIu64 ".%09" PRIu64 " s\n", t / 1000000000, t % 1000000000);
	}
	ppuShutdown();
	return 0;
}
