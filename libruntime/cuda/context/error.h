/* SPDX-License-Identifier: MIT */
/* Turns results of libppu into the Driver API's, and keeps why a call fails. */
#ifndef PPU_CUDA_ERROR_INT_H
#define PPU_CUDA_ERROR_INT_H

#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

CUresult cu_result(ppuResult res);
/*
 * Why the thread's call fails, for PPU_CUDA_LOG.  The reason is forgotten when the next call begins, so that it
 * is never the reason of an earlier call; "": nothing but the error's name is known.
 */
void cu_why_forget(void);
void cu_why_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *cu_why(void);
const char *cu_error_name(CUresult res);	/* NULL: no such code */

#pragma GCC visibility pop
#endif
