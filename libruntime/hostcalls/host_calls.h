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
#include <stdint.h>

#define PPU_HOST_STEPS	8u	/* pages of one instruction */
#define PPU_HOST_PIECES	64u	/* of memory of one call; of what is more the rest may be EFAULT */

/*
 * What the checker keeps of a thread.  Signal handlers need it, so it is static: it is part of this library, which is there when
 * the program starts, and not of the runtime, which a program may load later (then there may be no room for it).
 */
struct ppu_host_thread {
	bool quiet;			/* nobody is told of the thread's accesses */
	unsigned num_steps, num_using;
	uint64_t steps[PPU_HOST_STEPS];	/* pages that are open until the instruction is over */
	struct {
		uint64_t va, end;
	} using[PPU_HOST_PIECES];	/* memory of the system call that the thread is in */
};

struct ppu_host_calls {
	struct ppu_host_thread *(*thread)(void);	/* the calling thread's */
	/* NULL: nobody wants to know.  Each begin() of a thread is followed by one end(), when the call is over. */
	void (*begin)(const void *p, size_t bytes, bool writes);
	void (*end)(void);
};
extern struct ppu_host_calls ppu_host_calls __attribute__((weak, visibility("default")));

#endif
