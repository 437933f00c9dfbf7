// SPDX-License-Identifier: MIT
// Errors are reported: wrong configurations, a fault that stays until the device is reset, a failed assertion.
#include <cassert>
#include <cuda_runtime.h>
#include "test.h"

__global__ void fine(int *p) { *p = 7; }
__global__ void bad(int *p) { *p = 7; }
__global__ void asserts(int v) { assert(v == 1); }
__global__ void __launch_bounds__(64) bounded(int *p) { *p = 8; }

int main()
{
	int *p, v = 0;

	OK(cudaMalloc(&p, sizeof(int)));
	fine<<<0, 1>>>(p);
	CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	CHECK(cudaGetLastError() == cudaSuccess);
	fine<<<1, 4096>>>(p);
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	fine<<<1, 1, 1 << 20>>>(p);
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	bounded<<<1, 128>>>(p);
	CHECK(cudaGetLastError() != cudaSuccess);
	fine<<<1, 1>>>(p);
	OK(cudaMemcpy(&v, p, sizeof(v), cudaMemcpyDeviceToHost));
	CHECK(v == 7);

	bad<<<1, 1>>>((int *)64);
	CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
	CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
	CHECK(cudaGetLastError() == cudaErrorIllegalAddress);	// the error stays
	CHECK(cudaMemcpy(&v, p, sizeof(v), cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress);
	OK(cudaDeviceReset());
	CHECK(cudaGetLastError() == cudaSuccess);

	asserts<<<1, 1>>>(1);
	OK(cudaDeviceSynchronize());
	asserts<<<1, 1>>>(2);
	CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
	OK(cudaDeviceReset());
	OK(cudaMalloc(&p, sizeof(int)));
	fine<<<1, 1>>>(p);
	OK(cudaMemcpy(&v, p, sizeof(v), cudaMemcpyDeviceToHost));
	CHECK(v == 7);
	return 0;
}
