/* SPDX-License-Identifier: MIT */
/* Functions: heads, attributes, the statements of a body. */
#ifndef PX_FUNCTION_H
#define PX_FUNCTION_H

#include "compiler/ptx/front/px_module.h"

/* At .entry or .func.  Hands what has a body to m->finished.  False: reported. */
bool px_parse_function(struct px_module *m, bool kernel, unsigned flags);

#endif
