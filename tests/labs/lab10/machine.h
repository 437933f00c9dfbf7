/* SPDX-License-Identifier: MIT */
/* Lab 10: shared by the files of the program around the student's unit. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* The answer to a program of --stream, all words 32 bits: the ends, then the results. */
enum machine_end { END_DONE, END_FAULT, END_TIME };
struct machine_job {
	uint32_t bytes;			/* of assembly text, which follows the job */
	uint32_t threads, branch_first, yield_every, yield_merge, yield_random;
	uint32_t words;			/* number of words of results */
};
struct machine_reply {
	uint32_t end, code, pc, lane;	/* end: enum machine_end; the others describe the fault */
};
#define MACHINE_ENTRIES	1000		/* of the token queues with --stream */

/* random.c, for the grader's program: programs seed, seed + 1, ... until one fails. */
void random_programs(uint64_t seed, uint64_t count);
/* queue.c: tests the token queue alone: order, tracking, merge, recentre.  False: there is no such group. */
bool queue_check(const char *group);

#endif
