/* SPDX-License-Identifier: MIT */
/* Worker threads (libruntime/common/workers.h): each job of each round runs once, and a round ends after its jobs. */
#include <check.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <common/workers.h>
#include "run_suite.h"

#define JOBS 64

static unsigned done[JOBS], late;
static bool slow;

static void job(void *arg, unsigned i)
{
	struct timespec ns = { 0, 100000 };

	if (slow && i == 0)
		nanosleep(&ns, NULL);	/* longer than a waiting thread looks before it sleeps */
	__atomic_fetch_add(&done[i], 1, __ATOMIC_RELAXED);
	if (*(unsigned *)arg != __atomic_load_n(&done[i], __ATOMIC_RELAXED))
		__atomic_fetch_add(&late, 1, __ATOMIC_RELAXED);
}

/* More workers than the host has CPUs, too; jobs and pauses that take longer than threads look for work. */
START_TEST(every_job_once)
{
	static const unsigned workers[] = { 1, 2, 3, 16 };
	struct ppu_workers *p = ppu_workers_new(workers[_i / 2]);
	struct timespec pause = { 0, 200000 };
	unsigned rounds = _i % 2 ? 50 : 1000;

	ck_assert_ptr_nonnull(p);
	memset(done, 0, sizeof(done));
	late = 0;
	slow = _i % 2;
	for (unsigned round = 1; round <= rounds; round++) {
		unsigned n = 1 + round * 7 % JOBS;

		for (unsigned i = n; i < JOBS; i++)
			done[i]++;	/* these do not run in this round */
		ppu_workers_run(p, job, &round, n);
		for (unsigned i = 0; i < JOBS; i++)
			ck_assert_uint_eq(done[i], round);
		if (slow && round % 8 == 0)
			nanosleep(&pause, NULL);
	}
	ck_assert_uint_eq(late, 0);
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
