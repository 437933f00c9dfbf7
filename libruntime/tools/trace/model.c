/* SPDX-License-Identifier: MIT */
/*
 * Turns records into spans of time, in one pass over the sorted trace.
 *
 * The trace says when a channel gets an engine, not when it gives the engine back. That follows from the rules of the
 * host scheduler (Documentation/hw/channels.md): a channel gives its engine back when it waits for anything, has
 * nothing left or stops. A channel whose slice ends while it executes commands writes no such record; it must have
 * given its engine back when another channel gets the last engine.
 */
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include "trace.h"

/* Lanes of all kinds in one map: numbers of semaphores have 60 bits. */
static uint64_t lane_key(enum lane_kind kind, uint64_t id)
{
	return (uint64_t)kind << 60 ^ id;
}

struct lane *model_lane(const struct model *m, enum lane_kind kind, uint64_t id)
{
	uint32_t *at = map_at(m->ids, lane_key(kind, id), false);

	return at ? &m->lane[*at] : NULL;
}

static struct lane *lane(struct model *m, enum lane_kind kind, uint64_t id)
{
	struct lane *l = model_lane(m, kind, id);

	if (l)
		return l;
	m->lane = grow(m->lane, &m->cap_lanes, m->num_lanes + 1, sizeof(*m->lane));
	*map_at(m->ids, lane_key(kind, id), true) = (uint32_t)m->num_lanes;
	l = &m->lane[m->num_lanes++];
	*l = (struct lane){ .kind = kind, .id = id, .writer = NO_REC };
	return l;
}

static uint32_t add_span(struct lane *l, enum span_kind kind, uint64_t start, uint32_t rec)
{
	l->span = grow(l->span, &l->cap_spans, l->num_spans + 1, sizeof(*l->span));
	l->span[l->num_spans++] = (struct span){ start, UINT64_MAX, rec, NO_REC, kind };
	return (uint32_t)l->num_spans;
}

static void end_span(struct lane *l, uint32_t *open, uint64_t time, uint32_t rec)
{
	if (!*open)
		return;
	l->span[*open - 1].end = time;
	l->span[*open - 1].rec_end = rec;
	*open = 0;
}

static void begin(struct model *m, struct lane *l, enum span_kind kind, uint32_t i)
{
	end_span(l, &l->open[kind], m->t->rec[i].time, i);
	l->open[kind] = add_span(l, kind, m->t->rec[i].time, i);
}

/* Ends the open span of a kind; if no span is open, the span began before the trace. */
static void finish(struct model *m, struct lane *l, enum span_kind kind, uint32_t i)
{
	if (!l->open[kind])
		l->open[kind] = add_span(l, kind, m->t->first, NO_REC);
	end_span(l, &l->open[kind], m->t->rec[i].time, i);
}

static void end_if_open(struct model *m, struct lane *l, enum span_kind kind, uint32_t i)
{
	end_span(l, &l->open[kind], m->t->rec[i].time, i);
}

static void add_mark(struct lane *l, uint32_t i)
{
	l->mark = grow(l->mark, &l->cap_marks, l->num_marks + 1, sizeof(*l->mark));
	l->mark[l->num_marks++] = i;
}

static void add_link(struct model *m, enum link_kind kind, uint32_t from, uint32_t to)
{
	m->link = grow(m->link, &m->cap_links, m->num_links + 1, sizeof(*m->link));
	m->link[m->num_links++] = (struct link){ kind, from, to };
}

/* ---- contexts ------------------------------------------------------------------------------------ */

static void channel_on(struct model *m, struct lane *l, uint64_t inst)
{
	struct context *c = NULL;

	for (size_t i = 0; i < m->num_contexts && !c; i++)
		if (m->context[i].inst == inst)
			c = &m->context[i];
	if (!c) {
		m->context = grow(m->context, &m->cap_contexts, m->num_contexts + 1, sizeof(*m->context));
		c = &m->context[m->num_contexts++];
		*c = (struct context){ .inst = inst };
	}
	if (!c->channels)
		c->number = m->contexts++;
	c->channels++;
	l->context = c->number;
	l->enabled = true;
}

static void channel_off(struct model *m, struct lane *l)
{
	if (!l->enabled)
		return;
	l->enabled = false;
	for (size_t i = 0; i < m->num_contexts; i++)
		if (m->context[i].channels && m->context[i].number == l->context)
			m->context[i].channels--;
}

static unsigned context_of(const struct model *m, uint64_t channel)
{
	const struct lane *l = model_lane(m, LANE_CHANNEL, channel);

	return l ? l->context : 0;
}

/* The channel in whose context a word was written. */
static uint64_t writing_channel(const struct model *m, const struct rec *r)
{
	const struct lane *l = NULL;
	const struct rec *task;
	uint32_t *waiter;

	if (r->a == PPU_TRW_CE)
		l = model_lane(m, LANE_ENGINE, r->unit);
	else if (r->a == PPU_TRW_TASK)
		l = model_lane(m, LANE_SLOT, r->unit);
	if (l && l->num_spans && l->span[l->num_spans - 1].rec != NO_REC) {
		const struct rec *doing = &m->t->rec[l->span[l->num_spans - 1].rec];

		if (l->kind == LANE_ENGINE)
			return doing->a;
		task = model_task(m, doing->c);
		if (task && task->event == PPU_TR_TASK_ACCEPT)
			return task->unit;
	}
	if (r->a == PPU_TRW_COMMAND)
		return r->unit;
	/* The address is the one that a waiter uses. */
	waiter = map_at(m->waiters, r->b, false);
	return waiter && *waiter ? *waiter - 1 : r->unit;
}

/* ---- channels and engines ----------------------------------------------------------------------- */

static void let_go(struct model *m, struct lane *l, uint32_t i)
{
	end_if_open(m, l, SPAN_LATE, i);
	if (!l->open[SPAN_SLICE])
		return;
	end_if_open(m, l, SPAN_SLICE, i);
	for (unsigned c = 0; c < NUM_CLASSES; c++)
		for (size_t k = 0; k < m->hold[c].num; k++)
			if (m->hold[c].chan[k] == l->id) {
				m->hold[c].chan[k] = m->hold[c].chan[--m->hold[c].num];
				return;
			}
}

static void slice_start(struct model *m, struct lane *l, uint32_t i)
{
	unsigned cls = m->t->rec[i].a < NUM_CLASSES ? m->t->rec[i].a : 0;
	size_t engines = cls == PPU_CLASS_COPY ? m->t->head.copy_engines : 1;
	struct holders *h = &m->hold[cls];

	let_go(m, l, i);
	l->paused = false;
	for (size_t k = 0; h->num >= engines && k < h->num; k++) {
		struct lane *o = model_lane(m, LANE_CHANNEL, h->chan[k]);

		if (o->open[SPAN_LATE] && !o->open[SPAN_COMMAND]) {
			let_go(m, o, i);
			break;
		}
	}
	begin(m, l, SPAN_SLICE, i);
	h->chan = grow(h->chan, &h->cap, h->num + 1, sizeof(*h->chan));
	h->chan[h->num++] = l->id;
}

static void block(struct model *m, struct lane *l, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];

	let_go(m, l, i);
	begin(m, l, SPAN_BLOCK, i);
	if (r->a != PPU_TRB_ACQUIRE && r->a != PPU_TRB_GATE)
		return;
	*map_at(m->waiters, r->b, true) = r->unit + 1u;
	lane(m, LANE_SEM, SEM_ID(l->context, r->b))->waits++;
}

static void unblock(struct model *m, struct lane *l, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];
	uint32_t since = l->open[SPAN_BLOCK] ? l->span[l->open[SPAN_BLOCK] - 1].rec : 0;
	struct lane *sem;

	finish(m, l, SPAN_BLOCK, i);
	if (r->a != PPU_TRB_ACQUIRE && r->a != PPU_TRB_GATE)
		return;
	sem = model_lane(m, LANE_SEM, SEM_ID(l->context, r->b));
	if (sem && sem->writer != NO_REC && sem->writer > since)
		add_link(m, LINK_WAKE, sem->writer, i);
}

/* A command that wrote a semaphore stands right behind the record of the write. */
static void sem_command(struct model *m, const struct lane *l, uint32_t i)
{
	const struct rec *r = &m->t->rec[i], *w;
	struct lane *sem;

	if (r->b != PPU_CMD_SEM_RELEASE && r->b != PPU_CMD_SEM_INC && r->b != PPU_CMD_SEM_DEC)
		return;
	sem = model_lane(m, LANE_SEM, SEM_ID(l->context, r->c));
	if (!sem || sem->writer == NO_REC)
		return;
	w = &m->t->rec[sem->writer];
	if (w->event == PPU_TR_SEM_WRITE && w->a == PPU_TRW_COMMAND && w->unit == r->unit && w->time == r->time)
		sem->writer = i;
}

/* The front end has taken the TMD of a LAUNCH when the task is pending. */
static void launch_command(struct model *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i], *accept = m->accept != NO_REC ? &m->t->rec[m->accept] : NULL;

	if (r->b == PPU_CMD_LAUNCH && accept && accept->unit == r->unit && accept->time == r->time)
		begin(m, lane(m, LANE_FRONT, 0), SPAN_LAUNCH, m->accept);
}

static void task_pending(struct model *m, uint32_t i)
{
	struct lane *l = model_lane(m, LANE_FRONT, 0);

	if (l && l->open[SPAN_LAUNCH] && m->t->rec[l->span[l->open[SPAN_LAUNCH] - 1].rec].c == m->t->rec[i].c)
		end_if_open(m, l, SPAN_LAUNCH, i);
}

static void stopped(struct model *m, struct lane *l, uint32_t i)
{
	add_mark(l, i);
	if (m->t->rec[i].event == PPU_TR_CH_DISABLE && m->t->rec[i].a != PPU_TRD_PAUSE)
		channel_off(m, l);
	l->paused = m->t->rec[i].event == PPU_TR_CH_DISABLE && m->t->rec[i].a == PPU_TRD_PAUSE;
	if (!l->paused)
		end_if_open(m, l, SPAN_BLOCK, i);
	if (!l->paused || !l->open[SPAN_COMMAND])
		let_go(m, l, i);
}

static void of_channel(struct model *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];
	struct lane *l = lane(m, LANE_CHANNEL, r->unit);

	switch (r->event) {
	case PPU_TR_CH_ENABLE:
		l->cls = r->a;
		channel_off(m, l);
		channel_on(m, l, r->d);
		add_mark(l, i);
		break;
	case PPU_TR_DOORBELL:
		add_mark(l, i);
		break;
	case PPU_TR_CMD:
		add_mark(l, i);
		sem_command(m, l, i);
		launch_command(m, i);
		break;
	case PPU_TR_EMPTY:
		let_go(m, l, i);
		break;
	case PPU_TR_SLICE_START:
	case PPU_TR_SLICE_PASS:
		slice_start(m, l, i);
		break;
	case PPU_TR_SLICE_EXPIRE:
		if (l->open[SPAN_SLICE])
			begin(m, l, SPAN_LATE, i);
		break;
	case PPU_TR_BLOCK:
		block(m, l, i);
		break;
	case PPU_TR_UNBLOCK:
		unblock(m, l, i);
		break;
	case PPU_TR_CH_DISABLE:
	case PPU_TR_CH_ERROR:
		stopped(m, l, i);
		break;
	}
}

static void of_engine(struct model *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];
	struct lane *l = lane(m, LANE_ENGINE, r->unit);

	if (r->event == PPU_TR_CE_START) {
		begin(m, l, SPAN_COPY, i);
		begin(m, lane(m, LANE_CHANNEL, r->a), SPAN_COMMAND, i);
		return;
	}
	finish(m, l, SPAN_COPY, i);
	l = lane(m, LANE_CHANNEL, r->a);
	finish(m, l, SPAN_COMMAND, i);
	if (l->paused)
		let_go(m, l, i);
}

static void sem_write(struct model *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];
	uint64_t id = SEM_ID(context_of(m, writing_channel(m, r)), r->b);
	struct lane *l = lane(m, LANE_SEM, id);

	m->context_at[i] = (uint16_t)SEM_CONTEXT(id);
	l->point = grow(l->point, &l->cap_points, l->num_points + 1, sizeof(*l->point));
	l->point[l->num_points++] = (struct point){ r->time, r->c, r->d, i };
	l->writer = i;
}

/* ---- tasks and SMs --------------------------------------------------------------------------------- */

unsigned model_priority(const struct model *m, uint64_t number)
{
	const struct ppu_trace_header *h = &m->t->head;

	return (unsigned)(h->priority_order && number < h->device_priorities ? h->device_priorities - 1 - number : number);
}

static void task_began(struct model *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];
	uint32_t *child = map_at(m->children, r->c, false);
	unsigned level;

	level = model_priority(m, r->a);
	m->max_priority = level > m->max_priority ? level : m->max_priority;
	begin(m, lane(m, LANE_SLOT, r->unit), SPAN_TASK, i);
	if (child && *child) {
		add_link(m, LINK_CHILD, *child - 1, i);
		*child = 0;
	}
}

/* The record names the task's last slot; if the task waited for children, another task may have it by now. */
static void task_ended(struct model *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];
	struct lane *l = model_lane(m, LANE_SLOT, r->unit);

	if (l && l->open[SPAN_TASK] && m->t->rec[l->span[l->open[SPAN_TASK] - 1].rec].c == r->c)
		end_if_open(m, l, SPAN_TASK, i);
}

static void task_aborted(struct model *m, uint32_t i)
{
	task_ended(m, i);
	for (size_t k = 0; k < m->num_lanes; k++) {
		struct lane *l = &m->lane[k];

		for (unsigned w = 0; l->open_cta && w < m->t->head.warps_per_sm; w++) {
			uint32_t s = l->open_cta[w];

			if (s && l->span[s - 1].rec != NO_REC && m->t->rec[l->span[s - 1].rec].b == m->t->rec[i].c)
				end_span(l, &l->open_cta[w], m->t->rec[i].time, i);
		}
	}
}

static void of_cta(struct model *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];
	struct lane *l = lane(m, LANE_SM, r->unit);

	if (r->c >= m->t->head.warps_per_sm)
		return;
	if (!l->open_cta) {
		size_t cap = 0;

		l->open_cta = grow(NULL, &cap, m->t->head.warps_per_sm, sizeof(*l->open_cta));
		memset(l->open_cta, 0, cap * sizeof(*l->open_cta));
	}
	end_span(l, &l->open_cta[r->c], r->time, i);
	if (r->event != PPU_TR_CTA_START && r->event != PPU_TR_CTA_RESTORE)
		return;
	l->open_cta[r->c] = add_span(l, SPAN_CTA, r->time, i);
	if (r->d <= m->t->head.warps_per_sm - r->c && r->c + r->d > m->max_warps)
		m->max_warps = (unsigned)(r->c + r->d);
}

static void of_task(struct model *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];

	switch (r->event) {
	case PPU_TR_TASK_ACCEPT:
		*map_at(m->tasks, r->c, true) = i + 1;
		m->accept = i;
		break;
	case PPU_TR_TASK_PEND:
		task_pending(m, i);
		break;
	case PPU_TR_TASK_SCHED:
	case PPU_TR_TASK_RESUME:
		if (!*map_at(m->tasks, r->c, true))
			*map_at(m->tasks, r->c, true) = i + 1;
		task_began(m, i);
		break;
	case PPU_TR_TASK_EVICT:
	case PPU_TR_TASK_SUSPEND:
	case PPU_TR_TASK_DONE:
	case PPU_TR_TASK_CODE_DONE:
		task_ended(m, i);
		break;
	case PPU_TR_TASK_ABORT:
		task_aborted(m, i);
		break;
	case PPU_TR_CHILD_LAUNCH:
		if (r->d)
			*map_at(m->children, r->d, true) = i + 1;
		return;
	default:
		return;
	}
}

const struct lane *model_place(const struct model *m, const struct rec *r)
{
	enum lane_kind kind = LANE_CHANNEL;

	if (r->event == PPU_TR_TASK_SCHED || (r->event == PPU_TR_SEM_WRITE && r->a == PPU_TRW_TASK))
		kind = LANE_SLOT;
	else if (r->event == PPU_TR_CHILD_LAUNCH || (r->event == PPU_TR_SEM_WRITE && r->a == PPU_TRW_SM))
		kind = LANE_SM;
	else if (r->event == PPU_TR_SEM_WRITE && r->a == PPU_TRW_CE)
		kind = LANE_ENGINE;
	return model_lane(m, kind, r->unit);
}

struct lane *model_sem(const struct model *m, uint32_t rec)
{
	return model_lane(m, LANE_SEM, SEM_ID(m->context_at[rec], m->t->rec[rec].b));
}

const struct rec *model_task(const struct model *m, uint64_t task)
{
	uint32_t *at = map_at(m->tasks, task, false);

	return at && *at ? &m->t->rec[*at - 1] : NULL;
}

/* ---- all --------------------------------------------------------------------------------------------- */

static void reset(struct model *m, uint32_t i)
{
	uint64_t now = m->t->rec[i].time;

	for (size_t k = 0; k < m->num_lanes; k++) {
		struct lane *l = &m->lane[k];

		for (unsigned s = 0; s < SPAN_KINDS; s++)
			end_span(l, &l->open[s], now, i);
		for (unsigned w = 0; l->open_cta && w < m->t->head.warps_per_sm; w++)
			end_span(l, &l->open_cta[w], now, i);
	}
	for (unsigned c = 0; c < NUM_CLASSES; c++)
		m->hold[c].num = 0;
	for (size_t k = 0; k < m->num_contexts; k++)
		m->context[k].channels = 0;
	for (size_t k = 0; k < m->num_lanes; k++)
		m->lane[k].enabled = false;
}

static void record(struct model *m, uint32_t i)
{
	unsigned event = m->t->rec[i].event;

	switch (event) {
	case PPU_TR_RESET:
		reset(m, i);
		break;
	case PPU_TR_SEM_WRITE:
		sem_write(m, i);
		break;
	case PPU_TR_CE_START:
	case PPU_TR_CE_DONE:
	case PPU_TR_CE_ABORT:
		of_engine(m, i);
		m->context_at[i] = (uint16_t)context_of(m, m->t->rec[i].a);
		break;
	case PPU_TR_CTA_START:
	case PPU_TR_CTA_DONE:
	case PPU_TR_CTA_SAVE:
	case PPU_TR_CTA_RESTORE:
		of_cta(m, i);
		break;
	default:
		if (!strcmp(event_unit(event), "channel")) {
			of_channel(m, i);
			m->context_at[i] = (uint16_t)context_of(m, m->t->rec[i].unit);
		}
		if (event == PPU_TR_FAULT)
			m->context_at[i] = (uint16_t)context_of(m, m->t->rec[i].c);
		if (event >= PPU_TR_TASK_ACCEPT && event < PPU_TR_DIV_PUSH)
			of_task(m, i);
		break;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Spans that never ended last to the end of the trace. Lanes are put into the order in which they are drawn. */
static void settle(struct model *m)
{
	for (size_t k = 0; k < m->num_lanes; k++) {
		struct lane *l = &m->lane[k];

		for (size_t s = 0; s < l->num_spans; s++)
			if (l->span[s].end == UINT64_MAX)
				l->span[s].end = m->t->last;
	}
	if (m->num_lanes)
		qsort(m->lane, m->num_lanes, sizeof(*m->lane), by_place);
	for (size_t k = 0; k < m->num_lanes; k++)
		*map_at(m->ids, lane_key(m->lane[k].kind, m->lane[k].id), true) = (uint32_t)k;
}

void model_build(struct model *m, const struct trace *t)
{
	memset(m, 0, sizeof(*m));
	m->t = t;
	m->accept = NO_REC;
	m->ids = map_new();
	m->tasks = map_new();
	m->children = map_new();
	m->waiters = map_new();
	m->context_at = grow(NULL, (size_t[]){ 0 }, t->num + 1, sizeof(*m->context_at));
	memset(m->context_at, 0, (t->num + 1) * sizeof(*m->context_at));
	for (size_t i = 0; i < t->num; i++)
		record(m, (uint32_t)i);
	settle(m);
}

void model_free(struct model *m)
{
	for (size_t k = 0; k < m->num_lanes; k++) {
		free(m->lane[k].span);
		free(m->lane[k].mark);
		free(m->lane[k].point);
		free(m->lane[k].open_cta);
	}
	for (unsigned c = 0; c < NUM_CLASSES; c++)
		free(m->hold[c].chan);
	free(m->lane);
	free(m->link);
	map_free(m->ids);
	map_free(m->tasks);
	free(m->context);
	map_free(m->children);
	map_free(m->waiters);
	free(m->context_at);
}

static void extend(uint64_t *first, uint64_t *last, uint64_t start, uint64_t end)
{
	*first = start < *first ? start : *first;
	*last = end > *last ? end : *last;
}

bool model_extent(const struct model *m, uint64_t *first, uint64_t *last)
{
	*first = UINT64_MAX;
	*last = 0;
	for (size_t k = 0; k < m->num_lanes; k++) {
		const struct lane *l = &m->lane[k];

		for (size_t i = 0; i < l->num_spans; i++)
			extend(first, last, l->span[i].start, l->span[i].end);
		for (size_t i = 0; i < l->num_points; i++)
			extend(first, last, l->point[i].time, l->point[i].time);
		for (size_t i = 0; i < l->num_marks; i++) {
			const struct rec *r = &m->t->rec[l->mark[i]];

			if (r->event != PPU_TR_CH_ENABLE && r->event != PPU_TR_CH_DISABLE)
				extend(first, last, r->time, r->time);
		}
	}
	return *first <= *last;
}

bool sem_value_at(const struct lane *l, uint64_t time, uint64_t *value)
{
	size_t lo = 0, hi = l->num_points;

	if (!hi)
		return false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->point[mid].time <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	*value = lo ? l->point[lo - 1].value : l->point[0].old;
	return true;
}
