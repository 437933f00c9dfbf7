/* SPDX-License-Identifier: MIT */
/* Where the program was when it called the runtime. */
#ifndef PPU_CHECK_STACK_H
#define PPU_CHECK_STACK_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

#define CHK_FRAMES 12

struct chk_stack {
	unsigned n;
	char api[32];			/* the call of the API, "": not known */
	void *frame[CHK_FRAMES];	/* of the program, innermost first */
};

void chk_stack_take(struct chk_stack *s);
/* Frame i as text: "program in function+0x1b", or "program+0x11f2" where the program names no function. */
void chk_stack_text(const struct chk_stack *s, unsigned i, char *buf, size_t len);

#pragma GCC visibility pop
#endif
