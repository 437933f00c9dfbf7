/* SPDX-License-Identifier: MIT */
/*
 * Expressions of ppu-dbg that name variables of the source, and debug sections that are made to keep it busy: it stays inside of
 * both, and is done soon.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "debug/scope.h"
#include "run_suite.h"

/* A function from mark 1 on with char a[]; its type is at A_TYPE. */
#define A_TYPE	12
static const uint8_t head[] = {
	0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1,	/* length, version, abbreviations, bytes of an address; the unit */
	2, 18, 0, 0, 0,				/* array of char */
	3, 0,					/* its dimension, the end */
};
#define CHAR	18
static const uint8_t tail[] = { 4, 1 };		/* char: 1 byte */

static const uint8_t abbrev[] = {
	1, 0x11, 1, 0, 0,
	2, 0x01, 1, 0x49, 0x13, 0, 0,			/* array: type */
	3, 0x21, 0, 0, 0,				/* dimension */
	4, 0x24, 0, 0x0b, 0x0b, 0, 0,			/* base type: bytes */
	5, 0x2e, 1, 0x11, 0x01, 0x12, 0x01, 0, 0,	/* function: low, high */
	6, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x0a, 0, 0,	/* variable: name, type, location */
	7, 0x0b, 1, 0x01, 0x13, 0, 0,			/* block: sibling */
	8, 0x13, 1, 0x0b, 0x0b, 0, 0,			/* structure: bytes */
	9, 0x0d, 0, 0x49, 0x13, 0, 0,			/* member: type */
	10, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x0b, 0x07, 0x0d, 0x07, 0x0c, 0x07, 0, 0,	/* bit field: name, type, bytes, bits, offset */
	11, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x0d, 0x07, 0x6b, 0x07, 0, 0,	/* the same, with the offset from the structure's beginning */
	0,
};

static uint8_t info[4096];
static uint32_t len;
static struct ppu_symbol function = { .name = "k", .kind = PPU_SYM_KERNEL, .num_insns = 4 };
static struct ppu_debug_mark marks[] = { { 0, 1 } };
static struct ppu_debug debug = { .section = { info, (uint8_t *)abbrev }, .marks = marks, .num_marks = 1 };
static struct ppu_image img = { .symbols = &function, .num_symbols = 1, .num_insns = 4, .debug = &debug };
static struct dbg_warp warp = { .code = { .img = &img, .kernel = "k" } };

static void put(const void *p, size_t n)
{
	ck_assert(len + n <= sizeof(info));
	memcpy(info + len, p, n);
	len += (uint32_t)n;
}

static void put_number(uint64_t v, size_t bytes)
{
	put(&v, bytes);
}

static void put_variable(const char *name, uint32_t type)
{
	put_number(6, 1);
	put(name, strlen(name) + 1);
	put_number(type, 4);
	put_number(9, 1);
	put_number(3, 1);
	put_number((uint64_t)PPU_DEBUG_FRAME << PPU_DEBUG_KIND, 8);
}

static void begin_function(void)
{
	put_number(5, 1);
	put_number((uint64_t)PPU_DEBUG_MARK << PPU_DEBUG_KIND | 1, 8);
	put_number((uint64_t)PPU_DEBUG_MARK << PPU_DEBUG_KIND | 2, 8);
}

static void begin_info(void)
{
	len = 0;
	put(head, 19);
	info[13] = (uint8_t)len;	/* what the elements are */
	put(tail, sizeof(tail));
}

static void end_info(void)
{
	uint32_t n = len - 4;

	memcpy(info, &n, 4);
	debug.bytes[PPU_DEBUG_INFO] = len;
	debug.bytes[PPU_DEBUG_ABBREV] = sizeof(abbrev);
}

static bool look_register(struct be_dev *dev, uint32_t sm, uint32_t slot, uint32_t reg, uint32_t *lanes)
{
	(void)dev, (void)sm, (void)slot, (void)reg, (void)lanes;
	return true;
}

static uint64_t look_memory(struct be_dev *dev, const struct ppu_look_place *at, void *buf, uint64_t n)
{
	(void)dev;
	if (at->addr >= 16)
		return 0;
	memset(buf, 0, n);
	*(uint8_t *)buf = (uint8_t)at->addr;
	return n;
}

static const struct be_debug_ops ops = { .look_register = look_register, .look_memory = look_memory };

static void setup(void)
{
	dbg.ops = &ops;
	begin_info();
	begin_function();
	put_variable("a", A_TYPE);
	put_number(0, 2);
	end_info();
}

/* What is wrong with the text, which is in a block of its own; *v: its value. */
static const char *eval(const char *text, struct dbg_value *v)
{
	char *copy = malloc(strlen(text) + 1);
	const char *err;

	strcpy(copy, text);
	err = dbg_eval(copy, &warp, 0, v, NULL);
	free(copy);
	return err;
}

/* before, n times, then middle, then n times behind. */
static char *nested(const char *before, const char *middle, const char *behind, size_t n)
{
	char *text = malloc(n * (strlen(before) + strlen(behind)) + strlen(middle) + 1), *p = text;

	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, before);
	p = stpcpy(p, middle);
	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, behind);
	return text;
}

START_TEST(texts)
{
	static const char *const cut[] = { "a[", "a[1", "a[a[1", "(a[1", "*a[1", "a[1 ", "a.", "a->", "(a", "*", "a[u8(&a[1", "u8(&a[" };
	struct dbg_value v;

	ck_assert_ptr_null(eval("a[3] + a[a[2]]", &v));
	ck_assert_int_eq(v.i, 5);
	ck_assert_ptr_null(eval("(a[(a[(a[1]+1)]+1)]+1)", &v));
	ck_assert_int_eq(v.i, 4);
	ck_assert_str_eq(eval("a[1", &v), "] is missing");
	ck_assert_str_eq(eval("a[16]", &v), "no memory that can be read is at that address");
	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++)
		ck_assert_ptr_nonnull(eval(cut[i], &v));
}
END_TEST

START_TEST(depth)
{
	static const struct {
		const char *before, *behind;
		size_t n;
	} deep[] = {
		{ "a[", "]", 100000 }, { "(a[", "]+1)", 100000 }, { "((a[", "]+1)+1)", 30 }, { "(((((a[", "]+1)+1))))", 100 },
		{ "u8(&a[", "])", 100000 }, { "*", "", 100000 }, { "(", ")", 100000 },
	};
	struct dbg_value v;

	for (size_t i = 0; i < sizeof(deep) / sizeof(deep[0]); i++) {
		char *text = nested(deep[i].before, "1", deep[i].behind, deep[i].n);

		ck_assert_ptr_nonnull(eval(text, &v));
		free(text);
	}
}
END_TEST

/* Blocks in blocks, each of which says that the next entry, its own child, is its brother. */
START_TEST(blocks)
{
	struct dbg_value v;

	begin_info();
	begin_function();
	for (unsigned i = 0; i < 120; i++) {
		put_number(7, 1);
		put_number(len + 4, 4);
	}
	put_number(0, 8);
	put_number(0, 8);
	end_info();
	ck_assert_str_eq(eval("b", &v), "there is no such name");
}
END_TEST

/* A structure that is made of itself, many times. */
START_TEST(itself)
{
	struct dbg_value v;
	uint32_t type;

	begin_info();
	type = len;
	put_number(8, 1);
	put_number(1, 1);
	for (unsigned i = 0; i < 20; i++) {
		put_number(9, 1);
		put_number(type, 4);
	}
	put_number(0, 1);
	begin_function();
	put_variable("s", type);
	put_number(0, 2);
	end_info();
	ck_assert_str_eq(eval("s.x", &v), "the structure has no such member");
}
END_TEST

/* Bit fields, both ways to say where they are, and such as cannot be. */
START_TEST(bits)
{
	static const char nowhere[] = "its place cannot be told", outside[] = "no memory that can be read is at that address";
	static const struct {
		uint64_t storage, bits, at;	/* storage 0: at is from the beginning */
		int64_t value;
		const char *err;
	} cases[] = {
		{ 0, 3, 40, 5, NULL }, { 0, 3, 41, 2, NULL }, { 0, 1, 41, 0, NULL }, { 0, 64, 47, 0, NULL }, { 8, 3, 21, 5, NULL },
		{ 8, 64, 0, 0, NULL }, { 1, 8, 0, 0, NULL }, { 16, 3, 77, 6, NULL }, { 0, 3, 128, 0, outside }, { 0, 65, 0, 0, nowhere },
		{ 0, 1ull << 63, 0, 0, nowhere }, { 0, 3, ~0ull, 0, nowhere }, { 8, 3, 62, 0, nowhere }, { 8, 3, ~0ull, 0, nowhere },
		{ 1ull << 61, 3, 0, 0, nowhere }, { ~0ull, 3, 0, 0, nowhere }, { 32, 3, 0, 0, nowhere }, { 1, 64, 0, 0, nowhere },
	};
	struct dbg_value v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t type;

		begin_info();
		type = len;
		put_number(8, 1);
		put_number(16, 1);
		put_number(cases[i].storage ? 10 : 11, 1);
		put("x", 2);
		put_number(info[13], 4);
		if (cases[i].storage)
			put_number(cases[i].storage, 8);
		put_number(cases[i].bits, 8);
		put_number(cases[i].at, 8);
		put_number(0, 1);
		begin_function();
		put_variable("s", type);
		put_number(0, 2);
		end_info();
		ck_assert_msg(eval("s.x", &v) == cases[i].err || !strcmp(eval("s.x", &v), cases[i].err), "case %zu: %s", i, eval("s.x", &v));
		ck_assert_msg(cases[i].err || v.i == cases[i].value, "case %zu: %lld", i, (long long)v.i);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("debug_expr");
	TCase *tc = tcase_create("expressions");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, texts);
	tcase_add_test(tc, depth);
	tcase_add_test(tc, blocks);
	tcase_add_test(tc, itself);
	tcase_add_test(tc, bits);
	tcase_set_timeout(tc, 20);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
