/* SPDX-License-Identifier: MIT */
/* Initialisers of variables. */
#ifndef PX_INIT_H
#define PX_INIT_H

#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/front/px_sym.h"

struct px_init {
	uint64_t size, pos;	/* bytes, bytes done */
	uint64_t step[PX_MAX_DIMS];	/* bytes of one element of a list, by nesting depth; 0: any */
	unsigned pt;
	bool unsized;
	uint8_t *buf;
	uint64_t cap;
};

/* Reads the values of v, which has the dimensions dim.  If v has no size yet, its size is set. */
void px_parse_init(struct px_module *m, struct px_var *v, const uint64_t *dim, unsigned num_dims, struct px_init *in);
/* Fills in the initialisers that name symbols.  Called when the whole module has been read. */
void px_resolve_late(struct px_module *m);

#endif
