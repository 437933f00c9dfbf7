/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The double-ended token queue of one warp (SIMT-20..SIMT-35, SIMT-52..SIMT-55): the only memory
 * the device has of lanes that wait.
 *
 * Entries are 64-bit tokens in VRAM, so anybody who has the area mapped can read and write them.
 * This unit never trusts an entry: it copies tokens, and only ppu_tokq_token_ok() tells the caller
 * whether a copy makes sense.  Head and tail are device registers, not memory.
 *
 *      0        tail  tail+1                     head-1  head           size
 *      | free ... |  oldest yield is  ...  ...   | top    | free ...     |
 *                   nearest to the front
 *
 * head: where the next front push writes.  tail: where the next back push writes.  The queue holds
 * head - tail - 1 tokens and is empty when tail == head - 1.  Front pushes and pops work on head
 * (LIFO), back pushes on tail; everything comes off the front.
 *
 * The unit knows nothing of lanes, reasons and program counters beyond what a token says.
 */
#ifndef PPU_TOKQ_H
#define PPU_TOKQ_H

#include <stdbool.h>
#include <stdint.h>
#include <hw/ppu_isa.h>

struct ppu_tokq {
	uint64_t *ent;		/* size entries */
	uint32_t size;
	int32_t head, tail;
};

enum ppu_tokq_side { PPU_TOKQ_FRONT, PPU_TOKQ_BACK };
enum ppu_tokq_room {
	PPU_TOKQ_OK,		/* the pushes fit */
	PPU_TOKQ_RANGE,		/* head or tail would leave the range: recentre, then retry (SIMT-52) */
	PPU_TOKQ_FULL,		/* more tokens than entries: fatal (SIMT-55) */
};

/* Empty, head in the middle (SIMT-30). */
void ppu_tokq_init(struct ppu_tokq *q, uint64_t *ent, uint32_t size);

static inline uint32_t ppu_tokq_count(const struct ppu_tokq *q)
{
	return (uint32_t)(q->head - q->tail - 1);
}
/* Head and tail in one word, as trace events carry them. */
static inline uint64_t ppu_tokq_head_tail(const struct ppu_tokq *q)
{
	return (uint32_t)q->head | (uint64_t)(uint32_t)q->tail << 32;
}

/* Is there room for n pushes at a side? */
enum ppu_tokq_room ppu_tokq_room(const struct ppu_tokq *q, enum ppu_tokq_side side, uint32_t n);
/* Pushes; the caller has seen PPU_TOKQ_OK.  They return the token with its tracking bits. */
uint64_t ppu_tokq_push_front(struct ppu_tokq *q, unsigned type, uint32_t mask, uint32_t addr);
uint64_t ppu_tokq_push_back(struct ppu_tokq *q, uint32_t mask, uint32_t addr);
/* OR mask into the waiting yield token of that address, which keeps its place (SIMT-40, SIMT-41).
 * False: there is none. */
bool ppu_tokq_merge(struct ppu_tokq *q, uint32_t mask, uint32_t addr, uint64_t *token);
/* Front token without and with removal; false: the queue is empty. */
bool ppu_tokq_peek(const struct ppu_tokq *q, uint64_t *token);
bool ppu_tokq_pop(struct ppu_tokq *q, uint64_t *token);

/*
 * Is a token of this type in the queue?  For types with a tracking bit answered from the top token
 * alone (SIMT-26), for the others by a scan.
 */
bool ppu_tokq_holds(const struct ppu_tokq *q, unsigned type);
/*
 * The corresponding token of an instruction (A-SIMT-8): this type, this address, and a mask that
 * contains the executing lanes.
 */
bool ppu_tokq_find(const struct ppu_tokq *q, unsigned type, uint32_t addr, uint32_t lanes);
/* The same for EXIT, which has no address: the topmost one; *addr is its address. */
bool ppu_tokq_find_any(const struct ppu_tokq *q, unsigned type, uint32_t lanes, uint32_t *addr);

/*
 * The recentring routine (SIMT-53): the tokens move, in order, so that the rear-most one is at
 * entry floor((size - n) / 2).  When that leaves less than `need` free entries at `side`, they are
 * placed just far enough the other way; n + need <= size.
 */
void ppu_tokq_recentre(struct ppu_tokq *q, enum ppu_tokq_side side, uint32_t need);
/* A driver moved the tokens itself: take its head and tail if they are possible. */
bool ppu_tokq_place(struct ppu_tokq *q, uint32_t head, int32_t tail);

/* A popped token of a warp with these lanes running a program of n instructions. */
static inline bool ppu_tokq_token_ok(uint64_t token, uint32_t lanes, uint32_t n)
{
	uint32_t mask = PPU_TOK_MASK(token);

	return !(token & PPU_TOK_RESERVED) && mask && !(mask & ~lanes) && PPU_TOK_ADDR(token) < n;
}

#endif
