/* SPDX-License-Identifier: MIT */
/* Divergence: the worked scenarios SIMT-X1..X7 as golden traces, and every control instruction. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_isa_check.h>
#include "core/sm/diverge.h"
#include "one_cta.h"
#include "run_suite.h"

static void run_fault(const char *text, uint32_t block, unsigned code, unsigned pc, unsigned lane)
{
	if (!s->core)
		smt_start(s);
	smt_load(s, text);
	ck_assert(!smt_run(s, 1, block));
	ck_assert_msg(s->faulted, "no fault");
	ck_assert_uint_eq(s->fault.code, code);
	ck_assert_uint_eq(s->fault.pc, pc);
	ck_assert_uint_eq(s->fault.lane, lane);
	ck_assert_uint_eq(s->fault.unit, PPU_UNIT_SM);
	ck_assert_uint_eq(s->fault.task_id, 42);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

static void ops(const char *want)
{
	ck_assert_str_eq(smt_ops(s), want);
}

/* ---- scenarios ------------------------------------------------------------------------------------ */

static const char x1[] =
	PROLOGUE			/* 0 */
	"setp.lt.u32 p1, r2, 16\n"	/* 3 */
	"ssy L\n"			/* 4 */
	"@p1 bra If\n"			/* 5 */
	"mov.u32 r3, 2\n"		/* 6 Else */
	"sync L\n"			/* 7 */
	"If: mov.u32 r3, 1\n"		/* 8 */
	"sync L\n"			/* 9 */
	"L: " STORE3			/* 10 */
	"exit\n";

/* SIMT-X1: SIMT-4, SIMT-5, SIMT-7, SIMT-8, SIMT-56, SIMT-57, SIMT-60..SIMT-62 */
START_TEST(if_else)
{
	s->cfg.branch_first = 1;
	run(x1, 32);
	ops("push sync ffffffff 10/0 @128 h=129 t=127\n"
	    "push div ffff0000 6/1 @129 h=130 t=127\n"
	    "disable sync ffff left=0\n"
	    "pop div ffff0000 6/1 -> ffff0000 h=129 t=127\n"
	    "disable sync ffff0000 left=0\n"
	    "pop sync ffffffff 10/0 -> ffffffff h=128 t=127\n"
	    "disable exit ffffffff left=0\n");
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 16 ? 1 : 2);
	/* 7 + 2 x 16 lanes + 2: both bodies half, the rest whole */
	ck_assert_uint_eq(s->core->ctr[PPU_CTR_THREAD_INSNS], (5 + 2) * 32 + 16 + 2 * 16 + 2 * 16);
	ck_assert_uint_eq(s->core->ctr[PPU_CTR_DIVERGENT], 1);
}
END_TEST

/* SIMT-6: the other side first, the masks swapped, the same result */
START_TEST(branch_first_fall_through)
{
	s->cfg.branch_first = 0;
	run(x1, 32);
	ops("push sync ffffffff 10/0 @128 h=129 t=127\n"
	    "push div ffff 8/1 @129 h=130 t=127\n"
	    "disable sync ffff0000 left=0\n"
	    "pop div ffff 8/1 -> ffff h=129 t=127\n"
	    "disable sync ffff left=0\n"
	    "pop sync ffffffff 10/0 -> ffffffff h=128 t=127\n"
	    "disable exit ffffffff left=0\n");
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 16 ? 1 : 2);
}
END_TEST

static const char x2[] =
	PROLOGUE			/* 0 */
	    "setp.lt.u32 p1, r2, 16\n"	/* 3 */
	    "setp.lt.u32 p2, r2, 8\n"	/* 4 */
	    "mov.u32 r3, 0\n"		/* 5 */
	    "ssy L\n"			/* 6 */
	    "@p1 bra If\n"		/* 7 */
	    "sync L\n"			/* 8 Else */
	    "If: cal r9, f\n"		/* 9 */
	    "sync L\n"			/* 10 */
	    "L: " STORE3		/* 11 */
	    "exit\n"			/* 12 */
	    "f: ssy M\n"		/* 13 */
	    "@p2 bra In\n"		/* 14 */
	    "add.u32 r3, r3, 2\n"	/* 15 */
	    "sync M\n"			/* 16 */
	    "In: add.u32 r3, r3, 1\n"	/* 17 */
	    "sync M\n"			/* 18 */
	    "M: ret r9\n";		/* 19 */

/* SIMT-X2: SIMT-25 */
START_TEST(five_tokens)
{
	s->cfg.branch_first = 1;
	run(x2, 32);
	ops("push sync ffffffff 11/0 @128 h=129 t=127\n"
	    "push div ffff0000 8/1 @129 h=130 t=127\n"
	    "push call ffff 10/3 @130 h=131 t=127\n"
	    "push sync ffff 19/7 @131 h=132 t=127\n"
	    "push div ff00 15/7 @132 h=133 t=127\n"
	    "disable sync ff left=0\n"
	    "pop div ff00 15/7 -> ff00 h=132 t=127\n"
	    "disable sync ff00 left=0\n"
	    "pop sync ffff 19/7 -> ffff h=131 t=127\n"
	    "disable call ffff left=0\n"
	    "pop call ffff 10/3 -> ffff h=130 t=127\n"
	    "disable sync ffff left=0\n"
	    "pop div ffff0000 8/1 -> ffff0000 h=129 t=127\n"
	    "disable sync ffff0000 left=0\n"
	    "pop sync ffffffff 11/0 -> ffffffff h=128 t=127\n"
	    "disable exit ffffffff left=0\n");
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 8 ? 1 : i < 16 ? 2 : 0);
}
END_TEST

/* 8 threads; two groups yield for ever at A and B (a counter ends it here) */
static const char x3[] =
	PROLOGUE			/* 0 */
	"setp.ge.u32 p1, r2, 4\n"	/* 3 */
	"mov.u32 r3, 0\n"		/* 4 */
	"@p1 bra P2\n"			/* 5 */
	"P1: yield\n"			/* 6 A */
	"add.u32 r3, r3, 1\n"		/* 7 */
	"setp.lt.u32 p2, r3, 250\n"	/* 8 */
	"@p2 bra P1\n"			/* 9 */
	"bra End\n"			/* 10 */
	"P2: yield\n"			/* 11 B */
	"add.u32 r3, r3, 1\n"		/* 12 */
	"setp.lt.u32 p2, r3, 250\n"	/* 13 */
	"@p2 bra P2\n"			/* 14 */
	"End: " STORE3			/* 15 */
	"exit\n";

/* SIMT-X3: SIMT-36, SIMT-37, SIMT-39, SIMT-52..SIMT-54 */
START_TEST(ping_pong)
{
	unsigned yields = 0, at[8], n = 0, first[2];
	const char *p;
	static const char begin[] =
		"push div f0 11/0 @128 h=129 t=127\n"
		"yield yield f 7/0 @127 h=129 t=126\n"
		"disable yield f left=0\n"
		"pop div f0 11/8 -> f0 h=128 t=126\n"
		"yield yield f0 12/0 @126 h=128 t=125\n"
		"disable yield f0 left=0\n"
		"pop yield f 7/8 -> f h=127 t=125\n";

	s->cfg.tokq_driver = _i;
	run(x3, 8);
	p = smt_ops(s);
	ck_assert_msg(!strncmp(p, begin, sizeof(begin) - 1), "%.300s", p);
	for (; *p; p = strchr(p, '\n') + 1) {
		if (!strncmp(p, "recentre ", 9)) {
			at[n++ % 8] = yields + 1;	/* raised by the next yield */
			ck_assert_msg(!strncmp(p, "recentre 1 h=128 t=126\n", 23), "%.40s", p);
		}
		if (!strncmp(p, "yield ", 6)) {
			unsigned mask, addr, nib;
			int entry, head, tail;

			ck_assert_int_eq(sscanf(p, "yield yield %x %u/%x @%d h=%d t=%d", &mask, &addr,
						&nib, &entry, &head, &tail), 6);
			yields++;
			if (yields <= 128) {
				ck_assert_int_eq(entry, 128 - (int)yields);
				ck_assert_int_eq(tail, 127 - (int)yields);
				ck_assert_int_eq(head, 130 - (int)yields);	/* before the pop */
			}
			if (yields <= 2)
				first[yields - 1] = mask;
			ck_assert_uint_eq(mask, first[(yields - 1) & 1]);
		}
	}
	/* both groups have yielded 250 times, strictly in turn */
	ck_assert_uint_eq(yields, 500);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(at[0], 129);
	ck_assert_uint_eq(at[1], 256);
	ck_assert_uint_eq(at[2], 383);
	ck_assert_uint_eq(s->num_exceptions, _i ? 3 : 0);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 250);
}
END_TEST

/* SIMT-46, SIMT-53: a YIELD that waited for the driver to move the tokens was the one that switches: it is not counted, and
 * its dice are not thrown, once more.  So all goes as when the device moves the tokens. */
START_TEST(choice_before_the_exception)
{
	char *want = NULL;

	for (unsigned driver = 0; driver < 2; driver++) {
		smt_free(s);
		s = smt_new();
		s->cfg.yield_every = _i ? 1 : 2;
		s->cfg.yield_random = _i ? 40000 : 65536;
		s->cfg.tokq_driver = driver;
		run(x3, 8);
		ck_assert_uint_ge(count(smt_ops(s), "recentre"), 1);
		ck_assert_uint_eq(s->num_exceptions, driver ? count(smt_ops(s), "recentre") : 0);
		if (!driver)
			want = strdup(smt_ops(s));
	}
	ck_assert_str_eq(smt_ops(s), want);
	free(want);
}
END_TEST

static const char x4[] =
	PROLOGUE			/* 0 */
	"setp.ge.u32 p1, r2, 4\n"	/* 3 */
	"mov.u32 r3, 0\n"		/* 4 */
	"@p1 bra Skip\n"		/* 5 */
	"add.u32 r3, r3, 1\n"		/* 6 */
	"Skip: yield\n"			/* 7 */
	"add.u32 r3, r3, 10\n"		/* 8 */
	STORE3 "exit\n";

/* SIMT-X4: SIMT-40, SIMT-43 */
START_TEST(merge_at_one_yield)
{
	run(x4, 8);
	ops("push div f0 7/0 @128 h=129 t=127\n"
	    "yield yield f 8/0 @127 h=129 t=126\n"
	    "disable yield f left=0\n"
	    "pop div f0 7/8 -> f0 h=128 t=126\n"
	    "merge yield ff 8/0 h=128 t=126\n"
	    "disable yield f0 left=0\n"
	    "pop yield ff 8/0 -> ff h=127 t=126\n"
	    "disable exit ff left=0\n");
	ck_assert_uint_eq(s->core->ctr[PPU_CTR_YIELDS], 2);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 4 ? 11 : 10);
}
END_TEST

/* SIMT-40: A-SIMT-4: without merging, two passes */
START_TEST(merge_off)
{
	s->cfg.yield_merge = 0;
	run(x4, 8);
	ck_assert_uint_eq(count(smt_ops(s), "merge"), 0);
	ck_assert_uint_eq(count(smt_ops(s), "disable exit"), 2);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 4 ? 11 : 10);
}
END_TEST

static const char x5[] =
	PROLOGUE			/* 0 */
	    "setp.ge.u32 p1, r2, 4\n"	/* 3 */
	    "mov.u32 r3, 0\n"		/* 4 */
	    "ssy L\n"			/* 5 */
	    "@p1 bra P2\n"		/* 6 */
	    "yield\n"			/* 7 A */
	    "sync L\n"			/* 8 */
	    "P2: sync L\n"		/* 9 */
	    "L: add.u32 r3, r3, 1\n"	/* 10 */
	    STORE3 "exit\n";

/* SIMT-X5: SIMT-42, SIMT-49, SIMT-62 */
START_TEST(opt_out_of_pending_sync)
{
	run(x5, 8);
	ops("push sync ff 10/0 @128 h=129 t=127\n"
	    "push div f0 9/1 @129 h=130 t=127\n"
	    "yield yield f 8/0 @127 h=130 t=126\n"
	    "disable yield f left=0\n"
	    "pop div f0 9/9 -> f0 h=129 t=126\n"
	    "disable sync f0 left=0\n"
	    "pop sync ff 10/8 -> f0 h=128 t=126\n"
	    "disable exit f0 left=0\n"
	    "pop yield f 8/0 -> f h=127 t=126\n"
	    "fallback 10 f\n"
	    "disable exit f left=0\n");
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 1);
}
END_TEST

static const char x6[] =
	"ld.param.u64 rd10, [0]\n"
	"mov.u32 r6, 0\n"
	"mov.u32 r7, 1\n"
	"ssy L\n"
	"loop: atom.global.cas.u32 r8, [rd10], r6, r7\n"
	"setp.eq.u32 p1, r8, 0\n"
	"@p1 sync L\n"
	"yield\n"
	"bra loop\n"
	"L: ld.global.u32 r3, [rd10+4]\n"
	"add.u32 r3, r3, 1\n"
	"st.global.u32 [rd10+4], r3\n"
	"membar\n"
	"atom.global.exch.u32 rz, [rd10], r6\n"
	"exit\n";

/* SIMT-X6: SIMT-44, SIMT-65 */
START_TEST(spin_lock_with_yield)
{
	run(x6, 32);
	ck_assert_uint_eq(smt_u32(s)[0], 0);
	ck_assert_uint_eq(smt_u32(s)[1], 32);
}
END_TEST

/* SIMT-X6: SIMT-44 negative: the winner waits, the losers spin */
START_TEST(spin_lock_without_yield_hangs)
{
	s->cfg.yield_suppress = 1;
	s->limit = 1000000;
	smt_start(s);
	smt_load(s, x6);
	ck_assert(!smt_run(s, 1, 32));
	ck_assert(s->timed_out && !s->faulted);
	ck_assert_uint_eq(smt_u32(s)[1], 0);
}
END_TEST

/* SIMT-X7: SIMT-49, SIMT-50, A-SIMT-7 */
START_TEST(live_tokens_on_fallback)
{
	run(PROLOGUE			/* 0 */
	    "setp.ge.u32 p1, r2, 4\n"	/* 3 */
	    "mov.u32 r3, 0\n"		/* 4 */
	    "ssy L\n"			/* 5 */
	    "yield\n"			/* 6 */
	    "@p1 bra P2\n"		/* 7 */
	    "sync L\n"			/* 8 */
	    "P2: sync L\n"		/* 9 */
	    "L: mov.u32 r6, 1\n"	/* 10 */
	    "atom.global.add.u32 rz, [rd10], r6\n"
	    "exit\n", 8);
	ops("push sync ff 10/0 @128 h=129 t=127\n"
	    "yield yield ff 7/0 @127 h=129 t=126\n"
	    "disable yield ff left=0\n"
	    "discard sync ff 10/8 h=128 t=126\n"	/* SIMT-38 */
	    "pop yield ff 7/0 -> ff h=127 t=126\n"
	    "push div f0 9/0 @127 h=128 t=126\n"
	    "fallback 10 f\n"
	    "disable exit f left=0\n"
	    "pop div f0 9/0 -> f0 h=127 t=126\n"
	    "fallback 10 f0\n"
	    "disable exit f0 left=0\n");
	ck_assert_uint_eq(smt_u32(s)[0], 8);
}
END_TEST

/* ---- rows --------------------------------------------------------------------------------------------- */

/* SIMT-1 */
START_TEST(partial_warp)
{
	run(PROLOGUE "s2r r3, %activemask\n" STORE3 "exit\n", 20);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 20 ? 0xfffff : 0);
	ops("disable exit fffff left=0\n");
}
END_TEST

/* SIMT-2 */
START_TEST(suppressed_lanes)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 16\nmov.u32 r3, 7\n@p1 st.global.u32 [rd4], r3\nexit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 16 ? 7 : 0);
}
END_TEST

/* 20 nested ifs, thread t leaves at depth t */
static void nested_ifs_text(char *text)
{
	int n = sprintf(text, "%s", PROLOGUE "mov.u32 r3, 0\n");

	for (int i = 0; i < 20; i++)
		n += sprintf(text + n, "setp.le.u32 p1, r2, %d\nssy L%d\n@p1 bra L%dx\nadd.u32 r3, r3, 1\n", i, i, i);
	for (int i = 20; i--;)
		n += sprintf(text + n, "sync L%d\nL%dx: sync L%d\nL%d:\n", i, i, i, i);
	sprintf(text + n, STORE3 "exit\n");
}

/* SIMT-9 */
START_TEST(nested_ifs)
{
	char text[8192];

	nested_ifs_text(text);
	run(text, 32);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 20 ? i : 20);
	ck_assert_uint_eq(count(smt_ops(s), "disable exit ffffffff"), 1);
}
END_TEST

/* SIMT-11 */
START_TEST(inverted_predicate)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 5\nmov.u32 r3, 0\nssy L\n@!p1 bra If\nsync L\n"
	    "If: mov.u32 r3, 1\nsync L\nL: " STORE3 "exit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i >= 5);
}
END_TEST

/* SIMT-13, SIMT-16: thread t breaks in iteration t */
START_TEST(break_by_iteration)
{
	run(PROLOGUE			/* 0 */
	    "mov.u32 r3, 0\n"		/* 3 */
	    "pbrk Out\n"		/* 4 */
	    "loop: setp.eq.u32 p1, r3, r2\n"
	    "@p1 brk Out\n"
	    "add.u32 r3, r3, 1\n"
	    "bra loop\n"
	    "Out: s2r r6, %activemask\n"	/* 9 */
	    "and.u32 r3, r3, r6\n" STORE3 "exit\n", 32);
	ck_assert_uint_eq(count(smt_ops(s), "pop brk ffffffff 9/0 -> ffffffff h=128 t=127\n"), 1);
	ck_assert_uint_eq(count(smt_ops(s), "disable brk"), 32);
	ck_assert_uint_eq(count(smt_ops(s), "disable brk 100 left=fffffe00\n"), 1);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i);
}
END_TEST

/* SIMT-12 */
START_TEST(continue_in_loops)
{
	/* odd iterations are left early by odd threads */
	run(PROLOGUE
	    "mov.u32 r3, 0\nmov.u32 r6, 0\n"
	    "loop: pcnt Next\n"
	    "and.u32 r7, r2, r6\nand.u32 r7, r7, 1\nsetp.ne.u32 p1, r7, 0\n"
	    "@p1 cont Next\n"
	    "add.u32 r3, r3, 1\n"
	    "cont Next\n"
	    "Next: add.u32 r6, r6, 1\n"
	    "setp.lt.u32 p2, r6, 10\n"
	    "@p2 bra loop\n" STORE3 "exit\n", 32);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i & 1 ? 5 : 10);
	ck_assert_uint_eq(count(smt_ops(s), "pop cont ffffffff"), 10);
}
END_TEST

/* SIMT-14: any reason works, as long as it is the same in both instructions: all 16 */
START_TEST(generic_reasons)
{
	static const char *const names[] = {
#define R(name, code, text) [code] = text,
		PPU_REASONS(R)
#undef R
	};
	char text[1024], one[64];

	ck_assert_uint_eq(sizeof(names) / sizeof(names[0]), 16);
	smt_start(s);
	for (unsigned k = 0; k < 16; k++) {
		sprintf(text, "%ssetp.lt.u32 p1, r2, 16\npush.%s L\n@p1 bra If\nmov.u32 r3, 2\n"
			"disable.%s L\nIf: mov.u32 r3, 1\ndisable.%s L\nL: " STORE3 "exit\n",
			PROLOGUE, names[k], names[k], names[k]);
		memset(s->data, 0, 128);
		run(text, 32);
		sprintf(one, "pop %s ffffffff 10/0 -> ffffffff h=128", names[k]);
		ck_assert_msg(count(smt_ops(s), one) == 1, "%s:\n%s", names[k], smt_ops(s));
		for (int i = 0; i < 32; i++)
			ck_assert_uint_eq(smt_u32(s)[i], i < 16 ? 1 : 2);
	}
}
END_TEST

/* SIMT-12 */
START_TEST(longjmp_op)
{
	run(PROLOGUE "mov.u32 r3, 1\npush.longjmp L\nsetp.lt.u32 p1, r2, 3\n@p1 longjmp L\nmov.u32 r3, 2\n"
	    "longjmp L\nL: " STORE3 "exit\n", 8);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 3 ? 1 : 2);
	ck_assert_uint_eq(count(smt_ops(s), "pop longjmp ff 9/0 -> ff h=128 t=127\n"), 1);
}
END_TEST

/* SIMT-15: seen between windows */
START_TEST(reasons_of_lanes)
{
	struct ppu_warp *w;

	s->cfg.window_ns = 1000;
	smt_start(s);
	smt_load(s, PROLOGUE "setp.eq.u32 p1, r2, 0\nsetp.eq.u32 p2, r2, 1\nssy L\n@p1 exit\n@p2 sync L\n"
		 "loop: bra loop\nL: exit\n");
	smt_launch(s, 1, 4);
	smt_window(s);
	w = &s->core->sms[0].warp[0];
	ck_assert_uint_eq(ppu_warp_reason(w, 0), PPU_REASON_EXIT);
	ck_assert_uint_eq(ppu_warp_reason(w, 1), PPU_REASON_SYNC);
	ck_assert_uint_eq(PPU_WAIT_ADDR(w->wait[1]), 9);
	ck_assert_uint_eq(ppu_warp_reason(w, 2), PPU_REASON_NONE);
	ck_assert_uint_eq(ppu_warp_reason(w, 9), PPU_REASON_NONE);
	ck_assert_uint_eq(w->active, 0xc);
}
END_TEST

/* SIMT-16 */
START_TEST(predicated_disable)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 8\nmov.u32 r3, 1\nssy L\n@p1 sync L\nmov.u32 r3, 2\nsync L\n"
	    "L: " STORE3 "exit\n", 32);
	ops("push sync ffffffff 9/0 @128 h=129 t=127\n"
	    "disable sync ff left=ffffff00\n"
	    "disable sync ffffff00 left=0\n"
	    "pop sync ffffffff 9/0 -> ffffffff h=128 t=127\n"
	    "disable exit ffffffff left=0\n");
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 8 ? 1 : 2);
}
END_TEST

/* SIMT-18: 4 targets, 3 tokens, lowest lanes first */
START_TEST(brx_four_targets)
{
	run(PROLOGUE			/* 0 */
	    "and.u32 r6, r2, 3\n"	/* 3 */
	    "shl.u32 r6, r6, 1\n"	/* 4 */
	    "add.u32 r6, r6, 8\n"	/* 5 */
	    "ssy L\n"			/* 6 */
	    "brx r6\n"			/* 7 */
	    "mov.u32 r3, 10\nsync L\n"	/* 8 */
	    "mov.u32 r3, 11\nsync L\n"	/* 10 */
	    "mov.u32 r3, 12\nsync L\n"
	    "mov.u32 r3, 13\nsync L\n"
	    "L: " STORE3 "exit\n", 32);
	ops("push sync ffffffff 16/0 @128 h=129 t=127\n"
	    "push div 88888888 14/1 @129 h=130 t=127\n"
	    "push div 44444444 12/3 @130 h=131 t=127\n"
	    "push div 22222222 10/3 @131 h=132 t=127\n"
	    "disable sync 11111111 left=0\n"
	    "pop div 22222222 10/3 -> 22222222 h=131 t=127\n"
	    "disable sync 22222222 left=0\n"
	    "pop div 44444444 12/3 -> 44444444 h=130 t=127\n"
	    "disable sync 44444444 left=0\n"
	    "pop div 88888888 14/1 -> 88888888 h=129 t=127\n"
	    "disable sync 88888888 left=0\n"
	    "pop sync ffffffff 16/0 -> ffffffff h=128 t=127\n"
	    "disable exit ffffffff left=0\n");
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 10 + (i & 3));
}
END_TEST

/* SIMT-18: 32 targets, and a queue that has to recentre for them */
START_TEST(brx_many_targets)
{
	s->cfg.tokq_entries = 33;
	s->cfg.tokq_driver = _i;
	run(PROLOGUE "mul.u32 r6, r2, 2\nadd.u32 r6, r6, 7\nssy L\nbrx r6\n"
	    "mov.u32 r3, 0\nsync L\nmov.u32 r3, 1\nsync L\nmov.u32 r3, 2\nsync L\nmov.u32 r3, 3\nsync L\n"
	    "mov.u32 r3, 4\nsync L\nmov.u32 r3, 5\nsync L\nmov.u32 r3, 6\nsync L\nmov.u32 r3, 7\nsync L\n"
	    "mov.u32 r3, 8\nsync L\nmov.u32 r3, 9\nsync L\nmov.u32 r3, 10\nsync L\nmov.u32 r3, 11\nsync L\n"
	    "mov.u32 r3, 12\nsync L\nmov.u32 r3, 13\nsync L\nmov.u32 r3, 14\nsync L\nmov.u32 r3, 15\nsync L\n"
	    "mov.u32 r3, 16\nsync L\nmov.u32 r3, 17\nsync L\nmov.u32 r3, 18\nsync L\nmov.u32 r3, 19\nsync L\n"
	    "mov.u32 r3, 20\nsync L\nmov.u32 r3, 21\nsync L\nmov.u32 r3, 22\nsync L\nmov.u32 r3, 23\nsync L\n"
	    "mov.u32 r3, 24\nsync L\nmov.u32 r3, 25\nsync L\nmov.u32 r3, 26\nsync L\nmov.u32 r3, 27\nsync L\n"
	    "mov.u32 r3, 28\nsync L\nmov.u32 r3, 29\nsync L\nmov.u32 r3, 30\nsync L\nmov.u32 r3, 31\nsync L\n"
	    "L: " STORE3 "exit\n", 32);
	ck_assert_uint_eq(count(smt_ops(s), "push div"), 31);
	ck_assert_uint_eq(count(smt_ops(s), "-> ffffffff"), 1);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i);
}
END_TEST

/* SIMT-19 */
START_TEST(uniform_branch)
{
	run(PROLOGUE "mov.u32 r3, 5\nsetp.eq.u32 p1, r3, 5\n@p1 bra L\nmov.u32 r3, 6\n"
	    "L: @!p1 bra M\nadd.u32 r3, r3, 10\nM: " STORE3 "exit\n", 32);
	ops("disable exit ffffffff left=0\n");
	ck_assert_uint_eq(smt_u32(s)[31], 15);
}
END_TEST

/* SIMT-20, SIMT-30: each warp's queue starts in the middle of its own region: all 64 warps of an SM, and at the same time */
START_TEST(queues_are_disjoint)
{
	s->cfg.warps_per_sm = 64;
	smt_start(s);
	smt_load(s, "ssy L\nnanosleep 3000\nL: exit\n");
	smt_run(s, 2, 1024);
	for (unsigned w = 0; w < 64; w++) {
		const uint64_t *q = (uint64_t *)(s->vram + s->ctx.blk.tokq_base) + w * 256;

		for (unsigned i = 0; i < 256; i++)
			ck_assert_msg(q[i] == (i == 128 ? PPU_TOK_MAKE(PPU_REASON_SYNC, ~0u, 2) : 0),
				      "warp %u entry %u", w, i);
	}
}
END_TEST

/* SIMT-20: and those of the other SMs. */
START_TEST(queues_of_several_sms)
{
	s->cfg.gpcs = 1;
	s->cfg.sms_per_gpc = 3;
	s->cfg.warps_per_sm = 8;
	smt_start(s);
	smt_load(s, "ssy L\nnanosleep 3000\nL: exit\n");
	smt_run(s, 3, 256);
	for (unsigned w = 0; w < 24; w++) {
		const uint64_t *q = (uint64_t *)(s->vram + s->ctx.blk.tokq_base) + w * 256;

		for (unsigned i = 0; i < 256; i++)
			ck_assert_msg(q[i] == (i == 128 ? PPU_TOK_MAKE(PPU_REASON_SYNC, ~0u, 2) : 0),
				      "SM %u warp %u entry %u", w / 8, w % 8, i);
	}
}
END_TEST

/* The most tokens that were in the queue, by the trace. */
static int most_tokens(const char *p)
{
	int head, tail, most = 0;

	for (; (p = strstr(p, " h=")); p++) {
		ck_assert_int_eq(sscanf(p, " h=%d t=%d", &head, &tail), 2);
		most = head - tail - 1 > most ? head - tail - 1 : most;
	}
	return most;
}

/* A program of this file for SIMT-35. */
static void sized_program(unsigned k, char *text)
{
	static const char *const fixed[] = { x1, x2, x3, x4, x5, x6 };
	int n;

	if (k < 6) {
		strcpy(text, fixed[k]);
	} else if (k == 6) {
		nested_ifs_text(text);
	} else if (k == 7) {		/* every lane yields at another place */
		n = sprintf(text, "%s", PROLOGUE "mov.u32 r3, 7\nadd.u32 r9, r2, 6\nbrx r9\n");
		for (int i = 0; i < 32; i++)
			n += sprintf(text + n, "bra A%d\n", i);
		for (int i = 0; i < 32; i++)
			n += sprintf(text + n, "A%d: yield\nbra L\n", i);
		sprintf(text + n, "L: " STORE3 "exit\n");
	} else {			/* many pushes */
		sprintf(text, "%smov.u32 r3, 0\nloop: ssy L\nadd.u32 r3, r3, 1\nsetp.lt.u32 p1, r3, %u\n@p1 bra loop\n"
			STORE3 "L: exit\n", PROLOGUE, (const unsigned[]){ 16, 17, 64, 65, 255, 256, 257 }[k - 8]);
	}
}
#define SIZED_PROGRAMS 15

/* SIMT-35, SIMT-55: with each size, programs whose tokens fit do the same, the others end with the error. */
START_TEST(queue_sizes)
{
	static const uint32_t sizes[] = { 4096, 4, 16, 64, 256 };
	static uint32_t want[SIZED_PROGRAMS][64];
	static char text[16384];
	int most[SIZED_PROGRAMS];

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned fit = 0, full = 0;

		smt_free(s);
		s = smt_new();
		s->cfg.tokq_entries = sizes[i];
		smt_start(s);
		for (unsigned k = 0; k < SIZED_PROGRAMS; k++) {
			sized_program(k, text);
			memset(s->data, 0, sizeof(want[k]));
			smt_load(s, text);
			smt_run(s, 1, 32);
			if (!i) {
				ck_assert(!s->faulted);
				memcpy(want[k], s->data, sizeof(want[k]));
				most[k] = most_tokens(smt_ops(s));
				ck_assert_int_gt(most[k], 0);
				continue;
			}
			ck_assert_msg(s->faulted == ((uint32_t)most[k] > sizes[i]), "size %u, program %u: %d tokens", sizes[i], k,
				      most[k]);
			if (s->faulted)
				ck_assert_uint_eq(s->fault.code, PPU_ERR_TOKQ_OVERFLOW);
			else
				ck_assert_mem_eq(s->data, want[k], sizeof(want[k]));
			fit += !s->faulted;
			full += s->faulted;
		}
		ck_assert(!i || (fit >= 5 && full >= 1));
	}
}
END_TEST

/* SIMT-41 */
START_TEST(merged_token_keeps_place)
{
	/* lanes 0, 1, 2: lane 0 and later lane 2 yield at A, lane 1 at B */
	s->cfg.branch_first = 1;
	run(PROLOGUE			/* 0 */
	    "setp.eq.u32 p1, r2, 1\n"	/* 3 */
	    "setp.eq.u32 p2, r2, 2\n"	/* 4 */
	    "@!p1 bra N\n"		/* 5 */
	    "yield\n"			/* 6 B */
	    "exit\n"			/* 7 */
	    "N: @!p2 bra A\n"		/* 8 */
	    "bra A\n"			/* 9 */
	    "A: yield\n"		/* 10 */
	    "exit\n", 3);
	ops("push div 2 6/0 @128 h=129 t=127\n"
	    "push div 4 9/2 @129 h=130 t=127\n"
	    "yield yield 1 11/0 @127 h=130 t=126\n"
	    "disable yield 1 left=0\n"
	    "pop div 4 9/a -> 4 h=129 t=126\n"
	    "merge yield 5 11/0 h=129 t=126\n"
	    "disable yield 4 left=0\n"
	    "pop div 2 6/8 -> 2 h=128 t=126\n"
	    "yield yield 2 7/0 @126 h=128 t=125\n"
	    "disable yield 2 left=0\n"
	    "pop yield 5 11/8 -> 5 h=127 t=125\n"
	    "disable exit 5 left=0\n"
	    "pop yield 2 7/0 -> 2 h=126 t=125\n"
	    "disable exit 2 left=0\n");
}
END_TEST

/* SIMT-43: a convergence barrier made of YIELD */
START_TEST(convergence_by_yield)
{
	run(PROLOGUE			/* 0 */
	    "mov.u32 r6, 1\n"		/* 3 */
	    "add.u32 r7, r2, 6\n"	/* 4 */
	    "brx r7\n"			/* 5: lanes start at different places */
	    "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
	    "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
	    "atom.global.add.u32 rz, [rd10+256], r6\n"
	    "loop: yield\n"
	    "ld.global.u32 r3, [rd10+256]\n"
	    "setp.lt.u32 p1, r3, 32\n"
	    "@p1 bra loop\n"
	    "s2r r3, %activemask\n" STORE3 "exit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], ~0u);
}
END_TEST

/* SIMT-46 */
START_TEST(every_nth_yield)
{
	char text[512] = PROLOGUE "setp.lt.u32 p1, r2, 4\n@p1 bra P\n";
	static const unsigned switches[] = { 12, 12, 6, 4, 3, 2 };

	for (int i = 0; i < 12; i++)
		strcat(text, "yield\n");
	strcat(text, "P: mov.u32 r3, 1\n" STORE3 "exit\n");
	s->cfg.yield_every = _i;
	run(text, 8);
	ck_assert_uint_eq(s->core->ctr[PPU_CTR_YIELDS], switches[_i]);
}
END_TEST

/* SIMT-47, A-SIMT-20: 10^5 YIELDs */
START_TEST(random_yield)
{
	static const uint32_t t[] = { 0, 16384, 65536 };
	uint64_t n;

	s->cfg.yield_random = t[_i];
	s->ports.trace = NULL;
	run("mov.u32 r3, 0\nloop: yield\nadd.u32 r3, r3, 1\nsetp.lt.u32 p1, r3, 100000\n@p1 bra loop\nexit\n", 32);
	n = s->core->ctr[PPU_CTR_YIELDS];
	if (_i == 1)
		ck_assert(n > 24000 && n < 26000);
	else
		ck_assert_uint_eq(n, _i ? 100000 : 0);
}
END_TEST

/* SIMT-47 */
START_TEST(random_mutex)
{
	s->cfg.yield_random = 655;
	s->ports.trace = NULL;
	run(x6, 32);
	ck_assert_uint_eq(smt_u32(s)[1], 32);
}
END_TEST

/* SIMT-48 */
START_TEST(lonely_yield)
{
	run("yield\nexit\n", 32);
	ops("yield yield ffffffff 1/0 @127 h=128 t=126\n"
	    "disable yield ffffffff left=0\n"
	    "pop yield ffffffff 1/0 -> ffffffff h=127 t=126\n"
	    "disable exit ffffffff left=0\n");
}
END_TEST

/* SIMT-50: a fallback discards tokens for which no lane waits */
START_TEST(stale_tokens)
{
	run("pbrk A\nssy B\nsync L\nA: B: nop\nL: exit\n", 8);
	ops("push brk ff 3/0 @128 h=129 t=127\n"
	    "push sync ff 3/0 @129 h=130 t=127\n"
	    "discard sync ff 3/0 h=129 t=127\n"
	    "discard brk ff 3/0 h=128 t=127\n"
	    "fallback 4 ff\n"
	    "disable exit ff left=0\n");
}
END_TEST

/* SIMT-51 */
START_TEST(predicated_fallback)
{
	run(PROLOGUE "setp.eq.u32 p1, r2, 1\nmov.u32 r3, 1\n@p1 brk L\nadd.u32 r3, r3, 1\n"
	    "L: add.u32 r3, r3, 10\n" STORE3 "exit\n", 4);
	ops("fallback 7 2\n"
	    "push div 2 7/0 @128 h=129 t=127\n"
	    "disable exit d left=0\n"
	    "pop div 2 7/0 -> 2 h=128 t=127\n"
	    "disable exit 2 left=0\n");
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i == 1 ? 11 : 12);
}
END_TEST

/* SIMT-52, SIMT-55: 256 SSYs fit (recentring at the 129th), one more does not */
START_TEST(full_queue_is_fatal)
{
	run_fault("mov.u32 r3, 0\nloop: ssy L\nadd.u32 r3, r3, 1\nsetp.lt.u32 p1, r3, 300\n@p1 bra loop\nL: exit\n",
		  32, PPU_ERR_TOKQ_OVERFLOW, 1, 0);
	ck_assert_uint_eq(count(smt_ops(s), "push sync"), 256);
	ck_assert_uint_eq(count(smt_ops(s), "recentre 128 h=192 t=63"), 1);
	ck_assert_uint_eq(count(smt_ops(s), "recentre 192 h=224 t=31"), 1);
}
END_TEST

/* A-SIMT-25, SIMT-40: lanes that a waiting token takes in need no entry, so a full queue is no reason to end, nor to
 * recentre. */
START_TEST(full_queue_takes_lanes_in)
{
#define MEET(insn) PROLOGUE "mov.u32 r7, 0xff\nsetp.ge.u32 p1, r2, 4\n@p1 bra B\nbra M\nB: ssy L\nssy L\nssy L\n" \
		"M: " insn "\ns2r r3, %activemask\n" STORE3 "L: exit\n"
	static const char *const meet[] = {
		MEET("warpsync 0xff"), MEET("bar.sync 0"), MEET("vote.ballot r6, r7, p1"),
	};
#undef MEET

	s->cfg.tokq_entries = 4;
	run(meet[_i], 8);
	ck_assert_uint_eq(count(smt_ops(s), "recentre"), 1);
	ck_assert_uint_eq(count(smt_ops(s), "merge yield ff"), 1);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 0xff);
}
END_TEST

/*
 * SIMT-14, SIMT-40, SIMT-55: tokens of type YIELD that a generic PUSH made, in a queue of four that is full.  A YIELD finds
 * them like its own: with the same address the token takes the lanes in, wherever it is among yield tokens, and needs no
 * entry.  A token above another type's is not looked at (SIMT-33); with no such token the YIELD overflows the queue.
 */
START_TEST(pushed_yield_token_in_full_queue)
{
#define MEET(a, b, c, d) PROLOGUE "push." a "\npush." b "\npush." c "\npush." d "\nmov.u32 r3, 5\nyield\n" \
		"D: add.u32 r3, r3, 1\n" STORE3 "exit\nE: nop\nF: nop\nG: exit\n"
	static const struct {
		const char *text, *pop;
		unsigned discarded;
	} all[] = {
		{ MEET("yield E", "yield F", "yield G", "yield D"), "pop yield ff", 3 },
		{ MEET("yield E", "yield D", "yield F", "yield G"), "pop yield ff", 3 },
		{ MEET("yield D", "sync E", "sync F", "sync G"), "pop yield ff", 3 },
		{ MEET("sync E", "yield D", "yield F", "yield G"), NULL, 0 },
		{ MEET("yield E", "sync F", "yield D", "yield G"), NULL, 0 },
		{ MEET("yield E", "yield F", "yield G", "yield E"), NULL, 0 },
	};
#undef MEET
	bool fits = all[_i].pop;

	s->cfg.tokq_entries = 4;
	smt_start(s);
	smt_load(s, all[_i].text);
	smt_run(s, 1, 8);
	ck_assert_uint_eq(count(smt_ops(s), "h=4 t=-1"), fits ? 2 : 1);	/* full: by the fourth push, and no less by the merge */
	ck_assert_uint_eq(count(smt_ops(s), "recentre"), 2);		/* for the third and the fourth push */
	ck_assert_uint_eq(count(smt_ops(s), "yield yield"), 0);		/* no token is pushed at the back */
	ck_assert_uint_eq(count(smt_ops(s), "merge yield ff"), fits);
	ck_assert_uint_eq(count(smt_ops(s), "discard"), all[_i].discarded);
	ck_assert_int_eq(s->faulted, !fits);
	if (!fits) {
		ck_assert_uint_eq(s->fault.code, PPU_ERR_TOKQ_OVERFLOW);
		return;
	}
	ck_assert_uint_eq(count(smt_ops(s), all[_i].pop), 1);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 6);
}
END_TEST

/* SIMT-63 */
START_TEST(exited_threads_stay_out)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 4\nssy L\n@p1 bra Q\nsync L\nQ: exit\nL: s2r r3, %activemask\n" STORE3 "exit\n", 8);
	ck_assert_uint_eq(count(smt_ops(s), "pop sync ff 8/0 -> f0 h=128"), 1);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 4 ? 0 : 0xf0);
}
END_TEST

/* SIMT-64: a YIELD in the callee loses the call token; all lanes return to the right instruction */
START_TEST(yield_in_function)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 4\nmov.u32 r3, 0\nssy L\n@p1 bra P\n"
	    "cal r9, f\nadd.u32 r3, r3, 100\nsync L\n"
	    "P: cal r9, f\nadd.u32 r3, r3, 200\nsync L\n"
	    "L: " STORE3 "exit\n"
	    "f: add.u32 r3, r3, 1\nyield\nadd.u32 r3, r3, 1\nret r9\n", 8);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 4 ? 202 : 102);
	/* lanes of both calls met at the YIELD and separate at RET */
	ck_assert_uint_eq(count(smt_ops(s), "merge yield ff"), 1);
}
END_TEST

/* SIMT-64: RET: some lanes wait for their token, the others return without one */
START_TEST(ret_partly_with_token)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 2\nsetp.lt.u32 p2, r2, 4\nmov.u32 r3, 0\n"
	    "@p1 bra A\n"
	    "cal r9, f\n"
	    "bra End\n"
	    "A: cal r9, g\n"
	    "End: " STORE3 "exit\n"
	    "f: @p2 yield\nadd.u32 r3, r3, 1\nret r9\n"
	    "g: add.u32 r3, r3, 5\nret r9\n", 8);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 2 ? 5 : 1);
}
END_TEST

/* SIMT-12 */
START_TEST(calx_and_indirect_jump)
{
	run(PROLOGUE			/* 0 */
	    "and.u32 r6, r2, 1\n"	/* 3 */
	    "shl.u32 r6, r6, 1\n"	/* 4 */
	    "add.u32 r6, r6, 9\n"	/* 5 */
	    "calx r9, r6\n"		/* 6 */
	    STORE3 "exit\n"		/* 7 */
	    "mov.u32 r3, 1\nret r9\n"	/* 9 */
	    "mov.u32 r3, 2\njmx r9\n", 32);	/* 11 */
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 1 + (i & 1));
}
END_TEST

/* SIMT-12 */
START_TEST(pexit_and_exit)
{
	run(PROLOGUE "mov.u32 r3, 1\npexit L\nsetp.lt.u32 p1, r2, 3\n@p1 exit\nmov.u32 r3, 2\nexit\n"
	    "L: " STORE3 "exit\n", 8);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 3 ? 1 : 2);
	ck_assert_uint_eq(count(smt_ops(s), "pop exit ff 9/0 -> ff h=128 t=127\n"), 1);
}
END_TEST

/* A-SIMT-8: a stale inner sync token must not catch the outer SYNC */
START_TEST(address_matters)
{
	run(PROLOGUE "mov.u32 r3, 0\nssy Outer\nssy Inner\nsync Outer\n"
	    "Inner: mov.u32 r3, 99\nOuter: add.u32 r3, r3, 1\n" STORE3 "exit\n", 8);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 1);
	ck_assert_uint_eq(count(smt_ops(s), "discard sync ff 7"), 1);
}
END_TEST

/* ---- hostile code ---------------------------------------------------------------------------------------- */

START_TEST(bad_pcs)
{
	struct ppu_insn in = { PPU_OP_BRA, 0 };

	run_fault("nop\nnop\n", 32, PPU_ERR_BAD_PC, 2, 0);
	run_fault("mov.u32 r3, 1000\nbrx r3\nexit\n", 32, PPU_ERR_BAD_PC, 1, 0);
	run_fault("mov.u32 r3, -1\nret r3\nexit\n", 32, PPU_ERR_BAD_PC, 1, 0);
	run_fault("mov.u32 r3, 3\ncalx r4, r3\nexit\n", 32, PPU_ERR_BAD_PC, 1, 0);
	run_fault("yield\n", 32, PPU_ERR_BAD_PC, 0, 0);
	run_fault("cal r3, 0\n", 32, PPU_ERR_BAD_PC, 0, 0);
	run_fault("s2r r2, %tid.x\nsetp.gt.u32 p1, r2, 4\n@p1 bra 0\n", 32, PPU_ERR_BAD_PC, 2, 0);
	/* a target outside the program */
	PPU_SET(&in, GP, PPU_PT);
	PPU_SET(&in, PD, 15);
	PPU_SET(&in, PE, 15);
	PPU_SET(&in, PS, 15);
	PPU_SET(&in, IMM, 1);
	smt_load_code(s, &in, 1);
	ck_assert(!smt_run(s, 1, 32));
	ck_assert_uint_eq(s->fault.code, PPU_ERR_BAD_PC);
}
END_TEST

START_TEST(traps)
{
	run_fault("trap\nexit\n", 32, PPU_ERR_TRAP, 0, 0);
	run_fault("s2r r2, %tid.x\nsetp.eq.u32 p1, r2, 7\n@p1 trap\nexit\n", 32, PPU_ERR_TRAP, 2, 7);
}
END_TEST

/* Tokens that the guest has overwritten */
START_TEST(corrupt_tokens)
{
	static const uint64_t bad[] = {
		0, ~0ull, 1ull << 62 | 0x0000123FFFFFFFF1ull, PPU_TOK_MAKE(PPU_REASON_SYNC, 0, 1),
		PPU_TOK_MAKE(PPU_REASON_SYNC, 0x100, 1), PPU_TOK_MAKE(PPU_REASON_SYNC, 0xff, 50),
		PPU_TOK_MAKE(PPU_REASON_NONE, 0, 1),
	};

	s->cfg.window_ns = 100;
	smt_start(s);
	for (unsigned k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		unsigned n = 0;

		smt_load(s, "ssy L\nnanosleep 500\nsync L\nL: exit\n");
		smt_launch(s, 1, 8);
		while (smt_window(s))
			if (++n == 2)
				((uint64_t *)(s->vram + s->ctx.blk.tokq_base))[128] = bad[k];
		/* a zeroed or foreign token is not the corresponding one: SYNC branches */
		ck_assert(s->faulted);
		ck_assert_uint_eq(s->fault.code, PPU_ERR_TOKQ_CORRUPT);
		smt_finish(s);
	}
}
END_TEST

/* The token of a warp that waits at a barrier with all its lanes */
START_TEST(corrupt_token_at_a_barrier)
{
	static const uint64_t bad[] = {
		0, ~0ull, PPU_TOK_MAKE(PPU_REASON_YIELD, ~0u, 50), PPU_TOK_MAKE(PPU_REASON_SYNC, ~0u, 3),
		PPU_TOK_MAKE(PPU_REASON_YIELD, ~0u, 2),
	};

	s->cfg.window_ns = 100;
	s->cfg.trace_classes = PPU_TRCLASS_WARPS;	/* without those of tokens there is a shorter way */
	smt_start(s);
	for (unsigned k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		unsigned n = 0;

		smt_load(s, "s2r r2, %tid.x\nsetp.gt.u32 p1, r2, 31\n@p1 nanosleep 500\nbar.sync 0\nexit\n");
		smt_launch(s, 1, 64);
		while (smt_window(s)) {
			const struct ppu_warp *w = &s->core->sms[0].warp[0];

			if (++n != 2)
				continue;
			ck_assert_int_eq(w->state, PPU_WARP_PARKED);
			w->q.ent[w->q.tail + 1] = bad[k];
		}
		ck_assert(s->faulted);
		ck_assert_uint_eq(s->fault.code, PPU_ERR_TOKQ_CORRUPT);
		smt_finish(s);
	}
}
END_TEST

/* A valid token that wakes no lane: the lanes that it should have woken are lost, which is a fault. */
START_TEST(lost_lanes_are_a_fault)
{
	unsigned n = 0;

	s->cfg.window_ns = 100;
	smt_start(s);
	smt_load(s, "s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 4\nssy L\n@p1 sync L\nnanosleep 500\nsync L\nL: exit\n");
	smt_launch(s, 1, 8);
	while (smt_window(s))
		if (++n == 2)
			((uint64_t *)(s->vram + s->ctx.blk.tokq_base))[128] =
				PPU_TOK_MAKE(PPU_REASON_BRK, 0xff, 1);
	ck_assert(s->faulted);
	ck_assert_uint_eq(s->fault.code, PPU_ERR_TOKQ_CORRUPT);
	smt_finish(s);
}
END_TEST

/* Random instructions in random order: never a crash, never an endless window */
START_TEST(random_words)
{
	static const uint8_t opcodes[] = {
#define I(id, op, mn, fmt, types, xc, doc) op,
		PPU_ISA(I)
#undef I
	};
	uint64_t seed = 12345 + _i;

#define RND() (seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17)
	s->cfg.tokq_entries = 16;
	s->cfg.ctas_per_sm = 2;
	s->cfg.window_ns = 2000;
	s->ports.trace = NULL;
	smt_start(s);
	for (int round = 0; round < 300; round++) {
		struct ppu_insn code[64];

		for (int i = 0; i < 64; i++) {
			struct ppu_insn *in = &code[i];

			in->lo = RND();
			in->hi = RND();
			if (i % 7 != 6) {	/* mostly legal ones */
				PPU_SET(in, OP, opcodes[RND() % sizeof(opcodes)]);
				for (int f = 0; f < 40 && ppu_isa_check(in, 32); f++) {
					static const uint8_t fields[][3] = {
#define F(name, word, low, width) { word, low, width },
						PPU_FIELDS(F)
#undef F
					};
					/* clear fields until it is legal */
					unsigned k = 3 + f % (PPU_F_COUNT - 3);
					__u64 *w = fields[k][0] ? &in->hi : &in->lo, m;
					__u64 v = k == PPU_F_PD || k == PPU_F_PE || k == PPU_F_PS ? 15 :
						     k >= PPU_F_D && k <= PPU_F_C ? RND() % 24 :
						     k == PPU_F_IMM ? RND() % 64 :
						     k == PPU_F_T ? RND() % 15 : RND() % 8 ? 0 : RND() % 3;

					m = ((1ull << fields[k][2]) - 1) << fields[k][1];
					*w = (*w & ~m) | (v << fields[k][1] & m);
				}
			}
		}
		smt_load_code(s, code, 64);
		s->limit = 20000;
		s->task.launch.shared_bytes = 64;
		s->task.launch.local_per_thread = 64;
		smt_run(s, 1, 40);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *su = suite_create("simt");
	TCase *t = tcase_create("simt");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, if_else);
	tcase_add_test(t, branch_first_fall_through);
	tcase_add_test(t, five_tokens);
	tcase_add_loop_test(t, ping_pong, 0, 2);
	tcase_add_loop_test(t, choice_before_the_exception, 0, 2);
	tcase_add_test(t, merge_at_one_yield);
	tcase_add_test(t, merge_off);
	tcase_add_test(t, opt_out_of_pending_sync);
	tcase_add_test(t, spin_lock_with_yield);
	tcase_add_test(t, spin_lock_without_yield_hangs);
	tcase_add_test(t, live_tokens_on_fallback);
	tcase_add_test(t, partial_warp);
	tcase_add_test(t, suppressed_lanes);
	tcase_add_test(t, nested_ifs);
	tcase_add_test(t, inverted_predicate);
	tcase_add_test(t, break_by_iteration);
	tcase_add_test(t, continue_in_loops);
	tcase_add_test(t, generic_reasons);
	tcase_add_test(t, longjmp_op);
	tcase_add_test(t, reasons_of_lanes);
	tcase_add_test(t, predicated_disable);
	tcase_add_test(t, brx_four_targets);
	tcase_add_loop_test(t, brx_many_targets, 0, 2);
	tcase_add_test(t, uniform_branch);
	tcase_add_test(t, queues_are_disjoint);
	tcase_add_test(t, queues_of_several_sms);
	tcase_add_test(t, queue_sizes);
	tcase_add_test(t, merged_token_keeps_place);
	tcase_add_test(t, convergence_by_yield);
	tcase_add_loop_test(t, every_nth_yield, 0, 6);
	tcase_add_loop_test(t, random_yield, 0, 3);
	tcase_add_test(t, random_mutex);
	tcase_add_test(t, lonely_yield);
	tcase_add_test(t, stale_tokens);
	tcase_add_test(t, predicated_fallback);
	tcase_add_test(t, full_queue_is_fatal);
	tcase_add_loop_test(t, full_queue_takes_lanes_in, 0, 3);
	tcase_add_loop_test(t, pushed_yield_token_in_full_queue, 0, 6);
	tcase_add_test(t, exited_threads_stay_out);
	tcase_add_test(t, yield_in_function);
	tcase_add_test(t, ret_partly_with_token);
	tcase_add_test(t, calx_and_indirect_jump);
	tcase_add_test(t, pexit_and_exit);
	tcase_add_test(t, address_matters);
	tcase_add_test(t, bad_pcs);
	tcase_add_test(t, traps);
	tcase_add_test(t, corrupt_tokens);
	tcase_add_test(t, corrupt_token_at_a_barrier);
	tcase_add_test(t, lost_lanes_are_a_fault);
	tcase_add_loop_test(t, random_words, 0, 4);
	suite_add_tcase(su, t);
	return su;
}

int main(void)
{
	return run_suite(suite());
}
