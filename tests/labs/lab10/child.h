/* SPDX-License-Identifier: MIT */
/* Lab 10, the grader's side: runs the student's program as a user without rights. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_WAIT_S	15		/* seconds in which something must come; endless loops end long before */

struct child {
	pid_t pid;
	int in, out;			/* the child's standard input and output; in: -1 if there is no input */
};

/* Starts /lab/machine; argv[0] is the program's name. */
void child_start(struct child *c, char **argv, bool input);
/* Reads up to n bytes; 0: the child closed its output; -1: nothing came in time. */
ssize_t child_read(struct child *c, void *buf, size_t n);
/* How the child ended, as a line like those that the program prints itself; NULL if it ended as it should. */
const char *child_stop(struct child *c, bool kill_it);

/* Passes lines of text on as observations of this name: as many in each as fit, " ; " between. Changes the text. */
void pass_on(const char *name, char *text);
/* random.c, in liblab10.a: programs seed, seed + 1, ... until one fails. */
void random_programs(uint64_t seed, uint64_t count);

#endif
