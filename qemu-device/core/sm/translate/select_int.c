/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host instructions for moves, integers and bits.  exec/exec_int.c, exec_bits.c and exec_pred.c say what each must give.
 */
#ifdef PPU_TRANSLATE
#include <hw/ppu_mmu.h>
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/numbers.h"

static bool is_s(unsigned t)
{
	return t == PPU_T_S8 || t == PPU_T_S16 || t == PPU_T_S32 || t == PPU_T_S64;
}

static bool word(const struct ppu_dinsn *di)
{
	return di->t == PPU_T_U32 || di->t == PPU_T_S32;
}

static bool pair(const struct ppu_dinsn *di)
{
	return di->t == PPU_T_U64 || di->t == PPU_T_S64;
}

static bool half(const struct ppu_dinsn *di)
{
	return di->t == PPU_T_U16 || di->t == PPU_T_S16;
}

static unsigned bits_of(unsigned t)
{
	static const uint8_t bits[PPU_T_COUNT] = {
#define T(name, code, n, suffix) [code] = (n),
		PPU_TYPES(T)
#undef T
	};

	return bits[t];
}

/* ---- operands ---- */

static int extend(struct ppu_seg *s, struct ppu_opn o, unsigned bits, bool sgn);

static uint32_t imm_hi(const struct ppu_dinsn *di)
{
	return (uint32_t)((int32_t)di->imm >> 31);
}

static struct ppu_opn b_lo(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return di->bi ? ppu_seg_const(s, di->imm) : ppu_seg_rm(s, di->b);
}

static struct ppu_opn b_hi(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return di->bi ? ppu_seg_const(s, imm_hi(di)) : ppu_seg_rm(s, di->b + 1u);
}

static struct ppu_opn c_lo(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return di->ci ? ppu_seg_const(s, di->imm) : ppu_seg_rm(s, di->c);
}

static struct ppu_opn c_hi(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return di->ci ? ppu_seg_const(s, imm_hi(di)) : ppu_seg_rm(s, di->c + 1u);
}

/* A source in a register, wherever it was. */
static int in_reg(struct ppu_seg *s, struct ppu_opn o)
{
	int t;

	if (o.kind == PPU_O_YMM)
		return o.reg;
	t = ppu_seg_temp(s);
	EM(s->e, VMOVDQA, Y(t), o);
	return t;
}

/* t = a OP b */
static int op2(struct ppu_seg *s, ZydisMnemonic mn, int a, struct ppu_opn b)
{
	int t = ppu_seg_temp(s);
	const struct ppu_opn o[] = { Y(t), Y(a), b };

	ppu_emit_ops(s->e, mn, o, 3);
	return t;
}
#define OP(mn, a, b) op2(s, ZYDIS_MNEMONIC_##mn, a, b)

static int zero(struct ppu_seg *s)
{
	int t = ppu_seg_temp(s);

	EM(s->e, VPXOR, Y(t), Y(t), Y(t));
	return t;
}

static int copy(struct ppu_seg *s, struct ppu_opn o)
{
	int t = ppu_seg_temp(s);

	EM(s->e, VMOVDQA, Y(t), o);
	return t;
}

static void put(struct ppu_seg *s, unsigned row, int y)
{
	ppu_seg_put(s, row, y, false);
}

/* The result of an operation with 16 or 32 bits. */
static void put_word(struct ppu_seg *s, const struct ppu_dinsn *di, int y, bool sgn)
{
	put(s, di->d, half(di) ? extend(s, Y(y), 16, sgn) : y);
}

static void put2(struct ppu_seg *s, unsigned row, int lo, int hi)
{
	put(s, row, lo);
	put(s, row + 1, hi);
}

/* ---- moves ---- */

static void sel_mov(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int lo, hi;

	if (di->op == PPU_OP_MOVI64) {
		if (ppu_numbers_put_const(s, di->d, di->imm64))
			return;
		lo = copy(s, ppu_seg_const(s, (uint32_t)di->imm64));
		put2(s, di->d, lo, copy(s, ppu_seg_const(s, (uint32_t)(di->imm64 >> 32))));
	} else if (di->t == PPU_T_U64) {
		lo = copy(s, b_lo(s, di));
		hi = copy(s, b_hi(s, di));
		put2(s, di->d, lo, hi);
	} else {
		put(s, di->d, copy(s, b_lo(s, di)));
	}
}

static int choose(struct ppu_seg *s, struct ppu_lanes p, int a, struct ppu_opn b)
{
	int t = ppu_seg_temp(s);

	ppu_lanes_blend(s, t, Y(a), b, p);
	return t;
}

static void sel_sel(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	struct ppu_lanes p = di->ps == PPU_PT ? ppu_lanes_all(s, !di->psn) : ppu_seg_pred(s, di->ps, di->psn);
	int lo = choose(s, p, ppu_seg_reg(s, di->a), b_lo(s, di)), hi;

	if (di->t != PPU_T_U64) {
		put(s, di->d, lo);
		return;
	}
	hi = choose(s, p, ppu_seg_reg(s, di->a + 1u), b_hi(s, di));
	put2(s, di->d, lo, hi);
}

/* ---- sums ---- */

/* hi = ah + bh + carry, where lo = al + bl: lo >= al says there is no carry. */
static int carry_sum(struct ppu_seg *s, int lo, int al, int ah, struct ppu_opn bh)
{
	int t, hi;

	if (s->e->evex) {
		struct ppu_lanes carry = ppu_lanes_compare(s, PPU_CMP_LT, false, lo, Y(al));

		hi = OP(VPADDD, ah, bh);
		EM(s->e, VPSUBD, Y(hi), ppu_lanes_k(carry.y), Y(hi), ppu_seg_const(s, ~0u));
		ppu_seg_drop(s, carry.y);
		return hi;
	}
	t = OP(VPMAXUD, lo, Y(al));
	hi = OP(VPADDD, ah, bh);
	EM(s->e, VPCMPEQD, Y(t), Y(t), Y(lo));			/* -1: no carry */
	EM(s->e, VPADDD, Y(hi), Y(hi), Y(t));
	EM(s->e, VPSUBD, Y(hi), Y(hi), ppu_seg_const(s, ~0u));
	ppu_seg_drop(s, t);
	return hi;
}

static void sel_add(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int al, lo, hi;

	al = ppu_seg_reg(s, di->a);
	lo = OP(VPADDD, al, b_lo(s, di));
	if (!pair(di)) {
		put_word(s, di, lo, is_s(di->t));
		return;
	}
	hi = carry_sum(s, lo, al, ppu_seg_reg(s, di->a + 1u), b_hi(s, di));
	put2(s, di->d, lo, hi);
}

static void sel_sub(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int al = ppu_seg_reg(s, di->a), lo, hi, t;
	struct ppu_opn bl = b_lo(s, di);

	lo = OP(VPSUBD, al, bl);
	if (!pair(di)) {
		put_word(s, di, lo, is_s(di->t));
		return;
	}
	hi = OP(VPSUBD, ppu_seg_reg(s, di->a + 1u), b_hi(s, di));
	if (s->e->evex) {
		struct ppu_lanes borrow = ppu_lanes_compare(s, PPU_CMP_LT, false, al, bl);

		EM(s->e, VPADDD, Y(hi), ppu_lanes_k(borrow.y), Y(hi), ppu_seg_const(s, ~0u));
		put2(s, di->d, lo, hi);
		return;
	}
	t = OP(VPMAXUD, al, bl);				/* al >= bl: no borrow */
	EM(s->e, VPCMPEQD, Y(t), Y(t), Y(al));
	EM(s->e, VPSUBD, Y(hi), Y(hi), Y(t));
	EM(s->e, VPADDD, Y(hi), Y(hi), ppu_seg_const(s, ~0u));
	put2(s, di->d, lo, hi);
}

/* ---- products ---- */

/* The 64-bit products of even and odd lanes. */
static void products(struct ppu_seg *s, bool sgn, int a, struct ppu_opn b, int *even, int *odd)
{
	int by = in_reg(s, b), ao = ppu_seg_temp(s), bo = ppu_seg_temp(s);

	EM(s->e, VPSRLQ, Y(ao), Y(a), IM(32));
	EM(s->e, VPSRLQ, Y(bo), Y(by), IM(32));
	*even = ppu_seg_temp(s);
	*odd = ao;
	if (sgn) {
		EM(s->e, VPMULDQ, Y(*even), Y(a), Y(by));
		EM(s->e, VPMULDQ, Y(*odd), Y(ao), Y(bo));
	} else {
		EM(s->e, VPMULUDQ, Y(*even), Y(a), Y(by));
		EM(s->e, VPMULUDQ, Y(*odd), Y(ao), Y(bo));
	}
	ppu_seg_drop(s, bo);
	ppu_seg_drop(s, by);
}

static void wide(struct ppu_seg *s, bool sgn, int a, struct ppu_opn b, int *lo, int *hi)
{
	int e, o;

	products(s, sgn, a, b, &e, &o);
	*lo = ppu_seg_temp(s);
	*hi = ppu_seg_temp(s);
	EM(s->e, VPSLLQ, Y(*lo), Y(o), IM(32));
	ppu_lanes_alternate(s, *lo, e, *lo);
	EM(s->e, VPSRLQ, Y(*hi), Y(e), IM(32));
	ppu_lanes_alternate(s, *hi, *hi, o);
	ppu_seg_drop(s, e);
	ppu_seg_drop(s, o);
}

/* The product with 2^n. */
static void shifted(struct ppu_seg *s, bool sgn, int a, unsigned n, int *lo, int *hi)
{
	*lo = ppu_seg_temp(s);
	*hi = ppu_seg_temp(s);
	if (n)
		EM(s->e, VPSLLD, Y(*lo), Y(a), IM(n));
	else
		EM(s->e, VMOVDQA, Y(*lo), Y(a));
	if (sgn)
		EM(s->e, VPSRAD, Y(*hi), Y(a), IM(n ? 32 - n : 31));
	else if (n)
		EM(s->e, VPSRLD, Y(*hi), Y(a), IM(32 - n));
	else
		EM(s->e, VPXOR, Y(*hi), Y(*hi), Y(*hi));
}

static void wide_b(struct ppu_seg *s, const struct ppu_dinsn *di, int a, int *lo, int *hi)
{
	uint32_t v = di->imm;

	/* As a signed factor 2^31 is negative. */
	if (di->bi && v && !(v & (v - 1)) && !(is_s(di->t) && v >> 31))
		shifted(s, is_s(di->t), a, (unsigned)__builtin_ctz(v), lo, hi);
	else
		wide(s, is_s(di->t), a, b_lo(s, di), lo, hi);
}

static void sel_mul(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = ppu_seg_reg(s, di->a), lo, hi, e, o, t;

	switch (di->op) {
	case PPU_OP_MUL:
		put_word(s, di, OP(VPMULLD, a, b_lo(s, di)), is_s(di->t));
		return;
	case PPU_OP_MAD:
		t = OP(VPMULLD, a, b_lo(s, di));
		EM(s->e, VPADDD, Y(t), Y(t), c_lo(s, di));
		put(s, di->d, t);
		return;
	case PPU_OP_MULHI:
		products(s, is_s(di->t), a, b_lo(s, di), &e, &o);
		EM(s->e, VPSRLQ, Y(e), Y(e), IM(32));
		ppu_lanes_alternate(s, e, e, o);
		put(s, di->d, e);
		return;
	case PPU_OP_MULW:
		wide_b(s, di, a, &lo, &hi);
		put2(s, di->d, lo, hi);
		return;
	default:	/* MADW */
		/* b is never immediate together with c: imm is that of the one that is. */
		wide_b(s, di, a, &lo, &hi);
		t = OP(VPADDD, lo, c_lo(s, di));
		e = carry_sum(s, t, lo, hi, c_hi(s, di));
		ppu_seg_drop(s, lo);
		ppu_seg_drop(s, hi);
		put2(s, di->d, t, e);
	}
}

/* ---- quotients ---- */

/* Numbers of half of the lanes as f64, exactly; half: which. */
static int to_f64(struct ppu_seg *s, int y, unsigned half, bool sgn, struct ppu_opn two31)
{
	int t = ppu_seg_temp(s);

	EM(s->e, VEXTRACTI128, H(t), Y(y), IM(half));
	if (s->e->evex && !sgn) {
		EM(s->e, VCVTUDQ2PD, Y(t), H(t));
		return t;
	}
	if (!sgn)
		EM(s->e, VPXOR, X(t), X(t), M(R13, ppu_emit_splat(s->e, 0x80000000), 16));
	EM(s->e, VCVTDQ2PD, Y(t), H(t));
	if (!sgn)
		EM(s->e, VADDPD, Y(t), Y(t), two31);
	return t;
}

/* The number to a word, rounded to zero, in the lower half. */
static void to_word(struct ppu_seg *s, int q, bool sgn, struct ppu_opn two31)
{
	if (s->e->evex && !sgn) {
		EM(s->e, VCVTTPD2UDQ, H(q), Y(q));
		return;
	}
	if (!sgn) {
		/* Truncated first: the host rounds towards zero, and the difference may be negative. */
		EM(s->e, VROUNDPD, Y(q), Y(q), IM(3));
		EM(s->e, VSUBPD, Y(q), Y(q), two31);
	}
	EM(s->e, VCVTTPD2DQ, H(q), Y(q));
	if (!sgn)
		EM(s->e, VPXOR, X(q), X(q), M(R13, ppu_emit_splat(s->e, 0x80000000), 16));
}

/* Words a / b, rounded to zero.  The rounded quotient never reaches the next integer: see exec_int.c. */
static int quotient(struct ppu_seg *s, int a, int b, bool sgn)
{
	static const uint32_t two31[16] = { 0, 0x41e00000, 0, 0x41e00000, 0, 0x41e00000, 0, 0x41e00000,
					    0, 0x41e00000, 0, 0x41e00000, 0, 0x41e00000, 0, 0x41e00000 };
	struct ppu_opn bias = M(R13, ppu_lanes_vector(s, two31), PPU_VEC);
	int q[2], d;

	for (unsigned i = 0; i < 2; i++) {
		q[i] = to_f64(s, a, i, sgn, bias);
		d = to_f64(s, b, i, sgn, bias);
		EM(s->e, VDIVPD, Y(q[i]), Y(q[i]), Y(d));
		ppu_seg_drop(s, d);
		to_word(s, q[i], sgn, bias);
	}
	EM(s->e, VINSERTI128, Y(q[0]), Y(q[0]), H(q[1]), IM(1));
	ppu_seg_drop(s, q[1]);
	return q[0];
}

/* Division by 0 gives all ones, the remainder is the dividend. */
static void sel_div(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	bool sgn = is_s(di->t);
	int a = ppu_seg_reg(s, di->a), b = in_reg(s, b_lo(s, di)), q;
	struct ppu_lanes none;

	if (half(di)) {
		a = extend(s, Y(a), 16, sgn);
		b = extend(s, Y(b), 16, sgn);
	}
	q = quotient(s, a, b, sgn);
	none = ppu_lanes_compare(s, PPU_CMP_EQ, false, b, ppu_seg_const(s, 0));
	if (di->op == PPU_OP_DIV) {
		ppu_lanes_blend(s, q, ppu_seg_const(s, ~0u), Y(q), none);
	} else {
		EM(s->e, VPMULLD, Y(q), Y(q), Y(b));
		EM(s->e, VPSUBD, Y(q), Y(a), Y(q));
		ppu_lanes_blend(s, q, Y(a), Y(q), none);
	}
	put_word(s, di, q, sgn);
}

/* ---- logic ---- */

static void sel_logic(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	ZydisMnemonic mn = di->op == PPU_OP_AND ? ZYDIS_MNEMONIC_VPAND : di->op == PPU_OP_OR ? ZYDIS_MNEMONIC_VPOR :
			   ZYDIS_MNEMONIC_VPXOR;
	int lo = op2(s, mn, ppu_seg_reg(s, di->a), b_lo(s, di));

	if (!pair(di)) {
		put_word(s, di, lo, false);
		return;
	}
	put2(s, di->d, lo, op2(s, mn, ppu_seg_reg(s, di->a + 1u), b_hi(s, di)));
}

static void sel_not(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int lo = OP(VPXOR, ppu_seg_reg(s, di->a), ppu_seg_const(s, ~0u));

	if (!pair(di)) {
		put_word(s, di, lo, false);
		return;
	}
	put2(s, di->d, lo, OP(VPXOR, ppu_seg_reg(s, di->a + 1u), ppu_seg_const(s, ~0u)));
}

/* A function of two bits: table bit 2b + c. */
static int bool2(struct ppu_seg *s, unsigned table, int b, int c)
{
	struct ppu_opn ones = ppu_seg_const(s, ~0u);
	int t;

	switch (table) {
	case 0x0: return zero(s);
	case 0x1: t = OP(VPOR, b, Y(c)); break;			/* then the complement */
	case 0x2: return OP(VPANDN, b, Y(c));
	case 0x3: t = b; break;
	case 0x4: return OP(VPANDN, c, Y(b));
	case 0x5: t = c; break;
	case 0x6: return OP(VPXOR, b, Y(c));
	case 0x7: t = OP(VPAND, b, Y(c)); break;
	case 0x8: return OP(VPAND, b, Y(c));
	case 0x9: t = OP(VPXOR, b, Y(c)); break;
	case 0xa: return c;
	case 0xb: t = OP(VPANDN, c, Y(b)); break;
	case 0xc: return b;
	case 0xd: t = OP(VPANDN, b, Y(c)); break;
	case 0xe: return OP(VPOR, b, Y(c));
	default:  return copy(s, ones);
	}
	return OP(VPXOR, t, ones);
}

/* Table bit 4a + 2b + c: f(0, b, c) ^ (a & (f(0, b, c) ^ f(1, b, c))). */
static void sel_lop3(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	unsigned f0 = di->y & 15, x = f0 ^ di->y >> 4;
	int a = ppu_seg_reg(s, di->a), b = in_reg(s, b_lo(s, di)), c = in_reg(s, c_lo(s, di)), t, r;

	if (s->e->evex) {
		r = copy(s, Y(a));
		EM(s->e, VPTERNLOGD, Y(r), Y(b), Y(c), IM(di->y));
		put(s, di->d, r);
		return;
	}
	if (!x) {
		r = bool2(s, f0, b, c);
		put(s, di->d, copy(s, Y(r)));
		return;
	}
	t = x == 15 ? a : OP(VPAND, a, Y(bool2(s, x, b, c)));
	r = !f0 ? OP(VPOR, t, Y(t)) : OP(VPXOR, t, Y(bool2(s, f0, b, c)));
	put(s, di->d, r);
}

/* ---- shifts ---- */

static void sel_shift(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	ZydisMnemonic mn = di->op == PPU_OP_SHL ? ZYDIS_MNEMONIC_VPSLLVD : is_s(di->t) ? ZYDIS_MNEMONIC_VPSRAVD :
			   ZYDIS_MNEMONIC_VPSRLVD;

	put(s, di->d, op2(s, mn, ppu_seg_reg(s, di->a), b_lo(s, di)));
}

/* A pair by a constant. */
static void sel_shift64(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	uint32_t n = di->imm;
	bool left = di->op == PPU_OP_SHL, sgn = !left && is_s(di->t);
	int lo = ppu_seg_reg(s, di->a), hi = ppu_seg_reg(s, di->a + 1u), far = left ? hi : lo, near = left ? lo : hi;
	int t, u;

	/* `near` is the word that bits leave, `far` the one they go to. */
	if (n < 32) {
		struct ppu_opn by = ppu_seg_const(s, n), rest = ppu_seg_const(s, 32 - n);

		if (left) {
			t = OP(VPSLLVD, far, by);
			u = OP(VPSRLVD, near, rest);
			EM(s->e, VPOR, Y(t), Y(t), Y(u));
			EM(s->e, VPSLLVD, Y(u), Y(near), by);
		} else {
			t = OP(VPSRLVD, far, by);
			u = OP(VPSLLVD, near, rest);
			EM(s->e, VPOR, Y(t), Y(t), Y(u));
			if (sgn)
				EM(s->e, VPSRAVD, Y(u), Y(near), by);
			else
				EM(s->e, VPSRLVD, Y(u), Y(near), by);
		}
	} else {
		struct ppu_opn by = ppu_seg_const(s, n - 32 < 32 ? n - 32 : 32);

		t = left ? OP(VPSLLVD, near, by) : sgn ? OP(VPSRAVD, near, by) : OP(VPSRLVD, near, by);
		u = sgn ? OP(VPSRAVD, near, ppu_seg_const(s, 31)) : zero(s);
	}
	put2(s, di->d, left ? u : t, left ? t : u);
}

static void sel_shf(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = ppu_seg_reg(s, di->a), b = in_reg(s, b_lo(s, di)), n, k, t, u;

	if (s->e->evex) {
		struct ppu_opn by = di->ci ? ppu_seg_const(s, di->imm) : ppu_seg_rm(s, di->c);

		/* The host takes the distance modulo 32, too. */
		t = copy(s, Y(di->m == PPU_SHF_L ? b : a));
		if (di->m == PPU_SHF_L)
			EM(s->e, VPSHLDVD, Y(t), Y(a), by);
		else
			EM(s->e, VPSHRDVD, Y(t), Y(b), by);
		put(s, di->d, t);
		return;
	}
	if (di->ci) {
		n = in_reg(s, ppu_seg_const(s, di->imm & 31));
		k = in_reg(s, ppu_seg_const(s, 32 - (di->imm & 31)));
	} else {
		n = OP(VPAND, ppu_seg_reg(s, di->c), ppu_seg_const(s, 31));
		k = OP(VPSUBD, in_reg(s, ppu_seg_const(s, 32)), Y(n));
	}
	t = di->m == PPU_SHF_L ? OP(VPSLLVD, b, Y(n)) : OP(VPSRLVD, a, Y(n));
	u = di->m == PPU_SHF_L ? OP(VPSRLVD, a, Y(k)) : OP(VPSLLVD, b, Y(k));
	put(s, di->d, OP(VPOR, t, Y(u)));
}

static void sel_bfe(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	uint32_t pos = di->imm & 0xff, len = di->imm >> 8 & 0xff, ones = len < 32 ? (1u << len) - 1 : ~0u;
	int t = OP(VPSRLVD, ppu_seg_reg(s, di->a), ppu_seg_const(s, pos < 32 ? pos : 32));

	EM(s->e, VPAND, Y(t), Y(t), ppu_seg_const(s, ones));
	put(s, di->d, t);
}

/* ---- minimum, maximum, sign ---- */

static void sel_minmax(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = ppu_seg_reg(s, di->a);
	struct ppu_opn b = b_lo(s, di);

	if (di->op == PPU_OP_MIN)
		put(s, di->d, is_s(di->t) ? OP(VPMINSD, a, b) : OP(VPMINUD, a, b));
	else
		put(s, di->d, is_s(di->t) ? OP(VPMAXSD, a, b) : OP(VPMAXUD, a, b));
}

static void sel_sign(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int t;

	if (di->op == PPU_OP_NEG) {
		t = zero(s);
		EM(s->e, VPSUBD, Y(t), Y(t), ppu_seg_rm(s, di->a));
	} else {
		t = ppu_seg_temp(s);
		if (is_s(di->t))
			EM(s->e, VPABSD, Y(t), ppu_seg_rm(s, di->a));
		else
			EM(s->e, VMOVDQA, Y(t), ppu_seg_rm(s, di->a));
	}
	put(s, di->d, t);
}

/* ---- conversions ---- */

/* The low `bits` bits of y, extended, in a temporary. */
static int extend(struct ppu_seg *s, struct ppu_opn o, unsigned bits, bool sgn)
{
	struct ppu_opn by;
	int t;

	if (bits >= 32)
		return copy(s, o);
	if (!sgn)
		return OP(VPAND, in_reg(s, o), ppu_seg_const(s, (1u << bits) - 1));
	by = ppu_seg_const(s, 32 - bits);
	t = OP(VPSLLVD, in_reg(s, o), by);
	EM(s->e, VPSRAVD, Y(t), Y(t), by);
	return t;
}

static void sel_cvt(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	unsigned tb = bits_of(di->t), ub = bits_of(di->u);
	int lo, hi;

	if (tb == 64 && ub == 64) {
		lo = copy(s, ppu_seg_rm(s, di->a));
		hi = copy(s, ppu_seg_rm(s, di->a + 1u));
		put2(s, di->d, lo, hi);
		return;
	}
	lo = extend(s, ppu_seg_rm(s, di->a), ub, is_s(di->u));
	if (tb == 64) {
		hi = is_s(di->u) ? OP(VPSRAVD, lo, ppu_seg_const(s, 31)) : zero(s);
		put2(s, di->d, lo, hi);
		return;
	}
	if (tb < 32)
		lo = extend(s, Y(lo), tb, is_s(di->t));
	put(s, di->d, lo);
}

static void sel_cvta(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int lo = copy(s, ppu_seg_rm(s, di->a)), hi;

	if (di->m == PPU_SPACE_GLOBAL || di->m == PPU_SPACE_CONST) {
		hi = copy(s, ppu_seg_rm(s, di->a + 1u));
	} else if (di->y) {
		put(s, di->d, lo);
		return;
	} else {
		uint64_t base = di->m == PPU_SPACE_SHARED ? PPU_VA_SHARED_BASE : di->m == PPU_SPACE_LOCAL ?
				PPU_VA_LOCAL_BASE : PPU_VA_PARAM_BASE;

		hi = copy(s, ppu_seg_const(s, (uint32_t)(base >> 32)));
	}
	put2(s, di->d, lo, hi);
}

/* ---- comparison ---- */

/* Of pairs; bl, bh: words of the second. */
static struct ppu_lanes compare_pairs(struct ppu_seg *s, const struct ppu_dinsn *di, bool sgn, int al, struct ppu_opn bl)
{
	unsigned strict = di->m == PPU_CMP_LE ? PPU_CMP_GT : di->m == PPU_CMP_GE ? PPU_CMP_LT : di->m;
	int ah = ppu_seg_reg(s, di->a + 1u);
	struct ppu_opn bh = b_hi(s, di);
	struct ppu_lanes l = ppu_lanes_compare(s, PPU_CMP_EQ, false, ah, bh), m;

	if (di->m == PPU_CMP_EQ || di->m == PPU_CMP_NE) {
		m = ppu_lanes_compare(s, PPU_CMP_EQ, false, al, bl);
		l = ppu_lanes_op(s, PPU_LANES_AND, l, m);
		l.invert ^= di->m == PPU_CMP_NE;
		return l;
	}
	/* (high words equal and low words less) or high words less */
	m = ppu_lanes_compare(s, strict, false, al, bl);
	l = ppu_lanes_merge(s, l, m, ppu_lanes_compare(s, strict, sgn, ah, bh));
	l.invert ^= strict != di->m;
	return l;
}

static void sel_setp(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	bool sgn = is_s(di->t);
	int al = ppu_seg_reg(s, di->a);
	struct ppu_opn bl = b_lo(s, di);

	if (half(di)) {
		al = extend(s, Y(al), 16, sgn);
		bl = Y(extend(s, bl, 16, sgn));
	}
	ppu_seg_setp(s, di, pair(di) ? compare_pairs(s, di, sgn, al, bl) : ppu_lanes_compare(s, di->m, sgn, al, bl));
}

/* pd = a predicate, combined with ps. */
static void sel_plop(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	enum ppu_lanes_op op = di->m == PPU_PLOP_AND ? PPU_LANES_AND : di->m == PPU_PLOP_OR ? PPU_LANES_OR : PPU_LANES_XOR;
	unsigned first = di->raw_a & 15;
	struct ppu_lanes a = first != PPU_PT ? ppu_seg_pred(s, first, di->na) : ppu_lanes_all(s, !di->na);
	struct ppu_lanes b = di->ps != PPU_PT ? ppu_seg_pred(s, di->ps, di->psn) : ppu_lanes_all(s, !di->psn);

	a = ppu_lanes_op(s, op, a, b);
	ppu_seg_keep_only(s, a.y, a.y);
	ppu_seg_put_pred(s, di->pd, a);
}

/* ---- selection ---- */

static bool is_int(unsigned t)
{
	return t >= PPU_T_U8 && t <= PPU_T_S64;
}

static bool cvt_can(const struct ppu_dinsn *di)
{
	return is_int(di->t) && is_int(di->u) && !di->sat;
}

bool ppu_select_can(const struct ppu_dinsn *di)
{
	bool both = word(di) || pair(di);

	if (ppu_select_float_can(di) || ppu_select_f64_can(di) || ppu_select_bits_can(di))
		return true;
	switch (di->op) {
	case PPU_OP_MOVI64: case PPU_OP_CVTA:
		return true;
	case PPU_OP_MOV: case PPU_OP_SEL:
		return di->t == PPU_T_U32 || di->t == PPU_T_U64;
	case PPU_OP_AND: case PPU_OP_OR: case PPU_OP_XOR: case PPU_OP_NOT:
		return both || half(di);
	case PPU_OP_PLOP:
		return di->m == PPU_PLOP_AND || di->m == PPU_PLOP_OR || di->m == PPU_PLOP_XOR;
	case PPU_OP_DIV: case PPU_OP_REM:
		return (word(di) || half(di)) && !di->m && !di->sat;
	case PPU_OP_LOP3:
		return true;
	case PPU_OP_MULW: case PPU_OP_MADW:
		return word(di);
	case PPU_OP_SHF:
		return di->m == PPU_SHF_L || di->m == PPU_SHF_R;
	case PPU_OP_SHL: case PPU_OP_SHR:
		return word(di) || (pair(di) && di->bi);
	case PPU_OP_BFE:
		return di->t == PPU_T_U32 && di->bi;
	case PPU_OP_CVT:
		return cvt_can(di);
	case PPU_OP_ADD: case PPU_OP_SUB:
		return (both || half(di)) && !di->sat && !di->m;
	case PPU_OP_MUL:
		return word(di) || half(di);
	case PPU_OP_MIN: case PPU_OP_MAX: case PPU_OP_NEG: case PPU_OP_ABS: case PPU_OP_MULHI:
		return word(di);
	case PPU_OP_MAD:
		return word(di) && !di->m;
	case PPU_OP_SETP:
		return both || half(di);
	default:
		return false;
	}
}

void ppu_select(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	if (ppu_select_float_can(di)) {
		ppu_select_float(s, di);
		return;
	}
	if (ppu_select_f64_can(di)) {
		ppu_select_f64(s, di);
		return;
	}
	if (ppu_select_bits_can(di)) {
		ppu_select_bits(s, di);
		return;
	}
	switch (di->op) {
	case PPU_OP_MOV: case PPU_OP_MOVI64:
		sel_mov(s, di);
		break;
	case PPU_OP_SEL:
		sel_sel(s, di);
		break;
	case PPU_OP_ADD:
		sel_add(s, di);
		break;
	case PPU_OP_SUB:
		sel_sub(s, di);
		break;
	case PPU_OP_MUL: case PPU_OP_MAD: case PPU_OP_MULHI: case PPU_OP_MULW: case PPU_OP_MADW:
		sel_mul(s, di);
		break;
	case PPU_OP_AND: case PPU_OP_OR: case PPU_OP_XOR:
		sel_logic(s, di);
		break;
	case PPU_OP_PLOP:
		sel_plop(s, di);
		break;
	case PPU_OP_DIV: case PPU_OP_REM:
		sel_div(s, di);
		break;
	case PPU_OP_NOT:
		sel_not(s, di);
		break;
	case PPU_OP_LOP3:
		sel_lop3(s, di);
		break;
	case PPU_OP_SHL: case PPU_OP_SHR:
		if (pair(di))
			sel_shift64(s, di);
		else
			sel_shift(s, di);
		break;
	case PPU_OP_SHF:
		sel_shf(s, di);
		break;
	case PPU_OP_BFE:
		sel_bfe(s, di);
		break;
	case PPU_OP_MIN: case PPU_OP_MAX:
		sel_minmax(s, di);
		break;
	case PPU_OP_NEG: case PPU_OP_ABS:
		sel_sign(s, di);
		break;
	case PPU_OP_CVT:
		sel_cvt(s, di);
		break;
	case PPU_OP_CVTA:
		sel_cvta(s, di);
		break;
	case PPU_OP_SETP:
		sel_setp(s, di);
		break;
	default:
		s->e->failed = true;
	}
}
#endif
