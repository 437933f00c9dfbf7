// SPDX-License-Identifier: MIT
// Kernels that launch kernels (ppu_launch.h): templates, structures, dim3s, streams, the last error.
#include <cuda_runtime.h>
#include <ppu_launch.h>
#include "test.h"

struct pair {
	char c;
	double d;
};

template <typename T> __global__ void add(T *to, T value, char small, pair p)
{
	extern __shared__ int dynamic[];

	dynamic[threadIdx.x] = small;
	__syncthreads();
	atomicAdd(to + blockIdx.y, value + (T)dynamic[(threadIdx.x + 1) % blockDim.x] + (T)p.c + (T)p.d);
}

__global__ void parent(int *ints, float *floats, int *errors)
{
	dim3 grid(1, 3), block(32);
	pair p = { 2, 30.0 };

	/* the first argument after the shared memory's size is the stream; 7 is converted */
	errors[0] = PPU_LAUNCH((add<int>), grid, block, 128, PPU_STREAM_BLOCK, ints, 1, 7, p);
	errors[1] = PPU_LAUNCH((add<float>), grid, ppuDim(64), 256, PPU_STREAM_FIRE_AND_FORGET, floats, 1.0f, 7, p);
	errors[2] = PPU_LAUNCH((add<int>), 0, 1, 0, PPU_STREAM_BLOCK, ints, 1, 1, p);
	errors[3] = ppuDevicePeekAtLastError();
	errors[4] = ppuDeviceGetLastError();
	errors[5] = ppuDeviceGetLastError();
	errors[6] = ppuDeviceSynchronize();
	errors[7] = ints[2];
}

__global__ void chain(int *levels, bool too_deep)
{
	atomicAdd(levels, 1);
	if (ppuDeviceDepth() < ppuDeviceMaxDepth() || too_deep)
		levels[1] = PPU_LAUNCH(chain, 1, 1, 0, PPU_STREAM_TAIL, levels, too_deep);
}

int main()
{
	int *ints, *errors;
	float *floats;

	OK(cudaMallocManaged(&ints, 5 * sizeof(int)));
	OK(cudaMallocManaged(&floats, 3 * sizeof(float)));
	OK(cudaMallocManaged(&errors, 8 * sizeof(int)));
	for (int i = 0; i < 3; i++)
		ints[i] = 0, floats[i] = 0;
	parent<<<1, 1>>>(ints, floats, errors);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 3; i++) {
		CHECK(ints[i] == 32 * (1 + 7 + 2 + 30));
		CHECK(floats[i] == 64.0f * (1 + 7 + 2 + 30));
	}
	CHECK(!errors[0] && !errors[1]);
	CHECK(errors[2] == cudaErrorInvalidConfiguration && errors[3] == errors[2] && errors[4] == errors[2]);
	CHECK(!errors[5] && !errors[6]);
	CHECK(errors[7] == ints[2]);
	ints[3] = ints[4] = 0;
	chain<<<1, 1>>>(ints + 3, false);
	OK(cudaDeviceSynchronize());
	CHECK(ints[3] == 24 && !ints[4]);	/* as many nesting levels as CUDA has */
	ints[3] = 0;
	chain<<<1, 1>>>(ints + 3, true);
	CHECK(cudaDeviceSynchronize() == cudaErrorLaunchMaxDepthExceeded);
	CHECK(ints[3] == 24 && ints[4] == cudaErrorLaunchMaxDepthExceeded);
	CHECK(cudaDeviceSynchronize() == cudaErrorLaunchMaxDepthExceeded);
	OK(cudaDeviceReset());
	CHECK(cudaGetLastError() == cudaSuccess);
	OK(cudaDeviceSynchronize());
	return 0;
}
