/* SPDX-License-Identifier: MIT */
/* One instruction as text, with names where a listing has them. */
#ifndef PPU_DIS_H
#define PPU_DIS_H

#include <ppu_image.h>

struct dis_buf {
	char *v;
	size_t len, cap;	/* len counts what would have been written */
};

/* Names in place of numbers; all may be NULL. */
struct dis_hints {
	const char *target;	/* branch target */
	const char *symbol;	/* imm, imm64 or memory offset is this symbol's */
	int64_t addend;
};

void dis_insn(struct dis_buf *b, const struct ppu_insn *in, const struct dis_hints *h);

#endif
