/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Device-owned work queues: what the driver lays out in device memory, the values it starts with, and
 * the arithmetic of a ring that driver, library and threads on the GPU share.
 *
 * A queue of `count` entries is one object in VRAM, mapped by the driver at addresses nobody else can
 * map or unmap, readable and writable for SM threads (never GP_GET and GP_PUT: those are in BAR0):
 *
 *   ring      struct ppu_gpfifo_entry[count]   written by threads, read by the host interface
 *   soft      u64, entries reserved so far     fetched-and-added by threads
 *   shadow    u64, one past the last entry     written by the device's refresh, read by threads
 *             that may be reserved
 *   start     5 words: SEM_ACQUIRE X == 1      written by the driver: what entry GP_GET points to
 *   X, Y      u64 each, with a time stamp      X: released by the CPU's channel, awaited by the queue;
 *             slot (u64) behind it             Y: the other way round
 *   sems      u64[count], one for each entry   released by threads, awaited by the queue
 *
 * soft and shadow count entries since the queue was made and never wrap; the entry is the counter
 * modulo count.  Words that somebody awaits (X, Y, sems) lie in other pages than the counters soft and shadow.
 *
 * Plain C without headers of any system, for compilers of the GPU's side, too.
 */
#ifndef PPU_HW_DEVQ_H
#define PPU_HW_DEVQ_H

#define PPU_DEVQ_MIN_ENTRIES	3
#define PPU_DEVQ_ENTRY_BYTES	16	/* sizeof(struct ppu_gpfifo_entry) */
#define PPU_DEVQ_SEM_BYTES	8
#define PPU_DEVQ_LINE		64	/* soft and shadow do not share a line */
#define PPU_DEVQ_PAGE		4096
#define PPU_DEVQ_FIRST_X	1	/* X of launch n is n, from 1 (WQ-64) */

/* Byte offsets in the object; the ring is at 0. */
struct ppu_devq_layout {
	unsigned long long soft, shadow, start, x, y, sems, bytes;
};

#define PPU_DEVQ_ALIGN(v, a)	(((v) + (a) - 1) & ~((a) - 1ull))

static inline struct ppu_devq_layout ppu_devq_layout(unsigned int count)
{
	struct ppu_devq_layout l;

	l.soft = PPU_DEVQ_ALIGN((unsigned long long)count * PPU_DEVQ_ENTRY_BYTES, PPU_DEVQ_LINE);
	l.shadow = l.soft + PPU_DEVQ_LINE;
	l.start = l.shadow + PPU_DEVQ_LINE;
	l.x = PPU_DEVQ_ALIGN(l.start + PPU_DEVQ_LINE, PPU_DEVQ_PAGE);
	l.y = l.x + PPU_DEVQ_LINE;
	l.sems = l.y + PPU_DEVQ_LINE;
	l.bytes = PPU_DEVQ_ALIGN(l.sems + (unsigned long long)count * PPU_DEVQ_SEM_BYTES,
				 PPU_DEVQ_PAGE);
	return l;
}

/*
 * wrap() of methods 400 and 450 has two forms.  Form 1, any count: corrects one lap only, for
 * -count <= x < 2 * count (WQ-53).  Form 2, count a power of two, given as its logarithm: any x (WQ-54).
 * Whoever calls form 1 asserts its range.  What an assertion is, is said by whoever includes this file.
 */
#ifndef PPU_WRAP_ASSERT
#define PPU_WRAP_ASSERT(holds)	((void)0)
#endif

static inline int ppu_wrap_any_valid(long long x, unsigned int count)
{
	return x >= -(long long)count && x < 2ll * count;
}

static inline long long ppu_wrap_any(long long x, unsigned int count)
{
	if (x < 0)
		return x + count;
	return x >= (long long)count ? x - count : x;
}

static inline long long ppu_wrap_pow2(long long x, unsigned int log2)
{
	return x & ((1ll << log2) - 1);
}

/* log2(count), or -1 when it is not a power of two. */
static inline int ppu_wrap_log2(unsigned int count)
{
	int n = 0;

	if (!count || count & (count - 1))
		return -1;
	while (count >>= 1)
		n++;
	return n;
}

/* Chooses the form by count (WQ-55). x must be in the range of form 1. */
static inline unsigned int ppu_wrap(long long x, unsigned int count)
{
	int log2 = ppu_wrap_log2(count);

	PPU_WRAP_ASSERT(log2 >= 0 || ppu_wrap_any_valid(x, count));
	return (unsigned int)(log2 < 0 ? ppu_wrap_any(x, count) : ppu_wrap_pow2(x, (unsigned int)log2));
}

/* What a queue starts with when GP_GET is `get` (steps 410 and 412: WQ-32..WQ-34). */
static inline unsigned int ppu_devq_first_put(unsigned int get, unsigned int count)
{
	return ppu_wrap((long long)get - 1, count);
}

static inline unsigned long long ppu_devq_first_soft(unsigned int get)
{
	return get + 1ull;
}

static inline unsigned long long ppu_devq_first_shadow(unsigned int get, unsigned int count)
{
	return (unsigned long long)get + count - 1;
}

#endif
