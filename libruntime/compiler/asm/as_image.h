/* SPDX-License-Identifier: MIT */
/* Adding to the image. */
#ifndef PPU_AS_IMAGE_H
#define PPU_AS_IMAGE_H

#include "compiler/asm/as.h"

int as_add_insn(struct as *a, const struct ppu_insn *in);
/* Adds a symbol, or defines one that was only used so far.  Takes ownership of `str`.  Returns the symbol's
 * index, -1 after an error. */
int64_t as_new_symbol(struct as *a, char *str, const char *at, unsigned kind);
void as_add_reloc(struct as *a, unsigned kind, uint32_t symbol, uint64_t where, int64_t addend);
/* Notes the use of a name, whose value is put in at the end; what: AS_FIX_*. */
void as_add_fixup(struct as *a, unsigned what, uint32_t pc, struct as_span sym, int quoted,
		  int64_t addend, const char *at);

#endif
