/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calllog.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void open_file(struct ppu_calllog *log)
{
	const char *path = getenv("PPU_CUDA_LOG");

	if (!path || !*path)
		return;
	log->file = path[0] == '-' && !path[1] ? stderr : fopen(path, "ae");
	if (!log->file)
		fprintf(stderr, "%s: PPU_CUDA_LOG: %s cannot be opened\n", log->library, path);
	else
		setvbuf(log->file, NULL, _IOLBF, 0);
}

bool ppu_calllog_on(struct ppu_calllog *log)
{
	if (!__atomic_load_n(&log->looked, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&lock);
		if (!log->looked)
			open_file(log);
		__atomic_store_n(&log->looked, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&lock);
	}
	return log->file;
}

static int format(char *line, size_t room, const struct ppu_arg *a)
{
	const uint32_t bits = (uint32_t)a->value;
	float f;

	switch (a->kind) {
	case PPU_ARG_INT:
		return snprintf(line, room, "%s=%" PRId64, a->name, (int64_t)a->value);
	case PPU_ARG_UINT:
		return snprintf(line, room, a->value < 1u << 24 ? "%s=%" PRIu64 : "%s=%#" PRIx64, a->name, a->value);
	case PPU_ARG_FLOAT:
		memcpy(&f, &bits, sizeof(f));
		return snprintf(line, room, "%s=%g", a->name, (double)f);
	case PPU_ARG_TRIPLE:
		return snprintf(line, room, "%s=(%u,%u,%u)", a->name, a->triple[0], a->triple[1], a->triple[2]);
	case PPU_ARG_STRING:
		if (a->value)
			return snprintf(line, room, "%s=\"%.60s\"", a->name, (const char *)(uintptr_t)a->value);
		/* fall through */
	default:
		return snprintf(line, room, a->value ? "%s=%#" PRIx64 : "%s=NULL", a->name, a->value);
	}
}

void ppu_calllog_write(struct ppu_calllog *log, const char *function, unsigned int num, const struct ppu_arg *args,
		       const char *result, const char *why)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "[%ld] %s(", syscall(SYS_gettid), function);

	for (unsigned int i = 0; i < num && n < (int)sizeof(line) - 160; i++) {
		if (i)
			n += snprintf(line + n, sizeof(line) - (size_t)n, ", ");
		n += format(line + n, sizeof(line) - (size_t)n, &args[i]);
	}
	fprintf(log->file, "%s) = %s%s%s\n", line, result ? result : "?", *why ? ": " : "", why);
}
