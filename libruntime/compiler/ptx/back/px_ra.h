/* SPDX-License-Identifier: MIT */
/* Register allocation: linear scan over live ranges, spilling until it fits. */
#ifndef PX_RA_H
#define PX_RA_H

#include "compiler/ptx/ir/px_ir.h"

bool px_pass_regalloc(struct px_func *f);	/* false: reported */

#endif
