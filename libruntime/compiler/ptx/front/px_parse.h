/* SPDX-License-Identifier: MIT */
/* The module: its directives. */
#ifndef PX_PARSE_H
#define PX_PARSE_H

#include "compiler/ptx/front/px_module.h"

void px_parse_module(struct px_module *m, const char *text, size_t len);

#endif
