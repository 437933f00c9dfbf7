/* SPDX-License-Identifier: MIT */
/*
 * bare: a guest that works without a PPU. What goes wrong when it is stopped, saved or moved is not the device's fault
 * (scripts/trials versions_bare).
 *
 *	bare [-v] [-t SECONDS] [-s SEED] NAME
 *
 * Three processes write memory, fork children that read it and write their copies, look at every word, and sleep in
 * between. After some pieces of work it prints "round NAME NUMBER PIECES". The options are those of tests/storm/trial.c.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS	3
#define WORDS	(256u << 10)	/* 2 MiB */
#define PIECES	8		/* of each worker in a round, at least */

static unsigned long *works;	/* of each worker; shared */

static uint64_t word(uint64_t seed, uint64_t i)
{
	return (seed << 32 ^ i) * 0x9e3779b97f4a7c15ull + seed;
}

static void fill(uint64_t *p, uint64_t seed)
{
	for (uint64_t i = 0; i < WORDS; i++)
		p[i] = word(seed, i);
}

static void check(const uint64_t *p, uint64_t seed, const char *who)
{
	for (uint64_t i = 0; i < WORDS; i++) {
		if (p[i] == word(seed, i))
			continue;
		printf("not ok - bare: word %llu of the %s is %#llx, not %#llx\n", (unsigned long long)i, who,
		       (unsigned long long)p[i], (unsigned long long)word(seed, i));
		exit(1);
	}
}

/* A child sees what was written before the fork, and what it writes is its own. */
static void piece(uint64_t *p, uint64_t seed)
{
	int status;
	pid_t pid;

	fill(p, seed);
	pid = fork();
	if (!pid) {
		check(p, seed, "child");
		fill(p, ~seed);
		check(p, ~seed, "child's copy");
		_exit(0);
	}
	check(p, seed, "parent");
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		printf("not ok - bare: a child ended with status %#x\n", pid < 0 ? ~0u : (unsigned)status);
		exit(1);
	}
	check(p, seed, "parent afterwards");
}

static void worker(unsigned id, uint64_t seed)
{
	for (;; seed++) {
		uint64_t *p = mmap(NULL, WORDS * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			exit(1);
		piece(p, seed);
		munmap(p, WORDS * 8);
		usleep(seed * 7919 % 5000);
		__atomic_add_fetch(&works[id], 1, __ATOMIC_SEQ_CST);
	}
}

static unsigned long least(unsigned long *sum)
{
	unsigned long min = ~0ul;

	*sum = 0;
	for (unsigned i = 0; i < WORKERS; i++) {
		unsigned long n = __atomic_load_n(&works[i], __ATOMIC_SEQ_CST);

		*sum += n;
		min = n < min ? n : min;
	}
	return min;
}

/* Whoever ends has said why, or died. */
static void round_ends(unsigned long goal, unsigned long *sum)
{
	int status;
	pid_t pid;

	while (least(sum) < goal) {
		pid = waitpid(-1, &status, WNOHANG);
		if (pid) {
			printf("not ok - bare: worker %d ended with status %#x\n", (int)pid, (unsigned)status);
			exit(1);
		}
		usleep(2000);
	}
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, seconds = 60;
	unsigned long sum;
	time_t end;
	int c;

	while ((c = getopt(argc, argv, "vt:s:")) != -1) {
		if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 't')
			seconds = strtoull(optarg, NULL, 0);
		else if (c != 'v')
			return 2;
	}
	end = time(NULL) + (time_t)seconds;
	setvbuf(stdout, NULL, _IOLBF, 0);
	works = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (works == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < WORKERS; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			worker(i, (seed << 8) + (i << 20));
		}
	for (unsigned long n = 0; time(NULL) < end; n++) {
		round_ends((n + 1) * PIECES, &sum);
		printf("round bare %lu %lu\n", n, sum);
	}
	return 0;
}
