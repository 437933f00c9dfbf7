/* SPDX-License-Identifier: MIT */
/*
 * What racecheck knows of who knows what: threads of three blocks tell each other at random, and each then knows exactly what
 * a table of all clocks says.  (What is lost, the address sanitizer reports.)
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check/race/inner.h"
#include "run_suite.h"

#define BLOCKS	3u
#define MOST	70u		/* threads: the last warp is not whole */

static struct rc_cta *block[BLOCKS];
/* The clock of each thread that a thread knows. */
static uint32_t model[BLOCKS][MOST][BLOCKS][MOST], seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static uint32_t known(uint32_t b, uint32_t t, uint32_t of, uint32_t thread)
{
	const struct rc_known *k = &block[b]->thread[t].now;
	const struct rc_entry *e;
	uint32_t clock;

	if (b != of) {
		e = rc_set_find(k->far, block[of]->number);
		return e ? rc_entry_clock(e, thread) : 0;
	}
	clock = t == thread ? k->clock : k->base ? k->base->clock[thread] : 0;
	if (t != thread && t / PPU_OBSERVE_LANES == thread / PPU_OBSERVE_LANES && k->warp[thread % PPU_OBSERVE_LANES] > clock)
		clock = k->warp[thread % PPU_OBSERVE_LANES];
	return clock;
}

static void tell(uint32_t b, uint32_t t, uint32_t to_b, uint32_t to_t)
{
	struct rc_set *told = rc_told(block[b], t, &block[b]->thread[t].now);

	ck_assert_ptr_nonnull(told);
	rc_learn(block[to_b], to_t, told);
	rc_set_drop(told);
	for (uint32_t of = 0; of < BLOCKS; of++) {
		for (uint32_t i = 0; i < block[of]->threads; i++) {
			uint32_t *m = &model[to_b][to_t][of][i], is;

			if (*m < model[b][t][of][i])
				*m = model[b][t][of][i];
			is = known(to_b, to_t, of, i);
			ck_assert_msg(is == *m, "thread %u of block %u knows %u of thread %u of block %u, not %u", to_t, to_b, is, i, of, *m);
		}
	}
	model[b][t][b][t] = ++block[b]->thread[t].now.clock;
}

/* Loop test: mostly in a warp, in a block, among all. */
START_TEST(everybody_tells)
{
	static const uint32_t threads[BLOCKS] = { MOST, 64, 5 }, numbers[BLOCKS] = { 1, 38, 0xf0000001 };

	seed = (uint32_t)_i + 1;
	memset(model, 0, sizeof(model));
	for (uint32_t b = 0; b < BLOCKS; b++) {
		block[b] = calloc(1, sizeof(*block[b]) + threads[b] * sizeof(block[b]->thread[0]));
		ck_assert_ptr_nonnull(block[b]);
		block[b]->number = numbers[b];
		block[b]->threads = threads[b];
		for (uint32_t t = 0; t < threads[b]; t++)
			model[b][t][b][t] = block[b]->thread[t].now.clock = 1;
	}
	for (unsigned n = 0; n < 600; n++) {
		uint32_t b = below(BLOCKS), t = below(threads[b]), to = below(BLOCKS + 2 * (_i % 3)), u;

		to = to < BLOCKS ? to : b;
		u = below(threads[to]);
		if (to == b && _i % 3 == 2 && t / 32 * 32 + u % 32 < threads[b])
			u = t / 32 * 32 + u % 32;
		if (to != b || u != t)
			tell(b, t, to, u);
	}
	for (uint32_t b = 0; b < BLOCKS; b++) {
		for (uint32_t t = 0; t < threads[b]; t++) {
			rc_table_drop(block[b]->thread[t].now.base);
			rc_set_drop(block[b]->thread[t].now.far);
		}
		free(block[b]);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("race_know");
	TCase *c = tcase_create("race_know");

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, everybody_tells, 0, 6);
	suite_add_tcase(s, c);
	return run_suite(s);
}
