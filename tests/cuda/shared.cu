// SPDX-License-Identifier: MIT
// As much shared memory as a block can have, after the program has asked for it.
#include <cuda_runtime.h>
#include "test.h"

// Fills all of it from one end, reads it from the other.
__global__ void turn(unsigned *to, int words)
{
	extern __shared__ unsigned s[];

	for (int i = threadIdx.x; i < words; i += blockDim.x)
		s[i] = i * 3 + blockIdx.x;
	__syncthreads();
	for (int i = threadIdx.x; i < words; i += blockDim.x)
		to[blockIdx.x * words + i] = s[words - 1 - i];
}

int main()
{
	enum { BLOCKS = 5 };
	cudaFuncAttributes a;
	cudaDeviceProp p;
	unsigned *to;
	int words, blocks;

	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(p.sharedMemPerBlock == 48 << 10);
	CHECK(p.sharedMemPerBlockOptin >= 64 << 10);	// compute capability 7.5
	words = (int)(p.sharedMemPerBlockOptin / 4);
	OK(cudaMallocManaged(&to, BLOCKS * words * sizeof(*to)));
	turn<<<1, 64, p.sharedMemPerBlock + 4>>>(to, 1);
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	CHECK(cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4 + 4) == cudaErrorInvalidValue);
	cudaGetLastError();
	OK(cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4));
	OK(cudaFuncGetAttributes(&a, turn));
	CHECK(a.maxDynamicSharedSizeBytes == words * 4);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, turn, 64, words * 4));
	CHECK(blocks == 1);
	turn<<<BLOCKS, 64, words * 4>>>(to, words);
	OK(cudaDeviceSynchronize());
	for (int b = 0; b < BLOCKS; b++)
		for (int i = 0; i < words; i++)
			CHECK(to[b * words + i] == (unsigned)((words - 1 - i) * 3 + b));
	puts("shared: ok");
	return 0;
}
