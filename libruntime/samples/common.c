/* SPDX-License-Identifier: MIT */
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include "common.h"

void check(ppuResult res, const char *what)
{
	if (!res)
		return;
	fprintf(stderr, "%s\n  %s: %s\n", what, ppuGetErrorName(res), ppuGetLastErrorDetail());
	exit(1);
}

ppuFunction load_kernel(const char *file, const char *kernel)
{
	char exe[PATH_MAX], path[PATH_MAX + 64];
	const char *dir = getenv("PPU_SAMPLES");
	ppuFunction fn;
	ppuModule mod;
	ssize_t n;

	if (dir) {
		snprintf(path, sizeof(path), "%s/%s.ptx", dir, file);
	} else {
		/* bin/sample-x beside samples/x.ptx */
		n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
		exe[n > 0 ? n : 0] = 0;
		snprintf(path, sizeof(path), "%s/../samples/%s.ptx", dirname(exe), file);
	}
	CHECK(ppuModuleLoad(&mod, path, NULL));
	CHECK(ppuModuleGetFunction(&fn, mod, kernel));
	return fn;
}

void *device_alloc(size_t bytes)
{
	void *p;

	CHECK(ppuMalloc(&p, bytes));
	return p;
}

void *host_alloc(size_t bytes)
{
	void *p;

	CHECK(ppuMallocHost(&p, bytes));
	return p;
}

int finish(int ok, const char *fmt, ...)
{
	va_list ap;

	printf("%s: ", ok ? "ok" : "FAILED");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	CHECK(ppuShutdown());
	return ok ? 0 : 1;
}

uint32_t next_random(uint32_t *state)
{
	uint32_t x = *state ? *state : 1;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}
