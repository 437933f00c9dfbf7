/* SPDX-License-Identifier: MIT */
/*
 * Random programs for the SM, and a reference that runs each of their threads alone: used by
 * tests/unit/sm/test_simt_random.c (see there) and by the grader of lab 10.
 *
 * Two kinds: unstructured ones are blocks that jump anywhere, pushing and disabling for any reason;
 * structured ones are nested ifs, loops with break and continue, switches, functions, direct and indirect
 * calls, early exits, and at their top level votes, reductions and barriers of all threads.
 */
#ifndef SIMT_PROG_H
#define SIMT_PROG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define REGS		6	/* r3 .. r8: what a program computes with and leaves behind */
#define PREDS		4	/* p0 .. p3 */
#define COUNTERS	8	/* r30 ..: loops */
#define RETS		4	/* r40 ..: return addresses of functions; RETS: r14, where calls leave them */
#define START_FUEL	24	/* blocks an unstructured program runs */
#define MAX_OPS		600
#define MAX_THREADS	64
#define RESULT_BYTES	32	/* of a thread: registers, times it came to the end */

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
/* A thread of the reference, and what it leaves. */
struct thread {
	uint32_t r[REGS], count[COUNTERS], ret[RETS + 1], fuel, pc;
	bool p[PREDS], zero;
	enum { RUNS, WAITS, ENDED, GONE } state;
};

void simt_generate(struct prog *p, uint64_t seed);
/* The program as assembly text; it stores its results at [param 0] + RESULT_BYTES * tid and needs 48 registers. */
#define SIMT_TEXT_BYTES (1 << 16)
void simt_emit(const struct prog *p, char *text);
/* t[MAX_THREADS]. False: the program is not valid (a reducer may make such programs). */
bool simt_reference(const struct prog *p, struct thread *t);
/* What thread t of the reference leaves in memory: registers, times it came to the end. */
void simt_wanted(const struct thread *t, uint32_t want[REGS + 1]);
/* As lines, and by the name of an operation; NUM_WHATS: there is none of that name. */
void simt_print(FILE *f, const struct prog *p, const char *title);
unsigned simt_op_by_name(const char *name);
/* Removes operation i; later targets move. */
void simt_drop_op(struct prog *p, uint32_t i);

#endif
