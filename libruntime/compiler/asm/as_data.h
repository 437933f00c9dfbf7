/* SPDX-License-Identifier: MIT */
/* .global, .const, .shared. */
#ifndef PPU_AS_DATA_H
#define PPU_AS_DATA_H

#include "compiler/asm/as.h"

void as_variable(struct as *a, unsigned kind);

#endif
