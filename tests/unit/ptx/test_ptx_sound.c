/* SPDX-License-Identifier: MIT */
/*
 * Mistakes that an optimisation or a fast path could make without an ordinary program noticing: each case is a program
 * in which the shortcut is not allowed.  Rows: SIMT-45 (YIELD in loops that are not bounded), SIMT-10, SIMT-17, HW-62, HW-63
 * (addresses), HW-46.
 */
#include <math.h>
#include "ptx_forms.h"
#include "ppu_image.h"
#include "run_suite.h"

#define SLOT "mov.u32 %%t0, %%tid.x;\nmul.wide.u32 %%l0, %%t0, 64;\nmov.u64 %%l1, gl;\nadd.u64 %%l0, %%l0, %%l1;\n"

/* Registers that are written once, so that passes look through them. */
#define OWN ".reg .b64 x, y;\n"

static u64 ref_first(const struct form *f, u64 a, u64 b, u64 c) { return a; }

/* ---- copies and constants ---- */

static u64 ref_times(const struct form *f, u64 a, u64 b, u64 c) { return a * 3 + (u64)f->op; }
static u64 ref_sat(const struct form *f, u64 a, u64 b, u64 c) { return (s32)a < 0 ? 0 : a; }
static u64 ref_sign(const struct form *f, u64 a, u64 b, u64 c) { return (s32)a < 0 ? ~0u : 0; }
static u64 ref_select(const struct form *f, u64 a, u64 b, u64 c) { return (b & 1) ? 5 : a; }

START_TEST(test_copies)
{
	/* a copy that is not made in every round, of something that changes */
	form("wE", ref_times, 32, false, 0, 0, "mov.u32 %%t0, 0;\nmov.u32 %%t2, 0;\n$L:\nadd.u32 %%t3, %%a, %%t0;\nsetp.eq.u32 %%p0, %%t0, 0;\n"
	     "@%%p0 mov.u32 %%t4, %%t3;\nadd.u32 %%t2, %%t2, %%t4;\nadd.u32 %%t0, %%t0, 1;\nsetp.lt.u32 %%p1, %%t0, 3;\n@%%p1 bra $L;\nmov.u32 %%d, %%t2;");
	/* a use before the copy: it needs the value of the round before */
	form("wE", ref_times, 32, false, 3, 0, "mov.u32 %%t0, 0;\nmov.u32 %%t2, 0;\n$L:\nadd.u32 %%t3, %%a, %%t0;\nsetp.ne.u32 %%p0, %%t0, 0;\n"
	     "@%%p0 add.u32 %%t2, %%t2, %%t4;\nmov.u32 %%t4, %%t3;\nadd.u32 %%t0, %%t0, 1;\nsetp.lt.u32 %%p1, %%t0, 4;\n@%%p1 bra $L;\nmov.u32 %%d, %%t2;");
	form("wE", ref_sat, 32, false, 0, 0, OWN "cvt.sat.u64.s32 x, %%a;\ncvt.u32.u64 %%d, x;");
	form("wE", ref_sat, 32, false, 0, 0, OWN "cvt.sat.u64.s32 x, %%a;\nmov.b64 {%%d, _}, x;");
	form("wE", ref_sign, 32, false, 0, 0, OWN "cvt.s64.s32 x, %%a;\nmov.b64 {_, %%d}, x;");
	form("wE", ref_sign, 32, false, 0, 0, OWN "cvt.s64.s32 x, %%a;\nshr.u64 y, x, 32;\ncvt.u32.u64 %%d, y;");
	form("wEp", ref_select, 32, false, 0, 0, "selp.u32 %%d, 5, %%a, %%b;");
	form("wEp", ref_select, 32, false, 0, 0, "mov.u32 %%t0, 5;\nselp.u32 %%d, %%t0, %%a, %%b;");
	form("wEp", ref_select, 32, false, 0, 0, "not.pred %%p0, %%b;\nmov.u32 %%t0, 5;\nselp.u32 %%d, %%a, %%t0, %%p0;");
	forms_run(3);
}
END_TEST

/* Comparisons with the constant on the left; op: which, mode: the constant. */
static u64 ref_compare(const struct form *f, u64 a, u64 b, u64 c)
{
	float k, x;
	u32 w = (u32)a, kw = (u32)f->mode;
	bool nan;

	memcpy(&x, &w, 4);
	memcpy(&k, &kw, 4);
	nan = x != x || k != k;
	switch (f->op) {
	case 0: return k == x;
	case 1: return !nan && k != x;
	case 2: return k < x;
	case 3: return k <= x;
	case 4: return k > x;
	case 5: return k >= x;
	case 6: return nan || k == x;
	case 7: return nan || k != x;
	case 8: return nan || k < x;
	case 9: return nan || k <= x;
	case 10: return nan || k > x;
	case 11: return nan || k >= x;
	case 12: return !nan;
	default: return nan;
	}
}

static u64 ref_icompare(const struct form *f, u64 a, u64 b, u64 c)
{
	s64 k = f->sign ? (s32)f->mode : (s64)(u32)f->mode, x = f->sign ? (s32)a : (s64)(u32)a;

	return f->op == 0 ? k == x : f->op == 1 ? k != x : f->op == 2 ? k < x : f->op == 3 ? k <= x : f->op == 4 ? k > x : k >= x;
}

START_TEST(test_left_constants)
{
	static const char *const cmps[] = { "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan" };
	static const u32 consts[] = { 0x3f800000, 0xbf800000, 0x7fc00000, 0x7f800000, 0x80000000 };

	for (int k = 0; k < 5; k++)
		for (int op = 0; op < 14; op++)
			form("pE", ref_compare, 32, false, op, (int)consts[k], "setp.%s.f32 %%d, 0f%08X, %%a;", cmps[op], consts[k]);
	for (int s = 0; s < 2; s++)
		for (int op = 0; op < 6; op++) {
			form("pE", ref_icompare, 32, s, op, 32, "setp.%s.%s32 %%d, 32, %%a;", cmps[op], s ? "s" : "u");
			form("pE", ref_icompare, 32, s, op, INT32_MIN, "setp.%s.%s32 %%d, -2147483648, %%a;", cmps[op], s ? "s" : "u");
		}
	forms_run(4);
}
END_TEST

static u64 ref_value(const struct form *f, u64 a, u64 b, u64 c) { return f->mode ? ~0ull : (u64)(s64)f->op; }

/* Both operands constant: what the compiler computes. */
START_TEST(test_folded)
{
	static const unsigned by[] = { 0, 1, 31, 32, 33, 63, 64, 65, 1000 };

	for (unsigned k = 0; k < sizeof(by) / sizeof(by[0]); k++) {
		unsigned n = by[k];

		form("wE", ref_value, 32, false, (int)(n < 32 ? 3u << n : 0), 0, "mov.u32 %%t0, 3;\nshl.b32 %%d, %%t0, %u;", n);
		form("wE", ref_value, 32, false, n < 31 ? -8 >> n : -1, 0, "mov.u32 %%t0, -8;\nshr.s32 %%d, %%t0, %u;", n);
		form("wE", ref_value, 32, false, n < 32 ? (int)(0xfffffff8u >> n) : 0, 0, "mov.u32 %%t0, -8;\nshr.u32 %%d, %%t0, %u;", n);
		form("qD", ref_value, 64, false, n == 0 ? 3 : n == 1 ? 6 : 0, 0, "mov.u64 %%l0, 3;\nshl.b64 %%l1, %%l0, %u;\n"
		     "setp.gt.u64 %%p0, %%l1, 6;\nselp.b64 %%d, 0, %%l1, %%p0;", n);
		form("qD", ref_value, 64, false, n < 64 ? 1 : 0, 0, "mov.u64 %%l0, 3;\nshl.b64 %%l1, %%l0, %u;\nsetp.ne.u64 %%p0, %%l1, 0;\n"
		     "selp.b64 %%d, 1, 0, %%p0;", n);
		form("qD", ref_value, 64, false, 0, n > 2, "mov.u64 %%l0, -8;\nshr.s64 %%l1, %%l0, %u;\nsetp.eq.s64 %%p0, %%l1, -1;\n"
		     "selp.b64 %%d, -1, 0, %%p0;", n);
		form("qD", ref_value, 64, false, n > 63, 0, "mov.u64 %%l0, -8;\nshr.u64 %%l1, %%l0, %u;\nsetp.eq.s64 %%p0, %%l1, 0;\n"
		     "selp.b64 %%d, 1, 0, %%p0;", n);
	}
	forms_run(1);
}
END_TEST

/* ---- addresses ---- */

START_TEST(test_addresses)
{
	/* offsets that do not fit together */
	form("qD", ref_first, 64, false, 0, 0, OWN SLOT "mov.u64 %%l2, 0xC0000000;\nsub.u64 x, %%l0, %%l2;\nadd.u64 y, x, 0x60000000;\n"
	     "st.global.u64 [y+0x60000000], %%a;\nld.global.u64 %%d, [%%l0];");
	form("qD", ref_first, 64, false, 0, 0, OWN SLOT "mov.u64 %%l2, 0xC0000000;\nadd.u64 x, %%l0, %%l2;\nadd.u64 y, x, -0x60000000;\n"
	     "st.global.u64 [y+-0x60000000], %%a;\nld.global.u64 %%d, [%%l0];");
	/* low words of the register wrap where the offset is added; lanes in no order */
	form("wE", ref_first, 32, false, 0, 0, "mov.u32 %%t0, %%tid.x;\nxor.b32 %%t1, %%t0, 5;\nmul.lo.u32 %%t1, %%t1, 12;\ncvt.u64.u32 %%l2, %%t1;\n"
	     "mov.u64 %%l1, gl;\nadd.u64 %%l0, %%l1, %%l2;\nmov.u64 %%l3, 0x7ffffff0;\nsub.u64 %%l3, %%l0, %%l3;\n"
	     "st.global.u32 [%%l3+0x7ffffff0], %%a;\nld.global.u32 %%t2, [%%l0];\nld.global.u32 %%t3, [%%l3+0x7ffffff0];\n"
	     "setp.eq.u32 %%p0, %%t2, %%t3;\nselp.b32 %%d, %%t2, 0, %%p0;");
	/* a float sum is not an address plus a constant */
	form("wE", ref_first, 32, false, 0, 0, ".shared .b32 s[2];\nst.shared.u32 [s], 1;\nmov.u32 %%t2, s;\n"
	     "add.f32 %%t1, %%t2, 0f80000000;\nld.shared.u32 %%t3, [%%t1];\nadd.u32 %%d, %%a, %%t3;\nsub.u32 %%d, %%d, 1;");
	/* loads and stores behind a test that protects them */
	form("qD", ref_first, 64, false, 0, 0, SLOT "st.global.u64 [%%l0], %%a;\nand.b64 %%l2, %%a, 1;\nsetp.eq.u64 %%p0, %%l2, 0;\n"
	     "selp.b64 %%l3, 0, %%l0, %%p0;\nmov.u64 %%d, %%a;\n@%%p0 bra $S;\nld.global.u64 %%l4, [%%l3];\nadd.u64 %%d, %%l4, 0;\n$S:");
	forms_run(2);
}
END_TEST

static ppuResult launch(const char *body, unsigned threads, unsigned ctas, u32 *out, unsigned words)
{
	static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n", open[] =
		".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<12>; .reg .b64 %d<8>; .reg .pred %q<4>;\n"
		"ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;\n";
	char text[4000];
	ppuInitOptions o = { .backend = "core" };
	ppuModule m;
	ppuFunction f;
	ppuResult res;
	void *d;

	snprintf(text, sizeof(text), "%s%s%s\nret;\n}\n", head, open, body);
	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&m, text, 0, NULL));
	OK(ppuModuleGetFunction(&f, m, "k"));
	OK(ppuMalloc(&d, words * 4));
	OK(ppuMemset(d, 0, 4, words));
	OK(ppuLaunchKernel(f, ppuDim(ctas, 1, 1), ppuDim(threads, 1, 1), 0, NULL, (void *[]){ &d }, NULL, 0));
	res = ppuStreamSynchronize(NULL);
	if (!res)
		OK(ppuMemcpy(out, d, words * 4));
	OK(ppuShutdown());
	return res;
}

/*
 * The low words of the addresses are consecutive, but the high words differ: not one block of memory. Full and partial
 * warps.
 */
START_TEST(test_high_words)
{
	u32 out[32];

	ck_assert_int_eq(launch("and.b32 %r1, %r0, 1; cvt.u64.u32 %d2, %r1; shl.b64 %d2, %d2, 40; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r0;",
				_i ? 30 : 32, 1, out, 32), PPU_ERROR_ILLEGAL_ADDRESS);
	ck_assert_int_eq(launch("and.b32 %r1, %r0, 1; cvt.u64.u32 %d2, %r1; shl.b64 %d2, %d2, 40; add.u64 %d1, %d1, %d2; ld.global.u32 %r0, [%d1]; st.global.u32 [%d0], %r0;",
				_i ? 30 : 32, 1, out, 32), PPU_ERROR_ILLEGAL_ADDRESS);
}
END_TEST

/* Half of the lanes on two pages, each of the others on a page of its own: stores and loads. */
START_TEST(test_many_pages)
{
	enum { WORDS = 20 * 1024 };
	static u32 out[WORDS];

	OK(launch("setp.lt.u32 %q0, %r0, 16; shr.u32 %r1, %r0, 3; shl.b32 %r1, %r1, 12; sub.u32 %r2, %r0, 14; shl.b32 %r2, %r2, 12;\n"
		  "selp.b32 %r1, %r1, %r2, %q0; xor.b32 %r3, %r0, 3; mad.lo.u32 %r1, %r3, 12, %r1; cvt.u64.u32 %d2, %r1; add.u64 %d2, %d0, %d2;\n"
		  "mov.u32 %r9, 0; st.global.u32 [%d2], %r9; add.u32 %r4, %r0, 100; \n"	/* pages are in the TLB now */
		  "st.global.u32 [%d2], %r4; ld.global.u32 %r5, [%d2]; setp.ne.u32 %q1, %r4, %r5; @%q1 trap; st.global.u32 [%d1+2048], %r5;",
		  32, 1, out, WORDS));
	for (u32 i = 0; i < 32; i++) {
		u32 page = i < 16 ? i / 8 : i - 14;

		ck_assert_uint_eq(out[(page * 4096 + (i ^ 3) * 12) / 4], i + 100);
		ck_assert_uint_eq(out[512 + i], i + 100);
	}
}
END_TEST

/* Lanes wait for all lanes of a mask; lanes that end instead do not hold them up. */
START_TEST(test_members_that_exit)
{
	u32 out[32];

	OK(launch("setp.ge.u32 %q0, %r0, 16; @%q0 bra $late; bar.warp.sync 0xffffffff; st.global.u32 [%d1], 7; ret;\n"
		  "$late: mov.u32 %r1, 0; $l: add.u32 %r1, %r1, 1; st.global.u32 [%d1], %r1; setp.lt.u32 %q1, %r1, 9; @%q1 bra $l; exit;", 32, 1, out, 32));
	for (u32 i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], i < 16 ? 7 : 9);
}
END_TEST

/* ---- what the compiler finds out about branches and loops ---- */

static struct ppu_image *compiled(const char *body)
{
	static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n.global .u64 table;\n"
		".func (.reg .b32 r) f(.reg .b32 a) { add.u32 r, a, 1; ret; }\n"
		".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<12>; .reg .b64 %d<8>; .reg .pred %q<4>;\n"
		"ld.param.u64 %d0, [p]; ld.param.u32 %r9, [n]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\n";
	struct ppu_ptx_options o = { .verify = 1 };
	struct ppu_image *img;
	struct ppu_log log;
	char text[4000];

	snprintf(text, sizeof(text), "%s%s\nst.global.u32 [%%d0], %%r1; ret;\n}\n", head, body);
	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "t.ptx", &o, &img, &log), "%s", log.text);
	ppu_log_free(&log);
	return img;
}

static unsigned count(const char *body, const char *word)
{
	struct ppu_image *img = compiled(body);
	char *out = NULL, *p;
	unsigned n = 0;

	ck_assert_int_eq(ppu_disassemble(img, &out), 0);
	for (p = out; (p = strstr(p, word)); p++)
		n++;
	free(out);
	ppu_image_free(img);
	return n;
}

/* Enough instructions that a branch is not replaced by predicates. */
#define WORK	"xor.b32 %r8, %r8, 9; st.global.u32 [%d0+4], %r8; add.u32 %r8, %r8, %r1; st.global.u32 [%d0+8], %r8; shl.b32 %r8, %r8, 1; st.global.u32 [%d0+12], %r8;"

/* SIMT-45: a YIELD in every loop whose end is not certain, none where it is. */
START_TEST(yields_in_unbounded_loops)
{
	static const struct { const char *body; bool yield; } loops[] = {
		{ "$l: add.u32 %r1, %r1, 1; setp.lt.u32 %q0, %r1, %r9; @%q0 bra $l;", false },
		/* the step is not in every round */
		{ "$l: setp.eq.u32 %q1, %r8, 5; @%q1 bra $s; add.u32 %r1, %r1, 1;" WORK "$s: add.u32 %r8, %r8, %r9; setp.lt.u32 %q0, %r1, %r9; @%q0 bra $l;", true },
		{ "$l: @%q1 add.u32 %r1, %r1, 1; setp.lt.u32 %q0, %r1, %r9; @%q0 bra $l;", true },
		/* the test is not in every round */
		{ "$l: add.u32 %r1, %r1, 1; setp.eq.u32 %q1, %r8, 5; @%q1 bra $s;" WORK "setp.ge.u32 %q0, %r1, %r9; @%q0 bra $e; $s: ld.volatile.global.u32 %r8, [%d0]; setp.ne.u32 %q2, %r8, 0; @%q2 bra $l; $e:", true },
		/* the bound moves */
		{ "$l: add.u32 %r1, %r1, 1; mov.u64 %d2, %clock64; cvt.u64.u32 %d3, %r1; setp.lt.u64 %q0, %d3, %d2; @%q0 bra $l;", true },
		{ "$l: add.u32 %r1, %r1, 1; mov.u32 %r2, %clock; setp.lt.u32 %q0, %r1, %r2; @%q0 bra $l;", true },
		{ "$l: add.u32 %r1, %r1, 1; ld.volatile.global.u32 %r2, [%d0]; setp.lt.u32 %q0, %r1, %r2; @%q0 bra $l;", true },
		{ "$l: add.u32 %r1, %r1, 1; ld.global.u32 %r2, [%d0]; setp.lt.u32 %q0, %r1, %r2; @%q0 bra $l;", true },
		/* staying while one of two holds; leaving when one of two holds */
		{ "$l: add.u32 %r1, %r1, 1; setp.lt.u32 %q0, %r1, %r9; ld.volatile.global.u32 %r2, [%d0]; setp.ne.or.u32 %q1, %r2, 0, %q0; @%q1 bra $l;", true },
		{ "$l: add.u32 %r1, %r1, 1; setp.lt.u32 %q0, %r1, %r9; ld.volatile.global.u32 %r2, [%d0]; setp.ne.and.u32 %q1, %r2, 0, %q0; @%q1 bra $l;", false },
		{ "$l: add.u32 %r1, %r1, 1; setp.lt.u32 %q0, %r1, %r9; ld.volatile.global.u32 %r2, [%d0]; setp.ne.u32 %q2, %r2, 0; or.pred %q1, %q2, %q0; @%q1 bra $l;", true },
		{ "$l: add.u32 %r1, %r1, 1; setp.ge.u32 %q0, %r1, %r9; ld.volatile.global.u32 %r2, [%d0]; setp.eq.u32 %q2, %r2, 0; or.pred %q1, %q2, %q0; @!%q1 bra $l;", false },
		{ "$l: add.u32 %r1, %r1, 1; setp.lt.u32 %q0, %r1, %r9; ld.volatile.global.u32 %r2, [%d0]; setp.ne.u32 %q2, %r2, 0; xor.pred %q1, %q2, %q0; @%q1 bra $l;", true },
		/* the step may be 0, or changes its sign */
		{ "$l: add.u32 %r1, %r1, 0; setp.lt.u32 %q0, %r1, %r9; @%q0 bra $l;", true },
		{ "$l: xor.b32 %r1, %r1, 3; setp.lt.u32 %q0, %r1, %r9; @%q0 bra $l;", true },
		{ "$l: atom.global.cas.b32 %r1, [%d0], 0, 1; setp.ne.u32 %q0, %r1, 0; @%q0 bra $l;", true },
		{ "$l: shr.u32 %r9, %r9, 1; add.u32 %r1, %r1, 3; setp.ne.u32 %q0, %r9, 0; @%q0 bra $l;", false },
	};

	for (unsigned k = 0; k < sizeof(loops) / sizeof(loops[0]); k++)
		ck_assert_msg(count(loops[k].body, "yield") == loops[k].yield, "loop %u: %s", k, loops[k].body);
}
END_TEST

/* SIMT-10, SIMT-19: branches on which lanes may disagree have a meeting point, other branches push no token. */
START_TEST(divergence_reconverges)
{
	static const struct { const char *value; bool divergent; } values[] = {
		{ "mov.u32 %r2, %r9;", false }, { "mov.u32 %r2, %ctaid.x;", false }, { "ld.global.u32 %r2, [%d0];", false },
		{ "mov.u32 %r2, %tid.y;", true }, { "mov.u32 %r2, %laneid;", true }, { "mov.u32 %r2, %lanemask_lt;", true },
		{ "add.u32 %r2, %r0, %r9;", true }, { "atom.global.add.u32 %r2, [%d0], 1;", true }, { "ld.u32 %r2, [%d0];", true },
		{ ".local .b32 x; st.local.u32 [x], %r0; ld.local.u32 %r2, [x];", true },
		{ "call (%r2), f, (%r9);", true },
		{ "ld.global.u64 %d2, [table]; $proto: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r2), %d2, (%r9), $proto;", true },
		{ "setp.eq.u32 %q1, %r0, 3; mov.u32 %r2, 0; @%q1 mov.u32 %r2, 5;", true },
		{ "setp.eq.u32 %q1, %r9, 3; mov.u32 %r2, 0; @%q1 mov.u32 %r2, 5;", false },
		{ "vote.sync.ballot.b32 %r2, %q1, -1;", false }, { "shfl.sync.idx.b32 %r2, %r0, 0, 31, -1;", true },
		{ "setp.eq.u32 %q1, %r0, 3; selp.u32 %r2, 1, 5, %q1;", true },
	};
	char body[1000];

	for (unsigned k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
		snprintf(body, sizeof(body), "%s setp.eq.u32 %%q0, %%r2, 5; @%%q0 bra $s;%s $s: add.u32 %%r1, %%r8, 1;", values[k].value, WORK);
		ck_assert_msg((count(body, "ssy ") > 0) == values[k].divergent,
			      "value %u: %s", k, values[k].value);
	}
}
END_TEST

/* ---- where the compiler puts token instructions ---- */

static bool guarded(const struct ppu_insn *in)
{
	return PPU_GET(in, GP) != PPU_PT || PPU_GET(in, GN);
}

/* Do all ways from pc on come to a SYNC to `meet`, and to `meet` in no other way?  Counts the instructions of all ways. */
static bool syncs(const struct ppu_image *img, uint32_t pc, uint32_t meet, unsigned *steps)
{
	for (; (*steps)++ < 1000; pc++) {
		const struct ppu_insn *in = &img->code[pc];
		uint32_t to = PPU_GET(in, IMM);
		bool taken;

		if (pc >= img->num_insns || pc == meet)
			return false;
		switch (PPU_GET(in, OP)) {
		case PPU_OP_SYNC:	/* one of an inner IF: its lanes meet there and go on */
			taken = to == meet || syncs(img, to, meet, steps);
			break;
		case PPU_OP_BRA:
			taken = syncs(img, to, meet, steps);
			break;
		case PPU_OP_EXIT:
			return false;
		default:
			continue;
		}
		if (!taken || !guarded(in))
			return taken;
	}
	return false;
}

/* The SSY on which a branch depends: the nearest one above it with no label or branch between. */
static const struct ppu_insn *ssy_before(const struct ppu_image *img, uint32_t bra)
{
	for (uint32_t pc = bra; pc--; ) {
		unsigned op = PPU_GET(&img->code[pc], OP);

		if (op == PPU_OP_SSY)
			return &img->code[pc];
		if (op == PPU_OP_BRA || op == PPU_OP_SYNC)
			return NULL;
	}
	return NULL;
}

/*
 * SIMT-17: a source with an IF.  Before the branch on which lanes may disagree there is an SSY, and each way from the branch
 * on comes to the SYNC of that SSY.  Found in the code by walking it; nothing is compared with an earlier output.
 */
START_TEST(ssy_before_sync_on_each_path)
{
	static const struct { const char *body; unsigned branches; } sources[] = {
		{ "setp.eq.u32 %q0, %r0, 5; @%q0 bra $s;" WORK "$s: add.u32 %r1, %r8, 1;", 1 },
		{ "setp.eq.u32 %q0, %r0, 5; @%q0 bra $s;" WORK "bra $e; $s:" WORK WORK "$e: add.u32 %r1, %r8, 1;", 1 },
		{ "setp.eq.u32 %q0, %r0, 5; @!%q0 bra $s;" WORK "bra $e; $s:" WORK WORK "$e: add.u32 %r1, %r8, 1;", 1 },
		/* an if in each branch of an if */
		{ "setp.lt.u32 %q0, %r0, 5; @%q0 bra $s;" WORK "setp.eq.u32 %q1, %r0, 7; @%q1 bra $t;" WORK "$t:" WORK "bra $e; $s:" WORK
		  "setp.eq.u32 %q2, %r0, 3; @%q2 bra $u;" WORK "bra $v; $u:" WORK WORK "$v:" WORK "$e: add.u32 %r1, %r8, 1;", 3 },
		/* one after the other */
		{ "setp.eq.u32 %q0, %r0, 5; @%q0 bra $s;" WORK "$s:" WORK "setp.eq.u32 %q1, %r0, 6; @%q1 bra $t;" WORK "$t: add.u32 %r1, %r8, 1;", 2 },
	};

	for (unsigned k = 0; k < sizeof(sources) / sizeof(sources[0]); k++) {
		struct ppu_image *img = compiled(sources[k].body);
		unsigned branches = 0;

		for (uint32_t pc = 0; pc < img->num_insns; pc++) {
			const struct ppu_insn *in = &img->code[pc], *ssy;
			unsigned op = PPU_GET(in, OP), steps = 0;
			uint32_t meet;

			/* a branch to nothing but a SYNC is that SYNC, guarded */
			if ((op != PPU_OP_BRA && op != PPU_OP_SYNC) || !guarded(in))
				continue;
			branches++;
			ssy = ssy_before(img, pc);
			ck_assert_msg(ssy && !guarded(ssy), "source %u: no SSY before the branch at %u", k, pc);
			meet = PPU_GET(ssy, IMM);
			ck_assert_msg(op == PPU_OP_SYNC ? PPU_GET(in, IMM) == meet : syncs(img, PPU_GET(in, IMM), meet, &steps),
				      "source %u: who takes the branch at %u comes to no SYNC", k, pc);
			ck_assert_msg(syncs(img, pc + 1, meet, &steps),
				      "source %u: who does not take the branch at %u comes to no SYNC", k, pc);
		}
		ck_assert_msg(branches == sources[k].branches, "source %u: %u branches", k, branches);
		ppu_image_free(img);
	}
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_copies, test_left_constants, test_folded, test_addresses };
	Suite *s = suite_create("ptx_sound");
	TCase *t = tcase_create("sound");

	form_prologue = ".global .align 32 .b8 gl[8192];\n";
	tcase_set_timeout(t, 300);
	for (unsigned k = 0; k < sizeof(tests) / sizeof(tests[0]); k++)
		tcase_add_test(t, tests[k]);
	tcase_add_loop_test(t, test_high_words, 0, 2);
	tcase_add_test(t, test_many_pages);
	tcase_add_test(t, test_members_that_exit);
	tcase_add_test(t, yields_in_unbounded_loops);
	tcase_add_test(t, divergence_reconverges);
	tcase_add_test(t, ssy_before_sync_on_each_path);
	suite_add_tcase(s, t);
	return run_suite(s);
}
