/* SPDX-License-Identifier: MIT */
/* For programs that have a student's code in them: each way to end leaves a line `end ...`. */
#ifndef LABENDS_H
#define LABENDS_H

#include <stdint.h>

/* Prints "end wrong ..." and ends. */
_Noreturn void end_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define EXPECT(cond, ...) do { if (!(cond)) end_wrong(__VA_ARGS__); } while (0)
/*
 * A crash prints "end crash SIG..."; so many steps of the student's code print "end stuck steps=...".  With pc, " pc=..." says
 * where the device's program is.
 */
void ends_catch(uint64_t most_steps, uint32_t (*pc)(void));
void ends_to(int fd);		/* where the lines go; without it, to the standard output */
void ends_begin(void);		/* steps are counted from here on */

#endif
