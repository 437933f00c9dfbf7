/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "check/stack.h"
#include "check/symbol.h"

#define DEPTH 48

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* The file that this code is in; NULL: the program itself, into which the runtime was linked. */
static const void *ourselves(void)
{
	Dl_info us, program;

	if (!dladdr((void *)(uintptr_t)chk_stack_take, &us))
		return NULL;
	if (dladdr((void *)getauxval(AT_PHDR), &program) && program.dli_fbase == us.dli_fbase)
		return NULL;
	return us.dli_fbase;
}

/* cuMemAlloc_v2 and cuMemAllocAsync_ptsz are other names of what the program calls. */
static void name_api(struct chk_stack *s, const char *name)
{
	static const char *const ends[] = { "_ptsz", "_ptds", "_v2", "_v3" };

	snprintf(s->api, sizeof(s->api), "%s", name);
	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(s->api), e = strlen(ends[i]);

		if (n > e && !strcmp(s->api + n - e, ends[i]))
			s->api[n - e] = 0;
	}
}

static bool is_library(const Dl_info *in, const void *us)
{
	return in->dli_fbase == us || !strncmp(base_name(in->dli_fname), "libcudart.", 10);
}

void chk_stack_take(struct chk_stack *s)
{
	const void *us = ourselves();
	void *pc[DEPTH];
	int n = backtrace(pc, DEPTH), first = 0;
	Dl_info in;

	memset(s, 0, sizeof(*s));
	while (us && first < n && dladdr((char *)pc[first] - 1, &in) && is_library(&in, us)) {
		if (in.dli_sname)
			name_api(s, in.dli_sname);
		first++;
	}
	if (!us)
		first = 2;		/* this function and who asked for it */
	for (; first < n && s->n < CHK_FRAMES; first++)
		s->frame[s->n++] = pc[first];
}

void chk_stack_text(const struct chk_stack *s, unsigned i, char *buf, size_t len)
{
	char *at = (char *)s->frame[i] - 1, name[256], plain[256];	/* inside the call, not behind it */
	size_t off;
	Dl_info in;

	if (!dladdr(at, &in)) {
		snprintf(buf, len, "%p", (void *)at);
		return;
	}
	if (chk_symbol(in.dli_fname, (uintptr_t)in.dli_fbase, (uintptr_t)at, name, sizeof(name), &off)) {
		;
	} else if (in.dli_sname) {
		snprintf(name, sizeof(name), "%s", in.dli_sname);
		off = (size_t)(at - (char *)in.dli_saddr);
	} else {
		snprintf(buf, len, "%s+0x%zx", base_name(in.dli_fname), (size_t)(at - (char *)in.dli_fbase));
		return;
	}
	chk_demangle(name, plain, sizeof(plain));
	snprintf(buf, len, "%s in %s+0x%zx", base_name(in.dli_fname), plain, off);
}
