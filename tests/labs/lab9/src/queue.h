/* SPDX-License-Identifier: MIT */
/*
 * Lab 9, given: a device-owned queue, as the CPU sees it (struct queue) and as threads do (struct queue_dev).
 * For the CPU's compiler and for the GPU's.
 */
#ifndef QUEUE_H
#define QUEUE_H

/* What threads get, in VRAM. All addresses are those of the GPU. */
struct queue_dev {
	unsigned long long ring;	/* struct ppu_gpfifo_entry[count] */
	unsigned long long soft;	/* u64: entries reserved; counts on without wrapping */
	unsigned long long shadow;	/* u64: one past the last entry that may be reserved; never wraps, either */
	unsigned long long sems;	/* u64[count]: element i is what the Acquire in entry i waits for */
	unsigned long long x, y;	/* u64 each, of their own */
	unsigned long long blocks;	/* QUEUE_BLOCK_BYTES for each entry: for the block of an Acquire, or of the end */
	unsigned int count;
	unsigned int zero;
};
#define QUEUE_BLOCK_BYTES	64u

/* What insertion says. */
#define QUEUE_OK		0
#define QUEUE_FULL		1	/* no room at the moment; nothing has changed */
#define QUEUE_TOO_LARGE		2	/* there can never be so much room; nothing has changed */

#ifndef __CUDA__
#include <stdint.h>
struct hw;

struct queue {
	struct queue_dev d;		/* the same, here */
	uint64_t dev;			/* address of struct queue_dev in VRAM */
	uint64_t start;			/* the block of the first entry: QUEUE_BLOCK_BYTES */
	uint32_t channel;
	uint64_t launches;		/* so far */
};

/* Given (alloc.c): memory of a queue, all zero, and a channel for it, disabled. */
void queue_alloc(struct hw *hw, struct queue *q, uint32_t count);
/* Given (alloc.c): write q->d to where threads find it, q->dev. */
void queue_publish(struct hw *hw, struct queue *q);

/* Yours (setup.c). */
int queue_create(struct hw *hw, struct queue *q, uint32_t count);
void queue_launch(struct hw *hw, struct queue *q, uint64_t tmd);
#endif
#endif
