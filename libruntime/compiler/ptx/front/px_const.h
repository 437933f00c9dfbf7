/* SPDX-License-Identifier: MIT */
/* Constant expressions. */
#ifndef PX_CONST_H
#define PX_CONST_H

#include "compiler/ptx/front/px_module.h"

int64_t px_const_expr(struct px_module *m);
int64_t px_const_count(struct px_module *m);	/* an expression that ends at a '>' */
int64_t px_const_after_minus(struct px_module *m);	/* an expression whose first '-' has been read */

#endif
