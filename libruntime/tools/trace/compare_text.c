/* SPDX-License-Identifier: MIT */
/* The events that a comparison leaves out, and the sentence about the difference that it found. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include "trace.h"

/* ---- events left out --------------------------------------------------------------------------------- */

static const char *const defaults[] = {
	"RESET", "DOORBELL", "EMPTY", "BLOCK", "UNBLOCK", "SLICE_START", "SLICE_PASS", "SLICE_EXPIRE", "SLICE_TASKS", "INTR", "WATCH",
	"INJECT", "TASK_PEND", "TASK_EVICT", "TASK_SUSPEND", "TASK_RESUME", "CTA_SAVE", "CTA_RESTORE",
};

/* NAME or NAME*; returns the number of events that it means. */
static unsigned set(struct events *e, const char *name, size_t n, bool value)
{
	bool many = n && name[n - 1] == '*';
	unsigned found = 0;

	for (unsigned k = 0; k < PPU_TR_MAX; k++) {
		const char *this = event_name(k);

		if (!this || strncmp(this, name, n - many) || (!many && this[n]))
			continue;
		e->has[k] = value;
		found++;
	}
	return found;
}

void events_default(struct events *e)
{
	memset(e, 0, sizeof(*e));
	for (size_t k = 0; k < sizeof(defaults) / sizeof(defaults[0]); k++)
		set(e, defaults[k], strlen(defaults[k]), true);
}

static bool word_is(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && !strncmp(text, word, n);
}

bool events_parse(struct events *e, const char *text)
{
	const char *at = text;

	memset(e, 0, sizeof(*e));
	for (;;) {
		size_t n = strcspn(at, ",");
		bool without = *at == '-';

		if (word_is(at, n, "default")) {
			events_default(e);
		} else if (!word_is(at, n, "none") && !set(e, at + without, n - without, !without)) {
			fprintf(stderr, "ppu-trace: --ignore %s: \"%.*s\" is no event (Documentation/hw/trace.md), \"default\" "
				"or \"none\"\n", text, (int)n, at);
			return false;
		}
		if (!at[n])
			return true;
		at += n + 1;
	}
}

/* ---- sentences ------------------------------------------------------------------------------------------ */

static const char *verb(const struct rec *r)
{
	static const char *const verbs[PPU_TR_MAX] = {
		[PPU_TR_RESET] = "resets the device", [PPU_TR_CH_ENABLE] = "enables the channel",
		[PPU_TR_CH_DISABLE] = "stops the channel", [PPU_TR_DOORBELL] = "rings the doorbell",
		[PPU_TR_ENTRY] = "fetches the next entry", [PPU_TR_EMPTY] = "has nothing left",
		[PPU_TR_GET] = "completes the entry", [PPU_TR_SEM_WRITE] = "writes it", [PPU_TR_BLOCK] = "has to wait",
		[PPU_TR_UNBLOCK] = "goes on", [PPU_TR_CE_START] = "starts a copy", [PPU_TR_CE_DONE] = "finishes the copy",
		[PPU_TR_CE_ABORT] = "aborts the copy", [PPU_TR_FAULT] = "has a fault", [PPU_TR_CH_ERROR] = "stops with an error",
		[PPU_TR_TASK_ACCEPT] = "accepts it", [PPU_TR_TASK_SCHED] = "gives it a slot", [PPU_TR_TASK_DONE] = "completes it",
		[PPU_TR_TASK_ABORT] = "aborts it", [PPU_TR_CTA_START] = "starts it", [PPU_TR_CTA_DONE] = "completes it",
		[PPU_TR_CHILD_LAUNCH] = "launches a child",
	};

	return verbs[r->event];
}

/* Is this argument of rec_args() one of those that are compared? */
static bool is_compared(const struct rec *r, const char *name)
{
	const char *args = compared_args(r);

	for (unsigned k = 0; k < 4; k++)
		if (args[k] != '-' && !strcmp(args[k] == 'p' ? "pc" : event_arg(r->event, k), name))
			return true;
	return false;
}

static void command_text(char *buf, size_t size, const struct rec *r)
{
	const char *args = compared_args(r);
	int n = snprintf(buf, size, "%s", command_name(r->b));

	for (unsigned k = 2; k < 4; k++)
		if (args[k] != '-' && n > 0 && (size_t)n < size)
			n += snprintf(buf + n, size - (size_t)n, args[k] == 'a' ? "%s0x%" PRIx64 : "%s%" PRIu64, k == 2 ? " " : ", ",
				      k == 2 ? r->c : r->d);
}

/* " (bytes=4096, dst=0x1000)" */
static void args_text(char *buf, size_t size, const struct rec *r)
{
	struct arg args[MAX_ARGS];
	unsigned n = rec_args(r, args);
	size_t at = 0;

	*buf = 0;
	for (unsigned i = 0; i < n; i++)
		if (is_compared(r, args[i].name) && at + 1 < size)
			at += (size_t)snprintf(buf + at, size - at, "%s%s=%s", at ? ", " : " (", args[i].name, args[i].text);
	if (at && at + 1 < size)
		snprintf(buf + at, size - at, ")");
}

static void does(char *buf, size_t size, const struct rec *r, bool brief)
{
	char text[200];

	if (r->event == PPU_TR_CMD) {
		command_text(text, sizeof(text), r);
		snprintf(buf, size, "executes %s", brief ? command_name(r->b) : text);
	} else if (r->event == PPU_TR_SEM_WRITE) {
		snprintf(buf, size, "changes it from %" PRIu64 " to %" PRIu64, r->c, r->d);
	} else {
		args_text(text, sizeof(text), r);
		if (verb(r))
			snprintf(buf, size, "%s%s", verb(r), brief ? "" : text);
		else
			snprintf(buf, size, "has %s%s", event_name(r->event), brief ? "" : text);
	}
}

/* "SEM_RELEASE 0x1000, 5 at entry 2" */
static void what(char *buf, size_t size, const struct rec *r)
{
	char text[200];

	if (r->event == PPU_TR_CMD) {
		command_text(text, sizeof(text), r);
		snprintf(buf, size, "%s at entry %u", text, r->a);
	} else if (r->event == PPU_TR_ENTRY || r->event == PPU_TR_GET) {
		snprintf(buf, size, "%s %u", event_name(r->event), r->a);
	} else if (r->event == PPU_TR_SEM_WRITE) {
		snprintf(buf, size, "%" PRIu64 " was written", r->d);
	} else {
		args_text(text, sizeof(text), r);
		snprintf(buf, size, "%s%s", event_name(r->event), text);
	}
}

void difference_unit(char *buf, size_t size, const struct difference *d)
{
	switch (d->kind) {
	case UNIT_CHANNEL:
		snprintf(buf, size, "channel %" PRIu64, d->id[0]);
		break;
	case UNIT_COPIES:
		snprintf(buf, size, "copies of channel %" PRIu64, d->id[0]);
		break;
	case UNIT_TASK:
		snprintf(buf, size, "task %" PRIu64 " of channel %" PRIu64, d->id[1], d->id[0]);
		break;
	case UNIT_BLOCK:
		snprintf(buf, size, "task %" PRIu64 " of channel %" PRIu64 ", block %" PRIu64, d->id[1], d->id[0], d->id[2]);
		break;
	case UNIT_WARP:
		if (d->id[0] > UINT16_MAX)
			snprintf(buf, size, "SM %" PRIu64 ", warp slot %" PRIu64, d->id[1], d->id[2]);
		else
			snprintf(buf, size, "task %" PRIu64 " of channel %" PRIu64 ", block %" PRIu64 ", warp %" PRIu64, d->id[1],
				 d->id[0], d->id[2] >> 8, d->id[2] & 0xff);
		break;
	case UNIT_SEM:
		snprintf(buf, size, "semaphore 0x%" PRIx64, SEM_ADDR(d->id[0]));
		break;
	default:
		snprintf(buf, size, "device");
		break;
	}
}

static const struct rec *rec_of(const struct model *m, uint32_t i)
{
	return i == NO_REC ? NULL : &m->t->rec[i];
}

void side_text(char *buf, size_t size, const struct difference *d, const struct model *m, unsigned side, bool brief)
{
	const struct rec *r = rec_of(m, d->rec[side]);

	if (r)
		does(buf, size, r, brief);
	else
		snprintf(buf, size, d->before[side] == NO_REC ? "does nothing" : "does nothing more");
}

/* Do the two records differ only in their arguments? */
static bool same_doing(const struct rec *r, const struct rec *q)
{
	return r && q && r->event == q->event && (r->event != PPU_TR_CMD || r->b == q->b);
}

void difference_text(char *buf, size_t size, const struct difference *d, const struct model side[SIDES])
{
	const struct rec *ref = rec_of(&side[SIDE_REF], d->rec[SIDE_REF]), *run = rec_of(&side[SIDE_RUN], d->rec[SIDE_RUN]);
	const struct rec *before = rec_of(&side[SIDE_RUN], d->before[SIDE_RUN]);
	char unit[96], after[240] = "to begin with,", text[SIDES][240], when[64] = "", why[160] = "";

	difference_unit(unit, sizeof(unit), d);
	if (before) {
		what(text[0], sizeof(text[0]), before);
		snprintf(after, sizeof(after), "after %.220s", text[0]);
	}
	for (unsigned s = 0; s < SIDES; s++)
		side_text(text[s], sizeof(text[s]), d, &side[s], s, !same_doing(ref, run));
	if (run)
		snprintf(when, sizeof(when), " (at %" PRIu64 " ns)", run->time);
	else if (before)
		snprintf(when, sizeof(when), " (it ends at %" PRIu64 " ns)", before->time);
	if (d->expected)
		snprintf(why, sizeof(why), "; that address of the reference was 0x%" PRIx64 " in this run so far", d->expected);
	else if (d->taken)
		snprintf(why, sizeof(why), "; that address of this run was 0x%" PRIx64 " in the reference so far", d->taken);
	snprintf(buf, size, "%s: %s the reference %s, this run %s%s%s", unit, after, text[SIDE_REF], text[SIDE_RUN], when, why);
}
