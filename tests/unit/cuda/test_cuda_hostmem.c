/* SPDX-License-Identifier: MIT */
/*
 * The runtime when the host has no memory left: in each step of a program that uses most parts of libcuda, the n-th
 * allocation fails, for n = 1, 2, ... until none does.  A call answers that there is no memory, or does without; then it
 * works when it is made again, nothing that it began is left, and the program gets the right results.  What is lost, the
 * address sanitizer reports.  (The device's own allocations: test_hostmem.c; the backend's: test_backend_memory.c.  Here
 * they do not fail.)
 *
 * The program is linked with --wrap for the functions below.
 */
#include "cuda_test.h"

static __thread unsigned inside;	/* this thread is in the device */
static unsigned left;			/* the allocation that fails, counted down; 0: none */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);
void *__real_ppu_alloc(size_t n, size_t size);
void *__real_ppu_alloc_aligned(size_t align, size_t bytes);
void *__real_ppu_realloc(void *p, size_t bytes);
void *__wrap_ppu_alloc(size_t n, size_t size);
void *__wrap_ppu_alloc_aligned(size_t align, size_t bytes);
void *__wrap_ppu_realloc(void *p, size_t bytes);

static bool fails(void)
{
	return !inside && left && !--left;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

#define DEVICE(call) do { \
	void *got_; \
	inside++; \
	got_ = (call); \
	inside--; \
	return got_; \
} while (0)

void *__wrap_ppu_alloc(size_t n, size_t size)
{
	DEVICE(__real_ppu_alloc(n, size));
}

void *__wrap_ppu_alloc_aligned(size_t align, size_t bytes)
{
	DEVICE(__real_ppu_alloc_aligned(align, bytes));
}

void *__wrap_ppu_realloc(void *p, size_t bytes)
{
	DEVICE(__real_ppu_realloc(p, bytes));
}

/* ---- a call, made until nothing fails ---------------------------------------------------------------- */

static unsigned refused, calls;

/* Did the n-th fail? */
static bool disarm(void)
{
	bool failed = !left;

	left = 0;
	return failed;
}

static bool again(unsigned n, CUresult r, const char *call)
{
	const char *name = "?";
	bool failed = disarm();

	cuGetErrorName(r, &name);
	if (!failed)
		ck_assert_msg(!r, "%s: %s", call, name);
	else
		ck_assert_msg(!r || r == CUDA_ERROR_OUT_OF_MEMORY, "allocation %u of %s: %s", n, call, name);
	refused += r != 0;
	calls += !r;
	return r;
}

/* Many allocations: each of the first ones, then one of so many. */
static unsigned next(unsigned n)
{
	return n < 40 ? n + 1 : n + 1 + n / 15;
}

#define TRY(call) do { \
	CUresult r_; \
	unsigned n_ = 0; \
	do { \
		n_ = next(n_); \
		left = n_; \
		r_ = (call); \
	} while (again(n_, r_, #call)); \
} while (0)

/* ---- what programs do ------------------------------------------------------------------------------- */

/* With a context and its kernels; allocations do not fail yet. */
static void ready(void)
{
	begin(small_ptx);
	run(function("nothing"), 0, 0, NULL);
	OK(cuCtxSynchronize());
}

START_TEST(contexts)
{
	CUcontext c;

	ready();
	TRY(cuCtxCreate_v2(&c, 0, 0));
	OK(cuCtxDestroy_v2(c));
	TRY(cuDevicePrimaryCtxRetain(&c, 0));
	OK(cuDevicePrimaryCtxRelease_v2(0));
	TRY(cuCtxPushCurrent_v2(ctx));
	ck_assert_uint_gt(refused, 10);
}
END_TEST

START_TEST(modules)
{
	CUfunction f;
	CUmodule m;
	CUlibrary lib;
	CUkernel k;
	CUdeviceptr p, v;
	size_t bytes;

	ready();
	p = one_word(6);
	TRY(cuModuleLoadData(&m, small_ptx));
	TRY(cuModuleGetFunction(&f, m, "scale"));
	TRY(cuModuleGetGlobal_v2(&v, &bytes, m, "variable"));
	ck_assert_uint_eq(word_at(v), 5);
	run(f, p, 7, NULL);
	ck_assert_uint_eq(word_at(p), 42);
	OK(cuModuleUnload(m));
	TRY(cuLibraryLoadData(&lib, small_ptx, NULL, NULL, 0, NULL, NULL, 0));
	TRY(cuLibraryGetKernel(&k, lib, "scale"));
	TRY(cuKernelGetFunction(&f, k));
	run(f, p, 2, NULL);
	ck_assert_uint_eq(word_at(p), 84);
	OK(cuLibraryUnload(lib));
	ck_assert_uint_gt(refused, 25);
}
END_TEST

static void CUDA_CB count(void *arg)
{
	++*(unsigned *)arg;
}

START_TEST(streams)
{
	unsigned seen = 0, ten = 10;
	CUevent a, b;
	CUstream s, t;
	CUdeviceptr p;
	CUfunction f;
	void *params[] = { &p, &ten };

	ready();
	p = one_word(1);
	f = function("scale");
	TRY(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	TRY(cuStreamCreateWithPriority(&t, 0, 0));
	TRY(cuEventCreate(&a, 0));
	TRY(cuEventCreate(&b, CU_EVENT_DISABLE_TIMING));
	TRY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
	TRY(cuEventRecord(a, s));
	TRY(cuStreamWaitEvent(t, a, 0));
	TRY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, t, params, NULL));
	TRY(cuEventRecord(b, t));
	TRY(cuLaunchHostFunc(t, count, &seen));
	TRY(cuStreamWriteValue32_v2(t, p + 4 - 4, 77, 0));
	TRY(cuStreamWaitValue32_v2(t, p, 77, CU_STREAM_WAIT_VALUE_EQ));
	TRY(cuStreamSynchronize(t));
	ck_assert_uint_eq(seen, 1);
	ck_assert_uint_eq(word_at(p), 77);
	TRY(cuEventSynchronize(b));
	OK(cuEventDestroy_v2(a));
	OK(cuEventDestroy_v2(b));
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
	ck_assert_uint_gt(refused, 5);
}
END_TEST

START_TEST(memory)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemPoolProps pool_props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				      .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUDA_ARRAY_DESCRIPTOR d = { .Width = 16, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1 };
	static unsigned mine[1024], buf[1024];
	CUmemGenericAllocationHandle h;
	CUmemoryPool pool;
	CUdeviceptr p, q;
	size_t before, after, total;
	CUarray array;
	void *host;

	ready();
	OK(cuMemGetInfo_v2(&before, &total));
	for (unsigned i = 0; i < 2; i++) {
		TRY(cuMemAlloc_v2(&p, i ? 20 << 20 : 4096));
		TRY(cuMemsetD32_v2(p, 5, 1024));
		TRY(cuMemcpyDtoH_v2(buf, p, 4096));
		ck_assert_uint_eq(buf[1023], 5);
		OK(cuMemFree_v2(p));
	}
	TRY(cuMemAllocHost_v2(&host, 4096));
	TRY(cuMemHostRegister_v2(mine, sizeof(mine), 0));
	OK(cuMemHostUnregister(mine));
	OK(cuMemFreeHost(host));
	TRY(cuMemAllocManaged(&p, 8192, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemFree_v2(p));
	TRY(cuMemPoolCreate(&pool, &pool_props));
	TRY(cuMemAllocFromPoolAsync(&p, 4096, pool, NULL));
	TRY(cuMemFreeAsync(p, NULL));
	OK(cuStreamSynchronize(NULL));
	OK(cuMemPoolDestroy(pool));
	TRY(cuMemAddressReserve(&q, 2 << 20, 0, 0, 0));
	TRY(cuMemCreate(&h, 2 << 20, &prop, 0));
	TRY(cuMemMap(q, 2 << 20, 0, h, 0));
	TRY(cuMemSetAccess(q, 2 << 20, &access, 1));
	set_word(q, 9);
	ck_assert_uint_eq(word_at(q), 9);
	OK(cuMemUnmap(q, 2 << 20));
	OK(cuMemRelease(h));
	OK(cuMemAddressFree(q, 2 << 20));
	TRY(cuArrayCreate_v2(&array, &d));
	OK(cuArrayDestroy(array));
	OK(cuMemGetInfo_v2(&after, &total));
	ck_assert_uint_ge(after + (2 << 20), before);	/* one chunk may be kept */
	ck_assert_uint_gt(refused, 15);
}
END_TEST

START_TEST(graphs)
{
	unsigned ten = 10, seen = 0, tried = 0;
	CUDA_KERNEL_NODE_PARAMS k = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
				      .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1 };
	CUDA_HOST_NODE_PARAMS host = { count, &seen };
	CUgraphNodeParams cond = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
				   .conditional = { .type = CU_GRAPH_COND_TYPE_SWITCH, .size = 3 } };
	CUgraphExecUpdateResultInfo info;
	CUgraphNode a, b, n;
	CUgraph g, copy, taken;
	CUgraphExec e;
	CUdeviceptr p;
	void *params[] = { &p, &ten };
	CUstream s;
	CUresult r;
	size_t num;

	ready();
	p = one_word(1);
	k.func = function("scale");
	k.kernelParams = params;
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	TRY(cuGraphCreate(&g, 0));
	TRY(cuGraphAddKernelNode_v2(&a, g, NULL, 0, &k));
	TRY(cuGraphAddKernelNode_v2(&b, g, &a, 1, &k));
	TRY(cuGraphAddHostNode(&n, g, NULL, 0, &host));
	TRY(cuGraphAddDependencies(g, &n, &a, 1));
	TRY(cuGraphConditionalHandleCreate(&cond.conditional.handle, g, NULL, 2, CU_GRAPH_COND_ASSIGN_DEFAULT));
	TRY(cuGraphAddNode(&n, g, NULL, 0, &cond));
	TRY(cuGraphAddHostNode(&n, cond.conditional.phGraph_out[2], NULL, 0, &host));
	TRY(cuGraphClone(&copy, g));
	TRY(cuGraphAddChildGraphNode(&n, g, &b, 1, copy));
	TRY(cuGraphInstantiateWithFlags(&e, g, 0));
	TRY(cuGraphExecKernelNodeSetParams_v2(e, a, &k));
	TRY(cuGraphKernelNodeSetParams_v2(a, &k));
	TRY(cuGraphExecUpdate_v2(e, g, &info));
	do {	/* a launch that fails may have begun */
		OK(cuStreamSynchronize(s));
		set_word(p, 1);
		seen = 0;
		left = ++tried;
		r = cuGraphLaunch(e, s);
	} while (again(tried, r, "launch"));
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word_at(p), 10000);
	ck_assert_uint_eq(seen, 4);
	OK(cuGraphExecDestroy(e));
	TRY(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	for (tried = 1, left = 1;; left = ++tried) {	/* what a capture cannot take may spoil it */
		r = cuLaunchKernel(k.func, 1, 1, 1, 1, 1, 1, 0, s, params, NULL);
		if (!again(tried, r, "a captured launch"))
			break;
		r = cuStreamEndCapture(s, &taken);
		ck_assert(!r || r == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
		if (!r)
			OK(cuGraphDestroy(taken));
		OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	}
	OK(cuStreamEndCapture(s, &taken));
	num = 0;
	OK(cuGraphGetNodes(taken, NULL, &num));
	ck_assert_uint_eq(num, 1);
	OK(cuGraphDestroy(taken));
	OK(cuGraphDestroy(copy));
	OK(cuGraphDestroy(g));
	ck_assert_uint_gt(refused, 30);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { contexts, modules, streams, memory, graphs };

	return run_all("hostmem", tests, sizeof(tests) / sizeof(*tests));
}
