/* SPDX-License-Identifier: MIT */
/* The end of processes that may be stuck in the kernel. */
#ifndef PPU_STORM_PROCESS_H
#define PPU_STORM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Has it ended by itself by then (now_ns())? *status as of waitpid(). */
bool process_ended(pid_t pid, uint64_t until, int *status);
/* The same, and then it is killed. False: it does not even die of SIGKILL; @what says where it is in the kernel. */
bool process_end(pid_t pid, uint64_t until, char *what, size_t size);

/* Where it is: what it waits for in the kernel, its system call ("running": none) and the stack in the kernel. */
void process_where(pid_t pid, char *what, size_t size);

#endif
