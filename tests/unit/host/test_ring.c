/* SPDX-License-Identifier: MIT */
/* Rings: WQ-1..WQ-9, WQ-14, WQ-16, WQ-21, WQ-22, WQ-71; counts that are no powers of two. */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"

static uint32_t chs(struct bench_chan *ch)
{
	return bench_chan_reg(ch, PPU_REG_CH_STATUS);
}

static uint32_t cherr(struct bench_chan *ch)
{
	return bench_chan_reg(ch, PPU_REG_CH_ERROR);
}

/* The channel was stopped by `err`, which is reported everywhere it must be; channel `other` still works. */
static void check_error(struct bench *b, struct bench_chan *ch, unsigned err, uint32_t get,
			struct bench_chan *other, uint64_t word)
{
	unsigned before = b->irqs[PPU_VEC_ERROR];
	uint32_t put = bench_reg(b, PPU_REG_FAULT_PUT);
	uint32_t gp;

	(void)before;
	ck_assert_uint_eq(cherr(ch), err);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR_INFO), get);
	ck_assert(chs(ch) & PPU_CHS_FAULTED);
	ck_assert(!(chs(ch) & PPU_CHS_ENABLED));
	ck_assert_uint_eq(bench_reg(b, PPU_REG_CHERR_PENDING + ch->id / 32 * 4) >> ch->id % 32 & 1, 1);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_INTR_STATUS) & (PPU_INTR_CHERR | PPU_INTR_FAULT),
			  PPU_INTR_CHERR | PPU_INTR_FAULT);
	ck_assert_uint_ne(put, bench_reg(b, PPU_REG_FAULT_GET));
	/* The newest fault record names the channel. */
	bench_set(b, PPU_REG_FAULT_GET, (put + PPU_FAULT_RING - 1) % PPU_FAULT_RING);
	bench_set(b, PPU_REG_FAULT_SEL, offsetof(struct ppu_fault_rec, code) / 4);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_FAULT_DATA) & 0xffff, err);
	bench_set(b, PPU_REG_FAULT_SEL, offsetof(struct ppu_fault_rec, channel) / 4);
	gp = bench_reg(b, PPU_REG_FAULT_DATA) >> 16;
	ck_assert_uint_eq(gp, ch->id);
	/* The stopped channel does nothing more. */
	bench_doorbell(ch, 0);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(ch), get);
	if (other) {
		uint64_t v = bench_rd64(other->c, word);

		bench_inc(other, 0, word);
		bench_submit(other);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(bench_rd64(other->c, word), v + 1);
		ck_assert_uint_eq(cherr(other), 0);
	}
}

/* WQ-1 */
START_TEST(blocks_run_in_order)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	for (unsigned i = 0; i < 20; i++) {
		bench_release(ch, 0, s + 8 * i, 100 + i);
		bench_submit(ch);
		ck_assert(bench_run(b));
	}
	for (unsigned i = 0; i < 20; i++) {
		const struct ppu_trace_rec *r = bench_find(b, PPU_TR_ENTRY, ch->id, i);

		ck_assert_uint_eq(bench_rd64(c, s + 8 * i), 100 + i);
		ck_assert_uint_eq(r->a, i % 8);
		ck_assert_uint_eq(bench_find(b, PPU_TR_SEM_WRITE, ch->id, i)->d, 100 + i);
	}
	ck_assert_uint_eq(bench_count(b, PPU_TR_ENTRY, -1), 20);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_GETABS_LO), 20);
	bench_free(b);
}
END_TEST

/* WQ-2, WQ-14 */
START_TEST(get_stays_at_blocked_acquire)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	bench_nop(ch, 1);
	bench_push(ch);
	bench_acquire(ch, PPU_SEM_OP_EQ, s, 5);
	bench_push(ch);
	bench_nop(ch, 255);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert(chs(ch) & PPU_CHS_SEM_BLOCKED);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_BLOCK_VA_LO), (uint32_t)s);
	bench_wr64(c, s, 4);
	bench_kick(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert_uint_eq(bench_count(b, PPU_TR_UNBLOCK, -1), 0);
	bench_wr64(c, s, 5);
	/* WQ-17: without a kick nobody sees a plain CPU store. */
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(ch), 1);
	bench_kick(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(ch), 3);
	ck_assert_uint_eq(bench_rd64(c, s), 5);		/* WQ-76: no side effect */
	ck_assert_uint_eq(bench_count(b, PPU_TR_BLOCK, -1), 1);
	ck_assert_uint_eq(bench_count(b, PPU_TR_UNBLOCK, -1), 1);
	ck_assert(!(chs(ch) & (PPU_CHS_SEM_BLOCKED | PPU_CHS_PENDING | PPU_CHS_RUNNING)));
	bench_free(b);
}
END_TEST

/* WQ-3, WQ-5, WQ-8 */
START_TEST(put_is_exclusive)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);
	uint64_t writes;

	bench_release(ch, 0, s, 7);
	bench_push(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), 0);
	ck_assert_uint_eq(bench_count(b, PPU_TR_ENTRY, -1), 0);
	writes = bench_ctr(b, PPU_CTR_MMIO_WRITES);
	bench_doorbell(ch, 1);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_MMIO_WRITES), writes + 1);
	ck_assert_uint_eq(bench_rd64(c, s), 7);
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert_uint_eq(bench_count(b, PPU_TR_ENTRY, -1), 1);
	ck_assert_uint_eq(bench_count(b, PPU_TR_EMPTY, -1), 1);
	ck_assert_uint_eq(ppu_core_next_event(b->core), PPU_TIME_NEVER);
	/* The same value again: there is no new entry, and nothing happens. */
	bench_doorbell(ch, 1);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_count(b, PPU_TR_ENTRY, -1), 1);
	bench_free(b);
}
END_TEST

/* WQ-4 */
START_TEST(get_wraps_at_any_count)
{
	static const unsigned counts[] = { 3, 5, 6, 7, 8, 100 };

	for (unsigned k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		struct bench *b = bench_new(NULL);
		struct bench_ctx *c = bench_ctx_new(b);
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, counts[k]);

		for (unsigned i = 0; i < counts[k] * 2 + 1; i++) {
			bench_nop(ch, 1 + i % 255);
			bench_submit(ch);
			ck_assert(bench_run(b));
			ck_assert_uint_eq(bench_get(ch), (i + 1) % counts[k]);
			ck_assert_uint_eq(bench_find(b, PPU_TR_GET, ch->id, i)->a,
					  (i + 1) % counts[k]);
		}
		ck_assert_uint_eq(cherr(ch), 0);
		bench_free(b);
	}
}
END_TEST

/* WQ-6: count - 1 entries fit; all of them run with one doorbell. */
START_TEST(full_ring)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 6);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	for (unsigned lap = 0; lap < 5; lap++) {
		for (unsigned i = 0; i < 5; i++) {
			bench_inc(ch, 0, s);
			bench_push(ch);
		}
		bench_doorbell(ch, ch->put);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(bench_get(ch), ch->put);
	}
	ck_assert_uint_eq(bench_rd64(c, s), 25);
	bench_free(b);
}
END_TEST

/*
 * WQ-6, at the interface itself: a ring of 8 whose first entry is blocked takes seven entries, one by one or all with
 * one doorbell.  The eighth is refused: GP_PUT stays 7, the error says why, and none of the seven is lost or done early.
 */
START_TEST(eighth_of_eight)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t gate = bench_alloc(c, 4096, BENCH_VRAM), s = gate + 64;

	for (unsigned i = 0; i < 7; i++) {
		if (!i)
			bench_acquire(ch, PPU_SEM_OP_EQ, gate, 1);
		bench_inc(ch, 0, s);
		bench_push(ch);
		if (_i || i == 6)
			bench_doorbell(ch, ch->put);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(cherr(ch), 0);
	}
	ck_assert_uint_eq(ch->put, 7);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_PUT), 7);
	ck_assert(chs(ch) & PPU_CHS_SEM_BLOCKED);
	bench_inc(ch, 0, s);
	bench_push(ch);
	ck_assert_uint_eq(ch->put, 0);
	bench_doorbell(ch, 0);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_PUT), 7);
	ck_assert_uint_eq(bench_get(ch), 0);
	ck_assert_uint_eq(bench_rd64(c, s), 0);
	check_error(b, ch, PPU_ERR_PUT_RANGE, 0, NULL, 0);
	bench_free(b);
}
END_TEST

/* WQ-7 against the definition: after `get` entries are consumed, from every PUT to every PUT'. */
START_TEST(put_range)
{
	const unsigned n = _i;
	struct bench *b = bench_new("vram=1M channels=2 seed=7");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_make(c, PPU_CLASS_COMPUTE, n);
	struct bench_chan *other = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t word = bench_alloc(c, 4096, BENCH_VRAM);
	unsigned legal = 0;

	for (unsigned get = 0; get < n; get++) {
		for (unsigned used = 0; used < n; used++) {
			for (unsigned put2 = 0; put2 < n + 3; put2++) {
				unsigned put = (get + used) % n, room = n - 1 - used;
				bool ok = put2 < n && (put2 + n - put) % n <= room;

				bench_set(b, PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_HOST);
				bench_chan_set(ch, PPU_REG_CH_GET, get);
				bench_chan_set(ch, PPU_REG_CH_PUT, put);
				bench_chan_enable(ch);
				bench_doorbell(ch, put2);
				ck_assert_uint_eq(cherr(ch), ok ? PPU_ERR_NONE : PPU_ERR_PUT_RANGE);
				ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_PUT), ok ? put2 : put);
				if (!ok) {
					bench_set(b, PPU_REG_SCHED_CTRL, 0);
					check_error(b, ch, PPU_ERR_PUT_RANGE, get, other, word);
				}
				bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
				legal += ok;
			}
		}
	}
	bench_free(b);
	/* room + 1 values for each fill level */
	ck_assert_uint_eq(legal, n * (n * (n + 1) / 2));
}
END_TEST

/* WQ-21 */
START_TEST(bad_entries)
{
	static const struct { uint64_t va; uint32_t words, flags, err; } bad[] = {
		{ 0, 0, 0, PPU_ERR_NULL_ENTRY },
		{ 0x100000000ull, 0, 0, PPU_ERR_NULL_ENTRY },
		{ 0, 5, 0, PPU_ERR_NULL_ENTRY },
		{ 0x100000002ull, 5, 0, PPU_ERR_BAD_ENTRY },
		{ 0x100000000ull, 5, 1, PPU_ERR_BAD_ENTRY },
		{ 0x100000000ull, PPU_BLOCK_MAX_WORDS + 1, 0, PPU_ERR_BAD_ENTRY },
		{ ~3ull, 5, 0, PPU_ERR_BAD_ENTRY },
		{ PPU_VA_KERNEL_END - 4, 2, 0, PPU_ERR_BAD_ENTRY },
		{ 0x200000000ull, 5, 0, PPU_ERR_BLOCK_FAULT },	/* not mapped */
		{ PPU_VA_KERNEL_END - 8, 2, 0, PPU_ERR_BLOCK_FAULT },
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bench *b = bench_new(NULL);
		struct bench_ctx *c = bench_ctx_new(b);
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		struct bench_chan *other = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

		bench_release(ch, 0, s, 1);
		bench_push(ch);
		bench_entry(ch, 1, bad[i].va, bad[i].words, bad[i].flags);
		bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
		bench_doorbell(ch, 2);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(bench_rd64(c, s), 1);
		ck_assert_uint_eq(b->irqs[PPU_VEC_ERROR], 2);	/* CHERR and FAULT, each 0 -> 1 */
		check_error(b, ch, bad[i].err, 1, other, s + 8);
		bench_free(b);
	}
}
END_TEST

/* WQ-22 */
START_TEST(get_moves_after_the_whole_block)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_SYS);

	bench_release(ch, 0, s, 1);
	bench_acquire(ch, PPU_SEM_OP_GE, s + 8, 1);
	bench_release(ch, 0, s + 16, 1);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), 1);
	ck_assert_uint_eq(bench_rd64(c, s + 16), 0);
	ck_assert_uint_eq(bench_get(ch), 0);
	bench_wr64(c, s + 8, 9);
	bench_kick(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 16), 1);
	ck_assert_uint_eq(bench_get(ch), 1);
	bench_free(b);
}
END_TEST

/* A ring that is not mapped, a ring in system memory, a ring that only the host interface may read. */
START_TEST(ring_memory)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *gone = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *sys = bench_chan_make(c, PPU_CLASS_COMPUTE, 1000);
	struct bench_chan *priv = bench_chan_make(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	bench_inc(gone, 0, s);
	bench_push(gone);
	bench_unmap(c, gone->ring, 4096);
	bench_doorbell(gone, 1);
	ck_assert(bench_run(b));
	check_error(b, gone, PPU_ERR_RING_FAULT, 0, NULL, 0);
	sys->ring = bench_alloc(c, 16000, BENCH_SCATTER);
	bench_chan_set(sys, PPU_REG_CH_RING_LO, (uint32_t)sys->ring);
	bench_chan_set(sys, PPU_REG_CH_RING_HI, (uint32_t)(sys->ring >> 32));
	bench_chan_enable(sys);
	priv->ring = bench_alloc(c, 4096, BENCH_SYS | PPU_PTE_PRIV | PPU_PTE_READONLY);
	bench_chan_set(priv, PPU_REG_CH_RING_LO, (uint32_t)priv->ring);
	bench_chan_set(priv, PPU_REG_CH_RING_HI, (uint32_t)(priv->ring >> 32));
	bench_chan_enable(priv);
	for (unsigned i = 0; i < 900; i++) {
		bench_inc(sys, 0, s);
		bench_push(sys);
	}
	bench_inc(priv, 0, s);
	bench_submit(priv);
	bench_doorbell(sys, sys->put);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), 901);
	/* DMA off: the ring cannot be read. */
	b->dma_off = true;
	ppu_core_invalidate_maps(b->core);
	bench_inc(sys, 0, s);
	bench_submit(sys);
	ck_assert(bench_run(b));
	check_error(b, sys, PPU_ERR_DMA_FAULT, 900, NULL, 0);
	bench_free(b);
}
END_TEST

/* WQ-71, CP-38: blocks and semaphores are looked up in the channel's own address space. */
START_TEST(foreign_addresses)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c1 = bench_ctx_new(b), *c2 = bench_ctx_new(b);
	struct bench_chan *a = bench_chan_new(c1, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *v = bench_chan_new(c2, PPU_CLASS_COMPUTE, 8);
	uint64_t s2, block;
	uint32_t words;

	c2->va_next = 0x700000000ull;
	c2->cmd_left = 0;
	s2 = bench_alloc(c2, 4096, BENCH_VRAM);
	bench_release(v, 0, s2, 1);
	block = bench_block(v, &words);
	bench_entry(a, 0, block, words, 0);
	bench_doorbell(a, 1);
	ck_assert(bench_run(b));
	check_error(b, a, PPU_ERR_BLOCK_FAULT, 0, v, s2);
	bench_chan_set(a, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	bench_chan_enable(a);
	a->put = 0;
	bench_release(a, 0, s2, 9);
	bench_submit(a);
	ck_assert(bench_run(b));
	check_error(b, a, PPU_ERR_SEM_FAULT, 0, v, s2);
	ck_assert_uint_eq(bench_chan_reg(a, PPU_REG_CH_ERROR_VA_LO), (uint32_t)s2);
	ck_assert_uint_eq(bench_chan_reg(a, PPU_REG_CH_ERROR_VA_HI), s2 >> 32);
	bench_free(b);
}
END_TEST

/* Nothing that an old owner left starts, appears in or blocks the channel of a new owner. */
START_TEST(recycled_channel)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);
	static const unsigned quiet[] = { PPU_REG_CH_GET, PPU_REG_CH_PUT, PPU_REG_CH_ERROR,
		PPU_REG_CH_ERROR_INFO, PPU_REG_CH_RUNTIME_LO, PPU_REG_CH_SLICES, PPU_REG_CH_COOKIE,
		PPU_REG_CH_ERROR_VA_LO, PPU_REG_CH_BLOCK_VA_LO, PPU_REG_CH_GETABS_LO,
		PPU_REG_CH_STATUS };

	/* In the middle of a block, blocked, with more behind. */
	bench_intr(ch, 77);
	bench_acquire(ch, PPU_SEM_OP_EQ, s, 1);
	bench_release(ch, 0, s + 8, 1);
	bench_push(ch);
	bench_release(ch, 0, s + 16, 1);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_COOKIE), 77);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	for (unsigned i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++)
		ck_assert_uint_eq(bench_chan_reg(ch, quiet[i]), 0);
	/* A late doorbell of the old owner, and the word it waited for. */
	bench_doorbell(ch, 2);
	bench_wr64(c, s, 1);
	bench_kick(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_PUT), 0);
	bench_chan_enable(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 8), 0);
	ck_assert_uint_eq(bench_rd64(c, s + 16), 0);
	ck_assert_uint_eq(bench_get(ch), 0);
	ck_assert_uint_eq(ppu_core_userd_peek(b->core, PPU_BAR0_USERD + PPU_REG_USERD_GP_PUT), 0);
	ch->put = 0;
	bench_release(ch, 0, s + 24, 1);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 24), 1);
	ck_assert_uint_eq(bench_get(ch), 1);
	bench_free(b);
}
END_TEST

/* A read by any thread, without the core, always gives the same as a register read. */
START_TEST(peek_equals_registers)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t s = bench_alloc(c, 1 << 20, BENCH_VRAM), at = PPU_BAR0_USERD;
	static const unsigned regs[] = { PPU_REG_USERD_GP_GET, PPU_REG_USERD_GP_PUT,
					 PPU_REG_USERD_STATUS, PPU_REG_USERD_ERROR };

	for (unsigned i = 0; i < 30; i++) {
		bench_fill(ch, 0, s, 1, 1 << 20);
		bench_inc(ch, 0, s);
		if (i == 25)
			bench_inc(ch, 0, 4);
		bench_submit(ch);
		while (ppu_core_next_event(b->core) != PPU_TIME_NEVER) {
			for (unsigned r = 0; r < 4; r++)
				ck_assert_uint_eq(ppu_core_userd_peek(b->core, at + regs[r]),
						  bench_reg(b, at + regs[r]));
			ppu_core_run(b->core, ppu_core_next_event(b->core));
		}
	}
	ck_assert_uint_eq(ppu_core_userd_peek(b->core, at + PPU_REG_USERD_ERROR), PPU_ERR_SEM_ALIGN);
	ck_assert_uint_eq(ppu_core_userd_peek(b->core, at + 64 * PPU_USERD_STRIDE), 0);
	ck_assert_uint_eq(ppu_core_userd_peek(b->core, 0), 0);
	bench_free(b);
}
END_TEST

/* While a channel is enabled its configuration stays; in error it needs a RESET before it starts again. */
START_TEST(configuration_and_errors_hold)
{
	static const unsigned regs[] = { PPU_REG_CH_INST_LO, PPU_REG_CH_RING_LO, PPU_REG_CH_RING_ENTRIES,
		PPU_REG_CH_CLASS, PPU_REG_CH_PRIORITY, PPU_REG_CH_ENGINE_MASK, PPU_REG_CH_FLAGS,
		PPU_REG_CH_DEVQ_SHADOW_LO, PPU_REG_CH_GET, PPU_REG_CH_PUT };
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_make(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	bench_chan_set(ch, PPU_REG_CH_GET, 5);
	bench_chan_set(ch, PPU_REG_CH_PUT, 5);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_GETABS_LO), 5);
	bench_chan_enable(ch);
	for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		uint32_t was = bench_chan_reg(ch, regs[i]);
		unsigned errors = b->guest_errors;

		bench_chan_set(ch, regs[i], was ^ 2);
		ck_assert_uint_eq(bench_chan_reg(ch, regs[i]), was);
		ck_assert_uint_eq(b->guest_errors, errors + 1);
	}
	ch->put = 5;
	bench_acquire(ch, PPU_SEM_OP_EQ, s, 1);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert(chs(ch) & PPU_CHS_PENDING);
	bench_wr64(c, s, 1);
	bench_inc(ch, 0, s + 4);			/* not aligned */
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(ch), PPU_ERR_SEM_ALIGN);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_GETABS_LO), 6);
	bench_chan_enable(ch);
	ck_assert(!(chs(ch) & PPU_CHS_ENABLED));
	ck_assert_uint_eq(cherr(ch), PPU_ERR_SEM_ALIGN);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	bench_chan_enable(ch);
	ck_assert(chs(ch) & PPU_CHS_ENABLED);
	ck_assert(!(chs(ch) & PPU_CHS_PENDING));
	bench_free(b);
}
END_TEST

/* RESUME of a channel that is not paused, and PAUSE of one that is, have no effect, in every state. */
START_TEST(resume_of_running_channels)
{
	struct ppu_trace_rec *first = NULL;
	size_t n = 0;

	for (unsigned round = 0; round < 2; round++) {
		struct bench *b = bench_new("copy-engines=1 run-limit=4");
		struct bench_ctx *c = bench_ctx_new(b);
		uint64_t s = bench_alloc(c, 1 << 16, BENCH_VRAM);
		struct bench_chan *ch[5];

		for (unsigned i = 0; i < 5; i++) {
			ch[i] = bench_chan_new(c, PPU_CLASS_COPY, 8);
			for (unsigned k = 0; k < 3; k++) {
				bench_fill(ch[i], 0, s + 4096, k, 3000);
				bench_inc(ch[i], 0, s);
				if (i == 4)
					bench_acquire(ch[i], PPU_SEM_OP_GE, s, 4 * k);
			}
			bench_submit(ch[i]);
		}
		while (ppu_core_next_event(b->core) != PPU_TIME_NEVER) {
			ppu_core_run(b->core, ppu_core_next_event(b->core));
			for (unsigned i = 0; round && i < 5; i++)
				bench_chan_set(ch[i], PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
		}
		for (unsigned i = 0; i < 5; i++)
			ck_assert_uint_eq(bench_get(ch[i]), 1);
		if (!round) {
			n = b->num_trace;
			first = malloc(n * sizeof(*first));
			memcpy(first, b->trace, n * sizeof(*first));
		} else {
			ck_assert_uint_eq(b->num_trace, n);
			ck_assert_int_eq(memcmp(first, b->trace, n * sizeof(*first)), 0);
		}
		bench_free(b);
	}
	free(first);
}
END_TEST

/* The channel that was to take the free task record has stopped: the next channel gets the record. */
START_TEST(record_of_a_dead_channel)
{
	struct bench *b = bench_new("task-records=4 task-slots=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *hog = bench_chan_new(c, PPU_CLASS_COMPUTE, 8), *ch[3];
	uint64_t t = bench_sleep_task(c, 1000000), u = bench_sleep_task(c, 100);
	struct bench_chan *one = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);

	for (unsigned i = 0; i < 3; i++)
		bench_launch(hog, t);
	bench_submit(hog);
	bench_launch(one, bench_sleep_task(c, 1000000));
	bench_submit(one);
	bench_run_for(b, 50000);
	for (unsigned i = 0; i < 3; i++) {
		ch[i] = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		bench_launch(ch[i], u);
		bench_submit(ch[i]);
	}
	bench_run_for(b, 50000);
	bench_set(b, PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_HOST);
	bench_chan_set(one, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);	/* frees a record: for ch[0] */
	bench_run_for(b, 50000);
	bench_chan_set(ch[0], PPU_REG_CH_CMD, _i ? PPU_CH_CMD_RESET : PPU_CH_CMD_PAUSE);
	bench_set(b, PPU_REG_SCHED_CTRL, 0);
	bench_run_for(b, 200000);
	ck_assert_uint_eq(bench_get(ch[0]), 0);
	ck_assert_uint_eq(bench_get(ch[1]), 1);
	ck_assert_uint_eq(bench_get(ch[2]), 1);
	bench_free(b);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("ring");
	TCase *t = tcase_create("ring");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, blocks_run_in_order);
	tcase_add_test(t, get_stays_at_blocked_acquire);
	tcase_add_test(t, put_is_exclusive);
	tcase_add_test(t, get_wraps_at_any_count);
	tcase_add_test(t, full_ring);
	tcase_add_loop_test(t, eighth_of_eight, 0, 2);
	tcase_add_loop_test(t, put_range, 3, 9);
	tcase_add_test(t, bad_entries);
	tcase_add_test(t, get_moves_after_the_whole_block);
	tcase_add_test(t, ring_memory);
	tcase_add_test(t, foreign_addresses);
	tcase_add_test(t, recycled_channel);
	tcase_add_test(t, peek_equals_registers);
	tcase_add_test(t, configuration_and_errors_hold);
	tcase_add_test(t, resume_of_running_channels);
	tcase_add_loop_test(t, record_of_a_dead_channel, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
