/* SPDX-License-Identifier: MIT */
/*
 * Reads the debug sections of a module (struct ppu_debug, DWARF 2 to 4) where they are: an entry is known by its offset.  The
 * sections come from a file that anybody may have written: whatever is in them, reading ends, inside of them.
 */
#ifndef PPU_DEBUG_DWARF_H
#define PPU_DEBUG_DWARF_H

#include <stdbool.h>
#include <stdint.h>
#include <ppu_image.h>

#pragma GCC visibility push(hidden)

enum dw_tag {
	DW_ARRAY = 0x01, DW_CLASS = 0x02, DW_ENUM = 0x04, DW_FORMAL = 0x05, DW_BLOCK = 0x0b, DW_MEMBER = 0x0d, DW_POINTER = 0x0f,
	DW_REFERENCE = 0x10, DW_UNIT = 0x11, DW_STRUCT = 0x13, DW_TYPEDEF = 0x16, DW_UNION = 0x17, DW_INHERITANCE = 0x1c,
	DW_INLINED = 0x1d, DW_SUBRANGE = 0x21, DW_BASE = 0x24, DW_CONST = 0x26, DW_ENUMERATOR = 0x28, DW_SUBPROGRAM = 0x2e,
	DW_VARIABLE = 0x34, DW_VOLATILE = 0x35, DW_RESTRICT = 0x37, DW_NAMESPACE = 0x39, DW_RVALUE = 0x42,
};

enum dw_encoding { DW_BOOL = 2, DW_FLOAT = 4, DW_SIGNED = 5, DW_SIGNED_CHAR = 6, DW_UNSIGNED = 7, DW_UNSIGNED_CHAR = 8 };

struct dw_block {
	const uint8_t *p;
	uint32_t n;
};

struct dw_die {
	uint32_t at, next;		/* where it is; what follows: its first child, if it has children */
	uint32_t tag;			/* 0: the end of a list of children */
	bool children;
	const char *name;		/* NULL: none */
	uint32_t type, origin;		/* 0: none */
	uint64_t size, encoding;
	uint64_t bit_size;		/* of a bit field; 0: it is none */
	uint64_t bit_offset;		/* of it, from the highest bit of its storage down; or from_start: from the structure's first bit up */
	bool from_start;
	uint64_t low, high;		/* marks as words (PPU_DEBUG_MARK); low 0: none */
	uint64_t count;			/* of a subrange */
	bool has_count, declaration;
	bool has_value;			/* DW_AT_const_value */
	int64_t value;
	uint64_t member;		/* DW_AT_data_member_location */
	struct dw_block location;	/* p NULL: none, or a list */
	bool has_list;
	uint64_t list;
};

/* Reads the entry at an offset.  False: there is none, or it cannot be read. */
bool dw_read(const struct ppu_debug *d, uint32_t at, struct dw_die *die);
/* The first entry of each unit, by turns: *unit begins as 0.  False: no more. */
bool dw_unit(const struct ppu_debug *d, uint32_t *unit, struct dw_die *die);
/* The first entry behind die's children, if it has some. */
bool dw_skip(const struct ppu_debug *d, const struct dw_die *die, struct dw_die *next);
/* The first child, or the one behind a child; false: no more. */
bool dw_child(const struct ppu_debug *d, const struct dw_die *parent, struct dw_die *child);
bool dw_brother(const struct ppu_debug *d, struct dw_die *child);
/* The type without names and qualifiers; false: void, or unknown. */
bool dw_plain(const struct ppu_debug *d, uint32_t type, struct dw_die *die);
/* Bytes of a type; 0: not known. */
uint64_t dw_size(const struct ppu_debug *d, uint32_t type);
/* Elements of an array's dimension, from 0; false: it has no such. */
bool dw_dimension(const struct ppu_debug *d, const struct dw_die *array, unsigned which, uint64_t *count);
/* "int *", "float [3]", "struct S" */
const char *dw_type_text(const struct ppu_debug *d, uint32_t type, char *buf, size_t len);
/* What a location list says for a mark; false: nothing. */
bool dw_listed(const struct ppu_debug *d, uint64_t list, uint64_t low, uint64_t mark, struct dw_block *location);
uint64_t dw_uleb(const uint8_t **p, const uint8_t *end);
uint64_t dw_word(const uint8_t *p, unsigned bytes);

#pragma GCC visibility pop
#endif
