/* SPDX-License-Identifier: MIT */
/* Commands: decoding, errors, INTR, WFI (WQ-19, WQ-20), QUEUE_REFRESH (WQ-59), kernel-submit. */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"

static uint32_t cherr(struct bench_chan *ch)
{
	return bench_chan_reg(ch, PPU_REG_CH_ERROR);
}

static void again(struct bench_chan *ch)
{
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	bench_chan_enable(ch);
	ch->put = 0;
}

static const struct { const char *name; uint32_t op, size, flags, classes; } cmds[] = {
#define C(name, op, size, flags, classes, doc) { #name, op, size, flags, classes },
	PPU_CMDS(C)
#undef C
};

/* Every opcode, size, flag and class: the decoder accepts exactly what the table allows. */
START_TEST(decode_everything)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch[4];
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);

	for (unsigned cls = 1; cls <= 3; cls++)
		ch[cls] = bench_chan_new(c, cls, 8);
	for (unsigned op = 0; op < 256; op++) {
		unsigned k = 0;

		while (k < sizeof(cmds) / sizeof(cmds[0]) && cmds[k].op != op)
			k++;
		for (unsigned cls = 1; cls <= 2; cls++) {
			for (int what = 0; what < 20; what++) {
				uint32_t w[16] = { 0 }, size, flags = 0, want = 0, got;
				bool known = k < sizeof(cmds) / sizeof(cmds[0]);

				size = known && cmds[k].size ? cmds[k].size : 2;
				if (what == 1)
					size++;
				if (what == 2)
					size--;
				if (what == 3)
					size = 0;
				if (what >= 4)
					flags = 1u << (what - 4);
				if (!known)
					want = PPU_ERR_BAD_OPCODE;
				else if ((cmds[k].size && size != cmds[k].size) || !size)
					want = PPU_ERR_BAD_SIZE;
				else if (flags & ~cmds[k].flags)
					want = PPU_ERR_BAD_FLAGS;
				else if (!(cmds[k].classes & 1 << cls))
					want = PPU_ERR_WRONG_CLASS;
				w[0] = PPU_CMD_HDR(op, size, flags);
				w[1] = w[3] = (uint32_t)s;
				w[2] = w[4] = (uint32_t)(s >> 32);
				bench_words(ch[cls], w, size ? size : 1);
				bench_submit(ch[cls]);
				ck_assert(bench_run(b));
				got = cherr(ch[cls]);
				if (want)
					ck_assert_msg(got == want, "op %u class %u case %d: %u not %u",
						      op, cls, what, got, want);
				else
					ck_assert_msg(!got || got > PPU_ERR_WRONG_CLASS,
						      "op %u class %u case %d: %u", op, cls, what, got);
				again(ch[cls]);
			}
		}
	}
	bench_free(b);
}
END_TEST

/* A command that goes beyond the end of its block; blocks that cross pages; the end of a mapping. */
START_TEST(block_edges)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), code = bench_alloc(c, 8192, BENCH_SCATTER), va;
	uint32_t n, w[5] = { PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, 5, 0), (uint32_t)s, s >> 32, 0, 0 };

	bench_release(ch, 0, s, 5);
	va = bench_block(ch, &n);
	bench_entry(ch, 0, va, n - 1, 0);
	bench_doorbell(ch, 1);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(ch), PPU_ERR_BAD_SIZE);
	ck_assert_uint_eq(bench_rd64(c, s), 0);
	again(ch);
	/* The same command behind others. */
	bench_release(ch, 0, s + 8, 6);
	bench_release(ch, 0, s, 5);
	va = bench_block(ch, &n);
	bench_entry(ch, 0, va, n - 1, 0);
	bench_doorbell(ch, 1);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(ch), PPU_ERR_BAD_SIZE);
	ck_assert_uint_eq(bench_rd64(c, s + 8), 6);
	ck_assert_uint_eq(bench_rd64(c, s), 0);
	again(ch);
	/* Cut by the page boundary at every word. */
	for (unsigned k = 1; k < 5; k++) {
		w[3] = 100 + k;
		bench_write(c, code + 4096 - 4 * k, w, sizeof(w));
		bench_entry(ch, ch->put, code + 4096 - 4 * k, 5, 0);
		bench_doorbell(ch, ++ch->put);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(cherr(ch), 0);
		ck_assert_uint_eq(bench_rd64(c, s), 100 + k);
	}
	/* The second half is not mapped. */
	w[0] = PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, 5, 0);
	bench_write(c, code + 4096 - 8, w, 8);
	bench_unmap(c, code + 4096, 4096);
	bench_entry(ch, ch->put, code + 4096 - 8, 5, 0);
	bench_doorbell(ch, ++ch->put);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(ch), PPU_ERR_BLOCK_FAULT);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR_VA_LO), (uint32_t)(code + 4096));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR_INFO), 4);
	bench_free(b);
}
END_TEST

/* A block is changed while its channel is blocked in it: commands that are not reached yet are read later. */
START_TEST(self_modifying_block)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), va;
	uint32_t n, bad = PPU_CMD_HDR(0xee, 1, 0);

	bench_acquire(ch, 0, s, 1);
	bench_release(ch, 0, s + 8, 5);
	bench_nop(ch, 1);
	va = bench_block(ch, &n);
	bench_entry(ch, 0, va, n, 0);
	bench_doorbell(ch, 1);
	ck_assert(bench_run(b));
	bench_wr64(c, va + 5 * 4 + 12, 6);		/* value of the release */
	bench_write(c, va + 10 * 4, &bad, 4);
	bench_wr64(c, s, 1);
	bench_kick(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 8), 6);
	ck_assert_uint_eq(cherr(ch), PPU_ERR_BAD_OPCODE);
	bench_free(b);
}
END_TEST

START_TEST(intr)
{
	struct bench *b = bench_new("channels=100");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = NULL;

	for (unsigned i = 0; i < 70; i++)
		ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	bench_intr(ch, 0xdead);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(b->irqs[PPU_VEC_CHANNEL], 0);		/* not enabled */
	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_CHINTR);	/* the cause was pending: the message is sent now */
	ck_assert_uint_eq(b->irqs[PPU_VEC_CHANNEL], 1);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_CHINTR_PENDING + 8), 1u << (69 - 64));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_COOKIE), 0xdead);
	bench_intr(ch, 2);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(b->irqs[PPU_VEC_CHANNEL], 1);		/* still pending */
	bench_set(b, PPU_REG_INTR_STATUS, PPU_INTR_CHINTR);
	bench_set(b, PPU_REG_CHINTR_PENDING + 8, ~0u);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_CHINTR_PENDING + 8), 0);
	bench_intr(ch, 3);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(b->irqs[PPU_VEC_CHANNEL], 2);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_COOKIE), 3);
	bench_free(b);
}
END_TEST

/* WQ-19, WQ-20: without WFI the release does not wait for the kernel, with it it does. */
START_TEST(wfi_waits_for_launches)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *other = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), t = bench_sleep_task(c, 10000);

	bench_launch(ch, t);
	bench_release(ch, PPU_CMDF_SEM_TIME, s, 1);
	bench_wfi(ch);
	bench_release(ch, PPU_CMDF_SEM_TIME, s + 16, 1);
	bench_submit(ch);
	bench_run_for(b, 6000);
	ck_assert_uint_eq(cherr(ch), 0);
	ck_assert_uint_eq(bench_rd64(c, s), 1);
	ck_assert_uint_eq(bench_rd64(c, s + 16), 0);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 1);
	ck_assert(bench_chan_reg(ch, PPU_REG_CH_STATUS) & PPU_CHS_WFI);
	/* A-WQ-15: another channel's WFI does not wait for this kernel. */
	bench_wfi(other);
	bench_release(other, 0, s + 64, 1);
	bench_submit(other);
	bench_run_for(b, 2000);
	ck_assert_uint_eq(bench_rd64(c, s + 64), 1);
	ck_assert_uint_eq(bench_rd64(c, s + 16), 0);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 16), 1);
	ck_assert_uint_ge(bench_rd64(c, s + 24), bench_rd64(c, s + 8) + 8000);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
	bench_free(b);
}
END_TEST

/* More launches than task records: channels wait for a free record, and all of them get one. */
START_TEST(task_pool_full)
{
	struct bench *b = bench_new("task-records=4 task-slots=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch[8];
	uint64_t t = bench_sleep_task(c, 3000);

	for (unsigned i = 0; i < 8; i++) {
		ch[i] = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		for (unsigned k = 0; k < 5; k++)
			bench_launch(ch[i], t);
		bench_submit(ch[i]);
	}
	bench_run_for(b, 20000);
	bench_chan_set(ch[3], PPU_REG_CH_CMD, PPU_CH_CMD_RESET);	/* one of those that wait */
	bench_chan_set(ch[5], PPU_REG_CH_CMD, PPU_CH_CMD_PAUSE);
	ck_assert(bench_run(b));
	bench_chan_set(ch[5], PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
	ck_assert(bench_run(b));
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_uint_eq(cherr(ch[i]), 0);
		ck_assert_uint_eq(bench_get(ch[i]), i == 3 ? 0 : 1);
		ck_assert_uint_eq(bench_chan_reg(ch[i], PPU_REG_CH_TASKS), 0);
	}
	bench_free(b);
}
END_TEST

/* STOP and RESET abort the tasks of the channel, and no other tasks. */
START_TEST(stop_aborts_tasks)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch[3];
	uint64_t t = bench_sleep_task(c, 1000000);

	for (unsigned i = 0; i < 3; i++) {
		ch[i] = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		bench_launch(ch[i], t);
		bench_submit(ch[i]);
	}
	bench_run_for(b, 50000);
	bench_chan_set(ch[0], PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	bench_chan_set(ch[1], PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(bench_chan_reg(ch[i], PPU_REG_CH_TASKS), i == 2);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 1);
	bench_free(b);
}
END_TEST

/* When several records become free at once, as many waiting channels go on at once. */
static void pool_freed(void (*end)(struct bench_ctx *c, struct bench_chan *hog))
{
	struct bench *b = bench_new("task-records=4 task-slots=4");
	struct bench_ctx *c = bench_ctx_new(b), *d = bench_ctx_new(b);
	struct bench_chan *hog = bench_chan_new(c, PPU_CLASS_COMPUTE, 8), *ch[4];
	uint64_t t = bench_sleep_task(c, 10000000), u = bench_sleep_task(d, 100000);

	for (unsigned i = 0; i < 4; i++)
		bench_launch(hog, t);
	bench_submit(hog);
	bench_run_for(b, 50000);
	for (unsigned i = 0; i < 4; i++) {
		ch[i] = bench_chan_new(d, PPU_CLASS_COMPUTE, 8);
		bench_launch(ch[i], u);
		bench_submit(ch[i]);
	}
	bench_run_for(b, 50000);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(bench_chan_reg(ch[i], PPU_REG_CH_TASKS), 0);
	end(c, hog);
	bench_run_for(b, 50000);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(bench_chan_reg(ch[i], PPU_REG_CH_TASKS), 1);
	bench_free(b);
}

static void end_ctx(struct bench_ctx *c, struct bench_chan *hog)
{
	bench_ctx_cmd(c, PPU_CTX_CMD_STOP);
}

static void end_stop(struct bench_ctx *c, struct bench_chan *hog)
{
	bench_chan_set(hog, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
}

static void end_reset(struct bench_ctx *c, struct bench_chan *hog)
{
	bench_chan_set(hog, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
}

START_TEST(task_pool_freed_at_once)
{
	pool_freed(end_ctx);
	pool_freed(end_stop);
	pool_freed(end_reset);
}
END_TEST

/* A stop that is asked for while nothing happens is over when the run is: the next run goes to its end. */
START_TEST(stop_request_is_served_once)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);

	ppu_core_request_stop(b->core);
	ck_assert(bench_run(b));
	bench_nop(ch, 1);
	bench_submit(ch);
	ck_assert(bench_run(b));
	bench_nop(ch, 1);
	bench_submit(ch);
	ppu_core_request_stop(b->core);
	ck_assert(!bench_run(b));	/* with work to do it comes back first */
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(ch), 2);
	bench_free(b);
}
END_TEST

/* Each half of a watch's address and value is written without a change of the other one, in any order. */
START_TEST(halves_of_watches)
{
	static const unsigned regs[][2] = {
		{ PPU_REG_WATCH_ADDR_LO, PPU_REG_WATCH_ADDR_HI }, { PPU_REG_WATCH_VALUE_LO, PPU_REG_WATCH_VALUE_HI },
	};
	struct bench *b = bench_new(NULL);
	uint64_t at = PPU_BAR0_WATCH + PPU_WATCH_STRIDE;

	for (unsigned i = 0; i < 2; i++) {
		bench_set(b, at + regs[i][1], 0x12345678);
		bench_set(b, at + regs[i][0], 0x9abcdef0);
		ck_assert_uint_eq(bench_reg(b, at + regs[i][1]), 0x12345678);
		ck_assert_uint_eq(bench_reg(b, at + regs[i][0]), 0x9abcdef0);
		bench_set(b, at + regs[i][1], 0x01020304);
		ck_assert_uint_eq(bench_reg(b, at + regs[i][0]), 0x9abcdef0);
		bench_set(b, at + regs[i][0], 0);
		ck_assert_uint_eq(bench_reg(b, at + regs[i][1]), 0x01020304);
	}
	bench_free(b);
}
END_TEST

static struct bench_chan *devq(struct bench_ctx *c, unsigned entries, uint32_t flags, uint64_t shadow)
{
	struct bench_chan *q = bench_chan_make(c, PPU_CLASS_DEVQ, entries);

	bench_chan_set(q, PPU_REG_CH_FLAGS, flags);
	bench_chan_set(q, PPU_REG_CH_DEVQ_SHADOW_LO, (uint32_t)shadow);
	bench_chan_set(q, PPU_REG_CH_DEVQ_SHADOW_HI, (uint32_t)(shadow >> 32));
	return q;
}

/* WQ-32, WQ-59 with the numbers of the canonical queue: GET 5, PUT := 4, shadow := 12. */
START_TEST(queue_refresh_command)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b), *foreign = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 16), *q, *fq;
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);
	uint32_t bad[4];

	q = devq(c, 8, 0, s + 8);
	fq = devq(foreign, 8, 0, 0);
	bench_chan_enable(fq);
	bench_chan_set(q, PPU_REG_CH_PUT, 7);
	for (unsigned i = 0; i < 5; i++) {
		bench_nop(q, 1);
		bench_push(q);
	}
	bench_acquire(q, PPU_SEM_OP_EQ, s, 1);
	bench_push(q);
	bench_chan_enable(q);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(q), 5);
	/* "Ring low": GET has moved by count / 2 since the last refresh. */
	ck_assert_uint_eq(bench_reg(b, PPU_REG_RINGLOW_PENDING), 1u << q->id);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_INTR_STATUS), PPU_INTR_RINGLOW);
	bench_set(b, PPU_REG_RINGLOW_PENDING, ~0u);
	/* GP_PUT of a device-owned channel is not the CPU's. */
	bench_doorbell(q, 6);
	ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_PUT), 7);
	bench_refresh(ch, q->id);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_PUT), 4);
	ck_assert_uint_eq(bench_rd64(c, s + 8), 12);
	ck_assert_uint_eq(cherr(q), 0);
	/* The queue goes on around the ring's end, up to the acquire that follows. */
	for (unsigned i = 0; i < 3; i++) {
		bench_nop(q, 1);
		bench_push(q);
	}
	bench_acquire(q, PPU_SEM_OP_EQ, s, 2);
	bench_push(q);
	bench_release(ch, 0, s, 1);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(q), 1);
	ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_GETABS_LO), 9);
	/* GET 1: PUT := 0; a never written entry is an error of the queue, not data (WQ-62). */
	bench_refresh(ch, q->id);
	bench_release(ch, 0, s, 2);
	bench_entry(q, 2, 0, 0, 0);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 8), 16);
	ck_assert_uint_eq(cherr(q), PPU_ERR_NULL_ENTRY);
	ck_assert_uint_eq(cherr(ch), 0);
	/* Refused: a channel of another context, one that is not device-owned, no channel at all, a stopped channel. */
	bad[0] = fq->id;
	bad[1] = ch->id;
	bad[2] = 4000000000u;
	bad[3] = q->id;
	for (unsigned i = 0; i < 4; i++) {
		again(ch);
		bench_refresh(ch, bad[i]);
		bench_submit(ch);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(cherr(ch), PPU_ERR_BAD_QUEUE);
	}
	ck_assert_uint_eq(bench_chan_reg(fq, PPU_REG_CH_PUT), 0);
	bench_free(b);
}
END_TEST

/* WQ-59: "Ring low" comes once, when GET has moved by count / 2, and again after the next refresh. */
START_TEST(ring_low)
{
	for (unsigned count = 6; count < 10; count++) {
		struct bench *b = bench_new(NULL);
		struct bench_ctx *c = bench_ctx_new(b);
		struct bench_chan *q = devq(c, count, 0, 0);
		uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);
		struct bench_chan *by = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);

		bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_RINGLOW);
		bench_chan_set(q, PPU_REG_CH_PUT, count - 1);
		for (unsigned i = 0; i < count; i++) {
			bench_acquire(q, PPU_SEM_OP_GE, s, i + 1);
			bench_push(q);
		}
		bench_chan_enable(q);
		for (unsigned i = 1; i < count - 1; i++) {
			bench_release(by, 0, s, i);
			bench_submit(by);
			ck_assert(bench_run(b));
			ck_assert_uint_eq(bench_get(q), i);
			ck_assert_uint_eq(b->irqs[PPU_VEC_CHANNEL], i >= count / 2);
			if (i == count / 2) {	/* seen; that GET goes on is no news */
				bench_set(b, PPU_REG_RINGLOW_PENDING + q->id / 32 * 4, 1u << q->id % 32);
				bench_set(b, PPU_REG_INTR_STATUS, ~0u);
			}
		}
		/* The driver's own refresh: CH_PUT of an enabled device-owned channel. */
		bench_set(b, PPU_REG_INTR_STATUS, ~0u);
		bench_chan_set(q, PPU_REG_CH_PUT, bench_get(q) - 1);
		ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_ERROR), 0);
		bench_release(by, 0, s, 1000);
		bench_submit(by);
		ck_assert(bench_run(b));
		ck_assert_uint_eq(b->irqs[PPU_VEC_CHANNEL], 2);
		bench_free(b);
	}
}
END_TEST

/* WQ-59: The device's assist: PUT and shadow follow GET by themselves. */
START_TEST(auto_refresh)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 4096, BENCH_SYS);
	struct bench_chan *q = devq(c, 6, PPU_CHF_AUTO_REFRESH, s + 8);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);

	bench_chan_set(q, PPU_REG_CH_PUT, 5);
	for (unsigned i = 0; i < 4; i++) {
		bench_inc(q, 0, s + 16);
		bench_push(q);
	}
	bench_acquire(q, PPU_SEM_OP_EQ, s, 1);
	bench_push(q);
	bench_chan_enable(q);
	ck_assert(bench_run(b));
	for (unsigned lap = 1; lap < 10; lap++) {
		ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_PUT), (bench_get(q) + 5) % 6);
		ck_assert_uint_eq(bench_rd64(c, s + 8), 5 * lap - 1 + 5);
		ck_assert_uint_eq(bench_rd64(c, s + 16), 4 * lap);
		for (unsigned i = 0; i < 4; i++) {
			bench_inc(q, 0, s + 16);
			bench_push(q);
		}
		bench_acquire(q, PPU_SEM_OP_EQ, s, lap + 1);
		bench_push(q);
		bench_release(ch, 0, s, lap);
		bench_submit(ch);
		ck_assert(bench_run(b));
	}
	ck_assert_uint_eq(bench_reg(b, PPU_REG_RINGLOW_PENDING), 0);
	/* A shadow that cannot be written is the queue's error. */
	bench_unmap(c, s, 4096);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(q), PPU_ERR_SEM_FAULT);
	bench_free(b);
}
END_TEST

/*
 * WQ-59 (b): the register that a driver writes at "ring low" refreshes PUT and shadow in one step, at any time, even
 * when the command of another channel has refreshed them before.
 */
START_TEST(driver_refresh)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);
	struct bench_chan *q = devq(c, 6, 0, s + 8), *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 16);
	unsigned errors;

	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_RINGLOW);
	/* Disabled, and not device-owned: nothing but a message. */
	errors = b->guest_errors;
	bench_chan_set(q, PPU_REG_CH_CMD, PPU_CH_CMD_REFRESH);
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_REFRESH);
	ck_assert_uint_eq(b->guest_errors, errors + 2);
	ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_PUT), 0);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_PUT), 0);
	ck_assert_uint_eq(bench_rd64(c, s + 8), 0);

	bench_chan_set(q, PPU_REG_CH_PUT, 5);
	for (unsigned i = 0; i < 5; i++) {
		bench_nop(q, 1);
		bench_push(q);
	}
	bench_chan_enable(q);
	ck_assert(bench_run(b));
	/* All entries are used up: the channel is idle, GET == PUT, and "ring low" came once. */
	ck_assert_uint_eq(bench_get(q), 5);
	ck_assert_uint_eq(b->irqs[PPU_VEC_CHANNEL], 1);
	bench_set(b, PPU_REG_INTR_STATUS, ~0u);
	for (unsigned i = 0; i < 2; i++) {
		bench_nop(q, 1);
		bench_push(q);
	}
	bench_acquire(q, PPU_SEM_OP_EQ, s, 1);
	bench_push(q);
	bench_chan_set(q, PPU_REG_CH_CMD, PPU_CH_CMD_REFRESH);
	ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_PUT), 4);
	ck_assert_uint_eq(bench_rd64(c, s + 8), 10);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(q), 1);	/* the queue went on, up to the acquire */
	ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_GETABS_LO), 7);
	/* A second refresh, and one after the command: the same values, no error. */
	bench_refresh(ch, q->id);
	bench_submit(ch);
	ck_assert(bench_run(b));
	for (unsigned i = 0; i < 2; i++) {
		bench_chan_set(q, PPU_REG_CH_CMD, PPU_CH_CMD_REFRESH);
		ck_assert_uint_eq(bench_chan_reg(q, PPU_REG_CH_PUT), 0);
		ck_assert_uint_eq(bench_rd64(c, s + 8), 12);
	}
	ck_assert_uint_eq(cherr(q), 0);
	/* Low again after the next half. */
	for (unsigned i = 0; i < 3; i++) {
		bench_nop(q, 1);
		bench_push(q);
	}
	bench_release(ch, 0, s, 1);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(b->irqs[PPU_VEC_CHANNEL], 2);
	/* A shadow that cannot be written is the queue's error. */
	bench_unmap(c, s, 4096);
	bench_chan_set(q, PPU_REG_CH_CMD, PPU_CH_CMD_REFRESH);
	ck_assert_uint_eq(cherr(q), PPU_ERR_SEM_FAULT);
	bench_free(b);
}
END_TEST

/* WQ-59: the assist is a property; the device says whether it has the assist. */
START_TEST(assist_property)
{
	for (unsigned on = 0; on < 2; on++) {
		struct bench *b = bench_new(on ? "devq-assist=1" : "devq-assist=0");
		struct bench_ctx *c = bench_ctx_new(b);
		struct bench_chan *q = devq(c, 6, PPU_CHF_AUTO_REFRESH, 0);
		struct bench_chan *ch = bench_chan_make(c, PPU_CLASS_COMPUTE, 6);

		ck_assert_uint_eq(!!(bench_reg(b, PPU_REG_CAP_FEATURES) & PPU_FEAT_DEVQ_ASSIST), on);
		bench_chan_enable(q);
		ck_assert_uint_eq(cherr(q), on ? 0 : PPU_ERR_BAD_CONFIG);
		/* And only device-owned channels can use the assist. */
		bench_chan_set(ch, PPU_REG_CH_FLAGS, PPU_CHF_AUTO_REFRESH);
		bench_chan_enable(ch);
		ck_assert_uint_eq(cherr(ch), PPU_ERR_BAD_CONFIG);
		bench_free(b);
	}
}
END_TEST

/* A device-owned channel takes launches and copies, and changes engines in between. */
START_TEST(devq_uses_both_engines)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), t = bench_sleep_task(c, 1000);
	struct bench_chan *q = devq(c, 8, 0, 0);

	bench_chan_set(q, PPU_REG_CH_PUT, 7);
	for (unsigned i = 0; i < 3; i++) {
		bench_launch(q, t);
		bench_fill(q, 3, s, i + 1, 2);
		bench_copy(q, s, s + 64 + 8 * i, 8);
	}
	bench_wfi(q);
	bench_inc(q, 0, s + 32);
	bench_acquire(q, PPU_SEM_OP_EQ, s + 40, 1);
	bench_push(q);
	bench_chan_enable(q);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(q), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(bench_rd64(c, s + 64 + 8 * i), i + 1);
	ck_assert_uint_eq(bench_rd64(c, s + 32), 1);
	ck_assert_uint_eq(bench_count(b, PPU_TR_SLICE_START, q->id), 6);
	bench_free(b);
}
END_TEST

/* Kernel-submit: no acquire; only a block in host-only memory may access host-only memory. */
START_TEST(kernel_submit)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *k = bench_chan_make(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *u = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM);
	uint64_t fence = bench_alloc(c, 4096, BENCH_VRAM | PPU_PTE_PRIV);
	uint64_t code = bench_alloc(c, 4096, BENCH_VRAM | PPU_PTE_PRIV);
	uint32_t w[5] = { PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, 5, 0), (uint32_t)fence, fence >> 32, 9, 0 };

	bench_chan_set(k, PPU_REG_CH_FLAGS, PPU_CHF_KERNEL_SUBMIT);
	bench_chan_enable(k);
	bench_acquire(k, 0, s, 0);
	bench_submit(k);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(k), PPU_ERR_ACQUIRE_DENIED);
	again(k);
	bench_write(c, code, w, sizeof(w));
	bench_entry(k, 0, code, 5, 0);
	bench_doorbell(k, 1);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(k), 0);
	ck_assert_uint_eq(bench_rd64(c, fence), 9);
	k->put = 1;
	bench_release(k, 0, fence, 10);		/* the user's block in the same channel */
	bench_submit(k);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(k), PPU_ERR_SEM_FAULT);
	bench_entry(u, 0, code, 5, 0);		/* a user's channel cannot run the driver's block */
	bench_doorbell(u, 1);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(cherr(u), PPU_ERR_BLOCK_FAULT);
	ck_assert_uint_eq(bench_rd64(c, fence), 9);
	bench_free(b);
}
END_TEST

/* Impossible configurations are refused with an error, and nothing starts. */
START_TEST(bad_config)
{
	struct bench *b = bench_new("copy-engines=2 ring-max=100");
	struct bench_ctx *c = bench_ctx_new(b), *dead = bench_ctx_new(b);
	static const struct { unsigned reg; uint32_t val; } bad[] = {
		{ PPU_REG_CH_CLASS, 0 }, { PPU_REG_CH_CLASS, 4 },
		{ PPU_REG_CH_RING_ENTRIES, 2 }, { PPU_REG_CH_RING_ENTRIES, 101 },
		{ PPU_REG_CH_RING_LO, 8 }, { PPU_REG_CH_RING_HI, 0xffff },
		{ PPU_REG_CH_PRIORITY, 16 }, { PPU_REG_CH_FLAGS, 8 },
		{ PPU_REG_CH_ENGINE_MASK, 4 }, { PPU_REG_CH_GET, 8 }, { PPU_REG_CH_PUT, 8 },
		{ PPU_REG_CH_DEVQ_SHADOW_LO, 4 }, { PPU_REG_CH_INST_LO, 0x5000 },
		{ PPU_REG_CH_INST_LO, 1 },
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bench_chan *ch = bench_chan_make(c, PPU_CLASS_COPY, 8);

		bench_chan_set(ch, bad[i].reg, bad[i].val);
		bench_chan_enable(ch);
		ck_assert_msg(cherr(ch) == PPU_ERR_BAD_CONFIG, "case %u", i);
		ck_assert(!(bench_chan_reg(ch, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED));
		bench_doorbell(ch, 1);
	}
	bench_ctx_cmd(dead, PPU_CTX_CMD_STOP);
	struct bench_chan *ch = bench_chan_make(dead, PPU_CLASS_COPY, 8);

	bench_chan_enable(ch);
	ck_assert_uint_eq(cherr(ch), PPU_ERR_BAD_CONFIG);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_count(b, PPU_TR_CH_ENABLE, -1), 0);
	bench_free(b);
}
END_TEST

/* The last possible ones are taken. */
START_TEST(config_at_its_limits)
{
	struct bench *b = bench_new("copy-engines=2 ring-max=100");
	struct bench_ctx *c = bench_ctx_new(b);
	static const struct { unsigned reg; uint32_t val; } good[] = {
		{ PPU_REG_CH_RING_ENTRIES, 3 }, { PPU_REG_CH_RING_ENTRIES, 100 }, { PPU_REG_CH_PRIORITY, 15 },
		{ PPU_REG_CH_ENGINE_MASK, 3 }, { PPU_REG_CH_GET, 7 }, { PPU_REG_CH_PUT, 7 },
	};

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct bench_chan *ch = bench_chan_make(c, PPU_CLASS_COPY, 8);

		bench_chan_set(ch, good[i].reg, good[i].val);
		bench_chan_enable(ch);
		ck_assert_msg(!cherr(ch), "case %u: %u", i, cherr(ch));
		ck_assert(bench_chan_reg(ch, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED);
	}
	ck_assert_uint_eq(bench_count(b, PPU_TR_CH_ENABLE, -1), sizeof(good) / sizeof(good[0]));
	bench_free(b);
}
END_TEST

/* Bytes and odd addresses read 0 and write nothing; 8 bytes are two registers. */
START_TEST(access_sizes)
{
	struct bench *b = bench_new(NULL);

	ppu_core_mmio_write(b->core, PPU_REG_SCRATCH, 4, 0x11223344);
	ppu_core_mmio_write(b->core, PPU_REG_SCRATCH, 1, 0xff);
	ppu_core_mmio_write(b->core, PPU_REG_SCRATCH + 2, 4, 0xff);
	ppu_core_mmio_write(b->core, PPU_REG_SCRATCH + 4, 8, 0xff);
	ck_assert_uint_eq(ppu_core_mmio_read(b->core, PPU_REG_SCRATCH, 4), 0x11223344);
	ck_assert_uint_eq(ppu_core_mmio_read(b->core, PPU_REG_SCRATCH, 2), 0);
	ck_assert_uint_eq(ppu_core_mmio_read(b->core, PPU_REG_SCRATCH + 1, 4), 0);
	ck_assert_uint_eq(b->guest_errors, 5);
	ck_assert_uint_eq(ppu_core_mmio_read(b->core, PPU_REG_ID, 8),
			  (uint64_t)PPU_HW_VERSION << 32 | PPU_ID_MAGIC);
	bench_run_to(b, 0x500000007ull);
	ck_assert_uint_eq(ppu_core_mmio_read(b->core, PPU_REG_TIME_LO, 8), 0x500000007ull);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_TIME_LO), 7);
	bench_run_to(b, 0x700000000ull);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_TIME_HI), 5);	/* latched by the read of LO */
	bench_free(b);
}
END_TEST

/* Any access anywhere in BAR0, and beyond its end. */
START_TEST(every_register)
{
	struct bench *b = bench_new("channels=5 watches=3");
	uint64_t end = ppu_core_bar0_size(&b->cfg);
	unsigned seed = 1;

	ck_assert_uint_eq(end, 0x400000);
	for (uint64_t off = 0; off < end + 64; off += off < 0x210000 ? 4 : 4096 - 4) {
		ppu_core_mmio_read(b->core, off, 4);
		if (off != PPU_REG_RESET)
			ppu_core_mmio_write(b->core, off, 4, (uint32_t)rand_r(&seed));
	}
	ck_assert(bench_run(b));
	bench_set(b, PPU_REG_RESET, 1);
	for (uint64_t off = 0; off < end; off += 4)
		if (off == PPU_REG_SCRATCH || (off >= PPU_BAR0_WATCH && off < 0x210000))
			ck_assert_uint_eq(bench_reg(b, off), 0);
	bench_free(b);
}
END_TEST

BENCH_MAIN("hostif", decode_everything, block_edges, self_modifying_block, intr, wfi_waits_for_launches,
	   task_pool_full, stop_aborts_tasks, task_pool_freed_at_once, stop_request_is_served_once, halves_of_watches,
	   queue_refresh_command, ring_low,
	   auto_refresh, driver_refresh, assist_property, devq_uses_both_engines,
	   kernel_submit,
	   bad_config, config_at_its_limits, access_sizes, every_register)
