/* SPDX-License-Identifier: MIT */
/*
 * Lab 10: the token queue (tokq.h) alone, in four groups of tests.  A group prints "end done", or, at the first
 * difference "end wrong" and a sentence.
 */
#include <stdio.h>
#include <string.h>
#include "labends.h"
#include "machine.h"
#include "core/sm/tokq.h"

#define MAX	256
#define GUARD	0x5a5a5a5a5a5a5a5aull

/* The queue's memory, with a word on either side that the queue must not write. */
static uint64_t mem[MAX + 2];
static struct ppu_tokq q;

static void init(uint32_t size)
{
	memset(mem, 0, sizeof(mem));
	mem[0] = mem[size + 1] = GUARD;
	ppu_tokq_init(&q, mem + 1, size);
}

static uint64_t entry(int i)
{
	return mem[1 + i];
}

static void expect_at(const char *after, int head, int tail)
{
	EXPECT(q.head == head && q.tail == tail, "after %s head is %d and tail %d, they should be %d and %d", after,
	       q.head, q.tail, head, tail);
	EXPECT(mem[0] == GUARD && mem[q.size + 1] == GUARD, "after %s memory outside the queue has changed", after);
}

static void expect_pop(const char *after, uint64_t want)
{
	uint64_t got = 0;

	EXPECT(ppu_tokq_pop(&q, &got), "after %s ppu_tokq_pop() says the queue is empty", after);
	EXPECT((got & ~PPU_TOK_TRACK_ALL) == want, "after %s ppu_tokq_pop() gives token %llx, it should be %llx", after,
	       (unsigned long long)(got & ~PPU_TOK_TRACK_ALL), (unsigned long long)want);
}

/* ---- order ---------------------------------------------------------------------------------------- */

static void front_is_lifo(void)
{
	uint64_t t;

	init(256);
	expect_at("ppu_tokq_init() of 256 entries", 128, 127);
	EXPECT(!ppu_tokq_pop(&q, &t) && !ppu_tokq_peek(&q, &t), "a new queue is not empty: it gives a token");
	for (unsigned i = 0; i < 5; i++)
		ppu_tokq_push_front(&q, PPU_REASON_BRK, 1u << i, i);
	expect_at("5 front pushes", 133, 127);
	for (int i = 0; i < 5; i++)
		EXPECT(entry(128 + i) == PPU_TOK_MAKE(PPU_REASON_BRK, 1u << i, i),
		       "after 5 front pushes entry %d is %llx, it should be %llx", 128 + i,
		       (unsigned long long)entry(128 + i), (unsigned long long)PPU_TOK_MAKE(PPU_REASON_BRK, 1u << i, i));
	EXPECT(ppu_tokq_peek(&q, &t) && PPU_TOK_ADDR(t) == 4 && q.head == 133,
	       "ppu_tokq_peek() gives the front token and leaves it there");
	for (unsigned i = 5; i--;)
		expect_pop("5 front pushes", PPU_TOK_MAKE(PPU_REASON_BRK, 1u << i, i));
	expect_at("5 pushes and 5 pops", 128, 127);
	EXPECT(!ppu_tokq_pop(&q, &t), "after 5 pushes and 5 pops the queue still gives a token");
}

static void back_is_fifo(void)
{
	init(256);
	ppu_tokq_push_back(&q, 0xf, 9);
	expect_at("one back push", 128, 126);
	EXPECT(entry(127) == PPU_TOK_MAKE(PPU_REASON_YIELD, 0xf, 9), "one back push wrote %llx at entry 127",
	       (unsigned long long)entry(127));
	ppu_tokq_push_back(&q, 0xf0, 10);
	ppu_tokq_push_front(&q, PPU_REASON_SYNC, 0xff, 11);
	expect_at("two back pushes and a front push", 129, 125);
	expect_pop("two back pushes and a front push", PPU_TOK_MAKE(PPU_REASON_SYNC, 0xff, 11));
	expect_pop("two back pushes, the first one's turn,", PPU_TOK_MAKE(PPU_REASON_YIELD, 0xf, 9));
	expect_pop("two back pushes, the second one's turn,", PPU_TOK_MAKE(PPU_REASON_YIELD, 0xf0, 10));
}

static const char *room_name(enum ppu_tokq_room r)
{
	return r == PPU_TOKQ_OK ? "OK" : r == PPU_TOKQ_RANGE ? "RANGE" : r == PPU_TOKQ_FULL ? "FULL" : "no such value";
}

static void expect_room(const char *when, enum ppu_tokq_side side, uint32_t n, enum ppu_tokq_room want)
{
	enum ppu_tokq_room got = ppu_tokq_room(&q, side, n);

	EXPECT(got == want, "%s ppu_tokq_room(%s, %u) says %s, it should say %s", when,
	       side == PPU_TOKQ_FRONT ? "FRONT" : "BACK", n, room_name(got), room_name(want));
}

static void room(void)
{
	init(8);
	expect_room("in an empty queue of 8", PPU_TOKQ_FRONT, 4, PPU_TOKQ_OK);
	expect_room("in an empty queue of 8", PPU_TOKQ_BACK, 4, PPU_TOKQ_OK);
	expect_room("in an empty queue of 8", PPU_TOKQ_FRONT, 5, PPU_TOKQ_RANGE);
	expect_room("in an empty queue of 8", PPU_TOKQ_BACK, 9, PPU_TOKQ_FULL);
	for (unsigned i = 0; i < 4; i++)
		ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, i);
	expect_room("with 4 tokens in entries 4..7 of 8", PPU_TOKQ_FRONT, 1, PPU_TOKQ_RANGE);
	expect_room("with 4 tokens in entries 4..7 of 8", PPU_TOKQ_BACK, 4, PPU_TOKQ_OK);
	expect_room("with 4 tokens in entries 4..7 of 8", PPU_TOKQ_FRONT, 5, PPU_TOKQ_FULL);
	for (unsigned i = 0; i < 4; i++)
		ppu_tokq_push_back(&q, 1, i);
	expect_at("4 pushes on each side of 8 entries", 8, -1);
	expect_room("in a full queue", PPU_TOKQ_FRONT, 1, PPU_TOKQ_FULL);
	expect_room("in a full queue", PPU_TOKQ_BACK, 1, PPU_TOKQ_FULL);
	expect_room("in a full queue", PPU_TOKQ_BACK, 0, PPU_TOKQ_OK);
}

/* ---- tracking bits ---------------------------------------------------------------------------------- */

static void expect_nibbles(const char *when, int first, const unsigned *want, int n)
{
	for (int i = 0; i < n; i++)
		EXPECT((entry(first + i) >> 58 & 0xf) == want[i],
		       "%s the tracking bits of entry %d are %llx, they should be %x", when, first + i,
		       (unsigned long long)(entry(first + i) >> 58 & 0xf), want[i]);
}

static void tracking_bits(void)
{
	static const unsigned types[5] = { PPU_REASON_SYNC, PPU_REASON_DIV, PPU_REASON_CALL,
					   PPU_REASON_SYNC, PPU_REASON_DIV };
	static const unsigned before[5] = { 0, 1, 3, 7, 7 }, after[6] = { 0, 8, 9, 0xb, 0xf, 0xf };
	static const unsigned third[7] = { 0, 8, 8, 9, 0xb, 0xf, 0xf };
	uint64_t t;

	init(256);
	for (unsigned i = 0; i < 5; i++)
		t = ppu_tokq_push_front(&q, types[i], 0xff, 10 + i);
	expect_nibbles("after pushes of sync, div, call, sync, div", 128, before, 5);
	EXPECT(t == entry(132), "ppu_tokq_push_front() returns %llx, but wrote %llx", (unsigned long long)t,
	       (unsigned long long)entry(132));
	ppu_tokq_push_back(&q, 1, 3);
	expect_nibbles("after five front pushes and a yield", 127, after, 6);
	ppu_tokq_push_back(&q, 2, 4);
	expect_nibbles("after five front pushes and two yields", 126, third, 7);
	ppu_tokq_pop(&q, &t);
	ppu_tokq_pop(&q, &t);
	ppu_tokq_push_front(&q, PPU_REASON_BRK, 1, 9);
	EXPECT((entry(131) >> 58 & 0xf) == 0xf, "a brk token pushed on a call token has tracking bits %llx, not f",
	       (unsigned long long)(entry(131) >> 58 & 0xf));
}

static void holds(void)
{
	static const struct { unsigned type; bool want; } cases[] = {
		{ PPU_REASON_SYNC, true }, { PPU_REASON_DIV, false }, { PPU_REASON_CALL, true },
		{ PPU_REASON_YIELD, true }, { PPU_REASON_BRK, true }, { PPU_REASON_CONT, false },
		{ PPU_REASON_USER9, true },
	};

	init(16);
	EXPECT(!ppu_tokq_holds(&q, PPU_REASON_SYNC), "ppu_tokq_holds() finds a sync token in an empty queue");
	ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, 1);
	ppu_tokq_push_front(&q, PPU_REASON_BRK, 1, 1);
	ppu_tokq_push_front(&q, PPU_REASON_CALL, 1, 1);
	ppu_tokq_push_front(&q, PPU_REASON_USER9, 1, 1);
	ppu_tokq_push_back(&q, 1, 1);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EXPECT(ppu_tokq_holds(&q, cases[i].type) == cases[i].want,
		       "with sync, brk, call, r9 and a yield in the queue ppu_tokq_holds(%u) says %s", cases[i].type,
		       cases[i].want ? "no" : "yes");
	/* The bits exist so that the top token alone gives the answer; the other tokens must not be read. */
	mem[1 + 8] = PPU_TOK_MAKE(PPU_REASON_DIV, 1, 1);
	EXPECT(ppu_tokq_holds(&q, PPU_REASON_SYNC) && !ppu_tokq_holds(&q, PPU_REASON_DIV),
	       "ppu_tokq_holds() reads more than the top token for types that have a tracking bit");
}

/* ---- merge and find ----------------------------------------------------------------------------------- */

static void merge(void)
{
	uint64_t t = 0;

	init(16);
	EXPECT(!ppu_tokq_merge(&q, 4, 100, &t), "ppu_tokq_merge() merges into an empty queue");
	ppu_tokq_push_back(&q, 1, 100);
	ppu_tokq_push_back(&q, 2, 200);
	EXPECT(!ppu_tokq_merge(&q, 4, 300, &t), "ppu_tokq_merge() merges into a token of another address");
	EXPECT(ppu_tokq_merge(&q, 4, 100, &t), "ppu_tokq_merge() does not find the waiting yield token of its address");
	EXPECT(t == entry(7) && PPU_TOK_MASK(t) == 5, "lane 2 merged into {1, 100}: the token is %llx, its mask should be 5",
	       (unsigned long long)t);
	EXPECT(ppu_tokq_count(&q) == 2, "a merge changes the number of tokens from 2 to %u", ppu_tokq_count(&q));
	expect_pop("a merge into the older of two tokens", PPU_TOK_MAKE(PPU_REASON_YIELD, 5, 100));
	expect_pop("a merge into the older of two tokens", PPU_TOK_MAKE(PPU_REASON_YIELD, 2, 200));
	init(16);
	ppu_tokq_push_front(&q, PPU_REASON_SYNC, 1, 100);
	EXPECT(!ppu_tokq_merge(&q, 4, 100, &t), "ppu_tokq_merge() merges into a sync token: only yield tokens merge");
	ppu_tokq_push_back(&q, 2, 200);
	EXPECT(ppu_tokq_merge(&q, 4, 200, &t), "ppu_tokq_merge() does not find a yield token below a sync token");
}

static void find(void)
{
	uint32_t addr = 0;

	init(16);
	ppu_tokq_push_front(&q, PPU_REASON_SYNC, 0xff, 10);
	ppu_tokq_push_front(&q, PPU_REASON_EXIT, 0x0f, 20);
	ppu_tokq_push_front(&q, PPU_REASON_EXIT, 0x03, 30);
	ppu_tokq_push_front(&q, PPU_REASON_BRK, 0xff, 10);
	EXPECT(ppu_tokq_find(&q, PPU_REASON_SYNC, 10, 0xf0), "ppu_tokq_find() does not find {sync, ff, 10} for lanes f0");
	EXPECT(!ppu_tokq_find(&q, PPU_REASON_SYNC, 11, 0xf0), "ppu_tokq_find() takes a token of another address");
	EXPECT(!ppu_tokq_find(&q, PPU_REASON_SYNC, 10, 0x1ff),
	       "ppu_tokq_find() takes a token whose mask lacks an executing lane");
	EXPECT(!ppu_tokq_find(&q, PPU_REASON_CONT, 10, 1), "ppu_tokq_find() takes a token of another type");
	EXPECT(ppu_tokq_find(&q, PPU_REASON_BRK, 10, 1), "ppu_tokq_find() does not find {brk, ff, 10}");
	EXPECT(ppu_tokq_find_any(&q, PPU_REASON_EXIT, 0x02, &addr) && addr == 30,
	       "ppu_tokq_find_any() for lane 1 gives address %u, the topmost exit token's is 30", addr);
	EXPECT(ppu_tokq_find_any(&q, PPU_REASON_EXIT, 0x06, &addr) && addr == 20,
	       "ppu_tokq_find_any() for lanes 1 and 2 gives address %u, it should be 20", addr);
	EXPECT(!ppu_tokq_find_any(&q, PPU_REASON_EXIT, 0x10, &addr), "ppu_tokq_find_any() takes a token without the lane");
}

/* ---- recentring ----------------------------------------------------------------------------------------- */

/* n tokens from entry `first` on, as a guest's queue may hold them; addresses 1, 2, ... from the rear. */
static void fill(uint32_t size, int first, uint32_t n)
{
	init(size);
	q.tail = first - 1;
	q.head = first + (int)n;
	for (uint32_t i = 0; i < n; i++)
		mem[1 + first + i] = PPU_TOK_MAKE(PPU_REASON_LONGJMP, 1, i + 1);
}

static void expect_moved(uint32_t size, int first, uint32_t n, enum ppu_tokq_side side, uint32_t need, int to)
{
	char when[128];

	fill(size, first, n);
	ppu_tokq_recentre(&q, side, need);
	snprintf(when, sizeof(when), "recentring %u token%s from entry %d of %u for %u more at the %s", n,
		 n == 1 ? "" : "s", first, size, need, side == PPU_TOKQ_FRONT ? "front" : "back");
	expect_at(when, to + (int)n, to - 1);
	for (uint32_t i = 0; i < n; i++)
		EXPECT(entry(to + (int)i) == PPU_TOK_MAKE(PPU_REASON_LONGJMP, 1, i + 1),
		       "%s: entry %d is %llx, it should be token %u from the rear", when, to + (int)i,
		       (unsigned long long)entry(to + (int)i), i + 1);
}

static void recentre(void)
{
	expect_moved(256, 0, 2, PPU_TOKQ_BACK, 1, 127);
	expect_moved(256, 128, 128, PPU_TOKQ_FRONT, 1, 64);
	expect_moved(256, 0, 200, PPU_TOKQ_BACK, 1, 28);	/* source and destination overlap */
	expect_moved(256, 56, 200, PPU_TOKQ_FRONT, 1, 28);
	expect_moved(5, 3, 2, PPU_TOKQ_FRONT, 1, 1);		/* the division rounds down */
	expect_moved(8, 1, 7, PPU_TOKQ_FRONT, 1, 0);		/* there is one free entry, where it is needed */
	expect_moved(8, 0, 7, PPU_TOKQ_BACK, 1, 1);
	expect_moved(33, 16, 1, PPU_TOKQ_FRONT, 31, 1);
	expect_moved(16, 8, 4, PPU_TOKQ_BACK, 10, 10);
	expect_moved(16, 4, 4, PPU_TOKQ_FRONT, 12, 0);
}

bool queue_check(const char *group)
{
	if (!strcmp(group, "order")) {
		front_is_lifo();
		back_is_fifo();
		room();
	} else if (!strcmp(group, "tracking")) {
		tracking_bits();
		holds();
	} else if (!strcmp(group, "merge")) {
		merge();
		find();
	} else if (!strcmp(group, "recentre")) {
		recentre();
	} else {
		return false;
	}
	printf("end done\n");
	return true;
}
