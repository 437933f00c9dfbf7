/* SPDX-License-Identifier: MIT */
/*
 * libnvrtc: what programs compile at run time works, by PTX and by image, under the name that it says; and each mistake
 * gets its error and a log that explains it.  Needs clang.
 */
#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/cuda.h"
#include "cuda/nvrtc.h"

#include "run_suite.h"

static nvrtcProgram prog;
static char buffer[1 << 16];

static nvrtcResult compile(const char *src, int num, const char *const *options)
{
	if (prog)
		nvrtcDestroyProgram(&prog);
	ck_assert_int_eq(nvrtcCreateProgram(&prog, src, "saxpy.cu", 0, NULL, NULL), NVRTC_SUCCESS);
	return nvrtcCompileProgram(prog, num, options);
}

static const char *log_of(void)
{
	size_t bytes;

	ck_assert_int_eq(nvrtcGetProgramLogSize(prog, &bytes), NVRTC_SUCCESS);
	ck_assert_uint_le(bytes, sizeof(buffer));
	ck_assert_int_eq(nvrtcGetProgramLog(prog, buffer), NVRTC_SUCCESS);
	ck_assert_uint_eq(strlen(buffer) + 1, bytes);
	return buffer;
}

#define COMPILED(src, ...) do { \
	const char *const o_[] = { __VA_ARGS__ }; \
	ck_assert_msg(!compile(src, (int)(sizeof(o_) / sizeof(o_[0])), o_), "%s", log_of()); \
} while (0)
#define FAILS(result, src, text, ...) do { \
	const char *const o_[] = { __VA_ARGS__ }; \
	ck_assert_int_eq(compile(src, (int)(sizeof(o_) / sizeof(o_[0])), o_), result); \
	ck_assert_msg(strstr(log_of(), text), "%s", log_of()); \
} while (0)

/* ---- what was compiled, on the device ------------------------------------------------------- */

static void *ptx(void)
{
	size_t bytes;
	char *p;

	ck_assert_int_eq(nvrtcGetPTXSize(prog, &bytes), NVRTC_SUCCESS);
	p = malloc(bytes);
	ck_assert_int_eq(nvrtcGetPTX(prog, p), NVRTC_SUCCESS);
	ck_assert_uint_eq(strlen(p) + 1, bytes);
	return p;
}

static void *cubin(void)
{
	size_t bytes;
	char *p;

	ck_assert_int_eq(nvrtcGetCUBINSize(prog, &bytes), NVRTC_SUCCESS);
	ck_assert_uint_gt(bytes, 0);
	p = malloc(bytes);
	ck_assert_int_eq(nvrtcGetCUBIN(prog, p), NVRTC_SUCCESS);
	return p;
}

/* Loads the image, runs the kernel on 32 numbers, and gives them. */
static void run(void *image, const char *kernel, int *numbers)
{
	static CUcontext ctx;
	CUmodule m;
	CUfunction f;
	CUdeviceptr d;
	CUdevice dev;
	void *args[] = { &d };

	if (!ctx) {
		ck_assert_int_eq(cuInit(0), 0);
		ck_assert_int_eq(cuDeviceGet(&dev, 0), 0);
		ck_assert_int_eq(cuCtxCreate(&ctx, 0, dev), 0);
	}
	ck_assert_int_eq(cuModuleLoadData(&m, image), 0);
	ck_assert_int_eq(cuModuleGetFunction(&f, m, kernel), 0);
	ck_assert_int_eq(cuMemAlloc(&d, 32 * sizeof(int)), 0);
	ck_assert_int_eq(cuMemcpyHtoD(d, numbers, 32 * sizeof(int)), 0);
	ck_assert_int_eq(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, NULL), 0);
	ck_assert_int_eq(cuMemcpyDtoH(numbers, d, 32 * sizeof(int)), 0);
	cuMemFree(d);
	cuModuleUnload(m);
	free(image);
}

static void is_times(const int *numbers, int factor, int plus)
{
	for (int i = 0; i < 32; i++)
		ck_assert_int_eq(numbers[i], (i + 1) * factor + plus);
}

static void count(int *numbers)
{
	for (int i = 0; i < 32; i++)
		numbers[i] = i + 1;
}

static const char simple[] =
	"#ifndef TIMES\n#define TIMES 3\n#endif\n"
	"#if !defined(__CUDACC_RTC__) || !defined(__CUDACC__)\n#error\n#endif\n"
	"extern \"C\" __global__ void k(int *p) { p[threadIdx.x] *= TIMES; }\n";

START_TEST(ptx_and_image_run)
{
	int n[32];

	count(n);
	COMPILED(simple, "--gpu-architecture=compute_70");
	run(ptx(), "k", n);
	is_times(n, 3, 0);
	count(n);
	COMPILED(simple, "-arch=sm_75", "-DTIMES=5", "--maxrregcount=32");
	run(cubin(), "k", n);
	is_times(n, 5, 0);
	run(ptx(), "k", n);
	is_times(n, 25, 0);
}
END_TEST

/* Each of the ways to write an option. */
START_TEST(options)
{
	static const char *const ok[][3] = {
		{ "-D", "TIMES=7" }, { "-DTIMES=7" }, { "--define-macro=TIMES=7" }, { "-D TIMES=7" },
		{ "--gpu-architecture", "sm_90a", "-DTIMES=7" }, { "--std=c++11", "-DTIMES=7" }, { "-std", "c++14", "-DTIMES=7" },
		{ "-default-device", "-lineinfo", "-DTIMES=7" }, { "--fmad=false", "--use_fast_math", "-DTIMES=7" },
		{ "-G", "--restrict", "-DTIMES=7" }, { "-rdc=true", "-DTIMES=7" }, { "-DTIMES=9", "-UTIMES", "-DTIMES=7" },
	};
	static const char *const wrong[] = { "--no-such-option", "-arch=foo", "-arch=compute_", "-arch", "--fmad=maybe",
					     "--maxrregcount=many", "-std=", "-dlto", "--optix-ir", "-G=1", "", "x.cu" };
	int n[32];

	for (unsigned int i = 0; i < sizeof(ok) / sizeof(ok[0]); i++) {
		int num = 0;

		while (num < 3 && ok[i][num])
			num++;
		ck_assert_msg(!compile(simple, num, ok[i]), "%u: %s", i, log_of());
		count(n);
		run(ptx(), "k", n);
		is_times(n, 7, 0);
	}
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		FAILS(NVRTC_ERROR_INVALID_OPTION, simple, wrong[i], wrong[i]);
}
END_TEST

START_TEST(lowered_names)
{
	static const char src[] =
		"namespace n { __constant__ int c = 100; __device__ int v[4];\n"
		"template <class T, int N> __global__ void f(T *p) { p[threadIdx.x] = p[threadIdx.x] * N + c + v[1]; } }\n"
		"static __global__ void s(int *p) { p[0] = 1; }\n";
	static const char *const names[] = { "n::f<int, 2>", "&n::f<int, (3 > 2 ? 4 : 5)>", "&n::c", "n::v", "s" };
	const char *lowered[5], *other;
	char *text;
	int n[32];

	prog = NULL;
	ck_assert_int_eq(nvrtcCreateProgram(&prog, src, NULL, 0, NULL, NULL), 0);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(nvrtcAddNameExpression(prog, names[i]), 0);
	ck_assert_int_eq(nvrtcGetLoweredName(prog, names[0], &other), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
	ck_assert_msg(!nvrtcCompileProgram(prog, 0, NULL), "%s", log_of());
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(nvrtcGetLoweredName(prog, names[i], &lowered[i]), 0);
	ck_assert_str_eq(lowered[0], "_ZN1n1fIiLi2EEEvPT_");
	ck_assert_str_eq(lowered[1], "_ZN1n1fIiLi4EEEvPT_");
	ck_assert_str_eq(lowered[2], "_ZN1n1cE");
	ck_assert_str_eq(lowered[3], "_ZN1n1vE");
	count(n);
	run(ptx(), lowered[0], n);
	is_times(n, 2, 100);
	count(n);
	run(ptx(), lowered[1], n);
	is_times(n, 4, 100);
	run(ptx(), lowered[4], n);
	ck_assert_int_eq(n[0], 1);
	text = ptx();
	ck_assert_ptr_null(strstr(text, "ppu_nvrtc"));
	free(text);
	ck_assert_int_eq(nvrtcGetLoweredName(prog, "n::f<int, 9>", &other), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
	ck_assert_int_eq(nvrtcAddNameExpression(prog, "x"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);

	ck_assert_int_eq(nvrtcDestroyProgram(&prog), 0);
	ck_assert_int_eq(nvrtcCreateProgram(&prog, src, NULL, 0, NULL, NULL), 0);
	ck_assert_int_eq(nvrtcAddNameExpression(prog, "n::nothing<3>"), 0);
	ck_assert_int_eq(nvrtcCompileProgram(prog, 0, NULL), NVRTC_ERROR_COMPILATION);
	ck_assert_msg(strstr(log_of(), "name expression n::nothing<3>"), "%s", log_of());
}
END_TEST

START_TEST(headers)
{
	static const char *const names[] = { "plain.h", "dir/sub/deep.cuh", "dir/near.h" };
	static const char *const texts[] = { "#define PLAIN 2\n", "#include \"../near.h\"\n", "#define NEAR 5\n" };
	static const char *const outside[] = { "../x.h", "/tmp/x.h", "a/../../x.h", "", "dir/", ".." };
	static const char src[] = "#include \"plain.h\"\n#include <dir/sub/deep.cuh>\n"
				  "extern \"C\" __global__ void k(int *p) { p[threadIdx.x] *= PLAIN * NEAR; }\n";
	int n[32];

	prog = NULL;
	ck_assert_int_eq(nvrtcCreateProgram(&prog, src, "a\"b\\c.cu", 3, texts, names), 0);
	ck_assert_msg(!nvrtcCompileProgram(prog, 0, NULL), "%s", log_of());
	count(n);
	run(ptx(), "k", n);
	is_times(n, 10, 0);
	for (unsigned int i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
		ck_assert_int_eq(nvrtcCreateProgram(&prog, src, NULL, 1, texts, &outside[i]), NVRTC_ERROR_INVALID_INPUT);
}
END_TEST

/* Headers beside the file whose name the caller gives, unless an option says no; and assert() without a header. */
START_TEST(beside_the_source)
{
	static const char src[] = "#include \"beside.h\"\nextern \"C\" __global__ void k(int *p)\n"
				  "{ assert(p); p[threadIdx.x] *= BESIDE; }\n";
	static const char *const no[] = { "--no-source-include" }, *const off[] = { "-DNDEBUG" };
	char dir[] = "/tmp/test-nvrtc-XXXXXX", name[64], *text;
	FILE *f;
	int n[32];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/beside.h", dir);
	f = fopen(name, "w");
	fputs("#define BESIDE 3\n", f);
	fclose(f);
	snprintf(name, sizeof(name), "%s/source.cu", dir);
	prog = NULL;
	ck_assert_int_eq(nvrtcCreateProgram(&prog, src, name, 0, NULL, NULL), 0);
	ck_assert_int_eq(nvrtcCompileProgram(prog, 1, no), NVRTC_ERROR_COMPILATION);
	ck_assert_msg(strstr(log_of(), "beside.h"), "%s", log_of());
	ck_assert_int_eq(nvrtcDestroyProgram(&prog), 0);
	for (int i = 0; i < 2; i++) {
		bool asserts = !i;

		ck_assert_int_eq(nvrtcCreateProgram(&prog, src, name, 0, NULL, NULL), 0);
		ck_assert_msg(!nvrtcCompileProgram(prog, i, off), "%s", log_of());
		text = ptx();
		ck_assert_int_eq(!!strstr(text, "__assertfail"), asserts);
		count(n);
		run(text, "k", n);
		is_times(n, 3, 0);
		ck_assert_int_eq(nvrtcDestroyProgram(&prog), 0);
	}
	snprintf(name, sizeof(name), "%s/beside.h", dir);
	unlink(name);
	rmdir(dir);
}
END_TEST

/* Kernels that launch kernels, in the source and in a header, by PTX and by image; messages have the right lines. */
START_TEST(launches)
{
	static const char *const names[] = { "step.h" };
	static const char *const texts[] = {
		"template <int N> __global__ void add(int *p) { p[threadIdx.x] += N; }\n"
		"struct step { __device__ void go(int *p) { add<100> << <1, 32>> > (p); } };\n"
	};
	static const char src[] = "#include \"step.h\"\n"
		"__global__ void twice(int *p) { p[threadIdx.x] *= 2; }\n"
		"extern \"C\" __global__ void k(int *p) {\n"
		"	if (threadIdx.x) return;\n"
		"	step s; twice<<<1, 32>>>(p); s.go(p);\n"
		"	twice<<<1, dim3(32, 1), 0, cudaStreamTailLaunch>>>(p);\n"
		"	twice<<<1, 2000>>>(p);\n"
		"	if (cudaGetLastError() != cudaErrorInvalidConfiguration) p[0] = -1;\n"
		"}\n";
	static const char *const how[] = { "-arch=sm_75", "-rdc=true" };
	int n[32];

	for (int i = 0; i < 3; i++) {
		prog = NULL;
		ck_assert_int_eq(nvrtcCreateProgram(&prog, src, "dir/launches.cu", 1, texts, names), 0);
		ck_assert_msg(!nvrtcCompileProgram(prog, i ? 1 : 0, how + i / 2), "%s", log_of());
		count(n);
		run(i == 1 ? cubin() : ptx(), "k", n);
		is_times(n, 4, 200);
		ck_assert_int_eq(nvrtcDestroyProgram(&prog), 0);
	}
	FAILS(NVRTC_ERROR_COMPILATION, "__global__ void c(int *p) { }\n__global__ void k(int *p)\n{\n\tc<<<1, 2>>>(nonsense);\n}\n",
	      "saxpy.cu:4:", "-DX");
}
END_TEST

/* The host sets constants that the source does not: a static one by its name, too. */
START_TEST(constants_are_set)
{
	static const char src[] = "static __constant__ int fixed[2];\n__constant__ int open;\nextern __constant__ int open;\n"
				  "extern \"C\" __global__ void k(int *p) { *p = fixed[1] * 10 + open; }\n";
	static const int values[] = { 3, 4 };
	CUdeviceptr var, d;
	CUfunction f;
	CUcontext ctx;
	CUmodule m;
	void *image, *args[] = { &d };
	size_t bytes;
	int v;

	COMPILED(src, "-arch=sm_75");
	ck_assert_str_eq(log_of(), "");
	image = cubin();
	ck_assert_int_eq(cuInit(0), 0);
	ck_assert_int_eq(cuCtxCreate(&ctx, 0, 0), 0);
	ck_assert_int_eq(cuModuleLoadData(&m, image), 0);
	free(image);
	ck_assert_int_eq(cuModuleGetGlobal(&var, &bytes, m, "fixed"), 0);
	ck_assert_uint_eq(bytes, sizeof(values));
	ck_assert_int_eq(cuMemcpyHtoD(var, values, sizeof(values)), 0);
	ck_assert_int_eq(cuModuleGetGlobal(&var, &bytes, m, "open"), 0);
	ck_assert_int_eq(cuMemcpyHtoD(var, values, sizeof(int)), 0);
	ck_assert_int_eq(cuModuleGetGlobal(&var, &bytes, m, "fixe"), CUDA_ERROR_NOT_FOUND);
	ck_assert_int_eq(cuModuleGetFunction(&f, m, "k"), 0);
	ck_assert_int_eq(cuMemAlloc(&d, sizeof(v)), 0);
	ck_assert_int_eq(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL), 0);
	ck_assert_int_eq(cuMemcpyDtoH(&v, d, sizeof(v)), 0);
	ck_assert_int_eq(v, 43);
	ck_assert_int_eq(cuCtxDestroy(ctx), 0);
}
END_TEST

/* A program that leaves its children to the kernel can compile, and hears of mistakes. */
START_TEST(children_are_not_waited_for)
{
	signal(SIGCHLD, SIG_IGN);
	COMPILED("__global__ void k(int *p) { *p = 1; }");
	FAILS(NVRTC_ERROR_COMPILATION, "__global__ void k() { x }", "error");
	signal(SIGCHLD, SIG_DFL);
}
END_TEST

START_TEST(mistakes_are_explained)
{
	FAILS(NVRTC_ERROR_COMPILATION, "__global__ void k(int *p) {\n p = nonsense;\n}\n", "saxpy.cu:2:6: error: use of undeclared",
	      "-DX");
	ck_assert_ptr_null(strstr(log_of(), "/tmp"));
	FAILS(NVRTC_ERROR_COMPILATION, "#include \"missing.h\"\n", "missing.h", "-DX");
	/* clang takes what stands in an asm; the compiler of PTX does not */
	FAILS(NVRTC_ERROR_COMPILATION, "__global__ void k() { asm(\"nonsense.u32 %r1;\"); }\n", "nonsense", "-arch=sm_75");
	COMPILED("__global__ void k(int *p) { int unused_thing; }\n#warning look here\n", "-DX");
	ck_assert_msg(strstr(log_of(), "look here"), "%s", log_of());
	COMPILED("__global__ void k(int *p) { }\n", "-DX");
	ck_assert_str_eq(log_of(), "");
	setenv("CLANGXX", "no-such-compiler", 1);
	FAILS(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, simple, "no-such-compiler is not there: install the package clang", "-DX");
	unsetenv("CLANGXX");
}
END_TEST

START_TEST(errors)
{
	nvrtcProgram none = NULL;
	const char *s;
	size_t bytes;
	int a[64], n, minor;

	ck_assert_int_eq(nvrtcCreateProgram(NULL, "", NULL, 0, NULL, NULL), NVRTC_ERROR_INVALID_INPUT);
	ck_assert_int_eq(nvrtcCreateProgram(&none, NULL, NULL, 0, NULL, NULL), NVRTC_ERROR_INVALID_INPUT);
	ck_assert_int_eq(nvrtcCreateProgram(&none, "", NULL, -1, NULL, NULL), NVRTC_ERROR_INVALID_INPUT);
	ck_assert_int_eq(nvrtcCreateProgram(&none, "", NULL, 1, NULL, NULL), NVRTC_ERROR_INVALID_INPUT);
	ck_assert_int_eq(nvrtcCompileProgram(NULL, 0, NULL), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcDestroyProgram(&none), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcDestroyProgram(NULL), NVRTC_ERROR_INVALID_PROGRAM);
	prog = NULL;
	ck_assert_int_eq(nvrtcCreateProgram(&prog, simple, NULL, 0, NULL, NULL), 0);
	ck_assert_int_eq(nvrtcGetPTXSize(prog, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetCUBINSize(prog, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcCompileProgram(prog, 1, NULL), NVRTC_ERROR_INVALID_INPUT);
	ck_assert_int_eq(nvrtcAddNameExpression(prog, NULL), NVRTC_ERROR_INVALID_INPUT);
	COMPILED(simple, "-arch=compute_75");
	ck_assert_int_eq(nvrtcGetCUBINSize(prog, &bytes), NVRTC_SUCCESS);
	ck_assert_uint_eq(bytes, 0);
	ck_assert_int_eq(nvrtcGetCUBIN(prog, buffer), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetPTX(prog, NULL), NVRTC_ERROR_INVALID_INPUT);
	ck_assert_int_eq(nvrtcGetLTOIRSize(prog, &bytes), NVRTC_SUCCESS);
	ck_assert_uint_eq(bytes, 0);
	ck_assert_int_eq(nvrtcGetLTOIR(prog, buffer), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetLoweredName(prog, "k", &s), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);

	ck_assert_int_eq(nvrtcVersion(&n, &minor), 0);
	ck_assert_int_eq(n, 12);
	ck_assert_int_eq(nvrtcVersion(NULL, &minor), NVRTC_ERROR_INVALID_INPUT);
	ck_assert_int_eq(nvrtcGetNumSupportedArchs(&n), 0);
	ck_assert_int_eq(nvrtcGetSupportedArchs(a), 0);
	ck_assert_int_eq(a[n - 1], 75);
	ck_assert_str_eq(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION");
	ck_assert_str_eq(nvrtcGetErrorString((nvrtcResult)99), "NVRTC_ERROR unknown");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("nvrtc");
	TCase *t = tcase_create("nvrtc");

	/* The library is a part of this program, so the directory is not beside it. */
	snprintf(buffer, sizeof(buffer), "%s/cuda", getenv("BUILD") ? getenv("BUILD") : "build");
	setenv("PPU_CUDA_PATH", buffer, 1);
	setenv("PPU_BACKEND", "core", 1);
	tcase_set_timeout(t, 300);
	tcase_add_test(t, ptx_and_image_run);
	tcase_add_test(t, options);
	tcase_add_test(t, lowered_names);
	tcase_add_test(t, headers);
	tcase_add_test(t, beside_the_source);
	tcase_add_test(t, launches);
	tcase_add_test(t, constants_are_set);
	tcase_add_test(t, children_are_not_waited_for);
	tcase_add_test(t, mistakes_are_explained);
	tcase_add_test(t, errors);
	suite_add_tcase(s, t);
	return run_suite(s);
}
