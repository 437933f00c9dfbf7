/* SPDX-License-Identifier: MIT */
/* The compute capability that the device says it has, for programs that ask: 7.5, or PPU_CUDA_CAPABILITY. */
#ifndef PPU_CAPABILITY_H
#define PPU_CAPABILITY_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

int ppu_cuda_capability(void);		/* 75: 7.5; if the setting is none, as if there was no setting */
bool ppu_cuda_capability_ok(void);	/* the setting, if there is one, is a compute capability */

#pragma GCC visibility pop
#endif
