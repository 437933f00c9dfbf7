// SPDX-License-Identifier: MIT
// Variables of the device by name: constants, initialised and not, structs, arrays, static ones.
#include <cuda_runtime.h>
#include "test.h"

struct settings {
	float scale;
	int offset;
};
__constant__ settings set;
__constant__ float table[16];
__device__ int counter = 5;
static __device__ double state[4] = { 1, 2, 3, 4 };

__global__ void use(float *out)
{
	int i = threadIdx.x;

	out[i] = table[i] * set.scale + (float)set.offset;
	atomicAdd(&counter, 1);
	if (i < 4)
		state[i] *= 2;
}

int main()
{
	settings s = { 2.0f, 10 };
	float t[16], *out, got[16];
	double d[4];
	void *address;
	size_t bytes;
	int c;

	for (int i = 0; i < 16; i++)
		t[i] = (float)i;
	OK(cudaMemcpyToSymbol(set, &s, sizeof(s)));
	OK(cudaMemcpyToSymbol(table, t, sizeof(t) / 2));
	OK(cudaMemcpyToSymbol(table, t + 8, sizeof(t) / 2, sizeof(t) / 2));
	CHECK(cudaMemcpyToSymbol(table, t, sizeof(t), 4) == cudaErrorInvalidValue);
	CHECK(cudaMemcpyToSymbol(table, t, 4, 0, cudaMemcpyDeviceToHost) == cudaErrorInvalidMemcpyDirection);
	CHECK(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
	OK(cudaMalloc(&out, sizeof(got)));
	use<<<1, 16>>>(out);
	OK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 16; i++)
		CHECK(got[i] == 2.0f * i + 10);
	OK(cudaMemcpyFromSymbol(&c, counter, sizeof(c)));
	CHECK(c == 21);
	OK(cudaMemcpyFromSymbol(d, state, sizeof(d)));
	for (int i = 0; i < 4; i++)
		CHECK(d[i] == 2.0 * (i + 1));
	OK(cudaGetSymbolSize(&bytes, table));
	CHECK(bytes == sizeof(table));
	OK(cudaGetSymbolAddress(&address, counter));
	c = 100;
	OK(cudaMemcpy(address, &c, sizeof(c), cudaMemcpyHostToDevice));
	use<<<1, 1>>>(out);
	OK(cudaMemcpyFromSymbol(&c, counter, sizeof(c)));
	CHECK(c == 101);
	/* after a reset all variables have the values from the program's start */
	OK(cudaDeviceReset());
	OK(cudaMemcpyFromSymbol(&c, counter, sizeof(c)));
	CHECK(c == 5);
	return 0;
}
