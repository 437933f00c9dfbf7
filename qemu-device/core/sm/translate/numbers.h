/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of 64 bits in a segment.
 *
 * A number of f64 is a pair of rows, low and high words.  The host wants whole numbers side by side.  To make these of two rows
 * takes two instructions, and so does the way back; in a chain of f64 operations both would be most of the work.  So a result stays
 * as it is, as numbers, and becomes rows when somebody wants a row of it: an integer operation, a store, the end of the segment.
 * And what was made of rows stays beside them as long as they do not change.  NaNs are made canonical on the way to rows.
 *
 * Of eight lanes, two vectors of the host have four numbers each: one those of lanes 0, 1, 4 and 5, the other those of lanes 2,
 * 3, 6 and 7 (of 16 lanes eight numbers each, also those of lanes 8, 9, 12, 13 and the rest).
 *
 * State: pair[] of struct ppu_seg.
 * Thread safety: one thread for each struct.
 * Time: none.
 */
#ifndef PPU_NUMBERS_H
#define PPU_NUMBERS_H

#include "core/sm/translate/segment.h"

struct ppu_numbers {
	struct ppu_opn half[2];		/* vectors; of a constant: memory */
	bool own;			/* registers that the instruction may change */
	bool locked;			/* by this operand, and by no other one of the instruction */
};

/* A vector of one number. */
struct ppu_opn ppu_number_const(struct ppu_seg *s, uint64_t v);
/* The numbers of a row pair.  exact: a NaN must be what the row pair has. */
struct ppu_numbers ppu_numbers_of(struct ppu_seg *s, unsigned row, bool exact);
/* The same, of which an instruction that writes row d and the next may change the registers. */
struct ppu_numbers ppu_numbers_for(struct ppu_seg *s, unsigned row, unsigned d);
/* The instruction does not need this operand any more. */
void ppu_numbers_drop(struct ppu_seg *s, const struct ppu_numbers *n);
/* The row pair becomes the numbers in two temporaries, or in what ppu_numbers_for() gave for it.  The operands are not needed any
 * more.  nan: a NaN in them may not be the canonical one. */
void ppu_numbers_put(struct ppu_seg *s, unsigned row, const int *half, bool nan);
/* The row pair becomes a constant.  False: not now. */
bool ppu_numbers_put_const(struct ppu_seg *s, unsigned row, uint64_t v);

/* ---- for segment.c ---- */

/* Somebody reads the row: it must be one. */
void ppu_numbers_read(struct ppu_seg *s, unsigned row);
/* The row has got another value. */
void ppu_numbers_written(struct ppu_seg *s, unsigned row);
/* Both registers of a pair become free: its rows go to memory, if they are nowhere else. */
void ppu_numbers_leave(struct ppu_seg *s, unsigned pair);
/* At the end of a chunk: rows that are live go to memory. */
void ppu_numbers_end(struct ppu_seg *s);

#endif
