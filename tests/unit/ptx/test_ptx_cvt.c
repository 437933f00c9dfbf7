/* SPDX-License-Identifier: MIT */
/*
 * Every cvt of PTX: all pairs of types, roundings, .ftz, .sat, registers wider than the type.
 * Rows: HW-46, HW-47.
 */
#include "ptx_forms.h"
#include "ptx_float.h"

#define FTZ	4
#define SAT	8
#define RINT	16

struct itype { const char *name; unsigned bits; bool sign; };
static const struct itype itypes[] = {
	{ "u8", 8, 0 }, { "s8", 8, 1 }, { "u16", 16, 0 }, { "s16", 16, 1 }, { "u32", 32, 0 }, { "s32", 32, 1 },
	{ "u64", 64, 0 }, { "s64", 64, 1 },
};
#define NI	8

static char letter(unsigned bits)
{
	return bits <= 16 ? 'H' : bits == 32 ? 'w' : 'q';
}

static char fletter(int k)
{
	return k == F64 ? 'd' : k == F32 ? 'f' : 'H';
}

/* op: source type << 4 | result type; the result as the register holds it */
static __int128 int_value(const struct itype *t, u64 v)
{
	return t->sign ? (__int128)sx(v, t->bits) : (__int128)(v & mask(t->bits));
}

static u64 to_int(const struct itype *t, __int128 v, bool sat)
{
	__int128 lo = t->sign ? -((__int128)1 << (t->bits - 1)) : 0;
	__int128 hi = ((__int128)1 << (t->bits - t->sign)) - 1;

	if (sat)
		v = v < lo ? lo : v > hi ? hi : v;
	return t->sign ? (u64)sx((u64)v, t->bits) : (u64)v & mask(t->bits);
}

static u64 ref_ii(const struct form *f, u64 a, u64 b, u64 c)
{
	return to_int(&itypes[f->op & 15], int_value(&itypes[f->op >> 4], a), f->mode & SAT);
}

START_TEST(test_int_to_int)
{
	unsigned s, d;

	for (s = 0; s < NI; s++)
		for (d = 0; d < NI; d++) {
			char sig[3] = { letter(itypes[d].bits), letter(itypes[s].bits), 0 };

			form(sig, ref_ii, 0, 0, (int)(s << 4 | d), 0, "cvt.%s.%s %%d, %%a;", itypes[d].name, itypes[s].name);
			form(sig, ref_ii, 0, 0, (int)(s << 4 | d), SAT, "cvt.sat.%s.%s %%d, %%a;", itypes[d].name,
			     itypes[s].name);
			if (itypes[s].bits < 32) {	/* operand in a wider register */
				sig[1] = 'E';
				form(sig, ref_ii, 0, 0, (int)(s << 4 | d), 0, "cvt.%s.%s %%d, %%a;", itypes[d].name,
				     itypes[s].name);
			}
			if (itypes[d].bits < 32) {	/* result extended into a wider register */
				sig[0] = 'w';
				form(sig, ref_ii, 0, 0, (int)(s << 4 | d), 0, "cvt.%s.%s %%d, %%a;", itypes[d].name,
				     itypes[s].name);
				sig[0] = 'q';
				form(sig, ref_ii, 0, 0, (int)(s << 4 | d), SAT, "cvt.sat.%s.%s %%d, %%a;", itypes[d].name,
				     itypes[s].name);
			}
			if (itypes[d].bits == 32) {
				sig[0] = 'q';
				form(sig, ref_ii, 0, 0, (int)(s << 4 | d), 0, "cvt.%s.%s %%d, %%a;", itypes[d].name,
				     itypes[s].name);
			}
		}
	forms_run(3);
}
END_TEST

static u64 ref_fi(const struct form *f, u64 a, u64 b, u64 c)
{
	const struct itype *t = &itypes[f->op & 15];
	int k = f->op >> 4;
	bool inf;
	fx v;

	if (f->mode & FTZ && k == F32)
		a = flush32(a);
	if (is_nan_bits(k, a))
		return k == F64 || t->bits == 64 ? to_int(t, (__int128)1 << (t->bits - 1), false) : 0;
	v = decode(k, a, &inf);
	v = fx_round(v, f->mode & 3);
	if (inf || v > fx_pow2(70) || v < -fx_pow2(70))
		return to_int(t, v < 0 ? -((__int128)1 << 70) : (__int128)1 << 70, true);
	return to_int(t, (__int128)v, true);
}

static u64 ref_if(const struct form *f, u64 a, u64 b, u64 c)
{
	int k = f->op & 15;
	__int128 v = int_value(&itypes[f->op >> 4], a);
	u64 r = encode(k, (fx)v, f->mode & 3, false);

	if (f->mode & SAT)
		r = v <= 0 ? 0 : encode(k, 1, RN, false);
	return r;
}

START_TEST(test_float_int)
{
	static const char *const rint[] = { "rni", "rzi", "rmi", "rpi" };
	unsigned d;
	int k, r;

	for (k = F16; k <= F64; k++)
		for (d = 0; d < NI; d++)
			for (r = 0; r < 4; r++) {
				char sig[3] = { letter(itypes[d].bits), fletter(k), 0 };

				form(sig, ref_fi, 0, 0, k << 4 | (int)d, r, "cvt.%s.%s.%s %%d, %%a;", rint[r], itypes[d].name,
				     fmts[k].name);
				if (!(r & 1))
					form(sig, ref_fi, 0, 0, k << 4 | (int)d, r, "cvt.%s.sat.%s.%s %%d, %%a;", rint[r],
					     itypes[d].name, fmts[k].name);
				if (k == F32)
					form(sig, ref_fi, 0, 0, k << 4 | (int)d, r | FTZ, "cvt.%s.ftz.%s.%s %%d, %%a;", rint[r],
					     itypes[d].name, fmts[k].name);
				sig[0] = k >= F32 ? fletter(k) : 'H';
				sig[1] = letter(itypes[d].bits);
				form(sig, ref_if, 0, 0, (int)d << 4 | k, r, "cvt.%s.%s.%s %%d, %%a;", rnd_name[r], fmts[k].name,
				     itypes[d].name);
				if (!r && k != BF16)
					form(sig, ref_if, 0, 0, (int)d << 4 | k, SAT, "cvt.rn.sat.%s.%s %%d, %%a;", fmts[k].name,
					     itypes[d].name);
			}
	forms_run(3);
}
END_TEST

static u64 ref_ff(const struct form *f, u64 a, u64 b, u64 c)
{
	int s = f->op >> 4, d = f->op & 15;
	bool inf, neg;
	u64 r, top = 1ull << (fmts[d].bits - 1);
	fx v;

	if (f->mode & FTZ && s == F32)
		a = flush32(a);
	neg = a >> (fmts[s].bits - 1) & 1;
	v = decode(s, a, &inf);
	if (is_nan_bits(s, a)) {
		r = nan_of(d);
	} else if (inf) {
		r = ((1ull << (fmts[d].bits - fmts[d].prec)) - 1) << (fmts[d].prec - 1) | (neg ? top : 0);
	} else {
		if (f->mode & RINT)
			v = fx_round(v, f->mode & 3);
		r = encode(d, v, f->mode & RINT ? RN : f->mode & 3, neg) | (neg ? top : 0);
	}
	if (f->mode & SAT)
		r = is_nan_bits(d, r) || neg ? 0 : r > encode(d, 1, RN, 0) ? encode(d, 1, RN, 0) : r;
	if (f->mode & FTZ && d == F32)
		r = flush32(r);
	return r;
}

START_TEST(test_float_to_float)
{
	static const char *const rint[] = { "rni", "rzi", "rmi", "rpi" };
	int s, d, r;

	for (s = F16; s <= F64; s++)
		for (d = F16; d <= F64; d++) {
			char sig[3] = { fletter(d), fletter(s), 0 };
			bool down = fmts[d].bits < fmts[s].bits;

			if (s != d && fmts[s].bits == fmts[d].bits)
				continue;
			for (r = 0; r < 4; r++) {
				if (s == d)
					form(sig, ref_ff, 0, 0, s << 4 | d, r | RINT, "cvt.%s.%s.%s %%d, %%a;", rint[r],
					     fmts[d].name, fmts[s].name);
				else if (down)
					form(sig, ref_ff, 0, 0, s << 4 | d, r, "cvt.%s.%s.%s %%d, %%a;", rnd_name[r], fmts[d].name,
					     fmts[s].name);
			}
			if (s == d && s == F32) {
				form(sig, ref_ff, 0, 0, s << 4 | d, SAT, "cvt.sat.f32.f32 %%d, %%a;");
				form(sig, ref_ff, 0, 0, s << 4 | d, SAT | FTZ, "cvt.ftz.sat.f32.f32 %%d, %%a;");
				form(sig, ref_ff, 0, 0, s << 4 | d, FTZ | RINT | RM, "cvt.rmi.ftz.f32.f32 %%d, %%a;");
				form(sig, ref_ff, 0, 0, s << 4 | d, FTZ | RINT | RZ | SAT, "cvt.rzi.ftz.sat.f32.f32 %%d, %%a;");
			}
			if (!down && s != d)
				form(sig, ref_ff, 0, 0, s << 4 | d, 0, "cvt.%s.%s %%d, %%a;", fmts[d].name, fmts[s].name);
			if (s == F32 && d == F64)
				form(sig, ref_ff, 0, 0, s << 4 | d, FTZ, "cvt.ftz.f64.f32 %%d, %%a;");
			if (s == F64 && d == F32)
				form(sig, ref_ff, 0, 0, s << 4 | d, FTZ, "cvt.rn.ftz.f32.f64 %%d, %%a;");
			if (s == F32 && d == F16) {
				form(sig, ref_ff, 0, 0, s << 4 | d, FTZ, "cvt.rn.ftz.f16.f32 %%d, %%a;");
				form(sig, ref_ff, 0, 0, s << 4 | d, SAT, "cvt.rn.sat.f16.f32 %%d, %%a;");
			}
		}
	forms_run(4);
}
END_TEST

/* Two floats into a pair: a is the high half. */
static u64 ref_pair(const struct form *f, u64 a, u64 b, u64 c)
{
	struct form one = { .op = F32 << 4 | f->op, .mode = f->mode & 3 };
	u64 hi = ref_ff(&one, a, 0, 0), lo = ref_ff(&one, b, 0, 0);

	if (f->mode & SAT) {	/* relu */
		hi = hi & 0x8000 && !is_nan_bits(f->op, hi) ? 0 : hi;
		lo = lo & 0x8000 && !is_nan_bits(f->op, lo) ? 0 : lo;
	}
	return f->bits == 16 ? hi : hi << 16 | lo;
}

/* tf32: ties away from zero at 10 bits of mantissa. */
static u64 ref_tf32(const struct form *f, u64 a, u64 b, u64 c)
{
	return (a & 0x7f800000) == 0x7f800000 ? a : (a + 0x1000) & 0xffffe000;
}

/* The same for .rn, .rz, with .relu (FTZ stands for it here) and .satfinite (SAT). */
static u64 ref_tf32_more(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 size = a & 0x7fffffff, down = size & ~0x1fffull, rest = size & 0x1fff;

	if (is_nan_bits(F32, a))
		return a;
	if (f->op == RN && (rest > 0x1000 || (rest == 0x1000 && down & 0x2000)))
		down += 0x2000;
	if (f->op == 'a' && rest >= 0x1000)
		down += 0x2000;
	if (f->mode & SAT && down >= 0x7f800000)
		down = 0x7f7fe000;
	if (a >> 31)
		return f->mode & FTZ ? 0 : down | 0x80000000;
	return down;
}

/* A float of 8 bits; op 0: e4m3, 1: e5m2. */
static double fp8(int op, u32 code)
{
	int m = op ? 2 : 3, exp = code >> m & (op ? 31 : 15), frac = (int)code & ((1 << m) - 1), bias = op ? 15 : 7;
	double d = exp ? ldexp((1 << m) + frac, exp - bias - m) : ldexp(frac, 1 - bias - m);

	if (op ? exp == 31 : exp == 15 && frac == 7)
		d = op && !frac ? INFINITY : NAN;
	return code & 0x80 ? -d : d;
}

/* The nearest of all numbers; of two, the one with an even code. */
static u32 to_fp8(int op, double v, bool relu)
{
	u32 k, best = 0, last = op ? 0x7b : 0x7e;
	double size = fabs(v);

	if (isnan(v))
		return 0x7f;
	if (relu && signbit(v))
		return 0;
	for (k = 1; k <= last; k++) {
		double old = fabs(fp8(op, best) - size), new = fabs(fp8(op, k) - size);

		if (new < old || (new == old && !(k & 1)))
			best = k;
	}
	if (size > fp8(op, last))
		best = last;
	return best | (signbit(v) ? 0x80 : 0);
}

static u64 ref_fp8_of_floats(const struct form *f, u64 a, u64 b, u64 c)
{
	return to_fp8(f->op, f32_of(a), f->mode & SAT) << 8 | to_fp8(f->op, f32_of(b), f->mode & SAT);
}

static u64 ref_fp8_of_halves(const struct form *f, u64 a, u64 b, u64 c)
{
	struct form wide = { .op = F16 << 4 | F32 };
	u64 hi = ref_ff(&wide, a >> 16 & 0xffff, 0, 0), lo = ref_ff(&wide, a & 0xffff, 0, 0);

	return ref_fp8_of_floats(f, hi, lo, 0);
}

static u64 ref_fp8_of_coarse(const struct form *f, u64 a, u64 b, u64 c)
{
	return ref_fp8_of_halves(f, a & (f->op ? 0xffc0ffe0 : 0xffe0fff0), 0, 0);
}

static u64 half_of_fp8(const struct form *f, u32 code)
{
	double v = fp8(f->op, code);

	if (isnan(v))
		return 0x7fff;
	if (f->mode & SAT && signbit(v))
		return 0;
	if (isinf(v))
		return v < 0 ? 0xfc00 : 0x7c00;
	return encode(F16, (fx)v, RN, signbit(v));
}

static u64 ref_halves_of_fp8(const struct form *f, u64 a, u64 b, u64 c)
{
	return half_of_fp8(f, a >> 8 & 0xff) << 16 | half_of_fp8(f, a & 0xff);
}

START_TEST(test_fp8)
{
	static const char *const type[] = { "e4m3x2", "e5m2x2" };
	int k;

	for (k = 0; k < 2; k++) {
		form("Hff", ref_fp8_of_floats, 16, 0, k, 0, "cvt.rn.satfinite.%s.f32 %%d, %%a, %%b;", type[k]);
		form("Hff", ref_fp8_of_floats, 16, 0, k, SAT, "cvt.rn.satfinite.relu.%s.f32 %%d, %%a, %%b;", type[k]);
		form("HE", ref_fp8_of_halves, 16, 0, k, 0, "cvt.rn.satfinite.%s.f16x2 %%d, %%a;", type[k]);
		form("HE", ref_fp8_of_halves, 16, 0, k, SAT, "cvt.rn.satfinite.relu.%s.f16x2 %%d, %%a;", type[k]);
		/* near the type's own numbers: between two of them, and just beside */
		form("HE", ref_fp8_of_coarse, 16, 0, k, 0, "and.b32 %%t0, %%a, 0x%s;\ncvt.rn.satfinite.%s.f16x2 %%d, %%t0;",
		     k ? "ffc0ffe0" : "ffe0fff0", type[k]);
		form("wH", ref_halves_of_fp8, 32, 0, k, 0, "cvt.rn.f16x2.%s %%d, %%a;", type[k]);
		form("wH", ref_halves_of_fp8, 32, 0, k, SAT, "cvt.rn.relu.f16x2.%s %%d, %%a;", type[k]);
	}
	form("Hff", ref_fp8_of_floats, 16, 0, 0, 0, "{\n.reg .pred %%q;\nsetp.eq.u32 %%q, 0, 0;\nmov.b16 %%d, 7;\n"
	     "@%%q cvt.rn.satfinite.e4m3x2.f32 %%d, %%a, %%b;\n@!%%q cvt.rn.satfinite.e5m2x2.f32 %%d, %%b, %%a;\n}");
	forms_run(40);
}
END_TEST

/* .satfinite to halves: SAT; .relu: FTZ. */
static u64 ref_finite(const struct form *f, u64 a, u64 b, u64 c)
{
	struct form one = { .op = F32 << 4 | f->op, .mode = f->mode & 3 };
	u64 v[2] = { f->bits == 16 ? a : b, a }, r = 0, top = f->op == F16 ? 0x7bff : 0x7f7f, h;
	int k;

	for (k = 0; k < 2; k++) {
		h = ref_ff(&one, v[k], 0, 0);
		if (!is_nan_bits(f->op, h) && (h & 0x7fff) > top)
			h = top | (h & 0x8000);
		if (f->mode & FTZ && h & 0x8000 && !is_nan_bits(f->op, h))
			h = 0;
		r |= h << (16 * k);
	}
	return r;
}

START_TEST(test_satfinite)
{
	static const char *const type[] = { "f16", "bf16" };
	int k;

	for (k = F16; k <= BF16; k++) {
		form("wff", ref_finite, 32, 0, k, SAT, "cvt.rn.satfinite.%sx2.f32 %%d, %%a, %%b;", type[k]);
		form("wff", ref_finite, 32, 0, k, RZ | FTZ, "cvt.rz.relu.satfinite.%sx2.f32 %%d, %%a, %%b;", type[k]);
		form("Hf", ref_finite, 16, 0, k, SAT, "cvt.rn.satfinite.%s.f32 %%d, %%a;", type[k]);
		form("Hf", ref_finite, 16, 0, k, RZ | FTZ, "cvt.rz.relu.satfinite.%s.f32 %%d, %%a;", type[k]);
	}
	for (k = RN; k <= RZ; k++) {
		form("wf", ref_tf32_more, 32, 0, k, 0, "cvt.%s.tf32.f32 %%d, %%a;", rnd_name[k]);
		form("wf", ref_tf32_more, 32, 0, k, SAT, "cvt.%s.satfinite.tf32.f32 %%d, %%a;", rnd_name[k]);
		form("wf", ref_tf32_more, 32, 0, k, FTZ, "cvt.%s.relu.tf32.f32 %%d, %%a;", rnd_name[k]);
		form("wf", ref_tf32_more, 32, 0, k, FTZ | SAT, "cvt.%s.relu.satfinite.tf32.f32 %%d, %%a;", rnd_name[k]);
	}
	form("wf", ref_tf32_more, 32, 0, 'a', SAT, "cvt.rna.satfinite.tf32.f32 %%d, %%a;");
	forms_run(10);
}
END_TEST

static u64 ref_pack(const struct form *f, u64 a, u64 b, u64 c)
{
	const struct itype t = { "", f->bits, f->sign };
	u64 hi = to_int(&t, (s32)a, true) & mask(f->bits), lo = to_int(&t, (s32)b, true) & mask(f->bits);

	return (f->bits < 16 ? c << (2 * f->bits) : 0) | hi << f->bits | lo;
}

START_TEST(test_pack)
{
	static const struct itype t[] = {
		{ "u16", 16, 0 }, { "s16", 16, 1 }, { "u8", 8, 0 }, { "s8", 8, 1 }, { "u4", 4, 0 }, { "s4", 4, 1 },
	};
	unsigned k;

	for (k = 0; k < 6; k++)
		form(k < 2 ? "www" : "wwww", ref_pack, t[k].bits, t[k].sign, 0, 0, "cvt.pack.sat.%s.s32%s %%d, %%a, %%b%s;", t[k].name,
		     k < 2 ? "" : ".b32", k < 2 ? "" : ", %c");
	forms_run(10);
}
END_TEST

START_TEST(test_refused)
{
	static const char *const bad[][2] = {
		{ "cvt.rn.e4m3x2.f32 %h0, %f0, %f1;", "the conversions of .e4m3x2 are" },
		{ "cvt.satfinite.e5m2x2.f32 %h0, %f0, %f1;", "the conversions of .e5m2x2 are" },
		{ "cvt.rn.satfinite.e5m2x2.f32 %h0, %f0;", "the conversions of .e5m2x2 are" },
		{ "cvt.rn.satfinite.e5m2x2.f64 %h0, %l0;", "the conversions of .e5m2x2 are" },
		{ "cvt.rn.satfinite.f16x2.e4m3x2 %r0, %h0;", "the conversions of .e4m3x2 are" },
		{ "cvt.rn.bf16x2.e4m3x2 %r0, %h0;", "the conversions of .e4m3x2 are" },
		{ "cvt.rn.satfinite.e4m3x2.f32 %r0, %f0, %f1;", "is of type .b32" },
		{ "cvt.rna.relu.tf32.f32 %r0, %f0;", "the conversions to .tf32 are" },
		{ "cvt.rp.tf32.f32 %r0, %f0;", "the conversions to .tf32 are" },
		{ "cvt.rn.satfinite.f64.f32 %l0, %f0;", "makes .f16 or .bf16 of .f32" },
		{ "cvt.pack.s16.s32 %r0, %r1, %r0;", "'cvt.pack' has the forms" },
		{ "cvt.pack.sat.s8.s32 %r0, %r1, %r0;", "'cvt.pack' has the forms" },
		{ "cvt.pack.sat.s16.u32 %r0, %r1, %r0;", "'cvt.pack' has the forms" },
		{ "cvt.rn.f16x2.f32 %r0, %f1, %f0, %f0;", "only 'cvt.pack' takes so many" },
		{ "cvt.pack.sat.u2.s32.b32 %r0, %r1, %r0, %r0;", "cvt.pack to 2 bits is not supported" },
		{ "cvt.s4.s32 %r0, %r1;", "'cvt' has no form of type .s4" },
		{ "cvt.rzi.satfinite.s32.f32 %r0, %f0;", "makes .f16 or .bf16 of .f32" },
	};
	unsigned i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[500], log[2000];
		ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .log = log, .log_bytes = sizeof(log), .name = "w.ptx" };
		ppuModule m;

		OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
		snprintf(text, sizeof(text), ".version 8.1\n.target sm_90\n.address_size 64\n.entry k()\n{\n"
			 ".reg .b32 %%r<2>; .reg .f32 %%f<2>; .reg .b16 %%h<2>;\n.reg .b64 %%l<2>;\n%s\nret;\n}\n", bad[i][0]);
		ck_assert_int_eq(ppuModuleLoadData(&m, text, 0, &o), PPU_ERROR_COMPILE);
		ck_assert_msg(!strncmp(log, "w.ptx:8:", 8) && strstr(log, bad[i][1]), "%s", log);
	}
}
END_TEST

START_TEST(test_pairs)
{
	static const char *const type[] = { "f16", "bf16" };
	int k;

	for (k = F16; k <= BF16; k++) {
		form("wff", ref_pair, 32, 0, k, 0, "cvt.rn.%sx2.f32 %%d, %%a, %%b;", type[k]);
		form("wff", ref_pair, 32, 0, k, SAT, "cvt.rn.relu.%sx2.f32 %%d, %%a, %%b;", type[k]);
		form("wff", ref_pair, 32, 0, k, RZ, "cvt.rz.%sx2.f32 %%d, %%a, %%b;", type[k]);
		form("Hff", ref_pair, 16, 0, k, SAT, "cvt.rn.relu.%s.f32 %%d, %%a;", type[k]);
	}
	form("wf", ref_tf32, 32, 0, 0, 0, "cvt.rna.tf32.f32 %%d, %%a;");
	forms_run(4);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_int_to_int, test_float_int, test_float_to_float, test_pairs, test_fp8, test_satfinite, test_pack,
				 test_refused };

	return forms_main("ptx_cvt", tests, sizeof(tests) / sizeof(tests[0]));
}
