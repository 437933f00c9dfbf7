/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts as the whole machine sees them: commands of the CTX_CMD register, and what the end of a context
 * means to every unit.
 *
 * State: none of its own.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_CTX_END_H
#define PPU_CTX_END_H

#include "core/core.h"

void ppu_ctx_cmd(struct ppu_core *core, uint64_t inst, uint32_t cmd);	/* CTX_CMD register */
uint32_t ppu_ctx_status(struct ppu_core *core, uint64_t inst);

#endif
