/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of the host.  The core takes all of it from here, and each of these calls may fail.
 *
 * State: none.
 * Thread safety: any thread.
 * Time: none.
 */
#ifndef PPU_ALLOC_H
#define PPU_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* All return NULL when there is no memory.  The memory of all of them goes back with ppu_free(), or with free()
 * when it belongs to the owner of the core (ppu_core.h). */
void *ppu_alloc(size_t n, size_t size);				/* n elements, zeroed */
void *ppu_alloc_aligned(size_t align, size_t bytes);		/* bytes: a multiple of align; not zeroed */
void *ppu_realloc(void *p, size_t bytes);			/* on failure p stays as it is */
void ppu_free(void *p);
/* A sentence for the owner of the core, NULL when there is no memory for one. */
char *ppu_vsentence(const char *fmt, va_list ap);
char *ppu_sentence(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
