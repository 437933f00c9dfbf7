/* SPDX-License-Identifier: MIT */
/* Files, whole. */
#ifndef PPU_FILE_H
#define PPU_FILE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* The bytes of a file ("-": of standard input), to be freed; NULL: errno says why. */
char *ppu_read_file(const char *path, size_t *len);

#pragma GCC visibility pop
#endif
