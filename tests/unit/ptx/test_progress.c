/* SPDX-License-Identifier: MIT */
/*
 * Forward progress of compiled programs: SIMT-43..SIMT-46, A-SIMT-25.  Kernels in PTX without any hints about
 * scheduling; the compiler inserts YIELD where a loop waits.  Through the runtime with one worker and two; and, with
 * YIELD suppressed, on a device with a watchdog, which catches what then hangs.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu.h>
#include <ppu_image.h>
#include <hw/ppu_tmd.h>
#include "bench.h"
#include "run_suite.h"
#include "rt_ok.h"

#define HEAD ".version 6.3\n.target sm_60\n.address_size 64\n"
#define ENTRY(name) ".visible .entry " name "(.param .u64 p)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<6>;\n" \
	"ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\n"

/* [0]: lock, [1]: what it guards, [2..]: flags and results */
static const char ptx[] = HEAD
	/* 32 lanes of a warp take one lock, each once */
	ENTRY("lock")
	"Again: atom.global.cas.b32 %r1, [%rd1], 0, 1;\n"
	"setp.ne.u32 %p1, %r1, 0;\n"
	"@%p1 bra Again;\n"
	"ld.volatile.global.u32 %r2, [%rd1+4];\n"
	"add.u32 %r2, %r2, 1;\n"
	"st.volatile.global.u32 [%rd1+4], %r2;\n"
	"membar.gl;\n"
	"atom.global.exch.b32 %r3, [%rd1], 0;\n"
	"ret;\n}\n"
	/* lane 0 waits for what lane 1 stores behind the loop */
	ENTRY("lanes")
	"mov.u32 %r1, %tid.x;\n"
	"setp.ne.u32 %p1, %r1, 0;\n"
	"@%p1 bra Give;\n"
	"Wait: ld.volatile.global.u32 %r2, [%rd1+8];\n"
	"setp.eq.u32 %p2, %r2, 0;\n"
	"@%p2 bra Wait;\n"
	"st.global.u32 [%rd1+4], %r2;\n"
	"ret;\n"
	"Give: mov.u32 %r3, 32;\n"
	"st.volatile.global.u32 [%rd1+8], %r3;\n"
	"ret;\n}\n"
	/* the first warp waits for the second */
	ENTRY("warps")
	"mov.u32 %r1, %tid.x;\n"
	"setp.ge.u32 %p1, %r1, 32;\n"
	"@%p1 bra Give;\n"
	"Wait: ld.volatile.global.u32 %r2, [%rd1+8];\n"
	"setp.eq.u32 %p2, %r2, 0;\n"
	"@%p2 bra Wait;\n"
	"st.global.u32 [%rd1+4], %r2;\n"
	"ret;\n"
	"Give: mov.u32 %r3, 32;\n"
	"st.volatile.global.u32 [%rd1+8], %r3;\n"
	"ret;\n}\n"
	/* the first CTA waits for the second */
	ENTRY("ctas")
	"mov.u32 %r1, %ctaid.x;\n"
	"setp.ne.u32 %p1, %r1, 0;\n"
	"@%p1 bra Give;\n"
	"Wait: ld.volatile.global.u32 %r2, [%rd1+8];\n"
	"setp.eq.u32 %p2, %r2, 0;\n"
	"@%p2 bra Wait;\n"
	"st.global.u32 [%rd1+4], %r2;\n"
	"ret;\n"
	"Give: mov.u32 %r3, 32;\n"
	"st.volatile.global.u32 [%rd1+8], %r3;\n"
	"ret;\n}\n"
	/* a loop whose length depends on data, then all lanes together: lane i adds what lane i ^ 1 counted */
	ENTRY("meet")
	"mov.u32 %r1, %tid.x;\n"
	"mul.lo.u32 %r2, %r1, 2654435761;\n"
	"mov.u32 %r3, 0;\n"
	"Step: shr.u32 %r4, %r2, 31;\n"
	"add.u32 %r3, %r3, 1;\n"
	"mad.lo.u32 %r2, %r2, 5, 12345;\n"
	"setp.ne.u32 %p1, %r4, 0;\n"
	"@%p1 bra Step;\n"
	"shfl.sync.bfly.b32 %r5, %r3, 1, 31, -1;\n"
	"activemask.b32 %r6;\n"
	"bar.sync 0;\n"
	"activemask.b32 %r7;\n"
	"mul.wide.u32 %rd2, %r1, 16;\n"
	"add.u64 %rd2, %rd1, %rd2;\n"
	"st.global.u32 [%rd2], %r3;\n"
	"st.global.u32 [%rd2+4], %r5;\n"
	"st.global.u32 [%rd2+8], %r6;\n"
	"st.global.u32 [%rd2+12], %r7;\n"
	"ret;\n}\n";

static const struct {
	const char *name;
	uint32_t grid, block;
} waits[] = { { "lock", 1, 32 }, { "lanes", 1, 32 }, { "warps", 1, 64 }, { "ctas", 2, 32 } };

/* Serial and with two workers; every YIELD switches, every 4th, or by chance. */
static const char *const props[] = {
	"vram=32M workers=0", "vram=32M workers=2", "vram=32M workers=0 yield-every=4",
	"vram=32M workers=2 yield-every=4", "vram=32M workers=0 yield-random=655",
	"vram=32M workers=0 gpcs=1 sms-per-gpc=1 ctas-per-sm=2",
};

/* SIMT-44: none of the four hangs. */
START_TEST(all_complete)
{
	ppuInitOptions o = { .backend = "core", .props = props[_i] };
	uint32_t got[4];
	ppuFunction f;
	ppuModule mod;
	void *p;

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, ptx, 0, NULL));
	OK(ppuMalloc(&p, 4096));
	for (unsigned k = 0; k < 4; k++) {
		OK(ppuMemset(p, 0, 4, 1024));
		OK(ppuModuleGetFunction(&f, mod, waits[k].name));
		OK(ppuLaunchKernel(f, ppuDim(waits[k].grid, 1, 1), ppuDim(waits[k].block, 1, 1), 0, NULL,
				   (void *[]){ &p }, NULL, 0));
		OK(ppuStreamSynchronize(NULL));
		OK(ppuMemcpy(got, p, sizeof(got)));
		ck_assert_msg(got[1] == 32 && got[0] == 0, "%s: %u, lock %u", waits[k].name, got[1], got[0]);
	}
	OK(ppuShutdown());
}
END_TEST

/* A-SIMT-25: threads that left a YIELD loop one by one are together again at the next instruction of all, and
 * at the next barrier. */
START_TEST(together_again)
{
	ppuInitOptions o = { .backend = "core", .props = props[_i] };
	uint32_t got[64][4], steps[64];
	ppuFunction f;
	ppuModule mod;
	void *p;

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, ptx, 0, NULL));
	OK(ppuModuleGetFunction(&f, mod, "meet"));
	OK(ppuMalloc(&p, 4096));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(64, 1, 1), 0, NULL, (void *[]){ &p }, NULL, 0));
	OK(ppuStreamSynchronize(NULL));
	OK(ppuMemcpy(got, p, sizeof(got)));
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t x = i * 2654435761u, top;

		steps[i] = 0;
		do {
			top = x >> 31;
			x = x * 5 + 12345;
			steps[i]++;
		} while (top);
	}
	for (uint32_t i = 0; i < 64; i++) {
		ck_assert_uint_eq(got[i][0], steps[i]);
		ck_assert_uint_eq(got[i][1], steps[i ^ 1]);
		ck_assert_uint_eq(got[i][2], ~0u);
		ck_assert_uint_eq(got[i][3], ~0u);
	}
	OK(ppuShutdown());
}
END_TEST

/* One kernel on a device without driver and runtime, with a watchdog of 200 us. */
static unsigned run_watched(const char *device, bool no_yield, unsigned k, uint32_t *result)
{
	struct bench *b = bench_new(device);
	struct bench_ctx *c = bench_ctx_new(b);
	struct ppu_ptx_options opt = { .no_yield = no_yield };
	const struct ppu_symbol *sym;
	struct bench_chan *ch;
	struct ppu_image *img;
	struct ppu_log log;
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .id = 1,
		.regs_per_thread = 64, .grid = { waits[k].grid, 1, 1 }, .block = { waits[k].block, 1, 1 },
		.param_bytes = 8, .num_barriers = 1,
	};
	uint64_t data = bench_alloc(c, 4096, BENCH_VRAM), va = bench_alloc(c, 4096, BENCH_VRAM);
	unsigned error;

	c->blk->watchdog_ns = 200000;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ppu_log_init(&log);
	if (ppu_ptx_compile(ptx, strlen(ptx), "progress", &opt, &img, &log))
		ck_abort_msg("%s", log.text);
	sym = ppu_image_find(img, waits[k].name);
	ck_assert(sym != NULL);
	t.entry_pc = (uint32_t)sym->value;
	t.code_insns = img->num_insns;
	t.code_va = bench_alloc(c, 65536, BENCH_VRAM);
	bench_write(c, t.code_va, img->code, img->num_insns * sizeof(*img->code));
	t.param_va = va + 1024;
	bench_wr64(c, t.param_va, data);
	bench_write(c, va, &t, sizeof(t));
	ppu_image_free(img);
	ppu_log_free(&log);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	error = bench_chan_reg(ch, PPU_REG_CH_ERROR);
	bench_read(c, data + 4, result, 4);
	bench_free(b);
	return error;
}

/*
 * SIMT-44 negative: without YIELD, be it the device that ignores it or the compiler that leaves it out, lanes
 * of one warp that wait for each other hang, and the watchdog ends them.  Warps and CTAs take turns anyway.
 */
START_TEST(suppressed_yield_hangs)
{
	const bool compiler = _i;

	for (unsigned k = 0; k < 4; k++) {
		uint32_t result;
		unsigned first, other;

		ck_assert_uint_eq(run_watched("vram=32M", false, k, &result), 0);
		ck_assert_uint_eq(result, 32);
		first = run_watched(compiler ? "vram=32M branch-first=0" : "vram=32M branch-first=0 x-yield-suppress=1",
				    compiler, k, &result);
		if (k >= 2) {
			ck_assert_uint_eq(first, 0);
			ck_assert_uint_eq(result, 32);
			continue;
		}
		/* depending on which side of a branch runs first, one of the two kernels may not hang */
		other = run_watched(compiler ? "vram=32M branch-first=1" : "vram=32M branch-first=1 x-yield-suppress=1",
				    compiler, k, &result);
		ck_assert_msg(first == PPU_ERR_WATCHDOG || other == PPU_ERR_WATCHDOG, "%s: %u, %u", waits[k].name,
			      first, other);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("progress");
	TCase *t = tcase_create("progress");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, all_complete, 0, sizeof(props) / sizeof(props[0]));
	tcase_add_loop_test(t, together_again, 0, sizeof(props) / sizeof(props[0]));
	tcase_add_loop_test(t, suppressed_yield_hangs, 0, 2);
	suite_add_tcase(s, t);
	return run_suite(s);
}
