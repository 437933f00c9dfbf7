/* SPDX-License-Identifier: MIT */
/*
 * Ranges of NVTX.  Our libnvToolsExt (libruntime/nvtx) keeps them, thread by thread, if the program has it; the profiler finds
 * it there, and asks it in which range a launch is made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/state.h"

static uint32_t (*current)(void);
static const char *(*text)(uint32_t number, uint32_t *parent, int *kind, uint64_t *count);

void prof_range_ready(void)
{
	*(void **)(void *)&current = dlsym(RTLD_DEFAULT, "ppu_nvtx_current");
	*(void **)(void *)&text = dlsym(RTLD_DEFAULT, "ppu_nvtx_range");
}

uint32_t prof_range(void)
{
	return current ? current() : 0;
}

/* How often they were entered since they were written before, for a device that was opened before. */
static uint64_t since(uint32_t number, uint64_t count)
{
	static uint64_t *told;
	static uint32_t num;
	uint64_t before = 0;

	if (number > num) {
		uint32_t n = number + number / 2 + 64;
		uint64_t *v = realloc(told, n * sizeof(*v));

		if (!v)
			return count;
		memset(v + num, 0, (n - num) * sizeof(*v));
		told = v;
		num = n;
	}
	before = told[number - 1];
	told[number - 1] = count;
	return count - before;
}

/* All of them, since launches have their numbers. */
void prof_ranges_write(FILE *f)
{
	const char *is, *c;
	uint32_t parent;
	uint64_t count;
	int kind;

	for (uint32_t i = 1; text && (is = text(i, &parent, &kind, &count)); i++) {
		fprintf(f, "range number=%u parent=%u kind=%d count=%llu text=", i, parent, kind,
			(unsigned long long)since(i, count));
		for (c = is; *c; c++)
			fputc(*c == '\n' ? ' ' : *c, f);
		fputc('\n', f);
	}
}
