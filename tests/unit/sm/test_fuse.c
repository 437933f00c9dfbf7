/* SPDX-License-Identifier: MIT */
/*
 * Which loads, stores and branches the translator makes segments of (core/sm/translate/fuse.h).  Results do not depend on it,
 * speed does: so other tests do not notice when a segment ends too soon, or when a load gets a check of its own.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/sm/translate/fuse.h"
#include "core/sm/warp.h"
#include "one_cta.h"
#include "run_suite.h"

#if defined(__x86_64__) && __has_include(<Zydis/Encoder.h>)
static char out[2048];
static unsigned len;

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	len += (unsigned)vsnprintf(out + len, sizeof(out) - len, fmt, ap);
	va_end(ap);
}

/* The instructions: with a letter, in this group; + a branch that is taken, - one that is not.  > where it goes on. */
static void say_list(const struct ppu_fuse *f)
{
	len = 0;
	out[0] = 0;
	for (unsigned i = 0; i < f->n; i++) {
		say("%u", f->list[i]);
		if (f->group[i] == PPU_FUSE_WAY)
			say(f->taken[i] ? "+" : "-");
		else if (f->group[i] >= 0)
			say("%c", 'a' + f->group[i]);
		say(" ");
	}
	say(">%u", f->next);
}

/* Then the groups: row, base, bytes of a lane, how many, least offset and span. */
static const char *plan(const char *text)
{
	struct ppu_fuse f;
	bool any = ppu_fuse_plan(decoded(text), 0, &f);

	ck_assert_int_eq(any, f.groups != 0);
	say_list(&f);
	for (unsigned i = 0; i < f.groups; i++) {
		const struct ppu_fuse_group *g = &f.g[i];

		say(", %s r%u", g->write ? "to" : "from", g->row);
		if (g->base != g->row)
			say(" (r%u)", g->base);
		say(" %ux%u %lld", g->bytes, g->loads, (long long)g->imm);
		if (g->span)
			say("..+%u", g->span);
	}
	if (f.undos)
		say(", old");
	for (unsigned i = 0; i < f.undos; i++)
		say(" r%u", f.undo[i]);
	if (f.stores)
		say(", keeps");
	for (unsigned i = 0; i < f.stores; i++)
		say(" %s%c%u:%lld", f.store[i].add ? "+" : "", 'a' + f.store[i].group, f.store[i].row, (long long)f.store[i].imm);
	if (f.guards)
		say(", guards");
	say("; %u %u %u", f.reads, f.writes, f.adds);
	return out;
}

#define END "st.global.u32 [rd20], r2\nexit\n"

/* Loads at a constant distance of each other are a group, up to 2 KiB. */
START_TEST(groups)
{
	ck_assert_str_eq(plan("ld.global.u32 r8, [rd4]\nnop\n"), "0a >1, from r4 4x1 0; 1 0 0");
	ck_assert_str_eq(plan("ld.global.u32 r8, [rd4]\nld.global.u32 r9, [rd4+4]\nld.global.u32 r10, [rd4+2048]\nnop\n"),
			 "0a 1a 2a >3, from r4 4x3 0..+2048; 3 0 0");
	ck_assert_str_eq(plan("ld.global.u32 r8, [rd4]\nld.global.u32 r9, [rd4+2052]\nld.global.u32 r10, [rd4-4]\nnop\n"),
			 "0a 1b 2a >3, from r4 4x2 -4..+4, from r4 4x1 2052; 3 0 0");
	ck_assert_str_eq(plan("ld.global.u32 r8, [rd4+2048]\nld.global.u32 r9, [rd4]\nld.global.u32 r10, [rd4+2052]\nnop\n"),
			 "0a 1a 2b >3, from r4 4x2 0..+2048, from r4 4x1 2052; 3 0 0");
	ck_assert_str_eq(plan("ld.global.u32 r8, [rd4+2052]\nld.global.u32 r9, [rd4]\nnop\n"),
			 "0a 1b >2, from r4 4x1 2052, from r4 4x1 0; 2 0 0");
	/* not: other registers, sizes, spaces, a distance that is no multiple */
	ck_assert_str_eq(plan("ld.global.u32 r8, [rd4]\nld.global.u32 r9, [rd6]\nld.global.u64 rd10, [rd4+8]\n"
			      "ld.shared.u32 r12, [r4]\nld.global.u32 r13, [rd4+2]\nld.global.u32 r14, [rd4+8]\nnop\n"),
			 "0a 1b 2c 3d 4e 5a >6, from r4 4x2 0..+8, from r6 4x1 0, from r4 8x1 8, from r4 4x1 0, "
			 "from r4 4x1 2; 5 0 0");
	/* the register has another value then; a 64-bit address has two */
	ck_assert_str_eq(plan("ld.global.u32 r8, [rd4]\nadd.u32 r5, r5, 1\nld.global.u32 r9, [rd4]\nnop\n"),
			 "0a 1 2b >3, from r4 4x1 0, from r4 4x1 0, old r5; 2 0 0");
	ck_assert_str_eq(plan("ld.shared.u32 r8, [r4]\nadd.u32 r5, r5, 1\nld.shared.u32 r9, [r4]\nnop\n"),
			 "0a 1 2a >3, from r4 4x2 0, old r5; 0 0 0");
	/* each size */
	ck_assert_str_eq(plan("ld.global.u8 r8, [rd4]\nld.global.s16 r9, [rd4]\nld.global.v2.u32 rd10, [rd4]\nld.global.v4.u32 rq12, [rd4]\n"
			      "ld.global.v2.u64 rq16, [rd4]\nld.global.b128 rq20, [rd4+16]\nnop\n"),
			 "0a 1b 2c 3d 4d 5d >6, from r4 1x1 0, from r4 2x1 0, from r4 8x1 0, from r4 16x3 0..+16; 6 0 0");
	/* where an array begins */
	ck_assert_str_eq(plan("madw.u32 rd4, r2, 4, rd6\nld.global.u32 r8, [rd4]\nadd.u64 rd10, rd12, rd2\nld.global.u32 r9, [rd10]\nnop\n"),
			 "0 1a 2 3b >4, from r4 (r6) 4x1 0, from r10 (r12) 4x1 0; 2 0 0");
	ck_assert_str_eq(plan("add.u64 rd4, rd4, rd6\nld.const.u32 r8, [rd4]\nld.param.u32 r9, [8]\nnop\n"),
			 "0 1a 2b >3, from r4 4x1 0, from r32 4x1 8, old r4 r5; 1 0 0");
}
END_TEST

/* What is no part: guards and order of loads, other spaces, what does something else. */
START_TEST(ends)
{
	static const char *const no[] = {
		"@p1 ld.global.u32 r8, [rd4]", "ld.local.u32 r8, [r4]", "st.local.u32 [r4], r8", "membar", "bar.sync 0", "exit",
		"atom.global.add.u32 r8, [rd4], r2", "atom.shared.add.u32 r8, [r4], r2", "atom.shared.max.u32 rz, [r4], r2",
		"ld.global.v2.u8 r8, [rd4]", "yield", "s2r r2, %clock", "trap",
	};
	char text[256];

	for (unsigned i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		if (strstr(no[i], "v2.u8"))
			continue;
		snprintf(text, sizeof(text), "ld.global.u32 r9, [rd6]\n%s\nld.global.u32 r10, [rd6]\nexit\n", no[i]);
		ck_assert_msg(!strncmp(plan(text), "0a >1,", 6), "%s: %s", no[i], out);
	}
	ck_assert_str_eq(plan("add.u32 r2, r2, 1\nexit\n"), "0 >1, old r2; 0 0 0");
}
END_TEST

/* Stores are kept to the end; a load that might read them ends the segment. */
START_TEST(stores)
{
	ck_assert_str_eq(plan("st.global.u32 [rd4], r8\nst.global.u32 [rd4+4], r9\nst.global.v2.u32 [rd6], rd10\nnop\n"),
			 "0a 1a 2b >3, to r4 4x2 0..+4, to r6 8x1 0, keeps a0:0 a1:4 b2:0; 0 3 0");
	ck_assert_str_eq(plan("st.global.u8 [rd4], r8\nst.global.u32 [rd4+4], r9\nnop\n"),
			 "0a 1b >2, to r4 1x1 0, to r4 4x1 4, keeps a0:0 b1:4; 0 2 0");
	ck_assert_str_eq(plan("ld.global.u32 r8, [rd4]\nst.global.u32 [rd4], r8\nld.global.u32 r9, [rd4]\nexit\n"),
			 "0a 1b >2, from r4 4x1 0, to r4 4x1 0, keeps b0:0; 1 1 0");
	ck_assert_str_eq(plan("st.global.u32 [rd4], r8\nld.shared.u32 r9, [r4]\nld.const.u32 r9, [rd4]\nexit\n"),
			 "0a 1b >2, to r4 4x1 0, from r4 4x1 0, keeps a0:0; 0 1 0");
	ck_assert_str_eq(plan("st.shared.u32 [r4], r8\nld.global.u32 r9, [rd4]\nld.shared.u32 r9, [r4]\nexit\n"),
			 "0a 1b >2, to r4 4x1 0, from r4 4x1 0, keeps a0:0; 1 0 0");
	ck_assert_str_eq(plan("st.u32 [rd4], r8\nld.param.u32 r9, [0]\nld.u32 r9, [rd4]\nexit\n"),
			 "0a 1b >2, to r4 4x1 0, from r32 4x1 0, keeps a0:0; 0 1 0");
	/* sums of which nobody reads the old value */
	ck_assert_str_eq(plan("atom.shared.add.u32 rz, [r4], r8\natom.shared.add.s32 rz, [r4+4], r9\nnop\n"),
			 "0a 1a >2, to r4 4x2 0..+4, keeps +a0:0 +a1:4; 0 0 2");
	/* 8 stores, 16 rows */
	ck_assert_str_eq(plan("st.global.u32 [rd4], r8\nst.global.u32 [rd4], r8\nst.global.u32 [rd4], r8\nst.global.u32 [rd4], r8\n"
			      "st.global.u32 [rd4], r8\nst.global.u32 [rd4], r8\nst.global.u32 [rd4], r8\nst.global.u32 [rd4], r8\n"
			      "st.global.u32 [rd4], r8\nexit\n"),
			 "0a 1a 2a 3a 4a 5a 6a 7a >8, to r4 4x8 0, keeps a0:0 a1:0 a2:0 a3:0 a4:0 a5:0 a6:0 a7:0; 0 8 0");
	ck_assert_str_eq(plan("st.global.v4.u32 [rd4], rq8\nst.global.v4.u32 [rd4], rq8\nst.global.v4.u32 [rd4], rq8\n"
			      "st.global.v4.u32 [rd4], rq8\nst.global.u8 [rd4], r8\nexit\n"),
			 "0a 1a 2a 3a >4, to r4 16x4 0, keeps a0:0 a4:0 a8:0 a12:0; 0 4 0");
	ck_assert_str_eq(plan("st.global.v4.u32 [rd4], rq8\nst.global.v4.u32 [rd4], rq8\nst.global.v4.u32 [rd4], rq8\n"
			      "st.global.v2.u32 [rd4], rd8\nst.global.u32 [rd4], r8\nst.global.u8 [rd4], r8\nexit\n"),
			 "0a 1a 2a 3b 4c 5d >6, to r4 16x3 0, to r4 8x1 0, to r4 4x1 0, to r4 1x1 0, "
			 "keeps a0:0 a4:0 a8:0 b12:0 c14:0 d15:0; 0 6 0");
}
END_TEST

/* Old values that count behind a segment that fails: of what is written and read, here or later. */
START_TEST(old_values)
{
	ck_assert_str_eq(plan("ld.global.u32 r2, [rd4]\n" END), "0a 1b >2, from r4 4x1 0, to r20 4x1 0, keeps b0:0; 1 1 0");
	ck_assert_str_eq(plan("add.u32 r2, r2, 1\nld.global.u32 r3, [rd4]\nadd.u32 r2, r2, r3\n" END),
			 "0 1a 2 3b >4, from r4 4x1 0, to r20 4x1 0, old r2, keeps b0:0; 1 1 0");
	ck_assert_str_eq(plan("ld.global.u32 r3, [rd4]\n@p1 add.u32 r2, r3, 1\n" END),
			 "0a 1 2b >3, from r4 4x1 0, to r20 4x1 0, old r2, keeps b0:0, guards; 1 1 0");
	ck_assert_str_eq(plan("ld.global.u64 rd4, [rd4]\nld.global.u32 r2, [rd4]\n" END),
			 "0a 1b 2c >3, from r4 8x1 0, from r4 4x1 0, to r20 4x1 0, old r4 r5, keeps c0:0; 2 1 0");
}
END_TEST

/* ---- traces ---- */

/* From the instruction `from`; where branches lead to, and what follows one, begins a block, and a loop if it is led to from
 * behind. */
static const char *trace(const char *text, uint32_t from)
{
	const struct ppu_program *p = decoded(text);
	uint8_t block[256] = { 0 };
	struct ppu_fuse f;
	bool any;

	ck_assert_uint_lt(p->n, 256);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->code[i].turn && !block[i])
			block[i] = PPU_BLOCK_BEGINS;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->code[i].handler == PPU_H_bra && p->code[i].imm <= i)
			block[p->code[i].imm] = PPU_BLOCK_LOOP;
	any = ppu_fuse_trace(p, from, block, &f);
	ck_assert_int_eq(any, f.blocks != 0);
	say_list(&f);
	say(", %u blocks", f.blocks);
	if (f.blocks)
		say(", %u cycles", f.turns);
	if (f.loops)
		say(", loops");
	return out;
}

START_TEST(traces)
{
	/* one block is no trace */
	ck_assert_str_eq(trace("add.u32 r2, r2, 1\nadd.u32 r3, r3, 1\nexit\n", 0), "0 1 >2, 0 blocks");
	/* forwards a branch is not taken, one without a guard is */
	ck_assert_str_eq(trace("add.u32 r2, r2, 1\n@p1 bra L\nadd.u32 r3, r3, 1\nL: add.u32 r4, r4, 1\nexit\n", 0),
			 "0 1- 2 3 >4, 2 blocks, 3 cycles");
	ck_assert_str_eq(trace("add.u32 r2, r2, 1\nbra L\nadd.u32 r3, r3, 1\nL: add.u32 r4, r4, 1\nexit\n", 0),
			 "0 1+ 3 >4, 1 blocks, 2 cycles");
	/* lanes that end; all of them */
	ck_assert_str_eq(trace("add.u32 r2, r2, 1\n@p1 exit\nadd.u32 r3, r3, 1\nexit\n", 0), "0 1- 2 >3, 1 blocks, 2 cycles");
	/* a loop three times, up to its last branch */
	ck_assert_str_eq(trace("L: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, r3\n@p1 bra L\nexit\n", 0),
			 "0 1 2+ 0 1 2+ 0 1 >2, 2 blocks, 6 cycles, loops");
	ck_assert_str_eq(trace("L: add.u32 r2, r2, 1\n@p2 bra M\nadd.u32 r4, r4, 1\nM: setp.lt.u32 p1, r2, r3\n@p1 bra L\nexit\n", 0),
			 "0 1- 2 3 4+ 0 1- 2 3 4+ 0 1- 2 3 >4, 8 blocks, 13 cycles, loops");
	/* what leads into a loop ends in front of it */
	ck_assert_str_eq(trace("add.u32 r2, r2, 1\n@p2 bra L\nadd.u32 r4, r4, 1\nL: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, r3\n@p1 bra L\nexit\n", 0),
			 "0 1- 2 >3, 1 blocks, 2 cycles");
	ck_assert_str_eq(trace("add.u32 r2, r2, 1\n@p2 bra M\nadd.u32 r4, r4, 1\n@p3 bra M\nL: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, r3\n"
			       "@p1 bra L\nM: exit\n", 0), "0 1- 2 3- >4, 1 blocks, 2 cycles");
	ck_assert_str_eq(trace("add.u32 r2, r2, 1\n@p2 bra M\nadd.u32 r4, r4, 1\n@p3 bra L\nM: add.u32 r4, r4, 1\nL: add.u32 r2, r2, 1\n"
			       "setp.lt.u32 p1, r2, r3\n@p1 bra L\nexit\n", 2), "2 3- 4 >5, 1 blocks, 2 cycles");
}
END_TEST
#endif

int main(void)
{
	Suite *su = suite_create("fuse");
	TCase *t = tcase_create("fuse");

	tcase_add_checked_fixture(t, setup, teardown);
#if defined(__x86_64__) && __has_include(<Zydis/Encoder.h>)
	tcase_add_test(t, groups);
	tcase_add_test(t, ends);
	tcase_add_test(t, stores);
	tcase_add_test(t, old_values);
	tcase_add_test(t, traces);
#endif
	suite_add_tcase(su, t);
	return run_suite(su);
}
