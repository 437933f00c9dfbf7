/* SPDX-License-Identifier: MIT */
/* For the tests of mma and wmma: types of factors, values of them, and one element of the product in C. */
#ifndef PTX_MATRIX_H
#define PTX_MATRIX_H

#include <math.h>
#include <string.h>
#include "ptx_float.h"

typedef uint32_t u32;
typedef uint64_t u64;

enum type { TH, TB, T32, TD, S8, U8, S4, U4, B1, E4, E5 };
static const struct {
	const char *name;
	unsigned bits;
} types[] = {
	[TH] = { "f16", 16 }, [TB] = { "bf16", 16 }, [T32] = { "tf32", 32 }, [TD] = { "f64", 64 }, [S8] = { "s8", 8 },
	[U8] = { "u8", 8 }, [S4] = { "s4", 4 }, [U4] = { "u4", 4 }, [B1] = { "b1", 1 }, [E4] = { "e4m3", 8 },
	[E5] = { "e5m2", 8 },
};

struct form {
	const char *shape, *d;		/* d and c: f16 f32 f64 s32 */
	enum type a, b;
	const char *more;		/* modifiers at the end */
	int m, k, n;
};

/* ---- values ---- */

static u64 seed = 11;
static u32 rnd(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 33);
}

/* A float with e bits of exponent and m of mantissa. */
static double small_float(u32 v, int e, int m, bool infinities)
{
	u32 sign = v >> (e + m) & 1, exp = v >> m & ((1u << e) - 1), frac = v & ((1u << m) - 1);
	int bias = (1 << (e - 1)) - 1;
	double d;

	if (infinities && exp == (1u << e) - 1)
		d = frac ? NAN : INFINITY;
	else if (!infinities && exp == (1u << e) - 1 && frac == (1u << m) - 1)
		d = NAN;
	else
		d = exp ? ldexp(1 + ldexp(frac, -m), (int)exp - bias) : ldexp(frac, 1 - bias - m);
	return sign ? -d : d;
}

static double value(enum type t, u64 v)
{
	switch (t) {
	case TH: return small_float((u32)v, 5, 10, true);
	case TB: return small_float((u32)v, 8, 7, true);
	case T32: return small_float((u32)v >> 13, 8, 10, true);
	case TD: return f64_of(v);
	case E4: return small_float((u32)v, 4, 3, false);
	case E5: return small_float((u32)v, 5, 2, true);
	case S8: return (int8_t)v;
	case S4: return (int)(v & 7) - (int)(v & 8);
	default: return (double)v;
	}
}

/* One register of factors.  wild 0: moderate numbers; 1: all bits, no NaN or infinity; 2: those, too, now and then. */
static u64 factors(enum type t, int wild)
{
	unsigned bits = types[t].bits, e;
	u64 v = 0;

	if (t == TD) {
		v = (u64)rnd() << 33 | (u64)rnd() << 2 | rnd() % 4;
		if (!wild)
			v = (v & ~(0x7ffull << 52)) | (u64)(1020 + rnd() % 6) << 52;
		while (wild && !isfinite(f64_of(v)))
			v ^= 1ull << 60;
		return wild == 2 && rnd() % 40 == 0 ? (rnd() & 1 ? 0x7ff0000000000000 : 0xfff4000000000001) : v;
	}
	for (e = 0; e < 32 / bits; e++) {
		u32 x = rnd() ^ rnd() << 16;

		if (t == TH && !wild)
			x = (x & 0x83ff) | (12 + rnd() % 6) << 10;
		if (t == TB && !wild)
			x = (x & 0x807f) | (124 + rnd() % 6) << 7;
		if (t == T32 && !wild)
			x = (x & 0x807fffff) | (124 + rnd() % 6) << 23;
		if (t == E4 && !wild)
			x = (x & 0x87) | (5 + rnd() % 6) << 3;
		if (t == E5 && !wild)
			x = (x & 0x83) | (13 + rnd() % 6) << 2;
		if ((t == S8 || t == U8 || t == S4 || t == U4) && wild)		/* extremes */
			x = rnd() & 1 ? 1u << (bits - 1) : rnd() & 1 ? ~0u : (1u << (bits - 1)) - 1;
		x &= bits == 32 ? ~0u : (1u << bits) - 1;
		if (wild < 2 || rnd() % 40)
			while ((t < S8 || t >= E4) && !isfinite(value(t, x)))
				x ^= 1u << (bits - 2);
		v |= (u64)x << (e * bits);
	}
	return v;
}

static u64 addend(const char *type, int wild)
{
	u32 a, b;

	if (type[0] == 's') {
		a = rnd() ^ rnd() << 16;
		return !wild ? a : rnd() & 1 ? INT32_MAX - rnd() % 3000 : (u32)INT32_MIN + rnd() % 3000;
	}
	if (!strcmp(type, "f64"))
		return factors(TD, wild);
	if (!strcmp(type, "f16"))
		return factors(TH, wild);
	a = rnd() ^ rnd() << 16;
	b = (a & 0x807fffff) | (122 + rnd() % 10) << 23;
	return !wild || !isfinite(f32_of(a)) ? b : a;
}

/* ---- products ---- */

static double reference(const struct form *f, const double *a, const double *b, double c)
{
	volatile double sum = c;
	volatile float single = (float)c;
	int64_t whole = (int64_t)(strcmp(f->d, "s32") ? 0 : c);
	int k, mode = !strcmp(f->more, ".rz") ? RZ : !strcmp(f->more, ".rm") ? RM : !strcmp(f->more, ".rp") ? RP : RN;

	if (!strcmp(f->d, "s32")) {
		for (k = 0; k < f->k; k++)
			whole += f->a != B1 ? (int64_t)a[k] * (int64_t)b[k] : strstr(f->more, "and") ? (int)a[k] & (int)b[k] :
				 (int)a[k] ^ (int)b[k];
		if (strstr(f->more, "satfinite"))
			return whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : (double)whole;
		return (int32_t)(u32)whole;
	}
	if (!strcmp(f->d, "f64")) {
		fesetround(fe_mode[mode]);
		for (k = 0; k < f->k; k++)
			sum = fma(a[k], b[k], sum);
		fesetround(FE_TONEAREST);
		return sum;
	}
	for (k = 0; k < f->k; k++)
		single = fmaf((float)a[k], (float)b[k], single);
	if (!strcmp(f->d, "f16") && isfinite(single))
		return value(TH, encode(F16, single, RN, signbit(single)));
	return single;
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

#endif
