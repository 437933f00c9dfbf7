/* SPDX-License-Identifier: MIT */
/*
 * What stands in PTX around the instructions: constants and what is computed from them, initial values, comments,
 * declarations, limits of kernels, scopes of labels.  Values are read back by a kernel, or from the image.
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

typedef int64_t s64;
typedef uint64_t u64;

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Runs kernel k(out) of a module with one thread, which leaves n words of 64 bits. */
static void run(const char *text, u64 *out, size_t n)
{
	ppuFunction f;
	ppuModule m;
	ppuCtx ctx;
	void *d;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuModuleLoadData(&m, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	OK(ppuModuleGetFunction(&f, m, "k"));
	OK(ppuMalloc(&d, n * 8));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &d }, NULL, 0));
	OK(ppuMemcpy(out, d, n * 8));
	OK(ppuCtxDestroy(ctx));
}

/* Copies n words from a variable that the text declares. */
static void read_table(const char *declared, u64 *out, unsigned n)
{
	char text[8192];

	ck_assert_int_lt(snprintf(text, sizeof(text), HEAD "%s\n.entry k(.param .u64 out)\n{\n.reg .b64 %%o, %%a, %%v;\n.reg .b32 %%i;\n.reg .pred %%p;\n"
				  "ld.param.u64 %%o, [out];\nmov.u64 %%a, table;\nmov.u32 %%i, %u;\nL: ld.global.u64 %%v, [%%a];\n"
				  "st.global.u64 [%%o], %%v;\nadd.u64 %%a, %%a, 8;\nadd.u64 %%o, %%o, 8;\nsub.u32 %%i, %%i, 1;\n"
				  "setp.ne.u32 %%p, %%i, 0;\n@%%p bra L;\nret;\n}\n", declared, n), (int)sizeof(text));
	run(text, out, n);
}

/* The text, and what C makes of it: PTX has C's operators, with numbers of 64 bits. */
#define E(...) { #__VA_ARGS__, (u64)(s64)(__VA_ARGS__) }
#define WARP_SZ 32

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
static const struct { const char *text; u64 value; } exprs[] = {
	E(12 & 10), E(12 ^ 10), E(12 | 3), E(5 <= 5), E(6 <= 5), E(5 >= 6), E(6 >= 6), E(5 < 6), E(6 < 6), E(6 > 5), E(6 > 6),
	E(0 || 7), E(0 || 0), E(2 || 0), E(3 && 0), E(1 && 2), E(0 && 2), E(4 == 4), E(4 == 5), E(4 != 4), E(4 != 5),
	/* what binds tighter */
	E(1 | 2 ^ 7 & 5), E(6 ^ 3 & 1), E(4 & 6 == 6), E(1 + 2 << 3), E(64 >> 2 + 1), E(1 << 3 < 9), E(5 < 6 == 1),
	E(3 == 3 && 2 != 2 || 1), E(1 || 0 && 0), E(1 & 1 && 2 & 1), E(2 + 3 * 4), E((2 + 3) * 4), E(17 % 5 * 2), E(2 * 17 % 5),
	/* from the left */
	E(7 - 2 - 1), E(100 / 7 / 2), E(100 / 7 % 3), E(2 << 3 << 1), E(5 > 4 > 3),
	E(~5), E(!5), E(!0), E(-3 * -4), E(- -3), E(+4), E(~~9), E(-7 / 2), E(-7 % 3), E(-16 >> 2), E(-1 < 1),
	E(1 ? 2 : 3), E(0 ? 2 : 3), E(0 ? 1 : 0 ? 2 : 3), E(1 ? 0 ? 4 : 5 : 6), E(2 > 1 ? 10 + 1 : 20),
	E(0xff), E(0XAB), E(017), E(0b101), E(0), E(9), E(WARP_SZ), E(WARP_SZ * 2 - 1),
	/* in 64 bits, with and without a sign */
	{ "1 << 40", 1ull << 40 }, { "1 << 64", 0 }, { "0x8000000000000000 >> 63", 1 }, { "0xffffffffffffffffU >> 4", UINT64_MAX >> 4 },
	{ "-1 >> 70", UINT64_MAX }, { "5U >> 64", 0 }, { "0xffffffffffffffffU / 2", UINT64_MAX / 2 },
	{ "0xffffffffffffffffU % 10", UINT64_MAX % 10 }, { "-1 < 1U", 0 }, { "-1 > 1U", 1 }, { "-1 <= 1U", 0 }, { "-1 >= 1U", 1 },
	{ "0x7fffffffffffffff + 1 > 0", 0 }, { "18446744073709551615U", UINT64_MAX },
};
#pragma GCC diagnostic pop

START_TEST(expressions)
{
	enum { N = sizeof(exprs) / sizeof(exprs[0]) };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	u64 out[N];

	fprintf(f, ".global .align 8 .u64 table[%d] = {", (int)N);
	for (int i = 0; i < N; i++)
		fprintf(f, "%s %s", i ? "," : "", exprs[i].text);
	fprintf(f, " };");
	fclose(f);
	read_table(text, out, N);
	for (int i = 0; i < N; i++)
		ck_assert_msg(out[i] == exprs[i].value, "%s: %llx instead of %llx", exprs[i].text, (unsigned long long)out[i],
			      (unsigned long long)exprs[i].value);
	free(text);
}
END_TEST

static u64 bits64(double d)
{
	u64 u;

	memcpy(&u, &d, 8);
	return u;
}

/* Numbers with a point, in each notation, in both sizes; arrays that their values make as long as they are; addresses. */
START_TEST(initial_values)
{
	static const double d[] = { 1.5, -2.25, 1e3, 2.5E-2, 1.5e+2, -0.0, 0.5, 1.0, -2.0, 1.5, -1.5, 3 };
	static const float f[] = { 1.5f, -2.25f, 1000, 0.025f, -2.0f, 1.5f, -1.5f, 0.1f };
	u64 out[12];
	uint32_t w;

	read_table(".global .align 8 .f64 table[] = { 1.5, -2.25, 1e3, 2.5E-2, 1.5e+2, -0.0, .5, 0f3f800000, -0f40000000,\n"
		   "0d3ff8000000000000, -0D3FF8000000000000, 3. };", out, 12);
	for (int i = 0; i < 12; i++)
		ck_assert_msg(out[i] == bits64(d[i]), "f64 %d: %llx instead of %g", i, (unsigned long long)out[i], d[i]);
	read_table(".global .align 8 .f32 table[8] = { 1.5, -2.25, 1e3, 2.5E-2, -0F40000000, 0d3ff8000000000000, -0d3ff8000000000000, 0.1 };",
		   out, 4);
	for (int i = 0; i < 8; i++) {
		memcpy(&w, (char *)out + 4 * i, 4);
		ck_assert_msg(!memcmp(&w, &f[i], 4), "f32 %d: %x instead of %g", i, w, f[i]);
	}
	/* rows that are not full are filled with zeros */
	read_table(".global .align 8 .u16 table[3][4] = { { 1, 2 }, { 3 }, { 4, 5, 6, 7 } };", out, 3);
	ck_assert(out[0] == 0x20001 && out[1] == 3 && out[2] == 0x0007000600050004);
	read_table(".global .align 8 .u8 table[8] = { 255, -1, 0x7f };", out, 1);
	ck_assert_uint_eq(out[0], 0x7fffff);
	read_table(".global .align 8 .u64 table[5] = { x, x+8, generic(x), x-8, table };\n.global .align 8 .u64 x[2] = { 5, 6 };", out, 5);
	ck_assert(out[0] && out[1] == out[0] + 8 && out[2] == out[0] && out[3] == out[0] - 8 && out[4] != out[0] && !(out[0] & 7));
}
END_TEST

/* Comments, also of several lines: lines are counted on. */
START_TEST(comments)
{
	static const struct { const char *text; const char *says; } t[] = {
		{ HEAD "/* one */ /* two\nlines **/ // and\n.entry k() { /**/ bad; ret; }\n", "c:6:19: error" },
		{ HEAD ".entry k()\n{\n/*\n\n*/ ret; /* x */ bad; }\n", "c:8:17: error" },
		{ HEAD ".entry k() { ret; }\n/* open\n", "c:5:1: error: this comment is not closed" },
		{ HEAD ".entry k() { ret; }\n.file 1 \"open\n", "this string is not closed" },
		{ HEAD ".entry k() { ret; \x01 }\n", "c:4:19: error: a character (code 1) that PTX does not use" },
	};

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ppu_image *img = NULL;
		struct ppu_log log;

		ppu_log_init(&log);
		ck_assert_int_ne(ppu_ptx_compile(t[i].text, strlen(t[i].text), "c", NULL, &img, &log), 0);
		ck_assert_msg(strstr(log.text, t[i].says) != NULL, "%u: %s", i, log.text);
		ppu_log_free(&log);
	}
}
END_TEST

static struct ppu_image *compile(const char *text)
{
	struct ppu_image *img = NULL;
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "limits", NULL, &img, &log), "%s", log.text);
	ppu_log_free(&log);
	return img;
}

/* What a kernel says of itself is in the image. */
START_TEST(limits)
{
	struct ppu_image *img = compile(HEAD
		".entry none() { ret; }\n"
		".entry most() .maxntid 8, 4, 2 { ret; }\n"
		".entry just() .reqntid 16, 3 { ret; }\n"
		".entry both() .maxntid 1024 .reqntid 5 { ret; }\n"
		".entry huge() .maxntid 1024, 2, 1 { ret; }\n"
		".entry rest() .maxntid 64 .minnctapersm 2 .maxnctapersm 4 .maxnreg 40 .pragma \"nounroll\"; .noreturn { exit; }\n"
		".entry params(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d) { ret; }\n");
	const struct ppu_symbol *s;

	s = ppu_image_find(img, "none");
	ck_assert(!s->max_threads && !s->reqntid[0] && !s->num_params && !s->param_bytes);
	s = ppu_image_find(img, "most");
	ck_assert(s->max_threads == 64 && !s->reqntid[0]);
	s = ppu_image_find(img, "just");
	ck_assert(s->max_threads == 48 && s->reqntid[0] == 16 && s->reqntid[1] == 3 && s->reqntid[2] == 1);
	s = ppu_image_find(img, "both");
	ck_assert(s->max_threads == 5 && s->reqntid[0] == 5);
	ck_assert_uint_eq(ppu_image_find(img, "huge")->max_threads, 1024);
	ck_assert_uint_eq(ppu_image_find(img, "rest")->max_threads, 64);
	s = ppu_image_find(img, "params");
	ck_assert_uint_eq(s->num_params, 4);
	ck_assert(s->params[0].offset == 0 && s->params[0].size == 1);
	ck_assert(s->params[1].offset == 8 && s->params[1].size == 8 && s->params[1].align == 8);
	ck_assert(s->params[2].offset == 16 && s->params[2].size == 20 && s->params[2].align == 16);
	ck_assert(s->params[3].offset == 36 && s->params[3].size == 2);
	ck_assert_uint_eq(s->param_bytes, 38);
	ppu_image_free(img);
}
END_TEST

/* Fewer registers when more must be resident: the kernel's values do not fit, so it has local memory. */
START_TEST(registers_of_many)
{
	static const struct { const char *says; unsigned most; } t[] = {
		{ "", 255 }, { ".maxnreg 24", 24 }, { ".maxntid 1024", 64 }, { ".maxntid 512 .minnctapersm 4", 32 },
		{ ".maxntid 33 .minnctapersm 16", 64 }, { ".reqntid 1024 .maxnreg 48", 48 },
	};

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const struct ppu_symbol *s;
		struct ppu_image *img;
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		fprintf(f, HEAD ".entry k(.param .u64 p) %s\n{\n.reg .b64 %%p;\n.reg .b32 %%r<100>;\nld.param.u64 %%p, [p];\n", t[i].says);
		for (unsigned k = 0; k < 100; k++)
			fprintf(f, "ld.volatile.global.u32 %%r%u, [%%p+%u];\n", k, 4 * k);
		for (unsigned k = 0; k < 100; k++)
			fprintf(f, "st.volatile.global.u32 [%%p+%u], %%r%u;\n", 4 * k, (k + 50) % 100);
		fprintf(f, "ret;\n}\n");
		fclose(f);
		img = compile(text);
		s = ppu_image_find(img, "k");
		ck_assert_msg(s->regs <= t[i].most, "%s: %u registers", t[i].says, s->regs);
		if (t[i].most == 255)
			ck_assert(s->regs >= 100 && !s->local_bytes);
		else
			ck_assert(s->regs > t[i].most - 8 && s->local_bytes >= 4 * (100 - t[i].most));
		ppu_image_free(img);
		free(text);
	}
}
END_TEST

/* Declared first and defined later; labels of an outer block, of the same name in two blocks, and from before. */
START_TEST(declarations_and_scopes)
{
	u64 out[3];

	run(HEAD
	    ".extern .global .align 8 .u64 later;\n.extern .func (.reg .u64 r) twice(.reg .u64 a);\n"
	    ".func (.reg .u64 r) thrice(.reg .u64 a);\n"
	    ".entry k(.param .u64 out)\n{\n.reg .b64 %o, %v, %w;\n.reg .pred %p;\nld.param.u64 %o, [out];\nld.global.u64 %v, [later];\n"
	    "call (%w), twice, (%v);\nst.global.u64 [%o], %w;\ncall (%w), thrice, (%v);\nst.global.u64 [%o+8], %w;\n"
	    "mov.u64 %w, 0;\n"
	    "{\n.reg .b64 %v;\nmov.u64 %v, 100;\nbra IN;\nadd.u64 %w, %w, 1;\nIN: add.u64 %w, %w, %v;\n{ { bra OUT; } }\nadd.u64 %w, %w, 2;\n}\n"
	    "add.u64 %w, %w, 4;\nOUT:\n{\nbra IN;\nadd.u64 %w, %w, 8;\nIN: add.u64 %w, %w, %v;\n}\n"
	    "setp.lt.u64 %p, %w, 120;\n@%p bra OUT;\nst.global.u64 [%o+16], %w;\nret;\n}\n"
	    ".global .align 8 .u64 later = 7;\n"
	    ".func (.reg .u64 r) twice(.reg .u64 a) { add.u64 r, a, a; ret; }\n"
	    ".func (.reg .u64 r) thrice(.reg .u64 a) { .reg .u64 %t; add.u64 %t, a, a; add.u64 r, %t, a; ret; }\n", out, 3);
	ck_assert_uint_eq(out[0], 14);
	ck_assert_uint_eq(out[1], 21);
	ck_assert_uint_eq(out[2], 100 + 7 * 3);
}
END_TEST

/* A byte of an array depends on its place. */
static unsigned byte_at(unsigned i)
{
	return (i * 37 + 11) & 0xff;
}

/*
 * A function passes its array on to another one, and back again: all bytes arrive, whatever the alignment and the rest behind
 * the last word.
 */
START_TEST(arrays_passed_on)
{
	static const unsigned aligns[] = { 1, 2, 4, 8, 16 }, sizes[] = { 1, 3, 4, 7, 8, 12, 17, 20, 33 };
	char *text = NULL;
	u64 out[45], want[45];
	unsigned n = 0;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, ".version 6.3\n.target sm_60, debug, texmode_independent\n.address_size 64\n");
	for (unsigned a = 0; a < 5; a++)
		for (unsigned s = 0; s < 9; s++, n++) {
			fprintf(f, ".func (.reg .u64 r) last%u(.param .align %u .b8 x[%u])\n{\n.reg .b64 %%v;\nmov.u64 r, 0;\n", n,
				aligns[a], sizes[s]);
			for (unsigned i = 0; i < sizes[s]; i++)
				fprintf(f, "ld.param.u8 %%v, [x+%u];\nmad.lo.u64 r, r, 31, %%v;\n", i);
			fprintf(f, "ret;\n}\n.func (.reg .u64 r) pass%u(.param .align %u .b8 x[%u])\n{\n.reg .b64 %%a, %%b;\n"
				"call (%%a), last%u, (x);\ncall (%%b), last%u, (x);\nsub.u64 %%b, %%b, %%a;\nadd.u64 r, %%a, %%b;\nret;\n}\n",
				n, aligns[a], sizes[s], n, n);
		}
	fprintf(f, ".entry k(.param .u64 out)\n{\n.reg .b64 %%o, %%v;\nld.param.u64 %%o, [out];\n");
	n = 0;
	for (unsigned a = 0; a < 5; a++)
		for (unsigned s = 0; s < 9; s++, n++) {
			fprintf(f, "{\n.param .align %u .b8 y[%u];\n", aligns[a], sizes[s]);
			want[n] = 0;
			for (unsigned i = 0; i < sizes[s]; i++) {
				fprintf(f, "st.param.b8 [y+%u], %u;\n", i, byte_at(i));
				want[n] = want[n] * 31 + byte_at(i);
			}
			fprintf(f, "call (%%v), pass%u, (y);\nst.global.u64 [%%o+%u], %%v;\n}\n", n, n * 8);
		}
	fprintf(f, "ret;\n}\n");
	fclose(f);
	run(text, out, n);
	for (unsigned i = 0; i < n; i++)
		ck_assert_msg(out[i] == want[i], "alignment %u, %u bytes", aligns[i / 9], sizes[i % 9]);
	free(text);
}
END_TEST

/* What is wrong in a declaration is said, with its place. */
START_TEST(refused)
{
	static const struct { const char *text; const char *says; } t[] = {
		{ ".global .u64 x = 1 / 0;\n", "4:23: error: this constant division has no result" },
		{ ".global .u32 x[2] = { 1, 2, 3 };\n", "4:29: error: there are more initial values than elements" },
		{ ".global .u32 x[2] = { 1, 2 };\n.global .u32 y = x;\n", "5:18: error: an address needs an element of 64 bits" },
		{ ".global .u64 x = 0xff(x);\n", "a byte of an address" },
		{ ".global .u64 x = 1.5;\n", "4:18: error: an element of type '.u64' cannot have a floating-point value" },
		{ ".global .f16 x[2] = { 0, -0f3f800000 };\n", "4:26: error: an element of type '.f16' cannot have a floating-point" },
		{ ".shared .u32 x = 1;\n", "only global and constant variables can have initial values" },
		{ ".entry k() .maxntid 0 { ret; }\n", "a thread count must be from 1 to 1024" },
		{ ".entry k() .reqntid 1025 { ret; }\n", "a thread count must be from 1 to 1024" },
		{ ".entry k() .reqnctapercluster 17 { ret; }\n", "a CTA count must be from 1 to 16" },
		{ ".entry k() .reqnctapercluster 4, 4, 2 { ret; }\n", "a cluster has 1 to 16 CTAs" },
		{ ".entry k() .maxclusterrank 0 { ret; }\n", "a cluster has at least one CTA" },
		{ ".entry k() .frob { ret; }\n", "'.frob' is not supported on a function" },
		{ ".entry k(.param .b8 a[32765]) { ret; }\n", "larger than 32764 bytes" },
		{ ".entry k() { bra L; { L: ret; } ret; }\n", "label 'L' is not defined in this function" },
		{ ".entry k() { L: L: ret; }\n", "'L'" },
		{ ".entry k() { .reg .b32 %r<0>; .reg .b32 %q<1073741825>; ret; }\n", "the number of registers is out of range" },
		{ ".entry k() { .shared .b8 s[1048577]; ret; }\n", "static shared memory is larger than" },
		{ ".entry k() { .shared .b8 s[1048576]; .shared .b8 t; ret; }\n", "4:50: error: static shared memory is larger than" },
		{ ".global .b8 x[99999999999];\n", "" },
		{ ".version\n.entry k() { ret; }\n", "" },
		{ ".shared .align 8 .b64 bar;\n.global .align 16 .b8 g[64];\n.entry k() { cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		  "[g], [g], 16, [bar]; ret; }\n", "'g' is not in the state space that the instruction names" },
		{ ".shared .align 16 .b8 s[64];\n.shared .align 8 .b64 bar;\n.entry k() { cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		  "[s], [s], 16, [bar]; ret; }\n", "'s' is not in the state space that the instruction names" },
		{ ".file 1;\n", ".file needs a number and a name" },
		{ ".entry k() { .loc x; ret; }\n", ".loc needs file, line and column" },
	};
	char text[400];

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ppu_image *img = NULL;
		struct ppu_log log;

		snprintf(text, sizeof(text), HEAD "%s", t[i].text);
		ppu_log_init(&log);
		ck_assert_msg(ppu_ptx_compile(text, strlen(text), "r", NULL, &img, &log) != 0, "%s: accepted", t[i].text);
		ck_assert_msg(log.errors && strstr(log.text, t[i].says) != NULL, "%s: %s", t[i].text, log.text);
		ppu_log_free(&log);
	}
}
END_TEST

/* Forms of sm_90 that are left out on purpose: a sentence says so, and what to use. */
START_TEST(of_clusters)
{
	static const struct { const char *text; const char *says; } t[] = {
		{ "barrier.cluster.sync.aligned", "'barrier.cluster' is barrier.cluster.arrive or barrier.cluster.wait" },
		{ "barrier.cluster.wait 0", "'barrier.cluster' is barrier.cluster.arrive or barrier.cluster.wait" },
		{ "barrier.wait 0", "only 'barrier.cluster' takes .wait" },
		{ "mapa.shared.u32 %r0, %r1, %r2", "'mapa' does not take '.shared' here" },
		{ "st.async.weak.shared::cluster.b32 [%r1], %r2, [%r3]", "'st' with an mbarrier has the form" },
		{ "red.relaxed.cluster.shared::cluster.inc.u32 [%r1], %r2, [%r3]", "'red' takes 2 operands, this one has 3" },
		{ "red.async.relaxed.cluster.shared::cluster.inc.u32 [%r1], %r2, [%r3]", "'red' with an mbarrier has the form" },
		{ "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%l1, {%r1, %r2}], [%r2]",
		  "here are 2 coordinates, and the instruction needs 1" },
		{ "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%l1], [%r2]",
		  "here are 0 coordinates, and the instruction needs 1" },
		{ "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%l1, %r1], [%r2]",
		  "'{' before the coordinates was expected here" },
		{ "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%l1, {%r1}]",
		  "this copy of a tensor takes 3 operands, not 2" },
		{ "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%l1, {%r1, %r2}], [%r2], {%h1}",
		  "with .im2col one of .3d to .5d" },
		{ "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%l1, {%r1, %r1, %r1, %r1}], [%r2], {%h1}",
		  "here are 1 offsets, and the instruction needs 2" },
		{ "cp.async.bulk.tensor.3d.shared::cluster.global.im2col_no_offs.mbarrier::complete_tx::bytes [%r1], [%l1, {%r1, %r1, %r1}], [%r2]",
		  "'cp.async.bulk' has the form" },
		{ "cp.async.bulk.tensor.1d.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%l1, {%r1}], [%r2]",
		  "copies of tensors need one of .1d to .5d" },
		{ "cp.async.bulk.tensor.1d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%l1, {%r1}], [%r2]",
		  "tile::gather4 is of sm_100" },
		{ "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%r1], [%l1, {%r1, %r1, %r1}], [%r2]",
		  "im2col::w is of sm_100" },
		{ "cp.async.bulk.tensor.1d.global.shared::cta [%l1, {%r1}], [%r2]", "'cp.async.bulk' has the form" },
		{ "cp.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%l1, {%r1}], [%r2]",
		  "'cp.async.bulk' has the form" },
		{ "cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [%l1, {%r1}], [%r2]",
		  "'cp.reduce.async.bulk' has the form" },
		{ "cp.async.tensor.1d.global.shared::cta [%l1, {%r1}], [%r2]", "'cp' with .tensor is cp.async.bulk" },
		{ "cp.reduce.async.ca.shared.global [%r1], [%l1], 16", "'cp' with .reduce is cp.reduce.async.bulk" },
		{ "cp.reduce.async.bulk.global.shared::cta.bulk_group.u32 [%l1], [%r2], %r1",
		  "needs an operation and a type" },
		{ "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.b32 [%l1], [%r2], %r1",
		  "has no such operation of this type" },
		{ "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%l1], [%r2], %r1",
		  "has no such operation of this type; .add takes .noftz" },
		{ "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%l1], [%r2], %r1",
		  "has no such operation of this type" },
		{ "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f64 [%r1], [%r2], %r1, [%r3]",
		  "has no such operation of this type" },
		{ "cp.reduce.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.add.u32 [%r1], [%l1], %r1, [%r3]",
		  "'cp.reduce.async.bulk' reduces .shared::cta" },
		{ "cp.async.bulk.add.u32.global.shared::cta.bulk_group [%l1], [%r2], %r1",
		  "'cp.async.bulk' takes no operation and no type" },
		{ "cp.async.ca.u32.shared.global [%r1], [%l1], 16",
		  "'cp' is supported as cp.async only, with a type if it reduces" },
		{ "ld.global.u32 %r0, [%l1, {%r1}]", "only copies of tensors take coordinates" },
		{ "fence.proxy.tensormap::generic.acquire.gpu", "'fence.proxy.tensormap::generic.acquire' takes [map], 128" },
		{ "fence.proxy.tensormap::generic.release.gpu [%l1], 128",
		  "only 'fence.proxy.tensormap::generic.acquire' takes operands" },
		{ "tensormap.replace.tile.rank.global.b1024.b64 [%l1], %l0", "'tensormap.replace' has the form" },
		{ "tensormap.replace.tile.box_dim.global.b1024.b32 [%l1], %r0", "'tensormap.replace' has the form" },
		{ "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%l1], 1",
		  "swizzles of other chunks than 16 bytes are of sm_100" },
		{ "tensormap.tile.rank.global.b1024.b32 [%l1], %r0",
		  "'tensormap' is tensormap.replace or tensormap.cp_fenceproxy" },
		{ "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%l1], [%r1], 64",
		  "'tensormap.cp_fenceproxy' has the form" },
		{ "wgmma.fence.sync.aligned", "warp-group matrix instructions are not supported" },
	};
	char text[400];

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ppu_image *img = NULL;
		struct ppu_log log;

		snprintf(text, sizeof(text), ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n"
			 ".reg .b16 %%h<2>; .reg .b32 %%r<4>; .reg .b64 %%l<2>;\n%s;\nret;\n}\n", t[i].text);
		ppu_log_init(&log);
		ck_assert_msg(ppu_ptx_compile(text, strlen(text), "r", NULL, &img, &log) != 0, "%s: accepted", t[i].text);
		ck_assert_msg(!strncmp(log.text, "r:7:", 4) && strstr(log.text, t[i].says), "%s: %s", t[i].text, log.text);
		ppu_log_free(&log);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_front");
	TCase *t = tcase_create("front");

	tcase_set_timeout(t, 200);
	tcase_add_test(t, expressions);
	tcase_add_test(t, initial_values);
	tcase_add_test(t, comments);
	tcase_add_test(t, limits);
	tcase_add_test(t, registers_of_many);
	tcase_add_test(t, declarations_and_scopes);
	tcase_add_test(t, arrays_passed_on);
	tcase_add_test(t, refused);
	tcase_add_test(t, of_clusters);
	suite_add_tcase(s, t);
	return run_suite(s);
}
