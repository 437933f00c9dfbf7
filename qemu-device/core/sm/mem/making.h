/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a program is made of the code in memory, step by step: to look at all of the largest one takes a second of the
 * host, and whoever waits for the core's lock should not wait so long.
 *
 * State: struct ppu_making, not saved: a program that is not ready is made anew.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_MAKING_H
#define PPU_MAKING_H

#include "core/sm/mem/icache.h"

struct ppu_making {
	struct ppu_program *p;		/* with a reference; NULL: nothing is made */
	unsigned chid;			/* the channel whose launch waits for it */
	bool known;			/* it is ready, and only compared with memory */
	unsigned pass;			/* over the code, or PPU_MAKE_READY */
	uint32_t at;			/* so many instructions of it are done */
	uint32_t gen;			/* ppu_mem_code_gen() at the beginning; 0: not all code is in VRAM */
	struct ppu_flow_work work;
};

#define PPU_MAKE_READY	99

enum { PPU_MAKE_DIFFERS = -1, PPU_MAKE_MORE = -2 };

/*
 * Looks at up to so many instructions, and takes them off; each of the passes over the code counts.  Returns 0 (the
 * program is ready), PPU_MAKE_MORE (there is more to do), PPU_MAKE_DIFFERS (known, but memory has other code now), or
 * PPU_ERR_* with the address at fault in *bad.  Whatever it is, the reference stays.
 */
int ppu_make(struct ppu_core *core, struct ppu_making *m, uint64_t *insns, uint64_t *bad);
/* Frees what only the making needs. */
void ppu_make_end(struct ppu_making *m);

/* Implemented in icache.c: memory for a program, zero, which other programs may have to leave. */
void *ppu_icache_alloc(struct ppu_core *core, size_t n, size_t size);

#endif
