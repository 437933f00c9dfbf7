/* SPDX-License-Identifier: MIT */
/* mma.h: each shape, layout and type of sum against the host's product; what threads do with fragments. */
#include <mma.h>
#include "test.h"

using namespace nvcuda;

/* One warp: d = (a * b + c) * 2 + 1, with the rows or columns of the matrices `stride` elements apart. */
template <int m, int n, int k, class la, class lb, class C, class D>
__global__ void product(const half *a, const half *b, const C *c, D *d, unsigned int stride, wmma::layout_t layout)
{
	wmma::fragment<wmma::matrix_a, m, n, k, half, la> fa;
	wmma::fragment<wmma::matrix_b, m, n, k, half, lb> fb;
	wmma::fragment<wmma::accumulator, m, n, k, C> fc;
	wmma::fragment<wmma::accumulator, m, n, k, D> fd, one;

	wmma::load_matrix_sync(fa, a, stride);
	wmma::load_matrix_sync(fb, b, stride);
	wmma::load_matrix_sync(fc, c, stride, layout);
	wmma::mma_sync(fd, fa, fb, fc);
	wmma::fill_fragment(one, D(1.0f));
	for (int i = 0; i < fd.num_elements; i++)
		fd.x[i] = fd.x[i] * D(2.0f) + one.x[i];
	wmma::store_matrix_sync(d, fd, stride, layout);
}

enum { STRIDE = 40, SIZE = 32 * STRIDE };

static half *a, *b;
template <class T> static T *sums;
template <class T> static T *results;

static int at(bool row, int i, int j)
{
	return row ? i * STRIDE + j : j * STRIDE + i;
}

/* The numbers are small and have few digits: each product and sum is exact in a half, in whatever order. */
template <int m, int n, int k, class la, class lb, class C, class D> static void check(bool ra, bool rb, bool rc)
{
	C *c = sums<C>;
	D *d = results<D>;
	float want;

	for (int i = 0; i < SIZE; i++) {
		a[i] = half((float)(i * 7 % 11 - 5));
		b[i] = half((float)(i * 5 % 9 - 4) * 0.5f);
		c[i] = C((float)(i * 3 % 11 - 5) * 0.25f);
		d[i] = D(-1000.0f);
	}
	product<m, n, k, la, lb, C, D><<<1, 32>>>(a, b, c, d, STRIDE, rc ? wmma::mem_row_major : wmma::mem_col_major);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < m; i++) {
		for (int j = 0; j < n; j++) {
			want = float(c[at(rc, i, j)]);
			for (int l = 0; l < k; l++)
				want += float(a[at(ra, i, l)]) * float(b[at(rb, l, j)]);
			CHECK(float(d[at(rc, i, j)]) == want * 2 + 1);
			d[at(rc, i, j)] = D(-1000.0f);
		}
	}
	for (int i = 0; i < SIZE; i++)			/* nothing else was written */
		CHECK(float(d[i]) == -1000.0f);
}

template <int m, int n, int k, class C, class D> static void layouts()
{
	check<m, n, k, wmma::row_major, wmma::row_major, C, D>(true, true, true);
	check<m, n, k, wmma::row_major, wmma::col_major, C, D>(true, false, false);
	check<m, n, k, wmma::col_major, wmma::row_major, C, D>(false, true, true);
	check<m, n, k, wmma::col_major, wmma::col_major, C, D>(false, false, false);
}

template <int m, int n, int k> static void shape()
{
	layouts<m, n, k, float, float>();
	layouts<m, n, k, half, half>();
	layouts<m, n, k, half, float>();
	layouts<m, n, k, float, half>();
}

int main()
{
	OK(cudaMallocManaged(&a, SIZE * sizeof(*a)));
	OK(cudaMallocManaged(&b, SIZE * sizeof(*b)));
	OK(cudaMallocManaged(&sums<half>, SIZE * sizeof(half)));
	OK(cudaMallocManaged(&sums<float>, SIZE * sizeof(float)));
	OK(cudaMallocManaged(&results<half>, SIZE * sizeof(half)));
	OK(cudaMallocManaged(&results<float>, SIZE * sizeof(float)));
	shape<16, 16, 16>();
	shape<32, 8, 16>();
	shape<8, 32, 16>();
	return 0;
}
