/* SPDX-License-Identifier: MIT */
/*
 * Making the Nth thing fail that can fail in a system call of this thread:
 * allocations of memory and copies from and to user memory (the kernel's
 * /proc/thread-self/fail-nth).
 */
#ifndef PPU_DEBUG_FAILNTH_H
#define PPU_DEBUG_FAILNTH_H

#include <stdbool.h>

/* Configures what fails: all allocations, without messages in the kernel log. */
void failnth_setup(void);

/* From here on the Nth point (from 1) in each system call fails, until one has failed. */
void failnth_arm(unsigned n);

/* Ends that. Returns true if a point failed, false if there were fewer points. */
bool failnth_disarm(void);

#endif
