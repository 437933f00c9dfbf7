/* SPDX-License-Identifier: MIT */
/* Reading whole files. */
#ifndef PPU_FILE_H
#define PPU_FILE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* The bytes of a file ("-": of standard input), which the caller frees.  NULL: errno tells the reason. */
char *ppu_read_file(const char *path, size_t *len);

#pragma GCC visibility pop
#endif
