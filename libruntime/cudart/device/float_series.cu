/* SPDX-License-Identifier: MIT */
/*
 * Functions of floats that programs call often: short series of doubles, rounded once.
 *
 * A double has 29 bits more than the result needs.  So one double holds what the functions of doubles (math.cu) need a pair for,
 * and there are no ranges to branch between: lanes stay together.  Before it is rounded each result is right to about 45 bits.
 * That is the nearest float, unless the true result is within a millionth of a unit of the middle between two.
 *
 * Coefficients without a formula are polynomials through the Chebyshev points of the range that is named.
 */
#include "series.h"

#define LOG10_2	0x1.34413509f79ffp-2
#define ROUND	0x1.8p52		/* added and taken away again: a whole number, whose low 32 bits are its own in between */

/* The whole number that is nearest to a, |a| < 2^31; *n: the same. */
IN double nearest(double a, int *n)
{
	double t = a + ROUND;

	*n = (int)(u32)bits_of(t);
	return t - ROUND;
}

IN double limited(double a, double low, double high)		/* a NaN stays one */
{
	a = a < low ? low : a;
	return a > high ? high : a;
}

IN double power_of_two(int n) { return double_of((u64)(u32)(n + 1023) << 52); }		/* normal ones */

/* ---- powers of e ---------------------------------------------------------------------------- */

/* e^r - 1, |r| up to ln 2 / 2 */
IN double series_exp(double r)
{
	double p = exp_terms(1.0 / 39916800.0, r);

	return fma_(r * r, p, r);
}

/* e^a - 1, |a| up to 700 */
IN double less_one(double a)
{
	double k, s;
	int n;

	k = nearest(a * LOG2_E, &n);
	s = power_of_two(n);
	return fma_(s, series_exp(fma_(-k, LN2, a)), s - 1.0);
}

IN double power_of_e(double a)
{
	double k, s;
	int n;

	k = nearest(a * LOG2_E, &n);
	s = power_of_two(n);
	return fma_(s, series_exp(fma_(-k, LN2, a)), s);
}

/* Beyond the limits a float is infinite, or 0. */
FN float __nv_expf(float a) { return (float)power_of_e(limited(a, -110.0, 90.0)); }

FN float __nv_exp2f(float a)
{
	double x = limited(a, -160.0, 130.0), s;
	int n;

	x -= nearest(x, &n);
	s = power_of_two(n);
	return (float)fma_(s, series_exp(x * LN2), s);
}

FN float __nv_exp10f(float a)
{
	double x = limited(a, -48.0, 40.0), k, s;
	int n;

	k = nearest(x * LOG2_10, &n);
	s = power_of_two(n);
	return (float)fma_(s, series_exp(fma_(-k, LOG10_2, x) * LN10), s);
}

FN float __nv_expm1f(float a)
{
	float r = (float)less_one(limited(a, -110.0, 90.0));

	return a == 0.0f ? a : r;		/* with its sign */
}

FN float __nv_sinhf(float a)
{
	double m = less_one(limited(__nv_fabs((double)a), 0.0, 100.0));

	return (float)__nv_copysign(0.5 * (m + m / (m + 1.0)), (double)a);
}

FN float __nv_coshf(float a)
{
	double p = power_of_e(limited(__nv_fabs((double)a), 0.0, 100.0));

	return (float)(0.5 * (p + 1.0 / p));
}

FN float __nv_tanhf(float a)
{
	double m = less_one(limited(2.0 * __nv_fabs((double)a), 0.0, 40.0));

	return (float)__nv_copysign(m / (m + 2.0), (double)a);
}

/* ---- logarithms ----------------------------------------------------------------------------- */

/* For a normal a > 0: log(m), where a = m * 2^*k and m is near 1; by the series of atanh((m - 1) / (m + 1)). */
IN double log_part(double a, double *k)
{
	u64 b = bits_of(a) - 0x3fe6a09e667f3bcdull;		/* m is between the root of 1/2 and that of 2 */
	int n = (int)(b >> 32) >> 20;
	double m = double_of(bits_of(a) - ((u64)(u32)n << 52)), s = (m - 1.0) / (m + 1.0), z = s * s, p;

	p = fma_(log_terms(2.0 / 21.0, z), z, 2.0 / 3.0);
	*k = (double)n;
	return fma_(s * z, p, 2.0 * s);
}

/* The logarithm of a, which is r if that is a usual one. */
IN float log_of(double a, double r)
{
	r = a < __builtin_inf() ? r : a;
	r = a > 0.0 ? r : a == 0.0 ? -__builtin_inf() : __builtin_nan("");
	return (float)r;
}

FN float __nv_logf(float a)
{
	double k, part = log_part(a, &k);

	return log_of(a, fma_(k, LN2, part));
}

FN float __nv_log2f(float a)
{
	double k, part = log_part(a, &k);

	return log_of(a, fma_(part, LOG2_E, k));
}

FN float __nv_log10f(float a)
{
	double k, part = log_part(a, &k);

	return log_of(a, fma_(k, LOG10_2, part * LOG10_E));
}

FN float __nv_log1pf(float a)
{
	double x = a, u = 1.0 + x, k, part = log_part(u, &k), lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
	float r = log_of(u, fma_(k, LN2, part) + lost / u);

	return a == 0.0f ? a : r;
}

/* For positive finite bases; others go the way of doubles. */
FN float __nv_powf(float a, float b)
{
	double k, part;

	if (!(a > 0.0f && a < __builtin_inff() && __nv_fabs((double)b) < __builtin_inf()))
		return (float)__nv_pow(a, b);
	part = log_part(a, &k);
	return (float)power_of_e(limited((double)b * fma_(k, LN2, part), -110.0, 90.0));
}

FN float __nv_powif(float a, int n) { return (float)__nv_pow((double)a, (double)n); }

/* ---- circles -------------------------------------------------------------------------------- */

/* |r| up to pi / 4 */
IN double series_sin(double r, double z)
{
	double p = sin_terms(1.0 / 6227020800.0, z);

	return fma_(r * z, p, r);
}

IN double series_cos(double z)
{
	return fma_(z, fma_(cos_terms(-1.0 / 87178291200.0, z), z, -0.5), 1.0);
}

struct circle {
	double s, c;
};

/* Sine and cosine of an angle: r, turned by q quarters. */
IN struct circle turned(double r, int q)
{
	double z = r * r, s = series_sin(r, z), c = series_cos(z);
	struct circle t;

	t.s = q & 1 ? c : s;
	t.c = q & 1 ? s : c;
	t.s = q & 2 ? -t.s : t.s;
	t.c = (q + 1) & 2 ? -t.c : t.c;
	return t;
}

#define ANGLES	0x1p30f			/* below: the number of quarters is exact */

IN bool usual_angle(float a) { return __nv_fabs((double)a) < ANGLES; }

IN struct circle circle_of(float a)
{
	double k, r;
	int q;

	k = nearest((double)a * (1.0 / HALF_PI_1), &q);
	r = fma_(-k, HALF_PI_1, (double)a);
	return turned(fma_(-k, HALF_PI_2, r), q);
}

FN float __nv_sinf(float a)
{
	if (!usual_angle(a))
		return (float)__nv_sin(a);
	return a == 0.0f ? a : (float)circle_of(a).s;
}

FN float __nv_cosf(float a) { return usual_angle(a) ? (float)circle_of(a).c : (float)__nv_cos(a); }

FN void __nv_sincosf(float a, float *s, float *c)
{
	struct circle t;

	if (!usual_angle(a)) {
		*s = (float)__nv_sin(a);
		*c = (float)__nv_cos(a);
		return;
	}
	t = circle_of(a);
	*s = a == 0.0f ? a : (float)t.s;
	*c = (float)t.c;
}

FN float __nv_tanf(float a)
{
	struct circle t;

	if (!usual_angle(a))
		return (float)__nv_tan(a);
	t = circle_of(a);
	return a == 0.0f ? a : (float)(t.s / t.c);
}

/* atan(t), t from 0 to 1 */
IN double series_atan(double t)
{
	double z = t * t, p = 0x1.283feaa45a00bp-14;

	p = fma_(p, z, -0x1.632880ebc0806p-11);
	p = fma_(p, z, 0x1.91ddbe8be7487p-9);
	p = fma_(p, z, -0x1.201c4b8d91d39p-7);
	p = fma_(p, z, 0x1.2a2a56446600bp-6);
	p = fma_(p, z, -0x1.e4c94fec85998p-6);
	p = fma_(p, z, 0x1.4bebf6bf28c12p-5);
	p = fma_(p, z, -0x1.97cc28274db66p-5);
	p = fma_(p, z, 0x1.daa905227a396p-5);
	p = fma_(p, z, -0x1.1039e3c226d85p-4);
	p = fma_(p, z, 0x1.3aef08a59e63fp-4);
	p = fma_(p, z, -0x1.7458b156b52ecp-4);
	p = fma_(p, z, 0x1.c71c17c81fa37p-4);
	p = fma_(p, z, -0x1.249246f12fecdp-3);
	p = fma_(p, z, 0x1.9999998afda97p-3);
	p = fma_(p, z, -0x1.555555554202ap-2);
	p = fma_(p, z, 0x1.fffffffffffbcp-1);
	return t * p;
}

/* The angle of (x, y), without signs. */
IN double first_quarter(double y, double x)
{
	double low = y < x ? y : x, high = y < x ? x : y, t = low / high, r;

	t = high == 0.0 ? 0.0 : low == high ? 1.0 : t;		/* and of infinite ones */
	r = series_atan(t);
	return y > x ? HALF_PI_1 - r : r;
}

FN float __nv_atanf(float a)
{
	double r = first_quarter(__nv_fabs((double)a), 1.0);

	return a != a ? a : (float)__nv_copysign(r, (double)a);
}

FN float __nv_atan2f(float b, float a)
{
	double r = first_quarter(__nv_fabs((double)b), __nv_fabs((double)a));

	r = bits_of(a) >> 31 ? PI_1 - r : r;
	return a != a || b != b ? __builtin_nanf("") : (float)__nv_copysign(r, (double)b);
}

/* ---- the error function --------------------------------------------------------------------- */

/* erf(x), x from 0 to 1 */
IN double series_erf(double x)
{
	double z = x * x, p = -0x1.ac9585a44fe29p-31;

	p = fma_(p, z, 0x1.d76af6ca49787p-27);
	p = fma_(p, z, -0x1.5c131500d3f88p-23);
	p = fma_(p, z, 0x1.b981d78881a5dp-20);
	p = fma_(p, z, -0x1.f4ca838adb73bp-17);
	p = fma_(p, z, 0x1.f9a2be4f731a1p-14);
	p = fma_(p, z, -0x1.c02db0665e53dp-11);
	p = fma_(p, z, 0x1.565bccfa44156p-8);
	p = fma_(p, z, -0x1.b82ce31203772p-6);
	p = fma_(p, z, 0x1.ce2f21a040f66p-4);
	p = fma_(p, z, -0x1.812746b0379c1p-2);
	p = fma_(p, z, 0x1.20dd750429b6dp+0);
	return x * p;
}

/* erfc(x) e^(x * x), x from 1 to 10.2 */
IN double series_erfcx(double x)
{
	double v = (x - 4.0) / (x + 4.0), p = 0x1.7b26c9a5bc410p-19;

	p = fma_(p, v, -0x1.2340d991ed54ap-19);
	p = fma_(p, v, -0x1.7a4b18a6977b8p-16);
	p = fma_(p, v, 0x1.4b98b9f78e2dcp-14);
	p = fma_(p, v, -0x1.6d0cec40f7956p-16);
	p = fma_(p, v, -0x1.a2fa814356dd9p-11);
	p = fma_(p, v, 0x1.0a17e92b9ef7fp-8);
	p = fma_(p, v, -0x1.a4ded21306dafp-7);
	p = fma_(p, v, 0x1.0066e107fd7fep-5);
	p = fma_(p, v, -0x1.027d57477971fp-4);
	p = fma_(p, v, 0x1.be502c365b977p-4);
	p = fma_(p, v, -0x1.506666f697a6bp-3);
	p = fma_(p, v, 0x1.bff01a5f90533p-3);
	p = fma_(p, v, -0x1.0949227374360p-2);
	p = fma_(p, v, 0x1.18932bf08e158p-3);
	return p;
}

/* 1 - erf(x), x not below 0 */
IN double complement(double x)
{
	return x < 1.0 ? 1.0 - series_erf(x) : series_erfcx(x) * power_of_e(-x * x);
}

FN float __nv_erff(float a)
{
	double x = limited(__nv_fabs((double)a), 0.0, 6.0), near = series_erf(x), far = 1.0 - series_erfcx(x) * power_of_e(-x * x);

	return (float)__nv_copysign(x < 1.0 ? near : a != a ? x : far, (double)a);
}

FN float __nv_erfcf(float a)
{
	double r = complement(limited(__nv_fabs((double)a), 0.0, 10.2));

	return (float)(a < 0.0f ? 2.0 - r : r);
}

FN float __nv_normcdff(float a)
{
	double x = (double)a * 0x1.6a09e667f3bcdp-1, r = complement(limited(__nv_fabs(x), 0.0, 10.2));

	return (float)(a < 0.0f ? 0.5 * r : 1.0 - 0.5 * r);
}

/* ---- remainders and roots ------------------------------------------------------------------- */

/* The quotient's whole part is exact, or 1 away, which the remainder shows. */
FN float __nv_fmodf(float a, float b)
{
	double x = __nv_fabs((double)a), y = __nv_fabs((double)b), q = x / y, r;

	if (!(q < 0x1p28 && y < __builtin_inf()))
		return (float)__nv_fmod(a, b);
	r = fma_(-__nv_trunc(q), y, x);
	r = r < 0.0 ? r + y : r >= y ? r - y : r;
	return (float)__nv_copysign(r, (double)a);
}

/* Squares of floats neither overflow nor vanish.  An infinite one counts, whatever the other is. */
IN double root_of_squares(float a, float b)
{
	double x = __nv_fabs((double)a), y = __nv_fabs((double)b), r = __nv_sqrt(fma_(x, x, y * y));

	r = x == __builtin_inf() ? x : r;
	return y == __builtin_inf() ? y : r;
}

FN float __nv_hypotf(float a, float b) { return (float)root_of_squares(a, b); }
FN float __nv_rhypotf(float a, float b) { return (float)(1.0 / root_of_squares(a, b)); }
