/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BAR0: which unit a register belongs to.
 *
 * State: struct ppu_regfile, private to regs.c: scratch, latches, selectors.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_REGS_UNIT_H
#define PPU_REGS_UNIT_H

#include "core/core.h"

PPU_UNIT(regs);

#endif
