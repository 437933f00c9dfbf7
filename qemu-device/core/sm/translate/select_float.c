/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host instructions for f32.  exec/exec_fp.c and exec_cvt.c say what each must give.  Rounding
 * other than to nearest, flushed subnormals and saturation stay with the functions there.
 */
#ifdef PPU_TRANSLATE
#include "core/sm/translate/lanes.h"

#define SIGN	0x80000000u

const uint8_t ppu_select_predicate[PPU_CMP_COUNT] = {
	[PPU_CMP_EQ] = 0x00, [PPU_CMP_NE] = 0x0c, [PPU_CMP_LT] = 0x11, [PPU_CMP_LE] = 0x12,
	[PPU_CMP_GT] = 0x1e, [PPU_CMP_GE] = 0x1d, [PPU_CMP_EQU] = 0x08, [PPU_CMP_NEU] = 0x04,
	[PPU_CMP_LTU] = 0x19, [PPU_CMP_LEU] = 0x1a, [PPU_CMP_GTU] = 0x16, [PPU_CMP_GEU] = 0x15,
	[PPU_CMP_NUM] = 0x07, [PPU_CMP_NAN] = 0x03,
};

static bool plain(const struct ppu_dinsn *di)
{
	return !di->rnd && !di->ftz && !di->sat;
}

bool ppu_select_float_can(const struct ppu_dinsn *di)
{
	if (di->op == PPU_OP_CVT) {
		if (di->t == PPU_T_F32 && di->u == PPU_T_S32)
			return plain(di) && !di->na && !di->aa && !di->y;
		return di->t == PPU_T_S32 && di->u == PPU_T_F32 && di->rnd == PPU_RND_RZ && !di->ftz && !di->sat &&
		       !di->na && !di->aa;
	}
	if (di->t != PPU_T_F32 || !plain(di))
		return false;
	switch (di->op) {
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MUL: case PPU_OP_FMA: case PPU_OP_SETP: case PPU_OP_RCP:
	case PPU_OP_SQRT: case PPU_OP_RSQRT: case PPU_OP_NEG: case PPU_OP_ABS:
		return true;
	case PPU_OP_DIV:
		return di->m != PPU_FN_APPROX;
	case PPU_OP_MIN: case PPU_OP_MAX:
		return !di->y;
	default:
		return false;
	}
}

/* An operand after absolute value and negation. */
static struct ppu_opn modified(struct ppu_seg *s, struct ppu_opn o, bool abs, bool neg)
{
	int t;

	if (!abs && !neg)
		return o;
	t = ppu_seg_temp(s);
	if (o.kind != PPU_O_YMM) {
		EM(s->e, VMOVDQA, Y(t), o);
		o = Y(t);
	}
	if (abs) {
		EM(s->e, VPAND, Y(t), o, ppu_seg_const(s, SIGN - 1));
		o = Y(t);
	}
	if (neg)
		EM(s->e, VPXOR, Y(t), o, ppu_seg_const(s, SIGN));
	return Y(t);
}

/* The sign of a NaN does not matter: what is computed from it is canonical. */
static int op_a(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return modified(s, Y(ppu_seg_reg_raw(s, di->a)), di->aa, di->na).reg;
}

static struct ppu_opn op_b(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return modified(s, di->bi ? ppu_seg_const(s, di->imm) : ppu_seg_rm_raw(s, di->b), di->ab, di->nb);
}

static int in_reg(struct ppu_seg *s, struct ppu_opn o)
{
	int t;

	if (o.kind == PPU_O_YMM)
		return o.reg;
	t = ppu_seg_temp(s);
	EM(s->e, VMOVDQA, Y(t), o);
	return t;
}

static void sel_arith(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = op_a(s, di), t;
	struct ppu_opn b = op_b(s, di);

	t = ppu_seg_temp(s);
	switch (di->op) {
	case PPU_OP_ADD: EM(s->e, VADDPS, Y(t), Y(a), b); break;
	case PPU_OP_SUB: EM(s->e, VSUBPS, Y(t), Y(a), b); break;
	case PPU_OP_MUL: EM(s->e, VMULPS, Y(t), Y(a), b); break;
	default:	 EM(s->e, VDIVPS, Y(t), Y(a), b); break;
	}
	ppu_seg_put(s, di->d, t, true);
}

static void sel_fma(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	static const ZydisMnemonic forms[2][2] = {
		{ ZYDIS_MNEMONIC_VFMADD213PS, ZYDIS_MNEMONIC_VFMSUB213PS },
		{ ZYDIS_MNEMONIC_VFNMADD213PS, ZYDIS_MNEMONIC_VFNMSUB213PS },
	};
	/* With the sum in the register of c, which becomes the result. */
	static const ZydisMnemonic sums[2][2] = {
		{ ZYDIS_MNEMONIC_VFMADD231PS, ZYDIS_MNEMONIC_VFMSUB231PS },
		{ ZYDIS_MNEMONIC_VFNMADD231PS, ZYDIS_MNEMONIC_VFNMSUB231PS },
	};
	int t, b, a = ppu_seg_reg_raw(s, di->a);
	struct ppu_opn c;

	if (!di->ci && di->d == di->c && s->guard.y < 0 && di->d < PPU_ROW_ZERO(s->nregs)) {
		t = ppu_seg_reg_raw(s, di->c);
		c = di->bi ? ppu_seg_const(s, di->imm) : ppu_seg_rm_raw(s, di->b);
		ppu_emit_ops(s->e, sums[di->na ^ di->nb][di->nc], (const struct ppu_opn[]){ Y(t), Y(a), c }, 3);
		ppu_seg_changed(s, t, true);
		return;
	}
	b = in_reg(s, di->bi ? ppu_seg_const(s, di->imm) : ppu_seg_rm_raw(s, di->b));
	c = di->ci ? ppu_seg_const(s, di->imm) : ppu_seg_rm_raw(s, di->c);
	t = ppu_seg_temp(s);
	EM(s->e, VMOVDQA, Y(t), Y(a));
	ppu_emit_ops(s->e, forms[di->na ^ di->nb][di->nc], (const struct ppu_opn[]){ Y(t), Y(b), c }, 3);
	ppu_seg_put(s, di->d, t, true);
}

static void sel_root(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = op_a(s, di), t = ppu_seg_temp(s), one;

	if (di->op != PPU_OP_RCP) {
		EM(s->e, VSQRTPS, Y(t), Y(a));
		a = t;
	}
	if (di->op != PPU_OP_SQRT) {
		one = in_reg(s, ppu_seg_const(s, 0x3f800000));
		EM(s->e, VDIVPS, Y(t), Y(one), Y(a));
	}
	ppu_seg_put(s, di->d, t, true);
}

/* Bits, so the NaN has to be the canonical one first. */
static void sel_sign(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	bool negate = di->op == PPU_OP_NEG;
	struct ppu_opn o = modified(s, Y(ppu_seg_reg(s, di->a)), di->aa, di->na);
	int t = ppu_seg_temp(s);

	if (negate)
		EM(s->e, VPXOR, Y(t), o, ppu_seg_const(s, SIGN));
	else
		EM(s->e, VPAND, Y(t), o, ppu_seg_const(s, SIGN - 1));
	ppu_seg_put(s, di->d, t, false);
}

static void sel_minmax(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = op_a(s, di), b = in_reg(s, op_b(s, di)), t = ppu_seg_temp(s), z = ppu_seg_temp(s);
	struct ppu_lanes l;

	/* Equal operands: the bits decide between -0 and +0. */
	if (di->op == PPU_OP_MIN) {
		EM(s->e, VMINPS, Y(t), Y(a), Y(b));
		EM(s->e, VPOR, Y(z), Y(a), Y(b));
	} else {
		EM(s->e, VMAXPS, Y(t), Y(a), Y(b));
		EM(s->e, VPAND, Y(z), Y(a), Y(b));
	}
	l = ppu_lanes_compare_f32(s, ppu_select_predicate[PPU_CMP_EQ], a, Y(b));
	ppu_lanes_blend(s, t, Y(z), Y(t), l);
	/* The other operand of a NaN. The host gives b when one is a NaN. */
	l = ppu_lanes_compare_f32(s, ppu_select_predicate[PPU_CMP_NAN], b, Y(b));
	ppu_lanes_blend(s, t, Y(a), Y(t), l);
	ppu_seg_put(s, di->d, t, true);
}

static void sel_setp(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = op_a(s, di);
	struct ppu_opn b = op_b(s, di);

	ppu_seg_setp(s, di, ppu_lanes_compare_f32(s, ppu_select_predicate[di->m], a, b));
}

static void sel_cvt(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int t = ppu_seg_temp(s), a;
	struct ppu_lanes l;

	if (di->t == PPU_T_F32) {
		EM(s->e, VCVTDQ2PS, Y(t), ppu_seg_rm(s, di->a));
		ppu_seg_put(s, di->d, t, false);
		return;
	}
	a = ppu_seg_reg_raw(s, di->a);
	EM(s->e, VCVTTPS2DQ, Y(t), Y(a));
	/* The host gives 0x80000000 for everything that does not fit. */
	l = ppu_lanes_compare_f32(s, ppu_select_predicate[PPU_CMP_GE], a, ppu_seg_const(s, 0x4f000000));
	ppu_lanes_blend(s, t, ppu_seg_const(s, 0x7fffffff), Y(t), l);
	l = ppu_lanes_compare_f32(s, ppu_select_predicate[PPU_CMP_NUM], a, Y(a));
	ppu_lanes_keep(s, t, l);
	ppu_seg_put(s, di->d, t, false);
}

void ppu_select_float(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_FMA:
		sel_fma(s, di);
		break;
	case PPU_OP_RCP: case PPU_OP_SQRT: case PPU_OP_RSQRT:
		sel_root(s, di);
		break;
	case PPU_OP_NEG: case PPU_OP_ABS:
		sel_sign(s, di);
		break;
	case PPU_OP_MIN: case PPU_OP_MAX:
		sel_minmax(s, di);
		break;
	case PPU_OP_SETP:
		sel_setp(s, di);
		break;
	case PPU_OP_CVT:
		sel_cvt(s, di);
		break;
	default:
		sel_arith(s, di);
	}
}
#endif
