/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <execinfo.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "check/stack.h"
#include "check/symbol.h"

#define DEPTH	48
#define FILES	16

/* Some bytes of a file, as mapped. */
struct part {
	uintptr_t from, to;
	uintptr_t base;			/* where its first byte is */
	bool ours;
};

/* Where addresses were found before, the last ones.  A file that was unloaded since may be there still: then a stack begins
 * one call too early or too late. */
static struct part parts[FILES];
static unsigned num_parts;
static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The mapping of a file that has this byte: what it is, and its path (PATH_MAX bytes). */
static bool mapping_of(uintptr_t at, struct part *p, char *path)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char *line = NULL, first[PATH_MAX] = "";
	unsigned long from, to, off;
	bool found = false;
	uintptr_t base = 0;
	size_t cap = 0;
	int name;

	while (f && !found && getline(&line, &cap, f) >= 0) {
		name = 0;
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &from, &to, &off, &name) < 3 || !name || line[name] != '/')
			continue;
		line[name + (int)strcspn(line + name, "\n")] = 0;
		if (!off || strcmp(first, line + name) != 0) {
			base = from - off;
			snprintf(first, sizeof(first), "%s", line + name);
		}
		found = at >= from && at < to;
		if (found) {
			*p = (struct part){ from, to, base, false };
			snprintf(path, PATH_MAX, "%s", line + name);
		}
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Is the runtime a part of the program itself? */
static bool is_linked_in(void)
{
	char us[PATH_MAX], program[PATH_MAX];
	struct part p;

	return !mapping_of((uintptr_t)chk_stack_take, &p, us) || (mapping_of(getauxval(AT_PHDR), &p, program) && !strcmp(us, program));
}

/* Is this code that of our libraries? */
static bool is_ours(uintptr_t at)
{
	char us[PATH_MAX], path[PATH_MAX];
	struct part p, mine;

	for (unsigned i = 0; i < num_parts && i < FILES; i++)
		if (at - parts[i].from < parts[i].to - parts[i].from)
			return parts[i].ours;
	if (!mapping_of(at, &p, path) || !mapping_of((uintptr_t)chk_stack_take, &mine, us))
		return false;
	p.ours = !strcmp(us, path) || !strncmp(base_name(path), "libcudart.", 10);
	parts[num_parts++ % FILES] = p;
	return p.ours;
}

static int linked_in = -1;

void chk_stack_ready(void)
{
	void *pc[2];

	pthread_mutex_lock(&parts_lock);
	if (linked_in < 0) {
		backtrace(pc, 2);
		linked_in = is_linked_in();
	}
	pthread_mutex_unlock(&parts_lock);
}

void chk_stack_take(struct chk_stack *s)
{
	void *pc[DEPTH];
	int n = backtrace(pc, DEPTH), first = 0;

	memset(s, 0, sizeof(*s));
	pthread_mutex_lock(&parts_lock);
	if (linked_in)
		first = 2;		/* this function and who asked for it */
	while (!linked_in && first < n && is_ours((uintptr_t)pc[first] - 1))
		s->api = pc[first++];
	pthread_mutex_unlock(&parts_lock);
	for (; first < n && s->n < CHK_FRAMES; first++)
		s->frame[s->n++] = pc[first];
}

void chk_stack_behind(struct chk_stack *s, uint64_t at)
{
	void *pc[DEPTH];
	int n = backtrace(pc, DEPTH), first = 0;

	*s = (struct chk_stack){ .access = true };
	while (first < n && (uintptr_t)pc[first] != at)
		first++;
	s->frame[s->n++] = (void *)(uintptr_t)(at + 1);		/* the instruction itself: text() looks before it */
	for (first++; first < n && s->n < CHK_FRAMES; first++)
		s->frame[s->n++] = pc[first];
}

void chk_stack_api(const struct chk_stack *s, char *buf, size_t len)
{
	/* cuMemAlloc_v2 and cuMemAllocAsync_ptsz are other names of what the program calls. */
	static const char *const ends[] = { "_ptsz", "_ptds", "_v2", "_v3" };
	uintptr_t at = (uintptr_t)s->api - 1;
	char path[PATH_MAX];
	struct part p;
	size_t off;

	*buf = 0;
	if (!s->api || !mapping_of(at, &p, path) || !chk_symbol(path, p.base, at, CHK_EXPORTED, buf, len, &off)) {
		*buf = 0;
		return;
	}
	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(buf), e = strlen(ends[i]);

		if (n > e && !strcmp(buf + n - e, ends[i]))
			buf[n - e] = 0;
	}
}

void chk_stack_text(const struct chk_stack *s, unsigned i, char *buf, size_t len)
{
	char name[256], plain[256], path[PATH_MAX];
	uintptr_t at = (uintptr_t)s->frame[i] - 1;	/* inside the call, not behind it */
	struct part p;
	size_t off;

	if (!mapping_of(at, &p, path)) {
		snprintf(buf, len, "0x%zx", (size_t)at);
		return;
	}
	if (!chk_symbol(path, p.base, at, CHK_ANY, name, sizeof(name), &off) &&
	    !chk_symbol(path, p.base, at, CHK_EXPORTED, name, sizeof(name), &off)) {
		snprintf(buf, len, "%s+0x%zx", base_name(path), (size_t)(at - p.base));
		return;
	}
	chk_demangle(name, plain, sizeof(plain));
	snprintf(buf, len, "%s in %s+0x%zx", base_name(path), plain, off);
}
