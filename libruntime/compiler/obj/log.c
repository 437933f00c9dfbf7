/* SPDX-License-Identifier: MIT */
/* Messages of compiler, assembler and linker. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>

void ppu_log_init(struct ppu_log *log)
{
	memset(log, 0, sizeof(*log));
}

void ppu_log_free(struct ppu_log *log)
{
	free(log->text);
	memset(log, 0, sizeof(*log));
}

/* If memory runs out, text is lost, but the counts stay right. */
void ppu_log_printf(struct ppu_log *log, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if (log->cap - log->len < (size_t)n + 1) {
		size_t cap = (log->len + (size_t)n + 1) * 2;
		char *text = realloc(log->text, cap);

		if (!text)
			return;
		log->text = text;
		log->cap = cap;
	}
	va_start(ap, fmt);
	vsnprintf(log->text + log->len, log->cap - log->len, fmt, ap);
	va_end(ap);
	log->len += (size_t)n;
}
