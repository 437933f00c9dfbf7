/* SPDX-License-Identifier: MIT */
/* The divergence token queue alone: bit layout, double-ended order, tracking bits, recentring. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "core/sm/tokq.h"
#include "run_suite.h"

static uint64_t mem[4096 + 2];
static struct ppu_tokq q;
static uint64_t seed = 1;

/* Check's own assertions cost a system call each: too slow for millions. */
#define EXPECT(c) do { if (!(c)) ck_abort_msg("%s", #c); } while (0)
#define EXPECT_EQ(a, b) EXPECT((a) == (b))

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

#define GUARD 0x5a5a5a5a5a5a5a5aull
static void init(uint32_t size)
{
	memset(mem, 0, sizeof(mem));
	mem[0] = mem[size + 1] = GUARD;
	ppu_tokq_init(&q, mem + 1, size);
}

/* SIMT-22, SIMT-23, A-SIMT-1 */
START_TEST(token_bits)
{
	ck_assert_uint_eq(sizeof(uint64_t), 8);
	ck_assert_uint_eq(PPU_TOK_MAKE(1, 0xffffffffu, 0x000123), 0x0000123FFFFFFFF1ull);
	ck_assert_uint_eq(PPU_TOK_MAKE(0xf, 1, 0x3fffff), 0x03FFFFF00000001Full);
	for (int i = 0; i < 100000; i++) {
		uint32_t t = rnd() & 15, m = rnd(), a = rnd() & PPU_PC_MAX;
		uint64_t tok = PPU_TOK_MAKE(t, m, a);

		EXPECT_EQ(PPU_TOK_TYPE(tok), t);
		EXPECT_EQ(PPU_TOK_MASK(tok), m);
		EXPECT_EQ(PPU_TOK_ADDR(tok), a);
		EXPECT_EQ(tok >> 58, 0);
	}
}
END_TEST

/* SIMT-28, SIMT-29: one header lays the token out: its fields fill 64 bits and do not overlap */
START_TEST(token_layout)
{
	const uint64_t type = PPU_TOK_MAKE(0xf, 0, 0), mask = PPU_TOK_MAKE(0, ~0u, 0),
		       addr = PPU_TOK_MAKE(0, 0, PPU_PC_MAX);

	ck_assert_uint_eq(type ^ mask ^ addr ^ PPU_TOK_TRACK_ALL ^ PPU_TOK_RESERVED, ~0ull);
	ck_assert_uint_eq(type | mask | addr | PPU_TOK_TRACK_ALL | PPU_TOK_RESERVED, ~0ull);
	ck_assert_uint_eq(PPU_TOK_TYPE(~type) | PPU_TOK_MASK(~mask) | PPU_TOK_ADDR(~addr), 0);
}
END_TEST

/* SIMT-24 */
START_TEST(tracking_bits)
{
	ck_assert_uint_eq(PPU_TOK_TRACK_SYNC, 0x0400000000000000ull);
	ck_assert_uint_eq(PPU_TOK_TRACK_DIV, 0x0800000000000000ull);
	ck_assert_uint_eq(PPU_TOK_TRACK_CALL, 0x1000000000000000ull);
	ck_assert_uint_eq(PPU_TOK_TRACK_YIELD, 0x2000000000000000ull);
}
END_TEST

/* SIMT-30 */
START_TEST(starts_in_the_middle)
{
	init(256);
	ck_assert_int_eq(q.head, 128);
	ck_assert_int_eq(q.tail, 127);
	ck_assert_uint_eq(ppu_tokq_count(&q), 0);
}
END_TEST

/* SIMT-31 */
START_TEST(front_is_lifo)
{
	uint64_t t;

	init(256);
	for (unsigned i = 0; i < 5; i++)
		ppu_tokq_push_front(&q, PPU_REASON_BRK, 1u << i, i);
	ck_assert_int_eq(q.head, 133);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(mem[1 + 128 + i], PPU_TOK_MAKE(PPU_REASON_BRK, 1u << i, i));
	for (unsigned i = 5; i--;) {
		ck_assert(ppu_tokq_pop(&q, &t));
		ck_assert_uint_eq(PPU_TOK_ADDR(t), i);
	}
	ck_assert_int_eq(q.head, 128);
	ck_assert(!ppu_tokq_pop(&q, &t));
}
END_TEST

/* SIMT-32 */
START_TEST(back_push)
{
	init(256);
	ppu_tokq_push_back(&q, 0xf, 9);
	ck_assert_uint_eq(mem[1 + 127], PPU_TOK_MAKE(PPU_REASON_YIELD, 0xf, 9));
	ck_assert_int_eq(q.tail, 126);
	ck_assert_uint_eq(ppu_tokq_count(&q), 1);
}
END_TEST

static unsigned nibble(int i)
{
	return mem[1 + i] >> 58 & 0xf;
}

/* SIMT-25, SIMT-27: the five-token picture, then a yield */
START_TEST(back_push_keeps_tracking_bits)
{
	static const unsigned types[5] = { PPU_REASON_SYNC, PPU_REASON_DIV, PPU_REASON_CALL,
					   PPU_REASON_SYNC, PPU_REASON_DIV };
	static const unsigned before[5] = { 0, 1, 3, 7, 7 }, after[5] = { 8, 9, 0xb, 0xf, 0xf };

	init(256);
	for (int i = 0; i < 5; i++)
		ppu_tokq_push_front(&q, types[i], 0xff, 10 + i);
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(nibble(128 + i), before[i]);
	ppu_tokq_push_back(&q, 1, 3);
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(nibble(128 + i), after[i]);
	ck_assert_uint_eq(nibble(127), 0);
	ppu_tokq_push_back(&q, 2, 4);
	ck_assert_uint_eq(nibble(127), 8);
	ck_assert_uint_eq(nibble(126), 0);
}
END_TEST

/* SIMT-40, SIMT-41 */
START_TEST(merge_keeps_place)
{
	uint64_t t;

	init(16);
	ppu_tokq_push_back(&q, 1, 100);
	ppu_tokq_push_back(&q, 2, 200);
	ck_assert(!ppu_tokq_merge(&q, 4, 300, &t));
	ck_assert(ppu_tokq_merge(&q, 4, 100, &t));
	ck_assert_uint_eq(PPU_TOK_MASK(t), 5);
	ck_assert_uint_eq(ppu_tokq_count(&q), 2);
	ck_assert(ppu_tokq_pop(&q, &t));
	ck_assert_uint_eq(PPU_TOK_ADDR(t), 100);
	ck_assert_uint_eq(PPU_TOK_MASK(t), 5);
	ck_assert(ppu_tokq_pop(&q, &t));
	ck_assert_uint_eq(PPU_TOK_ADDR(t), 200);
}
END_TEST

/* SIMT-40: A token of another type with the same address does not merge. */
START_TEST(merges_with_yield_tokens_only)
{
	uint64_t t;

	init(16);
	ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, 100);
	ck_assert(!ppu_tokq_merge(&q, 4, 100, &t));
}
END_TEST

/* SIMT-33: where the LIFO part begins, yield tokens that may lie above it are not looked at. */
START_TEST(merge_stops_at_the_lifo_part)
{
	uint64_t t;

	init(16);
	ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, 50);
	ppu_tokq_push_front(&q, PPU_REASON_YIELD, 2, 100);
	ck_assert(!ppu_tokq_merge(&q, 4, 100, &t));
	ppu_tokq_push_back(&q, 8, 200);
	ck_assert(!ppu_tokq_merge(&q, 4, 100, &t));
	ck_assert(ppu_tokq_merge(&q, 4, 200, &t));
	ck_assert_uint_eq(PPU_TOK_MASK(t), 12);
	ck_assert(ppu_tokq_pop(&q, &t));
	ck_assert_uint_eq(PPU_TOK_MASK(t), 2);
}
END_TEST

/* SIMT-52, SIMT-55 */
START_TEST(range_and_full)
{
	init(256);
	for (int i = 0; i < 128; i++) {
		ck_assert_int_eq(ppu_tokq_room(&q, PPU_TOKQ_FRONT, 1), PPU_TOKQ_OK);
		ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, i);
	}
	ck_assert_int_eq(ppu_tokq_room(&q, PPU_TOKQ_FRONT, 1), PPU_TOKQ_RANGE);
	ck_assert_int_eq(ppu_tokq_room(&q, PPU_TOKQ_BACK, 128), PPU_TOKQ_OK);
	ppu_tokq_recentre(&q, PPU_TOKQ_FRONT, 1);
	ck_assert_int_eq(q.tail, 63);
	ck_assert_int_eq(q.head, 192);
	for (int n = 128; n < 256; n++) {
		if (ppu_tokq_room(&q, PPU_TOKQ_FRONT, 1) == PPU_TOKQ_RANGE)
			ppu_tokq_recentre(&q, PPU_TOKQ_FRONT, 1);
		ck_assert_int_eq(ppu_tokq_room(&q, PPU_TOKQ_FRONT, 1), PPU_TOKQ_OK);
		ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, n);
	}
	ck_assert_int_eq(ppu_tokq_room(&q, PPU_TOKQ_FRONT, 1), PPU_TOKQ_FULL);
	ck_assert_int_eq(ppu_tokq_room(&q, PPU_TOKQ_BACK, 1), PPU_TOKQ_FULL);
	for (unsigned i = 256; i--;) {
		uint64_t t;

		ck_assert(ppu_tokq_pop(&q, &t));
		ck_assert_uint_eq(PPU_TOK_ADDR(t), i);
	}
	ck_assert(mem[0] == GUARD && mem[257] == GUARD);
}
END_TEST

/* SIMT-53: two tokens at entries 0, 1 and a back push */
START_TEST(recentre)
{
	init(256);
	ppu_tokq_push_front(&q, PPU_REASON_YIELD, 1, 1);
	ppu_tokq_push_front(&q, PPU_REASON_YIELD, 2, 2);
	mem[1] = mem[129];
	mem[2] = mem[130];
	ck_assert(ppu_tokq_place(&q, 2, -1));
	ck_assert_int_eq(ppu_tokq_room(&q, PPU_TOKQ_BACK, 1), PPU_TOKQ_RANGE);
	ppu_tokq_recentre(&q, PPU_TOKQ_BACK, 1);
	ck_assert_int_eq(q.head, 129);
	ck_assert_int_eq(q.tail, 126);
	ppu_tokq_push_back(&q, 4, 3);
	ck_assert_uint_eq(PPU_TOK_ADDR(mem[1 + 126]), 3);
	ck_assert_uint_eq(PPU_TOK_ADDR(mem[1 + 127]), 1);
	ck_assert_uint_eq(PPU_TOK_ADDR(mem[1 + 128]), 2);
}
END_TEST

/* SIMT-53: One free entry: recentring puts it on the side where it is needed. */
START_TEST(last_entry_at_either_side)
{
	for (int side = 0; side < 2; side++) {
		init(4);
		ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, 1);
		ppu_tokq_push_back(&q, 2, 2);
		ppu_tokq_push_back(&q, 4, 3);
		if (ppu_tokq_room(&q, side, 1) == PPU_TOKQ_RANGE)
			ppu_tokq_recentre(&q, side, 1);
		ck_assert_int_eq(ppu_tokq_room(&q, side, 1), PPU_TOKQ_OK);
		ppu_tokq_place(&q, side ? 3 : 4, side ? -1 : 0);	/* the worst place */
		if (ppu_tokq_room(&q, side, 1) == PPU_TOKQ_RANGE)
			ppu_tokq_recentre(&q, side, 1);
		ck_assert_int_eq(ppu_tokq_room(&q, side, 1), PPU_TOKQ_OK);
	}
}
END_TEST

START_TEST(place_is_checked)
{
	init(16);
	ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, 1);
	ck_assert(!ppu_tokq_place(&q, 17, 15));
	ck_assert(!ppu_tokq_place(&q, 5, 4));
	ck_assert(!ppu_tokq_place(&q, 0, -2));
	ck_assert(!ppu_tokq_place(&q, 0x80000000u, 0x7ffffffe));
	ck_assert(ppu_tokq_place(&q, 16, 14));
	ck_assert(ppu_tokq_place(&q, 1, -1));
}
END_TEST

START_TEST(token_validation)
{
	uint64_t good = PPU_TOK_MAKE(PPU_REASON_SYNC, 0xff, 9);

	ck_assert(ppu_tokq_token_ok(good | PPU_TOK_TRACK_ALL, 0xff, 10));
	ck_assert(!ppu_tokq_token_ok(good, 0xff, 9));
	ck_assert(!ppu_tokq_token_ok(good, 0x7f, 10));
	ck_assert(!ppu_tokq_token_ok(good | 1ull << 62, 0xff, 10));
	ck_assert(!ppu_tokq_token_ok(good | 1ull << 63, 0xff, 10));
	ck_assert(ppu_tokq_token_ok(PPU_TOK_MAKE(0, 0xff, 9), 0xff, 10));	/* SIMT-14: 0 is a reason like any other */
	ck_assert(!ppu_tokq_token_ok(PPU_TOK_MAKE(1, 0, 9), 0xff, 10));
}
END_TEST

/*
 * SIMT-21, SIMT-26, SIMT-33, SIMT-35: long random sequences against a plain list, front first.
 */
START_TEST(random_operations)
{
	static const uint32_t sizes[] = { 4, 5, 16, 64, 256, 255 };
	uint32_t size = sizes[_i];
	static uint64_t list[4096];	/* list[0] = front */
	uint32_t n = 0;

	init(size);
	for (int step = 0; step < 100000; step++) {
		unsigned op = rnd() % 8, type = 1 + rnd() % 15;
		uint32_t mask = rnd() | 1, addr = rnd() % 6;
		uint64_t t;

		if (type == PPU_REASON_YIELD)
			type = PPU_REASON_SYNC;
		if (op < 3 || op == 3 || op == 4) {
			enum ppu_tokq_side side = op < 3 ? PPU_TOKQ_FRONT : PPU_TOKQ_BACK;
			enum ppu_tokq_room room = ppu_tokq_room(&q, side, 1);

			EXPECT_EQ(room == PPU_TOKQ_FULL, n == size);
			if (room == PPU_TOKQ_FULL)
				continue;
			if (room == PPU_TOKQ_RANGE)
				ppu_tokq_recentre(&q, side, 1);
			if (op < 3) {
				ppu_tokq_push_front(&q, type, mask, addr);
				memmove(list + 1, list, n++ * 8);
				list[0] = PPU_TOK_MAKE(type, mask, addr);
			} else if (op == 3) {
				ppu_tokq_push_back(&q, mask, addr);
				list[n++] = PPU_TOK_MAKE(PPU_REASON_YIELD, mask, addr);
			} else {
				uint32_t i;
				bool merged = ppu_tokq_merge(&q, mask, addr, &t), has = false;

				for (i = 0; i < n; i++)
					has |= PPU_TOK_TYPE(list[i]) == PPU_REASON_YIELD &&
					       PPU_TOK_ADDR(list[i]) == addr;
				EXPECT_EQ(merged, has);
				/* the back-most one of that address, when several are there */
				for (i = n; merged && i-- > 0;)
					if (PPU_TOK_ADDR(list[i]) == addr) {
						list[i] |= (uint64_t)mask << 4;
						EXPECT_EQ(PPU_TOK_MASK(t), PPU_TOK_MASK(list[i]));
						break;
					}
			}
		} else {
			bool got = ppu_tokq_pop(&q, &t);

			EXPECT_EQ(got, n != 0);
			if (got) {
				EXPECT_EQ(t & ~PPU_TOK_TRACK_ALL, list[0]);
				memmove(list, list + 1, --n * 8);
			}
		}
		/* the whole queue, its order and tracking bits */
		EXPECT_EQ(ppu_tokq_count(&q), n);
		EXPECT(q.head <= (int)size && q.tail >= -1);
		uint64_t below = 0;
		bool yields = true;

		for (uint32_t i = n; i-- > 0;) {
			uint64_t tok = mem[1 + q.head - 1 - (int)i];
			unsigned ty = PPU_TOK_TYPE(tok);

			EXPECT_EQ(tok & ~PPU_TOK_TRACK_ALL, list[i]);
			EXPECT_EQ(tok & PPU_TOK_TRACK_ALL, below);
			if (ty != PPU_REASON_YIELD)
				yields = false;
			else
				EXPECT(yields);
			if (ty >= PPU_REASON_SYNC && ty <= PPU_REASON_YIELD)
				below |= PPU_TOK_TRACK_SYNC << (ty - 1);
		}
		unsigned want = 1 + rnd() % 15;
		uint32_t lanes = 1u << rnd() % 32;
		bool has = false, found = false;

		for (uint32_t i = 0; i < n; i++) {
			has |= PPU_TOK_TYPE(list[i]) == want;
			found |= PPU_TOK_TYPE(list[i]) == want && PPU_TOK_ADDR(list[i]) == addr &&
				 (PPU_TOK_MASK(list[i]) & lanes);
		}
		EXPECT_EQ(ppu_tokq_holds(&q, want), has);
		EXPECT_EQ(ppu_tokq_find(&q, want, addr, lanes), found);
		EXPECT(mem[0] == GUARD && mem[size + 1] == GUARD);
	}
}
END_TEST

/* SIMT-53: as many pushes as were asked for fit after recentring, on the side that was asked for, whatever was there. */
START_TEST(recentre_for_several)
{
	enum { SIZE = 13 };

	for (unsigned n = 0; n < SIZE; n++)
		for (unsigned back = 0; back <= n; back++)
			for (unsigned need = 1; need <= SIZE - n; need++)
				for (unsigned k = 0; k < 2; k++) {
					enum ppu_tokq_side side = k ? PPU_TOKQ_BACK : PPU_TOKQ_FRONT;
					uint64_t t;

					init(SIZE);
					for (unsigned i = 0; i < back && q.tail >= 0; i++)
						ppu_tokq_push_back(&q, 1, i);
					while (ppu_tokq_count(&q) < n && q.head < SIZE)
						ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, 100);
					if (ppu_tokq_count(&q) != n)
						continue;
					ppu_tokq_recentre(&q, side, need);
					EXPECT_EQ(ppu_tokq_room(&q, side, need), PPU_TOKQ_OK);
					for (unsigned i = 0; i < need; i++) {
						if (k)
							ppu_tokq_push_back(&q, 1, 200);
						else
							ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, 200);
					}
					EXPECT_EQ(ppu_tokq_count(&q), n + need);
					EXPECT_EQ(mem[0], GUARD);
					EXPECT_EQ(mem[SIZE + 1], GUARD);
					while (ppu_tokq_pop(&q, &t))
						;
				}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("tokq");
	TCase *t = tcase_create("tokq");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, token_bits);
	tcase_add_test(t, token_layout);
	tcase_add_test(t, tracking_bits);
	tcase_add_test(t, starts_in_the_middle);
	tcase_add_test(t, front_is_lifo);
	tcase_add_test(t, back_push);
	tcase_add_test(t, back_push_keeps_tracking_bits);
	tcase_add_test(t, merge_keeps_place);
	tcase_add_test(t, merges_with_yield_tokens_only);
	tcase_add_test(t, merge_stops_at_the_lifo_part);
	tcase_add_test(t, range_and_full);
	tcase_add_test(t, recentre);
	tcase_add_test(t, recentre_for_several);
	tcase_add_test(t, last_entry_at_either_side);
	tcase_add_test(t, place_is_checked);
	tcase_add_test(t, token_validation);
	tcase_add_loop_test(t, random_operations, 0, 6);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
