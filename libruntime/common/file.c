/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

char *ppu_read_file(const char *path, size_t *len)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	char *v = NULL;
	size_t cap = 0, n;

	*len = 0;
	if (!f)
		return NULL;
	do {
		if (*len == cap) {
			char *w = realloc(v, cap = cap ? cap * 2 : 65536);

			if (!w)
				break;
			v = w;
		}
		n = fread(v + *len, 1, cap - *len, f);
		*len += n;
	} while (n);
	if (ferror(f)) {
		free(v);
		v = NULL;
	}
	if (f != stdin)
		fclose(f);
	return v;
}
