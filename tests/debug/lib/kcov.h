/* SPDX-License-Identifier: MIT */
/* Coverage of the calling thread's system calls, where the kernel has KCOV. */
#ifndef PPU_DEBUG_KCOV_H
#define PPU_DEBUG_KCOV_H

#include <stdbool.h>

bool kcov_open(void);		/* false: this kernel has none */
void kcov_start(void);
unsigned kcov_stop(void);	/* points reached since, never before */
unsigned kcov_total(void);

#endif
