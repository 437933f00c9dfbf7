/* SPDX-License-Identifier: MIT */
/* The way to the debugger inside the program (libruntime/debug/session.c). */
#ifndef PPU_DBG_LINK_H
#define PPU_DBG_LINK_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct link {
	pid_t pid;
	int fd;				/* of the socket */
	FILE *in;
	int output;			/* the program's stdout and stderr; -1: they are ours */
	int status;			/* of the program, when it has ended */
};

/* Starts the program; take_output: what it prints comes through l->output. */
void link_start(struct link *l, char **program, bool forward_only, bool take_output);
void link_send(struct link *l, const char *line);
/* One line without its end, malloc'ed; NULL: the program has ended, or has let go. */
char *link_line(struct link *l);
/* The program's exit status, when it has ended. */
int link_end(struct link *l);
void link_kill(struct link *l);

#endif
