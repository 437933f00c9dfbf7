// SPDX-License-Identifier: MIT
// ppu-nvcc: --default-stream per-thread
// Built so that each thread has a default stream of its own: work that one thread holds back must not hold up others.
#include <cuda_runtime.h>
#include <pthread.h>
#include <semaphore.h>
#include "test.h"

__global__ void set(int *p, int v) { *p = v; }

static sem_t go;
static int *first, *second;

/* The stream of this thread stands until the main thread has seen its own work done. */
static void wait_here(void *) { sem_wait(&go); }

static void *other(void *)
{
	OK(cudaLaunchHostFunc(0, wait_here, nullptr));
	set<<<1, 1>>>(second, 2);
	OK(cudaGetLastError());
	return nullptr;
}

int main()
{
	pthread_t t;
	int v = 0;

	sem_init(&go, 0, 0);
	OK(cudaMalloc(&first, sizeof(int)));
	OK(cudaMalloc(&second, sizeof(int)));
	OK(cudaMemset(second, 0, sizeof(int)));
	OK(cudaDeviceSynchronize());
	CHECK(!pthread_create(&t, nullptr, other, nullptr));
	set<<<1, 1>>>(first, 1);
	OK(cudaMemcpy(&v, first, sizeof(v), cudaMemcpyDeviceToHost));
	CHECK(v == 1);
	sem_post(&go);
	pthread_join(t, nullptr);
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(&v, second, sizeof(v), cudaMemcpyDeviceToHost));
	CHECK(v == 2);
	return 0;
}
