/* SPDX-License-Identifier: MIT */
/* Variables of the source that the debug sections of a module describe. */
#ifndef PPU_DEBUG_VARIABLE_H
#define PPU_DEBUG_VARIABLE_H

#include "debug/dwarf.h"
#include "debug/state.h"

#pragma GCC visibility push(hidden)

/* Something of a type in memory. */
struct dbg_object {
	const struct ppu_debug *d;
	uint32_t type;			/* 0: not known */
	struct dbg_address at;
	const char *missing;		/* why it has no place now, or NULL */
	bool constant;			/* it is a number, and in no memory */
	int64_t number;
	unsigned bits, first_bit;	/* of a bit field: how many, and where from the address on; 0: all of the type */
};

/* o is a structure: its member m, whose place is known.  more: where the part of the structure begins that m is of. */
void dbg_object_member(struct dbg_object *o, const struct dw_die *m, uint64_t more);

/* A name or *, and what follows it of [I], .NAME and ->NAME, for a lane.  False: text does not begin with the name of such a
 * variable.  True and *err: it does, but is wrong.  depth: of the expression around it. */
bool dbg_object_of(const char *text, const struct dbg_warp *w, uint32_t lane, unsigned depth, struct dbg_object *o,
		   const char **rest, const char **err);
/* Numbers and pointers as a value; NULL, or what is wrong. */
const char *dbg_object_value(const struct dbg_object *o, const struct dbg_warp *w, uint32_t lane, struct dbg_value *v);
/* As people write it: "{f = 1, g = {1, 2}}"; how: 0, or as "print" has it. */
const char *dbg_object_text(const struct dbg_object *o, const struct dbg_warp *w, uint32_t lane, char how, char *buf, size_t len);
/* Calls fn for each variable of the function at the lane's place, parameters first. */
void dbg_each_variable(const struct dbg_warp *w, uint32_t lane,
		       void (*fn)(const char *name, bool parameter, const struct dbg_object *o, void *arg), void *arg);
/* Behind the instructions at a function's beginning that store its parameters; first, if that is not known. */
uint32_t dbg_body(const struct ppu_image *img, uint32_t first, uint32_t insns);

void dbg_cmd_locals(const char *args);

#pragma GCC visibility pop
#endif
