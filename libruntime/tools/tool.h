/* SPDX-License-Identifier: MIT */
/* What every tool does in the same way. */
#ifndef PPU_TOOL_H
#define PPU_TOOL_H

#include <stdio.h>
#include "ppu_version.h"

/* The answer to --version; the exit status. */
static inline int tool_version(const char *tool)
{
	printf("%s (PPU) %s\n", tool, PPU_VERSION_STRING);
	return 0;
}

#endif
