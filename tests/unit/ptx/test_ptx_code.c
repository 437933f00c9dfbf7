/* SPDX-License-Identifier: MIT */
/*
 * How many instructions become of a few lines of PTX.  Results do not depend on it: so other tests do not notice when a
 * constant gets a register that needs none, or one of its own each time.
 */
#include <check.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ppu_image.h"
#include "run_suite.h"

#define HEAD \
	".version 8.6\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {\n" \
	".reg .pred %p<8>; .reg .u32 %r<10>; .reg .u64 %l<10>; .reg .f32 %f<10>; .reg .f64 %d<10>;\n" \
	"ld.param.u64 %l0, [p];\nld.global.u32 %r1, [%l0];\nld.global.u32 %r2, [%l0+4];\n" \
	"ld.global.u64 %l1, [%l0+8];\nld.global.f32 %f1, [%l0+16];\nld.global.f64 %d1, [%l0+24];\n"
/* All registers that a text may have written are used. */
#define TAIL \
	"\nst.global.u32 [%l0+32], %r3;\nst.global.u32 [%l0+36], %r4;\nst.global.u64 [%l0+40], %l3;\n" \
	"st.global.u64 [%l0+48], %l4;\nst.global.f32 [%l0+56], %f3;\nst.global.f64 [%l0+64], %d3;\nret;\n}\n"

#define MEMORY_HEAD \
	".version 8.6\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p, .param .u32 q) {\n" \
	".reg .u32 %r<10>; .reg .u64 %l<10>; .shared .align 8 .b8 s[64]; .local .align 8 .b8 a[64];\nld.param.u64 %l0, [p];\n"

/* The instructions but loads and stores (those too, if memory) and the exit, without the numbers of registers. */
static const char *code(const char *body, bool memory)
{
	static char out[2048];
	struct ppu_image *img = NULL;
	struct ppu_log log;
	char text[8192], *list, *line, *rest;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s%s%s", memory ? MEMORY_HEAD : HEAD, body, memory ? "ret; }" : TAIL);
	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "t", NULL, &img, &log), "%s", log.text);
	ck_assert_int_eq(ppu_disassemble(img, &list), 0);
	out[0] = 0;
	for (line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		while (isspace((unsigned char)*line))
			line++;
		if (*line == '.' || !strcmp(line, "exit") || (!memory && (!strncmp(line, "ld.", 3) || !strncmp(line, "st.", 3))))
			continue;
		if (n)
			n += (size_t)sprintf(out + n, "; ");
		for (const char *at = line; *at; at++) {
			bool reg = (*at == 'r' || *at == 'p') && (at == line || !isalnum((unsigned char)at[-1]));
			const char *num = at + 1 + (*at == 'r' && (at[1] == 'd' || at[1] == 'q'));

			if (!reg || !isdigit((unsigned char)*num)) {
				out[n++] = *at;
				continue;
			}
			while (at < num)
				out[n++] = *at++;
			while (isdigit((unsigned char)at[0]))
				at++;
			at--;
		}
		out[n] = 0;
	}
	free(list);
	ppu_image_free(img);
	ppu_log_free(&log);
	return out;
}

/* One operand is a constant, of 32 bits; 0 is RZ besides; one that is needed twice is made once. */
static const struct { const char *ptx, *code; } t[] = {
	{ "", "" },
	{ "add.u32 %r3, %r1, 5;", "add.u32 r, r, 5" },
	{ "add.u32 %r3, 5, %r1;", "add.u32 r, r, 5" },
	{ "sub.u32 %r3, %r1, 5;", "sub.u32 r, r, 5" },
	{ "sub.u32 %r3, 5, %r1;", "mov.u32 r, 5; sub.u32 r, r, r" },
	{ "sub.u32 %r3, 0, %r1;", "sub.u32 r, rz, r" },
	{ "mul.lo.u32 %r3, 3, %r1;", "mul.u32 r, r, 3" },
	{ "mad.lo.u32 %r3, %r1, 3, %r2;", "mad.u32 r, r, 3, r" },
	{ "mad.lo.u32 %r3, 3, %r1, %r2;", "mad.u32 r, r, 3, r" },
	{ "mad.lo.u32 %r3, %r1, %r2, 9;", "mad.u32 r, r, r, 9" },
	{ "mad.lo.u32 %r3, %r1, 3, 9;", "mov.u32 r, 9; mad.u32 r, r, 3, r" },
	{ "lop3.b32 %r3, %r1, 7, 0, 0x1b;", "lop3.u32 r, r, 7, rz, 0x1b" },
	{ "prmt.b32 %r3, %r1, 9, 0;", "prmt.u32 r, r, 9, rz" },
	{ "prmt.b32 %r3, 0, %r1, 9;", "prmt.u32 r, rz, r, 9" },
	{ "shf.l.wrap.b32 %r3, %r1, 9, 0;", "shf.l.u32 r, r, 9, rz" },
	{ "dp4a.u32.u32 %r3, %r1, 77, 0;", "dp4a.u32.u32 r, r, 77, rz" },
	{ "dp4a.u32.u32 %r3, %r1, 77, 3;\ndp4a.u32.u32 %r4, %r2, 77, 3;",
	  "mov.u32 r, 3; dp4a.u32.u32 r, r, 77, r; dp4a.u32.u32 r, r, 77, r" },
	{ "bfi.b32 %r3, %r1, %r2, 3, 7;", "bfi.u32 r, r, r, 1795" },
	{ "selp.u32 %r3, 0, 1, %p1;", "sel.u32 r, rz, 1, p" },
	{ "selp.u32 %r3, 5, 0, %p1;", "mov.u32 r, 5; sel.u32 r, r, 0, p" },
	{ "selp.u32 %r3, 5, 6, %p1;", "mov.u32 r, 5; sel.u32 r, r, 6, p" },
	{ "setp.lt.u32 %p1, 5, %r1;\nselp.u32 %r3, %r1, %r2, %p1;", "setp.gt.u32 p, r, 5; sel.u32 r, r, r, p" },
	{ "add.u64 %l3, %l1, 0x7fffffff;", "add.u64 rd, rd, 0x7fffffff" },
	{ "add.u64 %l3, %l1, -0x80000000;", "add.u64 rd, rd, -0x80000000" },
	{ "add.u64 %l3, %l1, 0x80000000;", "movi64 rd, 0x80000000; add.u64 rd, rd, rd" },
	{ "add.u64 %l3, %l1, 0x123456789;\nxor.b64 %l4, %l1, 0x123456789;",
	  "movi64 rd, 0x123456789; add.u64 rd, rd, rd; xor.u64 rd, rd, rd" },
	{ "mul.wide.u32 %l3, %r1, 3;", "mulw.u32 rd, r, 3" },
	{ "mad.wide.u32 %l3, %r1, 3, %l1;", "madw.u32 rd, r, 3, rd" },
	{ "mad.wide.u32 %l3, %r1, 3, 0;", "madw.u32 rd, r, 3, rz" },
	{ "add.f32 %f3, %f1, 0f40000000;", "add.f32 r, r, 2.0" },
	{ "fma.rn.f32 %f3, %f1, 0f40000000, 0f00000000;", "fma.f32 r, r, 2.0, rz" },
	{ "fma.rn.f32 %f3, %f1, %f1, 0f00000000;", "fma.f32 r, r, r, 0" },
	{ "fma.rn.f32 %f3, %f1, 0f40000000, 0f40400000;", "mov.u32 r, 0x40400000; fma.f32 r, r, 2.0, r" },
	{ "add.f64 %d3, %d1, 0d4000000000000000;", "add.f64 rd, rd, 0x40000000" },
	{ "add.f64 %d3, %d1, 0d3ff0000000000001;", "movi64 rd, 0x3ff0000000000001; add.f64 rd, rd, rd" },
	{ "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;", "shfl.idx.full r, r, 0, 31" },
	{ "shfl.sync.idx.b32 %r3, 0, %r1, 31, -1;", "shfl.idx.full r, rz, r, 31" },
	{ "activemask.b32 %r3;", "s2r r, %activemask" },
};

START_TEST(instructions)
{
	ck_assert_str_eq(code(t[_i].ptx, false), t[_i].code);
}
END_TEST

/*
 * Memory: an access through a generic address that was just converted is one to the space itself, with the place in the
 * instruction; not a store to parameters, which there is none of.
 */
static const struct { const char *ptx, *code; } m[] = {
	{ "mov.u64 %l1, q; cvta.param.u64 %l2, %l1; ld.u32 %r1, [%l2]; st.global.u32 [%l0], %r1;",
	  "ld.param.u64 rd, [0]; mov.u64 rd, 8; ld.param.u32 r, [r]; st.global.u32 [rd], r" },
	{ "mov.u64 %l1, q; cvta.param.u64 %l2, %l1; st.u32 [%l2], 0;", "mov.u64 rd, 8; cvta.param rd, r; st.u32 [rd], rz" },
	{ "mov.u64 %l1, s; cvta.shared.u64 %l2, %l1; ld.u32 %r1, [%l2+8]; st.global.u32 [%l0], %r1;",
	  "ld.param.u64 rd, [0]; ld.shared.u32 r, [k$s+8]; st.global.u32 [rd], r" },
	{ "mov.u64 %l1, s; cvta.shared.u64 %l2, %l1; red.add.u32 [%l2], 1;",
	  "mov.u32 r, 1; atom.shared.add.relaxed.gpu.u32 rz, [k$s], r" },
	{ "mov.u64 %l1, a; cvta.local.u64 %l2, %l1; st.u32 [%l2+8], 0;", "sub.u32 r, r, 64; st.local.u32 [r+8], rz" },
	{ "cvta.global.u64 %l2, %l0; st.u32 [%l2+8], 0;", "ld.param.u64 rd, [0]; st.u32 [rd+8], rz" },
	{ "cvta.to.global.u64 %l2, %l0; st.global.u32 [%l2+8], 0;", "ld.param.u64 rd, [0]; st.global.u32 [rd+8], rz" },
	{ "mov.u32 %r1, %tid.x; mul.wide.u32 %l1, %r1, 4; add.u64 %l2, %l0, %l1; st.global.u32 [%l2+8], %r1;",
	  "ld.param.u64 rd, [0]; s2r r, %tid.x; madw.u32 rd, r, 4, rd; st.global.u32 [rd+8], r" },
	{ "ld.volatile.global.u32 %r1, [%l0]; ld.volatile.global.u32 %r1, [%l0]; st.global.u32 [%l0], %r1;",
	  "ld.param.u64 rd, [0]; ld.global.volatile.sys.u32 r, [rd]; ld.global.volatile.sys.u32 r, [rd]; st.global.u32 [rd], r" },
};

START_TEST(accesses)
{
	ck_assert_str_eq(code(m[_i].ptx, true), m[_i].code);
}
END_TEST

/*
 * Small sides of a branch become guarded instructions: up to four each, nothing that may fault, wait or take long.  An
 * instruction whose result only such a side reads needs no guard.
 */
#define IF	"mov.u32 %r3, %r2;\nsetp.eq.u32 %p1, %r1, 5;\n@%p1 bra X;\n"
#define ADD	"add.u32 %r3, %r3, %r1;\n"
#define XOR	"xor.b32 %r3, %r3, %r2;\n"
static const struct { const char *ptx; unsigned branches, guards; } sides[] = {
	{ IF "X:\n", 0, 0 },
	{ IF ADD "X:\n", 0, 1 },
	{ IF ADD XOR ADD XOR "X:\n", 0, 4 },
	{ IF ADD XOR ADD XOR ADD "X:\n", 1, 1 },
	{ IF "mul.lo.u32 %r5, %r1, %r2;\nxor.b32 %r3, %r5, 1;\nX:\n", 0, 1 },
	{ IF ADD "bra Y;\nX:\n" XOR "Y:\n", 0, 2 },
	{ IF "bra Y;\nX:\n" XOR "Y:\n", 0, 1 },
	{ IF ADD XOR ADD XOR "bra Y;\nX:\n" XOR ADD XOR ADD "Y:\n", 0, 8 },
	{ IF ADD "bra Y;\nX:\n" XOR ADD XOR ADD XOR "Y:\n", 2, 1 },
	{ IF "div.u32 %r3, %r1, %r2;\nX:\n", 1, 1 },
	{ IF ADD "bar.sync 0;\nX:\n", 1, 1 },
	{ IF "setp.lt.u32 %p1, %r1, %r2;\n@%p1 add.u32 %r3, %r3, 1;\nX:\n", 1, 2 },
	{ IF "@%p2 add.u32 %r3, %r3, 1;\nX:\n", 1, 2 },
};

static unsigned times(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what)))
		n++, text++;
	return n;
}

START_TEST(small_sides)
{
	const char *made = code(sides[_i].ptx, false);

	ck_assert_msg(times(made, "bra ") == sides[_i].branches && times(made, "@") == sides[_i].guards, "%s", made);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("ptx_code");
	TCase *tc = tcase_create("code");

	tcase_add_loop_test(tc, instructions, 0, (int)(sizeof(t) / sizeof(t[0])));
	tcase_add_loop_test(tc, small_sides, 0, (int)(sizeof(sides) / sizeof(sides[0])));
	tcase_add_loop_test(tc, accesses, 0, (int)(sizeof(m) / sizeof(m[0])));
	suite_add_tcase(su, tc);
	return run_suite(su);
}
