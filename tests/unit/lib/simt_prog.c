/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <hw/ppu_isa.h>
#include "simt_prog.h"

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

/* ---- unstructured: blocks of one length that jump anywhere ------------------------------------------- */

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

/* All threads that have not ended take part. */
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
		p->n = 0;	/* too long: try again */
}

void simt_generate(struct prog *p, uint64_t seed)
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

void simt_emit(const struct prog *p, char *t)
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

/* Runs to the next collective operation, or to the end. False: the thread does not get there. */
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

/* All threads that have not ended wait, and must wait at the same operation. */
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

/* False: the program is not valid (the reducer may make such programs). */
bool simt_reference(const struct prog *p, struct thread *t)
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

void simt_wanted(const struct thread *t, uint32_t want[REGS + 1])
{
	memset(want, 0, (REGS + 1) * sizeof(*want));
	if (t->state == ENDED) {
		memcpy(want, t->r, sizeof(t->r));
		want[REGS] = 1;
	}
}

/* ---- programs as lines, and smaller ones -------------------------------------------------------------------- */

static const char *const op_names[NUM_WHATS] = {
#define O(name, n, text) #name,
	OPS(O)
#undef O
};

void simt_print(FILE *f, const struct prog *p, const char *title)
{
	fprintf(f, "program %u %u %u %u %u %u # %s\n", p->n, p->threads, p->branch_first, p->yield_every,
		p->yield_merge, p->yield_random, title);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct op *o = &p->op[i];

		fprintf(f, "%s %u %u %u %u %u %u\n", op_names[o->what], o->d, o->a, o->b, o->guard, o->sub, o->imm);
	}
}

unsigned simt_op_by_name(const char *name)
{
	unsigned k = 0;

	while (k < NUM_WHATS && strcmp(name, op_names[k]))
		k++;
	return k;
}

/* Removes op i; later targets move. */
void simt_drop_op(struct prog *p, uint32_t i)
{
	memmove(&p->op[i], &p->op[i + 1], (--p->n - i) * sizeof(p->op[0]));
	for (uint32_t k = 0; k < p->n; k++)
		switch (p->op[k].what) {
		case PUSH: case BRA: case DIS: case BRX: case CAL: case CALX: case FUEL: case BRK0:
			p->op[k].imm -= p->op[k].imm > i;
		}
}
