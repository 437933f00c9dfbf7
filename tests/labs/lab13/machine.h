/* SPDX-License-Identifier: MIT */
/* Lab 13: shared by the files of the program around the student's engines. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench.h"
#include "labends.h"
#include "labrnd.h"

/* The most bytes that one event of an engine has written, counted by ce.c. */
extern uint64_t written_at_once;

/* area.c: memory, and what must be in it. */
struct area {
	uint64_t va, bytes;
	uint8_t *want;
};
struct area area_new(struct bench_ctx *c, uint64_t bytes, uint64_t where);
/* Compares all of it; what: what was done, for the sentence. */
void area_check(struct bench_ctx *c, const struct area *a, const char *what);
void fill_want(uint8_t *p, uint64_t value, unsigned elem_bytes, uint64_t bytes);
/* Runs until the device is idle.  Ends, if it never is, or if the channel has an error that was not expected. */
void run(struct bench *b, struct bench_chan *ch, const char *what);

void test_copy(void);
void test_overlap(void);
void test_fill(void);
void test_rows(void);
void test_time(void);
void test_engines(void);
void test_faults(void);
void test_stop(void);
void test_random(uint64_t seed, unsigned count);

#endif
