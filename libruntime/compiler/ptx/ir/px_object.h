/* SPDX-License-Identifier: MIT */
/*
 * The image while it is made: the front end adds symbols, data and file names, the back end code, lines and
 * relocations, px_compile.c makes a struct ppu_image of it.  Everything lies in the arena.
 */
#ifndef PX_OBJECT_H
#define PX_OBJECT_H

#include <ppu_image.h>

struct px_object {
	struct ppu_symbol *syms;
	uint32_t num_syms, cap_syms;
	struct ppu_reloc *relocs;
	uint32_t num_relocs, cap_relocs;
	struct ppu_line *lines;
	uint32_t num_lines, cap_lines;
	char **files;
	uint32_t num_files, cap_files;
	uint32_t *file_ids;	/* PTX file number of files[i] */
	uint32_t num_file_ids, cap_file_ids;
	uint8_t *data;
	uint64_t data_bytes, data_cap, data_align;
	struct ppu_debug_mark *marks;
	uint32_t num_marks, cap_marks;
	struct ppu_insn *code;
	uint32_t num_insns, cap_insns;
};

#endif
