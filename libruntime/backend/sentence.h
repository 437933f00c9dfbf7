/* SPDX-License-Identifier: MIT */
/* Sentences about what is wrong, for the caller to free. */
#ifndef PPU_BACKEND_SENTENCE_H
#define PPU_BACKEND_SENTENCE_H

#pragma GCC visibility push(hidden)

/* *err: malloc'ed, or NULL when there is no memory. */
void ppu_be_say(char **err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#pragma GCC visibility pop
#endif
