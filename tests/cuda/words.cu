/* SPDX-License-Identifier: MIT */
/* Streams that wait for words and write them, by the Driver API's functions that the Runtime API finds. */
#include <cuda.h>
#include <cstring>
#include "test.h"

static CUresult (*wait32)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
static CUresult (*write32)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
static CUresult (*batch)(CUstream, unsigned int, CUstreamBatchMemOpParams *, unsigned int);

template <typename F> static void find(F **f, const char *name)
{
	cudaDriverEntryPointQueryResult how;

	OK(cudaGetDriverEntryPoint(name, reinterpret_cast<void **>(f), cudaEnableDefault, &how));
	CHECK(how == cudaDriverEntryPointSuccess && *f);
}

__global__ void store(volatile unsigned int *p, unsigned int v) { *p = v; }
__global__ void add(unsigned int *p) { atomicAdd(p, threadIdx.x + 1); }
/* Each block waits for all of them. */
__global__ void meet(unsigned int *met, unsigned int all)
{
	if (threadIdx.x == 0) {
		atomicAdd(met, 1);
		while (*(volatile unsigned int *)met != all)
			__nanosleep(100);
	}
}

/* The CPU stores the word. In process the device works only while somebody asks. */
static void cpu_stores(unsigned int *word, unsigned int *seen)
{
	const char *backend = getenv("PPU_BACKEND");
	bool asks = !backend || strcmp(backend, "drm");
	cudaStream_t s;

	OK(cudaStreamCreate(&s));
	for (unsigned int i = 1; i < 20; i++) {
		CHECK(!wait32(s, (CUdeviceptr)word, i, CU_STREAM_WAIT_VALUE_GEQ));
		store<<<1, 1, 0, s>>>(seen, i);
		CHECK(cudaStreamQuery(s) == cudaErrorNotReady);
		CHECK(*(volatile unsigned int *)seen == i - 1);
		*(volatile unsigned int *)word = i;
		while (*(volatile unsigned int *)seen != i)
			if (asks)
				cudaStreamQuery(s);
	}
	OK(cudaStreamSynchronize(s));
	OK(cudaStreamDestroy(s));
}

/* Two streams take turns, in device memory. */
static void streams_take_turns()
{
	unsigned int *words, *sum, host = 0;
	cudaStream_t s[2];

	OK(cudaMalloc(&words, 8));
	OK(cudaMalloc(&sum, 4));
	OK(cudaMemset(words, 0, 8));
	OK(cudaMemset(sum, 0, 4));
	for (int i = 0; i < 2; i++)
		OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
	for (unsigned int turn = 1; turn <= 10; turn++) {
		for (int i = 0; i < 2; i++) {
			CUstreamBatchMemOpParams op[2] = {};

			op[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
			op[0].waitValue.address = (CUdeviceptr)&words[i];
			op[0].waitValue.value = i ? turn : turn - 1;
			op[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
			CHECK(!batch(s[i], 1, op, 0));
			add<<<1, 4, 0, s[i]>>>(sum);
			CHECK(!write32(s[i], (CUdeviceptr)&words[!i], turn, 0));
		}
	}
	OK(cudaStreamSynchronize(s[0]));
	OK(cudaStreamSynchronize(s[1]));
	OK(cudaMemcpy(&host, sum, 4, cudaMemcpyDeviceToHost));
	CHECK(host == 2 * 10 * 10);
}

/* A grid of as many blocks as there is room for, that meet, has the machine to itself although streams wait. */
static void no_sm_is_occupied(unsigned int *word, unsigned int *met)
{
	cudaStream_t s[4];
	cudaDeviceProp p;
	unsigned int all;
	int blocks;

	OK(cudaGetDeviceProperties(&p, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, meet, 32, 0));
	all = (unsigned int)(blocks * p.multiProcessorCount);
	*word = *met = 0;
	for (int i = 0; i < 4; i++)
		OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
	for (int i = 0; i < 3; i++) {
		/* until one of the lowest bits is 0: not yet */
		CHECK(!write32(s[i], (CUdeviceptr)(word + i), 3, 0));
		CHECK(!wait32(s[i], (CUdeviceptr)(word + i), ~3u, CU_STREAM_WAIT_VALUE_NOR | CU_STREAM_WAIT_VALUE_FLUSH));
	}
	meet<<<all, 32, 0, s[3]>>>(met, all);
	OK(cudaStreamSynchronize(s[3]));
	CHECK(*met == all);
	for (int i = 0; i < 3; i++) {
		CHECK(cudaStreamQuery(s[i]) == cudaErrorNotReady);
		CHECK(!write32(s[3], (CUdeviceptr)(word + i), 1, 0));
		OK(cudaStreamSynchronize(s[i]));
	}
}

int main()
{
	unsigned int *pinned;

	find(&wait32, "cuStreamWaitValue32");
	find(&write32, "cuStreamWriteValue32");
	find(&batch, "cuStreamBatchMemOp");
	OK(cudaMallocHost(&pinned, 256));
	memset(pinned, 0, 256);
	cpu_stores(pinned, pinned + 1);
	streams_take_turns();
	no_sm_is_occupied(pinned + 8, pinned + 16);
	return 0;
}
