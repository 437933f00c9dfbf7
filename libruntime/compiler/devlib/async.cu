/* SPDX-License-Identifier: MIT */
/*
 * mbarrier objects and bulk copies: the compiler calls these (compiler/ptx/lower/px_low_async.c).
 *
 * An object is a 64-bit word: arrivals pending (20 bits), arrivals a phase needs (20), bytes that are
 * still to come (22, signed), not used (1), the phase (1).  When nothing is pending and no bytes are
 * to come, the phase changes and the arrivals start again.  An arrival returns the word as it was
 * before the arrival.
 */
#include "compiler/devabi/dev.h"

#define COUNT_BITS	20
#define COUNT_MASK	((1ull << COUNT_BITS) - 1)
#define NEEDED_SHIFT	COUNT_BITS
#define TX_SHIFT	(2 * COUNT_BITS)
#define TX_MASK		((1ull << 22) - 1)
#define PHASE		(1ull << 63)

DEV u64 cas(u64 *p, u64 old, u64 v)
{
	u64 r;

	asm volatile("atom.cas.b64 %0, [%1], %2, %3;" : "=l"(r) : "l"(p), "l"(old), "l"(v) : "memory");
	return r;
}

DEV u64 load(const u64 *p)
{
	u64 v;

	asm volatile("ld.volatile.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

DEV void order()
{
	asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

LIBRARY u64 __ppu_mbarrier_init(u64 *object, u32 count)
{
	*(volatile u64 *)object = (count & COUNT_MASK) | (count & COUNT_MASK) << NEEDED_SHIFT;
	return 0;
}

LIBRARY u64 __ppu_mbarrier_arrive(u64 *object, u32 count, u32 drop, u32 tx)
{
	u64 old, seen = load(object);

	order();
	do {
		u64 pending, needed, bytes, v;

		old = seen;
		pending = (old - count) & COUNT_MASK;
		needed = ((old >> NEEDED_SHIFT) - drop) & COUNT_MASK;
		bytes = ((old >> TX_SHIFT) + (u64)(long long)(int)tx) & TX_MASK;
		v = old & PHASE;
		if (!pending && !bytes) {
			v ^= PHASE;
			pending = needed;
		}
		v |= pending | needed << NEEDED_SHIFT | bytes << TX_SHIFT;
		seen = cas(object, old, v);
	} while (seen != old);
	return old;
}

/* Is the phase with this parity over? */
LIBRARY u64 __ppu_mbarrier_test(u64 *object, u32 parity)
{
	u64 now = load(object);

	order();
	return (now >> 63) != (parity & 1);
}

struct __attribute__((aligned(16))) quad {
	u32 v[4];
};

LIBRARY u64 __ppu_copy16(void *to, const void *from, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes / 16; i++)
		((struct quad *)to)[i] = ((const struct quad *)from)[i];
	order();
	return 0;
}

/* The same to this place in the shared memory of each CTA of the mask; its object there gets the bytes. */
LIBRARY u64 __ppu_multicast16(void *to, const void *from, u32 bytes, u64 *object, u32 mask)
{
	u64 rank;

	for (rank = 0; rank < 16; rank++) {
		u64 where = (rank + 1) << 24, cta = 0xffull << 24;

		if (!(mask >> rank & 1))
			continue;
		__ppu_copy16((void *)(((u64)to & ~cta) | where), from, bytes);
		__ppu_mbarrier_arrive((u64 *)(((u64)object & ~cta) | where), 0, 0, -bytes);
	}
	return 0;
}
