/* SPDX-License-Identifier: MIT */
/* Reading the text: characters, words, strings, and where an error is. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/asm/as_text.h"

void as_error_at(struct as *a, uint32_t line, uint32_t col, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	a->errors++;
	if (!a->log)
		return;
	a->log->errors++;
	if (a->errors > AS_MAX_ERRORS)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ppu_log_printf(a->log, "%s:%u:%u: error: %s\n", a->file, line, col, text);
}

int as_is_ident(char c, int first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       (!first && ((c >= '0' && c <= '9') || c == '.'));
}

int as_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

char as_peek(struct as *a)
{
	return a->p < a->end ? *a->p : '\n';
}

void as_skip(struct as *a)
{
	for (;;) {
		char c = as_peek(a);

		if ((c == ' ' || c == '\t' || c == '\r') && a->p < a->end) {
			a->p++;
		} else if (c == '/' && a->p + 1 < a->end && a->p[1] == '/') {
			while (as_peek(a) != '\n')
				a->p++;
		} else if (c == '/' && a->p + 1 < a->end && a->p[1] == '*') {
			a->p += 2;
			while (a->p + 1 < a->end && !(a->p[0] == '*' && a->p[1] == '/')) {
				if (*a->p == '\n') {
					a->line++;
					a->line_start = a->p + 1;
				}
				a->p++;
			}
			if (a->p + 1 >= a->end) {
				AS_ERROR(a, a->p, "comment is not closed");
				a->p = a->end;
			} else {
				a->p += 2;
			}
		} else if (c == '\\' && a->p + 1 < a->end && a->p[1] == '\n') {
			a->p += 2;
			a->line++;
			a->line_start = a->p;
		} else {
			return;
		}
	}
}

int as_end_of_statement(struct as *a)
{
	as_skip(a);
	return as_peek(a) == '\n' || as_peek(a) == ';';
}

int as_accept(struct as *a, char c)
{
	as_skip(a);
	if (a->p < a->end && *a->p == c && c != '\n') {
		a->p++;
		return 1;
	}
	return 0;
}

void as_skip_statement(struct as *a)
{
	while (as_peek(a) != '\n')
		a->p++;
}

struct as_span as_ident(struct as *a)
{
	struct as_span s = { a->p, 0 };

	if (!as_is_ident(as_peek(a), 1))
		return s;
	while (a->p < a->end && as_is_ident(*a->p, 0))
		a->p++;
	s.n = (size_t)(a->p - s.s);
	return s;
}

int as_is(struct as_span s, const char *text)
{
	return strlen(text) == s.n && !memcmp(s.s, text, s.n);
}

char *as_string(struct as *a, size_t *len)
{
	const char *from = a->p;
	char *out, *o;

	a->p++;
	while (as_peek(a) != '\n' && *a->p != '"')
		a->p += *a->p == '\\' && a->p + 1 < a->end && a->p[1] != '\n' ? 2 : 1;
	if (as_peek(a) != '"') {
		AS_ERROR(a, from, "string is not closed");
		return NULL;
	}
	out = o = malloc((size_t)(a->p - from) + 1);
	if (!out) {
		a->oom = 1;
		return NULL;
	}
	for (from++; from < a->p; from++) {
		unsigned v;

		if (*from != '\\') {
			*o++ = *from;
			continue;
		}
		switch (*++from) {
		case 'n': *o++ = '\n'; break;
		case 't': *o++ = '\t'; break;
		case '0': *o++ = '\0'; break;
		case 'x':
			v = 0;
			for (unsigned i = 0; i < 2; i++) {
				char c = from + 1 < a->p ? from[1] : 0;
				int d = as_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
					c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

				if (d < 0)
					break;
				v = v * 16 + (unsigned)d;
				from++;
			}
			*o++ = (char)v;
			break;
		default:
			*o++ = *from;
		}
	}
	a->p++;
	*o = '\0';
	*len = (size_t)(o - out);
	return out;
}

char *as_name(struct as *a)
{
	const char *at;
	struct as_span s;
	size_t len;
	char *v;

	as_skip(a);
	at = a->p;
	if (as_peek(a) == '"') {
		v = as_string(a, &len);
		if (v && (!len || strlen(v) != len)) {
			AS_ERROR(a, at, "a name cannot be empty or contain NUL");
			free(v);
			v = NULL;
		}
		return v;
	}
	s = as_ident(a);
	if (!s.n) {
		AS_ERROR(a, at, "a name is expected");
		return NULL;
	}
	v = strndup(s.s, s.n);
	if (!v)
		a->oom = 1;
	return v;
}
