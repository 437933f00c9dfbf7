/* SPDX-License-Identifier: MIT */
/* Stream priorities to device priorities: the method and its examples, exactly. */
#include <stdlib.h>
#include "bench_main.h"
#include "api/stream/priomap.h"

/* Check notes every assertion in a file: too slow for millions of them. */
#define EXPECT(x) do { if (!(x)) ck_abort_msg("%s", #x); } while (0)

static uint32_t map(enum rt_prio_policy policy, uint32_t m, uint32_t n, uint32_t levels, uint32_t level)
{
	uint32_t d = ~0u;

	EXPECT(rt_prio_map(rt_prio_policies[policy], m, n, levels, level, &d));
	return d;
}

/* Different device priorities that the levels get. */
static unsigned distinct(enum rt_prio_policy policy, uint32_t m, uint32_t n, uint32_t levels)
{
	unsigned count = 1;

	for (uint32_t i = 1; i < levels; i++)
		count += map(policy, m, n, levels, i) != map(policy, m, n, levels, i - 1);
	return count;
}

/* SP-18: K = floor(M / N); SP-44: N = 0 and N > M are refused. */
START_TEST(number_for_streams)
{
	static const struct { uint32_t m, n, k; } want[] = {
		{ 12, 4, 3 }, { 12, 2, 6 }, { 10, 4, 2 }, { 64, 24, 2 }, { 64, 1, 64 }, { 12, 12, 1 },
	};
	uint32_t d;

	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		for (unsigned p = 0; p < RT_PRIO_POLICIES; p++)
			ck_assert_uint_eq(distinct(p, want[i].m, want[i].n, 100), want[i].k);
	ck_assert(!rt_prio_map(rt_prio_policies[0], 12, 13, 6, 0, &d));
	ck_assert(!rt_prio_map(rt_prio_policies[0], 12, 0, 6, 0, &d));
	ck_assert(!rt_prio_map(rt_prio_policies[0], 0, 1, 6, 0, &d));
	ck_assert(!rt_prio_map(rt_prio_policies[0], 12, 4, 6, 6, &d));
}
END_TEST

/* SP-23, SP-24, SP-25, SP-26, SP-31, SP-32, SP-41: the examples. */
START_TEST(map_examples)
{
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(map(RT_PRIO_BOTTOM, 12, 4, 3, i), 4 * i);
	for (uint32_t i = 0; i < 6; i++)	/* also the six-stage pipeline of SP-41 */
		ck_assert_uint_eq(map(RT_PRIO_BOTTOM, 12, 2, 6, i), 2 * i);
	ck_assert_uint_eq(distinct(RT_PRIO_BOTTOM, 12, 4, 6), 3);
	ck_assert_uint_eq(map(RT_PRIO_BOTTOM, 10, 4, 100, 0), 0);		/* 100..199 */
	for (uint32_t i = 1; i < 100; i++)
		ck_assert_uint_eq(map(RT_PRIO_BOTTOM, 10, 4, 100, i), 4);
	ck_assert_uint_eq(map(RT_PRIO_TOP, 10, 4, 100, 99), 6);
	ck_assert_uint_eq(map(RT_PRIO_BOTTOM_MERGE_LOW, 10, 4, 100, 99), 4);
	for (uint32_t i = 0; i < 99; i++) {
		ck_assert_uint_eq(map(RT_PRIO_TOP, 10, 4, 100, i), 2);
		ck_assert_uint_eq(map(RT_PRIO_BOTTOM_MERGE_LOW, 10, 4, 100, i), 0);
	}
	ck_assert_uint_eq(map(RT_PRIO_BOTTOM, 12, 4, 2, 0), 0);
	ck_assert_uint_eq(map(RT_PRIO_BOTTOM, 12, 4, 2, 1), 4);
}
END_TEST

/* SP-19, SP-20, SP-21, SP-22: all M <= 64, N <= M, random numbers of stream priorities, against the
 * method step by step and the invariants. */
START_TEST(map_method_and_invariants)
{
	unsigned seed = 4;

	for (uint32_t m = 1; m <= 64; m++)
		for (uint32_t n = 1; n <= m; n++)
			for (unsigned round = 0; round < 6; round++) {
				uint32_t levels = 1 + (uint32_t)rand_r(&seed) % (round < 3 ? 8 : 150), k = m / n;
				uint32_t avail = m / n, d = 0, s = 0, shared = 0;

				for (;;) {	/* steps 5 to 7 */
					EXPECT(map(RT_PRIO_BOTTOM, m, n, levels, s) == d);
					avail--;
					if (!avail || s == levels - 1)
						break;
					s++;
					d += n;
				}
				for (; s < levels; s++)
					EXPECT(map(RT_PRIO_BOTTOM, m, n, levels, s) == d);
				for (unsigned p = 0; p < RT_PRIO_POLICIES; p++) {
					for (uint32_t i = 0; i < levels; i++) {
						uint32_t v = map(p, m, n, levels, i);

						EXPECT(v + n - 1 <= m - 1);
						if (i && v != map(p, m, n, levels, i - 1))
							EXPECT(v >= map(p, m, n, levels, i - 1) + n);
					}
					EXPECT(distinct(p, m, n, levels) == (levels < k ? levels : k));
				}
				if (levels <= k)
					continue;
				for (uint32_t i = 0; i < levels; i++)	/* S + 1 share one */
					shared += map(RT_PRIO_BOTTOM, m, n, levels, i) == (k - 1) * n;
				EXPECT(shared == levels - k + 1);
				for (shared = 0; shared < levels && map(RT_PRIO_TOP, m, n, levels, shared) == m - k * n;)
					shared++;
				EXPECT(shared == levels - k + 1);
			}
}
END_TEST

static uint32_t always_three(uint32_t m, uint32_t n, uint32_t levels, uint32_t level)
{
	return 3;
}

/* SP-27: another mapping in its place. */
START_TEST(map_is_replaceable)
{
	uint32_t d = 0;

	ck_assert(rt_prio_map(always_three, 12, 4, 6, 2, &d));
	ck_assert_uint_eq(d, 3);
}
END_TEST

BENCH_MAIN("priomap", number_for_streams, map_examples, map_method_and_invariants, map_is_replaceable)
