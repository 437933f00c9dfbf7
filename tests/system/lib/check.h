/* SPDX-License-Identifier: MIT */
/* What system tests in C check with: a line that says what was not so, and the end of the process. */
#ifndef SYSTEM_CHECK_H
#define SYSTEM_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <ppu.h>

#define CHECK(cond) do { \
	if (!(cond)) { \
		printf("# %s:%d: %s\n", __func__, __LINE__, #cond); \
		exit(1); \
	} \
} while (0)
#define OK(call) do { \
	ppuResult r_ = (call); \
	if (r_) { \
		printf("# %s:%d: %s: %s: %s\n", __func__, __LINE__, #call, ppuGetErrorName(r_), \
		       ppuGetLastErrorDetail()); \
		exit(1); \
	} \
} while (0)

#endif
