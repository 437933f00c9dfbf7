/* SPDX-License-Identifier: MIT */
/* mma.h: factors of bytes, bf16, tf32, double, half bytes and bits against the host's products; satf. */
#include <mma.h>
#include <string.h>
#include "test.h"

using namespace nvcuda;
namespace few = wmma::experimental::precision;

enum { STRIDE = 48, SIZE = 32 * STRIDE };	/* a stride is a multiple of 16 bytes for every type */

/* One warp: d = a * b + c. */
template <int m, int n, int k, class F, class la, class lb, class T, class D>
__global__ void product(const T *a, const T *b, const D *c, D *d, wmma::layout_t layout, bool satf)
{
	wmma::fragment<wmma::matrix_a, m, n, k, F, la> fa;
	wmma::fragment<wmma::matrix_b, m, n, k, F, lb> fb;
	wmma::fragment<wmma::accumulator, m, n, k, D> fc, fd;

	wmma::load_matrix_sync(fa, a, STRIDE);
	wmma::load_matrix_sync(fb, b, STRIDE);
	wmma::load_matrix_sync(fc, c, STRIDE, layout);
	wmma::mma_sync(fd, fa, fb, fc, satf);
	wmma::store_matrix_sync(d, fd, STRIDE, layout);
}

template <class T> static T *array()
{
	T *p;

	OK(cudaMallocManaged(&p, SIZE * sizeof(T)));
	return p;
}

static int at(bool row, int i, int j)
{
	return row ? i * STRIDE + j : j * STRIDE + i;
}

/* Small numbers with few digits: exact in every type and in every order.  Unsigned types get no negative ones. */
template <class T> static T small(int i, int modulus)
{
	int v = i * 7 % modulus;

	return T((float)((T)-1.0f < (T)0.0f ? v - modulus / 2 : v));
}

template <int m, int n, int k, class F, class la, class lb, class T, class D> static void check(bool ra, bool rb, bool rc)
{
	T *a = array<T>(), *b = array<T>();
	D *c = array<D>(), *d = array<D>();
	double want;

	for (int i = 0; i < SIZE; i++) {
		a[i] = small<T>(i, 23);
		b[i] = small<T>(3 * i + 1, 19);
		c[i] = small<D>(5 * i + 2, 1001);
		d[i] = D(-12345);
	}
	product<m, n, k, F, la, lb, T, D><<<1, 32>>>(a, b, c, d, rc ? wmma::mem_row_major : wmma::mem_col_major, false);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < m; i++) {
		for (int j = 0; j < n; j++) {
			want = (double)c[at(rc, i, j)];
			for (int l = 0; l < k; l++)
				want += (double)(float)a[at(ra, i, l)] * (double)(float)b[at(rb, l, j)];
			CHECK((double)d[at(rc, i, j)] == want);
			d[at(rc, i, j)] = D(-12345);
		}
	}
	for (int i = 0; i < SIZE; i++)			/* nothing else was written */
		CHECK(d[i] == D(-12345));
	OK(cudaFree(a));
	OK(cudaFree(b));
	OK(cudaFree(c));
	OK(cudaFree(d));
}

template <int m, int n, int k, class F, class T, class D> static void layouts()
{
	check<m, n, k, F, wmma::row_major, wmma::row_major, T, D>(true, true, true);
	check<m, n, k, F, wmma::row_major, wmma::col_major, T, D>(true, false, false);
	check<m, n, k, F, wmma::col_major, wmma::row_major, T, D>(false, true, true);
	check<m, n, k, F, wmma::col_major, wmma::col_major, T, D>(false, false, false);
}

template <class T, class D> static void shapes()
{
	layouts<16, 16, 16, T, T, D>();
	layouts<32, 8, 16, T, T, D>();
	layouts<8, 32, 16, T, T, D>();
}

/* Sums beyond 32 bits wrap, or stay at the ends; a half's infinity and NaN become finite. */
static void saturates()
{
	signed char *a = array<signed char>(), *b = array<signed char>();
	int *c = array<int>(), *d = array<int>();
	half *e = array<half>(), *f = array<half>(), *g = array<half>(), *h = array<half>();

	for (int i = 0; i < SIZE; i++) {
		a[i] = 100;
		b[i] = (i / STRIDE) % 2 ? -100 : 100;	/* by columns */
		c[i] = i % 2 ? -0x7fffffff - 1 : 0x7fffffff;
		e[i] = half(60000.0f);
		f[i] = half(i / STRIDE == 1 ? -100.0f : 100.0f);
		g[i] = half(0.0f);
	}
	product<16, 16, 16, signed char, wmma::row_major, wmma::col_major><<<1, 32>>>(a, b, c, d, wmma::mem_col_major, true);
	OK(cudaDeviceSynchronize());
	CHECK(d[0] == 0x7fffffff && d[1] == -0x7fffffff - 1 + 160000);
	CHECK(d[STRIDE] == 0x7fffffff - 160000 && d[STRIDE + 1] == -0x7fffffff - 1);
	product<16, 16, 16, signed char, wmma::row_major, wmma::col_major><<<1, 32>>>(a, b, c, d, wmma::mem_col_major, false);
	OK(cudaDeviceSynchronize());
	CHECK(d[0] == (int)(0x7fffffffu + 160000) && d[STRIDE + 1] == (int)(0x80000000u - 160000));
	product<16, 16, 16, half, wmma::row_major, wmma::col_major><<<1, 32>>>(e, f, g, h, wmma::mem_col_major, true);
	OK(cudaDeviceSynchronize());
	CHECK((float)h[0] == 65504.0f && (float)h[STRIDE] == -65504.0f);
	product<16, 16, 16, half, wmma::row_major, wmma::col_major><<<1, 32>>>(e, f, g, h, wmma::mem_col_major, false);
	OK(cudaDeviceSynchronize());
	CHECK((float)h[0] > 65504.0f && (float)h[STRIDE] < -65504.0f);
}

/* A float loses the digits that a tf32 has not. */
__global__ void rounded(float *v, int n)
{
	for (int i = 0; i < n; i++)
		v[i] = wmma::__float_to_tf32(v[i]);
}

static void tf32()
{
	float *v = array<float>();

	v[0] = 1.0f + 1.0f / 2048;	/* half way: away from zero */
	v[1] = -1.0f - 1.0f / 2048;
	v[2] = 1.0f + 1.0f / 4096;
	v[3] = 3.0f;
	rounded<<<1, 1>>>(v, 4);
	OK(cudaDeviceSynchronize());
	CHECK(v[0] == 1.0f + 1.0f / 1024 && v[1] == -1.0f - 1.0f / 1024 && v[2] == 1.0f && v[3] == 3.0f);
}

/* d = a * b + c in half bytes: `a` by rows and `b` by columns of 16 bytes. */
template <class F> __global__ void nibbles(const void *a, const void *b, const int *c, int *d)
{
	wmma::fragment<wmma::matrix_a, 8, 8, 32, F, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, 32, F, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc, fd;

	wmma::load_matrix_sync(fa, a, 32);
	wmma::load_matrix_sync(fb, b, 32);
	wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
	wmma::mma_sync(fd, fa, fb, fc);
	wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}

__global__ void bits(const void *a, const void *b, const int *c, int *both, int *differ)
{
	wmma::fragment<wmma::matrix_a, 8, 8, 128, few::b1, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, 128, few::b1, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc, fd;

	wmma::load_matrix_sync(fa, a, 128);
	wmma::load_matrix_sync(fb, b, 128);
	wmma::fill_fragment(fd, 0.0f);			/* becomes an int */
	wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
	wmma::bmma_sync(fd, fa, fb, fc, wmma::experimental::bmmaBitOpAND);
	wmma::store_matrix_sync(both, fd, 8, wmma::mem_row_major);
	wmma::experimental::bmma_sync(fd, fa, fb, fc);
	wmma::store_matrix_sync(differ, fd, 8, wmma::mem_row_major);
}

static int half_byte(const unsigned char *p, int i, bool is_signed)
{
	int v = p[i / 2] >> i % 2 * 4 & 15;

	return is_signed && v > 7 ? v - 16 : v;
}

static void below_a_byte()
{
	unsigned char *a = array<unsigned char>(), *b = array<unsigned char>();
	int *c = array<int>(), *d = array<int>(), *e = array<int>();

	for (int i = 0; i < 128; i++) {
		a[i] = (unsigned char)(i * 37 + 11);
		b[i] = (unsigned char)(i * i * 5 + 3 * i);
	}
	for (int i = 0; i < 64; i++)
		c[i] = i * 1000 - 30000;
	for (int is_signed = 0; is_signed < 2; is_signed++) {
		if (is_signed)
			nibbles<few::s4><<<1, 32>>>(a, b, c, d);
		else
			nibbles<few::u4><<<1, 32>>>(a, b, c, d);
		OK(cudaDeviceSynchronize());
		for (int i = 0; i < 64; i++) {
			int want = c[i];

			for (int l = 0; l < 32; l++)
				want += half_byte(a + i / 8 * 16, l, is_signed) * half_byte(b + i % 8 * 16, l, is_signed);
			CHECK(d[i] == want);
		}
	}
	bits<<<1, 32>>>(a, b, c, d, e);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++) {
		int both = c[i], differ = c[i];

		for (int l = 0; l < 16; l++) {
			both += __builtin_popcount(a[i / 8 * 16 + l] & b[i % 8 * 16 + l]);
			differ += __builtin_popcount(a[i / 8 * 16 + l] ^ b[i % 8 * 16 + l]);
		}
		CHECK(d[i] == both && e[i] == differ);
	}
}

static_assert(wmma::fragment<wmma::matrix_a, 8, 8, 32, few::s4, wmma::row_major>::num_elements == 8, "eight half bytes");
static_assert(wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major>::num_elements == 16, "16 bytes");

int main()
{
	shapes<signed char, int>();
	shapes<unsigned char, int>();
	shapes<__nv_bfloat16, float>();
	layouts<16, 16, 8, wmma::precision::tf32, float, float>();
	layouts<8, 8, 4, double, double, double>();
	saturates();
	tf32();
	below_a_byte();
	return 0;
}
