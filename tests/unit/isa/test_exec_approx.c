/* SPDX-License-Identifier: MIT */
/*
 * The approximate functions: within the error bounds of PTX, right on special values, and the same
 * bits on every instruction set.  HW-46 (transcendentals within a stated bound).
 *
 * A fixed sample of inputs; with PPU_EXHAUSTIVE=1 all 2^32 (minutes per function), =N every Nth.
 * The largest errors found are printed with PPU_VERBOSE=1.
 */
#include "test_exec.h"

#define NAN_F32 0x7fffffffu
#define NAN_F64 0xfff8000000000000ull

static bool exhaustive(void) { return getenv("PPU_EXHAUSTIVE") != NULL; }

/* Inputs: every bit pattern, or a stride through them that no power of two divides. */
static uint64_t stride(void)
{
	const char *s = getenv("PPU_EXHAUSTIVE");

	return !s ? 8191 : atol(s) > 0 ? (uint64_t)atol(s) : 1;
}

/* Distance of consecutive floats around v. */
static double ulp_at(double v)
{
	int e;

	frexp(v, &e);
	return ldexp(1, (e < -125 ? -125 : e) - 24);
}

/* Runs an instruction on 32 inputs on every level; results must agree. */
static void run(struct ppu_dinsn di, const uint32_t *a, const uint32_t *b, uint32_t *r)
{
	bool first = true;

	di.a = 2;
	di.b = 4;
	di.d = 8;
	for (unsigned n = 0; n < COUNT(levels); n++) {
		struct ppu_vregs v = { .row = rows };

		if (!have_level(levels[n]))
			continue;
		if (!ppu_exec_select_level(&di, levels[n]))
			ck_abort_msg("not selected: %s", describe(&di, levels[n]));
		memcpy(rows[2], a, sizeof(rows[2]));
		if (b)
			memcpy(rows[4], b, sizeof(rows[4]));
		di.fn(&v, &di, ~0u);
		if (first)
			memcpy(r, rows[8], sizeof(rows[8]));
		else if (memcmp(r, rows[8], sizeof(rows[8])))
			for (unsigned l = 0; l < PPU_LANES; l++)
				if (r[l] != rows[8][l])
					ck_abort_msg("%s: a=%08x: %08x, level 1 says %08x", describe(&di, levels[n]),
						     a[l], rows[8][l], r[l]);
		first = false;
	}
}

/* One function: reference, how the error is measured, and its bound. */
struct fn {
	const char *name;
	uint8_t op, m;
	double (*ref)(double);
	/* 0 relative, 1 absolute, 2 ulp */
	int measure;
	double bound;
	double lo, hi;		/* inputs to which the bound applies, by magnitude */
};
static double rcp(double x) { return 1 / x; }
static double rsqrt(double x) { return 1 / sqrt(x); }

static void check_fn(const struct fn *f)
{
	double worst = 0;
	uint32_t at = 0;
	uint64_t x = 0;

	while (x >> 32 == 0) {
		uint32_t a[PPU_LANES], r[PPU_LANES], rz[PPU_LANES];
		struct ppu_dinsn di = INSN(NOP, .t = PPU_T_F32, .m = f->m);

		di.op = f->op;
		for (unsigned l = 0; l < PPU_LANES; l++, x += stride())
			a[l] = (uint32_t)x;
		run(di, a, NULL, r);
		di.ftz = 1;
		if (ppu_isa_rule(f->op)->ftz)
			run(di, a, NULL, rz);
		for (unsigned l = 0; l < PPU_LANES; l++) {
			double v = f_of(a[l]), want = f->ref(v), got = f_of(r[l]), err, mag = fabs(v);

			/* ftz: the result without .ftz for the flushed input, itself flushed */
			if (ppu_isa_rule(f->op)->ftz) {
				uint32_t w = fpclassify(f_of(r[l])) == FP_SUBNORMAL ? r[l] & 0x80000000 : r[l];

				if (fpclassify(f_of(a[l])) == FP_SUBNORMAL) {
					uint32_t z[PPU_LANES] = { a[l] & 0x80000000 }, q[PPU_LANES];

					if (rnd32() & 0xff && exhaustive())
						continue;
					di.ftz = 0;
					run(di, z, NULL, q);
					w = q[0];
				}
				if (rz[l] != w)
					ck_abort_msg("%s.ftz(%08x) = %08x, should be %08x", f->name, a[l], rz[l], w);
			}
			if (isnan(want) || isnan(got)) {
				if (r[l] != NAN_F32 || !isnan(want))
					ck_abort_msg("%s(%08x) = %08x, should be about %g", f->name, a[l], r[l], want);
				continue;
			}
			if (mag < f->lo || mag > f->hi)
				continue;
			if (isinf(want) || isinf(got) || (float)want == 0) {
				/* the last float may be infinity and the other way round */
				if (!(u_of((float)want) == r[l] || fabs(want) > 0x1.fffffcp127 || fabs(want) < 0x1p-148))
					ck_abort_msg("%s(%08x) = %08x, should be about %g", f->name, a[l], r[l], want);
				continue;
			}
			err = fabs(got - want);
			if (f->measure == 0)
				err /= fabs(want) < 0x1p-126 ? 0x1p-126 : fabs(want);
			else if (f->measure == 2)
				err /= ulp_at(want);
			if (err > worst) {
				worst = err;
				at = a[l];
			}
		}
	}
	if (getenv("PPU_VERBOSE"))
		printf("%-24s max error %.4g (2^%.2f) of %.4g, at %08x = %g\n", f->name, worst, log2(worst), f->bound,
		       at, f_of(at));
	if (!(worst <= f->bound))
		ck_abort_msg("%s: error %g at %08x, bound %g", f->name, worst, at, f->bound);
}

#define BIG INFINITY
static const struct fn fns[] = {
	{ "rcp.approx", PPU_OP_RCP, 1, rcp, 2, 1, 0, BIG },
	{ "rcp.rn", PPU_OP_RCP, 0, rcp, 2, 0.5, 0, BIG },
	{ "sqrt.approx", PPU_OP_SQRT, 1, sqrt, 0, 0x1p-23, 0, BIG },
	{ "sqrt.rn", PPU_OP_SQRT, 0, sqrt, 2, 0.5, 0, BIG },
	{ "rsqrt.approx", PPU_OP_RSQRT, 0, rsqrt, 0, 0x1.12p-23, 0, BIG },	/* 2^-22.9 */
	{ "ex2.approx", PPU_OP_EX2, 0, exp2, 2, 2, 0, BIG },
	{ "lg2.approx (0.5, 2)", PPU_OP_LG2, 0, log2, 1, 0x1p-22, 0.5, 2 },
	{ "lg2.approx below", PPU_OP_LG2, 0, log2, 0, 0x1p-22, 0, 0.5 },
	{ "lg2.approx above", PPU_OP_LG2, 0, log2, 0, 0x1p-22, 2, BIG },
	{ "sin.approx 2 pi", PPU_OP_SIN, 0, sin, 1, 0x1.6ap-21, 0, 6.283185307 },	/* 2^-20.5 */
	{ "cos.approx 2 pi", PPU_OP_COS, 0, cos, 1, 0x1.6ap-21, 0, 6.283185307 },
	{ "sin.approx 100 pi", PPU_OP_SIN, 0, sin, 1, 0x1.3bp-15, 0, 314.159265 },	/* 2^-14.7 */
	{ "cos.approx 100 pi", PPU_OP_COS, 0, cos, 1, 0x1.3bp-15, 0, 314.159265 },
	{ "sin.approx (ours)", PPU_OP_SIN, 0, sin, 1, 0x1.6ap-23, 0, BIG },
	{ "cos.approx (ours)", PPU_OP_COS, 0, cos, 1, 0x1.6ap-23, 0, BIG },
	{ "tanh.approx", PPU_OP_TANH, 0, tanh, 0, 0x1p-11, 0, BIG },
	{ "tanh.approx (ours)", PPU_OP_TANH, 0, tanh, 0, 0x1p-20, 0, BIG },
};
/* HW-46 */
START_TEST(f32_functions) { check_fn(&fns[_i]); } END_TEST

static void expect(struct ppu_dinsn di, uint32_t a, uint32_t want)
{
	uint32_t x[PPU_LANES], r[PPU_LANES];

	for (unsigned l = 0; l < PPU_LANES; l++)
		x[l] = a;
	run(di, x, NULL, r);
	if (r[5] != want)
		ck_abort_msg("%s: f(%08x) = %08x, should be %08x", describe(&di, 0), a, r[5], want);
}
/* The tables of special values in the manual. */
START_TEST(special_values)
{
	enum { NI = 0xff800000, PI = 0x7f800000, NZ = 0x80000000, PZ = 0, NS = 0x80012345, PS = 0x00012345,
	       ONE = 0x3f800000, MONE = 0xbf800000, NN = NAN_F32 };
	static const struct {
		uint8_t op;
		/* -inf, -subnormal, -0, +0, +subnormal, +inf, NaN; 1: not in the table */
		uint32_t want[7], ftz[7];
	} t[] = {
		{ PPU_OP_RCP, { NZ, NI, NI, PI, PI, PZ, NN }, { NZ, NI, NI, PI, PI, PZ, NN } },
		{ PPU_OP_RSQRT, { NN, NN, NI, PI, 1, PZ, NN }, { NN, NI, NI, PI, PI, PZ, NN } },
		{ PPU_OP_SQRT, { NN, NN, NZ, PZ, 1, PI, NN }, { NN, NZ, NZ, PZ, PZ, PI, NN } },
		{ PPU_OP_SIN, { NN, NS, NZ, PZ, PS, NN, NN }, { NN, NZ, NZ, PZ, PZ, NN, NN } },
		{ PPU_OP_COS, { NN, ONE, ONE, ONE, ONE, NN, NN }, { NN, ONE, ONE, ONE, ONE, NN, NN } },
		{ PPU_OP_LG2, { NN, NN, NI, NI, 1, PI, NN }, { NN, NI, NI, NI, NI, PI, NN } },
		{ PPU_OP_EX2, { PZ, ONE, ONE, ONE, ONE, PI, NN }, { PZ, ONE, ONE, ONE, ONE, PI, NN } },
		{ PPU_OP_TANH, { MONE, NS, NZ, PZ, PS, ONE, NN }, { 1, 1, 1, 1, 1, 1, 1 } },
	};
	static const uint32_t in[7] = { NI, NS, NZ, PZ, PS, PI, 0x7fc01234 };

	for (unsigned i = 0; i < COUNT(t); i++)
		for (unsigned j = 0; j < 7; j++) {
			struct ppu_dinsn di = INSN(NOP, .t = PPU_T_F32, .m = PPU_FN_APPROX);

			di.op = t[i].op;
			if (t[i].want[j] != 1)
				expect(di, in[j], t[i].want[j]);
			di.ftz = 1;
			if (t[i].ftz[j] != 1)
				expect(di, in[j], t[i].ftz[j]);
		}
	/* signs of the operand */
	expect(INSN(EX2, .t = PPU_T_F32, .na = 1), 0x40000000, 0x3e800000);
	expect(INSN(LG2, .t = PPU_T_F32, .aa = 1), 0xc1000000, 0x40400000);
	expect(INSN(SIN, .t = PPU_T_F32, .na = 1), 0x80000000, 0);
	expect(INSN(RSQRT, .t = PPU_T_F32, .aa = 1), 0xc0800000, 0x3f000000);
}
END_TEST

/* div.approx: 2 ulp for divisors up to 2^126, 0 or NaN beyond. */
START_TEST(division_approximate)
{
	double worst = 0;

	for (long k = 0; k < scaled(20000); k++) {
		uint32_t a[PPU_LANES], b[PPU_LANES], r[PPU_LANES], z[PPU_LANES];

		for (unsigned l = 0; l < PPU_LANES; l++) {
			a[l] = any32();
			b[l] = any32();
		}
		run(INSN(DIV, .t = PPU_T_F32, .m = PPU_FN_APPROX), a, b, r);
		run(INSN(DIV, .t = PPU_T_F32, .m = PPU_FN_APPROX, .ftz = 1), a, b, z);
		for (unsigned l = 0; l < PPU_LANES; l++) {
			double x = f_of(a[l]), y = f_of(b[l]), want = x / y, got = f_of(r[l]), err;
			bool sub = fpclassify(f_of(a[l])) == FP_SUBNORMAL || fpclassify(f_of(b[l])) == FP_SUBNORMAL;

			if (!sub && z[l] != (fpclassify(f_of(r[l])) == FP_SUBNORMAL ? r[l] & 0x80000000 : r[l]))
				ck_abort_msg("ftz: %08x / %08x = %08x", a[l], b[l], z[l]);
			if (fabs(y) > 0x1p126 && !isinf(y)) {
				if (isnan(x) || isinf(x) ? r[l] != NAN_F32 : got != 0)
					ck_abort_msg("%08x / %08x = %08x", a[l], b[l], r[l]);
				continue;
			}
			if (isnan(want)) {
				if (r[l] != NAN_F32)
					ck_abort_msg("%08x / %08x = %08x", a[l], b[l], r[l]);
				continue;
			}
			if (isinf((float)want) || want == 0) {
				if (u_of((float)want) != r[l])
					ck_abort_msg("%08x / %08x = %08x", a[l], b[l], r[l]);
				continue;
			}
			err = fabs(got - want) / ulp_at(want);
			worst = err > worst ? err : worst;
		}
	}
	ck_assert_msg(worst <= 2, "error of %g ulp", worst);
}
END_TEST

/* ---- f64 ------------------------------------------------------------------------------------------ */
static void ref_gross(const struct ppu_dinsn *di, struct lane *x)
{
	uint64_t h = x->a & 0xffffffff00000000ull;
	double a = d_of(x->a), v;
	uint64_t r;

	if (di->aa)
		a = fabs(a);
	if (di->na)
		a = -a;
	h = l_of(a) & 0xffffffff00000000ull;
	if (isnan(a)) {
		x->d = NAN_F64;
		return;
	}
	v = fpclassify(d_of(h)) == FP_SUBNORMAL || !(h & 0x7fffffff00000000ull) ? copysign(0, a) : d_of(h);
	if (di->op == PPU_OP_RSQRT && v < 0) {
		x->d = NAN_F64;
		return;
	}
	v = di->op == PPU_OP_RCP ? 1 / v : 1 / sqrt(v);
	if (isinf(v) || v == 0 || fpclassify(v) == FP_SUBNORMAL) {
		x->d = isinf(v) ? l_of(v) : l_of(copysign(0, v));
		return;
	}
	/* nearest number with 20 mantissa bits (ties away; none occur but for exact ones) */
	r = l_of(v);
	x->d = (r + (1ull << 31)) >> 32 << 32;
}
START_TEST(f64_gross_approximations)
{
	for (unsigned k = 0; k < 4; k++) {
		struct ppu_dinsn di = INSN(RCP, .t = PPU_T_F64, .m = 1, .ftz = 1, .na = k & 1, .aa = k >> 1);

		run_special(di, ref_gross);
		run_random(di, ref_gross, scaled(50000));
		di.op = PPU_OP_RSQRT;
		run_special(di, ref_gross);
		run_random(di, ref_gross, scaled(50000));
	}
}
END_TEST

/* rsqrt.approx.f64: two correctly rounded steps. */
static void ref_rsqrt64(const struct ppu_dinsn *di, struct lane *x)
{
	volatile double s = sqrt(d_of(x->a)), r = 1 / s;

	x->d = isnan(r) ? NAN_F64 : l_of(r);
}
START_TEST(f64_rsqrt)
{
	run_special(INSN(RSQRT, .t = PPU_T_F64), ref_rsqrt64);
	run_random(INSN(RSQRT, .t = PPU_T_F64), ref_rsqrt64, scaled(50000));
	for (long i = 0; i < scaled(100000); i++) {
		double x = fabs(d_of(any64())), r;
		long double e;

		if (!isnormal(x))
			continue;
		r = 1 / sqrt(x);
		e = fabsl((long double)r * r * x - 1) / 2;
		ck_assert(e < 0x1p-52L);	/* relative */
	}
}
END_TEST

/* ---- halves ------------------------------------------------------------------------------------------- */
static double half_value(unsigned h, bool bf)
{
	return bf ? ppu_bf16_to_f32((uint16_t)h) : ppu_f16_to_f32((uint16_t)h);
}
/* HW-46 */
START_TEST(half_functions)
{
	FOR_TYPES(t, PPU_TS_H)
		for (unsigned fn = 0; fn < 2; fn++)
			for (unsigned ftz = 0; ftz < (fn ? 1 : 2); ftz++)
				for (unsigned h = 0; h < 0x10000; h += PPU_LANES) {
					bool bf = t == PPU_T_BF16 || t == PPU_T_BF16X2;
					bool x2 = t == PPU_T_F16X2 || t == PPU_T_BF16X2;
					struct ppu_dinsn di = INSN(EX2, .t = (uint8_t)t, .ftz = ftz);
					uint32_t a[PPU_LANES], r[PPU_LANES];

					if (fn)
						di.op = PPU_OP_TANH;
					for (unsigned l = 0; l < PPU_LANES; l++)
						a[l] = (h + l) | (x2 ? (0xffff - h - l) << 16 : 0xabcd0000);
					run(di, a, NULL, r);
					for (unsigned l = 0; l < PPU_LANES * 2u; l++) {
						unsigned sh = l & 1 ? 16 : 0, ah = a[l / 2] >> sh & 0xffff;
						unsigned rh = r[l / 2] >> sh & 0xffff;
						double x = half_value(ah, bf), got = half_value(rh, bf), want, err;
						unsigned min = bf ? 0x80 : 0x400;

						if (!x2 && sh) {
							ck_assert_uint_eq(rh, 0);
							continue;
						}
						if (ftz && (ah & 0x7fff) < min)
							x = 0;
						want = fn ? tanh(x) : exp2(x);
						if (isnan(want)) {
							ck_assert_uint_eq(rh, 0x7fff);
							continue;
						}
						if (ftz && fabs(want) < half_value(min, bf)) {
							ck_assert(got == 0 || got == half_value(min, bf));
							continue;
						}
						if (isinf(got) || isinf(want)) {
							ck_assert(fabs(want) >= (bf ? 0x1.fep127 : 65504));
							continue;
						}
						/* ex2 f16 2^-9.9, bf16 2^-7 relative; tanh f16 2^-10.987 absolute,
						 * bf16 2^-8 relative */
						err = fabs(got - want);
						if (!(err <= (fn ? bf ? 0x1p-8 * fabs(want) : 0x1.02p-11 :
								   (bf ? 0x1p-7 : 0x1.12p-10) * want) ||
						      err <= half_value(1, bf) / 2))
							ck_abort_msg("%s(%04x) = %04x", describe(&di, 0), ah, rh);
					}
				}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec_approx");
	TCase *tc = tcase_create("approx");

	tcase_set_timeout(tc, exhaustive() ? 36000 : 600);
	tcase_add_loop_test(tc, f32_functions, 0, COUNT(fns));
	tcase_add_test(tc, special_values);
	tcase_add_test(tc, division_approximate);
	tcase_add_test(tc, f64_gross_approximations);
	tcase_add_test(tc, f64_rsqrt);
	tcase_add_test(tc, half_functions);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
