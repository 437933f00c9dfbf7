// SPDX-License-Identifier: MIT
// Graphs: captured from streams, built by hand, launched again with other parameters.
#include <cuda_runtime.h>
#include "test.h"

__global__ void scale(int *p, int f) { p[threadIdx.x] *= f; }
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

static const int n = 32;
static int *device, host[n];

static void expect(int first, int step)
{
	OK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		CHECK(host[i] == first + i * step);
}

static void start()
{
	for (int i = 0; i < n; i++)
		host[i] = i;
	OK(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
}

static void captured()
{
	cudaStreamCaptureStatus status;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	cudaStream_t a, b;
	cudaEvent_t fork, join;
	size_t nodes;

	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreate(&b));
	OK(cudaEventCreate(&fork));
	OK(cudaEventCreate(&join));
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	OK(cudaStreamIsCapturing(a, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	scale<<<1, n, 0, a>>>(device, 3);
	OK(cudaEventRecord(fork, a));
	OK(cudaStreamWaitEvent(b, fork, 0));
	add<<<1, n, 0, b>>>(device, 7);
	OK(cudaEventRecord(join, b));
	OK(cudaStreamWaitEvent(a, join, 0));
	scale<<<1, n, 0, a>>>(device, 2);
	OK(cudaStreamEndCapture(a, &graph));
	OK(cudaGraphGetNodes(graph, nullptr, &nodes));
	CHECK(nodes == 3);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	start();
	OK(cudaGraphLaunch(exec, a));
	OK(cudaStreamSynchronize(a));
	expect(14, 6);
	OK(cudaGraphLaunch(exec, a));
	OK(cudaStreamSynchronize(a));
	expect(2 * (3 * 14 + 7), 36);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
}

static void by_hand()
{
	int factor = 5, value = 9, result[n];
	void *scale_args[] = { &device, &factor }, *add_args[] = { &device, &value };
	cudaKernelNodeParams k = {};
	cudaMemsetParams m = {};
	cudaGraphNode_t fill, first, second, copy;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	OK(cudaGraphCreate(&graph, 0));
	m.dst = device;
	m.value = 2;
	m.elementSize = 4;
	m.width = n;
	m.height = 1;
	OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
	k.func = (void *)scale;
	k.gridDim = dim3(1);
	k.blockDim = dim3(n);
	k.kernelParams = scale_args;
	OK(cudaGraphAddKernelNode(&first, graph, &fill, 1, &k));
	k.func = (void *)add;
	k.kernelParams = add_args;
	OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &k));
	OK(cudaGraphAddDependencies(graph, &first, &second, 1));
	OK(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, result, device, sizeof(result), cudaMemcpyDeviceToHost));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	CHECK(result[0] == 19 && result[n - 1] == 19);
	value = 100;
	OK(cudaGraphExecKernelNodeSetParams(exec, second, &k));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	CHECK(result[0] == 110 && result[n - 1] == 110);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

int main()
{
	OK(cudaMalloc(&device, sizeof(host)));
	captured();
	by_hand();
	return 0;
}
