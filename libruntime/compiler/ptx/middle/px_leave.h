/* SPDX-License-Identifier: MIT */
/* For px_diverge.c: the values that are defined in a loop and used outside of it. */
#ifndef PX_LEAVE_H
#define PX_LEAVE_H

#include "compiler/ptx/ir/px_ir.h"

struct px_leave {
	uint32_t n, size;	/* values; leaves of the tree, a power of two */
	px_val *v;		/* in the order of their loops' numbers */
	uint32_t *in;		/* these numbers */
	uint32_t *least;	/* tree of minima: depth of the outermost loop that the value leaves */
};

void px_leave_init(struct px_func *f, struct px_leave *t);
/* Takes a value out that leaves loop l; 0: there is none. */
px_val px_leave_next(struct px_leave *t, const struct px_loop *l);

#endif
