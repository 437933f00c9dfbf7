/* SPDX-License-Identifier: MIT */
/* Makes instruction words, relocations and lines from IR with assigned registers. */
#ifndef PX_ENCODE_H
#define PX_ENCODE_H

#include "compiler/ptx/ir/px_ir.h"

struct px_object;

bool px_encode(struct px_func *f, struct px_object *o);	/* false: reported */

#endif
