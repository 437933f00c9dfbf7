/* SPDX-License-Identifier: MIT */
/*
 * Work that makes work: a chain of kernels launched by threads through the device-owned queue, against the same chain
 * launched by the CPU, one after the other has ended, and all at once; host and device time.  The device's counters for
 * both: doorbells, interrupts, host commands. How inserting scales with the number of threads. On the host with the
 * core backend; the reference of each number is that of the launches by the CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ppu.h>

#define LINKS	400u

/* tests/unit/runtime/devq.cu */
__asm__(".section .rodata\ndevq_ptx:\n.incbin \"" DEVQ_PTX "\"\n.byte 0\n.previous\n");
extern const char devq_ptx[] __attribute__((visibility("hidden")));

static void ok(ppuResult r, const char *what)
{
	if (r) {
		fprintf(stderr, "%s: %s: %s\n", what, ppuGetErrorName(r), ppuGetLastErrorDetail());
		exit(1);
	}
}
#define OK(call) ok((call), #call)

static ppuModule module;
static void *mem;

/* The differences between two readings. */
struct cost {
	double host, device;	/* seconds */
	uint64_t doorbells, interrupts, commands;
};

static uint64_t counter(const char *name)
{
	uint64_t v;

	OK(ppuDeviceGetCounter(0, name, &v));
	return v;
}

static struct cost look(void)
{
	struct timespec ts;
	uint64_t ns;

	OK(ppuDeviceGetTime(0, &ns));
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct cost){
		.host = (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9, .device = (double)ns * 1e-9,
		.doorbells = counter("doorbells"), .interrupts = counter("interrupts"), .commands = counter("host_commands"),
	};
}

static struct cost since(struct cost a)
{
	struct cost b = look();

	return (struct cost){ b.host - a.host, b.device - a.device, b.doorbells - a.doorbells, b.interrupts - a.interrupts,
			      b.commands - a.commands };
}

static void launch(const char *name, unsigned grid, unsigned block, uint64_t a, uint64_t b)
{
	void *args[] = { &a, &b };
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, module, name));
	OK(ppuLaunchKernel(f, ppuDim(grid, 1, 1), ppuDim(block, 1, 1), 0, NULL, args, NULL, 0));
}

static void result(const char *name, double value, const char *unit, double reference)
{
	printf("{\"name\": \"%s\", \"value\": %g, \"unit\": \"%s\"", name, value, unit);
	if (reference >= 0)
		printf(", \"reference\": %g", reference);
	printf("}\n");
	fflush(stdout);
}

static void chains(void)
{
	uint64_t at = (uintptr_t)mem;
	struct cost queue, cpu, batch;
	uint32_t count;

	launch("chain", 1, 1, at, 2);		/* everything has been used once before the measurement */
	launch("leaf", 1, 32, at, 1);
	OK(ppuCtxSynchronize());
	OK(ppuMemset(mem, 0, 4, 16));
	queue = look();
	launch("chain", 1, 1, at, LINKS);
	OK(ppuCtxSynchronize());
	queue = since(queue);
	OK(ppuMemcpy(&count, mem, 4));
	if (count != LINKS) {
		fprintf(stderr, "%u links instead of %u\n", count, LINKS);
		exit(1);
	}
	cpu = look();
	for (unsigned i = 0; i < LINKS; i++) {
		launch("leaf", 1, 32, at, 1);
		OK(ppuCtxSynchronize());
	}
	cpu = since(cpu);
	batch = look();
	for (unsigned i = 0; i < LINKS; i++)
		launch("leaf", 1, 32, at, 1);
	OK(ppuCtxSynchronize());
	batch = since(batch);
	result("devq: launches, each by the one before (device time)", LINKS / queue.device, "1/s", LINKS / cpu.device);
	result("devq: the same in host time", LINKS / queue.host, "1/s", LINKS / cpu.host);
	result("devq: against launches queued by the CPU (device time)", LINKS / queue.device, "1/s", LINKS / batch.device);
	result("devq: doorbells for 400 launches", (double)queue.doorbells, "", (double)cpu.doorbells);
	result("devq: interrupts for 400 launches", (double)queue.interrupts, "", (double)cpu.interrupts);
	result("devq: commands of the host interface for a launch", (double)queue.commands / LINKS, "", (double)cpu.commands / LINKS);
}

/* Threads of one launch, each inserting a launch. */
static void scaling(void)
{
	static const unsigned threads[] = { 1, 4, 16, 64, 256, 1024 };
	ppuQueueOptions o = { .entries = 4096 };
	double one = 0;

	OK(ppuStreamSetQueue(NULL, &o));
	for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		unsigned n = threads[i], block = n < 64 ? n : 64;
		struct cost c;
		char name[64];

		launch("each", 1, 1, (uintptr_t)mem, (uintptr_t)mem + 8192);
		OK(ppuCtxSynchronize());
		c = look();
		launch("each", n / block, block, (uintptr_t)mem, (uintptr_t)mem + 8192);
		OK(ppuCtxSynchronize());
		c = since(c);
		snprintf(name, sizeof(name), "devq: launches inserted by %u threads (device time)", n);
		one = i ? one : n / c.device;
		result(name, n / c.device, "1/s", one);
	}
}

int main(void)
{
	ppuInitOptions o = { .backend = "core" };

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&module, devq_ptx, 0, NULL));
	OK(ppuMalloc(&mem, 65536));
	chains();
	scaling();
	OK(ppuShutdown());
	return 0;
}
