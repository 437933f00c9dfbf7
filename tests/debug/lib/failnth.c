/* SPDX-License-Identifier: MIT */
#include "failnth.h"
#include "harness.h"

static int fd = -1;

static void set(const char *path, const char *text)
{
	int f = open(path, O_WRONLY);

	if (f < 0 || write(f, text, strlen(text)) != (ssize_t)strlen(text))
		FAIL("%s: %s (is this the debug kernel?)", path, strerror(errno));
	close(f);
}

void failnth_setup(void)
{
	static const char *const what[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[128];

	for (unsigned i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", what[i]);
		set(path, "0");
	}
	/* Only in the slab caches that the kernel's command line names (scripts/check). */
	set("/sys/kernel/debug/failslab/cache-filter", "Y");
	/* Sleeping allocations fail, too; single pages, too. */
	set("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	set("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	set("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	set("/sys/kernel/debug/fail_page_alloc/min-order", "0");
}

void failnth_arm(unsigned n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (fd < 0)
		fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(write(fd, text, (size_t)len) == len);
}

bool failnth_disarm(void)
{
	char text[16] = "";
	ssize_t got;

	/* These calls have such points themselves: if points are left to fail, these calls may fail. */
	got = pread(fd, text, sizeof(text) - 1, 0);
	while (write(fd, "0", 1) != 1)
		;
	return got > 0 && atoi(text) == 0;
}
