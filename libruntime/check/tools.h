/* SPDX-License-Identifier: MIT */
/* What the command and PPU_CHECK both know. */
#ifndef PPU_CHECK_TOOLS_H
#define PPU_CHECK_TOOLS_H

/* The tools: constant and name. */
#define CHK_TOOLS(X) \
	X(MEMCHECK, "memcheck") X(RACECHECK, "racecheck") X(INITCHECK, "initcheck") \
	X(SYNCCHECK, "synccheck") X(FLOATCHECK, "floatcheck")

#define CHK_MOST_BITS	1100	/* of --cancellation: doubles are not further apart */

#endif
