/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of the host: the only file of the core that asks the C library for memory. */
#include <stdio.h>
#include <stdlib.h>
#include "core/base/alloc.h"

void *ppu_alloc(size_t n, size_t size)
{
	return calloc(n, size);
}

void *ppu_alloc_aligned(size_t align, size_t bytes)
{
	return aligned_alloc(align, bytes);
}

void *ppu_realloc(void *p, size_t bytes)
{
	return realloc(p, bytes);
}

void ppu_free(void *p)
{
	free(p);
}

char *ppu_vsentence(const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return NULL;
	text = ppu_alloc((size_t)n + 1, 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, ap);
	return text;
}

char *ppu_sentence(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = ppu_vsentence(fmt, ap);
	va_end(ap);
	return text;
}
