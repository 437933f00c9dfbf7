/* SPDX-License-Identifier: MIT */
/* For judges (labchild.h, child_run_judged()): what the program with the student's code says when it ends. */
#ifndef LABREMOTE_H
#define LABREMOTE_H

#include <stddef.h>

#define REMOTE_WORDS	200		/* bytes of its last line that are looked at */

/*
 * The program has ended, or it has sent n bytes that are no message.  Prints its last line, if it is an end that such a
 * program may tell of itself; it cannot be a result.  Ends the judge.
 */
_Noreturn void remote_ended(const void *words, size_t n, const char *file);

#endif
