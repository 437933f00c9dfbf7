/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host instructions for f64.  A number is a pair of rows, low and high words.  Of eight lanes, two vectors of the host
 * have four numbers each: one those of lanes 0, 1, 4 and 5, the other those of lanes 2, 3, 6 and 7; so a pair of rows
 * becomes two vectors of numbers, and back, with two instructions.  exec/exec_fp.c and exec_cvt.c say what each operation
 * must give.
 */
#ifdef PPU_TRANSLATE
#include "core/exec/exec_scalar.h"
#include "core/sm/translate/segment.h"

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

/* Four numbers each. */
struct numbers {
	int half[2];
};

/* The numbers of a row pair, or of an immediate: its high word. */
static struct numbers operand(struct ppu_seg *s, unsigned row, bool imm, uint32_t v, bool abs, bool neg)
{
	struct numbers n = { { ppu_seg_temp(s), ppu_seg_temp(s) } };
	int lo, hi, t = -1;

	if (imm) {
		uint32_t words[8], at, i;

		v = abs ? v & ~SIGN : v;
		v = neg ? v ^ SIGN : v;
		for (i = 0; i < 8; i++)
			words[i] = i & 1 ? v : 0;
		at = ppu_emit_pool(s->e, words, 32);
		for (i = 0; i < 2; i++)
			EM(s->e, VMOVDQA, Y(n.half[i]), M(R13, at, 32));
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
	uint32_t nan[8], at, i;
	int lo, hi;

	for (i = 0; i < 8; i++)
		nan[i] = i & 1 ? (uint32_t)(PPU_F64_NAN >> 32) : (uint32_t)PPU_F64_NAN;
	at = ppu_emit_pool(s->e, nan, 32);
	for (i = 0; i < 2; i++) {
		EM(s->e, VCMPPD, Y(PPU_SEG_SCRATCH), Y(n.half[i]), Y(n.half[i]), IM(3));
		EM(s->e, VBLENDVPD, Y(n.half[i]), Y(n.half[i]), M(R13, at, 32), Y(PPU_SEG_SCRATCH));
	}
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
		uint32_t words[8], at, i;

		for (i = 0; i < 8; i++)
			words[i] = i & 1 ? 0x3ff00000 : 0;
		at = ppu_emit_pool(s->e, words, 32);
		one = ppu_seg_temp(s);
		EM(s->e, VMOVDQA, Y(one), M(R13, at, 32));
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

	for (unsigned i = 0; i < 2; i++) {
		EM(s->e, VCMPPD, Y(a.half[i]), Y(a.half[i]), Y(b.half[i]), IM(ppu_select_predicate[di->m]));
		ppu_seg_drop(s, b.half[i]);
	}
	/* One word of each mask, in the order of lanes. */
	EM(s->e, VSHUFPS, Y(a.half[0]), Y(a.half[0]), Y(a.half[1]), IM(0x88));
	ppu_seg_drop(s, a.half[1]);
	ppu_seg_setp(s, di, (struct ppu_lanes){ a.half[0], false });
}

static void sel_cvt(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct numbers n;
	int lo, t, u;

	if (di->t == PPU_T_F32) {
		/* Lanes 0, 1, 4, 5 and 2, 3, 6, 7 come out in the order of lanes after one exchange. */
		n = operand(s, di->a, false, 0, false, false);
		t = ppu_seg_temp(s);
		EM(s->e, VCVTPD2PS, X(n.half[0]), Y(n.half[0]));
		EM(s->e, VCVTPD2PS, X(n.half[1]), Y(n.half[1]));
		EM(s->e, VINSERTI128, Y(t), Y(n.half[0]), X(n.half[1]), IM(1));
		EM(s->e, VPERMQ, Y(t), Y(t), IM(0xd8));
		ppu_seg_put(s, di->d, t, true);
		return;
	}
	n.half[0] = ppu_seg_temp(s);
	n.half[1] = ppu_seg_temp(s);
	lo = di->u == PPU_T_F32 ? ppu_seg_reg_raw(s, di->a) : ppu_seg_reg(s, di->a);
	t = ppu_seg_temp(s);
	u = ppu_seg_temp(s);
	EM(s->e, VPERMQ, Y(t), Y(lo), IM(0xd8));	/* lanes 0, 1, 4, 5; 2, 3, 6, 7 */
	EM(s->e, VEXTRACTI128, X(u), Y(t), IM(1));
	if (di->u == PPU_T_F32) {
		EM(s->e, VCVTPS2PD, Y(n.half[0]), X(t));
		EM(s->e, VCVTPS2PD, Y(n.half[1]), X(u));
	} else {
		EM(s->e, VCVTDQ2PD, Y(n.half[0]), X(t));
		EM(s->e, VCVTDQ2PD, Y(n.half[1]), X(u));
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
