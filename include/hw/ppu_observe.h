/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What somebody beside the device can see of the programs that it runs: the seam for checkers and debuggers
 * (Documentation/hw/engines.md).  No part of the device: a guest cannot turn it on, and nothing of it is saved.
 *
 * The owner of a core gives it a table of functions.  While there is one, programs are interpreted, by one thread, and
 * device time, counters and traces are what they are without it.  The functions are called in the order in which things
 * happen to memory, by the thread that drives the core; they must not call the core.  Any of them may be NULL.
 */
#ifndef PPU_HW_OBSERVE_H
#define PPU_HW_OBSERVE_H

#include <stdint.h>

#define PPU_OBSERVE_LANES	32
#define PPU_OBSERVE_WARPS	32	/* most of a CTA */

struct ppu_seen_task {
	uint64_t serial;		/* no two tasks of a device have the same at one time */
	uint64_t id;			/* as the program that launched it called it (TMD) */
	uint64_t inst;			/* address of the context's instance block, as in fault records */
	uint32_t grid[3], block[3];
	uint32_t shared_bytes, local_bytes;
	uint32_t depth;			/* 1: launched by the CPU */
	uint32_t regs;			/* of a thread */
	uint32_t insns;			/* of the program: more than any pc */
	uint32_t cluster;		/* of the TMD */
	uint64_t time;			/* of task_start() and task_end(): device time, ns */
};

struct ppu_seen_cta {
	struct ppu_seen_task task;
	uint64_t index;			/* in its grid */
	uint32_t id[3];
	uint32_t warps;
	/* Of cta_start() and cta_end() only: where, and the cycle of the SM since device time 0 at which it may begin or has
	 * ended. */
	uint32_t sm;
	uint64_t cycle;
};

struct ppu_seen_warp {
	const struct ppu_seen_cta *cta;
	uint32_t warp;			/* in the CTA: lane 0 is thread warp * 32 */
	uint32_t pc;			/* of the instruction */
	uint32_t sm;
	uint32_t exist, live;		/* lanes that there are; those of them that have not ended */
};

enum ppu_seen_kind { PPU_SEEN_READ, PPU_SEEN_WRITE, PPU_SEEN_ATOMIC };

/* One instruction, or those of its lanes that go to one space. */
struct ppu_seen_access {
	struct ppu_seen_warp at;
	enum ppu_seen_kind kind;
	uint32_t space;			/* PPU_SPACE_GLOBAL, SHARED, LOCAL or PARAM; constants are global memory */
	uint32_t order, scope;		/* PPU_MO_*, PPU_SCOPE_* */
	uint32_t bytes;			/* of a lane: a power of two, up to 16 */
	uint32_t element;		/* bytes of an element: fewer, if a lane accesses several */
	uint32_t lanes;			/* those that execute */
	/* 0, or PPU_ERR_*: the instruction faults in fault_lane.  Lanes below it have been executed, those above
	 * have not. */
	uint32_t fault, fault_lane;
	uint64_t addr[PPU_OBSERVE_LANES];	/* in the space: an offset, or an address of global memory */
	/* What is written: a row for each element, or for each 32 bits of wider ones; an atomic's first operand.  NULL: a
	 * read. */
	const uint32_t (*value)[PPU_OBSERVE_LANES];
	/*
	 * A load: where a word that it has read goes (words as in value), if nobody else reads it.  The pc of the store, and
	 * which of the store's words it is; PPU_SEEN_UNUSED: nobody reads it; PPU_SEEN_NO_PC: it goes somewhere else, or that is
	 * not known.  NULL: no load.
	 */
	uint32_t (*goes_to)(const struct ppu_seen_access *a, uint32_t word, uint32_t *as);
	const void *program;		/* for goes_to() */
};
#define PPU_SEEN_NO_PC	(~0u)
#define PPU_SEEN_UNUSED	(~1u)

/* All threads that have arrived know from now on what each of them did before. */
struct ppu_seen_barrier {
	const struct ppu_seen_cta *cta;
	uint32_t number;
	uint64_t cycle;			/* of the SM since device time 0 */
	uint32_t arrived[PPU_OBSERVE_WARPS];	/* by warp */
	uint32_t waiting[PPU_OBSERVE_WARPS];	/* of those: go on now; the others did not wait */
};

enum ppu_seen_sync_kind {
	PPU_SEEN_BAR, PPU_SEEN_BAR_ARRIVE, PPU_SEEN_BAR_RED, PPU_SEEN_WARPSYNC, PPU_SEEN_VOTE, PPU_SEEN_SHFL, PPU_SEEN_MATCH,
	PPU_SEEN_REDUX,
};

/*
 * Lanes execute an instruction for which they need others: shown before it is done.  Lanes that a barrier or WARPSYNC has
 * counted already are not shown again when they execute it again; those of the others, which come back when lanes that were
 * missing are there, are.
 */
struct ppu_seen_sync {
	struct ppu_seen_warp at;
	enum ppu_seen_sync_kind kind;
	uint32_t lanes;
	uint32_t number[PPU_OBSERVE_LANES], count[PPU_OBSERVE_LANES];	/* of a barrier, by lane; count 0: all threads */
	uint32_t masked;		/* 0: it is done with the lanes that execute it; 1: members counts */
	uint32_t members[PPU_OBSERVE_LANES];	/* by lane */
	uint32_t from[PPU_OBSERVE_LANES];	/* of a shuffle: whose value the lane reads, maybe its own */
};

/*
 * A CTA can never go on: PPU_ERR_DEADLOCK, all its lanes wait for each other; or PPU_ERR_BAD_BARRIER, `lane` names a barrier
 * that does not exist, or another count than those that wait there.
 */
struct ppu_seen_stuck {
	struct ppu_seen_warp at;
	uint32_t error, lane;
	uint32_t live[PPU_OBSERVE_WARPS];	/* by warp */
	const uint32_t (*pc)[PPU_OBSERVE_LANES];	/* by warp and lane: where it waits.  Of PPU_ERR_DEADLOCK only */
};

/* Results that arithmetic() is called for, if a lane has one. */
#define PPU_SEEN_SPECIAL	1	/* NaN, infinity */
#define PPU_SEEN_SUBNORMAL	2
#define PPU_SEEN_SUMS		4	/* each ADD, SUB and FMA */

/* An instruction of floating-point arithmetic, or a conversion to floating point, was done. */
struct ppu_seen_float {
	struct ppu_seen_warp at;
	uint32_t op, type, from;	/* PPU_OP_*; PPU_T_* of the result and of the operands */
	uint32_t lanes;			/* those that execute */
	uint32_t operands;
	/* A row for each 32 bits; operands as the instruction took them, negated and without sign if it says so. */
	const uint32_t (*operand[3])[PPU_OBSERVE_LANES];
	const uint32_t (*result)[PPU_OBSERVE_LANES];
	/* The SEL behind it that alone uses the result, or what follows from it, and as which operand: choose() says which
	 * lanes take that.  PPU_SEEN_NO_CHOICE: somebody else uses it. */
	uint32_t choice, second;
};
#define PPU_SEEN_NO_CHOICE	(~0u)

/* Lanes call a function or return, by CAL, CALX or RET: shown before it is done, and again if it has to be tried again. */
struct ppu_seen_call {
	struct ppu_seen_warp at;
	uint32_t lanes;
	uint32_t returns;		/* 0: a call */
	uint32_t to[PPU_OBSERVE_LANES];	/* pc, by lane */
	uint32_t regs;			/* of a thread, from R0 on */
	const uint32_t (*reg)[PPU_OBSERVE_LANES];
};

/* A copy engine is done with a copy or fill.  One that failed on its way is not shown, whatever it has moved. */
struct ppu_seen_copy {
	uint64_t inst;			/* address of the instance block of its context */
	uint64_t src, dst;		/* addresses */
	uint64_t src_pitch, dst_pitch, width, rows;	/* bytes; width of a row */
	uint32_t fill;			/* 1: a fill, there is no source */
	uint64_t begin, end;		/* device time, ns */
	uint32_t chan;			/* channel that it is of */
};

/*
 * What the warps of a program do, instruction by instruction: counted by the SM, because nearly all of it is the same few
 * sums.  An instruction counts each time that it is issued, as the device's counters count it: one that has to wait for
 * others may be issued again.
 */
#define PPU_SEEN_COUNTERS(C) \
C(DIVERGENT) C(YIELDS) C(BARRIERS) C(ATOMICS) C(PARTITION_READS) C(PARTITION_WRITES) C(TLB_MISSES) C(MEM_INSNS) C(MEM_LINES) \
C(L1_HITS) C(L1_MISSES) C(CONST_HITS) C(CONST_MISSES) C(ICACHE_HITS) C(ICACHE_MISSES) C(MEMORY_WAITS)
enum ppu_seen_counter {
#define C(name) PPU_SEEN_CTR_##name,
	PPU_SEEN_COUNTERS(C)
#undef C
	PPU_SEEN_CTR_COUNT
};
struct ppu_seen_count {
	uint64_t warps;			/* how often it was issued */
	uint64_t threads;		/* lanes that executed it, added up */
	uint64_t off;			/* lanes that were there and did not, because of its guard; of BRA: those that go on */
	uint64_t parted;		/* how often some lanes executed it and others were off */
	uint64_t away;			/* lanes that had not ended and were elsewhere: they wait for a token */
	uint64_t cycles;		/* of the SM, for issue */
	uint64_t by[PPU_SEEN_CTR_COUNT];/* device counters that it has counted */
	uint32_t lanes;			/* lanes that have executed it, as a set */
	uint32_t passed;		/* lanes that were off */
};

/* Why a warp's turn ends. */
enum ppu_seen_stop {
	PPU_SEEN_TURN,			/* the turn, or the window, is over; it could go on */
	PPU_SEEN_TIME,			/* it waits until a time: it sleeps, or waits for memory (memory-timing) */
	PPU_SEEN_LANES,			/* all its lanes wait, at barriers or for each other */
	PPU_SEEN_REPLY,			/* for the reply to a launch */
	PPU_SEEN_CHILDREN,		/* TSYNC */
	PPU_SEEN_DRIVER,		/* for the driver, which moves its tokens */
	PPU_SEEN_ENDED,			/* the warp's end */
	PPU_SEEN_FAULT,
};

struct ppu_seen_turn {
	struct ppu_seen_warp at;	/* turn_begin(): the pc is not meant, tokens may have to be popped */
	uint64_t begin, end;		/* cycles of the SM since device time 0 */
	uint64_t due;			/* the cycle until which it was to wait, if it waited until a time before */
	enum ppu_seen_stop stop;
	uint32_t last;			/* pc of the last instruction that was issued, or PPU_SEEN_NO_PC */
};

/* An instruction is about to be done by these lanes, at least one.  It comes again when it has to be tried again. */
struct ppu_seen_insn {
	uint64_t task_id, inst, serial;	/* as in struct ppu_seen_task */
	uint64_t cta;			/* in its grid */
	uint32_t sm, slot, warp;	/* the warp on its SM: hw/ppu_look.h; in its CTA */
	uint32_t pc, op;		/* PPU_OP_* */
	uint32_t lanes;
};

/* The first fault of a CTA, whose warps stop. */
struct ppu_seen_fault {
	uint64_t va;
	uint32_t sm, slot, pc;
	uint32_t error, lane;		/* PPU_ERR_*; PPU_FAULT_NO_LANE */
};

/* A warp, or with PPU_ONLY_BLOCK a block, that alone issues instructions (ppu_core_only()). */
struct ppu_only {
	uint64_t serial, cta;		/* as in struct ppu_seen_task; in its grid */
	uint32_t warp;			/* in its block */
};
#define PPU_ONLY_BLOCK	(~0u)

struct ppu_observer {
	void *arg;			/* for the functions */
	uint32_t spaces;		/* 1 << PPU_SPACE_*: of others, access() is called for faults only */
	uint32_t floats;		/* PPU_SEEN_SPECIAL and so on */
	void (*task_start)(void *arg, const struct ppu_seen_task *t);
	void (*task_end)(void *arg, const struct ppu_seen_task *t);	/* or it was aborted */
	void (*cta_start)(void *arg, const struct ppu_seen_cta *c);
	void (*cta_end)(void *arg, const struct ppu_seen_cta *c);	/* not of one that is aborted */
	void (*access)(void *arg, const struct ppu_seen_access *a);
	void (*fence)(void *arg, const struct ppu_seen_warp *at, uint32_t lanes, uint32_t scope);
	void (*barrier)(void *arg, const struct ppu_seen_barrier *b);
	/* These lanes have waited for each other: WARPSYNC, or an instruction with a member mask. */
	void (*warp_sync)(void *arg, const struct ppu_seen_warp *at, uint32_t lanes);
	void (*sync)(void *arg, const struct ppu_seen_sync *s);
	void (*stuck)(void *arg, const struct ppu_seen_stuck *s);
	void (*arithmetic)(void *arg, const struct ppu_seen_float *f);
	/* Lanes that take the first operand, and those that take the second. */
	void (*choose)(void *arg, const struct ppu_seen_warp *at, uint32_t first, uint32_t second);
	void (*call)(void *arg, const struct ppu_seen_call *c);
	void (*copy)(void *arg, const struct ppu_seen_copy *c);
	/*
	 * A warp has its turn: begin, due.  Returns where its instructions are counted, one entry for each instruction of the
	 * program, and one more for a program that runs off its end; NULL: nobody wants to know.  turn_end() is called then, and needed if turn_begin() is there.
	 */
	struct ppu_seen_count *(*turn_begin)(void *arg, const struct ppu_seen_turn *t);
	void (*turn_end)(void *arg, const struct ppu_seen_turn *t);
	/* A warp whose lanes all waited can go on from this cycle of its SM on. */
	void (*awake)(void *arg, const struct ppu_seen_warp *at, uint64_t cycle);
	/* These two, task_end() and access() may look at the device (hw/ppu_look.h). */
	void (*insn)(void *arg, const struct ppu_seen_insn *i);
	void (*fault)(void *arg, const struct ppu_seen_fault *f);
};

#endif
