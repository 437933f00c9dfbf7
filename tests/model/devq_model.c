/* SPDX-License-Identifier: MIT */
/*
 * The insertion protocol of device-owned queues, tried under all interleavings of its threads.
 *
 *	devq_model			every scenario, TAP
 *	devq_model NAME			one scenario, with the path to a failure
 *	devq_model NAME MISTAKE		the same scenario, with a mistake of the host's side
 *	devq_model -first		until the first failure (for mutants)
 *
 * WQ-56: the host never runs an entry that no thread wrote; WQ-57, WQ-60: room; WQ-61..WQ-65: end of a launch, laps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devq_world.h"

#define MAX_STATES	2500000

#define NEAR_2_32	((1ull << 32) - 3)

static const struct scenario scenarios[] = {
	{ .name = "empty", .count = 8, .launches = 3, .kernel = 2 },
	{ .name = "smallest-ring", .count = 3, .launches = 4, .kernel = 2 },
	{ .name = "one-each", .count = 8, .launches = 2, .kernel = 2,
	  .thread = { { .groups = { 1 } }, { .groups = { 1 } } } },
	{ .name = "one-each-late", .count = 8, .launches = 2, .kernel = 2, .weak = true,
	  .thread = { { .groups = { 1 } }, { .groups = { 1 } } } },
	{ .name = "two-each", .count = 6, .launches = 2, .kernel = 2,
	  .thread = { { .groups = { 1, 1 } }, { .groups = { 1, 1 } } } },
	{ .name = "two-each-late", .count = 8, .launches = 1, .kernel = 2, .weak = true,
	  .thread = { { .groups = { 1, 1 } }, { .groups = { 1, 1 } } } },
	{ .name = "undo", .count = 8, .launches = 2, .kernel = 3,
	  .thread = { { .groups = { 3 } }, { .groups = { 1 } }, { .groups = { 2 } } } },
	{ .name = "undo-in-five", .count = 5, .launches = 3, .kernel = 3,
	  .thread = { { .groups = { 1 } }, { .groups = { 1 } }, { .groups = { 1 } } } },
	{ .name = "no-spare", .count = 4, .launches = 3, .kernel = 1, .no_spare = true, .assist = true,
	  .thread = { { .groups = { 1 }, .finish = true } }, .fails = "livelock" },
	{ .name = "laps-6", .count = 6, .launches = 5, .kernel = 2,
	  .thread = { { .groups = { 1, 1 } }, { .groups = { 2 } } } },
	{ .name = "laps-5", .count = 5, .launches = 6, .kernel = 2,
	  .thread = { { .groups = { 1 } }, { .groups = { 1 } } } },
	{ .name = "rollover-6", .count = 6, .launches = 3, .kernel = 2, .first = NEAR_2_32,
	  .thread = { { .groups = { 2 } }, { .groups = { 1 } } } },
	{ .name = "rollover-8", .count = 8, .launches = 3, .kernel = 2, .first = NEAR_2_32,
	  .thread = { { .groups = { 3 } }, { .groups = { 2 } } } },
	{ .name = "laps-8", .count = 8, .launches = 4, .kernel = 2,
	  .thread = { { .groups = { 1 } }, { .groups = { 2 } } } },
	{ .name = "full-4", .count = 4, .launches = 2, .kernel = 2,
	  .thread = { { .groups = { 1 } }, { .groups = { 2 } } } },
	{ .name = "undo-then-more", .count = 9, .launches = 1, .kernel = 3,
	  .thread = { { .groups = { 1, 4 } }, { .groups = { 1, 1 } }, { .groups = { 1 } } } },
	{ .name = "finish", .count = 8, .launches = 1, .kernel = 3,
	  .thread = { { .groups = { 1 }, .finish = true }, { .groups = { 1 }, .finish = true }, { .finish = true } } },
	{ .name = "finish-early", .count = 8, .launches = 2, .kernel = 2, .weak = true,
	  .thread = { { .groups = { 1, 1 } }, { .finish = true } } },
	{ .name = "nested", .count = 8, .launches = 2, .kernel = 1, .assist = true, .nested = 1,
	  .thread = { { .groups = { 1 }, .spawn = true } }, .child = { { .groups = { 1, 2 } } } },
	{ .name = "nested-beside", .count = 8, .launches = 1, .kernel = 2, .assist = true, .nested = 1,
	  .thread = { { .groups = { 1 }, .spawn = true }, { .groups = { 1, 1 } } },
	  .child = { { .groups = { 1, 1, 1 } } } },
	{ .name = "nested-late", .count = 6, .launches = 2, .kernel = 1, .assist = true, .weak = true, .nested = 1,
	  .thread = { { .groups = { 1 }, .spawn = true } }, .child = { { .groups = { 1, 1, 1 }, .finish = true } } },
	{ .name = "nested-two", .count = 6, .launches = 2, .kernel = 1, .assist = true, .nested = 2,
	  .thread = { { .groups = { 1 }, .spawn = true } }, .child = { { .groups = { 1, 1 } }, { .groups = { 2 } } } },
	{ .name = "nested-two-late", .count = 6, .launches = 1, .kernel = 1, .assist = true, .nested = 2, .weak = true,
	  .thread = { { .groups = { 1 }, .spawn = true } }, .child = { { .groups = { 1, 1 } }, { .groups = { 2 } } } },
	{ .name = "nested-laps-5", .count = 5, .launches = 2, .kernel = 1, .assist = true, .nested = 2,
	  .thread = { { .groups = { 1 }, .spawn = true } }, .child = { { .groups = { 1, 1 } }, { .groups = { 1 } } } },
	{ .name = "nested-refused", .count = 8, .launches = 1, .kernel = 1, .assist = true, .nested = 2,
	  .thread = { { .groups = { 1 }, .spawn = true } }, .child = { { .groups = { 3, 1 } }, { .groups = { 1 } } } },
	{ .name = "no-auto", .count = 8, .launches = 1, .kernel = 2, .no_auto = true,
	  .fails = "has written in this lap" },
};

/* For each mistake of the host's side: the scenario that must fail, and with which sentence. */
static const struct {
	enum mistake mistake;
	const char *scenario, *fails;
} mistakes[] = {
	{ STALL_ALL, "one-each", "deadlock" },
	{ NO_REFRESH, "laps-5", "livelock" },
	{ SHADOW_FIRST, "laps-5", "beyond PUT" },
	{ SHADOW_FAR, "laps-5", "beyond PUT" },
	{ WAIT_FOR_ROOM, "undo-in-five", "livelock" },
	{ WFI_NO_CHILDREN, "nested", "Y is released before" },
	{ GET_EARLY, "nested", "" },
	{ COUNT_32, "rollover-6", "" },
	{ OPEN_FIRST, "one-each", "which nobody has written" },
};

#define NUM(a)	(sizeof(a) / sizeof((a)[0]))

static const struct scenario *find(const char *name)
{
	for (unsigned i = 0; i < NUM(scenarios); i++)
		if (!strcmp(scenarios[i].name, name))
			return &scenarios[i];
	fprintf(stderr, "devq_model: no scenario is called %s\n", name);
	exit(2);
}

/* Is the result the expected one? */
static bool right(const struct model_result *r, const char *fails)
{
	if (!fails)
		return r->complete && !r->failed;
	return r->failed && strstr(r->why, fails);
}

static bool report(unsigned number, const char *name, const char *mistake, const struct model_result *r, bool ok)
{
	printf("%sok %u - %s%s%s: %llu states, %llu steps%s%s%s\n", ok ? "" : "not ", number, name,
	       *mistake ? " with " : "", mistake, (unsigned long long)r->states, (unsigned long long)r->steps,
	       r->failed ? ", noticed: " : "", r->why, r->complete || r->failed ? "" : ", not all of them");
	fflush(stdout);
	return ok;
}

static int all(bool first_only)
{
	unsigned bad = 0, n = 0;

	for (unsigned i = 0; i < NUM(scenarios) && !(bad && first_only); i++) {
		struct model_result r = devq_check(&scenarios[i], NO_MISTAKE, MAX_STATES, false);

		bad += !report(++n, scenarios[i].name, "", &r, right(&r, scenarios[i].fails));
	}
	for (unsigned i = 0; i < NUM(mistakes) && !first_only; i++) {
		struct model_result r = devq_check(find(mistakes[i].scenario), mistakes[i].mistake, MAX_STATES, false);

		bad += !report(++n, mistakes[i].scenario, mistake_names[mistakes[i].mistake], &r,
			       right(&r, mistakes[i].fails));
	}
	printf("1..%u\n", n);
	return !!bad;
}

static int one(const char *name, const char *mistake)
{
	enum mistake m = NO_MISTAKE;
	struct model_result r;

	while (mistake && strcmp(mistake, mistake_names[m]))
		if (++m == NUM_MISTAKES) {
			fprintf(stderr, "devq_model: no mistake is called %s\n", mistake);
			return 2;
		}
	r = devq_check(find(name), m, MAX_STATES, true);
	report(1, name, m ? mistake_names[m] : "", &r, !r.failed);
	return r.failed;
}

int main(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "-first"))
		return all(argc > 1);
	return one(argv[1], argv[2]);
}
