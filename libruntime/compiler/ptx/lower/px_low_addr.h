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

/* Space of an access: PPU_SPACE_*; *func_param: .param inside a function. */
unsigned px_space_of(struct px_module *m, const struct px_inst *in, bool *func_param);
/* The address that an operand is.  False: reported. */
bool px_address(struct px_module *m, const struct px_inst *in, const struct px_opn *o, struct px_addr *a);
void px_set_addr(struct px_insn *i, const struct px_addr *a);
/* PPU_SEM_* and PPU_SCOPE_*; plain: without a modifier. */
unsigned px_sem_scope(struct px_module *m, const struct px_inst *in, unsigned plain);

#endif
