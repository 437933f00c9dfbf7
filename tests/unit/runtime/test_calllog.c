/* SPDX-License-Identifier: MIT */
/* The log of API calls (PPU_CUDA_LOG): when it is on, and its lines. */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/calllog.h"
#include "run_suite.h"

static char path[] = "/tmp/calllog-XXXXXX";
static struct ppu_calllog log_of = { .library = "libtest" };

static void setup(void)
{
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	setenv("PPU_CUDA_LOG", path, 1);
}

static void teardown(void)
{
	if (log_of.file && log_of.file != stderr)
		fclose(log_of.file);
	unlink(path);
}

/* All that is in the file; the line buffer is written with each line. */
static const char *file(void)
{
	static char text[16384];
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	return text;
}

static const char *line(const char *rest)
{
	static char text[512];

	snprintf(text, sizeof(text), "[%ld] %s\n", (long)gettid(), rest);
	return text;
}

/* The environment is asked once, whatever it says later. */
START_TEST(looked_once)
{
	FILE *first;

	ck_assert(ppu_calllog_on(&log_of));
	first = log_of.file;
	setenv("PPU_CUDA_LOG", "/nowhere/log", 1);
	ck_assert(ppu_calllog_on(&log_of));
	unsetenv("PPU_CUDA_LOG");
	ck_assert(ppu_calllog_on(&log_of));
	ck_assert_ptr_eq(log_of.file, first);
	ppu_calllog_write(&log_of, "call", 0, NULL, "OK", "");
	ck_assert_str_eq(file(), line("call() = OK"));
}
END_TEST

START_TEST(off)
{
	struct ppu_calllog empty = { .library = "libtest" }, nowhere = { .library = "libtest" };

	unsetenv("PPU_CUDA_LOG");
	ck_assert(!ppu_calllog_on(&log_of));
	setenv("PPU_CUDA_LOG", path, 1);
	ck_assert(!ppu_calllog_on(&log_of));		/* too late */
	setenv("PPU_CUDA_LOG", "", 1);
	ck_assert(!ppu_calllog_on(&empty));
	setenv("PPU_CUDA_LOG", "/nowhere/log", 1);
	ck_assert(!ppu_calllog_on(&nowhere));
	setenv("PPU_CUDA_LOG", "-", 1);
	ck_assert(!ppu_calllog_on(&nowhere));		/* was looked at */
	nowhere.looked = false;
	ck_assert(ppu_calllog_on(&nowhere));
	ck_assert_ptr_eq(nowhere.file, stderr);
}
END_TEST

/* What is there stays; a name that begins with - is one. */
START_TEST(appends)
{
	struct ppu_calllog minus = { .library = "libtest" };
	FILE *f = fopen(path, "w");
	char dir[] = "/tmp/calllog-dir-XXXXXX";
	struct stat st;

	fputs("before\n", f);
	fclose(f);
	ck_assert(ppu_calllog_on(&log_of));
	ppu_calllog_write(&log_of, "call", 0, NULL, "OK", "");
	ck_assert(!strncmp(file(), "before\n[", 8));
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	setenv("PPU_CUDA_LOG", "-x", 1);
	ck_assert(ppu_calllog_on(&minus));
	ck_assert_ptr_ne(minus.file, stderr);
	ck_assert_int_eq(stat("-x", &st), 0);
	fclose(minus.file);
	unlink("-x");
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(dir);
}
END_TEST

START_TEST(arguments)
{
	static const char sixty[] = "123456789012345678901234567890123456789012345678901234567890";
	char long_text[80], want[200];
	const struct {
		struct ppu_arg arg;
		const char *text;
	} t[] = {
		{ ppu_arg_int("a", -3), "a=-3" }, { ppu_arg_int("a", INT64_MIN), "a=-9223372036854775808" },
		{ ppu_arg_uint("b", (1u << 24) - 1), "b=16777215" }, { ppu_arg_uint("b", 1u << 24), "b=0x1000000" },
		{ ppu_arg_uint("b", 0), "b=0" }, { ppu_arg_float("c", 1.5f), "c=1.5" }, { ppu_arg_float("c", -0.25f), "c=-0.25" },
		{ ppu_arg_triple("d", 1, 20, 300), "d=(1,20,300)" }, { ppu_arg_string("e", "text"), "e=\"text\"" },
		{ ppu_arg_string("e", ""), "e=\"\"" }, { ppu_arg_string("e", NULL), "e=NULL" },
		{ ppu_arg_pointer("f", (void *)0x1230), "f=0x1230" }, { ppu_arg_pointer("f", NULL), "f=NULL" },
	};
	struct ppu_arg two[2], cut;

	ck_assert(ppu_calllog_on(&log_of));
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		ck_assert_int_eq(ftruncate(fileno(log_of.file), 0), 0);
		ppu_calllog_write(&log_of, "call", 1, &t[i].arg, "OK", "");
		snprintf(want, sizeof(want), "call(%s) = OK", t[i].text);
		ck_assert_str_eq(file(), line(want));
	}
	two[0] = t[0].arg;
	two[1] = t[8].arg;
	ck_assert_int_eq(ftruncate(fileno(log_of.file), 0), 0);
	ppu_calllog_write(&log_of, "call", 2, two, NULL, "no reason");
	ck_assert_str_eq(file(), line("call(a=-3, e=\"text\") = ?: no reason"));
	/* of a long string the beginning */
	snprintf(long_text, sizeof(long_text), "%sX", sixty);
	cut = ppu_arg_string("e", long_text);
	ck_assert_int_eq(ftruncate(fileno(log_of.file), 0), 0);
	ppu_calllog_write(&log_of, "call", 1, &cut, "OK", "");
	snprintf(want, sizeof(want), "call(e=\"%s\") = OK", sixty);
	ck_assert_str_eq(file(), line(want));
}
END_TEST

/* Arguments without end: those that fit, in one line. */
START_TEST(long_lines)
{
	struct ppu_arg many[40];
	const char *text;
	unsigned n = 0;

	ck_assert(ppu_calllog_on(&log_of));
	for (unsigned i = 0; i < 40; i++)
		many[i] = ppu_arg_string("name", "0123456789012345678901234567890123456789");
	ppu_calllog_write(&log_of, "call", 40, many, "OK", "");
	text = file();
	ck_assert_str_eq(text + strlen(text) - 8, "\") = OK\n");
	for (const char *at = text; (at = strstr(at, "name=\"0123456789012345678901234567890123456789\"")); at++)
		n++;
	/* a line of 1024 bytes, of which the last 160 are for the end */
	ck_assert_uint_ge(n, (1024 - 160) / 49);
	ck_assert_uint_le(n, 1024 / 49);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("calllog");
	TCase *t = tcase_create("calllog");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, looked_once);
	tcase_add_test(t, off);
	tcase_add_test(t, appends);
	tcase_add_test(t, arguments);
	tcase_add_test(t, long_lines);
	suite_add_tcase(su, t);
	return run_suite(su);
}
