/* SPDX-License-Identifier: MIT */
/*
 * Between libppu-hostcalls.so, which ppu-check brings to a program, and the checker in the runtime: system calls that read or
 * write memory of the program.  Pages that the checker watches cannot be accessed, and the kernel would answer with EFAULT;
 * so the checker is told before, and opens them until the call is over.
 */
#ifndef PPU_HOSTCALLS_H
#define PPU_HOSTCALLS_H

#include <stdbool.h>
#include <stddef.h>

struct ppu_host_calls {
	/* NULL: nobody wants to know.  Each begin() of a thread is followed by one end(), when the call is over. */
	void (*begin)(const void *p, size_t bytes, bool writes);
	void (*end)(void);
};
extern struct ppu_host_calls ppu_host_calls __attribute__((weak, visibility("default")));

#endif
