/* SPDX-License-Identifier: MIT */
/*
 * Functions of floats: they round the results of those of doubles, so nearly all results are the nearest float.  Those that programs
 * call often have series of their own, in float_series.cu.
 */
#include "device.h"

#define ONE(name) \
FN double name(double a); \
FN float name##f(float a) { return (float)name((double)a); }
#define TWO(name) \
FN double name(double a, double b); \
FN float name##f(float a, float b) { return (float)name((double)a, (double)b); }

ONE(__nv_acos)
ONE(__nv_acosh)
ONE(__nv_asin)
ONE(__nv_asinh)
ONE(__nv_atanh)
ONE(__nv_cbrt)
ONE(__nv_cospi)
ONE(__nv_erfcinv)
ONE(__nv_erfcx)
ONE(__nv_erfinv)
ONE(__nv_lgamma)
ONE(__nv_normcdfinv)
ONE(__nv_rcbrt)
ONE(__nv_sinpi)
ONE(__nv_tgamma)
TWO(__nv_remainder)

FN void __nv_sincospif(float a, float *s, float *c) { *s = __nv_sinpif(a); *c = __nv_cospif(a); }

FN double __nv_norm3d(double a, double b, double c);
FN double __nv_norm4d(double a, double b, double c, double d);
FN float __nv_norm3df(float a, float b, float c) { return (float)__nv_norm3d(a, b, c); }
FN float __nv_norm4df(float a, float b, float c, float d) { return (float)__nv_norm4d(a, b, c, d); }
FN float __nv_rnorm3df(float a, float b, float c) { return (float)(1.0 / __nv_norm3d(a, b, c)); }
FN float __nv_rnorm4df(float a, float b, float c, float d) { return (float)(1.0 / __nv_norm4d(a, b, c, d)); }

FN float __nv_normf(int n, const float *v)
{
	double s = 0.0;

	for (int i = 0; i < n; i++)
		s = __nv_fma((double)v[i], (double)v[i], s);
	return (float)__nv_sqrt(s);
}

FN float __nv_rnormf(int n, const float *v) { return 1.0f / __nv_normf(n, v); }

/* ---- bits ----------------------------------------------------------------------------------- */

#define SIGN_F 0x80000000u
FN int __nv_signbitf(float a) { return (int)(bits_of(a) >> 31); }
FN int __nv_isnanf(float a) { return a != a; }
FN int __nv_isinff(float a) { return (bits_of(a) & ~SIGN_F) == 0x7f800000u; }
FN int __nv_finitef(float a) { return (bits_of(a) & ~SIGN_F) < 0x7f800000u; }
FN float __nv_copysignf(float a, float b) { return float_of((bits_of(a) & ~SIGN_F) | (bits_of(b) & SIGN_F)); }
FN float __nv_nanf(const signed char *text) { return __builtin_nanf(""); }
FN float __nv_fdimf(float a, float b) { return a != a || b != b ? __builtin_nanf("") : a > b ? a - b : 0.0f; }

FN int __nv_ilogb(double a);
FN double __nv_logb(double a);
FN double __nv_frexp(double a, int *e);
FN double __nv_remquo(double a, double b, int *quotient);
FN double __nv_round(double a);
FN int __nv_ilogbf(float a) { return __nv_ilogb((double)a); }
FN float __nv_logbf(float a) { return (float)__nv_logb((double)a); }
FN float __nv_frexpf(float a, int *e) { return (float)__nv_frexp((double)a, e); }
FN float __nv_ldexpf(float a, int n) { return (float)__nv_ldexp((double)a, n); }
FN float __nv_scalbnf(float a, int n) { return (float)__nv_ldexp((double)a, n); }
FN float __nv_remquof(float a, float b, int *q) { return (float)__nv_remquo((double)a, (double)b, q); }
FN float __nv_roundf(float a) { return (float)__nv_round((double)a); }
FN s64 __nv_llroundf(float a) { return (s64)__nv_round((double)a); }

FN float __nv_modff(float a, float *whole)
{
	float w = (float)__nv_trunc((double)a);

	*whole = w;
	return __nv_copysignf(__nv_isinff(a) ? 0.0f : a - w, a);
}

FN float __nv_nextafterf(float a, float b)
{
	u32 v = bits_of(a);

	if (a != a || b != b)
		return __builtin_nanf("");
	if (a == b)
		return b;
	if (a == 0.0f)
		return __nv_copysignf(float_of(1), b);
	return float_of((a < b) == (a > 0.0f) ? v + 1 : v - 1);
}
