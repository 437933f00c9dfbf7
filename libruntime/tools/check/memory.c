/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/contents_record.h"
#include "tools/check/memory.h"
#include "tools/check/record.h"
#include "tools/wrap/wrap.h"

#define TOLD	10	/* blocks that are told, at most */

/* ---- reading --------------------------------------------------------------------------------------------- */

static char *who_of(const struct record *r)
{
	const char *bytes = record_get(r, "bytes"), *name = record_get(r, "name"), *by = record_get(r, "allocated_by");
	const char *frame = record_get(r, "allocated");
	char *who;
	int rc;

	if (*name)
		rc = asprintf(&who, "variable %s, %s bytes,", name, bytes);
	else
		rc = asprintf(&who, "the %s bytes of %s%s%s", bytes, *by ? by : "an allocation", *frame ? " by " : "", frame);
	return wrap_need(rc < 0 ? NULL : who);
}

static bool take(void *arg, const struct record *r)
{
	const char *what = record_get(r, "record");
	struct memory *m = arg;
	struct memory_block *b;

	if (!strcmp(what, "start"))
		m->opened = true;
	if (!strcmp(what, "orders"))
		m->orders = strtoull(record_get(r, "orders"), NULL, 10);
	if (strcmp(what, "contents") != 0)
		return false;
	m->block = wrap_need(realloc(m->block, (m->n + 1) * sizeof(*m->block)));
	b = &m->block[m->n++];
	b->context = (unsigned)strtoul(record_get(r, "context"), NULL, 10);
	b->number = (unsigned)strtoul(record_get(r, "number"), NULL, 10);
	b->bytes = strtoull(record_get(r, "bytes"), NULL, 10);
	b->contents = wrap_need(strdup(record_get(r, "contents")));
	b->who = who_of(r);
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct memory_block *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void memory_read(const char *path, struct memory *m)
{
	memset(m, 0, sizeof(*m));
	record_read(path, take, m);
	if (m->n)
		qsort(m->block, m->n, sizeof(*m->block), compare);
}

void memory_free(struct memory *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		free(m->block[i].contents);
		free(m->block[i].who);
	}
	free(m->block);
	memset(m, 0, sizeof(*m));
}

/* ---- comparing ------------------------------------------------------------------------------------------- */

static bool same(const struct memory_block *a, const struct memory_block *b)
{
	return a->bytes == b->bytes && !strcmp(a->contents, b->contents);
}

bool memory_differs(const struct memory *a, const struct memory *b)
{
	if (a->n != b->n)
		return true;
	for (unsigned i = 0; i < a->n; i++)
		if (compare(&a->block[i], &b->block[i]) != 0 || !same(&a->block[i], &b->block[i]))
			return true;
	return false;
}

/* The first part of both that is another one, in digits; *parts: how many are. */
static size_t first_part(const char *a, const char *b, size_t digits, size_t *parts)
{
	size_t first = 0, n = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

	*parts = 0;
	for (size_t at = 0; at < n; at += digits) {
		if (!memcmp(a + at, b + at, digits))
			continue;
		if (!(*parts)++)
			first = at;
	}
	return first;
}

static void tell_block(const struct memory_block *own, const struct memory_block *b, unsigned order)
{
	const bool whole = own->bytes <= CHK_CONTENTS_WHOLE;
	const size_t digits = whole ? 2 : 16, piece = whole ? 1 : CHK_CONTENTS_PIECE;
	size_t parts, at = first_part(own->contents, b->contents, digits, &parts);
	uint64_t byte = at / digits * piece, end = byte + piece < own->bytes ? byte + piece : own->bytes;

	if (own->bytes != b->bytes || !parts) {
		fprintf(stderr, "ppu-check: order %u: %s are others: %" PRIu64 " bytes\n", order, own->who, b->bytes);
		return;
	}
	fprintf(stderr, "ppu-check: order %u: %s differ: ", order, own->who);
	if (whole)
		fprintf(stderr, "byte %" PRIu64 " is 0x%.2s instead of 0x%.2s", byte, b->contents + at, own->contents + at);
	else
		fprintf(stderr, "in bytes %" PRIu64 " to %" PRIu64, byte, end - 1);
	if (parts > 1)
		fprintf(stderr, ", and %zu more %s", parts - 1, whole ? "bytes" : "such pieces");
	fputc('\n', stderr);
}

void memory_tell(const struct memory *own, const struct memory *m, unsigned order)
{
	unsigned i = 0, k = 0, told = 0;

	while ((i < own->n || k < m->n) && told < TOLD) {
		int c = i == own->n ? 1 : k == m->n ? -1 : compare(&own->block[i], &m->block[k]);

		if (c > 0) {
			fprintf(stderr, "ppu-check: order %u: there are also %s\n", order, m->block[k].who);
			told++;
		} else if (c < 0) {
			fprintf(stderr, "ppu-check: order %u: there are not %s\n", order, own->block[i].who);
			told++;
		} else if (!same(&own->block[i], &m->block[k])) {
			tell_block(&own->block[i], &m->block[k], order);
			told++;
		}
		i += c <= 0;
		k += c >= 0;
	}
}
