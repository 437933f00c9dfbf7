/* SPDX-License-Identifier: MIT */
/*
 * Chains of f64 operations on both engines, with what looks at single rows of their numbers in between (translate/numbers.h):
 * words that are read or written alone, pairs that overlap, guards, constants, NaNs that are not the canonical one, stores.
 * PPU_NUMBERS_PROGRAMS: how many.
 */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine_pair.h"
#include "insn_random.h"
#include "run_suite.h"

#define ROWS	24		/* rows of values; a thread has as many words in memory */
#define BASE	"s2r r50, %%tid.x\nmovi64 rd52, 0x200001000\nmadw.u32 rd52, r50, 96, rd52\n"

static char text[1 << 14];
static size_t len;
static uint64_t state;

static unsigned any(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	len += (size_t)vsnprintf(text + len, sizeof(text) - len, format, args);
	va_end(args);
	ck_assert_uint_lt(len, sizeof(text));
}

/* Mostly the same few pairs, so that chains arise; now and then one that overlaps these. */
static unsigned pair_row(void) { return any(8) ? 2 * any(5) + 4 * any(2) : any(ROWS - 1); }

static const char *guard(void)
{
	static const char *const g[] = { "@p0 ", "@!p0 ", "@p1 " };

	return any(6) ? "" : g[any(3)];
}

/* A pair as an operand, perhaps with a sign. */
static const char *operand(bool abs)
{
	static char s[4][16];
	static unsigned n;
	const unsigned how = any(abs ? 8 : 5);

	n = (n + 1) % 4;
	snprintf(s[n], sizeof(s[n]), how == 4 ? "-rd%u" : how == 5 ? "|rd%u|" : "rd%u", pair_row());
	return s[n];
}

static void constant(void)
{
	static const char *const v[] = { "0x3ff8000000000000", "0xbfd5555555555555", "0x7ff8000000000001", "0xfff0000000000000",
					 "0x7ff0000000000000", "0x8000000000000000", "0x1", "0xfff4000000000000", "0x4330000000000000" };

	add("%smovi64 rd%u, %s\n", guard(), pair_row(), v[any(sizeof(v) / sizeof(v[0]))]);
}

static void arithmetic(void)
{
	static const char *const two[] = { "add", "sub", "mul", "div" };
	unsigned op = any(16);

	if (op < 6)
		add("%sfma.f64 rd%u, %s, %s, %s\n", guard(), pair_row(), operand(false), operand(false), operand(false));
	else if (op < 12)
		add("%s%s.f64 rd%u, %s, %s\n", guard(), two[any(9) / 2 % 4], pair_row(), operand(true), operand(true));
	else if (op == 12)
		add("%s%s.f64 rd%u, %s\n", guard(), any(2) ? "neg" : "abs", pair_row(), operand(true));
	else if (op == 13)
		add("%s%s.f64 rd%u, rd%u\n", guard(), any(2) ? "sqrt" : "rcp", pair_row(), pair_row());
	else if (op == 14)
		add("%sadd.f64 rd%u, %s, 1.5\n", guard(), pair_row(), operand(true));
	else
		add("%sfma.f64 rd%u, rd%u, -0.25, %s\n", guard(), pair_row(), pair_row(), operand(false));
}

/* Somebody who wants words, or gives them. */
static void words(void)
{
	switch (any(12)) {
	case 0:
		add("%scvt.f64.s32 rd%u, r%u\n", guard(), pair_row(), any(ROWS));
		break;
	case 1:
		add("%scvt.f32.f64 r%u, rd%u\n", guard(), any(ROWS), pair_row());
		break;
	case 2:
		add("%scvt.f64.f32 rd%u, r%u\n", guard(), pair_row(), any(ROWS));
		break;
	case 3:
		add("%sxor.u32 r%u, r%u, r%u\n", guard(), any(ROWS), any(ROWS), any(ROWS));
		break;
	case 4:
		add("%smov.u32 r%u, 0x%x\n", guard(), any(ROWS), any(2) ? 0x3ff00000 : any(1 << 30));
		break;
	case 5:
		add("%smov.u64 rd%u, rd%u\n", guard(), pair_row(), pair_row());
		break;
	case 6:
		add("%ssel.u64 rd%u, rd%u, rd%u, p%u\n", guard(), pair_row(), pair_row(), pair_row(), any(2));
		break;
	case 7:
		add("%sadd.s64 rd%u, rd%u, rd%u\n", guard(), pair_row(), pair_row(), pair_row());
		break;
	case 8:
		add("%smul.f32 r%u, r%u, r%u\n", guard(), any(ROWS), any(ROWS), any(ROWS));
		break;
	case 9:
		add("setp.%s.f64 p%u, %s, %s\n", any(2) ? "lt" : "nan", 2 + any(2), operand(true), operand(true));
		break;
	case 10:
		add("ld.global.u64 rd%u, [rd52+%u]\n", pair_row(), 8 * any(ROWS / 2));
		break;
	default:
		add("st.global.u64 [rd52+%u], rd%u\n", 8 * any(ROWS / 2), pair_row());
	}
}

static void program(void)
{
	len = 0;
	add(BASE "setp.lt.u32 p0, r50, %u\nsetp.gt.u32 p1, r50, %u\n", 1 + any(40), any(31));
	for (unsigned i = 0; i < ROWS; i += 2)
		add("ld.global.u64 rd%u, [rd52+%u]\n", i, 4 * i);
	/* Numbers of a usual size, some of them. */
	for (unsigned i = 0; i < 5; i++)
		add("cvt.f64.s32 rd%u, r%u\n", 2 * any(8), 1 + 2 * any(8));
	if (any(3) == 0)
		add("@p0 bra L\n");
	for (unsigned i = 20 + any(50); i--;)
		switch (any(8)) {
		case 0:
			constant();
			break;
		case 1: case 2:
			words();
			break;
		default:
			arithmetic();
		}
	add("L: ");
	for (unsigned i = 0; i < ROWS; i += 2)
		add("st.global.u64 [rd52+%u], rd%u\n", 4 * i, i);
	add("mov.u32 r0, 1\n@p2 mov.u32 r0, 2\n@p3 add.u32 r0, r0, 4\nst.global.u32 [rd52+88], r0\nexit\n");
}

static unsigned programs(void)
{
	const char *n = getenv("PPU_NUMBERS_PROGRAMS");

	return n ? (unsigned)strtoul(n, NULL, 0) : 250;
}

/* _i: whole warps, or not */
START_TEST(chains)
{
	static const uint32_t threads[] = { 32, 64, 19 };
	struct sm_test *pair[2] = { epair_machine(EPAIR_PLAIN, EPAIR_INTERPRET), epair_machine(EPAIR_PLAIN, EPAIR_TRANSLATE) };

	for (unsigned n = 0; n < programs(); n++) {
		bool ok = true;

		state = 1000003ull * n + (unsigned)_i;
		program();
		for (unsigned k = 0; k < 2; k++) {
			epair_prepare(pair[k], n, IRND_DATA);
			smt_load(pair[k], text);
			ok &= epair_run(pair[k], 1, threads[_i], 0);
			ck_assert_msg(!pair[k]->faulted, "program %u\n%s", n, text);
		}
		ck_assert_msg(ok && epair_same(pair[0], pair[1], IRND_DATA), "program %u: %s\n%s", n, epair_why, text);
	}
	for (unsigned k = 0; k < 2; k++)
		smt_free(pair[k]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engines_numbers");
	TCase *t = tcase_create("numbers");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 0;
	}
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, chains, 0, 3);
	suite_add_tcase(s, t);
	return run_suite(s);
}
