/* SPDX-License-Identifier: MIT */
/*
 * The functions that cuda_fp16.h and cuda_bf16.h have in common, for the host and the device.  They define, before they
 * include this file (which so has no guard):
 *
 *	PPU_SF, PPU_SF2			the type of one and of two
 *	PPU_SF_RAW, PPU_SF_RAW2		structs of the bits: x; x and y
 *	PPU_SF_FROM(float)		a PPU_SF of the bits nearest to a float, ties to even
 *	PPU_SF_TO(PPU_SF)		its float
 *	PPU_SF_INF, PPU_SF_NAN		bits
 *	PPU_SF_PTX			its name in PTX
 *
 * Sums, products, quotients and roots are computed as floats, which have more than twice the digits: so rounding twice
 * gives what rounding once would.  That is not so for fma: the device has an instruction for it, and for the host see
 * ppu_sf::fma().
 */
struct PPU_SF_RAW {
	unsigned short x;
};
struct PPU_SF_RAW2 {
	unsigned short x, y;
};

struct __align__(2) PPU_SF {
	unsigned short __x;

	PPU_SF() = default;
	PPU_SF_HD_ PPU_SF(const PPU_SF_RAW &r) : __x(r.x) {}
	PPU_SF_HD_ PPU_SF(float v) : __x(PPU_SF_FROM(v)) {}
	PPU_SF_HD_ PPU_SF(double v) : __x(PPU_SF_FROM(ppu_sf::odd(v))) {}
	PPU_SF_HD_ PPU_SF(int v) : PPU_SF((double)v) {}
	PPU_SF_HD_ PPU_SF(unsigned int v) : PPU_SF((double)v) {}
	PPU_SF_HD_ PPU_SF(short v) : PPU_SF((float)v) {}
	PPU_SF_HD_ PPU_SF(unsigned short v) : PPU_SF((float)v) {}
	PPU_SF_HD_ PPU_SF(long v) : PPU_SF((long long)v) {}
	PPU_SF_HD_ PPU_SF(unsigned long v) : PPU_SF((unsigned long long)v) {}
	PPU_SF_HD_ PPU_SF(long long v) : __x(PPU_SF_FROM(ppu_sf::odd(v))) {}
	PPU_SF_HD_ PPU_SF(unsigned long long v) : __x(PPU_SF_FROM(ppu_sf::odd(v))) {}
	PPU_SF_HD_ operator float() const { return PPU_SF_TO(*this); }
	PPU_SF_HD_ operator PPU_SF_RAW() const { return PPU_SF_RAW{ __x }; }
	PPU_SF_HD_ explicit operator bool() const { return __x & 0x7fff; }
	template <class T> PPU_SF_HD_ PPU_SF &operator=(T v) { __x = PPU_SF(v).__x; return *this; }
};

struct __align__(4) PPU_SF2 {
	PPU_SF x, y;

	PPU_SF2() = default;
	PPU_SF_HD_ PPU_SF2(const PPU_SF &a, const PPU_SF &b) : x(a), y(b) {}
	PPU_SF_HD_ PPU_SF2(const PPU_SF_RAW2 &r) : x(PPU_SF_RAW{ r.x }), y(PPU_SF_RAW{ r.y }) {}
	PPU_SF_HD_ operator PPU_SF_RAW2() const { return PPU_SF_RAW2{ x.__x, y.__x }; }
};

#define PPU_SF_BITS_(bits) PPU_SF(PPU_SF_RAW{ (unsigned short)(bits) })
#define PPU_SF_F_(a) PPU_SF_TO(a)

PPU_SF_FN_ float __low2float(PPU_SF2 a) { return a.x; }
PPU_SF_FN_ float __high2float(PPU_SF2 a) { return a.y; }
PPU_SF_FN_ PPU_SF2 __lowhigh2highlow(PPU_SF2 a) { return PPU_SF2(a.y, a.x); }

PPU_SF_FN_ bool __hisnan(PPU_SF a) { return (a.__x & 0x7fff) > PPU_SF_INF; }
PPU_SF_FN_ int __hisinf(PPU_SF a) { return (a.__x & 0x7fff) == PPU_SF_INF ? a.__x >> 15 ? -1 : 1 : 0; }
PPU_SF_FN_ PPU_SF __hneg(PPU_SF a) { return PPU_SF_BITS_(a.__x ^ 0x8000); }
PPU_SF_FN_ PPU_SF __habs(PPU_SF a) { return PPU_SF_BITS_(a.__x & 0x7fff); }
PPU_SF_FN_ PPU_SF2 __hneg2(PPU_SF2 a) { return PPU_SF2(__hneg(a.x), __hneg(a.y)); }
PPU_SF_FN_ PPU_SF2 __habs2(PPU_SF2 a) { return PPU_SF2(__habs(a.x), __habs(a.y)); }
PPU_SF_FN_ PPU_SF2 __hisnan2(PPU_SF2 a)
{
	return PPU_SF2(PPU_SF((float)__hisnan(a.x)), PPU_SF((float)__hisnan(a.y)));
}

/* To 0..1; NaN becomes 0. */
PPU_SF_FN_ PPU_SF ppu_sf_saturate(PPU_SF a)
{
	float f = a;

	return f > 0 ? f < 1 ? a : PPU_SF(1.0f) : PPU_SF(0.0f);
}

#define PPU_SF_OP_(name, op) \
PPU_SF_FN_ PPU_SF __h##name(PPU_SF a, PPU_SF b) { return PPU_SF(PPU_SF_F_(a) op PPU_SF_F_(b)); } \
PPU_SF_FN_ PPU_SF __h##name##_rn(PPU_SF a, PPU_SF b) { return __h##name(a, b); } \
PPU_SF_FN_ PPU_SF __h##name##_sat(PPU_SF a, PPU_SF b) { return ppu_sf_saturate(__h##name(a, b)); } \
PPU_SF_FN_ PPU_SF2 __h##name##2(PPU_SF2 a, PPU_SF2 b) { return PPU_SF2(__h##name(a.x, b.x), __h##name(a.y, b.y)); } \
PPU_SF_FN_ PPU_SF2 __h##name##2_rn(PPU_SF2 a, PPU_SF2 b) { return __h##name##2(a, b); } \
PPU_SF_FN_ PPU_SF2 __h##name##2_sat(PPU_SF2 a, PPU_SF2 b) \
{ \
	return PPU_SF2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)); \
} \
PPU_SF_FN_ PPU_SF operator op(const PPU_SF &a, const PPU_SF &b) { return __h##name(a, b); } \
PPU_SF_FN_ PPU_SF &operator op##=(PPU_SF &a, const PPU_SF &b) { return a = __h##name(a, b); } \
PPU_SF_FN_ PPU_SF2 operator op(const PPU_SF2 &a, const PPU_SF2 &b) { return __h##name##2(a, b); } \
PPU_SF_FN_ PPU_SF2 &operator op##=(PPU_SF2 &a, const PPU_SF2 &b) { return a = __h##name##2(a, b); }
PPU_SF_OP_(add, +)
PPU_SF_OP_(sub, -)
PPU_SF_OP_(mul, *)
PPU_SF_OP_(div, /)
#undef PPU_SF_OP_
PPU_SF_FN_ PPU_SF2 __h2div(PPU_SF2 a, PPU_SF2 b) { return __hdiv2(a, b); }
PPU_SF_FN_ PPU_SF operator-(const PPU_SF &a) { return __hneg(a); }
PPU_SF_FN_ PPU_SF operator+(const PPU_SF &a) { return a; }
PPU_SF_FN_ PPU_SF2 operator-(const PPU_SF2 &a) { return __hneg2(a); }
PPU_SF_FN_ PPU_SF &operator++(PPU_SF &a) { return a = __hadd(a, PPU_SF(1.0f)); }
PPU_SF_FN_ PPU_SF &operator--(PPU_SF &a) { return a = __hsub(a, PPU_SF(1.0f)); }
PPU_SF_FN_ PPU_SF operator++(PPU_SF &a, int) { PPU_SF b = a; ++a; return b; }
PPU_SF_FN_ PPU_SF operator--(PPU_SF &a, int) { PPU_SF b = a; --a; return b; }

PPU_SF_FN_ PPU_SF __hfma(PPU_SF a, PPU_SF b, PPU_SF c)
{
#ifdef __CUDA_ARCH__		/* as half_of() */
	if (!__builtin_constant_p(a.__x) || !__builtin_constant_p(b.__x) || !__builtin_constant_p(c.__x)) {
		unsigned short h;

		__asm__("fma.rn." PPU_SF_PTX " %0, %1, %2, %3;" : "=h"(h) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
		return PPU_SF_BITS_(h);
	}
#endif
	return PPU_SF(ppu_sf::fma(PPU_SF_F_(a), PPU_SF_F_(b), PPU_SF_F_(c)));
}
PPU_SF_FN_ PPU_SF __hfma_sat(PPU_SF a, PPU_SF b, PPU_SF c) { return ppu_sf_saturate(__hfma(a, b, c)); }
PPU_SF_FN_ PPU_SF __hfma_relu(PPU_SF a, PPU_SF b, PPU_SF c)
{
	PPU_SF r = __hfma(a, b, c);

	return __hisnan(r) ? PPU_SF_BITS_(PPU_SF_NAN) : PPU_SF_F_(r) > 0 ? r : PPU_SF(0.0f);
}
#define PPU_SF_FMA2_(suffix) \
PPU_SF_FN_ PPU_SF2 __hfma2##suffix(PPU_SF2 a, PPU_SF2 b, PPU_SF2 c) \
{ \
	return PPU_SF2(__hfma##suffix(a.x, b.x, c.x), __hfma##suffix(a.y, b.y, c.y)); \
}
PPU_SF_FMA2_()
PPU_SF_FMA2_(_sat)
PPU_SF_FMA2_(_relu)
#undef PPU_SF_FMA2_

/* Comparisons; with a u, they are true when one is NaN.  Those of two give 1.0 and 0.0, or (b) whether both are so. */
#define PPU_SF_COMPARE_(name, op, unordered) \
PPU_SF_FN_ bool __h##name(PPU_SF a, PPU_SF b) { return PPU_SF_F_(a) op PPU_SF_F_(b) && !(__hisnan(a) || __hisnan(b)); } \
PPU_SF_FN_ bool __h##name##u(PPU_SF a, PPU_SF b) { return __hisnan(a) || __hisnan(b) || PPU_SF_F_(a) op PPU_SF_F_(b); } \
PPU_SF_FN_ PPU_SF2 __h##name##2(PPU_SF2 a, PPU_SF2 b) \
{ \
	return PPU_SF2(PPU_SF((float)__h##name(a.x, b.x)), PPU_SF((float)__h##name(a.y, b.y))); \
} \
PPU_SF_FN_ PPU_SF2 __h##name##u2(PPU_SF2 a, PPU_SF2 b) \
{ \
	return PPU_SF2(PPU_SF((float)__h##name##u(a.x, b.x)), PPU_SF((float)__h##name##u(a.y, b.y))); \
} \
PPU_SF_FN_ bool __hb##name##2(PPU_SF2 a, PPU_SF2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
PPU_SF_FN_ bool __hb##name##u2(PPU_SF2 a, PPU_SF2 b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); } \
PPU_SF_FN_ bool operator op(const PPU_SF &a, const PPU_SF &b) { return unordered(a, b); } \
PPU_SF_FN_ bool operator op(const PPU_SF2 &a, const PPU_SF2 &b) { return unordered(a.x, b.x) && unordered(a.y, b.y); }
PPU_SF_COMPARE_(eq, ==, __heq)
PPU_SF_COMPARE_(ne, !=, __hneu)
PPU_SF_COMPARE_(lt, <, __hlt)
PPU_SF_COMPARE_(le, <=, __hle)
PPU_SF_COMPARE_(gt, >, __hgt)
PPU_SF_COMPARE_(ge, >=, __hge)
#undef PPU_SF_COMPARE_

/* The number if one is NaN; with _nan, NaN.  -0 is less than +0. */
#define PPU_SF_MINMAX_(name, first) \
PPU_SF_FN_ PPU_SF __h##name(PPU_SF a, PPU_SF b) \
{ \
	float x = a, y = b; \
	if (__hisnan(a)) \
		return __hisnan(b) ? PPU_SF_BITS_(PPU_SF_NAN) : b; \
	return __hisnan(b) || (x == y ? (a.__x >> 15) first (b.__x >> 15) : y first x) ? a : b; \
} \
PPU_SF_FN_ PPU_SF __h##name##_nan(PPU_SF a, PPU_SF b) \
{ \
	return __hisnan(a) || __hisnan(b) ? PPU_SF_BITS_(PPU_SF_NAN) : __h##name(a, b); \
} \
PPU_SF_FN_ PPU_SF2 __h##name##2(PPU_SF2 a, PPU_SF2 b) { return PPU_SF2(__h##name(a.x, b.x), __h##name(a.y, b.y)); } \
PPU_SF_FN_ PPU_SF2 __h##name##2_nan(PPU_SF2 a, PPU_SF2 b) \
{ \
	return PPU_SF2(__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y)); \
}
PPU_SF_MINMAX_(min, >)
PPU_SF_MINMAX_(max, <)
#undef PPU_SF_MINMAX_

/* Mathematics: the float's function, rounded. */
#define PPU_SF_MATH_(name, expression) \
PPU_SF_FN_ PPU_SF h##name(PPU_SF a) { float x = a; return PPU_SF((float)(expression)); } \
PPU_SF_FN_ PPU_SF2 h2##name(PPU_SF2 a) { return PPU_SF2(h##name(a.x), h##name(a.y)); }
PPU_SF_MATH_(sqrt, ::sqrtf(x))
PPU_SF_MATH_(rsqrt, 1.0f / ::sqrtf(x))
PPU_SF_MATH_(rcp, 1.0f / x)
PPU_SF_MATH_(exp, ::expf(x))
PPU_SF_MATH_(exp2, ::exp2f(x))
PPU_SF_MATH_(exp10, ::powf(10.0f, x))
PPU_SF_MATH_(log, ::logf(x))
PPU_SF_MATH_(log2, ::log2f(x))
PPU_SF_MATH_(log10, ::log10f(x))
PPU_SF_MATH_(sin, ::sinf(x))
PPU_SF_MATH_(cos, ::cosf(x))
PPU_SF_MATH_(floor, ::floorf(x))
PPU_SF_MATH_(ceil, ::ceilf(x))
PPU_SF_MATH_(trunc, ::truncf(x))
PPU_SF_MATH_(rint, ::rintf(x))
#undef PPU_SF_MATH_

#ifdef __CUDA__
#define PPU_SF_DEV_ static __inline__ __attribute__((device, always_inline, unused))
#define PPU_SF_SHUFFLE_(name, type) \
PPU_SF_DEV_ PPU_SF ppu##name(unsigned int mask, PPU_SF v, type lane, int width = 32) \
{ \
	return PPU_SF_BITS_((name)(mask, (int)v.__x, lane, width)); \
} \
PPU_SF_DEV_ PPU_SF2 ppu##name(unsigned int mask, PPU_SF2 v, type lane, int width = 32) \
{ \
	int bits; \
	__builtin_memcpy(&bits, &v, 4); \
	bits = (name)(mask, bits, lane, width); \
	__builtin_memcpy(&v, &bits, 4); \
	return v; \
}
PPU_SF_SHUFFLE_(__shfl_sync, int)
PPU_SF_SHUFFLE_(__shfl_up_sync, unsigned int)
PPU_SF_SHUFFLE_(__shfl_down_sync, unsigned int)
PPU_SF_SHUFFLE_(__shfl_xor_sync, int)
#undef PPU_SF_SHUFFLE_

PPU_SF_DEV_ PPU_SF __ldg(const PPU_SF *p) { return *p; }
PPU_SF_DEV_ PPU_SF2 __ldg(const PPU_SF2 *p) { return *p; }

/* Sums in memory: the word that holds the value is exchanged until nobody else has changed it. */
PPU_SF_DEV_ PPU_SF2 atomicAdd(PPU_SF2 *p, PPU_SF2 v)
{
	unsigned int *word = (unsigned int *)p, seen = *(volatile unsigned int *)word, expected, next;
	PPU_SF2 old, sum;

	do {
		expected = seen;
		__builtin_memcpy(&old, &expected, 4);
		sum = __hadd2(old, v);
		__builtin_memcpy(&next, &sum, 4);
		seen = atomicCAS(word, expected, next);
	} while (seen != expected);
	return old;
}

PPU_SF_DEV_ PPU_SF atomicAdd(PPU_SF *p, PPU_SF v)
{
	unsigned int *word = (unsigned int *)((size_t)p & ~(size_t)3), shift = ((size_t)p & 2) * 8;
	unsigned int seen = *(volatile unsigned int *)word, expected;
	PPU_SF old;

	do {
		expected = seen;
		old = PPU_SF_BITS_(expected >> shift);
		seen = atomicCAS(word, expected, (expected & ~(0xffffu << shift)) | (unsigned int)__hadd(old, v).__x << shift);
	} while (seen != expected);
	return old;
}
#undef PPU_SF_DEV_
#endif
