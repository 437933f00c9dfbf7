/* SPDX-License-Identifier: MIT */
/* ppu-check --schedules: does a program's output depend on the order in which warps and blocks run? */
#ifndef PPU_CHECK_SCHEDULES_H
#define PPU_CHECK_SCHEDULES_H

#include <stdbool.h>

struct schedules {
	char **program;
	unsigned orders, seed;		/* how many, from this seed on; 0: none, or */
	bool all;			/* all orders of small launches, one after the other */
	unsigned switches;		/* of these: each again with a switch after 1, 2... cycles */
	bool memory;			/* what is in the device's memory at the end is compared, too */
	const char **files;		/* that the program writes, and that are compared, too */
	unsigned num_files;
};

/* Runs the program in the device's own order and in others, and tells which give another output.
 * Returns the program's exit status in the device's own order; *differ: how many do. */
int schedules_run(const struct schedules *s, unsigned *differ);

#endif
