/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "fuzz.h"
#include "program.h"

#define MAX_KEPT	1024

static struct program kept[MAX_KEPT];
static unsigned num_kept;

void program_keep(const struct program *p)
{
	if (p->count && num_kept < MAX_KEPT)
		kept[num_kept++] = *p;
}

unsigned program_kept(void)
{
	return num_kept;
}

/* One call of a kept program is another one, or is missing, or another kept program follows. */
static void vary(struct program *p, uint64_t *rng)
{
	const struct program *other = &kept[fuzz_below(rng, num_kept)];
	unsigned at = fuzz_below(rng, p->count);

	switch (fuzz_below(rng, 4)) {
	case 0:
		p->call[at] = fuzz_next(rng);
		break;
	case 1:
		p->call[at] = p->call[--p->count];
		break;
	case 2:
		for (unsigned i = 0; i < other->count && p->count < PROGRAM_CALLS; i++)
			p->call[p->count++] = other->call[i];
		break;
	}
}

void program_make(struct program *p, uint64_t *rng)
{
	p->count = 0;
	if (num_kept && fuzz_below(rng, 4)) {
		*p = kept[fuzz_below(rng, num_kept)];
		vary(p, rng);
	}
	for (unsigned n = 1 + fuzz_below(rng, p->count ? 4 : PROGRAM_CALLS); n && p->count < PROGRAM_CALLS; n--)
		p->call[p->count++] = fuzz_next(rng);
}

void program_print(const struct program *p, FILE *to)
{
	for (unsigned i = 0; i < p->count; i++)
		fprintf(to, "%s%llx", i ? "," : "", (unsigned long long)p->call[i]);
}

const char *program_read(struct program *p, const char *text)
{
	char *end;

	for (p->count = 0; p->count < PROGRAM_CALLS; text = end + 1) {
		uint64_t call = strtoull(text, &end, 16);

		if (end == text)
			return text;
		p->call[p->count++] = call;
		if (*end != ',')
			return end;
	}
	return text;
}
