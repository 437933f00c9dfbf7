/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* What must not go wrong: late events, lost wake-ups, contexts changed under tasks, damaged state. */
#include <stdio.h>
#include <unistd.h>
#include "bench_main.h"
#include "tasks.h"
#include <hw/ppu_isa.h>

/* A driver recentres a queue; the warp's task ends; the state can still be saved and restored. */
START_TEST(save_after_driver_recentred)
{
	struct bench *b = bench_new("token-queue-driver=1 token-queue-entries=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "ssy L\nssy L\nssy L\nL: exit\n");
	struct ppu_tmd *t;
	uint8_t *bytes;
	size_t len;
	char *err = NULL;
	unsigned n = 0;

	bench_launch(ch, tmd_new(c, &k, &t));
	bench_wfi(ch);
	bench_submit(ch);
	bench_run(b);
	while (bench_reg(b, PPU_REG_SM_EXC_CAUSE)) {
		bench_set(b, PPU_REG_SM_EXC_DONE, 1);	/* "done", but nothing moved: the device recentres */
		bench_run(b);
		n++;
	}
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1);
	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	bench_new_core(b);
	ck_assert_msg(!ppu_core_load(b->core, bytes, len, &err), "%s", err);
	free(bytes);
	bench_free(b);
}
END_TEST

/* A watchdog whose task has ended does not move device time. */
START_TEST(watchdog_goes_with_its_task)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_make(b);
	struct bench_chan *ch;
	uint64_t task;

	c->blk->watchdog_ns = 1000000000;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	task = bench_sleep_task(c, 1000);
	bench_launch(ch, task);
	bench_launch(ch, task);
	bench_wfi(ch);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 2);
	ck_assert_uint_lt(ppu_core_time(b->core), 1000000);

	/* Also when it is aborted. */
	bench_launch(ch, bench_sleep_task(c, 1000000));
	bench_submit(ch);
	bench_run_for(b, 100000);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 1);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert(bench_run(b));
	ck_assert_uint_lt(ppu_core_time(b->core), 2000000);
	bench_free(b);
}
END_TEST

/* Device time never gets near the largest 64-bit value. */
START_TEST(endless_watchdog)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_make(b);
	struct bench_chan *ch;

	c->blk->watchdog_ns = ~0ull - 30000;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	for (unsigned i = 0; i < 3; i++) {
		bench_launch(ch, bench_sleep_task(c, 1000));
		bench_submit(ch);
		ck_assert(bench_run(b));
	}
	ck_assert_uint_lt(ppu_core_time(b->core), 1000000);
	bench_free(b);
}
END_TEST

/* The first channel that waits for a task record finds its gate closed: the next channel gets the record. */
START_TEST(pool_goes_round_a_closed_gate)
{
	struct bench *b = bench_new("task-records=4 task-slots=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *full = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	struct bench_chan *gated = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *next = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t sem = bench_alloc(c, 4096, BENCH_SYS);

	for (unsigned i = 0; i < 3; i++)
		bench_launch(full, bench_sleep_task(c, 1000000));
	bench_launch(full, bench_sleep_task(c, 100000));
	bench_submit(full);
	bench_run_for(b, 20000);
	bench_wr64(c, sem, 1);
	bench_acquire(gated, PPU_SEM_OP_EQ | PPU_CMDF_SEM_GATE, sem, 1);
	bench_launch(gated, bench_sleep_task(c, 100));
	bench_submit(gated);
	bench_run_for(b, 5000);
	bench_launch(next, bench_sleep_task(c, 100));
	bench_submit(next);
	bench_run_for(b, 5000);
	ck_assert_uint_eq(bench_chan_reg(full, PPU_REG_CH_TASKS), 4);
	ck_assert_uint_eq(bench_chan_reg(next, PPU_REG_CH_TASKS), 0);
	bench_wr64(c, sem, 0);
	bench_run_for(b, 200000);
	ck_assert_uint_eq(bench_get(gated), 0);
	ck_assert_uint_eq(bench_get(next), 1);
	bench_wr64(c, sem, 1);
	bench_kick(gated);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(gated), 1);
	bench_free(b);
}
END_TEST

/* The areas a context's warps use cannot be changed while it has tasks. */
START_TEST(areas_stay_while_there_are_tasks)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "mov.u32 r4, 8\nL: st.local.u32 [r4], r4\nnanosleep 20000\nbra L\n");
	struct ppu_inst_block was = *c->blk;
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	t->local_per_thread = 16;
	bench_launch(ch, va);
	bench_submit(ch);
	bench_run_for(b, 50000);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	c->blk->local_per_thread = 0x7ffffff0;
	ck_assert(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD) & PPU_CTX_BAD);
	bench_run_for(b, 50000);	/* the bench looks at what is reported dirty */
	*c->blk = was;
	c->blk->watchdog_ns = 1000000;
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD) & PPU_CTX_BAD, 0);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	c->blk->local_per_thread = 32;
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD) & PPU_CTX_BAD, 0);
	bench_free(b);
}
END_TEST

/* Many launches of huge programs in one window: the code they may read at one time is bounded. */
START_TEST(launches_of_huge_programs)
{
	struct bench *b = bench_new("vram=16M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "ld.param.u64 rd4, [0]\nld.param.u64 rd8, [8]\ns2r r2, %tid.x\n"
				     "mulw.u32 rd10, r2, 4\nadd.u64 rd8, rd8, rd10\ntlaunch r6, rd4\n"
				     "st.global.u32 [rd8], r6\nexit\n");
	const uint64_t code = 0x700000000000, pages = 31;	/* programs of 2 MiB; the last page is missing */
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), phys = (bench_vram(b, 4 << 20) + 0x1fffff) & ~0x1fffffull;
	uint64_t child, va;
	unsigned n[8] = { 0 };
	struct ppu_tmd *t;

	for (uint64_t i = 0; i < pages; i++)
		*bench_pte(c, code + (i << 21), 1) = PPU_PTE_VALID | PPU_PTE_LARGE | phys;
	child = tmd_new(c, &k, &t);
	t->code_va = code;
	t->code_insns = PPU_PC_MAX + 1;
	va = tmd_new(c, &k, &t);
	t->block[0] = 128;
	tmd_param(t, 0, child);
	tmd_param(t, 1, out);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	for (unsigned i = 0; i < 128; i++)
		n[-((int32_t *)bench_ptr(c, out))[i] & 7]++;
	ck_assert_uint_ge(n[-PPU_LAUNCH_CODE], 1);
	ck_assert_uint_le(n[-PPU_LAUNCH_CODE], 8);
	ck_assert_uint_eq(n[-PPU_LAUNCH_CODE] + n[-PPU_LAUNCH_LIMITS], 128);
	bench_free(b);
}
END_TEST

/* ---- damaged state --------------------------------------------------------------------------------- */

static void busy(struct bench *b)
{
	struct bench_ctx *c = bench_ctx_new(b), *o = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	struct bench_chan *oc = bench_chan_new(o, PPU_CLASS_COMPUTE, 16);
	struct bench_chan *cp = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct bench_chan *wt = bench_chan_new(o, PPU_CLASS_COPY, 8);
	struct kern bar = kern_load(c, "s2r r4, %tid.x\nL: setp.lt.u32 p0, r4, 40\n@p0 nanosleep 3000\nbar.sync 0\n"
				       "ld.param.u64 rd2, [0]\nst.global.u32 [rd2], r4\nbra L\n");
	struct kern par = kern_load(c, "ld.param.u64 rd4, [0]\ntlaunch r6, rd4\ntsync r9\nexit\n");
	struct kern div = kern_load(o, "s2r r4, %laneid\nssy J\nsetp.lt.u32 p0, r4, 9\n@p0 bra A\n"
				       "ssy J\nssy J\nM: yield\nbra M\nA: nanosleep 2000\nbra M\nJ: exit\n");
	uint64_t mem = bench_alloc(c, 1 << 20, BENCH_VRAM), child = bench_sleep_task(c, 900000), va;
	struct ppu_tmd *t;

	va = tmd_new(c, &par, &t);
	tmd_param(t, 0, child);
	t->grid[0] = 3;
	bench_launch(ch, va);
	va = tmd_new(c, &bar, &t);
	tmd_param(t, 0, mem);
	t->block[0] = 96;
	t->grid[0] = 30;
	t->shared_bytes = 256;
	bench_launch(ch, va);
	tmd_prio(t, 3);
	bench_launch(ch, va);
	bench_wfi(ch);
	bench_submit(ch);
	bench_launch(oc, tmd_new(o, &div, &t));
	bench_launch(oc, tmd_new(o, &div, &t));
	bench_submit(oc);
	bench_copy(cp, mem, mem + 400000, 400000);
	bench_submit(cp);
	bench_acquire(wt, PPU_SEM_OP_EQ, bench_alloc(o, 4096, BENCH_SYS), 77);
	bench_submit(wt);
}

#define BUSY "vram=16M task-slots=3 task-records=16 copy-engines=1 channels=8 watches=4 window-ns=1000 " \
	     "gpcs=1 sms-per-gpc=2 warps-per-sm=8 ctas-per-sm=4 regs-per-sm=8192 shared-per-sm=1024 shared-per-cta=1024 " \
	     "device-priorities=4 "

static void damaged(const char *more, unsigned seed, unsigned rounds)
{
	char props[400];
	struct bench *b;
	uint8_t *good, *bad, *vram;
	size_t len, head;
	unsigned loaded = 0;

	snprintf(props, sizeof(props), BUSY "%s", more);
	b = bench_new(props);
	busy(b);
	bench_run_for(b, 20000 + rand_r(&seed) % 20000);
	ck_assert_int_eq(ppu_core_save(b->core, &good, &len), 0);
	head = (size_t)((uint8_t *)memmem(good, len, "sms ", 4) - good) + 64;
	bad = malloc(len);
	vram = malloc(b->cfg.vram);
	memcpy(vram, b->vram, b->cfg.vram);
	b->ports.trace = NULL;
	for (unsigned i = 0; i < rounds; i++) {
		unsigned flips = 1 + rand_r(&seed) % 3;
		char *err = NULL;

		memcpy(bad, good, len);
		while (flips--) {
			/* half of them where there are no registers */
			size_t at = (size_t)rand_r(&seed) % (rand_r(&seed) % 2 ? len : head);

			switch (rand_r(&seed) % 5) {
			case 0: bad[at] ^= 1u << rand_r(&seed) % 8; break;
			case 1: bad[at] = 0; break;
			case 2: bad[at] = 0xff; break;
			case 3: bad[at]++; break;
			default: if (at + 4 < len) memset(bad + at, 0, 4); break;
			}
		}
		if (i % 64 == 0)
			memcpy(b->vram, vram, b->cfg.vram);
		bench_new_core(b);
		if (ppu_core_load(b->core, bad, len, &err)) {
			free(err);
			continue;
		}
		loaded++;
		alarm(20);
		for (unsigned n = 0; n < 150 && ppu_core_next_event(b->core) != PPU_TIME_NEVER; n++) {
			if (n == 100) {
				uint8_t *again;
				size_t l;

				if (!ppu_core_save(b->core, &again, &l))
					free(again);
			}
			ppu_core_request_stop(b->core);
			ppu_core_run(b->core, ppu_core_next_event(b->core));
			ppu_core_run(b->core, ppu_core_next_event(b->core));
			if (n == 120)
				for (struct bench_ctx *c = b->ctxs; c; c = c->next)
					bench_ctx_cmd(c, PPU_CTX_CMD_FORGET);
		}
		alarm(0);
	}
	if (getenv("ROBUST_VERBOSE"))
		printf("%s: %u of %u loaded\n", more, loaded, rounds);
	free(good);
	free(bad);
	free(vram);
	bench_free(b);
}

static unsigned rounds(void)
{
	const char *s = getenv("ROBUST_ROUNDS");

	return s ? (unsigned)atoi(s) : 200;
}

static unsigned start(void)
{
	const char *s = getenv("ROBUST_SEED");

	return s ? (unsigned)atoi(s) : 1;
}

START_TEST(damaged_state)
{
	damaged("", start(), rounds());
}
END_TEST

START_TEST(damaged_state_with_exceptions)
{
	damaged("token-queue-driver=1 token-queue-entries=4", start() + 1, rounds());
}
END_TEST

BENCH_MAIN("robust", save_after_driver_recentred, watchdog_goes_with_its_task, endless_watchdog,
	   pool_goes_round_a_closed_gate, launches_of_huge_programs, areas_stay_while_there_are_tasks, damaged_state,
	   damaged_state_with_exceptions)
