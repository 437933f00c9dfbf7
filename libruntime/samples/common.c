/* SPDX-License-Identifier: MIT */
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common.h"

#define MAX_ARGS	64

extern char **environ;

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

ppuEvent close_gate(ppuFunction gate, volatile uint32_t *go, ppuStream stream)
{
	void *word = (void *)(uintptr_t)go;
	ppuEvent opened;

	CHECK(ppuLaunchKernel(gate, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, stream, (void *[]){ &word }, NULL, 0));
	CHECK(ppuEventCreate(&opened, 0));
	CHECK(ppuEventRecord(opened, stream));
	return opened;
}

int run_ppu_trace(const char *const *args)
{
	char exe[PATH_MAX], tool[PATH_MAX + 32];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *argv[MAX_ARGS] = { "ppu-trace" };
	int status = -1;
	pid_t pid;

	for (unsigned n = 0; args[n] && n < MAX_ARGS - 2; n++)
		argv[n + 1] = args[n];
	exe[len > 0 ? len : 0] = 0;
	snprintf(tool, sizeof(tool), "%s/ppu-trace", dirname(exe));
	if (posix_spawn(&pid, tool, NULL, NULL, (char **)argv, environ) || waitpid(pid, &status, 0) < 0)
		status = -1;
	if (status)
		fprintf(stderr, "%s failed\n", tool);
	return !status;
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
