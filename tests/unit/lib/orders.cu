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

/* The same once: only one instruction at which it may be stopped. */
__global__ void once(int *p)
{
	if (threadIdx.x % 32 == 0) {
		int v = *(volatile int *)p;

		*(volatile int *)p = v + 1;
	}
}

/* Block 0 finds what block 2 writes only if block 2 comes first. */
__global__ void third_first(int *p)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 2)
		*(volatile int *)(p + 1) = 1;
	else if (!blockIdx.x && *(volatile int *)(p + 1))
		p[0] = 7;
}

/* Whose side of the branch comes last. */
__global__ void sides(int *p)
{
	if (threadIdx.x < 16)
		for (unsigned i = 0; i < threadIdx.x + 2; i++)
			*(volatile int *)p = 1;
	else
		for (unsigned i = 0; i < threadIdx.x + 3; i++)
			*(volatile int *)p = 2;
}

/* Waits for a warp that may be behind it in the order. */
__global__ void waits(int *p)
{
	if (threadIdx.x == 0)
		while (!*(volatile int *)(p + 1))
			;
	if (threadIdx.x == 32)
		*(volatile int *)(p + 1) = 1;
	if (!threadIdx.x)
		p[0] = 5;
}

/* What the program does not look at: who comes last, in a variable, small memory and large memory. */
#define LARGE (100 * 1000)
__device__ int variable;

__global__ void hidden(int *small, char *large, bool right)
{
	int who = right ? 9 : threadIdx.x / 32 + 3;

	if (threadIdx.x % 32)
		return;
	variable = who;
	small[3] = who;
	large[70000] = who;
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
	RUN(once, 1, 64) RUN(third_first, 3, 32) RUN(waits, 1, 64) RUN(sides, 1, 32)
	if (!strncmp(argv[1], "hidden", 6)) {
		int *small;
		char *large;

		if (cudaMalloc(&small, 80) || cudaMalloc(&large, LARGE) || cudaMemset(small, 0, 80) || cudaMemset(large, 0, LARGE))
			return 1;
		hidden<<<1, 64>>>(small, large, !strcmp(argv[1], "hidden_right"));
		if (cudaDeviceSynchronize() || cudaFree(large))
			return 1;
	}
	if (!strcmp(argv[1], "once_blocks"))
		once<<<2, 32>>>(p);
	RUN(sum, 16, 128) RUN(ids, dim3(3, 5, 7), 32) RUN(lanes, 2, 128)
	if (cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost))
		return 1;
	for (int i = 0; i < 200; i++)
		printf("%d%c", host[i], i % 10 == 9 ? '\n' : ' ');
	return 0;
}
