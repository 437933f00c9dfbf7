/* SPDX-License-Identifier: MIT */
/*
 * Copy engines: CP-31, the second half of CP-6 (chunks), HW-76; linear, pitched, fill; their cost; a peer's memory;
 * faults; overlap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_observe.h>
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"

#define AREA (5u << 20)

static uint32_t rng = 12345;

static uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 17;
	rng ^= rng << 5;
	return rng % n;
}

static uint8_t *noise(uint64_t n)
{
	uint8_t *p = malloc(n);

	for (uint64_t i = 0; i < n; i++)
		p[i] = (uint8_t)rnd(256);
	return p;
}

struct area {
	uint64_t va;
	uint8_t *want;			/* what the memory must hold */
};

static struct area area_new(struct bench_ctx *c, uint64_t where)
{
	struct area a = { bench_alloc(c, AREA, where), noise(AREA) };

	bench_write(c, a.va, a.want, AREA);
	return a;
}

static void area_check(struct bench_ctx *c, struct area *a)
{
	uint8_t *is = malloc(AREA);

	bench_read(c, a->va, is, AREA);
	ck_assert_int_eq(memcmp(is, a->want, AREA), 0);
	free(is);
}

static const uint64_t kinds[] = { BENCH_VRAM, BENCH_SYS, BENCH_SCATTER, BENCH_LARGE };

/* CP-31: Sizes around pages and chunks, every kind of memory to every kind, odd offsets. */
START_TEST(linear_copies)
{
	static const uint64_t sizes[] = { 0, 1, 3, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1,
					  (3 << 20) + 77 };
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct area from = area_new(c, kinds[_i / 4]), to = area_new(c, kinds[_i % 4]);

	b->map_max = _i % 3 ? 4096 : 0;
	ppu_core_invalidate_maps(b->core);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t n = sizes[i], s = rnd(5000), d = rnd(5000);

		bench_copy(ch, from.va + s, to.va + d, n);
		bench_submit(ch);
		ck_assert(bench_run(b));
		memcpy(to.want + d, from.want + s, n);
		area_check(c, &to);
		ck_assert_uint_eq(bench_get(ch), ch->put);
		ck_assert_uint_eq(bench_find(b, PPU_TR_CE_DONE, -1, i)->c, n);
	}
	area_check(c, &from);
	free(from.want);
	free(to.want);
	bench_free(b);
}
END_TEST

/* Pages without memory, large and small: a copy from there brings zeroes, a copy or fill to there is lost. */
START_TEST(null_pages)
{
	const uint64_t hole = 0x200000000ull, n = 2 * PPU_LARGE_SIZE;
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct area a = area_new(c, kinds[_i]);

	bench_map(c, hole, 0, PPU_PAGE_SIZE, PPU_PTE_NULL | PPU_PTE_LARGE);
	for (uint64_t at = PPU_LARGE_SIZE; at < n; at += PPU_PAGE_SIZE)
		bench_map(c, hole + at, 0, PPU_PAGE_SIZE, PPU_PTE_NULL);
	b->vram_dirty = b->ram_dirty = 0;
	bench_copy(ch, a.va, hole, n);
	bench_fill(ch, 2, hole + 100, 0x11223344, 10000);
	bench_copy(ch, hole + 33, hole + PPU_LARGE_SIZE + 77, 1 << 20);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(b->vram_dirty + b->ram_dirty, 0);
	area_check(c, &a);
	bench_copy(ch, hole + 5, a.va + 1001, n - 100);
	memset(a.want + 1001, 0, n - 100);
	bench_submit(ch);
	ck_assert(bench_run(b));
	area_check(c, &a);
	ck_assert_uint_eq(bench_get(ch), ch->put);
	/* Command blocks and semaphores need memory. */
	bench_release(ch, 0, hole + 16, 1);
	bench_submit(ch);
	bench_run(b);
	ck_assert_ptr_nonnull(bench_find(b, PPU_TR_CH_ERROR, -1, 0));
	free(a.want);
	bench_free(b);
}
END_TEST

static struct ppu_seen_copy shown[8];
static unsigned num_shown;

static void see_copy(void *arg, const struct ppu_seen_copy *c)
{
	ck_assert_ptr_eq(arg, shown);
	ck_assert_uint_lt(num_shown, 8);
	shown[num_shown++] = *c;
}

/* Who observes is shown each copy and fill when it is done, one of many chunks once, and none that failed. */
START_TEST(copies_are_shown)
{
	static const struct ppu_observer observer = { .arg = shown, .copy = see_copy };
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t from = bench_alloc(c, AREA, BENCH_VRAM), to = bench_alloc(c, AREA, BENCH_SYS);
	const struct ppu_seen_copy *s = shown;

	num_shown = 0;
	ppu_core_observe(b->core, &observer);
	bench_copy(ch, from + 5, to + 7, 3 << 20);
	bench_copy2d(ch, from, to, 300, 400, 100, 50);
	bench_fill(ch, 2, from + 16, 0x11223344, 1000);
	bench_copy(ch, from, 0x300000000ull, 64);	/* nothing is mapped there */
	bench_submit(ch);
	bench_run(b);
	ck_assert_ptr_nonnull(bench_find(b, PPU_TR_CH_ERROR, -1, 0));
	ck_assert_uint_eq(num_shown, 3);
	ck_assert(s[0].inst == s[2].inst && s[0].inst);
	ck_assert(s[0].src == from + 5 && s[0].dst == to + 7 && s[0].width == 3 << 20 && s[0].rows == 1 && !s[0].fill);
	ck_assert(s[1].src == from && s[1].dst == to && s[1].width == 100 && s[1].rows == 50);
	ck_assert(s[1].src_pitch == 300 && s[1].dst_pitch == 400 && !s[1].fill);
	ck_assert(s[2].dst == from + 16 && s[2].width == 4000 && s[2].rows == 1 && s[2].fill == 1);
	ppu_core_observe(b->core, NULL);
	bench_free(b);
}
END_TEST

/* The ends of an overlapping linear copy are those of memmove. */
START_TEST(overlap)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct area a = area_new(c, kinds[_i]);

	for (unsigned i = 0; i < 40; i++) {
		uint64_t n = 1 + rnd(3 << 20), s = rnd(AREA - n), d;
		int64_t shift = (int64_t)rnd(20000) - 10000;

		if (i % 3 == 0)
			shift = (int64_t)rnd(200) - 100;
		d = (int64_t)s + shift < 0 || s + shift + n > AREA ? s : s + shift;
		bench_copy(ch, a.va + s, a.va + d, n);
		bench_submit(ch);
		ck_assert(bench_run(b));
		memmove(a.want + d, a.want + s, n);
	}
	area_check(c, &a);
	free(a.want);
	bench_free(b);
}
END_TEST

/* Huge copies use other instructions, which pass by the host's caches: the bytes must be the same. */
START_TEST(huge)
{
	const uint64_t n = (33 << 20) + 77;
	struct bench *b = bench_new("vram=128M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t from = bench_alloc(c, n + 8192, _i % 2 ? BENCH_LARGE : BENCH_SCATTER);
	uint64_t to = bench_alloc(c, n + 8192, BENCH_VRAM);
	uint8_t *data = noise(n), *is = malloc(n + 64);

	bench_write(c, from + 5, data, n);
	bench_copy(ch, from + 5, to + 32 + _i, n);
	bench_submit(ch);
	ck_assert(bench_run(b));
	bench_read(c, to + _i, is, n + 64);
	ck_assert_int_eq(memcmp(is + 32, data, n), 0);
	for (unsigned i = 0; i < 32; i++)
		ck_assert(!is[i] && !is[n + 32 + i]);
	/* Overlapping, in both directions. */
	for (unsigned i = 0; i < 2; i++) {
		uint64_t d = to + (i ? 1000 : 0), s = to + (i ? 0 : 1000);

		bench_write(c, s, data, n);
		bench_copy(ch, s, d, n);
		bench_submit(ch);
		ck_assert(bench_run(b));
		bench_read(c, d, is, n);
		ck_assert_int_eq(memcmp(is, data, n), 0);
	}
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	free(data);
	free(is);
	bench_free(b);
}
END_TEST

START_TEST(pitched)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct area from = area_new(c, kinds[_i]), to = area_new(c, kinds[3 - _i]);

	for (unsigned i = 0; i < 60; i++) {
		uint32_t w = i % 4 == 0 ? 1 + rnd(8) : i % 4 == 1 ? 600000 + rnd(1 << 20) : rnd(5000);
		uint64_t sp = w + rnd(100), dp = w + rnd(100);
		uint32_t max = AREA / (1 + (sp > dp ? sp : dp)), rows = max ? rnd(max) : 1;

		if (i % 4 == 0 && rows > 60000)
			rows = 60000;
		bench_copy2d(ch, from.va, to.va, sp, dp, w, rows);
		bench_submit(ch);
		ck_assert(bench_run(b));
		for (uint32_t r = 0; r < rows; r++)
			memcpy(to.want + r * dp, from.want + r * sp, w);
	}
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	area_check(c, &to);
	free(from.want);
	free(to.want);
	bench_free(b);
}
END_TEST

START_TEST(fill)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct area a = area_new(c, kinds[_i]);

	for (unsigned i = 0; i < 64; i++) {
		unsigned log2 = i % 4, size = 1 << log2;
		uint64_t v = i % 5 ? (uint64_t)rnd(~0u) << 32 | rnd(~0u) : 0;
		uint64_t at = (uint64_t)rnd(9000) * size;

		if (i % 2) {
			uint64_t n = rnd((AREA - at) / size);

			bench_fill(ch, log2, a.va + at, v, n);
			for (uint64_t k = 0; k < n; k++)
				memcpy(a.want + at + k * size, &v, size);
		} else {
			uint32_t w = 1 + rnd(2000);
			uint64_t pitch = ((uint64_t)w + rnd(50)) * size;
			uint32_t rows = rnd((AREA - at) / pitch);

			bench_fill2d(ch, log2, a.va + at, pitch, v, w, rows);
			for (uint32_t r = 0; r < rows; r++)
				for (uint32_t k = 0; k < w; k++)
					memcpy(a.want + at + r * pitch + k * size, &v, size);
		}
		bench_submit(ch);
		ck_assert(bench_run(b));
	}
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	area_check(c, &a);
	free(a.want);
	bench_free(b);
}
END_TEST

/* Fills that are larger than the host's caches, from odd addresses, of each element size. */
START_TEST(huge_fill)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t bytes = (33u << 20) + 4096, va = bench_alloc(c, bytes, BENCH_LARGE), value = 0x0807060504030201ull;
	unsigned log2 = (unsigned)_i, skip = 5u << log2;
	uint64_t count = ((33u << 20) + 40) >> log2;
	uint8_t *is = malloc(bytes), *element = (uint8_t *)&value;

	bench_fill(ch, log2, va + skip, value, count);
	bench_submit(ch);
	ck_assert(bench_run(b));
	bench_read(c, va, is, bytes);
	for (uint64_t i = 0; i < bytes; i++)
		if (is[i] != (i >= skip && i < skip + (count << log2) ? element[(i - skip) % (1u << log2)] : 0))
			ck_abort_msg("byte %llu is %u", (unsigned long long)i, is[i]);
	free(is);
	bench_free(b);
}
END_TEST

/* What rows of a pitched copy ask the TLB is counted as if each asked for itself. */
static uint64_t misses(uint64_t pages_apart, uint32_t width, uint32_t rows)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t src = bench_alloc(c, 6u << 20, BENCH_VRAM), n;

	bench_nop(ch, 2);
	bench_submit(ch);
	ck_assert(bench_run(b));	/* the ring's and the commands' pages have been seen */
	n = bench_ctr(b, PPU_CTR_TLB_MISSES);
	bench_copy2d(ch, src, src + pages_apart * 4096, 256, 256, width, rows);
	bench_submit(ch);
	ck_assert(bench_run(b));
	n = bench_ctr(b, PPU_CTR_TLB_MISSES) - n;
	bench_free(b);
	return n;
}

START_TEST(rows_and_the_tlb)
{
	uint64_t two = misses(1, 64, 8);

	/* 1024 pages apart the two sides share an entry of the TLB. */
	ck_assert_uint_eq(misses(1024, 64, 8), two + 14);
	ck_assert_uint_eq(misses(1024, 256, 32), two + 2 * 32 + 2 * 2 - 2 - 4);
	ck_assert_uint_eq(misses(1, 64, 16), two);
	ck_assert_uint_eq(misses(3, 64, 32), two + 2);
}
END_TEST

/* Chunks of 1 MiB arrive one by one; the last one is there before the done event. */
START_TEST(chunks_at_their_own_time)
{
	struct bench *b = bench_new("vram=64M copy-engines=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t dst = bench_alloc(c, 8 << 20, BENCH_VRAM), end;
	uint64_t times[9];
	unsigned seen = 0;

	bench_fill(ch, 0, dst, 0xab, 8 << 20);
	bench_submit(ch);
	while (ppu_core_next_event(b->core) != PPU_TIME_NEVER) {
		ppu_core_run(b->core, ppu_core_next_event(b->core));
		while (seen < 8 && bench_rd64(c, dst + ((seen + 1) << 20) - 8)) {
			if (seen < 7)
				ck_assert_uint_eq(bench_rd64(c, dst + ((seen + 1) << 20)), 0);
			times[seen++] = ppu_core_time(b->core);
		}
	}
	ck_assert_uint_eq(seen, 8);
	end = bench_find(b, PPU_TR_CE_DONE, -1, 0)->time;
	ck_assert_uint_eq(times[7], end);
	for (unsigned i = 1; i < 8; i++)	/* 2^20 bytes at 12000 MB/s: 87381.3 ns */
		ck_assert(times[i] - times[i - 1] == 87381 || times[i] - times[i - 1] == 87382);
	/* Rounding errors do not add up: cost of 8 MiB + set-up 1000 + command 20. */
	ck_assert_uint_eq(end - bench_find(b, PPU_TR_CE_START, -1, 0)->time,
			  (8ull << 20) * 1000 / 12000 + 1020);
	bench_free(b);
}
END_TEST

/* Stopping a channel takes effect between chunks: bytes that were moved stay, the others are never moved. */
START_TEST(abort_between_chunks)
{
	struct bench *b = bench_new("vram=64M copy-engines=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct bench_chan *next = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t dst = bench_alloc(c, 8 << 20, BENCH_VRAM);

	bench_fill(ch, 0, dst, 0xab, 8 << 20);
	bench_submit(ch);
	bench_run_for(b, 200000);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	bench_copy(next, dst, dst + (7 << 20), 100);
	bench_submit(next);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, dst + (2 << 20) - 8), 0xababababababababull);
	ck_assert_uint_eq(bench_rd64(c, dst + (2 << 20)), 0);
	ck_assert_uint_eq(bench_rd64(c, dst + (7 << 20)), 0xababababababababull);
	ck_assert_str_eq(bench_copies_text(b), "1.0");
	bench_free(b);
}
END_TEST

/* And the copies of others, on other engines, go on. */
START_TEST(abort_of_one_of_two)
{
	struct bench *b = bench_new("vram=64M copy-engines=2");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8), *other = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t dst = bench_alloc(c, 16 << 20, BENCH_VRAM);

	bench_fill(ch, 0, dst, 0xab, 8 << 20);
	bench_fill(other, 0, dst + (8 << 20), 0xcd, 8 << 20);
	bench_submit(ch);
	bench_submit(other);
	bench_run_for(b, 200000);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, dst + (8 << 20) - 8), 0);
	ck_assert_uint_eq(bench_rd64(c, dst + (16 << 20) - 8), 0xcdcdcdcdcdcdcdcdull);
	ck_assert_uint_eq(bench_get(other), 1);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CE_ABORT, -1), 1);
	bench_free(b);
}
END_TEST

static void expect(struct bench *b, struct bench_chan *ch, unsigned err, uint64_t va, unsigned acc)
{
	uint32_t w[PPU_FAULT_REC_WORDS];
	struct ppu_fault_rec rec;

	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), err);
	if (acc == ~0u)
		return;
	bench_set(b, PPU_REG_FAULT_SEL, 0);
	for (unsigned i = 0; i < PPU_FAULT_REC_WORDS; i++)
		w[i] = bench_reg(b, PPU_REG_FAULT_DATA);
	memcpy(&rec, w, sizeof(rec));
	ck_assert_uint_eq(rec.code, err);
	ck_assert_uint_eq(rec.va, va);
	ck_assert_uint_eq(rec.unit, PPU_UNIT_CE);
	ck_assert_uint_eq(rec.access, acc);
	ck_assert_uint_eq(rec.channel, ch->id);
	ck_assert_uint_eq(rec.inst, ch->c->inst);
	bench_set(b, PPU_REG_FAULT_GET, bench_reg(b, PPU_REG_FAULT_PUT));
}

static void again(struct bench_chan *ch)
{
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	bench_chan_enable(ch);
	ch->put = 0;
}

START_TEST(faults)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t v = bench_alloc(c, 1 << 20, BENCH_VRAM), s = bench_alloc(c, 1 << 20, BENCH_SYS);
	uint64_t ro = bench_alloc(c, 4096, BENCH_VRAM | PPU_PTE_READONLY);
	uint64_t pr = bench_alloc(c, 4096, BENCH_VRAM | PPU_PTE_PRIV);
	uint64_t word = bench_alloc(c, 4096, BENCH_VRAM);

	/* Beyond the end of a mapping: the bytes before it have been moved. */
	bench_fill(ch, 0, v, 0x11, 1 << 20);
	bench_copy(ch, v, s + 4096, 1 << 20);
	bench_submit(ch);
	expect(b, ch, PPU_ERR_COPY_FAULT, s + (1 << 20), PPU_ACC_WRITE);
	ck_assert_uint_eq(bench_rd64(c, s + (1 << 20) - 8), 0x1111111111111111ull);
	again(ch);
	bench_copy(ch, v + 100, s, 1 << 20);
	bench_submit(ch);
	expect(b, ch, PPU_ERR_COPY_FAULT, v + (1 << 20), PPU_ACC_READ);
	again(ch);
	bench_copy(ch, v, ro + 8, 8);
	bench_submit(ch);
	expect(b, ch, PPU_ERR_COPY_FAULT, ro + 8, PPU_ACC_WRITE);
	again(ch);
	bench_copy(ch, ro, v, 8);
	bench_release(ch, 0, word, 1);
	bench_submit(ch);
	expect(b, ch, 0, 0, ~0u);
	ck_assert_uint_eq(bench_rd64(c, word), 1);
	bench_copy(ch, pr, v, 8);
	bench_submit(ch);
	expect(b, ch, PPU_ERR_COPY_FAULT, pr, PPU_ACC_READ);
	again(ch);
	b->dma_off = true;
	ppu_core_invalidate_maps(b->core);
	bench_copy(ch, v, s, 8);
	bench_submit(ch);
	expect(b, ch, PPU_ERR_DMA_FAULT, s, PPU_ACC_WRITE);
	bench_free(b);
}
END_TEST

/* Impossible sizes: each is an error of that channel, and none overflows. */
START_TEST(bad_arguments)
{
	const uint64_t top = 1ull << 48, va = 0x100000000ull;
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);

	for (unsigned i = 0;; i++) {
		switch (i) {
		case 0: bench_copy(ch, va, va, ~0ull); break;
		case 1: bench_copy(ch, va, top, 1); break;
		case 2: bench_copy(ch, top - 1, va, 2); break;
		case 3: bench_copy(ch, ~0ull, va, 1); break;
		case 4: bench_copy2d(ch, va, va, 4, 8, 5, 2); break;
		case 5: bench_copy2d(ch, va, va, 8, 4, 5, 2); break;
		case 6: bench_copy2d(ch, va, va, 1ull << 40, 8, 5, ~0u); break;
		case 7: bench_copy2d(ch, va, va, ~0ull, ~0ull, ~0u, ~0u); break;
		case 8: bench_fill(ch, 4, va, 0, 1); break;
		case 9: bench_fill(ch, 7, va, 0, 1); break;
		case 10: bench_fill(ch, 3, va + 4, 0, 1); break;
		case 11: bench_fill(ch, 3, va, 0, 1ull << 61); break;
		case 12: bench_fill(ch, 3, va, 0, ~0ull); break;
		case 13: bench_fill2d(ch, 2, va, 6, 0, 1, 2); break;
		case 14: bench_fill2d(ch, 3, va, 8, 0, ~0u, ~0u); break;
		case 15: bench_copy2d(ch, va, va, 2 * top, 8, 4, 1); break;
		case 16: bench_copy2d(ch, va, va, 8, 2 * top, 4, 1); break;
		case 17: bench_copy2d(ch, va, top - 100, 50, 50, 40, 3); break;
		case 18: bench_copy2d(ch, top - 100, va, 50, 50, 40, 3); break;
		default:
			bench_free(b);
			return;
		}
		bench_submit(ch);
		ck_assert(bench_run(b));
		ck_assert_msg(bench_chan_reg(ch, PPU_REG_CH_ERROR) == PPU_ERR_COPY_ARGS,
			      "case %u: error %u", i, bench_chan_reg(ch, PPU_REG_CH_ERROR));
		ck_assert_uint_eq(bench_count(b, PPU_TR_CE_START, -1), 0);
		again(ch);
	}
}
END_TEST

/* CP-2: a launch in a copy channel and a copy in a compute channel are errors. */
START_TEST(channel_classes)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *copy = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct bench_chan *comp = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);

	bench_launch(copy, 0x100);
	bench_submit(copy);
	bench_copy(comp, 0, 0, 1);
	bench_submit(comp);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(copy, PPU_REG_CH_ERROR), PPU_ERR_WRONG_CLASS);
	ck_assert_uint_eq(bench_chan_reg(comp, PPU_REG_CH_ERROR), PPU_ERR_WRONG_CLASS);
	bench_free(b);
}
END_TEST

/* WQ-17: A copy engine writes a word for which a channel waits: the channel goes on, without a kick. */
START_TEST(copy_writes_semaphore)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct bench_chan *w = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 65536, kinds[_i]);
	const struct ppu_trace_rec *r;

	bench_acquire(w, PPU_SEM_OP_EQ | PPU_CMDF_SEM_32, s + 0x3004, 7);
	bench_inc(w, 0, s + 0x8000);
	bench_submit(w);
	ck_assert(bench_run(b));
	bench_fill(ch, 2, s + 0x3008, 7, 100);		/* beside it */
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 0);
	bench_fill(ch, 2, s, 7, 8192);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(w), 1);
	r = bench_find(b, PPU_TR_SEM_WRITE, -1, 1);	/* 0: the other half of the granule */
	ck_assert_uint_eq(r->a, PPU_TRW_CE);
	ck_assert_uint_eq(r->b, s + 0x3004);
	ck_assert_uint_eq(r->c, 0);
	ck_assert_uint_eq(r->d, 7);
	bench_free(b);
}
END_TEST

/* All memory that is written is reported dirty, once. */
START_TEST(dirty)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t v = bench_alloc(c, 3 << 20, BENCH_VRAM), s = bench_alloc(c, 3 << 20, BENCH_SCATTER);

	bench_copy(ch, v + 3, s + 5, (2 << 20) + 1);
	bench_copy(ch, s + 3, v + 5, (1 << 20) + 7);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(b->ram_dirty, (2 << 20) + 1);
	ck_assert_uint_eq(b->vram_dirty, (1 << 20) + 7);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CE_BYTES), (3 << 20) + 8);
	bench_free(b);
}
END_TEST

/*
 * What is reported of rows in VRAM are the pages that they lie in: what is between them is reported with them only where
 * that adds no page.
 */
START_TEST(dirty_pages_of_rows)
{
	static const struct { uint64_t pitch, width, at; } how[] = {
		{ 4096, 100, 0 }, { 4195, 100, 4090 }, { 4196, 100, 17 }, { 8192, 4096, 0 }, { 8192, 4097, 4095 },
		{ 12288, 1, 4095 }, { 700, 256, 3 }, { 20000, 9000, 77 }, { 300, 300, 0 },
	};
	const uint64_t rows = 90, bytes = 2 << 20;
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t src = bench_alloc(c, bytes, BENCH_LARGE), dst = bench_alloc(c, bytes, _i ? BENCH_LARGE : BENCH_VRAM);
	bool sys;

	bench_watch(b);
	for (unsigned i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		uint64_t first = bench_phys(c, dst, &sys) / PPU_PAGE_SIZE, page;
		uint8_t want[(2 << 20) / PPU_PAGE_SIZE] = { 0 };

		for (uint64_t r = 0; r < rows; r++)
			for (page = (how[i].at + r * how[i].pitch) / PPU_PAGE_SIZE;
			     page <= (how[i].at + r * how[i].pitch + how[i].width - 1) / PPU_PAGE_SIZE; page++)
				want[page] = 1;
		bench_copy2d(ch, src, dst + how[i].at, how[i].pitch, how[i].pitch, (uint32_t)how[i].width, (uint32_t)rows);
		bench_submit(ch);
		memset(b->reported, 0, b->cfg.vram / PPU_PAGE_SIZE);
		while (ppu_core_next_event(b->core) != PPU_TIME_NEVER)
			ppu_core_run(b->core, ppu_core_next_event(b->core));
		for (page = 0; page < sizeof(want); page++)
			ck_assert_msg(b->reported[first + page] == want[page], "rows of %llu every %llu: page %llu",
				      (unsigned long long)how[i].width, (unsigned long long)how[i].pitch,
				      (unsigned long long)page);
	}
	bench_free(b);
}
END_TEST

/* A row that cannot be written stops the copy: the rows before it are there, and reported, and nothing behind it. */
START_TEST(rows_before_a_fault)
{
	static const uint64_t where[] = { BENCH_VRAM, BENCH_SCATTER };
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	const uint64_t bytes = 64 * PPU_PAGE_SIZE, gone = 37;
	uint64_t src = bench_alloc(c, bytes, BENCH_SCATTER), dst = bench_alloc(c, bytes, where[_i]);

	for (uint64_t i = 0; i < bytes; i += PPU_PAGE_SIZE)
		memset(bench_ptr(c, src + i), (int)(i / PPU_PAGE_SIZE) + 1, PPU_PAGE_SIZE);
	bench_unmap(c, dst + gone * PPU_PAGE_SIZE, PPU_PAGE_SIZE);
	b->vram_dirty = b->ram_dirty = 0;
	bench_copy2d(ch, src, dst, PPU_PAGE_SIZE, PPU_PAGE_SIZE, 1000, 64);
	bench_submit(ch);
	bench_run(b);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_COPY_FAULT);
	for (uint64_t i = 0; i < 64; i++)
		if (i != gone)
			ck_assert_uint_eq(*(uint8_t *)bench_ptr(c, dst + i * PPU_PAGE_SIZE + 999), i < gone ? i + 1 : 0);
	ck_assert_uint_ge(_i ? b->ram_dirty : b->vram_dirty, gone * 1000);
	bench_free(b);
}
END_TEST

/*
 * The cost table (Documentation/hw/timing.md): a command and a set-up, then bytes at the bandwidth; a
 * row of up to 512 KiB of a pitched copy counts as 32 bytes at least.
 */
START_TEST(cost_table)
{
	static const struct { unsigned cmd, setup, mbps; } cost[] = {
		{ 20, 1000, 12000 }, { 1, 0, 1 }, { 300, 70000, 3 }, { 20, 0, 10000000 },
	};
	static const struct { uint32_t width, rows; uint64_t bytes; } what[] = {
		{ 0, 1, 0 }, { 1, 1, 1 }, { 100, 0, 0 }, { 4097, 1, 4097 }, { 3 << 20, 1, 3 << 20 },
		{ 1, 3, 96 }, { 31, 1000, 32000 }, { 32, 1000, 32000 }, { 33, 1000, 33000 },
		{ 4, 20000, 640000 }, { 700000, 3, 2100000 },
	};

	for (unsigned k = 0; k < sizeof(cost) / sizeof(cost[0]); k++) {
		struct bench *b = bench_new("vram=64M copy-engines=1");
		struct bench_ctx *c;
		struct bench_chan *ch;
		uint64_t src, dst, busy = 0;

		b->cfg.cost_cmd_ns = cost[k].cmd;
		b->cfg.cost_ce_setup_ns = cost[k].setup;
		b->cfg.cost_ce_mbps = cost[k].mbps;
		bench_new_core(b);
		c = bench_ctx_new(b);
		ch = bench_chan_new(c, PPU_CLASS_COPY, 64);
		src = bench_alloc(c, AREA, BENCH_VRAM);
		dst = bench_alloc(c, AREA, BENCH_SCATTER);
		for (unsigned i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
			uint64_t bytes = what[i].bytes, fixed = cost[k].cmd + cost[k].setup;
			uint64_t want = fixed + bytes * 1000 / cost[k].mbps, took;

			if (what[i].rows == 1)
				bench_copy(ch, src, dst, what[i].width);
			else
				bench_copy2d(ch, src, dst, what[i].width + 4, what[i].width,
					     what[i].width, what[i].rows);
			bench_submit(ch);
			ck_assert(bench_run(b));
			took = bench_find(b, PPU_TR_CE_DONE, 0, i)->time -
			       bench_find(b, PPU_TR_CE_START, 0, i)->time;
			ck_assert_msg(took == want, "cost %u, copy %u: %llu ns, not %llu", k, i,
				      (unsigned long long)took, (unsigned long long)want);
			busy += took;
			ck_assert_uint_eq(bench_find(b, PPU_TR_CE_DONE, 0, i)->c,
					  (uint64_t)what[i].width * what[i].rows);
			ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CE_COPIES), i + 1);
			ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CE_BUSY_NS), busy);
		}
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
		bench_free(b);
	}
}
END_TEST

/* Work per event is bounded even when rows are short: at most 8192 rows at a time. */
START_TEST(short_rows_come_in_chunks)
{
	const uint32_t rows = 100000;
	struct bench *b = bench_new("vram=64M copy-engines=1 cost-ce-mbps=1000");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t dst = bench_alloc(c, rows * 2ull, BENCH_VRAM), seen = 0, n;
	unsigned steps = 0;
	uint8_t *p = malloc(rows * 2ull);

	bench_fill2d(ch, 0, dst, 2, 0x55, 1, rows);
	bench_submit(ch);
	while (ppu_core_next_event(b->core) != PPU_TIME_NEVER) {
		ppu_core_request_stop(b->core);
		ppu_core_run(b->core, ppu_core_next_event(b->core));
		ppu_core_run(b->core, ppu_core_next_event(b->core));
		bench_read(c, dst, p, rows * 2ull);
		for (n = seen; n < rows && p[2 * n] == 0x55; n++)
			ck_assert_uint_eq(p[2 * n + 1], 0);
		ck_assert_uint_le(n - seen, 8192);
		steps += n != seen;
		seen = n;
	}
	ck_assert_uint_eq(seen, rows);
	ck_assert_uint_ge(steps, 13);
	free(p);
	bench_free(b);
}
END_TEST

/* HW-76: the number of copy engines is a property; that many copies run at once, and no more. */
START_TEST(number_of_engines)
{
	static const unsigned numbers[] = { 1, 2, 5, 32 };
	char props[60];

	for (unsigned k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
		unsigned now = 0, most = 0, engines = 0;
		struct bench_chan *ch;
		struct bench_ctx *c;
		struct bench *b;
		uint64_t buf;

		snprintf(props, sizeof(props), "copy-engines=%u", numbers[k]);
		b = bench_new(props);
		c = bench_ctx_new(b);
		buf = bench_alloc(c, 1 << 20, BENCH_VRAM);
		ck_assert_uint_eq(bench_reg(b, PPU_REG_CAP_COPY_ENGINES), numbers[k]);
		for (unsigned i = 0; i < 40; i++) {
			ch = bench_chan_new(c, PPU_CLASS_COPY, 4);
			bench_fill(ch, 0, buf, i, 1 << 20);
			bench_submit(ch);
		}
		ck_assert(bench_run(b));
		for (size_t i = 0; i < b->num_trace; i++) {
			if (b->trace[i].event == PPU_TR_CE_START) {
				most = ++now > most ? now : most;
				engines |= 1u << b->trace[i].unit;
			} else if (b->trace[i].event == PPU_TR_CE_DONE) {
				now--;
			}
		}
		ck_assert_uint_eq(most, numbers[k]);
		ck_assert_uint_eq(engines, numbers[k] == 32 ? ~0u : (1u << numbers[k]) - 1);
		ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CE_COPIES), 40);
		bench_free(b);
	}
}
END_TEST

/* ---- a peer's memory ------------------------------------------------------------------------------- */

#define PEER_BUS	0x0000700000000000ull	/* where the other device's BAR2 lies on the bus */
#define PEER_HOLE	(1ull << 20)		/* a part of the peer's memory that cannot be reached, to test faults */

static struct {
	struct bench *peer;
	void *(*map)(void *opaque, uint64_t bus, uint64_t *len, bool write);
	void (*dirty)(void *opaque, uint64_t bus, uint64_t len);
	uint64_t dirty_bytes, dirty_low, dirty_high;
	bool pages;				/* the map port gives one page at a time */
	bool gone;
} link_;

static void *map_peer(void *opaque, uint64_t bus, uint64_t *len, bool write)
{
	uint64_t off = bus - PEER_BUS;

	if (off >= link_.peer->cfg.vram)
		return link_.map(opaque, bus, len, write);
	if (off - PEER_HOLE < 4096 || link_.gone)
		return NULL;
	if (*len > link_.peer->cfg.vram - off)
		*len = link_.peer->cfg.vram - off;
	if (off < PEER_HOLE && *len > PEER_HOLE - off)
		*len = PEER_HOLE - off;
	if (link_.pages && *len > 4096 - off % 4096)
		*len = 4096 - off % 4096;
	return link_.peer->vram + off;
}

static void dirty_peer(void *opaque, uint64_t bus, uint64_t len)
{
	uint64_t off = bus - PEER_BUS;

	if (off >= link_.peer->cfg.vram) {
		link_.dirty(opaque, bus, len);
		return;
	}
	ck_assert_uint_le(len, link_.peer->cfg.vram - off);
	link_.dirty_bytes += len;
	if (off < link_.dirty_low)
		link_.dirty_low = off;
	if (off + len > link_.dirty_high)
		link_.dirty_high = off + len;
}

/* CP-31, HW-2: copies to and from another device's VRAM through its BAR, and semaphores in it. */
START_TEST(peer_bar)
{
	static const uint64_t sizes[] = { 1, 4095, 4096, 4097, 1 << 20, (1 << 20) + 13 };
	struct bench *a = bench_new("vram=64M"), *p = bench_new("vram=64M");
	struct bench_ctx *c, *pc = bench_ctx_new(p);
	struct bench_chan *ch, *waits = bench_chan_new(pc, PPU_CLASS_COMPUTE, 8);
	uint64_t far = bench_alloc(pc, 16 << 20, BENCH_VRAM), near, sys, va = 0x600000000000ull, off;
	uint8_t *data = noise(2 << 20);
	bool is_sys;

	link_.peer = p;
	link_.map = a->ports.map;
	link_.dirty = a->ports.mark_dirty;
	link_.pages = _i;
	link_.gone = false;
	a->ports.map = map_peer;
	a->ports.mark_dirty = dirty_peer;
	bench_new_core(a);
	c = bench_ctx_new(a);
	ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	near = bench_alloc(c, 2 << 20, BENCH_VRAM);
	sys = bench_alloc(c, 2 << 20, BENCH_SCATTER);
	off = bench_phys(pc, far, &is_sys);
	/* In another order than on the bus: scatter/gather works for the peer's pages, too. */
	for (unsigned i = 0; i < 512; i++)
		bench_map(c, va + 4096 * i, PEER_BUS + off + (8 << 20) + 4096 * (511 - i), 4096,
			  PPU_PTE_SYS);
	bench_map(c, va + (4 << 20), PEER_BUS + off, 2 << 20, PPU_PTE_SYS);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t n = sizes[i], at = rnd(5000), x = rnd(5000), y = rnd(5000);
		uint8_t *got = malloc(n);

		bench_write(c, near + at, data, n);
		link_.dirty_bytes = link_.dirty_high = 0;
		link_.dirty_low = ~0ull;
		/* VRAM -> peer, peer -> peer elsewhere, peer -> system memory, peer -> VRAM */
		bench_copy(ch, near + at, va + x, n);
		bench_copy(ch, va + x, va + (4 << 20) + y, n);
		bench_copy(ch, va + (4 << 20) + y, sys + at, n);
		bench_fill(ch, 0, near, 0, 2 << 20);
		bench_copy(ch, va + x, near + y, n);
		bench_submit(ch);
		ck_assert(bench_run(a));
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
		ck_assert_uint_eq(link_.dirty_bytes, 2 * n);
		ck_assert_uint_eq(link_.dirty_low, off + y);
		bench_read(pc, far + y, got, n);
		ck_assert_int_eq(memcmp(got, data, n), 0);
		bench_read(c, sys + at, got, n);
		ck_assert_int_eq(memcmp(got, data, n), 0);
		bench_read(c, near + y, got, n);
		ck_assert_int_eq(memcmp(got, data, n), 0);
		free(got);
	}
	/*
	 * The peer's channel waits for a word in the peer's memory; like a CPU's store, it sees this store at a kick.
	 */
	bench_wr64(pc, far, 0);
	bench_acquire(waits, PPU_SEM_OP_EQ, far, 5);
	bench_submit(waits);
	ck_assert(bench_run(p));
	bench_release(ch, 0, va + (4 << 20), 5);
	bench_submit(ch);
	ck_assert(bench_run(a));
	bench_kick(waits);
	ck_assert(bench_run(p));
	ck_assert_uint_eq(bench_get(waits), 1);
	/* Addresses beyond the BAR's end, and addresses without memory: a fault of that channel. */
	bench_map(c, va + (8 << 20), PEER_BUS + p->cfg.vram, 4096, PPU_PTE_SYS);
	bench_map(c, va + (9 << 20), PEER_BUS + PEER_HOLE, 4096, PPU_PTE_SYS);
	bench_invalidate(c);
	for (unsigned i = 8; i < 10; i++) {
		bench_copy(ch, va + ((uint64_t)i << 20), near, 64);
		bench_submit(ch);
		ck_assert(bench_run(a));
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_DMA_FAULT);
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR_VA_LO),
				  (uint32_t)(va + ((uint64_t)i << 20)));
		again(ch);
	}
	/*
	 * The peer is unplugged while a copy to it runs: bytes that were moved stay, the rest of the copy is a fault.
	 */
	bench_fill(ch, 0, near, 0x5a, 2 << 20);
	bench_copy(ch, near, va + (4 << 20), 2 << 20);
	bench_submit(ch);
	bench_run_for(a, 300000);
	ck_assert_uint_eq(bench_rd64(pc, far), 0x5a5a5a5a5a5a5a5aull);
	link_.gone = true;
	ppu_core_invalidate_maps(a->core);
	ck_assert(bench_run(a));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_DMA_FAULT);
	ck_assert_uint_eq(bench_rd64(pc, far + (1 << 20) - 8), 0x5a5a5a5a5a5a5a5aull);
	ck_assert_uint_ne(bench_rd64(pc, far + (1 << 20)), 0x5a5a5a5a5a5a5a5aull);
	free(data);
	bench_free(a);
	bench_free(p);
}
END_TEST

/* Pages next to each other for the host but not on the bus are reported dirty where they are. */
static uint64_t crossed[2][2];
static unsigned num_crossed;
static uint8_t *crossed_ram;

static void *map_crossed(void *opaque, uint64_t bus, uint64_t *len, bool write)
{
	uint64_t page = bus >> 12, at = bus % 4096;

	(void)opaque;
	(void)write;
	if (page != 0x500 && page != 0x900)
		return NULL;
	if (*len > 4096 - at)
		*len = 4096 - at;
	return crossed_ram + (page == 0x900 ? 4096 : 0) + at;
}

static void dirty_crossed(void *opaque, uint64_t bus, uint64_t len)
{
	(void)opaque;
	ck_assert_uint_lt(num_crossed, 2);
	crossed[num_crossed][0] = bus;
	crossed[num_crossed++][1] = len;
}

START_TEST(dirty_where_it_is)
{
	struct bench *b = bench_new("vram=64M");
	struct bench_ctx *c;
	struct bench_chan *ch;
	uint64_t va = 0x600000000000ull;

	crossed_ram = calloc(1, 8192);
	num_crossed = 0;
	b->ports.map = map_crossed;
	b->ports.mark_dirty = dirty_crossed;
	bench_new_core(b);
	c = bench_ctx_new(b);
	ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	bench_map(c, va, 0x500000, 4096, PPU_PTE_SYS);
	bench_map(c, va + 4096, 0x900000, 4096, PPU_PTE_SYS);
	bench_fill(ch, 0, va + 8, 0x77, 8000);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(num_crossed, 2);
	ck_assert_uint_eq(crossed[0][0], 0x500008);
	ck_assert_uint_eq(crossed[0][1], 4088);
	ck_assert_uint_eq(crossed[1][0], 0x900000);
	ck_assert_uint_eq(crossed[1][1], 8000 - 4088);
	ck_assert_uint_eq(crossed_ram[8007], 0x77);
	ck_assert_uint_eq(crossed_ram[8008], 0);
	bench_free(b);
	free(crossed_ram);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ce");
	TCase *t = tcase_create("ce");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, linear_copies, 0, 16);
	tcase_add_loop_test(t, null_pages, 0, 4);
	tcase_add_loop_test(t, overlap, 0, 4);
	tcase_add_loop_test(t, huge, 0, 2);
	tcase_add_loop_test(t, pitched, 0, 4);
	tcase_add_loop_test(t, fill, 0, 4);
	tcase_add_loop_test(t, huge_fill, 0, 4);
	tcase_add_test(t, rows_and_the_tlb);
	tcase_add_loop_test(t, dirty_pages_of_rows, 0, 2);
	tcase_add_loop_test(t, rows_before_a_fault, 0, 2);
	tcase_add_test(t, chunks_at_their_own_time);
	tcase_add_test(t, abort_between_chunks);
	tcase_add_test(t, abort_of_one_of_two);
	tcase_add_test(t, faults);
	tcase_add_test(t, bad_arguments);
	tcase_add_test(t, channel_classes);
	tcase_add_loop_test(t, copy_writes_semaphore, 0, 4);
	tcase_add_test(t, dirty);
	tcase_add_test(t, cost_table);
	tcase_add_test(t, short_rows_come_in_chunks);
	tcase_add_test(t, number_of_engines);
	tcase_add_loop_test(t, peer_bar, 0, 2);
	tcase_add_test(t, dirty_where_it_is);
	tcase_add_test(t, copies_are_shown);
	suite_add_tcase(s, t);
	return run_suite(s);
}
