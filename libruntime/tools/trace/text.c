/* SPDX-License-Identifier: MIT */
/* A trace as text, one line for each event, in the order of the file. */
#include <inttypes.h>
#include <string.h>
#include "trace.h"

static void line(FILE *f, const struct rec *r)
{
	struct arg args[MAX_ARGS];
	unsigned n = rec_args(r, args);

	fprintf(f, "%12" PRIu64 " %-14s", r->time, event_name(r->event));
	if (strcmp(event_unit(r->event), "-"))
		fprintf(f, " %s=%u", event_unit(r->event), r->unit);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, " %s=%s", args[i].name, args[i].text);
	putc('\n', f);
}

void text_write(FILE *f, const struct trace *t, uint64_t from, uint64_t to)
{
	const struct ppu_trace_header *h = &t->head;

	fprintf(f, "# %u channels, %u copy engines, %u x %u SMs of %u warps, %u task slots, %u priorities%s\n",
		h->channels, h->copy_engines, h->gpcs, h->sms_per_gpc, h->warps_per_sm, h->task_slots,
		h->device_priorities, h->priority_order ? " (0 is the highest)" : "");
	for (size_t i = 0; i < t->num; i++)
		if (t->rec[i].time >= from && t->rec[i].time <= to)
			line(f, &t->rec[i]);
}
