/* SPDX-License-Identifier: MIT */
/*
 * SP-4, HW-24: kernels as compilers make them (tests/ptx), through the runtime, on a machine with one SM and one task
 * slot.  More urgent kernels come in again and again at random device times and take the slot, so that the kernel is
 * saved in the middle of whatever it does and goes on later: with barriers, shared memory, shuffles, atomics,
 * divergence, calls, recursion, local memory, printf.  Its results must be bit for bit those of an undisturbed run, and
 * so must the results of the urgent kernels.
 *
 * PPU_SEED=n chooses other times; each test begins with that seed, so the one it prints repeats it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <backend/core/core.h>
#include <core/core.h>
#include "bench_main.h"
#include "rt_spy.h"

#define WORDS		2304u		/* of each buffer: 48 x 48 floats, 1152 doubles */
#define LOCAL_BYTES	4096u		/* recursion: its need cannot be computed beforehand */
#define CUTS		40u		/* the intended number of evictions */
#define FEWEST_CUTS	15u
#define MOST_TRIES	2000u
#define NUM_URGENT	3u
#define RELOAD_EVERY	9u		/* intrusions between saves of the whole device */

/* What in[] has.  SMALL: below 4096. */
enum fill { BITS, SMALL, FLOATS, DOUBLES, ZERO };

struct job {
	const char *name;
	unsigned grid, block, shared;
	enum fill fill;
	uint32_t n;
	bool two;		/* two inputs: (out, in, in, n) instead of (out, in, n) */
};

/* An urgent kernel: its buffers and what they must have afterwards. */
struct urgent {
	struct job job;
	ppuFunction f;
	void *out, *in;
	uint32_t want[WORDS];
};

struct outcome {
	uint32_t out[WORDS];
	char *text;		/* printed, lines sorted */
	uint64_t ns;		/* from the launch to the end, undisturbed */
};

struct machine {
	char trace[32];
	ppuStream low, high;
	struct urgent urgent[NUM_URGENT];
};

static unsigned seed;

static void init_seed(void)
{
	const char *s = getenv("PPU_SEED");

	seed = s ? (unsigned)strtoul(s, NULL, 0) : 4;
	printf("PPU_SEED=%u\n", seed);
	fflush(stdout);
}

/* ---- buffers ----------------------------------------------------------------------------------- */

static void *new_input(const struct job *j)
{
	uint32_t w[WORDS];
	uint32_t x = 12345;
	void *p;

	for (unsigned i = 0; i < WORDS; i++) {
		float f;

		x = x * 1664525u + 1013904223u;
		f = (float)(x >> 22) * 0.25f - 100;
		if (j->fill == BITS)
			w[i] = x;
		else if (j->fill == SMALL)
			w[i] = x >> 20;
		else if (j->fill == FLOATS)
			memcpy(&w[i], &f, sizeof(f));
		else if (j->fill == DOUBLES)
			w[i] = i % 2 ? 0x40000000u + (x >> 12) : x;	/* high words of 2.0 to 8.0 */
		else
			w[i] = 0;
	}
	OK(ppuMalloc(&p, sizeof(w)));
	OK(ppuMemcpy(p, w, sizeof(w)));
	return p;
}

static void *new_output(void)
{
	void *p;

	OK(ppuMalloc(&p, WORDS * 4));
	OK(ppuMemset(p, 0, 4, WORDS));
	return p;
}

static void launch(const struct job *j, ppuFunction f, void *out, void *in, ppuStream s)
{
	uint32_t n = j->n;
	void *three[] = { &out, &in, &n }, *four[] = { &out, &in, &in, &n };

	OK(ppuLaunchKernel(f, ppuDim(j->grid, 1, 1), ppuDim(j->block, 1, 1), j->shared, s, j->two ? four : three,
			   NULL, 0));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The order in which warps print is not defined. */
static char *sorted_lines(char *text)
{
	char *line[1024], *out = calloc(1, strlen(text) + 2), *save;
	size_t n = 0;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		ck_assert_uint_lt(n, 1024);
		line[n++] = l;
	}
	qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++)
		strcat(strcat(out, line[i]), "\n");
	free(text);
	return out;
}

/* ---- the machine --------------------------------------------------------------------------------- */

static ppuModule load(const char *ptx)
{
	ppuModuleOptions o = { .kind = PPU_MODULE_PTX };
	ppuModule m;

	OK(ppuModuleLoad(&m, ptx, &o));
	return m;
}

static void start(struct machine *m, const char *props)
{
	/* Divergence, recursion, shared memory with barriers: their state on the SM must not reach the other kernel. */
	static const struct urgent kinds[NUM_URGENT] = {
		{ .job = { "cf_collatz", 1, 64, 0, SMALL, 64, false } },
		{ .job = { "call_fib", 1, 40, 0, SMALL, 40, false } },
		{ .job = { "co_bitonic", 1, 64, 256, BITS, 64, false } },
	};
	ppuModule own[2];
	ppuInitOptions o = { .backend = "core", .trace = m->trace, .stream_priorities = "0:2" };
	char all[300];

	rt_trace_name(m->trace, sizeof(m->trace));
	snprintf(all, sizeof(all), "gpcs=1 sms-per-gpc=1 task-slots=1 workers=0 vram=256M %s", props);
	o.props = all;
	OK(ppuInit(&o));
	OK(ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, LOCAL_BYTES));
	OK(ppuStreamCreate(&m->low, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuStreamCreate(&m->high, PPU_STREAM_NON_BLOCKING, 2));
	own[0] = load("tests/ptx/solo.clang.ptx");
	own[1] = load("tests/ptx/coop.clang.ptx");
	for (unsigned i = 0; i < NUM_URGENT; i++) {
		struct urgent *u = &m->urgent[i];

		*u = kinds[i];
		OK(ppuModuleGetFunction(&u->f, own[i == NUM_URGENT - 1], u->job.name));
		u->in = new_input(&u->job);
		u->out = new_output();
		launch(&u->job, u->f, u->out, u->in, m->high);
		OK(ppuStreamSynchronize(m->high));
		OK(ppuMemcpy(u->want, u->out, sizeof(u->want)));
	}
}

/* The device, saved and loaded into another one, as a machine that moves would. */
static void reload_device(void)
{
	struct ppuCtx_st *ctx;
	struct be_dev *dev;
	struct ppu_ports ports;
	uint8_t *bytes = NULL;
	char *err = NULL;
	size_t len = 0;

	OK(ppuCtxGetCurrent(&ctx));
	dev = ctx->device->dev;
	ppu_bc_lock(dev);
	ck_assert_int_eq(ppu_core_save(dev->core, &bytes, &len), 0);
	ports = dev->core->ports;
	ppu_core_destroy(dev->core);
	dev->core = ppu_core_create(&dev->cfg, &ports, dev->vram, &err);
	ck_assert_msg(dev->core != NULL, "create: %s", err);
	if (ppu_core_load(dev->core, bytes, len, &err))
		ck_abort_msg("load: %s", err);
	ppu_bc_unlock(dev);
	free(bytes);
}

static bool is_done(ppuStream s)
{
	ppuResult r = ppuStreamQuery(s);

	ck_assert_msg(r == PPU_SUCCESS || r == PPU_ERROR_NOT_READY, "%s: %s", ppuGetErrorName(r),
		      ppuGetLastErrorDetail());
	return r == PPU_SUCCESS;
}

/* Runs one urgent kernel from launch to end, and checks its results. */
static void intrude(struct machine *m, struct urgent *u)
{
	static uint32_t got[WORDS];

	OK(ppuMemsetAsync(u->out, 0, 4, WORDS, m->high));
	launch(&u->job, u->f, u->out, u->in, m->high);
	OK(ppuMemcpyAsync(got, u->out, sizeof(got), m->high));
	OK(ppuStreamSynchronize(m->high));
	for (unsigned i = 0; i < WORDS; i++)
		ck_assert_msg(got[i] == u->want[i], "urgent %s: word %u is %08x, not %08x", u->job.name, i, got[i],
			      u->want[i]);
}

/* While the kernel runs, on average CUTS times in the time it takes alone. */
static void disturb(struct machine *m, uint64_t alone, bool reload)
{
	uint64_t most = 2 * alone / CUTS + 1;

	for (unsigned i = 0; i < MOST_TRIES && !is_done(m->low); i++) {
		rt_pass(1 + (uint64_t)rand_r(&seed) % most);
		if (reload && i % RELOAD_EVERY == 4)
			reload_device();
		if (!is_done(m->low))
			intrude(m, &m->urgent[(unsigned)rand_r(&seed) % NUM_URGENT]);
	}
}

static uint64_t now(void)
{
	uint64_t t;

	OK(ppuDeviceGetTime(0, &t));
	return t;
}

/* Runs a kernel alone (alone = 0) or disturbed. */
static struct outcome run(struct machine *m, ppuModule mod, const struct job *j, uint64_t alone, bool reload)
{
	struct outcome o = { .ns = 0 };
	void *in = new_input(j), *out = new_output();
	FILE *keep = stdout, *mem;
	ppuFunction f;
	size_t len;

	OK(ppuModuleGetFunction(&f, mod, j->name));
	OK(ppuCtxSynchronize());
	mem = open_memstream(&o.text, &len);
	stdout = mem;
	o.ns = now();
	launch(j, f, out, in, m->low);
	if (alone)
		disturb(m, alone, reload);
	OK(ppuStreamSynchronize(m->low));
	o.ns = now() - o.ns;
	OK(ppuCtxSynchronize());
	stdout = keep;
	fclose(mem);
	o.text = sorted_lines(o.text);
	OK(ppuMemcpy(o.out, out, sizeof(o.out)));
	return o;
}

static size_t count(const struct rt_trace *t, unsigned event)
{
	size_t n = 0;

	for (size_t i = 0; i < t->num; i++)
		n += t->rec[i].event == event;
	return n;
}

static struct rt_trace stop(const struct machine *m)
{
	OK(ppuShutdown());
	return rt_trace_take(m->trace);
}

/* The kernel was saved in the middle and went on, as often as intended. */
static void check_evictions(const struct rt_trace *t, const char *what)
{
	size_t evict = count(t, PPU_TR_TASK_EVICT), save = count(t, PPU_TR_CTA_SAVE);

	ck_assert_msg(evict >= FEWEST_CUTS, "%s: %zu evictions", what, evict);
	ck_assert_msg(save >= FEWEST_CUTS, "%s: %zu CTAs saved", what, save);
	ck_assert_uint_eq(count(t, PPU_TR_TASK_RESUME), evict);
	ck_assert_uint_eq(count(t, PPU_TR_CTA_RESTORE), save);
}

static void check(const char *ptx, const struct job *j, const char *props, bool reload)
{
	struct outcome want, got;
	struct machine m;
	struct rt_trace t;
	ppuModule mod;
	char what[200];
	bool any = false;

	snprintf(what, sizeof(what), "%s of %s, %s%s", j->name, ptx, props, reload ? ", saved" : "");
	start(&m, props);
	mod = load(ptx);
	want = run(&m, mod, j, 0, false);
	got = run(&m, mod, j, want.ns, reload);
	t = stop(&m);
	check_evictions(&t, what);
	rt_trace_free(&t);
	for (unsigned i = 0; i < WORDS; i++)
		any |= want.out[i] != 0;
	ck_assert_msg(any || *want.text, "%s of %s leaves nothing", j->name, ptx);
	for (unsigned i = 0; i < WORDS; i++)
		ck_assert_msg(got.out[i] == want.out[i], "%s: word %u is %08x, not %08x", what, i, got.out[i], want.out[i]);
	ck_assert_msg(!strcmp(got.text, want.text), "%s printed\n%s\nnot\n%s", what, got.text, want.text);
	free(want.text);
	free(got.text);
}

/*
 * Machines, all slow compared with the time that queries and launches take: one with a few instructions in a window,
 * one with the other side of branches first, one with CTAs that have not begun.
 */
static const char *const machines[] = {
	"sm-clock-khz=1000 window-ns=1000 cost-cta-ns=0 cost-evict-ns=0 branch-first=1 token-queue-entries=64",
	"sm-clock-khz=1500 window-ns=2000",
	"sm-clock-khz=1000 window-ns=5000 ctas-per-sm=2",
};
#define NUM_MACHINES	(sizeof(machines) / sizeof(machines[0]))

static void check_all(const char *const *ptx, unsigned files, const struct job *jobs, unsigned num)
{
	init_seed();
	for (unsigned f = 0; f < files; f++)
		for (unsigned i = 0; i < num; i++) {
			unsigned which = f * num + i;

			check(ptx[f], &jobs[i], machines[which % NUM_MACHINES], which % 2);
		}
}

#define CHECK(files, jobs) \
	check_all(files, sizeof(files) / sizeof(files[0]), jobs, sizeof(jobs) / sizeof(jobs[0]))

static const char *const coop[] = { "tests/ptx/coop.clang.ptx", "tests/ptx/coop.nvcc.ptx" };
static const char *const solo[] = { "tests/ptx/solo.nvcc.ptx", "tests/ptx/solo-O0.clang.ptx" };
static const char *const mix[] = { "tests/ptx/mix.clang.ptx", "tests/ptx/mix-O0.clang.ptx" };
static const char *const lib[] = { "tests/ptx/lib.clang.ptx" };

/* SP-4: tiles in shared memory between barriers. */
START_TEST(shared_memory_and_barriers)
{
	static const struct job jobs[] = {
		{ "co_matmul", 4, 256, 0, FLOATS, 32, true },
		{ "co_bitonic", 3, 128, 512, BITS, 384, false },
		{ "co_scan", 3, 96, 768, BITS, 288, false },
		{ "co_nbody", 2, 64, 0, DOUBLES, 100, false },
	};

	CHECK(coop, jobs);
}
END_TEST

/* SP-4: shuffles, ballots, atomics in shared and global memory, a spin lock. */
START_TEST(shuffles_and_atomics)
{
	static const struct job jobs[] = {
		{ "co_reduce", 4, 160, 0, BITS, 2304, false },
		{ "co_histogram", 3, 96, 0, BITS, 2304, false },
		{ "co_together", 3, 96, 0, BITS, 288, false },
		{ "co_lock", 2, 48, 0, ZERO, 0, false },
	};

	CHECK(coop, jobs);
}
END_TEST

/* SP-4: loops that lanes leave at different times, switches, early returns. */
START_TEST(preempted_divergence)
{
	static const struct job jobs[] = {
		{ "cf_irregular", 3, 96, 0, SMALL, 288, false },
		{ "cf_earlyreturn", 3, 96, 0, SMALL, 288, false },
		{ "cf_collatz", 3, 96, 0, SMALL, 288, false },
		{ "cf_switchloop", 3, 96, 0, BITS, 288, false },
	};
	static const struct job more[] = { { "mx_machine", 3, 96, 0, BITS, 288, false } };

	CHECK(solo, jobs);
	CHECK(mix, more);
}
END_TEST

/* SP-4: calls, recursion, indirect calls, local memory. */
START_TEST(calls_and_local_memory)
{
	static const struct job jobs[] = {
		{ "call_ackermann", 2, 64, 0, SMALL, 128, false },
		{ "call_fib", 2, 64, 0, SMALL, 128, false },
		{ "call_indirect", 3, 96, 0, BITS, 288, false },
		{ "call_sort", 2, 64, 0, BITS, 128, false },
		{ "pr_spill64", 2, 64, 0, BITS, 128, false },
	};

	CHECK(solo, jobs);
}
END_TEST

/* SP-4: printf, malloc of threads. */
START_TEST(preempted_device_library)
{
	static const struct job jobs[] = {
		{ "lib_formats", 1, 1, 0, SMALL, 1, false },
		{ "lib_threads", 2, 64, 0, BITS, 128, false },
		{ "lib_many", 1, 1, 0, BITS, 100, false },
	};

	CHECK(lib, jobs);
}
END_TEST

BENCH_MAIN("preempt_kernels", shared_memory_and_barriers, shuffles_and_atomics, preempted_divergence,
	   calls_and_local_memory, preempted_device_library)
