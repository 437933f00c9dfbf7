/* SPDX-License-Identifier: MIT */
/*
 * Every floating point form of PTX that the compiler takes, executed and compared with references
 * (ptx_float.h): arithmetic with all roundings, .ftz and .sat, halves, comparisons, approximations.
 * Rows: HW-46 (operations), HW-47 (f32 and f64 bit for bit).
 */
#include <hw/ppu_isa.h>
#include "ptx_forms.h"
#include "ptx_float.h"

enum { ADD, SUB, MUL, FMA, DIV, RCP, SQRT, MIN, MAX, NEG, ABS };
#define FTZ	1
#define SAT	2
#define NANP	4	/* .NaN */
#define XORSIGN	8
#define RELU	16
#define RND(mode)	((mode) >> 8 & 3)

static const char *const name[] = { "add", "sub", "mul", "fma", "div", "rcp", "sqrt", "min", "max", "neg", "abs" };

/* ---- f32 and f64 ---- */

static float op32(int op, int rnd, float fa, float fb, float fc)
{
	volatile float a = fa, b = fb, c = fc, r = 0;

	fesetround(fe_mode[rnd]);
	switch (op) {
	case ADD: r = a + b; break;
	case SUB: r = a - b; break;
	case MUL: r = a * b; break;
	case FMA: r = fmaf(a, b, c); break;
	case DIV: r = a / b; break;
	case RCP: r = 1.0f / a; break;
	default: r = sqrtf(a); break;
	}
	fesetround(FE_TONEAREST);
	return r;
}

static double op64(int op, int rnd, double fa, double fb, double fc)
{
	volatile double a = fa, b = fb, c = fc, r = 0;

	fesetround(fe_mode[rnd]);
	switch (op) {
	case ADD: r = a + b; break;
	case SUB: r = a - b; break;
	case MUL: r = a * b; break;
	case FMA: r = fma(a, b, c); break;
	case DIV: r = a / b; break;
	case RCP: r = 1.0 / a; break;
	default: r = sqrt(a); break;
	}
	fesetround(FE_TONEAREST);
	return r;
}

static u64 ref_f32(const struct form *f, u64 a, u64 b, u64 c)
{
	float r;
	u64 v;

	if (f->mode & FTZ) {
		a = flush32(a);
		b = flush32(b);
		c = flush32(c);
	}
	r = op32(f->op, RND(f->mode), f32_of(a), f32_of(b), f32_of(c));
	if (f->mode & SAT)
		r = r >= 1 ? 1 : r > 0 ? r : 0;
	v = bits32(r);
	return f->mode & FTZ ? flush32(v) : v;
}

static u64 ref_f64(const struct form *f, u64 a, u64 b, u64 c)
{
	return bits64(op64(f->op, RND(f->mode), f64_of(a), f64_of(b), f64_of(c)));
}

static void arith_forms(int op, const char *mnemonic, const char *sig32, const char *sig64, const char *operands)
{
	int r, ftz, sat;

	for (r = 0; r < 4; r++) {
		for (ftz = 0; ftz < 2; ftz++)
			for (sat = 0; sat < (op <= FMA ? 2 : 1); sat++)
				form(sig32, ref_f32, 32, 0, op, r << 8 | (ftz ? FTZ : 0) | (sat ? SAT : 0), "%s.%s%s%s.f32 %s;",
				     mnemonic, rnd_name[r], ftz ? ".ftz" : "", sat ? ".sat" : "", operands);
		form(sig64, ref_f64, 64, 0, op, r << 8, "%s.%s.f64 %s;", mnemonic, rnd_name[r], operands);
	}
}

START_TEST(test_arithmetic)
{
	int op;

	for (op = ADD; op <= MUL; op++) {
		arith_forms(op, name[op], "fff", "ddd", "%d, %a, %b");
		form("fff", ref_f32, 32, 0, op, 0, "%s.f32 %%d, %%a, %%b;", name[op]);
		form("fff", ref_f32, 32, 0, op, FTZ, "%s.ftz.f32 %%d, %%a, %%b;", name[op]);
		form("fff", ref_f32, 32, 0, op, FTZ | SAT, "%s.sat.ftz.f32 %%d, %%a, %%b;", name[op]);
		form("ddd", ref_f64, 64, 0, op, 0, "%s.f64 %%d, %%a, %%b;", name[op]);
	}
	arith_forms(FMA, "fma", "ffff", "dddd", "%d, %a, %b, %c");
	arith_forms(FMA, "mad", "ffff", "dddd", "%d, %a, %b, %c");
	arith_forms(DIV, "div", "fff", "ddd", "%d, %a, %b");
	arith_forms(RCP, "rcp", "ff", "dd", "%d, %a");
	arith_forms(SQRT, "sqrt", "ff", "dd", "%d, %a");
	forms_run(3);
}
END_TEST

/* ---- halves ---- */

static u64 half_op(int k, const struct form *f, u64 a, u64 b, u64 c)
{
	bool ia, ib, ic, ftz = f->mode & FTZ;
	fx x, y, z, r = 0;
	u64 v;

	if (ftz) {
		a = flush16(a);
		b = flush16(b);
		c = flush16(c);
	}
	x = decode(k, a, &ia);
	y = decode(k, b, &ib);
	z = decode(k, c, &ic);
	if (is_nan_bits(k, a) || is_nan_bits(k, b) || (f->op == FMA && is_nan_bits(k, c)) || ia || ib ||
	    (f->op == FMA && ic)) {	/* computed by the host in double, which is exact enough here */
		double da = is_nan_bits(k, a) ? NAN : ia ? (x < 0 ? -INFINITY : INFINITY) : (double)x;
		double db = is_nan_bits(k, b) ? NAN : ib ? (y < 0 ? -INFINITY : INFINITY) : (double)y;
		double dc = is_nan_bits(k, c) ? NAN : ic ? (z < 0 ? -INFINITY : INFINITY) : (double)z;
		double d = f->op == ADD ? da + db : f->op == SUB ? da - db : f->op == MUL ? da * db : fma(da, db, dc);

		v = isnan(d) ? nan_of(k) : isinf(d) ? (d < 0 ? 0x8000 : 0) | (k == F16 ? 0x7c00 : 0x7f80) :
		    encode(k, d, RN, signbit(d));
	} else {
		bool na = a >> 15 & 1, nb = b >> 15 & 1, nc = c >> 15 & 1, nz;

		r = f->op == ADD ? x + y : f->op == SUB ? x - y : f->op == MUL ? x * y : x * y + z;
		/* the sign of an exact zero; an underflow keeps the sign of the value */
		nz = f->op == MUL ? na != nb : f->op == ADD ? na && nb : f->op == SUB ? na && !nb : na != nb && nc;
		v = encode(k, r, RN, nz);
		if (r < 0)
			v |= 0x8000;
	}
	if (f->mode & SAT)
		v = is_nan_bits(k, v) || v & 0x8000 ? 0 : v > 0x3c00 ? 0x3c00 : v;
	if (f->mode & RELU && !is_nan_bits(k, v) && v & 0x8000)
		v = 0;
	return ftz ? flush16(v) : v;
}

static u64 ref_half(const struct form *f, u64 a, u64 b, u64 c)
{
	int k = f->sign ? BF16 : F16;

	if (f->bits == 16)
		return half_op(k, f, a, b, c);
	return half_op(k, f, a & 0xffff, b & 0xffff, c & 0xffff) |
	       half_op(k, f, a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16;
}

START_TEST(test_halves)
{
	static const char *const type[] = { "f16", "f16x2", "bf16", "bf16x2" };
	int t, op;

	for (t = 0; t < 4; t++) {
		unsigned bits = t & 1 ? 32 : 16;
		const char *two = t & 1 ? "EEE" : "HHH", *three = t & 1 ? "EEEE" : "HHHH";

		for (op = ADD; op <= MUL; op++) {
			form(two, ref_half, bits, t > 1, op, 0, "%s.%s %%d, %%a, %%b;", name[op], type[t]);
			form(two, ref_half, bits, t > 1, op, 0, "%s.rn.%s %%d, %%a, %%b;", name[op], type[t]);
			if (t > 1)
				continue;
			form(two, ref_half, bits, 0, op, SAT, "%s.sat.%s %%d, %%a, %%b;", name[op], type[t]);
			form(two, ref_half, bits, 0, op, FTZ, "%s.ftz.%s %%d, %%a, %%b;", name[op], type[t]);
			form(two, ref_half, bits, 0, op, FTZ | SAT, "%s.rn.ftz.sat.%s %%d, %%a, %%b;", name[op], type[t]);
		}
		form(three, ref_half, bits, t > 1, FMA, 0, "fma.rn.%s %%d, %%a, %%b, %%c;", type[t]);
		form(three, ref_half, bits, t > 1, FMA, RELU, "fma.rn.relu.%s %%d, %%a, %%b, %%c;", type[t]);
		if (t > 1)
			continue;
		form(three, ref_half, bits, 0, FMA, SAT, "fma.rn.sat.%s %%d, %%a, %%b, %%c;", type[t]);
		form(three, ref_half, bits, 0, FMA, FTZ, "fma.rn.ftz.%s %%d, %%a, %%b, %%c;", type[t]);
	}
	forms_run(4);
}
END_TEST

/* ---- minimum, maximum, signs ---- */

static u64 order(int k, u64 v)	/* numbers as integers in their order, -0 below +0 */
{
	u64 top = 1ull << (fmts[k].bits - 1);

	return v & top ? top - 1 - (v & (top - 1)) : v | top;
}

static u64 minmax_one(int k, const struct form *f, u64 a, u64 b)
{
	u64 top = 1ull << (fmts[k].bits - 1), sign = (a ^ b) & top, r;
	bool na, nb;

	if (f->mode & FTZ) {
		a = k == F32 ? flush32(a) : flush16(a);
		b = k == F32 ? flush32(b) : flush16(b);
	}
	if (f->mode & XORSIGN) {
		a &= ~top;
		b &= ~top;
	}
	na = is_nan_bits(k, a);
	nb = is_nan_bits(k, b);
	if ((na && nb) || ((na || nb) && f->mode & NANP))
		return nan_of(k);
	if (na || nb)
		r = na ? b : a;
	else
		r = (order(k, a) < order(k, b)) == (f->op == MIN) ? a : b;
	return f->mode & XORSIGN ? (r & ~top) | sign : r;
}

/* sign: the format */
static u64 ref_minmax(const struct form *f, u64 a, u64 b, u64 c)
{
	int k = f->mode >> 8;

	if (f->bits == fmts[k].bits)
		return minmax_one(k, f, a, b);
	return minmax_one(k, f, a & 0xffff, b & 0xffff) | minmax_one(k, f, a >> 16, b >> 16) << 16;
}

static u64 sign_one(int k, const struct form *f, u64 a)
{
	u64 top = 1ull << (fmts[k].bits - 1);

	if (f->mode & FTZ)
		a = k == F32 ? flush32(a) : flush16(a);
	return f->op == NEG ? a ^ top : a & ~top;
}

static u64 ref_sign(const struct form *f, u64 a, u64 b, u64 c)
{
	int k = f->mode >> 8;

	if (f->bits == fmts[k].bits)
		return sign_one(k, f, a);
	return sign_one(k, f, a & 0xffff) | sign_one(k, f, a >> 16) << 16;
}

static u64 ref_copysign(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 top = 1ull << (f->bits - 1);

	return (b & ~top) | (a & top);
}

static bool exact(const struct form *f, u64 got, u64 want)
{
	return got == want;
}

START_TEST(test_minmax)
{
	static const struct { const char *name; int k; unsigned bits; const char *two, *one; } t[] = {
		{ "f32", F32, 32, "fff", "ff" }, { "f64", F64, 64, "ddd", "dd" }, { "f16", F16, 16, "HHH", "HH" },
		{ "bf16", BF16, 16, "HHH", "HH" }, { "f16x2", F16, 32, "EEE", "EE" }, { "bf16x2", BF16, 32, "EEE", "EE" },
	};
	unsigned k;
	int op;

	for (k = 0; k < 6; k++)
		for (op = MIN; op <= MAX; op++) {
			const char *n = name[op];
			int fm = t[k].k << 8;

			form(t[k].two, ref_minmax, t[k].bits, 0, op, fm, "%s.%s %%d, %%a, %%b;", n, t[k].name);
			form(t[k].one, ref_sign, t[k].bits, 0, op == MIN ? NEG : ABS, fm, "%s.%s %%d, %%a;",
			     op == MIN ? "neg" : "abs", t[k].name)->ok = exact;
			if (t[k].k == F64)
				continue;
			form(t[k].two, ref_minmax, t[k].bits, 0, op, fm | NANP, "%s.NaN.%s %%d, %%a, %%b;", n, t[k].name);
			form(t[k].two, ref_minmax, t[k].bits, 0, op, fm | XORSIGN, "%s.xorsign.abs.%s %%d, %%a, %%b;", n,
			     t[k].name);
			form(t[k].two, ref_minmax, t[k].bits, 0, op, fm | XORSIGN | NANP, "%s.NaN.xorsign.abs.%s %%d, %%a, %%b;",
			     n, t[k].name);
			if (t[k].k == BF16)
				continue;
			form(t[k].two, ref_minmax, t[k].bits, 0, op, fm | FTZ, "%s.ftz.%s %%d, %%a, %%b;", n, t[k].name);
			form(t[k].two, ref_minmax, t[k].bits, 0, op, fm | FTZ | NANP, "%s.ftz.NaN.%s %%d, %%a, %%b;", n,
			     t[k].name);
			form(t[k].one, ref_sign, t[k].bits, 0, op == MIN ? NEG : ABS, fm | FTZ, "%s.ftz.%s %%d, %%a;",
			     op == MIN ? "neg" : "abs", t[k].name);
		}
	form("fff", ref_copysign, 32, 0, 0, 0, "copysign.f32 %%d, %%a, %%b;")->ok = exact;
	form("ddd", ref_copysign, 64, 0, 0, 0, "copysign.f64 %%d, %%a, %%b;")->ok = exact;
	forms_run(4);
}
END_TEST

/* ---- comparisons, classes ---- */

static const char *const cmps[] = { "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu",
				    "num", "nan" };

static bool compare(int k, const struct form *f, u64 a, u64 b)
{
	bool ia, ib, un;
	fx x, y;

	if (f->mode & FTZ) {
		a = k == F32 ? flush32(a) : flush16(a);
		b = k == F32 ? flush32(b) : flush16(b);
	}
	un = is_nan_bits(k, a) || is_nan_bits(k, b);
	x = decode(k, a, &ia);
	y = decode(k, b, &ib);
	if (f->op == 12)
		return !un;
	if (f->op == 13)
		return un;
	if (un)
		return f->op >= 6;
	switch (f->op % 6) {
	case 0: return x == y;
	case 1: return x != y;
	case 2: return x < y;
	case 3: return x <= y;
	case 4: return x > y;
	default: return x >= y;
	}
}

static u64 ref_setp(const struct form *f, u64 a, u64 b, u64 c)
{
	int k = f->mode >> 8 & 3;

	if (f->mode & RELU)	/* the high halves, into the second predicate */
		return compare(k, f, a >> 16 & 0xffff, b >> 16 & 0xffff);
	return compare(k, f, a & mask(fmts[k].bits), b & mask(fmts[k].bits));
}

static u64 ref_set(const struct form *f, u64 a, u64 b, u64 c)
{
	int k = f->mode >> 8 & 3;
	bool r = compare(k, f, a & mask(fmts[k].bits), b & mask(fmts[k].bits));
	bool r2 = compare(k, f, a >> 16 & 0xffff, b >> 16 & 0xffff);

	switch (f->mode >> 12) {
	case 0: return r ? 0xffffffff : 0;
	case 1: return r ? 0x3f800000 : 0;
	case 2: return r ? k == F16 ? 0x3c00 : 0x3f80 : 0;
	case 3: return (r ? 0x3c00 : 0) | (r2 ? 0x3c000000u : 0);
	default: return (r ? 0xffff : 0) | (r2 ? 0xffff0000u : 0);
	}
}

START_TEST(test_compare)
{
	static const struct { const char *name; int k; const char *sig; } t[] = {
		{ "f32", F32, "pff" }, { "f64", F64, "pdd" }, { "f16", F16, "pHH" }, { "bf16", BF16, "pHH" },
	};
	unsigned k;
	int c;

	for (c = 0; c < 14; c++) {
		for (k = 0; k < 4; k++) {
			char s[4] = { 'w', t[k].sig[1], t[k].sig[2], 0 };
			int m = t[k].k << 8;

			form(t[k].sig, ref_setp, 0, 0, c, m, "setp.%s.%s %%d, %%a, %%b;", cmps[c], t[k].name);
			form(s, ref_set, 0, 0, c, m, "set.%s.u32.%s %%d, %%a, %%b;", cmps[c], t[k].name);
			form(s, ref_set, 0, 0, c, m | 1 << 12, "set.%s.f32.%s %%d, %%a, %%b;", cmps[c], t[k].name);
			if (k == 0 || k == 2)
				form(t[k].sig, ref_setp, 0, 0, c, m | FTZ, "setp.%s.ftz.%s %%d, %%a, %%b;", cmps[c], t[k].name);
			s[0] = 'H';
			if (k >= 2)
				form(s, ref_set, 0, 0, c, m | 2 << 12, "set.%s.%s.%s %%d, %%a, %%b;", cmps[c], t[k].name, t[k].name);
		}
		form("pEE", ref_setp, 0, 0, c, F16 << 8, "setp.%s.f16x2 %%d|%%p1, %%a, %%b;", cmps[c]);
		form("pEE", ref_setp, 0, 0, c, F16 << 8 | RELU, "setp.%s.f16x2 %%p1|%%d, %%a, %%b;", cmps[c]);
		form("pEE", ref_setp, 0, 0, c, BF16 << 8 | RELU, "setp.%s.bf16x2 %%p1|%%d, %%a, %%b;", cmps[c]);
		form("wEE", ref_set, 0, 0, c, F16 << 8 | 3 << 12, "set.%s.f16x2.f16x2 %%d, %%a, %%b;", cmps[c]);
		form("wEE", ref_set, 0, 0, c, F16 << 8 | 4 << 12, "set.%s.u32.f16x2 %%d, %%a, %%b;", cmps[c]);
	}
	forms_run(3);
}
END_TEST

static u64 ref_testp(const struct form *f, u64 a, u64 b, u64 c)
{
	double v = f->bits == 32 ? f32_of(a) : f64_of(a);
	int cl = f->bits == 32 ? fpclassify(f32_of(a)) : fpclassify(v);

	switch (f->op) {
	case PPU_TESTP_FINITE: return cl != FP_NAN && cl != FP_INFINITE;
	case PPU_TESTP_INFINITE: return cl == FP_INFINITE;
	case PPU_TESTP_NUMBER: return cl != FP_NAN;
	case PPU_TESTP_NOTANUMBER: return cl == FP_NAN;
	case PPU_TESTP_NORMAL: return cl == FP_NORMAL || cl == FP_ZERO;
	default: return cl == FP_SUBNORMAL;
	}
}

START_TEST(test_class)
{
	static const char *const class[] = {
#define C(name, code, text) [code] = text,
		PPU_TESTP_CLASSES(C)
#undef C
	};
	int c;

	for (c = 0; c < PPU_TESTP_COUNT; c++) {
		form("pf", ref_testp, 32, 0, c, 0, "testp.%s.f32 %%d, %%a;", class[c]);
		form("pd", ref_testp, 64, 0, c, 0, "testp.%s.f64 %%d, %%a;", class[c]);
	}
	forms_run(4);
}
END_TEST

/* ---- approximations: PTX's bounds are those of test_exec_approx; here the right function ---- */

enum { SIN, COS, EX2, LG2, RSQRT, RCPA, SQRTA, DIVA, TANH };

static u64 ref_approx(const struct form *f, u64 a, u64 b, u64 c)
{
	double x, y;

	if (f->bits == 64) {
		x = f64_of(a);
		if (!f->mode && fpclassify(x) == FP_SUBNORMAL)	/* the gross approximations */
			x = copysign(0, x);
		return bits64(f->op == RSQRT ? 1 / sqrt(x) : 1 / x);
	}
	x = f32_of(f->mode & FTZ ? flush32(a) : a);
	y = f32_of(f->mode & FTZ ? flush32(b) : b);
	switch (f->op) {
	case SIN: return bits32((float)sin(x));
	case COS: return bits32((float)cos(x));
	case EX2: return bits32((float)exp2(x));
	case LG2: return bits32((float)log2(x));
	case RSQRT: return bits32((float)(1 / sqrt(x)));
	case RCPA: return bits32((float)(1 / x));
	case SQRTA: return bits32((float)sqrt(x));
	case DIVA: return bits32(fabs(y) > 0x1p126 && isfinite(y) ? !isfinite(x) ? NAN : copysignf(0, (float)(x * y)) :
				 (float)(x / y));
	default: return bits32((float)tanh(x));
	}
}

static bool near(const struct form *f, u64 got, u64 want)
{
	double g = f->bits == 64 ? f64_of(got) : f32_of(got), w = f->bits == 64 ? f64_of(want) : f32_of(want);
	double tiny = f->bits == 64 ? 0x1p-1021 : 0x1p-125, bound = f->mode & 1024 ? 0x1p-18 : 0x1p-10;

	if (isnan(w))
		return isnan(g);
	if (isinf(w) || w == 0)
		return g == w || (w == 0 && fabs(g) < (f->op == LG2 ? 0x1p-20 : f->op <= COS ? 0x1p-18 : tiny)) ||
		       (isinf(w) && f->op == EX2 && fabs(g) > 0x1p127);
	if (fabs(w) < tiny)
		return fabs(g) <= 2 * tiny && (g == 0 || (g < 0) == (w < 0));
	return fabs(g - w) <= bound * (f->op <= COS || f->op == LG2 ? fmax(1, fabs(w)) : fabs(w));
}

START_TEST(test_approx)
{
	static const struct { const char *text; int op; bool ftz; } t[] = {
		{ "sin.approx", SIN, 1 }, { "cos.approx", COS, 1 }, { "ex2.approx", EX2, 1 }, { "lg2.approx", LG2, 1 },
		{ "rsqrt.approx", RSQRT, 1 }, { "rcp.approx", RCPA, 1 }, { "sqrt.approx", SQRTA, 1 },
		{ "tanh.approx", TANH, 0 },
	};
	unsigned k;

	for (k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
		form("ff", ref_approx, 32, 0, t[k].op, 1024, "%s.f32 %%d, %%a;", t[k].text)->ok = near;
		if (t[k].ftz)
			form("ff", ref_approx, 32, 0, t[k].op, 1024 | FTZ, "%s.ftz.f32 %%d, %%a;", t[k].text)->ok = near;
	}
	form("fff", ref_approx, 32, 0, DIVA, 1024, "div.approx.f32 %%d, %%a, %%b;")->ok = near;
	form("fff", ref_approx, 32, 0, DIVA, 1024 | FTZ, "div.approx.ftz.f32 %%d, %%a, %%b;")->ok = near;
	form("fff", ref_approx, 32, 0, DIVA, 1024, "div.full.f32 %%d, %%a, %%b;")->ok = near;
	form("fff", ref_approx, 32, 0, DIVA, 1024 | FTZ, "div.full.ftz.f32 %%d, %%a, %%b;")->ok = near;
	form("dd", ref_approx, 64, 0, RSQRT, 1024, "rsqrt.approx.f64 %%d, %%a;")->ok = near;
	form("dd", ref_approx, 64, 0, RSQRT, 0, "rsqrt.approx.ftz.f64 %%d, %%a;")->ok = near;
	form("dd", ref_approx, 64, 0, RCPA, 0, "rcp.approx.ftz.f64 %%d, %%a;")->ok = near;
	forms_run(6);
}
END_TEST

static double half_value(int k, u64 v)
{
	bool inf;
	fx x = decode(k, v, &inf);

	return is_nan_bits(k, v) ? NAN : inf ? x < 0 ? -INFINITY : INFINITY : (double)x;
}

static u64 ref_half_fn(const struct form *f, u64 a, u64 b, u64 c)
{
	return a;	/* half_near() computes: it needs the operand */
}

/* got = f(want's operand), elements of 16 bits */
static bool half_near(const struct form *f, u64 got, u64 want)
{
	int k = f->mode & 1 ? BF16 : F16;
	unsigned e;

	for (e = 0; e < f->bits / 16; e++) {
		double x = half_value(k, want >> (16 * e) & 0xffff), g = half_value(k, got >> (16 * e) & 0xffff);
		double w = f->op == EX2 ? exp2(x) : tanh(x);

		if (isnan(w) ? !isnan(g) : w > (k == F16 ? 65503 : 3.3e38) ? g < (k == F16 ? 65000 : 3.2e38) :
		    fabs(g - w) > fabs(w) * 0x1p-6 + 0x1p-14)
			return false;
	}
	return true;
}

START_TEST(test_half_functions)
{
	form("HH", ref_half_fn, 16, 0, EX2, 0, "ex2.approx.f16 %%d, %%a;")->ok = half_near;
	form("EE", ref_half_fn, 32, 0, EX2, 0, "ex2.approx.f16x2 %%d, %%a;")->ok = half_near;
	form("HH", ref_half_fn, 16, 0, EX2, 1, "ex2.approx.ftz.bf16 %%d, %%a;")->ok = half_near;
	form("EE", ref_half_fn, 32, 0, EX2, 1, "ex2.approx.ftz.bf16x2 %%d, %%a;")->ok = half_near;
	form("HH", ref_half_fn, 16, 0, TANH, 0, "tanh.approx.f16 %%d, %%a;")->ok = half_near;
	form("EE", ref_half_fn, 32, 0, TANH, 0, "tanh.approx.f16x2 %%d, %%a;")->ok = half_near;
	form("HH", ref_half_fn, 16, 0, TANH, 1, "tanh.approx.bf16 %%d, %%a;")->ok = half_near;
	form("EE", ref_half_fn, 32, 0, TANH, 1, "tanh.approx.bf16x2 %%d, %%a;")->ok = half_near;
	forms_run(4);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_arithmetic, test_halves, test_minmax, test_compare, test_class, test_approx,
				 test_half_functions };

	return forms_main("ptx_float", tests, sizeof(tests) / sizeof(tests[0]));
}
