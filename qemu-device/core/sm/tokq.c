/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The double-ended divergence token queue.  See tokq.h.
 */
#include "core/sm/tokq.h"

/* Other agents may write the memory at any time: every entry is read and written in one access. */
static uint64_t load(const struct ppu_tokq *q, int32_t i)
{
	return __atomic_load_n(&q->ent[i], __ATOMIC_RELAXED);
}

static void store(struct ppu_tokq *q, int32_t i, uint64_t token)
{
	__atomic_store_n(&q->ent[i], token, __ATOMIC_RELAXED);
}

/* The tracking bit of a type, 0 for types that have none (SIMT-24). */
static uint64_t track_bit(unsigned type)
{
	switch (type) {
	case PPU_REASON_SYNC:	return PPU_TOK_TRACK_SYNC;
	case PPU_REASON_DIV:	return PPU_TOK_TRACK_DIV;
	case PPU_REASON_CALL:	return PPU_TOK_TRACK_CALL;
	case PPU_REASON_YIELD:	return PPU_TOK_TRACK_YIELD;
	default:		return 0;
	}
}

void ppu_tokq_init(struct ppu_tokq *q, uint64_t *ent, uint32_t size)
{
	q->ent = ent;
	q->size = size;
	q->head = (int32_t)(size / 2);
	q->tail = q->head - 1;
}

enum ppu_tokq_room ppu_tokq_room(const struct ppu_tokq *q, enum ppu_tokq_side side, uint32_t n)
{
	uint32_t free_here = side == PPU_TOKQ_FRONT ? q->size - (uint32_t)q->head
						    : (uint32_t)(q->tail + 1);

	if (n <= free_here)
		return PPU_TOKQ_OK;
	return n <= q->size - ppu_tokq_count(q) ? PPU_TOKQ_RANGE : PPU_TOKQ_FULL;
}

uint64_t ppu_tokq_push_front(struct ppu_tokq *q, unsigned type, uint32_t mask, uint32_t addr)
{
	uint64_t token = PPU_TOK_MAKE(type, mask, addr);

	/* What is below the new token: the old top and all that is below it (SIMT-25). */
	if (ppu_tokq_count(q)) {
		uint64_t top = load(q, q->head - 1);

		token |= (top & PPU_TOK_TRACK_ALL) | track_bit(PPU_TOK_TYPE(top));
	}
	store(q, q->head++, token);
	return token;
}

uint64_t ppu_tokq_push_back(struct ppu_tokq *q, uint32_t mask, uint32_t addr)
{
	uint64_t token = PPU_TOK_MAKE(PPU_REASON_YIELD, mask, addr);
	int32_t i;

	/* A yield token is now below every other token (SIMT-27).  If one was there before, all
	 * tokens above that one have the bit already. */
	for (i = q->tail + 1; i < q->head; i++) {
		uint64_t above = load(q, i);

		store(q, i, above | PPU_TOK_TRACK_YIELD);
		if (PPU_TOK_TYPE(above) == PPU_REASON_YIELD)
			break;
	}
	store(q, q->tail--, token);
	return token;
}

bool ppu_tokq_merge(struct ppu_tokq *q, uint32_t mask, uint32_t addr, uint64_t *token)
{
	int32_t i;

	for (i = q->tail + 1; i < q->head; i++) {
		uint64_t t = load(q, i);

		if (PPU_TOK_TYPE(t) != PPU_REASON_YIELD)
			break;		/* the LIFO part begins (SIMT-33) */
		if (PPU_TOK_ADDR(t) == addr) {
			*token = t | (uint64_t)mask << 4;
			store(q, i, *token);
			return true;
		}
	}
	return false;
}

bool ppu_tokq_peek(const struct ppu_tokq *q, uint64_t *token)
{
	if (!ppu_tokq_count(q))
		return false;
	*token = load(q, q->head - 1);
	return true;
}

bool ppu_tokq_pop(struct ppu_tokq *q, uint64_t *token)
{
	if (!ppu_tokq_peek(q, token))
		return false;
	q->head--;
	return true;
}

bool ppu_tokq_holds(const struct ppu_tokq *q, unsigned type)
{
	uint64_t top, bit = track_bit(type);
	int32_t i;

	if (!ppu_tokq_peek(q, &top))
		return false;
	if (PPU_TOK_TYPE(top) == type)
		return true;
	if (bit)
		return top & bit;
	for (i = q->head - 2; i > q->tail; i--)
		if (PPU_TOK_TYPE(load(q, i)) == type)
			return true;
	return false;
}

bool ppu_tokq_find(const struct ppu_tokq *q, unsigned type, uint32_t addr, uint32_t lanes)
{
	int32_t i;

	if (track_bit(type) && !ppu_tokq_holds(q, type))
		return false;
	for (i = q->head - 1; i > q->tail; i--) {
		uint64_t t = load(q, i);

		if (PPU_TOK_TYPE(t) == type && PPU_TOK_ADDR(t) == addr && !(lanes & ~PPU_TOK_MASK(t)))
			return true;
	}
	return false;
}

bool ppu_tokq_find_any(const struct ppu_tokq *q, unsigned type, uint32_t lanes, uint32_t *addr)
{
	int32_t i;

	for (i = q->head - 1; i > q->tail; i--) {
		uint64_t t = load(q, i);

		if (PPU_TOK_TYPE(t) == type && !(lanes & ~PPU_TOK_MASK(t))) {
			*addr = PPU_TOK_ADDR(t);
			return true;
		}
	}
	return false;
}

void ppu_tokq_recentre(struct ppu_tokq *q, enum ppu_tokq_side side, uint32_t need)
{
	int32_t n = (int32_t)ppu_tokq_count(q), size = (int32_t)q->size, i;
	int32_t from = q->tail + 1, to = (size - n) / 2;

	if (side == PPU_TOKQ_FRONT && size - to - n < (int32_t)need)
		to = size - n - (int32_t)need;
	if (side == PPU_TOKQ_BACK && to < (int32_t)need)
		to = (int32_t)need;
	if (to < from)
		for (i = 0; i < n; i++)
			store(q, to + i, load(q, from + i));
	else
		for (i = n - 1; i >= 0; i--)
			store(q, to + i, load(q, from + i));
	q->tail = to - 1;
	q->head = to + n;
}

bool ppu_tokq_place(struct ppu_tokq *q, uint32_t head, int32_t tail)
{
	if (head > q->size || tail < -1 || (int64_t)head - tail - 1 != (int64_t)ppu_tokq_count(q))
		return false;
	q->head = (int32_t)head;
	q->tail = tail;
	return true;
}
