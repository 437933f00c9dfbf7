/* SPDX-License-Identifier: MIT */
/*
 * malloc and free.  Blocks are powers of two with a header of 16 bytes; free ones are kept in a
 * list per size.  There are no locks: lanes of one warp may be anywhere in this code, in any order.
 */
#include "compiler/devabi/dev.h"

extern "C" {
__attribute__((device, weak)) struct ppu_heap_state *__ppu_heap;
}

#define HEADER		16u
#define MIN_CLASS	5u
#define USED		0x75736564u
#define FREE		0x66726565u
#define COUNT_STEP	(1ull << 40)	/* list heads: offset / 16 below, changes above */
#define OFFSET_MASK	(COUNT_STEP - 1)

struct block {
	u32 state, cls;
	u64 next;	/* in a list: offset / 16 */
};

DEV struct block *pop(struct ppu_heap_state *h, u32 cls)
{
	u64 old = load_now(&h->head[cls]), seen;

	while (old & OFFSET_MASK) {
		struct block *b = (struct block *)((u8 *)h + (old & OFFSET_MASK) * 16);
		/* another thread may have taken b by now: then the count has changed and the swap fails */
		u64 next = load_now(&b->next) & OFFSET_MASK;

		seen = atom_cas(&h->head[cls], old, ((old & ~OFFSET_MASK) + COUNT_STEP) | next);
		if (seen == old)
			return b;
		old = seen;
	}
	return 0;
}

DEV struct block *carve(struct ppu_heap_state *h, u64 bytes)
{
	u64 old = load_now(&h->top), seen;

	while (old + bytes <= h->end) {
		seen = atom_cas(&h->top, old, old + bytes);
		if (seen == old)
			return (struct block *)((u8 *)h + old);
		old = seen;
	}
	return 0;
}

LIBRARY void *malloc(u64 bytes)
{
	struct ppu_heap_state *h = __ppu_heap;
	struct block *b = 0;
	u32 cls = MIN_CLASS, k;

	if (!h || !bytes || bytes > h->end)
		return 0;
	while ((1ull << cls) < bytes + HEADER)
		cls++;
	b = pop(h, cls);
	if (!b) {
		b = carve(h, 1ull << cls);
		if (b)
			b->cls = cls;
	}
	for (k = cls + 1; !b && k < PPU_HEAP_CLASSES; k++)	/* better a large block than none */
		b = pop(h, k);
	if (!b)
		return 0;
	b->state = USED;
	return (u8 *)b + HEADER;
}

LIBRARY void free(void *p)
{
	struct ppu_heap_state *h = __ppu_heap;
	struct block *b = (struct block *)((u8 *)p - HEADER);
	u64 old, seen;

	if (!p)
		return;
	/* p is not from malloc, or was freed before: an error of the program that is best seen at once */
	if (!h || (u8 *)b < (u8 *)(h + 1) || (u8 *)b >= (u8 *)h + h->end || ((u64)p & 15) ||
	    atom_exch32(&b->state, FREE) != USED)
		__builtin_trap();
	old = load_now(&h->head[b->cls]);
	for (;;) {
		*(volatile u64 *)&b->next = old & OFFSET_MASK;
		fence();
		seen = atom_cas(&h->head[b->cls], old, ((old & ~OFFSET_MASK) + COUNT_STEP) | (u64)((u8 *)b - (u8 *)h) / 16);
		if (seen == old)
			return;
		old = seen;
	}
}
