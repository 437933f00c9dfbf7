/* SPDX-License-Identifier: MIT */
/* Contents of files that a program writes, kept from one run to the next. */
#ifndef PPU_CHECK_KEPT_H
#define PPU_CHECK_KEPT_H

#include <stdbool.h>
#include <stddef.h>

struct kept {
	char *text;			/* NULL: there was no file */
	size_t bytes;
};

/* What is in the file, from its start; a NUL follows. */
char *kept_take(int fd, size_t *bytes);
struct kept *kept_files(const char *const *names, unsigned n);
void kept_free(struct kept *k, unsigned n);
/* The file has these contents again, or is not there. */
void kept_put(const char *name, const struct kept *k);
bool kept_differs(const struct kept *a, const struct kept *b);
/* Says how the file of that order differs from the device's own order's, if it does. */
void kept_tell(const char *name, const struct kept *own, const struct kept *k, unsigned seed);

#endif
