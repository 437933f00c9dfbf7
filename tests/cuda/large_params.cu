// SPDX-License-Identifier: MIT
// As many parameters as a kernel can have, 32764 bytes, launched by the CPU and by a graph.  Launched by a kernel: 4100, more
// than there could be once.  Such a kernel has them in local memory, too, for which all threads of the device need room.
#include <cuda_runtime.h>
#include <ppu_launch.h>
#include "test.h"

enum { WORDS = (32764 - 8) / 4, SMALL = (4096 - 8) / 4 + 1, THREADS = 64 };

template <int N> struct big {
	unsigned v[N];
};

// Each thread reads words all over the parameters, with an index that no compiler knows.
template <int N> __global__ void sum(unsigned *to, const __grid_constant__ big<N> b)
{
	unsigned s = 0;

	for (int i = threadIdx.x; i < N; i += blockDim.x)
		s += b.v[i] * (unsigned)(i + 1);
	atomicAdd(to, s);
	if (!threadIdx.x && !blockIdx.x)
		to[1] = b.v[N - 1];
}

__device__ big<SMALL> source;	// not on the stack

__global__ void parent(unsigned *to, int *error, unsigned seed)
{
	for (int i = 0; i < SMALL; i++)
		source.v[i] = seed + (unsigned)i;
	*error = PPU_LAUNCH(sum<SMALL>, 2, THREADS, 0, PPU_STREAM_BLOCK, to, source);
}

template <int N> static unsigned expected(unsigned seed)
{
	unsigned s = 0;

	for (int i = 0; i < N; i++)
		s += (seed + (unsigned)i) * (unsigned)(i + 1);
	return s;
}

template <int N> static void fill(big<N> *b, unsigned seed)
{
	for (int i = 0; i < N; i++)
		b->v[i] = seed + (unsigned)i;
}

template <int N> static void launches(unsigned *to)
{
	static big<N> b;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	cudaStream_t s;

	// more of them than a stream's command memory holds: each has its own parameters
	for (unsigned k = 0; k < 20; k++) {
		fill(&b, k);
		to[2 * k] = to[2 * k + 1] = 0;
		sum<N><<<2, THREADS>>>(to + 2 * k, b);
		OK(cudaGetLastError());
	}
	OK(cudaDeviceSynchronize());
	for (unsigned k = 0; k < 20; k++) {
		CHECK(to[2 * k] == 2 * expected<N>(k));
		CHECK(to[2 * k + 1] == k + N - 1);
	}
	OK(cudaStreamCreate(&s));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	fill(&b, 77);
	sum<N><<<1, THREADS, 0, s>>>(to, b);
	fill(&b, 0);
	OK(cudaStreamEndCapture(s, &graph));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	to[0] = 0;
	OK(cudaGraphLaunch(exec, s));
	OK(cudaStreamSynchronize(s));
	CHECK(to[0] == expected<N>(77));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(s));
}

int main()
{
	unsigned *to;
	int *error;

	OK(cudaMallocManaged(&to, 40 * sizeof(*to)));
	OK(cudaMallocManaged(&error, sizeof(*error)));
	launches<SMALL>(to);
	launches<WORDS>(to);
	to[0] = 0;
	*error = 1;
	parent<<<1, 1>>>(to, error, 5);
	OK(cudaDeviceSynchronize());
	CHECK(!*error);
	CHECK(to[0] == 2 * expected<SMALL>(5));
	puts("large_params: ok");
	return 0;
}
