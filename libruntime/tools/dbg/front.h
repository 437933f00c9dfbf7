/* SPDX-License-Identifier: MIT */
/* The two faces of ppu-dbg. */
#ifndef PPU_DBG_FRONT_H
#define PPU_DBG_FRONT_H

#include <stdbool.h>

struct front_args {
	bool batch, forward_only;
	char **file, **command;		/* of -x and -ex, in their order: one of both is NULL */
	unsigned n;
	char **program;
};

/* A command line.  Returns the exit status. */
int front_lines(const struct front_args *a);
/* The Debug Adapter Protocol on stdin and stdout. */
int front_dap(void);

#endif
