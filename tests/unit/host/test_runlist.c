/* SPDX-License-Identifier: MIT */
/*
 * Who gets an engine: contexts share it by the time they use, whatever the number of their channels,
 * the size of their copies or the commands around them (no process slows another unfairly); in a
 * context the order is that of test_hostsched.c.  CP-5, CP-6, HW-76.
 */
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_isa.h>
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"

#define KB (1u << 10)
#define MB (1u << 20)

struct proc {
	struct bench_ctx *c;
	struct bench_chan *ch[40];
	unsigned n;
	uint64_t buf;
};

static struct proc proc_of(struct bench *b, uint64_t owner, unsigned channels, uint32_t slice)
{
	struct proc p = { .c = bench_ctx_make(b), .n = channels };

	p.c->blk->owner = owner;
	ck_assert_uint_eq(bench_ctx_cmd(p.c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED);
	p.buf = bench_alloc(p.c, 2 * MB, BENCH_VRAM);
	for (unsigned i = 0; i < channels; i++) {
		p.ch[i] = bench_chan_make(p.c, PPU_CLASS_COPY, 512);
		bench_chan_set(p.ch[i], PPU_REG_CH_TIMESLICE_NS, slice);
		bench_chan_enable(p.ch[i]);
	}
	return p;
}

static struct proc proc_new(struct bench *b, unsigned channels, uint32_t slice)
{
	return proc_of(b, 0, channels, slice);
}

/* `count` fills of `bytes` in every channel, an entry each. */
static void fill(struct proc *p, unsigned count, uint32_t bytes)
{
	for (unsigned k = 0; k < count; k++)
		for (unsigned i = 0; i < p->n; i++) {
			bench_fill(p->ch[i], 0, p->buf, k, bytes);
			bench_push(p->ch[i]);
		}
	for (unsigned i = 0; i < p->n; i++)
		bench_doorbell(p->ch[i], p->ch[i]->put);
}

/* Engine time the process's channels were charged (CH_RUNTIME has the host's part, too: small here). */
static uint64_t used(const struct proc *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->n; i++)
		sum += bench_chan_reg(p->ch[i], PPU_REG_CH_RUNTIME_LO);
	return sum;
}

static void half_each(const struct proc *a, const struct proc *b, uint64_t slack)
{
	uint64_t x = used(a), y = used(b);

	ck_assert_msg(x + slack >= y && y + slack >= x, "%llu and %llu ns of the engines",
		      (unsigned long long)x, (unsigned long long)y);
}

/* Many channels do not get a larger share, with one engine and with two. */
START_TEST(channels_are_no_share)
{
	struct bench *b = bench_new(_i ? "copy-engines=2 vram=64M" : "copy-engines=1 vram=64M");
	struct proc many = proc_new(b, 30, 100000), one = proc_new(b, _i + 1, 100000);

	fill(&many, 200, 256 * KB);		/* 23 us each */
	fill(&one, 400, 256 * KB);
	bench_run_for(b, 8000000);
	/* At most a slice and a copy on each side, for every engine. */
	half_each(&many, &one, 250000 * (_i + 1));
	ck_assert_uint_gt(used(&one), 3500000ull * (_i + 1));
	/* All thirty channels get a share: channels of a context take turns. */
	for (unsigned i = 0; i < many.n; i++)
		ck_assert_uint_gt(bench_get(many.ch[i]), 0);
	bench_free(b);
}
END_TEST

/* Nor do many contexts of one owner, who all come at the same time: nobody else waits longer for that. */
START_TEST(contexts_are_no_share)
{
	struct bench *b = bench_new("copy-engines=1 vram=512M");
	struct proc one = proc_of(b, 7, 1, 100000), many[20], all = { .n = 0 };

	for (unsigned i = 0; i < 20; i++) {
		many[i] = proc_of(b, 8, 2, 100000);
		for (unsigned k = 0; k < 2; k++)
			all.ch[all.n++] = many[i].ch[k];
	}
	for (unsigned i = 0; i < 20; i++)
		fill(&many[i], 200, 256 * KB);
	fill(&one, 400, 256 * KB);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t before = used(&one);

		bench_run_for(b, 400000);
		ck_assert_uint_gt(used(&one) - before, 100000);
	}
	half_each(&all, &one, 250000);
	/* The owner's contexts take turns. */
	for (unsigned i = 0; i < 20; i++)
		ck_assert_uint_gt(used(&many[i]), 100000);
	bench_free(b);
}
END_TEST

/* The same for commands that need no engine: an owner has one turn. */
START_TEST(contexts_are_no_turns)
{
	struct bench *b = bench_new("copy-engines=1 vram=512M");
	struct proc p[11];
	uint32_t words;

	for (unsigned i = 0; i < 11; i++) {
		uint64_t va;

		p[i] = proc_of(b, i ? 8 : 7, 1, 100000);
		for (unsigned k = 0; k < 1000; k++)
			bench_nop(p[i].ch[0], 1);
		va = bench_block(p[i].ch[0], &words);
		for (unsigned k = 0; k < 100; k++)
			bench_entry(p[i].ch[0], k, va, words, 0);
	}
	for (unsigned i = 11; i--;)
		bench_doorbell(p[i].ch[0], 100);
	bench_run_for(b, 2000000);
	/* 1000 commands take 20 us and more, so 40 entries are half of the time. */
	ck_assert_uint_ge(bench_get(p[0].ch[0]), 35);
	bench_free(b);
}
END_TEST

/* Large copies do not get a larger share either, though none is interrupted (CP-6): the other side catches up. */
START_TEST(large_copies_are_no_share)
{
	struct bench *b = bench_new("copy-engines=1 vram=64M");
	struct proc large = proc_new(b, 1, 10000), small = proc_new(b, 1, 10000);

	fill(&large, 400, 2 * MB);		/* 176 us each, slices of 10 us */
	fill(&small, 500, 64 * KB);		/* 6.5 us each */
	bench_run_for(b, 5000000);
	half_each(&large, &small, 200000);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CE_ABORT, -1), 0);
	bench_free(b);
}
END_TEST

/* Channels that give the engine back after each short copy: the time they used counts, not the number of turns. */
START_TEST(short_turns_are_no_smaller_share)
{
	struct bench *b = bench_new("copy-engines=1 vram=64M");
	struct proc steady = proc_new(b, 1, 1000000), sparse = proc_new(b, 30, 1000000);

	fill(&steady, 500, 128 * KB);
	for (uint64_t t = 0; t < 4000000; t += 100000) {
		/* One short copy in each channel, again as soon as it is done. */
		for (unsigned i = 0; i < sparse.n; i++)
			if (bench_get(sparse.ch[i]) == sparse.ch[i]->put) {
				bench_fill(sparse.ch[i], 0, sparse.buf, 1, 64 * KB);
				bench_submit(sparse.ch[i]);
			}
		bench_run_for(b, 100000);
	}
	half_each(&steady, &sparse, 1200000);
	bench_free(b);
}
END_TEST

/* A context that was idle has neither saved up time nor to pay for it. */
START_TEST(a_pause_is_no_credit)
{
	struct bench *b = bench_new("copy-engines=1 vram=64M");
	struct proc a = proc_new(b, 1, 100000), late = proc_new(b, 1, 100000);
	uint64_t before;

	fill(&late, 1, 256 * KB);
	ck_assert(bench_run(b));
	fill(&a, 400, 256 * KB);
	bench_run_for(b, 5000000);
	before = used(&a);
	fill(&late, 400, 256 * KB);
	bench_run_for(b, 1000000);
	ck_assert_uint_gt(used(&a) - before, 350000);
	ck_assert_uint_gt(used(&late), 350000);
	bench_free(b);
}
END_TEST

/* The time used by a process of higher queue priority does not matter among the lower ones: they share as before. */
START_TEST(priorities_apart)
{
	struct bench *b = bench_new("copy-engines=1 vram=64M");
	struct proc old = proc_new(b, 1, 100000), late = proc_new(b, 1, 100000), high = { .n = 1 };

	high.c = bench_ctx_new(b);
	high.buf = bench_alloc(high.c, 2 * MB, BENCH_VRAM);
	high.ch[0] = bench_chan_make(high.c, PPU_CLASS_COPY, 512);
	bench_chan_set(high.ch[0], PPU_REG_CH_PRIORITY, 1);
	bench_chan_enable(high.ch[0]);
	fill(&old, 400, 64 * KB);
	fill(&high, 400, MB);			/* 35 ms of the engine */
	while (bench_get(high.ch[0]) != high.ch[0]->put)
		bench_run_for(b, 100000);
	fill(&late, 400, 64 * KB);
	bench_run_for(b, 2000000);
	ck_assert_uint_gt(used(&late), 800000);
	ck_assert_uint_gt(used(&old), 800000);
	bench_free(b);
}
END_TEST

/*
 * The engine is kept free while semaphore commands of a context run before its copy (CP-33): the context pays for that
 * time.
 */
START_TEST(drain_is_paid)
{
	struct bench *b = bench_new("copy-engines=1 vram=64M");
	struct proc victim = proc_new(b, 1, 100000), bad = proc_new(b, 1, 100000);
	uint64_t s = bench_alloc(bad.c, 4096, BENCH_VRAM), alone, start;

	fill(&victim, 400, 64 * KB);
	ck_assert(bench_run(b));
	alone = ppu_core_time(b->core);
	for (unsigned i = 0; i < 30; i++) {
		struct bench_chan *spin = bench_chan_new(bad.c, PPU_CLASS_COMPUTE, 8);

		for (unsigned k = 0; k < 4000; k++)
			bench_inc(spin, 0, s);
		bench_submit(spin);
	}
	fill(&bad, 400, 4 * KB);
	start = ppu_core_time(b->core);
	fill(&victim, 400, 64 * KB);
	while (bench_get(victim.ch[0]) != victim.ch[0]->put)
		bench_run_for(b, 10000);
	/* Half of the engine's time except for one drain, and for runs of 64 commands of other channels in between. */
	ck_assert_uint_le(ppu_core_time(b->core) - start, 2 * alone + 400 * 2 * 64 * 20 + 31 * 16 * 64 * 20);
	bench_free(b);
}
END_TEST

/* An owner pays for the time that an engine was kept free for him, even if the context is forgotten meanwhile. */
START_TEST(forgotten_drain_is_paid)
{
	enum { SPINS = 30, ROUNDS = 12 };
	struct bench *b = bench_new("copy-engines=1 vram=256M channels=512");
	struct proc victim = proc_of(b, 1, 1, 100000);
	uint64_t alone, start;
	unsigned rounds = 0;

	proc_of(b, 2, 1, 100000);		/* another context of the owner: he stays */
	fill(&victim, 400, 64 * KB);
	ck_assert(bench_run(b));
	alone = ppu_core_time(b->core);
	start = ppu_core_time(b->core);
	fill(&victim, 400, 64 * KB);
	while (bench_get(victim.ch[0]) != victim.ch[0]->put) {
		struct proc bad;
		uint64_t s;

		if (rounds++ >= ROUNDS) {
			bench_run_for(b, 10000);
			continue;
		}
		bad = proc_of(b, 2, 1, 100000);
		s = bench_alloc(bad.c, 4096, BENCH_VRAM);
		for (unsigned i = 0; i < SPINS; i++) {
			struct bench_chan *spin = bench_chan_new(bad.c, PPU_CLASS_COMPUTE, 8);

			for (unsigned k = 0; k < 4000; k++)
				bench_inc(spin, 0, s);
			bench_submit(spin);
		}
		fill(&bad, 1, 4 * KB);
		/* Until just before the end of the drain. */
		bench_run_for(b, 500000);
		bench_ctx_cmd(bad.c, PPU_CTX_CMD_FORGET);
	}
	/* Half of the engine's time except for one drain, and for runs of 64 commands of other channels in between. */
	ck_assert_uint_le(ppu_core_time(b->core) - start, 2 * alone + 400 * 2 * 64 * 20 + 500000);
	bench_free(b);
}
END_TEST

/* Contexts that wait get free task records in turn. */
START_TEST(task_records_go_round)
{
	struct bench *b = bench_new("task-records=4 task-slots=4 channels=64 vram=64M");
	struct bench_ctx *hog = bench_ctx_new(b), *c = bench_ctx_new(b);
	uint64_t t = bench_sleep_task(hog, 50000), u = bench_sleep_task(c, 50000);
	struct bench_chan *one, *ch;

	for (unsigned i = 0; i < 30; i++) {
		ch = bench_chan_new(hog, PPU_CLASS_COMPUTE, 64);
		for (unsigned k = 0; k < 20; k++)
			bench_launch(ch, t);
		bench_submit(ch);
	}
	bench_run_for(b, 200000);
	one = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	for (unsigned k = 0; k < 10; k++) {
		bench_launch(one, u);
		bench_push(one);
	}
	bench_doorbell(one, one->put);
	/* 4 records, 50 us each: ten launches take ten of the next 22 or so. */
	bench_run_for(b, 700000);
	ck_assert_uint_eq(bench_get(one), 10);
	bench_free(b);
}
END_TEST

/* Tasks may have no end: a context that has taken all the records it gets leaves some for another one. */
START_TEST(task_records_are_left)
{
	struct bench *b = bench_new("task-records=64 task-slots=4 channels=64 vram=64M");
	struct bench_ctx *hog = bench_ctx_new(b), *c = bench_ctx_new(b);
	uint64_t forever = bench_sleep_task(hog, 100000), t = bench_sleep_task(c, 1000);
	struct ppu_insn back = { PPU_OP_BRA | 15ull << 8, 15ull << 32 | 15ull << 36 | 15ull << 40 };	/* to 0 */
	struct bench_chan *ch;

	bench_write(hog, forever + 1024 + sizeof(back), &back, sizeof(back));	/* behind the sleep */
	for (unsigned i = 0; i < 30; i++) {
		ch = bench_chan_new(hog, PPU_CLASS_COMPUTE, 64);
		for (unsigned k = 0; k < 20; k++)
			bench_launch(ch, forever);
		bench_submit(ch);
	}
	bench_run_for(b, 1000000);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	for (unsigned k = 0; k < 5; k++) {
		bench_launch(ch, t);
		bench_wfi(ch);
		bench_push(ch);
	}
	bench_doorbell(ch, ch->put);
	bench_run_for(b, 50000000);
	ck_assert_uint_eq(bench_get(ch), 5);
	bench_free(b);
}
END_TEST

/* Engine masks: channels that may use the engine are served in the same order; the others do not block them. */
START_TEST(masks)
{
	struct bench *b = bench_new("copy-engines=2 vram=64M");
	struct bench_ctx *c = bench_ctx_new(b), *d = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, MB, BENCH_VRAM), t = bench_alloc(d, MB, BENCH_VRAM);
	struct bench_chan *ch[6];
	static const struct { bool other; uint32_t mask; } who[6] = {
		{ false, 1 }, { false, 1 }, { true, 1 }, { false, 2 }, { true, 2 }, { false, 0 },
	};
	static const unsigned order0[] = { 0, 2, 1 };
	unsigned n[2] = { 0 };

	bench_set(b, PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_HOST);
	for (unsigned i = 0; i < 6; i++) {
		ch[i] = bench_chan_make(who[i].other ? d : c, PPU_CLASS_COPY, 8);
		bench_chan_set(ch[i], PPU_REG_CH_ENGINE_MASK, who[i].mask);
		bench_chan_enable(ch[i]);
		bench_fill(ch[i], 0, who[i].other ? t : s, 1, MB);
		bench_submit(ch[i]);
	}
	bench_set(b, PPU_REG_SCHED_CTRL, 0);
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];

		if (r->event != PPU_TR_CE_START)
			continue;
		if (r->unit == 0 && n[0] < 3)
			ck_assert_uint_eq(r->a, ch[order0[n[0]]]->id);
		if (who[r->a].mask)
			ck_assert_uint_eq(who[r->a].mask, 1u << r->unit);
		n[r->unit]++;
	}
	ck_assert_uint_eq(n[0] + n[1], 6);
	ck_assert_uint_eq(n[0], 3);
	bench_free(b);
}
END_TEST

/* Half a million commands that need no engine. */
static void nops(struct proc *p, unsigned k)
{
	uint32_t words;
	uint64_t va;

	for (unsigned i = 0; i < 1000; i++)
		bench_nop(p->ch[k], 1);
	va = bench_block(p->ch[k], &words);
	for (unsigned i = 0; i < 500; i++)
		bench_entry(p->ch[k], i, va, words, 0);
	bench_doorbell(p->ch[k], 500);
}

/*
 * An engine is kept free for a context that has other commands before its copy (CP-33).  However many contexts the owner
 * and however many owners there are with commands for the host, it is not kept from others for long.
 */
START_TEST(contexts_are_no_drain)
{
	enum { MANY = 20 };
	struct bench *b = bench_new("copy-engines=1 vram=1G channels=128");
	struct proc p, own, victim = proc_of(b, 500, 1, 100000);
	uint64_t begin;

	own = proc_of(b, 7, 2, 100000);
	nops(&own, 0);
	for (unsigned i = 1; i < MANY; i++) {
		p = proc_of(b, 7, 1, 100000);
		nops(&p, 0);
		p = proc_of(b, 100 + i, 1, 100000);
		nops(&p, 0);
	}
	bench_run_for(b, 20000);
	bench_fill(own.ch[1], 0, own.buf, 1, 4096);
	bench_push(own.ch[1]);
	bench_doorbell(own.ch[1], own.ch[1]->put);
	bench_run_for(b, 2500000);
	begin = ppu_core_time(b->core);
	bench_fill(victim.ch[0], 0, victim.buf, 1, 4096);
	bench_push(victim.ch[0]);
	bench_doorbell(victim.ch[0], victim.ch[0]->put);
	for (unsigned i = 0; i < 1000 && bench_get(victim.ch[0]) != victim.ch[0]->put; i++)
		bench_run_for(b, 50000);
	ck_assert_uint_le(ppu_core_time(b->core) - begin, 1000000);
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runlist");
	TCase *t = tcase_create("runlist");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, channels_are_no_share, 0, 2);
	tcase_add_test(t, contexts_are_no_share);
	tcase_add_test(t, contexts_are_no_turns);
	tcase_add_test(t, contexts_are_no_drain);
	tcase_add_test(t, large_copies_are_no_share);
	tcase_add_test(t, short_turns_are_no_smaller_share);
	tcase_add_test(t, a_pause_is_no_credit);
	tcase_add_test(t, priorities_apart);
	tcase_add_test(t, drain_is_paid);
	tcase_add_test(t, forgotten_drain_is_paid);
	tcase_add_test(t, task_records_go_round);
	tcase_add_test(t, task_records_are_left);
	tcase_add_test(t, masks);
	suite_add_tcase(s, t);
	return run_suite(s);
}
