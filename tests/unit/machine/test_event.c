/* SPDX-License-Identifier: MIT */
/* The event list and the run loop. */
#include <stdlib.h>
#include <string.h>
#include "core/base/event.h"
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"

enum { N = 300 };

static struct { uint64_t time; unsigned id; } log_[20000];
static unsigned logged;

static void note(struct ppu_core *core, void *arg)
{
	log_[logged].time = core->now;
	log_[logged++].id = (unsigned)(uintptr_t)arg;
}

/* Random scheduling, moving and cancelling against a plain array. */
START_TEST(order)
{
	struct bench *b = bench_new(NULL);
	struct ppu_event ev[N];
	struct { bool on; uint64_t when, seq; unsigned prio; } model[N];
	unsigned seed = _i + 1;
	uint64_t seq = 0;

	ck_assert(ppu_events_reserve(b->core, N));
	logged = 0;
	memset(model, 0, sizeof(model));
	for (unsigned i = 0; i < N; i++) {
		model[i].prio = i % 5;
		ppu_event_init(&ev[i], model[i].prio, note, (void *)(uintptr_t)i);
	}
	for (unsigned step = 0; step < 8000; step++) {
		unsigned i = rand_r(&seed) % N;

		switch (rand_r(&seed) % 4) {
		case 0: case 1:
			model[i].when = b->core->now + rand_r(&seed) % 50;
			model[i].seq = seq++;
			model[i].on = true;
			ppu_event_schedule(b->core, &ev[i], model[i].when);
			break;
		case 2:
			model[i].on = false;
			ppu_event_cancel(b->core, &ev[i]);
			break;
		case 3: {
			uint64_t until = b->core->now + rand_r(&seed) % 10;
			unsigned from = logged;

			ck_assert_uint_eq(ppu_core_run(b->core, until), until);
			for (unsigned k = from;; k++) {
				int first = -1;

				for (int j = 0; j < N; j++) {
					if (!model[j].on || model[j].when > until)
						continue;
					if (first < 0 || model[j].when < model[first].when ||
					    (model[j].when == model[first].when &&
					     (model[j].prio < model[first].prio ||
					      (model[j].prio == model[first].prio &&
					       model[j].seq < model[first].seq))))
						first = j;
				}
				if (first < 0) {
					ck_assert_uint_eq(k, logged);
					break;
				}
				ck_assert_uint_lt(k, logged);
				ck_assert_uint_eq(log_[k].id, first);
				ck_assert_uint_eq(log_[k].time, model[first].when);
				model[first].on = false;
			}
			break;
		}
		}
		ck_assert_int_eq(ppu_event_pending(&ev[i]), model[i].on);
	}
	for (unsigned i = 0; i < N; i++)
		ppu_event_cancel(b->core, &ev[i]);
	bench_free(b);
}
END_TEST

static void again(struct ppu_core *core, void *arg)
{
	static unsigned left = 5;

	if (left--)
		ppu_event_schedule(core, arg, core->now + 10);
	else
		left = 5;
	if (left == 3)
		ppu_core_request_stop(core);
}

START_TEST(stop_and_idle)
{
	struct bench *b = bench_new(NULL);
	struct ppu_event ev;

	ck_assert(ppu_events_reserve(b->core, 1));
	/* Idle: time follows, nothing happens. */
	ck_assert_uint_eq(ppu_core_next_event(b->core), PPU_TIME_NEVER);
	ck_assert_uint_eq(ppu_core_run(b->core, 1000), 1000);
	ck_assert_uint_eq(ppu_core_run(b->core, 500), 1000);
	ck_assert_uint_eq(ppu_core_run(b->core, PPU_TIME_NEVER), 1000);
	ck_assert(ppu_core_run_idle(b->core, PPU_TIME_NEVER));
	ck_assert_uint_eq(ppu_core_time(b->core), 1000);
	ppu_event_init(&ev, PPU_EVP_HOST, again, &ev);
	ppu_event_schedule(b->core, &ev, 1010);
	/* 1010 (left 4), 1020 (left 3: stop), then the loop returns before 1030. */
	ck_assert_uint_eq(ppu_core_run(b->core, 5000), 1020);
	ck_assert_uint_eq(ppu_core_next_event(b->core), 1030);
	ck_assert_uint_eq(ppu_core_run(b->core, 5000), 5000);
	/* An event in the past happens now. */
	ppu_event_init(&ev, PPU_EVP_HOST, note, NULL);
	ppu_event_schedule(b->core, &ev, 3);
	ck_assert_uint_eq(ppu_core_next_event(b->core), 5000);
	ck_assert_uint_eq(ppu_core_run(b->core, 5000), 5000);
	ppu_event_schedule(b->core, &ev, PPU_TIME_NEVER);
	ck_assert(!ppu_event_pending(&ev));
	/* A limit before the next event: not idle, time stays. */
	ppu_event_schedule(b->core, &ev, 9000);
	ck_assert(!ppu_core_run_idle(b->core, 8000));
	ck_assert_uint_eq(ppu_core_time(b->core), 5000);
	ck_assert(ppu_core_run_idle(b->core, 9000));
	bench_free(b);
}
END_TEST

static void in_pieces(struct ppu_core *core, void *arg)
{
	note(core, (void *)0);
	/* What it schedules comes after its last piece, even before it in order. */
	ppu_event_schedule(core, arg, core->now);
	if (logged < 4)
		ppu_event_again(core, (struct ppu_event *)arg + 1);
	ppu_core_request_stop(core);
}

START_TEST(not_over)
{
	struct bench *b = bench_new(NULL);
	struct ppu_event ev[2];

	ck_assert(ppu_events_reserve(b->core, 2));
	logged = 0;
	ppu_event_init(&ev[0], PPU_EVP_CE, note, (void *)1);
	ppu_event_init(&ev[1], PPU_EVP_HOST, in_pieces, &ev[0]);
	ppu_event_schedule(b->core, &ev[1], 7);
	/* A stop is served after each piece, and time stands still. */
	for (unsigned i = 1; i < 4; i++) {
		ck_assert_uint_eq(ppu_core_run(b->core, 100), 7);
		ck_assert_uint_eq(ppu_core_next_event(b->core), 7);
		ck_assert_uint_eq(logged, i);
	}
	ppu_core_run(b->core, 100);
	ck_assert_uint_eq(logged, 4);
	ppu_core_run(b->core, 100);
	ck_assert_uint_eq(logged, 5);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(log_[i].id, i == 4);
	/* Whoever cancels or moves it takes it out of the first place, and so does a reset. */
	for (unsigned how = 0; how < 3; how++) {
		logged = 0;
		ppu_event_schedule(b->core, &ev[1], 200 + how * 100);
		ck_assert_uint_eq(ppu_core_run(b->core, 250 + how * 100), 200 + how * 100);
		ck_assert_ptr_eq(ppu_event_first(b->core), &ev[1]);
		if (how == 0)
			ppu_event_cancel(b->core, &ev[1]);
		else if (how == 1)
			ppu_event_schedule(b->core, &ev[1], 1000000);
		else
			ppu_core_reset(b->core);
		ck_assert_ptr_eq(ppu_event_first(b->core), how == 2 ? NULL : &ev[0]);
		ppu_event_cancel(b->core, &ev[0]);
		ppu_event_cancel(b->core, &ev[1]);
		ppu_core_run(b->core, 250 + how * 100);
	}
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("event");
	TCase *t = tcase_create("event");

	tcase_add_loop_test(t, order, 0, 4);
	tcase_add_test(t, stop_and_idle);
	tcase_add_test(t, not_over);
	suite_add_tcase(s, t);
	return run_suite(s);
}
