/* SPDX-License-Identifier: MIT */
/* Several devices that use each other's memory: copies, kernels, words, and a ring all-reduce. With one device: refusals. */
#include <cuda.h>
#include <cstring>
#include <vector>
#include "test.h"

#define N	5000

__global__ void iota(int *p, int n, int first)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = first + i;
}

__global__ void add_to(int *to, const int *from, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] += from[i];
}

/* Waits for the other device's kernel, and tells it. */
__global__ void meet(volatile int *mine, volatile int *theirs, int rounds)
{
	for (int i = 1; i <= rounds; i++) {
		*theirs = i;
		__threadfence_system();
		while (*mine < i)
			__nanosleep(100);
	}
}

static void alone()
{
	int can = 1;

	OK(cudaDeviceCanAccessPeer(&can, 0, 0));
	CHECK(!can);
	CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
	CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
	CHECK(cudaDeviceDisablePeerAccess(7) == cudaErrorInvalidDevice);
}

/* Addresses say where memory is: copies between devices need no access. */
static void copies(int *a, int *b)
{
	static int host[N];
	int *pinned, value = 1;
	cudaStream_t s;

	OK(cudaSetDevice(0));
	iota<<<(N + 255) / 256, 256>>>(a, N, 7);
	OK(cudaMemcpyPeer(b, 1, a, 0, N * 4));
	OK(cudaMemcpy(host, b, N * 4, cudaMemcpyDeviceToHost));		/* of device 1, while 0 is current */
	for (int i = 0; i < N; i++)
		CHECK(host[i] == 7 + i);
	OK(cudaSetDevice(1));
	iota<<<(N + 255) / 256, 256>>>(b, N, 9);
	OK(cudaMemcpy(a, b, N * 4, cudaMemcpyDefault));
	OK(cudaMallocHost(&pinned, N * 4));		/* of device 1 */
	OK(cudaSetDevice(0));
	OK(cudaStreamCreate(&s));
	OK(cudaMemcpyAsync(pinned, a, N * 4, cudaMemcpyDeviceToHost, s));
	OK(cudaStreamSynchronize(s));
	for (int i = 0; i < N; i++)
		CHECK(pinned[i] == 9 + i);
	OK(cudaMemcpy2D(b, 16, a, 40, 8, 10, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy(&value, b + 9 * 4 + 1, 4, cudaMemcpyDeviceToHost));
	CHECK(value == 9 + 9 * 10 + 1);
	OK(cudaMemcpyPeerAsync(b, 1, a, 0, 400, s));
	OK(cudaMemcpyAsync(&value, b + 99, 4, cudaMemcpyDefault, s));
	OK(cudaStreamSynchronize(s));
	CHECK(value == 9 + 99);
	OK(cudaStreamDestroy(s));
	OK(cudaFreeHost(pinned));
}

static void access_and_its_end(int *a, int *b)
{
	static int host[N];
	cudaPointerAttributes at;
	int can = 0, *later;

	OK(cudaDeviceCanAccessPeer(&can, 0, 1));
	CHECK(can);
	OK(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
	CHECK(can);
	OK(cudaSetDevice(0));
	CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
	CHECK(cudaDeviceEnablePeerAccess(1, 1) == cudaErrorInvalidValue);
	OK(cudaDeviceEnablePeerAccess(1, 0));
	CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
	cudaGetLastError();
	iota<<<(N + 255) / 256, 256>>>(a, N, 1);
	iota<<<(N + 255) / 256, 256>>>(b, N, 100);		/* a store of device 0 to memory of device 1 */
	add_to<<<(N + 255) / 256, 256>>>(a, b, N);
	OK(cudaMemcpy(host, a, N * 4, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(host[i] == 101 + 2 * i);
	OK(cudaPointerGetAttributes(&at, b));
	CHECK(at.device == 1 && at.type == cudaMemoryTypeDevice);
	/* memory that comes later */
	OK(cudaSetDevice(1));
	OK(cudaMalloc(&later, 32 << 20));
	OK(cudaMemset(later, 0, 32 << 20));
	iota<<<(N + 255) / 256, 256>>>(later, N, 5);
	OK(cudaDeviceSynchronize());
	OK(cudaSetDevice(0));
	add_to<<<(N + 255) / 256, 256>>>(a, later, N);
	OK(cudaMemcpy(host, a, N * 4, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(host[i] == 106 + 3 * i);
	OK(cudaMemcpy(a, later, N * 4, cudaMemcpyDeviceToDevice));
	OK(cudaFree(later));		/* of the other device, while 0 is current */
	OK(cudaMemcpy(host, a, N * 4, cudaMemcpyDeviceToHost));
	CHECK(host[N - 1] == 5 + N - 1);
}

/* Both kernels run at once, and each waits for the other. */
static void kernels_meet(int *a, int *b)
{
	OK(cudaSetDevice(1));
	OK(cudaDeviceEnablePeerAccess(0, 0));
	OK(cudaMemset(b, 0, 4));
	OK(cudaSetDevice(0));
	OK(cudaMemset(a, 0, 4));
	meet<<<1, 1>>>(a, b, 20);
	OK(cudaSetDevice(1));
	meet<<<1, 1>>>(b, a, 20);
	OK(cudaDeviceSynchronize());
	OK(cudaSetDevice(0));
	OK(cudaDeviceSynchronize());
}

/*
 * Ring all-reduce: each of n devices has a vector of n parts. In n - 1 steps each adds a part of its left neighbour to its own;
 * in n - 1 more it copies the sums. The kernels read the neighbour's memory.
 */
__global__ void take(int *mine, const int *left, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		mine[i] = left[i];
}

static void ring(int devices)
{
	const int part = 1000, all = part * devices;
	std::vector<int *> v(devices);
	std::vector<int> host(all);

	for (int d = 0; d < devices; d++) {
		OK(cudaSetDevice(d));
		OK(cudaMalloc(&v[d], all * 4));
		iota<<<(all + 255) / 256, 256>>>(v[d], all, d * 1000);
		cudaDeviceEnablePeerAccess((d + devices - 1) % devices, 0);	/* some have it already */
	}
	cudaGetLastError();
	for (int d = 0; d < devices; d++) {
		OK(cudaSetDevice(d));
		OK(cudaDeviceSynchronize());
	}
	for (int step = 0; step < 2 * (devices - 1); step++) {
		for (int d = 0; d < devices; d++) {
			int left = (d + devices - 1) % devices, sums = step < devices - 1;
			int k = sums ? (d - step - 1 + 2 * devices) % devices : (d - (step - devices + 1) + devices) % devices;

			OK(cudaSetDevice(d));
			if (sums)
				add_to<<<(part + 255) / 256, 256>>>(v[d] + k * part, v[left] + k * part, part);
			else
				take<<<(part + 255) / 256, 256>>>(v[d] + k * part, v[left] + k * part, part);
		}
		for (int d = 0; d < devices; d++) {
			OK(cudaSetDevice(d));
			OK(cudaDeviceSynchronize());
		}
	}
	for (int d = 0; d < devices; d++) {
		OK(cudaMemcpy(host.data(), v[d], all * 4, cudaMemcpyDefault));
		for (int i = 0; i < all; i++)
			CHECK(host[i] == devices * i + 1000 * devices * (devices - 1) / 2);
		OK(cudaFree(v[d]));
	}
}

int main()
{
	int n, *a, *b;

	OK(cudaGetDeviceCount(&n));
	if (n < 2) {
		alone();
		return 0;
	}
	OK(cudaSetDevice(1));
	OK(cudaMalloc(&b, N * 4));
	OK(cudaSetDevice(0));
	OK(cudaMalloc(&a, N * 4));
	copies(a, b);
	access_and_its_end(a, b);
	kernels_meet(a, b);
	ring(n);
	OK(cudaSetDevice(0));
	OK(cudaDeviceDisablePeerAccess(1));
	add_to<<<1, 1>>>(a, b, 1);			/* memory that it may not use any more */
	CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
	printf("%d devices\n", n);
	return 0;
}
