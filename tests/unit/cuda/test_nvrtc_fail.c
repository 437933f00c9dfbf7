/* SPDX-License-Identifier: MIT */
/*
 * libnvrtc when something around it fails: the n-th allocation, for n = 1, 2, ... until none does; the compiler; the
 * directory for its files.  Each failure has its error, a call works when it is made again, and no file is left.
 *
 * Two scripts stand for clang and ppu-cc, so that hundreds of calls take no time; they write down how they were called.  The
 * program is linked with --wrap for the functions below.
 */
#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/nvrtc.h"

#include "run_suite.h"

static unsigned left;	/* the allocation that fails, counted down; 0: none */

static void *kept;	/* the block that stays as it is when it is freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void __real_free(void *p);
int __real_vasprintf(char **s, const char *format, va_list list);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
void __wrap_free(void *p);
int __wrap_vasprintf(char **s, const char *format, va_list list);
int __wrap_asprintf(char **s, const char *format, ...);

static bool fails(void)
{
	return left && !--left;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
	return fails() ? NULL : __real_strndup(s, n);
}

void __wrap_free(void *p)
{
	if (!p || p != kept)
		__real_free(p);
}

int __wrap_vasprintf(char **s, const char *format, va_list list)
{
	return fails() ? -1 : __real_vasprintf(s, format, list);
}

int __wrap_asprintf(char **s, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = __wrap_vasprintf(s, format, list);
	va_end(list);
	return n;
}

/* ---- the scene ------------------------------------------------------------------------------------- */

static char place[64], buffer[1 << 14];

static const char *in_place(const char *name)
{
	static char path[4][128];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", place, name);
	return p;
}

static void script(const char *name, const char *text)
{
	const char *path = in_place(name);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s", text);
	fclose(f);
	ck_assert_int_eq(chmod(path, 0700), 0);
}

static const char *text_of(const char *name)
{
	FILE *f = fopen(in_place(name), "r");
	size_t n = f ? fread(buffer, 1, sizeof(buffer) - 1, f) : 0;

	if (f)
		fclose(f);
	buffer[n] = 0;
	return buffer;
}

/* Both say something, with a path below the directory of the call. */
#define CLANG \
	"for a; do if [ \"$last\" = -o ]; then out=$a; fi; last=$a; done\n" \
	"echo \"$@\" >$PLACE/clang.args; cat \"$last\" >$PLACE/source\n" \
	"h=$(dirname \"$last\")/headers; if [ -e $h/in/a.h ]; then cat $h/in/a.h >$PLACE/header; fi\n" \
	"echo \"$h/in/a.h: said by clang\"\n"
#define PTX \
	"printf '.version 6.3\\n.visible .global .align 8 .u64 ppu_nvrtc_name_0 = generic(_Z3oneIiEvv);\\n" \
	".visible .global .align 8 .u64 ppu_nvrtc_name_1 = _ZN1a1bE;\\n// end\\n' >\"$out\"\n"
#define PPU_CC \
	"for a; do if [ \"$last\" = -o ]; then out=$a; fi; last=$a; done\n" \
	"echo \"$@\" >$PLACE/cc.args; cat \"$last\" >$PLACE/ptx; echo \"$last: said by ppu-cc\"\n"

static void scene(const char *clang, const char *cc)
{
	snprintf(place, sizeof(place), "/tmp/nvrtc-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(place));
	ck_assert_int_eq(mkdir(in_place("bin"), 0700), 0);
	ck_assert_int_eq(mkdir(in_place("tmp"), 0700), 0);
	setenv("PLACE", place, 1);
	setenv("PPU_CUDA_PATH", place, 1);
	setenv("TMPDIR", in_place("tmp"), 1);
	setenv("CLANGXX", in_place("clang"), 1);
	script("clang", clang);
	script("bin/ppu-cc", cc);
}

static void scene_end(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", place);
	ck_assert_int_eq(system(command), 0);
}

static int files = -1;

/* Nothing is left of a call: no file, and no number of an open one. */
static void check_clean(void)
{
	DIR *d = opendir(in_place("tmp"));
	struct dirent *e;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)))
		ck_assert_msg(e->d_name[0] == '.', "%s is left", e->d_name);
	ck_assert_msg(files < 0 || files == dirfd(d), "file %d is left open", files);
	files = dirfd(d);	/* the lowest number that is free */
	closedir(d);
}

static const char *log_of(nvrtcProgram p)
{
	size_t bytes;

	ck_assert_int_eq(nvrtcGetProgramLogSize(p, &bytes), NVRTC_SUCCESS);
	ck_assert_uint_le(bytes, sizeof(buffer));
	ck_assert_int_eq(nvrtcGetProgramLog(p, buffer), NVRTC_SUCCESS);
	return buffer;
}

static const char *const names[] = { "in/a.h", "b.h" }, *const texts[] = { "header a\n", "header b\n" };
static const char *const options[] = { "-arch=sm_75", "--maxrregcount=40", "-DX=1", "-rdc=true", "-default-device" };

static nvrtcProgram program(void)
{
	nvrtcProgram p = NULL;

	ck_assert_int_eq(nvrtcCreateProgram(&p, "source text\n", "dir/name.cu", 2, texts, names), NVRTC_SUCCESS);
	ck_assert_int_eq(nvrtcAddNameExpression(p, "one<int>"), NVRTC_SUCCESS);
	ck_assert_int_eq(nvrtcAddNameExpression(p, "&a::b"), NVRTC_SUCCESS);
	return p;
}

/* What a call that worked leaves. */
static void check_all(nvrtcProgram p)
{
	const char *s;
	size_t bytes;

	ck_assert_int_eq(nvrtcGetLoweredName(p, "one<int>", &s), NVRTC_SUCCESS);
	ck_assert_str_eq(s, "_Z3oneIiEvv");
	ck_assert_int_eq(nvrtcGetLoweredName(p, "&a::b", &s), NVRTC_SUCCESS);
	ck_assert_str_eq(s, "_ZN1a1bE");
	ck_assert_int_eq(nvrtcGetPTX(p, buffer), NVRTC_SUCCESS);
	ck_assert_str_eq(buffer, ".version 6.3\n// end\n");
	ck_assert_int_eq(nvrtcGetPTXSize(p, &bytes), NVRTC_SUCCESS);
	ck_assert_uint_eq(bytes, strlen(buffer) + 1);
	ck_assert_int_eq(nvrtcGetCUBINSize(p, &bytes), NVRTC_SUCCESS);
	ck_assert_uint_eq(bytes, 5);
	ck_assert_int_eq(nvrtcGetCUBIN(p, buffer), NVRTC_SUCCESS);
	ck_assert_int_eq(memcmp(buffer, "IMAGE", 5), 0);
}

#define IMAGE "printf IMAGE >\"$out\"\n"

/* ---- memory ---------------------------------------------------------------------------------------- */

static unsigned refused;

START_TEST(memory)
{
	nvrtcProgram p = NULL;
	unsigned n = 0;
	nvrtcResult r;
	bool failed;

	scene(CLANG PTX, PPU_CC IMAGE);
	do {	/* a program that was made is dropped */
		left = ++n;
		r = nvrtcCreateProgram(&p, "source text\n", "dir/name.cu", 2, texts, names);
		failed = !left;
		left = 0;
		ck_assert_int_eq(r, failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS);
	} while (r);
	ck_assert_uint_eq(n, 9);	/* program, source, name, list of headers, two for each header; none */
	for (n = 1; ; n++) {
		left = n;
		r = nvrtcAddNameExpression(p, "one<int>");
		failed = !left;
		left = 0;
		ck_assert_int_eq(r, failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS);
		if (!r)
			break;
	}
	ck_assert_uint_eq(n, 3);
	ck_assert_int_eq(nvrtcAddNameExpression(p, "&a::b"), NVRTC_SUCCESS);
	/* An allocation of the log may fail without harm to the rest. */
	for (n = 1; ; n++) {
		left = n;
		r = nvrtcCompileProgram(p, 5, options);
		failed = !left;
		left = 0;
		if (r) {
			ck_assert_msg(failed && r == NVRTC_ERROR_OUT_OF_MEMORY, "allocation %u: %d %s", n, r, log_of(p));
			ck_assert_int_eq(nvrtcGetPTX(p, buffer), NVRTC_ERROR_INVALID_PROGRAM);
			ck_assert_int_eq(nvrtcGetCUBIN(p, buffer), NVRTC_ERROR_INVALID_PROGRAM);
			refused++;
		} else {
			check_all(p);
		}
		check_clean();
		if (!failed)
			break;
	}
	ck_assert_uint_gt(refused, 60);
	ck_assert_str_eq(log_of(p), "in/a.h: said by clang\nptx: said by ppu-cc\n");
	ck_assert_int_eq(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
	ck_assert_ptr_null(p);
	scene_end();
}
END_TEST

/* ---- what the compilers get ------------------------------------------------------------------------ */

START_TEST(calls)
{
	nvrtcProgram p;
	const char *s;

	scene(CLANG PTX, PPU_CC IMAGE);
	p = program();
	ck_assert_int_eq(nvrtcCompileProgram(p, 5, options), NVRTC_SUCCESS);
	check_all(p);
	s = text_of("clang.args");
	ck_assert_msg(strstr(s, "-fgpu-rdc") && strstr(s, " -DX=1 ") && !strstr(s, " -I dir ") && strstr(s, " -Idir ") &&
		      strstr(s, " -D__CUDACC_VER_MAJOR__=12 ") && !strstr(s, "40"), "%s", s);
	s = text_of("source");
	ck_assert_msg(!strncmp(s, "#pragma clang force_cuda_host_device begin\n", 43) &&
		      strstr(s, "#line 1 \"dir/name.cu\"\nsource text\n\n#pragma clang force_cuda_host_device end\n") &&
		      strstr(s, "#line 1 \"name expression one<int>\"\n") && strstr(s, "ppu_nvrtc_name_1 = (const void *)(&a::b); }\n"),
		      "%s", s);
	ck_assert_str_eq(text_of("header"), "header a\n");
	s = text_of("cc.args");
	ck_assert_msg(!strncmp(s, "-c --max-regs 40 -o ", 20), "%s", s);
	ck_assert_str_eq(text_of("ptx"), ".version 6.3\n// end\n");
	/* Without options nothing of these, and no image. */
	remove(in_place("cc.args"));
	ck_assert_int_eq(nvrtcCompileProgram(p, 0, NULL), NVRTC_SUCCESS);
	ck_assert_ptr_null(strstr(text_of("clang.args"), "-fgpu-rdc"));
	ck_assert_ptr_null(strstr(text_of("source"), "#pragma"));
	ck_assert_str_eq(text_of("cc.args"), "");
	ck_assert_str_eq(log_of(p), "in/a.h: said by clang\n");
	check_clean();
	nvrtcDestroyProgram(&p);
	scene_end();
}
END_TEST

/* ---- what fails around it -------------------------------------------------------------------------- */

static const struct {
	const char *clang, *cc, *env, *value;
	nvrtcResult result;
	const char *log;
} cases[] = {
	{ CLANG "exit 1\n", PPU_CC IMAGE, NULL, NULL, NVRTC_ERROR_COMPILATION, "in/a.h: said by clang\n" },
	{ CLANG PTX "exit 3\n", PPU_CC IMAGE, NULL, NULL, NVRTC_ERROR_COMPILATION, "in/a.h: said by clang\n" },
	{ CLANG PTX "kill -9 $$\n", PPU_CC IMAGE, NULL, NULL, NVRTC_ERROR_COMPILATION, "in/a.h: said by clang\n" },
	{ CLANG, PPU_CC IMAGE, NULL, NULL, NVRTC_ERROR_INTERNAL_ERROR, "in/a.h: said by clang\n" },
	{ CLANG "echo >\"$out\"\n", PPU_CC IMAGE, NULL, NULL, NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
	  "in/a.h: said by clang\n" },
	{ CLANG PTX, PPU_CC "exit 1\n", NULL, NULL, NVRTC_ERROR_COMPILATION, "ptx: said by ppu-cc\n" },
	{ CLANG PTX, PPU_CC, NULL, NULL, NVRTC_ERROR_INTERNAL_ERROR, "ptx: said by ppu-cc\n" },
	{ CLANG PTX, PPU_CC IMAGE, "CLANGXX", "/nowhere/clang", NVRTC_ERROR_BUILTIN_OPERATION_FAILURE,
	  "nvrtc: error: /nowhere/clang is not there: install the package clang" },
	{ CLANG PTX, PPU_CC IMAGE, "TMPDIR", "/nowhere", NVRTC_ERROR_BUILTIN_OPERATION_FAILURE,
	  "nvrtc: error: /nowhere/nvrtc-" },
	{ CLANG PTX, PPU_CC IMAGE, "PPU_CUDA_PATH", "/nowhere", NVRTC_ERROR_BUILTIN_OPERATION_FAILURE,
	  "name it in PPU_CUDA_PATH" },
};

START_TEST(around)
{
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		nvrtcProgram p;
		nvrtcResult r;

		scene(cases[i].clang, cases[i].cc);
		p = program();
		if (cases[i].env)
			setenv(cases[i].env, cases[i].value, 1);
		r = nvrtcCompileProgram(p, 5, options);
		ck_assert_msg(r == cases[i].result && strstr(log_of(p), cases[i].log), "case %u: %d %s", i, r, log_of(p));
		ck_assert_int_eq(nvrtcGetPTX(p, buffer), NVRTC_ERROR_INVALID_PROGRAM);
		check_clean();
		/* The same program works as soon as what is around it does. */
		setenv("PPU_CUDA_PATH", place, 1);
		setenv("TMPDIR", in_place("tmp"), 1);
		setenv("CLANGXX", in_place("clang"), 1);
		script("clang", CLANG PTX);
		script("bin/ppu-cc", PPU_CC IMAGE);
		ck_assert_int_eq(nvrtcCompileProgram(p, 5, options), NVRTC_SUCCESS);
		check_all(p);
		nvrtcDestroyProgram(&p);
		scene_end();
	}
	/* ppu-cc is missing */
	scene(CLANG PTX, "");
	remove(in_place("bin/ppu-cc"));
	{
		nvrtcProgram p = program();

		ck_assert_int_eq(nvrtcCompileProgram(p, 5, options), NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
		ck_assert_msg(strstr(log_of(p), "bin/ppu-cc is not there\n") != NULL, "%s", buffer);
		check_clean();
		nvrtcDestroyProgram(&p);
	}
	scene_end();
	/* launches.awk is missing, in a source or in a header; what has no launch does not need it */
	for (unsigned i = 0; i < 4; i++) {
		const char *launch = i & 1 ? "k<< <1, 1>> >()" : "1 << 2 < 3", *source = i & 2 ? launch : "", *header = i & 2 ? "" : launch;
		nvrtcProgram p;

		scene(CLANG PTX, PPU_CC IMAGE);
		ck_assert_int_eq(nvrtcCreateProgram(&p, source, NULL, 1, &header, names), NVRTC_SUCCESS);
		ck_assert_int_eq(nvrtcCompileProgram(p, 0, NULL), i & 1 ? NVRTC_ERROR_BUILTIN_OPERATION_FAILURE : NVRTC_SUCCESS);
		ck_assert_msg(!(i & 1) || strstr(log_of(p), "bin/launches.awk failed\n"), "%s", buffer);
		check_clean();
		nvrtcDestroyProgram(&p);
		scene_end();
	}
}
END_TEST

/* No room for a file: said, whether the text is long or short, in the source or in a header. */
START_TEST(full)
{
	static char text[1 << 16];
	struct rlimit was, none;
	nvrtcProgram p;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	memset(text, '\n', sizeof(text) - 1);
	scene(CLANG PTX, PPU_CC IMAGE);
	for (unsigned i = 0; i < 4; i++) {
		const char *header = i & 1 ? text : "short";

		ck_assert_int_eq(nvrtcCreateProgram(&p, i & 1 ? text : "", NULL, i >= 2, &header, names), NVRTC_SUCCESS);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
		ck_assert_int_eq(nvrtcCompileProgram(p, 0, NULL), NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &was), 0);
		check_clean();
		ck_assert_int_eq(nvrtcCompileProgram(p, 0, NULL), NVRTC_SUCCESS);
		nvrtcDestroyProgram(&p);
	}
	scene_end();
}
END_TEST

/* A program that was destroyed is none, and every function says so, as long as its memory is nobody else's. */
START_TEST(destroyed)
{
	nvrtcProgram p, old;
	const char *s;
	size_t bytes;

	scene(CLANG PTX, PPU_CC IMAGE);
	p = program();
	ck_assert_int_eq(nvrtcCompileProgram(p, 5, options), NVRTC_SUCCESS);
	old = p;
	kept = p;
	ck_assert_int_eq(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
	ck_assert_ptr_null(p);
	ck_assert_int_eq(nvrtcDestroyProgram(&p), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcAddNameExpression(old, "x"), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetLoweredName(old, "one<int>", &s), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcCompileProgram(old, 0, NULL), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetPTXSize(old, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetPTX(old, buffer), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetCUBINSize(old, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetCUBIN(old, buffer), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetProgramLogSize(old, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_int_eq(nvrtcGetProgramLog(old, buffer), NVRTC_ERROR_INVALID_PROGRAM);
	p = old;
	ck_assert_int_eq(nvrtcDestroyProgram(&p), NVRTC_ERROR_INVALID_PROGRAM);
	ck_assert_ptr_eq(p, old);
	kept = NULL;
	__real_free(old);
	scene_end();
}
END_TEST

/* Names of headers stay in their directory; text that cannot be written there is said. */
START_TEST(header_names)
{
	static const char *const bad[] = { "", "/etc/x", "a/", "../x", "a/../x", "a/..", ".." };
	static const char *const good[] = { "a..b", "..a", "a..", "a/b/c/d.h", "x" };
	static const char *const clash[] = { "a", "a/b" };
	nvrtcProgram p;

	scene(CLANG PTX, PPU_CC IMAGE);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(nvrtcCreateProgram(&p, "", NULL, 1, texts, &bad[i]) == NVRTC_ERROR_INVALID_INPUT, "'%s'", bad[i]);
	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(!nvrtcCreateProgram(&p, "", NULL, 1, texts, &good[i]), "'%s'", good[i]);
		ck_assert_msg(!nvrtcCompileProgram(p, 0, NULL), "'%s': %s", good[i], log_of(p));
		nvrtcDestroyProgram(&p);
	}
	ck_assert_int_eq(nvrtcCreateProgram(&p, "", NULL, 2, texts, clash), NVRTC_SUCCESS);	/* a file and a directory */
	ck_assert_int_eq(nvrtcCompileProgram(p, 0, NULL), NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
	ck_assert_msg(strstr(log_of(p), "/a/b: ") != NULL, "%s", buffer);
	check_clean();
	nvrtcDestroyProgram(&p);
	scene_end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("nvrtc_fail");
	TCase *t = tcase_create("nvrtc_fail");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, memory);
	tcase_add_test(t, calls);
	tcase_add_test(t, around);
	tcase_add_test(t, full);
	tcase_add_test(t, destroyed);
	tcase_add_test(t, header_names);
	suite_add_tcase(s, t);
	return run_suite(s);
}
