/* SPDX-License-Identifier: MIT */
/*
 * Host interface, scheduler and copy engines alone: latency of a copy of high priority in device time behind a queue of
 * low ones; host time of copies (against memcpy), of semaphore writes and of scheduling decisions (against the same
 * with few waiters, channels, contexts).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../unit/lib/bench.c"

#define KB (1ull << 10)
#define MB (1ull << 20)
#define SMALL "gpcs=1 sms-per-gpc=1 warps-per-sm=1 ctas-per-sm=1 regs-per-sm=256 shared-per-sm=1024 shared-per-cta=1024 " \
	      "token-queue-entries=4 device-priorities=1 copy-engines=1 channels=4096 ring-max=2048"

static void result(const char *name, double value, const char *unit, double reference)
{
	printf("{\"name\": \"%s\", \"value\": %g, \"unit\": \"%s\"", name, value, unit);
	if (reference > 0)
		printf(", \"reference\": %g", reference);
	printf("}\n");
	fflush(stdout);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct bench *quiet(const char *props)
{
	struct bench *b = bench_new(props);

	b->ports.trace = NULL;
	bench_new_core(b);
	return b;
}

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "bench_host: %s\n", what);
		exit(1);
	}
}

/* ---- latency in device time ------------------------------------------------------------------------ */

/* ns from the doorbell of a high-priority copy to its end, with `queued` low ones of 64 KiB before it. */
static uint64_t latency(unsigned queued, unsigned channels, bool semaphores)
{
	struct bench *b = quiet(SMALL " vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t buf = bench_alloc(c, 64 * KB, BENCH_VRAM), s = bench_alloc(c, 4096, BENCH_VRAM), start;
	struct bench_chan *low[8], *high = bench_chan_new(c, PPU_CLASS_COPY, 8);

	for (unsigned i = 0; i < channels; i++)
		low[i] = bench_chan_new(c, PPU_CLASS_COPY, 2048);
	for (unsigned i = 0; i < queued; i++) {
		if (semaphores)
			bench_acquire(low[i % channels], PPU_SEM_OP_ZERO | PPU_CMDF_SEM_GATE, s, 0);
		bench_fill(low[i % channels], 0, buf, i, 64 * KB);
		bench_submit(low[i % channels]);
	}
	bench_run_for(b, 3000);
	if (semaphores)
		bench_inc(high, 0, s);
	bench_fill(high, 0, buf, 1, 64 * KB);
	if (semaphores)
		bench_dec(high, 0, s);
	start = ppu_core_time(b->core);
	bench_submit(high);
	while (bench_get(high) != high->put)
		ppu_core_run(b->core, ppu_core_next_event(b->core));
	start = ppu_core_time(b->core) - start;
	bench_free(b);
	return start;
}

static void latencies(void)
{
	for (unsigned k = 0; k < 4; k++) {
		unsigned channels = k & 2 ? 8 : 1;
		bool semaphores = !(k & 1);
		double first = (double)latency(1, channels, semaphores);
		char name[120];

		for (unsigned n = 1; n <= 1024; n *= 4) {
			snprintf(name, sizeof(name), "high-priority copy, %u low ones in %u channel%s, %s", n,
				 channels, channels > 1 ? "s" : "", semaphores ? "semaphores" : "no semaphores");
			result(name, (double)latency(n, channels, semaphores), "device ns", first);
		}
	}
}

/* ---- copies ------------------------------------------------------------------------------------------- */

static void copies(const char *what, uint64_t from, uint64_t bytes)
{
	struct bench *b = quiet(SMALL " vram=768M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 64);
	uint64_t src = bench_alloc(c, bytes, from), dst = bench_alloc(c, bytes, BENCH_LARGE);
	unsigned times = (unsigned)(256 * MB / bytes), batch = times > 60 ? 60 : times;
	double best = 1e9, best_ref = 1e9, t;
	uint64_t x, y;
	char name[80];
	bool sys;

	/* memcpy between the same host memory; scattered pages come from one piece of it. */
	x = bench_phys(c, dst, &sys);
	y = bench_phys(c, src, &sys);
	if (sys)
		y = BENCH_RAM_BASE;
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < batch; i++) {
			bench_copy(ch, src, dst, bytes);
			bench_push(ch);
		}
		bench_doorbell(ch, ch->put);
		t = seconds();
		check(bench_run(b), "the copies do not end");
		t = (seconds() - t) / batch;
		if (round && t < best)		/* the first round touches memory for the first time */
			best = t;
		t = seconds();
		for (unsigned i = 0; i < batch; i++) {
			memcpy(b->vram + x, phys_ptr(b, y, sys), bytes);
			__asm__ volatile("" ::: "memory");
		}
		t = (seconds() - t) / batch;
		if (round && t < best_ref)
			best_ref = t;
	}
	check(!bench_chan_reg(ch, PPU_REG_CH_ERROR), "a copy failed");
	snprintf(name, sizeof(name), "copy engine, %s, %llu KiB", what, (unsigned long long)(bytes / KB));
	result(name, (double)bytes / best / 1e9, "GB/s", (double)bytes / best_ref / 1e9);
	bench_free(b);
}

/* ---- decisions ------------------------------------------------------------------------------------------ */

/* Host ns of a semaphore increment with `n` channels blocked elsewhere. */
static double increment(unsigned waiters)
{
	struct bench *b = quiet(SMALL " vram=256M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), w = bench_alloc(c, 64ull * waiters + 4096, BENCH_VRAM);
	double t, best = 1e9;

	for (unsigned i = 0; i < waiters; i++) {
		struct bench_chan *k = bench_chan_new(c, PPU_CLASS_COMPUTE, 3);

		bench_acquire(k, PPU_SEM_OP_EQ, w + 64 * i, 1);
		bench_submit(k);
	}
	check(bench_run(b), "the waiters do not wait");
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < 10000; i++)
			bench_inc(ch, 0, s);
		bench_submit(ch);
		t = seconds();
		check(bench_run(b), "the increments do not end");
		t = (seconds() - t) / 10000 * 1e9;
		best = t < best ? t : best;
		c->cmd_left = 0;
	}
	bench_free(b);
	return best;
}

/* Host ns of a short copy and the decision for it, with so many channels waiting for the engine. */
static double decision(unsigned channels, unsigned ctxs)
{
	struct bench *b = quiet(SMALL " vram=512M");
	struct bench_ctx **c = calloc(ctxs, sizeof(*c));
	uint64_t *buf = calloc(ctxs, sizeof(*buf)), before;
	double t;

	for (unsigned i = 0; i < ctxs; i++) {
		c[i] = bench_ctx_new(b);
		buf[i] = bench_alloc(c[i], 4096, BENCH_VRAM);
	}
	for (unsigned i = 0; i < channels; i++) {
		struct bench_chan *ch = bench_chan_new(c[i % ctxs], PPU_CLASS_COPY, 8);

		for (unsigned k = 0; k < 100; k++)
			bench_fill(ch, 0, buf[i % ctxs], 1, 64);
		bench_submit(ch);
	}
	bench_run_for(b, 400ull * channels);
	before = bench_ctr(b, PPU_CTR_CE_COPIES);
	t = seconds();
	bench_run_for(b, 5000000);
	t = (seconds() - t) * 1e9 / (double)(bench_ctr(b, PPU_CTR_CE_COPIES) - before);
	bench_free(b);
	free(c);
	free(buf);
	return t;
}

int main(void)
{
	double few;

	latencies();
	for (uint64_t bytes = 4 * KB; bytes <= 256 * MB; bytes *= 4)
		copies("VRAM to VRAM", BENCH_LARGE, bytes);
	for (uint64_t bytes = 4 * KB; bytes <= 32 * MB; bytes *= 8)
		copies("scattered system pages to VRAM", BENCH_SCATTER, bytes);
	few = increment(4);
	result("semaphore increment, 4000 channels blocked elsewhere", increment(4000), "ns", few);
	few = decision(100, 1);
	result("copy and decision, 4000 channels waiting", decision(4000, 1), "ns", few);
	result("copy and decision, 1000 channels of 250 processes waiting", decision(1000, 250), "ns", few);
	return 0;
}
