/* SPDX-License-Identifier: MIT */
/* Vectors and pairs that the instruction set has no instruction for. */
#ifndef PX_LOW_VEC_H
#define PX_LOW_VEC_H

#include "compiler/ptx/lower/px_low.h"

/*
 * Loads and stores of 256 bits, vector atomics: done with `one` for parts of it, which are at operands
 * `data` and `address` (for atomics: from `first` on).  False: the instruction is no such one.
 */
bool px_low_wide(struct px_module *m, const struct px_inst *in, px_lower_fn *one, unsigned data, unsigned address);
bool px_low_vector_atomic(struct px_module *m, const struct px_inst *in, px_lower_fn *one, unsigned first);
/* Is the type two numbers in one register (.u16x2, .s16x2, .f32x2)?  Then the instruction is done. */
bool px_low_pair(struct px_module *m, const struct px_inst *in, unsigned pt);

#endif
