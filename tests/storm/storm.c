/* SPDX-License-Identifier: MIT */
/*
 * storm: the driver's ioctls from several processes and threads at once, with signals, forks, stores to rings and
 * doorbells, and a device that is unbound, removed and reset meanwhile.
 *
 *	storm [-s SEED] [-t SECONDS] [-n ROUNDS] [-d DIRECTORY] [-r SEED] [-p RECIPE]
 *
 * The calls are those of fuzz_ioctl, made from the table of the uAPI; lib/recipe.h says what a round is made of. Round
 * N of a seed is made from the number SEED + N, and, where the kernel has KCOV, from programs that reached new code
 * before. After each round the kernel's log has no complaint, no object is left, and the device works.
 *
 * -d: remembers its state there (lib/state.h) and goes on from it. -r: one round, from this number alone. -p: one
 * round, as it was printed. Threads meet in another order each time: a round that failed may have to be repeated.
 */
#include <getopt.h>

#include "fuzz.h"
#include "harness.h"
#include "kcov.h"
#include "process.h"
#include "state.h"
#include "verdict.h"
#include "weather.h"
#include "world.h"

#define ROUND_SECONDS	20	/* worlds that still run then are killed */
#define LEAK_ROUNDS	400

static struct state state;
static struct told *told;

static pid_t start(void (*fn)(const struct plan *, const pid_t *), const struct plan *p, const pid_t *worlds)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		fn(p, worlds);
		_exit(0);
	}
	return pid;
}

/* False: @what says what went wrong. */
static bool run_round(const struct recipe *r, char *what, size_t size)
{
	pid_t worlds[STORM_WORLDS], weather;
	struct plan plan;
	uint64_t until;
	bool good = true;

	recipe_plan(r, &plan);
	memset(told, 0, sizeof(*told));
	fflush(stdout);
	for (unsigned i = 0; i < plan.worlds; i++) {
		worlds[i] = fork();
		CHECK(worlds[i] >= 0);
		if (!worlds[i])
			world_run(r, &plan, i, told);
	}
	weather = start(weather_run, &plan, worlds);
	until = now_ns() + ROUND_SECONDS * 1000 * MS;
	/* The weather first: while it runs, no world is collected, whose number could then be another process's. */
	good = process_end(weather, until + 60000 * MS * time_scale(), what, size);
	for (unsigned i = 0; i < plan.worlds; i++)
		good = process_end(worlds[i], until, what, size) && good;
	if (good && told->complaint[0]) {
		snprintf(what, size, "%s", told->complaint);
		return false;
	}
	return good && verdict_round(what, size);
}

static void count(const struct recipe *r)
{
	state.rounds++;
	state.calls += told->calls;
	state.forks += told->forks;
	state.signals += told->signals;
	for (unsigned i = 0; i < r->threads; i++)
		if (told->found[i].count)
			state_keep(&state, &told->found[i]);
}

static void failed(const struct recipe *r, const char *what)
{
	printf("# round %lu of seed %#llx: storm -p ", state.rounds, (unsigned long long)state.seed);
	recipe_print(r, stdout);
	printf("\n# %s\nnot ok - storm\n", what);
	state_finding(&state, r, what);
	state_save(&state);
	exit(1);
}

/* Also every so often: a leak is then easier to find. */
static void search_leaks(const struct recipe *r)
{
	static char what[4096];

	if (!verdict_leaks(what, sizeof(what)))
		failed(r, what);
}

static void one_round(struct recipe *r)
{
	static char what[4096];

	state_round(&state, r);
	if (!run_round(r, what, sizeof(what)))
		failed(r, what);
	count(r);
}

static void storm(uint64_t seconds, unsigned long rounds)
{
	uint64_t begin = now_ns(), now = begin, told_at = begin;
	unsigned long first = state.rounds, before = state.seconds;
	struct recipe r = { 0 };

	while (now < begin + seconds * 1000 * MS && (!rounds || state.rounds < first + rounds)) {
		recipe_make(&r, state.seed + state.rounds);
		one_round(&r);
		if (state.rounds % LEAK_ROUNDS == 0)
			search_leaks(&r);
		now = now_ns();
		state.seconds = before + (now - begin) / (1000 * MS);
		state_save(&state);
		if (now > told_at + 60000 * MS) {
			printf("# %lu rounds, %lu calls, %u points\n", state.rounds, state.calls, kcov_total());
			told_at = now;
		}
	}
	search_leaks(&r);
	state_save(&state);
	if (state.rounds == first)
		printf("not ");
	printf("ok - storm: seed %#llx, %lu rounds, in all %lu with %lu calls, %lu forks, %lu signals in %lu s; "
	       "%u kept, %u points reached\n", (unsigned long long)state.seed, state.rounds - first, state.rounds,
	       state.calls, state.forks, state.signals, state.seconds, program_kept(), kcov_total());
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, seconds = getenv("FUZZ_SECONDS") ? strtoull(getenv("FUZZ_SECONDS"), NULL, 0) : 20;
	const char *dir = NULL;
	unsigned long rounds = 0;
	struct recipe one = { 0 };
	int c;

	while ((c = getopt(argc, argv, "s:t:n:d:r:p:")) != -1) {
		switch (c) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			rounds = strtoul(optarg, NULL, 0);
			break;
		case 'd':
			dir = optarg;
			break;
		case 'r':
			recipe_make(&one, strtoull(optarg, NULL, 0));
			break;
		case 'p':
			if (recipe_read(&one, optarg))
				break;
			/* fall through */
		default:
			fprintf(stderr, "usage: storm [-s SEED] [-t SECONDS] [-n ROUNDS] [-d DIRECTORY] "
				"[-r SEED] [-p RECIPE]\n");
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	kcov_share();
	told = told_new();
	weather_init();
	verdict_init();
	state_open(&state, one.threads ? NULL : dir, seed);
	printf("# seed %#llx, round %lu\n", (unsigned long long)state.seed, state.rounds);
	if (!one.threads) {
		storm(seconds, rounds);
		return 0;
	}
	for (unsigned long i = 0; i < (rounds ? rounds : 1); i++)
		one_round(&one);
	search_leaks(&one);
	printf("ok - one recipe, %lu times, %lu calls\n", state.rounds, state.calls);
	return 0;
}
