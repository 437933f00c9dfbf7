/* SPDX-License-Identifier: MIT */
/* Lab 10, the grader's side: running the student's program as somebody without rights. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_WAIT_S	15		/* for anything to happen; endless loops end by themselves long before */

struct child {
	pid_t pid;
	int in, out;			/* its standard input and output; in: -1 without */
};

/* argv[0] is /lab/machine. */
void child_start(struct child *c, char **argv, bool input);
/* Up to n bytes; 0: the end; -1: nothing came. */
ssize_t child_read(struct child *c, void *buf, size_t n);
/* What became of it, as a line like those it prints itself; NULL: it ended as it should. */
const char *child_stop(struct child *c, bool kill_it);

/* Lines of text as observations of this name, " ; " between them, as many as fit in one.  Changes the text. */
void pass_on(const char *name, char *text);
/* random.c, in liblab10.a: programs seed, seed + 1, ... until one fails. */
void random_programs(uint64_t seed, uint64_t count);

#endif
