/* SPDX-License-Identifier: MIT */
/*
 * Random streams, priorities, copies, fills, kernels and events: at the end memory is as if everything had run in the
 * order of issue, the rules of copy priorities hold all the time, and nothing is left over.  CP-1, CP-10, CP-14, CP-21,
 * CP-24, CP-29, CP-37.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt_scene.h"
#include "run_suite.h"

static uint32_t rng(uint32_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s;
}

/*
 * The rules, from the trace alone: a copy starts only while every semaphore above its channel's rank is 0;
 * a semaphore's value is the number of its channels that are between inc and dec; a channel's copies
 * start in that state.
 */
static void check_rules(const struct scene *sc, const struct rt_trace *t, const unsigned *rank_of_hw, unsigned seed)
{
	uint64_t value[MAX_RANKS + 1] = { 0 };
	bool *up = calloc(65536, sizeof(*up));
	size_t starts = 0;

	ck_assert_ptr_nonnull(up);
	for (size_t i = 0; i < t->num; i++) {
		const struct ppu_trace_rec *r = &t->rec[i];

		if (r->event == PPU_TR_SEM_WRITE && scene_rank_of_sem(sc, r->b)) {
			unsigned rank = scene_rank_of_sem(sc, r->b);
			bool inc = r->d == value[rank] + 1;

			ck_assert_msg(inc || r->d + 1 == value[rank], "seed %u: S%u jumps", seed, rank);
			ck_assert_msg(rank_of_hw[r->unit] == rank, "seed %u: channel %u writes S%u", seed, r->unit, rank);
			ck_assert_msg(up[r->unit] != inc, "seed %u: channel %u: two incs or two decs", seed, r->unit);
			up[r->unit] = inc;
			value[rank] = r->d;
		} else if (r->event == PPU_TR_CE_START) {
			unsigned rank = rank_of_hw[r->a];

			ck_assert_uint_ge(rank, 1);
			for (unsigned k = rank + 1; k <= sc->ranks; k++)
				ck_assert_msg(!value[k], "seed %u: a copy of rank %u starts while S%u is %llu, time %llu",
					      seed, rank, k, (unsigned long long)value[k], (unsigned long long)r->time);
			ck_assert_msg(rank == 1 || up[r->a], "seed %u: a copy of rank %u starts without its inc", seed, rank);
			starts++;
		}
	}
	for (unsigned k = 2; k <= sc->ranks; k++)
		ck_assert_msg(!value[k], "seed %u: S%u is %llu at the end", seed, k, (unsigned long long)value[k]);
	ck_assert_uint_gt(starts, 50);
	free(up);
}

#define BUFFERS	24
#define BUF_MAX	(96 * KB)
#define EVENTS	8

/* Random streams, priorities, copies, fills, kernels, events; the result is that of the order of issue. */
static void random_run(unsigned seed)
{
	static const char *const shapes[] = { "11", "132", "2222", "1111111111", "31", "1213" };
	static const char *const props[] = {
		"copy-engines=1 gpcs=1", "copy-engines=2 gpcs=1", "copy-engines=3 gpcs=1 timeslice=20000",
		"copy-engines=1 gpcs=1 timeslice=5000 run-limit=4",
	};
	uint32_t s = 2463534242u + seed * 7919u;
	unsigned rank_of_hw[512] = { 0 }, last[BUFFERS] = { 0 };
	static uint8_t model[BUFFERS][BUF_MAX];
	const char *shape = shapes[rng(&s) % 6];
	char *buf[BUFFERS];
	ppuEvent ev[EVENTS], done[BUFFERS];
	struct scene sc;
	struct rt_trace t;
	ppuStreamCopyInfo info;

	scene_new(&sc, props[rng(&s) % 4], shape, rng(&s) % CONVENTIONS, "");
	for (unsigned i = 0; i < 12; i++)
		scene_add(&sc, 1 + rng(&s) % sc.ranks);
	for (unsigned i = 1; i < sc.num; i++) {
		OK(ppuStreamGetCopyInfo(sc.s[i], &info));
		rank_of_hw[info.hw_channel] = sc.convention & 2 ? sc.ranks + 1 - (unsigned)info.priority :
					      (unsigned)info.priority;
	}
	OK(ppuStreamGetCopyInfo(NULL, &info));
	rank_of_hw[info.hw_channel] = 1;
	scene_launch(NULL, NULL, NULL);
	for (unsigned i = 0; i < BUFFERS; i++) {
		if (i & 1)
			OK(ppuMallocHost((void **)&buf[i], BUF_MAX));
		else
			OK(ppuMalloc((void **)&buf[i], BUF_MAX));
		OK(ppuMemset(buf[i], i, 1, BUF_MAX));
		memset(model[i], (int)i, BUF_MAX);
		OK(ppuEventCreate(&done[i], PPU_EVENT_DISABLE_TIMING));
	}
	for (unsigned i = 0; i < EVENTS; i++)
		OK(ppuEventCreate(&ev[i], rng(&s) & 1));
	for (int step = 0; step < 300; step++) {
		unsigned k = 1 + rng(&s) % (sc.num - 1), a = rng(&s) % BUFFERS, b = rng(&s) % BUFFERS;
		uint32_t bytes = 1 + rng(&s) % (rng(&s) % 4 ? 4 * KB : BUF_MAX / 2), at = rng(&s) % (BUF_MAX / 2);
		ppuStream st = sc.s[k];

		switch (rng(&s) % 16) {
		case 0:
			OK(ppuEventRecord(ev[rng(&s) % EVENTS], st));
			continue;
		case 1:
			OK(ppuStreamWaitEvent(st, ev[rng(&s) % EVENTS]));
			continue;
		case 2:
			rt_pass(rng(&s) % (50 * US));
			continue;
		case 3: {
			uint32_t loops = 100 + rng(&s) % 5000;

			scene_launch("spin", st, &loops);
			continue;
		}
		}
		/* An operation waits for the last user of its buffer; these waits make the priorities interesting. */
		for (unsigned i = 0; i < 2; i++)
			if (last[i ? b : a] && last[i ? b : a] != k)
				OK(ppuStreamWaitEvent(st, done[i ? b : a]));
		if (a == b) {
			uint32_t v = rng(&s) & 0xff;

			OK(ppuMemsetAsync(buf[a] + at, v, 1, bytes, st));
			memset(model[a] + at, (int)v, bytes);
		} else {
			uint32_t from = rng(&s) % (BUF_MAX / 2);

			OK(ppuMemcpyAsync(buf[a] + at, buf[b] + from, bytes, st));
			memcpy(model[a] + at, model[b] + from, bytes);
		}
		OK(ppuEventRecord(done[a], st));
		last[a] = k;
		if (a != b) {
			OK(ppuEventRecord(done[b], st));
			last[b] = k;
		}
	}
	OK(ppuCtxSynchronize());
	for (unsigned r = 2; r <= sc.ranks; r++)
		ck_assert_uint_eq(scene_sem(&sc, r), 0);
	for (unsigned i = 0; i < BUFFERS; i++) {
		static uint8_t got[BUF_MAX];

		OK(ppuMemcpy(got, buf[i], BUF_MAX));
		ck_assert_msg(!memcmp(got, model[i], BUF_MAX), "seed %u: buffer %u differs", seed, i);
	}
	t = scene_end(&sc);
	check_rules(&sc, &t, rank_of_hw, seed);
	rt_trace_free(&t);
}

START_TEST(random_work)
{
	const char *one = getenv("PPU_TEST_SEED");

	if (one) {
		random_run((unsigned)strtoul(one, NULL, 0));
		return;
	}
	for (unsigned seed = 0; seed < 12; seed++)
		random_run((unsigned)_i * 12 + seed);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rt_copyrandom");
	TCase *c = tcase_create("copies");

	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, random_work, 0, 8);
	suite_add_tcase(s, c);
	return run_suite(s);
}
