/* SPDX-License-Identifier: MIT */
/*
 * Host functions in streams, and registered memory: order, independence, errors, ends.
 * WQ-17 (the runtime kicks after a CPU store), CP-23 (a copy that waits for a function is not counted).
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench_main.h"
#include "rt_spy.h"
#include "run_suite.h"

static void start(const char *copies)
{
	ppuInitOptions o = {
		.backend = "core", .props = "gpcs=1 copy-engines=1", .stream_priorities = "0:-1",
		.copy_priorities = copies ? copies : "internal=2",
	};

	OK(ppuInit(&o));
}

static ppuStream stream_at(int priority)
{
	ppuStream s;

	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, priority));
	return s;
}

/* ---- order ---------------------------------------------------------------------------------- */

struct tally {
	volatile uint32_t *word;
	uint32_t seen, calls;
};

static void bump(void *arg)
{
	struct tally *t = arg;

	t->seen = *t->word;
	*t->word = t->seen * 3 + 1;
	t->calls++;
}

/* fill, function, copy, function, copy back: each sees what the one before it left. */
START_TEST(in_stream_order)
{
	struct tally a = { 0 }, b = { 0 };
	struct rt_spy spy;
	uint32_t *h;
	void *d;
	ppuStream s;

	start(NULL);
	rt_spy_start(&spy);
	OK(ppuMallocHost((void **)&h, 4096));
	OK(ppuMalloc(&d, 4096));
	s = _i ? NULL : stream_at(0);
	a.word = &h[0];
	b.word = &h[100];
	OK(ppuMemsetAsync(h, 7, 4, 1, s));
	OK(ppuLaunchHostFunc(s, bump, &a));		/* 7 -> 22 */
	OK(ppuMemcpyAsync(d, h, 4, s));
	OK(ppuMemcpyAsync(&h[100], d, 4, s));
	OK(ppuLaunchHostFunc(s, bump, &b));		/* 22 -> 67 */
	OK(ppuMemcpyAsync(&h[200], &h[100], 4, s));
	OK(ppuStreamSynchronize(s));
	ck_assert_uint_eq(a.seen, 7);
	ck_assert_uint_eq(b.seen, 22);
	ck_assert_uint_eq(h[200], 67);
	ck_assert_uint_eq(a.calls + b.calls, 2);
	ck_assert_uint_eq(spy.kicks, 2);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuLaunchHostFunc(s, NULL, NULL));
	/* the last thing in the stream */
	OK(ppuLaunchHostFunc(s, bump, &a));
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(a.calls, 2);
	OK(ppuShutdown());
	rt_spy_stop(&spy);
}
END_TEST

static void wait_for(void *arg)
{
	sem_wait(arg);
}

/* A function that takes long holds up its own stream only, and no copy of lower priority. */
START_TEST(others_go_on)
{
	struct tally t = { 0 };
	ppuStream slow, fast;
	uint64_t value;
	uint32_t *h;
	sem_t go;
	ppuEvent e;

	start("internal=2 channels=2");
	ck_assert_int_eq(sem_init(&go, 0, 0), 0);
	OK(ppuMallocHost((void **)&h, 4096));
	OK(ppuEventCreate(&e, 0));
	slow = stream_at(-1);
	fast = stream_at(0);
	t.word = &h[1];
	OK(ppuLaunchHostFunc(slow, wait_for, &go));
	OK(ppuEventRecord(e, slow));
	OK(ppuMemsetAsync(h, 1, 4, 1, slow));
	OK(ppuMemsetAsync(h + 1, 2, 4, 1, fast));
	OK(ppuLaunchHostFunc(fast, bump, &t));
	OK(ppuStreamSynchronize(fast));
	ck_assert_uint_eq(h[1], 7);
	FAILS(PPU_ERROR_NOT_READY, ppuEventQuery(e));
	FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(slow));
	/* With and without a limit in host time: a wait does not report a deadlock while a function runs. */
	FAILS(PPU_ERROR_TIMEOUT, ppuStreamSynchronizeUntil(slow, UINT64_MAX, 20000000));
	OK(ppuCtxGetCopySemaphore(2, NULL, &value));
	ck_assert_uint_eq(value, 0);		/* CP-23 */
	sem_post(&go);
	OK(ppuStreamSynchronize(slow));
	ck_assert_uint_eq(h[0], 1);
	OK(ppuEventQuery(e));
	OK(ppuShutdown());
	sem_destroy(&go);
}
END_TEST

/* The default stream is a barrier for functions too, in both directions. */
START_TEST(default_stream)
{
	struct tally t = { 0 };
	ppuStream a, b;
	uint32_t *h;
	void *d;

	start(NULL);
	OK(ppuMallocHost((void **)&h, 1 << 20));
	OK(ppuMalloc(&d, 1 << 20));
	OK(ppuStreamCreate(&a, 0, 0));
	OK(ppuStreamCreate(&b, 0, 0));
	t.word = h;
	h[0] = 100;
	OK(ppuMemsetAsync(d, 5, 4, 1 << 18, a));
	OK(ppuMemcpyAsync(h, d, 1 << 20, a));
	OK(ppuLaunchHostFunc(NULL, bump, &t));		/* after a's copy: 5 -> 16 */
	OK(ppuMemcpyAsync(h + 1, h, 4, b));		/* after the function */
	OK(ppuStreamSynchronize(b));
	ck_assert_uint_eq(t.seen, 5);
	ck_assert_uint_eq(h[1], 16);
	OK(ppuMemsetAsync(d, 9, 4, 1 << 18, NULL));
	OK(ppuMemcpyAsync(h, d, 1 << 20, NULL));
	OK(ppuLaunchHostFunc(b, bump, &t));		/* after the default stream's copy */
	OK(ppuStreamSynchronize(b));
	ck_assert_uint_eq(t.seen, 9);
	OK(ppuShutdown());
}
END_TEST

/* Random streams, each a chain of fills, functions and copies on its own word; with waits in between. */
START_TEST(random_chains)
{
	enum { STREAMS = 9, STEPS = 200 };
	struct tally t[STREAMS];
	uint32_t *h, model[STREAMS], seed = 77u + (uint32_t)_i;
	ppuStream s[STREAMS];
	ppuEvent e;

	start(NULL);
	OK(ppuMallocHost((void **)&h, 8192));
	OK(ppuEventCreate(&e, PPU_EVENT_DISABLE_TIMING));
	for (int i = 0; i < STREAMS; i++) {
		s[i] = stream_at(i % 3 ? 0 : -1);
		t[i] = (struct tally){ .word = &h[64 * i] };
		model[i] = 0;
	}
	for (int step = 0; step < STEPS; step++) {
		int i, k;

		seed = seed * 1664525u + 1013904223u;
		i = (int)(seed >> 20) % STREAMS;
		k = (int)(seed >> 9) % STREAMS;
		switch (seed >> 28) {
		case 0 ... 6:
			OK(ppuLaunchHostFunc(s[i], bump, &t[i]));
			model[i] = model[i] * 3 + 1;
			break;
		case 7 ... 9:
			OK(ppuMemsetAsync(&h[64 * i], (uint32_t)step, 4, 1, s[i]));
			model[i] = (uint32_t)step;
			break;
		case 10 ... 12:		/* k's word becomes i's */
			OK(ppuEventRecord(e, s[i]));
			OK(ppuStreamWaitEvent(s[k], e));
			if (k != i)
				OK(ppuMemcpyAsync(&h[64 * k], &h[64 * i], 4, s[k]));
			OK(ppuEventRecord(e, s[k]));
			OK(ppuStreamWaitEvent(s[i], e));
			model[k] = model[i];
			break;
		case 13:
			OK(ppuStreamSynchronize(s[i]));
			ck_assert_uint_eq(h[64 * i], model[i]);
			break;
		}
	}
	OK(ppuCtxSynchronize());
	for (int i = 0; i < STREAMS; i++)
		ck_assert_uint_eq(h[64 * i], model[i]);
	OK(ppuShutdown());
}
END_TEST

struct held {
	ppuStream s;
	char *dev, *host;
	sem_t go;
};

static void *copy_to_host(void *arg)
{
	struct held *h = arg;

	OK(ppuMemcpyAsync(h->host, h->dev, 6 << 20, h->s));
	return NULL;
}

/*
 * A copy to ordinary memory waits behind a function that the program lets go only after other copies of ordinary
 * memory, of the same priority: the waiting copy must not hold resources that they need.
 */
START_TEST(staging_is_not_held)
{
	ppuStreamCopyInfo theirs, ours;
	struct held h;
	ppuStream other;
	pthread_t t;
	char *mine = malloc(6 << 20);
	void *d;

	start("map=1:1:2");
	ck_assert_int_eq(sem_init(&h.go, 0, 0), 0);
	h.host = malloc(6 << 20);
	ck_assert(mine && h.host);
	memset(h.host, 0, 6 << 20);
	memset(mine, 5, 6 << 20);
	OK(ppuMalloc((void **)&h.dev, 6 << 20));
	OK(ppuMalloc(&d, 5 << 20));
	h.s = stream_at(0);
	other = stream_at(0);		/* in the other channel: in one channel they would block each other */
	OK(ppuStreamGetCopyInfo(h.s, &theirs));
	OK(ppuStreamGetCopyInfo(other, &ours));
	ck_assert(theirs.channel != ours.channel && theirs.priority == ours.priority);
	OK(ppuMemsetAsync(h.dev, 3, 1, 6 << 20, h.s));
	OK(ppuLaunchHostFunc(h.s, wait_for, &h.go));
	/* Two copies that are queued behind it in slots. */
	OK(ppuMemcpyAsync(h.dev, mine, 1000, h.s));
	OK(ppuMemcpyAsync(h.dev + (6 << 20) - 1000, mine, 1000, h.s));
	ck_assert_int_eq(pthread_create(&t, NULL, copy_to_host, &h), 0);
	for (int i = 0; i < 20; i++) {
		OK(ppuMemcpyAsync(d, mine, 5 << 20, other));
		usleep(1000);
	}
	sem_post(&h.go);
	pthread_join(t, NULL);
	OK(ppuCtxSynchronize());
	ck_assert(h.host[0] == 5 && h.host[999] == 5 && h.host[1000] == 3 && h.host[(6 << 20) - 1001] == 3 &&
		  h.host[(6 << 20) - 1000] == 5 && h.host[(6 << 20) - 1] == 5);
	OK(ppuShutdown());
	sem_destroy(&h.go);
	free(h.host);
	free(mine);
}
END_TEST

/* ---- what a function may not do ------------------------------------------------------------- */

struct inside {
	ppuStream s;
	ppuResult sync, ctx, free, destroy, shutdown, async, alloc, ordinary;
	void *mem;
	uint32_t *h;
	ppuCtx current;
};

static void misbehave(void *arg)
{
	struct inside *i = arg;

	i->async = ppuMemsetAsync(i->h, 9, 4, 1, i->s);
	i->sync = ppuStreamSynchronize(i->s);
	i->ordinary = ppuMemcpyAsync(i->mem, &(int){ 0 }, 4, i->s);
	i->ctx = ppuCtxSynchronize();
	i->free = ppuFree(i->mem);
	OK(ppuCtxGetCurrent(&i->current));
	i->destroy = ppuCtxDestroy(i->current);
	i->shutdown = ppuShutdown();
	i->alloc = ppuMalloc(&i->mem, 4096);
}

START_TEST(must_not_wait)
{
	struct inside i = { 0 };
	ppuCtx ctx;

	start(NULL);
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuMallocHost((void **)&i.h, 4096));
	OK(ppuMalloc(&i.mem, 4096));
	i.s = stream_at(0);
	OK(ppuLaunchHostFunc(i.s, misbehave, &i));
	OK(ppuStreamSynchronize(i.s));
	ck_assert_int_eq(i.sync, PPU_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(i.ctx, PPU_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(i.ordinary, PPU_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(i.free, PPU_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(i.destroy, PPU_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(i.shutdown, PPU_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(i.async, PPU_SUCCESS);
	ck_assert_int_eq(i.alloc, PPU_SUCCESS);
	ck_assert_ptr_eq(i.current, ctx);	/* it works in its stream's context */
	OK(ppuStreamSynchronize(i.s));
	ck_assert_uint_eq(i.h[0], 9);
	OK(ppuShutdown());
}
END_TEST

static void count_call(void *arg)
{
	__atomic_add_fetch((int *)arg, 1, __ATOMIC_RELAXED);
}

struct ending {
	sem_t started, go;
	ppuStream s;
};

static void long_one(void *arg)
{
	struct ending *e = arg;

	sem_post(&e->started);
	sem_wait(&e->go);
}

/*
 * After a fault no function is called, and whoever waits for one gets the fault.  The first function holds the kernel
 * back until all is in the stream.  Without it the thread that calls the functions lets the device run at once.
 */
START_TEST(not_after_a_fault)
{
	struct ending e;
	struct ppuCtx_st *ctx;
	ppuModule mod;
	ppuFunction f;
	int calls = 0;
	ppuStream s;

	start(NULL);
	OK(ppuCtxGetCurrent(&ctx));
	OK(ppuModuleLoadData(&mod, ".kernel bad\ntrap\nexit\n", 0, NULL));
	OK(ppuModuleGetFunction(&f, mod, "bad"));
	s = stream_at(0);
	ck_assert_int_eq(sem_init(&e.go, 0, 0) | sem_init(&e.started, 0, 0), 0);
	OK(ppuLaunchHostFunc(s, long_one, &e));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, NULL, NULL, 0));
	OK(ppuLaunchHostFunc(s, count_call, &calls));
	OK(ppuLaunchHostFunc(s, count_call, &calls));
	sem_post(&e.go);
	FAILS(PPU_ERROR_TRAP, ppuStreamSynchronize(s));
	FAILS(PPU_ERROR_TRAP, ppuLaunchHostFunc(s, count_call, &calls));
	/* The two behind the kernel are dropped. */
	while (__atomic_load_n(&ctx->host_done, __ATOMIC_RELAXED) < 3)
		usleep(1000);
	ck_assert_int_eq(calls, 0);
	OK(ppuShutdown());
	sem_destroy(&e.go);
	sem_destroy(&e.started);
}
END_TEST

/* Lets the function go on once the context is being destroyed: its handles end then. */
static void *let_go(void *arg)
{
	struct ending *e = arg;

	while (ppuStreamGetFlags(e->s, &(unsigned){ 0 }) != PPU_ERROR_INVALID_HANDLE)
		usleep(1000);
	sem_post(&e->go);
	return NULL;
}

/* A context that ends: the function that runs is waited for, the others are not called. */
START_TEST(destroyed)
{
	struct ending e;
	int calls = 0;
	pthread_t t;
	ppuCtx ctx;

	start(NULL);
	ck_assert_int_eq(sem_init(&e.go, 0, 0) | sem_init(&e.started, 0, 0), 0);
	OK(ppuCtxCreate(&ctx, 0, 0));
	e.s = stream_at(0);
	OK(ppuLaunchHostFunc(e.s, long_one, &e));
	OK(ppuLaunchHostFunc(e.s, count_call, &calls));
	sem_wait(&e.started);
	ck_assert_int_eq(pthread_create(&t, NULL, let_go, &e), 0);
	OK(ppuCtxDestroy(ctx));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuLaunchHostFunc(e.s, count_call, &calls));
	pthread_join(t, NULL);
	ck_assert_int_eq(calls, 0);
	OK(ppuShutdown());
	sem_destroy(&e.go);
	sem_destroy(&e.started);
}
END_TEST

/* ---- registered memory ---------------------------------------------------------------------- */

static const char put_code[] =
	".kernel put\n"
	".param p u64 ; .param v u32\n"
	"ld.param.u64 rd8, [p] ; ld.param.u32 r4, [v]\n"
	"ld.global.u32 r5, [rd8]\n"
	"add.u32 r5, r5, r4\n"
	"st.global.u32 [rd8], r5\n"
	"exit\n";

static void put(void *p, uint32_t v)
{
	ppuModule mod;
	ppuFunction f;

	OK(ppuModuleLoadData(&mod, put_code, 0, NULL));
	OK(ppuModuleGetFunction(&f, mod, "put"));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &p, &v }, NULL, 0));
}

/* Any alignment; copies in place and asynchronous, kernels at the same address; and back to ordinary. */
START_TEST(registered)
{
	enum { BYTES = 300000 };
	uint8_t *area = malloc(BYTES + 64), *p = area + 20;
	ppuPointerAttributes at;
	struct rt_spy spy;
	ppuStream s;
	sem_t go;
	void *d;

	ck_assert_int_eq(sem_init(&go, 0, 0), 0);
	memset(area, 0x11, BYTES + 64);
	start(NULL);
	rt_spy_start(&spy);
	OK(ppuMalloc(&d, BYTES));
	s = stream_at(0);
	OK(ppuPointerGetAttributes(&at, p));
	ck_assert_int_eq(at.type, PPU_MEMORY_UNREGISTERED);
	OK(ppuHostRegister(p, BYTES, 0));
	OK(ppuPointerGetAttributes(&at, p + 1000));
	ck_assert_int_eq(at.type, PPU_MEMORY_HOST);
	ck_assert_ptr_eq(at.base, p);
	ck_assert_uint_eq(at.bytes, BYTES);
	OK(ppuPointerGetAttributes(&at, p + BYTES));
	ck_assert_int_eq(at.type, PPU_MEMORY_UNREGISTERED);
	/* One block per copy, no staging, and the call does not wait even for a copy to the host. */
	OK(ppuLaunchHostFunc(s, wait_for, &go));
	OK(ppuMemcpyAsync(d, p, BYTES, s));
	OK(ppuMemsetAsync(p, 0x22, 1, BYTES, s));
	OK(ppuMemcpyAsync(p + 5, d, 1000, s));
	ck_assert_uint_eq(spy.num, 3);
	ck_assert_uint_eq(p[5], 0x11);
	memset(p, 0x33, 100);
	sem_post(&go);
	OK(ppuStreamSynchronize(s));
	ck_assert(p[0] == 0x22 && p[4] == 0x22 && p[5] == 0x33 && p[104] == 0x33 && p[105] == 0x11 && p[1005] == 0x22);
	ck_assert(area[19] == 0x11 && p[BYTES] == 0x11 && p[BYTES - 1] == 0x22);
	memset(p + 4, 0, 4);
	put(p + 4, 77);
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(*(uint32_t *)(p + 4), 77);
	/* Beyond the end of the registered memory: still a copy of ordinary memory. */
	OK(ppuMemcpy(d, p + 10, BYTES - 2));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuHostRegister(p + 100, 10, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostUnregister(p + 1));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuFreeHost(p));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuFree(p));
	OK(ppuMemsetAsync(p, 0x44, 1, BYTES, s));
	OK(ppuHostUnregister(p));		/* waits */
	ck_assert(p[0] == 0x44 && p[BYTES - 1] == 0x44);
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostUnregister(p));
	OK(ppuPointerGetAttributes(&at, p));
	ck_assert_int_eq(at.type, PPU_MEMORY_UNREGISTERED);
	OK(ppuMemcpy(d, p, BYTES));		/* through staging again */
	OK(ppuHostRegister(p, BYTES, 0));
	OK(ppuHostUnregister(p));
	/* The GPU cannot reach it any more. */
	put(p + 4, 1);
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuCtxSynchronize());
	OK(ppuShutdown());
	rt_spy_stop(&spy);
	sem_destroy(&go);
	free(area);
}
END_TEST

START_TEST(not_registrable)
{
	uint8_t *m = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *d, *h;

	ck_assert_ptr_ne(m, MAP_FAILED);
	start(NULL);
	OK(ppuMalloc(&d, 4096));
	OK(ppuMallocHost(&h, 4096));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuHostRegister(NULL, 1, 0));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuHostRegister(m, 0, 0));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuHostRegister(m, 1, 1));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister(d, 4096, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister(h, 4096, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister((void *)8, 4096, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister(m, SIZE_MAX - 100, 0));
	ck_assert_int_eq(mprotect(m + 4096, 4096, PROT_READ), 0);
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister(m, 3 * 4096, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister(m + 4095, 2, 0));
	OK(ppuHostRegister(m, 4096, 0));
	ck_assert_int_eq(munmap(m + 4096, 4096), 0);
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister(m + 8191, 2, 0));
	OK(ppuHostRegister(m + 8192, 10, 0));
	/* A page belongs to one registration. */
	FAILS(PPU_ERROR_INVALID_VALUE, ppuHostRegister(m + 8300, 10, 0));
	OK(ppuShutdown());
	munmap(m, 4096);
	munmap(m + 8192, 4096);
}
END_TEST

/* In two contexts at once; one ends with it registered. */
START_TEST(registered_twice)
{
	uint32_t *p = aligned_alloc(4096, 4096);
	ppuCtx a, b;

	ck_assert_ptr_nonnull(p);
	p[0] = 1;
	start(NULL);
	OK(ppuCtxCreate(&a, 0, 0));
	OK(ppuHostRegister(p, 4096, 0));
	put(p, 10);
	OK(ppuCtxSynchronize());
	OK(ppuCtxCreate(&b, 0, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuHostUnregister(p));
	OK(ppuHostRegister(p, 4096, 0));
	OK(ppuCtxDestroy(a));
	put(p, 100);
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(p[0], 111);
	OK(ppuHostUnregister(p));
	OK(ppuShutdown());
	free(p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rt_host");
	TCase *c = tcase_create("host");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, in_stream_order, 0, 2);
	tcase_add_test(c, others_go_on);
	tcase_add_test(c, default_stream);
	tcase_add_loop_test(c, random_chains, 0, 10);
	tcase_add_test(c, staging_is_not_held);
	tcase_add_test(c, must_not_wait);
	tcase_add_test(c, not_after_a_fault);
	tcase_add_test(c, destroyed);
	tcase_add_test(c, registered);
	tcase_add_test(c, not_registrable);
	tcase_add_test(c, registered_twice);
	suite_add_tcase(s, c);
	return run_suite(s);
}
