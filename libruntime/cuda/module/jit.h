/* SPDX-License-Identifier: MIT */
/* Options of the compiler, and its log. */
#ifndef PPU_CUDA_JIT_INT_H
#define PPU_CUDA_JIT_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

#define CU_LOG_BYTES 65536
struct cu_jit {
	unsigned int max_regs;
	bool verbose;
	char *info, *error;		/* the caller's buffers, NULL: none */
	size_t info_bytes, error_bytes;
	void **info_used, **error_used;	/* out: bytes used in the buffers; may be NULL */
	void **wall_time;		/* out: milliseconds, as a float stored in place of the pointer */
	void **threads;			/* out: most threads of a block that the code allows */
	struct timespec start;
};
CUresult cu_jit_parse(struct cu_jit *jit, unsigned int num, const CUjit_option *options, void **values);
/* Gives the caller its log and numbers.  text: the compiler's messages. */
void cu_jit_done(struct cu_jit *jit, CUresult res, const char *text);

#pragma GCC visibility pop
#endif
