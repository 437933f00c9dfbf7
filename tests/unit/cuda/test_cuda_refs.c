/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Driver API: a call that has returned holds nothing.  Each of many calls is made, right and wrong, between two
 * looks at how many references the objects have that it could hold.
 */
#define CUDA_TEST_PLAIN_NAMES	/* each version by its own name */
#include "cuda_test.h"
#include <common/handle.h>

static CUfunction f, nothing;
static CUstream s;
static CUevent e, e2;
static CUgraph g;
static CUgraphNode n;
static CUgraphExec x;
static CUarray a;
static CUdeviceptr p;
static CUmemoryPool pool;
static CUcontext other;

#define OBJECTS	12
static int refs[OBJECTS];

static void look(int *r)
{
	const void *const all[OBJECTS] = { ctx, mod, f, s, e, e2, g, n, x, a, pool, other };

	for (unsigned i = 0; i < OBJECTS; i++)
		r[i] = ((const struct ppu_handle *)all[i])->refs;
}

#define HOLDS_NOTHING(want, call) do { \
	int now_[OBJECTS]; \
	look(refs); \
	IS(want, call); \
	OK(cuStreamSynchronize(s)); \
	OK(cuCtxSynchronize()); \
	look(now_); \
	for (unsigned o_ = 0; o_ < OBJECTS; o_++) \
		ck_assert_msg(refs[o_] == now_[o_], "%s: object %u had %d references and has %d", #call, o_, refs[o_], now_[o_]); \
} while (0)
#define FINE(call)	HOLDS_NOTHING(CUDA_SUCCESS, call)
#define WRONG(call)	HOLDS_NOTHING(CUDA_ERROR_INVALID_VALUE, call)
#define NONE(call)	HOLDS_NOTHING(CUDA_ERROR_INVALID_HANDLE, call)

static void start(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUDA_ARRAY_DESCRIPTOR d = { .Width = 16, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1 };
	CUDA_KERNEL_NODE_PARAMS k = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
				      .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1 };

	begin(small_ptx);
	p = one_word(1);
	f = function("scale");
	nothing = function("nothing");
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&e2, 0));
	OK(cuEventRecord(e, s));
	OK(cuEventRecord(e2, s));
	OK(cuGraphCreate(&g, 0));
	k.func = nothing;
	OK(cuGraphAddKernelNode_v2(&n, g, NULL, 0, &k));
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuArrayCreate_v2(&a, &d));
	OK(cuMemPoolCreate(&pool, &props));
	OK(cuCtxCreate_v2(&other, 0, 0));
	OK(cuCtxSetCurrent(ctx));
}

START_TEST(functions)
{
	unsigned ten = 10;
	void *params[] = { &p, &ten };
	CUfunction again;
	CUmodule m;
	CUdeviceptr v;
	size_t bytes;
	int value;

	start();
	FINE(cuModuleGetFunction(&again, mod, "scale"));
	HOLDS_NOTHING(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&again, mod, "nobody"));
	FINE(cuModuleGetGlobal_v2(&v, &bytes, mod, "variable"));
	HOLDS_NOTHING(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2(&v, &bytes, mod, "nobody"));
	FINE(cuFuncGetModule(&m, f));
	FINE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
	WRONG(cuFuncGetAttribute(&value, (CUfunction_attribute)99, f));
	FINE(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
	FINE(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
	WRONG(cuFuncSetCacheConfig(f, (CUfunc_cache)9));
	FINE(cuFuncSetSharedMemConfig(f, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
	FINE(cuFuncGetParamInfo(f, 0, &bytes, NULL));
	WRONG(cuFuncGetParamInfo(f, 9, &bytes, NULL));
	FINE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 64, 0));
	FINE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
	WRONG(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, s, params, NULL));
	WRONG(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
	HOLDS_NOTHING(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel((CUfunction)&ten, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
	FINE(cuFuncSetBlockShape(f, 1, 1, 1));
	FINE(cuFuncSetSharedSize(f, 0));
	FINE(cuParamSetSize(f, 12));
	FINE(cuParamSetv(f, 0, &p, 8));
	FINE(cuParamSeti(f, 8, 2));
	WRONG(cuParamSetv(f, -1, &p, 8));
	FINE(cuLaunch(f));
	FINE(cuLaunchGrid(f, 1, 1));
	FINE(cuLaunchGridAsync(f, 1, 1, s));
	WRONG(cuParamSetTexRef(f, 0, NULL));
	NONE(cuParamSetTexRef(f, -1, NULL));
}
END_TEST

static void CUDA_CB quiet(void *arg)
{
	(void)arg;
}

START_TEST(streams_and_events)
{
	unsigned flags;
	CUcontext c;
	int prio;
	float ms;

	start();
	FINE(cuStreamGetFlags(s, &flags));
	FINE(cuStreamGetPriority(s, &prio));
	FINE(cuStreamGetCtx(s, &c));
	FINE(cuStreamQuery(s));
	FINE(cuStreamWaitEvent(s, e, 0));
	WRONG(cuStreamWaitEvent(s, e, 5));
	NONE(cuStreamWaitEvent(s, (CUevent)&ms, 0));
	FINE(cuEventRecord(e, s));
	FINE(cuEventRecordWithFlags(e, s, CU_EVENT_RECORD_EXTERNAL));
	WRONG(cuEventRecordWithFlags(e, s, 9));
	FINE(cuEventQuery(e));
	FINE(cuEventSynchronize(e));
	FINE(cuEventElapsedTime(&ms, e2, e));
	NONE(cuEventElapsedTime(&ms, e, (CUevent)&ms));
	NONE(cuEventElapsedTime(&ms, (CUevent)&ms, e));
	FINE(cuLaunchHostFunc(s, quiet, NULL));
	FINE(cuStreamWriteValue32_v2(s, p, 3, 0));
	FINE(cuStreamWaitValue32_v2(s, p, 3, CU_STREAM_WAIT_VALUE_GEQ));
	OK(cuCtxSetCurrent(other));		/* an event of another context */
	look(refs);
	NONE(cuEventRecord(e, NULL));
	OK(cuCtxSetCurrent(ctx));
}
END_TEST

START_TEST(contexts)
{
	unsigned long long id;
	unsigned int version, flags;
	CUdevice dev;
	size_t bytes;
	int n1, n2;

	start();
	FINE(cuCtxGetDevice(&dev));
	FINE(cuCtxGetFlags(&flags));
	FINE(cuCtxGetId(ctx, &id));
	FINE(cuCtxGetId(other, &id));
	FINE(cuCtxGetApiVersion(ctx, &version));
	FINE(cuCtxGetApiVersion(NULL, &version));
	FINE(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
	FINE(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, bytes));
	FINE(cuCtxGetStreamPriorityRange(&n1, &n2));
	FINE(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
	FINE(cuMemGetInfo_v2(&bytes, &bytes));
	FINE(cuMemcpyPeer(p, ctx, p, ctx, 4));
	HOLDS_NOTHING(CUDA_ERROR_NOT_SUPPORTED, cuMemcpyPeer(p, ctx, p, other, 4));
	HOLDS_NOTHING(CUDA_ERROR_NOT_SUPPORTED, cuMemcpyPeer(p, other, p, ctx, 4));
	HOLDS_NOTHING(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(p, ctx, p, (CUcontext)&dev, 4));
	HOLDS_NOTHING(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(p, (CUcontext)&dev, p, ctx, 4));
}
END_TEST

START_TEST(memory)
{
	CUDA_ARRAY_DESCRIPTOR d;
	CUDA_MEMCPY2D c = { .srcMemoryType = CU_MEMORYTYPE_ARRAY, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .WidthInBytes = 8,
			    .Height = 1 };
	unsigned w = 4;
	CUdeviceptr q;
	cuuint64_t v;
	size_t bytes;

	start();
	c.srcArray = a;
	c.dstDevice = p;
	FINE(cuArrayGetDescriptor_v2(&d, a));
	FINE(cuMemcpyAtoH_v2(&w, a, 0, 4));
	FINE(cuMemcpyHtoA_v2(a, 0, &w, 4));
	FINE(cuMemcpyDtoA_v2(a, 0, p, 4));
	FINE(cuMemcpyAtoD_v2(p, a, 0, 4));
	WRONG(cuMemcpyAtoH_v2(&w, a, 1 << 20, 4));
	c.WidthInBytes = 4;
	FINE(cuMemcpy2D_v2(&c));
	FINE(cuMemcpy2DAsync_v2(&c, s));
	c.srcArray = (CUarray)&w;
	NONE(cuMemcpy2D_v2(&c));
	FINE(cuMemsetD32_v2(p, 3, 1));
	FINE(cuMemsetD32Async(p, 3, 1, s));
	FINE(cuMemcpyHtoDAsync_v2(p, &w, 4, s));
	FINE(cuMemcpyDtoHAsync_v2(&w, p, 4, s));
	FINE(cuMemGetAddressRange_v2(&q, &bytes, p));
	FINE(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
	FINE(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
	WRONG(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &v));
	FINE(cuMemPoolTrimTo(pool, 0));
}
END_TEST

START_TEST(graphs)
{
	CUDA_KERNEL_NODE_PARAMS k;
	CUgraphExecUpdateResultInfo info;
	CUgraphNodeType type;
	unsigned int on;
	CUgraphNode out;
	size_t num = 1;

	start();
	FINE(cuGraphGetNodes(g, NULL, &num));
	num = 1;
	FINE(cuGraphGetNodes(g, &out, &num));
	FINE(cuGraphGetRootNodes(g, &out, &num));
	FINE(cuGraphGetEdges(g, NULL, NULL, &num));
	FINE(cuGraphNodeGetType(n, &type));
	FINE(cuGraphNodeGetDependencies(n, NULL, &num));
	FINE(cuGraphNodeGetDependentNodes(n, NULL, &num));
	FINE(cuGraphKernelNodeGetParams_v2(n, &k));
	FINE(cuGraphKernelNodeSetParams_v2(n, &k));
	FINE(cuGraphExecKernelNodeSetParams_v2(x, n, &k));
	FINE(cuGraphNodeGetEnabled(x, n, &on));
	FINE(cuGraphNodeSetEnabled(x, n, 1));
	WRONG(cuGraphHostNodeSetParams(n, &(CUDA_HOST_NODE_PARAMS){ quiet, NULL }));
	WRONG(cuGraphExecHostNodeSetParams(x, n, &(CUDA_HOST_NODE_PARAMS){ quiet, NULL }));
	WRONG(cuGraphAddDependencies(g, &n, &n, 1));
	FINE(cuGraphExecUpdate_v2(x, g, &info));
	FINE(cuGraphUpload(x, s));
	FINE(cuGraphLaunch(x, s));
	NONE(cuGraphLaunch(x, (CUstream)&num));
	k.gridDimX = 0;
	WRONG(cuGraphKernelNodeSetParams_v2(n, &k));
	WRONG(cuGraphExecKernelNodeSetParams_v2(x, n, &k));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { functions, streams_and_events, contexts, memory, graphs };

	return run_all("references", tests, sizeof(tests) / sizeof(*tests));
}
