/* SPDX-License-Identifier: MIT */
/* What ppu-check keeps of memory: which bytes are valid, and which block an address belongs to. */
#include <check.h>
#include <dlfcn.h>
#include <string.h>
#include "check/block.h"
#include "check/cta.h"
#include "check/init/init.h"
#include "check/shadow.h"
#include "check/stack.h"
#include "run_suite.h"

#define BASE	0x200000000000ull
#define BYTES	(5 * CHK_PAGE)
#define CAN_BE	(4 * CHK_PAGE - 1500)

static uint32_t next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Ranges of all sizes go in and out; a plain array says what should be there. */
START_TEST(bytes)
{
	static uint8_t model[BYTES];
	struct chk_shadow s = { 0 };
	uint32_t x = 12345;

	memset(model, 0, sizeof(model));
	for (unsigned i = 0; i < 3000; i++) {
		uint32_t at = next(&x) % BYTES, n = next(&x) % (i % 3 ? 300 : BYTES), in = next(&x) & 1, k;

		if (i % 7 == 0)			/* whole pages */
			at -= at % CHK_PAGE;
		if (n > BYTES - at)
			n = BYTES - at;
		ck_assert(chk_shadow_set(&s, BASE + at, n, in));
		memset(model + at, (int)in, n);
		for (k = 0; k < 50; k++) {
			uint32_t from = next(&x) % (BYTES - 600), len = 1 + next(&x) % (k % 2 ? 16 : 600);
			bool want = !memchr(model + from, 0, len);

			ck_assert_msg(chk_shadow_all(&s, BASE + from, len) == want, "%u: %u + %u", i, from, len);
			want = memchr(model + from, 1, len);
			ck_assert_msg(chk_shadow_any(&s, BASE + from, len) == want, "any, %u: %u + %u", i, from, len);
		}
		for (k = 0; k < BYTES; k += CHK_PAGE)
			ck_assert(chk_shadow_empty(&s, BASE + k) == !memchr(model + k, 1, CHK_PAGE));
	}
	chk_shadow_free(&s);
}
END_TEST

/*
 * What is unwritten after copies, which may overlap themselves as memmove() may: a plain array says it.  What lies behind
 * CAN_BE, in the middle of a page, can never be unwritten.
 */
START_TEST(copies)
{
	static uint8_t model[BYTES], before[BYTES];
	struct chk_ctx c = { 0 };
	uint32_t x = 777;

	memset(model, 0, sizeof(model));
	chk_init_fresh(&c, BASE, CAN_BE);
	memset(model, 1, CAN_BE);
	for (unsigned i = 0; i < 2000; i++) {
		uint32_t from = next(&x) % BYTES, to = next(&x) % BYTES, n = next(&x) % (i % 4 ? 200 : BYTES), k;
		struct ppu_seen_copy copy = { .rows = 1, .fill = i % 3 == 0 };

		if (i % 5 == 0)
			to = from > 100 ? from - next(&x) % 100 : from + next(&x) % 100;
		n = n > BYTES - from ? BYTES - from : n;
		n = n > BYTES - to ? BYTES - to : n;
		copy.src = BASE + from;
		copy.dst = BASE + to;
		copy.width = n;
		chk_init_copy(&c, &copy);
		memcpy(before, model, sizeof(model));
		for (k = 0; k < n; k++)
			model[to + k] = !copy.fill && before[from + k] && to + k < CAN_BE;
		if (i % 40 == 0) {		/* somebody gets it anew */
			chk_init_fresh(&c, BASE + to, to + n < CAN_BE ? n : 0);
			memset(model + to, 1, to + n < CAN_BE ? n : 0);
		}
		for (k = 0; k < 200; k++) {
			uint32_t at = next(&x) % BYTES;

			ck_assert_msg(chk_shadow_any(&c.fresh, BASE + at, 1) == model[at], "%u: byte %u", i, at);
		}
	}
	for (uint32_t k = 0; k < BYTES; k++)
		ck_assert_msg(chk_shadow_any(&c.fresh, BASE + k, 1) == model[k], "byte %u", k);
	chk_shadow_free(&c.fresh);
	chk_shadow_free(&c.valid);
}
END_TEST

/* Rows of a pitched copy: what lies between them stays as it is. */
START_TEST(rows)
{
	struct chk_ctx c = { 0 };

	chk_init_fresh(&c, BASE, 3 * CHK_PAGE);
	chk_init_copy(&c, &(struct ppu_seen_copy){ .dst = BASE, .dst_pitch = 100, .width = 30, .rows = 90, .fill = 1 });
	chk_init_copy(&c, &(struct ppu_seen_copy){ .dst = BASE + 50, .src = BASE + 10, .dst_pitch = 100, .src_pitch = 100,
						   .width = 30, .rows = 80 });
	for (unsigned k = 0; k < 9000; k++) {
		unsigned row = k / 100, x = k % 100;
		bool written = x < 30 || (row < 80 && x >= 50 && x < 70);

		ck_assert_msg(chk_shadow_any(&c.fresh, BASE + k, 1) != written, "byte %u", k);
	}
	chk_init_gone(&c, BASE, 3 * CHK_PAGE);
	ck_assert(!chk_shadow_any(&c.fresh, BASE, 3 * CHK_PAGE));
	chk_shadow_free(&c.fresh);
	chk_shadow_free(&c.valid);
}
END_TEST

START_TEST(far_away)
{
	struct chk_shadow s = { 0 };

	ck_assert(!chk_shadow_all(&s, 0, 1));
	ck_assert(chk_shadow_empty(&s, BASE));
	ck_assert(chk_shadow_set(&s, 0x7ffffffff000, 4096, true));
	ck_assert(chk_shadow_all(&s, 0x7ffffffff000, 4096));
	ck_assert(!chk_shadow_all(&s, 0x7ffffffff000, 4097));
	ck_assert(!chk_shadow_all(&s, UINT64_MAX - 3, 4));	/* no user's address */
	ck_assert(!chk_shadow_set(&s, 1ull << 47, 1, true));
	chk_shadow_free(&s);
}
END_TEST

static void related(const struct chk_block *b, uint64_t va, const char *want)
{
	char text[200];

	chk_block_relation(b, va, text, sizeof(text));
	ck_assert_str_eq(text, want);
}

START_TEST(blocks)
{
	struct chk_blocks b = { 0 };
	struct chk_stack none = { 0 };

	ck_assert_ptr_null(chk_block_near(&b, 5));
	chk_block_add(&b, 0x3000, 16, 16, CHK_USER);
	chk_block_add(&b, 0x1000, 64, 64, CHK_USER);
	chk_block_add(&b, 0x2000, 4, 4, CHK_INTERNAL);
	ck_assert_uint_eq(chk_block_at(&b, 0x1000)->number, 2);
	ck_assert_ptr_null(chk_block_at(&b, 0x1001));
	related(chk_block_near(&b, 0x1040), 0x1040, "0 bytes after the 64 bytes at 0x1000, allocation 2");
	related(chk_block_near(&b, 0xffc), 0xffc, "4 bytes before the 64 bytes at 0x1000, allocation 2");
	related(chk_block_near(&b, 0x2ff0), 0x2ff0, "16 bytes before the 16 bytes at 0x3000, allocation 1");
	related(chk_block_near(&b, 0x2003), 0x2003, "3 bytes inside the 4 bytes at 0x2000, memory of the runtime");
	related(chk_block_near(&b, 0x9000), 0x9000, "24560 bytes after the 16 bytes at 0x3000, allocation 1");
	ck_assert_ptr_null(chk_block_dead(&b, 0x1000));
	chk_block_end(&b, chk_block_at(&b, 0x1000), &none);
	ck_assert_ptr_null(chk_block_at(&b, 0x1000));
	ck_assert_uint_eq(chk_block_dead(&b, 0x103f)->number, 2);
	ck_assert_ptr_null(chk_block_dead(&b, 0x1040));
	/* The same place again: the one that was freed last counts. */
	chk_block_add(&b, 0x1000, 32, 32, CHK_USER);
	chk_block_end(&b, chk_block_at(&b, 0x1000), &none);
	ck_assert_uint_eq(chk_block_dead(&b, 0x1000)->number, 3);
	ck_assert_uint_eq(chk_block_dead(&b, 0x1020)->number, 2);
	chk_blocks_free(&b);
}
END_TEST

/* What a new block got is the old one's no more, its red zone included; what is left of the old one still is. */
START_TEST(place_again)
{
	struct chk_blocks b = { 0 };
	struct chk_stack none = { 0 };

	chk_block_add(&b, 0x1000, 0x800, 0x800, CHK_USER);
	chk_block_end(&b, chk_block_at(&b, 0x1000), &none);
	chk_block_add(&b, 0x1200, 0x20, 0x100, CHK_USER);
	ck_assert_ptr_null(chk_block_dead(&b, 0x1200));
	ck_assert_ptr_null(chk_block_dead(&b, 0x1220));
	ck_assert_ptr_null(chk_block_dead(&b, 0x12ff));
	ck_assert_uint_eq(chk_block_dead(&b, 0x1300)->number, 1);
	ck_assert_uint_eq(chk_block_dead(&b, 0x17ff)->number, 1);
	chk_block_add(&b, 0x1780, 0x10, 0x200, CHK_USER);
	ck_assert_uint_eq(chk_block_dead(&b, 0x177f)->number, 1);
	ck_assert_ptr_null(chk_block_dead(&b, 0x1780));
	chk_block_add(&b, 0x1300, 0x480, 0x480, CHK_USER);
	ck_assert_ptr_null(chk_block_dead(&b, 0x177f));
	chk_blocks_free(&b);
}
END_TEST

/* More blocks than are remembered. */
START_TEST(many_dead)
{
	struct chk_blocks b = { 0 };
	struct chk_stack none = { 0 };

	for (unsigned i = 0; i < 5000; i++) {
		chk_block_add(&b, 0x1000 * (i + 1), 16, 16, CHK_USER);
		chk_block_end(&b, chk_block_at(&b, 0x1000 * (i + 1)), &none);
	}
	ck_assert_ptr_null(chk_block_dead(&b, 0x1000));
	ck_assert_uint_eq(chk_block_dead(&b, 0x1000 * 5000)->number, 5000);
	chk_blocks_free(&b);
	/* Then there are none, and it can be used again. */
	ck_assert_ptr_null(chk_block_dead(&b, 0x1000 * 5000));
	ck_assert_ptr_null(chk_block_at(&b, 0x1000));
	chk_block_add(&b, 0x1000, 16, 16, CHK_USER);
	ck_assert_ptr_nonnull(chk_block_at(&b, 0x1000));
	chk_blocks_free(&b);
}
END_TEST

/* A frame is the address behind a call, which may be the last instruction of its function: then another begins there. */
START_TEST(behind_a_call)
{
	uint8_t *f = dlsym(RTLD_DEFAULT, "lfind");
	struct chk_stack s = { .n = 3, .frame = { f, f + 1, f + 6 } };
	char text[512];

	ck_assert_ptr_nonnull(f);
	chk_stack_text(&s, 0, text, sizeof(text));
	ck_assert_msg(!strstr(text, " in lfind+"), "%s", text);
	chk_stack_text(&s, 1, text, sizeof(text));
	ck_assert_msg(!strncmp(text, "libc", 4) && strstr(text, " in lfind+0x0"), "%s", text);
	chk_stack_text(&s, 2, text, sizeof(text));
	ck_assert_msg(strstr(text, " in lfind+0x5") != NULL, "%s", text);
	s.api = f;
	chk_stack_api(&s, text, sizeof(text));
	ck_assert_str_ne(text, "lfind");
	s.api = f + 1;
	chk_stack_api(&s, text, sizeof(text));
	ck_assert_str_eq(text, "lfind");
	s.api = NULL;
	chk_stack_api(&s, text, sizeof(text));
	ck_assert_str_eq(text, "");
	s.frame[0] = (void *)(uintptr_t)0x1001;		/* of no file */
	chk_stack_text(&s, 0, text, sizeof(text));
	ck_assert_str_eq(text, "0x1000");
}
END_TEST

/* The table of blocks that run: many in one bucket, blocks of one number of several tasks; any of them ends. */
enum { TASKS = 5, EACH = 400 };
static struct { struct chk_cta is; bool there; unsigned dropped; } cta[TASKS][EACH];

static void drop_cta(struct chk_cta *c)
{
	for (unsigned t = 0; t < TASKS; t++)
		for (unsigned i = 0; i < EACH; i++)
			cta[t][i].dropped += &cta[t][i].is == c;
}

static struct ppu_seen_cta seen_cta(unsigned t, unsigned i)
{
	return (struct ppu_seen_cta){ .task = { .serial = 100 + t }, .index = i };
}

static void check_ctas(const struct chk_ctas *c)
{
	for (unsigned t = 0; t < TASKS; t++)
		for (unsigned i = 0; i < EACH; i++) {
			struct ppu_seen_cta s = seen_cta(t, i);

			ck_assert_ptr_eq(chk_cta_find(c, &s), cta[t][i].there ? &cta[t][i].is : NULL);
			ck_assert_uint_eq(cta[t][i].dropped, !cta[t][i].there);
		}
}

START_TEST(blocks_that_run)
{
	struct chk_ctas c = { .drop = drop_cta };
	struct ppu_seen_cta s = seen_cta(0, 0), none = seen_cta(TASKS, 7);
	uint32_t x = 4711;

	ck_assert_ptr_null(chk_cta_find(&c, &s));
	chk_cta_end(&c, &s);
	for (unsigned i = 0; i < EACH; i++)
		for (unsigned t = 0; t < TASKS; t++) {
			s = seen_cta(t, i);
			chk_cta_add(&c, &cta[t][i].is, &s);
			cta[t][i].there = true;
		}
	check_ctas(&c);
	for (unsigned n = 0; n < 10; n++) {
		for (unsigned k = 0; k < 40; k++) {
			unsigned t = next(&x) % TASKS, i = next(&x) % EACH;

			s = seen_cta(t, i);
			chk_cta_end(&c, &s);
			cta[t][i].there = false;
		}
		check_ctas(&c);
	}
	chk_cta_end(&c, &none);
	chk_cta_end_all(&c, &none.task);
	check_ctas(&c);
	for (unsigned t = 1; t < TASKS; t += 2) {
		s = seen_cta(t, 0);
		chk_cta_end_all(&c, &s.task);
		for (unsigned i = 0; i < EACH; i++)
			cta[t][i].there = false;
		check_ctas(&c);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check_memory");
	TCase *tc = tcase_create("check_memory");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, bytes);
	tcase_add_test(tc, copies);
	tcase_add_test(tc, rows);
	tcase_add_test(tc, far_away);
	tcase_add_test(tc, blocks);
	tcase_add_test(tc, place_again);
	tcase_add_test(tc, many_dead);
	tcase_add_test(tc, behind_a_call);
	tcase_add_test(tc, blocks_that_run);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
