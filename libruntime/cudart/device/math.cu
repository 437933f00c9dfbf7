/* SPDX-License-Identifier: MIT */
/*
 * Functions of doubles.  Arguments are brought near a point where a Taylor series converges quickly; values that
 * decide about the last bits are kept as pairs of doubles.  Results are right to 2 units in the last place or better,
 * unless the comment at a function says otherwise.
 */
#include "series.h"

#define PI_2	0x1.1a62633145c07p-53
#define HALF_PI_3	-0x1.f1976b7ed8fbcp-110
#define LN2_HIGH	0x1.62e42fee00000p-1	/* its low 21 bits are 0: times an exponent it is exact */
#define LN2_LOW		0x1.a39ef35793c76p-33
#define LOG2_E_LOW	0x1.777d0ffda0d24p-56
#define LOG10_E_LOW	0x1.95355baaafad3p-57
#define LN10_LOW	-0x1.f48ad494ea3e9p-53
#define TWO_OVER_SQRT_PI	0x1.20dd750429b6dp+0

struct pair {			/* a number: the sum of both; |low| is at most half a unit of high */
	double high, low;
};

IN bool is_nan(double x) { return x != x; }
IN double abs_(double x) { return __nv_fabs(x); }

IN struct pair sum(double a, double b)		/* |a| >= |b| */
{
	struct pair r;

	r.high = a + b;
	r.low = b - (r.high - a);
	return r;
}

IN struct pair product(double a, double b)
{
	struct pair r;

	/* a product that no compiler can merge into an fma */
	asm("mul.rn.f64 %0, %1, %2;" : "=d"(r.high) : "d"(a), "d"(b));
	r.low = fma_(a, b, -r.high);
	return r;
}

/* ---- bits ----------------------------------------------------------------------------------- */

FN int __nv_signbitd(double a) { return (int)(bits_of(a) >> 63); }
FN int __nv_isnand(double a) { return is_nan(a); }
FN int __nv_isinfd(double a) { return abs_(a) == INF; }
FN int __nv_isfinited(double a) { return abs_(a) < INF; }
FN double __nv_copysign(double a, double b) { return double_of((bits_of(a) & ~SIGN) | (bits_of(b) & SIGN)); }
FN double __nv_nan(const signed char *text) { return NOT_A; }
FN double __nv_fdim(double a, double b) { return is_nan(a) || is_nan(b) ? NOT_A : a > b ? a - b : 0.0; }

FN double __nv_frexp(double a, int *e)
{
	u64 b = bits_of(a);
	int n = (int)(b >> 52 & 0x7ff);

	*e = 0;
	if (n == 0x7ff || a == 0.0)
		return a;
	if (!n) {			/* subnormal */
		b = bits_of(a * 0x1p54);
		n = (int)(b >> 52 & 0x7ff) - 54;
	}
	*e = n - 1022;
	return double_of((b & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}

/* Multiplies in up to three steps: one factor cannot reach all exponents, and only the last step may round. */
FN double __nv_ldexp(double a, int n)
{
	if (n > 1023) {
		a *= 0x1p1023;
		n -= 1023;
		if (n > 1023) {
			a *= 0x1p1023;
			n = n - 1023 > 1023 ? 1023 : n - 1023;
		}
	} else if (n < -1022) {
		a *= 0x1p-969;
		n += 969;
		if (n < -1022) {
			a *= 0x1p-969;
			n = n + 969 < -1022 ? -1022 : n + 969;
		}
	}
	return a * double_of((u64)(n + 1023) << 52);
}

FN double __nv_scalbn(double a, int n) { return __nv_ldexp(a, n); }

FN int __nv_ilogb(double a)
{
	int e;

	if (a == 0.0 || is_nan(a))
		return (int)0x80000000;
	if (abs_(a) == INF)
		return 0x7fffffff;
	__nv_frexp(a, &e);
	return e - 1;
}

FN double __nv_logb(double a)
{
	if (is_nan(a) || abs_(a) == INF)
		return a * a;
	return a == 0.0 ? -INF : (double)__nv_ilogb(a);
}

FN double __nv_modf(double a, double *whole)
{
	double w = __nv_trunc(a);

	*whole = w;
	return __nv_copysign(abs_(a) == INF ? 0.0 : a - w, a);
}

FN double __nv_nextafter(double a, double b)
{
	u64 v = bits_of(a);

	if (is_nan(a) || is_nan(b))
		return NOT_A;
	if (a == b)
		return b;
	if (a == 0.0)
		return __nv_copysign(double_of(1), b);
	return double_of((a < b) == (a > 0.0) ? v + 1 : v - 1);
}

FN double __nv_round(double a)
{
	double t = __nv_trunc(a);

	return abs_(a - t) >= 0.5 ? t + __nv_copysign(1.0, a) : t;
}

FN s64 __nv_llround(double a) { return (s64)__nv_round(a); }

/* The exact remainder of a truncating division, made bit by bit.  *quotient: the last bits of the quotient. */
IN double divide(double a, double b, u32 *quotient)
{
	double x = abs_(a), y = abs_(b), t;
	int ex, ey;

	*quotient = 0;
	if (is_nan(a) || is_nan(b) || x == INF || y == 0.0)
		return NOT_A;
	if (x < y)
		return a;
	__nv_frexp(x, &ex);
	__nv_frexp(y, &ey);
	for (int n = ex - ey; n >= 0; n--) {
		t = __nv_ldexp(y, n);
		*quotient <<= 1;
		if (x >= t) {
			x -= t;
			*quotient |= 1;
		}
	}
	return __nv_copysign(x, a);
}

FN double __nv_fmod(double a, double b)
{
	u32 q;

	return divide(a, b, &q);
}

FN double __nv_remquo(double a, double b, int *quotient)
{
	double y = abs_(b), r, x;
	u32 q;

	r = divide(a, b, &q);
	x = abs_(r);
	/* to the nearest multiple; halfway between two, to the even one */
	if (x < INF && (x > y - x || (x == y - x && q & 1))) {
		x -= y;
		q++;
	}
	*quotient = (int)(q & 7) * ((a < 0.0) != (b < 0.0) ? -1 : 1);
	return is_nan(r) ? r : a < 0.0 || (a == 0.0 && __nv_signbitd(a)) ? -x : x;
}

FN double __nv_remainder(double a, double b)
{
	int q;

	return __nv_remquo(a, b, &q);
}

/* ---- powers of e ---------------------------------------------------------------------------- */

/* e^(at + correction) - 1, for |at| up to ln 2 / 2 */
IN double series_exp(double at, double correction)
{
	double p = 1.0 / 6227020800.0, r = at + correction, low = (at - r) + correction;

	p = fma_(p, r, 1.0 / 479001600.0);
	p = fma_(p, r, 1.0 / 39916800.0);
	p = exp_terms(p, r);
	return r + (fma_(r * r, p, low));
}

/* e^(a + low) */
IN double exp_pair(double a, double low)
{
	double k, r;

	if (is_nan(a))
		return a;
	if (a > 710.0)
		return INF;
	if (a < -746.0)
		return 0.0;
	k = __nv_rint(a * LOG2_E);
	r = fma_(-k, LN2_HIGH, a);
	return __nv_ldexp(1.0 + series_exp(r, fma_(-k, LN2_LOW, low)), (int)k);
}

FN double __nv_exp(double a) { return exp_pair(a, 0.0); }

FN double __nv_exp2(double a)
{
	double k, r;

	if (is_nan(a))
		return a;
	if (a >= 1024.0)
		return INF;
	if (a < -1080.0)
		return 0.0;
	k = __nv_rint(a);
	r = a - k;
	return __nv_ldexp(1.0 + series_exp(r * LN2, 0.0), (int)k);
}

FN double __nv_exp10(double a)
{
	struct pair p = product(a, LN10);

	return abs_(a) < 400.0 ? exp_pair(p.high, fma_(a, LN10_LOW, p.low)) : is_nan(a) ? a : a > 0.0 ? INF : 0.0;
}

FN double __nv_expm1(double a)
{
	if (abs_(a) < 0.34)
		return abs_(a) < 0x1p-54 ? a : series_exp(a, 0.0);
	return a > 40.0 ? __nv_exp(a) : __nv_exp(a) - 1.0;
}

/* ---- logarithms ----------------------------------------------------------------------------- */

/* log(a) for a normal or subnormal a > 0: the atanh series of (m - 1) / (m + 1) */
IN struct pair log_pair(double a)
{
	struct pair r, sq, cube, part;
	double m, d, d_low, s, s_low, p, k;
	int e;

	m = __nv_frexp(a, &e);
	if (m < 0.70710678118654752) {
		m *= 2.0;
		e--;
	}
	k = (double)e;
	d = m + 1.0;
	d_low = m - (d - 1.0);
	s = (m - 1.0) / d;
	s_low = (fma_(-s, d, m - 1.0) - s * d_low) / d;
	sq = product(s, s);
	sq.low = fma_(2.0 * s, s_low, sq.low);
	p = 2.0 / 25.0;
	p = fma_(p, sq.high, 2.0 / 23.0);
	p = fma_(p, sq.high, 2.0 / 21.0);
	p = log_terms(p, sq.high);
	/* 2/3 + s^2 p, times s^3 */
	part = sum(2.0 / 3.0, sq.high * p);
	part.low += 0x1.5555555555555p-55;		/* what the double 2.0 / 3.0 lacks */
	cube = product(sq.high, s);
	cube.low += sq.low * s + sq.high * s_low;
	r = product(cube.high, part.high);
	r.low += cube.high * part.low + cube.low * part.high;
	part = sum(2.0 * s, r.high);
	part.low += r.low + 2.0 * s_low;
	/* add the logarithm of 2^e */
	if (e) {
		r = sum(k * LN2_HIGH, part.high);
		r.low += part.low + k * LN2_LOW;
	} else {
		r = part;
	}
	return sum(r.high, r.low);
}

IN bool log_special(double a, double *r)
{
	*r = a == 0.0 ? -INF : a < 0.0 ? NOT_A : a;
	return !(a > 0.0 && a < INF);
}

FN double __nv_log(double a)
{
	double r;

	return log_special(a, &r) ? r : log_pair(a).high;
}

IN double log_times(double a, double high, double low)
{
	struct pair l = log_pair(a), p = product(l.high, high);

	return p.high + (p.low + fma_(l.high, low, l.low * high));
}

FN double __nv_log2(double a)
{
	double r;

	return log_special(a, &r) ? r : log_times(a, LOG2_E, LOG2_E_LOW);
}

FN double __nv_log10(double a)
{
	double r;

	return log_special(a, &r) ? r : log_times(a, LOG10_E, LOG10_E_LOW);
}

FN double __nv_log1p(double a)
{
	double u = 1.0 + a, lost;

	if (u == 1.0 || !(a > -1.0) || a == INF)
		return a == -1.0 ? -INF : a < -1.0 ? NOT_A : a;
	lost = a > 1.0 ? 1.0 - (u - a) : a - (u - 1.0);
	return __nv_log(u) + lost / u;
}

/* ---- powers --------------------------------------------------------------------------------- */

IN double pow_special(double a, double b, bool *done)
{
	double x = abs_(a), whole = __nv_trunc(b);
	bool integer = whole == b, odd = integer && abs_(b) < 0x1p53 && ((s64)b & 1);

	*done = true;
	if (b == 0.0 || a == 1.0)
		return 1.0;
	if (is_nan(a) || is_nan(b))
		return NOT_A;
	if (abs_(b) == INF)
		return x == 1.0 ? 1.0 : (x > 1.0) == (b > 0.0) ? INF : 0.0;
	if (x == 0.0 || x == INF) {
		double r = (x == 0.0) == (b > 0.0) ? 0.0 : INF;

		return odd && __nv_signbitd(a) ? -r : r;
	}
	if (a < 0.0 && !integer)
		return NOT_A;
	*done = false;
	return a < 0.0 && odd ? -1.0 : 1.0;
}

FN double __nv_pow(double a, double b)
{
	struct pair l, p;
	bool done;
	double sign = pow_special(a, b, &done);

	if (done)
		return sign;
	l = log_pair(abs_(a));
	if (abs_(b) > 0x1p1000)
		return l.high == 0.0 ? sign : sign * ((l.high > 0.0) == (b > 0.0) ? INF : 0.0);
	p = product(l.high, b);
	if (abs_(p.high) > 800.0)
		return sign * (p.high > 0.0 ? INF : 0.0);
	return sign * exp_pair(p.high, fma_(l.low, b, p.low));
}

FN double __nv_powi(double a, int n) { return __nv_pow(a, (double)n); }

FN double __nv_cbrt(double a)
{
	double x = abs_(a), r;

	if (a == 0.0 || is_nan(a) || x == INF)
		return a;
	r = __nv_exp(__nv_log(x) / 3.0);
	r -= (fma_(r * r, r, -x)) / (3.0 * r * r);	/* one step of Newton's method */
	return __nv_copysign(r, a);
}

FN double __nv_rcbrt(double a) { return 1.0 / __nv_cbrt(a); }

/* The root of a sum of squares, scaled so that squares neither overflow nor vanish. */
IN double norm_of(const double *v, int n)
{
	double most = 0.0, s = 0.0, t;
	bool nan = false, inf = false;
	int e;

	for (int i = 0; i < n; i++) {
		t = abs_(v[i]);
		nan |= is_nan(t);
		inf |= t == INF;
		most = t > most ? t : most;
	}
	if (inf || nan || most == 0.0)
		return inf ? INF : nan ? NOT_A : 0.0;
	__nv_frexp(most, &e);
	for (int i = 0; i < n; i++) {
		t = __nv_ldexp(v[i], -e);
		s = fma_(t, t, s);
	}
	return __nv_ldexp(__nv_sqrt(s), e);
}

FN double __nv_hypot(double a, double b) { const double v[] = { a, b }; return norm_of(v, 2); }
FN double __nv_norm3d(double a, double b, double c) { const double v[] = { a, b, c }; return norm_of(v, 3); }
FN double __nv_norm4d(double a, double b, double c, double d)
{
	const double v[] = { a, b, c, d };

	return norm_of(v, 4);
}
FN double __nv_norm(int n, const double *v) { return norm_of(v, n); }
FN double __nv_rhypot(double a, double b) { return 1.0 / __nv_hypot(a, b); }
FN double __nv_rnorm3d(double a, double b, double c) { return 1.0 / __nv_norm3d(a, b, c); }
FN double __nv_rnorm4d(double a, double b, double c, double d) { return 1.0 / __nv_norm4d(a, b, c, d); }
FN double __nv_rnorm(int n, const double *v) { return 1.0 / norm_of(v, n); }

/* ---- circles -------------------------------------------------------------------------------- */

/* The bits of 2 / pi behind the binary point. */
static __attribute__((device)) const u64 two_over_pi[] = {
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
	0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
	0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* 64 bits of 2 / pi, from a given bit on. */
IN u64 window(int bit)
{
	int w = bit >> 6, s = bit & 63;
	u64 a = w >= 0 ? two_over_pi[w] : 0, b = w >= -1 ? two_over_pi[w + 1] : 0;

	return s ? a << s | b >> (64 - s) : a;
}

IN u64 high_product(u64 a, u64 b)
{
	u64 r;

	asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
	return r;
}

/* For a large x > 0: x * 2/pi modulo 4, with the 192 bits of 2/pi that matter for x. */
static __attribute__((device)) int reduce_large(double x, struct pair *r)
{
	u64 b = bits_of(x), m = (b & 0xfffffffffffffull) | 0x10000000000000ull, low, mid, high, f1, f0;
	int e = (int)(b >> 52) - 1075, q, n;
	bool negative;
	double f, f_low;

	low = m * window(e - 2 + 128);
	mid = high_product(m, window(e - 2 + 128)) + m * window(e - 2 + 64);
	high = high_product(m, window(e - 2 + 64)) + m * window(e - 2);
	if (mid < m * window(e - 2 + 64))
		high++;
	q = (int)(high >> 62);
	f1 = high << 2 | mid >> 62;
	f0 = mid << 2 | low >> 62;
	negative = f1 >> 63;
	if (negative) {			/* nearer to the next quarter */
		q++;
		f0 = 0 - f0;
		f1 = ~f1 + !f0;
	}
	n = f1 ? __builtin_clzll(f1) : 64 + (f0 ? __builtin_clzll(f0) : 0);
	if (n >= 64) {
		f1 = f0 << (n - 64);
		f0 = 0;
	} else if (n) {
		f1 = f1 << n | f0 >> (64 - n);
		f0 <<= n;
	}
	f = __nv_ldexp((double)(f1 >> 11), -53 - n);
	f_low = __nv_ldexp((double)((f1 << 53 | f0 >> 11) >> 1), -52 - 64 - n);
	*r = product(f, HALF_PI_1);
	r->low += f * HALF_PI_2 + f_low * HALF_PI_1;
	if (negative) {
		r->high = -r->high;
		r->low = -r->low;
	}
	return q & 3;
}

/* Returns the quarters of a circle in x, modulo 4; *r: the rest, |rest| up to pi / 4. */
IN int reduce(double x, struct pair *r)
{
	double n, d, q, t;
	struct pair p;
	int quarter;

	if (abs_(x) <= 0.785398163397448) {
		r->high = x;
		r->low = 0.0;
		return 0;
	}
	if (abs_(x) > 1e6) {
		quarter = reduce_large(abs_(x), r);
		if (x < 0.0) {
			r->high = -r->high;
			r->low = -r->low;
			quarter = -quarter & 3;
		}
		return quarter;
	}
	n = __nv_rint(x * (1.0 / HALF_PI_1));
	p = product(n, HALF_PI_1);
	d = x - p.high;			/* exact, because the two are near each other */
	q = fma_(n, HALF_PI_2, p.low);
	t = d - q;
	*r = sum(t, ((d - t) - q) - fma_(n, HALF_PI_2, p.low - q) - n * HALF_PI_3);
	return (int)(s64)n & 3;
}

IN double series_sin(struct pair r)
{
	double z = r.high * r.high, p = -1.0 / 121645100408832000.0;

	p = fma_(p, z, 1.0 / 355687428096000.0);
	p = fma_(p, z, -1.0 / 1307674368000.0);
	p = fma_(p, z, 1.0 / 6227020800.0);
	p = sin_terms(p, z);
	return r.high + fma_(r.high * z, p, r.low * (1.0 - 0.5 * z));
}

IN double series_cos(struct pair r)
{
	double z = r.high * r.high, p = 1.0 / 2432902008176640000.0, h, w;

	p = fma_(p, z, -1.0 / 6402373705728000.0);
	p = fma_(p, z, 1.0 / 20922789888000.0);
	p = fma_(p, z, -1.0 / 87178291200.0);
	p = cos_terms(p, z);
	h = 0.5 * z;
	w = 1.0 - h;
	return w + (((1.0 - w) - h) + (z * z * p - r.high * r.low));
}

IN bool no_angle(double a) { return !(abs_(a) < INF); }

/* The sine of a, turned by `more` quarters of a circle. */
IN double sine(double a, int more)
{
	struct pair r;
	int q;
	double v;

	if (no_angle(a))
		return NOT_A;
	q = reduce(a, &r) + more;
	v = q & 1 ? series_cos(r) : series_sin(r);
	return q & 2 ? -v : v;
}

FN double __nv_sin(double a) { return a == 0.0 ? a : sine(a, 0); }
FN double __nv_cos(double a) { return sine(a, 1); }

FN void __nv_sincos(double a, double *s, double *c)
{
	*s = __nv_sin(a);
	*c = __nv_cos(a);
}

FN double __nv_tan(double a)
{
	struct pair r;
	int q;

	if (no_angle(a))
		return NOT_A;
	if (a == 0.0)
		return a;
	q = reduce(a, &r);
	return q & 1 ? -series_cos(r) / series_sin(r) : series_sin(r) / series_cos(r);
}

/* The sine of pi * a, turned by `more` quarters.  Whole quarters are removed exactly. */
IN double sine_pi(double a, int more)
{
	struct pair r;
	double n;
	int q;

	if (no_angle(a))
		return NOT_A;
	a = abs_(a) < 0x1p53 ? a : 0.0;
	n = __nv_rint(2.0 * a);
	r = product(a - 0.5 * n, PI_1);
	r.low = fma_(a - 0.5 * n, PI_2, r.low);
	q = ((int)(s64)n & 3) + more;
	n = q & 1 ? series_cos(r) : series_sin(r);
	return q & 2 ? -n : n;
}

FN double __nv_sinpi(double a) { return a == 0.0 ? a : sine_pi(a, 0); }
FN double __nv_cospi(double a) { return sine_pi(a, 1); }

FN void __nv_sincospi(double a, double *s, double *c)
{
	*s = __nv_sinpi(a);
	*c = __nv_cospi(a);
}

/* atan of 0/8, 1/8, ... 8/8, as pairs. */
static __attribute__((device)) const double atans[][2] = {
	{ 0.0, 0.0 }, { 0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59 },
	{ 0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57 }, { 0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56 },
	{ 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 }, { 0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58 },
	{ 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56 }, { 0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56 },
	{ 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 },
};

/* atan(y / x) for 0 <= y <= x */
IN struct pair atan_quotient(double y, double x)
{
	double t = y / x, c, d, n, u, u_low, z, p;
	struct pair r;
	int k = (int)(t * 8.0 + 0.5);

	if (!k) {
		u = t;
		u_low = fma_(-t, x, y) / x;
	} else {			/* (y - c x) / (x + c y) */
		c = (double)k * 0.125;
		n = fma_(-c, x, y);
		d = fma_(c, y, x);
		u = n / d;
		u_low = fma_(-u, d, n) / d;
	}
	z = u * u;
	p = -1.0 / 19.0;
	p = fma_(p, z, 1.0 / 17.0);
	p = fma_(p, z, -1.0 / 15.0);
	p = fma_(p, z, 1.0 / 13.0);
	p = fma_(p, z, -1.0 / 11.0);
	p = fma_(p, z, 1.0 / 9.0);
	p = fma_(p, z, -1.0 / 7.0);
	p = fma_(p, z, 1.0 / 5.0);
	p = fma_(p, z, -1.0 / 3.0);
	p = fma_(u * z, p, u_low);
	if (!k)
		return sum(u, p);
	r = sum(atans[k][0], u);
	r.low += p + atans[k][1];
	return r;
}

/* The angle of (x, y).  Large numbers are scaled, so that no product overflows. */
FN double __nv_atan2(double y, double x)
{
	double ax = abs_(x), ay = abs_(y);
	struct pair r;

	if (is_nan(x) || is_nan(y))
		return NOT_A;
	if (ax == INF && ay == INF)
		ax = ay = 1.0;
	if (ay == 0.0 && ax == 0.0)
		ax = 1.0;
	if (ax > 0x1p1000 || ay > 0x1p1000) {
		ax *= 0x1p-100;
		ay *= 0x1p-100;
	} else if (ax < 0x1p-900 && ay < 0x1p-900) {
		ax *= 0x1p120;
		ay *= 0x1p120;
	}
	if (ax == INF || ay == INF) {
		r.high = ax == INF ? 0.0 : HALF_PI_1;
		r.low = ax == INF ? 0.0 : HALF_PI_2;
	} else if (ay <= ax) {
		r = atan_quotient(ay, ax);
	} else {
		r = atan_quotient(ax, ay);
		r.high = -r.high;
		r.low = -r.low;
		r = sum(HALF_PI_1, r.high + (r.low + HALF_PI_2));
	}
	if (__nv_signbitd(x))
		r = sum(PI_1, PI_2 - r.low - r.high);
	return __nv_copysign(r.high + r.low, y);
}

FN double __nv_atan(double a) { return __nv_atan2(a, 1.0); }

FN double __nv_asin(double a)
{
	if (!(abs_(a) <= 1.0))
		return NOT_A;
	return __nv_atan2(a, __nv_sqrt((1.0 - a) * (1.0 + a)));
}

FN double __nv_acos(double a)
{
	if (!(abs_(a) <= 1.0))
		return NOT_A;
	return 2.0 * __nv_atan2(__nv_sqrt(1.0 - a), __nv_sqrt(1.0 + a));
}

/* ---- hyperbolas ----------------------------------------------------------------------------- */

FN double __nv_sinh(double a)
{
	double x = abs_(a), t;

	if (x > 40.0) {
		t = exp_pair(0.5 * x, 0.0);
		return __nv_copysign(0.5 * t * t, a);
	}
	t = __nv_expm1(x);
	return __nv_copysign(0.5 * (t + t / (t + 1.0)), a);
}

FN double __nv_cosh(double a)
{
	double t = exp_pair(0.5 * abs_(a), 0.0), e = t * t;

	return abs_(a) > 40.0 ? 0.5 * t * t : 0.5 * (e + 1.0 / e);
}

FN double __nv_tanh(double a)
{
	double x = abs_(a), t;

	if (is_nan(a))
		return a;
	if (x > 22.0)
		return __nv_copysign(1.0, a);
	t = __nv_expm1(2.0 * x);
	return __nv_copysign(t / (t + 2.0), a);
}

FN double __nv_asinh(double a)
{
	double x = abs_(a), r;

	if (!(x < INF))
		return a;
	r = x > 0x1p28 ? __nv_log(x) + LN2 : __nv_log1p(x + x * x / (1.0 + __nv_sqrt(fma_(x, x, 1.0))));
	return __nv_copysign(r, a);
}

FN double __nv_acosh(double a)
{
	double t = a - 1.0;

	if (!(a >= 1.0))
		return NOT_A;
	return a > 0x1p28 ? __nv_log(a) + LN2 : __nv_log1p(t + __nv_sqrt(t * (t + 2.0)));
}

FN double __nv_atanh(double a)
{
	double x = abs_(a);

	return __nv_copysign(0.5 * __nv_log1p(2.0 * x / (1.0 - x)), a);
}

/* ---- error function and gamma, exact to some units in the 14th digit ------------------------- */

/* e^(-x^2); the pair keeps the bits that the square would lose */
IN double gauss(double x)
{
	struct pair s = product(x, x);

	return exp_pair(-s.high, -s.low);
}

/* The series for small arguments, in which all terms have the same sign. */
IN double series_erf(double x)
{
	double term = x, s = x;

	for (int n = 1; n < 120 && term > s * 0x1p-56; n++) {
		term *= 2.0 * x * x / (2.0 * n + 1.0);
		s += term;
	}
	return TWO_OVER_SQRT_PI * gauss(x) * s;
}

/* erfc(x) e^(x^2) for x >= 2: a continued fraction, computed from its far end */
IN double fraction_erfcx(double x)
{
	double f = x;

	for (int n = 150; n > 0; n--)
		f = x + 0.5 * n / f;
	return 0.5 * TWO_OVER_SQRT_PI / f;
}

FN double __nv_erf(double a)
{
	double x = abs_(a);

	if (is_nan(a) || a == 0.0)
		return a;
	return __nv_copysign(x < 2.0 ? series_erf(x) : x > 6.0 ? 1.0 : 1.0 - fraction_erfcx(x) * gauss(x), a);
}

FN double __nv_erfc(double a)
{
	if (is_nan(a))
		return a;
	if (a < 0.5)
		return 1.0 - __nv_erf(a);
	if (a < 2.0)
		return 1.0 - series_erf(a);
	return a > 28.0 ? 0.0 : fraction_erfcx(a) * gauss(a);
}

FN double __nv_erfcx(double a)
{
	return a < 2.0 ? (a < -27.0 ? INF : __nv_erfc(a) / gauss(a)) : fraction_erfcx(a);
}

FN double __nv_normcdf(double a) { return 0.5 * __nv_erfc(a * -0.70710678118654752); }

/* erfc falls from 2 to 0, so halving intervals comes near enough for steps of Newton's method. */
FN double __nv_erfcinv(double y)
{
	double low = -6.0, high = 27.5, x;

	if (!(y >= 0.0 && y <= 2.0))
		return NOT_A;
	if (y == 0.0 || y == 2.0)
		return y == 0.0 ? INF : -INF;
	for (int i = 0; i < 12; i++) {
		x = 0.5 * (low + high);
		if (__nv_erfc(x) > y)
			low = x;
		else
			high = x;
	}
	x = 0.5 * (low + high);
	for (int i = 0; i < 5; i++) {		/* also uses the second derivative */
		double step = (__nv_erfc(x) - y) / (TWO_OVER_SQRT_PI * gauss(x));

		x += step / (1.0 + x * step);
	}
	return x;
}

FN double __nv_erfinv(double y)
{
	double x = __nv_erfcinv(1.0 - y);

	if (abs_(y) < 0.5) {			/* 1 - y has lost bits, so the steps use erf itself */
		x = y;
		for (int i = 0; i < 8; i++)
			x -= (__nv_erf(x) - y) / (TWO_OVER_SQRT_PI * gauss(x));
	}
	return x;
}

FN double __nv_normcdfinv(double y) { return -1.4142135623730951 * __nv_erfcinv(2.0 * y); }

/* log(gamma(x)) for x >= 12: Stirling's series, with the Bernoulli numbers */
IN double stirling(double x)
{
	double z = 1.0 / (x * x), p = -3617.0 / 122400.0;

	p = fma_(p, z, 1.0 / 156.0);
	p = fma_(p, z, -691.0 / 360360.0);
	p = fma_(p, z, 1.0 / 1188.0);
	p = fma_(p, z, -1.0 / 1680.0);
	p = fma_(p, z, 1.0 / 1260.0);
	p = fma_(p, z, -1.0 / 360.0);
	p = fma_(p, z, 1.0 / 12.0);
	return fma_(x - 0.5, __nv_log(x), -x) + (0x1.d67f1c864beb5p-1 + p / x);
}

FN double __nv_tgamma(double a)
{
	double f = 1.0;

	if (is_nan(a) || a == -INF || (a < 0.0 && __nv_floor(a) == a))
		return NOT_A;
	if (a == 0.0)
		return __nv_copysign(INF, a);
	if (a < 0.5)
		return a < -185.0 ? 0.0 : PI_1 / (__nv_sinpi(a) * __nv_tgamma(1.0 - a));
	if (a > 172.0)
		return INF;
	if (__nv_floor(a) == a && a < 24.0) {		/* factorials are exact */
		for (double n = 2.0; n < a; n += 1.0)
			f *= n;
		return f;
	}
	for (; a < 12.0; a += 1.0)
		f *= a;
	return __nv_exp(stirling(a)) / f;
}

FN double __nv_lgamma(double a)
{
	double f = 1.0;

	if (is_nan(a) || a == INF)
		return a;
	if (a <= 0.0 && __nv_floor(a) == a)
		return INF;
	if (a == -INF)
		return INF;
	if (abs_(a) < 0x1p-60)
		return -__nv_log(abs_(a));
	if (a < 0.5)
		return __nv_log(PI_1 / abs_(__nv_sinpi(a))) - __nv_lgamma(1.0 - a);
	if (a == 1.0 || a == 2.0)
		return 0.0;
	for (; a < 12.0; a += 1.0)
		f *= a;
	return stirling(a) - __nv_log(f);
}

/* ---- what the compiler declares and nobody defines ------------------------------------------- */

/* nan() and nanf(), which clang's headers declare as static functions. */
FN double _ZL3nanPKc(const char *text) { return NOT_A; }
FN float _ZL4nanfPKc(const char *text) { return __builtin_nanf(""); }

/* Where a table of virtual functions has none. */
FN void __cxa_pure_virtual() { asm volatile("trap;"); }
FN void __cxa_deleted_virtual() { asm volatile("trap;"); }
