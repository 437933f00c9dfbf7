/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of lanes, and what instructions do with them: where AVX2 and AVX-512 differ most.
 *
 * With AVX2 a set is a vector of all ones or zeros, and lives in a ymm like every other value.  With AVX-512 it is a mask
 * register.  The numbers of both are those of ppu_seg's y[].  What selects instructions (select_*.c) does not need to know.
 *
 * State: struct ppu_seg of the caller.
 * Thread safety: one thread for each struct.
 * Time: none.
 */
#ifndef PPU_LANES_H
#define PPU_LANES_H

#include "core/sm/translate/segment.h"

/* The mask register of number y. */
static inline struct ppu_opn ppu_lanes_k(int y)
{
	return K(y - PPU_SEG_MASKS);
}

enum ppu_lanes_op { PPU_LANES_AND, PPU_LANES_OR, PPU_LANES_XOR };

/* All lanes, or none. */
struct ppu_lanes ppu_lanes_all(struct ppu_seg *s, bool all);
/* Lanes in both, in one, in one but not both.  A new set. */
struct ppu_lanes ppu_lanes_op(struct ppu_seg *s, enum ppu_lanes_op op, struct ppu_lanes a, struct ppu_lanes b);
/* Those of `old`, but in the lanes of `where` those of `now`. */
struct ppu_lanes ppu_lanes_merge(struct ppu_seg *s, struct ppu_lanes where, struct ppu_lanes now, struct ppu_lanes old);

/* Comparisons of words.  cmp: EQ, NE, LT, LE, GT, GE of enum PPU_CMP. */
struct ppu_lanes ppu_lanes_compare(struct ppu_seg *s, unsigned cmp, bool sgn, int a, struct ppu_opn b);
/* Of floats; predicate: as the host numbers it (ppu_select_predicate). */
struct ppu_lanes ppu_lanes_compare_f32(struct ppu_seg *s, unsigned predicate, int a, struct ppu_opn b);
/* Of f64 (numbers.h); t: two temporaries, lost. */
struct ppu_lanes ppu_lanes_compare_f64(struct ppu_seg *s, unsigned predicate, const int *t, const struct ppu_opn *a,
				       const struct ppu_opn *b);

/* y = on in the lanes, off in others. */
void ppu_lanes_blend(struct ppu_seg *s, int y, struct ppu_opn on, struct ppu_opn off, struct ppu_lanes l);
/* y = 0 in other lanes. */
void ppu_lanes_keep(struct ppu_seg *s, int y, struct ppu_lanes l);
/* y = set where the sign bits of `sign` are, clear elsewhere. */
void ppu_lanes_by_sign(struct ppu_seg *s, int y, int clear, int set, int sign);
/* y = words with even numbers of `even`, with odd numbers of `odd`.  y may be `even`. */
void ppu_lanes_alternate(struct ppu_seg *s, int y, int even, int odd);

/* y = the lower 128 bits of a and those of b, or the upper ones; of eight lanes. */
void ppu_lanes_halves(struct ppu_seg *s, int y, int a, int b, bool upper);

/* NaNs become the canonical one; those of f64 in a half (nan: a vector of it). */
void ppu_lanes_canonical_f32(struct ppu_seg *s, int y);
void ppu_lanes_canonical_f64(struct ppu_seg *s, int y, struct ppu_opn nan);

/* ZF: y is 0. */
void ppu_lanes_test(struct ppu_seg *s, int y);
/* The set as bits in a general register, without regard to its invert. */
void ppu_lanes_bits(struct ppu_seg *s, unsigned reg, struct ppu_lanes l);
/* The set as bits in memory, one for each lane of a chunk.  eax or k7 is lost. */
void ppu_lanes_keep_bits(struct ppu_seg *s, struct ppu_opn to, struct ppu_lanes l);
/* A new set from bits in memory or in eax. */
struct ppu_lanes ppu_lanes_from(struct ppu_seg *s, struct ppu_opn bits);

/* The constants 0 ... of a vector of lanes; as many as the code is for are used. */
uint32_t ppu_lanes_vector(struct ppu_seg *s, const uint32_t word[16]);

#endif
