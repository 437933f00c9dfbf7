/* SPDX-License-Identifier: MIT */
/* Reading a trace. Messages about a damaged file name the offset of the damage. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "trace.h"

_Static_assert(sizeof(struct rec) == sizeof(struct ppu_trace_rec), "record layout");

static int bad(const char *path, uint64_t offset, const char *what)
{
	fprintf(stderr, "ppu-trace: %s: at offset %" PRIu64 ": %s\n", path, offset, what);
	return ST_BAD_TRACE;
}

static int check_head(const struct trace *t, const char *path, size_t got)
{
	char text[160];

	if (got < sizeof(t->head.magic) || t->head.magic != PPU_TRACE_MAGIC)
		return bad(path, 0, "this is no device trace: it does not begin with PUTRACE1");
	if (got < sizeof(t->head)) {
		snprintf(text, sizeof(text), "the file ends inside the header of %zu bytes", sizeof(t->head));
		return bad(path, got, text);
	}
	if (t->head.version != PPU_TRACE_VERSION) {
		snprintf(text, sizeof(text), "the trace has version %u, this program reads version %u",
			 t->head.version, PPU_TRACE_VERSION);
		return bad(path, offsetof(struct ppu_trace_header, version), text);
	}
	if (t->head.record_bytes != sizeof(struct rec)) {
		snprintf(text, sizeof(text), "records of %u bytes; version %u has records of %zu",
			 t->head.record_bytes, PPU_TRACE_VERSION, sizeof(struct rec));
		return bad(path, offsetof(struct ppu_trace_header, record_bytes), text);
	}
	return ST_OK;
}

/* The numbers in the header determine the sizes of our arrays. */
static int check_device(const struct trace *t, const char *path)
{
	char text[160];

	if (t->head.warps_per_sm <= MAX_WARPS)
		return ST_OK;
	snprintf(text, sizeof(text), "the header says %u warps per SM; there are at most %u", t->head.warps_per_sm, MAX_WARPS);
	return bad(path, offsetof(struct ppu_trace_header, warps_per_sm), text);
}

/* The records of the rest of the file. */
static int read_records(struct trace *t, FILE *f, const char *path)
{
	uint64_t offset = sizeof(t->head);
	char text[160];
	size_t cap = 0;

	t->first = UINT64_MAX;
	for (;;) {
		struct rec *r;
		size_t got;

		if (t->num == NO_REC)
			return bad(path, offset, "more records than this program can number");
		t->rec = grow(t->rec, &cap, t->num + 1, sizeof(*t->rec));
		r = &t->rec[t->num];
		got = fread(r, 1, sizeof(*r), f);
		if (!got)
			break;
		if (got < sizeof(*r)) {
			snprintf(text, sizeof(text), "the file ends inside record %zu (%zu of %zu bytes): the trace was cut off",
				 t->num, got, sizeof(*r));
			return bad(path, offset + got, text);
		}
		if (!event_name(r->event)) {
			snprintf(text, sizeof(text), "record %zu has event number %u, which does not exist", t->num,
				 r->event);
			return bad(path, offset + offsetof(struct rec, event), text);
		}
		t->first = r->time < t->first ? r->time : t->first;
		t->last = r->time > t->last ? r->time : t->last;
		offset += sizeof(*r);
		t->num++;
	}
	if (!t->num)
		t->first = 0;
	return ST_OK;
}

int trace_load(struct trace *t, const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t got;
	int status;

	memset(t, 0, sizeof(*t));
	if (!f) {
		fprintf(stderr, "ppu-trace: %s: %s\n", path, strerror(errno));
		return ST_USAGE;
	}
	got = fread(&t->head, 1, sizeof(t->head), f);
	status = ferror(f) ? ST_OK : check_head(t, path, got);
	if (!status && !ferror(f))
		status = check_device(t, path);
	if (!status && !ferror(f))
		status = read_records(t, f, path);
	if (ferror(f)) {
		fprintf(stderr, "ppu-trace: %s: %s\n", path, strerror(errno));
		status = ST_USAGE;
	}
	fclose(f);
	return status;
}

void trace_free(struct trace *t)
{
	free(t->rec);
	t->rec = NULL;
}

/* Merge sort from the bottom: stable, and one pass over records that are in order already. */
void trace_sort(struct trace *t)
{
	struct rec *from = t->rec, *to, *swap;
	size_t n = t->num, cap = 0, i;

	for (i = 1; i < n && from[i - 1].time <= from[i].time; i++)
		;
	if (i >= n)
		return;
	to = grow(NULL, &cap, n, sizeof(*to));
	for (size_t run = 1; run < n; run *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * run) {
			size_t mid = lo + run < n ? lo + run : n, hi = lo + 2 * run < n ? lo + 2 * run : n;
			size_t a = lo, b = mid;

			for (i = lo; i < hi; i++)
				to[i] = a < mid && (b >= hi || from[a].time <= from[b].time) ? from[a++] : from[b++];
		}
		swap = from;
		from = to;
		to = swap;
	}
	t->rec = from;
	free(to);
}
