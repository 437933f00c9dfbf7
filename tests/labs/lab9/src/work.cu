/* SPDX-License-Identifier: MIT */
/* Lab 9, given: kernels that use insert.h. Parameters are 64 bits each. */
#include "insert.h"

DEV void linger(u64 word, u64 times)
{
	u64 i;

	for (i = 0; i < times; i++)
		load(word);
}

/* One thread inserts groups of n sizes, with their blocks one after the other. results: return value, then soft. */
KERNEL groups(const struct queue_dev *q, u64 launch, const struct ppu_gpfifo_entry *blocks, u64 sizes, u64 n, u64 results)
{
	u64 i;

	for (i = 0; i < n; i++) {
		u32 size = (u32)load(sizes + 8 * i);
		int err = queue_insert(q, blocks, size);

		store(results + 16 * i, (u64)err);
		store(results + 16 * i + 8, load(q->soft));
		if (err == QUEUE_OK)
			blocks += size;
	}
	queue_finish(q, launch);
}

/* Puts another kernel into the queue, and does not end the launch. */
KERNEL root(const struct queue_dev *q, const struct ppu_gpfifo_entry *block)
{
	queue_insert(q, block, 1);
}

/* Many threads insert several groups of one, two or three blocks each. The last thread to finish ends the launch. */
KERNEL crowd(const struct queue_dev *q, u64 launch, const struct ppu_gpfifo_entry *blocks, u64 times, u64 left, u64 pause)
{
	u64 i;

	for (i = 0; i < times; i++) {
		u64 group = THREAD * times + i;

		while (queue_insert(q, blocks + 3 * group, 1 + (u32)(group % 3)) != QUEUE_OK)
			;
		linger(q->shadow, pause);	/* without an atomic operation, which would act as a fence */
	}
	if (atomic_add(left, -1ull) == 1)
		queue_finish(q, launch);
}

/* All threads try to reserve, and note what they got. Room comes in large pieces, now and then. Nothing is inserted. */
KERNEL storm(const struct queue_dev *q, u64 tries, u64 log, u64 logged)
{
	u32 x = THREAD * 2654435761u + 1;
	u64 i, first;

	for (i = 0; i < tries; i++) {
		u64 want;

		x = x * 1664525u + 1013904223u;
		want = 1 + (x >> 24) % 5;
		if (queue_reserve(q, want, 1, &first) == QUEUE_OK) {
			u64 at = log + 16 * atomic_add(logged, 1);

			store(at, first);
			store(at + 8, want);
		}
		if (THREAD % 64 == 0 && i % 4 == 0)
			atomic_add(q->shadow, 150);
	}
}

/* Waits for the CPU, then puts a block into the queue. */
KERNEL hold(const struct queue_dev *q, const struct ppu_gpfifo_entry *block, u64 started, u64 go)
{
	store(started, 1);
	fence();
	while (!load(go))
		asm volatile("nanosleep.u32 1000;" ::: "memory");
	queue_insert(q, block, 1);
}

/* Puts itself into the queue again, until it has run `most` times. */
KERNEL chain(const struct queue_dev *q, u64 launch, const struct ppu_gpfifo_entry *block, u64 count, u64 most)
{
	if (atomic_add(count, 1) + 1 == most)
		queue_finish(q, launch);
	else
		while (queue_insert(q, block, 1) != QUEUE_OK)
			;
}

/* Figures 6A to 6F (WQ-X1), in three timings. In timing 3 PBS-1's kernel releases PBS-2, which is written before. */
KERNEL x1_launch(const struct queue_dev *q, u64 launch, u64 timing, const struct ppu_gpfifo_entry *pbs, u64 place)
{
	u64 first;

	queue_insert(q, pbs, 1);
	if (timing == 1) {
		queue_insert(q, pbs + 1, 1);
		queue_finish(q, launch);
	} else if (timing == 3 && queue_reserve(q, 2, 1, &first) == QUEUE_OK) {
		queue_fill(q, first, pbs + 1, 1);
		store(place, first);
	}
}

KERNEL x1_pbs1(const struct queue_dev *q, u64 launch, u64 timing, const struct ppu_gpfifo_entry *pbs, u64 place)
{
	if (timing == 2)
		queue_insert(q, pbs + 1, 1);
	if (timing == 3)
		queue_release(q, load(place));
}

KERNEL x1_pbs2(const struct queue_dev *q, u64 launch, u64 timing)
{
	if (timing != 1)
		queue_finish(q, launch);
}
