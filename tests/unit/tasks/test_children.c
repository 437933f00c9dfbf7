/* SPDX-License-Identifier: MIT */
/* Kernels that launch kernels: levels, priorities, families of tasks, many children. */
#include <stdio.h>
#include <hw/ppu_save.h>
#include "bench_main.h"
#include "tasks.h"
#include "core/tasks/tmu.h"

/* Launches the TMD in parameter 0 (itself or another), waits for it. */
static const char chain[] = "ld.param.u64 rd4, [0]\ntlaunch r6, rd4\ntsync r7\nexit\n";

/* SP-39: p = 4, N = 4: priorities 4, 5, 6, 7; completions 7, 6, 5, 4; the next CPU-launched kernel of the
 * stream starts after that and carries 4 again. */
START_TEST(chain_and_next)
{
	struct bench *b = bench_new("task-slots=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, chain);
	const unsigned done[] = { 7, 6, 5, 4, 7, 6, 5, 4 }, accepted[] = { 4, 5, 6, 7, 4, 5, 6, 7 };
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	t->block[0] = 1;
	tmd_prio(t, 4);
	tmd_param(t, 0, va);
	bench_launch(ch, va);
	bench_wfi(ch);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_DONE, -1, i)->a, done[i]);
		ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_ACCEPT, -1, i)->a, accepted[i]);
		ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_ACCEPT, -1, i)->d, 1 + i % 4);
	}
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_DONE, -1), 8);
	ck_assert_uint_gt(bench_find(b, PPU_TR_TASK_SCHED, -1, 4)->time, bench_find(b, PPU_TR_TASK_DONE, -1, 3)->time);
	bench_free(b);
}
END_TEST

/* SP-2, HW-26: a task that the CPU launches has depth 1 and no parent, even if a thread launches the same TMD, too. */
START_TEST(launched_by)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern p = kern_load(c, chain), k = kern_load(c, "nanosleep 100000\nexit\n");
	struct ppu_tmd *t, *u;
	uint64_t pv = tmd_new(c, &p, &t), kv = tmd_new(c, &k, &u);
	unsigned roots = 0, children = 0;

	t->block[0] = u->block[0] = 1;
	tmd_param(t, 0, kv);
	bench_launch(ch, pv);
	bench_launch(ch, kv);
	bench_submit(ch);
	bench_run_for(b, 60000);
	for (uint32_t i = 0; i < b->cfg.task_records; i++) {
		const struct ppu_task *r = ppu_tmu_task(b->core, i);

		if (!r)
			continue;
		roots += r->parent == -1 && r->sm.depth == 1;
		children += r->parent >= 0 && r->sm.depth == 2 && r->tmd_va == kv &&
			    ppu_tmu_task(b->core, (uint32_t)r->parent)->tmd_va == pv;
	}
	ck_assert_uint_eq(roots, 2);
	ck_assert_uint_eq(children, 1);
	bench_free(b);
}
END_TEST

/* SP-33, SP-40, and unlike the prior art: parents run at the stream's priority (8), not at the lowest. */
START_TEST(parents_at_the_streams_priority)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern p = kern_load(c, chain), k = kern_load(c, "exit\n");
	struct ppu_tmd *childless, *parent, *child;
	uint64_t va[3] = { tmd_new(c, &k, &childless), tmd_new(c, &p, &parent), tmd_new(c, &k, &child) };
	static const unsigned want[] = { 8, 8, 9 };

	parent->block[0] = 1;
	tmd_prio(childless, 8);
	tmd_prio(parent, 8);
	tmd_prio(child, 1);		/* the priority in a child's TMD is ignored */
	tmd_param(parent, 0, va[2]);
	bench_launch(ch, va[0]);
	bench_launch(ch, va[1]);
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (unsigned i = 0; i < 3; i++) {
		const struct ppu_trace_rec *r = bench_find(b, PPU_TR_TASK_ACCEPT, -1, i);

		ck_assert_uint_eq(r->b, va[i]);
		ck_assert_uint_eq(r->a, want[i]);
	}
	bench_free(b);
}
END_TEST

/* SP-12: children rise as far as the ceiling of their context, whatever the device has above it. */
START_TEST(children_stay_below_the_ceiling)
{
	struct bench *b = bench_new("task-slots=1");
	struct bench_ctx *low = bench_ctx_make(b), *c = bench_ctx_new(b);
	static const unsigned want[] = { 4, 5, 5, 5, 4, 5, 6, 7 };

	low->blk->prio_ceiling = bench_prio(5);
	bench_ctx_cmd(low, PPU_CTX_CMD_LOAD);
	for (unsigned i = 0; i < 2; i++) {
		struct bench_ctx *x = i ? c : low;
		struct bench_chan *ch = bench_chan_new(x, PPU_CLASS_COMPUTE, 8);
		struct kern k = kern_load(x, chain);
		struct ppu_tmd *t;
		uint64_t va = tmd_new(x, &k, &t);

		t->block[0] = 1;
		tmd_prio(t, 4);
		tmd_param(t, 0, va);
		bench_launch(ch, va);
		bench_submit(ch);
		ck_assert(bench_run(b));
	}
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_ACCEPT, -1), 8);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_ACCEPT, -1, i)->a, want[i]);
	/* The trace says so: levels 3 and 4 of the first context. */
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_CEILING, -1), 2);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_CEILING, -1, i)->a, 5);
		ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_CEILING, -1, i)->d, 3 + i);
	}
	bench_free(b);
}
END_TEST

/*
 * SP-12: 24 levels on 12 priorities: from level 9 on all have the highest.  One slot, and parents that fill the machine
 * and wait: each level goes before its parent all the same, and the chain ends from the innermost level outwards.
 */
START_TEST(more_levels_than_priorities)
{
	struct bench *b = bench_new("vram=64M task-slots=1 gpcs=1 sms-per-gpc=1 ctas-per-sm=1");
	struct bench_ctx *c = bench_ctx_make(b);
	struct bench_chan *ch;
	struct ppu_tmd *t;
	struct kern k;
	uint64_t va;

	c->blk->max_depth = 24;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	k = kern_load(c, chain);
	va = tmd_new(c, &k, &t);
	t->block[0] = 1;
	tmd_prio(t, 3);
	tmd_param(t, 0, va);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_DONE, -1), 24);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_CEILING, -1), 24 - 9);
	for (unsigned i = 0; i < 24; i++) {
		const struct ppu_trace_rec *r = bench_find(b, PPU_TR_TASK_ACCEPT, -1, i);

		ck_assert_uint_eq(r->a, 3 + i < 11 ? 3 + i : 11);
		ck_assert_uint_eq(r->d, i + 1);
		ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_DONE, -1, 23 - i)->c, r->c);
	}
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	bench_free(b);
}
END_TEST

/* Each of two CTAs launches the TMD in parameter 0 and waits; a leaf does nothing.  Parameter 1: nanoseconds before. */
static const char launches_late[] =
	"ld.param.u64 rd4, [0]\nld.param.u32 r8, [8]\nnanosleep r8\ntlaunch r6, rd4\ntsync r7\nexit\n";

/* Tasks in the order they were complete: p is the parent, c a child, o another task of the parent's priority. */
static const char *family(unsigned priorities, unsigned ceiling, unsigned *ceilings)
{
	static char order[32];
	char props[96];
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch, *ch2;
	struct kern k, leaf;
	struct ppu_tmd *t;
	uint64_t parent, child, other, done[16];
	unsigned n;

	snprintf(props, sizeof(props), "task-slots=1 gpcs=1 sms-per-gpc=1 ctas-per-sm=1 device-priorities=%u", priorities);
	b = bench_new(props);
	c = bench_ctx_make(b);
	c->blk->prio_ceiling = (uint8_t)bench_prio(ceiling);
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	ch2 = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	k = kern_load(c, launches_late);
	leaf = kern_load(c, "nanosleep 5000\nexit\n");
	child = tmd_new(c, &leaf, &t);
	other = tmd_new(c, &leaf, &t);
	t->grid[0] = 3;
	parent = tmd_new(c, &k, &t);
	t->block[0] = 1;
	t->grid[0] = 2;
	tmd_param(t, 0, child);
	tmd_param(t, 1, 20000);
	bench_launch(ch, parent);
	bench_submit(ch);
	bench_run_for(b, 5000);
	bench_launch(ch2, other);	/* waits before the child is there */
	bench_submit(ch2);
	ck_assert(bench_run(b));
	n = trace_tmds(b, PPU_TR_TASK_DONE, done, 16);
	for (unsigned i = 0; i < n; i++)
		order[i] = done[i] == parent ? 'p' : done[i] == child ? 'c' : 'o';
	order[n] = 0;
	*ceilings = (unsigned)bench_count(b, PPU_TR_TASK_CEILING, -1);
	for (unsigned i = 0; i < n; i++) {
		const struct ppu_trace_rec *r = bench_find(b, PPU_TR_TASK_ACCEPT, -1, i);

		ck_assert_uint_eq(r->a, priorities > 1 && ceiling ? r->d - 1 : 0);
	}
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR) | bench_chan_reg(ch2, PPU_REG_CH_ERROR), 0);
	bench_free(b);
	return order;
}

/*
 * SP-13: one priority above the parent is the only rule that is built, and what "Other ways to put children first" of
 * Documentation/runtime/task-priorities.md says of it is so.  With one free priority above the parent the child goes before
 * another task of the parent's priority that has waited longer.  Without, it stands behind that task; but the parent, which
 * fills the machine and waits, leaves slot and SM, so nothing hangs.
 */
START_TEST(other_ways)
{
	unsigned told;

	ck_assert_str_eq(family(2, 1, &told), "ccpo");
	ck_assert_uint_eq(told, 0);
	ck_assert_str_eq(family(2, 0, &told), "occp");	/* none under the ceiling of the context */
	ck_assert_uint_eq(told, 2);
	ck_assert_str_eq(family(1, 0, &told), "occp");	/* none in the device */
	ck_assert_uint_eq(told, 2);
}
END_TEST

/* SP-33: a launch from the CPU may have the ceiling of its context as its priority, and no higher one. */
START_TEST(launches_stay_below_the_ceiling)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_make(b);

	c->blk->prio_ceiling = bench_prio(5);
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	for (unsigned prio = 4; prio < 8; prio++) {
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		struct kern k = kern_load(c, "exit\n");
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k, &t);

		tmd_prio(t, prio);
		bench_launch(ch, va);
		bench_submit(ch);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), prio <= 5 ? 0 : PPU_ERR_TMD_PRIORITY);
	}
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 2);
	bench_free(b);
}
END_TEST

/* SP-34, SP-35, SP-46: a task without a priority gets the lowest, and its child the next one. */
START_TEST(default_is_lowest)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern p = kern_load(c, chain), k = kern_load(c, "exit\n");
	struct ppu_tmd *parent, *child;
	uint64_t pv = tmd_new(c, &p, &parent);

	parent->block[0] = 1;
	parent->priority = 7;		/* not marked valid */
	tmd_param(parent, 0, tmd_new(c, &k, &child));
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_ACCEPT, -1, 0)->a, 0);
	ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_ACCEPT, -1, 1)->a, 1);
	bench_free(b);
}
END_TEST

/* Launches the TMD in parameter 0; of the results of all levels the greatest is kept at parameter 1. */
static const char worst[] = "ld.param.u64 rd4, [0]\nld.param.u64 rd8, [8]\ntlaunch r6, rd4\n"
	"atom.global.max.u32 rz, [rd8], r6\ntsync r7\nexit\n";

/* SP-36, SP-45: what refuses the launch is the context's own depth, and the launching thread is told so. */
START_TEST(too_deep_is_told)
{
	struct bench *b = bench_new("vram=32M");

	for (unsigned depth = 1; depth <= 4; depth++) {
		struct bench_ctx *c = bench_ctx_make(b);
		struct bench_chan *ch;
		struct ppu_tmd *t;
		struct kern k;
		uint64_t va, out;

		c->blk->max_depth = depth;
		bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
		ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		out = bench_alloc(c, 4096, BENCH_VRAM);
		k = kern_load(c, worst);
		va = tmd_new(c, &k, &t);
		t->block[0] = 1;
		tmd_param(t, 0, va);
		tmd_param(t, 1, out);
		bench_launch(ch, va);
		bench_submit(ch);
		ck_assert(bench_run(b));
		ck_assert_int_eq((int32_t)bench_rd64(c, out), PPU_LAUNCH_DEPTH);
	}
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1 + 2 + 3 + 4);
	bench_free(b);
}
END_TEST

/* SP-36: tasks that the CPU launched are no pending children: the limit of pending launches is not for them. */
START_TEST(parents_are_not_pending)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_make(b);
	struct bench_chan *ch;
	struct kern nap, k;
	struct ppu_tmd *t;
	uint64_t va, out;

	c->blk->max_pending = 1;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	out = bench_alloc(c, 4096, BENCH_VRAM);
	nap = kern_load(c, "nanosleep 100000\nexit\n");
	k = kern_load(c, worst);
	for (unsigned i = 0; i < 3; i++)
		bench_launch(ch, tmd_new(c, &nap, &t));
	va = tmd_new(c, &k, &t);
	t->block[0] = 1;
	tmd_param(t, 0, tmd_new(c, &nap, &(struct ppu_tmd *){ NULL }));
	tmd_param(t, 1, out);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq((uint32_t)bench_rd64(c, out), PPU_LAUNCH_OK);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 5);
	bench_free(b);
}
END_TEST

/* SP-45: two contexts with N = 2 and N = 4 at once: the same program fails at level 3 and at level 5. */
START_TEST(depth_per_context)
{
	struct bench *b = bench_new("vram=32M");
	static const unsigned n[2] = { 2, 4 };
	struct bench_chan *ch[2];

	for (unsigned i = 0; i < 2; i++) {
		struct bench_ctx *c = bench_ctx_make(b);
		struct ppu_tmd *t;
		struct kern k;
		uint64_t va;

		c->blk->max_depth = n[i];
		bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
		ch[i] = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		k = kern_load(c, chain);
		va = tmd_new(c, &k, &t);
		t->block[0] = 1;
		t->id = i;
		tmd_param(t, 0, va);
		bench_launch(ch[i], va);
		bench_submit(ch[i]);
	}
	ck_assert(bench_run(b));
	for (unsigned i = 0; i < 2; i++) {
		unsigned deepest = 0;

		for (size_t k = 0; k < b->num_trace; k++)
			if (b->trace[k].event == PPU_TR_TASK_ACCEPT && b->trace[k].unit == ch[i]->id &&
			    b->trace[k].d > deepest)
				deepest = (unsigned)b->trace[k].d;
		ck_assert_uint_eq(deepest, n[i]);
		ck_assert_uint_eq(bench_chan_reg(ch[i], PPU_REG_CH_ERROR), 0);
	}
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 6);
	bench_free(b);
}
END_TEST

/* SP-42, HW-25: launches go from the SMs to the task unit: the host interface and the CPU take no part. */
START_TEST(not_through_the_host)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern p = kern_load(c, chain), k = kern_load(c, "nanosleep 20000\nexit\n");
	struct ppu_tmd *parent, *child;
	uint64_t pv = tmd_new(c, &p, &parent);
	bool between = false;

	parent->block[0] = 1;
	tmd_param(parent, 0, tmd_new(c, &k, &child));
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++) {
		unsigned e = b->trace[i].event;

		between |= e == PPU_TR_CHILD_LAUNCH;
		ck_assert(!between || (e != PPU_TR_CMD && e != PPU_TR_ENTRY && e != PPU_TR_INTR && e != PPU_TR_DOORBELL));
	}
	ck_assert(between);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CHILD_TASKS), 1);
	for (unsigned i = 0; i < PPU_NUM_VECTORS; i++)
		ck_assert_uint_eq(b->irqs[i], 0);
	bench_free(b);
}
END_TEST

/* 10^5 children of a parent of 1000 CTAs, each CTA waiting for its own 100. */
START_TEST(many_children)
{
	struct bench *b = bench_new("task-records=120000 vram=64M cost-launch-ns=10 cost-cta-ns=1 cost-evict-ns=1 window-ns=2000");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern p = kern_load(c, "ld.param.u64 rd2, [0]\nld.param.u64 rd4, [8]\ntlaunch r6, rd4\ntsync r7\n"
		"atom.global.add.u32 rz, [rd2], r6\nmov.u32 r8, 1\natom.global.add.u32 rz, [rd2+4], r8\nexit\n");
	struct kern k = kern_load(c, "ld.param.u64 rd2, [0]\nmov.u32 r8, 1\natom.global.add.u32 rz, [rd2+8], r8\nexit\n");
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), pv;
	struct ppu_tmd *parent, *child;
	uint32_t v[3];

	b->core->ports.trace = NULL;
	pv = tmd_new(c, &p, &parent);
	parent->grid[0] = 1000;
	parent->block[0] = 100;
	tmd_param(parent, 0, out);
	tmd_param(parent, 1, tmd_new(c, &k, &child));
	child->block[0] = 1;
	tmd_param(child, 0, out);
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	bench_read(c, out, v, sizeof(v));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(v[0], 0);		/* no launch failed */
	ck_assert_uint_eq(v[1], 100000);
	ck_assert_uint_eq(v[2], 100000);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 100001);
	bench_free(b);
}
END_TEST

/* The cost of a launch does not grow with the number of waiting tasks: steps of searches, not time. */
START_TEST(launch_cost_is_flat)
{
	struct bench *b = bench_new("task-records=120000 task-slots=2 vram=64M cost-launch-ns=0");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	struct kern endless = kern_load(c, "L: bra L\n"), k = kern_load(c, "exit\n");
	uint64_t ev, kv, steps[2];
	struct ppu_tmd *e, *t;

	ev = tmd_new(c, &endless, &e);
	kv = tmd_new(c, &k, &t);
	e->block[0] = t->block[0] = 1;
	tmd_prio(e, 3);
	tmd_prio(t, 3);
	for (unsigned i = 0; i < 2; i++)
		bench_launch(ch, ev);		/* both slots are taken for good */
	bench_submit(ch);
	bench_run_for(b, 20000);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned n = 0; round && n < 50; n++) {
			for (unsigned i = 0; i < 2000; i++)
				bench_launch(ch, kv);
			bench_submit(ch);
			bench_run_for(b, 200000);
		}
		for (unsigned i = 0; !round && i < 10; i++)
			bench_launch(ch, kv);
		if (!round)
			bench_submit(ch);
		bench_run_for(b, 100000);
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), round ? 100012 + 20 : 12);
		steps[round] = b->core->task_steps;
		for (unsigned i = 0; i < 20; i++)
			bench_launch(ch, kv);
		bench_submit(ch);
		bench_run_for(b, 100000);
		steps[round] = b->core->task_steps - steps[round];
	}
	ck_assert_uint_gt(steps[0], 0);
	ck_assert_uint_le(steps[1], steps[0] + 2 * 20);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
	bench_free(b);
}
END_TEST

/* HW-21: no value of task A shows in task B on the same SM: parameters, special registers, registers. */
START_TEST(clean_state)
{
	struct bench *b = bench_new("gpcs=1 sms-per-gpc=1 task-slots=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 32);
	struct kern k = kern_load(c, "mov.u32 r20, r21\nld.param.u64 rd2, [0]\nld.param.u32 r4, [8]\ns2r rd6, %tmdid\n"
		"s2r rd8, %envreg0\ns2r r10, %ntid.x\ns2r r11, %nctaid.x\ns2r r12, %dynamic_smem_size\nmov.u32 r13, 0\n"
		"ld.shared.u32 r14, [r13]\nst.shared.u32 [r13], r4\nnanosleep 3000\n"
		"st.global.u32 [rd2], r4\nst.global.u32 [rd2+4], r6\nst.global.u32 [rd2+8], r8\n"
		"st.global.u32 [rd2+12], r10\nst.global.u32 [rd2+16], r11\nst.global.u32 [rd2+20], r12\n"
		"st.global.u32 [rd2+24], r14\nst.global.u32 [rd2+28], r20\nmov.u32 r21, 77\nexit\n");
	uint64_t out = bench_alloc(c, 8192, BENCH_VRAM);

	for (unsigned i = 0; i < 12; i++) {
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k, &t);

		tmd_param(t, 0, out + 64 * i);
		tmd_param(t, 1, 1000 + i);
		t->id = 500 + i;
		t->envreg[0] = 900 + i;
		t->block[0] = 1 + i;
		t->grid[0] = 1 + i % 3;
		t->shared_bytes = 64 + 16 * (i % 4);
		t->shared_dyn_bytes = 16 * (i % 4);
		tmd_prio(t, i / 2);		/* later ones evict earlier ones */
		bench_launch(ch, va);
		bench_submit(ch);
		bench_run_for(b, 4000);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_gt(bench_ctr(b, PPU_CTR_EVICTIONS), 2);
	for (unsigned i = 0; i < 12; i++) {
		const uint32_t want[8] = { 1000 + i, 500 + i, 900 + i, 1 + i, 1 + i % 3, 16 * (i % 4), 0, 0 };
		uint32_t v[8];

		bench_read(c, out + 64 * i, v, sizeof(v));
		for (unsigned k2 = 0; k2 < 8; k2++)
			ck_assert_msg(v[k2] == want[k2], "task %u: word %u is %u", i, k2, v[k2]);
	}
	bench_free(b);
}
END_TEST

/* HW-35: on each GPC in turn, the same results. */
START_TEST(gpcs_are_alike)
{
	struct bench *b = bench_new("gpcs=4 sms-per-gpc=1 vram=32M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	struct kern k = kern_load(c, "ld.param.u64 rd2, [0]\ns2r r4, %tid.x\nmadw.u32 rd6, r4, 4, rd2\nmad.u32 r5, r4, 37, r4\n"
		"shfl.bfly.full r8, r5, 3, 31\nst.global.u32 [rd6], r8\nexit\n");
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM);
	uint8_t v[4][128];
	unsigned seen = 0;

	for (unsigned i = 0; i < 4; i++) {
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k, &t);

		tmd_param(t, 0, out + 128 * i);
		bench_launch(ch, va);
		bench_submit(ch);
		ck_assert(bench_run(b));
		seen |= 1u << bench_find(b, PPU_TR_CTA_START, -1, i)->unit;
		bench_read(c, out + 128 * i, v[i], 128);
		ck_assert_int_eq(memcmp(v[0], v[i], 128), 0);
	}
	ck_assert_uint_eq(seen, 15);
	bench_free(b);
}
END_TEST

/* token-queue-driver=1: while the warp waits for the driver, its task does not run. */
START_TEST(watchdog_leaves_out_the_driver)
{
	struct bench *b = bench_new("token-queue-driver=1 token-queue-entries=4");
	struct bench_ctx *c = bench_ctx_make(b);
	struct bench_chan *ch;
	struct kern k;
	struct ppu_tmd *t;

	c->blk->watchdog_ns = 200000;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	k = kern_load(c, "nanosleep 50000\nssy L\nssy L\nssy L\nL: bra L\n");
	bench_launch(ch, tmd_new(c, &k, &t));
	bench_submit(ch);
	bench_run_for(b, 2000000);
	ck_assert_uint_ne(bench_reg(b, PPU_REG_SM_EXC_CAUSE), 0);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	bench_set(b, PPU_REG_SM_EXC_DONE, 1);
	bench_run_for(b, 100000);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);	/* about 50 + 100 us have run */
	bench_run_for(b, 100000);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_WATCHDOG);
	bench_free(b);
}
END_TEST

/* HW-17: three tasks of priorities 1, 1, 4 stand in the right lists of M, in order. */
START_TEST(scheduler_table)
{
	struct bench *b = bench_new("device-priorities=7");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "exit\n");
	static const unsigned prio[] = { 1, 1, 4 };
	uint64_t va[3];

	bench_set(b, PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_TASKS);
	for (unsigned i = 0; i < 3; i++) {
		struct ppu_tmd *t;

		va[i] = tmd_new(c, &k, &t);
		tmd_prio(t, prio[i]);
		bench_launch(ch, va[i]);
	}
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (unsigned p = 0; p < 7; p++) {
		const struct ppu_task *t = NULL;

		for (unsigned i = 0; i < 3; i++)
			if (prio[i] == p) {
				t = ppu_tmu_listed(b->core, bench_prio(p), t);
				ck_assert_ptr_nonnull(t);
				ck_assert_uint_eq(t->tmd_va, va[i]);
			}
		ck_assert_ptr_null(ppu_tmu_listed(b->core, bench_prio(p), t));
	}
	ck_assert_ptr_null(ppu_tmu_listed(b->core, 7, NULL));
	bench_set(b, PPU_REG_SCHED_CTRL, 0);
	ck_assert(bench_run(b));
	bench_free(b);
}
END_TEST

/*
 * HW-16: the task unit has two parts.  The task management unit takes tasks, orders them and holds them; what it hands to the
 * work distribution unit gets a slot, and that unit alone starts CTAs on SMs.  While nothing is handed over, tasks are
 * accepted and put in order, and no slot and no SM is touched; afterwards each task goes through both.
 */
START_TEST(two_parts)
{
	struct bench *b = bench_new("task-slots=1 gpcs=1 sms-per-gpc=2");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t va[3], last;
	struct ppu_tmd *t;
	struct kern k = kern_load(c, "nanosleep 1000\nexit\n");

	bench_set(b, PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_TASKS);
	for (unsigned i = 0; i < 3; i++) {
		va[i] = tmd_new(c, &k, &t);
		t->grid[0] = 4;
		tmd_prio(t, i);
		bench_launch(ch, va[i]);
	}
	bench_submit(ch);
	bench_run_for(b, 1000000);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_ACCEPT, -1), 3);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_PEND, -1), 3);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_SCHED, -1), 0);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_START, -1), 0);
	bench_set(b, PPU_REG_SCHED_CTRL, 0);
	ck_assert(bench_run(b));
	/* the order is the first part's: the highest priority first; the CTAs are the second part's */
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_SCHED, -1, i)->b, va[2 - i]);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_START, -1), 12);
	last = 0;
	for (unsigned i = 0; i < 12; i++) {
		const struct ppu_trace_rec *cta = bench_find(b, PPU_TR_CTA_START, -1, i);

		ck_assert_uint_ge(cta->time, bench_find(b, PPU_TR_TASK_SCHED, -1, i / 4)->time);
		ck_assert_uint_ge(cta->time, last);
		last = cta->time;
	}
	bench_free(b);
}
END_TEST

/* SP-15, SP-16: a level costs save area; a depth of N needs N - 1 levels more than one of 1. */
START_TEST(levels_cost_memory)
{
	uint64_t one = PPU_SAVE_AREA_BYTES(15, 548864, 1, 1024), last = one;

	for (unsigned n = 2; n <= PPU_MAX_DEPTH; n++) {
		uint64_t bytes = PPU_SAVE_AREA_BYTES(15, 548864, n, 1024);

		ck_assert_uint_eq(bytes - last, PPU_SAVE_PART_BYTES(15, 548864, 1024));
		last = bytes;
	}
	/* and the area is used: a level without room for one CTA refuses it, before any side effect */
	{
		struct bench *b = bench_new(NULL);
		struct bench_ctx *c = bench_ctx_make(b);
		struct bench_chan *ch;
		struct ppu_tmd *t, *u;
		struct kern p, k;
		uint64_t pv;

		c->blk->save_size = 64 * 1024;	/* about 8 KiB for each level below the first */
		bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
		ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		p = kern_load(c, "ld.param.u64 rd4, [0]\nld.param.u64 rd2, [8]\ntlaunch r6, rd4\nst.global.u32 [rd2], r6\nexit\n");
		k = kern_load(c, "exit\n");
		pv = tmd_new(c, &p, &t);
		t->block[0] = 1;
		tmd_param(t, 0, tmd_new(c, &k, &u));
		tmd_param(t, 1, bench_alloc(c, 4096, BENCH_VRAM));
		u->block[0] = 128;		/* four warps, at least 2.7 KB each */
		bench_launch(ch, pv);
		bench_submit(ch);
		ck_assert(bench_run(b));
		ck_assert_int_eq((int32_t)bench_rd64(c, *(uint64_t *)((char *)t + TMD_PARAMS + 8)), PPU_LAUNCH_LIMITS);
		ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1);
		bench_free(b);
	}
}
END_TEST

BENCH_MAIN("children", scheduler_table, two_parts, levels_cost_memory, chain_and_next, launched_by,
	   parents_at_the_streams_priority, children_stay_below_the_ceiling, more_levels_than_priorities, other_ways,
	   launches_stay_below_the_ceiling,
	   default_is_lowest, depth_per_context, too_deep_is_told, parents_are_not_pending, not_through_the_host,
	   many_children, launch_cost_is_flat, clean_state, gpcs_are_alike, watchdog_leaves_out_the_driver)
