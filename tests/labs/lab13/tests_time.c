/* SPDX-License-Identifier: MIT */
/* Lab 13: when things happen, several engines, faults, channels that are stopped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine.h"

#define MB	(1u << 20)
#define PROPS	"copy-engines=3 vram=64M cost-ce-mbps=1000 cost-ce-setup-ns=5000 cost-cmd-ns=20"
#define SETUP	5020

static uint64_t took(struct bench *b, unsigned nth)
{
	const struct ppu_trace_rec *start = bench_find(b, PPU_TR_CE_START, -1, nth);
	const struct ppu_trace_rec *done = bench_find(b, PPU_TR_CE_DONE, -1, nth);

	EXPECT(start && done, "copy %u was not done", nth);
	return done->time - start->time;
}

static void expect_time(struct bench *b, const char *what, uint64_t ns)
{
	uint64_t is = took(b, 0);

	EXPECT(is == ns, "%s takes %llu ns, it should be %llu", what, (unsigned long long)is, (unsigned long long)ns);
	bench_clear(b);
}

/* How many bytes of a 3 MiB copy have arrived? */
static uint64_t arrived(struct bench_ctx *c, const struct area *from, const struct area *to)
{
	uint8_t *is = malloc(to->bytes);
	uint64_t n = 0;

	bench_read(c, to->va, is, to->bytes);
	while (n < to->bytes && is[n] == from->want[n])
		n++;
	free(is);
	return n;
}

void test_time(void)
{
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 64);
	struct area from = area_new(c, 3 * MB, BENCH_VRAM), to = area_new(c, 3 * MB, BENCH_VRAM);
	uint64_t n;

	for (uint64_t i = 0; i < to.bytes; i++)
		to.want[i] = (uint8_t)~from.want[i];
	bench_write(c, to.va, to.want, to.bytes);
	bench_clear(b);
	bench_copy(ch, from.va, to.va, 3 * MB);
	bench_submit(ch);
	while (!bench_count(b, PPU_TR_CE_START, -1))
		bench_run_for(b, 100);
	bench_run_to(b, bench_find(b, PPU_TR_CE_START, -1, 0)->time + SETUP + MB - 1000);
	n = arrived(c, &from, &to);
	EXPECT(!n, "%llu bytes of a copy of 3 MiB are there before the first MiB can have arrived", (unsigned long long)n);
	bench_run_for(b, 2000);
	n = arrived(c, &from, &to);
	EXPECT(n && n <= MB, "%llu bytes of a copy of 3 MiB are there when 1 MiB can have arrived", (unsigned long long)n);
	run(b, ch, "a copy of 3 MiB");
	expect_time(b, "a copy of 3 MiB", SETUP + 3 * MB);
	EXPECT(written_at_once <= MB, "%llu bytes were written in one event: a chunk has at most 1 MiB",
	       (unsigned long long)written_at_once);
	bench_copy(ch, from.va, to.va, 0);
	bench_submit(ch);
	run(b, ch, "a copy of 0 bytes");
	expect_time(b, "a copy of 0 bytes", SETUP);
	bench_copy2d(ch, from.va, to.va, 16, 16, 4, 1000);
	bench_submit(ch);
	run(b, ch, "a COPY_2D of 1000 rows of 4 bytes");
	expect_time(b, "a COPY_2D of 1000 rows of 4 bytes", SETUP + 32000);
	bench_copy2d(ch, from.va, to.va, 4096, 4096, 4000, 700);
	bench_submit(ch);
	run(b, ch, "a COPY_2D of 700 rows of 4000 bytes");
	expect_time(b, "a COPY_2D of 700 rows of 4000 bytes", SETUP + 2800000);
	EXPECT(written_at_once <= MB, "%llu bytes of a COPY_2D were written in one event: a chunk has at most 1 MiB",
	       (unsigned long long)written_at_once);
	bench_free(b);
	/* 7 bytes take 3 of these ns, in fractions: the end is computed from the start, not from chunk to chunk. */
	b = bench_new("copy-engines=1 vram=64M cost-ce-mbps=3000 cost-ce-setup-ns=5000 cost-cmd-ns=20");
	c = bench_ctx_new(b);
	ch = bench_chan_new(c, PPU_CLASS_COPY, 64);
	from = area_new(c, 7 * MB, BENCH_VRAM);
	to = area_new(c, 7 * MB, BENCH_VRAM);
	bench_copy(ch, from.va, to.va, 7 * MB - 1);
	bench_submit(ch);
	run(b, ch, "a copy of 7 MiB less one byte at 3000 MB/s");
	expect_time(b, "a copy of 7 MiB less one byte at 3000 MB/s", SETUP + (7ull * MB - 1) * 1000 / 3000);
	bench_free(b);
}

void test_engines(void)
{
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c[3];
	struct bench_chan *ch[3];
	struct area from[3], to[3];
	char what[80];

	for (unsigned k = 0; k < 3; k++) {
		c[k] = bench_ctx_new(b);
		ch[k] = bench_chan_new(c[k], PPU_CLASS_COPY, 16);
		bench_alloc(c[k], 100000 * (k + 1), BENCH_VRAM);	/* each has other addresses */
		from[k] = area_new(c[k], 2 * MB, BENCH_VRAM);
		to[k] = area_new(c[k], 2 * MB, BENCH_VRAM);
	}
	for (unsigned k = 0; k < 3; k++) {
		uint64_t n = 2 * MB - 300000 * k;

		bench_copy(ch[k], from[k].va, to[k].va, n);
		memcpy(to[k].want, from[k].want, n);
		bench_submit(ch[k]);
		bench_run_for(b, 1000);
	}
	for (unsigned k = 0; k < 3; k++)
		run(b, ch[k], "three copies on three engines");
	for (unsigned k = 0; k < 3; k++) {
		snprintf(what, sizeof(what), "three copies at once, that of engine %u,", k);
		area_check(c[k], &to[k], what);
	}
	EXPECT(bench_find(b, PPU_TR_CE_DONE, -1, 0)->unit == 2, "of three copies at once the shortest was not done first");
	for (unsigned k = 0; k < 3; k++)
		EXPECT(took(b, k) <= SETUP + 2 * MB, "three copies at once take longer than one after the other");
	bench_free(b);
}

/* The last fault record: address and access. */
static void expect_fault(struct bench *b, const char *what, uint64_t va, unsigned access, unsigned engine)
{
	struct ppu_fault_rec rec = { 0 };
	uint32_t w[PPU_FAULT_REC_WORDS];

	EXPECT(bench_reg(b, PPU_REG_FAULT_PUT) != bench_reg(b, PPU_REG_FAULT_GET), "%s: there is no fault record", what);
	bench_set(b, PPU_REG_FAULT_SEL, 0);
	for (unsigned i = 0; i < PPU_FAULT_REC_WORDS; i++)
		w[i] = bench_reg(b, PPU_REG_FAULT_DATA);
	memcpy(&rec, w, sizeof(rec) < sizeof(w) ? sizeof(rec) : sizeof(w));
	EXPECT(rec.va == va && rec.access == access && rec.unit_index == engine,
	       "%s: the fault record says %s of %llx on engine %u, it should be %s of %llx on engine %u", what,
	       rec.access == PPU_ACC_WRITE ? "a write" : "a read", (unsigned long long)rec.va, rec.unit_index,
	       access == PPU_ACC_WRITE ? "a write" : "a read", (unsigned long long)va, engine);
	bench_set(b, PPU_REG_FAULT_GET, bench_reg(b, PPU_REG_FAULT_PUT));
}

/* A copy that reaches a page which is not there: what is before the page has arrived, and nothing else. */
static void fault(bool dst, bool fill)
{
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 16), *other = bench_chan_new(c, PPU_CLASS_COPY, 16);
	struct area from = area_new(c, 64 << 10, BENCH_VRAM), to = area_new(c, 64 << 10, BENCH_VRAM);
	const char *what = fill ? "a fill of a page that is not there" : dst ? "a copy to a page that is not there" :
			   "a copy from a page that is not there";
	uint64_t s = 104, d = 200, bad, before;

	/* A page of 4 KiB behind the area is not mapped. */
	bad = (dst ? to.va : from.va) + (64 << 10);
	before = bad - (dst ? to.va + d : from.va + s);
	if (before > (64 << 10) - d)
		before = (64 << 10) - d;
	bench_clear(b);
	if (fill)
		bench_fill(ch, 3, to.va + d, 0x0102030405060708ull, 10000);
	else if (dst)
		bench_copy(ch, from.va, to.va + d, 64 << 10);
	else
		bench_copy(ch, from.va + 40000, to.va + d, 30000);
	bench_submit(ch);
	EXPECT(bench_run(b), "%s: the device is never idle again", what);
	EXPECT(bench_count(b, PPU_TR_CH_ERROR, -1) == 1, "%s: the channel has %u errors, it should be one", what,
	       (unsigned)bench_count(b, PPU_TR_CH_ERROR, -1));
	expect_fault(b, what, bad, dst ? PPU_ACC_WRITE : PPU_ACC_READ, 0);
	if (fill)
		fill_want(to.want + d, 0x0102030405060708ull, 8, before);
	else if (dst)
		memcpy(to.want + d, from.want, before);
	else
		memcpy(to.want + d, from.want + 40000, (64 << 10) - 40000);
	area_check(c, &to, what);
	EXPECT(!bench_count(b, PPU_TR_CE_DONE, -1), "%s is reported as done", what);
	bench_copy(other, from.va, to.va, 5000);
	memcpy(to.want, from.want, 5000);
	bench_submit(other);
	run(b, other, "the next copy after a fault");
	area_check(c, &to, "the next copy after a fault");
	bench_free(b);
}

void test_faults(void)
{
	fault(true, false);
	fault(false, false);
	fault(true, true);
}

void test_stop(void)
{
	struct bench *b = bench_new(PROPS);
	struct bench_ctx *c[2] = { bench_ctx_new(b), bench_ctx_new(b) };
	struct bench_chan *ch[2];
	struct area from[2], to[2];
	uint64_t n;

	for (unsigned k = 0; k < 2; k++) {
		ch[k] = bench_chan_new(c[k], PPU_CLASS_COPY, 16);
		from[k] = area_new(c[k], 3 * MB, BENCH_VRAM);
		to[k] = area_new(c[k], 3 * MB, BENCH_VRAM);
		bench_copy(ch[k], from[k].va, to[k].va, 3 * MB);
		bench_submit(ch[k]);
	}
	bench_run_for(b, SETUP + MB + MB / 2);
	bench_chan_set(ch[0], PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	n = arrived(c[0], &from[0], &to[0]);
	EXPECT(n && n < 2 * MB, "of a copy of 3 MiB that is stopped after half of the time %llu bytes are there",
	       (unsigned long long)n);
	memcpy(to[1].want, from[1].want, 3 * MB);
	run(b, ch[1], "a copy beside one that is stopped");
	area_check(c[1], &to[1], "a copy beside one that was stopped");
	EXPECT(arrived(c[0], &from[0], &to[0]) == n, "a copy whose channel was stopped goes on");
	EXPECT(bench_count(b, PPU_TR_CE_DONE, -1) == 1, "a copy whose channel was stopped is reported as done");
	for (unsigned k = 0; k < 3; k++) {
		struct bench_chan *next = bench_chan_new(c[0], PPU_CLASS_COPY, 16);

		bench_copy(next, from[0].va, to[0].va, 3 * MB);
		bench_submit(next);
		run(b, next, "the next copy on the engine of one that was stopped");
	}
	memcpy(to[0].want, from[0].want, 3 * MB);
	area_check(c[0], &to[0], "the next copy on the engine of one that was stopped");
	bench_free(b);
}
