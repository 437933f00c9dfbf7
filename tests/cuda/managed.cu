// SPDX-License-Identifier: MIT
// Managed memory, registered memory, allocations in the order of a stream.
#include <cuda_runtime.h>
#include "test.h"

struct node {
	int value;
	node *next;
};

__global__ void walk(node *n, int *sum)
{
	for (*sum = 0; n; n = n->next)
		*sum += n->value++;
}

__global__ void fill(int *p, int v) { p[threadIdx.x] = v + (int)threadIdx.x; }

int main()
{
	cudaPointerAttributes a;
	node *list = nullptr;
	int *sum, *plain = new int[1000], *p, *q, host[64], can;
	cudaStream_t s;

	/* a list that both the CPU and the device walk */
	OK(cudaMallocManaged(&sum, sizeof(int)));
	for (int i = 0; i < 10; i++) {
		node *n;

		OK(cudaMallocManaged(&n, sizeof(node)));
		n->value = i;
		n->next = list;
		list = n;
	}
	OK(cudaPointerGetAttributes(&a, list));
	CHECK(a.type == cudaMemoryTypeManaged && a.devicePointer == list && a.hostPointer == list);
	walk<<<1, 1>>>(list, sum);
	OK(cudaDeviceSynchronize());
	CHECK(*sum == 45 && list->value == 10 && list->next->value == 9);
	list->value = 100;
	walk<<<1, 1>>>(list, sum);
	OK(cudaDeviceSynchronize());
	CHECK(*sum == 100 + 45);
	OK(cudaMemPrefetchAsync(list, sizeof(node), 0, 0));
	OK(cudaMemAdvise(list, sizeof(node), cudaMemAdviseSetPreferredLocation, 0));

	/* the program's own memory, registered */
	OK(cudaDeviceGetAttribute(&can, cudaDevAttrHostRegisterSupported, 0));
	CHECK(can == 1);
	OK(cudaHostRegister(plain, 1000 * sizeof(int), cudaHostRegisterMapped));
	OK(cudaHostGetDevicePointer(&p, plain, 0));
	fill<<<1, 64>>>(p, 5);
	OK(cudaDeviceSynchronize());
	CHECK(plain[0] == 5 && plain[63] == 68);
	OK(cudaHostUnregister(plain));
	CHECK(cudaHostUnregister(plain) != cudaSuccess);
	cudaGetLastError();

	OK(cudaStreamCreate(&s));
	OK(cudaMallocAsync(&q, sizeof(host), s));
	fill<<<1, 64, 0, s>>>(q, 1000);
	OK(cudaMemcpyAsync(host, q, sizeof(host), cudaMemcpyDeviceToHost, s));
	OK(cudaFreeAsync(q, s));
	OK(cudaStreamSynchronize(s));
	CHECK(host[0] == 1000 && host[63] == 1063);
	OK(cudaStreamDestroy(s));
	delete[] plain;
	return 0;
}
