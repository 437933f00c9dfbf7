/* SPDX-License-Identifier: MIT */
/* One instruction as it is written. */
#ifndef PX_INST_H
#define PX_INST_H

#include "compiler/ptx/front/px_ops.h"
#include "compiler/ptx/front/px_type.h"
#include "compiler/ptx/ir/px_ir.h"

struct px_module;
struct px_sym;
struct px_call;
struct px_texture_opns;

enum px_opn_kind {
	OP_REG, OP_IMM, OP_FLOAT, OP_SREG, OP_SYM, OP_ADDR, OP_VEC, OP_SINK, OP_NAME,
};

/* One operand as written. */
struct px_opn {
	uint8_t kind;
	uint8_t type;		/* register's declared type */
	bool neg;		/* !p */
	bool single;		/* OP_FLOAT: 0f bits in imm, else 0d bits */
	bool has_base;		/* OP_ADDR: register base */
	struct px_loc loc;
	px_val v;
	int64_t imm;		/* value, offset */
	struct px_sym *sym;	/* OP_SYM, OP_ADDR */
	bool elem;		/* OP_SYM: var[index], which names memory as [var+offset] does */
	px_val index;		/* OP_SYM, OP_ADDR: with a register in the index: that, the bytes of one step, its type */
	uint64_t step;
	uint8_t index_type;
	struct px_str *name;	/* OP_NAME: not declared (yet) */
	unsigned sreg;
	struct px_opn *vec;	/* OP_VEC */
	uint32_t nvec;
	struct px_opn *pipe;	/* d|p */
	struct px_str *part;	/* video instructions: "b0" of a.b0 */
};

#define PX_MAX_OPNS	10

struct px_inst {
	struct px_str *name;
	struct px_loc loc;
	unsigned op;		/* enum px_opcode */
	uint64_t mods[(PM_COUNT + 63) / 64];
	uint8_t types[4];
	unsigned num_types;
	unsigned num_mods;
	uint16_t layouts[2];	/* .row and .col in the order in which they are written; 0: none */
	struct px_opn guard;	/* kind OP_REG; v 0: there is no guard */
	struct px_opn o[PX_MAX_OPNS];
	unsigned n;
	struct px_call *call;	/* operands of call, tex, suld, ..., which have a syntax of their own (px_forms.h) */
	struct px_texture_opns *texture;
};

static inline bool px_has(const struct px_inst *i, unsigned mod)
{
	return i->mods[mod / 64] >> (mod % 64) & 1;
}

bool px_parse_opn(struct px_module *m, struct px_opn *o);
/* Reads one instruction and translates it. */
void px_parse_inst(struct px_module *m);

#endif
