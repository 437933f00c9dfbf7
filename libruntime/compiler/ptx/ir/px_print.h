/* SPDX-License-Identifier: MIT */
/* The IR as text. */
#ifndef PX_PRINT_H
#define PX_PRINT_H

#include "compiler/ptx/ir/px_ir.h"

void px_print_func(FILE *f, const struct px_func *fn, const char *after);

#endif
