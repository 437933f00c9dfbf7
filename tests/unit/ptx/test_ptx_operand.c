/* SPDX-License-Identifier: MIT */
/*
 * The operands of PTX as its manual lists them, form by form: addresses, elements of arrays, vectors, names, constants.
 * Each form is executed.
 */
#include "ppu_image.h"
#include "ptx_forms.h"

static u64 ref_number(const struct form *f, u64 a, u64 b, u64 c)
{
	return (u64)(s64)f->op;
}

/* The form's result is that number. */
#define GIVES(number, ...) form("w", ref_number, 32, 0, number, 0, __VA_ARGS__)
#define GIVES64(number, ...) form("q", ref_number, 64, 0, number, 0, __VA_ARGS__)

/* [reg], [reg+n], [var], [var+n], [n]: addresses. */
START_TEST(addresses)
{
	GIVES(12, "mov.u64 %%l0, nums;\nld.global.u32 %%d, [%%l0+8];");
	GIVES(11, "mov.u64 %%l0, nums+8;\nld.global.u32 %%d, [%%l0-4];");
	GIVES(12, "mov.u64 %%l0, nums+12-4;\nld.global.u32 %%d, [%%l0];");
	GIVES(10, "ld.global.u32 %%d, [nums];");
	GIVES(13, "ld.global.u32 %%d, [nums+12];");
	GIVES(12, "ld.global.u32 %%d, [nums+12-4];");
	GIVES(13, "ld.u32 %%d, [nums+12];");
	GIVES(7, ".shared .u32 s[2];\nst.shared.u32 [s], 1;\nst.shared.u32 [4], 7;\nld.shared.u32 %%d, [4];");
	GIVES(11, "ld.const.u32 %%d, [table+4];");
	GIVES64(8, "mov.u64 %%l0, nums+8;\nmov.u64 %%l1, nums;\nsub.u64 %%d, %%l0, %%l1;");
	forms_run(1);
}
END_TEST

/* var[n], var[reg], var[reg+n], var[n][reg]: the address of an element, or the element. */
START_TEST(elements)
{
	static const char *const spaces[] = { "global", "shared", "local" };
	static const char *const vars[] = { "wide", "sh", "lo" };
	static const char *const decls[] = { "", ".shared .align 8 .u16 sh[4][6];", ".local .align 8 .u16 lo[4][6];" };

	GIVES(10, "ld.global.u32 %%d, nums[0];");
	GIVES(17, "ld.global.u32 %%d, nums[8-1];");
	GIVES(12, "ld.global.u32 %%d, [nums[1]+4];");
	GIVES(12, "mov.u32 %%t0, 2;\nld.global.u32 %%d, nums[%%t0];");
	GIVES(13, "mov.u32 %%t0, 2;\nld.global.u32 %%d, nums[%%t0+1];");
	GIVES(11, "mov.u64 %%l0, 2;\nld.global.u32 %%d, nums[%%l0-1];");
	GIVES(11, ".reg .s32 n;\nmov.s32 n, -1;\nld.global.u32 %%d, [nums[n]+8];");
	GIVES(12, "mov.u64 %%l0, nums[2];\nld.global.u32 %%d, [%%l0];");
	GIVES(13, "mov.u32 %%t0, 3;\nmov.u64 %%l0, nums[%%t0];\nld.global.u32 %%d, [%%l0];");
	GIVES(11, "mov.u32 %%t0, 1;\nld.const.u32 %%d, table[%%t0];");
	GIVES(24, "ld.global.v4.u32 {%%t0, %%t1, %%t2, %%d}, vecs[1];");
	GIVES(22, "mov.u32 %%t0, 1;\nld.global.v4.u32 {%%t0, %%d, %%t2, %%t3}, vecs[%%t0];");
	GIVES64(32, "mov.u64 %%l0, vecs[2];\nmov.u64 %%l1, vecs;\nsub.u64 %%d, %%l0, %%l1;");
	GIVES(15, "cvta.global.u64 %%l0, nums[5];\nld.u32 %%d, [%%l0];");
	GIVES64(6, ".shared .u16 a[8];\nmov.u64 %%l0, a[3];\nmov.u64 %%l1, a[0];\nsub.u64 %%d, %%l0, %%l1;");
	GIVES(5, ".shared .u32 cell[64];\nmov.u32 %%t1, %%tid.x;\nst.shared.u32 cell[%%t1], 3;\n"
	      "atom.shared.add.u32 %%t0, cell[%%t1], 2;\nld.shared.u32 %%d, cell[%%t1];");
	for (unsigned s = 0; s < 3; s++) {
		GIVES64(2 * (6 * 2 + 3), "%s\nmov.u64 %%l0, %s[2][3];\nmov.u64 %%l1, %s;\nsub.u64 %%d, %%l0, %%l1;", decls[s],
			vars[s], vars[s]);
		GIVES64(2 * 6 * 3, "%s\nmov.u64 %%l0, %s[3];\nmov.u64 %%l1, %s;\nsub.u64 %%d, %%l0, %%l1;", decls[s], vars[s], vars[s]);
		GIVES(77, "%s\nmov.u32 %%t0, 3;\nst.%s.u16 %s[%%t0][5], 77;\nmov.u64 %%l0, %s[3][5];\nld.%s.u16 %%h0, [%%l0];\n"
		      "cvt.u32.u16 %%d, %%h0;", decls[s], spaces[s], vars[s], vars[s], spaces[s]);
		GIVES(78, "%s\nmov.u32 %%t0, 1;\nst.%s.u16 %s[3][%%t0+1], 78;\nld.%s.u16 %%h0, %s[3][2];\n"
		      "cvt.u32.u16 %%d, %%h0;", decls[s], spaces[s], vars[s], spaces[s], vars[s]);
	}
	forms_run(1);
}
END_TEST

/* Vectors: their elements by name, in braces, whole; '_' for a result that is not wanted. */
START_TEST(vectors)
{
	GIVES(22, ".reg .v4 .u32 v;\nld.global.v4.u32 v, [vecs+16];\nmov.u32 %%d, v.y;");
	GIVES(24, ".reg .v4 .u32 v;\nld.global.v4.u32 v, [vecs+16];\nmov.u32 %%d, v.a;");
	GIVES(23, ".reg .v4 .u32 v;\nld.global.v4.u32 v, [vecs+16];\nmov.v4.u32 {_, %%t1, %%d, %%t2}, v;");
	GIVES(3, ".reg .v2 .u32 v;\nmov.v2.u32 v, {1, 3};\nmov.u32 %%d, v.y;");
	/* changed over: nothing is written before all are read */
	GIVES(21, "mov.u32 %%t0, 1;\nmov.u32 %%t1, 2;\nmov.v2.u32 {%%t0, %%t1}, {%%t1, %%t0};\nmad.lo.u32 %%d, %%t0, 10, %%t1;");
	GIVES64(3, ".reg .v2 .b32 v;\nmov.v2.b32 v, {1, 3};\nmov.b64 %%l0, v;\nshr.u64 %%d, %%l0, 32;");
	GIVES(3, "mov.u64 %%l0, 0x300000001;\nmov.b64 {_, %%d}, %%l0;");
	GIVES(21, "ld.global.v4.u32 {%%d, _, _, _}, [vecs+16];");
	forms_run(1);
}
END_TEST

/* Names that are numbers, numbers in every notation, predicates in pairs and negated. */
START_TEST(constants_and_predicates)
{
	GIVES(32, "mov.u32 %%d, WARP_SZ;");
	GIVES(33, "add.u32 %%d, WARP_SZ, 1;");
	GIVES(5 + 15 + 255 + 9, "mov.u32 %%t0, 0b101;\nadd.u32 %%t0, %%t0, 017;\nadd.u32 %%t0, %%t0, 0xffU;\nadd.u32 %%d, %%t0, 9;");
	GIVES(7, "mov.u32 %%d, (1 << 3) - 1;");
	GIVES(0x3fc00000, ".reg .f32 f;\nmov.f32 f, 1.5;\nmov.b32 %%d, f;");
	GIVES(2, "setp.eq.u32 %%p0|%%p1, 1, 2;\nselp.u32 %%t0, 1, 0, %%p0;\nselp.u32 %%t1, 2, 0, %%p1;\nadd.u32 %%d, %%t0, %%t1;");
	GIVES(1, "setp.eq.u32 %%p0, 1, 2;\nsetp.eq.and.u32 %%p1, 3, 3, !%%p0;\nselp.u32 %%d, 1, 0, %%p1;");
	GIVES(4, "setp.eq.u32 %%p0, 1, 2;\nmov.u32 %%d, 3;\n@!%%p0 mov.u32 %%d, 4;");
	GIVES(42, ".reg .u64 f;\nmov.u64 f, next;\nto: .callprototype (.reg .u32 _) _ (.reg .u32 _);\ncall (%%d), f, (41), to;");
	GIVES(13, "ld.global.u64 %%l0, [ptr];\nld.global.u32 %%d, [%%l0];");
	forms_run(1);
}
END_TEST

/*
 * Arguments and results of functions: numbers of each size, structures of fewer bytes than a register, of as many, and of
 * more; first, and behind as many as there are registers for.
 */
START_TEST(arguments)
{
	GIVES(3, "{ .param .align 1 .b8 a[1], r[1];\nst.param.u8 [a], 2;\ncall (r), s1, (a);\nld.param.u8 %%h0, [r]; }\n"
	      "cvt.u32.u16 %%d, %%h0;");
	GIVES(302, "{ .param .align 1 .b8 a[3], r[3];\nst.param.u8 [a], 2;\nst.param.u8 [a+2], 1;\ncall (r), s3, (a);\n"
	      "ld.param.u8 %%t0, [r];\nld.param.u8 %%t1, [r+2]; }\nmad.lo.u32 %%d, %%t0, 100, %%t1;");
	GIVES(42, "{ .param .align 4 .b8 a[4], r[4];\nst.param.u32 [a], 41;\ncall (r), s4, (a);\nld.param.u32 %%d, [r]; }");
	GIVES(3007, "{ .param .align 4 .b8 a[8], r[8];\nst.param.u32 [a], 7;\nst.param.u32 [a+4], 3;\ncall (r), s8, (a);\n"
	      "ld.param.u32 %%t0, [r];\nld.param.u32 %%t1, [r+4]; }\nmad.lo.u32 %%d, %%t0, 1000, %%t1;");
	GIVES(3007, "{ .param .align 8 .b8 a[16], r[16];\nst.param.u64 [a], 7;\nst.param.u64 [a+8], 3;\ncall (r), s16, (a);\n"
	      "ld.param.u64 %%l0, [r];\nld.param.u64 %%l1, [r+8]; }\nmad.lo.u64 %%l0, %%l0, 1000, %%l1;\ncvt.u32.u64 %%d, %%l0;");
	GIVES(1234567, "{ .param .b64 a, b, c, d, e, f, g;\nst.param.b64 [a], 1000000;\nst.param.b64 [b], 200000;\n"
	      "st.param.b64 [c], 30000;\nst.param.b64 [d], 4000;\nst.param.b64 [e], 500;\nst.param.b64 [f], 60;\n"
	      "st.param.b64 [g], 6;\n.param .align 4 .b8 s[8];\nst.param.u32 [s], 1;\nst.param.u32 [s+4], 0;\n"
	      ".param .b32 h, i, r;\nst.param.b32 [h], 90;\nst.param.b32 [i], 9;\n"
	      "call (r), many, (a, b, c, d, e, f, g, s, h, i);\nld.param.b32 %%d, [r]; }");
	forms_run(1);
}
END_TEST

/* What is no operand says so. */
START_TEST(refused)
{
	static const struct { const char *text, *message; } cases[] = {
		{ "mov.u64 %l0, nums[1][2];", "has fewer dimensions" },
		{ "ld.global.u32 %t0, wide[%t1][%t2];", "only one index can be a register" },
		{ "ld.global.u32 %t0, nums[%p0];", "an index must be a register of 32 or 64 bits, or a constant" },
		{ "ld.global.u32 %t0, nums[%h0];", "an index must be a register of 32 or 64 bits, or a constant" },
		{ "mov.u64 %l0, nums[;", "an integer constant was expected" },
		{ "mov.v2.u32 {%t0, %t1}, %t2;", "two vectors of 2 elements" },
		{ "ld.global.u32 %t0, nums;", "an address in [ ] was expected" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[5000];
		struct ppu_image *img = NULL;
		struct ppu_log log;

		snprintf(text, sizeof(text), ".version 7.0\n.target sm_70\n.address_size 64\n%s\n.entry k()\n{\n.reg .b16 %%h<4>;\n"
			 ".reg .b32 %%t<4>;\n.reg .b64 %%l<4>;\n.reg .pred %%p<4>;\n%s\nret;\n}\n", form_prologue, cases[i].text);
		ppu_log_init(&log);
		ck_assert_int_ne(ppu_ptx_compile(text, strlen(text), "refused", NULL, &img, &log), 0);
		ck_assert_msg(strstr(log.text, cases[i].message) != NULL, "%s: %s", cases[i].text, log.text);
		ppu_log_free(&log);
	}
}
END_TEST

int main(void)
{
	const TTest *tests[] = { addresses, elements, vectors, constants_and_predicates, arguments, refused };

	form_prologue =
		".global .u32 nums[8] = {10, 11, 12, 13, 14, 15, 16, 17};\n"
		".const .u32 table[4] = {10, 11, 12, 13};\n.global .align 8 .u16 wide[4][6];\n"
		".global .align 16 .v4 .u32 vecs[3] = {{11, 12, 13, 14}, {21, 22, 23, 24}};\n"
		".global .u64 ptr = nums+12;\n"
		".func (.reg .u32 r) next(.reg .u32 a) { add.u32 r, a, 1; ret; }\n"
		".func (.param .align 1 .b8 r[1]) s1(.param .align 1 .b8 a[1])\n{\n.reg .b16 %h;\n"
		"ld.param.u8 %h, [a];\nadd.u16 %h, %h, 1;\nst.param.u8 [r], %h;\nret;\n}\n"
		".func (.param .align 1 .b8 r[3]) s3(.param .align 1 .b8 a[3])\n{\n.reg .b16 %h<2>;\nld.param.u8 %h0, [a];\n"
		"ld.param.u8 %h1, [a+2];\nadd.u16 %h1, %h1, 2;\nst.param.u8 [r], %h1;\nst.param.u8 [r+2], %h0;\nret;\n}\n"
		".func (.param .align 4 .b8 r[4]) s4(.param .align 4 .b8 a[4])\n{\n.reg .b32 %t;\n"
		"ld.param.u32 %t, [a];\nadd.u32 %t, %t, 1;\nst.param.u32 [r], %t;\nret;\n}\n"
		".func (.param .align 4 .b8 r[8]) s8(.param .align 4 .b8 a[8])\n{\n.reg .b32 %t<2>;\nld.param.u32 %t0, [a];\n"
		"ld.param.u32 %t1, [a+4];\nst.param.u32 [r], %t1;\nst.param.u32 [r+4], %t0;\nret;\n}\n"
		".func (.param .align 8 .b8 r[16]) s16(.param .align 8 .b8 a[16])\n{\n.reg .b64 %l<2>;\nld.param.u64 %l0, [a];\n"
		"ld.param.u64 %l1, [a+8];\nst.param.u64 [r], %l1;\nst.param.u64 [r+8], %l0;\nret;\n}\n"
		".func (.param .b32 r) many(.param .b64 a, .param .b64 b, .param .b64 c, .param .b64 d, .param .b64 e, .param .b64 f,\n"
		".param .b64 g, .param .align 4 .b8 s[8], .param .b32 h, .param .b32 i)\n{\n.reg .b64 %l<8>;\n.reg .b32 %t<4>;\n"
		"ld.param.b64 %l0, [a];\nld.param.b64 %l1, [b];\nadd.u64 %l0, %l0, %l1;\nld.param.b64 %l1, [c];\nadd.u64 %l0, %l0, %l1;\n"
		"ld.param.b64 %l1, [d];\nadd.u64 %l0, %l0, %l1;\nld.param.b64 %l1, [e];\nadd.u64 %l0, %l0, %l1;\n"
		"ld.param.b64 %l1, [f];\nadd.u64 %l0, %l0, %l1;\nld.param.b64 %l1, [g];\nadd.u64 %l0, %l0, %l1;\n"
		"cvt.u32.u64 %t0, %l0;\nld.param.u32 %t1, [s];\nadd.u32 %t0, %t0, %t1;\nld.param.u32 %t1, [s+4];\nadd.u32 %t0, %t0, %t1;\n"
		"ld.param.b32 %t1, [h];\nld.param.b32 %t2, [i];\ndiv.u32 %t1, %t1, %t2;\nsub.u32 %t1, %t1, 10;\nadd.u32 %t0, %t0, %t1;\nst.param.b32 [r], %t0;\nret;\n}\n";
	return forms_main("ptx_operand", tests, sizeof(tests) / sizeof(tests[0]));
}
