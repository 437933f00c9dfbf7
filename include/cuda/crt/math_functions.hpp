/* SPDX-License-Identifier: MIT */
/*
 * CUDA's mathematics for the host, as far as the C library lacks it, and min and max for host and device.  The device's
 * functions are in clang's headers, and call those in libruntime/cudart/device.  clang includes this file more than
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

#endif
