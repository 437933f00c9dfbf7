/* SPDX-License-Identifier: MIT */
/* A sum in a stream that is captured once, and launched as a graph for each set of numbers. */
#include "common.h"

#define N	20000u
#define ROUNDS	3u

int main(void)
{
	CUfunction f = start("reduction", "reduction");
	unsigned int n = N, seed = 5, bad = 0, *in, *out;
	CUdeviceptr data, sum;
	void *args[] = { &data, &n, &sum };
	CUgraphExec exec;
	CUstream stream;
	CUgraph graph;

	CHECK(cuMemHostAlloc((void **)&in, N * sizeof(*in), 0));
	CHECK(cuMemHostAlloc((void **)&out, sizeof(*out), 0));
	CHECK(cuMemAlloc(&data, N * sizeof(*in)));
	CHECK(cuMemAlloc(&sum, sizeof(*out)));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	CHECK(cuMemcpyHtoDAsync(data, in, N * sizeof(*in), stream));
	CHECK(cuMemsetD32Async(sum, 0, 1, stream));
	CHECK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, stream, args, NULL));
	CHECK(cuMemcpyDtoHAsync(out, sum, sizeof(*out), stream));
	CHECK(cuStreamEndCapture(stream, &graph));
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	for (unsigned int r = 0; r < ROUNDS; r++) {
		unsigned int want = 0;

		for (unsigned int i = 0; i < N; i++)
			want += in[i] = next_random(&seed);
		CHECK(cuGraphLaunch(exec, stream));
		CHECK(cuStreamSynchronize(stream));
		bad += *out != want;
	}
	CHECK(cuGraphExecDestroy(exec));
	CHECK(cuGraphDestroy(graph));
	printf("reduction: %u sums of %u numbers, %u wrong\n", ROUNDS, N, bad);
	return bad != 0;
}
