/* SPDX-License-Identifier: MIT */
/*
 * Orders of CTAs and warps by number (x-order, ppu_order.h): each order once, the warp that is first in it runs first, the
 * switch comes at its cycle, and a device that is saved on the way goes on in the same order.
 */
#include <hw/ppu_order.h>
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"

#define SMALL "vram=32M warps-per-sm=8 gpcs=2 sms-per-gpc=2 cost-cta-ns=0 "
#define STEPS "sm-clock-khz=1000 window-ns=10000 "	/* a window of ten cycles, so that there are many to save in */

/* ---- numbers --------------------------------------------------------------------------------------------- */

START_TEST(each_permutation_once)
{
	static const uint32_t factorial[] = { 1, 1, 2, 6, 24, 120, 720 };
	static uint64_t seen[720];

	for (uint32_t n = 0; n <= PPU_ORDER_MOST; n++) {
		ck_assert_uint_eq(ppu_order_count(n), factorial[n]);
		for (uint32_t p = 0; p < factorial[n]; p++) {
			seen[p] = 0;
			for (uint32_t i = 0; i < n; i++) {
				uint64_t which = ppu_order_at(p, i, n);

				ck_assert_uint_lt(which, n);
				ck_assert_uint_eq(ppu_order_place(p, (uint32_t)which, n), i);
				seen[p] = 8 * seen[p] + which;
				if (!p)
					ck_assert_uint_eq(which, i);
			}
			/* In the order of words in a dictionary. */
			ck_assert(!p || seen[p] > seen[p - 1]);
			ck_assert_uint_eq(ppu_order_at(p + factorial[n], 0, n), ppu_order_at(p, 0, n));
		}
	}
}
END_TEST

START_TEST(large_sets_have_one)
{
	ck_assert_uint_eq(ppu_order_count(7), 1);
	ck_assert_uint_eq(ppu_order_count(UINT64_MAX), 1);
	for (uint32_t i = 0; i < 40; i++) {
		ck_assert_uint_eq(ppu_order_at(5, i, 40), i);
		ck_assert_uint_eq(ppu_order_place(5, i, 40), i);
	}
}
END_TEST

/* ---- on the device --------------------------------------------------------------------------------------- */

/* Lane 0 of each warp takes a number when it begins, does something for a while, and takes one when it ends. */
static const char numbers[] =
	"s2r r2, %tid.x\ns2r r3, %ctaid_linear\n"
	"ld.param.u64 rd10, [0]\n"
	"and.u32 r4, r2, 31\n"
	"setp.ne.u32 p1, r4, 0\n@p1 exit\n"
	"shr.u32 r4, r2, 5\n"
	"mad.u32 r4, r3, 4, r4\n"
	"mov.u32 r5, 1\n"
	"atom.global.add.u32 r6, [rd10], r5\n"
	"madw.u32 rd20, r4, 8, rd10\n"
	"st.global.u32 [rd20+8], r6\n"
	"mov.u32 r7, 0\n"
	"loop: add.u32 r7, r7, 1\nsetp.lt.u32 p2, r7, 40\n@p2 bra loop\n"
	"atom.global.add.u32 r6, [rd10], r5\n"
	"st.global.u32 [rd20+12], r6\n"
	"exit\n";

/* out[4 * CTA + warp]: the numbers at its begin and its end. */
static void run_numbers(const char *props, uint32_t ctas, uint32_t warps, bool reload, uint32_t out[][2])
{
	struct bench *b = bench_new(props);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, numbers);
	uint64_t data = bench_alloc(c, 4096, BENCH_VRAM), va;
	struct ppu_tmd *t;

	va = tmd_new(c, &k, &t);
	t->grid[0] = ctas;
	t->block[0] = 32 * warps;
	tmd_param(t, 0, data);
	bench_launch(ch, va);
	bench_submit(ch);
	for (unsigned i = 0; reload && bench_chan_reg(ch, PPU_REG_CH_TASKS); i++) {
		ck_assert_uint_lt(i, 4000);
		bench_run_for(b, 7000);
		bench_reload(b);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	bench_read(c, data + 8, out, 4 * ctas * sizeof(out[0]));
	bench_free(b);
}

/* Each warp runs as a whole, in the order that the number says. */
START_TEST(whole_warps_in_each_order)
{
	static const uint32_t sizes[][2] = { { 3, 1 }, { 1, 4 }, { 2, 3 } };
	uint32_t out[24][2];
	char props[300];

	for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		const uint32_t ctas = sizes[s][0], warps = sizes[s][1], of_ctas = ppu_order_count(ctas);

		for (uint32_t n = 0; n < of_ctas * ppu_order_count(warps); n++) {
			snprintf(props, sizeof(props), SMALL "%sx-order=%u", n % 5 == 1 ? STEPS : "", n + 1);
			run_numbers(props, ctas, warps, n % 5 == 1, out);
			for (uint32_t c = 0, i = 0; c < ctas; c++)
				for (uint32_t w = 0; w < warps; w++, i++) {
					uint32_t cta = (uint32_t)ppu_order_at(n % of_ctas, c, ctas);
					uint32_t warp = (uint32_t)ppu_order_at(n / of_ctas, w, warps);

					ck_assert_msg(out[4 * cta + warp][0] == 2 * i && out[4 * cta + warp][1] == 2 * i + 1,
						      "%s: CTA %u warp %u: %u, %u, not %u, %u", props, cta, warp,
						      out[4 * cta + warp][0], out[4 * cta + warp][1], 2 * i, 2 * i + 1);
				}
		}
	}
}
END_TEST

/* The first one stops at each of its cycles, and goes on when the other has ended. */
START_TEST(switches_at_each_cycle)
{
	uint32_t out[8][2], between = 0, behind = 0, before = 0;
	char props[300];

	for (uint32_t cycle = 1; cycle <= 200; cycle++)
		for (uint32_t blocks = 1; blocks <= 2; blocks++) {
			const uint32_t first = 0, other = blocks == 1 ? 1 : 4;

			snprintf(props, sizeof(props), SMALL "%sx-order=1 x-order-switch=%u", cycle % 3 == 1 ? STEPS : "", cycle);
			run_numbers(props, blocks, 3 - blocks, cycle % 3 == 1, out);
			ck_assert_uint_eq(out[other][1], out[other][0] + 1);
			if (out[other][0] == 1)
				between++;	/* of what the first one does */
			else if (out[other][0] == 0)
				before++;
			else
				behind++;
			ck_assert_uint_eq(out[first][0], out[other][0] == 0 ? 2 : 0);
		}
	ck_assert_uint_gt(before, 10);		/* before the first one's first atomic operation */
	ck_assert_uint_gt(between, 100);
	ck_assert_uint_gt(behind, 10);
}
END_TEST

BENCH_MAIN("sm_order", each_permutation_once, large_sets_have_one, whole_warps_in_each_order, switches_at_each_cycle)
