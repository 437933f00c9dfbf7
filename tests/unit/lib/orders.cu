// SPDX-License-Identifier: MIT
/* For ppu_schedules.sh: programs whose output depends on the order of warps or blocks, and some whose output does not. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

/* Who comes last wins. */
__global__ void last_block(int *p)
{
	if (!threadIdx.x)
		p[0] = blockIdx.x;
}

__global__ void first_warp(int *p)
{
	if (threadIdx.x % 32 == 0)
		atomicCAS(p, 0, threadIdx.x / 32 + 1);
}

/* Updates are lost if a warp is stopped between the read and the write. */
__global__ void lost_update(int *p)
{
	if (threadIdx.x % 32 == 0)
		for (int i = 0; i < 20; i++)
			*(volatile int *)p = *(volatile int *)p + 1;
}

/* The second half may read before the first has written. */
__global__ void no_barrier(int *p)
{
	__shared__ volatile int s[128];

	s[threadIdx.x] = 0;
	__syncthreads();
	s[threadIdx.x] = threadIdx.x + 1;
	p[threadIdx.x + 1] = s[(threadIdx.x + 96) % 128];
}

/* ---- right ---- */

__global__ void sum(int *p)
{
	__shared__ int s[128];

	s[threadIdx.x] = blockIdx.x * 128 + threadIdx.x;
	for (int i = 64; i; i /= 2) {
		__syncthreads();
		if (threadIdx.x < i)
			s[threadIdx.x] += s[threadIdx.x + i];
	}
	if (!threadIdx.x)
		atomicAdd(p, s[0]);
}

/* Each block once, and in its place. */
__global__ void ids(int *p)
{
	if (!threadIdx.x)
		atomicAdd(&p[1 + blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)], blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z);
}

__global__ void lanes(int *p)
{
	int v = threadIdx.x;

	for (int i = 16; i; i /= 2)
		v += __shfl_xor_sync(~0u, v, i);
	p[1 + threadIdx.x] = v + __popc(__ballot_sync(~0u, threadIdx.x & 1));
}

int main(int argc, char **argv)
{
	static int host[200];
	int *p;

	if (argc != 2 || cudaMalloc(&p, sizeof(host)) || cudaMemset(p, 0, sizeof(host)))
		return 1;
#define RUN(name, grid, threads) \
	if (!strcmp(argv[1], #name)) \
		name<<<grid, threads>>>(p);
	RUN(last_block, 16, 32) RUN(first_warp, 1, 256) RUN(lost_update, 1, 256) RUN(no_barrier, 1, 128)
	RUN(sum, 16, 128) RUN(ids, dim3(3, 5, 7), 32) RUN(lanes, 2, 128)
	if (cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost))
		return 1;
	for (int i = 0; i < 200; i++)
		printf("%d%c", host[i], i % 10 == 9 ? '\n' : ' ');
	return 0;
}
