/* SPDX-License-Identifier: MIT */
/* .kernel, .func, .param, and the end of a function. */
#ifndef PPU_AS_FUNCTION_H
#define PPU_AS_FUNCTION_H

#include "compiler/asm/as.h"

void as_function(struct as *a, unsigned kind);
void as_param(struct as *a);
/* Ends the current function: finds the instructions, registers and barriers that its directive did not state. */
void as_close_function(struct as *a);

#endif
