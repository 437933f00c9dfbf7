/* SPDX-License-Identifier: MIT */
/* Stack frame, callee-saved registers, moves. */
#ifndef PX_FRAME_H
#define PX_FRAME_H

#include "compiler/ptx/ir/px_ir.h"

void px_pass_frame(struct px_func *f);

#endif
