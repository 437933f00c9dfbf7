/* SPDX-License-Identifier: MIT */
/* Lab 9, given: the memory of a queue (step 404, WQ-27, and X and Y of step 405, WQ-28). */
#include <string.h>
#include "hw.h"
#include "queue.h"

/* Words for which the device waits get pages of their own: then the device ignores stores to other pages. */
#define PAGE	4096u

void queue_alloc(struct hw *hw, struct queue *q, uint32_t count)
{
	memset(q, 0, sizeof(*q));
	q->d.count = count;
	q->d.ring = hw_alloc(hw, count * sizeof(struct ppu_gpfifo_entry), PAGE);
	q->d.soft = hw_alloc(hw, 8, 64);
	q->d.shadow = hw_alloc(hw, 8, 64);
	q->d.blocks = hw_alloc(hw, count * QUEUE_BLOCK_BYTES, PAGE);
	q->start = hw_alloc(hw, QUEUE_BLOCK_BYTES, 64);
	q->dev = hw_alloc(hw, sizeof(q->d), 64);
	q->d.x = hw_alloc(hw, 8, PAGE);
	q->d.y = hw_alloc(hw, 8, 64);
	q->d.sems = hw_alloc(hw, count * 8, 64);
	hw_alloc(hw, 8, PAGE);
	q->channel = hw->channels++;
}

void queue_publish(struct hw *hw, struct queue *q)
{
	memcpy((void *)hw_at(hw, q->dev), &q->d, sizeof(q->d));
}
