/* SPDX-License-Identifier: MIT */
/* The CUDA Driver API: graphs made node by node, instantiated, launched, changed. */
#include "cuda_test.h"

static CUgraphNode kernel_node(CUgraph g, const CUgraphNode *deps, size_t num, const char *name, CUdeviceptr *p,
			       unsigned int *v)
{
	void *params[] = { p, v };
	CUDA_KERNEL_NODE_PARAMS k = { .func = function(name), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
				      .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .kernelParams = params };
	CUgraphNode n;

	OK(cuGraphAddKernelNode_v2(&n, g, deps, num, &k));
	return n;
}

static CUgraphExec ready(CUgraph g)
{
	CUgraphExec e;

	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	return e;
}

static void launch(CUgraphExec e)
{
	OK(cuGraphLaunch(e, 0));
	OK(cuStreamSynchronize(0));
}

/*
 * (x + 1) * 10 in one order, x * 10 + 1 in the other: the dependencies decide, not the order in which nodes are added.
 */
START_TEST(dependencies_rule)
{
	unsigned int ten = 10;
	CUgraphNode a, b, from, to;
	CUdeviceptr p;
	size_t num = 1;
	CUgraphExec e;
	CUgraph g;

	begin(small_ptx);
	p = one_word(3);
	OK(cuGraphCreate(&g, 0));
	a = kernel_node(g, NULL, 0, "scale", &p, &ten);
	b = kernel_node(g, NULL, 0, "add_one", &p, &ten);
	OK(cuGraphAddDependencies(g, &b, &a, 1));	/* the second comes first */
	BAD(cuGraphAddDependencies(g, &b, &a, 1));	/* there already */
	BAD(cuGraphAddDependencies(g, &b, &b, 1));
	OK(cuGraphGetEdges(g, NULL, NULL, &num));
	ck_assert_uint_eq(num, 1);
	OK(cuGraphGetEdges(g, &from, &to, &num));
	ck_assert(from == b && to == a);
	ten = 77;		/* arguments were copied */
	e = ready(g);
	launch(e);
	ck_assert_uint_eq(word_at(p), 40);
	launch(e);
	ck_assert_uint_eq(word_at(p), 410);
	OK(cuGraphRemoveDependencies(g, &b, &a, 1));
	BAD(cuGraphRemoveDependencies(g, &b, &a, 1));
	OK(cuGraphAddDependencies(g, &a, &b, 1));
	launch(e);		/* instantiated before the change: unchanged */
	ck_assert_uint_eq(word_at(p), 4110);
	OK(cuGraphExecDestroy(e));
	e = ready(g);
	set_word(p, 3);
	launch(e);
	ck_assert_uint_eq(word_at(p), 31);
	OK(cuGraphAddDependencies(g, &b, &a, 1));	/* a circle */
	BAD(cuGraphInstantiateWithFlags(&e, g, 0));
}
END_TEST

static void count(void *data)
{
	__atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

/* Every kind of node in one chain; the final values show what each node did. */
START_TEST(kinds_of_nodes)
{
	unsigned int five = 5, out[4] = { 0 };
	CUDA_MEMSET_NODE_PARAMS fill = { .value = 7, .elementSize = 4, .width = 4, .height = 1 }, fill2;
	CUDA_MEMCPY3D copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_HOST,
			       .WidthInBytes = sizeof(out), .Height = 1, .Depth = 1 }, copy2;
	CUDA_HOST_NODE_PARAMS host = { count, NULL }, host2;
	CUgraphNode n[7], root, deps[8];
	CUgraphNodeType type;
	CUevent before, after, e2;
	CUgraph g, child;
	int called = 0;
	CUdeviceptr p;
	CUgraphExec e;
	size_t num;
	float ms;

	begin(small_ptx);
	OK(cuMemAlloc(&p, sizeof(out)));
	OK(cuEventCreate(&before, 0));
	OK(cuEventCreate(&after, 0));
	fill.dst = copy.srcDevice = p;
	copy.dstHost = out;
	host.userData = &called;
	OK(cuGraphCreate(&child, 0));
	kernel_node(child, NULL, 0, "scale", &p, &five);
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddEventRecordNode(&n[0], g, NULL, 0, before));
	OK(cuGraphAddMemsetNode(&n[1], g, &n[0], 1, &fill, ctx));
	OK(cuGraphAddEmptyNode(&n[2], g, &n[1], 1));
	OK(cuGraphAddChildGraphNode(&n[3], g, &n[2], 1, child));
	OK(cuGraphAddMemcpyNode(&n[4], g, &n[3], 1, &copy, ctx));
	OK(cuGraphAddHostNode(&n[5], g, &n[4], 1, &host));
	OK(cuGraphAddEventRecordNode(&n[6], g, &n[5], 1, after));
	OK(cuGraphDestroy(child));		/* the node has its own copy */
	num = 7;
	OK(cuGraphGetNodes(g, deps, &num));
	ck_assert_uint_eq(num, 7);
	num = 8;
	OK(cuGraphGetRootNodes(g, deps, &num));
	ck_assert_uint_eq(num, 1);
	root = deps[0];
	ck_assert_ptr_eq(root, n[0]);
	num = 8;
	OK(cuGraphNodeGetDependentNodes(n[2], deps, &num));
	ck_assert(num == 1 && deps[0] == n[3]);
	OK(cuGraphNodeGetType(n[3], &type));
	ck_assert_int_eq(type, CU_GRAPH_NODE_TYPE_GRAPH);
	OK(cuGraphMemsetNodeGetParams(n[1], &fill2));
	ck_assert_mem_eq(&fill, &fill2, sizeof(fill));
	OK(cuGraphMemcpyNodeGetParams(n[4], &copy2));
	ck_assert_ptr_eq(copy2.dstHost, out);
	OK(cuGraphHostNodeGetParams(n[5], &host2));
	ck_assert_ptr_eq(host2.userData, &called);
	OK(cuGraphEventRecordNodeGetEvent(n[6], &e2));
	ck_assert_ptr_eq(e2, after);
	BAD(cuGraphHostNodeGetParams(n[4], &host2));		/* of another kind */
	BAD(cuGraphAddMemsetNode(&root, g, NULL, 0, &(CUDA_MEMSET_NODE_PARAMS){ .elementSize = 3 }, ctx));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuGraphAddMemsetNode(&root, g, NULL, 0, &fill, (CUcontext)out));
	e = ready(g);
	launch(e);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(out[i], i ? 7 : 35);
	ck_assert_int_eq(called, 1);
	OK(cuEventElapsedTime(&ms, before, after));
	ck_assert(ms > 0);
	OK(cuGraphDestroy(g));
	BAD(cuGraphDestroy(g));
	BAD(cuGraphNodeGetType(n[3], &type));
	launch(e);				/* does not depend on the original */
	ck_assert_int_eq(called, 2);
	OK(cuGraphExecDestroy(e));
	BAD(cuGraphExecDestroy(e));
	BAD(cuGraphLaunch(e, 0));
}
END_TEST

/* cuGraphAddNode takes all kinds by one structure. */
START_TEST(nodes_by_the_common_call)
{
	unsigned int two = 2;
	CUgraphNodeParams k = { .type = CU_GRAPH_NODE_TYPE_KERNEL }, f = { .type = CU_GRAPH_NODE_TYPE_MEMSET }, bad = { 0 };
	CUgraphEdgeData edge = { 0 };
	CUgraphNode a, b;
	CUdeviceptr p;
	void *params[] = { &p, &two };
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	OK(cuGraphCreate(&g, 0));
	f.memset.dst = p;
	f.memset.value = 21;
	f.memset.elementSize = 4;
	f.memset.width = f.memset.height = 1;
	k.kernel = (CUDA_KERNEL_NODE_PARAMS){ .func = function("scale"), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
					      .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .kernelParams = params };
	OK(cuGraphAddNode_v2(&a, g, NULL, NULL, 0, &f));
	OK(cuGraphAddNode_v2(&b, g, &a, &edge, 1, &k));
	edge.type = 1;
	IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode_v2(&b, g, &a, &edge, 1, &k));
	launch(ready(g));
	ck_assert_uint_eq(word_at(p), 42);
	f.memset.value = 100;
	OK(cuGraphNodeSetParams(a, &f));
	BAD(cuGraphNodeSetParams(a, &k));		/* of another kind */
	launch(ready(g));
	ck_assert_uint_eq(word_at(p), 200);
	bad.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
	IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode_v2(&b, g, NULL, NULL, 0, &bad));
	bad.type = (CUgraphNodeType)99;
	BAD(cuGraphAddNode_v2(&b, g, NULL, NULL, 0, &bad));
	k.kernel.gridDimX = 0;
	BAD(cuGraphAddNode_v2(&b, g, NULL, NULL, 0, &k));
}
END_TEST

/* Nodes of an executable graph get other arguments, are disabled and enabled again. */
START_TEST(changes_of_the_executable)
{
	unsigned int two = 2, nine = 9, enabled;
	CUDA_KERNEL_NODE_PARAMS k, seen;
	CUdeviceptr p, q;
	void *params[2];
	CUgraphNode n;
	CUgraphExec e;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	q = one_word(1);
	OK(cuGraphCreate(&g, 0));
	n = kernel_node(g, NULL, 0, "store", &p, &two);
	OK(cuGraphKernelNodeGetParams_v2(n, &k));
	ck_assert_ptr_eq(k.func, function("store"));
	ck_assert_uint_eq(*(CUdeviceptr *)k.kernelParams[0], p);
	ck_assert_uint_eq(*(unsigned int *)k.kernelParams[1], 2);
	e = ready(g);
	params[0] = &q;
	params[1] = &nine;
	k.kernelParams = params;
	OK(cuGraphExecKernelNodeSetParams_v2(e, n, &k));
	launch(e);
	ck_assert_uint_eq(word_at(p), 1);
	ck_assert_uint_eq(word_at(q), 9);
	OK(cuGraphKernelNodeGetParams_v2(n, &seen));		/* the graph itself did not change */
	ck_assert_uint_eq(*(unsigned int *)seen.kernelParams[1], 2);
	OK(cuGraphNodeGetEnabled(e, n, &enabled));
	ck_assert_uint_eq(enabled, 1);
	OK(cuGraphNodeSetEnabled(e, n, 0));
	set_word(q, 4);
	launch(e);
	ck_assert_uint_eq(word_at(q), 4);
	OK(cuGraphNodeSetEnabled(e, n, 1));
	launch(e);
	ck_assert_uint_eq(word_at(q), 9);
	OK(cuGraphKernelNodeSetParams_v2(n, &k));
	launch(ready(g));
	BAD(cuGraphExecHostNodeSetParams(e, n, &(CUDA_HOST_NODE_PARAMS){ count, NULL }));
	BAD(cuGraphExecKernelNodeSetParams_v2(e, (CUgraphNode)&two, &k));
	k.blockDimX = 1 << 20;
	BAD(cuGraphExecKernelNodeSetParams_v2(e, n, &k));
}
END_TEST

/* A whole new graph of the same shape. */
START_TEST(update)
{
	unsigned int two = 2, three = 3;
	CUgraphExecUpdateResultInfo info;
	CUgraphNode a, b;
	CUdeviceptr p;
	CUgraphExec e;
	CUgraph g, h;

	begin(small_ptx);
	p = one_word(10);
	OK(cuGraphCreate(&g, 0));
	a = kernel_node(g, NULL, 0, "add_one", &p, &two);
	kernel_node(g, &a, 1, "scale", &p, &two);
	e = ready(g);
	OK(cuGraphCreate(&h, 0));
	a = kernel_node(h, NULL, 0, "add_one", &p, &two);
	b = kernel_node(h, &a, 1, "scale", &p, &three);
	OK(cuGraphExecUpdate_v2(e, h, &info));
	ck_assert_int_eq(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	launch(e);
	ck_assert_uint_eq(word_at(p), 33);
	OK(cuGraphRemoveDependencies(h, &a, &b, 1));
	IS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(e, h, &info));
	ck_assert_int_eq(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	OK(cuGraphDestroyNode(b));
	IS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(e, h, &info));
	ck_assert_int_eq(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	OK(cuGraphAddEmptyNode(&b, h, &a, 1));
	IS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(e, h, &info));
	ck_assert_int_eq(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
	ck_assert_ptr_eq(info.errorNode, b);
	launch(e);			/* the failed call changed nothing */
	ck_assert_uint_eq(word_at(p), 102);
	BAD(cuGraphExecUpdate_v2(e, (CUgraph)&p, &info));
}
END_TEST

/*
 * A launch that is not possible is refused by each call that takes one: as a launch, in a capture, as a new node, as the
 * parameters of a node and of an executable graph, which stay as they were.
 */
START_TEST(impossible_kernels)
{
	unsigned int two = 2;
	CUdeviceptr p;
	char buffer[16];
	size_t bytes = 12, less = 11, more = 4096;
	void *params[] = { &p, &two }, *holes[] = { &p, NULL };
	void *whole[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END };
	void *large[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &more, CU_LAUNCH_PARAM_END };
	void *cut[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &less, CU_LAUNCH_PARAM_END };
	void *lost[] = { CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END };
	void *sizeless[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_END };
	void *null[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, NULL, CU_LAUNCH_PARAM_END };
	void *strange[] = { (void *)7, buffer, CU_LAUNCH_PARAM_END }, *nothing[] = { CU_LAUNCH_PARAM_END };
	CUDA_KERNEL_NODE_PARAMS good, k;
	int gx, gy, gz, bx, by, bz, threads, dynamic;
	CUstreamCaptureStatus status;
	CUgraphNode node, n;
	CUgraphExec e;
	CUgraph g, taken;
	CUstream s;
	size_t num;

#define ATTRIBUTE(v, name) OK(cuDeviceGetAttribute(&(v), CU_DEVICE_ATTRIBUTE_MAX_##name, 0))
	begin(small_ptx);
	p = one_word(1);
	memcpy(buffer, &p, 8);
	memcpy(buffer + 8, &two, 4);
	ATTRIBUTE(gx, GRID_DIM_X);
	ATTRIBUTE(gy, GRID_DIM_Y);
	ATTRIBUTE(gz, GRID_DIM_Z);
	ATTRIBUTE(bx, BLOCK_DIM_X);
	ATTRIBUTE(by, BLOCK_DIM_Y);
	ATTRIBUTE(bz, BLOCK_DIM_Z);
	ATTRIBUTE(threads, THREADS_PER_BLOCK);
	OK(cuFuncGetAttribute(&dynamic, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function("scale")));
	ck_assert_int_ge(dynamic, 16384);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuGraphCreate(&g, 0));
	node = kernel_node(g, NULL, 0, "scale", &p, &two);
	e = ready(g);
	good = (CUDA_KERNEL_NODE_PARAMS){ .func = function("scale"), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
					  .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .kernelParams = params };
	for (unsigned i = 0; i < 31; i++) {
		bool right = i >= 26;

		k = good;
		switch (i) {
		case 0: k.gridDimX = 0; break;
		case 1: k.gridDimY = 0; break;
		case 2: k.gridDimZ = 0; break;
		case 3: k.gridDimX = (unsigned)gx + 1; break;
		case 4: k.gridDimY = (unsigned)gy + 1; break;
		case 5: k.gridDimZ = (unsigned)gz + 1; break;
		case 6: k.blockDimX = 0; break;
		case 7: k.blockDimY = 0; break;
		case 8: k.blockDimZ = 0; break;
		case 9: k.blockDimX = (unsigned)bx + 1; break;
		case 10: k.blockDimY = (unsigned)by + 1; break;
		case 11: k.blockDimZ = (unsigned)bz + 1; break;
		case 12: k.blockDimX = (unsigned)threads / 2 + 1, k.blockDimY = 2; break;
		case 13: k.sharedMemBytes = (unsigned)dynamic + 1; break;
		case 14: k.kernelParams = NULL; break;
		case 15: k.extra = whole; break;		/* both forms */
		case 16: k.kernelParams = holes; break;
		case 17: k.kernelParams = NULL, k.extra = cut; break;
		case 18: k.kernelParams = NULL, k.extra = lost; break;
		case 19: k.kernelParams = NULL, k.extra = sizeless; break;
		case 20: k.kernelParams = NULL, k.extra = null; break;
		case 21: k.kernelParams = NULL, k.extra = strange; break;
		case 22: k.kernelParams = NULL, k.extra = nothing; break;
		case 23: k.blockDimX = k.blockDimY = k.blockDimZ = 1u << 31; break;
		case 24: k.sharedMemBytes = 0xffffffff; break;
		case 25: k.blockDimZ = 0xffffffff; break;
		case 26: k.kernelParams = NULL, k.extra = whole; break;
		case 27: k.kernelParams = NULL, k.extra = large; break;
		case 28: k.sharedMemBytes = (unsigned)dynamic; break;
		case 29: k.blockDimX = (unsigned)threads / 2, k.blockDimY = 2; break;
		case 30: k.gridDimX = 3; break;
		}
#define TAKES(call) do { \
	CUresult r_ = (call); \
	ck_assert_msg(!r_ == right, "case %u: %s: %d", i, #call, r_); \
} while (0)
		TAKES(cuLaunchKernel(k.func, k.gridDimX, k.gridDimY, k.gridDimZ, k.blockDimX, k.blockDimY, k.blockDimZ,
				     k.sharedMemBytes, s, k.kernelParams, k.extra));
		OK(cuStreamSynchronize(s));
		OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
		TAKES(cuLaunchKernel(k.func, k.gridDimX, k.gridDimY, k.gridDimZ, k.blockDimX, k.blockDimY, k.blockDimZ,
				     k.sharedMemBytes, s, k.kernelParams, k.extra));
		OK(cuStreamIsCapturing(s, &status));
		if (cuStreamEndCapture(s, &taken) == CUDA_SUCCESS && taken) {
			num = 99;
			OK(cuGraphGetNodes(taken, NULL, &num));
			ck_assert_uint_eq(num, right);
			OK(cuGraphDestroy(taken));
		}
		TAKES(cuGraphAddKernelNode_v2(&n, g, NULL, 0, &k));
		if (right)
			OK(cuGraphDestroyNode(n));
		TAKES(cuGraphKernelNodeSetParams_v2(node, &k));
		OK(cuGraphKernelNodeSetParams_v2(node, &good));
		TAKES(cuGraphExecKernelNodeSetParams_v2(e, node, &k));
		if (right)
			OK(cuGraphExecKernelNodeSetParams_v2(e, node, &good));
		num = 99;
		OK(cuGraphGetNodes(g, NULL, &num));
		ck_assert_uint_eq(num, 1);
		OK(cuMemsetD32(p, 7, 1));
		launch(e);
		ck_assert_uint_eq(word_at(p), 14);
	}
	OK(cuGraphDestroy(g));
}
END_TEST

START_TEST(clones)
{
	unsigned int two = 2, three = 3;
	void *params[2];
	CUDA_KERNEL_NODE_PARAMS k;
	CUgraphNode a, b, same;
	CUdeviceptr p;
	CUgraph g, h;

	begin(small_ptx);
	p = one_word(1);
	OK(cuGraphCreate(&g, 0));
	a = kernel_node(g, NULL, 0, "add_one", &p, &two);
	b = kernel_node(g, &a, 1, "scale", &p, &two);
	OK(cuGraphClone(&h, g));
	OK(cuGraphNodeFindInClone(&same, b, h));
	ck_assert_ptr_ne(same, b);
	BAD(cuGraphNodeFindInClone(&same, b, g));
	OK(cuGraphNodeFindInClone(&same, b, h));
	OK(cuGraphKernelNodeGetParams_v2(same, &k));
	params[0] = &p;
	params[1] = &three;
	k.kernelParams = params;
	OK(cuGraphKernelNodeSetParams_v2(same, &k));
	launch(ready(h));
	ck_assert_uint_eq(word_at(p), 6);
	launch(ready(g));			/* the original as it was */
	ck_assert_uint_eq(word_at(p), 14);
	OK(cuGraphDestroy(g));
	launch(ready(h));
	ck_assert_uint_eq(word_at(p), 45);
	BAD(cuGraphClone(&g, g));
	BAD(cuGraphAddKernelNode_v2(&a, h, &b, 1, &k));		/* b is of another graph, and gone */
}
END_TEST

/* Memory of a graph: at one address at every launch, free after the graph. */
START_TEST(memory_nodes)
{
	CUDA_MEM_ALLOC_NODE_PARAMS m = {
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } },
		.bytesize = 4096,
	};
	unsigned int six = 6;
	unsigned long long now, before;
	CUgraphNode a, k, f;
	CUgraphExec e;
	CUgraph g, h;

	begin(small_ptx);
	OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &before));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddMemAllocNode(&a, g, NULL, 0, &m));
	ck_assert_uint_ne(m.dptr, 0);
	OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &now));
	ck_assert_uint_eq(now - before, 4096);
	k = kernel_node(g, &a, 1, "store", &m.dptr, &six);
	e = ready(g);
	launch(e);
	ck_assert_uint_eq(word_at(m.dptr), 6);
	OK(cuGraphAddMemFreeNode(&f, g, &k, 1, m.dptr));
	BAD(cuGraphAddMemFreeNode(&f, g, &k, 1, (uintptr_t)&six));
	IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&h, g));
	OK(cuGraphDestroy(g));
	launch(e);				/* keeps its memory */
	OK(cuMemFreeAsync(m.dptr, 0));
	OK(cuGraphExecDestroy(e));
	OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &now));
	ck_assert_uint_eq(now, before);
	OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &now));
	ck_assert_uint_eq(now, before + 4096);
	BAD(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &now));	/* only to 0: to what is used now */
	now = 0;
	BAD(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &now));
	OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &now));
	OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &now));
	ck_assert_uint_eq(now, before);
	BAD(cuDeviceGetGraphMemAttribute(0, (CUgraphMem_attribute)4, &now));
	OK(cuDeviceGraphMemTrim(0));
	BAD(cuMemcpyDtoH(&six, m.dptr, 4));
	m.bytesize = 0;
	OK(cuGraphCreate(&g, 0));
	BAD(cuGraphAddMemAllocNode(&a, g, NULL, 0, &m));
}
END_TEST

/* What a graph keeps is freed with the last object that needs it. */
START_TEST(user_objects)
{
	CUuserObject o;
	int gone = 0;
	CUgraphExec e;
	CUgraph g, h;

	begin(small_ptx);
	BAD(cuUserObjectCreate(&o, &gone, count, 0, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	OK(cuUserObjectCreate(&o, &gone, count, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
	e = ready(g);
	OK(cuGraphDestroy(g));
	ck_assert_int_eq(gone, 0);
	OK(cuGraphExecDestroy(e));
	ck_assert_int_eq(gone, 1);
	BAD(cuUserObjectRelease(o, 1));
	OK(cuUserObjectCreate(&o, &gone, count, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	OK(cuUserObjectRetain(o, 1));
	OK(cuUserObjectRelease(o, 2));
	ck_assert_int_eq(gone, 1);
	OK(cuUserObjectRelease(o, 1));
	ck_assert_int_eq(gone, 2);
	/* two graphs, one with references of its own; the program gives up one graph's before the graph goes */
	OK(cuUserObjectCreate(&o, &gone, count, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
	OK(cuGraphRetainUserObject(g, o, 2, 0));
	OK(cuUserObjectRelease(o, 1));
	OK(cuGraphClone(&h, g));
	BAD(cuGraphReleaseUserObject(g, o, 4));		/* has three */
	BAD(cuGraphReleaseUserObject((CUgraph)&gone, o, 1));
	OK(cuGraphReleaseUserObject(g, o, 1));
	OK(cuGraphReleaseUserObject(g, o, 2));
	BAD(cuGraphReleaseUserObject(g, o, 1));
	ck_assert_int_eq(gone, 2);
	OK(cuGraphDestroy(g));
	ck_assert_int_eq(gone, 2);
	OK(cuGraphReleaseUserObject(h, o, 2));
	ck_assert_int_eq(gone, 2);
	OK(cuGraphDestroy(h));
	ck_assert_int_eq(gone, 3);
}
END_TEST

/* Attributes of a kernel's node are read, changed, copied to another node, and stay when its arguments change. */
START_TEST(attributes_of_kernels)
{
	const CUlaunchAttributeValue pair = { .clusterDim = { 2, 1, 1 } }, single = { .clusterDim = { 1, 1, 1 } };
	CUlaunchAttributeValue v, w;
	CUDA_KERNEL_NODE_PARAMS k;
	unsigned int two = 2;
	CUgraphNode a, b, empty;
	CUdeviceptr p;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	OK(cuGraphCreate(&g, 0));
	a = kernel_node(g, NULL, 0, "store", &p, &two);
	b = kernel_node(g, &a, 1, "scale", &p, &two);
	OK(cuGraphAddEmptyNode(&empty, g, NULL, 0));
	memset(&v, 0xff, sizeof(v));
	OK(cuGraphKernelNodeGetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
	ck_assert_int_eq(v.cooperative, 0);
	OK(cuGraphKernelNodeGetAttribute(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v));
	ck_assert(v.clusterDim.x == 1 && v.clusterDim.y == 1 && v.clusterDim.z == 1);
	OK(cuGraphKernelNodeGetAttribute(a, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
	BAD(cuGraphKernelNodeGetAttribute(a, (CUlaunchAttributeID)999, &v));
	BAD(cuGraphKernelNodeGetAttribute(empty, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	BAD(cuGraphKernelNodeGetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
	memset(&v, 0, sizeof(v));
	v.priority = -1;
	OK(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	memset(&w, 0, sizeof(w));
	w.cooperative = 1;
	OK(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &w));
	OK(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &single));
	BAD(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &pair));	/* the grid is one block */
	BAD(cuGraphKernelNodeSetAttribute(a, (CUlaunchAttributeID)999, &w));
	BAD(cuGraphKernelNodeSetAttribute(empty, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	OK(cuGraphKernelNodeCopyAttributes(b, a));
	BAD(cuGraphKernelNodeCopyAttributes(empty, a));
	BAD(cuGraphKernelNodeCopyAttributes(b, empty));
	OK(cuGraphKernelNodeGetParams_v2(b, &k));
	OK(cuGraphKernelNodeSetParams_v2(b, &k));
	memset(&v, 0, sizeof(v));
	OK(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	ck_assert_int_eq(v.priority, -1);
	OK(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
	ck_assert_int_eq(v.cooperative, 1);
	launch(ready(g));
	ck_assert_uint_eq(word_at(p), 4);
}
END_TEST

/* Nodes of each kind get other arguments, in the graph and in the executable graph, which do not touch each other. */
START_TEST(changes_of_each_kind)
{
	CUDA_MEMSET_NODE_PARAMS fill = { .value = 1, .elementSize = 4, .width = 1, .height = 1 };
	CUDA_MEMCPY3D copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_HOST,
			       .WidthInBytes = 4, .Height = 1, .Depth = 1 };
	int here = 0, there = 0, elsewhere = 0;
	CUDA_HOST_NODE_PARAMS host = { count, &here };
	unsigned int two = 2, five = 5, x = 0, y = 0, z = 0;
	CUgraphNode n[4];
	CUgraph g, child;
	CUgraphExec e;
	CUdeviceptr p;

	begin(small_ptx);
	p = one_word(0);
	fill.dst = copy.srcDevice = p;
	copy.dstHost = &x;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphCreate(&child, 0));
	kernel_node(child, NULL, 0, "scale", &p, &two);
	OK(cuGraphAddMemsetNode(&n[0], g, NULL, 0, &fill, ctx));
	OK(cuGraphAddChildGraphNode(&n[1], g, &n[0], 1, child));
	OK(cuGraphAddMemcpyNode(&n[2], g, &n[1], 1, &copy, ctx));
	OK(cuGraphAddHostNode(&n[3], g, &n[2], 1, &host));
	e = ready(g);
	launch(e);
	ck_assert(x == 2 && here == 1);

	fill.value = 10;
	copy.dstHost = &y;
	host.userData = &there;
	OK(cuGraphMemsetNodeSetParams(n[0], &fill));
	OK(cuGraphMemcpyNodeSetParams(n[2], &copy));
	OK(cuGraphHostNodeSetParams(n[3], &host));
	BAD(cuGraphMemsetNodeSetParams(n[2], &fill));
	BAD(cuGraphMemcpyNodeSetParams(n[0], &copy));
	BAD(cuGraphHostNodeSetParams(n[0], &host));
	launch(ready(g));
	ck_assert(x == 2 && here == 1 && y == 20 && there == 1);
	x = y = 0;
	launch(e);				/* as it was */
	ck_assert(x == 2 && here == 2 && y == 0 && there == 1);

	fill.value = 100;
	copy.dstHost = &z;
	host.userData = &elsewhere;
	OK(cuGraphCreate(&child, 0));
	kernel_node(child, NULL, 0, "scale", &p, &five);
	OK(cuGraphExecMemsetNodeSetParams(e, n[0], &fill, ctx));
	OK(cuGraphExecChildGraphNodeSetParams(e, n[1], child));
	OK(cuGraphExecMemcpyNodeSetParams(e, n[2], &copy, ctx));
	OK(cuGraphExecHostNodeSetParams(e, n[3], &host));
	BAD(cuGraphExecChildGraphNodeSetParams(e, n[0], child));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuGraphExecMemsetNodeSetParams(e, n[0], &fill, (CUcontext)&two));
	launch(e);
	ck_assert(z == 500 && elsewhere == 1 && here == 2 && there == 1);
	launch(ready(g));			/* as it was */
	ck_assert(y == 20 && there == 2 && z == 500);
}
END_TEST

/* The same by one structure for all kinds, and the executable graph's. */
START_TEST(common_call_for_each_kind)
{
	CUgraphNodeParams c = { .type = CU_GRAPH_NODE_TYPE_MEMCPY }, h = { .type = CU_GRAPH_NODE_TYPE_HOST },
			  w = { .type = CU_GRAPH_NODE_TYPE_WAIT_EVENT }, sub = { .type = CU_GRAPH_NODE_TYPE_GRAPH },
			  none = { .type = CU_GRAPH_NODE_TYPE_EMPTY }, mem = { .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC },
			  give = { .type = CU_GRAPH_NODE_TYPE_MEM_FREE };
	unsigned int three = 3, out = 0;
	CUgraphNode n[7];
	CUgraph g, child;
	int called = 0;
	CUgraphExec e;
	CUdeviceptr p, q;
	CUevent event, seen;

	begin(small_ptx);
	p = one_word(5);
	OK(cuEventCreate(&event, 0));
	OK(cuGraphCreate(&child, 0));
	kernel_node(child, NULL, 0, "scale", &p, &three);
	OK(cuGraphCreate(&g, 0));
	w.eventWait.event = event;
	sub.graph.graph = child;
	c.memcpy.copyParams = (CUDA_MEMCPY3D){ .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = p,
					       .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = &out,
					       .WidthInBytes = 4, .Height = 1, .Depth = 1 };
	h.host.fn = count;
	h.host.userData = &called;
	mem.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	mem.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	mem.alloc.bytesize = 64;
	OK(cuGraphAddNode(&n[0], g, NULL, 0, &none));
	OK(cuGraphAddNode(&n[1], g, &n[0], 1, &w));
	OK(cuGraphAddNode(&n[2], g, &n[1], 1, &sub));
	OK(cuGraphAddNode(&n[3], g, &n[2], 1, &c));
	OK(cuGraphAddNode(&n[4], g, &n[3], 1, &h));
	c.memcpy.flags = 1;
	BAD(cuGraphAddNode(&n[5], g, &n[4], 1, &c));
	c.memcpy.flags = 0;
	OK(cuGraphEventWaitNodeGetEvent(n[1], &seen));
	ck_assert_ptr_eq(seen, event);
	e = ready(g);
	launch(e);
	ck_assert(out == 15 && called == 1);
	c.memcpy.copyParams.dstHost = &three;
	OK(cuGraphExecNodeSetParams(e, n[3], &c));
	BAD(cuGraphExecNodeSetParams(e, n[4], &c));
	BAD(cuGraphExecNodeSetParams(e, n[3], NULL));
	launch(e);
	ck_assert(out == 15 && three == 45 && called == 2);

	OK(cuGraphAddNode(&n[5], g, &n[4], 1, &mem));
	ck_assert_uint_ne(mem.alloc.dptr, 0);
	q = mem.alloc.dptr;
	give.free.dptr = q;
	OK(cuGraphAddNode(&n[6], g, &n[5], 1, &give));
	memset(&mem, 0, sizeof(mem));
	OK(cuGraphMemAllocNodeGetParams(n[5], &mem.alloc));
	ck_assert(mem.alloc.dptr == q && mem.alloc.bytesize == 64);
	q = 0;
	OK(cuGraphMemFreeNodeGetParams(n[6], &q));
	ck_assert_uint_eq(q, give.free.dptr);
	IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphDestroyNode(n[5]));
}
END_TEST

/* Edges with their data, which is always plain, and arrays that are longer than what there is. */
START_TEST(edges)
{
	CUgraphEdgeData data[4], odd = { .type = 1 };
	static const CUgraphEdgeData plain[4];
	CUgraphNode n[3], from[4], to[4];
	size_t num;
	CUgraph g;

	begin(small_ptx);
	OK(cuGraphCreate(&g, 0));
	for (int i = 0; i < 3; i++)
		OK(cuGraphAddEmptyNode(&n[i], g, NULL, 0));
	OK(cuGraphAddDependencies_v2(g, &n[0], &n[2], plain, 1));
	OK(cuGraphAddDependencies_v2(g, &n[1], &n[2], NULL, 1));
	IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddDependencies_v2(g, &n[0], &n[1], &odd, 1));
	num = 4;
	memset(data, 0xff, sizeof(data));
	OK(cuGraphGetEdges_v2(g, from, to, data, &num));
	ck_assert_uint_eq(num, 2);
	ck_assert(from[0] == n[0] && to[0] == n[2] && from[1] == n[1] && to[1] == n[2] && !from[2] && !to[3]);
	ck_assert_mem_eq(data, plain, 2 * sizeof(*data));
	num = 1;
	OK(cuGraphGetEdges(g, from, to, &num));
	ck_assert(num == 1 && from[0] == n[0]);
	OK(cuGraphGetEdges(g, NULL, NULL, &num));
	ck_assert_uint_eq(num, 2);
	BAD(cuGraphGetEdges(g, from, NULL, &num));
	num = 4;
	memset(data, 0xff, sizeof(data));
	OK(cuGraphNodeGetDependencies_v2(n[2], from, data, &num));
	ck_assert(num == 2 && from[0] == n[0] && from[1] == n[1] && !from[2]);
	ck_assert_mem_eq(data, plain, 2 * sizeof(*data));
	num = 4;
	OK(cuGraphNodeGetDependencies(n[2], from, &num));
	ck_assert_uint_eq(num, 2);
	num = 4;
	memset(data, 0xff, sizeof(data));
	OK(cuGraphNodeGetDependentNodes_v2(n[1], to, data, &num));
	ck_assert(num == 1 && to[0] == n[2]);
	ck_assert_mem_eq(data, plain, sizeof(*data));
	IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphRemoveDependencies_v2(g, &n[0], &n[2], &odd, 1));
	OK(cuGraphRemoveDependencies_v2(g, &n[0], &n[2], plain, 1));
	OK(cuGraphGetEdges(g, NULL, NULL, &num));
	ck_assert_uint_eq(num, 1);
	OK(cuGraphRemoveDependencies_v2(g, &n[1], &n[2], NULL, 1));
	OK(cuGraphGetEdges(g, NULL, NULL, &num));
	ck_assert_uint_eq(num, 0);
}
END_TEST

/* All ways to make an executable graph. */
START_TEST(instantiation)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS p = { .flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD };
	CUgraphNode n = (CUgraphNode)&p;
	unsigned int two = 2;
	char log[64] = "?";
	cuuint64_t flags;
	CUgraphExec e;
	CUdeviceptr at;
	CUgraph g;

	begin(small_ptx);
	at = one_word(1);
	OK(cuGraphCreate(&g, 0));
	kernel_node(g, NULL, 0, "scale", &at, &two);
	OK(cuGraphInstantiate_v2(&e, g, &n, log, sizeof(log)));
	ck_assert(!n && !log[0]);
	launch(e);
	OK(cuGraphExecGetFlags(e, &flags));
	ck_assert_uint_eq(flags, 0);
	BAD(cuGraphExecGetFlags(e, NULL));
	BAD(cuGraphInstantiate_v2(&e, (CUgraph)&p, NULL, log, sizeof(log)));
	ck_assert(log[0]);
	p.hErrNode_out = (CUgraphNode)&p;
	p.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
	OK(cuGraphInstantiateWithParams(&e, g, &p));
	ck_assert(p.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS && !p.hErrNode_out);
	OK(cuGraphExecGetFlags(e, &flags));
	ck_assert_uint_eq(flags, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD);
	BAD(cuGraphInstantiateWithParams(&e, (CUgraph)&p, &p));
	ck_assert_int_eq(p.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
	p.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;	/* what is allowed: tests/cuda/graph_device.cu */
	OK(cuGraphInstantiateWithParams(&e, g, &p));
	OK(cuGraphExecDestroy(e));
	p.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
	BAD(cuGraphInstantiateWithParams(&e, g, &p));
	BAD(cuGraphInstantiateWithParams(&e, g, NULL));
	BAD(cuGraphInstantiateWithFlags(&e, g, 1ull << 40));
	e = ready(g);
	OK(cuGraphUpload(e, 0));
	BAD(cuGraphUpload((CUgraphExec)&p, 0));
	IS(CUDA_ERROR_INVALID_HANDLE, cuGraphUpload(e, (CUstream)&p));
	ck_assert_uint_eq(word_at(at), 2);
	launch(e);
	ck_assert_uint_eq(word_at(at), 4);
}
END_TEST

/* An executable graph that is launched into a stream under capture becomes a child, with its own children. */
START_TEST(launched_while_capturing)
{
	unsigned int two = 2, three = 3;
	CUgraph g, child, all;
	CUgraphNode n[2];
	CUgraphExec e;
	CUdeviceptr p;
	CUstream s;

	begin(small_ptx);
	p = one_word(1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuGraphCreate(&child, 0));
	kernel_node(child, NULL, 0, "scale", &p, &two);
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddChildGraphNode(&n[0], g, NULL, 0, child));
	n[1] = kernel_node(g, &n[0], 1, "scale", &p, &three);
	e = ready(g);
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	OK(cuGraphLaunch(e, s));
	OK(cuStreamEndCapture(s, &all));
	ck_assert_uint_eq(word_at(p), 1);
	launch(ready(all));
	ck_assert_uint_eq(word_at(p), 6);
	OK(cuGraphNodeSetEnabled(e, n[1], 0));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	OK(cuGraphLaunch(e, s));
	OK(cuStreamEndCapture(s, &all));
	launch(ready(all));
	ck_assert_uint_eq(word_at(p), 12);
	OK(cuGraphClone(&g, all));		/* with all that is inside */
	OK(cuGraphDestroy(all));
	launch(ready(g));
	ck_assert_uint_eq(word_at(p), 24);
}
END_TEST

/* Kernels of another context cannot run in this context's streams. */
START_TEST(wrong_context)
{
	unsigned int two = 2;
	CUcontext other;
	CUdeviceptr p;
	CUgraphExec e;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	OK(cuGraphCreate(&g, 0));
	kernel_node(g, NULL, 0, "add_one", &p, &two);
	e = ready(g);
	OK(cuCtxCreate(&other, 0, 0));
	IS(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(e, 0));
	OK(cuCtxDestroy(other));
	launch(e);
	ck_assert_uint_eq(word_at(p), 2);
	OK(cuCtxDestroy(ctx));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuGraphLaunch(e, 0));
	OK(cuCtxCreate(&other, 0, 0));
	IS(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(e, 0));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));
}
END_TEST

/* The handle by which kernels change a node is memory of the kernel's context, whichever is current. */
START_TEST(device_nodes)
{
	CUlaunchAttributeValue v = { .deviceUpdatableKernelNode.deviceUpdatable = 1 };
	uint64_t zero[2] = { 0 }, words[2];
	unsigned int two = 2;
	CUcontext other, of;
	CUgraphNode a;
	CUdeviceptr p, handle;
	CUgraphExec e;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	OK(cuGraphCreate(&g, 0));
	a = kernel_node(g, NULL, 0, "add_one", &p, &two);
	OK(cuCtxCreate(&other, 0, 0));
	OK(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &v));
	OK(cuGraphKernelNodeGetAttribute(a, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &v));
	handle = (uintptr_t)v.deviceUpdatableKernelNode.devNode;
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, handle));
	ck_assert_ptr_eq(of, ctx);
	OK(cuCtxSetCurrent(ctx));
	for (unsigned int i = 0; i < 2; i++) {
		e = ready(g);
		launch(e);
		OK(cuMemcpyDtoH(words, handle, sizeof(words)));
		ck_assert(words[0] && words[1]);
		OK(cuCtxSetCurrent(i ? NULL : other));
		if (!i)
			OK(cuCtxSynchronize());		/* the thread really is in it */
		OK(cuGraphExecDestroy(e));
		OK(cuCtxSetCurrent(ctx));
		OK(cuMemcpyDtoH(words, handle, sizeof(words)));
		ck_assert_mem_eq(words, zero, sizeof(words));
	}
	OK(cuCtxDestroy(other));
	OK(cuGraphDestroy(g));
}
END_TEST

START_TEST(pictures)
{
	char path[] = "/tmp/ppu-graph-XXXXXX", text[4096] = "";
	unsigned int two = 2;
	CUgraphNode a;
	CUdeviceptr p;
	CUgraph g;
	FILE *f;

	begin(small_ptx);
	p = one_word(1);
	ck_assert_int_ge(mkstemp(path), 0);
	OK(cuGraphCreate(&g, 0));
	a = kernel_node(g, NULL, 0, "add_one", &p, &two);
	kernel_node(g, &a, 1, "scale", &p, &two);
	OK(cuGraphDebugDotPrint(g, path, 0));
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, f), 0);
	fclose(f);
	remove(path);
	ck_assert(strstr(text, "digraph") && strstr(text, "add_one") && strstr(text, " -> "));
	IS(CUDA_ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(g, "/nowhere/at/all", 0));
}
END_TEST

static const char say_ptx[] = PTX_HEAD
	".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
	".visible .entry add_one(.param .u64 p)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
	"ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2; ret;\n}\n"
	/* goes on while the word is below v */
	".visible .entry say(.param .u64 h, .param .u64 p, .param .u32 v)\n{\n.reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %q;\n"
	"ld.param.u64 %rd1, [h]; ld.param.u64 %rd2, [p]; ld.param.u32 %r1, [v]; ld.global.u32 %r2, [%rd2];\n"
	"setp.lt.u32 %q, %r2, %r1; selp.u32 %r3, 1, 0, %q;\n"
	"{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], %r3; call.uni cudaGraphSetConditional, (a, b); }\n"
	"ret;\n}\n";

/* A loop, whose body is a graph of the node: it runs as often as its kernel says, in a clone too; and its handle has one
 * node, and is free again when that is destroyed. */
START_TEST(conditional_nodes)
{
	unsigned int most = 7, none = 0;
	CUgraphNodeParams c = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphConditionalHandle h;
	CUgraph g, clone, body;
	CUgraphNode n, a;
	CUdeviceptr p;
	CUgraphExec e;
	void *params[] = { &h, &p, &most };
	CUDA_KERNEL_NODE_PARAMS k = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
				      .kernelParams = params };

	begin(say_ptx);
	p = one_word(0);
	k.func = function("say");
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&h, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
	c.conditional.handle = h;
	c.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
	c.conditional.size = 1;
	OK(cuGraphAddNode(&n, g, NULL, 0, &c));
	BAD(cuGraphAddNode(&a, g, NULL, 0, &c));
	OK(cuGraphDestroyNode(n));
	OK(cuGraphAddNode(&n, g, NULL, 0, &c));
	body = *c.conditional.phGraph_out;
	a = kernel_node(body, NULL, 0, "add_one", &p, &none);
	OK(cuGraphAddKernelNode_v2(&a, body, &a, 1, &k));
	OK(cuGraphClone(&clone, g));
	for (unsigned int round = 0; round < 2; round++) {
		e = ready(round ? clone : g);
		for (unsigned int i = 0; i < 2; i++) {
			set_word(p, 0);
			launch(e);
			ck_assert_uint_eq(word_at(p), 7);
			launch(e);		/* its default is given again: once */
			ck_assert_uint_eq(word_at(p), 8);
		}
		OK(cuGraphExecDestroy(e));
	}
	BAD(cuGraphConditionalHandleCreate(&h, body, ctx, 0, 4));
	BAD(cuGraphConditionalHandleCreate(&h, (CUgraph)n, ctx, 0, 0));
	OK(cuGraphDestroy(g));
	BAD(cuGraphGetNodes(body, NULL, &(size_t){ 0 }));	/* it ended with its node */
	OK(cuGraphDestroy(clone));
}
END_TEST

/* A launch begins with the defaults of the handles that the graph had when it was made executable, or at the last update. */
START_TEST(handles_made_later)
{
	CUgraphExecUpdateResultInfo info;
	CUgraphConditionalHandle old, late;
	CUgraphExec e;
	CUgraph g;

	begin(small_ptx);
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&old, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
	e = ready(g);
	OK(cuGraphConditionalHandleCreate(&late, g, ctx, 2, CU_GRAPH_COND_ASSIGN_DEFAULT));
	for (unsigned int i = 0; i < 2; i++) {
		set_word(old, 7);
		set_word(late, 7);
		launch(e);
		ck_assert_uint_eq(word_at(old), 1);
		ck_assert_uint_eq(word_at(late), i ? 2 : 7);
		OK(cuGraphExecUpdate_v2(e, g, &info));
	}
	OK(cuGraphDestroy(g));
	set_word(late, 7);	/* words live as long as what uses them */
	launch(e);
	ck_assert_uint_eq(word_at(late), 2);
	OK(cuGraphExecDestroy(e));
}
END_TEST

int main(void)
{
	const TTest *tests[] = { dependencies_rule, kinds_of_nodes, nodes_by_the_common_call, changes_of_the_executable,
				 update, impossible_kernels, clones, memory_nodes, user_objects, wrong_context, device_nodes, pictures,
				 attributes_of_kernels, changes_of_each_kind, common_call_for_each_kind, edges,
				 instantiation, launched_while_capturing, conditional_nodes, handles_made_later };

	return RUN_ALL("graphs", tests);
}
