/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues at work: laps, order with other work, many threads, several queues, and the consequences of
 * errors.  Kernels: devq.cu.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench_main.h"
#include "devq.h"
#include "run_suite.h"

#define RESULT	6144u

/* WQ-58, WQ-59: 100 launches of six entries on eight, one by one and all queued before the first one runs; also on
 * six (four entries each), with the device's assist and without. */
START_TEST(many_laps)
{
	unsigned queued = _i & 1, assist = _i & 2, count = _i & 4 ? 6 : 8, blocks = count - 4, n;
	uint32_t sizes[2] = { blocks, 0 };
	ppuQueueInfo q;

	devq_start(NULL, count, assist ? 0 : PPU_STREAM_QUEUE_NO_ASSIST, 0);
	devq_put(1000, sizes, sizeof(sizes));
	for (n = 1; n <= 100; n++) {
		DEVQ_LAUNCH("groups", 1, 1, DEVQ_AT(0), DEVQ_AT(1000), 1, DEVQ_AT(RESULT));
		if (!queued)
			OK(ppuCtxSynchronize());
		if (queued)	/* nothing has run yet: device time passes only while someone waits */
			ck_assert_uint_eq(devq_info().x, 0);
	}
	OK(ppuCtxSynchronize());
	devq_fetch();
	for (n = 0; n < blocks; n++)
		ck_assert_uint_eq(devq_host[n], 100);
	q = devq_info();
	ck_assert_uint_eq(q.launches, 100);
	ck_assert_uint_eq(q.x, 100);
	ck_assert_uint_eq(q.y, 100);
	ck_assert_uint_eq(q.soft, 1 + 100 * (blocks + 2));
	ck_assert_uint_eq(q.get, (q.soft - 1) % count);
	if (assist)
		ck_assert_uint_eq(q.shadow, q.soft - 1 + count - 1);
	devq_stop();
}
END_TEST

/* WQ-69: what the stream does after the launch comes after all nested work: a kernel, a copy. */
START_TEST(later_work_waits)
{
	devq_start("gpcs=1 sms-per-gpc=2", 0, 0, 0);
	DEVQ_LAUNCH("start_slow", 1, 1, DEVQ_AT(0), 20000);
	DEVQ_LAUNCH("after", 1, 1, DEVQ_AT(0));
	OK(ppuMemcpy(devq_host, devq_dev, 16));
	ck_assert_uint_eq(devq_host[0], 7);
	ck_assert_uint_eq(devq_host[2], 7);
	/* and an event is not complete before */
	{
		ppuEvent e;

		OK(ppuEventCreate(&e, 0));
		OK(ppuMemset(devq_dev, 0, 4, 4));
		DEVQ_LAUNCH("start_slow", 1, 1, DEVQ_AT(0), 20000);
		OK(ppuEventRecord(e, NULL));
		OK(ppuEventSynchronize(e));
		OK(ppuMemcpy(devq_host, devq_dev, 16));
		ck_assert_uint_eq(devq_host[0], 7);
	}
	devq_stop();
}
END_TEST

/* WQ-74: 8 CTAs of 32 threads, a group each; more of them on larger rings. */
START_TEST(all_at_once)
{
	static const struct {
		uint32_t grid, block, count;
	} all[] = { { 8, 32, 1024 }, { 4, 256, 4096 }, { 32, 32, 2500 }, { 1, 1000, 2100 } };

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint32_t threads = all[i].grid * all[i].block;

		devq_start("gpcs=2 sms-per-gpc=2", all[i].count, 0, 0);
		DEVQ_RUN("each", all[i].grid, all[i].block, DEVQ_AT(0), DEVQ_AT(2048));
		devq_fetch();
		for (uint32_t n = 0; n < threads; n++) {
			ck_assert_uint_eq(devq_host[2048 + n], 100 + PPU_QUEUE_OK);
			ck_assert_uint_eq(devq_host[n], 1);
		}
		ck_assert_uint_eq(devq_info().soft, 1 + 2 * threads + 1);
		devq_stop();
	}
}
END_TEST

/* WQ-74: On a ring that is too small some launches are refused: each accepted launch runs once, and no other runs. */
START_TEST(more_threads_than_entries)
{
	for (uint32_t count = 5; count <= 320; count *= 4) {
		unsigned ok = 0;

		devq_start("gpcs=2 sms-per-gpc=2", count, 0, 0);
		DEVQ_RUN("each", 8, 32, DEVQ_AT(0), DEVQ_AT(2048));
		devq_fetch();
		for (uint32_t n = 0; n < 256; n++) {
			uint32_t err = devq_host[2048 + n] - 100;

			ck_assert(err == PPU_QUEUE_OK || err == PPU_QUEUE_FULL);
			ck_assert_uint_eq(devq_host[n], err == PPU_QUEUE_OK);
			ok += err == PPU_QUEUE_OK;
		}
		ck_assert_uint_ge(ok, 1);
		ck_assert_uint_le(ok, (count - 3) / 2);
		ck_assert_uint_eq(devq_info().soft, 1 + 2 * ok + 1);
		devq_stop();
	}
}
END_TEST

static ppuResult insert_many(uint32_t n, uint32_t linger, uint32_t ctas, uint32_t threads, void *numbers)
{
	ppuResult res;

	res = devq_launch("start_inserter", 1, 1, (const uint64_t[]){ DEVQ_AT(0), (uintptr_t)numbers, n, linger, ctas,
							 threads });
	return res ? res : ppuCtxSynchronize();
}

/* Did each of so many blocks run, and once? */
static bool all_ran(uint32_t total, void *numbers)
{
	uint64_t sum, *v = malloc(8ull * total);
	bool ok;

	OK(ppuMemcpy(&sum, devq_dev, 8));
	OK(ppuMemcpy(v, numbers, 8ull * total));
	ok = sum == total;
	for (uint32_t i = 0; i < total && ok; i++)
		ok = v[i] == i + 1;
	free(v);
	return ok;
}

/* WQ-56, WQ-58, WQ-74: threads of work in the queue insert into rings from 5 to 4096 entries, many laps; who
 * refreshes does not matter. */
START_TEST(stress_with_pauses)
{
	static const struct {
		uint32_t count, ctas, threads, n, flags;
	} all[] = {
		{ 8, 8, 32, 8, 0 }, { 8, 8, 32, 4, PPU_STREAM_QUEUE_NO_ASSIST }, { 5, 3, 33, 10, 0 }, { 6, 4, 20, 20, 0 },
		{ 16, 1, 1, 500, PPU_STREAM_QUEUE_NO_ASSIST }, { 64, 16, 64, 3, 0 }, { 1000, 8, 96, 4, 0 },
		{ 4096, 4, 256, 5, 0 }, { 37, 2, 100, 10, PPU_STREAM_QUEUE_NO_ASSIST },
	};
	uint32_t total = all[_i].ctas * all[_i].threads * all[_i].n;
	void *numbers;

	devq_start("gpcs=2 sms-per-gpc=2", all[_i].count, all[_i].flags, all[_i].count - 1);
	OK(ppuMalloc(&numbers, 8ull * total));
	OK(ppuMemset(numbers, 0, 8, total));
	OK(insert_many(all[_i].n, 0, all[_i].ctas, all[_i].threads, numbers));
	ck_assert(all_ran(total, numbers));
	/* the start's own group, the inserted ones, the terminator */
	ck_assert_uint_eq(devq_info().soft, all[_i].count + 2 + 2ull * total + 1);
	devq_stop();
}
END_TEST

static void again(void);

static const uint32_t lap_counts[] = { 8, 9, 16, 37, 64 };

static ppuResult pausing(uint32_t count, const char *props, uint32_t n, uint32_t hasty)
{
	ppuResult res;

	devq_start(props, count, count & 1 ? PPU_STREAM_QUEUE_NO_ASSIST : 0, count - 1);
	res = devq_launch("start_pausing", 1, 1, (const uint64_t[]){ DEVQ_AT(0), n, count, 40, hasty, 10 });
	return res ? res : ppuCtxSynchronize();
}

/*
 * WQ-56: ten threads insert with random pauses, many laps.  In debug mode the device itself witnesses that each entry it
 * fetches was written in that lap: it erases the entries that it leaves, and an erased one is an error.
 */
START_TEST(only_this_lap)
{
	uint32_t count = lap_counts[_i], n = count * 4;

	OK(pausing(count, "gpcs=2 sms-per-gpc=2 x-devq-laps=1", n, ~0u));
	devq_fetch();
	ck_assert_uint_eq(devq_u64(0), 10 * n);
	ck_assert_uint_eq(devq_info().soft, count + 2 + 2ull * 10 * n + 1);
	for (uint32_t i = 0, left = 0; i < count; i++) {
		struct ppu_gpfifo_entry e = devq_entry(i);

		/* What is left is the terminator, where the host interface stands. */
		left += e.va || e.length;
		ck_assert_uint_le(left, 1);
		ck_assert_int_eq(e.va || e.length, i == devq_info().get);
	}
	devq_stop();
}
END_TEST

/* WQ-56: threads that release a group before they write it, from the fourth lap on.  Debug mode notices the first stale
 * entry; without it the host interface would go round and round. */
START_TEST(stale_is_noticed)
{
	uint32_t count = lap_counts[_i];

	ck_assert_int_ne(pausing(count, "gpcs=2 sms-per-gpc=2 x-devq-laps=1", count * 4, 3), PPU_SUCCESS);
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "never written") != NULL, "%s", ppuGetLastErrorDetail());
	again();
}
END_TEST

/*
 * WQ-18: with stores that reach memory late and in any order, nothing stale is fetched; without the fence stale entries
 * are fetched. An atomic operation of any thread of an SM empties the SM's store buffer, so one thread on each SM shows
 * the most mistakes.
 */
static bool late_stores(unsigned ctas, unsigned threads, unsigned n, unsigned linger)
{
	unsigned total = ctas * threads * n;
	void *numbers;
	bool right;

	devq_start("gpcs=1 sms-per-gpc=2 window-ns=500 store-reorder=1 store-delay-ns=5000", 64, 0, 0);
	OK(ppuMalloc(&numbers, 8ull * total));
	OK(ppuMemset(numbers, 0, 8, total));
	right = insert_many(n, linger, ctas, threads, numbers) == PPU_SUCCESS && all_ran(total, numbers);
	devq_stop();
	return right;
}

/* WQ-18 */
START_TEST(fenced)
{
	ck_assert(late_stores(2, 1, 200, 100));
}
END_TEST

/* WQ-18 */
START_TEST(fenced_many)
{
	const char *each = getenv("PPU_DEVQ_EACH");	/* insertions of a thread; devq_order.sh: 10^5 together */

	ck_assert(late_stores(4, 64, each ? (unsigned)atoi(each) : 40, 0));
}
END_TEST

/* WQ-18 */
START_TEST(unfenced)
{
	setenv("DEVQ_UNFENCED", "1", 1);
	ck_assert(!late_stores(2, 1, 200, 100));
}
END_TEST

/* A nested launch behaves like a launch by the CPU: dimensions, shared and local memory, parameters. */
START_TEST(shape)
{
	static const uint32_t want[] = { 720 * 780, 720, 2, 3, 4, 5, 3, 2, 4096, 0x12345678, 200, 3, PPU_QUEUE_OK };

	devq_start(NULL, 8, 0, 0);
	DEVQ_RUN("start_shape", 1, 1, DEVQ_AT(0));
	devq_fetch();
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_msg(devq_host[i] == want[i], "word %u: %u", i, devq_host[i]);
	devq_stop();
}
END_TEST

/* Nested work has the priority of the stream it is launched from. */
START_TEST(priority)
{
	int least, greatest;
	void *args[] = { &devq_dev, &(uint64_t){ 0 } };
	uint64_t result;
	uint32_t want[2];
	struct rt_trace t;
	unsigned seen[2] = { 0 };
	ppuQueueInfo q[2];
	ppuStream s[2];
	char path[32];
	ppuFunction f;

	rt_trace_name(path, sizeof(path));
	devq_start_traced("gpcs=1 sms-per-gpc=1 device-priorities=16", path);
	result = DEVQ_AT(RESULT);
	args[1] = &result;
	OK(ppuStreamGetPriorityRange(&least, &greatest));
	OK(ppuModuleGetFunction(&f, devq_module, "each"));
	for (unsigned i = 0; i < 2; i++) {
		OK(ppuStreamCreate(&s[i], PPU_STREAM_NON_BLOCKING, i ? greatest : least));
		OK(ppuStreamGetDevicePriority(s[i], &want[i]));
		OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(4, 1, 1), 0, s[i], args, NULL, 0));
		OK(ppuCtxSynchronize());
		OK(ppuStreamGetQueue(s[i], &q[i]));
	}
	ck_assert_uint_ne(want[0], want[1]);
	devq_stop();
	t = rt_trace_take(path);
	for (size_t i = 0; i < t.num; i++) {
		for (unsigned k = 0; k < 2; k++) {
			if (t.rec[i].event != PPU_TR_TASK_ACCEPT || t.rec[i].unit != q[k].channel)
				continue;
			ck_assert_uint_eq(t.rec[i].a, want[k]);
			seen[k]++;
		}
	}
	ck_assert_uint_eq(seen[0], 4);
	ck_assert_uint_eq(seen[1], 4);
	rt_trace_free(&t);
}
END_TEST

/* Work that makes work that makes work: a binary tree, its leaves 2^level. */
START_TEST(levels)
{
	devq_start("gpcs=2 sms-per-gpc=2", 64, 0, 0);
	for (unsigned n = 1; n <= 3; n++) {
		DEVQ_RUN("tree", 1, 2, DEVQ_AT(0), 7, DEVQ_AT(RESULT));
		devq_fetch();
		ck_assert_uint_eq(devq_host[RESULT], 0);
		for (unsigned level = 0; level <= 7; level++)
			ck_assert_uint_eq(devq_host[level], n << (8 - level));
	}
	devq_stop();
}
END_TEST

/* WQ-70, A-WQ-15: two streams, two queues, at the same time; neither waits for the other. */
START_TEST(two_queues)
{
	void *args[4][3];
	uint64_t at[4];
	uint64_t level = 6, failed;
	ppuQueueInfo q[4];
	ppuStream s[4];
	ppuFunction f;

	devq_start("gpcs=2 sms-per-gpc=2", 0, 0, 0);
	OK(ppuModuleGetFunction(&f, devq_module, "tree"));
	failed = DEVQ_AT(RESULT);
	for (unsigned i = 0; i < 4; i++) {
		at[i] = DEVQ_AT(i * 16);
		args[i][0] = &at[i];
		args[i][1] = &level;
		args[i][2] = &failed;
		OK(ppuStreamCreate(&s[i], PPU_STREAM_NON_BLOCKING, 0));
	}
	for (unsigned n = 0; n < 5; n++)
		for (unsigned i = 0; i < 4; i++)
			OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(2, 1, 1), 0, s[i], args[i], NULL, 0));
	OK(ppuCtxSynchronize());
	devq_fetch();
	ck_assert_uint_eq(devq_host[RESULT], 0);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned l = 0; l <= 6; l++)
			ck_assert_uint_eq(devq_host[i * 16 + l], 5u << (7 - l));
		OK(ppuStreamGetQueue(s[i], &q[i]));
		ck_assert_uint_eq(q[i].launches, 5);
		for (unsigned k = 0; k < i; k++)
			ck_assert_uint_ne(q[i].channel, q[k].channel);
	}
	devq_stop();
}
END_TEST

/* When the device has no channel left streams share a queue: their launches follow each other. */
START_TEST(shared_queue)
{
	uint64_t at, level = 4, failed;
	void *args[3] = { &at, &level, &failed };
	ppuQueueInfo q[6];
	ppuStream s[6];
	ppuFunction f;

	devq_start("gpcs=1 sms-per-gpc=2 channels=8", 0, 0, 0);
	OK(ppuModuleGetFunction(&f, devq_module, "tree"));
	failed = DEVQ_AT(RESULT);
	at = DEVQ_AT(0);
	for (unsigned i = 0; i < 6; i++)
		OK(ppuStreamCreate(&s[i], PPU_STREAM_NON_BLOCKING, 0));
	for (unsigned n = 0; n < 3; n++)
		for (unsigned i = 0; i < 6; i++)
			OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(2, 1, 1), 0, s[i], args, NULL, 0));
	OK(ppuCtxSynchronize());
	devq_fetch();
	ck_assert_uint_eq(devq_host[RESULT], 0);
	for (unsigned l = 0; l <= 4; l++)
		ck_assert_uint_eq(devq_host[l], 18u << (5 - l));
	for (unsigned i = 0; i < 6; i++)
		OK(ppuStreamGetQueue(s[i], &q[i]));
	ck_assert_uint_eq(q[5].channel, q[4].channel);
	devq_stop();
}
END_TEST

static void again(void)
{
	ppuCtx ctx;

	OK(ppuCtxGetCurrent(&ctx));
	OK(ppuCtxDestroy(ctx));
	rt_spy_stop(&devq_spy);
	OK(ppuShutdown());
	devq_start(NULL, 8, 0, 0);
	DEVQ_RUN("each", 1, 2, DEVQ_AT(0), DEVQ_AT(RESULT));
	devq_fetch();
	ck_assert_uint_eq(devq_host[0] + devq_host[1], 2);
	devq_stop();
}

/* WQ-68: kernels that fault, the launching one and nested ones: the next call that waits names them, and a
 * new context works. */
START_TEST(launching_kernel_faults)
{
	static const char *const kernels[] = { "faulty", "start_faulty" };

	devq_start(NULL, 8, 0, 0);
	DEVQ_LAUNCH(kernels[_i], 1, 1, DEVQ_AT(0));
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuCtxSynchronize());
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "kernel faulty") != NULL, "%s", ppuGetLastErrorDetail());
	again();
}
END_TEST

/* WQ-68: a kernel that never ends is ended with its context. */
START_TEST(launching_kernel_hangs)
{
	uint64_t n;
	ppuStream s;

	devq_start(NULL, 8, 0, 0);
	DEVQ_LAUNCH("hang", 1, 1, DEVQ_AT(0));
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	do {	/* the kernel hangs by now */
		OK(ppuMemcpyAsync(&n, devq_dev, 8, s));
		OK(ppuStreamSynchronize(s));
		rt_pass(1000);
	} while (!(n >> 32));
	ck_assert_uint_eq(devq_info().x, 0);
	again();
}
END_TEST

/* WQ-71: an entry that points to somebody else's memory: a fault here, nothing there.  WQ-11: the bus addresses
 * and offsets of the pointers' pages are no addresses for threads. */
START_TEST(foreign_block_address)
{
	ppuCtx here, other;
	struct ppu_gpfifo_entry e = { 0, 4, 0 };
	uint64_t word = 5;
	void *theirs;

	devq_start(NULL, 8, 0, 0);
	OK(ppuCtxGetCurrent(&here));
	OK(ppuCtxCreate(&other, 0, 0));
	OK(ppuMalloc(&theirs, 4096));
	OK(ppuMemcpy(theirs, &word, 8));
	OK(ppuCtxSetCurrent(here));
	e.va = (uintptr_t)theirs;
	devq_put(0, &e, sizeof(e));
	DEVQ_LAUNCH("insert", 1, 1, DEVQ_AT(0), 1, DEVQ_AT(RESULT));
	ck_assert_int_ne(ppuCtxSynchronize(), PPU_SUCCESS);
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "device-owned queue") != NULL, "%s", ppuGetLastErrorDetail());
	OK(ppuCtxSetCurrent(other));
	word = 0;
	OK(ppuMemcpy(&word, theirs, 8));
	ck_assert_uint_eq(word, 5);
	OK(ppuCtxSetCurrent(here));
	again();
}
END_TEST

/* WQ-11 */
START_TEST(get_and_put_out_of_reach)
{
	ppuQueueInfo q;
	uint64_t address;

	devq_start(NULL, 8, 0, 0);
	q = devq_info();
	address = _i % 3 == 0 ? PPU_BAR0_USERD + (uint64_t)q.channel * PPU_USERD_STRIDE + PPU_REG_USERD_GP_PUT :
		  _i % 3 == 1 ? PPU_BAR0_CHCFG + (uint64_t)q.channel * PPU_CHCFG_STRIDE + PPU_REG_CH_PUT :
		  q.ring_address + (1ull << 40) + PPU_REG_USERD_GP_PUT;
	DEVQ_LAUNCH(_i >= 3 ? "load" : "store", 1, 1, address, DEVQ_AT(0));
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuCtxSynchronize());
	again();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("devq_order");
	TCase *t = tcase_create("devq_order"), *late = tcase_create("late"), *laps = tcase_create("laps");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, many_laps, 0, 8);
	tcase_add_test(t, later_work_waits);
	tcase_add_test(t, all_at_once);
	tcase_add_test(t, more_threads_than_entries);
	tcase_add_loop_test(t, stress_with_pauses, 0, 9);
	tcase_add_test(t, fenced);
	tcase_add_test(t, unfenced);
	tcase_add_test(t, shape);
	tcase_add_test(t, priority);
	tcase_add_test(t, levels);
	tcase_add_test(t, two_queues);
	tcase_add_test(t, shared_queue);
	tcase_add_loop_test(t, launching_kernel_faults, 0, 2);
	tcase_add_test(t, launching_kernel_hangs);
	tcase_add_test(t, foreign_block_address);
	tcase_add_loop_test(t, get_and_put_out_of_reach, 0, 6);
	suite_add_tcase(s, t);
	/* If nobody notices stale entries, the host interface runs them for ever. */
	tcase_set_timeout(laps, 60);
	tcase_add_loop_test(laps, only_this_lap, 0, 5);
	tcase_add_loop_test(laps, stale_is_noticed, 0, 2);
	suite_add_tcase(s, laps);
	tcase_set_timeout(late, 1200);
	tcase_add_test(late, fenced_many);
	suite_add_tcase(s, late);
	return run_suite(s);
}
