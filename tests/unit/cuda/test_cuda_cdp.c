/* SPDX-License-Identifier: MIT */
/*
 * Kernels that launch kernels, through the CUDA Driver API: linked from two inputs and CUDA's device runtime
 * library, which need not be there.
 */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <cuda/cuda.h>
#include <ppu.h>
#include "bench_main.h"

#define IS(want, call) do { \
	CUresult r_ = (call), w_ = (want); \
	const char *n_ = "?", *m_ = "?"; \
	cuGetErrorName(r_, &n_); \
	cuGetErrorName(w_, &m_); \
	ck_assert_msg(r_ == w_, "%s: %s instead of %s", #call, n_, m_); \
} while (0)
#define OK(call) IS(CUDA_SUCCESS, call)

/* A kernel of another file is declared, as CUDA's compiler does with -rdc=true. */
static char parent[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
	".extern .func (.param .b64 func_retval0) __cudaCDP2GetParameterBufferV2(.param .b64 a, .param .align 4 .b8 b[12], "
	".param .align 4 .b8 c[12], .param .b32 d);\n"
	".extern .func (.param .b32 func_retval0) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);\n"
	".extern .entry kid(.param .u64 kid_param_0, .param .u32 kid_param_1);\n"
	".visible .entry parent(.param .u64 parent_param_0)\n{\n"
	"	.reg .pred %p<2>;\n	.reg .b32 %r<9>;\n	.reg .b64 %rd<9>;\n"
	"	ld.param.u64 %rd1, [parent_param_0];\n	mov.u64 %rd2, kid;\n	mov.u32 %r1, 1;\n	mov.u32 %r2, 32;\n	mov.u32 %r3, 0;\n"
	"	{ // callseq 0, 0\n	.reg .b32 temp_param_reg;\n	.param .b64 param0;\n	st.param.b64 [param0+0], %rd2;\n"
	"	.param .align 4 .b8 param1[12];\n	st.param.b32 [param1+0], %r1;\n	st.param.b32 [param1+4], %r1;\n	st.param.b32 [param1+8], %r1;\n"
	"	.param .align 4 .b8 param2[12];\n	st.param.b32 [param2+0], %r2;\n	st.param.b32 [param2+4], %r1;\n	st.param.b32 [param2+8], %r1;\n"
	"	.param .b32 param3;\n	st.param.b32 [param3+0], %r3;\n	.param .b64 retval0;\n"
	"	call.uni (retval0), \n	__cudaCDP2GetParameterBufferV2, \n	(\n	param0, \n	param1, \n	param2, \n	param3\n	);\n"
	"	ld.param.b64 %rd3, [retval0+0];\n	} // callseq 0\n"
	"	setp.eq.s64 %p1, %rd3, 0;\n	@%p1 bra $L__BB0_2;\n	st.u64 [%rd3], %rd1;\n	mov.u32 %r4, 5;\n	st.u32 [%rd3+8], %r4;\n"
	"	mov.u64 %rd4, 0;\n"
	"	{ // callseq 1, 0\n	.reg .b32 temp_param_reg;\n	.param .b64 param0;\n	st.param.b64 [param0+0], %rd3;\n"
	"	.param .b64 param1;\n	st.param.b64 [param1+0], %rd4;\n	.param .b32 retval0;\n"
	"	call.uni (retval0), \n	__cudaCDP2LaunchDeviceV2, \n	(\n	param0, \n	param1\n	);\n"
	"	ld.param.b32 %r5, [retval0+0];\n	} // callseq 1\n"
	"$L__BB0_2:\n	ret;\n}\n";
static char child[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
	".visible .entry kid(.param .u64 kid_param_0, .param .u32 kid_param_1)\n{\n	.reg .b32 %r<3>;\n	.reg .b64 %rd<3>;\n"
	"	ld.param.u64 %rd1, [kid_param_0];\n	ld.param.u32 %r1, [kid_param_1];\n	atom.add.u32 %r2, [%rd1], %r1;\n	ret;\n}\n";

static CUcontext ctx;

static void setup_with(const char *props)
{
	CUdevice dev;

	setenv("PPU_BACKEND", "core", 1);
	setenv("PPU_PROPS", props, 1);
	OK(cuInit(0));
	OK(cuDeviceGet(&dev, 0));
	OK(cuCtxCreate(&ctx, 0, dev));
}

static void setup(void)
{
	setup_with("");
}

/* Adds 5 for each of 32 threads. */
static void run(const void *image)
{
	CUfunction f;
	CUmodule m;
	CUdeviceptr p;
	unsigned int x = 1, n = 0;
	void *params[] = { &p };

	OK(cuModuleLoadData(&m, image));
	OK(cuModuleGetFunctionCount(&n, m));
	ck_assert_uint_eq(n, 2);		/* not a function of the library */
	OK(cuModuleGetFunction(&f, m, "parent"));
	OK(cuMemAlloc(&p, 4));
	OK(cuMemcpyHtoD(p, &x, 4));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&x, p, 4));
	ck_assert_uint_eq(x, 1 + 5 * 32);
	OK(cuModuleUnload(m));
}

/* The library by its name, in every place and order; other libraries are refused as before. */
START_TEST(linked_with_the_device_runtime)
{
	size_t bytes;
	void *image;

	setup();
	for (unsigned where = 0; where < 4; where++) {
		CUlinkState l;

		OK(cuLinkCreate(0, NULL, NULL, &l));
		if (where == 0)
			OK(cuLinkAddFile(l, CU_JIT_INPUT_LIBRARY, "/usr/local/cuda/lib64/libcudadevrt.a", 0, NULL, NULL));
		OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, parent, sizeof(parent), "parent.ptx", 0, NULL, NULL));
		if (where == 1)
			OK(cuLinkAddFile(l, CU_JIT_INPUT_LIBRARY, "libcudadevrt.a", 0, NULL, NULL));
		OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, child, sizeof(child), "child.ptx", 0, NULL, NULL));
		if (where == 2)
			OK(cuLinkAddData(l, CU_JIT_INPUT_LIBRARY, "!<arch>", 7, "cudadevrt.lib", 0, NULL, NULL));
		IS(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData(l, CU_JIT_INPUT_LIBRARY, "!<arch>", 7, "libother.a", 0, NULL, NULL));
		OK(cuLinkComplete(l, &image, &bytes));
		IS(CUDA_ERROR_INVALID_VALUE, cuLinkAddFile(l, CU_JIT_INPUT_LIBRARY, "libcudadevrt.a", 0, NULL, NULL));
		run(image);
		OK(cuLinkDestroy(l));
	}
	IS(CUDA_ERROR_INVALID_HANDLE, cuLinkAddFile(NULL, CU_JIT_INPUT_LIBRARY, "libcudadevrt.a", 0, NULL, NULL));
	OK(cuCtxDestroy(ctx));
}
END_TEST

/* A kernel that is not defined anywhere. */
START_TEST(child_is_missing)
{
	CUlinkState l;
	size_t bytes;
	void *image;

	setup();
	OK(cuLinkCreate(0, NULL, NULL, &l));
	OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, parent, sizeof(parent), "parent.ptx", 0, NULL, NULL));
	IS(CUDA_ERROR_INVALID_IMAGE, cuLinkComplete(l, &image, &bytes));
	OK(cuLinkDestroy(l));
	OK(cuCtxDestroy(ctx));
}
END_TEST

/* The limits that device runtimes have. */
START_TEST(limits)
{
	size_t v = 0;

	setup();
	OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 5000));
	OK(cuCtxGetLimit(&v, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
	ck_assert_uint_eq(v, 5000);
	OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 3));
	OK(cuCtxGetLimit(&v, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
	ck_assert_uint_eq(v, 3);
	OK(cuCtxDestroy(ctx));
}
END_TEST

static size_t depth_after(size_t wish)
{
	size_t v = 0;

	OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, wish));
	OK(cuCtxGetLimit(&v, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
	return v;
}

/*
 * SP-44, SP-17: programs that ask for CUDA's 16 or 24 levels get them, however many device priorities there are, and
 * stream priorities go on to mean what they meant.
 */
static void check_depths(const char *props, uint32_t want)
{
	static const size_t wish[] = { 1, 5, 6, 7, 12, 13, 16, 24, 64, 65, (size_t)1 << 40 };
	uint32_t device = 99;
	CUstream s;
	size_t v = 0;

	setup_with(props);
	OK(cuStreamCreateWithPriority(&s, 0, -1));
	for (size_t i = 0; i < sizeof(wish) / sizeof(wish[0]); i++) {
		ppuStream later;

		ck_assert_uint_eq(depth_after(wish[i]), wish[i] < 64 ? wish[i] : 64);
		ck_assert_int_eq(ppuStreamCreate(&later, 0, -1), PPU_SUCCESS);
		ck_assert_int_eq(ppuStreamGetDevicePriority(later, &device), PPU_SUCCESS);
		ck_assert_uint_eq(device, want);
		ck_assert_int_eq(ppuStreamDestroy(later), PPU_SUCCESS);
	}
	ck_assert_uint_eq(depth_after(2), 2);
	IS(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 0));
	OK(cuCtxGetLimit(&v, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
	ck_assert_uint_eq(v, 2);
	OK(cuCtxDestroy(ctx));
}

START_TEST(depth_of_12_priorities)
{
	check_depths("", 4);
}
END_TEST

/* SP-44 */
START_TEST(depth_of_5_priorities)
{
	check_depths("device-priorities=5", 2);
}
END_TEST

/* SP-44 */
START_TEST(depth_of_16_priorities)
{
	check_depths("device-priorities=16", 4);
}
END_TEST

/* SP-44 */
START_TEST(depth_without_priorities)
{
	check_depths("device-priorities=0", 0);
}
END_TEST

/* SP-44: of 12 priorities, 4 and higher are for streams with the default priority and their children. */
START_TEST(depth_above_a_default)
{
	setenv("PPU_TASK_PRIORITIES", "default=4,depth=2", 1);
	check_depths("", 2);
}
END_TEST

BENCH_MAIN("cuda_cdp", linked_with_the_device_runtime, child_is_missing, limits, depth_of_12_priorities,
	   depth_of_5_priorities, depth_of_16_priorities, depth_without_priorities,
	   depth_above_a_default)
