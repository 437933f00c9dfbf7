/* SPDX-License-Identifier: MIT */
/*
 * Worker threads (libruntime/common/workers.h): a round calls each worker at most once, the caller always, and ends after
 * what they do. Between them they do each job once. And when they are asked at all (hw/ppu_help.h).
 */
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <common/workers.h>
#include <hw/ppu_help.h>
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

/* ---- when to ask for help: a model of time, in ns --------------------------------------------------- */

#define US	1000ull
#define MS	(1000 * US)
#define ROUND	(100 * US)	/* what a round takes alone */

/* Rounds until `end`; each is asked for, if that seems worth it, and then saves and loses so much. Returns how many. */
static unsigned rounds_until(struct ppu_help *h, uint64_t *now, uint64_t end, int64_t saved, uint64_t lost)
{
	unsigned asked = 0;

	while (*now < end) {
		bool ask = ppu_help_wanted(h, *now);

		*now += ask ? (uint64_t)((int64_t)(ROUND + lost) - saved) : ROUND;
		if (ask)
			ppu_help_round(h, *now, saved, lost);
		asked += ask;
	}
	return asked;
}

START_TEST(help_that_pays_is_asked_for)
{
	struct ppu_help h;
	uint64_t now = 5;

	ppu_help_init(&h);
	ck_assert_uint_eq(rounds_until(&h, &now, 10 * MS, 45 * US, 5 * US), 167);	/* 60 us each: all of them */
	/* One that took a turn of somebody else's stops nothing, after so much was gained. */
	ppu_help_round(&h, now, 50 * US, 2 * MS);
	ck_assert(ppu_help_wanted(&h, now));
	/* Nobody comes, and it costs nothing: there is no reason not to ask. */
	ck_assert_uint_eq(rounds_until(&h, &now, now + 10 * MS, 0, 0), 100);
}
END_TEST

START_TEST(help_that_costs_is_tried_more_and_more_rarely)
{
	struct ppu_help h;
	uint64_t now = 0, since;
	unsigned asked;

	ppu_help_init(&h);
	/* Who is woken, for 40 us, comes too late each time: four trials, then a pause, and so on. */
	asked = rounds_until(&h, &now, MS / 2, 0, 40 * US);
	ck_assert_uint_eq(asked, 4);
	ck_assert(!ppu_help_wanted(&h, now));
	ck_assert(ppu_help_wanted(&h, now + MS));
	/* 1, 2, 4, 8, 16, 32, 64 ms, and again 64. */
	asked = rounds_until(&h, &now, 1000 * MS, 0, 40 * US);
	ck_assert_uint_ge(asked, 4 * 15);
	ck_assert_uint_le(asked, 4 * 22);
	/* It pays again: noticed after at most one pause, and from then on always asked. */
	since = now;
	rounds_until(&h, &now, now + PPU_HELP_LONG + MS, 45 * US, 0);
	asked = rounds_until(&h, &now, since + PPU_HELP_LONG + 101 * MS, 45 * US, 0);
	ck_assert_uint_ge(asked, 1800);
	/* And then the next pause is a short one. */
	ppu_help_round(&h, now, 0, 100 * MS);
	ck_assert(!ppu_help_wanted(&h, now));
	ck_assert(ppu_help_wanted(&h, now + PPU_HELP_PAUSE));
}
END_TEST

START_TEST(a_helper_without_cpu_saves_little)
{
	struct ppu_help h;

	ck_assert_int_eq(ppu_help_saved(60 * US, 55 * US), 55 * US);
	ck_assert_int_eq(ppu_help_saved(10 * US, 40 * US), 40 * US);	/* one long job, and one short */
	ck_assert_int_eq(ppu_help_saved(60 * US, 3060 * US), 60 * US + PPU_HELP_UNEVEN);
	/* It had none for 3 ms, for which the caller waited. */
	ppu_help_init(&h);
	ppu_help_round(&h, 7, ppu_help_saved(60 * US, 3060 * US), 3000 * US);
	ck_assert(!ppu_help_wanted(&h, 8));
	ck_assert(ppu_help_wanted(&h, 7 + PPU_HELP_PAUSE));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("workers");
	TCase *t = tcase_create("workers");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_job_once, 0, 8);
	tcase_add_test(t, help_that_pays_is_asked_for);
	tcase_add_test(t, help_that_costs_is_tried_more_and_more_rarely);
	tcase_add_test(t, a_helper_without_cpu_saves_little);
	suite_add_tcase(s, t);
	return run_suite(s);
}
