/* SPDX-License-Identifier: MIT */
/*
 * Two traces in one picture: the reference above, the run below, each from its own beginning and both on one scale.  A
 * device whose driver runs freely mostly waits for the driver, so long times when the device is idle are cut out.  The
 * first difference is marked in both.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "svg.h"

#define IDLE_NS		2000	/* idle times longer than this are cut... */
#define CUT_SHARE	3	/* ...so that their rests are at most one part in so many of the picture */
#define CUT_ROOM	24	/* pixels of the picture for each cut, or it is not drawn through the lanes */
#define CUT_WIDTH	7.0	/* pixels of the mark of a cut */
#define SMALL		300	/* of traces with more records only the part around the difference is shown, */
#define BEFORE		120	/* from so many records before the difference */
#define AFTER		60	/* to so many records behind it */
#define HEAD_H		20.0
#define MARK_H		34.0	/* room for the label of the difference */

struct panel {
	struct svg s;
	struct view v;
	const char *name;
	struct cut *cut;
	uint64_t mark;		/* time of the difference */
	size_t lo, hi;		/* records shown */
};

/* ---- what is shown ---------------------------------------------------------------------------------- */

/* Bar kinds that mean work; waiting and holding an engine do not. */
static bool is_work(enum span_kind kind)
{
	return kind != SPAN_SLICE && kind != SPAN_LATE && kind != SPAN_BLOCK;
}

struct edge {
	uint64_t time;
	int step;
};

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return y->step - x->step;
}

/* The beginnings (+1) and ends (-1) of all work in order of time; each record counts as both. */
static struct edge *edges(const struct model *m, size_t *num)
{
	struct edge *e = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < m->t->num; i++) {
		e = grow(e, &cap, n + 2, sizeof(*e));
		e[n++] = (struct edge){ m->t->rec[i].time, 1 };
		e[n++] = (struct edge){ m->t->rec[i].time, -1 };
	}
	for (size_t k = 0; k < m->num_lanes; k++)
		for (size_t i = 0; i < m->lane[k].num_spans; i++) {
			const struct span *sp = &m->lane[k].span[i];

			if (!is_work(sp->kind) || sp->rec_end == NO_REC)
				continue;
			e = grow(e, &cap, n + 2, sizeof(*e));
			e[n++] = (struct edge){ sp->start, 1 };
			e[n++] = (struct edge){ sp->end, -1 };
		}
	if (n)
		qsort(e, n, sizeof(*e), by_time);
	*num = n;
	return e;
}

/* Finds the long idle times inside the view; all other time counts as busy. */
static void find_cuts(struct panel *p, uint64_t *busy)
{
	size_t n, cap = 0;
	struct edge *e = edges(p->s.m, &n);
	int depth = 0;

	*busy = p->v.to - p->v.from;
	for (size_t i = 0; i + 1 < n; i++) {
		uint64_t from = e[i].time, to = e[i + 1].time;

		depth += e[i].step;
		if (depth || to - from <= IDLE_NS || from < p->v.from || to > p->v.to)
			continue;
		p->cut = grow(p->cut, &cap, p->s.num_cuts + 1, sizeof(*p->cut));
		p->cut[p->s.num_cuts++] = (struct cut){ from, to, 0 };
		*busy -= to - from;
	}
	free(e);
}

/* Leaves a short part of each idle time, of the same length in both pictures. */
static void shorten_cuts(struct panel *p, uint64_t keep)
{
	uint64_t before = 0;

	for (size_t i = 0; i < p->s.num_cuts; i++) {
		struct cut *c = &p->cut[i];

		c->from += keep / 2;
		c->to -= keep - keep / 2;
		before += c->to - c->from;
		c->before = before;
	}
	p->s.cut = p->cut;
}

/* Shows all of a small trace, and of a large one the part around the difference. */
static void choose_part(struct panel *p, const struct difference *d, unsigned side)
{
	const struct trace *t = p->s.m->t;
	uint32_t at = d->rec[side] != NO_REC ? d->rec[side] : d->before[side];
	uint64_t first, last;

	if (!model_extent(p->s.m, &first, &last))
		first = last = t->first;
	p->mark = d->any && at != NO_REC ? t->rec[at].time : first;
	p->lo = 0;
	p->hi = t->num;
	if (d->any && t->num > SMALL) {
		size_t mid = at != NO_REC ? at : 0;

		p->lo = mid > BEFORE ? mid - BEFORE : 0;
		p->hi = mid + AFTER < t->num ? mid + AFTER : t->num;
		first = t->rec[p->lo].time > first ? t->rec[p->lo].time : first;
		last = p->hi < t->num && t->rec[p->hi].time < last ? t->rec[p->hi].time : last;
	}
	first = p->mark < first ? p->mark : first;
	last = p->mark > last ? p->mark : last;
	p->v.from = first;
	p->v.to = last > first ? last : first;
}

/* Both pictures start at their own beginning; both are as long as the longer one. */
static void common_scale(struct panel p[SIDES])
{
	uint64_t busy[SIDES], total, shown[SIDES], most, keep;
	size_t cuts;

	for (unsigned i = 0; i < SIDES; i++)
		find_cuts(&p[i], &busy[i]);
	cuts = p[0].s.num_cuts > p[1].s.num_cuts ? p[0].s.num_cuts : p[1].s.num_cuts;
	total = busy[0] > busy[1] ? busy[0] : busy[1];
	keep = cuts ? total / (CUT_SHARE - 1) / cuts : 0;
	keep = keep < IDLE_NS ? keep : IDLE_NS;
	for (unsigned i = 0; i < SIDES; i++) {
		shorten_cuts(&p[i], keep);
		p[i].s.zero = svg_shown(&p[i].s, p[i].v.from);
		shown[i] = svg_shown(&p[i].s, p[i].v.to) - p[i].s.zero;
	}
	most = shown[0] > shown[1] ? shown[0] : shown[1];
	for (unsigned i = 0; i < SIDES; i++)
		p[i].v.to += most - shown[i];
}

/* ---- drawing ------------------------------------------------------------------------------------------ */

static void head(const struct panel *p)
{
	const struct svg *s = &p->s;

	fprintf(s->f, "<path class=\"gp\" d=\"M%.1f %.1fH%.1f\"/><text class=\"ti\" x=\"%.1f\" y=\"%.1f\">", MARGIN,
		s->top - MARK_H - HEAD_H + 2, s->v->width - MARGIN, MARGIN, s->top - MARK_H - 3);
	svg_text(s->f, p->name);
	if (p->lo || p->hi < s->m->t->num)
		fprintf(s->f, " <tspan style=\"font-weight:normal;font-size:11px\">around the first difference: records %zu to "
			"%zu of %zu</tspan>", p->lo, p->hi, s->m->t->num);
	fputs("</text>\n", s->f);
}

/* A jagged line for n cuts that are ns long together, from the axis down to the height bottom. */
static void draw_cut(const struct svg *s, double x, double bottom, size_t n, uint64_t ns)
{
	char text[40], many[40] = "";

	if (n > 1)
		snprintf(many, sizeof(many), " in %zu pieces", n);
	fprintf(s->f, "<path class=\"cu\" d=\"M%.1f %.1f", x, s->top + AXIS_H - 8);
	for (double y = s->top + AXIS_H - 8; y + 8 <= bottom; y += 8)
		fputs("l3 2l-6 4l3 2", s->f);
	fprintf(s->f, "\"><title>%s without work%s, not drawn</title></path>\n", time_text(text, sizeof(text), ns), many);
}

/*
 * Where there is room, a cut goes through all lanes. Many cuts would hide what is in the lanes: then each is a mark at the
 * axis, and those that would touch are one.
 */
static void draw_cuts(const struct panel *p)
{
	const struct svg *s = &p->s;
	bool room = (double)s->num_cuts * CUT_ROOM <= s->v->width;
	double bottom = room ? s->height : s->top + AXIS_H;

	for (size_t i = 0, n; i < s->num_cuts; i += n) {
		double x = svg_x(s, p->cut[i].from);
		uint64_t ns = 0;

		for (n = 0; i + n < s->num_cuts && (!n || (!room && svg_x(s, p->cut[i + n].from) < x + CUT_WIDTH)); n++)
			ns += p->cut[i + n].to - p->cut[i + n].from;
		draw_cut(s, x, bottom, n, ns);
	}
}

/* The lane of the difference; -1: the lane is not shown. */
static double mark_y(const struct panel *p, const struct difference *d, unsigned side)
{
	static const enum lane_kind kinds[UNIT_KINDS] = {
		[UNIT_CHANNEL] = LANE_CHANNEL, [UNIT_COPIES] = LANE_CHANNEL, [UNIT_TASK] = LANE_SLOT, [UNIT_BLOCK] = LANE_SM,
		[UNIT_WARP] = LANE_SM, [UNIT_SEM] = LANE_SEM, [UNIT_DEVICE] = LANE_KINDS,
	};
	enum lane_kind kind = kinds[d->kind];
	uint32_t rec = d->rec[side] != NO_REC ? d->rec[side] : d->before[side];
	uint64_t id = d->id[0];

	if (kind == LANE_SEM && rec != NO_REC)
		id = model_sem(p->s.m, rec)->id;
	else if ((kind == LANE_SLOT || kind == LANE_SM) && rec != NO_REC)
		id = p->s.m->t->rec[rec].unit;
	for (size_t i = 0; i < p->s.num_lanes; i++)
		if (p->s.lane[i]->kind == kind && p->s.lane[i]->id == id)
			return p->s.y[i] + lane_height(kind) / 2;
	return -1;
}

/* Returns the length of the text in letters. The arguments are left out when there is no room for them. */
static double mark_text(char *buf, size_t size, const struct panel *p, const struct difference *d, unsigned side)
{
	char what[240], unit[96];
	bool brief = false;

	difference_unit(unit, sizeof(unit), d);
	for (;;) {
		side_text(what, sizeof(what), d, p->s.m, side, brief);
		snprintf(buf, size, "first difference, %s: %s %s", unit, side == SIDE_REF ? "the reference" : "this run", what);
		if (brief || CHAR_PX * (double)strlen(buf) < p->s.v->width - 4 * MARGIN)
			return (double)strlen(buf);
		brief = true;
	}
}

/* A thick broken line through all lanes, a label above it, and a ring on the lane of the difference. */
static void draw_mark(const struct panel *p, const struct difference *d, unsigned side)
{
	const struct svg *s = &p->s;
	double x = svg_x(s, p->mark), y = mark_y(p, d, side), w, left;
	char text[400];

	w = CHAR_PX * mark_text(text, sizeof(text), p, d, side) + 12;
	left = fmax(MARGIN, fmin(x - w / 2, s->v->width - MARGIN - w));
	fprintf(s->f, "<g data-mark=\"%s\"><path class=\"mk\" d=\"M%.1f %.1fV%.1f\"/>", side == SIDE_REF ? "reference" : "run", x,
		s->top - 4, s->height);
	if (y >= 0)
		fprintf(s->f, "<circle class=\"mr\" cx=\"%.1f\" cy=\"%.1f\" r=\"11\"/>", x, y);
	fprintf(s->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\"/><path d=\"M%.1f %.1fh-6l6 8l6 -8z\"/>"
		"<text class=\"ml\" x=\"%.1f\" y=\"%.1f\">", left, s->top - 26, w, x, s->top - 8, left + 6, s->top - 13);
	svg_text(s->f, text);
	fputs("</text></g>\n", s->f);
}

static void draw_panel(struct panel *p, const struct difference *d, unsigned side, FILE *f)
{
	p->s.f = f;
	fprintf(f, "<g data-side=\"%s\">\n", side == SIDE_REF ? "reference" : "run");
	head(p);
	svg_draw(&p->s);
	draw_cuts(p);
	if (d->any)
		draw_mark(p, d, side);
	fputs("</g>\n", f);
}

/* The legend explains a look if either picture uses it. */
static void merge_used(struct svg *to, const struct svg *from)
{
	for (unsigned i = 0; i < NUM_LOOKS; i++)
		to->used[i] |= from->used[i];
	for (unsigned i = 0; i < 256; i++)
		to->used_priority[i] |= from->used_priority[i];
	for (unsigned i = 0; i < LANE_KINDS; i++)
		to->hidden[i] = to->hidden[i] > from->hidden[i] ? to->hidden[i] : from->hidden[i];
}

static bool has(const struct svg *s, uint64_t channel)
{
	for (size_t i = 0; i < s->num_copy_chans; i++)
		if (s->copy_chan[i] == channel)
			return true;
	return false;
}

/* A channel's copies look the same in both. */
static void share_looks(struct svg *a, struct svg *b)
{
	size_t cap = 0;
	uint64_t *both = grow(NULL, &cap, a->num_copy_chans + b->num_copy_chans + 1, sizeof(*both)), n = 0;

	for (size_t i = 0; i < a->num_copy_chans; i++)
		both[n++] = a->copy_chan[i];
	for (size_t i = 0; i < b->num_copy_chans; i++)
		if (!has(a, b->copy_chan[i]))
			both[n++] = b->copy_chan[i];
	free(a->copy_chan);
	free(b->copy_chan);
	b->copy_chan = grow(NULL, (size_t[]){ 0 }, n + 1, sizeof(*both));
	memcpy(b->copy_chan, both, n * sizeof(*both));
	a->copy_chan = both;
	a->num_copy_chans = b->num_copy_chans = n;
}

static void title(FILE *f, const char *text)
{
	if (!text)
		return;
	fprintf(f, "<text class=\"ti\" x=\"%.1f\" y=\"%.1f\">", MARGIN, MARGIN + 13);
	svg_text(f, text);
	fputs("</text>\n", f);
}

static const char more_styles[] =
"<style>.mk{stroke:#000;stroke-width:2;stroke-dasharray:7 4;fill:none}.mr{fill:none;stroke:#000;stroke-width:2.5}"
".ml{fill:#fff}.cu{fill:none;stroke:#666;stroke-width:.9}</style>\n";

static void all(FILE *f, struct panel p[SIDES], const struct view *v, const struct difference *d)
{
	char *body = NULL;
	size_t size = 0;
	FILE *b = svg_memory(&body, &size);
	double y;

	title(b, v->title);
	for (unsigned i = 0; i < SIDES; i++)
		draw_panel(&p[i], d, i, b);
	fclose(b);
	merge_used(&p[SIDE_RUN].s, &p[SIDE_REF].s);
	y = p[SIDE_RUN].s.height + 4;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%.0f\">\n", v->width,
		y + draw_legend(&p[SIDE_RUN].s, NULL, 0) + MARGIN + 18);
	p[SIDE_RUN].s.f = f;
	draw_styles(&p[SIDE_RUN].s);
	fputs(more_styles, f);
	fwrite(body, 1, size, f);
	y += draw_legend(&p[SIDE_RUN].s, f, y);
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\">Each from its own beginning, on one scale; jagged lines: the device had nothing "
		"to do for long, that time is not drawn.</text>\n", p[0].s.left, y + 14);
	fputs("</svg>\n", f);
	free(body);
}

void svg_compare(FILE *f, const struct model side[SIDES], const struct view *v, const struct difference *d)
{
	static const char *const names[SIDES] = { "Reference", "This run" };
	double top = MARGIN + (v->title ? TITLE_H : 0);
	struct panel p[SIDES] = { 0 };

	for (unsigned i = 0; i < SIDES; i++) {
		p[i].v = *v;
		p[i].s = (struct svg){ .m = &side[i], .v = &p[i].v };
		p[i].name = names[i];
		choose_part(&p[i], d, i);
	}
	common_scale(p);
	for (unsigned i = 0; i < SIDES; i++) {
		p[i].s.top = top + HEAD_H + MARK_H;
		svg_lay_out(&p[i].s);
		top = p[i].s.height + 14;
	}
	share_looks(&p[0].s, &p[1].s);
	p[0].s.left = p[1].s.left = fmax(p[0].s.left, p[1].s.left);
	all(f, p, v, d);
	for (unsigned i = 0; i < SIDES; i++) {
		svg_free(&p[i].s);
		free(p[i].cut);
	}
}
