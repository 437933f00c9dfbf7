/* SPDX-License-Identifier: MIT */
/* Bars and ticks, merged where they would be too thin to be seen. */
#include <inttypes.h>
#include <string.h>
#include "svg.h"

uint64_t svg_shown(const struct svg *s, uint64_t t)
{
	size_t lo = 0, hi = s->num_cuts;
	const struct cut *c;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->cut[mid].from <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return t;
	c = &s->cut[lo - 1];
	return t >= c->to ? t - c->before : c->to - c->before;
}

double svg_x(const struct svg *s, uint64_t t)
{
	uint64_t from = svg_shown(s, s->v->from), to = svg_shown(s, s->v->to);

	t = svg_shown(s, t < s->v->from ? s->v->from : t > s->v->to ? s->v->to : t);
	return s->left + (s->right - s->left) * (double)(t - from) / (double)(to > from ? to - from : 1);
}

bool svg_in_view(const struct svg *s, uint64_t start, uint64_t end)
{
	return end >= s->v->from && start <= s->v->to;
}

void svg_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '<')
			fputs("&lt;", f);
		else if (c == '>')
			fputs("&gt;", f);
		else if (c == '&')
			fputs("&amp;", f);
		else if (c == '"')
			fputs("&quot;", f);
		else if (c >= ' ')
			putc(c, f);
	}
}

const char *time_text(char *buf, size_t size, uint64_t ns)
{
	snprintf(buf, size, "%" PRIu64 ".%03u us", ns / 1000, (unsigned)(ns % 1000));
	return buf;
}

/* ---- bars ---------------------------------------------------------------------------------------- */

static const char *const look_class[NUM_LOOKS] = {
	[LOOK_SLICE] = "sl", [LOOK_LATE] = "la", [LOOK_ACQUIRE] = "wa", [LOOK_ENGINE] = "we",
	[LOOK_WFI] = "ww", [LOOK_OTHER] = "wo", [LOOK_BUSY] = "bu", [LOOK_CMD] = "cm", [LOOK_DOORBELL] = "db",
	[LOOK_ERROR] = "er", [LOOK_COPY0] = "c0", [LOOK_COPY0 + 1] = "c1", [LOOK_COPY0 + 2] = "c2",
	[LOOK_COPY0 + 3] = "c3", [LOOK_COPY0 + 4] = "c4", [LOOK_COPY0 + 5] = "c5", [LOOK_TASK] = "ta",
};

void row_begin(struct row *r, struct svg *s, double y, double h, const char *many)
{
	*r = (struct row){ .s = s, .y = y, .h = h, .many = many };
}

/* Pastes the fill of a bar: a class, and for tasks the shade of the priority. */
static void fill(struct row *r)
{
	struct svg *s = r->s;

	s->used[r->look] = true;
	fprintf(s->f, " class=\"%s\"", look_class[r->look]);
	if (r->look == LOOK_TASK && r->priority >= 0) {
		unsigned g = priority_grey(s, (uint64_t)r->priority);

		s->used_priority[r->priority < 255 ? r->priority : 255] = true;
		fprintf(s->f, " fill=\"#%02x%02x%02x\"", g, g, g);
	}
}

static void merged(struct row *r)
{
	double share = r->t1 > r->t0 ? (double)r->busy / (double)(r->t1 - r->t0) : 1;
	char a[40], b[40];

	r->s->used[LOOK_DENSE] = true;
	r->s->used[r->look] = true;
	fprintf(r->s->f, "<rect class=\"de\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill-opacity=\"%.2f\">"
		"<title>%u %s, %s to %s, busy %.0f%%</title></rect>\n", r->x0, r->y,
		r->x1 - r->x0 < 1 ? 1 : r->x1 - r->x0, r->h, 0.15 + 0.65 * (share > 1 ? 1 : share), r->n, r->many,
		time_text(a, sizeof(a), r->t0), time_text(b, sizeof(b), r->t1), 100 * (share > 1 ? 1 : share));
}

static void single(struct row *r)
{
	struct svg *s = r->s;
	double w = r->x1 - r->x0;
	char a[40], b[40];

	fputs("<rect", s->f);
	fill(r);
	fprintf(s->f, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", r->x0, r->y, w < 0.5 ? 0.5 : w,
		r->h);
	svg_text(s->f, r->title);
	fprintf(s->f, ", %s to %s (%" PRIu64 " ns)</title></rect>\n", time_text(a, sizeof(a), r->t0),
		time_text(b, sizeof(b), r->t1), r->t1 - r->t0);
	if (!*r->label || w < CHAR_PX * (double)strlen(r->label) + 4 || r->h < 9)
		return;
	fprintf(s->f, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">",
		r->look == LOOK_TASK && r->priority >= 0 && priority_grey(s, (uint64_t)r->priority) < 0x90 ? "il" : "in",
		(r->x0 + r->x1) / 2, r->y + r->h / 2 + 3.5);
	svg_text(s->f, r->label);
	fputs("</text>\n", s->f);
}

void row_end(struct row *r)
{
	if (r->n == 1)
		single(r);
	else if (r->n)
		merged(r);
	r->n = 0;
}

void row_add(struct row *r, const struct bar *b)
{
	double x0 = svg_x(r->s, b->t0), x1 = svg_x(r->s, b->t1);
	bool thin = x1 - x0 < MIN_PX;

	if (!svg_in_view(r->s, b->t0, b->t1))
		return;
	if (r->n && thin && r->thin && x0 - r->x1 < MIN_PX && x1 - r->x0 < PIECE_PX) {
		r->n++;
		r->x1 = x1 > r->x1 ? x1 : r->x1;
		r->t1 = b->t1 > r->t1 ? b->t1 : r->t1;
		r->busy += b->t1 - b->t0;
		return;
	}
	row_end(r);
	r->n = 1;
	r->thin = thin;
	r->x0 = x0;
	r->x1 = x1;
	r->t0 = b->t0;
	r->t1 = b->t1;
	r->busy = b->t1 - b->t0;
	r->look = b->look;
	r->priority = b->priority;
	memcpy(r->label, b->label, sizeof(r->label));
	memcpy(r->title, b->title, sizeof(r->title));
}

/* ---- ticks ------------------------------------------------------------------------------------------ */

static const char *const tick_path[NUM_LOOKS] = {
	[LOOK_CMD] = "v5", [LOOK_DOORBELL] = "l2.5 -4h-5z", [LOOK_ERROR] = "m-5 -5l10 10m0 -10l-10 10",
	[LOOK_EVICT] = "m-5 0h5v-9z", [LOOK_RESUME] = "v-9l5 9z",
};
static const char *const tick_class[NUM_LOOKS] = {
	[LOOK_CMD] = "cm", [LOOK_DOORBELL] = "db", [LOOK_ERROR] = "er", [LOOK_EVICT] = "ev", [LOOK_RESUME] = "re",
};

void ticks_begin(struct ticks *k, struct svg *s, double y, enum look look)
{
	*k = (struct ticks){ .s = s, .y = y, .look = look };
}

void ticks_end(struct ticks *k)
{
	if (!k->n)
		return;
	k->s->used[k->look] = true;
	fprintf(k->s->f, "<path class=\"%s\" d=\"M%.1f %.1f%s\"><title>", tick_class[k->look], k->x, k->y,
		tick_path[k->look]);
	svg_text(k->s->f, k->title);
	if (k->n > 1)
		fprintf(k->s->f, " and %u more up to here", k->n - 1);
	fputs("</title></path>\n", k->s->f);
	k->n = 0;
}

void ticks_add(struct ticks *k, uint64_t time, const char *title)
{
	double x = svg_x(k->s, time);

	if (!svg_in_view(k->s, time, time))
		return;
	if (k->n && x - k->x < MIN_PX) {
		k->n++;
		return;
	}
	ticks_end(k);
	k->n = 1;
	k->x = x;
	snprintf(k->title, sizeof(k->title), "%s", title);
}
