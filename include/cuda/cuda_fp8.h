/* SPDX-License-Identifier: MIT */
/*
 * Floating-point numbers of 8 bits, for storage: __nv_fp8_e4m3 (4 bits of exponent, 3 of fraction; no infinity, one NaN of each
 * sign) and __nv_fp8_e5m2 (like the upper byte of a half). Pairs, fours, and conversions, which round once, to the nearest, ties
 * to even. A NaN becomes 0x7f, whatever its sign.
 */
#ifndef PPU_CUDA_FP8_H
#define PPU_CUDA_FP8_H
#define __CUDA_FP8_H__		/* programs ask for this name */

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/* What becomes of numbers that are too large: infinity (e5m2) or NaN (e4m3), or the largest number. */
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#ifdef __cplusplus

namespace ppu_fp8 {

/* A double holds each float, half and bfloat16, so that one rounding is all. */
PPU_SF_FN_ __nv_fp8_storage_t of(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
	const int digits = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;
	const unsigned int largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
	unsigned long long b = ppu_sf::bits<unsigned long long>(x), m = b & 0xfffffffffffffULL, q, rest, half;
	int e = (int)(b >> 52 & 0x7ff) - 1023, at, shift;
	unsigned int sign = (unsigned int)(b >> 63) << 7, code;

	if (e == 1024 && m)
		return 0x7f;
	if (e < least - digits - 1)		/* less than half of the least number */
		return (__nv_fp8_storage_t)sign;
	m |= 1ULL << 52;
	at = e < least ? least : e;
	shift = 52 - digits + (at - e);
	q = m >> shift;
	rest = m & ((1ULL << shift) - 1);
	half = 1ULL << (shift - 1);
	if (rest > half || (rest == half && q & 1))
		q++;
	code = at > 1000 ? 0xff : ((unsigned int)(at - least) << digits) + (unsigned int)q;
	if (code > largest)
		code = saturate == __NV_SATFINITE ? largest : kind == __NV_E4M3 ? 0x7f : 0x7c;
	return (__nv_fp8_storage_t)(sign | code);
}

/* The number as a half, which holds each of them. */
PPU_SF_FN_ unsigned short half_of(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
	unsigned int sign = (unsigned int)(x & 0x80) << 8, e = x >> 3 & 15, m = x & 7;

	if (kind == __NV_E5M2)
		return (unsigned short)((x & 0x7f) > 0x7c ? 0x7fff : (unsigned int)x << 8);
	if ((x & 0x7f) == 0x7f)
		return 0x7fff;
	if (e)
		return (unsigned short)(sign | (e + 8) << 10 | m << 7);
	if (!m)
		return (unsigned short)sign;
	for (e = 9; !(m & 8); e--)		/* a number without the first digit */
		m <<= 1;
	return (unsigned short)(sign | e << 10 | (m & 7) << 7);
}

PPU_SF_FN_ __half half(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
	__half_raw r;

	r.x = half_of(x, kind);
	return __half(r);
}

} /* namespace ppu_fp8 */

PPU_SF_FN_ __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
	return ppu_fp8::of(x, saturate, kind);
}
PPU_SF_FN_ __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
	return ppu_fp8::of(x, saturate, kind);
}
PPU_SF_FN_ __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
	return ppu_fp8::of(__half2float(__half(x)), saturate, kind);
}
PPU_SF_FN_ __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
							  __nv_fp8_interpretation_t kind)
{
	return ppu_fp8::of(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}
PPU_SF_FN_ __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
	__half_raw r;

	r.x = ppu_fp8::half_of(x, kind);
	return r;
}

/* Pairs: the first number is in the lower byte. */
#define PPU_FP8_PAIR_(a, b)	(__nv_fp8x2_storage_t)((a) | (unsigned int)(b) << 8)
PPU_SF_FN_ __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
	return PPU_FP8_PAIR_(ppu_fp8::of(v.x, saturate, kind), ppu_fp8::of(v.y, saturate, kind));
}
PPU_SF_FN_ __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
	return PPU_FP8_PAIR_(ppu_fp8::of(v.x, saturate, kind), ppu_fp8::of(v.y, saturate, kind));
}
PPU_SF_FN_ __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
							   __nv_fp8_interpretation_t kind)
{
	__half_raw a, b;

	a.x = v.x;
	b.x = v.y;
	return PPU_FP8_PAIR_(__nv_cvt_halfraw_to_fp8(a, saturate, kind), __nv_cvt_halfraw_to_fp8(b, saturate, kind));
}
PPU_SF_FN_ __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t saturate,
							       __nv_fp8_interpretation_t kind)
{
	__nv_bfloat16_raw a, b;

	a.x = v.x;
	b.x = v.y;
	return PPU_FP8_PAIR_(__nv_cvt_bfloat16raw_to_fp8(a, saturate, kind), __nv_cvt_bfloat16raw_to_fp8(b, saturate, kind));
}
PPU_SF_FN_ __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
	__half2_raw r;

	r.x = ppu_fp8::half_of((__nv_fp8_storage_t)x, kind);
	r.y = ppu_fp8::half_of((__nv_fp8_storage_t)(x >> 8), kind);
	return r;
}

/* Integers: as a float is converted, towards zero. */
#define PPU_FP8_TO_(type) \
	PPU_SF_HD_ explicit operator type() const { return (type)(float)*this; }

#define PPU_FP8_TYPES_(name, kind) \
struct __nv_fp8_##name { \
	__nv_fp8_storage_t __x; \
	__nv_fp8_##name() = default; \
	PPU_SF_HD_ explicit __nv_fp8_##name(__half v) : __x(ppu_fp8::of(__half2float(v), __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(__nv_bfloat16 v) : __x(ppu_fp8::of(__bfloat162float(v), __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(float v) : __x(ppu_fp8::of(v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(double v) : __x(ppu_fp8::of(v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(short v) : __x(ppu_fp8::of(v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(unsigned short v) : __x(ppu_fp8::of(v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(int v) : __x(ppu_fp8::of(v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(unsigned int v) : __x(ppu_fp8::of(v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(long v) : __x(ppu_fp8::of((double)v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(unsigned long v) : __x(ppu_fp8::of((double)v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(long long v) : __x(ppu_fp8::of((double)v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8_##name(unsigned long long v) : __x(ppu_fp8::of((double)v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit operator __half() const { return ppu_fp8::half(__x, kind); } \
	PPU_SF_HD_ explicit operator float() const { return __half2float(ppu_fp8::half(__x, kind)); } \
	PPU_SF_HD_ explicit operator double() const { return (float)*this; } \
	PPU_SF_HD_ explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); } \
	PPU_SF_HD_ explicit operator bool() const { return __x & 0x7f; } \
	PPU_FP8_TO_(char) PPU_FP8_TO_(signed char) PPU_FP8_TO_(unsigned char) PPU_FP8_TO_(short) PPU_FP8_TO_(unsigned short) \
	PPU_FP8_TO_(int) PPU_FP8_TO_(unsigned int) PPU_FP8_TO_(long) PPU_FP8_TO_(unsigned long) PPU_FP8_TO_(long long) \
	PPU_FP8_TO_(unsigned long long) \
}; \
struct alignas(2) __nv_fp8x2_##name { \
	__nv_fp8x2_storage_t __x; \
	__nv_fp8x2_##name() = default; \
	PPU_SF_HD_ explicit __nv_fp8x2_##name(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8x2_##name(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
	PPU_SF_HD_ explicit __nv_fp8x2_##name(__half2 v) : __nv_fp8x2_##name(__half22float2(v)) {} \
	PPU_SF_HD_ explicit __nv_fp8x2_##name(__nv_bfloat162 v) : __nv_fp8x2_##name(__bfloat1622float2(v)) {} \
	PPU_SF_HD_ explicit operator __half2() const \
	{ \
		return __halves2half2(ppu_fp8::half((__nv_fp8_storage_t)__x, kind), \
				      ppu_fp8::half((__nv_fp8_storage_t)(__x >> 8), kind)); \
	} \
	PPU_SF_HD_ explicit operator float2() const { return __half22float2((__half2)*this); } \
}; \
struct alignas(4) __nv_fp8x4_##name { \
	__nv_fp8x4_storage_t __x; \
	__nv_fp8x4_##name() = default; \
	PPU_SF_HD_ explicit __nv_fp8x4_##name(double4 v) : \
		__x(PPU_FP8_PAIR_(ppu_fp8::of(v.x, __NV_SATFINITE, kind), ppu_fp8::of(v.y, __NV_SATFINITE, kind)) | \
		    (unsigned int)PPU_FP8_PAIR_(ppu_fp8::of(v.z, __NV_SATFINITE, kind), \
						ppu_fp8::of(v.w, __NV_SATFINITE, kind)) << 16) {} \
	PPU_SF_HD_ explicit __nv_fp8x4_##name(float4 v) : __nv_fp8x4_##name(double4{ v.x, v.y, v.z, v.w }) {} \
	PPU_SF_HD_ explicit __nv_fp8x4_##name(__half2 a, __half2 b) : \
		__nv_fp8x4_##name(float4{ __low2float(a), __high2float(a), __low2float(b), __high2float(b) }) {} \
	PPU_SF_HD_ explicit __nv_fp8x4_##name(__nv_bfloat162 a, __nv_bfloat162 b) : \
		__nv_fp8x4_##name(float4{ __bfloat1622float2(a).x, __bfloat1622float2(a).y, __bfloat1622float2(b).x, \
					  __bfloat1622float2(b).y }) {} \
	PPU_SF_HD_ explicit operator float4() const \
	{ \
		return float4{ __half2float(ppu_fp8::half((__nv_fp8_storage_t)__x, kind)), \
			       __half2float(ppu_fp8::half((__nv_fp8_storage_t)(__x >> 8), kind)), \
			       __half2float(ppu_fp8::half((__nv_fp8_storage_t)(__x >> 16), kind)), \
			       __half2float(ppu_fp8::half((__nv_fp8_storage_t)(__x >> 24), kind)) }; \
	} \
};
PPU_FP8_TYPES_(e4m3, __NV_E4M3)
PPU_FP8_TYPES_(e5m2, __NV_E5M2)

#undef PPU_FP8_TYPES_
#undef PPU_FP8_TO_
#undef PPU_FP8_PAIR_

#endif
#endif
