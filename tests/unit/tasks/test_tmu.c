/* SPDX-License-Identifier: MIT */
/* Task management unit: which tasks it accepts, in which order tasks run, when they are complete. */
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"

#define SLEEP(ns) "nanosleep " #ns "\nexit\n"

static void pause_tasks(struct bench *b, bool on)
{
	bench_set(b, PPU_REG_SCHED_CTRL, on ? PPU_SCHED_PAUSE_TASKS : 0);
}

/* ---- acceptance ---- */

static const struct {
	const char *name;
	uint32_t off, size;
	uint64_t value;
	unsigned err;
} bad_tmds[] = {
#define B(field, value, err) { #field, offsetof(struct ppu_tmd, field), \
	sizeof(((struct ppu_tmd *)0)->field), value, PPU_ERR_##err }
	B(magic, 1, TMD_BAD), B(version, 2, TMD_BAD), B(size, 128, TMD_BAD),
	B(flags, 8, TMD_BAD), B(flags, PPU_TMDF_QUEUE_INLINE, TMD_BAD),
	B(queue_entry_bytes, 16, TMD_BAD), B(kind, 1, TMD_BAD), B(kind, 2, TMD_BAD), B(regs_per_thread, 0, TMD_LIMITS),
	B(regs_per_thread, 256, TMD_LIMITS), B(code_va, 8, TMD_BAD), B(code_insns, 0, TMD_BAD),
	B(code_insns, 0x400000, MMU_UNMAPPED), B(code_insns, 0x400001, TMD_BAD), B(entry_pc, 2, TMD_BAD), B(grid[0], 0, TMD_BAD),
	B(grid[1], 65536, TMD_LIMITS), B(grid[2], 0x80000000, TMD_LIMITS),
	B(grid[0], 0x80000000, TMD_LIMITS), B(block[0], 1025, TMD_LIMITS),
	B(block[1], 33, TMD_LIMITS), B(block[2], 0, TMD_BAD), B(block[2], ~0u, TMD_LIMITS),
	B(shared_bytes, 1 << 20, TMD_LIMITS), B(shared_dyn_bytes, 4, TMD_BAD),
	B(local_per_thread, 1 << 20, TMD_LIMITS), B(num_barriers, 17, TMD_LIMITS),
	B(param_bytes, PPU_PARAM_MAX + 1, TMD_LIMITS), B(param_va, 0x123456780000, TMD_FAULT),
	B(cluster, 1, TMD_BAD), B(cluster, 0x01010001, TMD_BAD), B(cluster, 0x10105, TMD_BAD), B(cluster, 0x10011, TMD_BAD), B(const_va, 1, TMD_BAD), B(done_va, 4, TMD_BAD),
	B(queue_va, 16, TMD_BAD), B(queue_capacity, 1, TMD_BAD), B(reserved[7], 1, TMD_BAD),
#undef B
};

START_TEST(bad_tmd_stops_the_channel)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct kern k = kern_load(c, SLEEP(100));
	unsigned i;

	for (i = 0; i < sizeof(bad_tmds) / sizeof(bad_tmds[0]); i++) {
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k, &t);

		if (bad_tmds[i].off == offsetof(struct ppu_tmd, param_va))
			t->param_bytes = 16;
		memcpy((char *)t + bad_tmds[i].off, &bad_tmds[i].value, bad_tmds[i].size);
		bench_launch(ch, va);
		bench_submit(ch);
		ck_assert(bench_run(b));
		ck_assert_msg(bench_chan_reg(ch, PPU_REG_CH_ERROR) == bad_tmds[i].err, "%s: error %u",
			      bad_tmds[i].name, bench_chan_reg(ch, PPU_REG_CH_ERROR));
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
		if (b->num_chans >= b->cfg.channels - 4)
			break;
	}
	ck_assert_uint_eq(i, sizeof(bad_tmds) / sizeof(bad_tmds[0]));
	bench_free(b);
}
END_TEST

/* The largest value of each field is allowed, and with it nothing else is. */
static const struct {
	const char *name;
	uint32_t off, size;
	uint64_t value;
} most_tmds[] = {
#define M(field, value) { #field, offsetof(struct ppu_tmd, field), sizeof(((struct ppu_tmd *)0)->field), value }
	M(regs_per_thread, 1), M(regs_per_thread, PPU_NUM_REGS), M(num_barriers, PPU_NUM_BARRIERS), M(param_bytes, PPU_PARAM_MAX),
	M(entry_pc, 1), M(grid[0], PPU_MAX_GRID_X), M(grid[1], PPU_MAX_GRID_YZ),
	M(grid[2], PPU_MAX_GRID_YZ), M(block[0], 1024), M(block[1], 32), M(block[2], 32), M(local_per_thread, 256),
	M(shared_bytes, 48 << 10),
#undef M
};

START_TEST(largest_values_are_allowed)
{
	struct bench *b = bench_new("warps-per-sm=32 shared-per-sm=49152");
	struct bench_ctx *c = bench_ctx_new(b);
	struct kern k = kern_load(c, SLEEP(100));
	uint64_t params = bench_alloc(c, PPU_PARAM_MAX, BENCH_VRAM);

	pause_tasks(b, true);
	for (unsigned i = 0; i < sizeof(most_tmds) / sizeof(most_tmds[0]); i++) {
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k, &t);

		t->param_va = params;
		memcpy((char *)t + most_tmds[i].off, &most_tmds[i].value, most_tmds[i].size);
		t->shared_dyn_bytes = t->shared_bytes;
		bench_launch(ch, va);
		bench_submit(ch);
		bench_run_for(b, 100000);
		ck_assert_msg(!bench_chan_reg(ch, PPU_REG_CH_ERROR), "%s: error %u", most_tmds[i].name,
			      bench_chan_reg(ch, PPU_REG_CH_ERROR));
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 1);
		bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	}
	bench_free(b);
}
END_TEST

START_TEST(bad_tmd_address)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct kern k = kern_load(c, SLEEP(100));
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	bench_launch(ch, va + 128);
	bench_submit(ch);
	bench_run(b);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_TMD_BAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	bench_launch(ch, 0x700000000000);
	bench_submit(ch);
	bench_run(b);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_TMD_FAULT);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	tmd_prio(t, 12);		/* 0..11 exist */
	bench_launch(ch, va);
	bench_submit(ch);
	bench_run(b);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_TMD_PRIORITY);
	bench_free(b);
}
END_TEST

/* HW-15: TMD in VRAM and in system memory; its parameters reach the kernel. */
START_TEST(tmd_in_both_memories)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct kern k = kern_load(c, "ld.param.u64 rd2, [0]\nld.param.u32 r4, [8]\n"
				     "st.global.u32 [rd2], r4\nexit\n");
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), where[2] = { BENCH_VRAM, BENCH_SYS };

	for (unsigned i = 0; i < 2; i++) {
		struct ppu_tmd *t;
		uint64_t va = tmd_new_in(c, &k, &t, where[i]);

		tmd_param(t, 0, out + i * 8);
		tmd_param(t, 1, 1234 + i);
		bench_launch(ch, va);
	}
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, out), 1234);
	ck_assert_uint_eq(bench_rd64(c, out + 8), 1235);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 2);
	bench_free(b);
}
END_TEST

/* ---- order ---- */

struct three {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	struct ppu_tmd *t[8];
	uint64_t va[8];
};

static struct three three_new(const char *props)
{
	struct three x = { .b = bench_new(props) };
	struct kern k;

	x.c = bench_ctx_new(x.b);
	k = kern_load(x.c, SLEEP(20000));
	x.ch = bench_chan_new(x.c, PPU_CLASS_COMPUTE, 16);
	for (unsigned i = 0; i < 8; i++)
		x.va[i] = tmd_new(x.c, &k, &x.t[i]);
	return x;
}

static void launch_paused(struct three *x, unsigned n)
{
	pause_tasks(x->b, true);
	for (unsigned i = 0; i < n; i++)
		bench_launch(x->ch, x->va[i]);
	bench_submit(x->ch);
	ck_assert(bench_run(x->b));
	ck_assert_uint_eq(bench_count(x->b, PPU_TR_TASK_SCHED, -1), 0);
	ck_assert_uint_eq(bench_chan_reg(x->ch, PPU_REG_CH_TASKS), n);
	pause_tasks(x->b, false);
	ck_assert(bench_run(x->b));
	ck_assert_uint_eq(bench_chan_reg(x->ch, PPU_REG_CH_TASKS), 0);
}

/* SP-3, HW-19, HW-27: in order of the priorities the TMDs carry, not of arrival. */
START_TEST(priority_order)
{
	struct three x = three_new("task-slots=1");

	tmd_prio(x.t[0], 0);
	tmd_prio(x.t[1], 5);
	tmd_prio(x.t[2], 3);
	launch_paused(&x, 3);
	ASSERT_TMDS(x.b, PPU_TR_TASK_SCHED, x.va[1], x.va[2], x.va[0]);
	ASSERT_TMDS(x.b, PPU_TR_TASK_DONE, x.va[1], x.va[2], x.va[0]);
	bench_free(x.b);
}
END_TEST

/* A record that is used again has another name each time: who still has the old one does not mean the new task. */
START_TEST(names_of_a_record)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct kern k = kern_load(c, SLEEP(100));
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	uint64_t name[6];
	unsigned n = 0;

	for (unsigned i = 0; i < 6; i++) {
		struct ppu_tmd *t;

		bench_launch(ch, tmd_new(c, &k, &t));
		bench_submit(ch);
		ck_assert(bench_run(b));
	}
	for (size_t i = 0; i < b->num_trace; i++)
		if (b->trace[i].event == PPU_TR_CTA_START && n < 6)
			name[n++] = b->trace[i].b;
	ck_assert_uint_eq(n, 6);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_eq((uint32_t)name[i], (uint32_t)name[0]);	/* the same record */
		ck_assert_uint_ne(name[i] >> 32, 0);
		for (unsigned m = 0; m < i; m++)
			ck_assert_uint_ne(name[i], name[m]);
	}
	bench_free(b);
}
END_TEST

/* HW-18, HW-17: accepted first, scheduled later. */
START_TEST(accept_then_run)
{
	struct three x = three_new(NULL);

	pause_tasks(x.b, true);
	for (unsigned i = 0; i < 100; i++)
		bench_launch(x.ch, x.va[i % 8]);
	bench_submit(x.ch);
	ck_assert(bench_run(x.b));
	ck_assert_uint_eq(bench_chan_reg(x.ch, PPU_REG_CH_TASKS), 100);
	ck_assert_uint_eq(bench_count(x.b, PPU_TR_TASK_ACCEPT, -1), 100);
	pause_tasks(x.b, false);
	ck_assert(bench_run(x.b));
	ck_assert_uint_eq(bench_ctr(x.b, PPU_CTR_TASKS), 100);
	bench_free(x.b);
}
END_TEST

/* HW-19: the alternative policy, lists in turn. */
START_TEST(round_robin)
{
	struct three x = three_new("task-slots=1 task-policy=1");

	tmd_prio(x.t[0], 1);	/* A1 A2 on one list, B1 B2 on another */
	tmd_prio(x.t[1], 1);
	tmd_prio(x.t[2], 4);
	tmd_prio(x.t[3], 4);
	launch_paused(&x, 4);
	ASSERT_TMDS(x.b, PPU_TR_TASK_SCHED, x.va[0], x.va[2], x.va[1], x.va[3]);
	ck_assert_uint_eq(bench_ctr(x.b, PPU_CTR_EVICTIONS), 0);
	bench_free(x.b);
}
END_TEST

/* HW-20 */
START_TEST(head_and_tail)
{
	struct three x = three_new("task-slots=1");

	x.t[2]->flags |= PPU_TMDF_ADD_HEAD;
	launch_paused(&x, 3);
	ASSERT_TMDS(x.b, PPU_TR_TASK_SCHED, x.va[2], x.va[0], x.va[1]);
	bench_free(x.b);
	x = three_new("task-slots=1");
	launch_paused(&x, 3);
	ASSERT_TMDS(x.b, PPU_TR_TASK_SCHED, x.va[0], x.va[1], x.va[2]);
	bench_free(x.b);
}
END_TEST

/* SP-5: any number of device priorities, 0 too; SP-35: without priority the lowest. */
START_TEST(numbers_of_priorities)
{
	static const unsigned ms[] = { 0, 1, 10, 12, 64, 256 };

	for (unsigned i = 0; i < sizeof(ms) / sizeof(ms[0]); i++) {
		unsigned m = ms[i];
		char props[64];
		struct three x;
		const struct ppu_trace_rec *r;

		snprintf(props, sizeof(props), "device-priorities=%u task-slots=1", m);
		x = three_new(props);
		ck_assert_uint_eq(bench_reg(x.b, PPU_REG_CAP_DEVICE_PRIORITIES), m);
		if (m)
			tmd_prio(x.t[1], m - 1);
		else
			tmd_prio(x.t[1], 7);	/* accepted, without effect (SP-44) */
		launch_paused(&x, 2);
		if (m > 1)
			ASSERT_TMDS(x.b, PPU_TR_TASK_SCHED, x.va[1], x.va[0]);
		else
			ASSERT_TMDS(x.b, PPU_TR_TASK_SCHED, x.va[0], x.va[1]);
		r = bench_find(x.b, PPU_TR_TASK_ACCEPT, -1, 0);
		ck_assert_uint_eq(r->a, 0);
		bench_free(x.b);
	}
}
END_TEST

/* ---- completion ---- */

START_TEST(wfi_waits_for_tasks_and_drain)
{
	struct bench *b = bench_new("cost-wfi-drain-ns=5000");
	struct bench_ctx *c = bench_ctx_new(b);
	struct kern k = kern_load(c, SLEEP(50000));
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t sem = bench_alloc(c, 4096, BENCH_VRAM), va;
	const struct ppu_trace_rec *done, *sw;
	struct ppu_tmd *t;

	va = tmd_new(c, &k, &t);
	t->grid[0] = 3;
	bench_launch(ch, va);
	bench_launch(ch, va);
	bench_wfi(ch);
	bench_release(ch, 0, sem, 1);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, sem), 1);
	done = bench_find(b, PPU_TR_TASK_DONE, -1, 1);
	sw = bench_find(b, PPU_TR_SEM_WRITE, -1, 0);
	ck_assert_ptr_nonnull(done);
	ck_assert_uint_ge(sw->time, done->time + 5000);
	ck_assert_uint_lt(sw->time, done->time + 6000);
	bench_free(b);
}
END_TEST

START_TEST(completion_store_wakes)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct kern k = kern_load(c, SLEEP(1000));
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *cp = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t sem = bench_alloc(c, 4096, BENCH_VRAM), va;
	struct ppu_tmd *t;

	va = tmd_new(c, &k, &t);
	t->done_va = sem;
	t->done_value = 0x1122334455667788;
	bench_acquire(cp, PPU_SEM_OP_EQ, sem, 0x1122334455667788);
	bench_release(cp, 0, sem + 64, 9);
	bench_submit(cp);
	bench_run(b);
	ck_assert_uint_eq(bench_rd64(c, sem + 64), 0);
	bench_launch(ch, va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, sem + 64), 9);
	bench_free(b);
}
END_TEST

/* Migration copies what was reported as written: the completion store is, in either memory. */
START_TEST(completion_store_is_reported)
{
	static const uint64_t where[] = { 0, BENCH_SYS, BENCH_VRAM };
	uint64_t ram[3], vram[3];

	for (unsigned i = 0; i < 3; i++) {
		struct bench *b = bench_new(NULL);
		struct bench_ctx *c = bench_ctx_new(b);
		struct kern k = kern_load(c, SLEEP(1000));
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k, &t);

		t->done_va = where[i] ? bench_alloc(c, 4096, where[i]) : 0;
		t->done_value = 1;
		bench_launch(ch, va);
		bench_submit(ch);
		ck_assert(bench_run(b));
		ram[i] = b->ram_dirty;
		vram[i] = b->vram_dirty;
		bench_free(b);
	}
	ck_assert_uint_eq(ram[1], ram[0] + 8);
	ck_assert_uint_eq(ram[2], ram[0]);
	ck_assert_uint_eq(vram[2], vram[0] + 8);
	ck_assert_uint_eq(vram[1], vram[0]);
}
END_TEST

START_TEST(completion_store_faults)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b), *other = bench_ctx_new(b);
	struct kern k = kern_load(c, SLEEP(1000)), k2 = kern_load(other, SLEEP(100000));
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *ch2 = bench_chan_new(other, PPU_CLASS_COMPUTE, 8);
	struct ppu_tmd *t, *t2;
	uint64_t va = tmd_new(c, &k, &t), va2 = tmd_new(other, &k2, &t2);

	t->done_va = bench_alloc(c, 4096, BENCH_VRAM | PPU_PTE_READONLY);
	bench_launch(ch, va);
	bench_submit(ch);
	bench_launch(ch2, va2);
	bench_submit(ch2);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_TASK_DONE_FAULT);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
	ck_assert_uint_eq(bench_chan_reg(ch2, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1);
	bench_free(b);
}
END_TEST

START_TEST(full_pool_holds_the_channel)
{
	struct three x = three_new("task-records=4 task-slots=4");

	for (unsigned i = 0; i < 20; i++)
		bench_launch(x.ch, x.va[i % 8]);
	bench_submit(x.ch);
	ck_assert(bench_run(x.b));
	ck_assert_uint_eq(bench_ctr(x.b, PPU_CTR_TASKS), 20);
	ck_assert_uint_gt(bench_count(x.b, PPU_TR_BLOCK, (int)x.ch->id), 0);
	bench_free(x.b);
}
END_TEST

/* ---- children ---- */

/* Stores its depth, priority and the launch error at out + depth * 16, after launching the TMD in
 * parameter 1 once (lane 0 of 1 thread). */
static const char nested[] =
	"ld.param.u64 rd2, [0]\n"
	"ld.param.u64 rd4, [8]\n"
	"s2r r6, %depth\n"
	"s2r r7, %priority\n"
	"mulw.u32 rd8, r6, 16\n"
	"add.u64 rd2, rd2, rd8\n"
	"st.global.u32 [rd2], r6\n"
	"st.global.u32 [rd2+4], r7\n"
	"tlaunch r10, rd4\n"
	"add.u32 r10, r10, 100\n"
	"st.global.u32 [rd2+8], r10\n"
	"exit\n";

/* SP-10, SP-11, SP-12, SP-36, SP-37, SP-39, SP-42, SP-45, HW-25: the chain p, p + 1, p + 2, p + 3. */
/* SP-37: the context has one record of launches that were too deep, and lives. */
static void depth_record(struct bench *b, struct bench_ctx *c, struct bench_chan *ch, uint64_t id, uint64_t tmd_va)
{
	struct ppu_fault_rec f;

	/* once more: one record is enough */
	bench_launch(ch, tmd_va);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_FAULT_TOTAL), 1);
	bench_set(b, PPU_REG_FAULT_SEL, 0);
	for (unsigned i = 0; i < PPU_FAULT_REC_WORDS; i++)
		((uint32_t *)&f)[i] = bench_reg(b, PPU_REG_FAULT_DATA);
	ck_assert_uint_eq(f.code, PPU_ERR_LAUNCH_DEPTH);
	ck_assert_uint_eq(f.inst, c->inst);
	ck_assert_uint_eq(f.task_id, id);
	ck_assert_uint_eq(f.va, tmd_va);
	ck_assert_uint_eq(f.unit, PPU_UNIT_TASK);
	ck_assert_uint_eq(f.channel, ch->id);
	ck_assert_uint_eq(bench_count(b, PPU_TR_FAULT, -1), 1);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_CTX_STATUS) & (PPU_CTX_FAULTED | PPU_CTX_STOPPED), 0);
}

START_TEST(chain_of_children)
{
	for (unsigned n = 1; n <= 4; n++) {
		struct bench *b = bench_new(NULL);
		struct bench_ctx *c = bench_ctx_make(b);
		struct bench_chan *ch;
		struct ppu_tmd *t;
		struct kern k;
		uint64_t out, va;
		uint32_t v[4 * 6];
		const struct ppu_trace_rec *r;

		c->blk->max_depth = n;
		bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
		ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		out = bench_alloc(c, 4096, BENCH_VRAM);
		k = kern_load(c, nested);
		va = tmd_new(c, &k, &t);
		t->block[0] = 1;
		tmd_prio(t, 4);
		tmd_param(t, 0, out);
		tmd_param(t, 1, va);		/* itself */
		bench_launch(ch, va);
		bench_wfi(ch);
		bench_submit(ch);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
		bench_read(c, out, v, sizeof(v));
		for (unsigned d = 1; d <= n; d++) {
			ck_assert_uint_eq(v[d * 4], d);
			ck_assert_uint_eq(bench_prio(v[d * 4 + 1]), 4 + d - 1);
			ck_assert_int_eq((int)v[d * 4 + 2], d == n ? 100 + PPU_LAUNCH_DEPTH : 100);
			/* innermost completes first */
			r = bench_find(b, PPU_TR_TASK_DONE, -1, d - 1);
			ck_assert_uint_eq(r->a, 4 + n - d);
		}
		ck_assert_uint_eq(v[(n + 1) * 4], 0);
		ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), n);
		ck_assert_uint_eq(bench_ctr(b, PPU_CTR_CHILD_TASKS), n - 1);
		ck_assert_uint_eq(bench_count(b, PPU_TR_CHILD_LAUNCH, -1), n);
		depth_record(b, c, ch, t->id, va);
		bench_free(b);
	}
}
END_TEST

/* SP-8: the parent waits for its child and reads its result. */
START_TEST(parent_reads_child)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), pv, cv;
	struct kern parent = kern_load(c, "ld.param.u64 rd2, [0]\nld.param.u64 rd4, [8]\n"
		"tlaunch r6, rd4\ntsync r7\nld.global.volatile.u32 r8, [rd2]\nadd.u32 r8, r8, 1\n"
		"st.global.u32 [rd2], r8\nexit\n");
	struct kern child = kern_load(c, "ld.param.u64 rd2, [0]\nnanosleep 30000\nmov.u32 r4, 42\n"
		"st.global.u32 [rd2], r4\nexit\n");
	struct ppu_tmd *p, *k;

	pv = tmd_new(c, &parent, &p);
	cv = tmd_new(c, &child, &k);
	p->block[0] = k->block[0] = 1;
	tmd_param(p, 0, out);
	tmd_param(p, 1, cv);
	tmd_param(k, 0, out);
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, out), 43);
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, cv, pv);
	bench_free(b);
}
END_TEST

/* SP-9: a parent that does not wait is complete only after its child; then the next kernel of the stream starts. */
START_TEST(parent_complete_after_child)
{
	struct bench *b = bench_new("task-slots=2");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern parent = kern_load(c, "ld.param.u64 rd4, [0]\ntlaunch r6, rd4\nexit\n");
	struct kern child = kern_load(c, SLEEP(1000000));
	const struct ppu_trace_rec *r, *done;
	struct ppu_tmd *p, *k;
	uint64_t pv = tmd_new(c, &parent, &p), cv = tmd_new(c, &child, &k);

	p->block[0] = k->block[0] = 1;
	tmd_param(p, 0, cv);
	bench_launch(ch, pv);
	bench_wfi(ch);
	bench_launch(ch, cv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, cv, pv, cv);
	ASSERT_TMDS(b, PPU_TR_TASK_CODE_DONE, pv);
	r = bench_find(b, PPU_TR_TASK_ACCEPT, -1, 2);
	done = bench_find(b, PPU_TR_TASK_DONE, -1, 1);
	ck_assert_uint_ge(r->time, done->time + b->cfg.cost_wfi_drain_ns);
	bench_free(b);
}
END_TEST

/* A bad child TMD or a full pool: an error for the launching thread, nothing else. */
START_TEST(launch_errors)
{
	struct bench *b = bench_new("task-records=4 task-slots=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern parent = kern_load(c, "s2r r8, %tid.x\nld.param.u64 rd2, [0]\nld.param.u64 rd4, [8]\n"
		"mulw.u32 rd10, r8, 4\nadd.u64 rd2, rd2, rd10\n"
		"tlaunch r6, rd4\nst.global.u32 [rd2], r6\nexit\n");
	struct kern child = kern_load(c, SLEEP(1000));
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), pv, cv;
	uint32_t v[32], ok = 0, pool = 0;
	struct ppu_tmd *p, *k;

	pv = tmd_new(c, &parent, &p);
	cv = tmd_new(c, &child, &k);
	tmd_param(p, 0, out);
	tmd_param(p, 1, cv);
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	bench_read(c, out, v, sizeof(v));
	for (unsigned i = 0; i < 32; i++) {
		ok += (int)v[i] == PPU_LAUNCH_OK;
		pool += (int)v[i] == PPU_LAUNCH_POOL;
	}
	ck_assert_uint_eq(ok, 3);
	ck_assert_uint_eq(pool, 29);
	k->magic = 0;
	p->block[0] = 1;
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	bench_read(c, out, v, sizeof(v));
	ck_assert_int_eq((int)v[0], PPU_LAUNCH_TMD);
	k->magic = PPU_TMD_MAGIC;
	k->shared_bytes = 1 << 24;
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	bench_read(c, out, v, sizeof(v));
	ck_assert_int_eq((int)v[0], PPU_LAUNCH_LIMITS);
	k->shared_bytes = 0;
	k->code_va = 0x100000;
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	bench_read(c, out, v, sizeof(v));
	ck_assert_int_eq((int)v[0], PPU_LAUNCH_CODE);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
	bench_free(b);
}
END_TEST

/* ---- the end of tasks by force ---- */

START_TEST(stop_ends_endless_tasks)
{
	struct bench *b = bench_new("task-slots=2");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *ch2 = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern endless = kern_load(c, "L: bra L\n"), k = kern_load(c, SLEEP(100));
	struct ppu_tmd *t, *t2;
	uint64_t va = tmd_new(c, &endless, &t), va2 = tmd_new(c, &k, &t2);

	t->grid[0] = 100;
	for (unsigned i = 0; i < 6; i++)
		bench_launch(ch, va);
	bench_submit(ch);
	bench_run_for(b, 200000);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 6);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_ABORT, -1), 6);
	bench_launch(ch2, va2);
	bench_submit(ch2);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1);
	/* the same by context */
	bench_launch(ch2, va);
	bench_submit(ch2);
	bench_run_for(b, 100000);
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_STOP) & PPU_CTX_BUSY, 0);
	ck_assert(bench_run(b));
	bench_ctx_cmd(c, PPU_CTX_CMD_FORGET);
	bench_free(b);
}
END_TEST

START_TEST(watchdog_ends_a_context)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_make(b), *other = bench_ctx_new(b);
	struct bench_chan *ch, *ch2 = bench_chan_new(other, PPU_CLASS_COMPUTE, 8);
	struct kern k, k2 = kern_load(other, SLEEP(1000000));
	const struct ppu_trace_rec *start, *end;
	struct ppu_tmd *t;
	uint64_t va;

	c->blk->watchdog_ns = 300000;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	k = kern_load(c, "L: bra L\n");
	va = tmd_new(c, &k, &t);
	bench_launch(ch, va);
	bench_submit(ch);
	va = tmd_new(other, &k2, &t);
	bench_launch(ch2, va);
	bench_submit(ch2);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_WATCHDOG);
	ck_assert_uint_eq(bench_chan_reg(ch2, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1);
	start = bench_find(b, PPU_TR_CTA_START, -1, 0);
	end = bench_find(b, PPU_TR_FAULT, -1, 0);
	ck_assert_uint_eq(end->time - start->time, 300000);
	bench_free(b);
}
END_TEST

/* Each of several is ended at its own time: the first to start is the last to end, and the one between is not forgotten. */
START_TEST(watchdogs_of_several)
{
	static const uint64_t limits[] = { 900000, 300000, 600000 };
	struct bench *b = bench_new("task-slots=4");
	uint64_t begin[3] = { 0 }, va[3];
	unsigned ended = 0;

	for (unsigned i = 0; i < 3; i++) {
		struct bench_ctx *c = bench_ctx_make(b);
		struct bench_chan *ch;
		struct ppu_tmd *t;
		struct kern k;

		c->blk->watchdog_ns = limits[i];
		bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
		ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		k = kern_load(c, "L: nanosleep 1000\nbra L\n");
		va[i] = tmd_new(c, &k, &t);
		t->block[0] = (uint16_t)(32 * (i + 1));		/* CTA_START tells whose it is */
		bench_launch(ch, va[i]);
		bench_submit(ch);
	}
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];

		if (r->event == PPU_TR_CTA_START)
			begin[r->d - 1] = r->time;
		if (r->event != PPU_TR_FAULT)
			continue;
		/* 300, 600, 900 us after their starts */
		ck_assert_uint_eq(r->time - begin[(ended + 1) % 3], limits[(ended + 1) % 3]);
		ended++;
	}
	ck_assert_uint_eq(ended, 3);
	bench_free(b);
}
END_TEST

/* What a task has run before it was evicted counts, also after the device was saved and loaded. */
static uint64_t watchdog_time(bool saved)
{
	struct bench *b = bench_new("task-slots=1");
	struct bench_ctx *c = bench_ctx_make(b);
	struct kern endless, nap;
	struct ppu_tmd *t, *high;
	struct bench_chan *ch;
	uint64_t va[2], end;

	c->blk->watchdog_ns = 300000;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	endless = kern_load(c, "L: bra L\n");
	nap = kern_load(c, SLEEP(50000));
	va[0] = tmd_new(c, &endless, &t);
	va[1] = tmd_new(c, &nap, &high);
	tmd_prio(high, 1);
	bench_launch(ch, va[0]);
	bench_submit(ch);
	bench_run_for(b, 150000);
	bench_launch(ch, va[1]);
	bench_submit(ch);
	bench_run_for(b, 150000);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_RESUME, -1), 1);
	if (saved)
		bench_reload(b);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_WATCHDOG);
	end = bench_find(b, PPU_TR_FAULT, -1, 0)->time - bench_find(b, PPU_TR_CTA_START, -1, 0)->time;
	bench_free(b);
	return end;
}

START_TEST(watchdog_of_an_evicted_task)
{
	uint64_t end = watchdog_time(false);

	/* 300 us of its own, and what the other one took */
	ck_assert_uint_gt(end, 350000);
	ck_assert_uint_lt(end, 400000);
	ck_assert_uint_eq(watchdog_time(true), end);
}
END_TEST

START_TEST(fault_ends_its_context_only)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b), *other = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *same = bench_chan_new(c, PPU_CLASS_COPY, 8);
	struct bench_chan *ch2 = bench_chan_new(other, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "trap\nexit\n"), k2 = kern_load(other, SLEEP(100000));
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t), va2 = tmd_new(other, &k2, &t);

	bench_launch(ch, va);
	bench_launch(ch, va);
	bench_submit(ch);
	bench_launch(ch2, va2);
	bench_submit(ch2);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_TRAP);
	ck_assert_uint_eq(bench_chan_reg(same, PPU_REG_CH_ERROR), PPU_ERR_TRAP);
	ck_assert_uint_eq(bench_chan_reg(ch2, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_count(b, PPU_TR_FAULT, -1), 1);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1);
	bench_free(b);
}
END_TEST

/* The cost of waiting and accepting does not grow with the number of waiting tasks. */
START_TEST(many_waiting_tasks)
{
	struct bench *b = bench_new("task-records=20000 task-slots=1 vram=64M");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	struct kern k = kern_load(c, "exit\n");
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	t->block[0] = 1;
	pause_tasks(b, true);
	for (unsigned i = 0; i < 10; i++) {
		for (unsigned n = 0; n < 1500; n++)
			bench_launch(ch, va);
		bench_submit(ch);
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 15000);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
	bench_free(b);
}
END_TEST

BENCH_MAIN("tmu", bad_tmd_stops_the_channel, largest_values_are_allowed, bad_tmd_address, tmd_in_both_memories, priority_order,
	   accept_then_run, names_of_a_record, round_robin, head_and_tail, numbers_of_priorities,
	   wfi_waits_for_tasks_and_drain, completion_store_wakes, completion_store_is_reported,
	   completion_store_faults,
	   full_pool_holds_the_channel, chain_of_children, parent_reads_child,
	   parent_complete_after_child, launch_errors, stop_ends_endless_tasks,
	   watchdog_ends_a_context, watchdogs_of_several, watchdog_of_an_evicted_task, fault_ends_its_context_only, many_waiting_tasks)
