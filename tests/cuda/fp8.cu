/* SPDX-License-Identifier: MIT */
/* cuda_fp8.h: all numbers, and all halves and bfloat16 that become ones, against a search for the nearest; the device too. */
#include <cuda_fp8.h>
#include <cmath>
#include <cstring>
#include "test.h"

struct format {
	__nv_fp8_interpretation_t kind;
	int digits, bias, largest;
};
static const format formats[] = { { __NV_E4M3, 3, 7, 0x7e }, { __NV_E5M2, 2, 15, 0x7b } };

static double exact(const format &f, int code)
{
	int e = (code & 0x7f) >> f.digits, m = code & ((1 << f.digits) - 1);
	double v = e ? ldexp(m + (1 << f.digits), e - f.bias - f.digits) : ldexp(m, 1 - f.bias - f.digits);

	return code & 0x80 ? -v : v;
}

/* The nearest code, the even one of two; too large is what would be rounded to the code behind the largest. */
static int search(const format &f, double v, __nv_saturation_t saturate)
{
	double a = fabs(v), beyond = 2 * exact(f, f.largest) - exact(f, f.largest - 1);
	int sign = std::signbit(v) ? 0x80 : 0, best = 0;

	if (v != v)
		return 0x7f;
	if (f.kind == __NV_E5M2)
		beyond = 65536;
	for (int c = 1; c <= f.largest; c++) {
		double d = fabs(exact(f, c) - a), b = fabs(exact(f, best) - a);

		if (d < b || (d == b && c % 2 == 0))
			best = c;
	}
	double middle = (exact(f, f.largest) + beyond) / 2;
	if (a > middle || (a == middle && f.largest % 2))
		best = saturate == __NV_SATFINITE ? f.largest : f.kind == __NV_E4M3 ? 0x7f : 0x7c;
	return sign | best;
}

static __half half_bits(unsigned short b)
{
	__half_raw r;

	r.x = b;
	return __half(r);
}

__global__ void convert(unsigned char *to, const double *from, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	to[4 * i] = __nv_cvt_double_to_fp8(from[i], __NV_NOSAT, __NV_E4M3);
	to[4 * i + 1] = __nv_cvt_double_to_fp8(from[i], __NV_SATFINITE, __NV_E5M2);
	to[4 * i + 2] = __nv_fp8_e4m3((float)from[i]).__x;
	to[4 * i + 3] = __nv_fp8_e5m2((float)__nv_fp8_e5m2(from[i])).__x;
}

int main()
{
	const int n = 65536 + 4 * 256 * 3;
	static double v[n];
	static unsigned char got[4 * n];
	unsigned char *to;
	double *from;
	int k = 0;

	for (int i = 0; i < 65536; i++)
		v[k++] = (float)half_bits((unsigned short)i);
	for (int i = 0; i < 256; i++) {		/* the middles between neighbours, and what is beside them */
		for (const format &f : formats) {
			double a = exact(f, i), b = exact(f, i ^ 1), m = (a + b) / 2;

			v[k++] = m;
			v[k++] = nextafter(m, 1e9);
			v[k++] = nextafter(m, -1e9);
			v[k++] = a * 1e30;
			v[k++] = a * 1e-30;
			v[k++] = (double)nextafterf((float)m, 0);
		}
	}
	CHECK(k <= n);
	for (const format &f : formats) {
		for (int c = 0; c < 256; c++) {
			__half h = half_bits(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)c, f.kind).x);
			bool nan = f.kind == __NV_E4M3 ? (c & 0x7f) == 0x7f : (c & 0x7f) > 0x7c;

			if (nan)
				CHECK(__half2float(h) != __half2float(h));
			else if (f.kind == __NV_E5M2 && (c & 0x7f) == 0x7c)
				CHECK(std::isinf(__half2float(h)) && std::signbit(__half2float(h)) == (c > 0x7f));
			else
				CHECK((double)__half2float(h) == exact(f, c) && std::signbit(__half2float(h)) == (c > 0x7f));
		}
		for (int i = 0; i < k; i++) {
			for (__nv_saturation_t s : { __NV_NOSAT, __NV_SATFINITE }) {
				int want = search(f, v[i], s), is = __nv_cvt_double_to_fp8(v[i], s, f.kind);

				if (want != is) {
					printf("%.17g: %x instead of %x\n", v[i], is, want);
					return 1;
				}
			}
		}
		for (int i = 0; i < 65536; i++) {
			__half_raw h;
			__nv_bfloat16_raw b;

			h.x = b.x = (unsigned short)i;
			CHECK(__nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, f.kind) == search(f, __half2float(__half(h)), __NV_NOSAT));
			CHECK(__nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, f.kind) ==
			      search(f, __bfloat162float(__nv_bfloat16(b)), __NV_SATFINITE));
		}
	}
	/* types */
	__nv_fp8x2_e4m3 two(float2{ 1.5f, -448.0f });
	__nv_fp8x4_e5m2 four(float4{ 1, -2, 1e9f, 0.25f });
	float4 back = (float4)four;
	CHECK(two.__x == (0xfe << 8 | 0x3c) && (float)__half2(two).y == -448 && float2(two).x == 1.5f);
	CHECK(back.x == 1 && back.y == -2 && back.z == 57344 && back.w == 0.25f);
	CHECK(sizeof(__nv_fp8_e4m3) == 1 && sizeof(two) == 2 && sizeof(four) == 4 && alignof(__nv_fp8x4_e4m3) == 4);
	CHECK((int)__nv_fp8_e4m3(-20) == -20 && (bool)__nv_fp8_e5m2(0.0f) == false && (float)__nv_fp8_e4m3(__half(3)) == 3);
	/* the device */
	OK(cudaMalloc(&from, sizeof(v)));
	OK(cudaMalloc(&to, sizeof(got)));
	OK(cudaMemcpy(from, v, sizeof(v), cudaMemcpyHostToDevice));
	convert<<<(k + 127) / 128, 128>>>(to, from, k);
	OK(cudaMemcpy(got, to, 4 * k, cudaMemcpyDeviceToHost));
	for (int i = 0; i < k; i++) {
		CHECK(got[4 * i] == search(formats[0], v[i], __NV_NOSAT));
		CHECK(got[4 * i + 1] == search(formats[1], v[i], __NV_SATFINITE));
		CHECK(got[4 * i + 2] == search(formats[0], (float)v[i], __NV_SATFINITE));
		CHECK(got[4 * i + 3] == search(formats[1], v[i], __NV_SATFINITE));
	}
	return 0;
}
