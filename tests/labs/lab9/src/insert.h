/* SPDX-License-Identifier: MIT */
/*
 * Lab 9, the GPU's part: many threads at the same time put work into a device-owned queue, without locks: method 450
 * (WQ-39..WQ-52).
 *
 * soft and shadow are counters that never wrap. Counter c belongs to entry c % count, in lap c / count.
 */
#ifndef INSERT_H
#define INSERT_H

#pragma clang force_cuda_host_device begin
#include <hw/ppu_cmd.h>
#pragma clang force_cuda_host_device end
#include "gpu.h"
#include "queue.h"

#define ACQUIRE	PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ))
#define RELEASE	PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0)
#define WFI	PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0)

/* The index in the ring of the entry that belongs to a counter. */
DEV u32 queue_index(const struct queue_dev *q, u64 counter)
{
	//LAB 9 write: Works for any count, not only for powers of two.
	return (u32)(counter % q->count);
	//LAB instead
	return 0;
	//LAB end
}

/* The value for which the Acquire in that entry waits in this lap, and which its release stores. */
DEV u64 queue_generation(const struct queue_dev *q, u64 counter)
{
	//LAB 9 write: Element i is awaited again in each lap, and nobody sets it back. At first it is 0.
	return counter / q->count + 1;
	//LAB instead
	return 0;
	//LAB end
}

/* The entry that belongs to this counter points to a block of `words` words. */
DEV void queue_point(const struct queue_dev *q, u64 counter, u64 block, u32 words)
{
	u64 entry = q->ring + sizeof(struct ppu_gpfifo_entry) * queue_index(q, counter);

	store(entry, block);
	store(entry + 8, words);
}

/*
 * Steps 460 and 462 (WQ-43, WQ-44, WQ-60): reserve `entries` entries; *first is the counter of the first one. Behind
 * them `spare` more must be free. Returns QUEUE_OK or QUEUE_FULL. After QUEUE_FULL soft is as if nobody had asked, at
 * the latest when all threads that are being refused have returned.
 */
DEV int queue_reserve(const struct queue_dev *q, u64 entries, u64 spare, u64 *first)
{
	//LAB 9 write: A fetch-and-add on soft; the old value is the first entry. Is the end beyond shadow? Then take
	//LAB      the addition back. Others may have added behind you in the meantime, and they rely on
	//LAB      their numbers. And shadow may have moved by now.
	u64 old = atomic_add(q->soft, entries), end = old + entries;

	for (;;) {
		if (end + spare <= load(q->shadow)) {
			*first = old;
			return QUEUE_OK;
		}
		if (atomic_cas(q->soft, end, old) == end)
			return QUEUE_FULL;
	}
	//LAB instead
	return QUEUE_FULL;
	//LAB end
}

/* Steps 458 and 462 (WQ-42, WQ-45): the n entries from `first` on point to the n blocks, the next one to an Acquire. */
DEV void queue_fill(const struct queue_dev *q, u64 first, const struct ppu_gpfifo_entry *blocks, u32 n)
{
	//LAB 9 write: The block of the Acquire goes to q->blocks, to the piece of its entry. The Acquire waits for the
	//LAB      semaphore of its own entry. Use struct out, put(), put64().
	u64 last = first + n;
	u32 at = queue_index(q, last), i;
	struct out o = { q->blocks + (u64)at * QUEUE_BLOCK_BYTES, 0 };

	for (i = 0; i < n; i++)
		queue_point(q, first + i, blocks[i].va, blocks[i].length);
	put(&o, ACQUIRE);
	put64(&o, q->sems + 8ull * at);
	put64(&o, queue_generation(q, last));
	queue_point(q, last, o.to, o.words);
	//LAB end
}

/* Steps 464 and 466 (WQ-46, WQ-47): all entries from `first` on are written, so the host interface may come to them. */
DEV void queue_release(const struct queue_dev *q, u64 first)
{
	//LAB 9 write: Whose semaphore holds the host back in front of your group, in which lap? And what must have
	//LAB      happened before it is released?
	fence();
	store(q->sems + 8ull * queue_index(q, first - 1), queue_generation(q, first - 1));
	//LAB end
}

/* A group: n blocks that run one after the other. QUEUE_OK, QUEUE_FULL or QUEUE_TOO_LARGE; does not wait. */
DEV int queue_insert(const struct queue_dev *q, const struct ppu_gpfifo_entry *blocks, u32 n)
{
	//LAB 9 write: How many entries does a group of n blocks take? One entry of the ring is the host's, one tells
	//LAB      full from empty, and one must stay free for queue_finish(). Refuse what can never fit before
	//LAB      you touch soft.
	u64 first;
	int err;

	if (n + 1 > q->count - 3)
		return QUEUE_TOO_LARGE;
	err = queue_reserve(q, n + 1, 1, &first);
	if (err)
		return err;
	queue_fill(q, first, blocks, n);
	queue_release(q, first);
	return QUEUE_OK;
	//LAB instead
	return QUEUE_FULL;
	//LAB end
}

/* Step 470 (WQ-50): no more work in launch number n. Called once in each launch; nothing is inserted after it. */
DEV void queue_finish(const struct queue_dev *q, u64 n)
{
	//LAB 9 write: One entry, no spare, for a block of three commands: wait until all work of the queue is done,
	//LAB      let the CPU's channel go on, hold the queue until the next launch. Groups that are being
	//LAB      refused may take the room for a moment: then try again.
	struct out o;
	u64 first;

	while (queue_reserve(q, 1, 0, &first) != QUEUE_OK)
		;
	o.to = q->blocks + (u64)queue_index(q, first) * QUEUE_BLOCK_BYTES;
	o.words = 0;
	put(&o, WFI);
	put(&o, RELEASE);
	put64(&o, q->y);
	put64(&o, n);
	put(&o, ACQUIRE);
	put64(&o, q->x);
	put64(&o, n + 1);
	queue_point(q, first, o.to, o.words);
	queue_release(q, first);
	//LAB end
}

#endif
