/* SPDX-License-Identifier: MIT */
/* Rows of the general machine: GPCs, SMs, warps, memory partitions, and the cache model's counters. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu.h>
#include "sm_test.h"
#include "run_suite.h"
#include "rt_ok.h"

/* rd4 = address of this thread's word of the grid, r2 = tid, r6 = ctaid */
#define PROLOGUE \
	"s2r r2, %tid.x\ns2r r6, %ctaid.x\ns2r r7, %ntid.x\nmad.u32 r8, r6, r7, r2\n" \
	"ld.param.u64 rd10, [0]\nmadw.u32 rd4, r8, 4, rd10\n"
#define STORE3 "st.global.u32 [rd4], r3\n"
#define CTR(name) (s->core->ctr[PPU_CTR_##name])

static struct sm_test *s;

static void setup(void)
{
	s = smt_new();
}

static void teardown(void)
{
	smt_free(s);
}

static void run(const char *text, uint32_t grid, uint32_t block)
{
	if (!s->core)
		smt_start(s);
	smt_load(s, text);
	smt_run(s, grid, block);
	ck_assert_msg(!s->faulted && !s->timed_out, "fault %u lane %u pc %u va %llx", s->fault.code, s->fault.lane,
		      s->fault.pc, (unsigned long long)s->fault.va);
}

/* A kernel with divergence, shared memory, barriers and atomics; 8 CTAs of 96 threads. */
static const char mixed[] =
	PROLOGUE "shl.u32 r9, r2, 2\nst.shared.u32 [r9], r8\nbar.sync 0\n"
	"xor.u32 r12, r9, 4\nld.shared.u32 r3, [r12]\nand.u32 r12, r2, 7\nssy L\n"
	"setp.lt.u32 p1, r12, 3\n@p1 bra A\nmad.u32 r3, r3, 17, r8\nsync L\nA: mul.u32 r3, r3, r3\nsync L\n"
	"L: atom.global.add.u32 rz, [rd10+65536], r3\n" STORE3 "exit\n";

static uint32_t mixed_result(void)
{
	uint32_t h = 2166136261u;

	s->task.launch.shared_bytes = 4096;
	run(mixed, 8, 96);
	for (uint32_t i = 0; i < 8 * 96; i++)
		h = (h ^ smt_u32(s)[i]) * 16777619;
	return h ^ smt_u32(s)[65536 / 4];
}

/* HW-37, HW-71: any number of GPCs and of partition units: the same results */
START_TEST(any_number_of_gpcs)
{
	static const uint32_t gpcs[] = { 1, 2, 4, 1, 1, 1 }, parts[] = { 6, 6, 6, 1, 4, 6 };
	uint32_t want = mixed_result();

	for (unsigned i = 0; i < 6; i++) {
		smt_free(s);
		s = smt_new();
		s->cfg.gpcs = gpcs[i];
		s->cfg.partitions = parts[i];
		s->cfg.ctas_per_sm = 2;
		ck_assert_uint_eq(mixed_result(), want);
	}
}
END_TEST

/* HW-37: 2048 threads resident in a GPC; HW-49: of 4 warps on an SM all make progress */
START_TEST(threads_resident_2048)
{
	s->cfg.warps_per_sm = 64;
	s->cfg.regs_per_sm = 65536;
	smt_start(s);
	smt_load(s, "nanosleep 50000\nexit\n");
	smt_launch(s, 64, 32);
	s->cfg.ctas_per_sm = 16;
	ck_assert(smt_window(s));
	ck_assert_uint_eq(ppu_sm_num_ctas(s->core, 0), 16);
	while (smt_window(s))
		;
	smt_finish(s);
	smt_load(s, "nanosleep 50000\nexit\n");
	smt_launch(s, 2, 1024);
	ck_assert(smt_window(s));
	ck_assert_uint_eq(s->core->sms[0].used_warps * 32, 2048);
	while (smt_window(s))
		;
	smt_finish(s);
	ck_assert(!s->faulted);
}
END_TEST

/* HW-49 */
START_TEST(all_warps_progress)
{
	/* four warps that would run for ever: after a while all have counted to about the same number */
	smt_start(s);
	smt_load(s, PROLOGUE "shr.u32 r9, r8, 5\nmadw.u32 rd12, r9, 4, rd10\nmov.u32 r3, 0\n"
		 "loop: add.u32 r3, r3, 1\nst.global.u32 [rd12], r3\nbra loop\n");
	smt_launch(s, 4, 32);
	for (int i = 0; i < 20; i++)
		ck_assert(smt_window(s));
	for (int i = 1; i < 4; i++) {
		ck_assert_uint_gt(smt_u32(s)[i], 1000);
		ck_assert_int_lt(abs((int)smt_u32(s)[i] - (int)smt_u32(s)[0]), 200);
	}
	smt_finish(s);
}
END_TEST

/* HW-40, HW-41: lanes 0..31; a warp of 20 threads writes 20 lanes */
START_TEST(threads_of_partial_warps)
{
	run(PROLOGUE "s2r r3, %laneid\nadd.u32 r3, r3, 1\n" STORE3 "exit\n", 1, 52);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 52 ? i % 32 + 1 : 0);
}
END_TEST

/* HW-41, HW-45: with 16 engines an instruction takes 2 cycles; results do not depend on any cost */
START_TEST(cycles_by_engines)
{
	static const uint32_t engines[] = { 32, 16, 8, 5 }, factor[] = { 1, 2, 4, 7 };
	uint32_t first = 0, sum = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint32_t h;

		smt_free(s);
		s = smt_new();
		s->cfg.engines = engines[i];
		s->cfg.cost_mem_cycles = 4 + 100 * i;
		s->cfg.sm_clock_khz = 1000000 / (1 + i);
		h = mixed_result();
		sum = i ? sum : h;
		ck_assert_uint_eq(h, sum);
		memset(s->data, 0, 64);
		run("ld.param.u64 rd10, [0]\ns2r r4, %clock\nadd.u32 r5, r4, 1\nadd.u32 r5, r5, 1\nadd.u32 r5, r5, 1\n"
		    "add.u32 r5, r5, 1\ns2r r6, %clock\nsub.u32 r6, r6, r4\nst.global.u32 [rd10], r6\nexit\n", 1, 1);
		first = i ? first : smt_u32(s)[0];
		ck_assert_uint_eq(smt_u32(s)[0], first * factor[i]);
	}
	ck_assert_uint_eq(first, 5);
}
END_TEST

/* HW-55: every thread reads what any other thread of its CTA wrote */
START_TEST(any_thread_shares_with_any)
{
	char text[1024];

	for (unsigned shift = 1; shift < 96; shift += 31) {
		s->task.launch.shared_bytes = 512;
		snprintf(text, sizeof(text), "%sshl.u32 r9, r2, 2\nmul.u32 r12, r8, 3\nst.shared.u32 [r9], r12\n"
			 "bar.sync 0\nadd.u32 r9, r2, %u\nrem.u32 r9, r9, 96\nshl.u32 r9, r9, 2\n"
			 "ld.shared.u32 r3, [r9]\n" STORE3 "exit\n", PROLOGUE, shift);
		run(text, 2, 96);
		for (unsigned i = 0; i < 192; i++)
			ck_assert_uint_eq(smt_u32(s)[i], 3 * (i / 96 * 96 + (i % 96 + shift) % 96));
	}
}
END_TEST

/* ---- cache model ------------------------------------------------------------------------------------- */

/* CTA 0 writes and sets a flag behind a fence, CTA 1 on another SM waits for it and reads. */
static const char hand_over[] =
	"ld.param.u64 rd10, [0]\ns2r r2, %tid.x\ns2r r6, %ctaid.x\nmadw.u32 rd4, r2, 4, rd10\nsetp.eq.u32 p1, r6, 1\n"
	"mov.u32 r3, 1\n@p1 bra R\nadd.u32 r7, r2, 100\nst.global.u32 [rd4+4096], r7\nmembar.sc.gpu\n"
	"st.global.release.gpu.u32 [rd10+8192], r3\nexit\n"
	"R: ld.global.acquire.gpu.u32 r7, [rd10+8192]\nsetp.eq.u32 p2, r7, 0\n@p2 bra R\n"
	"ld.global.u32 r7, [rd4+4096]\nst.global.u32 [rd4], r7\nexit\n";

/* HW-63, HW-66, with and without the model */
START_TEST(global_memory_between_ctas)
{
	s->cfg.sms_per_gpc = 2;
	s->cfg.ctas_per_sm = 1;
	s->cfg.window_ns = 200;
	s->cfg.cache_model = _i;
	run(hand_over, 2, 32);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 100 + i);
	if (_i)	/* the line that CTA 0 wrote through comes from the L2 */
		ck_assert_uint_ge(CTR(L2_HITS), 2);
}
END_TEST

/* HW-64: hits and misses by line; stores write through and allocate nothing; volatile and atomics pass by */
START_TEST(l1_hits_and_misses)
{
	s->cfg.cache_model = 1;
	run(PROLOGUE "ld.global.u32 r3, [rd4]\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(L1_MISSES), 1);
	ck_assert_uint_eq(CTR(L1_HITS), 0);
	ck_assert_uint_eq(CTR(MEM_INSNS), 1);
	ck_assert_uint_eq(CTR(MEM_LINES), 1);
	run(PROLOGUE "ld.global.u32 r3, [rd4]\nld.global.u32 r3, [rd4+128]\nld.u32 r3, [rd4+128]\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(L1_MISSES), 2);
	ck_assert_uint_eq(CTR(L1_HITS), 2);
	run(PROLOGUE "st.global.u32 [rd4+4096], r2\nld.global.u32 r3, [rd4+4096]\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(L1_MISSES), 3);
	ck_assert_uint_eq(CTR(L1_HITS), 2);
	run(PROLOGUE "ld.global.volatile.u32 r3, [rd4]\natom.global.add.u32 r3, [rd4], r2\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(L1_MISSES), 3);
	ck_assert_uint_eq(CTR(L1_HITS), 2);
	ck_assert_uint_eq(CTR(MEM_INSNS), 8);
	/* 33 KiB do not fit: the first line is gone */
	run(PROLOGUE "mov.u32 r9, 264\nmov.u64 rd12, rd4\nloop: ld.global.u32 r3, [rd12+16384]\nadd.u64 rd12, rd12, 128\n"
	    "sub.u32 r9, r9, 1\nsetp.ne.u32 p1, r9, 0\n@p1 bra loop\nld.global.u32 r3, [rd4+16384]\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(L1_MISSES), 3 + 265);
	ck_assert_uint_eq(CTR(L1_HITS), 2);
	/* local memory goes through it too, shared memory does not */
	s->task.launch.local_per_thread = 64;
	s->task.launch.shared_bytes = 128;
	run("mov.u32 r3, 0\nst.local.u32 [r3], r3\nld.local.u32 r4, [r3]\nld.local.u32 r4, [r3]\n"
	    "st.shared.u32 [r3], r3\nld.shared.u32 r4, [r3]\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(L1_MISSES), 3 + 265 + 1);
	ck_assert_uint_eq(CTR(L1_HITS), 3);
}
END_TEST

/* HW-64: of the lines of a set the least recently used one leaves, not the oldest one */
START_TEST(l1_keeps_what_is_used)
{
	/* Lines of one set are 64 lines apart: A B C D, A again, then E, which takes the place of B. */
	s->cfg.cache_model = 1;
	run(PROLOGUE "ld.global.u32 r3, [rd4]\nld.global.u32 r3, [rd4+8192]\nld.global.u32 r3, [rd4+16384]\n"
	    "ld.global.u32 r3, [rd4+24576]\nld.global.u32 r3, [rd4]\nld.global.u32 r3, [rd4+32768]\n"
	    "ld.global.u32 r3, [rd4]\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(L1_MISSES), 5);
	ck_assert_uint_eq(CTR(L1_HITS), 2);
	run(PROLOGUE "ld.global.u32 r3, [rd4+16384]\nld.global.u32 r3, [rd4]\nld.global.u32 r3, [rd4+8192]\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(L1_MISSES), 6);
	ck_assert_uint_eq(CTR(L1_HITS), 4);
}
END_TEST

/* HW-64: Coalescing: lines of one instruction */
START_TEST(coalescing)
{
	static const struct { const char *text; uint64_t lines; } t[] = {
		{ "ld.global.u32 r3, [rd4]\n", 1 }, { "ld.global.u32 r3, [rd10]\n", 1 },
		{ "ld.global.u64 rd12, [rd10+64]\n", 1 }, { "ld.global.u32 r3, [rd4+64]\n", 2 },
		{ "madw.u32 rd12, r2, 128, rd10\nld.global.u32 r3, [rd12]\n", 32 },
		{ "madw.u32 rd12, r2, 16, rd10\nld.global.v4.u32 rq16, [rd12]\n", 4 },
		{ "madw.u32 rd12, r2, 8, rd10\nst.global.u32 [rd12], r2\n", 2 },
	};
	char text[512];

	s->cfg.cache_model = 1;
	smt_start(s);
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t before = CTR(MEM_LINES), insns = CTR(MEM_INSNS);

		snprintf(text, sizeof(text), "%s%sexit\n", PROLOGUE, t[i].text);
		run(text, 1, 32);
		ck_assert_msg(CTR(MEM_LINES) - before == t[i].lines, "%s: %u lines", t[i].text,
			      (unsigned)(CTR(MEM_LINES) - before));
		ck_assert_uint_eq(CTR(MEM_INSNS) - insns, 1);
	}
}
END_TEST

/* HW-44, HW-65: instructions are fetched before they issue, a line at a time; two SMs of a GPC that run the same
 * code fill the L1.5 once, two GPCs once each, the second of them from the L2 */
START_TEST(one_fill_for_two_sms)
{
	char text[2048] = "";

	for (int i = 0; i < 31; i++)
		strcat(text, "add.u32 r3, r3, 1\n");
	strcat(text, "exit\n");		/* 32 instructions: 4 lines */
	s->cfg.gpcs = _i ? 2 : 1;
	s->cfg.sms_per_gpc = _i ? 1 : 2;
	s->cfg.ctas_per_sm = 1;
	s->cfg.cache_model = 1;
	run(text, 2, 1);
	ck_assert_uint_eq(CTR(WARP_INSNS), 64);
	ck_assert_uint_eq(CTR(ICACHE_HITS) + CTR(ICACHE_MISSES), 64);
	ck_assert_uint_eq(CTR(ICACHE_MISSES), 2 * 4);
	ck_assert_uint_eq(CTR(L15_MISSES), _i ? 8 : 4);
	ck_assert_uint_eq(CTR(L15_HITS), _i ? 0 : 4);
	ck_assert_uint_eq(CTR(L2_MISSES), 4);
	ck_assert_uint_eq(CTR(L2_HITS), _i ? 4 : 0);
	/* constants and parameters: the SM's constant cache, then L1.5 */
	run("ld.param.u32 r3, [0]\nld.param.u32 r3, [8]\nld.param.u64 rd10, [0]\nld.const.u32 r3, [rd10]\nexit\n", 1, 32);
	ck_assert_uint_eq(CTR(CONST_MISSES), 2);
	ck_assert_uint_eq(CTR(CONST_HITS), 2);
}
END_TEST

/* HW-69, HW-73: a linear write of 64 KiB puts 1 / D of it on each of D partitions */
START_TEST(partition_interleaving)
{
	const uint32_t parts = _i ? 8 : 4;

	s->cfg.cache_model = 1;
	s->cfg.partitions = parts;
	run(PROLOGUE "st.global.u32 [rd4], r2\nexit\n", 64, 256);
	for (unsigned i = 0; i < PPU_PARTITION_COUNTERS; i++)
		ck_assert_uint_eq(s->core->ctr[PPU_CTR_PARTITION0 + i], i < parts ? 65536 / 128 / parts : 0);
}
END_TEST

/*
 * HW-64 to HW-66, HW-69: a program of loads, stores and atomics whose lines compete for a few sets of each cache.  Each
 * counter is what a model says that remembers when each line was used last.
 */
enum { WAYS = 4, FAR_BYTES = 8 << 20, FAR_PHYS = 0x2800000 };	/* of SMT_DATA, and what lies behind it */
#define FAR		0x0000000240000000ull
#define CODE_LINE	(1ull << 59)	/* a line of code, or of parameters */

struct model_cache {
	uint32_t sets;
	uint64_t line[4096][WAYS], used[4096][WAYS];	/* when: 0, never */
};

static struct model {
	struct model_cache data, insn, constant, l15, l2;
	uint64_t now, l1[2], icache[2], cnst[2], mid[2], all[2], part[PPU_PARTITION_COUNTERS], insns, lines;
} *model;

static bool use_line(struct model_cache *c, uint64_t line, bool keep)
{
	uint64_t *have = c->line[line % c->sets], *used = c->used[line % c->sets];
	unsigned oldest = 0;

	model->now++;
	for (unsigned i = 0; i < WAYS; i++) {
		if (used[i] && have[i] == line) {
			used[i] = model->now;
			return true;
		}
		oldest = used[i] < used[oldest] ? i : oldest;
	}
	if (keep) {
		have[oldest] = line;
		used[oldest] = model->now;
	}
	return false;
}

/* What the first cache does not have: by way of the GPC's, if it is code or a constant. */
static void use_behind(uint64_t line, bool fetch)
{
	if (fetch) {
		bool hit = use_line(&model->l15, line, true);

		model->mid[hit]++;
		if (hit)
			return;
	}
	model->all[use_line(&model->l2, line, true)]++;
	if (!(line & CODE_LINE))
		model->part[line * 128 / 256 % s->cfg.partitions]++;
}

static void use_insn(uint32_t pc)
{
	uint64_t line = CODE_LINE | ((SMT_CODE + pc * PPU_INSN_BYTES) / 128 ^ s->ctx.inst << 20);
	bool hit = use_line(&model->insn, line, true);

	model->icache[hit]++;
	if (!hit)
		use_behind(line, true);
}

static void use_constant(uint64_t line)
{
	bool hit = use_line(&model->constant, line, true);

	model->cnst[hit]++;
	if (!hit)
		use_behind(line, true);
}

enum { LOAD, VOLATILE, STORE, ATOMIC, CONSTANT, KINDS };

/* An access of 32 lanes, 4 bytes each. */
static void use_data(unsigned kind, uint32_t off)
{
	uint64_t first = (FAR_PHYS + off) / 128, last = (FAR_PHYS + off + 127) / 128;

	model->insns += kind != CONSTANT;
	for (uint64_t line = first; line <= last; line++) {
		bool hit = false;

		model->lines += kind != CONSTANT;
		if (kind == CONSTANT) {
			use_constant(line);
			continue;
		}
		if (kind == LOAD || kind == STORE)
			hit = use_line(&model->data, line, kind == LOAD);
		model->l1[hit] += kind == LOAD;
		if (!hit || kind == STORE)
			use_behind(line, false);
	}
}

START_TEST(caches_like_a_model)
{
	static const char *const insn[KINDS] = {
		"ld.global.u32 r3, [rd4+%u]\n", "ld.global.volatile.u32 r3, [rd4+%u]\n", "st.global.u32 [rd4+%u], r2\n",
		"atom.global.add.u32 r3, [rd4+%u], r2\n", "ld.const.u32 r3, [rd4+%u]\n",
	};
	enum { N = 700 };
	unsigned kind[N], n = 0;
	uint32_t off[N], rng = 12345 + (uint32_t)_i;
	char *text = malloc(64 * N), *at = text;

	s->cfg.cache_model = 1;
	s->cfg.gpcs = s->cfg.sms_per_gpc = 1;
	s->cfg.partitions = _i ? 8 : 3;
	smt_start(s);
	smt_map(s, FAR, FAR_PHYS, FAR_BYTES, 0);
	smt_param64(s, 0, FAR);
	model = calloc(1, sizeof(*model));
	model->data.sets = 64;
	model->insn.sets = model->constant.sets = 16;
	model->l15.sets = 256;
	model->l2.sets = 4096;
	at += sprintf(at, "%s", "s2r r2, %tid.x\nld.param.u64 rd10, [8]\nmovi64 rd10, 0x240000000\nmadw.u32 rd4, r2, 4, rd10\n");
	for (unsigned i = 0; i < N; i++) {
		unsigned r[5];

		for (unsigned k = 0; k < 5; k++)
			r[k] = (rng = rng * 1664525 + 1013904223) >> 16;
		kind[i] = r[0] % 8 < KINDS ? r[0] % 8 : LOAD;
		/* three sets of the L1, some ways of it; and of the L2, mostly in the same set */
		off[i] = r[1] % 3 * 128 + r[2] % 6 * 8192 + (r[3] % 4 ? 0 : r[4] % 7 * (512 << 10)) + r[3] % 5 / 4 * 60;
		at += sprintf(at, insn[kind[i]], off[i]);
	}
	strcpy(at, "exit\n");
	for (unsigned round = 0; round < 3; round++) {
		static const char *const names[] = { "L1", "instructions", "constants", "L1.5", "L2" };
		const uint64_t *want[] = { model->l1, model->icache, model->cnst, model->mid, model->all };

		run(text, 1, 32);
		for (n = 0; n < N + 5; n++) {
			use_insn(n);
			if (n == 1)
				use_constant(CODE_LINE | ((uint64_t)s->task.gen << 32 | s->task.index) * PPU_PARAM_FEW / 128);
			if (n >= 4 && n < N + 4)
				use_data(kind[n - 4], off[n - 4]);
		}
		for (unsigned i = 0; i < 5; i++) {
			const uint64_t got[5][2] = {
				{ CTR(L1_MISSES), CTR(L1_HITS) }, { CTR(ICACHE_MISSES), CTR(ICACHE_HITS) },
				{ CTR(CONST_MISSES), CTR(CONST_HITS) }, { CTR(L15_MISSES), CTR(L15_HITS) },
				{ CTR(L2_MISSES), CTR(L2_HITS) },
			};

			for (unsigned hit = 0; hit < 2; hit++)
				ck_assert_msg(got[i][hit] == want[i][hit], "%s, round %u: %llu %s instead of %llu", names[i], round,
					      (unsigned long long)got[i][hit], hit ? "hits" : "misses",
					      (unsigned long long)want[i][hit]);
			ck_assert_uint_gt(want[i][0], 20);
			ck_assert_uint_gt(want[i][1], 10);
		}
		for (unsigned i = 0; i < PPU_PARTITION_COUNTERS; i++)
			ck_assert_uint_eq(s->core->ctr[PPU_CTR_PARTITION0 + i], model->part[i]);
		ck_assert_uint_eq(CTR(MEM_INSNS), model->insns);
		ck_assert_uint_eq(CTR(MEM_LINES), model->lines);
	}
	free(text);
	free(model);
}
END_TEST

/* The model only counts: same device time, same trace, same memory. */
START_TEST(model_changes_nothing)
{
	struct ppu_trace_rec *trace;
	uint32_t n, h[2];
	uint64_t now;

	s->cfg.sms_per_gpc = 3;
	s->cfg.ctas_per_sm = 2;
	h[0] = mixed_result();
	n = s->num_trace;
	now = s->now;
	trace = malloc(n * sizeof(*trace));
	memcpy(trace, s->trace, n * sizeof(*trace));
	smt_free(s);
	s = smt_new();
	s->cfg.sms_per_gpc = 3;
	s->cfg.ctas_per_sm = 2;
	s->cfg.cache_model = 1;
	h[1] = mixed_result();
	ck_assert_uint_eq(h[0], h[1]);
	ck_assert_uint_eq(now, s->now);
	ck_assert_uint_eq(n, s->num_trace);
	ck_assert_int_eq(memcmp(trace, s->trace, n * sizeof(*trace)), 0);
	ck_assert_uint_gt(CTR(ICACHE_HITS), 0);
	free(trace);
}
END_TEST

/* ---- through the runtime ------------------------------------------------------------------------------- */

static const char sums[] =
	/* out[SM] += sum over both buffers, by every SM that gets a CTA */
	".kernel sums\n.param a u64 ; .param b u64 ; .param out u64 ; .param n u32\n"
	"ld.param.u64 rd4, [a] ; ld.param.u64 rd6, [b] ; ld.param.u64 rd8, [out] ; ld.param.u32 r10, [n]\n"
	"s2r r11, %smid ; madw.u32 rd8, r11, 4, rd8 ; mov.u32 r12, 0\n"
	"loop: ld.global.u32 r13, [rd4] ; add.u32 r12, r12, r13 ; ld.global.u32 r13, [rd6] ; add.u32 r12, r12, r13\n"
	"add.u64 rd4, rd4, 256 ; add.u64 rd6, rd6, 256 ; sub.u32 r10, r10, 1 ; setp.ne.u32 p1, r10, 0\n@p1 bra loop\n"
	"st.global.u32 [rd8], r12\nexit\n";

/* HW-67, HW-70, HW-73: every SM of every GPC reads all partitions of VRAM, and system memory, in one kernel */
START_TEST(vram_and_system_memory)
{
	ppuInitOptions o = { .backend = "core", .props = "vram=32M gpcs=3 sms-per-gpc=2 ctas-per-sm=1 partitions=4 "
							 "cache-model=1" };
	enum { STEPS = 64, WORDS = STEPS * 64, SMS = 6 };
	uint64_t before[PPU_CTR_COUNT], after[PPU_CTR_COUNT];
	uint32_t *host, *copy = calloc(WORDS, 4), got[SMS] = { 0 }, n = STEPS, want = 0;
	void *vram, *out;
	ppuModule mod;
	ppuFunction f;

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, sums, 0, NULL));
	OK(ppuModuleGetFunction(&f, mod, "sums"));
	OK(ppuMalloc(&vram, WORDS * 4));
	OK(ppuMalloc(&out, 4096));
	OK(ppuMallocHost((void **)&host, WORDS * 4));
	for (uint32_t i = 0; i < WORDS; i++) {
		copy[i] = i * 7;
		host[i] = i * 11;
		want += i % 64 ? 0 : copy[i] + host[i];
	}
	OK(ppuMemcpy(vram, copy, WORDS * 4));
	OK(ppuDeviceGetCounters(0, before, PPU_CTR_COUNT));
	OK(ppuLaunchKernel(f, ppuDim(SMS, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &vram, &host, &out, &n }, NULL, 0));
	OK(ppuStreamSynchronize(NULL));
	OK(ppuDeviceGetCounters(0, after, PPU_CTR_COUNT));
	OK(ppuMemcpy(got, out, sizeof(got)));
	for (unsigned i = 0; i < SMS; i++)
		ck_assert_uint_eq(got[i], want);
	/* 64 lines of each, 256 bytes apart, seen by 6 SMs */
	ck_assert_uint_eq(after[PPU_CTR_SYS_LINES] - before[PPU_CTR_SYS_LINES], STEPS * SMS);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_ge(after[PPU_CTR_PARTITION0 + i] - before[PPU_CTR_PARTITION0 + i], STEPS / 4 * SMS);
	free(copy);
	OK(ppuShutdown());
}
END_TEST

/*
 * Finds the largest number of CTAs on the SM at once; each stays a while. %s: code that uses registers or shared
 * memory.
 */
static const char residents[] =
".version 7.0\n.target sm_70\n.address_size 64\n"
".visible .entry k(.param .u64 p)\n.reqntid 32\n{\n.reg .b32 %r<80>; .reg .b64 %d<2>; .reg .pred %q<2>; @SHARED@\n"
"ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; setp.ne.u32 %q0, %r0, 0; @%q0 bra $end;\n"
"atom.global.add.u32 %r1, [%d0], 1; add.u32 %r1, %r1, 1; atom.global.max.u32 %r2, [%d0+4], %r1; @REGS@\n"
"nanosleep.u32 20000; atom.global.add.u32 %r1, [%d0], -1; $end: ret;\n}\n";

static uint32_t most_resident(const char *props, const char *shared, bool many_regs, uint32_t *regs)
{
	ppuInitOptions o = { .backend = "core", .props = props };
	ppuFunctionAttributes a;
	uint32_t got[2];
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	const char *at_shared = strstr(residents, "@SHARED@"), *at_regs = strstr(residents, "@REGS@");
	ppuModule mod;
	ppuFunction fn;
	void *buf;

	fprintf(f, "%.*s%s%.*s", (int)(at_shared - residents), residents, shared,
		(int)(at_regs - at_shared - 8), at_shared + 8);
	for (unsigned i = 10; many_regs && i < 74; i++)		/* alive all at once */
		fprintf(f, "ld.volatile.global.u32 %%r%u, [%%d0+64];\n", i);
	for (unsigned i = 10; many_regs && i < 74; i++)
		fprintf(f, "st.volatile.global.u32 [%%d0+64], %%r%u;\n", i);
	fputs(at_regs + 6, f);
	fclose(f);
	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, text, 0, NULL));
	OK(ppuModuleGetFunction(&fn, mod, "k"));
	OK(ppuFunctionGetAttributes(&a, fn));
	OK(ppuMalloc(&buf, 4096));
	OK(ppuMemset(buf, 0, 4, 1024));
	OK(ppuLaunchKernel(fn, ppuDim(24, 1, 1), ppuDim(32, 1, 1), 0, NULL, (void *[]){ &buf }, NULL, 0));
	OK(ppuMemcpy(got, buf, sizeof(got)));
	OK(ppuShutdown());
	free(text);
	ck_assert_uint_eq(got[0], 0);
	*regs = a.regs;
	return got[1];
}

/*
 * HW-42, HW-58, HW-60: registers and shared memory of an SM are divided among its CTAs, and nothing is given to two
 * CTAs.
 */
START_TEST(cta_resources)
{
	uint32_t regs;

	ck_assert_uint_eq(most_resident("gpcs=1 sms-per-gpc=1 ctas-per-sm=16", "", false, &regs), 16);
	ck_assert_uint_eq(most_resident("gpcs=1 sms-per-gpc=1 shared-per-sm=49152", ".shared .b8 s[16384]; st.shared.u8 [s], 1;", false,
					&regs), 3);
	ck_assert_uint_eq(most_resident("gpcs=1 sms-per-gpc=1 shared-per-sm=49152", ".shared .b8 s[16400]; st.shared.u8 [s], 1;", false,
					&regs), 2);
	ck_assert_uint_eq(most_resident("gpcs=1 sms-per-gpc=1 regs-per-sm=8192", "", true, &regs), 8192 / (32 * regs));
	ck_assert_uint_ge(regs, 64);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("machine");
	TCase *t = tcase_create("machine");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, any_number_of_gpcs);
	tcase_add_test(t, threads_resident_2048);
	tcase_add_test(t, all_warps_progress);
	tcase_add_test(t, threads_of_partial_warps);
	tcase_add_test(t, cycles_by_engines);
	tcase_add_test(t, any_thread_shares_with_any);
	tcase_add_loop_test(t, global_memory_between_ctas, 0, 2);
	tcase_add_test(t, l1_hits_and_misses);
	tcase_add_loop_test(t, caches_like_a_model, 0, 2);
	tcase_add_test(t, l1_keeps_what_is_used);
	tcase_add_test(t, coalescing);
	tcase_add_loop_test(t, one_fill_for_two_sms, 0, 2);
	tcase_add_loop_test(t, partition_interleaving, 0, 2);
	tcase_add_test(t, model_changes_nothing);
	tcase_add_test(t, vram_and_system_memory);
	tcase_add_test(t, cta_resources);
	suite_add_tcase(su, t);
	return run_suite(su);
}
