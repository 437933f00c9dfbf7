/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task descriptors as memory has them: what can be wrong with one.
 *
 * State: none.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_TMD_UNIT_H
#define PPU_TMD_UNIT_H

#include "core/memory/ctx.h"
#include <hw/ppu_tmd.h>

/* Whoever launches it: 0 or PPU_ERR_*. */
int ppu_tmd_check(struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *t);
/* CTAs of its grid. */
uint64_t ppu_tmd_ctas(const struct ppu_tmd *l);

#endif
