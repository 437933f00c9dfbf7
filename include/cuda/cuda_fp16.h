/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits with a fraction of 10 (IEEE 754's binary16), and pairs of these: __half, __half2. */
#ifndef PPU_CUDA_FP16_H
#define PPU_CUDA_FP16_H
#define __CUDA_FP16_H__		/* programs ask for this name */

#ifdef __cplusplus

#include "vector_types.h"
#include "crt/ppu_small_float_odd.h"

namespace ppu_sf {

/* To the nearest, ties to even. The device has an instruction for it; what is known when it is compiled is better done then. */
PPU_SF_FN_ unsigned short half_of(float v)
{
#ifdef __CUDA_ARCH__
	if (!__builtin_constant_p(v)) {
		unsigned short h;

		__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
		return h;
	}
#endif
	unsigned int b = bits<unsigned int>(v), sign = b >> 16 & 0x8000, m = b & 0x7fffff, r, shift;
	int e = (int)(b >> 23 & 255) - 127;

	if (e == 128)
		return (unsigned short)(m ? 0x7fff : sign | 0x7c00);
	if (e < -25)
		return (unsigned short)sign;
	if (e > 15)
		return (unsigned short)(sign | 0x7c00);
	m |= 0x800000;
	shift = e < -14 ? (unsigned int)(-1 - e) : 13;	/* a denormal loses more */
	r = m >> shift;
	m &= (1u << shift) - 1;
	r += m > 1u << (shift - 1) || (m == 1u << (shift - 1) && (r & 1));
	if (e >= -14)
		r += (unsigned int)(e + 14) << 10;
	return (unsigned short)(sign | r);
}

PPU_SF_FN_ float of_half(unsigned short h)
{
	unsigned int e = h >> 10 & 31, m = h & 0x3ff, sign = (unsigned int)(h & 0x8000) << 16;

	if (e == 31)
		return bits<float>(sign | 0x7f800000 | m << 13);
	if (e)
		return bits<float>(sign | (e + 112) << 23 | m << 13);
	return bits<float>(sign | bits<unsigned int>((float)m * 5.9604644775390625e-8f));	/* 2^-24 */
}

} /* namespace ppu_sf */

#define PPU_SF		__half
#define PPU_SF2		__half2
#define PPU_SF_RAW	__half_raw
#define PPU_SF_RAW2	__half2_raw
#define PPU_SF_FROM(f)	ppu_sf::half_of(f)
#define PPU_SF_TO(h)	ppu_sf::of_half((h).__x)
#define PPU_SF_INF	0x7c00
#define PPU_SF_NAN	0x7fff
#define PPU_SF_PTX	"f16"
#include "crt/ppu_small_float.h"

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#endif

PPU_SF_FN_ __half __float2half(float v) { return __half(v); }
PPU_SF_FN_ __half __float2half_rn(float v) { return __half(v); }
PPU_SF_FN_ __half __double2half(double v) { return __half(v); }
PPU_SF_FN_ float __half2float(__half h) { return h; }

/* The other directions: the nearest is moved by one if it lies on the wrong side. */
PPU_SF_FN_ __half ppu_half_step(__half h, bool up)
{
	if (!(h.__x & 0x7fff))
		return PPU_SF_BITS_(up ? 1 : 0x8001);
	return PPU_SF_BITS_((h.__x >> 15) == up ? h.__x - 1 : h.__x + 1);
}
PPU_SF_FN_ __half __float2half_rd(float v) { __half h(v); return PPU_SF_F_(h) > v ? ppu_half_step(h, false) : h; }
PPU_SF_FN_ __half __float2half_ru(float v) { __half h(v); return PPU_SF_F_(h) < v ? ppu_half_step(h, true) : h; }
PPU_SF_FN_ __half __float2half_rz(float v) { return v < 0 ? __float2half_ru(v) : __float2half_rd(v); }

PPU_SF_FN_ __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
PPU_SF_FN_ __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
PPU_SF_FN_ __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
PPU_SF_FN_ float2 __half22float2(__half2 h) { return float2{ h.x, h.y }; }
PPU_SF_FN_ __half2 __half2half2(__half h) { return __half2(h, h); }
PPU_SF_FN_ __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
PPU_SF_FN_ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
PPU_SF_FN_ __half __low2half(__half2 a) { return a.x; }
PPU_SF_FN_ __half __high2half(__half2 a) { return a.y; }
PPU_SF_FN_ __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
PPU_SF_FN_ __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
PPU_SF_FN_ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
PPU_SF_FN_ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
PPU_SF_FN_ unsigned short __half_as_ushort(__half h) { return h.__x; }
PPU_SF_FN_ short __half_as_short(__half h) { return (short)h.__x; }
PPU_SF_FN_ __half __ushort_as_half(unsigned short v) { return PPU_SF_BITS_(v); }
PPU_SF_FN_ __half __short_as_half(short v) { return PPU_SF_BITS_(v); }

/* Integers: to the nearest even, towards zero, down and up; what does not fit is the nearest that does, NaN is 0. */
#define PPU_HALF_INT_(name, type, low, high) \
PPU_SF_FN_ type ppu_half_to_##name(__half h, float v) \
{ \
	return __hisnan(h) ? 0 : (double)v <= (double)(low) ? (low) : (double)v >= (double)(high) ? (high) : (type)v; \
} \
PPU_SF_FN_ type __half2##name##_rn(__half h) { return ppu_half_to_##name(h, ::rintf(h)); } \
PPU_SF_FN_ type __half2##name##_rz(__half h) { return ppu_half_to_##name(h, ::truncf(h)); } \
PPU_SF_FN_ type __half2##name##_rd(__half h) { return ppu_half_to_##name(h, ::floorf(h)); } \
PPU_SF_FN_ type __half2##name##_ru(__half h) { return ppu_half_to_##name(h, ::ceilf(h)); } \
PPU_SF_FN_ __half __##name##2half_rn(type v) { return __half(v); } \
PPU_SF_FN_ __half __##name##2half_rz(type v) { return __float2half_rz(ppu_sf::odd((ppu_sf_wide_##name)v)); } \
PPU_SF_FN_ __half __##name##2half_rd(type v) { return __float2half_rd(ppu_sf::odd((ppu_sf_wide_##name)v)); } \
PPU_SF_FN_ __half __##name##2half_ru(type v) { return __float2half_ru(ppu_sf::odd((ppu_sf_wide_##name)v)); }
typedef long long ppu_sf_wide_int, ppu_sf_wide_short, ppu_sf_wide_ll;
typedef unsigned long long ppu_sf_wide_uint, ppu_sf_wide_ushort, ppu_sf_wide_ull;
PPU_HALF_INT_(int, int, -0x7fffffff - 1, 0x7fffffff)
PPU_HALF_INT_(uint, unsigned int, 0u, 0xffffffffu)
PPU_HALF_INT_(short, short, -0x8000, 0x7fff)
PPU_HALF_INT_(ushort, unsigned short, 0, 0xffff)
PPU_HALF_INT_(ll, long long, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll)
PPU_HALF_INT_(ull, unsigned long long, 0ull, 0xffffffffffffffffull)
#undef PPU_HALF_INT_

#include "crt/ppu_small_float_end.h"

#endif
#endif
