/* SPDX-License-Identifier: MIT */
/*
 * A trace as a page for a browser: viewer.html with the trace in it.
 *
 * The trace is JSON: title, from, to, texts, lanes and links.  What a lane shows is a stream of numbers of seven bits a byte,
 * lowest first, as base64; so ten million events are some 150 MB, not a gigabyte.  Reading the streams takes a browser
 * seconds then; so each lane has its overview, too, which is drawn until its stream is read:
 *
 *   spans:   how many; each: time from the last one's start, length, row, height, look, text
 *   marks:   how many; each: time from the last one, look, text
 *   points:  how many, if any the first value; each: time from the last one, value, text
 *   text:    number of a text, then a number for each {} in it
 *   links:   how many; each: kind, lane, time, lane, time (from `from` on)
 *
 * A lane's row: channels have slices (0), what is over them (1), waits and copies (2); SMs the first warp slot of a block, whose
 * warps are the height.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "html.h"

extern const char viewer_page[];
extern const char viewer_page_end[];
__asm__(".section .rodata\n"
	"viewer_page: .incbin \"" PPU_VIEWER_PAGE "\"\n"
	"viewer_page_end: .byte 0\n"
	".previous\n");

/* ---- lanes -------------------------------------------------------------------------------------------------- */

size_t html_add_lane(struct page *p, unsigned side, const struct lane *l, const char *kind, const char *name)
{
	p->lane = grow(p->lane, &p->cap_lanes, p->num_lanes + 1, sizeof(*p->lane));
	p->lane[p->num_lanes] = (struct page_lane){ .side = side, .l = l, .kind = kind, .name = name };
	return p->num_lanes++;
}

static void add_mark(struct page *p, size_t lane, uint32_t rec)
{
	struct page_lane *pl = &p->lane[lane];

	pl->mark = grow(pl->mark, &pl->cap_marks, pl->num_marks + 1, sizeof(*pl->mark));
	pl->mark[pl->num_marks++] = rec;
}

static bool has_anything(const struct page *p, const struct lane *l)
{
	for (size_t i = 0; i < l->num_spans; i++)
		if (html_in_view(p, l->span[i].start, l->span[i].end))
			return true;
	for (size_t i = 0; i < l->num_points; i++)
		if (html_in_view(p, l->point[i].time, l->point[i].time))
			return true;
	for (size_t i = 0; i < l->num_marks; i++)
		if (html_in_view(p, p->m->t->rec[l->mark[i]].time, p->m->t->rec[l->mark[i]].time))
			return true;
	return false;
}

/* Records that no lane of the model shows. */
static void add_record(struct page *p, uint32_t i)
{
	const struct rec *r = &p->m->t->rec[i];
	const char *unit = event_unit(r->event);
	const struct lane *l = NULL;

	if (r->event == PPU_TR_SEM_WRITE)
		return;
	if (!strcmp(unit, "channel") || !strcmp(unit, "engine"))
		return;
	if (!strcmp(unit, "sm") && (r->event >= PPU_TR_DIV_PUSH || r->event == PPU_TR_CHILD_LAUNCH))
		l = model_lane(p->m, LANE_SM, r->unit);
	else if (!strcmp(unit, "slot") && (r->event == PPU_TR_TASK_PEND || r->event == PPU_TR_TASK_CODE_DONE))
		l = model_lane(p->m, LANE_SLOT, r->unit);
	else if (!strcmp(unit, "slot") || !strcmp(unit, "sm"))
		return;
	if (l && p->s->of[l - p->m->lane])
		add_mark(p, p->s->of[l - p->m->lane] - 1, i);
	else if (!l)
		add_mark(p, r->event == PPU_TR_INTR ? p->s->interrupts : p->s->device, i);
}

/* From here on this side is worked on. */
static void turn_to(struct page *p, unsigned side)
{
	p->s = &p->side[side];
	p->m = p->s->m;
	p->v = &p->s->v;
	p->prog = p->s->prog;
}

static void find_lanes(struct page *p, unsigned side)
{
	const struct model *m = p->m;
	struct page_side *s = &p->side[side];

	s->interrupts = html_add_lane(p, side, NULL, "device", "interrupts");
	s->device = html_add_lane(p, side, NULL, "device", "device");
	html_streams(p, side);
	s->of = grow(NULL, (size_t[]){ 0 }, m->num_lanes + 1, sizeof(*s->of));
	memset(s->of, 0, (m->num_lanes + 1) * sizeof(*s->of));
	for (size_t k = 0; k < m->num_lanes; k++) {
		const struct lane *l = &m->lane[k];
		size_t at;

		if (!choice_has(&p->v->lanes, l->kind, l->id) || !has_anything(p, l))
			continue;
		at = html_add_lane(p, side, l, NULL, NULL);
		s->of[k] = (uint32_t)at + 1;
		for (size_t i = 0; i < l->num_marks; i++)
			if (html_in_view(p, m->t->rec[l->mark[i]].time, m->t->rec[l->mark[i]].time))
				add_mark(p, at, l->mark[i]);
	}
	for (size_t i = 0; i < m->t->num; i++)
		if (html_in_view(p, m->t->rec[i].time, m->t->rec[i].time))
			add_record(p, (uint32_t)i);
}

/* ---- links ---------------------------------------------------------------------------------------------------- */

void html_add_link(struct page *p, unsigned kind, uint32_t from, uint32_t to, const struct lane *lane_b)
{
	const struct rec *rec[2] = { &p->m->t->rec[from], &p->m->t->rec[to] };
	const struct lane *l[2] = { model_place(p->m, rec[0]), lane_b ? lane_b : model_place(p->m, rec[1]) };
	struct page_link k = { .kind = kind };

	for (unsigned i = 0; i < 2; i++) {
		if (!l[i] || !html_in_view(p, rec[i]->time, rec[i]->time) || !p->s->of[l[i] - p->m->lane])
			return;
		k.lane[i] = p->s->of[l[i] - p->m->lane] - 1;
		k.time[i] = rec[i]->time - p->v->from;
	}
	p->link = grow(p->link, &p->cap_links, p->num_links + 1, sizeof(*p->link));
	p->link[p->num_links++] = k;
}

static void find_links(struct page *p)
{
	for (size_t i = 0; i < p->m->num_links; i++)
		html_add_link(p, p->m->link[i].kind, p->m->link[i].from, p->m->link[i].to, NULL);
	html_commands(p);
}

/* ---- the file ------------------------------------------------------------------------------------------------ */

static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64(FILE *f, const struct bytes *o)
{
	putc('"', f);
	for (size_t i = 0; i < o->n; i += 3) {
		size_t left = o->n - i;
		uint32_t v = (uint32_t)o->b[i] << 16 | (left > 1 ? (uint32_t)o->b[i + 1] << 8 : 0) | (left > 2 ? o->b[i + 2] : 0u);

		putc(digit[v >> 18], f);
		putc(digit[v >> 12 & 63], f);
		putc(left > 1 ? digit[v >> 6 & 63] : '=', f);
		putc(left > 2 ? digit[v & 63] : '=', f);
	}
	putc('"', f);
}

#define BUCKETS	512

/* Which part of each bucket's time has something, 0 to 63: what is drawn of a lane until its stream is read. */
struct overview {
	double busy[BUCKETS];
	double each;			/* ns of a bucket */
	unsigned high;
};

static void cover(const struct page *p, struct overview *w, const struct span *sp)
{
	const struct rec *r = &p->m->t->rec[sp->rec];
	double a = ((double)(sp->start > p->v->from ? sp->start : p->v->from) - (double)p->v->from) / w->each;
	double b = ((double)(sp->end < p->v->to ? sp->end : p->v->to) - (double)p->v->from) / w->each;
	unsigned high = sp->kind == SPAN_CTA && sp->rec != NO_REC && r->d ? (unsigned)r->d : 1;

	if (sp->kind == SPAN_CTA && sp->rec != NO_REC && r->c + r->d > w->high)
		w->high = (unsigned)(r->c + r->d);
	for (size_t k = (size_t)a; k < BUCKETS && (double)k < b; k++) {
		double lo = a > (double)k ? a : (double)k, hi = b < (double)(k + 1) ? b : (double)(k + 1);

		w->busy[k] += (hi - lo) * high;
	}
}

static void write_overview(struct page *p, const struct page_lane *pl)
{
	struct overview w = { .each = ((double)p->length + 1) / BUCKETS, .high = 1 };
	char text[BUCKETS + 1];

	for (size_t i = 0; pl->l && i < pl->l->num_spans; i++)
		if (html_in_view(p, pl->l->span[i].start, pl->l->span[i].end))
			cover(p, &w, &pl->l->span[i]);
	for (size_t i = 0; i < pl->num_work; i++)
		cover(p, &w, pl->work[i]);
	for (unsigned k = 0; k < BUCKETS; k++) {
		double part = w.busy[k] / w.high;

		text[k] = digit[part <= 0 ? 0 : part >= 1 ? 63 : 1 + (unsigned)(part * 62)];
	}
	text[BUCKETS] = 0;
	fprintf(p->f, ",\"o\":\"%s\"", text);
}

static void write_lane(struct page *p, const struct page_lane *pl)
{
	struct bytes o = { NULL, 0, 0 };
	struct svg names;
	char name[128];

	turn_to(p, pl->side);
	names = (struct svg){ .m = p->m, .v = p->v };
	if (pl->l)
		lane_title(name, sizeof(name), &names, pl->l);
	else if (pl->name)
		snprintf(name, sizeof(name), "%s", pl->name);
	else if (pl->context)
		snprintf(name, sizeof(name), "stream %d of context %u", pl->stream, pl->context);
	else
		snprintf(name, sizeof(name), pl->stream ? "stream %d" : "default stream", pl->stream);
	fprintf(p->f, "%s{\"k\":\"%s\",\"r\":%u,\"n\":", pl == p->lane ? "\n" : ",\n",
		pl->l ? lane_kind_names[pl->l->kind] : pl->kind, pl->side);
	html_quote(p->f, name);
	write_overview(p, pl);
	if (pl->l)
		html_spans(p, &o, pl->l);
	else
		html_works(p, &o, pl);
	html_marks(p, &o, pl);
	html_points(p, &o, pl->l);
	fputs(",\"d\":", p->f);
	base64(p->f, &o);
	putc('}', p->f);
	free(o.b);
}

static void write_links(struct page *p)
{
	struct bytes o = { NULL, 0, 0 };

	html_number(&o, p->num_links);
	for (size_t i = 0; i < p->num_links; i++) {
		const struct page_link *k = &p->link[i];

		html_number(&o, k->kind);
		for (unsigned e = 0; e < 2; e++) {
			html_number(&o, k->lane[e]);
			html_number(&o, k->time[e]);
		}
	}
	base64(p->f, &o);
	free(o.b);
}

/* Where two runs differ first: a sentence, and the time on each side, from the begin; -1: nothing is there. */
static void write_difference(const struct page *p, const struct difference *d)
{
	char text[1024];

	if (!d)
		return;
	if (d->any)
		difference_text(text, sizeof(text), d, (const struct model[SIDES]){ *p->side[0].m, *p->side[1].m });
	else
		snprintf(text, sizeof(text), "no difference: %zu events of %zu units", d->events, d->units);
	fputs(",\n\"difference\":{\"text\":", p->f);
	html_quote(p->f, text);
	fputs(",\"at\":[", p->f);
	for (unsigned s = 0; s < SIDES; s++) {
		uint32_t rec = d->rec[s] != NO_REC ? d->rec[s] : d->before[s];

		fprintf(p->f, "%s%" PRId64, s ? "," : "", d->any && rec != NO_REC ?
			(int64_t)(p->side[s].m->t->rec[rec].time - p->side[s].v.from) : -1);
	}
	fputs("]}", p->f);
}

static void write_data(struct page *p, const char *title, const struct difference *d)
{
	uint64_t from = p->side[0].v.from;

	fputs("{\"title\":", p->f);
	html_quote(p->f, title ? title : "PPU trace");
	fprintf(p->f, ",\"from\":%" PRIu64 ",\"to\":%" PRIu64, from, from + p->length);
	if (d)		/* both begin at the reference's begin */
		fprintf(p->f, ",\"begin\":[%" PRIu64 ",%" PRIu64 "]", p->side[0].v.from, p->side[1].v.from);
	write_difference(p, d);
	fputs(",\"lanes\":[", p->f);
	for (size_t i = 0; i < p->num_lanes; i++)
		write_lane(p, &p->lane[i]);
	fputs("],\n\"links\":", p->f);
	write_links(p);
	fputs(",\n\"texts\":[", p->f);
	for (size_t i = 0; i < p->num_texts; i++) {
		fputs(i ? "," : "", p->f);
		html_quote(p->f, p->text[i].text);
	}
	fputs("]", p->f);
	html_sources(p);
	fputs("}", p->f);
}

static void write_page(struct page *p, const char *title, const struct difference *d)
{
	const char *data = strstr(viewer_page, "DATA</script>");

	p->texts = map_new();
	for (unsigned s = 0; s < p->sides; s++) {
		turn_to(p, s);
		if (p->v->to - p->v->from > p->length)
			p->length = p->v->to - p->v->from;
		find_lanes(p, s);
		find_links(p);
	}
	fwrite(viewer_page, 1, (size_t)(data - viewer_page), p->f);
	write_data(p, title, d);
	data += strlen("DATA");
	fwrite(data, 1, (size_t)(viewer_page_end - data), p->f);
	for (size_t i = 0; i < p->num_lanes; i++) {
		free(p->lane[i].mark);
		free(p->lane[i].work);
	}
	for (size_t i = 0; i < p->num_texts; i++)
		free(p->text[i].text);
	for (unsigned s = 0; s < p->sides; s++)
		free(p->side[s].of);
	free(p->text);
	free(p->lane);
	free(p->link);
	map_free(p->texts);
}

void html_write(FILE *f, const struct model *m, const struct program *prog, const struct view *v)
{
	struct page p = { .f = f, .sides = 1, .side = { { .m = m, .prog = prog, .v = *v } } };

	write_page(&p, v->title, NULL);
}

void html_compare(FILE *f, const struct model side[SIDES], const struct program prog[SIDES], const struct view v[SIDES],
		  const struct difference *d)
{
	struct page p = { .f = f, .sides = SIDES };

	for (unsigned s = 0; s < SIDES; s++)
		p.side[s] = (struct page_side){ .m = &side[s], .prog = &prog[s], .v = v[s] };
	write_page(&p, v[SIDE_RUN].title, d);
}
