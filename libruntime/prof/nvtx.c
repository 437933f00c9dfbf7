/* SPDX-License-Identifier: MIT */
/*
 * Ranges of NVTX.  Our libnvToolsExt (libruntime/nvtx) keeps them, thread by thread, if the program has it; the profiler finds
 * it there, and asks it in which range a launch is made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
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

void prof_ranges_write(FILE *f)
{
	const char *is, *c;
	uint32_t parent;
	uint64_t count;
	int kind;

	for (uint32_t i = 1; text && (is = text(i, &parent, &kind, &count)); i++) {
		fprintf(f, "range number=%u parent=%u kind=%d count=%llu text=", i, parent, kind,
			(unsigned long long)count);
		for (c = is; *c; c++)
			fputc(*c == '\n' ? ' ' : *c, f);
		fputc('\n', f);
	}
}
