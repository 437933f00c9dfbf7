/* SPDX-License-Identifier: MIT */
/*
 * Memory of a device under a fuzzer that is as it was after the set-up, again and again. Only the pages that an input
 * has changed cost anything: the memory is a private mapping of a file with its contents after the set-up, and what was
 * written since is dropped.
 */
#ifndef PPU_FUZZ_REFRESH_H
#define PPU_FUZZ_REFRESH_H

#include <stddef.h>

/* From now on, refresh_back() brings back what is there now. Whole pages; the address stays as it is. */
void refresh_keep(void *memory, size_t bytes);
void refresh_back(void *memory, size_t bytes);
/* All zero: of anonymous memory. */
void refresh_zero(void *memory, size_t bytes);

#endif
