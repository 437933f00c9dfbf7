/* SPDX-License-Identifier: MIT */
/*
 * fuzz_ioctl: random sequences of the driver's ioctls, made from the table of the
 * uAPI (lib/uapi_table.h).
 *
 *	fuzz_ioctl [-s SEED] [-t SECONDS] [-n PROGRAMS] [-v] [-p PROGRAM]
 *
 * A program is a list of numbers, one for each call: everything about a call follows from its number and from what the
 * calls before it returned. Where the kernel has KCOV, a program that reached new code is kept, and later programs are
 * made from it; elsewhere all programs are new. Each program runs on a file of its own.
 *
 * It is a failure if a field that must be zero was not and the call worked; if
 * something of a program is left when its file is closed; if the kernel
 * complains. Then the program is printed, for -p.
 */
#include <getopt.h>
#include <signal.h>
#include <sys/time.h>

#include "fuzz.h"
#include "harness.h"
#include "program.h"

static bool verbose;

/* Runs a program; returns how many of the points that it reached were new. */
static unsigned run_program(const struct program *p)
{
	struct fuzz f;
	unsigned fresh = 0;

	CHECK(fuzz_open(&f, verbose));
	for (unsigned i = 0; i < p->count; i++)
		fresh += fuzz_call(&f, p->call[i]);
	fuzz_close(&f);
	if (f.complaint[0]) {
		printf("# program: fuzz_ioctl -p ");
		program_print(p, stdout);
		printf("\n# %s\nnot ok - fuzz_ioctl\n", f.complaint);
		exit(1);
	}
	return fresh;
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* Calls that sleep end with EINTR. */
static void start_timer(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval t = { .it_interval = { .tv_usec = 20000 }, .it_value = { .tv_usec = 20000 } };

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

int main(int argc, char **argv)
{
	unsigned long programs = 0, limit = 0, calls = 0;
	uint64_t seed = 1, seconds = 20, end, rng;
	const char *one = NULL;
	struct program p;
	int c;

	if (getenv("FUZZ_SECONDS"))
		seconds = strtoull(getenv("FUZZ_SECONDS"), NULL, 0);
	while ((c = getopt(argc, argv, "s:t:n:p:v")) != -1) {
		switch (c) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			limit = strtoul(optarg, NULL, 0);
			break;
		case 'p':
			one = optarg;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			fprintf(stderr, "usage: fuzz_ioctl [-s SEED] [-t SECONDS] [-n PROGRAMS] [-v] [-p PROGRAM]\n");
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	fuzz_init();
	start_timer();
	if (one) {
		program_read(&p, one);
		verbose = true;
		run_program(&p);
		printf("ok - one program of %u calls\n", p.count);
		return 0;
	}

	printf("# seed %llu, %s\n", (unsigned long long)seed,
	       fuzz_has_coverage() ? "guided by coverage" : "no coverage on this kernel");
	rng = seed;
	end = now_ns() + seconds * 1000 * MS;
	while (now_ns() < end && (!limit || programs < limit)) {
		unsigned fresh;

		program_make(&p, &rng);
		fresh = run_program(&p);
		programs++;
		calls += p.count;
		if (fresh)
			program_keep(&p);
	}
	fuzz_report();
	if (!programs || (fuzz_has_coverage() && program_kept() < 2))
		printf("not ");
	printf("ok - fuzz_ioctl: seed %llu, %lu programs, %lu calls, %u kept, %u points reached\n",
	       (unsigned long long)seed, programs, calls, program_kept(), fuzz_points());
	return 0;
}
