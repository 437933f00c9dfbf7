/* SPDX-License-Identifier: MIT */
/* Coverage of the calling thread's system calls, where the kernel has KCOV. */
#ifndef PPU_DEBUG_KCOV_H
#define PPU_DEBUG_KCOV_H

#include <stdbool.h>

/* What was reached counts for all threads, and for processes that are forked after this call. */
void kcov_share(void);
bool kcov_open(void);		/* for the calling thread; false: this kernel has none */
void kcov_close(void);
void kcov_start(void);
unsigned kcov_stop(void);	/* points reached since, never before */
unsigned kcov_total(void);

#endif
