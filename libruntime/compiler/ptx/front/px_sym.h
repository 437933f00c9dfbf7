/* SPDX-License-Identifier: MIT */
/* Symbols: scopes, parameterised registers, labels with forward references. */
#ifndef PX_SYM_H
#define PX_SYM_H

#include "compiler/ptx/ir/px_ir.h"

struct px_module;

enum px_sym_kind {
	SY_REG,		/* one register */
	SY_REGS,	/* prefix<count>: registers are made on first use */
	SY_VAR,		/* memory variable */
	SY_FUNC,	/* .entry or .func */
	SY_LABEL,
	SY_PROTO,	/* .callprototype */
	SY_TARGETS,	/* .branchtargets, .calltargets */
};

enum px_space {
	SP_GLOBAL, SP_CONST, SP_SHARED, SP_LOCAL,
	SP_KPARAM,	/* parameter of a kernel */
	SP_FPARAM,	/* parameter or result of a function, formal or of a call */
};

#define PX_MAX_DIMS	8	/* of an array; inner lists of initial values nested deeper are not padded with zeros */

struct px_var {
	uint8_t space;
	uint8_t type;		/* of one element */
	uint64_t size;		/* bytes; 0 unsized extern array */
	uint32_t align;
	uint32_t elem;		/* bytes of one element, a whole vector of .v2 and .v4 */
	uint32_t num_dims;
	uint64_t dim[PX_MAX_DIMS];
	bool is_array;
	bool is_extern;		/* shared: dynamic */
	uint32_t symbol;	/* GLOBAL, CONST, SHARED: image symbol */
	uint32_t offset;	/* KPARAM: in parameter memory */
	uint32_t slot;		/* LOCAL; FPARAM in memory: frame slot */
	px_val val;		/* FPARAM in registers */
	bool bound;		/* FPARAM of a call: the outgoing offset is chosen */
	bool formal;
	bool spilled;		/* FPARAM: its address was taken, slot holds a copy */
};

struct px_proto {		/* formal or prototype parameters, results first */
	struct px_sym **rets, **params;
	uint32_t num_rets, num_params, cap_rets, cap_params;
	bool noreturn;
};

struct px_sym {
	uint8_t kind;
	uint8_t type;		/* registers */
	struct px_str *name;
	struct px_sym *outer;	/* hidden symbol of the same name */
	struct px_sym *scope_next;
	uint32_t depth;
	struct px_loc loc;
	px_val val;		/* SY_REG */
	uint32_t count;		/* SY_REGS */
	uint32_t vtype;		/* vector registers: 1, 2, 4 */
	px_val velem[4];
	struct px_var *var;
	/* functions */
	bool is_kernel, has_body;
	uint32_t symbol;
	struct px_proto *proto;
	/* labels and target lists */
	struct px_block *block;
	bool defined;
	struct px_str **list;
	uint32_t num_list, cap_list;
};

struct px_sym *px_declare(struct px_module *m, struct px_str *name, unsigned kind, struct px_loc loc);
struct px_sym *px_lookup(struct px_module *m, struct px_str *name);
void px_push_scope(struct px_module *m);
void px_pop_scope(struct px_module *m);
struct px_sym *px_label_ref(struct px_module *m, struct px_str *name, struct px_loc loc);
/* Starts a new block at a label. */
void px_label_def(struct px_module *m, struct px_str *name, struct px_loc loc);

#endif
