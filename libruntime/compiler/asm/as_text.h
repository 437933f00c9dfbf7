/* SPDX-License-Identifier: MIT */
/* Reading the text: characters, words, strings, and where an error is. */
#ifndef PPU_AS_TEXT_H
#define PPU_AS_TEXT_H

#include "compiler/asm/as.h"

void as_error_at(struct as *a, uint32_t line, uint32_t col, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#define AS_ERROR(a, pos, ...) \
	as_error_at(a, (a)->line, (uint32_t)((pos) - (a)->line_start) + 1, __VA_ARGS__)

int as_is_ident(char c, int first);
int as_is_digit(char c);
/* The character under the cursor; a line break at the end of the text. */
char as_peek(struct as *a);
/* Skips blanks, comments, and a line break after a backslash. */
void as_skip(struct as *a);
int as_end_of_statement(struct as *a);
int as_accept(struct as *a, char c);
void as_skip_statement(struct as *a);
/* Identifier: letter, _ or $ first, then also digits and dots. */
struct as_span as_ident(struct as *a);
int as_is(struct as_span s, const char *text);
/* A quoted string, decoded into malloc'ed bytes. NULL after an error. */
char *as_string(struct as *a, size_t *len);
/* A name: identifier or quoted.  malloc'ed; NULL after an error. */
char *as_name(struct as *a);

#endif
