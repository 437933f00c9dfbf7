/* SPDX-License-Identifier: MIT */
/* Declarations: registers, variables and their places. */
#ifndef PX_DECL_H
#define PX_DECL_H

#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/front/px_sym.h"

void px_parse_reg(struct px_module *m);
bool px_is_var_space(struct px_str *s);
/* Reads one or more variables from ".space" up to ';'.  Returns the last one, or NULL after an error. */
struct px_sym *px_parse_var(struct px_module *m, bool is_extern, bool is_weak, bool visible);
/* A formal parameter: ".param ..." or ".reg ...". */
struct px_sym *px_parse_param(struct px_module *m, unsigned space);
/* Gives a function's variable its register or its stack slot. */
void px_new_var(struct px_module *m, struct px_var *v);

/* The shared variable of a module that reads %reserved_smem_offset_*: one for all its functions. */
#define PX_RESERVED_SHARED	1024u
struct px_sym *px_reserved_shared(struct px_module *m);

#endif
