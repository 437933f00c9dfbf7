/* SPDX-License-Identifier: MIT */
/* The window driver: times of windows, order of effects, workers, idleness, save and restore. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <check.h>
#include <common/workers.h>
#include "run_suite.h"
#include "tasks.h"

static unsigned first_worker, rounds;
static struct ppu_workers *threads;	/* or NULL: one after the other */

/* One worker finds all the work: its own share, then from the ends of the others'.  As good as any other order. */
static void one_for_all(void *opaque, void (*fn)(void *, unsigned), void *arg)
{
	rounds++;
	if (threads) {
		ppu_workers_run(threads, fn, arg);
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		fn(arg, (first_worker + i) % 4);
}

static bool as_before;	/* the state is saved as version 14 wrote it: without the lengths of windows */

static size_t version_14(uint8_t *bytes, size_t len)
{
	uint8_t *at = bench_section(bytes, len, "gpcs");

	ck_assert_int_eq(*at, 1);	/* a window is to come */
	at += 1 + 8 + 8;
	memmove(at, at + 16, len - (size_t)(at - bytes) - 16);
	bytes[8] = 14;
	return len - 16;
}

/* A workload with stores to watched words, faults, children, several grids. */
static void workload(struct bench *b, bool jobs, uint64_t save_at)
{
	struct bench_ctx *c, *bad;
	struct bench_chan *ch, *bc, *cp;
	struct kern k, parent, trap;
	uint64_t out, kv, pv, tv;
	struct ppu_tmd *t, *p, *x;

	if (jobs) {
		b->ports.run_workers = one_for_all;
		bench_new_core(b);
		b->num_trace--;			/* its RESET */
	}
	c = bench_ctx_new(b);
	bad = bench_ctx_new(b);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 32);
	bc = bench_chan_new(bad, PPU_CLASS_COMPUTE, 8);
	cp = bench_chan_new(c, PPU_CLASS_COPY, 8);
	out = bench_alloc(c, 8192, BENCH_VRAM);
	k = kern_load(c,
		"ld.param.u64 rd2, [0]\ns2r r4, %ctaid_linear\ns2r r8, %tid.x\nmad.u32 r9, r4, 700, r8\n"
		"nanosleep r9\nmulw.u32 rd6, r4, 8\nadd.u64 rd2, rd2, rd6\nmov.u32 r5, 1\n"
		"atom.global.add.u32 rz, [rd2], r5\nst.global.u32 [rd2+4096], r4\nexit\n");
	parent = kern_load(c, "ld.param.u64 rd4, [0]\ns2r r7, %ctaid_linear\n"
		"mulw.u32 rd8, r7, 8\nnanosleep 3000\ntlaunch r6, rd4\ntsync r9\nexit\n");
	trap = kern_load(bad, "s2r r4, %ctaid_linear\nadd.u32 r5, r4, r4\nnanosleep 40000\ntrap\nexit\n");
	kv = tmd_new(c, &k, &t);
	pv = tmd_new(c, &parent, &p);
	tv = tmd_new(bad, &trap, &x);
	t->grid[0] = 25;
	t->block[0] = 64;
	tmd_param(t, 0, out);
	p->grid[0] = 5;
	p->block[0] = 2;
	tmd_param(p, 0, kv);
	x->grid[0] = 9;
	for (unsigned i = 0; i < 8; i++)
		bench_acquire(cp, PPU_SEM_OP_EQ | PPU_CMDF_SEM_32, out + i * 8, 64 * 13);
	bench_release(cp, 0, out + 8000, 5);
	bench_submit(cp);
	bench_launch(bc, tv);
	bench_submit(bc);
	for (unsigned i = 0; i < 3; i++)
		bench_launch(ch, kv);
	bench_launch(ch, pv);
	bench_wfi(ch);
	bench_release(ch, 0, out + 8008, 6);
	bench_submit(ch);
	if (save_at) {
		uint8_t *bytes;
		size_t len;
		char *err = NULL;

		bench_run_to(b, save_at);
		ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
		if (as_before)
			len = version_14(bytes, len);
		bench_new_core(b);
		b->num_trace--;		/* the new core's RESET */
		ck_assert_msg(!ppu_core_load(b->core, bytes, len, &err), "at %llu: %s",
			      (unsigned long long)save_at, err);
		free(bytes);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, out + 8000), 5);
	ck_assert_uint_eq(bench_rd64(c, out + 8008), 6);
	ck_assert_uint_eq(bench_chan_reg(bc, PPU_REG_CH_ERROR), PPU_ERR_TRAP);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
}

static void same(struct bench *a, struct bench *b)
{
	for (size_t i = 0; i < a->num_trace && i < b->num_trace; i++)
		ck_assert_msg(!memcmp(&a->trace[i], &b->trace[i], sizeof(a->trace[0])),
			      "record %zu at %llu: event %u, %u", i, (unsigned long long)a->trace[i].time,
			      a->trace[i].event, b->trace[i].event);
	ck_assert_uint_eq(a->num_trace, b->num_trace);
	ck_assert_int_eq(memcmp(a->vram, b->vram, a->cfg.vram), 0);
	ck_assert_uint_gt(a->num_trace, 500);
}

#define PROPS "gpcs=2 sms-per-gpc=2 ctas-per-sm=3 vram=32M window-ns=2000 "

/* Windows of one length, and of four: 2000 to 250 ns. */
static const char *const props[] = { PROPS, PROPS "window-halvings=3 " };
#define BOTH	(sizeof(props) / sizeof(props[0]))

START_TEST(workers_do_not_show)
{
	struct bench *a = bench_new(props[_i]);
	char with[200];

	snprintf(with, sizeof(with), "%s workers=4", props[_i]);
	workload(a, false, 0);
	for (first_worker = 0; first_worker < 4; first_worker++) {
		struct bench *b = bench_new(with);

		rounds = 0;
		workload(b, true, 0);
		ck_assert_uint_gt(rounds, 10);
		same(a, b);
		bench_free(b);
	}
	bench_free(a);
}
END_TEST

/*
 * 5 SMs for 4 or 3 workers, 15 for 2 or 4: some are cut.  The clock makes it visible if the cycles of a stall or of a
 * window were rounded in two parts.  One after the other, and in threads.
 */
#define CUT	"ctas-per-sm=3 vram=32M window-ns=2000 sm-clock-khz=1234567 "
static const struct {
	const char *props;
	unsigned workers;
	bool threads;
} cuts[] = {
	{ CUT "gpcs=5 sms-per-gpc=1 ", 4, false }, { CUT "gpcs=5 sms-per-gpc=1 ", 3, true },
	{ CUT "gpcs=5 sms-per-gpc=3 engine=2 ", 2, true }, { CUT "gpcs=5 sms-per-gpc=3 ", 4, false },
	{ CUT "gpcs=5 sms-per-gpc=1 window-halvings=3 ", 4, false },
};

START_TEST(cuts_do_not_show)
{
	struct bench *a = bench_new(cuts[_i].props), *b;
	char with[200];

	workload(a, false, 0);
	snprintf(with, sizeof(with), "%s workers=%u", cuts[_i].props, cuts[_i].workers);
	threads = cuts[_i].threads ? ppu_workers_new(cuts[_i].workers) : NULL;
	ck_assert(threads || !cuts[_i].threads);
	for (first_worker = 0; first_worker < (threads ? 1 : 4); first_worker++) {
		b = bench_new(with);
		workload(b, true, 0);
		same(a, b);
		for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
			ck_assert_msg(bench_ctr(a, i) == bench_ctr(b, i), "counter %u: %llu, %llu", i,
				      (unsigned long long)bench_ctr(a, i), (unsigned long long)bench_ctr(b, i));
		bench_free(b);
	}
	ppu_workers_free(threads);
	threads = NULL;
	bench_free(a);
}
END_TEST

static void saved_and_restored(const char *with, unsigned times)
{
	struct bench *ref = bench_new(with);
	unsigned seed = 3;

	workload(ref, false, 0);
	for (unsigned i = 0; i < times; i++) {
		struct bench *b = bench_new(with);

		workload(b, false, 1 + (unsigned)rand_r(&seed) % 150000);
		same(ref, b);
		bench_free(b);
	}
	bench_free(ref);
}

START_TEST(save_and_restore_with_tasks)
{
	saved_and_restored(props[_i], 25);
}
END_TEST

/* What a device saved that knew no halves. */
START_TEST(version_14_is_restored)
{
	as_before = true;
	saved_and_restored(PROPS, 6);
}
END_TEST

/* SM records come in order of time within a window; completions stand at window ends. */
START_TEST(effects_in_order)
{
	struct bench *b = bench_new(PROPS);
	uint64_t last_warp = 0;
	unsigned n = 0;

	workload(b, false, 0);
	for (size_t i = 0; i < b->num_trace; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];

		if (r->event == PPU_TR_TASK_DONE)
			ck_assert_uint_eq(r->time % 2000, 0);
		if (r->event == PPU_TR_WARP_DONE || r->event == PPU_TR_CTA_DONE) {
			ck_assert_uint_ge(r->time, last_warp);
			last_warp = r->time;
			n++;
		}
	}
	ck_assert_uint_gt(n, 200);
	bench_free(b);
}
END_TEST

/* Runs until there is nothing to do; how many steps there were. */
static unsigned steps(struct bench *b)
{
	unsigned n = 0;

	for (; ppu_core_next_event(b->core) != PPU_TIME_NEVER; n++)
		ppu_core_run(b->core, ppu_core_next_event(b->core));
	return n;
}

/* Long sleeps cost no windows, and nothing is scheduled when all is done. */
START_TEST(idle_costs_nothing)
{
	struct bench *b = bench_new("window-ns=1000");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 900000\nexit\n");
	struct ppu_tmd *t;
	unsigned events;

	bench_launch(ch, tmd_new(c, &k, &t));
	bench_submit(ch);
	events = steps(b);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1);
	ck_assert_uint_gt(ppu_core_time(b->core), 900000);
	ck_assert_uint_lt(events, 30);
	bench_free(b);
}
END_TEST

/* A thread stores to a word for which a channel waits: the channel goes on. */
START_TEST(sm_store_releases_a_channel)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *cp = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct kern k = kern_load(c, "ld.param.u64 rd2, [0]\nnanosleep 20000\nmov.u32 r4, 77\n"
				     "st.global.u32 [rd2], r4\nnanosleep 500000\nexit\n");
	uint64_t sem = bench_alloc(c, 4096, BENCH_SYS), va;
	const struct ppu_trace_rec *w, *done;
	struct ppu_tmd *t;

	va = tmd_new(c, &k, &t);
	t->block[0] = 1;
	tmd_param(t, 0, sem);
	bench_acquire(cp, PPU_SEM_OP_EQ | PPU_CMDF_SEM_32, sem, 77);
	bench_release(cp, 0, sem + 64, 1);
	bench_submit(cp);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, sem + 64), 1);
	w = bench_find(b, PPU_TR_CMD, (int)cp->id, bench_count(b, PPU_TR_CMD, (int)cp->id) - 1);
	done = bench_find(b, PPU_TR_TASK_DONE, -1, 0);
	ck_assert_uint_lt(w->time + 400000, done->time);
	bench_free(b);
}
END_TEST

static const char loop_400us[] = "mov.u32 r4, 200000\nagain:\nsub.u32 r4, r4, 1\nsetp.ne.u32 p0, r4, rz\n@p0 bra again\nexit\n";

/* Device time of n launches, each waiting for the one before, of a kernel that is over at once. */
static uint64_t dependent(const char *with, unsigned n)
{
	struct bench *b = bench_new(with);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	struct kern k = kern_load(c, "exit\n");
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t), first, last;

	for (unsigned i = 0; i < n; i++) {
		bench_launch(ch, va);
		bench_wfi(ch);
	}
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_DONE, -1), n);
	first = bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time;
	last = bench_find(b, PPU_TR_TASK_DONE, -1, n - 1)->time;
	bench_free(b);
	return last - first;
}

/* Who waits for a kernel waits for a window of the shortest length: 625 ns, and 1000 ns for which the task unit is busy. */
START_TEST(short_where_somebody_waits)
{
	ck_assert_uint_eq(dependent("window-ns=10000", 9), 8 * 10000);
	ck_assert_uint_eq(dependent("window-ns=10000 window-halvings=1", 9), 8 * 5000);
	ck_assert_uint_eq(dependent("window-ns=10000 window-halvings=4", 9), dependent("window-ns=625", 9));
	ck_assert_uint_le(dependent("window-ns=10000 window-halvings=4", 9), 8 * 4 * 625);
}
END_TEST

/* Events of the device until a kernel of 400 us is over that nobody interrupts; *done: when. */
static unsigned windows_of_a_loop(const char *with, uint64_t *done)
{
	struct bench *b = bench_new(with);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, loop_400us);
	struct ppu_tmd *t;
	unsigned n;

	bench_launch(ch, tmd_new(c, &k, &t));
	bench_submit(ch);
	n = steps(b);
	*done = bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time;
	bench_free(b);
	return n;
}

/* While nothing happens windows become as long as without halves, so they cost the host no more. */
START_TEST(long_where_nothing_happens)
{
	uint64_t whole_done, halves_done;
	unsigned whole = windows_of_a_loop("window-ns=10000", &whole_done);
	unsigned halves = windows_of_a_loop("window-ns=10000 window-halvings=4", &halves_done);

	ck_assert_uint_gt(whole, 40);
	ck_assert_uint_le(halves, whole + 6);	/* 625, 1250, 2500, 5000; and some before the kernel begins */
	ck_assert_uint_le(halves_done, whole_done);
	ck_assert_uint_gt(halves_done, whole_done - 10000);
}
END_TEST

/* A kernel that runs long does not keep another waiting: its window is cut when the other begins. */
START_TEST(cut_when_work_arrives)
{
	struct bench *b = bench_new("window-ns=10000 window-halvings=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8), *other = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern loop = kern_load(c, loop_400us);
	struct kern k = kern_load(c, "exit\n");
	struct ppu_tmd *t;
	uint64_t end;

	bench_launch(ch, tmd_new(c, &loop, &t));
	bench_submit(ch);
	bench_run_to(b, 301000);
	bench_launch(other, tmd_new(c, &k, &t));
	bench_submit(other);
	ck_assert(bench_run(b));
	end = bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time;
	ck_assert_uint_gt(end, 301000);
	ck_assert_uint_le(end, 301000 + 4 * 625);
	bench_free(b);
}
END_TEST

/* No SM goes back behind a window that ran: a thread that launches goes on after its launch was accepted, at the end of a
 * window, and all of this lies within one window of full length. */
START_TEST(no_window_twice)
{
	struct bench *b = bench_new("window-ns=10000 window-halvings=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern child = kern_load(c, "exit\n");
	struct kern k = kern_load(c, "ld.param.u64 rd4, [0]\nld.param.u64 rd6, [8]\ntlaunch r8, rd4\n"
				     "s2r rd10, %globaltimer\nst.global.u64 [rd6], rd10\ntsync r9\nexit\n");
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), accepted, after;
	struct ppu_tmd *p, *t;
	uint64_t va = tmd_new(c, &k, &p);

	p->block[0] = 1;
	tmd_param(p, 0, tmd_new(c, &child, &t));
	tmd_param(p, 1, out);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	accepted = bench_find(b, PPU_TR_CHILD_LAUNCH, -1, 0)->time;
	after = bench_rd64(c, out);
	ck_assert_uint_lt(accepted, 10000 - 625);
	ck_assert_uint_ge(after, accepted);
	ck_assert_uint_le(after, accepted + 625);
	bench_free(b);
}
END_TEST

/* A thread works for 30 us, and then writes 1 to 40 into a word that a channel waits for, each 0.7 us.  While it writes,
 * windows stay short, though no SM gets work: the channel goes on as soon as the last number is there. */
START_TEST(short_while_words_are_written)
{
	struct bench *b = bench_new("window-ns=10000 window-halvings=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8), *cp = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct kern k = kern_load(c, "ld.param.u64 rd4, [0]\nmov.u32 r6, 15000\n"
				     "work:\nsub.u32 r6, r6, 1\nsetp.ne.u32 p0, r6, rz\n@p0 bra work\n"
				     "more:\nadd.u32 r6, r6, 1\nst.global.u32 [rd4], r6\ns2r rd8, %globaltimer\n"
				     "nanosleep 700\nsetp.ne.u32 p0, r6, 40\n@p0 bra more\n"
				     "st.global.u64 [rd4+64], rd8\nmov.u32 r6, 15000\n"
				     "rest:\nsub.u32 r6, r6, 1\nsetp.ne.u32 p0, r6, rz\n@p0 bra rest\nexit\n");
	uint64_t sem = bench_alloc(c, 4096, BENCH_VRAM), written, passed;
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	t->block[0] = 1;
	tmd_param(t, 0, sem);
	bench_acquire(cp, PPU_SEM_OP_EQ | PPU_CMDF_SEM_32, sem, 40);
	bench_release(cp, 0, sem + 128, 1);
	bench_submit(cp);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	written = bench_rd64(c, sem + 64);
	passed = bench_find(b, PPU_TR_CMD, (int)cp->id, bench_count(b, PPU_TR_CMD, (int)cp->id) - 1)->time;
	ck_assert_uint_gt(written, 50000);
	ck_assert_uint_ge(passed, written);
	ck_assert_uint_le(passed, written + 1250 + 200);
	bench_free(b);
}
END_TEST

/* A store that its SM holds back for 40 us reaches memory in a window of full length, because another kernel runs and nothing
 * happens; the kernel of the store is not complete before. */
START_TEST(store_before_the_end)
{
	struct bench *b = bench_new("window-ns=10000 window-halvings=4 store-delay-ns=40300");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8), *other = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern loop = kern_load(c, loop_400us);
	struct kern k = kern_load(c, "ld.param.u64 rd4, [0]\nmov.u32 r6, 7\nst.global.u32 [rd4], r6\nexit\n");
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM);
	struct ppu_tmd *t;

	bench_launch(other, tmd_new(c, &loop, &t));
	bench_submit(other);
	bench_launch(ch, tmd_new(c, &k, &t));
	tmd_param(t, 0, out);
	bench_wfi(ch);
	bench_release(ch, 0, out + 64, 1);
	bench_submit(ch);
	while (!bench_rd64(c, out + 64)) {
		ck_assert_uint_lt(ppu_core_time(b->core), 100000);
		ppu_core_run(b->core, ppu_core_next_event(b->core));
	}
	ck_assert_uint_eq(bench_rd64(c, out), 7);
	ck_assert_uint_gt(ppu_core_time(b->core), 40300);
	ck_assert(bench_run(b));
	bench_free(b);
}
END_TEST

/* What is traced does not change when windows end: a warp that diverges for 60 us, with its records and without. */
static uint64_t divergent(const char *with, unsigned *events)
{
	struct bench *b = bench_new(with);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "s2r r4, %tid.x\nand.u32 r4, r4, 1\nsetp.ne.u32 p1, r4, rz\nmov.u32 r5, 5000\n"
				     "again:\nssy both\n@p1 bra odd\nsync both\nodd:\nsync both\n"
				     "both:\nsub.u32 r5, r5, 1\nsetp.ne.u32 p0, r5, rz\n@p0 bra again\nexit\n");
	struct ppu_tmd *t;
	uint64_t done;

	bench_launch(ch, tmd_new(c, &k, &t));
	bench_submit(ch);
	*events = steps(b);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	done = bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time;
	bench_free(b);
	return done;
}

START_TEST(traces_change_nothing)
{
	unsigned all, few;
	uint64_t done = divergent("window-halvings=4", &all);

	ck_assert_uint_gt(done, 20000);
	ck_assert_uint_eq(divergent("window-halvings=4 trace-classes=2", &few), done);
	ck_assert_uint_eq(few, all);
}
END_TEST

/* Loading windows that cannot be: their length, and the end of the last one. */
START_TEST(impossible_windows)
{
	static const struct { uint64_t len, ran_to; bool ok; } w[] = {
		{ 250, 0, true }, { 500, 0, true }, { 2000, 250, true }, { 0, 0, false }, { 125, 0, false }, { 750, 0, false },
		{ 4000, 0, false }, { 250, 251, false }, { 250, 1ull << 40, false },
	};

	for (unsigned i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
		struct bench *b = bench_new(props[1]);
		uint8_t *bytes, *at;
		char *err = NULL;
		size_t len;

		bench_run_to(b, 1000);
		ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
		at = bench_section(bytes, len, "gpcs") + 1;
		memcpy(at, &w[i].len, 8);
		memcpy(at + 8, &w[i].ran_to, 8);
		bench_new_core(b);
		ck_assert_int_eq(ppu_core_load(b->core, bytes, len, &err), w[i].ok ? 0 : -1);
		ck_assert(w[i].ok || strstr(err, "impossible length"));
		free(err);
		free(bytes);
		bench_free(b);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("gpc");
	TCase *t = tcase_create("gpc");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, workers_do_not_show, 0, BOTH);
	tcase_add_loop_test(t, cuts_do_not_show, 0, sizeof(cuts) / sizeof(cuts[0]));
	tcase_add_loop_test(t, save_and_restore_with_tasks, 0, BOTH);
	tcase_add_test(t, version_14_is_restored);
	tcase_add_test(t, effects_in_order);
	tcase_add_test(t, idle_costs_nothing);
	tcase_add_test(t, sm_store_releases_a_channel);
	tcase_add_test(t, short_where_somebody_waits);
	tcase_add_test(t, long_where_nothing_happens);
	tcase_add_test(t, cut_when_work_arrives);
	tcase_add_test(t, no_window_twice);
	tcase_add_test(t, short_while_words_are_written);
	tcase_add_test(t, store_before_the_end);
	tcase_add_test(t, traces_change_nothing);
	tcase_add_test(t, impossible_windows);
	suite_add_tcase(s, t);
	return run_suite(s);
}
