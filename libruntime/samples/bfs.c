/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search that continues by itself: the kernel of a level puts the kernel of the next level into the
 * stream's device-owned queue. The CPU makes only one launch, whatever the graph's depth.
 *
 * While the CPU waits, it reads the state of the two rings again and again, and draws what it saw: GET and PUT of the
 * channel of the launch, soft, shadow and GET of the queue, X and Y. The picture, bfs.svg, goes to the directory given
 * as argument; without an argument no picture is drawn. With the core backend the picture is the same each time.
 * Documentation/runtime/device-queues.md explains it step by step.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include "common.h"

#define NODES		6000u
#define EDGES		3u		/* from each node */
#define THREADS		64u
#define MAX_LEVELS	64u
#define ENTRIES		16u
#define MAX_SAMPLES	20000u

/* The same structure as in the kernel. */
struct search {
	uint32_t *first, *edge, *distance, *list[2], *size, *blocks_done, *errors;
};

struct sample {
	uint64_t time, soft, shadow, x, y, put, get, launch_get, launch_put;
};

static uint32_t first[NODES + 1], edge[NODES * EDGES];
static struct sample samples[MAX_SAMPLES];
static unsigned num_samples;

static void make_graph(void)
{
	uint32_t seed = 1;

	for (uint32_t v = 0; v < NODES; v++) {
		first[v] = v * EDGES;
		/* a ring with chords: connected, and not too shallow */
		edge[v * EDGES] = (v + 1) % NODES;
		edge[v * EDGES + 1] = (v + next_random(&seed) % 600) % NODES;
		edge[v * EDGES + 2] = (v + next_random(&seed) % 600) % NODES;
	}
	first[NODES] = NODES * EDGES;
}

static uint32_t *upload(const uint32_t *from, size_t words)
{
	uint32_t *p = device_alloc(words * 4);

	CHECK(ppuMemcpy(p, from, words * 4));
	return p;
}

static uint32_t *zeroed(size_t words)
{
	uint32_t *p = device_alloc(words * 4);

	CHECK(ppuMemset(p, 0, 4, words));
	return p;
}

/* The same search by the CPU: the number of levels, and the number of nodes whose depth differs from the device's. */
static unsigned check_result(const uint32_t *device, unsigned *wrong)
{
	static uint32_t depth[NODES], queue[NODES];
	uint32_t head = 0, tail = 0, deepest = 0;

	memset(depth, 0xff, sizeof(depth));
	depth[0] = 0;
	queue[tail++] = 0;
	while (head < tail) {
		uint32_t v = queue[head++];

		deepest = depth[v];
		for (uint32_t e = first[v]; e < first[v + 1]; e++) {
			if (depth[edge[e]] != ~0u)
				continue;
			depth[edge[e]] = depth[v] + 1;
			queue[tail++] = edge[e];
		}
	}
	*wrong = 0;
	for (uint32_t v = 0; v < NODES; v++)
		*wrong += depth[v] != device[v];
	return deepest + 1;
}

static void look(void)
{
	struct sample *s = &samples[num_samples], *before = s - 1;
	ppuQueueInfo q;
	uint64_t now;

	if (num_samples == MAX_SAMPLES)
		return;
	CHECK(ppuStreamGetQueue(NULL, &q));
	CHECK(ppuDeviceGetTime(0, &now));
	*s = (struct sample){
		.time = now, .soft = q.soft, .shadow = q.shadow, .x = q.x, .y = q.y, .launch_get = q.launch_get,
		.launch_put = q.launch_put,
	};
	/* GET without wrapping: between two readings it moves by less than a lap */
	s->get = num_samples ? before->get + (q.get + ENTRIES - before->get % ENTRIES) % ENTRIES : q.get;
	num_samples++;
}

/* ---- the picture ----------------------------------------------------------------------------------------- */

#define WIDTH	1100.0
#define LEFT	150.0
#define RIGHT	1020.0

struct curve {
	const char *name, *dash;
	size_t field;		/* of struct sample */
	double wide;
	double label;		/* this much below its end */
};
#define CURVE(name, member, dash, wide, label)	{ name, dash, offsetof(struct sample, member), wide, label }

static uint64_t value(const struct sample *s, const struct curve *c)
{
	return *(const uint64_t *)((const char *)s + c->field);
}

/* The curves hold their last values for a while, so that these can be seen. */
static double x_of(uint64_t time)
{
	uint64_t from = samples[0].time, to = samples[num_samples - 1].time + (samples[num_samples - 1].time - from) / 25;

	return LEFT + (RIGHT - LEFT) * (double)(time - from) / (double)(to - from ? to - from : 1);
}

/* A step curve: a value holds until the next sample with a different value. */
static void draw(FILE *f, const struct curve *c, double bottom, double height, uint64_t low, uint64_t high)
{
	double scale = height / (double)(high > low ? high - low : 1), y = 0;

	fprintf(f, "<path fill=\"none\" stroke=\"#222\" stroke-width=\"%.1f\" stroke-dasharray=\"%s\" d=\"", c->wide, c->dash);
	for (unsigned i = 0; i < num_samples; i++) {
		if (i && value(&samples[i], c) == value(&samples[i - 1], c) && i + 1 < num_samples)
			continue;
		y = bottom - scale * (double)(value(&samples[i], c) - low);
		fprintf(f, i ? "H%.1fV%.1f" : "M%.1f %.1f", x_of(samples[i].time), y);
	}
	fprintf(f, "H%.1f\"/>\n<text x=\"%.1f\" y=\"%.1f\">%s %" PRIu64 "</text>\n", RIGHT, RIGHT + 6, y + c->label,
		c->name, value(&samples[num_samples - 1], c));
}

static void panel(FILE *f, const char *title, const struct curve *c, unsigned n, double bottom, double height)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (unsigned k = 0; k < n; k++) {
		for (unsigned i = 0; i < num_samples; i++) {
			low = value(&samples[i], &c[k]) < low ? value(&samples[i], &c[k]) : low;
			high = value(&samples[i], &c[k]) > high ? value(&samples[i], &c[k]) : high;
		}
	}
	fprintf(f, "<path stroke=\"#bbb\" d=\"M%.1f %.1fH%.1f\"/><text x=\"8\" y=\"%.1f\">%s</text>\n"
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%" PRIu64 "</text><text x=\"%.1f\" y=\"%.1f\" "
		"text-anchor=\"end\">%" PRIu64 "</text>\n", LEFT, bottom, RIGHT, bottom - height / 2, title, LEFT - 6, bottom + 4,
		low, LEFT - 6, bottom - height + 4, high);
	for (unsigned k = 0; k < n; k++)
		draw(f, &c[k], bottom, height, low, high);
}

static void picture(const char *dir)
{
	static const struct curve launch[] = { CURVE("PUT", launch_put, "6 3", 1.0, -2), CURVE("GET", launch_get, "none", 2.0, 13) };
	static const struct curve queue[] = { CURVE("shadow", shadow, "6 3", 1.0, 4),
					      CURVE("soft", soft, "2 2", 1.5, -2), CURVE("GET", get, "none", 2.0, 13) };
	static const struct curve x[] = { CURVE("X", x, "none", 2.0, 4) }, y[] = { CURVE("Y", y, "none", 2.0, 4) };
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/bfs.svg", dir);
	f = fopen(path, "we");
	if (!f) {
		perror(path);
		exit(1);
	}
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"560\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n<!-- SPDX-License-Identifier: MIT -->\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text x=\"8\" y=\"20\" font-size=\"14\">Breadth-first search that feeds itself: both rings, %" PRIu64
		" us of device time</text>\n", WIDTH, (samples[num_samples - 1].time - samples[0].time) / 1000);
	panel(f, "CPU-owned channel", launch, 2, 130, 80);
	panel(f, "device-owned queue", queue, 3, 400, 230);
	panel(f, "X", x, 1, 455, 30);
	panel(f, "Y", y, 1, 515, 30);
	for (unsigned i = 0; i <= 10; i++) {
		uint64_t t = samples[0].time + (samples[num_samples - 1].time - samples[0].time) * i / 10;

		fprintf(f, "<path stroke=\"#ddd\" d=\"M%.1f 45V525\"/><text x=\"%.1f\" y=\"545\" text-anchor=\"middle\">%" PRIu64
			" us</text>\n", x_of(t), x_of(t), (t - samples[0].time) / 1000);
	}
	fputs("</svg>\n", f);
	fclose(f);
}

int main(int argc, char **argv)
{
	static uint32_t distance[NODES], size[MAX_LEVELS];
	ppuQueueOptions o = { .entries = ENTRIES };
	uint32_t level = 0, one = 1, errors;
	unsigned levels = 0, wrong, deep;
	ppuFunction bfs = load_kernel("bfs", "bfs");
	struct search s, *dev;
	ppuQueueInfo before, after;
	ppuResult res;

	make_graph();
	s.first = upload(first, NODES + 1);
	s.edge = upload(edge, NODES * EDGES);
	memset(distance, 0xff, sizeof(distance));
	distance[0] = 0;
	s.distance = upload(distance, NODES);
	s.list[0] = zeroed(NODES);
	s.list[1] = zeroed(NODES);
	s.size = zeroed(MAX_LEVELS);
	s.blocks_done = zeroed(MAX_LEVELS);
	s.errors = zeroed(1);
	CHECK(ppuMemcpy(s.size, &one, 4));		/* level 0 is node 0 */
	dev = device_alloc(sizeof(s));
	CHECK(ppuMemcpy(dev, &s, sizeof(s)));
	CHECK(ppuStreamSetQueue(NULL, &o));
	CHECK(ppuStreamGetQueue(NULL, &before));
	CHECK(ppuLaunchKernel(bfs, ppuDim(1, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, (void *[]){ &dev, &level }, NULL, 0));
	do {
		look();
		res = ppuStreamQuery(NULL);
	} while (res == PPU_ERROR_NOT_READY);
	CHECK(res);
	look();
	CHECK(ppuStreamGetQueue(NULL, &after));
	CHECK(ppuMemcpy(distance, s.distance, sizeof(distance)));
	CHECK(ppuMemcpy(size, s.size, sizeof(size)));
	CHECK(ppuMemcpy(&errors, s.errors, 4));
	while (levels < MAX_LEVELS && size[levels])
		levels++;
	deep = check_result(distance, &wrong);
	if (argc > 1)
		picture(argv[1]);
	return finish(!wrong && !errors && levels == deep && after.launches == before.launches + 1,
		      "breadth-first search of %u nodes: %u levels, %u wrong; one launch by the CPU, %u by the device's threads",
		      NODES, levels, wrong, levels - 1);
}
