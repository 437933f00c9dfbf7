/* SPDX-License-Identifier: MIT */
/*
 * Debug sections (struct ppu_debug), if the option debug asks for them: read before the functions, so that registers that they
 * name can be kept; their words get numbers when all places are known.  Without sections all this does nothing.
 */
#ifndef PX_DEBUG_H
#define PX_DEBUG_H

#include "compiler/ptx/front/px_module.h"

struct px_str;
struct px_var;

void px_debug_read(struct px_module *m, const char *text, size_t len);
void px_debug_label(struct px_module *m, struct px_str *name);
void px_debug_variable(struct px_module *m, struct px_str *name, const struct px_var *v);
void px_debug_param(struct px_module *m, struct px_str *name, uint32_t offset);
/* After a body: copies the registers that have a home into it, behind each instruction that writes them. */
void px_debug_homes(struct px_module *m);
/* After the function's code: where its variables are. */
void px_debug_function(struct px_module *m);
/* False: no memory. */
bool px_debug_image(struct px_module *m, struct ppu_image *img);

#endif
