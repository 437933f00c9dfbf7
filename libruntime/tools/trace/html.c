/* SPDX-License-Identifier: MIT */
/*
 * A trace as a page for a browser: viewer.html with the trace in it.
 *
 * The trace is JSON: title, from, to, texts, lanes and links.  What a lane shows is a stream of numbers of seven bits a byte,
 * lowest first, as base64; so ten million events are some 100 MB, not a gigabyte:
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
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "svg.h"

extern const char viewer_page[];
extern const char viewer_page_end[];
__asm__(".section .rodata\n"
	"viewer_page: .incbin \"" PPU_VIEWER_PAGE "\"\n"
	"viewer_page_end: .byte 0\n"
	".previous\n");

/* Colours of viewer.html. */
enum { HTML_SLICE, HTML_LATE, HTML_WAIT, HTML_COPY, HTML_TASK, HTML_PALE, HTML_USE, HTML_CTA, HTML_DARK };

struct bytes {
	uint8_t *b;
	size_t n, cap;
};

/* A lane of the page: one of the model's, or what belongs to none of them. */
struct page_lane {
	const struct lane *l;		/* NULL: interrupts, or the rest of the device */
	const char *name;
	uint32_t *mark;			/* records */
	size_t num_marks, cap_marks;
};

struct page {
	FILE *f;
	const struct model *m;
	const struct view *v;
	struct page_lane *lane;
	size_t num_lanes, cap_lanes;
	size_t interrupts, device;	/* lanes */
	uint32_t *of;			/* number + 1 of each of the model's lanes here, 0: not shown */
	char **text;
	size_t num_texts, cap_texts;
	struct map *texts;		/* a text's checksum -> number + 1 */
};

static void put(struct bytes *o, uint64_t v)
{
	o->b = grow(o->b, &o->cap, o->n + 10, 1);
	for (; v > 127; v >>= 7)
		o->b[o->n++] = (uint8_t)(v | 128);
	o->b[o->n++] = (uint8_t)v;
}

/* The text of an event, with {} for each of the n numbers that follow. */
static void put_text(struct page *p, struct bytes *o, const char *text, unsigned n, ...)
{
	uint64_t sum = 14695981039346656037u;
	uint32_t *known;
	va_list ap;

	for (const char *c = text; *c; c++)
		sum = (sum ^ (uint8_t)*c) * 1099511628211u;
	known = map_at(p->texts, sum, true);
	if (!*known) {
		p->text = grow(p->text, &p->cap_texts, p->num_texts + 1, sizeof(*p->text));
		p->text[p->num_texts] = strdup(text);
		*known = (uint32_t)++p->num_texts;
	}
	put(o, *known - 1);
	va_start(ap, n);
	while (n--)
		put(o, va_arg(ap, uint64_t));
	va_end(ap);
}

/* ---- spans ------------------------------------------------------------------------------------------ */

static const struct rec *begun_by(const struct page *p, const struct span *sp)
{
	return &p->m->t->rec[sp->rec != NO_REC ? sp->rec : sp->rec_end];
}

static unsigned ended_by(const struct page *p, const struct span *sp)
{
	return sp->rec_end == NO_REC ? PPU_TR_MAX : p->m->t->rec[sp->rec_end].event;
}

static void put_wait(struct page *p, struct bytes *o, const struct rec *r)
{
	char text[96];

	switch (r->a) {
	case PPU_TRB_ACQUIRE:
		put_text(p, o, "waits for semaphore {}, value {}", 2, r->b, r->c);
		break;
	case PPU_TRB_GATE:
		put_text(p, o, "waits for semaphore {}, value {}, found closed at dispatch", 2, r->b, r->c);
		break;
	case PPU_TRB_ENGINE:
		put_text(p, o, "waits for an engine or its turn", 0);
		break;
	case PPU_TRB_WFI:
		put_text(p, o, "waits until its tasks are complete", 0);
		break;
	default:
		snprintf(text, sizeof(text), "waits: %s", block_name(r->a));
		put_text(p, o, text, 0);
	}
}

static void put_task(struct page *p, struct bytes *o, const struct rec *r, unsigned end)
{
	char text[96];

	snprintf(text, sizeof(text), "task {}, priority {}, depth {}%s%s", r->event == PPU_TR_TASK_RESUME ? ", resumed" : "",
		 end == PPU_TR_TASK_EVICT ? ", then evicted" : end == PPU_TR_TASK_SUSPEND ? ", then suspended" :
		 end == PPU_TR_TASK_ABORT ? ", aborted" : "");
	put_text(p, o, text, 3, r->c & UINT32_MAX, (uint64_t)r->a, r->d);
}

/* Row, height, look and text. */
static void put_what(struct page *p, struct bytes *o, const struct span *sp)
{
	const struct rec *r = begun_by(p, sp), *task;
	static const uint8_t cta_look[] = { HTML_TASK, HTML_COPY, HTML_CTA, HTML_USE, HTML_SLICE };
	unsigned row = sp->kind == SPAN_LATE ? 1 : sp->kind == SPAN_BLOCK || sp->kind == SPAN_COMMAND ? 2 : 0;

	if (sp->kind == SPAN_CTA) {
		task = model_task(p->m, r->b);
		put(o, r->c);
		put(o, sp->rec != NO_REC && r->d ? r->d : 1);
		put(o, cta_look[r->b % sizeof(cta_look)]);
		put_text(p, o, r->event == PPU_TR_CTA_RESTORE ? "block {} of task {}, priority {}, {} warps, restored" :
			 "block {} of task {}, priority {}, {} warps", 4, (uint64_t)r->a, r->b & UINT32_MAX,
			 (uint64_t)(task ? task->a : 0), r->d);
		return;
	}
	put(o, row);
	put(o, 1);
	switch (sp->kind) {
	case SPAN_SLICE:
		put(o, HTML_SLICE);
		put_text(p, o, "holds its engine", 0);
		break;
	case SPAN_LATE:
		put(o, HTML_LATE);
		put_text(p, o, "its slice is over, what it began goes on", 0);
		break;
	case SPAN_BLOCK:
		put(o, HTML_WAIT);
		put_wait(p, o, r);
		break;
	case SPAN_COMMAND:
		put(o, HTML_COPY);
		put_text(p, o, "its copy {} is on engine {}", 2, r->b, (uint64_t)r->unit);
		break;
	case SPAN_LAUNCH:
		put(o, HTML_TASK);
		put_text(p, o, "channel {} launches task {}, priority {}", 3, (uint64_t)r->unit, r->c & UINT32_MAX, (uint64_t)r->a);
		break;
	case SPAN_COPY:
		put(o, HTML_COPY);
		put_text(p, o, ended_by(p, sp) == PPU_TR_CE_ABORT ? "copy {} of channel {}, {} bytes, aborted" :
			 "copy {} of channel {}, {} bytes", 3, r->b, (uint64_t)r->a, r->c);
		break;
	default:
		put(o, HTML_TASK);
		put_task(p, o, r, ended_by(p, sp));
	}
}

static bool in_view(const struct page *p, uint64_t start, uint64_t end)
{
	return end >= p->v->from && start <= p->v->to;
}

static void put_spans(struct page *p, struct bytes *o, const struct lane *l)
{
	uint64_t last = p->v->from, n = 0;

	for (size_t i = 0; l && i < l->num_spans; i++)
		n += in_view(p, l->span[i].start, l->span[i].end);
	put(o, n);
	for (size_t i = 0; l && i < l->num_spans; i++) {
		const struct span *sp = &l->span[i];
		uint64_t start = sp->start > p->v->from ? sp->start : p->v->from, end = sp->end < p->v->to ? sp->end : p->v->to;

		if (!in_view(p, sp->start, sp->end))
			continue;
		put(o, start - last);
		put(o, end - start);
		put_what(p, o, sp);
		last = start;
	}
}

/* ---- marks and values ----------------------------------------------------------------------------------- */

static unsigned mark_look(unsigned event)
{
	switch (event) {
	case PPU_TR_DOORBELL:
		return HTML_USE;
	case PPU_TR_CH_ERROR: case PPU_TR_FAULT: case PPU_TR_INTR: case PPU_TR_TASK_ABORT:
		return HTML_LATE;
	case PPU_TR_CMD: case PPU_TR_CHILD_LAUNCH:
		return HTML_DARK;
	default:
		return event >= PPU_TR_DIV_PUSH ? HTML_WAIT : HTML_PALE;
	}
}

/* Any record: the names of its arguments, and the numbers; unit: its lane does not say it. */
static void put_record(struct page *p, struct bytes *o, const struct rec *r, bool unit)
{
	const uint64_t value[4] = { r->a, r->b, r->c, r->d };
	uint64_t v[5] = { 0 };
	char text[200];
	unsigned n = 0, len = (unsigned)snprintf(text, sizeof(text), "%s", event_name(r->event));

	if (r->event == PPU_TR_CMD)
		len += (unsigned)snprintf(text + len, sizeof(text) - len, " %s", command_name(r->b));
	if (unit && strcmp(event_unit(r->event), "-")) {
		len += (unsigned)snprintf(text + len, sizeof(text) - len, " %s={}", event_unit(r->event));
		v[n++] = r->unit;
	}
	for (unsigned k = 0; k < 4 && len < sizeof(text); k++)
		if (strcmp(event_arg(r->event, k), "-")) {
			len += (unsigned)snprintf(text + len, sizeof(text) - len, " %s={}", event_arg(r->event, k));
			v[n++] = value[k];
		}
	put_text(p, o, text, n, v[0], v[1], v[2], v[3], v[4]);
}

static void put_marks(struct page *p, struct bytes *o, const struct page_lane *pl)
{
	uint64_t last = p->v->from;

	put(o, pl->num_marks);
	for (size_t i = 0; i < pl->num_marks; i++) {
		const struct rec *r = &p->m->t->rec[pl->mark[i]];

		put(o, r->time - last);
		put(o, mark_look(r->event));
		put_record(p, o, r, !pl->l);
		last = r->time;
	}
}

static void put_points(struct page *p, struct bytes *o, const struct lane *l)
{
	uint64_t last = p->v->from, n = 0, value;
	char text[96];

	for (size_t i = 0; l && i < l->num_points; i++)
		n += in_view(p, l->point[i].time, l->point[i].time);
	put(o, n);
	if (!n)
		return;
	if (!p->v->from || !sem_value_at(l, p->v->from - 1, &value))
		value = l->point[0].old;
	put(o, value);
	for (size_t i = 0; i < l->num_points; i++) {
		const struct point *pt = &l->point[i];
		const struct rec *r = &p->m->t->rec[pt->rec];

		if (!in_view(p, pt->time, pt->time))
			continue;
		put(o, pt->time - last);
		put(o, pt->value);
		snprintf(text, sizeof(text), "{} to {}, by %s {}", writer_name(r->a));
		put_text(p, o, text, 3, pt->old, pt->value, (uint64_t)r->unit);
		last = pt->time;
	}
}

/* ---- lanes -------------------------------------------------------------------------------------------------- */

static size_t add_lane(struct page *p, const struct lane *l, const char *name)
{
	p->lane = grow(p->lane, &p->cap_lanes, p->num_lanes + 1, sizeof(*p->lane));
	p->lane[p->num_lanes] = (struct page_lane){ .l = l, .name = name };
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
		if (in_view(p, l->span[i].start, l->span[i].end))
			return true;
	for (size_t i = 0; i < l->num_points; i++)
		if (in_view(p, l->point[i].time, l->point[i].time))
			return true;
	for (size_t i = 0; i < l->num_marks; i++)
		if (in_view(p, p->m->t->rec[l->mark[i]].time, p->m->t->rec[l->mark[i]].time))
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
	if (l && p->of[l - p->m->lane])
		add_mark(p, p->of[l - p->m->lane] - 1, i);
	else if (!l)
		add_mark(p, r->event == PPU_TR_INTR ? p->interrupts : p->device, i);
}

static void find_lanes(struct page *p)
{
	const struct model *m = p->m;

	p->interrupts = add_lane(p, NULL, "interrupts");
	p->device = add_lane(p, NULL, "device");
	p->of = grow(NULL, (size_t[]){ 0 }, m->num_lanes + 1, sizeof(*p->of));
	memset(p->of, 0, (m->num_lanes + 1) * sizeof(*p->of));
	for (size_t k = 0; k < m->num_lanes; k++) {
		const struct lane *l = &m->lane[k];
		size_t at;

		if (!choice_has(&p->v->lanes, l->kind, l->id) || !has_anything(p, l))
			continue;
		at = add_lane(p, l, NULL);
		p->of[k] = (uint32_t)at + 1;
		for (size_t i = 0; i < l->num_marks; i++)
			if (in_view(p, m->t->rec[l->mark[i]].time, m->t->rec[l->mark[i]].time))
				add_mark(p, at, l->mark[i]);
	}
	for (size_t i = 0; i < m->t->num; i++)
		if (in_view(p, m->t->rec[i].time, m->t->rec[i].time))
			add_record(p, (uint32_t)i);
}

/* ---- the file ------------------------------------------------------------------------------------------------ */

/* A string of JSON in HTML. */
static void quote(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || strchr("\"\\<>&", *text))
			fprintf(f, "\\u%04x", (unsigned char)*text);
		else
			putc(*text, f);
	}
	putc('"', f);
}

static void base64(FILE *f, const struct bytes *o)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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

static void write_lane(struct page *p, const struct page_lane *pl)
{
	const struct svg names = { .m = p->m, .v = p->v };
	struct bytes o = { NULL, 0, 0 };
	char name[128];

	if (pl->l)
		lane_title(name, sizeof(name), &names, pl->l);
	else
		snprintf(name, sizeof(name), "%s", pl->name);
	fprintf(p->f, "%s{\"k\":\"%s\",\"n\":", pl == p->lane ? "\n" : ",\n", pl->l ? lane_kind_names[pl->l->kind] : "device");
	quote(p->f, name);
	put_spans(p, &o, pl->l);
	put_marks(p, &o, pl);
	put_points(p, &o, pl->l);
	fputs(",\"d\":", p->f);
	base64(p->f, &o);
	putc('}', p->f);
	free(o.b);
}

/* The number of a record's lane here, or -1. */
static int64_t lane_of(const struct page *p, uint32_t rec)
{
	const struct rec *r = &p->m->t->rec[rec];
	const struct lane *l = model_place(p->m, r);

	return l && in_view(p, r->time, r->time) ? (int64_t)p->of[l - p->m->lane] - 1 : -1;
}

static void write_links(struct page *p)
{
	struct bytes o = { NULL, 0, 0 }, head = { NULL, 0, 0 };
	uint64_t n = 0;

	for (size_t i = 0; i < p->m->num_links; i++) {
		const struct link *k = &p->m->link[i];
		int64_t a = lane_of(p, k->from), b = lane_of(p, k->to);

		if (a < 0 || b < 0)
			continue;
		put(&o, k->kind == LINK_CHILD);
		put(&o, (uint64_t)a);
		put(&o, p->m->t->rec[k->from].time - p->v->from);
		put(&o, (uint64_t)b);
		put(&o, p->m->t->rec[k->to].time - p->v->from);
		n++;
	}
	put(&head, n);
	head.b = grow(head.b, &head.cap, head.n + o.n + 1, 1);
	if (o.n)
		memcpy(head.b + head.n, o.b, o.n);
	head.n += o.n;
	base64(p->f, &head);
	free(o.b);
	free(head.b);
}

static void write_data(struct page *p)
{
	fputs("{\"title\":", p->f);
	quote(p->f, p->v->title ? p->v->title : "PPU trace");
	fprintf(p->f, ",\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"lanes\":[", p->v->from, p->v->to);
	for (size_t i = 0; i < p->num_lanes; i++)
		write_lane(p, &p->lane[i]);
	fputs("],\n\"links\":", p->f);
	write_links(p);
	fputs(",\n\"texts\":[", p->f);
	for (size_t i = 0; i < p->num_texts; i++) {
		fputs(i ? "," : "", p->f);
		quote(p->f, p->text[i]);
	}
	fputs("]}", p->f);
}

void html_write(FILE *f, const struct model *m, const struct view *v)
{
	struct page p = { .f = f, .m = m, .v = v, .texts = map_new() };
	const char *data = strstr(viewer_page, ">DATA<");

	find_lanes(&p);
	fwrite(viewer_page, 1, (size_t)(data + 1 - viewer_page), f);
	write_data(&p);
	fputs(data + strlen(">DATA"), f);
	for (size_t i = 0; i < p.num_lanes; i++)
		free(p.lane[i].mark);
	for (size_t i = 0; i < p.num_texts; i++)
		free(p.text[i]);
	free(p.text);
	free(p.lane);
	free(p.of);
	map_free(p.texts);
}
