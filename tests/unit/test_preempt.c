/* SPDX-License-Identifier: MIT */
/*
 * Preemption between instructions: whatever a task is doing when it loses its SM, it goes on as if
 * nothing had been; parents that wait for children give way; images in memory are not trusted.
 */
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"

/* One SM, one instruction per window: preemption can hit every instruction. */
#define STEP "gpcs=1 sms-per-gpc=1 sm-clock-khz=1000 window-ns=1000 cost-cta-ns=0 cost-evict-ns=0 cost-launch-ns=0 "

/* ---- everything an SM has --------------------------------------------------------------------- */

/*
 * Divergence, YIELD, barriers of all kinds, shared and local memory, calls, member masks, predicates,
 * atomics, parameters, sleeping.  Results must not depend on the order of warps.
 */
static const char everything[] =
	"s2r r2, %tid.x\n"
	"s2r r3, %ctaid.x\n"
	"ld.param.u64 rd10, [0]\n"
	"ld.param.u32 r16, [8]\n"
	"mad.u32 r4, r3, 80, r2\n"
	"madw.u32 rd12, r4, 8, rd10\n"
	"mov.u32 r8, 0\nmov.u32 r9, 1\nmov.u32 r5, 0\n"
	"and.u32 r6, r4, 7\n"
	"loop: add.u32 r5, r5, 1\n"
	"atom.shared.add.u32 rz, [r8], r9\n"
	"yield\n"
	"setp.lt.u32 p1, r5, r6\n"
	"@p1 bra loop\n"
	"st.local.u32 [r8+16], r5\n"
	"setp.gt.u32 p2, r5, 3\n"
	"bar.popc r7, 0, p2\n"
	"st.local.u32 [r8+20], r7\n"
	"ssy L\n"
	"and.u32 r6, r2, 1\n"
	"setp.eq.u32 p1, r6, 0\n"
	"@p1 bra E\n"
	"cal r14, f\n"
	"sync L\n"
	"E: nanosleep 2500\n"
	"add.u32 r9, r9, 3\n"
	"sync L\n"
	"L: ld.shared.u32 r6, [r8]\n"
	"ld.local.u32 r5, [r8+16]\n"
	"bar.sync 1\n"
	"shfl.bfly.full r7, r5, 1, 31\n"
	"add.u32 r6, r6, r7\n"
	"ld.local.u32 r7, [r8+20]\n"
	"mad.u32 r6, r7, 1000, r6\n"
	"mad.u32 r6, r9, 100000, r6\n"
	"add.u32 r6, r6, r16\n"
	"and.u32 r7, r2, 3\n"
	"setp.eq.u32 p1, r7, 3\n"
	"@p1 exit\n"
	"yield\n"
	"bar.sync 2\n"
	"st.global.u32 [rd12], r6\n"
	"@p2 st.global.u32 [rd12+4], r5\n"
	"exit\n"
	"f: add.u32 r9, r9, 5\n"
	"yield\n"
	"add.u32 r9, r9, 5\n"
	"ret r14\n";

/* Runs a kernel with 3 CTAs of 80 threads; another task takes the only slot every `every` ns. */
static void run_cut(const char *props, const char *text, uint64_t every, uint64_t first, bool state,
		    uint8_t *out, unsigned bytes, uint64_t *evictions)
{
	struct bench *b = bench_new(props);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *hi = bench_chan_new(c, PPU_CLASS_COMPUTE, 4096);
	struct kern k = kern_load(c, text), quick = kern_load(c, "exit\n");
	uint64_t data = bench_alloc(c, 8192, BENCH_VRAM), va, hv;
	struct ppu_tmd *t, *h;

	va = tmd_new(c, &k, &t);
	t->grid[0] = 3;
	t->block[0] = 80;
	t->shared_bytes = 64;
	t->local_per_thread = 32;
	t->num_barriers = 3;
	tmd_param(t, 0, data);
	tmd_param(t, 1, 7000000);
	hv = tmd_new(c, &quick, &h);
	h->block[0] = 1;
	tmd_prio(h, 5);
	bench_launch(ch, va);
	bench_submit(ch);
	if (every) {
		bench_run_for(b, 3000 + first);
		for (unsigned i = 0; bench_chan_reg(ch, PPU_REG_CH_TASKS); i++) {
			ck_assert_uint_lt(i, 4000);
			bench_launch(hi, hv);
			bench_submit(hi);
			bench_run_for(b, every);
			if (state && i % 7 == 3) {	/* the device's own state, in the middle of it */
				uint8_t *bytes = NULL;
				char *err = NULL;
				size_t len = 0;

				ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
				bench_new_core(b);
				if (ppu_core_load(b->core, bytes, len, &err))
					ck_abort_msg("load: %s", err);
				free(bytes);
			}
		}
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	bench_read(c, data, out, bytes);
	*evictions = bench_ctr(b, PPU_CTR_EVICTIONS);
	bench_free(b);
}

static const char *const variants[] = {
	"", "token-queue-entries=12 ", "yield-every=3 branch-first=1 ", "yield-merge=0 ctas-per-sm=2 ",
};

/* SP-4, HW-24: preempted at every k-th instruction, results equal to the undisturbed run. */
START_TEST(sp4_cut_at_every_kth_instruction)
{
	static uint8_t want[8192], got[8192];
	static const unsigned every[] = { 1, 2, 3, 5, 11, 37 };
	uint64_t ev;
	char props[300];

	for (unsigned v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
	snprintf(props, sizeof(props), STEP "task-slots=1 vram=32M %s", variants[v]);
	run_cut(props, everything, 0, 0, false, want, 8192, &ev);
	ck_assert_uint_eq(ev, 0);
	for (unsigned i = 0; i < sizeof(every) / sizeof(every[0]); i++) {
		/* the high-priority kernel itself takes about 2 windows */
		run_cut(props, everything, (every[i] + 3) * 1000, i * 1000, i % 2, got, 8192, &ev);
		ck_assert_uint_gt(ev, 5);
		for (unsigned k = 0; k < 2048; k++)
			if (memcmp(want + 4 * k, got + 4 * k, 4))
				ck_abort_msg("%s every %u: word %u", variants[v], every[i], k);
	}
	}
}
END_TEST

BENCH_MAIN("preempt", sp4_cut_at_every_kth_instruction)
