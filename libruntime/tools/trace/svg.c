/* SPDX-License-Identifier: MIT */
/*
 * The picture of a trace: time from left to right, a lane for each channel, engine, task slot, SM and semaphore.  It
 * can be read without colour: things with different meanings differ in pattern, shade or label.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "svg.h"

#define NAME_PX		118.0		/* least room for the names of lanes */
#define GROUP_GAP	6.0		/* between lanes of different kinds */
#define MAX_LANES        64              /* lanes of a kind, when the user named only the kind */
#define MAX_SEMS	24
#define MAX_ARROWS	400

/* ---- lanes -------------------------------------------------------------------------------------- */

static size_t writes_in_view(const struct svg *s, const struct lane *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->num_points; i++)
		n += svg_in_view(s, l->point[i].time, l->point[i].time);
	return n;
}

/* Does the lane show anything in the view? */
static bool has_content(const struct svg *s, const struct lane *l)
{
	if (l->kind == LANE_SEM)
		return writes_in_view(s, l) > 0;
	for (size_t i = 0; i < l->num_spans; i++)
		if (svg_in_view(s, l->span[i].start, l->span[i].end))
			return true;
	for (size_t i = 0; i < l->num_marks; i++) {
		const struct rec *r = &s->m->t->rec[l->mark[i]];

		if (r->event != PPU_TR_CH_ENABLE && r->event != PPU_TR_CH_DISABLE && svg_in_view(s, r->time, r->time))
			return true;
	}
	return false;
}

/* The rank of a semaphore: those that somebody waited for come first, then those written most. */
static size_t worth(const struct svg *s, const struct lane *l)
{
	size_t n = writes_in_view(s, l);

	return n + (n && l->waits ? (size_t)1 << 32 : 0);
}

struct rank {
	size_t worth, lane;
};

static int by_worth(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* Chooses the semaphores to show when there are too many of them. */
static void choose_sems(struct svg *s, bool *shown)
{
	struct rank *rank = NULL;
	size_t n = 0, cap = 0;

	for (size_t k = 0; k < s->m->num_lanes; k++) {
		if (!shown[k] || s->m->lane[k].kind != LANE_SEM)
			continue;
		rank = grow(rank, &cap, n + 1, sizeof(*rank));
		rank[n++] = (struct rank){ worth(s, &s->m->lane[k]), k };
	}
	if (n)
		qsort(rank, n, sizeof(*rank), by_worth);
	for (size_t i = 0; i < n; i++) {
		if (i < MAX_SEMS)
			continue;
		shown[rank[i].lane] = false;
		s->hidden[LANE_SEM]++;
	}
	free(rank);
}

static void choose_lanes(struct svg *s)
{
	const struct model *m = s->m;
	size_t count[LANE_KINDS] = { 0 }, cap = 0;
	bool *shown = grow(NULL, &cap, m->num_lanes + 1, sizeof(*shown));

	for (size_t k = 0; k < m->num_lanes; k++) {
		const struct lane *l = &m->lane[k];

		shown[k] = choice_has(&s->v->lanes, l->kind, l->id) && has_content(s, l);
		if (!shown[k] || l->kind == LANE_SEM || choice_is_exact(&s->v->lanes, l->kind))
			continue;
		if (count[l->kind]++ >= MAX_LANES) {
			shown[k] = false;
			s->hidden[l->kind]++;
		}
	}
	if (!choice_is_exact(&s->v->lanes, LANE_SEM))
		choose_sems(s, shown);
	s->lane = grow(NULL, (size_t[]){ 0 }, m->num_lanes + 1, sizeof(*s->lane));
	for (size_t k = 0; k < m->num_lanes; k++)
		if (shown[k])
			s->lane[s->num_lanes++] = &m->lane[k];
	free(shown);
}

void lane_title(char *buf, size_t size, const struct svg *s, const struct lane *l)
{
	static const char *const names[LANE_KINDS] = {
		[LANE_CHANNEL] = "channel", [LANE_ENGINE] = "copy engine", [LANE_SLOT] = "task slot", [LANE_SM] = "SM",
	};
	const char *label = view_label(s->v, l);

	if (label)
		snprintf(buf, size, "%s", label);
	else if (l->kind == LANE_SEM && SEM_CONTEXT(l->id))
		snprintf(buf, size, "sem %u:0x%" PRIx64, SEM_CONTEXT(l->id), SEM_ADDR(l->id));
	else if (l->kind == LANE_SEM)
		snprintf(buf, size, "sem 0x%" PRIx64, l->id);
	else if (l->kind == LANE_FRONT)
		snprintf(buf, size, "front end");
	else if (l->kind == LANE_CHANNEL && l->cls)
		snprintf(buf, size, "channel %" PRIu64 " %s", l->id, class_name(l->cls));
	else
		snprintf(buf, size, "%s %" PRIu64, names[l->kind], l->id);
}

/* Gives every lane its position; the left margin has room for the longest name. */
static void lay_out(struct svg *s)
{
	double y = s->top + AXIS_H, name = NAME_PX;
	char text[128];

	s->y = grow(NULL, (size_t[]){ 0 }, s->num_lanes + 1, sizeof(*s->y));
	for (size_t i = 0; i < s->num_lanes; i++) {
		if (i && s->lane[i]->kind != s->lane[i - 1]->kind)
			y += GROUP_GAP;
		s->y[i] = y;
		y += lane_height(s->lane[i]->kind);
		lane_title(text, sizeof(text), s, s->lane[i]);
		name = fmax(name, CHAR_PX * (double)strlen(text) + 30);
	}
	s->height = y;
	s->left = MARGIN + fmin(name, s->v->width / 3.0);
	s->right = s->v->width - MARGIN - 20;
}

/* Channels with copies in the view get their patterns in order; those on engines that are shown come first. */
static void find_copy_channels(struct svg *s)
{
	size_t cap = 0;

	for (size_t k = 0; k < s->m->num_lanes; k++) {
		const struct lane *l = &s->m->lane[k];
		bool any = false;

		for (size_t i = 0; l->kind == LANE_CHANNEL && i < l->num_spans && !any; i++)
			any = l->span[i].kind == SPAN_COMMAND && svg_in_view(s, l->span[i].start, l->span[i].end);
		if (!any)
			continue;
		s->copy_chan = grow(s->copy_chan, &cap, s->num_copy_chans + 1, sizeof(*s->copy_chan));
		s->copy_chan[s->num_copy_chans++] = l->id;
	}
}

/* ---- frame ------------------------------------------------------------------------------------------ */

/* 1, 2 or 5 times a power of ten: about one tick in 100 pixels. */
static uint64_t tick_step(const struct svg *s)
{
	uint64_t range = svg_shown(s, s->v->to) - svg_shown(s, s->v->from), step = 1;
	uint64_t most = (uint64_t)((s->right - s->left) / 90);

	while (range / step > most) {
		if (range / (2 * step) <= most)
			return 2 * step;
		if (range / (5 * step) <= most)
			return 5 * step;
		step *= 10;
	}
	return step;
}

/* Counts the time that is drawn: there are no ticks for what is left out. */
static void axis(struct svg *s)
{
	uint64_t step = tick_step(s), unit = step >= 1000000 ? 1000000 : step >= 1000 ? 1000 : 1;
	const char *name = unit == 1000000 ? "ms" : unit == 1000 ? "us" : "ns";
	uint64_t from = svg_shown(s, s->v->from) - s->zero, to = svg_shown(s, s->v->to) - s->zero;
	uint64_t t = from % step ? from - from % step + step : from;

	for (; t <= to && t >= from; t += step) {
		double x = s->left + (s->right - s->left) * (double)(t - from) / (double)(to > from ? to - from : 1);

		fprintf(s->f, "<path class=\"gr\" d=\"M%.1f %.1fV%.1f\"/><text class=\"ax\" x=\"%.1f\" y=\"%.1f\">%" PRIu64
			" %s</text>\n", x, s->top + AXIS_H - 8, s->height, x, s->top + AXIS_H - 12, t / unit, name);
		if (t > UINT64_MAX - step)
			break;
	}
}

static void frame(struct svg *s)
{
	char text[128];

	axis(s);
	for (size_t i = 0; i < s->num_lanes; i++) {
		double h = lane_height(s->lane[i]->kind), y = s->y[i];

		if (i && s->lane[i]->kind != s->lane[i - 1]->kind)
			fprintf(s->f, "<path class=\"gp\" d=\"M%.1f %.1fH%.1f\"/>\n", MARGIN, y - GROUP_GAP / 2, s->right);
		fprintf(s->f, "<path class=\"gr\" d=\"M%.1f %.1fH%.1f\"/><text class=\"na\" x=\"%.1f\" y=\"%.1f\">", s->left,
			y + h - 0.5, s->right, MARGIN, y + h / 2 + 4);
		lane_title(text, sizeof(text), s, s->lane[i]);
		svg_text(s->f, text);
		fputs("</text>\n", s->f);
	}
}

static void lanes(struct svg *s)
{
	static void (*const draw[LANE_KINDS])(struct svg *s, const struct lane *l, double y) = {
		[LANE_CHANNEL] = draw_channel, [LANE_FRONT] = draw_front, [LANE_ENGINE] = draw_engine, [LANE_SLOT] = draw_slot, [LANE_SM] = draw_sm,
		[LANE_SEM] = draw_sem,
	};

	for (size_t i = 0; i < s->num_lanes; i++) {
		fprintf(s->f, "<g data-lane=\"%s:%" PRIu64 "\">\n", lane_kind_names[s->lane[i]->kind], s->lane[i]->id);
		draw[s->lane[i]->kind](s, s->lane[i], s->y[i]);
		fputs("</g>\n", s->f);
	}
}

/* ---- arrows ------------------------------------------------------------------------------------------- */

/* Where a record is in the picture; false: not shown. */
static bool find_y(const struct svg *s, const struct rec *r, double *y)
{
	const struct lane *l = model_place(s->m, r);

	for (size_t i = 0; l && i < s->num_lanes; i++)
		if (s->lane[i] == l) {
			*y = s->y[i] + (l->kind == LANE_SLOT ? 9 : l->kind == LANE_ENGINE ? 11 : 14);
			return true;
		}
	return false;
}

void draw_arrows(struct svg *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->m->num_links && n < MAX_ARROWS; i++) {
		const struct link *k = &s->m->link[i];
		const struct rec *from = &s->m->t->rec[k->from], *to = &s->m->t->rec[k->to];
		double y0, y1;

		if (!svg_in_view(s, from->time, from->time) || !svg_in_view(s, to->time, to->time) ||
		    !find_y(s, from, &y0) || !find_y(s, to, &y1))
			continue;
		n++;
		s->used[LOOK_ARROW] = true;
		fprintf(s->f, "<path class=\"ar\" d=\"M%.1f %.1fL%.1f %.1f\"><title>%s at %" PRIu64 " ns to %s at %" PRIu64
			" ns</title></path>\n", svg_x(s, from->time), y0, svg_x(s, to->time), y1, event_name(from->event),
			from->time, event_name(to->event), to->time);
	}
}

/* ---- all ------------------------------------------------------------------------------------------------ */

void svg_lay_out(struct svg *s)
{
	choose_lanes(s);
	find_copy_channels(s);
	lay_out(s);
}

void svg_draw(struct svg *s)
{
	frame(s);
	lanes(s);
	if (s->v->arrows)
		draw_arrows(s);
}

void svg_free(struct svg *s)
{
	free(s->lane);
	free(s->y);
	free(s->copy_chan);
}

FILE *svg_memory(char **body, size_t *size)
{
	FILE *f = open_memstream(body, size);

	if (!f) {
		fprintf(stderr, "ppu-trace: out of memory\n");
		exit(1);
	}
	return f;
}

static void title(const struct svg *s)
{
	if (!s->v->title)
		return;
	fprintf(s->f, "<text class=\"ti\" x=\"%.1f\" y=\"%.1f\">", MARGIN, MARGIN + 13);
	svg_text(s->f, s->v->title);
	fputs("</text>\n", s->f);
}

void svg_write(FILE *f, const struct model *m, const struct view *v)
{
	struct svg s = { .f = f, .m = m, .v = v, .top = MARGIN + (v->title ? TITLE_H : 0) };
	char *body = NULL;
	size_t size = 0;

	svg_lay_out(&s);
	/*
	 * The legend explains only what was drawn, and the height of the picture depends on the legend: so draw first.
	 */
	s.f = svg_memory(&body, &size);
	title(&s);
	svg_draw(&s);
	fclose(s.f);
	s.f = f;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%.0f\" data-from=\"%" PRIu64
		"\" data-to=\"%" PRIu64 "\" data-left=\"%.1f\" data-right=\"%.1f\">\n", v->width,
		s.height + draw_legend(&s, NULL, 0) + MARGIN, v->from, v->to, s.left, s.right);
	draw_styles(&s);
	fwrite(body, 1, size, f);
	draw_legend(&s, f, s.height);
	fputs("</svg>\n", f);
	free(body);
	svg_free(&s);
}
