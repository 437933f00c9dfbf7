/* SPDX-License-Identifier: MIT */
/* The allocator of address ranges. The program is linked with --wrap=realloc. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include <common/range.h>
#include "run_suite.h"

#define PIECES	100

void *__real_realloc(void *p, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);

static bool none;		/* there is no memory left */

void *__wrap_realloc(void *p, size_t bytes)
{
	return none ? NULL : __real_realloc(p, bytes);
}

/* What is given back is there again, although the host has no memory for a longer list of free extents. */
START_TEST(free_without_memory)
{
	uint64_t at[PIECES];
	struct ppu_range r;

	ck_assert_int_eq(ppu_range_init(&r, 0, PIECES), 0);
	for (unsigned i = 0; i < PIECES; i++)
		ck_assert_int_eq(ppu_range_alloc(&r, 1, 1, &at[i]), 0);
	none = true;
	for (unsigned i = 0; i < PIECES; i += 2)
		ppu_range_free(&r, at[i], 1);
	ck_assert_uint_eq(r.avail, PIECES / 2);
	for (unsigned i = 0; i < PIECES; i += 2) {
		ck_assert_int_eq(ppu_range_alloc(&r, 1, 1, &at[i]), 0);
		ck_assert_uint_eq(at[i], i);
	}
	for (unsigned i = 0; i < PIECES; i++)
		ppu_range_free(&r, at[i], 1);
	ck_assert_uint_eq(r.num, 1);		/* in one piece */
	ck_assert_uint_eq(r.avail, PIECES);
	ppu_range_fini(&r);
}
END_TEST

/* A list that cannot grow refuses, and stays as it is. */
START_TEST(allocation_without_memory)
{
	struct ppu_range r;
	uint64_t at, before;

	ck_assert_int_eq(ppu_range_init(&r, 0, PIECES), 0);
	none = true;
	do
		before = r.avail;
	while (!ppu_range_alloc(&r, 1, 1, &at));
	ck_assert_uint_gt(before, 0);
	ck_assert_uint_eq(r.avail, before);
	none = false;
	ck_assert_int_eq(ppu_range_alloc(&r, 1, 1, &at), 0);
	ck_assert_uint_eq(r.avail, before - 1);
	ppu_range_fini(&r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("range");
	TCase *tc = tcase_create("range");

	tcase_add_test(tc, free_without_memory);
	tcase_add_test(tc, allocation_without_memory);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
