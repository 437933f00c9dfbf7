/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the code of a program says by itself, before it runs: where a warp's turn may end, and which registers
 * and predicates a lane may still read.  Documentation/hw/engines.md says what both are for.
 *
 * A block is the code from one turn point up to the next.  Lanes change blocks at the end of one, by a branch, or
 * when a token is popped; an address at which lanes can wait is a turn point.
 *
 * State: part of struct ppu_program, immutable once the program is decoded.
 * Thread safety: the thread that drives the core builds; any thread may ask.
 * Time: cycles.
 */
#ifndef PPU_FLOW_H
#define PPU_FLOW_H

#include <stdbool.h>
#include <stdint.h>

struct ppu_program;
struct ppu_warp;

/* Straight code has a turn point at least every so many cycles, unless one instruction takes longer. */
#define PPU_TURN_CYCLES	64

/* A set of registers and predicates. */
struct ppu_live {
	uint64_t reg[4];
	uint64_t pred;			/* P0..P14 */
};

struct ppu_flow {
	uint32_t num;			/* blocks */
	struct ppu_live *live;		/* by block: what is live where it begins */
	struct ppu_live any;		/* at an address that is not known beforehand */
	struct ppu_live across;		/* what lanes may read of other lanes, wherever those are (SHFL) */
	struct ppu_live exits;		/* where PEXIT leads to */

	/* ppu_flow_first(): the entry asked for last. */
	uint32_t entry;
	bool has_entry;
	struct ppu_live first;
};

static inline bool ppu_live_reg(const struct ppu_live *l, unsigned r)
{
	return l->reg[r / 64] >> r % 64 & 1;
}

/* How far the analysis of a program is.  All zero: it has not begun. */
struct ppu_flow_work {
	struct ppu_live *sum;		/* 2 for each block, zero at first */
	uint32_t cycles, block;		/* blocks: of the code before */
	uint32_t end, passes;		/* live */
	bool changed;
};

/*
 * The analysis goes over the code several times.  Each of these goes over a part of it, [from, to), and is called
 * for all parts before the next one is: the first two for ascending parts, the others for descending ones.
 */
/* Marks the turn points of decoded code. */
void ppu_flow_turns(struct ppu_program *p, uint32_t from, uint32_t to);
/* Numbers the blocks; at the end p->flow.num says how many there are. */
void ppu_flow_blocks(struct ppu_program *p, struct ppu_flow_work *w, uint32_t from, uint32_t to);
/* Sums of the blocks, and what needs no solving. */
void ppu_flow_sums(struct ppu_program *p, struct ppu_flow_work *w, uint32_t from, uint32_t to);
/* Fills p->flow.live, which has p->flow.num entries that are zero at first. */
void ppu_flow_solve(struct ppu_program *p, struct ppu_flow_work *w, uint32_t from, uint32_t to);
/* After all parts were solved: is nothing left to solve?  If there is, all parts follow once more. */
bool ppu_flow_solved(struct ppu_program *p, struct ppu_flow_work *w);
/* What the instruction at pc reads, and what it writes in every lane that executes it.  An instruction with a guard
 * writes nothing for certain. */
void ppu_flow_effects(const struct ppu_program *p, uint32_t pc, struct ppu_live *reads, struct ppu_live *writes);
/* What a lane that goes on at pc may read of its own, and other lanes of it. */
void ppu_flow_live(const struct ppu_program *p, uint32_t pc, struct ppu_live *l);
/* The same for threads that start at pc, remembered for the next call.  Only for the thread that drives the core. */
const struct ppu_live *ppu_flow_first(struct ppu_program *p, uint32_t pc);

/* Lanes whose values count in the state of a warp; what is not among them is saved as 0. */
struct ppu_canon {
	uint32_t reg[256], pred[16];
	uint32_t wait, bar_val;
};
void ppu_flow_canon(const struct ppu_warp *w, struct ppu_canon *c);

#endif
