/* SPDX-License-Identifier: MIT */
/*
 * The store path with a buffer (store-delay-ns, store-reorder): when other units see a store. WQ-18, WQ-19: without a
 * fence another SM may see the flag before the data; with a fence it never does.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/sm/mem/storebuf.h"
#include "core/sm/warp.h"
#include "sm_test.h"
#include "run_suite.h"

static struct sm_test *s;

static void setup(void)
{
	s = smt_new();
}

static void teardown(void)
{
	smt_free(s);
}

static bool run(const char *text, uint32_t grid, uint32_t block)
{
	if (!s->core)
		smt_start(s);
	smt_load(s, text);
	smt_run(s, grid, block);
	ck_assert_msg(!s->faulted, "fault %u lane %u pc %u va %llx", s->fault.code, s->fault.lane, s->fault.pc,
		      (unsigned long long)s->fault.va);
	return !s->timed_out;
}

/* A store to a page without memory is lost at once: it is not forwarded, and reaches no page of address 0. */
START_TEST(null_pages)
{
	s->cfg.store_delay_ns = 100000;
	smt_start(s);
	smt_map(s, 0x500000000, 0, 4096, PPU_PTE_NULL);
	smt_map(s, 0x500001000, 0, 4096, 0);	/* its own address 0 is a real one */
	ck_assert(run("ld.param.u64 rd10, [0]\nmovi64 rd6, 0x500000000\nmov.u32 r3, 7\nmov.u32 r4, 9\n"
		      "st.global.u32 [rd6+4096], r4\nst.global.u32 [rd6], r3\n"
		      "ld.global.u32 r12, [rd6]\nld.global.u32 r13, [rd6+4096]\n"
		      "st.global.u32 [rd10], r12\nst.global.u32 [rd10+4], r13\nexit\n", 1, 1));
	ck_assert_uint_eq(smt_u32(s)[0], 0);
	ck_assert_uint_eq(smt_u32(s)[1], 9);
	ck_assert_uint_eq(*(uint32_t *)s->vram, 9);
}
END_TEST

/*
 * Message passing: CTA 0 on SM 0 writes data, then flag, 200 times; CTA 1 on SM 1 reads flag, then data,
 * and counts how often the data are older than the flag ([0]) and how many flags it saw ([1]).
 */
static void message_passing(const char *between, const char *flag_store)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "ld.param.u64 rd10, [0]\ns2r r2, %%ctaid.x\nsetp.eq.u32 p1, r2, 1\nmov.u32 r3, 0\n@p1 bra Reader\n"
		 "loop: add.u32 r3, r3, 1\n"
		 "st.global.u32 [rd10+4096], r3\n"
		 "%s"
		 "%s [rd10+8192], r3\n"
		 "nanosleep 40\n"
		 "setp.lt.u32 p2, r3, 200\n"
		 "@p2 bra loop\n"
		 "exit\n"
		 "Reader: mov.u32 r4, 0\nmov.u32 r5, 0\nmov.u32 r8, 0\n"
		 "again: ld.global.volatile.u32 r6, [rd10+8192]\n"
		 "ld.global.volatile.u32 r7, [rd10+4096]\n"
		 "setp.lt.u32 p3, r7, r6\n"
		 "@p3 add.u32 r4, r4, 1\n"
		 "setp.ne.u32 p3, r6, r8\n"
		 "@p3 add.u32 r5, r5, 1\n"
		 "mov.u32 r8, r6\n"
		 "setp.lt.u32 p3, r6, 200\n"
		 "@p3 bra again\n"
		 "st.global.u32 [rd10], r4\nst.global.u32 [rd10+4], r5\nexit\n", between, flag_store);
	s->ports.trace = NULL;
	s->cfg.sms_per_gpc = 2;
	s->cfg.ctas_per_sm = 1;
	s->cfg.window_ns = 100;
	ck_assert(run(text, 2, 1));
	ck_assert_uint_gt(smt_u32(s)[1], 3);	/* CTA 1 read while CTA 0 wrote */
}

static const struct {
	uint64_t delay;
	uint32_t reorder;
} paths[] = { { 0, 0 }, { 500, 0 }, { 500, 1 }, { 0, 1 }, { 3000, 1 } };

static void set_path(int i)
{
	s->cfg.store_delay_ns = paths[i].delay;
	s->cfg.store_reorder = paths[i].reorder;
}

/* WQ-18: Stores are seen out of order only with store-reorder, and with it they are. */
START_TEST(unfenced_can_be_seen_reordered)
{
	set_path(_i);
	message_passing("", "st.global.u32");
	if (paths[_i].reorder)
		ck_assert_uint_gt(smt_u32(s)[0], 0);
	else
		ck_assert_uint_eq(smt_u32(s)[0], 0);
}
END_TEST

/* WQ-18: With a fence, a release, or an atomic in between: never, whatever the seed. */
START_TEST(fenced_never)
{
	static const struct { const char *between, *flag; } how[] = {
		{ "membar.sc.sys\n", "st.global.u32" },
		{ "membar.acq_rel.gpu\n", "st.global.u32" },
		{ "", "st.global.release.gpu.u32" },
		{ "atom.global.add.u32 r9, [rd10+12288], r3\n", "st.global.u32" },
		{ "", "atom.global.exch.u32 rz," },
	};

	set_path(2 + _i % 3);
	s->cfg.seed = 100 + _i;
	message_passing(how[_i % 5].between, how[_i % 5].flag);
	ck_assert_uint_eq(smt_u32(s)[0], 0);
}
END_TEST

/* A store shows up after its delay, and outlives its CTA (WQ-19). */
START_TEST(delay_and_kernel_end)
{
	uint64_t ended = 0;
	bool before = true;

	s->cfg.store_delay_ns = 5000;
	s->cfg.window_ns = 1000;
	smt_start(s);
	smt_load(s, "ld.param.u64 rd10, [0]\nmov.u32 r3, 7\nst.global.u32 [rd10], r3\nnanosleep 20000\n"
		 "st.global.u32 [rd10+4], r3\nexit\n");
	smt_launch(s, 1, 1);
	while (smt_window(s)) {
		uint64_t t = s->now;

		if (t <= 5000)
			ck_assert_uint_eq(smt_u32(s)[0], 0);
		if (t >= 7000)
			ck_assert_uint_eq(smt_u32(s)[0], 7);
		before &= smt_u32(s)[0] == 0;
		if (s->done_ctas && !ended)
			ended = t;
		if (!ended || t < ended + 4000)
			ck_assert_uint_eq(smt_u32(s)[1], 0);
	}
	ck_assert(!before);
	ck_assert_uint_eq(s->done_ctas, 1);
	ck_assert_uint_ge(s->now, ended + 4000);
	ck_assert_uint_eq(smt_u32(s)[1], 7);
	smt_finish(s);
}
END_TEST

/* A waiter notices a store when it reaches memory, not when it is issued. */
START_TEST(waiters_hear_when_it_is_there)
{
	struct ppu_phys p = { 0x2800000, 0 };

	s->cfg.store_delay_ns = 5000;
	s->cfg.window_ns = 1000;
	smt_start(s);
	ppu_mem_watch(s->core, p);
	smt_load(s, "ld.param.u64 rd10, [0]\nmov.u32 r3, 7\nst.global.u32 [rd10], r3\nnanosleep 20000\nexit\n");
	smt_launch(s, 1, 1);
	while (smt_window(s))
		ck_assert_uint_eq(s->num_stores, smt_u32(s)[0] == 7);
	smt_finish(s);
	ck_assert_uint_eq(s->num_stores, 1);
	ck_assert_uint_ge(s->stores[0].time, 5000);
	ck_assert_uint_lt(s->stores[0].time, 7000);
	ck_assert_uint_eq(s->stores[0].phys.addr, p.addr);
	ck_assert_uint_eq(s->stores[0].len, 4);
	ppu_mem_unwatch(s->core, p);
}
END_TEST

/* A TLB invalidate, an abort, a device reset: nothing is written later. */
START_TEST(nothing_is_left_behind)
{
	s->cfg.store_delay_ns = 1000000;
	smt_start(s);
	smt_load(s, "ld.param.u64 rd10, [0]\nmov.u32 r3, 7\nst.global.u32 [rd10], r3\nnanosleep 100000\nexit\n");
	smt_launch(s, 1, 1);
	ck_assert(smt_window(s));
	ck_assert_uint_eq(smt_u32(s)[0], 0);
	if (_i == 0)
		ppu_storebuf_settle_all(s->core);	/* as TLB_INV does */
	else if (_i == 1)
		ppu_core_invalidate_maps(s->core);
	else
		smt_finish(s);				/* aborts the task */
	ck_assert_uint_eq(smt_u32(s)[0], 7);
	smt_u32(s)[0] = 9;
	if (_i < 2) {
		while (smt_window(s))
			;
		smt_finish(s);
	}
	ck_assert_uint_eq(smt_u32(s)[0], 9);
}
END_TEST

/* The buffer is bounded: with far more stores than it holds, none is lost, and the oldest leave first. */
START_TEST(full_buffer)
{
	uint32_t there;

	s->cfg.store_delay_ns = 1000000000;
	smt_start(s);
	smt_load(s, "s2r r2, %tid.x\nld.param.u64 rd10, [0]\nmadw.u32 rd4, r2, 4, rd10\nmov.u32 r3, 1\n"
		 "loop: st.global.u32 [rd4], r3\nadd.u64 rd4, rd4, 128\nadd.u32 r3, r3, 1\n"
		 "setp.le.u32 p1, r3, 40\n@p1 bra loop\nnanosleep 20000\nexit\n");
	smt_launch(s, 1, 32);
	ck_assert(smt_window(s));
	for (there = 0; there < 40 * 32 && smt_u32(s)[there]; there++)
		;
	ck_assert_uint_ge(there, 32 * 8);
	ck_assert_uint_lt(there, 40 * 32);	/* a bounded number waits */
	for (uint32_t i = there; i < 40 * 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 0);
	while (smt_window(s))
		;
	smt_finish(s);
	for (uint32_t i = 0; i < 40 * 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i / 32 + 1);
}
END_TEST

/*
 * A store that leaves because the buffer is full is noted for the end of the window, with the time of the store that pushed it
 * out: while SMs run, workers wake nobody.
 */
START_TEST(pushed_out_in_a_window)
{
	struct ppu_phys p = { 0x2800000, 0 };

	s->cfg.store_delay_ns = 1000000000;
	s->cfg.window_ns = 100000;
	smt_start(s);
	ppu_mem_watch(s->core, p);
	smt_load(s, "ld.param.u64 rd10, [0]\nmov.u32 r3, 1\nst.global.u32 [rd10], r3\nadd.u64 rd10, rd10, 8192\n"
		 "nanosleep 20000\nloop: st.global.u32 [rd10], r3\nadd.u64 rd10, rd10, 16\nadd.u32 r3, r3, 1\n"
		 "setp.le.u32 p1, r3, 300\n@p1 bra loop\nnanosleep 20000\nexit\n");
	smt_launch(s, 1, 1);
	smt_window(s);
	ck_assert_uint_eq(smt_u32(s)[0], 1);
	ck_assert_uint_eq(s->num_stores, 1);
	ck_assert_uint_eq(s->stores[0].phys.addr, p.addr);
	ck_assert_uint_gt(s->stores[0].time, 20000 + 255 * 5);
	ck_assert_uint_lt(s->stores[0].time, 40000);
	smt_finish(s);
	ppu_mem_unwatch(s->core, p);
}
END_TEST

/* ---- an SM does not notice its own buffer ----------------------------------------------------------- */

static uint32_t rnd_state;
static uint32_t rnd(uint32_t n)
{
	rnd_state = rnd_state * 1664525 + 1013904223;
	return (rnd_state >> 8) % n;
}

/* Loads and stores of all widths at overlapping addresses, by lane, with barriers between two warps. */
static void random_memory(char *t, uint32_t seed)
{
	static const struct { const char *name, *reg; unsigned bytes; } types[] = {
		{ "u8", "r", 1 }, { "s8", "r", 1 }, { "u16", "r", 2 }, { "u32", "r", 4 }, { "s16", "r", 2 },
		{ "u64", "rd", 8 }, { "v2.u32", "rd", 8 }, { "v4.u16", "rq", 8 }, { "v4.u32", "rq", 16 },
	};

	rnd_state = seed;
	t += sprintf(t, "s2r r2, %%tid.x\nld.param.u64 rd10, [0]\nmadw.u32 rd4, r2, 64, rd10\n"
		     "mov.u32 r12, r2\nmov.u32 r13, 1\nmov.u32 r14, 2\nmov.u32 r15, 3\n");
	for (unsigned i = 0; i < 60; i++) {
		unsigned k = rnd(9), off = rnd(64 / types[k].bytes) * types[k].bytes;
		const char *r = types[k].reg;	/* of r16..r19 or r12..r15 */
		const char *space = rnd(2) ? ".global" : "";
		const char *what = types[k].name;

		if (rnd(10) == 0)
			t += sprintf(t, "bar.sync 0\nxor.u32 r6, r2, 1\nmadw.u32 rd8, r6, 64, rd10\n"
				     "ld%s.%s %s16, [rd8+%u]\nbar.sync 0\n", space, what, r, off);
		else if (rnd(2))
			t += sprintf(t, "st%s.%s [rd4+%u], %s12\n", space, what, off, r);
		else
			t += sprintf(t, "ld%s.%s %s16, [rd4+%u]\n", space, what, r, off);
		t += sprintf(t, "mad.u32 r12, r12, 77, r16\nadd.u32 r13, r13, r17\nxor.u32 r14, r14, r18\n"
			     "mad.u32 r15, r19, 3, r12\n");
	}
	t += sprintf(t, "add.u32 r12, r12, r13\nmadw.u32 rd4, r2, 16, rd10\nst.v4.u32 [rd4+8192], rq12\nexit\n");
}

START_TEST(own_loads_are_forwarded)
{
	static char text[65536];
	uint8_t *want = malloc(SMT_DATA_BYTES);

	for (unsigned k = 0; k < 4; k++) {
		struct sm_test *plain = smt_new();

		random_memory(text, 1000u * _i + k);
		plain->ports.trace = NULL;
		smt_start(plain);
		smt_load(plain, text);
		ck_assert_msg(smt_run(plain, 1, 64), "fault %u", plain->fault.code);
		memcpy(want, plain->data, SMT_DATA_BYTES);
		smt_free(plain);
		set_path(1 + _i % 4);
		s->cfg.seed = _i;
		s->ports.trace = NULL;
		if (s->core)
			memset(s->data, 0, SMT_DATA_BYTES);
		ck_assert(run(text, 1, 64));
		ck_assert_int_eq(memcmp(want, s->data, SMT_DATA_BYTES), 0);
	}
	free(want);
}
END_TEST

/* The buffered handlers are chosen when a program is decoded: without the properties they are not used. */
START_TEST(plain_path_is_untouched)
{
	static const char text[] = "ld.param.u64 rd10, [0]\nld.u32 r3, [rd10]\nst.u32 [rd10], r3\n"
		"atom.add.u32 r3, [rd10], r3\nmembar.sc.gpu\nexit\n";
	static const uint8_t plain[] = { PPU_H_ld, PPU_H_ld, PPU_H_st, PPU_H_atom, PPU_H_membar, PPU_H_exit };
	static const uint8_t buf[] = { PPU_H_ld_buf, PPU_H_ld_buf, PPU_H_st_buf, PPU_H_atom_buf, PPU_H_membar_buf,
				       PPU_H_exit };

	s->cfg.store_reorder = _i;
	smt_start(s);
	ck_assert_int_eq(s->core->sms[0].sb != NULL, _i);
	smt_load(s, text);
	smt_launch(s, 1, 1);
	for (unsigned i = 0; i < sizeof(plain); i++)
		ck_assert_uint_eq(s->task.prog->code[i].handler, _i ? buf[i] : plain[i]);
	smt_finish(s);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("storebuf");
	TCase *t = tcase_create("storebuf");

	tcase_add_test(t, null_pages);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, unfenced_can_be_seen_reordered, 0, 5);
	tcase_add_loop_test(t, fenced_never, 0, 15);
	tcase_add_test(t, delay_and_kernel_end);
	tcase_add_test(t, waiters_hear_when_it_is_there);
	tcase_add_loop_test(t, nothing_is_left_behind, 0, 3);
	tcase_add_test(t, full_buffer);
	tcase_add_test(t, pushed_out_in_a_window);
	tcase_add_loop_test(t, own_loads_are_forwarded, 0, 8);
	tcase_add_loop_test(t, plain_path_is_untouched, 0, 2);
	suite_add_tcase(su, t);
	return run_suite(su);
}
