/* SPDX-License-Identifier: MIT */
/*
 * f32 and f64 arithmetic against the host's scalar operations under fesetround(), and the rules PTX
 * adds: canonical NaN, ftz, sat, minimum and maximum, comparison, classes.  HW-46, HW-47.
 */
#include "test_exec.h"

/* HW-47: operands per operation, type and rounding mode nearest; a quarter of it for the others. */
#define MILLION 1000000
#define N 8000

#define NAN_F32 0x7fffffffu
#define NAN_F64 0xfff8000000000000ull

static float flush(float f) { return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f; }
static float in32(uint64_t x, unsigned abs, unsigned neg, unsigned ftz)
{
	float f = f_of(x);

	if (ftz)
		f = flush(f);
	if (abs)
		f = copysignf(f, 1);
	return neg ? copysignf(f, signbit(f) ? 1 : -1) : f;
}
static double in64(uint64_t x, unsigned abs, unsigned neg)
{
	double f = d_of(x);

	if (abs)
		f = copysign(f, 1);
	return neg ? copysign(f, signbit(f) ? 1 : -1) : f;
}
static uint32_t out32(const struct ppu_dinsn *di, float r)
{
	if (di->ftz)
		r = flush(r);
	if (di->sat)
		r = isnan(r) || !(r > 0) ? 0.0f : r > 1 ? 1.0f : r;
	return isnan(r) ? NAN_F32 : u_of(r);
}
static uint64_t out64(double r) { return isnan(r) ? NAN_F64 : l_of(r); }

/* One arithmetic operation of the host in the instruction's rounding mode, for either width. */
#define REF_ARITHMETIC(name, type, IN, OUT, FMA, SQRT) \
static void name(const struct ppu_dinsn *di, struct lane *x) \
{ \
	volatile type a = IN(x->a, di->aa, di->na), b = IN(x->b, di->ab, di->nb), c = IN(x->c, 0, di->nc), r = 0; \
	if (di->rnd) \
		fesetround(fe_of[di->rnd]); \
	switch (di->op) { \
	case PPU_OP_ADD: r = a + b; break; \
	case PPU_OP_SUB: r = a - b; break; \
	case PPU_OP_MUL: r = a * b; break; \
	case PPU_OP_FMA: r = FMA(a, b, c); break; \
	case PPU_OP_DIV: r = a / b; break; \
	case PPU_OP_RCP: r = 1 / a; break; \
	case PPU_OP_SQRT: r = SQRT(a); break; \
	default: ck_abort(); \
	} \
	if (di->rnd) \
		fesetround(FE_TONEAREST); \
	x->d = OUT(r); \
}
#define IN32(v, abs, neg) in32(v, abs, neg, di->ftz)
#define OUT32(r) out32(di, r)
REF_ARITHMETIC(ref_f32, float, IN32, OUT32, fmaf, sqrtf)
REF_ARITHMETIC(ref_f64, double, in64, out64, fma, sqrt)

/* All pairs of special values and n random operands, in every rounding mode. */
static void modes(struct ppu_dinsn di, ref_fn ref, long n)
{
	for (unsigned rnd = 0; rnd < 4; rnd++) {
		di.rnd = (uint8_t)rnd;
		run_special(di, ref);
		run_random(di, ref, rnd ? n / 4 : n);
	}
}
/* HW-47 */
START_TEST(f32_add) { modes(INSN(ADD, .t = PPU_T_F32), ref_f32, scaled(MILLION)); } END_TEST
START_TEST(f32_mul) { modes(INSN(MUL, .t = PPU_T_F32), ref_f32, scaled(MILLION)); } END_TEST
START_TEST(f32_fma) { modes(INSN(FMA, .t = PPU_T_F32), ref_f32, scaled(MILLION)); } END_TEST
START_TEST(f64_add) { modes(INSN(ADD, .t = PPU_T_F64), ref_f64, scaled(MILLION)); } END_TEST
START_TEST(f64_mul) { modes(INSN(MUL, .t = PPU_T_F64), ref_f64, scaled(MILLION)); } END_TEST
START_TEST(f64_fma) { modes(INSN(FMA, .t = PPU_T_F64), ref_f64, scaled(MILLION)); } END_TEST

/* HW-47: c near -a * b: massive cancellation, ties and sticky bits. */
START_TEST(fma_cancellation)
{
	for (long k = 0; k < scaled(1500); k++)
		for (unsigned rnd = 0; rnd < 4; rnd++) {
			struct lane x[PPU_LANES], y[PPU_LANES];

			for (unsigned l = 0; l < PPU_LANES; l++) {
				uint32_t a = any32(), b = any32();
				uint64_t da = any64(), db = any64();
				int ulp = (int)(rnd32() % 5) - 2;
				int up = rnd32() % 4 ? 0 : (int)(rnd32() % 60) - 30;

				x[l] = (struct lane){ a, b, u_of(-f_of(a) * f_of(b)) + (uint32_t)ulp, 1, 0, 0, 0 };
				x[l].c = u_of(ldexpf(f_of(x[l].c), up));
				y[l] = (struct lane){ da, db, l_of(-d_of(da) * d_of(db)) + (uint64_t)(int64_t)ulp, 1, 0, 0, 0 };
				y[l].c = l_of(ldexp(d_of(y[l].c), 2 * up));
			}
			run_lanes(&INSN(FMA, .t = PPU_T_F32, .rnd = (uint8_t)rnd), ref_f32, x, ~0u, 0);
			run_lanes(&INSN(FMA, .t = PPU_T_F64, .rnd = (uint8_t)rnd), ref_f64, y, ~0u, 0);
		}
}
END_TEST

/* HW-46 */
START_TEST(division_and_roots)
{
	static const uint8_t ops[] = { PPU_OP_SUB, PPU_OP_DIV, PPU_OP_RCP, PPU_OP_SQRT };

	for (unsigned i = 0; i < COUNT(ops); i++) {
		struct ppu_dinsn di = INSN(NOP, .t = PPU_T_F32);

		di.op = ops[i];
		modes(di, ref_f32, scaled(20 * N));
		di.t = PPU_T_F64;
		modes(di, ref_f64, scaled(20 * N));
	}
}
END_TEST

/* ftz, sat, signs and immediates, each combination. */
START_TEST(modifiers)
{
	static const uint8_t ops[] = { PPU_OP_ADD, PPU_OP_SUB, PPU_OP_MUL, PPU_OP_FMA, PPU_OP_DIV, PPU_OP_RCP, PPU_OP_SQRT };

	for (unsigned i = 0; i < COUNT(ops); i++)
		for (unsigned k = 0; k < 512; k++) {
			const struct ppu_isa_rule *rule = ppu_isa_rule(ops[i]);
			bool unary = ops[i] == PPU_OP_RCP || ops[i] == PPU_OP_SQRT, fma = ops[i] == PPU_OP_FMA;
			struct ppu_dinsn di = INSN(NOP, .t = PPU_T_F32);

			di.op = ops[i];
			di.ftz = k & 1;
			di.sat = k >> 1 & 1;
			di.na = k >> 2 & 1;
			di.nb = k >> 3 & 1;
			di.nc = k >> 4 & 1;
			di.aa = k >> 5 & 1;
			di.ab = k >> 6 & 1;
			di.rnd = k >> 7 & 3;
			if ((di.sat && !(rule->sat >> PPU_T_F32 & 1)) || (unary && (di.nb || di.ab)) ||
			    (!fma && di.nc) || (fma && (di.aa || di.ab)))
				continue;
			if (k % 8 == 1)
				run_special(di, ref_f32);
			run_random(di, ref_f32, scaled(320));
			if (!di.nb && !di.ab && !unary) {
				di.bi = 1;
				run_random(di, ref_f32, scaled(128));
				di.bi = 0;
			}
			if (fma && !di.nc) {
				di.ci = 1;
				run_random(di, ref_f32, scaled(128));
				di.ci = 0;
			}
			if (di.ftz || di.sat)
				continue;
			di.t = PPU_T_F64;
			run_random(di, ref_f64, scaled(320));
			if (!di.nb && !di.ab && !unary) {
				di.bi = 1;
				run_random(di, ref_f64, scaled(128));
				di.bi = 0;
			}
			if (fma && !di.nc) {
				di.ci = 1;
				run_random(di, ref_f64, scaled(128));
			}
		}
}
END_TEST

/* ---- minimum, maximum, sign --------------------------------------------------------------------- */
static void ref_minmax32(const struct ppu_dinsn *di, struct lane *x)
{
	float a = in32(x->a, di->aa, di->na, di->ftz), b = in32(x->b, di->ab, di->nb, di->ftz), r;
	bool max = di->op == PPU_OP_MAX, flip = di->y & 2 && (signbit(a) != 0) != (signbit(b) != 0);

	if (di->y & 2) {
		a = fabsf(a);
		b = fabsf(b);
	}
	if (isnan(a) && isnan(b))
		r = NAN;
	else if (isnan(a) || isnan(b))
		r = di->y & 1 ? NAN : isnan(a) ? b : a;
	else if (a == 0 && b == 0)	/* +0 is larger than -0 */
		r = (max ? signbit(a) && signbit(b) : signbit(a) || signbit(b)) ? -0.0f : 0.0f;
	else
		r = (a < b) == !max ? a : b;
	x->d = isnan(r) ? NAN_F32 : u_of(flip ? -r : r);
}
static void ref_minmax64(const struct ppu_dinsn *di, struct lane *x)
{
	double a = in64(x->a, di->aa, di->na), b = in64(x->b, di->ab, di->nb), r;
	bool max = di->op == PPU_OP_MAX, flip = di->y & 2 && (signbit(a) != 0) != (signbit(b) != 0);

	if (di->y & 2) {
		a = fabs(a);
		b = fabs(b);
	}
	if (isnan(a) && isnan(b))
		r = NAN;
	else if (isnan(a) || isnan(b))
		r = di->y & 1 ? NAN : isnan(a) ? b : a;
	else if (a == 0 && b == 0)
		r = (max ? signbit(a) && signbit(b) : signbit(a) || signbit(b)) ? -0.0 : 0.0;
	else
		r = (a < b) == !max ? a : b;
	x->d = isnan(r) ? NAN_F64 : l_of(flip ? -r : r);
}
static void ref_sign(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned w = ppu_type_bits(di->t);
	uint64_t s = 1ull << (w - 1), a = x->a & (s | (s - 1)), b = x->b & (s | (s - 1));

	if (w == 32 && di->ftz) {
		a = u_of(flush(f_of(a)));
		b = u_of(flush(f_of(b)));
	}
	if (di->aa)
		a &= ~s;
	if (di->na)
		a ^= s;
	if (di->ab)
		b &= ~s;
	if (di->nb)
		b ^= s;
	x->d = di->op == PPU_OP_NEG ? a ^ s : di->op == PPU_OP_ABS ? a & ~s : (a & s) | (b & ~s);
}
/* HW-46 */
START_TEST(min_max_sign)
{
	for (unsigned k = 0; k < 128; k++)
		for (unsigned max = 0; max < 2; max++) {
			struct ppu_dinsn di = INSN(MIN, .t = PPU_T_F32, .y = k & 3, .na = k >> 2 & 1, .nb = k >> 3 & 1,
						   .aa = k >> 4 & 1, .ab = k >> 5 & 1, .ftz = k >> 6);

			di.op = max ? PPU_OP_MAX : PPU_OP_MIN;
			if (k < 4 || k == 64)
				run_special(di, ref_minmax32);
			run_random(di, ref_minmax32, scaled(1000));
			if (!di.nb && !di.ab) {
				di.bi = 1;
				run_random(di, ref_minmax32, scaled(500));
				di.bi = 0;
			}
			if (di.ftz)
				continue;
			di.t = PPU_T_F64;
			if (k < 4)
				run_special(di, ref_minmax64);
			run_random(di, ref_minmax64, scaled(1000));
			if (!di.nb && !di.ab) {
				di.bi = 1;
				run_random(di, ref_minmax64, scaled(500));
			}
		}
	for (unsigned k = 0; k < 8; k++)
		FOR_TYPES(t, PPU_TS_F) {
			bool ftz = k >> 2 && t == PPU_T_F32;

			run_random(INSN(NEG, .t = (uint8_t)t, .na = k & 1, .aa = k >> 1 & 1, .ftz = ftz), ref_sign, scaled(N / 4));
			run_random(INSN(ABS, .t = (uint8_t)t, .na = k & 1, .aa = k >> 1 & 1, .ftz = ftz), ref_sign, scaled(N / 4));
			run_random(INSN(COPYSIGN, .t = (uint8_t)t, .na = k & 1, .nb = k >> 1 & 1, .aa = k >> 2, .ab = k >> 2),
				   ref_sign, scaled(N / 4));
		}
}
END_TEST

/* ---- comparison, classes ----------------------------------------------------------------------------- */
static void ref_cmp(const struct ppu_dinsn *di, struct lane *x)
{
	bool dbl = di->t == PPU_T_F64;
	double a = dbl ? in64(x->a, di->aa, di->na) : in32(x->a, di->aa, di->na, di->ftz);
	double b = dbl ? in64(x->b, di->ab, di->nb) : in32(x->b, di->ab, di->nb, di->ftz);
	unsigned r = compare_fp(di->m, a, b);

	x->pd = combine_bool(di->x, r, x->ps);
	x->pe = combine_bool(di->x, !r, x->ps);
	if (di->op == PPU_OP_SET)
		x->d = !x->pd ? 0 : di->u == PPU_T_F32 ? 0x3f800000 : di->u == PPU_T_F16 ? 0x3c00 :
		       di->u == PPU_T_BF16 ? 0x3f80 : 0xffffffff;
}
/* HW-46 */
START_TEST(float_comparison)
{
	static const uint8_t to[] = { PPU_T_F32, PPU_T_U32, PPU_T_S32, PPU_T_F16, PPU_T_BF16 };

	FOR_TYPES(t, PPU_TS_F)
		for (unsigned m = 0; m < PPU_CMP_COUNT; m++)
			for (unsigned k = 0; k < 12; k++) {
				struct ppu_dinsn di = INSN(SETP, .t = (uint8_t)t, .m = (uint8_t)m, .x = (uint8_t)(k % 3),
							   .pd = 1, .pe = (uint8_t)(k & 1 ? 15 : 9));

				if (k) {
					di.ps = 11;
					di.psn = k & 1;
				}
				di.ftz = t == PPU_T_F32 && k > 6;
				di.na = k == 3 || k == 8;
				di.ab = k == 4 || k == 8;
				if (k < 2 || k == 7)
					run_special(di, ref_cmp);
				run_random(di, ref_cmp, scaled(640));
				if (!di.ab) {
					di.bi = 1;
					run_random(di, ref_cmp, scaled(320));
					di.bi = 0;
				}
				di.op = PPU_OP_SET;
				di.pd = di.pe = 15;
				di.u = to[(m + k) % COUNT(to)];
				run_random(di, ref_cmp, scaled(640));
			}
}
END_TEST

static void ref_testp(const struct ppu_dinsn *di, struct lane *x)
{
	int c = di->t == PPU_T_F64 ? fpclassify(d_of(x->a)) : fpclassify(f_of(x->a));

	switch (di->m) {
	case PPU_TESTP_FINITE: x->pd = c != FP_NAN && c != FP_INFINITE; break;
	case PPU_TESTP_INFINITE: x->pd = c == FP_INFINITE; break;
	case PPU_TESTP_NUMBER: x->pd = c != FP_NAN; break;
	case PPU_TESTP_NOTANUMBER: x->pd = c == FP_NAN; break;
	case PPU_TESTP_NORMAL: x->pd = c == FP_NORMAL || c == FP_ZERO; break;	/* zeros count as normal */
	default: x->pd = c == FP_SUBNORMAL; break;
	}
}
/* HW-46 */
START_TEST(class_tests)
{
	FOR_TYPES(t, PPU_TS_F)
		for (unsigned m = 0; m < PPU_TESTP_COUNT; m++) {
			run_special(INSN(TESTP, .t = (uint8_t)t, .m = (uint8_t)m, .pd = 3), ref_testp);
			run_random(INSN(TESTP, .t = (uint8_t)t, .m = (uint8_t)m, .pd = 3), ref_testp, scaled(N));
		}
}
END_TEST

/* ---- the scalar helpers ---------------------------------------------------------------------------------- */
START_TEST(scalar_helpers)
{
	for (long i = 0; i < scaled(200000); i++) {
		struct ppu_dinsn di = INSN(ADD, .t = PPU_T_F32, .rnd = rnd32() & 3, .ftz = rnd32() & 1, .sat = rnd32() & 1);
		struct lane x = { any32(), any32(), 0, 1, 0, 0, 0 }, y = { any64(), any64(), 0, 1, 0, 0, 0 };

		ref_f32(&di, &x);
		if (u_of(ppu_f32_add(f_of(x.a), f_of(x.b), di.rnd, di.ftz, di.sat)) != x.d)
			ck_abort_msg("ppu_f32_add(%08x, %08x): %s", (uint32_t)x.a, (uint32_t)x.b, describe(&di, 0));
		ref_f64(&di, &y);
		if (l_of(ppu_f64_add(d_of(y.a), d_of(y.b), di.rnd)) != y.d)
			ck_abort_msg("ppu_f64_add");
	}
}
END_TEST

/* The default rounding mode is in force again after an instruction with another. */
START_TEST(rounding_mode_restored)
{
	for (unsigned n = 0; n < COUNT(levels); n++)
		for (unsigned rnd = 0; rnd < 4 && have_level(levels[n]); rnd++) {
			struct ppu_vregs v = { .row = rows };
			struct ppu_dinsn di = INSN(FMA, .t = PPU_T_F32, .rnd = (uint8_t)rnd, .d = 3);

			ck_assert(ppu_exec_select_level(&di, levels[n]));
			di.fn(&v, &di, ~0u);
			ck_assert_int_eq(fegetround(), FE_TONEAREST);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec_fp");
	TCase *tc = tcase_create("fp");

	tcase_set_timeout(tc, 1200);
	tcase_add_test(tc, f32_add);
	tcase_add_test(tc, f32_mul);
	tcase_add_test(tc, f32_fma);
	tcase_add_test(tc, f64_add);
	tcase_add_test(tc, f64_mul);
	tcase_add_test(tc, f64_fma);
	tcase_add_test(tc, fma_cancellation);
	tcase_add_test(tc, division_and_roots);
	tcase_add_test(tc, modifiers);
	tcase_add_test(tc, min_max_sign);
	tcase_add_test(tc, float_comparison);
	tcase_add_test(tc, class_tests);
	tcase_add_test(tc, scalar_helpers);
	tcase_add_test(tc, rounding_mode_restored);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
