// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver, KUnit: how many page tables an ioctl of many binds may need.
 */

#include <linux/prandom.h>
#include <linux/sort.h>

#include "kunit/ppu_kunit_space.h"
#include "kunit/ppu_kunit_suites.h"

#define KU_MAX_CHANGES	32

/* what NULL: unmap. */
struct ku_change {
	const struct ku_pieces *what;
	u64 at;
	u64 size;
};

static int ku_by_first(const void *a, const void *b)
{
	const struct ppu_pt_span *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static struct ppu_pt_need ku_need(struct kunit *test, const struct ku_change *c, u32 n)
{
	struct ppu_pt_need need = {};
	struct ppu_pt_span *span;
	u32 i, spans = 0;

	span = kunit_kcalloc(test, n * PPU_PT_MAX_SPANS, sizeof(*span), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, span);
	for (i = 0; i < n; i++) {
		if (c[i].what) {
			struct ppu_backing mem = ku_backing(c[i].what);

			ppu_pt_span_map(&span[spans++], &mem, 0, c[i].at, c[i].size);
		} else {
			spans += ppu_pt_span_cuts(span + spans, c[i].at, c[i].size);
		}
	}
	sort(span, spans, sizeof(*span), ku_by_first, NULL);
	ppu_pt_need_spans(&need, span, spans);
	kunit_kfree(test, span);
	return need;
}

/* Prepares the changes with exactly as many tables as planned; returns those that were left. */
static u32 ku_together(struct kunit *test, const struct ku_change *c, u32 n)
{
	struct ku_space *space = ku_space_new(test);
	struct ppu_pt_need need = ku_need(test, c, n);
	struct ku_pool pool = ku_pool(space, need.leaves, need.dirs);
	u32 i;

	for (i = 0; i < n; i++) {
		struct ppu_backing mem = ku_backing(c[i].what ? c[i].what : &ku_whole);

		KUNIT_EXPECT_TRUE(test, ppu_pt_prepare(&space->tree, &pool,
						       c[i].what ? &mem : NULL, 0, c[i].at,
						       c[i].size, i > 0));
	}
	ppu_pt_prune(&space->tree, 0, 1ull << 47);
	KUNIT_EXPECT_EQ(test, space->tables, 1u);
	kunit_kfree(test, space->vram);
	return pool.left.leaves + pool.left.dirs;
}

/* One mapping in an empty address space: neither a table too few nor one too many. */
static void exact_when_empty(struct kunit *test)
{
	static const u64 at[] = { KU_1G, KU_1G + KU_4K, KU_1G - KU_4K, (1ull << 39) - KU_2M };
	static const u64 size[] = { KU_4K, KU_2M, 2 * KU_2M + KU_4K, 9 * KU_2M };
	static const struct ku_pieces *const what[] = { &ku_whole, &ku_pages, &ku_askew };
	u32 i, j, k;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		for (j = 0; j < ARRAY_SIZE(size); j++) {
			for (k = 0; k < ARRAY_SIZE(what); k++) {
				struct ku_change c = { what[k], at[i], size[j] };

				KUNIT_EXPECT_EQ(test, ku_together(test, &c, 1), 0u);
			}
		}
	}
}

/* A range that is mapped a thousand times needs what it needs once. */
static void same_range(struct kunit *test)
{
	enum { TIMES = 1000 };
	struct ku_change *c = kunit_kcalloc(test, TIMES, sizeof(*c), GFP_KERNEL);
	struct ppu_pt_need once, often, more;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < TIMES; i++)
		c[i] = (struct ku_change){ &ku_pages, KU_1G, 128 * KU_2M };
	once = ku_need(test, c, 1);
	often = ku_need(test, c, TIMES);
	/* Elsewhere: a table of each of the lower two levels. */
	c[TIMES - 1] = (struct ku_change){ &ku_pages, 8 * KU_1G, KU_4K };
	more = ku_need(test, c, TIMES);
	KUNIT_EXPECT_EQ(test, once.leaves, 128u);
	KUNIT_EXPECT_EQ(test, often.leaves, once.leaves);
	KUNIT_EXPECT_EQ(test, often.dirs, once.dirs);
	KUNIT_EXPECT_EQ(test, more.leaves, once.leaves + 1);
	KUNIT_EXPECT_EQ(test, more.dirs, once.dirs + 1);
}

/* A range without memory behind it needs tables at its ends only, whatever its size. */
static void cuts_only(struct kunit *test)
{
	struct ku_change c = { NULL, KU_4K, 1ull << 46 };
	struct ppu_pt_need worst = {}, need = ku_need(test, &c, 1);

	ppu_pt_need_cuts(&worst);
	KUNIT_EXPECT_EQ(test, need.leaves, 2u);
	KUNIT_EXPECT_LE(test, need.dirs, worst.dirs);
	c = (struct ku_change){ NULL, KU_1G, 3 * KU_2M };
	need = ku_need(test, &c, 1);
	KUNIT_EXPECT_EQ(test, need.leaves + need.dirs, 0u);
}

/* What is planned for changes that share tables is enough. */
static void random_is_enough(struct kunit *test)
{
	static const struct ku_pieces *const what[] = { &ku_whole, &ku_pages, &ku_askew, NULL };
	struct ku_change c[KU_MAX_CHANGES];
	struct rnd_state rnd;
	u32 round, i, n;

	prandom_seed_state(&rnd, 6);
	for (round = 0; round < 40; round++) {
		n = 1 + prandom_u32_state(&rnd) % KU_MAX_CHANGES;
		for (i = 0; i < n; i++) {
			c[i].what = what[prandom_u32_state(&rnd) % ARRAY_SIZE(what)];
			c[i].at = (1ull << (30 + prandom_u32_state(&rnd) % 2 * 9)) - 3 * KU_2M +
				  prandom_u32_state(&rnd) % 2048 * KU_4K;
			c[i].size = (1 + prandom_u32_state(&rnd) % 1500) * KU_4K;
		}
		ku_together(test, c, n);
	}
}

static struct kunit_case ppu_kunit_bind_cases[] = {
	KUNIT_CASE(exact_when_empty),
	KUNIT_CASE(same_range),
	KUNIT_CASE(cuts_only),
	KUNIT_CASE(random_is_enough),
	{}
};

struct kunit_suite ppu_kunit_bind_suite = {
	.name = "ppu_bind_size",
	.test_cases = ppu_kunit_bind_cases,
};
