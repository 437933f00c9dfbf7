/* SPDX-License-Identifier: MIT */
/* Records that the checker has written (check/report.h). */
#ifndef PPU_CHECK_RECORD_H
#define PPU_CHECK_RECORD_H

#include <stdbool.h>

struct pair {
	char *key, *value;
};

struct record {
	struct pair *pair;
	unsigned n;
};

/* The first value of the key; "": it has none. */
const char *record_get(const struct record *r, const char *key);
/* Gives each record of the file to take().  True: it keeps the pairs; else they are freed. */
void record_read(const char *path, bool (*take)(void *arg, const struct record *r), void *arg);

#endif
