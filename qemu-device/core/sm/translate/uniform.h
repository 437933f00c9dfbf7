/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that probably have one word for all lanes of a warp.
 *
 * State: none.
 * Thread safety: any thread.
 * Time: none.
 */
#ifndef PPU_UNIFORM_H
#define PPU_UNIFORM_H

#include "core/sm/mem/icache.h"

/* A guess: it looks at a few instructions before pc only, as if none of them were jumped over. */
bool ppu_uniform_likely(const struct ppu_program *prog, uint32_t pc, unsigned row);

#endif
