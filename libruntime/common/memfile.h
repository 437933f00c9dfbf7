/* SPDX-License-Identifier: MIT */
/* Files in memory that several processes map. Their size never changes, so that nobody who maps one meets its end. */
#ifndef PPU_MEMFILE_H
#define PPU_MEMFILE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A descriptor that is more than 2, or a negative errno.  All bytes are 0. */
int ppu_memfile_new(const char *name, uint64_t bytes);
/* Is it such a file, of at least so many bytes? */
bool ppu_memfile_is(int fd, uint64_t bytes);

#pragma GCC visibility pop
#endif
