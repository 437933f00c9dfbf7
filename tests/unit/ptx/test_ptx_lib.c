/* SPDX-License-Identifier: MIT */
/*
 * The device-side library: printf, assert, malloc and free, memory functions (tests/ptx/lib.cu),
 * linked in by itself when a module needs it.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/devlib/library.h"
#include "ppu.h"
#include "run_suite.h"
#include "rt_ok.h"

typedef uint32_t u32;

static ppuModule mod;
static ppuCtx ctx;
static void *out, *in;

static void start(uint64_t print_bytes, uint64_t heap_bytes)
{
	ppuInitOptions o = { .backend = "core" };
	u32 words[64];
	unsigned i;

	OK(ppuInit(&o));
	OK(ppuCtxCreate(&ctx, 0, 0));
	if (print_bytes)
		OK(ppuCtxSetLimit(PPU_LIMIT_PRINTF_BYTES, print_bytes));
	if (heap_bytes)
		OK(ppuCtxSetLimit(PPU_LIMIT_HEAP_BYTES, heap_bytes));
	OK(ppuModuleLoad(&mod, "tests/ptx/lib.clang.ptx", NULL));
	OK(ppuMalloc(&out, 4096));
	OK(ppuMemset(out, 0, 4, 1024));
	OK(ppuMalloc(&in, 4096));
	for (i = 0; i < 64; i++)
		words[i] = i * 0x01010101u + 3;
	words[63] = 0;
	OK(ppuMemcpy(in, words, sizeof(words)));
}

static ppuResult run(const char *name, u32 grid, u32 block, u32 n)
{
	void *args[] = { &out, &in, &n };
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, name));
	OK(ppuLaunchKernel(f, ppuDim(grid, 1, 1), ppuDim(block, 1, 1), 0, NULL, args, NULL, 0));
	return ppuCtxSynchronize();
}

/* What a run writes to stdout (stream 0) or stderr (1). */
static char *captured(const char *name, u32 grid, u32 block, u32 n, int which, ppuResult *res)
{
	FILE **std = which ? &stderr : &stdout, *keep = *std;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	*std = f;
	*res = run(name, grid, block, n);
	*std = keep;
	fclose(f);
	return text;
}

START_TEST(test_formats)
{
	char want[2048], *got;
	ppuResult res;
	u32 count;
	int n = 0;

	start(0, 0);
	got = captured("lib_formats", 1, 1, 0, 0, &res);
	OK(res);
#define ADD(...) n += snprintf(want + n, sizeof(want) - (size_t)n, __VA_ARGS__)
	ADD("int %d %i %5d|%-5d|%05d|%+d|% d\n", -1, 2, 3, 4, 5, 6, 7);
	ADD("unsigned %u %o %x %X %#x %08x\n", 4000000000u, 8u, 0xbeefu, 0xBEEFu, 255u, 0xabcu);
	ADD("long %ld %lld %lu %llx %zu\n", -5000000000l, -6ll, 5000000000ul, 0x123456789abcull, (size_t)7);
	ADD("short %hd %hhd %hu\n", (short)-3, (signed char)-4, (unsigned short)65535);
	ADD("float %f %.3f %10.2f|%-10.1f|%e %G %a\n", 1.5, 2.71828, -3.25, 4.75, 12345.678, 1e-10, 1.0);
	ADD("float arg %f %f\n", 0.5f, 3.0);
	ADD("star %*d|%-*d|%.*f\n", 6, 42, 6, 43, 2, 3.14159);
	ADD("char %c%c string %s|%10s|%-10s|%.2s percent %% end\n", 'o', 'k', "text", "right", "left", "cut");
	ADD("pointer 0x1234abcd mixed %d %f %s %lld\n", 1, 2.0, "three", 4ll);
	ADD("no arguments\nodd %%y %%");
	ADD("\nempty %s null (null)\n", "");
#undef ADD
	ck_assert_str_eq(got, want);
	OK(ppuMemcpy(&count, out, 4));
	ck_assert_uint_eq(count, 7 + 6 + 5 + 3 + 7 + 2 + 6 + 6 + 5 + 0 + 0 + 2);
	free(got);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* Every thread's line is there, whole. */
START_TEST(test_threads)
{
	char line[64], *got;
	ppuResult res;
	size_t len = 0;
	u32 i;

	start(0, 0);
	got = captured("lib_threads", 1, 64, 0, 0, &res);
	OK(res);
	for (i = 0; i < 64; i++) {
		if (i % 3 == 2)
			continue;
		if (i % 3)
			snprintf(line, sizeof(line), "other %u\n", i);
		else
			snprintf(line, sizeof(line), "thread %u has %x\n", i, i == 63 ? 0 : i * 0x01010101u + 3);
		ck_assert_msg(strstr(got, line) != NULL, "no line '%s'", line);
		len += strlen(line);
	}
	ck_assert_uint_eq(strlen(got), len);
	free(got);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* A small ring keeps the last lines, in order; a larger one all; the limit reads back. */
START_TEST(test_ring)
{
	enum { LINES = 500 };
	char *got, *p;
	uint64_t v;
	ppuResult res;
	u32 first, k, n;

	start(4096, 0);
	OK(ppuCtxGetLimit(PPU_LIMIT_PRINTF_BYTES, &v));
	ck_assert_uint_eq(v, 4096);
	got = captured("lib_many", 1, 1, LINES, 0, &res);
	OK(res);
	ck_assert_int_eq(sscanf(got, "line %u of %u", &first, &n), 2);
	ck_assert_uint_gt(first, 0);
	ck_assert_uint_gt(LINES - first, 4096 / 128);
	for (k = first, p = got; k < LINES; k++, p = strchr(p, '\n') + 1) {
		u32 seen;

		ck_assert_int_eq(sscanf(p, "line %u of %u", &seen, &n), 2);
		ck_assert_uint_eq(seen, k);
	}
	ck_assert_int_eq(*p, 0);
	free(got);
	OK(ppuCtxSetLimit(PPU_LIMIT_PRINTF_BYTES, 100000));
	OK(ppuCtxGetLimit(PPU_LIMIT_PRINTF_BYTES, &v));
	ck_assert_uint_eq(v, 131072);
	got = captured("lib_many", 1, 1, LINES, 0, &res);
	OK(res);
	ck_assert_int_eq(strncmp(got, "line 0 of", 9), 0);
	for (n = 0, p = got; *p; p++)
		n += *p == '\n';
	ck_assert_uint_eq(n, LINES);
	free(got);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_assert)
{
	ppuResult res;
	char *got;

	start(0, 0);
	got = captured("lib_assert", 2, 64, 70, 1, &res);
	ck_assert_int_eq(res, PPU_ERROR_ASSERT);
	ck_assert_msg(strstr(got, "lib.cu:") && strstr(got, "lib_assert: block: [1,0,0], thread: [6,0,0] Assertion `i != n` failed.\n"),
		      "%s", got);
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "Assertion `i != n` failed") &&
		      strstr(ppuGetLastErrorDetail(), "kernel lib_assert"), "%s", ppuGetLastErrorDetail());
	free(got);
	OK(ppuCtxDestroy(ctx));
	start(0, 0);
	OK(run("lib_assert", 2, 64, 200));
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_heap)
{
	static u32 got[1024];
	uint64_t v;
	u32 i;

	start(0, 1 << 20);
	OK(ppuCtxGetLimit(PPU_LIMIT_HEAP_BYTES, &v));
	ck_assert_uint_eq(v, 1 << 20);
	ck_assert_int_eq(ppuCtxSetLimit(PPU_LIMIT_HEAP_BYTES, 2 << 20), PPU_ERROR_INVALID_VALUE);
	OK(run("lib_heap", 2, 128, 100));
	OK(ppuMemcpy(got, out, 1024));
	for (i = 0; i < 256; i++)
		ck_assert_msg(!got[i], "thread %u: %u", i, got[i]);
	OK(ppuCtxDestroy(ctx));
	start(0, 1 << 20);
	OK(run("lib_exhaust", 1, 1, 1000));
	OK(ppuMemcpy(got, out, 12));
	ck_assert_uint_gt(got[0], (1 << 20) / 1024 - 8);
	ck_assert_uint_le(got[0], (1 << 20) / 1016);
	ck_assert_uint_eq(got[1], got[0]);
	ck_assert_uint_eq(got[2], 0);
	OK(run("lib_exhaust", 1, 1, 100));	/* in the larger blocks that are free now */
	OK(ppuMemcpy(got + 1, out, 4));
	ck_assert_uint_ge(got[1], got[0]);
	ck_assert_int_eq(run("lib_twice", 1, 1, 0), PPU_ERROR_TRAP);
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "in function free"), "%s", ppuGetLastErrorDetail());
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_memory)
{
	u32 r = 7 * 100, got;

	start(0, 0);
	OK(run("lib_memory", 1, 1, 100));
	r = r * 31 + 0;
	r = r * 31 + 1;
	r = r * 31 - 1;
	r = r * 31 + 99 + 0;
	r = r * 31 + 1 + 98;
	r = r * 31 + 1;		/* the first word is 3 */
	OK(ppuMemcpy(&got, out, 4));
	ck_assert_uint_eq(got, r);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* Two images that hold the library already, and one that does not, can be linked. */
START_TEST(test_link)
{
	static const char text[] =
		".version 6.3\n.target sm_60\n.address_size 64\n"
		".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
		".visible .entry k%u() {\n.reg .b64 %%l;\n{ .param .b64 n; .param .b64 r;\nst.param.b64 [n], 8;\n"
		"call (r), malloc, (n);\nld.param.b64 %%l, [r]; }\nret; }\n";
	struct ppu_image *img[3], *all = ppu_image_new();
	struct ppu_log log;
	char buf[512];
	unsigned i;

	ppu_log_init(&log);
	for (i = 0; i < 3; i++) {
		snprintf(buf, sizeof(buf), text, i);
		ck_assert_int_eq(ppu_ptx_compile(buf, strlen(buf), "t.ptx", NULL, &img[i], &log), 0);
		if (i < 2)
			ck_assert_msg(!ppu_image_finish(img[i], &ppu_device_library, &log), "%s", log.text);
		ck_assert_msg(!ppu_image_link(all, img[i], &log), "%s", log.text);
		ppu_image_free(img[i]);
	}
	ck_assert_msg(!ppu_image_finish(all, &ppu_device_library, &log), "%s", log.text);
	ck_assert_int_eq(ppu_image_find(all, "malloc")->kind, PPU_SYM_FUNC);
	ppu_image_free(all);
	ppu_log_free(&log);
}
END_TEST

/* The library has each function that the manual lists. */
START_TEST(test_names)
{
	unsigned i;

	for (i = 0; ppu_library_function(i); i++) {
		char text[400];
		struct ppu_image *img;
		struct ppu_log log;

		snprintf(text, sizeof(text), ".version 6.3\n.target sm_60\n.address_size 64\n.extern .func %s();\n"
			 ".visible .entry k() {\n.reg .b64 %%l;\nmov.u64 %%l, %s;\nst.global.u64 [%%l], %%l;\nret; }\n",
			 ppu_library_function(i), ppu_library_function(i));
		ppu_log_init(&log);
		ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "t.ptx", NULL, &img, &log), "%s", log.text);
		ck_assert_msg(!ppu_image_finish(img, &ppu_device_library, &log), "%s: %s", ppu_library_function(i), log.text);
		ppu_image_free(img);
		ppu_log_free(&log);
	}
	ck_assert_uint_gt(i, 5);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_lib");
	TCase *t = tcase_create("lib");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, test_formats);
	tcase_add_test(t, test_threads);
	tcase_add_test(t, test_ring);
	tcase_add_test(t, test_assert);
	tcase_add_test(t, test_heap);
	tcase_add_test(t, test_memory);
	tcase_add_test(t, test_link);
	tcase_add_test(t, test_names);
	suite_add_tcase(s, t);
	return run_suite(s);
}
