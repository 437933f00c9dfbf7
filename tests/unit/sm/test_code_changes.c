/* SPDX-License-Identifier: MIT */
/*
 * Code that changes between launches, on a machine whose owner tells what it writes (ports.vram_told): the device
 * compares code only after something has been written to it, whoever that was.
 */
#include "bench_main.h"
#include "tasks.h"

struct scene {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	struct kern k[2];		/* of the same length; kernel i stores i + 1 */
	uint64_t out, tmd;
};

static struct kern load(struct bench_ctx *c, const char *text, uint64_t where)
{
	struct kern k = kern_load(c, text);
	uint64_t va = bench_alloc(c, 4096, where);

	bench_write(c, va, bench_ptr(c, k.va), k.insns * 16);
	k.va = va;
	return k;
}

static struct scene scene_new(uint64_t where)
{
	struct scene s = { .b = bench_new(NULL) };
	struct ppu_tmd *t;

	s.b->ports.vram_told = true;
	bench_new_core(s.b);
	s.c = bench_ctx_new(s.b);
	s.ch = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 64);
	s.k[0] = load(s.c, "ld.param.u64 rd2, [0]\nmov.u32 r4, 1\nst.global.u32 [rd2], r4\nexit\n", where);
	s.k[1] = load(s.c, "ld.param.u64 rd2, [0]\nmov.u32 r4, 2\nst.global.u32 [rd2], r4\nexit\n", where);
	s.out = bench_alloc(s.c, 4096, BENCH_VRAM);
	s.tmd = tmd_new(s.c, &s.k[0], &t);
	tmd_param(t, 0, s.out);
	return s;
}

/* What kernel 0 stores. */
static uint64_t run(struct scene *s)
{
	bench_wr64(s->c, s->out, 0);
	bench_launch(s->ch, s->tmd);
	bench_wfi(s->ch);
	bench_submit(s->ch);
	ck_assert(bench_run(s->b));
	return bench_rd64(s->c, s->out);
}

static void owner_writes(struct scene *s, unsigned kernel)
{
	bench_write(s->c, s->k[0].va, bench_ptr(s->c, s->k[kernel].va), s->k[0].insns * 16);
}

/* The word in which the kernels differ. */
static unsigned difference(const struct scene *s)
{
	const uint64_t *a = bench_ptr(s->c, s->k[0].va), *b = bench_ptr(s->c, s->k[1].va);
	unsigned i = 0;

	while (a[i] == b[i])
		i++;
	return i;
}

START_TEST(owner)
{
	struct scene s = scene_new(BENCH_VRAM);

	ck_assert_uint_eq(run(&s), 1);
	owner_writes(&s, 1);
	ck_assert_uint_eq(run(&s), 1);	/* nobody said so: the code was not compared */
	ppu_core_vram_changed(s.b->core);
	ck_assert_uint_eq(run(&s), 2);
	ck_assert_uint_eq(run(&s), 2);
	bench_free(s.b);
}
END_TEST

/* Without the promise, or in system memory, code is compared at each launch. */
START_TEST(not_told)
{
	struct scene s = scene_new(BENCH_SYS);

	ck_assert_uint_eq(run(&s), 1);
	owner_writes(&s, 1);
	ck_assert_uint_eq(run(&s), 2);
	bench_free(s.b);

	s = scene_new(BENCH_VRAM);
	s.b->ports.vram_told = false;
	bench_new_core(s.b);
	bench_ctx_cmd(s.c, PPU_CTX_CMD_LOAD);
	s.ch = bench_chan_new(s.c, PPU_CLASS_COMPUTE, 64);
	ck_assert_uint_eq(run(&s), 1);
	owner_writes(&s, 1);
	ck_assert_uint_eq(run(&s), 2);
	bench_free(s.b);
}
END_TEST

START_TEST(copy_engine)
{
	struct scene s = scene_new(BENCH_VRAM);
	struct bench_chan *copy = bench_chan_new(s.c, PPU_CLASS_COPY, 8);

	ck_assert_uint_eq(run(&s), 1);
	bench_copy(copy, s.k[1].va, s.k[0].va, s.k[0].insns * 16);
	bench_submit(copy);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(run(&s), 2);
	bench_free(s.b);
}
END_TEST

START_TEST(host_interface)
{
	struct scene s = scene_new(BENCH_VRAM);
	unsigned i = difference(&s);
	const uint64_t *other = bench_ptr(s.c, s.k[1].va);

	ck_assert_uint_eq(run(&s), 1);
	bench_release(s.ch, 0, s.k[0].va + 8 * i, other[i]);
	bench_submit(s.ch);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(run(&s), 2);
	bench_free(s.b);
}
END_TEST

/* A kernel stores; and the same, with the launch by the thread that has just stored. */
static const char patch[] =
	"ld.param.u64 rd2, [0]\nld.param.u64 rd4, [8]\nld.global.u64 rd6, [rd4]\nst.global.u64 [rd2], rd6\n"
	"ld.param.u64 rd8, [16]\nmembar\nsetp.eq.u64 p0, rd8, 0\n@p0 exit\ntlaunch r10, rd8\nexit\n";

static void threads_write(struct scene *s, uint64_t child)
{
	struct kern k = kern_load(s->c, patch);
	unsigned i = difference(s);
	struct ppu_tmd *t;
	uint64_t tmd = tmd_new(s->c, &k, &t);

	t->block[0] = 1;
	tmd_param(t, 0, s->k[0].va + 8 * i);
	tmd_param(t, 1, s->k[1].va + 8 * i);
	tmd_param(t, 2, child);
	bench_launch(s->ch, tmd);
	bench_wfi(s->ch);
	bench_submit(s->ch);
	ck_assert(bench_run(s->b));
}

START_TEST(threads)
{
	struct scene s = scene_new(BENCH_VRAM);

	ck_assert_uint_eq(run(&s), 1);
	threads_write(&s, 0);
	ck_assert_uint_eq(run(&s), 2);
	bench_free(s.b);

	s = scene_new(BENCH_VRAM);
	ck_assert_uint_eq(run(&s), 1);
	threads_write(&s, s.tmd);
	ck_assert_uint_eq(bench_rd64(s.c, s.out), 2);
	bench_free(s.b);
}
END_TEST

START_TEST(other_page)
{
	struct scene s = scene_new(BENCH_VRAM);
	bool sys;

	ck_assert_uint_eq(run(&s), 1);
	bench_map(s.c, s.k[0].va, bench_phys(s.c, s.k[1].va, &sys), 4096, 0);
	bench_invalidate(s.c);
	ck_assert_uint_eq(run(&s), 2);
	bench_free(s.b);
}
END_TEST

/* Pages are forgotten when code changes, and named again when it is compared. */
START_TEST(again_and_again)
{
	struct scene s = scene_new(BENCH_VRAM);
	struct bench_chan *copy = bench_chan_new(s.c, PPU_CLASS_COPY, 64);
	struct kern first = load(s.c, "ld.param.u64 rd2, [0]\nmov.u32 r4, 1\nst.global.u32 [rd2], r4\nexit\n", BENCH_VRAM);

	for (unsigned i = 0; i < 6; i++) {
		bench_copy(copy, i & 1 ? s.k[1].va : first.va, s.k[0].va, first.insns * 16);
		bench_submit(copy);
		ck_assert(bench_run(s.b));
		ck_assert_uint_eq(run(&s), i % 2 + 1);
		ck_assert_uint_eq(run(&s), i % 2 + 1);
	}
	bench_free(s.b);
}
END_TEST

BENCH_MAIN("code_changes", owner, not_told, copy_engine, host_interface, threads, other_page, again_and_again)
