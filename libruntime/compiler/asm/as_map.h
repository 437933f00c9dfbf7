/* SPDX-License-Identifier: MIT */
/* Name -> number, in a scope (function number, or 0). */
#ifndef PPU_AS_MAP_H
#define PPU_AS_MAP_H

#include "compiler/asm/as.h"

struct as_map_entry *as_map_get(struct as_map *m, struct as_span k, uint32_t scope);
/* The key must outlive the map: it lies in the text, or is a symbol's name. */
void as_map_put(struct as *a, struct as_map *m, struct as_span k, uint32_t scope, uint32_t value);

#endif
