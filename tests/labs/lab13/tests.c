/* SPDX-License-Identifier: MIT */
/* Lab 13: what copies and fills leave in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine.h"

#define MB	(1u << 20)
#define PROPS	"copy-engines=3 vram=64M cost-ce-mbps=1000"

static const uint64_t kinds[] = { BENCH_VRAM, BENCH_SYS, BENCH_SCATTER };

void test_copy(void)
{
	static const uint64_t sizes[] = { 1, 3, 64, 4095, 4096, 4097, 70000, MB - 1, MB, MB + 1, 2 * MB + 77, 0 };
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 64);
	char what[100];

	for (unsigned k = 0; k < 3; k++) {
		struct area from = area_new(c, 3 * MB, kinds[k]), to = area_new(c, 3 * MB, kinds[(k + 1) % 3]);

		for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			uint64_t n = sizes[i], s = rnd(5000), d = rnd(5000);

			snprintf(what, sizeof(what), "a copy of %llu bytes from %llu to %llu", (unsigned long long)n,
				 (unsigned long long)s, (unsigned long long)d);
			bench_clear(b);
			bench_copy(ch, from.va + s, to.va + d, n);
			bench_submit(ch);
			run(b, ch, what);
			memcpy(to.want + d, from.want + s, n);
			area_check(c, &to, what);
			EXPECT(bench_find(b, PPU_TR_CE_DONE, -1, 0)->c == n, "%s: dev_done() says %llu bytes", what,
			       (unsigned long long)bench_find(b, PPU_TR_CE_DONE, -1, 0)->c);
		}
		area_check(c, &from, "copies out of it");
	}
	bench_free(b);
}

void test_overlap(void)
{
	static const uint64_t sizes[] = { 10, 4096, 10000, MB + 5000, 2 * MB + 9 };
	static const int64_t by[] = { 1, -1, 7, -7, 4096, -4096, 5000, -5000 };
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 64);
	struct area a = area_new(c, 3 * MB, BENCH_SCATTER);
	char what[100];

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (unsigned k = 0; k < sizeof(by) / sizeof(by[0]); k++) {
			uint64_t s = 8000 + rnd(1000), d = s + (uint64_t)by[k];

			snprintf(what, sizeof(what), "a copy of %llu bytes onto itself, moved by %lld", (unsigned long long)sizes[i],
				 (long long)by[k]);
			bench_copy(ch, a.va + s, a.va + d, sizes[i]);
			bench_submit(ch);
			run(b, ch, what);
			memmove(a.want + d, a.want + s, sizes[i]);
			area_check(c, &a, what);
		}
	}
	bench_free(b);
}

void test_fill(void)
{
	static const uint64_t bytes[] = { 8, 16, 4096, 5000, 40000, 2 * MB };
	const uint64_t value = 0x8877665544332211ull;
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 64);
	struct area a = area_new(c, 3 * MB, BENCH_VRAM);
	char what[100];

	for (unsigned log2 = 0; log2 < 4; log2++) {
		for (unsigned i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
			uint64_t at = rnd(6000) & ~7ull;

			at += log2 < 3 ? 1u << log2 : 0;
			snprintf(what, sizeof(what), "a fill of %llu elements of %u bytes", (unsigned long long)(bytes[i] >> log2),
				 1u << log2);
			bench_fill(ch, log2, a.va + at, value, bytes[i] >> log2);
			bench_submit(ch);
			run(b, ch, what);
			fill_want(a.want + at, value, 1u << log2, bytes[i]);
			area_check(c, &a, what);
		}
	}
	bench_free(b);
}

static void rows(struct bench *b, struct bench_ctx *c, struct bench_chan *ch, struct area *from, struct area *to,
		 uint64_t width, uint64_t n, uint64_t more)
{
	uint64_t sp = width + more, dp = width + 2 * more, s = rnd(100), d = rnd(100) & ~7u;
	char what[100];

	snprintf(what, sizeof(what), "a COPY_2D of %llu rows of %llu bytes", (unsigned long long)n, (unsigned long long)width);
	bench_copy2d(ch, from->va + s, to->va + d, sp, dp, (uint32_t)width, (uint32_t)n);
	bench_submit(ch);
	run(b, ch, what);
	for (uint64_t i = 0; i < n; i++)
		memcpy(to->want + d + i * dp, from->want + s + i * sp, width);
	area_check(c, to, what);
	snprintf(what, sizeof(what), "a FILL_2D of %llu rows of %llu bytes", (unsigned long long)n, (unsigned long long)width);
	dp &= ~1ull;
	width = width > dp ? dp : width & ~1ull;
	bench_fill2d(ch, 1, to->va + d, dp, 0xa1b2, (uint32_t)(width / 2), (uint32_t)n);
	bench_submit(ch);
	run(b, ch, what);
	for (uint64_t i = 0; i < n; i++)
		fill_want(to->want + d + i * dp, 0xa1b2, 2, width);
	area_check(c, to, what);
}

void test_rows(void)
{
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 64);
	struct area from = area_new(c, 4 * MB, BENCH_SCATTER), to = area_new(c, 4 * MB, BENCH_VRAM);

	rows(b, c, ch, &from, &to, 1, 1000, 3);
	rows(b, c, ch, &from, &to, 100, 37, 0);
	rows(b, c, ch, &from, &to, 5000, 300, 123);
	rows(b, c, ch, &from, &to, 4096, 0, 8);
	rows(b, c, ch, &from, &to, 0, 9, 8);
	rows(b, c, ch, &from, &to, 600000, 3, 1000);
	rows(b, c, ch, &from, &to, 1200000, 2, 0);
	rows(b, c, ch, &from, &to, 16, 600, 10);
	area_check(c, &from, "copies out of it");
	bench_free(b);
}

static void one(struct bench_chan *ch, struct area *a)
{
	uint64_t n = 1 + rnd(rnd(4) ? 9000 : 90000), s = rnd(100000), d = rnd(100000);
	struct area *from = &a[rnd(2)], *to = &a[rnd(2)];

	if (rnd(3)) {
		bench_copy(ch, from->va + s, to->va + d, n);
		memmove(to->want + d, from->want + s, n);
	} else {
		unsigned log2 = rnd(4);
		uint64_t value = (uint64_t)rnd(1u << 31) << 32 | rnd(1u << 31);

		d &= ~7ull;
		bench_fill(ch, log2, to->va + d, value, n >> log2);
		fill_want(to->want + d, value, 1u << log2, n >> log2 << log2);
	}
}

/* Three channels with contexts of their own, all at once. */
void test_random(uint64_t seed, unsigned count)
{
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c[3];
	struct bench_chan *ch[3];
	struct area a[3][2];
	char what[100];

	rnd_seed(seed);
	for (unsigned k = 0; k < 3; k++) {
		c[k] = bench_ctx_new(b);
		ch[k] = bench_chan_new(c[k], PPU_CLASS_COPY, 64);
		a[k][0] = area_new(c[k], 200000, kinds[rnd(3)]);
		a[k][1] = area_new(c[k], 200000, kinds[rnd(3)]);
	}
	for (unsigned i = 0; i < count; i += 9) {
		for (unsigned k = 0; k < 9; k++) {
			one(ch[k % 3], a[k % 3]);
			bench_submit(ch[k % 3]);
			bench_run_for(b, rnd(30000));
		}
		snprintf(what, sizeof(what), "%u random copies and fills of three channels", i + 9);
		for (unsigned k = 0; k < 3; k++)
			run(b, ch[k], what);
		for (unsigned k = 0; k < 6; k++)
			area_check(c[k / 2], &a[k / 2][k % 2], what);
	}
	bench_free(b);
}
