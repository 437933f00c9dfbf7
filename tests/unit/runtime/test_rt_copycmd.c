/* SPDX-License-Identifier: MIT */
/*
 * Copy priorities of the runtime, in the command buffers: which channel a stream gets and what is written
 * around a copy.  CP-7, CP-8, CP-9, CP-10, CP-11, CP-12, CP-20, CP-21, CP-22, CP-23, CP-24; WQ-1, WQ-6, WQ-7,
 * WQ-9, WQ-21.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench_main.h"
#include "rt_spy.h"
#include "run_suite.h"

#define BYTES 4096u

static struct rt_spy spy;
static void *dev, *pinned;

static void start(const char *streams, const char *copies)
{
	ppuInitOptions o = {
		.backend = "core", .props = "gpcs=1 sms-per-gpc=1", .ring_entries = 64,
		.stream_priorities = streams, .copy_priorities = copies,
	};

	OK(ppuInit(&o));
	rt_spy_start(&spy);
	OK(ppuMalloc(&dev, 2 * BYTES));
	OK(ppuMallocHost(&pinned, 2 * BYTES));
}

static void stop(void)
{
	OK(ppuCtxSynchronize());
	OK(ppuShutdown());
	rt_spy_stop(&spy);
}

static ppuStream stream_at(int priority)
{
	ppuStream s;

	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, priority));
	return s;
}

static const char *copy_block(int priority)
{
	ppuStream s = stream_at(priority);

	OK(ppuMemcpyAsync(dev, pinned, BYTES, s));
	return rt_spy_last_copy(&spy, s);
}

static int internal_of(int priority)
{
	ppuStreamCopyInfo info;

	OK(ppuStreamGetCopyInfo(stream_at(priority), &info));
	return info.priority;
}

/* ---- the commands --------------------------------------------------------------------------- */

/* CP-20, CP-21, CP-22: the lists for P = 1, 2, 4, rising and falling numbers (CP-10). */
static const struct {
	const char *streams, *copies;
	int priority;
	const char *block;
} lists[] = {
	{ "0:0", "internal=1", 0, "copy done" },
	{ "0:-1", "internal=2", 0, "gate(S2) copy done" },
	{ "0:-1", "internal=2", -1, "inc(S2) copy dec(S2) done" },
	{ "0:-3", "internal=4", 0, "gate(S2) gate(S3) gate(S4) copy done" },
	{ "0:-3", "internal=4", -1, "gate(S3) gate(S4) inc(S2) copy dec(S2) done" },
	{ "0:-3", "internal=4", -2, "gate(S4) inc(S3) copy dec(S3) done" },
	{ "0:-3", "internal=4", -3, "inc(S4) copy dec(S4) done" },
	/* lower number = higher internal priority: the loop turns round */
	{ "0:-1", "internal=2,order=down", 0, "gate(S1) copy done" },
	{ "0:-1", "internal=2,order=down", -1, "inc(S1) copy dec(S1) done" },
	{ "0:-3", "internal=4 order=down", 0, "gate(S3) gate(S2) gate(S1) copy done" },
	{ "0:-3", "internal=4 order=down", -1, "gate(S2) gate(S1) inc(S3) copy dec(S3) done" },
	{ "0:-3", "internal=4 order=down", -2, "gate(S1) inc(S2) copy dec(S2) done" },
	{ "0:-3", "internal=4 order=down", -3, "inc(S1) copy dec(S1) done" },
	/* higher stream number = more urgent */
	{ "0:3", "internal=4", 1, "gate(S3) gate(S4) inc(S2) copy dec(S2) done" },
	{ "0:3", "internal=4 order=down", 2, "gate(S1) inc(S2) copy dec(S2) done" },
	{ "100:103", "internal=4", 103, "inc(S4) copy dec(S4) done" },
	/* the control run */
	{ "0:-3", "internal=4 mode=off", 0, "copy done" },
	{ "0:-3", "internal=4 mode=off", -3, "copy done" },
	/* A-CP-12: priorities without a channel take no part */
	{ "0:-9", "internal=3 channels=2", 0, "gate(S3) copy done" },
	{ "0:-9", "internal=3 channels=2", -6, "gate(S3) copy done" },
	{ "0:-9", "internal=3 channels=2", -7, "inc(S3) copy dec(S3) done" },
	{ "0:-3", "internal=6 map=2:5:5", 0, "gate(S5) copy done" },
	{ "0:-3", "internal=6 map=2:5:5", -3, "inc(S5) copy dec(S5) done" },
	{ "0:-3", "internal=6 map=5", -3, "copy done" },
};

START_TEST(command_lists)
{
	start(lists[_i].streams, lists[_i].copies);
	ck_assert_str_eq(copy_block(lists[_i].priority), lists[_i].block);
	stop();
}
END_TEST

/* CP-22's formula, for every n of every P: (P - n) + 1 + (2 if n > 1) commands. */
START_TEST(command_count)
{
	for (unsigned p = 1; p <= 64; p += p < 8 ? 1 : 14) {
		char streams[32], copies[64];

		snprintf(streams, sizeof(streams), "0:%d", _i ? (int)p - 1 : 1 - (int)p);
		snprintf(copies, sizeof(copies), "internal=%u channels=%u", p, p);
		start(streams, copies);
		for (unsigned n = 1; n <= p; n++) {
			const char *text = copy_block(_i ? (int)n - 1 : 1 - (int)n);
			unsigned words = 1, want = p - n + 1 + (n > 1 ? 2 : 0);

			for (const char *c = text; *c; c++)
				words += *c == ' ';
			ck_assert_msg(words == want + 1, "P %u n %u: %s", p, n, text);
		}
		stop();
	}
}
END_TEST

/* Every call that copies uses the same insertion of semaphore commands. */
START_TEST(every_copy)
{
	static char ordinary[BYTES];
	ppuStream s;
	ppuModule mod;

	start("0:-2", "internal=3 channels=3");
	s = stream_at(-1);
#define LAST(want) ck_assert_str_eq(rt_spy_last_copy(&spy, s), want)
	OK(ppuMemcpyAsync(dev, pinned, BYTES, s));
	LAST("gate(S3) inc(S2) copy dec(S2) done");
	OK(ppuMemcpy2DAsync(dev, 64, pinned, 32, 16, 8, s));
	LAST("gate(S3) inc(S2) copy2d dec(S2) done");
	OK(ppuMemsetAsync(dev, 1, 4, 100, s));
	LAST("gate(S3) inc(S2) fill dec(S2) done");
	OK(ppuMemset2DAsync(dev, 64, 1, 4, 8, 8, s));
	LAST("gate(S3) inc(S2) fill2d dec(S2) done");
	OK(ppuMemcpyAsync(dev, ordinary, BYTES, s));
	LAST("gate(S3) inc(S2) copy dec(S2) done");
	OK(ppuMemcpyAsync(ordinary, dev, BYTES, s));
	LAST("gate(S3) inc(S2) copy dec(S2) done");
	s = NULL;		/* the default stream has the least priority */
	OK(ppuMemcpy(dev, ordinary, BYTES));
	LAST("gate(S2) gate(S3) copy done");
	OK(ppuMemset(dev, 1, 4, 100));
	LAST("gate(S2) gate(S3) fill done");
	OK(ppuModuleLoadData(&mod, ".global v 4 4 = .word 7\n.kernel k\nexit\n", 0, NULL));
	ck_assert_str_eq(spy.block[spy.num - 1].text, "gate(S2) gate(S3) copy done");
#undef LAST
	stop();
}
END_TEST

/* CP-23: what a copy depends on comes before the first set and before inc; the wrong order on request. */
START_TEST(waits_first)
{
	ppuStream low, high;
	ppuEvent e;

	start("0:-2", _i ? "internal=3 channels=3 mode=inc-first" : "internal=3 channels=3");
	low = stream_at(0);
	high = stream_at(-1);
	OK(ppuEventCreate(&e, PPU_EVENT_DISABLE_TIMING));
	OK(ppuMemcpyAsync(dev, pinned, BYTES, low));
	OK(ppuEventRecord(e, low));
	OK(ppuStreamWaitEvent(high, e));
	OK(ppuMemcpyAsync(pinned, dev, BYTES, high));
	ck_assert_str_eq(rt_spy_last_copy(&spy, high),
			 _i ? "inc(S2) wait(C0) gate(S3) copy dec(S2) done" :
			      "wait(C0) gate(S3) inc(S2) copy dec(S2) done");
	/* In the wrong order, a copy waits for a copy that waits for the first one. */
	if (_i)
		FAILS(PPU_ERROR_DEADLOCK, ppuCtxSynchronize());
	else
		OK(ppuCtxSynchronize());
	OK(ppuShutdown());
	rt_spy_stop(&spy);
}
END_TEST

/* A change of a stream's priority: the next copy goes to the other channel and waits for the former. */
START_TEST(set_priority)
{
	ppuStreamCopyInfo before, after;
	ppuStream s;
	int priority;

	start("0:-1", "internal=2 channels=2");
	s = stream_at(0);
	OK(ppuMemcpyAsync(dev, pinned, BYTES, s));
	OK(ppuStreamGetCopyInfo(s, &before));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetPriority(s, -2));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetPriority(s, 1));
	OK(ppuStreamSetPriority(s, -1));
	OK(ppuStreamGetPriority(s, &priority));
	ck_assert_int_eq(priority, -1);
	OK(ppuStreamGetCopyInfo(s, &after));
	ck_assert_int_eq(before.priority, 1);
	ck_assert_int_eq(after.priority, 2);
	ck_assert_uint_ne(before.hw_channel, after.hw_channel);
	OK(ppuMemcpyAsync(pinned, dev, BYTES, s));
	ck_assert_str_eq(rt_spy_last_copy(&spy, s), "wait(C0) inc(S2) copy dec(S2) done");
	OK(ppuStreamSetPriority(s, 0));
	OK(ppuMemcpyAsync(dev, pinned, BYTES, s));
	ck_assert_str_eq(rt_spy_last_copy(&spy, s), "wait(C1) gate(S2) copy done");
	stop();
}
END_TEST

/* ---- streams, priorities, channels ---------------------------------------------------------- */

/* CP-9: more, fewer, equal: the internal priority of each stream priority, least first. */
static const struct {
	const char *streams, *copies;
	int count, step;	/* of stream priorities */
	unsigned used, channels;
	const char *internal, *of_channel;
} maps[] = {
	{ "0:-9", "internal=3 channels=2", 10, -1, 2, 2, "1 1 1 1 1 1 1 3 3 3", "1 3" },
	{ "0:-1", "internal=3 channels=8", 2, -1, 3, 8, "1 3", "1 1 1 2 2 2 3 3" },
	{ "0:-2", "internal=3 channels=3", 3, -1, 3, 3, "1 2 3", "1 2 3" },
	{ "0:9", "internal=3 channels=2", 10, 1, 2, 2, "1 1 1 1 1 1 1 3 3 3", "1 3" },
	{ "0:1", "internal=3 channels=8", 2, 1, 3, 8, "1 3", "1 1 1 2 2 2 3 3" },
	{ "0:-9", "internal=3 channels=2 order=down", 10, -1, 2, 2, "3 3 3 3 3 3 3 1 1 1", "3 1" },
	{ "0:-1", "internal=3 channels=8 order=down", 2, -1, 3, 8, "3 1", "3 3 3 2 2 2 1 1" },
	{ "0:-2", "internal=3 channels=3 order=down", 3, -1, 3, 3, "3 2 1", "3 2 1" },
	{ "5:7", "internal=5 channels=5", 3, 1, 5, 5, "1 3 5", "1 2 3 4 5" },
	{ "0:0", "internal=5 channels=3", 1, 1, 3, 3, "1", "1 3 5" },
	{ "0:-5", NULL, 6, -1, 6, 24, "1 2 3 4 5 6", "1 1 1 1 2 2 2 2 3 3 3 3 4 4 4 4 5 5 5 5 6 6 6 6" },
	{ "0:-3", "map=3:1:3:3", 4, -1, 2, 4, "1 1 1 3", "3 1 3 3" },
	{ "0:-1", "internal=64 channels=64", 2, -1, 64, 64, "1 64", NULL },
};

START_TEST(mapping)
{
	char text[512] = "";
	ppuCopyConfig cfg;
	int least, greatest;
	size_t at = 0;

	start(maps[_i].streams, maps[_i].copies);
	OK(ppuStreamGetPriorityRange(&least, &greatest));
	ck_assert_int_eq(greatest, least + (maps[_i].count - 1) * maps[_i].step);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamCreate(&(ppuStream){ NULL }, 0, least - maps[_i].step));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamCreate(&(ppuStream){ NULL }, 0, greatest + maps[_i].step));
	for (int i = 0; i < maps[_i].count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d", i ? " " : "",
				       internal_of(least + i * maps[_i].step));
	ck_assert_str_eq(text, maps[_i].internal);
	OK(ppuCtxGetCopyConfig(&cfg));
	ck_assert_uint_eq(cfg.channels, maps[_i].channels);
	ck_assert_uint_eq(cfg.priorities_used, maps[_i].used);
	at = 0;
	for (unsigned i = 0; maps[_i].of_channel && i < cfg.channels; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u", i ? " " : "",
				       spy.ctx->copy.conf.of_channel[i]);
	if (maps[_i].of_channel)
		ck_assert_str_eq(text, maps[_i].of_channel);
	stop();
}
END_TEST

/* CP-12: P used priorities, P - 1 semaphores, none for the lowest, all 0, all apart. */
START_TEST(semaphores)
{
	static const unsigned counts[] = { 1, 2, 4, 64 };
	unsigned p = counts[_i / 4];
	bool down = _i & 1, system = _i & 2;
	void *at[65] = { NULL };
	ppuCopyConfig cfg;
	char copies[96];

	snprintf(copies, sizeof(copies), "internal=%u channels=%u order=%s memory=%s", p, p, down ? "down" : "up",
		 system ? "system" : "vram");
	start("0:-5", copies);
	OK(ppuCtxGetCopyConfig(&cfg));
	ck_assert_uint_eq(cfg.enabled, 1);
	ck_assert_uint_eq(cfg.priorities, p);
	ck_assert_uint_eq(cfg.semaphores, p - 1);
	ck_assert_uint_eq(cfg.in_vram, !system);
	ck_assert_int_eq(cfg.lowest, down ? (int)p : 1);
	ck_assert_int_eq(cfg.highest, down ? 1 : (int)p);
	for (int n = 1; n <= (int)p; n++) {
		uint64_t value = 99;

		if (n == cfg.lowest) {
			at[n] = &at;	/* what is refused writes nothing */
			FAILS(PPU_ERROR_NOT_FOUND, ppuCtxGetCopySemaphore(n, &at[n], &value));
			ck_assert_ptr_eq(at[n], &at);
			ck_assert_uint_eq(value, 99);
			continue;
		}
		OK(ppuCtxGetCopySemaphore(n, NULL, &value));
		ck_assert_uint_eq(value, 0);
		OK(ppuCtxGetCopySemaphore(n, &at[n], NULL));
		ck_assert_uint_eq((uintptr_t)at[n] % 8, 0);
		for (int k = 1; k < n; k++)
			ck_assert_ptr_ne(at[n], at[k]);
	}
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxGetCopySemaphore(0, NULL, NULL));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxGetCopySemaphore((int)p + 1, NULL, NULL));
	stop();
}
END_TEST

START_TEST(no_semaphores_when_off)
{
	ppuCopyConfig cfg;
	ppuStream s;
	ppuCtx ctx;

	start("0:-5", "mode=off");
	OK(ppuCtxGetCopyConfig(&cfg));
	ck_assert_uint_eq(cfg.enabled | cfg.semaphores, 0);
	FAILS(PPU_ERROR_NOT_FOUND, ppuCtxGetCopySemaphore(2, NULL, NULL));
	stop();
	/* by a flag of the context; other contexts keep theirs */
	start("0:-1", "internal=2");
	OK(ppuCtxCreate(&ctx, PPU_CTX_NO_COPY_PRIORITIES, 0));
	OK(ppuCtxGetCopyConfig(&cfg));
	ck_assert_uint_eq(cfg.enabled | cfg.semaphores, 0);
	OK(ppuCtxDestroy(ctx));
	OK(ppuCtxSetCurrent(NULL));
	s = stream_at(-1);
	OK(ppuMemcpyAsync(dev, pinned, BYTES, s));
	ck_assert_str_eq(rt_spy_last_copy(&spy, s), "inc(S2) copy dec(S2) done");
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxCreate(&ctx, 2, 0));
	stop();
}
END_TEST

/* CP-7, CP-11: a stream's copies appear in its channel only; streams of one priority share its channels. */
START_TEST(alias)
{
	enum { STREAMS = 7 };
	ppuStreamCopyInfo info[STREAMS];
	ppuStream s[STREAMS];
	unsigned used = 0;

	start("0:-1", "map=1:2:2:2");
	for (int i = 0; i < STREAMS; i++) {
		s[i] = stream_at(i ? -1 : 0);
		OK(ppuStreamGetCopyInfo(s[i], &info[i]));
		ck_assert_int_eq(info[i].priority, i ? 2 : 1);
		used |= 1u << info[i].channel;
	}
	ck_assert_uint_eq(used, 0xf);
	for (int i = 0; i < STREAMS; i++) {
		unsigned before = spy.num;

		OK(ppuMemcpyAsync(dev, pinned, BYTES, s[i]));
		OK(ppuMemsetAsync(dev, 0, 1, BYTES, s[i]));
		ck_assert_uint_eq(spy.num, before + 2);
		for (unsigned b = before; b < spy.num; b++)
			ck_assert_uint_eq(spy.ctx->chan[spy.block[b].chan]->be->hw_channel, info[i].hw_channel);
	}
	/* CP-8: all channels are configured in the same way. */
	ck_assert_uint_eq(spy.queue_prios, 1);
	stop();
}
END_TEST

START_TEST(configuration_errors)
{
	static const char *const bad_copies[] = {
		"mode=maybe", "internal=0", "internal=65", "internal=two", "channels=0", "channels=65", "order=left",
		"map=", "map=1:x", "map=1:0", "map=1:65", "memory=disk", "speed=9", "internal", "internal=2 map=1:3",
		"internal=-1", "internal=2x",
	};
	static const char *const bad_streams[] = { "0", "a:b", "0:1:2", "0:-2000000", "0-5", ":" };
	ppuInitOptions o = { .backend = "core" };

	for (size_t i = 0; i < sizeof(bad_copies) / sizeof(bad_copies[0]); i++) {
		o.copy_priorities = bad_copies[i];
		FAILS(PPU_ERROR_CONFIGURATION, ppuInit(&o));
		ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "copy priorities"));
	}
	o.copy_priorities = NULL;
	for (size_t i = 0; i < sizeof(bad_streams) / sizeof(bad_streams[0]); i++) {
		o.stream_priorities = bad_streams[i];
		FAILS(PPU_ERROR_CONFIGURATION, ppuInit(&o));
		ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "stream priorities"));
	}
	/* The environment counts where no option is given. */
	setenv("PPU_STREAM_PRIORITIES", "3:5", 1);
	setenv("PPU_COPY_PRIORITIES", "internal=3,order=down,memory=system", 1);
	start(NULL, NULL);
	ck_assert_int_eq(internal_of(3), 3);
	ck_assert_int_eq(internal_of(5), 1);
	stop();
	unsetenv("PPU_STREAM_PRIORITIES");
	unsetenv("PPU_COPY_PRIORITIES");
}
END_TEST

/* A device with too few channels: streams share a channel of the nearest priority, and a query says so. */
START_TEST(few_channels)
{
	ppuInitOptions o = {
		.backend = "core", .props = "gpcs=1 sms-per-gpc=1 channels=2",
		.stream_priorities = "0:-3", .copy_priorities = "internal=4 channels=4",
	};
	ppuStreamCopyInfo info;

	OK(ppuInit(&o));
	rt_spy_start(&spy);
	OK(ppuMalloc(&dev, 2 * BYTES));
	OK(ppuMallocHost(&pinned, 2 * BYTES));
	ck_assert_str_eq(copy_block(0), "gate(S2) gate(S3) gate(S4) copy done");
	ck_assert_str_eq(copy_block(-3), "inc(S4) copy dec(S4) done");
	OK(ppuStreamGetCopyInfo(stream_at(-2), &info));
	ck_assert_int_eq(info.priority, 4);
	OK(ppuStreamGetCopyInfo(stream_at(-1), &info));
	ck_assert_int_eq(info.priority, 1);
	stop();
}
END_TEST

/* ---- several threads, several streams in one channel ---------------------------------------- */

#define THREADS	4
#define ROUNDS	60

struct issuer {
	pthread_t thread;
	ppuStream s;
	ppuEvent e, other;
	char *dev, *pinned;
};

static void *issue(void *arg)
{
	struct issuer *t = arg;

	for (int i = 0; i < ROUNDS; i++) {
		OK(ppuStreamWaitEvent(t->s, t->other));
		OK(ppuMemcpyAsync(t->dev, t->pinned, 64, t->s));
		OK(ppuEventRecord(t->e, t->s));
		if (i % 3 == 0)
			OK(ppuMemsetAsync(t->dev, (uint64_t)i, 1, 64, t->s));
	}
	OK(ppuStreamSynchronize(t->s));
	return NULL;
}

/*
 * CP-24: the commands of a copy are complete and alone in their block, whatever other threads submit at the same time.
 */
START_TEST(contiguous)
{
	struct issuer t[THREADS];
	unsigned groups = 0, stamps = 0;

	start("0:-2", "internal=3 channels=3");
	for (int i = 0; i < THREADS; i++) {
		t[i].s = stream_at(-1);		/* all in the one channel of priority 2 */
		OK(ppuEventCreate(&t[i].e, i & 1 ? PPU_EVENT_DISABLE_TIMING : 0));
		t[i].dev = (char *)dev + 64 * i;
		t[i].pinned = (char *)pinned + 64 * i;
	}
	for (int i = 0; i < THREADS; i++)
		t[i].other = t[(i + 1) % THREADS].e;
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&t[i].thread, NULL, issue, &t[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i].thread, NULL);
	for (unsigned i = 0; i < spy.num; i++) {
		const char *text = spy.block[i].text;

		while (!strncmp(text, "wait(", 5))
			text = strchr(text, ' ') + 1;
		if (!strcmp(text, "stamp done")) {
			stamps++;
			continue;
		}
		ck_assert_msg(!strcmp(text, "gate(S3) inc(S2) copy dec(S2) done") ||
			      !strcmp(text, "gate(S3) inc(S2) fill dec(S2) done"), "block %u: %s", i, text);
		groups++;
	}
	ck_assert_uint_eq(groups, THREADS * (ROUNDS + ROUNDS / 3));
	ck_assert_uint_eq(stamps, THREADS / 2 * ROUNDS);
	stop();
}
END_TEST

/* WQ-1: 20 submissions in a ring of 8: entries 0..7, 0..7, 0..3, and each does its work. */
START_TEST(ring_order)
{
	ppuInitOptions o = { .backend = "core", .props = "gpcs=1 sms-per-gpc=1", .ring_entries = 8 };
	ppuStream s;
	uint32_t *h;

	OK(ppuInit(&o));
	rt_spy_start(&spy);
	OK(ppuMallocHost((void **)&h, 4096));
	s = stream_at(0);
	for (uint32_t i = 0; i < 20; i++)
		OK(ppuMemsetAsync(h + i, i + 1, 4, 1, s));
	OK(ppuStreamSynchronize(s));
	ck_assert_uint_eq(spy.num, 20);
	for (uint32_t i = 0; i < 20; i++) {
		ck_assert_uint_eq(spy.block[i].entry, i % 8);
		ck_assert_uint_eq(h[i], i + 1);
	}
	stop();
}
END_TEST

struct eighth {
	ppuStream s;
	uint32_t *h;
	sem_t go;
};

static void hold(void *arg)
{
	sem_wait(arg);
}

static void *submit_eighth(void *arg)
{
	struct eighth *e = arg;

	OK(ppuMemsetAsync(e->h + 7, 8, 4, 1, e->s));
	return NULL;
}

/*
 * WQ-6, WQ-9: a ring of 8 whose first entry is blocked takes seven submissions, and each call returns; the
 * eighth waits for room, PUT stays 7 meanwhile.
 */
START_TEST(full_ring)
{
	ppuInitOptions o = { .backend = "core", .props = "gpcs=1 sms-per-gpc=1", .ring_entries = 8 };
	struct rt_chan *c;
	struct eighth e;
	pthread_t t;

	OK(ppuInit(&o));
	rt_spy_start(&spy);
	ck_assert_int_eq(sem_init(&e.go, 0, 0), 0);
	OK(ppuMallocHost((void **)&e.h, 4096));
	e.s = stream_at(0);
	OK(ppuLaunchHostFunc(e.s, hold, &e.go));
	for (uint32_t i = 0; i < 7; i++)
		OK(ppuMemsetAsync(e.h + i, i + 1, 4, 1, e.s));
	ck_assert_uint_eq(spy.num, 7);
	FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(e.s));
	c = spy.ctx->chan[spy.block[0].chan];
	ck_assert_uint_eq(c->put, 7);
	ck_assert_int_eq(pthread_create(&t, NULL, submit_eighth, &e), 0);
	usleep(50000);
	pthread_mutex_lock(&spy.ctx->lock);
	ck_assert_uint_eq(c->put, 7);
	ck_assert_uint_eq(spy.num, 7);
	pthread_mutex_unlock(&spy.ctx->lock);
	ck_assert_uint_eq(e.h[0], 0);
	sem_post(&e.go);
	pthread_join(t, NULL);
	OK(ppuStreamSynchronize(e.s));
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(e.h[i], i + 1);
	ck_assert_uint_eq(spy.block[7].entry, 7);
	ck_assert_uint_eq(c->put, 0);
	stop();
	sem_destroy(&e.go);
}
END_TEST

/* WQ-7: GP_GET moves a moment after the entry's release is seen: PUT does not reach the GET that the device still has. */
START_TEST(get_is_late)
{
	ppuInitOptions o = { .backend = "core", .props = "gpcs=1 sms-per-gpc=1", .ring_entries = 3 + (uint32_t)_i };
	ppuStream s;
	uint32_t *h;

	OK(ppuInit(&o));
	rt_spy_start(&spy);
	spy.late = true;
	OK(ppuMallocHost((void **)&h, 4096));
	s = stream_at(0);
	for (uint32_t i = 0; i < 100; i++)
		OK(ppuMemsetAsync(h + i, i + 1, 4, 1, s));
	OK(ppuStreamSynchronize(s));
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_uint_eq(h[i], i + 1);
	stop();
}
END_TEST

/* Between the runtime and the device: is each value of GP_PUT legal by WQ-7's definition? */
static struct {
	const struct be_ops *below;
	struct be_ops ops;
	struct ppuCtx_st *ctx;
	uint32_t put[64];
	uint64_t entries;
} guard;

static void guarded_put(struct be_chan *be, uint32_t put)
{
	uint32_t n = be->entries, get = guard.below->chan_get(be), *last, added, i = 0;

	while (i < guard.ctx->num_chan && guard.ctx->chan[i]->be != be)
		i++;
	ck_assert_uint_lt(i, guard.ctx->num_chan);
	last = &guard.put[i];
	added = (put + n - *last) % n;
	ck_assert_uint_lt(put, n);
	ck_assert_uint_ge(added, 1);
	if (added > (get + 2 * n - *last - 1) % n)
		ck_abort_msg("a ring of %u: PUT %u -> %u, GET is %u", n, *last, put, get);
	*last = put;
	guard.entries += added;
	guard.below->chan_put(be, put);
}

/*
 * WQ-7: random submissions in three streams to rings from the smallest on, hurried and slow, never overrun one.
 * PPU_SUBMISSIONS=1000000 makes as many as the row wants, in half a minute; a share of that is made otherwise.
 */
START_TEST(never_an_overrun)
{
	static const uint32_t rings[] = { 3, 4, 8, 61 };
	const char *text = getenv("PPU_SUBMISSIONS");
	uint32_t jobs = (text ? (uint32_t)atoi(text) : 12000) / 4, seed = 7 + (uint32_t)_i, *h;
	ppuInitOptions o = { .backend = "core", .props = "gpcs=1 sms-per-gpc=1", .ring_entries = rings[_i] };
	ppuStream s[3];

	OK(ppuInit(&o));
	OK(ppuCtxGetCurrent(&guard.ctx));
	guard.below = guard.ctx->be;
	guard.ops = *guard.below;
	guard.ops.chan_put = guarded_put;
	guard.ctx->be = &guard.ops;
	OK(ppuMallocHost((void **)&h, 4096));
	for (unsigned k = 0; k < 3; k++)
		s[k] = stream_at(-(int)k);
	for (uint32_t i = 0; i < jobs; i++) {
		unsigned k = (unsigned)rand_r(&seed) % 3;

		OK(ppuMemsetAsync(h + 256 * k + i % 256, i, 4, 1, s[k]));
		if (rand_r(&seed) % 200 == 0) {
			OK(ppuStreamSynchronize(s[k]));
			ck_assert_uint_eq(h[256 * k + i % 256], i);
		}
	}
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(guard.entries, jobs);
	guard.ctx->be = guard.below;
	OK(ppuShutdown());
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rt_copycmd");
	TCase *c = tcase_create("commands");

	tcase_set_timeout(c, getenv("PPU_SUBMISSIONS") ? 3000 : 300);
	tcase_add_loop_test(c, command_lists, 0, sizeof(lists) / sizeof(lists[0]));
	tcase_add_loop_test(c, command_count, 0, 2);
	tcase_add_test(c, every_copy);
	tcase_add_loop_test(c, waits_first, 0, 2);
	tcase_add_test(c, set_priority);
	tcase_add_loop_test(c, mapping, 0, sizeof(maps) / sizeof(maps[0]));
	tcase_add_loop_test(c, semaphores, 0, 16);
	tcase_add_test(c, no_semaphores_when_off);
	tcase_add_test(c, alias);
	tcase_add_test(c, configuration_errors);
	tcase_add_test(c, few_channels);
	tcase_add_test(c, contiguous);
	tcase_add_test(c, ring_order);
	tcase_add_test(c, full_ring);
	tcase_add_loop_test(c, get_is_late, 0, 4);
	tcase_add_loop_test(c, never_an_overrun, 0, 4);
	suite_add_tcase(s, c);
	return run_suite(s);
}
