/* SPDX-License-Identifier: MIT */
/* The CUDA Driver API: libraries and their kernels, cooperative launches, launches as before CUDA 4, look-ups. */
#include <pthread.h>
#define CUDA_TEST_PLAIN_NAMES	/* each version by its own name */
#include "cuda_test.h"

/* Each block adds 1 to p[0]; behind the grid's barrier each has to see the sum; p[1] counts those that do. */
static const char grid_ptx[] = PTX_HEAD
	".visible .entry together(.param .u64 p, .param .u32 blocks)\n{\n"
	".reg .pred %p<6>; .reg .b32 %r<16>; .reg .b64 %rd<6>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [blocks];\n"
	"mov.b32 %r2, %envreg2; mov.b32 %r3, %envreg1; mov.b64 %rd2, {%r2, %r3};\n"
	"mov.u32 %r4, %tid.x; setp.ne.u32 %p1, %r4, 0;\n"
	"@%p1 bra MEET;\natom.global.add.u32 %r5, [%rd1], 1;\n"
	"MEET:\nbar.sync 0;\n@%p1 bra LEAVE;\n"
	"mov.u32 %r6, %ctaid.x; setp.eq.u32 %p2, %r6, 0;\n"
	"sub.u32 %r7, %r1, 1; sub.u32 %r7, 0x80000000, %r7; selp.u32 %r8, %r7, 1, %p2;\n"
	"membar.gl; atom.global.add.u32 %r9, [%rd2+4], %r8;\n"
	"SPIN: ld.volatile.global.u32 %r10, [%rd2+4]; xor.b32 %r11, %r9, %r10; setp.ge.s32 %p3, %r11, 0;\n"
	"@%p3 bra SPIN;\nmembar.gl;\n"
	"LEAVE:\nbar.sync 0;\n@%p1 ret;\n"
	"ld.volatile.global.u32 %r12, [%rd1]; setp.ne.u32 %p4, %r12, %r1;\n@%p4 ret;\n"
	"atom.global.add.u32 %r13, [%rd1+4], 1; ret;\n}\n";

static unsigned int room(CUfunction f, unsigned int block)
{
	int per_sm, sms;

	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, f, (int)block, 0));
	OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	return (unsigned int)(per_sm * sms);
}

static CUdeviceptr two_words(void)
{
	CUdeviceptr p;

	OK(cuMemAlloc_v2(&p, 8));
	OK(cuMemsetD32_v2(p, 0, 2));
	return p;
}

/* As many blocks as the device holds meet; one more is refused. */
START_TEST(cooperative_launch)
{
	enum { BLOCK = 256 };
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = { .cooperative = 1 } };
	CUlaunchConfig conf = { 1, 1, 1, BLOCK, 1, 1, 0, NULL, &attribute, 1 };
	unsigned int blocks;
	CUdeviceptr p;
	void *params[] = { &p, &blocks };
	CUfunction f;
	int can;

	begin(grid_ptx);
	OK(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0));
	ck_assert_int_eq(can, 1);
	f = function("together");
	p = two_words();
	blocks = room(f, BLOCK);
	ck_assert_uint_gt(blocks, 1);
	OK(cuLaunchCooperativeKernel(f, blocks, 1, 1, BLOCK, 1, 1, 0, 0, params));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word_at(p), blocks);
	ck_assert_uint_eq(word_at(p + 4), blocks);
	blocks++;
	IS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
	   cuLaunchCooperativeKernel(f, blocks, 1, 1, BLOCK, 1, 1, 0, 0, params));
	conf.gridDimX = blocks;
	IS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchKernelEx(&conf, f, params, NULL));
	conf.gridDimX = blocks = 3;
	OK(cuMemsetD32_v2(p, 0, 2));
	OK(cuLaunchKernelEx(&conf, f, params, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word_at(p + 4), 3);
	BAD(cuLaunchCooperativeKernel(f, 0, 1, 1, BLOCK, 1, 1, 0, 0, params));
	IS(CUDA_ERROR_INVALID_HANDLE, cuLaunchCooperativeKernel((CUfunction)&p, 1, 1, 1, 1, 1, 1, 0, 0, params));
	attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	attribute.value.clusterDim.x = 2;
	BAD(cuLaunchKernelEx(&conf, f, params, NULL));
}
END_TEST

/* Two grids that each fill the device, in two streams: neither waits for ever for room that the other's blocks hold. */
START_TEST(cooperative_kernels_in_two_streams)
{
	enum { BLOCK = 256, TIMES = 4 };
	CUdeviceptr p[2];
	unsigned int blocks;
	CUstream s[2];
	CUfunction f;

	begin(grid_ptx);
	f = function("together");
	blocks = room(f, BLOCK);
	for (int i = 0; i < 2; i++) {
		OK(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
		p[i] = two_words();
	}
	for (int i = 0; i < 2 * TIMES; i++) {
		void *params[] = { &p[i % 2], &blocks };

		OK(cuMemsetD32Async(p[i % 2], 0, 1, s[i % 2]));
		OK(cuLaunchCooperativeKernel(f, blocks, 1, 1, BLOCK, 1, 1, 0, s[i % 2], params));
	}
	OK(cuCtxSynchronize());
	for (int i = 0; i < 2; i++)
		ck_assert_uint_eq(word_at(p[i] + 4), TIMES * blocks);
}
END_TEST

static void use_kernel(CUkernel k)
{
	CUdeviceptr p = one_word(4);

	run((CUfunction)k, p, 5, 0);
	ck_assert_uint_eq(word_at(p), 20);
}

/* Code without a context; a module of each context that uses it. */
START_TEST(libraries)
{
	CUcontext first, second;
	CUkernel k, all[8];
	CUlibrary lib, of;
	CUfunction f, g;
	CUdeviceptr var;
	size_t bytes, offset;
	const char *name;
	unsigned int n;
	CUmodule m;
	int value;

	OK(cuInit(0));
	OK(cuLibraryLoadData(&lib, small_ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&k, lib, "scale"));
	IS(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&k, lib, "nobody"));
	OK(cuLibraryGetKernelCount(&n, lib));
	ck_assert_uint_eq(n, 4);
	OK(cuLibraryEnumerateKernels(all, 8, lib));
	OK(cuKernelGetName(&name, k));
	ck_assert_str_eq(name, "scale");
	OK(cuKernelGetLibrary(&of, k));
	ck_assert_ptr_eq(of, lib);
	OK(cuKernelGetParamInfo(k, 1, &offset, &bytes));
	ck_assert_uint_eq(offset, 8);
	ck_assert_uint_eq(bytes, 4);
	BAD(cuKernelGetParamInfo(k, 2, &offset, &bytes));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuKernelGetFunction(&f, k));
	OK(cuCtxCreate_v2(&first, 0, 0));
	use_kernel(k);
	OK(cuKernelGetFunction(&f, k));
	OK(cuLibraryGetGlobal(&var, &bytes, lib, "variable"));
	ck_assert_uint_eq(word_at(var), 5);
	IS(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&var, &bytes, lib, "variable"));
	OK(cuLibraryGetModule(&m, lib));
	OK(cuModuleGetFunction(&g, m, "scale"));
	ck_assert_ptr_eq(f, g);
	OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, k, 0));
	OK(cuCtxCreate_v2(&second, 0, 0));
	use_kernel(k);
	OK(cuKernelGetFunction(&g, k));
	ck_assert_ptr_ne(f, g);			/* each context its own */
	OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, k, 0));
	ck_assert_int_eq(value, 50);
	OK(cuFuncLoad(g));
	OK(cuCtxDestroy_v2(first));
	use_kernel(k);
	OK(cuLibraryUnload(lib));
	IS(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(lib));
	IS(CUDA_ERROR_INVALID_HANDLE, cuKernelGetFunction(&f, k));
	IS(CUDA_ERROR_INVALID_HANDLE, cuFuncLoad(g));
	IS(CUDA_ERROR_INVALID_PTX, cuLibraryLoadData(&lib, ".version 6.3\nnonsense", NULL, NULL, 0, NULL, NULL, 0));
	IS(CUDA_ERROR_FILE_NOT_FOUND, cuLibraryLoadFromFile(&lib, "/nowhere.ptx", NULL, NULL, 0, NULL, NULL, 0));
	BAD(cuLibraryLoadData(&lib, NULL, NULL, NULL, 0, NULL, NULL, 0));
}
END_TEST

static CUkernel shared_kernel;

static void *in_a_thread(void *arg)
{
	(void)arg;
	OK(cuCtxSetCurrent(ctx));
	for (int i = 0; i < 5; i++)
		use_kernel(shared_kernel);
	return NULL;
}

START_TEST(libraries_in_two_threads)
{
	CUlibrary lib;
	pthread_t t[2];

	begin(small_ptx);
	OK(cuLibraryLoadData(&lib, small_ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&shared_kernel, lib, "scale"));
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, in_a_thread, NULL), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
END_TEST

/* Of two results a program may ask for one: it gets that one, and the other pointer is not followed. */
#define TWO(A, B, call) do { \
	A a_, a_both = 0; \
	B b_, b_both = 0; \
	for (unsigned mask_ = 3; mask_; mask_--) { \
		A *a = mask_ & 1 ? &a_ : NULL; \
		B *b = mask_ & 2 ? &b_ : NULL; \
\
		memset(&a_, 0x5a, sizeof(a_)); \
		memset(&b_, 0x5a, sizeof(b_)); \
		OK(call); \
		if (mask_ == 3) { \
			a_both = a_; \
			b_both = b_; \
		} \
		ck_assert_msg(!a || a_ == a_both, "%s: the first", #call); \
		ck_assert_msg(!b || b_ == b_both, "%s: the second", #call); \
	} \
	first = (unsigned long long)a_both; \
	second = (unsigned long long)b_both; \
} while (0)

START_TEST(optional_results)
{
	unsigned long long first, second;
	size_t offset = 0;
	CUdeviceptr p;

	begin(small_ptx);
	OK(cuMemAlloc_v2(&p, 4096));
	TWO(int, int, cuCtxGetStreamPriorityRange(a, b));
	ck_assert_int_eq((int)first, 0);
	ck_assert_int_eq((int)second, -5);
	TWO(CUdeviceptr, size_t, cuMemGetAddressRange_v2(a, b, p + 100));
	ck_assert(first == p && second == 4096);
	TWO(CUdeviceptr, size_t, cuModuleGetGlobal_v2(a, b, mod, "variable"));
	ck_assert(first && second == 4);
	TWO(size_t, size_t, cuMemGetInfo_v2(a, b));
	ck_assert(first && first < second);
	OK(cuFuncGetParamInfo(function("scale"), 1, &offset, NULL));	/* only the size may be left out */
	ck_assert_uint_eq(offset, 8);
	BAD(cuFuncGetParamInfo(function("scale"), 1, NULL, &offset));
}
END_TEST

START_TEST(launches_as_before)
{
	CUfunction f;
	CUdeviceptr p;

	begin(small_ptx);
	f = function("scale");
	p = one_word(6);
	OK(cuFuncSetBlockShape(f, 1, 1, 1));
	OK(cuParamSetv(f, 0, &p, sizeof(p)));
	OK(cuParamSeti(f, 8, 7));
	OK(cuParamSetSize(f, 12));
	OK(cuLaunch(f));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word_at(p), 42);
	OK(cuLaunchGrid(f, 1, 1));
	OK(cuLaunchGridAsync(f, 1, 1, CU_STREAM_PER_THREAD));
	OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	ck_assert_uint_eq(word_at(p), 42 * 49);
	BAD(cuFuncSetBlockShape(f, 0, 1, 1));
	BAD(cuParamSeti(f, 32764, 1));
	BAD(cuParamSeti(f, 32761, 1));
	OK(cuParamSeti(f, 32760, 1));
	BAD(cuParamSetSize(f, 32765));
	OK(cuParamSetSize(f, 32764));
	BAD(cuParamSeti(f, -4, 1));
	BAD(cuLaunchGrid(f, 0, 1));
	OK(cuParamSetSize(f, 8));		/* too few */
	BAD(cuLaunch(f));
	OK(cuParamSetf(f, 8, 1.0f));
	OK(cuFuncSetSharedSize(f, 16));
}
END_TEST

/* Shape of the block and of the grid, as the kernel sees them. */
START_TEST(shapes_as_before)
{
	static const char ptx[] = PTX_HEAD
		".visible .entry shape(.param .u64 p)\n{\n.reg .b64 %p; .reg .b32 %r; ld.param.u64 %p, [p];\n"
		"mov.u32 %r, %ntid.x; st.global.u32 [%p], %r; mov.u32 %r, %ntid.y; st.global.u32 [%p+4], %r;\n"
		"mov.u32 %r, %ntid.z; st.global.u32 [%p+8], %r; mov.u32 %r, %nctaid.x; st.global.u32 [%p+12], %r;\n"
		"mov.u32 %r, %nctaid.y; st.global.u32 [%p+16], %r; mov.u32 %r, %nctaid.z; st.global.u32 [%p+20], %r; ret;\n}\n";
	static const unsigned int want[6] = { 2, 3, 4, 5, 6, 1 };
	unsigned int got[6];
	CUdeviceptr p;
	CUfunction f;

	begin(ptx);
	f = function("shape");
	OK(cuMemAlloc_v2(&p, sizeof(got)));
	OK(cuFuncSetBlockShape(f, 2, 3, 4));
	OK(cuParamSetv(f, 0, &p, sizeof(p)));
	OK(cuParamSetSize(f, 8));
	OK(cuLaunchGrid(f, 5, 6));
	OK(cuMemcpyDtoH_v2(got, p, sizeof(got)));
	ck_assert_mem_eq(got, want, sizeof(got));
	BAD(cuFuncSetBlockShape(f, 1, 0, 1));
	BAD(cuFuncSetBlockShape(f, 1, 1, 0));
	BAD(cuLaunchGrid(f, 1, 0));
	BAD(cuParamSetTexRef(f, 0, NULL));
}
END_TEST

/* If a function has changed its arguments, the requested version decides. */
START_TEST(versions)
{
	static const struct {
		const char *name;
		int version;
		void *want;
	} t[] = {
		{ "cuStreamBeginCapture", 10000, (void *)cuStreamBeginCapture },
		{ "cuStreamBeginCapture", 10010, (void *)cuStreamBeginCapture_v2 },
		{ "cuGraphInstantiate", 10000, (void *)cuGraphInstantiate },
		{ "cuGraphInstantiate", 11000, (void *)cuGraphInstantiate_v2 },
		{ "cuGraphInstantiate", 12000, (void *)cuGraphInstantiateWithFlags },
		{ "cuGraphAddNode", 12020, (void *)cuGraphAddNode },
		{ "cuGraphAddNode", 12030, (void *)cuGraphAddNode_v2 },
		{ "cuGraphAddKernelNode", 11000, (void *)cuGraphAddKernelNode },
		{ "cuGraphAddKernelNode", 12080, (void *)cuGraphAddKernelNode_v2 },
		{ "cuStreamGetCaptureInfo", 11030, (void *)cuStreamGetCaptureInfo_v2 },
		{ "cuMemAdvise", 8000, (void *)cuMemAdvise },
		{ "cuMemAdvise", 12020, (void *)cuMemAdvise_v2 },
		{ "cuMemHostRegister", 4000, (void *)cuMemHostRegister_v2 },
		{ "cuStreamWaitValue32", 8000, (void *)cuStreamWaitValue32_v2 },
		{ "cuLinkCreate", 5050, (void *)cuLinkCreate_v2 },
		{ "cuDevicePrimaryCtxRelease", 7000, (void *)cuDevicePrimaryCtxRelease_v2 },
	};
	void *p;

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		OK(cuGetProcAddress_v2(t[i].name, &p, t[i].version, 0, NULL));
		ck_assert_msg(p == t[i].want, "%s of %d", t[i].name, t[i].version);
	}
	OK(cuGetProcAddress_v2("cuStreamWaitValue32", &p, 8000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
	ck_assert_ptr_eq(p, (void *)cuStreamWaitValue32_v2_ptsz);
	OK(cuGetProcAddress_v2("cuGraphLaunch", &p, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
	ck_assert_ptr_eq(p, (void *)cuGraphLaunch_ptsz);
	BAD(cuGetProcAddress_v2("cuInit", &p, 12000, 3, NULL));
	IS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress_v2("cuNobody", &p, 12000, 0, NULL));
}
END_TEST

/* Every error code has a name and a sentence, every attribute a value. */
START_TEST(lists_are_whole)
{
	static const int codes[] = {
#define R(name, code, text) code,
		CU_RESULTS(R)
#undef R
	};
	static const int attributes[] = {
#define A(name, number) number,
		CU_DEVICE_ATTRIBUTES(A)
#undef A
	};
	const char *name, *text;
	CUuuid id = { "nobody" };
	const void *table = &id;
	int v;

	OK(cuInit(0));
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		OK(cuGetErrorName((CUresult)codes[i], &name));
		OK(cuGetErrorString((CUresult)codes[i], &text));
		ck_assert_msg(!strncmp(name, "CUDA_", 5) && *text, "%d", codes[i]);
	}
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		OK(cuDeviceGetAttribute(&v, (CUdevice_attribute)attributes[i], 0));
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 0));
	ck_assert_int_eq(v, 65536);
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
	ck_assert_int_eq(v, 0);
	IS(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &id));
	ck_assert_ptr_null(table);
	BAD(cuGetExportTable(NULL, &id));
	OK(cuProfilerStart());
	IS(CUDA_ERROR_PROFILER_DISABLED, cuProfilerInitialize(NULL, NULL, CU_OUT_CSV));
}
END_TEST

START_TEST(settings_of_contexts_and_streams)
{
	CUlaunchAttributeValue v = { .priority = -2 };
	unsigned int flags;
	CUcontext c;
	CUstream s, t;
	CUdevice d;

	begin(small_ptx);
	OK(cuCtxSetFlags(CU_CTX_SCHED_BLOCKING_SYNC));
	OK(cuCtxGetFlags(&flags));
	ck_assert_uint_eq(flags, CU_CTX_SCHED_BLOCKING_SYNC);
	BAD(cuCtxSetFlags(0x1000));
	OK(cuStreamCreate(&s, 0));
	OK(cuStreamCreate(&t, 0));
	OK(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	OK(cuStreamCopyAttributes(t, s));
	OK(cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	ck_assert_int_eq(v.priority, -2);
	BAD(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
	OK(cuStreamGetDevice(s, &d));
	ck_assert_int_eq(d, 0);
	OK(cuStreamGetCtx_v2(s, &c, NULL));
	ck_assert_ptr_eq(c, ctx);
	OK(cuCtxResetPersistingL2Cache());
	OK(cuCtxAttach(&c, 0));
	ck_assert_ptr_eq(c, ctx);
	OK(cuCtxDetach(ctx));
	OK(cuCtxSynchronize());
	OK(cuCtxDetach(ctx));			/* the last one */
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
}
END_TEST

/* Another context of the device is a peer. (What other processes share is in test_cuda_ipc.) */
START_TEST(peers)
{
	CUcontext other;
	CUdeviceptr p, q;
	CUevent e;
	int can;

	begin(small_ptx);
	BAD(cuEventCreate(&e, CU_EVENT_INTERPROCESS));
	BAD(cuDeviceGetP2PAttribute(&can, (CUdevice_P2PAttribute)77, 0, 0));
	IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
	p = one_word(1);
	OK(cuMemcpyPeer(p, ctx, p, ctx, 0));
	OK(cuCtxCreate_v2(&other, 0, 0));
	IS(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(ctx));
	BAD(cuCtxEnablePeerAccess(ctx, 1));
	OK(cuCtxEnablePeerAccess(ctx, 0));
	IS(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(ctx, 0));
	q = one_word(2);
	OK(cuMemcpyPeer(q, other, p, ctx, 4));
	ck_assert_uint_eq(word_at(q), 1);
	OK(cuCtxDisablePeerAccess(ctx));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(p, ctx, p, (CUcontext)&can, 4));
}
END_TEST

int main(void)
{
	const TTest *tests[] = { cooperative_launch, cooperative_kernels_in_two_streams, libraries,
				 libraries_in_two_threads, optional_results, launches_as_before, shapes_as_before, versions, lists_are_whole,
				 settings_of_contexts_and_streams, peers };

	return RUN_ALL("code", tests);
}
