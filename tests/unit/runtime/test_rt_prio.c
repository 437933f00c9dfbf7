/* SPDX-License-Identifier: MIT */
/*
 * Stream priorities, nesting depth and the other limits, from the runtime's calls down to what the
 * device's trace says of the tasks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_tmd.h>
#include "bench_main.h"
#include "rt_spy.h"
#include "../../driver/child_tmd.h"

/*
 * quick: nothing.  wait: until a word is not 0.  chain: launch `next`, store the result at out[depth], wait for it.
 * many: launch `next` eight times, results at out[0..7], then set out[32].
 */
static const char code[] =
	".kernel quick\n"
	"exit\n"
	".kernel wait\n"
	".param flag u64\n"
	"ld.param.u64 rd2, [flag]\n"
	"top: ld.global.volatile.u32 r4, [rd2]\n"
	"setp.eq.u32 p0, r4, rz\n"
	"@p0 bra top\n"
	"exit\n"
	".kernel mark\n"
	".param log u64\n"
	".param id u32\n"
	".param ns u32\n"
	"ld.param.u64 rd2, [log]\n"
	"ld.param.u32 r4, [id]\n"
	"ld.param.u32 r5, [ns]\n"
	"nanosleep r5\n"
	"mov.u32 r6, 1\n"
	"atom.global.add.u32 r8, [rd2], r6\n"
	"add.u32 r8, r8, 1\n"
	"madw.u32 rd10, r8, 4, rd2\n"
	"st.global.u32 [rd10], r4\n"
	"exit\n"
	".kernel chain\n"
	".param out u64\n"
	".param next u64\n"
	"s2r r6, %depth\n"
	"ld.param.u64 rd2, [out]\n"
	"ld.param.u64 rd4, [next]\n"
	"tlaunch r8, rd4\n"
	"madw.u32 rd10, r6, 4, rd2\n"
	"st.global.u32 [rd10], r8\n"
	"tsync r9\n"
	"exit\n"
	".kernel many\n"
	".param out u64\n"
	".param next u64\n"
	"ld.param.u64 rd2, [out]\n"
	"ld.param.u64 rd4, [next]\n"
	"mov.u32 r6, 0\n"
	"again: tlaunch r8, rd4\n"
	"madw.u32 rd10, r6, 4, rd2\n"
	"st.global.u32 [rd10], r8\n"
	"add.u32 r6, r6, 1\n"
	"setp.lt.u32 p0, r6, 8\n"
	"@p0 bra again\n"
	"mov.u32 r8, 1\n"
	"st.global.u32 [rd2+128], r8\n"
	"exit\n";

static const char deep[] = ".kernel deep local=4096\nexit\n";

#define OUT_WORDS	64u

static char trace[32];
static ppuModule mod;

static ppuResult init(const char *props, const char *streams, const char *tasks)
{
	ppuInitOptions o = { .backend = "core", .props = props, .trace = trace, .stream_priorities = streams,
			     .task_priorities = tasks };

	rt_trace_name(trace, sizeof(trace));
	return ppuInit(&o);
}

static void start(const char *props, const char *streams, const char *tasks)
{
	OK(init(props, streams, tasks));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
}

static struct rt_trace stop(void)
{
	OK(ppuShutdown());
	return rt_trace_take(trace);
}

static void stop_quietly(void)
{
	struct rt_trace t = stop();

	rt_trace_free(&t);
}

static ppuFunction fn(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, name));
	return f;
}

static void launch(const char *name, uint32_t ctas, ppuStream s, void **args)
{
	OK(ppuLaunchKernel(fn(name), ppuDim(ctas, 1, 1), ppuDim(1, 1, 1), 0, s, args, NULL, 0));
}

static uint32_t device_priority(ppuStream s)
{
	uint32_t p = ~0u;

	OK(ppuStreamGetDevicePriority(s, &p));
	return p;
}

static void *new_out(void)
{
	void *out;

	OK(ppuMalloc(&out, OUT_WORDS * 4));
	OK(ppuMemset(out, 99, 4, OUT_WORDS));
	return out;
}

/* In host memory: readable when the context has an error. */
static uint32_t *new_host_out(void)
{
	uint32_t *out;

	OK(ppuMallocHost((void **)&out, OUT_WORDS * 4));
	for (unsigned i = 0; i < OUT_WORDS; i++)
		out[i] = 99;
	return out;
}

/* What the kernel "chain" stores for level d when there may be n levels. */
static int chain_answer(uint32_t d, uint32_t n)
{
	return d < n ? PPU_LAUNCH_OK : d == n ? PPU_LAUNCH_DEPTH : 99;
}

static void read_out(uint32_t *v, void *out)
{
	OK(ppuMemcpy(v, out, OUT_WORDS * 4));
}

/* ---- the map, through the calls -------------------------------------------------------------- */

/* SP-20, step by step: the table that the method would store. */
static void table(uint32_t m, uint32_t n, uint32_t levels, uint32_t *device)
{
	uint32_t avail = m / n, s = 0, d = 0;

	for (;;) {
		device[s] = d;
		avail--;
		if (!avail || s == levels - 1)
			break;
		s++;
		d += n;
	}
	while (++s < levels)
		device[s] = d;
}

/* Each stream priority from the least on: what the query says, and what the device sees of its kernel. */
static void check_map(uint32_t m, const char *streams, const char *tasks, const uint32_t *want)
{
	int least, greatest, step, got;
	struct rt_trace t;
	char props[40];
	unsigned n = 0, levels = 0;

	snprintf(props, sizeof(props), "device-priorities=%u gpcs=1", m);
	start(props, streams, tasks);
	OK(ppuStreamGetPriorityRange(&least, &greatest));
	step = least < greatest ? 1 : -1;
	for (int p = least; p != greatest + step; p += step, levels++) {
		ppuStream s;

		OK(ppuStreamCreate(&s, 0, p));
		OK(ppuStreamGetPriority(s, &got));
		ck_assert_int_eq(got, p);
		ck_assert_msg(device_priority(s) == want[levels], "%s %s: %d -> %u, not %u", streams, tasks, p,
			      device_priority(s), want[levels]);
		launch("quick", 1, s, NULL);
		OK(ppuStreamSynchronize(s));
		OK(ppuStreamDestroy(s));
	}
	t = stop();
	for (size_t i = 0; i < t.num; i++) {
		if (t.rec[i].event != PPU_TR_TASK_ACCEPT)
			continue;
		ck_assert_uint_eq(t.rec[i].a, want[n]);
		ck_assert_uint_eq(t.rec[i].d, 1);
		n++;
	}
	ck_assert_uint_eq(n, levels);
	rt_trace_free(&t);
}

/* SP-23, SP-24, SP-25, SP-26, SP-31, SP-33: the examples, exactly; and with the direction of numbers turned (SP-6). */
START_TEST(map_examples)
{
	static uint32_t low[100], high[100], merged[100];

	for (unsigned i = 0; i < 100; i++) {
		low[i] = i ? 4 : 0;
		high[i] = i == 99 ? 6 : 2;
		merged[i] = i == 99 ? 4 : 0;
	}
	for (unsigned turned = 0; turned < 2; turned++) {
		check_map(12, turned ? "2:0" : "0:2", "depth=4", (uint32_t[]){ 0, 4, 8 });
		check_map(12, turned ? "5:0" : "0:5", "depth=2", (uint32_t[]){ 0, 2, 4, 6, 8, 10 });
		check_map(10, turned ? "199:100" : "100:199", "depth=4", low);
		check_map(10, turned ? "199:100" : "100:199", "depth=4,policy=top", high);
		check_map(10, turned ? "199:100" : "100:199", "depth=4 policy=bottom-merge-low", merged);
		check_map(12, turned ? "1:0" : "0:1", "depth=4", (uint32_t[]){ 0, 4 });
		check_map(12, turned ? "-1:1" : "1:-1", "depth=3", (uint32_t[]){ 0, 3, 6 });
	}
}
END_TEST

/* SP-30: mappings computed one by one are those of the stored table, whatever M, N and range. */
START_TEST(computed_as_stored)
{
	unsigned seed = 30;

	for (unsigned round = 0; round < 40; round++) {
		uint32_t m = 1 + (uint32_t)rand_r(&seed) % 64, n = 1 + (uint32_t)rand_r(&seed) % m;
		uint32_t levels = 1 + (uint32_t)rand_r(&seed) % 70, want[70];
		int first = rand_r(&seed) % 200 - 100, sign = rand_r(&seed) % 2 ? 1 : -1;
		char props[40], streams[40];
		ppuStream s;

		table(m, n, levels, want);
		snprintf(props, sizeof(props), "device-priorities=%u gpcs=1", m);
		snprintf(streams, sizeof(streams), "%d:%d", first, first + sign * (int)(levels - 1));
		OK(init(props, streams, NULL));
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, n));
		OK(ppuStreamCreate(&s, 0, first));
		for (uint32_t i = 0; i < levels; i++) {
			OK(ppuStreamSetPriority(s, first + sign * (int)i));
			ck_assert_msg(device_priority(s) == want[i], "M %u N %u level %u of %u: %u, not %u", m, n, i,
				      levels, device_priority(s), want[i]);
		}
		stop_quietly();
	}
}
END_TEST

/* SP-7, SP-29: the range is what was configured; outside it is an error; a stream tells both its numbers. */
START_TEST(range_and_queries)
{
	static const int ranges[][2] = { { -1, 1 }, { 1, -1 }, { 100, 199 }, { 0, 2 }, { 0, 5 }, { 3, 3 } };

	for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		int least = ranges[i][0], greatest = ranges[i][1], step = least <= greatest ? 1 : -1, a, b;
		char text[40];
		ppuStream s;

		snprintf(text, sizeof(text), "%d:%d", least, greatest);
		OK(init("gpcs=1", text, "depth=1"));
		OK(ppuStreamGetPriorityRange(&a, &b));
		ck_assert_int_eq(a, least);
		ck_assert_int_eq(b, greatest);
		FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamCreate(&s, 0, least - step));
		FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamCreate(&s, 0, greatest + step));
		OK(ppuStreamCreate(&s, 0, greatest));
		FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamSetPriority(s, greatest + step));
		OK(ppuStreamGetPriority(s, &a));
		ck_assert_int_eq(a, greatest);
		ck_assert_uint_eq(device_priority(s), abs(greatest - least) < 11 ? abs(greatest - least) : 11);
		OK(ppuStreamSetPriority(s, least));
		ck_assert_uint_eq(device_priority(s), 0);
		FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamGetDevicePriority(s, NULL));
		stop_quietly();
	}
}
END_TEST

static void exhaust_vram(void)
{
	void *p;

	for (size_t bytes = 64u << 20; bytes >= 256; bytes /= 2)
		while (!ppuMalloc(&p, bytes))
			;
	FAILS(PPU_ERROR_OUT_OF_DEVICE_MEMORY, ppuMalloc(&p, 256));
}

struct seen {
	size_t avail, total;
	uint64_t counter[PPU_CTR_COUNT], ns;
};

static struct seen seen(void)
{
	struct seen s = { 0 };

	OK(ppuMemGetInfo(&s.avail, &s.total));
	OK(ppuDeviceGetTime(0, &s.ns));
	OK(ppuDeviceGetCounters(0, s.counter, PPU_CTR_COUNT));
	return s;
}

/* Since `before` nothing of the device was used. */
static void unseen(const struct seen *before, const char *by)
{
	struct seen now = seen();

	ck_assert_msg(before->avail == now.avail, "%s takes %zu bytes of the device", by, before->avail - now.avail);
	ck_assert_msg(before->ns == now.ns, "%s takes time of the device", by);
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		ck_assert_msg(before->counter[i] == now.counter[i], "%s: counter %u", by, i);
}

/*
 * SP-28: mappings and the data of streams lie in the host's memory here.  So hundreds of streams are made, asked, given other
 * priorities and destroyed when no byte of VRAM is left, and the device notices nothing of it: no counter and no time of it
 * changes.  What it sees is the number in each task.
 */
START_TEST(mappings_need_no_vram)
{
	enum { STREAMS = 300, LEVELS = 6 };
	static const uint32_t want[LEVELS] = { 0, 2, 4, 6, 8, 10 };
	ppuStream s[STREAMS];
	struct rt_trace t;
	struct seen before;
	unsigned tasks = 0;
	int said;

	start("gpcs=1 vram=64M", "0:5", "depth=2");
	for (int i = 0; i < LEVELS; i++) {		/* what a first launch needs, its channel above all */
		OK(ppuStreamCreate(&s[i], 0, i));
		launch("quick", 1, s[i], NULL);
	}
	OK(ppuCtxSynchronize());
	for (int i = 0; i < LEVELS; i++)
		OK(ppuStreamDestroy(s[i]));
	exhaust_vram();
	before = seen();
	unseen(&before, "looking");
	for (int i = 0; i < STREAMS; i++)
		OK(ppuStreamCreate(&s[i], i % 2 ? PPU_STREAM_NON_BLOCKING : 0, i % LEVELS));
	unseen(&before, "making streams");
	for (int i = 0; i < STREAMS; i++) {
		OK(ppuStreamGetPriority(s[i], &said));
		ck_assert_int_eq(said, i % LEVELS);
		ck_assert_uint_eq(device_priority(s[i]), want[i % LEVELS]);
	}
	unseen(&before, "asking");
	for (int i = 0; i < STREAMS; i++) {
		OK(ppuStreamSetPriority(s[i], LEVELS - 1 - i % LEVELS));
		ck_assert_uint_eq(device_priority(s[i]), want[LEVELS - 1 - i % LEVELS]);
	}
	unseen(&before, "assigning");
	for (int i = LEVELS; i < STREAMS; i++)
		OK(ppuStreamDestroy(s[i]));
	unseen(&before, "destroying");
	for (int i = 0; i < LEVELS; i++) {
		launch("quick", 1, s[i], NULL);
		OK(ppuStreamSynchronize(s[i]));
	}
	t = stop();
	for (size_t i = 0; i < t.num; i++)
		if (t.rec[i].event == PPU_TR_TASK_ACCEPT && ++tasks > LEVELS)
			ck_assert_uint_eq(t.rec[i].a, want[LEVELS - 1 - (tasks - LEVELS - 1)]);
	ck_assert_uint_eq(tasks, 2 * LEVELS);
	rt_trace_free(&t);
}
END_TEST

/*
 * SP-1: each of four streams gets kernels, and a fill among them.  Each kernel and fill leaves its mark in a log: in a stream
 * in the order of issue, different streams among each other.
 */
static void issue_and_check(bool levels)
{
	enum { STREAMS = 4, EACH = 14 };
	uint32_t v[OUT_WORDS], next[STREAMS] = { 0 }, changes = 0, seed = 7;
	ppuStream s[STREAMS];
	void *log;

	start(NULL, NULL, NULL);
	log = new_out();
	OK(ppuMemset(log, 0, 4, OUT_WORDS));
	for (int i = 0; i < STREAMS; i++)
		OK(ppuStreamCreate(&s[i], PPU_STREAM_NON_BLOCKING, levels ? -i : 0));
	for (uint32_t k = 0; k < EACH; k++)
		for (uint32_t i = 0; i < STREAMS; i++) {
			uint32_t id = i * 100 + k, ns = (seed = seed * 1664525 + 1013904223) >> 16;

			launch("mark", 1, s[i], (void *[]){ &log, &id, &ns });
			if (k == EACH / 2)	/* by a copy engine, between two kernels: it counts the marks before it */
				OK(ppuMemcpyAsync((char *)log + 4 * (OUT_WORDS - STREAMS + i), log, 4, s[i]));
		}
	OK(ppuCtxSynchronize());
	read_out(v, log);
	ck_assert_uint_eq(v[0], STREAMS * EACH);
	for (uint32_t n = 1; n <= STREAMS * EACH; n++) {
		uint32_t i = v[n] / 100;

		ck_assert_uint_lt(i, STREAMS);
		ck_assert_msg(v[n] % 100 == next[i], "stream %u: %u instead of %u", i, v[n] % 100, next[i]);
		/* the copy is behind kernel EACH / 2 and in front of the next one */
		if (next[i] == EACH / 2)
			ck_assert_uint_ge(v[OUT_WORDS - STREAMS + i], n);
		if (next[i] == EACH / 2 + 1)
			ck_assert_uint_lt(v[OUT_WORDS - STREAMS + i], n);
		next[i]++;
		changes += n > 1 && v[n] / 100 != v[n - 1] / 100;
	}
	ck_assert_uint_gt(changes, 2 * STREAMS);
	stop_quietly();
}

START_TEST(streams_in_order)
{
	issue_and_check(false);
	issue_and_check(true);
}
END_TEST

/* ---- the depth ------------------------------------------------------------------------------- */

/* SP-17, SP-45: each context has its own depth and so its own map, at the same time; launches end at it. */
START_TEST(two_contexts)
{
	static const uint32_t depth[2] = { 4, 2 };
	static const uint32_t want[2][6] = { { 0, 4, 8, 8, 8, 8 }, { 0, 2, 4, 6, 8, 10 } };
	uint32_t *out[2];
	ppuStream s[2][6];
	void *tmd;
	ppuCtx ctx[2];
	uint64_t got;

	OK(init(NULL, "0:5", NULL));
	for (int c = 0; c < 2; c++) {
		OK(ppuCtxCreate(&ctx[c], 0, 0));
		OK(ppuModuleLoadData(&mod, code, 0, NULL));
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, depth[c]));
		for (int p = 0; p < 6; p++)
			OK(ppuStreamCreate(&s[c][p], 0, p));
		out[c] = new_host_out();
		tmd = child_tmd(fn("chain"), out[c]);
		launch("chain", 1, s[c][1], (void *[]){ &out[c], &tmd });
	}
	for (int c = 0; c < 2; c++) {
		OK(ppuCtxSetCurrent(ctx[c]));
		OK(ppuCtxGetLimit(PPU_LIMIT_NESTING_DEPTH, &got));
		ck_assert_uint_eq(got, depth[c]);
		for (int p = 0; p < 6; p++)
			ck_assert_uint_eq(device_priority(s[c][p]), want[c][p]);
		FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuCtxSynchronize());
		for (uint32_t d = 1; d < 8; d++)
			ck_assert_msg((int)out[c][d] == chain_answer(d, depth[c]), "depth %u, level %u: %d", depth[c], d,
				      (int)out[c][d]);
	}
	stop_quietly();
}
END_TEST

/* SP-11, SP-36, SP-37: N from 1 on; a launch too deep has its error, the context has it too, and all kernels complete. */
START_TEST(every_depth)
{
	for (uint32_t n = 1; n <= 12; n++) {
		uint32_t *out;
		void *tmd;
		ppuStream s;

		start("gpcs=1", NULL, NULL);
		out = new_host_out();
		tmd = child_tmd(fn("chain"), out);
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, n));
		OK(ppuStreamCreate(&s, 0, 0));
		launch("chain", 1, s, (void *[]){ &out, &tmd });
		FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuStreamSynchronize(s));
		FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuStreamQuery(s));
		FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuCtxSynchronize());
		ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "greatest nesting depth"));
		if (n == 1)		/* the others have TMDs of the test's own, and these no names */
			ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "kernel chain"));
		for (uint32_t d = 1; d < 16; d++)
			ck_assert_int_eq((int)out[d], chain_answer(d, n));
		stop_quietly();
	}
}
END_TEST

/* SP-18: a new depth is a new map for all streams that have no priority of their own, the default stream included. */
START_TEST(new_depth_new_map)
{
	static const struct { uint64_t depth; uint32_t want; } steps[] = { { 2, 6 }, { 4, 0 }, { 1, 9 }, { 3, 3 } };
	ppuStream plain;

	start(NULL, "0:2", "depth=2 policy=top");	/* of 12: the lowest of three streams is not at 0 */
	OK(ppuStreamCreate(&plain, 0, 0));
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, steps[i].depth));
		ck_assert_uint_eq(device_priority(NULL), steps[i].want);
		ck_assert_uint_eq(device_priority(plain), steps[i].want);
	}
	stop_quietly();
}
END_TEST

/* SP-43: while a stream has a priority, or there is work, the depth stays, and so does the map. */
START_TEST(not_while_in_use)
{
	ppuStream s, plain;
	uint32_t *flag;
	uint64_t n;

	start(NULL, "0:5", "depth=2");
	OK(ppuStreamCreate(&plain, 0, 0));	/* has none of its own */
	OK(ppuStreamCreate(&s, 0, 2));
	FAILS(PPU_ERROR_BUSY, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 4));
	OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 2));		/* it is that */
	ck_assert_uint_eq(device_priority(s), 4);
	OK(ppuCtxGetLimit(PPU_LIMIT_NESTING_DEPTH, &n));
	ck_assert_uint_eq(n, 2);
	OK(ppuStreamDestroy(s));
	OK(ppuStreamSetPriority(plain, 0));	/* now it has one */
	FAILS(PPU_ERROR_BUSY, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 4));
	OK(ppuStreamDestroy(plain));

	OK(ppuMallocHost((void **)&flag, 4096));
	launch("wait", 1, NULL, (void *[]){ &flag });
	FAILS(PPU_ERROR_BUSY, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 4));
	OK(ppuCtxGetLimit(PPU_LIMIT_NESTING_DEPTH, &n));
	ck_assert_uint_eq(n, 2);
	*flag = 1;
	OK(ppuCtxSynchronize());
	OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 4));
	OK(ppuStreamCreate(&s, 0, 2));
	ck_assert_uint_eq(device_priority(s), 8);
	stop_quietly();
}
END_TEST

/* SP-44: N = 0 and N > M are refused, as a limit and as an option; without device priorities streams may
 * have any, to no effect. */
START_TEST(refusals)
{
	struct rt_trace t;
	ppuStream s;
	uint64_t n;

	start(NULL, NULL, NULL);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 13));
	ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "13"));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 0));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 1ull << 32));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_COUNT, 1));
	OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 12));
	OK(ppuStreamCreate(&s, 0, -5));
	ck_assert_uint_eq(device_priority(s), 0);	/* K = 1 */
	stop_quietly();
	FAILS(PPU_ERROR_CONFIGURATION, init(NULL, NULL, "depth=13"));
	FAILS(PPU_ERROR_CONFIGURATION, init(NULL, NULL, "depth=0"));
	FAILS(PPU_ERROR_CONFIGURATION, init(NULL, NULL, "policy=middle"));
	FAILS(PPU_ERROR_CONFIGURATION, init(NULL, NULL, "default"));

	start("device-priorities=0", NULL, NULL);
	OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 64));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 65));
	OK(ppuStreamCreate(&s, 0, -5));
	OK(ppuStreamSetPriority(s, -4));
	ck_assert_uint_eq(device_priority(s), 0);
	OK(ppuCtxGetLimit(PPU_LIMIT_NESTING_DEPTH, &n));
	ck_assert_uint_eq(n, 64);
	launch("quick", 1, s, NULL);
	OK(ppuCtxSynchronize());
	t = stop();
	for (size_t i = 0; i < t.num; i++)
		if (t.rec[i].event == PPU_TR_TASK_ACCEPT)
			ck_assert_uint_eq(t.rec[i].a, 0);
	rt_trace_free(&t);
}
END_TEST

/*
 * SP-17, SP-19: with a reserve the program chooses depth and stream priorities apart: what streams mean depends on the
 * reserve only, and changes under no stream that has a priority.
 */
START_TEST(depth_beyond_the_reserve)
{
	uint64_t n = 0;
	ppuStream s;

	start(NULL, NULL, NULL);
	OK(ppuCtxGetLimit(PPU_LIMIT_NESTING_RESERVE, &n));
	ck_assert_uint_eq(n, 4);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_RESERVE, 13));
	OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_RESERVE, 3));
	OK(ppuStreamCreate(&s, 0, -2));
	ck_assert_uint_eq(device_priority(s), 6);
	for (n = 1; n <= 64; n += 9) {
		uint64_t got = 0;

		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, n));
		OK(ppuCtxGetLimit(PPU_LIMIT_NESTING_DEPTH, &got));
		ck_assert_uint_eq(got, n);
		ck_assert_uint_eq(device_priority(s), 6);
	}
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 65));
	FAILS(PPU_ERROR_BUSY, ppuCtxSetLimit(PPU_LIMIT_NESTING_RESERVE, 4));
	OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_RESERVE, 3));
	OK(ppuStreamDestroy(s));
	/* Without a reserve of its own the program is back at one for each level: 64 levels need as many priorities. */
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_RESERVE, 0));
	OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 6));
	OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_RESERVE, 0));
	OK(ppuStreamCreate(&s, 0, -2));
	ck_assert_uint_eq(device_priority(s), 6);	/* K = 2 */
	FAILS(PPU_ERROR_BUSY, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 5));
	stop_quietly();
}
END_TEST

/*
 * SP-34, SP-46: a stream without a priority has the default: the lowest, or another one that leaves room for children.
 */
START_TEST(default_priority)
{
	void *out, *tmd;
	struct rt_trace t;
	char text[40];
	ppuStream s;
	unsigned n = 0;

	FAILS(PPU_ERROR_CONFIGURATION, init(NULL, NULL, "default=11 depth=4"));
	snprintf(text, sizeof(text), "default device priority %u", rt_turn_of(11, 12));
	ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), text));
	FAILS(PPU_ERROR_CONFIGURATION, init(NULL, NULL, "default=9 depth=4"));
	for (uint32_t d = 0; d <= 8; d += 8) {
		start("gpcs=1", NULL, d ? "depth=4 default=8" : "depth=4");
		FAILS(d ? PPU_ERROR_INVALID_VALUE : PPU_SUCCESS, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 5));
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 2));
		ck_assert_uint_eq(device_priority(NULL), d);
		OK(ppuStreamCreate(&s, 0, 0));
		ck_assert_uint_eq(device_priority(s), d);
		OK(ppuStreamSetPriority(s, 0));
		ck_assert_uint_eq(device_priority(s), 0);
		out = new_out();
		tmd = child_tmd(fn("chain"), out);
		launch("chain", 1, NULL, (void *[]){ &out, &tmd });
		FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuCtxSynchronize());
		t = stop();
		n = 0;
		for (size_t i = 0; i < t.num; i++)
			if (t.rec[i].event == PPU_TR_TASK_ACCEPT)
				ck_assert_uint_eq(t.rec[i].a, d + n++);
		ck_assert_uint_eq(n, 2);
		rt_trace_free(&t);
	}
	/* Without children it may be the highest. */
	start("gpcs=1", NULL, "depth=1 default=11");
	launch("quick", 1, NULL, NULL);
	OK(ppuCtxSynchronize());
	t = stop();
	for (size_t i = 0; i < t.num; i++)
		if (t.rec[i].event == PPU_TR_TASK_ACCEPT)
			ck_assert_uint_eq(t.rec[i].a, 11);
	rt_trace_free(&t);
}
END_TEST

/* SP-15, SP-16: each level costs memory, which is given back when the depth goes down. */
START_TEST(memory_of_levels)
{
	size_t avail[5], now, total;

	start(NULL, NULL, "depth=1");
	launch("quick", 1, NULL, NULL);
	OK(ppuCtxSynchronize());
	for (uint32_t n = 1; n <= 4; n++) {
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, n));
		OK(ppuMemGetInfo(&avail[n], &total));
		if (n > 1)
			ck_assert_uint_lt(avail[n], avail[n - 1]);
	}
	ck_assert_uint_eq(avail[1] - avail[3], 2 * (avail[1] - avail[2]));
	for (uint32_t n = 4; n-- > 1;) {
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, n));
		OK(ppuMemGetInfo(&now, &total));
		ck_assert_uint_eq(now, avail[n]);
	}
	stop_quietly();
}
END_TEST

/*
 * SP-45: no memory for more levels, or for what other limits need.  The limit stays, and so do the map and the other
 * context's; both contexts still work, and when there is memory again, the limit changes.
 */
START_TEST(limits_without_memory)
{
	static const struct { ppuLimit limit; uint64_t value; uint32_t priority; } more[] = {
		{ PPU_LIMIT_NESTING_DEPTH, 4, 0 }, { PPU_LIMIT_LOCAL_BYTES, 4096, 0 }, { PPU_LIMIT_NESTING_DEPTH, 3, 3 },
	};
	enum { LIMITS = sizeof(more) / sizeof(more[0]) };
	uint64_t was[LIMITS], now;
	ppuModule m[2];
	ppuStream plain[2];
	void *all[64];
	ppuCtx ctx[2];
	unsigned n = 0;

	OK(init("gpcs=1 vram=128M", "0:2", "depth=2 policy=top"));
	for (int c = 0; c < 2; c++) {
		OK(ppuCtxCreate(&ctx[c], 0, 0));
		OK(ppuModuleLoadData(&m[c], code, 0, NULL));
		mod = m[c];
		OK(ppuStreamCreate(&plain[c], 0, 0));
		launch("quick", 1, plain[c], NULL);
		OK(ppuCtxSynchronize());
	}
	for (size_t bytes = 64u << 20; bytes >= 256; bytes /= 2)
		while (n < 64 && !ppuMalloc(&all[n], bytes))
			n++;
	ck_assert_uint_lt(n, 64);
	for (unsigned i = 0; i < LIMITS; i++)
		OK(ppuCtxGetLimit(more[i].limit, &was[i]));
	for (int c = 0; c < 2; c++)
		for (unsigned i = 0; i < LIMITS; i++) {
			OK(ppuCtxSetCurrent(ctx[c]));
			FAILS(PPU_ERROR_OUT_OF_DEVICE_MEMORY, ppuCtxSetLimit(more[i].limit, more[i].value));
			for (int k = 0; k < 2; k++) {
				OK(ppuCtxSetCurrent(ctx[k]));
				for (unsigned j = 0; j < LIMITS; j++) {
					OK(ppuCtxGetLimit(more[j].limit, &now));
					ck_assert_uint_eq(now, was[j]);
				}
				ck_assert_uint_eq(device_priority(NULL), 6);
				ck_assert_uint_eq(device_priority(plain[k]), 6);
				mod = m[k];
				launch("quick", 3, plain[k], NULL);
				OK(ppuCtxSynchronize());
			}
		}
	OK(ppuCtxSetCurrent(ctx[1]));
	while (n)
		OK(ppuFree(all[--n]));
	for (unsigned i = 0; i < LIMITS; i++) {
		OK(ppuCtxSetLimit(more[i].limit, more[i].value));
		OK(ppuCtxGetLimit(more[i].limit, &now));
		ck_assert_uint_eq(now, more[i].value);
		ck_assert_uint_eq(device_priority(plain[1]), more[i].priority);
		launch("quick", 3, plain[1], NULL);
		OK(ppuCtxSynchronize());
	}
	OK(ppuCtxSetCurrent(ctx[0]));
	ck_assert_uint_eq(device_priority(plain[0]), 6);
	stop_quietly();
}
END_TEST

/* ---- the other limits ------------------------------------------------------------------------ */

/* Children that wait for their parent's end: as many as the limit are launched, the others have an error. */
START_TEST(pending_launches)
{
	start(NULL, NULL, NULL);
	for (uint32_t limit = 0; limit <= 9; limit += 3) {
		uint32_t v[OUT_WORDS], want = limit ? limit : 8;
		void *out = new_out(), *flag = (char *)out + 128, *tmd = child_tmd(fn("wait"), flag);
		uint64_t got;

		OK(ppuMemset(out, 0, 4, OUT_WORDS));
		OK(ppuCtxSetLimit(PPU_LIMIT_PENDING_LAUNCHES, limit));
		OK(ppuCtxGetLimit(PPU_LIMIT_PENDING_LAUNCHES, &got));
		ck_assert_uint_eq(got, limit);
		for (int again = 0; again < 2; again++) {	/* complete ones do not count */
			OK(ppuMemset(flag, 0, 4, 1));
			launch("many", 1, NULL, (void *[]){ &out, &tmd });
			OK(ppuCtxSynchronize());
			read_out(v, out);
			for (uint32_t i = 0; i < 8; i++)
				ck_assert_msg(v[i] == (i < want ? (uint32_t)PPU_LAUNCH_OK : (uint32_t)PPU_LAUNCH_PENDING),
					      "limit %u, launch %u: %d", limit, i, (int)v[i]);
		}
	}
	stop_quietly();
}
END_TEST

/* Local memory is as large as kernels need, and is freed when less is enough. */
START_TEST(local_memory_follows_need)
{
	size_t before, small, large, after, total;
	uint64_t bytes;

	OK(init(NULL, NULL, NULL));
	OK(ppuCtxGetLimit(PPU_LIMIT_LOCAL_BYTES, &bytes));
	ck_assert_uint_eq(bytes, 1024);
	OK(ppuMemGetInfo(&before, &total));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
	launch("quick", 1, NULL, NULL);
	OK(ppuCtxSynchronize());
	OK(ppuMemGetInfo(&small, &total));
	OK(ppuModuleLoadData(&mod, deep, 0, NULL));
	launch("deep", 1, NULL, NULL);
	OK(ppuCtxSynchronize());
	OK(ppuMemGetInfo(&large, &total));
	/* 15 SMs of 64 warps of 32 threads */
	ck_assert_uint_lt(before - small, 15 * 64 * 32 * 256u + (24u << 20));
	ck_assert_uint_ge(small - large, 15 * 64 * 32 * (4096u - 256u));
	OK(ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, 16));
	OK(ppuMemGetInfo(&after, &total));
	ck_assert_uint_ge(after, small);
	launch("deep", 1, NULL, NULL);		/* it grows again */
	OK(ppuCtxSynchronize());
	stop_quietly();
}
END_TEST

/* ---- queries --------------------------------------------------------------------------------- */

static void find_task(const char *kernel, uint32_t depth, ppuTaskInfo *out)
{
	ppuTaskInfo t[16];
	unsigned n = 16;

	OK(ppuCtxGetTasks(t, &n));
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(t[i].kernel, kernel) && t[i].depth == depth) {
			*out = t[i];
			return;
		}
	ck_abort_msg("no task of %s at depth %u, of %u", kernel, depth, n);
}

/* Which task holds which slot, and what the others wait for; the pools of HW-28 as the runtime sees them. */
START_TEST(tasks_of_a_context)
{
	static const char *const names[] = { "?", "PENDING", "RUNNING", "EVICTED", "SUSPENDED", "CODE_DONE", "?" };
	ppuTaskInfo low, high, third, parent, child, t[2];
	void *out, *tmd, *word;
	uint32_t *flag;
	ppuStream a, b, c;
	ppuCtx other;
	unsigned n = 2;

	for (unsigned i = 0; i < 7; i++)
		ck_assert_str_eq(ppuGetTaskStateName((ppuTaskState)i), names[i]);
	start("task-slots=1 gpcs=1", "0:2", "depth=4");
	OK(ppuCtxGetTasks(t, &n));
	ck_assert_uint_eq(n, 0);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxGetTasks(t, NULL));
	OK(ppuMallocHost((void **)&flag, 4096));
	word = &flag[16];
	OK(ppuStreamCreate(&a, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuStreamCreate(&b, PPU_STREAM_NON_BLOCKING, 2));
	OK(ppuStreamCreate(&c, PPU_STREAM_NON_BLOCKING, 0));
	launch("wait", 3, a, (void *[]){ &flag });
	rt_pass(100000);
	find_task("wait", 1, &low);
	ck_assert_int_eq(low.state, PPU_TASK_STATE_RUNNING);
	ck_assert_int_eq(low.slot, 0);
	ck_assert_uint_eq(low.blocks, 3);
	ck_assert_uint_eq(low.blocks_running, 3);
	ck_assert_uint_eq(low.device_priority, 0);
	ck_assert_int_eq(low.parent, -1);

	/* a more urgent one, whose child has the slot as it is more urgent still; a third has not begun */
	out = new_out();
	tmd = child_tmd(fn("wait"), word);
	launch("chain", 1, b, (void *[]){ &out, &tmd });
	launch("quick", 1, c, NULL);
	rt_pass(200000);
	find_task("wait", 1, &low);
	find_task("chain", 1, &parent);
	find_task("quick", 1, &third);
	find_task("", 2, &child);
	ck_assert_int_eq(low.state, PPU_TASK_STATE_EVICTED);
	ck_assert_int_eq(low.slot, -1);
	ck_assert_uint_eq(low.blocks_saved, 3);
	ck_assert_uint_eq(low.blocks_running, 0);
	ck_assert_int_eq(parent.state, PPU_TASK_STATE_EVICTED);
	ck_assert_uint_eq(parent.device_priority, 8);
	ck_assert_int_eq(child.state, PPU_TASK_STATE_RUNNING);
	ck_assert_int_eq(child.slot, 0);
	ck_assert_uint_eq(child.device_priority, 9);
	ck_assert_int_eq(child.parent, (int)parent.number);
	ck_assert_int_eq(third.state, PPU_TASK_STATE_PENDING);
	ck_assert_uint_eq(third.blocks_done, 0);
	n = 2;
	OK(ppuCtxGetTasks(t, &n));
	ck_assert_uint_eq(n, 2);		/* no more than there is room for */

	flag[16] = 1;
	OK(ppuStreamSynchronize(b));
	find_task("wait", 1, &high);
	ck_assert_uint_eq(high.number, low.number);
	ck_assert_int_eq(high.state, PPU_TASK_STATE_RUNNING);
	/* another context has none of them */
	OK(ppuCtxGetCurrent(&other));
	{
		ppuCtx mine;

		OK(ppuCtxCreate(&mine, 0, 0));
		n = 2;
		OK(ppuCtxGetTasks(t, &n));
		ck_assert_uint_eq(n, 0);
		OK(ppuCtxSetCurrent(other));
	}
	flag[0] = 1;
	OK(ppuCtxSynchronize());
	n = 2;
	OK(ppuCtxGetTasks(t, &n));
	ck_assert_uint_eq(n, 0);
	stop_quietly();

	/* With a slot for the child, the parent comes to its wait, and leaves. */
	start("task-slots=2 gpcs=1", NULL, "depth=4");
	OK(ppuMallocHost((void **)&flag, 4096));
	word = flag;
	out = new_out();
	tmd = child_tmd(fn("wait"), word);
	launch("chain", 1, NULL, (void *[]){ &out, &tmd });
	rt_pass(200000);
	find_task("chain", 1, &parent);
	find_task("", 2, &child);
	ck_assert_int_eq(parent.state, PPU_TASK_STATE_SUSPENDED);
	ck_assert_int_eq(parent.slot, -1);
	ck_assert_uint_eq(parent.blocks_saved, 1);
	ck_assert_int_eq(child.state, PPU_TASK_STATE_RUNNING);
	*flag = 1;
	OK(ppuCtxSynchronize());
	stop_quietly();
}
END_TEST

/* ---- golden traces --------------------------------------------------------------------------- */

/* The events of tasks, in order: "start p4"; p is the device priority with which the task was accepted. */
static const char *story(const struct rt_trace *t)
{
	static char text[4000];
	uint32_t prio[4096];
	char *p = text;

	*p = 0;
	for (size_t i = 0; i < t->num; i++) {
		const struct ppu_trace_rec *r = &t->rec[i];
		const char *what = NULL;

		switch (r->event) {
		case PPU_TR_TASK_ACCEPT: what = "accept"; break;
		case PPU_TR_TASK_SCHED: what = "start"; break;
		case PPU_TR_TASK_EVICT: what = "evict"; break;
		case PPU_TR_TASK_SUSPEND: what = "suspend"; break;
		case PPU_TR_TASK_RESUME: what = "resume"; break;
		case PPU_TR_TASK_CODE_DONE: what = "code-done"; break;
		case PPU_TR_TASK_DONE: what = "done"; break;
		}
		if (!what)
			continue;
		if (r->event == PPU_TR_TASK_ACCEPT)
			prio[(uint32_t)r->c % 4096] = r->a;
		p += sprintf(p, "%s%s p%u", p == text ? "" : ", ", what, prio[(uint32_t)r->c % 4096]);
		ck_assert_int_lt(p - text, 3900);
	}
	return text;
}

/* SP-39: a stream at device priority 4 with N = 4; the chain is complete from the innermost on, and only then the
 * stream's next kernel starts, again at 4.  SP-12, SP-33. */
START_TEST(chain_of_four_levels)
{
	void *out, *tmd;
	struct rt_trace t;
	ppuStream s;

	start("gpcs=1", "0:2", "depth=4");
	out = new_out();
	tmd = child_tmd(fn("chain"), out);
	OK(ppuStreamCreate(&s, 0, 1));
	launch("chain", 1, s, (void *[]){ &out, &tmd });
	launch("quick", 1, s, NULL);
	FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuCtxSynchronize());
	t = stop();
	ck_assert_str_eq(story(&t),
		"accept p4, start p4, accept p5, start p5, accept p6, suspend p4, start p6, accept p7, suspend p5, "
		"start p7, suspend p6, done p7, resume p6, done p6, resume p5, done p5, resume p4, done p4, "
		"accept p4, start p4, done p4");
	rt_trace_free(&t);
}
END_TEST

/*
 * SP-14: one slot and one place for a CTA, and the parent, which waits, has both.  Without preemption, and with no
 * priority above the parent's, the child never runs.
 */
START_TEST(waiting_parents_no_deadlock)
{
	const char *tight = "gpcs=1 sms-per-gpc=1 task-slots=1 ctas-per-sm=1";
	void *out, *tmd;
	struct rt_trace t;
	char props[200];
	ppuStream s;

	start(tight, "0:2", "depth=2");
	out = new_out();
	tmd = child_tmd(fn("chain"), out);
	OK(ppuStreamCreate(&s, 0, 1));
	launch("chain", 2, s, (void *[]){ &out, &tmd });	/* two CTAs, two children */
	FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuCtxSynchronize());
	t = stop();
	ck_assert_str_eq(story(&t),
		"accept p2, start p2, accept p3, evict p2, start p3, done p3, resume p2, accept p3, evict p2, "
		"start p3, done p3, resume p2, done p2");
	rt_trace_free(&t);

	snprintf(props, sizeof(props), "%s device-priorities=2 preempt-level=0", tight);
	start(props, "0:0", "depth=2");
	out = new_out();
	tmd = child_tmd(fn("chain"), out);
	launch("chain", 1, NULL, (void *[]){ &out, &tmd });
	FAILS(PPU_ERROR_DEADLOCK, ppuCtxSynchronize());
	t = stop();
	ck_assert_ptr_null(strstr(story(&t), "done"));
	rt_trace_free(&t);
}
END_TEST

BENCH_MAIN("rt_prio", map_examples, computed_as_stored, range_and_queries, mappings_need_no_vram, streams_in_order,
	   two_contexts, every_depth, new_depth_new_map, not_while_in_use, refusals, depth_beyond_the_reserve,
	   default_priority, memory_of_levels, limits_without_memory,
	   pending_launches, local_memory_follows_need, tasks_of_a_context, chain_of_four_levels,
	   waiting_parents_no_deadlock)
