/* SPDX-License-Identifier: MIT */
/*
 * Commands reach their units, addresses reach memory and nothing else, and each kind of writer wakes waiters.  WQ-11,
 * WQ-13, WQ-15, WQ-17, WQ-19, WQ-20, CP-3, CP-4, HW-4..HW-8, HW-56, HW-10, HW-13, HW-14.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"
#include "run_suite.h"

static const char store_u64[] =
	"ld.param.u64 rd2, [0]\nld.param.u64 rd4, [8]\nst.global.u64 [rd2], rd4\nexit\n";

/* False: nothing is left to do. */
static bool one_event(struct ppu_core *core)
{
	if (ppu_core_next_event(core) == PPU_TIME_NEVER)
		return false;
	ppu_core_request_stop(core);
	ppu_core_run(core, ppu_core_next_event(core));
	ppu_core_run(core, ppu_core_next_event(core));
	return true;
}

/* WQ-13: each kind of writer in turn writes one semaphore; each time the acquire passes. */
START_TEST(every_writer)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b), *driver = bench_ctx_new(b);
	struct bench_chan *waits = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	struct bench_chan *by = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	struct bench_chan *copy = bench_chan_new(c, PPU_CLASS_COPY, 16);
	struct bench_chan *kicks = bench_chan_new(driver, PPU_CLASS_COMPUTE, 16);
	uint64_t s = bench_alloc(c, 4096, _i ? BENCH_SYS : BENCH_VRAM), mmio = 0, va, phys;
	struct kern k = kern_load(c, store_u64);
	struct ppu_tmd *t;
	bool sys;

	va = tmd_new(c, &k, &t);
	tmd_param(t, 0, s);
	tmd_param(t, 1, 2);
	phys = bench_phys(c, s, &sys);
	bench_map(driver, 0x500000000ull, phys, 4096, sys ? PPU_PTE_SYS : 0);
	for (unsigned v = 1; v <= 5; v++) {
		const struct ppu_trace_rec *r;

		bench_acquire(waits, PPU_SEM_OP_EQ, s, v);
		bench_submit(waits);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(bench_get(waits), v - 1);
		bench_clear(b);
		switch (v) {
		case 1:			/* the CPU, and a kick */
			bench_wr64(c, s, v);
			bench_kick(by);
			break;
		case 2:			/* a thread: no CPU after the doorbell (WQ-17) */
			bench_launch(by, va);
			bench_submit(by);
			break;
		case 3:
			bench_release(by, 0, s, v);
			bench_submit(by);
			break;
		case 4:
			bench_fill(copy, 3, s, v, 1);
			bench_submit(copy);
			break;
		case 5:			/* the driver, for another process: its own mapping, a command */
			bench_release(kicks, 0, 0x500000000ull, v);
			bench_submit(kicks);
			break;
		}
		mmio = bench_ctr(b, PPU_CTR_MMIO_WRITES);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(bench_ctr(b, PPU_CTR_MMIO_WRITES), mmio);
		ck_assert_uint_eq(bench_get(waits), v);
		ck_assert_uint_eq(bench_rd64(c, s), v);		/* an acquire does not change the word (WQ-76) */
		r = bench_find(b, PPU_TR_SEM_WRITE, -1, 0);
		ck_assert_uint_eq(r->a, ((const unsigned[]){ PPU_TRW_CPU, PPU_TRW_SM, PPU_TRW_COMMAND,
							     PPU_TRW_CE, PPU_TRW_COMMAND })[v - 1]);
		ck_assert_uint_eq(r->c, v - 1);
		ck_assert_uint_eq(r->d, v);
	}
	bench_free(b);
}
END_TEST

/* WQ-15: P is blocked on X; the other channel executes Launch, WFI, Release X; then P goes on. */
START_TEST(blocked_channel_blocks_nobody)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *p = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *q = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t x = bench_alloc(c, 4096, BENCH_VRAM), done;

	bench_acquire(p, PPU_SEM_OP_EQ, x, 1);
	bench_release(p, 0, x + 8, 2);
	bench_submit(p);
	ck_assert(bench_run(b));
	bench_launch(q, bench_sleep_task(c, 30000));
	bench_wfi(q);
	bench_release(q, 0, x, 1);
	bench_submit(q);
	bench_run_for(b, 25000);
	ck_assert_uint_eq(bench_rd64(c, x), 0);
	ck_assert_uint_eq(bench_get(p), 0);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, x + 8), 2);
	ck_assert_uint_eq(bench_get(p), 1);
	done = bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time;
	ck_assert_uint_ge(bench_find(b, PPU_TR_SEM_WRITE, (int)q->id, 0)->time, done);
	bench_free(b);
}
END_TEST

/*
 * WQ-19, WQ-20, WQ-36: what a kernel stores as its last act arrives after the kernel's end.  WFI waits for it, and for
 * the drain of the kernel itself; a release without WFI does neither.  The delays differ, so that the test can tell
 * what was waited for.
 */
static const struct stores_case {
	uint32_t delay, reorder, drain;
	bool wfi;
} stores_case[] = {
	{ 1000000, 0, 0, true }, { 1000000, 0, 3000, true }, { 300000, 0, 2000000, true }, { 40000, 1, 0, true },
	{ 1000000, 0, 0, false }, { 40000, 1, 0, false },
};

START_TEST(wfi_waits_for_stores)
{
	static const char text[] =
		"ld.param.u64 rd2, [0]\nld.param.u64 rd4, [8]\nst.global.u64 [rd2+8], rd4\nnanosleep 20000\n"
		"st.global.u64 [rd2], rd4\nexit\n";
	const struct stores_case *t = &stores_case[_i];
	uint64_t a, x, va, arrived = 0, done, now;
	struct bench_chan *ch;
	struct ppu_tmd *tmd;
	struct bench_ctx *c;
	char props[128];
	struct bench *b;
	struct kern k;

	snprintf(props, sizeof(props), "store-delay-ns=%u store-reorder=%u cost-wfi-drain-ns=%u", t->delay,
		 t->reorder, t->drain);
	b = bench_new(props);
	c = bench_ctx_new(b);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	k = kern_load(c, text);
	a = bench_alloc(c, 8192, BENCH_VRAM);
	x = a + 4096;
	va = tmd_new(c, &k, &tmd);
	tmd_param(tmd, 0, a);
	tmd_param(tmd, 1, 1);
	bench_launch(ch, va);
	if (t->wfi)
		bench_wfi(ch);
	bench_release(ch, 0, x, 1);
	bench_submit(ch);
	while (!bench_rd64(c, x)) {
		if (!arrived && bench_rd64(c, a))
			arrived = ppu_core_time(b->core);
		if (t->wfi)
			ck_assert_uint_eq(bench_get(ch), 0);
		ck_assert(one_event(b->core));
	}
	now = ppu_core_time(b->core);
	ck_assert_uint_eq(bench_rd64(c, a), t->wfi);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, a), 1);
	done = bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time;
	if (t->wfi) {
		uint64_t due = done + t->drain;

		ck_assert_uint_gt(arrived, done);		/* the store outlived the kernel */
		ck_assert_uint_ge(now, due > arrived ? due : arrived);
		if (t->reorder) {	/* other lanes' stores of the same value come later */
			ck_assert_uint_lt(now, done + t->delay + 20000);
		} else {
			ck_assert_uint_lt(now, (due > arrived ? due : arrived) + 1000);
			ck_assert_uint_ge(arrived, t->delay);
		}
	} else {
		ck_assert_uint_lt(now, done);
	}
	bench_free(b);
}
END_TEST

/*
 * A child's end and done_va come after the stores of the task, because a WFI cannot help those who wait for them.  The
 * parent fills its SM's place for CTAs, so that the child's stores wait in another SM's buffer.
 */
START_TEST(who_waits_for_a_task_sees_its_stores)
{
	static const char parent[] =
		"ld.param.u64 rd4, [0]\ntlaunch r6, rd4\ntsync r7\n"
		"ld.param.u64 rd2, [8]\nld.global.volatile.u64 rd8, [rd2]\nld.param.u64 rd2, [16]\n"
		"st.global.release.gpu.u64 [rd2], rd8\nexit\n";
	struct bench *b = bench_new("store-delay-ns=1000000 ctas-per-sm=1 preempt-level=0");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *copies = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t a = bench_alloc(c, 8192, BENCH_VRAM), pv, kv;
	struct kern p = kern_load(c, parent), k = kern_load(c, store_u64);
	struct ppu_tmd *pt, *kt;

	kv = tmd_new(c, &k, &kt);
	tmd_param(kt, 0, a);
	tmd_param(kt, 1, 77);
	pv = tmd_new(c, &p, &pt);
	pt->block[0] = kt->block[0] = 1;
	tmd_param(pt, 0, kv);
	tmd_param(pt, 1, a);
	tmd_param(pt, 2, a + 16);
	if (_i) {		/* the task by itself */
		kt->done_va = a + 4096;
		kt->done_value = 5;
		bench_launch(ch, kv);
		bench_acquire(copies, 0, a + 4096, 5);
		bench_copy(copies, a, a + 16, 8);
		bench_submit(copies);
	} else {
		bench_launch(ch, pv);
	}
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, a + 16), 77);
	ck_assert_uint_lt(bench_find(b, PPU_TR_TASK_DONE, -1, 0)->time, 1000000);
	bench_free(b);
}
END_TEST

/*
 * WQ-11: threads reach the soft counters of a queue, which are in memory, but not GET and PUT: the bus address of a
 * register is not memory, and no other address leads to a register.
 */
START_TEST(pointers_are_out_of_reach)
{
	static const char *const access[] = {
		"ld.param.u64 rd2, [0]\nld.global.u32 r4, [rd2]\nexit\n",
		"ld.param.u64 rd2, [0]\nmov.u32 r4, 5\nst.global.u32 [rd2], r4\nexit\n",
		"ld.param.u64 rd2, [0]\nmov.u32 r4, 5\natom.global.add.u32 r6, [rd2], r4\nexit\n",
	};
	const uint64_t bar0 = 0xc0000000, va = 0x400000000000ull;

	for (unsigned i = 0; i < 9; i++) {
		struct bench *b = bench_new(NULL);
		struct bench_ctx *c = bench_ctx_new(b);
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		struct kern k = kern_load(c, access[i % 3]);
		uint64_t soft = bench_alloc(c, 4096, BENCH_VRAM), tmd;
		uint32_t put;
		struct ppu_tmd *t;

		/* 0..2: a page that is the USERD page's bus address; 3..5: no page; 6..8: memory. */
		bench_map(c, va, bar0 + PPU_BAR0_USERD, 4096, PPU_PTE_SYS);
		tmd = tmd_new(c, &k, &t);
		tmd_param(t, 0, i < 3 ? va : i < 6 ? va + 4096 : soft);
		bench_launch(ch, tmd);
		bench_submit(ch);
		put = ch->put;
		ck_assert(bench_run(b));
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR),
				  i < 3 ? PPU_ERR_SM_DMA : i < 6 ? PPU_ERR_MMU_UNMAPPED : PPU_ERR_NONE);
		ck_assert_uint_eq(bench_get(ch), 1);
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_PUT), put);
		ck_assert_uint_eq(bench_rd64(c, soft), i == 7 ? 5 : i == 8 ? 32 * 5 : 0);
		bench_free(b);
	}
}
END_TEST

/* A CPU that increments a word of the device's memory, and two of 32 bits behind it, as through a BAR or in its own memory. */
struct cpu {
	uint64_t *word, times;
	uint32_t between;	/* increments between which others came */
	bool stop;
};

static void *cpu_increments(void *arg)
{
	struct cpu *c = arg;
	uint32_t last[2] = { 0 }, old;

	do {
		for (unsigned i = 0; i < 1000; i++) {
			__atomic_fetch_add(c->word, 1, __ATOMIC_RELAXED);
			old = __atomic_fetch_add((uint32_t *)(c->word + 1) + i % 2, 1, __ATOMIC_RELAXED);
			if (old != last[i % 2])
				__atomic_fetch_add(&c->between, 1, __ATOMIC_RELAXED);
			last[i % 2] = old + 1;
		}
		c->times += 1000;
	} while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED));
	return NULL;
}

/* HW-56: SMs, the host interface and a CPU increment one word at the same time, in VRAM and in system memory: none is lost. */
START_TEST(mixed_increments)
{
	enum { CTAS = 8, THREADS = 128, ROUNDS = 100, INCS = 200, BETWEEN = 20000, LAUNCHES = 40 };
	struct bench *b = bench_new("workers=2 gpcs=1 sms-per-gpc=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *comp = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *host = bench_chan_new(c, PPU_CLASS_COMPUTE, 256);
	uint64_t s = bench_alloc(c, 4096, _i ? BENCH_SYS : BENCH_VRAM), va;
	struct kern k = kern_load(c, "ld.param.u64 rd2, [0]\nmov.u64 rd4, 1\nmov.u32 r6, 0\n"
		"s2r r9, %tid.x\nand.u32 r9, r9, 1\nmadw.u32 rd10, r9, 4, rd2\n"
		"L: atom.global.add.u64 rd8, [rd2], rd4\natom.global.add.u32 r8, [rd10+8], r4\n"
		"add.u32 r6, r6, 1\nsetp.lt.u32 p1, r6, 100\n@p1 bra L\nexit\n");
	struct cpu cpu = { .word = bench_ptr(c, s) };
	struct ppu_tmd *t;
	uint32_t launches = 1;
	pthread_t thread;

	va = tmd_new(c, &k, &t);
	t->grid[0] = CTAS;
	t->block[0] = THREADS;
	tmd_param(t, 0, s);
	ck_assert_int_eq(pthread_create(&thread, NULL, cpu_increments, &cpu), 0);
	bench_launch(comp, va);
	bench_submit(comp);
	for (unsigned i = 0; i < INCS; i++) {
		bench_inc(host, 0, s);
		bench_submit(host);
	}
	ck_assert(bench_run(b));
	/* On a busy machine the two may hardly meet. */
	for (; __atomic_load_n(&cpu.between, __ATOMIC_RELAXED) < BETWEEN && launches < LAUNCHES; launches++) {
		bench_launch(comp, va);
		bench_submit(comp);
		ck_assert(bench_run(b));
	}
	__atomic_store_n(&cpu.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(bench_chan_reg(comp, PPU_REG_CH_ERROR) | bench_chan_reg(host, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_rd64(c, s), launches * CTAS * THREADS * ROUNDS + INCS + cpu.times);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_uint_eq((uint32_t)(bench_rd64(c, s + 8) >> 32 * i),
				  (launches * CTAS * THREADS * ROUNDS + cpu.times) / 2 % (1ull << 32));
	bench_free(b);
}
END_TEST

/* HW-4..HW-8, HW-13, CP-2: each command to its unit, and a TMD's address unchanged on its way. */
START_TEST(each_command_to_its_unit)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *comp = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *copy = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), tmd = bench_sleep_task(c, 100);
	uint64_t reads = bench_ctr(b, PPU_CTR_MMIO_READS);
	static const struct { unsigned event; bool in[3]; } units[] = {
		{ PPU_TR_TASK_ACCEPT, { true, false, false } }, { PPU_TR_TASK_SCHED, { true, false, false } },
		{ PPU_TR_CE_START, { false, true, false } }, { PPU_TR_SEM_WRITE, { false, false, true } },
	};

	for (unsigned what = 0; what < 3; what++) {
		bench_clear(b);
		if (what == 0)
			bench_launch(comp, tmd);
		else if (what == 1)
			bench_fill(copy, 0, s + 64, 1, 8);
		else
			bench_release(comp, 0, s, 7);
		bench_submit(what == 1 ? copy : comp);
		ck_assert(bench_run(b));
		for (unsigned u = 0; u < sizeof(units) / sizeof(units[0]); u++)
			ck_assert_uint_eq(bench_count(b, units[u].event, -1), units[u].in[what]);
		/* A semaphore command takes no engine. */
		ck_assert_uint_eq(bench_count(b, PPU_TR_SLICE_START, -1), what < 2);
		if (what == 0) {
			ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_ACCEPT, -1, 0)->b, tmd);
			ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_SCHED, -1, 0)->b, tmd);
		}
	}
	/* Memory is not accessed through registers; the counters show that. */
	bench_wr64(c, s, 8);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_MMIO_READS), reads);
	bench_get(comp);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_MMIO_READS), reads + 1);
	bench_free(b);
}
END_TEST

/*
 * HW-6, HW-7, HW-10: command blocks, rings, page tables, the instance block and all data in system memory: no local
 * memory is used.
 */
START_TEST(system_memory_only)
{
	struct bench *b = bench_new("vram=1M");
	const uint64_t inst = bench_ram(b, 4096), pt = bench_ram(b, 4096 * 8), ram = bench_ram(b, 1 << 20);
	const uint64_t va = 0x10000000;
	uint64_t *table[8];
	struct ppu_inst_block *blk = (void *)(b->ram + (inst - BENCH_RAM_BASE));
	struct ppu_gpfifo_entry *ring = (void *)(b->ram + (ram - BENCH_RAM_BASE));
	uint32_t *block = (void *)(b->ram + (ram - BENCH_RAM_BASE) + 4096);
	uint64_t *data = (void *)(b->ram + (ram - BENCH_RAM_BASE) + 8192), regs = PPU_BAR0_CHCFG;
	const uint64_t sem = va + 8192;
	uint32_t w[] = {
		PPU_CMD_HDR(PPU_CMD_FILL, 7, 3), (uint32_t)(sem + 4096), 0, 0x1234, 0, 256, 0,
		PPU_CMD_HDR(PPU_CMD_COPY, 7, 0), (uint32_t)(sem + 4096), 0, (uint32_t)(sem + 65536 + 3), 0,
		2048, 0,
		PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, 5, 0), (uint32_t)sem, 0, 9, 0,
	};

	for (unsigned i = 0; i < 8; i++)
		table[i] = (void *)(b->ram + (pt - BENCH_RAM_BASE) + 4096 * i);
	for (unsigned l = PPU_PT_LEVELS - 1; l > 0; l--)
		table[l][(va >> PPU_PT_SHIFT(l)) % PPU_PT_ENTRIES] =
			(pt + 4096 * (l - 1)) | PPU_PTE_SYS | PPU_PTE_VALID;
	for (unsigned i = 0; i < 256; i++)
		table[0][(va >> PPU_PT_SHIFT(0)) % PPU_PT_ENTRIES + i] =
			(ram + 4096 * i) | PPU_PTE_SYS | PPU_PTE_VALID;
	*blk = (struct ppu_inst_block){ .magic = PPU_INST_MAGIC, .version = PPU_INST_VERSION,
		.pt_root = (pt + 4096 * (PPU_PT_LEVELS - 1)) | 1, .context_id = 1, .max_depth = 1 };
	bench_set(b, PPU_REG_CTX_INST_LO, (uint32_t)inst | 1);
	bench_set(b, PPU_REG_CTX_INST_HI, (uint32_t)(inst >> 32));
	bench_set(b, PPU_REG_CTX_CMD, PPU_CTX_CMD_LOAD);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_CTX_STATUS), PPU_CTX_LOADED);
	bench_set(b, regs + PPU_REG_CH_INST_LO, (uint32_t)inst | 1);
	bench_set(b, regs + PPU_REG_CH_INST_HI, (uint32_t)(inst >> 32));
	bench_set(b, regs + PPU_REG_CH_RING_LO, (uint32_t)va);
	bench_set(b, regs + PPU_REG_CH_RING_ENTRIES, 8);
	bench_set(b, regs + PPU_REG_CH_CLASS, PPU_CLASS_COPY);
	bench_set(b, regs + PPU_REG_CH_CMD, PPU_CH_CMD_ENABLE);
	memcpy(block, w, sizeof(w));
	ring[0] = (struct ppu_gpfifo_entry){ va + 4096, sizeof(w) / 4, 0 };
	bench_set(b, PPU_BAR0_USERD + PPU_REG_USERD_GP_PUT, 1);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_reg(b, regs + PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(data[0], 9);
	for (unsigned i = 0; i < 256; i++) {
		uint64_t v;

		memcpy(&v, (uint8_t *)data + 65536 + 3 + 8 * i, 8);
		ck_assert_uint_eq(v, 0x1234);
	}
	ck_assert_int_eq(memcmp(b->vram, b->vram + 1, b->cfg.vram - 1), 0);
	ck_assert_uint_eq(b->vram[0], 0);
	ck_assert_uint_eq(b->vram_dirty, 0);
	bench_free(b);
}
END_TEST

/* CP-3: the host executes semaphore operations while all copy engines are busy. */
START_TEST(semaphores_need_no_engine)
{
	struct bench *b = bench_new("copy-engines=3");
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), buf = bench_alloc(c, 1 << 20, BENCH_VRAM);
	struct bench_chan *ch;

	for (unsigned i = 0; i < 5; i++) {
		ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
		bench_fill(ch, 0, buf, 1, 1 << 20);
		bench_submit(ch);
	}
	bench_run_for(b, 10000);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CE_START, -1), 3);
	ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	for (unsigned i = 0; i < 10; i++)
		bench_inc(ch, 0, s);
	bench_acquire(ch, PPU_SEM_OP_EQ, s, 10);
	bench_dec(ch, 0, s);
	bench_submit(ch);
	bench_run_for(b, 5000);
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert_uint_eq(bench_rd64(c, s), 9);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CE_DONE, -1), 0);
	bench_free(b);
}
END_TEST

/* CP-4, CP-16: a copy behind an acquire whose condition does not hold is never dispatched; S does not change. */
START_TEST(held_copies)
{
	struct bench *b = bench_new("copy-engines=2");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct bench_chan *by = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	bench_wr64(c, s, 1);
	bench_acquire(ch, PPU_SEM_OP_ZERO | (_i ? PPU_CMDF_SEM_GATE : 0), s, 0);
	bench_fill(ch, 0, s + 64, 1, 64);
	bench_submit(ch);
	for (unsigned i = 2; i < 40; i++) {
		bench_release(by, 0, s, i);
		bench_submit(by);
		bench_run_for(b, 100000);
		ck_assert_uint_eq(bench_count(b, PPU_TR_CE_START, -1), 0);
		ck_assert_uint_eq(bench_rd64(c, s), i);
	}
	bench_release(by, 0, s, 0);
	bench_submit(by);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_count(b, PPU_TR_CE_DONE, -1), 1);
	ck_assert_uint_eq(bench_rd64(c, s), 0);
	bench_free(b);
}
END_TEST

/* A block that changes its own later commands: the host interface reads a command only when its turn comes. */
START_TEST(block_that_changes_itself)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t s = bench_alloc(c, 8192, BENCH_VRAM), code = s + 4096;
	/* The release makes the NOP behind it an increment; the fill makes the increment a bad opcode,
	 * in the entry that runs it a second time. */
	uint32_t w[] = {
		PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, 5, PPU_CMDF_SEM_32), (uint32_t)(code + 20),
		(uint32_t)((code + 20) >> 32), PPU_CMD_HDR(PPU_CMD_SEM_INC, 3, 0), 0,
		PPU_CMD_HDR(PPU_CMD_NOP, 3, 0), (uint32_t)s, (uint32_t)(s >> 32),
		PPU_CMD_HDR(PPU_CMD_FILL, 7, 2), (uint32_t)(code), (uint32_t)(code >> 32), 0xff, 0, 1, 0,
	};

	bench_write(c, code, w, sizeof(w));
	bench_entry(ch, 0, code, sizeof(w) / 4, 0);
	bench_entry(ch, 1, code, sizeof(w) / 4, 0);
	bench_doorbell(ch, 2);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), 1);
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_BAD_OPCODE);
	bench_free(b);
}
END_TEST

/* An acquire that can never pass costs no time, shows at which entry it waits, and ends with its channel. */
START_TEST(acquire_that_never_passes)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	bench_acquire(ch, PPU_SEM_OP_ANYBIT, s, 0);		/* no word has any bit of 0 */
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(ppu_core_next_event(b->core), PPU_TIME_NEVER);
	ck_assert(bench_chan_reg(ch, PPU_REG_CH_STATUS) & PPU_CHS_SEM_BLOCKED);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_BLOCK_VA_LO), (uint32_t)s);
	bench_wr64(c, s, ~0ull);
	bench_kick(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(ch), 0);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	bench_chan_enable(ch);
	ch->put = 0;
	bench_inc(ch, 0, s + 8);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 8), 1);
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hostpaths");
	TCase *t = tcase_create("hostpaths");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_writer, 0, 2);
	tcase_add_test(t, blocked_channel_blocks_nobody);
	tcase_add_loop_test(t, who_waits_for_a_task_sees_its_stores, 0, 2);
	tcase_add_loop_test(t, wfi_waits_for_stores, 0, sizeof(stores_case) / sizeof(stores_case[0]));
	tcase_add_test(t, pointers_are_out_of_reach);
	tcase_add_loop_test(t, mixed_increments, 0, 2);
	tcase_add_test(t, each_command_to_its_unit);
	tcase_add_test(t, system_memory_only);
	tcase_add_test(t, semaphores_need_no_engine);
	tcase_add_loop_test(t, held_copies, 0, 2);
	tcase_add_test(t, block_that_changes_itself);
	tcase_add_test(t, acquire_that_never_passes);
	suite_add_tcase(s, t);
	return run_suite(s);
}
