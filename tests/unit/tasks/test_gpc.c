/* SPDX-License-Identifier: MIT */
/* The window driver: times of windows, order of effects, workers, idleness, save and restore. */
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"

static unsigned first_worker, rounds;

/* One worker finds all the work: its own share, then from the ends of the others'.  As good as any other order. */
static void one_for_all(void *opaque, void (*fn)(void *, unsigned), void *arg)
{
	rounds++;
	for (unsigned i = 0; i < 4; i++)
		fn(arg, (first_worker + i) % 4);
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

START_TEST(workers_do_not_show)
{
	struct bench *a = bench_new(PROPS);

	workload(a, false, 0);
	for (first_worker = 0; first_worker < 4; first_worker++) {
		struct bench *b = bench_new(PROPS "workers=4");

		rounds = 0;
		workload(b, true, 0);
		ck_assert_uint_gt(rounds, 10);
		same(a, b);
		bench_free(b);
	}
	bench_free(a);
}
END_TEST

START_TEST(save_and_restore_with_tasks)
{
	struct bench *ref = bench_new(PROPS);
	unsigned seed = 3;

	workload(ref, false, 0);
	for (unsigned i = 0; i < 25; i++) {
		struct bench *b = bench_new(PROPS);

		workload(b, false, 1 + (unsigned)rand_r(&seed) % 150000);
		same(ref, b);
		bench_free(b);
	}
	bench_free(ref);
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

/* Long sleeps cost no windows, and nothing is scheduled when all is done. */
START_TEST(idle_costs_nothing)
{
	struct bench *b = bench_new("window-ns=1000");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 900000\nexit\n");
	struct ppu_tmd *t;
	unsigned events = 0;

	bench_launch(ch, tmd_new(c, &k, &t));
	bench_submit(ch);
	while (ppu_core_next_event(b->core) != PPU_TIME_NEVER) {
		ppu_core_run(b->core, ppu_core_next_event(b->core));
		events++;
	}
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

BENCH_MAIN("gpc", workers_do_not_show, save_and_restore_with_tasks, effects_in_order, idle_costs_nothing,
	   sm_store_releases_a_channel)
