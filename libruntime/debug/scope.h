/* SPDX-License-Identifier: MIT */
/* Which variables there are where a lane is. */
#ifndef PPU_DEBUG_SCOPE_H
#define PPU_DEBUG_SCOPE_H

#include "debug/variable.h"

#pragma GCC visibility push(hidden)

struct scope {
	const struct dbg_warp *w;
	const struct ppu_image *img;
	uint32_t lane, pc;
	uint64_t mark;
	struct dw_die function;
};

/* True ends the walk. */
typedef bool scope_fn(const struct scope *s, const struct dw_die *var, void *arg);

/* False: there are no debug sections, or they know nothing of this place. */
bool scope_begin(const struct dbg_warp *w, uint32_t lane, struct scope *s);
bool scope_function(const struct ppu_image *img, uint32_t pc, struct dw_die *function, uint64_t *mark);
/* Variables of the function, inner blocks first; and those that belong to none. */
bool scope_walk(const struct scope *s, scope_fn *fn, void *arg);
bool scope_outside(const struct scope *s, scope_fn *fn, void *arg);
void scope_locate(const struct scope *s, const struct dw_die *var, struct dbg_object *o);

#pragma GCC visibility pop
#endif
