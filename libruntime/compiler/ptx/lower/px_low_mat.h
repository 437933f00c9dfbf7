/* SPDX-License-Identifier: MIT */
/*
 * Products and sums of the matrix instructions, for every type of factors.  A word is one register of a fragment; its
 * parts are what one multiply-add takes: a float for each element, or integers that are multiplied together.
 */
#ifndef PX_LOW_MAT_H
#define PX_LOW_MAT_H

#include "compiler/ptx/front/px_inst.h"
#include "compiler/ptx/front/px_module.h"

#define PX_MAT_PARTS	4u	/* at most, of a word */
#define PX_MAT_WORDS	16u	/* at most, of a fragment */

struct px_mat {
	struct px_module *m;
	uint8_t d, a, b, c;	/* types: PT_* */
	bool both;		/* .b1: and instead of xor */
	bool clamp;		/* integers: .satfinite */
	uint8_t rnd;		/* of .f64 */
};

/* The types that take part in the same forms have one representative: s8 for u8, s4 for u4, e4m3 for e5m2. */
unsigned px_mat_class(unsigned pt);
/* The type of a register of the fragment that holds factors, and of one that holds c or d, of type pt. */
unsigned px_mat_register(unsigned pt);
/* How many elements of type pt are in such a register. */
unsigned px_mat_per_register(unsigned pt);
/* False: there are several shapes, state spaces, or numbers of matrices; reported. */
bool px_mat_one_each(struct px_module *m, const struct px_inst *in);
/* Reads the types d.a.b.c and the modifiers .satfinite, .and, .xor, .popc, .rn..  False: no such form; reported. */
bool px_mat_types(struct px_module *m, const struct px_inst *in, struct px_mat *w);

/* The registers of a fragment: n of them.  v NULL: only look whether there are so many. */
bool px_mat_fragment(struct px_module *m, const struct px_opn *o, unsigned pt, unsigned n, px_val *v);
/* The word v of another lane. */
px_val px_mat_from_lane(struct px_module *m, px_val v, px_val lane);

/* The parts of a word of factors; the number of parts. */
unsigned px_mat_unpack(struct px_module *m, unsigned pt, px_val word, px_val *part);
/* The value with which sum number e begins, c being the fragment. */
px_val px_mat_first(const struct px_mat *w, const px_val *c, unsigned e);
/* sum + a * b, for one part of each. */
px_val px_mat_add(const struct px_mat *w, px_val a, px_val b, px_val sum);
/* Writes n sums to the fragment d. */
void px_mat_store(const struct px_mat *w, const struct px_opn *d, const px_val *c, const px_val *sum, unsigned n);

#endif
