/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of task descriptors as they are in memory.
 *
 * State: none.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_TMD_UNIT_H
#define PPU_TMD_UNIT_H

#include "core/memory/ctx.h"
#include <hw/ppu_tmd.h>

/* Checks that hold whoever launches the task: 0 or PPU_ERR_*. */
int ppu_tmd_check(struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *t);
/* Number of CTAs in the grid of l. */
uint64_t ppu_tmd_ctas(const struct ppu_tmd *l);

#endif
