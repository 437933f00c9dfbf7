/* SPDX-License-Identifier: MIT */
/*
 * The host time of a decision, counted and not measured: the files of the host interface are compiled with
 * -fsanitize-coverage=trace-pc for this test, which calls the function below at every basic block.  With a hundred
 * times the waiters, channels or contexts somewhere else, a semaphore write, a copy and a decision take about as many
 * blocks; a scan over them would take a hundred times as many. WQ-15, WQ-17, CP-29, HW-76.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"

static unsigned long long blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

#define SMALL "gpcs=1 sms-per-gpc=1 warps-per-sm=1 ctas-per-sm=1 regs-per-sm=256 shared-per-sm=1024 " \
	      "shared-per-cta=1024 " \
	      "token-queue-entries=4 device-priorities=1 vram=512M watches=2048 copy-engines=1"

enum { FEW = 20, MANY = 2000, ROUNDS = 20 };

/* Room for n channels and a few more: the size of the device does not count either. */
static struct bench *bench_quiet(unsigned n)
{
	char props[400];
	struct bench *b;

	snprintf(props, sizeof(props), SMALL " channels=%u", n + 20);
	b = bench_new(props);

	b->ports.trace = NULL;
	bench_new_core(b);
	return b;
}

static unsigned long long run_counted(struct bench *b)
{
	unsigned long long before = blocks;

	ck_assert(bench_run(b));
	return blocks - before;
}

/* How much longer a decision may take with `n` of them than with a few: for hash chains and the depth of a heap. */
static void about_equal(const char *what, unsigned long long few, unsigned long long many)
{
	ck_assert_msg(few > 0, "%s: the core is not built for counting", what);
	ck_assert_msg(many <= 2 * few, "%s: %llu blocks with %d, %llu with %d", what, few, FEW, many, MANY);
}

/* Channels blocked at words of their own, a page for every fourth, in the context c. */
static void block_channels(struct bench_ctx *c, unsigned n)
{
	uint64_t s = bench_alloc(c, 1024ull * n, BENCH_VRAM);

	for (unsigned i = 0; i < n; i++) {
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 3);

		bench_acquire(ch, PPU_SEM_OP_EQ, s + 1024 * i, 77);
		bench_submit(ch);
	}
	ck_assert(bench_run(c->b));
}

/* A release, an increment and a word written by a copy engine, in a context with waiters or in another. */
static unsigned long long writes(unsigned waiters, bool same, bool watches)
{
	struct bench *b = bench_quiet(waiters);
	struct bench_ctx *c = bench_ctx_new(b), *d = same ? c : bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(d, PPU_CLASS_COPY, 64);
	struct bench_chan *near = bench_chan_new(d, PPU_CLASS_COMPUTE, 3);
	uint64_t s = bench_alloc(d, 4096, BENCH_VRAM), w = bench_alloc(c, 8 * MANY, BENCH_VRAM);
	unsigned long long cost;
	bool sys;

	block_channels(c, waiters);
	/* A channel waits for a word in the page that is written: the words of the page must be looked up. */
	bench_acquire(near, PPU_SEM_OP_EQ, s + 64, 77);
	bench_submit(near);
	ck_assert(bench_run(b));
	for (unsigned i = 0; watches && i < waiters; i++) {
		uint64_t at = PPU_BAR0_WATCH + i * PPU_WATCH_STRIDE, p = bench_phys(c, w + 8 * i, &sys);

		bench_set(b, at + PPU_REG_WATCH_ADDR_LO, (uint32_t)p);
		bench_set(b, at + PPU_REG_WATCH_ADDR_HI, (uint32_t)(p >> 32));
		bench_set(b, at + PPU_REG_WATCH_VALUE_LO, 99);
		bench_set(b, at + PPU_REG_WATCH_CTRL, PPU_WATCH_ARM);
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		bench_release(ch, 0, s, i);
		for (unsigned k = 0; k < 30; k++)
			bench_inc(ch, 0, s + 2048 + 8 * k);
		bench_fill(ch, 3, s + 16, i, 1);
		bench_fill(ch, 3, s + 128, i, 200);
		bench_push(ch);
	}
	/* The doorbell is a kick: it checks the waiters of its own context. The writes are not kicks. */
	bench_doorbell(ch, ch->put);
	cost = run_counted(b);
	ck_assert_uint_eq(bench_rd64(d, s + 2048), ROUNDS);
	bench_free(b);
	return cost;
}

/* WQ-17 */
START_TEST(semaphore_writes)
{
	about_equal("writes, waiters in another context", writes(FEW, false, false),
		    writes(MANY, false, false));
	about_equal("writes, waiters in the same context", writes(FEW, true, false),
		    writes(MANY, true, false));
	about_equal("writes, watches", writes(FEW, true, true), writes(MANY, true, true));
}
END_TEST

/* The doorbell of a process does not look at the waiters of another. */
START_TEST(doorbells)
{
	unsigned long long cost[2];

	for (unsigned k = 0; k < 2; k++) {
		struct bench *b = bench_quiet(k ? MANY : FEW);
		struct bench_ctx *c = bench_ctx_new(b), *d = bench_ctx_new(b);
		struct bench_chan *ch = bench_chan_new(d, PPU_CLASS_COPY, 64);

		block_channels(c, k ? MANY : FEW);
		bench_nop(ch, 1);
		bench_push(ch);
		cost[k] = blocks;
		bench_doorbell(ch, ch->put);
		bench_kick(ch);
		cost[k] = blocks - cost[k];
		bench_free(b);
	}
	about_equal("doorbell", cost[0], cost[1]);
}
END_TEST

/* Copies while n other channels wait for the engine: of one context, or each of its own. */
static unsigned long long copies(unsigned n, unsigned ctxs)
{
	struct bench *b = bench_quiet(n);
	struct bench_ctx **c = calloc(ctxs, sizeof(*c));
	uint64_t *buf = calloc(ctxs, sizeof(*buf));
	unsigned long long cost;

	for (unsigned i = 0; i < ctxs; i++) {
		c[i] = bench_ctx_new(b);
		buf[i] = bench_alloc(c[i], 4096, BENCH_VRAM);
	}
	for (unsigned i = 0; i < n; i++) {
		struct bench_chan *ch = bench_chan_new(c[i % ctxs], PPU_CLASS_COPY, 8);

		for (unsigned k = 0; k < 3; k++) {
			bench_fill(ch, 0, buf[i % ctxs], k, 100);
			bench_inc(ch, 0, buf[i % ctxs] + 512);
			bench_fill(ch, 0, buf[i % ctxs], k, 4096);
			bench_push(ch);
		}
		bench_doorbell(ch, ch->put);
	}
	/* All have reached the engine; then some hundred decisions. */
	bench_run_for(b, 400ull * n);
	cost = blocks;
	bench_run_for(b, 300000);
	cost = blocks - cost;
	ck_assert_uint_gt(bench_ctr(b, PPU_CTR_CE_COPIES), 2 * n > 60 ? 60 : 2 * n);
	bench_free(b);
	free(c);
	free(buf);
	return cost;
}

/* CP-29 */
START_TEST(cost_of_copies)
{
	about_equal("copies, channels of one context", copies(300, 1), copies(3000, 1));
	about_equal("copies, contexts", copies(100, 100), copies(900, 900));
}
END_TEST

/* Runs of commands while n channels are ready. */
static unsigned long long runs(unsigned n)
{
	struct bench *b = bench_quiet(n);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), va;
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	unsigned long long cost;
	uint32_t words;

	for (unsigned i = 0; i < 2000; i++)
		bench_inc(ch, 0, s);
	va = bench_block(ch, &words);
	for (unsigned i = 0; i < n; i++) {
		ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		bench_entry(ch, 0, va, words, 0);
		bench_doorbell(ch, 1);
	}
	bench_run_for(b, 100000);
	cost = blocks;
	bench_run_for(b, 300000);
	cost = blocks - cost;
	bench_free(b);
	return cost;
}

/* WQ-15 */
START_TEST(cost_of_blocked_channels)
{
	about_equal("runs of commands", runs(FEW), runs(MANY));
}
END_TEST

/* Makes a run of the core end after the event that wrote to the trace. */
static void stop_at_trace(void *opaque, const struct ppu_trace_rec *rec)
{
	if (rec->event != PPU_TR_RESET)		/* of a core that is being made */
		ppu_core_request_stop(((struct bench *)opaque)->core);
}

static struct bench *bench_stopping(unsigned n)
{
	struct bench *b = bench_quiet(n);

	b->ports.trace = stop_at_trace;
	bench_new_core(b);
	return b;
}

/* Most blocks between two such stops until nothing is left to do. */
static unsigned long long longest_event(struct bench *b)
{
	unsigned long long longest = 0;

	while (ppu_core_next_event(b->core) != PPU_TIME_NEVER) {
		unsigned long long before = blocks;

		ppu_core_run(b->core, ppu_core_next_event(b->core));
		if (blocks - before > longest)
			longest = blocks - before;
	}
	return longest;
}

/*
 * CP-33: Work per event is bounded, even in the worst case that a process can make: two thousand channels with 64 gates
 * each, all of which must be checked, and of which the last one is shut when the engine is free.
 */
START_TEST(gates_in_pieces)
{
	struct bench *b = bench_stopping(MANY);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), buf = bench_alloc(c, 1 << 20, BENCH_VRAM), va;
	struct bench_chan *busy = bench_chan_new(c, PPU_CLASS_COPY, 8), *ch = busy;
	uint32_t words;

	for (unsigned i = 0; i < 64; i++)
		bench_acquire(ch, PPU_SEM_OP_ZERO | PPU_CMDF_SEM_GATE, s + 8 * i, 0);
	bench_fill(ch, 0, buf, 1, 64);
	va = bench_block(ch, &words);
	bench_chan_set(busy, PPU_REG_CH_TIMESLICE_NS, 1000000000);
	bench_inc(busy, 0, s + 2048);
	for (unsigned i = 0; i < 30; i++)
		bench_fill(busy, 0, buf, 1, 1 << 20);
	bench_release(busy, 0, s + 2048, 100);
	bench_release(busy, 0, s + 63 * 8, 1);		/* the last gate shuts */
	bench_fill(busy, 0, buf, 1, 64);
	bench_submit(busy);
	while (!bench_rd64(c, s + 2048))
		ppu_core_run(b->core, ppu_core_next_event(b->core));
	for (unsigned i = 0; i < MANY; i++) {
		ch = bench_chan_new(c, PPU_CLASS_COPY, 4);
		bench_entry(ch, 0, va, words, 0);
		bench_doorbell(ch, 1);
	}
	ck_assert_uint_lt(longest_event(b), 600000);
	ck_assert_uint_eq(bench_rd64(c, s + 2048), 100);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CE_COPIES), 31);
	ck_assert_uint_eq(bench_get(ch), 0);
	/* The gate opens: all copies run. */
	bench_wr64(c, s + 63 * 8, 0);
	bench_kick(ch);
	longest_event(b);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CE_COPIES), 31 + MANY);
	bench_free(b);
}
END_TEST

/* WQ-17: A storm: one fill changes a word for which two thousand channels wait, each for another value. */
START_TEST(semaphore_storm)
{
	struct bench *b = bench_stopping(MANY);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 1 << 20, BENCH_VRAM);
	struct bench_chan *by = bench_chan_new(c, PPU_CLASS_COPY, 8), *ch = NULL;

	for (unsigned i = 0; i < MANY; i++) {
		ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 4);
		bench_acquire(ch, PPU_SEM_OP_EQ, s + (i % 2 ? 0 : 512 * i), i % 4 < 2 ? 1 : i);
		bench_release(ch, 0, s, 1);
		bench_submit(ch);
	}
	longest_event(b);
	bench_fill(by, 3, s, 1, (1 << 20) / 8);
	bench_submit(by);
	ck_assert_uint_lt(longest_event(b), 600ull * MANY);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_SEM_WAKES), MANY / 2);
	bench_free(b);
}
END_TEST

BENCH_MAIN("sched_cost", gates_in_pieces, semaphore_storm, semaphore_writes, doorbells,
	   cost_of_copies, cost_of_blocked_channels)
