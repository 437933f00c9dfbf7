// SPDX-License-Identifier: MIT
//
// What trace_names.sh and tests/viewer/names-trial look at: a kernel that parts its lanes, and one that
// does not, in two streams, and copies in each.  With an argument the second stream does something else.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 1024

__global__ void adds(int *p)
{
	p[threadIdx.x] += 1;
}

__global__ void parts(int *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x % 2)			// line where lanes part
		p[i] = p[i] * 3 + i;
	else
		p[i] = p[i] / 3 - i;
}

int main(int argc, char **argv)
{
	static int host[2][N];
	cudaStream_t s[2];
	int *p[2];

	for (int i = 0; i < 2; i++) {
		if (cudaStreamCreate(&s[i]) || cudaMalloc(&p[i], sizeof(host[i])))
			return 1;
	}
	for (int i = 0; i < 2; i++) {
		cudaMemcpyAsync(p[i], host[i], sizeof(host[i]), cudaMemcpyHostToDevice, s[i]);
		parts<<<N / 128, 128, 0, s[i]>>>(p[i]);
		if (i && argc > 1)
			parts<<<N / 128, 128, 0, s[i]>>>(p[i]);
		if (i)
			adds<<<1, 32, 0, s[i]>>>(p[i]);
		cudaMemcpyAsync(host[i], p[i], sizeof(host[i]), cudaMemcpyDeviceToHost, s[i]);
	}
	parts<<<1, 32>>>(p[0]);
	if (cudaDeviceSynchronize())
		return 1;
	printf("%d %d\n", host[0][1], host[1][1]);
	return 0;
}
