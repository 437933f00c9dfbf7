/* SPDX-License-Identifier: MIT */
/* A reset of the device: what it had in its caches is gone. */
#include <check.h>
#include "bench_main.h"
#include "tasks.h"

/* Runs the task again and returns how long its CTA took. */
static uint64_t run(struct bench *b, struct bench_chan *ch, uint64_t tmd)
{
	uint64_t start;

	bench_clear(b);
	bench_launch(ch, tmd);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	start = bench_find(b, PPU_TR_CTA_START, -1, 0)->time;
	return bench_find(b, PPU_TR_CTA_DONE, -1, 0)->time - start;
}

/* HW-66, HW-73: data, code and constants come from DRAM again. */
START_TEST(reset_empties_caches)
{
	struct bench *b = bench_new("memory-timing=1 sms-per-gpc=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "ld.param.u64 rd2, [0]\nld.global.u32 r4, [rd2]\nadd.u32 r4, r4, 1\n"
				  "ld.global.u32 r5, [rd2+4096]\nadd.u32 r5, r5, r4\nexit\n");
	uint64_t data = bench_alloc(c, 8192, BENCH_VRAM), tmd, cold, warm;
	struct ppu_tmd *t;

	tmd = tmd_new(c, &k, &t);
	tmd_param(t, 0, data);
	cold = run(b, ch, tmd);
	warm = run(b, ch, tmd);
	ck_assert_uint_lt(warm + 2 * b->cfg.dram_ns, cold);
	ck_assert_uint_eq(run(b, ch, tmd), warm);

	bench_set(b, PPU_REG_RESET, 1);
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	bench_chan_setup(ch);
	bench_chan_enable(ch);
	ch->put = 0;
	ck_assert_uint_eq(run(b, ch, tmd), cold);
	ck_assert_uint_eq(run(b, ch, tmd), warm);
	bench_free(b);
}
END_TEST

/* ---- nothing is left ------------------------------------------------------------------------------- */

#define PROPS "memory-timing=1 device-priorities=5 ctas-per-sm=2 copy-engines=2"

/* Makes the device busy in many ways: contexts, one of them refused; copies, waits, watches, an error, a fault, tasks that
 * run, wait, launch and are preempted, a task with a queue. */
static struct bench *busy(uint64_t until)
{
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c = bench_ctx_new(b), *d = bench_ctx_new(b), *bad = bench_ctx_make(b);
	struct bench_chan *compute = bench_chan_new(c, PPU_CLASS_COMPUTE, 8), *copy = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct bench_chan *waits = bench_chan_new(d, PPU_CLASS_COPY, 8), *wrong = bench_chan_new(d, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *urgent = bench_chan_new(d, PPU_CLASS_COMPUTE, 8), *faults = bench_chan_new(d, PPU_CLASS_COPY, 8);
	uint64_t buf = bench_alloc(c, 1 << 20, BENCH_VRAM), sem = bench_alloc(d, 4096, BENCH_SYS), va, child;
	struct kern loop = kern_load(c, "ld.param.u64 rd4, [0]\ntlaunch r6, rd4\ntsync r7\nL: ld.global.u32 r8, [rd4]\n"
				     "st.global.u32 [rd4+2048], r8\nbra L\n");
	struct kern nap = kern_load(c, "nanosleep 100000\nexit\n"), high = kern_load(d, "nanosleep 3000\nexit\n");
	struct ppu_tmd *t;

	bad->blk->version++;
	bench_ctx_cmd(bad, PPU_CTX_CMD_LOAD);
	child = tmd_new(c, &nap, &t);
	va = tmd_new(c, &loop, &t);
	t->grid[0] = 9;
	tmd_prio(t, 1);
	tmd_param(t, 0, child);
	bench_launch(compute, va);
	va = tmd_new(c, &nap, &t);
	t->kind = PPU_TMD_QUEUE;
	t->queue_capacity = 8;
	t->queue_entry_bytes = 32;
	t->queue_va = bench_alloc(c, 4096, BENCH_VRAM);
	bench_wr64(c, t->queue_va, 3);
	bench_launch(compute, va);
	bench_submit(compute);
	bench_copy(copy, buf, buf + (1 << 19), 1 << 18);
	bench_copy(copy, buf, buf + (1 << 19), 1 << 18);
	bench_submit(copy);
	bench_acquire(waits, PPU_SEM_OP_GE, sem, 5);
	bench_intr(waits, 3);
	bench_submit(waits);
	bench_words(wrong, (const uint32_t[]){ 0xffffffff }, 1);
	bench_submit(wrong);
	bench_run_for(b, 2000);
	va = tmd_new(d, &high, &t);
	tmd_prio(t, 4);
	t->grid[0] = 20;
	bench_launch(urgent, va);
	bench_submit(urgent);
	bench_run_to(b, until);
	bench_copy(faults, 0x123456000, sem, 64);
	bench_submit(faults);
	bench_run_for(b, 3000);
	ck_assert_uint_ne(bench_chan_reg(wrong, PPU_REG_CH_ERROR), 0);
	return b;
}

/* The saved state of a device after a reset, at a time. */
static uint8_t *state_after(struct bench *b, uint64_t at, size_t *len)
{
	uint8_t *bytes = NULL;

	bench_set(b, PPU_REG_RESET, 1);
	bench_run_to(b, at);
	ck_assert_int_eq(ppu_core_save(b->core, &bytes, len), 0);
	/* Events go on being numbered, so that those of one time have an order. */
	memset(bench_section(bytes, *len, "even"), 0, sizeof(uint64_t));
	return bytes;
}

/* Whatever the device did before: after a reset its state is, byte for byte, that of a device that did nothing. */
START_TEST(reset_leaves_nothing)
{
	struct bench *new = bench_new(PROPS);
	size_t len, want_len;
	uint8_t *want = state_after(new, 1000000, &want_len);

	for (uint64_t until = 5000; until < 120000; until += 7000) {
		struct bench *b = busy(until);
		uint8_t *got = state_after(b, 1000000, &len);

		ck_assert_uint_eq(len, want_len);
		ck_assert_msg(!memcmp(got, want, len), "after %llu ns", (unsigned long long)until);
		free(got);
		bench_free(b);
	}
	free(want);
	bench_free(new);
}
END_TEST

BENCH_MAIN("reset", reset_empties_caches, reset_leaves_nothing)
