/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fused segments: loads and stores become part of a segment.
 *
 * A segment runs for eight lanes after eight lanes (segment.h).  With loads in it, lanes 0 to 7 have done all of it
 * before lane 8 does its first load.  Nobody can see that: loads of different lanes have no order, and what a segment stores
 * it keeps until all lanes have done everything that can fail; no load stands behind a store to memory that it might read.
 * But a load may turn out to be one that only the interpreter's function can do: it faults, say, or one of the
 * later lanes needs a page that the TLB does not have.  Then registers that have been written and entries of the TLB that
 * have been filled get their old values back, and the same instructions run once more in the plain way: one after the
 * other, loads by functions (calls.c).
 *
 *   fused:  for each eight lanes: save old values; compute; check and load; check and keep what is stored ...  |
 *           store what was kept; add what was counted; go on at the end              --- a check fails --------+
 *   bail:   old values back   <--------------------------------------------------------------------------------+
 *   plain:  the same instructions
 *   end:
 *
 * Loads whose addresses differ by a constant form a group, and so do such stores: one check for all of them.
 * Instructions whose results nobody needs are left out; if a check fails, the plain way does them.
 *
 * State: none.
 * Thread safety: any thread.
 * Time: none.
 */
#ifndef PPU_FUSE_H
#define PPU_FUSE_H

#include "core/sm/mem/icache.h"
#include "core/exec/exec.h"

#define PPU_FUSE_MAX	96	/* instructions */
#define PPU_FUSE_WAY	(-2)	/* instead of a group: a branch, or what ends lanes */
#define PPU_FUSE_GROUPS	12
#define PPU_FUSE_UNDO	16	/* rows */
#define PPU_FUSE_STORES	8	/* stores, and groups of them */
#define PPU_FUSE_KEPT	16	/* rows that stores keep */
#define PPU_FUSE_UNIFORM 8	/* rows */
#define PPU_FUSE_SPAN	2048	/* bytes between the first and the last address of a group */

struct ppu_fuse_group {
	uint16_t row;		/* with the address */
	uint16_t base;		/* the row that the address was computed from, as far as that is known: a hint */
	uint8_t space, bytes;	/* bytes of a lane */
	uint8_t loads;		/* or stores */
	bool write;		/* stores */
	uint8_t place;		/* of stores: which of their groups */
	bool open;		/* while it is planned: the row still has the same value */
	uint64_t imm;		/* least of the immediates */
	uint32_t span;		/* greatest minus least */
	/* In fuse_index.c: the address without immediate is a start + the word of a row, times `bytes`. */
	bool indexed, sgn;	/* sgn: the word is signed */
	uint16_t index;		/* row */
	bool product;		/* of stores: not the word is there any more, but its product with `bytes`, in two rows */
	bool ahead;		/* of a run of groups with the same parameter the last one: it fetches ahead */
	uint8_t page;		/* the group whose notes of a page it uses: one that is a few words away, or this one */
	uint8_t like;		/* a group of loads before with the same index, but for a number that all lanes have; or this one */
	bool in_rows;		/* the start is what two rows have before the segment, the same for all lanes; else a parameter */
	uint32_t start;		/* the first of these rows, or where among the parameters, 8 bytes */
};

/* Of groups with an index. */
static inline bool ppu_fuse_same_start(const struct ppu_fuse_group *g, const struct ppu_fuse_group *o)
{
	return g->start == o->start && g->in_rows == o->in_rows;
}

struct ppu_fuse {
	uint32_t list[PPU_FUSE_MAX], n, next;	/* PCs; next: behind them */
	int8_t group[PPU_FUSE_MAX];		/* of a load; -1: computes; or PPU_FUSE_WAY */
	bool omit[PPU_FUSE_MAX];		/* nobody needs what it computes */
	bool taken[PPU_FUSE_MAX];		/* PPU_FUSE_WAY: all lanes must have its guard; else none may */
	uint32_t turns;				/* cycles to the last turn point inside */
	unsigned blocks;			/* turn points inside */
	bool loops;				/* it comes back to where it began */
	struct ppu_fuse_group g[PPU_FUSE_GROUPS];
	unsigned groups;
	uint16_t undo[PPU_FUSE_UNDO];		/* rows that are written and whose old values count */
	unsigned undos;
	unsigned reads;				/* loads from global memory */
	unsigned writes;			/* stores there */
	unsigned adds;				/* sums in shared memory, which are like stores */
	struct ppu_fuse_store {
		uint8_t group, row;		/* row: the first that it keeps */
		bool add;			/* it adds in shared memory */
		uint64_t imm;
	} store[PPU_FUSE_STORES];		/* in the order of the program */
	unsigned stores, places, kept;
	bool stored_global, stored_shared;
	bool guards;
	uint16_t uniform[PPU_FUSE_UNIFORM];	/* rows that must have one word for all lanes before the segment */
	unsigned uniforms;
};

/* The instructions from pc on, inside its block, that make one segment with loads.  False: no such segment begins there. */
bool ppu_fuse_plan(const struct ppu_program *prog, uint32_t pc, struct ppu_fuse *f);
/* One more instruction at the end.  False: it cannot be added, and f may be changed.  before: what is live in front of the
 * first one. */
bool ppu_fuse_extend(struct ppu_fuse *f, const struct ppu_program *prog, uint32_t pc, const struct ppu_live *before);
/* The address of a group is the same for all lanes and known now, and small: ppu_select_fixed() makes sure of it. */
bool ppu_fuse_fixed_early(const struct ppu_fuse_group *g, uint32_t nregs);
/* When all instructions are there: finds what can be left out. */
void ppu_fuse_finish(const struct ppu_program *prog, struct ppu_fuse *f);
enum ppu_block { PPU_BLOCK_NONE, PPU_BLOCK_BEGINS, PPU_BLOCK_LOOP /* a branch leads back to it */ };
/* A segment that begins with the block at pc and goes on behind it (fuse_trace.c).  block: enum ppu_block by PC.  False: there is
 * none. */
bool ppu_fuse_trace(const struct ppu_program *prog, uint32_t pc, const uint8_t *block, struct ppu_fuse *f);

#endif
