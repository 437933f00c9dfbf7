/* SPDX-License-Identifier: MIT */
/*
 * Faults of compiled kernels name kernel, function, file and line: .file and .loc go through the
 * compiler, the linker and the image to the runtime, and show in the disassembly.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "ppu_image.h"
#include "run_suite.h"
#include "rt_ok.h"

/* One kernel per fault; the faulting instruction has a line of its own. */
static const char text[] =
	".version 6.3\n.target sm_60\n.address_size 64\n.file 1 \"src/a.cu\"\n"
	".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
	".func helper(.param .b64 p)\n{\n.reg .b64 %l;\n.reg .b32 %r;\n"
	".loc 2 40 3\nld.param.b64 %l, [p];\n.loc 2 41 3\nld.global.u32 %r, [%l];\nst.global.u32 [%l], %r;\n.loc 2 42 1\nret;\n}\n"
	".func nolines(.param .b64 p)\n{\n.reg .b64 %l;\nld.param.b64 %l, [p];\nst.global.u32 [%l], 1;\nret;\n}\n"
	".visible .entry unmapped(.param .u64 p)\n{\n.reg .b64 %l<3>;\n.reg .b32 %r<3>;\n"
	".loc 1 10 0\nld.param.u64 %l1, [p];\nadd.u64 %l1, %l1, 0x10000000000;\n.loc 1 11 5\nst.global.u32 [%l1], 7;\n.loc 1 12 0\nret;\n}\n"
	".visible .entry misaligned(.param .u64 p)\n{\n.reg .b64 %l<3>;\n.reg .b32 %r<3>;\n"
	".loc 1 20 0\nld.param.u64 %l1, [p];\n.loc 2 21 9, function_name $L, inlined_at 1 22 4\nld.global.u32 %r1, [%l1+2];\n"
	".loc 1 23 0\nst.global.u32 [%l1], %r1;\nret;\n}\n"
	".visible .entry called(.param .u64 p)\n{\n.reg .b64 %l<3>;\n.loc 1 30 0\nld.param.u64 %l1, [p];\nadd.u64 %l1, %l1, 0x10000000000;\n"
	"{ .param .b64 a; st.param.b64 [a], %l1; call helper, (a); }\n.loc 1 31 0\nret;\n}\n"
	".visible .entry called2(.param .u64 p)\n{\n.reg .b64 %l<3>;\n.loc 1 35 0\nld.param.u64 %l1, [p];\nadd.u64 %l1, %l1, 0x10000000000;\n"
	"{ .param .b64 a, r; st.param.b64 [a], 8; call (r), malloc, (a); }\n"
	"{ .param .b64 a; st.param.b64 [a], %l1; call nolines, (a); }\nret;\n}\n"
	".visible .entry trapped(.param .u64 p)\n{\n.loc 1 50 0\nbar.sync 0;\n.loc 1 51 0\ntrap;\n.loc 1 52 0\nret;\n}\n"
	".visible .entry shared(.param .u64 p)\n{\n.reg .b32 %r;\n.loc 1 60 0\nmov.u32 %r, 1000000;\n.loc 1 61 0\nld.shared.u32 %r, [%r];\n"
	"st.shared.u32 [0], %r;\nret;\n}\n"
	".file 2 \"inc/b.h\"\n";	/* clang declares the files at the end */

static const struct {
	const char *kernel;
	ppuResult result;
	const char *says[3];
} faults[] = {
	{ "unmapped", PPU_ERROR_ILLEGAL_ADDRESS, { "kernel unmapped (src/a.cu:11)", "lane 0", "write at 0x" } },
	{ "misaligned", PPU_ERROR_MISALIGNED_ADDRESS, { "kernel misaligned (inc/b.h:21)", "lane 0", "not aligned" } },
	{ "called", PPU_ERROR_ILLEGAL_ADDRESS, { "kernel called (inc/b.h:41)", "in function helper", "read at 0x" } },
	{ "called2", PPU_ERROR_ILLEGAL_ADDRESS, { "kernel called2, in function nolines", "write at 0x", "lane 0" } },
	{ "trapped", PPU_ERROR_TRAP, { "kernel trapped (src/a.cu:51)", "block (0,0,0)", "TRAP" } },
	{ "shared", PPU_ERROR_ILLEGAL_ADDRESS, { "kernel shared (src/a.cu:61)", "outside its space", "lane 0" } },
};

START_TEST(test_faults)
{
	ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .name = "faults.ptx" };
	ppuModule m;
	ppuFunction f;
	ppuCtx ctx;
	void *p;
	unsigned k;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuModuleLoadData(&m, text, 0, &o));
	OK(ppuMalloc(&p, 256));
	OK(ppuModuleGetFunction(&f, m, faults[_i].kernel));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, (void *[]){ &p }, NULL, 0));
	ck_assert_int_eq(ppuCtxSynchronize(), faults[_i].result);
	for (k = 0; k < 3; k++)
		ck_assert_msg(strstr(ppuGetLastErrorDetail(), faults[_i].says[k]) != NULL, "'%s' is not in: %s",
			      faults[_i].says[k], ppuGetLastErrorDetail());
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* The listing has the files and the lines, and assembles to the same table. */
START_TEST(test_listing)
{
	struct ppu_image *img, *again;
	struct ppu_log log;
	char *s;
	uint32_t i;

	ppu_log_init(&log);
	ck_assert_int_eq(ppu_ptx_compile(text, strlen(text), "faults.ptx", NULL, &img, &log), 0);
	ck_assert_msg(!ppu_image_finish(img, &ppu_device_library, &log), "%s", log.text);
	ck_assert_int_eq(ppu_disassemble(img, &s), 0);
	ck_assert_ptr_nonnull(strstr(s, ".file 1 \"inc/b.h\""));
	ck_assert_msg(strstr(s, "\t.loc 0 11 5\t// src/a.cu:11\n") != NULL, "%s", s);
	ck_assert_ptr_nonnull(strstr(s, "\t.loc 1 41 3\t// inc/b.h:41\n"));
	ck_assert_msg(!ppu_assemble(s, strlen(s), "list", &again, &log), "%s", log.text);
	ck_assert_uint_eq(again->num_lines, img->num_lines);
	for (i = 0; i < img->num_lines; i++)
		ck_assert_mem_eq(&again->lines[i], &img->lines[i], sizeof(img->lines[i]));
	free(s);
	ppu_image_free(img);
	ppu_image_free(again);
	ppu_log_free(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_fault");
	TCase *t = tcase_create("fault");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, test_faults, 0, (int)(sizeof(faults) / sizeof(faults[0])));
	tcase_add_test(t, test_listing);
	suite_add_tcase(s, t);
	return run_suite(s);
}
