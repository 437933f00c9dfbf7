/* SPDX-License-Identifier: MIT */
/*
 * Copy engines: bytes in VRAM, over the link (to and from system memory), in pieces (scattered pages, rows with a
 * pitch), fills, and operations a second.  CPU time of the host; the reference is memcpy() or memset() of the same bytes
 * between the same memory in the same run, row by row for rows, and page by page where pages are scattered; of operations,
 * a memcpy() of the same size.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../unit/lib/bench.c"

#define KB (1ull << 10)
#define MB (1ull << 20)
#define ROUNDS 7
#define SMALL "gpcs=1 sms-per-gpc=1 warps-per-sm=1 ctas-per-sm=1 regs-per-sm=256 shared-per-sm=1024 shared-per-cta=1024 " \
	      "token-queue-entries=4 device-priorities=1 copy-engines=1 channels=64 ring-max=2048"

static const char *only;		/* part of the names wanted */

struct scene {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	uint64_t src, dst;
	uint8_t *host_src, *host_dst;	/* what memcpy() works on; where pages are scattered, the first one */
	uint8_t **src_page, **dst_page;	/* all of them; NULL: they are one piece of host memory */
};

static void result(const char *name, double value, const char *unit, double reference)
{
	printf("{\"name\": \"copy: %s\", \"value\": %g, \"unit\": \"%s\", \"reference\": %g}\n", name, value, unit,
	       reference);
	fflush(stdout);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint8_t *host(struct scene *s, uint64_t va)
{
	bool sys;
	uint64_t phys = bench_phys(s->c, va, &sys);

	return phys_ptr(s->b, phys, sys);
}

static uint8_t **pages(struct scene *s, uint64_t va, uint64_t bytes)
{
	uint8_t **page = malloc(bytes / PPU_PAGE_SIZE * sizeof(*page));

	for (uint64_t i = 0; i < bytes / PPU_PAGE_SIZE; i++)
		page[i] = host(s, va + i * PPU_PAGE_SIZE);
	return page;
}

static struct scene scene_new(uint64_t from, uint64_t to, uint64_t bytes)
{
	struct scene s = { .b = bench_new(SMALL " vram=320M") };

	s.b->ports.trace = NULL;
	bench_new_core(s.b);
	s.c = bench_ctx_new(s.b);
	s.ch = bench_chan_new(s.c, PPU_CLASS_COPY, 1024);
	s.src = bench_alloc(s.c, bytes, from);
	s.dst = bench_alloc(s.c, bytes, to);
	s.host_src = host(&s, s.src);
	s.host_dst = host(&s, s.dst);
	if (from == BENCH_SCATTER || to == BENCH_SCATTER) {
		s.src_page = pages(&s, s.src, bytes);
		s.dst_page = pages(&s, s.dst, bytes);
	}
	return s;
}

static void scene_free(struct scene *s)
{
	free(s->src_page);
	free(s->dst_page);
	bench_free(s->b);
}

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "bench_copy: %s\n", what);
		exit(1);
	}
}

/* Seconds for what has been pushed. */
static double engine(struct scene *s)
{
	double t;

	bench_doorbell(s->ch, s->ch->put);
	t = seconds();
	check(bench_run(s->b), "the copies do not end");
	t = seconds() - t;
	check(!bench_chan_reg(s->ch, PPU_REG_CH_ERROR), "a copy failed");
	s->c->cmd_left = 0;
	return t;
}

/* The two in turns; the first round touches memory for the first time. */
#define MEASURE(s, best, best_ref, times, copy, reference) do { \
	best = best_ref = 1e9; \
	for (unsigned round_ = 0; round_ <= ROUNDS; round_++) { \
		double t_; \
		for (unsigned i_ = 0; i_ < (times); i_++) { \
			copy; \
			bench_push((s)->ch); \
		} \
		t_ = engine(s) / (times); \
		best = round_ && t_ < best ? t_ : best; \
		t_ = seconds(); \
		for (unsigned i_ = 0; i_ < (times); i_++) { \
			reference; \
			__asm__ volatile("" ::: "memory"); \
		} \
		t_ = (seconds() - t_) / (times); \
		best_ref = round_ && t_ < best_ref ? t_ : best_ref; \
	} \
} while (0)

static void by_memcpy(const struct scene *s, uint64_t bytes)
{
	if (!s->src_page)
		memcpy(s->host_dst, s->host_src, bytes);
	else
		for (uint64_t i = 0; i < bytes / PPU_PAGE_SIZE; i++)
			memcpy(s->dst_page[i], s->src_page[i], PPU_PAGE_SIZE);
}

static void linear(const char *what, uint64_t from, uint64_t to, uint64_t bytes)
{
	unsigned times = bytes > 8 * MB ? 1 : (unsigned)(8 * MB / bytes);
	struct scene s;
	double t, ref;
	char name[100];

	snprintf(name, sizeof(name), "%s, %llu KiB", what, (unsigned long long)(bytes / KB));
	if (!strstr(name, only))
		return;
	s = scene_new(from, to, bytes);
	times = times > 500 ? 500 : times;
	MEASURE(&s, t, ref, times, bench_copy(s.ch, s.src, s.dst, bytes), by_memcpy(&s, bytes));
	result(name, (double)bytes / t / 1e9, "GB/s", (double)bytes / ref / 1e9);
	scene_free(&s);
}

/* Where pages are scattered a row lies in one. */
static void rows_by_memcpy(const struct scene *s, uint64_t pitch, uint32_t width, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++) {
		uint64_t at = i * pitch, page = at / PPU_PAGE_SIZE, off = at % PPU_PAGE_SIZE;

		if (s->src_page)
			memcpy(s->dst_page[page] + off, s->src_page[page] + off, width);
		else
			memcpy(s->host_dst + at, s->host_src + at, width);
	}
}

static void pitched(const char *what, uint64_t from, uint64_t bytes, uint64_t pitch, uint32_t width)
{
	uint32_t rows = (uint32_t)(bytes / pitch);
	uint64_t moved = (uint64_t)rows * width;
	struct scene s;
	double t, ref;
	char name[100];

	snprintf(name, sizeof(name), "%s, rows of %u bytes every %llu, %llu KiB", what, width, (unsigned long long)pitch,
		 (unsigned long long)(moved / KB));
	if (!strstr(name, only))
		return;
	s = scene_new(from, BENCH_LARGE, bytes);
	MEASURE(&s, t, ref, 1, bench_copy2d(s.ch, s.src, s.dst, pitch, pitch, width, rows),
		rows_by_memcpy(&s, pitch, width, rows));
	result(name, (double)moved / t / 1e9, "GB/s", (double)moved / ref / 1e9);
	scene_free(&s);
}

static void fill(const char *what, uint64_t to, uint64_t bytes, unsigned log2, uint64_t value)
{
	struct scene s;
	double t, ref;
	char name[100];

	snprintf(name, sizeof(name), "fill %s, %llu KiB", what, (unsigned long long)(bytes / KB));
	if (!strstr(name, only))
		return;
	s = scene_new(BENCH_VRAM, to, bytes);
	MEASURE(&s, t, ref, 1, bench_fill(s.ch, log2, s.dst, value, bytes >> log2), memset(s.host_dst, 1, bytes));
	result(name, (double)bytes / t / 1e9, "GB/s", (double)bytes / ref / 1e9);
	scene_free(&s);
}

static void operations(const char *what, uint64_t from, uint64_t bytes)
{
	struct scene s;
	double t, ref;
	char name[100];

	snprintf(name, sizeof(name), "operations, %s, %llu bytes", what, (unsigned long long)bytes);
	if (!strstr(name, only))
		return;
	s = scene_new(from, BENCH_LARGE, MB);
	MEASURE(&s, t, ref, 500, bench_copy(s.ch, s.src, s.dst, bytes), memcpy(s.host_dst, s.host_src, bytes));
	result(name, 1 / t / 1e6, "M/s", 1 / ref / 1e6);
	scene_free(&s);
}

/* With an argument: only what has it in its name, for a profiler. */
int main(int argc, char **argv)
{
	static const uint64_t sizes[] = { 64 * KB, MB, 64 * MB };

	only = argc > 1 ? argv[1] : "";
	for (unsigned i = 0; i < 3; i++)
		linear("VRAM to VRAM", BENCH_LARGE, BENCH_LARGE, sizes[i]);
	for (unsigned i = 0; i < 3; i++)
		linear("VRAM to VRAM, pages of 4 KiB", BENCH_VRAM, BENCH_VRAM, sizes[i]);
	for (unsigned i = 0; i < 3; i++)
		linear("over the link to VRAM", BENCH_SYS, BENCH_LARGE, sizes[i]);
	for (unsigned i = 0; i < 3; i++)
		linear("over the link from VRAM", BENCH_LARGE, BENCH_SYS, sizes[i]);
	for (unsigned i = 0; i < 3; i++)
		linear("over the link, scattered pages to VRAM", BENCH_SCATTER, BENCH_LARGE, sizes[i]);
	for (unsigned i = 0; i < 3; i++)
		linear("over the link, VRAM to scattered pages", BENCH_LARGE, BENCH_SCATTER, sizes[i]);
	pitched("VRAM to VRAM", BENCH_LARGE, 128 * MB, 8192, 4096);
	pitched("VRAM to VRAM", BENCH_LARGE, 128 * MB, 2048, 1024);
	pitched("VRAM to VRAM", BENCH_LARGE, 64 * MB, 1024, 256);
	pitched("VRAM to VRAM", BENCH_LARGE, 64 * MB, 100000, 99968);
	pitched("over the link to VRAM", BENCH_SYS, 64 * MB, 8192, 4096);
	pitched("over the link, scattered pages to VRAM", BENCH_SCATTER, 64 * MB, 8192, 4096);
	fill("of bytes, VRAM", BENCH_LARGE, 64 * MB, 0, 1);
	fill("of words, VRAM", BENCH_LARGE, 64 * MB, 2, 0x12345678);
	fill("of words, over the link", BENCH_SYS, 64 * MB, 2, 0x12345678);
	operations("VRAM to VRAM", BENCH_LARGE, 4);
	operations("VRAM to VRAM", BENCH_LARGE, 4096);
	operations("over the link to VRAM", BENCH_SYS, 4096);
	return 0;
}
