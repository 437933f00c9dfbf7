/* SPDX-License-Identifier: MIT */
/*
 * Scenarios of the specification whose steps only the device decides, for both backends.  Everything is submitted
 * while one function of the CPU holds all of it back; from then on the CPU does nothing.  So the device does the same in
 * a machine as in a process, whatever the CPU's speed.  Run by tests/system/host_golden_channels.sh:
 *
 *	scenes copies2		CP-X1
 *	scenes copies3		CP-X2, case A
 *	scenes queue TIMING	WQ-X1, timing (i), (ii) or (iii)
 *
 * Prints what is needed to read the trace: device times between which the scenario lies, numbers of channels.
 */
#include <inttypes.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_tmd.h>
#include <ppu.h>
#include "../lib/check.h"

#define KIB	1024u

/* devq.ptx, the kernels of tests/unit/runtime/devq.cu */
__asm__(".section .rodata\ndevq_ptx:\n.incbin \"" DEVQ_PTX "\"\n.byte 0\n.previous\n");
extern const char devq_ptx[] __attribute__((visibility("hidden")));

static ppuModule module;
static char *dev;		/* 4 MiB of device memory */

static ppuFunction kernel(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, module, name));
	return f;
}

static void launch(const char *name, uint64_t first, uint32_t second, ppuStream s)
{
	void *args[] = { &first, &second };

	OK(ppuLaunchKernel(kernel(name), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, args, NULL, 0));
}

static uint64_t device_time(void)
{
	uint64_t t;

	OK(ppuDeviceGetTime(0, &t));
	return t;
}

/* ---- copies ------------------------------------------------------------------------------------------- */

static void hold_on(void *sem)
{
	while (sem_wait(sem))
		;
}

/* Streams of copies by priority, and a stream of kernels whose events say when each of them may begin. */
struct copies {
	sem_t go;
	ppuStream clock, s[3];
	uint64_t begin;
	char *host;
};

static struct copies *copies_new(int levels)
{
	static struct copies c;

	CHECK(!sem_init(&c.go, 0, 0));
	OK(ppuMallocHost((void **)&c.host, 4096 * KIB));
	OK(ppuStreamCreate(&c.clock, PPU_STREAM_NON_BLOCKING, 0));
	launch("plain", (uintptr_t)dev, 0, c.clock);
	for (int i = 0; i < levels; i++) {
		OK(ppuStreamCreate(&c.s[i], PPU_STREAM_NON_BLOCKING, -i));
		/* What is made at a stream's first copy exists from now on. */
		OK(ppuMemcpyAsync(dev, c.host, 64, c.s[i]));
	}
	OK(ppuCtxSynchronize());
	OK(ppuLaunchHostFunc(c.clock, hold_on, &c.go));
	c.begin = device_time();
	return &c;
}

/* The stream of this priority goes on one kernel after the one before it. */
static void tick(struct copies *c, int level)
{
	ppuEvent e;

	OK(ppuEventCreate(&e, PPU_EVENT_DISABLE_TIMING));
	launch("plain", (uintptr_t)dev, 0, c->clock);
	OK(ppuEventRecord(e, c->clock));
	OK(ppuStreamWaitEvent(c->s[level], e));
}

static void copy(struct copies *c, int level, size_t bytes)
{
	OK(ppuMemcpyAsync(dev, c->host, bytes, c->s[level]));
}

static void copies_go(struct copies *c)
{
	sem_post(&c->go);
	OK(ppuCtxSynchronize());
	printf("scene %" PRIu64 " %" PRIu64 "\n", c->begin, device_time());
}

static void two_priorities(void)
{
	struct copies *c = copies_new(2);

	tick(c, 0);
	copy(c, 0, 256 * KIB);		/* Mlow1 to Mlow3 */
	copy(c, 0, 257 * KIB);
	copy(c, 0, 258 * KIB);
	tick(c, 1);
	copy(c, 1, 1024 * KIB);		/* Mhigh1, Mhigh2: while Mlow1 is in flight */
	copy(c, 1, 259 * KIB);
	copies_go(c);
}

static void three_priorities(void)
{
	struct copies *c = copies_new(3);

	tick(c, 0);
	copy(c, 0, 1024 * KIB);		/* L0 */
	tick(c, 2);
	copy(c, 2, 256 * KIB);		/* c, b, a1 */
	tick(c, 1);
	copy(c, 1, 257 * KIB);
	copy(c, 0, 258 * KIB);
	copies_go(c);
}

/* ---- a device-owned queue ----------------------------------------------------------------------------- */

/* Offsets in dev: struct x1 of devq.cu, blocks, TMDs, their parameters. */
enum { X1 = 0, BLOCK1 = 1024, BLOCK2 = 1280, TMD1 = 2048, TMD2 = 3072, PARAMS = 4096 };

static void put(unsigned at, const void *from, size_t bytes)
{
	OK(ppuMemcpy(dev + at, from, bytes));
}

static void put_launch(unsigned block, unsigned at, const char *name)
{
	const uint64_t va = (uintptr_t)dev + at;
	const uint32_t w[3] = { PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0), (uint32_t)va, (uint32_t)(va >> 32) };
	ppuFunctionAttributes a;
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .kind = PPU_TMD_GRID,
		.grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .param_va = (uintptr_t)dev + PARAMS,
	};

	OK(ppuFunctionGetAttributes(&a, kernel(name)));
	t.regs_per_thread = (uint16_t)a.regs;
	t.code_va = a.code_address;
	t.entry_pc = a.entry_pc;
	t.code_insns = a.entry_pc + a.code_insns + 4096;
	t.local_per_thread = a.local_bytes;
	t.num_barriers = a.barriers;
	t.param_bytes = a.param_bytes;
	put(at, &t, sizeof(t));
	put(block, w, sizeof(w));
}

static void queue(uint32_t timing)
{
	const ppuQueueOptions o = {
		.entries = 8, .flags = PPU_STREAM_QUEUE_SPLIT | PPU_STREAM_QUEUE_NO_TERMINATOR,
	};
	const uint64_t va = (uintptr_t)dev, params[2] = { va + X1, timing };
	const struct ppu_gpfifo_entry pbs[2] = { { va + BLOCK1, 3, 0 }, { va + BLOCK2, 3, 0 } };
	ppuQueueInfo q;
	uint64_t begin;

	OK(ppuStreamSetQueue(NULL, &o));
	put(X1, pbs, sizeof(pbs));
	put(PARAMS, params, sizeof(params));
	put_launch(BLOCK1, TMD1, "x1_pbs1");
	put_launch(BLOCK2, TMD2, "x1_pbs2");
	launch("plain", va + 8192, 0, NULL);
	OK(ppuCtxSynchronize());
	OK(ppuStreamGetQueue(NULL, &q));
	begin = device_time();
	launch("x1_launch", va + X1, timing, NULL);
	OK(ppuCtxSynchronize());
	/* The first entry of the launch itself is behind the one with the refresh. */
	printf("scene %" PRIu64 " %" PRIu64 " %u %u %u\n", begin, device_time(), q.launch_channel, q.channel,
	       q.launch_put + 1);
}

int main(int argc, char **argv)
{
	ppuInitOptions o = { .stream_priorities = "0:-2", .copy_priorities = "internal=3" };
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "copies2"))
		o = (ppuInitOptions){ .stream_priorities = "0:-1", .copy_priorities = "internal=2" };
	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&module, devq_ptx, 0, NULL));
	OK(ppuMalloc((void **)&dev, 4096 * KIB));
	if (!strcmp(name, "copies2"))
		two_priorities();
	else if (!strcmp(name, "copies3"))
		three_priorities();
	else if (!strcmp(name, "queue") && argc > 2)
		queue((uint32_t)atoi(argv[2]));
	else
		return 2;
	return 0;
}
