/* SPDX-License-Identifier: MIT */
/* Programs of the ioctl fuzzers: each call is a number (fuzz_call()). Good ones are kept, and new ones made from them. */
#ifndef PPU_DEBUG_PROGRAM_H
#define PPU_DEBUG_PROGRAM_H

#include <stdint.h>
#include <stdio.h>

#define PROGRAM_CALLS	24

struct program {
	unsigned count;
	uint64_t call[PROGRAM_CALLS];
};

/* A new program, or a kept one with something changed, removed or added. */
void program_make(struct program *p, uint64_t *rng);
void program_keep(const struct program *p);	/* does nothing when many are kept */
unsigned program_kept(void);

void program_print(const struct program *p, FILE *to);
const char *program_read(struct program *p, const char *text);	/* the text behind it */

#endif
