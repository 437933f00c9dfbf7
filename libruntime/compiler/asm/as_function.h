/* SPDX-License-Identifier: MIT */
/* .kernel, .func, .param and what ends a function. */
#ifndef PPU_AS_FUNCTION_H
#define PPU_AS_FUNCTION_H

#include "compiler/asm/as.h"

void as_function(struct as *a, unsigned kind);
void as_param(struct as *a);
/* The function that ends here: count and scan what its directive did not say. */
void as_close_function(struct as *a);

#endif
