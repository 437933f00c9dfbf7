// SPDX-License-Identifier: MIT
/*
 * Lab 8 in the guest: time slices, copy priorities, hangs.
 *
 *   exercise x1       the worked example: two channels, one engine
 *   exercise sched    slices, three priorities, what happens to a counted copy
 *   exercise hang     channels that hang, and others that only wait
 *
 * Everything is queued behind a word that this program writes last. What has to happen during a copy
 * waits for the first part of that copy's data. So the device's own time decides all orders, and nothing else does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab_uapi.h"
#include "lablib.h"
#include "labsync.h"

#define KIB	1024u
#define MIB	(1u << 20)
#define COPY	PPU_CLASS_COPY
#define COMPUTE	PPU_CLASS_COMPUTE
#define SOON	(5000000000ll * lab_scale())	/* ns; a wait that ends at once, or never */
#define PATTERN	0x5a5a5a5au

/* Words of struct lw, by number. */
enum { START, NEVER, HOLD, STEP };

struct scene {
	struct lw w;
	struct lw_buf src, dst;
};

static void scene_open(struct scene *s)
{
	lw_open(&s->w);
	s->src = lw_buf(&s->w, 4 * MIB, PATTERN);
	s->dst = lw_buf(&s->w, 4 * MIB, 0);
}

static void scene_close(struct scene *s)
{
	lw_close(&s->w);
}

static uint32_t new_syncobj(struct lw *w)
{
	uint32_t handle;
	int ret = ls_new(w->fd, &handle);

	if (ret)
		lab_fatal("the DRM device has no syncobjs: %s", strerror(-ret));
	return handle;
}

/* Begins a block, and tells the grader its name and address. */
static void begin(struct lw *w, const char *name)
{
	lw_begin(w);
	lab_obs("block", "%s %llu", name, (unsigned long long)lw_block_va(w));
}

static void must(int ret, const char *what)
{
	if (ret)
		lab_fatal("%s failed: %s", what, strerror(-ret));
}

static void copy(struct scene *s, uint32_t chan, const char *name, uint64_t bytes, uint32_t in, uint32_t out)
{
	begin(&s->w, name);
	ld_copy_cmd(&s->w.b, s->src.va, s->dst.va, bytes);
	must(lw_submit(&s->w, chan, in, out, NULL), "SUBMIT of a copy");
}

/* A channel waits until the word has the value; then its fence signals. */
static void wait_for(struct scene *s, uint32_t chan, uint64_t va, uint64_t value, uint32_t out)
{
	lw_begin(&s->w);
	ld_acquire(&s->w.b, va, value, PPU_SEM_OP_EQ);
	must(lw_submit(&s->w, chan, 0, out, NULL), "SUBMIT of a wait");
}

/* Waits until the first MiB of a copy has arrived; the copy still goes on. */
static void wait_for_copy(struct scene *s, uint32_t chan, uint32_t out)
{
	wait_for(s, chan, s->dst.va, (uint64_t)PATTERN << 32 | PATTERN, out);
}


/* --- the worked example ------------------------------------------------------------------------ */

static void x1(void)
{
	uint32_t starter, meanwhile, low, high, started, arrived, last_low, last_high;
	struct scene s;

	lab_must_load("hang_ms=0");
	lab_step("queue the worked example");
	scene_open(&s);
	starter = lw_chan(&s.w, COMPUTE, 0, 0);
	meanwhile = lw_chan(&s.w, COMPUTE, 0, 0);
	/* A slice longer than Mlow1 and Mhigh2, and shorter than Mhigh1. */
	low = lw_chan(&s.w, COPY, 0, 200);
	high = lw_chan(&s.w, COPY, 2, 200);
	started = new_syncobj(&s.w);
	arrived = new_syncobj(&s.w);
	last_low = new_syncobj(&s.w);
	last_high = new_syncobj(&s.w);
	wait_for(&s, starter, lw_word(&s.w, START), 1, started);
	wait_for_copy(&s, meanwhile, arrived);
	copy(&s, low, "Mlow1", MIB + 256 * KIB, started, 0);
	copy(&s, low, "Mlow2", 256 * KIB, 0, 0);
	copy(&s, low, "Mlow3", 256 * KIB, 0, last_low);
	copy(&s, high, "Mhigh1", 4 * MIB, arrived, 0);
	copy(&s, high, "Mhigh2", 256 * KIB, 0, last_high);
	lab_step("let the device go through the worked example");
	lw_set(&s.w, START, 1);
	lab_obs("x1", "%d %d", ls_wait(s.w.fd, last_high, SOON), ls_wait(s.w.fd, last_low, SOON));
	scene_close(&s);
	lab_step("unload the module");
	lab_must_unload();
}

/* --- slices -------------------------------------------------------------------------------------- */

static void test_slices(void)
{
	uint32_t starter, a, b, d, started, last[2];
	struct scene s;

	lab_step("share an engine by time slices");
	scene_open(&s);
	starter = lw_chan(&s.w, COMPUTE, 0, 0);
	a = lw_chan(&s.w, COPY, 0, 60);
	b = lw_chan(&s.w, COPY, 0, 110);
	d = lw_chan(&s.w, COPY, 0, 0);
	started = new_syncobj(&s.w);
	last[0] = new_syncobj(&s.w);
	last[1] = new_syncobj(&s.w);
	wait_for(&s, starter, lw_word(&s.w, START), 1, started);
	/* Each of these takes about 23 us. */
	for (int i = 0; i < 6; i++)
		copy(&s, a, "slice-a", 256 * KIB, i ? 0 : started, last[0]);
	for (int i = 0; i < 6; i++)
		copy(&s, b, "slice-b", 256 * KIB, i ? 0 : started, last[1]);
	lw_set(&s.w, START, 1);
	lab_obs("slices", "%d %d", ls_wait(s.w.fd, last[0], SOON), ls_wait(s.w.fd, last[1], SOON));
	copy(&s, d, "slice-default", 256 * KIB, 0, last[0]);
	lab_obs("slice_default", "%d %u", ls_wait(s.w.fd, last[0], SOON), lab_reg(PPU_REG_CAP_TIMESLICE_NS));
	scene_close(&s);
}

/* --- three priorities ------------------------------------------------------------------------------ */

/* One copy of each priority, one after the other, to see which commands the driver puts around each. */
static void test_commands(void)
{
	static const char * const names[] = { "alone-0", "alone-1", "alone-2" };
	uint32_t starter, chan, started, out;
	struct scene s;
	int ret = 0;

	lab_step("copy with each priority");
	scene_open(&s);
	starter = lw_chan(&s.w, COMPUTE, 0, 0);
	out = new_syncobj(&s.w);
	for (uint32_t p = 0; p < 3 && !ret; p++) {
		started = new_syncobj(&s.w);
		chan = lw_chan(&s.w, COPY, p, 0);
		wait_for(&s, starter, lw_word(&s.w, START), p + 1, started);
		copy(&s, chan, names[p], 4 * KIB, started, out);
		lw_set(&s.w, START, p + 1);
		ret = ls_wait(s.w.fd, out, SOON);
	}
	lab_obs("alone", "%d", ret);
	begin(&s.w, "alone-compute");
	ld_word(&s.w.b, PPU_CMD_HDR(PPU_CMD_NOP, 1, 0));
	must(lw_submit(&s.w, starter, 0, out, NULL), "SUBMIT to a compute channel");
	lab_obs("alone_compute", "%d", ls_wait(s.w.fd, out, SOON));
	scene_close(&s);
}

/* While L0 (low) is on its way a1 (low) comes, then b (middle), then c (high). They must run in the order c, b, a1. */
static void test_three(void)
{
	uint32_t starter, meanwhile, chan[3], started, arrived, later, out[3];
	struct scene s;

	lab_step("copy with three priorities at once");
	scene_open(&s);
	starter = lw_chan(&s.w, COMPUTE, 0, 0);
	meanwhile = lw_chan(&s.w, COMPUTE, 0, 0);
	for (uint32_t p = 0; p < 3; p++) {
		chan[p] = lw_chan(&s.w, COPY, p, 10000);
		out[p] = new_syncobj(&s.w);
	}
	started = new_syncobj(&s.w);
	arrived = new_syncobj(&s.w);
	later = new_syncobj(&s.w);
	wait_for(&s, starter, lw_word(&s.w, START), 1, started);
	wait_for_copy(&s, meanwhile, arrived);
	lw_begin(&s.w);
	for (int i = 0; i < 200; i++)	/* so that b comes to the engine before c does */
		ld_word(&s.w.b, PPU_CMD_HDR(PPU_CMD_NOP, 1, 0));
	must(lw_submit(&s.w, meanwhile, 0, later, NULL), "SUBMIT of NOPs");
	copy(&s, chan[0], "L0", 3 * MIB, started, 0);
	copy(&s, chan[0], "a1", 256 * KIB, 0, out[0]);
	copy(&s, chan[1], "b", 256 * KIB, arrived, out[1]);
	copy(&s, chan[2], "c", 256 * KIB, later, out[2]);
	lw_set(&s.w, START, 1);
	lab_obs("three", "%d %d %d", ls_wait(s.w.fd, out[2], SOON), ls_wait(s.w.fd, out[1], SOON),
		ls_wait(s.w.fd, out[0], SOON));
	scene_close(&s);
}

/* --- counted copies that come to nothing ------------------------------------------------------------ */

/* A high copy that is counted, and then waits for a word that this program may never write; a low one waits for it. */
static void counted(struct scene *s, uint32_t priority, unsigned int word, uint32_t *high, uint32_t *low,
		    uint32_t *high_out, uint32_t *low_out, const char *name)
{
	*high = lw_chan(&s->w, COPY, priority, 0);
	*low = lw_chan(&s->w, COPY, 0, 0);
	*high_out = new_syncobj(&s->w);
	*low_out = new_syncobj(&s->w);
	begin(&s->w, name);
	ld_acquire(&s->w.b, lw_word(&s->w, word), 1, PPU_SEM_OP_EQ);
	ld_copy_cmd(&s->w.b, s->src.va, s->dst.va, 4 * KIB);
	must(lw_submit(&s->w, *high, 0, *high_out, NULL), "SUBMIT of a copy of high priority");
	lab_until(lw_blocked() == 1, 5);
	copy(s, *low, "low", 4 * KIB, 0, *low_out);
}

static void test_destroy(void)
{
	uint32_t high, low, high_out, low_out, other_chan, other_out;
	struct scene s, other;
	bool blocked;
	int ret, free, before, after;

	lab_step("destroy a channel in the middle of a counted copy");
	scene_open(&s);
	counted(&s, 2, NEVER, &high, &low, &high_out, &low_out, "destroyed");
	blocked = lab_until(lw_blocked() == 2, 3);
	lab_step("copy in another file meanwhile");
	scene_open(&other);
	other_chan = lw_chan(&other.w, COPY, 0, 0);
	other_out = new_syncobj(&other.w);
	copy(&other, other_chan, "other-file", 4 * KIB, 0, other_out);
	free = ls_wait(other.w.fd, other_out, SOON);
	scene_close(&other);
	before = ls_wait(s.w.fd, low_out, 0);
	ret = ld_chan_close(s.w.fd, high);
	after = ls_wait(s.w.fd, low_out, SOON);
	lab_obs("destroyed", "%d %d %d %d %d", blocked, free, before, ret, after);
	if (ret || after) {
		scene_close(&s);
		return;
	}

	/* No count may be left: another copy is counted, once. */
	lab_step("copy after a counted copy was destroyed");
	counted(&s, 2, HOLD, &high, &low, &high_out, &low_out, "after-destroyed");
	blocked = lab_until(lw_blocked() == 2, 3);
	lw_set(&s.w, HOLD, 1);
	lab_obs("again", "%d %d %d", blocked, ls_wait(s.w.fd, high_out, SOON), ls_wait(s.w.fd, low_out, SOON));
	/* This channel is destroyed when none of its copies is counted any more, so nothing may be given back. */
	lab_step("destroy a channel whose copies are all done");
	ld_chan_close(s.w.fd, high);
	counted(&s, 2, NEVER, &high, &low, &high_out, &low_out, "after-idle");
	blocked = lab_until(lw_blocked() == 2, 3);
	ld_chan_close(s.w.fd, high);
	lab_obs("idle", "%d %d", blocked, ls_wait(s.w.fd, low_out, SOON));
	scene_close(&s);
}

static void test_error(void)
{
	uint32_t high, low, high_out, low_out;
	struct scene s;
	bool blocked;

	lab_step("let a counted copy fail");
	scene_open(&s);
	high = lw_chan(&s.w, COPY, 1, 0);
	low = lw_chan(&s.w, COPY, 0, 0);
	high_out = new_syncobj(&s.w);
	low_out = new_syncobj(&s.w);
	begin(&s.w, "failing");
	ld_acquire(&s.w.b, lw_word(&s.w, HOLD), 1, PPU_SEM_OP_EQ);
	ld_copy_cmd(&s.w.b, 0x7000000000, s.dst.va, 4 * KIB);	/* nothing is mapped at the source */
	must(lw_submit(&s.w, high, 0, high_out, NULL), "SUBMIT of a copy that fails");
	lab_until(lw_blocked() == 1, 5);
	copy(&s, low, "low", 4 * KIB, 0, low_out);
	blocked = lab_until(lw_blocked() == 2, 3);
	lw_set(&s.w, HOLD, 1);
	lab_obs("failed", "%d %d", blocked, ls_wait(s.w.fd, low_out, SOON));
	scene_close(&s);
}

static void arg(int fd, const char *what, int want, uint32_t class, uint32_t priority, uint32_t slice_us)
{
	uint32_t id;
	int ret = ld_chan_with(fd, class, 16, priority, slice_us, &id);

	lab_obs("arg", "%s %d %d", what, want, ret);
	if (!ret)
		ld_chan_close(fd, id);
}

static void test_arguments(void)
{
	struct lw w;

	lab_step("create channels with all kinds of arguments");
	lw_open(&w);
	arg(w.fd, "the-highest-priority", 0, COPY, LAB_COPY_PRIORITIES - 1, 0);
	arg(w.fd, "a-priority-there-is-not", -EINVAL, COPY, LAB_COPY_PRIORITIES, 0);
	arg(w.fd, "priority-0xffffffff", -EINVAL, COPY, 0xffffffff, 0);
	arg(w.fd, "a-compute-channel-with-a-copy-priority", -EINVAL, COMPUTE, 1, 0);
	arg(w.fd, "the-longest-time-slice", 0, COPY, 0, 4294967);
	arg(w.fd, "a-time-slice-that-is-too-long", -EINVAL, COPY, 0, 4294968);
	lw_close(&w);
}

static void sched(void)
{
	lab_witness_reset();
	lab_must_load("hang_ms=0");
	test_arguments();
	test_slices();
	test_commands();
	test_three();
	test_destroy();
	test_error();
	lab_step("unload the module");
	lab_must_unload();
	lab_witness_obs("unloaded");
}

/* --- hangs ------------------------------------------------------------------------------------------- */

#define HANG_MS		400

static void test_hang(void)
{
	uint32_t high, low, waiter, busy, high_out, low_out, waiter_out, busy_out;
	int sync[3], busy_ret, ret;
	struct scene s, other;
	uint64_t seqno;

	lab_step("wait until a channel that hangs is recovered");
	scene_open(&s);
	scene_open(&other);
	waiter = lw_chan(&s.w, COMPUTE, 0, 0);
	waiter_out = new_syncobj(&s.w);
	busy = lw_chan(&other.w, COPY, 0, 0);
	busy_out = new_syncobj(&other.w);
	counted(&s, 2, NEVER, &high, &low, &high_out, &low_out, "hung");
	/* Another submission behind the hung one, and a channel that waits in the device for its fence. */
	begin(&s.w, "behind-hung");
	ld_copy_cmd(&s.w.b, s.src.va, s.dst.va, 4 * KIB);
	must(lw_submit(&s.w, high, 0, high_out, &seqno), "SUBMIT behind a copy that hangs");
	begin(&s.w, "waiter");
	ld_word(&s.w.b, PPU_CMD_HDR(PPU_CMD_NOP, 1, 0));
	must(lw_submit(&s.w, waiter, high_out, waiter_out, NULL), "SUBMIT of what waits for a hang");
	sync[0] = ls_export(s.w.fd, high_out);
	sync[1] = ls_export(s.w.fd, low_out);
	sync[2] = ls_export(s.w.fd, waiter_out);
	lab_obs("hang_blocked", "%u", lw_blocked());
	/* Meanwhile other channels work, and notice nothing. */
	begin(&other.w, "busy");
	ld_copy_cmd(&other.w.b, other.src.va, other.dst.va, 4 * KIB);
	busy_ret = 0;
	for (uint64_t end = lab_now_ms() + 12000; !busy_ret && lab_now_ms() < end && !ls_poll(sync[0], 10); ) {
		must(lw_submit(&other.w, busy, 0, busy_out, NULL), "SUBMIT in another file");
		busy_ret = ls_wait(other.w.fd, busy_out, SOON);
	}
	for (int i = 0; i < 3; i++)
		ls_poll(sync[i], 2000);
	lab_obs("hang", "%d %d %d %d", ls_status(sync[0]), ls_status(sync[1]), ls_status(sync[2]), busy_ret);
	ret = ls_status(sync[0]) ? ld_wait(s.w.fd, high, seqno, SOON) : -ETIME;
	begin(&s.w, "after-hang");
	ld_word(&s.w.b, PPU_CMD_HDR(PPU_CMD_NOP, 1, 0));
	lab_obs("hang_wait", "%d %d", ret, lw_submit(&s.w, high, 0, 0, NULL));

	lab_step("copy after a hang");
	ld_chan_close(s.w.fd, high);
	ld_chan_close(s.w.fd, low);
	high = lw_chan(&s.w, COPY, 2, 0);
	low = lw_chan(&s.w, COPY, 0, 0);
	copy(&s, high, "high-after", 4 * KIB, 0, high_out);
	ret = ls_wait(s.w.fd, high_out, SOON);
	copy(&s, low, "low-after", 4 * KIB, 0, low_out);
	lab_obs("after_hang", "%d %d", ret, ls_wait(s.w.fd, low_out, SOON));
	for (int i = 0; i < 3; i++)
		close(sync[i]);
	scene_close(&other);
	scene_close(&s);
}

/* Slow, but every step is progress. If the machine was too slow for the test, the test is repeated. */
static void test_progress(void)
{
	uint64_t longest = 0;
	uint32_t chan, out, waiter, waiter_out;
	struct scene s;
	int sync, waits, status = 0, patient = 0;

	for (int attempt = 0; attempt < 5; attempt++) {
		uint64_t last, now;

		lab_step("a channel that is slow, but goes on");
		scene_open(&s);
		chan = lw_chan(&s.w, COMPUTE, 0, 0);
		out = new_syncobj(&s.w);
		begin(&s.w, "slow");
		for (unsigned int i = 1; i <= 16; i++)
			ld_acquire(&s.w.b, lw_word(&s.w, STEP), i, PPU_SEM_OP_GE);
		longest = 0;
		last = lab_now_ms();
		must(lw_submit(&s.w, chan, 0, out, NULL), "SUBMIT of many waits");
		sync = ls_export(s.w.fd, out);
		/* A channel that waits for the slow one makes no progress at all, and is innocent. */
		waiter = lw_chan(&s.w, COMPUTE, 0, 0);
		waiter_out = new_syncobj(&s.w);
		begin(&s.w, "patient");
		ld_word(&s.w.b, PPU_CMD_HDR(PPU_CMD_NOP, 1, 0));
		must(lw_submit(&s.w, waiter, out, waiter_out, NULL), "SUBMIT of what waits for a slow channel");
		waits = ls_export(s.w.fd, waiter_out);
		for (unsigned int i = 1; i <= 16; i++) {
			lab_sleep_ms(HANG_MS / 6);
			lw_set(&s.w, STEP, i);
			now = lab_now_ms();
			longest = now - last > longest ? now - last : longest;
			last = now;
		}
		ls_poll(sync, 2000);
		status = ls_status(sync);
		ls_poll(waits, 2000);
		patient = ls_status(waits);
		close(waits);
		close(sync);
		scene_close(&s);
		if (longest < HANG_MS * 3 / 4)
			break;
	}
	lab_obs("progress", "%d %llu %d", status, (unsigned long long)longest, patient);
}

static void hang(void)
{
	char params[32] = "hang_ms=400";

	_Static_assert(HANG_MS == 400, "the module's parameter");
	lab_must_load(params);
	lab_obs("parameter", "%s", lab_read_file("/sys/module/lab/parameters/hang_ms"));
	test_hang();
	test_progress();
	lab_step("unload the module");
	lab_must_unload();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	lab_step("starting");
	if (!strcmp(what, "x1"))
		x1();
	else if (!strcmp(what, "sched"))
		sched();
	else
		hang();
	return 0;
}
