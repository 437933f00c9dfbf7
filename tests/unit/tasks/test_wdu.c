/* SPDX-License-Identifier: MIT */
/* Work distribution unit: slots, eviction, placement of CTAs. */
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"

/* Each CTA adds 1 to word ctaid_linear of parameter 0, then sleeps. */
#define COUNT(ns) \
	"ld.param.u64 rd2, [0]\n" \
	"s2r r4, %ctaid_linear\n" \
	"mulw.u32 rd6, r4, 4\n" \
	"add.u64 rd2, rd2, rd6\n" \
	"mov.u32 r5, 1\n" \
	"atom.global.add.u32 rz, [rd2], r5\n" \
	"nanosleep " #ns "\n" \
	"exit\n"

static void counted_once(struct bench_ctx *c, uint64_t va, unsigned n)
{
	uint32_t *v = malloc(n * 4 + 4);

	bench_read(c, va, v, n * 4 + 4);
	for (unsigned i = 0; i < n; i++)
		ck_assert_msg(v[i] == 1, "CTA %u ran %u times", i, v[i]);
	ck_assert_uint_eq(v[n], 0);
	free(v);
}

/* HW-22: 4 slots, 6 tasks of equal priority; never more than 4 hold one, none is evicted. */
START_TEST(task_slots)
{
	struct bench *b = bench_new("task-slots=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 100000\nexit\n");
	unsigned running = 0, most = 0;
	struct ppu_tmd *t;

	for (unsigned i = 0; i < 6; i++)
		bench_launch(ch, tmd_new(c, &k, &t));
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++) {
		running += b->trace[i].event == PPU_TR_TASK_SCHED;
		running -= b->trace[i].event == PPU_TR_TASK_DONE;
		if (b->trace[i].event == PPU_TR_TASK_SCHED)
			ck_assert_uint_lt(b->trace[i].unit, 4);
		most = running > most ? running : most;
	}
	ck_assert_uint_eq(most, 4);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 6);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_EVICTIONS), 0);
	bench_free(b);
}
END_TEST

/* HW-23, HW-24, SP-4: a task of higher priority evicts another one, which later goes on where it was. */
START_TEST(evicts_lower_priority)
{
	struct bench *b = bench_new("task-slots=2 ctas-per-sm=2");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, COUNT(20000));
	uint64_t out = bench_alloc(c, 65536, BENCH_VRAM), va[3];
	const struct ppu_trace_rec *evict, *resume, *high;
	struct ppu_tmd *t;

	for (unsigned i = 0; i < 3; i++) {
		va[i] = tmd_new(c, &k, &t);
		t->grid[0] = i < 2 ? 40 : 6;
		tmd_prio(t, i < 2 ? 0 : 3);
		t->block[0] = 1;
		tmd_param(t, 0, out + i * 4096);
	}
	bench_launch(ch, va[0]);
	bench_launch(ch, va[1]);
	bench_submit(ch);
	bench_run_for(b, 60000);
	bench_launch(ch, va[2]);
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (unsigned i = 0; i < 3; i++)
		counted_once(c, out + i * 4096, i < 2 ? 40 : 6);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_EVICTIONS), 1);
	evict = bench_find(b, PPU_TR_TASK_EVICT, -1, 0);
	resume = bench_find(b, PPU_TR_TASK_RESUME, -1, 0);
	ck_assert_uint_eq(evict->b, va[1]);	/* the one that came last */
	ck_assert_uint_eq(resume->b, va[1]);
	high = bench_find(b, PPU_TR_TASK_SCHED, -1, 2);
	ck_assert_uint_eq(high->b, va[2]);
	ck_assert_uint_eq(high->unit, evict->unit);
	ck_assert_uint_eq(high->time, evict->time);
	ck_assert_uint_ge(resume->time, bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time);
	ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_DONE, -1, 0)->b, va[2]);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 3);
	bench_free(b);
}
END_TEST

START_TEST(equal_priority_does_not_evict)
{
	struct bench *b = bench_new("task-slots=1 ctas-per-sm=2");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, COUNT(20000));
	uint64_t out = bench_alloc(c, 65536, BENCH_VRAM), va[2];
	struct ppu_tmd *t;

	for (unsigned i = 0; i < 2; i++) {
		va[i] = tmd_new(c, &k, &t);
		t->grid[0] = 30;
		tmd_prio(t, 5);
		t->block[0] = 1;
		tmd_param(t, 0, out + i * 4096);
		bench_launch(ch, va[i]);
		bench_submit(ch);
		bench_run_for(b, 30000);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_EVICTIONS), 0);
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, va[0], va[1]);
	bench_free(b);
}
END_TEST

/* Random priorities, slots and grids: every CTA exactly once, everything completes. */
static void random_evictions(int run)
{
	unsigned seed = (unsigned)run + 1;
	char props[80];
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	struct kern k[3];
	uint64_t out[40];
	unsigned grid[40];

	snprintf(props, sizeof(props), "task-slots=%u ctas-per-sm=%u device-priorities=5 vram=32M",
		 1 + (unsigned)rand_r(&seed) % 3, 1 + (unsigned)rand_r(&seed) % 4);
	b = bench_new(props);
	c = bench_ctx_new(b);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	k[0] = kern_load(c, COUNT(1000));
	k[1] = kern_load(c, COUNT(15000));
	k[2] = kern_load(c, COUNT(40000));
	for (unsigned i = 0; i < 40; i++) {
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k[(unsigned)rand_r(&seed) % 3], &t);

		out[i] = bench_alloc(c, 4096, BENCH_VRAM);
		grid[i] = t->grid[0] = 1 + (unsigned)rand_r(&seed) % 30;
		tmd_prio(t, (unsigned)rand_r(&seed) % 5);
		t->block[0] = 1;
		tmd_param(t, 0, out[i]);
		bench_launch(ch, va);
		bench_submit(ch);
		bench_run_for(b, (unsigned)rand_r(&seed) % 60000);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 40);
	for (unsigned i = 0; i < 40; i++)
		counted_once(c, out[i], grid[i]);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_EVICT, -1), bench_count(b, PPU_TR_TASK_RESUME, -1));
	bench_free(b);
}

START_TEST(many_random_evictions)
{
	for (int i = 0; i < 12; i++)
		random_evictions(i);
}
END_TEST

/* HW-29: 3 x 4 x 5 gives 60 CTAs, each index once. */
START_TEST(grid_coordinates)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c,
		"ld.param.u64 rd2, [0]\ns2r r4, %ctaid.x\ns2r r5, %ctaid.y\ns2r r6, %ctaid.z\n"
		"mad.u32 r7, r5, 3, r4\nmad.u32 r7, r6, 12, r7\nmulw.u32 rd8, r7, 4\n"
		"add.u64 rd2, rd2, rd8\nmov.u32 r5, 1\natom.global.add.u32 rz, [rd2], r5\nexit\n");
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), va;
	struct ppu_tmd *t;

	va = tmd_new(c, &k, &t);
	t->grid[0] = 3;
	t->grid[1] = 4;
	t->grid[2] = 5;
	t->block[0] = 1;
	tmd_param(t, 0, out);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	counted_once(c, out, 60);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CTAS), 60);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_START, -1), 60);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_DONE, -1), 60);
	bench_free(b);
}
END_TEST

/* HW-38: even spread; HW-39: never more warps than there are; one CTA per GPC in cost-cta-ns. */
START_TEST(ctas_spread_over_sms)
{
	struct bench *b = bench_new("gpcs=2 sms-per-gpc=3 warps-per-sm=4 ctas-per-sm=4 cost-cta-ns=70 vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 50000\nexit\n");
	unsigned per_sm[6] = { 0 }, now = 0, most = 0;
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	t->grid[0] = 20;		/* 24 fit */
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++)
		if (b->trace[i].event == PPU_TR_CTA_START)
			per_sm[b->trace[i].unit]++;
	for (unsigned i = 0; i < 6; i++)
		ck_assert_msg(per_sm[i] == 3 || per_sm[i] == 4, "SM %u got %u CTAs", i, per_sm[i]);
	/* the first ones alternate between the GPCs */
	ck_assert_uint_eq(bench_find(b, PPU_TR_CTA_START, -1, 0)->unit, 0);
	ck_assert_uint_eq(bench_find(b, PPU_TR_CTA_START, -1, 1)->unit, 3);
	ck_assert_uint_eq(bench_find(b, PPU_TR_CTA_START, -1, 2)->unit, 1);
	bench_clear(b);
	t->grid[0] = 100;
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++) {
		now += b->trace[i].event == PPU_TR_CTA_START;
		now -= b->trace[i].event == PPU_TR_CTA_DONE;
		most = now > most ? now : most;
	}
	ck_assert_uint_eq(most, 24);
	bench_free(b);
}
END_TEST

/* HW-34: two tasks at once on one GPC; the one of higher priority places its CTAs first. */
START_TEST(two_tasks)
{
	struct bench *b = bench_new("gpcs=1 sms-per-gpc=2 ctas-per-sm=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 100000\nexit\n");
	const struct ppu_trace_rec *r;
	struct ppu_tmd *t, *h;
	uint64_t va = tmd_new(c, &k, &t), vh = tmd_new(c, &k, &h), task = 0;

	t->grid[0] = 20;
	h->grid[0] = 6;
	tmd_prio(h, 3);
	bench_set(b, PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_TASKS);
	bench_launch(ch, va);
	bench_launch(ch, vh);
	bench_submit(ch);
	bench_run(b);
	bench_set(b, PPU_REG_SCHED_CTRL, 0);
	ck_assert(bench_run(b));
	for (unsigned i = 0; i < 6; i++) {
		r = bench_find(b, PPU_TR_CTA_START, -1, i);
		ck_assert_uint_eq(r->a, i);
		ck_assert(!task || task == r->b);
		task = r->b;
	}
	r = bench_find(b, PPU_TR_CTA_START, -1, 6);	/* the other task gets the rest of the room */
	ck_assert_uint_ne(r->b, task);
	ck_assert_uint_eq(r->time, bench_find(b, PPU_TR_CTA_START, -1, 0)->time);
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, vh, va);
	bench_free(b);
}
END_TEST

/* A large task of higher priority is not starved by small CTAs that would always fit. */
START_TEST(no_backfill_past_priority)
{
	struct bench *b = bench_new("gpcs=1 sms-per-gpc=1 warps-per-sm=8 ctas-per-sm=8");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "s2r r2, %ctaid.x\nadd.u32 r2, r2, 1\nmad.u32 r2, r2, 7000, rz\nnanosleep r2\nexit\n");
	struct ppu_tmd *small, *big;
	uint64_t vs = tmd_new(c, &k, &small), vb = tmd_new(c, &k, &big);

	small->grid[0] = 60;
	big->block[0] = 256;		/* the whole SM */
	tmd_prio(big, 1);
	bench_launch(ch, vs);
	bench_submit(ch);
	bench_run_for(b, 50000);
	bench_launch(ch, vb);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, vb, vs);
	bench_free(b);
}
END_TEST

/* HW-36: a CTA goes to the SM with the fewest; where several have as few, they take turns. */
START_TEST(fewest_then_in_turn)
{
	struct bench *b = bench_new("gpcs=1 sms-per-gpc=3 ctas-per-sm=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	struct kern slow = kern_load(c, "nanosleep 1000000\nexit\n"), quick = kern_load(c, "exit\n");
	static const struct { bool slow; unsigned sm; } step[] = {
		{ false, 0 }, { false, 1 }, { false, 2 }, { false, 0 },	/* all are idle: in turn */
		{ true, 1 }, { false, 2 }, { false, 0 },		/* from here on SM 1 has one CTA more */
		{ false, 2 }, { false, 0 }, { true, 2 }, { false, 0 }, { false, 0 },
	};

	for (unsigned i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		struct ppu_tmd *t;

		bench_launch(ch, tmd_new(c, step[i].slow ? &slow : &quick, &t));
		bench_submit(ch);
		bench_run_for(b, 20000);
		ck_assert_msg(bench_find(b, PPU_TR_CTA_START, -1, i)->unit == step[i].sm, "CTA %u went to SM %u", i,
			      bench_find(b, PPU_TR_CTA_START, -1, i)->unit);
	}
	bench_free(b);
}
END_TEST

/* CTA_START number n and those behind it went to these SMs. */
static void started_at(struct bench *b, unsigned n, const char *sms)
{
	for (; *sms; sms++, n++)
		ck_assert_msg(bench_find(b, PPU_TR_CTA_START, -1, n)->unit == (unsigned)(*sms - '0'), "CTA %u went to SM %u", n,
			      bench_find(b, PPU_TR_CTA_START, -1, n)->unit);
}

/* HW-36: the same for many CTAs at one time, when SM 0 has three CTAs and the others none. */
START_TEST(fewest_of_many)
{
	struct bench *b = bench_new("gpcs=1 sms-per-gpc=3 ctas-per-sm=8");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "s2r r2, %ctaid.x\nrem.u32 r2, r2, 3\nsetp.ne.u32 p0, r2, 0\n@p0 exit\n"
				     "nanosleep 1000000\nexit\n");
	struct kern slow = kern_load(c, "nanosleep 1000000\nexit\n");
	struct ppu_tmd *first, *second;
	uint64_t one = tmd_new(c, &k, &first), two = tmd_new(c, &slow, &second);

	first->grid[0] = 9;
	second->grid[0] = 8;
	bench_launch(ch, one);
	bench_submit(ch);
	bench_run_for(b, 20000);
	bench_launch(ch, two);
	bench_submit(ch);
	bench_run_for(b, 20000);
	started_at(b, 0, "012012012" "12121201");
	bench_free(b);
}
END_TEST

/* HW-36: an SM with fewer CTAs that has no room for these. */
START_TEST(fewest_without_room)
{
	struct bench *b = bench_new("gpcs=1 sms-per-gpc=3 ctas-per-sm=4 shared-per-sm=49152");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 1000000\nexit\n");
	struct ppu_tmd *one, *many;
	uint64_t first = tmd_new(c, &k, &one), second = tmd_new(c, &k, &many);

	one->shared_bytes = 40960;
	many->grid[0] = 8;
	many->shared_bytes = 16384;
	bench_launch(ch, first);
	bench_submit(ch);
	bench_run_for(b, 20000);
	bench_launch(ch, second);
	bench_submit(ch);
	bench_run_for(b, 20000);
	started_at(b, 0, "0121212");
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_START, -1), 7);
	bench_free(b);
}
END_TEST

/* HW-36: CTAs that were saved do not count any more. */
START_TEST(fewest_after_saving)
{
	struct bench *b = bench_new("gpcs=1 sms-per-gpc=2 warps-per-sm=8 ctas-per-sm=8 task-slots=8");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 1000000\nexit\n");
	struct ppu_tmd *t[4];
	uint64_t va[4];

	for (unsigned i = 0; i < 4; i++) {
		va[i] = tmd_new(c, &k, &t[i]);
		t[i]->block[0] = i == 0 ? 64 : i == 2 ? 96 : 32;
		tmd_prio(t[i], i / 2);
	}
	t[0]->grid[0] = 7;		/* four on SM 0, three on SM 1 */
	for (unsigned i = 0; i < 4; i++) {
		bench_launch(ch, va[i]);
		bench_submit(ch);
		bench_run_for(b, 20000);
	}
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_SAVE, -1), 2);
	started_at(b, 0, "0101010100");
	bench_free(b);
}
END_TEST

/* HW-24: saving a CTA takes time, and so does restoring it: both tasks end that much later. */
START_TEST(eviction_takes_time)
{
	uint64_t took[2], back[2];

	for (unsigned i = 0; i < 2; i++) {
		struct bench *b = bench_new(i ? "task-slots=1 gpcs=1 sms-per-gpc=1 cost-evict-ns=70000" :
						"task-slots=1 gpcs=1 sms-per-gpc=1 cost-evict-ns=0");
		struct bench_ctx *c = bench_ctx_new(b);
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		struct kern k = kern_load(c, "nanosleep 100000\nexit\n");

		for (unsigned n = 0; n < 2; n++) {
			struct ppu_tmd *t;
			uint64_t va = tmd_new(c, &k, &t);

			tmd_prio(t, n);
			bench_launch(ch, va);
			bench_submit(ch);
			bench_run_for(b, 20000);
		}
		ck_assert(bench_run(b));
		took[i] = bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time - bench_find(b, PPU_TR_TASK_EVICT, -1, 0)->time;
		back[i] = bench_find(b, PPU_TR_TASK_DONE, -1, 1)->time - bench_find(b, PPU_TR_TASK_RESUME, -1, 0)->time;
		bench_free(b);
	}
	ck_assert_uint_eq(took[1], took[0] + 70000);
	ck_assert_uint_eq(back[1], back[0] + 70000);
}
END_TEST

/* A-HW-7: a task that was evicted goes on before others of its priority that have waited for longer. */
START_TEST(evicted_comes_back_first)
{
	struct bench *b = bench_new("task-slots=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 100000\nexit\n");
	uint64_t va[4];

	for (unsigned i = 0; i < 4; i++) {	/* 0 runs, 1 and 2 wait, 3 is stronger */
		struct ppu_tmd *t;

		va[i] = tmd_new(c, &k, &t);
		tmd_prio(t, i == 3);
		bench_launch(ch, va[i]);
		bench_submit(ch);
		bench_run_for(b, 10000);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_EVICTIONS), 1);
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, va[3], va[0], va[1], va[2]);
	bench_free(b);
}
END_TEST

/*
 * HW-36: A task waits for room that a stronger one holds, so no CTA can be evicted for it.  A weaker task that would fit
 * into what is free does not start before it: later the first one would have to evict it.
 */
START_TEST(no_backfill_past_a_waiting_task)
{
	struct bench *b = bench_new("gpcs=1 sms-per-gpc=1 warps-per-sm=8 ctas-per-sm=8");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 100000\nexit\n");
	static const unsigned warps[] = { 5, 6, 3 };
	uint64_t va[3];

	for (unsigned i = 0; i < 3; i++) {
		struct ppu_tmd *t;

		va[i] = tmd_new(c, &k, &t);
		t->block[0] = 32 * warps[i];
		tmd_prio(t, 2 - i);
		bench_launch(ch, va[i]);
		bench_submit(ch);
		bench_run_for(b, 10000);
	}
	ck_assert(bench_run(b));
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, va[0], va[1], va[2]);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_SAVE, -1), 0);
	ck_assert_uint_ge(bench_find(b, PPU_TR_CTA_START, -1, 2)->time, bench_find(b, PPU_TR_TASK_DONE, -1, 1)->time);
	bench_free(b);
}
END_TEST

/*
 * HW-17: While the first task of a level waits for room in the save area, a stronger one joins that needs less: it runs at
 * once, and not when the room for the other one is there.
 */
START_TEST(a_task_that_joins_may_fit)
{
	struct bench *b = bench_new("task-slots=8");
	struct bench_ctx *c = bench_ctx_make(b);
	struct ppu_tmd *t[3];
	struct bench_chan *ch;
	struct kern slow, quick;
	uint64_t va[3];

	c->blk->save_size = 96 * 1024;	/* for level 1: one image with 32 KiB of shared memory, and a small one */
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	slow = kern_load(c, "nanosleep 1000000\nexit\n");
	quick = kern_load(c, "nanosleep 1000\nexit\n");
	for (unsigned i = 0; i < 3; i++) {
		va[i] = tmd_new(c, i == 2 ? &quick : &slow, &t[i]);
		tmd_prio(t[i], i);
		t[i]->shared_bytes = i == 2 ? 0 : 32 * 1024;
	}
	bench_launch(ch, va[0]);
	bench_launch(ch, va[1]);
	bench_submit(ch);
	bench_run_for(b, 200000);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_START, -1), 1);	/* the other one waits */
	bench_launch(ch, va[2]);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, va[2], va[0], va[1]);
	ck_assert_uint_lt(bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time, 300000);
	bench_free(b);
}
END_TEST

BENCH_MAIN("wdu", task_slots, evicts_lower_priority, equal_priority_does_not_evict, many_random_evictions,
	   grid_coordinates, ctas_spread_over_sms, two_tasks, fewest_then_in_turn, fewest_of_many,
	   fewest_without_room, fewest_after_saving, no_backfill_past_priority, eviction_takes_time, evicted_comes_back_first,
	   no_backfill_past_a_waiting_task, a_task_that_joins_may_fit)
