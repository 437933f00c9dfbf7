/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "harness.h"
#include "state.h"

static FILE *file(const struct state *s, const char *name, const char *mode)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	f = fopen(path, mode);
	if (!f && *mode != 'r')
		FAIL("%s: %s", path, strerror(errno));
	return f;
}

static void load_corpus(const struct state *s)
{
	FILE *f = file(s, "corpus", "r");
	char line[PROGRAM_CALLS * 17 + 2];
	struct program p;

	while (f && fgets(line, sizeof(line), f)) {
		program_read(&p, line);
		program_keep(&p);
	}
	if (f)
		fclose(f);
}

/* The file is whole, the old or the new one, when the machine dies. */
static void replace(const struct state *s, const char *name, FILE *f)
{
	char from[512], to[512];

	snprintf(from, sizeof(from), "%s/new", s->dir);
	snprintf(to, sizeof(to), "%s/%s", s->dir, name);
	CHECK(!fflush(f) && !fclose(f) && !rename(from, to));
}

void state_save(const struct state *s)
{
	FILE *f;

	if (!s->dir)
		return;
	f = file(s, "new", "w");
	fprintf(f, "seed %llx rounds %lu calls %lu forks %lu signals %lu seconds %lu findings %lu\n",
		(unsigned long long)s->seed, s->rounds, s->calls, s->forks, s->signals, s->seconds, s->findings);
	replace(s, "counter", f);
}

void state_open(struct state *s, const char *dir, uint64_t seed)
{
	unsigned long long had;
	FILE *f;

	*s = (struct state){ .dir = dir, .seed = seed };
	if (!dir)
		return;
	f = file(s, "counter", "r");
	if (f) {
		if (fscanf(f, "seed %llx rounds %lu calls %lu forks %lu signals %lu seconds %lu findings %lu", &had,
			   &s->rounds, &s->calls, &s->forks, &s->signals, &s->seconds, &s->findings) != 7)
			FAIL("%s/counter is damaged", dir);
		s->seed = had;
		fclose(f);
	}
	load_corpus(s);
	state_save(s);
}

void state_round(const struct state *s, const struct recipe *r)
{
	FILE *f;

	if (!s->dir)
		return;
	f = file(s, "new", "w");
	recipe_print(r, f);
	fputc('\n', f);
	replace(s, "now", f);
}

void state_keep(const struct state *s, const struct program *p)
{
	FILE *f;

	program_keep(p);
	if (!s->dir)
		return;
	f = file(s, "corpus", "a");
	program_print(p, f);
	fputc('\n', f);
	CHECK(!fclose(f));
}

void state_finding(struct state *s, const struct recipe *r, const char *what)
{
	char name[32];
	FILE *f;

	s->findings++;
	if (!s->dir)
		return;
	snprintf(name, sizeof(name), "finding-%lu", s->findings);
	f = file(s, name, "w");
	fprintf(f, "storm -p ");
	recipe_print(r, f);
	fprintf(f, "\n%s\n", what);
	CHECK(!fclose(f));
}
