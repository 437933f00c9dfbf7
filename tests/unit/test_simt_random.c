/* SPDX-License-Identifier: MIT */
/*
 * Random programs: the SM against a reference that runs each thread alone.
 *
 * For one thread, SSY, PBRK, PUSH and YIELD do nothing, SYNC, BRK, CONT, DISABLE are branches, and CAL
 * and RET use its register.  Whatever a program does with them, structured or not, every thread must
 * leave the same results as alone, and none may get lost.
 *
 *   PPU_RANDOM_PROGRAMS=100000 PPU_RANDOM_SEED=7 build/unit/test_simt_random
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "smt.h"

#define BLOCKS		12
#define BLOCK_INSNS	12	/* every block has this length, so that BRX can compute addresses */
#define PRO_INSNS	10
#define REGS		6	/* r3 .. r8 */
#define FUEL		24

enum { ADDI, XOR, MUL, ADD, SETP, PUSH, YIELD, BRA, DIS, BRX, CAL, RET, EXIT, NOP };
struct op {
	uint8_t what, d, a, b, guard;	/* guard: 0 none, 1..4 p0..p3, +8 negated */
	uint8_t sub;			/* PUSH, DIS: reason; SETP: predicate */
	uint32_t imm;			/* or target block */
};
struct prog {
	struct op op[BLOCKS][BLOCK_INSNS];
};

static uint64_t state;
static uint32_t rnd(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % n;
}

static void generate(struct prog *p)
{
	static const uint8_t reasons[] = { PPU_REASON_SYNC, PPU_REASON_SYNC, PPU_REASON_SYNC, PPU_REASON_BRK,
					   PPU_REASON_CONT, PPU_REASON_LONGJMP, PPU_REASON_USER9 };
	/* few targets make reconvergence likely */
	uint32_t spread = 2 + rnd(BLOCKS - 2), yields = rnd(3), calls = rnd(3);

	for (int b = 0; b < BLOCKS; b++)
		for (int i = 0; i < BLOCK_INSNS; i++) {
			struct op *o = &p->op[b][i];

			*o = (struct op){ .what = NOP, .d = 3 + rnd(REGS), .a = 3 + rnd(REGS), .b = 3 + rnd(REGS),
					  .guard = rnd(3) ? 0 : (1 + rnd(4)) | (rnd(2) ? 8 : 0), .sub = rnd(4),
					  .imm = rnd(100) };
			if (i < 3)
				continue;		/* the fuel check */
			if (i < 8) {
				o->what = rnd(5);	/* ADDI .. SETP */
			} else if (i < 10) {
				uint32_t k = rnd(6);

				o->imm = rnd(spread);
				o->sub = reasons[rnd(sizeof(reasons))];
				o->what = k < 3 ? PUSH : k == 3 && yields ? YIELD : NOP;
			} else if (i == 10) {
				uint32_t k = rnd(16);

				o->imm = rnd(spread);
				o->sub = reasons[rnd(sizeof(reasons))];
				o->what = k < 5 ? BRA : k < 11 ? DIS : k == 11 ? BRX : k == 12 && calls ? CAL :
					  k == 13 && calls ? RET : k == 14 && rnd(4) == 0 ? EXIT : NOP;
			}
		}
}

static const char *reason_name(unsigned r)
{
	static const char *const names[16] = {
#define R(name, code, text) text,
		PPU_REASONS(R)
#undef R
	};
	return names[r];
}

static unsigned block_pc(unsigned b)
{
	return PRO_INSNS + b * BLOCK_INSNS;
}

static void emit(const struct prog *p, char *t)
{
	t += sprintf(t, "s2r r2, %%tid.x\nld.param.u64 rd10, [0]\nmadw.u32 rd12, r2, 32, rd10\n"
		     "mov.u32 r20, %u\nmov.u32 r14, %u\n", FUEL, block_pc(0));
	for (int r = 0; r < 5; r++)
		t += sprintf(t, "mul.u32 r%d, r2, %u\n", 3 + r, 2654435761u * (r + 1) >> 3);
	for (unsigned b = 0; b < BLOCKS; b++)
		for (int i = 0; i < BLOCK_INSNS; i++) {
			const struct op *o = &p->op[b][i];

			if (i == 0)
				t += sprintf(t, "add.u32 r20, r20, -1\n");
			else if (i == 1)
				t += sprintf(t, "setp.eq.u32 p5, r20, 0\n");
			else if (i == 2)
				t += sprintf(t, "@p5 bra End\n");
			if (i < 3)
				continue;
			if (i >= 8 && p->op[b][10].what == BRX) {	/* to one of the first four blocks */
				t += i == 8 ? sprintf(t, "and.u32 r9, r%d, 3\n", p->op[b][10].d) :
				     i == 9 ? sprintf(t, "mul.u32 r9, r9, %u\n", BLOCK_INSNS) :
				     i == 10 ? sprintf(t, "add.u32 r9, r9, %u\n", block_pc(0)) :
				     sprintf(t, "brx r9\n");
				continue;
			}
			if (o->guard && o->what != NOP)
				t += sprintf(t, "@%sp%d ", o->guard & 8 ? "!" : "", (o->guard & 7) - 1);
			switch (o->what) {
			case ADDI: t += sprintf(t, "add.u32 r%d, r%d, %u\n", o->d, o->a, o->imm); break;
			case XOR: t += sprintf(t, "xor.u32 r%d, r%d, r%d\n", o->d, o->a, o->b); break;
			case MUL: t += sprintf(t, "mul.u32 r%d, r%d, r%d\n", o->d, o->a, o->b); break;
			case ADD: t += sprintf(t, "add.u32 r%d, r%d, r%d\n", o->d, o->a, o->b); break;
			case SETP: t += sprintf(t, "setp.lt.u32 p%d, r%d, r%d\n", o->sub, o->a, o->b); break;
			case PUSH: t += sprintf(t, "push.%s %u\n", reason_name(o->sub), block_pc(o->imm)); break;
			case YIELD: t += sprintf(t, "yield\n"); break;
			case BRA: t += sprintf(t, "bra %u\n", block_pc(o->imm)); break;
			case DIS: t += sprintf(t, "disable.%s %u\n", reason_name(o->sub), block_pc(o->imm)); break;
			case CAL: t += sprintf(t, "cal r14, %u\n", block_pc(o->imm)); break;
			case RET: t += sprintf(t, "ret r14\n"); break;
			case EXIT: t += sprintf(t, "bra End\n"); break;
			default: t += sprintf(t, "nop\n");
			}
		}
	t += sprintf(t, "bra 10\nEnd:\n");
	for (int r = 0; r < REGS; r++)
		t += sprintf(t, "st.global.u32 [rd12+%d], r%d\n", 4 * r, 3 + r);
	sprintf(t, "mov.u32 r9, 1\natom.global.add.u32 rz, [rd12+24], r9\nexit\n");
}

static void reference(const struct prog *p, uint32_t tid, uint32_t *out)
{
	uint32_t r[16] = { 0 }, fuel = FUEL, ret = block_pc(0), pc = block_pc(0);
	bool pr[4] = { 0 };

	for (int k = 0; k < 5; k++)
		r[3 + k] = tid * (2654435761u * (k + 1) >> 3);
	for (;;) {
		uint32_t b = (pc - PRO_INSNS) / BLOCK_INSNS, i = (pc - PRO_INSNS) % BLOCK_INSNS;
		const struct op *o;

		if (b == BLOCKS) {	/* behind the last one: back to the first */
			pc = block_pc(0);
			continue;
		}
		if (i == 0)
			fuel--;
		if (i == 2 && !fuel)
			break;
		pc++;
		if (i < 3)
			continue;
		o = &p->op[b][i];
		if (i >= 8 && p->op[b][10].what == BRX) {
			o = &p->op[b][10];
			pc = block_pc(r[o->d] & 3);
			continue;
		}
		if (o->guard && o->what != NOP && pr[(o->guard & 7) - 1] == !!(o->guard & 8))
			continue;
		switch (o->what) {
		case ADDI: r[o->d] = r[o->a] + o->imm; break;
		case XOR: r[o->d] = r[o->a] ^ r[o->b]; break;
		case MUL: r[o->d] = r[o->a] * r[o->b]; break;
		case ADD: r[o->d] = r[o->a] + r[o->b]; break;
		case SETP: pr[o->sub] = r[o->a] < r[o->b]; break;
		case BRA: case DIS: pc = block_pc(o->imm); break;
		case CAL: ret = pc; pc = block_pc(o->imm); break;
		case RET: pc = ret; break;
		case EXIT: goto end;
		}
	}
end:
	memcpy(out, r + 3, REGS * 4);
	out[REGS] = 1;
}

static void run_seed(struct smt *s, uint64_t seed)
{
	static char text[65536];
	struct prog p;
	uint32_t lanes, want[7];
	struct ppu_config *cfg = &s->core->cfg;

	state = seed * 0x9e3779b97f4a7c15ull | 1;
	for (int i = 0; i < 8; i++)
		rnd(2);
	generate(&p);
	cfg->branch_first = rnd(2);
	cfg->yield_every = rnd(4) ? 1 : rnd(5);
	cfg->yield_merge = rnd(4) != 0;
	cfg->yield_random = rnd(4) ? 65536 : 20000;
	lanes = rnd(3) ? 32 : 1 + rnd(64);
	emit(&p, text);
	memset(s->data, 0, 64 * 32);
	smt_load(s, text);
	s->limit = 100000000;
	if (!smt_run(s, 1, lanes)) {
		if (s->faulted && s->fault.code == PPU_ERR_TOKQ_OVERFLOW)
			return;
		ck_abort_msg("seed %llu: %s, fault %u pc %u lane %u\n%s", (unsigned long long)seed,
			     s->faulted ? "fault" : "hangs", s->fault.code, s->fault.pc, s->fault.lane,
			     getenv("PPU_RANDOM_TEXT") ? text : "");
	}
	for (uint32_t t = 0; t < lanes; t++) {
		reference(&p, t, want);
		if (memcmp(want, s->data + t * 32, sizeof(want)))
			ck_abort_msg("seed %llu: thread %u of %u differs (%u times at the end)",
				     (unsigned long long)seed, t, lanes, smt_u32(s)[t * 8 + 6]);
	}
}

#define CUT 2	/* the third run of the test */

START_TEST(random_programs)
{
	const char *n = getenv("PPU_RANDOM_PROGRAMS"), *first = getenv("PPU_RANDOM_SEED");
	uint64_t count = n ? strtoull(n, NULL, 0) : _i == CUT ? 400 : 2000, seed = first ? strtoull(first, NULL, 0) : 1;
	struct smt *s = smt_new();

	s->cfg.tokq_entries = _i ? 4096 : 1000;
	s->cfg.tokq_driver = _i == 1;
	if (_i == CUT) {	/* SP-4: preempted at random instructions, restored on another SM */
		s->cfg.sms_per_gpc = 2;
		s->cfg.tokq_entries = 256;
		s->cfg.sm_clock_khz = 10000;	/* 100 ns are one cycle */
		s->cut_random = seed;
	}
	smt_start(s);
	s->core->ports.trace = NULL;
	for (uint64_t i = 0; i < count; i++) {
		if (_i == CUT) {
			s->cfg.window_ns = 100 * (1 + i % 40);
			s->cut = 1 + i % 7;
		}
		run_seed(s, seed + i + (_i ? 1000000 : 0));
	}
	if (_i == CUT)
		ck_assert_uint_gt(s->num_cuts, count * 5);
	smt_free(s);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("simt_random");
	TCase *t = tcase_create("random");
	SRunner *sr;
	int failed;

	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, random_programs, 0, CUT + 1);
	suite_add_tcase(su, t);
	sr = srunner_create(su);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
