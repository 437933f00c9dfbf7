/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host instructions for counting, reversing and moving bits and bytes, for products and shifts of 64 bits, and for halves to
 * floats.  exec/exec_bits.c, exec_int.c and exec_cvt.c say what each must give.
 */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/translate/lanes.h"

static bool word(const struct ppu_dinsn *di)
{
	return di->t == PPU_T_U32 || di->t == PPU_T_S32;
}

static bool pair(const struct ppu_dinsn *di)
{
	return di->t == PPU_T_U64 || di->t == PPU_T_S64;
}

/* Bytes 3 to 0 of one word say which of eight bytes. */
static bool permutes(const struct ppu_dinsn *di)
{
	return di->m == PPU_PRMT_IDX && di->ci && !di->bi && !(di->imm & 0x8888);
}

bool ppu_select_bits_can(const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_POPC: case PPU_OP_CLZ: case PPU_OP_BREV:
		return word(di) || pair(di);
	case PPU_OP_BFIND:
		return word(di) && !di->m;
	case PPU_OP_BFE:
		return di->t == PPU_T_U32 && !di->bi;
	case PPU_OP_BFI:
		return word(di);
	case PPU_OP_PRMT:
		return permutes(di);
	case PPU_OP_MUL: case PPU_OP_MAD:
		return pair(di) && !di->m;
	case PPU_OP_MULW:
		return di->t == PPU_T_U16 || di->t == PPU_T_S16;
	case PPU_OP_SHL: case PPU_OP_SHR:
		return pair(di) && !di->bi;
	case PPU_OP_CVT:
		return di->t == PPU_T_F32 && di->u == PPU_T_F16 && !di->rnd && !di->ftz && !di->sat && !di->na && !di->aa &&
		       !di->y;
	default:
		return false;
	}
}

/* ---- helpers ---- */

/* t = a OP b */
static int op2(struct ppu_seg *s, ZydisMnemonic mn, int a, struct ppu_opn b)
{
	int t = ppu_seg_temp(s);
	const struct ppu_opn o[] = { Y(t), Y(a), b };

	ppu_emit_ops(s->e, mn, o, 3);
	return t;
}
#define OP(mn, a, b) op2(s, ZYDIS_MNEMONIC_##mn, a, b)

static int in_reg(struct ppu_seg *s, struct ppu_opn o)
{
	int t;

	if (o.kind == PPU_O_YMM)
		return o.reg;
	t = ppu_seg_temp(s);
	EM(s->e, VMOVDQA, Y(t), o);
	return t;
}

static int constant(struct ppu_seg *s, uint32_t v)
{
	return in_reg(s, ppu_seg_const(s, v));
}

static void put(struct ppu_seg *s, unsigned row, int y)
{
	ppu_seg_put(s, row, y, false);
}

static uint32_t imm_hi(const struct ppu_dinsn *di)
{
	return (uint32_t)((int32_t)di->imm >> 31);
}

static int b_lo(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return di->bi ? constant(s, di->imm) : ppu_seg_reg(s, di->b);
}

static int b_hi(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	return di->bi ? constant(s, imm_hi(di)) : ppu_seg_reg(s, di->b + 1u);
}

/* The same 16 bytes for each four lanes. */
static struct ppu_opn table(struct ppu_seg *s, const uint8_t *bytes)
{
	uint32_t words[16];

	for (unsigned i = 0; i < 4; i++)
		memcpy(words + (size_t)4 * i, bytes, 16);
	return M(R13, ppu_lanes_vector(s, words), PPU_VEC);
}

/* The sum, or OR, of what two tables say of the lower and upper half of each byte. */
static int by_nibbles(struct ppu_seg *s, int a, const uint8_t *lower, const uint8_t *upper)
{
	struct ppu_opn mask = ppu_seg_const(s, 0x0f0f0f0f);
	int lo = OP(VPAND, a, mask), hi = ppu_seg_temp(s), t = ppu_seg_temp(s);

	EM(s->e, VPSRLD, Y(hi), Y(a), IM(4));
	EM(s->e, VPAND, Y(hi), Y(hi), mask);
	EM(s->e, VMOVDQA, Y(t), table(s, lower));
	EM(s->e, VPSHUFB, Y(lo), Y(t), Y(lo));
	EM(s->e, VMOVDQA, Y(t), table(s, upper));
	EM(s->e, VPSHUFB, Y(hi), Y(t), Y(hi));
	EM(s->e, VPADDB, Y(lo), Y(lo), Y(hi));
	ppu_seg_drop(s, hi);
	ppu_seg_drop(s, t);
	return lo;
}

/* ---- counting ---- */

static int popc(struct ppu_seg *s, int a)
{
	static const uint8_t ones[16] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
	int t = by_nibbles(s, a, ones, ones);

	EM(s->e, VPMADDUBSW, Y(t), Y(t), ppu_seg_const(s, 0x01010101));
	EM(s->e, VPMADDWD, Y(t), Y(t), ppu_seg_const(s, 0x00010001));
	return t;
}

/*
 * The exponent of the number as a float says where the highest bit is.  The bit below it is cleared, so the float is not
 * rounded up to the next power of two.  Numbers from 2^31 on are negative, and 0 has the exponent 0.
 */
static int clz(struct ppu_seg *s, int a)
{
	int t = ppu_seg_temp(s);

	EM(s->e, VPSRLD, Y(t), Y(a), IM(1));
	EM(s->e, VPANDN, Y(t), Y(t), Y(a));
	EM(s->e, VCVTDQ2PS, Y(t), Y(t));
	EM(s->e, VPSRLD, Y(t), Y(t), IM(23));
	EM(s->e, VPSUBD, Y(t), Y(constant(s, 127 + 31)), Y(t));
	EM(s->e, VPMAXSD, Y(t), Y(t), ppu_seg_const(s, 0));
	EM(s->e, VPMINSD, Y(t), Y(t), ppu_seg_const(s, 32));
	return t;
}

static int brev(struct ppu_seg *s, int a)
{
	static const uint8_t bytes[16] = { 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12 };
	static const uint8_t lower[16] = { 0x00, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0,
					   0x10, 0x90, 0x50, 0xd0, 0x30, 0xb0, 0x70, 0xf0 };
	static const uint8_t upper[16] = { 0x0, 0x8, 0x4, 0xc, 0x2, 0xa, 0x6, 0xe, 0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf };
	int t = by_nibbles(s, a, lower, upper);

	EM(s->e, VPSHUFB, Y(t), Y(t), table(s, bytes));
	return t;
}

static void sel_popc(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int t = popc(s, ppu_seg_reg(s, di->a)), u;

	if (pair(di)) {
		u = popc(s, ppu_seg_reg(s, di->a + 1u));
		EM(s->e, VPADDD, Y(t), Y(t), Y(u));
	}
	put(s, di->d, t);
}

static void sel_clz(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int t = clz(s, ppu_seg_reg(s, di->a)), h;
	struct ppu_lanes none;

	if (pair(di)) {
		h = clz(s, ppu_seg_reg(s, di->a + 1u));
		none = ppu_lanes_compare(s, PPU_CMP_EQ, false, h, ppu_seg_const(s, 32));
		EM(s->e, VPADDD, Y(t), Y(t), Y(h));
		ppu_lanes_blend(s, t, Y(t), Y(h), none);
	}
	put(s, di->d, t);
}

static void sel_brev(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int t = brev(s, ppu_seg_reg(s, di->a)), hi;

	if (pair(di)) {
		hi = brev(s, ppu_seg_reg(s, di->a + 1u));
		put(s, di->d, hi);
		put(s, di->d + 1u, t);
		return;
	}
	put(s, di->d, t);
}

/* The highest bit that is not the sign, or ~0. */
static void sel_bfind(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = ppu_seg_reg(s, di->a), t, u;

	if (di->t == PPU_T_S32) {
		u = ppu_seg_temp(s);
		EM(s->e, VPSRAD, Y(u), Y(a), IM(31));
		EM(s->e, VPXOR, Y(u), Y(u), Y(a));
		a = u;
	}
	t = clz(s, a);
	EM(s->e, VPSUBD, Y(t), Y(constant(s, 31)), Y(t));
	put(s, di->d, t);
}

/* ---- fields and bytes ---- */

/* Ones in as many low bits as byte 1 of y says; 32 and more: in all. */
static int ones(struct ppu_seg *s, int y)
{
	int t = ppu_seg_temp(s);

	EM(s->e, VPSRLD, Y(t), Y(y), IM(8));
	EM(s->e, VPAND, Y(t), Y(t), ppu_seg_const(s, 0xff));
	EM(s->e, VPSLLVD, Y(t), Y(constant(s, 1)), Y(t));
	EM(s->e, VPADDD, Y(t), Y(t), ppu_seg_const(s, ~0u));
	return t;
}

static void sel_bfe(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int b = ppu_seg_reg(s, di->b), m = ones(s, b), t = OP(VPAND, b, ppu_seg_const(s, 0xff));

	EM(s->e, VPSRLVD, Y(t), Y(ppu_seg_reg(s, di->a)), Y(t));
	EM(s->e, VPAND, Y(t), Y(t), Y(m));
	put(s, di->d, t);
}

static void sel_bfi(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int c = di->ci ? constant(s, di->imm) : ppu_seg_reg(s, di->c), m = ones(s, c), t, u;

	t = OP(VPAND, c, ppu_seg_const(s, 0xff));
	EM(s->e, VPSLLVD, Y(m), Y(m), Y(t));
	EM(s->e, VPSLLVD, Y(t), Y(ppu_seg_reg(s, di->a)), Y(t));
	EM(s->e, VPAND, Y(t), Y(t), Y(m));
	u = OP(VPANDN, m, Y(b_lo(s, di)));
	EM(s->e, VPOR, Y(t), Y(t), Y(u));
	put(s, di->d, t);
}

static void sel_prmt(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	uint8_t from[2][16];
	bool used[2] = { false, false };
	int t[2];

	for (unsigned i = 0; i < 16; i++) {
		unsigned n = di->imm >> 4 * (i & 3) & 7, which = n >> 2;

		from[which][i] = (uint8_t)((i & ~3u) + (n & 3));
		from[!which][i] = 0x80;		/* 0 */
		used[which] = true;
	}
	for (unsigned i = 0; i < 2; i++)
		if (used[i])
			t[i] = OP(VPSHUFB, ppu_seg_reg(s, i ? di->b : di->a), table(s, from[i]));
	if (used[0] && used[1])
		EM(s->e, VPOR, Y(t[0]), Y(t[0]), Y(t[1]));
	put(s, di->d, t[!used[0]]);
}

/* ---- 64 bits ---- */

/* *lo, *hi = a * b without sign. */
static void wide(struct ppu_seg *s, int a, int b, int *lo, int *hi)
{
	int ao = ppu_seg_temp(s), bo = ppu_seg_temp(s), e = ppu_seg_temp(s);

	EM(s->e, VPSRLQ, Y(ao), Y(a), IM(32));
	EM(s->e, VPSRLQ, Y(bo), Y(b), IM(32));
	EM(s->e, VPMULUDQ, Y(e), Y(a), Y(b));
	EM(s->e, VPMULUDQ, Y(ao), Y(ao), Y(bo));
	EM(s->e, VPSLLQ, Y(bo), Y(ao), IM(32));
	ppu_lanes_alternate(s, bo, e, bo);
	EM(s->e, VPSRLQ, Y(e), Y(e), IM(32));
	ppu_lanes_alternate(s, e, e, ao);
	ppu_seg_drop(s, ao);
	*lo = bo;
	*hi = e;
}

/* hi += 1 where lo < a. */
static void carry(struct ppu_seg *s, int hi, int lo, int a)
{
	struct ppu_lanes no = ppu_lanes_compare(s, PPU_CMP_GE, false, lo, Y(a));
	int t = OP(VPSUBD, hi, ppu_seg_const(s, ~0u));

	ppu_lanes_blend(s, hi, Y(hi), Y(t), no);
}

static void sel_mul64(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int al = ppu_seg_reg(s, di->a), ah = ppu_seg_reg(s, di->a + 1u), bl = b_lo(s, di), lo, hi, t, sum;

	wide(s, al, bl, &lo, &hi);
	t = OP(VPMULLD, al, Y(b_hi(s, di)));
	EM(s->e, VPADDD, Y(hi), Y(hi), Y(t));
	EM(s->e, VPMULLD, Y(t), Y(ah), Y(bl));
	EM(s->e, VPADDD, Y(hi), Y(hi), Y(t));
	ppu_seg_drop(s, t);
	if (di->op == PPU_OP_MAD) {
		ppu_seg_keep_only(s, lo, hi);
		sum = OP(VPADDD, lo, di->ci ? ppu_seg_const(s, di->imm) : ppu_seg_rm(s, di->c));
		EM(s->e, VPADDD, Y(hi), Y(hi), di->ci ? ppu_seg_const(s, imm_hi(di)) : ppu_seg_rm(s, di->c + 1u));
		carry(s, hi, sum, lo);
		lo = sum;
	}
	put(s, di->d, lo);
	put(s, di->d + 1u, hi);
}

static void sel_mulw16(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	bool sgn = di->t == PPU_T_S16;
	int t = ppu_seg_temp(s), u = ppu_seg_temp(s);

	EM(s->e, VPSLLD, Y(t), Y(ppu_seg_reg(s, di->a)), IM(16));
	EM(s->e, VPSLLD, Y(u), Y(b_lo(s, di)), IM(16));
	if (sgn) {
		EM(s->e, VPSRAD, Y(t), Y(t), IM(16));
		EM(s->e, VPSRAD, Y(u), Y(u), IM(16));
	} else {
		EM(s->e, VPSRLD, Y(t), Y(t), IM(16));
		EM(s->e, VPSRLD, Y(u), Y(u), IM(16));
	}
	EM(s->e, VPMULLD, Y(t), Y(t), Y(u));
	put(s, di->d, t);
}

/* By a register.  The host's shifts by 32 and more, also by what is below 0 as a signed number, give 0 or the sign. */
static void sel_shift64(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	bool left = di->op == PPU_OP_SHL, sgn = !left && di->t == PPU_T_S64;
	int lo = ppu_seg_reg(s, di->a), hi = ppu_seg_reg(s, di->a + 1u), n = ppu_seg_reg(s, di->b);
	int far = left ? hi : lo, near = left ? lo : hi, rest = ppu_seg_temp(s), t, u;
	ZydisMnemonic on = left ? ZYDIS_MNEMONIC_VPSLLVD : ZYDIS_MNEMONIC_VPSRLVD;
	ZydisMnemonic back = left ? ZYDIS_MNEMONIC_VPSRLVD : ZYDIS_MNEMONIC_VPSLLVD;
	struct ppu_lanes less;

	/* `near` is the word that bits leave, `far` the one they go to.  AVX2 has no register to spare here. */
	EM(s->e, VMOVDQA, Y(rest), ppu_seg_const(s, 32));
	EM(s->e, VPSUBD, Y(rest), Y(rest), Y(n));
	t = op2(s, on, far, Y(n));
	u = op2(s, back, near, Y(rest));
	EM(s->e, VPOR, Y(t), Y(t), Y(u));
	EM(s->e, VPSUBD, Y(rest), Y(n), ppu_seg_const(s, 32));
	if (sgn)
		on = ZYDIS_MNEMONIC_VPSRAVD;
	ppu_emit_ops(s->e, on, (const struct ppu_opn[]){ Y(u), Y(near), Y(rest) }, 3);
	ppu_seg_drop(s, rest);
	less = ppu_lanes_compare(s, PPU_CMP_LT, false, n, ppu_seg_const(s, 32));
	ppu_lanes_blend(s, t, Y(t), Y(u), less);
	ppu_seg_drop(s, less.y);
	ppu_emit_ops(s->e, on, (const struct ppu_opn[]){ Y(u), Y(near), Y(n) }, 3);
	ppu_seg_keep_only(s, t, u);
	put(s, di->d, left ? u : t);
	put(s, di->d + 1u, left ? t : u);
}

/* ---- halves ---- */

/*
 * A half moved to where a float has exponent and digits is 2^112 times too small, also if it is subnormal: a product with a
 * power of two is exact.  Infinities and NaNs get the exponent of floats.
 */
static void sel_cvt(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int a = ppu_seg_reg(s, di->a), h = OP(VPAND, a, ppu_seg_const(s, 0x7fff)), t = ppu_seg_temp(s), u;
	struct ppu_lanes huge = ppu_lanes_compare(s, PPU_CMP_GT, true, h, ppu_seg_const(s, 0x7bff));

	EM(s->e, VPSLLD, Y(t), Y(h), IM(13));
	EM(s->e, VMULPS, Y(t), Y(t), ppu_seg_const(s, 0x77800000));
	u = OP(VPOR, t, ppu_seg_const(s, 0x7f800000));
	ppu_lanes_blend(s, t, Y(u), Y(t), huge);
	EM(s->e, VPSLLD, Y(h), Y(a), IM(16));
	EM(s->e, VPAND, Y(h), Y(h), ppu_seg_const(s, 0x80000000));
	EM(s->e, VPOR, Y(t), Y(t), Y(h));
	ppu_seg_put(s, di->d, t, true);
}

void ppu_select_bits(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_POPC:
		sel_popc(s, di);
		break;
	case PPU_OP_CLZ:
		sel_clz(s, di);
		break;
	case PPU_OP_BREV:
		sel_brev(s, di);
		break;
	case PPU_OP_BFIND:
		sel_bfind(s, di);
		break;
	case PPU_OP_BFE:
		sel_bfe(s, di);
		break;
	case PPU_OP_BFI:
		sel_bfi(s, di);
		break;
	case PPU_OP_PRMT:
		sel_prmt(s, di);
		break;
	case PPU_OP_MUL: case PPU_OP_MAD:
		sel_mul64(s, di);
		break;
	case PPU_OP_MULW:
		sel_mulw16(s, di);
		break;
	case PPU_OP_SHL: case PPU_OP_SHR:
		sel_shift64(s, di);
		break;
	default:
		sel_cvt(s, di);
	}
}
#endif
