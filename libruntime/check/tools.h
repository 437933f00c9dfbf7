/* SPDX-License-Identifier: MIT */
/* The tools of ppu-check, for the command and for PPU_CHECK: constant and name. */
#ifndef PPU_CHECK_TOOLS_H
#define PPU_CHECK_TOOLS_H

#define CHK_TOOLS(X) \
	X(MEMCHECK, "memcheck") X(RACECHECK, "racecheck") X(INITCHECK, "initcheck") \
	X(SYNCCHECK, "synccheck") X(FLOATCHECK, "floatcheck")

#endif
