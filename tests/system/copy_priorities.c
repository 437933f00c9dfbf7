/* SPDX-License-Identifier: MIT */
/*
 * Copy priorities and host functions through the driver, in the guest.  TAP.
 * Rows: CP-7, CP-12, CP-13, CP-23, CP-25, CP-30, CP-31, CP-37; CP-10 (both directions of numbers).
 *
 * A free-running guest promises no times.  So all copies wait for one event that a host function holds back. When the
 * function returns, all copies become ready at the same time, and the order of their time stamps is the order of their
 * priorities.
 */
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ppu.h>
#include "lib/check.h"

#define BYTES	65536u
#define COPIES	4

static void start(const char *streams, const char *copies)
{
	ppuInitOptions o = { .backend = "drm", .stream_priorities = streams, .copy_priorities = copies };

	OK(ppuInit(&o));
}

static void wait_for(void *arg)
{
	while (sem_wait(arg))
		;
}

static void semaphores_are_zero(void)
{
	ppuCopyConfig c;
	uint64_t v;

	OK(ppuCtxGetCopyConfig(&c));
	for (int n = 1; n <= (int)c.priorities; n++) {
		ppuResult res = ppuCtxGetCopySemaphore(n, NULL, &v);

		CHECK(res == PPU_ERROR_NOT_FOUND || (!res && !v));
	}
}

/*
 * COPIES copies in each of `levels` streams, from the least priority up, all behind one event.  when: the
 * device time after each copy.
 */
static void race(int levels, int step, uint64_t when[][COPIES])
{
	ppuEvent gate, done[8][COPIES];
	char *dev, *host;
	ppuStream hold, s[8];
	sem_t go;

	CHECK(!sem_init(&go, 0, 0));
	OK(ppuMalloc((void **)&dev, 8 * BYTES));
	OK(ppuMallocHost((void **)&host, 8 * BYTES));
	OK(ppuEventCreate(&gate, PPU_EVENT_DISABLE_TIMING));
	OK(ppuStreamCreate(&hold, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuLaunchHostFunc(hold, wait_for, &go));
	OK(ppuEventRecord(gate, hold));
	for (int l = 0; l < levels; l++) {
		memset(host + l * BYTES, l + 1, BYTES);
		OK(ppuStreamCreate(&s[l], PPU_STREAM_NON_BLOCKING, l * step));
		OK(ppuStreamWaitEvent(s[l], gate));
		for (int i = 0; i < COPIES; i++) {
			OK(ppuEventCreate(&done[l][i], 0));
			OK(ppuMemcpyAsync(dev + l * BYTES, host + l * BYTES, BYTES, s[l]));
			OK(ppuEventRecord(done[l][i], s[l]));
		}
	}
	/* CP-23: the copies wait for an event, so none of them is counted. */
	semaphores_are_zero();
	for (int l = 0; l < levels; l++)
		CHECK(ppuStreamQuery(s[l]) == PPU_ERROR_NOT_READY);
	sem_post(&go);
	OK(ppuCtxSynchronize());
	semaphores_are_zero();
	for (int l = 0; l < levels; l++) {
		for (int i = 0; i < COPIES; i++)
			OK(ppuEventGetTime(done[l][i], &when[l][i]));
		memset(host + l * BYTES, 0, BYTES);
	}
	OK(ppuMemcpy(host, dev, (size_t)levels * BYTES));
	for (int l = 0; l < levels; l++)
		for (unsigned i = 0; i < BYTES; i++)
			CHECK(host[l * (int)BYTES + (int)i] == l + 1);
	sem_destroy(&go);
}

/* Every copy of a level ends before any of the next lower one. */
static int ordered(int levels, uint64_t when[][COPIES])
{
	for (int l = 0; l + 1 < levels; l++)
		for (int i = 0; i < COPIES; i++)
			for (int k = 0; k < COPIES; k++)
				if (when[l + 1][i] >= when[l][k])
					return 0;
	return 1;
}

static void in_order(const char *streams, int step, const char *copies, int levels)
{
	uint64_t when[8][COPIES];

	start(streams, copies);
	race(levels, step, when);
	CHECK(ordered(levels, when));
	OK(ppuShutdown());
}

static void t_default(void)
{
	in_order(NULL, -1, NULL, 6);
}

static void t_directions(void)
{
	in_order("0:-3", -1, "internal=4 channels=4 order=down", 4);
	in_order("0:3", 1, "internal=4 channels=4", 4);
	in_order("0:3", 1, "internal=4 channels=4 order=down", 4);
}

static void t_system_memory(void)
{
	in_order("0:-2", -1, "internal=3 channels=6 memory=system", 3);
}

static void t_off(void)
{
	uint64_t when[8][COPIES];
	ppuCtx ctx;

	start("0:-2", "internal=3");
	OK(ppuCtxCreate(&ctx, PPU_CTX_NO_COPY_PRIORITIES, 0));
	race(3, -1, when);
	CHECK(!ordered(3, when));
	OK(ppuShutdown());
}

/*
 * CP-37: when processes are killed with copies of all priorities under way, the semaphores of other processes do not
 * change.
 */
static void t_killed(void)
{
	uint64_t when[8][COPIES];

	for (int round = 0; round < 3; round++) {
		pid_t pid;
		int fd[2];
		char c;

		CHECK(!pipe(fd));
		pid = fork();
		if (!pid) {
			char *dev, *host;
			ppuStream s[3];

			start("0:-2", "internal=3");
			OK(ppuMalloc((void **)&dev, 16 << 20));
			OK(ppuMallocHost((void **)&host, 16 << 20));
			for (int i = 0; i < 3; i++)
				OK(ppuStreamCreate(&s[i], PPU_STREAM_NON_BLOCKING, -i));
			for (int i = 0; i < 60; i++) {
				OK(ppuMemcpyAsync(dev, host, 16 << 20, s[i % 3]));
				if (i == 30 && write(fd[1], "x", 1) != 1)
					exit(1);
			}
			OK(ppuCtxSynchronize());
			pause();
		}
		CHECK(read(fd[0], &c, 1) == 1);
		if (round)
			usleep(5000u * (unsigned)round);
		start("0:-2", "internal=3");
		kill(pid, SIGKILL);
		race(3, -1, when);
		CHECK(ordered(3, when));
		OK(ppuShutdown());
		CHECK(waitpid(pid, NULL, 0) == pid);
		close(fd[0]);
		close(fd[1]);
	}
}

/* ---- host functions, registered memory ------------------------------------------------------ */

static void bump(void *arg)
{
	volatile unsigned *v = arg;

	*v = *v * 3 + 1;
}

static void t_host_functions(void)
{
	unsigned *h, want = 7;
	ppuStream s;
	void *d;

	start(NULL, NULL);
	OK(ppuMallocHost((void **)&h, 4096));
	OK(ppuMalloc(&d, 4096));
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, -1));
	OK(ppuMemsetAsync(h, 7, 4, 1, s));
	for (int i = 0; i < 20; i++) {
		OK(ppuLaunchHostFunc(s, bump, h));
		OK(ppuMemcpyAsync(d, h, 4, s));
		OK(ppuMemsetAsync(h, 0, 4, 1, s));
		OK(ppuMemcpyAsync(h, d, 4, s));
		want = want * 3 + 1;
	}
	OK(ppuStreamSynchronize(s));
	CHECK(h[0] == want);
	OK(ppuShutdown());
}

static void t_register(void)
{
	static char memory[3 * 4096];

	start(NULL, NULL);
	OK(ppuHostRegister(memory, sizeof(memory), 0));
	OK(ppuMemset(memory, 5, 1, sizeof(memory)));
	CHECK(memory[0] == 5 && memory[sizeof(memory) - 1] == 5);
	OK(ppuHostUnregister(memory));
	OK(ppuShutdown());
}

int main(void)
{
	static const struct system_test tests[] = {
		{ "six priorities by default, highest first", t_default },
		{ "both directions of both scales", t_directions },
		{ "semaphores in system memory", t_system_memory },
		{ "a context without: another order", t_off },
		{ "killed processes", t_killed },
		{ "host functions in order", t_host_functions },
		{ "existing memory is registered", t_register },
	};

	return run_each(tests, sizeof(tests) / sizeof(tests[0]));
}
