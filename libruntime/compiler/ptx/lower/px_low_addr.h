/* SPDX-License-Identifier: MIT */
/* Addresses in [ ], state spaces, memory orders: what loads, stores and atomics share. */
#ifndef PX_LOW_ADDR_H
#define PX_LOW_ADDR_H

#include "compiler/ptx/front/px_inst.h"
#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/ir/px_ir.h"

struct px_addr {
	struct px_opnd base;
	int64_t off;
	uint8_t ref;
	uint32_t sym;
	unsigned space;
};

/* Space of an access: PPU_SPACE_*; *func_param: the access is to .param inside a function. */
unsigned px_space_of(struct px_module *m, const struct px_inst *in, bool *func_param);
/* The address that operand o stands for.  False: reported. */
bool px_address(struct px_module *m, const struct px_inst *in, const struct px_opn *o, struct px_addr *a);
/*
 * The address of operand o in a register of its own of 1 or 2 words, which no destination of the instruction can be; for
 * instructions that access memory more than once.  *space: the space that the instruction names, or the generic one;
 * afterwards, that of a variable.  A variable must be in shared memory, or with 2 words in global memory.
 * 0: no such address; reported.
 */
px_val px_address_value(struct px_module *m, const struct px_opn *o, unsigned width, unsigned *space);
void px_set_addr(struct px_insn *i, const struct px_addr *a);
/* Memory order and scope: PPU_MO_* | PPU_SCOPE_*.  plain: the order of an instruction without a modifier for it. */
unsigned px_sem_scope(struct px_module *m, const struct px_inst *in, unsigned plain);

#endif
