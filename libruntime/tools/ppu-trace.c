/* SPDX-License-Identifier: MIT */
/*
 * ppu-trace: a device trace as text, one line an event, or as a picture.
 *
 * Names of events and of their arguments come from ppu_trace.h, the list the device itself uses.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_fault.h>
#include <hw/ppu_isa.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_trace.h>

/* struct ppu_trace_rec in types that printf knows. */
struct rec {
	uint64_t time;
	uint16_t event, unit;
	uint32_t a;
	uint64_t b, c, d;
};
_Static_assert(sizeof(struct rec) == sizeof(struct ppu_trace_rec), "record layout");

static struct ppu_trace_header head;
static struct rec *recs;
static size_t num_recs;

struct event_info {
	const char *name, *unit, *arg[4];
};
static const struct event_info events[PPU_TR_MAX] = {
#define T(name, num, u, a, b, c, d, doc) [num] = { #name, u, { a, b, c, d } },
	PPU_TRACE_EVENTS(T)
#undef T
};

static const char *cmd_name(uint64_t op)
{
	switch (op) {
#define C(name, op, size, flags, classes, doc) case op: return #name;
	PPU_CMDS(C)
#undef C
	}
	return NULL;
}

static const char *err_name(uint64_t code)
{
	switch (code) {
#define E(name, code, scope, text) case code: return #name;
	PPU_ERRS(E)
#undef E
	}
	return NULL;
}

static const char *reason_name(uint64_t r)
{
	switch (r) {
#define R(name, code, text) case code: return text;
	PPU_REASONS(R)
#undef R
	}
	return NULL;
}

static const char *const writers[] = { "command", "sm", "ce", "cpu", "task" };
static const char *const blocks[] = { "acquire", "wfi", "engine", "tasks", "gate" };
static const char *const classes[] = { NULL, "compute", "copy", "devq" };

static const char *pick(const char *const *names, size_t n, uint64_t i)
{
	return i < n ? names[i] : NULL;
}
#define PICK(names, i) pick(names, sizeof(names) / sizeof(names[0]), i)

static bool is_hex(const char *arg)
{
	static const char *const hex[] = {
		"ring_va", "inst", "block_va", "addr", "operand0", "operand1", "dst", "va", "tmd",
		"token", "mask", "status", "task", "parent", "child", "taken", "left",
	};

	for (size_t i = 0; i < sizeof(hex) / sizeof(hex[0]); i++)
		if (!strcmp(arg, hex[i]))
			return true;
	return false;
}

static void print_arg(const struct rec *r, const char *arg, uint64_t v)
{
	const char *text = NULL;

	if (!strcmp(arg, "-"))
		return;
	if (!strcmp(arg, "warp_pc")) {
		printf(" warp=%u pc=%u", (unsigned)(v >> 24), (unsigned)(v & PPU_PC_MAX));
		return;
	}
	if (strstr(arg, "head_tail")) {
		printf(" %s=%u,%d", arg, (unsigned)v, (int)(int32_t)(v >> 32));
		return;
	}
	if (!strcmp(arg, "token")) {
		text = reason_name(PPU_TOK_TYPE(v));
		printf(" token=%s/%08x/%u", text ? text : "?", PPU_TOK_MASK(v), PPU_TOK_ADDR(v));
		return;
	}
	if (!strcmp(arg, "opcode"))
		text = cmd_name(v);
	else if (!strcmp(arg, "code") || !strcmp(arg, "error"))
		text = err_name(v);
	else if (!strcmp(arg, "kind"))
		text = PICK(writers, v);
	else if (!strcmp(arg, "class") || !strcmp(arg, "engine_class"))
		text = PICK(classes, v);
	else if (!strcmp(arg, "reason"))
		text = r->event == PPU_TR_BLOCK || r->event == PPU_TR_UNBLOCK ? PICK(blocks, v) :
		       r->event >= PPU_TR_DIV_PUSH ? reason_name(v) : NULL;
	if (text)
		printf(" %s=%s", arg, text);
	else if (is_hex(arg))
		printf(" %s=0x%" PRIx64, arg, v);
	else
		printf(" %s=%" PRIu64, arg, v);
}

static void print_text(void)
{
	printf("# %u channels, %u copy engines, %u x %u SMs of %u warps, %u task slots, %u priorities\n",
	       head.channels, head.copy_engines, head.gpcs, head.sms_per_gpc, head.warps_per_sm,
	       head.task_slots, head.device_priorities);
	for (size_t i = 0; i < num_recs; i++) {
		const struct rec *r = &recs[i];
		const struct event_info *e = r->event < PPU_TR_MAX ? &events[r->event] : NULL;

		if (!e || !e->name) {
			printf("%12" PRIu64 " event %u unit %u\n", r->time, r->event, r->unit);
			continue;
		}
		printf("%12" PRIu64 " %-14s", r->time, e->name);
		if (strcmp(e->unit, "-"))
			printf(" %s=%u", e->unit, r->unit);
		print_arg(r, e->arg[0], r->a);
		print_arg(r, e->arg[1], r->b);
		print_arg(r, e->arg[2], r->c);
		print_arg(r, e->arg[3], r->d);
		putchar('\n');
	}
}

/* ---- picture --------------------------------------------------------------------------------- */

#define LEFT	120.0
#define WIDTH	1160.0
#define LANE	26.0
#define MAX_SEMS 8

static FILE *svg;
static uint64_t from, to;

static double x_of(uint64_t t)
{
	if (t < from)
		t = from;
	if (t > to)
		t = to;
	return LEFT + WIDTH * (double)(t - from) / (double)(to > from ? to - from : 1);
}

static void bar(double y, double h, uint64_t t0, uint64_t t1, const char *cls, const char *label,
		const char *title)
{
	double x0 = x_of(t0), x1 = x_of(t1);

	if (t1 < from || t0 > to)
		return;
	fprintf(svg, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>%s, "
		"%" PRIu64 "..%" PRIu64 " ns (%" PRIu64 ")</title></rect>\n", cls, x0, y,
		x1 - x0 < 0.4 ? 0.4 : x1 - x0, h, title, t0, t1, t1 - t0);
	if (*label && x1 - x0 > 7.0 * (double)strlen(label))
		fprintf(svg, "<text class=\"in\" x=\"%.2f\" y=\"%.2f\">%s</text>\n", (x0 + x1) / 2,
			y + h / 2 + 3.5, label);
}

static void lane_name(double y, double h, const char *name)
{
	fprintf(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>"
		"<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", LEFT - 8, y + h / 2 + 4,
		name, LEFT, y + h, LEFT + WIDTH, y + h);
}

static void draw_channel(unsigned ch, double y)
{
	uint64_t slice = 0, block = 0;
	bool in_slice = false, blocked = false;
	const char *why = "";
	char title[128], name[32];

	for (size_t i = 0; i < num_recs; i++) {
		const struct rec *r = &recs[i];

		if (r->unit != ch)
			continue;
		switch (r->event) {
		case PPU_TR_SLICE_START:
			if (!in_slice)
				slice = r->time;
			in_slice = true;
			break;
		case PPU_TR_SLICE_EXPIRE:
		case PPU_TR_EMPTY:
		case PPU_TR_CH_DISABLE:
			if (in_slice) {
				snprintf(title, sizeof(title), "channel %u: time slice", ch);
				bar(y, LANE - 4, slice, r->time, "slice", "", title);
			}
			in_slice = false;
			break;
		default:
			break;
		}
	}
	for (size_t i = 0; i < num_recs; i++) {
		const struct rec *r = &recs[i];

		if (r->unit != ch)
			continue;
		if (r->event == PPU_TR_BLOCK && !blocked) {
			blocked = true;
			block = r->time;
			why = PICK(blocks, r->a);
			why = why ? why : "blocked";
		} else if (blocked && (r->event == PPU_TR_UNBLOCK || r->event == PPU_TR_CH_DISABLE)) {
			blocked = false;
			snprintf(title, sizeof(title), "channel %u: blocked, %s", ch, why);
			bar(y + 4, LANE - 12, block, r->time, "blocked", why, title);
		} else if (r->time < from || r->time > to) {
			continue;
		} else if (r->event == PPU_TR_CMD) {
			const char *c = cmd_name(r->b);

			fprintf(svg, "<path class=\"cmd\" d=\"M%.2f %.2fv%.2f\"><title>channel %u, entry %u: %s, %" PRIu64
				" ns</title></path>\n", x_of(r->time), y, LANE - 4, ch, r->a, c ? c : "?", r->time);
		} else if (r->event == PPU_TR_CH_ERROR) {
			const char *e = err_name(r->a);

			fprintf(svg, "<path class=\"err\" d=\"M%.2f %.2fl8 14m0 -14l-8 14\"><title>channel %u: %s, %" PRIu64
				" ns</title></path>\n", x_of(r->time), y + 3, ch, e ? e : "error", r->time);
		}
	}
	if (blocked) {
		snprintf(title, sizeof(title), "channel %u: blocked, %s", ch, why);
		bar(y + 4, LANE - 12, block, to, "blocked", why, title);
	}
	snprintf(name, sizeof(name), "channel %u", ch);
	lane_name(y, LANE - 2, name);
}

static void draw_engine(unsigned ce, double y)
{
	const struct rec *start = NULL;
	char title[128], name[32];

	for (size_t i = 0; i < num_recs; i++) {
		const struct rec *r = &recs[i];

		if (r->unit != ce || (r->event != PPU_TR_CE_START && r->event != PPU_TR_CE_DONE &&
				      r->event != PPU_TR_CE_ABORT))
			continue;
		if (r->event == PPU_TR_CE_START) {
			start = r;
		} else if (start) {
			snprintf(name, sizeof(name), "ch %u", start->a);
			snprintf(title, sizeof(title), "copy %" PRIu64 " of channel %u, %" PRIu64 " bytes%s", start->b,
				 start->a, start->c, r->event == PPU_TR_CE_ABORT ? ", aborted" : "");
			bar(y + 2, LANE - 8, start->time, r->time, "copy", name, title);
			start = NULL;
		}
	}
	snprintf(name, sizeof(name), "copy engine %u", ce);
	lane_name(y, LANE - 2, name);
}

static void draw_block(const struct rec *r, uint64_t end, double y)
{
	double wh = (LANE - 4) / (head.warps_per_sm ? head.warps_per_sm : 1);
	char title[128];

	snprintf(title, sizeof(title), "SM %u: block %u of task 0x%" PRIx64 ", %" PRIu64 " warps", r->unit, r->a,
		 r->b, r->d);
	bar(y + wh * (double)r->c, wh * (double)r->d, r->time, end, r->b & 1 ? "cta" : "cta2", "", title);
}

static void draw_sm(unsigned sm, double y)
{
	const struct rec *open[64] = { NULL };	/* by first warp slot */
	char name[32];

	for (size_t i = 0; i < num_recs; i++) {
		const struct rec *r = &recs[i];

		if ((r->event != PPU_TR_CTA_START && r->event != PPU_TR_CTA_DONE) || r->unit != sm || r->c >= 64)
			continue;
		if (open[r->c])
			draw_block(open[r->c], r->time, y);
		open[r->c] = r->event == PPU_TR_CTA_START ? r : NULL;
	}
	for (unsigned i = 0; i < 64; i++)
		if (open[i])
			draw_block(open[i], to, y);
	snprintf(name, sizeof(name), "SM %u", sm);
	lane_name(y, LANE - 2, name);
}

static void draw_sem(uint64_t addr, double y)
{
	double h = LANE - 8;
	uint64_t min = UINT64_MAX, max = 0;
	char name[40];
	bool first = true;
	double last_y = 0;

	for (size_t i = 0; i < num_recs; i++)
		if (recs[i].event == PPU_TR_SEM_WRITE && recs[i].b == addr && recs[i].time >= from &&
		    recs[i].time <= to) {
			uint64_t lo = recs[i].c < recs[i].d ? recs[i].c : recs[i].d;

			max = recs[i].c + recs[i].d - lo > max ? recs[i].c + recs[i].d - lo : max;
			min = lo < min ? lo : min;
		}
	fprintf(svg, "<path class=\"sem\" d=\"");
	for (size_t i = 0; i < num_recs; i++) {
		const struct rec *r = &recs[i];
		double y0, y1;

		if (r->event != PPU_TR_SEM_WRITE || r->b != addr || r->time < from || r->time > to)
			continue;
		y0 = y + 4 + h - h * (double)(r->c - min) / (double)(max - min ? max - min : 1);
		y1 = y + 4 + h - h * (double)(r->d - min) / (double)(max - min ? max - min : 1);
		if (first)
			fprintf(svg, "M%.2f %.2f", LEFT, y0);
		else if (y0 != last_y)
			fprintf(svg, "V%.2f", y0);
		fprintf(svg, "H%.2fV%.2f", x_of(r->time), y1);
		first = false;
		last_y = y1;
	}
	fprintf(svg, "H%.2f\"><title>semaphore 0x%" PRIx64 ", %" PRIu64 "..%" PRIu64 "</title></path>\n", LEFT + WIDTH,
		addr, min, max);
	snprintf(name, sizeof(name), "sem ..%05" PRIx64, addr & 0xfffff);
	lane_name(y, LANE - 2, name);
}

static void mark(uint8_t *set, size_t n, unsigned i)
{
	if (i < n)
		set[i] = 1;
}

static void draw(void)
{
	static uint8_t chan[PPU_MAX_CHANNELS], ce[64], sm[4096];
	uint64_t sems[MAX_SEMS];
	unsigned lanes = 0, num_sems = 0;
	uint64_t step = 1;
	double y = 30, height;

	for (size_t i = 0; i < num_recs; i++) {
		const struct rec *r = &recs[i];
		unsigned s;

		if (r->time < from || r->time > to)
			continue;
		if (r->event == PPU_TR_DOORBELL || r->event == PPU_TR_CMD)
			mark(chan, sizeof(chan), r->unit);
		else if (r->event == PPU_TR_CE_START)
			mark(ce, sizeof(ce), r->unit);
		else if (r->event == PPU_TR_CTA_START)
			mark(sm, sizeof(sm), r->unit);
		else if (r->event == PPU_TR_SEM_WRITE) {
			for (s = 0; s < num_sems && sems[s] != r->b; s++)
				;
			if (s == num_sems && num_sems < MAX_SEMS)
				sems[num_sems++] = r->b;
		}
	}
	for (size_t i = 0; i < sizeof(chan); i++)
		lanes += chan[i];
	for (size_t i = 0; i < sizeof(ce); i++)
		lanes += ce[i];
	for (size_t i = 0; i < sizeof(sm); i++)
		lanes += sm[i];
	lanes += num_sems;
	height = y + lanes * LANE + 30;
	fprintf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n<style>"
		".slice{fill:#e4e4e4}.blocked{fill:#fff;stroke:#777;stroke-width:.6;stroke-dasharray:3 2}"
		".cmd{stroke:#111;stroke-width:.7}.err{stroke:#000;stroke-width:2;fill:none}"
		".copy{fill:#9ab;stroke:#234;stroke-width:.6}.cta{fill:#456;stroke:#fff;stroke-width:.2}"
		".cta2{fill:#ab8;stroke:#332;stroke-width:.2}.sem{fill:none;stroke:#111;stroke-width:1.2}"
		".grid{stroke:#ccc;stroke-width:.5}.in{text-anchor:middle;font-size:10px}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", LEFT + WIDTH + 20, height);
	while ((to - from) / step > 12)
		step *= (to - from) / step > 60 ? 10 : (to - from) / step > 24 ? 5 : 2;
	for (uint64_t t = from - from % step + (from % step ? step : 0); t <= to; t += step)
		fprintf(svg, "<line class=\"grid\" x1=\"%.2f\" y1=\"22\" x2=\"%.2f\" y2=\"%.1f\"/>"
			"<text x=\"%.2f\" y=\"16\" text-anchor=\"middle\">%.10g us</text>\n", x_of(t), x_of(t),
			height - 24, x_of(t), (double)t / 1000);
	for (unsigned i = 0; i < sizeof(chan); i++)
		if (chan[i]) {
			draw_channel(i, y);
			y += LANE;
		}
	for (unsigned i = 0; i < sizeof(ce); i++)
		if (ce[i]) {
			draw_engine(i, y);
			y += LANE;
		}
	for (unsigned i = 0; i < sizeof(sm); i++)
		if (sm[i]) {
			draw_sm(i, y);
			y += LANE;
		}
	for (unsigned i = 0; i < num_sems; i++) {
		draw_sem(sems[i], y);
		y += LANE;
	}
	fprintf(svg, "<text x=\"%.0f\" y=\"%.0f\">device time; grey: time slice, dashed: blocked, strokes: commands; "
		"SM lanes: one bar a block, as high as its warps</text>\n</svg>\n", LEFT, height - 8);
}

/* ---- files ------------------------------------------------------------------------------------ */

static int load(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t cap = 0;

	if (!f) {
		fprintf(stderr, "ppu-trace: %s: %s\n", path, strerror(errno));
		return 1;
	}
	if (fread(&head, sizeof(head), 1, f) != 1 || head.magic != PPU_TRACE_MAGIC) {
		fprintf(stderr, "ppu-trace: %s is no trace\n", path);
		fclose(f);
		return 1;
	}
	if (head.version != PPU_TRACE_VERSION || head.record_bytes != sizeof(*recs)) {
		fprintf(stderr, "ppu-trace: %s has version %u, this program knows %u\n", path, head.version,
			PPU_TRACE_VERSION);
		fclose(f);
		return 1;
	}
	for (;;) {
		if (num_recs == cap) {
			struct rec *n = realloc(recs, (cap = cap ? 2 * cap : 4096) * sizeof(*n));

			if (!n) {
				fprintf(stderr, "ppu-trace: out of memory\n");
				fclose(f);
				return 1;
			}
			recs = n;
		}
		if (fread(&recs[num_recs], sizeof(*recs), 1, f) != 1)
			break;
		num_recs++;
	}
	fclose(f);
	return 0;
}

static const char usage_text[] =
"usage: ppu-trace [--svg FILE] [--from NS] [--to NS] TRACE\n"
"Print a device trace, one line an event; --svg draws it instead: channels, copy\n"
"engines, SMs and semaphore words over device time.\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "svg", required_argument, NULL, 's' },
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *picture = NULL;
	uint64_t first = 0, last = UINT64_MAX;
	size_t keep = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			picture = optarg;
			break;
		case 'f':
			first = strtoull(optarg, NULL, 0);
			break;
		case 't':
			last = strtoull(optarg, NULL, 0);
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs(usage_text, stderr);
			return 2;
		}
	}
	if (argc - optind != 1) {
		fputs(usage_text, stderr);
		return 2;
	}
	if (load(argv[optind]))
		return 1;
	from = num_recs ? recs[0].time : 0;
	to = num_recs ? recs[num_recs - 1].time : 0;
	if (!picture) {
		for (size_t i = 0; i < num_recs; i++)
			if (recs[i].time >= first && recs[i].time <= last)
				recs[keep++] = recs[i];
		num_recs = keep;
		print_text();
		free(recs);
		return 0;
	}
	if (from < first)
		from = first;
	if (to > last)
		to = last;
	svg = strcmp(picture, "-") ? fopen(picture, "w") : stdout;
	if (!svg) {
		fprintf(stderr, "ppu-trace: %s: %s\n", picture, strerror(errno));
		return 1;
	}
	draw();
	if (svg == stdout ? fflush(svg) : fclose(svg)) {
		fprintf(stderr, "ppu-trace: %s: %s\n", picture, strerror(errno));
		return 1;
	}
	free(recs);
	return 0;
}
