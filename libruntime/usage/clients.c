/* SPDX-License-Identifier: MIT */
/* Reads fdinfo.  Processes come and go meanwhile: what vanishes between two system calls is not there. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "usage/clients.h"

struct found {
	struct usage_client *list;
	unsigned n, room;
};

/* What a line of fdinfo sets: its key, where to, and by what its number is multiplied. */
static const struct key {
	const char *name;
	size_t offset;
	unsigned unit;
} keys[] = {
	{ "drm-client-id", offsetof(struct usage_client, id), 1 },
	{ "drm-engine-compute", offsetof(struct usage_client, compute_ns), 1 },
	{ "drm-engine-copy", offsetof(struct usage_client, copy_ns), 1 },
	{ "drm-engine-queue", offsetof(struct usage_client, queue_ns), 1 },
	{ "drm-resident-vram", offsetof(struct usage_client, vram), 1024 },
	{ "drm-total-vram", offsetof(struct usage_client, vram_total), 1024 },
	{ "drm-total-memory", offsetof(struct usage_client, system), 1024 },
};

/* The value of "key:<blanks>value", NULL if the line has another key. */
static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) || line[n] != ':')
		return NULL;
	line += n + 1;
	return line + strspn(line, " \t");
}

/* True if the text is the fdinfo of a file of this driver on that device. */
static bool read_client(FILE *f, const char *pdev, struct usage_client *c)
{
	bool ours = false, here = false;
	char line[160];
	const char *v;

	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		v = value_of(line, "drm-driver");
		if (v)
			ours = !strcmp(v, "ppu");
		v = value_of(line, "drm-pdev");
		if (v)
			here = !strcmp(v, pdev);
		for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			v = value_of(line, keys[i].name);
			if (v)
				*(uint64_t *)((char *)c + keys[i].offset) = strtoull(v, NULL, 10) * keys[i].unit;
		}
	}
	return ours && here;
}

static int add(struct found *found, const struct usage_client *c)
{
	struct usage_client *more;

	for (unsigned i = 0; i < found->n; i++)
		if (found->list[i].id == c->id) {
			if (c->pid < found->list[i].pid)
				found->list[i] = *c;
			return 0;
		}
	if (found->n == found->room) {
		more = realloc(found->list, (found->room + 16) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		found->list = more;
		found->room += 16;
	}
	found->list[found->n++] = *c;
	return 0;
}

static bool is_number(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0';
}

static void read_name(const char *proc, struct usage_client *c)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d/comm", proc, c->pid);
	f = fopen(path, "re");
	if (f && fgets(c->name, sizeof(c->name), f))
		c->name[strcspn(c->name, "\n")] = '\0';
	if (f)
		fclose(f);
	for (char *s = c->name; *s; s++)	/* a process names itself: nothing that a terminal obeys */
		if (!isprint((unsigned char)*s))
			*s = '?';
}

static int read_process(const char *proc, const char *pid, const char *pdev, struct found *found)
{
	char path[512];
	struct dirent *e;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s/fdinfo", proc, pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!rc && (e = readdir(dir))) {
		struct usage_client c = { .pid = atoi(pid) };
		FILE *f;

		if (!is_number(e->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s/fdinfo/%s", proc, pid, e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (read_client(f, pdev, &c)) {
			read_name(proc, &c);
			rc = add(found, &c);
		}
		fclose(f);
	}
	closedir(dir);
	return rc;
}

static int by_process(const void *a, const void *b)
{
	const struct usage_client *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

int usage_clients(const char *proc, const char *pdev, struct usage_client **list)
{
	struct found found = { 0 };
	struct dirent *e;
	int rc = 0;
	DIR *dir;

	*list = NULL;
	dir = opendir(proc);
	if (!dir)
		return -errno;
	while (!rc && (e = readdir(dir)))
		if (is_number(e->d_name))
			rc = read_process(proc, e->d_name, pdev, &found);
	closedir(dir);
	if (rc) {
		free(found.list);
		return rc;
	}
	if (found.n)
		qsort(found.list, found.n, sizeof(*found.list), by_process);
	*list = found.list;
	return (int)found.n;
}

uint64_t usage_more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

struct usage_client usage_since(const struct usage_client *c, const struct usage_client *old, unsigned n)
{
	struct usage_client d = *c;

	for (unsigned i = 0; i < n; i++)
		if (old[i].id == c->id) {
			d.compute_ns = usage_more(c->compute_ns, old[i].compute_ns);
			d.copy_ns = usage_more(c->copy_ns, old[i].copy_ns);
			d.queue_ns = usage_more(c->queue_ns, old[i].queue_ns);
		}
	return d;
}

unsigned usage_percent(uint64_t part, uint64_t whole)
{
	if (!whole)
		return 0;
	if (part >= whole)
		return 100;
	return (unsigned)((double)part * 100 / (double)whole + 0.5);
}
