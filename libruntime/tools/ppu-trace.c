/* SPDX-License-Identifier: MIT */
/*
 * ppu-trace: a device trace as text, as a picture, or for a trace viewer.  trace/trace.h describes its parts,
 * Documentation/runtime/ppu-trace.md how to use it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "tool.h"
#include "trace/html.h"

#define WIDTH		1280
#define MIN_WIDTH	480
#define MAX_WIDTH	20000

static const char usage_text[] =
"usage: ppu-trace [OPTION]... TRACE\n"
"Print a device trace, one line an event, or with\n"
"  --svg FILE        draw it: channels, engines, tasks, SMs, semaphore values\n"
"  --json FILE       write it for a trace viewer (Chrome trace format, Perfetto)\n"
"  --html FILE       write a page for a browser, to zoom, move and search in it\n"
"FILE may be -, the standard output.\n"
"  --from NS         leave out what is before this device time\n"
"  --to NS           and what is after this one\n"
"  --lanes LIST      only these lanes: channel, front, engine, task, sm, sem, each perhaps\n"
"                    with :NUMBER or :FIRST-LAST; such as channel:1-3,engine,sem:0x200000000010\n"
"  --label LANE=TEXT what to call a lane; such as channel:1=low\n"
"  --width PIXELS    of the picture, default 1280\n"
"  --title TEXT      above the picture\n"
"  --arrows          draw what woke whom, and who launched whom\n"
"  --names FILE      --html: what the program called things (PPU_TRACE_NAMES); without it TRACE.names, if\n"
"                    there is one\n"
"or, with\n"
"  --compare REF     say in one sentence where TRACE first does something else than the trace REF,\n"
"                    whatever the times, addresses and numbers of tasks; --svg FILE, --html FILE: show both,\n"
"                    with --lanes, --label, --width, --title and --arrows as above\n"
"  --ignore LIST     events that do not matter, such as DOORBELL,DIV_*; \"default\" stands for those left out\n"
"                    without this option, -EVENT for one that does matter, \"none\" for none\n"
"  --help, --version\n"
"Exit status: 0, with --compare: no difference; 1: a difference; 2: wrong command line or no such file; 3: a\n"
"trace is damaged.\n";

struct options {
	const char *svg, *json, *html, *trace, *compare, *names;
	bool from_given, to_given, ignore_given;
	struct events ignored;
	struct view view;
};

static bool number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || *value < min || *value > max) {
		fprintf(stderr, "ppu-trace: --%s %s: not a number from %llu to %llu\n", option, text,
			(unsigned long long)min, (unsigned long long)max);
		return false;
	}
	return true;
}

static bool add_label(struct view *v, const char *text)
{
	v->label = realloc(v->label, (v->num_labels + 1) * sizeof(*v->label));
	if (!v->label) {
		fprintf(stderr, "ppu-trace: out of memory\n");
		exit(1);
	}
	return label_parse(&v->label[v->num_labels++], text);
}

/* Returns -1 to go on, else an exit status. */
static int parse(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "svg", required_argument, NULL, 's' },
		{ "json", required_argument, NULL, 'j' },
		{ "html", required_argument, NULL, 'H' },
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "lanes", required_argument, NULL, 'l' },
		{ "label", required_argument, NULL, 'n' },
		{ "width", required_argument, NULL, 'w' },
		{ "title", required_argument, NULL, 'T' },
		{ "arrows", no_argument, NULL, 'a' },
		{ "compare", required_argument, NULL, 'c' },
		{ "ignore", required_argument, NULL, 'i' },
		{ "names", required_argument, NULL, 'N' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	struct view *v = &o->view;
	uint64_t width;
	bool ok = true;
	int c;

	while (ok && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			o->svg = optarg;
			break;
		case 'j':
			o->json = optarg;
			break;
		case 'H':
			o->html = optarg;
			break;
		case 'f':
			ok = number("from", optarg, 0, UINT64_MAX, &v->from);
			o->from_given = true;
			break;
		case 't':
			ok = number("to", optarg, 0, UINT64_MAX, &v->to);
			o->to_given = true;
			break;
		case 'l':
			free(v->lanes.range);
			ok = choice_parse(&v->lanes, optarg);
			break;
		case 'n':
			ok = add_label(v, optarg);
			break;
		case 'w':
			ok = number("width", optarg, MIN_WIDTH, MAX_WIDTH, &width);
			v->width = (unsigned)width;
			break;
		case 'T':
			v->title = optarg;
			break;
		case 'a':
			v->arrows = true;
			break;
		case 'c':
			o->compare = optarg;
			break;
		case 'i':
			ok = events_parse(&o->ignored, optarg);
			o->ignore_given = true;
			break;
		case 'N':
			o->names = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return ST_OK;
		case 'V':
			return tool_version("ppu-trace");
		default:
			ok = false;
			break;
		}
	}
	if (!ok)
		return ST_USAGE;
	if (argc - optind != 1) {
		fputs(usage_text, stderr);
		return ST_USAGE;
	}
	if (v->from > v->to) {
		fprintf(stderr, "ppu-trace: --from is after --to\n");
		return ST_USAGE;
	}
	if (o->compare && (o->json || o->from_given || o->to_given)) {
		fprintf(stderr, "ppu-trace: --compare looks at whole traces and makes text, --svg or --html: leave out --json, "
			"--from and --to\n");
		return ST_USAGE;
	}
	if (o->ignore_given && !o->compare) {
		fprintf(stderr, "ppu-trace: --ignore is for --compare\n");
		return ST_USAGE;
	}
	o->trace = argv[optind];
	return -1;
}

static int failed(const char *path)
{
	fprintf(stderr, "ppu-trace: %s: %s\n", path, strerror(errno));
	return ST_USAGE;
}

static int write_to(const char *path, void (*what)(FILE *, const struct model *, const struct view *),
		    const struct model *m, const struct view *v)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;

	if (!f)
		return failed(path);
	what(f, m, v);
	if (ferror(f) | (f == stdout ? fflush(f) : fclose(f)))
		return failed(path);
	return ST_OK;
}

/* A picture without --from and --to begins and ends with events: the device may have been idle before and after. */
static struct view trimmed(const struct options *o, const struct model *m)
{
	struct view v = o->view;
	uint64_t first, last;

	if (!model_extent(m, &first, &last))
		return v;
	if (!o->from_given && first > v.from && first <= v.to)
		v.from = first;
	if (!o->to_given && last < v.to && last >= v.from)
		v.to = last;
	return v;
}

/* Those of TRACE, by default in TRACE.names. */
static int names_of(struct program *p, const char *given, const char *trace)
{
	char *path;
	int status;

	if (given)
		return program_load(p, given, true);
	path = malloc(strlen(trace) + sizeof(".names"));
	if (!path) {
		fprintf(stderr, "ppu-trace: out of memory\n");
		exit(1);
	}
	sprintf(path, "%s.names", trace);
	status = program_load(p, path, false);
	free(path);
	return status;
}

static int page(const struct options *o, const struct trace *t, const struct model *m, const struct view *v)
{
	struct program prog;
	int status = names_of(&prog, o->names, o->trace);
	FILE *f = status ? NULL : strcmp(o->html, "-") ? fopen(o->html, "w") : stdout;

	if (!status && !f)
		status = failed(o->html);
	if (f) {
		program_match(&prog, t);
		html_write(f, m, &prog, v);
		if (ferror(f) | (f == stdout ? fflush(f) : fclose(f)))
			status = failed(o->html);
	}
	program_free(&prog);
	return status;
}

static int pictures(struct options *o, struct trace *t)
{
	struct view *v = &o->view, drawn;
	struct model m;
	int status = ST_OK;

	trace_sort(t);
	/* A view never reaches beyond the trace; an empty view gives an empty picture. */
	if (v->from > t->last || v->to < t->first)
		fprintf(stderr, "ppu-trace: nothing is there: %s is from %llu to %llu ns\n", o->trace,
			(unsigned long long)t->first, (unsigned long long)t->last);
	v->from = v->from > t->first ? v->from : t->first;
	v->to = v->to < t->last ? v->to : t->last;
	v->to = v->to > v->from ? v->to : v->from;
	model_build(&m, t);
	drawn = trimmed(o, &m);
	if (o->svg)
		status = write_to(o->svg, svg_write, &m, &drawn);
	if (o->json && !status)
		status = write_to(o->json, json_write, &m, v);
	if (o->html && !status)
		status = page(o, t, &m, &drawn);
	model_free(&m);
	return status;
}

static void say(FILE *f, const struct difference *d, const struct model m[SIDES])
{
	char text[1024];

	if (!d->any) {
		fprintf(f, "no difference: %zu events of %zu units\n", d->events, d->units);
		return;
	}
	difference_text(text, sizeof(text), d, m);
	fprintf(f, "%s\n", text);
}

static int svg_both(const struct options *o, const struct model m[SIDES], const struct difference *d)
{
	FILE *f = strcmp(o->svg, "-") ? fopen(o->svg, "w") : stdout;

	if (!f)
		return failed(o->svg);
	svg_compare(f, m, &o->view, d);
	if (ferror(f) | (f == stdout ? fflush(f) : fclose(f)))
		return failed(o->svg);
	return ST_OK;
}

static int html_both(const struct options *o, const struct model m[SIDES], const struct difference *d)
{
	const char *const path[SIDES] = { o->compare, o->trace };
	struct program prog[SIDES];
	struct view v[SIDES];
	int status = ST_OK;
	FILE *f;

	memset(prog, 0, sizeof(prog));
	for (unsigned s = 0; s < SIDES && !status; s++) {
		status = names_of(&prog[s], s == SIDE_RUN ? o->names : NULL, path[s]);
		if (!status)
			program_match(&prog[s], m[s].t);
		v[s] = trimmed(o, &m[s]);
		v[s].to = v[s].to < m[s].t->last ? v[s].to : m[s].t->last;
	}
	f = status ? NULL : strcmp(o->html, "-") ? fopen(o->html, "w") : stdout;
	if (!status && !f)
		status = failed(o->html);
	if (f) {
		html_compare(f, m, prog, v, d);
		if (ferror(f) | (f == stdout ? fflush(f) : fclose(f)))
			status = failed(o->html);
	}
	program_free(&prog[SIDE_REF]);
	program_free(&prog[SIDE_RUN]);
	return status;
}

static int comparison(struct options *o, struct trace *run)
{
	struct trace ref = { .rec = NULL }, *const t[SIDES] = { &ref, run };
	struct model m[SIDES];
	struct difference d;
	int status = trace_load(&ref, o->compare);

	for (unsigned s = 0; !status && s < SIDES; s++) {
		trace_sort(t[s]);
		model_build(&m[s], t[s]);
	}
	if (!status) {
		compare(&d, m, &o->view.lanes, &o->ignored);
		/* When the picture goes to the standard output, the sentence goes to standard error. */
		say((o->svg && !strcmp(o->svg, "-")) || (o->html && !strcmp(o->html, "-")) ? stderr : stdout, &d, m);
		if (o->svg)
			status = svg_both(o, m, &d);
		if (o->html && !status)
			status = html_both(o, m, &d);
		if (!status && fflush(stdout))
			status = failed("standard output");
		if (!status && d.any)
			status = ST_DIFFERENT;
		model_free(&m[SIDE_REF]);
		model_free(&m[SIDE_RUN]);
	}
	trace_free(&ref);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { .view = { .to = UINT64_MAX, .width = WIDTH } };
	struct trace t = { .rec = NULL };
	int status;

	choice_parse(&o.view.lanes, "channel,front,engine,task,sm,sem");
	events_default(&o.ignored);
	status = parse(&o, argc, argv);
	if (status < 0) {
		status = trace_load(&t, o.trace);
		if (!status && o.compare) {
			status = comparison(&o, &t);
		} else if (!status && (o.svg || o.json || o.html)) {
			status = pictures(&o, &t);
		} else if (!status) {
			text_write(stdout, &t, o.view.from, o.view.to);
			if (fflush(stdout))
				status = failed("standard output");
		}
	}
	trace_free(&t);
	free(o.view.lanes.range);
	free(o.view.label);
	return status < 0 ? ST_OK : status;
}
