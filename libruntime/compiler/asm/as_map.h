/* SPDX-License-Identifier: MIT */
/* Maps from names to numbers.  Each name has a scope: the function's symbol index + 1, or 0. */
#ifndef PPU_AS_MAP_H
#define PPU_AS_MAP_H

#include "compiler/asm/as.h"

struct as_map_entry *as_map_get(struct as_map *m, struct as_span k, uint32_t scope);
/* The key must outlive the map: it is a part of the text, or a symbol's name. */
void as_map_put(struct as *a, struct as_map *m, struct as_span k, uint32_t scope, uint32_t value);

#endif
