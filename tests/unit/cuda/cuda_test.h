/* SPDX-License-Identifier: MIT */
/* Shared by the tests of libcuda: checks of results, a module of small kernels, a context with it loaded. */
#ifndef CUDA_TEST_H
#define CUDA_TEST_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef CUDA_TEST_PLAIN_NAMES
#define PPU_CUDA_NO_NAMES
#endif
#include <cuda/cuda.h>

#define IS(want, call) do { \
	CUresult r_ = (call), w_ = (want); \
	const char *n_ = "?", *m_ = "?"; \
	cuGetErrorName(r_, &n_); \
	cuGetErrorName(w_, &m_); \
	ck_assert_msg(r_ == w_, "%s: %s instead of %s", #call, n_, m_); \
} while (0)
#define OK(call) IS(CUDA_SUCCESS, call)
#define BAD(call) IS(CUDA_ERROR_INVALID_VALUE, call)

#define PTX_HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

/* add_one(p): p[0] += 1; scale(p, k): p[0] = p[0] * k (the order of the two shows); store(p, v): p[0] = v. */
static const char small_ptx[] = PTX_HEAD
	".visible .global .align 4 .u32 variable = 5;\n"
	".visible .entry add_one(.param .u64 p)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
	"ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2; ret;\n}\n"
	".visible .entry scale(.param .u64 p, .param .u32 k)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<4>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [k]; ld.global.u32 %r2, [%rd1]; mul.lo.u32 %r3, %r2, %r1;\n"
	"st.global.u32 [%rd1], %r3; ret;\n}\n"
	".visible .entry store(.param .u64 p, .param .u32 v)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1; ret;\n}\n"
	".visible .entry nothing()\n{ ret; }\n";

static CUcontext ctx;
static CUmodule mod;

static inline CUfunction function(const char *name)
{
	CUfunction f;

	OK(cuModuleGetFunction(&f, mod, name));
	return f;
}

static inline void begin(const char *ptx)
{
	OK(cuInit(0));
	OK(cuCtxCreate_v2(&ctx, 0, 0));
	OK(cuModuleLoadData(&mod, ptx));
}

/* One thread of a kernel with a pointer and a word. */
static inline void run(CUfunction f, CUdeviceptr p, unsigned int v, CUstream s)
{
	void *params[] = { &p, &v };

	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
}

static inline unsigned int word_at(CUdeviceptr p)
{
	unsigned int w;

	OK(cuMemcpyDtoH_v2(&w, p, sizeof(w)));
	return w;
}

static inline void set_word(CUdeviceptr p, unsigned int w)
{
	OK(cuMemcpyHtoD_v2(p, &w, sizeof(w)));
}

static inline CUdeviceptr one_word(unsigned int w)
{
	CUdeviceptr p;

	OK(cuMemAlloc_v2(&p, sizeof(w)));
	set_word(p, w);
	return p;
}

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
int __asan_address_is_poisoned(const volatile void *addr);
#define FREED(p) __asan_address_is_poisoned(p)
#else
#define FREED(p) 1
#endif

/* The context ends, and all that is in it.  Where tests keep nothing that holds it (CUDA_TEST_LETS_GO), a call that still
 * holds it has forgotten to give it back. */
#ifndef CUDA_TEST_LETS_GO
#define CUDA_TEST_LETS_GO false
#endif
static void teardown(void)
{
	if (ctx && !cuCtxDestroy_v2(ctx) && CUDA_TEST_LETS_GO)
		ck_assert_msg(FREED(ctx), "somebody holds the context that was destroyed");
	cuDevicePrimaryCtxReset_v2(0);
}

/* Runs the tests of a list, each in a process of its own. */
static inline int run_all(const char *name, const TTest *const *tests, size_t num)
{
	Suite *suite = suite_create(name);
	TCase *c = tcase_create(name);
	SRunner *runner;
	int failed;

	/* With PPU_BACKEND=drm in a guest: the same tests through the driver, as far as the driver supports them. */
	setenv("PPU_BACKEND", "core", 0);
	if (!strcmp(getenv("PPU_BACKEND"), "core"))
		setenv("PPU_PROPS", "gpcs=1,sms-per-gpc=2", 1);
	tcase_set_timeout(c, 300);
	tcase_add_checked_fixture(c, NULL, teardown);
	for (size_t i = 0; i < num; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(suite, c);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
#define RUN_ALL(name, tests) run_all(name, tests, sizeof(tests) / sizeof(*(tests)))

#endif
