// SPDX-License-Identifier: MIT
// The functions of C++ for float on the device, also those of std: they are the ones with an f.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include "test.h"

#define FLOATS(F) \
F(acosh) F(asinh) F(atanh) F(cbrt) F(erf) F(erfc) F(exp2) F(expm1) F(lgamma) F(log1p) F(log2) F(logb) F(nearbyint) F(rint) \
F(round) F(tgamma) F(trunc) F(ilogb) F(lrint) F(lround) F(llrint) F(llround) \
F(acos) F(asin) F(atan) F(ceil) F(cos) F(cosh) F(exp) F(fabs) F(floor) F(log) F(log10) F(sin) F(sinh) F(sqrt) F(tan) F(tanh)
#define FLOATS2(F) \
F(copysign) F(fdim) F(fmax) F(fmin) F(hypot) F(nextafter) F(remainder) F(atan2) F(fmod) F(pow)

static __device__ bool same(float a, float b) { return a == b || (a != a && b != b); }
static __device__ bool same(long long a, long long b) { return a == b; }
static __device__ bool same(int a, int b) { return a == b; }
static __device__ bool same(long a, long b) { return a == b; }

/* Each function has a bit; of a double there is no same(). */
__global__ void overloads(const float *v, unsigned long long *wrong)
{
	float x = v[threadIdx.x], y = v[(threadIdx.x + 1) % 8];
	unsigned long long bit = 1, bad = 0;
	int n, m;

#define ONE(name) bad |= same(name(x), name##f(x)) && same(std::name(x), name##f(x)) ? 0 : bit; bit <<= 1;
	FLOATS(ONE)
#define TWO(name) bad |= same(name(x, y), name##f(x, y)) && same(std::name(x, y), name##f(x, y)) ? 0 : bit; bit <<= 1;
	FLOATS2(TWO)
	bad |= same(fma(x, y, x), fmaf(x, y, x)) && same(std::fma(x, y, x), fmaf(x, y, x)) ? 0 : bit;
	bit <<= 1;
	bad |= same(remquo(x, y, &n), remquof(x, y, &m)) && n == m ? 0 : bit;
	bit <<= 1;
	bad |= same(scalbn(x, 3), 8 * x) && same(std::scalbn(x, 3), 8 * x) ? 0 : bit;
	bit <<= 1;
	bad |= same(scalbln(x, 3l), 8 * x) && same(std::scalbln(x, 3l), 8 * x) ? 0 : bit;
	atomicOr(wrong, bad);
}

int main()
{
	const float numbers[8] = { 0.75f, -2.5f, 1.0f, 0.0f, 3.5f, -0.25f, 17.0f, 1e-3f };
	unsigned long long *wrong;
	float *v;

	OK(cudaMallocManaged(&v, sizeof(numbers)));
	OK(cudaMallocManaged(&wrong, sizeof(*wrong)));
	for (int i = 0; i < 8; i++)
		v[i] = numbers[i];
	*wrong = 0;
	overloads<<<1, 8>>>(v, wrong);
	OK(cudaDeviceSynchronize());
	if (*wrong)
		printf("wrong: %#llx\n", *wrong);
	CHECK(!*wrong);
	OK(cudaFree(v));
	OK(cudaFree(wrong));
	return 0;
}
