/* SPDX-License-Identifier: MIT */
/* For programs that have a student's code in them: each way to end leaves a line `end ...`. */
#ifndef LABENDS_H
#define LABENDS_H

#include <stdint.h>

/* Prints "end wrong ..." and ends. */
_Noreturn void end_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A crash prints "end crash SIG..."; more steps of the student's code than these print "end stuck". */
void ends_catch(uint64_t most_steps);
void ends_begin(void);		/* steps are counted from here on */

#endif
