/* SPDX-License-Identifier: MIT */
/* Texts of source files: where the compiler found them, or in a directory that the user names. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static FILE *open_source(const struct source *s, const char *dir)
{
	FILE *f = dir ? NULL : fopen(s->path, "re");
	char *path;

	if (!dir || asprintf(&path, "%s/%s", dir, base_name(s->path)) < 0)
		return f;
	f = fopen(path, "re");
	free(path);
	return f ? f : fopen(s->path, "re");
}

void read_sources(struct data *d, const char *dir)
{
	for (uint32_t i = 0; i < d->num_sources; i++) {
		struct source *s = d->source[i];
		FILE *f = open_source(s, dir);
		char *line = NULL;
		size_t cap = 0;

		while (f && getline(&line, &cap, f) >= 0) {
			line[strcspn(line, "\r\n")] = 0;
			*GROW(s->text, s->num_lines) = wrap_need(strdup(line));
		}
		free(line);
		if (f)
			fclose(f);
	}
}

const char *source_line(const struct source *s, uint32_t line)
{
	return line && line <= s->num_lines ? s->text[line - 1] : NULL;
}
