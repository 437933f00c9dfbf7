/* SPDX-License-Identifier: MIT */
/* Simplifications that other passes use, too. */
#ifndef PX_OPT_H
#define PX_OPT_H

#include "compiler/ptx/ir/px_ir.h"

/* Exchanges the first two operands if the first is a constant and the instruction allows it; true: it was done. */
bool px_swap_const(struct px_insn *in);

#endif
