/* SPDX-License-Identifier: MIT */
/*
 * What a launch costs around the code of its kernel: CPU time of the host by the way a kernel is launched (the
 * reference is a launch by the CPU that waits for the one before), CPU time of an empty CTA (reference: a CTA of one
 * warp), and device time of launches that depend on each other, by the length of the SMs' windows (reference: the
 * default window).  On the host with the core backend.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ppu.h>

#define LINKS	2000u
#define CTAS	60000u
#define ROUNDS	3

/* tests/unit/runtime/devq.cu */
__asm__(".section .rodata\nlaunch_ptx:\n.incbin \"" DEVQ_PTX "\"\n.byte 0\n.previous\n");
extern const char launch_ptx[] __attribute__((visibility("hidden")));

static const char empty[] = ".kernel nothing\nexit\n.kernel meet\nbar.sync 0\nexit\n";

static ppuModule queues, plain;
static void *mem;

static void ok(ppuResult r, const char *what)
{
	if (r) {
		fprintf(stderr, "%s: %s: %s\n", what, ppuGetErrorName(r), ppuGetLastErrorDetail());
		exit(1);
	}
}
#define OK(call) ok((call), #call)

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double device_ns(void)
{
	uint64_t ns;

	OK(ppuDeviceGetTime(0, &ns));
	return (double)ns;
}

static void result(const char *name, double value, const char *unit, double reference)
{
	printf("{\"name\": \"launch: %s\", \"value\": %g, \"unit\": \"%s\"", name, value, unit);
	if (reference > 0)
		printf(", \"reference\": %g", reference);
	printf("}\n");
	fflush(stdout);
}

static void launch(ppuModule m, const char *name, unsigned grid, unsigned block, uint64_t a, uint64_t b)
{
	void *args[] = { &a, &b };
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, m, name));
	OK(ppuLaunchKernel(f, ppuDim(grid, 1, 1), ppuDim(block, 1, 1), 0, NULL, args, NULL, 0));
}

/* Four ways to make n launches of the same kernel, one warp each. */

static void each_waits(unsigned n)
{
	while (n--) {
		launch(queues, "leaf", 1, 32, (uintptr_t)mem, 1);
		OK(ppuCtxSynchronize());
	}
}

static void all_queued(unsigned n)
{
	while (n--)
		launch(queues, "leaf", 1, 32, (uintptr_t)mem, 1);
	OK(ppuCtxSynchronize());
}

/* Each launch is inserted into the device's own queue by the one before. */
static void chain(unsigned n)
{
	uint32_t links;

	OK(ppuMemset(mem, 0, 4, 16));
	launch(queues, "chain", 1, 1, (uintptr_t)mem, n);
	OK(ppuCtxSynchronize());
	OK(ppuMemcpy(&links, mem, 4));
	if (links != n) {
		fprintf(stderr, "%u links instead of %u\n", links, n);
		exit(1);
	}
}

static double host_ns(void (*way)(unsigned n), unsigned n)
{
	double t = cpu_seconds();

	way(n);
	return (cpu_seconds() - t) * 1e9 / n;
}

static double best_ns(void (*way)(unsigned n), unsigned n)
{
	double best = 1e18;

	for (unsigned i = 0; i < ROUNDS; i++) {
		double t = host_ns(way, n);

		best = t < best ? t : best;
	}
	return best;
}

static void ways(void)
{
	double first = host_ns(chain, 50), by_cpu;

	by_cpu = best_ns(each_waits, LINKS);
	result("by the CPU, each waits for the one before (host)", by_cpu, "ns", 0);
	result("by the CPU, all queued (host)", best_ns(all_queued, LINKS), "ns", by_cpu);
	result("through the device's queue, each by the one before (host)", best_ns(chain, LINKS), "ns", by_cpu);
	result("the same, first 50 of a process, with its start (host)", first, "ns", by_cpu);
}

static double cta_ns(const char *kernel, unsigned threads)
{
	double best = 1e18;

	for (unsigned i = 0; i < ROUNDS; i++) {
		double t = cpu_seconds();

		launch(plain, kernel, CTAS, threads, 0, 0);
		OK(ppuCtxSynchronize());
		t = (cpu_seconds() - t) * 1e9 / CTAS;
		best = t < best ? t : best;
	}
	return best;
}

static void ctas(void)
{
	double one = cta_ns("nothing", 32), empty_ns = cta_ns("nothing", 256);

	result("an empty CTA of 32 threads (host)", one, "ns", 0);
	result("an empty CTA of 256 threads (host)", empty_ns, "ns", one);
	result("an empty CTA of 1024 threads (host)", cta_ns("nothing", 1024), "ns", one);
	result("a CTA of 256 threads that meet once (host)", cta_ns("meet", 256), "ns", empty_ns);
}

static void start(const char *props)
{
	ppuInitOptions o = { .backend = "core", .props = props };

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&queues, launch_ptx, 0, NULL));
	OK(ppuModuleLoadData(&plain, empty, 0, NULL));
	OK(ppuMalloc(&mem, 65536));
}

/* Device ns of a launch that waits for the one before. */
static double dependent(void (*way)(unsigned n))
{
	double t;

	way(20);
	t = device_ns();
	way(LINKS);
	return (device_ns() - t) / LINKS;
}

static void windows(void)
{
	static const struct { unsigned ns, halvings; const char *name; } w[] = {
		{ 10000, 0, "10000 ns" }, { 5000, 0, "5000 ns" }, { 2000, 0, "2000 ns" }, { 1000, 0, "1000 ns" },
		{ 500, 0, "500 ns" }, { 10000, 2, "10000 to 2500 ns" }, { 10000, 4, "10000 to 625 ns" },
	};
	double first[4] = { 0 };
	char text[120];

	for (unsigned i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
		double host, device, queued, chained;

		snprintf(text, sizeof(text), "window-ns=%u window-halvings=%u", w[i].ns, w[i].halvings);
		start(text);
		queued = dependent(all_queued);
		chained = dependent(chain);
		if (!i) {
			first[0] = queued;
			first[1] = chained;
		}
		snprintf(text, sizeof(text), "by the CPU, all queued, windows of %s (device)", w[i].name);
		result(text, queued, "ns", first[0]);
		snprintf(text, sizeof(text), "through the device's queue, windows of %s (device)", w[i].name);
		result(text, chained, "ns", first[1]);
		device = device_ns();
		host = cta_ns("nothing", 256);
		device = (device_ns() - device) / CTAS / ROUNDS;
		if (!i) {
			first[2] = host;
			first[3] = device;
		}
		snprintf(text, sizeof(text), "an empty CTA of 256 threads, windows of %s (host)", w[i].name);
		result(text, host, "ns", first[2]);
		snprintf(text, sizeof(text), "an empty CTA of 256 threads, windows of %s (device)", w[i].name);
		result(text, device, "ns", first[3]);
		OK(ppuShutdown());
	}
}

/* One part alone, for a profiler: bench_launch ways|ctas|windows */
static bool wanted(int argc, char **argv, const char *part)
{
	return argc < 2 || !strcmp(argv[1], part);
}

int main(int argc, char **argv)
{
	start(NULL);
	if (wanted(argc, argv, "ways"))
		ways();
	if (wanted(argc, argv, "ctas"))
		ctas();
	OK(ppuShutdown());
	if (wanted(argc, argv, "windows"))
		windows();
	return 0;
}
