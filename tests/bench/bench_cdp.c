/* SPDX-License-Identifier: MIT */
/*
 * Launches by threads per second, compared with launches by the CPU in the same run (the reference). And the cost of a
 * launch while up to 10^5 others are pending, which must not grow (the reference is the cost with 10^3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ppu.h>

#define LAUNCHES	20000u
#define THREADS		100u

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

static void result(const char *name, double value, const char *unit, double reference)
{
	printf("{\"name\": \"host: %s\", \"value\": %g, \"unit\": \"%s\", \"reference\": %g}\n", name, value, unit,
	       reference);
	fflush(stdout);
}

static ppuModule module;
static void *counters, *times;		/* u32 done, failed; u64 each */

static ppuFunction function(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, module, name));
	return f;
}

/* Every child ran, no launch failed. */
static void finish(uint32_t children)
{
	uint32_t v[2];

	OK(ppuCtxSynchronize());
	OK(ppuMemcpy(v, counters, sizeof(v)));
	if (v[0] != children || v[1]) {
		fprintf(stderr, "%u of %u children ran, %u launches failed\n", v[0], children, v[1]);
		exit(1);
	}
}

static void start(void)
{
	OK(ppuMemset(counters, 0, 4, 2));
	OK(ppuCtxSynchronize());
}

static void rates(void)
{
	ppuFunction parent = function("parent"), child = function("child");
	uint64_t stream = 4 /* fire and forget */, stamp[2 * LAUNCHES / THREADS], first = ~0ull, last = 0;
	void *failed = (char *)counters + 4, *args[] = { &counters, &failed, &stream, &times };
	double cpu, thread;

	start();
	thread = now();
	OK(ppuLaunchKernel(parent, ppuDim(LAUNCHES / THREADS, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, args, NULL, 0));
	finish(LAUNCHES);
	thread = LAUNCHES / (now() - thread);
	OK(ppuMemcpy(stamp, times, sizeof(stamp)));
	for (unsigned i = 0; i < LAUNCHES / THREADS; i++) {
		first = stamp[2 * i] < first ? stamp[2 * i] : first;
		last = stamp[2 * i + 1] > last ? stamp[2 * i + 1] : last;
	}
	start();
	cpu = now();
	for (unsigned i = 0; i < LAUNCHES; i++)
		OK(ppuLaunchKernel(child, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, args, NULL, 0));
	finish(LAUNCHES);
	cpu = LAUNCHES / (now() - cpu);
	result("launches by threads (reference: by the CPU)", thread, "1/s", cpu);
	printf("{\"name\": \"device time: a launch by a thread\", \"value\": %g, \"unit\": \"ns\"}\n",
	       (double)(last - first) / LAUNCHES);
}

/* The cost of a launch with n pending; times: the first two rounds, the last round, the end. */
static double pending(uint32_t n, double *device_ns)
{
	ppuFunction f = function("pending");
	void *failed = (char *)counters + 4;
	uint32_t milliseconds = n / 1000 + 10;	/* more than the launches take */
	void *args[] = { &counters, &failed, &n, &milliseconds, &times };
	uint64_t stamp[4];
	double t;

	start();
	t = now();
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, args, NULL, 0));
	finish(n);
	t = (now() - t) / n;
	OK(ppuMemcpy(stamp, times, sizeof(stamp)));
	*device_ns = (double)(stamp[3] - stamp[2]) / THREADS;	/* of the last round, all others pending */
	return t * 1e9;
}

int main(void)
{
	ppuInitOptions o = { .backend = "core", .props = "task-records=116000" };
	char path[4096], name[80];
	double reference = 0, device_reference = 0, device_ns, ns;

	OK(ppuInit(&o));
	snprintf(path, sizeof(path), "%s/bench/cdp.ptx", getenv("BUILD") ? getenv("BUILD") : "build");
	OK(ppuModuleLoad(&module, path, NULL));
	OK(ppuCtxSetLimit(PPU_LIMIT_PENDING_LAUNCHES, 1000000));
	OK(ppuMalloc(&counters, 8));
	OK(ppuMalloc(&times, 16 * LAUNCHES));
	rates();
	for (uint32_t n = 1000; n <= 100000; n *= 10) {
		ns = pending(n, &device_ns);
		if (!reference) {
			reference = ns;
			device_reference = device_ns;
		}
		snprintf(name, sizeof(name), "a launch by a thread and its child, %u pending", n);
		result(name, ns, "ns", reference);
		printf("{\"name\": \"device time: a launch by a thread, %u pending\", \"value\": %g, \"unit\": \"ns\", "
		       "\"reference\": %g}\n", n, device_ns, device_reference);
	}
	OK(ppuShutdown());
	return 0;
}
