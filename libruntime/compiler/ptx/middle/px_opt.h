/* SPDX-License-Identifier: MIT */
/* Simplifications that other passes use, too. */
#ifndef PX_OPT_H
#define PX_OPT_H

#include "compiler/ptx/ir/px_ir.h"

/* A constant as first operand changes places with the second where that is the same. */
bool px_swap_const(struct px_insn *in);

#endif
