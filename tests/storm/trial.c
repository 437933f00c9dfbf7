/* SPDX-License-Identifier: MIT */
/*
 * trial: one thing happens to a device under load, round after round.
 *
 *	trial [-n ROUNDS] [-t SECONDS] [-s SEED] [-v] [NAME...]
 *
 * Three clients work (lib/load.h). In round N of a seed, at a moment made from SEED + N, it happens; then the clients
 * have ended as they may, nothing is left, the device works and the kernel was silent (lib/verdict.h). Every so often,
 * and at the end, what the kernel holds is counted (lib/memory.h).
 *
 *	kill	clients die of SIGKILL; the others go on, undisturbed
 *	flr	function level reset
 *	remove	PCI remove and rescan; every other time the device stops answering before
 *	reload	the driver is unbound below the clients or they are killed, and the module unloaded and loaded
 *	work	nothing happens here; scripts/trials stops, saves, loads and migrates the machine meanwhile
 *	plug	waits until somebody outside unplugs the device and plugs it in again
 *
 * Without names: ten rounds of each but the last. -v: a line for each round, "round NAME NUMBER WORKS".
 */
#include <getopt.h>
#include <signal.h>

#include "fuzz.h"
#include "harness.h"
#include "load.h"
#include "memory.h"
#include "module.h"
#include "pcidev.h"
#include "sysfile.h"
#include "verdict.h"
#include "weather.h"

#define PCI_COMMAND	4
#define PCI_MEMORY	2
#define COUNT_ROUNDS	200	/* between two looks at what the kernel holds */
#define WARM_ROUNDS	10	/* before the first */
#define PATIENT_LOOKS	20	/* a second apart */

struct trial {
	const char *name;
	/* False: @what says what went wrong. */
	bool (*happen)(uint64_t *rng, char *what, size_t size);
	bool loses;		/* the clients' work */
	bool stays;		/* clients go on until something fails */
};

static struct load load;
static char *params;		/* of the module */

static bool kill_some(uint64_t *rng, char *what, size_t size)
{
	unsigned victims = 1 + fuzz_below(rng, (1 << LOAD_CLIENTS) - 1);

	for (unsigned i = 0; i < LOAD_CLIENTS; i++) {
		if (victims >> i & 1)
			load_kill(&load, i);
		usleep(fuzz_below(rng, 2000));
	}
	return load_works(&load, 2, what, size);
}

static bool flr(uint64_t *rng, char *what, size_t size)
{
	(void)rng;
	(void)what;
	(void)size;
	pci_write("reset");
	return true;
}

static bool remove_it(uint64_t *rng, char *what, size_t size)
{
	(void)what;
	(void)size;
	if (fuzz_below(rng, 2)) {
		pci_config(PCI_COMMAND, PCI_MEMORY, 0);
		usleep(fuzz_below(rng, 5000));
	}
	pci_write("remove");
	usleep(fuzz_below(rng, 5000));
	file_write("/sys/bus/pci/rescan", "1");
	WAIT_FOR(pci_have_node(), 20000);
	return true;
}

static bool reload(uint64_t *rng, char *what, size_t size)
{
	if (fuzz_below(rng, 2)) {
		pci_unbind();
	} else {
		for (unsigned i = 0; i < LOAD_CLIENTS; i++)
			load_kill(&load, i);
	}
	if (!load_lost(&load, what, size))
		return false;
	module_unload();
	module_load(params);
	return true;
}

static bool only_work(uint64_t *rng, char *what, size_t size)
{
	return load_works(&load, 8 + fuzz_below(rng, 8), what, size);
}

/*
 * The node of the primary minor is the last thing that comes when it was not this process that brought the device. Before
 * that a file in debugfs may be missing, or half made: opening one while DRM of 6.1 makes it is a NULL pointer there
 * (drm_debugfs_create_files() stores info_ent behind debugfs_create_file()).
 */
static bool all_is_there(void)
{
	int fd = find_primary_ppu();

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool wait_for_plug(uint64_t *rng, char *what, size_t size)
{
	(void)rng;
	printf("ready\n");
	if (!load_lost(&load, what, size))
		return false;
	WAIT_FOR(all_is_there(), 60000);
	return true;
}

static const struct trial trials[] = {
	{ "kill", kill_some, false, false },
	{ "flr", flr, true, false },
	{ "remove", remove_it, true, false },
	{ "reload", reload, true, false },
	{ "work", only_work, false, false },
	{ "plug", wait_for_plug, true, true },
};
#define TRIALS (sizeof(trials) / sizeof(trials[0]))

static bool one_round(const struct trial *t, uint64_t seed, char *what, size_t size)
{
	uint64_t rng = seed;

	load_start(&load, fuzz_next(&rng));
	if (!load_works(&load, 1, what, size))
		return false;
	usleep(fuzz_below(&rng, 20000));
	load.told->stay = t->stays;
	__atomic_store_n(&load.told->disturbed, t->loses, __ATOMIC_SEQ_CST);
	if (!t->happen(&rng, what, size))
		return false;
	if (!(t->loses ? load_lost : load_stop)(&load, what, size))
		return false;
	return verdict_round(what, size);
}

/* False: it was said. */
static bool failed(const struct trial *t, uint64_t seed, const char *what)
{
	printf("not ok - trial %s: round of seed %#llx: %s\n", t->name, (unsigned long long)seed, what);
	for (unsigned i = 0; i < LOAD_CLIENTS; i++)
		load_kill(&load, i);
	return false;
}

/* What each of the rounds since the last look has left behind. */
static bool nothing_grew(struct memory *at, unsigned long rounds, char *what, size_t size)
{
	static struct memory now;

	if (!memory_countable())
		return verdict_leaks(what, size);
	/* What RCU and workers still have to free goes; a leak stays. */
	for (unsigned tries = 0;; tries++) {
		memory_count(&now);
		if (!at->kinds || !memory_grew(at, &now, rounds, what, size))
			break;
		if (tries == PATIENT_LOOKS)
			return false;
		sleep_ms(1000);
	}
	*at = now;
	return true;
}

static bool run(const struct trial *t, uint64_t seed, unsigned long rounds, uint64_t end, bool verbose)
{
	static struct memory at;
	static char what[4096];
	unsigned long n = 0, looked = 0, works = load_sum(&load);

	at.kinds = 0;
	for (; n < rounds && now_ns() < end; n++) {
		if (n == looked + (looked ? COUNT_ROUNDS : WARM_ROUNDS)) {
			if (!nothing_grew(&at, n - looked, what, sizeof(what)))
				return failed(t, seed + n, what);
			looked = n;
		}
		if (!one_round(t, seed + n, what, sizeof(what)))
			return failed(t, seed + n, what);
		if (verbose)
			printf("round %s %lu %lu\n", t->name, n, load_sum(&load) - works);
	}
	if (looked && !nothing_grew(&at, n - looked, what, sizeof(what)))
		return failed(t, seed + n, what);
	printf("ok - trial %s: %lu rounds, %lu pieces of work\n", t->name, n, load_sum(&load) - works);
	return true;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, seconds = 0;
	unsigned long rounds = 0;
	bool verbose = false, good = true;
	int c;

	while ((c = getopt(argc, argv, "n:t:s:v")) != -1) {
		switch (c) {
		case 'n':
			rounds = strtoul(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtoull(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'v':
			verbose = true;
			break;
		default:
			fprintf(stderr, "usage: trial [-n ROUNDS] [-t SECONDS] [-s SEED] [-v] [NAME...]\n");
			return 2;
		}
	}
	if (!rounds)
		rounds = seconds ? ~0ul : 10;
	setvbuf(stdout, NULL, _IOLBF, 0);
	load_init(&load);
	weather_init();
	verdict_init();
	params = module_params();
	CHECK(pci_have_node());		/* its name is known from now on */
	for (unsigned i = 0; i < TRIALS; i++) {
		bool named = optind == argc && strcmp(trials[i].name, "plug");

		for (int k = optind; k < argc; k++)
			named |= !strcmp(argv[k], trials[i].name);
		if (named)
			good &= run(&trials[i], seed, rounds, seconds ? now_ns() + seconds * 1000 * MS : ~0ull, verbose);
	}
	return !good;
}
