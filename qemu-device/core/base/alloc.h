/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of the host.  The core takes all of it from here, and lives with any of these calls failing
 * (Documentation/hw/host-memory.md).  In short:
 *
 *   - What has a bound that the configuration gives is taken when the core is created; creation fails.
 *   - A command of a channel that needs memory stops its channel with HOST_MEMORY.
 *   - A task that needs memory ends its context with TASK_MEMORY.
 *   - Save and load return an error.
 *   - What is only observed (trace records of SMs, counts of the cache model) is incomplete.
 *
 * Nothing else changes, and what has failed leaves neither memory nor accounts behind.
 *
 * State: none.
 * Thread safety: any thread.
 * Time: none.
 */
#ifndef PPU_ALLOC_H
#define PPU_ALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All return NULL when there is no memory.  The memory of all of them goes back with ppu_free(), or with free()
 * when it belongs to the owner of the core (ppu_core.h). */
void *ppu_alloc(size_t n, size_t size);				/* n elements, zeroed */
void *ppu_alloc_aligned(size_t align, size_t bytes);		/* bytes: a multiple of align; not zeroed */
/* n elements, zeroed, in whole lines of the host's cache: the size of an element is a multiple of 64. */
static inline void *ppu_alloc_lines(size_t n, size_t size)
{
	void *p = n <= SIZE_MAX / size ? ppu_alloc_aligned(64, n * size) : NULL;

	return p ? memset(p, 0, n * size) : NULL;
}
void *ppu_realloc(void *p, size_t bytes);			/* on failure p stays as it is */
void ppu_free(void *p);
/* A sentence for the owner of the core, NULL when there is no memory for one. */
char *ppu_vsentence(const char *fmt, va_list ap);
char *ppu_sentence(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
