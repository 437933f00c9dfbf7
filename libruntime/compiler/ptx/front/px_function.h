/* SPDX-License-Identifier: MIT */
/* Functions: heads, attributes, the statements of a body. */
#ifndef PX_FUNCTION_H
#define PX_FUNCTION_H

#include "compiler/ptx/front/px_module.h"

/* Reads a function from .entry or .func on, and hands it to m->finished() if it has a body.  False: reported. */
bool px_parse_function(struct px_module *m, bool kernel, unsigned flags);

#endif
