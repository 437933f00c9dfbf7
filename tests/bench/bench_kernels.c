/* SPDX-License-Identifier: MIT */
/*
 * Whole kernels through the runtime and the PTX compiler on the device core, one SM after the other (no worker
 * threads), with references. For every kernel there is a line for each of:
 *
 *   rate      thread instructions a second of one core; reference: 1/20 of the f32 FMA lane rate that one
 *             core reaches in registers in the same run.  A ratio of 1 is the aim for the mean.
 *   per warp  ns of one warp instruction
 *   time      ms; reference: the same work in plain C, -O3 -march=native, one core
 *   two       how much faster two workers are than one; reference: how much faster two threads do the work of plain C
 *             twice than one does, each on arrays of its own, which is what the host has to give
 *   translation  us that the host code took to make; reference: 10 us for each instruction, the limit
 *
 * and lines that compare the engines, and the translator with an OpenCL compiler for the CPU, one thread, if there is
 * one (kernels.cl; the reference is the rate at which it does the work of the device's instructions); at the end the
 * geometric means over the first seven.  Times of one core are CPU
 * times, so that other load does not show; the one with workers is not, and means little on a busy machine.
 *
 *   bench_kernels [quick] [KERNEL [SIZE]]
 *
 * PPU_ENGINE_WITHOUT=1 in the environment: the translator does without AVX-512 (the property x-engine-without);
 * PPU_PROPS: more properties, as gpcs=4,sms-per-gpc=4.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ppu.h>
#include "native.h"
#include "opencl.h"
#include "result.h"

#define PART_OF_FMA	20	/* the aim: this part of the FMA lane rate */
#define MEAN_OF		7	/* kernels that count for the mean */
#define TURNS		4	/* of one and two workers */
#define INSN_LIMIT	10	/* us: the translation of one instruction */
#define C_LEAST		0.01	/* s that plain C works in a turn of one and two threads */

static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void ok(ppuResult r, const char *what)
{
	if (r) {
		fprintf(stderr, "%s: %s: %s\n", what, ppuGetErrorName(r), ppuGetLastErrorDetail());
		exit(1);
	}
}
#define OK(call) ok((call), #call)

static void result(const char *kernel, const char *what, double value, const char *unit, double reference)
{
	char name[128];

	snprintf(name, sizeof(name), "kernel: %s%s", kernel, what);
	bench_result(name, value, unit, reference);
}

enum { VECADD, NAIVE, TILED, MANDEL, HIST, REDUCE, NBODY, SPMV, SHA, BFS, PRICES, FFT, TRANSPOSE,
       STENCIL, DGEMM, KERNELS };
static const char *const names[KERNELS] = { "vecadd", "sgemm_naive", "sgemm_tiled", "mandelbrot", "histogram",
					    "reduction", "nbody", "spmv", "sha256", "bfs", "black_scholes", "fft",
					    "transpose", "stencil", "dgemm" };
/* Elements; with "quick" fewer. */
static const uint32_t full[KERNELS] = { 1 << 22, 512, 512, 1024, 1 << 22, 1 << 22, 4096, 1 << 17, 1 << 17,
				       1 << 18, 1 << 20, 1 << 20, 2048, 2048, 384 };
static const uint32_t quick[KERNELS] = { 1 << 16, 64, 64, 128, 1 << 16, 1 << 16, 512, 1 << 12, 1 << 12,
					1 << 12, 1 << 14, 1 << 14, 256, 256, 64 };

#define MAX_LIMIT	256	/* mandelbrot */
#define ROW_LEN		16	/* spmv: mean length of a row */

/* Host copies of up to six arrays of a kernel, the result last. */
struct work {
	uint32_t n;
	unsigned arrays;
	size_t bytes[6];
	void *host[6], *device[6];
	uint32_t scalar;
	bool has_scalar, integer;	/* results are integers: compared exactly */
	bool f64;			/* results are f64 */
	ppuDim3 grid, block;
};

static void add(struct work *w, size_t bytes, int kind)
{
	uint32_t *p = calloc(1, bytes), x = 12345 + w->arrays;

	for (size_t i = 0; kind && i < bytes / 4; i++) {
		float f;

		x = x * 1664525 + 1013904223;
		f = (float)(x >> 8) / (1 << 24);
		if (kind == 'f')
			memcpy(&p[i], &f, 4);
		else if (kind == 'd')
			p[i] = i & 1 ? 0x3fe00000 + (x >> 12) : x;	/* from 0.5 to 2 */
		else
			p[i] = x ^ x >> 15;
	}
	/* Plain C does not pay for the system's giving memory when it is touched first. */
	for (size_t i = 0; i < bytes; i += 4096)
		((volatile char *)p)[i] = ((volatile char *)p)[i];
	w->host[w->arrays] = p;
	w->bytes[w->arrays++] = bytes;
}

/* For each of n rows fewer than `limit` numbers below n, in CSR form: the starts of the rows, and the numbers. */
static uint32_t links(struct work *w, uint32_t n, uint32_t limit)
{
	uint32_t *start, *next;

	add(w, (n + 1) * 4, 'u');
	start = w->host[0];
	start[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		start[i + 1] = start[i] + (start[i + 1] >> 7) % limit;
	add(w, start[n] * 4, 'u');
	next = w->host[1];
	for (uint32_t i = 0; i < start[n]; i++)
		next[i] %= n;
	return start[n];
}

/* n nodes with up to 15 neighbours each; every eighth node is on level 0, the others have none. */
static void graph(struct work *w, uint32_t n)
{
	uint32_t *levels;

	links(w, n, 16);
	add(w, n * 4, 0);
	levels = w->host[2];
	for (uint32_t i = 0; i < n; i++)
		levels[i] = i % 8 ? ~0u : 0;
	w->has_scalar = true;
}

static void prepare(struct work *w, int k, uint32_t n)
{
	memset(w, 0, sizeof(*w));
	w->n = n;
	w->block = ppuDim(256, 1, 1);
	w->grid = ppuDim((n + 255) / 256, 1, 1);
	w->integer = k == MANDEL || k == HIST || k == REDUCE || k == SHA || k == BFS;
	switch (k) {
	case VECADD:
		for (int i = 0; i < 3; i++)
			add(w, n * 4, i < 2 ? 'f' : 0);
		break;
	case NAIVE: case TILED:
		for (int i = 0; i < 3; i++)
			add(w, (size_t)n * n * 4, i < 2 ? 'f' : 0);
		w->block = ppuDim(16, 16, 1);
		w->grid = ppuDim(n / 16, n / 16, 1);
		break;
	case MANDEL:
		add(w, (size_t)n * n * 4, 0);
		w->scalar = MAX_LIMIT;
		w->has_scalar = true;
		w->block = ppuDim(16, 16, 1);
		w->grid = ppuDim(n / 16, n / 16, 1);
		break;
	case HIST:
		add(w, n, 'u');
		add(w, 1024, 0);
		w->grid = ppuDim(60, 1, 1);
		break;
	case REDUCE:
		add(w, n * 4, 'u');
		add(w, 4, 0);
		w->grid = ppuDim(60, 1, 1);
		break;
	case NBODY:
		add(w, n * 16, 'f');
		add(w, n * 12, 0);
		break;
	case SPMV:
		add(w, links(w, n, 2 * ROW_LEN) * 4, 'f');
		add(w, n * 4, 'f');
		add(w, n * 4, 0);
		break;
	case SHA:
		add(w, (size_t)n * 64, 'u');
		add(w, n * 4, 0);
		break;
	case BFS:
		graph(w, n);
		break;
	case PRICES:
		for (int i = 0; i < 3; i++)
			add(w, n * 4, 'f');
		add(w, (size_t)n * 8, 0);
		break;
	case FFT:
		add(w, (size_t)n * 8, 'f');
		add(w, 128 * 8, 0);
		for (uint32_t i = 0; i < 128; i++) {
			((float *)w->host[1])[2 * i] = (float)cos(i * M_PI / 128);
			((float *)w->host[1])[2 * i + 1] = (float)-sin(i * M_PI / 128);
		}
		add(w, (size_t)n * 8, 0);
		w->block = ppuDim(128, 1, 1);
		w->grid = ppuDim(n / 256, 1, 1);
		break;
	case TRANSPOSE: case STENCIL:
		add(w, (size_t)n * n * 4, 'f');
		add(w, (size_t)n * n * 4, 0);
		w->block = ppuDim(16, 16, 1);
		w->grid = ppuDim(n / 16, n / 16, 1);
		break;
	case DGEMM:
		for (int i = 0; i < 3; i++)
			add(w, (size_t)n * n * 8, i < 2 ? 'd' : 0);
		w->f64 = true;
		w->block = ppuDim(16, 16, 1);
		w->grid = ppuDim(n / 16, n / 16, 1);
		break;
	}
}

static void in_c(const struct work *w, int k)
{
	void *const *h = w->host;

	switch (k) {
	case VECADD: native_vecadd(h[0], h[1], h[2], w->n); break;
	case NAIVE: case TILED: native_sgemm(h[0], h[1], h[2], w->n); break;
	case MANDEL: native_mandelbrot(h[0], w->n, w->scalar); break;
	case HIST: native_histogram(h[0], w->n, h[1]); break;
	case REDUCE: native_reduction(h[0], w->n, h[1]); break;
	case NBODY: native_nbody(h[0], h[1], w->n); break;
	case SPMV: native_spmv(h[0], h[1], h[2], h[3], h[4], w->n); break;
	case SHA: native_sha256(h[0], h[1], w->n); break;
	case BFS: native_bfs(h[0], h[1], h[2], w->n, w->scalar); break;
	case PRICES: native_black_scholes(h[0], h[1], h[2], h[3], w->n); break;
	case FFT: native_fft(h[0], h[1], h[2], w->n); break;
	case TRANSPOSE: native_transpose(h[0], h[1], w->n); break;
	case STENCIL: native_stencil(h[0], h[1], w->n); break;
	case DGEMM: native_dgemm(h[0], h[1], h[2], w->n); break;
	}
}

/* Kernel parameters: the arrays, n, the scalar; histogram and reduction have n before the result. */
static void launch(struct work *w, int k, ppuFunction f)
{
	void *args[10];
	unsigned n = 0;
	bool before = k == HIST || k == REDUCE;

	for (unsigned i = 0; i < w->arrays; i++) {
		if (before && i + 1 == w->arrays)
			args[n++] = &w->n;
		args[n++] = &w->device[i];
	}
	if (!before)
		args[n++] = &w->n;
	if (w->has_scalar)
		args[n++] = &w->scalar;
	OK(ppuLaunchKernel(f, w->grid, w->block, 0, NULL, args, NULL, 0));
	OK(ppuStreamSynchronize(NULL));
}

static void compare(const struct work *w, int k, const void *got)
{
	const uint32_t *a = w->host[w->arrays - 1], *b = got;
	const double *p = w->host[w->arrays - 1], *q = got;

	for (size_t i = 0; w->f64 && i < w->bytes[w->arrays - 1] / 8; i++)
		if (fabs(p[i] - q[i]) > 1e-9 * (fabs(p[i]) + 1)) {
			fprintf(stderr, "%s: result %zu differs: %g, in C %g\n", names[k], i, q[i], p[i]);
			exit(1);
		}
	if (w->f64)
		return;
	for (size_t i = 0; i < w->bytes[w->arrays - 1] / 4; i++) {
		float x, y;

		memcpy(&x, &a[i], 4);
		memcpy(&y, &b[i], 4);
		if (w->integer ? a[i] == b[i] : fabsf(x - y) <= 1e-3f * (fabsf(x) + 1))
			continue;
		/* a pixel on the edge may differ: the host may fuse operations that the PTX compiler does not */
		if (k == MANDEL && i % 97)
			continue;
		fprintf(stderr, "%s: result %zu differs: %08x, in C %08x\n", names[k], i, b[i], a[i]);
		exit(1);
	}
}

struct times {
	double cpu, wall;
	uint64_t threads, warps;
	double translation;		/* s; 0: interpreted */
	unsigned translated;		/* instructions */
};

/* The translation of the device's only program. */
static void read_translation(struct times *t)
{
	ppuTranslation made;

	if (ppuDeviceGetTranslation(0, 0, &made))
		return;
	t->translation = (double)made.host_ns * 1e-9;
	t->translated = made.instructions;
}

static struct times run(int k, uint32_t n, const char *ptx, double *c_time)
{
	struct times best = { .cpu = 1e9, .wall = 1e9 };
	struct work w;
	ppuModule mod;
	ppuFunction f;
	void *got;

	prepare(&w, k, n);
	OK(ppuModuleLoad(&mod, ptx, NULL));
	OK(ppuModuleGetFunction(&f, mod, names[k]));
	for (unsigned i = 0; i < w.arrays; i++) {
		OK(ppuMalloc(&w.device[i], w.bytes[i]));
		OK(ppuMemcpy(w.device[i], w.host[i], w.bytes[i]));
	}
	got = malloc(w.bytes[w.arrays - 1]);
	for (int i = 0; i < 3; i++) {
		uint64_t t0, t1, w0, w1;
		double cpu, wall;

		OK(ppuMemcpy(w.device[w.arrays - 1], w.host[w.arrays - 1], w.bytes[w.arrays - 1]));
		OK(ppuDeviceGetCounter(0, "thread_instructions", &t0));
		OK(ppuDeviceGetCounter(0, "warp_instructions", &w0));
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
		wall = seconds(CLOCK_MONOTONIC);
		launch(&w, k, f);
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		wall = seconds(CLOCK_MONOTONIC) - wall;
		OK(ppuDeviceGetCounter(0, "thread_instructions", &t1));
		OK(ppuDeviceGetCounter(0, "warp_instructions", &w1));
		best.threads = t1 - t0;
		best.warps = w1 - w0;
		best.cpu = cpu < best.cpu ? cpu : best.cpu;
		best.wall = wall < best.wall ? wall : best.wall;
	}
	read_translation(&best);
	OK(ppuMemcpy(got, w.device[w.arrays - 1], w.bytes[w.arrays - 1]));
	if (c_time) {
		double t = seconds(CLOCK_PROCESS_CPUTIME_ID);

		in_c(&w, k);
		*c_time = seconds(CLOCK_PROCESS_CPUTIME_ID) - t;
		compare(&w, k, got);
	}
	for (unsigned i = 0; i < w.arrays; i++) {
		OK(ppuFree(w.device[i]));
		free(w.host[i]);
	}
	free(got);
	OK(ppuModuleUnload(mod));
	return best;
}

/* CPU time of the kernel by OpenCL; 0: there is none. Its results are compared with those of C, too. */
static double run_opencl(struct ocl *ocl, int k, uint32_t n)
{
	struct work w;
	struct ocl_run r;
	double t;
	void *got;

	if (!ocl)
		return 0;
	prepare(&w, k, n);
	r = (struct ocl_run){ .kernel = names[k], .arrays = w.arrays, .host = w.host, .bytes = w.bytes, .n = n,
		.scalar = w.scalar, .has_scalar = w.has_scalar, .n_before = k == HIST || k == REDUCE,
		.grid = { w.grid.x, w.grid.y }, .block = { w.block.x, w.block.y } };
	got = malloc(w.bytes[w.arrays - 1]);
	t = ocl_run(ocl, &r, got);
	if (t < 0) {
		fprintf(stderr, "%s: OpenCL failed\n", names[k]);
		exit(1);
	}
	in_c(&w, k);
	compare(&w, k, got);
	for (unsigned i = 0; i < w.arrays; i++)
		free(w.host[i]);
	free(got);
	return t;
}

enum { INTERPRET = 1, TRANSLATE };

static void start(unsigned workers, unsigned engine)
{
	const char *without = getenv("PPU_ENGINE_WITHOUT"), *more = getenv("PPU_PROPS");
	char props[256];
	ppuInitOptions o = { .backend = "core", .props = props };

	snprintf(props, sizeof(props), "vram=256M,workers=%u,engine=%u,x-engine-without=%s,%s", workers, engine,
		 without ? without : "0", more ? more : "");
	OK(ppuInit(&o));
}

/* Sums of logarithms, of what geometric means are made. */
struct means {
	double translated, interpreted, opencl, two, two_of_c;
	int n;
};

static void add_mean(struct means *m, double translated, double interpreted, double opencl, double two, double two_of_c)
{
	m->translated += log(translated);
	m->interpreted += log(interpreted);
	m->opencl += opencl > 0 ? log(opencl) : 0;
	m->two += log(two);
	m->two_of_c += log(two_of_c);
	m->n++;
}

static void print_means(const struct means *m, const char *which, double fma, bool opencl)
{
	double rate = exp(m->translated / m->n) / 1e9;

	result(which, ", rate", rate, "G/s", fma / 1e9);
	result(which, ", translated (reference: interpreted)", rate, "G/s", exp(m->interpreted / m->n) / 1e9);
	result(which, ", translated (reference: OpenCL)", rate, "G/s", opencl ? exp(m->opencl / m->n) / 1e9 : 0);
	result(which, ", two workers to one", exp(m->two / m->n), "x", exp(m->two_of_c / m->n));
}

/* One and two workers in turns, the best of each: what else the machine does is more or less the same for both. */
static double two_to_one(int k, uint32_t n, const char *ptx)
{
	double best[2] = { 1e9, 1e9 };

	for (unsigned i = 0; i < 2 * TURNS; i++) {
		double wall;

		start(i % 2 ? 2 : 0, TRANSLATE);
		wall = run(k, n, ptx, NULL).wall;
		OK(ppuShutdown());
		best[i % 2] = wall < best[i % 2] ? wall : best[i % 2];
	}
	return best[0] / best[1];
}

/* Plain C, again and again. */
struct c_thread {
	struct work w;
	int k;
	unsigned times;
};

static void *c_thread(void *arg)
{
	const struct c_thread *t = arg;

	for (unsigned i = 0; i < t->times; i++)
		in_c(&t->w, t->k);
	return NULL;
}

static double c_turn(struct c_thread t[2], bool together)
{
	double since = seconds(CLOCK_MONOTONIC);
	pthread_t other;

	if (together && pthread_create(&other, NULL, c_thread, &t[1])) {
		perror("a thread of C");
		exit(1);
	}
	c_thread(&t[0]);
	if (together)
		pthread_join(other, NULL);
	else
		c_thread(&t[1]);
	return seconds(CLOCK_MONOTONIC) - since;
}

/* What two threads gain where nothing keeps one from the other but the host's caches and memory. */
static double two_threads_of_c(int k, uint32_t n, double c)
{
	double best[2] = { 1e9, 1e9 };
	struct c_thread t[2];

	for (unsigned i = 0; i < 2; i++) {
		memset(&t[i], 0, sizeof(t[i]));
		prepare(&t[i].w, k, n);
		t[i].k = k;
		t[i].times = c < C_LEAST ? (unsigned)(C_LEAST / c) + 1 : 1;
	}
	for (unsigned i = 0; i < 2 * TURNS; i++) {
		double wall = c_turn(t, i % 2);

		best[i % 2] = wall < best[i % 2] ? wall : best[i % 2];
	}
	for (unsigned i = 0; i < 2; i++)
		for (unsigned a = 0; a < t[i].w.arrays; a++)
			free(t[i].w.host[a]);
	return best[0] / best[1];
}

static void bench_kernel(int k, uint32_t n, const char *ptx, struct ocl *ocl, double fma, struct means *seven,
			 struct means *all)
{
	double c, rate, slow_rate, cl_time = run_opencl(ocl, k, n), cl_rate, two, two_of_c;
	struct times t, slow;

	start(0, INTERPRET);
	slow = run(k, n, ptx, &c);
	OK(ppuShutdown());
	start(0, TRANSLATE);
	t = run(k, n, ptx, &c);
	OK(ppuShutdown());
	rate = (double)t.threads / t.cpu;
	slow_rate = (double)slow.threads / slow.cpu;
	cl_rate = cl_time > 0 ? (double)t.threads / cl_time : 0;
	result(names[k], ", translated (reference: interpreted)", rate / 1e9, "G/s", slow_rate / 1e9);
	result(names[k], ", translated (reference: OpenCL)", rate / 1e9, "G/s", cl_rate / 1e9);
	result(names[k], ", rate", rate / 1e9, "G/s", fma / 1e9);
	result(names[k], ", per warp instruction", t.cpu * 1e9 / (double)t.warps, "ns", 0);
	result(names[k], ", time", t.cpu * 1e3, "ms", c * 1e3);
	result(names[k], ", translation", t.translation * 1e6, "us", t.translated * INSN_LIMIT);
	two = two_to_one(k, n, ptx);
	two_of_c = two_threads_of_c(k, n, c);
	result(names[k], ", two workers to one", two, "x", two_of_c);
	if (k < MEAN_OF)
		add_mean(seven, rate, slow_rate, cl_rate, two, two_of_c);
	add_mean(all, rate, slow_rate, cl_rate, two, two_of_c);
}

static bool known(const char *name)
{
	for (int k = 0; k < KERNELS; k++)
		if (!strcmp(name, names[k]))
			return true;
	fprintf(stderr, "bench_kernels: there is no kernel %s; there are:", name);
	for (int k = 0; k < KERNELS; k++)
		fprintf(stderr, " %s", names[k]);
	fputs("\n", stderr);
	return false;
}

int main(int argc, char **argv)
{
	bool small = argc > 1 && !strcmp(argv[1], "quick");
	const uint32_t *size = small ? quick : full;
	const char *only = argc > 1 + small ? argv[1 + small] : NULL;
	unsigned other = argc > 2 + small ? (unsigned)strtoul(argv[2 + small], NULL, 0) : 0;
	const char *build = getenv("BUILD"), *top = getenv("PPU_TOP"), *why;
	struct means seven = { 0 }, all = { 0 };
	struct ocl *ocl;
	char ptx[4096], cl[4096];
	double fma;

	if (only && !known(only))
		return 2;
	fma = native_fma_rate() / PART_OF_FMA;
	snprintf(ptx, sizeof(ptx), "%s/bench/kernels.ptx", build ? build : "build");
	snprintf(cl, sizeof(cl), "%s/tests/bench/kernels/kernels.cl", top ? top : ".");
	ocl = ocl_open(cl, &why);
	printf("OpenCL: %s\n", ocl ? ocl_name(ocl) : why);
	for (int k = 0; k < KERNELS; k++)
		if (!only || !strcmp(only, names[k]))
			bench_kernel(k, other ? other : size[k], ptx, ocl, fma, &seven, &all);
	if (!only) {
		print_means(&seven, "geometric mean of the first 7", fma, ocl);
		print_means(&all, "geometric mean of all 15", fma, ocl);
	}
	ocl_close(ocl);
	return 0;
}
