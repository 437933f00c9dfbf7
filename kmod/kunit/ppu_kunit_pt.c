// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver, KUnit: page tables.
 */

#include <linux/prandom.h>

#include "kunit/ppu_kunit_space.h"
#include "kunit/ppu_kunit_suites.h"

static void ku_expect_level(struct ku_space *space, u64 va, unsigned int want)
{
	unsigned int level;

	KUNIT_EXPECT_NE(space->test, ku_leaf(space, va, &level), 0ull);
	KUNIT_EXPECT_EQ(space->test, level, want);
}

/* Large leaves where memory and address allow it, 4 KiB elsewhere. */
static void small_and_large(struct kunit *test)
{
	struct ku_space *space = ku_space_new(test);

	ku_map(space, &ku_whole, 0, KU_1G, 2 * KU_2M + KU_4K);
	ku_expect_level(space, KU_1G, 1);
	ku_expect_level(space, KU_1G + KU_2M, 1);
	ku_expect_level(space, KU_1G + 2 * KU_2M, 0);
	KUNIT_EXPECT_EQ(test, ku_phys(space, KU_1G + KU_2M + 12345), KU_MEMORY + KU_2M + 12345);
	KUNIT_EXPECT_EQ(test, ku_phys(space, KU_1G + 2 * KU_2M + KU_4K), KU_UNMAPPED);
	KUNIT_EXPECT_EQ(test, ku_phys(space, KU_1G - 1), KU_UNMAPPED);

	ku_map(space, &ku_askew, 0, 2 * KU_1G, KU_2M);
	ku_expect_level(space, 2 * KU_1G, 0);
	ku_map(space, &ku_pages, 0, 3 * KU_1G, KU_2M);
	ku_expect_level(space, 3 * KU_1G, 0);
	KUNIT_EXPECT_EQ(test, ku_phys(space, 3 * KU_1G + 5 * KU_4K), KU_MEMORY + 15 * KU_4K);
	ku_map(space, &ku_whole, KU_4K, 4 * KU_1G + KU_4K, 2 * KU_2M);
	ku_expect_level(space, 4 * KU_1G + KU_4K, 0);
	ku_expect_level(space, 4 * KU_1G + KU_2M, 1);
	ku_expect_level(space, 4 * KU_1G + 2 * KU_2M, 0);
}

/* What is left of a large leaf that is cut leads where it led. */
static void cuts(struct kunit *test)
{
	const u64 from = KU_2M - KU_4K, to = 2 * KU_2M + KU_4K;
	struct ku_space *space = ku_space_new(test);
	u64 off;

	ku_map(space, &ku_whole, 0, KU_1G, 3 * KU_2M);
	ku_unmap(space, KU_1G + from, to - from);
	for (off = 0; off < 3 * KU_2M; off += KU_4K)
		KUNIT_EXPECT_EQ(test, ku_phys(space, KU_1G + off),
				off >= from && off < to ? KU_UNMAPPED : KU_MEMORY + off);
	/* Root, two directories, a table on each side; the slot between has none. */
	KUNIT_EXPECT_EQ(test, space->tables, 5u);
}

/* When all is unmapped, the root alone is left. */
static void pruned(struct kunit *test)
{
	struct ku_space *space = ku_space_new(test);

	ku_map(space, &ku_pages, 0, KU_1G - KU_2M, 2 * KU_2M);
	ku_map(space, &ku_whole, 0, 1ull << 39, KU_2M);
	KUNIT_EXPECT_GT(test, space->tables, 1u);
	ku_unmap(space, 0, 1ull << 40);
	KUNIT_EXPECT_EQ(test, space->tables, 1u);
	KUNIT_EXPECT_EQ(test, space->tree.root->used, 0u);
}

/* A pool that is too small: no change, and no table stays. */
static void too_few(struct kunit *test)
{
	struct ku_space *space = ku_space_new(test);
	struct ppu_backing mem = ku_backing(&ku_pages);
	u32 n;

	for (n = 0; n < 4; n++) {
		struct ku_pool pool = ku_pool(space, n / 2, n % 2 + 1);

		KUNIT_EXPECT_FALSE(test, ppu_pt_prepare(&space->tree, &pool, &mem, 0, KU_1G - KU_4K,
							2 * KU_4K, true));
		KUNIT_EXPECT_EQ(test, ku_phys(space, KU_1G - KU_4K), KU_UNMAPPED);
		ppu_pt_prune(&space->tree, 0, 2 * KU_1G);
		KUNIT_EXPECT_EQ(test, space->tables, 1u);
	}
}

/* Maps and unmaps at random, against a list of where each page leads. */
static void random_changes(struct kunit *test)
{
	static const struct ku_pieces *const what[] = { &ku_whole, &ku_pages, &ku_askew };
	enum { PAGES = 4 * 512, ROUNDS = 60 };
	struct ku_space *space = ku_space_new(test);
	u64 *want = kunit_kcalloc(test, PAGES, sizeof(*want), GFP_KERNEL);
	struct rnd_state rnd;
	u32 i, k;

	KUNIT_ASSERT_NOT_NULL(test, want);
	for (i = 0; i < PAGES; i++)
		want[i] = KU_UNMAPPED;
	prandom_seed_state(&rnd, 15);
	for (k = 0; k < ROUNDS; k++) {
		u32 first = prandom_u32_state(&rnd) % PAGES;
		u32 n = 1 + prandom_u32_state(&rnd) % (PAGES - first), bad = 0;
		const struct ku_pieces *p = what[prandom_u32_state(&rnd) % ARRAY_SIZE(what)];
		bool map = prandom_u32_state(&rnd) % 3;
		struct ppu_backing mem = ku_backing(p);
		u64 contig;

		/* Half of them at whole slots, so that there are large leaves to be cut. */
		if (k % 2) {
			first = rounddown(first, 512);
			n = roundup(n, 512);
		}
		if (map)
			ku_map(space, p, first * KU_4K, KU_1G + first * KU_4K, n * KU_4K);
		else
			ku_unmap(space, KU_1G + first * KU_4K, n * KU_4K);
		for (i = first; i < first + n; i++)
			want[i] = map ? mem.addr(p, i * KU_4K, &contig) : KU_UNMAPPED;
		for (i = 0; i < PAGES; i++)
			bad += ku_phys(space, KU_1G + i * KU_4K) != want[i];
		KUNIT_EXPECT_EQ_MSG(test, bad, 0u, "after change %u", k);
	}
}

static struct kunit_case ppu_kunit_pt_cases[] = {
	KUNIT_CASE(small_and_large),
	KUNIT_CASE(cuts),
	KUNIT_CASE(pruned),
	KUNIT_CASE(too_few),
	KUNIT_CASE(random_changes),
	{}
};

struct kunit_suite ppu_kunit_pt_suite = {
	.name = "ppu_pt",
	.test_cases = ppu_kunit_pt_cases,
};
