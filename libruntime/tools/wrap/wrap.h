/* SPDX-License-Identifier: MIT */
/* What tools share that run a program, unchanged, with something of the runtime turned on, and tell of it afterwards. */
#ifndef PPU_WRAP_H
#define PPU_WRAP_H

#include <stdio.h>

/* The tool's name, for messages: it defines this. */
extern const char wrap_tool[];

/* A message, and the exit with 2. */
__attribute__((noreturn)) void wrap_usage(const char *why, const char *what);
/* The value of an option: what follows "=", or the next argument.  NULL: argv[*i] is another option. */
const char *wrap_value(char **argv, int *i, const char *name);
/* p; or there is no memory, and the tool ends. */
void *wrap_need(void *p);

/* A library of ours that the program gets, whether it names it or not; NULL: none. */
extern const char *wrap_library;
/* A variable that is to have the library's path if it is not set; NULL: none. */
extern const char *wrap_library_variable;
/* Runs the program, with our libraries and the device inside it unless it asks for another one.  Its exit status, 128 + the
 * signal that ended it, or 126 or 127: it could not be run. */
int wrap_run(char **program);

/* The character that begins there, or in place of a byte that is none the one for that.  Returns where the next one is. */
const char *wrap_put_char(FILE *f, const char *s);
/* A string of JSON, which may stand in HTML, too. */
void wrap_json(FILE *f, const char *s);

#endif
