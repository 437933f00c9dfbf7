/* SPDX-License-Identifier: MIT */
/* Results, and the sentence that goes with the last one of each thread. */
#ifndef PPU_API_ERROR_H
#define PPU_API_ERROR_H

#include <stdarg.h>
#include <ppu.h>

#pragma GCC visibility push(hidden)

/* Record the detail of a failure for this thread and return it. */
ppuResult rt_fail(ppuResult res, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
ppuResult rt_error(ppuResult res);			/* the same with the standard sentence */
ppuResult rt_errno(int rc, const char *what);	/* negative errno of a backend call */

#pragma GCC visibility pop
#endif
