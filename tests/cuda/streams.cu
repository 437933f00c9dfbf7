// SPDX-License-Identifier: MIT
// Streams with priorities, pinned memory, events with times, functions of the host in order.
#include <cuda_runtime.h>
#include "test.h"

__global__ void scale(int *p, int n, int f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		p[i] = p[i] * f + 1;
}

static int calls, order[2];

static void CUDART_CB callback(cudaStream_t stream, cudaError_t status, void *data)
{
	CHECK(status == cudaSuccess);
	order[calls++] = *(int *)data;
}

static void host_function(void *data)
{
	order[calls++] = *(int *)data;
}

int main()
{
	const int n = 4096, streams = 4;
	cudaStream_t s[streams];
	cudaEvent_t begin, end, done[streams];
	int *host, *device[streams], least, greatest, seven = 7, nine = 9;
	float ms;

	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(greatest <= least);
	OK(cudaMallocHost(&host, streams * n * sizeof(int)));
	for (int i = 0; i < streams * n; i++)
		host[i] = i;
	OK(cudaEventCreate(&begin));
	OK(cudaEventCreate(&end));
	for (int i = 0; i < streams; i++) {
		int priority = i % 2 ? greatest : least, p;

		OK(cudaStreamCreateWithPriority(&s[i], cudaStreamNonBlocking, priority));
		OK(cudaStreamGetPriority(s[i], &p));
		CHECK(p == priority);
		OK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
		OK(cudaMalloc(&device[i], n * sizeof(int)));
	}
	OK(cudaEventRecord(begin, s[0]));
	for (int i = 0; i < streams; i++) {
		OK(cudaMemcpyAsync(device[i], host + i * n, n * sizeof(int), cudaMemcpyHostToDevice, s[i]));
		scale<<<n / 256, 256, 0, s[i]>>>(device[i], n, i + 2);
		OK(cudaGetLastError());
		OK(cudaMemcpyAsync(host + i * n, device[i], n * sizeof(int), cudaMemcpyDeviceToHost, s[i]));
		OK(cudaEventRecord(done[i], s[i]));
		OK(cudaStreamWaitEvent(s[0], done[i], 0));
	}
	OK(cudaStreamAddCallback(s[0], callback, &seven, 0));
	OK(cudaLaunchHostFunc(s[0], host_function, &nine));
	OK(cudaEventRecord(end, s[0]));
	OK(cudaEventSynchronize(end));
	for (int i = 0; i < streams; i++)
		for (int j = 0; j < n; j++)
			CHECK(host[i * n + j] == (i * n + j) * (i + 2) + 1);
	CHECK(calls == 2 && order[0] == 7 && order[1] == 9);
	OK(cudaEventElapsedTime(&ms, begin, end));
	CHECK(ms > 0);
	CHECK(cudaEventElapsedTime(&ms, begin, done[0]) == cudaErrorInvalidResourceHandle);
	CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
	OK(cudaStreamQuery(s[0]));
	for (int i = 0; i < streams; i++) {
		OK(cudaStreamDestroy(s[i]));
		OK(cudaEventDestroy(done[i]));
		OK(cudaFree(device[i]));
	}
	OK(cudaFreeHost(host));
	OK(cudaDeviceReset());
	return 0;
}
