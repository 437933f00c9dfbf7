/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "recipe.h"

void recipe_make(struct recipe *r, uint64_t seed)
{
	uint64_t rng = seed;

	memset(r, 0, sizeof(*r));
	r->seed = seed;
	r->threads = 1 + fuzz_below(&rng, STORM_THREADS);
	for (unsigned i = 0; i < r->threads; i++)
		program_make(&r->program[i], &rng);
}

/* Half of the rounds leave the device alone: calls that only fail with ENODEV find little. */
static void plan_weather(struct plan *p, uint64_t *rng)
{
	static const enum weather calm[] = { WEATHER_LOOK, WEATHER_KILL };
	bool rough = fuzz_below(rng, 2);

	p->events = fuzz_below(rng, STORM_WEATHER + 1);
	for (unsigned i = 0; i < p->events; i++) {
		p->event[i].kind = rough ? (enum weather)fuzz_below(rng, WEATHER_KINDS) : calm[fuzz_below(rng, 2)];
		p->event[i].wait_us = fuzz_below(rng, 100000);
		p->event[i].what = fuzz_below(rng, 1u << 16);
	}
}

void recipe_plan(const struct recipe *r, struct plan *p)
{
	uint64_t rng = ~r->seed;

	memset(p, 0, sizeof(*p));
	p->worlds = 1 + fuzz_below(&rng, r->threads < STORM_WORLDS ? r->threads : STORM_WORLDS);
	for (unsigned i = 0; i < STORM_WORLDS; i++)
		p->shared_file[i] = fuzz_below(&rng, 2);
	for (unsigned i = 0; i < STORM_THREADS; i++)
		p->repeats[i] = 1 + fuzz_below(&rng, 12);
	p->fork_one_in = fuzz_below(&rng, 3) ? 0 : 4 + fuzz_below(&rng, 20);
	p->signal_us = fuzz_below(&rng, 3) ? 1000 + fuzz_below(&rng, 10000) : 0;
	plan_weather(p, &rng);
}

void recipe_print(const struct recipe *r, FILE *to)
{
	fprintf(to, "%llx", (unsigned long long)r->seed);
	for (unsigned i = 0; i < r->threads; i++) {
		fputc('/', to);
		program_print(&r->program[i], to);
	}
}

bool recipe_read(struct recipe *r, const char *text)
{
	char *end;

	memset(r, 0, sizeof(*r));
	r->seed = strtoull(text, &end, 16);
	for (text = end; *text == '/' && r->threads < STORM_THREADS; r->threads++)
		text = program_read(&r->program[r->threads], text + 1);
	return r->threads && (!*text || *text == '\n');
}
