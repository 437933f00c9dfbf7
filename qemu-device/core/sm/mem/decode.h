/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decoding of one instruction.
 *
 * State: none.
 * Thread safety: any thread.
 * Time: none.
 */
#ifndef PPU_DECODE_H
#define PPU_DECODE_H

#include <stdint.h>

struct ppu_core;
struct ppu_dinsn;
struct ppu_insn;

/* n, nregs: the instructions of the program, and the registers that it has. */
void ppu_decode(const struct ppu_core *core, const struct ppu_insn *in, uint32_t n, uint32_t nregs,
		struct ppu_dinsn *di);

#endif
