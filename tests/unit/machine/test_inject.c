/* SPDX-License-Identifier: MIT */
/* Faults on purpose (Documentation/hw/faults.md): each happens when, and only when, its property says. */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"

#define WATCH_VECTOR 2

/* An event of the watch table: entry n is armed with what its word holds, and matches at once. */
static void event(struct bench *b, unsigned n)
{
	uint64_t at = PPU_BAR0_WATCH + n * PPU_WATCH_STRIDE;

	bench_set(b, at + PPU_REG_WATCH_ADDR_LO, 0);
	bench_set(b, at + PPU_REG_WATCH_ADDR_HI, 0);
	bench_set(b, at + PPU_REG_WATCH_VALUE_LO, 0);
	bench_set(b, at + PPU_REG_WATCH_VALUE_HI, 0);
	bench_set(b, at + PPU_REG_WATCH_CTRL, PPU_WATCH_ARM);
}

static struct bench *watcher(const char *props)
{
	struct bench *b = bench_new(props);

	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	return b;
}

static void clear(struct bench *b)
{
	bench_set(b, PPU_REG_INTR_STATUS, PPU_INTR_ALL);
}

/* The number of injected faults: trace and counter agree, and the messages are those that the port got. */
static void injected(struct bench *b, unsigned n)
{
	unsigned sent = 0;

	for (unsigned v = 0; v < PPU_NUM_VECTORS; v++)
		sent += b->irqs[v];
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_FAULTS_INJECTED), n);
	ck_assert_uint_eq(bench_count(b, PPU_TR_INJECT, -1), n);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_IRQS), sent);
	ck_assert_uint_eq(bench_count(b, PPU_TR_INTR, -1), sent);
}

static void save_and_load(struct bench *b)
{
	uint8_t *bytes = NULL;
	size_t len = 0;
	char *err = NULL;

	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	bench_new_core(b);
	b->num_trace--;			/* the RESET of the new core */
	ck_assert_msg(ppu_core_load(b->core, bytes, len, &err) == 0, "%s", err);
	free(bytes);
}

START_TEST(off)
{
	struct bench *b = watcher(NULL);

	for (unsigned i = 0; i < 10; i++) {
		event(b, i);
		clear(b);
	}
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 10);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_WATCH_PENDING), 0x3ff);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_ID), PPU_ID_MAGIC);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_VERSION), PPU_HW_VERSION);
	injected(b, 0);
	bench_free(b);
}
END_TEST

START_TEST(identity)
{
	struct bench *b = bench_new("x-fault-id=0xffffffff");

	ck_assert_uint_eq(bench_reg(b, PPU_REG_ID), 0xffffffff);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_VERSION), PPU_HW_VERSION);
	bench_free(b);
	b = bench_new("x-fault-version=0x70000");
	ck_assert_uint_eq(bench_reg(b, PPU_REG_ID), PPU_ID_MAGIC);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_VERSION), 0x70000);
	bench_free(b);
}
END_TEST

/* Each vector counts separately; the cause stays pending; messages sent by a write of INTR_ENABLE may be lost, too. */
START_TEST(lost)
{
	struct bench *b = watcher("x-fault-irq-lose=3");

	for (unsigned i = 1; i <= 9; i++) {
		event(b, i);
		if (i == 4)
			save_and_load(b);
		ck_assert_uint_eq(b->irqs[WATCH_VECTOR], i - i / 3);
		ck_assert_uint_eq(bench_reg(b, PPU_REG_INTR_STATUS), PPU_INTR_WATCH);
		clear(b);
	}
	for (unsigned i = 1; i <= 3; i++) {
		bench_set(b, PPU_REG_INTR_TEST, PPU_INTR_SMEXC);
		ck_assert_uint_eq(b->irqs[3], i < 3 ? i : 2);
		if (i < 3)
			clear(b);
	}
	injected(b, 4);
	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);	/* SMEXC is pending still */
	ck_assert_uint_eq(b->irqs[3], 3);
	clear(b);
	/* A reset starts the counts over. */
	event(b, 0);
	bench_set(b, PPU_REG_RESET, 1);
	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	b->irqs[WATCH_VECTOR] = 0;
	for (unsigned i = 1; i <= 3; i++) {
		event(b, i);
		clear(b);
	}
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 2);
	bench_free(b);
	b = watcher("x-fault-irq-lose=1");
	bench_set(b, PPU_REG_INTR_TEST, PPU_INTR_ALL);
	injected(b, 4);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_IRQS), 0);
	bench_free(b);
}
END_TEST

START_TEST(late)
{
	struct bench *b = watcher("x-fault-irq-delay-ns=5000");
	uint64_t t = ppu_core_time(b->core);

	event(b, 1);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_INTR_STATUS), PPU_INTR_WATCH);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_WATCH_PENDING), 2);
	bench_run_to(b, t + 4999);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 0);
	save_and_load(b);
	/* Another message of the same vector, and one of another vector: each vector gets one message. */
	clear(b);
	event(b, 2);
	bench_set(b, PPU_REG_INTR_TEST, PPU_INTR_CHINTR);
	bench_run_to(b, t + 5000);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 1);
	ck_assert_uint_eq(bench_find(b, PPU_TR_INTR, WATCH_VECTOR, 0)->time, t + 5000);
	bench_run_to(b, t + 9998);
	ck_assert_uint_eq(b->irqs[1], 0);
	bench_run_to(b, t + 9999);
	ck_assert_uint_eq(b->irqs[1], 1);
	injected(b, 2);
	/* A late message arrives although nothing is pending or enabled any more; a reset stops it. */
	clear(b);
	event(b, 3);
	clear(b);
	bench_set(b, PPU_REG_INTR_ENABLE, 0);
	bench_run_for(b, 5000);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 2);
	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	event(b, 4);
	bench_set(b, PPU_REG_RESET, 1);
	ck_assert_uint_eq(ppu_core_next_event(b->core), PPU_TIME_NEVER);
	bench_run_for(b, 10000);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 2);
	bench_free(b);
}
END_TEST

START_TEST(spurious)
{
	struct bench *b = watcher("x-fault-irq-spurious=2");

	event(b, 1);
	clear(b);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 1);
	event(b, 2);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 2);
	save_and_load(b);
	clear(b);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 3);
	ck_assert_uint_eq(bench_find(b, PPU_TR_INTR, WATCH_VECTOR, 2)->a, 0);
	clear(b);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 3);
	injected(b, 1);
	/* Two causes of one vector: the spurious message comes when both are cleared. */
	bench_set(b, PPU_REG_INTR_TEST, PPU_INTR_CHERR);
	bench_set(b, PPU_REG_INTR_TEST, PPU_INTR_FAULT);
	ck_assert_uint_eq(b->irqs[0], 2);
	bench_set(b, PPU_REG_INTR_STATUS, PPU_INTR_CHERR);
	ck_assert_uint_eq(b->irqs[0], 2);
	bench_set(b, PPU_REG_INTR_STATUS, PPU_INTR_FAULT);
	ck_assert_uint_eq(b->irqs[0], 3);
	/* None from a vector that is switched off. */
	event(b, 3);
	clear(b);
	event(b, 4);
	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL & ~PPU_INTR_WATCH);
	clear(b);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 5);
	injected(b, 2);
	bench_free(b);
}
END_TEST

/* A lost message is followed by no spurious one, a late message is. */
START_TEST(spurious_with_others)
{
	struct bench *b = watcher("x-fault-irq-spurious=1 x-fault-irq-lose=2 x-fault-irq-delay-ns=100");

	event(b, 1);
	bench_run(b);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 1);
	clear(b);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 2);
	event(b, 2);
	bench_run(b);
	clear(b);
	bench_run(b);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 2);
	injected(b, 3);
	bench_free(b);
}
END_TEST

/* The handler's two orders: only the one that the manual gives sees all events. */
START_TEST(race)
{
	struct bench *b = watcher("x-fault-irq-race=1");
	uint32_t reg = PPU_REG_WATCH_PENDING + 4;

	event(b, 40);
	event(b, 41);
	event(b, 42);
	event(b, 70);
	injected(b, 3);
	save_and_load(b);
	clear(b);
	ck_assert_uint_eq(bench_reg(b, reg - 4), 0);		/* another word */
	ck_assert_uint_eq(bench_reg(b, reg), 1 << 8);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 2);
	bench_set(b, reg, 1 << 8);
	clear(b);
	ck_assert_uint_eq(bench_reg(b, reg), 3 << 9);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_INTR_STATUS), 0);
	bench_set(b, reg, 3 << 9);
	ck_assert_uint_eq(bench_reg(b, reg + 4), 0);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 3);
	ck_assert_uint_eq(bench_reg(b, reg + 4), 1 << 6);
	clear(b);
	/* The wrong one. */
	event(b, 40);
	event(b, 41);
	bench_set(b, reg, bench_reg(b, reg));
	clear(b);
	ck_assert_uint_eq(b->irqs[WATCH_VECTOR], 4);
	ck_assert_uint_eq(bench_reg(b, reg), 1 << 9);
	bench_free(b);
}
END_TEST

struct pair {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch[2];
	uint64_t vram, sys;
};

static struct pair pair_new(const char *props)
{
	struct pair p = { .b = bench_new(props) };

	p.c = bench_ctx_new(p.b);
	p.vram = bench_alloc(p.c, 3 << 20, BENCH_VRAM);
	p.sys = bench_alloc(p.c, 3 << 20, BENCH_SYS);
	for (unsigned i = 0; i < 2; i++)
		p.ch[i] = bench_chan_new(p.c, PPU_CLASS_COPY, 16);
	return p;
}

START_TEST(reordered)
{
	struct pair p = pair_new("vram=16M copy-engines=2 x-fault-ce-reorder=2 x-fault-ce-late-ns=100000");
	uint64_t cost[4];

	/* The 2nd and 4th copy are late: both copies of channel 1 overtake the second one of channel 0. */
	for (unsigned i = 0; i < 4; i++) {
		bench_fill(p.ch[0], 2, p.vram, i, 64);
		bench_submit(p.ch[0]);
	}
	bench_run_for(p.b, 4000);
	save_and_load(p.b);
	bench_fill(p.ch[1], 2, p.vram + 8192, 7, 64);
	bench_submit(p.ch[1]);
	ck_assert(bench_run(p.b));
	ck_assert_str_eq(bench_copies_text(p.b), "0.0 1.0 0.1 0.2 0.3");
	for (unsigned i = 0; i < 4; i++) {
		const struct ppu_trace_rec *r = NULL;

		for (unsigned k = 0; !r || r->a != 0 || r->b != i; k++)
			r = bench_find(p.b, PPU_TR_CE_DONE, -1, k);
		cost[i] = r->time;
		for (unsigned k = 0; r->event != PPU_TR_CE_START || r->a != 0 || r->b != i; k++)
			r = bench_find(p.b, PPU_TR_CE_START, -1, k);
		cost[i] -= r->time;
	}
	ck_assert_uint_eq(cost[0], 1020 + 256 * 1000 / 12000);
	ck_assert_uint_eq(cost[1], cost[0] + 100000);
	ck_assert_uint_eq(bench_ctr(p.b, PPU_CTR_FAULTS_INJECTED), 2);
	ck_assert_uint_eq(cost[2] + cost[3], 2 * cost[0] + 100000);
	bench_free(p.b);
}
END_TEST

/* Every second copy that touches system memory fails; other copies are not counted; other channels go on. */
START_TEST(dma)
{
	struct pair p = pair_new("vram=16M copy-engines=1 x-fault-dma-fail=2");
	struct bench_chan *ch = p.ch[0];
	uint32_t w[PPU_FAULT_REC_WORDS];
	struct ppu_fault_rec rec;

	for (unsigned i = 0; i < 5; i++)
		bench_copy(ch, p.vram, p.vram + 8192, 100);
	bench_copy(ch, p.sys, p.vram, 2 << 20);		/* in two chunks, counted once */
	bench_submit(ch);
	bench_run_for(p.b, 150000);
	save_and_load(p.b);
	ck_assert(bench_run(p.b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	bench_fill(ch, 3, p.vram, 5, 1);
	bench_fill(ch, 3, p.sys + 4096, 5, 1);
	bench_submit(ch);
	ck_assert(bench_run(p.b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_DMA_FAULT);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR_VA_LO), (uint32_t)(p.sys + 4096));
	ck_assert_uint_eq(bench_rd64(p.c, p.vram), 5);
	ck_assert_uint_eq(bench_rd64(p.c, p.sys + 4096), 0);
	bench_set(p.b, PPU_REG_FAULT_SEL, 0);
	for (unsigned i = 0; i < PPU_FAULT_REC_WORDS; i++)
		w[i] = bench_reg(p.b, PPU_REG_FAULT_DATA);
	memcpy(&rec, w, sizeof(rec));
	ck_assert_uint_eq(rec.code, PPU_ERR_DMA_FAULT);
	ck_assert_uint_eq(rec.access, PPU_ACC_WRITE);
	ck_assert_uint_eq(rec.va, p.sys + 4096);
	ck_assert_uint_eq(bench_ctr(p.b, PPU_CTR_FAULTS_INJECTED), 1);
	bench_copy(p.ch[1], p.vram, p.sys, 8);
	bench_submit(p.ch[1]);
	ck_assert(bench_run(p.b));
	ck_assert_uint_eq(bench_rd64(p.c, p.sys), 5);
	bench_copy(p.ch[1], p.sys, p.vram, 8);
	bench_submit(p.ch[1]);
	ck_assert(bench_run(p.b));
	ck_assert_uint_eq(bench_chan_reg(p.ch[1], PPU_REG_CH_ERROR), PPU_ERR_DMA_FAULT);
	ck_assert_uint_eq(bench_chan_reg(p.ch[1], PPU_REG_CH_ERROR_VA_LO), (uint32_t)p.sys);
	bench_free(p.b);
}
END_TEST

/* The second channel that is to stop while it is enabled does not, whoever asks for it, and goes on. */
START_TEST(deaf)
{
	struct pair p = pair_new("vram=16M copy-engines=1 x-fault-stop=2");
	const uint32_t cmds[] = { PPU_CH_CMD_STOP, PPU_CH_CMD_RESET, PPU_CH_CMD_STOP };

	bench_chan_set(p.ch[0], PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert_uint_eq(bench_chan_reg(p.ch[0], PPU_REG_CH_STATUS), PPU_CHS_STOPPED);
	bench_chan_set(p.ch[0], PPU_REG_CH_CMD, PPU_CH_CMD_RESET);		/* not counted: it is off */
	ck_assert_uint_eq(bench_chan_reg(p.ch[0], PPU_REG_CH_STATUS), 0);
	for (unsigned i = 0; i < 3; i++) {
		bench_chan_set(p.ch[1], PPU_REG_CH_CMD, cmds[i]);
		save_and_load(p.b);
		ck_assert(bench_chan_reg(p.ch[1], PPU_REG_CH_STATUS) & PPU_CHS_ENABLED);
		ck_assert_uint_eq(bench_ctr(p.b, PPU_CTR_FAULTS_INJECTED), i + 1);
		ck_assert_uint_eq(bench_count(p.b, PPU_TR_INJECT, -1), i + 1);
	}
	bench_fill(p.ch[1], 3, p.vram, 5, 1);
	bench_submit(p.ch[1]);
	ck_assert(bench_run(p.b));
	ck_assert_uint_eq(bench_rd64(p.c, p.vram), 5);

	/* A reset of the device ends it, and the count. */
	bench_set(p.b, PPU_REG_RESET, 1);
	ck_assert_uint_eq(bench_chan_reg(p.ch[1], PPU_REG_CH_STATUS), 0);
	save_and_load(p.b);
	bench_free(p.b);
}
END_TEST

BENCH_MAIN("inject", off, identity, lost, late, spurious, spurious_with_others, race, reordered, dma,
	   deaf)
