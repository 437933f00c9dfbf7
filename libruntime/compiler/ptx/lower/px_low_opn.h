/* SPDX-License-Identifier: MIT */
/* Operands of PTX instructions as operands of the IR; checks of their types. */
#ifndef PX_LOW_OPN_H
#define PX_LOW_OPN_H

#include "compiler/ptx/front/px_inst.h"
#include "compiler/ptx/ir/px_ir.h"

struct px_module;

/* Operand i as a source of type pt: register of that size, constant, special register, address. */
struct px_opnd px_src(struct px_module *m, const struct px_inst *in, unsigned i, unsigned pt);
struct px_opnd px_src_opn(struct px_module *m, const struct px_opn *o, unsigned pt);
/* The same for ld, st, cvt: a register may be wider than the type. */
struct px_opnd px_src_wide(struct px_module *m, const struct px_opn *o, unsigned pt);
px_val px_dst(struct px_module *m, const struct px_inst *in, unsigned i, unsigned pt);
px_val px_dst_opn(struct px_module *m, const struct px_opn *o, unsigned pt);
/* Destination of ld and cvt, whose register may be wider than the type; *extend: px_widen() must follow. */
px_val px_dst_wide(struct px_module *m, const struct px_opn *o, unsigned pt, bool *extend);
/* Operand 0 of type dt = operand 1 of type at, op, operand 2 of type bt; t: the type of op (PPU_T_*). */
struct px_insn *px_two(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t, unsigned at,
		       unsigned bt, unsigned dt);
/* op with three sources, into operand 0 of type dt. */
void px_ternary(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t,
		struct px_opnd a, struct px_opnd b, struct px_opnd c, unsigned dt);
/* Predicate operand; constants 0 and 1 allowed. */
struct px_predref px_pred_src(struct px_module *m, const struct px_opn *o);
px_val px_pred_dst(struct px_module *m, const struct px_opn *o);
/* Address of a variable as a 64-bit value, or 32-bit offset in its space. */
struct px_opnd px_sym_addr(struct px_module *m, const struct px_opn *o, unsigned width);
unsigned px_rnd(const struct px_inst *in);
unsigned px_one_type(struct px_module *m, const struct px_inst *in);
/* Reports that the instruction does not have this type (or form). */
void px_bad_type(struct px_module *m, const struct px_inst *in, unsigned pt);
bool px_check_type(struct px_module *m, const struct px_inst *in, unsigned pt, uint32_t set);
#define PX_TB(t)	(1u << PT_##t)
#define PX_TS_B		(PX_TB(B16) | PX_TB(B32) | PX_TB(B64))
#define PX_TS_U		(PX_TB(U16) | PX_TB(U32) | PX_TB(U64))
#define PX_TS_S		(PX_TB(S16) | PX_TB(S32) | PX_TB(S64))
#define PX_TS_I		(PX_TS_U | PX_TS_S)
#define PX_TS_I32	(PX_TB(U32) | PX_TB(S32))
#define PX_TS_I64	(PX_TB(U64) | PX_TB(S64))
#define PX_TS_F		(PX_TB(F32) | PX_TB(F64))
#define PX_TS_H		(PX_TB(F16) | PX_TB(F16X2) | PX_TB(BF16) | PX_TB(BF16X2))
#define PX_TS_NUM	(PX_TS_I | PX_TS_F | PX_TS_H)
#define PX_TS_8		(PX_TB(B8) | PX_TB(U8) | PX_TB(S8))

#endif
