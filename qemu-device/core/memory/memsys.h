/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timing of the memory system behind the SMs (HW-66, HW-69, HW-71, HW-73; property memory-timing): the L1.5 of each GPC,
 * the ports of GPCs into the crossbar, the partition units with their slice of the L2 and their DRAM, and the port of
 * the I/O unit to system memory.  Documentation/hw/memory.md.  Says how long accesses take, and moves no data.
 *
 * State: struct ppu_memsys, private to memsys.c.  core->memsys is NULL without the property.
 * Thread safety: the thread that drives the core.  ppu_memsys_round(): any thread.
 * Time: ns.
 */
#ifndef PPU_MEMSYS_H
#define PPU_MEMSYS_H

#include "core/core.h"

#define PPU_PARTITION_BYTES	256	/* this much memory to one partition unit, then to the next */
#define PPU_SECTOR_BYTES	32	/* what part of a line moves at least */

enum ppu_mem_what {
	PPU_MEM_READ,
	PPU_MEM_FETCH,		/* of code or constants: through the L1.5 */
	PPU_MEM_WRITE,
	PPU_MEM_ATOMIC,
};

/* Inside of one line. */
struct ppu_mem_access {
	uint64_t time;
	uint64_t addr;		/* of the line */
	uint16_t gpc;
	uint16_t bytes;		/* that move */
	uint8_t what;		/* enum ppu_mem_what */
	uint8_t sys;		/* system memory */
	uint8_t kept;		/* FETCH of what is in no memory (parameters): the L2 has it always */
};

/* When the data are there, or the store has arrived: at least ppu_memsys_round() after the access. */
uint64_t ppu_memsys_access(struct ppu_core *core, const struct ppu_mem_access *a);
/* A copy engine moves so many bytes of VRAM (read and written) and of system memory, from `time` on.  When it is done. */
uint64_t ppu_memsys_copy(struct ppu_core *core, uint64_t time, uint64_t vram, uint64_t sys);
/* No access of an SM comes that is before `time`. */
void ppu_memsys_advance(struct ppu_core *core, uint64_t time);
/* The shortest time in which something can come back. */
uint64_t ppu_memsys_round(const struct ppu_core *core);

/* Called by sm.c, because SMs are the last unit that there is. */
int ppu_memsys_create(struct ppu_core *core);
void ppu_memsys_destroy(struct ppu_core *core);
void ppu_memsys_reset(struct ppu_core *core);
void ppu_memsys_io(struct ppu_core *core, struct ppu_io *io);

#endif
