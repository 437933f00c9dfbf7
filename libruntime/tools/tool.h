/* SPDX-License-Identifier: MIT */
/* Parts that are the same in every tool. */
#ifndef PPU_TOOL_H
#define PPU_TOOL_H

#include <stdio.h>
#include "ppu_version.h"

/* Answers --version; returns the exit status. */
static inline int tool_version(const char *tool)
{
	printf("%s (PPU) %s\n", tool, PPU_VERSION_STRING);
	return 0;
}

#endif
