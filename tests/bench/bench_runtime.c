/* SPDX-License-Identifier: MIT */
/*
 * The runtime: the cost of a call, and the speed of copies and instructions. On the host with the core backend;
 * bench_guest.sh runs it in the guest ("drm").  Reference of the copies: memcpy of the same size in the same run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ppu.h>

static const char code[] =
	".kernel nothing\n"
	"exit\n"
	/* 8 x 4096 multiply-adds a thread */
	".kernel spin\n"
	".param p u64\n"
	"mov.u32 r4, 4096\n"
	"mov.u32 r5, 1 ; mov.u32 r6, 3\n"
	"top: mad.u32 r5, r5, r6, r4\n mad.u32 r5, r5, r6, r4\n mad.u32 r5, r5, r6, r4\n mad.u32 r5, r5, r6, r4\n"
	"mad.u32 r5, r5, r6, r4\n mad.u32 r5, r5, r6, r4\n mad.u32 r5, r5, r6, r4\n mad.u32 r5, r5, r6, r4\n"
	"sub.u32 r4, r4, 1\n"
	"setp.ne.u32 p0, r4, 0\n"
	"@p0 bra top\n"
	"ld.param.u64 rd8, [p]\n"
	"st.global.u32 [rd8], r5\n"
	"exit\n";

static const char *where = "host";

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
	if (reference > 0)
		printf("{\"name\": \"%s: %s\", \"value\": %g, \"unit\": \"%s\", \"reference\": %g}\n", where, name, value,
		       unit, reference);
	else
		printf("{\"name\": \"%s: %s\", \"value\": %g, \"unit\": \"%s\"}\n", where, name, value, unit);
	fflush(stdout);
}

static void copy(size_t bytes, unsigned times)
{
	char name[64];
	void *h, *d, *a = malloc(bytes), *b = malloc(bytes);
	double t, ref, best = 1e9, best_ref = 1e9;

	OK(ppuMallocHost(&h, bytes));
	OK(ppuMalloc(&d, bytes));
	memset(a, 1, bytes);
	memset(b, 2, bytes);
	memset(h, 3, bytes);
	OK(ppuMemcpy(d, h, bytes));
	for (unsigned i = 0; i < times; i++) {
		t = now();
		OK(ppuMemcpy(d, h, bytes));
		t = now() - t;
		best = t < best ? t : best;
		ref = now();
		memcpy(a, b, bytes);
		__asm__ volatile("" ::: "memory");
		ref = now() - ref;
		best_ref = ref < best_ref ? ref : best_ref;
	}
	snprintf(name, sizeof(name), "copy pinned to device, %zu KiB", bytes >> 10);
	result(name, (double)bytes / best / 1e9, "GB/s", (double)bytes / best_ref / 1e9);
	OK(ppuFree(d));
	OK(ppuFreeHost(h));
	free(a);
	free(b);
}

static uint64_t mmio(void)
{
	uint64_t r, w;

	OK(ppuDeviceGetCounter(0, "mmio_reads", &r));
	OK(ppuDeviceGetCounter(0, "mmio_writes", &w));
	return r + w;
}

/* Register accesses per submission; reading the counters is such an access, too: taken off. */
static void submit_cost(ppuFunction nothing)
{
	enum { N = 500 };
	uint64_t own, launches, copies;
	void *h, *d;

	OK(ppuMallocHost(&h, 4096));
	OK(ppuMalloc(&d, 4096));
	OK(ppuStreamSynchronize(NULL));
	own = mmio();
	own = mmio() - own;
	launches = mmio();
	for (int i = 0; i < N; i++)
		OK(ppuLaunchKernel(nothing, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, NULL, NULL, 0));
	launches = mmio() - launches - own;
	OK(ppuStreamSynchronize(NULL));
	copies = mmio();
	for (int i = 0; i < N; i++)
		OK(ppuMemcpyAsync(d, h, 4096, NULL));
	copies = mmio() - copies - own;
	OK(ppuStreamSynchronize(NULL));
	result("device MMIO accesses per launch submitted", (double)launches / N, "accesses", 0);
	result("device MMIO accesses per copy submitted", (double)copies / N, "accesses", 0);
	OK(ppuFree(d));
	OK(ppuFreeHost(h));
}

int main(int argc, char **argv)
{
	ppuInitOptions o = { .backend = argc > 1 ? argv[1] : "core" };
	ppuFunction nothing, spin;
	ppuModule mod;
	uint64_t i0, i1, w0, w1;
	void *d;
	double t;

	if (argc > 1)
		where = argv[1];
	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
	OK(ppuModuleGetFunction(&nothing, mod, "nothing"));
	OK(ppuModuleGetFunction(&spin, mod, "spin"));
	OK(ppuMalloc(&d, 4096));

	copy(4 << 10, 200);
	copy(1 << 20, 30);
	copy(64 << 20, 4);

	OK(ppuStreamSynchronize(NULL));
	t = now();
	for (int i = 0; i < 500; i++) {
		OK(ppuLaunchKernel(nothing, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, NULL, NULL, 0));
		OK(ppuStreamSynchronize(NULL));
	}
	result("launch and wait, empty kernel", (now() - t) / 500 * 1e6, "us", 0);
	t = now();
	for (int i = 0; i < 900; i++)
		OK(ppuLaunchKernel(nothing, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, NULL, NULL, 0));
	result("submit a launch, no wait", (now() - t) / 900 * 1e6, "us", 0);
	submit_cost(nothing);
	OK(ppuStreamSynchronize(NULL));

	OK(ppuDeviceGetCounter(0, "thread_instructions", &i0));
	OK(ppuDeviceGetCounter(0, "warp_instructions", &w0));
	t = now();
	OK(ppuLaunchKernel(spin, ppuDim(30, 1, 1), ppuDim(256, 1, 1), 0, NULL, (void *[]){ &d }, NULL, 0));
	OK(ppuStreamSynchronize(NULL));
	t = now() - t;
	OK(ppuDeviceGetCounter(0, "thread_instructions", &i1));
	OK(ppuDeviceGetCounter(0, "warp_instructions", &w1));
	result("integer multiply-adds, serial SMs", (double)(i1 - i0) / t / 1e6, "M thread insns/s", 0);
	result("the same", (double)(w1 - w0) / t / 1e6, "M warp insns/s", 0);
	OK(ppuShutdown());
	return 0;
}
