/* SPDX-License-Identifier: MIT */
/* Shared by the parts of lab 4's exercise. */
#ifndef LAB4_EXERCISE_H
#define LAB4_EXERCISE_H

#include <stdint.h>

#define KB		1024ull
#define MB		(1024 * KB)
#define PAGE		4096ull
#define OWN		(16 * MB)	/* LAB_VRAM_OWN: the buffers' part of VRAM begins here */

/* VRAM as the grader sees it: the grader's own mapping of BAR2. */
extern volatile uint64_t *vram;
extern uint64_t vram_bytes;

/* The place of a buffer in VRAM, or ~0. */
uint64_t place(int fd, uint32_t handle);
/* Looks at n 64-bit words of VRAM from a byte offset on: index of the first that is not `value`, or -1. */
int64_t first_other(uint64_t at, uint64_t n, uint64_t value);
void fill(uint64_t at, uint64_t bytes, uint64_t value);

/* exercise_copy.c */
void test_copy(int fd);
void test_ranges(int fd);
void test_references(int fd);

/* exercise_end.c */
void test_failures(int fd);
void test_removal(void);

#endif
