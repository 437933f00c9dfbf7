/* SPDX-License-Identifier: MIT */
/*
 * References for floating point: values with 113 bits (quad.h), formats as (precision, exponents), and one
 * rounding function for all of them.  f32 and f64 arithmetic itself uses the host's operations under
 * fesetround(): 113 bits cannot hold every exact f32 sum.
 */
#ifndef PTX_FLOAT_H
#define PTX_FLOAT_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "quad.h"

typedef quad fx;

struct fmt {
	const char *name;
	unsigned bits, prec;	/* prec: with the hidden bit */
	int emin, emax;		/* of normal numbers */
};
enum { F16, BF16, F32, F64 };
static const struct fmt fmts[] = {
	[F16] = { "f16", 16, 11, -14, 15 },
	[BF16] = { "bf16", 16, 8, -126, 127 },
	[F32] = { "f32", 32, 24, -126, 127 },
	[F64] = { "f64", 64, 53, -1022, 1023 },
};
enum { RN, RZ, RM, RP };
static const char *const rnd_name[] = { "rn", "rz", "rm", "rp" };
static const int fe_mode[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };

static inline float f32_of(uint64_t v) { uint32_t w = (uint32_t)v; float f; memcpy(&f, &w, 4); return f; }
static inline double f64_of(uint64_t v) { double d; memcpy(&d, &v, 8); return d; }
static inline uint64_t bits32(float f) { uint32_t w; memcpy(&w, &f, 4); return w; }
static inline uint64_t bits64(double d) { uint64_t w; memcpy(&w, &d, 8); return w; }

static inline uint64_t nan_of(int k)
{
	return k == F32 ? 0x7fffffff : k == F64 ? 0xfff8000000000000 : 0x7fff;
}

static inline fx fx_pow2(int e)
{
	fx r = 1, b = e < 0 ? 0.5 : 2;

	for (e = e < 0 ? -e : e; e; e >>= 1, b *= b)
		if (e & 1)
			r *= b;
	return r;
}

static inline bool is_nan_bits(int k, uint64_t v)
{
	const struct fmt *f = &fmts[k];
	uint64_t m = (1ull << (f->prec - 1)) - 1, e = v >> (f->prec - 1) & ((1ull << (f->bits - f->prec)) - 1);

	return e == (1ull << (f->bits - f->prec)) - 1 && (v & m);
}

/* The value of a number that is neither infinite nor NaN; *inf tells. */
static inline fx decode(int k, uint64_t v, bool *inf)
{
	const struct fmt *f = &fmts[k];
	uint64_t m = v & ((1ull << (f->prec - 1)) - 1), top = (1ull << (f->bits - f->prec)) - 1;
	uint64_t e = v >> (f->prec - 1) & top;
	bool neg = v >> (f->bits - 1) & 1;
	fx r;

	*inf = e == top;
	if (e)
		m |= 1ull << (f->prec - 1);
	r = (fx)m * fx_pow2((int)(e ? e : 1) + f->emin - 1 - (int)f->prec + 1);
	return neg ? -r : r;
}

/* The integer next to v in a direction (ties to even), for |v| < 2^100. */
static inline fx fx_round(fx v, int mode)
{
	fx a = v < 0 ? -v : v, n, half;
	bool neg = v < 0;

	n = a >= fx_pow2(90) ? a : (fx)(unsigned __int128)a;	/* toward zero */
	half = a - n;
	if (mode == RN ? half > 0.5 || (half == 0.5 && ((unsigned __int128)n & 1)) :
	    mode == RM ? half > 0 && neg : mode == RP ? half > 0 && !neg : false)
		n += 1;
	return neg ? -n : n;
}

static inline int fx_exp(fx a)	/* floor(log2 a), a > 0 */
{
	int e = 0, s;

	for (s = 16384; s; s >>= 1) {
		while (s < 16384 && a >= fx_pow2(s)) {
			a *= fx_pow2(-s);
			e += s;
		}
		while (s < 16384 && a < fx_pow2(-s)) {
			a *= fx_pow2(s);
			e -= s;
		}
	}
	while (a >= 2) {
		a *= 0.5;
		e++;
	}
	while (a < 1) {
		a *= 2;
		e--;
	}
	return e;
}

/* v in format k, rounded; neg_zero: the sign of a zero. */
static inline uint64_t encode(int k, fx v, int mode, bool neg_zero)
{
	const struct fmt *f = &fmts[k];
	uint64_t sign = (uint64_t)(v < 0 || (v == 0 && neg_zero)) << (f->bits - 1), n;
	uint64_t inf = ((1ull << (f->bits - f->prec)) - 1) << (f->prec - 1);
	fx a = v < 0 ? -v : v, q;
	int e;

	if (v == 0)
		return sign;
	e = fx_exp(a);
	if (e > f->emax + 1)
		e = f->emax + 1;
	if (e < f->emin)
		e = f->emin;
	if (e > f->emax)
		q = fx_pow2((int)f->prec);	/* overflow */
	else
		q = fx_round(a * fx_pow2((int)f->prec - 1 - e), v < 0 ? (mode == RM ? RP : mode == RP ? RM : mode) : mode);
	n = (uint64_t)q;
	if (n >> f->prec) {
		n >>= 1;
		e++;
	}
	if (e > f->emax)
		return sign | (mode == RZ || (mode == RM && v > 0) || (mode == RP && v < 0) ? inf - 1 : inf);
	if (!(n >> (f->prec - 1)))
		return sign | n;
	return sign | (uint64_t)(e - f->emin + 1) << (f->prec - 1) | (n & ((1ull << (f->prec - 1)) - 1));
}

static inline uint64_t flush32(uint64_t v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}

static inline uint64_t flush16(uint64_t v)
{
	return v & 0x7c00 ? v : v & 0x8000;
}

#endif
