// SPDX-License-Identifier: MIT
// Matrices in tiles of shared memory; two-dimensional grids; launches by template argument and by cudaLaunchKernel.
#include <cuda_runtime.h>
#include <vector>
#include "test.h"

template <int tile> __global__ void multiply(const float *a, const float *b, float *c, int n)
{
	__shared__ float as[tile][tile], bs[tile][tile];
	int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
	float s = 0;

	for (int t = 0; t < n; t += tile) {
		as[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
		bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < tile; k++)
			s += as[threadIdx.y][k] * bs[k][threadIdx.x];
		__syncthreads();
	}
	c[y * n + x] = s;
}

static const int n = 64;

static void verify(const std::vector<float> &a, const std::vector<float> &b, const float *device)
{
	std::vector<float> c(n * n);

	OK(cudaMemcpy(c.data(), device, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
	for (int y = 0; y < n; y++) {
		for (int x = 0; x < n; x++) {
			float s = 0;

			for (int k = 0; k < n; k++)
				s += a[y * n + k] * b[k * n + x];
			CHECK(c[y * n + x] == s);	// small whole numbers: exact in any order
		}
	}
}

int main()
{
	std::vector<float> a(n * n), b(n * n);
	float *da, *db, *dc;

	for (int i = 0; i < n * n; i++) {
		a[i] = (float)(i % 7 - 3);
		b[i] = (float)(i % 5 - 2);
	}
	OK(cudaMalloc(&da, sizeof(float) * n * n));
	OK(cudaMalloc(&db, sizeof(float) * n * n));
	OK(cudaMalloc(&dc, sizeof(float) * n * n));
	OK(cudaMemcpy(da, a.data(), sizeof(float) * n * n, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(db, b.data(), sizeof(float) * n * n, cudaMemcpyHostToDevice));
	multiply<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(da, db, dc, n);
	verify(a, b, dc);
	OK(cudaMemset(dc, 0, sizeof(float) * n * n));
	int size = n;
	void *args[] = { &da, &db, &dc, &size };
	OK(cudaLaunchKernel(multiply<8>, dim3(n / 8, n / 8), dim3(8, 8), args));
	verify(a, b, dc);
	return 0;
}
