// SPDX-License-Identifier: MIT
// The CUDA program that everybody writes first.
#include <cuda_runtime.h>
#include "test.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

int main()
{
	const int n = 10000;
	float *a, *b, *c, *host = new float[3 * n];

	for (int i = 0; i < n; i++) {
		host[i] = i * 0.5f;
		host[n + i] = 3.0f * i;
	}
	OK(cudaMalloc(&a, n * sizeof(float)));
	OK(cudaMalloc(&b, n * sizeof(float)));
	OK(cudaMalloc(&c, n * sizeof(float)));
	OK(cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice));
	OK(cudaMemcpy(b, host + n, n * sizeof(float), cudaMemcpyHostToDevice));
	add<<<(n + 255) / 256, 256>>>(a, b, c, n);
	OK(cudaGetLastError());
	OK(cudaMemcpy(host + 2 * n, c, n * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		CHECK(host[2 * n + i] == host[i] + host[n + i]);
	OK(cudaFree(a));
	OK(cudaFree(b));
	OK(cudaFree(c));
	delete[] host;
	return 0;
}
