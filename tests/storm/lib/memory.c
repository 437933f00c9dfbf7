/* SPDX-License-Identifier: MIT */
#include <glob.h>

#include "harness.h"
#include "memory.h"
#include "sysfile.h"

#define SLABS "/sys/kernel/slab/"
#define SAMPLES 5

bool memory_countable(void)
{
	return !access(SLABS, F_OK) && access("/sys/kernel/debug/kmemleak", F_OK);
}

static void add(struct memory *m, const char *name, long count, long noise)
{
	CHECK(m->kinds < MEMORY_KINDS);
	snprintf(m->kind[m->kinds].name, sizeof(m->kind[0].name), "%s", name);
	m->kind[m->kinds].noise = noise;
	m->kind[m->kinds++].count = count;
}

/* Half filled slabs of each CPU count as full until they are given back. */
static void give_back(void)
{
	glob_t g;

	file_write("/proc/sys/vm/drop_caches", "3");
	if (!glob(SLABS "*/shrink", 0, NULL, &g))
		for (size_t i = 0; i < g.gl_pathc; i++)
			file_write(g.gl_pathv[i], "1");
	globfree(&g);
}

static void slabs(struct memory *m)
{
	char *text = file_text("/proc/slabinfo"), *line, *save = NULL, name[48];
	long active, slab;

	CHECK(text);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, "%47s %ld %*d %*d %ld", name, &active, &slab) == 3 && strcmp(name, "vmap_area"))
			add(m, name, active, slab);
	free(text);
}

/* Areas that were given back keep their vmap_area until there are many of them. */
static void areas(struct memory *m)
{
	char *text = file_text("/proc/vmallocinfo"), *line, *save = NULL;
	long used = 0;

	CHECK(text);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		used += !strstr(line, "unpurged");
	add(m, "vmallocinfo", used, 10);
	free(text);
}

static long sum_of(const char *text, const char *name)
{
	long sum = 0;

	while ((text = strstr(text, name))) {
		text += strlen(name);
		sum += strtol(text, NULL, 10);
	}
	return sum;
}

/* Pages of which nothing else says what they are for: the total without those that are free, cached or counted. */
static void pages(struct memory *m)
{
	static const char *const counted[] = { "\nPercpu:", "\nVmallocUsed:", "\nPageTables:", "\nKernelStack:", "\nShmem:" };
	static const char *const others[] = { "\nMemFree:", "\nActive(file):", "\nInactive(file):", "\nAnonPages:", "\nSlab:" };
	char *text = file_text("/proc/meminfo"), *zones = file_text("/proc/zoneinfo");
	long left;

	CHECK(text && zones);
	/* free pages that each CPU keeps for itself */
	left = sum_of(text, "MemTotal:") / 4 - sum_of(zones, " count:");
	for (unsigned i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		long n = sum_of(text, counted[i]) / 4;

		add(m, counted[i] + 1, n, 50);
		left -= n;
	}
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		left -= sum_of(text, others[i]) / 4;
	add(m, "other pages", left, 100);
	free(zones);
	free(text);
}

static void sample(struct memory *m)
{
	m->kinds = 0;
	give_back();
	slabs(m);
	areas(m);
	pages(m);
}

/* A CPU that has just used a cache counts all of a slab as used. The least of some samples is nearer to the truth. */
void memory_count(struct memory *m)
{
	static struct memory again;

	give_back();
	sleep_ms(100);		/* what RCU frees */
	sample(m);
	for (unsigned n = 0; n < SAMPLES; n++) {
		sample(&again);
		for (unsigned i = 0; i < m->kinds && i < again.kinds; i++)
			if (again.kind[i].count < m->kind[i].count && !strcmp(again.kind[i].name, m->kind[i].name))
				m->kind[i].count = again.kind[i].count;
	}
}

bool memory_grew(const struct memory *before, const struct memory *now, unsigned long rounds, char *what, size_t size)
{
	for (unsigned i = 0; i < now->kinds; i++) {
		for (unsigned k = 0; k < before->kinds; k++) {
			long more = now->kind[i].count - before->kind[k].count;

			if (strcmp(now->kind[i].name, before->kind[k].name) ||
			    more <= (long)rounds / 2 + now->kind[i].noise)
				continue;
			snprintf(what, size, "%s: %ld more after %lu rounds", now->kind[i].name, more, rounds);
			return true;
		}
	}
	return false;
}
