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
#include "engine_pair.h"
#include "insn_random.h"
#include "run_suite.h"
#include "simt_prog.h"
#include "sm_test.h"
#include "core/sm/translate/region.h"

/* ---- single instructions ---- */

struct pair {
	struct sm_test *s[2];
	uint64_t now;
};

static bool agree(struct pair *p, int kind, const struct ppu_insn *code, uint32_t n, uint64_t seed)
{
	bool ok = true;

	for (int i = 0; i < 2; i++) {
		struct sm_test *s = p->s[i];

		epair_prepare(s, seed, IRND_DATA);
		if (kind == EPAIR_CUT) {
			s->cfg.window_ns = 100 * (1 + seed % 60);
			s->cut = 1 + seed % 5;
			s->cut_random = seed + 1;
		}
		smt_load_code(s, code, n);
		ok &= epair_run(s, 1 + seed % 2, 1 + seed * 7 % 96, kind == EPAIR_MIXED ? 1 + seed % 6 : 0);
	}
	return ok && epair_same(p->s[0], p->s[1], IRND_DATA);
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
	struct pair p = { { epair_machine(_i, EPAIR_INTERPRET), epair_machine(_i, EPAIR_TRANSLATE) }, 0 };
	static struct ppu_insn code[IRND_MAX];
	uint64_t n = programs(1200) / EPAIR_MACHINES, ended = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t seed = first_seed() + i * EPAIR_MACHINES + (uint64_t)_i;
		struct irnd r = { .state = seed * 0x9e3779b97f4a7c15ull | 1 };
		uint32_t len = irnd_program(&r, code);

		ck_assert_uint_le(len, IRND_MAX);
		if (!agree(&p, _i, code, len, seed)) {
			reduce(&p, _i, code, len, seed);
			epair_show(code, len);
			ck_abort_msg("seed %llu, machine %d: %s", (unsigned long long)seed, _i, epair_why);
		}
		ended += !p.s[0]->faulted;
	}
	/* Of a few programs none may have been run by both. */
	if (n >= 20 && epair_translates() && (_i == EPAIR_MIXED || _i == EPAIR_LATE))
		ck_assert_uint_ge(epair_mixed, n / 8);
	/* Not all programs may end early; of a few all may. */
	if (n >= 20)
		ck_assert_uint_gt(ended, n / 4);
	smt_free(p.s[0]);
	smt_free(p.s[1]);
}
END_TEST

/* ---- pages without memory ---- */

/* What no TLB entry is good for twice, in loops that are translated, beside pages that are as always. */
START_TEST(null_pages)
{
	static const char text[] =
		"ld.param.u64 rd10, [0]\ns2r r2, %tid.x\nmadw.u32 rd4, r2, 4, rd10\nmovi64 rd6, 0x500000000\n"
		"madw.u32 rd14, r2, 4, rd6\nmadw.u32 rd16, r2, 260, rd6\nmov.u32 r8, 0\nmov.u32 r20, 0\n"
		"top: add.u32 r8, r8, 1\n"
		"st.global.u32 [rd14], r8\nst.global.u32 [rd16], r8\nst.global.u32 [rd4+4096], r8\n"
		"ld.global.u32 r22, [rd14]\nadd.u32 r20, r20, r22\n"
		"ld.global.u32 r22, [rd16]\nadd.u32 r20, r20, r22\n"
		"ld.global.u64 rd24, [rd6+8]\nadd.u32 r20, r20, r24\n"
		"atom.global.add.u32 r22, [rd16], r8\nadd.u32 r20, r20, r22\n"
		"ld.global.u32 r22, [rd4+4096]\nadd.u32 r20, r20, r22\n"
		"setp.lt.u32 p2, r8, 50\n@p2 bra top\n"
		"st.global.u32 [rd4], r20\nexit\n";
	struct sm_test *s[2] = { epair_machine(_i, EPAIR_INTERPRET), epair_machine(_i, EPAIR_TRANSLATE) };
	bool ok = true;

	for (int i = 0; i < 2; i++) {
		epair_prepare(s[i], 3, IRND_DATA);
		for (uint64_t at = 0; at < 4 * PPU_PAGE_SIZE; at += PPU_PAGE_SIZE)
			smt_map(s[i], 0x500000000 + at, 0, PPU_PAGE_SIZE, PPU_PTE_NULL);
		smt_param64(s[i], 0, SMT_DATA);
		smt_load(s[i], text);
		ok &= epair_run(s[i], 1, 32, _i == EPAIR_MIXED ? 3 : 0);
	}
	ck_assert_msg(ok && epair_same(s[0], s[1], IRND_DATA), "machine %d: %s", _i, epair_why);
	ck_assert(!s[1]->faulted);
	/* These machines map pairs of pages the other way round. */
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s[1])[PPU_PAGE_SIZE / 4 + i], 50 * 51 / 2);
	smt_free(s[0]);
	smt_free(s[1]);
}
END_TEST

/* ---- tokens ---- */

START_TEST(tokens)
{
	struct pair p = { { epair_machine(_i, EPAIR_INTERPRET), epair_machine(_i, EPAIR_TRANSLATE) }, 0 };
	uint64_t n = programs(1200) / EPAIR_MACHINES;
	static char text[SIMT_TEXT_BYTES];
	struct prog prog;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t seed = first_seed() + i * EPAIR_MACHINES + (uint64_t)_i;
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
			epair_prepare(s, seed, IRND_DATA);
			s->task.launch.regs_per_thread = 48;
			s->limit = s->cfg.sm_clock_khz < 1000000 ? 2000000000 : 20000000;
			if (_i == EPAIR_CUT) {
				s->cfg.window_ns = 100 * (1 + seed % 40);
				s->cut = 1 + seed % 7;
				s->cut_random = seed + 1;
			}
			smt_load(s, text);
			ok &= epair_run(s, 1, prog.threads, _i == EPAIR_MIXED ? 1 + seed % 6 : 0);
		}
		ck_assert_msg(ok && epair_same(p.s[0], p.s[1], IRND_DATA), "tokens, seed %llu, machine %d: %s",
			      (unsigned long long)seed, _i, epair_why);
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
	/* local memory: words of all lanes in a row, words of some lanes, words anywhere, pairs, and the end of it */
	{ ROW "0x200001000" LANE "st.local.u32 [16], r2\nst.local.u64 [24], rd2\nld.local.u32 r3, [16]\nld.local.u64 rd10, [24]\n"
	  "mad.u32 r3, r10, 100, r3\nadd.u32 r3, r3, r11\nst.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "st.local.u32 [r9], r2\nst.local.u32 [r9+4], r8\nxor.u32 r9, r9, 4\nld.local.u32 r9, [r9]\n"
	  "st.global.u32 [rd6], r9\nexit\n", false },
	{ ROW "0x200001000" LANE "setp.gt.u32 p1, r2, 6\n@p1 st.local.u32 [8], r2\n@!p1 st.local.u64 [32], rd2\n"
	  "@p1 ld.local.u32 r3, [8]\n@!p1 ld.local.u64 rd10, [32]\nst.global.u32 [rd6], r3\nst.global.u32 [rd6+256], r10\nexit\n",
	  false },
	{ ROW "0x200001000" LANE "st.local.u32 [r9+2], r2\nexit\n", true },
	{ ROW "0x200001000" LANE "ld.local.u64 rd10, [r9+4]\nexit\n", true },
	{ ROW "0x200001000" LANE "mov.u32 r3, 0x100000\nst.local.u32 [r3], r2\nexit\n", true },
	{ ROW "0x200001000" LANE "ld.local.u32 r3, [r9-4]\nexit\n", true },
	{ ROW "0x200001000" LANE "ld.local.u32 r3, [1024]\nexit\n", true },
	{ ROW "0x200001000" LANE "ld.local.u32 r3, [1020]\nst.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "st.local.u64 [1020], rd2\nexit\n", true },
	/* one high word, and the immediate carries into that of lane 0 only */
	{ ROW "0x200001000" LANE "movi64 rd12, 0x300000000\nld.global.u8 r4, [rd12]\nmov.u32 r10, r8\nmov.u32 r11, 2\n"
	  "st.global.u32 [rd10+8], r2\n"
	  "setp.eq.u32 p1, r2, 0\n@p1 mov.u32 r10, 0xfffffff8\nld.global.u8 r3, [rd10+8]\nst.global.u32 [rd6], r3\nexit\n", false },
	/* bytes and halves anywhere: in one page, at its end, in two pages, with another sign, of some lanes */
	{ ROW "0x200001000" LANE "mul.u32 r8, r2, 5\nmadw.u32 rd10, r8, 1, rd6\nld.global.s8 r3, [rd10]\nst.global.u8 [rd10+64], r2\n"
	  "ld.global.u8 r4, [rd10+64]\nmad.u32 r3, r4, 1000, r3\nst.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001ff8" "\nxor.u32 r8, r2, 1\nmadw.u32 rd10, r8, 2, rd6\nld.global.s16 r3, [rd10]\nld.global.u16 r4, [rd10-18]\n"
	  "st.global.u16 [rd10], r2\nmad.u32 r3, r4, 77, r3\nmovi64 rd6, 0x200001000\nmadw.u32 rd6, r2, 4, rd6\n"
	  "st.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "setp.gt.u32 p1, r2, 6\nmadw.u32 rd10, r9, 3, rd6\n@p1 ld.global.u8 r3, [rd10+1]\n"
	  "@!p1 st.global.u8 [rd10+65], r2\nst.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "xor.u32 r8, r2, 1\nmadw.u32 rd10, r8, 2, rd6\nld.global.u16 r3, [rd10+1]\nexit\n", true },
	{ ROW "0x200001000" LANE "xor.u32 r8, r2, 1\nmadw.u32 rd10, r8, 2, rd6\nst.global.u16 [rd10+1], r3\nexit\n", true },
	/* shifts of 64 bits by 20 to 113 */
	{ ROW "0x200001000" LANE "movi64 rd10, 0x87654321fedcba98\nmad.u32 r12, r2, 3, r9\nadd.u32 r12, r12, 20\nshl.u64 rd14, rd10, r12\n"
	  "shr.u64 rd16, rd10, r12\nshr.s64 rd18, rd10, r12\nxor.u64 rd14, rd14, rd16\nadd.u64 rd14, rd14, rd18\n"
	  "st.global.u32 [rd6], r14\nst.global.u32 [rd6+128], r15\nexit\n", false },
	/* halves that are 0, subnormal, normal, infinite, not a number; bytes of two words */
	{ ROW "0x200001000" LANE "shl.u32 r10, r2, 10\nor.u32 r11, r10, r2\nxor.u32 r12, r11, 0x8000\ncvt.f32.f16 r10, r10\n"
	  "cvt.f32.f16 r11, r11\ncvt.f32.f16 r12, r12\ncvt.f32.f16 r13, r2\nst.global.u32 [rd6], r10\nst.global.u32 [rd6+128], r11\n"
	  "st.global.u32 [rd6+256], r12\nst.global.u32 [rd6+384], r13\nexit\n", false },
	{ ROW "0x200001000" LANE "mul.u32 r10, r2, 0x1020304\nxor.u32 r11, r10, 0x40305060\nprmt.u32 r12, r10, r11, 0x6142\n"
	  "prmt.u32 r13, r10, r11, 0x3012\nprmt.u32 r14, r10, r11, 0x4567\nst.global.u32 [rd6], r12\nst.global.u32 [rd6+128], r13\n"
	  "st.global.u32 [rd6+256], r14\nexit\n", false },
	/* atomics of words anywhere, and of a page that may be read only */
	{ ROW "0x200001000" LANE "madw.u32 rd10, r9, 4, rd6\natom.global.add.u32 r3, [rd10], r2\natom.global.max.s32 r4, [rd10+4], r2\n"
	  "mad.u32 r3, r4, 33, r3\nst.global.u32 [rd6+128], r3\nexit\n", false },
	{ ROW "0x300000000" LANE "ld.global.u32 r3, [rd6]\natom.global.add.u32 r3, [rd6], r2\nexit\n", true },
	/* loads that may not be made before what stands before them: a source, a result, the address */
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r2\nadd.u32 r4, r3, r2\nld.shared.u32 r3, [r8]\nadd.u32 r3, r3, r4\n"
	  "st.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r2\nadd.u32 r4, r3, r2\nld.shared.u32 r4, [r8]\nadd.u32 r3, r3, r4\n"
	  "st.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "st.shared.u32 [r8], r2\nxor.u32 r8, r8, 4\nld.shared.u32 r4, [r8]\nadd.u32 r3, r3, r4\n"
	  "st.global.u32 [rd6], r3\nexit\n", false },
	/* a load into its own address, and the next load from there */
	{ ROW "0x200001000" LANE "xor.u32 r9, r8, 4\nst.shared.u32 [r8], r9\nbar.sync 0\nld.shared.u32 r8, [r8]\n"
	  "ld.shared.u32 r3, [r8]\nst.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" LANE "xor.u32 r9, r8, 4\nst.shared.u32 [r8], r9\nbar.sync 0\nld.shared.u32 r8, [r8]\n"
	  "ld.shared.u32 r3, [r8]\nld.shared.u32 r8, [r8+4]\nld.shared.u32 r4, [r8]\nadd.u32 r3, r3, r4\n"
	  "st.global.u32 [rd6], r3\nexit\n", false },
	{ ROW "0x200001000" "\nmadw.u32 rd6, r2, 8, rd6\nmovi64 rd8, 8192\nadd.u64 rd10, rd6, rd8\nst.global.u64 [rd6], rd10\n"
	  "add.u64 rd12, rd10, rd8\nst.global.u64 [rd10], rd12\nmov.u32 r3, 7\nst.global.u32 [rd12], r3\n"
	  "ld.global.u64 rd6, [rd6]\nld.global.u64 rd6, [rd6]\nld.global.u32 r3, [rd6]\nst.global.u32 [rd6+8192], r3\nexit\n",
	  false },
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
	struct pair p = { { epair_machine(EPAIR_PLAIN, EPAIR_INTERPRET), epair_machine(EPAIR_PLAIN, EPAIR_TRANSLATE) }, 0 };
	static const uint32_t threads[] = { 32, 19, 64 };

	for (unsigned t = 0; t < 3; t++) {
		bool ok = true;

		for (int k = 0; k < 2; k++) {
			epair_prepare(p.s[k], 1, IRND_DATA);
			smt_load(p.s[k], special[_i].text);
			ok &= epair_run(p.s[k], 1, threads[t], 0);
		}
		ck_assert_msg(ok && epair_same(p.s[0], p.s[1], IRND_DATA), "%u threads: %s", threads[t], epair_why);
		ck_assert_int_eq(p.s[0]->faulted, special[_i].faults);
	}
	smt_free(p.s[0]);
	smt_free(p.s[1]);
}
END_TEST

/* Shared memory of a few bytes, or none: whatever does not fit into it faults, one lane's word and a row of words. */
START_TEST(little_shared_memory)
{
	static const char *const access[] = {
		"st.shared.u32 [r8], r2\n", "st.shared.u32 [r8+4], r2\n", "st.shared.u64 [r8], rd2\n", "st.shared.u8 [r8], r2\n",
		"ld.shared.u32 r3, [r8]\n", "ld.shared.u32 r3, [r8+4]\n", "ld.shared.u64 rd4, [r8]\n", "ld.shared.u8 r3, [r8+3]\n",
		"atom.shared.add.u32 rz, [r8], r2\n", "atom.shared.add.u32 rz, [r8+4], r2\n", "atom.shared.add.u32 r3, [r8], r2\n",
	};
	static const uint32_t sizes[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 124, 127, 128, 129, 131, 132, 255, 256, 260 };
	struct pair p = { { epair_machine(EPAIR_PLAIN, EPAIR_INTERPRET), epair_machine(EPAIR_PLAIN, EPAIR_TRANSLATE) }, 0 };
	unsigned faulted = 0, went = 0;
	char text[400];

	for (unsigned i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
		/* a row of words, and one word for all */
		snprintf(text, sizeof(text), "%s%s%s%s", ROW "0x200001000" LANE, i & 1 ? "mov.u32 r8, 0\n" : "", access[_i],
			 "st.global.u32 [rd6], r3\nexit\n");
		for (unsigned threads = 1; threads < 33; threads += 31) {
			bool ok = true;

			for (int k = 0; k < 2; k++) {
				epair_prepare(p.s[k], 1, IRND_DATA);
				p.s[k]->task.launch.shared_bytes = sizes[i / 2];
				smt_load(p.s[k], text);
				ok &= epair_run(p.s[k], 1, threads, 0);
			}
			ck_assert_msg(ok && epair_same(p.s[0], p.s[1], IRND_DATA), "%u bytes, %u threads, %s: %s", sizes[i / 2],
				      threads, text, epair_why);
			p.s[0]->faulted ? faulted++ : went++;
		}
	}
	ck_assert(faulted > 8 && went > 8);
	smt_free(p.s[0]);
	smt_free(p.s[1]);
}
END_TEST

/* Loads that take registers of the host while all of them hold values: _i + 8 of these are written in front of the loads. */
START_TEST(many_values)
{
	static const char *const load[] = { "ld.shared.v4.u32 rq44, [%s]\nld.shared.v4.u32 rq48, [%s+16]\n",
		"ld.shared.v2.u32 rd44, [%s]\nld.shared.v2.u32 rd48, [%s+8]\n", "ld.shared.u16 r44, [%s]\nld.shared.u8 r48, [%s+1]\n",
		"ld.shared.u32 r44, [%s]\nld.shared.u32 r48, [%s+4]\n" };
	struct sm_test *s[2] = { epair_machine(EPAIR_PLAIN, EPAIR_INTERPRET), epair_machine(EPAIR_PLAIN, EPAIR_TRANSLATE) };

	/* All lanes from one address, and each from its own. */
	for (unsigned k = 0; k < 8; k++) {
		const char *base = k & 1 ? "r9" : "r10";
		char text[4096];
		bool ok = true;
		int n = sprintf(text, "%s", ROW "0x200001000" LANE
				"st.shared.u32 [r8], r2\nshl.u32 r9, r2, 4\nmov.u32 r10, 0\nbar.sync 0\n");

		for (int i = 0; i < _i + 8; i++)
			n += sprintf(text + n, "add.u32 r%d, r2, %d\n", 11 + i, 100 + i);
		n += sprintf(text + n, load[k / 2], base, base);
		n += sprintf(text + n, "add.u32 r3, r44, r48\n");
		for (int i = 0; i < _i + 8; i++)
			n += sprintf(text + n, "mad.u32 r3, r3, 3, r%d\n", 11 + i);
		sprintf(text + n, "st.global.u32 [rd6], r3\nexit\n");
		for (unsigned i = 0; i < 2; i++) {
			epair_prepare(s[i], 1, IRND_DATA);
			smt_load(s[i], text);
			ok &= epair_run(s[i], 1, 64, 0);
		}
		ck_assert_msg(ok && epair_same(s[0], s[1], IRND_DATA), "%s\n%s", epair_why, text);
		ck_assert(!s[0]->faulted);
	}
	smt_free(s[0]);
	smt_free(s[1]);
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
	struct sm_test *s = epair_machine(EPAIR_SMALL_WINDOWS, EPAIR_AUTO);
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
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	/* test_engine_missing looks whether that may be. */
	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 77;
	}
	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, instructions, 0, EPAIR_MACHINES);
	tcase_add_loop_test(t, null_pages, 0, EPAIR_MACHINES);
	tcase_add_loop_test(t, tokens, 0, EPAIR_MACHINES);
	tcase_add_loop_test(t, many_values, 0, 25);
	tcase_add_loop_test(t, little_shared_memory, 0, 11);
	tcase_add_loop_test(t, specials, 0, sizeof(special) / sizeof(special[0]));
	suite_add_tcase(su, t);
	if (epair_translates())
		tcase_add_test(w, one_window);
	tcase_set_timeout(w, 0);
	suite_add_tcase(su, w);
	return run_suite(su);
}
