/* SPDX-License-Identifier: MIT */
/*
 * What the code says by itself (core/sm/flow.h): turn points, the registers that are live, and what a saved warp
 * tells.  Documentation/hw/engines.md has the rules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_isa_check.h>
#include <hw/ppu_save.h>
#include "core/sm/smsave.h"
#include "one_cta.h"
#include "run_suite.h"

/* ---- turn points ------------------------------------------------------------------------------------- */

static const char *marks(const char *text)
{
	static char out[512];
	const struct ppu_program *p = decoded(text);
	unsigned i, n = 0;

	for (i = 0; i < p->n; i++)
		if (p->code[i].turn)
			n += (unsigned)sprintf(out + n, "%s%u", n ? " " : "", i);
	ck_assert(p->code[p->n].turn);
	for (i = 1; i <= p->n; i++)
		ck_assert_uint_eq(p->code[i].block, p->code[i - 1].block + p->code[i].turn);
	ck_assert_uint_eq(p->flow.num, p->code[p->n].block + 1);
	return out;
}

START_TEST(turn_points)
{
	/* targets, and what follows a branch */
	ck_assert_str_eq(marks("nop\nnop\nL: nop\n@p1 bra L\nnop\nnop\nexit\n"), "0 2 4");
	ck_assert_str_eq(marks("nop\njmp L\nnop\nnop\nL: exit\n"), "0 2 4");
	/* a push names a place but ends nothing; who waits for the token ends a block */
	ck_assert_str_eq(marks("nop\nssy L\nnop\nnop\nsync L\nnop\nL: nop\nexit\n"), "0 5 6");
	ck_assert_str_eq(marks("pbrk L\nnop\nbrk L\nnop\nnop\nL: exit\n"), "0 3 5");
	ck_assert_str_eq(marks("pcnt L\nnop\ncont L\nnop\nnop\nL: exit\n"), "0 3 5");
	ck_assert_str_eq(marks("pexit L\nnop\nnop\n@p1 exit\nnop\nL: exit\n"), "0 4 5");
	ck_assert_str_eq(marks("push.r9 L\nnop\ndisable.r9 L\nnop\nnop\nL: exit\n"), "0 3 5");
	ck_assert_str_eq(marks("nop\ncal r4, f\nnop\nexit\nnop\nf: nop\nret r4\n"), "0 2 4 5 6");
	/* addresses in registers */
	ck_assert_str_eq(marks("nop\nbrx r4\nnop\nnop\nexit\n"), "0 1 2");
	ck_assert_str_eq(marks("nop\ncalx r5, r4\nnop\nnop\nexit\n"), "0 1 2");
	/* waiting */
	ck_assert_str_eq(marks("nop\nbar.sync 0\nnop\nnop\nexit\n"), "0 1 2");
	ck_assert_str_eq(marks("nop\nbar.arrive 0, 32\nnop\nnop\nexit\n"), "0 1 2");
	ck_assert_str_eq(marks("nop\nwarpsync 3\nnop\nnop\nexit\n"), "0 1 2");
	ck_assert_str_eq(marks("nop\ntsync r4\nnop\nnop\nexit\n"), "0 1 2");
	ck_assert_str_eq(marks("nop\nyield\nnop\nnop\nexit\n"), "0 2");
	ck_assert_str_eq(marks("nop\nnanosleep 5\nnop\nnop\nexit\n"), "0 2");
	ck_assert_str_eq(marks("nop\ntlaunch r4, rd6\nnop\nnop\nexit\n"), "0 2");
	/* member masks: lanes may wait at these, and not at the forms without */
	ck_assert_str_eq(marks("nop\nvote.all p1, r4, p2\nnop\nexit\n"), "0 1");
	ck_assert_str_eq(marks("nop\nvote.all.active p1, p2\nnop\nexit\n"), "0");
	ck_assert_str_eq(marks("nop\nshfl.bfly.full r3, r2, 1, 31\nnop\nexit\n"), "0 1");
	ck_assert_str_eq(marks("nop\nredux.add.u32 r3, r2, r4\nnop\nexit\n"), "0 1");
	ck_assert_str_eq(marks("nop\nmatch.any.u32 r3, r2, r4\nnop\nexit\n"), "0 1");
	/* nothing else */
	ck_assert_str_eq(marks("ld.global.u32 r2, [rd4]\natom.global.add.u32 r2, [rd4], r3\nmembar\n"
			       "st.global.u32 [rd4], r2\ns2r r2, %tid.x\ntrap\nnop\nbrkpt\nexit\n"), "0");
}
END_TEST

static const char *copies(const char *insn, unsigned n)
{
	static char text[8192];

	text[0] = 0;
	while (n--)
		strcat(text, insn);
	return strcat(text, "exit\n");
}

START_TEST(straight_code)
{
	/* 64 cycles, not 65 */
	ck_assert_str_eq(marks(copies("add.u32 r2, r2, r3\n", 200)), "0 64 128 192");
	/* 64 is no multiple of 6; 16 loads of 4 cycles */
	ck_assert_str_eq(marks(copies("sqrt.f32 r2, r3\n", 25)), "0 10 20");
	ck_assert_str_eq(marks(copies("ld.global.u32 r2, [rd4]\n", 34)), "0 16 32");
	smt_free(s);
	s = smt_new();
	s->cfg.cost_mem_cycles = 100;	/* longer than a block: alone in it */
	s->cfg.engines = 16;
	ck_assert_str_eq(marks("nop\nld.global.u32 r2, [rd4]\nnop\nld.global.u32 r2, [rd4]\nld.global.u32 r2, [rd4]\n"
			       "nop\nnop\nexit\n"), "0 1 2 3 4 5");
	ck_assert_str_eq(marks(copies("add.u32 r2, r2, r3\n", 40)), "0 32");
}
END_TEST

/*
 * The cycles of an instruction are those of the table in Documentation/hw/sm.md, times the passes through the engines.  What
 * faults occupies the SM for a cycle: an illegal instruction, a target outside, and what is behind the last instruction.
 */
START_TEST(cycles_of_instructions)
{
	enum { MEM = 7 };
	static const struct {
		const char *text;
		uint32_t cycles;
	} insn[] = {
		{ "add.u32 r2, r2, r3", 1 }, { "mul.u64 rd2, rd2, rd4", 1 }, { "fma.f32 r2, r3, r4, r5", 1 },
		{ "cvt.f32.u32 r2, r3", 1 }, { "setp.lt.f32 p1, r2, r3", 1 }, { "s2r r2, %clock", 1 },
		{ "add.f64 rd2, rd4, rd6", 3 }, { "fma.f64 rd2, rd4, rd6, rd8", 3 }, { "setp.lt.f64 p1, rd2, rd4", 3 },
		{ "cvt.f64.f32 rd2, r4", 3 }, { "cvt.f32.f64 r2, rd4", 3 }, { "cvt.u32.f64 r2, rd4", 3 },
		{ "sqrt.f32 r2, r3", 6 }, { "sin.f32 r2, r3", 6 }, { "div.u32 r2, r3, r4", 6 }, { "rem.s64 rd2, rd4, rd6", 6 },
		{ "sqrt.f64 rd2, rd4", 12 }, { "div.f64 rd2, rd4, rd6", 12 }, { "rcp.f64 rd2, rd4", 12 },
		{ "bar.sync 0", 2 }, { "warpsync 3", 2 }, { "vote.all.active p1, p2", 2 }, { "shfl.bfly.full r3, r2, 1, 31", 2 },
		{ "match.any.u32 r3, r2, r4", 2 }, { "redux.add.u32 r3, r2, r4", 2 },
		{ "ld.global.u32 r2, [rd4]", MEM }, { "st.shared.u32 [r4], r2", MEM }, { "membar", MEM },
		{ "atom.global.add.u32 r2, [rd4], r3", MEM }, { "ld.param.u64 rd10, [0]", MEM },
		{ "nop", 1 }, { "brkpt", 1 }, { "bra 0", 1 }, { "bra 100", 1 }, { "ssy 0", 1 }, { "yield", 1 }, { "trap", 1 },
		{ "tsync r4", 1 }, { "nanosleep 5", 1 }, { "exit", 1 },
	};
	static const uint32_t engines[] = { 32, 16, 5 }, passes[] = { 1, 2, 7 };

	for (unsigned k = 0; k < 3; k++) {
		struct ppu_insn illegal[1];
		const struct ppu_program *p;

		smt_free(s);
		s = smt_new();
		s->cfg.engines = engines[k];
		s->cfg.cost_mem_cycles = MEM;
		for (unsigned i = 0; i < sizeof(insn) / sizeof(insn[0]); i++) {
			p = decoded(insn[i].text);
			ck_assert_msg(p->code[0].cost == insn[i].cycles * passes[k], "%s: %u cycles with %u engines", insn[i].text,
				      p->code[0].cost, engines[k]);
			ck_assert_uint_eq(p->n, 1);
			ck_assert_uint_eq(p->code[1].cost, 1);
		}
		memset(illegal, 0xff, sizeof(illegal));
		smt_finish(s);
		smt_load_code(s, illegal, 1);
		smt_launch(s, 1, 32);
		ck_assert_uint_eq(s->task.prog->code[0].cost, 1);
	}
}
END_TEST

/* Warps that are ready take turns at the first turn point behind 512 cycles; where windows end does not matter. */
START_TEST(turns_end_at_turn_points)
{
	static const uint64_t windows[] = { 100, 170, 511, 513, 10000 };
	char text[8192];
	unsigned k, i;

	/* blocks of less than 64 cycles; each warp notes the clock when it begins */
	strcpy(text, PROLOGUE "s2r r3, %clock\n" STORE3);
	for (i = 0; i < 200; i++)
		strcat(text, "sqrt.f32 r6, r7\n");
	strcat(text, "exit\n");
	for (k = 0; k < 5; k++) {
		const struct ppu_program *p;
		uint32_t cycle = 0, first, second;

		if (k) {
			smt_free(s);
			s = smt_new();
		}
		s->cfg.window_ns = windows[k];
		run(text, 64);
		first = smt_u32(s)[0];
		second = smt_u32(s)[32];
		p = decoded(text);
		for (i = 0; cycle < 512 || !p->code[i].turn; i++)
			cycle += p->code[i].cost;
		ck_assert_uint_ne(cycle, 512);
		ck_assert_uint_eq(second - first, cycle);
	}
}
END_TEST

/* Every loop has a turn point, also one of addresses in registers alone. */
START_TEST(no_loop_without_turn_points)
{
	s->limit = 50000;
	smt_start(s);
	smt_load(s, "mov.u32 r4, 2\nnop\nbrx r4\nexit\n");
	ck_assert(!smt_run(s, 1, 32));
	ck_assert(s->timed_out);
	smt_load(s, "mov.u32 r4, 2\nnop\nret r4\nexit\n");
	ck_assert(!smt_run(s, 1, 64));
	ck_assert(s->timed_out);
}
END_TEST

/* ---- liveness ---------------------------------------------------------------------------------------------- */

static const char *set_text(const struct ppu_live *l)
{
	static char out[1024];
	unsigned i, n = 0;

	out[0] = 0;
	for (i = 0; i < 256; i++)
		if (ppu_live_reg(l, i))
			n += (unsigned)sprintf(out + n, "%sr%u", n ? " " : "", i);
	for (i = 0; i < 15; i++)
		if (l->pred >> i & 1)
			n += (unsigned)sprintf(out + n, "%sp%u", n ? " " : "", i);
	return out;
}

static const char *live(const char *text, uint32_t pc)
{
	struct ppu_live l;

	ppu_flow_live(decoded(text), pc, &l);
	return set_text(&l);
}

START_TEST(live_registers)
{
	static const char straight[] = "add.u32 r2, r3, r4\nmov.u32 r3, r2\nst.global.u32 [rd6], r3\nexit\n";
	static const char loop[] = "mov.u32 r2, 0\nL: add.u32 r2, r2, r5\nsetp.lt.u32 p1, r2, r6\n@p1 bra L\n"
				   "st.global.u32 [rd8], r2\nexit\n";

	ck_assert_str_eq(live(straight, 0), "r3 r4 r6 r7");
	ck_assert_str_eq(live(straight, 1), "r2 r6 r7");
	ck_assert_str_eq(live(straight, 2), "r3 r6 r7");
	ck_assert_str_eq(live(straight, 3), "");
	ck_assert_str_eq(live(straight, 4), "");
	ck_assert_str_eq(live(loop, 0), "r5 r6 r8 r9");
	ck_assert_str_eq(live(loop, 1), "r2 r5 r6 r8 r9");
	ck_assert_str_eq(live(loop, 3), "r2 r5 r6 r8 r9 p1");
	ck_assert_str_eq(live(loop, 4), "r2 r8 r9");
	/* with a guard, lanes may keep the old value */
	ck_assert_str_eq(live("@p2 mov.u32 r2, r3\nst.global.u32 [rd4], r2\nexit\n", 0), "r2 r3 r4 r5 p2");
	ck_assert_str_eq(live("mov.u32 r2, r3\nst.global.u32 [rd4], r2\nexit\n", 0), "r3 r4 r5");
	/* vectors and pairs whole */
	ck_assert_str_eq(live("ld.global.v4.u32 rq4, [rd8]\nst.global.v2.u64 [rd10], rq4\nexit\n", 0), "r8 r9 r10 r11");
	ck_assert_str_eq(live("ld.global.v2.u32 rd4, [rd8]\nst.global.v2.u64 [rd10], rq4\nexit\n", 0), "r6 r7 r8 r9 r10 r11");
	/* where lanes end, and where they go instead */
	ck_assert_str_eq(live("exit\nst.global.u32 [rd4], r2\n", 0), "");
	ck_assert_str_eq(live("@p1 exit\nst.global.u32 [rd4], r2\nexit\n", 0), "r2 r4 r5 p1");
	ck_assert_str_eq(live("exit\npexit L\nnop\nexit\nL: st.global.u32 [rd4], r2\nexit\n", 0), "r2 r4 r5");
	ck_assert_str_eq(live("exit\npush.exit L\nnop\nexit\nL: st.global.u32 [rd4], r2\nexit\n", 0), "r2 r4 r5");
	ck_assert_str_eq(live("exit\npush.r9 L\nnop\nexit\nL: st.global.u32 [rd4], r2\nexit\n", 0), "");
	ck_assert_str_eq(live("trap\nst.global.u32 [rd4], r2\nexit\n", 3), "");
	/* tokens: who waits goes on at the target, the others at the next instruction */
	ck_assert_str_eq(live("sync L\nst.global.u32 [rd4], r2\nL: st.global.u32 [rd4], r3\nexit\n", 0), "r3 r4 r5");
	ck_assert_str_eq(live("@p3 sync L\nst.global.u32 [rd4], r2\nL: st.global.u32 [rd4], r3\nexit\n", 0), "r2 r3 r4 r5 p3");
	/* anywhere: what is read anywhere */
	ck_assert_str_eq(live("ret r9\nst.global.u32 [rd4], r2\nmov.u32 r2, r3\nexit\n", 0), "r2 r3 r4 r5 r9");
	ck_assert_str_eq(live("brx r9\nmov.u32 r8, r3\nexit\n", 0), "r3 r9");
	ck_assert_str_eq(live("cal r14, f\nst.global.u32 [rd4], r2\nexit\nf: mov.u32 r2, r3\nret r14\n", 0), "r3 r4 r5");
	/* predicates */
	ck_assert_str_eq(live("setp.eq.u32 p1, r2, r3, p4\n@p1 trap\nexit\n", 0), "r2 r3 p4");
	ck_assert_str_eq(live("p2r r2, 5\nst.global.u32 [rd4], r2\nexit\n", 0), "r4 r5 p0 p2");
	ck_assert_str_eq(live("r2p r2, 5\np2r r2, 7\nst.global.u32 [rd4], r2\nexit\n", 0), "r2 r4 r5 p1");
}
END_TEST

/* A lane exchange reads what lanes hold that are elsewhere, or that have ended. */
START_TEST(exchanged_registers_are_live_everywhere)
{
	static const char text[] = "mov.u32 r2, 1\n@p1 exit\nshfl.idx r3, r2, 0, 31\nst.global.u32 [rd4], r3\nexit\n";

	for (unsigned pc = 0; pc < 6; pc++)
		ck_assert(strstr(live(text, pc), "r2") != NULL);
	ck_assert_str_eq(live(text, 4), "r2");
	ck_assert_str_eq(live(text, 2), "r2 r4 r5");
}
END_TEST

/* Code that would need a pass for each of its blocks: everything that is read counts as live. */
START_TEST(few_passes)
{
	char text[4096], *t = text;
	unsigned hops[] = { 10, 40 };

	for (unsigned k = 0; k < 2; k++) {
		t = text + sprintf(text, "bra L%u\nL0: st.global.u32 [rd4], r2\nexit\nmov.u32 r9, r8\n", hops[k]);
		for (unsigned i = 1; i <= hops[k]; i++)
			t += sprintf(t, "L%u: bra L%u\n", i, i - 1);
		ck_assert_str_eq(live(text, 0), k ? "r2 r4 r5 r8" : "r2 r4 r5");
	}
}
END_TEST

/* ---- instructions: what they read and write is what the lists say ----------------------------------------------- */

static uint64_t rng = 88172645463325252ull;

static uint32_t below(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 20) % n;
}

static void random_insn(struct ppu_insn *in, unsigned op)
{
	const struct ppu_isa_info *info = ppu_isa_info(op);
	const struct ppu_isa_rule *rule = ppu_isa_rule(op);
	__u32 have = ppu_fmt_fields(info->fmt), types = info->types;
	unsigned t;

	memset(in, 0, sizeof(*in));
	PPU_SET(in, OP, op);
	PPU_SET(in, GP, below(4) ? PPU_PT : below(15));
	PPU_SET(in, GN, PPU_GET(in, GP) == PPU_PT ? 0 : below(2));
	if (info->fmt == PPU_FMT_D_I64) {
		PPU_SET(in, D, below(40));
		in->hi = rng;
		return;
	}
	PPU_SET(in, PD, PPU_PT);
	PPU_SET(in, PE, PPU_PT);
	PPU_SET(in, PS, PPU_PT);
	do
		t = below(PPU_T_COUNT);
	while (PPU_FMT_HAS(have, T) && !(types >> t & 1));
#define MAYBE(f, n) do { if (PPU_FMT_HAS(have, f) && !below(2)) PPU_SET(in, f, below(n)); } while (0)
	if (PPU_FMT_HAS(have, T))
		PPU_SET(in, T, t);
	if (PPU_FMT_HAS(have, U) && rule->u != PPU_TS_NONE) {
		do
			t = below(PPU_T_COUNT);
		while (!(rule->u >> t & 1));
		PPU_SET(in, U, t);
	}
	MAYBE(RND, 4); MAYBE(FTZ, 2); MAYBE(SAT, 2); MAYBE(NA, 2); MAYBE(NB, 2); MAYBE(NC, 2); MAYBE(AA, 2); MAYBE(AB, 2);
	MAYBE(BI, 2); MAYBE(CI, 2);
	if (rule->nm)
		MAYBE(M, rule->nm);
	if (rule->nx)
		MAYBE(X, rule->nx);
	if (rule->ymask && PPU_FMT_HAS(have, Y))
		PPU_SET(in, Y, rng & rule->ymask);
	if (PPU_FMT_HAS(have, D))
		PPU_SET(in, D, below(40));
	if (PPU_FMT_HAS(have, A))
		PPU_SET(in, A, info->fmt == PPU_FMT_PLOP ? below(16) : below(40));
	if (PPU_FMT_HAS(have, B))
		PPU_SET(in, B, PPU_GET(in, BI) ? PPU_RZ : below(40));
	if (PPU_FMT_HAS(have, C))
		PPU_SET(in, C, PPU_GET(in, CI) ? PPU_RZ : below(40));
	if (op == PPU_OP_TESTP || op == PPU_OP_ISSPACE)
		PPU_SET(in, B, PPU_RZ);
	if (PPU_FMT_HAS(have, PD))
		PPU_SET(in, PD, below(16));
	if (PPU_FMT_HAS(have, PE))
		PPU_SET(in, PE, below(2) ? PPU_PT : below(16));
	if (PPU_FMT_HAS(have, PS)) {
		PPU_SET(in, PS, below(16));
		PPU_SET(in, PSN, below(2));
	}
	if (PPU_FMT_HAS(have, IMM) && (PPU_GET(in, BI) || PPU_GET(in, CI) || op == PPU_OP_P2R || op == PPU_OP_R2P))
		PPU_SET(in, IMM, op == PPU_OP_P2R || op == PPU_OP_R2P ? rng & 0x7fff : (uint32_t)rng);
#undef MAYBE
}

#define ROWS	PPU_ROWS(48)

static uint32_t rows[2][ROWS][PPU_LANES] __attribute__((aligned(64)));

/* Registers and predicates that are not read have other values in run 1. */
static void fill(struct ppu_vregs *v, const struct ppu_live *reads)
{
	unsigned i, k;

	for (i = 0; i < ROWS; i++)
		for (k = 0; k < PPU_LANES; k++) {
			uint32_t x = below(3) ? (uint32_t)rng : below(2) ? below(300) : 0x3f800000 + below(1 << 24);
			bool zero = i >= 48 && i < 52, other = i < 48 && !ppu_live_reg(reads, i);

			rows[0][i][k] = zero ? 0 : x;
			rows[1][i][k] = zero ? 0 : other ? ~x : x;
		}
	for (i = 0; i < 16; i++) {
		v[0].pred[i] = i == PPU_PT ? ~0u : (uint32_t)rng * (2 * i + 1);
		v[1].pred[i] = i == PPU_PT || reads->pred >> i & 1 ? v[0].pred[i] : ~v[0].pred[i];
	}
	v[0].row = rows[0];
	v[1].row = rows[1];
}

/* What pure functions read and write, tried with values. */
START_TEST(effects_of_instructions)
{
	static const uint8_t ops[] = {
#define I(id, op, mn, fmt, types, xc, doc) op,
		PPU_ISA(I)
#undef I
	};
	struct ppu_insn code[1024];
	unsigned tried[256] = { 0 }, round, next = 0, i, r, k;
	struct ppu_vregs v[2];

	smt_start(s);
	s->task.launch.regs_per_thread = 48;
	for (round = 0; round < 12; round++) {
		const struct ppu_program *p;
		unsigned n = 0;

		while (n < 1024) {
			unsigned op = ops[next++ % sizeof(ops)], tries = 0;

			if (ppu_isa_info(op)->xclass > PPU_XC_SFU || op == PPU_OP_S2R)
				continue;
			do
				random_insn(&code[n], op);
			while (ppu_isa_check(&code[n], 48) && ++tries < 3000);
			n += tries < 3000;

		}
		if (s->task.prog)
			smt_finish(s);
		smt_load_code(s, code, n);
		smt_launch(s, 1, 32);
		ck_assert(!s->faulted);
		p = s->task.prog;
		for (i = 0; i < n; i++) {
			const struct ppu_dinsn *di = &p->code[i];
			struct ppu_live reads, writes;
			uint32_t mask[2];

			if (!di->fn)
				continue;
			tried[di->op]++;
			ppu_flow_effects(p, i, &reads, &writes);
			fill(v, &reads);
			for (k = 0; k < 2; k++) {
				mask[k] = v[k].pred[di->gp] ^ -(uint32_t)di->gn;
				if (mask[k])
					di->fn(&v[k], di, mask[k]);
			}
			ck_assert_uint_eq(mask[0], mask[1]);
			for (r = 0; r < 48; r++)
				for (k = 0; k < PPU_LANES && ppu_live_reg(&writes, r); k++)
					ck_assert_msg(rows[0][r][k] == rows[1][r][k], "opcode %02x type %u: r%u of lane %u",
						      di->op, di->t, r, k);
			for (r = 0; r < 15; r++)
				ck_assert_msg(!(writes.pred >> r & 1) || v[0].pred[r] == v[1].pred[r], "opcode %02x: p%u",
					      di->op, r);
			/* what is neither read nor written has not changed: the sets miss no result */
			ck_assert(!(writes.pred >> PPU_PT));
			if (di->always && (ppu_fmt_fields(ppu_isa_info(di->op)->fmt) >> PPU_F_D & 1) && di->d < 48)
				ck_assert_msg(ppu_live_reg(&writes, di->d), "opcode %02x does not write d", di->op);
		}
	}
	for (i = 0; i < sizeof(ops); i++)
		if (ppu_isa_info(ops[i])->xclass <= PPU_XC_SFU && ops[i] != PPU_OP_S2R)
			ck_assert_msg(tried[ops[i]] >= 20, "opcode %02x tried %u times only", ops[i], tried[ops[i]]);
}
END_TEST

/* ---- the state of a warp ------------------------------------------------------------------------------------------ */

#define IMAGE	(SMT_VRAM - (1u << 20))

/* The saved image of the only CTA. */
static const struct ppu_save_warp *saved(const uint32_t (**regs)[PPU_LANES])
{
	const struct ppu_tmd *t = &s->task.launch;
	const uint8_t *p = s->vram + IMAGE + sizeof(struct ppu_save_cta) + 16 * sizeof(struct ppu_save_bar) + 16 * 12;

	ck_assert(ppu_sm_can_save(s->core, 0, 0));
	ppu_sm_save_cta(s->core, 0, 0, IMAGE, 0);
	p += (t->shared_bytes + 15) & ~15u;
	*regs = (const uint32_t (*)[PPU_LANES])(p + sizeof(struct ppu_save_warp));
	return (const struct ppu_save_warp *)p;
}

static void put_back(void)
{
	ck_assert_int_ge(ppu_sm_restore_cta(s->core, 0, &s->task, 0, 0, IMAGE, s->now), 0);
}

/* Lanes at three places: each keeps what it needs where it is, and nothing else is in the image. */
START_TEST(dead_values_are_saved_as_zero)
{
	const uint32_t (*r)[PPU_LANES];
	const struct ppu_save_warp *w;

	s->cfg.window_ns = 1000;
	smt_start(s);
	smt_load(s, PROLOGUE "mov.u32 r20, 20\nmov.u32 r21, 21\nmov.u32 r22, 22\nmov.u32 r23, 23\n"
		 "setp.ge.u32 p1, r2, 24\nsetp.lt.u32 p2, r2, 8\nsetp.lt.u32 p3, r2, 4\n"
		 "@p1 exit\n"
		 "ssy L\n@!p2 bra E\n"
		 "nanosleep 3000\nmov.u32 r3, r20\n@p3 add.u32 r3, r3, 1\nst.global.u32 [rd4], r3\nexit\n"
		 "E: sync L\n"
		 "L: add.u32 r3, r21, r2\nst.global.u32 [rd4], r3\nexit\n");
	smt_launch(s, 1, 32);
	while (!s->core->sms[0].warp || s->core->sms[0].warp[0].state != PPU_WARP_TIMED || s->now < 2000)
		ck_assert(smt_window(s));
	w = saved(&r);
	ck_assert_uint_eq(w->active, 0xff);
	ck_assert_uint_eq(w->live, 0xffffff);
	for (unsigned i = 0; i < 32; i++) {
		bool sleeps = i < 8, waits = i >= 8 && i < 24;

		ck_assert_uint_eq(r[20][i], sleeps ? 20 : 0);
		ck_assert_uint_eq(r[21][i], waits ? 21 : 0);
		ck_assert_uint_eq(r[22][i], 0);
		ck_assert_uint_eq(r[23][i], 0);
		ck_assert_uint_eq(r[3][i], 0);
		ck_assert_uint_eq(r[2][i], waits ? i : 0);
		ck_assert_uint_eq(r[4][i], sleeps || waits ? (uint32_t)SMT_DATA + 4 * i : 0);
		ck_assert_uint_eq(r[10][i], 0);
		ck_assert_uint_eq(w->wait[i] != 0, waits);
		ck_assert_uint_eq(w->bar_val[i], 0);
	}
	ck_assert_uint_eq(w->pred[1], 0);
	ck_assert_uint_eq(w->pred[2], 0);
	ck_assert_uint_eq(w->pred[3], 0xf);
	ck_assert_uint_eq(w->pred[PPU_PT], ~0u);
	put_back();
	while (smt_window(s))
		;
	for (unsigned i = 0; i < 24; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i < 4 ? 21 : i < 8 ? 20 : 21 + i);
	smt_finish(s);
}
END_TEST

/* Registers that are read before they are written are 0, whatever the warp before had in them. */
START_TEST(registers_start_as_zero)
{
	static const char *const texts[] = {
		PROLOGUE "mov.u32 r3, r9\n" STORE3 "exit\n",
		PROLOGUE "setp.lt.u32 p1, r2, 99\n@!p1 mov.u32 r3, 5\n" STORE3 "exit\n",
		PROLOGUE "shfl.idx r3, r20, 5, 31\n" STORE3 "exit\nmov.u32 r20, 1\n",
		PROLOGUE "setp.lt.u32 p1, r2, 16\n@p1 bra L\nmov.u32 r20, 9\nnanosleep 100\nexit\nL: shfl.idx r3, r21, 20, 31\n"
			STORE3 "exit\n",
		PROLOGUE "mov.u32 r12, 6\nbrx r12\nmov.u32 r3, 1\nadd.u32 r3, r24, r25\n" STORE3 "exit\n",
		PROLOGUE "cal r14, f\nadd.u32 r3, r3, r19\n" STORE3 "exit\nf: mov.u32 r3, r18\nret r14\n",
		PROLOGUE "mov.u32 r3, 0\n@p5 mov.u32 r3, 1\n" STORE3 "exit\n",
	};
	char fill[4096], *t = fill;

	for (unsigned r = 2; r < 32; r++)
		t += sprintf(t, "mov.u32 r%u, %u\n", r, 1000 + r);
	sprintf(t, "setp.eq.u32 p5, r2, r2\nexit\n");
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		run(fill, 64);
		memset(s->data, 0xff, 64 * 4);
		run(texts[i], 64);
		for (unsigned k = 0; k < 64; k++)
			if (i != 3 || k < 16)
				ck_assert_msg(!smt_u32(s)[k], "program %u thread %u: %u", i, k, smt_u32(s)[k]);
	}
}
END_TEST

/* What a barrier or a member mask left is in the image only as long as it counts. */
START_TEST(barrier_results_are_saved_while_they_count)
{
	const uint32_t (*r)[PPU_LANES];
	const struct ppu_save_warp *w;

	s->cfg.window_ns = 100;
	smt_start(s);
	smt_load(s, PROLOGUE "setp.lt.u32 p1, r2, 5\nbar.popc r3, 0, p1\n" STORE3 "nanosleep 2000\n"
		 "setp.lt.u32 p1, r2, 16\nssy L\n@p1 bra A\nwarpsync 0xffffffff\nsync L\n"
		 "A: nanosleep 5000\nwarpsync 0xffffffff\nsync L\nL: exit\n");
	smt_launch(s, 1, 32);
	while (s->now < 1500)
		ck_assert_msg(smt_window(s), "fault %u pc %u", s->fault.code, s->fault.pc);
	w = saved(&r);		/* sleeps, behind the barrier */
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(w->bar_val[i], 0);
	put_back();
	while (s->core->sms[0].warp[0].sync_wait == 0 || s->core->sms[0].warp[0].state != PPU_WARP_TIMED)
		ck_assert(smt_window(s));
	w = saved(&r);		/* one half waits at WARPSYNC, the other sleeps */
	for (unsigned i = 0; i < 32; i++) {
		bool waits = w->sync_wait >> i & 1;

		ck_assert_uint_eq(w->bar_val[i], waits ? ~0u : 0);
		ck_assert_uint_eq(w->wait[i] != 0, !(w->active >> i & 1));
	}
	ck_assert_uint_ne(w->sync_wait, 0);
	ck_assert_uint_ne(w->active, 0);
	put_back();
	while (smt_window(s))
		;
	ck_assert(!s->faulted && !s->timed_out);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 5);
	smt_finish(s);
}
END_TEST

/* What a thread may read that starts somewhere, asked again for the same and for another entry. */
START_TEST(first_registers)
{
	struct ppu_program *p = (struct ppu_program *)decoded("add.u32 r2, r3, r4\nadd.u32 r3, r5, r6\nexit\n");
	static const uint32_t entry[] = { 0, 0, 1, 0, 2, 1, 1 };
	struct ppu_live want;

	for (unsigned i = 0; i < sizeof(entry) / sizeof(entry[0]); i++) {
		ppu_flow_live(p, entry[i], &want);
		ck_assert_mem_eq(ppu_flow_first(p, entry[i]), &want, sizeof(want));
	}
	ck_assert(ppu_live_reg(ppu_flow_first(p, 0), 4) && !ppu_live_reg(ppu_flow_first(p, 1), 4));
}
END_TEST

int main(void)
{
	Suite *su = suite_create("flow");
	TCase *t = tcase_create("flow");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, turn_points);
	tcase_add_test(t, straight_code);
	tcase_add_test(t, cycles_of_instructions);
	tcase_add_test(t, turns_end_at_turn_points);
	tcase_add_test(t, no_loop_without_turn_points);
	tcase_add_test(t, live_registers);
	tcase_add_test(t, exchanged_registers_are_live_everywhere);
	tcase_add_test(t, first_registers);
	tcase_add_test(t, few_passes);
	tcase_add_test(t, effects_of_instructions);
	tcase_add_test(t, registers_start_as_zero);
	tcase_add_test(t, dead_values_are_saved_as_zero);
	tcase_add_test(t, barrier_results_are_saved_while_they_count);
	suite_add_tcase(su, t);
	return run_suite(su);
}
