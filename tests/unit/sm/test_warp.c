/* SPDX-License-Identifier: MIT */
/* Across lanes and warps: barriers, votes, shuffles, special registers, scheduling, resources. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "one_cta.h"
#include "ppu_image.h"
#include "run_suite.h"

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

/* ---- CTA barriers ------------------------------------------------------------------------------- */

/* HW-53, HW-54: write, barrier, read the neighbour */
START_TEST(cta_barrier)
{
	static const uint32_t sizes[] = { 32, 96, 100, 1024, 1 };
	uint32_t n = sizes[_i];
	char text[1024];

	s->task.launch.shared_bytes = 4096;
	snprintf(text, sizeof(text), "%s"
		 "shl.u32 r6, r2, 2\nadd.u32 r7, r2, 1000\nst.shared.u32 [r6], r7\nbar.sync 0\n"
		 "add.u32 r6, r6, 4\nsetp.eq.u32 p1, r6, %u\n@p1 mov.u32 r6, 0\nld.shared.u32 r3, [r6]\n"
		 "bar.sync 0\n" STORE3 "exit\n", PROLOGUE, n * 4);
	run(text, n);
	for (uint32_t i = 0; i < n; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 1000 + (i + 1) % n);
}
END_TEST

/* Many rounds over the same barrier: generations do not mix. */
START_TEST(barrier_rounds)
{
	s->task.launch.shared_bytes = 16;
	run(PROLOGUE "mov.u32 r6, 0\nmov.u32 r8, 1\nmov.u32 r9, 0\n"
	    "loop: atom.shared.add.u32 rz, [r9], r8\n"
	    "bar.sync 1\nld.shared.u32 r3, [r9]\nbar.sync 1\n"
	    "add.u32 r6, r6, 1\nmul.u32 r7, r6, 160\nsetp.ne.u32 p1, r3, r7\n@p1 trap\n"
	    "setp.lt.u32 p1, r6, 50\n@p1 bra loop\n" STORE3 "exit\n", 160);
	ck_assert_uint_eq(smt_u32(s)[159], 160 * 50);
}
END_TEST

START_TEST(barrier_with_exited_threads)
{
	/* warp 1 is gone, and the upper half of warp 0 */
	run(PROLOGUE "mov.u32 r3, 0\nsetp.ge.u32 p1, r2, 16\n@p1 exit\nbar.sync 0\nmov.u32 r3, 1\n" STORE3 "exit\n", 64);
	for (int i = 0; i < 64; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 16);
	/* the other way round: they end while the others wait */
	run(PROLOGUE "mov.u32 r3, 0\nsetp.lt.u32 p1, r2, 16\nssy L\n@p1 bra W\nnanosleep 3000\nexit\n"
	    "W: bar.sync 0\nmov.u32 r3, 2\n" STORE3 "exit\nL: trap\n", 64);
	for (int i = 0; i < 16; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 2);
}
END_TEST

/* Named barriers with counts: warps 0 and 1 meet at 1, warps 2 and 3 at 2. */
START_TEST(barrier_named)
{
	s->task.launch.shared_bytes = 1024;
	run(PROLOGUE "shr.u32 r6, r2, 6\nadd.u32 r6, r6, 1\nmov.u32 r7, 64\n"
	    "shl.u32 r8, r2, 2\nst.shared.u32 [r8], r2\nbar.sync r6, r7\n"
	    "xor.u32 r8, r8, 128\nld.shared.u32 r3, [r8]\n" STORE3 "exit\n", 128);
	for (unsigned i = 0; i < 128; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i ^ 32);
}
END_TEST

/* The number in a register, for all threads: the warps that name 5 by a register and as a constant meet, also those of a
 * second round at 2, and whoever names another number waits for ever. */
START_TEST(barrier_number_in_register)
{
	if (_i)		/* without the trace of barriers there is a shorter way */
		s->cfg.trace_classes = PPU_TRCLASS_WARPS;
	s->task.launch.shared_bytes = 256;
	run(PROLOGUE "mov.u32 r6, 5\nshl.u32 r8, r2, 2\nst.shared.u32 [r8], r2\nxor.u32 r8, r8, 128\nsetp.ge.u32 p1, r2, 32\n"
	    "@p1 bra B\nbar.sync r6\nld.shared.u32 r3, [r8]\nmov.u32 r6, 2\nbar.sync 2\n" STORE3 "exit\n"
	    "B: bar.sync 5\nld.shared.u32 r3, [r8]\nmov.u32 r6, 2\nbar.sync r6\n" STORE3 "exit\n", 64);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i ^ 32);
	smt_load(s, "s2r r2, %tid.x\nshr.u32 r6, r2, 5\nbar.sync r6\nexit\n");
	smt_run(s, 1, 64);
	ck_assert(s->faulted);
	ck_assert_uint_eq(s->fault.code, PPU_ERR_DEADLOCK);
}
END_TEST

/* Producer and consumer: warp 0 arrives, warp 1 waits. */
START_TEST(barrier_arrive)
{
	s->task.launch.shared_bytes = 128;
	run(PROLOGUE "and.u32 r6, r2, 31\nshl.u32 r6, r6, 2\nsetp.ge.u32 p1, r2, 32\nmov.u32 r3, 0\n@p1 bra C\n"
	    "nanosleep 2000\nst.shared.u32 [r6], r2\nbar.arrive 3, 64\n" STORE3 "exit\n"
	    "C: bar.sync 3, 64\nld.shared.u32 r3, [r6]\nadd.u32 r3, r3, 5\n" STORE3 "exit\n", 64);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 32 ? 0 : i - 32 + 5);
}
END_TEST

/* A count is of threads, and lanes that the last warp lacks count as arrived with it: 40 threads are two warps. */
START_TEST(barrier_counts_whole_warps)
{
	/* all of a short block, and twice, so that a generation ends whole */
	run(PROLOGUE "bar.sync 0, 64\nbar.sync 0, 64\nmov.u32 r3, 7\n" STORE3 "exit\n", 40);
	for (unsigned i = 0; i < 40; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 7);
	/* lanes that have ended count with those of their warp that have arrived */
	run(PROLOGUE "and.u32 r6, r2, 1\nsetp.eq.u32 p1, r6, 1\n@p1 exit\nbar.sync 0, 96\nmov.u32 r3, 8\n" STORE3 "exit\n", 70);
	for (unsigned i = 0; i < 70; i += 2)
		ck_assert_uint_eq(smt_u32(s)[i], 8);
	/* a part of the block, while the other warps do something else */
	run(PROLOGUE "setp.ge.u32 p1, r2, 64\n@p1 bra E\nbar.sync 5, 64\nmov.u32 r3, 9\n" STORE3 "exit\n"
	    "E: mov.u32 r3, 3\n" STORE3 "exit\n", 128);
	for (unsigned i = 0; i < 128; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 64 ? 9 : 3);
}
END_TEST

/* Halves of warps that have diverged, each at a barrier of its own number, with a count; and lanes that only arrive. */
START_TEST(barrier_counts_lanes)
{
	/* lanes 0..15 of both warps are 32 threads */
	run(PROLOGUE "and.u32 r6, r2, 31\nsetp.lt.u32 p1, r6, 16\nssy L\n@p1 bra A\n"
	    "bar.sync 1, 32\nmov.u32 r3, 1\nsync L\nA: bar.sync 2, 32\nmov.u32 r3, 2\nsync L\n"
	    "L: " STORE3 "exit\n", 64);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_uint_eq(smt_u32(s)[i], (i & 31) < 16 ? 2 : 1);
	/* fewer than the count never pass, not even with an arrival of another number */
	smt_load(s, "s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 16\n@p1 bra A\nbar.sync 1, 96\nexit\nA: bar.arrive 2, 96\nexit\n");
	ck_assert(!smt_run(s, 1, 48));
	ck_assert_uint_eq(s->fault.code, PPU_ERR_DEADLOCK);
	/* 16 arrive and go on, 48 wait */
	run(PROLOGUE "setp.lt.u32 p1, r2, 16\nmov.u32 r3, 4\n@p1 bar.arrive 1, 64\n@!p1 bar.sync 1, 64\n" STORE3 "exit\n", 64);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 4);
}
END_TEST

/* The fault of a deadlock names the first warp that waits, its lowest waiting lane, and where this lane waits. */
START_TEST(deadlock_names_the_first)
{
	smt_start(s);
	smt_load(s, "s2r r2, %tid.x\nsetp.ge.u32 p1, r2, 64\n@p1 bra C\nsetp.ge.u32 p1, r2, 32\n@p1 bra B\n"
		 "setp.lt.u32 p2, r2, 9\n@p2 exit\nbar.sync 1, 64\nexit\nB: bar.sync 2, 64\nexit\nC: bar.sync 3, 64\nexit\n");
	ck_assert(!smt_run(s, 1, 96));
	ck_assert_uint_eq(s->fault.code, PPU_ERR_DEADLOCK);
	ck_assert_uint_eq(s->fault.warp, 0);
	ck_assert_uint_eq(s->fault.lane, 9);
	ck_assert_uint_eq(s->fault.pc, 7);
}
END_TEST

START_TEST(barrier_reductions)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 37\nmov.u32 r3, 0\n"
	    "bar.popc r3, 0, p1\n"
	    "bar.and p2, 0, p1\n@p2 add.u32 r3, r3, 1000\n"
	    "bar.or p2, 0, p1\n@p2 add.u32 r3, r3, 2000\n"
	    "setp.lt.u32 p1, r2, 4000\n"
	    "bar.and p2, 1, p1\n@p2 add.u32 r3, r3, 4000\n"
	    "bar.or p2, 1, !p1\n@p2 add.u32 r3, r3, 8000\n"
	    STORE3 "exit\n", 100);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 37 + 2000 + 4000);
}
END_TEST

/* A-SIMT-25: threads are counted, not warps; a diverged warp leaves the barrier as one. */
START_TEST(diverged_barrier)
{
	run(PROLOGUE			/* 0 */
	    "setp.lt.u32 p1, r2, 5\n"	/* 3 */
	    "@p1 yield\n"		/* 4: splits warp 0 */
	    "yield\n"			/* 5 */
	    "bar.sync 0\n"		/* 6 */
	    "s2r r3, %activemask\n"	/* 7 */
	    STORE3 "exit\n", 64);
	for (int i = 0; i < 64; i++)
		ck_assert_uint_eq(smt_u32(s)[i], ~0u);
}
END_TEST

/* A-SIMT-25: Groups park: no busy waiting while another warp takes its time. */
START_TEST(parked_warps_sleep)
{
	uint64_t before;

	run(PROLOGUE "setp.lt.u32 p1, r2, 32\n@p1 bra W\nsetp.lt.u32 p1, r2, 40\n@p1 yield\nbra B\n"
	    "W: nanosleep 500000\n"
	    "B: bar.sync 0\nmov.u32 r3, 1\n" STORE3 "exit\n", 64);
	before = s->core->ctr[PPU_CTR_WARP_INSNS];
	ck_assert_uint_lt(before, 60);
	ck_assert_uint_eq(smt_u32(s)[63], 1);
}
END_TEST

/* A-SIMT-25: Half of a warp is at the barrier; the other half is in an if and gets there later. */
START_TEST(barrier_in_branch)
{
	run(PROLOGUE "and.u32 r6, r2, 1\nsetp.eq.u32 p1, r6, 0\nmov.u32 r3, 1\n@p1 bra E\n"
	    "mov.u32 r3, 2\nbar.sync 0\nbra End\n"
	    "E: bar.sync 0\n"
	    "End: " STORE3 "exit\n", 64);
	for (int i = 0; i < 64; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 1 + (i & 1));
}
END_TEST

START_TEST(deadlock_is_a_fault)
{
	static const char *const texts[] = {
		/* the lower half waits at a barrier number that no other thread uses */
		"s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 16\n@p1 bra A\nbar.sync 1\nexit\nA: bar.sync 2\nexit\n",
		/* more threads than there are */
		"bar.sync 1, 96\nexit\n",
		/* lanes wait for each other at different instructions with different masks */
		"s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 16\n@p1 bra A\nwarpsync -1\nexit\nA: vote.all p2, rz, p1\nmov.u32 r5, -1\nvote.all p2, r5, p1\nexit\n",
	};

	smt_start(s);
	for (unsigned i = 0; i < 3; i++) {
		smt_load(s, texts[i]);
		ck_assert(!smt_run(s, 1, 64));
		ck_assert_msg(s->faulted, "text %u", i);
		ck_assert_uint_eq(s->fault.code, PPU_ERR_DEADLOCK);
	}
}
END_TEST

START_TEST(bad_barriers)
{
	static const char *const texts[] = {
		"mov.u32 r3, 16\nbar.sync r3\nexit\n", "bar.sync 0, 1025\nexit\n",
		"s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 32\n@p1 bar.sync 0, 64\nbar.sync 0, 32\nexit\n",
	};

	smt_start(s);
	for (unsigned i = 0; i < 3; i++) {
		smt_load(s, texts[i]);
		ck_assert(!smt_run(s, 1, 64));
		ck_assert(s->faulted);
		ck_assert_msg(s->fault.code == PPU_ERR_BAD_BARRIER, "text %u: %u at %u", i, s->fault.code, s->fault.pc);
	}
}
END_TEST

/* The last barrier, with as many threads as a CTA can have: nobody waits, so the CTA ends before they are there. */
START_TEST(largest_barrier)
{
	smt_start(s);
	smt_load(s, "bar.arrive 15, 1024\nexit\n");
	ck_assert(smt_run(s, 1, 64));
	ck_assert_msg(!s->faulted, "%u at %u", s->fault.code, s->fault.pc);
}
END_TEST

/* ---- member masks ---------------------------------------------------------------------------------- */

START_TEST(vote)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 5\nmov.u32 r6, -1\nmov.u32 r7, 0x1f\nmov.u32 r3, 0\n"
	    "vote.ballot r8, r6, p1\nsetp.eq.u32 p2, r8, 0x1f\n@p2 add.u32 r3, r3, 1\n"
	    "vote.any p2, r6, p1\n@p2 add.u32 r3, r3, 2\n"
	    "vote.all p2, r6, p1\n@p2 add.u32 r3, r3, 4\n"
	    "vote.uni p2, r6, p1\n@p2 add.u32 r3, r3, 8\n"
	    "vote.uni p2, r6, pt\n@p2 add.u32 r3, r3, 16\n"
	    "@p1 vote.all p3, r7, p1\n@p3 add.u32 r3, r3, 32\n"
	    "vote.ballot.active r8, !p1\nsetp.eq.u32 p2, r8, 0xffffffe0\n@p2 add.u32 r3, r3, 64\n"
	    STORE3 "exit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 1 + 2 + 16 + 64 + (i < 5 ? 32 : 0));
}
END_TEST

START_TEST(shfl)
{
	uint32_t a[4][32], ok[4][32];

	run(PROLOGUE "add.u32 r6, r2, 100\nmov.u32 r12, 128\nmadw.u32 rd14, r2, 4, rd10\n"
	    "shfl.up.full r3, p1, r6, 3, 0\nst.global.u32 [rd14], r3\nmov.u32 r3, 0\n@p1 mov.u32 r3, 1\nst.global.u32 [rd14+512], r3\n"
	    "shfl.down.full r3, p1, r6, 3, 31\nst.global.u32 [rd14+128], r3\nmov.u32 r3, 0\n@p1 mov.u32 r3, 1\nst.global.u32 [rd14+640], r3\n"
	    "shfl.bfly.full r3, p1, r6, 5, 31\nst.global.u32 [rd14+256], r3\nmov.u32 r3, 0\n@p1 mov.u32 r3, 1\nst.global.u32 [rd14+768], r3\n"
	    "shfl.idx.full r3, p1, r6, 9, 0x1807\nst.global.u32 [rd14+384], r3\nmov.u32 r3, 0\n@p1 mov.u32 r3, 1\nst.global.u32 [rd14+896], r3\n"
	    "exit\n", 32);
	memcpy(a, s->data, sizeof(a));
	memcpy(ok, s->data + 512, sizeof(ok));
	for (int i = 0; i < 32; i++) {
		int j = (i & 24) | (9 & 7);

		ck_assert_uint_eq(ok[0][i], i >= 3);
		ck_assert_uint_eq(a[0][i], 100 + (i >= 3 ? i - 3 : i));
		ck_assert_uint_eq(ok[1][i], i + 3 <= 31);
		ck_assert_uint_eq(a[1][i], 100 + (i + 3 <= 31 ? i + 3 : i));
		ck_assert_uint_eq(a[2][i], 100 + (i ^ 5));
		ck_assert_uint_eq(ok[3][i], 1);
		ck_assert_uint_eq(a[3][i], 100 + j);
	}
}
END_TEST

/* A source lane that takes no part gives 0, whatever its register holds: it is elsewhere, has ended, or is no member. */
START_TEST(shfl_from_a_lane_that_takes_no_part)
{
	static const struct {
		const char *before, *form;
		unsigned part;		/* lanes below this one take part */
	} r[] = {
		{ "setp.gt.u32 p1, r2, 12\n@p1 bra L\n", "shfl.down r3, p2, r6, 4, 31", 13 },
		{ "setp.lt.u32 p1, r2, 13\n", "@p1 shfl.down r3, p2, r6, 4, 31", 13 },
		{ "setp.gt.u32 p1, r2, 12\n@p1 exit\n", "shfl.down.full r3, p2, r6, 4, 31", 13 },
		{ "setp.gt.u32 p1, r2, 12\n@p1 bra L\nmov.u32 r7, 0x1fff\n", "shfl.down.mask r3, p2, r6, 4, 31, r7", 13 },
		/* all 32 execute it, but the mask of lanes 0 to 7 has only these: what the vendor's reduction does */
		{ "setp.gt.u32 p1, r2, 7\nmov.u32 r7, 0xff\n@p1 mov.u32 r7, 0xffffff00\n",
		  "@!p1 shfl.down.mask r3, p2, r6, 4, 31, r7", 8 },
		{ "mov.u32 r7, 0xff\nsetp.lt.u32 p1, r2, 32\n", "shfl.down.mask r3, p2, r6, 4, 31, r7", 8 },
	};
	char text[1024];

	for (unsigned k = 0; k < sizeof(r) / sizeof(r[0]); k++) {
		snprintf(text, sizeof(text), "%sadd.u32 r6, r2, 100\nmov.u32 r3, 7\n%s%s\nmov.u32 r8, 0\n@p2 mov.u32 r8, 1\n"
			 "st.global.u32 [rd4+128], r8\n%sL: exit\n", PROLOGUE, r[k].before, r[k].form, STORE3);
		run(text, 32);
		for (unsigned i = 0; i < r[k].part; i++) {
			ck_assert_msg(smt_u32(s)[i] == (i + 4 < r[k].part ? i + 104 : 0), "%u, lane %u: %u", k, i, smt_u32(s)[i]);
			ck_assert_msg(smt_u32(s)[32 + i] == 1, "%u, lane %u", k, i);	/* it is in the segment */
		}
	}
	/* outside the segment it is the own value, even of a lane that is no member */
	run(PROLOGUE "add.u32 r6, r2, 100\nmov.u32 r7, 0xff\nshfl.down.mask r3, p2, r6, 4, 31, r7\n" STORE3 "exit\n", 32);
	ck_assert_uint_eq(smt_u32(s)[30], 130);
}
END_TEST

START_TEST(match_and_redux)
{
	run(PROLOGUE "and.u32 r6, r2, 3\nmov.u32 r7, -1\n"
	    "match.any.u32 r3, r6, r7\n" STORE3
	    "match.all.u32 r3, p1, r6, r7\nst.global.u32 [rd4+128], r3\n"
	    "redux.add.u32 r3, r2, r7\nst.global.u32 [rd4+256], r3\n"
	    "sub.u32 r8, r2, 5\nredux.min.s32 r3, r8, r7\nst.global.u32 [rd4+384], r3\n"
	    "redux.max.u32 r3, r8, r7\nst.global.u32 [rd4+512], r3\n"
	    "exit\n", 32);
	for (int i = 0; i < 32; i++) {
		ck_assert_uint_eq(smt_u32(s)[i], 0x11111111u << (i & 3));
		ck_assert_uint_eq(smt_u32(s)[32 + i], 0);
		ck_assert_uint_eq(smt_u32(s)[64 + i], 496);
		ck_assert_uint_eq(smt_u32(s)[96 + i], (uint32_t)-5);
		ck_assert_uint_eq(smt_u32(s)[128 + i], ~0u);
	}
}
END_TEST

/* A-SIMT-25: a data-dependent loop with YIELD, then shfl over the whole warp */
START_TEST(shfl_after_yield_loop)
{
	s->cfg.yield_every = _i;
	run(PROLOGUE "mov.u32 r6, 0\nmul.u32 r7, r2, 7\nand.u32 r7, r7, 15\n"
	    "loop: add.u32 r6, r6, 1\nyield\nsetp.le.u32 p1, r6, r7\n@p1 bra loop\n"
	    "shfl.bfly.full r3, r6, 1, 31\n"
	    "s2r r8, %activemask\nst.global.u32 [rd4+128], r8\n" STORE3 "exit\n", 32);
	for (unsigned i = 0; i < 32; i++) {
		ck_assert_uint_eq(smt_u32(s)[i], (((i ^ 1) * 7) & 15) + 1);
		ck_assert_uint_eq(smt_u32(s)[32 + i], ~0u);
	}
}
END_TEST

/* Groups with masks of their own pass one instruction independently. */
START_TEST(member_masks_by_lane)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 16\nmov.u32 r6, 0xffff\n@!p1 mov.u32 r6, 0xffff0000\n"
	    "redux.add.u32 r3, r2, r6\nwarpsync r6\n" STORE3 "exit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 16 ? 120 : 376);
}
END_TEST

START_TEST(warpsync_at_different_places)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 16\nmov.u32 r6, 1\n@p1 bra A\n"
	    "atom.global.add.u32 rz, [rd10+256], r6\nwarpsync -1\nbra L\n"
	    "A: nop\natom.global.add.u32 rz, [rd10+256], r6\nwarpsync -1\n"
	    "L: ld.global.u32 r3, [rd10+256]\n" STORE3 "exit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 32);
}
END_TEST

/* Members that have ended do not hold up the others. */
START_TEST(member_masks_and_exit)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 8\n@p1 bra W\nnanosleep 1000\nexit\n"
	    "W: mov.u32 r6, -1\nredux.add.u32 r3, r2, r6\nwarpsync -1\n" STORE3 "exit\n", 32);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 28);
}
END_TEST

/* HW-52: lanes that have ended vote for nothing, whatever their predicates were. */
START_TEST(ended_lanes_do_not_vote)
{
	run(PROLOGUE "setp.lt.u32 p1, r2, 8\nsetp.ge.u32 p2, r2, 4\nmov.u32 r6, -1\n@p1 bra W\nexit\n"
	    "W: vote.ballot r3, r6, p2\nvote.all p3, r6, p1\n@!p3 add.u32 r3, r3, 1000\n"
	    "vote.uni p3, r6, p1\n@!p3 add.u32 r3, r3, 2000\n"
	    "vote.any p3, r6, !p1\n@p3 add.u32 r3, r3, 4000\n" STORE3 "exit\n", 32);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 0xf0);
}
END_TEST

/* ---- special registers ------------------------------------------------------------------------------- */

/* HW-51: all combinations of an 8 x 4 x 2 CTA, in a grid of 2 x 3 x 2 */
START_TEST(thread_and_cta_ids)
{
	struct ppu_tmd *t = &s->task.launch;

	smt_start(s);
	smt_load(s, "ld.param.u64 rd10, [0]\n"
		 "s2r r2, %tid.x\ns2r r3, %tid.y\ns2r r4, %tid.z\n"
		 "s2r r5, %ctaid.x\ns2r r6, %ctaid.y\ns2r r7, %ctaid.z\n"
		 "shl.u32 r3, r3, 8\nshl.u32 r4, r4, 12\nshl.u32 r5, r5, 16\nshl.u32 r6, r6, 20\nshl.u32 r7, r7, 24\n"
		 "or.u32 r8, r2, r3\nor.u32 r8, r8, r4\nor.u32 r8, r8, r5\nor.u32 r8, r8, r6\nor.u32 r8, r8, r7\n"
		 "mov.u32 r9, 1\natom.global.add.u32 r12, [rd10], r9\nadd.u32 r12, r12, 1\n"
		 "madw.u32 rd14, r12, 4, rd10\nst.global.u32 [rd14], r8\nexit\n");
	memcpy(t->block, (uint32_t[]){ 8, 4, 2 }, 12);
	memcpy(t->grid, (uint32_t[]){ 2, 3, 2 }, 12);
	ck_assert(smt_run(s, 0, 0));
	ck_assert_uint_eq(smt_u32(s)[0], 64 * 12);
	for (unsigned c = 0; c < 12; c++)
		for (unsigned i = 0; i < 64; i++) {
			uint32_t want = i % 8 | i / 8 % 4 << 8 | i / 32 << 12 | c % 2 << 16 |
					c / 2 % 3 << 20 | c / 6 << 24;
			bool found = false;

			for (unsigned k = 1; k <= 64 * 12; k++)
				found |= smt_u32(s)[k] == want;
			if (!found)
				ck_abort_msg("%x", want);
		}
}
END_TEST

/* HW-40: the coordinates of threads in blocks whose rows and planes end inside a warp, and whose last warp is not full */
START_TEST(thread_ids_in_small_planes)
{
	static const uint32_t blocks[][3] = {
		{ 2, 2, 8 }, { 1, 1, 32 }, { 3, 5, 7 }, { 1, 40, 2 }, { 5, 1, 9 }, { 16, 2, 3 }, { 33, 1, 2 }, { 1, 1, 64 },
	};

	smt_start(s);
	smt_load(s, "ld.param.u64 rd10, [0]\ns2r r2, %tid.x\ns2r r3, %tid.y\ns2r r4, %tid.z\n"
		 "shl.u32 r3, r3, 8\nshl.u32 r4, r4, 16\nor.u32 r7, r2, r3\nor.u32 r7, r7, r4\n"
		 "s2r r8, %warpid\ns2r r9, %laneid\nshl.u32 r8, r8, 5\nadd.u32 r8, r8, r9\n"
		 "madw.u32 rd12, r8, 4, rd10\nadd.u32 r7, r7, 1\nst.global.u32 [rd12], r7\nexit\n");
	memcpy(s->task.launch.grid, (uint32_t[]){ 1, 1, 1 }, 12);
	for (unsigned k = 0; k < sizeof(blocks) / sizeof(blocks[0]); k++) {
		unsigned threads = blocks[k][0] * blocks[k][1] * blocks[k][2];

		memset(s->data, 0, 4096);
		memcpy(s->task.launch.block, blocks[k], 12);
		ck_assert(smt_run(s, 0, 0));
		for (unsigned i = 0; i < 128; i++) {
			unsigned x = i % blocks[k][0], y = i / blocks[k][0] % blocks[k][1], z = i / blocks[k][0] / blocks[k][1];

			ck_assert_msg(smt_u32(s)[i] == (i < threads ? (x | y << 8 | z << 16) + 1 : 0), "block %u, thread %u: %x", k, i,
				      smt_u32(s)[i]);
		}
	}
}
END_TEST

/* HW-52 */
START_TEST(special_registers)
{
	static const struct { const char *name; uint64_t value; } regs[] = {
		{ "ntid.x", 40 }, { "ntid.y", 1 }, { "nctaid.x", 1 }, { "nctaid.z", 1 }, { "warpid", 0 },
		{ "nwarpid", 2 }, { "smid", 0 }, { "nsmid", 1 }, { "depth", 1 }, { "dynamic_smem_size", 64 },
		{ "total_smem_size", 192 }, { "local_size", 48 }, { "priority", 5 }, { "context", 7 },
		{ "max_depth", 24 }, { "ctaid_linear", 0 }, { "activemask", ~0u },
		{ "gridid", 1ull << 32 | 3 }, { "tmdid", 42 }, { "envreg2", 0x123456789abull },
	};
	char text[256];

	smt_start(s);
	s->task.priority = 5;
	s->task.launch.shared_bytes = 192;
	s->task.launch.shared_dyn_bytes = 64;
	s->task.launch.local_per_thread = 48;
	s->task.launch.envreg[2] = 0x123456789abull;
	for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		bool wide = i >= 17;

		snprintf(text, sizeof(text), "ld.param.u64 rd10, [0]\ns2r r2, %%warpid\nsetp.ne.u32 p1, r2, 0\n"
			 "mov.u64 rd6, 0\n@p1 exit\ns2r %s6, %%%s\nst.global.u64 [rd10], rd6\nexit\n",
			 wide ? "rd" : "r", regs[i].name);
		run(text, 40);
		ck_assert_msg(*(uint64_t *)s->data == regs[i].value, "%s: %llx", regs[i].name,
			      (unsigned long long)*(uint64_t *)s->data);
	}
	/* R1 starts as the size of local memory, everything else as 0 */
	run("ld.param.u64 rd10, [0]\nst.global.u32 [rd10], r1\nst.global.u32 [rd10+4], r31\nexit\n", 40);
	ck_assert_uint_eq(smt_u32(s)[0], 48);
	ck_assert_uint_eq(smt_u32(s)[1], 0);
}
END_TEST

/* HW-52: what does not tell the time or the place stays the same during the task, wherever its CTA goes on. */
START_TEST(special_registers_are_constant)
{
	static const struct { const char *name; unsigned number, wide; } regs[] = {
#define S(name, num, is64, text) { text, num, is64 },
		PPU_SREGS(S)
#undef S
	};

	s->cut = 1;
	s->cut_random = 1;
	s->cfg.window_ns = 500;
	s->cfg.sms_per_gpc = 2;
	smt_start(s);
	s->task.launch.shared_bytes = 192;
	s->task.launch.envreg[0] = 0x123456789abull;
	for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		const char *rd = regs[i].wide ? "rd" : "r";
		uint64_t *v = (uint64_t *)s->data;
		char text[512];

		switch (regs[i].number) {
		case PPU_SR_CLOCK: case PPU_SR_CLOCK_HI: case PPU_SR_CLOCK64: case PPU_SR_GLOBALTIMER: case PPU_SR_SMID:
			continue;
		}
		snprintf(text, sizeof(text), "ld.param.u64 rd10, [0]\ns2r r2, %%tid.x\nmadw.u32 rd10, r2, 16, rd10\n"
			 "mov.u64 rd6, 0\nmov.u64 rd8, 0\ns2r %s6, %%%s\nnanosleep 3000\ns2r %s8, %%%s\n"
			 "st.global.u64 [rd10], rd6\nst.global.u64 [rd10+8], rd8\nexit\n", rd, regs[i].name, rd, regs[i].name);
		run(text, 40);
		for (unsigned t = 0; t < 40; t++) {
			ck_assert_msg(v[2 * t] == v[2 * t + 1], "%s of thread %u", regs[i].name, t);
			if (regs[i].number == PPU_SR_TID_X)	/* its own */
				ck_assert_uint_eq(v[2 * t], t);
		}
	}
	ck_assert_uint_gt(s->num_cuts, 20);
}
END_TEST

/* HW-52: no instruction writes special registers: neither text nor code has one. */
START_TEST(special_registers_are_read_only)
{
	static const char *const text[] = {
		"mov.u32 %tid.x, r2\n", "s2r %tid.x, r2\n", "st.global.u32 %tid.x, r2\n", "add.u32 %ntid.x, r2, r3\n",
		"ld.global.u32 %ctaid.x, [rd2]\n", "s2r %tid.x, %tid.y\n",
	};
	struct ppu_image *good;
	struct ppu_insn bad;
	struct ppu_log log;

	for (unsigned i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct ppu_image *img;

		ppu_log_init(&log);
		ck_assert_msg(ppu_assemble(text[i], strlen(text[i]), "t", &img, &log) != 0, "%s", text[i]);
		ppu_log_free(&log);
	}
	/* an S2R that would have a source, or that names a register that is not there */
	smt_start(s);
	ppu_log_init(&log);
	ck_assert_int_eq(ppu_assemble("s2r r2, %tid.x\n", 15, "t", &good, &log), 0);
	for (unsigned i = 0; i < 4; i++) {
		bad = good->code[0];
		if (i == 0)
			PPU_SET(&bad, A, 3);
		else if (i == 1)
			PPU_SET(&bad, B, 3);
		else
			PPU_SET(&bad, IMM, i == 2 ? (uint32_t)PPU_SR_COUNT : ~0u);
		smt_load_code(s, &bad, 1);
		ck_assert(!smt_run(s, 1, 32));
		ck_assert(s->faulted);
		ck_assert_uint_eq(s->fault.code, PPU_ERR_ILLEGAL_INSN);
	}
	ppu_image_free(good);
	ppu_log_free(&log);
}
END_TEST

START_TEST(clocks)
{
	uint64_t *v;

	s->cfg.sm_clock_khz = 500000;
	run("ld.param.u64 rd10, [0]\ns2r rd4, %clock64\ns2r rd6, %globaltimer\nnanosleep 10000\n"
	    "s2r rd8, %clock64\ns2r rd12, %globaltimer\n"
	    "st.global.u64 [rd10], rd4\nst.global.u64 [rd10+8], rd6\nst.global.u64 [rd10+16], rd8\n"
	    "st.global.u64 [rd10+24], rd12\nexit\n", 1);
	v = (uint64_t *)s->data;
	ck_assert(v[2] - v[0] >= 5000 && v[2] - v[0] < 5050);
	ck_assert(v[3] - v[1] >= 10000 && v[3] - v[1] < 10100);
}
END_TEST

/* ---- scheduling and resources --------------------------------------------------------------------------- */

/* SIMT-44: warp 0 waits for warp 1, CTA 0 for CTA 1, lane 0 for lane 1 */
START_TEST(warp_and_cta_progress)
{
	run(PROLOGUE "setp.ge.u32 p1, r2, 32\nmov.u32 r3, 1\n@p1 bra W\n"
	    "loop: ld.global.volatile.u32 r6, [rd10+512]\nsetp.eq.u32 p2, r6, 0\n@p2 bra loop\n" STORE3 "exit\n"
	    "W: st.global.u32 [rd10+512], r3\nexit\n", 64);
	ck_assert_uint_eq(smt_u32(s)[31], 1);
	memset(s->data, 0, 1024);
	run_grid("ld.param.u64 rd10, [0]\ns2r r2, %ctaid.x\nsetp.eq.u32 p1, r2, 1\nmov.u32 r3, 1\n@p1 bra W\n"
		 "loop: ld.global.volatile.u32 r6, [rd10+512]\nsetp.eq.u32 p2, r6, 0\n@p2 bra loop\n"
		 "st.global.u32 [rd10], r3\nexit\n"
		 "W: st.global.u32 [rd10+512], r3\nexit\n", 2, 32);
	ck_assert_uint_eq(smt_u32(s)[0], 1);
	memset(s->data, 0, 1024);
	run(PROLOGUE "setp.eq.u32 p1, r2, 1\nmov.u32 r3, 1\n@p1 bra W\n"
	    "loop: ld.global.volatile.u32 r6, [rd10+512]\nyield\nsetp.eq.u32 p2, r6, 0\n@p2 bra loop\n" STORE3 "exit\n"
	    "W: st.global.u32 [rd10+512], r3\nexit\n", 2);
	ck_assert_uint_eq(smt_u32(s)[0], 1);
}
END_TEST

/* HW-39: G = 4 warps, M = 2 SMs, 20 single-warp CTAs: never more than 8 resident */
START_TEST(residency)
{
	s->cfg.warps_per_sm = 4;
	s->cfg.sms_per_gpc = 2;
	smt_start(s);
	smt_load(s, "nanosleep 20000\nld.param.u64 rd10, [0]\nmov.u32 r3, 1\natom.global.add.u32 rz, [rd10], r3\nexit\n");
	smt_launch(s, 20, 1);
	while (smt_window(s))
		ck_assert_uint_le(s->core->sms[0].used_warps + s->core->sms[1].used_warps, 8);
	ck_assert_uint_eq(s->done_ctas, 20);
	ck_assert_uint_eq(smt_u32(s)[0], 20);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(s->core->sms[i].used_warps, 0);
		ck_assert_uint_eq(s->core->sms[i].used_regs, 0);
		ck_assert_uint_eq(ppu_sm_num_ctas(s->core, i), 0);
	}
}
END_TEST

/* HW-42 */
START_TEST(cta_limits)
{
	struct ppu_tmd *t = &s->task.launch;

	smt_start(s);
	*t = (struct ppu_tmd){ .block = { 96, 1, 1 }, .grid = { 1, 1, 1 }, .regs_per_thread = 32 };
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), 0);
	t->block[0] = 1024;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), 0);
	t->regs_per_thread = 65;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), PPU_ERR_TMD_LIMITS);
	t->regs_per_thread = 32;
	t->block[1] = 2;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), PPU_ERR_TMD_LIMITS);
	t->block[0] = 0x80000000u;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), PPU_ERR_TMD_LIMITS);
	t->block[0] = t->block[1] = 1;
	t->shared_bytes = 96 << 10;		/* of an SM */
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), 0);
	t->shared_bytes++;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), PPU_ERR_TMD_LIMITS);
	s->core->cfg.shared_per_cta = 48 << 10;
	t->shared_bytes = 48 << 10;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), 0);
	t->shared_bytes++;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), PPU_ERR_TMD_LIMITS);
	t->shared_bytes = 0;
	t->local_per_thread = 2048;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), PPU_ERR_NO_TOKQ);
	t->local_per_thread = 1024;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), 0);
	s->ctx.blk.tokq_size = 1;
	ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), PPU_ERR_NO_TOKQ);
}
END_TEST

/* The memory for token queues and the one for local memory: as large as all warps need, aligned, and inside of VRAM. */
START_TEST(areas_of_warps)
{
	struct ppu_tmd *t = &s->task.launch;
	struct ppu_inst_block *b = &s->ctx.blk, was;
	uint64_t tokq, local;

	smt_start(s);
	*t = (struct ppu_tmd){ .block = { 1, 1, 1 }, .grid = { 1, 1, 1 }, .regs_per_thread = 32, .local_per_thread = 32 };
	b->local_per_thread = 48;
	tokq = PPU_TOKQ_AREA_BYTES(s->core->num_sms, s->cfg.warps_per_sm, s->cfg.tokq_entries);
	local = PPU_LOCAL_AREA_BYTES(s->core->num_sms, s->cfg.warps_per_sm, 48);
	was = *b;
#define AREAS(ok, change) \
	do { \
		*b = was; \
		change; \
		ck_assert_int_eq(ppu_sm_limits(s->core, &s->ctx, t), (ok) ? 0 : PPU_ERR_NO_TOKQ); \
	} while (0)
	for (int without = 0; without < 2; without++) {		/* local memory: nobody asks where it is */
		t->local_per_thread = without ? 0 : 32;
		AREAS(1, );
		AREAS(1, b->tokq_size = tokq);
		AREAS(0, b->tokq_size = tokq - 1);
		AREAS(1, b->tokq_base = s->cfg.vram - tokq);
		AREAS(0, b->tokq_base = s->cfg.vram - tokq + 8);
		AREAS(0, b->tokq_base = s->cfg.vram);
		AREAS(0, b->tokq_base = s->cfg.vram + 8);
		AREAS(0, b->tokq_base = -8ull);
		AREAS(1, b->tokq_base += 8);
		AREAS(0, b->tokq_base += 4);
		AREAS(1, b->local_size = local);
		AREAS(without, b->local_size = local - 1);
		AREAS(1, b->local_base = s->cfg.vram - local);
		AREAS(without, b->local_base = s->cfg.vram - local + 16);
		AREAS(without, b->local_base = s->cfg.vram);
		AREAS(without, b->local_base = s->cfg.vram + 16);
		AREAS(without, b->local_base = -16ull);
		AREAS(1, b->local_base += 16);
		AREAS(without, b->local_base += 8);
		AREAS(1, b->local_per_thread = 32);
		AREAS(without, b->local_per_thread = 40);
		AREAS(without, b->local_per_thread = 16);
	}
#undef AREAS
	*b = was;
}
END_TEST

/* HW-58, HW-60: CTAs next to each other on one SM */
START_TEST(shared_memory_is_per_cta)
{
	s->task.launch.shared_bytes = 128;
	run_grid("ld.param.u64 rd10, [0]\ns2r r2, %tid.x\ns2r r6, %ctaid.x\nshl.u32 r7, r2, 2\n"
		 "mad.u32 r8, r6, 100, r2\nst.shared.u32 [r7], r8\nnanosleep 1000\nbar.sync 0\n"
		 "ld.shared.u32 r3, [r7]\nshl.u32 r9, r6, 5\nadd.u32 r9, r9, r2\nmadw.u32 rd12, r9, 4, rd10\n"
		 "st.global.u32 [rd12], r3\nexit\n", 8, 32);
	for (unsigned i = 0; i < 256; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i / 32 * 100 + i % 32);
}
END_TEST

/* HW-58: warps that use all registers that there are, at the same time: each thread finds in each register what it put there. */
START_TEST(registers_are_per_thread)
{
	enum { THREADS = 96, FIRST = 4 };
	static char text[32768];
	int n = sprintf(text, "ld.param.u64 rd2, [0]\ns2r r0, %%tid.x\nmadw.u32 rd2, r0, 1024, rd2\n");

	for (int r = FIRST; r < PPU_NUM_REGS; r++)
		n += sprintf(text + n, "mov.u32 r%d, %d\nmad.u32 r%d, r0, 256, r%d\n", r, r, r, r);
	n += sprintf(text + n, "nanosleep 2000\nbar.sync 0\n");
	for (int r = FIRST; r < PPU_NUM_REGS; r++)
		n += sprintf(text + n, "st.global.u32 [rd2+%d], r%d\n", 4 * r, r);
	sprintf(text + n, "exit\n");
	s->task.launch.regs_per_thread = PPU_NUM_REGS;
	s->cfg.window_ns = 500;
	run(text, THREADS);
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned r = FIRST; r < PPU_NUM_REGS; r++)
			ck_assert_msg(smt_u32(s)[t * 256 + r] == t * 256 + r, "thread %u, r%u: %u", t, r, smt_u32(s)[t * 256 + r]);
}
END_TEST

/* Device-side launch: one request a lane, the warp sleeps until all are answered. */
START_TEST(tlaunch)
{
	s->launch_error = 3;
	run(PROLOGUE "setp.lt.u32 p1, r2, 5\nmadw.u32 rd6, r2, 256, rd10\nmov.u32 r3, 99\n@p1 tlaunch r3, rd6\n" STORE3 "exit\n", 8);
	ck_assert_uint_eq(s->num_launches, 5);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 5 ? 3 : 99);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(s->launches[i].arg[0], SMT_DATA + 256 * i);
}
END_TEST

/* The same work with windows of any size: same instructions, same device time, same memory, same trace. */
START_TEST(windows_do_not_show)
{
	static const uint64_t windows[] = { 100, 777, 10000, 1000000 };
	struct ppu_trace_rec *first = NULL;
	uint32_t num = 0;

	for (unsigned k = 0; k < 4; k++) {
		if (k) {
			smt_free(s);
			s = smt_new();
		}
		s->cfg.window_ns = windows[k];
		s->cfg.ctas_per_sm = 2;
		s->task.launch.shared_bytes = 64;
		smt_start(s);
		smt_load(s, PROLOGUE "and.u32 r6, r2, 7\nmov.u32 r7, 0\nmov.u32 r8, 0\nmov.u32 r9, 1\n"
			 "loop: add.u32 r7, r7, 1\natom.shared.add.u32 rz, [r8], r9\nyield\nsetp.lt.u32 p1, r7, r6\n@p1 bra loop\n"
			 "bar.sync 0\nld.shared.u32 r3, [r8]\n" STORE3 "exit\n");
		ck_assert(smt_run(s, 2, 128));
		if (!k) {
			num = s->num_trace;
			first = malloc(num * sizeof(*first));
			memcpy(first, s->trace, num * sizeof(*first));
			continue;
		}
		ck_assert_uint_eq(s->num_trace, num);
		ck_assert(!memcmp(first, s->trace, num * sizeof(*first)));
	}
	free(first);
}
END_TEST

START_TEST(counts_match_operations)
{
	run("mov.u32 r3, 0\nloop: add.u32 r3, r3, 1\nsetp.lt.u32 p1, r3, 10\n@p1 bra loop\nexit\n", 40);
	ck_assert_uint_eq(s->core->ctr[PPU_CTR_WARP_INSNS], 2 * 32);
	ck_assert_uint_eq(s->core->ctr[PPU_CTR_THREAD_INSNS], 40 * 31);	/* not the branch that is not taken */
	ck_assert_uint_eq(count(smt_ops(s), "disable exit"), 2);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("warp");
	TCase *t = tcase_create("warp");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, cta_barrier, 0, 5);
	tcase_add_test(t, barrier_rounds);
	tcase_add_test(t, barrier_with_exited_threads);
	tcase_add_test(t, barrier_named);
	tcase_add_loop_test(t, barrier_number_in_register, 0, 2);
	tcase_add_test(t, barrier_arrive);
	tcase_add_test(t, barrier_counts_whole_warps);
	tcase_add_test(t, barrier_counts_lanes);
	tcase_add_test(t, deadlock_names_the_first);
	tcase_add_test(t, barrier_reductions);
	tcase_add_test(t, diverged_barrier);
	tcase_add_test(t, parked_warps_sleep);
	tcase_add_test(t, barrier_in_branch);
	tcase_add_test(t, deadlock_is_a_fault);
	tcase_add_test(t, bad_barriers);
	tcase_add_test(t, largest_barrier);
	tcase_add_test(t, vote);
	tcase_add_test(t, shfl);
	tcase_add_test(t, shfl_from_a_lane_that_takes_no_part);
	tcase_add_test(t, match_and_redux);
	tcase_add_loop_test(t, shfl_after_yield_loop, 0, 5);
	tcase_add_test(t, member_masks_by_lane);
	tcase_add_test(t, warpsync_at_different_places);
	tcase_add_test(t, member_masks_and_exit);
	tcase_add_test(t, ended_lanes_do_not_vote);
	tcase_add_test(t, thread_and_cta_ids);
	tcase_add_test(t, thread_ids_in_small_planes);
	tcase_add_test(t, special_registers);
	tcase_add_test(t, special_registers_are_constant);
	tcase_add_test(t, special_registers_are_read_only);
	tcase_add_test(t, clocks);
	tcase_add_test(t, warp_and_cta_progress);
	tcase_add_test(t, residency);
	tcase_add_test(t, cta_limits);
	tcase_add_test(t, areas_of_warps);
	tcase_add_test(t, shared_memory_is_per_cta);
	tcase_add_test(t, registers_are_per_thread);
	tcase_add_test(t, tlaunch);
	tcase_add_test(t, windows_do_not_show);
	tcase_add_test(t, counts_match_operations);
	suite_add_tcase(su, t);
	return run_suite(su);
}
