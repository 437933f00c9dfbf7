/* SPDX-License-Identifier: MIT */
/* Draws each kind of lane. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include "svg.h"

static const double heights[LANE_KINDS] = {
	[LANE_CHANNEL] = 28, [LANE_FRONT] = 20, [LANE_ENGINE] = 24, [LANE_SLOT] = 20, [LANE_SM] = 34, [LANE_SEM] = 32,
};

double lane_height(enum lane_kind kind)
{
	return heights[kind];
}

enum look copy_look(const struct svg *s, uint64_t channel)
{
	for (size_t i = 0; i < s->num_copy_chans; i++)
		if (s->copy_chan[i] == channel)
			return LOOK_COPY0 + (enum look)(i % NUM_COPY_LOOKS);
	return LOOK_COPY0;
}

unsigned priority_grey(const struct svg *s, uint64_t priority)
{
	unsigned top = s->m->max_priority ? s->m->max_priority : 1, level = model_priority(s->m, priority);

	return 0xe8 - (unsigned)(0xa8 * (level > top ? top : level) / top);
}

static const struct rec *rec_of(const struct svg *s, uint32_t i)
{
	return i == NO_REC ? NULL : &s->m->t->rec[i];
}

/*
 * What a channel waits for, in full for a title, and short for a bar: "S2" for both, or "0x200000000010" and "..0010".
 */
static void sem_names(const struct svg *s, uint32_t block, char *name, char *brief, size_t size)
{
	const struct lane *l = model_sem(s->m, block);
	const char *label = l ? view_label(s->v, l) : NULL;
	uint64_t addr = s->m->t->rec[block].b;

	if (label) {
		snprintf(name, size, "%s", label);
		snprintf(brief, size, "%s", label);
	} else {
		snprintf(name, size, "0x%" PRIx64, addr);
		snprintf(brief, size, "..%04x", (unsigned)(addr & 0xffff));
	}
}

/* ---- channels -------------------------------------------------------------------------------------- */

static void slices(struct svg *s, const struct lane *l, double y)
{
	struct row slice, late;
	struct bar b;

	row_begin(&slice, s, y + 1, heights[LANE_CHANNEL] - 3, "time slices");
	for (size_t i = 0; i < l->num_spans; i++) {
		const struct span *sp = &l->span[i];

		if (sp->kind != SPAN_SLICE)
			continue;
		b = (struct bar){ sp->start, sp->end, .look = LOOK_SLICE };
		snprintf(b.title, sizeof(b.title), "channel %" PRIu64 " holds its engine", l->id);
		row_add(&slice, &b);
	}
	row_end(&slice);
	row_begin(&late, s, y + 1, heights[LANE_CHANNEL] - 3, "times over the slice");
	for (size_t i = 0; i < l->num_spans; i++) {
		const struct span *sp = &l->span[i];

		if (sp->kind != SPAN_LATE)
			continue;
		b = (struct bar){ sp->start, sp->end, .look = LOOK_LATE };
		snprintf(b.title, sizeof(b.title), "channel %" PRIu64 ": its slice is over, what it began goes on", l->id);
		row_add(&late, &b);
	}
	row_end(&late);
}

static void waiting(struct svg *s, const struct span *sp, struct bar *b)
{
	uint32_t i = sp->rec != NO_REC ? sp->rec : sp->rec_end;
	const struct rec *r = rec_of(s, i);
	char name[64];

	if (!r)
		return;
	switch (r->a) {
	case PPU_TRB_ACQUIRE:
	case PPU_TRB_GATE:
		b->look = LOOK_ACQUIRE;
		sem_names(s, i, name, b->label, sizeof(b->label));
		snprintf(b->title, sizeof(b->title), "channel %u waits for semaphore %s (0x%" PRIx64 "), value %" PRIu64 "%s",
			 r->unit, name, r->b, r->c, r->a == PPU_TRB_GATE ? ", found closed at dispatch" : "");
		break;
	case PPU_TRB_ENGINE:
		b->look = LOOK_ENGINE;
		snprintf(b->label, sizeof(b->label), "engine");
		snprintf(b->title, sizeof(b->title), "channel %u waits for an engine or its turn", r->unit);
		break;
	case PPU_TRB_WFI:
		b->look = LOOK_WFI;
		snprintf(b->label, sizeof(b->label), "wfi");
		snprintf(b->title, sizeof(b->title), "channel %u waits until its tasks are complete", r->unit);
		break;
	default:
		b->look = LOOK_OTHER;
		snprintf(b->label, sizeof(b->label), "%s", block_name(r->a));
		snprintf(b->title, sizeof(b->title), "channel %u waits: %s", r->unit, block_name(r->a));
		break;
	}
}

/* Copies in progress and waits do not overlap: one row. */
static void doings(struct svg *s, const struct lane *l, double y)
{
	struct row row;

	row_begin(&row, s, y + 6, heights[LANE_CHANNEL] - 14, "waits and copies");
	for (size_t i = 0; i < l->num_spans; i++) {
		const struct span *sp = &l->span[i];
		const struct rec *r = rec_of(s, sp->rec);
		struct bar b = { sp->start, sp->end, .priority = -1 };

		if (sp->kind == SPAN_BLOCK) {
			waiting(s, sp, &b);
		} else if (sp->kind == SPAN_COMMAND) {
			b.look = LOOK_BUSY;
			snprintf(b.label, sizeof(b.label), "copy");
			snprintf(b.title, sizeof(b.title), "channel %" PRIu64 ": its copy is in progress", l->id);
			if (r)
				snprintf(b.title, sizeof(b.title), "channel %" PRIu64 ": its copy %" PRIu64 " is on engine %u",
					 l->id, r->b, r->unit);
		} else {
			continue;
		}
		row_add(&row, &b);
	}
	row_end(&row);
}

static void mark_title(const struct rec *r, char *buf, size_t size)
{
	char when[40];

	time_text(when, sizeof(when), r->time);
	switch (r->event) {
	case PPU_TR_CMD:
		snprintf(buf, size, "channel %u, entry %u: %s 0x%" PRIx64 ", %s", r->unit, r->a, command_name(r->b), r->c,
			 when);
		break;
	case PPU_TR_DOORBELL:
		snprintf(buf, size, "channel %u: doorbell, PUT %u, %s", r->unit, r->a, when);
		break;
	case PPU_TR_CH_ERROR:
		snprintf(buf, size, "channel %u: error %s, %s", r->unit, error_name(r->a), when);
		break;
	default:
		snprintf(buf, size, "channel %u: %s, %s", r->unit, event_name(r->event), when);
		break;
	}
}

static void moments(struct svg *s, const struct lane *l, double y, unsigned event, enum look look)
{
	struct ticks k;
	char title[256];

	ticks_begin(&k, s, y, look);
	for (size_t i = 0; i < l->num_marks; i++) {
		const struct rec *r = &s->m->t->rec[l->mark[i]];

		if (r->event != event)
			continue;
		mark_title(r, title, sizeof(title));
		ticks_add(&k, r->time, title);
	}
	ticks_end(&k);
}

void draw_channel(struct svg *s, const struct lane *l, double y)
{
	slices(s, l, y);
	doings(s, l, y);
	moments(s, l, y + 5, PPU_TR_DOORBELL, LOOK_DOORBELL);
	moments(s, l, y + heights[LANE_CHANNEL] - 7, PPU_TR_CMD, LOOK_CMD);
	moments(s, l, y + 13, PPU_TR_CH_ERROR, LOOK_ERROR);
}

/* ---- copy engines ------------------------------------------------------------------------------------- */

void draw_engine(struct svg *s, const struct lane *l, double y)
{
	struct row row;

	row_begin(&row, s, y + 2, heights[LANE_ENGINE] - 5, "copies");
	for (size_t i = 0; i < l->num_spans; i++) {
		const struct span *sp = &l->span[i];
		const struct rec *r = rec_of(s, sp->rec != NO_REC ? sp->rec : sp->rec_end);
		const struct rec *end = rec_of(s, sp->rec_end);
		const struct lane *ch = model_lane(s->m, LANE_CHANNEL, r->a);
		const char *label = ch ? view_label(s->v, ch) : NULL;
		struct bar b = { sp->start, sp->end, .look = copy_look(s, r->a) };

		if (label)
			snprintf(b.label, sizeof(b.label), "%.30s %" PRIu64, label, r->b);
		else
			snprintf(b.label, sizeof(b.label), "%u.%" PRIu64, r->a, r->b);
		snprintf(b.title, sizeof(b.title), "copy %" PRIu64 " of channel %u%s%s, %" PRIu64 " bytes%s", r->b, r->a,
			 label ? " " : "", label ? label : "", r->c,
			 end && end->event == PPU_TR_CE_ABORT ? ", aborted" : "");
		row_add(&row, &b);
	}
	row_end(&row);
}

/* ---- tasks and SMs -------------------------------------------------------------------------------------- */

/* "5" or "5/2": the number of the record, and its generation when it is not the first. */
static void task_name(uint64_t task, char *buf, size_t size)
{
	if (task >> 32 > 1)
		snprintf(buf, size, "%u/%u", (unsigned)task, (unsigned)(task >> 32));
	else
		snprintf(buf, size, "%u", (unsigned)task);
}

static int task_priority(const struct svg *s, uint64_t task)
{
	const struct rec *r = model_task(s->m, task);

	return r ? (int)r->a : -1;
}

static void task_bar(struct svg *s, const struct span *sp, struct bar *b)
{
	const struct rec *r = rec_of(s, sp->rec), *end = rec_of(s, sp->rec_end);
	char name[32];

	*b = (struct bar){ sp->start, sp->end, .look = LOOK_TASK, .priority = (int)r->a };
	task_name(r->c, name, sizeof(name));
	snprintf(b->label, sizeof(b->label), "t%s p%u", name, r->a);
	snprintf(b->title, sizeof(b->title), "slot %u: task %s, priority %u, depth %" PRIu64 "%s%s", r->unit, name, r->a,
		 r->d, r->event == PPU_TR_TASK_RESUME ? ", resumed" : "",
		 !end ? "" : end->event == PPU_TR_TASK_EVICT ? ", then evicted" :
		 end->event == PPU_TR_TASK_SUSPEND ? ", then suspended" :
		 end->event == PPU_TR_TASK_ABORT ? ", aborted" : "");
}

/* Launches on their way into the task unit. */
void draw_front(struct svg *s, const struct lane *l, double y)
{
	struct row row;
	struct bar b;

	row_begin(&row, s, y + 2, heights[LANE_FRONT] - 5, "launches");
	for (size_t i = 0; i < l->num_spans; i++) {
		const struct rec *r = rec_of(s, l->span[i].rec);
		char name[32];

		task_name(r->c, name, sizeof(name));
		b = (struct bar){ l->span[i].start, l->span[i].end, .look = LOOK_TASK, .priority = (int)r->a };
		snprintf(b.label, sizeof(b.label), "t%s", name);
		snprintf(b.title, sizeof(b.title), "channel %u launches task %s, priority %u", r->unit, name, r->a);
		row_add(&row, &b);
	}
	row_end(&row);
}

/* Where a task or a block was interrupted, and where it went on. */
static void interruptions(struct svg *s, const struct lane *l, double y,
			  void (*describe)(struct svg *, const struct span *, struct bar *))
{
	struct ticks evict, resume;
	struct bar b;

	ticks_begin(&evict, s, y, LOOK_EVICT);
	ticks_begin(&resume, s, y, LOOK_RESUME);
	for (size_t i = 0; i < l->num_spans; i++) {
		const struct rec *r = rec_of(s, l->span[i].rec), *end = rec_of(s, l->span[i].rec_end);

		describe(s, &l->span[i], &b);
		if (r->event == PPU_TR_TASK_RESUME || r->event == PPU_TR_CTA_RESTORE)
			ticks_add(&resume, r->time, b.title);
		if (end && (end->event == PPU_TR_TASK_EVICT || end->event == PPU_TR_TASK_SUSPEND ||
			    end->event == PPU_TR_CTA_SAVE))
			ticks_add(&evict, end->time, b.title);
	}
	ticks_end(&evict);
	ticks_end(&resume);
}

void draw_slot(struct svg *s, const struct lane *l, double y)
{
	struct row row;
	struct bar b;

	row_begin(&row, s, y + 2, heights[LANE_SLOT] - 5, "tasks");
	for (size_t i = 0; i < l->num_spans; i++) {
		task_bar(s, &l->span[i], &b);
		row_add(&row, &b);
	}
	row_end(&row);
	interruptions(s, l, y + heights[LANE_SLOT] - 3, task_bar);
}

static void cta_bar(struct svg *s, const struct span *sp, struct bar *b)
{
	const struct rec *r = rec_of(s, sp->rec);
	char name[32];

	*b = (struct bar){ sp->start, sp->end, .look = LOOK_TASK, .priority = task_priority(s, r->b) };
	task_name(r->b, name, sizeof(name));
	snprintf(b->label, sizeof(b->label), "t%s b%u", name, r->a);
	snprintf(b->title, sizeof(b->title), "SM %u: block %u of task %s, priority %d, %" PRIu64 " warps%s", r->unit, r->a,
		 name, b->priority, r->d, r->event == PPU_TR_CTA_RESTORE ? ", restored" : "");
}

/* Every block of threads at its warp slots; its height is its number of warps. */
static void ctas(struct svg *s, const struct lane *l, double y, double warp_h)
{
	for (unsigned w = 0; w < s->m->max_warps; w++) {
		struct row row;
		struct bar b;

		row_begin(&row, s, y + warp_h * (double)w, 0, "blocks");
		for (size_t i = 0; i < l->num_spans; i++) {
			const struct rec *r = rec_of(s, l->span[i].rec);

			if (r->c != w)
				continue;
			if (row.h != warp_h * (double)r->d)
				row_end(&row);
			row.h = warp_h * (double)r->d;
			cta_bar(s, &l->span[i], &b);
			row_add(&row, &b);
		}
		row_end(&row);
	}
}

/* The number of warps in use, averaged over each pixel. */
static void occupancy(struct svg *s, const struct lane *l, double y, double warp_h)
{
	size_t cols = (size_t)(s->right - s->left), cap = 0;
	double *use = grow(NULL, &cap, cols + 1, sizeof(*use)), last = -1;
	double h = warp_h * s->m->max_warps;

	memset(use, 0, (cols + 1) * sizeof(*use));
	for (size_t i = 0; i < l->num_spans; i++) {
		const struct span *sp = &l->span[i];
		double x0 = svg_x(s, sp->start) - s->left, x1 = svg_x(s, sp->end) - s->left;

		if (!svg_in_view(s, sp->start, sp->end))
			continue;
		for (size_t c = (size_t)x0; c < cols && (double)c < x1; c++) {
			double a = x0 > (double)c ? x0 : (double)c, b = x1 < (double)c + 1 ? x1 : (double)c + 1;

			use[c] += (b - a) * (double)rec_of(s, sp->rec)->d;
		}
	}
	s->used[LOOK_OCC] = true;
	fprintf(s->f, "<path class=\"oc\" d=\"M%.1f %.1f", s->left, y + h);
	for (size_t c = 0; c < cols; c++) {
		if (use[c] == last)
			continue;
		fprintf(s->f, "H%.0fV%.1f", s->left + (double)c, y + h - h * use[c] / s->m->max_warps);
		last = use[c];
	}
	fprintf(s->f, "H%.1fV%.1fz\"><title>SM %" PRIu64 ": warps in use, the whole height is %u</title></path>\n", s->right,
		y + h, l->id, s->m->max_warps);
	free(use);
}

void draw_sm(struct svg *s, const struct lane *l, double y)
{
	double warp_h = (heights[LANE_SM] - 5) / (s->m->max_warps ? s->m->max_warps : 1);
	size_t n = 0;

	for (size_t i = 0; i < l->num_spans; i++)
		n += svg_in_view(s, l->span[i].start, l->span[i].end);
	if ((double)n > (s->right - s->left) / PIECE_PX)
		occupancy(s, l, y + 2, warp_h);
	else
		ctas(s, l, y + 2, warp_h);
	interruptions(s, l, y + heights[LANE_SM] - 3, cta_bar);
}

/* ---- semaphores ------------------------------------------------------------------------------------------- */

struct curve {
	struct svg *s;
	const struct lane *l;
	double y, h;
	uint64_t min, max;
};

static double level(const struct curve *c, uint64_t value)
{
	return c->y + c->h - c->h * (double)(value - c->min) / (double)(c->max > c->min ? c->max - c->min : 1);
}

static void stretch(struct curve *c, uint64_t value)
{
	c->min = value < c->min ? value : c->min;
	c->max = value > c->max ? value : c->max;
}

/* Several writes in one pixel: a stroke over all their values. */
static void steps(struct curve *c, uint64_t value)
{
	struct svg *s = c->s;
	const struct lane *l = c->l;
	double at = level(c, value);

	fprintf(s->f, "<path class=\"se\" data-addr=\"0x%" PRIx64 "\" data-min=\"%" PRIu64 "\" data-max=\"%" PRIu64
		"\" d=\"M%.1f %.1f", SEM_ADDR(l->id), c->min, c->max, s->left, at);
	for (size_t i = 0; i < l->num_points; i++) {
		double x = svg_x(s, l->point[i].time), lo, hi, end;

		if (!svg_in_view(s, l->point[i].time, l->point[i].time))
			continue;
		lo = hi = at;
		for (;; i++) {
			end = level(c, l->point[i].value);
			lo = end < lo ? end : lo;
			hi = end > hi ? end : hi;
			if (i + 1 == l->num_points || !svg_in_view(s, l->point[i + 1].time, l->point[i + 1].time) ||
			    svg_x(s, l->point[i + 1].time) - x >= MIN_PX / 2)
				break;
		}
		fprintf(s->f, "H%.1f", x);
		if (lo < at && lo < end)
			fprintf(s->f, "V%.1f", lo);
		if (hi > at && hi > end)
			fprintf(s->f, "V%.1f", hi);
		fprintf(s->f, "V%.1f", end);
		at = end;
	}
	fprintf(s->f, "H%.1f\"><title>semaphore 0x%" PRIx64 ", %" PRIu64 " to %" PRIu64 "</title></path>\n", s->right,
		SEM_ADDR(l->id), c->min, c->max);
}

static void dot(struct curve *c, double x, const struct point *p, size_t n)
{
	const struct rec *r = &c->s->m->t->rec[p->rec];
	char when[40];

	fprintf(c->s->f, "<circle class=\"sd\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.8\"><title>%s: %" PRIu64 " to %" PRIu64 ", by %s %u",
		x, level(c, p->value), time_text(when, sizeof(when), p->time), p->old, p->value, writer_name(r->a),
		r->unit);
	if (n > 1)
		fprintf(c->s->f, ", the last of %zu writes", n);
	fputs("</title></circle>\n", c->s->f);
}

/* A dot at each write, and the value where there is room for it. */
static void writes(struct curve *c)
{
	struct svg *s = c->s;
	const struct lane *l = c->l;

	for (size_t i = 0; i < l->num_points; i++) {
		double x = svg_x(s, l->point[i].time), next = s->right;
		char text[24];
		size_t first = i;

		if (!svg_in_view(s, l->point[i].time, l->point[i].time))
			continue;
		while (i + 1 < l->num_points && svg_in_view(s, l->point[i + 1].time, l->point[i + 1].time) &&
		       svg_x(s, l->point[i + 1].time) - x < PIECE_PX)
			i++;
		dot(c, svg_x(s, l->point[i].time), &l->point[i], i - first + 1);
		if (i + 1 < l->num_points)
			next = svg_x(s, l->point[i + 1].time);
		snprintf(text, sizeof(text), "%" PRIu64, l->point[i].value);
		x = svg_x(s, l->point[i].time);
		if (next - x < CHAR_PX * (double)strlen(text) + 6)
			continue;
		fprintf(s->f, "<text class=\"va\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 3,
			level(c, l->point[i].value) + (level(c, l->point[i].value) < c->y + c->h / 2 ? 9 : -2.5), text);
	}
}

/* The ends of the scale stand beside the lane's name: large numbers are rounded. */
static void scale(struct curve *c, double y, uint64_t value)
{
	fprintf(c->s->f, "<text class=\"sc\" x=\"%.1f\" y=\"%.1f\">", c->s->left - 4, y);
	if (value < 1000000)
		fprintf(c->s->f, "%" PRIu64 "</text>", value);
	else
		fprintf(c->s->f, "%.1e</text>", (double)value);
}

void draw_sem(struct svg *s, const struct lane *l, double y)
{
	struct curve c = { s, l, y + 5, heights[LANE_SEM] - 10, UINT64_MAX, 0 };
	uint64_t start;

	if (!sem_value_at(l, s->v->from ? s->v->from - 1 : 0, &start))
		return;
	if (!s->v->from)
		start = l->point[0].old;
	stretch(&c, start);
	for (size_t i = 0; i < l->num_points; i++)
		if (svg_in_view(s, l->point[i].time, l->point[i].time))
			stretch(&c, l->point[i].value);
	s->used[LOOK_SEM] = true;
	scale(&c, c.y + c.h + 2, c.min);
	if (c.max > c.min)
		scale(&c, c.y + 5, c.max);
	putc('\n', s->f);
	steps(&c, start);
	writes(&c);
}
