/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/check/kept.h"
#include "tools/wrap/wrap.h"

char *kept_take(int fd, size_t *bytes)
{
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t n = 0;
	char *text;

	*bytes = end > 0 ? (size_t)end : 0;
	text = wrap_need(calloc(1, *bytes + 1));
	for (size_t at = 0; at < *bytes && (n = pread(fd, text + at, *bytes - at, (off_t)at)) > 0; )
		at += (size_t)n;
	return text;
}

struct kept *kept_files(const char *const *names, unsigned n)
{
	struct kept *k = wrap_need(calloc(n + 1, sizeof(*k)));

	for (unsigned i = 0; i < n; i++) {
		int fd = open(names[i], O_RDONLY);

		if (fd < 0 && errno != ENOENT)
			wrap_usage(names[i], ": cannot be read");
		if (fd < 0)
			continue;
		k[i].text = kept_take(fd, &k[i].bytes);
		close(fd);
	}
	return k;
}

void kept_free(struct kept *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		free(k[i].text);
	free(k);
}

void kept_put(const char *name, const struct kept *k)
{
	FILE *f;

	if (!k->text) {
		unlink(name);
		return;
	}
	f = fopen(name, "w");
	if (!f || fwrite(k->text, 1, k->bytes, f) != k->bytes)
		wrap_usage(name, ": cannot be written");
	fclose(f);
}

bool kept_differs(const struct kept *a, const struct kept *b)
{
	return !a->text != !b->text || a->bytes != b->bytes || (a->text && memcmp(a->text, b->text, a->bytes) != 0);
}

void kept_tell(const char *name, const struct kept *own, const struct kept *k, unsigned seed)
{
	size_t at = 0;

	if (!kept_differs(own, k))
		return;
	if (!k->text || !own->text) {
		fprintf(stderr, "ppu-check: order %u: %s a file %s\n", seed, k->text ? "there is" : "there is not", name);
		return;
	}
	while (at < own->bytes && at < k->bytes && own->text[at] == k->text[at])
		at++;
	fprintf(stderr, "ppu-check: order %u: file %s is another one, from byte %zu on (%zu bytes, instead of %zu)\n", seed, name, at,
		k->bytes, own->bytes);
}
