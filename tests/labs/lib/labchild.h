/* SPDX-License-Identifier: MIT */
/* For labs whose student's files are a program of their own, /lab/machine: runs it as a user without rights. */
#ifndef LABCHILD_H
#define LABCHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_MAX_HANGS	2
#define CHILD_OUTPUT	65536
#define CHILD_WAIT_S	15		/* seconds in which something must come; endless loops end long before */

struct child {
	pid_t pid;
	int in, out;			/* the child's standard input and output; -1 if there is none */
};

/* Starts /lab/machine; argv[0] is the program's name. */
void child_start(struct child *c, char **argv, bool input);
/* Reads up to n bytes; 0: the child closed its output; -1: nothing came in time. */
ssize_t child_read(struct child *c, void *buf, size_t n);
/* How the child ended, as a line like those that the program prints itself; NULL if it ended as it should. */
const char *child_stop(struct child *c, bool kill_it);

/*
 * Passes lines of text on as observations of this name: as many in each as fit, " ; " between; with `only`, those that begin
 * with it.  Changes the text.
 */
void pass_on(const char *name, char *text, const char *only);
/*
 * Runs /lab/machine to its end, or until it says nothing for too long, or more than CHILD_OUTPUT bytes.  What it prints is
 * passed on, and then what child_stop() returns.  After CHILD_MAX_HANGS programs that hung no other one is run: "end skipped".
 */
void child_run(const char *name, char **argv, const char *only);
/*
 * The same for the program /lab/judge, which has no code of the student's in it, with /lab/machine at the other end of its
 * standard input, a socket.  They are different users: what the one prints, the other one cannot touch.  And the machine sees
 * nothing of the file system, and prints nowhere: it can only answer what comes through the socket.
 */
void child_run_judged(const char *name, char **judge, char **machine);

#endif
