/* SPDX-License-Identifier: MIT */
/* Divergence, row by row, for rows that the scenarios of test_simt.c do not test literally. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/sm/diverge.h"
#include "one_cta.h"
#include "run_suite.h"

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

/* Pushes of every kind, divergence, yields, a break, an indirect branch. */
static const char everything[] =
	PROLOGUE
	"and.u32 r6, r2, 3\nsetp.eq.u32 p1, r6, 1\nsetp.lt.u32 p2, r2, 9\nmov.u32 r3, 0\n"
	"pbrk Out\n"
	"loop: ssy L\n"
	"@p1 bra If\n"
	"cal r9, f\n"
	"sync L\n"
	"If: yield\n"
	"add.u32 r3, r3, 2\n"
	"sync L\n"
	"L: pcnt N\n"
	"@p2 cont N\n"
	"add.u32 r3, r3, 4\n"
	"cont N\n"
	"N: setp.gt.u32 p3, r3, r2\n"
	"@p3 brk Out\n"
	"bra loop\n"
	"Out: " STORE3 "exit\n"
	"f: add.u32 r3, r3, 1\n@!p2 yield\nret r9\n";

/*
 * SIMT-1: the mask of a full and of a partial warp at its start; lanes that do not exist appear in no mask.
 */
START_TEST(active_mask)
{
	const uint32_t threads = _i ? 20 : 32, lanes = _i ? 0x000fffff : 0xffffffff;
	unsigned started = 0, tokens = 0;

	run(everything, threads);
	for (uint32_t i = 0; i < s->num_trace; i++) {
		const struct ppu_trace_rec *t = &s->trace[i];

		switch (t->event) {
		case PPU_TR_WARP_START:
			ck_assert_uint_eq(t->b, lanes);
			started++;
			break;
		case PPU_TR_DIV_PUSH: case PPU_TR_DIV_YIELD_PUSH: case PPU_TR_DIV_MERGE:
		case PPU_TR_DIV_POP: case PPU_TR_DIV_DISCARD:
			ck_assert_uint_eq(PPU_TOK_MASK(t->b) & ~lanes, 0);
			ck_assert_uint_eq((uint32_t)t->c & ~lanes, 0);
			tokens++;
			break;
		case PPU_TR_DIV_DISABLE:
			ck_assert_uint_eq(((uint32_t)t->c | (uint32_t)t->d) & ~lanes, 0);
			break;
		}
	}
	ck_assert_uint_eq(started, 1);
	ck_assert_uint_gt(tokens, 20);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i] > i, i < threads);
}
END_TEST

/* SIMT-2: 16 of 32 lanes store: exactly 16 locations of the whole memory change, and no register of the others */
START_TEST(only_active_lanes_write)
{
	unsigned changed = 0;

	smt_start(s);
	memset(s->data, 0xee, SMT_DATA_BYTES);
	run(PROLOGUE "setp.lt.u32 p1, r2, 16\nmov.u32 r3, 5\nssy L\n@p1 bra If\nsync L\n"
	    "If: mov.u32 r3, 7\nst.global.u32 [rd4+4096], r3\nsync L\n"
	    "L: @!p1 st.global.u32 [rd4+8192], r3\nexit\n", 32);
	for (unsigned i = 0; i < SMT_DATA_BYTES / 4; i++) {
		uint32_t v = smt_u32(s)[i];

		if (i >= 1024 && i < 1024 + 16)
			ck_assert_uint_eq(v, 7);
		else if (i >= 2048 + 16 && i < 2048 + 32)
			ck_assert_uint_eq(v, 5);
		else if (v != 0xeeeeeeee)
			changed++;
	}
	ck_assert_uint_eq(changed, 0);
}
END_TEST

/* SIMT-3, SIMT-15, SIMT-22: while lanes wait, the tokens lie in the warp's area with mask, address and type */
START_TEST(tokens_can_be_read)
{
	const struct ppu_warp *w;
	const uint64_t *q;

	s->cfg.branch_first = 1;
	smt_start(s);
	smt_load(s, PROLOGUE			/* 0 */
		 "setp.lt.u32 p1, r2, 4\n"	/* 3 */
		 "ssy L\n"			/* 4 */
		 "@p1 bra If\n"			/* 5 */
		 "sync L\n"			/* 6 */
		 "If: nanosleep 30000\n"	/* 7 */
		 "sync L\n"			/* 8 */
		 "L: exit\n");			/* 9 */
	smt_launch(s, 1, 12);
	ck_assert(smt_window(s));
	w = &s->core->sms[0].warp[0];
	q = (const uint64_t *)(s->vram + s->ctx.blk.tokq_base);
	ck_assert_int_eq(w->q.head, 130);
	ck_assert_uint_eq(PPU_TOK_TYPE(q[128]), PPU_REASON_SYNC);
	ck_assert_uint_eq(PPU_TOK_MASK(q[128]), 0xfff);
	ck_assert_uint_eq(PPU_TOK_ADDR(q[128]), 9);
	ck_assert_uint_eq(PPU_TOK_TYPE(q[129]), PPU_REASON_DIV);
	ck_assert_uint_eq(PPU_TOK_MASK(q[129]), 0xff0);
	ck_assert_uint_eq(PPU_TOK_ADDR(q[129]), 6);
	ck_assert_uint_eq(ppu_warp_reason(w, 3), PPU_REASON_NONE);
	ck_assert_uint_eq(ppu_warp_reason(w, 4), PPU_REASON_DIV);
	ck_assert_uint_eq(ppu_warp_reason(w, 12), PPU_REASON_NONE);
	while (smt_window(s))
		;
	smt_finish(s);
	ck_assert(!s->faulted && s->done_ctas == 1);
}
END_TEST

/* SIMT-12: every operation of the list is accepted and does what its name says */
START_TEST(every_operation)
{
	static const struct {
		const char *body;	/* r3 is the result, p1: tid < 3, p2: tid odd */
		uint32_t low, high;	/* for tid < 3 and the others */
	} t[] = {
		{ "ssy L\n@p1 bra A\nmov.u32 r3, 2\nsync L\nA: mov.u32 r3, 1\nsync L\nL:\n", 1, 2 },
		{ "pbrk L\n@p1 brk L\nmov.u32 r3, 2\nbrk L\nL:\n", 0, 2 },
		{ "pcnt L\n@p1 cont L\nmov.u32 r3, 2\ncont L\nL:\n", 0, 2 },
		{ "pexit L\n@!p1 exit\nmov.u32 r3, 1\nexit\nL:\n", 1, 0 },
		{ "cal r9, f\nbra L\nf: @p1 mov.u32 r3, 7\nret r9\nL:\n", 7, 0 },
		{ "push.longjmp L\n@p1 longjmp L\nmov.u32 r3, 4\nlongjmp L\nL:\n", 0, 4 },
		{ "ssy L\n@p1 jmp A\nmov.u32 r3, 8\nsync L\nA: mov.u32 r3, 9\nsync L\nL:\n", 9, 8 },
		{ "@p1 bra L\nmov.u32 r3, 3\nL:\n", 0, 3 },
		{ "mov.u32 r6, 11\n@p1 mov.u32 r6, 9\nssy L\nbrx r6\nmov.u32 r3, 6\nsync L\n"
		  "mov.u32 r3, 5\nsync L\nL:\n", 6, 5 },
		{ "mov.u32 r6, 11\n@p1 mov.u32 r6, 9\nssy L\njmx r6\nmov.u32 r3, 6\nsync L\n"
		  "mov.u32 r3, 5\nsync L\nL:\n", 6, 5 },
		{ "push.r9 L\n@p1 disable.r9 L\nmov.u32 r3, 2\ndisable.r9 L\nL:\n", 0, 2 },
	};
	char text[1024];

	smt_start(s);
	for (unsigned k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
		snprintf(text, sizeof(text), "%smov.u32 r3, 0\nsetp.lt.u32 p1, r2, 3\n%s" STORE3 "exit\n",
			 PROLOGUE, t[k].body);
		memset(s->data, 0xff, 128);
		run(text, 8);
		for (unsigned i = 0; i < 8; i++)
			ck_assert_msg(smt_u32(s)[i] == (i < 3 ? t[k].low : t[k].high), "case %u thread %u: %u",
				      k, i, smt_u32(s)[i]);
	}
}
END_TEST

/* SIMT-19, HW-43: branches on which the active threads agree touch no token, also inside a divergent region */
START_TEST(uniform_inside_divergent)
{
	s->cfg.branch_first = 1;
	run(PROLOGUE				/* 0 */
	    "setp.lt.u32 p1, r2, 4\n"		/* 3 */
	    "setp.lt.u32 p2, r2, 6\n"		/* 4 */
	    "ssy L\n"				/* 5 */
	    "@p1 bra If\n"			/* 6 */
	    "sync L\n"				/* 7 */
	    "If: @p2 bra In\n"			/* 8: all of 0..3 */
	    "trap\n"				/* 9 */
	    "In: @!p1 bra No\n"			/* 10: none of them */
	    "mov.u32 r3, 3\n"			/* 11 */
	    "sync L\n"				/* 12 */
	    "No: trap\n"			/* 13 */
	    "L: " STORE3 "exit\n", 8);
	ops("push sync ff 14/0 @128 h=129 t=127\n"
	    "push div f0 7/1 @129 h=130 t=127\n"
	    "disable sync f left=0\n"
	    "pop div f0 7/1 -> f0 h=129 t=127\n"
	    "disable sync f0 left=0\n"
	    "pop sync ff 14/0 -> ff h=128 t=127\n"
	    "disable exit ff left=0\n");
	ck_assert_uint_eq(s->core->ctr[PPU_CTR_DIVERGENT], 1);
}
END_TEST

/* SIMT-34: the property that suppresses YIELD changes no operation of a program without YIELD */
START_TEST(older_instructions_alone)
{
	static const char text[] =
		PROLOGUE "setp.lt.u32 p1, r2, 3\nmov.u32 r3, 0\npbrk Out\n"
		"loop: ssy L\n@p1 bra If\ncal r9, f\nsync L\nIf: add.u32 r3, r3, 2\nsync L\n"
		"L: setp.gt.u32 p2, r3, r2\n@p2 brk Out\nbra loop\nOut: " STORE3 "exit\n"
		"f: add.u32 r3, r3, 1\nret r9\n";
	char *with;

	run(text, 8);
	with = strdup(smt_ops(s));
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 3 ? (i + 2) / 2 * 2 : i + 1);
	ck_assert_uint_eq(count(with, "yield"), 0);
	s->core->cfg.yield_suppress = 1;
	run(text, 8);
	ops(with);
	free(with);
}
END_TEST

/* SIMT-46, A-SIMT-19: the counter goes with the group: copied when it splits, the highest when it joins,
 * kept while it waits, 0 after a switch. */
START_TEST(counter_of_a_group)
{
	s->cfg.branch_first = 1;
	s->cfg.yield_every = 4;
	run(PROLOGUE				/* 0 */
	    "setp.lt.u32 p1, r2, 4\n"		/* 3 */
	    "yield\n"				/* 4: 1 */
	    "yield\n"				/* 5: 2 */
	    "ssy L\n"				/* 6 */
	    "@p1 bra If\n"			/* 7 */
	    "yield\n"				/* 8: f0 has 3 */
	    "sync L\n"				/* 9 */
	    "If: sync L\n"			/* 10: 0f has 2 */
	    "L: yield\n"			/* 11: ff has max 3, + 1: switches */
	    "yield\n"				/* 12: 1 */
	    "yield\n"				/* 13: 2 */
	    "yield\n"				/* 14: 3 */
	    "yield\n"				/* 15: 4, switches */
	    "ssy M\n"				/* 16 */
	    "@p1 bra J\n"			/* 17 */
	    "sync M\n"				/* 18 */
	    "J: yield\n"			/* 19: 1 */
	    "yield\n"				/* 20: 2 */
	    "yield\n"				/* 21: 3 */
	    "sync M\n"				/* 22 */
	    "M: yield\n"			/* 23: 4, switches */
	    "exit\n", 8);
	ck_assert_uint_eq(s->core->ctr[PPU_CTR_YIELDS], 3);
	ck_assert_uint_eq(count(smt_ops(s), "yield yield ff 12/"), 1);
	ck_assert_uint_eq(count(smt_ops(s), "yield yield ff 16/"), 1);
	ck_assert_uint_eq(count(smt_ops(s), "yield yield ff 24/"), 1);
}
END_TEST

/* SIMT-46: each side of a branch goes on from the same count */
START_TEST(counter_is_copied)
{
	s->cfg.branch_first = 1;
	s->cfg.yield_every = 3;
	run(PROLOGUE				/* 0 */
	    "setp.lt.u32 p1, r2, 4\n"		/* 3 */
	    "yield\n"				/* 4: 1 */
	    "yield\n"				/* 5: 2 */
	    "@p1 bra If\n"			/* 6 */
	    "yield\n"				/* 7: f0: 3, switches */
	    "exit\n"				/* 8 */
	    "If: yield\n"			/* 9: 0f: 3, switches */
	    "exit\n", 8);			/* 10 */
	ops("push div f0 7/0 @128 h=129 t=127\n"
	    "yield yield f 10/0 @127 h=129 t=126\n"
	    "disable yield f left=0\n"
	    "pop div f0 7/8 -> f0 h=128 t=126\n"
	    "yield yield f0 8/0 @126 h=128 t=125\n"
	    "disable yield f0 left=0\n"
	    "pop yield f 10/8 -> f h=127 t=125\n"
	    "disable exit f left=0\n"
	    "pop yield f0 8/0 -> f0 h=126 t=125\n"
	    "disable exit f0 left=0\n");
}
END_TEST

/* SIMT-48: nothing else waits: same mask, next instruction, queue empty, also in a partial warp under a guard */
START_TEST(yield_alone)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 3\nyield\ns2r r3, %activemask\n" STORE3 "exit\n", 5);
	ops("yield yield 1f 5/0 @127 h=128 t=126\n"
	    "disable yield 1f left=0\n"
	    "pop yield 1f 5/0 -> 1f h=127 t=126\n"
	    "disable exit 1f left=0\n");
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 0x1f);
}
END_TEST

/* SIMT-58: a YIELD merges or pushes on the back, and only then disables (step e) and pops */
START_TEST(yield_in_order)
{
	s->cfg.branch_first = 1;
	run(PROLOGUE "setp.lt.u32 p1, r2, 4\n@p1 bra P\nnop\nP: yield\nexit\n", 8);
	ops("push div f0 5/0 @128 h=129 t=127\n"
	    "yield yield f 7/0 @127 h=129 t=126\n"
	    "disable yield f left=0\n"
	    "pop div f0 5/8 -> f0 h=128 t=126\n"
	    "merge yield ff 7/0 h=128 t=126\n"
	    "disable yield f0 left=0\n"
	    "pop yield ff 7/0 -> ff h=127 t=126\n"
	    "disable exit ff left=0\n");
}
END_TEST

/* SIMT-59, SIMT-49: SYNC, BRK and CONT ask for a corresponding token first; EXIT and RET go straight to step e */
/* SIMT-50: a fallback drops tokens that nobody waits for from the front, up to a yield token. */
START_TEST(fallback_keeps_yield_tokens)
{
	run("push.yield L\npush.r9 L\nsync L\ntrap\nL: exit\n", 8);
	ops("push yield ff 4/0 @128 h=129 t=127\npush r9 ff 4/8 @129 h=130 t=127\ndiscard r9 ff 4/8 h=129 t=127\n"
	    "fallback 4 ff\ndisable exit ff left=0\ndiscard yield ff 4/0 h=128 t=127\n");
}
END_TEST

START_TEST(fallback_test_comes_first)
{
	static const char *const dis[] = { "sync", "brk", "cont" };
	static const char *const push[] = { "ssy", "pbrk", "pcnt" };
	char text[512], want[512];

	smt_start(s);
	for (unsigned k = 0; k < 3; k++) {
		/* without a token: a branch; with one of another type or address: the same */
		for (unsigned other = 0; other < 3; other++) {
			unsigned o = (k + other) % 3;

			snprintf(text, sizeof(text), "%s Far\n%s L\ntrap\nL: exit\nFar: trap\n", push[o], dis[k]);
			run(text, 8);
			snprintf(want, sizeof(want), "push %s ff 4/0 @128 h=129 t=127\n"
				 "discard %s ff 4/0 h=128 t=127\nfallback 3 ff\ndisable exit ff left=0\n",
				 dis[o], dis[o]);
			ops(want);
		}
		snprintf(text, sizeof(text), "%s L\n%s L\ntrap\nL: exit\n", push[k], dis[k]);
		run(text, 8);
		snprintf(want, sizeof(want), "push %s ff 3/0 @128 h=129 t=127\ndisable %s ff left=0\n"
			 "pop %s ff 3/0 -> ff h=128 t=127\ndisable exit ff left=0\n", dis[k], dis[k], dis[k]);
		ops(want);
	}
	run("cal r9, f\nexit\nf: ret r9\n", 8);
	ops("push call ff 1/0 @128 h=129 t=127\n"
	    "disable call ff left=0\n"
	    "pop call ff 1/0 -> ff h=128 t=127\n"
	    "disable exit ff left=0\n");
}
END_TEST

/* SIMT-62, A-SIMT-8: two tokens of one type: each takes the lanes that wait at its own address */
START_TEST(address_is_part_of_it)
{
	s->cfg.branch_first = 1;
	run(PROLOGUE				/* 0 */
	    "setp.lt.u32 p1, r2, 4\n"		/* 3 */
	    "mov.u32 r3, 0\n"			/* 4 */
	    "ssy Outer\n"			/* 5 */
	    "ssy Inner\n"			/* 6 */
	    "@p1 sync Outer\n"			/* 7 */
	    "sync Inner\n"			/* 8 */
	    "Inner: add.u32 r3, r3, 1\n"	/* 9 */
	    "sync Outer\n"			/* 10 */
	    "Outer: add.u32 r3, r3, 16\n"	/* 11 */
	    STORE3 "exit\n", 8);
	ops("push sync ff 11/0 @128 h=129 t=127\n"
	    "push sync ff 9/1 @129 h=130 t=127\n"
	    "disable sync f left=f0\n"
	    "disable sync f0 left=0\n"
	    "pop sync ff 9/1 -> f0 h=129 t=127\n"
	    "disable sync f0 left=0\n"
	    "pop sync ff 11/0 -> ff h=128 t=127\n"
	    "disable exit ff left=0\n");
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 4 ? 16 : 17);
}
END_TEST

/*
 * SIMT-51: lanes that break without a token are a conditional branch; the sync token that the others
 * will need stays, and all meet at L.
 */
START_TEST(what_others_need_stays)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 16\nssy L\n@p1 brk B\nmov.u32 r6, 1\nsync L\nB: mov.u32 r6, 2\nsync L\n"
	    "L: s2r r3, %activemask\n" STORE3 "exit\n", 32);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_msg(smt_u32(s)[i] == 0xffffffff, "%u: %x\n%s", i, smt_u32(s)[i], smt_ops(s));
}
END_TEST

/*
 * SIMT-46: the counter belongs to the set of lanes: two YIELDs of one side and three of the other are not a fourth
 * YIELD of either side, so no group switches.
 */
START_TEST(counter_of_each_set)
{
	unsigned yields = 0;

	s->cfg.yield_every = 4;
	run(PROLOGUE "setp.lt.u32 p1, r2, 16\nssy L\n@p1 bra B\nyield\nyield\nsync L\nB: yield\nyield\nyield\nsync L\n"
	    "L: mov.u32 r3, 5\n" STORE3 "exit\n", 32);
	for (uint32_t i = 0; i < s->num_trace; i++)
		yields += s->trace[i].event == PPU_TR_DIV_YIELD_PUSH;
	ck_assert_uint_eq(yields, 0);
}
END_TEST

/*
 * SIMT-62: when nobody looks at tokens there is a shorter way for lanes that all come to the one on top.  Words, counters and
 * device time stay what they are.  The second text has a token that names only some of those who come, and somebody waits
 * for it.
 */
START_TEST(tokens_that_nobody_looks_at)
{
	static const char *const texts[] = { everything,
		PROLOGUE "setp.lt.u32 p1, r2, 2\nsetp.eq.u32 p2, r2, 0\n@p1 ssy L\n@p2 sync L\nsync L\n"
			 "L: s2r r3, %activemask\n" STORE3 "exit\n",
		PROLOGUE "setp.lt.u32 p1, r2, 5\n@p1 cal r9, f\n@!p1 cal r8, g\n" STORE3 "exit\n"
			 "f: cal r8, g\nadd.u32 r3, r3, 1\nret r9\ng: s2r r3, %activemask\nret r8\n" };
	const uint32_t threads = _i & 1 ? 20 : 32;
	uint64_t ctr[PPU_CTR_COUNT];
	uint32_t words[32];

	for (unsigned k = 0; k < 2; k++) {
		s->cfg.trace_classes = k ? 31 & ~PPU_TRCLASS_DIVERGENCE : 31;
		run(texts[_i / 2], threads);
		if (!k) {
			memcpy(words, smt_u32(s), sizeof(words));
			memcpy(ctr, s->core->ctr, sizeof(ctr));
		}
		ck_assert(!memcmp(words, smt_u32(s), sizeof(words)));
		ck_assert(!memcmp(ctr, s->core->ctr, sizeof(ctr)));
		teardown();
		setup();
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *su = suite_create("simt_ops");
	TCase *t = tcase_create("ops");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, active_mask, 0, 2);
	tcase_add_test(t, only_active_lanes_write);
	tcase_add_test(t, tokens_can_be_read);
	tcase_add_test(t, every_operation);
	tcase_add_test(t, uniform_inside_divergent);
	tcase_add_test(t, older_instructions_alone);
	tcase_add_test(t, counter_of_a_group);
	tcase_add_test(t, counter_is_copied);
	tcase_add_test(t, yield_alone);
	tcase_add_test(t, yield_in_order);
	tcase_add_test(t, fallback_keeps_yield_tokens);
	tcase_add_test(t, fallback_test_comes_first);
	tcase_add_test(t, address_is_part_of_it);
	tcase_add_test(t, what_others_need_stays);
	tcase_add_test(t, counter_of_each_set);
	tcase_add_loop_test(t, tokens_that_nobody_looks_at, 0, 6);
	suite_add_tcase(su, t);
	return su;
}

int main(void)
{
	return run_suite(suite());
}
