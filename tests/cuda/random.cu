/* SPDX-License-Identifier: MIT */
/* curand_kernel.h: published numbers, skipping against drawing, the device against the host, moments. */
#include <curand_kernel.h>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include "test.h"

enum { THREADS = 64, DRAWS = 8 };

struct seen {
	unsigned int xorwow[DRAWS], philox[DRAWS], poisson;
	uint4 four;
	float uniform, normal[3], log_normal;
	double wide, wide_normal[3];
};

static __host__ __device__ void draw(seen *r, unsigned int sequence)
{
	curandState_t x;
	curandStatePhilox4_32_10_t p;

	curand_init(1234, sequence, 5, &x);
	curand_init(0x123456789abcdefull, sequence, 3, &p);
	for (int i = 0; i < DRAWS; i++) {
		r->xorwow[i] = curand(&x);
		r->philox[i] = curand(&p);
	}
	r->four = curand4(&p);
	r->uniform = curand_uniform(&x);
	r->wide = curand_uniform_double(&p);
	for (int i = 0; i < 3; i++) {
		r->normal[i] = curand_normal(&x);
		r->wide_normal[i] = curand_normal_double(&p);
	}
	r->log_normal = curand_log_normal(&p, 0.5f, 0.25f);
	r->poisson = curand_poisson(&x, sequence);
}

__global__ void draw_all(seen *r)
{
	draw(&r[threadIdx.x], threadIdx.x);
}

static bool near(double a, double b, double relative)
{
	return fabs(a - b) <= relative * (fabs(b) + 1);
}

static void device_like_host()
{
	seen *d, r[THREADS], want;

	OK(cudaMalloc(&d, sizeof(r)));
	draw_all<<<1, THREADS>>>(d);
	OK(cudaMemcpy(r, d, sizeof(r), cudaMemcpyDeviceToHost));
	for (unsigned int t = 0; t < THREADS; t++) {
		draw(&want, t);
		CHECK(!memcmp(r[t].xorwow, want.xorwow, sizeof(want.xorwow)));
		CHECK(!memcmp(r[t].philox, want.philox, sizeof(want.philox)));
		CHECK(!memcmp(&r[t].four, &want.four, sizeof(want.four)));
		CHECK(r[t].uniform == want.uniform && r[t].wide == want.wide && r[t].poisson == want.poisson);
		for (int i = 0; i < 3; i++) {
			CHECK(near(r[t].normal[i], want.normal[i], 1e-5));
			CHECK(near(r[t].wide_normal[i], want.wide_normal[i], 1e-13));
		}
		CHECK(near(r[t].log_normal, want.log_normal, 1e-5));
	}
	OK(cudaFree(d));
}

/* The three numbers that are published with Philox4x32-10 (known answers of Random123). */
static void philox_is_the_published_one()
{
	static const unsigned int known[3][10] = {
		{ 0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
		{ ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
		{ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb,
		  0x5001e420, 0x24126ea1 },
	};
	curandStatePhilox4_32_10_t p, q;

	for (auto &k : known) {
		uint4 r = curand_Philox4x32_10(make_uint4(k[0], k[1], k[2], k[3]), make_uint2(k[4], k[5]));

		CHECK(r.x == k[6] && r.y == k[7] && r.z == k[8] && r.w == k[9]);
		/* the same by seed, sequence and offset */
		curand_init(k[4] | (unsigned long long)k[5] << 32, k[2] | (unsigned long long)k[3] << 32, 0, &p);
		for (int i = 0; i < 4; i++)
			skipahead(k[0] | (unsigned long long)k[1] << 32, &p);
		CHECK(curand(&p) == k[6] && curand(&p) == k[7] && curand(&p) == k[8] && curand(&p) == k[9]);
	}
	for (unsigned int n = 0; n < 20; n++) {		/* from each of the four places */
		curand_init(7, 1, 0, &p);
		q = p;
		curand(&p), curand(&q);
		skipahead(n, &p);
		for (unsigned int i = 0; i < n; i++)
			curand(&q);
		CHECK(curand(&p) == curand(&q));
	}
	curand_init(7, 0, ~0ull, &p);
	skipahead(~0ull, &p), skipahead(~0ull, &p), skipahead(~0ull, &p), skipahead(4, &p);	/* 2^66: the next sequence */
	curand_init(7, 1, 0, &q);
	CHECK(curand(&p) == curand(&q));
}

/* Marsaglia's first numbers, from his own state; computed with a program of the paper's seven lines. */
static void xorwow_is_the_published_one()
{
	curandState_t x = {}, y;
	unsigned int a = 123456789, b = 362436069, c = 521288629, d = 88675123, e = 5783321, w = 6615241;

	x.x[0] = a, x.x[1] = b, x.x[2] = c, x.x[3] = d, x.x[4] = e, x.d = w;
	for (int i = 0; i < 1000; i++) {
		unsigned int t = (a ^ (a >> 2));

		a = b, b = c, c = d, d = e;
		e = (e ^ (e << 4)) ^ (t ^ (t << 1));
		CHECK(curand(&x) == (w += 362437) + e);
	}
	for (unsigned long long n : { 1ull, 2ull, 3ull, 31ull, 1000ull, 4097ull }) {
		y = x;
		skipahead(n, &y);
		for (unsigned long long i = 0; i < n; i++)
			curand(&x);
		CHECK(curand(&x) == curand(&y));
	}
	/* each power of two is twice the one before, up to the last one that a sequence needs */
	for (int k = 0; k < 63; k++) {
		y = x;
		skipahead(1ull << k, &x), skipahead(1ull << k, &x);
		skipahead(2ull << k, &y);
		CHECK(!memcmp(x.x, y.x, sizeof(x.x)) && x.d == y.d);
		skipahead_sequence(1ull << k, &x), skipahead_sequence(1ull << k, &x);
		skipahead_sequence(2ull << k, &y);
		CHECK(!memcmp(x.x, y.x, sizeof(x.x)) && x.d == y.d);
	}
	y = x;
	for (int i = 0; i < 16; i++)			/* 16 * 2^63 = 2^67 */
		skipahead(1ull << 63, &x);
	skipahead_sequence(1, &y);
	CHECK(!memcmp(x.x, y.x, sizeof(x.x)) && x.d == y.d);
	curand_init(1, 0, 0, &x), curand_init(2, 0, 0, &y);
	CHECK(curand(&x) != curand(&y));
}

/* The mean and the variance of n numbers are what they should be, to some standard errors. */
template <class F> static void moments(F next, double mean, double variance, double kurtosis)
{
	const int n = 20000;
	double sum = 0, squares = 0;

	for (int i = 0; i < n; i++) {
		double v = next();

		sum += v;
		squares += (v - mean) * (v - mean);
	}
	CHECK(fabs(sum / n - mean) < 5 * sqrt(variance / n));
	CHECK(fabs(squares / n - variance) < 5 * variance * sqrt((kurtosis - 1) / n));
}

static void distributions()
{
	curandState_t x;
	curandStatePhilox4_32_10_t p;

	curand_init(99, 0, 0, &x);
	curand_init(99, 0, 0, &p);
	moments([&] { return (double)curand_uniform(&x); }, 0.5, 1 / 12.0, 1.8);
	moments([&] { return curand_uniform_double(&p); }, 0.5, 1 / 12.0, 1.8);
	moments([&] { return (double)curand_uniform4(&p).w; }, 0.5, 1 / 12.0, 1.8);
	moments([&] { return (double)curand_normal(&x); }, 0, 1, 3);
	moments([&] { return curand_normal_double(&p); }, 0, 1, 3);
	moments([&] { return (double)curand_normal4(&p).z; }, 0, 1, 3);
	moments([&] { return log(curand_log_normal_double(&x, 0.5, 2)); }, 0.5, 4, 3);
	for (double lambda : { 0.5, 3.0, 9.9, 10.0, 60.0, 1000.0 })
		moments([&] { return (double)curand_poisson(&x, lambda); }, lambda, lambda, 3 + 1 / lambda);
	CHECK(curand_poisson4(&p, 0).x == 0);
}

int main()
{
	philox_is_the_published_one();
	xorwow_is_the_published_one();
	distributions();
	device_like_host();
	return 0;
}
