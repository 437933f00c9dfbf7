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
	FINE(cuMemcpyPeer(p, ctx, p, other, 4));
	FINE(cuMemcpyPeer(p, other, p, ctx, 4));
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

/* What is made and destroyed again. */
#define MADE(make, destroy) FINE(({ CUresult made_r = (make); made_r ? made_r : (destroy); }))

START_TEST(made_and_gone)
{
	CUDA_ARRAY_DESCRIPTOR d = { .Width = 16, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1 };
	CUDA_ARRAY3D_DESCRIPTOR d3 = { .Width = 4, .Height = 4, .Depth = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1,
				       .Flags = CUDA_ARRAY3D_SURFACE_LDST };
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_ARRAY };
	CUDA_TEXTURE_DESC how = { .filterMode = CU_TR_FILTER_MODE_POINT };
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUtexObject tex;
	CUsurfObject surf;
	CUarray made;
	CUmemoryPool mine;
	CUstream str;
	CUevent ev;
	CUgraph gr;
	CUgraphNode node;
	CUgraphExec exec;
	CUmodule m;
	CUlibrary lib;
	CUcontext c;
	static char block[4096] __attribute__((aligned(4096)));
	CUdeviceptr q;
	size_t pitch;
	void *host;

	start();
	MADE(cuArrayCreate_v2(&made, &d), cuArrayDestroy(made));
	MADE(cuArray3DCreate_v2(&made, &d3), cuArrayDestroy(made));
	d.NumChannels = d3.NumChannels = 3;
	WRONG(cuArrayCreate_v2(&made, &d));
	WRONG(cuArray3DCreate_v2(&made, &d3));
	d3.NumChannels = 1;
	d3.Width = d3.Height = d3.Depth = 1 << 12;		/* more than there is */
	HOLDS_NOTHING(CUDA_ERROR_OUT_OF_MEMORY, cuArray3DCreate_v2(&made, &d3));
	r.res.array.hArray = a;
	MADE(cuTexObjectCreate(&tex, &r, &how, NULL), cuTexObjectDestroy(tex));
	r.res.array.hArray = (CUarray)&d;
	NONE(cuTexObjectCreate(&tex, &r, &how, NULL));
	NONE(cuSurfObjectCreate(&surf, &r));
	MADE(cuMemPoolCreate(&mine, &props), cuMemPoolDestroy(mine));
	props.location.id = 5;
	IS(CUDA_ERROR_INVALID_DEVICE, cuMemPoolCreate(&mine, &props));
	MADE(cuStreamCreate(&str, CU_STREAM_NON_BLOCKING), cuStreamDestroy_v2(str));
	MADE(cuStreamCreateWithPriority(&str, 0, 0), cuStreamDestroy_v2(str));
	WRONG(cuStreamCreate(&str, 77));
	WRONG(cuStreamCreateWithPriority(&str, 77, 0));
	MADE(cuEventCreate(&ev, CU_EVENT_DISABLE_TIMING), cuEventDestroy_v2(ev));
	WRONG(cuEventCreate(&ev, 77));
	MADE(cuGraphCreate(&gr, 0), cuGraphDestroy(gr));
	MADE(cuGraphClone(&gr, g), cuGraphDestroy(gr));
	MADE(cuGraphAddEmptyNode(&node, g, NULL, 0), cuGraphDestroyNode(node));
	MADE(cuGraphInstantiateWithFlags(&exec, g, 0), cuGraphExecDestroy(exec));
	MADE(cuModuleLoadData(&m, small_ptx), cuModuleUnload(m));
	HOLDS_NOTHING(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&m, ".version nothing"));
	MADE(cuLibraryLoadData(&lib, small_ptx, NULL, NULL, 0, NULL, NULL, 0), cuLibraryUnload(lib));
	MADE(cuCtxCreate_v2(&c, 0, 0), cuCtxDestroy_v2(c));
	MADE(cuMemAlloc_v2(&q, 64), cuMemFree_v2(q));
	HOLDS_NOTHING(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&q, (size_t)1 << 40));
	MADE(cuMemAllocPitch_v2(&q, &pitch, 64, 4, 4), cuMemFree_v2(q));
	WRONG(cuMemAllocPitch_v2(&q, &pitch, 64, 4, 5));
	WRONG(cuMemAlloc_v2(&q, 0));
	MADE(cuMemHostAlloc(&host, 64, 0), cuMemFreeHost(host));
	MADE(cuMemHostRegister_v2(block, sizeof(block), 0), cuMemHostUnregister(block));
	MADE(cuMemAllocManaged(&q, 64, CU_MEM_ATTACH_GLOBAL), cuMemFree_v2(q));
	MADE(cuMemAllocHost_v2(&host, 64), cuMemFreeHost(host));
	MADE(cuMemAllocAsync(&q, 64, s), cuMemFreeAsync(q, s));
	MADE(cuMemAllocFromPoolAsync(&q, 64, pool, s), cuMemFreeAsync(q, s));
}
END_TEST

/* The rest of what takes a function, a stream, an array or a graph. */
START_TEST(more_functions)
{
	unsigned ten = 10;
	void *params[] = { &p, &ten };
	CUlaunchConfig cfg = { 1, 1, 1, 1, 1, 1, 0, NULL, NULL, 0 };
	CUfunctionLoadingState state;
	CUfunction again;
	const char *name;
	size_t bytes;
	int x1, x2;

	start();
	cfg.hStream = s;
	FINE(cuFuncGetName(&name, f));
	FINE(cuFuncIsLoaded(&state, f));
	FINE(cuFuncLoad(f));
	OK(cuModuleEnumerateFunctions(&again, 1, mod));		/* which makes one */
	FINE(cuModuleEnumerateFunctions(&again, 1, mod));
	FINE(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1, 64));
	WRONG(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 100000, 64));
	FINE(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&x1, f, 64, 0, 0));
	FINE(cuOccupancyMaxPotentialBlockSize(&x1, &x2, f, NULL, 0, 0));
	FINE(cuLaunchKernelEx(&cfg, f, params, NULL));
	FINE(cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params));
	cfg.gridDimX = 0;
	WRONG(cuLaunchKernelEx(&cfg, f, params, NULL));
	WRONG(cuLaunchCooperativeKernel(f, 0, 1, 1, 1, 1, 1, 0, s, params));
}
END_TEST

START_TEST(more_streams)
{
	CUlaunchAttributeValue v = { 0 };
	CUstreamCaptureStatus status;
	unsigned long long id;
	CUgraph got = NULL;
	CUdevice dev;

	start();
	FINE(cuStreamGetDevice(s, &dev));
	FINE(cuStreamGetId(s, &id));
	FINE(cuStreamIsCapturing(s, &status));
	FINE(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	FINE(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	FINE(cuStreamCopyAttributes(s, s));
	FINE(cuStreamGetCaptureInfo_v2(s, &status, &id, NULL, NULL, NULL));
	MADE(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED), ({
		CUresult ended = cuStreamEndCapture(s, &got);

		ended ? ended : cuGraphDestroy(got);
	}));
	HOLDS_NOTHING(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(s, &got));
	FINE(cuMemcpyAsync(p, p, 4, s));
	FINE(cuMemcpyDtoDAsync_v2(p, p, 4, s));
}
END_TEST

START_TEST(more_memory)
{
	CUDA_MEMCPY3D c = { .srcMemoryType = CU_MEMORYTYPE_ARRAY, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .WidthInBytes = 4,
			    .Height = 1, .Depth = 1 };
	CUDA_ARRAY3D_DESCRIPTOR d;
	CUmemoryPool got;
	unsigned w = 4;

	start();
	c.srcArray = a;
	c.dstDevice = p;
	FINE(cuArray3DGetDescriptor_v2(&d, a));
	FINE(cuMemcpyAtoA_v2(a, 16, a, 0, 4));
	FINE(cuMemcpyAtoHAsync_v2(&w, a, 0, 4, s));
	FINE(cuMemcpyHtoAAsync_v2(a, 0, &w, 4, s));
	FINE(cuMemcpy3D_v2(&c));
	FINE(cuMemcpy3DAsync_v2(&c, s));
	c.Height = 1000;
	WRONG(cuMemcpy3D_v2(&c));
	WRONG(cuMemcpy3DAsync_v2(&c, s));
	FINE(cuDeviceGetDefaultMemPool(&got, 0));
	FINE(cuDeviceGetMemPool(&got, 0));
}
END_TEST

START_TEST(more_graphs)
{
	CUlaunchAttributeValue v = { 0 };
	CUgraphNode child, first, other_n;
	CUgraph inner, clone;
	cuuint64_t flags;
	size_t num = 0;

	start();
	FINE(cuGraphExecGetFlags(x, &flags));
	FINE(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	FINE(cuGraphKernelNodeSetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	FINE(cuGraphKernelNodeCopyAttributes(n, n));
	FINE(cuGraphDebugDotPrint(g, "/dev/null", 0));
	OK(cuGraphClone(&clone, g));
	FINE(cuGraphNodeFindInClone(&first, n, clone));
	MADE(cuGraphAddChildGraphNode(&child, g, &n, 1, clone), cuGraphDestroyNode(child));
	OK(cuGraphAddChildGraphNode(&child, g, NULL, 0, clone));
	FINE(cuGraphChildGraphNodeGetGraph(child, &inner));
	OK(cuGraphAddEmptyNode(&other_n, g, NULL, 0));
	MADE(cuGraphAddDependencies(g, &n, &other_n, 1), cuGraphRemoveDependencies(g, &n, &other_n, 1));
	FINE(cuGraphGetEdges(g, NULL, NULL, &num));
	WRONG(cuGraphRemoveDependencies(g, &n, &other_n, 1));
	OK(cuGraphDestroyNode(child));
	OK(cuGraphDestroy(clone));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { functions, streams_and_events, contexts, memory, graphs, made_and_gone, more_functions,
				       more_streams, more_memory, more_graphs };

	return run_all("references", tests, sizeof(tests) / sizeof(*tests));
}
