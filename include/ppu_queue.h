/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues, as kernels use them: threads on the GPU put work into a ring that the host
 * interface runs, and no CPU takes part (Documentation/runtime/device-queues.md).
 *
 * For device code in CUDA C.  PTX declares the functions as .extern .func, with the arguments that they have here.  A
 * kernel that calls any of these functions is given a queue, which the runtime makes at the first launch of such a
 * kernel.  Kernels that run from the queue and call these functions share the queue.  A function waits only if its
 * name says so.  Any number of threads may call any of the functions at the same time.
 *
 *   ppuQueueLaunch(PPU_KERNEL(next), blocks, 1, 1, 256, 1, 1, 0, &args, sizeof(args));
 *
 * Work in the queue runs after the launching kernel has ended, in the order in which it was inserted.  A
 * launch does not wait for kernels that were launched before it (ppuGroupWaitIdle does); copies and
 * semaphore operations are complete before the work behind them starts.  Later work of the stream waits
 * for all work in the queue.
 */
#ifndef PPU_QUEUE_H
#define PPU_QUEUE_H

/* What the functions return: name, number, sentence. */
#define PPU_QUEUE_ERRS(E) \
E(OK,             0, "done") \
E(FULL,           1, "the queue has no room for the group at the moment: nothing was inserted") \
E(TOO_LARGE,      2, "the group has more blocks than the queue can ever hold: make a larger queue") \
E(CLOSED,         3, "the launch was finished: nothing can be inserted until the next one") \
E(WOULD_DEADLOCK, 4, "the queue is full, and no room can come while this kernel runs") \
E(NO_QUEUE,       5, "the thread's kernel was not launched with a queue") \
E(BAD_VALUE,      6, "an argument is out of range") \
E(NO_SPACE,       7, "the commands and parameters of a block do not fit in its memory") \
E(BAD_KERNEL,     8, "the address is not that of a kernel of the same module")
enum ppu_queue_err {
#define E(name, code, text) PPU_QUEUE_##name = (code),
	PPU_QUEUE_ERRS(E)
#undef E
};

/* What a kernel with a queue gets behind its own parameters.  Does not change during a launch. */
struct ppu_queue {
	/* What a thread receives by step 452 of the method (WQ-39) ... */
	unsigned long long ring;	/* struct ppu_gpfifo_entry[count] */
	unsigned long long soft;	/* u64: entries reserved since the queue was made */
	unsigned long long shadow;	/* u64: one past the last entry that may be reserved */
	/* ... and what it also needs. */
	unsigned long long sems;	/* u64[count]: element i belongs to entry i */
	unsigned long long x, y;	/* u64 each */
	unsigned long long state;	/* two u64: threads that may insert; closed, and how many insert now */
	unsigned long long blocks;	/* count pieces of command memory, one for each entry */
	unsigned long long launch;	/* number of this launch of the queue, from 1 */
	unsigned int count;
	unsigned int block_bytes;	/* of a piece; a multiple of 256 */
	unsigned int flags;		/* PPU_QUEUEF_* */
	int log2;			/* of count, -1: no power of two */
	unsigned int wait_entries;	/* work of the queue may wait for room for at most so many entries */
	unsigned int priority;		/* device priority of the queue's launches + 1, 0: none */
	unsigned int local_bytes;	/* the context's local memory per thread */
	unsigned int shared_bytes;	/* shared memory that a CTA can have */
};
#define PPU_QUEUEF_SPARE	1u	/* groups leave room for the terminator of a launch (WQ-61) */
#define PPU_QUEUEF_AUTO		2u	/* the last thread that ends also ends the launch (WQ-62) */

/* A group of command blocks on its way; 64 bytes, the library's own. */
struct ppu_group {
	unsigned long long opaque[8];
};

#if defined(__CUDA__) || defined(__CUDACC__)

#ifdef __clang__
#define PPU_QUEUE_FN	extern "C" __attribute__((device))
#else
#define PPU_QUEUE_FN	extern "C" __device__
#endif

/* The address of a kernel that stands further up in the same module, because clang and nvcc do not let device code
 * name a kernel.  `name` is the kernel's name in PTX, so in C++ the kernel must be extern "C".  The address can also
 * be passed as a parameter: it is entry_pc of ppuFunctionGetAttributes(). */
#define PPU_KERNEL(name) ({ \
	unsigned long long ppu_kernel_; \
	asm("mov.u64 %0, " #name ";" : "=l"(ppu_kernel_)); \
	(const void *)ppu_kernel_; })

/* The queue, NULL: the kernel has none. */
PPU_QUEUE_FN const struct ppu_queue *ppuQueueGet(void);

/*
 * These insert one command, in a block and group of its own.  They return an enum ppu_queue_err.
 * Launch: params are laid out as the kernel's parameters, and copied before the call returns.  Wait: waits for room,
 * but only in work of the queue itself, because only there room can come.  Copy, Fill: as ppuMemcpy, ppuMemset.
 * Release stores a 64-bit value to device or pinned memory; Acquire holds the queue until the value is there.
 */
PPU_QUEUE_FN int ppuQueueLaunch(const void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
				unsigned bz, unsigned shared, const void *params, unsigned bytes);
PPU_QUEUE_FN int ppuQueueLaunchWait(const void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
				    unsigned by, unsigned bz, unsigned shared, const void *params, unsigned bytes);
PPU_QUEUE_FN int ppuQueueCopy(void *dst, const void *src, unsigned long long bytes);
PPU_QUEUE_FN int ppuQueueFill(void *dst, unsigned long long value, unsigned elem_bytes, unsigned long long count);
PPU_QUEUE_FN int ppuQueueRelease(void *word, unsigned long long value);
PPU_QUEUE_FN int ppuQueueAcquire(void *word, unsigned long long value);

/*
 * A group is several blocks that run one after the other, with no other blocks between them.  Begin reserves the
 * entries.  Then commands go into the first block, and after Next into the next block.  End hands the group to the
 * host interface.  A thread should be quick between a successful Begin and End, because later groups have to wait.
 * If a command fails, nothing of the group runs, and End returns the error.
 */
PPU_QUEUE_FN int ppuGroupBegin(struct ppu_group *group, unsigned blocks);
PPU_QUEUE_FN int ppuGroupBeginWait(struct ppu_group *group, unsigned blocks);
PPU_QUEUE_FN int ppuGroupNext(struct ppu_group *group);
PPU_QUEUE_FN int ppuGroupLaunch(struct ppu_group *group, const void *kernel, unsigned gx, unsigned gy, unsigned gz,
				unsigned bx, unsigned by, unsigned bz, unsigned shared, const void *params,
				unsigned bytes);
PPU_QUEUE_FN int ppuGroupCopy(struct ppu_group *group, void *dst, const void *src, unsigned long long bytes);
PPU_QUEUE_FN int ppuGroupCopy2D(struct ppu_group *group, void *dst, unsigned long long dst_pitch, const void *src,
				unsigned long long src_pitch, unsigned width, unsigned height);
PPU_QUEUE_FN int ppuGroupFill(struct ppu_group *group, void *dst, unsigned long long value, unsigned elem_bytes,
			      unsigned long long count);
PPU_QUEUE_FN int ppuGroupRelease(struct ppu_group *group, void *word, unsigned long long value);
/* Holds the queue until the comparison `op` (PPU_SEM_OP_*) of *word with value is true. */
PPU_QUEUE_FN int ppuGroupAcquire(struct ppu_group *group, void *word, unsigned long long value, unsigned op);
PPU_QUEUE_FN int ppuGroupAdd(struct ppu_group *group, void *word, int by);	/* 1 or -1 */
PPU_QUEUE_FN int ppuGroupWaitIdle(struct ppu_group *group);	/* holds the queue until earlier kernels are complete */
PPU_QUEUE_FN int ppuGroupTimestamp(struct ppu_group *group, void *ns);
PPU_QUEUE_FN int ppuGroupEnd(struct ppu_group *group);

/* Inserts blocks that the thread has written itself, as Documentation/hw/commands.md describes: n entries of the ring
 * {address, length in words}.  The blocks must stay in memory until they have run. */
PPU_QUEUE_FN int ppuQueueInsert(const void *entries, unsigned n);

/* Ends the inserting in this launch: from now on all work is refused (PPU_QUEUE_CLOSED).  Need not be called: the last
 * thread of all kernels that could insert makes this call when it ends. */
PPU_QUEUE_FN int ppuQueueFinish(void);

#endif
#endif
