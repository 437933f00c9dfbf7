/* SPDX-License-Identifier: MIT */
/* Queue tasks: a task that is fed while it runs (HW-30, HW-31, HW-32). */
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"

#define ENTRY	32		/* bytes */

struct q {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	struct ppu_tmd *t;
	struct ppu_task_queue *h;
	uint64_t va, queue, out, put;
};

/* Each CTA: adds the entry's first word to word [second word] of parameter 0, and stores its queue index
 * and CTA number behind it. */
static const char worker[] =
	"ld.param.u64 rd2, [0]\n"
	"ld.param.u32 r4, [16]\n"
	"ld.param.u32 r5, [20]\n"
	"madw.u32 rd6, r5, 16, rd2\n"
	"atom.global.add.u32 rz, [rd6], r4\n"
	"s2r rd8, %queue_index\n"
	"st.global.u32 [rd6+4], r8\n"
	"s2r r10, %ctaid.x\n"
	"st.global.u32 [rd6+8], r10\n"
	"mov.u32 r11, 1\n"
	"atom.global.add.u32 rz, [rd6+12], r11\n"
	"nanosleep 3000\n"
	"exit\n";

static struct q q_new(const char *props, const char *text, unsigned capacity, bool inl, uint64_t where)
{
	struct q q = { .b = bench_new(props) };
	struct kern k;

	q.c = bench_ctx_new(q.b);
	q.ch = bench_chan_new(q.c, PPU_CLASS_COMPUTE, 16);
	k = kern_load(q.c, text);
	q.out = bench_alloc(q.c, 65536, BENCH_VRAM);
	q.va = tmd_new_in(q.c, &k, &q.t, where);
	q.t->kind = PPU_TMD_QUEUE;
	q.t->block[0] = 1;
	q.t->queue_capacity = capacity;
	q.t->queue_entry_bytes = ENTRY;
	if (inl) {
		q.t->flags |= PPU_TMDF_QUEUE_INLINE;
		q.queue = q.va + PPU_TMD_SIZE;
		ck_assert_uint_le(PPU_TMD_SIZE + sizeof(*q.h) + capacity * ENTRY, TMD_PARAMS);
	} else {
		q.queue = q.t->queue_va = bench_alloc(q.c, 65536, where);
	}
	q.h = bench_ptr(q.c, q.queue);
	tmd_param(q.t, 0, q.out);
	return q;
}

/* The CPU adds up to n entries, as far as there is room; returns how many. */
static unsigned q_push(struct q *q, unsigned n)
{
	unsigned i;

	for (i = 0; i < n && q->put - q->h->get < q->t->queue_capacity; i++, q->put++) {
		uint32_t e[ENTRY / 4] = { 100 + (uint32_t)q->put, (uint32_t)q->put };

		bench_write(q->c, q->queue + sizeof(*q->h) + q->put % q->t->queue_capacity * ENTRY, e, sizeof(e));
	}
	q->h->put = q->put;
	bench_kick(q->ch);
	return i;
}

static void q_close(struct q *q)
{
	q->h->put = q->put | PPU_TASKQ_CLOSED;
	bench_kick(q->ch);
}

static void q_check(struct q *q, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t v[4];

		bench_read(q->c, q->out + i * 16, v, sizeof(v));
		ck_assert_msg(v[0] == 100 + i && v[1] == i && v[2] == i && v[3] == 1,
			      "entry %u: %u %u %u, %u times", i, v[0], v[1], v[2], v[3]);
	}
	ck_assert_uint_eq(bench_rd64(q->c, q->out + n * 16), 0);
}

/*
 * HW-30: without entries the task lives until its queue is closed; 7 entries give 7 CTAs. With both placements of the
 * queue, in both kinds of memory.
 */
START_TEST(lives_until_closed)
{
	for (unsigned i = 0; i < 4; i++) {
		struct q q = q_new("task-slots=1", worker, 8, i & 1, i & 2 ? BENCH_SYS : BENCH_VRAM);
		struct ppu_tmd *o;
		struct kern nap = kern_load(q.c, "nanosleep 1000\nexit\n");
		uint64_t other = tmd_new(q.c, &nap, &o);

		bench_launch(q.ch, q.va);
		bench_submit(q.ch);
		ck_assert(bench_run(q.b));		/* nothing to do, and no polling */
		ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 1);
		ck_assert_uint_eq(bench_ctr(q.b, PPU_CTR_CTAS), 0);
		/* the task holds no slot meanwhile */
		bench_launch(q.ch, other);
		bench_submit(q.ch);
		ck_assert(bench_run(q.b));
		ASSERT_TMDS(q.b, PPU_TR_TASK_DONE, other);
		ck_assert_uint_eq(q_push(&q, 7), 7);
		ck_assert(bench_run(q.b));
		ck_assert_uint_eq(bench_ctr(q.b, PPU_CTR_CTAS), 8);
		ck_assert_uint_eq(q.h->get, 7);
		q_check(&q, 7);
		ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 1);
		q_close(&q);
		ck_assert(bench_run(q.b));
		ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 0);
		ASSERT_TMDS(q.b, PPU_TR_TASK_DONE, other, q.va);
		bench_free(q.b);
	}
}
END_TEST

START_TEST(closed_without_entries)
{
	for (unsigned before = 0; before < 2; before++) {
		struct q q = q_new(NULL, worker, 8, true, BENCH_VRAM);

		if (before)
			q_close(&q);
		bench_launch(q.ch, q.va);
		bench_submit(q.ch);
		ck_assert(bench_run(q.b));
		if (!before)
			q_close(&q);
		ck_assert(bench_run(q.b));
		ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 0);
		ck_assert_uint_eq(bench_ctr(q.b, PPU_CTR_TASKS), 1);
		bench_free(q.b);
	}
}
END_TEST

/* HW-32: capacity 4, 1000 entries, each once, no overrun; fed while CTAs run. */
START_TEST(circular)
{
	struct q q = q_new("ctas-per-sm=3", worker, 4, false, BENCH_VRAM);
	unsigned left = 1000, seed = 5, full = 0;

	bench_launch(q.ch, q.va);
	bench_submit(q.ch);
	while (left) {
		unsigned n = q_push(&q, left < 3 ? left : 1 + (unsigned)rand_r(&seed) % 3);

		full += !n;
		left -= n;
		bench_run_for(q.b, (unsigned)rand_r(&seed) % 4000);
		ck_assert_uint_le(q.h->get, q.put);
		ck_assert_uint_le(q.put - q.h->get, 4);
	}
	q_close(&q);
	ck_assert(bench_run(q.b));
	ck_assert_uint_gt(full, 10);		/* the producer had to wait */
	ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 0);
	ck_assert_uint_eq(bench_ctr(q.b, PPU_CTR_CTAS), 1000);
	q_check(&q, 1000);
	bench_free(q.b);
}
END_TEST

/* HW-31: a CTA of the running task pushes 3 more entries; all are processed, the last one closes.  No
 * kick, no CPU: the device sees the stores of its SMs. */
START_TEST(pushed_by_a_running_task)
{
	/* parameter 1: the queue.  Entry 0 pushes entries 1, 2, 3; entry 3 closes. */
	static const char pushes[] =
		"ld.param.u64 rd2, [0]\n"
		"ld.param.u64 rd12, [8]\n"
		"ld.param.u32 r4, [16]\n"
		"ld.param.u32 r5, [20]\n"
		"madw.u32 rd6, r5, 16, rd2\n"
		"atom.global.add.u32 rz, [rd6], r4\n"
		"s2r rd8, %queue_index\n"
		"st.global.u32 [rd6+4], r8\n"
		"st.global.u32 [rd6+8], r8\n"
		"mov.u32 r11, 1\n"
		"atom.global.add.u32 rz, [rd6+12], r11\n"
		"setp.eq.u32 p1, r8, 3\n"
		"@p1 bra Close\n"
		"setp.ne.u32 p1, r8, 0\n"
		"@p1 exit\n"
		"nanosleep 30000\n"
		"mov.u32 r14, 1\n"
		"mov.u32 r17, 0\n"
		"L: add.u32 r15, r14, 100\n"
		"madw.u32 rd18, r14, 32, rd12\n"
		"st.global.u32 [rd18+64], r15\n"
		"st.global.u32 [rd18+68], r14\n"
		"membar.sys\n"
		"add.u32 r14, r14, 1\n"
		"mov.u32 r16, r14\n"
		"st.global.u64 [rd12], rd16\n"
		"setp.lt.u32 p1, r14, 4\n"
		"@p1 bra L\n"
		"exit\n"
		"Close: mov.u32 r16, 4\nmov.u32 r17, 0x80000000\nst.global.u64 [rd12], rd16\nexit\n";
	struct q q = q_new("task-slots=1", pushes, 8, false, BENCH_VRAM);

	tmd_param(q.t, 1, q.queue);
	q_push(&q, 1);
	bench_launch(q.ch, q.va);
	bench_submit(q.ch);
	ck_assert(bench_run(q.b));
	ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 0);
	q_check(&q, 4);
	ck_assert_uint_eq(bench_ctr(q.b, PPU_CTR_CTAS), 4);
	bench_free(q.b);
}
END_TEST

/* HW-30: an entry may stand for a child task: its CTA launches the TMD it names. */
START_TEST(entries_for_children)
{
	struct q q = q_new(NULL, "ld.param.u64 rd2, [16]\ntlaunch r4, rd2\nexit\n", 8, true, BENCH_VRAM);
	struct kern k = kern_load(q.c, "nanosleep 9000\nexit\n");
	struct ppu_tmd *t;
	uint64_t child = tmd_new(q.c, &k, &t);

	for (unsigned i = 0; i < 3; i++)
		bench_wr64(q.c, q.queue + sizeof(*q.h) + i * ENTRY, child);
	q.h->put = 3 | PPU_TASKQ_CLOSED;
	bench_launch(q.ch, q.va);
	bench_submit(q.ch);
	ck_assert(bench_run(q.b));
	ASSERT_TMDS(q.b, PPU_TR_TASK_DONE, child, child, child, q.va);
	bench_free(q.b);
}
END_TEST

/* A counter that goes back or exceeds the capacity, a queue that is not mapped. */
START_TEST(bad_queues)
{
	for (unsigned i = 0; i < 5; i++) {
		struct q q = q_new(NULL, worker, 8, false, BENCH_VRAM);

		if (i == 2)
			bench_unmap(q.c, q.queue, 4096);
		if (i == 3) {	/* may be read but not written */
			q.t->queue_va = bench_alloc(q.c, 4096, BENCH_VRAM | PPU_PTE_READONLY);
			bench_wr64(q.c, q.t->queue_va, 1);
		}
		if (i == 4) {	/* entries reach past the mapped page */
			q.t->queue_va = bench_alloc(q.c, 4096, BENCH_VRAM) + 4096 - 64;
			bench_unmap(q.c, q.t->queue_va + 64, 4096);
			bench_wr64(q.c, q.t->queue_va, 1);
		}
		bench_launch(q.ch, q.va);
		bench_submit(q.ch);
		ck_assert(bench_run(q.b));
		if (i < 2) {
			ck_assert_uint_eq(q_push(&q, 5), 5);
			ck_assert(bench_run(q.b));
			q.h->put = i ? 14 : 4;		/* 5 entries were taken: up to 13 would be legal */
			bench_kick(q.ch);
			ck_assert(bench_run(q.b));
		}
		ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_ERROR), PPU_ERR_TASK_QUEUE);
		ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 0);
		bench_free(q.b);
	}
}
END_TEST

/* The put counter goes back to entries that no CTA has taken yet: refused, although nothing that ran is gone. */
START_TEST(put_goes_back)
{
	struct q q = q_new("ctas-per-sm=1", worker, 8, false, BENCH_VRAM);

	bench_launch(q.ch, q.va);
	bench_submit(q.ch);
	ck_assert_uint_eq(q_push(&q, 6), 6);
	while (q.h->get < 2)
		bench_run_for(q.b, 500);
	ck_assert_uint_lt(q.h->get, 5);
	q.h->put = 5;
	bench_kick(q.ch);
	ck_assert(bench_run(q.b));
	ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_ERROR), PPU_ERR_TASK_QUEUE);
	ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 0);
	bench_free(q.b);
}
END_TEST

/* Refused: values that are not allowed in a queue TMD. */
START_TEST(bad_queue_tmds)
{
	struct q q = q_new(NULL, worker, 8, false, BENCH_VRAM);

	for (unsigned i = 0; i < 8; i++) {
		struct bench_chan *ch = bench_chan_new(q.c, PPU_CLASS_COMPUTE, 8);
		struct ppu_tmd good = *q.t;

		switch (i) {
		case 0: q.t->flags |= PPU_TMDF_QUEUE_INLINE; break;
		case 1: q.t->queue_va = 0; break;
		case 2: q.t->queue_va += 8; break;
		case 3: q.t->queue_capacity = 0; break;
		case 4: q.t->queue_capacity = PPU_TASKQ_CAPACITY_MAX + 1; break;
		case 5: q.t->queue_entry_bytes = 24; break;
		case 6: q.t->queue_entry_bytes = 272; break;
		case 7: q.t->grid[1] = 2; break;
		}
		bench_launch(ch, q.va);
		bench_submit(ch);
		ck_assert(bench_run(q.b));
		ck_assert_msg(bench_chan_reg(ch, PPU_REG_CH_ERROR) == PPU_ERR_TMD_BAD, "case %u", i);
		*q.t = good;
	}
	bench_free(q.b);
}
END_TEST

/* The task is evicted in the middle, and the device saved and restored: every entry runs once. */
START_TEST(preempted_and_restored)
{
	struct q q = q_new("task-slots=1 ctas-per-sm=2 window-ns=1000", worker, 4, false, BENCH_VRAM);
	struct kern k = kern_load(q.c, "exit\n");
	unsigned left = 120, seed = 9;
	struct ppu_tmd *h;
	uint64_t high = tmd_new(q.c, &k, &h);

	tmd_prio(h, 6);
	bench_launch(q.ch, q.va);
	bench_submit(q.ch);
	for (unsigned i = 0; left; i++) {
		left -= q_push(&q, left < 2 ? left : 2);
		if (i % 3 == 0) {
			bench_launch(q.ch, high);
			bench_submit(q.ch);
		}
		bench_run_for(q.b, (unsigned)rand_r(&seed) % 5000);
		if (i % 5 == 0) {
			uint8_t *bytes = NULL;
			char *err = NULL;
			size_t len = 0;

			ck_assert_int_eq(ppu_core_save(q.b->core, &bytes, &len), 0);
			bench_new_core(q.b);
			if (ppu_core_load(q.b->core, bytes, len, &err))
				ck_abort_msg("load: %s", err);
			free(bytes);
		}
	}
	q_close(&q);
	ck_assert(bench_run(q.b));
	ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 0);
	ck_assert_uint_gt(bench_count(q.b, PPU_TR_CTA_RESTORE, -1), 5);
	q_check(&q, 120);
	bench_free(q.b);
}
END_TEST

/* The task's channel is stopped while the task waits and while it runs. */
START_TEST(stopped)
{
	for (unsigned n = 0; n < 2; n++) {
		struct q q = q_new(NULL, worker, 8, true, BENCH_VRAM);

		bench_launch(q.ch, q.va);
		bench_submit(q.ch);
		ck_assert(bench_run(q.b));
		if (n) {
			q_push(&q, 7);
			bench_run_for(q.b, 1000);
		}
		bench_chan_set(q.ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
		ck_assert_uint_eq(bench_chan_reg(q.ch, PPU_REG_CH_TASKS), 0);
		q.h->put = 3;
		bench_kick(q.ch);
		ck_assert(bench_run(q.b));
		bench_free(q.b);
	}
}
END_TEST

/*
 * Three queue tasks get entries in the same moment, and before the task unit looks at their queues some of the tasks end:
 * the others go on, and so do they after the state was saved and loaded between the two.
 */
static void change(unsigned gone, bool reload)
{
	struct q q = q_new("ctas-per-sm=8", worker, 8, true, BENCH_VRAM), all[3];
	struct kern k = kern_load(q.c, worker);

	all[0] = q;
	for (unsigned i = 1; i < 3; i++) {
		all[i] = q;
		all[i].ch = bench_chan_new(q.c, PPU_CLASS_COMPUTE, 16);
		all[i].out = bench_alloc(q.c, 65536, BENCH_VRAM);
		all[i].va = tmd_new(q.c, &k, &all[i].t);
		all[i].t->kind = PPU_TMD_QUEUE;
		all[i].t->block[0] = 1;
		all[i].t->queue_capacity = 8;
		all[i].t->queue_entry_bytes = ENTRY;
		all[i].t->flags |= PPU_TMDF_QUEUE_INLINE;
		all[i].queue = all[i].va + PPU_TMD_SIZE;
		all[i].h = bench_ptr(q.c, all[i].queue);
		tmd_param(all[i].t, 0, all[i].out);
	}
	for (unsigned i = 0; i < 3; i++) {
		bench_launch(all[i].ch, all[i].va);
		bench_submit(all[i].ch);
	}
	ck_assert(bench_run(q.b));
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(q_push(&all[i], 5), 5);
	if (reload)
		bench_reload(q.b);
	for (unsigned i = 0; i < 3; i++)
		if (gone & 1 << i)
			bench_chan_set(all[i].ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert(bench_run(q.b));
	for (unsigned i = 0; i < 3; i++) {
		q_check(&all[i], gone & 1 << i ? 0 : 5);
		ck_assert_uint_eq(bench_chan_reg(all[i].ch, PPU_REG_CH_TASKS), !(gone & 1 << i));
		if (!(gone & 1 << i))
			q_close(&all[i]);
	}
	ck_assert(bench_run(q.b));
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(bench_chan_reg(all[i].ch, PPU_REG_CH_TASKS), 0);
	bench_free(q.b);
}

START_TEST(changed_and_gone)
{
	for (unsigned i = 0; i < 16; i++)
		change(i & 7, i & 8);
}
END_TEST

BENCH_MAIN("taskq", lives_until_closed, closed_without_entries, circular,
	   pushed_by_a_running_task, entries_for_children, bad_queues, put_goes_back, bad_queue_tmds,
	   preempted_and_restored, stopped, changed_and_gone)
