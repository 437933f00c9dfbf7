/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check/record.h"
#include "tools/wrap/wrap.h"

const char *record_get(const struct record *r, const char *key)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!strcmp(r->pair[i].key, key))
			return r->pair[i].value;
	return "";
}

static void drop(struct record *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		free(r->pair[i].key);
		free(r->pair[i].value);
	}
	free(r->pair);
}

void record_read(const char *path, bool (*take)(void *arg, const struct record *r), void *arg)
{
	FILE *f = fopen(path, "re");
	struct record r = { 0 };
	char *line = NULL, *space;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) >= 0) {
		line[strcspn(line, "\n")] = 0;
		if (!*line) {
			if (!take(arg, &r))
				drop(&r);
			memset(&r, 0, sizeof(r));
			continue;
		}
		space = strchr(line, ' ');
		if (!space)
			continue;
		*space = 0;
		r.pair = wrap_need(realloc(r.pair, (r.n + 1) * sizeof(*r.pair)));
		r.pair[r.n].key = wrap_need(strdup(line));
		r.pair[r.n++].value = wrap_need(strdup(space + 1));
	}
	drop(&r);
	free(line);
	if (f)
		fclose(f);
}
