/* SPDX-License-Identifier: MIT */
/* What must hold after a round of the storm: the kernel is silent, nothing is left, the device works. */
#ifndef PPU_STORM_VERDICT_H
#define PPU_STORM_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

void verdict_init(void);	/* before the first round, with an idle device */

/* After all processes of a round are gone. False: @what says what is wrong. */
bool verdict_round(char *what, size_t size);
/* Searches for memory that nothing points to; takes seconds. True where the kernel cannot search. */
bool verdict_leaks(char *what, size_t size);

#endif
