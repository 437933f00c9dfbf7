/* SPDX-License-Identifier: MIT */
/*
 * The host scheduler: CP-3..CP-6, CP-11, CP-13..CP-19, CP-25..CP-29, CP-32..CP-34, WQ-10, A-CP-6,
 * A-CP-9, and the worked scenarios CP-X1 and CP-X2 as golden traces.
 *
 * The command sequences of CP-20..CP-22 are built here as the runtime builds them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"

#define ZERO_GATE (PPU_SEM_OP_ZERO | PPU_CMDF_SEM_GATE)
#define MB (1u << 20)

struct cp {
	struct bench *b;
	struct bench_ctx *c;
	unsigned prios;			/* P */
	uint64_t sem[16];		/* of priority 2..P */
	uint64_t src, dst;
};

static struct cp cp_new_in(const char *props, unsigned prios, uint64_t where)
{
	struct cp s = { .b = bench_new(props), .prios = prios };
	uint64_t page;

	s.c = bench_ctx_new(s.b);
	page = bench_alloc(s.c, 4096, where);
	for (unsigned k = 2; k <= prios; k++)
		s.sem[k] = page + 64 * k;
	s.src = bench_alloc(s.c, 2 * MB, BENCH_VRAM);
	s.dst = bench_alloc(s.c, 2 * MB, BENCH_VRAM);
	return s;
}

static struct cp cp_new(const char *props, unsigned prios)
{
	return cp_new_in(props, prios, BENCH_VRAM);
}

static struct bench_chan *cp_chan(struct cp *s, uint32_t slice)
{
	struct bench_chan *ch = bench_chan_make(s->c, PPU_CLASS_COPY, 64);

	bench_chan_set(ch, PPU_REG_CH_TIMESLICE_NS, slice);
	bench_chan_enable(ch);
	return ch;
}

/* CP-20..CP-22: a copy of internal priority n. */
static void cp_insert(struct cp *s, struct bench_chan *ch, unsigned n, uint64_t bytes)
{
	for (unsigned k = n + 1; k <= s->prios; k++)
		bench_acquire(ch, ZERO_GATE, s->sem[k], 0);
	if (n > 1)
		bench_inc(ch, 0, s->sem[n]);
	bench_copy(ch, s->src, s->dst, bytes);
	if (n > 1)
		bench_dec(ch, 0, s->sem[n]);
}

static void cp_copy(struct cp *s, struct bench_chan *ch, unsigned n, uint64_t bytes)
{
	cp_insert(s, ch, n, bytes);
	bench_submit(ch);
}

/* The decisions in a trace, one word each. */
static const char *decisions(struct cp *s)
{
	static char text[8192];
	char *at = text, *end = text + sizeof(text);

	for (size_t i = 0; i < s->b->num_trace; i++) {
		const struct ppu_trace_rec *r = &s->b->trace[i];

		switch (r->event) {
		case PPU_TR_SEM_WRITE:
			for (unsigned k = 2; k <= s->prios; k++)
				if (s->sem[k] == r->b)
					at += snprintf(at, end - at, "%u:S%u=%llu ", r->unit, k,
						       (unsigned long long)r->d);
			break;
		case PPU_TR_CE_START:
			at += snprintf(at, end - at, "e%u:start(%u.%llu) ", r->unit, r->a,
				       (unsigned long long)r->b);
			break;
		case PPU_TR_CE_DONE:
			at += snprintf(at, end - at, "e%u:done(%u.%llu) ", r->unit, r->a,
				       (unsigned long long)r->b);
			break;
		case PPU_TR_SLICE_EXPIRE:
			at += snprintf(at, end - at, "%u:expire ", r->unit);
			break;
		case PPU_TR_BLOCK:
			if (r->a != PPU_TRB_ENGINE)
				at += snprintf(at, end - at, "%u:%s ", r->unit,
					       r->a == PPU_TRB_GATE ? "gate" : "block");
			break;
		case PPU_TR_UNBLOCK:
			if (r->a != PPU_TRB_ENGINE)
				at += snprintf(at, end - at, "%u:go ", r->unit);
			break;
		}
	}
	if (at > text)
		at[-1] = 0;
	return text;
}

/* One engine, Clow = channel 0, Chigh = channel 1. Events by number as in CP-X1. */
static void copies_of_two_priorities(struct cp *s, bool semaphores)
{
	struct bench_chan *low, *high;

	s->prios = semaphores ? 2 : 1;
	/* The slice of Clow is longer than everything; that of Chigh is shorter than Mhigh1 and longer than Mhigh2. */
	low = cp_chan(s, 10000000);
	high = cp_chan(s, 50000);
	cp_copy(s, low, 1, MB);					/* 1, 2 */
	bench_run_for(s->b, 10000);
	ck_assert_uint_eq(bench_count(s->b, PPU_TR_CE_START, -1), 1);
	cp_copy(s, low, 1, MB);					/* 3 */
	cp_copy(s, low, 1, MB);
	bench_run_for(s->b, 10000);
	cp_copy(s, high, semaphores ? 2 : 1, MB);		/* 4 */
	bench_run_for(s->b, 10000);
	if (semaphores) {
		/* CP-18: inc is executed at once, the low copy still runs. */
		ck_assert_uint_eq(bench_rd64(s->c, s->sem[2]), 1);
		ck_assert_uint_eq(bench_count(s->b, PPU_TR_CE_DONE, -1), 0);
	}
	cp_copy(s, high, semaphores ? 2 : 1, MB / 4);		/* 4' */
	bench_run_for(s->b, 10000);
	ck_assert_uint_eq(bench_count(s->b, PPU_TR_CE_DONE, -1), 0);
	ck_assert(bench_run(s->b));
}

/* CP-X1: CP-13: the same with semaphores in local and in system memory. */
START_TEST(two_priorities_golden)
{
	struct cp s = cp_new_in("copy-engines=1", 2, _i ? BENCH_SYS : BENCH_VRAM);
	size_t dec = 0, inc = 0;

	copies_of_two_priorities(&s, true);
	/* 4', A-CP-2: never 2. */
	ck_assert_str_eq(bench_sem_text(s.b, s.sem[2]), "0 1 0 1 0");
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 1.0 1.1 0.1 0.2");
	ck_assert_str_eq(decisions(&s),
			 "e0:start(0.0) "		/* 2 */
			 "1:S2=1 "			/* 4 */
			 "e0:done(0.0) 0:block "	/* 5 */
			 "e0:start(1.0) "		/* 6 */
			 "1:expire e0:done(1.0) "	/* 7, 8, 9: Clow stays blocked */
			 "1:S2=0 1:S2=1 "		/* 10, 11 */
			 "e0:start(1.1) "		/* 12 */
			 "e0:done(1.1) 1:S2=0 "		/* 13 */
			 "0:go e0:start(0.1) e0:done(0.1) "	/* 14, 15 */
			 "e0:start(0.2) e0:done(0.2)");
	/* CP-28: between dec and inc the host looks at no other channel. */
	for (size_t i = 0; i < s.b->num_trace; i++) {
		const struct ppu_trace_rec *r = &s.b->trace[i];

		if (r->event != PPU_TR_SEM_WRITE || r->b != s.sem[2])
			continue;
		if (r->d == 0 && !dec)
			dec = i;
		else if (r->d == 1 && dec && !inc)
			inc = i;
	}
	ck_assert_uint_gt(inc, dec);
	ck_assert_uint_eq(bench_ctr(s.b, PPU_CTR_SEM_WAKES), 1);
	for (size_t i = dec; i <= inc; i++)
		ck_assert_uint_eq(s.b->trace[i].unit, 1);
	bench_free(s.b);
}
END_TEST

/* CP-X1: The same with one block for all commands of a channel: a run does not depend on where entries end. */
START_TEST(two_priorities_in_one_block)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *low = cp_chan(&s, 10000000), *high = cp_chan(&s, 50000);

	cp_copy(&s, low, 1, MB);
	bench_run_for(s.b, 10000);
	cp_insert(&s, low, 1, MB);
	cp_copy(&s, low, 1, MB);
	cp_insert(&s, high, 2, MB);
	cp_copy(&s, high, 2, MB / 4);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_sem_text(s.b, s.sem[2]), "0 1 0 1 0");
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 1.0 1.1 0.1 0.2");
	bench_free(s.b);
}
END_TEST

/* TRAP-45: in a block, the Acquire of the second low copy is evaluated when the first one is complete, not before. */
START_TEST(acquire_when_its_turn_comes)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *low = cp_chan(&s, 10000000), *high = cp_chan(&s, 10000000);

	cp_insert(&s, low, 1, MB);
	cp_copy(&s, low, 1, MB);
	bench_run_for(s.b, 10000);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CE_START, -1), 1);
	cp_copy(&s, high, 2, MB);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_sem_text(s.b, s.sem[2]), "0 1 0");
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 1.0 0.1");
	bench_free(s.b);
}
END_TEST

/* CP-X1 */
START_TEST(two_priorities_without_semaphores)
{
	struct cp s = cp_new("copy-engines=1", 1);

	copies_of_two_priorities(&s, false);
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 0.1 0.2 1.0 1.1");
	bench_free(s.b);
}
END_TEST

/* CP-8: the labels live in the commands only; swapping them swaps the result. */
START_TEST(swapped_labels)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *first = cp_chan(&s, 10000000), *second = cp_chan(&s, 10000000);

	cp_copy(&s, first, 2, MB);
	bench_run_for(s.b, 10000);
	cp_copy(&s, first, 2, MB);
	cp_copy(&s, second, 1, MB);
	cp_copy(&s, first, 2, MB);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 0.1 0.2 1.0");
	bench_free(s.b);
}
END_TEST

static const char *copies_of_three_priorities(const char *props, bool case_b)
{
	static char text[200];
	struct cp s = cp_new(props, 3);
	struct bench_chan *c1 = cp_chan(&s, 10000000), *c2 = cp_chan(&s, 10000000);
	struct bench_chan *c3 = cp_chan(&s, 10000000);

	cp_copy(&s, c1, 1, MB);		/* L0 */
	bench_run_for(s.b, 5000);
	if (!case_b) {
		cp_copy(&s, c3, 3, MB);
		bench_run_for(s.b, 5000);
		cp_copy(&s, c2, 2, MB);
		bench_run_for(s.b, 5000);
		cp_copy(&s, c1, 1, MB);
	} else {
		cp_copy(&s, c1, 1, MB);
		bench_run_for(s.b, 5000);
		cp_copy(&s, c2, 2, MB);
		bench_run_for(s.b, 5000);
		ck_assert_uint_eq(bench_rd64(s.c, s.sem[2]), 1);	/* b's inc: at once */
		cp_copy(&s, c3, 3, MB);
	}
	bench_run_for(s.b, 5000);
	ck_assert_uint_eq(bench_rd64(s.c, s.sem[3]), 1);
	ck_assert_uint_eq(bench_rd64(s.c, s.sem[2]), case_b);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CE_DONE, -1), 0);
	ck_assert(bench_run(s.b));
	snprintf(text, sizeof(text), "%s | %s", bench_copies_text(s.b), decisions(&s));
	/* "repeats nothing else": each semaphore was incremented once. */
	ck_assert_str_eq(bench_sem_text(s.b, s.sem[2]), "0 1 0");
	ck_assert_str_eq(bench_sem_text(s.b, s.sem[3]), "0 1 0");
	bench_free(s.b);
	return text;
}

/* CP-X2 */
START_TEST(three_priorities_case_a)
{
	ck_assert_str_eq(copies_of_three_priorities("copy-engines=1", false),
			 "0.0 2.0 1.0 0.1 | "
			 "e0:start(0.0) 2:S3=1 1:block e0:done(0.0) 0:block "
			 "e0:start(2.0) e0:done(2.0) 2:S3=0 "
			 "1:go 1:S2=1 0:go e0:start(1.0) e0:done(1.0) 1:S2=0 "
			 "e0:start(0.1) e0:done(0.1)");
}
END_TEST

/*
 * CP-33's drain: a1 waits for S3 before b does, so a1 wakes first and reaches the engine first. But b's inc must be
 * executed before a1 may be dispatched, and then a1's gate is shut.
 */
START_TEST(drain_before_dispatch)
{
	for (unsigned literal = 0; literal < 2; literal++) {
		struct cp s = cp_new(literal ? "copy-engines=1 x-gate-literal=1" : "copy-engines=1", 3);
		struct bench_chan *c1 = cp_chan(&s, 0), *c2 = cp_chan(&s, 0), *c3 = cp_chan(&s, 0);

		cp_copy(&s, c3, 3, MB);
		bench_run_for(s.b, 5000);
		cp_copy(&s, c1, 1, MB);
		bench_run_for(s.b, 5000);
		cp_copy(&s, c2, 2, MB);
		ck_assert(bench_run(s.b));
		ck_assert_str_eq(decisions(&s), literal ?
				 "2:S3=1 e0:start(2.0) 0:block 1:block e0:done(2.0) 2:S3=0 "
				 "0:go 1:go 1:S2=1 e0:start(0.0) e0:done(0.0) "
				 "e0:start(1.0) e0:done(1.0) 1:S2=0" :
				 "2:S3=1 e0:start(2.0) 0:block 1:block e0:done(2.0) 2:S3=0 "
				 "0:go 1:go 1:S2=1 0:gate e0:start(1.0) e0:done(1.0) 1:S2=0 "
				 "0:go e0:start(0.0) e0:done(0.0)");
		bench_free(s.b);
	}
}
END_TEST

/* CP-X2 */
START_TEST(three_priorities_case_b)
{
	ck_assert_str_eq(copies_of_three_priorities("copy-engines=1", true),
			 "0.0 2.0 1.0 0.1 | "
			 "e0:start(0.0) 1:S2=1 2:S3=1 e0:done(0.0) 0:block "
			 "1:gate e0:start(2.0) e0:done(2.0) 2:S3=0 "
			 "1:go e0:start(1.0) e0:done(1.0) 1:S2=0 "
			 "0:go e0:start(0.1) e0:done(0.1)");
}
END_TEST

/* CP-X2: The literal one-shot Acquire (property): b, which has passed S3 = 0, starts before c. */
START_TEST(three_priorities_gate_literal)
{
	ck_assert_int_eq(strncmp(copies_of_three_priorities("copy-engines=1 x-gate-literal=1", true),
				 "0.0 1.0 2.0 0.1 ", 16), 0);
}
END_TEST

/* CP-33: two low channels; B has passed its acquire and waits for the engine when high arrives. */
START_TEST(second_low_channel)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *a = cp_chan(&s, 10000000), *bb = cp_chan(&s, 10000000);
	struct bench_chan *high = cp_chan(&s, 10000000);

	cp_copy(&s, a, 1, MB);
	bench_run_for(s.b, 5000);
	cp_copy(&s, bb, 1, MB);
	bench_run_for(s.b, 5000);
	cp_copy(&s, high, 2, MB);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 2.0 1.0");
	bench_free(s.b);
}
END_TEST

/* Negative test of CP-33: an acquire without GATE is not checked again once it has passed. */
START_TEST(handshake_moves_on)
{
	struct cp s = cp_new("copy-engines=1", 1);
	struct bench_chan *busy = cp_chan(&s, 0), *ch = cp_chan(&s, 0);
	uint64_t w = bench_alloc(s.c, 4096, BENCH_VRAM);

	cp_copy(&s, busy, 1, MB);
	bench_run_for(s.b, 5000);
	bench_wr64(s.c, w, 5);
	bench_acquire(ch, PPU_SEM_OP_EQ, w, 5);
	bench_copy(ch, s.src, s.dst, 100);
	bench_submit(ch);
	bench_run_for(s.b, 5000);
	bench_wr64(s.c, w, 6);
	bench_kick(ch);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 1.0");
	ck_assert_uint_eq(bench_find(s.b, PPU_TR_CE_START, -1, 1)->time,
			  bench_find(s.b, PPU_TR_CE_DONE, -1, 0)->time);
	bench_free(s.b);
}
END_TEST

/* CP-33: A gate counts for the next engine command only, and not for a recycled channel's. */
START_TEST(gates_end_at_the_dispatch)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *ch = cp_chan(&s, 0);
	uint64_t w = s.sem[2];

	bench_acquire(ch, ZERO_GATE, w, 0);
	bench_copy(ch, s.src, s.dst, 100);
	bench_release(ch, 0, w, 1);
	bench_copy(ch, s.src, s.dst, 100);
	bench_submit(ch);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 0.1");
	bench_wr64(s.c, w, 0);
	bench_acquire(ch, ZERO_GATE, w, 0);
	bench_acquire(ch, 0, w + 8, 1);
	bench_submit(ch);
	ck_assert(bench_run(s.b));
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	bench_wr64(s.c, w, 1);
	bench_chan_enable(ch);
	ch->put = 0;
	bench_copy(ch, s.src, s.dst, 100);
	bench_submit(ch);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_get(ch), 1);
	bench_free(s.b);
}
END_TEST

/*
 * CP-33: The drain before a dispatch is bounded: endless semaphore commands of another channel of the context delay the
 * copy, but do not stop it.
 */
START_TEST(drain_is_bounded)
{
	struct cp s = cp_new("copy-engines=1", 1);
	struct bench_chan *spin = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 8), *ch = cp_chan(&s, 0);
	uint64_t w = bench_alloc(s.c, 4096, BENCH_VRAM);

	for (unsigned i = 0; i < 50000; i++)
		bench_inc(spin, 0, w);
	bench_submit(spin);
	bench_run_for(s.b, 10000);
	cp_copy(&s, ch, 1, 100);
	bench_run_for(s.b, 200000);
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert_uint_eq(bench_get(spin), 0);
	bench_free(s.b);
}
END_TEST

/* CP-5: baseline. Long slice: A's three, then B's two; slice of 1.5 copies: A A B B A. */
START_TEST(baseline_policy)
{
	for (unsigned k = 0; k < 2; k++) {
		struct cp s = cp_new("copy-engines=1", 1);
		uint32_t slice = k ? 132000 : 10000000;
		struct bench_chan *a = cp_chan(&s, slice), *bb = cp_chan(&s, slice);

		for (unsigned i = 0; i < 3; i++)
			cp_copy(&s, a, 1, MB);
		cp_copy(&s, bb, 1, MB);
		cp_copy(&s, bb, 1, MB);
		ck_assert(bench_run(s.b));
		ck_assert_str_eq(bench_copies_text(s.b),
				 k ? "0.0 0.1 1.0 1.1 0.2" : "0.0 0.1 0.2 1.0 1.1");
		ck_assert_uint_eq(bench_chan_reg(a, PPU_REG_CH_PREEMPTS), k);
		ck_assert_uint_eq(bench_chan_reg(a, PPU_REG_CH_SLICES), k ? 2 : 1);
		bench_free(s.b);
	}
}
END_TEST

/* CP-6: a slice of a tenth of a copy: every copy is whole, channels alternate. */
START_TEST(slice_does_not_interrupt)
{
	struct cp s = cp_new("copy-engines=1", 1);
	struct bench_chan *a = cp_chan(&s, 9000), *bb = cp_chan(&s, 9000);

	for (unsigned i = 0; i < 3; i++) {
		cp_copy(&s, a, 1, MB);
		cp_copy(&s, bb, 1, MB);
	}
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 1.0 0.1 1.1 0.2 1.2");
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CE_ABORT, -1), 0);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CE_START, -1), 6);
	bench_free(s.b);
}
END_TEST

/* CP-11, CP-14: five channels of priority 2 with one copy each: 5, then down by one each. */
START_TEST(semaphore_counts)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *busy = cp_chan(&s, 0), *ch[5];

	cp_copy(&s, busy, 1, MB);
	bench_run_for(s.b, 3000);
	for (unsigned i = 0; i < 5; i++) {
		ch[i] = cp_chan(&s, 0);
		cp_copy(&s, ch[i], 2, MB);
	}
	bench_run_for(s.b, 10000);
	ck_assert_uint_eq(bench_rd64(s.c, s.sem[2]), 5);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_sem_text(s.b, s.sem[2]), "0 1 2 3 4 5 4 3 2 1 0");
	bench_free(s.b);
}
END_TEST

/* CP-17: S is 1 during the whole copy and 0 only after the done event. */
START_TEST(dec_after_done)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *ch = cp_chan(&s, 0);
	const struct ppu_trace_rec *start, *done, *inc, *dec;

	cp_copy(&s, ch, 2, MB);
	ck_assert(bench_run(s.b));
	start = bench_find(s.b, PPU_TR_CE_START, -1, 0);
	done = bench_find(s.b, PPU_TR_CE_DONE, -1, 0);
	inc = bench_find(s.b, PPU_TR_SEM_WRITE, -1, 0);
	dec = bench_find(s.b, PPU_TR_SEM_WRITE, -1, 1);
	ck_assert(inc < start && start < done && done < dec);
	ck_assert_uint_ge(done->time - start->time, 87381);	/* 1 MiB at 12000 MB/s */
	bench_free(s.b);
}
END_TEST

/* CP-25: X (low) is inserted before Y (high), and neither has begun: Y runs first. */
START_TEST(no_inversion_at_insertion)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *busy = cp_chan(&s, 0), *x = cp_chan(&s, 0), *y = cp_chan(&s, 0);

	cp_copy(&s, busy, 2, MB);
	bench_run_for(s.b, 3000);
	cp_copy(&s, x, 1, MB);
	bench_run_for(s.b, 3000);
	cp_copy(&s, y, 2, MB);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 2.0 1.0");
	bench_free(s.b);
}
END_TEST

/* CP-32: two engines, one high copy in flight: the second stays idle until S is 0. */
START_TEST(not_work_conserving)
{
	struct cp s = cp_new("copy-engines=2", 2);
	struct bench_chan *high = cp_chan(&s, 0), *low = cp_chan(&s, 0);

	cp_copy(&s, high, 2, MB);
	bench_run_for(s.b, 3000);
	cp_copy(&s, low, 1, MB);
	ck_assert(bench_run(s.b));
	ck_assert(bench_find(s.b, PPU_TR_CE_START, -1, 1) > bench_find(s.b, PPU_TR_CE_DONE, -1, 0));
	bench_clear(s.b);
	/* Without gates the two overlap. */
	cp_copy(&s, high, 1, MB);
	s.prios = 1;
	cp_copy(&s, low, 1, MB);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_find(s.b, PPU_TR_CE_START, -1, 0)->unit, 0);
	bench_free(s.b);
}
END_TEST

START_TEST(engines_work_in_parallel)
{
	struct cp s = cp_new("copy-engines=3", 1);
	struct bench_chan *ch[4];

	for (unsigned i = 0; i < 4; i++) {
		ch[i] = bench_chan_make(s.c, PPU_CLASS_COPY, 8);
		bench_chan_set(ch[i], PPU_REG_CH_ENGINE_MASK, i == 3 ? 2 : 0);
		bench_chan_enable(ch[i]);
		cp_copy(&s, ch[i], 1, MB);
	}
	ck_assert(bench_run(s.b));
	for (unsigned i = 0; i < 3; i++)
		ck_assert(bench_find(s.b, PPU_TR_CE_START, -1, i) <
			  bench_find(s.b, PPU_TR_CE_DONE, -1, 0));
	/* The fourth channel may use engine 1 only. */
	ck_assert_uint_eq(bench_find(s.b, PPU_TR_CE_START, -1, 3)->unit, 1);
	bench_free(s.b);
}
END_TEST

/* CP-3: an engine that a channel may not use is not free for it: the channel is seen to wait. */
START_TEST(waits_beside_an_idle_engine)
{
	struct cp s = cp_new("copy-engines=2", 1);
	struct bench_chan *ch[2];
	const struct ppu_trace_rec *r;

	for (unsigned i = 0; i < 2; i++) {
		ch[i] = bench_chan_make(s.c, PPU_CLASS_COPY, 8);
		bench_chan_set(ch[i], PPU_REG_CH_ENGINE_MASK, 2);
		bench_chan_enable(ch[i]);
		cp_copy(&s, ch[i], 1, MB);
		bench_run_for(s.b, 2000);
	}
	ck_assert(bench_run(s.b));
	for (unsigned i = 0; i < 2; i++)
		ck_assert_uint_eq(bench_find(s.b, PPU_TR_CE_START, -1, i)->unit, 1);
	r = bench_find(s.b, PPU_TR_BLOCK, (int)ch[1]->id, 0);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(r->a, PPU_TRB_ENGINE);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_BLOCK, (int)ch[0]->id), 0);
	bench_free(s.b);
}
END_TEST

/* CP-34: an endless high stream starves the low one by design. */
START_TEST(starvation)
{
	struct cp s = cp_new("copy-engines=1", 2);
	struct bench_chan *low = cp_chan(&s, 0), *high = cp_chan(&s, 0);

	cp_copy(&s, high, 2, 4096);
	cp_copy(&s, low, 1, 4096);
	for (unsigned i = 0; i < 50; i++)
		cp_insert(&s, high, 2, 4096);
	for (unsigned r = 0; r < 20; r++) {
		bench_push(high);
		for (unsigned i = 0; i < 50; i++)
			cp_insert(&s, high, 2, 4096);
	}
	bench_submit(high);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CE_DONE, -1), 2 + 50 * 21);
	ck_assert_uint_eq(bench_find(s.b, PPU_TR_CE_DONE, -1, 1 + 50 * 21)->a, low->id);
	bench_free(s.b);
}
END_TEST

/* CP-15: eight channels, 10^4 inc/dec pairs each, never negative. */
START_TEST(inc_dec)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 4096, _i ? BENCH_SYS : BENCH_VRAM);

	b->ports.trace = NULL;
	bench_new_core(b);
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	for (unsigned k = 0; k < 8; k++) {
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);

		for (unsigned i = 0; i < 10000; i++) {
			bench_inc(ch, PPU_CMDF_SEM_32, s + 4);
			bench_dec(ch, PPU_CMDF_SEM_32, s + 4);
		}
		bench_submit(ch);
	}
	while (ppu_core_next_event(b->core) != PPU_TIME_NEVER) {
		uint32_t v;

		ppu_core_run(b->core, ppu_core_next_event(b->core) + 100);
		bench_read(c, s + 4, &v, 4);
		ck_assert_uint_le(v, 8);
	}
	ck_assert_uint_eq(bench_rd64(c, s), 0);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_SEM_OPS), 160000);
	bench_free(b);
}
END_TEST

/* WQ-10: both queues are filled while the host interface is paused: all entries of the high queue are fetched first. */
START_TEST(queue_priority)
{
	struct bench *b = bench_new("run-limit=4");
	struct bench_ctx *c1 = bench_ctx_new(b), *c2 = bench_ctx_new(b);
	uint64_t s = bench_alloc(c1, 4096, BENCH_VRAM), s2 = bench_alloc(c2, 4096, BENCH_VRAM);
	struct bench_chan *low = bench_chan_new(c1, PPU_CLASS_COMPUTE, 32);
	struct bench_chan *high = bench_chan_make(c2, PPU_CLASS_COMPUTE, 32);
	unsigned seen = 0;

	bench_chan_set(high, PPU_REG_CH_PRIORITY, 3);
	bench_chan_enable(high);
	bench_set(b, PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_HOST);
	for (unsigned i = 0; i < 20; i++) {
		bench_inc(low, 0, s);
		bench_submit(low);
		bench_inc(high, 0, s2);
		bench_submit(high);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_count(b, PPU_TR_ENTRY, -1), 0);
	bench_set(b, PPU_REG_SCHED_CTRL, 0);
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++)
		if (b->trace[i].event == PPU_TR_ENTRY)
			ck_assert_uint_eq(b->trace[i].unit, seen++ < 20 ? high->id : low->id);
	ck_assert_uint_eq(seen, 40);
	bench_free(b);
}
END_TEST

/* WQ-10 at an engine: the higher queue takes it at the end of a copy, within the other's slice. */
START_TEST(queue_priority_at_an_engine)
{
	struct cp s = cp_new("copy-engines=1", 1);
	struct bench_chan *low = cp_chan(&s, 10000000);
	struct bench_chan *high = bench_chan_make(s.c, PPU_CLASS_COPY, 8);

	bench_chan_set(high, PPU_REG_CH_PRIORITY, 1);
	bench_chan_enable(high);
	for (unsigned i = 0; i < 3; i++)
		cp_copy(&s, low, 1, MB);
	bench_run_for(s.b, 10000);
	cp_copy(&s, high, 1, MB);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 1.0 0.1 0.2");
	ck_assert_uint_eq(bench_chan_reg(low, PPU_REG_CH_PREEMPTS), 1);
	bench_free(s.b);
}
END_TEST

/*
 * CP-19: copies obey priorities by other mechanisms too, and what Documentation/runtime/copy-priorities.md says of each of
 * them is so.  Low copies are in front of high ones, as in CP-X1.
 */
enum mechanism { NONE, SEMAPHORES, OF_THE_QUEUES, HELD_BACK, ONE_CHANNEL };

#define CPU_NS	30000	/* the CPU's way from the end of a copy to the next submission */

static struct cp by_mechanism(enum mechanism m, const char *props)
{
	struct cp s = cp_new(props, m == SEMAPHORES ? 2 : 1);
	struct bench_chan *low = cp_chan(&s, 10000000), *high = low;
	unsigned n = m == SEMAPHORES ? 2 : 1;

	if (m != ONE_CHANNEL) {
		high = bench_chan_make(s.c, PPU_CLASS_COPY, 8);
		bench_chan_set(high, PPU_REG_CH_PRIORITY, m == OF_THE_QUEUES);
		bench_chan_enable(high);
	}
	cp_copy(&s, low, 1, MB);
	bench_run_for(s.b, 1000);
	for (unsigned i = 0; m != HELD_BACK && i < 2; i++)
		cp_copy(&s, low, 1, MB / 4);
	for (unsigned i = 0; i < 2; i++)
		cp_copy(&s, high, n, MB / 2);
	if (m == HELD_BACK) {
		while (bench_count(s.b, PPU_TR_CE_DONE, -1) < 3)
			bench_run_for(s.b, 100);
		bench_run_for(s.b, CPU_NS);
		for (unsigned i = 0; i < 2; i++)
			cp_copy(&s, low, 1, MB / 4);
	}
	ck_assert(bench_run(s.b));
	return s;
}

/* From the end of the last high copy to the start of the next low one. */
static uint64_t gap(struct cp *s, unsigned low)
{
	const struct ppu_trace_rec *done = bench_find(s->b, PPU_TR_CE_DONE, -1, 2),
		*start = bench_find(s->b, PPU_TR_CE_START, -1, 3);

	ck_assert_uint_eq(start->a, low);
	ck_assert_uint_ge(start->time, done->time);
	return start->time - done->time;
}

START_TEST(other_mechanisms)
{
	static const struct {
		enum mechanism m;
		const char *order;
		bool cpu;		/* takes part after the submission */
	} t[] = {
		{ NONE, "0.0 0.1 0.2 1.0 1.1", false },
		{ SEMAPHORES, "0.0 1.0 1.1 0.1 0.2", false },
		{ OF_THE_QUEUES, "0.0 1.0 1.1 0.1 0.2", false },
		{ HELD_BACK, "0.0 1.0 1.1 0.1 0.2", true },
		{ ONE_CHANNEL, "0.0 0.1 0.2 0.3 0.4", false },	/* who is submitted cannot be overtaken */
	};

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct cp s = by_mechanism(t[i].m, "copy-engines=1");

		ck_assert_msg(!strcmp(bench_copies_text(s.b), t[i].order), "mechanism %u: %s", i, bench_copies_text(s.b));
		if (t[i].m != NONE && t[i].m != ONE_CHANNEL)
			ck_assert_msg((gap(&s, 0) >= CPU_NS) == t[i].cpu && (t[i].cpu || gap(&s, 0) < 1000),
				      "mechanism %u: %llu ns", i, (unsigned long long)gap(&s, 0));
		bench_free(s.b);
	}
	/* With two engines: only semaphores keep the second one from low copies while a high copy runs. */
	for (enum mechanism m = SEMAPHORES; m <= OF_THE_QUEUES; m++) {
		struct cp s = by_mechanism(m, "copy-engines=2");
		uint64_t high_from = UINT64_MAX, high_until = 0;
		bool beside = false;

		for (size_t i = 0; i < s.b->num_trace; i++) {
			const struct ppu_trace_rec *r = &s.b->trace[i];

			if (r->event == PPU_TR_CE_START && r->a == 1 && high_from == UINT64_MAX)
				high_from = r->time;
			if (r->event == PPU_TR_CE_DONE && r->a == 1)
				high_until = r->time;
		}
		for (size_t i = 0; i < s.b->num_trace; i++) {
			const struct ppu_trace_rec *r = &s.b->trace[i];

			if (r->event == PPU_TR_CE_START && r->a == 0 && r->b)
				beside |= r->time >= high_from && r->time < high_until;
		}
		ck_assert_msg(beside == (m == OF_THE_QUEUES), "mechanism %u: %s", m, decisions(&s));
		bench_free(s.b);
	}
}
END_TEST

/*
 * A-CP-6: a block of millions of semaphore words, and two channels that wake each other for ever,
 * leave another process its share.
 */
START_TEST(hostile_neighbours)
{
	struct bench *b = bench_new("vram=32M");
	struct bench_ctx *bad = bench_ctx_new(b), *good = bench_ctx_new(b);
	uint64_t s = bench_alloc(bad, 4096, BENCH_VRAM), t = bench_alloc(good, 4096, BENCH_VRAM);
	struct bench_chan *ch, *victim = bench_chan_new(good, PPU_CLASS_COPY, 64);
	uint64_t start, alone, buf = bench_alloc(good, 1 << 16, BENCH_VRAM);

	b->ports.trace = NULL;
	for (unsigned round = 0; round < 2; round++) {
		start = ppu_core_time(b->core);
		for (unsigned i = 0; i < 20; i++) {
			bench_inc(victim, 0, t);
			bench_fill(victim, 0, buf, i, 65536);
			bench_submit(victim);
		}
		while (bench_get(victim) != victim->put) {
			ck_assert_uint_ne(ppu_core_next_event(b->core), PPU_TIME_NEVER);
			ppu_core_run(b->core, ppu_core_next_event(b->core));
		}
		if (round)
			break;
		alone = ppu_core_time(b->core) - start;
		/* 30 channels with half a million increments each... */
		for (unsigned i = 0; i < 100000; i++) {
			uint32_t w[3] = { PPU_CMD_HDR(PPU_CMD_SEM_INC, 3, 0), (uint32_t)s, s >> 32 };

			if (!i)
				ch = bench_chan_new(bad, PPU_CLASS_COMPUTE, 8);
			bench_words(ch, w, 3);
		}
		uint32_t words;
		uint64_t va = bench_block(ch, &words);

		for (unsigned i = 0; i < 30; i++) {
			ch = bench_chan_new(bad, PPU_CLASS_COMPUTE, 8);
			for (unsigned k = 0; k < 5; k++)
				bench_entry(ch, k, va, words, 0);
			bench_doorbell(ch, 5);
		}
		/* ...and two that wake each other all the time. */
		for (unsigned k = 0; k < 2; k++) {
			ch = bench_chan_new(bad, PPU_CLASS_COMPUTE, 8);
			for (unsigned i = 0; i < 5000; i++) {
				bench_acquire(ch, PPU_SEM_OP_EQ, s + 64, k);
				bench_release(ch, 0, s + 64, !k);
			}
			bench_submit(ch);
		}
		bench_run_for(b, 100000);
	}
	/* Each of the 40 steps waits for at most a few runs of other channels, of run-limit commands each. */
	ck_assert_uint_le(ppu_core_time(b->core) - start, alone + 20 * 4 * 64 * 25);
	bench_free(b);
}
END_TEST

/* WQ-15 and its cost: a write to another word does not look at thousands of waiters. */
START_TEST(many_waiters)
{
	struct bench *b = bench_new("channels=2048");
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 65536, BENCH_VRAM);
	struct bench_chan *w, *ch[2000];

	for (unsigned i = 0; i < 2000; i++) {
		ch[i] = bench_chan_new(c, PPU_CLASS_COMPUTE, 4);
		bench_acquire(ch[i], PPU_SEM_OP_EQ, s + 8 * i, 1);
		bench_release(ch[i], 0, s + 8 * i, 2);
		bench_submit(ch[i]);
	}
	ck_assert(bench_run(b));
	w = bench_chan_new(c, PPU_CLASS_COMPUTE, 4);
	bench_release(w, 0, s + 8 * 777, 1);
	bench_submit(w);
	bench_clear(b);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_count(b, PPU_TR_UNBLOCK, -1), 1);
	ck_assert_uint_eq(bench_rd64(c, s + 8 * 777), 2);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_SEM_WAKES), 1);
	bench_free(b);
}
END_TEST

/* ns of a high-priority copy behind `queued` low ones in three channels. */
static uint64_t latency(unsigned queued, bool semaphores)
{
	struct cp s = cp_new("copy-engines=1 vram=64M", semaphores ? 2 : 1);
	struct bench_chan *low[3], *high = cp_chan(&s, 0);
	uint64_t start;

	for (unsigned i = 0; i < 3; i++)
		low[i] = bench_chan_new(s.c, PPU_CLASS_COPY, 512);
	for (unsigned i = 0; i < queued; i++)
		cp_copy(&s, low[i % 3], 1, 65536);
	bench_run_for(s.b, 3000);
	start = ppu_core_time(s.b->core);
	cp_copy(&s, high, semaphores ? 2 : 1, 65536);
	while (bench_get(high) != high->put)
		ppu_core_run(s.b->core, ppu_core_next_event(s.b->core));
	start = ppu_core_time(s.b->core) - start;
	bench_free(s.b);
	return start;
}

/* CP-26, CP-29: a high copy waits only for the running copy, however many low ones are queued. */
START_TEST(latency_does_not_grow)
{
	uint64_t few = latency(3, true);

	ck_assert_uint_lt(few, 2 * (1020 + 65536 / 12));
	ck_assert_uint_eq(latency(300, true), latency(30, true));
	ck_assert_uint_le(latency(300, true), few + 1000);
	ck_assert_uint_gt(latency(300, false), 20 * few);
}
END_TEST

/* PAUSE keeps everything, RESUME goes on; STOP aborts a running copy. */
START_TEST(pause_resume_stop)
{
	struct cp s = cp_new("copy-engines=1", 1);
	struct bench_chan *ch = cp_chan(&s, 10000000), *other = cp_chan(&s, 0);

	for (unsigned i = 0; i < 3; i++)
		cp_copy(&s, ch, 1, 2 * MB);
	bench_run_for(s.b, 20000);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_PAUSE);
	/* The engine is free again after the copy in progress, although the channel's slice is not over. */
	cp_copy(&s, other, 1, 100);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 1.0");
	ck_assert_uint_eq(bench_find(s.b, PPU_TR_CE_START, -1, 1)->time,
			  bench_find(s.b, PPU_TR_CE_DONE, -1, 0)->time);
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert(bench_chan_reg(ch, PPU_REG_CH_STATUS) & PPU_CHS_PAUSED);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
	bench_run_for(s.b, 20000);
	bench_set(s.b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert_uint_eq(s.b->irqs[PPU_VEC_CHANNEL], 1);
	ck_assert_uint_eq(bench_reg(s.b, PPU_REG_PREEMPT_PENDING), 1u << ch->id);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CE_ABORT, -1), 1);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_STATUS) & (PPU_CHS_STOPPED | PPU_CHS_ENABLED),
			  PPU_CHS_STOPPED);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CE_DONE, -1), 2);
	bench_free(s.b);
}
END_TEST

/* PAUSE in the middle of a run: no command after the one in progress; RESUME goes on at the next command. */
START_TEST(pause_in_a_run)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *other = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), n;

	for (unsigned i = 0; i < 50; i++)
		bench_inc(ch, 0, s);
	bench_submit(ch);
	bench_run_for(b, 800);
	n = bench_rd64(c, s);
	ck_assert(n > 5 && n < 40);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_PAUSE);
	bench_inc(other, 0, s + 8);
	bench_submit(other);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), n);
	ck_assert_uint_eq(bench_get(ch), 0);
	ck_assert_uint_eq(bench_rd64(c, s + 8), 1);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
	/* PAUSE and RESUME at once, in the middle of a run: no effect. */
	bench_run_for(b, 300);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_PAUSE);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s), 50);
	ck_assert_uint_eq(bench_get(ch), 1);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	bench_free(b);
}
END_TEST

static Suite *suite(void)
{
	static const TTest *const *const tests[] = {
		&two_priorities_in_one_block, &acquire_when_its_turn_comes, &two_priorities_without_semaphores,
		&swapped_labels, &three_priorities_case_a, &three_priorities_case_b, &three_priorities_gate_literal,
		&drain_before_dispatch,
		&second_low_channel, &handshake_moves_on, &gates_end_at_the_dispatch,
		&drain_is_bounded, &baseline_policy,
		&slice_does_not_interrupt, &semaphore_counts, &dec_after_done,
		&no_inversion_at_insertion, &not_work_conserving,
		&engines_work_in_parallel, &waits_beside_an_idle_engine, &starvation, &queue_priority, &queue_priority_at_an_engine, &other_mechanisms,
		&hostile_neighbours, &many_waiters, &pause_resume_stop, &pause_in_a_run, &latency_does_not_grow,
	};
	Suite *s = suite_create("hostsched");
	TCase *t = tcase_create("hostsched");

	tcase_set_timeout(t, 120);
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(t, *tests[i]);
	tcase_add_loop_test(t, two_priorities_golden, 0, 2);
	tcase_add_loop_test(t, inc_dec, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
