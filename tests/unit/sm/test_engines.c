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
#include "core/sm/translate/region.h"

#define AUTO		0
#define INTERPRET	1
#define TRANSLATE	2

static char why[256];
static uint64_t mixed;		/* programs that both engines have run */

/* ---- two machines ---- */

/* MIXED: interpreted at first, translated from some window on. */
enum { PLAIN, SMALL_WINDOWS, CUT, QUEUE, MIXED, MACHINES };

/* Pages of VRAM that the device said it has written, by engine. */
static uint8_t dirty[3][SMT_VRAM / PPU_PAGE_SIZE];

static void on_dirty(void *opaque, uint64_t off, uint64_t len)
{
	const struct sm_test *s = opaque;

	memset(dirty[s->cfg.engine] + off / PPU_PAGE_SIZE, 1, (off % PPU_PAGE_SIZE + len + PPU_PAGE_SIZE - 1) / PPU_PAGE_SIZE);
}

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
	s->ports.vram_dirty = on_dirty;
	smt_start(s);
	/* Pages that follow one another do not lie side by side in the host's memory. */
	for (uint64_t at = 0; at < SMT_DATA_BYTES; at += PPU_PAGE_SIZE)
		smt_map(s, SMT_DATA + at, (uint64_t)(s->data - s->vram) + (at ^ PPU_PAGE_SIZE), PPU_PAGE_SIZE, 0);
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
	SAME("dirty pages", dirty[a->cfg.engine], dirty[b->cfg.engine], sizeof(dirty[0]));
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
	memset(dirty[s->cfg.engine], 0, sizeof(dirty[0]));
	s->core->xlat_gen++;		/* the TLBs forget, so that pages get dirty again */
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

/* ---- what is too rare among random programs ---- */

#define ROW	"s2r r2, %tid.x\nmovi64 rd6, "
#define LANE	"\nmadw.u32 rd6, r2, 4, rd6\nshl.u32 r8, r2, 2\nand.u32 r9, r8, 28\nmov.u32 r3, 5\n"
#define DUMP	"bar.sync 0\nmovi64 rd6, 0x200001000" LANE "ld.shared.u32 r3, [r8]\nst.global.u32 [rd6], r3\nexit\n"

static const struct {
	const char *text;
	bool faults;
} special[] = {
	/* a page that may be read only, after it is in the TLB */
	{ ROW "0x300000000" LANE "ld.global.u32 r3, [rd6]\nst.global.u32 [rd6], r3\nexit\n", true },
	{ ROW "0x300000000" LANE "ld.global.u32 r3, [rd6]\nadd.u64 rd6, rd6, 64\nmov.u64 rd10, rd6\n"
	  "st.global.u64 [rd6], rd10\nexit\n", true },
	/* addresses in shared memory that no word has */
	{ ROW "0x200001000" LANE "ld.shared.u32 r3, [r8+2]\nexit\n", true },
	{ ROW "0x200001000" LANE "st.shared.u32 [r8+2], r3\nexit\n", true },
	{ ROW "0x200001000" LANE "ld.shared.u32 r3, [r9+2]\nexit\n", true },
	{ ROW "0x200001000" LANE "st.shared.u32 [r9+2], r3\nexit\n", true },
	{ ROW "0x200001000" LANE "atom.shared.add.u32 rz, [r8+2], r3\nexit\n", true },
	{ ROW "0x200001000" LANE "atom.shared.add.u32 rz, [r8+4092], r3\nexit\n", true },
	{ ROW "0x200001000" LANE "ld.shared.u32 r3, [r8+4032]\nexit\n", true },
	{ ROW "0x200001000" LANE "st.shared.u32 [r8+4032], r3\nexit\n", true },
	/* lanes that name one word: the highest of them stores last, and all of them count */
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r3\nst.shared.u32 [r9], r2\n" DUMP, false },
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r3\natom.shared.add.u32 rz, [r9], r2\n" DUMP, false },
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r3\nsetp.gt.u32 p1, r2, 6\n@p1 atom.shared.add.s32 rz, [r9+4], r2\n" DUMP,
	  false },
	/* loads that may not be made before what stands before them: a source, a result, the address */
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r2\nadd.u32 r4, r3, r2\nld.shared.u32 r3, [r8]\nadd.u32 r3, r3, r4\n"
	  "st.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r2\nadd.u32 r4, r3, r2\nld.shared.u32 r4, [r8]\nadd.u32 r3, r3, r4\n"
	  "st.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r2\nxor.u32 r8, r8, 4\nld.shared.u32 r4, [r8]\nadd.u32 r3, r3, r4\n"
	  "st.global.u32 [rd6], r3\nexit\n", false },
	/* an address that is the second register of a result, between two loads that use it */
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r2\nld.shared.u32 r4, [r9]\nmulw.u32 rd8, r2, 4\nld.shared.u32 r5, [r9]\n"
	  "mad.u32 r3, r4, 64, r5\nst.global.u32 [rd6], r3\nexit\n", false },
	/* comparisons of NaNs */
	{ ROW "0x200001000" LANE "mov.u32 r3, 0x7fc00000\nmov.u32 r4, 0\nmov.u32 r5, 0x3f800000\n"
	  "setp.lt.f32 p0, r3, r5\nsetp.ltu.f32 p1, r3, r5\nsetp.geu.f32 p2, r5, r3\nsetp.ge.f32 p3, r5, r3\n"
	  "p2r r4, 15\nst.global.u32 [rd6], r4\nadd.u64 rd6, rd6, 4096\n"
	  "setp.leu.f32 p0, r3, r5\nsetp.gtu.f32 p1, r3, r5\nsetp.equ.f32 p2, r5, r3\nsetp.neu.f32 p3, r5, r3\n"
	  "p2r r4, 15\nst.global.u32 [rd6], r4\nexit\n", false },
};

START_TEST(specials)
{
	struct pair p = { { machine(PLAIN, INTERPRET), machine(PLAIN, TRANSLATE) }, 0 };
	static const uint32_t threads[] = { 32, 19, 64 };

	for (unsigned t = 0; t < 3; t++) {
		bool ok = true;

		for (int k = 0; k < 2; k++) {
			prepare(p.s[k], 1);
			smt_load(p.s[k], special[_i].text);
			ok &= run(p.s[k], 1, threads[t], 0);
		}
		ck_assert_msg(ok && same(p.s[0], p.s[1]), "%u threads: %s", threads[t], why);
		ck_assert_int_eq(p.s[0]->faulted, special[_i].faults);
	}
	smt_free(p.s[0]);
	smt_free(p.s[1]);
}
END_TEST

/* ---- how much is translated at once ---- */

/* A window in which the CTA runs this program, which is hot, is over. */
static void window_with(struct sm_test *s, struct ppu_program *prog)
{
	s->task.prog = prog;
	prog->heat = 64;
	for (unsigned i = 0; i < s->core->num_sms; i++)
		ppu_sm_effects(s->core, i);
}

START_TEST(one_window)
{
	struct sm_test *s = machine(SMALL_WINDOWS, AUTO);
	static char text[6000 * 40];
	struct ppu_program *first, *other;
	char *p = text;
	uint64_t va;

	for (unsigned i = 0; i < 5000; i++)
		p += sprintf(p, "@p%u madw.s32 rd%u, r%u, r%u, rd%u\n", i % 7, i * 2 % 40, i * 7 % 41, i * 11 % 43, i * 6 % 38);
	strcpy(p, "exit\n");
	s->task.launch.regs_per_thread = 64;
	smt_load(s, text);
	smt_launch(s, 1, 32);
	s->task.launch.regs_per_thread = 65;
	first = s->task.prog;
	ck_assert_int_eq(ppu_icache_get(s->core, s->task.ctx, &s->task.launch, &other, &va), 0);
	s->task.launch.regs_per_thread = 64;

	ck_assert(smt_window(s));		/* the CTA is there */

	/* Both get hot in one window: the second one waits for the next. */
	ppu_icache_window(s->core, true);
	window_with(s, first);
	window_with(s, other);
	ck_assert_ptr_nonnull(first->region);
	ck_assert_uint_gt(first->region->code_bytes, 1 << 20);
	ck_assert_ptr_null(other->region);
	ppu_icache_window(s->core, false);
	window_with(s, other);
	ck_assert_ptr_null(other->region);
	ppu_icache_window(s->core, true);
	window_with(s, other);
	ck_assert_ptr_nonnull(other->region);
	ppu_icache_window(s->core, false);
	s->task.prog = first;
	ppu_icache_put(s->core, other);
	smt_free(s);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines");
	TCase *t = tcase_create("random"), *w = tcase_create("window");
	struct ppu_config cfg = { .engine = TRANSLATE };

	/* test_engine_missing looks whether that may be. */
	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 77;
	}
	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, instructions, 0, MACHINES);
	tcase_add_loop_test(t, tokens, 0, MACHINES);
	tcase_add_loop_test(t, specials, 0, sizeof(special) / sizeof(special[0]));
	suite_add_tcase(su, t);
	tcase_add_test(w, one_window);
	tcase_set_timeout(w, 0);
	suite_add_tcase(su, w);
	return run_suite(su);
}
