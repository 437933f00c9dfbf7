/* SPDX-License-Identifier: MIT */
/* Numbers and operands. */
#ifndef PPU_AS_OPERAND_H
#define PPU_AS_OPERAND_H

#include "compiler/asm/as.h"

enum as_operand_kind { AS_O_REG, AS_O_PRED, AS_O_INT, AS_O_FLOAT, AS_O_SYM, AS_O_MEM, AS_O_SREG };
struct as_operand {
	enum as_operand_kind kind;
	const char *at;
	unsigned num, width;	/* register or predicate; width 0: rz */
	unsigned neg, abs;
	uint64_t value;		/* magnitude with sign applied, two's complement */
	int negative;
	double f;
	struct as_span sym;
	int quoted;
	int64_t addend;
	int has_base;
};

/* Number: 12, -7, 0x1f, 1.5, -2e3.  Returns 0 after an error. */
int as_number(struct as *a, struct as_operand *o);
/* An unsigned number up to max. */
int as_natural(struct as *a, uint64_t max, uint64_t *v);
/* Reads a register or predicate: rN rdN rqN rz pN pt !pN.  1: it is one; -1: its number is too high, which is
 * reported; 0: it is something else. */
int as_reg_or_pred(struct as *a, struct as_operand *o);
/* name or "name", then optional +N or -N.  0 after an error. */
int as_symbol_ref(struct as *a, struct as_operand *o);
/* Any operand, recognised by its own form.  0 after an error. */
int as_operand(struct as *a, struct as_operand *o);
/* The 32 bits of an immediate operand of type t. */
int as_imm_value(struct as *a, const struct as_operand *o, unsigned t, uint32_t *v);

#endif
