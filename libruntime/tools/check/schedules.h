/* SPDX-License-Identifier: MIT */
/* ppu-check --schedules: does a program's output depend on the order in which warps and blocks run? */
#ifndef PPU_CHECK_SCHEDULES_H
#define PPU_CHECK_SCHEDULES_H

#include <stdbool.h>

/* Runs the program in the device's own order and in `orders` others, from this seed on, and tells which give another output.
 * Returns the program's exit status in the device's own order; *differ: how many do. */
int schedules_run(char **program, unsigned orders, unsigned seed, unsigned *differ);

#endif
