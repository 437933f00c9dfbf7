/* SPDX-License-Identifier: MIT */
/*
 * Method 450 (WQ-39..WQ-52): how threads put work into a device-owned queue, many at the same time and without locks.
 *
 * Three kinds of words decide.  `soft` counts the reserved entries; entries in front of number `shadow` are free.  Both
 * only grow, except when a reservation is undone.  Entry number c is place c % count of lap c / count.  The host
 * interface may read every entry between GP_GET and shadow, written or not.  Semaphore elements, one for each entry,
 * are the third kind.  They hold the host interface back: it always stands at an Acquire whose release means "the
 * group behind me is complete".  So a group of n blocks takes n + 1 entries, and the last one is an Acquire of its own
 * semaphore element.  A thread that has written a group releases the element of the entry in front of the group, which
 * belongs to another group.  The awaited value contains the lap, so that a release of an earlier lap does not count.
 *
 * The model checker (tests/model) checks this file itself, which is compiled for the GPU and for the host.  Memory
 * that other threads touch, too, is accessed only through these macros, which the including file defines:
 *
 *   u64  PPUQ_LOAD(u64 *p)                    reads memory, not a register or a cache
 *   void PPUQ_STORE(u64 *p, u64 v)            others see stores in any order, up to the next fence
 *   u64  PPUQ_ADD(u64 *p, u64 v)              atomic; ADD, OR and CAS return the value that was there before
 *   u64  PPUQ_OR(u64 *p, u64 v)
 *   u64  PPUQ_CAS(u64 *p, u64 cmp, u64 v)
 *   void PPUQ_FENCE(void)                     others see this thread's earlier stores before its later ones
 *   PPUQ_FN, PPUQ_FAR                         stand before a function; FAR: it must not be inlined
 */
#ifndef PPU_LIB_INSERT_H
#define PPU_LIB_INSERT_H

#include <hw/ppu_cmd.h>
#include <hw/ppu_devq.h>
#include <ppu_queue.h>
#include "compiler/devabi/queue.h"

typedef unsigned long long ppuq_u64;

/* The entry that belongs to a value of the counter `soft`. */
struct ppuq_place {
	ppuq_u64 lap;
	unsigned int index;
};

PPUQ_FN struct ppuq_place ppuq_place(const struct ppu_queue *q, ppuq_u64 counter)
{
	struct ppuq_place p;

	if (q->log2 >= 0) {
		p.index = (unsigned int)ppu_wrap_pow2((long long)counter, (unsigned int)q->log2);
		p.lap = counter >> q->log2;
	} else {
		p.index = (unsigned int)(counter % q->count);
		p.lap = counter / q->count;
	}
	return p;
}

/* The place `by` entries further on.  -count < by < count: form 1 of wrap() is wrong for other values. */
PPUQ_FN struct ppuq_place ppuq_step(const struct ppu_queue *q, struct ppuq_place p, long long by)
{
	long long at = (long long)p.index + by;

	if (at < 0)
		p.lap--;
	else if (at >= (long long)q->count)
		p.lap++;
	PPU_WRAP_ASSERT(ppu_wrap_any_valid(at, q->count));
	p.index = (unsigned int)ppu_wrap_any(at, q->count);
	return p;
}

PPUQ_FN ppuq_u64 *ppuq_word(ppuq_u64 base, unsigned int index)
{
	return (ppuq_u64 *)base + index;
}

/* ---- writing commands and entries ---- */

/* Words of a block.  They are stored two at a time. */
struct ppuq_out {
	ppuq_u64 *to;
	ppuq_u64 half;
	unsigned int words;
};

PPUQ_FN void ppuq_put32(struct ppuq_out *o, unsigned int v)
{
	if (o->words++ & 1)
		PPUQ_STORE(o->to + (o->words - 1) / 2, o->half | (ppuq_u64)v << 32);
	else
		o->half = v;
}

PPUQ_FN void ppuq_put64(struct ppuq_out *o, ppuq_u64 v)
{
	ppuq_put32(o, (unsigned int)v);
	ppuq_put32(o, (unsigned int)(v >> 32));
}

/* Stores the last word if the number of words is odd.  The block then has o->words words. */
PPUQ_FN void ppuq_flush(struct ppuq_out *o)
{
	if (o->words & 1)
		PPUQ_STORE(o->to + o->words / 2, o->half);
}

PPUQ_FN void ppuq_put_sem(struct ppuq_out *o, unsigned int header, ppuq_u64 word, ppuq_u64 value)
{
	ppuq_put32(o, header);
	ppuq_put64(o, word);
	ppuq_put64(o, value);
}

/* The command memory of an entry. */
PPUQ_FN struct ppuq_out ppuq_block(const struct ppu_queue *q, struct ppuq_place p)
{
	struct ppuq_out o;

	o.to = (ppuq_u64 *)(q->blocks + (ppuq_u64)p.index * q->block_bytes);
	o.half = 0;
	o.words = 0;
	return o;
}

/* Writes an entry that points to a block. */
PPUQ_FN void ppuq_point(const struct ppu_queue *q, struct ppuq_place p, ppuq_u64 va, unsigned int words)
{
	ppuq_u64 *e = ppuq_word(q->ring, p.index * (unsigned int)(sizeof(struct ppu_gpfifo_entry) / sizeof(*e)));

	PPUQ_STORE(e, va);
	PPUQ_STORE(e + 1, words);	/* the flags, above the length, are 0 */
}

/* The value for which the Acquire in an entry waits, and which a release of that Acquire stores (WQ-64). */
PPUQ_FN ppuq_u64 ppuq_generation(struct ppuq_place p)
{
	return p.lap + 1;
}

/* Step 458 (WQ-42): the last entry of a group.  Its block is one Acquire and nothing else. */
PPUQ_FN void ppuq_point_acquire(const struct ppu_queue *q, struct ppuq_place p)
{
	struct ppuq_out o = ppuq_block(q, p);
	ppuq_u64 va = (ppuq_u64)o.to;

	ppuq_put_sem(&o, PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE,
				     PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ)),
		     (ppuq_u64)ppuq_word(q->sems, p.index), ppuq_generation(p));
	ppuq_flush(&o);
	ppuq_point(q, p, va, o.words);
}

/* Step 470 (WQ-50): the terminator, a block that ends a launch. */
PPUQ_FN void ppuq_point_terminator(const struct ppu_queue *q, struct ppuq_place p)
{
	struct ppuq_out o = ppuq_block(q, p);
	ppuq_u64 va = (ppuq_u64)o.to;

	ppuq_put32(&o, PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0));
	ppuq_put_sem(&o, PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0), q->y, q->launch);
	ppuq_put_sem(&o, PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE,
				     PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ)), q->x, q->launch + 1);
	ppuq_flush(&o);
	ppuq_point(q, p, va, o.words);
}

/* Steps 464 and 466 (WQ-46, WQ-47).  After the fence all stores are visible, so the entry in front may let the host
 * pass.  That entry belongs to another group, or to the driver (then nobody waits for its element). */
PPUQ_FN void ppuq_release(const struct ppu_queue *q, struct ppuq_place first)
{
	struct ppuq_place before = ppuq_step(q, first, -1);

	PPUQ_FENCE();
	PPUQ_STORE(ppuq_word(q->sems, before.index), ppuq_generation(before));
}

/* ---- reserving ---- */

/* How many entries are kept for the terminator. */
PPUQ_FN unsigned int ppuq_spare(const struct ppu_queue *q)
{
	return q->flags & PPU_QUEUEF_SPARE ? 1 : 0;
}

/* The most entries that a group can have.  The host has one; another tells a full ring from an empty one (WQ-57). */
PPUQ_FN unsigned int ppuq_most(const struct ppu_queue *q)
{
	return q->count - 2 - ppuq_spare(q);
}

/*
 * Steps 460 and 462 (WQ-43, WQ-44, WQ-60).  A refused reservation is taken back, but only while it is the last one, so
 * the counter goes down in the reverse of the order in which it went up, and no number is given out twice.  While a
 * later thread's reservation is behind this one, this thread tries again.  The later thread may take its own back; or
 * it was accepted: then there is room for this reservation, too, which is in front of the accepted one.
 */
PPUQ_FN int ppuq_reserve(const struct ppu_queue *q, unsigned int entries, unsigned int spare, ppuq_u64 *first)
{
	ppuq_u64 *soft = ppuq_word(q->soft, 0), *shadow = ppuq_word(q->shadow, 0);
	ppuq_u64 old = PPUQ_ADD(soft, entries), end = old + entries;

	for (;;) {
		if (end + spare <= PPUQ_LOAD(shadow)) {
			*first = old;
			return PPU_QUEUE_OK;
		}
		if (PPUQ_CAS(soft, end, old) == end)
			return PPU_QUEUE_FULL;
	}
}

/* ---- the end of a launch ---- */

/* There is always room: groups leave an entry for the terminator (WQ-61).  A refusal is only temporary. */
PPUQ_FAR void ppuq_terminate(const struct ppu_queue *q)
{
	struct ppuq_place p;
	ppuq_u64 at;

	while (ppuq_reserve(q, 1, 0, &at) != PPU_QUEUE_OK)
		;
	p = ppuq_place(q, at);
	ppuq_point_terminator(q, p);
	ppuq_release(q, p);
}

PPUQ_FN ppuq_u64 *ppuq_gate(const struct ppu_queue *q)
{
	return &((struct ppu_queue_state *)q->state)->gate;
}

/* Of the threads that were inserting when the queue was closed, the last one to leave inserts the terminator.  So
 * no thread waits, and nothing comes behind the terminator (WQ-63). */
PPUQ_FN void ppuq_leave(const struct ppu_queue *q)
{
	ppuq_u64 *gate = ppuq_gate(q);

	if (PPUQ_ADD(gate, -1ull) == (PPU_GATE_CLOSED | 1) &&
	    PPUQ_CAS(gate, PPU_GATE_CLOSED, PPU_GATE_CLOSED | PPU_GATE_ENDED) == PPU_GATE_CLOSED)
		ppuq_terminate(q);
}

/* Returns 0 if the queue is closed. */
PPUQ_FN int ppuq_enter(const struct ppu_queue *q)
{
	ppuq_u64 *gate = ppuq_gate(q);

	if (PPUQ_LOAD(gate) & PPU_GATE_CLOSED)
		return 0;
	if (!(PPUQ_ADD(gate, 1) & PPU_GATE_CLOSED))
		return 1;
	ppuq_leave(q);
	return 0;
}

/* Step 468's "no more" (WQ-49, WQ-63).  Takes effect once for each launch, however many threads call this function. */
PPUQ_FN void ppuq_finish(const struct ppu_queue *q)
{
	ppuq_u64 *gate = ppuq_gate(q);

	if (PPUQ_LOAD(gate) & PPU_GATE_CLOSED)
		return;
	PPUQ_ADD(gate, 1);
	PPUQ_OR(gate, PPU_GATE_CLOSED);
	ppuq_leave(q);
}

/* Counts threads that may insert work.  To be called before the first of them can end ... */
PPUQ_FN void ppuq_threads_in(const struct ppu_queue *q, ppuq_u64 threads)
{
	PPUQ_ADD(&((struct ppu_queue_state *)q->state)->live, threads);
}

/* ... and this is called when one of them ends. */
PPUQ_FN void ppuq_thread_out(const struct ppu_queue *q)
{
	if (PPUQ_ADD(&((struct ppu_queue_state *)q->state)->live, -1ull) == 1 && q->flags & PPU_QUEUEF_AUTO)
		ppuq_finish(q);
}

/* ---- a group ---- */

/* Reserves n blocks and the Acquire behind them.  After PPU_QUEUE_OK, the caller points the n entries from *first
 * on to blocks, and then calls ppuq_end(). */
PPUQ_FN int ppuq_begin(const struct ppu_queue *q, unsigned int n, struct ppuq_place *first)
{
	ppuq_u64 at = 0;
	int err;

	if (!n)
		return PPU_QUEUE_BAD_VALUE;
	if (n >= ppuq_most(q))	/* before soft is touched (WQ-66) */
		return PPU_QUEUE_TOO_LARGE;
	if (!ppuq_enter(q))
		return PPU_QUEUE_CLOSED;
	err = ppuq_reserve(q, n + 1, ppuq_spare(q), &at);
	if (err)
		ppuq_leave(q);
	*first = ppuq_place(q, at);
	return err;
}

PPUQ_FN void ppuq_end(const struct ppu_queue *q, unsigned int n, struct ppuq_place first)
{
	ppuq_point_acquire(q, ppuq_step(q, first, n));
	ppuq_release(q, first);
	ppuq_leave(q);
}

/* Inserts a whole group of n blocks.  The blocks are written already. */
PPUQ_FN int ppuq_insert(const struct ppu_queue *q, const struct ppu_gpfifo_entry *blocks, unsigned int n)
{
	struct ppuq_place first;
	unsigned int i;
	int err = ppuq_begin(q, n, &first);

	if (err)
		return err;
	for (i = 0; i < n; i++)
		ppuq_point(q, ppuq_step(q, first, i), blocks[i].va, blocks[i].length);
	ppuq_end(q, n, first);
	return PPU_QUEUE_OK;
}

#endif
