/* SPDX-License-Identifier: MIT */
/* CTAs that begin on one SM at times of their own, and what their warps find there. */
#include <stdlib.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/sm/seat.h"
#include "core/sm/sm.h"
#include "sm_test.h"
#include "run_suite.h"

/* The first instruction of each warp reads the cycle; rd4: this thread's word of the grid. */
#define CLOCK \
	"s2r r3, %clock\ns2r r2, %tid.x\ns2r r6, %ctaid.x\ns2r r7, %ntid.x\nmad.u32 r8, r6, r7, r2\n" \
	"ld.param.u64 rd10, [0]\nmadw.u32 rd4, r8, 4, rd10\nst.global.u32 [rd4], r3\n"
#define BLOCK	96	/* three warps */

static struct sm_test *s;

static void setup(void)
{
	s = smt_new();
	s->cfg.gpcs = s->cfg.sms_per_gpc = 1;
}

static void teardown(void)
{
	smt_free(s);
}

static void launch(const char *text, uint32_t ctas)
{
	if (!s->core)
		smt_start(s);
	smt_load(s, text);
	smt_launch(s, ctas, BLOCK);
}

/* The next CTA begins `after` ns behind the start of the window.  Returns the cycle. */
static uint32_t begin(uint64_t after)
{
	ck_assert_int_ge(ppu_sm_start_cta(s->core, 0, &s->task, s->next_cta++, s->now + after, NULL), 0);
	return (uint32_t)ppu_sm_cycle_at(s->core, s->now + after);
}

static void run_on(void)
{
	s->num_ctas = s->next_cta;
	while (smt_window(s))
		;
	ck_assert(!s->faulted && !s->timed_out);
}

static uint32_t clock_of(uint32_t cta, uint32_t warp)
{
	return smt_u32(s)[cta * BLOCK + warp * PPU_LANES];
}

/* Warps begin at the cycle that their CTA was given, in whatever order the CTAs were placed, one warp after the other. */
START_TEST(begin_when_due)
{
	/* at 3000 the slots of the third CTA would come next */
	static const struct { uint64_t after; bool idle; } cta[] = {
		{ 6000, true }, { 300, true }, { 3010, false }, { 3000, true }, { 3000, false }, { 9500, true }, { 23456, true },
	};
	enum { CTAS = sizeof(cta) / sizeof(cta[0]) };
	uint32_t want[CTAS];

	launch(CLOCK "exit\n", CTAS);
	for (unsigned i = 0; i < CTAS; i++)
		want[i] = begin(cta[i].after);
	run_on();
	for (unsigned i = 0; i < CTAS; i++) {
		ck_assert_uint_ge(clock_of(i, 0), want[i]);
		if (cta[i].idle)
			ck_assert_uint_eq(clock_of(i, 0), want[i]);
		for (unsigned k = 1; k < 3; k++) {
			ck_assert_uint_gt(clock_of(i, k), clock_of(i, k - 1));
			ck_assert_uint_lt(clock_of(i, k), want[i] + 500);
		}
	}
}
END_TEST

/* Warps that sleep wake when they are due, with CTAs that have not begun beside them, and CTAs that begin while they sleep. */
START_TEST(begin_among_sleepers)
{
	uint32_t first, second;

	launch("s2r r9, %ctaid.x\nsetp.eq.u32 p0, r9, 0\n@p0 nanosleep 4000\n" CLOCK "exit\n", 2);
	first = begin(100);
	second = begin(7000);
	run_on();
	ck_assert_uint_ge(clock_of(0, 0), first + 4000u * s->cfg.sm_clock_khz / 1000000);
	ck_assert_uint_lt(clock_of(0, 2), second);
	ck_assert_uint_ge(clock_of(1, 0), second);
	ck_assert_uint_lt(clock_of(1, 2), second + 200);
}
END_TEST

/* CTAs that never begin wake nobody who gets their warp slots afterwards. */
START_TEST(abandoned)
{
	uint32_t want;

	s->cfg.warps_per_sm = 64;
	s->cfg.regs_per_sm = 65536;
	launch(CLOCK "exit\n", 4);
	begin(100);
	begin(200);
	begin(300);
	smt_finish(s);
	launch(CLOCK "exit\n", 2);
	s->task.launch.block[0] = 8 * BLOCK;	/* 24 warps; the slots of all three, in one CTA */
	want = begin(5000);
	begin(350);			/* the SM looks who is due */
	run_on();
	for (unsigned i = 0; i < 24; i++)
		ck_assert_uint_ge(smt_u32(s)[i * PPU_LANES], want);
	ck_assert_uint_lt(smt_u32(s)[24 * PPU_LANES], want);
	ck_assert_uint_eq(smt_u32(s)[0], want);
}
END_TEST

static void begin_all(uint32_t ctas, uint32_t regs, const char *text)
{
	smt_finish(s);
	s->task.launch.regs_per_thread = regs;
	launch(text, ctas);
	while (ctas--)
		begin(0);
	run_on();
}

/* Slots get more registers when they need them, and a warp finds 0 where it has not written. */
START_TEST(more_registers)
{
	static const char uses[] = CLOCK "mov.u32 r90, 7\nmov.u32 r91, 7\nst.global.u32 [rd4], r90\nexit\n";
	static const char reads[] = CLOCK "st.global.u32 [rd4], r90\nexit\n", few[] = CLOCK "st.global.u32 [rd4], r13\nexit\n";

	s->cfg.regs_per_sm = 65536;
	launch(few, 1);
	begin(0);
	run_on();
	for (unsigned round = 0; round < 3; round++) {
		begin_all(2 + round, 92, uses);
		for (unsigned i = 0; i < (2 + round) * BLOCK; i++)
			ck_assert_uint_eq(smt_u32(s)[i], 7);
		begin_all(4, 92, reads);
		for (unsigned i = 0; i < 4 * BLOCK; i++)
			ck_assert_uint_eq(smt_u32(s)[i], 0);
		begin_all(5, 16, few);
		for (unsigned i = 0; i < 5 * BLOCK; i++)
			ck_assert_uint_eq(smt_u32(s)[i], 0);
	}
}
END_TEST

/* A block of a queue task sees its entry behind the parameters, which begins at a multiple of 16; without one it sees zeroes.
 * As many of both as there can be. */
START_TEST(params_of_queue_tasks)
{
	static const struct { uint32_t params, entry; } of[] = { { 0, 16 }, { 8, 32 }, { 16, 16 }, { 4081, 240 },
								 { PPU_PARAM_MAX, PPU_QUEUE_ENTRY_MAX } };
	uint8_t params[PPU_PARAM_ROOM], entry[PPU_QUEUE_ENTRY_MAX];
	struct ppu_sm_task task = { .params = params };
	struct ppu_cta cta = { 0 };

	for (unsigned i = 0; i < sizeof(params); i++)
		params[i] = (uint8_t)(i * 7 + 1);
	for (unsigned i = 0; i < sizeof(entry); i++)
		entry[i] = (uint8_t)(i * 5 + 3);
	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		uint32_t at = (of[i].params + 15) / 16 * 16;

		task.launch.kind = PPU_TMD_GRID;
		task.launch.param_bytes = of[i].params;
		task.launch.queue_entry_bytes = of[i].entry;
		ck_assert(ppu_seat_params(&cta, &task, NULL));
		ck_assert_ptr_eq(cta.params, params);
		ck_assert_uint_eq(cta.param_bytes, at);
		task.launch.kind = PPU_TMD_QUEUE;
		for (unsigned k = 0; k < 3; k++) {
			ck_assert(ppu_seat_params(&cta, &task, k & 1 ? NULL : entry));
			ck_assert_ptr_ne(cta.params, params);
			ck_assert_uint_eq(cta.param_bytes, at + of[i].entry);
			ck_assert_mem_eq(cta.params, params, at);
			for (uint32_t b = 0; b < of[i].entry; b++)
				ck_assert(cta.params[at + b] == (k & 1 ? 0 : entry[b]));
		}
	}
	ppu_free(cta.own_params);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("seat");
	TCase *t = tcase_create("seat");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, begin_when_due);
	tcase_add_test(t, begin_among_sleepers);
	tcase_add_test(t, abandoned);
	tcase_add_test(t, more_registers);
	tcase_add_test(t, params_of_queue_tasks);
	suite_add_tcase(su, t);
	return run_suite(su);
}
