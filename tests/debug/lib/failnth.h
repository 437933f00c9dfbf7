/* SPDX-License-Identifier: MIT */
/*
 * Making the Nth thing fail that can fail in a system call of this thread:
 * allocations of memory and copies from and to user memory (the kernel's
 * /proc/thread-self/fail-nth).
 */
#ifndef PPU_DEBUG_FAILNTH_H
#define PPU_DEBUG_FAILNTH_H

#include <stdbool.h>

/* Says what may fail: all allocations, and nothing about it in the kernel log. */
void failnth_setup(void);

/* From here on the Nth point (from 1) in each system call fails, until one did. */
void failnth_arm(unsigned n);

/* Takes it back. Returns true if a point failed, false if there were fewer. */
bool failnth_disarm(void);

#endif
