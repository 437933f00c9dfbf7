/* SPDX-License-Identifier: MIT */
/* Directives that stand at module level and in functions, and make no code: .file, .loc, .pragma. */
#ifndef PX_LINE_H
#define PX_LINE_H

#include "compiler/ptx/front/px_module.h"

void px_parse_file(struct px_module *m);
void px_parse_loc(struct px_module *m);
void px_skip_pragma(struct px_module *m);

#endif
