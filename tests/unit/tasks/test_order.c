/* SPDX-License-Identifier: MIT */
/*
 * The order of children: orders of a CTA, of a task, tails, `after`. Streams, events and tail launches of kernels are
 * built from these (SP-1, SP-8, SP-9).
 */
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"
#include "core/tasks/tmu.h"

/* Launches the TMDs in parameters 1, 2, ...; parameter 0: how many. */
static const char parent_text[] =
	"ld.param.u64 rd2, [0]\nmov.u32 r8, 8\nL: ld.param.u64 rd4, [r8]\ntlaunch r6, rd4\nadd.u32 r8, r8, 8\n"
	"sub.u32 r2, r2, 1\nsetp.ne.u32 p0, r2, 0\n@p0 bra L\nexit\n";
static const char slow_text[] = "nanosleep 500000\nexit\n", grand_text[] = "ld.param.u64 rd4, [0]\ntlaunch r6, rd4\nexit\n";

struct scene {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	struct kern parent, slow, grand;
	struct ppu_tmd *t;
	uint64_t va;
	unsigned n;
};

static struct scene scene_new(const char *props)
{
	struct scene s = { .b = bench_new(props) };

	s.c = bench_ctx_new(s.b);
	s.ch = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 8);
	s.parent = kern_load(s.c, parent_text);
	s.slow = kern_load(s.c, slow_text);
	s.grand = kern_load(s.c, grand_text);
	s.va = tmd_new(s.c, &s.parent, &s.t);
	s.t->block[0] = 1;
	return s;
}

/* A child that sleeps; returns its address, by which traces name it. */
static uint64_t child(struct scene *s, uint64_t order, uint64_t after)
{
	struct ppu_tmd *t;
	uint64_t va = tmd_new(s->c, &s->slow, &t);

	t->block[0] = 1;
	t->order = order;
	t->after = after;
	tmd_param(s->t, ++s->n, va);
	return va;
}

static void go(struct scene *s)
{
	tmd_param(s->t, 0, s->n);
	bench_launch(s->ch, s->va);
	bench_wfi(s->ch);
	bench_launch(s->ch, s->va);
	bench_submit(s->ch);
	ck_assert(bench_run(s->b));
	ck_assert_uint_eq(bench_chan_reg(s->ch, PPU_REG_CH_ERROR), 0);
}

/* The index in the trace of an event of the nth task with that TMD. */
static size_t at(struct scene *s, unsigned event, uint64_t tmd, unsigned nth)
{
	for (size_t i = 0; i < s->b->num_trace; i++)
		if (s->b->trace[i].event == event && s->b->trace[i].b == tmd && !nth--)
			return i;
	ck_abort_msg("event %u of %llx is missing", event, (unsigned long long)tmd);
	return 0;
}

#define START(va) at(&s, PPU_TR_TASK_SCHED, va, 0)
#define DONE(va)  at(&s, PPU_TR_TASK_DONE, va, 0)

/* Children of one order run one after the other, children without an order together, two orders side by side. */
START_TEST(orders)
{
	struct scene s = scene_new(NULL);
	uint64_t a[3], f, g, o;

	for (unsigned i = 0; i < 3; i++)
		a[i] = child(&s, 77, 0);
	f = child(&s, PPU_ORDER_NONE, 0);
	g = child(&s, PPU_ORDER_NONE, 0);
	o = child(&s, 78, 0);
	go(&s);
	ck_assert_uint_gt(START(a[1]), DONE(a[0]));
	ck_assert_uint_gt(START(a[2]), DONE(a[1]));
	ck_assert_uint_lt(START(f), DONE(a[0]));
	ck_assert_uint_lt(START(g), DONE(f));
	ck_assert_uint_lt(START(o), DONE(a[0]));
	/* the next kernel of the channel after all of them (SP-9) */
	ck_assert_uint_gt(at(&s, PPU_TR_TASK_ACCEPT, s.va, 1), DONE(a[2]));
	ck_assert_uint_gt(DONE(s.va), DONE(a[2]));
	bench_free(s.b);
}
END_TEST

/* The order of a CTA: CTAs do not wait for each other; a number is one order for all CTAs of a task. */
START_TEST(of_ctas)
{
	for (unsigned shared = 0; shared < 2; shared++) {
		struct scene s = scene_new(NULL);
		uint64_t k = child(&s, shared ? 9 : PPU_ORDER_CTA, 0);

		s.t->grid[0] = 2;
		child(&s, shared ? 9 : PPU_ORDER_CTA, 0);
		go(&s);
		/* two of the first TMD, one from each CTA */
		if (shared)
			ck_assert_uint_gt(at(&s, PPU_TR_TASK_SCHED, k, 1), at(&s, PPU_TR_TASK_DONE, k, 0));
		else
			ck_assert_uint_lt(at(&s, PPU_TR_TASK_SCHED, k, 1), at(&s, PPU_TR_TASK_DONE, k, 0));
		bench_free(s.b);
	}
}
END_TEST

/* The same number in two tasks is two orders. */
START_TEST(of_tasks)
{
	struct scene s = scene_new(NULL);
	uint64_t k = child(&s, 5, 0);

	tmd_param(s.t, 0, 1);
	bench_launch(s.ch, s.va);
	bench_launch(s.ch, s.va);
	bench_submit(s.ch);
	ck_assert(bench_run(s.b));
	ck_assert_uint_lt(at(&s, PPU_TR_TASK_SCHED, k, 1), at(&s, PPU_TR_TASK_DONE, k, 0));
	bench_free(s.b);
}
END_TEST

/* `after`: a stream waits for an event of another stream, but not for later work of that stream. */
START_TEST(after)
{
	struct scene s = scene_new(NULL);
	uint64_t a = child(&s, 10, 0), mark = child(&s, 1000, 10), late, b, c, d;

	late = child(&s, 10, 0);
	b = child(&s, 11, 0);
	c = child(&s, 11, 1000);
	d = child(&s, 11, 5555);	/* nothing was launched into that one */
	go(&s);
	ck_assert_uint_gt(START(mark), DONE(a));
	ck_assert_uint_lt(START(late), DONE(mark));	/* its own stream goes on */
	ck_assert_uint_lt(START(b), DONE(a));
	ck_assert_uint_gt(START(c), DONE(b));
	ck_assert_uint_gt(START(c), DONE(mark));
	ck_assert_uint_gt(START(d), DONE(c));
	bench_free(s.b);
}
END_TEST

/* The tail runs after the launching task and all its descendants, in order, and is part of the task. */
START_TEST(tail)
{
	struct scene s = scene_new(NULL);
	uint64_t t1 = child(&s, PPU_ORDER_TAIL, 0), t2 = child(&s, PPU_ORDER_TAIL, 0), kid, slow_kid;
	struct ppu_tmd *g, *inner;
	uint64_t gv, iv;

	kid = child(&s, PPU_ORDER_NONE, 0);
	slow_kid = child(&s, 7, 0);
	/* a child that launches a child, and a tail of its own */
	gv = tmd_new(s.c, &s.grand, &g);
	iv = tmd_new(s.c, &s.slow, &inner);
	g->block[0] = inner->block[0] = 1;
	inner->order = PPU_ORDER_TAIL;
	tmd_param(g, 0, iv);
	tmd_param(s.t, ++s.n, gv);
	go(&s);
	ck_assert_uint_gt(START(t1), DONE(kid));
	ck_assert_uint_gt(START(t1), DONE(slow_kid));
	ck_assert_uint_gt(START(t1), DONE(gv));
	ck_assert_uint_gt(DONE(gv), DONE(iv));
	ck_assert_uint_gt(START(t1), at(&s, PPU_TR_TASK_CODE_DONE, s.va, 0));
	ck_assert_uint_gt(START(t2), DONE(t1));
	ck_assert_uint_gt(DONE(s.va), DONE(t2));
	ck_assert_uint_gt(at(&s, PPU_TR_TASK_ACCEPT, s.va, 1), DONE(t2));
	bench_free(s.b);
}
END_TEST

/* A task that launches only a tail, and has ended before the tail could start. */
START_TEST(lonely_tail)
{
	struct scene s = scene_new("cost-launch-ns=100000");
	uint64_t t1 = child(&s, PPU_ORDER_TAIL, 0);

	go(&s);
	ck_assert_uint_gt(START(t1), at(&s, PPU_TR_TASK_CODE_DONE, s.va, 0));
	ck_assert_uint_gt(DONE(s.va), DONE(t1));
	ck_assert_uint_eq(bench_ctr(s.b, PPU_CTR_TASKS), 4);
	bench_free(s.b);
}
END_TEST

/* A thread that waits for its children does not wait for its tail. */
START_TEST(sync_leaves_out_the_tail)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern p = kern_load(c, "ld.param.u64 rd4, [0]\ntlaunch r6, rd4\ntsync r7\nexit\n"), k = kern_load(c, slow_text);
	struct ppu_tmd *t, *u;
	uint64_t va = tmd_new(c, &p, &t);

	t->block[0] = 1;
	tmd_param(t, 0, tmd_new(c, &k, &u));
	u->order = PPU_ORDER_TAIL;
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 2);
	bench_free(b);
}
END_TEST

/* Refused without any effect: an order in a TMD for LAUNCH, and waiting for a tail. */
START_TEST(refused)
{
	struct scene s = scene_new(NULL);
	const struct ppu_trace_rec *r;

	child(&s, 8, PPU_ORDER_TAIL);
	go(&s);
	r = bench_find(s.b, PPU_TR_CHILD_LAUNCH, -1, 0);
	ck_assert_int_eq((int)r->a, PPU_LAUNCH_TMD);
	ck_assert_uint_eq(bench_ctr(s.b, PPU_CTR_TASKS), 2);
	for (unsigned i = 0; i < 2; i++) {
		struct bench_chan *ch = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 8);

		s.t->order = i ? 0 : 4;
		s.t->after = i ? 4 : 0;
		bench_launch(ch, s.va);
		bench_submit(ch);
		ck_assert(bench_run(s.b));
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_TMD_BAD);
	}
	bench_free(s.b);
}
END_TEST

/* When a channel is stopped, its waiting children end, too; their records are free for others. */
START_TEST(aborted)
{
	struct scene s = scene_new("task-records=16 task-slots=4");
	uint64_t a;

	for (unsigned i = 0; i < 4; i++)
		child(&s, 3, i & 1 ? 4 : 0);
	child(&s, 4, 3);
	child(&s, PPU_ORDER_TAIL, 3);
	tmd_param(s.t, 0, s.n);
	bench_launch(s.ch, s.va);
	bench_submit(s.ch);
	bench_run_for(s.b, 200000);
	ck_assert_uint_gt(bench_count(s.b, PPU_TR_CHILD_LAUNCH, -1), 0);
	bench_chan_set(s.ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert_uint_eq(ppu_tmu_channel_tasks(s.b->core, s.ch->id), 0);
	bench_clear(s.b);
	s.n = 0;
	s.ch = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 8);
	a = child(&s, 3, 4);
	go(&s);
	ck_assert_uint_gt(DONE(s.va), DONE(a));
	bench_free(s.b);
}
END_TEST

/* Random families, and the same with the device saved and loaded on the way: the same trace. */
static struct scene random_scene(unsigned seed)
{
	struct scene s = scene_new("task-slots=3");

	for (unsigned i = 0; i < 24; i++) {
		uint64_t order;

		seed = seed * 1103515245 + 12345;
		order = (seed >> 16) % 6;
		child(&s, order, (seed >> 24) % 3 ? 0 : (const uint64_t[]){ 1, 3, 4, 5 }[seed >> 20 & 3]);
	}
	s.t->grid[0] = 3;
	tmd_param(s.t, 0, s.n);
	bench_launch(s.ch, s.va);
	bench_wfi(s.ch);
	bench_launch(s.ch, s.va);
	bench_submit(s.ch);
	return s;
}

static void save_and_load(struct bench *b)
{
	uint8_t *bytes = NULL, *again = NULL;
	size_t len = 0, len2 = 0;
	char *err = NULL;

	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	bench_new_core(b);
	b->num_trace--;			/* the RESET of the new core */
	if (ppu_core_load(b->core, bytes, len, &err))
		ck_abort_msg("load: %s", err);
	ck_assert_int_eq(ppu_core_save(b->core, &again, &len2), 0);
	ck_assert_uint_eq(len, len2);
	ck_assert_mem_eq(bytes, again, len);
	free(bytes);
	free(again);
}

/* Of each numbered order at most one task runs at any time. */
static void check_orders(struct scene *s, unsigned seed)
{
	for (uint64_t order = 3; order < 6; order++) {
		uint64_t running = 0;

		for (size_t i = 0; i < s->b->num_trace; i++) {
			const struct ppu_trace_rec *r = &s->b->trace[i];
			const struct ppu_tmd *t;

			if (r->event != PPU_TR_TASK_SCHED && r->event != PPU_TR_TASK_DONE)
				continue;
			t = bench_ptr(s->c, r->b);
			if (t->order != order)
				continue;
			if (r->event == PPU_TR_TASK_SCHED) {
				ck_assert_msg(!running, "seed %u: two tasks of order %llu at once", seed,
					      (unsigned long long)order);
				running = r->c;
			} else {
				running = 0;
			}
		}
	}
}

START_TEST(random_families)
{
	for (unsigned seed = 1; seed <= 12; seed++) {
		struct scene plain = random_scene(seed), saved = random_scene(seed);

		ck_assert(bench_run(plain.b));
		ck_assert_uint_eq(bench_chan_reg(plain.ch, PPU_REG_CH_ERROR), 0);
		ck_assert_uint_eq(bench_ctr(plain.b, PPU_CTR_TASKS), 2 + 2 * 3 * 24);
		check_orders(&plain, seed);
		for (unsigned i = 0; i < 40; i++) {
			bench_run_for(saved.b, 17919 + 13100 * seed);
			save_and_load(saved.b);
		}
		ck_assert(bench_run(saved.b));
		ck_assert_uint_eq(plain.b->num_trace, saved.b->num_trace);
		for (size_t i = 0; i < plain.b->num_trace; i++)
			if (memcmp(&plain.b->trace[i], &saved.b->trace[i], sizeof(plain.b->trace[i])))
				ck_abort_msg("seed %u: record %zu differs", seed, i);
		bench_free(plain.b);
		bench_free(saved.b);
	}
}
END_TEST

/* 10^5 children that wait in one order: a launch costs no more than the first ones did. */
START_TEST(cost_is_flat)
{
	struct scene s = scene_new("task-records=120000 vram=64M cost-launch-ns=0");
	uint64_t steps[2], launched[2];

	s.t->grid[0] = 1000;
	s.t->block[0] = 100;
	child(&s, 3, 0);
	s.b->core->ports.trace = NULL;
	tmd_param(s.t, 0, 1);
	bench_launch(s.ch, s.va);
	bench_submit(s.ch);
	bench_run_for(s.b, 20000);
	launched[0] = bench_ctr(s.b, PPU_CTR_CHILD_TASKS);
	steps[0] = s.b->core->task_steps;
	ck_assert_uint_gt(launched[0], 0);
	for (unsigned i = 0; i < 1000 && bench_ctr(s.b, PPU_CTR_CHILD_TASKS) < 100000; i++)
		bench_run_for(s.b, 100000);
	launched[1] = bench_ctr(s.b, PPU_CTR_CHILD_TASKS);
	steps[1] = s.b->core->task_steps;
	ck_assert_uint_eq(launched[1], 100000);
	ck_assert_uint_le((steps[1] - steps[0]) / (launched[1] - launched[0]), 2 * (steps[0] / launched[0] + 1));
	bench_free(s.b);
}
END_TEST

BENCH_MAIN("order", orders, of_ctas, of_tasks, after, tail, lonely_tail, sync_leaves_out_the_tail, refused, aborted,
	   random_families, cost_is_flat)
