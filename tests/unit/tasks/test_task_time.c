/* SPDX-License-Identifier: MIT */
/*
 * CH_RUNTIME with PPU_CHF_TASK_TIME: how long tasks of a channel ran, as the trace says it.  The task unit learns of the
 * end of CTAs at the end of a window, which is when the task is done.
 */
#include "core/ppu_core.h"
#include "tasks.h"
#include "bench_main.h"
#include "run_suite.h"

#define SLEEP(ns) "nanosleep " #ns "\nexit\n"

static struct bench_chan *channel(struct bench_ctx *c, bool counts)
{
	struct bench_chan *ch = bench_chan_make(c, PPU_CLASS_COMPUTE, 8);

	bench_chan_set(ch, PPU_REG_CH_FLAGS, counts ? PPU_CHF_TASK_TIME : 0);
	bench_chan_enable(ch);
	return ch;
}

static uint64_t runtime(struct bench_chan *ch)
{
	uint64_t lo = bench_chan_reg(ch, PPU_REG_CH_RUNTIME_LO);

	return lo | (uint64_t)bench_chan_reg(ch, PPU_REG_CH_RUNTIME_HI) << 32;
}

static void launch(struct bench_chan *ch, const char *text, unsigned ctas, int prio)
{
	struct kern k = kern_load(ch->c, text);
	struct ppu_tmd *t;
	uint64_t va = tmd_new(ch->c, &k, &t);

	t->grid[0] = ctas;
	if (prio >= 0)
		tmd_prio(t, (unsigned)prio);
	bench_launch(ch, va);
}

static uint64_t last_time(struct bench *b, unsigned event)
{
	uint64_t time = 0;

	for (size_t i = 0; i < b->num_trace; i++)
		if (b->trace[i].event == event)
			time = b->trace[i].time;
	return time;
}

static uint64_t first_time(struct bench *b, unsigned event)
{
	return bench_find(b, event, -1, 0)->time;
}

/* What the front end takes is counted in any case, and is the same. */
static uint64_t front_end(void (*fill)(struct bench_chan *ch))
{
	struct bench *b = bench_new(NULL);
	struct bench_chan *ch = channel(bench_ctx_new(b), false);
	uint64_t ns;

	fill(ch);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ns = runtime(ch);
	bench_free(b);
	return ns;
}

static void two_tasks(struct bench_chan *ch)
{
	launch(ch, SLEEP(300000), 1, -1);
	launch(ch, SLEEP(100000), 1, -1);
}

/* Two tasks at once count once: from the first CTA to the last. */
START_TEST(at_once)
{
	struct bench *b = bench_new(NULL);
	struct bench_chan *ch = channel(bench_ctx_new(b), true);
	uint64_t span, front = front_end(two_tasks);

	two_tasks(ch);
	bench_submit(ch);
	ck_assert(bench_run(b));
	span = last_time(b, PPU_TR_TASK_DONE) - first_time(b, PPU_TR_CTA_START);
	ck_assert_uint_ge(span, 300000);
	ck_assert_uint_lt(span, 350000);
	ck_assert_uint_lt(front, 20000);
	ck_assert_uint_eq(runtime(ch), front + span);
	bench_free(b);
}
END_TEST

static void one_task(struct bench_chan *ch)
{
	launch(ch, SLEEP(100000), 1, -1);
}

/* Time between two tasks does not count; the time up to now of a task that runs does. */
START_TEST(one_after_the_other)
{
	struct bench *b = bench_new(NULL);
	struct bench_chan *ch = channel(bench_ctx_new(b), true);
	uint64_t once, front = front_end(one_task);

	one_task(ch);
	bench_submit(ch);
	bench_run_for(b, 60000);
	ck_assert_uint_eq(runtime(ch) - front, ppu_core_time(b->core) - first_time(b, PPU_TR_CTA_START));
	ck_assert(bench_run(b));
	once = runtime(ch);
	bench_run_for(b, 1000000);
	ck_assert_uint_eq(runtime(ch), once);
	one_task(ch);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(runtime(ch), once + front + last_time(b, PPU_TR_TASK_DONE) - last_time(b, PPU_TR_CTA_START));
	bench_free(b);
}
END_TEST

/* With one slot, a task of another channel takes the place of an endless one. */
static void evict(bool saved)
{
	struct bench *b = bench_new("task-slots=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *low = channel(c, true), *high = channel(c, true);
	uint64_t sum, span;

	launch(low, SLEEP(200000), 1, -1);
	bench_submit(low);
	bench_run_for(b, 100000);
	launch(high, SLEEP(300000), 1, 1);
	bench_submit(high);
	bench_run_for(b, 50000);
	if (saved)
		bench_reload(b);
	ck_assert(bench_run(b));
	ck_assert_uint_ge(bench_count(b, PPU_TR_CTA_SAVE, -1), 1);
	span = last_time(b, PPU_TR_TASK_DONE) - first_time(b, PPU_TR_CTA_START);
	sum = runtime(low) + runtime(high);
	ck_assert_uint_ge(runtime(high), 300000);
	ck_assert_uint_lt(runtime(high), 350000);
	ck_assert_uint_ge(runtime(low), 100000);
	ck_assert_uint_lt(runtime(low), 250000);
	/* Never both: the two make up the whole, but for saving, restoring and the front end. */
	ck_assert_uint_le(sum, span + 10000);
	bench_free(b);
}

START_TEST(evicted) { evict(false); } END_TEST
START_TEST(saved_and_loaded) { evict(true); } END_TEST

/* A task that runs while the state is saved is counted on; one that was counted already is not lost. */
START_TEST(saved_while_it_runs)
{
	struct bench *b = bench_new(NULL);
	struct bench_chan *ch = channel(bench_ctx_new(b), true);
	uint64_t front = front_end(one_task), want, begin;

	one_task(ch);
	bench_submit(ch);
	ck_assert(bench_run(b));
	want = runtime(ch);
	one_task(ch);
	bench_submit(ch);
	bench_run_for(b, 50000);
	begin = runtime(ch);
	ck_assert_uint_gt(begin, want + front);
	bench_reload(b);
	ck_assert_uint_eq(runtime(ch), begin);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(runtime(ch), want + front + last_time(b, PPU_TR_TASK_DONE) - last_time(b, PPU_TR_CTA_START));
	bench_free(b);
}
END_TEST

/* An endless task is counted up to its end by STOP, not further; RESET forgets. */
START_TEST(stopped)
{
	struct bench *b = bench_new(NULL);
	struct bench_chan *ch = channel(bench_ctx_new(b), true);
	uint64_t ns;

	launch(ch, "L: nanosleep 1000\nbra L\n", 4, -1);
	bench_submit(ch);
	bench_run_for(b, 500000);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ns = runtime(ch);
	ck_assert_uint_gt(ns, 450000);
	bench_run_for(b, 500000);
	ck_assert_uint_eq(runtime(ch), ns);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	ck_assert_uint_eq(runtime(ch), 0);
	bench_free(b);
}
END_TEST

/* The feature is told; a channel without the flag counts as before. */
START_TEST(off)
{
	struct bench *b = bench_new(NULL);

	ck_assert_uint_ne(bench_reg(b, PPU_REG_CAP_FEATURES) & PPU_FEAT_TASK_TIME, 0);
	bench_free(b);
	ck_assert_uint_lt(front_end(one_task), 10000);
}
END_TEST

BENCH_MAIN("task_time", at_once, one_after_the_other, evicted, saved_and_loaded, saved_while_it_runs, stopped, off)
