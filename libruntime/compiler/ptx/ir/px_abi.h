/* SPDX-License-Identifier: MIT */
/*
 * Registers in calls.  Arguments and results go through R4 to R19 in order, the rest through the caller's
 * outgoing area on the stack.
 */
#ifndef PX_ABI_H
#define PX_ABI_H

#include "compiler/obj/image.h"

#define PX_ABI_LINK		2	/* return index on entry */
#define PX_ABI_FIRST_ARG	PPU_ABI_FIRST_ARG
#define PX_ABI_LAST_ARG		19
#define PX_ABI_FIRST_SAVED	32	/* R32.. are callee-saved */

#endif
