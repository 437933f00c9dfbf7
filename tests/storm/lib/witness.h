/* SPDX-License-Identifier: MIT */
/* Good work on a new file: copies, a kernel, a job with a fence, a wait that sleeps. */
#ifndef PPU_STORM_WITNESS_H
#define PPU_STORM_WITNESS_H

#include <stdbool.h>
#include <stddef.h>

/* In a process of its own. False: @what says what failed. */
bool witness_works(char *what, size_t size);

#endif
