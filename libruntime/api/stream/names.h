/* SPDX-License-Identifier: MIT */
/*
 * What a trace cannot know: which stream a command comes from, and what the kernel of a launch is called.  With
 * PPU_TRACE_NAMES=FILE in the environment this is appended to the file while the program runs, on any backend; ppu-trace
 * reads it together with the trace.  A line is a word and its fields, told in tools/trace/program.c.
 */
#ifndef PPU_API_NAMES_H
#define PPU_API_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct rt_job;

extern bool rt_names_on;

/* When devices are opened. */
void rt_names_open(void);
/* Before a job is submitted, whose entries begin at that place of the ring. */
void rt_names_job(const struct rt_job *job, uint32_t first);

#pragma GCC visibility pop
#endif
