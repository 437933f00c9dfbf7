/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues through the driver, in the guest.  TAP.
 * Rows: WQ-12, WQ-26, WQ-52, WQ-62, WQ-67, WQ-68, WQ-69, WQ-70, WQ-74.
 *
 * The kernels are those of the unit tests (tests/unit/runtime/devq.cu) and have the same results there; this test is
 * about the driver, with a CPU that runs beside the device.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <hw/ppu_counters.h>
#include <ppu.h>
#include <ppu_queue.h>
#include "lib/check.h"

#define WORDS	8192u
#define RESULT	6144u

/* devq.ptx */
__asm__(".section .rodata\ndevq_ptx:\n.incbin \"" DEVQ_PTX "\"\n.byte 0\n.previous\n");
extern const char devq_ptx[] __attribute__((visibility("hidden")));

static ppuModule module;
static uint32_t *mem;		/* pinned */

static void start(void)
{
	ppuInitOptions o = { .backend = "drm" };

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&module, devq_ptx, 0, NULL));
	OK(ppuMallocHost((void **)&mem, WORDS * 4));
}

static void stop(void)
{
	OK(ppuCtxSynchronize());
	OK(ppuShutdown());
}

static uint64_t at(unsigned word)
{
	return (uintptr_t)(mem + word);
}

static void launch(const char *name, uint32_t grid, uint32_t block, ppuStream s, const uint64_t *args)
{
	ppuFunctionAttributes a;
	void *params[16];
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, module, name));
	OK(ppuFunctionGetAttributes(&a, f));
	for (unsigned i = 0; i < a.num_params; i++)
		params[i] = (void *)&args[i];
	OK(ppuLaunchKernel(f, ppuDim(grid, 1, 1), ppuDim(block, 1, 1), 0, s, params, NULL, 0));
}
#define LAUNCH(name, grid, block, ...) launch(name, grid, block, NULL, (const uint64_t[]){ __VA_ARGS__ })

/* ---- what it computes ---------------------------------------------------------------------------- */

/* WQ-26, WQ-70, WQ-74: no queue before it is needed; 8 x 32 threads, each its launch, twice. */
static void each(void)
{
	int n;

	start();
	LAUNCH("plain", 1, 1, at(0));
	OK(ppuCtxSynchronize());
	OK(ppuCtxGetQueueCount(&n));
	CHECK(n == 0);
	for (unsigned k = 1; k <= 2; k++) {
		memset(mem, 0, WORDS * 4);
		LAUNCH("each", 8, 32, at(0), at(RESULT));
		OK(ppuCtxSynchronize());
		for (unsigned i = 0; i < 256; i++)
			CHECK(mem[i] == 1 && mem[RESULT + i] == 100);
		OK(ppuCtxGetQueueCount(&n));
		CHECK(n == 1);
	}
	stop();
}

/* WQ-62, WQ-69, WQ-67: a launch of nothing; later work; waiting for room on a small ring, with the device's
 * assist and with the driver's refresh. */
static void order(void)
{
	start();
	LAUNCH("none", 4, 32, at(0));
	LAUNCH("start_slow", 1, 1, at(0), 2000);
	LAUNCH("after", 1, 1, at(0));
	OK(ppuCtxSynchronize());
	CHECK(mem[0] == 7 && mem[2] == 7);
	for (unsigned flags = 0; flags <= PPU_STREAM_QUEUE_NO_ASSIST; flags += PPU_STREAM_QUEUE_NO_ASSIST) {
		ppuQueueOptions o = { .entries = 8, .flags = flags };
		ppuQueueInfo q;

		OK(ppuStreamSetQueue(NULL, &o));
		OK(ppuStreamGetQueue(NULL, &q));
		CHECK(!flags || !q.assist);
		memset(mem, 0, WORDS * 4);
		LAUNCH("start_waiter", 1, 1, at(0), 60, at(RESULT));
		OK(ppuCtxSynchronize());
		CHECK(mem[RESULT] == 60);
		for (unsigned i = 0; i < 60; i++)
			CHECK(mem[i] == 1);
	}
	stop();
}

/* 100 launches on a ring of eight, all queued before the first of them runs: a kernel that waits for the CPU
 * is in front (WQ-59). */
static void queued(void)
{
	ppuQueueOptions o = { .entries = 8 };
	ppuQueueInfo q;

	start();
	OK(ppuStreamSetQueue(NULL, &o));
	mem[4000] = 4;
	LAUNCH("hold", 1, 1, at(5000));
	for (unsigned n = 0; n < 100; n++)
		LAUNCH("groups", 1, 1, at(0), at(4000), 1, at(RESULT));
	OK(ppuStreamGetQueue(NULL, &q));
	CHECK(q.x == 0 && q.launches == 100);
	__atomic_store_n(&mem[5000], 1, __ATOMIC_RELEASE);
	OK(ppuCtxSynchronize());
	for (unsigned i = 0; i < 4; i++)
		CHECK(mem[i] == 100);
	OK(ppuStreamGetQueue(NULL, &q));
	CHECK(q.x == 100 && q.y == 100 && q.soft == 601);
	stop();
}

/* Several streams at once, and a second process that does the same (WQ-12). */
static void two_processes(void)
{
	pid_t child = fork();
	int status;

	{
		ppuStream s[3];

		start();
		for (unsigned i = 0; i < 3; i++)
			OK(ppuStreamCreate(&s[i], PPU_STREAM_NON_BLOCKING, 0));
		for (unsigned n = 0; n < 3; n++)
			for (unsigned i = 0; i < 3; i++)
				launch("tree", 1, 2, s[i], (const uint64_t[]){ at(16 * i), 4, at(RESULT) });
		OK(ppuCtxSynchronize());
		CHECK(!mem[RESULT]);
		for (unsigned i = 0; i < 3; i++)
			for (unsigned l = 0; l <= 4; l++)
				CHECK(mem[16 * i + l] == 3u << (5 - l));
		stop();
	}
	if (!child)
		_exit(0);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
}

/* ---- errors -------------------------------------------------------------------------------------- */

/* WQ-62, WQ-68: a queue without its terminator, a fault of nested work: named, and what comes after works. */
static void errors(void)
{
	ppuQueueOptions o = { .entries = 8, .flags = PPU_STREAM_QUEUE_NO_TERMINATOR };

	start();
	OK(ppuStreamSetQueue(NULL, &o));
	LAUNCH("none", 1, 32, at(0));
	CHECK(ppuCtxSynchronize() == PPU_ERROR_CHANNEL);
	printf("# %s\n", ppuGetLastErrorDetail());
	CHECK(strstr(ppuGetLastErrorDetail(), "never written"));
	OK(ppuShutdown());
	start();
	LAUNCH("start_faulty", 1, 1, at(0));
	CHECK(ppuCtxSynchronize() == PPU_ERROR_ILLEGAL_ADDRESS);
	printf("# %s\n", ppuGetLastErrorDetail());
	CHECK(strstr(ppuGetLastErrorDetail(), "kernel faulty"));
	OK(ppuShutdown());
	each();
}

/* WQ-68: killed at any moment while it makes work for itself without end. */
static void killed(void)
{
	for (unsigned n = 0; n < 6; n++) {
		int ready[2], status;
		char byte;
		pid_t child;

		CHECK(!pipe(ready));
		child = fork();
		if (!child) {
			start();
			LAUNCH("chain", 1, 1, at(0), ~0u);
			while (__atomic_load_n(&mem[0], __ATOMIC_RELAXED) < 3)
				;
			CHECK(write(ready[1], "x", 1) == 1);
			ppuCtxSynchronize();
			_exit(1);
		}
		CHECK(read(ready[0], &byte, 1) == 1);
		usleep(n * 3000);
		kill(child, SIGKILL);
		CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
		close(ready[0]);
		close(ready[1]);
	}
	each();
}

/* ---- no CPU --------------------------------------------------------------------------------------- */

/* How often a thread was scheduled on a CPU. */
static unsigned long scheduled(pid_t tid)
{
	unsigned long run, wait, count;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)tid);
	f = fopen(path, "re");
	CHECK(f && fscanf(f, "%lu %lu %lu", &run, &wait, &count) == 3);
	fclose(f);
	return count;
}

/* Interrupts of the device, all vectors. */
static unsigned long interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "re");
	unsigned long sum = 0;
	char line[1024];

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		char *p = strchr(line, ':'), *end;

		if (!p || !strstr(line, "ppu-"))
			continue;
		for (p++; ; p = end) {
			unsigned long v = strtoul(p, &end, 10);

			if (end == p)
				break;
			sum += v;
		}
	}
	fclose(f);
	return sum;
}

static pid_t waiter_tid;

static void *waiter(void *arg)
{
	__atomic_store_n(&waiter_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	OK(ppuCtxSynchronize());
	return NULL;
}

/*
 * WQ-52: kernels that launch each other, on a ring that holds them all.  One thread waits; another thread observes,
 * with plain loads and stores of memory. After every STRETCH launches the chain stops until the observer has looked; so
 * a whole stretch lies between two observations, whatever the speed. During a stretch there is no interrupt of the
 * device, and the waiting thread, which is in a system call, does not run. There are no other threads, so there is no
 * ioctl. A wait checks for errors twice a second, so this may disturb some stretches, but not all of them.
 */
#define LINKS	900u
#define STRETCH	10u

static uint64_t counter(const char *name)
{
	uint64_t v;

	OK(ppuDeviceGetCounter(0, name, &v));
	return v;
}

static void no_cpu(void)
{
	ppuQueueOptions o = { .entries = 2048 };
	unsigned long runs, irqs;
	unsigned quiet = 0;
	pthread_t t;

	start();
	OK(ppuStreamSetQueue(NULL, &o));
	LAUNCH("held_chain", 1, 1, at(0), LINKS, STRETCH, at(64));
	CHECK(!pthread_create(&t, NULL, waiter, NULL));
	while (!__atomic_load_n(&waiter_tid, __ATOMIC_ACQUIRE))
		;
	for (uint32_t k = 1; k < LINKS / STRETCH; k++) {
		while (__atomic_load_n(&mem[0], __ATOMIC_ACQUIRE) < k * STRETCH)
			;
		runs = scheduled(waiter_tid);
		irqs = interrupts();
		__atomic_store_n(&mem[64], k, __ATOMIC_RELEASE);
		while (__atomic_load_n(&mem[0], __ATOMIC_ACQUIRE) < (k + 1) * STRETCH)
			;
		CHECK(interrupts() == irqs);
		quiet += scheduled(waiter_tid) == runs;
	}
	__atomic_store_n(&mem[64], LINKS, __ATOMIC_RELEASE);
	pthread_join(t, NULL);
	CHECK(mem[0] == LINKS);
	printf("# %u stretches of %u launches, the waiting thread did not run in %u of them\n", LINKS / STRETCH - 1, STRETCH,
	       quiet);
	CHECK(quiet >= 1);
	stop();
}

/*
 * The device's own counters: 800 more launches cause no more register accesses (except those that the driver makes by
 * itself now and then).
 */
#define NOW_AND_THEN	100u

static void no_mmio(void)
{
	uint64_t writes[2], reads[2], bells[2];
	ppuQueueOptions o = { .entries = 2048 };

	start();
	OK(ppuStreamSetQueue(NULL, &o));
	for (unsigned i = 0; i < 2; i++) {
		uint64_t w, r, d;

		mem[0] = 0;
		w = counter("mmio_writes");
		r = counter("mmio_reads");
		d = counter("doorbells");
		LAUNCH("chain", 1, 1, at(0), i ? LINKS : 100);
		while (__atomic_load_n(&mem[0], __ATOMIC_ACQUIRE) < (i ? LINKS : 100))
			;
		writes[i] = counter("mmio_writes") - w;
		reads[i] = counter("mmio_reads") - r;
		bells[i] = counter("doorbells") - d;
		OK(ppuCtxSynchronize());
	}
	printf("# 100 launches: %llu writes, %llu reads, %llu doorbells; 900: %llu, %llu, %llu\n",
	       (unsigned long long)writes[0], (unsigned long long)reads[0], (unsigned long long)bells[0],
	       (unsigned long long)writes[1], (unsigned long long)reads[1], (unsigned long long)bells[1]);
	CHECK(bells[0] == 1 && bells[1] == 1);
	CHECK(writes[1] < writes[0] + NOW_AND_THEN && reads[1] < reads[0] + NOW_AND_THEN);
	stop();
}

/* ---------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*fn)(void);
} tests[] = {
	{ "each thread a launch (WQ-26, WQ-70, WQ-74)", each },
	{ "nothing, later work, waiting for room (WQ-62, WQ-67, WQ-69)", order },
	{ "100 launches queued on a ring of eight (WQ-59)", queued },
	{ "three queues in each of two processes (WQ-12)", two_processes },
	{ "errors are named (WQ-62, WQ-68)", errors },
	{ "killed while it makes work (WQ-68)", killed },
	{ "no interrupt, no ioctl, and who waits does not run (WQ-52)", no_cpu },
	{ "no register access (WQ-52)", no_mmio },
};
#define NUM	(sizeof(tests) / sizeof(tests[0]))

int main(int argc, char **argv)
{
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%zu\n", NUM);
	for (unsigned i = 0; i < NUM; i++) {
		int status = 0;
		pid_t pid;

		fflush(stdout);
		if (argc > 1 && !strstr(tests[i].name, argv[1])) {
			printf("ok %u - %s # SKIP not asked for\n", i + 1, tests[i].name);
			continue;
		}
		pid = fork();
		if (!pid) {
			tests[i].fn();
			exit(0);
		}
		waitpid(pid, &status, 0);
		failed += status != 0;
		printf("%sok %u - %s\n", status ? "not " : "", i + 1, tests[i].name);
	}
	return failed != 0;
}
