/* SPDX-License-Identifier: MIT */
/*
 * The interpreter and the translator are indistinguishable: random programs on two machines that differ only in the
 * property engine.  Memory, device time, counters, faults, traces, token queues, local memory and the images of CTAs
 * that were saved have to be the same bytes.
 *
 *   PPU_RANDOM_PROGRAMS=100000 PPU_RANDOM_SEED=7 build/unit-fast/test_engines
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include "insn_random.h"
#include "run_suite.h"
#include "simt_prog.h"
#include "sm_test.h"

#define INTERPRET	1
#define TRANSLATE	2

static char why[256];
static uint64_t mixed;		/* programs that both engines have run */

/* ---- two machines ---- */

/* MIXED: interpreted at first, translated from some window on. */
enum { PLAIN, SMALL_WINDOWS, CUT, QUEUE, MIXED, MACHINES };

static struct sm_test *machine(int kind, unsigned engine)
{
	struct sm_test *s = smt_new();

	s->cfg.engine = engine;
	s->cfg.tokq_entries = kind == QUEUE ? 64 : 256;
	s->cfg.tokq_driver = kind == QUEUE;
	if (kind == SMALL_WINDOWS || kind == MIXED)
		s->cfg.window_ns = 300;
	if (kind == CUT) {
		s->cfg.sms_per_gpc = 2;
		s->cfg.sm_clock_khz = 10000;	/* 100 ns are one cycle */
	}
	smt_start(s);
	return s;
}

/* What has to be equal. */
#define SAME(what, x, y, bytes) do { \
	if (memcmp(x, y, bytes)) { \
		snprintf(why, sizeof(why), "%s differ", what); \
		return false; \
	} \
} while (0)
#define EQUAL(what, x, y) do { \
	unsigned long long x_ = (x), y_ = (y); \
	if (x_ != y_) { \
		snprintf(why, sizeof(why), "%s: %llu and %llu", what, x_, y_); \
		return false; \
	} \
} while (0)

static bool same(const struct sm_test *a, const struct sm_test *b)
{
	EQUAL("fault", a->faulted, b->faulted);
	if (a->faulted) {
		EQUAL("fault code", a->fault.code, b->fault.code);
		EQUAL("fault pc", a->fault.pc, b->fault.pc);
		EQUAL("fault lane", a->fault.lane, b->fault.lane);
		EQUAL("fault va", a->fault.va, b->fault.va);
		EQUAL("fault warp", a->fault.warp, b->fault.warp);
		EQUAL("fault time", a->fault.time_ns, b->fault.time_ns);
	}
	EQUAL("timed out", a->timed_out, b->timed_out);
	EQUAL("device time", a->now, b->now);
	EQUAL("CTAs", a->done_ctas, b->done_ctas);
	EQUAL("cuts", a->num_cuts, b->num_cuts);
	EQUAL("images", a->image_hash, b->image_hash);
	EQUAL("exceptions", a->num_exceptions, b->num_exceptions);
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		if (a->core->ctr[i] != b->core->ctr[i]) {
			snprintf(why, sizeof(why), "counter %u: %llu and %llu", i,
				 (unsigned long long)a->core->ctr[i], (unsigned long long)b->core->ctr[i]);
			return false;
		}
	for (unsigned i = 0; i < a->core->num_sms; i++)
		EQUAL("cycle", a->core->sms[i].cycle, b->core->sms[i].cycle);
	SAME("memory", a->data, b->data, IRND_DATA);
	SAME("token queues", a->vram + 0x400000, b->vram + 0x400000, 128 << 10);
	SAME("local memory", a->vram + 0x1000000, b->vram + 0x1000000, 256 << 10);
	EQUAL("trace records", a->num_trace, b->num_trace);
	SAME("traces", a->trace, b->trace, a->num_trace * sizeof(*a->trace));
	return true;
}

/* The program that was loaded, window by window.  True: it was run as it should be. */
static bool run(struct sm_test *s, uint32_t grid, uint32_t threads, uint64_t after)
{
	uint64_t end = s->now + s->limit;
	bool translated, after_ = after;

	if (after)
		s->core->cfg.engine = INTERPRET;
	smt_launch(s, grid, threads);
	while (smt_window(s)) {
		if (after && !--after)
			s->core->cfg.engine = s->cfg.engine;
		if (s->now >= end) {
			s->timed_out = true;
			break;
		}
	}
	translated = s->task.prog && s->task.prog->region;
	if (s->task.prog)
		smt_finish(s);
	mixed += translated && after_;
	if (translated != (s->cfg.engine == TRANSLATE) && !after_) {
		snprintf(why, sizeof(why), translated ? "the interpreter translated" : "no host code");
		return false;
	}
	return true;
}

/* ---- single instructions ---- */

static void show(const struct ppu_insn *code, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		char line[200];

		ppu_disasm_insn(&code[i], i, line, sizeof(line));
		fprintf(stderr, "%4u  %s\n", i, line);
	}
}

struct pair {
	struct sm_test *s[2];
	uint64_t now;
};

static void prepare(struct sm_test *s, uint64_t seed)
{
	struct irnd r = { seed * 2 + 1 };
	uint32_t *d = smt_u32(s);

	for (uint32_t i = 0; i < 100; i++)
		irnd(&r, 2);
	for (uint32_t i = 0; i < IRND_DATA / 4; i++) {
		static const uint32_t special[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x7f800000,
						    0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 1, 0x00400000 };
		uint32_t x = irnd(&r, 0xffffffff);

		d[i] = x % 5 ? x : special[x / 5 % (sizeof(special) / 4)];
	}
	memset(s->vram + 0x400000, 0, 128 << 10);
	memset(s->vram + 0x1000000, 0, 256 << 10);
	memset(s->core->ctr, 0, sizeof(s->core->ctr));
	s->task.launch.regs_per_thread = IRND_REGS;
	s->task.launch.shared_bytes = IRND_SHARED;
	s->image_hash = 0;
	s->num_cuts = 0;
	s->limit = s->cfg.sm_clock_khz < 1000000 ? 400000000 : 4000000;
}

static bool agree(struct pair *p, int kind, const struct ppu_insn *code, uint32_t n, uint64_t seed)
{
	bool ok = true;

	for (int i = 0; i < 2; i++) {
		struct sm_test *s = p->s[i];

		prepare(s, seed);
		if (kind == CUT) {
			s->cfg.window_ns = 100 * (1 + seed % 60);
			s->cut = 1 + seed % 5;
			s->cut_random = seed + 1;
		}
		smt_load_code(s, code, n);
		ok &= run(s, 1 + seed % 2, 1 + seed * 7 % 96, kind == MIXED ? 1 + seed % 6 : 0);
	}
	return ok && same(p->s[0], p->s[1]);
}

/* Fewer instructions, as long as the machines differ. */
static void reduce(struct pair *p, int kind, struct ppu_insn *code, uint32_t n, uint64_t seed)
{
	struct ppu_insn nop = { 0 }, old;

	PPU_SET(&nop, OP, PPU_OP_NOP);
	PPU_SET(&nop, GP, PPU_PT);
	PPU_SET(&nop, PD, PPU_PT);
	PPU_SET(&nop, PE, PPU_PT);
	PPU_SET(&nop, PS, PPU_PT);
	for (int round = 0; round < 3; round++)
		for (uint32_t i = n; i-- > 0;) {
			old = code[i];
			code[i] = nop;
			if (agree(p, kind, code, n, seed))
				code[i] = old;
		}
	agree(p, kind, code, n, seed);
}

static uint64_t programs(uint64_t def)
{
	const char *n = getenv("PPU_RANDOM_PROGRAMS");

	return n ? strtoull(n, NULL, 0) : def;
}

static uint64_t first_seed(void)
{
	const char *seed = getenv("PPU_RANDOM_SEED");

	return seed ? strtoull(seed, NULL, 0) : 1;
}

START_TEST(instructions)
{
	struct pair p = { { machine(_i, INTERPRET), machine(_i, TRANSLATE) }, 0 };
	static struct ppu_insn code[IRND_MAX];
	uint64_t n = programs(1200) / MACHINES, ended = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t seed = first_seed() + i * MACHINES + (uint64_t)_i;
		struct irnd r = { seed * 0x9e3779b97f4a7c15ull | 1 };
		uint32_t len = irnd_program(&r, code);

		ck_assert_uint_le(len, IRND_MAX);
		if (!agree(&p, _i, code, len, seed)) {
			reduce(&p, _i, code, len, seed);
			show(code, len);
			ck_abort_msg("seed %llu, machine %d: %s", (unsigned long long)seed, _i, why);
		}
		ended += !p.s[0]->faulted;
	}
	ck_assert_uint_ge(mixed, (_i == MIXED ? n : 0) / 8);
	/* Not all programs may end early. */
	ck_assert_uint_gt(ended, n / 4);
	smt_free(p.s[0]);
	smt_free(p.s[1]);
}
END_TEST

/* ---- tokens ---- */

START_TEST(tokens)
{
	struct pair p = { { machine(_i, INTERPRET), machine(_i, TRANSLATE) }, 0 };
	uint64_t n = programs(1200) / MACHINES;
	static char text[SIMT_TEXT_BYTES];
	struct prog prog;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t seed = first_seed() + i * MACHINES + (uint64_t)_i;
		bool ok = true;

		simt_generate(&prog, seed);
		simt_emit(&prog, text);
		for (int k = 0; k < 2; k++) {
			struct sm_test *s = p.s[k];
			struct ppu_config *cfg = &s->core->cfg;

			cfg->branch_first = prog.branch_first;
			cfg->yield_every = prog.yield_every;
			cfg->yield_merge = prog.yield_merge;
			cfg->yield_random = prog.yield_random;
			prepare(s, seed);
			s->task.launch.regs_per_thread = 48;
			s->limit = s->cfg.sm_clock_khz < 1000000 ? 2000000000 : 20000000;
			if (_i == CUT) {
				s->cfg.window_ns = 100 * (1 + seed % 40);
				s->cut = 1 + seed % 7;
				s->cut_random = seed + 1;
			}
			smt_load(s, text);
			ok &= run(s, 1, prog.threads, _i == MIXED ? 1 + seed % 6 : 0);
		}
		ck_assert_msg(ok && same(p.s[0], p.s[1]), "tokens, seed %llu, machine %d: %s",
			      (unsigned long long)seed, _i, why);
	}
	smt_free(p.s[0]);
	smt_free(p.s[1]);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines");
	TCase *t = tcase_create("random");
	struct ppu_config cfg = { .engine = TRANSLATE };

	/* test_engine_missing looks whether that may be. */
	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 77;
	}
	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, instructions, 0, MACHINES);
	tcase_add_loop_test(t, tokens, 0, MACHINES);
	suite_add_tcase(su, t);
	return run_suite(su);
}
