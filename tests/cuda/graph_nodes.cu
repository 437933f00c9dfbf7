// SPDX-License-Identifier: MIT
// Nodes of graphs: asked what they are, changed, changed in the executable only; edges; what streams that are captured say.
#include <cuda_runtime.h>
#include <cstring>
#include "test.h"

#define BAD(call) CHECK((call) == cudaErrorInvalidValue)

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void mul(int *p, int v) { p[threadIdx.x] *= v; }
__device__ int variable[4];

static const int n = 4;
static int *device;

static void run(cudaGraphExec_t exec)
{
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaStreamSynchronize(0));
}

static void expect(const int *want, int first, int step)
{
	for (int i = 0; i < n; i++)
		CHECK(want[i] == first + i * step);
}

static void kernels()
{
	int v = 5, w = 100, host[n];
	void *args[] = { &device, &v }, *other[] = { &device, &w };
	cudaKernelNodeParams k = {}, seen;
	cudaLaunchAttributeValue value;
	cudaGraphNode_t a, b;
	cudaGraphNodeType type;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	k.func = (void *)add;
	k.gridDim = dim3(1);
	k.blockDim = dim3(n);
	k.kernelParams = args;
	OK(cudaMemset(device, 0, sizeof(host)));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddKernelNode(&a, graph, 0, 0, &k));
	OK(cudaGraphNodeGetType(a, &type));
	CHECK(type == cudaGraphNodeTypeKernel);
	BAD(cudaGraphNodeGetType(a, 0));
	OK(cudaGraphKernelNodeGetParams(a, &seen));
	BAD(cudaGraphKernelNodeGetParams(a, 0));
	CHECK(seen.func == (void *)add && seen.gridDim.x == 1 && seen.gridDim.y == 1 && seen.blockDim.x == n &&
	      seen.blockDim.z == 1 && !seen.sharedMemBytes && !seen.extra);
	CHECK(*(int **)seen.kernelParams[0] == device && *(int *)seen.kernelParams[1] == 5);
	// What was read can be written back, and to another node.
	OK(cudaGraphAddKernelNode(&b, graph, &a, 1, &seen));
	seen.func = (void *)mul;
	seen.blockDim.x = 2;
	OK(cudaGraphKernelNodeSetParams(b, &seen));
	BAD(cudaGraphKernelNodeSetParams(b, 0));
	OK(cudaGraphKernelNodeGetParams(b, &seen));
	CHECK(seen.func == (void *)mul && seen.blockDim.x == 2);
	OK(cudaGraphInstantiate(&exec, graph, 0, 0, 0));
	run(exec);
	OK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host[0] == 25 && host[1] == 25 && host[2] == 5 && host[3] == 5);
	// The executable has its own parameters, and nodes that do nothing.
	k.kernelParams = other;
	OK(cudaGraphExecKernelNodeSetParams(exec, a, &k));
	unsigned int enabled = 7;
	OK(cudaGraphNodeGetEnabled(exec, b, &enabled));
	CHECK(enabled == 1);
	OK(cudaGraphNodeSetEnabled(exec, b, 0));
	OK(cudaGraphNodeGetEnabled(exec, b, &enabled));
	CHECK(enabled == 0);
	run(exec);
	OK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host[0] == 125 && host[3] == 105);
	OK(cudaGraphKernelNodeGetParams(a, &seen));
	CHECK(*(int *)seen.kernelParams[1] == 5);
	// Attributes.
	memset(&value, 0, sizeof(value));
	value.priority = -1;
	OK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &value));
	OK(cudaGraphKernelNodeCopyAttributes(b, a));
	value.priority = 3;
	OK(cudaGraphKernelNodeGetAttribute(b, cudaKernelNodeAttributePriority, &value));
	CHECK(value.priority == -1);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

static void edges()
{
	cudaGraphNode_t a, b, c, list[4], from[4], to[4], found;
	cudaGraphEdgeData data[4];
	cudaGraph_t graph, clone;
	size_t count;

	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEmptyNode(&a, graph, 0, 0));
	OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
	OK(cudaGraphAddEmptyNode(&c, graph, &a, 1));
	OK(cudaGraphAddDependencies(graph, &b, &c, 1));
	OK(cudaGraphGetRootNodes(graph, 0, &count));
	CHECK(count == 1);
	count = 4;
	OK(cudaGraphGetRootNodes(graph, list, &count));
	CHECK(count == 1 && list[0] == a);
	OK(cudaGraphGetEdges(graph, 0, 0, &count));
	CHECK(count == 3);
	count = 4;
	OK(cudaGraphGetEdges(graph, from, to, &count));
	CHECK(count == 3);
	for (int i = 0; i < 3; i++)
		CHECK((from[i] == a && (to[i] == b || to[i] == c)) || (from[i] == b && to[i] == c));
	memset(data, 1, sizeof(data));
	count = 4;
	OK(cudaGraphGetEdges_v2(graph, from, to, data, &count));
	CHECK(count == 3 && !data[2].from_port && !data[2].type);
	count = 4;
	OK(cudaGraphNodeGetDependencies(c, list, &count));
	CHECK(count == 2 && ((list[0] == a && list[1] == b) || (list[0] == b && list[1] == a)));
	count = 4;
	OK(cudaGraphNodeGetDependentNodes(b, list, &count));
	CHECK(count == 1 && list[0] == c);
	count = 4;
	OK(cudaGraphNodeGetDependentNodes_v2(a, list, data, &count));
	CHECK(count == 2);
	OK(cudaGraphRemoveDependencies(graph, &a, &c, 1));
	count = 4;
	OK(cudaGraphNodeGetDependencies_v2(c, list, data, &count));
	CHECK(count == 1 && list[0] == b);
	memset(data, 0, sizeof(data));
	OK(cudaGraphRemoveDependencies_v2(graph, &b, &c, data, 1));
	OK(cudaGraphAddDependencies_v2(graph, &a, &c, data, 1));
	BAD(cudaGraphRemoveDependencies(graph, &b, &c, 1));
	OK(cudaGraphClone(&clone, graph));
	OK(cudaGraphNodeFindInClone(&found, b, clone));
	CHECK(found && found != b);
	OK(cudaGraphDestroyNode(b));
	OK(cudaGraphGetNodes(graph, 0, &count));
	CHECK(count == 2);
	OK(cudaGraphGetNodes(clone, 0, &count));
	CHECK(count == 3);
	OK(cudaGraphDestroy(clone));
	OK(cudaGraphDestroy(graph));
}

static void copies()
{
	int in[n] = { 1, 2, 3, 4 }, more[n] = { 10, 20, 30, 40 }, out[n] = {}, other[n] = {};
	cudaMemcpy3DParms seen, set;
	cudaGraphNode_t a, b, c, d;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemcpyNode1D(&a, graph, 0, 0, device, in, sizeof(in), cudaMemcpyHostToDevice));
	OK(cudaGraphAddMemcpyNodeToSymbol(&b, graph, &a, 1, variable, device, 8, 8, cudaMemcpyDeviceToDevice));
	OK(cudaGraphAddMemcpyNodeToSymbol(&c, graph, &b, 1, variable, in, 8, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphAddMemcpyNodeFromSymbol(&d, graph, &c, 1, out, variable, sizeof(out), 0, cudaMemcpyDeviceToHost));
	BAD(cudaGraphAddMemcpyNodeToSymbol(&d, graph, 0, 0, variable, in, 8, 12, cudaMemcpyHostToDevice));
	BAD(cudaGraphAddMemcpyNodeFromSymbol(&d, graph, 0, 0, out, variable, 20, 0, cudaMemcpyDeviceToHost));
	CHECK(cudaGraphAddMemcpyNodeFromSymbol(&d, graph, 0, 0, out, variable, 8, 0, cudaMemcpyHostToDevice) ==
	      cudaErrorInvalidMemcpyDirection);
	OK(cudaGraphMemcpyNodeGetParams(a, &seen));
	CHECK(seen.kind == cudaMemcpyHostToDevice && seen.srcPtr.ptr == in && seen.dstPtr.ptr == device &&
	      seen.extent.width == sizeof(in) && seen.extent.height == 1 && seen.extent.depth == 1 && !seen.srcArray);
	BAD(cudaGraphMemcpyNodeGetParams(a, 0));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	run(exec);
	CHECK(out[0] == 1 && out[1] == 2 && out[2] == 1 && out[3] == 2);
	// In the executable.
	set = seen;
	set.srcPtr.ptr = more;
	OK(cudaGraphExecMemcpyNodeSetParams(exec, a, &set));
	BAD(cudaGraphExecMemcpyNodeSetParams(exec, a, 0));
	OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, c, variable, more + 1, 8, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, d, other, variable, sizeof(other), 0, cudaMemcpyDeviceToHost));
	run(exec);
	CHECK(other[0] == 20 && other[1] == 30 && other[2] == 10 && other[3] == 20 && out[0] == 1);
	OK(cudaGraphExecDestroy(exec));
	// In the graph.
	OK(cudaGraphMemcpyNodeSetParams1D(a, device, more, sizeof(more), cudaMemcpyHostToDevice));
	OK(cudaGraphMemcpyNodeGetParams(a, &seen));
	CHECK(seen.srcPtr.ptr == more);
	OK(cudaGraphMemcpyNodeSetParams(a, &seen));
	BAD(cudaGraphMemcpyNodeSetParams(a, 0));
	OK(cudaGraphMemcpyNodeSetParamsToSymbol(c, variable, more + 2, 8, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphMemcpyNodeSetParamsFromSymbol(d, out, variable, 8, 4, cudaMemcpyDeviceToHost));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	run(exec);
	CHECK(out[0] == 40 && out[1] == 10 && out[2] == 1);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

// A copy to an array counts its elements.
static void copies_of_arrays()
{
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
	int in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, out[8] = {};
	cudaMemcpy3DParms to = {}, from = {}, seen;
	cudaGraphNode_t a, b;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	cudaArray_t array;

	OK(cudaMallocArray(&array, &desc, 4, 2));
	to.srcPtr = make_cudaPitchedPtr(in, 16, 16, 2);
	to.dstArray = array;
	to.dstPos = make_cudaPos(1, 0, 0);
	to.extent = make_cudaExtent(3, 2, 1);
	to.kind = cudaMemcpyHostToDevice;
	from.srcArray = array;
	from.srcPos = make_cudaPos(1, 0, 0);
	from.dstPtr = make_cudaPitchedPtr(out, 16, 16, 2);
	from.extent = make_cudaExtent(3, 2, 1);
	from.kind = cudaMemcpyDeviceToHost;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemcpyNode(&a, graph, 0, 0, &to));
	OK(cudaGraphAddMemcpyNode(&b, graph, &a, 1, &from));
	OK(cudaGraphMemcpyNodeGetParams(a, &seen));
	CHECK(seen.dstArray == array && seen.dstPos.x == 1 && seen.extent.width == 3 && seen.extent.height == 2 &&
	      seen.srcPtr.ptr == in && seen.srcPtr.pitch == 16 && seen.kind == cudaMemcpyHostToDevice);
	OK(cudaGraphMemcpyNodeSetParams(a, &seen));
	OK(cudaGraphMemcpyNodeGetParams(b, &seen));
	CHECK(seen.srcArray == array && seen.srcPos.x == 1 && seen.extent.width == 3 && seen.kind == cudaMemcpyDeviceToHost);
	OK(cudaGraphMemcpyNodeSetParams(b, &seen));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	run(exec);
	CHECK(out[0] == 1 && out[2] == 3 && out[3] == 0 && out[4] == 5 && out[6] == 7);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFreeArray(array));
}

// As sources for CUDA 13 call these functions.
static void newer_names()
{
	cudaMemLocation at = {}, host = {};
	cudaStreamCaptureStatus status;
	const cudaGraphNode_t *after;
	const cudaGraphEdgeData *data;
	cudaGraphNode_t a, b, list[2];
	cudaGraphNodeParams p = {};
	cudaGraphEdgeData edge = {};
	unsigned long long id;
	cudaGraph_t graph;
	cudaStream_t s;
	size_t num = 2;
	int *managed;

	at.type = cudaMemLocationTypeDevice;
	host.type = cudaMemLocationTypeHost;
	OK(cudaMallocManaged(&managed, 64));
	OK(cudaMemAdvise(managed, 64, cudaMemAdviseSetPreferredLocation, at));
	OK(cudaMemPrefetchAsync(managed, 64, at, 0));
	OK(cudaMemPrefetchAsync(managed, 64, host, 0, 0));
	BAD(cudaMemPrefetchAsync(managed, 64, at, 1));
	at.type = cudaMemLocationTypeInvalid;
	CHECK(cudaMemPrefetchAsync(managed, 64, at, 0) != cudaSuccess);
	CHECK(cudaMemAdvise(managed, 64, cudaMemAdviseSetPreferredLocation, at) != cudaSuccess);
	OK(cudaFree(managed));
	OK(cudaStreamCreate(&s));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	OK(cudaStreamGetCaptureInfo(s, &status, &id, &graph, &after, &data, &num));
	CHECK(status == cudaStreamCaptureStatusActive && num == 0);
	p.type = cudaGraphNodeTypeEmpty;
	OK(cudaGraphAddNode(&a, graph, 0, 0, 0, &p));
	OK(cudaGraphAddNode(&b, graph, 0, 0, 0, &p));
	OK(cudaGraphAddDependencies(graph, &a, &b, &edge, 1));
	num = 2;
	OK(cudaGraphNodeGetDependencies(b, list, &edge, &num));
	CHECK(num == 1 && list[0] == a);
	num = 2;
	OK(cudaGraphNodeGetDependentNodes(a, list, &edge, &num));
	CHECK(num == 1 && list[0] == b);
	num = 1;
	OK(cudaGraphGetEdges(graph, list, list + 1, &edge, &num));
	CHECK(num == 1 && list[0] == a && list[1] == b);
	OK(cudaGraphRemoveDependencies(graph, &a, &b, &edge, 1));
	OK(cudaStreamUpdateCaptureDependencies(s, &b, &edge, 1, cudaStreamSetCaptureDependencies));
	OK(cudaStreamUpdateCaptureDependencies(s, &b, &edge, 1));
	OK(cudaStreamEndCapture(s, &graph));
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(s));
}

static void count_up(void *p) { ++*(int *)p; }

static void fills_and_functions()
{
	int calls = 0, others = 0, host[n];
	cudaMemsetParams fill = { device, 0, 7, 4, n, 1 }, seen;
	cudaHostNodeParams fn = { count_up, &calls }, got;
	cudaGraphNode_t a, b, c;
	cudaGraphExec_t exec;
	cudaGraph_t graph, child, inside;

	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphCreate(&child, 0));
	OK(cudaGraphAddMemsetNode(&a, graph, 0, 0, &fill));
	OK(cudaGraphAddHostNode(&b, graph, &a, 1, &fn));
	OK(cudaGraphAddChildGraphNode(&c, graph, &b, 1, child));
	OK(cudaGraphChildGraphNodeGetGraph(c, &inside));
	CHECK(inside && inside != child);
	OK(cudaGraphMemsetNodeGetParams(a, &seen));
	CHECK(seen.dst == device && seen.value == 7 && seen.elementSize == 4 && seen.width == n && seen.height == 1);
	OK(cudaGraphHostNodeGetParams(b, &got));
	CHECK(got.fn == count_up && got.userData == &calls);
	seen.value = 9;
	OK(cudaGraphMemsetNodeSetParams(a, &seen));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	run(exec);
	OK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
	expect(host, 9, 0);
	CHECK(calls == 1);
	seen.value = 11;
	got.userData = &others;
	OK(cudaGraphExecMemsetNodeSetParams(exec, a, &seen));
	OK(cudaGraphExecHostNodeSetParams(exec, b, &got));
	OK(cudaGraphExecChildGraphNodeSetParams(exec, c, child));
	run(exec);
	OK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
	expect(host, 11, 0);
	CHECK(calls == 1 && others == 1);
	OK(cudaGraphHostNodeSetParams(b, &got));
	OK(cudaGraphHostNodeGetParams(b, &got));
	CHECK(got.userData == &others);
	BAD(cudaGraphMemsetNodeGetParams(a, 0));
	BAD(cudaGraphMemsetNodeSetParams(a, 0));
	BAD(cudaGraphExecMemsetNodeSetParams(exec, a, 0));
	BAD(cudaGraphHostNodeGetParams(b, 0));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(child));
	OK(cudaGraphDestroy(graph));
}

static void events()
{
	cudaGraphNode_t a, b;
	cudaEvent_t one, two, e;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	OK(cudaEventCreate(&one));
	OK(cudaEventCreate(&two));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEventWaitNode(&a, graph, 0, 0, one));
	OK(cudaGraphAddEventRecordNode(&b, graph, &a, 1, one));
	OK(cudaGraphEventWaitNodeGetEvent(a, &e));
	CHECK(e == one);
	OK(cudaGraphEventRecordNodeSetEvent(b, two));
	OK(cudaGraphEventRecordNodeGetEvent(b, &e));
	CHECK(e == two);
	OK(cudaGraphEventWaitNodeSetEvent(a, one));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphExecEventRecordNodeSetEvent(exec, b, one));
	OK(cudaGraphExecEventWaitNodeSetEvent(exec, a, two));
	run(exec);
	OK(cudaEventQuery(one));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaEventDestroy(one));
	OK(cudaEventDestroy(two));
}

static void memory()
{
	cudaMemAllocNodeParams m = {}, seen;
	cudaKernelNodeParams k = {};
	unsigned long long used = 99;
	int host[n], v = 4;
	cudaGraphNode_t a, b, c, d;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	void *ptr, *args[2];

	m.poolProps.allocType = cudaMemAllocationTypePinned;
	m.poolProps.location.type = cudaMemLocationTypeDevice;
	m.bytesize = sizeof(host);
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemAllocNode(&a, graph, 0, 0, &m));
	CHECK(m.dptr);
	OK(cudaGraphMemAllocNodeGetParams(a, &seen));
	CHECK(seen.dptr == m.dptr && seen.bytesize == sizeof(host));
	cudaMemsetParams fill = { m.dptr, 0, 3, 4, n, 1 };
	OK(cudaGraphAddMemsetNode(&b, graph, &a, 1, &fill));
	args[0] = &m.dptr;
	args[1] = &v;
	k.func = (void *)mul;
	k.gridDim = dim3(1);
	k.blockDim = dim3(n);
	k.kernelParams = args;
	OK(cudaGraphAddKernelNode(&c, graph, &b, 1, &k));
	OK(cudaGraphAddMemcpyNode1D(&b, graph, &c, 1, host, m.dptr, sizeof(host), cudaMemcpyDeviceToHost));
	OK(cudaGraphAddMemFreeNode(&d, graph, &b, 1, m.dptr));
	OK(cudaGraphMemFreeNodeGetParams(d, &ptr));
	CHECK(ptr == m.dptr);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	run(exec);
	expect(host, 12, 0);
	OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
	OK(cudaDeviceGraphMemTrim(0));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

static void any_nodes()
{
	int host[n], v = 6, w = 8, calls = 0;
	void *args[] = { &device, &v }, *others[] = { &device, &w };
	cudaGraphNodeParams p = {};
	cudaGraphNode_t node[8];
	cudaGraphEdgeData edge = {};
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	cudaEvent_t event;

	OK(cudaEventCreate(&event));
	OK(cudaGraphCreate(&graph, 0));
	p.type = cudaGraphNodeTypeMemset;
	p.memset = (cudaMemsetParams){ device, 0, 1, 4, n, 1 };
	OK(cudaGraphAddNode(&node[0], graph, 0, 0, &p));
	memset(&p, 0, sizeof(p));
	p.type = cudaGraphNodeTypeKernel;
	p.kernel.func = (void *)add;
	p.kernel.gridDim = dim3(1);
	p.kernel.blockDim = dim3(n);
	p.kernel.kernelParams = args;
	OK(cudaGraphAddNode_v2(&node[1], graph, node, &edge, 1, &p));
	p.kernel.kernelParams = others;
	OK(cudaGraphNodeSetParams(node[1], &p));
	p.kernel.kernelParams = args;
	cudaGraphNodeParams copy = {};
	copy.type = cudaGraphNodeTypeMemcpy;
	copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(device, sizeof(host), sizeof(host), 1);
	copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(host, sizeof(host), sizeof(host), 1);
	copy.memcpy.copyParams.extent = make_cudaExtent(sizeof(host), 1, 1);
	copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
	OK(cudaGraphAddNode(&node[2], graph, &node[1], 1, &copy));
	cudaGraphNodeParams rest = {};
	rest.type = cudaGraphNodeTypeHost;
	rest.host.fn = count_up;
	rest.host.userData = &calls;
	OK(cudaGraphAddNode(&node[3], graph, &node[2], 1, &rest));
	memset(&rest, 0, sizeof(rest));
	rest.type = cudaGraphNodeTypeEmpty;
	OK(cudaGraphAddNode(&node[4], graph, &node[3], 1, &rest));
	rest.type = cudaGraphNodeTypeEventRecord;
	rest.eventRecord.event = event;
	OK(cudaGraphAddNode(&node[5], graph, &node[4], 1, &rest));
	rest.type = cudaGraphNodeTypeExtSemaphoreSignal;
	CHECK(cudaGraphAddNode(&node[6], graph, 0, 0, &rest) == cudaErrorNotSupported);
	rest.type = (cudaGraphNodeType)99;
	BAD(cudaGraphAddNode(&node[6], graph, 0, 0, &rest));
	BAD(cudaGraphAddNode(&node[6], graph, 0, 0, 0));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	run(exec);
	expect(host, 9, 0);
	CHECK(calls == 1);
	OK(cudaEventQuery(event));
	OK(cudaGraphExecNodeSetParams(exec, node[1], &p));
	run(exec);
	expect(host, 7, 0);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaEventDestroy(event));
}

static void captured()
{
	cudaStreamCaptureStatus status;
	const cudaGraphNode_t *after;
	cudaGraph_t graph, seen;
	cudaGraphNode_t extra;
	cudaGraphInstantiateParams params = {};
	cudaGraphExec_t exec;
	unsigned long long id = 0, flags = 99;
	cudaStream_t s;
	int host[n];
	size_t num;

	OK(cudaMemset(device, 0, sizeof(host)));
	OK(cudaStreamCreate(&s));
	OK(cudaStreamGetCaptureInfo(s, &status, &id));
	CHECK(status == cudaStreamCaptureStatusNone);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	add<<<1, n, 0, s>>>(device, 2);
	OK(cudaStreamGetCaptureInfo_v2(s, &status, &id, &seen, &after, &num));
	CHECK(status == cudaStreamCaptureStatusActive && id && seen && num == 1);
	const cudaGraphEdgeData *data;
	OK(cudaStreamGetCaptureInfo_v3(s, &status, &id, &seen, &after, &data, &num));
	CHECK(num == 1);
	// A node of one's own, behind what was captured; what is captured next comes behind it.
	int v = 10;
	void *args[] = { &device, &v };
	cudaKernelNodeParams k = {};
	k.func = (void *)mul;
	k.gridDim = dim3(1);
	k.blockDim = dim3(n);
	k.kernelParams = args;
	OK(cudaGraphAddKernelNode(&extra, seen, after, num, &k));
	OK(cudaStreamUpdateCaptureDependencies(s, nullptr, 0, cudaStreamSetCaptureDependencies));
	OK(cudaStreamUpdateCaptureDependencies(s, &extra, 1, cudaStreamSetCaptureDependencies));
	add<<<1, n, 0, s>>>(device, 3);
	OK(cudaStreamEndCapture(s, &graph));
	CHECK(graph == seen);
	params.uploadStream = s;
	params.flags = cudaGraphInstantiateFlagAutoFreeOnLaunch;
	OK(cudaGraphInstantiateWithParams(&exec, graph, &params));
	CHECK(params.result_out == cudaGraphInstantiateSuccess && params.uploadStream == s);
	BAD(cudaGraphInstantiateWithParams(&exec, graph, 0));
	cudaGraphExecUpdateResult result;
	OK(cudaGraphExecUpdate(exec, graph, 0, &result));
	CHECK(result == cudaGraphExecUpdateSuccess);
	OK(cudaGraphExecGetFlags(exec, &flags));
	CHECK(flags == cudaGraphInstantiateFlagAutoFreeOnLaunch);
	BAD(cudaGraphExecGetFlags(exec, 0));
	run(exec);
	OK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
	expect(host, 23, 0);
	OK(cudaGraphExecDestroy(exec));
	// Into a graph that is there.
	OK(cudaStreamBeginCaptureToGraph(s, graph, 0, 0, 0, cudaStreamCaptureModeRelaxed));
	add<<<1, n, 0, s>>>(device + n, 1);
	OK(cudaStreamEndCapture(s, &seen));
	CHECK(seen == graph);
	OK(cudaGraphGetNodes(graph, 0, &num));
	CHECK(num == 4);
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(s));
}

static void objects()
{
	cudaUserObject_t object;
	cudaGraph_t graph;
	int ended = 0;

	OK(cudaUserObjectCreate(&object, &ended, count_up, 1, cudaUserObjectNoDestructorSync));
	OK(cudaUserObjectRetain(object));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
	OK(cudaUserObjectRelease(object));
	CHECK(!ended);
	OK(cudaGraphReleaseUserObject(graph, object));
	OK(cudaGraphDestroy(graph));
	OK(cudaDeviceSynchronize());
	CHECK(ended == 1);
}

static void streams()
{
	cudaStreamAttrValue value, seen;
	cudaStream_t a, b;

	memset(&value, 0, sizeof(value));
	value.accessPolicyWindow.base_ptr = device;
	value.accessPolicyWindow.num_bytes = 64;
	value.accessPolicyWindow.hitRatio = 0.5f;
	value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreate(&b));
	OK(cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &value));
	OK(cudaStreamCopyAttributes(b, a));
	OK(cudaStreamGetAttribute(b, cudaStreamAttributeAccessPolicyWindow, &seen));
	CHECK(!memcmp(&seen.accessPolicyWindow, &value.accessPolicyWindow, sizeof(seen.accessPolicyWindow)));
	OK(cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value));
	value.syncPolicy = cudaSyncPolicyYield;
	OK(cudaStreamSetAttribute(a, cudaStreamAttributeSynchronizationPolicy, &value));
	OK(cudaStreamGetAttribute(a, cudaStreamAttributeSynchronizationPolicy, &seen));
	CHECK(seen.syncPolicy == cudaSyncPolicyYield);
	OK(cudaStreamGetAttribute(b, cudaStreamAttributeSynchronizationPolicy, &seen));
	CHECK(seen.syncPolicy == cudaSyncPolicyAuto);
	BAD(cudaStreamGetAttribute(a, (cudaStreamAttrID)77, &seen));
	BAD(cudaStreamSetAttribute(a, cudaStreamAttributePriority, 0));
	OK(cudaCtxResetPersistingL2Cache());
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
}

int main()
{
	OK(cudaMalloc(&device, 2 * n * sizeof(int)));
	kernels();
	edges();
	newer_names();
	copies();
	copies_of_arrays();
	fills_and_functions();
	events();
	memory();
	any_nodes();
	captured();
	objects();
	streams();
	printf("ok\n");
	return 0;
}
