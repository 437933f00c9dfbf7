/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic of one lane, written without branches so that loops over it vectorize.  The same code
 * is inlined into the lane loops of every level and into the scalar helpers of exec.h.
 */
#ifndef PPU_EXEC_SCALAR_H
#define PPU_EXEC_SCALAR_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Lane code touches only the rows a checked instruction names; sanitizing every lane of it would
 * make each test build slow for nothing.  -DPPU_LANE_SANITIZE turns the sanitizers on again. */
#ifdef PPU_LANE_SANITIZE
#define PPU_NOSAN
#elif defined(__clang__)
#define PPU_NOSAN __attribute__((no_sanitize("address", "undefined")))
#else
#define PPU_NOSAN __attribute__((no_sanitize_address, no_sanitize_undefined))
#endif
#define PPU_INL static inline __attribute__((always_inline, unused)) PPU_NOSAN

#define PPU_F32_NAN	0x7fffffffu
#define PPU_F64_NAN	0xfff8000000000000ull
#define PPU_H_NAN	0x7fffu		/* f16 and bf16 */

PPU_INL float ppu_asf(uint32_t x)
{
	float f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

PPU_INL uint32_t ppu_asu(float f)
{
	uint32_t x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

PPU_INL double ppu_asd(uint64_t x)
{
	double f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

PPU_INL uint64_t ppu_asl(double f)
{
	uint64_t x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

/* Bits of a result, NaN replaced by the canonical one. */
PPU_INL uint32_t ppu_canon32(float r)
{
	return r == r ? ppu_asu(r) : PPU_F32_NAN;
}

PPU_INL uint64_t ppu_canon64(double r)
{
	return r == r ? ppu_asl(r) : PPU_F64_NAN;
}

/* Subnormals to zero of the same sign. */
PPU_INL uint32_t ppu_flush32(uint32_t x)
{
	return x & 0x7f800000 ? x : x & 0x80000000;
}

/* Clamp to [0, 1], NaN to +0. */
PPU_INL uint32_t ppu_sat32(uint32_t x)
{
	uint32_t r = (int32_t)x < 0 ? 0 : x;	/* also -0 and negative NaN */

	return r > 0x7f800000 ? 0 : r > 0x3f800000 ? 0x3f800000 : r;
}

PPU_INL uint64_t ppu_sat64(uint64_t x)
{
	uint64_t r = (int64_t)x < 0 ? 0 : x;

	return r > 0x7ff0000000000000ull ? 0 :
	       r > 0x3ff0000000000000ull ? 0x3ff0000000000000ull : r;
}

/* ---- rounding in integers: any format, any mode --------------------------------------------- */
/* Does the truncated magnitude q go up by one?  rem: what was cut off, half: half a unit of q. */
PPU_INL uint64_t ppu_round_inc(uint64_t q, uint64_t rem, uint64_t half, bool neg, unsigned rnd)
{
	return rnd == 0 ? (rem > half) | ((rem == half) & (q & 1)) :
	       rnd == 1 ? 0 : rem != 0 && neg == (rnd == 2);
}

/*
 * Bits of m * 2^e (m has bit 63 set or is 0), rounded to a format with mb mantissa bits and
 * exponent field all ones above emax (bias emax, smallest normal exponent 1 - emax).
 */
PPU_INL uint64_t ppu_pack(bool neg, uint64_t m, int e, unsigned mb, int emax, unsigned rnd)
{
	int top = e + 63;				/* exponent of the value */
	int drop = top < 1 - emax ? 63 - (int)mb + (1 - emax - top) : 63 - (int)mb;
	uint64_t sign = (uint64_t)neg << (mb + (emax > 127 ? 11 : emax > 15 ? 8 : 5));
	uint64_t inf = (uint64_t)(2 * emax + 1) << mb, q, rem, half, r;

	if (!m)
		return sign;
	if (drop > 64)					/* less than half of the least subnormal */
		drop = 65;
	q = drop < 64 ? m >> drop : 0;
	rem = drop < 64 ? m & ((1ull << drop) - 1) : drop == 64 ? m : 1;
	half = drop <= 64 ? 1ull << (drop - 1) : 2;
	q += ppu_round_inc(q, rem, half, neg, rnd);
	r = top < 1 - emax ? q : ((uint64_t)(top + emax - 1) << mb) + q;
	if (top > emax || r >= inf)
		r = rnd == 0 || (rnd > 1 && neg == (rnd == 2)) ? inf : inf - 1;
	return sign | r;
}
#define PPU_PACK_F16(neg, m, e, rnd) ((uint32_t)ppu_pack(neg, m, e, 10, 15, rnd))
#define PPU_PACK_BF16(neg, m, e, rnd) ((uint32_t)ppu_pack(neg, m, e, 7, 127, rnd))
#define PPU_PACK_F32(neg, m, e, rnd) ((uint32_t)ppu_pack(neg, m, e, 23, 127, rnd))
#define PPU_PACK_F64(neg, m, e, rnd) ppu_pack(neg, m, e, 52, 1023, rnd)

/* A finite double as *m * 2^e with bit 63 of m set, or 0. */
PPU_INL int ppu_unpack64(uint64_t x, uint64_t *m)
{
	uint64_t frac = x & 0xfffffffffffffull;
	int exp = (int)(x >> 52 & 0x7ff), n;

	if (exp) {
		*m = (frac | 1ull << 52) << 11;
		return exp - 1075 - 11;
	}
	*m = frac;
	if (!frac)
		return 0;
	n = __builtin_clzll(frac);
	*m = frac << n;
	return -1074 - n;
}

/* ---- half precision ------------------------------------------------------------------------------ */
/*
 * Bits of an f32 to f16 or bf16.  Conditions are 0 or 1, or masks: the vectorizer does not like
 * truth values of different origin in one expression.
 */
PPU_INL uint32_t ppu_up32(uint32_t x, uint32_t q, uint32_t rem, uint32_t half, unsigned rnd)
{
	const uint32_t rn = rnd == 0 ? ~0u : 0, rm = rnd == 2 ? ~0u : 0, rp = rnd == 3 ? ~0u : 0;
	uint32_t neg = (uint32_t)((int32_t)x >> 31), dir = (neg & rm) | (~neg & rp);
	uint32_t more = rem > half ? 1 : 0, tie = rem == half ? q : 0, any = rem != 0 ? 1 : 0;

	return ((rn & (more | tie)) | (dir & any)) & 1;
}
PPU_INL uint32_t ppu_f32_f16(uint32_t x, unsigned rnd)
{
	const uint32_t rn = rnd == 0 ? ~0u : 0, rm = rnd == 2 ? ~0u : 0, rp = rnd == 3 ? ~0u : 0;
	uint32_t sign = x >> 16 & 0x8000, a = x & 0x7fffffff, neg = (uint32_t)((int32_t)x >> 31);
	uint32_t exp = a >> 23, m = (a & 0x7fffff) | 0x800000;
	/* below 2^-14 (exponent field 113) the unit is 2^-24; 25 bits shift out everything but sticky */
	uint32_t sub = 113 - exp, clip = sub < 12 ? sub : 12, sh = exp < 113 ? 13 + clip : 13;
	uint32_t tiny = a != 0 ? 1 : 0, me = exp == 0 ? tiny : m;	/* f32 subnormals: only sticky */
	uint32_t q = me >> sh, rem = me & ((1u << sh) - 1), half = 1u << (sh - 1);
	uint32_t base = exp < 113 ? 0 : (exp - 113) << 10;
	uint32_t r = q + ppu_up32(x, q, rem, half, rnd) + base;
	uint32_t over = 0x7bff + ((rn | (neg & rm) | (~neg & rp)) & 1);

	r = r >= 0x7c00 ? over : r;
	r = a >= 0x47800000 ? over : r;
	r = a >= 0x7f800000 ? 0x7c00 : r;
	r |= sign;
	return a > 0x7f800000 ? PPU_H_NAN : r;
}

PPU_INL uint32_t ppu_f32_bf16(uint32_t x, unsigned rnd)
{
	uint32_t a = x & 0x7fffffff, q = x >> 16;
	uint32_t r = q + ppu_up32(x, q, x & 0xffff, 0x8000, rnd);

	return a > 0x7f800000 ? PPU_H_NAN : r;
}

PPU_INL uint32_t ppu_f16_f32(uint32_t h)
{
	uint32_t sign = (h & 0x8000) << 16, a = h & 0x7fff;
	/* normal: move and re-bias; subnormal: a * 2^-24, exact */
	uint32_t norm = (a << 13) + (112u << 23);
	uint32_t sub = ppu_asu((float)(int32_t)(a & 0x3ff) * 0x1p-24f);
	uint32_t r = a < 0x400 ? sub : norm;

	r = a >= 0x7c00 ? 0x7f800000 : r;
	return a > 0x7c00 ? PPU_F32_NAN : sign | r;
}

PPU_INL uint32_t ppu_bf16_f32(uint32_t h)
{
	return (h & 0x7fff) > 0x7f80 ? PPU_F32_NAN : h << 16;
}

/* Clamp an f16 or bf16 to [0, 1], NaN to +0. */
PPU_INL uint32_t ppu_sath(uint32_t h, uint32_t one, uint32_t inf)
{
	return h & 0x8000 || h > inf ? 0 : h > one ? one : h;
}

/* ---- sums rounded to odd --------------------------------------------------------------------------- */
/* p + c as a double whose last bit is sticky: any further rounding to at most 51 bits is exact. */
PPU_INL double ppu_add_odd(double p, double c)
{
	double s = p + c, bb = s - p, e = (p - (s - bb)) + (c - bb);
	uint64_t u = ppu_asl(s);
	uint64_t lost = e != 0 ? ~0ull : 0, finite = s - s == 0 ? ~0ull : 0, even = (u & 1) - 1;
	uint64_t pe = e > 0 ? ~0ull : 0, ps = s > 0 ? ~0ull : 0;
	uint64_t step = (~(pe ^ ps) & 2) - 1;		/* away from zero 1, towards it -1 */

	return ppu_asd(u + (lost & finite & even & step));
}

/* Order of floats as integers: -0 below +0. */
PPU_INL int32_t ppu_key32(uint32_t x)
{
	return (int32_t)(x ^ (uint32_t)((int32_t)x >> 31) >> 1);
}
PPU_INL int64_t ppu_key64(uint64_t x)
{
	return (int64_t)(x ^ (uint64_t)((int64_t)x >> 63) >> 1);
}

/* ---- directed rounding of the host's operations -------------------------------------------------------- */
/*
 * ppu_rnd_begin() sets the mode and returns what ppu_rnd_end() puts back.  The pointers are named so that the
 * compiler neither computes from them earlier nor later.
 */
#if defined(__x86_64__) && !defined(PPU_PORTABLE)	/* MXCSR */
PPU_INL uint32_t ppu_rnd_begin(unsigned rnd, const void *a, const void *b, const void *c)
{
	static const uint32_t rc[4] = { 0x0000, 0x6000, 0x2000, 0x4000 };
	uint32_t old = 0, csr;

	if (rnd) {
		__asm__ volatile("stmxcsr %0" : "=m"(old));
		csr = (old & ~0x6000u) | rc[rnd];
		__asm__ volatile("ldmxcsr %0" : : "m"(csr), "r"(a), "r"(b), "r"(c) : "memory");
	}
	return old;
}
PPU_INL void ppu_rnd_end(unsigned rnd, uint32_t old, const void *r)
{
	if (rnd)
		__asm__ volatile("ldmxcsr %0" : : "m"(old), "r"(r) : "memory");
}
#elif defined(__aarch64__) && !defined(PPU_PORTABLE)	/* FPCR, whose upper half is zero */
PPU_INL uint32_t ppu_rnd_begin(unsigned rnd, const void *a, const void *b, const void *c)
{
	static const uint32_t mode[4] = { 0, 3u << 22, 2u << 22, 1u << 22 };
	uint64_t old = 0, fpcr;

	if (rnd) {
		__asm__ volatile("mrs %0, fpcr" : "=r"(old));
		fpcr = (old & ~(3ull << 22)) | mode[rnd];
		__asm__ volatile("msr fpcr, %0" : : "r"(fpcr), "r"(a), "r"(b), "r"(c) : "memory");
	}
	return (uint32_t)old;
}
PPU_INL void ppu_rnd_end(unsigned rnd, uint32_t old, const void *r)
{
	if (rnd)
		__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)old), "r"(r) : "memory");
}
#else
PPU_INL uint32_t ppu_rnd_begin(unsigned rnd, const void *a, const void *b, const void *c)
{
	static const int mode[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
	int old = 0;

	if (rnd) {
		old = fegetround();
		fesetround(mode[rnd]);
		__asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
	}
	return (uint32_t)old;
}
PPU_INL void ppu_rnd_end(unsigned rnd, uint32_t old, const void *r)
{
	if (rnd) {
		__asm__ volatile("" : : "r"(r) : "memory");
		fesetround((int)old);
	}
}
#endif

#endif
