/* SPDX-License-Identifier: MIT */
/*
 * What register allocation (px_ra.c) works on: live ranges with holes, values that must be neighbours, hints.
 *
 * Instruction n reads at position 2n and writes at 2n + 1, in layout order; a range [start, end)
 * is half open.  So a value that an instruction reads last may share its register with a value that the
 * same instruction defines.
 */
#ifndef PX_LIVE_H
#define PX_LIVE_H

#include "compiler/ptx/back/px_region.h"
#include "compiler/ptx/ir/px_ir.h"

struct ra_range {
	uint32_t start, end;
};

struct ra_hint {
	px_val other;
	int16_t delta;		/* wanted: this value's register = the other's + delta */
};

#define RA_HINTS	4

struct ra_val {
	struct ra_range *r;
	uint32_t n;
	struct ra_slot *slots;	/* in the lists of registers */
	uint32_t group;		/* number + 1, 0: alone */
	uint8_t offset;		/* in its group */
	bool spill;
	bool crosses;		/* live across a call */
	uint8_t num_hints;
	struct ra_hint hint[RA_HINTS];
	float weight;
};

struct ra_group {
	px_val v[4];
	uint8_t n, span;
};

struct ra_slot {		/* a range in a register's list, which is in the order of the code */
	struct ra_slot *next, *prev;
	struct ra_slot *same;	/* another range of the owner */
	struct ra_reg *reg;
	uint32_t start, end;
	px_val owner;
};

struct ra_reg {
	struct ra_slot *first, *last;
	struct ra_slot *cursor;	/* the first range that does not lie before what is placed now; NULL: behind the last */
	struct ra_slot *fix, *curfix;	/* the same for the ABI's uses of the register */
};

struct ra {
	struct px_func *f;
	struct ra_val *vals;
	struct px_regions *regions;	/* of the function; NULL: not found yet */
	struct ra_group *groups;
	uint32_t num_groups, cap_groups;
	uint32_t *calls;	/* positions */
	uint32_t num_calls, cap_calls;
	struct ra_reg regs[PPU_NUM_REGS];
	struct ra_reg preds[PPU_NUM_PREDS];
	unsigned max_regs;
	bool spilled;
};

void px_ra_tuples(struct ra *ra);	/* values that must be neighbours */
void px_ra_live(struct ra *ra);		/* ranges, calls, hints, weights */

#endif
