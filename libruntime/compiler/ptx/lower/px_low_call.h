/* SPDX-License-Identifier: MIT */
/* Calls from both sides. */
#ifndef PX_LOW_CALL_H
#define PX_LOW_CALL_H

#include "compiler/ptx/front/px_inst.h"
#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/front/px_sym.h"

/*
 * Emits a call of a function of the device-side library with n arguments (registers or constants of their
 * types).  words: the 32-bit words of the structure that the function returns; num_words 0: one 64-bit value.
 */
void px_call_library(struct px_module *m, const struct px_inst *in, const char *name,
		     const struct px_opn *args, uint32_t n, px_val *words, unsigned num_words);
/* At a function's entry: copies parameters out of the ABI's registers. */
void px_receive_params(struct px_module *m, struct px_proto *p);
/* At the end of a body: makes the one block that returns. */
void px_end_body(struct px_module *m, struct px_proto *p);

#endif
