/* SPDX-License-Identifier: MIT */
/* What mbarrier objects, bulk copies and copies of tensors share: operands of library calls, arrivals. */
#ifndef PX_LOW_ASYNC_H
#define PX_LOW_ASYNC_H

#include "compiler/ptx/lower/px_low.h"

struct px_opn px_reg_opn(const struct px_inst *in, px_val v, unsigned type);
struct px_opn px_const_opn(const struct px_inst *in, uint32_t v);
/* Operand k, 32 bits, in a register. */
struct px_opn px_word_opn(struct px_module *m, const struct px_inst *in, unsigned k);
struct px_opn px_negated(struct px_module *m, const struct px_inst *in, struct px_opn v);
bool px_names_shared(const struct px_inst *in);
/* [a] as a generic address; shared: a is an offset in shared memory.  False: reported. */
bool px_generic_opn(struct px_module *m, const struct px_inst *in, const struct px_opn *o, bool shared, struct px_opn *out);
/* Calls the library: `count` threads arrive, `drop` of them take no part in later phases, and `tx` more bytes are
 * to come. */
void px_arrive(struct px_module *m, const struct px_inst *in, struct px_opn object, struct px_opn count, struct px_opn drop,
	       struct px_opn tx, const struct px_opn *state);
/* Operand k, 16 bits: a mask of the CTAs of a cluster. */
px_val px_cta_mask(struct px_module *m, const struct px_inst *in, unsigned k);
/* PPU_REDUCE_*, of the modifiers. */
unsigned px_reduce_op(const struct px_inst *in);
/* st.async, red.async: `plain` with the first two operands, then the object of the third one gets the bytes. */
void px_low_async(struct px_module *m, const struct px_inst *in, px_lower_fn *plain);
/* What begins with cp.async.bulk or cp.reduce.async.bulk, and those of them with .tensor. */
void px_low_bulk(struct px_module *m, const struct px_inst *in);
void px_low_tensor(struct px_module *m, const struct px_inst *in);

#endif
