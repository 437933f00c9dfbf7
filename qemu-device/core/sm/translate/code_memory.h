/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for host code.  It is written once and then becomes executable; it is never both.
 *
 * State: none.
 * Thread safety: any thread.
 * Time: none.
 */
#ifndef PPU_CODE_MEMORY_H
#define PPU_CODE_MEMORY_H

#include <stddef.h>

/* A copy of these bytes that can be executed; *size: what it takes of the address space.  NULL: this process may not
 * have executable memory, or there is no memory. */
void *ppu_code_memory(const void *code, size_t bytes, size_t *size);
void ppu_code_memory_free(void *code, size_t size);

#endif
