/* SPDX-License-Identifier: MIT */
/* Names of the program's functions: static ones, too, which the dynamic loader does not know. */
#ifndef PPU_CHECK_SYMBOL_H
#define PPU_CHECK_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum chk_table { CHK_ANY, CHK_EXPORTED };	/* all functions that the file names, or those that it exports */

/* The function that has this byte of a file's image, from its symbol table: into buf, and how far the byte is behind its
 * beginning. False: the file has no such table, or no such function. */
bool chk_symbol(const char *file, uintptr_t base, uintptr_t at, enum chk_table table, char *buf, size_t len,
		size_t *offset);
/* Once, before chk_demangle(): asks the dynamic loader for the C++ library. */
void chk_symbol_ready(void);
/* A name as it stands in the source, if the program has the C++ library, which knows; else as it is. */
void chk_demangle(const char *name, char *buf, size_t len);

#pragma GCC visibility pop
#endif
