/* SPDX-License-Identifier: MIT */
/*
 * Translation of PTX instructions into IR: one function for each row of PX_OPS.
 *
 * These functions and the front end are one layer: the front end has each statement translated at once.
 */
#ifndef PX_LOW_H
#define PX_LOW_H

#include "compiler/ptx/front/px_inst.h"
#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/front/px_sym.h"
#include "compiler/ptx/lower/px_low_emit.h"
#include "compiler/ptx/lower/px_low_opn.h"

typedef void px_lower_fn(struct px_module *m, const struct px_inst *in);

#define O(name, fn, min, max, mods) px_lower_fn fn;
PX_OPS(O)
#undef O

#endif
