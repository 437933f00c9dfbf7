/* SPDX-License-Identifier: MIT */
/*
 * Copies that obey priorities, through the runtime's API and seen in the device's trace:
 * the worked scenarios CP-X1 and CP-X2, and CP-1, CP-8, CP-11, CP-13, CP-14, CP-18, CP-23, CP-25;
 * CP-26, CP-27, CP-28, CP-29, CP-30, CP-31, CP-33, CP-34, CP-37; CP-10: the scenarios run in all four
 * conventions of numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt_scene.h"
#include "run_suite.h"

/* ---- CP-X1 ---------------------------------------------------------------------------------- */

/* One engine.  The slice is longer than Mlow1 and Mhigh2 and shorter than Mhigh1. */
static void copies_of_two_priorities(struct scene *sc, unsigned convention, const char *mode)
{
	bool on = !strstr(mode, "off");

	scene_new(sc, on ? "copy-engines=1 gpcs=1 timeslice=50000" : "copy-engines=1 gpcs=1 timeslice=10000000", "11",
		  convention, mode);
	scene_copy(sc, 1, MB / 4);				/* 1, 2: Mlow1 */
	rt_pass(5 * US);
	scene_copy(sc, 1, MB / 4);				/* 3: Mlow2, Mlow3 */
	scene_copy(sc, 1, MB / 4);
	rt_pass(3 * US);
	scene_copy(sc, 2, MB);				/* 4: Mhigh1 */
	rt_pass(3 * US);
	if (on)						/* CP-18: while Mlow1 runs */
		ck_assert_uint_eq(scene_sem(sc, 2), 1);
	FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(sc->s[1]));
	scene_copy(sc, 2, MB / 4);				/* 4': Mhigh2 */
	rt_pass(2 * US);
	if (on)						/* A-CP-2: never 2 */
		ck_assert_uint_eq(scene_sem(sc, 2), 1);
	OK(ppuCtxSynchronize());
	if (on)
		ck_assert_uint_eq(scene_sem(sc, 2), 0);
}

/* CP-X1: CP-26, CP-27, CP-28, CP-30; CP-13: also with the semaphore in system memory. */
START_TEST(two_priorities_golden)
{
	struct scene sc;
	struct rt_trace t;

	copies_of_two_priorities(&sc, (unsigned)_i, "");
	t = scene_end(&sc);
	ck_assert_str_eq(scene_completion(&sc, &t), "1.0 2.0 2.1 1.1 1.2");
	ck_assert_str_eq(scene_values(&sc, &t, 2), "0 1 0 1 0");
	ck_assert_str_eq(scene_decisions(&sc, &t),
			 "start(1.0) "				/* 1, 2 */
			 "2:S2=1 "				/* 4 */
			 "done(1.0) 1:block(S2) "		/* 5 */
			 "start(2.0) "				/* 6 */
			 "2:expire done(2.0) "			/* 7, 8, 9: Clow stays blocked */
			 "2:S2=0 2:S2=1 "			/* 10, 11 */
			 "start(2.1) "				/* 12 */
			 "done(2.1) 2:S2=0 "			/* 13 */
			 "1:go(S2) start(1.1) done(1.1) "	/* 14, 15 */
			 "start(1.2) done(1.2)");
	scene_check_no_gap(&sc, &t, 2, 2);
	rt_trace_free(&t);
}
END_TEST

/* CP-X1: The control run: no semaphores, by the option and by the context's flag. */
START_TEST(two_priorities_without_semaphores)
{
	struct scene sc;
	struct rt_trace t;

	copies_of_two_priorities(&sc, (unsigned)_i, "mode=off");
	t = scene_end(&sc);
	ck_assert_str_eq(scene_completion(&sc, &t), "1.0 1.1 1.2 2.0 2.1");
	for (size_t i = 0; i < t.num; i++)
		ck_assert(t.rec[i].event != PPU_TR_CMD ||
			  (t.rec[i].b != PPU_CMD_SEM_INC && t.rec[i].b != PPU_CMD_SEM_DEC));
	rt_trace_free(&t);
}
END_TEST

/* CP-8: only the labels of the two channels are swapped in the runtime: the result is swapped. */
START_TEST(swapped_labels)
{
	struct scene sc;
	struct rt_trace t;

	scene_new(&sc, "copy-engines=1 gpcs=1 timeslice=10000000", "11", 0, "");
	if (_i) {
		struct ppuCtx_st *ctx;
		int keep;

		OK(ppuCtxGetCurrent(&ctx));
		ck_assert_uint_eq(ctx->num_chan, 2);
		keep = ctx->chan[0]->priority;
		ctx->chan[0]->priority = ctx->chan[1]->priority;
		ctx->chan[1]->priority = keep;
	}
	scene_copy(&sc, 1, MB / 4);
	rt_pass(5 * US);
	for (int i = 0; i < 2; i++) {
		scene_copy(&sc, 1, MB / 4);
		scene_copy(&sc, 2, MB / 4);
	}
	OK(ppuCtxSynchronize());
	t = scene_end(&sc);
	ck_assert_str_eq(scene_completion(&sc, &t), _i ? "1.0 1.1 1.2 2.0 2.1" : "1.0 2.0 2.1 1.1 1.2");
	rt_trace_free(&t);
}
END_TEST

/* ---- CP-X2 ---------------------------------------------------------------------------------- */

static void copies_of_three_priorities(struct scene *sc, struct rt_trace *t, unsigned convention,
				       const char *props, bool case_b)
{
	scene_new(sc, props, "111", convention, "");
	scene_copy(sc, 1, MB);		/* L0 */
	rt_pass(5 * US);
	if (!case_b) {
		scene_copy(sc, 3, MB / 4);
		rt_pass(3 * US);
		scene_copy(sc, 2, MB / 4);
		rt_pass(3 * US);
		scene_copy(sc, 1, MB / 4);
	} else {
		scene_copy(sc, 1, MB / 4);
		rt_pass(3 * US);
		scene_copy(sc, 2, MB / 4);
		rt_pass(3 * US);
		ck_assert_uint_eq(scene_sem(sc, 2), 1);	/* b's inc: at once */
		scene_copy(sc, 3, MB / 4);
	}
	rt_pass(3 * US);
	ck_assert_uint_eq(scene_sem(sc, 3), 1);
	ck_assert_uint_eq(scene_sem(sc, 2), case_b);
	FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(sc->s[1]));
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(scene_sem(sc, 2) + scene_sem(sc, 3), 0);
	*t = scene_end(sc);
	ck_assert_str_eq(scene_values(sc, t, 2), "0 1 0");
	ck_assert_str_eq(scene_values(sc, t, 3), "0 1 0");
}

#define X2_PROPS "copy-engines=1 gpcs=1 timeslice=10000000"

/* CP-X2: CP-29, CP-33 */
START_TEST(three_priorities_case_a)
{
	struct scene sc;
	struct rt_trace t;

	copies_of_three_priorities(&sc, &t, (unsigned)_i, X2_PROPS, false);
	ck_assert_str_eq(scene_completion(&sc, &t), "1.0 3.0 2.0 1.1");
	ck_assert_str_eq(scene_decisions(&sc, &t),
			 "start(1.0) 3:S3=1 2:block(S3) done(1.0) 1:block(S3) "
			 "start(3.0) done(3.0) 3:S3=0 "
			 "2:go(S3) 2:S2=1 1:go(S3) "	/* b's inc comes before any dispatch */
			 "start(2.0) done(2.0) 2:S2=0 "
			 "start(1.1) done(1.1)");
	rt_trace_free(&t);
}
END_TEST

/* CP-X2 */
START_TEST(three_priorities_case_b)
{
	struct scene sc;
	struct rt_trace t;

	copies_of_three_priorities(&sc, &t, (unsigned)_i, X2_PROPS, true);
	ck_assert_str_eq(scene_completion(&sc, &t), "1.0 3.0 2.0 1.1");
	ck_assert_str_eq(scene_decisions(&sc, &t),
			 "start(1.0) 2:S2=1 3:S3=1 done(1.0) 1:block(S2) "
			 "2:gate(S3) "				/* b had passed acq S3 */
			 "start(3.0) done(3.0) 3:S3=0 2:go(S3) "
			 "start(2.0) done(2.0) 2:S2=0 1:go(S2) "
			 "start(1.1) done(1.1)");
	rt_trace_free(&t);
}
END_TEST

/* CP-X2: The literal one-shot acquires (A-CP-4) let b overtake c: the GATE flag is what makes the difference. */
START_TEST(three_priorities_gate_literal)
{
	struct scene sc;
	struct rt_trace t;

	copies_of_three_priorities(&sc, &t, 0, X2_PROPS " x-gate-literal=1", true);
	ck_assert_str_eq(scene_completion(&sc, &t), "1.0 2.0 3.0 1.1");
	rt_trace_free(&t);
}
END_TEST

/* CP-29: ten priorities; inserted from the least up while the engine is busy, run from the top down. */
START_TEST(ten_priorities)
{
	struct scene sc;
	struct rt_trace t;

	scene_new(&sc, X2_PROPS, "1111111111", (unsigned)_i, "");
	scene_copy(&sc, 1, MB);
	rt_pass(2 * US);
	for (unsigned r = 1; r <= 10; r++) {
		scene_copy(&sc, r, 64 * KB);
		scene_copy(&sc, r, 64 * KB);
		rt_pass(2 * US);
	}
	OK(ppuCtxSynchronize());
	t = scene_end(&sc);
	ck_assert_str_eq(scene_completion(&sc, &t), "1.0 10.0 10.1 9.0 9.1 8.0 8.1 7.0 7.1 6.0 6.1 5.0 5.1 4.0 4.1 "
			 "3.0 3.1 2.0 2.1 1.1 1.2");
	rt_trace_free(&t);
}
END_TEST

/* ---- one rule each -------------------------------------------------------------------------- */

/* CP-25: X (low) inserted first but not begun, then Y (high): Y first. */
START_TEST(no_inversion)
{
	struct scene sc;
	struct rt_trace t;
	unsigned other;

	scene_new(&sc, X2_PROPS, "21", (unsigned)_i, "");
	other = scene_add(&sc, 1);		/* a second low channel holds the engine */
	ck_assert_uint_ne(sc.hw[other], sc.hw[1]);
	scene_copy(&sc, other, MB / 4);
	rt_pass(5 * US);
	scene_copy(&sc, 1, MB / 4);		/* X */
	rt_pass(3 * US);
	scene_copy(&sc, 2, MB / 4);		/* Y */
	OK(ppuCtxSynchronize());
	t = scene_end(&sc);
	ck_assert_str_eq(scene_completion(&sc, &t), "3.0 2.0 1.0");
	rt_trace_free(&t);
}
END_TEST

/* CP-11, CP-14: five channels of priority 2 with one copy each: S2 is 5, then one less with each. */
START_TEST(five_channels)
{
	struct scene sc;
	struct rt_trace t;

	scene_new(&sc, X2_PROPS, "15", (unsigned)_i, "");
	for (int i = 1; i < 5; i++)
		scene_add(&sc, 2);
	scene_copy(&sc, 1, MB);
	rt_pass(5 * US);
	scene_copy(&sc, 1, 64 * KB);
	for (unsigned i = 2; i < 7; i++)
		scene_copy(&sc, i, 64 * KB);
	rt_pass(10 * US);
	ck_assert_uint_eq(scene_sem(&sc, 2), 5);
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(scene_sem(&sc, 2), 0);
	t = scene_end(&sc);
	ck_assert_str_eq(scene_values(&sc, &t, 2), "0 1 2 3 4 5 4 3 2 1 0");
	ck_assert_str_eq(scene_completion(&sc, &t), "1.0 2.0 3.0 4.0 5.0 6.0 1.1");
	rt_trace_free(&t);
}
END_TEST

/* CP-32 through the runtime: two engines; while a high copy is in flight no low one starts. */
START_TEST(idle_engine)
{
	struct scene sc;
	struct rt_trace t;
	uint64_t busy_until = 0;

	scene_new(&sc, "copy-engines=2 gpcs=1 timeslice=10000000", "11", (unsigned)_i, "");
	scene_copy(&sc, 2, MB);
	rt_pass(5 * US);
	scene_copy(&sc, 1, 64 * KB);
	scene_copy(&sc, 1, 64 * KB);
	OK(ppuCtxSynchronize());
	t = scene_end(&sc);
	ck_assert_str_eq(scene_completion(&sc, &t), "2.0 1.0 1.1");
	for (size_t i = 0; i < t.num; i++) {
		if (t.rec[i].event == PPU_TR_CE_DONE && t.rec[i].a == sc.hw[2])
			busy_until = t.rec[i].time;
		if (t.rec[i].event == PPU_TR_CE_START && t.rec[i].a == sc.hw[1])
			ck_assert(busy_until && t.rec[i].time >= busy_until);
	}
	rt_trace_free(&t);
}
END_TEST

/* CP-34: a thousand high copies; the low one, inserted second, runs last. */
START_TEST(starvation)
{
	enum { HIGH = 1000 };
	struct scene sc;
	struct rt_trace t;
	size_t low = 0, n = 0;

	scene_new(&sc, X2_PROPS, "11", (unsigned)_i, "");
	scene_copy(&sc, 2, 64 * KB);
	rt_pass(2 * US);
	scene_copy(&sc, 1, 64);
	for (int i = 1; i < HIGH; i++)
		scene_copy(&sc, 2, 64);
	OK(ppuCtxSynchronize());
	t = scene_end(&sc);
	for (size_t i = 0; i < t.num; i++) {
		if (t.rec[i].event != PPU_TR_CE_DONE)
			continue;
		n++;
		if (t.rec[i].a == sc.hw[1])
			low = n;
	}
	ck_assert_uint_eq(n, HIGH + 1);
	ck_assert_uint_eq(low, HIGH + 1);
	scene_check_no_gap(&sc, &t, 2, 2);
	rt_trace_free(&t);
}
END_TEST

/* The same priorities as device priorities of tasks: levels from the last one on share it (SP-20, SP-21). */
START_TEST(priorities_of_kernels)
{
	/* nesting depths 4 and 2, of 12 and 4 device priorities */
	static const unsigned want[2][6] = { { 0, 4, 8, 8, 8, 8 }, { 0, 2, 2, 2, 2, 2 } };
	uint32_t loops = 10;
	struct scene sc;
	struct rt_trace t;
	size_t n = 0;

	scene_new(&sc, _i & 1 ? "gpcs=1 device-priorities=4" : "gpcs=1", "111111", (unsigned)_i & 2 ? 1 : 0, "");
	scene_launch(NULL, NULL, NULL);
	for (unsigned r = 1; r <= 6; r++) {
		scene_launch("spin", sc.s[r], &loops);
		OK(ppuStreamSynchronize(sc.s[r]));
	}
	OK(ppuStreamSetPriority(sc.s[1], scene_stream_priority(&sc, 2)));
	scene_launch("spin", sc.s[1], &loops);
	OK(ppuCtxSynchronize());
	t = scene_end(&sc);
	for (size_t i = 0; i < t.num; i++) {
		if (t.rec[i].event != PPU_TR_TASK_ACCEPT)
			continue;
		ck_assert_uint_eq(t.rec[i].a, want[_i & 1][n < 6 ? n : 1]);
		n++;
	}
	ck_assert_uint_eq(n, 7);
	rt_trace_free(&t);
}
END_TEST

/*
 * CP-23: a high copy waits for an event behind a long kernel.  Right: S2 stays 0 and low copies run
 * meanwhile.  Wrong order on request (odd _i): the low copies stall.
 */
START_TEST(waiting_is_not_pending)
{
	bool wrong = _i & 1;
	uint32_t loops = 200000;
	struct scene sc;
	struct rt_trace t;
	ppuEvent e;

	scene_new(&sc, X2_PROPS, "21", (unsigned)_i / 2, wrong ? "mode=inc-first" : "");
	scene_launch(NULL, NULL, NULL);
	OK(ppuEventCreate(&e, 0));
	scene_add(&sc, 1);
	scene_launch("spin", sc.s[3], &loops);
	OK(ppuEventRecord(e, sc.s[3]));
	OK(ppuStreamWaitEvent(sc.s[2], e));
	scene_copy(&sc, 2, 64 * KB);
	rt_pass(5 * US);
	for (int i = 0; i < 3; i++)
		scene_copy(&sc, 1, 64 * KB);
	rt_pass(60 * US);
	FAILS(PPU_ERROR_NOT_READY, ppuEventQuery(e));
	ck_assert_uint_eq(scene_sem(&sc, 2), wrong);
	ck_assert_int_eq(ppuStreamQuery(sc.s[1]), wrong ? PPU_ERROR_NOT_READY : PPU_SUCCESS);
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(scene_sem(&sc, 2), 0);
	t = scene_end(&sc);
	/* 3.0 is the module's load. */
	ck_assert_str_eq(scene_completion(&sc, &t), wrong ? "3.0 2.0 1.0 1.1 1.2" : "3.0 1.0 1.1 1.2 2.0");
	rt_trace_free(&t);
}
END_TEST

/* CP-23: the event depends on a low copy.  The wrong order deadlocks and says so. */
START_TEST(high_waits_for_low)
{
	bool wrong = _i & 1;
	struct scene sc;
	struct rt_trace t;
	ppuEvent e;

	scene_new(&sc, X2_PROPS, "11", (unsigned)_i / 2, wrong ? "mode=inc-first" : "");
	OK(ppuEventCreate(&e, PPU_EVENT_DISABLE_TIMING));
	scene_copy(&sc, 1, MB / 4);		/* keeps the engine */
	rt_pass(5 * US);
	scene_copy(&sc, 1, 64 * KB);
	OK(ppuEventRecord(e, sc.s[1]));
	OK(ppuStreamWaitEvent(sc.s[2], e));
	scene_copy(&sc, 2, 64 * KB);
	if (wrong) {
		FAILS(PPU_ERROR_DEADLOCK, ppuStreamSynchronize(sc.s[1]));
		FAILS(PPU_ERROR_DEADLOCK, ppuStreamQuery(sc.s[2]));
	} else {
		OK(ppuCtxSynchronize());
		ck_assert_uint_eq(scene_sem(&sc, 2), 0);
	}
	t = scene_end(&sc);
	ck_assert_str_eq(scene_completion(&sc, &t), wrong ? "1.0" : "1.0 1.1 2.0");
	rt_trace_free(&t);
}
END_TEST

/*
 * CP-1: copy-kernel-copy on one buffer, over and over, in streams of each priority: the sequential result,
 * and the streams overlap.  CP-31: both directions, sizes and addresses of all kinds.
 */
START_TEST(streams_in_order)
{
	static const size_t sizes[] = { 1, 4095, 4096, 4097, MB, 65537 };
	enum { STREAMS = 3, ROUNDS = 5 };
	uint32_t *h[STREAMS], *d[STREAMS];
	unsigned running = 0, most = 0;
	struct scene sc;
	struct rt_trace t;

	scene_new(&sc, "copy-engines=2 gpcs=1", "111", (unsigned)_i, "");
	scene_launch(NULL, NULL, NULL);
	for (unsigned i = 0; i < STREAMS; i++) {
		OK(ppuMallocHost((void **)&h[i], 256));
		OK(ppuMalloc((void **)&d[i], 256));
		for (uint32_t k = 0; k < 64; k++)
			h[i][k] = 1000 * i + k;
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < STREAMS; i++) {
			OK(ppuMemcpyAsync(d[i], h[i], 256, sc.s[1 + i]));
			scene_launch("step", sc.s[1 + i], &d[i]);
			OK(ppuMemcpyAsync(h[i], d[i], 256, sc.s[1 + i]));
		}
	}
	OK(ppuCtxSynchronize());
	for (unsigned i = 0; i < STREAMS; i++) {
		for (uint32_t k = 0; k < 64; k++) {
			uint32_t want = 1000 * i + k;

			for (int round = 0; round < ROUNDS; round++)
				want = want * 3 + 1;
			ck_assert_uint_eq(h[i][k], want);
		}
	}
	for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
		size_t bytes = sizes[n], off = 3 * n;
		uint8_t *p = (uint8_t *)sc.pinned;
		ppuStream s = sc.s[1 + n % STREAMS];

		for (size_t i = 0; i < bytes; i++)
			p[off + i] = (uint8_t)(i * 7 + n);
		memset(p + MB + 64, 0, MB - 64);
		OK(ppuMemcpyAsync(sc.dev + 5, p + off, bytes, s));
		if (bytes < MB) {	/* PP -> PP */
			OK(ppuMemcpyAsync(sc.dev + MB + 1, sc.dev + 5, bytes, s));
			OK(ppuMemcpyAsync(p + MB + 64, sc.dev + MB + 1, bytes, s));
			OK(ppuStreamSynchronize(s));
			ck_assert_int_eq(memcmp(p + MB + 64, p + off, bytes), 0);
			ck_assert_uint_eq(p[MB + 64 + bytes], 0);
		} else {
			uint8_t *keep = malloc(bytes);

			ck_assert_ptr_nonnull(keep);
			memcpy(keep, p + off, bytes);
			OK(ppuStreamSynchronize(s));
			memset(p, 0, 2 * MB);
			OK(ppuMemcpyAsync(p + off, sc.dev + 5, bytes, s));
			OK(ppuStreamSynchronize(s));
			ck_assert_int_eq(memcmp(p + off, keep, bytes), 0);
			ck_assert_uint_eq(p[off + bytes], 0);
			free(keep);
		}
	}
	/* Two streams of one priority do overlap: two copies on the two engines. */
	t = scene_end(&sc);
	for (size_t i = 0; i < t.num; i++) {
		running += t.rec[i].event == PPU_TR_TASK_SCHED || t.rec[i].event == PPU_TR_CE_START;
		running -= t.rec[i].event == PPU_TR_TASK_DONE || t.rec[i].event == PPU_TR_CE_DONE;
		most = running > most ? running : most;
	}
	ck_assert_uint_ge(most, 2);
	ck_assert_uint_eq(scene_count(&t, PPU_TR_CH_ERROR), 0);
	rt_trace_free(&t);
}
END_TEST

/* ---- ends ----------------------------------------------------------------------------------- */

/* CP-37: streams destroyed with pending copies: the copies complete, each inc has its dec. */
START_TEST(destroyed_streams)
{
	struct scene sc;
	struct rt_trace t;

	scene_new(&sc, X2_PROPS, "111", (unsigned)_i, "");
	for (unsigned r = 1; r <= 3; r++)
		for (int i = 0; i < 5; i++)
			scene_copy(&sc, r, 64 * KB);
	rt_pass(20 * US);
	ck_assert_uint_eq(scene_sem(&sc, 3), 1);
	for (unsigned r = 1; r <= 3; r++)
		OK(ppuStreamDestroy(sc.s[r]));
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(scene_sem(&sc, 2) + scene_sem(&sc, 3), 0);
	t = scene_end(&sc);
	ck_assert_uint_eq(scene_count(&t, PPU_TR_CE_DONE), 15);
	rt_trace_free(&t);
}
END_TEST

/* CP-37: a context ends with Shigh = 1: semaphores and copies of another context are not affected. */
START_TEST(destroyed_context)
{
	ppuCtx doomed, mine;
	struct scene sc, other;
	struct rt_trace t;
	size_t done = 0;

	scene_new(&sc, X2_PROPS, "11", (unsigned)_i, "");
	OK(ppuCtxGetCurrent(&mine));
	OK(ppuCtxCreate(&doomed, 0, 0));
	other = (struct scene){ .ranks = 2, .convention = sc.convention, .num = 1 };
	OK(ppuMalloc((void **)&other.dev, MB));
	OK(ppuMallocHost((void **)&other.pinned, MB));
	scene_add(&other, 1);
	scene_add(&other, 2);
	for (int i = 0; i < 4; i++) {
		scene_copy(&other, 2, MB);
		scene_copy(&other, 1, MB);
	}
	rt_pass(20 * US);
	ck_assert_uint_eq(scene_sem(&other, 2), 1);
	OK(ppuCtxSetCurrent(mine));
	ck_assert_uint_eq(scene_sem(&sc, 2), 0);
	scene_copy(&sc, 1, 64 * KB);
	scene_copy(&sc, 2, 64 * KB);
	scene_copy(&sc, 1, 64 * KB);
	OK(ppuCtxDestroy(doomed));
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(scene_sem(&sc, 2), 0);
	scene_copy(&sc, 2, 64 * KB);
	scene_copy(&sc, 1, 64 * KB);
	OK(ppuCtxSynchronize());
	/* A new context starts with its semaphores at 0, whatever its memory was used for before. */
	OK(ppuCtxCreate(&doomed, 0, 0));
	ck_assert_uint_eq(scene_sem(&sc, 2), 0);
	t = scene_end(&sc);
	for (size_t i = 0; i < t.num; i++)
		done += t.rec[i].event == PPU_TR_CE_DONE && t.rec[i].a != other.hw[1] && t.rec[i].a != other.hw[2];
	ck_assert_uint_eq(done, 5);
	rt_trace_free(&t);
}
END_TEST

/*
 * A high copy faults while its semaphore is above 0: a thread that waits for a low copy of that context gets the fault
 * instead of waiting for ever; another context goes on.
 */
START_TEST(fault_with_semaphore_up)
{
	ppuCtx good, bad;
	struct scene sc, other;
	struct rt_trace t;
	void *gone;

	scene_new(&sc, X2_PROPS, "11", (unsigned)_i % CONVENTIONS, "");
	OK(ppuCtxGetCurrent(&good));
	OK(ppuCtxCreate(&bad, 0, 0));
	other = (struct scene){ .ranks = 2, .convention = sc.convention, .num = 1 };
	OK(ppuMalloc((void **)&other.dev, MB));
	OK(ppuMallocHost((void **)&other.pinned, MB));
	OK(ppuMalloc(&gone, 8 * MB));
	scene_add(&other, 1);
	scene_add(&other, 2);
	/* Without the runtime's knowledge. */
	ck_assert_int_eq(bad->be->unbind(bad->vm, (uintptr_t)gone, 8 * MB), 0);
	scene_copy(&other, 1, MB / 2);
	rt_pass(5 * US);
	OK(ppuMemcpyAsync(gone, other.pinned, 4096, other.s[2]));
	scene_copy(&other, 1, 64 * KB);
	if (_i & 8) {
		ppuResult res;

		while ((res = ppuStreamQuery(other.s[1])) == PPU_ERROR_NOT_READY)
			;
		ck_assert_int_eq(res, PPU_ERROR_COPY_FAULT);
	} else {
		FAILS(PPU_ERROR_COPY_FAULT, ppuStreamSynchronize(other.s[1]));
	}
	ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "not mapped"));
	FAILS(PPU_ERROR_COPY_FAULT, ppuMemcpyAsync(other.dev, other.pinned, 64, other.s[1]));
	OK(ppuCtxSetCurrent(good));
	scene_copy(&sc, 2, 64 * KB);
	scene_copy(&sc, 1, 64 * KB);
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(scene_sem(&sc, 2), 0);
	OK(ppuCtxDestroy(bad));
	scene_copy(&sc, 2, 64 * KB);
	OK(ppuCtxSynchronize());
	t = scene_end(&sc);
	rt_trace_free(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rt_copyprio");
	TCase *c = tcase_create("copies");

	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, two_priorities_golden, 0, CONVENTIONS);
	tcase_add_loop_test(c, two_priorities_without_semaphores, 0, CONVENTIONS);
	tcase_add_loop_test(c, swapped_labels, 0, 2);
	tcase_add_loop_test(c, three_priorities_case_a, 0, CONVENTIONS);
	tcase_add_loop_test(c, three_priorities_case_b, 0, CONVENTIONS);
	tcase_add_test(c, three_priorities_gate_literal);
	tcase_add_loop_test(c, ten_priorities, 0, CONVENTIONS);
	tcase_add_loop_test(c, no_inversion, 0, CONVENTIONS);
	tcase_add_loop_test(c, five_channels, 0, CONVENTIONS);
	tcase_add_loop_test(c, idle_engine, 0, CONVENTIONS);
	tcase_add_loop_test(c, starvation, 0, 4);
	tcase_add_loop_test(c, priorities_of_kernels, 0, 4);
	tcase_add_loop_test(c, waiting_is_not_pending, 0, 8);
	tcase_add_loop_test(c, high_waits_for_low, 0, 8);
	tcase_add_loop_test(c, streams_in_order, 0, 4);
	tcase_add_loop_test(c, destroyed_streams, 0, CONVENTIONS);
	tcase_add_loop_test(c, destroyed_context, 0, CONVENTIONS);
	tcase_add_loop_test(c, fault_with_semaphore_up, 0, 2 * CONVENTIONS);
	suite_add_tcase(s, c);
	return run_suite(s);
}
