/* SPDX-License-Identifier: MIT */
/* The order and the scope of fences and accesses: PTX's, and what the listing says of the instruction. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu_image.h"
#include "run_suite.h"

static const struct {
	const char *ptx, *says;
} forms[] = {
	{ "fence.acq_rel.cta;", "membar.acq_rel\n" }, { "fence.acq_rel.gpu;", "membar.acq_rel.gpu\n" },
	{ "fence.acq_rel.sys;", "membar.acq_rel.sys\n" }, { "fence.sc.cta;", "membar.sc\n" },
	{ "fence.sc.gpu;", "membar.sc.gpu\n" }, { "fence.sc.sys;", "membar.sc.sys\n" }, { "membar.cta;", "membar.sc\n" },
	{ "membar.gl;", "membar.sc.gpu\n" }, { "membar.sys;", "membar.sc.sys\n" },
	{ "atom.relaxed.cta.global.add.u32 %r, [%d], 1;", "atom.global.add.relaxed.u32" },
	{ "atom.acquire.gpu.global.add.u32 %r, [%d], 1;", "atom.global.add.acquire.gpu.u32" },
	{ "atom.release.sys.global.add.u32 %r, [%d], 1;", "atom.global.add.release.sys.u32" },
	{ "atom.acq_rel.cta.global.add.u32 %r, [%d], 1;", "atom.global.add.acq_rel.u32" },
	{ "atom.global.add.u32 %r, [%d], 1;", "atom.global.add.relaxed.gpu.u32" },
	{ "red.relaxed.sys.global.add.u32 [%d], 1;", "atom.global.add.relaxed.sys.u32 rz" },
	{ "red.release.cta.global.add.u32 [%d], 1;", "atom.global.add.release.u32 rz" },
	{ "red.global.add.u32 [%d], 1;", "atom.global.add.relaxed.gpu.u32 rz" },
	{ "ld.relaxed.cta.global.u32 %r, [%d];", "ld.global.relaxed.u32" },
	{ "ld.relaxed.gpu.global.u32 %r, [%d];", "ld.global.relaxed.gpu.u32" },
	{ "ld.relaxed.sys.global.u32 %r, [%d];", "ld.global.relaxed.sys.u32" },
	{ "ld.acquire.cta.global.u32 %r, [%d];", "ld.global.acquire.u32" },
	{ "ld.acquire.gpu.global.u32 %r, [%d];", "ld.global.acquire.gpu.u32" },
	{ "ld.acquire.sys.global.u32 %r, [%d];", "ld.global.acquire.sys.u32" },
	{ "ld.volatile.global.u32 %r, [%d];", "ld.global.volatile.sys.u32" },
	{ "ld.weak.global.u32 %r, [%d];", "ld.global.u32" }, { "ld.global.u32 %r, [%d];", "ld.global.u32" },
	{ "st.relaxed.cta.global.u32 [%d], %r;", "st.global.relaxed.u32" },
	{ "st.relaxed.gpu.global.u32 [%d], %r;", "st.global.relaxed.gpu.u32" },
	{ "st.relaxed.sys.global.u32 [%d], %r;", "st.global.relaxed.sys.u32" },
	{ "st.release.cta.global.u32 [%d], %r;", "st.global.release.u32" },
	{ "st.release.gpu.global.u32 [%d], %r;", "st.global.release.gpu.u32" },
	{ "st.release.sys.global.u32 [%d], %r;", "st.global.release.sys.u32" },
	{ "st.volatile.global.u32 [%d], %r;", "st.global.volatile.sys.u32" },
	{ "st.weak.global.u32 [%d], %r;", "st.global.u32" }, { "st.global.u32 [%d], %r;", "st.global.u32" },
};

#define BODY ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %%d; .reg .b32 %%r;\n" \
	"ld.param.u64 %%d, [p];\nld.global.ca.u32 %%r, [%%d+64];\n%s\nst.global.wb.u32 [%%d+68], %%r;\nret;\n}\n"

START_TEST(order_and_scope)
{
	struct ppu_image *img;
	char text[1000], *list;
	struct ppu_log log;

	ppu_log_init(&log);
	snprintf(text, sizeof(text), BODY, forms[_i].ptx);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "order.ptx", NULL, &img, &log), "%s", log.text);
	ck_assert_int_eq(ppu_disassemble(img, &list), 0);
	ck_assert_msg(strstr(list, forms[_i].says) != NULL, "%s: no '%s' in\n%s", forms[_i].ptx, forms[_i].says, list);
	free(list);
	ppu_image_free(img);
	ppu_log_free(&log);
}
END_TEST

/* ---- texts that end anywhere ---- */

static const char ptx[] =
	".version 7.0 // a comment\n.target sm_70\n/* and\nanother */ .address_size 64\n.file 1 \"a\\\"b.cu\"\n"
	".global .align 4 .f32 x[3] = { 1.5, 0f3F800000, -2e-1 };\n.const .u64 y = 0x123456789abcdefU;\n"
	".visible .entry k(.param .u64 p, .param .align 8 .b8 q[12])\n{\n.reg .b64 %d<3>; .reg .pred %p;\n.loc 1 2 3\n"
	"ld.param.u64 %d0, [p];\n@!%p bra $L;\nadd.s64 %d1, %d0, (3 + 4 * 0b101) << 1;\nst.global.v2.u32 [%d1+8], {1, 'a'};\n"
	"$L: ret;\n}\n//";
static const char assembly[] =
	"// a comment\n.kernel k regs=8 params=8\n\tld.param.u64 rd2, [0]\t/* and\nanother */\nL: mov.u32 r4, 0x10\n"
	"\tmovi64 rd6, -1\n\tadd.u32 r4, rz, rz\n@pt mov.u32 r5, rz\n@!p1 st.global.u32 [rd2+4], r4\n\tmov.u32 r5, 1.5f\n\tbra L\n\texit //x\n/";

/* Nothing behind the end of a text is read, wherever it ends: the sanitizer looks. */
START_TEST(cut_anywhere)
{
	const char *whole = _i ? assembly : ptx;
	unsigned good = 0;

	for (size_t n = 0; n <= strlen(whole); n++) {
		char *part = malloc(n ? n : 1);
		struct ppu_image *img = NULL;
		struct ppu_log log;
		int rc;

		ck_assert_ptr_nonnull(part);
		memcpy(part, whole, n);
		ppu_log_init(&log);
		rc = _i ? ppu_assemble(part, n, "cut", &img, &log) : ppu_ptx_compile(part, n, "cut", NULL, &img, &log);
		ck_assert(!rc || log.errors);
		good += !rc;
		if (!rc)
			ppu_image_free(img);
		ppu_log_free(&log);
		free(part);
	}
	ck_assert_uint_gt(good, 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_order");
	TCase *t = tcase_create("order");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, order_and_scope, 0, (int)(sizeof(forms) / sizeof(*forms)));
	tcase_add_loop_test(t, cut_anywhere, 0, 2);
	suite_add_tcase(s, t);
	return run_suite(s);
}
