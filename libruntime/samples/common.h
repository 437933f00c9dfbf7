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

/* Runs ppu-trace, which lies beside the sample, with these arguments, up to a NULL.  False: it failed. */
int run_ppu_trace(const char *const *args);

/* Prints the sample's line and gives its exit status. */
int finish(int ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Random numbers, the same in each run. */
uint32_t next_random(uint32_t *state);

#endif
