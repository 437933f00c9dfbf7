/* SPDX-License-Identifier: MIT */
/*
 * How much one event of the core does.  QEMU's thread gives up the core's lock after each event when somebody waits for
 * it: a vCPU that reads a register, or the main loop, both of which have the big QEMU lock meanwhile.  So one event is
 * what the whole machine may have to wait for (qemu-device/ppu_drive.c).  It is counted in work, not in time of this host.
 */
#include <hw/ppu_counters.h>
#include "core/base/event.h"
#include "core/sm/mem/icache.h"
#include "bench.h"
#include "bench_main.h"
#include "tasks.h"

#define CHUNK		(1u << 20)	/* bytes of a copy */
#define PIECES		8192		/* its rows and pages */
#define LOOKS		4096		/* instructions of a new program */

static const enum ppu_counter counted[] = {
	PPU_CTR_CE_BYTES, PPU_CTR_WARP_INSNS, PPU_CTR_HOST_CMDS, PPU_CTR_ENTRIES, PPU_CTR_SEM_WAKES, PPU_CTR_TLB_MISSES,
};
#define COUNTED (sizeof(counted) / sizeof(counted[0]))

struct most {
	uint64_t of[PPU_CTR_COUNT];	/* by one event */
	uint64_t looks;			/* at instructions of a program that is launched */
	uint64_t events;
};

/* What run_events() of the core does with one event. */
static bool one_event(struct bench *b)
{
	struct ppu_event *ev = ppu_event_first(b->core);

	if (!ev)
		return false;
	ppu_event_cancel(b->core, ev);
	if (ev->when > b->core->now)
		b->core->now = ev->when;
	ev->fn(b->core, ev->arg);
	return true;
}

/* Runs until idle, or for so many events, and looks at each. */
static struct most run(struct bench *b, uint64_t events)
{
	struct most m = { .events = 0 };

	for (; m.events < events; m.events++) {
		uint64_t was[COUNTED], looked = ppu_icache_looked_at(b->core);

		for (unsigned i = 0; i < COUNTED; i++)
			was[i] = bench_ctr(b, counted[i]);
		if (!one_event(b))
			break;
		for (unsigned i = 0; i < COUNTED; i++) {
			uint64_t n = bench_ctr(b, counted[i]) - was[i];

			if (n > m.of[counted[i]])
				m.of[counted[i]] = n;
		}
		looked = ppu_icache_looked_at(b->core) - looked;
		m.looks = looked > m.looks ? looked : m.looks;
	}
	return m;
}

#define SIZE (64u << 20)

START_TEST(large_copies)
{
	struct bench *b = bench_new("vram=160M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t from = bench_alloc(c, SIZE, BENCH_VRAM), to = bench_alloc(c, SIZE, BENCH_LARGE);
	struct most m;

	bench_copy(ch, from, to, SIZE);
	bench_fill(ch, 0, to, 7, SIZE);
	bench_submit(ch);
	m = run(b, UINT64_MAX);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CE_BYTES), 2ull * SIZE);
	ck_assert_uint_le(m.of[PPU_CTR_CE_BYTES], CHUNK);
	ck_assert_uint_le(m.of[PPU_CTR_TLB_MISSES], 2 * (CHUNK / 4096 + 1));
	ck_assert_uint_ge(m.events, 2 * SIZE / CHUNK);
	bench_free(b);
}
END_TEST

/* Rows of one byte, each in a page of its own; and all rows of the fill in the same one. */
START_TEST(scattered_copies)
{
	const uint32_t rows = 5 * PIECES;
	struct bench *b = bench_new("vram=160M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t from = bench_alloc(c, 32u << 20, BENCH_SCATTER), to = bench_alloc(c, SIZE, BENCH_VRAM);
	struct most m;

	bench_copy2d(ch, from, to, 512, 1024, 1, rows);
	bench_copy2d(ch, from, to, 4096, 4096, 1, PIECES);
	bench_fill2d(ch, 0, to, 1, 3, 1, 20 * rows);
	bench_submit(ch);
	m = run(b, UINT64_MAX);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CE_BYTES), 21ull * rows + PIECES);
	ck_assert_uint_le(m.of[PPU_CTR_CE_BYTES], PIECES);
	ck_assert_uint_le(m.of[PPU_CTR_TLB_MISSES], 2 * PIECES);
	ck_assert_uint_ge(m.events, 26);
	bench_free(b);
}
END_TEST

/* Kernels that never end, on all warps of the device: a window of each SM. */
START_TEST(endless_kernel)
{
	struct bench *b = bench_new("gpcs=2 sms-per-gpc=4 warps-per-sm=16");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "again:\nadd.u32 r2, r2, 1\nbra again\nexit\n");
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);
	struct most m;

	t->grid[0] = 64;
	t->block[0] = 512;
	bench_launch(ch, va);
	bench_submit(ch);
	m = run(b, 5000);
	ck_assert_uint_eq(m.events, 5000);
	ck_assert_uint_gt(bench_ctr(b, PPU_CTR_WARP_INSNS), 100000);
	/* An instruction of each partition in each cycle, and no more. */
	ck_assert_uint_le(m.of[PPU_CTR_WARP_INSNS],
			  8ull * bench_reg(b, PPU_REG_CAP_PARTITIONS) * (b->cfg.window_ns * 2ull + 16));
	bench_free(b);
}
END_TEST

/* A program of 4 MiB is new, then has new code, then is the same. */
static void large(const char *props)
{
	struct bench *b = bench_new(props);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "again:\nadd.u32 r2, r2, 1\n@p1 bra again\nmul.f32 r3, r2, r4\nexit\n");
	uint32_t insns = 1u << 18, block = k.insns * 16;
	uint64_t code = bench_alloc(c, insns * 16ull, BENCH_LARGE), looked;
	struct ppu_tmd *t;
	uint64_t tmd;
	struct most m;

	for (uint32_t i = 0; i < insns; i += k.insns)
		bench_write(c, code + i * 16ull, bench_ptr(c, k.va), block);
	k.va = code;
	k.insns = insns;
	tmd = tmd_new(c, &k, &t);
	for (unsigned times = 0; times < 3; times++) {
		if (times == 1)
			bench_wr64(c, code + (insns - 1) * 16ull, ~0ull);
		looked = ppu_icache_looked_at(b->core);
		bench_launch(ch, tmd);
		bench_submit(ch);
		m = run(b, UINT64_MAX);
		ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), times + 1);
		ck_assert_uint_ge(ppu_icache_looked_at(b->core) - looked, times == 2 ? insns : 6ull * insns);
		ck_assert_uint_le(m.looks, LOOKS);
	}
	bench_free(b);
}

START_TEST(large_program)
{
	large("vram=32M");
	large("vram=32M memory-timing=1");
}
END_TEST

/* Blocks without end, and a word for which all channels wait. */
START_TEST(host_interface)
{
	struct bench *b = bench_new("channels=64");
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t word = bench_alloc(c, 4096, BENCH_VRAM);
	struct bench_chan *ch[40];
	struct most m;

	for (unsigned i = 0; i < 40; i++) {
		ch[i] = bench_chan_new(c, PPU_CLASS_COPY, 64);
		bench_acquire(ch[i], PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ), word, 1);
		bench_submit(ch[i]);
	}
	run(b, UINT64_MAX);
	for (unsigned i = 0; i < 2000; i++)
		bench_nop(ch[39], 1);
	bench_submit(ch[39]);
	ch[38] = bench_chan_new(c, PPU_CLASS_COPY, 64);
	for (unsigned i = 0; i < 60; i++) {
		bench_nop(ch[38], 1);
		bench_push(ch[38]);
	}
	bench_release(ch[38], 0, word, 1);
	bench_submit(ch[38]);
	m = run(b, UINT64_MAX);
	ck_assert_uint_ge(bench_ctr(b, PPU_CTR_SEM_WAKES), 39);
	ck_assert_uint_le(m.of[PPU_CTR_HOST_CMDS], 1);
	ck_assert_uint_le(m.of[PPU_CTR_ENTRIES], 1);
	ck_assert_uint_le(m.of[PPU_CTR_SEM_WAKES], 64);
	bench_free(b);
}
END_TEST

BENCH_MAIN("latency", large_copies, scattered_copies, endless_kernel, large_program, host_interface)
