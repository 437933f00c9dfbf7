/* SPDX-License-Identifier: MIT */
/*
 * The PTX compiler's output word for word: listings, IR after passes, messages (tests/ptx/golden).
 * tests/ptx/rebaseline.py writes the expected files anew, when it has shown what that means.  Rows: SIMT-10, SIMT-11, SIMT-17, SIMT-45.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu_image.h"
#include "run_suite.h"

#define DIR	"tests/ptx/golden/"

static char *read_text(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *s;

	*len = 0;
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	s = malloc(*len + 1);
	ck_assert_uint_eq(fread(s, 1, *len, f), *len);
	s[*len] = 0;
	fclose(f);
	return s;
}

/* First line that differs. */
static void compare(const char *path, const char *got)
{
	const char *dir = getenv("PPU_GOLDEN_OUT");	/* of rebaseline.py: what there is now */
	char *want, out[256];
	unsigned line = 1;
	size_t len, i;
	FILE *f;

	if (dir) {
		snprintf(out, sizeof(out), "%s%s", dir, strrchr(path, '/'));
		f = fopen(out, "wb");
		ck_assert(f != NULL);
		fputs(got, f);
		fclose(f);
		return;
	}
	want = read_text(path, &len);
	ck_assert_msg(want != NULL, "%s is missing; tests/ptx/rebaseline.py writes it", path);
	for (i = 0; want[i] && want[i] == got[i]; i++)
		line += want[i] == '\n';
	while (i && want[i - 1] != '\n')
		i--;
	ck_assert_msg(!strcmp(want, got), "%s line %u: expected\n%.80s\ngot\n%.80s", path, line,
		      want + i, got + i);
	free(want);
}

static const char *base(const char *path)
{
	return strrchr(path, '/') + 1;
}

static void listing(const char *ptx, const char *expected)
{
	struct ppu_ptx_options o = { .verify = 1 };
	struct ppu_image *img;
	struct ppu_log log;
	char *text, *out = NULL;
	size_t len;

	text = read_text(ptx, &len);
	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, len, base(ptx), &o, &img, &log), "%s", log.text);
	ck_assert_int_eq(ppu_disassemble(img, &out), 0);
	compare(expected, out);
	free(out);
	ppu_image_free(img);
	ppu_log_free(&log);
	free(text);
}

START_TEST(test_shapes)
{
	listing(DIR "shapes.ptx", DIR "shapes.s");
}
END_TEST

START_TEST(test_fold)
{
	listing(DIR "fold.ptx", DIR "fold.s");
}
END_TEST

START_TEST(test_ir)
{
	struct ppu_ptx_options o = { .verify = 1, .print_after = "reconv" };
	char *text, *out = NULL;
	struct ppu_image *img;
	size_t len, n;
	FILE *f = open_memstream(&out, &n);

	o.print_to = f;
	text = read_text(DIR "shapes.ptx", &len);
	ck_assert_int_eq(ppu_ptx_compile(text, len, "shapes.ptx", &o, &img, NULL), 0);
	fclose(f);
	compare(DIR "shapes.ir", out);
	ppu_image_free(img);
	free(out);
	free(text);
}
END_TEST

/* The IR after each pass of a small module. */
START_TEST(test_all_passes)
{
	struct ppu_ptx_options o = { .verify = 1, .print_after = "all" };
	char *text, *out = NULL, want[80];
	struct ppu_image *img;
	size_t len, n;
	unsigned k;
	FILE *f = open_memstream(&out, &n);

	o.print_to = f;
	text = read_text(DIR "passes.ptx", &len);
	ck_assert_int_eq(ppu_ptx_compile(text, len, "passes.ptx", &o, &img, NULL), 0);
	fclose(f);
	for (k = 0; ppu_ptx_pass(k); k++) {
		snprintf(want, sizeof(want), "after %s\n", ppu_ptx_pass(k));
		ck_assert_msg(strstr(out, want) != NULL, "nothing after %s", ppu_ptx_pass(k));
	}
	compare(DIR "passes.ir", out);
	ppu_image_free(img);
	free(out);
	free(text);
}
END_TEST

static const char *const sources[] = {
	"tests/ptx/hand.ptx", "tests/ptx/meet.ptx", "tests/ptx/coop.nvcc.ptx", "tests/ptx/coop-O0.clang.ptx",
	"tests/ptx/mix.clang.ptx", "tests/ptx/lib.clang.ptx", "tests/ptx/solo.nvcc.ptx",
};
#define NUM_SOURCES (int)(sizeof(sources) / sizeof(sources[0]))

/* The verifier finds nothing after any pass, with all registers, with few, without optimising. */
START_TEST(test_verified)
{
	static const struct ppu_ptx_options how[] = {
		{ .verify = 1 }, { .verify = 1, .max_regs = 48 }, { .verify = 1, .opt_level = 1 },
		{ .verify = 1, .no_yield = 1, .max_regs = 16 },
	};
	struct ppu_image *img;
	struct ppu_log log;
	size_t len;
	char *text = read_text(sources[_i], &len);
	unsigned k;

	for (k = 0; k < sizeof(how) / sizeof(how[0]); k++) {
		ppu_log_init(&log);
		ck_assert_msg(!ppu_ptx_compile(text, len, sources[_i], &how[k], &img, &log), "%s", log.text);
		ck_assert_msg(!ppu_image_finish(img, &ppu_device_library, &log), "%s", log.text);
		ppu_image_free(img);
		ppu_log_free(&log);
	}
	free(text);
}
END_TEST

static const char *const bad[][2] = {
	{ DIR "errors.ptx", DIR "errors.txt" },
	{ DIR "errors2.ptx", DIR "errors2.txt" },
	{ DIR "errors3.ptx", DIR "errors3.txt" },
};

START_TEST(test_errors)
{
	struct ppu_image *img;
	struct ppu_log log;
	size_t len;
	char *text = read_text(bad[_i][0], &len);

	ppu_log_init(&log);
	ck_assert_int_ne(ppu_ptx_compile(text, len, base(bad[_i][0]), NULL, &img, &log), 0);
	ck_assert_ptr_eq(img, NULL);
	ck_assert_uint_gt(log.errors, 0);
	compare(bad[_i][1], log.text);
	ppu_log_free(&log);
	free(text);
}
END_TEST

/* The message about an undefined symbol names the symbol. */
START_TEST(test_undefined)
{
	static const char text[] =
		".version 6.3\n.target sm_60\n.address_size 64\n"
		".extern .func (.param .b32 r) nowhere(.param .b64 a, .param .b64 b);\n"
		".extern .func unused();\n"
		".entry k() {\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
		"{ .param .b64 a; .param .b64 b; .param .b32 r;\n"
		"st.param.b64 [a], %rd1; st.param.b64 [b], %rd2;\n"
		"call (r), nowhere, (a, b); ld.param.b32 %r1, [r]; }\n"
		"ret; }\n";
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "u.ptx", NULL, &img, &log), "%s", log.text);
	ck_assert_int_ne(ppu_image_finish(img, &ppu_device_library, &log), 0);
	ck_assert_ptr_nonnull(strstr(log.text, "nowhere"));
	ck_assert_ptr_null(strstr(log.text, "unused"));
	ppu_image_free(img);
	ppu_log_free(&log);
}
END_TEST

/* .loc reaches the image's line table. */
START_TEST(test_lines)
{
	static const char text[] =
		".version 6.3\n.target sm_60\n.address_size 64\n"
		".file 3 \"dir/a.cu\"\n.file 1 \"b.cu\", 123, 456\n"
		".entry k(.param .u64 p) {\n.reg .b64 %rd<3>;\n"
		".loc 3 10 5\nld.param.u64 %rd1, [p];\n"
		".loc 1 20 1, function_name $info, inlined_at 3 11 2\nst.global.u64 [%rd1], %rd1;\n"
		".loc 3 12 0\nret; }\n.section .debug_str { $info: .b8 97 }\n";
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "l.ptx", NULL, &img, &log), "%s", log.text);
	ck_assert_uint_eq(img->num_lines, 3);
	ck_assert_str_eq(img->files[img->lines[0].file], "dir/a.cu");
	ck_assert_uint_eq(img->lines[0].line, 10);
	ck_assert_uint_eq(img->lines[0].column, 5);
	ck_assert_str_eq(img->files[img->lines[1].file], "b.cu");
	ck_assert_uint_eq(img->lines[1].line, 20);
	ck_assert_uint_eq(img->lines[1].pc, 1);
	ck_assert_uint_eq(img->lines[2].line, 12);
	ppu_image_free(img);
	ppu_log_free(&log);
}
END_TEST

/* Offsets at the end of the number range: an error, or code that wraps as the machine does. */
START_TEST(test_largest_offsets)
{
	static const struct {
		const char *text, *says;
	} t[] = {
		{ ".func f(.param .b64 p) { .reg .b32 %r<5>; ld.param.v2.b32 {%r1, %r2}, [p+0x7fffffffffffffff]; ret; }",
		  "outside the parameter" },
		{ ".func f(.param .b64 p) { .reg .b32 %r<5>; st.param.v2.b32 [p+0x7fffffffffffffff], {%r1, %r2}; ret; }",
		  "outside the parameter" },
		{ ".entry k(.param .b64 a, .param .b64 p) { .reg .b64 %r<5>; ld.param.b64 %r1, [p+0x7fffffffffffffff]; ret; }",
		  "does not fit in 32 bits" },
		{ ".entry k(.param .b64 a, .param .b64 p) { .reg .b64 %r<5>; mov.b64 %r1, p+0x7fffffffffffffff; "
		  "st.global.b64 [%r1], %r1; ret; }", NULL },
		{ ".entry k() { .reg .b64 %r<9>; ld.global.v4.b64 {%r1, %r2, %r3, %r4}, [%r5+0x7fffffffffffffff]; "
		  "st.global.b64 [%r5], %r1; ret; }", NULL },
		{ ".entry k() { .reg .b64 %r<5>; .reg .f32 %f<5>; "
		  "red.global.v4.f32.add [%r1+0x7ffffffffffffffe], {%f1, %f2, %f3, %f4}; ret; }", NULL },
		{ ".entry k() { .reg .b64 %r<5>; add.s64 %r2, %r1, 0x7fffffffffffffff; ld.global.b64 %r3, [%r2+64]; "
		  "st.global.b64 [%r2+8], %r3; ret; }", NULL },
		{ ".entry k() { .reg .b64 %r<5>; .local .b8 x[64]; .local .b8 y[64]; mov.b64 %r1, x; "
		  "st.global.b64 [%r1], %r1; mov.b64 %r2, y+0x7fffffffffffffff; st.global.b64 [%r2], %r1; ret; }", NULL },
	};
	unsigned i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ppu_image *img = NULL;
		struct ppu_log log;
		char text[400];
		int rc;

		snprintf(text, sizeof(text), ".version 7.0\n.target sm_80\n.address_size 64\n%s\n", t[i].text);
		ppu_log_init(&log);
		rc = ppu_ptx_compile(text, strlen(text), "o.ptx", NULL, &img, &log);
		if (t[i].says)
			ck_assert_msg(rc && strstr(log.text, t[i].says), "%u: %s", i, log.text);
		else
			ck_assert_msg(!rc, "%u: %s", i, log.text);
		if (img)
			ppu_image_free(img);
		ppu_log_free(&log);
	}
}
END_TEST

/* Damaged text: messages, no crash (more of this in the fuzzer). */
START_TEST(test_damaged)
{
	size_t len, i;
	char *text = read_text("tests/ptx/hand.ptx", &len), *copy;
	unsigned s = 99, k;

	for (k = 0; k < 400; k++) {
		struct ppu_image *img;
		struct ppu_log log;

		copy = malloc(len);
		memcpy(copy, text, len);
		for (i = 0; i < 1 + k % 5; i++) {
			s = s * 1664525u + 1013904223u;
			copy[s % len] = text[(s >> 7) % len];
		}
		ppu_log_init(&log);
		if (!ppu_ptx_compile(copy, k % 3 ? len : s % len, "d.ptx", NULL, &img, &log))
			ppu_image_free(img);
		else
			ck_assert_ptr_eq(img, NULL);
		ck_assert_msg(!log.text || !strstr(log.text, "internal error"), "%s", log.text);
		ppu_log_free(&log);
		free(copy);
	}
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_golden");
	TCase *t = tcase_create("golden");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, test_shapes);
	tcase_add_test(t, test_fold);
	tcase_add_test(t, test_ir);
	tcase_add_test(t, test_all_passes);
	tcase_add_loop_test(t, test_verified, 0, NUM_SOURCES);
	tcase_add_loop_test(t, test_errors, 0, 3);
	tcase_add_test(t, test_undefined);
	tcase_add_test(t, test_lines);
	tcase_add_test(t, test_largest_offsets);
	tcase_add_test(t, test_damaged);
	suite_add_tcase(s, t);
	return run_suite(s);
}
