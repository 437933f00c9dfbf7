/* SPDX-License-Identifier: MIT */
/*
 * Random programs: the SM against a reference that runs each thread alone.
 *
 * For one thread, SSY, PBRK, PUSH and YIELD do nothing, SYNC, BRK, CONT, DISABLE are branches, and CAL
 * and RET use its register.  Whatever a program does with them, structured or not, every thread must
 * leave the same results as alone, and none may get lost.
 *
 * Two kinds: unstructured ones are blocks that jump anywhere, pushing and disabling for any reason;
 * structured ones are nested ifs, loops with break and continue, switches, functions, direct and indirect
 * calls, early exits, and at their top level votes, reductions and barriers of all threads.
 *
 * A program that fails is reduced as long as it fails and printed in the form of simt_corpus.txt, which
 * is run first: append it there when the cause is found.
 *
 *   PPU_RANDOM_PROGRAMS=100000 PPU_RANDOM_SEED=7 build/unit-fast/test_simt_random
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "smt.h"

#define REGS		6	/* r3 .. r8: what a program computes with and leaves behind */
#define PREDS		4	/* p0 .. p3 */
#define COUNTERS	8	/* r30 ..: loops */
#define RETS		4	/* r40 ..: return addresses of functions; RETS: r14, where calls leave them */
#define START_FUEL	24	/* blocks an unstructured program runs */
#define MAX_OPS		600
#define MAX_THREADS	64
#define RESULT_BYTES	32	/* of a thread: registers, times it came to the end */
#define CORPUS		"tests/unit/simt_corpus.txt"

/*
 * name, instructions it becomes, text with $-letters: d a b registers, i the immediate, t the target's PC,
 * s a predicate, r a reason, c a counter, x a return register.
 */
#define OPS(O) \
O(NOP,   1, "nop") \
O(ADDI,  1, "add.u32 $d, $a, $i") \
O(XOR,   1, "xor.u32 $d, $a, $b") \
O(MUL,   1, "mul.u32 $d, $a, $b") \
O(ADD,   1, "add.u32 $d, $a, $b") \
O(SETP,  1, "setp.lt.u32 $s, $a, $b") \
O(PUSH,  1, "push.$r $t") \
O(YIELD, 1, "yield") \
O(BRA,   1, "bra $t") \
O(DIS,   1, "disable.$r $t") \
O(BRX,   4, "and.u32 r9, $d, 3\nadd.u32 r9, r9, $t\nnop\nbrx r9") \
O(CAL,   1, "cal r14, $t") \
O(CALX,  4, "and.u32 r9, $d, 3\nadd.u32 r9, r9, $t\nnop\ncalx r14, r9") \
O(SAVE,  1, "mov.u32 $x, r14") \
O(RET,   1, "ret $x") \
O(EXIT,  1, "exit") \
O(FUEL,  3, "add.u32 r20, r20, -1\nsetp.eq.u32 p5, r20, 0\n@p5 bra $t") \
O(SET,   1, "and.u32 $c, $a, $i") \
O(DEC,   2, "setp.eq.u32 p6, $c, 0\nadd.u32 $c, $c, -1") \
O(BRK0,  1, "@p6 disable.$r $t") \
O(BALLOT,1, "vote.ballot $d, r19, $s") \
O(REDUX, 1, "redux.add.u32 $d, $a, r19") \
O(BAR,   1, "bar.sync 0") \
O(POPC,  1, "bar.popc $d, 0, $s") \
O(END,   1, "bra End")
enum what {
#define O(name, n, text) name,
	OPS(O)
#undef O
	NUM_WHATS
};
static const uint8_t op_insns[NUM_WHATS] = {
#define O(name, n, text) n,
	OPS(O)
#undef O
};
static const char *const op_text[NUM_WHATS] = {
#define O(name, n, text) text,
	OPS(O)
#undef O
};

struct op {
	uint8_t what, d, a, b;	/* registers 0 .. REGS - 1 */
	uint8_t guard;		/* 0 none, 1..4 p0..p3, +8 negated */
	uint8_t sub;		/* reason, predicate, counter or return register */
	uint32_t imm;		/* number, or the target as index of an op; BRX, CALX: of four BRAs */
};
struct prog {
	uint32_t n, threads;
	uint32_t branch_first, yield_every, yield_merge, yield_random;
	struct op op[MAX_OPS];
};

static uint64_t state;
static uint32_t rnd(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % n;
}

static uint8_t random_guard(void)
{
	return (uint8_t)(rnd(3) ? 0 : (1 + rnd(PREDS)) | (rnd(2) ? 8 : 0));
}

static struct op *put(struct prog *p, enum what what)
{
	struct op *o = &p->op[p->n < MAX_OPS - 1 ? p->n++ : p->n];

	*o = (struct op){ .what = (uint8_t)what, .d = (uint8_t)rnd(REGS), .a = (uint8_t)rnd(REGS),
			  .b = (uint8_t)rnd(REGS), .imm = rnd(100) };
	return o;
}

static void compute(struct prog *p, bool guarded)
{
	struct op *o = put(p, ADDI + rnd(5));

	if (o->what == SETP)
		o->sub = (uint8_t)rnd(PREDS);
	if (guarded)
		o->guard = random_guard();
}

/* ---- unstructured: blocks of one length that go anywhere ------------------------------------------- */

#define BLOCKS		12
#define BLOCK_OPS	9

static void unstructured(struct prog *p)
{
	static const uint8_t reasons[] = { PPU_REASON_SYNC, PPU_REASON_SYNC, PPU_REASON_SYNC, PPU_REASON_BRK,
					   PPU_REASON_CONT, PPU_REASON_LONGJMP, PPU_REASON_USER9 };
	/* few targets make reconvergence likely */
	uint32_t spread = 2 + rnd(BLOCKS - 2), yields = rnd(3), calls = rnd(3), exits = rnd(4), tables = 1 + rnd(3), k, i;

	for (unsigned b = 0; b < BLOCKS; b++) {
		struct op *o = put(p, FUEL);

		o->imm = BLOCKS * BLOCK_OPS;	/* the END behind the blocks */
		for (i = 1; i < 6; i++)
			compute(p, true);
		for (; i < 8; i++) {
			k = rnd(6);
			o = put(p, k < 3 ? PUSH : k == 3 && yields ? YIELD : NOP);
			o->sub = reasons[rnd(sizeof(reasons))];
			o->imm = rnd(spread) * BLOCK_OPS;
			o->guard = random_guard();
		}
		k = rnd(17);
		o = put(p, k < 5 ? BRA : k < 11 ? DIS : k == 11 ? BRX : k == 12 && calls ? CAL :
			k == 13 && calls ? RET : k == 14 && calls > 1 ? CALX : k == 15 && !exits ? EXIT :
			k == 16 && !rnd(4) ? END : NOP);
		o->guard = o->what == BRX || o->what == CALX ? 0 : random_guard();
		o->sub = o->what == DIS ? reasons[rnd(sizeof(reasons))] : RETS;
		o->imm = rnd(spread) * BLOCK_OPS;
		if (o->what == BRX || o->what == CALX)
			o->imm = BLOCKS * BLOCK_OPS + 1 + 4 * rnd(tables);
	}
	put(p, END);
	for (i = 0; i < 4 * tables; i++)
		put(p, BRA)->imm = rnd(spread) * BLOCK_OPS;
}

/* ---- structured ---------------------------------------------------------------------------------------- */

#define FUNCS 4
struct gen {
	struct prog *p;
	uint32_t func[FUNCS];		/* first op */
	unsigned funcs;			/* made so far */
	unsigned counters, counters_end;	/* of loops around this place; of this function */
	unsigned budget;		/* statements left */
	bool yields, exits, collective;
	uint32_t brk, cont;		/* targets to be patched: index into fix */
};
/* Targets that are not known yet: ops whose imm is MARK + number. */
#define MARK 0x10000u

static uint32_t new_mark(struct gen *g)
{
	static uint32_t n;

	return MARK + ++n;
}

static void land(struct gen *g, uint32_t mark)
{
	for (uint32_t i = 0; i < g->p->n; i++)
		if (g->p->op[i].imm == mark && (g->p->op[i].what == PUSH || g->p->op[i].what == BRA ||
						g->p->op[i].what == DIS || g->p->op[i].what == BRK0))
			g->p->op[i].imm = g->p->n;
}

static struct op *jump(struct gen *g, enum what what, unsigned reason, uint32_t mark)
{
	struct op *o = put(g->p, what);

	o->sub = (uint8_t)reason;
	o->imm = mark;
	return o;
}

static void block(struct gen *g, unsigned n);

static void if_else(struct gen *g)
{
	uint32_t join = new_mark(g), then = new_mark(g);

	jump(g, PUSH, PPU_REASON_SYNC, join);
	jump(g, BRA, 0, then)->guard = (uint8_t)(1 + rnd(PREDS)) | (rnd(2) ? 8 : 0);
	if (rnd(2))
		block(g, 2);
	jump(g, DIS, PPU_REASON_SYNC, join);
	land(g, then);
	block(g, 2);
	jump(g, DIS, PPU_REASON_SYNC, join);
	land(g, join);
}

/* while (counter--) { ... break ... continue ... } */
static void loop(struct gen *g)
{
	uint32_t brk = g->brk, cont = g->cont, top;
	unsigned counter = g->counters;
	struct op *o;

	if (counter == g->counters_end)
		return;
	g->counters++;
	g->brk = new_mark(g);
	g->cont = new_mark(g);
	o = put(g->p, SET);
	o->sub = (uint8_t)counter;
	o->imm = 3;
	jump(g, PUSH, PPU_REASON_BRK, g->brk);
	top = g->p->n;
	put(g->p, DEC)->sub = (uint8_t)counter;
	jump(g, BRK0, PPU_REASON_BRK, g->brk);
	jump(g, PUSH, PPU_REASON_CONT, g->cont);
	block(g, 3);
	jump(g, DIS, PPU_REASON_CONT, g->cont);
	land(g, g->cont);
	if (g->yields && rnd(2))
		put(g->p, YIELD);
	put(g->p, BRA)->imm = top;
	land(g, g->brk);
	g->counters--;
	g->brk = brk;
	g->cont = cont;
}

/* switch (r & 3) */
static void switch_(struct gen *g)
{
	uint32_t join = new_mark(g), arm[4], table = g->p->n + 2;

	jump(g, PUSH, PPU_REASON_SYNC, join);
	put(g->p, BRX)->imm = table;
	for (int i = 0; i < 4; i++) {
		arm[i] = i && rnd(4) == 0 ? arm[i - 1] : new_mark(g);
		jump(g, BRA, 0, arm[i]);
	}
	for (int i = 0; i < 4; i++) {
		if (i && arm[i] == arm[i - 1])
			continue;
		land(g, arm[i]);
		block(g, 1);
		jump(g, DIS, PPU_REASON_SYNC, join);
	}
	land(g, join);
}

static void call(struct gen *g)
{
	uint32_t skip, table;

	if (!g->funcs)
		return;
	if (rnd(3)) {
		struct op *o = put(g->p, CAL);

		o->imm = g->func[rnd(g->funcs)];
		o->guard = random_guard();
		return;
	}
	skip = new_mark(g);
	jump(g, BRA, 0, skip);
	table = g->p->n;
	for (int i = 0; i < 4; i++)
		put(g->p, BRA)->imm = g->func[rnd(g->funcs)];
	land(g, skip);
	put(g->p, CALX)->imm = table;
}

static void statement(struct gen *g)
{
	uint32_t k = rnd(16);

	if (g->budget)
		g->budget--;
	else
		k = 15;
	if (k < 3)
		if_else(g);
	else if (k < 5)
		loop(g);
	else if (k == 5)
		switch_(g);
	else if (k < 8)
		call(g);
	else if (k == 8 && g->brk)
		jump(g, DIS, PPU_REASON_BRK, g->brk)->guard = (uint8_t)(1 + rnd(PREDS)) | (rnd(2) ? 8 : 0);
	else if (k == 9 && g->cont)
		jump(g, DIS, PPU_REASON_CONT, g->cont)->guard = (uint8_t)(1 + rnd(PREDS)) | (rnd(2) ? 8 : 0);
	else if (k == 10 && g->yields)
		put(g->p, YIELD)->guard = random_guard();
	else if (k == 11 && g->exits && !rnd(3))
		put(g->p, EXIT)->guard = (uint8_t)(1 + rnd(PREDS)) | (rnd(2) ? 8 : 0);
	compute(g->p, true);
}

static void block(struct gen *g, unsigned n)
{
	for (n = 1 + rnd(n); n; n--)
		statement(g);
}

/* All threads that are left take part. */
static void collective(struct gen *g)
{
	struct op *o = put(g->p, BALLOT + rnd(4));

	o->sub = (uint8_t)rnd(PREDS);
}

/* Functions first, then the program: each calls only what is before it. */
static void structured(struct prog *p)
{
	struct gen g = { .p = p, .yields = rnd(3) != 0, .exits = rnd(3) == 0, .collective = rnd(2) };
	unsigned funcs = rnd(FUNCS), i;
	uint32_t start = new_mark(&g);

	jump(&g, BRA, 0, start);
	for (i = 0; i < funcs; i++) {
		uint32_t at = p->n;

		g.counters = 2 * i;
		g.counters_end = g.counters + 2;
		g.budget = 6;
		put(p, SAVE)->sub = (uint8_t)i;
		block(&g, 3);
		put(p, RET)->sub = (uint8_t)i;
		g.func[g.funcs++] = at;
	}
	land(&g, start);
	g.counters = 2 * funcs;
	g.counters_end = COUNTERS;
	for (i = 0; i < 4; i++) {
		g.budget = 6;
		block(&g, 3);
		if (g.collective)
			collective(&g);
	}
	put(p, END);
	if (p->n >= MAX_OPS - 1)
		p->n = 0;	/* too long: once more */
}

static void generate(struct prog *p, uint64_t seed)
{
	state = seed * 0x9e3779b97f4a7c15ull | 1;
	for (int i = 0; i < 8; i++)
		rnd(2);
	do {
		memset(p, 0, sizeof(*p));
		p->branch_first = rnd(2);
		p->yield_every = rnd(4) ? 1 : rnd(5);
		p->yield_merge = rnd(4) != 0;
		p->yield_random = rnd(4) ? 65536 : 20000;
		p->threads = rnd(3) ? 32 : 1 + rnd(MAX_THREADS);
		if (rnd(2))
			structured(p);
		else
			unstructured(p);
	} while (!p->n);
}

/* ---- as text ------------------------------------------------------------------------------------------- */

#define PROLOGUE_INSNS 11

static void pcs(const struct prog *p, uint32_t *pc)
{
	uint32_t at = PROLOGUE_INSNS;

	for (uint32_t i = 0; i < p->n; i++) {
		pc[i] = at;
		at += op_insns[p->op[i].what];
	}
	pc[p->n] = at;
}

static char *emit_op(const struct op *o, const uint32_t *pc, char *t)
{
	static const char *const reasons[16] = {
#define R(name, code, text) text,
		PPU_REASONS(R)
#undef R
	};
	const char *f = op_text[o->what];

	if (o->guard)
		t += sprintf(t, "@%sp%d ", o->guard & 8 ? "!" : "", (o->guard & 7) - 1);
	for (; *f; f++) {
		if (*f != '$') {
			*t++ = *f;
			continue;
		}
		switch (*++f) {
		case 'd': t += sprintf(t, "r%u", 3 + o->d); break;
		case 'a': t += sprintf(t, "r%u", 3 + o->a); break;
		case 'b': t += sprintf(t, "r%u", 3 + o->b); break;
		case 'i': t += sprintf(t, "%u", o->imm); break;
		case 't': t += sprintf(t, "%u", pc[o->imm]); break;
		case 's': t += sprintf(t, "p%u", o->sub); break;
		case 'r': t += sprintf(t, "%s", reasons[o->sub]); break;
		case 'c': t += sprintf(t, "r%u", 30 + o->sub); break;
		case 'x': t += sprintf(t, "r%u", o->sub < RETS ? 40 + o->sub : 14); break;
		}
	}
	*t++ = '\n';
	*t = 0;
	return t;
}

static uint32_t start_value(uint32_t tid, unsigned k)
{
	return k < 5 ? tid * (2654435761u * (k + 1) >> 3) : 0;
}

static void emit(const struct prog *p, char *t)
{
	uint32_t pc[MAX_OPS + 1];

	pcs(p, pc);
	t += sprintf(t, "s2r r2, %%tid.x\nld.param.u64 rd10, [0]\nmadw.u32 rd12, r2, %d, rd10\n"
		     "mov.u32 r20, %u\nmov.u32 r14, %u\nmov.u32 r19, -1\n", RESULT_BYTES, START_FUEL, pc[0]);
	for (unsigned r = 0; r < 5; r++)
		t += sprintf(t, "mul.u32 r%u, r2, %u\n", 3 + r, start_value(1, r));
	for (uint32_t i = 0; i < p->n; i++)
		t = emit_op(&p->op[i], pc, t);
	t += sprintf(t, "End:\n");
	for (int r = 0; r < REGS; r++)
		t += sprintf(t, "st.global.u32 [rd12+%d], r%d\n", 4 * r, 3 + r);
	sprintf(t, "mov.u32 r9, 1\natom.global.add.u32 rz, [rd12+%d], r9\nexit\n", 4 * REGS);
}

/* ---- the reference: threads one by one, stopping only where all take part -------------------------------- */

struct thread {
	uint32_t r[REGS], count[COUNTERS], ret[RETS + 1], fuel, pc;
	bool p[PREDS], zero;
	enum { RUNS, WAITS, ENDED, GONE } state;
};
#define STEPS 100000

static bool is_collective(unsigned what)
{
	return what >= BALLOT && what <= POPC;
}

/* Four operations of one instruction: what an indirect branch needs.  Reduced programs may have lost them. */
static bool is_table(const struct prog *p, uint32_t at)
{
	for (uint32_t i = at; i < at + 4; i++)
		if (i >= p->n || op_insns[p->op[i].what] != 1)
			return false;
	return true;
}

/* To the next collective operation, or the end.  False: it does not get there. */
static bool run_thread(const struct prog *p, struct thread *t)
{
	for (uint32_t steps = 0; steps < STEPS; steps++) {
		const struct op *o = &p->op[t->pc];

		if (t->pc >= p->n) {
			t->state = ENDED;
			return true;
		}
		if (is_collective(o->what)) {
			t->state = WAITS;
			return true;
		}
		if ((o->what == BRX || o->what == CALX) && !is_table(p, o->imm))
			return false;
		t->pc++;
		if (o->guard && t->p[(o->guard & 7) - 1] == !!(o->guard & 8))
			continue;
		switch (o->what) {
		case ADDI: t->r[o->d] = t->r[o->a] + o->imm; break;
		case XOR: t->r[o->d] = t->r[o->a] ^ t->r[o->b]; break;
		case MUL: t->r[o->d] = t->r[o->a] * t->r[o->b]; break;
		case ADD: t->r[o->d] = t->r[o->a] + t->r[o->b]; break;
		case SETP: t->p[o->sub] = t->r[o->a] < t->r[o->b]; break;
		case BRA: case DIS: t->pc = o->imm; break;
		case BRX: t->pc = o->imm + (t->r[o->d] & 3); break;
		case CAL: t->ret[RETS] = t->pc; t->pc = o->imm; break;
		case CALX: t->ret[RETS] = t->pc; t->pc = o->imm + (t->r[o->d] & 3); break;
		case SAVE: t->ret[o->sub] = t->ret[RETS]; break;
		case RET: t->pc = t->ret[o->sub]; break;
		case EXIT: t->state = GONE; return true;
		case FUEL:
			if (!--t->fuel)
				t->pc = o->imm;
			break;
		case SET: t->count[o->sub] = t->r[o->a] & o->imm; break;
		case DEC: t->zero = !t->count[o->sub]; t->count[o->sub]--; break;
		case BRK0:
			if (t->zero)
				t->pc = o->imm;
			break;
		case END: t->state = ENDED; return true;
		}
	}
	return false;
}

/* All threads that are left wait: at the same place. */
static bool do_collective(const struct prog *p, struct thread *t)
{
	uint32_t at = ~0u, votes[MAX_THREADS / 32] = { 0 }, sum[MAX_THREADS / 32] = { 0 }, ones = 0, i;
	const struct op *o;

	for (i = 0; i < p->threads; i++)
		if (t[i].state == WAITS) {
			if (at != ~0u && t[i].pc != at)
				return false;
			at = t[i].pc;
			o = &p->op[at];
			votes[i / 32] |= (uint32_t)t[i].p[o->sub & 3] << i % 32;
			sum[i / 32] += t[i].r[o->a];
			ones += t[i].p[o->sub & 3];
		}
	o = &p->op[at];
	for (i = 0; i < p->threads; i++)
		if (t[i].state == WAITS) {
			if (o->what == BALLOT)
				t[i].r[o->d] = votes[i / 32];
			else if (o->what == REDUX)
				t[i].r[o->d] = sum[i / 32];
			else if (o->what == POPC)
				t[i].r[o->d] = ones;
			t[i].state = RUNS;
			t[i].pc++;
		}
	return true;
}

/* False: the program is none (the reducer made it so). */
static bool reference(const struct prog *p, struct thread *t)
{
	bool waiting = true;

	memset(t, 0, MAX_THREADS * sizeof(*t));
	for (uint32_t i = 0; i < p->threads; i++) {
		t[i].fuel = START_FUEL;
		for (unsigned k = 0; k < REGS; k++)
			t[i].r[k] = start_value(i, k);
	}
	while (waiting) {
		waiting = false;
		for (uint32_t i = 0; i < p->threads; i++) {
			if (t[i].state == RUNS && !run_thread(p, &t[i]))
				return false;
			waiting |= t[i].state == WAITS;
		}
		if (waiting && !do_collective(p, t))
			return false;
	}
	return true;
}

/* ---- one program on the device ------------------------------------------------------------------------------ */

static char why[256];
static unsigned compared;	/* programs whose results were compared */

/* False, with `why`: it does not do what the reference does. */
static bool agrees(struct smt *s, const struct prog *p)
{
	static char text[1 << 16];
	struct ppu_config *cfg = &s->core->cfg;
	struct thread t[MAX_THREADS];

	if (!reference(p, t))
		return true;
	cfg->branch_first = p->branch_first;
	cfg->yield_every = p->yield_every;
	cfg->yield_merge = p->yield_merge;
	cfg->yield_random = p->yield_random;
	emit(p, text);
	memset(s->data, 0, MAX_THREADS * RESULT_BYTES);
	s->task.launch.regs_per_thread = 48;
	s->limit = s->cfg.sm_clock_khz < 1000000 ? 2000000000 : 20000000;
	smt_load(s, text);
	if (!smt_run(s, 1, p->threads)) {
		if (s->faulted && s->fault.code == PPU_ERR_TOKQ_OVERFLOW)
			return true;
		snprintf(why, sizeof(why), "%s %u at pc %u lane %u", s->faulted ? "fault" : "hangs", s->fault.code,
			 s->fault.pc, s->fault.lane);
		return false;
	}
	compared++;
	for (uint32_t i = 0; i < p->threads; i++) {
		const uint32_t *got = smt_u32(s) + i * RESULT_BYTES / 4;
		uint32_t want[REGS + 1] = { 0 };

		if (t[i].state == ENDED) {
			memcpy(want, t[i].r, sizeof(t[i].r));
			want[REGS] = 1;
		}
		if (memcmp(want, got, sizeof(want))) {
			snprintf(why, sizeof(why), "thread %u of %u differs (came to the end %u times, not %u)", i,
				 p->threads, got[REGS], want[REGS]);
			return false;
		}
	}
	return true;
}

/* ---- programs as lines, and smaller ones -------------------------------------------------------------------- */

static void print(FILE *f, const struct prog *p, const char *title)
{
	fprintf(f, "program %u %u %u %u %u %u # %s\n", p->n, p->threads, p->branch_first, p->yield_every,
		p->yield_merge, p->yield_random, title);
	for (uint32_t i = 0; i < p->n; i++) {
		static const char *const names[] = {
#define O(name, n, text) #name,
			OPS(O)
#undef O
		};
		const struct op *o = &p->op[i];

		fprintf(f, "%s %u %u %u %u %u %u\n", names[o->what], o->d, o->a, o->b, o->guard, o->sub, o->imm);
	}
}

/* False: no more programs. */
static bool parse(FILE *f, struct prog *p)
{
	char line[256], name[16];

	memset(p, 0, sizeof(*p));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "program %u %u %u %u %u %u", &p->n, &p->threads, &p->branch_first, &p->yield_every,
			   &p->yield_merge, &p->yield_random) == 6)
			break;
	if (!p->n)
		return false;
	ck_assert(p->n <= MAX_OPS && p->threads <= MAX_THREADS);
	for (uint32_t i = 0; i < p->n; i++) {
		static const char *const names[] = {
#define O(name, n, text) #name,
			OPS(O)
#undef O
		};
		unsigned v[5], k = 0;

		ck_assert(fgets(line, sizeof(line), f) != NULL);
		ck_assert_int_eq(sscanf(line, "%15s %u %u %u %u %u %u", name, &v[0], &v[1], &v[2], &v[3], &v[4],
					&p->op[i].imm), 7);
		while (k < NUM_WHATS && strcmp(name, names[k]))
			k++;
		ck_assert_msg(k < NUM_WHATS, "%s: no operation '%s'", CORPUS, name);
		p->op[i].what = (uint8_t)k;
		p->op[i].d = (uint8_t)v[0];
		p->op[i].a = (uint8_t)v[1];
		p->op[i].b = (uint8_t)v[2];
		p->op[i].guard = (uint8_t)v[3];
		p->op[i].sub = (uint8_t)v[4];
	}
	return true;
}

/* Take op i out; targets behind it move. */
static void drop_op(struct prog *p, uint32_t i)
{
	memmove(&p->op[i], &p->op[i + 1], (--p->n - i) * sizeof(p->op[0]));
	for (uint32_t k = 0; k < p->n; k++)
		switch (p->op[k].what) {
		case PUSH: case BRA: case DIS: case BRX: case CAL: case CALX: case FUEL: case BRK0:
			p->op[k].imm -= p->op[k].imm > i;
		}
}

/* Fewer threads, plain settings, fewer operations, as long as it fails. */
static void reduce(struct smt *s, struct prog *p)
{
	struct prog q;
	bool better = true;

#define TRY(change) do { \
	q = *p; \
	change; \
	if (memcmp(&q, p, sizeof(q)) && !agrees(s, &q)) { \
		*p = q; \
		better = true; \
	} \
} while (0)
	while (better) {
		better = false;
		TRY(q.threads /= 2; if (!q.threads) q.threads = 1);
		TRY(q.threads -= q.threads > 1);
		TRY(q.branch_first = 0);
		TRY(q.yield_every = 1);
		TRY(q.yield_merge = 1);
		TRY(q.yield_random = 65536);
		for (uint32_t i = p->n; i-- > 0;) {
			TRY(drop_op(&q, i));
			if (i < p->n)
				TRY(q.op[i].guard = 0);
		}
	}
#undef TRY
	agrees(s, p);
}

static void failed(struct smt *s, struct prog *p, const char *title)
{
	reduce(s, p);
	print(stderr, p, title);
	ck_abort_msg("%s: %s; reduced to %u operations, above in the form of " CORPUS, title, why, p->n);
}

#define CUT 2	/* the third machine */

static struct smt *machine(int i)
{
	struct smt *s = smt_new();

	s->cfg.tokq_entries = i ? 4096 : 1000;
	s->cfg.tokq_driver = i == 1;
	if (i == CUT) {	/* SP-4: preempted at random instructions, restored on another SM */
		s->cfg.sms_per_gpc = 2;
		s->cfg.tokq_entries = 256;
		s->cfg.sm_clock_khz = 10000;	/* 100 ns are one cycle */
		s->cut_random = 1;
	}
	smt_start(s);
	s->core->ports.trace = NULL;
	return s;
}

/* What failed once. */
START_TEST(corpus)
{
	struct smt *s = machine(_i);
	FILE *f = fopen(CORPUS, "r");
	unsigned n = 0;
	struct prog p;

	ck_assert_msg(f != NULL, "%s is not there", CORPUS);
	for (; parse(f, &p); n++)
		if (!agrees(s, &p)) {
			char title[32];

			snprintf(title, sizeof(title), "corpus %u", n);
			failed(s, &p, title);
		}
	fclose(f);
	ck_assert_uint_gt(n, 0);
	smt_free(s);
}
END_TEST

START_TEST(random_programs)
{
	const char *n = getenv("PPU_RANDOM_PROGRAMS"), *first = getenv("PPU_RANDOM_SEED");
	/* half of the programs on each of the first two machines, and some more preempted */
	uint64_t count = (n ? strtoull(n, NULL, 0) : 4000) / 2, seed = first ? strtoull(first, NULL, 0) : 1;
	struct smt *s = machine(_i);
	unsigned used[NUM_WHATS] = { 0 };
	struct prog p;

	compared = 0;
	if (_i == CUT) {
		count /= 5;
		s->cut_random = seed;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t k = seed + i + (_i ? 1000000000 : 0);

		if (_i == CUT) {
			s->cfg.window_ns = 100 * (1 + i % 40);
			s->cut = 1 + i % 7;
		}
		generate(&p, k);
		for (uint32_t j = 0; j < p.n; j++)
			used[p.op[j].what]++;
		if (!agrees(s, &p)) {
			char title[32];

			snprintf(title, sizeof(title), "seed %llu", (unsigned long long)k);
			failed(s, &p, title);
		}
	}
	/* queues that overflow are few, and no program is one that the reference cannot run */
	ck_assert_uint_ge(compared, count - count / 20);
	for (unsigned i = 0; count >= 500 && i < NUM_WHATS; i++)
		ck_assert_msg(used[i] > 0, "no program has operation %u", i);
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
	int failures;

	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, corpus, 0, 2);
	tcase_add_loop_test(t, random_programs, 0, CUT + 1);
	suite_add_tcase(su, t);
	sr = srunner_create(su);
	srunner_run_all(sr, CK_ENV);
	failures = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failures != 0;
}
