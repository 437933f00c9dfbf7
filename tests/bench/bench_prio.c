/* SPDX-License-Identifier: MIT */
/*
 * Tasks and priorities: how long an urgent kernel waits for a machine that is full, what preemption
 * costs, and what a launch costs while others are pending.  Over the core backend; "device" times are
 * the device's own and the same on every machine.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ppu.h>
#include <hw/ppu_tmd.h>

/* bulk: some 800 us of device time a block.  launch: n times the TMD, from one thread. */
static const char code[] =
	".kernel nothing\n"
	"exit\n"
	".kernel bulk\n"
	"mov.u32 r4, 4000\n"
	"top: sub.u32 r4, r4, 1\n"
	"setp.ne.u32 p0, r4, 0\n"
	"@p0 bra top\n"
	"exit\n"
	".kernel launch\n"
	".param n u32\n"
	".param tmd u64\n"
	".param failed u64\n"
	"ld.param.u32 r4, [n]\n"
	"ld.param.u64 rd2, [tmd]\n"
	"ld.param.u64 rd8, [failed]\n"
	"mov.u32 r7, 0\n"
	"top: tlaunch r6, rd2\n"
	"add.u32 r7, r7, r6\n"
	"sub.u32 r4, r4, 1\n"
	"setp.ne.u32 p0, r4, 0\n"
	"@p0 bra top\n"
	"st.global.u32 [rd8], r7\n"
	"exit\n";

#define BLOCKS		600u		/* blocks of bulk: several times as many as the machine holds */
#define FILL_NS		50000u		/* time after which as many blocks run as fit */

static ppuModule mod;

static void ok(ppuResult r, const char *what)
{
	if (r) {
		fprintf(stderr, "%s: %s: %s\n", what, ppuGetErrorName(r), ppuGetLastErrorDetail());
		exit(1);
	}
}
#define OK(call) ok((call), #call)

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void result(const char *name, double value, const char *unit)
{
	printf("{\"name\": \"%s\", \"value\": %g, \"unit\": \"%s\"}\n", name, value, unit);
	fflush(stdout);
}

static void start(const char *props)
{
	ppuInitOptions o = { .backend = "core", .props = props };

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
}

static ppuFunction fn(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, name));
	return f;
}

/* From the launch of an empty kernel to its end, device time, while bulk has the machine (or not). */
static double urgent(const char *props, bool full, bool priorities)
{
	ppuStream low, high;
	ppuEvent begin, end;
	int least, greatest;
	uint64_t t0, t1;

	start(props);
	OK(ppuStreamGetPriorityRange(&least, &greatest));
	OK(ppuStreamCreate(&low, PPU_STREAM_NON_BLOCKING, least));
	OK(ppuStreamCreate(&high, PPU_STREAM_NON_BLOCKING, priorities ? greatest : least));
	OK(ppuEventCreate(&begin, 0));
	OK(ppuEventCreate(&end, 0));
	OK(ppuDeviceGetTime(0, &t0));
	if (full) {
		OK(ppuLaunchKernel(fn("bulk"), ppuDim(BLOCKS, 1, 1), ppuDim(1024, 1, 1), 0, low, NULL, NULL, 0));
		ppuStreamSynchronizeUntil(low, t0 + FILL_NS, UINT64_MAX);
	}
	OK(ppuLaunchKernelTimed(fn("nothing"), ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, high, NULL, NULL, 0, begin, end));
	OK(ppuStreamSynchronize(high));
	OK(ppuEventGetTime(begin, &t0));
	OK(ppuEventGetTime(end, &t1));
	OK(ppuShutdown());
	return (double)(t1 - t0) / 1e3;
}

static void *child_tmd(const char *name)
{
	ppuFunctionAttributes a;
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .kind = PPU_TMD_GRID,
		.grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
	};
	void *mem;

	OK(ppuFunctionGetAttributes(&a, fn(name)));
	OK(ppuMalloc(&mem, sizeof(t)));
	t.code_va = a.code_address;
	t.entry_pc = a.entry_pc;
	t.code_insns = a.entry_pc + a.code_insns;
	t.regs_per_thread = (uint16_t)a.regs;
	OK(ppuMemcpy(mem, &t, sizeof(t)));
	return mem;
}

/* All are launched before the first can start: the parent has the only slot, and no priorities. */
static void device_launches(uint32_t n)
{
	ppuEvent begin, end;
	uint32_t bad = 0;
	uint64_t t0, t1;
	void *tmd, *failed;
	char name[80];
	double t;

	start("task-records=116000 task-slots=1 device-priorities=0 gpcs=1 sms-per-gpc=1 vram=512M");
	OK(ppuCtxSetLimit(PPU_LIMIT_PENDING_LAUNCHES, 0));
	tmd = child_tmd("nothing");
	OK(ppuMalloc(&failed, 4));
	OK(ppuEventCreate(&begin, 0));
	OK(ppuEventCreate(&end, 0));
	t = now();
	OK(ppuLaunchKernelTimed(fn("launch"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL,
				(void *[]){ &n, &tmd, &failed }, NULL, 0, begin, end));
	OK(ppuStreamSynchronize(NULL));
	t = now() - t;
	OK(ppuEventGetTime(begin, &t0));
	OK(ppuEventGetTime(end, &t1));
	OK(ppuMemcpy(&bad, failed, 4));
	if (bad) {
		fprintf(stderr, "%u launches: some failed\n", n);
		exit(1);
	}
	snprintf(name, sizeof(name), "device: launch from a kernel, up to %u pending", n);
	result(name, t / n * 1e9, "ns");
	snprintf(name, sizeof(name), "device: the same, up to %u pending, device time", n);
	result(name, (double)(t1 - t0) / n, "ns");
	if (n == 10000)
		result("device-side launches", n / t, "launches/s");
	OK(ppuShutdown());
}

static void cpu_launches(uint32_t n)
{
	double t;

	start("gpcs=1 sms-per-gpc=1");
	t = now();
	for (uint32_t i = 0; i < n; i++)
		OK(ppuLaunchKernel(fn("nothing"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, NULL, NULL, 0));
	OK(ppuStreamSynchronize(NULL));
	result("CPU launches", n / (now() - t), "launches/s");
	OK(ppuShutdown());
}

int main(void)
{
	double empty = urgent(NULL, false, true), with = urgent(NULL, true, true);

	result("urgent kernel, empty machine, device time", empty, "us");
	result("urgent kernel, full machine, with priorities, device time", with, "us");
	result("urgent kernel, full machine, without priorities, device time", urgent(NULL, true, false), "us");
	result("urgent kernel, full machine, preempted at the end of blocks only, device time",
	       urgent("preempt-level=0", true, true), "us");
	/* SMs start new work at the next window: short windows show the cost of eviction itself. */
	result("preemption latency, windows of 500 ns, device time",
	       urgent("window-ns=500", true, true) - urgent("window-ns=500", false, true), "us");
	cpu_launches(10000);
	for (uint32_t n = 1000; n <= 100000; n *= 10)
		device_launches(n);
	return 0;
}
