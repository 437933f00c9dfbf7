/* SPDX-License-Identifier: MIT */
/* One instruction. */
#ifndef PPU_AS_INSN_H
#define PPU_AS_INSN_H

#include "compiler/asm/as.h"

void as_instruction(struct as *a);

#endif
