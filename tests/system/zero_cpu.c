/* SPDX-License-Identifier: MIT */
/*
 * WQ-52: work that threads on the GPU make runs without the CPU.  A kernel puts 400 kernels into its stream's queue;
 * from its start to the last of them there is no access to a register of the device, no interrupt, no ioctl, and the
 * thread that waits for the stream is not scheduled.  The kernels themselves wait at both ends of that time, for words
 * in pinned memory; so the test does not depend on speed.  TAP.
 */
#define _GNU_SOURCE
#include <libgen.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <hw/ppu_counters.h>
#include <ppu.h>
#include "lib/check.h"

#define LAUNCHES 400u		/* two entries each: the default queue has room for them */
#define LONG_US	1500000
#define PATIENCE 120		/* seconds to wait for something that never comes when there is a mistake */

/* Words of pinned memory: first and last kernel, and what they wait for. */
enum { FIRST, GO, LAST, END, FAILED, WORDS };

static volatile uint32_t *words;
static uint32_t *count;			/* in device memory */
static ppuFunction first;
static ppuStream stream;

/* ---- what is looked at -------------------------------------------------------------------------------- */

static atomic_ulong ioctls;		/* of threads other than the one that counts */
static pid_t looker;

/* All ioctls of this process come here: the program's symbol is found before the C library's. */
int ioctl(int fd, unsigned long request, ...);
int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (gettid() != looker)
		ioctls++;
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

struct look {
	uint64_t reads, writes, irqs, doorbells;
	unsigned long ioctls;
	char sched[128];	/* time on the CPU, time waiting for it, times it was put there */
};

/* Which of the threads waits, and how often it was on a CPU. */
static void schedstat(pid_t tid, char *to, size_t n)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	f = fopen(path, "r");
	CHECK(f && fgets(to, (int)n, f));
	fclose(f);
}

static struct look look(pid_t waiter)
{
	uint64_t v[PPU_CTR_COUNT];
	struct look l;

	OK(ppuDeviceGetCounters(0, v, PPU_CTR_COUNT));
	l.reads = v[PPU_CTR_MMIO_READS];
	l.writes = v[PPU_CTR_MMIO_WRITES];
	l.irqs = v[PPU_CTR_IRQS];
	l.doorbells = v[PPU_CTR_DOORBELLS];
	l.ioctls = ioctls;
	schedstat(waiter, l.sched, sizeof(l.sched));
	return l;
}

static void await(unsigned word)
{
	for (unsigned i = 0; !words[word]; i++) {
		if (i > PATIENCE * 1000) {
			printf("# word %u does not come\n", word);
			exit(1);
		}
		usleep(1000);
	}
}

static bool asleep(pid_t tid)
{
	char path[64], text[256], *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	CHECK(f && fgets(text, sizeof(text), f));
	fclose(f);
	p = strrchr(text, ')');
	return p && p[2] == 'S';
}

/* It sleeps, and goes on sleeping. */
static void await_sleep(pid_t tid)
{
	char now[128], before[128] = "";

	for (unsigned i = 0; i < PATIENCE * 20; i++) {
		schedstat(tid, now, sizeof(now));
		if (asleep(tid) && !strcmp(now, before))
			return;
		memcpy(before, now, sizeof(now));
		usleep(50000);
	}
	printf("# the waiting thread does not stay asleep: %s", now);
	exit(1);
}

/* ---- one nested launch ---------------------------------------------------------------------------------- */

static _Atomic pid_t waiter;

static void *launch_and_wait(void *arg)
{
	uint32_t n = *(uint32_t *)arg;
	void *params[] = { &words, &count, &n };

	waiter = gettid();
	OK(ppuLaunchKernel(first, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, stream, params, NULL, 0));
	OK(ppuStreamSynchronize(stream));
	return NULL;
}

struct measured {
	struct look begin, end;
	uint64_t own_reads, own_writes;		/* the cost of one look() itself */
	uint64_t irqs_to_last;			/* from before the launch */
};

static struct measured run(uint32_t n, bool driver)
{
	struct look l0, l1, before;
	struct measured m;
	uint32_t launched;
	pthread_t t;

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = 0;
	OK(ppuMemset(count, 0, 4, 1));
	OK(ppuCtxSynchronize());
	waiter = 0;
	before = look(looker);
	CHECK(!pthread_create(&t, NULL, launch_and_wait, &n));
	await(FIRST);
	await_sleep(waiter);
	l0 = look(waiter);
	l1 = look(waiter);
	m.own_reads = l1.reads - l0.reads;
	m.own_writes = l1.writes - l0.writes;
	m.begin = l1;
	/* Long enough for anybody who wakes up now and then: it must be nobody. */
	usleep(LONG_US);
	words[GO] = 1;
	await(LAST);
	m.end = look(waiter);
	/* What the driver does after an interrupt may come later than the last kernel.  If it never comes, the time limit
	 * of the test ends this. */
	for (uint64_t own = m.own_writes; driver && m.end.writes - m.begin.writes <= own; own += m.own_writes) {
		usleep(1000);
		m.end = look(waiter);
	}
	m.irqs_to_last = m.end.irqs - before.irqs;
	words[END] = 1;
	pthread_join(t, NULL);
	CHECK(!words[FAILED]);
	OK(ppuMemcpy(&launched, count, 4));
	CHECK(launched == n);
	return m;
}

static void start(void)
{
	ppuInitOptions o = { .backend = "drm" };
	char self[512] = "", path[600];
	ppuModule module;

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(path, sizeof(path), "%s/zero_cpu.ptx", dirname(self));
	looker = gettid();
	OK(ppuInit(&o));
	OK(ppuModuleLoad(&module, path, NULL));
	OK(ppuModuleGetFunction(&first, module, "first"));
	OK(ppuMallocHost((void **)&words, 4 * WORDS));
	OK(ppuMalloc((void **)&count, 4));
	OK(ppuStreamCreate(&stream, 0, 0));
}

int main(void)
{
	const ppuQueueOptions no_assist = { .flags = PPU_STREAM_QUEUE_NO_ASSIST };
	struct measured m;

	start();
	OK(ppuStreamSetQueue(stream, NULL));
	run(3, false);		/* after the first launch, everything that is made only once exists */
	m = run(LAUNCHES, false);
	printf("# %u nested launches: %llu reads and %llu writes of registers (a look: %llu and %llu), %llu interrupts, %lu ioctls\n",
	       LAUNCHES, (unsigned long long)(m.end.reads - m.begin.reads),
	       (unsigned long long)(m.end.writes - m.begin.writes), (unsigned long long)m.own_reads,
	       (unsigned long long)m.own_writes, (unsigned long long)(m.end.irqs - m.begin.irqs),
	       m.end.ioctls - m.begin.ioctls);
	printf("# the waiting thread: %s", m.end.sched);
	CHECK(m.end.reads - m.begin.reads == m.own_reads);
	CHECK(m.end.writes - m.begin.writes == m.own_writes);
	CHECK(m.end.doorbells == m.begin.doorbells);
	printf("ok 1 - WQ-52: no access to the device from the start of the launching kernel to the last nested one\n");
	CHECK(m.irqs_to_last == 0);
	printf("ok 2 - WQ-52: no interrupt from before the doorbell to the last nested kernel\n");
	CHECK(m.end.ioctls == m.begin.ioctls);
	printf("ok 3 - WQ-52: no ioctl\n");
	CHECK(!strcmp(m.end.sched, m.begin.sched));
	printf("ok 4 - WQ-52: the waiting thread is not scheduled: its schedstat stays as it is\n");
	/* Shows that the measurement works: without the assist the driver refreshes. */
	OK(ppuStreamSetQueue(stream, &no_assist));
	run(3, false);
	m = run(LAUNCHES, true);
	printf("# without the assist: %llu interrupts, %llu since the kernel went on; %llu reads and %llu writes\n",
	       (unsigned long long)m.irqs_to_last, (unsigned long long)(m.end.irqs - m.begin.irqs),
	       (unsigned long long)(m.end.reads - m.begin.reads), (unsigned long long)(m.end.writes - m.begin.writes));
	CHECK(m.irqs_to_last > 0);
	printf("ok 5 - WQ-59: without the assist \"ring low\" interrupts, which this notices\n1..5\n");
	return 0;
}
