/* SPDX-License-Identifier: MIT */
/*
 * Scenario WQ-X1, figures 6A to 6F: both channels, step by step, in the three timings in which the work can
 * be inserted; and the second launch, the refresh before it, and what comes after the nested work.
 *
 * What is compared is every state that (C.GET, P.GET, soft, X, A, B, Y) was in, in order.  C.GET counts
 * from the launch's own entries on: the runtime's entry with the refresh comes before them.
 */
#include <stdio.h>
#include <string.h>
#include "bench_main.h"
#include "devq.h"
#include <hw/ppu_tmd.h>
#include "run_suite.h"

#define COUNT	8u
#define STEP_NS	20u
#define MOST_NS	3000000u

/* Words of the device memory. */
#define X1	0u		/* struct x1 of devq.cu */
#define BLOCK1	64u
#define BLOCK2	80u
#define TMD1	128u
#define TMD2	192u
#define PARAMS	256u

static void tmd(unsigned at, const char *kernel)
{
	ppuFunctionAttributes a;
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .kind = PPU_TMD_GRID,
		.grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .param_va = DEVQ_AT(PARAMS),
	};
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, devq_module, kernel));
	OK(ppuFunctionGetAttributes(&a, f));
	t.regs_per_thread = (uint16_t)a.regs;
	t.code_va = a.code_address;
	t.entry_pc = a.entry_pc;
	t.code_insns = a.entry_pc + a.code_insns + 4096;
	t.local_per_thread = a.local_bytes;
	t.num_barriers = a.barriers;
	t.param_bytes = a.param_bytes;
	devq_put(at, &t, sizeof(t));
}

static void launch_block(unsigned at, unsigned tmd_at)
{
	uint32_t w[3] = { PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0), (uint32_t)DEVQ_AT(tmd_at),
			  (uint32_t)(DEVQ_AT(tmd_at) >> 32) };

	devq_put(at, w, sizeof(w));
}

/* PBS-1 launches x1_pbs1, PBS-2 launches x1_pbs2. */
static void blocks(uint32_t timing)
{
	struct ppu_gpfifo_entry pbs[2] = { { DEVQ_AT(BLOCK1), 3, 0 }, { DEVQ_AT(BLOCK2), 3, 0 } };
	uint64_t params[2] = { DEVQ_AT(X1), timing };

	devq_put(X1, pbs, sizeof(pbs));
	devq_put(PARAMS, params, sizeof(params));
	tmd(TMD1, "x1_pbs1");
	tmd(TMD2, "x1_pbs2");
	launch_block(BLOCK1, TMD1);
	launch_block(BLOCK2, TMD2);
}

/* The states one after the other, one a line. */
static const char *states(struct rt_chan *c, uint32_t first, uint32_t last)
{
	static char text[4096];
	char now[64], before[64] = "";
	size_t n = 0;

	*text = 0;
	for (uint64_t ns = 0; ns < MOST_NS; ns += STEP_NS) {
		ppuQueueInfo q = devq_info();
		uint32_t get = c->ctx->be->chan_get(c->be);

		if (get >= first) {
			snprintf(now, sizeof(now), "%u %u %u %u %u %u %u\n", get - first, q.get, (unsigned)q.soft,
				 (unsigned)q.x, (unsigned)devq_sem(2), (unsigned)devq_sem(4), (unsigned)q.y);
			if (strcmp(now, before)) {
				n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", now);
				strcpy(before, now);
			}
		}
		if (get == last)
			return text;
		rt_pass(STEP_NS);
	}
	ck_abort_msg("not through after %u ns: %s", MOST_NS, text);
}

/* The device time at which the launch begins, numbers of the two channels, the ring entry of its LAUNCH. */
struct run {
	char trace[32];
	struct rt_chan *c;
	uint32_t chan_c, chan_p, first;
	uint64_t begin;
};

/* In device order, from the launch on: executed commands of both channels, when their GET moves, when a kernel
 * is done.  C's GET as in the table. */
static const char *events(const struct rt_trace *t, const struct run *run)
{
	uint32_t c = run->chan_c, p = run->chan_p;
	bool begun = false;
	static char text[8192];
	size_t n = 0;

	*text = 0;
	for (size_t i = 0; i < t->num; i++) {
		const struct ppu_trace_rec *r = &t->rec[i];
		char who = r->unit == c ? 'C' : 'P';
		const char *what = NULL;

		if (r->time < run->begin)
			continue;
		if (r->event == PPU_TR_GET && r->unit == c && r->a == run->first) {
			begun = true;
			continue;
		}
		if (!begun)
			continue;
		if (r->event == PPU_TR_TASK_DONE)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "done ");
		if (r->unit != c && r->unit != p)
			continue;
		if (r->event == PPU_TR_GET)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%c%u ", who,
					      r->unit == c ? r->a - run->first : r->a);
		if (r->event == PPU_TR_CMD) {
			switch (r->b) {
			case PPU_CMD_LAUNCH: what = "launch"; break;
			case PPU_CMD_WFI: what = "wfi"; break;
			case PPU_CMD_SEM_RELEASE: what = "release"; break;
			case PPU_CMD_SEM_ACQUIRE: what = "acquire"; break;
			case PPU_CMD_QUEUE_REFRESH: what = "refresh"; break;
			}
			ck_assert_ptr_nonnull(what);
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%c:%s ", who, what);
		}
		ck_assert_uint_lt(n, sizeof(text) - 64);
	}
	return text;
}

static struct run prepare(uint32_t timing, bool finish_by_hand)
{
	ppuQueueOptions o = {
		.entries = COUNT,
		.flags = PPU_STREAM_QUEUE_SPLIT | (finish_by_hand ? PPU_STREAM_QUEUE_NO_TERMINATOR : 0),
	};
	struct run r;

	rt_trace_name(r.trace, sizeof(r.trace));
	devq_start_traced("gpcs=1 sms-per-gpc=1 window-ns=1000", r.trace);
	OK(ppuStreamSetQueue(NULL, &o));
	blocks(timing);
	/* the stream's compute channel comes into being, and rests */
	DEVQ_RUN("plain", 1, 1, DEVQ_AT(4000));
	r.c = devq_spy.ctx->compute[0];
	ck_assert_ptr_nonnull(r.c);
	r.chan_c = r.c->be->hw_channel;
	r.chan_p = devq_info().channel;
	r.first = r.c->put + 1;		/* behind the entry with the refresh */
	OK(ppuDeviceGetTime(0, &r.begin));
	return r;
}

/* Timing (iii) is the table of WQ-X1: the launching kernel reserves and fills PBS-2, PBS-1's
 * kernel releases A, PBS-2's inserts the terminator.  (i): the launching kernel inserts everything.  (ii): PBS-1's
 * kernel inserts PBS-2, PBS-2's the terminator. */
static const struct {
	const char *states, *events;
} golden[4] = {
	[1] = {
		"0 0 1 0 0 0 0\n"	/* 6A */
		"1 0 1 0 0 0 0\n"
		"1 0 3 0 0 0 0\n"	/* 6B */
		"1 0 6 0 1 1 0\n"
		"2 0 6 0 1 1 0\n"	/* 6C */
		"3 0 6 1 1 1 0\n"
		"3 1 6 1 1 1 0\n"
		"3 2 6 1 1 1 0\n"	/* 6D, 6E: nothing to wait for */
		"3 3 6 1 1 1 0\n"
		"3 4 6 1 1 1 0\n"
		"3 5 6 1 1 1 0\n"
		"3 5 6 1 1 1 1\n"	/* 6F */
		"4 5 6 1 1 1 1\n",
		"C:launch C1 done C:wfi C2 C:release C3 P:acquire P1 P:launch P2 P:acquire P3 P:launch done P4 "
		"P:acquire P5 done P:wfi P:release C:acquire C4 C:release C5 "
	},
	[2] = {
		"0 0 1 0 0 0 0\n"
		"1 0 1 0 0 0 0\n"
		"1 0 3 0 0 0 0\n"
		"2 0 3 0 0 0 0\n"
		"3 0 3 1 0 0 0\n"
		"3 1 3 1 0 0 0\n"
		"3 2 3 1 0 0 0\n"	/* at Acquire A, which PBS-1's kernel's successor releases */
		"3 3 5 1 1 0 0\n"
		"3 4 5 1 1 0 0\n"
		"3 5 6 1 1 1 0\n"
		"3 5 6 1 1 1 1\n"
		"4 5 6 1 1 1 1\n",
		"C:launch C1 done C:wfi C2 C:release C3 P:acquire P1 P:launch P2 done P:acquire P3 P:launch P4 done "
		"P:acquire P5 P:wfi P:release C:acquire C4 C:release C5 "
	},
	[3] = {
		"0 0 1 0 0 0 0\n"	/* 6A */
		"1 0 1 0 0 0 0\n"
		"1 0 3 0 0 0 0\n"	/* 6B: thread 1 */
		"1 0 5 0 0 0 0\n"	/* 6B: thread 2 */
		"2 0 5 0 0 0 0\n"	/* 6C */
		"3 0 5 1 0 0 0\n"
		"3 1 5 1 0 0 0\n"
		"3 2 5 1 0 0 0\n"	/* 6D */
		"3 3 5 1 1 0 0\n"
		"3 4 5 1 1 0 0\n"	/* 6E */
		"3 5 6 1 1 1 0\n"
		"3 5 6 1 1 1 1\n"	/* 6F */
		"4 5 6 1 1 1 1\n",
		"C:launch C1 done C:wfi C2 C:release C3 P:acquire P1 P:launch P2 done P:acquire P3 P:launch P4 done "
		"P:acquire P5 P:wfi P:release C:acquire C4 C:release C5 "
	},
};

/* WQ-52: from the launch to Y the CPU does nothing, and no interrupt asks it to. */
static void check_no_cpu(const struct rt_trace *t, const struct run *r)
{
	bool inside = false;

	for (size_t i = 0; i < t->num; i++) {
		const struct ppu_trace_rec *e = &t->rec[i];

		if (e->time < r->begin)
			continue;
		if (e->event == PPU_TR_GET && e->unit == r->chan_c && e->a == r->first + 1)
			inside = true;
		if (e->event == PPU_TR_GET && e->unit == r->chan_c && e->a == r->first + 4)
			return;
		/* the refresh moves P's PUT, which is not a doorbell */
		ck_assert(!inside || e->event != PPU_TR_DOORBELL || e->unit == r->chan_p);
		ck_assert(!inside || e->event != PPU_TR_INTR);
	}
	ck_abort_msg("the launch did not end");
}

/* WQ-X1, WQ-12, WQ-20, WQ-36, WQ-37, WQ-46, WQ-48, WQ-50, WQ-51, WQ-52, WQ-72. */
START_TEST(three_timings)
{
	uint32_t timing = (uint32_t)_i;
	struct run r = prepare(timing, true);
	struct rt_trace t;

	DEVQ_LAUNCH("x1_launch", 1, 1, DEVQ_AT(X1), timing);
	ck_assert_str_eq(states(r.c, r.first, r.first + 4), golden[timing].states);
	OK(ppuCtxSynchronize());
	ck_assert_str_eq(devq_block(5), "wfi release(Y=1) acquire(X==2)");
	ck_assert_uint_eq(devq_sem(0), 1);
	devq_fetch();
	ck_assert_uint_eq(devq_u64(X1 + 16), 100 + PPU_QUEUE_NO_QUEUE);
	ck_assert_uint_eq(devq_sem(1) | devq_sem(3) | devq_sem(5) | devq_sem(6) | devq_sem(7), 0);
	devq_stop();
	t = rt_trace_take(r.trace);
	ck_assert_str_eq(events(&t, &r), golden[timing].events);
	check_no_cpu(&t, &r);
	rt_trace_free(&t);
}
END_TEST

/* WQ-X1: The second launch: refresh to PUT 4 and shadow 12; the first group gets 6 and 7, element 5 is written and
 * harmless; P leaves entry 5 only when X is 2 (WQ-59, WQ-64). */
START_TEST(second_launch)
{
	struct run r = prepare(1, false);
	struct rt_trace t;
	uint64_t left = 0, x2 = 0, x = 0;

	DEVQ_LAUNCH("x1_launch", 1, 1, DEVQ_AT(X1), 1);
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(devq_info().get, 5);
	rt_pass(100000);
	ck_assert_uint_eq(devq_info().get, 5);		/* X = 1 does not release the queue */
	devq_put(1000, (uint32_t[]){ 1 }, 4);
	DEVQ_LAUNCH("groups", 1, 1, DEVQ_AT(2000), DEVQ_AT(1000), 1, DEVQ_AT(1010));
	for (unsigned tries = 0; devq_sem(5) != 1; tries++) {
		ck_assert_uint_lt(tries, 100000);
		rt_pass(STEP_NS);
	}
	ck_assert_uint_eq(devq_info().shadow, 12);
	ck_assert_uint_eq(devq_info().get, 5);
	ck_assert_uint_ge(devq_info().soft, 8);
	ck_assert_uint_eq(devq_info().x, 1);
	for (unsigned tries = 0; devq_info().x != 2; tries++) {
		ck_assert_uint_lt(tries, 100000);
		ck_assert_uint_eq(devq_info().get, 5);
		rt_pass(STEP_NS);
	}
	OK(ppuCtxSynchronize());
	ck_assert_str_eq(devq_block(6), "launch");
	ck_assert_str_eq(devq_block(7), "acquire(sem7==1)");
	ck_assert_str_eq(devq_block(0), "wfi release(Y=2) acquire(X==3)");
	ck_assert_uint_eq(devq_info().get, 0);
	devq_stop();
	t = rt_trace_take(r.trace);
	for (size_t i = 0; i < t.num; i++) {
		if (t.rec[i].event == PPU_TR_GET && t.rec[i].unit == r.chan_p && t.rec[i].a == 6 && !left)
			left = i;
		if (t.rec[i].event == PPU_TR_BLOCK && t.rec[i].unit == r.chan_p && t.rec[i].c == 2 && !x)
			x = t.rec[i].b;
		if (t.rec[i].event == PPU_TR_SEM_WRITE && x && t.rec[i].b == x) {
			ck_assert_uint_eq(t.rec[i].unit, r.chan_c);
			ck_assert_uint_eq(t.rec[i].d, 2);
			x2 = i;
		}
	}
	ck_assert(x2 && x2 < left);
	rt_trace_free(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("devq_timings");
	TCase *t = tcase_create("devq_timings");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, three_timings, 1, 4);
	tcase_add_test(t, second_launch);
	suite_add_tcase(s, t);
	return run_suite(s);
}
