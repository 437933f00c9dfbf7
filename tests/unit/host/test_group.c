/* SPDX-License-Identifier: MIT */
/*
 * Channel groups (Documentation/hw/channels.md): members share time slices, stand together among other channels, and
 * are paused, resumed and stopped together.  test_sched_random compares all of that with a model; here each rule
 * has its trace in numbers.
 */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"

enum { US = 1000, COPY = 10 * US, COPIES = 40, ENTRIES = 64 };

/* Copies of 1000 bytes take 10 us, commands and switches take nothing worth naming. */
#define PROPS "copy-engines=1 cost-fetch-ns=1 cost-cmd-ns=1 cost-switch-ns=0 cost-ce-setup-ns=0 cost-ce-mbps=100 timeslice=40000"

struct group {
	struct bench *b;
	struct bench_ctx *c;
	uint64_t src, dst;
};

static struct group group_new(const char *props)
{
	struct group s = { .b = bench_new(props) };

	s.c = bench_ctx_new(s.b);
	s.src = bench_alloc(s.c, 4096, BENCH_VRAM);
	s.dst = bench_alloc(s.c, 4096, BENCH_VRAM);
	return s;
}

static struct bench_chan *chan(struct group *s, uint32_t number)
{
	struct bench_chan *ch = bench_chan_make(s->c, PPU_CLASS_COPY, ENTRIES);

	bench_chan_set(ch, PPU_REG_CH_GROUP, number);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_GROUP), number);
	bench_chan_enable(ch);
	return ch;
}

static void copies(struct group *s, struct bench_chan *ch, unsigned n)
{
	while (n--) {
		bench_copy(ch, s->src, s->dst, 1000);
		bench_push(ch);
	}
	bench_doorbell(ch, ch->put);
}

/* Copies that a channel has done up to now. */
static size_t done(struct group *s, const struct bench_chan *ch)
{
	size_t n = 0;

	for (size_t i = 0; i < s->b->num_trace; i++)
		n += s->b->trace[i].event == PPU_TR_CE_DONE && s->b->trace[i].a == ch->id;
	return n;
}

/* Two members and a channel of its own: the group gets a half, not two thirds. */
START_TEST(a_group_has_one_share)
{
	for (uint32_t number = 0; number < 2; number++) {
		struct group s = group_new(PROPS);
		struct bench_chan *m0 = chan(&s, number), *m1 = chan(&s, number), *single = chan(&s, 0);
		size_t sum;

		copies(&s, m0, COPIES);
		copies(&s, m1, COPIES);
		copies(&s, single, COPIES);
		bench_run_for(s.b, 48 * COPY + COPY / 2);	/* 12 slices of 4 copies */
		sum = done(&s, m0) + done(&s, m1) + done(&s, single);
		ck_assert_uint_ge(sum, 45);
		if (number) {
			ck_assert_uint_ge(done(&s, single), 20);
			ck_assert_uint_ge(done(&s, m0) + done(&s, m1), 20);
			ck_assert_uint_le(done(&s, m0), done(&s, m1) + 6);
			ck_assert_uint_le(done(&s, m1), done(&s, m0) + 6);
		} else {
			ck_assert_uint_le(done(&s, single), 17);
		}
		bench_free(s.b);
	}
}
END_TEST

static const struct ppu_trace_rec *only(struct group *s, unsigned event)
{
	ck_assert_uint_eq(bench_count(s->b, event, -1), 1);
	return bench_find(s->b, event, -1, 0);
}

/* A member with nothing left leaves the rest of its slice to the other member, though another channel waits longer. */
START_TEST(a_slice_is_passed_on)
{
	struct group s = group_new(PROPS);
	struct bench_chan *m0 = chan(&s, 7), *single = chan(&s, 0), *m1 = chan(&s, 7);
	const struct ppu_trace_rec *start, *pass, *expire;

	copies(&s, m0, 1);
	bench_run_for(s.b, US);
	copies(&s, single, 1);
	bench_run_for(s.b, US);
	copies(&s, m1, 9);
	ck_assert(bench_run(s.b));
	start = bench_find(s.b, PPU_TR_SLICE_START, (int)m0->id, 0);
	pass = only(&s, PPU_TR_SLICE_PASS);
	ck_assert_uint_eq(pass->unit, m1->id);
	ck_assert_uint_eq(pass->a, PPU_CLASS_COPY);
	ck_assert_uint_eq(pass->time + pass->b, start->time + 40 * US);
	ck_assert_uint_eq(pass->c, 7);
	ck_assert_uint_eq(pass->d, m0->id);
	/* The slice ends when it would have ended, and the single channel comes before the group's next slice. */
	expire = bench_find(s.b, PPU_TR_SLICE_EXPIRE, (int)m1->id, 0);
	ck_assert_uint_eq(expire->time, start->time + 40 * US);
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 2.0 2.1 2.2 1.0 2.3 2.4 2.5 2.6 2.7 2.8");
	bench_free(s.b);
}
END_TEST

/* The slice belongs to nobody when no member waits; and a channel of higher priority ends it. */
START_TEST(a_slice_ends_early)
{
	struct group s = group_new(PROPS);
	struct bench_chan *m0 = chan(&s, 7), *single = chan(&s, 0), *m1 = chan(&s, 7);
	struct bench_chan *high = bench_chan_make(s.c, PPU_CLASS_COPY, ENTRIES);

	bench_chan_set(high, PPU_REG_CH_PRIORITY, 1);
	bench_chan_enable(high);
	copies(&s, m0, 1);
	bench_run_for(s.b, US);
	copies(&s, single, 1);
	bench_run_for(s.b, COPY);		/* m0 is done, nobody takes over */
	copies(&s, m1, 3);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_SLICE_PASS, -1), 0);
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 1.0 2.0 2.1 2.2");

	bench_clear(s.b);
	copies(&s, m0, 2);
	bench_run_for(s.b, US);
	copies(&s, m1, 2);
	copies(&s, single, 1);
	copies(&s, high, 1);
	ck_assert(bench_run(s.b));
	/* The group lost its slice, and so stands behind the single channel.  m1 then passes its new slice on to m0. */
	ck_assert_uint_eq(only(&s, PPU_TR_SLICE_PASS)->unit, m0->id);
	ck_assert_str_eq(bench_copies_text(s.b), "0.1 3.0 1.1 2.3 2.4 0.2");
	bench_free(s.b);
}
END_TEST

/* Channels of another context with the same number are another group. */
START_TEST(contexts_do_not_share_groups)
{
	struct group s = group_new(PROPS);
	struct bench_chan *m = chan(&s, 7), *other;
	struct group o = s;

	o.c = bench_ctx_new(s.b);
	o.src = bench_alloc(o.c, 4096, BENCH_VRAM);
	o.dst = bench_alloc(o.c, 4096, BENCH_VRAM);
	other = chan(&o, 7);
	copies(&s, m, 1);
	copies(&o, other, 2);
	bench_chan_set(m, PPU_REG_CH_CMD, PPU_CH_CMD_GROUP_STOP);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_SLICE_PASS, -1), 0);
	ck_assert_uint_eq(done(&o, other), 2);
	ck_assert_uint_eq(bench_chan_reg(m, PPU_REG_CH_STATUS), PPU_CHS_STOPPED);
	bench_free(s.b);
}
END_TEST

/* All at one time in the trace, behind one GROUP_CMD; a member pauses itself besides; one that joins is paused as well. */
START_TEST(paused_and_resumed_together)
{
	struct group s = group_new(PROPS);
	struct bench_chan *m0 = chan(&s, 3), *m1 = chan(&s, 3), *m2, *single = chan(&s, 0);
	const struct ppu_trace_rec *r;

	copies(&s, m0, 9);
	copies(&s, m1, 9);
	bench_run_for(s.b, COPY / 2);
	bench_clear(s.b);
	bench_chan_set(m1, PPU_REG_CH_CMD, PPU_CH_CMD_PAUSE);
	bench_chan_set(m1, PPU_REG_CH_CMD, PPU_CH_CMD_GROUP_PAUSE);
	r = only(&s, PPU_TR_GROUP_CMD);
	ck_assert_uint_eq(r->unit, m1->id);
	ck_assert_uint_eq(r->a, PPU_CH_CMD_GROUP_PAUSE);
	ck_assert_uint_eq(r->b, 3);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CH_DISABLE, (int)m0->id), 1);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CH_DISABLE, (int)m1->id), 1);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_CH_DISABLE, (int)single->id), 0);
	ck_assert_uint_eq(bench_find(s.b, PPU_TR_CH_DISABLE, (int)m0->id, 0)->time, r->time);
	m2 = chan(&s, 3);
	ck_assert(bench_chan_reg(m2, PPU_REG_CH_STATUS) & PPU_CHS_PAUSED);
	copies(&s, m2, 2);
	copies(&s, single, 1);
	ck_assert(bench_run(s.b));
	/* The copy in progress is completed, and nothing else of the group. */
	ck_assert_str_eq(bench_copies_text(s.b), "0.0 2.0");

	bench_clear(s.b);
	bench_chan_set(m0, PPU_REG_CH_CMD, PPU_CH_CMD_GROUP_RESUME);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(done(&s, m0), 8);
	ck_assert_uint_eq(done(&s, m1), 0);	/* paused by itself still */
	ck_assert_uint_eq(done(&s, m2), 2);
	bench_chan_set(m1, PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(done(&s, m1), 9);
	bench_free(s.b);
}
END_TEST

START_TEST(stopped_together)
{
	struct group s = group_new(PROPS);
	struct bench_chan *m0 = chan(&s, 3), *m1 = chan(&s, 3), *single = chan(&s, 0);

	copies(&s, m0, 3);
	copies(&s, m1, 3);
	copies(&s, single, 2);
	bench_run_for(s.b, COPY / 2);
	bench_set(s.b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	bench_chan_set(m1, PPU_REG_CH_CMD, PPU_CH_CMD_GROUP_STOP);
	ck_assert_uint_eq(bench_reg(s.b, PPU_REG_PREEMPT_PENDING), 1u << m0->id | 1u << m1->id);
	ck_assert(bench_run(s.b));
	ck_assert_str_eq(bench_copies_text(s.b), "2.0 2.1");
	for (unsigned i = 0; i < 2; i++)
		ck_assert_uint_eq(bench_chan_reg(i ? m1 : m0, PPU_REG_CH_STATUS), PPU_CHS_STOPPED);
	bench_free(s.b);
}
END_TEST

/* A command to a group that is not there, a number that changes while the channel is enabled: the guest is told. */
START_TEST(not_a_member)
{
	struct group s = group_new(PROPS);
	struct bench_chan *none = chan(&s, 0), *off = bench_chan_make(s.c, PPU_CLASS_COPY, ENTRIES), *m = chan(&s, 5);

	bench_chan_set(none, PPU_REG_CH_CMD, PPU_CH_CMD_GROUP_STOP);
	ck_assert_uint_eq(s.b->guest_errors, 1);
	ck_assert_str_eq(s.b->last_error, "channel 0: command 9 to the group of a channel that has none");
	/* A channel that is not enabled can name a group. */
	bench_chan_set(off, PPU_REG_CH_GROUP, 5);
	bench_chan_set(off, PPU_REG_CH_CMD, PPU_CH_CMD_GROUP_PAUSE);
	ck_assert(bench_chan_reg(m, PPU_REG_CH_STATUS) & PPU_CHS_PAUSED);
	bench_chan_set(off, PPU_REG_CH_INST_LO, 0x5000);
	bench_chan_set(off, PPU_REG_CH_CMD, PPU_CH_CMD_GROUP_RESUME);
	ck_assert(bench_chan_reg(m, PPU_REG_CH_STATUS) & PPU_CHS_PAUSED);
	bench_chan_set(m, PPU_REG_CH_GROUP, 6);
	ck_assert_uint_eq(s.b->guest_errors, 2);
	ck_assert_uint_eq(bench_chan_reg(m, PPU_REG_CH_GROUP), 5);
	ck_assert(bench_chan_reg(none, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED);
	bench_free(s.b);
}
END_TEST

/* A slice that is kept for members while the host interface is busy: it expires, or the members or their context go. */
START_TEST(a_slice_without_a_holder)
{
	struct group s = group_new(PROPS " cost-cmd-ns=4000");
	struct bench_chan *m0 = chan(&s, 7), *m1 = chan(&s, 7), *busy = chan(&s, 0);
	unsigned steps = 0;

	if (_i == 0)
		bench_chan_set(m0, PPU_REG_CH_TIMESLICE_NS, 24500);
	copies(&s, m0, 1);
	bench_run_for(s.b, COPY / 2);
	copies(&s, m1, 2);
	bench_run_for(s.b, COPY / 2);
	for (unsigned i = 0; i < 6; i++)
		bench_nop(busy, 1);
	bench_submit(busy);
	while (!done(&s, m0) && steps++ < 1000)
		bench_run_for(s.b, 100);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_SLICE_PASS, -1), 0);
	ck_assert_uint_eq(bench_chan_reg(m0, PPU_REG_CH_STATUS), PPU_CHS_ENABLED);
	if (_i == 1)
		bench_chan_set(m1, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	if (_i == 2) {
		bench_ctx_cmd(s.c, PPU_CTX_CMD_STOP);
		bench_ctx_cmd(s.c, PPU_CTX_CMD_FORGET);
	}
	ck_assert(bench_run(s.b));
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_SLICE_PASS, -1), _i == 3);
	ck_assert_uint_eq(bench_count(s.b, PPU_TR_SLICE_EXPIRE, (int)m0->id), _i == 0);
	ck_assert_uint_eq(done(&s, m1), _i == 0 || _i == 3 ? 2 : 0);
	bench_free(s.b);
}
END_TEST

int main(void)
{
	static const TTest *const *const tests[] = {
		&a_group_has_one_share, &a_slice_is_passed_on, &a_slice_ends_early, &contexts_do_not_share_groups,
		&paused_and_resumed_together, &stopped_together, &not_a_member,
	};
	Suite *s = suite_create("group");
	TCase *t = tcase_create("group");

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(t, *tests[i]);
	tcase_add_loop_test(t, a_slice_without_a_holder, 0, 4);
	suite_add_tcase(s, t);
	return run_suite(s);
}
