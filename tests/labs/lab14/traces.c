/* SPDX-License-Identifier: MIT */
/*
 * Lab 14: traces of requests: from a file, or made of a seed.
 *
 * A line of a file is a request: `TIME CLIENT COPIES BYTES`, TIME in ns, BYTES of each copy; # begins a comment.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "labrnd.h"
#include "machine.h"

static uint32_t between(uint32_t a, uint32_t b)
{
	return a + rnd(b - a + 1);
}

void load_add(struct load *l, uint64_t at, uint32_t client, uint32_t copies, uint32_t bytes)
{
	if (client >= POLICY_CLIENTS || !copies || copies > MAX_COPIES || !bytes)
		end_wrong("a request of %s is not possible: client %u, %u copies of %u bytes", l->name, client, copies, bytes);
	l->v = realloc(l->v, (l->n + 1) * sizeof(*l->v));
	if (!l->v)
		end_wrong("no memory");
	l->v[l->n++] = (struct request){ at, client, copies, bytes & ~63u ? bytes & ~63u : 64 };
	if (l->clients <= client)
		l->clients = client + 1;
	if (l->most[client] < bytes)
		l->most[client] = bytes;
}

static int by_time(const void *a, const void *b)
{
	const struct request *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->client > y->client) - (x->client < y->client);
}

/* ---- families.  The engine moves 1 byte/ns, so a KiB takes about 1 us. ------------------------------------- */

/* Six clients with small requests now and then, two with large ones. */
static void mixed(struct load *l)
{
	for (uint32_t c = 0; c < 6; c++)
		for (uint64_t t = rnd(100000); t < 4000000; t += between(20000, 220000))
			load_add(l, t, c, 1, between(1024, 8192));
	for (uint32_t c = 6; c < 8; c++)
		for (uint64_t t = rnd(200000); t < 4000000; t += between(200000, 500000))
			load_add(l, t, c, 1, between(49152, 196608));
}

/* Eight clients; each comes with many requests at once, of any size. */
static void bursts(struct load *l)
{
	for (uint32_t c = 0; c < 8; c++)
		for (uint64_t t = rnd(400000); t < 3000000; t += between(500000, 1000000)) {
			uint32_t kind = rnd(3), n = between(2, 8);

			for (uint32_t i = 0; i < n; i++)
				load_add(l, t + 100 * i, c, 1, kind == 0 ? between(512, 4096) : kind == 1 ? between(4096, 16384) :
				    between(16384, 49152));
		}
}

/* All copies have one size, but each client's requests have a number of copies of his own, give or take a quarter.  The next
 * copy says nothing about the rest; what the client did before does. */
static void jobs(struct load *l)
{
	static const uint32_t typical[8] = { 2, 3, 4, 6, 12, 20, 32, 48 };

	for (uint32_t c = 0; c < 8; c++)
		for (uint64_t t = rnd(100000); t < 16000000; t += between(300000, 1100000)) {
			uint32_t n = typical[c];

			load_add(l, t, c, between(n - n / 4, n + n / 4), 4096);
		}
}

/* One client has everything that it will ever want in its ring from the beginning; five others come now and then. */
static void hog(struct load *l)
{
	for (uint32_t i = 0; i < 6; i++)
		load_add(l, 0, 0, 24, between(8192, 16384));
	for (uint32_t c = 1; c < 6; c++)
		for (uint64_t t = rnd(100000); t < 3000000; t += between(60000, 260000)) {
			uint32_t copies = between(1, 2);

			load_add(l, t, c, copies, between(2048, 12288));
		}
}

/* Small requests, for a time more of them than the engine can serve, and few large ones of another client. */
static void flood(struct load *l)
{
	for (uint32_t c = 0; c < 6; c++)
		for (uint64_t t = rnd(20000); t < 2000000; t += between(15000, 35000))
			load_add(l, t, c, 1, between(3072, 5120));
	for (uint32_t i = 0; i < 4; i++)
		load_add(l, 50000 + 400000 * i, 6, 1, between(40960, 65536));
}

/* Four clients that always have work, in pieces of different size. */
static void equal(struct load *l)
{
	for (uint32_t i = 0; i < 192; i++)
		load_add(l, 0, 0, 1, between(3072, 5120));
	for (uint32_t i = 0; i < 96; i++)
		load_add(l, 0, 1, 1, between(7168, 9216));
	for (uint32_t i = 0; i < 32; i++)
		load_add(l, 0, 2, 1, between(22528, 26624));
	for (uint32_t i = 0; i < 16; i++)
		load_add(l, 0, 3, 1, between(45056, 53248));
}

static const struct {
	const char *name;
	void (*make)(struct load *l);
} families[] = {
	{ "mixed", mixed }, { "bursts", bursts }, { "jobs", jobs }, { "hog", hog }, { "flood", flood }, { "equal", equal },
};

struct load load_make(const char *family, uint64_t seed)
{
	struct load l = { 0 };

	for (unsigned i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (strcmp(family, families[i].name))
			continue;
		snprintf(l.name, sizeof(l.name), "%s:%llu", family, (unsigned long long)seed);
		rnd_seed(seed);
		families[i].make(&l);
		qsort(l.v, l.n, sizeof(*l.v), by_time);
		return l;
	}
	end_wrong("there is no family %s", family);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

void load_write(const struct load *l, FILE *f)
{
	fprintf(f, "# SPDX-License-Identifier: MIT\n# %s: time in ns, client, copies, bytes of each copy\n", l->name);
	for (uint32_t i = 0; i < l->n; i++)
		fprintf(f, "%llu %u %u %u\n", (unsigned long long)l->v[i].at, l->v[i].client, l->v[i].copies, l->v[i].bytes);
}

struct load load_read(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct load l = { 0 };
	FILE *f = fopen(path, "r");
	char line[200];

	snprintf(l.name, sizeof(l.name), "%.30s", slash ? slash + 1 : path);
	if (!f)
		end_wrong("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		unsigned long long at;
		unsigned client, copies, bytes;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (sscanf(line, "%llu %u %u %u", &at, &client, &copies, &bytes) != 4 || at > 1000000000)
			end_wrong("%s: this is no request: %s", path, line);
		load_add(&l, at, client, copies, bytes);
	}
	fclose(f);
	qsort(l.v, l.n, sizeof(*l.v), by_time);
	return l;
}
