/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host instructions for f64.  What a number is in host registers: numbers.h.  exec/exec_fp.c and exec_cvt.c say what each
 * operation must give.
 */
#ifdef PPU_TRANSLATE
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/numbers.h"

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

static struct ppu_numbers temporaries(struct ppu_seg *s)
{
	return (struct ppu_numbers){ { Y(ppu_seg_temp(s)), Y(ppu_seg_temp(s)) }, true, true };
}

static struct ppu_opn sign(struct ppu_seg *s)
{
	return ppu_number_const(s, 1ull << 63);
}

static struct ppu_opn but_sign(struct ppu_seg *s)
{
	return ppu_number_const(s, ~0ull >> 1);
}

/* An operand, with what the instruction does to it.  An immediate is the high word of a number. */
static struct ppu_numbers operand(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned row, bool imm, bool abs, bool neg)
{
	struct ppu_numbers n, t;
	struct ppu_opn v;

	if (imm) {
		uint32_t word = abs ? di->imm & ~SIGN : di->imm;

		v = ppu_number_const(s, (uint64_t)(neg ? word ^ SIGN : word) << 32);
		return (struct ppu_numbers){ .half = { v, v } };
	}
	n = ppu_numbers_for(s, row, di->d);
	if (!abs && !neg)
		return n;
	t = temporaries(s);
	for (unsigned i = 0; i < 2; i++) {
		if (n.half[i].kind != PPU_O_YMM) {
			EM(s->e, VMOVDQA, t.half[i], n.half[i]);
			n.half[i] = t.half[i];
			n.locked = false;
		}
		if (abs)
			EM(s->e, VPAND, t.half[i], n.half[i], but_sign(s));
		if (neg)
			EM(s->e, VPXOR, t.half[i], abs ? t.half[i] : n.half[i], sign(s));
	}
	ppu_numbers_drop(s, &n);
	return t;
}

static struct ppu_numbers op_a(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return operand(s, di, di->a, false, di->aa, di->na);
}

static struct ppu_numbers op_b(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return operand(s, di, di->b, di->bi, di->ab, di->nb);
}

static bool in_memory(const struct ppu_numbers *n)
{
	return n->half[0].kind != PPU_O_YMM;
}

/* The same in registers that may be changed. */
static void make_own(struct ppu_seg *s, struct ppu_numbers *n)
{
	struct ppu_numbers t;

	if (n->own)
		return;
	t = temporaries(s);
	for (unsigned i = 0; i < 2; i++)
		EM(s->e, VMOVDQA, t.half[i], n->half[i]);
	ppu_numbers_drop(s, n);
	*n = t;
}

static void in_registers(struct ppu_seg *s, struct ppu_numbers *n)
{
	if (in_memory(n))
		make_own(s, n);
}

static void put(struct ppu_seg *s, const struct ppu_dinsn *di, const struct ppu_numbers *n, bool nan)
{
	const int half[2] = { n->half[0].reg, n->half[1].reg };

	ppu_numbers_put(s, di->d, half, nan);
}

/* Registers for a result: one of the operands', if it may be changed, or others. */
static struct ppu_numbers result(struct ppu_seg *s, const struct ppu_numbers *a, const struct ppu_numbers *b)
{
	if (a->own)
		return *a;
	if (b->own)
		return *b;
	return temporaries(s);
}

static void sel_arith(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	ZydisMnemonic mn = di->op == PPU_OP_ADD ? ZYDIS_MNEMONIC_VADDPD : di->op == PPU_OP_SUB ? ZYDIS_MNEMONIC_VSUBPD :
			   di->op == PPU_OP_MUL ? ZYDIS_MNEMONIC_VMULPD : ZYDIS_MNEMONIC_VDIVPD;
	struct ppu_numbers a = op_a(s, di), b = op_b(s, di), r;

	in_registers(s, &a);
	r = result(s, &a, &b);
	for (unsigned i = 0; i < 2; i++)
		ppu_emit_ops(s->e, mn, (const struct ppu_opn[]){ r.half[i], a.half[i], b.half[i] }, 3);
	put(s, di, &r, true);
}

/* One of three registers is changed; the last operand may be memory. */
static void sel_fma(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct ppu_numbers a = operand(s, di, di->a, false, false, di->na), b = operand(s, di, di->b, di->bi, false, di->nb);
	struct ppu_numbers c = operand(s, di, di->c, di->ci, false, di->nc), t;

	if (in_memory(&a) || (b.own && !a.own)) {
		t = a;
		a = b;
		b = t;
	}
	in_registers(s, &a);
	if ((in_memory(&b) && in_memory(&c)) || (!a.own && in_memory(&c)))
		make_own(s, &c);
	if (c.own && !a.own) {
		for (unsigned i = 0; i < 2; i++)
			EM(s->e, VFMADD231PD, c.half[i], a.half[i], b.half[i]);
		put(s, di, &c, true);
		return;
	}
	make_own(s, &a);
	for (unsigned i = 0; i < 2; i++)
		if (in_memory(&b))
			EM(s->e, VFMADD132PD, a.half[i], c.half[i], b.half[i]);
		else
			EM(s->e, VFMADD213PD, a.half[i], b.half[i], c.half[i]);
	put(s, di, &a, true);
}

static void sel_root(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct ppu_numbers a = op_a(s, di), r = result(s, &a, &a);
	struct ppu_opn one = Y(0);

	if (di->op == PPU_OP_RCP) {
		one = Y(ppu_seg_temp(s));
		EM(s->e, VMOVDQA, one, ppu_number_const(s, 0x3ff0000000000000ull));
	}
	for (unsigned i = 0; i < 2; i++)
		if (di->op == PPU_OP_RCP)
			EM(s->e, VDIVPD, r.half[i], one, a.half[i]);
		else
			EM(s->e, VSQRTPD, r.half[i], a.half[i]);
	put(s, di, &r, true);
}

/* A bit of the number that there is: of a NaN, the canonical one's. */
static void sel_sign(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct ppu_numbers a = ppu_numbers_of(s, di->a, true), r = temporaries(s);

	for (unsigned i = 0; i < 2; i++) {
		EM(s->e, VMOVDQA, r.half[i], a.half[i]);
		if (di->aa)
			EM(s->e, VPAND, r.half[i], r.half[i], but_sign(s));
		if (di->na)
			EM(s->e, VPXOR, r.half[i], r.half[i], sign(s));
		if (di->op == PPU_OP_NEG)
			EM(s->e, VPXOR, r.half[i], r.half[i], sign(s));
		else
			EM(s->e, VPAND, r.half[i], r.half[i], but_sign(s));
	}
	put(s, di, &r, false);
}

static void sel_setp(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct ppu_numbers a = op_a(s, di), b = op_b(s, di);
	const int t[2] = { ppu_seg_temp(s), ppu_seg_temp(s) };

	in_registers(s, &a);
	ppu_seg_setp(s, di, ppu_lanes_compare_f64(s, ppu_select_predicate[di->m], t, a.half, b.half));
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
	struct ppu_numbers n;
	int lo, t, u;

	if (di->t == PPU_T_F32) {
		n = ppu_numbers_of(s, di->a, false);
		in_registers(s, &n);
		t = ppu_seg_temp(s);
		u = ppu_seg_temp(s);
		EM(s->e, VCVTPD2PS, H(t), n.half[0]);
		EM(s->e, VCVTPD2PS, H(u), n.half[1]);
		EM(s->e, VINSERTI128, Y(t), Y(t), H(u), IM(1));
		by_halves(s, t, t, true);
		ppu_seg_put(s, di->d, t, true);
		return;
	}
	n = temporaries(s);
	lo = di->u == PPU_T_F32 ? ppu_seg_reg_raw(s, di->a) : ppu_seg_reg(s, di->a);
	t = ppu_seg_temp(s);
	u = ppu_seg_temp(s);
	by_halves(s, t, lo, false);
	EM(s->e, VEXTRACTI128, H(u), Y(t), IM(1));
	if (di->u == PPU_T_F32) {
		EM(s->e, VCVTPS2PD, n.half[0], H(t));
		EM(s->e, VCVTPS2PD, n.half[1], H(u));
	} else {
		EM(s->e, VCVTDQ2PD, n.half[0], H(t));
		EM(s->e, VCVTDQ2PD, n.half[1], H(u));
	}
	ppu_seg_drop(s, t);
	ppu_seg_drop(s, u);
	put(s, di, &n, di->u == PPU_T_F32);
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
