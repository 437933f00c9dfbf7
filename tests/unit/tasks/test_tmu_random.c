/* SPDX-License-Identifier: MIT */
/*
 * Random tasks against a model of the scheduler table and the task table that knows nothing but
 * these rows: lists by priority with head and tail insertion (HW-17, HW-20), the highest first (SP-3),
 * a slot for a running task (HW-22), eviction of a strictly lower priority only, to the head of its list
 * (HW-23, HW-24).  It replays the trace and checks every decision, and that none is missing.
 */
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"

#define TASKS	120
#define PRIOS	6

struct model {
	unsigned slots, running;
	struct mtask {
		unsigned prio, slot_order;
		bool head, on_slot;
	} t[TASKS];
	unsigned list[PRIOS][TASKS], len[PRIOS], order;
};

static void insert(struct model *m, unsigned i, bool head)
{
	unsigned p = m->t[i].prio, *l = m->list[p], at = head ? 0 : m->len[p];

	memmove(l + at + 1, l + at, (m->len[p] - at) * sizeof(*l));
	l[at] = i;
	m->len[p]++;
}

static int highest(const struct model *m)
{
	for (int p = PRIOS; p-- > 0;)
		if (m->len[p])
			return p;
	return -1;
}

/* The task with the lowest priority among those with a slot, of several the one that came last; -1: none. */
static int weakest(const struct model *m)
{
	int w = -1;

	for (unsigned i = 0; i < TASKS; i++)
		if (m->t[i].on_slot && (w < 0 || m->t[i].prio < m->t[w].prio ||
					(m->t[i].prio == m->t[w].prio && m->t[i].slot_order > m->t[w].slot_order)))
			w = (int)i;
	return w;
}

static void check_rest(const struct model *m, uint64_t time)
{
	int p = highest(m), w = weakest(m);

	ck_assert_msg(p < 0 || (m->running == m->slots && (int)m->t[w].prio >= p),
		      "at %llu a task of priority %d waits, %u of %u slots are taken", (unsigned long long)time, p,
		      m->running, m->slots);
}

static void replay(struct bench *b, struct model *m, const uint64_t *va)
{
	uint64_t last = 0;

	for (size_t k = 0; k < b->num_trace; k++) {
		const struct ppu_trace_rec *r = &b->trace[k];
		unsigned i;
		int p;

		if (r->event < PPU_TR_TASK_SCHED || r->event > PPU_TR_TASK_PEND)
			continue;
		if (r->time != last)
			check_rest(m, last);
		last = r->time;
		for (i = 0; i < TASKS && va[i] != r->b; i++)
			;
		ck_assert_uint_lt(i, TASKS);
		switch (r->event) {
		case PPU_TR_TASK_PEND:
			insert(m, i, m->t[i].head);
			break;
		case PPU_TR_TASK_SCHED: case PPU_TR_TASK_RESUME:
			p = highest(m);
			ck_assert_msg(p >= 0 && m->list[p][0] == i, "at %llu task %u got a slot", (unsigned long long)last, i);
			ck_assert_uint_lt(m->running, m->slots);
			memmove(m->list[p], m->list[p] + 1, --m->len[p] * sizeof(m->list[p][0]));
			m->t[i].on_slot = true;
			m->t[i].slot_order = m->order++;
			m->running++;
			break;
		case PPU_TR_TASK_EVICT:
			p = highest(m);
			ck_assert_uint_eq(m->running, m->slots);
			ck_assert_msg(weakest(m) == (int)i && p > (int)m->t[i].prio, "at %llu task %u was evicted",
				      (unsigned long long)last, i);
			m->t[i].on_slot = false;
			m->running--;
			insert(m, i, true);
			break;
		case PPU_TR_TASK_DONE:
			ck_assert(m->t[i].on_slot);
			m->t[i].on_slot = false;
			m->running--;
			break;
		}
	}
	check_rest(m, last);
	ck_assert_uint_eq(m->running, 0);
	ck_assert_int_eq(highest(m), -1);
}

static void one(unsigned run)
{
	unsigned seed = run * 77 + 5;
	struct model m = { .slots = 1 + run % 5 };
	struct kern k[3];
	uint64_t va[TASKS];
	char props[140];
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;

	snprintf(props, sizeof(props), "task-slots=%u device-priorities=%u vram=32M window-ns=1000 window-halvings=%u", m.slots,
		 PRIOS, run / 5 % 4);
	b = bench_new(props);
	c = bench_ctx_new(b);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 256);
	k[0] = kern_load(c, "exit\n");
	k[1] = kern_load(c, "nanosleep 5000\nexit\n");
	k[2] = kern_load(c, "mov.u32 r2, 0\nL: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, 5000\n@p1 bra L\nexit\n");
	for (unsigned i = 0; i < TASKS; i++) {
		struct ppu_tmd *t;

		va[i] = tmd_new(c, &k[(unsigned)rand_r(&seed) % 3], &t);
		t->block[0] = 1;
		m.t[i].prio = (unsigned)rand_r(&seed) % PRIOS;
		m.t[i].head = rand_r(&seed) % 4 == 0;
		tmd_prio(t, m.t[i].prio);
		if (m.t[i].head)
			t->flags |= PPU_TMDF_ADD_HEAD;
		bench_launch(ch, va[i]);
		if (rand_r(&seed) % 3 == 0)
			continue;
		bench_submit(ch);
		bench_run_for(b, (unsigned)rand_r(&seed) % 12000);
	}
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), TASKS);
	ck_assert_uint_gt(bench_ctr(b, PPU_CTR_EVICTIONS), 0);
	replay(b, &m, va);
	bench_free(b);
}

START_TEST(random_tasks_against_a_model)
{
	for (unsigned run = 0; run < 15; run++)
		one(run);
}
END_TEST

BENCH_MAIN("tmu_random", random_tasks_against_a_model)
