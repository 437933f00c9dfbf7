/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SM exceptions for the driver (token queue recentring), shown one at a time in SM_EXC_*.  gpc.c posts them;
 * the driver's SM_EXC_DONE comes back as ppu_sm_exception_done().
 *
 * State: struct ppu_smexcs, private to smexc.c.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_SMEXC_UNIT_H
#define PPU_SMEXC_UNIT_H

#include "core/core.h"

struct ppu_smexc {
	uint64_t inst, tokq;		/* VRAM address of the warp's token queue */
	uint32_t sm, warp, cause, head;
	int32_t tail;
};
/* At most one per warp. */
void ppu_smexc_post(struct ppu_core *core, const struct ppu_smexc *x);
void ppu_smexc_cancel(struct ppu_core *core, unsigned sm, unsigned warp);	/* the warp is gone (aborted, or saved) */
/* The driver is about to move the tokens of this warp; it has not answered yet. */
bool ppu_smexc_served(const struct ppu_core *core, unsigned *sm, unsigned *warp);
uint32_t ppu_smexc_read(struct ppu_core *core, unsigned reg);
void ppu_smexc_write(struct ppu_core *core, unsigned reg, uint32_t val);

PPU_UNIT(smexcs);

#endif
