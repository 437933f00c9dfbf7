/* SPDX-License-Identifier: MIT */
/*
 * Random PTX: integers of 32 and 64 bits, predicates, guards, local memory, branches, counted loops with breaks, calls.
 * Always ends.  The kernel is k(in, out): thread t reads 8 words from in + 32 * t and writes 64 to out + 256 * t.
 */
#ifndef PTX_RANDOM_H
#define PTX_RANDOM_H

#include <stdint.h>

#define PTX_RANDOM_THREADS	64
#define PTX_RANDOM_WORDS	64	/* that a thread writes */

/* The text, which the caller frees, and the input. */
char *ptx_random(uint32_t seed, uint32_t in[PTX_RANDOM_THREADS * 8]);

#endif
