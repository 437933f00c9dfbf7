/* SPDX-License-Identifier: MIT */
/* What the lanes of ppu-trace --html show, as streams of numbers (html.c says which). */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include "html.h"

void html_number(struct bytes *o, uint64_t v)
{
	o->b = grow(o->b, &o->cap, o->n + 10, 1);
	for (; v > 127; v >>= 7)
		o->b[o->n++] = (uint8_t)(v | 128);
	o->b[o->n++] = (uint8_t)v;
}

/* The text of an event, with {} for each of the n numbers that follow; k: the kernel that it is about, or NULL. */
static void put_text(struct page *p, struct bytes *o, const struct kernel *k, const char *text, unsigned n, ...)
{
	uint32_t kernel = k ? (uint32_t)(k - p->prog->kernel) + 1 : 0;
	size_t before = p->s == &p->side[SIDE_REF] ? 0 : p->side[SIDE_REF].prog->num_kernels;
	uint64_t sum = 14695981039346656037u + (kernel ? kernel + before : 0);
	uint32_t *known;
	va_list ap;

	for (const char *c = text; *c; c++)
		sum = (sum ^ (uint8_t)*c) * 1099511628211u;
	known = map_at(p->texts, sum, true);
	if (!*known) {
		p->text = grow(p->text, &p->cap_texts, p->num_texts + 1, sizeof(*p->text));
		p->text[p->num_texts] = (struct page_text){ strdup(text), kernel ? kernel + (uint32_t)before : 0 };
		*known = (uint32_t)++p->num_texts;
	}
	html_number(o, *known - 1);
	va_start(ap, n);
	while (n--)
		html_number(o, va_arg(ap, uint64_t));
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
		put_text(p, o, NULL, "waits for semaphore {}, value {}", 2, r->b, r->c);
		break;
	case PPU_TRB_GATE:
		put_text(p, o, NULL, "waits for semaphore {}, value {}, found closed at dispatch", 2, r->b, r->c);
		break;
	case PPU_TRB_ENGINE:
		put_text(p, o, NULL, "waits for an engine or its turn", 0);
		break;
	case PPU_TRB_WFI:
		put_text(p, o, NULL, "waits until its tasks are complete", 0);
		break;
	default:
		snprintf(text, sizeof(text), "waits: %s", block_name(r->a));
		put_text(p, o, NULL, text, 0);
	}
}

/* "name: ", or nothing; names may have what is special in texts. */
static const char *of_kernel(char *buf, size_t size, const struct kernel *k, const char *then)
{
	snprintf(buf, size, "%s%s", k ? k->name : "", k ? then : "");
	for (char *c = buf; (c = strstr(c, "{}"));)
		c[1] = ' ';
	return buf;
}

static void put_task(struct page *p, struct bytes *o, const struct rec *r, unsigned end)
{
	const struct kernel *k = program_task(p->prog, r->c);
	const struct job *j = program_task_job(p->prog, r->c);
	char text[700], name[520];

	snprintf(text, sizeof(text), "%stask {}, priority {}, depth {}%s%s%s", of_kernel(name, sizeof(name), k, ": "),
		 r->event == PPU_TR_TASK_RESUME ? ", resumed" : "",
		 end == PPU_TR_TASK_EVICT ? ", then evicted" : end == PPU_TR_TASK_SUSPEND ? ", then suspended" :
		 end == PPU_TR_TASK_ABORT ? ", aborted" : "", j ? ", stream {}" : "");
	put_text(p, o, k, text, j ? 4 : 3, r->c & UINT32_MAX, (uint64_t)r->a, r->d, (uint64_t)(j ? j->stream : 0));
}

static void put_copy(struct page *p, struct bytes *o, const struct span *sp, const struct rec *r)
{
	const struct job *j = sp->rec == NO_REC ? NULL : program_job(p->prog, sp->rec);
	char text[96];

	snprintf(text, sizeof(text), "copy {} of channel {}, {} bytes%s%s",
		 ended_by(p, sp) == PPU_TR_CE_ABORT ? ", aborted" : "",
		 !j ? "" : j->stream < 0 ? ", to load code and variables" : ", stream {}");
	put_text(p, o, NULL, text, j && j->stream >= 0 ? 4 : 3, r->b, (uint64_t)r->a, r->c, (uint64_t)(j ? j->stream : 0));
}

static void put_launch(struct page *p, struct bytes *o, const struct rec *r)
{
	const struct kernel *k = program_task(p->prog, r->c);
	char text[700], name[520];

	snprintf(text, sizeof(text), "channel {} launches task {}, priority {}%s%s", k ? ": " : "",
		 of_kernel(name, sizeof(name), k, ""));
	put_text(p, o, k, text, 3, (uint64_t)r->unit, r->c & UINT32_MAX, (uint64_t)r->a);
}

static void put_cta(struct page *p, struct bytes *o, const struct span *sp, const struct rec *r)
{
	static const uint8_t cta_look[] = { HTML_TASK, HTML_COPY, HTML_CTA, HTML_USE, HTML_SLICE };
	const struct rec *task = model_task(p->m, r->b);
	const struct kernel *k = program_task(p->prog, r->b);
	char text[700], name[520];

	html_number(o, r->c);
	html_number(o, sp->rec != NO_REC && r->d ? r->d : 1);
	html_number(o, cta_look[r->b % sizeof(cta_look)]);
	snprintf(text, sizeof(text), "%sblock {} of task {}, priority {}, {} warps%s", of_kernel(name, sizeof(name), k, ": "),
		 r->event == PPU_TR_CTA_RESTORE ? ", restored" : "");
	put_text(p, o, k, text, 4, (uint64_t)r->a, r->b & UINT32_MAX, (uint64_t)(task ? task->a : 0), r->d);
}

/* Row, height, look and text. */
static void put_what(struct page *p, struct bytes *o, const struct span *sp)
{
	const struct rec *r = begun_by(p, sp);
	unsigned row = sp->kind == SPAN_LATE ? 1 : sp->kind == SPAN_BLOCK || sp->kind == SPAN_COMMAND ? 2 : 0;

	if (sp->kind == SPAN_CTA) {
		put_cta(p, o, sp, r);
		return;
	}
	html_number(o, row);
	html_number(o, 1);
	switch (sp->kind) {
	case SPAN_SLICE:
		html_number(o, HTML_SLICE);
		put_text(p, o, NULL, "holds its engine", 0);
		break;
	case SPAN_LATE:
		html_number(o, HTML_LATE);
		put_text(p, o, NULL, "its slice is over, what it began goes on", 0);
		break;
	case SPAN_BLOCK:
		html_number(o, HTML_WAIT);
		put_wait(p, o, r);
		break;
	case SPAN_COMMAND:
		html_number(o, HTML_COPY);
		put_text(p, o, NULL, "its copy {} is on engine {}", 2, r->b, (uint64_t)r->unit);
		break;
	case SPAN_LAUNCH:
		html_number(o, HTML_TASK);
		put_launch(p, o, r);
		break;
	case SPAN_COPY:
		html_number(o, HTML_COPY);
		put_copy(p, o, sp, r);
		break;
	default:
		html_number(o, HTML_TASK);
		put_task(p, o, r, ended_by(p, sp));
	}
}

bool html_in_view(const struct page *p, uint64_t start, uint64_t end)
{
	return end >= p->v->from && start <= p->v->to;
}

/* Returns when the next one's time counts from. */
static uint64_t put_span(struct page *p, struct bytes *o, const struct span *sp, uint64_t last)
{
	uint64_t start = sp->start > p->v->from ? sp->start : p->v->from, end = sp->end < p->v->to ? sp->end : p->v->to;

	html_number(o, start - last);
	html_number(o, end - start);
	put_what(p, o, sp);
	return start;
}

void html_spans(struct page *p, struct bytes *o, const struct lane *l)
{
	uint64_t last = p->v->from, n = 0;

	for (size_t i = 0; l && i < l->num_spans; i++)
		n += html_in_view(p, l->span[i].start, l->span[i].end);
	html_number(o, n);
	for (size_t i = 0; l && i < l->num_spans; i++)
		if (html_in_view(p, l->span[i].start, l->span[i].end))
			last = put_span(p, o, &l->span[i], last);
}

/* What a stream of the program did. */
void html_works(struct page *p, struct bytes *o, const struct page_lane *pl)
{
	uint64_t last = p->v->from;

	html_number(o, pl->num_work);
	for (size_t i = 0; i < pl->num_work; i++)
		last = put_span(p, o, pl->work[i], last);
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
static void put_record(struct page *p, struct bytes *o, uint32_t rec, bool unit)
{
	const struct rec *r = &p->m->t->rec[rec];
	const struct job *j = r->event == PPU_TR_CMD ? program_job(p->prog, rec) : NULL;
	const struct kernel *k = j && j->kernel && r->b == PPU_CMD_LAUNCH ? &p->prog->kernel[j->kernel - 1] : NULL;
	const uint64_t value[4] = { r->a, r->b, r->c, r->d };
	uint64_t v[6] = { 0 };
	char text[800], name[520];
	unsigned n = 0, len = (unsigned)snprintf(text, sizeof(text), "%s", event_name(r->event));

	if (r->event == PPU_TR_CMD)
		len += (unsigned)snprintf(text + len, sizeof(text) - len, " %s", command_name(r->b));
	if (unit && strcmp(event_unit(r->event), "-")) {
		len += (unsigned)snprintf(text + len, sizeof(text) - len, " %s={}", event_unit(r->event));
		v[n++] = r->unit;
	}
	for (unsigned i = 0; i < 4 && len < sizeof(text); i++)
		if (strcmp(event_arg(r->event, i), "-")) {
			len += (unsigned)snprintf(text + len, sizeof(text) - len, " %s={}", event_arg(r->event, i));
			v[n++] = value[i];
		}
	if (j && j->stream >= 0) {
		len += (unsigned)snprintf(text + len, sizeof(text) - len, " stream={}");
		v[n++] = (uint64_t)j->stream;
	}
	snprintf(text + len, sizeof(text) - len, "%s%s", k ? " " : "", of_kernel(name, sizeof(name), k, ""));
	put_text(p, o, k, text, n, v[0], v[1], v[2], v[3], v[4], v[5]);
}

void html_marks(struct page *p, struct bytes *o, const struct page_lane *pl)
{
	uint64_t last = p->v->from;

	html_number(o, pl->num_marks);
	for (size_t i = 0; i < pl->num_marks; i++) {
		const struct rec *r = &p->m->t->rec[pl->mark[i]];

		html_number(o, r->time - last);
		html_number(o, mark_look(r->event));
		put_record(p, o, pl->mark[i], !pl->l);
		last = r->time;
	}
}

void html_points(struct page *p, struct bytes *o, const struct lane *l)
{
	uint64_t last = p->v->from, n = 0, value;
	char text[96];

	for (size_t i = 0; l && i < l->num_points; i++)
		n += html_in_view(p, l->point[i].time, l->point[i].time);
	html_number(o, n);
	if (!n)
		return;
	if (!p->v->from || !sem_value_at(l, p->v->from - 1, &value))
		value = l->point[0].old;
	html_number(o, value);
	for (size_t i = 0; i < l->num_points; i++) {
		const struct point *pt = &l->point[i];
		const struct rec *r = &p->m->t->rec[pt->rec];

		if (!html_in_view(p, pt->time, pt->time))
			continue;
		html_number(o, pt->time - last);
		html_number(o, pt->value);
		snprintf(text, sizeof(text), "{} to {}, by %s {}", writer_name(r->a));
		put_text(p, o, NULL, text, 3, pt->old, pt->value, (uint64_t)r->unit);
		last = pt->time;
	}
}
