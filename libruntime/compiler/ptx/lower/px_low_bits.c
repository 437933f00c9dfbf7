/* SPDX-License-Identifier: MIT */
/* Logic, shifts, bit fields. */
#include "compiler/ptx/lower/px_low.h"

static void pred_logic(struct px_module *m, const struct px_inst *in)
{
	struct px_insn *i;
	struct px_predref a = px_pred_src(m, &in->o[1]), b = px_pred_src(m, &in->o[2]);

	i = px_emit(m, in, PPU_OP_PLOP, PPU_T_NONE);
	i->m = in->op == PX_OP_and ? PPU_PLOP_AND : in->op == PX_OP_or ? PPU_PLOP_OR : PPU_PLOP_XOR;
	i->ps = a;
	i->pq = b;
	i->pd = px_pred_dst(m, &in->o[0]);
}

void px_low_logic(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);

	if (pt == PT_PRED) {
		pred_logic(m, in);
		return;
	}
	if (!px_check_type(m, in, pt, PX_TS_B))
		return;
	px_two(m, in, in->op == PX_OP_and ? PPU_OP_AND : in->op == PX_OP_or ? PPU_OP_OR : PPU_OP_XOR,
	       px_isa_type(pt), pt, pt, pt);
}

void px_low_not(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_insn *i;

	if (pt == PT_PRED) {
		struct px_predref a = px_pred_src(m, &in->o[1]);

		i = px_emit(m, in, PPU_OP_PLOP, PPU_T_NONE);
		i->m = PPU_PLOP_MOV;
		i->ps = a;
		i->ps.neg = !i->ps.neg;
		i->pd = px_pred_dst(m, &in->o[0]);
	} else if (px_check_type(m, in, pt, PX_TS_B)) {
		struct px_opnd a = px_src(m, in, 1, pt);

		i = px_emit(m, in, PPU_OP_NOT, px_isa_type(pt));
		i->s[0] = a;
		i->d = px_dst(m, in, 0, pt);
	}
}

/* lop3.or d|p, a, b, c, table, q: p is (d != 0) or q. */
static void lop3_bool(struct px_module *m, const struct px_inst *in, px_val d)
{
	struct px_predref q = px_pred_src(m, &in->o[5]);
	struct px_insn *i;

	if (!in->o[0].pipe) {
		px_error(m->px, in->loc, "'lop3' with .and, .or or .xor writes d|p");
		return;
	}
	i = px_emit(m, in, PPU_OP_SETP, PPU_T_U32);
	i->m = PPU_CMP_NE;
	i->s[0] = px_reg(d);
	i->s[1] = px_imm(0);
	i->x = px_has(in, PM_and) ? PPU_BOOL_AND : px_has(in, PM_or) ? PPU_BOOL_OR : PPU_BOOL_XOR;
	i->ps = q;
	i->pd = px_pred_dst(m, in->o[0].pipe);
}

void px_low_lop3(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32),
		       c = px_src(m, in, 3, PT_B32);
	bool with_pred = px_has(in, PM_and) || px_has(in, PM_or) || px_has(in, PM_xor);
	struct px_insn *i;

	if (in->o[4].kind != OP_IMM || in->o[4].imm < 0 || in->o[4].imm > 255) {
		px_error(m->px, in->o[4].loc, "the truth table of 'lop3' must be a constant from 0 to 255");
		return;
	}
	if ((in->n == 6) != with_pred) {
		px_error(m->px, in->loc, "'lop3' with a predicate operand needs .and, .or or .xor, and they need one");
		return;
	}
	i = px_emit(m, in, PPU_OP_LOP3, PPU_T_U32);
	i->s[0] = a;
	i->s[1] = b;
	i->s[2] = c;
	i->y = (uint8_t)in->o[4].imm;
	i->d = px_dst(m, in, 0, PT_B32);
	if (!with_pred)
		return;
	if (!i->d)
		i->d = px_tmp(m, 1);
	lop3_bool(m, in, i->d);
}

void px_low_shift(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);

	if (!px_check_type(m, in, pt, in->op == PX_OP_shl ? PX_TS_B : PX_TS_B | PX_TS_I))
		return;
	px_two(m, in, in->op == PX_OP_shl ? PPU_OP_SHL : PPU_OP_SHR, px_isa_type(pt), pt, PT_U32, pt);
}

void px_low_shf(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32),
		       c = px_src(m, in, 3, PT_U32);

	px_ternary(m, in, PPU_OP_SHF, PPU_T_U32, a, b, c, PT_B32);
	m->cur->last->m = (uint8_t)((px_has(in, PM_r) ? PPU_SHF_R : 0) |
				    (px_has(in, PM_clamp) ? PPU_SHF_CLAMP : 0));
}

/* Position and length of a bit field in one operand. */
static struct px_opnd field(struct px_module *m, struct px_opnd pos, struct px_opnd len)
{
	struct px_insn *i;

	if (pos.kind == PO_IMM && len.kind == PO_IMM)
		return px_imm((pos.imm & 0xff) | (len.imm & 0xff) << 8);
	i = px_temp(m, PPU_OP_PRMT, PPU_T_U32);
	i->s[0] = pos;
	i->s[1] = len;
	i->s[2] = px_imm(0x40);		/* byte 0 of pos, byte 0 of len */
	i->d = px_tmp(m, 1);
	return px_reg(i->d);
}

void px_low_bfe(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, f;

	if (!px_check_type(m, in, pt, PX_TS_I32 | PX_TS_I64))
		return;
	a = px_src(m, in, 1, pt);
	f = px_src(m, in, 2, PT_U32);
	f = field(m, f, px_src(m, in, 3, PT_U32));
	px_ternary(m, in, PPU_OP_BFE, px_isa_type(pt), a, f, (struct px_opnd){ 0 }, pt);
}

void px_low_bfi(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, b, f;

	if (!px_check_type(m, in, pt, PX_TB(B32) | PX_TB(B64)))
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	f = px_src(m, in, 3, PT_U32);
	f = field(m, f, px_src(m, in, 4, PT_U32));
	px_ternary(m, in, PPU_OP_BFI, px_isa_type(pt), a, b, f, pt);
}

void px_low_prmt(struct px_module *m, const struct px_inst *in)
{
	static const uint16_t mode[] = { PM_f4e, PM_b4e, PM_rc8, PM_ecl, PM_ecr, PM_rc16 };
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32),
		       c = px_src(m, in, 3, PT_B32);
	unsigned k;

	px_ternary(m, in, PPU_OP_PRMT, PPU_T_U32, a, b, c, PT_B32);
	for (k = 0; k < PX_ARRAY_SIZE(mode); k++)
		if (px_has(in, mode[k]))
			m->cur->last->m = (uint8_t)(k + 1);
}

void px_low_bmsk(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32);

	px_ternary(m, in, PPU_OP_BMSK, PPU_T_U32, a, b, (struct px_opnd){ 0 }, PT_B32);
	m->cur->last->m = px_has(in, PM_wrap);
}

/* Sign- or zero-extend the low b bits of a: a bit field extract at position 0. */
void px_low_szext(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_opnd a = px_src(m, in, 1, pt), b = px_src(m, in, 2, PT_U32);
	struct px_insn *i;

	if (!pt)
		return;
	i = px_temp(m, px_has(in, PM_wrap) ? PPU_OP_AND : PPU_OP_MIN, PPU_T_U32);
	i->s[0] = b;
	i->s[1] = px_imm(px_has(in, PM_wrap) ? 31 : 32);
	i->d = px_tmp(m, 1);
	b = field(m, px_imm(0), px_reg(i->d));
	px_ternary(m, in, PPU_OP_BFE, px_isa_type(pt), a, b, (struct px_opnd){ 0 }, pt);
}
