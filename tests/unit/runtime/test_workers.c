/* SPDX-License-Identifier: MIT */
/*
 * Worker threads (libruntime/common/workers.h): a round calls each worker at most once, the caller always, and ends after
 * what they do. Between them they do each job once.
 */
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <common/workers.h>
#include "run_suite.h"

#define JOBS 64

#define THREADS	16

static unsigned done[JOBS], next_job, num_jobs, late, calls[THREADS], by_others;
static pthread_t who[THREADS];
static bool slow;

static void job(void *arg, unsigned i)
{
	struct timespec ns = { 0, 400000 };

	if (slow && i == 0)
		nanosleep(&ns, NULL);	/* longer than a waiting thread looks before it sleeps */
	__atomic_fetch_add(&done[i], 1, __ATOMIC_RELAXED);
	if (*(unsigned *)arg != __atomic_load_n(&done[i], __ATOMIC_RELAXED))
		__atomic_fetch_add(&late, 1, __ATOMIC_RELAXED);
}

static void work(void *arg, unsigned worker)
{
	unsigned i;

	if (__atomic_fetch_add(&calls[worker], 1, __ATOMIC_RELAXED) == 0)
		who[worker] = pthread_self();
	if (!pthread_equal(who[worker], pthread_self()))
		__atomic_fetch_add(&late, 1, __ATOMIC_RELAXED);
	while ((i = __atomic_fetch_add(&next_job, 1, __ATOMIC_RELAXED)) < num_jobs) {
		job(arg, i);
		if (worker)
			__atomic_fetch_add(&by_others, 1, __ATOMIC_RELAXED);
	}
}

/* More workers than the host has CPUs, too; jobs and pauses that take longer than threads look for work. */
START_TEST(every_job_once)
{
	static const unsigned workers[] = { 1, 2, 3, THREADS };
	struct ppu_workers *p = ppu_workers_new(workers[_i / 2]);
	struct timespec pause = { 0, 400000 };
	unsigned rounds = _i % 2 ? 50 : 1000;

	ck_assert_ptr_nonnull(p);
	memset(done, 0, sizeof(done));
	memset(calls, 0, sizeof(calls));
	late = by_others = 0;
	slow = _i % 2;
	for (unsigned round = 1; round <= rounds; round++) {
		unsigned n = 1 + round * 7 % JOBS;

		for (unsigned i = n; i < JOBS; i++)
			done[i]++;	/* these do not run in this round */
		num_jobs = n;
		next_job = 0;
		ppu_workers_run(p, work, &round);
		for (unsigned i = 0; i < JOBS; i++)
			ck_assert_uint_eq(done[i], round);
		if (slow && round % 8 == 0)
			nanosleep(&pause, NULL);
		/* Rounds that take so long wake somebody, who may be let run late: the time limit ends this. */
		if (slow && round == rounds && !by_others && workers[_i / 2] > 1)
			rounds++;
	}
	ck_assert_uint_eq(late, 0);
	ck_assert_uint_eq(calls[0], rounds);
	for (unsigned i = 1; i < THREADS; i++)
		ck_assert_uint_le(calls[i], i < workers[_i / 2] ? rounds : 0);
	ppu_workers_free(p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("workers");
	TCase *t = tcase_create("workers");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_job_once, 0, 8);
	suite_add_tcase(s, t);
	return run_suite(s);
}
