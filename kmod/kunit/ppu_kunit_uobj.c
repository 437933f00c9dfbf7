// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver, KUnit: tables of ids, and arrays of user space that are refused before they are read.
 */

#include <linux/err.h>
#include <linux/xarray.h>

#include <kunit/test.h>

#include "base/ppu_file.h"
#include "base/ppu_uobj.h"
#include "kunit/ppu_kunit_suites.h"

static int ku_init(struct kunit *test)
{
	struct ppu_file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	if (!file)
		return -ENOMEM;
	ppu_file_init_tables(file);
	test->priv = file;
	return 0;
}

static void ku_exit(struct kunit *test)
{
	struct ppu_file *file = test->priv;

	if (file)
		xa_destroy(&file->sems);
}

/* Zero is no object's id: user space may use it for "none". */
static void never_zero(struct kunit *test)
{
	struct ppu_file *file = test->priv;
	u32 id = 0;

	KUNIT_EXPECT_EQ(test, xa_alloc(&file->sems, &id, file, xa_limit_31b, GFP_KERNEL), 0);
	KUNIT_EXPECT_NE(test, id, 0u);
	KUNIT_EXPECT_NULL(test, ppu_uobj_take(&file->sems, 0));
}

static void taken_once(struct kunit *test)
{
	struct ppu_file *file = test->priv;
	u32 id, again;

	KUNIT_ASSERT_EQ(test, xa_alloc(&file->sems, &id, file, xa_limit_31b, GFP_KERNEL), 0);
	KUNIT_EXPECT_PTR_EQ(test, ppu_uobj_take(&file->sems, id), (void *)file);
	KUNIT_EXPECT_NULL(test, ppu_uobj_take(&file->sems, id));
	/* The id is free again. */
	KUNIT_EXPECT_EQ(test, xa_alloc(&file->sems, &again, file, xa_limit_31b, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, again, id);
}

/* A guessed id of an object in the making: nothing is taken, and nobody else gets the id. */
static void reserved_stays(struct kunit *test)
{
	struct ppu_file *file = test->priv;
	u32 id, other;

	KUNIT_ASSERT_EQ(test, xa_alloc(&file->sems, &id, NULL, xa_limit_31b, GFP_KERNEL), 0);
	KUNIT_EXPECT_NULL(test, ppu_uobj_take(&file->sems, id));
	KUNIT_EXPECT_EQ(test, xa_alloc(&file->sems, &other, file, xa_limit_31b, GFP_KERNEL), 0);
	KUNIT_EXPECT_NE(test, other, id);
	KUNIT_EXPECT_FALSE(test, xa_is_err(xa_store(&file->sems, id, file, GFP_KERNEL)));
	KUNIT_EXPECT_PTR_EQ(test, ppu_uobj_take(&file->sems, id), (void *)file);
}

/* The address is none of user space: a refusal that came after reading would be EFAULT. */
static void refused_arrays(struct kunit *test)
{
	static const struct {
		u32 stride, count;
		int want;
	} row[] = {
		{ 0, 1, -EINVAL },		/* shorter than the first version */
		{ 16, 1, -EINVAL },
		{ 28, 1, -EINVAL },		/* no multiple of 8 */
		{ PAGE_SIZE + 8, 1, -EINVAL },
		{ 24, 9, -E2BIG },
		{ 24, U32_MAX, -E2BIG },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		const struct drm_ppu_array in = {
			.stride = row[i].stride, .count = row[i].count, .ptr = ~0ull,
		};
		void *got = ppu_uobj_get_array(&in, 24, 32, 8);

		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(got), row[i].want, "row %u", i);
	}
}

static struct kunit_case ppu_kunit_uobj_cases[] = {
	KUNIT_CASE(never_zero),
	KUNIT_CASE(taken_once),
	KUNIT_CASE(reserved_stays),
	KUNIT_CASE(refused_arrays),
	{}
};

struct kunit_suite ppu_kunit_uobj_suite = {
	.name = "ppu_uobj",
	.init = ku_init,
	.exit = ku_exit,
	.test_cases = ppu_kunit_uobj_cases,
};
