/* SPDX-License-Identifier: MIT */
/* The registry of handles: who is found, under what kind, how often held, and what is left when some are gone. */
#include <check.h>

#include <common/handle.h>
#include "run_suite.h"

/* So many that each bucket has several. */
#define MANY	(4 * PPU_REGISTRY_BUCKETS)

static struct ppu_registry reg = PPU_REGISTRY_INIT;
static struct ppu_handle h[MANY];

static void publish_all(void)
{
	for (unsigned i = 0; i < MANY; i++) {
		ppu_handle_init(&h[i], i % 3);
		ppu_handle_publish(&reg, &h[i]);
	}
}

/* Those for which i % step is not `gone` are handles, and no others. */
static void expect(unsigned step, unsigned gone)
{
	for (unsigned i = 0; i < MANY; i++) {
		bool there = i % step != gone;

		ck_assert_ptr_eq(ppu_handle_get(&reg, &h[i], i % 3), there ? &h[i] : NULL);
		ck_assert_ptr_null(ppu_handle_get(&reg, &h[i], (i + 1) % 3));
		ck_assert_int_eq(h[i].refs, there ? 2 : 1);
		if (there)
			ck_assert(!ppu_handle_put(&h[i]));
		ck_assert(h[i].listed == there);
	}
}

START_TEST(found)
{
	struct ppu_handle alone;

	ck_assert_ptr_null(ppu_handle_get(&reg, NULL, 0));
	ck_assert_ptr_null(ppu_handle_get(&reg, &h[0], 0));
	ppu_handle_init(&alone, 0);
	ck_assert_ptr_null(ppu_handle_get(&reg, &alone, 0));
	ck_assert(!ppu_handle_withdraw(&reg, &alone));
	publish_all();
	expect(MANY + 1, MANY);
	ck_assert_ptr_null(ppu_handle_get(&reg, (char *)&h[5] + 1, 5 % 3));
	ck_assert(!ppu_handle_withdraw(&reg, &alone));
	expect(MANY + 1, MANY);
}
END_TEST

/* One by one, from the front, from the middle and from the end of a chain. */
START_TEST(withdrawn)
{
	publish_all();
	for (unsigned i = 0; i < MANY; i += 2)
		ck_assert(ppu_handle_withdraw(&reg, &h[i]));
	expect(2, 0);
	for (unsigned i = 0; i < MANY; i += 2)
		ck_assert(!ppu_handle_withdraw(&reg, &h[i]));
	expect(2, 0);
	for (unsigned i = 0; i < MANY; i += 2)
		ppu_handle_publish(&reg, &h[i]);
	expect(MANY + 1, MANY);
	for (unsigned i = MANY; i--;)
		ck_assert(ppu_handle_withdraw(&reg, &h[i]));
	expect(1, 0);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert(ppu_handle_put(&h[i]));
}
END_TEST

static bool of_kind(const struct ppu_handle *x, const void *kind)
{
	return x->kind == *(const unsigned *)kind;
}

START_TEST(withdrawn_together)
{
	unsigned n = 0, kind = 1;

	publish_all();
	for (struct ppu_handle *x = ppu_handle_withdraw_all(&reg, of_kind, &kind); x; x = x->next, n++)
		ck_assert(x->kind == 1 && !x->listed && x->refs == 1);
	ck_assert_uint_eq(n, (MANY + 1) / 3);
	expect(3, 1);
	ck_assert_ptr_null(ppu_handle_withdraw_all(&reg, of_kind, &kind));
	ck_assert(!ppu_handle_withdraw(&reg, &h[1]));
	expect(3, 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("handles");
	TCase *tc = tcase_create("registry");

	tcase_add_test(tc, found);
	tcase_add_test(tc, withdrawn);
	tcase_add_test(tc, withdrawn_together);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
