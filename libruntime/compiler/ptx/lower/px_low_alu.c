/* SPDX-License-Identifier: MIT */
/* Arithmetic. */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_vec.h"

static void float_mods(struct px_insn *i, const struct px_inst *in)
{
	i->rnd = (uint8_t)px_rnd(in);
	i->ftz = px_has(in, PM_ftz);
	i->sat = px_has(in, PM_sat);
}

/* Reports modifiers for rounding, ftz and sat on types that do not have them. */
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
	if (!px_check_type(m, in, pt, with_in || px_has(in, PM_cc) ? PX_TS_I32 | PX_TS_I64 : PX_TS_NUM) ||
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

	if (px_low_pair(m, in, pt))
		return;
	if (!px_check_type(m, in, pt, PX_TS_NUM) || !check_float_mods(m, in, pt))
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
	float_mods(px_two(m, in, op, px_isa_type(pt), pt, pt, dt), in);
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
		px_low_fma(m, in);	/* since sm_20, mad.f32 is fma */
		return;
	}
	if (!px_check_type(m, in, pt, with_in || px_has(in, PM_cc) ? PX_TS_I32 | PX_TS_I64 : PX_TS_I))
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

	if (!px_check_type(m, in, pt, PX_TS_I32))
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
	struct px_insn *i;

	if (!px_check_type(m, in, pt, in->op == PX_OP_rem ? PX_TS_I : PX_TS_I | PX_TS_F) ||
	    !check_float_mods(m, in, pt))
		return;
	i = px_two(m, in, in->op == PX_OP_rem ? PPU_OP_REM : PPU_OP_DIV, px_isa_type(pt), pt, pt, pt);
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
	if (!px_check_type(m, in, pt, three ? PX_TB(F32) : relu ? PX_TB(S32) : PX_TS_NUM) ||
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
	{ PX_OP_bfind, PPU_OP_BFIND, PX_TS_I32 | PX_TS_I64, PT_U32 },
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

	if (!px_check_type(m, in, pt, PX_TS_F))
		return;
	px_two(m, in, PPU_OP_COPYSIGN, px_isa_type(pt), pt, pt, pt);
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
	px_ternary(m, in, PPU_OP_SAD, px_isa_type(pt), a, b, c, pt);
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
	px_ternary(m, in, in->op == PX_OP_dp4a ? PPU_OP_DP4A : PPU_OP_DP2A, px_isa_type(at), a, b, c, dt);
	m->cur->last->u = (uint8_t)px_isa_type(bt);
	if (in->op == PX_OP_dp2a)
		m->cur->last->m = px_has(in, PM_hi);
}
