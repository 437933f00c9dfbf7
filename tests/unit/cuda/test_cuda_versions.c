/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Driver API: versions of calls that cuda.h does not give their plain name, and small calls that ask or set one
 * thing, each with what it refuses.
 */
#define CUDA_TEST_PLAIN_NAMES	/* each version by its own name */
#include "cuda_test.h"

static CUstream stream_new(void)
{
	CUstream s;

	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	return s;
}

/* Nodes of kernels in the layout of before CUDA 12: made, asked, set, and set in the executable. */
START_TEST(kernel_nodes_of_old)
{
	unsigned int two = 2, nine = 9;
	CUDA_KERNEL_NODE_PARAMS_v1 k, seen;
	CUdeviceptr p, q;
	void *params[2];
	CUgraphNode n;
	CUgraphExec e;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	q = one_word(1);
	params[0] = &p;
	params[1] = &two;
	k = (CUDA_KERNEL_NODE_PARAMS_v1){ .func = function("store"), .gridDimX = 1, .gridDimY = 2, .gridDimZ = 3,
					  .blockDimX = 4, .blockDimY = 5, .blockDimZ = 6, .sharedMemBytes = 64,
					  .kernelParams = params };
	OK(cuGraphCreate(&g, 0));
	BAD(cuGraphAddKernelNode(&n, g, NULL, 0, NULL));
	OK(cuGraphAddKernelNode(&n, g, NULL, 0, &k));
	BAD(cuGraphKernelNodeGetParams(n, NULL));
	OK(cuGraphKernelNodeGetParams(n, &seen));
	ck_assert_ptr_eq(seen.func, k.func);
	ck_assert(seen.gridDimX == 1 && seen.gridDimY == 2 && seen.gridDimZ == 3);
	ck_assert(seen.blockDimX == 4 && seen.blockDimY == 5 && seen.blockDimZ == 6);
	ck_assert_uint_eq(seen.sharedMemBytes, 64);
	ck_assert_uint_eq(*(CUdeviceptr *)seen.kernelParams[0], p);
	ck_assert_uint_eq(*(unsigned int *)seen.kernelParams[1], 2);
	ck_assert_ptr_null(seen.extra);
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphLaunch(e, NULL));
	ck_assert_uint_eq(word_at(p), 2);
	params[1] = &nine;
	BAD(cuGraphKernelNodeSetParams(n, NULL));
	OK(cuGraphKernelNodeSetParams(n, &k));
	OK(cuGraphKernelNodeGetParams(n, &seen));
	ck_assert_uint_eq(*(unsigned int *)seen.kernelParams[1], 9);
	params[0] = &q;
	BAD(cuGraphExecKernelNodeSetParams(e, n, NULL));
	OK(cuGraphExecKernelNodeSetParams(e, n, &k));
	OK(cuGraphLaunch(e, NULL));
	ck_assert_uint_eq(word_at(p), 2);
	ck_assert_uint_eq(word_at(q), 9);
}
END_TEST

/* Programs built for CUDA 11 have 32 bytes for the value of an attribute. */
START_TEST(small_attributes)
{
	union {
		CUlaunchAttributeValue v;
		unsigned char byte[64];
	} a;
	CUDA_KERNEL_NODE_PARAMS k = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1 };
	unsigned int two = 2;
	void *params[2];
	CUdeviceptr p;
	CUgraphNode n;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	params[0] = &p;
	params[1] = &two;
	k.func = function("store");
	k.kernelParams = params;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddKernelNode_v2(&n, g, NULL, 0, &k));
	for (int i = 0; i < 2; i++) {
		memset(&a, 0xaa, sizeof(a));
		if (i)
			OK(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &a.v));
		else
			OK(cuStreamGetAttribute(stream_new(), CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &a.v));
		for (unsigned int b = 0; b < 64; b++)
			ck_assert_uint_eq(a.byte[b], b < 32 ? 0 : 0xaa);
	}
}
END_TEST

START_TEST(words_of_a_node)
{
	CUstreamBatchMemOpParams op[2] = { { .operation = CU_STREAM_MEM_OP_WRITE_VALUE_32 },
					   { .operation = CU_STREAM_MEM_OP_WRITE_VALUE_32 } };
	CUDA_BATCH_MEM_OP_NODE_PARAMS p = { .count = 2, .paramArray = op }, seen;
	CUgraphNode n, other;
	CUgraphExec e;
	CUdeviceptr d;
	CUgraph g;

	begin(small_ptx);
	d = one_word(1);
	p.ctx = ctx;
	op[0].writeValue.address = op[1].writeValue.address = d;
	op[0].writeValue.value = 7;
	op[1].writeValue.value = 8;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddEmptyNode(&other, g, NULL, 0));
	BAD(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, NULL));
	p.count = 0;
	BAD(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &p));
	p.count = 257;
	BAD(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &p));
	p.count = 2;
	p.flags = 1;
	BAD(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &p));
	p.flags = 0;
	OK(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &p));
	BAD(cuGraphBatchMemOpNodeGetParams(n, NULL));
	BAD(cuGraphBatchMemOpNodeGetParams(other, &seen));
	OK(cuGraphBatchMemOpNodeGetParams(n, &seen));
	ck_assert_uint_eq(seen.count, 2);
	ck_assert_uint_eq(seen.flags, 0);
	ck_assert(seen.paramArray != op);		/* a copy */
	ck_assert_uint_eq(seen.paramArray[0].writeValue.value, 7);
	ck_assert_uint_eq(seen.paramArray[1].writeValue.value, 8);
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphLaunch(e, NULL));
	ck_assert_uint_eq(word_at(d), 8);
}
END_TEST

/* External: a node that records the event at each launch; else the event belongs to the capture. */
START_TEST(events_with_flags)
{
	CUstream s, t;
	CUevent ev, second;
	CUgraphExec e;
	size_t num;
	CUgraph g;
	float ms;

	begin(small_ptx);
	s = stream_new();
	t = stream_new();
	OK(cuEventCreate(&ev, 0));
	OK(cuEventCreate(&second, 0));
	BAD(cuEventRecordWithFlags(ev, s, 2));
	OK(cuEventRecordWithFlags(ev, s, 0));
	OK(cuEventRecordWithFlags(second, s, CU_EVENT_RECORD_EXTERNAL));
	OK(cuStreamSynchronize(s));
	OK(cuEventQuery(ev));
	OK(cuEventElapsedTime_v2(&ms, ev, second));
	ck_assert(ms >= 0 && ms < 1);
	BAD(cuEventElapsedTime_v2(NULL, ev, second));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuEventRecordWithFlags(ev, s, 0));
	OK(cuEventRecordWithFlags(second, s, CU_EVENT_RECORD_EXTERNAL));
	OK(cuEventQuery(second));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphGetNodes(g, NULL, &num));
	ck_assert_uint_eq(num, 1);
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphLaunch(e, t));
	OK(cuEventSynchronize(second));
}
END_TEST

START_TEST(functions_asked)
{
	CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
	size_t at = 77, bytes = 77;
	CUmoduleLoadingMode mode;
	CUlibrary lib;
	CUkernel k;
	CUfunction f;

	begin(small_ptx);
	f = function("store");
	OK(cuFuncGetParamInfo(f, 0, &at, &bytes));
	ck_assert(at == 0 && bytes == 8);
	OK(cuFuncGetParamInfo(f, 1, &at, &bytes));
	ck_assert(at == 8 && bytes == 4);
	OK(cuFuncGetParamInfo(f, 1, &at, NULL));
	BAD(cuFuncGetParamInfo(f, 2, &at, &bytes));
	BAD(cuFuncGetParamInfo(f, 0, NULL, &bytes));
	BAD(cuFuncGetParamInfo(f, (size_t)1 << 32, &at, &bytes));
	IS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetParamInfo((CUfunction)&at, 0, &at, &bytes));
	OK(cuFuncIsLoaded(&state, f));
	ck_assert_int_eq(state, CU_FUNCTION_LOADING_STATE_LOADED);
	BAD(cuFuncIsLoaded(NULL, f));
	IS(CUDA_ERROR_INVALID_HANDLE, cuFuncIsLoaded(&state, (CUfunction)&at));
	OK(cuFuncSetSharedMemConfig(f, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
	OK(cuFuncSetSharedMemConfig(f, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
	BAD(cuFuncSetSharedMemConfig(f, (CUsharedconfig)(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE + 1)));
	BAD(cuFuncSetSharedMemConfig(f, (CUsharedconfig)-1));
	IS(CUDA_ERROR_INVALID_HANDLE, cuFuncSetSharedMemConfig((CUfunction)&at, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
	OK(cuModuleGetLoadingMode(&mode));
	ck_assert_int_eq(mode, CU_MODULE_EAGER_LOADING);
	BAD(cuModuleGetLoadingMode(NULL));
	OK(cuLibraryLoadData(&lib, small_ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&k, lib, "store"));
	OK(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_EQUAL, 0));
	BAD(cuKernelSetCacheConfig(k, (CUfunc_cache)(CU_FUNC_CACHE_PREFER_EQUAL + 1), 0));
	IS(CUDA_ERROR_INVALID_DEVICE, cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_NONE, 1));
	IS(CUDA_ERROR_INVALID_HANDLE, cuKernelSetCacheConfig((CUkernel)&at, CU_FUNC_CACHE_PREFER_NONE, 0));
}
END_TEST

START_TEST(contexts_and_devices_asked)
{
	unsigned long long id = 0, again = 0;
	CUsharedconfig config;
	CUuuid uuid, same;
	unsigned int flags;
	CUcontext second;
	size_t width;
	int has = 9;

	begin(small_ptx);
	OK(cuCtxGetId(ctx, &id));
	OK(cuCtxGetId(NULL, &again));		/* the current one */
	ck_assert(id == again);
	OK(cuCtxCreate_v2(&second, 0, 0));
	OK(cuCtxGetId(NULL, &again));
	ck_assert(id != again);
	BAD(cuCtxGetId(ctx, NULL));
	OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
	BAD(cuCtxSetSharedMemConfig((CUsharedconfig)(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE + 1)));
	BAD(cuCtxSetSharedMemConfig((CUsharedconfig)-1));
	OK(cuCtxGetSharedMemConfig(&config));		/* the banks' width, whatever was asked for */
	ck_assert_int_eq(config, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
	OK(cuDeviceGetExecAffinitySupport(&has, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
	ck_assert_int_eq(has, 0);
	BAD(cuDeviceGetExecAffinitySupport(NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
	BAD(cuDeviceGetExecAffinitySupport(&has, CU_EXEC_AFFINITY_TYPE_MAX, 0));
	IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetExecAffinitySupport(&has, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 1));
	OK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 0));
	ck_assert_uint_eq(width, 1u << 27);
	BAD(cuDeviceGetTexture1DLinearMaxWidth(NULL, CU_AD_FORMAT_FLOAT, 4, 0));
	BAD(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 3, 0));
	BAD(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 0, 0));
	BAD(cuDeviceGetTexture1DLinearMaxWidth(&width, (CUarray_format)0, 1, 0));
	IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 1, -1));
	OK(cuDeviceGetUuid(&uuid, 0));
	memset(&same, 0x5a, sizeof(same));
	OK(cuDeviceGetUuid_v2(&same, 0));
	ck_assert_mem_eq(&uuid, &same, sizeof(uuid));
	OK(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_YIELD));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &has));
	ck_assert_uint_eq(flags, CU_CTX_SCHED_YIELD);
	ck_assert_int_eq(has, 0);
	BAD(cuDevicePrimaryCtxSetFlags_v2(0, 0x80000000u));
	IS(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxSetFlags_v2(1, 0));
}
END_TEST

/* What a captured stream depends on: set to one node, and others added. */
START_TEST(dependencies_of_a_capture)
{
	CUstreamCaptureStatus status;
	const CUgraphEdgeData *edges = (const CUgraphEdgeData *)&status;
	const CUgraphNode *deps;
	CUgraphNode first, node;
	CUgraph g, same;
	CUdeviceptr p;
	CUstream s;
	size_t num;

	begin(small_ptx);
	p = one_word(1);
	s = stream_new();
	OK(cuStreamGetCaptureInfo_v3(s, &status, NULL, NULL, NULL, NULL, NULL));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_NONE);
	IS(CUDA_ERROR_ILLEGAL_STATE, cuStreamUpdateCaptureDependencies_v2(s, NULL, NULL, 0, 0));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	run(function("store"), p, 3, s);
	OK(cuStreamGetCaptureInfo_v3(s, &status, NULL, &g, &deps, &edges, &num));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	ck_assert_uint_eq(num, 1);
	ck_assert_ptr_null(edges);
	first = deps[0];
	run(function("store"), p, 4, s);
	OK(cuStreamUpdateCaptureDependencies_v2(s, &first, NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
	OK(cuStreamGetCaptureInfo_v3(s, &status, NULL, NULL, &deps, NULL, &num));
	ck_assert_uint_eq(num, 2);
	OK(cuStreamUpdateCaptureDependencies_v2(s, &first, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	OK(cuStreamGetCaptureInfo_v3(s, &status, NULL, NULL, &deps, NULL, &num));
	ck_assert_uint_eq(num, 1);
	ck_assert_ptr_eq(deps[0], first);
	BAD(cuStreamUpdateCaptureDependencies_v2(s, &first, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES + 1));
	node = (CUgraphNode)&num;
	BAD(cuStreamUpdateCaptureDependencies_v2(s, &node, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	OK(cuStreamUpdateCaptureDependencies_v2(s, NULL, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	OK(cuStreamGetCaptureInfo_v3(s, &status, NULL, NULL, &deps, NULL, &num));
	ck_assert_uint_eq(num, 0);
	OK(cuStreamEndCapture(s, &same));
	ck_assert_ptr_eq(same, g);
	OK(cuGraphGetNodes(g, NULL, &num));
	ck_assert_uint_eq(num, 2);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { kernel_nodes_of_old, small_attributes, words_of_a_node, events_with_flags, functions_asked,
				       contexts_and_devices_asked, dependencies_of_a_capture };

	return run_all("versions", tests, sizeof(tests) / sizeof(*tests));
}
