/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues: what only the library (queue.cu, insert.h) and the runtime (api/launch/queue.c) know.
 */
#ifndef PPU_LIB_QUEUE_H
#define PPU_LIB_QUEUE_H

#include <ppu_queue.h>

/* Special registers of a task with a queue.  ENVREG0: address of its struct ppu_queue; ENVREG1 from bit
 * PPU_QUEUE_ENV_SHIFT on, since cooperative kernels have something else in the lower half: */
#define PPU_QUEUE_ENV_SHIFT	32
#define PPU_QUEUE_ENV_COUNTED	1u	/* the task's threads are counted in `live` */
#define PPU_QUEUE_ENV_NESTED	2u	/* the task is work of the queue, and was not launched by the CPU */

/* ppu_queue.state.  Set for each launch by the host interface, in the entry that refreshes the queue. */
struct ppu_queue_state {
	unsigned long long live;	/* threads that may still insert work */
	unsigned long long gate;	/* PPU_GATE_*, below them the threads that are inserting now */
};
#define PPU_GATE_CLOSED		(1ull << 63)	/* no new groups */
#define PPU_GATE_ENDED		(1ull << 62)	/* also: a thread inserts the terminator */

/* The kernels of a module, for launches by threads; the library's variable points to it. */
#define PPU_QUEUE_KERNELS	"__ppu_queue_kernels"

struct ppu_queue_kernel {
	unsigned int entry_pc;		/* ascending */
	unsigned int number;		/* the runtime's number of the kernel, for reports of faults */
	unsigned int regs, barriers, shared_bytes, local_bytes, param_bytes;
	unsigned int max_threads;	/* of a CTA */
	unsigned int reqntid[3];	/* 0: any */
	unsigned int recursive;		/* the kernel gets all local memory there is */
	unsigned int creates;		/* the kernel may insert work itself */
};

struct ppu_queue_kernels {
	unsigned long long code_va;
	unsigned int code_insns;
	unsigned int count;
	struct ppu_queue_kernel kernel[];
};

#endif
