/* SPDX-License-Identifier: MIT */
/*
 * CUDA's mathematics for the host, as far as the C library lacks it, min and max for host and device, and the device's
 * functions of C++ that clang's headers leave to CUDA.  The device's other functions are in those headers, and call those in
 * libruntime/cudart/device.  clang includes this file more than
 * once, with other meanings of words such as __host__.
 */
#ifndef PPU_CRT_MATH_FUNCTIONS_HPP
#define PPU_CRT_MATH_FUNCTIONS_HPP

#define CUDART_HOST_ static inline __attribute__((host, unused))
#define CUDART_BOTH_ static inline __attribute__((host, device, unused))

/* Newer C libraries have some of them, where these are declared at all. */
#if defined(__GLIBC_PREREQ) && defined(__GLIBC_USE_IEC_60559_FUNCS_EXT_C23)
#define CUDART_GLIBC_(major, minor) \
	(__GLIBC_PREREQ(major, minor) && __GLIBC_USE_IEC_60559_FUNCS_EXT_C23)
#else
#define CUDART_GLIBC_(major, minor) 0
#endif

#if !CUDART_GLIBC_(2, 42)
CUDART_HOST_ float rsqrtf(float x) { return 1.0f / sqrtf(x); }
CUDART_HOST_ double rsqrt(double x) { return 1.0 / sqrt(x); }
#endif
CUDART_HOST_ float rcbrtf(float x) { return 1.0f / cbrtf(x); }
CUDART_HOST_ double rcbrt(double x) { return 1.0 / cbrt(x); }
#if !CUDART_GLIBC_(2, 41)
CUDART_HOST_ double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
CUDART_HOST_ double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
CUDART_HOST_ float sinpif(float x) { return (float)sinpi((double)x); }
CUDART_HOST_ float cospif(float x) { return (float)cospi((double)x); }
#endif
CUDART_HOST_ void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
CUDART_HOST_ void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
CUDART_HOST_ double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
CUDART_HOST_ float normcdff(float x) { return (float)normcdf((double)x); }
CUDART_HOST_ double erfcx(double x) { return exp(x * x) * erfc(x); }
CUDART_HOST_ float erfcxf(float x) { return (float)erfcx((double)x); }
/* Finds x with erfc(x) == y by halving an interval: erfc only falls. */
CUDART_HOST_ double erfcinv(double y)
{
	double low = -6.0, high = 28.0;

	for (int i = 0; i < 100; i++) {
		double x = 0.5 * (low + high);

		if (erfc(x) > y)
			low = x;
		else
			high = x;
	}
	return 0.5 * (low + high);
}
CUDART_HOST_ float erfcinvf(float y) { return (float)erfcinv((double)y); }
CUDART_HOST_ double normcdfinv(double y) { return -M_SQRT2 * erfcinv(2.0 * y); }
CUDART_HOST_ float normcdfinvf(float y) { return (float)normcdfinv((double)y); }

/* The device's functions for int are in clang's headers. */
CUDART_HOST_ int min(int a, int b) { return a < b ? a : b; }
CUDART_HOST_ int max(int a, int b) { return a > b ? a : b; }
#define CUDART_MINMAX_(type) \
CUDART_BOTH_ type min(type a, type b) { return a < b ? a : b; } \
CUDART_BOTH_ type max(type a, type b) { return a > b ? a : b; }
#define CUDART_MINMAX_MIXED_(type, one, other) \
CUDART_BOTH_ type min(one a, other b) { return min((type)a, (type)b); } \
CUDART_BOTH_ type min(other a, one b) { return min((type)a, (type)b); } \
CUDART_BOTH_ type max(one a, other b) { return max((type)a, (type)b); } \
CUDART_BOTH_ type max(other a, one b) { return max((type)a, (type)b); }
CUDART_MINMAX_(unsigned int)
CUDART_MINMAX_(long)
CUDART_MINMAX_(unsigned long)
CUDART_MINMAX_(long long)
CUDART_MINMAX_(unsigned long long)
CUDART_BOTH_ float min(float a, float b) { return fminf(a, b); }
CUDART_BOTH_ float max(float a, float b) { return fmaxf(a, b); }
CUDART_BOTH_ double min(double a, double b) { return fmin(a, b); }
CUDART_BOTH_ double max(double a, double b) { return fmax(a, b); }
CUDART_MINMAX_MIXED_(unsigned int, unsigned int, int)
CUDART_MINMAX_MIXED_(unsigned long, unsigned long, long)
CUDART_MINMAX_MIXED_(unsigned long long, unsigned long long, long long)
CUDART_MINMAX_MIXED_(double, float, double)

/* clang declares them, also in std. */
#define CUDART_DEVICE_ static inline __attribute__((device, always_inline, unused))
#define CUDART_FLOAT_(type, name) CUDART_DEVICE_ type name(float x) { return ::name##f(x); }
#define CUDART_FLOAT2_(name) CUDART_DEVICE_ float name(float x, float y) { return ::name##f(x, y); }
CUDART_FLOAT_(float, acosh) CUDART_FLOAT_(float, asinh) CUDART_FLOAT_(float, atanh) CUDART_FLOAT_(float, cbrt)
CUDART_FLOAT_(float, erf) CUDART_FLOAT_(float, erfc) CUDART_FLOAT_(float, exp2) CUDART_FLOAT_(float, expm1)
CUDART_FLOAT_(float, lgamma) CUDART_FLOAT_(float, log1p) CUDART_FLOAT_(float, log2) CUDART_FLOAT_(float, logb)
CUDART_FLOAT_(float, nearbyint) CUDART_FLOAT_(float, rint) CUDART_FLOAT_(float, round) CUDART_FLOAT_(float, tgamma)
CUDART_FLOAT_(float, trunc) CUDART_FLOAT_(int, ilogb) CUDART_FLOAT_(long, lrint) CUDART_FLOAT_(long, lround)
CUDART_FLOAT_(long long, llrint) CUDART_FLOAT_(long long, llround)
CUDART_FLOAT2_(copysign) CUDART_FLOAT2_(fdim) CUDART_FLOAT2_(fmax) CUDART_FLOAT2_(fmin) CUDART_FLOAT2_(hypot)
CUDART_FLOAT2_(nextafter) CUDART_FLOAT2_(remainder)
CUDART_DEVICE_ float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
CUDART_DEVICE_ float remquo(float x, float y, int *quotient) { return ::remquof(x, y, quotient); }
CUDART_DEVICE_ float scalbln(float x, long n) { return ::scalblnf(x, n); }
CUDART_DEVICE_ float scalbn(float x, int n) { return ::scalbnf(x, n); }

#endif
