/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues, as kernels use them: threads on the GPU put work into a ring that the host
 * interface runs, and no CPU takes part (Documentation/runtime/device-queues.md).
 *
 * For device code in CUDA C (clang or nvcc).  PTX declares what it calls as .extern .func, all arguments
 * as they are here.  A kernel that calls any of this gets a queue, which the runtime makes at its first
 * launch; so do kernels it puts into the queue.  Nothing blocks unless its name has Wait in it, and all
 * of it may be called by any number of threads at the same time.
 */
#ifndef PPU_QUEUE_H
#define PPU_QUEUE_H

/* What the functions return: name, number, sentence. */
#define PPU_QUEUE_ERRS(E) \
E(OK,             0, "done") \
E(FULL,           1, "the queue has no room for the group at the moment: nothing was inserted") \
E(TOO_LARGE,      2, "the group has more blocks than the queue can ever hold: make a larger queue") \
E(CLOSED,         3, "the launch was finished: nothing can be inserted until the next one") \
E(WOULD_DEADLOCK, 4, "the queue is full, and no room can come before this kernel ends") \
E(NO_QUEUE,       5, "the thread's kernel was not launched with a queue") \
E(BAD_VALUE,      6, "an argument is out of range") \
E(NO_SPACE,       7, "the commands and parameters of a block do not fit in its memory") \
E(BAD_KERNEL,     8, "the address is not that of a kernel of the same module")
enum ppu_queue_err {
#define E(name, code, text) PPU_QUEUE_##name = (code),
	PPU_QUEUE_ERRS(E)
#undef E
};

#endif
