/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The approximate functions of f32, one lane, as bits to bits.  Fixed sequences of IEEE single and
 * double operations without fused ones, so that every host gives the same bits; no branches, so
 * that loops over them vectorize.  Error bounds: Documentation/hw/arithmetic.md.
 */
#ifndef PPU_EXEC_APPROX_H
#define PPU_EXEC_APPROX_H

#include "core/exec/exec_scalar.h"

/* 2^x.  x = k + f, |f| <= 1/2; a Taylor polynomial for 2^f; 2^k in two exact-until-the-last steps. */
PPU_INL float ppu_ex2f(float x)
{
	float c = x < 200.0f ? x : 200.0f;
	float y = c > -200.0f ? c : -200.0f;		/* also NaN: replaced by the caller */
	float t = y + 0x1.8p23f;			/* k in the low bits */
	int32_t k = (int32_t)(ppu_asu(t) - ppu_asu(0x1.8p23f)), k1 = k >> 1, k2 = k - k1;
	float f = y - (t - 0x1.8p23f);
	float p = 0x1.ffcbfcp-17f;			/* ln2^n / n! */

	p = p * f + 0x1.430912p-13f;
	p = p * f + 0x1.5d87fep-10f;
	p = p * f + 0x1.3b2ab6p-7f;
	p = p * f + 0x1.c6b08ep-5f;
	p = p * f + 0x1.ebfbep-3f;
	p = p * f + 0x1.62e43p-1f;
	p = p * f + 1.0f;
	return p * ppu_asf((uint32_t)(k1 + 127) << 23) * ppu_asf((uint32_t)(k2 + 127) << 23);
}
PPU_INL uint32_t ppu_ex2(uint32_t x)
{
	uint32_t r = ppu_asu(ppu_ex2f(ppu_asf(x)));

	return (x & 0x7fffffff) > 0x7f800000 ? PPU_F32_NAN : r;
}

/* log2(x).  x = 2^e m, m in [sqrt(1/2), sqrt(2)); log2(m) = 2 / ln 2 * atanh(s), s = (m-1)/(m+1). */
PPU_INL uint32_t ppu_lg2(uint32_t x)
{
	uint32_t sub = x < 0x00800000;			/* also zero, replaced below */
	uint32_t n = sub ? ppu_asu((float)(int32_t)(x & 0x7fffff)) : x;
	int32_t e = (int32_t)((n - 0x3f3504f3) & 0xff800000);
	float m = ppu_asf(n - (uint32_t)e);
	float ef = (float)((e >> 23) - (sub ? 149 : 0));
	float f = m - 1.0f, s = f / (m + 1.0f), z = s * s;
	float p = 0x1.484b14p-2f;			/* 2 / (n ln 2) */

	p = p * z + 0x1.a61762p-2f;
	p = p * z + 0x1.2776c6p-1f;
	p = p * z + 0x1.ec709ep-1f;
	p = p * z * s;
	float r = ef + (s * 0x1.715476p+1f + p);
	uint32_t a = x & 0x7fffffff;
	uint32_t u = ppu_asu(r);

	u = x == 0x7f800000 ? x : u;
	u = (int32_t)x < 0 || a > 0x7f800000 ? PPU_F32_NAN : u;
	return a == 0 ? 0xff800000 : u;
}

/*
 * Sine and cosine on a quarter turn around 0: r in [-pi/4, pi/4], n the quarter.  The result is
 * sin(r + n pi/2).
 */
PPU_INL uint32_t ppu_sincos_poly(float r, uint32_t n)
{
	float z = r * r;
	float s = 0x1.71de3ap-19f;			/* 1/9! */
	float c = 0x1.a01a02p-16f;			/* 1/8! */

	s = s * z - 0x1.a01a02p-13f;
	s = s * z + 0x1.111112p-7f;
	s = s * z - 0x1.555556p-3f;
	s = s * (z * r) + r;
	c = c * z - 0x1.6c16c2p-10f;
	c = c * z + 0x1.555556p-5f;
	c = c * (z * z) + (1.0f - 0.5f * z);
	return ppu_asu(n & 1 ? c : s) ^ (n & 2 ? 0x80000000 : 0);
}
/* quarter: 0 sine, 1 cosine.  Arguments from 2^24 on are left to ppu_sincos_big(). */
PPU_INL uint32_t ppu_sincos(uint32_t x, uint32_t quarter)
{
	uint32_t a = x & 0x7fffffff;
	double xd = (double)ppu_asf(a < 0x4b800000 ? x : 0);
	double t = xd * 0x1.45f306dc9c883p-1 + 0x1.8p52;
	double k = t - 0x1.8p52;
	float r = (float)((xd - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34);
	uint32_t u = ppu_sincos_poly(r, (uint32_t)ppu_asl(t) + quarter);

	u = a >= 0x7f800000 ? PPU_F32_NAN : u;
	/* sin(x) = x for small ones keeps -0 and subnormals */
	return !quarter && a < 0x39000000 ? x : u;
}
/* 2^24 <= |x|: x * 2/pi modulo 4 from as many bits of 2/pi as it takes. */
PPU_INL uint32_t ppu_sincos_big(uint32_t x, uint32_t quarter)
{
	/* 2/pi, binary point on the left, after a word of zeros */
	static const uint32_t two_over_pi[8] = {
		0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
	};
	uint32_t m = (x & 0x7fffff) | 0x800000;
	int e = (int)(x >> 23 & 0xff) - 150;		/* x = m * 2^e, e >= 1 */
	int bit = 32 + e - 2, w = bit >> 5, s = bit & 31;
	uint64_t hi = (uint64_t)two_over_pi[w] << 32 | two_over_pi[w + 1];
	uint64_t lo = (uint64_t)two_over_pi[w + 2] << 32 | two_over_pi[w + 3];
	uint64_t win, p;
	uint32_t n;
	float r;

	/* win: 64 bits of 2/pi * 2^e / 4, whole multiples of 4 dropped */
	win = s ? hi << s | lo >> (64 - s) : hi;
	p = m * win;					/* x * 2/pi modulo 4, as a fraction of 4 */
	n = (uint32_t)((p + (1ull << 61)) >> 62);
	p -= (uint64_t)n << 62;
	r = (float)((double)(int64_t)p * 0x1.921fb54442d18p-62);
	if (x >> 31)
		return ppu_sincos_poly(-r, 0 - n + quarter);
	return ppu_sincos_poly(r, n + quarter);
}

/* tanh: odd polynomial for small arguments, else (e^2x - 1) / (e^2x + 1). */
PPU_INL uint32_t ppu_tanh(uint32_t x)
{
	float a = ppu_asf(x & 0x7fffffff), c = a < 10.0f ? a : 10.0f, z = c * c;
	float t = ppu_ex2f(c * 0x1.715476p+1f);
	float big = (t - 1.0f) / (t + 1.0f);
	float p = 0x1.664f48p-6f;			/* 62/2835 */

	p = p * z - 0x1.ba1ba2p-5f;			/* 17/315 */
	p = p * z + 0x1.111112p-3f;
	p = p * z - 0x1.555556p-2f;
	p = p * (z * c) + c;
	uint32_t u = ppu_asu(c < 0.25f ? p : big) | (x & 0x80000000);

	return (x & 0x7fffffff) > 0x7f800000 ? PPU_F32_NAN : u;
}

#endif
