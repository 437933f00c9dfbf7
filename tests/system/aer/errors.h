/* SPDX-License-Identifier: MIT */
/*
 * Errors of the bus, in a machine that tests/system/host_bus_errors.sh has made: its device has aer=on and pm=on, and
 * for a line "# inject NAME" QEMU reports such an error of the PPU.  QEMU never reports errors that were corrected.
 */
#ifndef SYSTEM_AER_ERRORS_H
#define SYSTEM_AER_ERRORS_H

#include "copy_world.h"
#include "fence.h"
#include "pcidev.h"
#include "sysfile.h"

#define MIB (1ull << 20)
#define VA 0x20000000ull

/* Bits of PCI_COMMAND and PCI_BRIDGE_CONTROL without which an emulated port keeps errors to itself. */
#define COMMAND 4
#define COMMAND_SERR 0x100
#define BRIDGE_CONTROL 0x3e
#define BRIDGE_SERR 2

struct errors {
	struct world w;
	struct gate job;
	uint64_t resets;
	int log;
};

static void let_errors_through(void)
{
	pci_config(COMMAND, 0, COMMAND_SERR);
	pci_port_config(COMMAND, 0, COMMAND_SERR);
	pci_port_config(BRIDGE_CONTROL, 0, BRIDGE_SERR);
}

/* A job that does not begin, and a copy that was done. */
static struct errors begin(void)
{
	struct errors e = { .log = kmsg_open() };

	let_errors_through();
	e.w = world_new(MIB, VA);
	e.job = gate_new(e.w.fd, 0);
	e.resets = get_param(e.w.fd, DRM_PPU_PARAM_RESET_COUNT);
	memset(e.w.bo.map, 0x5a, MIB / 2);
	copy(&e.w, VA, VA + MIB / 2, 4096);
	return e;
}

static void inject(const char *name)
{
	printf("# inject %s\n", name);
	fflush(stdout);
}

#endif
