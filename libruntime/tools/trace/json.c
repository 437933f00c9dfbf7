/* SPDX-License-Identifier: MIT */
/*
 * A trace as JSON, in the Chrome trace event format, which Perfetto reads too.  Every copy, slice, wait, task and block
 * of threads is one complete event ("X") of its unit's thread, every command is one, too, of length 0 or, if an engine
 * executes the command, as long as the execution takes; every write of a semaphore is a value of its counter ("C");
 * everything else is an instant ("i").  Flows ("s", "f") lead from a write to the channel it woke, and from a
 * device-side launch to its task.  Times are in microseconds, with three decimals.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include "trace.h"

/* Processes of the viewer, in the order in which it should show them. */
enum pid {
	PID_CHANNELS = 1,	/* threads: twice the channel; that + 1: its time slices */
	PID_ENGINES,		/* copy engines; the front end */
	PID_SLOTS,		/* slots; one more for tasks without one */
	PID_SMS,		/* SM_THREADS for each SM: the SM, then its warp slots */
	PID_SEMS,		/* counters */
	PID_DEVICE,		/* events of no unit */
	PID_CPU,		/* stores of the CPU */
};
#define SM_THREADS	(MAX_WARPS + 1)
#define NO_SLOT		0xffff
#define FRONT_END	0xffff	/* the front end's thread among the engines */

struct out {
	FILE *f;
	const struct model *m;
	const struct view *v;
	bool comma;
	struct map *threads;	/* (pid, tid) that have a name already */
	struct map *spans;	/* record -> span + 1 of the lane it began */
	uint32_t *by_from;	/* links by record `from` */
	size_t next_from, next_to;
};

static void quote(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', f);
		if ((unsigned char)*text >= ' ')
			putc(*text, f);
	}
	putc('"', f);
}

static void begin(struct out *o)
{
	fputs(o->comma ? ",\n" : "\n", o->f);
	o->comma = true;
}

static void time_of(struct out *o, const char *key, uint64_t ns)
{
	fprintf(o->f, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void place(struct out *o, enum pid pid, unsigned tid)
{
	fprintf(o->f, ",\"pid\":%u,\"tid\":%u", pid, tid);
}

/* Arguments of a record; the caller closes the braces. */
static void args(struct out *o, const struct rec *r)
{
	struct arg a[MAX_ARGS];
	unsigned n = rec_args(r, a);

	fprintf(o->f, ",\"args\":{\"event\":\"%s\"", event_name(r->event));
	if (strcmp(event_unit(r->event), "-"))
		fprintf(o->f, ",\"%s\":%u", event_unit(r->event), r->unit);
	for (unsigned i = 0; i < n; i++) {
		fprintf(o->f, ",\"%s\":", a[i].name);
		if (a[i].bare)
			fputs(a[i].text, o->f);
		else
			quote(o->f, a[i].text);
	}
}

/* ---- names of processes and threads ------------------------------------------------------------- */

static void meta(struct out *o, enum pid pid, unsigned tid, const char *what, const char *name, unsigned order)
{
	begin(o);
	fprintf(o->f, "{\"ph\":\"M\",\"name\":\"%s_name\"", what);
	place(o, pid, tid);
	fputs(",\"args\":{\"name\":", o->f);
	quote(o->f, name);
	fputs("}}", o->f);
	begin(o);
	fprintf(o->f, "{\"ph\":\"M\",\"name\":\"%s_sort_index\"", what);
	place(o, pid, tid);
	fprintf(o->f, ",\"args\":{\"sort_index\":%u}}", order);
}

static void processes(struct out *o)
{
	static const char *const names[] = {
		[PID_CHANNELS] = "Channels", [PID_ENGINES] = "Engines", [PID_SLOTS] = "Task slots",
		[PID_SMS] = "SMs", [PID_SEMS] = "Semaphores", [PID_DEVICE] = "Device", [PID_CPU] = "CPU",
	};

	for (unsigned p = PID_CHANNELS; p <= PID_CPU; p++)
		meta(o, (enum pid)p, 0, "process", names[p], p);
}

static void channel_name(struct out *o, unsigned tid, char *name, size_t size)
{
	const struct lane *l = model_lane(o->m, LANE_CHANNEL, tid / 2);
	const char *label = l ? view_label(o->v, l) : NULL;

	snprintf(name, size, "channel %u%s%s%s", tid / 2, label ? " " : l && l->cls ? " " : "",
		 label ? label : l && l->cls ? class_name(l->cls) : "", tid % 2 ? ": slices" : "");
}

/* Names a thread before its first event. */
static void thread(struct out *o, enum pid pid, unsigned tid)
{
	uint32_t *known = map_at(o->threads, (uint64_t)pid << 32 | tid, true);
	char name[96];

	if (*known)
		return;
	*known = 1;
	switch (pid) {
	case PID_CHANNELS:
		channel_name(o, tid, name, sizeof(name));
		break;
	case PID_ENGINES:
		snprintf(name, sizeof(name), tid == FRONT_END ? "front end" : "copy engine %u", tid);
		break;
	case PID_SLOTS:
		snprintf(name, sizeof(name), tid == NO_SLOT ? "no slot" : "slot %u", tid);
		break;
	case PID_SMS:
		if (tid % SM_THREADS)
			snprintf(name, sizeof(name), "SM %u warp %u", tid / SM_THREADS, tid % SM_THREADS - 1);
		else
			snprintf(name, sizeof(name), "SM %u", tid / SM_THREADS);
		break;
	case PID_CPU:
		snprintf(name, sizeof(name), "stores");
		break;
	default:
		snprintf(name, sizeof(name), "device");
		break;
	}
	meta(o, pid, tid, "thread", name, tid);
}

/* ---- flows ---------------------------------------------------------------------------------------- */

static void flow(struct out *o, const char *ph, size_t id, enum pid pid, unsigned tid)
{
	const struct link *k = &o->m->link[id];
	uint64_t t = o->m->t->rec[*ph == 's' ? k->from : k->to].time;

	begin(o);
	fprintf(o->f, "{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%zu", ph, k->kind == LINK_WAKE ? "wake" : "child",
		k->kind == LINK_WAKE ? "wakes" : "launches", id + 1);
	time_of(o, "ts", t);
	place(o, pid, tid);
	putc('}', o->f);
}

/* Is the other end of the link shown, too? */
static bool whole(const struct out *o, const struct link *k)
{
	return o->m->t->rec[k->from].time >= o->v->from && o->m->t->rec[k->to].time <= o->v->to;
}

/* Flows that start at record i: behind the event they leave. */
static void flows_from(struct out *o, uint32_t i, enum pid pid, unsigned tid)
{
	while (o->next_from < o->m->num_links && o->m->link[o->by_from[o->next_from]].from < i)
		o->next_from++;
	for (; o->next_from < o->m->num_links && o->m->link[o->by_from[o->next_from]].from == i; o->next_from++)
		if (whole(o, &o->m->link[o->by_from[o->next_from]]))
			flow(o, "s", o->by_from[o->next_from], pid, tid);
}

/* Flows that end at record i: before the event they arrive at. */
static void flows_to(struct out *o, uint32_t i, enum pid pid, unsigned tid)
{
	while (o->next_to < o->m->num_links && o->m->link[o->next_to].to < i)
		o->next_to++;
	for (; o->next_to < o->m->num_links && o->m->link[o->next_to].to == i; o->next_to++)
		if (whole(o, &o->m->link[o->next_to]))
			flow(o, "f", o->next_to, pid, tid);
}

/* ---- events ------------------------------------------------------------------------------------------ */

static void head(struct out *o, const char *ph, const char *name, uint64_t ts, enum pid pid, unsigned tid)
{
	thread(o, pid, tid);
	begin(o);
	fprintf(o->f, "{\"ph\":\"%s\",\"name\":", ph);
	quote(o->f, name);
	time_of(o, "ts", ts);
	place(o, pid, tid);
}

static void instant(struct out *o, const struct rec *r, enum pid pid, unsigned tid)
{
	head(o, "i", event_name(r->event), r->time, pid, tid);
	fputs(",\"s\":\"t\"", o->f);
	args(o, r);
	fputs("}}", o->f);
}

/* A complete event from the record that began it. */
static void complete(struct out *o, const struct span *sp, const char *name, enum pid pid, unsigned tid)
{
	const struct trace *t = o->m->t;
	const struct rec *r = &t->rec[sp->rec != NO_REC ? sp->rec : sp->rec_end];

	head(o, "X", name, sp->start, pid, tid);
	time_of(o, "dur", sp->end - sp->start);
	args(o, r);
	if (sp->rec == NO_REC)
		fputs(",\"begun\":\"before the trace\"", o->f);
	fprintf(o->f, ",\"ended_by\":\"%s\"}}", sp->rec_end != NO_REC ? event_name(t->rec[sp->rec_end].event)
								      : "end of the trace");
}

static void moment(struct out *o, const struct rec *r, const char *name, uint64_t dur, enum pid pid, unsigned tid)
{
	head(o, "X", name, r->time, pid, tid);
	time_of(o, "dur", dur);
	args(o, r);
	fputs("}}", o->f);
}

static void span(struct out *o, const struct lane *l, const struct span *sp)
{
	const struct rec *r = &o->m->t->rec[sp->rec != NO_REC ? sp->rec : sp->rec_end];
	unsigned id = (unsigned)l->id;
	char name[96];

	switch (sp->kind) {
	case SPAN_SLICE:
		complete(o, sp, "time slice", PID_CHANNELS, 2 * id + 1);
		break;
	case SPAN_LATE:
		complete(o, sp, "slice over", PID_CHANNELS, 2 * id + 1);
		break;
	case SPAN_BLOCK:
		snprintf(name, sizeof(name), "waits: %s", block_name(r->a));
		complete(o, sp, name, PID_CHANNELS, 2 * id);
		break;
	case SPAN_COPY:
		snprintf(name, sizeof(name), "channel %u copy %" PRIu64, r->a, r->b);
		complete(o, sp, name, PID_ENGINES, id);
		break;
	case SPAN_LAUNCH:
		snprintf(name, sizeof(name), "channel %u task %u", r->unit, (unsigned)r->c);
		complete(o, sp, name, PID_ENGINES, FRONT_END);
		break;
	case SPAN_TASK:
		snprintf(name, sizeof(name), "task %u priority %u", (unsigned)r->c, r->a);
		complete(o, sp, name, PID_SLOTS, id);
		break;
	case SPAN_CTA:
		snprintf(name, sizeof(name), "task %u block %u", (unsigned)r->b, r->a);
		complete(o, sp, name, PID_SMS, SM_THREADS * id + 1 + (unsigned)r->c);
		break;
	default:	/* the command itself shows it */
		break;
	}
}

static bool is_copy(uint64_t opcode)
{
	return opcode == PPU_CMD_COPY || opcode == PPU_CMD_COPY_2D || opcode == PPU_CMD_FILL || opcode == PPU_CMD_FILL_2D;
}

/*
 * The engine's record that belongs to a command: CE_START stands behind the command, TASK_ACCEPT before it. NULL: none.
 */
static const struct rec *engine_record(const struct out *o, const struct rec *r)
{
	const struct rec *e, *end = o->m->t->rec + o->m->t->num;

	if (is_copy(r->b))
		for (e = r + 1; e < end && e->time == r->time; e++)
			if (e->event == PPU_TR_CE_START && e->a == r->unit)
				return e;
	if (r->b == PPU_CMD_LAUNCH)
		for (e = r; e-- > o->m->t->rec && e->time == r->time;)
			if (e->event == PPU_TR_TASK_ACCEPT && e->unit == r->unit)
				return e;
	return NULL;
}

static const struct lane *span_lane(const struct out *o, const struct rec *r);

/* How long an engine works on a command. */
static uint64_t command_time(const struct out *o, uint32_t i)
{
	const struct rec *r = &o->m->t->rec[i], *e = engine_record(o, r);
	const struct lane *l = e ? span_lane(o, e) : NULL;
	uint32_t *at = l ? map_at(o->spans, (uint64_t)(e - o->m->t->rec), false) : NULL;

	return at && *at ? l->span[*at - 1].end - r->time : 0;
}

static void counter(struct out *o, const struct lane *l, uint64_t ts, uint64_t value, const char *cat)
{
	const char *label = view_label(o->v, l);
	char name[96], of[32] = "";

	/* Each semaphore has a counter of its own, even if the user gave two of them the same name. */
	if (SEM_CONTEXT(l->id))
		snprintf(of, sizeof(of), " of context %u", SEM_CONTEXT(l->id));
	if (label)
		snprintf(name, sizeof(name), "%s%s", label, of);
	else
		snprintf(name, sizeof(name), "sem 0x%" PRIx64 "%s", SEM_ADDR(l->id), of);
	begin(o);
	fputs("{\"ph\":\"C\",\"name\":", o->f);
	quote(o->f, name);
	fprintf(o->f, ",\"cat\":\"%s\"", cat);
	time_of(o, "ts", ts);
	fprintf(o->f, ",\"pid\":%u,\"args\":{\"value\":%" PRIu64 "}}", PID_SEMS, value);
}

/* A store that is not a command gets an event of its own, which shows where the store comes from. */
static void sem_write(struct out *o, uint32_t i)
{
	const struct rec *r = &o->m->t->rec[i];
	enum pid pid = PID_CPU;
	unsigned tid = 0;

	counter(o, model_sem(o->m, i), r->time, r->d, "write");
	if (r->a == PPU_TRW_COMMAND)
		return;
	if (r->a == PPU_TRW_SM) {
		pid = PID_SMS;
		tid = SM_THREADS * r->unit;
	} else if (r->a == PPU_TRW_CE) {
		pid = PID_ENGINES;
		tid = r->unit;
	} else if (r->a == PPU_TRW_TASK) {
		pid = PID_SLOTS;
		tid = r->unit;
	}
	moment(o, r, "store to a semaphore", 0, pid, tid);
	flows_from(o, i, pid, tid);
}

static void of_channel(struct out *o, uint32_t i)
{
	const struct rec *r = &o->m->t->rec[i];
	unsigned tid = 2u * r->unit;

	if (r->event == PPU_TR_CMD) {
		moment(o, r, command_name(r->b), command_time(o, i), PID_CHANNELS, tid);
		flows_from(o, i, PID_CHANNELS, tid);
	} else if (r->event == PPU_TR_UNBLOCK) {
		flows_to(o, i, PID_CHANNELS, tid);
	} else {
		instant(o, r, PID_CHANNELS, tid);
	}
}

static void of_sm(struct out *o, uint32_t i)
{
	const struct rec *r = &o->m->t->rec[i];
	unsigned tid = SM_THREADS * r->unit;

	if (r->event == PPU_TR_CHILD_LAUNCH) {
		moment(o, r, "launches a task", 0, PID_SMS, tid);
		flows_from(o, i, PID_SMS, tid);
		return;
	}
	if (r->event >= PPU_TR_DIV_PUSH)
		tid += 1 + (r->a >> 24) % MAX_WARPS;
	instant(o, r, PID_SMS, tid);
}

/* Events that neither a span nor a counter shows. */
static void rest(struct out *o, uint32_t i)
{
	const struct rec *r = &o->m->t->rec[i];
	const char *unit = event_unit(r->event);

	if (!strcmp(unit, "channel"))
		of_channel(o, i);
	else if (!strcmp(unit, "sm"))
		of_sm(o, i);
	else if (!strcmp(unit, "slot"))
		instant(o, r, PID_SLOTS, r->unit);
	else
		instant(o, r, PID_DEVICE, 0);
}

/* The lane whose span a record begins or ends, NULL: none. */
static const struct lane *span_lane(const struct out *o, const struct rec *r)
{
	switch (r->event) {
	case PPU_TR_SLICE_START:
	case PPU_TR_SLICE_PASS:
	case PPU_TR_SLICE_EXPIRE:
	case PPU_TR_BLOCK:
		return model_lane(o->m, LANE_CHANNEL, r->unit);
	case PPU_TR_TASK_ACCEPT:
		return model_lane(o->m, LANE_FRONT, 0);
	case PPU_TR_CE_START:
		return model_lane(o->m, LANE_ENGINE, r->unit);
	case PPU_TR_TASK_SCHED:
	case PPU_TR_TASK_RESUME:
		return model_lane(o->m, LANE_SLOT, r->unit);
	case PPU_TR_CTA_START:
	case PPU_TR_CTA_RESTORE:
		return model_lane(o->m, LANE_SM, r->unit);
	default:
		return NULL;
	}
}

/* Records that only end what another record began. */
static bool is_end(unsigned event)
{
	return event == PPU_TR_CE_DONE || event == PPU_TR_CE_ABORT || event == PPU_TR_CTA_DONE ||
	       event == PPU_TR_CTA_SAVE;
}

static void record(struct out *o, uint32_t i)
{
	const struct rec *r = &o->m->t->rec[i];
	const struct lane *l = span_lane(o, r);
	uint32_t *at = l ? map_at(o->spans, i, false) : NULL;

	if (r->event == PPU_TR_TASK_SCHED)
		flows_to(o, i, PID_SLOTS, r->unit);
	if (at && *at)
		span(o, l, &l->span[*at - 1]);
	else if (r->event == PPU_TR_SEM_WRITE)
		sem_write(o, i);
	else if (!is_end(r->event))
		rest(o, i);
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static bool wanted(const struct out *o, uint32_t i)
{
	const struct rec *r = &o->m->t->rec[i];
	const char *unit = event_unit(r->event);
	const struct choice *c = &o->v->lanes;

	if (r->time < o->v->from || r->time > o->v->to)
		return false;
	if (r->event == PPU_TR_SEM_WRITE)
		return choice_has(c, LANE_SEM, model_sem(o->m, i)->id);
	if (!strcmp(unit, "channel"))
		return choice_has(c, LANE_CHANNEL, r->unit);
	if (!strcmp(unit, "engine"))
		return choice_has(c, LANE_ENGINE, r->unit);
	if (!strcmp(unit, "slot"))
		return choice_has(c, LANE_SLOT, r->unit);
	if (!strcmp(unit, "sm"))
		return choice_has(c, LANE_SM, r->unit);
	return true;
}

/* Spans that began before the view, and the values that semaphores had then. */
static void before(struct out *o)
{
	for (size_t k = 0; k < o->m->num_lanes; k++) {
		const struct lane *l = &o->m->lane[k];
		uint64_t value;

		if (!choice_has(&o->v->lanes, l->kind, l->id))
			continue;
		if (l->num_points && (!o->v->from || l->point[0].time >= o->v->from))
			counter(o, l, o->v->from, l->point[0].old, "initial");
		else if (sem_value_at(l, o->v->from - 1, &value))
			counter(o, l, o->v->from, value, "initial");
		for (size_t i = 0; i < l->num_spans; i++) {
			const struct span *sp = &l->span[i];

			if (sp->end >= o->v->from && sp->start <= o->v->to && (sp->start < o->v->from || sp->rec == NO_REC))
				span(o, l, sp);
		}
	}
}

static const struct model *sorting;

static int by_from(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t fx = sorting->link[x].from, fy = sorting->link[y].from;

	if (fx != fy)
		return fx < fy ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void prepare(struct out *o)
{
	size_t cap = 0;

	o->threads = map_new();
	o->spans = map_new();
	for (size_t k = 0; k < o->m->num_lanes; k++) {
		const struct lane *l = &o->m->lane[k];

		for (size_t i = 0; i < l->num_spans; i++)
			if (l->span[i].rec != NO_REC && l->span[i].kind != SPAN_COMMAND)
				*map_at(o->spans, l->span[i].rec, true) = (uint32_t)i + 1;
	}
	o->by_from = grow(NULL, &cap, o->m->num_links + 1, sizeof(*o->by_from));
	for (size_t i = 0; i < o->m->num_links; i++)
		o->by_from[i] = (uint32_t)i;
	sorting = o->m;
	if (o->m->num_links)
		qsort(o->by_from, o->m->num_links, sizeof(*o->by_from), by_from);
}

void json_write(FILE *f, const struct model *m, const struct view *v)
{
	const struct ppu_trace_header *h = &m->t->head;
	struct out o = { .f = f, .m = m, .v = v };

	prepare(&o);
	fprintf(f, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"channels\":%u,\"copy_engines\":%u,\"gpcs\":%u,"
		"\"sms_per_gpc\":%u,\"warps_per_sm\":%u,\"task_slots\":%u,\"device_priorities\":%u},\n\"traceEvents\":[",
		h->channels, h->copy_engines, h->gpcs, h->sms_per_gpc, h->warps_per_sm, h->task_slots, h->device_priorities);
	processes(&o);
	before(&o);
	for (size_t i = 0; i < m->t->num; i++)
		if (wanted(&o, (uint32_t)i))
			record(&o, (uint32_t)i);
	fputs("\n]}\n", f);
	map_free(o.threads);
	map_free(o.spans);
	free(o.by_from);
}
