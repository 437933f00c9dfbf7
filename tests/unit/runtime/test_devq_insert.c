/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues, row by row: what the runtime sets up and submits, what threads write, what is
 * refused.  Kernels: devq.cu.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench_main.h"
#include "devq.h"

#define COUNT	8u	/* of the canonical queue: GET 0, PUT 7, soft 1, shadow 7 */
#define SIZES	4096u	/* words of the device memory where tests put arguments */
#define RESULT	6144u	/* and where kernels put results */

static int queues(void)
{
	int n;

	OK(ppuCtxGetQueueCount(&n));
	return n;
}

static void check_counts(uint32_t from, uint32_t to, uint32_t want)
{
	for (uint32_t i = from; i < to; i++)
		ck_assert_msg(devq_host[i] == want, "count %u is %u, not %u", i, devq_host[i], want);
}

/* ---- WQ-25..WQ-35: the queue ---------------------------------------------------------------------- */

/* WQ-25, WQ-26: a kernel that refers to the library gets a queue at its launch; no other kernel does.  WQ-70: the next
 * launch of the stream has the same one, another stream its own. */
START_TEST(made_when_needed)
{
	void *args[] = { &devq_dev };
	ppuFunction f;
	ppuQueueInfo a, b;
	ppuStream s;

	devq_start(NULL, 0, 0, 0);
	ck_assert_int_eq(queues(), 0);
	DEVQ_RUN("plain", 1, 1, DEVQ_AT(0));
	ck_assert_int_eq(queues(), 0);
	FAILS(PPU_ERROR_NOT_FOUND, ppuStreamGetQueue(NULL, &a));
	DEVQ_RUN("none", 1, 1, DEVQ_AT(0));
	ck_assert_int_eq(queues(), 1);
	a = devq_info();
	ck_assert_uint_eq(a.launches, 1);
	DEVQ_RUN("none", 1, 1, DEVQ_AT(0));
	b = devq_info();
	ck_assert_int_eq(queues(), 1);
	ck_assert_uint_eq(b.launches, 2);
	ck_assert_uint_eq(a.channel, b.channel);
	ck_assert_uint_eq(a.ring_address, b.ring_address);
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuModuleGetFunction(&f, devq_module, "none"));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, args, NULL, 0));
	OK(ppuCtxSynchronize());
	ck_assert_int_eq(queues(), 2);
	OK(ppuStreamGetQueue(s, &b));
	ck_assert_uint_ne(a.channel, b.channel);
	/* a destroyed stream leaves its queue to the next stream of the same channel; there are eight channels */
	OK(ppuStreamDestroy(s));
	for (unsigned i = 0; i < 7; i++) {
		OK(ppuStreamCreate(&s, 0, 0));
		OK(ppuStreamDestroy(s));
	}
	OK(ppuStreamCreate(&s, 0, 0));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, args, NULL, 0));
	OK(ppuCtxSynchronize());
	ck_assert_int_eq(queues(), 2);
	OK(ppuStreamGetQueue(s, &a));
	ck_assert_uint_eq(a.channel, b.channel);
	ck_assert_uint_eq(a.launches, 2);
	devq_stop();
}
END_TEST

/* WQ-23, WQ-24, WQ-27, WQ-28, WQ-30, WQ-31, WQ-33, WQ-34: as it is before the first launch; counts that are
 * a power of two and not, any first GET. */
START_TEST(queue_as_made)
{
	static const struct {
		uint32_t count, get, soft, shadow;
	} all[] = { { 8, 0, 1, 7 }, { 8, 5, 6, 12 }, { 8, 7, 8, 14 }, { 6, 0, 1, 5 }, { 6, 3, 4, 8 }, { 3, 0, 1, 2 },
		{ 1000, 0, 1, 999 }, { 4096, 17, 18, 4112 } };

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ppuQueueInfo q;

		devq_start(NULL, all[i].count, 0, all[i].get);
		q = devq_info();
		ck_assert_uint_eq(q.entries, all[i].count);
		ck_assert_uint_eq(q.get, all[i].get);
		ck_assert_uint_eq(q.soft, all[i].soft);
		ck_assert_uint_eq(q.shadow, all[i].shadow);
		ck_assert_uint_eq(q.x, 0);
		ck_assert_uint_eq(q.y, 0);
		ck_assert(q.x_address != q.y_address);
		ck_assert(q.x_address - q.semaphores_address >= 8ull * q.entries);
		ck_assert(q.y_address - q.semaphores_address >= 8ull * q.entries);
		for (uint32_t n = 0; n < q.entries; n++) {
			ck_assert_uint_eq(devq_sem(n), 0);
			ck_assert_str_eq(devq_block(n), n == all[i].get ? "acquire(X==1)" : "");
			if (n > 16 && n + 16 < q.entries)
				n = q.entries - 16;
		}
		devq_stop();
	}
}
END_TEST

/* WQ-29: the blocks of a launch in the CPU-owned channel, packed in one entry and in four; the refresh in an
 * entry of its own before them (WQ-59).  WQ-64: launch n has X = n and Y = n. */
START_TEST(blocks_of_a_launch)
{
	for (unsigned split = 0; split < 2; split++) {
		struct rt_spied *b;
		unsigned n, from;

		devq_start(NULL, COUNT, split ? PPU_STREAM_QUEUE_SPLIT : 0, 0);
		for (n = 1; n <= 2; n++) {
			char text[256] = "", want[256];

			from = devq_spy.num;
			DEVQ_LAUNCH("none", 1, 64, DEVQ_AT(0));
			b = devq_spy.block + from;
			ck_assert_uint_eq(devq_spy.num - from, split ? 6 : 3);
			ck_assert_msg(strstr(b[0].text, "refresh(Q0) state(0)=64 state(8)=0") != NULL, "%s", b[0].text);
			ck_assert_ptr_null(strstr(b[0].text, "launch"));
			for (unsigned k = 1; k < devq_spy.num - from - 1; k++) {
				strcat(text, k > 1 ? " " : "");
				strcat(text, b[k].text);
			}
			snprintf(want, sizeof(want), "launch wfi X=%u Y==%u", n, n);
			ck_assert_str_eq(text, want);
			ck_assert_str_eq(b[devq_spy.num - from - 1].text, "done");
			for (unsigned k = 1; split && k < 5; k++)
				ck_assert_ptr_null(strchr(b[k].text, ' '));
		}
		OK(ppuCtxSynchronize());
		ck_assert_uint_eq(devq_info().y, 2);
		devq_stop();
	}
}
END_TEST

/* ---- WQ-39..WQ-51: what threads do --------------------------------------------------------------- */

/* WQ-39, WQ-35: what a thread receives; soft and shadow can be read and changed atomically. */
START_TEST(what_a_thread_receives)
{
	struct ppu_queue q;
	ppuQueueInfo i;

	devq_start(NULL, 6, 0, 3);
	DEVQ_RUN("told", 1, 1, DEVQ_AT(0), DEVQ_AT(64));
	DEVQ_RUN("told", 1, 1, DEVQ_AT(0), DEVQ_AT(64));
	devq_fetch();
	memcpy(&q, devq_host, sizeof(q));
	i = devq_info();
	ck_assert_uint_eq(q.ring, i.ring_address);
	ck_assert_uint_eq(q.soft, i.soft_address);
	ck_assert_uint_eq(q.shadow, i.shadow_address);
	ck_assert_uint_eq(q.sems, i.semaphores_address);
	ck_assert_uint_eq(q.x, i.x_address);
	ck_assert_uint_eq(q.y, i.y_address);
	ck_assert_uint_eq(q.blocks, i.blocks_address);
	ck_assert_uint_eq(q.count, 6);
	ck_assert_int_eq(q.log2, -1);
	ck_assert_uint_eq(q.launch, 2);
	ck_assert_uint_eq(q.block_bytes, i.block_bytes);
	ck_assert_uint_eq(q.flags, PPU_QUEUEF_SPARE | PPU_QUEUEF_AUTO);
	/* the first launch's terminator took entry 4; GET stands there */
	ck_assert_uint_eq(devq_u64(64), 5);
	ck_assert_uint_eq(devq_u64(66), 4 + 5);
	devq_stop();
}
END_TEST

/* WQ-35: 1024 threads add 1 to soft: all results are different and without a gap. */
START_TEST(fetch_add_by_1024_threads)
{
	static uint8_t seen[1025];
	uint32_t nop = PPU_CMD_HDR(PPU_CMD_NOP, 1, 0);

	devq_start("gpcs=2 sms-per-gpc=2", 2048, 0, 0);
	devq_put(0, &nop, 4);
	DEVQ_RUN("adds", 8, 128, DEVQ_AT(16), DEVQ_AT(0));
	devq_fetch();
	for (unsigned i = 0; i < 1024; i++) {
		uint64_t v = devq_u64(16 + 2 * i);

		ck_assert(v >= 1 && v <= 1024 && !seen[v]);
		seen[v] = 1;
	}
	ck_assert_uint_eq(devq_info().soft, 1026);	/* and the terminator */
	ck_assert_uint_eq(devq_info().get, 1025);
	devq_stop();
}
END_TEST

static void run_groups(const uint32_t *sizes, uint32_t n)
{
	devq_put(SIZES, sizes, n * 4);
	DEVQ_RUN("groups", 1, 1, DEVQ_AT(0), DEVQ_AT(SIZES), n, DEVQ_AT(RESULT));
	devq_fetch();
}

static uint64_t soft_after(unsigned group)
{
	return devq_u64(RESULT + 4 * group);
}

static uint32_t error_of(unsigned group)
{
	return devq_host[RESULT + 4 * group + 2];
}

/* WQ-40, WQ-42, WQ-43, WQ-45, WQ-47, WQ-50, WQ-73: groups of 2, 1 and 3 blocks, entry by entry, and the
 * elements that were released: those in front of each group, the first one's before the Acquire X. */
START_TEST(groups_entry_by_entry)
{
	static const char *const want[16] = { "acquire(X==1)", "launch", "launch", "acquire(sem3==1)", "launch",
		"acquire(sem5==1)", "launch", "launch", "launch", "acquire(sem9==1)",
		"wfi release(Y=1) acquire(X==2)" };

	devq_start(NULL, 16, 0, 0);
	run_groups((uint32_t[]){ 2, 1, 3 }, 3);
	ck_assert_uint_eq(soft_after(0), 4);
	ck_assert_uint_eq(soft_after(1), 6);
	ck_assert_uint_eq(soft_after(2), 10);
	for (unsigned i = 0; i < 16; i++) {
		ck_assert_str_eq(devq_block(i), want[i] ? want[i] : "");
		ck_assert_uint_eq(devq_sem(i), i == 0 || i == 3 || i == 5 || i == 9);
	}
	ck_assert_uint_eq(devq_entry(10).length, 1 + 5 + 5);
	ck_assert_uint_eq(devq_entry(3).length, 5);	/* one command, not more */
	ck_assert_uint_eq(devq_host[0], 3);
	ck_assert_uint_eq(devq_host[1], 2);
	ck_assert_uint_eq(devq_host[2], 1);
	ck_assert_uint_eq(devq_info().get, 10);		/* WQ-51: it stands on the terminator */
	devq_stop();
}
END_TEST

/* WQ-45, WQ-47, WQ-64: across the end of the ring, powers of two and not: generations of the next lap. */
START_TEST(groups_across_the_end)
{
	devq_start(NULL, 8, 0, 5);	/* soft 6, shadow 12 */
	run_groups((uint32_t[]){ 2 }, 1);
	ck_assert_uint_eq(error_of(0), PPU_QUEUE_OK);
	ck_assert_str_eq(devq_block(6), "launch");
	ck_assert_str_eq(devq_block(7), "launch");
	ck_assert_str_eq(devq_block(0), "acquire(sem0==2)");
	ck_assert_str_eq(devq_block(1), "wfi release(Y=1) acquire(X==2)");
	ck_assert_uint_eq(devq_sem(5), 1);
	ck_assert_uint_eq(devq_sem(0), 2);
	devq_stop();
	devq_start(NULL, 8, 0, 7);	/* old = 8: the element in front is 7, of lap 0 */
	run_groups((uint32_t[]){ 1 }, 1);
	ck_assert_uint_eq(devq_sem(7), 1);
	ck_assert_str_eq(devq_block(1), "acquire(sem1==2)");
	devq_stop();
	devq_start(NULL, 6, 0, 4);	/* soft 5 */
	run_groups((uint32_t[]){ 1 }, 1);
	ck_assert_str_eq(devq_block(5), "launch");
	ck_assert_str_eq(devq_block(0), "acquire(sem0==2)");
	ck_assert_str_eq(devq_block(1), "wfi release(Y=1) acquire(X==2)");
	ck_assert_uint_eq(devq_sem(4), 1);
	ck_assert_uint_eq(devq_sem(0), 2);
	ck_assert_uint_eq(devq_sem(5), 0);
	devq_stop();
}
END_TEST

/*
 * WQ-44: literally, with no entry kept for the terminator; WQ-61: with one entry kept. WQ-66: a group that can never
 * fit does not touch soft.
 */
START_TEST(room_check)
{
	static const struct {
		uint32_t flags, sizes[6], n;
		uint32_t errors[6], soft[6];
	} all[] = {
		{ PPU_STREAM_QUEUE_NO_SPARE, { 5 }, 1, { PPU_QUEUE_OK }, { 7 } },
		{ PPU_STREAM_QUEUE_NO_SPARE, { 6, 1 }, 2, { PPU_QUEUE_TOO_LARGE, PPU_QUEUE_OK }, { 1, 3 } },
		{ PPU_STREAM_QUEUE_NO_SPARE, { 1, 1, 1, 1 }, 4,
		  { PPU_QUEUE_OK, PPU_QUEUE_OK, PPU_QUEUE_OK, PPU_QUEUE_FULL }, { 3, 5, 7, 7 } },
		{ PPU_STREAM_QUEUE_NO_SPARE, { 1, 4, 3 }, 3, { PPU_QUEUE_OK, PPU_QUEUE_FULL, PPU_QUEUE_OK }, { 3, 3, 7 } },
		{ 0, { 5, 4 }, 2, { PPU_QUEUE_TOO_LARGE, PPU_QUEUE_OK }, { 1, 6 } },
		{ 0, { 4, 1 }, 2, { PPU_QUEUE_OK, PPU_QUEUE_FULL }, { 6, 6 } },
		{ 0, { 1, 1, 1 }, 3, { PPU_QUEUE_OK, PPU_QUEUE_OK, PPU_QUEUE_FULL }, { 3, 5, 5 } },
		{ 0, { 100, 2 }, 2, { PPU_QUEUE_TOO_LARGE, PPU_QUEUE_OK }, { 1, 4 } },
		{ 0, { 0, 1 }, 2, { PPU_QUEUE_BAD_VALUE, PPU_QUEUE_OK }, { 1, 3 } },
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		/* a full ring has no room for a terminator: the test does not wait for it */
		bool full = all[i].flags && all[i].soft[all[i].n - 1] == 7;

		devq_start(NULL, COUNT, all[i].flags | (full ? PPU_STREAM_QUEUE_NO_TERMINATOR : 0), 0);
		devq_put(SIZES, all[i].sizes, all[i].n * 4);
		DEVQ_LAUNCH("groups", 1, 1, DEVQ_AT(0), DEVQ_AT(SIZES), all[i].n, DEVQ_AT(RESULT));
		if (full)	/* until the launching kernel is done, which X says */
			for (unsigned tries = 0; devq_info().x != 1; tries++) {
				ck_assert_uint_lt(tries, 100000);
				rt_pass(1000);
			}
		else
			OK(ppuCtxSynchronize());
		for (unsigned k = 0; k < all[i].n; k++) {
			uint64_t v[2];
			ppuStream s;

			/* past the channel that may be waiting for Y */
			OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
			OK(ppuMemcpyAsync(v, (char *)devq_dev + 4 * RESULT + 16 * k, 16, s));
			OK(ppuStreamSynchronize(s));
			ck_assert_msg(v[0] == all[i].soft[k] && v[1] == all[i].errors[k],
				      "case %u, group %u: soft %u, error %u", i, k, (unsigned)v[0], (unsigned)v[1]);
		}
		if (!full) {
			devq_fetch();
			ck_assert_uint_eq(devq_info().y, 1);
		}
		devq_stop();
	}
}
END_TEST

/* WQ-57: six single entries, not seven.  WQ-60: a refused reservation leaves soft unchanged. */
START_TEST(capacity_is_count_less_two)
{
	devq_start(NULL, COUNT, PPU_STREAM_QUEUE_NO_SPARE, 0);
	devq_put(SIZES, (uint32_t[]){ 1, 1, 1, 1, 1, 1, 1, 3, 1 }, 36);
	DEVQ_RUN("reserve", 1, 1, DEVQ_AT(SIZES), 9, DEVQ_AT(RESULT));
	devq_fetch();
	for (unsigned i = 0; i < 9; i++) {
		ck_assert_uint_eq(error_of(i), i < 6 ? PPU_QUEUE_OK : PPU_QUEUE_FULL);
		if (i < 6)
			ck_assert_uint_eq(devq_u64(RESULT + 4 * i), 1 + i);
	}
	ck_assert_uint_eq(devq_u64(RESULT + 36), 7);
	devq_stop();
}
END_TEST

/* WQ-60: 32 lanes are refused at the same time; all reservations are undone, and all the room is available again. */
START_TEST(refused_reservations_undone)
{
	for (unsigned entries = 8; entries <= 4096; entries *= 8) {
		devq_start(NULL, entries, PPU_STREAM_QUEUE_NO_SPARE, 0);
		DEVQ_RUN("storm", 1, 32, entries - 2, DEVQ_AT(RESULT));
		devq_fetch();
		ck_assert_uint_eq(devq_u64(RESULT), 0);
		ck_assert_uint_eq(devq_u64(RESULT + 2), PPU_QUEUE_OK);
		for (unsigned i = 0; i < 32; i++)
			ck_assert_uint_eq(devq_u64(RESULT + 4 + 2 * i), PPU_QUEUE_FULL);
		devq_stop();
	}
}
END_TEST

/* WQ-62: a launch that makes no work ends; GET goes to the terminator. */
START_TEST(launch_without_work_ends)
{
	devq_start(NULL, COUNT, 0, 0);
	DEVQ_RUN("none", 3, 50, DEVQ_AT(0));
	ck_assert_uint_eq(devq_info().get, 1);
	ck_assert_uint_eq(devq_info().soft, 2);
	ck_assert_uint_eq(devq_info().x, 1);
	ck_assert_uint_eq(devq_info().y, 1);
	ck_assert_str_eq(devq_block(1), "wfi release(Y=1) acquire(X==2)");
	ck_assert_uint_eq(devq_sem(0), 1);
	devq_stop();
}
END_TEST

/*
 * WQ-62: without the terminator the host interface reaches an entry that nobody has written: the error says so, and a
 * new context works.
 */
START_TEST(null_entry)
{
	ppuCtx ctx;

	devq_start(NULL, COUNT, PPU_STREAM_QUEUE_NO_TERMINATOR, 0);
	OK(ppuCtxGetCurrent(&ctx));
	DEVQ_LAUNCH("none", 1, 32, DEVQ_AT(0));
	FAILS(PPU_ERROR_CHANNEL, ppuCtxSynchronize());
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "never written") != NULL, "%s", ppuGetLastErrorDetail());
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "device-owned queue") != NULL, "%s", ppuGetLastErrorDetail());
	OK(ppuCtxDestroy(ctx));
	rt_spy_stop(&devq_spy);
	OK(ppuShutdown());
	devq_start(NULL, COUNT, 0, 0);
	DEVQ_RUN("each", 1, 2, DEVQ_AT(0), DEVQ_AT(RESULT));
	devq_fetch();
	check_counts(0, 2, 1);
	devq_stop();
}
END_TEST

/* WQ-62: threads that end early, in functions or not, are counted; and so are those that are not launched. */
START_TEST(threads_that_end_early)
{
	unsigned launched = 0;

	devq_start("gpcs=1 sms-per-gpc=2", 1024, 0, 0);
	DEVQ_RUN("exits", 3, 70, DEVQ_AT(0));
	devq_fetch();
	for (unsigned i = 0; i < 210; i++) {
		unsigned want = i % 7 != 1 && i % 3;

		ck_assert_uint_eq(devq_host[i], want);
		launched += want;
	}
	ck_assert_uint_eq(devq_info().soft, 1 + 2 * launched + 1);
	ck_assert_uint_eq(devq_info().y, 1);
	devq_stop();
}
END_TEST

/* WQ-49, WQ-63: finish() by all threads ends the launch once; nothing can be inserted after it, and in the next
 * launch it can again. */
START_TEST(finish_by_all_threads)
{
	devq_start(NULL, 256, 0, 0);
	for (unsigned n = 1; n <= 2; n++) {
		DEVQ_RUN("finish", 1, 32, DEVQ_AT(0), DEVQ_AT(RESULT));
		devq_fetch();
		ck_assert_uint_eq(devq_host[0], 32 * n);
		ck_assert_uint_eq(devq_host[1], 0);
		for (unsigned i = 0; i < 32; i++)
			ck_assert_uint_eq(devq_host[RESULT + i], 100 * 1000 + 100 + PPU_QUEUE_CLOSED);
		ck_assert_uint_eq(devq_info().soft, 1 + 65 * n);
	}
	devq_stop();
}
END_TEST

/*
 * WQ-65, WQ-48: a thread that stalls between reserving and filling holds up later threads. When it goes on, the later
 * thread has already released the stalled thread's element; if the stalled thread resets its own element, this release
 * is lost.
 */
START_TEST(stalled_owner_resets_nothing)
{
	for (unsigned reset = 0; reset < 2; reset++) {
		/* two blocks that show their order: the second one copies what the first one stored */
		struct ppu_gpfifo_entry e[2];
		uint32_t words[64] = { 0 };
		uint64_t data;

		devq_start(NULL, COUNT, 0, 0);
		data = DEVQ_AT(128);
		words[0] = PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0);
		words[1] = (uint32_t)data;
		words[2] = (uint32_t)(data >> 32);
		words[3] = 77;
		words[16] = PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0);
		words[17] = (uint32_t)data;
		words[18] = (uint32_t)(data >> 32);
		words[19] = (uint32_t)(data + 8);
		words[20] = (uint32_t)((data + 8) >> 32);
		words[21] = 8;
		e[0] = (struct ppu_gpfifo_entry){ DEVQ_AT(32), 5, 0 };
		e[1] = (struct ppu_gpfifo_entry){ DEVQ_AT(48), 7, 0 };
		devq_put(32, words, sizeof(words));
		devq_put(16, e, sizeof(e));
		DEVQ_LAUNCH("stall", 2, 1, DEVQ_AT(0), DEVQ_AT(16), reset);
		if (reset) {
			FAILS(PPU_ERROR_DEADLOCK, ppuCtxSynchronize());
		} else {
			OK(ppuCtxSynchronize());
			devq_fetch();
			ck_assert_uint_eq(devq_host[128], 77);
			ck_assert_uint_eq(devq_host[130], 77);
			ck_assert_uint_eq(devq_info().get, 5);
		}
		devq_stop();
	}
}
END_TEST

/* WQ-67: waiting for room in the launching kernel is refused; in work of the queue it succeeds, whoever
 * makes room. */
START_TEST(waiting_for_room)
{
	for (unsigned flags = 0; flags <= PPU_STREAM_QUEUE_NO_ASSIST; flags += PPU_STREAM_QUEUE_NO_ASSIST) {
		devq_start(NULL, COUNT, flags, 0);
		ck_assert_int_eq(devq_info().assist, !flags);
		DEVQ_RUN("waiter", 1, 1, DEVQ_AT(0), 5, DEVQ_AT(RESULT));
		devq_fetch();
		ck_assert_uint_eq(devq_host[RESULT], 1000 * PPU_QUEUE_WOULD_DEADLOCK + 3);
		check_counts(0, 2, 1);
		check_counts(2, 5, 0);
		DEVQ_RUN("start_waiter", 1, 1, DEVQ_AT(16), 100, DEVQ_AT(RESULT));
		devq_fetch();
		ck_assert_uint_eq(devq_host[RESULT], 100);
		check_counts(16, 116, 1);
		/* the driver frees half a ring at a time: a thread must not wait for more than that */
		for (unsigned blocks = 1; blocks <= 4; blocks++)
			DEVQ_RUN("start_group_waiter", 1, 1, blocks, 20, DEVQ_AT(RESULT + blocks));
		devq_fetch();
		for (unsigned blocks = 1; blocks <= 4; blocks++)
			ck_assert_uint_eq(devq_host[RESULT + blocks] / 1000,
					  flags && blocks > 1 ? PPU_QUEUE_WOULD_DEADLOCK : 0);
		devq_stop();
	}
}
END_TEST

/* WQ-67, WQ-74: so do many threads of several warps at once, in a ring with room for two of them. */
START_TEST(many_wait_for_room)
{
	for (unsigned flags = 0; flags <= PPU_STREAM_QUEUE_NO_ASSIST; flags += PPU_STREAM_QUEUE_NO_ASSIST) {
		devq_start(NULL, COUNT, flags, 0);
		DEVQ_RUN("start_crowd", 1, 1, DEVQ_AT(0), 3);
		devq_fetch();
		check_counts(0, 96, 3);
		check_counts(96, 128, 0);
		devq_stop();
	}
}
END_TEST

/* ---- commands and refusals ------------------------------------------------------------------------ */

/* WQ-41, WQ-40: every command of the interface; the blocks contain the requested commands. */
START_TEST(commands_read_back)
{
	devq_start(NULL, 64, 0, 0);
	DEVQ_RUN("commands", 1, 1, DEVQ_AT(0), DEVQ_AT(1000));
	ck_assert_str_eq(devq_block(1), "fill copy fill copy2d release(word=5) acquire(word==5) inc inc dec");
	ck_assert_str_eq(devq_block(2), "launch wfi copy stamp");
	ck_assert_str_eq(devq_block(3), "acquire(sem3==1)");
	ck_assert_str_eq(devq_block(4), "fill");
	ck_assert_str_eq(devq_block(6), "copy");
	ck_assert_str_eq(devq_block(8), "release(word=11)");
	ck_assert_str_eq(devq_block(10), "acquire(word==11)");
	devq_fetch();
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(devq_u64(2 * i), 7);
	ck_assert_uint_eq(devq_u64(16), 0xabcdabcdabcdabcdull);
	ck_assert_uint_eq(devq_u64(20), 7);
	ck_assert_uint_eq(devq_u64(22), 7);
	ck_assert_uint_eq(devq_u64(32), 5);
	ck_assert_uint_eq(devq_u64(34), 1);
	ck_assert_uint_eq(devq_host[36], 1);		/* the leaf had run when it was copied */
	ck_assert_uint_gt(devq_u64(38), 0);
	for (unsigned i = 20; i < 24; i++)
		ck_assert_uint_eq(devq_u64(2 * i), PPU_QUEUE_OK);
	ck_assert_uint_eq(devq_u64(48), 0x0909090909090909ull);
	ck_assert_uint_eq(devq_u64(50), 0x0909090909090909ull);
	ck_assert_uint_eq(devq_u64(52), 11);
	ck_assert_uint_eq(devq_u64(60), PPU_QUEUE_OK);
	ck_assert_uint_eq(devq_u64(62), PPU_QUEUE_OK);
	devq_stop();
}
END_TEST

START_TEST(refusals)
{
	static const uint32_t want[] = { PPU_QUEUE_BAD_KERNEL, PPU_QUEUE_BAD_VALUE, PPU_QUEUE_BAD_VALUE,
		PPU_QUEUE_BAD_VALUE, PPU_QUEUE_BAD_VALUE, PPU_QUEUE_BAD_VALUE, PPU_QUEUE_BAD_VALUE, PPU_QUEUE_BAD_VALUE,
		PPU_QUEUE_BAD_VALUE, PPU_QUEUE_BAD_VALUE, PPU_QUEUE_NO_SPACE, PPU_QUEUE_BAD_VALUE, PPU_QUEUE_OK,
		PPU_QUEUE_BAD_VALUE, PPU_QUEUE_BAD_VALUE };

	devq_start(NULL, 64, 0, 0);
	DEVQ_RUN("refused", 1, 1, DEVQ_AT(0), DEVQ_AT(RESULT));
	devq_fetch();
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_msg(devq_host[RESULT + i] == want[i], "result %u: %u", i, devq_host[RESULT + i]);
	ck_assert_uint_eq(devq_host[0], 1);		/* only the last group's launch */
	ck_assert_uint_eq(devq_host[2], 0);
	devq_stop();
}
END_TEST

START_TEST(options)
{
	ppuQueueOptions o = { .entries = 2 };
	ppuQueueInfo a, b;
	char buf[8];
	size_t n;

	devq_start(NULL, 0, 0, 0);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetQueue(NULL, &o));
	o = (ppuQueueOptions){ .entries = 1u << 30 };
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetQueue(NULL, &o));
	o = (ppuQueueOptions){ .block_bytes = 256 };
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetQueue(NULL, &o));
	o = (ppuQueueOptions){ .entries = 8, .initial_get = 8 };
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetQueue(NULL, &o));
	o = (ppuQueueOptions){ .flags = 16 };
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetQueue(NULL, &o));
	o = (ppuQueueOptions){ .reserved = { [3] = 1 } };
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetQueue(NULL, &o));
	ck_assert_int_eq(queues(), 0);
	OK(ppuStreamSetQueue(NULL, NULL));
	a = devq_info();
	ck_assert_uint_eq(a.entries, 1024);
	ck_assert_uint_eq(a.block_bytes, 1024);
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuStreamReadQueue(NULL, a.ring_address - 1, buf, 1));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuStreamReadQueue(NULL, a.ring_address, buf, 1u << 30));
	/* Whole words can be read, up to the last one and not behind it. */
	for (n = 0; !ppuStreamReadQueue(NULL, a.ring_address + n, buf, 1); n++)
		;
	ck_assert_uint_ge(n, 1024 * 8);
	ck_assert_uint_eq(n % 8, 0);
	OK(ppuStreamReadQueue(NULL, a.ring_address + n - 8, buf, 8));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuStreamReadQueue(NULL, a.ring_address + n - 7, buf, 8));
	OK(ppuStreamReadQueue(NULL, a.ring_address + n, buf, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuStreamReadQueue(NULL, a.ring_address + n + 1, buf, 0));
	o = (ppuQueueOptions){ .entries = 5, .block_bytes = 700 };
	OK(ppuStreamSetQueue(NULL, &o));
	b = devq_info();
	ck_assert_uint_eq(b.entries, 5);
	ck_assert_uint_eq(b.block_bytes, 768);
	ck_assert_int_eq(queues(), 1);
	DEVQ_RUN("each", 1, 1, DEVQ_AT(0), DEVQ_AT(RESULT));
	devq_fetch();
	ck_assert_uint_eq(devq_host[0], 1);
	devq_stop();
}
END_TEST

/* WQ-37: a queue made with options goes when its stream is gone, but not while work in it runs. */
START_TEST(stream_ends_first)
{
	ppuQueueOptions o = { .entries = 16 };
	ppuStream s, t[2];
	ppuFunction f;
	uint64_t out;

	devq_start(NULL, 0, 0, 0);
	out = DEVQ_AT(RESULT);
	OK(ppuModuleGetFunction(&f, devq_module, "each"));
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuStreamCreate(&t[0], PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuStreamCreate(&t[1], PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuStreamSetQueue(s, &o));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(4, 1, 1), 0, s, (void *[]){ &devq_dev, &out }, NULL, 0));
	OK(ppuStreamDestroy(s));
	OK(ppuStreamSetQueue(t[0], &o));	/* this is when others are looked through */
	ck_assert_int_eq(queues(), 2);
	OK(ppuCtxSynchronize());
	devq_fetch();
	check_counts(0, 4, 1);
	check_counts(RESULT, RESULT + 4, 100);
	OK(ppuStreamSetQueue(t[1], &o));
	ck_assert_int_eq(queues(), 2);
	devq_stop();
}
END_TEST

/* A cooperative kernel may have a queue: each is told its own by the same special registers. */
START_TEST(cooperative)
{
	void *params[2], *result;
	ppuFunction f;

	devq_start(NULL, 0, 0, 0);
	result = (void *)(uintptr_t)DEVQ_AT(RESULT);
	params[0] = &devq_dev;
	params[1] = &result;
	OK(ppuModuleGetFunction(&f, devq_module, "cooperates"));
	OK(ppuLaunchCooperativeKernel(f, ppuDim(2, 1, 1), ppuDim(2, 1, 1), 0, NULL, params, NULL, 0));
	OK(ppuCtxSynchronize());
	devq_fetch();
	ck_assert_uint_eq(devq_host[RESULT], 8);
	check_counts(0, 4, 1);
	devq_stop();
}
END_TEST

static void hold(void *gate)
{
	sem_wait(gate);
}

static void *launch_in_thread(void *ctx)
{
	OK(ppuCtxSetCurrent(ctx));
	DEVQ_LAUNCH("each", 1, 1, DEVQ_AT(2), DEVQ_AT(RESULT));
	return NULL;
}

/* A launch that waits for room in the ring while its stream is given another queue uses that one. */
START_TEST(replaced_meanwhile)
{
	const ppuQueueOptions o = { .entries = 2 * COUNT, .flags = PPU_STREAM_QUEUE_SPLIT };
	pthread_t thread;
	ppuCtx ctx;
	sem_t gate;

	setenv("PPU_RING_ENTRIES", "9", 1);
	devq_start(NULL, COUNT, 0, 0);
	unsetenv("PPU_RING_ENTRIES");
	OK(ppuCtxGetCurrent(&ctx));
	DEVQ_RUN("each", 1, 1, DEVQ_AT(0), DEVQ_AT(RESULT));
	sem_init(&gate, 0, 0);
	OK(ppuLaunchHostFunc(NULL, hold, &gate));
	for (unsigned i = 0; i < 6; i++)
		DEVQ_LAUNCH("plain", 1, 1, DEVQ_AT(1));
	ck_assert_int_eq(pthread_create(&thread, NULL, launch_in_thread, ctx), 0);
	usleep(100000);		/* a shorter time only makes the test weaker */
	OK(ppuStreamSetQueue(NULL, &o));
	sem_post(&gate);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(devq_info().launches, 1);
	devq_fetch();
	ck_assert_uint_eq(devq_host[0], 1);
	ck_assert_uint_eq(devq_host[1], 6);
	ck_assert_uint_eq(devq_host[2], 1);
	devq_stop();
	sem_destroy(&gate);
}
END_TEST

BENCH_MAIN("devq_insert", made_when_needed, queue_as_made, blocks_of_a_launch, what_a_thread_receives,
	   fetch_add_by_1024_threads, groups_entry_by_entry, groups_across_the_end, room_check,
	   capacity_is_count_less_two, refused_reservations_undone, launch_without_work_ends, null_entry,
	   threads_that_end_early, finish_by_all_threads, stalled_owner_resets_nothing, waiting_for_room,
	   many_wait_for_room, commands_read_back, refusals, options, stream_ends_first, cooperative, replaced_meanwhile)
