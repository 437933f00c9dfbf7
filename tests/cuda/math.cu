// SPDX-License-Identifier: MIT
// The device's mathematics against the host's, in units of the last place.
#include <cmath>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>
#include <math_constants.h>
#include "test.h"

/* name, units allowed for doubles, range. Floats: two units, because the host's functions have errors of their own. */
#define FUNCTIONS(F) \
F(sin, 1, -100, 100) F(cos, 1, -100, 100) F(tan, 3, -100, 100) F(asin, 3, -1, 1) F(acos, 3, -1, 1) \
F(atan, 2, -50, 50) F(sinh, 4, -20, 20) F(cosh, 4, -20, 20) F(tanh, 4, -5, 5) F(asinh, 4, -100, 100) \
F(acosh, 4, 1, 100) F(atanh, 4, -0.999, 0.999) F(exp, 1, -700, 700) F(exp2, 2, -1000, 1000) F(expm1, 4, -30, 30) \
F(log, 1, 1e-300, 50) F(log2, 1, 1e-5, 1e5) F(log10, 1, 1e-5, 1e5) F(log1p, 3, -0.99, 50) F(cbrt, 2, -1000, 1000) \
F(sqrt, 0, 0, 1e10) F(erf, 8, -4, 4) F(erfc, 64, -4, 20) F(tgamma, 700, 0.1, 100) F(lgamma, 256, 3, 200) \
F(floor, 0, -9, 9) F(ceil, 0, -9, 9) F(trunc, 0, -9, 9) F(rint, 0, -9, 9) F(round, 0, -9, 9) F(fabs, 0, -9, 9) \
F(logb, 0, 1e-200, 1e200)
#define FUNCTIONS2(F) \
F(pow, 1, 0.01, 30, -50, 50) F(atan2, 2, -9, 9, -9, 9) F(hypot, 2, -1e200, 1e200, -1e200, 1e200) \
F(fmod, 0, -1e5, 1e5, 0.01, 5) F(remainder, 0, -1e5, 1e5, 0.01, 5) F(fmax, 0, -1, 1, -1, 1) F(fmin, 0, -1, 1, -1, 1) \
F(fdim, 0, -1, 1, -1, 1) F(copysign, 0, -1, 1, -1, 1) F(nextafter, 0, -1, 1, -1, 1)

#define K1(name, u, a, b) \
__global__ void k_##name(const double *x, double *y, float *z, int n) \
{ \
	for (int i = threadIdx.x; i < n; i += blockDim.x) { y[i] = name(x[i]); z[i] = name##f((float)x[i]); } \
}
FUNCTIONS(K1)
#define K2(name, u, a, b, c, d) \
__global__ void k_##name(const double *x, double *y, float *z, int n) \
{ \
	for (int i = threadIdx.x; i < n; i += blockDim.x) { \
		y[i] = name(x[i], x[n + i]); z[i] = name##f((float)x[i], (float)x[n + i]); \
	} \
}
FUNCTIONS2(K2)

static double units(double got, double want)
{
	int e;

	if (got == want || (std::isnan(got) && std::isnan(want)))
		return 0;
	frexp(want, &e);
	return fabs(got - want) / ldexp(1.0, (e < -1021 ? -1021 : e) - 53);
}

static double units_f(float got, float want)
{
	int e;

	if (got == want || (std::isnan(got) && std::isnan(want)))
		return 0;
	frexpf(want, &e);
	return fabs((double)got - want) / ldexp(1.0, (e < -125 ? -125 : e) - 24);
}

/* For zeros with two signs the function may return either. */
static bool any_zero(const char *name) { return !strcmp(name, "fmax") || !strcmp(name, "fmin"); }

static const int n = 96;
static unsigned long long seed = 1;
static double uniform(double a, double b)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return a + (b - a) * (double)(seed >> 11) * 0x1p-53;
}

static double *dx, *dy;
static float *dz;
static std::vector<double> x(2 * n), y(n);
static std::vector<float> z(n);
static bool good = true;

static void compare(const char *name, int i, double want, float want_f, double limit)
{
	if (units(y[i], want) > limit + 0.5) {		// the host's own result may be half a unit off
		printf("%s(%a, %a) = %a instead of %a, %g units\n", name, x[i], x[n + i], y[i], want, units(y[i], want));
		good = false;
	}
	if (units_f(z[i], want_f) > 2 && fabsf(want_f) > 1e-37f) {
		printf("%sf(%a, %a) = %a instead of %a\n", name, x[i], x[n + i], z[i], want_f);
		good = false;
	}
}

/* math_constants.h: bits on the device; numbers against what they are, _HI and _LO with a long double's digits. */
__global__ void special(bool *right)
{
	*right = isinf(CUDART_INF_F) && isinf(CUDART_INF) && isnan(CUDART_NAN_F) && isnan(CUDART_NAN) &&
		 CUDART_MIN_DENORM_F > 0 && CUDART_MIN_DENORM_F / 2 == 0 && CUDART_MIN_DENORM > 0 &&
		 CUDART_MIN_DENORM / 2 == 0 && isinf(CUDART_MAX_NORMAL_F * 1.0000001f) && !isinf(CUDART_MAX_NORMAL) &&
		 isinf(CUDART_MAX_NORMAL * 1.0000000000000003) && 1 / CUDART_NEG_ZERO_F < 0 && 1 / CUDART_NEG_ZERO < 0;
}

static void constants()
{
	const long double pi = acosl(-1), ln2 = logl(2), ln10 = logl(10);
	bool *right;

	OK(cudaMallocManaged(&right, sizeof(*right)));
	special<<<1, 1>>>(right);
	OK(cudaDeviceSynchronize());
	CHECK(*right);
	OK(cudaFree(right));
#define SAME(name, v) CHECK(CUDART_##name == (double)(v) && CUDART_##name##_F == (float)(v))
	SAME(ZERO, 0); SAME(ONE, 1); SAME(SQRT_HALF, sqrtl(0.5L)); SAME(SQRT_TWO, sqrtl(2)); SAME(THIRD, 1 / 3.0L);
	SAME(PIO4, pi / 4); SAME(PIO2, pi / 2); SAME(3PIO4, 3 * pi / 4); SAME(2_OVER_PI, 2 / pi);
	SAME(SQRT_2_OVER_PI, sqrtl(2 / pi)); SAME(PI, pi); SAME(L2E, 1 / ln2); SAME(L2T, ln10 / ln2);
	SAME(LG2, ln2 / ln10); SAME(LGE, 1 / ln10); SAME(LN2, ln2); SAME(LNT, ln10); SAME(LNPI, logl(pi));
	CHECK(CUDART_TWO_TO_M126_F == ldexpf(1, -126) && CUDART_TWO_TO_126_F == ldexpf(1, 126));
	CHECK(CUDART_TWO_TO_23_F == ldexpf(1, 23) && CUDART_TWO_TO_24_F == ldexpf(1, 24));
	CHECK(CUDART_TWO_TO_31_F == ldexpf(1, 31) && CUDART_TWO_TO_32_F == ldexpf(1, 32));
	CHECK(CUDART_TWO_TO_23 == ldexp(1, 23) && CUDART_TWO_TO_52 == ldexp(1, 52) && CUDART_TWO_TO_53 == ldexp(1, 53));
	CHECK(CUDART_TWO_TO_54 == ldexp(1, 54) && CUDART_TWO_TO_M54 == ldexp(1, -54));
	CHECK(CUDART_TWO_TO_M1022 == ldexp(1, -1022) && CUDART_TWOTHIRD == 2 / 3.0);
#define PARTS(name, v) CHECK(CUDART_##name##_HI == (double)(v) && \
			     fabsl((long double)CUDART_##name##_HI + CUDART_##name##_LO - (v)) <= (v) * 0x1p-62L)
	PARTS(L2E, 1 / ln2); PARTS(LG2, ln2 / ln10); PARTS(LGE, 1 / ln10); PARTS(LN2, ln2); PARTS(LNT, ln10);
	PARTS(PIO4, pi / 4); PARTS(PIO2, pi / 2); PARTS(PI, pi); PARTS(SQRT_HALF, sqrtl(0.5L));
	PARTS(SQRT_2PI, sqrtl(2 * pi)); PARTS(SQRT_PIO2, sqrtl(pi / 2));
	CHECK(CUDART_SQRT_2OPI == CUDART_SQRT_2_OVER_PI && CUDART_SQRT_2PI == CUDART_SQRT_2PI_HI);
	CHECK(CUDART_SQRT_PIO2 == CUDART_SQRT_PIO2_HI && CUDART_LN2_X_1024 == CUDART_LN2 * 1024);
	CHECK(CUDART_LN2_X_1025 == (double)(ln2 * 1025) && CUDART_LN2_X_1075 == (double)(ln2 * 1075));
	CHECK(CUDART_LG2_X_1024 == CUDART_LG2 * 1024 && CUDART_LG2_X_1075 == (double)(ln2 / ln10 * 1075));
}

int main()
{
	constants();
	OK(cudaMalloc(&dx, 2 * n * sizeof(double)));
	OK(cudaMalloc(&dy, n * sizeof(double)));
	OK(cudaMalloc(&dz, n * sizeof(float)));
#define RUN(name) \
	OK(cudaMemcpy(dx, x.data(), 2 * n * sizeof(double), cudaMemcpyHostToDevice)); \
	k_##name<<<1, 32>>>(dx, dy, dz, n); \
	OK(cudaMemcpy(y.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost)); \
	OK(cudaMemcpy(z.data(), dz, n * sizeof(float), cudaMemcpyDeviceToHost));
#define T1(name, u, a, b) \
	for (int i = 0; i < n; i++) \
		x[i] = uniform(a, b); \
	RUN(name) \
	for (int i = 0; i < n; i++) \
		compare(#name, i, name(x[i]), name##f((float)x[i]), u);
	FUNCTIONS(T1)
#define T2(name, u, a, b, c, d) \
	for (int i = 0; i < n; i++) { \
		x[i] = uniform(a, b); \
		x[n + i] = uniform(c, d); \
	} \
	RUN(name) \
	for (int i = 0; i < n; i++) \
		compare(#name, i, name(x[i], x[n + i]), name##f((float)x[i], (float)x[n + i]), u);
	FUNCTIONS2(T2)
	/* values where no approximation is allowed: special values, large angles, powers of whole numbers */
	const double special[] = { 0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e22, 3e15, 1e300, 0x1p-1060, 2.0,
				   1000.0, 1e-20, 1e6, 1048577.0 };
#define S1(name, u, a, b) \
	for (int i = 0; i < n; i++) \
		x[i] = special[i % 16]; \
	RUN(name) \
	for (int i = 0; i < 16; i++) { \
		double w = name(x[i]); \
		if (std::isnan(w) != std::isnan(y[i]) || std::isinf(w) != std::isinf(y[i]) || units(y[i], w) > u + 200) { \
			printf("%s(%g) = %g instead of %g\n", #name, x[i], y[i], w); \
			good = false; \
		} \
	}
	FUNCTIONS(S1)
#define S2(name, u, a, b, c, d) \
	for (int i = 0; i < n; i++) { \
		x[i] = special[i % 8]; \
		x[n + i] = special[i / 8 % 8]; \
	} \
	RUN(name) \
	for (int i = 0; i < 64; i++) { \
		double w = name(x[i], x[n + i]); \
		if (std::isnan(w) != std::isnan(y[i]) || std::isinf(w) != std::isinf(y[i]) || units(y[i], w) > u + 1 || \
		    (!std::isnan(w) && !any_zero(#name) && std::signbit(w) != std::signbit(y[i]))) { \
			printf("%s(%g, %g) = %g instead of %g\n", #name, x[i], x[n + i], y[i], w); \
			good = false; \
		} \
	}
	FUNCTIONS2(S2)
	return !good;
}
