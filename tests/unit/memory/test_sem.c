/* SPDX-License-Identifier: MIT */
/* Semaphores and the watch table: WQ-13..WQ-17, WQ-76, CP-13, CP-16, HW-14. */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"

#define LO 0xffffffffull

/* Every operation, both widths, against its definition: does an acquire pass at once? */
START_TEST(operations)
{
	static const uint64_t v[] = { 0, 1, 2, 5, 0x7fffffff, 0x80000000, LO, LO + 1, 1ull << 63,
				      (1ull << 63) - 1, ~0ull, 0x500000005ull };
	const unsigned n = sizeof(v) / sizeof(v[0]);
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	for (unsigned op = 0; op <= PPU_SEM_OP_MAX; op++) {
		for (unsigned k = 0; k < n * n * 2; k++) {
			uint64_t word = v[k % n], value = v[k / n % n];
			bool is32 = k / n / n, want = false;
			uint64_t w = is32 ? word & LO : word, x = is32 ? value & LO : value;

			switch (op) {
			case PPU_SEM_OP_EQ: want = w == x; break;
			case PPU_SEM_OP_GE: want = w >= x; break;
			case PPU_SEM_OP_ZERO: want = !w; break;
			case PPU_SEM_OP_NE: want = w != x; break;
			case PPU_SEM_OP_CIRC_GE:
				want = is32 ? ((w - x) & LO) < 0x80000000 : w - x < 1ull << 63;
				break;
			case PPU_SEM_OP_ANYBIT: want = w & x; break;
			case PPU_SEM_OP_NOR: want = ~w & ~x & (is32 ? LO : ~0ull); break;
			}
			ck_assert(ppu_core_next_event(b->core) == PPU_TIME_NEVER);
			bench_wr64(c, s, word);
			bench_acquire(ch, op | (is32 ? PPU_CMDF_SEM_32 : 0), s, value);
			bench_submit(ch);
			ck_assert(bench_run(b));
			ck_assert_int_eq(bench_get(ch) == ch->put, want);
			ck_assert_uint_eq(bench_rd64(c, s), word);	/* WQ-76 */
			bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
			bench_chan_enable(ch);
			ch->put = 0;
		}
	}
	bench_free(b);
}
END_TEST

START_TEST(writes)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t s = bench_alloc(c, 8192, _i ? BENCH_SCATTER : BENCH_VRAM), t;	/* CP-13 */

	bench_wr64(c, s, LO);
	bench_wr64(c, s + 8, LO);
	bench_wr64(c, s + 16, 0);
	bench_wr64(c, s + 24, 0);
	bench_inc(ch, 0, s);
	bench_inc(ch, PPU_CMDF_SEM_32, s + 8);
	bench_dec(ch, 0, s + 16);
	bench_dec(ch, PPU_CMDF_SEM_32, s + 28);
	bench_release(ch, 0, s + 32, 0x123456789abcdef0ull);
	bench_release(ch, PPU_CMDF_SEM_32, s + 44, 0x123456789abcdef0ull);
	bench_release(ch, PPU_CMDF_SEM_TIME, s + 4096 - 8, 3);	/* its time stamp is in the next page */
	bench_timestamp(ch, s + 64);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), LO + 1);
	ck_assert_uint_eq(bench_rd64(c, s + 8), 0);
	ck_assert_uint_eq(bench_rd64(c, s + 16), ~0ull);
	ck_assert_uint_eq(bench_rd64(c, s + 24), LO << 32);
	ck_assert_uint_eq(bench_rd64(c, s + 32), 0x123456789abcdef0ull);
	ck_assert_uint_eq(bench_rd64(c, s + 40), 0x9abcdef0ull << 32);
	ck_assert_uint_eq(bench_rd64(c, s + 4096 - 8), 3);
	t = bench_rd64(c, s + 4096);
	ck_assert_uint_gt(t, 0);
	ck_assert_uint_eq(bench_rd64(c, s + 64), t + b->cfg.cost_cmd_ns);
	ck_assert_uint_ge(ppu_core_time(b->core), t);
	/* All memory that is written is reported dirty. */
	ck_assert_uint_eq(_i ? b->ram_dirty : b->vram_dirty, 8 + 4 + 8 + 4 + 8 + 4 + 16 + 8);
	ck_assert_uint_eq(_i ? b->vram_dirty : b->ram_dirty, 0);
	bench_free(b);
}
END_TEST

START_TEST(errors)
{
	static const uint32_t unaligned = PPU_ERR_SEM_ALIGN;
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);
	uint64_t ro = bench_alloc(c, 4096, BENCH_VRAM | PPU_PTE_READONLY);
	uint64_t pr = bench_alloc(c, 4096, BENCH_VRAM | PPU_PTE_PRIV);
	uint64_t sys = bench_alloc(c, 4096, BENCH_SYS);

	for (unsigned i = 0;; i++) {
		unsigned want;

		switch (i) {
		case 0: bench_acquire(ch, 0, s + 4, 0); want = unaligned; break;
		case 1: bench_release(ch, PPU_CMDF_SEM_32, s + 2, 0); want = unaligned; break;
		case 2: bench_inc(ch, 0, s + 1); want = unaligned; break;
		case 3: bench_release(ch, PPU_CMDF_SEM_32 | PPU_CMDF_SEM_TIME, s + 4, 0);
			want = unaligned; break;
		case 4: bench_timestamp(ch, s + 4); want = unaligned; break;
		case 5: bench_acquire(ch, 0, s + 8192, 0); want = PPU_ERR_SEM_FAULT; break;
		case 6: bench_release(ch, 0, ro, 0); want = PPU_ERR_SEM_FAULT; break;
		case 7: bench_dec(ch, 0, ro); want = PPU_ERR_SEM_FAULT; break;
		case 8: bench_acquire(ch, 0, pr, 0); want = PPU_ERR_SEM_FAULT; break;
		case 9: bench_timestamp(ch, ro); want = PPU_ERR_SEM_FAULT; break;
		case 10: bench_acquire(ch, 0, PPU_VA_LOCAL_BASE, 0); want = PPU_ERR_SEM_FAULT; break;
		case 11: bench_acquire(ch, 0, ~7ull, 0); want = PPU_ERR_SEM_FAULT; break;
		case 12: bench_acquire(ch, PPU_SEM_OP_MAX + 1, s, 0); want = PPU_ERR_BAD_FLAGS; break;
		case 13: bench_release(ch, PPU_CMDF_SEM_GATE, s, 0); want = PPU_ERR_BAD_FLAGS; break;
		case 14: bench_acquire(ch, 0x8000, s, 0); want = PPU_ERR_BAD_FLAGS; break;
		case 15:
			for (unsigned k = 0; k < 65; k++)
				bench_acquire(ch, PPU_CMDF_SEM_GATE | PPU_SEM_OP_GE, s, 0);
			want = PPU_ERR_RUN_LIMIT; break;
		case 16:
			b->dma_off = true;
			ppu_core_invalidate_maps(b->core);
			bench_acquire(ch, 0, sys, 0); want = PPU_ERR_DMA_FAULT; break;
		default:
			/* a read-only word can be waited for */
			bench_acquire(ch, 0, ro, 0);
			bench_inc(ch, 0, s);
			bench_submit(ch);
			ck_assert(bench_run(b));
			ck_assert_uint_eq(bench_rd64(c, s), 1);
			bench_free(b);
			return;
		}
		bench_inc(ch, 0, s);
		bench_submit(ch);
		ck_assert(bench_run(b));
		ck_assert_msg(bench_chan_reg(ch, PPU_REG_CH_ERROR) == want, "case %u: error %u", i,
			      bench_chan_reg(ch, PPU_REG_CH_ERROR));
		ck_assert_uint_eq(bench_rd64(c, s), 0);
		bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
		bench_chan_enable(ch);
		ch->put = 0;
	}
}
END_TEST

/* WQ-13, WQ-17: whoever writes the word. SM stores: test_task_*. */
START_TEST(stores_wake_waiters)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b), *other = bench_ctx_new(b);
	struct bench_chan *w = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	struct bench_chan *by = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *far = bench_chan_new(other, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_SYS), phys, mapped = 0x500000000ull;
	bool sys;

	for (unsigned k = 1; k <= 5; k++) {
		bench_acquire(w, PPU_SEM_OP_GE, s, k);
		bench_push(w);
	}
	bench_submit(w);
	ck_assert(bench_run(b));
	bench_release(by, 0, s, 1);		/* a command */
	bench_submit(by);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 1);
	bench_wr64(c, s, 2);			/* the CPU, then a kick of another address space... */
	bench_kick(far);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 1);
	bench_kick(by);				/* ...and of its own */
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 2);
	bench_wr64(c, s, 3);			/* the CPU, then a doorbell */
	bench_nop(by, 1);
	bench_submit(by);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 3);
	phys = bench_phys(c, s, &sys);		/* another process, same memory, other address */
	bench_map(other, mapped, phys, 4096, PPU_PTE_SYS);
	bench_release(far, 0, mapped, 4);
	bench_submit(far);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 4);
	ck_assert_uint_eq(bench_find(b, PPU_TR_SEM_WRITE, by->id, 1)->a, PPU_TRW_CPU);
	ck_assert_uint_eq(bench_find(b, PPU_TR_SEM_WRITE, by->id, 1)->c, 1);
	ck_assert_uint_eq(bench_find(b, PPU_TR_SEM_WRITE, by->id, 1)->d, 2);
	/* The word is unmapped while a channel waits: the next check is a fault of that channel alone. */
	bench_unmap(c, s, 4096);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(w, PPU_REG_CH_ERROR), PPU_ERR_SEM_FAULT);
	ck_assert_uint_eq(bench_chan_reg(by, PPU_REG_CH_ERROR), 0);
	bench_free(b);
}
END_TEST

/*
 * WQ-17: A plain CPU store without a kick must not hide a later change from a channel that began to wait after it: A
 * waits while the word is 0; the CPU stores 3 unseen; B, of another process, waits for 0; then the word becomes 0.
 */
START_TEST(unseen_store_hides_nothing)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b), *d = bench_ctx_new(b);
	struct bench_chan *a = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *w = bench_chan_new(d, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *by = bench_chan_make(d, PPU_CLASS_COPY, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_SYS), mapped = 0x500000000ull, phys;
	bool sys;

	phys = bench_phys(c, s, &sys);
	bench_map(d, mapped, phys, 4096, PPU_PTE_SYS);
	bench_acquire(a, PPU_SEM_OP_EQ, s, 5);
	bench_submit(a);
	ck_assert(bench_run(b));
	bench_wr64(c, s, 3);
	bench_acquire(w, PPU_SEM_OP_EQ, mapped, 0);
	bench_submit(w);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 0);
	/* Without a doorbell, which is a kick: a channel that has work when it is enabled. */
	bench_fill(by, 3, mapped, 0, 1);
	bench_push(by);
	bench_chan_set(by, PPU_REG_CH_PUT, 1);
	bench_chan_enable(by);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(by), 1);
	ck_assert_uint_eq(bench_rd64(c, s), 0);
	ck_assert_uint_eq(bench_get(w), 1);
	ck_assert_uint_eq(bench_get(a), 0);
	bench_free(b);
}
END_TEST

/*
 * WQ-16: A copy wakes the waiters of each word that it writes, however long it is and wherever in a granule of 8 bytes
 * it begins and ends; and nobody else.
 */
START_TEST(long_copies_wake)
{
	static const struct { unsigned from, bytes; } copy[] = {
		{ 68, 60 }, { 68, 256 }, { 68, 260 }, { 68, 1024 }, { 64, 1028 }, { 68, 1020 }, { 64, 1024 }, { 4092, 260 },
	};

	for (unsigned i = 0; i < sizeof(copy) / sizeof(copy[0]); i++) {
		unsigned from = copy[i].from, end = from + copy[i].bytes;
		const unsigned words[] = { from - 4, from, from + 4, end - 8, end - 4, end };
		struct bench *b = bench_new(NULL);
		struct bench_ctx *c = bench_ctx_new(b);
		struct bench_chan *ch[6], *by = bench_chan_new(c, PPU_CLASS_COPY, 8);
		uint64_t s = bench_alloc(c, 3 * 4096, _i ? BENCH_SYS : BENCH_VRAM), ones = bench_alloc(c, 4096, BENCH_VRAM);

		bench_fill(by, 2, ones, 1, 1024);
		bench_submit(by);
		for (unsigned k = 0; k < 6; k++) {
			ch[k] = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
			bench_acquire(ch[k], PPU_SEM_OP_EQ | PPU_CMDF_SEM_32, s + words[k], 1);
			bench_submit(ch[k]);
		}
		ck_assert(bench_run(b));
		/* Without a doorbell, which would be a kick. */
		bench_copy(by, ones, s + from, copy[i].bytes);
		bench_push(by);
		bench_chan_set(by, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
		bench_chan_set(by, PPU_REG_CH_GET, 1);
		bench_chan_set(by, PPU_REG_CH_PUT, 2);
		bench_chan_enable(by);
		ck_assert(bench_run(b));
		for (unsigned k = 0; k < 6; k++)
			ck_assert_msg(bench_get(ch[k]) == (k > 0 && k < 5), "copy of %u bytes to %u: waiter %u", copy[i].bytes,
				      from, k);
		bench_free(b);
	}
}
END_TEST

/* One kick makes several stores visible: the channel that has waited longest goes first. */
START_TEST(kick_wakes_in_order)
{
	static const unsigned order[6] = { 3, 0, 5, 1, 4, 2 };
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch[6], *by = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 8 * 4096, BENCH_SCATTER);
	unsigned n = 0;

	for (unsigned i = 0; i < 6; i++)
		ch[i] = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	for (unsigned i = 0; i < 6; i++) {
		bench_acquire(ch[order[i]], PPU_SEM_OP_EQ, s + 4096 * ((5 * i) % 6) + 8 * i, 1);
		bench_submit(ch[order[i]]);
		ck_assert(bench_run(b));
	}
	for (unsigned i = 0; i < 6; i++)
		bench_wr64(c, s + 4096 * ((5 * i) % 6) + 8 * i, 1);
	bench_clear(b);
	bench_kick(by);
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++)
		if (b->trace[i].event == PPU_TR_UNBLOCK)
			ck_assert_uint_eq(b->trace[i].unit, ch[order[n++]]->id);
	ck_assert_uint_eq(n, 6);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_SEM_WAKES), 6);
	bench_free(b);
}
END_TEST

/* The address is mapped elsewhere while a channel waits: from then on the new word counts, not the old one. */
START_TEST(remapped)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *w = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), page = bench_vram(b, 4096), old;
	bool sys;

	bench_acquire(w, PPU_SEM_OP_EQ, s, 1);
	bench_submit(w);
	ck_assert(bench_run(b));
	old = bench_phys(c, s, &sys);
	bench_map(c, s, page, 4096, 0);
	bench_invalidate(c);
	ck_assert(bench_run(b));
	*(uint64_t *)(b->vram + old) = 1;
	bench_kick(w);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 0);
	*(uint64_t *)(b->vram + page) = 1;
	bench_kick(w);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 1);
	ck_assert_uint_eq(bench_count(b, PPU_TR_BLOCK, -1), 1);
	bench_free(b);
}
END_TEST

static void arm(struct bench *b, unsigned i, uint64_t addr, uint64_t value, uint32_t ctrl)
{
	uint64_t at = PPU_BAR0_WATCH + i * PPU_WATCH_STRIDE;

	bench_set(b, at + PPU_REG_WATCH_ADDR_LO, (uint32_t)addr);
	bench_set(b, at + PPU_REG_WATCH_ADDR_HI, (uint32_t)(addr >> 32));
	bench_set(b, at + PPU_REG_WATCH_VALUE_LO, (uint32_t)value);
	bench_set(b, at + PPU_REG_WATCH_VALUE_HI, (uint32_t)(value >> 32));
	bench_set(b, at + PPU_REG_WATCH_CTRL, ctrl | PPU_WATCH_ARM);
}

static bool fired(struct bench *b, unsigned i)
{
	uint32_t ctrl = bench_reg(b, PPU_BAR0_WATCH + i * PPU_WATCH_STRIDE + PPU_REG_WATCH_CTRL);
	uint32_t bit = bench_reg(b, PPU_REG_WATCH_PENDING + i / 32 * 4) >> i % 32 & 1;

	ck_assert(!bit || !(ctrl & PPU_WATCH_ARM));
	return bit;
}

START_TEST(watch_table)
{
	const uint32_t ge = PPU_SEM_OP_GE << PPU_WATCH_OP_SHIFT;
	struct bench *b = bench_new("watches=100");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, _i ? BENCH_SYS : BENCH_VRAM), p;
	bool sys;

	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	p = bench_phys(c, s, &sys) | sys;
	arm(b, 0, p, 5, ge);
	arm(b, 1, p, 6, ge);
	arm(b, 99, p + 12, 1, PPU_WATCH_32BIT);
	bench_release(ch, 0, s, 5);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert(fired(b, 0) && !fired(b, 1) && !fired(b, 99));
	ck_assert_uint_eq(b->irqs[PPU_VEC_WATCH], 1);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_INTR_STATUS), PPU_INTR_WATCH);
	/* Once only, and no second message while the cause is pending. */
	bench_release(ch, 0, s, 6);
	bench_release(ch, 0, s, 7);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert(fired(b, 1));
	ck_assert_uint_eq(b->irqs[PPU_VEC_WATCH], 1);
	ck_assert_uint_eq(bench_count(b, PPU_TR_WATCH, -1), 2);
	bench_set(b, PPU_REG_WATCH_PENDING, 3);
	bench_set(b, PPU_REG_INTR_STATUS, PPU_INTR_WATCH);
	ck_assert(!fired(b, 0) && !fired(b, 1));
	/* Arming compares the word at once. */
	arm(b, 2, p, 7, ge);
	ck_assert(fired(b, 2));
	ck_assert_uint_eq(b->irqs[PPU_VEC_WATCH], 2);
	/* A CPU store needs a kick, the upper half of a granule is its own word. */
	bench_wr64(c, s + 8, 1ull << 32);
	ck_assert(bench_run(b));
	ck_assert(!fired(b, 99));
	bench_kick(ch);
	ck_assert(fired(b, 99));
	/* Disarmed: nothing. Bad ones: disarmed by the device. */
	arm(b, 3, p, 100, ge);
	bench_set(b, PPU_BAR0_WATCH + 3 * PPU_WATCH_STRIDE + PPU_REG_WATCH_CTRL, ge);
	bench_release(ch, 0, s, 100);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert(!fired(b, 3));
	arm(b, 4, p + 4, 1, ge);
	arm(b, 5, p, 1, 7 << PPU_WATCH_OP_SHIFT);
	arm(b, 6, 1ull << 50, 1, ge);
	arm(b, 7, (1ull << 50) | 1, 1, ge);
	for (unsigned i = 4; i < 8; i++) {
		ck_assert(!fired(b, i));
		ck_assert(!(bench_reg(b, PPU_BAR0_WATCH + i * PPU_WATCH_STRIDE +
				      PPU_REG_WATCH_CTRL) & PPU_WATCH_ARM));
	}
	/* Beyond the table. */
	arm(b, 100, p, 1, ge);
	ck_assert_uint_eq(bench_reg(b, PPU_BAR0_WATCH + 100 * PPU_WATCH_STRIDE), 0);
	bench_free(b);
}
END_TEST

/* Random waiters and writers against a list of who must wait: nobody is lost, nobody is early. */
START_TEST(random_wakes)
{
	enum { CH = 40, WORDS = 12 };
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch[CH], *by = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t s = bench_alloc(c, 3 * 4096, BENCH_SCATTER), word[WORDS] = { 0 };
	struct { bool waits; unsigned word; uint64_t ge; } model[CH] = { 0 };
	unsigned seed = _i + 1;

	b->ports.trace = NULL;
	for (unsigned i = 0; i < CH; i++)
		ch[i] = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	for (unsigned step = 0; step < 1500; step++) {
		unsigned k = rand_r(&seed) % WORDS, i = rand_r(&seed) % CH;
		uint64_t at = s + (k % 3) * 4096 + k * 8, v = rand_r(&seed) % 10;

		switch (rand_r(&seed) % 6) {
		case 0: case 1:
			if (model[i].waits)
				break;
			bench_acquire(ch[i], PPU_SEM_OP_GE, at, v);
			bench_submit(ch[i]);
			model[i].waits = true;
			model[i].word = k;
			model[i].ge = v;
			break;
		case 2:
			bench_release(by, 0, at, v);
			bench_submit(by);
			word[k] = v;
			break;
		case 3:
			bench_fill(by, 3, at, v, 1);
			bench_submit(by);
			word[k] = v;
			break;
		case 4:
			bench_wr64(c, at, v);
			bench_kick(by);
			word[k] = v;
			break;
		case 5:
			if (!model[i].waits)
				break;
			bench_chan_set(ch[i], PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
			bench_chan_enable(ch[i]);
			ch[i]->put = 0;
			model[i].waits = false;
			break;
		}
		ck_assert(bench_run(b));
		for (unsigned j = 0; j < CH; j++) {
			if (model[j].waits && word[model[j].word] >= model[j].ge)
				model[j].waits = false;
			ck_assert_msg((bench_get(ch[j]) != ch[j]->put) == model[j].waits,
				      "seed %d step %u channel %u", _i + 1, step, j);
		}
	}
	bench_free(b);
}
END_TEST

/* Memory of a word that waiters wait for can be reached no more, or only half of the word: nothing is read, nobody is woken,
 * and when it is there again, what was written meanwhile wakes. */
START_TEST(memory_goes_away)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *w = bench_chan_new(c, PPU_CLASS_COMPUTE, 64), *other = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	uint64_t sys = bench_alloc(c, 4096, BENCH_SYS), s = bench_alloc(c, 4096, BENCH_VRAM);

	bench_acquire(w, PPU_SEM_OP_GE, sys, 5);
	bench_inc(w, 0, s);
	bench_submit(w);
	ck_assert(bench_run(b));
	b->dma_off = !_i;
	b->map_max = _i ? 4 : 0;
	ppu_core_invalidate_maps(b->core);
	bench_wr64(c, sys, 5);
	bench_kick(w);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), 0);
	bench_acquire(other, PPU_SEM_OP_EQ, sys, 5);
	bench_inc(other, 0, s + 8);
	bench_submit(other);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 8), 0);
	ck_assert_uint_eq(bench_chan_reg(w, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_chan_reg(other, PPU_REG_CH_ERROR), _i ? PPU_ERR_SEM_FAULT : PPU_ERR_DMA_FAULT);
	b->dma_off = false;
	b->map_max = 0;
	ppu_core_invalidate_maps(b->core);
	bench_kick(w);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), 1);
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sem");
	TCase *t = tcase_create("sem");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, operations);
	tcase_add_loop_test(t, writes, 0, 2);
	tcase_add_test(t, errors);
	tcase_add_test(t, stores_wake_waiters);
	tcase_add_test(t, unseen_store_hides_nothing);
	tcase_add_loop_test(t, long_copies_wake, 0, 2);
	tcase_add_test(t, kick_wakes_in_order);
	tcase_add_test(t, remapped);
	tcase_add_loop_test(t, memory_goes_away, 0, 2);
	tcase_add_loop_test(t, watch_table, 0, 2);
	tcase_add_loop_test(t, random_wakes, 0, 4);
	suite_add_tcase(s, t);
	return run_suite(s);
}
