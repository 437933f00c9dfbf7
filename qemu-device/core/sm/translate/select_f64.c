/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host instructions for f64.  A number is a pair of rows, low and high words.  Of eight lanes, two vectors of the host
 * have four numbers each: one those of lanes 0, 1, 4 and 5, the other those of lanes 2, 3, 6 and 7 (and of 16 lanes eight
 * numbers each, also those of lanes 8, 9, 12, 13 and the rest); so a pair of rows becomes two vectors of numbers, and back, with two instructions.  exec/exec_fp.c and exec_cvt.c say what each operation
 * must give.
 */
#ifdef PPU_TRANSLATE
#include "core/exec/exec_scalar.h"
#include "core/sm/translate/lanes.h"

#define SIGN	0x80000000u

static bool plain(const struct ppu_dinsn *di)
{
	return !di->rnd && !di->ftz && !di->sat;
}

bool ppu_select_f64_can(const struct ppu_dinsn *di)
{
	if (di->op == PPU_OP_CVT) {
		if (!plain(di) || di->na || di->aa || di->y)
			return false;
		return (di->t == PPU_T_F64 && (di->u == PPU_T_F32 || di->u == PPU_T_S32)) ||
		       (di->t == PPU_T_F32 && di->u == PPU_T_F64);
	}
	if (di->t != PPU_T_F64 || !plain(di))
		return false;
	switch (di->op) {
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MUL: case PPU_OP_FMA: case PPU_OP_SETP: case PPU_OP_NEG:
	case PPU_OP_ABS: case PPU_OP_RCP: case PPU_OP_SQRT:
		return true;
	case PPU_OP_DIV:
		return di->m != PPU_FN_APPROX;
	default:
		return false;
	}
}

/* Four or eight numbers each. */
struct numbers {
	int half[2];
};

/* A vector of one number. */
static struct ppu_opn number(struct ppu_seg *s, uint64_t v)
{
	uint32_t words[16], i;

	for (i = 0; i < 16; i++)
		words[i] = (uint32_t)(i & 1 ? v >> 32 : v);
	return M(R13, ppu_lanes_vector(s, words), PPU_VEC);
}

/* The numbers of a row pair, or of an immediate: its high word. */
static struct numbers operand(struct ppu_seg *s, unsigned row, bool imm, uint32_t v, bool abs, bool neg)
{
	struct numbers n = { { ppu_seg_temp(s), ppu_seg_temp(s) } };
	int lo, hi, t = -1;

	if (imm) {
		struct ppu_opn at;

		v = abs ? v & ~SIGN : v;
		v = neg ? v ^ SIGN : v;
		at = number(s, (uint64_t)v << 32);
		for (unsigned i = 0; i < 2; i++)
			EM(s->e, VMOVDQA, Y(n.half[i]), at);
		return n;
	}
	lo = ppu_seg_reg(s, row);
	hi = ppu_seg_reg(s, row + 1);
	if (abs || neg) {
		t = ppu_seg_temp(s);
		if (abs)
			EM(s->e, VPAND, Y(t), Y(hi), ppu_seg_const(s, SIGN - 1));
		if (neg)
			EM(s->e, VPXOR, Y(t), Y(abs ? t : hi), ppu_seg_const(s, SIGN));
		hi = t;
	}
	EM(s->e, VUNPCKLPS, Y(n.half[0]), Y(lo), Y(hi));
	EM(s->e, VUNPCKHPS, Y(n.half[1]), Y(lo), Y(hi));
	if (t >= 0)
		ppu_seg_drop(s, t);
	/* Three operands are many registers: the rows may go. */
	ppu_seg_unlock(s, row);
	ppu_seg_unlock(s, row + 1);
	return n;
}

/* Numbers to the row pair of the result. */
static void put_numbers(struct ppu_seg *s, const struct ppu_dinsn *di, struct numbers n)
{
	struct ppu_opn nan = number(s, PPU_F64_NAN);
	int lo, hi;

	for (unsigned i = 0; i < 2; i++)
		ppu_lanes_canonical_f64(s, n.half[i], nan);
	lo = ppu_seg_temp(s);
	hi = ppu_seg_temp(s);
	EM(s->e, VSHUFPS, Y(lo), Y(n.half[0]), Y(n.half[1]), IM(0x88));
	EM(s->e, VSHUFPS, Y(hi), Y(n.half[0]), Y(n.half[1]), IM(0xdd));
	ppu_seg_drop(s, n.half[0]);
	ppu_seg_drop(s, n.half[1]);
	ppu_seg_put(s, di->d, lo, false);
	ppu_seg_put(s, di->d + 1u, hi, false);
}

static struct numbers op_a(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return operand(s, di->a, false, 0, di->aa, di->na);
}

static struct numbers op_b(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return operand(s, di->b, di->bi, di->imm, di->ab, di->nb);
}

static void sel_arith(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	ZydisMnemonic mn = di->op == PPU_OP_ADD ? ZYDIS_MNEMONIC_VADDPD : di->op == PPU_OP_SUB ? ZYDIS_MNEMONIC_VSUBPD :
			   di->op == PPU_OP_MUL ? ZYDIS_MNEMONIC_VMULPD : ZYDIS_MNEMONIC_VDIVPD;
	struct numbers a = op_a(s, di), b = op_b(s, di);

	for (unsigned i = 0; i < 2; i++) {
		ppu_emit_ops(s->e, mn, (const struct ppu_opn[]){ Y(a.half[i]), Y(a.half[i]), Y(b.half[i]) }, 3);
		ppu_seg_drop(s, b.half[i]);
	}
	put_numbers(s, di, a);
}

static void sel_fma(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct numbers a = operand(s, di->a, false, 0, false, di->na), b = operand(s, di->b, di->bi, di->imm, false, di->nb);
	struct numbers c = operand(s, di->c, di->ci, di->imm, false, di->nc);

	for (unsigned i = 0; i < 2; i++) {
		EM(s->e, VFMADD213PD, Y(a.half[i]), Y(b.half[i]), Y(c.half[i]));
		ppu_seg_drop(s, b.half[i]);
		ppu_seg_drop(s, c.half[i]);
	}
	put_numbers(s, di, a);
}

static void sel_root(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct numbers a = op_a(s, di);
	int one = -1;

	if (di->op == PPU_OP_RCP) {
		one = ppu_seg_temp(s);
		EM(s->e, VMOVDQA, Y(one), number(s, 0x3ff0000000000000ull));
	}
	for (unsigned i = 0; i < 2; i++)
		if (one >= 0)
			EM(s->e, VDIVPD, Y(a.half[i]), Y(one), Y(a.half[i]));
		else
			EM(s->e, VSQRTPD, Y(a.half[i]), Y(a.half[i]));
	if (one >= 0)
		ppu_seg_drop(s, one);
	put_numbers(s, di, a);
}

/* Only the high word changes. */
static void sel_sign(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int lo = ppu_seg_reg(s, di->a), hi = ppu_seg_reg(s, di->a + 1u), t = ppu_seg_temp(s), u = ppu_seg_temp(s);

	EM(s->e, VMOVDQA, Y(u), Y(hi));
	if (di->aa)
		EM(s->e, VPAND, Y(u), Y(u), ppu_seg_const(s, SIGN - 1));
	if (di->na)
		EM(s->e, VPXOR, Y(u), Y(u), ppu_seg_const(s, SIGN));
	if (di->op == PPU_OP_NEG)
		EM(s->e, VPXOR, Y(u), Y(u), ppu_seg_const(s, SIGN));
	else
		EM(s->e, VPAND, Y(u), Y(u), ppu_seg_const(s, SIGN - 1));
	EM(s->e, VMOVDQA, Y(t), Y(lo));
	ppu_seg_put(s, di->d, t, false);
	ppu_seg_put(s, di->d + 1u, u, false);
}

static void sel_setp(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct numbers a = op_a(s, di), b = op_b(s, di);

	ppu_seg_setp(s, di, ppu_lanes_compare_f64(s, ppu_select_predicate[di->m], a.half, b.half));
}

/* t = the quarters of y, pairs of lanes, in the order of the halves; back: from there. */
static void by_halves(struct ppu_seg *s, int t, int y, bool back)
{
	static const uint32_t quarters[2][16] = { { 0, 0, 2, 0, 4, 0, 6, 0, 1, 0, 3, 0, 5, 0, 7, 0 },
						  { 0, 0, 4, 0, 1, 0, 5, 0, 2, 0, 6, 0, 3, 0, 7, 0 } };

	if (!s->e->wide) {
		EM(s->e, VPERMQ, Y(t), Y(y), IM(0xd8));		/* 0, 2, 1, 3 both ways */
		return;
	}
	EM(s->e, VMOVDQA, Y(PPU_SEG_SCRATCH), M(R13, ppu_lanes_vector(s, quarters[back]), PPU_VEC));
	EM(s->e, VPERMQ, Y(t), Y(PPU_SEG_SCRATCH), Y(y));
}

static void sel_cvt(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct numbers n;
	int lo, t, u;

	if (di->t == PPU_T_F32) {
		n = operand(s, di->a, false, 0, false, false);
		t = ppu_seg_temp(s);
		EM(s->e, VCVTPD2PS, H(n.half[0]), Y(n.half[0]));
		EM(s->e, VCVTPD2PS, H(n.half[1]), Y(n.half[1]));
		EM(s->e, VINSERTI128, Y(t), Y(n.half[0]), H(n.half[1]), IM(1));
		by_halves(s, t, t, true);
		ppu_seg_put(s, di->d, t, true);
		return;
	}
	n.half[0] = ppu_seg_temp(s);
	n.half[1] = ppu_seg_temp(s);
	lo = di->u == PPU_T_F32 ? ppu_seg_reg_raw(s, di->a) : ppu_seg_reg(s, di->a);
	t = ppu_seg_temp(s);
	u = ppu_seg_temp(s);
	by_halves(s, t, lo, false);
	EM(s->e, VEXTRACTI128, H(u), Y(t), IM(1));
	if (di->u == PPU_T_F32) {
		EM(s->e, VCVTPS2PD, Y(n.half[0]), H(t));
		EM(s->e, VCVTPS2PD, Y(n.half[1]), H(u));
	} else {
		EM(s->e, VCVTDQ2PD, Y(n.half[0]), H(t));
		EM(s->e, VCVTDQ2PD, Y(n.half[1]), H(u));
	}
	ppu_seg_drop(s, t);
	ppu_seg_drop(s, u);
	put_numbers(s, di, n);
}

void ppu_select_f64(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_FMA:
		sel_fma(s, di);
		break;
	case PPU_OP_RCP: case PPU_OP_SQRT:
		sel_root(s, di);
		break;
	case PPU_OP_NEG: case PPU_OP_ABS:
		sel_sign(s, di);
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
