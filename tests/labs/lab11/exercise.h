/* SPDX-License-Identifier: MIT */
/* Shared by the parts of lab 11's exercise. */
#ifndef LAB11_EXERCISE_H
#define LAB11_EXERCISE_H

#include <stdbool.h>
#include <stdint.h>
#include "lab_uapi.h"

#define KB	1024ull
#define MB	(1024 * KB)
#define PAGE	4096ull
#define OWN	(16 * MB)	/* LAB_VRAM_OWN: the buffers' part of VRAM begins here */
#define ROOM	(16 * MB)	/* and has so many bytes */

/* A buffer with a pattern of its own, mapped into the process. */
struct buf {
	uint32_t handle, key;
	uint64_t bytes;
	volatile uint64_t *p;
};

int info(int fd, uint32_t handle, struct lab_place_info *out);
void parameter(const char *name, unsigned int value);

/* 0 or -errno. The pattern stands in every eighth word. */
int buf_new(int fd, struct buf *b, uint64_t bytes);
void buf_fill(struct buf *b);
bool buf_holds(const struct buf *b, const struct buf *pattern);
void buf_close(int fd, struct buf *b);
/* Where in VRAM the buffer is, found by its pattern in the grader's own mapping of BAR2; 0: nowhere. */
uint64_t buf_place(const struct buf *b);

/* 0 .. n-1 in an order that LAB_SEED decides. */
void shuffle(unsigned int *order, unsigned int n);

/* exercise_busy.c */
void test_busy(void);
void test_waiting(void);
void test_spaces(void);
void test_large_set(void);

#endif
