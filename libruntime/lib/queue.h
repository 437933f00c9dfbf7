/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues: what the runtime tells a kernel about its queue, and the two words that
 * the threads of one launch share.
 *
 * A kernel that may create work gets, behind its own parameters, a struct ppu_queue; special register
 * ENVREG0 of it, and of every kernel it puts into the queue, has the address, ENVREG1 the level: 0 for
 * the launching kernel, 1 for what the queue runs.  Nothing in it changes during the launch.
 */
#ifndef PPU_LIB_QUEUE_H
#define PPU_LIB_QUEUE_H

struct ppu_queue {
	/* What a thread receives by step 452 ... */
	unsigned long long ring;	/* struct ppu_gpfifo_entry[count] */
	unsigned long long soft;	/* u64: entries reserved since the queue was made */
	unsigned long long shadow;	/* u64: one past the last entry that may be reserved */
	/* ... and what it needs besides. */
	unsigned long long sems;	/* u64[count]: element i belongs to entry i */
	unsigned long long x, y;	/* u64 each */
	unsigned long long state;	/* struct ppu_queue_state */
	unsigned long long blocks;	/* count pieces of command memory, one for each entry */
	unsigned long long launch;	/* number of this launch of the queue, from 1 */
	unsigned int count;
	unsigned int block_bytes;	/* of a piece; a multiple of 256 */
	unsigned int flags;		/* PPU_QUEUEF_* */
	int log2;			/* of count, -1: no power of two */
	unsigned int local_bytes;	/* local memory per thread there is in the context */
	unsigned int max_shared;	/* shared memory a CTA can have */
	unsigned int priority;		/* device priority for what it launches, PPU_QUEUE_NO_PRIORITY: none */
	unsigned int reserved;
};

#define PPU_QUEUE_NO_PRIORITY	(~0u)
#define PPU_QUEUEF_SPARE	1u	/* groups leave room for the terminator (WQ-61) */
#define PPU_QUEUEF_AUTO		2u	/* the last thread out inserts the terminator (WQ-62) */
#define PPU_QUEUEF_REFRESHED	4u	/* shadow grows while work of the queue runs: it may wait for room */

/* Set for each launch by the host interface, in the entry that also refreshes the queue. */
struct ppu_queue_state {
	unsigned long long live;	/* threads that may still insert work */
	unsigned long long gate;	/* PPU_GATE_*, below them the threads that are inserting now */
};

#define PPU_GATE_CLOSED		(1ull << 63)	/* no new groups */
#define PPU_GATE_ENDED		(1ull << 62)	/* and somebody has taken it upon himself to insert the terminator */

#endif
