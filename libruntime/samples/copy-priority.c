/* SPDX-License-Identifier: MIT */
/*
 * Copies with priorities: a pipeline of frames through five stages that share the copy engine.
 *
 *     upload -> decode -> filter -> encode -> download
 *
 * Every stage has a stream and ends with a copy to the next one; uploads are long, and all frames are there from the
 * beginning, as in a file.  Without priorities the engine goes on with uploads while frames that are nearly done wait
 * for the engine. With later stages in streams of higher priority a frame that is in the pipeline is finished first,
 * and the next one is uploaded in the gaps: the same work in the same time, but each frame spends less time on the way,
 * and all about the same.
 *
 * The device starts when everything is submitted (close_gate()). So the times are the device's alone: they do not
 * depend on the speed of the program that submits.
 *
 * With the core backend, ppu-trace writes both timelines as pictures to the directory given as argument (else to the
 * current one). In a virtual machine the trace is written outside: scripts/vm --trace.
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include "common.h"

enum { UPLOAD, DECODE, FILTER, ENCODE, DOWNLOAD, STAGES };
static const char *const names[STAGES] = { "upload", "decode", "filter", "encode", "download" };

#define FRAMES_PER_ENGINE	8u
#define MAX_ENGINES		4u	/* engines that are kept busy with uploads */
#define MAX_FRAMES		(FRAMES_PER_ENGINE * MAX_ENGINES)
#define SLICE_WORDS		(10u << 10)	/* size of a copy; an upload is SLICES copies */
#define SLICES			12u
#define PICTURE_WORDS		(16u << 10)	/* the part of a frame that goes from stage to stage: its beginning */
#define WORK_WORDS		2048u		/* and the part that the kernels change */
#define NOTED_FRAME		4u
#define MAX_LABELS		32u

static uint32_t *in, *out;		/* pinned */
static volatile uint32_t *go;		/* pinned */
static uint32_t *buf[STAGES];		/* on the device: one for each stage, with all frames */
static unsigned engines, frames;

/* The results of a run. */
struct run {
	uint64_t from, to;			/* device time */
	uint64_t latency[MAX_FRAMES];
	uint64_t mean, jitter;			/* jitter: longest - shortest */
	uint32_t wrong;				/* words */
	char labels[MAX_LABELS][64];		/* names of lanes, for ppu-trace */
	unsigned num_labels;
	char lanes[512];
};

static ppuStream make_stream(struct run *r, unsigned stage, const char *name)
{
	ppuStreamCopyInfo info;
	int least, greatest;
	ppuStream s;

	CHECK(ppuStreamGetPriorityRange(&least, &greatest));
	CHECK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, least + (greatest < least ? -(int)stage : (int)stage)));
	CHECK(ppuStreamGetCopyInfo(s, &info));
	snprintf(r->labels[r->num_labels++], sizeof(r->labels[0]), "--label=channel:%u=%s", info.hw_channel, name);
	snprintf(r->lanes + strlen(r->lanes), sizeof(r->lanes) - strlen(r->lanes), "channel:%u,", info.hw_channel);
	return s;
}

/* Names of the semaphores of the priorities, for the picture. */
static void note_semaphores(struct run *r)
{
	ppuCopyConfig c;
	void *addr;

	CHECK(ppuCtxGetCopyConfig(&c));
	for (int p = 1; c.semaphores && p <= (int)c.priorities; p++) {
		if (r->num_labels == MAX_LABELS || ppuCtxGetCopySemaphore(p, &addr, NULL))
			continue;
		snprintf(r->labels[r->num_labels++], sizeof(r->labels[0]), "--label=sem:%p=S%d (%s)", addr, p,
			 p <= STAGES ? names[p - 1] : "unused");
		snprintf(r->lanes + strlen(r->lanes), sizeof(r->lanes) - strlen(r->lanes), "sem:%p,", addr);
	}
	strcat(r->lanes, "engine");
}

static void upload(ppuStream s, unsigned f)
{
	uint32_t *dst = buf[UPLOAD] + (size_t)f * SLICES * SLICE_WORDS, *src = in + (size_t)f * SLICES * SLICE_WORDS;

	for (unsigned k = 0; k < SLICES; k++)
		CHECK(ppuMemcpyAsync(dst + k * SLICE_WORDS, src + k * SLICE_WORDS, SLICE_WORDS * 4, s));
}

/* Stage k of frame f: works on the result of the stage before, then copies its own result to the next stage. */
static void pass_on(ppuStream s, ppuFunction work, unsigned k, unsigned f)
{
	uint32_t *from = buf[k - 1] + (size_t)f * (k == DECODE ? SLICES * SLICE_WORDS : PICTURE_WORDS);
	uint32_t *to = k == DOWNLOAD ? out + (size_t)f * PICTURE_WORDS : buf[k] + (size_t)f * PICTURE_WORDS;
	uint32_t n = WORK_WORDS;
	void *args[] = { &from, &n, &k };

	CHECK(ppuLaunchKernel(work, ppuDim(WORK_WORDS / 256, 1, 1), ppuDim(256, 1, 1), 0, s, args, NULL, 0));
	CHECK(ppuMemcpyAsync(to, from, PICTURE_WORDS * 4, s));
}

static void submit(struct run *r, ppuEvent *begin, ppuEvent *end, ppuFunction work)
{
	ppuStream up[MAX_ENGINES], stage[STAGES];
	ppuEvent opened, done;
	ppuFunction gate;

	gate = load_kernel("copy_priority", "gate");
	CHECK(ppuStreamCreate(&stage[0], PPU_STREAM_NON_BLOCKING, 0));
	opened = close_gate(gate, go, stage[0]);
	for (unsigned e = 0; e < engines; e++) {
		up[e] = make_stream(r, UPLOAD, names[UPLOAD]);
		CHECK(ppuStreamWaitEvent(up[e], opened));
	}
	for (unsigned k = DECODE; k < STAGES; k++)
		stage[k] = make_stream(r, k, names[k]);
	for (unsigned f = 0; f < frames; f++) {
		CHECK(ppuEventCreate(&begin[f], 0));
		CHECK(ppuEventRecord(begin[f], up[f % engines]));
		upload(up[f % engines], f);
		CHECK(ppuEventCreate(&done, PPU_EVENT_DISABLE_TIMING));
		CHECK(ppuEventRecord(done, up[f % engines]));
		for (unsigned k = DECODE; k < STAGES; k++) {
			CHECK(ppuStreamWaitEvent(stage[k], done));
			pass_on(stage[k], work, k, f);
			CHECK(ppuEventCreate(&done, k == DOWNLOAD ? 0 : PPU_EVENT_DISABLE_TIMING));
			CHECK(ppuEventRecord(done, stage[k]));
		}
		end[f] = done;
	}
	note_semaphores(r);
	*go = 1;
	CHECK(ppuCtxSynchronize());
	CHECK(ppuEventGetTime(opened, &r->from));
}

static uint32_t count_wrong(void)
{
	uint32_t bad = 0;

	for (unsigned f = 0; f < frames; f++)
		for (uint32_t i = 0; i < PICTURE_WORDS; i++) {
			uint32_t x = in[(size_t)f * SLICES * SLICE_WORDS + i];

			for (uint32_t k = DECODE; i < WORK_WORDS && k < STAGES; k++)
				x = x * 1664525u + k;
			bad += out[(size_t)f * PICTURE_WORDS + i] != x;
		}
	return bad;
}

static void measure(struct run *r, unsigned flags)
{
	ppuEvent begin[MAX_FRAMES], end[MAX_FRAMES];
	uint64_t shortest = UINT64_MAX, longest = 0, t0, t1;
	uint32_t seed = 7;
	ppuCtx ctx;

	memset(r, 0, sizeof(*r));
	CHECK(ppuCtxCreate(&ctx, flags, 0));
	in = host_alloc(frames * SLICES * SLICE_WORDS * 4);
	out = host_alloc(frames * PICTURE_WORDS * 4);
	go = host_alloc(4096);
	*go = 0;
	for (unsigned k = UPLOAD; k < DOWNLOAD; k++)
		buf[k] = device_alloc(frames * (k == UPLOAD ? SLICES * SLICE_WORDS : PICTURE_WORDS) * 4);
	for (size_t i = 0; i < (size_t)frames * SLICES * SLICE_WORDS; i++)
		in[i] = next_random(&seed);
	memset(out, 0, frames * PICTURE_WORDS * 4);

	submit(r, begin, end, load_kernel("copy_priority", "stage"));
	for (unsigned f = 0; f < frames; f++) {
		CHECK(ppuEventGetTime(begin[f], &t0));
		CHECK(ppuEventGetTime(end[f], &t1));
		r->latency[f] = t1 - t0;
		r->mean += (t1 - t0) / frames;
		shortest = t1 - t0 < shortest ? t1 - t0 : shortest;
		longest = t1 - t0 > longest ? t1 - t0 : longest;
		r->to = t1 > r->to ? t1 : r->to;
	}
	r->jitter = longest - shortest;
	r->wrong = count_wrong();
	CHECK(ppuCtxDestroy(ctx));
}

/* ---- pictures ------------------------------------------------------------------------------------ */

static int draw(const struct run *r, const char *trace, const char *svg, const char *title)
{
	char from[40], to[40], text[96], lanes[560];
	const char *args[16 + MAX_LABELS];
	int n = 0;

	snprintf(from, sizeof(from), "--from=%" PRIu64, r->from);
	snprintf(to, sizeof(to), "--to=%" PRIu64, r->to);
	snprintf(text, sizeof(text), "--title=%s", title);
	snprintf(lanes, sizeof(lanes), "--lanes=%s", r->lanes);
	args[n++] = "--svg";
	args[n++] = svg;
	args[n++] = from;
	args[n++] = to;
	args[n++] = text;
	args[n++] = lanes;
	for (unsigned i = 0; i < r->num_labels; i++)
		args[n++] = r->labels[i];
	args[n++] = trace;
	args[n] = NULL;
	return run_ppu_trace(args);
}

static void print_table(const struct run *off, const struct run *on)
{
	printf("frame   without priorities   with priorities   (us of device time from first to last byte)\n");
	for (unsigned f = 0; f < frames; f++)
		printf("%5u %20.1f %17.1f\n", f, (double)off->latency[f] / 1e3, (double)on->latency[f] / 1e3);
	printf(" mean %20.1f %17.1f\n", (double)off->mean / 1e3, (double)on->mean / 1e3);
	printf("jitter%20.1f %17.1f   longest - shortest\n", (double)off->jitter / 1e3, (double)on->jitter / 1e3);
	printf("  all %20.1f %17.1f\n", (double)(off->to - off->from) / 1e3, (double)(on->to - on->from) / 1e3);
}

/* The device inside the process gets a trace, and one engine unless the user asks for another number. */
static int start(ppuInitOptions *o, const char *trace, ppuDeviceProp *prop)
{
	int core;

	CHECK(ppuInit(NULL));
	CHECK(ppuDeviceGetProperties(prop, 0));
	core = !strcmp(prop->backend, "core");
	if (!core)
		return 0;
	CHECK(ppuShutdown());
	*o = (ppuInitOptions){ .backend = "core", .trace = getenv("PPU_TRACE"), .props = getenv("PPU_PROPS") };
	if (!o->trace)
		o->trace = trace;
	if (!o->props)
		o->props = "copy-engines=1 gpcs=1 sms-per-gpc=4";
	CHECK(ppuInit(o));
	CHECK(ppuDeviceGetProperties(prop, 0));
	return 1;
}

static int draw_both(const struct run *off, const struct run *on, const char *dir, const char *trace)
{
	char svg[2][PATH_MAX];
	int ok;

	snprintf(svg[0], sizeof(svg[0]), "%s/copy-priority-off.svg", dir);
	snprintf(svg[1], sizeof(svg[1]), "%s/copy-priority-on.svg", dir);
	ok = draw(off, trace, svg[0], "Five stages share a copy engine, no priorities") &&
	     draw(on, trace, svg[1], "The same with priorities: copies of later stages first");
	if (ok)
		printf("timelines: %s, %s\n", svg[0], svg[1]);
	return ok;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : ".";
	char trace[PATH_MAX];
	ppuInitOptions o;
	static struct run off, on;
	ppuDeviceProp prop;
	int core, ok;

	snprintf(trace, sizeof(trace), "%s/copy-priority.trace", dir);
	core = start(&o, trace, &prop);
	engines = prop.copy_engines < MAX_ENGINES ? prop.copy_engines : MAX_ENGINES;
	frames = FRAMES_PER_ENGINE * engines;

	measure(&off, PPU_CTX_NO_COPY_PRIORITIES);
	measure(&on, 0);
	print_table(&off, &on);
	CHECK(ppuShutdown());
	ok = !off.wrong && !on.wrong;
	/*
	 * With more engines than uploads keep busy, there is always a free engine for a copy that waits. And with more
	 * than one engine, frames that are under way at the same time wait for each other for varying times.
	 */
	if (engines == prop.copy_engines)
		ok = ok && 4 * on.latency[NOTED_FRAME] < 3 * off.latency[NOTED_FRAME] && 4 * on.mean < 3 * off.mean;
	if (prop.copy_engines == 1)
		ok = ok && on.jitter < off.jitter;
	if (core)
		ok = draw_both(&off, &on, dir, o.trace) && ok;
	else
		printf("timelines: scripts/vm --trace t -- sample-copy-priority, then ppu-trace --svg off.svg --from %" PRIu64
		       " --to %" PRIu64 " t and --svg on.svg --from %" PRIu64 " --to %" PRIu64 " t\n", off.from, off.to, on.from,
		       on.to);
	return finish(ok, "copy-priority: frame %u took %.1f us, with priorities %.1f us; jitter %.1f us, with %.1f us; "
		      "%u words wrong", NOTED_FRAME, (double)off.latency[NOTED_FRAME] / 1e3,
		      (double)on.latency[NOTED_FRAME] / 1e3, (double)off.jitter / 1e3, (double)on.jitter / 1e3,
		      off.wrong + on.wrong);
}
