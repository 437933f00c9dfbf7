/* SPDX-License-Identifier: MIT */
/* Vectors and pairs for which the instruction set has no instruction. */
#ifndef PX_LOW_VEC_H
#define PX_LOW_VEC_H

#include "compiler/ptx/lower/px_low.h"

/*
 * Translate loads and stores of 256 bits, and vector atomics: `one` is called for each part.  data, address: the
 * numbers of these operands; first: the number of an atomic's address, which the source follows.  False: `in` is no
 * such instruction.
 */
bool px_low_wide(struct px_module *m, const struct px_inst *in, px_lower_fn *one, unsigned data, unsigned address);
bool px_low_vector_atomic(struct px_module *m, const struct px_inst *in, px_lower_fn *one, unsigned first);
/* Translates `in` if its type is two numbers in one register (.u16x2, .s16x2, .f32x2); false: it is not. */
bool px_low_pair(struct px_module *m, const struct px_inst *in, unsigned pt);

#endif
