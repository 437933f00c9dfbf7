/* SPDX-License-Identifier: MIT */
/*
 * The runtime through the driver, in the guest: order, threads, faults, processes.  TAP.
 * Rows: WQ-1..WQ-9, CP-1, HW-6, HW-9, HW-75.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <ppu.h>
#include "../driver/programs.h"
#include "lib/check.h"

static const char code[] =
	PROGRAM_SCALE
	".kernel wild\n"
	"mov.u64 rd4, 64\n"
	"st.global.u32 [rd4], r6\n"
	"exit\n"
	".kernel endless\n"
	"top: bra top\n"
	PROGRAM_DEEP;

static ppuModule mod;

static void start(uint32_t ring)
{
	ppuInitOptions o = { .backend = "drm", .ring_entries = ring };

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
}

static ppuFunction fn(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, name));
	return f;
}

static void scale(void *p, uint32_t n, uint32_t k, ppuStream s)
{
	void *args[] = { &p, &n, &k };

	OK(ppuLaunchKernel(fn("scale"), ppuDim((n + 63) / 64, 1, 1), ppuDim(64, 1, 1), 0, s, args, NULL, 0));
}

static uint32_t rng(uint32_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s;
}

/* Random copies, fills, kernels in random streams, ordered by events. */
static void graph(uint32_t ring, uint32_t seed)
{
	enum { BUFS = 5, STREAMS = 4, N = 2000 };
	static uint32_t model[BUFS][N], got[N];
	ppuStream st[STREAMS];
	ppuEvent last[BUFS];
	void *d[BUFS];

	start(ring);
	memset(model, 0, sizeof(model));
	for (int i = 0; i < STREAMS; i++)
		OK(ppuStreamCreate(&st[i], i & 1, 0));
	for (int i = 0; i < BUFS; i++) {
		OK(ppuMalloc(&d[i], N * 4));
		OK(ppuMemset(d[i], 0, 4, N));
		OK(ppuEventCreate(&last[i], i & 1));
	}
	for (int op = 0; op < 400; op++) {
		unsigned s = rng(&seed) % STREAMS, x = rng(&seed) % BUFS, y = rng(&seed) % BUFS;
		uint32_t n = rng(&seed) % N + 1, k = rng(&seed);

		if (x == y)
			y = (x + 1) % BUFS;
		OK(ppuStreamWaitEvent(st[s], last[x]));
		OK(ppuStreamWaitEvent(st[s], last[y]));
		switch (rng(&seed) % 4) {
		case 0:
			OK(ppuMemcpyAsync(d[y], d[x], n * 4, st[s]));
			memcpy(model[y], model[x], n * 4);
			break;
		case 1:
			OK(ppuMemsetAsync(d[y], k, 4, n, st[s]));
			for (uint32_t i = 0; i < n; i++)
				model[y][i] = k;
			break;
		case 2:
			OK(ppuMemcpyAsync(d[y], model[x], n * 4, st[s]));
			memcpy(model[y], model[x], n * 4);
			break;
		default:
			scale(d[y], n, k, st[s]);
			for (uint32_t i = 0; i < n; i++)
				model[y][i] = model[y][i] * k + i;
			break;
		}
		OK(ppuEventRecord(last[x], st[s]));
		OK(ppuEventRecord(last[y], st[s]));
	}
	OK(ppuCtxSynchronize());
	for (int i = 0; i < BUFS; i++) {
		OK(ppuMemcpy(got, d[i], N * 4));
		CHECK(!memcmp(got, model[i], N * 4));
	}
	OK(ppuShutdown());
}

static void t_graph(void)
{
	graph(0, 1);
}

static void t_tiny_rings(void)
{
	graph(3, 2);
	graph(6, 3);
	graph(8, 4);
}

static void *thread(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg, h[1000];
	ppuStream s;
	void *d;

	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuMalloc(&d, sizeof(h)));
	for (uint32_t round = 0; round < 20; round++) {
		for (uint32_t i = 0; i < 1000; i++)
			h[i] = id + round;
		OK(ppuMemcpyAsync(d, h, sizeof(h), s));
		scale(d, 1000, 5, s);
		OK(ppuMemcpyAsync(h, d, sizeof(h), s));
		for (uint32_t i = 0; i < 1000; i++)
			CHECK(h[i] == (id + round) * 5 + i);
	}
	OK(ppuFree(d));
	OK(ppuStreamDestroy(s));
	return NULL;
}

static void t_threads(void)
{
	pthread_t t[4];

	start(8);
	for (uintptr_t i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, thread, (void *)(i * 1000)));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	OK(ppuShutdown());
}

static void work(void)
{
	uint32_t v;
	void *d;

	start(0);
	OK(ppuMalloc(&d, 4096));
	for (uint32_t i = 0; i < 50; i++) {
		OK(ppuMemset(d, i, 4, 1));
		scale(d, 1, 3, NULL);
		OK(ppuMemcpy(&v, d, 4));
		CHECK(v == 3 * i);
	}
	OK(ppuShutdown());
}

/* A fault breaks its context, not another one of the same process. */
static void t_fault(void)
{
	ppuCtx good, bad;
	ppuModule keep;
	uint32_t v;
	void *d;

	start(0);
	keep = mod;
	OK(ppuCtxGetCurrent(&good));
	OK(ppuMalloc(&d, 4096));
	OK(ppuCtxCreate(&bad, 0, 0));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
	OK(ppuLaunchKernel(fn("wild"), ppuDim(1, 1, 1), ppuDim(40, 1, 1), 0, NULL, NULL, NULL, 0));
	CHECK(ppuCtxSynchronize() == PPU_ERROR_ILLEGAL_ADDRESS);
	CHECK(strstr(ppuGetLastErrorDetail(), "wild") && strstr(ppuGetLastErrorDetail(), "0x40"));
	CHECK(ppuCtxSynchronize() == PPU_ERROR_ILLEGAL_ADDRESS);
	OK(ppuCtxSetCurrent(good));
	mod = keep;
	OK(ppuMemset(d, 4, 4, 1));
	scale(d, 1, 6, NULL);
	OK(ppuMemcpy(&v, d, 4));
	CHECK(v == 24);
	OK(ppuCtxDestroy(bad));
	OK(ppuShutdown());
}

static void t_local_memory(void)
{
	uint32_t v = 0;
	void *d;

	start(0);
	OK(ppuMalloc(&d, 4096));
	OK(ppuLaunchKernel(fn("deep"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &d }, NULL, 0));
	OK(ppuMemcpy(&v, d, 4));
	CHECK(v == 77);
	OK(ppuShutdown());
}

/* The program's own memory, at its own address: kernels and copies see what the CPU sees; a child has a copy. */
static void t_registered(void)
{
	enum { N = 50000 };
	uint32_t *area = calloc(N + 8, 4), *p = area + 5;
	int status;
	void *d;
	pid_t pid;

	start(0);
	CHECK(area);
	for (uint32_t i = 0; i < N; i++)
		p[i] = i;
	OK(ppuHostRegister(p, N * 4, 0));
	scale(p, N, 3, NULL);
	OK(ppuCtxSynchronize());
	for (uint32_t i = 0; i < N; i++)
		CHECK(p[i] == 4 * i);		/* i * 3 + i */
	CHECK(!area[4] && !p[N]);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		memset(area, 0xff, (N + 8) * 4);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	OK(ppuMalloc(&d, N * 4));
	p[7] = 77;
	OK(ppuMemcpy(d, p, N * 4));
	scale(d, N, 2, NULL);
	OK(ppuMemcpy(p, d, N * 4));
	for (uint32_t i = 0; i < N; i++)
		CHECK(p[i] == (i == 7 ? 161 : 9 * i));
	OK(ppuHostUnregister(p));
	CHECK(ppuHostUnregister(p) == PPU_ERROR_INVALID_ADDRESS);
	OK(ppuShutdown());
	free(area);
}

static void t_endless(void)
{
	ppuCtx ctx;

	start(0);
	OK(ppuCtxGetCurrent(&ctx));
	OK(ppuLaunchKernel(fn("endless"), ppuDim(2, 1, 1), ppuDim(64, 1, 1), 0, NULL, NULL, NULL, 0));
	CHECK(ppuStreamSynchronizeUntil(NULL, UINT64_MAX, 100000000) == PPU_ERROR_TIMEOUT);
	OK(ppuCtxDestroy(ctx));
	OK(ppuShutdown());
	work();
}

/* Waiting sleeps: an endless kernel costs the waiting process no CPU time. */
static void t_wait_sleeps(void)
{
	struct timespec a, b;
	int slept = 0;

	start(0);
	OK(ppuLaunchKernel(fn("endless"), ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, NULL, NULL, 0));
	/* The work of a busy machine may count as our time, but not in every attempt. */
	for (int i = 0; i < 20 && !slept; i++) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
		CHECK(ppuStreamSynchronizeUntil(NULL, UINT64_MAX, 500000000) == PPU_ERROR_TIMEOUT);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
		slept = (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < 100;
	}
	CHECK(slept);
	OK(ppuShutdown());
}

/* A process killed in the middle of its work leaves the device to the others. */
static void t_killed(void)
{
	for (int i = 0; i < 3; i++) {
		int fd[2];
		char c;
		pid_t pid;

		CHECK(!pipe(fd));
		pid = fork();
		if (!pid) {
			start(0);
			OK(ppuLaunchKernel(fn("endless"), ppuDim(4, 1, 1), ppuDim(128, 1, 1), 0, NULL, NULL, NULL, 0));
			if (write(fd[1], "x", 1) != 1)
				exit(1);
			pause();
		}
		CHECK(read(fd[0], &c, 1) == 1);
		usleep(20000);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, NULL, 0) == pid);
		close(fd[0]);
		close(fd[1]);
	}
	work();
}

static void t_two_processes(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		work();
		exit(0);
	}
	work();
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void)
{
	static const struct system_test tests[] = {
		{ "random graph of copies and kernels", t_graph },
		{ "the same with rings of 3, 6 and 8 entries", t_tiny_rings },
		{ "four threads", t_threads },
		{ "a fault is told and stays in its context", t_fault },
		{ "local memory grows", t_local_memory },
		{ "the program's own memory, registered", t_registered },
		{ "an endless kernel ends with its context", t_endless },
		{ "waiting sleeps", t_wait_sleeps },
		{ "two processes", t_two_processes },
		{ "killed processes", t_killed },
	};

	return run_each(tests, sizeof(tests) / sizeof(tests[0]));
}
