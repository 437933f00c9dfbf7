/* SPDX-License-Identifier: MIT */
/* The reader of fdinfo, from a directory made to look like /proc. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "usage/clients.h"
#include "run_suite.h"

#define HERE	"0000:00:04.0"

static char proc[] = "/tmp/ppu-XXXXXX";
static struct usage_client *list;

static void put(const char *text, const char *format, ...)
{
	char path[256];
	va_list args;
	FILE *f;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert(!fclose(f));
}

static void process(int pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	ck_assert(!mkdir(path, 0755));
	snprintf(path, sizeof(path), "%s/%d/fdinfo", proc, pid);
	ck_assert(!mkdir(path, 0755));
	put(name, "%s/%d/comm", proc, pid);
}

/* What ppu.ko writes (kmod/report/ppu_fdinfo.c), after the kernel's own lines. */
static void file(int pid, int fd, const char *driver, const char *pdev, unsigned id, unsigned ns, unsigned kib)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "pos:\t0\nflags:\t02100002\nmnt_id:\t24\nino:\t190\n"
		 "drm-driver:\t%s\ndrm-pdev:\t%s\ndrm-client-id:\t%u\n"
		 "drm-engine-compute:\t%u ns\ndrm-engine-copy:\t%u ns\ndrm-engine-queue:\t%u ns\n"
		 "drm-engine-capacity-copy:\t2\n"
		 "drm-total-vram:\t%u KiB\ndrm-shared-vram:\t1 KiB\ndrm-resident-vram:\t%u KiB\ndrm-purgeable-vram:\t0 KiB\n"
		 "drm-memory-vram:\t5 KiB\ndrm-total-memory:\t%u KiB\n",
		 driver, pdev, id, ns, ns + 1, ns + 2, kib + 1, kib, kib + 2);
	put(text, "%s/%d/fdinfo/%d", proc, pid, fd);
}

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(proc));
	list = NULL;
}

static void teardown(void)
{
	char command[64];

	free(list);
	snprintf(command, sizeof(command), "rm -r %s", proc);
	ck_assert(!system(command));
	strcpy(proc, "/tmp/ppu-XXXXXX");
}

START_TEST(every_field)
{
	process(17, "worker\n");
	file(17, 5, "ppu", HERE, 9, 3000000000u, 4194304);
	ck_assert_int_eq(usage_clients(proc, HERE, &list), 1);
	ck_assert_int_eq(list[0].pid, 17);
	ck_assert_uint_eq(list[0].id, 9);
	ck_assert_uint_eq(list[0].compute_ns, 3000000000u);
	ck_assert_uint_eq(list[0].copy_ns, 3000000001u);
	ck_assert_uint_eq(list[0].queue_ns, 3000000002u);
	ck_assert_uint_eq(list[0].vram, 4ull << 30);		/* more than 32 bits */
	ck_assert_uint_eq(list[0].vram_total, (4ull << 30) + 1024);
	ck_assert_uint_eq(list[0].system, (4ull << 30) + 2048);
	ck_assert_str_eq(list[0].name, "worker");
}
END_TEST

START_TEST(only_ours)
{
	process(3, "a\n");
	file(3, 0, "i915", HERE, 1, 1, 1);
	file(3, 1, "ppu", "0000:00:05.0", 2, 1, 1);
	file(3, 2, "ppu", HERE, 3, 1, 1);
	file(3, 3, "ppu2", HERE, 4, 1, 1);
	put("pos:\t0\nflags:\t0\n", "%s/3/fdinfo/4", proc);
	put("drm-driver:\tppu\ndrm-pdev:\t" HERE "\ndrm-client-id:\t7\n", "%s/3/fdinfo/no-number", proc);
	put("drm-driver:\tppu\ndrm-pdev:\t" HERE "\n", "%s/version", proc);
	ck_assert_int_eq(usage_clients(proc, HERE, &list), 1);
	ck_assert_uint_eq(list[0].id, 3);
}
END_TEST

/* A file that several descriptors share counts once, for the first process; the order is by process, then by file. */
START_TEST(shared_and_sorted)
{
	process(40, "child\n");
	process(5, "parent\n");
	process(200, "other\n");
	file(40, 3, "ppu", HERE, 8, 1, 1);
	file(5, 3, "ppu", HERE, 8, 1, 1);
	file(5, 4, "ppu", HERE, 8, 1, 1);
	file(5, 9, "ppu", HERE, 2, 1, 1);
	file(200, 3, "ppu", HERE, 1, 1, 1);
	ck_assert_int_eq(usage_clients(proc, HERE, &list), 3);
	ck_assert_int_eq(list[0].pid, 5);
	ck_assert_uint_eq(list[0].id, 2);
	ck_assert_int_eq(list[1].pid, 5);
	ck_assert_uint_eq(list[1].id, 8);
	ck_assert_str_eq(list[1].name, "parent");
	ck_assert_int_eq(list[2].pid, 200);
}
END_TEST

START_TEST(many)
{
	process(6, "many\n");
	for (unsigned i = 0; i < 100; i++)
		file(6, (int)i, "ppu", HERE, 1000 - i, i, i);
	ck_assert_int_eq(usage_clients(proc, HERE, &list), 100);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(list[i].id, 901 + i);
}
END_TEST

/* What a process calls itself is text of a stranger: no character that a terminal obeys. */
START_TEST(names)
{
	process(1, "\033[2Jx\n");
	process(2, "");
	process(4, "a name of more than thirty-one characters, cut\n");
	for (int pid = 1; pid <= 4; pid += pid)
		file(pid, 1, "ppu", HERE, (unsigned)pid, 1, 1);
	ck_assert_int_eq(usage_clients(proc, HERE, &list), 3);
	ck_assert_str_eq(list[0].name, "?[2Jx");
	ck_assert_str_eq(list[1].name, "");
	ck_assert_str_eq(list[2].name, "a name of more than thirty-one ");
}
END_TEST

START_TEST(nothing_there)
{
	ck_assert_int_eq(usage_clients(proc, HERE, &list), 0);
	ck_assert_ptr_null(list);
	ck_assert_int_eq(usage_clients("/nowhere", HERE, &list), -ENOENT);
	ck_assert_ptr_null(list);
}
END_TEST

/* A file is compared with itself, whoever has it now; one that is new counts from its beginning. */
START_TEST(since_before)
{
	const struct usage_client old[] = {
		{ .pid = 3, .id = 8, .compute_ns = 100, .copy_ns = 50, .queue_ns = 9 },
		{ .pid = 4, .id = 9, .compute_ns = 1000, .copy_ns = 1000, .queue_ns = 1000 },
	};
	struct usage_client c = { .pid = 5, .id = 8, .compute_ns = 130, .copy_ns = 50, .queue_ns = 10, .vram = 4096 }, d;

	d = usage_since(&c, old, 2);
	ck_assert_uint_eq(d.compute_ns, 30);
	ck_assert_uint_eq(d.copy_ns, 0);
	ck_assert_uint_eq(d.queue_ns, 1);
	ck_assert_uint_eq(d.vram, 4096);
	ck_assert_int_eq(d.pid, 5);
	c.id = 7;
	d = usage_since(&c, old, 2);
	ck_assert_uint_eq(d.compute_ns, 130);
	c.id = 9;
	d = usage_since(&c, old, 2);
	ck_assert_uint_eq(d.compute_ns, 0);		/* never less than nothing */
}
END_TEST

START_TEST(percent)
{
	ck_assert_uint_eq(usage_percent(0, 0), 0);
	ck_assert_uint_eq(usage_percent(5, 0), 0);
	ck_assert_uint_eq(usage_percent(0, 9), 0);
	ck_assert_uint_eq(usage_percent(1, 200), 1);		/* rounded */
	ck_assert_uint_eq(usage_percent(1, 201), 0);
	ck_assert_uint_eq(usage_percent(99, 100), 99);
	ck_assert_uint_eq(usage_percent(7, 7), 100);
	ck_assert_uint_eq(usage_percent(8, 7), 100);
	ck_assert_uint_eq(usage_percent(UINT64_MAX / 2, UINT64_MAX), 50);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		every_field, only_ours, shared_and_sorted, many, names, nothing_there, since_before,
		percent,
	};
	Suite *suite = suite_create("clients");
	TCase *c = tcase_create("clients");

	tcase_add_checked_fixture(c, setup, teardown);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(suite, c);
	return run_suite(suite);
}
