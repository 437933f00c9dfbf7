// SPDX-License-Identifier: MIT
// Sums: dynamic shared memory, shuffles, atomics of several types; occupancy and attributes of the kernel.
#include <cuda_runtime.h>
#include <vector>
#include "test.h"

template <class T> struct dynamic {
	__device__ static T *get()
	{
		extern __shared__ __align__(16) unsigned char room[];

		return (T *)room;
	}
};

template <class T> __global__ void sum(const T *in, T *out, int n)
{
	T *part = dynamic<T>::get(), s = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s += in[i];
	part[threadIdx.x] = s;
	__syncthreads();
	for (unsigned int d = blockDim.x / 2; d >= 32; d /= 2) {
		if (threadIdx.x < d)
			part[threadIdx.x] += part[threadIdx.x + d];
		__syncthreads();
	}
	if (threadIdx.x < 32) {
		s = part[threadIdx.x];
		for (int d = 16; d; d /= 2)
			s += __shfl_down_sync(0xffffffffu, s, d);
		if (!threadIdx.x)
			atomicAdd(out, s);
	}
}

template <class T> static void test()
{
	const int n = 5000;
	std::vector<T> v(n);
	T *in, *out, want = 0, got;

	for (int i = 0; i < n; i++)
		want += v[i] = (T)(i % 13);
	OK(cudaMalloc(&in, n * sizeof(T)));
	OK(cudaMalloc(&out, sizeof(T)));
	OK(cudaMemcpy(in, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
	OK(cudaMemset(out, 0, sizeof(T)));
	sum<T><<<4, 128, 128 * sizeof(T)>>>(in, out, n);
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(&got, out, sizeof(T), cudaMemcpyDeviceToHost));
	CHECK(got == want);
	OK(cudaFree(in));
	OK(cudaFree(out));
}

int main()
{
	int grid, block, blocks;
	cudaFuncAttributes a;

	test<int>();
	test<unsigned int>();
	test<float>();
	test<double>();
	test<unsigned long long>();
	OK(cudaFuncGetAttributes(&a, sum<double>));
	CHECK(a.maxThreadsPerBlock >= 128 && a.numRegs > 0 && a.ptxVersion == 75 && !a.sharedSizeBytes);
	OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, sum<float>));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum<float>, block, 0));
	CHECK(grid > 0 && block >= 32 && blocks > 0 && grid % blocks == 0);
	OK(cudaFuncSetCacheConfig(sum<int>, cudaFuncCachePreferL1));
	return 0;
}
