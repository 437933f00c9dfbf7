/* SPDX-License-Identifier: MIT */
/*
 * Conversions between every pair of types, and half precision arithmetic, against references that
 * look for the neighbours of the exact value among all values of the target type.  HW-46.
 */
#include "quad.h"
#include "test_exec.h"

#define N 1000

typedef long double ld;		/* 64 bits of mantissa: every operand of a conversion is exact */

/* ---- halves, by their definition -------------------------------------------------------------- */
static bool is_bf(unsigned t) { return t == PPU_T_BF16 || t == PPU_T_BF16X2; }
static unsigned inf_of(bool bf) { return bf ? 0x7f80 : 0x7c00; }
static double half_value(unsigned h, bool bf)
{
	unsigned mb = bf ? 7 : 10, exp = (h & 0x7fff) >> mb, m = h & ((1u << mb) - 1);
	int bias = bf ? 127 : 15;
	double r;

	if ((h & 0x7fff) > inf_of(bf))
		return NAN;
	if ((h & 0x7fff) == inf_of(bf))
		r = INFINITY;
	else if (exp)
		r = ldexp(1.0 + (double)m / (1 << mb), (int)exp - bias);
	else
		r = ldexp(m, 1 - bias - (int)mb);
	return h & 0x8000 ? -r : r;
}
/*
 * v + tail rounded to a half, where tail is an infinitesimal of the given sign: the largest half
 * not above |v|, then a decision between it and the next one.
 */
static unsigned to_half2(quad v, int tail, bool neg_zero, bool bf, unsigned rnd)
{
	unsigned lo = 0, hi = inf_of(bf), up;
	bool neg = v < 0 || (v == 0 && (tail < 0 || (tail == 0 && neg_zero)));
	quad a = v < 0 ? -v : v, l, h;
	int sticky = neg ? -tail : tail;	/* in the direction of |v| */

	if (v != v)
		return 0x7fff;
	if (a - a != 0)
		return (neg ? 0x8000 : 0) | inf_of(bf);
	while (hi - lo > 1) {
		unsigned mid = (lo + hi) / 2;
		quad m = half_value(mid, bf);

		if (m < a || (m == a && sticky >= 0))
			lo = mid;
		else
			hi = mid;
	}
	/* lo <= value < hi, where inf stands for the next power of two */
	l = half_value(lo, bf);
	h = hi == inf_of(bf) ? (quad)ldexp(1, bf ? 128 : 16) : (quad)half_value(hi, bf);
	if (a == l && sticky == 0) {
		up = 0;
	} else if (rnd == PPU_RND_RN) {
		quad mid = (l + h) / 2;

		up = a > mid || (a == mid && (sticky > 0 || (sticky == 0 && (lo & 1))));
	} else {
		up = rnd == (neg ? PPU_RND_RM : PPU_RND_RP);
	}
	/* beyond the largest number: directed modes stay at it, nearest has rounded up */
	if (a >= h)
		up = rnd == PPU_RND_RN || rnd == (neg ? PPU_RND_RM : PPU_RND_RP);
	return (neg ? 0x8000 : 0) | (up ? hi : lo);
}
static unsigned to_half(ld v, bool bf, unsigned rnd)
{
	if (isnan(v))
		return 0x7fff;
	if (isinf(v))
		return (v < 0 ? 0x8000 : 0) | inf_of(bf);
	return to_half2(v, 0, signbit(v), bf, rnd);
}

/* ---- conversions -------------------------------------------------------------------------------- */
static bool is_float(unsigned t) { return PPU_TS_FLT >> t & 1; }

static ld float_in(uint64_t x, unsigned t)
{
	switch (t) {
	case PPU_T_F16: case PPU_T_BF16:
		return half_value(x & 0xffff, is_bf(t));
	case PPU_T_F32:
		return f_of(x);
	}
	return d_of(x);
}
static uint64_t float_out(ld v, unsigned t, unsigned rnd)
{
	volatile ld e = v;
	volatile float f;
	volatile double d;

	switch (t) {
	case PPU_T_F16: case PPU_T_BF16:
		return to_half(v, is_bf(t), rnd);
	case PPU_T_F32:
		fesetround(fe_of[rnd]);
		f = (float)e;
		fesetround(FE_TONEAREST);
		return isnan(f) ? 0x7fffffff : u_of(f);
	}
	fesetround(fe_of[rnd]);
	d = (double)e;
	fesetround(FE_TONEAREST);
	return isnan(d) ? 0xfff8000000000000ull : l_of(d);
}
static ld integral(ld v, unsigned rnd)
{
	ld r = rnd == PPU_RND_RZ ? truncl(v) : rnd == PPU_RND_RM ? floorl(v) : rnd == PPU_RND_RP ? ceill(v) :
	       nearbyintl(v);

	return r;
}
static void ref_cvt(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned t = di->t, u = di->u, bits = ppu_type_bits(t);
	__int128 lo = is_signed_type(t) ? -((__int128)1 << (bits - 1)) : 0;
	__int128 hi = ((__int128)1 << (is_signed_type(t) ? bits - 1 : bits)) - 1;

	if (!is_float(u) && !is_float(t)) {
		__int128 v = int_of(x->a, u);

		if (di->sat)
			v = v < lo ? lo : v > hi ? hi : v;
		x->d = reg_of(v, t);
		return;
	}
	if (!is_float(u)) {
		x->d = float_out((ld)int_of(x->a, u), t, di->rnd);
	} else {
		ld v = float_in(x->a, u);

		if (di->ftz && u == PPU_T_F32 && v != 0 && fabsl(v) < 0x1p-126L)
			v = copysignl(0, v);
		if (di->aa)
			v = fabsl(v);
		if (di->na)
			v = -v;
		if (!is_float(t)) {
			if (isnan(v)) {		/* the rule of the manual */
				x->d = u == PPU_T_F64 || bits == 64 ? reg_of((__int128)1 << (bits - 1), t) : 0;
				return;
			}
			v = integral(v, di->rnd);
			x->d = v <= (ld)lo ? reg_of(lo, t) : v >= (ld)hi ? reg_of(hi, t) : reg_of((__int128)v, t);
			return;
		}
		if (di->y & PPU_CVT_RINT)
			v = integral(v, di->rnd);
		x->d = float_out(v, t, di->rnd);
	}
	if (di->ftz && t == PPU_T_F32 && fpclassify(f_of(x->d)) == FP_SUBNORMAL)
		x->d &= 0x80000000;
	if (di->sat) {
		ld v = float_in(x->d, t);

		x->d = float_out(isnan(v) || !(v > 0) ? 0 : v > 1 ? 1 : v, t, 0);
	}
}
static const uint8_t scalar_types[] = {
	PPU_T_U8, PPU_T_S8, PPU_T_U16, PPU_T_S16, PPU_T_U32, PPU_T_S32, PPU_T_U64, PPU_T_S64,
	PPU_T_F16, PPU_T_BF16, PPU_T_F32, PPU_T_F64,
};
/* HW-46: Every pair of types with every rounding, sat, ftz, sign, and rounding to integral values. */
START_TEST(all_conversions)
{
	for (unsigned i = 0; i < COUNT(scalar_types); i++)
		for (unsigned j = 0; j < COUNT(scalar_types); j++)
			for (unsigned k = 0; k < 128; k++) {
				unsigned t = scalar_types[i], u = scalar_types[j];
				bool tf = is_float(t), uf = is_float(u), f32 = t == PPU_T_F32 || u == PPU_T_F32;
				struct ppu_dinsn di = INSN(CVT, .t = (uint8_t)t, .u = (uint8_t)u, .rnd = k & 3,
							   .sat = k >> 2 & 1, .ftz = k >> 3 & 1, .y = k >> 4 & 1,
							   .na = k >> 5 & 1, .aa = k >> 6);

				if ((di.rnd && !tf && !uf) || (di.y && (!tf || !uf)) || (di.ftz && !f32) ||
				    ((di.na || di.aa) && !uf))
					continue;
				if (k < 8)
					run_special(di, ref_cvt);
				run_random(di, ref_cvt, scaled(k < 8 ? N : 200));
			}
}
END_TEST

/* Values around every half and every midpoint of two halves. */
START_TEST(halves_from_neighbours)
{
	for (unsigned bf = 0; bf < 2; bf++)
		for (unsigned h = 0; h < 0x10000; h += 8) {
			struct lane x[PPU_LANES], y[PPU_LANES];

			for (unsigned l = 0; l < PPU_LANES; l++) {
				double v = half_value(h + l / 4, bf), w = half_value(((h + l / 4) & 0x7fff) + 1, bf);
				double mid = isinf(w) ? v : (fabs(v) + w) / 2 * (signbit(v) ? -1 : 1);
				int d = (int)(l % 4) - 1;

				x[l] = (struct lane){ u_of((float)mid) + (uint32_t)d, 0, 0, 1, 0, 0, 0 };
				y[l] = (struct lane){ l_of(mid) + (uint64_t)(int64_t)d, 0, 0, 1, 0, 0, 0 };
			}
			for (unsigned rnd = 0; rnd < 4; rnd++) {
				struct ppu_dinsn di = INSN(CVT, .t = bf ? PPU_T_BF16 : PPU_T_F16, .u = PPU_T_F32,
							   .rnd = (uint8_t)rnd);

				if (rnd != (h >> 3 & 3) && rnd)
					continue;
				run_lanes(&di, ref_cvt, x, ~0u, 0);
				di.u = PPU_T_F64;
				run_lanes(&di, ref_cvt, y, ~0u, 0);
			}
		}
}
END_TEST

START_TEST(scalar_helpers)
{
	for (unsigned h = 0; h < 0x10000; h++) {
		double f = half_value(h, false), b = half_value(h, true);

		ck_assert(u_of(ppu_f16_to_f32((uint16_t)h)) == (isnan(f) ? 0x7fffffff : u_of((float)f)));
		ck_assert(u_of(ppu_bf16_to_f32((uint16_t)h)) == (isnan(b) ? 0x7fffffff : u_of((float)b)));
	}
	for (long i = 0; i < scaled(200000); i++) {
		uint32_t x = any32(), rnd = rnd32() & 3;

		if (ppu_f32_to_f16(f_of(x), rnd) != to_half(f_of(x), false, rnd) ||
		    ppu_f32_to_bf16(f_of(x), rnd) != to_half(f_of(x), true, rnd))
			ck_abort_msg("%08x rnd %u", x, rnd);
	}
}
END_TEST

/* ---- half precision arithmetic -------------------------------------------------------------------- */
static unsigned half_in(const struct ppu_dinsn *di, uint64_t x, unsigned abs, unsigned neg)
{
	bool bf = is_bf(di->t);
	unsigned h = x & 0xffff;

	if (di->ftz && half_value(h, bf) != 0 && (h & 0x7fff) < (bf ? 0x80u : 0x400u))
		h &= 0x8000;
	if (abs)
		h &= 0x7fff;
	return neg ? h ^ 0x8000 : h;
}
static unsigned half_out(const struct ppu_dinsn *di, unsigned h)
{
	bool bf = is_bf(di->t);
	double v = half_value(h, bf);

	if (di->ftz && (h & 0x7fff) < (bf ? 0x80u : 0x400u))
		h &= 0x8000;
	if (di->op == PPU_OP_FMA && di->y && !isnan(v) && (v < 0 || h == 0x8000))
		h = 0;
	if (di->sat)
		h = isnan(v) || !(v > 0) ? 0 : v > 1 ? (bf ? 0x3f80 : 0x3c00) : h;
	return h;
}
/* p + q rounded once: the sum in 113 bits and the sign of the part that is lost. */
static unsigned sum(quad p, quad q, bool pneg, bool qneg, bool bf)
{
	quad big, small, s, e;
	bool swap;

	if (p != p || q != q)
		return 0x7fff;
	swap = (p < 0 ? -p : p) < (q < 0 ? -q : q);
	big = swap ? q : p;
	small = swap ? p : q;
	s = big + small;
	if (s != s)
		return 0x7fff;
	if (s - s != 0)
		return (s < 0 ? 0x8000 : 0) | inf_of(bf);
	e = small - (s - big);
	return to_half2(s, e > 0 ? 1 : e < 0 ? -1 : 0, pneg && qneg, bf, PPU_RND_RN);
}
static unsigned half_op(const struct ppu_dinsn *di, uint64_t xa, uint64_t xb, uint64_t xc)
{
	bool bf = is_bf(di->t);
	unsigned a = half_in(di, xa, di->aa, di->na), b = half_in(di, xb, di->ab, di->nb);
	unsigned c = half_in(di, xc, 0, di->nc), r;
	quad va = half_value(a, bf), vb = half_value(b, bf), vc = half_value(c, bf), p = va * vb;
	bool pneg = (a ^ b) >> 15;

	switch (di->op) {
	case PPU_OP_ADD:
		r = sum(va, vb, a >> 15, b >> 15, bf);
		break;
	case PPU_OP_SUB:
		r = sum(va, -vb, a >> 15, !(b >> 15), bf);
		break;
	case PPU_OP_MUL:
		r = p != p ? 0x7fff : p - p != 0 ? (p < 0 ? 0x8000 : 0) | inf_of(bf) :
		    to_half2(p, 0, pneg, bf, PPU_RND_RN);
		break;
	case PPU_OP_FMA:
		r = sum(p, vc, pneg, c >> 15, bf);
		break;
	case PPU_OP_NEG:
		return a ^ 0x8000;
	case PPU_OP_ABS:
		return a & 0x7fff;
	default: {
		bool max = di->op == PPU_OP_MAX, flip = di->y & 2 && ((a ^ b) & 0x8000);
		double x, y;

		if (di->y & 2) {
			a &= 0x7fff;
			b &= 0x7fff;
		}
		x = half_value(a, bf);
		y = half_value(b, bf);
		if (isnan(x) && isnan(y))
			return 0x7fff;
		if (isnan(x) || isnan(y)) {
			if (di->y & 1)
				return 0x7fff;
			r = isnan(x) ? b : a;
		} else if (x == 0 && y == 0) {
			r = max ? a & b : a | b;
		} else {
			r = (x < y) == !max ? a : b;
		}
		return flip ? r ^ 0x8000 : r;
	}
	}
	return half_out(di, r);
}
static bool packed(unsigned t) { return t == PPU_T_F16X2 || t == PPU_T_BF16X2; }
static void ref_half(const struct ppu_dinsn *di, struct lane *x)
{
	x->d = half_op(di, x->a, x->b, x->c);
	if (packed(di->t))
		x->d |= (uint64_t)half_op(di, x->a >> 16, x->b >> 16, x->c >> 16) << 16;
}
/* Halves of all kinds, near each other, and products near addends. */
static uint32_t any_half(void)
{
	uint32_t r = rnd32();

	switch (r & 7) {
	case 0: {
		static const uint16_t s[] = { 0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0x7c00,
					      0xfc00, 0x7e00, 0x7fff, 0x7f, 0x80, 0x3f80, 0xbf80, 0x7f7f, 0x7f80,
					      0xff80, 0x7fc0, 0x3f81, 0x3c01 };

		return s[(r >> 8) % COUNT(s)];
	}
	case 1: case 2: case 3:
		return (r >> 16 & 0x83ff) | (10 + (r >> 8) % 12) << 10;
	case 4:
		return (r >> 16 & 0x807f) | (120 + (r >> 8) % 14) << 7;
	case 5:
		return (r >> 16 & 0x807f) | ((r >> 8) % 20) << 7;
	}
	return r >> 16;
}
static void run_half(struct ppu_dinsn di, ref_fn ref, long n)
{
	for (long k = 0; k * PPU_LANES < n; k++) {
		struct lane x[PPU_LANES];

		if (di.bi || di.ci)
			di.imm = any_half() << 16 | any_half();
		for (unsigned l = 0; l < PPU_LANES; l++)
			x[l] = (struct lane){ any_half() | any_half() << 16, any_half() | any_half() << 16,
					      any_half() | any_half() << 16, di.ps != 15 ? rnd32() & 1 : !di.psn, 0, 0, 0 };
		run_lanes(&di, ref, x, k % 3 ? ~0u : rnd32(), k % 4 == 3 ? 1 : 0);
	}
}
/* HW-46 */
START_TEST(half_arithmetic)
{
	static const uint8_t ops[] = { PPU_OP_ADD, PPU_OP_SUB, PPU_OP_MUL, PPU_OP_FMA, PPU_OP_MIN, PPU_OP_MAX,
				       PPU_OP_NEG, PPU_OP_ABS };

	for (unsigned i = 0; i < COUNT(ops); i++)
		FOR_TYPES(t, PPU_TS_H) {
			const struct ppu_isa_rule *rule = ppu_isa_rule(ops[i]);
			bool unary = ops[i] == PPU_OP_NEG || ops[i] == PPU_OP_ABS, fma = ops[i] == PPU_OP_FMA;
			struct ppu_dinsn di = INSN(NOP, .t = (uint8_t)t);

			di.op = ops[i];
			run_half(di, ref_half, scaled(20 * N));
			for (unsigned k = 1; k < 256; k++) {
				di.ftz = k & 1;
				di.sat = k >> 1 & 1;
				di.na = k >> 2 & 1;
				di.nb = k >> 3 & 1;
				di.nc = di.aa = k >> 4 & 1;
				di.ab = k >> 5 & 1;
				di.y = k >> 6;
				di.bi = di.ci = 0;
				if ((di.ftz && !(rule->ftz >> t & 1)) || (di.sat && !(rule->sat >> t & 1)) ||
				    (di.y & ~rule->ymask) || (unary && (di.nb || di.ab)))
					continue;
				if (fma)
					di.aa = di.ab = 0;
				else
					di.nc = 0;
				run_half(di, ref_half, scaled(256));
				if (unary)
					continue;
				if (!di.nb && !di.ab) {
					di.bi = 1;
					run_half(di, ref_half, scaled(64));
				}
				if (fma && !di.nc) {
					di.bi = 0;
					di.ci = 1;
					run_half(di, ref_half, scaled(64));
				}
			}
		}
}
END_TEST

/* ---- comparison --------------------------------------------------------------------------------------- */
static unsigned compare(const struct ppu_dinsn *di, uint64_t a, uint64_t b)
{
	bool bf = is_bf(di->t);

	return compare_fp(di->m, half_value(half_in(di, a, di->aa, di->na), bf), half_value(half_in(di, b, di->ab, di->nb), bf));
}
static void ref_cmp(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned lo = compare(di, x->a, x->b), hi = compare(di, x->a >> 16, x->b >> 16);
	unsigned one = di->u == PPU_T_F16 || di->u == PPU_T_F16X2 ? 0x3c00 :
		       di->u == PPU_T_BF16 || di->u == PPU_T_BF16X2 ? 0x3f80 : 0xffff;

	x->pd = combine_bool(di->x, lo, x->ps);
	x->pe = combine_bool(di->x, packed(di->t) ? hi : !lo, x->ps);
	if (packed(di->t))
		x->d = (x->pd ? one : 0) | (uint64_t)(x->pe ? one : 0) << 16;
	else
		x->d = !x->pd ? 0 : di->u == PPU_T_F32 ? 0x3f800000 : one == 0xffff ? 0xffffffff : one;
}
/* HW-46 */
START_TEST(half_comparison)
{
	static const uint8_t to1[] = { PPU_T_U32, PPU_T_S32, PPU_T_F32, PPU_T_F16, PPU_T_BF16 };
	static const uint8_t to2[] = { PPU_T_U32, PPU_T_S32, PPU_T_F16X2, PPU_T_BF16X2 };

	FOR_TYPES(t, PPU_TS_H)
		for (unsigned m = 0; m < PPU_CMP_COUNT; m++)
			for (unsigned k = 0; k < 12; k++) {
				struct ppu_dinsn di = INSN(SETP, .t = (uint8_t)t, .m = (uint8_t)m, .x = (uint8_t)(k % 3),
							   .pd = 1, .pe = (uint8_t)(k & 1 ? 15 : 9));

				if (k) {
					di.ps = 11;
					di.psn = k & 1;
				}
				di.ftz = !is_bf(t) && k > 6;
				di.na = k == 3 || k == 8;
				run_half(di, ref_cmp, scaled(512));
				di.bi = 1;
				run_half(di, ref_cmp, scaled(128));
				di.bi = 0;
				di.op = PPU_OP_SET;
				di.pd = di.pe = 15;
				di.u = packed(t) ? to2[(m + k) % COUNT(to2)] : to1[(m + k) % COUNT(to1)];
				run_half(di, ref_cmp, scaled(512));
			}
}
END_TEST

static void ref_cvt2(const struct ppu_dinsn *di, struct lane *x)
{
	bool bf = is_bf(di->t);
	float a = f_of(x->a), b = f_of(x->b);
	unsigned h, l;

	a = di->aa ? fabsf(a) : a;
	a = di->na ? -a : a;
	b = di->ab ? fabsf(b) : b;
	b = di->nb ? -b : b;
	h = to_half(a, bf, di->rnd);
	l = to_half(b, bf, di->rnd);
	if (di->y) {
		h = h & 0x8000 ? 0 : h;
		l = l & 0x8000 ? 0 : l;
	}
	x->d = (uint64_t)h << 16 | l;
}
/* HW-46 */
START_TEST(pack_halves)
{
	for (unsigned k = 0; k < 128; k++) {
		struct ppu_dinsn di = INSN(CVT2, .t = k & 1 ? PPU_T_BF16X2 : PPU_T_F16X2, .u = PPU_T_F32, .rnd = k >> 1 & 1,
					   .y = k >> 2 & 1, .na = k >> 3 & 1, .nb = k >> 4 & 1, .aa = k >> 5 & 1,
					   .ab = k >> 6);

		run_random(di, ref_cvt2, scaled(k < 8 ? N : 200));
		if (!di.nb && !di.ab) {
			di.bi = 1;
			run_random(di, ref_cvt2, scaled(200));
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec_cvt");
	TCase *tc = tcase_create("cvt");

	tcase_set_timeout(tc, 1200);
	tcase_add_test(tc, all_conversions);
	tcase_add_test(tc, halves_from_neighbours);
	tcase_add_test(tc, scalar_helpers);
	tcase_add_test(tc, half_arithmetic);
	tcase_add_test(tc, half_comparison);
	tcase_add_test(tc, pack_halves);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
