/* SPDX-License-Identifier: MIT */
/*
 * A large program is fetched, decoded and analysed in many steps, each of which the run loop could end after.  Nobody
 * can tell, whatever happens between two of them.
 */
#include <stdio.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_trace.h>
#include "core/base/event.h"
#include "core/host/chan.h"
#include "core/sm/mem/icache.h"
#include "bench_main.h"
#include "tasks.h"

#define INSNS 100000u

struct scene {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	struct kern k;
	struct ppu_tmd *t;
	uint64_t out, tmd;
};

/* Small programs, one after the other; the last one is executed.  It stores 1. */
static void program(struct scene *s, uint64_t where)
{
	struct kern one = kern_load(s->c, "ld.param.u64 rd2, [0]\nmov.u32 r4, 1\nst.global.u32 [rd2], r4\nexit\n");

	s->k = one;
	s->k.insns = INSNS;
	s->k.va = bench_alloc(s->c, INSNS * 16ull, where);
	for (uint32_t i = 0; i < INSNS; i += one.insns)
		bench_write(s->c, s->k.va + i * 16ull, bench_ptr(s->c, one.va), one.insns * 16);
	s->tmd = tmd_new(s->c, &s->k, &s->t);
	s->t->entry_pc = INSNS - one.insns;
	tmd_param(s->t, 0, s->out);
}

static struct scene scene_new(const char *props, uint64_t where)
{
	struct scene s = { .b = bench_new(props) };

	s.c = bench_ctx_new(s.b);
	s.ch = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 64);
	s.out = bench_alloc(s.c, 4096, BENCH_VRAM);
	program(&s, where);
	return s;
}

static void launch(struct scene *s)
{
	bench_wr64(s->c, s->out, 0);
	bench_launch(s->ch, s->tmd);
	bench_wfi(s->ch);
	bench_submit(s->ch);
}

static uint64_t run(struct scene *s)
{
	launch(s);
	ck_assert(bench_run(s->b));
	return bench_rd64(s->c, s->out);
}

static void one_event(struct scene *s)
{
	struct ppu_event *ev = ppu_event_first(s->b->core);

	ck_assert_ptr_nonnull(ev);
	ppu_event_cancel(s->b->core, ev);
	if (ev->when > s->b->core->now)
		s->b->core->now = ev->when;
	ev->fn(s->b->core, ev->arg);
}

/* Runs up to the middle of a pass over the program: 0, it is fetched; 1, it is decoded. */
static void half(struct scene *s, unsigned pass)
{
	uint64_t from = ppu_icache_looked_at(s->b->core) + pass * INSNS;

	while (ppu_icache_looked_at(s->b->core) < from + INSNS / 2)
		one_event(s);
	ck_assert_uint_lt(ppu_icache_looked_at(s->b->core), from + INSNS);
}

/* The constant that the last program stores. */
static void stores(struct scene *s, unsigned value)
{
	struct kern k;
	char text[128];

	snprintf(text, sizeof(text), "ld.param.u64 rd2, [0]\nmov.u32 r4, %u\nst.global.u32 [rd2], r4\nexit\n", value);
	k = kern_load(s->c, text);
	bench_write(s->c, s->k.va + (INSNS - k.insns) * 16ull, bench_ptr(s->c, k.va), k.insns * 16);
}

/* The device time of a launch is the same whether the program is known or not, and it finds code that has changed. */
static void known(uint64_t where)
{
	struct scene s = scene_new("vram=32M", where);
	uint64_t took[4];

	for (unsigned i = 0; i < 4; i++) {
		if (i == 3)
			stores(&s, 2);
		bench_run_to(s.b, i * 100000000ull);
		ck_assert_uint_eq(run(&s), i == 3 ? 2 : 1);
		took[i] = s.b->core->now - i * 100000000ull;
	}
	/* The first one loads the instance block. */
	ck_assert_uint_eq(took[1], took[2]);
	ck_assert_uint_eq(took[3], took[2]);
	bench_free(s.b);
}

START_TEST(known_or_not)
{
	known(BENCH_VRAM);
	known(BENCH_LARGE);
	known(BENCH_SCATTER);
}
END_TEST

static void same_trace(const struct bench *a, const struct bench *b)
{
	ck_assert_uint_eq(a->num_trace, b->num_trace);
	for (size_t i = 0; i < a->num_trace; i++) {
		ck_assert_uint_eq(a->trace[i].time, b->trace[i].time);
		ck_assert_uint_eq(a->trace[i].event, b->trace[i].event);
		ck_assert_uint_eq(a->trace[i].unit, b->trace[i].unit);
	}
}

/* The trace of two channels whose commands have the same times. */
static struct bench *side_by_side(bool known)
{
	struct scene s = scene_new("vram=32M cost-switch-ns=0", BENCH_VRAM);
	struct bench_chan *other = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 64);

	/* The first launch is never the same: TLBs know nothing. */
	ck_assert_uint_eq(run(&s), 1);
	if (!known)
		stores(&s, 2);
	bench_run_to(s.b, 100000000);
	bench_clear(s.b);
	for (unsigned i = 0; i < 20; i++) {
		bench_nop(other, 1);
		bench_push(other);
	}
	launch(&s);
	bench_submit(other);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_rd64(s.c, s.out), known ? 1 : 2);
	return s.b;
}

START_TEST(same_order)
{
	struct bench *a = side_by_side(true), *b = side_by_side(false);

	same_trace(a, b);
	bench_free(a);
	bench_free(b);
}
END_TEST

/* The driver acts in the middle: the channel is reset, the context forgotten, or the device reset. */
static void taken(unsigned how, unsigned pass)
{
	struct scene s = scene_new("vram=32M", BENCH_VRAM);

	launch(&s);
	half(&s, pass);
	switch (how) {
	case 0:
		bench_chan_set(s.ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
		break;
	case 1:
		bench_ctx_cmd(s.c, PPU_CTX_CMD_STOP);
		bench_ctx_cmd(s.c, PPU_CTX_CMD_FORGET);
		break;
	default:
		bench_set(s.b, PPU_REG_RESET, 1);
	}
	bench_run(s.b);
	ck_assert_uint_eq(bench_rd64(s.c, s.out), 0);
	if (how)
		bench_ctx_cmd(s.c, PPU_CTX_CMD_LOAD);
	s.ch = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 64);
	stores(&s, 3);
	ck_assert_uint_eq(run(&s), 3);
	bench_free(s.b);
}

START_TEST(taken_away)
{
	for (unsigned i = 0; i < 6; i++)
		taken(i / 2, i % 2);
}
END_TEST

/* A channel that is paused, or a device that is, sees what code there is when it goes on. */
static void paused(bool all, unsigned pass)
{
	struct scene s = scene_new("vram=32M", BENCH_VRAM);

	launch(&s);
	half(&s, pass);
	if (all)
		bench_set(s.b, PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_HOST);
	else
		bench_chan_set(s.ch, PPU_REG_CH_CMD, PPU_CH_CMD_PAUSE);
	stores(&s, 5);
	if (all)
		bench_set(s.b, PPU_REG_SCHED_CTRL, 0);
	else
		bench_chan_set(s.ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_rd64(s.c, s.out), 5);
	bench_free(s.b);
}

START_TEST(held_up)
{
	for (unsigned i = 0; i < 4; i++)
		paused(i / 2, i % 2);
}
END_TEST

/* In the middle another channel of a higher priority has a program of its own. */
START_TEST(overtaken)
{
	struct scene s = scene_new("vram=32M", BENCH_VRAM), t = s;

	t.out = bench_alloc(s.c, 4096, BENCH_VRAM);
	program(&t, BENCH_VRAM);
	stores(&t, 4);
	t.ch = bench_chan_make(s.c, PPU_CLASS_COMPUTE, 64);
	bench_chan_set(t.ch, PPU_REG_CH_PRIORITY, PPU_QUEUE_PRIO_MAX);
	bench_chan_enable(t.ch);
	launch(&s);
	half(&s, 0);
	launch(&t);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_rd64(s.c, s.out), 1);
	ck_assert_uint_eq(bench_rd64(s.c, t.out), 4);
	bench_free(s.b);
}
END_TEST

/* The state is saved and loaded in the middle: what follows is as if it had not been. */
START_TEST(moved)
{
	struct scene a = scene_new("vram=32M", BENCH_VRAM), b = scene_new("vram=32M", BENCH_VRAM);

	launch(&a);
	half(&a, 1);
	launch(&b);
	half(&b, 1);
	bench_reload(b.b);
	bench_clear(a.b);
	bench_clear(b.b);
	ck_assert(bench_run(a.b));
	ck_assert(bench_run(b.b));
	ck_assert_uint_eq(bench_rd64(b.c, b.out), 1);
	ck_assert_uint_eq(a.b->core->now, b.b->core->now);
	same_trace(a.b, b.b);
	bench_free(a.b);
	bench_free(b.b);
}
END_TEST

/* A page of the code is not there: the launch fails as a whole, and works when it is. */
static void missing(bool known)
{
	struct scene s = scene_new("vram=32M", BENCH_VRAM);
	uint64_t where = s.k.va + 80000 * 16ull / 4096 * 4096, phys;
	bool sys;

	if (known)
		ck_assert_uint_eq(run(&s), 1);
	phys = bench_phys(s.c, where, &sys);
	bench_unmap(s.c, where, 4096);
	ck_assert_uint_eq(run(&s), 0);
	ck_assert_uint_eq(bench_chan_reg(s.ch, PPU_REG_CH_ERROR), PPU_ERR_MMU_UNMAPPED);
	ck_assert_uint_eq(bench_ctr(s.b, PPU_CTR_TASKS), known);
	bench_map(s.c, where, phys, 4096, 0);
	bench_invalidate(s.c);
	s.ch = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 64);
	ck_assert_uint_eq(run(&s), 1);
	bench_free(s.b);
}

START_TEST(hole)
{
	missing(false);
	missing(true);
}
END_TEST

/* A thread of the guest writes the descriptor again and again: that holds up nobody. */
START_TEST(unsteady)
{
	struct scene s = scene_new("vram=32M", BENCH_VRAM);
	unsigned events = 0;

	s.t->regs_per_thread = 16;
	launch(&s);
	for (; bench_ctr(s.b, PPU_CTR_TASKS) == 0 && events < 2000; events++) {
		one_event(&s);
		s.t->regs_per_thread ^= 1;
	}
	ck_assert_uint_lt(events, 2000);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_rd64(s.c, s.out), 1);
	bench_free(s.b);
}
END_TEST

/* Commands of another channel come in the middle, so time passes.  What is launched is the code of one time. */
static void between(unsigned pass)
{
	struct scene s = scene_new("vram=32M", BENCH_VRAM);
	struct bench_chan *other = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 64);
	const struct ppu_program *p;
	uint32_t at;

	launch(&s);
	half(&s, pass);
	bench_nop(other, 1);
	bench_submit(other);
	while (!bench_get(other))
		one_event(&s);
	bench_write(s.c, s.k.va, bench_ptr(s.c, s.k.va + 16), 16);
	stores(&s, 6);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_rd64(s.c, s.out), 6);
	for (p = ppu_icache_first(s.b->core); p->n != INSNS; )
		p = p->next;
	for (at = 0; at < INSNS; at++)
		ck_assert_mem_eq(&p->raw[at], bench_ptr(s.c, s.k.va + at * 16ull), 16);
	bench_free(s.b);
}

START_TEST(another_comes)
{
	between(0);
	between(1);
}
END_TEST

/* One that must fail takes its turn in the middle. */
START_TEST(another_fails)
{
	struct scene s = scene_new("vram=32M", BENCH_VRAM);
	struct bench_chan *other = bench_chan_make(s.c, PPU_CLASS_COMPUTE, 64);
	struct ppu_tmd *t;

	bench_chan_set(other, PPU_REG_CH_PRIORITY, PPU_QUEUE_PRIO_MAX);
	bench_chan_enable(other);
	bench_launch(other, tmd_new(s.c, &s.k, &t));
	t->magic = 0;
	bench_submit(other);
	while (ppu_chan(s.b->core, other->id)->state != CH_ENGINE)
		one_event(&s);
	bench_chan_set(other, PPU_REG_CH_CMD, PPU_CH_CMD_PAUSE);
	launch(&s);
	half(&s, 0);
	bench_chan_set(other, PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_chan_reg(other, PPU_REG_CH_ERROR), PPU_ERR_TMD_BAD);
	ck_assert_uint_eq(bench_rd64(s.c, s.out), 1);
	bench_free(s.b);
}
END_TEST

BENCH_MAIN("making", known_or_not, same_order, taken_away, held_up, overtaken, moved, hole, unsteady,
	   another_comes, another_fails)
