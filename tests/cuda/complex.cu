// SPDX-License-Identifier: MIT
// cuComplex.h: each function on the device and on the host, against std::complex.
#include <complex>
#include <cmath>
#include <cuda_runtime.h>
#include <cuComplex.h>
#include "test.h"

struct results {
	cuDoubleComplex d[7];
	cuFloatComplex f[7];
	double dabs;
	float fabs;
};

static __host__ __device__ void all(results *r, cuDoubleComplex a, cuDoubleComplex b)
{
	cuFloatComplex x = cuComplexDoubleToFloat(a), y = make_cuComplex((float)cuCreal(b), (float)cuCimag(b));

	r->d[0] = cuCadd(a, b), r->d[1] = cuCsub(a, b), r->d[2] = cuCmul(a, b), r->d[3] = cuCdiv(a, b);
	r->d[4] = cuConj(a), r->d[5] = cuCfma(a, b, a), r->d[6] = cuComplexFloatToDouble(x);
	r->f[0] = cuCaddf(x, y), r->f[1] = cuCsubf(x, y), r->f[2] = cuCmulf(x, y), r->f[3] = cuCdivf(x, y);
	r->f[4] = cuConjf(x), r->f[5] = cuCfmaf(x, y, x), r->f[6] = make_cuFloatComplex(cuCrealf(x), cuCimagf(x));
	r->dabs = cuCabs(a);
	r->fabs = cuCabsf(x);
}

__global__ void kernel(results *r, cuDoubleComplex a, cuDoubleComplex b) { all(r, a, b); }

template <class Pair, class T> static bool near(Pair z, std::complex<T> want, T part)
{
	return std::abs(std::complex<T>(z.x, z.y) - want) <= part * std::abs(want);
}

static bool right(const results *r, std::complex<double> a, std::complex<double> b)
{
	const std::complex<float> x(a), y(b);
	const std::complex<double> d[] = { a + b, a - b, a * b, a / b, std::conj(a), a * b + a, std::complex<double>(x) };
	const std::complex<float> f[] = { x + y, x - y, x * y, x / y, std::conj(x), x * y + x, x };

	for (int i = 0; i < 7; i++)
		if (!near(r->d[i], d[i], 1e-14) || !near(r->f[i], f[i], 1e-6f))
			return false;
	return fabs(r->dabs - std::abs(a)) <= 1e-14 * r->dabs && fabsf(r->fabs - std::abs(x)) <= 1e-6f * r->fabs;
}

int main()
{
	const double numbers[][4] = { { 3, -4, 1.5, 2 }, { -0.75, 1e-3, -2, 0 }, { 1, 1, 0, 1e-10 }, { 5, 0, 7, -7 } };
	results *r, here;

	OK(cudaMallocManaged(&r, sizeof(*r)));
	for (const double *n : numbers) {
		cuDoubleComplex a = make_cuDoubleComplex(n[0], n[1]), b = make_cuDoubleComplex(n[2], n[3]);

		kernel<<<1, 1>>>(r, a, b);
		OK(cudaDeviceSynchronize());
		all(&here, a, b);
		CHECK(right(r, { n[0], n[1] }, { n[2], n[3] }));
		CHECK(right(&here, { n[0], n[1] }, { n[2], n[3] }));
	}
	/* squares of these do not fit */
	all(&here, make_cuDoubleComplex(3e200, 4e200), make_cuDoubleComplex(0, 1e200));
	CHECK(fabs(here.dabs / 5e200 - 1) < 1e-14 && fabs(here.d[3].x / 4 - 1) < 1e-14 && fabs(here.d[3].y / -3 - 1) < 1e-14);
	OK(cudaFree(r));
	return 0;
}
