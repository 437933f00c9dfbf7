/* SPDX-License-Identifier: MIT */
/*
 * Lab 9, given: a device-owned queue as the CPU sees it (struct queue), and as threads see it (struct queue_dev).
 * Both compilers read this file, the CPU's and the GPU's.
 */
#ifndef QUEUE_H
#define QUEUE_H

/* The threads' part of a queue, in VRAM. All addresses are those of the GPU. */
struct queue_dev {
	unsigned long long ring;	/* struct ppu_gpfifo_entry[count] */
	unsigned long long soft;	/* u64: entries reserved; goes on without wrapping */
	unsigned long long shadow;	/* u64: one past the last entry that may be reserved; never wraps, either */
	unsigned long long sems;	/* u64[count]: the Acquire in entry i waits for element i */
	unsigned long long x, y;	/* addresses of two u64 */
	unsigned long long blocks;	/* QUEUE_BLOCK_BYTES for each entry: for the block of an Acquire, or of the end */
	unsigned int count;
	unsigned int zero;
};
#define QUEUE_BLOCK_BYTES	64u

/* Results of an insertion. */
#define QUEUE_OK		0
#define QUEUE_FULL		1	/* no room at the moment; nothing has changed */
#define QUEUE_TOO_LARGE		2	/* there can never be enough room; nothing has changed */

#ifndef __CUDA__
#include <stdint.h>
struct hw;

struct queue {
	struct queue_dev d;		/* the CPU's copy of the threads' part */
	uint64_t dev;			/* GPU address of the threads' part */
	uint64_t start;			/* block of the first entry: QUEUE_BLOCK_BYTES */
	uint32_t channel;
	uint64_t launches;		/* so far */
};

/* Given (alloc.c): allocate the memory of a queue, all zero, and a channel for it, which is disabled. */
void queue_alloc(struct hw *hw, struct queue *q, uint32_t count);
/* Given (alloc.c): copy q->d to q->dev, where threads find it. */
void queue_publish(struct hw *hw, struct queue *q);

/* Yours (setup.c). */
int queue_create(struct hw *hw, struct queue *q, uint32_t count);
void queue_launch(struct hw *hw, struct queue *q, uint64_t tmd);
#endif
#endif
