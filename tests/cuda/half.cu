/* SPDX-License-Identifier: MIT */
/* cuda_fp16.h and cuda_bf16.h: conversions and arithmetic against exact numbers, the device against the host. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cmath>
#include <cstring>
#include "test.h"

static unsigned int seed = 1;
static unsigned int random32()
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	return seed ^= seed << 5;
}

/* What the bits of a format mean; all numbers of 16 bits, and the exact results below, fit a long double. */
struct format {
	int digits, bias;	/* of the fraction */
};
static const format f16 = { 10, 15 }, b16 = { 7, 127 };

static long double exact(format f, unsigned short h)
{
	int e = (h & 0x7fff) >> f.digits, m = h & ((1 << f.digits) - 1);
	long double v = e ? ldexpl(m + (1 << f.digits), e - f.bias - f.digits) : ldexpl(m, 1 - f.bias - f.digits);

	return h >> 15 ? -v : v;
}

/* Is h the number nearest to v, and the even one of two? */
static bool nearest(format f, unsigned short h, long double v)
{
	unsigned short inf = (unsigned short)((2 * f.bias + 1) << f.digits), a = h & 0x7fff;

	if (v != 0 && (h >> 15) != (v < 0))
		return false;
	v = fabsl(v);
	if (a > inf)
		return false;
	/* infinity is as far away as a number with the next exponent would be */
	long double own = fabsl(exact(f, a) - v), up = a == inf ? INFINITY : fabsl(exact(f, (unsigned short)(a + 1)) - v);
	long double down = a ? fabsl(exact(f, (unsigned short)(a - 1)) - v) : INFINITY;

	if (a == inf)
		return down > own || (down == own && !(a & 1)) || v > exact(f, a);
	return own < down ? own < up || (own == up && !(a & 1)) : own == down && !(a & 1);
}

template <class T> struct in {
	T a, b, c;
	float f;
};
enum { RESULTS = 24 };

template <class T> static __host__ __device__ void all(const T &a, const T &b, const T &c, float f, unsigned short *r)
{
	T one = T(1.0f), d;
	int n = 0;

	r[n++] = T(f).__x;
	r[n++] = __hadd(a, b).__x;
	r[n++] = (a - b).__x;
	r[n++] = (a * b).__x;
	r[n++] = (a / b).__x;
	r[n++] = __hfma(a, b, c).__x;
	r[n++] = hsqrt(__habs(a)).__x;
	r[n++] = __hmin(a, b).__x;
	r[n++] = __hmax(a, b).__x;
	r[n++] = __hmax_nan(a, b).__x;
	r[n++] = __hadd_sat(a, b).__x;
	r[n++] = __hfma_relu(a, b, c).__x;
	r[n++] = (unsigned short)(__heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hleu(a, b) << 3 | __hgtu(a, b) << 4 |
				  __hge(a, b) << 5 | (a == b) << 6 | (a != b) << 7 | (a < b) << 8 | __hisnan(a) << 9);
	r[n++] = (unsigned short)__hisinf(a);
	r[n++] = hfloor(a).__x;
	r[n++] = hrint(a).__x;
	r[n++] = htrunc(a).__x;
	r[n++] = (-a).__x;
	d = a;
	d += one;
	r[n++] = d.__x;
	r[n++] = (d++).__x;
	r[n++] = (--d).__x;
	d = 3;
	r[n++] = d.__x;
	r[n++] = T((double)f * 1.0000000001).__x;
	r[n++] = T((long long)(f * 1e3f)).__x;
}

template <class T> __global__ void kernel(const in<T> *p, unsigned short *r, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		all(p[i].a, p[i].b, p[i].c, p[i].f, r + i * RESULTS);
}

static bool is_nan(format f, unsigned short h) { return (h & 0x7fff) > (2 * f.bias + 1) << f.digits; }

template <class T> static void try_format(format f)
{
	const int n = 3000;
	const unsigned short inf = (unsigned short)((2 * f.bias + 1) << f.digits);
	const unsigned short special[] = { 0, 0x8000, 1, 0x8001, inf, (unsigned short)(inf | 0x8000), 0x7fff,
					   (unsigned short)(inf - 1), (unsigned short)(1 << f.digits) };
	in<T> *p;
	unsigned short *r, h[RESULTS];

	OK(cudaMallocManaged(&p, sizeof(*p) * n));
	OK(cudaMallocManaged(&r, sizeof(*r) * n * RESULTS));
	for (int i = 0; i < n; i++) {
		T *of[] = { &p[i].a, &p[i].b, &p[i].c };
		unsigned int near = random32() % (1u << f.digits);

		for (T *t : of) {
			t->__x = random32() % 8 ? (unsigned short)random32() : special[random32() % 9];
			if (i % 2)	/* of sizes that meet, so that digits are lost */
				t->__x = (unsigned short)((f.bias << f.digits) + near + (random32() & 0x83ff));
		}
		p[i].f = ldexpf((float)(int)random32(), -40 + (int)(random32() % 30));
		if (i % 4 == 0)		/* the middle of two */
			p[i].f = (float)(exact(f, (unsigned short)(p[i].a.__x & 0x3fff)) / 2 +
					 exact(f, (unsigned short)((p[i].a.__x & 0x3fff) + 1)) / 2);
	}
	kernel<T><<<(n + 127) / 128, 128>>>(p, r, n);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++) {
		unsigned short a = p[i].a.__x, b = p[i].b.__x, c = p[i].c.__x;
		long double x = exact(f, a), y = exact(f, b), z = exact(f, c), v;
		bool finite = (a & 0x7fff) < inf && (b & 0x7fff) < inf && (c & 0x7fff) < inf;

		all(p[i].a, p[i].b, p[i].c, p[i].f, h);
		for (int k = 0; k < RESULTS; k++)
			CHECK(h[k] == r[i * RESULTS + k] || (is_nan(f, h[k]) && is_nan(f, r[i * RESULTS + k])));
		CHECK(nearest(f, h[0], p[i].f));
		if (!finite)
			continue;
		CHECK(nearest(f, h[1], x + y) && nearest(f, h[2], x - y) && nearest(f, h[3], x * y));
		v = x * y + z;
		/* is the sum exact in 64 bits? a distant addend is looked at by the device and the host alone */
		if (v - z == x * y && v - x * y == z)
			CHECK(nearest(f, h[5], v));
		CHECK(nearest(f, h[6], sqrtl(fabsl(x))));
		CHECK(x == y || (exact(f, h[7]) == fminl(x, y) && exact(f, h[8]) == fmaxl(x, y)));
		CHECK(((h[12] & 1) != 0) == (x == y) && ((h[12] & 4) != 0) == (x < y) && ((h[12] & 32) != 0) == (x >= y));
		CHECK(exact(f, h[14]) == floorl(x) || f.digits < 10);
		CHECK(h[17] == (a ^ 0x8000));
	}
	for (unsigned int i = 0; i < 0x10000; i++) {
		T t;

		t.__x = (unsigned short)i;
		CHECK(is_nan(f, t.__x) ? (float)t != (float)t : (t.__x & 0x7fff) == inf ? std::isinf((float)t) :
		      (float)t == (float)exact(f, t.__x));
		CHECK(T((float)t).__x == t.__x || is_nan(f, t.__x));
	}
	OK(cudaFree(p));
	OK(cudaFree(r));
}

__global__ void sums(half *h, half2 *h2, __nv_bfloat16 *b, float *shuffled)
{
	half v = __float2half((float)threadIdx.x);

	atomicAdd(h + 1, __float2half(1.0f));
	atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
	atomicAdd(b, __float2bfloat16(1.0f));
	shuffled[threadIdx.x] = __half2float(__shfl_xor_sync(0xffffffff, v, 1)) +
				__high2float(__shfl_down_sync(0xffffffff, __half2(v, v), 1));
}

static void try_sums()
{
	half *h;
	half2 *h2;
	__nv_bfloat16 *b;
	float *s;

	OK(cudaMallocManaged(&h, 8));
	OK(cudaMallocManaged(&h2, 8));
	OK(cudaMallocManaged(&b, 8));
	OK(cudaMallocManaged(&s, 128));
	h[0] = h[1] = h[2] = h2->x = h2->y = 0.5f;
	b[0] = b[1] = 0.5f;
	sums<<<1, 32>>>(h, h2, b, s);
	OK(cudaDeviceSynchronize());
	CHECK((float)h[0] == 0.5f && (float)h[1] == 32.5f && (float)h[2] == 0.5f);
	CHECK(__low2float(*h2) == 32.5f && __high2float(*h2) == 64.5f && (float)b[0] == 32.5f && (float)b[1] == 0.5f);
	for (int i = 0; i < 32; i++)
		CHECK(s[i] == (float)(i ^ 1) + (float)(i < 31 ? i + 1 : i));
}

/* 7 * 37 is the middle of 258 and 260, and what is added is too small for a double to see. */
__global__ void middle(float *r)
{
	__nv_bfloat16 a(7.0f), b(37.0f), tiny(8.673617e-19f);

	r[0] = __hfma(a, b, tiny);
	r[1] = __hfma(a, b, -tiny);
	r[2] = __hfma(-a, b, tiny);
	r[3] = __hfma(a, b, __nv_bfloat16(0.0f));
}

static void try_middle()
{
	float *r;

	OK(cudaMallocManaged(&r, 16));
	middle<<<1, 1>>>(r);
	OK(cudaDeviceSynchronize());
	CHECK(r[0] == 260 && r[1] == 258 && r[2] == -258 && r[3] == 260);
}

static void try_integers()
{
	CHECK(__half2int_rn(__float2half(2.5f)) == 2 && __half2int_ru(__float2half(2.25f)) == 3);
	CHECK(__half2int_rd(__float2half(-2.25f)) == -3 && __half2int_rz(__float2half(-2.75f)) == -2);
	CHECK(__half2uint_rn(__float2half(-5.0f)) == 0 && __half2short_rn(__float2half(INFINITY)) == 32767);
	CHECK(__half2int_rn(__ushort_as_half(0x7e00)) == 0 && __half2ll_rn(__float2half(-65504.0f)) == -65504);
	CHECK(__half_as_ushort(__int2half_rn(2049)) == 0x6800 && __half_as_ushort(__int2half_ru(2049)) == 0x6801);
	CHECK(__half_as_ushort(__int2half_rz(-2051)) == 0xe801 && __half_as_ushort(__int2half_rd(-2051)) == 0xe802);
	CHECK(__half_as_ushort(__ull2half_rn(~0ull)) == 0x7c00 && __half_as_ushort(__ull2half_rz(~0ull)) == 0x7bff);
	CHECK(__half_as_ushort(__float2half_ru(1e-9f)) == 1 && __half_as_ushort(__float2half_rd(-1e-9f)) == 0x8001);
	CHECK(__half_as_ushort(__float2half_rz(1.0009f)) == 0x3c00 && __half_as_ushort(__float2half_rd(65519.0f)) == 0x7bff);

	CHECK(__bfloat162int_rn(__float2bfloat16(2.5f)) == 2 && __bfloat162int_ru(__float2bfloat16(2.25f)) == 3);
	CHECK(__bfloat162int_rd(__float2bfloat16(-2.25f)) == -3 && __bfloat162int_rz(__float2bfloat16(-2.75f)) == -2);
	CHECK(__bfloat162short_rn(__float2bfloat16(1e9f)) == 32767 && __bfloat162uint_rz(__float2bfloat16(-3.0f)) == 0);
	CHECK(__bfloat16_as_ushort(__int2bfloat16_rn(257)) == 0x4380);
	CHECK(__bfloat16_as_ushort(__int2bfloat16_ru(257)) == 0x4381);
	CHECK(__bfloat16_as_ushort(__float2bfloat16_rz(3.4e38f)) == 0x7f7f);
	CHECK(__bfloat16_as_ushort(__float2bfloat16_ru(3.4e38f)) == 0x7f80);
	CHECK(__bfloat16_as_ushort(__lows2bfloat162(__float2bfloat162_rn(1.0f), __float2bfloat162_rn(2.0f)).y) == 0x4000);
}

int main()
{
	try_format<__half>(f16);
	try_format<__nv_bfloat16>(b16);
	try_sums();
	try_middle();
	try_integers();
	return 0;
}
