/* SPDX-License-Identifier: MIT */
/*
 * Kernels with priorities: a pipeline of six stages, and how many stream priorities it can have (SP-41).
 *
 * Every stage has a stream; its kernel fills the machine.  All frames are there from the beginning.  Without priorities
 * the first stage goes on with new frames while others are nearly done.  With each stage in a stream of higher priority
 * than the one before, a frame that is under way is finished first: its kernels evict the kernels of later frames,
 * which resume afterwards.
 *
 * Of 12 device priorities, nesting depth N leaves floor(12 / N) to streams: six stages have six
 * priorities when kernels may launch kernels one level deep (N = 2), and three when they may three deep
 * (N = 4).  The sample runs with one priority for all, with three and with six.
 *
 * Frames are as large as the machine: the kernel of one stage takes all its warps.  Where there is room for the
 * stages of several frames at once, priorities have no effect.
 *
 * The device starts when everything is submitted (close_gate()), so the times are the device's alone. With the core
 * backend, ppu-trace writes the timelines as pictures to the directory given as argument (else to the current one).
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include "common.h"

#define STAGES		6u
#define FRAMES		8u
#define ROUNDS		1200u	/* of the first stage; the others take half as long */

/* The results of a run. */
struct run {
	const char *name;
	unsigned priorities;			/* number of different priorities that the stages got */
	uint64_t from, to;			/* device time */
	uint64_t latency[FRAMES], mean;
	uint32_t wrong;				/* words */
};

static unsigned blocks, threads, words;		/* of a frame, and of each kernel */

static uint32_t rounds(unsigned stage)
{
	return stage ? ROUNDS / 2 : ROUNDS;
}

static uint32_t expected(uint32_t x)
{
	for (unsigned k = 0; k < STAGES; k++)
		for (uint32_t r = 0; r < rounds(k); r++)
			x = x * 1664525u + k;
	return x;
}

/* Makes a stream for each stage, later stages more urgent; returns the number of different device priorities. */
static unsigned make_streams(ppuStream *s, int priorities)
{
	uint32_t device, last = UINT32_MAX;
	int least, greatest;
	unsigned n = 0;

	CHECK(ppuStreamGetPriorityRange(&least, &greatest));
	for (unsigned k = 0; k < STAGES; k++) {
		int p = !priorities ? least : least + (greatest < least ? -(int)k : (int)k);

		CHECK(ppuStreamCreate(&s[k], PPU_STREAM_NON_BLOCKING, p));
		CHECK(ppuStreamGetDevicePriority(s[k], &device));
		n += device != last;
		last = device;
	}
	return n;
}

static void submit(ppuStream *s, uint32_t **frame, volatile uint32_t *go, ppuEvent *opened, ppuEvent *end)
{
	ppuFunction gate = load_kernel("priority_pipeline", "gate"), stage = load_kernel("priority_pipeline", "stage");
	ppuEvent done;

	*opened = close_gate(gate, go, s[0]);
	for (unsigned f = 0; f < FRAMES; f++)
		for (uint32_t k = 0; k < STAGES; k++) {
			uint32_t n = rounds(k);

			if (k)
				CHECK(ppuStreamWaitEvent(s[k], done));
			CHECK(ppuLaunchKernel(stage, ppuDim(blocks, 1, 1), ppuDim(threads, 1, 1), 0, s[k],
					      (void *[]){ &frame[f], &k, &n }, NULL, 0));
			CHECK(ppuEventCreate(&done, 0));
			CHECK(ppuEventRecord(done, s[k]));
			end[f] = done;
		}
}

static struct run measure(const char *name, uint32_t depth, int priorities)
{
	uint32_t *frame[FRAMES], *data = malloc(words * 4), seed = 7;
	struct run r = { .name = name };
	volatile uint32_t *go;
	ppuEvent opened, end[FRAMES];
	ppuStream s[STAGES];
	ppuCtx ctx;

	CHECK(ppuCtxCreate(&ctx, 0, 0));
	CHECK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, depth));
	go = host_alloc(4096);
	for (unsigned f = 0; f < FRAMES; f++) {
		frame[f] = device_alloc(words * 4);
		for (uint32_t i = 0; i < words; i++)
			data[i] = f + i;
		CHECK(ppuMemcpy(frame[f], data, words * 4));
	}
	r.priorities = make_streams(s, priorities);
	submit(s, frame, go, &opened, end);
	*go = 1;
	CHECK(ppuCtxSynchronize());
	CHECK(ppuEventGetTime(opened, &r.from));
	for (unsigned f = 0; f < FRAMES; f++) {
		uint64_t t;

		CHECK(ppuEventGetTime(end[f], &t));
		r.latency[f] = t - r.from;
		r.mean += r.latency[f] / FRAMES;
		r.to = t > r.to ? t : r.to;
		CHECK(ppuMemcpy(data, frame[f], words * 4));
		for (unsigned n = 0; n < 64; n++) {
			uint32_t i = next_random(&seed) % words;

			r.wrong += data[i] != expected(f + i);
		}
	}
	free(data);
	CHECK(ppuCtxDestroy(ctx));
	return r;
}

static int draw(const struct run *r, const char *trace, const char *dir, const char *file)
{
	char svg[PATH_MAX], from[40], to[40], title[96];

	snprintf(svg, sizeof(svg), "%s/%s", dir, file);
	snprintf(from, sizeof(from), "--from=%" PRIu64, r->from);
	snprintf(to, sizeof(to), "--to=%" PRIu64, r->to);
	snprintf(title, sizeof(title), "--title=Six stages, %s", r->name);
	if (!run_ppu_trace((const char *[]){ "--svg", svg, from, to, title, "--lanes=task,sm", trace, NULL }))
		return 0;
	printf("timeline: %s\n", svg);
	return 1;
}

/*
 * The device inside the process gets a trace. Unless the user asks otherwise it has few SMs, so that tasks must wait.
 */
static int start(const char *trace)
{
	ppuInitOptions o = { .backend = "core", .trace = trace, .props = getenv("PPU_PROPS") };
	ppuDeviceProp prop;

	CHECK(ppuInit(NULL));
	CHECK(ppuDeviceGetProperties(&prop, 0));
	if (strcmp(prop.backend, "core"))
		return 0;
	CHECK(ppuShutdown());
	if (!o.props)
		o.props = "gpcs=1 sms-per-gpc=2 task-slots=4 window-ns=1000";
	CHECK(ppuInit(&o));
	return 1;
}

static void fill_machine(void)
{
	unsigned per_sm;
	ppuDeviceProp p;

	CHECK(ppuDeviceGetProperties(&p, 0));
	threads = p.max_threads_per_sm < p.max_threads_per_block ? p.max_threads_per_sm : p.max_threads_per_block;
	per_sm = p.max_threads_per_sm / threads;
	blocks = p.sms * (per_sm < p.ctas_per_sm ? per_sm : p.ctas_per_sm);
	words = blocks * threads;
}

/* The first frame is finished in less than three quarters of the time, and the mean frame no later. */
static int sooner(const struct run *r, const struct run *one)
{
	return 4 * r->latency[0] < 3 * one->latency[0] && r->mean <= one->mean;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : ".", *given = getenv("PPU_TRACE");
	char trace[PATH_MAX];
	struct run one, three, six;
	int core, ok;

	snprintf(trace, sizeof(trace), "%s", given ? given : "");
	if (!given)
		snprintf(trace, sizeof(trace), "%s/priority-pipeline.trace", dir);
	core = start(trace);
	fill_machine();
	one = measure("one priority for all", 2, 0);
	three = measure("nesting depth 4: three priorities", 4, 1);
	six = measure("nesting depth 2: six priorities", 2, 1);
	printf("frame   one priority   three      six   (us of device time until the frame is finished)\n");
	for (unsigned f = 0; f < FRAMES; f++)
		printf("%5u %14.1f %7.1f %8.1f\n", f, (double)one.latency[f] / 1e3, (double)three.latency[f] / 1e3,
		       (double)six.latency[f] / 1e3);
	printf(" mean %14.1f %7.1f %8.1f\n", (double)one.mean / 1e3, (double)three.mean / 1e3, (double)six.mean / 1e3);
	CHECK(ppuShutdown());
	ok = !one.wrong && !three.wrong && !six.wrong && one.priorities == 1 && three.priorities == 3 &&
	     six.priorities == STAGES && sooner(&three, &one) && sooner(&six, &one);
	if (core) {
		ok = draw(&one, trace, dir, "priority-pipeline-1.svg") && ok;
		ok = draw(&six, trace, dir, "priority-pipeline-6.svg") && ok;
	}
	return finish(ok, "priority-pipeline: %u, %u and %u priorities; the first frame is finished after %.1f, %.1f and "
		      "%.1f us; %u words wrong", one.priorities, three.priorities, six.priorities,
		      (double)one.latency[0] / 1e3, (double)three.latency[0] / 1e3, (double)six.latency[0] / 1e3,
		      one.wrong + three.wrong + six.wrong);
}
