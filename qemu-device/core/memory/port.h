/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A port with a bandwidth: of a GPC, of a partition unit, of its DRAM, of the I/O unit (memsys.h).
 *
 * Device time is cut into buckets in which the port passes about 1 KiB each.  An access takes room in the first bucket
 * that is not before it and has some; so accesses need not come in the order of their times, and one that has to wait
 * elsewhere first leaves the time before it to others.
 *
 * State: struct ppu_port, its owner's.
 * Thread safety: the thread that drives the core.
 * Time: ns.
 */
#ifndef PPU_PORT_H
#define PPU_PORT_H

#include "core/core.h"

#define PPU_PORT_BUCKETS	8192

struct ppu_port {
	uint32_t width;		/* of a bucket, ns */
	uint32_t cap;		/* of a bucket, 1/1000 byte */
	uint64_t base;		/* number of the first bucket that is kept; the one of ns 0 is 0 */
	uint64_t full;		/* buckets before this one have no room; not before base */
	uint64_t end;		/* buckets from this one on are empty */
	uint32_t *used;		/* by bucket number modulo PPU_PORT_BUCKETS, 1/1000 byte */
};

int ppu_port_create(struct ppu_port *p, uint32_t mbps);	/* 10^6 bytes/s.  0 or -1, out of memory */
void ppu_port_destroy(struct ppu_port *p);
void ppu_port_reset(struct ppu_port *p);
/* Nothing comes that is before time t. */
void ppu_port_advance(struct ppu_port *p, uint64_t t);
/* Passes bytes, not before t.  Returns when they begin to pass; *end, unless NULL: when they have passed. */
uint64_t ppu_port_pass(struct ppu_port *p, uint64_t t, uint64_t bytes, uint64_t *end);
void ppu_port_io(struct ppu_core *core, struct ppu_port *p, struct ppu_io *io);

#endif
