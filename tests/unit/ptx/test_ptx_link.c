/* SPDX-License-Identifier: MIT */
/*
 * Several modules linked into one image and run: .extern, .visible, .weak, .common, addresses of
 * symbols of other modules, function pointers across modules, static names that do not clash.
 * shared memory side by side.  Rows: HW-51, HW-54, HW-60, SIMT-64 (calls).
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "ppu_image.h"
#include "run_suite.h"
#include "rt_ok.h"

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
	ck_assert_msg(!ppu_image_finish(all, &ppu_device_library, &log), "%s", log.text);
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

#define TRAPS(kernel, files, line) HEAD files \
	".visible .entry " kernel "(.param .u64 out)\n{\n.loc 1 1 0\nbar.sync 0;\n.loc " line " 0\ntrap;\nret;\n}\n"

/* Each part counts its files from 1; a fault names the file of its own part, whichever comes first. */
START_TEST(test_files_of_parts)
{
	static const char *const parts[] = {
		TRAPS("a", ".file 1 \"a.cu\"\n", "1 11"), TRAPS("b", ".file 1 \"b.cu\"\n.file 2 \"b.h\"\n", "1 22"),
		TRAPS("c", ".file 1 \"c.cu\"\n.file 2 \"c.h\"\n", "2 33"),
	};
	static const char *const says[] = { "kernel a (a.cu:11)", "kernel b (b.cu:22)", "kernel c (c.h:33)" };

	for (unsigned i = 0; i < 3; i++) {
		ppuFunction f;
		ppuModule m;
		ppuCtx ctx;
		void *out;

		OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
		OK(ppuCtxCreate(&ctx, 0, 0));
		m = load(parts, 3, _i);
		OK(ppuMalloc(&out, 256));
		OK(ppuModuleGetFunction(&f, m, (const char[]){ (char)('a' + i), 0 }));
		OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &out }, NULL, 0));
		ck_assert_int_eq(ppuCtxSynchronize(), PPU_ERROR_TRAP);
		ck_assert_msg(strstr(ppuGetLastErrorDetail(), says[i]) != NULL, "'%s' is not in: %s", says[i],
			      ppuGetLastErrorDetail());
		OK(ppuCtxDestroy(ctx));
		OK(ppuShutdown());
	}
}
END_TEST

/* ---- shared memory of several modules ---- */

/*
 * own, scratch and pad are static in three modules, dyn is dynamic in two; sum calls itself and far is called only
 * through its address. Each variable is filled to its ends before any is read back.
 */
static const char shared_main[] = HEAD
	".extern .func (.param .b32 r) sum(.param .b32 n);\n"
	".extern .global .u64 pointer;\n"
	".extern .shared .align 16 .b8 dyn[];\n"
	".visible .entry main(.param .u64 out)\n{\n"
	".shared .b32 own[9];\n.reg .b32 %r<12>;\n.reg .b64 %l<8>;\nld.param.u64 %l1, [out];\n"
	"st.shared.u32 [own], 11;\nst.shared.u32 [own+32], 12;\nst.shared.u32 [dyn], 21;\nst.shared.u32 [dyn+60], 22;\n"
	"{ .param .b32 a, r; st.param.b32 [a], 5; call (r), sum, (a); ld.param.b32 %r1, [r]; }\nst.global.u32 [%l1], %r1;\n"
	"ld.global.u64 %l2, [pointer];\nproto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
	"{ .param .b32 a, r; st.param.b32 [a], 5; call (r), %l2, (a), proto; ld.param.b32 %r1, [r]; }\nst.global.u32 [%l1+4], %r1;\n"
	"ld.shared.u32 %r1, [own];\nst.global.u32 [%l1+8], %r1;\nld.shared.u32 %r1, [own+32];\nst.global.u32 [%l1+12], %r1;\n"
	"ld.shared.u32 %r1, [dyn];\nst.global.u32 [%l1+16], %r1;\nld.shared.u32 %r1, [dyn+60];\nst.global.u32 [%l1+20], %r1;\n"
	"mov.u32 %r1, dyn;\nst.global.u32 [%l1+24], %r1;\nmov.u32 %r1, %total_smem_size;\nst.global.u32 [%l1+28], %r1;\nret;\n}\n";

/* sum(n) = 2 (1 + ... + n), by way of scratch[n]. */
static const char shared_sum[] = HEAD
	".shared .b32 scratch[33];\n"
	".visible .func (.param .b32 r) sum(.param .b32 n)\n{\n.reg .b32 %n, %m, %t, %x;\n.reg .pred %p;\n"
	"ld.param.b32 %n, [n];\nmov.u32 %x, 0;\nst.shared.u32 [scratch], %x;\nst.shared.u32 [scratch+128], 7;\n"
	"setp.eq.u32 %p, %n, 0;\n@%p bra done;\nshl.b32 %t, %n, 2;\nmov.u32 %m, scratch;\nadd.u32 %t, %t, %m;\n"
	"st.shared.u32 [%t], %n;\nsub.u32 %m, %n, 1;\n"
	"{ .param .b32 a, r; st.param.b32 [a], %m; call (r), sum, (a); ld.param.b32 %x, [r]; }\n"
	"ld.shared.u32 %m, [%t];\nadd.u32 %x, %x, %m;\nadd.u32 %x, %x, %n;\n"
	"done:\nst.param.b32 [r], %x;\nret;\n}\n"
	/* main does not reach this function, so its size does not count for main */
	".visible .entry big(.param .u64 out)\n{\n.shared .align 8 .b8 much[40000];\n.reg .b32 %r<4>;\n.reg .b64 %l<4>;\n"
	"ld.param.u64 %l1, [out];\nst.shared.u32 [much+39996], 31;\nld.shared.u32 %r1, [much+39996];\n"
	"st.global.u32 [%l1], %r1;\nret;\n}\n";

/* far(n) = n + what main put into dyn + 1000 times how far pad is from its alignment. */
static const char shared_far[] = HEAD
	".extern .shared .align 16 .b8 same[];\n.shared .align 256 .b32 pad[64];\n.shared .b8 unused[47000];\n"
	".func (.param .b32 r) far(.param .b32 n)\n{\n.reg .b32 %n, %t, %x;\n"
	"ld.param.b32 %n, [n];\nst.shared.u32 [pad], %n;\nst.shared.u32 [pad+252], %n;\n"
	"mov.u32 %t, pad;\nand.b32 %t, %t, 255;\nld.shared.u32 %x, [same];\nadd.u32 %n, %n, %x;\n"
	"mad.lo.u32 %n, %t, 1000, %n;\nst.param.b32 [r], %n;\nret;\n}\n"
	".visible .global .u64 pointer = far;\n";

/* HW-54, HW-60: in all orders, static parts lie side by side and the dynamic part behind all of them. */
START_TEST(test_shared)
{
	static const char *const parts[] = { shared_main, shared_sum, shared_far };
	static const uint8_t order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	static const uint32_t want[] = { 30, 26, 11, 12, 21, 22 };
	const uint8_t *o = order[_i];
	ppuFunctionAttributes a;
	uint32_t got[8];
	ppuFunction f;
	ppuModule m;
	ppuCtx ctx;
	void *out;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	m = load((const char *const []){ parts[o[0]], parts[o[1]], parts[o[2]] }, 3, 0);
	OK(ppuMalloc(&out, 256));
	OK(ppuModuleGetFunction(&f, m, "main"));
	OK(ppuFunctionGetAttributes(&a, f));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 64, NULL, (void *[]){ &out }, NULL, 0));
	OK(ppuMemcpy(got, out, sizeof(got)));
	for (unsigned i = 0; i < 6; i++)
		ck_assert_msg(got[i] == want[i], "value %u: got %u, expected %u", i, got[i], want[i]);
	ck_assert_uint_eq(got[6], a.shared_bytes);
	ck_assert_uint_eq(got[7], a.shared_bytes + 64);
	ck_assert_uint_ge(a.shared_bytes, 36 + 132 + 256);
	ck_assert_uint_le(a.shared_bytes, 36 + 132 + 256 + 256 + 16);
	ck_assert_uint_eq(a.shared_bytes % 16, 0);
	OK(ppuFree(out));
	OK(ppuModuleGetFunction(&f, m, "big"));
	OK(ppuFunctionGetAttributes(&a, f));
	ck_assert_uint_eq(a.shared_bytes, 40000);
	run(m, "big", got, 1);
	ck_assert_uint_eq(got[0], 31);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* .extern .shared with a size is another module's variable, or dynamic where no module has it. */
START_TEST(test_shared_extern)
{
	static const char user[] = HEAD ".extern .shared .align 4 .b32 var[4];\n.extern .func set();\n"
		".visible .entry k(.param .u64 out)\n{\n.shared .b32 own;\n.reg .b32 %r<4>;\n.reg .b64 %l<4>;\n"
		"ld.param.u64 %l1, [out];\nst.shared.u32 [own], 5;\ncall set;\nld.shared.u32 %r1, [var+12];\n"
		"st.global.u32 [%l1], %r1;\nld.shared.u32 %r1, [own];\nst.global.u32 [%l1+4], %r1;\nret;\n}\n";
	static const char defines[] = HEAD ".visible .shared .align 4 .b32 var[4];\n"
		".visible .func set() { st.shared.u32 [var], 8; st.shared.u32 [var+12], 9; ret; }\n";
	static const char declares[] = HEAD ".extern .shared .align 4 .b32 var[4];\n"
		".visible .func set() { st.shared.u32 [var], 8; st.shared.u32 [var+12], 9; ret; }\n";
	bool dynamic = _i & 2;
	ppuFunctionAttributes a;
	uint32_t got[2];
	ppuFunction f;
	ppuModule m;
	ppuCtx ctx;
	void *out;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	m = load((const char *const []){ user, dynamic ? declares : defines }, 2, _i & 1);
	OK(ppuMalloc(&out, 256));
	OK(ppuModuleGetFunction(&f, m, "k"));
	OK(ppuFunctionGetAttributes(&a, f));
	ck_assert_uint_eq(a.shared_bytes, dynamic ? 16 : 20);
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), dynamic ? 16 : 0, NULL, (void *[]){ &out }, NULL, 0));
	OK(ppuMemcpy(got, out, sizeof(got)));
	ck_assert_uint_eq(got[0], 9);
	ck_assert_uint_eq(got[1], 5);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* A name defined twice, an undefined name, and a kernel called as a function are errors; each message has the name. */
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
	ck_assert_int_ne(ppu_image_finish(all, &ppu_device_library, &log), 0);
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

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, test_modules, 0, 2);
	tcase_add_loop_test(t, test_files_of_parts, 0, 2);
	tcase_add_loop_test(t, test_shared, 0, 6);
	tcase_add_loop_test(t, test_shared_extern, 0, 4);
	tcase_add_test(t, test_clash);
	suite_add_tcase(s, t);
	return run_suite(s);
}
