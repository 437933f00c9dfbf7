/* SPDX-License-Identifier: MIT */
/*
 * Counters that people read to find out why a program is slow: small scenes of which one can say on paper how much of
 * everything happens.
 */
#include "bench_main.h"
#include "tasks.h"

static uint64_t was[PPU_CTR_COUNT];

static void note(struct bench *b)
{
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		was[i] = bench_ctr(b, i);
}

static uint64_t more(struct bench *b, unsigned i)
{
	return bench_ctr(b, i) - was[i];
}

/* What the host does, and what it is asked to do. */
START_TEST(host)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t at = bench_alloc(c, 8192, BENCH_VRAM);

	note(b);
	bench_nop(ch, 3);
	bench_release(ch, 0, at, 1);
	bench_copy(ch, at, at + 4096, 64);
	bench_wfi(ch);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(more(b, PPU_CTR_HOST_CMDS), 4);
	ck_assert_uint_eq(more(b, PPU_CTR_SEM_OPS), 1);
	ck_assert_uint_eq(more(b, PPU_CTR_ENTRIES), 1);
	ck_assert_uint_eq(more(b, PPU_CTR_CE_COPIES), 1);
	ck_assert_uint_eq(more(b, PPU_CTR_CE_BYTES), 64);
	ck_assert_uint_eq(more(b, PPU_CTR_DOORBELLS), 1);
	ck_assert_uint_eq(more(b, PPU_CTR_KICKS), 0);
	bench_kick(ch);
	bench_kick(ch);
	ck_assert_uint_eq(more(b, PPU_CTR_DOORBELLS), 1);
	ck_assert_uint_eq(more(b, PPU_CTR_KICKS), 2);
	ck_assert_uint_eq(more(b, PPU_CTR_MMIO_WRITES), 3);
	ck_assert_uint_eq(more(b, PPU_CTR_MMIO_READS), 0);
	ck_assert_uint_eq(more(b, PPU_CTR_ACCESS_HOST), 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(bench_get(ch), 1);
	ppu_core_mmio_read(b->core, 0, 4);	/* of no user page */
	ck_assert_uint_eq(more(b, PPU_CTR_MMIO_READS), 4);
	ck_assert_uint_eq(more(b, PPU_CTR_ACCESS_HOST), 6);
	bench_free(b);
}
END_TEST

/* Two CTAs of two warps, each on a GPC of its own. */
static struct bench *run(const char *props)
{
	struct bench *b = bench_new(props);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c,
		"ld.param.u64 rd10, [0]\n"
		"s2r r2, %tid.x\n"
		"s2r r6, %ctaid.x\n"
		"mad.u32 r8, r6, 64, r2\n"
		"madw.u32 rd12, r8, 4, rd10\n"
		"mov.u32 r5, 1\n"
		"bar.sync 0\n"
		"atom.global.add.u32 rz, [rd10+4096], r5\n"
		"st.global.u32 [rd12], r2\n"
		"ld.global.u32 r3, [rd12]\n"
		"exit\n");
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	tmd_param(t, 0, bench_alloc(c, 8192, BENCH_VRAM));
	t->grid[0] = 2;
	t->block[0] = 64;
	note(b);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	return b;
}

static const char *const kinds[] = {
	"gpcs=2 sms-per-gpc=1 engine=1", "gpcs=2 sms-per-gpc=1 engine=2", "gpcs=2 sms-per-gpc=1 cache-model=1",
	"gpcs=2 sms-per-gpc=1 memory-timing=1",
};

START_TEST(sms)
{
	uint64_t insns, busy = 0;

	for (unsigned i = 0; i < 4; i++) {
		struct bench *b = run(kinds[i]);

		ck_assert_uint_eq(more(b, PPU_CTR_TASKS), 1);
		ck_assert_uint_eq(more(b, PPU_CTR_CTAS), 2);
		insns = more(b, PPU_CTR_WARP_INSNS);
		ck_assert_uint_ge(insns, 4 * 11);	/* a barrier may be executed again */
		ck_assert_uint_le(insns, 4 * 12);
		ck_assert_uint_eq(more(b, PPU_CTR_THREAD_INSNS), 32 * insns);
		ck_assert_uint_eq(more(b, PPU_CTR_GPC0_INSNS), insns / 2);
		ck_assert_uint_eq(more(b, PPU_CTR_GPC1_INSNS), insns / 2);
		ck_assert_uint_eq(more(b, PPU_CTR_BARRIERS), 4);
		ck_assert_uint_eq(more(b, PPU_CTR_ATOMICS), 4);
		/* 32 words are four transactions; those of an atomic go to one word. */
		ck_assert_uint_eq(more(b, PPU_CTR_PARTITION_READS), 4 * 4);
		ck_assert_uint_eq(more(b, PPU_CTR_PARTITION_WRITES), 4 * 4 + 4);
		ck_assert_uint_eq(more(b, PPU_CTR_GPC0_MEMORY), 18);
		ck_assert_uint_eq(more(b, PPU_CTR_GPC1_MEMORY), 18);
		for (unsigned g = 2; g < PPU_GPC_COUNTERS; g++)
			ck_assert_uint_eq(more(b, PPU_CTR_GPC0_INSNS + g) + more(b, PPU_CTR_GPC0_MEMORY + g), 0);
		/* A cycle is 1 ns, and an instruction takes at least one, however it is executed. */
		ck_assert_uint_ge(more(b, PPU_CTR_SM_BUSY_NS), insns);
		if (i)
			ck_assert_uint_eq(more(b, PPU_CTR_SM_BUSY_NS), busy);
		busy = more(b, PPU_CTR_SM_BUSY_NS);
		bench_free(b);
	}
}
END_TEST

START_TEST(caches)
{
	uint64_t parts = 0;

	for (unsigned i = 2; i < 4; i++) {
		bool timing = i == 3;
		struct bench *b = run(kinds[i]);

		/* The code has two lines, the parameters have one, each warp has a line, and all an atomic's. */
		ck_assert_uint_eq(more(b, PPU_CTR_ICACHE_MISSES), 2 * 2);
		ck_assert_uint_eq(more(b, PPU_CTR_CONST_MISSES), 2);
		ck_assert_uint_eq(more(b, PPU_CTR_CONST_HITS), 2);
		ck_assert_uint_eq(more(b, PPU_CTR_L15_MISSES), 2 * 3);
		ck_assert_uint_eq(more(b, PPU_CTR_L15_HITS), 0);
		ck_assert_uint_eq(more(b, PPU_CTR_MEM_INSNS), 4 * 3);
		ck_assert_uint_eq(more(b, PPU_CTR_MEM_LINES), 4 * 3);
		ck_assert_uint_eq(more(b, PPU_CTR_L1_MISSES), 4);
		ck_assert_uint_eq(more(b, PPU_CTR_L1_HITS), 0);
		ck_assert_uint_eq(more(b, PPU_CTR_L2_HITS) + more(b, PPU_CTR_L2_MISSES), 6 + 12);
		/* The memory system gets the parameters from the device, where they are kept. */
		ck_assert_uint_eq(more(b, PPU_CTR_L2_MISSES), timing ? 7 : 8);
		ck_assert_uint_eq(more(b, PPU_CTR_DRAM_BYTES), timing ? 3 * 128 : 0);
		for (unsigned n = parts = 0; n < PPU_PARTITION_COUNTERS; n++)
			parts += more(b, PPU_CTR_PARTITION0 + n);
		ck_assert_uint_eq(parts, timing ? 4 + 12 : 12);	/* the model does not know where code is */
		bench_free(b);
	}
}
END_TEST

/* One thread waits for n lines of memory, one after the other. */
START_TEST(memory_waits)
{
	struct bench *b = bench_new("memory-timing=1 l2-latency-ns=300 dram-latency-ns=400");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c,
		"ld.param.u64 rd10, [0]\nld.param.u32 r2, [8]\n"
		"L: ld.global.u64 rd10, [rd10]\nsub.u32 r2, r2, 1\nsetp.ne.u32 p1, r2, 0\n@p1 bra L\nexit\n");
	uint64_t list = bench_alloc(c, 65536, BENCH_VRAM), waits[3], ns[3];
	static const unsigned n[] = { 1, 1, 3 };

	for (unsigned i = 0; i < 8; i++)
		bench_wr64(c, list + i * 4096, list + (i + 1) * 4096);
	for (unsigned i = 0; i < 3; i++) {	/* first, the code comes */
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k, &t);

		tmd_param(t, 0, list + i * 4096);
		tmd_param(t, 1, n[i]);
		t->block[0] = 1;
		note(b);
		bench_launch(ch, va);
		bench_submit(ch);
		ck_assert(bench_run(b));
		waits[i] = more(b, PPU_CTR_MEMORY_WAITS);
		ns[i] = more(b, PPU_CTR_MEMORY_WAIT_NS);
	}
	ck_assert_uint_eq(waits[2] - waits[1], 2);
	ck_assert_uint_ge(ns[2] - ns[1], 2 * 700);
	ck_assert_uint_le(ns[2] - ns[1], 2 * 760);
	bench_free(b);
}
END_TEST

BENCH_MAIN("counters", host, sms, caches, memory_waits)
