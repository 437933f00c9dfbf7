/* SPDX-License-Identifier: MIT */
/* The verifier of the IR. */
#ifndef PX_VERIFY_H
#define PX_VERIFY_H

#include "compiler/ptx/ir/px_ir.h"

/* 0, or the number of faults found; each is reported as an internal error after `pass`. */
unsigned px_verify(struct px_func *f, const char *pass);

#endif
