/* SPDX-License-Identifier: MIT */
/*
 * Turns of owners at the SMs: however an owner's tasks are made, and however many contexts he has, another owner keeps
 * his part of the machine.  HW-76, SP-34.
 */
#include <stdlib.h>
#include "bench_main.h"
#include "run_suite.h"
#include "tasks.h"

#define MACHINE "gpcs=2 sms-per-gpc=2 warps-per-sm=32 ctas-per-sm=16 regs-per-sm=65536 task-slots=16 " \
		"task-records=256 vram=256M channels=64 task-slice-ns=2000000 "
#define SLICE	2000000ull

enum { LAUNCHES = 40 };

static struct bench_ctx *ctx_of(struct bench *b, uint64_t owner)
{
	struct bench_ctx *c = bench_ctx_make(b);

	c->blk->owner = owner;
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED);
	return c;
}

static uint64_t task(struct bench_ctx *c, const char *text, unsigned ctas, unsigned threads)
{
	struct kern k = kern_load(c, text);
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	t->grid[0] = ctas;
	t->block[0] = threads;
	return va;
}

static void launches(struct bench_chan *ch, uint64_t tmd, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		bench_launch(ch, tmd);
		bench_push(ch);
	}
	bench_doorbell(ch, ch->put);
}

static const char busy[] = "L: bra L\n", endless[] = "L: nanosleep 5000\nbra L\n", at_once[] = "exit\n",
	count[] = "mov.u32 r2, 50000\nL: add.u32 r2, r2, -1\nsetp.ne.u32 p1, r2, 0\n@p1 bra L\nexit\n";

/* The victim: kernels that keep each SM busy with two warps, one after the other.  Returns the time that all take. */
static uint64_t victim(struct bench *b, struct bench_ctx *c, void (*meanwhile)(struct bench *b, void *arg), void *arg)
{
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	uint64_t start = ppu_core_time(b->core), tmd = task(c, count, 4, 64);

	for (unsigned i = 0; i < LAUNCHES; i++) {
		bench_launch(ch, tmd);
		bench_wfi(ch);
		bench_push(ch);
	}
	bench_doorbell(ch, ch->put);
	while (bench_get(ch) != ch->put) {
		if (meanwhile)
			meanwhile(b, arg);
		bench_run_for(b, 1000);
		ck_assert_uint_lt(ppu_core_time(b->core) - start, 100 * SLICE);
	}
	return ppu_core_time(b->core) - start;
}

static uint64_t alone(void)
{
	struct bench *b = bench_new(MACHINE);
	uint64_t ns = victim(b, ctx_of(b, 1), NULL, NULL);

	bench_free(b);
	return ns;
}

static void keeps(uint64_t ns, const char *what)
{
	uint64_t was = alone();

	ck_assert_msg(100 * was >= 40 * ns, "%s: %llu ns instead of %llu", what, (unsigned long long)ns,
		      (unsigned long long)was);
}

/* Kernels without an end, and kernels with endlessly many CTAs, in one context and in several of one owner. */
START_TEST(without_an_end)
{
	static const struct {
		const char *text;
		unsigned ctxs, ctas, threads, tasks;
	} hostile[] = {
		{ endless, 1, 1000, 256, 60 }, { endless, 5, 1000, 256, 60 }, { busy, 1, 1000, 256, 1 },
		{ busy, 5, 1000, 32, 60 },
		{ at_once, 1, 1u << 30, 1024, 60 },
		{ at_once, 5, 1u << 30, 32, 60 }, { count, 3, 1u << 30, 32, 60 },
	};
	struct bench *b = bench_new(MACHINE);
	struct bench_ctx *v = ctx_of(b, 1);

	for (unsigned i = 0; i < hostile[_i].ctxs; i++) {
		struct bench_ctx *h = ctx_of(b, 2);

		launches(bench_chan_new(h, PPU_CLASS_COMPUTE, 64),
			 task(h, hostile[_i].text, hostile[_i].ctas, hostile[_i].threads), hostile[_i].tasks);
	}
	bench_run_for(b, 5 * SLICE);
	keeps(victim(b, v, NULL, NULL), hostile[_i].text);
	bench_free(b);
}
END_TEST

/* ---- who comes again and again -------------------------------------------------------------------- */

struct again {
	struct bench_ctx *c;
	struct bench_chan *ch;
	uint64_t tmd, next;
	bool fresh;			/* in a new context each time */
	unsigned times;
};

/* A kernel on the whole machine, of the highest priority, that ends just before its slice does; then the next one. */
static void come_again(struct bench *b, void *arg)
{
	struct again *a = arg;

	if (ppu_core_time(b->core) < a->next || bench_chan_reg(a->ch, PPU_REG_CH_TASKS))
		return;
	if (a->fresh) {
		bench_ctx_cmd(a->c, PPU_CTX_CMD_FORGET);
		bench_ctx_cmd(a->c, PPU_CTX_CMD_LOAD);
		a->ch = bench_chan_new(a->c, PPU_CLASS_COMPUTE, 8);
	}
	launches(a->ch, a->tmd, 1);
	ck_assert_uint_eq(bench_chan_reg(a->ch, PPU_REG_CH_ERROR), 0);
	a->times++;
	a->next = ppu_core_time(b->core) + 1800000 + SLICE / 10;
}

/* The victim may be another context of the same owner: one program's contexts share what it has. */
START_TEST(comes_again)
{
	struct bench *b = bench_new(MACHINE);
	struct again a = { .c = ctx_of(b, 2), .fresh = _i & 1 };
	struct bench_ctx *v = ctx_of(b, _i & 2 ? 2 : 1);
	struct kern k = kern_load(a.c, "nanosleep 900000\nnanosleep 900000\nexit\n");
	struct ppu_tmd *t;

	a.ch = bench_chan_new(a.c, PPU_CLASS_COMPUTE, 1024);
	a.tmd = tmd_new(a.c, &k, &t);
	t->grid[0] = 16;
	t->block[0] = 256;
	tmd_prio(t, 11);
	keeps(victim(b, v, come_again, &a), _i & 1 ? "in fresh contexts" : "after pauses");
	ck_assert_uint_ge(a.times, 3);
	ck_assert_uint_ge(bench_ctr(b, PPU_CTR_TASKS), LAUNCHES + 3);
	bench_free(b);
}
END_TEST

/* The victim may be a context that names no owner; a machine that is saved in the middle goes on in the same way. */
START_TEST(saved)
{
	uint64_t ns[2];

	for (unsigned k = 0; k < 2; k++) {
		struct bench *b = bench_new(MACHINE);
		struct bench_ctx *v = ctx_of(b, 0), *h[3];
		struct bench_chan *ch;
		uint64_t start;

		for (unsigned i = 0; i < 3; i++) {
			h[i] = ctx_of(b, 2);
			launches(bench_chan_new(h[i], PPU_CLASS_COMPUTE, 64), task(h[i], endless, 100, 256), 60);
		}
		bench_run_for(b, 3 * SLICE);
		ch = bench_chan_new(v, PPU_CLASS_COMPUTE, 64);
		start = ppu_core_time(b->core);
		launches(ch, task(v, count, 4, 64), LAUNCHES);
		bench_run_for(b, 3 * SLICE + 777);
		if (k) {
			uint8_t *bytes, *again;
			size_t len, n;
			char *err = NULL;

			ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
			bench_new_core(b);
			ck_assert_msg(!ppu_core_load(b->core, bytes, len, &err), "%s", err);
			ck_assert_int_eq(ppu_core_save(b->core, &again, &n), 0);
			ck_assert_uint_eq(n, len);
			ck_assert_mem_eq(bytes, again, len);
			free(bytes);
			free(again);
		}
		while (bench_chan_reg(ch, PPU_REG_CH_TASKS))
			bench_run_for(b, 1000);
		ns[k] = ppu_core_time(b->core) - start;
		bench_free(b);
	}
	ck_assert_uint_eq(ns[0], ns[1]);
	ck_assert_uint_gt(ns[0], SLICE);
	keeps(ns[0], "saved");
}
END_TEST

/* When nobody has waited for a slice, turns are forgotten, and priorities decide again. */
START_TEST(forgotten)
{
	struct bench *b = bench_new(MACHINE);
	struct bench_ctx *c[2] = { ctx_of(b, 1), ctx_of(b, 2) };
	struct bench_chan *ch[2];
	uint64_t tmd[2];

	for (unsigned i = 0; i < 2; i++) {
		tmd[i] = task(c[i], "nanosleep 100000\nexit\n", 16, 256);
		ch[i] = bench_chan_new(c[i], PPU_CLASS_COMPUTE, 64);
		launches(ch[i], tmd[i], 20);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_ge(bench_count(b, PPU_TR_SLICE_TASKS, -1), 2);
	bench_run_for(b, 2 * SLICE);
	bench_clear(b);
	for (unsigned i = 0; i < 2; i++)
		launches(ch[i], tmd[i], 20);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_find(b, PPU_TR_SLICE_TASKS, -1, 0)->c, 1);
	bench_free(b);
}
END_TEST

static uint64_t task_of(struct bench_ctx *c, const char *text, unsigned ctas, unsigned threads, unsigned prio)
{
	struct kern k = kern_load(c, text);
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	t->grid[0] = ctas;
	t->block[0] = (uint16_t)threads;
	tmd_prio(t, prio);
	return va;
}

/*
 * Two contexts of an owner, whose turn comes first and whose priority is the lowest, and one of another owner, with a
 * priority between theirs: they must not put each other out of the slots in a circle.
 */
START_TEST(no_circle)
{
	struct bench *b = bench_new("gpcs=2 sms-per-gpc=2 warps-per-sm=32 ctas-per-sm=16 regs-per-sm=65536 task-slots=32 "
				    "task-records=256 vram=256M channels=64 task-slice-ns=2000000");
	struct bench_ctx *first = ctx_of(b, 1), *second = ctx_of(b, 1), *other = ctx_of(b, 2);
	struct bench_chan *ch = bench_chan_new(other, PPU_CLASS_COMPUTE, 64);
	size_t evicted;

	launches(ch, task_of(other, at_once, 1, 32, 2), 1);
	bench_run_for(b, 100000);
	launches(bench_chan_new(second, PPU_CLASS_COMPUTE, 64), task_of(second, endless, 1, 32, 11), 30);
	bench_run_for(b, 50000);
	launches(bench_chan_new(first, PPU_CLASS_COMPUTE, 64), task_of(first, endless, 12, 256, 3), 1);
	bench_run_for(b, 20000);
	launches(bench_chan_new(second, PPU_CLASS_COMPUTE, 64), task_of(second, endless, 1000, 256, 1), 1);
	bench_run_for(b, 2200000);
	evicted = bench_count(b, PPU_TR_TASK_EVICT, -1);
	launches(ch, task_of(other, endless, 1, 32, 2), 1);
	bench_run_for(b, 100000);
	ck_assert_uint_le(bench_count(b, PPU_TR_TASK_EVICT, -1), evicted + 2);
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("turns");
	TCase *t = tcase_create("turns");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, without_an_end, 0, 7);
	tcase_add_loop_test(t, comes_again, 0, 4);
	tcase_add_test(t, saved);
	tcase_add_test(t, forgotten);
	tcase_add_test(t, no_circle);
	suite_add_tcase(s, t);
	return run_suite(s);
}
