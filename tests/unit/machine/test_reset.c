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

BENCH_MAIN("reset", reset_empties_caches)
