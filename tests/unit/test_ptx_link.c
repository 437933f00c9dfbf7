/* SPDX-License-Identifier: MIT */
/*
 * Several modules linked into one image and run: .extern, .visible, .weak, .common, addresses of
 * symbols of other modules, function pointers across modules, static names that do not clash.
 * Rows: HW-51, SIMT-64 (calls).
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "ppu_image.h"

#define OK(call) do { \
	ppuResult r_ = (call); \
	ck_assert_msg(r_ == PPU_SUCCESS, "%s: %s: %s", #call, ppuGetErrorName(r_), ppuGetLastErrorDetail()); \
} while (0)

#define HEAD ".version 6.3\n.target sm_60\n.address_size 64\n"

static const char one[] = HEAD
	".file 1 \"one.cu\"\n"
	".extern .func (.param .b32 r) twice(.param .b32 a);\n"
	".extern .global .u32 counter;\n"
	".extern .const .align 4 .b8 table[16];\n"
	".weak .func (.param .b32 r) choice() { st.param.b32 [r], 1; ret; }\n"
	".weak .global .u32 soft = 100;\n"
	".global .u32 hidden = 7;\n"
	".func (.param .b32 r) inner(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, 1000; st.param.b32 [r], %x; ret; }\n"
	".visible .global .u64 where[3] = { counter, generic(table)+4, inner };\n"
	".visible .entry first(.param .u64 out)\n{\n"
	".reg .b32 %r<12>;\n.reg .b64 %l<8>;\nld.param.u64 %l1, [out];\n"
	".loc 1 10 0\n"
	"{ .param .b32 a, r; st.param.b32 [a], 21; call (r), twice, (a); ld.param.b32 %r1, [r]; }\nst.global.u32 [%l1], %r1;\n"
	"ld.global.u32 %r2, [counter];\nst.global.u32 [%l1+4], %r2;\n"
	"ld.const.u8 %r3, [table+5];\nst.global.u32 [%l1+8], %r3;\n"
	"{ .param .b32 r; call (r), choice; ld.param.b32 %r4, [r]; }\nst.global.u32 [%l1+12], %r4;\n"
	"ld.global.u32 %r5, [soft];\nst.global.u32 [%l1+16], %r5;\n"
	"ld.global.u32 %r6, [hidden];\nst.global.u32 [%l1+20], %r6;\n"
	"ld.global.u64 %l2, [where];\nld.u32 %r7, [%l2];\nst.global.u32 [%l1+24], %r7;\n"
	"ld.global.u64 %l3, [where+8];\nld.u8 %r8, [%l3+1];\nst.global.u32 [%l1+28], %r8;\n"
	"ld.global.u64 %l4, [where+16];\nproto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
	"{ .param .b32 a, r; st.param.b32 [a], 5; call (r), %l4, (a), proto; ld.param.b32 %r9, [r]; }\nst.global.u32 [%l1+32], %r9;\n"
	"ret;\n}\n";

static const char two[] = HEAD
	".file 1 \"two.cu\"\n"
	".visible .global .u32 counter = 55;\n"
	".visible .const .align 4 .b8 table[16] = { 10, 11, 12, 13, 14, 15, 16 };\n"
	".visible .func (.param .b32 r) choice() { st.param.b32 [r], 2; ret; }\n"
	".visible .global .u32 soft = 200;\n"
	".common .global .u32 shared_by_all;\n"
	".global .u32 hidden = 9;\n"
	".shared .u32 scratch[32];\n"
	".func (.param .b32 r) inner(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, 2000; st.param.b32 [r], %x; ret; }\n"
	".visible .func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %x, %y, %t;\n.loc 1 30 0\n"
	"ld.param.b32 %x, [a];\nmov.u32 %t, scratch;\nst.shared.u32 [%t+8], %x;\nld.shared.u32 %y, [scratch+8];\n"
	"add.u32 %x, %x, %y;\nst.param.b32 [r], %x;\nret;\n}\n"
	".visible .entry second(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %l<4>;\nld.param.u64 %l1, [out];\n"
	"ld.global.u32 %r1, [hidden];\nst.global.u32 [%l1], %r1;\n"
	"{ .param .b32 a, r; st.param.b32 [a], 5; call (r), inner, (a); ld.param.b32 %r2, [r]; }\nst.global.u32 [%l1+4], %r2;\n"
	"st.global.u32 [shared_by_all], 77;\nret;\n}\n";

static const char three[] = HEAD
	".common .global .u32 shared_by_all;\n"
	".visible .entry third(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %l<4>;\nld.param.u64 %l1, [out];\n"
	"ld.global.u32 %r1, [shared_by_all];\nst.global.u32 [%l1], %r1;\nret;\n}\n";

static ppuModule load(const char *const *text, unsigned n, int reverse)
{
	struct ppu_image *all = ppu_image_new(), *img;
	struct ppu_log log;
	uint8_t *bytes;
	size_t len;
	ppuModule m;
	unsigned i;

	ppu_log_init(&log);
	for (i = 0; i < n; i++) {
		const char *t = text[reverse ? n - 1 - i : i];

		ck_assert_msg(!ppu_ptx_compile(t, strlen(t), "part.ptx", NULL, &img, &log), "%s", log.text);
		ck_assert_msg(!ppu_image_link(all, img, &log), "%s", log.text);
		ppu_image_free(img);
	}
	ck_assert_msg(!ppu_image_finish(all, &log), "%s", log.text);
	ck_assert_int_eq(ppu_image_write(all, &bytes, &len), 0);
	OK(ppuModuleLoadData(&m, bytes, len, &(ppuModuleOptions){ .kind = PPU_MODULE_BINARY }));
	free(bytes);
	ppu_image_free(all);
	ppu_log_free(&log);
	return m;
}

static void run(ppuModule m, const char *name, uint32_t *got, unsigned n)
{
	ppuFunction f;
	void *out;

	OK(ppuMalloc(&out, 256));
	OK(ppuModuleGetFunction(&f, m, name));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &out }, NULL, 0));
	OK(ppuMemcpy(got, out, n * 4));
	OK(ppuFree(out));
}

/* In both orders: the strong definitions win, whichever comes first. */
START_TEST(test_modules)
{
	static const char *const parts[] = { one, two, three };
	static const uint32_t want[] = { 42, 55, 15, 2, 200, 7, 55, 15, 1005 };
	uint32_t got[16];
	ppuModule m;
	ppuCtx ctx;
	unsigned i;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	m = load(parts, 3, _i);
	run(m, "first", got, 9);
	for (i = 0; i < 9; i++)
		ck_assert_msg(got[i] == want[i], "value %u: got %u, expected %u", i, got[i], want[i]);
	run(m, "second", got, 2);
	ck_assert_uint_eq(got[0], 9);
	ck_assert_uint_eq(got[1], 2005);
	run(m, "third", got, 1);
	ck_assert_uint_eq(got[0], 77);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* A name defined twice, one that is nowhere, and a kernel called as a function are errors that name it. */
START_TEST(test_clash)
{
	static const char a[] = HEAD ".visible .func same() { ret; }\n", b[] = HEAD
		".extern .func missing();\n.visible .entry k() { call missing; ret; }\n";
	struct ppu_image *all = ppu_image_new(), *img;
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_int_eq(ppu_ptx_compile(a, strlen(a), "a.ptx", NULL, &img, &log), 0);
	ck_assert_int_eq(ppu_image_link(all, img, &log), 0);
	ck_assert_int_ne(ppu_image_link(all, img, &log), 0);
	ck_assert_msg(strstr(log.text, "same") && strstr(log.text, "twice"), "%s", log.text);
	ppu_image_free(img);
	ck_assert_int_eq(ppu_ptx_compile(b, strlen(b), "b.ptx", NULL, &img, &log), 0);
	ck_assert_int_eq(ppu_image_link(all, img, &log), 0);
	ck_assert_int_ne(ppu_image_finish(all, &log), 0);
	ck_assert_msg(strstr(log.text, "missing: undefined") != NULL, "%s", log.text);
	ppu_image_free(img);
	ppu_image_free(all);
	ppu_log_free(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_link");
	TCase *t = tcase_create("link");
	SRunner *sr;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, test_modules, 0, 2);
	tcase_add_test(t, test_clash);
	suite_add_tcase(s, t);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
