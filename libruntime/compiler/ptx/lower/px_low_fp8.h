/* SPDX-License-Identifier: MIT */
/* Floats of eight bits: .e4m3 and .e5m2 (PT_E4M3, PT_E5M2). */
#ifndef PX_LOW_FP8_H
#define PX_LOW_FP8_H

#include "compiler/ptx/front/px_module.h"

/* Bytes 2 * pair and 2 * pair + 1 of word, as .f16x2. */
px_val px_fp8_to_half2(struct px_module *m, unsigned pt, px_val word, unsigned pair);
/* An f32 rounded to the nearest number of type pt, as .satfinite says, in bits 7:0; relu: negative ones become 0. */
px_val px_fp8_from_float(struct px_module *m, unsigned pt, px_val a, bool relu);
/* cvt from and to .e4m3x2 and .e5m2x2.  False: `in` is no such conversion. */
bool px_low_cvt_fp8(struct px_module *m, const struct px_inst *in);

#endif
