/* SPDX-License-Identifier: MIT */
/*
 * The assembler's state, and what all its parts use: the text under the cursor, names, messages.
 *
 * as_text.c reads characters, as_operand.c numbers and operands, as_insn.c an instruction, as_function.c
 * and as_data.c directives; as_image.c adds to the image; asm.c goes over the lines, and at the end puts in
 * the names that were used before they were defined.
 */
#ifndef PPU_AS_H
#define PPU_AS_H

#include "compiler/obj/image.h"

#define AS_MAX_ERRORS	50

struct as_span {
	const char *s;
	size_t n;
};

/* A map from names to numbers.  Each name has a scope: the function's symbol index + 1, or 0. */
struct as_map {
	struct as_map_entry {
		struct as_span key;
		uint32_t scope, value, used;
	} *v;
	uint32_t n, cap;
};

struct as_fixup {
	struct as_span name;
	uint32_t scope, pc, line, col;
	int64_t addend;
	uint8_t what;		/* AS_FIX_* */
	uint8_t quoted;
};
enum { AS_FIX_TARGET, AS_FIX_IMM, AS_FIX_IMM64, AS_FIX_DATA_ADDR, AS_FIX_DATA_CODE };

struct as {
	const char *file;
	const char *p, *end;	/* cursor; end of the text */
	const char *line_start;
	uint32_t line;
	struct ppu_log *log;
	unsigned errors;
	int oom;

	struct ppu_image *img;
	uint32_t cap_insns;
	uint64_t cap_data;
	struct as_map labels, symbols, params;
	struct as_fixup *fixups;
	uint32_t num_fixups;
	uint32_t scope;		/* current function's symbol index + 1 */
	int has_loc;
	uint32_t next_param;
	uint8_t fn_regs, fn_bars, fn_insns;	/* flags: the directive says the number */
	struct ppu_line *auto_lines;
	uint32_t num_auto;
};

#endif
