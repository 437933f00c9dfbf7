/* SPDX-License-Identifier: MIT */
/* Arithmetic, logic, comparison, selection. */
#include "compiler/ptx/lower/lower.h"

#define TS_NUM	(PX_TS_I | PX_TS_F | PX_TS_H)
#define TS_I32	(PX_TB(U32) | PX_TB(S32))
#define TS_I64	(PX_TB(U64) | PX_TB(S64))

static void float_mods(struct px_insn *i, const struct px_inst *in)
{
	i->rnd = (uint8_t)px_rnd(in);
	i->ftz = px_has(in, PM_ftz);
	i->sat = px_has(in, PM_sat);
}

/* Rounding, ftz and sat belong to some types only. */
static bool check_float_mods(struct px_module *m, const struct px_inst *in, unsigned pt)
{
	bool rnd = px_has(in, PM_rz) || px_has(in, PM_rm) || px_has(in, PM_rp);

	if ((rnd && pt != PT_F32 && pt != PT_F64) ||
	    (px_has(in, PM_ftz) && (!px_type_float(pt) || pt == PT_F64))) {
		px_error(m->px, in->loc, "'%s' of type .%s takes no rounding other than .rn and no .ftz",
			 in->name->s, px_type_text(pt));
		return false;
	}
	if (px_has(in, PM_sat) && pt != PT_F32 && pt != PT_F16 && pt != PT_F16X2 && pt != PT_S32) {
		px_error(m->px, in->loc, "'%s' of type .%s takes no .sat", in->name->s,
			 px_type_text(pt));
		return false;
	}
	return true;
}

static void carry(struct px_module *m, const struct px_inst *in, struct px_insn *i, bool with_in)
{
	if (px_has(in, PM_cc)) {
		i->m |= PPU_CARRY_OUT;
		i->pd = px_carry(m);
	}
	if (with_in) {
		i->m |= PPU_CARRY_IN;
		i->ps.v = px_carry(m);
	}
}

void px_low_add(struct px_module *m, const struct px_inst *in)
{
	bool with_in = in->op == PX_OP_addc || in->op == PX_OP_subc;
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, b;
	struct px_insn *i;

	if (!with_in && px_low_pair(m, in, pt))
		return;
	if (!px_check_type(m, in, pt, with_in || px_has(in, PM_cc) ? TS_I32 | TS_I64 : TS_NUM) ||
	    !check_float_mods(m, in, pt))
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	i = px_emit(m, in, in->op == PX_OP_add || in->op == PX_OP_addc ? PPU_OP_ADD : PPU_OP_SUB,
		    px_isa_type(pt));
	i->s[0] = a;
	i->s[1] = b;
	i->d = px_dst(m, in, 0, pt);
	float_mods(i, in);
	carry(m, in, i, with_in);
}

static unsigned wide_type(unsigned pt)
{
	switch (pt) {
	case PT_U16: return PT_U32;
	case PT_S16: return PT_S32;
	case PT_U32: return PT_U64;
	case PT_S32: return PT_S64;
	default: return PT_NONE;
	}
}

void px_low_mul(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), dt = pt, op = PPU_OP_MUL;
	struct px_opnd a, b;
	struct px_insn *i;

	if (px_low_pair(m, in, pt))
		return;
	if (!px_check_type(m, in, pt, TS_NUM) || !check_float_mods(m, in, pt))
		return;
	if (px_has(in, PM_hi) || px_has(in, PM_wide)) {
		op = px_has(in, PM_hi) ? PPU_OP_MULHI : PPU_OP_MULW;
		dt = px_has(in, PM_hi) ? pt : wide_type(pt);
		if (px_type_float(pt) || !dt) {
			px_bad_type(m, in, pt);
			return;
		}
	} else if (!px_type_float(pt) && !px_has(in, PM_lo)) {
		px_error(m->px, in->loc, "integer 'mul' needs .lo, .hi or .wide");
		return;
	}
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	i = px_emit(m, in, op, px_isa_type(pt));
	i->s[0] = a;
	i->s[1] = b;
	i->d = px_dst(m, in, 0, dt);
	float_mods(i, in);
}

void px_low_fma(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), k;
	struct px_opnd s[3];
	struct px_insn *i;

	if (px_low_pair(m, in, pt))
		return;
	if (!px_check_type(m, in, pt, PX_TS_F | PX_TS_H) || !check_float_mods(m, in, pt))
		return;
	for (k = 0; k < 3; k++)
		s[k] = px_src(m, in, k + 1, pt);
	i = px_emit(m, in, PPU_OP_FMA, px_isa_type(pt));
	for (k = 0; k < 3; k++)
		i->s[k] = s[k];
	i->d = px_dst(m, in, 0, pt);
	i->y = px_has(in, PM_relu);
	float_mods(i, in);
}

void px_low_mad(struct px_module *m, const struct px_inst *in)
{
	bool with_in = in->op == PX_OP_madc;
	unsigned pt = px_one_type(m, in), dt = pt, op = PPU_OP_MAD, k;
	struct px_opnd s[3];
	struct px_insn *i;

	if (px_type_float(pt) && !with_in && !px_has(in, PM_cc)) {
		px_low_fma(m, in);	/* mad.f32 is fma since sm_20 */
		return;
	}
	if (!px_check_type(m, in, pt, with_in || px_has(in, PM_cc) ? TS_I32 | TS_I64 : PX_TS_I))
		return;
	if (px_has(in, PM_hi)) {
		op = PPU_OP_MADHI;
	} else if (px_has(in, PM_wide)) {
		op = PPU_OP_MADW;
		dt = wide_type(pt);
	} else if (!px_has(in, PM_lo)) {
		px_error(m->px, in->loc, "integer '%s' needs .lo, .hi or .wide", in->name->s);
		return;
	}
	if (!dt || (px_has(in, PM_sat) && (op != PPU_OP_MADHI || pt != PT_S32)) ||
	    (op == PPU_OP_MADW && (with_in || px_has(in, PM_cc)))) {
		px_bad_type(m, in, pt);
		return;
	}
	for (k = 0; k < 3; k++)
		s[k] = px_src(m, in, k + 1, k == 2 ? dt : pt);
	i = px_emit(m, in, op, px_isa_type(pt));
	for (k = 0; k < 3; k++)
		i->s[k] = s[k];
	i->d = px_dst(m, in, 0, dt);
	i->sat = px_has(in, PM_sat);
	carry(m, in, i, with_in);
}

void px_low_mul24(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), k, n = in->op == PX_OP_mad24 ? 3 : 2;
	struct px_opnd s[3];
	struct px_insn *i;

	if (!px_check_type(m, in, pt, TS_I32))
		return;
	for (k = 0; k < n; k++)
		s[k] = px_src(m, in, k + 1, pt);
	i = px_emit(m, in, n == 3 ? PPU_OP_MAD24 : PPU_OP_MUL24, px_isa_type(pt));
	for (k = 0; k < n; k++)
		i->s[k] = s[k];
	i->m = px_has(in, PM_hi);
	i->sat = px_has(in, PM_sat);
	i->d = px_dst(m, in, 0, pt);
}

void px_low_div(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, b;
	struct px_insn *i;

	if (!px_check_type(m, in, pt, in->op == PX_OP_rem ? PX_TS_I : PX_TS_I | PX_TS_F) ||
	    !check_float_mods(m, in, pt))
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	i = px_emit(m, in, in->op == PX_OP_rem ? PPU_OP_REM : PPU_OP_DIV, px_isa_type(pt));
	i->s[0] = a;
	i->s[1] = b;
	i->d = px_dst(m, in, 0, pt);
	float_mods(i, in);
	if (px_has(in, PM_approx) || px_has(in, PM_full))
		i->m = PPU_FN_APPROX;
}

static struct px_insn *minmax(struct px_module *m, const struct px_inst *in, unsigned pt, px_val d,
			      struct px_opnd a, struct px_opnd b)
{
	struct px_insn *i = px_emit(m, in, in->op == PX_OP_min ? PPU_OP_MIN : PPU_OP_MAX, px_isa_type(pt));

	i->s[0] = a;
	i->s[1] = b;
	i->ftz = px_has(in, PM_ftz);
	i->y = (uint8_t)((px_has(in, PM_NaN) || px_has(in, PM_nan) ? PPU_MINMAX_NAN : 0) |
			 (px_has(in, PM_xorsign) ? 2 : 0));
	i->d = d;
	return i;
}

void px_low_minmax(struct px_module *m, const struct px_inst *in)
{
	bool three = in->n == 4, relu = px_has(in, PM_relu);
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, b, c;
	px_val t;

	if (px_low_pair(m, in, pt))
		return;
	if (!px_check_type(m, in, pt, three ? PX_TB(F32) : relu ? PX_TB(S32) : TS_NUM) ||
	    !check_float_mods(m, in, pt))
		return;
	if (three && px_has(in, PM_xorsign)) {
		px_error(m->px, in->loc, "'%s' of three sources takes no .xorsign", in->name->s);
		return;
	}
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	if (!three && !relu) {
		minmax(m, in, pt, px_dst(m, in, 0, pt), a, b);
		return;
	}
	c = three ? px_src(m, in, 3, pt) : px_imm(0);
	t = px_tmp(m, 1);
	minmax(m, in, pt, t, a, b);
	minmax(m, in, pt, px_dst(m, in, 0, pt), px_reg(t), c)->op =
		relu || in->op == PX_OP_max ? PPU_OP_MAX : PPU_OP_MIN;
}

/* d = f(a): opcode, types, type of the result when not the operand's. */
static const struct {
	uint8_t px, isa;
	uint32_t types;
	uint8_t dt;
} unary[] = {
	{ PX_OP_neg, PPU_OP_NEG, PX_TS_S | PX_TS_F | PX_TS_H, 0 },
	{ PX_OP_abs, PPU_OP_ABS, PX_TS_S | PX_TS_F | PX_TS_H, 0 },
	{ PX_OP_rcp, PPU_OP_RCP, PX_TS_F, 0 },
	{ PX_OP_sqrt, PPU_OP_SQRT, PX_TS_F, 0 },
	{ PX_OP_rsqrt, PPU_OP_RSQRT, PX_TS_F, 0 },
	{ PX_OP_sin, PPU_OP_SIN, PX_TB(F32), 0 },
	{ PX_OP_cos, PPU_OP_COS, PX_TB(F32), 0 },
	{ PX_OP_ex2, PPU_OP_EX2, PX_TB(F32) | PX_TS_H, 0 },
	{ PX_OP_lg2, PPU_OP_LG2, PX_TB(F32), 0 },
	{ PX_OP_tanh, PPU_OP_TANH, PX_TB(F32) | PX_TS_H, 0 },
	{ PX_OP_cnot, PPU_OP_CNOT, PX_TS_B, 0 },
	{ PX_OP_popc, PPU_OP_POPC, PX_TB(B32) | PX_TB(B64), PT_U32 },
	{ PX_OP_clz, PPU_OP_CLZ, PX_TB(B32) | PX_TB(B64), PT_U32 },
	{ PX_OP_brev, PPU_OP_BREV, PX_TB(B32) | PX_TB(B64), 0 },
	{ PX_OP_bfind, PPU_OP_BFIND, TS_I32 | TS_I64, PT_U32 },
};

void px_low_unary(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), k;
	struct px_insn *i;
	struct px_opnd a;

	for (k = 0; unary[k].px != in->op; k++)
		;
	if (!px_check_type(m, in, pt, unary[k].types))
		return;
	if (px_has(in, PM_ftz) && pt == PT_F64 && unary[k].isa != PPU_OP_RCP &&
	    unary[k].isa != PPU_OP_RSQRT) {
		px_error(m->px, in->loc, "'%s.f64' takes no .ftz", in->name->s);
		return;
	}
	a = px_src(m, in, 1, pt);
	i = px_emit(m, in, unary[k].isa, px_isa_type(pt));
	i->s[0] = a;
	i->d = px_dst(m, in, 0, unary[k].dt ? unary[k].dt : pt);
	i->ftz = px_has(in, PM_ftz);
	i->rnd = (uint8_t)px_rnd(in);
	if (px_has(in, PM_shiftamt))
		i->m = 1;
	if (px_has(in, PM_approx))
		i->m = PPU_FN_APPROX;
}

void px_low_copysign(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, b;
	struct px_insn *i;

	if (!px_check_type(m, in, pt, PX_TS_F))
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	i = px_emit(m, in, PPU_OP_COPYSIGN, px_isa_type(pt));
	i->s[0] = a;
	i->s[1] = b;
	i->d = px_dst(m, in, 0, pt);
}

void px_low_testp(struct px_module *m, const struct px_inst *in)
{
	static const uint16_t class[] = { PM_finite, PM_infinite, PM_number, PM_notanumber,
					  PM_normal, PM_subnormal };
	unsigned pt = px_one_type(m, in), k;
	struct px_opnd a;
	struct px_insn *i;

	if (!px_check_type(m, in, pt, PX_TS_F))
		return;
	for (k = 0; k < PX_ARRAY_SIZE(class) && !px_has(in, class[k]); k++)
		;
	if (k == PX_ARRAY_SIZE(class)) {
		px_error(m->px, in->loc, "'testp' needs a class, such as .finite");
		return;
	}
	a = px_src(m, in, 1, pt);
	i = px_emit(m, in, PPU_OP_TESTP, px_isa_type(pt));
	i->s[0] = a;
	i->m = (uint8_t)k;
	i->pd = px_pred_dst(m, &in->o[0]);
}

/* ---- bits ---- */

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
	struct px_opnd a, b;
	struct px_insn *i;

	if (pt == PT_PRED) {
		pred_logic(m, in);
		return;
	}
	if (!px_check_type(m, in, pt, PX_TS_B))
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	i = px_emit(m, in, in->op == PX_OP_and ? PPU_OP_AND : in->op == PX_OP_or ? PPU_OP_OR :
		    PPU_OP_XOR, px_isa_type(pt));
	i->s[0] = a;
	i->s[1] = b;
	i->d = px_dst(m, in, 0, pt);
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

static void ternary(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t,
		    struct px_opnd a, struct px_opnd b, struct px_opnd c, unsigned dt)
{
	struct px_insn *i = px_emit(m, in, op, t);

	i->s[0] = a;
	i->s[1] = b;
	i->s[2] = c;
	i->d = px_dst(m, in, 0, dt);
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
	struct px_opnd a, b;
	struct px_insn *i;

	if (!px_check_type(m, in, pt, in->op == PX_OP_shl ? PX_TS_B : PX_TS_B | PX_TS_I))
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, PT_U32);
	i = px_emit(m, in, in->op == PX_OP_shl ? PPU_OP_SHL : PPU_OP_SHR, px_isa_type(pt));
	i->s[0] = a;
	i->s[1] = b;
	i->d = px_dst(m, in, 0, pt);
}

void px_low_shf(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32),
		       c = px_src(m, in, 3, PT_U32);

	ternary(m, in, PPU_OP_SHF, PPU_T_U32, a, b, c, PT_B32);
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

	if (!px_check_type(m, in, pt, TS_I32 | TS_I64))
		return;
	a = px_src(m, in, 1, pt);
	f = px_src(m, in, 2, PT_U32);
	f = field(m, f, px_src(m, in, 3, PT_U32));
	ternary(m, in, PPU_OP_BFE, px_isa_type(pt), a, f, (struct px_opnd){ 0 }, pt);
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
	ternary(m, in, PPU_OP_BFI, px_isa_type(pt), a, b, f, pt);
}

void px_low_prmt(struct px_module *m, const struct px_inst *in)
{
	static const uint16_t mode[] = { PM_f4e, PM_b4e, PM_rc8, PM_ecl, PM_ecr, PM_rc16 };
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32),
		       c = px_src(m, in, 3, PT_B32);
	unsigned k;

	ternary(m, in, PPU_OP_PRMT, PPU_T_U32, a, b, c, PT_B32);
	for (k = 0; k < PX_ARRAY_SIZE(mode); k++)
		if (px_has(in, mode[k]))
			m->cur->last->m = (uint8_t)(k + 1);
}

void px_low_bmsk(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32);

	ternary(m, in, PPU_OP_BMSK, PPU_T_U32, a, b, (struct px_opnd){ 0 }, PT_B32);
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
	ternary(m, in, PPU_OP_BFE, px_isa_type(pt), a, b, (struct px_opnd){ 0 }, pt);
}

void px_low_sad(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, b, c;

	if (!px_check_type(m, in, pt, PX_TS_I))
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	c = px_src(m, in, 3, pt);
	ternary(m, in, PPU_OP_SAD, px_isa_type(pt), a, b, c, pt);
}

void px_low_dp(struct px_module *m, const struct px_inst *in)
{
	unsigned at = in->types[0], bt = in->types[1], dt;
	struct px_opnd a, b, c;

	if (in->num_types != 2) {
		px_error(m->px, in->loc, "'%s' needs two types, of a and of b", in->name->s);
		return;
	}
	dt = at == PT_S32 || bt == PT_S32 ? PT_S32 : PT_U32;
	a = px_src(m, in, 1, PT_B32);
	b = px_src(m, in, 2, PT_B32);
	c = px_src(m, in, 3, dt);
	ternary(m, in, in->op == PX_OP_dp4a ? PPU_OP_DP4A : PPU_OP_DP2A, px_isa_type(at), a, b, c, dt);
	m->cur->last->u = (uint8_t)px_isa_type(bt);
	if (in->op == PX_OP_dp2a)
		m->cur->last->m = px_has(in, PM_hi);
}

void px_low_vabsdiff4(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32),
		       c = px_src(m, in, 3, PT_B32);
	unsigned k;

	for (k = 1; k < in->num_types; k++)
		if (in->types[k] != in->types[0]) {
			px_error(m->px, in->loc, "'vabsdiff4' needs three equal types");
			return;
		}
	ternary(m, in, PPU_OP_VABSDIFF4, px_isa_type(in->types[0]), a, b, c, PT_B32);
	m->cur->last->m = px_has(in, PM_add);
}

/* Half `which` of a as a number of 32 bits. */
static struct px_opnd half_of(struct px_module *m, unsigned t, struct px_opnd a, unsigned which)
{
	struct px_insn *i = px_temp(m, PPU_OP_BFE, t);

	i->s[0] = a;
	i->s[1] = px_imm((16 * which) | 16 << 8);
	i->d = px_tmp(m, 1);
	return px_reg(i->d);
}

/* |a - b| of two halves each: side by side, or .add: their sum and c. */
void px_low_vabsdiff2(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32), c = px_src(m, in, 3, PT_B32);
	unsigned t = px_isa_type(in->types[0]), k;
	bool add = px_has(in, PM_add);
	struct px_opnd part[2];
	struct px_insn *i;

	if (in->num_types != 3 || in->types[0] != in->types[1] || in->types[0] != in->types[2]) {
		px_error(m->px, in->loc, "'vabsdiff2' needs three equal types");
		return;
	}
	for (k = 0; k < 2; k++) {
		struct px_opnd x = half_of(m, t, a, k), y = half_of(m, t, b, k);

		i = px_temp(m, PPU_OP_SAD, t);
		i->s[0] = x;
		i->s[1] = y;
		i->s[2] = !add ? px_imm(0) : k ? part[0] : c;
		i->d = px_tmp(m, 1);
		part[k] = px_reg(i->d);
	}
	i = px_emit(m, in, add ? PPU_OP_MOV : PPU_OP_PRMT, PPU_T_U32);
	i->s[add] = part[add];
	if (!add) {
		i->s[1] = part[1];
		i->s[2] = px_imm(0x5410);
	}
	i->d = px_dst(m, in, 0, PT_B32);
}

/* ---- comparison and selection ---- */

void px_low_slct(struct px_module *m, const struct px_inst *in)
{
	static const uint8_t bits[] = { [PT_F16] = PT_B16, [PT_F32] = PT_B32, [PT_F64] = PT_B64,
		[PT_S16] = PT_B16, [PT_S32] = PT_B32, [PT_S64] = PT_B64 };
	unsigned dt = in->types[0], ct = in->types[1];
	struct px_opnd a, b, c;

	if (in->num_types != 2 || (ct != PT_S32 && ct != PT_F32) ||
	    !px_check_type(m, in, dt, PX_TS_B | PX_TS_I | PX_TS_F)) {
		px_error(m->px, in->loc, "'slct' needs two types, the second .s32 or .f32");
		return;
	}
	a = px_src(m, in, 1, dt);
	b = px_src(m, in, 2, dt);
	c = px_src(m, in, 3, ct);
	ternary(m, in, PPU_OP_SLCT, px_isa_type(dt < sizeof(bits) && bits[dt] ? bits[dt] : dt),
		a, b, c, dt);
	m->cur->last->u = (uint8_t)px_isa_type(ct);
	m->cur->last->ftz = px_has(in, PM_ftz);
}

/* Comparison code, or -1 (reported). */
static int comparison(struct px_module *m, const struct px_inst *in, unsigned *pt)
{
	static const struct { uint16_t mod; uint8_t cmp; bool flt, uns; } cmps[] = {
		{ PM_eq, PPU_CMP_EQ, 0, 0 }, { PM_ne, PPU_CMP_NE, 0, 0 }, { PM_lt, PPU_CMP_LT, 0, 0 },
		{ PM_le, PPU_CMP_LE, 0, 0 }, { PM_gt, PPU_CMP_GT, 0, 0 }, { PM_ge, PPU_CMP_GE, 0, 0 },
		{ PM_lo, PPU_CMP_LT, 0, 1 }, { PM_ls, PPU_CMP_LE, 0, 1 }, { PM_hi, PPU_CMP_GT, 0, 1 },
		{ PM_hs, PPU_CMP_GE, 0, 1 }, { PM_equ, PPU_CMP_EQU, 1, 0 }, { PM_neu, PPU_CMP_NEU, 1, 0 },
		{ PM_ltu, PPU_CMP_LTU, 1, 0 }, { PM_leu, PPU_CMP_LEU, 1, 0 },
		{ PM_gtu, PPU_CMP_GTU, 1, 0 }, { PM_geu, PPU_CMP_GEU, 1, 0 },
		{ PM_num, PPU_CMP_NUM, 1, 0 }, { PM_nan, PPU_CMP_NAN, 1, 0 },
	};
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(cmps); k++) {
		if (!px_has(in, cmps[k].mod))
			continue;
		if ((cmps[k].flt && !px_type_float(*pt)) || (cmps[k].uns && px_type_float(*pt))) {
			px_error(m->px, in->loc, "this comparison does not exist for type .%s",
				 px_type_text(*pt));
			return -1;
		}
		if (cmps[k].uns)	/* lo, ls, hi, hs compare unsigned whatever the type */
			*pt = px_type_bits(*pt) == 16 ? PT_U16 : px_type_bits(*pt) == 32 ? PT_U32 :
			      PT_U64;
		return cmps[k].cmp;
	}
	px_error(m->px, in->loc, "'%s' needs a comparison, such as .lt", in->name->s);
	return -1;
}

static unsigned bool_op(const struct px_inst *in)
{
	return px_has(in, PM_or) ? PPU_BOOL_OR : px_has(in, PM_xor) ? PPU_BOOL_XOR : PPU_BOOL_AND;
}

/* One half of a packed operand, for the two-element comparisons. */
static struct px_opnd half(struct px_module *m, struct px_opnd o, unsigned which)
{
	struct px_insn *i;

	if (o.kind == PO_IMM)
		return px_imm(o.imm >> (which * 16) & 0xffff);
	if (!which)
		return o;
	i = px_temp(m, PPU_OP_SHR, PPU_T_U32);
	i->s[0] = o;
	i->s[1] = px_imm(16);
	i->d = px_tmp(m, 1);
	return px_reg(i->d);
}

static void setp_one(struct px_module *m, const struct px_inst *in, unsigned t, int cmp,
		     struct px_opnd a, struct px_opnd b, struct px_predref c, px_val p, px_val q)
{
	struct px_insn *i = px_emit(m, in, PPU_OP_SETP, t);

	i->s[0] = a;
	i->s[1] = b;
	i->m = (uint8_t)cmp;
	i->x = (uint8_t)bool_op(in);
	i->ftz = px_has(in, PM_ftz);
	i->ps = c;
	i->pd = p;
	i->pe = q;
}

void px_low_setp(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), et;
	struct px_predref c = { 0, false };
	px_val p, q = 0;
	struct px_opnd a, b;
	int cmp;

	if (!px_check_type(m, in, pt, PX_TS_B | TS_NUM))
		return;
	cmp = comparison(m, in, &pt);
	if (cmp < 0)
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	if (in->n == 4)
		c = px_pred_src(m, &in->o[3]);
	p = px_pred_dst(m, &in->o[0]);
	if (in->o[0].pipe)
		q = px_pred_dst(m, in->o[0].pipe);
	if (pt == PT_F16X2 || pt == PT_BF16X2) {
		et = pt == PT_F16X2 ? PPU_T_F16 : PPU_T_BF16;
		setp_one(m, in, et, cmp, half(m, a, 0), half(m, b, 0), c, p, 0);
		setp_one(m, in, et, cmp, half(m, a, 1), half(m, b, 1), c, q, 0);
	} else {
		setp_one(m, in, px_isa_type(pt), cmp, a, b, c, p, q);
	}
}

static struct px_opnd set_one(struct px_module *m, const struct px_inst *in, unsigned t, unsigned u,
			      int cmp, struct px_opnd a, struct px_opnd b, struct px_predref c,
			      px_val d)
{
	struct px_insn *i = d ? px_emit(m, in, PPU_OP_SET, t) : px_temp(m, PPU_OP_SET, t);

	i->u = (uint8_t)u;
	i->s[0] = a;
	i->s[1] = b;
	i->m = (uint8_t)cmp;
	i->x = (uint8_t)bool_op(in);
	i->ftz = px_has(in, PM_ftz);
	i->ps = c;
	i->d = d ? d : px_tmp(m, 1);
	return px_reg(i->d);
}

void px_low_set(struct px_module *m, const struct px_inst *in)
{
	unsigned dt = in->types[0], st = in->types[1], et;
	struct px_predref c = { 0, false };
	struct px_opnd a, b, lo, hi;
	struct px_insn *i;
	int cmp;

	if (in->num_types != 2 || !px_check_type(m, in, st, PX_TS_B | TS_NUM) ||
	    !px_check_type(m, in, dt, TS_I32 | PX_TB(B32) | PX_TB(F32) | PX_TS_H)) {
		px_error(m->px, in->loc, "'set' needs the types of the result and of the operands");
		return;
	}
	cmp = comparison(m, in, &st);
	if (cmp < 0)
		return;
	a = px_src(m, in, 1, st);
	b = px_src(m, in, 2, st);
	if (in->n == 4)
		c = px_pred_src(m, &in->o[3]);
	if (st != PT_F16X2 && st != PT_BF16X2) {
		set_one(m, in, px_isa_type(st), px_isa_type(dt), cmp, a, b, c, px_dst(m, in, 0, dt));
		return;
	}
	/* two halves: 0xffff or 1.0 each */
	et = st == PT_F16X2 ? PPU_T_F16 : PPU_T_BF16;
	lo = set_one(m, in, et, dt == st ? et : PPU_T_U32, cmp, half(m, a, 0), half(m, b, 0), c, 0);
	hi = set_one(m, in, et, dt == st ? et : PPU_T_U32, cmp, half(m, a, 1), half(m, b, 1), c, 0);
	i = px_emit(m, in, PPU_OP_PRMT, PPU_T_U32);
	i->s[0] = lo;
	i->s[1] = hi;
	i->s[2] = px_imm(0x5410);
	i->d = px_dst(m, in, 0, dt);
}

void px_low_selp(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), width;
	struct px_opnd a, b;
	struct px_insn *i;

	if (!px_check_type(m, in, pt, PX_TS_B | PX_TS_I | PX_TS_F | PX_TS_H))
		return;
	width = px_type_bits(pt);
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	i = px_emit(m, in, PPU_OP_SEL, width == 16 ? PPU_T_U16 : width == 32 ? PPU_T_U32 : PPU_T_U64);
	i->s[0] = a;
	i->s[1] = b;
	i->ps = px_pred_src(m, &in->o[3]);
	i->d = px_dst(m, in, 0, pt);
}
