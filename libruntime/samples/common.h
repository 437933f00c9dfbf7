/* SPDX-License-Identifier: MIT */
/* Functions that the samples share. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ppu.h>

/* Ends the program with a message when a call fails. */
#define CHECK(call) check((call), #call)
void check(ppuResult res, const char *what);

/* A kernel from the file of the same name among the samples' compiled kernels. */
ppuFunction load_kernel(const char *file, const char *kernel);

void *device_alloc(size_t bytes);
void *host_alloc(size_t bytes);		/* pinned */

/*
 * For what the device does by itself, whatever the speed of the program that submits.  The event comes when the
 * program stores 1 to *go, a word of pinned memory.  Streams that wait for the event (by a semaphore of the device)
 * are held back until then: work that is queued behind it starts all at once.  gate: a kernel that
 * looks at the word again and again.  stream: one of its own, or one that is held back.
 */
ppuEvent close_gate(ppuFunction gate, volatile uint32_t *go, ppuStream stream);

/* Runs ppu-trace, which lies beside the sample, with these arguments, up to a NULL.  False: it failed. */
int run_ppu_trace(const char *const *args);

/* Prints the sample's line and gives its exit status. */
int finish(int ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Random numbers, the same in each run. */
uint32_t next_random(uint32_t *state);

#endif
