/* SPDX-License-Identifier: MIT */
/* Streams that wait for words and write them: by the host interface alone, whoever stores the word. */
#include <dirent.h>
#include <pthread.h>
#include <unistd.h>
#include "bench_main.h"
#include "rt_spy.h"
#include "run_suite.h"

static void start(void)
{
	ppuInitOptions o = { .backend = "core", .props = "gpcs=1 copy-engines=1" };

	OK(ppuInit(&o));
}

static ppuStream stream(void)
{
	ppuStream s;

	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	return s;
}

static void *pinned(void)
{
	void *p;

	OK(ppuMallocHost(&p, 4096));
	return p;
}

static ppuResult op(ppuStream s, volatile void *at, ppuWordKind kind, unsigned bytes, uint64_t value)
{
	ppuWordOp o = { (uintptr_t)at, value, kind, bytes };

	return ppuStreamWordOps(s, &o, 1);
}

static const struct {
	ppuWordKind kind;
	uint64_t value, no, yes;	/* words for which the stream goes on waiting, and does not */
} kinds[] = {
	{ PPU_WORD_WAIT_GEQ, 5, 4, 5 },
	{ PPU_WORD_WAIT_GEQ, 5, ~0ull, 6 },
	{ PPU_WORD_WAIT_GEQ, ~0ull - 1, ~0ull - 2, 3 },	/* counts in a circle */
	{ PPU_WORD_WAIT_EQ, 5, 6, 5 },
	{ PPU_WORD_WAIT_EQ, 1ull << 40 | 5, 1ull << 40, 1ull << 40 | 5 },
	{ PPU_WORD_WAIT_AND, 6, 9, 2 },
	{ PPU_WORD_WAIT_AND, 1ull << 40 | 1, 1ull << 41 | 2, 1ull << 40 | 1 },
	{ PPU_WORD_WAIT_NOR, 0xf, ~0ull << 3, ~0ull << 3 ^ 1ull << 31 },
	{ PPU_WORD_WAIT_NOR, ~0ull ^ 16, 16, 15 },
};

/* The words beside it mean nothing. The CPU stores the word, or another stream; in pinned memory, or in the device's. */
START_TEST(each_kind)
{
	bool cpu = _i & 1;
	unsigned bytes = _i & 2 ? 8 : 4;
	volatile uint32_t *h, *done;
	ppuStream s, t;
	void *d;

	start();
	s = stream();
	t = stream();
	h = pinned();
	done = pinned();
	OK(ppuMalloc(&d, 4096));
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		for (unsigned beside = 0; beside < 2; beside++) {
			volatile uint32_t *at = (cpu ? h : (volatile uint32_t *)d) + 2;
			uint64_t both[3] = { -(uint64_t)beside, kinds[i].no, -(uint64_t)beside };

			if (bytes == 4)
				both[1] = (uint32_t)kinds[i].no | (uint64_t)-beside << 32;
			OK(ppuMemcpy((void *)(at - 2), both, sizeof(both)));
			*done = 0;
			OK(op(s, at, kinds[i].kind, bytes, kinds[i].value));
			OK(op(s, done, PPU_WORD_WRITE, 4, 1));
			OK(ppuStreamSynchronize(t));
			FAILS(PPU_ERROR_TIMEOUT, ppuStreamSynchronizeUntil(s, UINT64_MAX, 3000000));
			ck_assert_msg(!*done, "%u", i);
			if (!cpu)
				OK(op(t, at, PPU_WORD_WRITE, bytes, kinds[i].yes));
			else if (bytes == 4)
				*at = (uint32_t)kinds[i].yes;
			else
				*(volatile uint64_t *)at = kinds[i].yes;
			OK(ppuStreamSynchronize(s));
			ck_assert_uint_eq(*done, 1);
			OK(ppuMemcpy(both, (void *)(at - 2), sizeof(both)));
			ck_assert_uint_eq(both[0], -(uint64_t)beside);
			ck_assert_uint_eq(both[2], -(uint64_t)beside);
			if (bytes == 4)
				ck_assert_uint_eq(both[1], (uint32_t)kinds[i].yes | (uint64_t)-beside << 32);
			else
				ck_assert_uint_eq(both[1], kinds[i].yes);
		}
	}
	OK(ppuShutdown());
}
END_TEST

/* While streams wait, the SMs have no task, and other streams' work runs. */
START_TEST(no_sm_is_occupied)
{
	ppuTaskInfo tasks[8];
	unsigned n = 8;
	ppuStream s[4];
	uint32_t *h;

	start();
	h = pinned();
	for (unsigned i = 0; i < 4; i++) {
		s[i] = stream();
		if (i < 3)
			OK(op(s[i], &h[i], PPU_WORD_WAIT_EQ, 4, 1));
	}
	OK(ppuMemsetAsync(&h[8], 9, 4, 1, s[3]));
	OK(ppuStreamSynchronize(s[3]));
	ck_assert_uint_eq(h[8], 9);
	OK(ppuCtxGetTasks(tasks, &n));
	ck_assert_uint_eq(n, 0);
	h[0] = h[1] = h[2] = 1;
	OK(ppuCtxSynchronize());
	OK(ppuShutdown());
}
END_TEST

static void *store_later(void *word)
{
	usleep(20000);
	__atomic_store_n((uint32_t *)word, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Whoever waits, and however: the stream, an event, everything, a function behind it, or a loop of questions. */
START_TEST(whoever_waits)
{
	pthread_t th;
	ppuStream s;
	uint32_t *h;
	ppuEvent e;
	ppuResult r;

	start();
	s = stream();
	h = pinned();
	OK(ppuEventCreate(&e, 0));
	OK(op(s, h, PPU_WORD_WAIT_GEQ, 4, 1));
	OK(ppuEventRecord(e, s));
	FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(s));
	ck_assert_int_eq(pthread_create(&th, NULL, store_later, h), 0);
	switch (_i) {
	case 0:
		OK(ppuStreamSynchronize(s));
		break;
	case 1:
		OK(ppuEventSynchronize(e));
		break;
	case 2:
		OK(ppuCtxSynchronize());
		break;
	case 3:
		OK(ppuStreamWaitEvent(NULL, e));
		OK(ppuMemset(h + 8, 3, 4, 1));
		ck_assert_uint_eq(h[8], 3);
		break;
	case 4:
		while ((r = ppuStreamQuery(s)) == PPU_ERROR_NOT_READY)
			;
		OK(r);
		break;
	default:
		while ((r = ppuEventQuery(e)) == PPU_ERROR_NOT_READY)
			;
		OK(r);
	}
	ck_assert_uint_eq(h[0], 1);
	pthread_join(th, NULL);
	OK(ppuShutdown());
}
END_TEST

/* A word that holds already costs no kick, nor do waits that are over. */
START_TEST(kicks)
{
	struct rt_spy spy;
	unsigned before;
	ppuStream s;
	uint32_t *h;

	start();
	rt_spy_start(&spy);
	s = stream();
	h = pinned();
	OK(op(s, h, PPU_WORD_WAIT_EQ, 4, 0));
	OK(op(s, h, PPU_WORD_WRITE, 4, 2));
	OK(op(s, h, PPU_WORD_WAIT_EQ, 4, 2));
	OK(ppuStreamSynchronize(s));
	before = spy.kicks;
	ck_assert_uint_le(before, 2);		/* the word held while somebody looked */
	OK(ppuMemset(h, 1, 4, 1));
	FAILS(PPU_ERROR_TIMEOUT, (op(s, h + 1, PPU_WORD_WAIT_EQ, 4, 1), ppuStreamSynchronizeUntil(s, UINT64_MAX, 5000000)));
	ck_assert_uint_eq(spy.kicks, before);
	h[1] = 1;
	OK(ppuStreamSynchronize(s));
	ck_assert_uint_gt(spy.kicks, before);
	OK(ppuShutdown());
	rt_spy_stop(&spy);
}
END_TEST

static unsigned threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* A thread looks at the words, one for a context, if the device works by itself; else nobody but who waits. */
START_TEST(who_looks)
{
	struct rt_spy spy;
	pthread_t th;
	unsigned before;
	ppuStream s;
	uint32_t *h;

	start();
	rt_spy_start(&spy);
	if (_i)
		spy.ops.poll = NULL;
	s = stream();
	h = pinned();
	OK(ppuMemset(h, 0, 4, 3));
	before = threads();
	for (int i = 0; i < 3; i++) {
		OK(op(s, h + i, PPU_WORD_WAIT_EQ, 4, 1));
		ck_assert_uint_eq(threads(), before + (unsigned)_i);
	}
	h[1] = h[2] = 1;
	ck_assert_int_eq(pthread_create(&th, NULL, store_later, h), 0);
	OK(ppuStreamSynchronize(s));
	pthread_join(th, NULL);
	OK(ppuShutdown());
	rt_spy_stop(&spy);
}
END_TEST

#define MANY	300u

START_TEST(many_at_once)
{
	ppuWordOp ops[MANY];
	ppuStream s;
	uint64_t *h;

	start();
	s = stream();
	h = pinned();
	for (unsigned i = 0; i < MANY; i++)
		ops[i] = (ppuWordOp){ (uintptr_t)&h[i / 2], i / 2 + 1, i % 2 ? PPU_WORD_WAIT_EQ : PPU_WORD_WRITE, 8 };
	OK(ppuStreamWordOps(s, ops, MANY));
	OK(ppuStreamSynchronize(s));
	for (unsigned i = 0; i < MANY / 2; i++)
		ck_assert_uint_eq(h[i], i + 1);
	OK(ppuStreamWordOps(s, NULL, 0));
	OK(ppuShutdown());
}
END_TEST

/* Who frees the word waits for its waiters; a context ends while its streams wait. */
START_TEST(ends)
{
	ppuStream s;
	uint32_t *h;

	start();
	s = stream();
	h = pinned();
	OK(op(s, h, PPU_WORD_WAIT_EQ, 4, 1));
	for (int i = 0; i < 3; i++)
		FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(s));
	if (_i) {
		h[0] = 1;
		OK(ppuFreeHost(h));
		OK(ppuStreamQuery(s));
	}
	OK(ppuShutdown());
}
END_TEST

START_TEST(refused)
{
	uint64_t on_stack = 0;
	ppuStream s;
	uint32_t *h;

	start();
	s = stream();
	h = pinned();
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamWordOps(s, NULL, 1));
	FAILS(PPU_ERROR_INVALID_VALUE, op(s, h + 1, PPU_WORD_WRITE, 8, 0));
	FAILS(PPU_ERROR_INVALID_VALUE, op(s, (char *)h + 2, PPU_WORD_WRITE, 4, 0));
	FAILS(PPU_ERROR_INVALID_VALUE, op(s, h, PPU_WORD_WRITE, 2, 0));
	FAILS(PPU_ERROR_INVALID_VALUE, op(s, h, (ppuWordKind)(PPU_WORD_WAIT_NOR + 1), 4, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, op(s, &on_stack, PPU_WORD_WRITE, 4, 0));
	FAILS(PPU_ERROR_INVALID_HANDLE, op((ppuStream)h, h, PPU_WORD_WRITE, 4, 0));
	OK(ppuCtxSynchronize());
	OK(ppuShutdown());
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rt_words");
	TCase *c = tcase_create("words");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, each_kind, 0, 4);
	tcase_add_test(c, no_sm_is_occupied);
	tcase_add_loop_test(c, whoever_waits, 0, 6);
	tcase_add_test(c, kicks);
	tcase_add_loop_test(c, who_looks, 0, 2);
	tcase_add_test(c, many_at_once);
	tcase_add_loop_test(c, ends, 0, 2);
	tcase_add_test(c, refused);
	suite_add_tcase(s, c);
	return run_suite(s);
}
