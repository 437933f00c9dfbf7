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
	bad.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
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
	CUgraph g;

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

int main(void)
{
	const TTest *tests[] = { dependencies_rule, kinds_of_nodes, nodes_by_the_common_call, changes_of_the_executable,
				 update, clones, memory_nodes, user_objects, wrong_context, pictures };

	return RUN_ALL("graphs", tests);
}
