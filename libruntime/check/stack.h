/* SPDX-License-Identifier: MIT */
/*
 * Where the program was when it called the runtime.
 *
 * Nothing here takes the dynamic loader's lock (but chk_stack_ready(), the first time): whoever is in dlopen() has it, and a
 * constructor that runs there may wait for a lock that the caller of these functions holds.  So files are those of
 * /proc/self/maps, and not what dladdr() says.
 */
#ifndef PPU_CHECK_STACK_H
#define PPU_CHECK_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define CHK_FRAMES 12

struct chk_stack {
	unsigned n;
	bool access;			/* what is there is an access, not a call */
	void *api;			/* where the call of the API returns inside itself; NULL: not known */
	void *frame[CHK_FRAMES];	/* of the program, innermost first */
};

/* Once, before the others: loads what unwinding needs. */
void chk_stack_ready(void);
void chk_stack_take(struct chk_stack *s);
/* Of what a signal has interrupted there. */
void chk_stack_behind(struct chk_stack *s, uint64_t pc);
/* The call of the API, "": not known. */
void chk_stack_api(const struct chk_stack *s, char *buf, size_t len);
/* Frame i as text: "program in function+0x1b", or "program+0x11f2" where the program names no function. */
void chk_stack_text(const struct chk_stack *s, unsigned i, char *buf, size_t len);

#pragma GCC visibility pop
#endif
